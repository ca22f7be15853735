#include "common/view/chart/figures.h"

#include <algorithm>

#include "common/view/chart/batch.h"
#include "common/view/chart/frontier.h"
#include "common/view/chart/gradients.h"
#include "common/view/chart/message_times.h"
#include "common/view/chart/roofline.h"
#include "common/view/chart/scaling.h"
#include "common/view/chart/size_curve.h"
#include "common/view/chart/speed_error.h"
#include "common/view/chart/traffic.h"
#include "common/view/chart/training.h"

namespace ridge::chart {
namespace {

using Rows = std::span<const LadderRow>;

constexpr const char* kLoss = "loss";

/// By the task metric that the trainings were judged by, else by their loss.
ChartModel build_training(Rows rows, const FigureOptions&) {
  TrainingOptions options{.metric = kLoss};
  for (const LadderRow& row : rows) {
    const QualityCheck* check = row.series ? row.series->quality() : nullptr;
    if (!check || row.series->curve.empty() || check->task.empty()) continue;
    options.metric = check->task.begin()->first;
  }
  return training_chart(rows, options);
}

const Figure kFigures[] = {
    {.id =
         "ladder",  // the report makes its section itself: with labels that stand alone, and predictions
     .rows = FigureRows::kLadder,
     .build =
         [](Rows rows, const FigureOptions& options) {
           return ladder_chart(rows, {.task_metric = options.task_metric,
                                      .items = options.items,
                                      .per_item = options.per_item});
         }},
    {.id = "training",
     .rows = FigureRows::kTrainings,
     .build = build_training,
     .section = {.title = "Training",
                 .about = "Marks: judged on held-out data, which no training step saw. Pale: what "
                          "the batches say, as means over equal runs of steps. Seconds are those "
                          "of steps.",
                 .is_per_processor = false,
                 .table_behind = false}},
    {.id = "gradients",
     .rows = FigureRows::kTrainings,
     .build = [](Rows rows, const FigureOptions&) { return gradient_chart(rows); },
     .section = {.title = "Gradients",
                 .about = "How large the gradients are that flow back, the loss's scale included, "
                          "at the last step at which they were counted.",
                 .is_per_processor = false,
                 .table_behind = false},
     .is_view = false},
    {.id = "batch",
     .rows = FigureRows::kTrainings,
     .build = [](Rows rows, const FigureOptions&) { return batch_chart(rows); },
     .section = {.title = "Batch size and steps",
                 .about = "Steps to an accuracy that half of the trainings reached, at each batch "
                          "size. Where twice the batch no longer halves the steps, a larger batch "
                          "trains no sooner for the same images a second.",
                 .is_per_processor = false,
                 .task_metric = "accuracy"}},
    {.id = "roofline",
     .rows = FigureRows::kPath,
     .build = [](Rows rows, const FigureOptions&) { return roofline_chart(rows); },
     .section = {.title = "Roofline",
                 .about = "The rate of computing against arithmetic intensity, FLOP over the bytes "
                          "a call must move at least. The lines are ceilings measured on the same "
                          "machine: under a slope memory is the limit, under a level line the "
                          "arithmetic units are.",
                 .in_handout = true}},
    {.id = "sizes",
     .rows = FigureRows::kSizes,
     .build =
         [](Rows rows, const FigureOptions& options) {
           return size_curve_chart(rows, {.item = options.per_item ? one_of(options.items) : "",
                                          .param_titles = options.param_titles});
         },
     .section = {.title = "Speed against size", .in_handout = true, .needs = Several::kSizes}},
    {.id = "messages",
     .rows = FigureRows::kSizes,
     .build = [](Rows rows, const FigureOptions&) { return message_times_chart(rows); },
     .section = {.title = "Time against bytes",
                 .about = "A collective takes a delay, the number of its steps times that of a "
                          "message, and a time for each byte. The dashed lines are fitted to the "
                          "points: where two of them cross, one algorithm takes over.",
                 .needs = Several::kSizes}},
    {.id = "scaling",
     .rows = FigureRows::kCounts,
     .build =
         [](Rows rows, const FigureOptions& options) {
           return scaling_chart(rows,
                                {.of = options.scaling, .param_titles = options.param_titles});
         },
     .section = {.title = "Strong scaling",
                 .about = "How many times as fast the same work is when more share it, from times "
                          "of runs one after another. A curve that leaves the dashed line has a "
                          "part that more of them do not shorten, or costs of sharing.",
                 .needs = Several::kCounts}},
    {.id = "weak_scaling",
     .rows = FigureRows::kCounts,
     .build =
         [](Rows rows, const FigureOptions& options) {
           return scaling_chart(
               rows,
               {.of = options.scaling, .is_weak = true, .param_titles = options.param_titles});
         },
     .section = {.title = "Weak scaling",
                 .about = "Each has as much work however many they are: the time would stay as it "
                          "is, if sharing cost nothing.",
                 .needs = Several::kCounts},
     .is_view = false},
    {.id = "bandwidth",  // a report has a table of it
     .rows = FigureRows::kSizes,
     .build =
         [](Rows rows, const FigureOptions& options) {
           return size_curve_chart(rows, {.bandwidth = true, .param_titles = options.param_titles});
         }},
    {.id = "memory",
     .rows = FigureRows::kSizes,
     .build =
         [](Rows rows, const FigureOptions& options) {
           return size_curve_chart(rows, {.memory = true, .param_titles = options.param_titles});
         },
     .section = {.title = "Memory against size",
                 .about = "Inputs, outputs and what a rung keeps beside them. Where a line ends "
                          "before the others, that rung ran at no larger size; the notes say why.",
                 .needs = Several::kSizes}},
    {.id = "error",
     .rows = FigureRows::kTypes,
     .build =
         [](Rows rows, const FigureOptions& options) {
           return speed_error_chart(rows, {}, options.task_metric);
         },
     .section = {.id = "speed-error",
                 .title = "Speed against error",
                 .about =
                     "What each rung pays for its speed. Right of its gate it would have none.",
                 .in_handout = true}},
    {.id = "traffic",
     .rows = FigureRows::kLadder,
     .build = [](Rows rows, const FigureOptions&) { return traffic_chart(rows); },
     .section = {.title = "Expected and counted traffic",
                 .about = "What a model of the caches (sets, ways, lines, least recently used; no "
                          "prefetcher) expects each level to give in one call, what reads missed "
                          "as far as it was counted, and the time.",
                 .is_per_processor = false,
                 .ends_with_summary = true}},
    {.id = "frontier",
     .rows = FigureRows::kLadder,
     .build =
         [](Rows rows, const FigureOptions& options) {
           return frontier_chart(rows, {.metric = options.task_metric, .items = options.items});
         },
     .section = {.title = "Speed against accuracy",
                 .about =
                     "Right of the dashed line and above it there is no rung: only those on it "
                     "are worth choosing among. A rung that the gate refused has no speed and "
                     "is not recommended, however fast it may be.",
                 .task_metric = "accuracy"}},
};

}  // namespace

std::span<const Figure> figures() {
  return kFigures;
}

const Figure* find_figure(std::string_view id) {
  const auto found = std::find_if(std::begin(kFigures), std::end(kFigures),
                                  [&](const Figure& figure) { return figure.id == id; });
  return found == std::end(kFigures) ? nullptr : &*found;
}

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const Figure& figure : kFigures) {
    if (figure.is_view) names.emplace_back(figure.id);
  }
  return names;
}

bool is_empty(const ChartModel& model) {
  return model.plot ? !model.plot->empty_reason.empty() : model.rows.empty();
}

}  // namespace ridge::chart
