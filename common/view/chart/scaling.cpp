#include "common/view/chart/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/core/format.h"
#include "common/record/one_run.h"
#include "common/stats/serial_share.h"
#include "common/view/chart/climb.h"
#include "common/view/chart/scaling_results.h"

namespace ridge::chart {
namespace {

using namespace parts;

std::string counted(const SharedResults& shared, int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? one_of(shared.of.param) : shared.of.param);
}

std::string why_no_curve(const SharedResults& shared) {
  const Scaling& of = shared.of;
  if (of.param.empty()) return "Nothing here is shared out over ranks or threads.";
  const bool is_weak = shared.options.is_weak;
  if (is_weak && of.work.empty())
    return "The work of these rungs does not grow with the " + of.param + ".";
  if (std::any_of(shared.curves.begin(), shared.curves.end(),
                  [&](const ScalingCurve& curve) { return shared.is_drawn(curve); }))
    return "";
  const bool changes = !of.work.empty() && is_weak != of.is_each;
  return fmt::format(
      "No rung has verified times at two counts of {} yet{}: a run with --set {}={}{} measures "
      "them.",
      of.param, changes ? fmt::format(", at {} in step with them", of.work) : "", of.param,
      of.counts, changes ? fmt::format(" and as many values of {}", of.work) : "");
}

/// "missing: tree at 2, 8; 6 rungs at 8"; empty: each curve has all counts.
std::string missing_text(const SharedResults& shared) {
  std::map<std::vector<int64_t>, std::vector<std::string>> absent_of;  // curves that lack the same
  for (const ScalingCurve& curve : shared.curves) {
    std::vector<int64_t> absent;
    for (const int64_t count : shared.counts) {
      if (!curve.results.contains(count) && !(shared.alone && count == 1)) absent.push_back(count);
    }
    if (!absent.empty()) absent_of[absent].push_back(curve.name);
  }
  std::vector<std::string> lacks;
  if (!shared.of.alone.empty() && !shared.alone) lacks.push_back(counted(shared, 1));
  for (const auto& [absent, names] : absent_of)
    lacks.push_back(fmt::format(
        "{} at {}", names.size() == 1 ? names.front() : fmt::format("{} rungs", names.size()),
        fmt::join(absent, ", ")));
  if (lacks.empty()) return "";
  return fmt::format("missing: {}; --set {}={} measures all", fmt::join(lacks, "; "),
                     shared.of.param, shared.of.counts);
}

/// "0.82": of perfect scaling; "0.8" where the ratio is rough.
std::string share_of_perfect(const SharedResults& shared, const Measured& base,
                             const Measured& last) {
  const double more = double(shared.count_of(last)) / double(shared.count_of(base));
  const double share = base.rate / last.rate / (shared.options.is_weak ? 1 : more);
  const bool is_rough = is_noisy_quotient(*base.entry.series, *last.entry.series);
  return fmt::format("{:.{}f}", share, is_rough ? 1 : 2);
}

/// "0.82 of 4 ranks"; "0.8 of 4, noisy" where the ratio is rough.
std::string share_text(const SharedResults& shared, const Measured& base, const Measured& last) {
  const int64_t count = shared.count_of(last);
  const std::string share = share_of_perfect(shared, base, last);
  return is_noisy_quotient(*base.entry.series, *last.entry.series)
             ? fmt::format("{} of {}, noisy", share, count)
             : fmt::format("{} of {}", share, counted(shared, count));
}

/// "0.82 at 4": the same as short as a curve's name has room for; "0.8 at 4, noisy".
std::string share_at(const SharedResults& shared, const Measured& base, const Measured& last) {
  return fmt::format("{} at {}{}", share_of_perfect(shared, base, last), shared.count_of(last),
                     is_noisy_quotient(*base.entry.series, *last.entry.series) ? ", noisy" : "");
}

/// Of a rough efficiency one digit; a speedup as of any two that were each timed alone.
std::string scaled_text(const SharedResults& shared, const Measured& base, const Measured& one) {
  const double ratio = base.rate / one.rate;
  const bool is_noisy = is_noisy_quotient(*base.entry.series, *one.entry.series);
  if (!shared.options.is_weak) return alone_text(ratio, is_noisy);
  return is_noisy ? fmt::format("{:.1f} noisy", ratio) : fmt::format("{:.2f}", ratio);
}

Datum scaling_datum(const SharedResults& shared, const Measured& base, const Measured& one) {
  Datum datum = datum_for(one, double(shared.count_of(one)), base.rate / one.rate);
  datum.hollow |= base.entry.hatched;
  datum.value_text = format_time_ns(1e9 * one.rate);
  std::string words = datum.value_text + " per call, the base";
  if (&base != &one) {
    const bool is_weak = shared.options.is_weak;
    if (base.rate_ci && one.rate_ci)
      datum.interval =
          Interval{base.rate_ci->low / one.rate_ci->high, base.rate_ci->high / one.rate_ci->low};
    datum.value_text = scaled_text(shared, base, one);
    words =
        fmt::format("{} {}, {}, {} per call", is_weak ? "efficiency" : "speedup", datum.value_text,
                    datum.interval ? "interval " + format_ratio_interval(datum.interval)
                                   : "no interval under 6 samples",
                    format_time_ns(1e9 * one.rate));
  }
  const std::string at = name_of(one) + " at " + counted(shared, shared.count_of(one));
  datum.note = with_how(at + ": " + words, (base.entry.series->stale ? base : one).entry) + ".";
  return datum;
}

/// "0.05 [0.04, 0.06]"; kNone: the points tell none.
std::string serial_text(const SharedResults& shared, const Curve& curve) {
  if (shared.options.is_weak || *shared.counts.begin() != 1) return kNone;
  std::vector<stats::Speedup> points;
  for (size_t i = 1; i < curve.data.size(); ++i)
    points.push_back({curve.data[i].x, curve.data[i].y, curve.data[i].interval});
  const auto share = stats::serial_share(points);
  return share ? format_number(share->value) + " " + format_ratio_interval(share->interval) : kNone;
}

void add_scaling_curve(const SharedResults& shared, const ScalingCurve& curve, ChartModel* model) {
  const Measured& base = *shared.base_of(curve);
  const Measured& last = *curve.results.rbegin()->second;
  Curve drawn = curve_for(last);
  drawn.line = true, drawn.dashed = false;
  std::vector<std::string> cells = {curve.name};
  for (const int64_t count : shared.counts) {
    const auto found = curve.results.find(count);
    const bool is_base = count == shared.count_of(base);
    if (is_base || found != curve.results.end())
      drawn.data.push_back(scaling_datum(shared, base, is_base ? base : *found->second));
    const bool is_known = is_base || found != curve.results.end();
    cells.push_back(is_known ? drawn.data.back().value_text : kNone);
    if (is_known && !is_base) model->summary += " " + drawn.data.back().note;
  }
  const std::string share = share_text(shared, base, last), serial = serial_text(shared, drawn);
  // The figure first: what is cut off at the right is the end of a name.
  drawn.name = share_at(shared, base, last) + " · " + curve.name;
  model->summary += fmt::format(" {}: {}.", curve.name, share);
  if (serial != kNone) {
    const std::string said = curve.name + ": serial share " + serial + " by Amdahl";
    model->summary += " " + said + ".";
    if (last.entry.row->selected || shared.curves.size() == 1) model->legend.push_back(said);
  }
  cells.push_back(share);
  if (!shared.options.is_weak) cells.push_back(serial);
  model->table.rows.push_back(std::move(cells));
  model->plot->curves.push_back(std::move(drawn));
}

void set_scaling_axes(const SharedResults& shared, ChartModel* model) {
  Plot& plot = *model->plot;
  const auto base = double(*shared.counts.begin()), most = double(*shared.counts.rbegin());
  Span y;
  for (const Curve& curve : plot.curves) {
    for (const Datum& datum : curve.data)
      y.add(datum.interval ? datum.interval->high : datum.y),
          y.add(datum.interval ? datum.interval->low : datum.y);
  }
  plot.name_ends = true;
  plot.x = {.title = "Number of " + shared.of.param,
            .scale = Scale::log,
            .low = base / 1.1,
            .high = most * 1.1};
  plot.x.ticks.assign(shared.counts.begin(), shared.counts.end());
  Guide perfect{.value = 1,
                .label = "perfect",
                .note = "Perfect scaling: the time stays as it is.",
                .dashed = true};
  plot.y = {.title = "Efficiency, time of the base ÷ time",
            .low = 0,
            .high = 1.1 * std::max(1.0, y.high)};
  if (!shared.options.is_weak) {
    perfect = {.kind = Guide::Kind::slope,
               .value = 1 / base,
               .label = "perfect",
               .note = "Perfect scaling: twice the " + shared.of.param + ", half the time.",
               .dashed = true};
    plot.y = {.title = "Speedup, time of the base ÷ time", .scale = Scale::log};
    y.add(most / base);
    y.apply(&plot.y, 1.15, 1.15);
    for (const int64_t count : shared.counts) plot.y.ticks.push_back(double(count) / base);
  }
  plot.guides.push_back(std::move(perfect));
}

void add_scaling_legend(const SharedResults& shared, ChartModel* model) {
  auto& legend = model->legend;
  const std::string base =
      shared.alone
          ? "over " + name_of(*shared.alone) + ", " + format_time_ns(1e9 * shared.alone->rate)
          : "each rung over its own time at " + counted(shared, *shared.counts.begin());
  legend.insert(legend.begin(), base);
  legend.push_back("before a name: the share of perfect scaling, at so many " + shared.of.param);
  if (!shared.options.is_weak) legend.emplace_back("≈: each alone, the ratio of two medians");
  put_legend(shared.results, false, model);
  const Measured& first = shared.results.front();
  const bool is_one_run =
      std::all_of(shared.results.begin(), shared.results.end(), [&](const Measured& one) {
        return is_of_one_run(*one.entry.series, *first.entry.series) &&
               one.entry.row->run == first.entry.row->run;
      });
  if (!is_one_run)
    legend.emplace_back("of several runs: the machine may have changed between them");
  if (std::string missing = missing_text(shared); !missing.empty())
    legend.push_back(std::move(missing));
  if (shared.otherwise > 0)
    legend.push_back(fmt::format("{} result{} of other problems left out", shared.otherwise,
                                 shared.otherwise == 1 ? "" : "s"));
  add_elsewhere(shared.elsewhere, model);
}

/// "rows of a step = 16 for each"
std::string problem_text(const SharedResults& shared) {
  const Measured& one = shared.results.front();
  const Scaling& of = shared.of;
  if (of.work.empty()) return one.size_text;
  const auto title = shared.options.param_titles.find(of.work);
  const bool is_weak = shared.options.is_weak;
  return fmt::format("{} = {}{}",
                     title == shared.options.param_titles.end() ? of.work : title->second,
                     format_count(problem_of(shared, one).work),
                     is_weak == of.is_each ? ""
                     : is_weak             ? " for each"
                                           : " for all");
}

}  // namespace

