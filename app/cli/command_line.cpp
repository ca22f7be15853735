// Reads the command line and runs one command; without one, the window where there is a display. Compiled with the
// commands, because CLI11 is slow to compile.
#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "app/cli/command_table.h"
#include "app/cli/driver.h"
#include "app/cli/help.h"
#include "app/query/reporting.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/core/build_info.h"
#include "common/core/nearest.h"
#include "labs/lab.h"
#ifdef RIDGE_HAS_WINDOW
#include "app/window/shell/window.h"
#endif

namespace ridge::app {
namespace {

constexpr const char* kHelp = "ridgepoint --help";

// ---- without a command -------------------------------------------------------------------------

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value && *value) return true;
  }
  return false;
}

/// What bare `ridgepoint` does where no window can be opened: it measures and writes nothing that was not asked for.
int say_no_window(const CommonOptions& common) {
  const Lab* climbing = short_climb_lab();
  const std::string lab = climbing ? climbing->id : "LAB";
#ifdef RIDGE_HAS_WINDOW
  const char* why =
      common.json ? "the window prints no JSON" : "there is no display for the window";
#else
  const char* why = "this ridgepoint was built without its window";
#endif
  return fail(common, {ErrorCode::unavailable, why, "",
                       "measure here with 'ridgepoint run " + lab +
                           "', read a saved run with 'ridgepoint report RUN.jsonl', or see '" +
                           kHelp + "'"});
}

int show_saved(const CommonOptions& common) {
  auto session = Session::replay(common.replay);
  if (!session) return fail(common, session.error());
  const Run& run = (*session)->run();
  if (common.json) {
    print_json(document(run));
  } else {
    print(saved_text(run));
  }
  return 0;
}

/// Opens the window where there is a display. Else shows the saved run, or says what to do instead. Returns the exit code.
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
  return common.replay.empty() ? say_no_window(common) : show_saved(common);
}

Json version_document() {
  const BuildInfo build = build_info();
  return {{"ridgepoint", 1},
          {"version", build.version},
          {"commit", build.commit},
          {"build_type", build.compiled_as()},
          {"compiler", build.compiler},
          {"cuda", build.cuda}};
}

// ---- the command line --------------------------------------------------------------------------

/// Written from the command table, as the manual page and the completions are.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    constexpr size_t kNarrowest = 40, kWidest = 100;
    const size_t width = std::clamp(terminal_width(), kNarrowest, kWidest);
    const CommandTable table = command_table(*app);
    return app->get_parent() ? command_help(table, app->get_name(), width)
                             : overview_text(table, width);
  }
};

void add_common(CLI::App* app, CommonOptions* common) {
  app->formatter(std::make_shared<HelpFormatter>());
  app->fallthrough();
  app->require_subcommand(0, 1);
  app->set_help_flag("-h,--help", "print this help");
  app->set_version_flag("--version", version_text("ridgepoint"), "print the version");
  app->add_flag("--json", common->json, "print one JSON document (docs/schema)");
  app->add_option("--worker", common->worker,
                  "launch command, e.g. \"ssh -T gpubox ridgepoint-worker --stdio\"");
  app->add_option("--replay", common->replay, "show a saved run: RUN.jsonl");
  app->add_option("RUN", common->open, "a saved run to open: the same as --replay RUN.jsonl");
  app->add_flag("--force", common->force,
                "replace the file that --out names; without it an older one is kept beside");
  app->add_flag("--presenter", common->presenter, "open the window in presenter mode");
}

/// Whether the word is a file that may be opened. A folder with a bare name, in which the program happens to be started, is none.
bool may_be_a_run(const std::string& word) {
  std::error_code error;
  const bool is_bare = word.find_first_of("./") == word.npos;
  return std::filesystem::exists(word, error) &&
         !(is_bare && std::filesystem::is_directory(word, error));
}

