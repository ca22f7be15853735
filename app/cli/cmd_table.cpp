// ridgepoint run LAB --table TABLE: a published table, run again row by row.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/measuring.h"
#include "app/query/published.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/record/params.h"

namespace ridge::app {

int cmd_table(const CommonOptions& common, const MeasureOptions& options) {
  const auto lab = require_lab(options.lab);
  if (!lab) return fail(common, lab.error());
  const auto table = require_table(**lab, options.table);
  if (!table) return fail(common, table.error());
  const auto given = parse_params(options.set);
  if (!given) return fail(common, given.error());
  if (!options.rungs.empty() || options.cache != "hot") {
    return fail(common, {ErrorCode::usage, "a table says itself what is run, and that hot",
                         "--table", "leave out --rungs and --cache"});
  }
  const Measured measured =
      measure(common, options, "run",
              [&](const Lab& of, const Run& run, const Params& set,
                  const std::vector<std::string>&) { return select_table(of, **table, run, set); });
  if (measured.request == 0) return fail(common, *measured.error);
  const Run& run = measured.driver->run();
  const auto recordings = load_recordings(asset_folder("recorded"), nullptr);
  const auto rows = fill_table(**table, run, measured.request, recordings, *given);
  if (common.json) {
    Json document = json_of(measured);
    document["table"] = published_json(**table, rows);
    print_json(document);
  } else {
    print(environment_text(run) +
          published_text(**table, rows, *given, std::clamp<size_t>(terminal_width(), 60, 100)));
  }
  return finish_command(common, options, measured,
                        run_exit_code(run, measured.request, *measured.lab));
}

}  // namespace ridge::app
