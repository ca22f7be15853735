// The views of labs with a network's products or a described model: its workload (labs/workload.h) with the selected
// rung, measured at its shapes, extrapolated where a call would be too long, else at the rate of the nearest size that
// there is; and its decoding (app/query/decode.h).
#pragma once

#include "app/window/shell/ui.h"
#include "app/window/views/view.h"
#include "common/view/chart/workload.h"

namespace ridge::window {

/// The network that was chosen, or the model that is described; a lab without either gives a chart that says so.
chart::ChartModel workload_of(const State& state);
/// Of its own, or of a model that the learner describes.
bool has_workload(const Lab& lab);
/// Runs the selected rung at the shapes of the workload.
void run_workload(State& state);

// ---- the view Decode: the model with each type of weights, by the selected rung's processor -----

/// A row for each type; `kernels` receives the rung that stands for it, empty where there is none.
chart::ChartModel decode_of(const State& state, std::vector<std::string>* kernels);
bool decodes_on_gpu(const State& state);
/// Selects that processor's first rung that decodes.
void decode_on(State& state, bool gpu);
/// Runs each type that this machine can, at the shapes of the model.
void run_decode(State& state);
std::string decode_blocker(const State& state);
std::string run_decode_blocker(const State& state);

extern const ViewDesc kDecodeView;

// ---- the bar above both: the model's numbers ----------------------------------------------------

inline constexpr float kModelBar_px = 76;  ///< its height at scale 1

/// Beside the numbers: prefill or decode. In a lab of networks: which of them.
void draw_workload_bar(Ui& ui, Area area);
/// Beside the numbers: CPU or GPU.
void draw_processor_bar(Ui& ui, Area area);

}  // namespace ridge::window
