#include "app/query/decode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"

namespace ridge::app {
namespace {

constexpr double kPass_s = 1;  // of each timed pass: the energy counter needs as long

Backend model_backend(const ModelShape& shape) {
  return shape.gpu ? Backend::cuda : Backend::cpu;
}

const std::vector<const char*>& kernels_of(const DecodeType& type, const ModelShape& shape) {
  return shape.gpu ? type.gpu : type.cpu;
}

/// Its lab's title of it, without what all of them begin with.
std::string short_title_of(const std::string& kernel) {
  constexpr std::string_view kCommon = "decode: ";
  const Rung* rung = rung_of(kernel);
  const std::string_view title = rung ? rung->title : std::string_view(kernel);
  return std::string(title.starts_with(kCommon) ? title.substr(kCommon.size()) : title);
}

/// Empty: none of them runs there.
std::string first_available(const std::vector<const char*>& kernels, const Run& run) {
  for (const char* kernel : kernels) {
    const KernelInfo* info = run.kernel(kernel);
    if (info && info->available) return kernel;
  }
  return {};
}

bool holds(const Run& run, const Series* series) {
  const auto& all = run.series();
  return std::any_of(all.begin(), all.end(), [&](const Series& one) { return &one == series; });
}

/// A result that a part's time is taken from.
Reckoned result_for(const DecodeSource& from, const WorkloadPart& part,
                    const PublishedRow& filled) {
  if (filled.source == PublishedRow::Source::missing)
    return reckon(*from.run, from.recordings, part, filled, CacheMode::hot);
  Reckoned found{.series = filled.series, .run = from.run};
  found.scale = filled.time_ns / filled.series->stats->median_ns;
  if (filled.source == PublishedRow::Source::extrapolated) found.size = filled.note;
  for (const Recording& recording : from.recordings) {
    if (!holds(*recording.run, filled.series)) continue;
    found.run = recording.run.get(), found.machine = recording.machine;
  }
  return found;
}

std::string how_text(const Reckoned& found, const std::string& here) {
  std::string how = found.size.empty()                       ? "measured"
                    : found.size.starts_with("extrapolated") ? found.size
                                                             : "at the rate of " + found.size;
  if (found.machine != here) how += ", recorded on " + found.machine;
  return with_stale(how, found.series->stale, ", ");
}

DecodePart part_of(const WorkloadPart& part, const PublishedRow& filled, const Reckoned& found,
                   const std::string& here) {
  const auto calls = static_cast<double>(part.calls);
  DecodePart out{.title = part.title, .kernel = part.kernel, .calls = part.calls};
  out.shape = part.call->shape(filled.params);
  out.bytes = part.call->bytes(filled.params, element_bytes(filled.params)) * calls;
  out.how = found.series            ? how_text(found, here)
            : !found.failed.empty() ? found.failed
            : here.empty()          ? filled.note
                                    : "not in this run";
  if (!found.series) return out;
  const Stats& stats = *found.series->stats;
  const double factor = found.scale * calls;
  out.time_s = stats.median_ns * 1e-9 * factor;
  if (stats.ci_ns)
    out.ci_s = Interval{stats.ci_ns->low * 1e-9 * factor, stats.ci_ns->high * 1e-9 * factor};
  if (found.series->energy_j) out.energy_j = *found.series->energy_j * factor;
  return out;
}

/// A type with one rung, and where its products' figures come from.
struct Filled {
  DecodeWith with;
  const Run* source = nullptr;  ///< null: no product has a time
};

template <class Get>
bool all_have(const std::vector<DecodePart>& parts, Get get) {
  return std::all_of(parts.begin(), parts.end(),
                     [&](const DecodePart& part) { return bool(get(part)); });
}

/// "3 of 6 parts at the rate of n = 14336, recorded on NVIDIA H200": what is not as measured here, said once.
std::string how_of(const std::vector<DecodePart>& parts) {
  std::vector<std::string> ways;
  for (const DecodePart& part : parts) {
    if (part.how != "measured" && std::find(ways.begin(), ways.end(), part.how) == ways.end())
      ways.push_back(part.how);
  }
  if (ways.empty()) return "each part measured at its shape";
  const auto others = std::count_if(parts.begin(), parts.end(),
                                    [](const DecodePart& part) { return part.how != "measured"; });
  std::string text = fmt::format("{} of {} parts ", others, parts.size());
  for (size_t i = 0; i < ways.size(); ++i) text += (i == 0 ? "" : "; ") + ways[i];
  return text;
}

/// The first part without a time says why; what several say alike is said without their names.
std::string why_of(const std::vector<DecodePart>& parts) {
  const DecodePart* first = nullptr;
  size_t missing = 0, alike = 0;
  for (const DecodePart& part : parts) {
    if (part.time_s) continue;
    if (!first) first = &part;
    ++missing, alike += part.how == first->how;
  }
  return missing > 1 && alike == missing ? first->how : first->title + ": " + first->how;
}

std::string why_no_energy(const std::vector<Reckoned>& sources) {
  for (const Reckoned& found : sources) {
    if (!found.series || found.series->energy_j) continue;
    const auto why = found.series->unavailable.find("energy_j");
    if (why != found.series->unavailable.end()) return why->second;
  }
  return "not measured";
}

/// A step that is partly this machine's and partly another's is no machine's step.
std::string why_no_sum(const std::vector<Reckoned>& sources, const std::string& here) {
  std::string other;
  bool is_here = false;
  for (const Reckoned& found : sources) {
    if (!found.series) continue;
    is_here |= found.machine == here;
    if (found.machine != here) other = found.machine;
  }
  return is_here && !other.empty() ? "some parts were measured here, the others on " + other : "";
}

/// Sums over the parts, where every part has what is added up and nothing forbids it.
void add_up(const std::vector<DecodePart>& parts, const std::string& why_not,
            chart::DecodeRow* row) {
  double time_s = 0, energy_j = 0;
  Interval ci{0, 0};
  for (const DecodePart& part : parts) {
    (part.kernel.starts_with("gemv.") ? row->weight_bytes : row->cache_bytes) += part.bytes;
    time_s += part.time_s.value_or(0), energy_j += part.energy_j.value_or(0);
    if (part.ci_s) ci.low += part.ci_s->low, ci.high += part.ci_s->high;
  }
  if (!all_have(parts, [](const DecodePart& part) { return part.time_s; })) {
    row->why = why_of(parts);
    return;
  }
  if (!why_not.empty()) {
    row->why = why_not;
    return;
  }
  row->step_s = time_s;
  row->how = how_of(parts);
  row->exact = all_have(parts, [](const DecodePart& part) { return part.how == "measured"; });
  if (all_have(parts, [](const DecodePart& part) { return part.ci_s; })) row->step_ci_s = ci;
  if (all_have(parts, [](const DecodePart& part) { return part.energy_j; }))
    row->energy_j = energy_j;
}

/// The first that runs here; without any, the first that the saved run has; without any, the first that was recorded
/// somewhere.
std::string attention_of(const ModelShape& shape, const Params& other, const DecodeSource& from) {
  const auto& kernels = decode_attention(shape.gpu);
  if (const std::string here = first_available(kernels, *from.run); !here.empty()) return here;
  std::string recorded;
  for (const char* kernel : kernels) {
    const Workload workload = decode_workload(shape, "bf16", "", kernel);
    const Table table = workload_table(workload, "", other);
    const auto rows = fill_table(table, *from.run, 0, from.recordings, {});
    for (size_t i = 0; i < rows.size(); ++i) {
      const WorkloadPart& part = workload.parts[i];
      if (part.kernel != kernel) continue;
      const Reckoned found = result_for(from, part, rows[i]);
      if (found.series && found.run == from.saved) return kernel;
      if (found.series && recorded.empty()) recorded = kernel;
    }
  }
  return recorded.empty() ? kernels.front() : recorded;
}

Filled fill_with(const ModelShape& shape, const DecodeType& type, const std::string& kernel,
                 const std::string& attention_kernel, const Params& other,
                 const DecodeSource& from) {
  Filled filled{.with = {.type = &type, .kernel = kernel}};
  const Workload workload = decode_workload(shape, type.dtype, kernel, attention_kernel);
  const Table table = workload_table(workload, "", other);
  const std::vector<PublishedRow> rows = fill_table(table, *from.run, 0, from.recordings, {});
  std::vector<Reckoned> sources;
  for (size_t i = 0; i < rows.size(); ++i) {
    const WorkloadPart& part = workload.parts[i];
    sources.push_back(result_for(from, part, rows[i]));
    filled.with.parts.push_back(part_of(part, rows[i], sources.back(), from.machine));
    if (part.kernel == kernel && sources.back().run && !filled.source)
      filled.source = sources.back().run;
  }
  chart::DecodeRow& row = filled.with.row;
  row.label = type.title, row.rung = short_title_of(kernel);
  const bool stale = std::any_of(sources.begin(), sources.end(), [](const Reckoned& source) {
    return source.series && source.series->stale;
  });
  row.rung = with_stale(row.rung, stale);
  add_up(filled.with.parts, why_no_sum(sources, from.machine), &row);
  if (row.step_s && !row.energy_j) row.why_no_energy = why_no_energy(sources);
  return filled;
}

/// Measured at each shape before reckoned, the faster before the slower; without times the one that can run
/// here.
auto rank(const Filled& filled, const Run& run) {
  const chart::DecodeRow& row = filled.with.row;
  const KernelInfo* info = run.kernel(filled.with.kernel);
  return std::tuple(!row.step_s.has_value(), !row.exact, row.step_s.value_or(0),
                    !(info && info->available));
}

Filled fill_type(const ModelShape& shape, const DecodeType& type, const std::string& attention,
                 const Params& other, const DecodeSource& from) {
  std::optional<Filled> best;
  for (const char* kernel : kernels_of(type, shape)) {
    Filled filled = fill_with(shape, type, kernel, attention, other, from);
    if (!best || rank(filled, *from.run) < rank(*best, *from.run)) best = std::move(filled);
  }
  if (best) return *best;
  const Run nothing;  // its bytes are arithmetic all the same
  Filled none = fill_with(shape, type, "gemv.", attention, other, {&nothing, {}, ""});
  none.with.kernel.clear(), none.with.row.rung.clear();
  none.with.row.why = fmt::format("no {} rung of ours reads it", shape.gpu ? "GPU" : "CPU");
  return none;
}

const Ceiling* bandwidth_of(const Run& run, const ModelShape& shape, const Params& other) {
  const int threads = shape.gpu ? 1 : static_cast<int>(param_int(other, "threads", 1));
  return find_ceiling(run.ceilings(), model_backend(shape), "dram_read", "", threads);
}

/// The run whose bandwidth is the floor's: where figures come from; without any, who has measured one.
const Run* floor_of(const std::vector<Filled>& filled, const ModelShape& shape, const Params& other,
                    const DecodeSource& from) {
  for (const Filled& one : filled) {
    if (one.source) return one.source;
  }
  if (bandwidth_of(*from.run, shape, other)) return from.run;
  for (const Recording& recording : from.recordings) {
    if (bandwidth_of(*recording.run, shape, other)) return recording.run.get();
  }
  return from.run;
}

std::string description_of(const ModelShape& shape) {
  return fmt::format("{} layers, {} heads of {} on {} of keys, FFN {}, vocabulary {}; {} keys, {}",
                     shape.layers, shape.heads, shape.d, shape.heads_kv, shape.inner,
                     shape.vocabulary, shape.prompt,
                     shape.batch == 1 ? "one sequence" : fmt::format("{} sequences", shape.batch));
}

}  // namespace

DecodeSource from_saved(const Run& saved, const std::vector<Recording>& recordings) {
  static const Run nothing;
  DecodeSource from{
      &nothing, {}, saved.environment() ? machine_name(*saved.environment()) : "a saved run"};
  from.saved = &saved;
  from.recordings.push_back({"", from.machine, "", {std::shared_ptr<void>(), &saved}});
  for (const Recording& recording : recordings) {
    if (recording.machine == from.machine) from.recordings.push_back(recording);
  }
  return from;
}

Decode fill_decode(const ModelShape& shape, const Params& other, const DecodeSource& from) {
  std::vector<Filled> filled;
  const std::string attention = attention_of(shape, other, from);
  for (const DecodeType& type : decode_types())
    filled.push_back(fill_type(shape, type, attention, other, from));
  Decode decode{.shape = shape};
  const Workload any = decode_workload(shape, "bf16", "", attention);
  decode.options = {.title = any.title, .model = description_of(shape), .tokens = any.tokens};
  decode.options.note =
      std::string("Keys and values stay ") + (shape.gpu ? "bf16" : "fp32") + ". " + any.note;
  const Run* common = floor_of(filled, shape, other, from);
  for (const Recording& recording : from.recordings) {
    if (recording.run.get() == common) decode.options.machine = recording.machine;
  }
  for (Filled& one : filled) {
    const Run* source = one.source ? one.source : common;
    chart::DecodeRow& row = one.with.row;
    if (const Ceiling* most = bandwidth_of(*source, shape, other)) {
      row.floor_s = (row.weight_bytes + row.cache_bytes) / most->value;
      if (source == common) decode.options.bytes_per_s = most->value;
    } else {
      row.why_no_floor = "no bandwidth measured";
    }
    decode.types.push_back(std::move(one.with));
  }
  return decode;
}

ModelRungs model_rungs(const ModelShape& shape, const Params& other, const Run& run) {
  ModelRungs rungs;
  rungs.prefill_attention = first_available(prefill_attention(shape.gpu), run);
  const DecodeType* type = find_decode_type(shape.dtype);
  if (type == nullptr) return rungs;
  rungs.products = first_available(kernels_of(*type, shape), run);
  rungs.attention = attention_of(shape, other, {&run, {}, ""});
  return rungs;
}

WorkRequest decode_request(const ModelShape& shape, const Params& other, const Run& run) {
  WorkRequest request;
  request.type = RequestType::run, request.lab = "quant", request.limit_s = kPass_s;
  request.model = to_params(shape);
  std::set<std::pair<std::string, Params>> known;
  for (const DecodeType& type : decode_types()) {
    ModelShape with_type = shape;
    with_type.dtype = type.dtype;
    const ModelRungs rungs = model_rungs(with_type, other, run);
    if (rungs.products.empty()) continue;
    const Workload workload = decode_workload(shape, type.dtype, rungs.products, rungs.attention);
    for (KernelRequest& one : workload_requests(workload_table(workload, "", other))) {
      if (known.insert({one.kernel, one.params}).second) request.kernels.push_back(std::move(one));
    }
  }
  return request;
}

std::string why_not_decode(const ModelShape& shape) {
  const bool fits = shape.heads * shape.d % 128 == 0 && shape.inner % 128 == 0;
  return fits ? "" : "products of weights in fewer bits take widths of 128";
}

chart::ChartModel chart_of(const Decode& decode) {
  std::vector<chart::DecodeRow> rows;
  for (const DecodeWith& type : decode.types) rows.push_back(type.row);
  return chart::decode_chart(rows, decode.options);
}

std::vector<report::Section> decode_sections(const Lab& lab, const Run& run) {
  if (!lab.decodes_model) return {};
  ModelShape shape;
  shape.gpu = run.environment() && !run.environment()->gpus.empty();
  Params other;
  for (const Request& request : run.requests()) {
    if (!request.model.empty()) shape = model_shape(request.model);
  }
  for (const Series& series : run.series()) {
    if (series.kernel.starts_with("gemv.cpu.") && series.params.contains("threads"))
      other["threads"] = series.params.at("threads");
  }
  const Decode decode = fill_decode(shape, other, from_saved(run, {}));
  const auto measured = std::count_if(decode.types.begin(), decode.types.end(),
                                      [](const DecodeWith& type) { return type.row.step_s; });
  if (measured < 2) return {};
  report::Section section{.id = "decode", .title = "Decoding, by type of the weights"};
  section.chart = chart_of(decode);
  section.paragraphs = {"The model: " + section.chart->subtitle + "."};
  section.table =
      report::Table{.columns = section.chart->table.columns, .rows = section.chart->table.rows};
  return {std::move(section)};
}

namespace {

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json parts_json(const std::vector<DecodePart>& parts) {
  Json list = Json::array();
  for (const DecodePart& part : parts) {
    list.push_back({{"part", part.title},
                    {"shape", part.shape},
                    {"calls", part.calls},
                    {"bytes", part.bytes},
                    {"time_s", or_null(part.time_s)},
                    {"energy_j", or_null(part.energy_j)},
                    {"how", part.how}});
  }
  return list;
}

Json type_json(const DecodeWith& with, double tokens) {
  const chart::DecodeRow& row = with.row;
  const auto per_s = [&](double step_s) { return tokens / step_s; };
  const auto rate = [&](const std::optional<double>& step_s) {
    return step_s ? Json(per_s(*step_s)) : Json(nullptr);
  };
  Json unavailable = Json::object();
  if (!row.step_s) unavailable["tokens_per_s"] = row.why;
  if (!row.floor_s) unavailable["floor_tokens_per_s"] = row.why_no_floor;
  if (!row.energy_j) unavailable["joules_per_token"] = row.step_s ? row.why_no_energy : row.why;
  return {{"dtype", with.type->dtype},
          {"kernel", with.kernel.empty() ? Json(nullptr) : Json(with.kernel)},
          {"tokens_per_s", rate(row.step_s)},
          {"ci_low", row.step_ci_s ? Json(per_s(row.step_ci_s->high)) : Json(nullptr)},
          {"ci_high", row.step_ci_s ? Json(per_s(row.step_ci_s->low)) : Json(nullptr)},
          {"floor_tokens_per_s", rate(row.floor_s)},
          {"of_floor", or_null(chart::share_of_floor(row))},
          {"joules_per_token", row.energy_j ? Json(*row.energy_j / tokens) : Json(nullptr)},
          {"weight_bytes", row.weight_bytes},
          {"cache_bytes", row.cache_bytes},
          {"measured_here", row.exact},
          {"how", row.how},
          {"unavailable", unavailable},
          {"parts", parts_json(with.parts)}};
}

/// The reasons of a column's missing figures, each once with the rows that it holds for; in their cells a
/// dash.
std::string take_reasons(const std::string& column_name, size_t column,
                         std::vector<std::vector<std::string>>* rows) {
  std::map<std::string, std::vector<std::string>> of;
  for (auto& row : *rows) {
    if (!row[column].starts_with(chart::kUnavailable)) continue;
    of[row[column]].push_back(row.front());
    row[column] = kNone;
  }
  std::string text;
  for (const auto& [reason, names] : of)
    text += fmt::format("{} {} ({})\n", column_name, reason, fmt::join(names, "; "));
  return text;
}

}  // namespace

std::string decode_text(const Decode& decode) {
  const chart::ChartModel model = chart_of(decode);
  auto columns = model.table.columns;
  auto rows = model.table.rows;
  std::string notes;
  for (size_t i = 0; i < rows.size(); ++i) {
    const chart::DecodeRow& row = decode.types[i].row;
    if (row.step_s && !row.exact) notes += rows[i].front() + ": " + rows[i].back() + "\n";
    rows[i].pop_back();
  }
  columns.pop_back();
  for (size_t column = 1; column < columns.size(); ++column)
    notes += take_reasons(columns[column], column, &rows);
  return model.title + "\n" + model.subtitle + "\n" + table(columns, rows) + notes + model.summary +
         "\n";
}

Json decode_json(const Decode& decode) {
  Json types = Json::array();
  for (const DecodeWith& with : decode.types)
    types.push_back(type_json(with, decode.options.tokens));
  const auto& machine = decode.options.machine;
  return {{"model", params_to_json(to_params(decode.shape))},
          {"tokens", decode.options.tokens},
          {"bytes_per_s", or_null(decode.options.bytes_per_s)},
          {"recorded_on", machine.empty() ? Json(nullptr) : Json(machine)},
          {"types", types}};
}

}  // namespace ridge::app
