#include "worker/edit/nvcc.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <regex>

#include "common/harness/measure/tool.h"

namespace ridge::worker {
namespace {

using Words = std::vector<std::string>;

constexpr double kDryRunLimit_s = 10;

/// "NAME=value", as the driver prints its environment before the steps.
bool is_variable(const std::string& line) {
  const size_t end =
      line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
  return end != 0 && end != line.npos && line[end] == '=';
}

/// False where `text` has no `what`.
bool replace(std::string* text, const std::string& what, const std::string& with) {
  const size_t at = text->find(what);
  if (at == text->npos) return false;
  text->replace(at, what.size(), with);
  return true;
}

/// The word in quotes that follows `option`, with its quotes: a file, for a shell.
std::string quoted_after(const std::string& text, const std::string& option) {
  const size_t at = text.find(option + '"');
  if (at == text.npos) return "";
  const size_t begin = at + option.size();
  return text.substr(begin, text.find('"', begin + 1) + 1 - begin);
}

std::string joined(Words::const_iterator begin, Words::const_iterator end) {
  std::string steps;
  for (auto step = begin; step != end; ++step) steps += (steps.empty() ? "" : " &&\n") + *step;
  return steps;
}

/// The device's machine code for the host's compiler: that there will be some.
constexpr const char* kDeclared =
    R"(#include "fatbinary_section.h"
extern "C" __attribute__((visibility("hidden"))) const unsigned long long fatbinData[];
static const __fatBinC_Wrapper_t __fatDeviceText
    __attribute__((aligned(8), section(FATBIN_CONTROL_SECTION_NAME))) = {
        FATBINC_MAGIC, FATBINC_VERSION, fatbinData, 0};)";

/// It for the linker, in the section where cuobjdump looks for it; %s: its file.
constexpr const char* kHeld =
    R"(.section .nv_fatbin, "a"
.align 8
.globl fatbinData
.hidden fatbinData
fatbinData: .incbin "%s"
.section .note.GNU-stack
)";

/// A preprocessor's step that takes <cuda_runtime.h>, which nvcc puts first, from `ahead`: its text, a
/// megabyte, and its macros. The first such step makes them. (Its headers have guards, which are macros
/// too.) False: no such step.
bool preprocess_less(const std::string& ahead, std::string* step) {
  constexpr const char* kRuntime = "-include \"cuda_runtime.h\"";
  const std::string to = quoted_after(*step, " -o ");
  const size_t rest = step->find(kRuntime);
  if (to.empty() || rest == step->npos) return false;
  const std::string first = step->substr(0, rest);
  const std::string kept =
      "\"" + ahead + "/" + std::to_string(std::hash<std::string>()(first)) + "\"";
  replace(&*step, kRuntime, "-imacros " + kept + ".macros");
  replace(&*step, " -o " + to, " -o " + to + ".rest");
  *step = "{ [ -e " + kept + ".ii ] || { " + first + kRuntime + " -dD -m64 /dev/null -o " + kept +
          " &&\n{ echo '#pragma GCC system_header'; grep -E '^#(define|undef) ' " + kept + "; } >" +
          kept + ".macros &&\ngrep -Ev '^#(define|undef) ' " + kept + " >" + kept +
          ".text &&\nmv " + kept + ".text " + kept + ".ii; }; } &&\n" + *step + " &&\ncat " + kept +
          ".ii " + to + ".rest >" + to;
  return true;
}

/// What `dry_run` says: its environment, as lines for a shell, and its steps. False: a folder's name would end a quotation.
bool read_dry_run(const std::string& dry_run, std::string* environment, Words* steps) {
  for (size_t at = 0; at < dry_run.size();) {
    const size_t end = std::min(dry_run.find('\n', at), dry_run.size());
    const std::string line = dry_run.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("#$ ")) continue;
    const std::string said = line.substr(3);
    if (is_variable(said)) {
      if (said.find('\'') != said.npos) return false;
      const size_t equals = said.find('=');
      *environment += "export " + said.substr(0, equals) + "='" + said.substr(equals + 1) + "'\n";
    } else if (!said.starts_with("rm ")) {
      steps->push_back(said);
    }
  }
  return true;
}

}  // namespace

