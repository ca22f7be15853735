#include "app/window/views/model_bar.h"

#include "app/window/panels/stops.h"
#include "app/window/views/decode_view.h"

namespace ridge::window {
namespace {

std::string count_text(int64_t value) {
  return std::to_string(value);
}

void draw_phases(Ui& ui, const Area& area) {
  const int clicked =
      ui.segments("phase", area, {"prefill", "decode"}, ui.state.model_decodes ? 1 : 0);
  if (clicked < 0) return;
  ui.dispatch([clicked](State& state) {
    state.model_decodes = clicked == 1;
    state.dirty = true;
  });
}

void draw_processors(Ui& ui, const Area& area) {
  const bool gpu = decodes_on_gpu(ui.state);
  const int clicked = ui.segments("processor", area, {"CPU", "GPU"}, gpu ? 1 : 0);
  if (clicked >= 0 && (clicked == 1) != gpu)
    ui.dispatch([gpu](State& state) { decode_on(state, !gpu); });
}

/// The model's numbers; `draw_left` has the first place.
template <class Left>
void draw_model_bar(Ui& ui, Area area, const Left& draw_left) {
  static const Stops<int64_t> kLayers = {
      "model_layers", "layers", "Layers of the model.", {2, 8, 16, 24, 32, 48, 80, 96}};
  static const Stops<int64_t> kHeads = {"model_heads",
                                        "heads",
                                        "Heads of queries, 128 wide each: the model's width.",
                                        {8, 16, 32, 64, 96}};
  static const Stops<int64_t> kHeadsKv = {"model_heads_kv",
                                          "of keys",
                                          "Heads of keys and values, shared by those of queries.",
                                          {1, 2, 4, 8, 16, 32, 64, 96}};
  static const Stops<int64_t> kInner = {
      "model_inner", "FFN", "Inner width of the FFN.", {1024, 4096, 8192, 14336, 28672, 49152}};
  static const Stops<int64_t> kVocabulary = {
      "model_vocabulary", "vocabulary", "Tokens there are.", {8192, 32000, 51200, 128256}};
  static const Stops<int64_t> kPrompt = {
      "model_prompt", "prompt", "Tokens of each sequence.", {128, 512, 2048, 4096, 8192, 32768}};
  static const Stops<int64_t> kBatch = {
      "model_batch", "batch", "Sequences at once.", {1, 2, 4, 8, 16, 32, 64}};
  const ModelShape& model = ui.state.model;
  Area lines = area.inset(ui.px(8), ui.px(5));
  Area line = lines.take_top((lines.h - ui.px(6)) / 2, ui.px(6));
  const Area left = line.take_left(ui.px(140), ui.px(14));
  draw_left(ui, left);
  const auto draw = [&](const Stops<int64_t>& stops, int64_t ModelShape::*value) {
    draw_stops(ui, &line, stops, model.*value, count_text, [value](State& state, int64_t chosen) {
      state.model.*value = chosen;
      while (state.model.heads % state.model.heads_kv != 0)
        --state.model.heads_kv;  // 96 have no 64
    });
  };
  draw(kBatch, &ModelShape::batch);
  draw(kPrompt, &ModelShape::prompt);
  draw(kLayers, &ModelShape::layers);
  line = lines;
  draw(kHeads, &ModelShape::heads);
  draw(kHeadsKv, &ModelShape::heads_kv);
  draw(kInner, &ModelShape::inner);
  draw(kVocabulary, &ModelShape::vocabulary);
}

}  // namespace

void draw_phase_bar(Ui& ui, Area area) {
  draw_model_bar(ui, area, draw_phases);
}

void draw_processor_bar(Ui& ui, Area area) {
  draw_model_bar(ui, area, draw_processors);
}

}  // namespace ridge::window
