// A lesson's diagram in its place: computed from the source that is shown and the parameters that are
// set, stepped by itself, by its slider, or by < and >. It goes through its steps once and rests at the
// last: a window that nobody touches draws nothing.
#pragma once

#include <optional>
#include <string>

#include "app/window/shell/ui.h"
#include "common/view/diagram/diagram.h"

namespace ridge::window {

class DiagramView {
 public:
  /// As the lesson has it.
  struct Fenced {
    std::string kernel, info, body;
  };
  /// Returns the height taken. `name` begins the names of its widgets: "<name>:play", ":step",
  /// ":less", ":more".
  float draw(Ui& ui, const Area& area, const std::string& name, const Fenced& fenced);

  /// The largest width, of `area`'s at most, at which all of it fits into `area`; no smaller than half. Where it fits at
  /// none with its words under it, they stand beside it from then on; where not even so, the width at which least is cut.
  float fitting_width(Ui& ui, const Area& area, const Fenced& fenced);
  /// At that width all of it fits.
  bool is_whole(Ui& ui, const Area& area, const Fenced& fenced);

 private:
  float height(Ui& ui, float width);
  void build(Ui& ui, const Fenced& fenced);
  void lay_out(Ui& ui, float width);
  void move(Ui& ui, bool is_seen);
  void step_to(int step);
  float draw_controls(Ui& ui, Area area, const std::string& name);
  float draw_knob(Ui& ui, Area area, const std::string& name);

  std::string made_of_;  ///< all that the diagram depends on
  std::optional<Result<diagram::Diagram>> made_;
  chart::Scene scene_;
  int step_ = 0, knob_ = 0, drawn_step_ = -1, fonts_version_ = -1;
  diagram::Words drawn_words_ = diagram::Words::below;
  float width_ = 0, font_px_ = 0;
  struct Fit {
    float w = 0, h = 0, font_px = 0;  ///< of the place, and of the type
    float width = 0;
    diagram::Words words = diagram::Words::below;
  };
  const Fit& find_fit(Ui& ui, const Area& area);

  diagram::Words words_ = diagram::Words::below;
  std::vector<Fit> fits_;  ///< found for this diagram: a place asks in each frame
  bool plays_ = false;
  double next_s_ = 0;  ///< ImGui's clock
};

}  // namespace ridge::window
