// Compare: every paired comparison of a run as a forest, the chosen one's verdict over it and how the
// times of both its sides spread beside it.
#include <algorithm>
#include <tuple>
#include <utility>

#include "app/query/recordings.h"
#include "app/query/reporting.h"
#include "app/window/panels/verdict_card.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/views/chart_view.h"
#include "common/core/format.h"
#include "common/record/command.h"
#include "common/record/noise_floor.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "common/record/stale_words.h"
#include "common/view/chart/distribution.h"
#include "common/view/chart/ecdf.h"
#include "common/view/chart/forest.h"
#include "common/view/chart/paired.h"
#include "common/view/report/content.h"

namespace ridge::window {
namespace {

constexpr float kBudget = 42;        // a panel of one line
constexpr float kButtonRow = 44;     // below a verdict that more rounds would settle
constexpr float kLeastCurves = 260;  // lower, the curves of the distribution cannot be read
constexpr float kNoSpread = 40;      // of the line that says that there are no times

/// A run that holds comparisons of the lab in view, or of commands.
struct Source {
  std::string name, machine;  ///< machine: empty for this session's own
  const Run* run = nullptr;
  std::vector<const Comparison*> comparisons;  ///< the newest, and first
  size_t all = 0;
};

class CompareScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;
  ChartView* chart() override { return sources_.empty() ? nullptr : chosen_chart_; }

 private:
  void build(Ui& ui);
  void build_charts(const State& state);
  void draw_sources(Ui& ui, const Area& area);
  void choose(const State& state, size_t index);
  void draw_spread(Ui& ui, const Area& panel);
  void draw_both(Ui& ui, Area area);
  void link_times();
  bool draws_curves_below(Ui& ui, Area all, int* row);
  int draw_wide(Ui& ui, Area all);
  int draw_narrow(Ui& ui, const Area& all);
  static void draw_budget(Ui& ui, Area line);
  static void draw_empty(Ui& ui, const Area& area);
  static void draw_empty_to_learner(Ui& ui, const Area& area);
  static void draw_more(Ui& ui, Area row, const Comparison& comparison, const MoreRounds& more);
  static void draw_hint(Ui& ui, Area card, const std::string& machine);
  const Comparison* chosen() const;

  std::vector<Source> sources_;
  size_t source_ = 0, chosen_ = 0;
  uint64_t version_ = ~0ull;
  std::tuple<std::string, std::string, Params> asked_;  ///< candidate, baseline, the view's point
  /// What the charts were made of: a recording's stay as they are while this session's samples come in.
  std::tuple<const Run*, uint64_t, const Comparison*> charted_;
  ChartView forest_{true}, spread_, ecdf_;
  ChartView* chosen_chart_ = &forest_;  ///< the one pointed at last
  bool has_spread_ = false;
  bool is_picked_ = false;  ///< a source or a row was clicked
};

/// That of the selection, as the lab shows it; null: the run has none of the two with these caches.
const Comparison* selected_pair(const State& state, const Run& run) {
  const Selection& selection = state.selection;
  const Params view = view_params(state, find_info(state.sessions, selection.rung));
  return app::nearest_pair(run, selection.baseline, selection.rung, view, selection.cache)
      .comparison;
}

void add_source(const State& state, const Run& run, const std::string& name,
                const std::string& machine, std::vector<Source>* sources) {
  Source source{name, machine, &run, {}};
  const auto& all = run.comparisons();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    const bool is_here = it->lab == state.selection.lab->id || it->lab == kCommandLab;
    if (!is_here || is_self_check(*it)) continue;
    if (source.all++ < chart::kMostForestRows) source.comparisons.push_back(&*it);
  }
  if (source.comparisons.empty()) return;
  // The rows are few; the pair that is asked for is one of them, however old it is.
  auto& rows = source.comparisons;
  const Comparison* asked = selected_pair(state, run);
  if (asked && std::find(rows.begin(), rows.end(), asked) == rows.end()) rows.back() = asked;
  sources->push_back(std::move(source));
}

