// What a step's Explain says beside its bars: what came of the prediction, the tour's words, why the rung's lesson says it is
// so, what it expects to limit the rung, what this run says to that, and the lesson's question. With a tour's words alone a
// room would look at an empty half.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/window/panels/lesson_tab.h"
#include "app/window/shell/ui.h"
#include "app/window/teach/figures.h"
#include "app/window/teach/measured_limit.h"
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
  /// A part of what stands on a wall.
  struct WallWords {
    std::string text = {};
    float size = 0;
    Role role = Role::text;
    Face face = Face::body;
    bool has_figures = false;
    const LessonBlock* block = nullptr;  ///< in place of the text
    const char* widget = "";
    bool is_repeated = false;  ///< Reveal has said it
  };
  std::vector<WallWords> wall_words(const Ui& ui, const study::TourStep& step, const StepBars& bars,
                                    const StepOutcome& outcome, const std::string& said);
  /// Their height; drawn unless it only measures.
  float lay_on_wall(Ui& ui, Area rest, const std::vector<WallWords>& all, float by, bool measure);
  void draw_on_wall(Ui& ui, Area* rest, float room, std::vector<WallWords> all);
  void draw_lesson(Ui& ui, Area* rest, const study::TourStep& step, const StepBars& bars,
                   const LessonBar& bar);
  /// What the lesson says of the rung's limit, as an expectation where the run does not confirm it; null: nothing.
  const LessonBlock* expected_words(const LessonBlock* expected, const MeasuredLimit& measured);
  void draw_limit(Ui& ui, Area* rest, const LessonBar& bar);
  FigureTexts figures_;
  LessonText lesson_;
  LessonBlock expected_;                  ///< of expected_words()
  std::map<std::string, int> unsettled_;  ///< what a run could not confirm: the step that said so
  int page_ = 0;                          ///< of Teaching::pages, those it has turned
  bool was_open_ = false;                 ///< the question's answer, when it was drawn last
};

/// Of a lesson that counts at one size, beside bars of others, one sentence; empty: a bar of that rung is of its size.
std::string other_size(const State& state, const StepBars& bars, const LessonBar& bar,
                       const Params& counted);

/// The bar that a step is about: the one that its answer names, else the last, which its question names; of a verdict the
/// last of ours. Null: a rung beside itself, one rung at two settings, a choice about all of them, no bar at all.
const LessonBar* bar_explained(const study::TourStep& step, const StepBars& bars,
                               const StepOutcome& outcome);

}  // namespace ridge::window
