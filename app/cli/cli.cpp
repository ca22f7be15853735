#include "app/cli/cli.h"

#include <nlohmann/json.hpp>

#include "app/query/terminal.h"

namespace ridge::app {

void print_json(const Json& json) {
  write_out(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

int fail(const CommonOptions& common, const Error& error) {
  if (common.json) print_json({{"ridgepoint", 1}, {"error", error}});
  complain("ridgepoint: " + error.sentence());
  return error.exit_code();
}

}  // namespace ridge::app