/// Of "gemm.h200.bf16_large.jsonl": "NVIDIA H200, bf16 large".
std::string recorded_name(const Recording& recording) {
  std::string file = recording.path.substr(recording.path.rfind('/') + 1);
  file = file.substr(0, file.rfind('.'));
  std::string part;  // behind the lab and the machine
  if (const size_t lab = file.find('.'); lab != std::string::npos) {
    const size_t machine = file.find('.', lab + 1);
    if (machine != std::string::npos) part = file.substr(machine + 1);
  }
  return recording.machine + (part.empty() ? "" : ", " + name_in_words(part));
}

/// Whether a newer comparison of the same two at the same point stands above it in the list.
bool is_repeated(const std::vector<const Comparison*>& newest_first, const Comparison& one) {
  for (const Comparison* newer : newest_first) {
    if (newer == &one) return false;
    if (newer->candidate == one.candidate && newer->baseline == one.baseline &&
        newer->candidate_params == one.candidate_params &&
        newer->baseline_params == one.baseline_params && newer->cache == one.cache)
      return true;
  }
  return false;
}

/// The selected pair's row, of other caches too; the newest where there is none.
size_t selected_in(const State& state, const Source& source) {
  const auto& rows = source.comparisons;
  auto found = std::find(rows.begin(), rows.end(), selected_pair(state, *source.run));
  if (found == rows.end())
    found = std::find_if(rows.begin(), rows.end(), [&](const Comparison* one) {
      return one->candidate == state.selection.rung && one->baseline == state.selection.baseline;
    });
  return found == rows.end() ? 0 : static_cast<size_t>(found - rows.begin());
}

const Comparison* CompareScreen::chosen() const {
  if (sources_.empty()) return nullptr;
  const auto& comparisons = sources_[source_].comparisons;
  return comparisons[std::min(chosen_, comparisons.size() - 1)];
}

void CompareScreen::build(Ui& ui) {
  const State& state = ui.state;
  if (version_ == state.ladder.version) return;
  version_ = state.ladder.version;
  const size_t before = sources_.empty() ? 0 : sources_[source_].all;
  sources_.clear();
  if (!state.selection.lab) return;
  add_source(state, state.run(), state.is_replay() ? "this saved run" : "this session", "",
             &sources_);
  for (const Recording& recording : state.sessions.recordings) {
    // A recording that is open as a saved run is in the list already.
    const auto& here = state.run().environment();
    const auto& there = recording.run->environment();
    if (state.is_replay() && here && there && here->time_utc == there->time_utc) continue;
    add_source(state, *recording.run, recorded_name(recording), recording.machine, &sources_);
  }
  source_ = std::min(source_, sources_.empty() ? 0 : sources_.size() - 1);
  if (sources_.empty()) return;
  // A new verdict is what was waited for, and so is that of another selection; else the choice stays.
  const auto& comparisons = sources_[source_].comparisons;
  const Params view = view_params(state, find_info(state.sessions, state.selection.rung));
  std::tuple asked(state.selection.rung, state.selection.baseline, view);
  const bool is_asked = std::exchange(asked_, asked) != asked;
  if (sources_[source_].all != before || is_asked) chosen_ = selected_in(state, sources_[source_]);
  chosen_ = std::min(chosen_, comparisons.size() - 1);
  build_charts(state);
}

