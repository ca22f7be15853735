// ridgepoint serve RUNG: a queue of requests before a step, and the load that its p99 allows.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/record/params.h"
#include "common/view/chart/serving.h"

namespace ridge::app {
namespace {

std::string text_of(const Serving& found) {
  const chart::ChartModel model = chart::serving_chart(&found);
  std::vector<size_t> widths;
  std::string text = fmt::format("{}  {}\n", found.kernel, to_string(found.params));
  const auto& table = model.table;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    size_t width = table.columns[c].size();
    for (const auto& row : table.rows) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  const auto add = [&](const std::vector<std::string>& cells) {
    for (size_t c = 0; c < cells.size(); ++c) text += fmt::format("{:>{}}  ", cells[c], widths[c]);
    text += "\n";
  };
  add(table.columns);
  for (const auto& row : table.rows) add(row);
  for (const std::string& line : model.legend) text += line + "\n";
  return text;
}

Result<Serving> serve(Driver& driver, const ServeOptions& options) {
  WorkRequest request;
  request.type = "serve";
  request.serve = options.asked;
  request.serve.wait_s = options.wait_ms * 1e-3, request.serve.limit_s = options.limit_ms * 1e-3;
  RIDGE_TRY(const Params given, parse_params(options.set));
  request.kernels.push_back({full_id(options.kernel), given});
  for (const Lab* lab : all_labs()) {
    if (find_rung(*lab, request.kernels.front().kernel)) request.lab = lab->id;
  }
  int64_t id = 0;
  RIDGE_TRY_VOID(driver.carry_out(std::move(request), &id));
  const auto& all = driver.run().servings();
  if (!all.empty() && all.back().request == id) return all.back();
  return Error{ErrorCode::worker, "the worker sent no answer", options.kernel, "update the worker"};
}

}  // namespace

int cmd_serve(const CommonOptions& common, const ServeOptions& options) {
  auto driver = Driver::start(common, options.out);
  if (!driver) return fail(common, driver.error());
  const auto found = serve(**driver, options);
  const auto saved = (*driver)->close_file();
  if (!found) return fail(common, found.error());
  if (!saved) return fail(common, saved.error());
  if (common.json)
    print_json({{"ridgepoint", 1}, {"serving", Json(*found)}});
  else
    print(text_of(*found));
  return 0;
}

}  // namespace ridge::app
