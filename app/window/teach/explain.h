// What a step's Explain says beside its bars: what came of the prediction, the tour's words, why the rung's lesson says it is
// so, what it expects to limit the rung, what this run says to that, and the lesson's question. With a tour's words alone a
// room would look at an empty half.
#pragma once

#include <map>
#include <string>

#include "app/window/panels/lesson_tab.h"
#include "app/window/shell/ui.h"
#include "app/window/teach/figures.h"
#include "app/window/teach/step_outcome.h"

namespace ridge::window {

class Explanation {
 public:
  /// `said`: predicted against measured, one sentence.
  /// Whether there is more of it below.
  bool draw(Ui& ui, const Area& area, const study::TourStep& step, const StepBars& bars,
            const StepOutcome& outcome, const std::string& said);

  /// At the question, for who reads alone: the hints of the lesson, where it asks what the step asks.
  void draw_hints(Ui& ui, const Area& area, const study::TourStep& step);

 private:
  void draw_lesson(Ui& ui, Area* rest, const std::string& kernel);
  void draw_limit(Ui& ui, Area* rest, const LessonBar& bar);
  void fit(Ui& ui, const Area& area, const std::string& words, bool has_more);
  FigureTexts figures_;
  LessonText lesson_;
  std::map<std::string, int> unsettled_;  ///< what a run could not confirm: the step that said so
  int page_ = 0;                          ///< of Teaching::pages, those it has turned
  float fit_ = 1;                         ///< of the sizes on a wall
  int fit_frames_ = 0;                    ///< drawn with it
  std::string fitted_;                    ///< what it was found for
};

/// The bar that a step is about: the one that its answer names, else the last, which its question names; of a verdict the
/// last of ours. Null: a rung beside itself, one rung at two settings, a choice about all of them, no bar at all.
const LessonBar* bar_explained(const study::TourStep& step, const StepBars& bars,
                               const StepOutcome& outcome);
/// "Measured: L1 bandwidth limits “naive”, by 98.6 % of L1 throughput (counters)." Or why this run cannot confirm what the
/// lesson expects. Empty: it has no speed.
std::string measured_limit(const LessonBar& bar);

}  // namespace ridge::window