void CompareScreen::build_charts(const State& state) {
  const Source& source = sources_[source_];
  const std::tuple charted(source.run, source.run->version(), source.comparisons[chosen_]);
  if (std::exchange(charted_, charted) == charted) return;
  const Titles titles = app::titles_of(*state.selection.lab);
  const Params shared = chart::shared_params(source.comparisons);
  std::vector<chart::ForestRow> rows;
  for (const Comparison* one : source.comparisons) {
    const std::string own = params_in_words(
        *state.selection.lab, report::differing(one->candidate_params, shared, one->size_param));
    chart::ForestRow row;
    row.label = rung_title(state.ladder, one->candidate);
    row.sublabel = "against " + rung_title(state.ladder, one->baseline);
    if (!own.empty()) row.sublabel += " · " + own;
    if (is_repeated(source.comparisons, *one)) row.sublabel += " · an earlier run";
    row.sublabel = with_stale(row.sublabel, one->stale);
    if (const std::string save = earlier_save_text(state, *source.run, *one); !save.empty())
      row.sublabel += " · " + save;
    row.comparison = one;
    row.round_ratios = chart::round_ratios(*source.run, *one);
    row.verdict = decide(*source.run, *one, titles).verdict;
    rows.push_back(std::move(row));
  }
  chart::ChartModel forest = chart::forest_chart(rows);
  forest.rows[chosen_].selected = true;
  forest_.set(std::move(forest));
  forest_.follow(std::to_string(chosen_));

  const Comparison& one = *source.comparisons[chosen_];
  const Series sides[2] = {chart::side_of(*source.run, one, false),
                           chart::side_of(*source.run, one, true)};
  has_spread_ = !sides[0].samples.empty() && !sides[1].samples.empty() &&
                rows[chosen_].verdict != Verdict::invalid;
  if (!has_spread_) return;
  // In the order of the verdict's title and of its row: the candidate against the baseline.
  const chart::DistributionRow spread[] = {
      {rung_title(state.ladder, one.candidate), "candidate", &sides[1], false},
      {rung_title(state.ladder, one.baseline), "baseline", &sides[0], true}};
  chart::ChartModel model = chart::distribution_chart(spread);
  model.panels[0].subtitle =
      one.trained ? "a step, two turns a seed" : "in turns: every slot of the rounds";
  spread_.set(std::move(model));
  ecdf_.set(chart::ecdf_chart(spread));
}

void CompareScreen::choose(const State& state, size_t index) {
  chosen_ = index;
  build_charts(state);
}

/// What a candidate has to keep, before it runs: typed as on the command line, and said in words beside it.
void CompareScreen::draw_budget(Ui& ui, Area line) {
  ui.panel(line);
  line = line.inset(ui.px(24), ui.px(4));
  const Area words = line.take_right(line.w * 0.5f, ui.px(16));
  text_line(ui, "budget", line, "Budget", ui.state.selection.budget,
            "accuracy=1, p99=2ms, memory=1GiB",
            [](State& state, const std::string& typed) { state.selection.budget = typed; });
  const std::string& budget = ui.state.selection.budget;
  const std::string problem = budget_blocker(ui.state);
  const auto parsed = parse_budget(budget);
  const std::string said = !problem.empty() ? problem
                           : parsed->is_empty()
                               ? "What a candidate must keep to be adopted; none is set."
                               : sentence_of(budget_words(*parsed));
  ui.text(words.x, words.middle(), said, kSmall_px, problem.empty() ? Role::muted : Role::slower,
          Face::body, Anchor::start, words.w);
  std::string lines;
  for (const BudgetLine& one : budget_lines())
    lines += std::string(lines.empty() ? "" : "\n") + one.example + "  " + one.title;
  if (ui.hovers("budget_words", words)) ui.tooltip(said + "\n\n" + lines);
}

/// What the selected rung is compared with at level Learn, which has no baseline; empty: it cannot be now.
std::string step_button(const State& state) {
  const bool can = state.selection.lab && action("compare_step").blocker(state).empty();
  return can ? "Compare “" + rung_title(state.ladder, state.selection.rung) +
                   "” with the rung before it"
             : "";
}

void CompareScreen::draw_empty_to_learner(Ui& ui, const Area& area) {
  const std::string pair = step_button(ui.state);
  const bool pressed = draw_nothing(
      ui, area, "Nothing was compared yet.",
      "“Faster” is only said after two rungs ran in turns. In the lab: select a rung; Compare "
      "runs it in turns with the rung before it.",
      pair.empty() ? "Choose a rung in the lab" : pair);
  if (!pressed) return;
  if (!pair.empty())
    ui.dispatch_action("compare_step");
  else
    ui.dispatch([](State& state) { state.view.screen = ScreenId::lab; });
}

