#include "common/view/report/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/in_turns.h"
#include "common/record/params.h"
#include "common/record/processor_share.h"
#include "common/record/ratio_text.h"
#include "common/view/report/closeness.h"
#include "common/view/report/content.h"

namespace ridge::report {
namespace {

bool is_time(double ns) {
  return std::isfinite(ns) && ns > 0;
}

bool has_result(const Series& series) {
  return problem_of(series).empty() && series.stats && is_time(series.stats->median_ns);
}

bool same_case(const Series& series, const Prediction& prediction) {
  return series.kernel == prediction.kernel && agrees(series.params, prediction.params);
}

/// What became of it where no result came: the latest word of a series that was asked for.
std::string missing_reason(const Run& run, const Prediction& prediction) {
  std::string reason = "not run since";
  for (size_t i = prediction.series_before; i < run.series().size(); ++i) {
    const Series& series = run.series()[i];
    if (series.kernel != prediction.kernel) continue;
    if (same_case(series, prediction)) {
      reason = problem_of(series);
      if (reason.empty()) reason = "no time was measured";
    } else if (!series.reduced_from.empty()) {
      const std::string at = size_text(series.params, series.size_param);
      reason = "it ran at " + (at.empty() ? to_string(series.params) : at) +
               ", not at the size predicted";
    }
  }
  return reason;
}

/// Of those that fit the newest, which is what the ladder shows: a side of a comparison only where there is no run
/// alone, and hot is not held against cold.
bool replaces(const Series& newer, const Series* known) {
  if (!known) return true;
  const bool is_side = newer.mode == RunMode::compare && known->mode != RunMode::compare;
  return known->cache == newer.cache && !is_side;
}

/// As it stood when `measured` came; where there was none, the first that came after it.
const Series* reference_series(const Run& run, const Prediction& prediction,
                               const Series* measured) {
  const Series* found = nullptr;
  bool is_past = false;  // what runs later is of another minute
  for (const Series& series : run.series()) {
    if (found && is_past) break;
    is_past = is_past || &series == measured;
    const bool fits = series.kernel == prediction.of && agrees(series.params, prediction.params) &&
                      has_result(series) && (!measured || series.cache == measured->cache);
    if (fits && replaces(series, found)) found = &series;
  }
  return found;
}

/// Of the two in pairs at what was predicted: that of the result's own request judges it, the newest other is a later one.
/// Whichever side of the result it was made on, a pair with an interval knows better than two times of other minutes.
void find_pairs(const Run& run, Revealed* out) {
  const Prediction& prediction = *out->prediction;
  const Comparison* earlier = nullptr;
  for (const Comparison& one : run.comparisons()) {
    if (one.candidate != prediction.kernel || one.baseline != prediction.of ||
        one.verdict == Verdict::invalid || one.cache != out->series->cache ||
        !agrees(one.candidate_params, prediction.params))
      continue;
    const bool is_own =
        out->series->mode == RunMode::compare && one.request == out->series->request;
    if (is_own)
      out->pair = &one;
    else if (one.request > out->series->request)
      out->later_pair = &one;
    else if (one.ci && !one.stale && (!earlier || outweighs(one, *earlier)))
      earlier = &one;
  }
  if (out->pair) return;
  if (out->later_pair && out->later_pair->ci)
    std::swap(out->pair, out->later_pair);
  else
    out->pair = earlier;
}

/// Whether it is of the lab that the report is of: a lesson asks at another size than the one in view.
bool is_of_report(const Run& run, const Prediction& prediction, const Options& options) {
  const Series* of_kernel = run.latest(prediction.kernel);
  return options.lab.empty() || !of_kernel || of_kernel->lab == options.lab;
}

/// " at n=256"
std::string at_text(const Run& run, const Prediction& prediction) {
  const Series* of_kernel = run.latest(prediction.kernel);
  const std::string text =
      differing_params(prediction.params, {}, of_kernel ? of_kernel->size_param : "");
  return text.empty() ? "" : " at " + text;
}

/// What lies between two ends, by processor and by wall time, is judged by its nearer end, and what was said between them
/// not at all. `of_said`: how many times a figure is what was said, as Revealed::factor has it.
template <typename OfSaid>
void judge_between(const Interval& ends, double said, const OfSaid& of_said, Revealed* out) {
  out->factor.reset();
  if (said < ends.low) out->factor = of_said(ends.low);
  if (said > ends.high) out->factor = of_said(ends.high);
}

/// A time of which other programs took a part that is no part of the call. False: it had the processor throughout.
bool reveal_busy_time(Revealed* out) {
  const auto share = processor_share(*out->series);
  if (!share || *share * kUnevenShares >= 1) return false;
  const Interval ends{*out->measured_ns * *share, *out->measured_ns};
  out->range = "between " + format_time_ns(ends.low) + " and " + format_time_ns(ends.high);
  const double said = *out->predicted_ns;
  judge_between(
      ends, said, [said](double ns) { return ns / said; }, out);
  return true;
}

/// A factor is held against the same quotient of what was measured.
void reveal_factor(const Run& run, Revealed* out) {
  const Prediction& prediction = *out->prediction;
  const Series* of = reference_series(run, prediction, out->series);
  // At parameters that the two do not share, as it was when the factor was said.
  const double of_ns = of ? of->stats->median_ns : prediction.value * prediction.factor;
  if (is_time(of_ns)) out->predicted_ns = of_ns / prediction.factor;
  if (!out->measured_ns) return;
  find_pairs(run, out);
  if (out->pair)
    out->ratio = out->pair->ratio;
  else if (is_time(of_ns))
    out->ratio = of_ns / *out->measured_ns;
  const auto scatters = [](const Series* one) { return one && is_rough(*one->stats); };
  out->is_rough = !out->pair && (scatters(of) || scatters(out->series));
  std::optional<Interval> ends;
  if (out->pair && !uneven_reason(*out->pair).empty()) {
    out->range = headline_ratio_text(*out->pair);
    ends = out->pair->ci;
  } else if (const auto uneven = out->pair || !of || !out->series
                                     ? std::nullopt
                                     : uneven_shares(*of, *out->series)) {
    out->range = uneven->range_text(*out->ratio);
    ends = uneven->range(*out->ratio);
  }
  const double said = prediction.factor;
  if (ends)
    judge_between(
        *ends, said, [said](double ratio) { return said / ratio; }, out);
  if (out->ratio && out->range.empty()) out->factor = said / *out->ratio;
}

Revealed said(const Prediction& prediction) {
  Revealed out;
  out.prediction = &prediction;
  if (is_time(prediction.value)) out.predicted_ns = prediction.value;
  return out;
}

/// With its series: how far off it was.
void judge(const Run& run, Revealed* out) {
  if (out->series) out->measured_ns = out->series->stats->median_ns;
  if (out->prediction->factor > 0)
    reveal_factor(run, out);
  else if (out->measured_ns && out->predicted_ns && !reveal_busy_time(out))
    out->factor = *out->measured_ns / *out->predicted_ns;
  if (out->series) out->least = least_time(*out->series, run);
}

Revealed reveal_one(const Run& run, const Prediction& prediction) {
  Revealed out = said(prediction);
  const auto& all = run.series();
  const size_t before = std::min(prediction.series_before, all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (!same_case(all[i], prediction)) continue;
    // Samples are enough to have seen it: a run cut short still showed its bar.
    if (i < before && (has_result(all[i]) || !all[i].samples.empty())) out.after_the_fact = true;
    if (i < before || !has_result(all[i])) continue;
    out.series = &all[i];  // of the step that it was made for: what ran later is another minute's
    break;
  }
  judge(run, &out);
  if (!out.series) out.least.reason = out.reason = missing_reason(run, prediction);
  return out;
}

std::string pair_interval(const Comparison& pair) {
  return pair.ci ? " " + ratio_interval_text(pair.ci, pair.margin)
                 : " (no interval: too few samples)";
}

/// What was said against what was measured and its interval.
std::string right_text(const Revealed& revealed) {
  const Prediction& prediction = *revealed.prediction;
  if (!(prediction.factor > 0)) {
    const auto& ci = revealed.series->stats->ci_ns;
    return right_words(*revealed.predicted_ns, *revealed.measured_ns, ci, format_time_interval(ci));
  }
  const auto ci = revealed.pair ? revealed.pair->ci : std::nullopt;
  return right_words(prediction.factor, *revealed.ratio, ci,
                     ratio_interval_text(ci, revealed.pair ? revealed.pair->margin : 0));
}

std::string off_text(const Revealed& revealed) {
  if (std::string right = right_text(revealed); !right.empty()) return right;
  constexpr double kBeyondDoubt = 2;  // farther off than rough times are from one another
  const double factor = *revealed.factor;
  if (!revealed.range.empty()) {  // of the nearer end
    const bool is_slower = factor > 1;
    const std::string by = format_ratio(rounded_down(is_slower ? factor : 1 / factor));
    if (revealed.prediction->factor > 0)
      return std::string(is_slower ? "slower" : "faster") + " than you said, by at least " + by;
    return "at least " + by + (is_slower ? " as long" : " as fast") + " as predicted";
  }
  if (revealed.is_rough && factor < kBeyondDoubt && factor > 1 / kBeyondDoubt)
    return "two rough times do not settle it; compare them in turns";
  if (revealed.prediction->factor > 0)
    return factor > 1 ? "slower than you said, by " + format_ratio(factor)
                      : "faster than you said, by " + format_ratio(1 / factor);
  return factor > 1 ? format_ratio(factor) + " as long as predicted"
                    : format_ratio(1 / factor) + " as fast as predicted";
}

/// "8.20×", "≈ 19×" of two that were each timed alone.
std::string ratio_figure(const Revealed& revealed) {
  if (!revealed.range.empty()) return revealed.range;
  return revealed.pair ? ratio_text(*revealed.ratio, revealed.pair->ci)
                       : alone_ratio_text(*revealed.ratio);
}

/// "8.20× [7.90, 8.50] in pairs", "≈ 19× (each alone: no interval)".
std::string ratio_said(const Revealed& revealed) {
  if (!revealed.range.empty()) return revealed.range + ", by processor and by wall time";
  return ratio_figure(revealed) + (revealed.pair ? pair_interval(*revealed.pair) + " in pairs"
                                                 : std::string(" (each alone: no interval)"));
}

}  // namespace

LeastTime least_time(const Series& series, const Run& run) {
  LeastTime least;
  const Derived derived = derive(series, run);
  const Utilization* nearest = nearest_ceiling(derived);
  if (nearest) least.ceiling = nearest->name;
  // A share of a ceiling is the least time over the measured one: derive() has chosen the ceilings.
  if (nearest && nearest->value > 0 && series.stats) {
    least.time_ns = series.stats->median_ns * nearest->value;
  } else {
    least.reason = no_ceiling_reason(derived);
  }
  return least;
}

std::vector<Revealed> reveal(const Run& run) {
  std::vector<Revealed> all;
  for (const Prediction& prediction : run.predictions()) all.push_back(reveal_one(run, prediction));
  return all;
}

std::optional<Revealed> reveal(const Run& run, const std::string& kernel, const Params& params) {
  const auto& all = run.predictions();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Prediction& prediction) {
    return prediction.kernel == kernel && agrees(prediction.params, params);
  });
  if (found == all.rend()) return {};
  return reveal_one(run, *found);
}