/// What a first word that is none of `commands` may have been meant to be: one of them, or a lab, or a file.
std::string meant_by(const std::string& word, const std::vector<std::string>& commands) {
  if (!nearest(word, commands).empty()) return name_hint(word, commands, kHelp);
  std::vector<std::string> labs;
  for (const Lab* lab : all_labs()) labs.push_back(lab->id);
  if (const auto near = nearest(word, labs); !near.empty())
    return "did you mean the lab " + labs[near.front()] + "? 'ridgepoint run " +
           labs[near.front()] + "' measures its rungs";
  const std::string help = "see '" + std::string(kHelp) + "'";
  for (const CommandDesc* desc : all_commands()) {
    if (has_words(desc->about, word))
      return "perhaps 'ridgepoint " + std::string(desc->name) + "' (" + desc->about + "), or " +
             help;
  }
  return word.find_first_of("./") == word.npos ? help : "check the path of the file, or " + help;
}

/// The first word where it names neither a command nor a file: more likely a mistyped command.
std::optional<Error> mistyped_command(const CLI::App& app) {
  const std::vector<std::string>& words = app.get_option("RUN")->results();
  if (!app.get_subcommands().empty() || words.empty() || may_be_a_run(words.front())) return {};
  std::vector<std::string> names = {"help"};
  for (const CommandDesc* desc : all_commands()) names.emplace_back(desc->name);
  for (const Lab* lab : all_labs()) {
    if (words.front() != lab->id) continue;
    return Error{ErrorCode::usage, "'" + words.front() + "' is a lab, and no command", "",
                 "measure its rungs with 'ridgepoint run " + words.front() +
                     "', or see 'ridgepoint list " + words.front() + "'"};
  }
  return Error{ErrorCode::usage,
               "'" + words.front() + "' is neither a command nor a saved run that exists", "",
               meant_by(words.front(), names)};
}

/// "help WORD" of a word that is no command.
std::optional<Error> no_help_about(int argc, char** argv) {
  const std::string_view word = argc > 2 ? argv[2] : "";
  if (word.empty() || word == "help" || word.starts_with("-")) return {};
  std::vector<std::string> names;
  for (const CommandDesc* desc : all_commands()) names.emplace_back(desc->name);
  if (std::find(names.begin(), names.end(), word) != names.end()) return {};
  const auto labs = all_labs();
  const bool is_lab =
      std::any_of(labs.begin(), labs.end(), [&](const Lab* lab) { return word == lab->id; });
  return Error{ErrorCode::usage, "there is no command '" + std::string(word) + "'", "help",
               is_lab ? "it is a lab: see 'ridgepoint list " + std::string(word) + "'"
                      : name_hint(word, names, kHelp)};
}

/// "ridgepoint run --help": of the command that the line names, else of all.
std::string help_of(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? kHelp : "ridgepoint " + chosen.front()->get_name() + " --help";
}

/// An empty word is most often a shell variable that is not set.
std::optional<Error> empty_word(const std::vector<char*>& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i][0] != '\0') continue;
    return Error{ErrorCode::usage, "a word of the command line is empty",
                 i > 1 ? std::string("after '") + words[i - 1] + "'" : "at its beginning",
                 "give it a value, or leave it out; a shell variable that is not set is empty"};
  }
  return {};
}

/// Whether a lab has a parameter of this name, and the command sets parameters. One letter can be nothing else: m and k of
/// a product stand on no control.
bool is_parameter(const CLI::App& command, const std::string& name) {
  if (!command.get_option_no_throw("--set")) return false;
  if (name.size() == 1 && name != "h") return true;
  const auto labs = all_labs();
  return std::any_of(labs.begin(), labs.end(), [&](const Lab* lab) {
    return std::any_of(lab->params.begin(), lab->params.end(),
                       [&](const ParamView& one) { return name == one.name; });
  });
}

/// The argument of a command that has this name in any case; empty: it has none.
std::string argument_named(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string argument = option->get_positional() ? option->get_name(true) : "";
    if (!argument.empty() && CLI::detail::to_lower(argument) == CLI::detail::to_lower(name))
      return argument;
  }
  return "";
}

