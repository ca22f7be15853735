// ridgepoint. Exit codes: the footer of --help.
#include "app/cli/cli.h"
#include "app/query/terminal.h"

int main(int argc, char** argv) {
  ridge::app::guard_standard_streams();
  const int code = ridge::app::run_command_line(argc, argv);
  const auto unwritten = ridge::app::output_error();
  return unwritten ? ridge::app::fail({}, *unwritten) : code;
}
