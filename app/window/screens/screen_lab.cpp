// The lab: rungs at the left, the chart and its verdict in the middle, lesson and source at the right.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "app/window/panels/lab_panels.h"
#include "app/window/panels/verdict_card.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/first_climb.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/presenter.h"
#include "app/window/views/chart_panel.h"
#include "common/record/edit.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kGap = 12, kVerdict = 94, kStrip = 172;
// The views' buttons, the ladder's head and foot, and a row at its least (two lines of text) and at its best.
constexpr float kLadder = 178, kRow = 44, kRoomierRow = 54;
// A low window's: what gaps and rows shrink to, and how many rows a verdict leaves to the chart.
constexpr float kLowGap = 8, kLowLadder = 148, kLowRow = 21, kLowRows = 12;
// A line above the chart with a button in it.
constexpr float kBar = 42, kLowBar = 33;
// A window smaller than this (or a scale larger: 1600 px at 1.6 are 1000) gives its room to the chart.
constexpr float kNarrow = 1120;

/// A learner has few buttons: one that can do nothing at all is left out. For a rung that it cannot be pressed at it stands
/// grey, so that none moves to another's place.
bool shows_to_learner(const State& state) {
  return is_learning(state) && !state.is_replay();
}

/// At the right of the buttons that choose the chart, where there is room beside them.
void draw_teaching_buttons(Ui& ui, const Area& chart) {
  const float views = ui.widgets["views"].right() + ui.px(8);
  struct Button {
    const char* action;
    const char* label;
    Level level;
    bool at_learn_alone = false;
  };
  // From the next level on the top bar compares with a baseline of one's own.
  constexpr Button kButtons[] = {{"predict", "Predict", Level::kLearn},
                                 {"compare_step", "Compare", Level::kLearn, true},
                                 {"sweep", "Sweep", Level::kLab},
                                 {"reruns", "Re-run", Level::kBench}};
  Area row = {views, chart.y + ui.px(8), chart.right() - ui.px(14) - views, ui.px(30)};
  for (auto it = std::rbegin(kButtons); it != std::rend(kButtons); ++it) {
    if (!is_shown(it->level, ui.state.appearance.level)) continue;
    if (it->at_learn_alone && !shows_to_learner(ui.state)) continue;
    const float w = ui.width(it->label, kSmall_px + 1, Face::strong) + ui.px(22);
    // The question before the run stays longest: the others' keys do what they do.
    const float before = it == std::rend(kButtons) - 1
                             ? 0
                             : ui.width(kButtons[0].label, kSmall_px + 1, Face::strong) + ui.px(28);
    if (row.w < w + before) continue;
    const bool is_on = (it->action == std::string_view("reruns") && ui.state.teaching.reruns) ||
                       (it->action == std::string_view("predict") && is_predict_open(ui.state));
    const Area place = row.take_right(w, ui.px(6));
    ui.action_button(it->action, place, it->label, Ui::Kind::quiet);
    if (is_on) ui.frame(place, ui.color(Role::series0), ui.px(5), ui.px(1.5f));
  }
}

/// What was measured before stays one press away: a new session begins with an empty ladder, a saved run has a way out.
struct KeptBar {
  std::string text, button;
  std::string path;  ///< of the run that the button opens; empty: back to measuring
  const char* widget = "kept_bar";
};

/// So many rungs are what a presenter's step or a look at one of them measures: no ladder that takes the place of the last
/// results.
constexpr int64_t kFewRungs = 3;

/// What this session has of the lab; `own`: rungs with a result at the settings in view.
std::string measured_so_far(const State& state, int64_t own) {
  if (own > 0)
    return fmt::format("{} {} measured since the start.", own,
                       own == 1 ? "rung was" : "rungs were");
  return has_results(state.run(), *state.selection.lab)
             ? "Nothing was measured at these settings since the start."
             : "Nothing of this lab was measured since the start.";
}

