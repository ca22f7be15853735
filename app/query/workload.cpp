#include "app/query/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/query/recordings.h"
#include "app/query/results.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/core/nearest.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"

namespace ridge::app {
namespace {

Params part_params(const WorkloadPart& part, const Params& other) {
  Params params = part.kernel.empty() ? other : Params();
  const bool cpu = backend_of(part.kernel) == Backend::cpu;
  if (const auto threads = other.find("threads"); cpu && threads != other.end())
    params.insert(*threads);
  for (const auto& [name, value] : part.params) params[name] = value;
  return params;
}

double farthest_extent(const Params& have, const Params& wanted) {
  double farthest = 1;
  for (const auto& [name, value] : wanted) {
    const auto other = have.find(name);
    const auto* a = std::get_if<int64_t>(&value);
    const auto* b = other == have.end() ? nullptr : std::get_if<int64_t>(&other->second);
    if (!a || !b || *a <= 0 || *b <= 0 || name == "threads") continue;
    const double ratio = double(*a) / double(*b);
    farthest = std::max({farthest, ratio, 1 / ratio});
  }
  return farthest;
}

}  // namespace

double element_bytes(const Params& params) {
  const std::string dtype = param_text(params, "dtype", "fp32");
  return dtype == "bf16" || dtype == "fp16" ? 2 : dtype == "fp8" || dtype == "int8" ? 1 : 4;
}

Table workload_table(const Workload& workload, const char* selected, const Params& other) {
  Table table{.id = workload.id.c_str(), .title = workload.title.c_str()};
  for (const WorkloadPart& part : workload.parts) {
    const char* kernel = part.kernel.empty() ? selected : part.kernel.c_str();
    table.rows.push_back(
        {part.title.c_str(), "", {}, kernel, part_params(part, other), "", part.call->flop});
  }
  return table;
}

std::vector<KernelRequest> workload_requests(const Table& table) {
  std::vector<KernelRequest> requests;
  std::set<std::pair<std::string, Params>> known;
  for (const TableRow& row : table.rows) {
    if (known.insert({row.kernel, row.params}).second) requests.push_back({row.kernel, row.params});
  }
  return requests;
}

std::vector<chart::WorkloadRow> workload_rows(const Workload& workload,
                                              const std::vector<PublishedRow>& filled) {
  using Source = PublishedRow::Source;
  std::vector<chart::WorkloadRow> rows;
  for (size_t i = 0; i < filled.size(); ++i) {
    const WorkloadPart& part = workload.parts[i];
    const Params& params = filled[i].params;
    const auto calls = static_cast<double>(part.calls);
    chart::WorkloadRow made{.label = part.title, .note = part.note};
    made.shape = part.call->shape(params) + ", " +
                 (part.calls == 1 ? std::string("once") : fmt::format("{} times", part.calls));
    made.flop = part.call->flop(params) * calls;
    made.bytes = part.call->bytes(params, element_bytes(params)) * calls;
    made.parameters = part.parameters;
    if (part.printed)
      made.printed = {part.printed->macs, made.flop / 2 / double(part.printed->times),
                      part.printed->of};
    for (const WorkloadStep& step : part.then)
      made.then.push_back({step.title, step.note, step.parameters});
    if (filled[i].source == Source::missing) {
      made.why = filled[i].note;
    } else {
      made.time_s = filled[i].time_ns * 1e-9 * calls;
      made.exact = filled[i].source == Source::measured;
      made.how = made.exact ? "measured" : filled[i].note;
      made.label = with_stale(made.label, filled[i].series && filled[i].series->stale);
    }
    rows.push_back(std::move(made));
  }
  return rows;
}

Reckoned reckon(const Run& run, const std::vector<Recording>& recordings, const WorkloadPart& part,
                const PublishedRow& filled, const OpenEnum<CacheMode>& cache) {
  const std::string kernel = filled.row->kernel;
  std::vector<const char*> fixed = {"threads"};
  if (part.call->fixed) fixed.push_back(part.call->fixed);
  const auto reckoned = [&](const Snapped& near) -> Reckoned {
    if (!near.series) return {};
    if (!has_speed(*near.series))
      return {.failed = to_string(near.series->status) + ": " + near.series->reason};
    if (!(near.series->flop > 0)) return {};
    const double scale = part.call->flop(filled.params) / near.series->flop;
    const Recording* from = near.recording;
    return {.series = near.series,
            .run = from ? from->run.get() : &run,
            .machine = from ? from->machine : "",
            .size = near.shown_size,
            .scale = scale,
            .farthest = farthest_extent(near.series->params, filled.params)};
  };
  const Snapped own = nearest_series(run, kernel, filled.params, cache, fixed);
  if (own.exact) return reckoned(own);
  const Snapped recorded = recorded_series(
      recordings, kernel, [&](const Run&) { return filled.params; }, cache, fixed);
  // What another recording of this machine has of this very shape is nearer than another shape.
  const bool is_of_machine = recorded.recording && run.environment() &&
                             machine_name(*run.environment()) == recorded.recording->machine;
  if (recorded.exact && is_of_machine && has_speed(*recorded.series)) return reckoned(recorded);
  const KernelInfo* info = run.kernel(kernel);
  return reckoned(own.series || (info && info->available) ? own : recorded);
}

const Series* fastest_call(const Run& run, const PublishedRow& part,
                           const OpenEnum<CacheMode>& cache) {
  const Series* fastest = nullptr;
  for (const Series& series : run.series()) {
    // Two problems may have parameters in common, or none: a shape means something within its family alone.
    if (family_of(series.kernel) != family_of(part.row->kernel)) continue;
    if (series.cache != cache || !has_speed(series) || !agrees(series.params, part.params))
      continue;
    if (!fastest || series.stats->median_ns < fastest->stats->median_ns) fastest = &series;
  }
  return fastest;
}

std::string what_binds(const std::vector<chart::WorkloadRow>& rows, const Run& run,
                       const Table& table) {
  double flop = 0, time_s = 0;
  for (const chart::WorkloadRow& row : rows) {
    if (!row.time_s) return {};
    flop += row.flop, time_s += *row.time_s;
  }
  if (!(time_s > 0)) return {};
  const std::optional<double> floor_s = memory_floor_s(rows, run, table);
  if (!floor_s) return {};
  const TableRow& first = table.rows.front();
  const int threads = static_cast<int>(param_int(first.params, "threads", 1));
  const Ceiling* most_flop = find_ceiling(run.ceilings(), backend_of(first.kernel), "flop",
                                          param_text(first.params, "dtype", "fp32"), threads);
  const double of_bytes = *floor_s / time_s;
  // Calls are repeated on one layer's weights; a pass goes from layer to layer.
  if (of_bytes > 1) {
    return "faster than this machine's memory: the weights of one layer stay in the cache here, "
           "those of a "
           "whole model would not";
  }
  if (!most_flop) return fmt::format("{:.0f} % of the bytes/s measured here", 100 * of_bytes);
  const double of_flop = flop / time_s / most_flop->value;
  if (of_flop > 1)
    return fmt::format("{:.0f} % of the FLOP/s measured here: it multiplies less than is counted",
                       100 * of_flop);
  const char* binds =
      of_flop >= of_bytes ? "arithmetic is the nearer limit" : "memory is the nearer limit";
  return fmt::format("{:.0f} % of the FLOP/s and {:.0f} % of the bytes/s measured here: {}",
                     100 * of_flop, 100 * of_bytes, binds);
}

std::optional<double> memory_floor_s(const std::vector<chart::WorkloadRow>& rows, const Run& run,
                                     const Table& table) {
  const TableRow& first = table.rows.front();
  const int threads = static_cast<int>(param_int(first.params, "threads", 1));
  const Ceiling* most =
      find_ceiling(run.ceilings(), backend_of(first.kernel), "dram_read", "", threads);
  if (!most) return {};
  double bytes = 0;
  for (const chart::WorkloadRow& row : rows) bytes += row.bytes;
  return bytes / most->value;
}

chart::WorkloadInput workload_input(const Workload& workload, const Table& table, const Run& run,
                                    const std::string& rung) {
  chart::WorkloadInput input;
  input.title = workload.title, input.note = workload.note, input.tokens = workload.tokens;
  input.printed_parameters = workload.printed_parameters;
  input.rung = rung;
  input.rows = workload_rows(workload, fill_table(table, run, 0, {}, {}));
  input.binds = what_binds(input.rows, run, table);
  const std::optional<double> floor_s = memory_floor_s(input.rows, run, table);
  if (workload.tokens > 0 && floor_s && !input.binds.empty())
    input.binds +=
        "; the bytes alone would allow " + format_rate(workload.tokens / *floor_s, "tokens/s");
  return input;
}

std::string model_text(const chart::ChartModel& model) {
  std::string text = model.title + "\n" + model.subtitle + "\n";
  for (const auto& row : model.table.rows) {
    text += fmt::format("  {:<22} {:<44} {:>12}  {}\n", row[0], row[1], row[3], row[4]);
  }
  return text + model.summary + "\n\n";
}

namespace {

/// Some columns of the chart's table, under their names.
std::string columns_text(const chart::ChartModel& model, const std::vector<size_t>& columns) {
  const auto picked = [&](const std::vector<std::string>& row) {
    std::vector<std::string> cells;
    for (const size_t column : columns) cells.push_back(row[column]);
    return cells;
  };
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : model.table.rows) rows.push_back(picked(row));
  return table(picked(model.table.columns), rows);
}

}  // namespace

std::string workload_text(const chart::ChartModel& model) {
  return "\n" + model.title + "\n" + model.subtitle + "\n" + columns_text(model, {0, 1, 3, 4}) +
         model.summary + "\n";
}

std::string workload_counts_text(const chart::ChartModel& model) {
  if (model.table.columns.size() <= chart::kWorkloadCounts) return "";
  std::vector<size_t> columns = {0};
  for (size_t i = chart::kWorkloadCounts; i < model.table.columns.size(); ++i) columns.push_back(i);
  return "\nwhat it counts\n" + columns_text(model, columns);
}

Result<const Workload*> require_workload(const Lab& lab, const std::string& id) {
  std::vector<std::string> known;
  for (const Workload& workload : lab.workloads) {
    if (workload.id == id) return &workload;
    known.push_back(workload.id);
  }
  return Error{ErrorCode::usage, "there is no workload '" + id + "'", "lab " + std::string(lab.id),
               known.empty() ? "this lab has none" : name_hint(id, known)};
}

}  // namespace ridge::app
