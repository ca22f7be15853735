#include "app/query/model_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "app/query/decode.h"
#include "app/query/series_table.h"
#include "app/query/terminal.h"
#include "common/core/format.h"
#include "common/core/nearest.h"
#include "common/record/clocks.h"
#include "common/record/derive.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "common/record/request.h"
#include "common/stats/sum_ratio.h"
#include "common/view/chart/model_pair.h"
#include "common/view/report/decision.h"

namespace ridge::app {
namespace {

constexpr const char* kCandidatePrefix = "candidate.";

struct ModelExtent {
  const char* name;
  int64_t ModelShape::*value;
};
constexpr ModelExtent kExtents[] = {
    {"layers", &ModelShape::layers},     {"heads", &ModelShape::heads},
    {"heads_kv", &ModelShape::heads_kv}, {"d", &ModelShape::d},
    {"inner", &ModelShape::inner},       {"vocabulary", &ModelShape::vocabulary},
    {"prompt", &ModelShape::prompt},     {"batch", &ModelShape::batch}};

// ---- a side, from its words ----------------------------------------------------------------------

Result<int64_t> whole_number(const std::string& name, const std::string& value) {
  constexpr int64_t kMost = int64_t{1} << 20;
  RIDGE_TRY(const Params parsed, parse_params({name + "=" + value}));
  const auto* number = std::get_if<int64_t>(&parsed.at(name));
  if (number && *number >= 1 && *number <= kMost) return *number;
  return Error{ErrorCode::usage, name + "=" + value + " is no whole number from 1 to 1048576",
               "model", ""};
}

Error unknown_setting(const std::string& name) {
  std::vector<std::string> known = {"dtype", "processor", "threads"};
  for (const ModelExtent& one : kExtents) known.emplace_back(one.name);
  return {ErrorCode::usage, "a model has no '" + name + "'", "model",
          name_hint(name, known, "ridgepoint model --help")};
}

/// "gemm=packed": a rung of a family that a part is made by.
Result<void> set_rung(const std::string& family, const std::string& name, const Run& run,
                      ModelSide* side) {
  const std::string id = family + (side->shape.gpu ? ".cuda." : ".cpu.") + name;
  bool knows_family = false;
  for (const KernelInfo& info : run.catalogue()) knows_family |= info.family == family;
  if (!knows_family) return unknown_setting(family);
  const KernelInfo* info = run.kernel(id);
  if (info == nullptr) {
    return Error{ErrorCode::usage, "there is no rung " + id, "model",
                 "'ridgepoint list --all' names those of " + family};
  }
  if (!info->available) return Error{ErrorCode::unavailable, info->reason, id, ""};
  side->rungs[family] = id;
  return {};
}

Result<void> set_one(std::string name, const std::string& value, const Run& run, ModelSide* side) {
  std::replace(name.begin(), name.end(), '-', '_');
  ModelShape& shape = side->shape;
  for (const ModelExtent& one : kExtents) {
    if (name != one.name) continue;
    RIDGE_TRY(shape.*one.value, whole_number(name, value));
    return {};
  }
  if (name == "threads") {
    RIDGE_TRY(const int64_t threads, whole_number(name, value));
    side->other["threads"] = threads;
    return {};
  }
  if (name == "dtype") {
    const bool is_known = value == "fp16" || find_decode_type(value);
    if (!is_known)
      return Error{ErrorCode::usage, "no rung of ours has weights of " + value, "model",
                   "choose fp32, bf16, fp16, int8, w8a8, fp8 or int4"};
    shape.dtype = value;
    return {};
  }
  if (name == "processor") {
    if (value != "cpu" && value != "gpu")
      return Error{ErrorCode::usage, "'" + value + "' is no processor", "model", "cpu or gpu"};
    shape.gpu = value == "gpu";
    return {};
  }
  return set_rung(name, value, run, side);
}

// ---- a side as a request carries it, and back ------------------------------------------------------

Params described(const ModelSide& side, const std::string& prefix) {
  Params all = to_params(side.shape);
  all["dtype"] = side.shape.dtype;
  for (const auto& [name, value] : side.other) all[name] = value;
  for (const auto& [family, id] : side.rungs) all["rung." + family] = id;
  Params named;
  for (const auto& [name, value] : all) named[prefix + name] = value;
  return named;
}

ModelSide side_from(const Params& model, const std::string& prefix) {
  Params own;
  for (const auto& [name, value] : model) {
    if (name.starts_with(prefix)) own[name.substr(prefix.size())] = value;
  }
  ModelSide side{.shape = model_shape(own), .other = {}, .rungs = {}};
  side.shape.dtype = param_text(own, "dtype", "fp32");
  if (own.contains("threads")) side.other["threads"] = own.at("threads");
  for (const auto& [name, value] : own) {
    if (name.starts_with("rung.")) side.rungs[name.substr(5)] = to_string(value);
  }
  return side;
}

std::vector<Workload> workloads_of(const ModelSide& side, const Run& run) {
  auto all = model_workloads(side.shape, model_rungs(side.shape, side.other, run));
  for (Workload& workload : all) {
    for (WorkloadPart& part : workload.parts) {
      const auto own = side.rungs.find(std::string(family_of(part.kernel)));
      if (own != side.rungs.end()) part.kernel = own->second;
    }
  }
  return all;
}

// ---- what was measured -----------------------------------------------------------------------------

bool is_same_call(const KernelRequest& a, const KernelRequest& b) {
  return a.kernel == b.kernel && a.params == b.params;
}

double half_width(const Series& series) {
  const auto& stats = series.stats;
  if (!stats || !stats->ci_ns || !(stats->median_ns > 0)) return 0;
  return (stats->ci_ns->high - stats->ci_ns->low) / 2 / stats->median_ns;
}

void fill_shared(const Run& run, ModelPart* part) {
  part->why = "it was not measured";
  for (const Series& series : run.series()) {
    if (series.kernel != part->baseline.kernel || !agrees(series.params, part->baseline.params))
      continue;
    if (!has_speed(series) || !series.reduced_from.empty()) {
      part->why = !series.reduced_from.empty() ? "one call would pass 5 s"
                                               : to_string(series.status) + ": " + series.reason;
      continue;
    }
    part->baseline_s = series.stats->median_ns * 1e-9 * double(part->baseline_calls);
    part->baseline_error = half_width(series);
    part->judged = PairedVerdict{.rounds = 0, .ratio = 1, .ci = Interval{1, 1}};
    part->judged->verdict = Verdict::same;
    part->why.clear();
  }
}

/// Why the request of this pair came to nothing.
std::string why_not_compared(const Run& run, const ModelPart& part) {
  std::string why = "it was not compared";
  for (const Request& request : run.requests()) {
    const bool is_it = request.kernels.size() == 2 && request.kernels[0] == part.baseline.kernel &&
                       request.kernels[1] == part.candidate.kernel && request.error;
    if (is_it) why = request.error->sentence();
  }
  return why;
}

void fill_pair(const Run& run, ModelPart* part) {
  const Comparison* found = weightiest_of(run, [&](const Comparison& one) {
    return one.baseline == part->baseline.kernel && one.candidate == part->candidate.kernel &&
           agrees(one.baseline_params, part->baseline.params) &&
           agrees(one.candidate_params, part->candidate.params);
  });
  if (!found) {
    part->why = why_not_compared(run, *part);
    return;
  }
  const Series* series = side_series(run, *found, false);
  const bool has_turns = found->sustained.size() == 2;
  if (found->verdict == Verdict::invalid || !(found->ratio > 0) || !series || !series->stats) {
    part->why = found->reasons.empty() ? "the comparison is invalid" : found->reasons.front();
    return;
  }
  const double call_ns = has_turns ? found->sustained[0].call_ns : series->stats->median_ns;
  part->baseline_s = call_ns * 1e-9 * double(part->baseline_calls);
  part->baseline_error = half_width(*series);
  part->judged = *found;
}

/// Parts of one measurement are one term: its error counts for all of their calls at once.
std::vector<stats::SumTerm> terms_of(const ModelPhase& phase) {
  std::vector<stats::SumTerm> terms;
  std::vector<const ModelPart*> first;  // part of each term
  for (const ModelPart& part : phase.parts) {
    const auto same = std::find_if(first.begin(), first.end(), [&](const ModelPart* other) {
      return is_same_call(other->baseline, part.baseline) &&
             is_same_call(other->candidate, part.candidate);
    });
    const size_t at = size_t(same - first.begin());
    if (same == first.end()) {
      first.push_back(&part);
      terms.push_back({.baseline = 0, .baseline_error = part.baseline_error, .ratio = 1, .ci = {}});
    }
    stats::SumTerm& term = terms[at];
    const double ratio = part.judged->ratio;  // of one call
    const double before = term.baseline / term.ratio;
    const double more = *part.baseline_s / (ratio * part.calls_ratio());
    term.baseline += *part.baseline_s;
    term.ratio = term.baseline / (before + more);
    const double scale = term.ratio / ratio;
    if (part.judged->ci)
      term.ci = Interval{part.judged->ci->low * scale, part.judged->ci->high * scale};
  }
  return terms;
}

void judge_phase(ModelPhase* phase) {
  double theirs = 0, ours = 0;
  int rounds = 0;
  for (const ModelPart& part : phase->parts) {
    if (!part.judged) {
      phase->why = part.title + ": " + part.why;
      return;
    }
    theirs += *part.baseline_s;
    ours += *part.baseline_s / (part.judged->ratio * part.calls_ratio());
    if (!part.is_shared)
      rounds = rounds == 0 ? part.judged->rounds : std::min(rounds, part.judged->rounds);
  }
  phase->baseline_s = theirs, phase->candidate_s = ours;
  const double tokens = phase->candidate_tokens / phase->baseline_tokens;
  const stats::SumRatio sum = stats::sum_ratio(terms_of(*phase));
  PairedVerdict judged;
  judged.rounds = rounds;
  judged.ratio = sum.ratio * tokens;
  if (sum.ci) judged.ci = Interval{sum.ci->low * tokens, sum.ci->high * tokens};
  judged.verdict = stats::verdict_at(judged.ci, phase->margin);
  phase->judged = judged;
}

// ---- in words ----------------------------------------------------------------------------------------

std::string tokens_text(double tokens, double time_s) {
  return format_rate(tokens / time_s, "tokens/s");
}

std::string ratio_words(const PairedVerdict& judged) {
  return ratio_text(judged.ratio, judged.ci) + " " +
         (judged.ci ? format_ratio_interval(judged.ci) : "without an interval");
}

/// "threads", or "threads → packed_avx512".
std::string rungs_words(const ModelPart& part) {
  const auto name = [](const std::string& kernel) { return kernel.substr(kernel.find('.') + 1); };
  const std::string before = name(part.baseline.kernel), after = name(part.candidate.kernel);
  return before == after ? before : before + " → " + after;
}

const std::vector<std::string> kPartColumns = {"Part",     "Rungs",           "Shape", "Calls",
                                               "Baseline", "Ratio of a call", "Share"};

std::vector<std::string> part_cells(const ModelPhase& phase, const ModelPart& part) {
  const auto change = [](const std::string& before, const std::string& after) {
    return before == after ? before : before + " → " + after;
  };
  const std::string calls =
      change(std::to_string(part.baseline_calls), std::to_string(part.candidate_calls));
  const bool has_share = phase.baseline_s && part.baseline_s;
  return {part.title,
          rungs_words(part),
          change(part.baseline_shape, part.candidate_shape),
          calls,
          part.baseline_s ? format_time_ns(*part.baseline_s * 1e9) : part.why,
          !part.judged     ? kNone
          : part.is_shared ? "the same call"
                           : ratio_words(*part.judged),
          has_share ? format_share(*part.baseline_s / *phase.baseline_s) : kNone};
}

std::string sum_sentence(const ModelPhase& phase) {
  if (!phase.judged) return "No ratio: " + phase.why + ".";
  return fmt::format("{}: {} → {}, {} (margin {:.3g} %)", to_string(phase.judged->verdict),
                     tokens_text(phase.baseline_tokens, *phase.baseline_s),
                     tokens_text(phase.candidate_tokens, *phase.candidate_s),
                     ratio_words(*phase.judged), phase.margin * 100);
}

}  // namespace

Result<ModelSide> model_side(const ModelSide& common, const std::string& text, const Run& run) {
  ModelSide side = common;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const size_t equals = word.find('=');
    if (equals == word.npos || equals == 0 || equals + 1 == word.size()) {
      return Error{ErrorCode::usage, "'" + word + "' sets nothing", "model",
                   "write NAME=VALUE, several with a comma between them"};
    }
    RIDGE_TRY_VOID(set_one(word.substr(0, equals), word.substr(equals + 1), run, &side));
  }
  if (side.shape.heads % side.shape.heads_kv != 0) {
    return Error{ErrorCode::usage,
                 fmt::format("{} heads of keys do not divide {} of queries", side.shape.heads_kv,
                             side.shape.heads),
                 "model", "each head of keys serves as many heads of queries"};
  }
  return side;
}

