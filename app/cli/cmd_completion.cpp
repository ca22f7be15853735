// ridgepoint completion bash|zsh|fish: a script that teaches the shell the commands, their options, and the names of
// labs and rungs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/cli/command_table.h"
#include "app/query/editing.h"
#include "app/query/terminal.h"
#include "app/study/tour.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

using Words = std::vector<std::string>;

Words lab_ids() {
  Words ids;
  for (const Lab* lab : all_labs()) ids.emplace_back(lab->id);
  return ids;
}

Words kernel_ids() {
  Words ids;
  for (const Lab* lab : all_labs()) {
    for (const Rung& rung : lab->rungs) ids.emplace_back(rung.kernel);
  }
  return ids;
}

/// "n=": what --set takes.
Words param_words(const Lab& lab) {
  Words names;
  for (const ParamView& param : lab.params) names.push_back(std::string(param.name) + "=");
  return names;
}

Words exercise_names() {
  Words names;
  for (const Exercise& one : known_exercises()) names.push_back(one.name);
  return names;
}

/// As --rungs takes them: the end of the id where no other rung of the lab has it, else the id.
Words rung_names(const Lab& lab) {
  Words names;
  for (const Rung& rung : lab.rungs) {
    const std::string id = rung.kernel, end = id.substr(id.rfind('.') + 1);
    names.push_back(rungs_named(lab, end).size() == 1 ? end : id);
  }
  return names;
}

