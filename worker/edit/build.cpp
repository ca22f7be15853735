#include "worker/edit/build.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "common/core/files.h"
#include "common/harness/kernel/build_line.h"
#include "common/harness/measure/observer.h"
#include "common/harness/measure/tool.h"
#include "worker/edit/build_flags.h"
#include "worker/edit/nvcc.h"
#include "worker/edit/sandbox.h"

// What this worker was built with; set by CMakeLists.txt for this file alone.
#ifndef RIDGE_CXX
#error RIDGE_CXX, RIDGE_CXX_FLAGS, RIDGE_ISA_FLAGS and RIDGE_SOURCE_DIR belong to this file
#endif

namespace ridge::worker {

std::string source_folder() {
  namespace fs = std::filesystem;
  const char* set = std::getenv("RIDGEPOINT_SOURCE");
  if (set != nullptr && *set != '\0') return set;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share/ridgepoint/source";
  return !error && fs::is_directory(installed, error) ? installed.string() : RIDGE_SOURCE_DIR;
}

namespace {

constexpr double kLimit_s = 30;
constexpr size_t kMostMessages = 20;

using Words = std::vector<std::string>;

Error refused(std::string what, std::string hint) {
  return {ErrorCode::usage, std::move(what), "edited rung", std::move(hint)};
}

Words split(std::string_view text, char separator) {
  Words words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// Lower-case letters, digits and _: nothing that a path or a shell reads as more than a name.
bool is_plain(std::string_view name) {
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

/// The three names in RIDGE_KERNEL(family, backend, trick, ...), without white space.
Words registration_of(std::string_view text) {
  constexpr std::string_view kMacro = "\nRIDGE_KERNEL(";
  const size_t at = text.find(kMacro);
  if (at == text.npos) return {};
  Words names(1);
  for (const char c : text.substr(at + kMacro.size())) {
    if (c == ',' || c == ')') {
      if (names.size() == 3 || c == ')') break;
      names.emplace_back();
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
      names.back() += c;
    }
  }
  for (const std::string& name : names) {
    if (!is_plain(name) || name.empty()) return {};
  }
  return names.size() == 3 ? names : Words();
}

/// Of the types in .dtypes = "bf16 fp16" the one to build for: `wanted`, or the first; empty: there is one.
std::string one_dtype(std::string_view text, std::string_view wanted) {
  constexpr std::string_view kBegin = ".dtypes = \"";
  const size_t at = text.find(kBegin, std::min(text.find("\nRIDGE_KERNEL("), text.size()));
  if (at == text.npos) return "";
  const std::string_view rest = text.substr(at + kBegin.size());
  const Words types = split(rest.substr(0, rest.find('"')), ' ');
  if (types.size() < 2) return "";
  if (!std::all_of(types.begin(), types.end(), is_plain)) return "";
  const bool has = std::find(types.begin(), types.end(), wanted) != types.end();
  return has ? std::string(wanted) : types.front();
}

/// -mavx512f ... of an isa= in a build line; false for one that is unknown.
bool isa_flags(const std::string& isa, Words* flags) {
  for (const std::string& entry : split(RIDGE_ISA_FLAGS, '|')) {
    const size_t equals = entry.find('=');
    if (entry.substr(0, equals) != isa) continue;
    for (std::string& flag : split(entry.substr(equals + 1), ' ')) flags->push_back(flag);
    return true;
  }
  return isa.empty();
}

/// "isa=avx2 is none of this worker's: neon".
std::string unknown_isa(const std::string& isa) {
  std::string names;
  for (const std::string& entry : split(RIDGE_ISA_FLAGS, '|')) {
    if (entry.empty()) continue;
    names += (names.empty() ? "" : ", ") + entry.substr(0, entry.find('='));
  }
  return "isa=" + isa + " is none of this worker's: " + names;
}

/// "loop_order.cpp:23:7: error: 'x' was not declared" of GCC and Clang, "naive.cu(23): error: ..." of
/// nvcc; messages of other files keep their place in the text and have no line of the learner's.
void read_messages(const std::string& output, const std::string& file, EditBuild* build) {
  for (const std::string& line : split(output, '\n')) {
    for (const char* kind : {"error", "warning"}) {
      size_t at = line.find(std::string(": ") + kind + ": ");
      if (at == line.npos) at = line.find(std::string(": fatal ") + kind + ": ");
      if (at == line.npos || build->messages.size() >= kMostMessages) continue;
      CompileMessage message;
      message.kind = kind;
      const std::string place = line.substr(0, at);
      message.text = line.substr(line.find(": ", at + 2) + 2);
      const size_t colon = place.find_first_of(":(");
      const std::string name = place.substr(0, colon);
      const bool own = name == file;
      if (own && colon != place.npos) {
        const char* end = place.data() + place.size();
        const auto [next, error] = std::from_chars(place.data() + colon + 1, end, message.line);
        if (error == std::errc() && next != end) std::from_chars(next + 1, end, message.column);
      } else {
        message.text = place.substr(place.rfind('/') + 1) + ": " + message.text;
      }
      // Both halves of a .cu say what is wrong in both.
      const auto same = [&](const CompileMessage& m) {
        return m.line == message.line && m.text == message.text;
      };
      if (std::none_of(build->messages.begin(), build->messages.end(), same)) {
        build->messages.push_back(std::move(message));
      }
      break;
    }
  }
}

/// What the compiler is asked for, so that it says why it did not vectorise a loop. GCC's remarks name the last vector
/// width that it tried; what stopped it is in its dump.
Words remark_flags(const std::string& folder) {
#ifdef __clang__
  (void)folder;
  return {"-Rpass-missed=loop-vectorize", "-Rpass-analysis=loop-vectorize"};
#else
  return {"-fdump-tree-vect-details=" + folder + "/vectoriser.txt"};
#endif
}

#ifndef __clang__
/// Of GCC's dump: reasons that are about what was written, and not about an outer loop or one of the widths.
bool is_reason(const std::string& line) {
  constexpr const char* kReasons[] = {"for alias run-time tests exceeds",
                                      "possible dependence between data-refs",
                                      "function is not vectorizable",
                                      "relevant stmt not supported",
                                      "control flow in loop",
                                      "number of iterations cannot be computed",
                                      "unsupported use in stmt",
                                      "vectorization not profitable"};
  return std::any_of(std::begin(kReasons), std::end(kReasons),
                     [&](const char* reason) { return line.find(reason) != line.npos; });
}
#endif

/// The line of `file` that a line of the compiler's begins with; 0: it begins with none.
int line_at(const std::string& line, const std::string& file) {
  int number = 0;
  if (line.starts_with(file + ":"))
    std::from_chars(line.data() + file.size() + 1, line.data() + line.size(), number);
  return number;
}

/// Why loops of the file were not vectorised: one remark a loop, at its line.
void read_remarks(const std::string& said, const std::string& folder, const std::string& file,
                  EditBuild* build) {
  const auto add = [&](int line, const std::string& text) {
    const bool is_known = std::any_of(
        build->messages.begin(), build->messages.end(),
        [&](const CompileMessage& one) { return one.kind == "remark" && one.line == line; });
    if (!is_known && build->messages.size() < kMostMessages)
      build->messages.push_back({line, 0, "remark", text});
  };
#ifdef __clang__
  (void)folder;
  constexpr std::string_view kNot = ": remark: loop not vectorized: ";
  for (const std::string& line : split(said, '\n')) {
    const size_t at = line.find(kNot);
    const int number = at == line.npos ? 0 : line_at(line, file);
    if (number > 0)
      add(number, line.substr(at + kNot.size(), line.rfind(" [-R") - at - kNot.size()));
  }
#else
  (void)said;
  const auto dump = read_whole(folder + "/vectoriser.txt");
  std::string reason;
  for (const std::string& line : split(dump ? *dump : std::string(), '\n')) {
    constexpr std::string_view kMissed = ": missed: ";
    if (line.starts_with("Analyzing loop at ")) reason.clear();
    const size_t at = line.find(kMissed);
    const int number = at == line.npos ? 0 : line_at(line, file);
    if (number == 0) continue;
    std::string text = line.substr(at + kMissed.size());
    text.erase(0, text.find_first_not_of(' '));
    if (reason.empty() && is_reason(text)) reason = text;
    if (text.starts_with("couldn't vectorize loop") && !reason.empty()) add(number, reason);
  }
#endif
}

std::string first_error(const EditBuild& build) {
  for (const CompileMessage& message : build.messages) {
    if (message.kind != "error") continue;
    return (message.line > 0 ? "line " + std::to_string(message.line) + ": " : "") + message.text;
  }
  return "";
}

void add_words(const char* text, Words* words) {
  for (std::string& word : split(text, ' ')) words->push_back(word);
}

Words cpu_command(const EditText& edit) {
  Words command = {RIDGE_CXX};
  add_words(RIDGE_CXX_FLAGS, &command);
  isa_flags(edit.source.isa, &command);
  // Hidden: a name that the worker has too must not become the worker's.
  add_words("-Wall -fdiagnostics-color=never -pipe -fPIC -fvisibility=hidden", &command);
  return command;
}

/// "90a" stays; else what this GPU is, if it is later than what the build line asks for.
Words gpu_command(const EditText& edit, int capability) {
  const bool exact = edit.source.arch.ends_with("a");
  const int least = edit.source.arch.empty() ? 75 : std::atoi(edit.source.arch.c_str());
  Words command = {RIDGE_NVCC};
  add_words(RIDGE_NVCC_FLAGS, &command);
  const std::string arch = exact ? edit.source.arch : std::to_string(std::max(least, capability));
  // Not -arch=sm_90a: nvcc 13.0 then assembles for a plain sm_90 as well, which has no wgmma.
  command.push_back("-gencode=arch=compute_" + arch + ",code=sm_" + arch);
  add_words("-Xcompiler -fPIC,-fvisibility=hidden", &command);
  // Without the object for code on several devices, which a rung is not; and without what <cmath> has
  // beyond C's, Bessel functions and the like, of 90 kB: a third of a second of each save (a
  // standard library that does not know the name is parsed whole).
  command.push_back("-nodlink");
  // A file's kernels beside each other, the same machine code: tuned.cu's four took 1.9 s of nvcc on 16 cores, then 1.5.
  command.push_back("-split-compile=0");
  command.push_back("-D_GLIBCXX_BITS_SPECFUN_H=1");
  command.push_back("-DRIDGE_ARCH=" + std::to_string(least));
  if (exact) command.push_back("-DRIDGE_ARCH_EXACT=true");
  return command;
}

/// What the compiler is told whatever the text is.
Words compile_command(const EditText& edit, int capability) {
  Words command = edit.is_cuda ? gpu_command(edit, capability) : cpu_command(edit);
  for (const std::string& flag : edit.source.options) command.push_back(flag);
  command.push_back("-I" + source_folder());
  command.push_back("-DRIDGE_ISA=\"" + edit.source.isa + "\"");
  if (!edit.dtype.empty()) command.push_back("-DRIDGE_ONLY_DTYPE=" + edit.dtype);
  command.push_back("-DRIDGE_VARIANT=\"" + edit.variant + std::string(kEditSuffix) + "\"");
  return command;
}

/// Why nothing can be compiled here, for want of the compiler or of the source tree; empty: it can.
std::string cannot_compile(bool is_cuda) {
  if (access(RIDGE_CXX, X_OK) != 0)
    return "no C++ compiler is here: it needs g++ 12 or later as " RIDGE_CXX
           " (Debian, Ubuntu: apt-get install g++)";
  if (is_cuda && *RIDGE_NVCC == '\0') return "this worker was built without CUDA";
  if (is_cuda && access(RIDGE_NVCC, X_OK) != 0)
    return "no CUDA compiler is here: a .cu needs " RIDGE_NVCC " of the CUDA toolkit";
  if (access((source_folder() + "/common/harness/kernel/edited.h").c_str(), R_OK) == 0) return "";
  return "the headers that it includes are not in " + source_folder() +
         ", where this worker was built: build it again, or name the source tree in "
         "RIDGEPOINT_SOURCE";
}

/// What the compiler said of a failure.
std::string compile_failure(const EditBuild& build, const std::string& text) {
  const std::string error = first_error(build);
  return "it does not compile" + (error.empty() ? ": " + text.substr(0, 200) : ", " + error);
}

/// With hooks before each access a file takes several times as long as without.
constexpr double kTogetherLimit_s = 180;

bool run_compiler(const Words& command, const std::string& file,
                  const std::function<bool()>& cancelled, EditBuild* build) {
  const auto ran = measure::run_tool(command, kTogetherLimit_s, true, cancelled);
  if (!ran) return build->refuse(BuildEnd::machine, ran.error().sentence());
  read_messages(ran->text, file, build);
  return ran->code == 0 || build->refuse(BuildEnd::compile, compile_failure(*build, ran->text));
}

/// What a compiler of a learner's text may read and write; its temporary files go to the first of `folders`.
CompilerLimits compiler_limits(const std::vector<std::string>& folders) {
  CompilerLimits limits{.compilers = {RIDGE_CXX}, .headers = {}, .folders = folders};
  if (*RIDGE_NVCC != '\0') limits.compilers.push_back(RIDGE_NVCC);
  for (const char* part : {"/common", "/kernels", "/include", "/worker/emulated/device"})
    limits.headers.push_back(source_folder() + part);
  return limits;
}

/// `run` is given `command` with its temporary folder, and is carried out within limits.
Result<measure::ToolRun> run_limited(
    const std::vector<std::string>& folders, const Words& command,
    const std::function<Result<measure::ToolRun>(const Words&)>& run) {
  Words words = {"/usr/bin/env", "TMPDIR=" + folders.front()};
  words.insert(words.end(), command.begin(), command.end());
  Result<measure::ToolRun> ran = Error{ErrorCode::unavailable, "no thread for it", "", ""};
  as_compiler(compiler_limits(folders), [&] { ran = run(words); });
  return ran;
}

/// The lines with an include in <> that stand before the first line of code.
std::string system_includes(const std::string& text) {
  std::string includes;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("#include <")) {
      includes += line + "\n";
    } else if (!line.starts_with("//") && !line.starts_with("#include \"")) {
      break;
    }
  }
  return includes;
}

/// Its build line asks for an isa= that there is, and for flags that the compiler may be given.
Result<void> check_flags(const EditText& edit) {
  Words flags = edit.source.options;
  if (!edit.source.arch.empty()) flags.push_back("arch=" + edit.source.arch);
  for (const std::string& flag : flags) {
    if (is_allowed_flag(flag, edit.is_cuda)) continue;
    return refused("its build line asks for " + flag + ", which is not an allowed flag",
                   "docs/your_turn.md lists those that are");
  }
  Words ignored;
  if (isa_flags(edit.source.isa, &ignored)) return {};
  return refused(unknown_isa(edit.source.isa), "");
}

}  // namespace

Result<EditText> read_edit(std::string_view kernel, std::string_view dtype,
                           const std::string& text) {
  const Words names = registration_of(text);
  if (names.empty()) {
    for (const auto& [macro, kind] :
         {std::pair("\nRIDGE_TRAINING(", "training"), std::pair("\nRIDGE_PIPELINE(", "pipeline"),
          std::pair("\nRIDGE_TRAP(", "trap")}) {
      if (text.find(macro) == text.npos) continue;
      return refused(std::string("it registers a ") + kind +
                         ", and only kernels are built from a learner's file",
                     "compare two that the lab has, each with its settings: RUNG:name=value");
    }
    return refused("it registers no kernel",
                   "keep its last lines: RIDGE_KERNEL(family, backend, name, .launch = ...)");
  }
  EditText edit;
  edit.is_cuda = names[1] == name_of(Backend::cuda);
  edit.dtype = one_dtype(text, dtype);
  const std::string path =
      "kernels/" + names[0] + "/rungs/" + names[2] + (edit.is_cuda ? ".cu" : ".cpp");
  std::vector<KernelSource> sources = sources_of({path.c_str(), text.c_str()});
  if (sources.empty()) return refused("it registers no kernel", "");
  const std::string_view wanted = original_of(kernel);
  edit.source = sources.front();
  for (const KernelSource& source : sources) {
    if (source.id == wanted) edit.source = source;
  }
  edit.variant = edit.source.id.substr(names[0].size() + names[1].size() + names[2].size() + 2);
  if (!is_plain(edit.variant)) {
    return refused("its build line has a variant " + edit.variant.substr(1),
                   "name it in lower-case letters, digits and _");
  }
  if (!edit.source.needs.empty()) {
    return refused("its work is done by " + edit.source.needs, "edit a rung of ours");
  }
  RIDGE_TRY_VOID(check_flags(edit));
  return edit;
}

std::string artifact_path(const EditText& edit, const std::string& folder) {
  return folder + "/" + edit.id() + ".so";
}

std::string Precompiled::header(const Words& command, const std::string& first,
                                const std::string& text, const std::function<bool()>& cancelled,
                                std::future<void>* making) {
  const std::string includes = system_includes(text);
  if (includes.empty() || folder_.path().empty()) return first;
  std::string key = includes;
  for (const std::string& word : command) key += word + "\n";
  const auto [made, is_new] = made_.try_emplace(key, first);
  if (!is_new) return made->second;
  const std::string file = folder_.path() + "/" + std::to_string(made_.size()) + ".h";
  if (!write_whole(file, "#include \"" + first + "\"\n" + includes)) return first;
  Words words = command;
  for (const std::string& word :
       {std::string("-x"), std::string("c++-header"), file, std::string("-o"), file + ".gch"}) {
    words.push_back(word);
  }
  // Where it fails, at a header that is not there say, the text's own compilation says so at its line.
  const std::string folder = folder_.path();
  *making = std::async(std::launch::async, [words, file, folder, cancelled, entry = &made->second] {
    const auto ran = run_limited({folder}, words, [&](const Words& limited) {
      return measure::run_tool(limited, kLimit_s, true, cancelled);
    });
    if (ran && ran->code == 0) *entry = file;
  });
  return first;
}

bool compile_together(const std::vector<EditText>& texts, const std::string& folder,
                      const std::string& artifact, const std::vector<std::string>& compile_more,
                      const std::vector<std::string>& link_more,
                      const std::function<bool()>& cancelled, EditBuild* build) {
  const auto start = std::chrono::steady_clock::now();
  if (const std::string why = cannot_compile(false); !why.empty())
    return build->refuse(BuildEnd::machine, why);
  Words link = {RIDGE_CXX, "-shared", "-fPIC", "-Xlinker", "-Bsymbolic"};
  for (const EditText& text : texts) {
    const std::string name = text.source.path.substr(text.source.path.rfind('/') + 1);
    const std::string file = folder + "/" + name, object = file + ".o";
    if (const auto written = write_whole(file, text.source.text); !written)
      return build->refuse(BuildEnd::machine, written.error().sentence());
    Words command = compile_command(text, 0);
    command.insert(command.end(), compile_more.begin(), compile_more.end());
    const std::string first = source_folder() + "/common/harness/kernel/edited.h";
    for (const std::string& word :
         {std::string("-include"), first, std::string("-c"), file, std::string("-o"), object}) {
      command.push_back(word);
    }
    if (!run_compiler(command, file, cancelled, build)) return false;
    link.push_back(object);
  }
  link.insert(link.end(), link_more.begin(), link_more.end());
  link.insert(link.end(), {"-o", artifact});
  const bool linked = run_compiler(link, artifact, cancelled, build);
  build->compile_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return linked;
}

bool run_rung_compiler(const std::vector<std::string>& more, const std::string& folder,
                       const std::string& file, const std::function<bool()>& cancelled,
                       EditBuild* build) {
  if (const std::string why = cannot_compile(false); !why.empty())
    return build->refuse(BuildEnd::machine, why);
  Words command = cpu_command({});
  command.insert(command.end(), more.begin(), more.end());
  const auto ran = run_limited({folder}, command, [&](const Words& limited) {
    return measure::run_tool(limited, kTogetherLimit_s, true, cancelled);
  });
  if (!ran) return build->refuse(BuildEnd::machine, ran.error().sentence());
  read_messages(ran->text, file, build);
  return ran->code == 0 || build->refuse(BuildEnd::compile, compile_failure(*build, ran->text));
}

bool compile_edit(const EditText& edit, int capability, const std::string& folder,
                  Precompiled* headers, const std::function<bool()>& cancelled, EditBuild* build,
                  const std::vector<std::string>& more) {
  const auto start = std::chrono::steady_clock::now();
  if (const std::string why = cannot_compile(edit.is_cuda); !why.empty())
    return build->refuse(BuildEnd::machine, why);
  const std::string file = folder + "/" + edit.source.path.substr(edit.source.path.rfind('/') + 1);
  if (const auto written = write_whole(file, edit.source.text); !written)
    return build->refuse(BuildEnd::machine, written.error().sentence());
  Words command = compile_command(edit, capability);
  const std::string first = source_folder() + "/common/harness/kernel/edited.h";
  std::future<void> making;
  const std::string header =
      edit.is_cuda ? first : headers->header(command, first, edit.source.text, cancelled, &making);
  command.insert(command.end(), more.begin(), more.end());
  const bool asks_remarks = !edit.is_cuda && more.empty();
  if (asks_remarks) {
    for (std::string& flag : remark_flags(folder)) command.push_back(std::move(flag));
  }
  // Symbolic: bound within itself, as hidden names are.
  for (const char* word : {"-shared", "-Xlinker", "-Bsymbolic", "-include"}) {
    command.push_back(word);
  }
  for (const std::string& word : {header, file, std::string("-o"), artifact_path(edit, folder)}) {
    command.push_back(word);
  }
  const auto ran = run_limited({folder, headers->folder()}, command, [&](const Words& limited) {
    return edit.is_cuda ? run_nvcc(limited, folder, headers->folder(), kLimit_s, cancelled)
                        : measure::run_tool(limited, kLimit_s, true, cancelled);
  });
  if (making.valid()) making.wait();
  build->compile_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!ran) return build->refuse(BuildEnd::machine, ran.error().sentence());
  read_messages(ran->text, file, build);
  if (asks_remarks) read_remarks(ran->text, folder, file, build);
  if (ran->code == 0) return true;
  return build->refuse(BuildEnd::compile, compile_failure(*build, ran->text));
}