/// What an option that is none of `names` was meant to be: a parameter, one of them, or one of another command.
std::string option_hint(const CLI::App& app, const std::string& name,
                        const std::vector<std::string>& names) {
  const auto chosen = app.get_subcommands();
  const std::string bare = name.substr(std::min(name.size(), name.find_first_not_of('-')));
  if (!chosen.empty() && is_parameter(*chosen.front(), bare))
    return bare + " is a parameter: it is set with --set " + bare + "=VALUE";
  if (const std::string argument = chosen.empty() ? "" : argument_named(*chosen.front(), bare);
      !argument.empty())
    return argument + " is an argument of '" + chosen.front()->get_name() +
           "' and no option: write its value without --" + bare;
  if (!nearest(name, names).empty()) return name_hint(name, names, help_of(app));
  const std::string help = "see '" + help_of(app) + "'";
  for (const CLI::App* other : app.get_subcommands({})) {
    if (!chosen.empty() && name.starts_with("--") && other->get_option_no_throw(name))
      return "it is an option of 'ridgepoint " + other->get_name() + "'; " + help;
  }
  return help;
}

/// The first option that neither the command nor the program has.
std::optional<Error> mistyped_option(const CLI::App& app) {
  std::vector<const CLI::App*> all;  // the command's own first: of many the first are named
  for (const CLI::App* command : app.get_subcommands()) all.push_back(command);
  all.push_back(&app);
  std::vector<std::string> names;
  for (const CLI::App* one : all) {
    for (const CLI::Option* option : one->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        const std::string written = "--" + name;  // --help is of both
        if (std::find(names.begin(), names.end(), written) == names.end()) names.push_back(written);
      }
    }
  }
  for (const std::string& word : app.remaining(true)) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("-") || name == "--" || name == "-") continue;
    return Error{ErrorCode::usage, "there is no option '" + name + "'", "",
                 option_hint(app, name, names)};
  }
  return {};
}

/// What may stand in a place: the labs, or what prints the rungs. The words about it name the rest.
std::string values_hint(const OptionRow& option) {
  if (option.takes == Takes::kernel) return "'ridgepoint list LAB' names the rungs of a lab; ";
  if (option.takes != Takes::lab) return "";
  std::vector<std::string> labs;
  for (const Lab* lab : all_labs()) labs.emplace_back(lab->id);
  return name_hint("", labs, "ridgepoint list") + "; ";
}

/// The parser says "LAB is required" and leaves it at that: what it is, which there are, and a line that works.
std::optional<Error> missing_place(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) return {};
  const CommandTable table = command_table(app);
  const auto command =
      std::find_if(table.commands.begin(), table.commands.end(),
                   [&](const CommandRow& row) { return row.name == chosen.front()->get_name(); });
  for (const CLI::Option* option : chosen.front()->get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const OptionRow row = option_row(*option);
    return Error{ErrorCode::usage, "it needs " + names_of(row) + " (" + row.about + ")",
                 command->name,
                 values_hint(row) + "for example '" + command->examples.front().line + "'"};
  }
  return {};
}

/// The parser's "1 required TEXT missing": an option that ends the line, or stands before another.
std::optional<Error> missing_value(const CLI::App& app, const std::vector<char*>& words) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const OptionRow row = option_row(*option);
      if (!row.is_named || row.takes == Takes::nothing) continue;
      for (size_t i = 1; i < words.size(); ++i) {
        const bool is_it =
            std::find(row.names.begin(), row.names.end(), words[i]) != row.names.end();
        if (!is_it || (i + 1 < words.size() && words[i + 1][0] != '-')) continue;
        return Error{ErrorCode::usage, names_of(row) + " needs a value (" + row.about + ")",
                     command->get_name(), "see '" + help_of(app) + "'"};
      }
    }
  }
  return {};
}

bool is_in_range(CLI::Option* option, std::string value) {
  const CLI::Validator* range = option->get_validator(0);
  return range == nullptr || (*range)(value).empty();
}