std::string joined(const Words& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

Words option_names(const std::vector<OptionRow>& options) {
  Words names;
  for (const OptionRow& option : options) {
    if (option.is_named) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

/// What can be named without an option: "ridgepoint run gemm".
template <class Print>
std::string each_place(const CommandTable& table, const Print& print) {
  std::string text;
  for (const CommandRow& command : table.commands) {
    for (const OptionRow& option : command.options) {
      if (!option.is_named && option.takes != Takes::text) text += print(command, option);
    }
  }
  return text;
}

// ---- bash and zsh: the lists are the same functions, and only what asks them differs -----------

/// What prints the names that an option or a place takes; nothing: the shell knows files by itself.
std::string printer_of(const OptionRow& option) {
  switch (option.takes) {
    case Takes::nothing:
    case Takes::text:
      return ":";
    case Takes::choices:
      return "echo " + joined(option.choices);
    case Takes::lab:
      return "_ridgepoint_labs";
    case Takes::rung:
      return "_ridgepoint_rungs \"$2\"";
    case Takes::kernel:
      return "_ridgepoint_rungs";
    case Takes::param:
      return "_ridgepoint_params \"$2\"";
    case Takes::exercise:
      return "echo " + joined(exercise_names());
    case Takes::tour:
      return "echo " + joined(study::tour_ids());
  }
  return ":";
}

/// "run:--mode" and its like, by what prints their values.
using Cases = std::map<std::string, Words>;

void add_cases(const std::string& command, const std::vector<OptionRow>& options, Cases* cases) {
  for (const OptionRow& option : options) {
    if (!option.is_named || option.takes == Takes::nothing) continue;
    for (const std::string& name : option.names)
      (*cases)[printer_of(option)].push_back(command + ":" + name);
  }
}

std::string value_cases(const CommandTable& table) {
  Cases cases;
  for (const CommandRow& command : table.commands) add_cases(command.name, command.options, &cases);
  add_cases("*", table.common, &cases);
  std::string text;
  for (const auto& [printer, patterns] : cases)
    text += fmt::format("    {}) {} ;;\n", fmt::join(patterns, "|"), printer);
  return text;
}

std::string option_cases(const CommandTable& table) {
  std::string text;
  for (const CommandRow& command : table.commands) {
    const Words names = option_names(command.options);
    if (!names.empty()) text += fmt::format("    {}) echo {} ;;\n", command.name, joined(names));
  }
  return text;
}

std::string shell_lists(const CommandTable& table) {
  Words commands;
  for (const CommandRow& command : table.commands) commands.push_back(command.name);
  std::string rungs;
  for (const Lab* lab : all_labs())
    rungs += fmt::format("    {}) echo {} ;;\n", lab->id, joined(rung_names(*lab)));
  std::string params;
  for (const Lab* lab : all_labs())
    params += fmt::format("    {}) echo {} ;;\n", lab->id, joined(param_words(*lab)));
  std::map<std::string, std::string> printers;  // a command may have several places
  each_place(table, [&](const CommandRow& command, const OptionRow& option) {
    std::string& all = printers[command.name];
    all += (all.empty() ? "" : "; ") + printer_of(option);
    return "";
  });
  std::string places;
  for (const auto& [command, all] : printers)
    places += fmt::format("    {}) {} ;;\n", command, all);
  return "_ridgepoint_commands() { echo " + joined(commands) + "; }\n" +
         "_ridgepoint_labs() { echo " + joined(lab_ids()) + "; }\n" +
         "# LAB: its rungs as --rungs takes them; without a lab all by their whole ids.\n" +
         "_ridgepoint_rungs() {\n  case \"$1\" in\n" + rungs + "    *) echo " +
         joined(kernel_ids()) + " ;;\n  esac\n}\n" + "# LAB: what --set takes.\n" +
         "_ridgepoint_params() {\n  case \"$1\" in\n" + params + "  esac\n}\n" +
         "# COMMAND: its options, and those of all commands.\n" +
         "_ridgepoint_options() {\n  echo " + joined(option_names(table.common)) +
         "\n  case \"$1\" in\n" + option_cases(table) + "  esac\n}\n" +
         "# COMMAND:OPTION LAB: the values there are; fails where the option takes none.\n" +
         "_ridgepoint_values() {\n  case \"$1\" in\n" + value_cases(table) +
         "    *) return 1 ;;\n  esac\n}\n" + "# COMMAND: what it takes without an option.\n" +
         "_ridgepoint_places() {\n  case \"$1\" in\n    '') _ridgepoint_commands ;;\n" + places +
         "  esac\n}\n";
}

constexpr const char* kBash = R"(
_ridgepoint() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local command= lab= before= word words
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " $(_ridgepoint_commands) " in *" $word "*) command=${command:-$word} ;; esac
    case " $(_ridgepoint_labs) " in *" $word "*) lab=${lab:-$word} ;; esac
  done
  if words=$(_ridgepoint_values "$command:$prev" "$lab"); then
    case $cur in *,*) before=${cur%,*}, ;; esac
  elif [[ $cur == -* ]]; then
    words=$(_ridgepoint_options "$command")
  else
    words=$(_ridgepoint_places "$command")
  fi
  COMPREPLY=($(compgen -P "$before" -W "$words" -- "${cur##*,}"))
  case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -F _ridgepoint ridgepoint
)";

constexpr const char* kZsh = R"(
_ridgepoint() {
  local cur=${words[CURRENT]} prev=${words[CURRENT - 1]} command= lab= word found
  for word in ${words[2,CURRENT - 1]}; do
    case " $(_ridgepoint_commands) " in *" $word "*) command=${command:-$word} ;; esac
    case " $(_ridgepoint_labs) " in *" $word "*) lab=${lab:-$word} ;; esac
  done
  if found=$(_ridgepoint_values "$command:$prev" "$lab"); then
    compset -P '*,'
  elif [[ $cur == -* ]]; then
    found=$(_ridgepoint_options "$command")
  else
    found=$(_ridgepoint_places "$command")
  fi
  if [[ $found == *= ]]; then compadd -S '' -- ${=found}
  elif [[ -n $found ]]; then compadd -- ${=found}; else _files; fi
}
compdef _ridgepoint ridgepoint
)";

std::string bash_script(const CommandTable& table) {
  return "# ridgepoint for bash: source <(ridgepoint completion bash)\n" + shell_lists(table) +
         kBash;
}

