// ridgepoint serve RUNG: a queue of requests before a step, and the load that its p99 allows.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/record/params.h"
#include "common/record/serving.h"
#include "common/view/chart/serving.h"

namespace ridge::app {
namespace {

struct ServeOptions {
  std::string kernel, out;
  std::vector<std::string> set;
  ServeAsked asked;
  double wait_ms = 0, limit_ms = 100;
};

std::string text_of(const Serving& found) {
  const chart::ChartModel model = chart::serving_chart(&found);
  std::vector<size_t> widths;
  std::string text =
      fmt::format("{}  {}\n", found.kernel, params_in_words(found.kernel, found.params));
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
  request.type = RequestType::serve;
  request.serve = options.asked;
  request.serve.wait_s = options.wait_ms * 1e-3, request.serve.limit_s = options.limit_ms * 1e-3;
  RIDGE_TRY(const Params given, parse_params(options.set));
  RIDGE_TRY(const std::string kernel, driver.find_kernel(options.kernel));
  request.kernels.push_back({kernel, given});
  for (const Lab* lab : all_labs()) {
    if (find_rung(*lab, request.kernels.front().kernel)) request.lab = lab->id;
  }
  int64_t id = 0;
  RIDGE_TRY_VOID(driver.carry_out(std::move(request), &id));
  const auto& all = driver.run().servings();
  if (!all.empty() && all.back().request == id) return all.back();
  return Error{ErrorCode::worker, "the worker sent no answer", options.kernel, "update the worker"};
}

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

Command setup_serve(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<ServeOptions>();
  command.add_option("kernel", options->kernel, "a rung: decode.cpu.split")->required();
  command.add_option("--batch-limit", options->asked.batch_limit, "max requests in a step");
  command.add_option("--wait-ms", options->wait_ms,
                     "how long an idle machine waits for more requests");
  command.add_option("--limit-ms", options->limit_ms, "limit for the p99 latency of a request");
  command.add_option("--requests", options->asked.requests,
                     "requests at each load; a p99 needs 299");
  command.add_option("--prompt", options->asked.prompt, "keys in the cache at the start");
  command.add_option("--tokens", options->asked.tokens, "tokens per request");
  command.add_option("--seed", options->asked.seed, "seed of the arrival times");
  one_at_a_time(command.add_option("--load", options->asked.loads, "requests a second (repeat)"));
  one_at_a_time(command.add_option("--set", options->set, "a parameter: heads=32 (repeat)"));
  command.add_option("--out", options->out, "save the run: RUN.jsonl");
  return [options, &common] { return cmd_serve(common, *options); };
}

RIDGE_COMMAND(serve, .about = "measure latency against load: a queue before a decode step",
              .group = CommandGroup::measure,
              .use =
                  "Puts a queue of requests before a decode step and measures how long requests "
                  "wait at each load.",
              .examples = {{"serve decode.cpu.split", "at loads that fit this machine"},
                           {"serve decode.cpu.split --load 5 --load 10 --limit-ms 500",
                            "at two loads, with a limit for the p99"}},
              .place = 100, .level = Level::kBench, .schema = "", .setup = setup_serve);

}  // namespace
}  // namespace ridge::app
