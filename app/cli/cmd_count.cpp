// ridgepoint count RUNG: a CUDA rung on this CPU, its memory requests, conflicts, barriers and FLOP by source line, and
// its faults. No GPU, no CUDA toolkit, no time.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/counts_text.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/core/files.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

struct CountOptions {
  std::string kernel, file, out;
  std::vector<std::string> set;
};

struct Counted {
  KernelCounts counts;
  std::string source;  ///< the text whose lines these are
};

Result<Counted> count(Driver& driver, const CountOptions& options) {
  RIDGE_TRY(const Params given, parse_params(options.set));
  const std::string kernel = full_id(options.kernel);
  Counted found;
  if (!options.file.empty()) {
    RIDGE_TRY(found.source, read_whole(options.file));
  }
  RIDGE_TRY(found.counts, driver.count(kernel, given, found.source));
  if (options.file.empty()) {
    RIDGE_TRY_VOID(driver.fetch_source(kernel));
    if (const SourceText* source = driver.run().source(kernel)) found.source = source->text;
  }
  return found;
}

int cmd_count(const CommonOptions& common, const CountOptions& options) {
  auto driver = Driver::start(common, options.out);
  if (!driver) return fail(common, driver.error());
  const auto found = count(**driver, options);
  const auto saved = (*driver)->close_file();
  if (!found) return fail(common, found.error());
  if (!saved) return fail(common, saved.error());
  if (common.json)
    print_json({{"ridgepoint", 1}, {"counts", Json(found->counts)}});
  else
    print(counts_text(found->counts, found->source));
  return is_clean(found->counts) ? 0 : static_cast<int>(ErrorCode::invalid);
}

Command setup_count(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<CountOptions>();
  command.add_option("kernel", options->kernel, "a CUDA rung: gemm.cuda.naive")->required();
  one_at_a_time(command.add_option("--set", options->set,
                                   "a parameter: n=128 (repeat); without a size it is small"));
  command.add_option("--file", options->file, "a file of yours, in place of the rung's own");
  command.add_option("--out", options->out, "save the run: RUN.jsonl");
  return [options, &common] { return cmd_count(common, *options); };
}

RIDGE_COMMAND(count,
              .about = "count a CUDA rung's requests, conflicts and FLOP by line, without a GPU",
              .place = 92, .level = Level::kLearn, .schema = "", .setup = setup_count);

}  // namespace
}  // namespace ridge::app
