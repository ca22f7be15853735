// What --help prints: the commands in their groups, or one command with its arguments, options and examples.
#pragma once

#include <string>

#include "app/cli/command_table.h"

namespace ridge::app {

/// The exit codes of all commands, in a sentence.
extern const char* const kExitCodes;

/// All commands, those that a newcomer needs first at the top; lines of at most `width` columns where words allow it.
std::string overview_text(const CommandTable& table, size_t width);
/// One command.
std::string command_help(const CommandTable& table, const std::string& command, size_t width);

}  // namespace ridge::app