Revealed reveal_recorded(const Run& recording, const Prediction& prediction, const Series& series,
                         const std::string& machine) {
  Revealed out = said(prediction);
  out.series = &series;
  out.machine = machine;
  judge(recording, &out);
  return out;
}

std::string said_text(const Prediction& prediction) {
  return prediction.factor > 0 ? fmt::format("{:.4g}×", prediction.factor)
                               : format_time_ns(prediction.value);
}

std::string prediction_sentence(const Revealed& revealed) {
  const Prediction& prediction = *revealed.prediction;
  const bool of_times = !(prediction.factor > 0);
  std::string text = revealed.after_the_fact ? "After the fact: " : "";
  if (of_times)
    text += std::string(text.empty() ? "P" : "p") + "redicted ";
  else
    text += std::string(text.empty() ? "Y" : "y") + "ou said ";
  text += said_text(prediction);
  if (!revealed.measured_ns) return text + "; no result: " + revealed.reason + ".";
  const std::string where = revealed.machine.empty() ? "" : ", recorded on " + revealed.machine;
  const std::string took = format_time_ns(*revealed.measured_ns);
  if (of_times)
    text += ", measured " +
            (revealed.range.empty() ? took : revealed.range + ", by processor and by wall time");
  else if (revealed.ratio)
    text += ", it is " + ratio_said(revealed);
  else
    text += "; what that refers to has no result here, and this rung took " + took;
  text += where;
  if (revealed.factor)
    text += ": " + off_text(revealed);
  else if (!revealed.range.empty())
    text += of_times
                ? "; other programs took the rest of its time, so it is not judged"
                : "; other programs took more of one side's time than of the other's, so it is "
                  "not judged";
  if (const Comparison* later = revealed.later_pair)
    text += ". A pair since then: " + ratio_text(later->ratio, later->ci) + pair_interval(*later);
  return text + ".";
}