std::optional<KeptBar> kept_bar(const State& state) {
  if (!state.selection.lab) return std::nullopt;
  if (state.teaching.tour && !is_away_from_tour(state)) return std::nullopt;
  if (state.sessions.is_claimed())
    return KeptBar{
        "From a link, claimed elsewhere: neither this source nor its result was checked or "
        "measured here.",
        "Measure here", "", "claimed"};
  if (state.sessions.opened)
    return KeptBar{"What is shown was measured before.", "Back to measuring here", ""};
  if (state.is_replay() || state.requests.is_measuring()) return std::nullopt;
  const auto own =
      std::count_if(state.ladder.rows.begin(), state.ladder.rows.end(),
                    [](const RungView& row) { return row.origin == Origin::live || row.covered; });
  const RecentRun* kept = own > kFewRungs ? nullptr : kept_run_of(state, *state.selection.lab);
  if (!kept) return std::nullopt;
  return KeptBar{measured_so_far(state, own) + " Last results, " + kept->time_utc.substr(0, 10) +
                     ": " + kept->title,
                 "Show them", kept->path};
}

void draw_kept_bar(Ui& ui, Area area, const KeptBar& bar) {
  ui.panel(area);
  ui.widgets[bar.widget] = area;
  Area inner = area.inset(ui.px(18), ui.px(ui.is_compact ? 3 : 6));
  const float w = ui.width(bar.button, kSmall_px + 1) + ui.px(32);
  const Area button = inner.take_right(w, ui.px(12));
  ui.text(inner.x, inner.middle(), bar.text, kSmall_px, Role::muted, Face::body, Anchor::start,
          inner.w);
  if (ui.button("kept", button, bar.button, Ui::Kind::normal))
    ui.dispatch([path = bar.path](State& state) { open_run(state, path); });
}

/// What a view without parameters shows, in their place: the buttons of the views stay where they are.
void draw_view_line(Ui& ui, const Area& area) {
  ui.panel(area);
  const Area inner = area.inset(ui.px(18), 0);
  ui.text(inner.x, inner.middle(), action(ui.state.selection.view->id).title, kSmall_px,
          Role::muted, Face::body, Anchor::start, inner.w);
}

/// While it climbs: what the rung in hand changes.
void draw_climb_line(Ui& ui, Area area, const std::string& line) {
  ui.panel(area);
  ui.fill({area.x, area.y, ui.px(4), area.h}, ui.color(Role::series0), ui.px(2));
  ui.widgets["climb_line"] = area;
  const Area inner = area.inset(ui.px(18), ui.px(4));
  ui.text(inner.x, inner.middle(), line, kBody_px, Role::text, Face::strong, Anchor::start,
          inner.w);
}

/// What a run is at, where the chart in view has no row for it: of another part of the ladder, or of another lab.
struct RunElsewhere {
  const Lab* lab = nullptr;  ///< null: the chart shows it, or nothing runs
  std::string kernel, words;
};

/// "CPU, latency": the part of the ladder that the rung stands in; empty: its lab has no parts.
std::string part_of(const Lab& lab, std::string_view kernel) {
  std::string part;
  for (const Rung& rung : lab.rungs) {
    if (const Section* section = section_at(lab, rung)) part = section->title;
    if (rung.kernel == kernel) return part;
  }
  return "";
}

RunElsewhere run_elsewhere(const State& state, const ChartPanel& chart) {
  const auto& progress = state.run().progress();
  const Request* request = state.run().request(state.requests.run);
  if (!request || !progress || progress->request != request->id || progress->series < 0) return {};
  const auto at = static_cast<size_t>(progress->series);
  const Lab* lab = find_lab(request->lab);
  if (!lab || at >= request->kernels.size()) return {};
  const std::string& kernel = request->kernels[at];
  const bool is_this_lab = lab == state.selection.lab;
  if (is_this_lab && chart.has_row(kernel)) return {};
  const Rung* rung = rung_of(original_of(kernel));
  const std::string part = part_of(*lab, original_of(kernel));
  const std::string place = !is_this_lab ? lab->title : part;
  return {lab, kernel,
          fmt::format("Rung {} of {} is being measured: {}{}", at + 1, request->kernels.size(),
                      rung ? rung->title : kernel, place.empty() ? "" : ", under “" + place + "”")};
}

