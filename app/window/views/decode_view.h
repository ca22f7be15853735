// The described model decoding with each type of weights (app/query/decode.h), by the selected rung's processor. No
// ImGui here.
#pragma once

#include "app/window/views/view.h"

namespace ridge::window {

/// A row for each type; `kernels` receives the rung that stands for it, empty where there is none.
chart::ChartModel decode_of(const State& state, std::vector<std::string>* kernels);
bool decodes_on_gpu(const State& state);
/// Selects that processor's first rung that decodes.
void decode_on(State& state, bool gpu);
/// Runs each type that this machine can, at the shapes of the model.
void run_decode(State& state);
std::string why_no_decode(const State& state);
std::string why_no_run_decode(const State& state);

extern const ViewDesc kDecodeView;

}  // namespace ridge::window
