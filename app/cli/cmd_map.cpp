// ridgepoint map [RUN.jsonl]: the causes that can bind a rung, what settles each, what helps, and which rung shows it; of a
// saved run its own cases.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/cli.h"
#include "app/query/bottlenecks.h"
#include "app/query/terminal.h"
#include "app/session/saved_run.h"
#include "common/record/json.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

Json json_of(const std::vector<BottleneckCase>& cases) {
  Json list = Json::array();
  for (const BottleneckCase& one : cases)
    list.push_back({{"kernel", one.kernel},
                    {"params", params_to_json(one.params)},
                    {"basis", to_string(one.basis)},
                    {"evidence", one.evidence}});
  return list;
}

Json json_of(const BottleneckLine& line) {
  return {{"cause", line.entry->name},
          {"evidence", line.entry->evidence},
          {"lever", line.lever},
          {"lab", line.lab ? line.lab->id : ""},
          {"rung", line.shown ? line.shown->kernel : ""},
          {"params", params_to_json(line.set)},
          {"lever_rung", line.pulls ? line.pulls->kernel : ""},
          {"construction", line.entry->construction},
          {"cases", json_of(line.cases)}};
}

int cmd_map(const CommonOptions& common, const std::string& path) {
  std::optional<Run> run;
  if (!path.empty()) {
    auto loaded = load_saved(path);
    if (!loaded) return fail(common, loaded.error());
    run.emplace(*std::move(loaded));
  }
  const BottleneckMap map = make_bottleneck_map(run ? &*run : nullptr);
  if (!common.json) {
    print(bottleneck_map_text(map, path));
    return 0;
  }
  Json lines = Json::array();
  for (const BottleneckLine& line : map.lines) lines.push_back(json_of(line));
  print_json({{"ridgepoint", 1},
              {"run", path},
              {"map", lines},
              {"power", json_of(map.power.cases)},
              {"results", map.results},
              {"settled", map.settled},
              {"not_settled", json_of(map.open)}});
  return 0;
}

Command setup_map(CLI::App& command, const CommonOptions& common) {
  const auto path = std::make_shared<std::string>();
  command.add_option("RUN", *path, "a saved run: RUN.jsonl, whose rungs are put on the map");
  return [path, &common] { return cmd_map(common, *path); };
}

RIDGE_COMMAND(map, .about = "what can bind a rung: evidence, lever, and the rung that shows it",
              .group = CommandGroup::learn,
              .use =
                  "Lists what can bind a rung (memory, a unit of the processor, latency): what "
                  "shows it, what helps, and the rung that does.",
              .examples = {{"map", "the whole map"},
                           {"map run.jsonl", "with the rungs of a saved run on it"}},
              .place = 65, .level = Level::kLab, .schema = "", .setup = setup_map);

}  // namespace
}  // namespace ridge::app