void CompareScreen::draw_empty(Ui& ui, const Area& area) {
  ui.panel(area);
  const State& state = ui.state;
  if (is_learning(state)) return draw_empty_to_learner(ui, area);
  const bool can = state.selection.lab && action("compare").blocker(state).empty() &&
                   state.selection.baseline != state.selection.rung;
  const std::string pair =
      can ? "Compare " + rung_title(state.ladder, state.selection.rung) + " with the baseline" : "";
  const bool pressed =
      draw_nothing(ui, area, "Nothing was compared yet.",
                   "“Faster” is only said after two rungs ran in turns. In the lab: select a rung, "
                   "B makes it the baseline; select another, C compares.",
                   can ? pair : "Choose two rungs in the lab");
  if (!pressed) return;
  if (can)
    ui.dispatch_action("compare");
  else
    ui.dispatch([](State& state) { state.view.screen = ScreenId::lab; });
}

/// A button that settles it, with what it takes; beside it what it would show.
void CompareScreen::draw_more(Ui& ui, Area row, const Comparison& comparison,
                              const MoreRounds& more) {
  const std::string text = more_rounds_text(more);
  const std::string label = "Measure " + text.substr(std::string("about ").size());
  Area button = row.take_left(ui.width(label, kBody_px) + ui.px(40), ui.px(16));
  button.h = ui.px(32);
  const std::string why = again_blocker(ui.state, comparison);
  if (ui.button("more_rounds", button, label, Ui::Kind::normal, why.empty()))
    ui.dispatch([comparison, rounds = more.rounds](State& state) {
      measure_rounds(state, comparison, rounds);
    });
  const std::string shows = more.shows == Verdict::unresolved
                                ? "A new comparison of so many rounds, judged once."
                                : "A new comparison of so many rounds, judged once: it shows “" +
                                      to_string(more.shows) + "”, if the ratio stays where it is.";
  ui.text(row.x, button.middle(), why.empty() ? shows : why, kSmall_px, Role::muted, Face::body,
          Anchor::start, row.w);
}

void CompareScreen::draw_sources(Ui& ui, const Area& area) {
  std::vector<std::string> names;
  float width = 0;
  for (const Source& source : sources_) {
    const size_t shown = source.comparisons.size();
    names.push_back(source.name + " (" + std::to_string(shown) +
                    (shown < source.all ? " of " + std::to_string(source.all) : "") + ")");
    width += ui.width(names.back(), kSmall_px) + ui.px(26);
  }
  // Of more than fit, one is shown with arrows beside it: no wider than it reads.
  const float least = width - ui.px(16) * static_cast<float>(names.size());
  const float w = least <= area.w ? std::min(width, area.w) : std::min(area.w, ui.px(460));
  const int clicked =
      ui.segments("source", {area.x, area.y, w, area.h}, names, static_cast<int>(source_));
  if (clicked < 0) return;
  source_ = static_cast<size_t>(clicked);
  is_picked_ = true;
  choose(ui.state, 0);
}

