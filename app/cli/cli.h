// What a command is, and what all commands share. A command has one file, cmd_<name>.cpp, whose last line
// registers it: help, app/run and the tests read the registry.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/core/level.h"
#include "common/core/registration.h"
#include "common/core/result.h"
#include "common/record/json.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ridge::app {

struct CommonOptions {
  bool json = false;
  std::string worker;      ///< launch command; empty: the worker beside this program
  std::string replay;      ///< a saved run
  std::string open;        ///< the same, given without a flag
  bool presenter = false;  ///< the window begins in presenter mode
  bool force = false;      ///< what --out names is replaced, not kept beside
};

/// Runs a command once its line is parsed. Returns the program's exit code: ErrorCode, or 1 for slower and
/// 2 for unresolved.
using Command = std::function<int()>;

/// What a command is for, in the order of --help.
enum class CommandGroup { start, learn, measure, report, teach, machine, contribute, shell };
const char* title_of(CommandGroup group);

/// A line that works as it stands, without the program's name, and what it does.
struct Example {
  const char *line, *about;
};

struct CommandDesc {
  const char* name;     ///< "list"; its file is cmd_list.cpp
  const char* about;    ///< one line of --help
  CommandGroup group;   ///< what it stands under in --help
  const char* use;      ///< what it is for, to someone who has not used it
  Example examples[3];  ///< at least one; those that are left have no line
  int place;  ///< within its group, smallest first; in tens, so that there is room between two
  Level level;
  /// Of the document that --json prints: "list" of docs/schema/list.schema.json; "": none is written down.
  const char* schema;
  /// Adds the command's options and says what runs it. `common` outlives the command.
  Command (*setup)(CLI::App& command, const CommonOptions& common);
  bool needs_window = false;  ///< fails in a build without one; app/run reads this line too
  bool takes_replay = false;  ///< --replay is of use to it
};

RIDGE_REGISTERED(registered_commands, ridge_commands, CommandDesc)

/// All commands in the order of --help.
std::vector<const CommandDesc*> all_commands();

/// Each use of the option takes one value: "run --set n=64 gemm" must not swallow the lab.
CLI::Option* one_at_a_time(CLI::Option* option);

/// Says the error on stderr, and with --json as a document on stdout (docs/schema/
/// error.schema.json); returns its exit code.
int fail(const CommonOptions& common, const Error& error);
/// Has `write` write `path`. A file that is there already is kept beside it, and that is said, unless --force replaces it
/// or both are alike.
Result<void> write_beside_older(const CommonOptions& common, const std::string& path,
                                const std::function<Result<void>()>& write);
/// To stdout, indented; always UTF-8.
void print_json(const Json& json);

}  // namespace ridge::app

/// The last line of a command's file: RIDGE_COMMAND(list, {.about = "labs, rungs", ...}).
#define RIDGE_COMMAND(name_, ...)                                                     \
  static constexpr ::ridge::app::CommandDesc ridge_command_##name_ = {.name = #name_, \
                                                                      __VA_ARGS__};   \
  RIDGE_REGISTER("ridge_commands", ::ridge::app::CommandDesc, ridge_command_##name_)
