// The view "Batch": steps to an accuracy against the batch size, of the trainings of a run.
#include <algorithm>

#include "app/window/views/training_view.h"
#include "app/window/views/view.h"
#include "common/view/chart/batch.h"

namespace ridge::window {
namespace {

bool has_batches(const State& state) {
  const auto& params = state.selection.lab->params;
  return std::any_of(params.begin(), params.end(), [](const ParamView& param) {
    return param.name == std::string_view("batch") && param.stops.size() > 1;
  });
}

std::string batch_blocker(const State& state) {
  if (std::string why = trainings_blocker(state); !why.empty()) return why;
  return has_batches(state) ? "" : "The trainings of this lab have one batch size.";
}

/// The accuracy that trainings of this run were compared by last; empty: what half of the trainings reached.
std::optional<double> asked_target(const State& state) {
  std::optional<double> target;
  for (const Comparison& one : state.run().comparisons()) {
    if (one.trained && one.trained->target) target = one.trained->target;
  }
  return target;
}

chart::ChartModel build_batch(const State& state, ChartRows* rows) {
  *rows = training_rows(state);
  return chart::batch_chart(
      rows->rows, {.metric = state.selection.lab->quality_metric, .target = asked_target(state)});
}

const ViewDesc kBatchView = {.id = "batch",
                             .label = "Batch",
                             .title = "Batch: steps to an accuracy against the batch size",
                             .place = 135,
                             .level = Level::kLab,
                             .blocker = batch_blocker,
                             .build = build_batch};
RIDGE_VIEW(kBatchView);

}  // namespace
}  // namespace ridge::window