std::string zsh_script(const CommandTable& table) {
  return "# ridgepoint for zsh, after compinit: source <(ridgepoint completion zsh)\n" +
         shell_lists(table) + kZsh;
}

// ---- fish --------------------------------------------------------------------------------------

std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return "'" + safe + "'";
}

std::string fish_values(const OptionRow& option) {
  switch (option.takes) {
    case Takes::nothing:
      return "";
    case Takes::text:
      return " -r";
    case Takes::choices:
      return " -x -a " + quoted(joined(option.choices));
    case Takes::lab:
      return " -x -a " + quoted(joined(lab_ids()));
    case Takes::rung:
      return option.is_list ? " -x -a '(__fish_complete_list , __ridgepoint_rungs)'"
                            : " -x -a '(__ridgepoint_rungs)'";
    case Takes::kernel:
      return " -x -a " + quoted(joined(kernel_ids()));
    case Takes::param:
      return " -x -a '(__ridgepoint_params)'";
    case Takes::exercise:
      return " -x -a " + quoted(joined(exercise_names()));
    case Takes::tour:
      return " -x -a " + quoted(joined(study::tour_ids()));
  }
  return "";
}

std::string fish_options(const std::string& when, const std::vector<OptionRow>& options) {
  std::string text;
  for (const OptionRow& option : options) {
    if (!option.is_named) continue;
    std::string names;
    for (const std::string& name : option.names)
      names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += fmt::format("complete -c ridgepoint{}{}{} -d {}\n", when, names, fish_values(option),
                        quoted(option.about));
  }
  return text;
}

std::string fish_script(const CommandTable& table) {
  std::string text =
      "# ridgepoint for fish: ridgepoint completion fish | source\n"
      "function __ridgepoint_rungs\n  for word in (commandline -opc)\n    switch $word\n";
  for (const Lab* lab : all_labs()) {
    text += fmt::format("      case {}\n        printf '%s\\n' {}\n        return\n", lab->id,
                        joined(rung_names(*lab)));
  }
  text += "    end\n  end\n  printf '%s\\n' " + joined(kernel_ids()) + "\nend\n";
  text += "function __ridgepoint_params\n  for word in (commandline -opc)\n    switch $word\n";
  for (const Lab* lab : all_labs()) {
    text += fmt::format("      case {}\n        printf '%s\\n' {}\n        return\n", lab->id,
                        joined(param_words(*lab)));
  }
  text += "    end\n  end\nend\n";
  text += fish_options("", table.common);
  for (const CommandRow& command : table.commands) {
    text += fmt::format("complete -c ridgepoint -n __fish_use_subcommand -a {} -d {}\n",
                        command.name, quoted(command.about));
    text += fish_options(" -n '__fish_seen_subcommand_from " + command.name + "'", command.options);
  }
  return text + each_place(table, [](const CommandRow& command, const OptionRow& option) {
           return fmt::format("complete -c ridgepoint -n '__fish_seen_subcommand_from {}'{}\n",
                              command.name, fish_values(option));
         });
}

int cmd_completion(const CLI::App& command, const std::string& shell) {
  const CommandTable table = command_table(command);
  write_out(shell == "fish"  ? fish_script(table)
            : shell == "zsh" ? zsh_script(table)
                             : bash_script(table));
  return 0;
}

Command setup_completion(CLI::App& command, const CommonOptions&) {
  const auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [shell, &command] { return cmd_completion(command, *shell); };
}

RIDGE_COMMAND(completion, .about = "what a shell completes: commands, options, labs, rungs",
              .group = CommandGroup::shell,
              .use =
                  "Prints a script that teaches your shell to complete commands, options, labs and "
                  "rungs with the Tab key.",
              .examples = {{"completion bash",
                            "read it with: source <(ridgepoint completion bash)"}},
              .place = 160, .level = Level::kLab, .schema = "", .setup = setup_completion);

}  // namespace
}  // namespace ridge::app
