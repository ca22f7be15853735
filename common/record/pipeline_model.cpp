#include "common/record/pipeline_model.h"

#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge {
namespace {

double grown(const StageTime& stage, const Params& measured, const Params& wanted) {
  const auto ratio = [&](const char* name) {
    const auto before = double(param_int(measured, name));
    const auto after = double(param_int(wanted, name, param_int(measured, name)));
    return before > 0 && after > 0 ? after / before : 1.0;
  };
  const double side = ratio("side");
  double factor = 1;
  for (const auto& [what, share] : stage.grows) {
    const size_t slash = what.find('/');
    const std::string name = what.substr(0, slash);
    double by = name == "pixels" ? side * side : ratio(name.c_str());
    if (slash != std::string::npos) by /= ratio(what.substr(slash + 1).c_str());
    factor += share * (by - 1);
  }
  return factor;
}

std::string cpu_bound(int cores) {
  return "CPU work / " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
}

}  // namespace

PipelinePrediction predict(const PipelineOutcome& outcome, const Params& measured,
                           const Params& wanted) {
  PipelinePrediction best;
  double cpu_ns = 0, sum_ns = 0, measured_sum_ns = 0;
  const int cores = std::max(1, outcome.cores);
  for (const StageTime& stage : outcome.stages) {
    const double factor = grown(stage, measured, wanted);
    int64_t threads = stage.threads;
    if (measured.count("workers") > 0 && stage.name == "load")
      threads = param_int(wanted, "workers", threads);
    const double used = double(std::min<int64_t>(stage.threads, cores));
    const double now = double(std::clamp<int64_t>(threads, 1, cores));
    const double alone_ns = stage.alone_ns * factor * used / now;
    cpu_ns += stage.cpu_ns * factor;
    sum_ns += alone_ns;
    measured_sum_ns += stage.alone_ns;
    if (alone_ns > best.item_ns) best = {alone_ns, stage.name + " alone"};
  }
  if (cpu_ns / cores > best.item_ns) best = {cpu_ns / cores, cpu_bound(cores)};
  constexpr double kTakesTurns = 0.95;
  // Stages that each take all cores add up as well: then the cores bind.
  const bool in_turns = !outcome.bound.starts_with("CPU") &&
                        outcome.ratio * outcome.bound_ns >= kTakesTurns * measured_sum_ns;
  if (in_turns && sum_ns > best.item_ns) best = {sum_ns, "its stages one after the other"};
  return best;
}

std::vector<std::pair<double, int>> depth_steps(const std::vector<Span>& spans,
                                                const std::string& stage) {
  std::vector<std::pair<double, int>> steps;  // changes first, then sums
  for (const Span& span : spans) {
    if (span.stage != stage) continue;
    steps.emplace_back(span.start_ns, 1);
    steps.emplace_back(span.end_ns, -1);
  }
  std::sort(steps.begin(), steps.end());
  int depth = 0;
  for (auto& [at_ns, change] : steps) change = depth += change;
  return steps;
}

std::string bound_doubt(const PipelineOutcome& outcome) {
  constexpr double kMargin = 0.01;  // starts and ends of a window are about half of that
  const double high = outcome.ci ? outcome.ci->high : outcome.ratio;
  if (!(outcome.ratio > 0) || !(high < 1 - kMargin)) return "";
  return "the bound is not one: " + outcome.bound + " took " + format_number(1 / outcome.ratio, 3) +
         " times as long as the whole pipeline; measure again";
}

std::string bound_text(const PipelineOutcome& outcome) {
  if (std::string doubt = bound_doubt(outcome); !doubt.empty()) return doubt;
  std::string text = format_ratio(outcome.ratio) + " its bound, " + outcome.bound + " (";
  if (outcome.ci) {
    text += "95 % " + format_number(outcome.ci->low, 4) + " to " +
            format_number(outcome.ci->high, 4) + ", ";
  }
  return text + std::to_string(outcome.rounds) + (outcome.rounds == 1 ? " round)" : " rounds)");
}

std::vector<std::string> pipeline_sentences(const Series* baseline, const Series* candidate) {
  if (!baseline || !candidate || candidate->kind != RungKind::pipeline) return {};
  if (!(baseline->items_per_s > 0) || !(candidate->items_per_s > 0)) return {};
  std::vector<std::string> sentences = {"throughput " +
                                        format_rate(baseline->items_per_s, "items/s") + " → " +
                                        format_rate(candidate->items_per_s, "items/s")};
  for (const Series* side : {baseline, candidate}) {
    const std::string name = side == baseline ? "the baseline" : "the candidate";
    sentences.push_back(side->pipeline
                            ? name + ": " + bound_text(*side->pipeline)
                            : "what binds " + name + " is not known: its stages do not run alone");
  }
  return sentences;
}

std::vector<std::vector<std::string>> stage_rows(const Series& series) {
  std::vector<std::vector<std::string>> rows;
  if (!series.pipeline) return rows;
  const PipelineOutcome& outcome = *series.pipeline;
  const auto batch = double(outcome.items_per_step);
  const double t_ns = series.stats ? series.stats->median_ns : 0;
  const auto share = [&](double ns) { return t_ns > 0 ? format_share(ns / t_ns) : kNone; };
  double cpu_ns = 0;
  for (const StageTime& stage : outcome.stages) {
    cpu_ns += stage.cpu_ns;
    std::string bus;
    if (stage.bus_bytes_per_s) {
      bus = format_rate(*stage.bus_bytes_per_s, "B/s");
      if (outcome.bus_ceiling_bytes_per_s && *outcome.bus_ceiling_bytes_per_s > 0) {
        bus += ", " + format_share(*stage.bus_bytes_per_s / *outcome.bus_ceiling_bytes_per_s) +
               " of a pinned copy";
      }
    }
    rows.push_back({stage.name, std::to_string(stage.threads),
                    format_time_ns(stage.alone_ns * batch), format_time_ns(stage.cpu_ns * batch),
                    share(stage.alone_ns), bus});
  }
  rows.push_back({cpu_bound(outcome.cores), "", format_time_ns(cpu_ns / outcome.cores * batch),
                  format_time_ns(cpu_ns * batch), share(cpu_ns / outcome.cores), ""});
  rows.push_back({"steady step", "", format_time_ns(t_ns * batch), "", share(t_ns), ""});
  return rows;
}

}  // namespace ridge
