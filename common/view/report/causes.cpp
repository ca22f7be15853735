// What holds each rung back, and what that rests on besides times: what a call takes of a GPU, and
// what the hardware counted.
#include <algorithm>

#include "common/core/format.h"
#include "common/record/pipeline_model.h"
#include "common/view/chart/stages.h"
#include "common/view/report/content.h"

namespace ridge::report {
namespace {

Section bottleneck_section(const Material& material) {
  Section section{.id = "bottleneck", .title = "What holds it back"};
  section.paragraphs = {
      "By the run's own evidence: shares of measured ceilings, of a call's time, and hardware "
      "counters where they were read. Not sure means that the evidence is split or does not "
      "reach."};
  Table table{.columns = {"Rung", "Bottleneck", "Evidence", "Lever"}, .prose = true};
  for (const Line& line : material.lines) {
    if (!line.problem.empty()) {
      table.rows.push_back({line.label, unavailable(line.problem), "", ""});
      continue;
    }
    const auto cause = cause_of(material, line);
    if (cause)
      table.rows.push_back({line.label, cause->what, cause->evidence, cause->lever});
    else
      table.rows.push_back({line.label, unavailable("it has no speed"), "", ""});
  }
  section.table = std::move(table);
  return section;
}

/// Rungs that have a faster option, each with the next rung of its ladder and the library.
Section faster_section(const Material& material) {
  Section section{.id = "faster", .title = "A faster option exists"};
  section.paragraphs = {
      "For each rung the next one of its ladder that was verified and is faster, and the fastest "
      "library. A pair run in turns decides; without one, two times of one run whose intervals lie "
      "apart by more than 2 %. A rung that is not listed has none in this run."};
  Table table{.columns = {"Rung", "Faster option", "How many times as fast", "Rests on"},
              .prose = true};
  const auto title = [&](const std::string& kernel) { return title_of(kernel, *material.options); };
  for (const Line& line : material.lines) {
    if (!line.problem.empty() || !material.options->ladder_after) continue;
    const auto ladder = material.options->ladder_after(line.series->kernel, line.series->params);
    const FasterSource source[] = {{line.input->run}};
    for (const FasterOption& one : faster_options(source, *line.series, ladder)) {
      const std::string over = one.over.empty() ? "" : ", over " + title(one.over);
      table.rows.push_back({line.label, (one.is_library ? "library: " : "") + title(one.kernel),
                            one.text + over, one.rests_on});
    }
  }
  section.table = std::move(table);
  return section;
}

Section resources_section(const Material& material) {
  Section section{.id = "resources", .title = "What a call takes of the GPU"};
  section.paragraphs = {
      "From the launches of one call, captured and not run: no permission is needed. Occupancy is "
      "theoretical: the warps that fit on an SM at once over the most it holds."};
  Table table{.columns = {"Rung", "Kernel", "Registers", "Shared", "Spilled", "Occupancy"}};
  for (const Line& line : material.lines) {
    if (!line.series->resources) continue;
    for (const DeviceKernel& kernel : line.series->resources->kernels) {
      const auto shared = kernel.shared_static_bytes + kernel.shared_dynamic_bytes;
      table.rows.push_back({line.label, kernel.name, std::to_string(kernel.registers),
                            format_bytes(double(shared)), format_bytes(double(kernel.spill_bytes)),
                            format_share(kernel.occupancy)});
    }
  }
  section.table = std::move(table);
  return section;
}

/// A row per counter, a column per rung: names are long, and few rungs were counted.
Section counters_section(const Material& material) {
  Section section{.id = "counters", .title = "Hardware counters"};
  section.paragraphs = {
      "Of one call, in a pass of their own after the timing. Caches are as the call before left "
      "them. GPU counters bear the names of Nsight Compute."};
  Table table{.columns = {"Counter"}};
  std::vector<std::string> names;
  for (const Line& line : material.lines) {
    for (const Counter& counter : line.series->counters) {
      if (std::find(names.begin(), names.end(), counter.name) == names.end())
        names.push_back(counter.name);
    }
    if (!line.series->counters.empty()) table.columns.push_back(line.label);
  }
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const Line& line : material.lines) {
      const auto& counters = line.series->counters;
      if (counters.empty()) continue;
      const auto found = std::find_if(counters.begin(), counters.end(),
                                      [&](const Counter& one) { return one.name == name; });
      row.push_back(found == counters.end() ? unavailable("not on this processor")
                                            : format_counter(*found));
    }
    table.rows.push_back(std::move(row));
  }
  section.table = std::move(table);
  return section;
}

