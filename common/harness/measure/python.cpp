#include "common/harness/measure/python.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "common/core/files.h"
#include "common/core/program.h"
#include "common/harness/measure/child.h"

namespace ridge::measure {
namespace {

namespace fs = std::filesystem;

/// Answers with its folders of packages, NUL between them: nothing is imported but sys and os.
constexpr const char* kFolders = R"py(
import os, sys
os.write(3, '\0'.join(p for p in sys.path if p).encode() + b'\n')
)py";

/// The other end of common/harness/measure/external.cpp. argv[1]: the rung's own text, which defines
/// make(dtype, *dims) -> plan, with load(i, memory), store(i, memory), call() and finish(), and may have calls(n),
/// where there is a better way than a loop, and close().
constexpr const char* kServe = R"py(
import mmap, os, sys, time
sys.path[:] = [p for p in sys.path if p]  # no file of the current folder passes for a library

def answer(text):
    os.write(3, (' '.join(text.split()) + '\n').encode())

def slices(plan):
    memory = memoryview(mmap.mmap(4, max(at + size for _, at, size in plan.layout)))
    return [(i, kind, memory[at:at + size]) for i, (kind, at, size) in enumerate(plan.layout)]

def prepare(number, dtype, dims, *layout):
    plan = plans[number] = scope['make'](dtype, *(int(d) for d in dims.split('x')))
    plan.layout = [(kind, int(at), int(size)) for kind, at, size in (b.split(':') for b in layout)]
    return ('ok ' + getattr(plan, 'note', '')).strip()

def call(number):
    plan = plans[number]
    for i, kind, memory in slices(plan):
        plan.load(i, memory)  # outputs too: they arrive poisoned
    plan.call()
    plan.finish()
    for i, kind, memory in slices(plan):
        if kind == 'out':
            plan.store(i, memory)
    return 'ok'

def timed(number, calls):
    plan, run, calls = plans[number], plans[number].call, int(calls)
    many = getattr(plan, 'calls', None)
    cpu = time.process_time_ns()
    start = time.monotonic_ns()
    if many is not None:
        many(calls)
    else:
        for _ in range(calls):
            run()
    plan.finish()
    end = time.monotonic_ns()
    return f'ok {start} {end} {time.process_time_ns() - cpu}'

def release(number):
    plan = plans.pop(number)
    if hasattr(plan, 'close'):
        plan.close()
    return 'ok'

plans, scope = {}, {}
verbs = {'prepare': prepare, 'call': call, 'time': timed, 'release': release}
try:
    exec(sys.argv[1], scope)
    answer('ready')
except BaseException as error:
    answer(f'error {type(error).__name__}: {error}')
    sys.exit(1)
for line in sys.stdin:
    verb, *words = line.split()
    if verb == 'quit':
        break
    try:
        answer(verbs[verb](*words))
    except Exception as error:
        answer(f'error {type(error).__name__}: {error}')
)py";

std::string find_program(const std::string& name) {
  if (name.find('/') != name.npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = folder + "/" + name;
    if (!folder.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

/// "1.24.2" of a neighbour "numpy-1.24.2.dist-info" or "numpy-1.24.2.egg-info"; empty if none. A part of a shared
/// package ("nvidia/dali") may be built for a CUDA: "nvidia_dali_cuda120-2.4.0.dist-info".
std::string version_of(const fs::path& packages, std::string package) {
  std::replace(package.begin(), package.end(), '/', '_');
  for (const fs::path& entry : entries_of(packages)) {
    const std::string name = entry.filename();
    const size_t dash = name.find('-');
    const std::string stem = name.substr(0, dash);
    if (dash == name.npos || (stem != package && stem.rfind(package + "_cuda", 0) != 0)) continue;
    const size_t begin = dash + 1;
    for (const char* ending : {".dist-info", ".egg-info"}) {
      const size_t end = name.find(ending);
      if (end == name.npos) continue;
      return name.substr(begin, std::min(end, name.find("-py")) - begin);
    }
  }
  return "";
}

}  // namespace

const Python& Python::here() {
  static const Python python;
  return python;
}

Python::Python() {
  const char* chosen = std::getenv("RIDGE_PYTHON");
  name_ = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
  program_ = find_program(name_);
  if (program_.empty()) {
    reason_ = has_programs() ? "there is no " + name_ : "a page in a browser starts no " + name_;
    return;
  }
  Child child(name_, {program_, "-c", kFolders}, {}, false);
  const auto folders = child.receive();
  if (!folders) {
    reason_ = folders.error().what;
    return;
  }
  std::istringstream list(*folders);
  for (std::string folder; std::getline(list, folder, '\0');) folders_.push_back(folder);
}

bool Python::find(const std::string& package, const std::string& part, const std::string& floor,
                  PythonPackage* found, std::string* reason) const {
  if (!reason_.empty()) {
    *reason = reason_;
    return false;
  }
  for (const std::string& folder : folders_) {
    const fs::path path = fs::path(folder) / package;
    std::error_code error;
    if (!fs::exists(path / "__init__.py", error)) continue;
    *found = {version_of(folder, package), path};
    if (!part.empty() && !fs::exists(path / part, error)) {
      *reason = name_ + "'s " + package + " has no " + part;
      return false;
    }
    if (!is_older(found->version, floor)) return true;
    *reason = name_ + "'s " + package + " is " + found->version + "; " + floor +
              " is the oldest to compare with";
    return false;
  }
  *reason = name_ + " has no " + package;
  return false;
}

std::vector<std::string> Python::serve_command(const std::string& script) const {
  return {program_, "-c", kServe, script};
}

bool is_older(const std::string& one, const std::string& other) {
  if (one.empty()) return false;
  std::istringstream numbers(one), wanted(other);
  for (std::string want; std::getline(wanted, want, '.');) {
    std::string number;
    std::getline(numbers, number, '.');
    const int has = std::atoi(number.c_str()), needs = std::atoi(want.c_str());
    if (has != needs) return has < needs;
  }
  return false;
}

}  // namespace ridge::measure