/// In the place of a verdict while there are none but another machine's, and none of those was asked for.
void CompareScreen::draw_hint(Ui& ui, Area card, const std::string& machine) {
  ui.panel(card);
  ui.widgets["compare_hint"] = card;
  card = card.inset(ui.px(24), ui.px(14));
  const bool learns = is_learning(ui.state);
  if (const std::string pair = learns ? step_button(ui.state) : ""; !pair.empty()) {
    const float w = ui.width(pair, kSmall_px + 1, Face::strong) + ui.px(40);
    const Area place = card.take_right(w, ui.px(16));
    if (ui.button("compare_here", {place.x, place.y, w, ui.px(40)}, pair, Ui::Kind::primary))
      ui.dispatch_action("compare_step");
  }
  const Area head = card.take_top(ui.px(34));
  ui.text(head.x, head.middle(), "Nothing was compared here yet.", kHeading_px, Role::text,
          Face::strong, Anchor::start, head.w);
  const std::string how =
      learns ? "In the lab, select a rung: Compare runs it in turns with the rung before it."
             : "In the lab, B makes the selected rung the baseline; select another, and C compares "
               "the two in turns.";
  ui.paragraph(
      card, how + " Below is what was recorded on " + machine + ": a row shows its verdict here.",
      kSmall_px, Role::muted);
}

/// The dots as high as they need, the curves in what is left, up to where they get too tall; a page that
/// scrolls where that is too little.
void CompareScreen::draw_both(Ui& ui, Area area) {
  const float gap = ui.px(6), dots = spread_.height(ui, area.w);
  if (area.h - dots - gap >= ui.px(kLeastCurves)) {
    spread_.draw_in_page(ui, "spread", area.take_top(dots, gap));
    area.h = std::min(area.h, ui.px(460));
    ecdf_.draw(ui, "ecdf", area);
    return;
  }
  Scroll page(ui, "spread_page", area);
  spread_.draw_in_page(ui, "spread", page.rest.take_top(spread_.height(ui, page.rest.w), gap));
  ecdf_.draw_in_page(ui, "ecdf", page.rest.take_top(ecdf_.height(ui, page.rest.w)));
}

/// One axis of times: where one is read, the other has a line.
void CompareScreen::link_times() {
  spread_.link_x(ecdf_.reading_x());
  ecdf_.link_x(spread_.reading_x());
}

/// Where few verdicts leave room below them: the forest and the dots side by side, as high as they need, and the curves
/// below over the whole width. False: there is no such room, and nothing was drawn.
bool CompareScreen::draws_curves_below(Ui& ui, Area all, int* row) {
  if (!has_spread_) return false;
  const float gap = ui.px(12), pad_x = ui.px(12), pad_y = ui.px(10);
  const float dots_w = all.w * 0.4f, forest_w = all.w - dots_w - gap;
  const float sources_h = sources_.size() > 1 ? ui.px(40) : 0;
  const float top = 2 * pad_y + std::max(spread_.height(ui, dots_w - 2 * pad_x),
                                         sources_h + forest_.height(ui, forest_w - 2 * pad_x));
  if (all.h - top - gap < ui.px(kLeastCurves)) return false;
  Area above = all.take_top(top, gap);
  const Area dots = above.take_right(dots_w, gap);
  for (const Area& panel : {above, dots, all}) ui.panel(panel);
  spread_.draw_in_page(ui, "spread", dots.inset(pad_x, pad_y));
  ui.widgets["curves_below"] = all;
  ecdf_.draw(ui, "ecdf", all.inset(pad_x, pad_y));
  link_times();
  Area inner = above.inset(pad_x, pad_y);
  if (sources_h > 0) draw_sources(ui, inner.take_top(ui.px(32), ui.px(8)));
  *row = forest_.draw_in_page(ui, "forest", inner);
  return true;
}

void CompareScreen::draw_spread(Ui& ui, const Area& panel) {
  ui.panel(panel);
  if (has_spread_) {
    draw_both(ui, panel.inset(ui.px(12), ui.px(10)));
    return link_times();
  }
  const Area line = panel.inset(ui.px(24), 0);
  ui.text(
      line.x, line.middle(),
      "The times of the rounds are not here: a recording keeps its verdicts, and a failed check "
      "leaves no times that may be shown.",
      kSmall_px, Role::muted, Face::body, Anchor::start, line.w);
}

