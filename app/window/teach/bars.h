// The bars of a step: how far each one's run is, then what came of it. No figure of a result stands in the first.
#pragma once

#include <string>

#include "app/window/shell/ui.h"
#include "app/window/teach/step.h"

namespace ridge::window {

/// Speed, time, share of the ceiling: what may be asked for is among them.
std::string figures_of(const LessonBar& bar, const std::string& unit);
/// The ceiling that all bars with a rate have, in their unit; none: they have several, or none is known.
std::optional<double> shared_ceiling(const StepBars& bars);

/// Progress of each bar's run, of the comparison behind them, and while they are measured of this machine's ceilings: a row
/// each.
size_t count_progress_rows(const State& state, const study::TourStep& step, const StepBars& bars);
void draw_step_progress(Ui& ui, const Area& area, const study::TourStep& step,
                        const StepBars& bars);
/// The bars as they are drawn: of a step that asks for a share of the ceiling each one's share, `value` and unit "share".
/// Where this run's ceiling is in doubt, a recording's stands in its place, since it judges the answer.
inline constexpr const char* kShareUnit = "share";
StepBars drawn_bars(const State& state, const study::TourStep& step, const StepBars& bars);
/// What the axis of the bars is, and what the lines on them are.
std::string step_bars_words(const State& state, const study::TourStep& step, const StepBars& bars);
/// Under the bars: the answer's row, and the words about them. In pixels, of a place that is `width` wide.
float step_bars_foot(Ui& ui, float width, const study::TourStep& step, const StepBars& bars);
/// Racing bars from zero, the answer as a line over the last of them with its words below, and the ceiling over all.
void draw_step_bars(Ui& ui, const Area& area, const study::TourStep& step, const StepBars& bars);

}  // namespace ridge::window