namespace {

/// Both descriptions make the same calls throughout.
bool is_one_model(const std::vector<ModelPhase>& phases) {
  return std::all_of(phases.begin(), phases.end(), [](const ModelPhase& phase) {
    return std::all_of(phase.parts.begin(), phase.parts.end(),
                       [](const ModelPart& part) { return part.is_shared; });
  });
}

/// A model beside itself is an A/A check: its parts are compared, each with itself.
void part_all(std::vector<ModelPhase>* phases) {
  for (ModelPhase& phase : *phases) {
    for (ModelPart& part : phase.parts) part.is_shared = false;
  }
}

}  // namespace

std::vector<ModelPhase> model_phases(const ModelSide& baseline, const ModelSide& candidate,
                                     const Run& run) {
  const auto theirs = workloads_of(baseline, run), ours = workloads_of(candidate, run);
  std::vector<ModelPhase> phases;
  for (size_t p = 0; p < theirs.size(); ++p) {
    ModelPhase phase{.id = theirs[p].id, .title = theirs[p].title, .parts = {}};
    phase.baseline_tokens = theirs[p].tokens, phase.candidate_tokens = ours[p].tokens;
    phase.margin = default_margin(!baseline.shape.gpu || !candidate.shape.gpu);
    const Table before = workload_table(theirs[p], "", baseline.other),
                after = workload_table(ours[p], "", candidate.other);
    for (size_t i = 0; i < before.rows.size(); ++i) {
      const WorkloadPart &one = theirs[p].parts[i], &other = ours[p].parts[i];
      ModelPart part{.title = one.title,
                     .baseline = {before.rows[i].kernel, before.rows[i].params},
                     .candidate = {after.rows[i].kernel, after.rows[i].params},
                     .baseline_calls = one.calls,
                     .candidate_calls = other.calls};
      part.baseline_shape = one.call->shape(part.baseline.params);
      part.candidate_shape = other.call->shape(part.candidate.params);
      part.is_shared = is_same_call(part.baseline, part.candidate);
      phase.parts.push_back(std::move(part));
    }
    phases.push_back(std::move(phase));
  }
  if (is_one_model(phases)) part_all(&phases);
  return phases;
}