std::string model_sentence(const Revealed& revealed) {
  const LeastTime& least = revealed.least;
  if (!least.time_ns) return "Roofline model unavailable: " + least.reason + ".";
  std::string text = "Roofline model: no less than " + format_time_ns(*least.time_ns) + ", by " +
                     least.ceiling +
                     (revealed.machine.empty() ? " measured here" : " measured there");
  if (revealed.measured_ns)
    text += "; measured is " + format_ratio(*revealed.measured_ns / *least.time_ns) + " that";
  return text + ".";
}

std::vector<std::string> prediction_lines(std::span<const Input> inputs, const Options& options) {
  std::vector<std::string> lines;
  for (const Input& input : inputs) {
    for (const Revealed& one : reveal(*input.run)) {
      const Prediction& said = *one.prediction;
      if (!is_of_report(*input.run, said, options)) continue;
      lines.push_back("“" + title_of(said.kernel, options) + "”" +
                      (said.of.empty() ? "" : " over “" + title_of(said.of, options) + "”") +
                      at_text(*input.run, said) + ": " + prediction_sentence(one));
    }
  }
  return lines;
}

std::vector<Section> prediction_sections(std::span<const Input> inputs, const Options& options) {
  Section section{.id = "predictions", .title = "Predictions", .in_handout = true};
  Table table{
      .columns = {"Rung", "Predicted", "Model: least time", "Measured", "How right", "When"}};
  for (const Input& input : inputs) {
    for (const Revealed& one : reveal(*input.run)) {
      const Prediction& prediction = *one.prediction;
      if (!is_of_report(*input.run, prediction, options)) continue;
      const std::string params = to_string(prediction.params);
      table.rows.push_back(
          {title_of(prediction.kernel, options) + (params.empty() ? "" : " · " + params),
           said_text(prediction) +
               (prediction.factor > 0 ? " over " + title_of(prediction.of, options) : ""),
           one.least.time_ns ? format_time_ns(*one.least.time_ns) + " (" + one.least.ceiling + ")"
                             : unavailable(one.least.reason),
           (one.ratio ? ratio_figure(one) + ", " : "") +
               (one.measured_ns ? format_time_ns(*one.measured_ns) : unavailable(one.reason)),
           one.factor ? off_text(one) : kNone,
           one.after_the_fact ? "after the fact" : "before the run"});
    }
  }
  if (table.rows.empty()) return {};
  section.paragraphs = {
      "What was expected before the run, the least time that the roofline model allows under the "
      "ceilings measured on this machine, and what was measured. A prediction made when a result "
      "for the same parameters was already there is marked after the fact."};
  section.table = std::move(table);
  return {section};
}

Json prediction_json(const Revealed& revealed) {
  const auto number = [](const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
  };
  return {{"kernel", revealed.prediction->kernel},
          {"params", params_to_json(revealed.prediction->params)},
          {"predicted_ns", number(revealed.predicted_ns)},
          {"measured_ns", number(revealed.measured_ns)},
          {"factor", number(revealed.factor)},
          {"said_factor",
           revealed.prediction->factor > 0 ? Json(revealed.prediction->factor) : Json(nullptr)},
          {"said_of", revealed.prediction->of},
          {"ratio", number(revealed.ratio)},
          {"model_ns", number(revealed.least.time_ns)},
          {"model_ceiling", revealed.least.ceiling},
          {"after_the_fact", revealed.after_the_fact},
          {"reason", revealed.measured_ns ? revealed.least.reason : revealed.reason}};
}

}  // namespace ridge::report
