#include "common/harness/measure/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "common/record/command.h"

namespace ridge::measure {
namespace {

bool may_execute(const std::string& path) {
  struct stat about = {};
  const bool is_file = ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
  return is_file && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  const Error missing{ErrorCode::unavailable, "there is no program '" + one_line(name, 80) + "'",
                      "", "check its spelling, or give its path"};
  if (name.find('/') != std::string::npos) {
    if (may_execute(name)) return name;
    struct stat about = {};
    if (::stat(name.c_str(), &about) != 0) return missing;
    return Error{ErrorCode::unavailable, "'" + one_line(name, 80) + "' cannot be executed", "",
                 "check that it is a program (chmod +x)"};
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (may_execute(candidate)) return candidate;
  }
  return missing;
}

CommandRunner::CommandRunner(double call_limit_s, std::function<bool()> cancelled)
    : call_limit_s_(call_limit_s), starter_(call_limit_s, std::move(cancelled)) {}

Result<CommandCall> CommandRunner::run(const std::string& name,
                                       const std::vector<std::string>& words, bool is_check) {
  using Stopped = Starter::Stopped;
  RIDGE_TRY(const std::string program, find_program(words.front()));
  const Sink& out = is_check ? starter_.check_out() : starter_.out();
  out.empty();
  starter_.errors().empty();
  RIDGE_TRY(const Started started,
            starter_.begin(name, program, {words.begin() + 1, words.end()},
                           {.reads_output = is_check, .is_check = is_check}));
  Stopped why = starter_.wait(started, out, kMostCommandOutput_bytes);
  RIDGE_TRY(const Starter::End end, starter_.reap(started));
  if (why == Stopped::no && end.t_ns * 1e-9 >= call_limit_s_) why = Stopped::limit;
  const bool is_too_much = out.bytes() > kMostCommandOutput_bytes ||
                           starter_.errors().bytes() > kMostCommandOutput_bytes;
  if (why == Stopped::no && is_too_much) why = Stopped::output;  // within one look
  if (why != Stopped::no || end.reaped.status != 0)
    return starter_.ending_error(started, "a call", why, end.reaped.status);
  return CommandCall{.t_ns = end.t_ns,
                     .cpu_ns = end.reaped.cpu_ns,
                     .peak_bytes = end.reaped.peak_bytes,
                     .left_running = end.reaped.left_running};
}

Result<CommandCall> CommandRunner::call(const std::string& name,
                                        const std::vector<std::string>& words) {
  return run(name, words, false);
}

Result<void> CommandRunner::check(const std::vector<std::string>& words) {
  const auto ran = run("the check", words, true);
  if (!ran) return ran.error();
  return {};
}

}  // namespace ridge::measure