std::vector<WorkRequest> model_requests(const ModelSide& baseline, const ModelSide& candidate,
                                        const std::vector<ModelPhase>& phases) {
  Params model = described(baseline, "");
  const Params other = described(candidate, kCandidatePrefix);
  model.insert(other.begin(), other.end());
  WorkRequest shared;
  shared.type = RequestType::run, shared.lab = "attention", shared.model = model;
  shared.limit_s = 1, shared.energy = false;
  std::vector<WorkRequest> requests;
  std::set<std::pair<std::string, Params>> known;
  std::set<std::pair<std::pair<std::string, Params>, std::pair<std::string, Params>>> pairs;
  for (const ModelPhase& phase : phases) {
    for (const ModelPart& part : phase.parts) {
      const std::pair before(part.baseline.kernel, part.baseline.params),
          after(part.candidate.kernel, part.candidate.params);
      if (part.is_shared && known.insert(before).second) shared.kernels.push_back(part.baseline);
      if (part.is_shared || !pairs.insert({before, after}).second) continue;
      WorkRequest pair;
      pair.type = RequestType::compare, pair.lab = "attention", pair.model = model;
      pair.kernels = {part.baseline, part.candidate};
      requests.push_back(std::move(pair));
    }
  }
  if (!shared.kernels.empty()) requests.push_back(std::move(shared));
  return requests;
}