float gap_of(const Ui& ui) {
  return ui.px(ui.is_compact ? kLowGap : kGap);
}

/// Height 0: the card is not there. What is only missing for a verdict gives its room to the ladder's rows where they
/// need it.
VerdictCard::Room verdict_room(Ui& ui, const ChartPanel& chart, const Area& area, float rows) {
  if (is_learning(ui.state) && ui.state.selection.baseline.empty()) return {};
  const float least = ui.px(ui.is_compact ? kVerdict - 16 : kVerdict);
  if (VerdictCard::says_something(ui.state)) {
    const float ladder =
        ui.px(kLowLadder + kLowRow * std::min(rows, kLowRows)) + chart.buttons_height(ui, area.w);
    const float most = area.h - gap_of(ui) - ladder;
    return VerdictCard::room(ui, area.w, ui.is_compact ? 0 : least, most);
  }
  const bool has_room = area.h - least - gap_of(ui) >= ui.px(kLadder + kRow * rows);
  return has_room && !ui.is_compact ? VerdictCard::room(ui, area.w, least, 0) : VerdictCard::Room{};
}

class LabScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;
  ChartView* chart() override { return chart_.view(); }

 private:
  bool draw_centre(Ui& ui, Area area);
  void draw_run_elsewhere(Ui& ui, Area* area);
  void splitter(Ui& ui, const char* name, const Area& area, float now, float Appearance::*side,
                float direction);

  LeftRail left_rail_;
  ParamsBar params_bar_;
  ChartPanel chart_;
  StripPanel strip_;
  RightPanel right_;
  PredictBar predict_;
  std::string
      followed_;  ///< the rung that was shown because a run was at it; empty: the run is not followed
};

void LabScreen::splitter(Ui& ui, const char* name, const Area& area, float now,
                         float Appearance::*side, float direction) {
  const auto touched = ui.touch(name, area, false);
  if (touched.hovered || touched.held) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    const float line = ui.px(2);
    ui.fill({area.x + (area.w - line) / 2, area.y, line, area.h},
            ui.color(Role::muted, touched.held ? 0.8f : 0.4f));
  }
  if (touched.held) {
    const float moved = now + direction * ImGui::GetIO().MouseDelta.x;
    const float width = std::clamp(moved / ui.scale, 200.0f, 900.0f);
    if (moved != now) ui.dispatch([side, width](State& state) { state.appearance.*side = width; });
    ui.needs_redraw = true;
  }
  if (ImGui::IsItemDeactivated()) ui.dispatch([](State& state) { save_settings(&state); });
}

/// A run's progress stays where the reader is, with a way to its bars: those of another part of the ladder grow unseen.
/// Once that was pressed the view goes on with the run, until another rung is selected.
void LabScreen::draw_run_elsewhere(Ui& ui, Area* area) {
  const RunElsewhere run = run_elsewhere(ui.state, chart_);
  if (!ui.state.requests.run || followed_ != ui.state.selection.rung) followed_.clear();
  if (!run.lab) return;
  const auto show = [&] {
    followed_ = run.kernel;
    ui.dispatch([run](State& state) {
      if (state.selection.lab != run.lab) open_lab(state, run.lab->id);
      select_rung(state, run.kernel);
    });
  };
  if (!followed_.empty()) return show();
  const Area bar = area->take_top(ui.px(ui.is_compact ? kLowBar : kBar), gap_of(ui));
  ui.panel(bar);
  ui.fill({bar.x, bar.y, ui.px(4), bar.h}, ui.color(Role::series0), ui.px(2));
  ui.widgets["run_elsewhere"] = bar;
  Area inner = bar.inset(ui.px(18), ui.px(ui.is_compact ? 3 : 6));
  const char* label = "Show it";
  const Area button = inner.take_right(ui.width(label, kSmall_px + 1) + ui.px(32), ui.px(12));
  ui.text(inner.x, inner.middle(), run.words, kSmall_px + 1, Role::text, Face::body, Anchor::start,
          inner.w);
  if (ui.button("show_run", button, label, Ui::Kind::normal)) show();
}