/// Each reason once, as a sentence under the table.
void add_reasons(const Material& material, const char* quantity, Section* section) {
  for (const Line& line : material.lines) {
    const auto why = line.series->unavailable.find(quantity);
    if (why == line.series->unavailable.end()) continue;
    const std::string text = unavailable(why->second);
    auto& bullets = section->bullets;
    if (std::find(bullets.begin(), bullets.end(), text) == bullets.end()) bullets.push_back(text);
  }
}

/// Pipelines: every stage alone beside the steady step, measured in turns with it.
Section stages_section(const Material& material) {
  Section section{.id = "stages", .title = "Stages alone, and the bound"};
  section.paragraphs = {
      "A pipeline is as fast as its slowest stage, or as all its CPU work shared by the cores, "
      "whichever is longer. Each stage ran alone, all others resting, in turns with the pipeline; "
      "the "
      "ratio is the median of the rounds' ratios, with its 95 % interval."};
  Table table{.columns = {"Pipeline"}};
  table.columns.insert(table.columns.end(), kStageHeadings.begin(), kStageHeadings.end());
  std::vector<chart::StagesRow> drawn;
  for (const Line& line : material.lines) {
    if (!line.problem.empty() || !line.series->pipeline) continue;
    for (std::vector<std::string>& row : stage_rows(*line.series)) {
      row.insert(row.begin(), line.label);
      table.rows.push_back(std::move(row));
    }
    section.bullets.push_back(line.label + ": " + bound_text(*line.series->pipeline));
    drawn.push_back({line.label, line.series});
  }
  if (!drawn.empty()) section.chart = chart::stages_chart(drawn);
  section.table = std::move(table);
  return section;
}

}  // namespace

std::optional<Cause> cause_of(const Material& material, const Line& line) {
  const auto diagnosis = diagnose(*line.series, *line.input->run);
  if (!diagnosis) return std::nullopt;
  Cause cause{bottleneck_text(*diagnosis), evidence_text(*diagnosis),
              lever_of(*diagnosis, backend_of(line.series->kernel))};
  for (const std::string& why : {diagnosis->held_down, diagnosis->reason})
    if (!why.empty()) cause.what += ": " + why;
  const std::string rung = lever_rung(material.options->levers, line.series->kernel, *diagnosis);
  if (cause.lever.empty()) cause.lever = diagnosis->to_do.empty() ? kNone : diagnosis->to_do;
  if (!rung.empty()) cause.lever += " (" + title_of(rung, *material.options) + ")";
  return cause;
}

std::vector<Section> cause_sections(const Material& material) {
  std::vector<Section> sections = {bottleneck_section(material)};
  Section faster = faster_section(material);
  if (!faster.table->rows.empty()) sections.push_back(std::move(faster));
  Section stages = stages_section(material);
  if (!stages.table->rows.empty()) sections.push_back(std::move(stages));
  Section resources = resources_section(material);
  add_reasons(material, "resources", &resources);
  if (!resources.table->rows.empty()) sections.push_back(std::move(resources));
  Section counters = counters_section(material);
  add_reasons(material, "counters", &counters);
  if (counters.table->rows.empty()) counters.table.reset();
  if (counters.table || !counters.bullets.empty()) sections.push_back(std::move(counters));
  return sections;
}

}  // namespace ridge::report
