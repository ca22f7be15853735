// A warp's request as the diagram engine draws it, with what leads to the next one above it.
#pragma once

#include <string>

#include "app/window/shell/ui.h"
#include "common/record/kernel_counts.h"
#include "common/view/chart/model.h"

namespace ridge::window {

/// Has room for the highest request of the warp, so that nothing under it moves from step to step.
class StepsPicture {
 public:
  /// Counts with requests. Returns the height taken.
  float draw(Ui& ui, Area area, const KernelCounts& counts);

 private:
  void lay_out(Ui& ui, const KernelCounts& counts, const Area& area);
  static void draw_controls(Ui& ui, Area line, const KernelCounts& counts);

  std::string of_;  ///< what scene_ was laid out of
  chart::Scene scene_;
  std::string room_of_;  ///< what the heights were measured of
  float words_h_ = 0, picture_h_ = 0;
};

}  // namespace ridge::window