std::string script_of_halves(const std::string& dry_run, const std::string& module,
                             const std::string& ahead) {
  std::string script;
  Words steps;
  if (!read_dry_run(dry_run, &script, &steps)) return "";
  const auto at = [&](const char* tool) {
    return std::find_if(steps.begin(), steps.end(), [&](const std::string& step) {
      return step.substr(0, step.find(' ')).find(tool) != std::string::npos;
    });
  };
  const auto host = at("cudafe++"), device = at("cicc"), binary = at("fatbinary");
  if (host >= device || device >= binary || steps.end() - binary != 3) return "";
  const auto object = binary + 1, link = binary + 2;
  if (host - steps.begin() != 1 || device - host != 2) return "";
  if (!preprocess_less(ahead, &steps.front()) || !preprocess_less(ahead, &*(device - 1))) return "";
  const std::string module_id = quoted_after(*host, "--module_id_file_name ");
  const std::string stub = quoted_after(*device, "--stub_file_name ");
  const std::string ptx = quoted_after(*device, " -o ");
  const std::string image = quoted_after(*binary, "--create=");
  const std::string declared = quoted_after(*binary, "--embedded-fatbin=");
  for (const std::string* file : {&module_id, &stub, &ptx, &image, &declared}) {
    if (file->empty()) return "";
  }
  // One half names the module, which the other is told. So it has its name before either begins.
  if (!replace(&*host, "--gen_module_id_file ", "")) return "";
  // The host's compiler wants cicc's stub, which cicc knows early and writes when it ends. One that
  // leaves the rest of its work to the linker (-lto) ends there. It runs beside the other.
  std::string stub_alone = *device;
  replace(&stub_alone, " -o " + ptx, " -lto -o " + ptx + ".lto");
  replace(&*device, stub, stub + ".again");
  // The host's object only holds the machine code. So that goes to the linker.
  replace(&*binary, "--embedded-fatbin=" + declared, "");
  const std::string held = image + ".s", group = "-Wl,--start-group ";
  if (!replace(&*link, group, group + held + " ")) return "";
  // The C++ library is the worker's own. Half of the linker's time went into reading it.
  replace(&*link, "-Wl,--end-group", "-lm -lc -lgcc -nodefaultlibs -Wl,--end-group");
  // Three compilers run at a time. What two of them say is kept until the end, else their lines mix.
  const std::string host_said = image + ".host", device_said = image + ".device";
  return script + "trap 'cat " + host_said + " " + device_said +
         " >&2 2>/dev/null' EXIT\nprintf %s " + module + " >" + module_id + " &&\nprintf '%s\n' '" +
         kDeclared + "' >" + declared + " &&\nprintf '" + kHeld + "' " + image + " >" + held +
         " || exit\n(" + joined(steps.begin(), host + 1) + ") 2>" + host_said + " &\nhost=$!\n" +
         joined(host + 1, device) + " || { wait; exit 1; }\n(" + joined(device, binary + 1) +
         ") 2>" + device_said + " &\ndevice=$!\n" + stub_alone + " && wait $host &&\n" + *object +
         "\nobject=$?\nwait $device && [ $object = 0 ] || { wait; exit 1; }\n" + *link + "\n";
}

namespace {

/// The same steps side by side; `command` where they are not those known.
Words halves_side_by_side(const Words& command, const std::string& folder, const std::string& ahead,
                          const std::function<bool()>& cancelled) {
  Words dry = command;
  for (const char* word : {"--dryrun", "--keep", "--keep-dir"}) dry.push_back(word);
  dry.push_back(folder);
  const auto ran = measure::run_tool(dry, kDryRunLimit_s, true, cancelled);
  if (!ran || ran->code != 0) return command;
  // Any name does that no other module of the process has; the folder's is this save's alone.
  std::string module = folder;
  std::replace_if(
      module.begin(), module.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  const std::string script = script_of_halves(ran->text, module, ahead.empty() ? folder : ahead);
  const bool can_name =
      folder.find('\'') == folder.npos;  // temporary files lie in it, and nowhere else
  if (script.empty() || !can_name) return command;
  return {"/bin/sh", "-c", "export TMPDIR='" + folder + "'\n" + script};
}

/// Whether a compiler names an error with its line: "x.cu(12): error" or "x.cu:12:3: error". A linker, a shell or a
/// tool that is missing names none.
bool has_diagnostic(const std::string& text) {
  static const std::regex named(R"((\(\d+\)|:\d+): (catastrophic |fatal )?error)");
  return std::regex_search(text, named);
}

}  // namespace

Result<measure::ToolRun> run_nvcc(const Words& command, const std::string& folder,
                                  const std::string& ahead, double limit_s,
                                  const std::function<bool()>& cancelled) {
  const Words steps = halves_side_by_side(command, folder, ahead, cancelled);
  auto ran = measure::run_tool(steps, limit_s, true, cancelled);
  // An error in the text is one for nvcc as well, and is told already.
  if (steps == command || !ran || ran->code == 0 || has_diagnostic(ran->text)) return ran;
  return measure::run_tool(command, limit_s, true, cancelled);
}

}  // namespace ridge::worker