/// Side by side; returns the row that was clicked, else -1.
int CompareScreen::draw_wide(Ui& ui, Area all) {
  if (int row = -1; draws_curves_below(ui, all, &row)) return row;
  const float gap = ui.px(12);
  draw_spread(
      ui, has_spread_ ? all.take_right(all.w * 0.4f, gap) : all.take_bottom(ui.px(kNoSpread), gap));
  ui.panel(all);
  Area inner = all.inset(ui.px(12), ui.px(10));
  if (sources_.size() > 1) draw_sources(ui, inner.take_top(ui.px(32), ui.px(8)));
  return forest_.draw(ui, "forest", inner);
}

/// One under the other, as a page that scrolls.
int CompareScreen::draw_narrow(Ui& ui, const Area& all) {
  Scroll page(ui, "compare_page", all, ui.color(Role::canvas));
  const float gap = ui.px(12), pad = ui.px(10);
  draw_spread(ui, page.rest.take_top(ui.px(has_spread_ ? 520 : kNoSpread), gap));
  if (sources_.size() > 1) draw_sources(ui, page.rest.take_top(ui.px(32), gap));
  const float h = forest_.height(ui, page.rest.w - 2 * pad);
  const Area panel = page.rest.take_top(h + 2 * pad);
  ui.panel(panel);
  return forest_.draw_in_page(ui, "forest", panel.inset(pad));
}

void CompareScreen::draw(Ui& ui, Area all) {
  build(ui);
  const Comparison* one = chosen();
  // What runs here is what the person waits for, not the verdict of an earlier one or of another machine.
  const bool is_under_way = !running_comparison(ui.state).empty();
  if (!is_learning(ui.state) && !ui.state.is_replay())
    draw_budget(ui, all.take_top(ui.px(kBudget), ui.px(8)));
  if (is_under_way) {
    const float height = VerdictCard::room(ui, all.w, ui.px(104), all.h).height;
    ui.widgets["under_way"] = all;
    VerdictCard::draw(ui, all.take_top(height, ui.px(12)), false);
  }
  if (!one) return draw_empty(ui, all);
  const Source& source = sources_[source_];
  if (!is_under_way && !source.machine.empty() && !is_picked_) {
    draw_hint(ui, all.take_top(ui.px(104), ui.px(12)), source.machine);
  } else if (!is_under_way) {
    // One that was not picked answers for the chosen point and the last save, so that of another is no headline.
    const auto elsewhere = is_picked_
                               ? std::nullopt
                               : compared_elsewhere(ui.state, *source.run, *one, source.machine,
                                                    "Click its row for that verdict.");
    const auto draw_words = [&](const Area& place, bool measure) {
      if (elsewhere) return draw_no_verdict(ui, place, *elsewhere, measure);
      return draw_verdict(ui, place, *source.run, *one, source.machine, measure);
    };
    const float needs = draw_words(Area{0, 0, all.w, 0}.inset(ui.px(24), 0), true);
    const auto more =
        source.machine.empty() && !ui.state.is_replay() ? more_rounds(*one) : std::nullopt;
    const float row = more ? ui.px(kButtonRow) : 0;
    Area card = all.take_top(std::max(ui.px(104), needs + ui.px(24)) + row, ui.px(12));
    ui.panel(card);
    ui.widgets["verdict"] = card;
    if (more) draw_more(ui, card.take_bottom(row).inset(ui.px(24), 0), *one, *more);
    draw_words(card.inset(ui.px(24), ui.px(12)), false);
  }
  const bool wide = all.w > ui.px(1000) && all.h > ui.px(320);
  const int row = wide ? draw_wide(ui, all) : draw_narrow(ui, all);
  for (ChartView* view : {&forest_, &spread_, &ecdf_}) {
    if (view->hovered()) chosen_chart_ = view;
  }
  if (row < 0 || static_cast<size_t>(row) >= sources_[source_].comparisons.size()) return;
  is_picked_ = true;
  choose(ui.state, static_cast<size_t>(row));
}

}  // namespace

std::unique_ptr<Screen> make_compare_screen() {
  return std::make_unique<CompareScreen>();
}

}  // namespace ridge::window
