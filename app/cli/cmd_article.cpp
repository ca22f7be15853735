// ridgepoint article LAB RUN.jsonl --out FILE.html: one's own climb as a page that can be passed on.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/lab_sources.h"
#include "app/query/article.h"
#include "app/query/reporting.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "app/session/saved_run.h"
#include "app/study/assets.h"
#include "common/core/files.h"
#include "common/record/params.h"

namespace ridge::app {
namespace {

struct ArticleOptions {
  std::string lab, run, out;
  std::vector<std::string> set;  ///< "n=4096": of a run with many sizes, this one
};

Result<void> write_article(const CommonOptions& common, const ArticleOptions& options) {
  if (!options.out.ends_with(".html"))
    return Error{ErrorCode::usage, "an article is a page", options.out, "give it the ending .html"};
  RIDGE_TRY(const Lab* lab, require_lab(options.lab));
  RIDGE_TRY(const Run run, load_saved(options.run));
  const auto& all = run.series();
  const bool has_any = std::any_of(all.begin(), all.end(),
                                   [&](const Series& series) { return series.lab == lab->id; });
  if (!has_any) {
    return Error{ErrorCode::bad_input, std::string("the run has nothing of the lab ") + lab->id,
                 options.run, "name the lab that it ran"};
  }
  report::Options wanted = report_options(*lab, run);
  RIDGE_TRY(wanted.only, parse_params(options.set));
  const report::Input input{&run, options.run};
  RIDGE_TRY(const report::Report report, report::build_report({&input, 1}, wanted));
  Article article{.lab = lab, .report = &report, .learner = run.learner(), .run = &run};
  RIDGE_TRY(article.lesson, study::read_asset(lab->lesson));
  article.sources = lab_sources(common, *lab, &run, load_all_recordings(nullptr));
  RIDGE_TRY(const std::string page, article_html(article));
  return write_beside_older(common, options.out, [&] { return write_whole(options.out, page); });
}

int cmd_article(const CommonOptions& common, const ArticleOptions& options) {
  if (const auto made = write_article(common, options); !made) return fail(common, made.error());
  if (common.json)
    print_json({{"ridgepoint", 1}, {"article", options.out}});
  else
    complain("wrote " + options.out);
  return 0;
}

Command setup_article(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<ArticleOptions>();
  command.add_option("LAB", options->lab, "the lab, e.g. gemm")->required();
  command.add_option("RUN", options->run, "RUN.jsonl: the climb")->required();
  one_at_a_time(command.add_option("--set", options->set,
                                   "only results with this parameter: n=4096 (repeat)"));
  command.add_option("--out", options->out, "FILE.html")->required();
  return [options, &common] { return cmd_article(common, *options); };
}

RIDGE_COMMAND(
    article, .about = "one's own climb as a page: each step, its code, what bound it",
    .group = CommandGroup::report,
    .use =
        "Turns a saved climb into an article: each step with its code, its gain and what bound it.",
    .examples = {{"article gemm run.jsonl --out climb.html", "the climb of a saved run"}},
    .place = 125, .level = Level::kLearn, .schema = "", .setup = setup_article);

}  // namespace
}  // namespace ridge::app