/// Whether the verdict's card leaves its reason to the right.
bool LabScreen::draw_centre(Ui& ui, Area area) {
  const float gap = gap_of(ui);
  if (const float h = TourBar::height(ui); h > 0) TourBar::draw(ui, area.take_top(h, gap));
  if (const auto kept = kept_bar(ui.state))
    draw_kept_bar(ui, area.take_top(ui.px(ui.is_compact ? kLowBar : kBar), gap), *kept);
  const std::string climb = climb_line(ui.state);
  if (!climb.empty() && ui.state.selection.lab == ui.state.first_climb.lab)
    draw_climb_line(ui, area.take_top(ui.px(36), gap), climb);
  else
    draw_run_elsewhere(ui, &area);
  const bool fills = ui.state.selection.view->fills && !ui.state.teaching.tour;
  if (const float h = params_bar_.height(ui, area.w); h > 0) {
    const Area line = area.take_top(h, gap);
    if (fills)
      draw_view_line(ui, line);
    else
      params_bar_.draw(ui, line);
  }
  if (fills) {
    chart_.draw(ui, area);
    draw_teaching_buttons(ui, area);
    return false;
  }
  // The strip is there when the ladder keeps its row height beside it. Counted from the number of
  // rungs and not from what the chart needs now: results must not move the panels as they arrive.
  const auto rows = static_cast<float>(
      std::count_if(ui.state.ladder.rows.begin(), ui.state.ladder.rows.end(),
                    [&](const RungView& row) { return !is_folded(ui.state, *row.rung); }));
  const bool learning = is_learning(ui.state);
  const VerdictCard::Room verdict = verdict_room(ui, chart_, area, rows);
  const float spare =
      area.h - verdict.height - gap - (ui.px(kStrip) + gap) - ui.px(kLadder + kRow * rows);
  if ((spare >= 0 && !learning) || ui.state.view.strip == Strip::telemetry) {  // asked for: shown
    const float more = std::clamp(spare - ui.px(kRoomierRow - kRow) * rows, 0.0f, ui.px(kStrip));
    strip_.draw(ui, area.take_bottom(std::min(ui.px(kStrip) + more, area.h * 0.4f), gap));
  }
  if (verdict.height > 0)
    VerdictCard::draw(ui, area.take_bottom(verdict.height, gap), verdict.is_reason_beside);
  if (const float h = predict_.height(ui); h > 0) predict_.draw(ui, area.take_bottom(h, gap));
  chart_.draw(ui, area);
  draw_teaching_buttons(ui, area);
  return verdict.is_reason_beside;
}

void LabScreen::draw(Ui& ui, Area all) {
  const Appearance& look = ui.state.appearance;
  const float gap = gap_of(ui);
  const bool narrow = ui.window.w < ui.px(kNarrow);
  // Narrow: the rail goes first, since the chart's rows and the keys do all that it does.
  const float most = all.w - 2 * gap;
  if (!narrow) {
    const float share = is_learning(ui.state) ? 0.16f : 0.26f;
    const Area left = all.take_left(std::min(ui.px(look.left_width), most * share), gap);
    left_rail_.draw(ui, left);
    splitter(ui, "split_left", {left.right(), left.y, gap, left.h}, left.w, &Appearance::left_width,
             1);
  }
  // 600 px show 70 columns of code; a smaller window keeps seven tenths for the rest.
  constexpr float kWidestCode = 600;
  const float share = narrow ? 0.34f : is_learning(ui.state) ? 0.26f : 0.3f;
  const float fitting = std::min(ui.px(kWidestCode), most * share);
  const float chosen =
      look.right_width > 0 ? std::min(ui.px(look.right_width), most * 0.55f) : fitting;
  const Area right = all.take_right(chosen, gap);
  Area upper = right;
  if (draw_centre(ui, all)) VerdictCard::draw_reason(ui, &upper, gap);
  right_.draw(ui, upper);
  splitter(ui, "split_right", {right.x - gap, right.y, gap, right.h}, right.w,
           &Appearance::right_width, -1);
}

}  // namespace

std::unique_ptr<Screen> make_lab_screen() {
  return std::make_unique<LabScreen>();
}

}  // namespace ridge::window
