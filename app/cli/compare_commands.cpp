// From a command line of `ridgepoint compare` without a lab to a request that names commands. The only place that makes
// one: what runs is what was typed here.
#include <algorithm>
#include <filesystem>

#include "app/cli/driver.h"
#include "app/session/session.h"
#include "common/record/command.h"

namespace ridge::app {
namespace {

/// The first sign outside quotes that only a shell understands; 0: none.
char shell_sign(const std::string& text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (std::string_view("|;&<>()$`*").find(c) != std::string_view::npos) {
      return c;
    }
  }
  return 0;
}

/// The words of a command as they reach its process. No shell takes part: `sh -c '...'` asks for one, and is then part of
/// what is timed.
Result<std::vector<std::string>> words_of(const std::string& text, const std::string& option) {
  if (const char sign = shell_sign(text)) {
    return Error{ErrorCode::usage,
                 std::string("'") + sign + "' is for a shell, and no shell runs it", option,
                 "quote it, or write " + option + " \"sh -c '...'\""};
  }
  auto words = split_command(text);
  if (!words) {
    return Error{ErrorCode::usage, words.error().what, option,
                 text.empty() ? "give a command" : ""};
  }
  for (const std::string& word : *words) {
    if (one_line(word, word.size() + 1).find("\xef\xbf\xbd") != std::string::npos)
      return Error{ErrorCode::usage, "it is not UTF-8", option, "give it in a script's file"};
  }
  const std::string& program = words->front();
  if (program.find('=') < program.find('/')) {
    return Error{ErrorCode::usage,
                 "'" + one_line(program, 40) + "' is set by a shell, and no shell runs it", option,
                 "write env " + one_line(program, 40) + " CMD"};
  }
  return words;
}

/// Unique among `names`, for a table: the second of two like ones gets a number.
std::string unique_name(const std::string& name, const std::vector<std::string>& names) {
  std::string own = name;
  for (int count = 2; std::find(names.begin(), names.end(), own) != names.end(); ++count)
    own = name + " (" + std::to_string(count) + ")";
  return own;
}

Result<std::vector<std::string>> names_of(const MeasureOptions& options,
                                          const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& given : options.names) {
    if (given.empty() || one_line(given, kLongestGivenName) != given) {
      return Error{ErrorCode::usage, "'" + one_line(given, kLongestGivenName) + "' is no name",
                   "--name", "give one of 1 to 60 letters, without control characters"};
    }
    if (std::find(names.begin(), names.end(), given) != names.end())
      return Error{ErrorCode::usage, "two sides are called " + given, "--name", "tell them apart"};
    names.push_back(given);
  }
  if (!names.empty() && names.size() != texts.size()) {
    return Error{
        ErrorCode::usage,
        std::to_string(names.size()) + " names for " + std::to_string(texts.size()) + " sides",
        "--name", "name the baseline, then each candidate"};
  }
  for (size_t i = names.size(); i < texts.size(); ++i)
    names.push_back(unique_name(one_line(texts[i], kLongestCommandName), names));
  return names;
}

/// Libraries and commands are timed in different ways: the start of a process is part of a command's time alone.
Result<void> refuse_mixture(const std::vector<KernelRequest>& sides) {
  const auto is_library = [](const KernelRequest& side) {
    return library_word(side.command).has_value();
  };
  const auto libraries = std::count_if(sides.begin(), sides.end(), is_library);
  if (libraries == 0 || libraries == std::ssize(sides)) return {};
  return Error{ErrorCode::usage,
               "a library and a command cannot be compared: a command's time has the start of its "
               "process in it",
               "compare", "give libraries (FILE.so, .cpp or .cu) on every side, or commands"};
}

/// What only rungs have.
const char* rung_option(const MeasureOptions& options) {
  return !options.edits.empty()            ? "--edit"
         : !options.set.empty()            ? "--set"
         : options.cache != CacheMode::hot ? "--cache"
         : options.device != 0             ? "--device"
         : !options.sustained              ? "--no-sustained"
                                           : nullptr;
}

}  // namespace

Result<WorkRequest> command_request(const MeasureOptions& options) {
  if (const char* option = rung_option(options)) {
    return Error{ErrorCode::usage, std::string(option) + " is for rungs, and no lab is named",
                 "compare",
                 "name the lab of the rungs, e.g. compare gemm; without one the sides are commands "
                 "or libraries"};
  }
  if (options.baseline.empty() || options.candidates.empty()) {
    return Error{
        ErrorCode::usage, "a baseline and a candidate are needed", "compare",
        "give --baseline and --candidate: two rungs of a lab that is named first, two commands, or "
        "two libraries"};
  }
  std::vector<std::string> texts = {options.baseline};
  texts.insert(texts.end(), options.candidates.begin(), options.candidates.end());
  RIDGE_TRY(const std::vector<std::string> names, names_of(options, texts));
  WorkRequest request;
  request.type = RequestType::compare;
  request.lab = kCommandLab;
  request.margin = options.margin;
  request.limit_s = options.limit_s;
  request.rounds = options.rounds;
  request.goes_on = options.limit_s.has_value();
  RIDGE_TRY(request.budget, budget_of(options));
  RIDGE_TRY_VOID(check_budget(request.budget, RungKind::command, false));
  for (size_t i = 0; i < texts.size(); ++i) {
    KernelRequest side;
    side.kernel = command_id(names[i]);
    RIDGE_TRY(side.command, words_of(texts[i], i == 0 ? "--baseline" : "--candidate"));
    request.kernels.push_back(std::move(side));
  }
  RIDGE_TRY_VOID(refuse_mixture(request.kernels));
  if (!options.check.empty()) {
    RIDGE_TRY(request.commands.check, words_of(options.check, "--check"));
  }
  request.commands.reference = options.reference;
  request.commands.call_limit_s = options.call_limit_s.value_or(request.commands.call_limit_s);
  return request;
}

}  // namespace ridge::app
