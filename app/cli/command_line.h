// The command line: what main() hands over to. Two executables compile main.cpp, so it reads nothing else.
#pragma once

namespace ridge::app {

/// Runs the command that the command line names, or opens the window. Returns the program's exit code.
int run_command_line(int argc, char** argv);

}  // namespace ridge::app
