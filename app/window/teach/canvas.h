// The canvas of a lesson: one step with its question, its code, its bars and its explanation, and the end card of a tour.
// The tour's screen and the presenter draw the same one.
#pragma once

#include <array>
#include <string>

#include "app/window/panels/lab_panels.h"
#include "app/window/shell/ui.h"
#include "app/window/teach/end_card.h"
#include "app/window/teach/explain.h"
#include "app/window/teach/figures.h"
#include "app/window/teach/step_outcome.h"
#include "app/window/views/chart_view.h"
#include "app/window/views/diagram_view.h"

namespace ridge::window {

/// What the clicker does next, and how the presenter is left; empty outside it.
std::string stage_hint(const State& state);
/// What goes on at this step, where no notice stands in its place.
std::string step_status(const State& state);

class LessonCanvas {
 public:
  void draw(Ui& ui, Area area);

 private:
  /// What is drawn of this frame's step.
  struct Shown {
    study::TourStep step;
    StepBars bars;
  };
  static float head_height(const Ui& ui);
  static void draw_head(Ui& ui, Area area);
  static void draw_foot(Ui& ui, Area area);
  void draw_step(Ui& ui, Area area);
  void draw_left(Ui& ui, Area area, const Shown& shown);
  void draw_right(Ui& ui, Area area, const Shown& shown);
  float draw_text(Ui& ui, const Area& area, const std::string& text, float size, Face face);
  void draw_answer(Ui& ui, Area area, const Shown& shown);
  void draw_choices(Ui& ui, Area area, const Shown& shown) const;
  void draw_field(Ui& ui, Area area, const Shown& shown);
  static void draw_outcome(Ui& ui, const Area& area, const Shown& shown);
  static std::string ratio_sentence(const Shown& shown, const StepOutcome& outcome,
                                    bool presenting);
  void draw_code(Ui& ui, const Area& area, const Shown& shown);
  /// Of its panel, with code as small as it may be; 0: it is not known.
  float code_height(Ui& ui, const Shown& shown);
  void draw_explain(Ui& ui, Area area, const Shown& shown);
  void draw_explained(Ui& ui, const Area& area, const Shown& shown);
  bool shows_picture(const State& state, const Shown& shown);
  /// Of the rung that is explained. False: its lesson has none.
  bool find_diagram(const State& state, const Shown& shown);
  void draw_diagram(Ui& ui, const Area& area);
  /// The diagram that was found is whole in a panel of this size; also where there is none.
  bool fits_whole(Ui& ui, const Area& panel);
  /// The figure that the step names, over its rungs. False: it names none, or nothing is in it.
  bool draw_figure(Ui& ui, const Area& area, const Shown& shown);

  FigureTexts figures_;
  Explanation explanation_;
  ChartView figure_;
  std::string figure_of_;  ///< what `figure_` was built from
  DiffTab diff_;
  struct Picture {
    DiagramView view;
    DiagramView::Fenced fenced;  ///< its kernel is empty: there is none
  };
  /// The first is of the rung before, and empty where the step does not compare the two; the second is of the rung.
  std::array<Picture, 2> pictures_;
  std::string diagram_of_;  ///< the rung that `pictures_` were looked up for
  int diagram_page_ = 0;    ///< of Teaching::pages, those it has turned
  int code_page_ =
      -1;  ///< of Teaching::pages, the one after which the code stands there; below 0: not known yet
  EndPages end_pages_;
  bool has_more_ = false;  ///< some of this frame's explanation is below
};

}  // namespace ridge::window