void fill_phases(const Run& run, std::vector<ModelPhase>* phases) {
  for (ModelPhase& phase : *phases) {
    for (ModelPart& part : phase.parts) {
      if (part.is_shared)
        fill_shared(run, &part);
      else
        fill_pair(run, &part);
    }
    judge_phase(&phase);
  }
}

std::string phase_text(const ModelPhase& phase) {
  std::vector<std::vector<std::string>> rows;
  for (const ModelPart& part : phase.parts) rows.push_back(part_cells(phase, part));
  return phase.title + "\n" + table(kPartColumns, rows) + sum_sentence(phase) + "\n\n";
}

namespace {

Json judged_json(const std::optional<PairedVerdict>& judged) {
  if (!judged) return nullptr;
  return {{"ratio", judged->ratio},
          {"ci_low", judged->ci ? Json(judged->ci->low) : Json(nullptr)},
          {"ci_high", judged->ci ? Json(judged->ci->high) : Json(nullptr)},
          {"rounds", judged->rounds},
          {"verdict", to_string(judged->verdict)}};
}

Json seconds_json(const std::optional<double>& seconds) {
  return seconds ? Json(*seconds) : Json(nullptr);
}

Json call_json(const KernelRequest& call, int64_t calls) {
  return {{"kernel", call.kernel}, {"params", params_to_json(call.params)}, {"calls", calls}};
}

}  // namespace

