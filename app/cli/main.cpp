// ridgepoint. Exit codes: the footer of --help.
#include "app/cli/command_line.h"

int main(int argc, char** argv) {
  return ridge::app::run_command_line(argc, argv);
}