namespace {

/// What a user's own file is compiled with, as far as a reader has to know it.
Result<Words> library_command(const BuildLine& line, bool is_cuda, const std::string& file) {
  Words command = {is_cuda ? RIDGE_NVCC : RIDGE_CXX};
  add_words(is_cuda ? RIDGE_NVCC_FLAGS : RIDGE_CXX_FLAGS, &command);
  const Error refused{ErrorCode::bad_input, "", file, "docs/your_turn.md lists the flags"};
  for (const std::string& flag : line.options) {
    Error error = refused;
    error.what = "its build line asks for " + flag + ", which is not an allowed flag";
    if (!is_allowed_flag(flag, is_cuda)) return error;
  }
  if (is_cuda) {
    command.push_back(line.arch.empty()
                          ? "-arch=native"
                          : "-gencode=arch=compute_" + line.arch + ",code=sm_" + line.arch);
  } else if (!isa_flags(line.isa, &command)) {
    Error error = refused;
    error.what = unknown_isa(line.isa);
    return error;
  }
  command.insert(command.end(), line.options.begin(), line.options.end());
  return command;
}

}  // namespace

Result<BuiltLibrary> compile_library(const std::string& file, bool is_cuda,
                                     const std::string& folder,
                                     const std::function<bool()>& cancelled) {
  const std::string name = file.substr(file.rfind('/') + 1);
  if (is_cuda && *RIDGE_NVCC == '\0') {
    return Error{ErrorCode::unavailable, "this worker was built without nvcc, which compiles it",
                 name, "build the worker with CUDA, or give a .so"};
  }
  RIDGE_TRY(const std::string text, read_whole(file));
  RIDGE_TRY(Words command, library_command(build_line_of(text), is_cuda, name));
  BuiltLibrary built{
      .path = folder + "/" + std::to_string(std::hash<std::string>()(file)) + ".so",
      .how = "compiled by " + command.front().substr(command.front().rfind('/') + 1) + " with"};
  for (size_t i = 1; i < command.size(); ++i) built.how += " " + command[i];
  add_words(is_cuda ? "-Xcompiler -fPIC" : "-fPIC -fdiagnostics-color=never", &command);
  command.insert(command.end(),
                 {"-I" + source_folder() + "/include", "-shared", file, "-o", built.path});
  EditBuild build;
  const bool is_made = access(built.path.c_str(), R_OK) == 0;  // for another side of this file
  if (is_made || run_compiler(command, file, cancelled, &build)) return built;
  if (cancelled()) return measure::cancelled_error();
  const bool is_its_own = build.ended_at == BuildEnd::compile;
  return Error{is_its_own ? ErrorCode::bad_input : ErrorCode::unavailable, build.reason, name, ""};
}

}  // namespace ridge::worker
