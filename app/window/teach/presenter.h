// Presenter mode and tours: which beat the room is at, what Page Down does next, which rungs are on the wall;
// and the bar of a tour.
#pragma once

#include <string>
#include <vector>

#include "app/study/tour.h"
#include "app/window/shell/ui.h"
#include "app/window/teach/figures.h"
#include "app/window/views/chart_rows.h"

namespace ridge::window {

/// What presenting changes, as it was when it began.
struct BeforePresenting {
  Selection selection;
  ViewState view;
  Appearance appearance;
};

/// Into presenter mode: ×1.6, one rung at a time. Out of it: everything as it was.
void toggle_presenter(State& state);

/// Page Down and Page Up: predict, run, reveal, explain; then the next rung, or the tour's next step.
std::string advance_blocker(const State& state);
void advance(State& state);
void go_back(State& state);

/// At most three kernel ids in the ladder's order: baseline, selection, and the tour's or the best.
std::vector<std::string> presented(const State& state);
/// The selected rung's result is not shown before the reveal.
bool is_hidden(const State& state);
/// Their chart: few rows, two panels; of a tour, the view that its step asks for.
chart::ChartModel presented_chart(const State& state);

/// The one figure on the wall, and what it is; at predict what is known so far.
struct PresentedFigure {
  std::string figure, about;
  chart::Role role = chart::Role::text;
  int arrow = 0;  ///< 1 up, -1 down
};
PresentedFigure presented_figure(const State& state);
/// What to ask at predict, what to say at explain: of the tour, else the lab's own words.
std::string presented_words(const State& state);

// ---- tours ----
/// `step`: where it goes on, from 0; less than its steps.
void start_tour(State& state, const std::string& id, int step = 0);
void end_tour(State& state);
const study::TourStep* tour_step(const State& state);
/// "step 2 of 8 · 4 of 15 min"
std::string tour_clock(const State& state);
/// True when the clock shows another minute than before.
bool tick_tour(State& state, double now_s);

// ---- drawn --------------------------------------------------------------------------------

/// A tour in the lab: its question or words with the clock.
struct TourBar {
  /// 0 while no tour is on.
  float height(Ui& ui, float width);
  void draw(Ui& ui, Area area);

 private:
  FigureTexts figures_;
};

/// The list behind J.
void draw_tours(Ui& ui);

}  // namespace ridge::window
