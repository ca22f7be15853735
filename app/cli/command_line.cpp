// Reads the command line and runs one command; without one, the window where there is a display, else the first lab's
// ladder in the terminal. Compiled with the commands, because CLI11 is slow to compile.
#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "app/cli/driver.h"
#include "app/query/reporting.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/core/build_info.h"
#include "common/core/nearest.h"
#include "common/view/chart/serving.h"
#include "labs/lab.h"
#ifdef RIDGE_HAS_WINDOW
#include "app/window/shell/window.h"
#endif

namespace ridge::app {
namespace {

// ---- without a command -------------------------------------------------------------------------

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value && *value) return true;
  }
  return false;
}

int climb_in_terminal(const CommonOptions& common) {
  if (all_labs().empty()) {
    return fail(common, {ErrorCode::unavailable, "this program was built without labs", "", ""});
  }
  const Lab* climbing = short_climb_lab();
  const Lab& first = climbing ? *climbing : *all_labs().front();
  MeasureOptions options;
  options.lab = first.id;
  options.mode = RunMode::live;  // a first look; `run` measures
  const auto folder = make_report_folder(report_root(), options.lab);
  if (!folder) return fail(common, folder.error());
  options.out = *folder + "/run.jsonl";
  complain("no display: climbing the ladder of lab " + options.lab + " here");
  const Measured measured =
      measure(common, options, RequestType::run,
              [](const Lab& lab, const Run& run, const Params&, const std::vector<std::string>&) {
                return first_look(lab, run);
              });
  if (measured.request == 0) {
    std::error_code ignored;
    std::filesystem::remove(*folder, ignored);  // empty; else it stays
    return fail(common, *measured.error);
  }
  const Run& run = measured.driver->run();
  if (common.json) {
    print_json(json_of(measured));
  } else {
    print(results_text(run, measured.request, measured.selection.not_run));
  }
  const std::string page = *folder + "/report.html";
  const auto written = write_run_report(run, "run.jsonl", page);
  complain(written ? "report: " + page : "no report: " + written.error().sentence());
  return finish_command(common, options, measured,
                        run_exit_code(run, measured.request, *measured.lab));
}

int show_saved(const CommonOptions& common) {
  auto session = Session::replay(common.replay);
  if (!session) return fail(common, session.error());
  const Run& run = (*session)->run();
  if (common.json) {
    print_json(document(run));
  } else {
    print(results_text(run, 0, {}) + "\n" + comparisons_text(run, 0));
    for (const Serving& serving : run.servings()) print(chart::serving_text(serving) + "\n");
  }
  return 0;
}

/// Opens the window where there is a display. Else shows the saved run, or climbs the first lab's ladder in the
/// terminal and leaves a report. Returns the exit code.
int open(const CommonOptions& common) {
#ifdef RIDGE_HAS_WINDOW
  if (has_display() && !common.json) {
    window::WindowOptions options;
    options.replay = common.replay;
    options.presenter = common.presenter;
    if (!common.worker.empty()) {
      auto command = split_command(common.worker);
      if (!command) return fail(common, command.error());
      options.worker_command = *std::move(command);
    }
    return window::open_window(options);
  }
#else
  (void)has_display;
#endif
  return common.replay.empty() ? climb_in_terminal(common) : show_saved(common);
}

// ---- the command line --------------------------------------------------------------------------

constexpr const char* kHelp = "ridgepoint --help";

constexpr const char* kFooter =
    "Exit codes: 0 done (compare: faster or same), 1 slower, 2 unresolved, 3 invalid or a failed\n"
    "check, 64 usage, 65 bad input file, 69 nothing on this machine can run that, 70 worker "
    "failed,\n"
    "73 cannot write, 130 cancelled.";

/// Under the commands of --help: where a newcomer begins.
constexpr const char* kFirstSteps =
    "First steps:\n"
    "  ridgepoint                            the window; without a display a first climb here\n"
    "  ridgepoint list                       the labs\n"
    "  ridgepoint run gemm --set n=256 --mode live --out run.jsonl\n"
    "                                        a lab's rungs, checked and timed in seconds\n"
    "  ridgepoint report run.jsonl --out report.html\n"
    "                                        what that run says, as a page\n"
    "  ridgepoint compare gemm --baseline naive_o3 --candidate packed_avx2 --set n=256\n"
    "                                        two of its rungs in turns, with a verdict\n\n";

/// Without what the parser's own would add for those who wrote the options: "--no-sustained{false}", "RUN(1x)".
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    const std::string name = CLI::Formatter::make_option_name(option, is_positional);
    return name.substr(0, name.find('{'));
  }
  /// A list whose values are given one at a time reads as one value: "--name TEXT", and its help says that it repeats.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    const size_t dots = text.find(" ...");
    if (dots != std::string::npos && !option->get_allow_extra_args()) text.erase(dots, 4);
    return text;
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    std::string name = make_option_name(option, true);
    if (option->get_expected_max() > 1) name += "...";
    return option->get_required() ? name : "[" + name + "]";
  }
};

void add_common(CLI::App* app, CommonOptions* common) {
  app->formatter(std::make_shared<HelpFormatter>());
  app->footer(kFooter);
  app->fallthrough();
  app->require_subcommand(0, 1);
  app->set_version_flag("--version", version_line("ridgepoint"), "print the version");
  app->add_flag("--json", common->json, "print one JSON document (docs/schema)");
  app->add_option("--worker", common->worker,
                  "launch command, e.g. \"ssh -T gpubox ridgepoint-worker --stdio\"");
  app->add_option("--replay", common->replay, "show a saved run: RUN.jsonl");
  app->add_option("RUN", common->open, "a saved run to open: the same as --replay RUN.jsonl");
  app->add_flag("--presenter", common->presenter, "open the window in presenter mode");
}

