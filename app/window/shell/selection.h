// What is selected: the lab, two of its rungs, their parameters, the view; and what follows from it for each rung.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/request.h"
#include "common/record/serving.h"
#include "common/record/types.h"
#include "labs/lab.h"
#include "labs/workload.h"

namespace ridge::window {

struct State;
struct ViewDesc;                    ///< what the centre shows of the results (views/view.h)
extern const ViewDesc kLadderView;  ///< the first, which every lab has

/// What the person chose to look at and to measure.
struct Selection {
  const Lab* lab = nullptr;
  std::string rung;      ///< kernel id of the selected rung
  std::string baseline;  ///< kernel id; empty: none chosen
  Params params;         ///< of the lab's parameters those that were chosen: shown_params() has all
  RunMode mode = RunMode::measure;             ///< live or measure
  OpenEnum<CacheMode> cache = CacheMode::hot;  ///< of a saved run: any text
  std::string budget;     ///< of the comparisons to come, as it was typed (common/record/budget.h)
  bool counters = false;  ///< runs count a GPU's hardware events too, after the timing
  const ViewDesc* view = &kLadderView;
};

/// The value of dtype in the view that stands for: each rung in the first type it has.
inline constexpr const char* kOwnType = "own";

/// The parameters that a series was asked for: its own, or those that it was reduced from ("n=4096").
Params asked_params(const Series& series);

/// What this kernel is asked for: where it starts (in a saved run where it was measured, else the lab's
/// first look at its processor), and over it what was chosen, as far as the kernel takes it. What is
/// left out is the kernel's own default, which rungs of one lab need not share.
Params params_for(const State& state, const KernelInfo& info);
/// The same beside another kernel, starting where that one does: two sides of a comparison.
Params params_beside(const State& state, const KernelInfo& info, const KernelInfo& other);
/// A value for each parameter of the lab: what was chosen, else what the selected rung is asked for,
/// else any rung's default.
Params shown_params(const State& state);
/// Whether the selected rung has this parameter; of a rung that is not known all of them.
bool selected_takes(const State& state, const std::string& name);
/// Behind the lab's title: what the selected rung takes of the parameters that the bar under it has, and of the threads.
Params title_params(const State& state);
/// All parameters of the rung as the view asks for them: in its own first type where that is chosen.
Params view_params(const State& state, const KernelInfo* info);
/// The specification behind a parameter of the view: the selected rung's, else from any catalogue at
/// hand; null: unknown.
const ParamSpec* find_spec(const State& state, const std::string& name);
/// What may be chosen for a choice parameter: the choices of all rungs, and for dtype kOwnType.
std::vector<std::string> choices_of(const State& state, const std::string& name);

/// Of "n=1024 threads=2".
Result<Params> params_of_words(const std::string& assignments);
/// "4096 × 4096 × 4096 · fp32 · 2 threads": the view's parameters as a title says them.
std::string params_summary(const Lab& lab, const Params& params);

/// The choices of single views, each shown in that view's bar.
struct ViewOptions {
  std::string heat_x, heat_y;  ///< the heatmap's parameters; empty: as fits the lab
  int curve_of = 0;  ///< training curves: the task metric, the loss, the spread of the gradients
  bool curve_by_step = false;  ///< over steps in place of seconds
  /// Recorded trainings beside this machine's own; empty: only where it has none.
  std::optional<bool> curve_recorded{};
  /// Scaling: at work that grows with the ranks; empty: as the lab's amount of work is.
  std::optional<bool> weak_scaling{};
  ServeAsked serve;     ///< what the view Queue asks for
  std::string network;  ///< what the view Workload is of, in labs of networks; empty: the first
  ModelShape model;     ///< what the view Workload is of, in labs with a model
  bool model_decodes = false;                  ///< which of its two phases is shown
  std::optional<ModelShape> model_baseline{};  ///< kept beside it in the view Two models
};

enum class ChartCommand { none, fit, table, copy_value, copy_csv, copy_svg, save_csv, save_svg };

/// What an action asks of the chart in view, until it is drawn (run_chart_command() in chart_view.h).
struct ChartAsked {
  ChartCommand command = ChartCommand::none;
  int png_in_frames = 0;     ///< > 0: the chart's picture is saved after that many more frames
  bool png_copied = false;   ///< and then onto the clipboard
  bool png_of_card = false;  ///< the card of the climb in the chart's place
};

}  // namespace ridge::window
