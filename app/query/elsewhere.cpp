#include "app/query/elsewhere.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/query/reporting.h"
#include "common/record/edit.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/view/report/sheet.h"

namespace ridge::app {
namespace {

constexpr size_t kMostOnPageOne = 3;  // page 1 is one sheet
constexpr size_t kMostLadders = 4;    // a sweep over twenty sizes has a chart of its own

/// A ladder of one lab at one size.
struct Ladder {
  const Lab* lab = nullptr;
  Params only;
  std::set<std::string> rungs;
};

Params size_of(const Series& series) {
  const auto size = series.params.find(series.size_param);
  return size == series.params.end() ? Params() : Params{*size};
}

/// Those with two rungs at least, the one with most first. What the report holds already is left out.
std::vector<Ladder> ladders_of(const Run& run, const Lab& shown, const Params& only) {
  std::vector<Ladder> all;
  for (const Series& series : run.series()) {
    const Lab* lab = find_lab(series.lab);
    const bool is_timed = series.status == SeriesStatus::ok && (series.stats || series.trap) &&
                          !is_in_turns(run, series);
    if (!lab || !is_timed || (lab == &shown && agrees(series.params, only))) continue;
    const Params size = size_of(series);
    const auto known = std::find_if(all.begin(), all.end(), [&](const Ladder& one) {
      return one.lab == lab && one.only == size;
    });
    Ladder& ladder = known == all.end() ? all.emplace_back(Ladder{lab, size, {}}) : *known;
    ladder.rungs.insert(series.kernel);
  }
  std::erase_if(all, [](const Ladder& one) { return one.rungs.size() < 2; });
  std::stable_sort(all.begin(), all.end(), [](const Ladder& a, const Ladder& b) {
    return a.rungs.size() > b.rungs.size();
  });
  return all;
}

/// Of a learner's rungs the newest comparison of each, the newest first; what the report claims already is left out.
std::vector<const Comparison*> own_pairs(const Run& run, const report::Report& report) {
  std::vector<const Comparison*> pairs;
  std::set<std::string> seen;
  const auto& all = run.comparisons();
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (!is_edit(one->candidate) || !find_lab(one->lab) || !seen.insert(one->candidate).second)
      continue;
    const bool is_told =
        std::any_of(report.claims.begin(), report.claims.end(), [&](const report::Claim& claim) {
          return claim.comparison.candidate == one->candidate &&
                 claim.comparison.candidate_params == one->candidate_params;
        });
    if (!is_told) pairs.push_back(&*one);
  }
  return pairs;
}

/// What a report of it would begin with.
struct Told {
  std::string line;
  report::Section section;
};

void tell(const Run& run, const report::Options& options, const char* chart,
          std::vector<Told>* all) {
  const report::Input input{&run, "run.jsonl"};
  const auto report = report::build_report({&input, 1}, options);
  if (!report) return;  // nothing of it was measured to its end
  Told told{.line = report->title + ": " + report->headline.figure, .section = {}};
  told.section = {.id = fmt::format("elsewhere-{}", all->size() + 1),
                  .title = report->title,
                  .paragraphs = {report->headline.figure + ". " + report->sentence},
                  .part = report::Part::results};
  for (const report::Section& part : report->front) {
    if (part.id != chart || !part.chart) continue;
    told.section.chart = part.chart;
    told.section.chart->id = told.section.id;
    told.section.table = part.table;
    told.section.table_behind = part.table_behind;
  }
  all->push_back(std::move(told));
}

}  // namespace

void add_elsewhere(const Run& run, const Lab& lab, const Params& only, report::Report* report) {
  std::vector<Told> all;
  for (const Comparison* pair : own_pairs(run, *report)) {
    report::Options options = report_options(*find_lab(pair->lab));
    options.lab = pair->lab;
    options.baseline = pair->baseline;
    options.candidate = pair->candidate;
    options.only = pair->candidate_params;
    tell(run, options, "compared", &all);
  }
  std::vector<Ladder> ladders = ladders_of(run, lab, only);
  const size_t left_out = ladders.size() - std::min(ladders.size(), kMostLadders);
  ladders.resize(ladders.size() - left_out);
  for (const Ladder& ladder : ladders) {
    report::Options options = report_options(*ladder.lab);
    options.lab = ladder.lab->id;
    options.only = ladder.only;
    tell(run, options, "climb", &all);
  }
  if (all.empty()) return;
  report::Section lines{.id = "elsewhere", .title = "Also measured in this session"};
  for (const Told& told : all) {
    if (lines.bullets.size() < kMostOnPageOne) lines.bullets.push_back(told.line + ".");
  }
  const size_t more = all.size() - lines.bullets.size();
  lines.bullets.back() += more > 0 ? fmt::format(" These and {} more are in the appendix.", more)
                                   : " See the appendix.";
  if (left_out > 0)
    lines.bullets.back() += fmt::format(" {} further size{} of its ladders {} left out.", left_out,
                                        left_out == 1 ? "" : "s", left_out == 1 ? "is" : "are");
  const auto machine = std::find_if(report->front.begin(), report->front.end(),
                                    [](const auto& one) { return one.id == "machine"; });
  report->front.insert(machine, std::move(lines));
  auto at = report->sections.begin();
  for (Told& told : all) at = std::next(report->sections.insert(at, std::move(told.section)));
  report::fit_one_sheet(report);
}

}  // namespace ridge::app