/// The first word where it names neither a command nor a file: more likely a mistyped command.
std::optional<Error> mistyped_command(const CLI::App& app) {
  const std::vector<std::string>& words = app.get_option("RUN")->results();
  if (!app.get_subcommands().empty() || words.empty() || std::filesystem::exists(words.front()))
    return {};
  std::vector<std::string> names;
  for (const CommandDesc* desc : all_commands()) names.emplace_back(desc->name);
  for (const Lab* lab : all_labs()) {
    if (words.front() != lab->id) continue;
    return Error{ErrorCode::usage, "'" + words.front() + "' is a lab, and no command", "",
                 "measure its rungs with 'ridgepoint run " + words.front() +
                     "', or see 'ridgepoint list " + words.front() + "'"};
  }
  const bool is_near = !nearest(words.front(), names).empty();
  return Error{
      ErrorCode::usage, "'" + words.front() + "' is neither a command nor a saved run that exists",
      "", is_near ? name_hint(words.front(), names, kHelp) : "see '" + std::string(kHelp) + "'"};
}

/// "ridgepoint run --help": of the command that the line names, else of all.
std::string help_of(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? kHelp : "ridgepoint " + chosen.front()->get_name() + " --help";
}

/// The first option that neither the command nor the program has.
std::optional<Error> mistyped_option(const CLI::App& app) {
  std::vector<const CLI::App*> all = {&app};
  for (const CLI::App* command : app.get_subcommands()) all.push_back(command);
  std::vector<std::string> names;
  for (const CLI::App* one : all) {
    for (const CLI::Option* option : one->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  for (const std::string& word : app.remaining(true)) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || name == "--") continue;
    return Error{ErrorCode::usage, "there is no option '" + name + "'", "",
                 name_hint(name, names, help_of(app))};
  }
  return {};
}

/// The option whose value stands before `word`: "--candidate" in "--candidate a b"; empty: none does.
std::string option_before(const std::vector<char*>& words, const std::string& word) {
  for (size_t i = 2; i < words.size(); ++i) {
    if (word == words[i] && std::string_view(words[i - 2]).starts_with("--")) return words[i - 2];
  }
  return "";
}

/// What is wrong with a saved run in the command line: it is opened, and few commands take one as well.
std::optional<Error> error_in(const CLI::App& app, const std::vector<char*>& words,
                              const CommonOptions& common, const CommandDesc* chosen) {
  if (!common.open.empty() && chosen) {
    const std::string option = option_before(words, common.open);
    const bool is_param = option.empty() && common.open.find('=') != std::string::npos;
    const std::string again = is_param ? "a parameter is set with --set " + common.open + "; "
                              : !option.empty()
                                  ? "an option takes one value: give " + option + " once more; "
                                  : "";
    return Error{ErrorCode::usage, "'" + common.open + "' is one word too many", chosen->name,
                 again + "see '" + help_of(app) + "'"};
  }
  if (!common.replay.empty() && chosen && !chosen->takes_replay) {
    return Error{ErrorCode::usage, "a saved run is shown by the window and by shot", "--replay",
                 "use 'ridgepoint report RUN.jsonl' for its report"};
  }
  return {};
}

/// The exit code of the command that was asked for.
int run_command(int argc, char** argv) {
  CommonOptions common;
  CLI::App app{"Ridgepoint: climb a ladder of kernels and see what each step bought.",
               "ridgepoint"};
  add_common(&app, &common);
  const CommandDesc* chosen = nullptr;
  Command run = [&] { return open(common); };
  for (const CommandDesc* desc : all_commands()) {
    CLI::App* command = app.add_subcommand(desc->name, desc->about);
    command->callback([&chosen, &run, desc, its_run = desc->setup(*command, common)] {
      chosen = desc;
      run = its_run;
    });
  }
  app.footer(kFirstSteps + std::string(kFooter));  // the commands have taken over the codes alone
  // "help" and "help run", as other programs have it.
  std::vector<char*> words(argv, argv + argc);
  static char help_flag[] = "--help";
  if (argc > 1 && std::strcmp(argv[1], "help") == 0) {
    words.erase(words.begin() + 1);
    words.push_back(help_flag);
  }
  // An error in the command line is a document too, whatever stands before --json.
  for (int i = 1; i < argc; ++i) common.json |= std::strcmp(argv[i], "--json") == 0;
  try {
    app.parse(argc, words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream help;
      const int code = app.exit(error, help);
      write_out(help.str());
      return code;
    }
    // "rn gemm": what the parser says of "gemm" would lead astray.
    auto mistyped = mistyped_command(app);
    if (!mistyped) mistyped = mistyped_option(app);
    return fail(common,
                mistyped ? *mistyped
                         : Error{ErrorCode::usage, error.what(), "", "see '" + help_of(app) + "'"});
  }
  if (const auto error = mistyped_command(app)) return fail(common, *error);
  if (const auto error = error_in(app, words, common, chosen)) return fail(common, *error);
  if (!common.open.empty()) common.replay = common.open;
  return run();
}

}  // namespace

int run_command_line(int argc, char** argv) {
  guard_standard_streams();
  const int code = run_command(argc, argv);
  const auto unwritten = output_error();
  return unwritten ? fail({}, *unwritten) : code;
}

}  // namespace ridge::app