/// A value that the option does not take, without the parser's own marks.
std::optional<Error> wrong_value(const CLI::App& app) {
  for (CLI::App* command : app.get_subcommands()) {
    for (CLI::Option* option : command->get_options()) {
      const OptionRow row = option_row(*option);
      for (const std::string& value : option->results()) {
        const auto& known = row.choices;
        const Error error{ErrorCode::usage, "'" + value + "' is no value of " + names_of(row),
                          command->get_name(),
                          known.empty() ? "give a number " + row.range : name_hint(value, known)};
        if (!known.empty() && std::find(known.begin(), known.end(), value) == known.end())
          return error;
        if (!row.range.empty() && !is_in_range(option, value)) return error;
      }
    }
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

/// A word that the command has no place for, and the option that it may belong to.
Error one_word_too_many(const CLI::App& command, const std::vector<char*>& words,
                        const std::string& word) {
  const std::string option = option_before(words, word);
  const bool is_param = option.empty() && word.find('=') != std::string::npos;
  const bool has_sides = command.get_option_no_throw("--candidate") != nullptr;
  const std::string again =
      is_param          ? "a parameter is set with --set " + word + "; "
      : !option.empty() ? "an option takes one value: give " + option + " once more; "
      : command.get_option_no_throw("--rungs") ? "a rung is named with --rungs " + word + "; "
      : has_sides ? "the two sides are named with --baseline RUNG --candidate RUNG; "
                  : "";
  return {ErrorCode::usage, "'" + word + "' is one word too many", command.get_name(),
          again + "see 'ridgepoint " + command.get_name() + " --help'"};
}

/// Words beyond the one that may be a saved run.
std::optional<Error> extra_word(const CLI::App& app, const std::vector<char*>& words,
                                const CommonOptions& common) {
  const auto chosen = app.get_subcommands();
  const std::vector<std::string> extra = app.remaining(true);
  if (chosen.empty() || extra.empty()) return {};
  return one_word_too_many(*chosen.front(), words,
                           common.open.empty() ? extra.front() : common.open);
}

/// What is wrong with a saved run in the command line: it is opened, and few commands take one as well.
std::optional<Error> error_in(const CLI::App& app, const std::vector<char*>& words,
                              const CommonOptions& common, const CommandDesc* chosen) {
  if (!common.open.empty() && chosen)
    return one_word_too_many(*app.get_subcommand(chosen->name), words, common.open);
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
  // "help" and "help run", as other programs have it.
  std::vector<char*> words(argv, argv + argc);
  static char help_flag[] = "--help";
  if (argc > 1 && std::strcmp(argv[1], "help") == 0) {
    if (const auto error = no_help_about(argc, argv)) return fail(common, *error);
    words.erase(words.begin() + 1);
    words.push_back(help_flag);
  }
  // An error in the command line is a document too, whatever stands before --json.
  for (int i = 1; i < argc; ++i) common.json |= std::strcmp(argv[i], "--json") == 0;
  if (const auto error = empty_word(words)) return fail(common, *error);
  try {
    app.parse(argc, words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      if (common.json && error.get_name() == "CallForVersion") {
        print_json(version_document());
        return 0;
      }
      std::ostringstream help;
      const int code = app.exit(error, help);
      write_out(help.str());
      return code;
    }
    // "rn gemm": what the parser says of "gemm" would lead astray.
    auto mistyped = mistyped_command(app);
    if (!mistyped) mistyped = mistyped_option(app);
    if (!mistyped && error.get_name() == "RequiredError") mistyped = missing_place(app);
    if (!mistyped && error.get_name() == "ValidationError") mistyped = wrong_value(app);
    if (!mistyped && error.get_name() == "ArgumentMismatch") mistyped = missing_value(app, words);
    // The parser calls this error by the program's name.
    const bool has_extras = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (!mistyped && has_extras) mistyped = extra_word(app, words, common);
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
