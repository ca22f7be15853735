// The figures over all rungs: ladder, training curves, roofline, size curve, speed against error.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/record/params.h"
#include "common/view/chart/frontier.h"
#include "common/view/chart/gradients.h"
#include "common/view/chart/ladder_predictions.h"
#include "common/view/chart/roofline.h"
#include "common/view/chart/size_curve.h"
#include "common/view/chart/speed_error.h"
#include "common/view/chart/traffic.h"
#include "common/view/chart/training.h"
#include "common/view/report/content.h"
#include "common/view/report/predictions.h"

namespace ridge::report {
namespace {

using namespace chart;

std::string machine_of(const Run& run) {
  return run.environment() ? run.environment()->machine() : std::string();
}

/// Every line as the charts take it, under the lab's title of the rung; marked as recorded where
/// another machine than the last file's ran it, stale where that file's worker has another source.
std::vector<LadderRow> chart_rows(const Material& material) {
  const Run& last = *material.inputs.back().run;
  std::vector<LadderRow> rows;
  for (const Line& line : material.lines) {
    const Run& run = *line.input->run;
    LadderRow row{.label = title_of(line.series->kernel, *material.options),
                  .series = line.series,
                  .ceilings = &run.ceilings()};
    row.is_baseline = line.is_baseline;
    row.selected = line.is_candidate;
    row.is_trap = is_trap(line);
    const KernelInfo* info = run.kernel(line.series->kernel);
    row.is_peer = info && !info->library.empty();
    const std::string machine = machine_of(run);
    if (!machine.empty() && machine != machine_of(last)) row.origin = machine;
    const KernelInfo* built = last.kernel(line.series->kernel);
    row.stale = built && !built->hash.empty() && !line.series->hash.empty() &&
                built->hash != line.series->hash;
    rows.push_back(std::move(row));
  }
  for (const Input& input : material.inputs) {
    if (!material.options->quality_metric.empty())
      pair_seeds(input.run->series(), material.options->quality_metric, rows);
  }
  return rows;
}

/// Whether an earlier line has the same rung, and only another seed.
bool is_further_seed(const Material& material, size_t at) {
  const Line& line = material.lines[at];
  const auto same = [&](const Line& other) {
    return other.input == line.input && other.series->kernel == line.series->kernel &&
           other.series->cache == line.series->cache &&
           without_seed(other.series->params) == without_seed(line.series->params);
  };
  const auto begin = material.lines.begin();
  return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(at), same);
}

Section ladder_section(const Material& material) {
  Section section{.id = "ladder", .title = "The ladder"};
  const std::vector<LadderRow> all = chart_rows(material);
  std::vector<LadderRow> rows;
  std::vector<const Line*> lines;
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_further_seed(material, i)) continue;
    // A row of the ladder stands alone: its label says all that tells it from the others.
    rows.push_back(all[i]), lines.push_back(&material.lines[i]);
    rows.back().label = lines.back()->label;
  }
  if (!material.shared_params.empty())
    section.paragraphs = {"All rungs at " + material.shared_params + "."};
  if (rows.size() < all.size()) {
    section.paragraphs.push_back(
        "Of a rung that ran with several seeds the first is shown; its difference to the baseline "
        "is the mean over "
        "pairs of one seed, with its 95 % interval. The tables below have every seed.");
  }
  section.chart = ladder_chart(
      rows, {.task_metric = material.options->quality_metric, .items = material.options->items});
  std::vector<PredictedRow> predicted;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Series& series = *lines[i]->series;
    const auto one = reveal(*lines[i]->input->run, series.kernel, series.params);
    if (!one || !one->series || one->series->cache != series.cache) continue;
    PredictedRow row{static_cast<int>(i), one->prediction->value * 1e-9};
    if (one->least.time_ns) row.least_s = *one->least.time_ns * 1e-9;
    row.note = prediction_sentence(*one);
    predicted.push_back(std::move(row));
  }
  add_predictions(&*section.chart, predicted);
  return section;
}

/// What one processor ran: a plot's points share their ceilings.
struct Part {
  std::string name;  ///< "Intel Xeon ...", "NVIDIA H200"
  std::vector<LadderRow> rows;
};

std::vector<Part> parts_of(const Material& material) {
  const std::vector<LadderRow> rows = chart_rows(material);
  std::vector<std::pair<const Input*, std::string>> keys;
  std::vector<Part> parts;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Line& line = material.lines[i];
    const std::pair key = {line.input, backend_of(line.series->kernel)};
    const auto known = std::find(keys.begin(), keys.end(), key);
    const auto at = static_cast<size_t>(known - keys.begin());
    if (known == keys.end()) {
      const auto& env = line.input->run->environment();
      keys.push_back(key);
      parts.push_back({!env ? "" : key.second == "cpu" ? env->cpu.model : env->machine(), {}});
    }
    parts[at].rows.push_back(rows[i]);
  }
  return parts;
}

