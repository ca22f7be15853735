// What the views of the lab's centre were set to, and what an action asks of the chart in view.
#pragma once

#include <string>

#include "common/record/serving.h"
#include "labs/workload.h"

namespace ridge::window {

/// The choices of single views, each shown in that view's bar.
struct ViewOptions {
  std::string heat_x, heat_y;  ///< the heatmap's parameters; empty: as fits the lab
  int curve_of = 0;  ///< training curves: the task metric, the loss, the spread of the gradients
  bool curve_by_step = false;  ///< over steps in place of seconds
  ServeAsked serve;            ///< what the view Queue asks for
  ModelShape model;            ///< what the view Workload is of, in labs with a model
  bool model_decodes = false;  ///< which of its two phases is shown
};

enum class ChartCommand { none, fit, table, copy_value, copy_csv, copy_svg };

/// What an action asks of the chart in view, until it is drawn (run_chart_command() in chart_view.h).
struct ChartAsked {
  ChartCommand command = ChartCommand::none;
  int png_in_frames = 0;    ///< > 0: the chart's picture is saved after that many more frames
  bool png_copied = false;  ///< and then onto the clipboard
};

}  // namespace ridge::window
