// ridgepoint handout LAB [RUN.jsonl] --out FILE.html: one page for a reader who cannot install the program.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/driver.h"
#include "app/query/figures.h"
#include "app/query/recordings.h"
#include "app/query/reporting.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "app/session/saved_run.h"
#include "app/study/assets.h"
#include "app/study/handout.h"
#include "common/core/files.h"

namespace ridge::app {
namespace {

struct HandoutOptions {
  std::string lab, run, out;
};

void add_sources(const Run& run, study::Handout* handout) {
  for (const Rung& rung : handout->lab->rungs) {
    const SourceText* source = run.source(rung.kernel);
    if (source) handout->sources.try_emplace(rung.kernel, *source);
  }
}

/// What no run has is asked of the worker; without one the page says what is missing.
Result<void> ask_for_sources(const CommonOptions& common, study::Handout* handout) {
  std::vector<KernelRequest> missing;
  for (const Rung& rung : handout->lab->rungs) {
    if (!handout->sources.contains(rung.kernel)) missing.push_back({rung.kernel, {}});
  }
  if (missing.empty()) return {};
  RIDGE_TRY(const auto driver, Driver::start(common, ""));
  RIDGE_TRY_VOID(driver->fetch_catalogue());
  std::erase_if(missing,
                [&](const KernelRequest& one) { return !driver->run().kernel(one.kernel); });
  RIDGE_TRY_VOID(driver->fetch_sources(missing));
  add_sources(driver->run(), handout);
  return {};
}

Result<void> write_page(const std::string& path, [[maybe_unused]] const study::Handout& handout) {
  if (!path.ends_with(".html"))
    return Error{ErrorCode::usage, "a handout is a page", path, "give it the ending .html"};
#ifdef RIDGE_HAS_MARKDOWN
  return write_whole(path, study::to_html(handout));
#else
  return Error{ErrorCode::unavailable, "this ridgepoint was built without Markdown", path,
               "install libmd4c-dev and build it again"};
#endif
}

Result<void> make_handout(const CommonOptions& common, const HandoutOptions& options) {
  study::Handout handout;
  RIDGE_TRY(handout.lab, require_lab(options.lab));
  RIDGE_TRY(handout.lesson, study::read_asset(handout.lab->lesson));
  std::optional<Run> run;
  if (!options.run.empty()) {
    RIDGE_TRY(run, load_saved(options.run));
    add_sources(*run, &handout);
    const report::Input input{&*run, options.run};
    RIDGE_TRY(handout.report,
              report::build_report({&input, 1}, report_options(*handout.lab, *run)));
  }
  if (const auto asked = ask_for_sources(common, &handout); !asked)
    complain("ridgepoint: some sources are missing: " + asked.error().sentence());
  const auto recordings = load_all_recordings(nullptr);
  for (const Recording& recording : recordings) add_sources(*recording.run, &handout);
  const figure::Sources sources = figure_sources(run ? &*run : nullptr, true, recordings);
  RIDGE_TRY(const figure::Text lesson,
            figure::expand(handout.lesson, sources, handout.lab->lesson));
  handout.lesson = figure::printed(lesson);
  handout.notes = figure::footnotes(lesson);
  return write_page(options.out, handout);
}

int cmd_handout(const CommonOptions& common, const HandoutOptions& options) {
  if (const auto made = make_handout(common, options); !made) return fail(common, made.error());
  if (common.json)
    print_json({{"ridgepoint", 1}, {"handout", options.out}});
  else
    complain("wrote " + options.out);
  return 0;
}

Command setup_handout(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<HandoutOptions>();
  command.add_option("LAB", options->lab, "the lab, e.g. gemm")->required();
  command.add_option("RUN", options->run, "RUN.jsonl, for its charts and sources");
  command.add_option("--out", options->out, "FILE.html")->required();
  return [options, &common] { return cmd_handout(common, *options); };
}

RIDGE_COMMAND(handout,
              .about = "write one offline page: lesson, sources, charts, answers folded away",
              .place = 20, .level = Level::kLab, .schema = "", .setup = setup_handout);

}  // namespace
}  // namespace ridge::app
