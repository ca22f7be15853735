#include "app/window/views/model_views.h"

#include <algorithm>

#include "app/query/decode.h"
#include "app/query/model_pairs.h"
#include "app/query/workload.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/worker_requests.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/stale_words.h"

namespace ridge::window {
namespace {

/// What a part does not name, for the selected rung.
Params other_params(const State& state, const RungView& row) {
  return row.info ? params_for(state, *row.info) : view_params(state, nullptr);
}

Params threads_in_view(const State& state) {
  const Params shown = shown_params(state);
  const auto threads = shown.find("threads");
  return threads == shown.end() ? Params() : Params{*threads};
}

/// "Winograd (the direct tile)": what its plan chose, where a word or three say it. A rung that falls back wins nothing
/// with the method that it is named after.
std::string name_with_way(const Rung& rung, const std::string& note) {
  constexpr size_t kLongest = 20;
  const std::string way = note.substr(0, note.find_first_of(":,;"));
  return way.empty() || way.size() > kLongest ? rung.title
                                              : std::string(rung.title) + " (" + way + ")";
}

/// Of all that was measured on this machine, whichever lab's rung it was.
void find_fastest(const State& state, const app::PublishedRow& part, int64_t calls,
                  chart::WorkloadRow* out) {
  const Series* best = app::fastest_call(state.run(), part, state.selection.cache);
  if (!best) return;
  const Rung* rung = rung_of(best->kernel);
  out->fastest = rung ? name_with_way(*rung, best->note) : rung_title(state.ladder, best->kernel);
  out->fastest_s = best->stats->median_ns * 1e-9 * static_cast<double>(calls);
}

/// Of the lab's networks, the one that was chosen above the view.
size_t network_in_view(const State& state) {
  const auto& all = state.selection.lab->workloads;
  const auto chosen = std::find_if(
      all.begin(), all.end(), [&](const Workload& one) { return one.id == state.options.network; });
  return chosen == all.end() ? 0 : static_cast<size_t>(chosen - all.begin());
}

/// The lab's own, or the phase in view of the model that is described, by the selected rung's processor.
Workload workload_in_view(const State& state, const RungView& row) {
  const Lab& lab = *state.selection.lab;
  if (!lab.serves_model) return lab.workloads[network_in_view(state)];
  ModelShape shape = state.options.model;
  shape.gpu = backend_of(row.rung->kernel) == Backend::cuda;
  shape.dtype = shape.gpu ? "bf16" : "fp32";
  const ModelRungs rungs = app::model_rungs(shape, other_params(state, row), state.run());
  return model_workloads(shape, rungs)[state.options.model_decodes ? 1 : 0];
}

/// Another size's rate, where this shape was not measured and that size is not far from it.
void take_nearest(const State& state, const WorkloadPart& part, const app::PublishedRow& filled,
                  chart::WorkloadRow* out) {
  const app::Reckoned near =
      app::reckon(state.run(), state.sessions.recordings, part, filled, state.selection.cache);
  if (!near.series) return;
  const std::string size = near.size.empty() ? "this shape" : near.size;
  const std::string where = near.machine.empty() ? "" : ", recorded on " + near.machine;
  if (near.farthest > app::kTooFar) {
    out->why = "not run; measured at " + size + where + ", too far from this shape";
    return;
  }
  out->time_s = near.series->stats->median_ns * 1e-9 * near.scale * static_cast<double>(part.calls);
  out->how = "at the rate of " + size + where;
  out->label = with_stale(out->label, near.series->stale);
  out->why.clear();
}

/// The rung whose shares are shown: the selected one. A rung that is wrong by design has no time at any shape; the next
/// one that is right stands in for it.
const RungView* workload_row(const State& state) {
  const auto& rows = state.ladder.rows;
  const auto selected = std::find_if(rows.begin(), rows.end(), [&](const RungView& row) {
    return row.rung->kernel == state.selection.rung;
  });
  const auto right =
      std::find_if(selected, rows.end(), [](const RungView& row) { return !row.rung->wrong; });
  return right == rows.end() ? nullptr : &*right;
}

}  // namespace

chart::ChartModel workload_of(const State& state) {
  chart::WorkloadInput input;
  const RungView* row = workload_row(state);
  if (!state.selection.lab || !has_workload(*state.selection.lab) || !row) {
    input.title = "This lab has no workload";
    return chart::workload_chart(input);
  }
  const Workload workload = workload_in_view(state, *row);
  input.title = workload.title, input.note = workload.note, input.tokens = workload.tokens;
  input.printed_parameters = workload.printed_parameters;
  input.rung = state.selection.lab->serves_model ? "our rungs" : row->rung->title;
  input.machine = row->can_run || row->origin != Origin::recorded ? "" : row->machine;
  const Table table = app::workload_table(workload, row->rung->kernel, other_params(state, *row));
  const auto filled = app::fill_table(table, state.run(), 0, state.sessions.recordings, {});
  input.rows = app::workload_rows(workload, filled);
  for (size_t i = 0; i < filled.size(); ++i) {
    const WorkloadPart& part = workload.parts[i];
    if (!input.rows[i].time_s) take_nearest(state, part, filled[i], &input.rows[i]);
    find_fastest(state, filled[i], part.calls, &input.rows[i]);
  }
  input.binds = app::what_binds(input.rows, state.run(), table);
  return chart::workload_chart(input);
}

bool has_workload(const Lab& lab) {
  return lab.serves_model || !lab.workloads.empty();
}

void run_workload(State& state) {
  const RungView* row = workload_row(state);
  if (!row || !row->info || !has_workload(*state.selection.lab)) return;
  const Workload workload = workload_in_view(state, *row);
  WorkRequest request = request_for(state, RequestType::run);
  request.cache = CacheMode::hot;
  request.kernels = app::workload_requests(
      app::workload_table(workload, row->rung->kernel, other_params(state, *row)));
  send(state, std::move(request), &state.requests.run);
}

namespace {

std::string workload_blocker(const State& state) {
  return state.selection.lab && has_workload(*state.selection.lab) ? ""
                                                                   : "This lab has no workload.";
}

std::string run_workload_blocker(const State& state) {
  const std::string why = workload_blocker(state);
  return why.empty() ? run_selected_blocker(state) : why;
}

std::span<const Action> workload_actions() {
  static const Action kActions[] = {{"run_workload",
                                     "Run the selected rung at the workload's shapes",
                                     {},
                                     run_workload_blocker,
                                     run_workload}};
  return kActions;
}

}  // namespace

const ViewDesc kWorkloadView = {
    .id = "workload",
    .label = "Workload",
    .title = "Workload: a network's products with the selected rung",
    .place = 110,
    .blocker = workload_blocker,
    .build = [](const State& state, ChartRows*) { return workload_of(state); },
    .bar = {.height_px = kModelBar_px,
            .draw = draw_workload_bar,
            .is_shown =
                [](const State& state) {
                  const Lab& lab = *state.selection.lab;
                  return lab.serves_model || lab.workloads.size() > 1;
                }},
    .foot = {"run_workload", "Run these shapes"},
    .actions = workload_actions};
RIDGE_VIEW(kWorkloadView);

// ---- the bar with the model's numbers -----------------------------------------------------------

namespace {

std::string count_text(int64_t value) {
  return std::to_string(value);
}

void draw_phases(Ui& ui, const Area& area) {
  const int clicked =
      ui.segments("phase", area, {"prefill", "decode"}, ui.state.options.model_decodes ? 1 : 0);
  if (clicked < 0) return;
  ui.dispatch([clicked](State& state) {
    state.options.model_decodes = clicked == 1;
    state.ladder.dirty = true;
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
  const ModelShape& model = ui.state.options.model;
  Area lines = area.inset(ui.px(8), ui.px(5));
  Area line = lines.take_top((lines.h - ui.px(6)) / 2, ui.px(6));
  const Area left = line.take_left(ui.px(140), ui.px(14));
  draw_left(ui, left);
  const auto draw = [&](const Stops<int64_t>& stops, int64_t ModelShape::*value) {
    draw_stops(ui, &line, stops, model.*value, count_text, [value](State& state, int64_t chosen) {
      state.options.model.*value = chosen;
      while (state.options.model.heads % state.options.model.heads_kv != 0)
        --state.options.model.heads_kv;  // 96 have no 64
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

void draw_workload_bar(Ui& ui, Area area) {
  const Lab& lab = *ui.state.selection.lab;
  if (lab.serves_model) return draw_model_bar(ui, area, draw_phases);
  std::vector<std::string> names;
  for (const Workload& one : lab.workloads)
    names.push_back(one.title.substr(0, one.title.find(',')));
  Area line = area.inset(ui.px(8), (area.h - ui.px(30)) / 2);
  const int clicked =
      ui.segments("network", line.take_left(ui.px(150) * static_cast<float>(names.size()), 0),
                  names, static_cast<int>(network_in_view(ui.state)));
  if (clicked < 0) return;
  ui.dispatch([id = lab.workloads[static_cast<size_t>(clicked)].id](State& state) {
    state.options.network = id;
    state.ladder.dirty = true;
  });
}

void draw_processor_bar(Ui& ui, Area area) {
  draw_model_bar(ui, area, draw_processors);
}

// ---- the view Two models -------------------------------------------------------------------------

namespace {

/// The types of weights that a rung of this processor reads.
std::vector<const DecodeType*> types_for(bool gpu) {
  std::vector<const DecodeType*> found;
  for (const DecodeType& type : decode_types()) {
    if (!(gpu ? type.gpu : type.cpu).empty()) found.push_back(&type);
  }
  return found;
}

/// The model above the chart, by the selected rung's processor.
ModelShape described_model(const State& state) {
  ModelShape shape = state.options.model;
  shape.gpu = backend_of(state.selection.rung) == Backend::cuda;
  const auto types = types_for(shape.gpu);
  const bool has_type = std::any_of(types.begin(), types.end(), [&](const DecodeType* type) {
    return shape.dtype == type->dtype;
  });
  if (!has_type) shape.dtype = types.front()->dtype;
  return shape;
}

/// The kept baseline and the model above; without one the two that were compared last, as in a saved run.
std::optional<app::ModelPair> models_in_view(const State& state) {
  if (!state.options.model_baseline) return app::last_model_pair(state.run());
  const Params threads = threads_in_view(state);
  return app::ModelPair{{*state.options.model_baseline, threads, {}},
                        {described_model(state), threads, {}}};
}

chart::ChartModel models_chart(const State& state, ChartRows* /*rows*/) {
  if (const auto pair = models_in_view(state)) return app::chart_of(*pair, state.run());
  chart::ChartModel none{.id = "models", .title = "Two models"};
  none.summary =
      "Describe a model above and keep it as the baseline. Then change what you like, and compare "
      "both: every product and the attention in pairs, at the shapes of either.";
  none.plot = chart::Plot{.empty_reason = none.summary};
  return none;
}

void draw_types(Ui& ui, const Area& area) {
  const auto types = types_for(backend_of(ui.state.selection.rung) == Backend::cuda);
  Stops<int64_t> stops{"model_dtype", "type", "Type of the weights when decoding.", {}};
  int64_t chosen = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    stops.values.push_back(static_cast<int64_t>(i));
    if (described_model(ui.state).dtype == types[i]->dtype) chosen = static_cast<int64_t>(i);
  }
  Area line = area;
  draw_stops(
      ui, &line, stops, chosen,
      [&](int64_t index) { return std::string(types[static_cast<size_t>(index)]->dtype); },
      [types](State& state, int64_t index) {
        state.options.model.dtype = types[static_cast<size_t>(index)]->dtype;
      });
}

std::string models_blocker(const State& state) {
  return state.selection.lab && state.selection.lab->serves_model
             ? ""
             : "This lab describes no model: Attention does.";
}

std::string keep_blocker(const State& state) {
  if (std::string why = models_blocker(state); !why.empty()) return why;
  return state.is_replay() ? leave_saved_run(state, "describe models") : "";
}

void keep_model(State& state) {
  state.options.model_baseline = described_model(state);
  state.notice = {"Kept as the baseline. Change the model above, then compare both.", false};
  state.ladder.dirty = true;
}

std::string compare_models_blocker(const State& state) {
  if (std::string why = keep_blocker(state); !why.empty()) return why;
  if (std::string why = work_blocker(state); !why.empty()) return why;
  return state.options.model_baseline ? "" : "Keep a model as the baseline first.";
}

void tell_models(State& state, const Request& last) {
  if (last.status == RequestStatus::cancelled) return;
  if (const auto pair = models_in_view(state))
    state.notice = {app::chart_of(*pair, state.run()).summary, false};
}

void compare_models(State& state) {
  if (must_list_again(state)) return run_ladder(state);
  const auto pair = models_in_view(state);
  if (!pair) return;
  const auto phases = app::model_phases(pair->baseline, pair->candidate, state.run());
  Sequence parts{.name = "Part",
                 .left = app::model_requests(pair->baseline, pair->candidate, phases),
                 .over = tell_models};
  start_sequence(state, std::move(parts));
}

std::span<const Action> model_pair_actions() {
  static const Action kActions[] = {
      {"keep_model", "Keep this model as the baseline", {}, keep_blocker, keep_model},
      {"compare_models",
       "Compare the model with the one that was kept",
       {},
       compare_models_blocker,
       compare_models}};
  return kActions;
}

}  // namespace

const ViewDesc kModelPairView = {
    .id = "models",
    .label = "Two models",
    .title = "Two models: parts in pairs, and tokens per second of both",
    .place = 115,
    .blocker = models_blocker,
    .build = models_chart,
    .bar = {.height_px = kModelBar_px,
            .draw = [](Ui& ui, Area area) { draw_model_bar(ui, area, draw_types); }},
    .foot = {"compare_models", "Compare both"},
    .beside_foot = {"keep_model", "Keep as baseline"},
    .actions = model_pair_actions};
RIDGE_VIEW(kModelPairView);

// ---- the view Decode ----------------------------------------------------------------------------

namespace {

ModelShape shape_in_view(const State& state) {
  ModelShape shape = state.options.model;
  shape.gpu = decodes_on_gpu(state);
  return shape;
}

}  // namespace

chart::ChartModel decode_of(const State& state, std::vector<std::string>* kernels) {
  if (const std::string why = decode_blocker(state); !why.empty()) {
    chart::ChartModel none{.id = "decode", .summary = why};
    none.plot = chart::Plot{.empty_reason = why};
    return none;
  }
  const bool is_saved = state.is_replay() && state.run().environment();
  const app::DecodeSource from =
      is_saved ? app::from_saved(state.run(), state.sessions.recordings)
               : app::DecodeSource{&state.run(), state.sessions.recordings, ""};
  const app::Decode decode = app::fill_decode(shape_in_view(state), threads_in_view(state), from);
  for (const app::DecodeWith& type : decode.types) kernels->push_back(type.kernel);
  return app::chart_of(decode);
}

bool decodes_on_gpu(const State& state) {
  return backend_of(state.selection.rung) == Backend::cuda;
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
  request.lab = state.selection.lab->id;
  send(state, std::move(request), &state.requests.run);
}

std::string decode_blocker(const State& state) {
  const bool any = state.selection.lab && state.selection.lab->decodes_model;
  return any ? "" : "This lab has no types of weights to decode with: Quantization has.";
}

std::string run_decode_blocker(const State& state) {
  if (std::string why = decode_blocker(state); !why.empty()) return why;
  if (std::string why = work_blocker(state); !why.empty()) return why;
  const bool any = !app::decode_request(shape_in_view(state), {}, state.run()).kernels.empty();
  return any ? "" : "No rung that decodes runs on this machine.";
}

namespace {

std::span<const Action> decode_actions() {
  static const Action kActions[] = {{"run_decode",
                                     "Run each type of weights at the model's shapes",
                                     {},
                                     run_decode_blocker,
                                     run_decode}};
  return kActions;
}

}  // namespace

const ViewDesc kDecodeView = {
    .id = "decode",
    .label = "Decode",
    .title = "Decode: tokens per second and energy for each type of weights",
    .place = 120,
    .blocker = decode_blocker,
    .build = [](const State& state, ChartRows* rows) { return decode_of(state, &rows->kernels); },
    .bar = {.height_px = kModelBar_px, .draw = draw_processor_bar},
    .foot = {"run_decode", "Run these types"},
    .actions = decode_actions};
RIDGE_VIEW(kDecodeView);

}  // namespace ridge::window