Json phase_json(const ModelPhase& phase) {
  Json parts = Json::array();
  for (const ModelPart& part : phase.parts) {
    parts.push_back({{"part", part.title},
                     {"baseline", call_json(part.baseline, part.baseline_calls)},
                     {"candidate", call_json(part.candidate, part.candidate_calls)},
                     {"is_shared", part.is_shared},
                     {"baseline_s", seconds_json(part.baseline_s)},
                     {"judged", judged_json(part.judged)},
                     {"why", part.why}});
  }
  const auto rate = [](double tokens, const std::optional<double>& time_s) {
    return time_s ? Json(tokens / *time_s) : Json(nullptr);
  };
  return {{"phase", phase.id},
          {"baseline_tokens_per_s", rate(phase.baseline_tokens, phase.baseline_s)},
          {"candidate_tokens_per_s", rate(phase.candidate_tokens, phase.candidate_s)},
          {"margin", phase.margin},
          {"judged", judged_json(phase.judged)},
          {"why", phase.why},
          {"parts", parts}};
}

std::optional<ModelPair> last_model_pair(const Run& run) {
  const auto& all = run.requests();
  const auto last = std::find_if(all.rbegin(), all.rend(), [](const Request& request) {
    return request.model.contains(std::string(kCandidatePrefix) + "layers");
  });
  if (last == all.rend()) return std::nullopt;
  return ModelPair{side_from(last->model, ""), side_from(last->model, kCandidatePrefix)};
}

std::string difference_words(const ModelPair& pair) {
  const Params before = described(pair.baseline, ""), after = described(pair.candidate, "");
  std::string text;
  for (const auto& [name, value] : before) {
    const auto other = after.find(name);
    const std::string now = other == after.end() ? "default" : to_string(other->second);
    if (to_string(value) != now)
      text += (text.empty() ? "" : ", ") + name + " " + to_string(value) + " → " + now;
  }
  for (const auto& [name, value] : after) {
    if (!before.contains(name))
      text += (text.empty() ? "" : ", ") + name + " default → " + to_string(value);
  }
  return text.empty() ? "the same model twice (A/A)" : text;
}

namespace {

chart::ModelPairRow chart_row(const ModelPhase& phase, const ModelPart& part) {
  const auto cells = part_cells(phase, part);
  chart::ModelPairRow row{.phase = phase.title, .label = part.title, .shape = cells[2]};
  row.rungs = cells[1], row.judged = part.judged, row.is_shared = part.is_shared;
  row.baseline_s = part.baseline_s, row.why = part.why;
  if (part.baseline_s && part.judged)
    row.candidate_s = *part.baseline_s / (part.judged->ratio * part.calls_ratio());
  return row;
}

}  // namespace

chart::ChartModel chart_of(const ModelPair& pair, const Run& run) {
  auto phases = model_phases(pair.baseline, pair.candidate, run);
  fill_phases(run, &phases);
  chart::ModelPairInput input{.title = "Two models", .subtitle = difference_words(pair)};
  input.table.columns = kPartColumns;
  input.table.columns.insert(input.table.columns.begin(), "Phase");
  for (const ModelPhase& phase : phases) {
    input.margin = phase.margin;
    input.summary += (input.summary.empty() ? "" : " ") + phase.title + ". " + sum_sentence(phase);
    if (phase.judged) {
      input.summary += ".";
      input.subtitle +=
          ". " + phase.title.substr(0, phase.title.find(':')) + " " + sum_sentence(phase);
    }
    for (const ModelPart& part : phase.parts) {
      input.rows.push_back(chart_row(phase, part));
      auto cells = part_cells(phase, part);
      cells.insert(cells.begin(), phase.title);
      input.table.rows.push_back(std::move(cells));
    }
  }
  return chart::model_pair_chart(input);
}

std::vector<report::Section> model_pair_sections(const Lab& lab, const Run& run) {
  if (!lab.serves_model) return {};
  const auto last = last_model_pair(run);
  if (!last) return {};
  auto phases = model_phases(last->baseline, last->candidate, run);
  fill_phases(run, &phases);
  std::vector<report::Section> sections;
  for (const ModelPhase& phase : phases) {
    if (!phase.judged) continue;
    report::Section section{.id = "model-" + phase.id, .title = "Two models. " + phase.title};
    section.paragraphs = {
        sum_sentence(phase) + ".",
        "Each part's two rungs were compared in pairs at the part's shape; a model's time is the "
        "sum "
        "over its parts, and the ratio carries their intervals as independent ones. Only products "
        "and attention are in it."};
    report::Table made{.columns = kPartColumns, .rows = {}};
    for (const ModelPart& part : phase.parts) made.rows.push_back(part_cells(phase, part));
    section.table = std::move(made);
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace ridge::app
