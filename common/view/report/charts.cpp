// The figures over all rungs: the ladder with what was predicted, and the list of common/view/chart/figures.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "common/record/edit.h"
#include "common/record/params.h"
#include "common/view/chart/figures.h"
#include "common/view/chart/ladder_predictions.h"
#include "common/view/report/content.h"
#include "common/view/report/predictions.h"

namespace ridge::report {
namespace {

using namespace chart;

std::string machine_of(const Run& run) {
  return run.environment() ? run.environment()->machine() : std::string();
}

/// Every line as the charts take it, under the lab's title of the rung; marked as recorded where
/// another machine than the last file's ran it. A rung has its place in the lab, so that its colour is one in all figures.
std::vector<LadderRow> chart_rows(const Material& material) {
  const Run& last = *material.inputs.back().run;
  std::vector<LadderRow> rows;
  std::map<std::string, int> places;
  for (const std::string& kernel : material.options->order)
    places.try_emplace(kernel, static_cast<int>(places.size()));
  for (const Line& line : material.lines) {
    const Run& run = *line.input->run;
    LadderRow row{.label = title_of(line.series->kernel, *material.options),
                  .series = line.series,
                  .run = &run};
    row.is_baseline = line.is_baseline;
    row.selected = line.is_candidate;
    row.is_trap = is_trap(line);
    row.place = places
                    .try_emplace(std::string(original_of(line.series->kernel)),
                                 static_cast<int>(places.size()))
                    .first->second;
    const KernelInfo* info = run.kernel(line.series->kernel);
    row.is_peer = info && !info->library.empty();
    const std::string machine = machine_of(run);
    if (!machine.empty() && machine != machine_of(last)) row.origin = machine;
    rows.push_back(std::move(row));
  }
  for (const Input& input : material.inputs) {
    if (!material.options->quality_metric.empty())
      pair_seeds(input.run->series().pointers(), material.options->quality_metric, rows);
  }
  return rows;
}

/// Of each line whether an earlier one has the same rung, and only another seed.
std::vector<bool> further_seeds(const Material& material) {
  std::set<std::tuple<const Input*, std::string, Params::Map, std::string>> known;
  std::vector<bool> further;
  for (const Line& line : material.lines) {
    const Series& series = *line.series;
    further.push_back(!known
                           .insert({line.input, series.kernel, without_seed(series.params).map(),
                                    series.cache.text()})
                           .second);
  }
  return further;
}

Section ladder_section(const Material& material) {
  Section section{.id = "ladder", .title = "The ladder in full"};
  const std::vector<LadderRow> all = chart_rows(material);
  std::vector<LadderRow> rows;
  std::vector<const Line*> lines;
  const std::vector<bool> is_further_seed = further_seeds(material);
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_further_seed[i]) continue;
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
  section.chart = ladder_chart(rows, {.task_metric = material.options->quality_metric,
                                      .items = material.options->items,
                                      .per_item = material.options->per_item});
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
  std::vector<std::pair<const Input*, OpenEnum<Backend>>> keys;
  std::vector<Part> parts;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Line& line = material.lines[i];
    const std::pair key = {line.input, backend_of(line.series->kernel)};
    const auto known = std::find(keys.begin(), keys.end(), key);
    const auto at = static_cast<size_t>(known - keys.begin());
    if (known == keys.end()) {
      const auto& env = line.input->run->environment();
      keys.push_back(key);
      parts.push_back({!env                         ? ""
                       : key.second == Backend::cpu ? env->cpu.model
                                                    : env->machine(),
                       {}});
    }
    parts[at].rows.push_back(rows[i]);
  }
  return parts;
}

/// Appends the section with this figure of it, unless there is nothing to draw.
void add_figure(const FigureSection& about, Section section, ChartModel model,
                std::vector<Section>* out) {
  if (is_empty(model)) return;
  if (about.ends_with_summary) section.paragraphs.back() += " " + model.summary;
  section.table = Table{.columns = model.table.columns, .rows = model.table.rows};
  section.table_behind = about.table_behind;
  section.chart = std::move(model);
  out->push_back(std::move(section));
}

/// Once for every processor with something to show. Ids are unique on the page.
void add_per_processor(const Figure& figure, const Section& section, const Material& material,
                       const FigureOptions& options, std::vector<Section>* out) {
  int count = 0;
  for (const Part& part : parts_of(material)) {
    ChartModel model = figure.build(part.rows, options);
    if (is_empty(model)) continue;
    Section made = section;
    if (!part.name.empty()) made.title += ": " + part.name;
    if (++count > 1) made.id = model.id = section.id + "-" + std::to_string(count);
    add_figure(figure.section, std::move(made), std::move(model), out);
  }
}

bool has_several(Several what, const Material& material) {
  if (what == Several::kNothing) return true;
  std::set<int64_t> values;
  for (const Line& line : material.lines) {
    const Series& series = *line.series;
    const std::string& name =
        what == Several::kSizes ? series.size_param : material.options->scaling.param;
    if (line.problem.empty() && series.params.contains(name))
      values.insert(param_int(series.params, name));
  }
  return values.size() > 1;
}

bool is_wanted(const FigureSection& section, const Material& material) {
  const bool has_metric =
      !*section.task_metric || material.options->quality_metric == section.task_metric;
  return *section.title && has_metric && has_several(section.needs, material);
}

}  // namespace

std::vector<Section> ladder_sections(const Material& material) {
  std::vector<Section> sections = {ladder_section(material)};
  const FigureOptions options{.task_metric = material.options->quality_metric,
                              .items = material.options->items,
                              .per_item = material.options->per_item,
                              .param_titles = material.options->param_titles,
                              .scaling = material.options->scaling};
  for (const Figure& figure : figures()) {
    const FigureSection& about = figure.section;
    if (!is_wanted(about, material)) continue;
    Section section{.id = *about.id ? about.id : figure.id,
                    .title = about.title,
                    .in_handout = about.in_handout};
    if (*about.about) section.paragraphs = {about.about};
    if (about.is_per_processor) {
      add_per_processor(figure, section, material, options, &sections);
      continue;
    }
    std::vector<LadderRow> rows = chart_rows(material);
    for (size_t i = 0; i < rows.size() && figure.rows == FigureRows::kTrainings; ++i)
      rows[i].label = material.lines[i].label;  // what tells trainings of one rung apart
    add_figure(about, std::move(section), figure.build(rows, options), &sections);
  }
  return sections;
}

}  // namespace ridge::report
