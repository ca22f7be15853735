#include "common/view/chart/stages.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/format.h"
#include "common/record/stale_words.h"

namespace ridge::chart {
namespace {

struct StagesChart {
  ChartModel model;
  Panel alone{.title = "Alone, a step", .metric = "stage_alone"};
  Panel cpu{.title = "CPU time, a step", .metric = "stage_cpu"};
};

void add_mark(Panel* panel, int row, double ns, const std::string& note, Role role) {
  Mark mark{.row = row, .value = ns * 1e-9, .role = role, .note = note};
  mark.label = format_time_ns(ns);
  panel->marks.push_back(std::move(mark));
  panel->axis.high = std::max(panel->axis.high, ns * 1e-9 * 1.3);
}

void add_row(StagesChart* chart, const std::string& section, const std::string& label,
             const std::string& sublabel) {
  chart->model.rows.push_back({.label = label, .sublabel = sublabel, .section = section});
  chart->alone.row_reasons.emplace_back();
  chart->cpu.row_reasons.emplace_back();
}

void add_pipeline(const StagesRow& one, StagesChart* chart) {
  const PipelineOutcome& outcome = *one.series->pipeline;
  const auto batch = static_cast<double>(std::max<int64_t>(1, outcome.items_per_step));
  const auto slowest = std::max_element(
      outcome.stages.begin(), outcome.stages.end(),
      [](const StageTime& a, const StageTime& b) { return a.alone_ns < b.alone_ns; });
  for (const StageTime& stage : outcome.stages) {
    const int row = static_cast<int>(chart->model.rows.size());
    const std::string threads =
        fmt::format("{} thread{}", stage.threads, stage.threads == 1 ? "" : "s");
    add_row(chart, one.label, stage.name, with_stale(threads, one.series->stale));
    const bool is_slowest = &stage == &*slowest;
    add_mark(&chart->alone, row, stage.alone_ns * batch,
             stage.name + ": all other stages resting." +
                 (is_slowest ? " No pipeline is faster than its slowest stage." : ""),
             is_slowest ? Role::highlight : Role::series0);
    if (stage.cpu_ns > 0)
      add_mark(&chart->cpu, row, stage.cpu_ns * batch, stage.name + ": of all cores.", Role::muted);
    else
      chart->cpu.row_reasons.back() = "none";
  }
  if (!one.series->stats) return;
  const int row = static_cast<int>(chart->model.rows.size());
  add_row(chart, one.label, "steady step", with_stale("all stages at once", one.series->stale));
  add_mark(&chart->alone, row, one.series->stats->median_ns * batch,
           "The pipeline as a whole: " + format_ratio(outcome.ratio) + " its bound, " +
               outcome.bound + ".",
           Role::text);
  chart->cpu.row_reasons.back() = "";
}

}  // namespace

ChartModel stages_chart(std::span<const StagesRow> rows) {
  StagesChart chart;
  chart.model.id = "stages";
  chart.model.title = "Stages alone, and together";
  chart.alone.axis = {.title = "Time", .unit = "s", .high = 0};
  chart.cpu.axis = {.title = "Time", .unit = "s", .high = 0};
  for (const StagesRow& one : rows) {
    if (!one.series || !one.series->pipeline || one.series->pipeline->stages.empty()) continue;
    add_pipeline(one, &chart);
    chart.model.summary +=
        fmt::format("{}{}: {} its bound, {}.", chart.model.summary.empty() ? "" : " ", one.label,
                    format_ratio(one.series->pipeline->ratio), one.series->pipeline->bound);
  }
  if (chart.cpu.marks.empty()) chart.cpu.empty_reason = "No CPU time was read.";
  chart.model.panels = {std::move(chart.alone), std::move(chart.cpu)};
  return std::move(chart.model);
}

}  // namespace ridge::chart
