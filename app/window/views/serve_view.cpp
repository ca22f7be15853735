#include "app/window/views/serve_view.h"

#include <algorithm>

#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "common/core/format.h"
#include "common/view/chart/serving.h"

namespace ridge::window {
namespace {

bool is_served(const State& state, const RungView& row) {
  return state.selection.lab->served &&
         std::string_view(row.rung->kernel)
             .starts_with(std::string(state.selection.lab->served) + ".");
}

const Stops<int64_t> kBatch = {"queue_batch",
                               "batch limit",
                               "Most requests in a step. A larger step serves more for hardly more "
                               "time, and each of them waits for it.",
                               {1, 2, 4, 8, 16, 32, 64}};
const Stops<double> kWait = {"queue_wait",
                             "waits",
                             "How long an idle machine waits for a second request after the first.",
                             {0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05}};
const Stops<int64_t> kPrompt = {"queue_prompt",
                                "keys",
                                "Keys in the cache before a request's first token.",
                                {64, 256, 512, 1024, 2048, 4096, 16384}};
const Stops<double> kLimit = {"queue_limit",
                              "limit of the p99",
                              "What 99 % of the requests are to be served within.",
                              {0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1}};

constexpr float kNamed = 980;  // where the button has room for the rung's name

std::string shown(int64_t value) {
  return std::to_string(value);
}
std::string shown(double seconds) {
  return seconds == 0 ? "0" : format_time_ns(seconds * 1e9);
}

}  // namespace

const RungView* served_row(const State& state) {
  const RungView* last = nullptr;
  if (!state.selection.lab) return nullptr;
  for (const RungView& row : state.ladder.rows) {
    if (!is_served(state, row) || row.rung->peer) continue;
    if (state.selection.rung == row.rung->kernel) return &row;
    const auto& served = state.run().servings();
    const bool shown = !served.empty() && served.back().kernel == row.rung->kernel;
    if (state.is_replay() ? shown : row.can_run) last = &row;
  }
  return last;
}

chart::ChartModel serve_of(const State& state) {
  const RungView* row = served_row(state);
  const Serving* found = nullptr;
  for (const Serving& one : state.run().servings()) {
    if (row && one.kernel == row->rung->kernel) found = &one;
  }
  return chart::serving_chart(found);
}

std::string queue_blocker(const State& state) {
  return state.selection.lab && state.selection.lab->served
             ? ""
             : "No rung of this lab serves requests.";
}

std::string serve_blocker(const State& state) {
  if (const std::string why = queue_blocker(state); !why.empty()) return why;
  if (const std::string why = work_blocker(state); !why.empty()) return why;
  const RungView* row = served_row(state);
  return row && row->can_run ? "" : "No rung that can run here serves requests.";
}

void run_serve(State& state) {
  const RungView* row = served_row(state);
  if (!row || !row->info) return;
  WorkRequest request = request_for(state, RequestType::serve);
  request.serve = state.options.serve;
  request.kernels.push_back({row->rung->kernel, params_for(state, *row->info)});
  send(state, std::move(request), &state.requests.run);
}

namespace {

/// Batch limit, waiting time, prompt, limit, and the button.
void draw_serve_bar(Ui& ui, Area area) {
  Area line = area.inset(ui.px(8), ui.px(5));
  const RungView* row = served_row(ui.state);
  const bool wide = area.w > ui.px(kNamed);
  const std::string label = row && wide ? std::string("Serve: ") + row->rung->title : "Serve";
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
  const Area button = line.take_right(std::min(w, line.w), ui.px(8));
  ui.action_button("run_serve", button, label, Ui::Kind::normal);
  const auto in_words = [](auto value) { return shown(value); };
  const auto draw = [&](const auto& stops, auto ServeAsked::*value) {
    draw_stops(ui, &line, stops, ui.state.options.serve.*value, in_words,
               [value](State& state, auto chosen) { state.options.serve.*value = chosen; });
  };
  draw(kBatch, &ServeAsked::batch_limit);
  draw(kWait, &ServeAsked::wait_s);
  draw(kLimit, &ServeAsked::limit_s);
  draw(kPrompt, &ServeAsked::prompt);
}

std::span<const Action> queue_actions() {
  static const Action kActions[] = {
      {"run_serve", "Serve a queue of requests", {}, serve_blocker, run_serve}};
  return kActions;
}

}  // namespace

const ViewDesc kQueueView = {
    .id = "queue",
    .label = "Queue",
    .title = "Queue: latency against load of the selected rung",
    .place = 160,
    .blocker = queue_blocker,
    .build = [](const State& state, ChartRows*) { return serve_of(state); },
    .bar = {.height_px = 40, .draw = draw_serve_bar},
    .actions = queue_actions};
RIDGE_VIEW(kQueueView);

}  // namespace ridge::window