/// The section, once for every processor with something to show. Ids are unique on the page.
template <class Chart>
void add_plots(const std::vector<Part>& parts, const Section& section, Chart chart,
               std::vector<Section>* out) {
  int count = 0;
  for (const Part& part : parts) {
    ChartModel model = chart(part.rows);
    if (!model.plot->empty_reason.empty()) continue;
    Section made = section;
    if (!part.name.empty()) made.title += ": " + part.name;
    if (++count > 1) made.id = model.id = section.id + "-" + std::to_string(count);
    made.table = Table{.columns = model.table.columns, .rows = model.table.rows};
    made.table_behind = true;
    made.chart = std::move(model);
    out->push_back(std::move(made));
  }
}

bool has_several_sizes(const Material& material) {
  std::set<int64_t> sizes;
  for (const Line& line : material.lines) {
    if (line.problem.empty()) sizes.insert(param_int(line.series->params, line.series->size_param));
  }
  return sizes.size() > 1;
}

/// Of the task metric by which the trainings were judged, else of their loss.
void add_training(const Material& material, std::vector<Section>* out) {
  std::vector<LadderRow> rows = chart_rows(material);
  TrainingOptions options{.metric = "loss"};
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].label = material.lines[i].label;
    const QualityCheck* check = rows[i].series->quality();
    if (rows[i].series->curve.empty() || !check || check->task.empty()) continue;
    options.metric = check->task.begin()->first;
  }
  ChartModel model = training_chart(rows, options);
  if (!model.plot->empty_reason.empty()) return;
  Section section{
      .id = "training",
      .title = "Training",
      .paragraphs = {
          "Marks: judged on held-out data, which no training step saw. Pale: what the "
          "batches say, as means over equal runs of steps. Seconds are those of steps."}};
  section.table = Table{.columns = model.table.columns, .rows = model.table.rows};
  section.chart = std::move(model);
  out->push_back(std::move(section));
  ChartModel gradients = gradient_chart(rows);
  if (!gradients.plot->empty_reason.empty()) return;
  Section spread{.id = "gradients",
                 .title = "Gradients",
                 .paragraphs = {"How large the gradients are that flow back, the loss's scale "
                                "included, at the last step at which they were counted."}};
  spread.table = Table{.columns = gradients.table.columns, .rows = gradients.table.rows};
  spread.chart = std::move(gradients);
  out->push_back(std::move(spread));
}

void add_traffic(const Material& material, std::vector<Section>* out) {
  ChartModel model = traffic_chart(chart_rows(material));
  if (model.rows.empty()) return;
  Section section{
      .id = "traffic",
      .title = "Expected and counted traffic",
      .paragraphs = {"What a model of the caches (sets, ways, lines, least recently used; no "
                     "prefetcher) expects each level to give in one call, what reads missed as "
                     "far as it was counted, and the time. " +
                     model.summary}};
  section.table = Table{.columns = model.table.columns, .rows = model.table.rows};
  section.table_behind = true;
  section.chart = std::move(model);
  out->push_back(std::move(section));
}

}  // namespace

std::vector<Section> ladder_sections(const Material& material) {
  std::vector<Section> sections = {ladder_section(material)};
  add_training(material, &sections);
  const std::vector<Part> parts = parts_of(material);
  using Rows = std::vector<LadderRow>;
  const std::string& metric = material.options->quality_metric;
  add_plots(
      parts,
      {.id = "roofline",
       .title = "Roofline",
       .paragraphs = {"The rate of computing against arithmetic intensity, FLOP over the bytes a "
                      "call must move at least. The lines are ceilings measured on the same "
                      "machine: under a slope memory is the limit, under a level line the "
                      "arithmetic units are."}},
      [](const Rows& rows) { return roofline_chart(rows); }, &sections);
  if (has_several_sizes(material)) {
    add_plots(
        parts, {.id = "sizes", .title = "Speed against size"},
        [](const Rows& rows) { return size_curve_chart(rows); }, &sections);
    add_plots(
        parts,
        {.id = "memory",
         .title = "Memory against size",
         .paragraphs = {"Inputs, outputs and what a rung keeps beside them. Where a line ends "
                        "before the others, that rung ran at no larger size; the notes say why."}},
        [](const Rows& rows) { return size_curve_chart(rows, {.memory = true}); }, &sections);
  }
  add_plots(
      parts,
      {.id = "speed-error",
       .title = "Speed against error",
       .paragraphs = {"What each rung pays for its speed. Right of its gate it would have none."}},
      [&](const Rows& rows) { return speed_error_chart(rows, {}, metric); }, &sections);
  add_traffic(material, &sections);
  if (metric != "accuracy") return sections;
  add_plots(
      parts,
      {.id = "frontier",
       .title = "Speed against accuracy",
       .paragraphs = {"Right of the dashed line and above it there is no rung: only those on it "
                      "are worth choosing "
                      "among. A rung that the gate refused has no speed and is not recommended, "
                      "however fast it "
                      "may be."}},
      [&](const Rows& rows) {
        return frontier_chart(rows, {.metric = metric, .items = material.options->items});
      },
      &sections);
  return sections;
}

}  // namespace ridge::report
