// Nothing stale passes for fresh: every view of the window, every section of a report and every table in the terminal, of
// each shipped recording as it would be after a change of all kernels.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/query/recordings.h"
#include "app/query/reporting.h"
#include "app/query/results.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/state.h"
#include "app/window/views/view.h"
#include "common/view/report/format.h"
#include "labs/lab.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::window;
namespace fs = std::filesystem;

namespace {

/// Today's rungs, each changed: a recording whose source is not known has a hash of zeros.
std::span<const RungHash> all_changed() {
  static const std::vector<RungHash> changed = [] {
    std::vector<RungHash> all;
    for (const RungHash& rung : rung_hashes()) all.push_back({rung.rung, "no hash of any"});
    return all;
  }();
  return changed;
}

/// Without those that hold lanes alone, which are no figure of a rung.
const std::vector<app::Recording>& stale_recordings() {
  static const std::vector<app::Recording> all = [] {
    auto found = app::load_recordings(test::variable("RIDGE_SOURCE") + "/assets/recorded", nullptr,
                                      all_changed());
    std::erase_if(found, [](const app::Recording& one) { return one.run->series().empty(); });
    return found;
  }();
  return all;
}

bool says_it(const std::string& text) {
  return text.find("stale") != std::string::npos;
}

/// What no kernel was measured for: counted work, a ceiling's limit, the line through points that are named themselves.
bool is_arithmetic(const std::string& text) {
  for (const char* known : {"Share of the work", "Model", "ridge points", "at least, which allows",
                            " of weights, ", "Read in a step"}) {
    if (text.find(known) != std::string::npos) return true;
  }
  return text == "frontier";
}

/// The figures of a chart that stand where nothing says that they are stale: "panel Time, naive".
std::vector<std::string> silent_figures(const chart::ChartModel& model) {
  std::vector<std::string> silent;
  for (const chart::Panel& panel : model.panels) {
    if (is_arithmetic(panel.title) || panel.title == "Operations") continue;  // counted
    for (const chart::Mark& mark : panel.marks) {
      if (is_arithmetic(mark.note)) continue;
      const auto at = static_cast<size_t>(mark.row);
      const std::string name =
          at < model.rows.size() ? model.rows[at].label + " " + model.rows[at].sublabel : "";
      if (!says_it(name) && !says_it(mark.note)) silent.push_back(panel.title + ", " + name);
    }
  }
  if (!model.plot) return silent;
  for (const chart::Curve& curve : model.plot->curves) {
    if (is_arithmetic(curve.name)) continue;
    for (const chart::Datum& datum : curve.data) {
      if (!says_it(curve.name) && !says_it(datum.note) && !says_it(datum.label))
        silent.push_back("curve " + curve.name + ", " + datum.note);
    }
  }
  for (const chart::Cell& cell : model.plot->cells) {
    if (cell.value > 0 && !says_it(cell.note)) silent.push_back("cell " + cell.note);
  }
  return silent;
}

/// Every view of the lab that `state` has open, of each rung in turn that was recorded.
void check_views(State& state, std::map<std::string, size_t>* figures) {
  for (const ViewDesc* view : views()) {
    if (view->make_panel || !can_fill(state, *view)) continue;
    state.selection.view = view;
    ChartRows rows;
    const chart::ChartModel model = centre_chart(state, &rows);
    for (const chart::Panel& panel : model.panels) (*figures)[view->id] += panel.marks.size();
    if (model.plot) (*figures)[view->id] += model.plot->curves.size() + model.plot->cells.size();
    for (const std::string& one : silent_figures(model)) {
      INFO(view->id << " of " << state.selection.rung);
      FAIL_CHECK(one);
    }
  }
}

}  // namespace

TEST_CASE("every view of a stale recording says so") {
  REQUIRE(stale_recordings().size() > 20);
  std::map<std::string, size_t> figures;
  for (const app::Recording& recording : stale_recordings()) {
    INFO(recording.path);
    CHECK_FALSE(recording.stale.empty());
    auto session = app::Session::replay(recording.path, all_changed());
    REQUIRE(session.ok());
    State state;
    state.sessions.shown = session->get();
    state.sessions.recordings = stale_recordings();
    open_lab(state, "");
    rebuild_ladder(state);
    std::string rung;
    for (const RungView& row : state.ladder.rows) {
      if (row.series && rung.empty()) rung = row.rung->kernel;
      if (row.series) CHECK(row.stale());
    }
    if (!rung.empty()) select_rung(state, rung);
    rebuild_ladder(state);
    check_views(state, &figures);
  }
  for (const char* view : {"ladder", "roofline", "sizes", "training", "frontier"}) {
    INFO(view);
    CHECK(figures[view] > 0);  // else nothing was looked at
  }
}

TEST_CASE("every section of a stale recording's report says so") {
  for (const app::Recording& recording : stale_recordings()) {
    INFO(recording.path);
    const report::Input input{recording.run.get(), "run.jsonl"};
    const auto made = report::build_report({&input, 1}, app::report_options(*recording.run));
    REQUIRE(made.ok());
    CHECK(says_it(made->subtitle));
    for (const report::Section& section : made->sections) {
      INFO(section.id);
      if (section.chart) {
        for (const std::string& one : silent_figures(*section.chart)) FAIL_CHECK(one);
      }
      // Sections about a comparison say it with their reasons, the reproduction with its hashes.
      const std::vector<std::string> of_rungs = {"throughput", "latency", "utilization", "memory",
                                                 "bandwidth",  "error",   "quality"};
      if (!section.table || std::count(of_rungs.begin(), of_rungs.end(), section.id) == 0) continue;
      for (const auto& row : section.table->rows) CHECK(says_it(row.front()));
    }
  }
}

TEST_CASE("the terminal's tables of a stale recording say so") {
  for (const app::Recording& recording : stale_recordings()) {
    INFO(recording.path);
    const std::string results = app::results_text(*recording.run, 0, {});
    CHECK(says_it(results));
    size_t stale = 0, comparisons = 0;
    for (const Comparison& one : recording.run->comparisons()) {
      stale += one.stale, ++comparisons;
      CHECK(says_it(one.reasons.back()));
    }
    CHECK(stale == comparisons);
    if (comparisons > 0) CHECK(says_it(app::comparisons_text(*recording.run, 0)));
    CHECK(says_it(document(*recording.run).dump()));
  }
}
