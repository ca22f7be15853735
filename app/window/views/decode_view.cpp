#include "app/window/views/decode_view.h"

#include "app/query/decode.h"
#include "app/window/shell/actions.h"
#include "app/window/views/model_bar.h"
#include "common/record/derive.h"

namespace ridge::window {
namespace {

ModelShape shape_in_view(const State& state) {
  ModelShape shape = state.model;
  shape.gpu = decodes_on_gpu(state);
  return shape;
}

Params threads_in_view(const State& state) {
  const Params shown = shown_params(state);
  const auto threads = shown.find("threads");
  return threads == shown.end() ? Params() : Params{*threads};
}

}  // namespace

chart::ChartModel decode_of(const State& state, std::vector<std::string>* kernels) {
  if (const std::string why = why_no_decode(state); !why.empty()) {
    chart::ChartModel none{.id = "decode", .summary = why};
    none.plot = chart::Plot{.empty_reason = why};
    return none;
  }
  const bool is_saved = state.is_replay() && state.run().environment();
  const app::DecodeSource from = is_saved ? app::from_saved(state.run(), state.recordings)
                                          : app::DecodeSource{&state.run(), state.recordings, ""};
  const app::Decode decode = app::fill_decode(shape_in_view(state), threads_in_view(state), from);
  for (const app::DecodeWith& type : decode.types) kernels->push_back(type.kernel);
  return app::chart_of(decode);
}

bool decodes_on_gpu(const State& state) {
  return backend_of(state.view.rung) == "cuda";
}

void decode_on(State& state, bool gpu) {
  for (const DecodeType& type : decode_types()) {
    const auto& kernels = gpu ? type.gpu : type.cpu;
    if (!kernels.empty()) return select_rung(state, kernels.front());
  }
}

void run_decode(State& state) {
  WorkRequest request =
      app::decode_request(shape_in_view(state), threads_in_view(state), state.run());
  request.lab = state.view.lab->id;
  send(state, std::move(request), &state.run_request);
}

std::string why_no_decode(const State& state) {
  const bool any = state.view.lab && state.view.lab->decodes_model;
  return any ? "" : "This lab has no types of weights to decode with: Quantization has.";
}

std::string why_no_run_decode(const State& state) {
  if (std::string why = why_no_decode(state); !why.empty()) return why;
  if (std::string why = why_no_work(state); !why.empty()) return why;
  const bool any = !app::decode_request(shape_in_view(state), {}, state.run()).kernels.empty();
  return any ? "" : "No rung that decodes runs on this machine.";
}

namespace {

std::span<const Action> decode_actions() {
  static const Action kActions[] = {{"run_decode",
                                     "Run each type of weights at the model's shapes",
                                     {},
                                     why_no_run_decode,
                                     run_decode}};
  return kActions;
}

}  // namespace

const ViewDesc kDecodeView = {
    .id = "decode",
    .label = "Decode",
    .title = "Decode: a model's tokens and joules with each type of weights",
    .blocker = why_no_decode,
    .build = [](const State& state, ChartRows* rows) { return decode_of(state, &rows->kernels); },
    .bar = {.height_px = kModelBar_px, .draw = draw_processor_bar},
    .foot = {"run_decode", "Run these types"},
    .actions = decode_actions};

}  // namespace ridge::window