ChartModel scaling_chart(std::span<const LadderRow> all, const ScalingOptions& options) {
  const std::vector<LadderRow> rows = with_marks(all);
  const SharedResults shared = shared_results(rows, options);
  ChartModel model{.id = options.is_weak ? "weak_scaling" : "scaling",
                   .title = options.is_weak ? "Weak scaling" : "Strong scaling"};
  model.plot = Plot{};
  if (std::string why = why_no_curve(shared); !why.empty()) {
    model.plot->empty_reason = model.summary = std::move(why);
    return model;
  }
  name_machine(shared.results, &model);
  model.subtitle = problem_text(shared) + (model.subtitle.empty() ? "" : ", " + model.subtitle);
  model.summary =
      fmt::format("{} over {}, {}.", model.title, options.of.param, problem_text(shared));
  model.table.columns = {"Rung, " + problem_text(shared)};
  for (const int64_t count : shared.counts) model.table.columns.push_back(counted(shared, count));
  model.table.columns.emplace_back("Of perfect");
  if (!options.is_weak) model.table.columns.emplace_back("Serial share");
  for (const ScalingCurve& curve : shared.curves) {
    if (shared.is_drawn(curve)) add_scaling_curve(shared, curve, &model);
  }
  set_scaling_axes(shared, &model);
  add_scaling_legend(shared, &model);
  return model;
}

}  // namespace ridge::chart
