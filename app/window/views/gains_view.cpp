// The ladder as a climb: the speed of each rung as a bar from zero, what each step brought, and its other figures beside
// it. Of a ladder in parts (processors, types) one at a time, with its own axis and ceiling.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "app/query/recordings.h"
#include "app/window/edit/editing.h"
#include "app/window/shell/settings.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/record/caution.h"
#include "common/record/chain.h"
#include "common/record/clocks.h"
#include "common/record/compute_unit.h"
#include "common/record/derive.h"
#include "common/record/in_turns.h"
#include "common/record/one_run.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "common/record/seed_delta.h"
#include "common/record/stale_words.h"
#include "common/stats/stats.h"
#include "common/view/chart/climb.h"
#include "common/view/chart/ladder.h"
#include "common/view/chart/paired.h"
#include "common/view/report/decision.h"

namespace ridge::window {
namespace {

constexpr float kBar_px = 44, kTotal_px = 30;

/// The part of the ladder that a row belongs to; labs without parts have one for each processor.
std::string part_of(const chart::LadderRow& row, const std::string& kernel) {
  if (!row.section.empty()) return row.section;
  return backend_of(kernel) == Backend::cuda ? "GPU" : "CPU";
}

/// Folds and traps have no place in a climb.
bool is_step(const ChartRows& rows, size_t i) {
  return rows.kernels[i] != kFoldRow && !rows.rows[i].is_trap;
}

struct Part {
  std::string title;
  std::string first;  ///< kernel id of its first row
};

std::vector<Part> parts_of(const ChartRows& rows) {
  std::vector<Part> parts;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const std::string title = part_of(rows.rows[i], rows.kernels[i]);
    const bool is_known = std::any_of(parts.begin(), parts.end(),
                                      [&](const Part& part) { return part.title == title; });
    if (is_step(rows, i) && !is_known) parts.push_back({title, rows.kernels[i]});
  }
  return parts;
}

/// The part of the selected rung, else the first.
std::string part_in_view(const State& state, const ChartRows& rows) {
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    if (rows.kernels[i] == state.selection.rung) return part_of(rows.rows[i], rows.kernels[i]);
  }
  const std::vector<Part> parts = parts_of(rows);
  return parts.empty() ? "" : parts.front().title;
}

/// The types that the part's own rungs were measured in, and on which processor.
std::set<std::pair<std::string, std::string>> types_of(const ChartRows& rows,
                                                       const std::string& part) {
  std::set<std::pair<std::string, std::string>> types;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const chart::LadderRow& row = rows.rows[i];
    if (!row.is_peer && row.series && part_of(row, rows.kernels[i]) == part)
      types.emplace(backend_of(rows.kernels[i]).text(), dtype_of(*row.series));
  }
  return types;
}

/// The rows of the part in view: each part has an axis and a ceiling of its own. A library that stands in another part, but
/// was measured in the type of this one's rungs, is measured against them. Libraries stand below the ladder: its first row
/// is where it starts.
ChartRows climb_rows(const State& state, ChartRows all) {
  ChartRows some;
  const std::string shown = part_in_view(state, all);
  const auto types = types_of(all, shown);
  const auto belongs = [&](size_t i) {
    const chart::LadderRow& row = all.rows[i];
    if (part_of(row, all.kernels[i]) == shown) return true;
    return row.is_peer && row.series &&
           types.contains({backend_of(all.kernels[i]).text(), dtype_of(*row.series)});
  };
  std::vector<size_t> shown_rows;
  for (size_t i = 0; i < all.rows.size(); ++i)
    if (is_step(all, i) && belongs(i)) shown_rows.push_back(i);
  const auto libraries = std::stable_partition(shown_rows.begin(), shown_rows.end(),
                                               [&](size_t i) { return !all.rows[i].is_peer; });
  const bool has_steps = libraries != shown_rows.begin();
  for (const size_t i : shown_rows) {
    some.kernels.push_back(all.kernels[i]);
    some.rows.push_back(std::move(all.rows[i]));
    chart::LadderRow& row = some.rows.back();
    row.section = row.is_peer && has_steps ? "Libraries" : "";  // the bar above names the part
  }
  return some;
}

bool is_verified(const Series* series) {
  return series && series->stats && series->quality_passed() &&
         (series->status == SeriesStatus::ok || series->status == SeriesStatus::running);
}

std::optional<Throughput> rate_of(const Series* series) {
  if (!is_verified(series)) return std::nullopt;
  const auto rate = throughput_of(*series);
  return rate && std::isfinite(rate->value) && rate->value > 0 ? rate : std::nullopt;
}

/// Where figures are from: bars of two machines, or of two sizes, have no axis in common.
struct Place {
  std::string machine{};  ///< empty: this one
  Params params{};        ///< of the lab, but for type and threads; a rung may lack some of them
};

/// A parameter that only one of them has does not part them.
bool is_same_place(const Place& a, const Place& b) {
  return a.machine == b.machine && agrees(a.params, b.params);
}

/// Of what the controls set.
Params size_params(const State& state, const Params& all) {
  Params params;
  const auto add = [&](const std::string& name) {
    const auto found = all.find(name);
    if (found != all.end() && name != "dtype" && name != "threads") params.insert(*found);
  };
  for (const ParamView& param : state.selection.lab->params) add(param.name);
  for (const auto& [name, value] : state.selection.params) add(name);
  return params;
}

/// A step of this machine that was cut to a smaller size stays, by its rate: the climb begins there.
Place place_of(const State& state, const RungView& row, bool log_time) {
  if (row.origin == Origin::recorded)
    return {row.machine, size_params(state, asked_params(*row.series))};
  return {"", log_time ? size_params(state, row.series->params) : Params()};
}

/// The place of most rows, this machine's own at the size in view first, with the parameters of all of them.
Place shared_place(const State& state, const std::vector<Place>& places) {
  const Params shown = size_params(state, shown_params(state));
  Place best;
  std::pair<bool, int> most;
  for (const Place& pivot : places) {
    Place shared = pivot;
    int rows = 0;
    for (const Place& one : places) {
      if (!is_same_place(shared, one)) continue;
      shared.params.insert(one.params.begin(), one.params.end());
      ++rows;
    }
    const std::pair rank(pivot.machine.empty() && agrees(pivot.params, shown), rows);
    if (rank <= most) continue;
    best = std::move(shared);
    most = rank;
  }
  return best;
}

/// What the bars of a chart have in common: one machine and size, one unit, one way of being timed.
struct Axis {
  std::string unit = "FLOP/s";
  Place place{};
  bool in_turns = false;  ///< all were timed in turns
  bool log_time = false;
};

/// "n = 4096": what the bars of another machine are at, where that differs from what the controls say.
std::string size_text(const State& state, const Place& place) {
  if (place.machine.empty()) return "";
  const auto& rows = state.ladder.rows;
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const RungView& row) {
    return row.series && row.machine == place.machine;
  });
  return app::size_difference(state.selection.lab->id, place.params,
                              size_params(state, shown_params(state)),
                              at == rows.end() ? "" : at->series->size_param);
}

/// "at n = 4096, each alone, recorded on NVIDIA H200": a narrow column cuts the end, and not the size.
std::string timed_text(const State& state, const Axis& axis) {
  std::string text = axis.in_turns ? "in turns" : "each alone";
  if (const std::string size = size_text(state, axis.place); !size.empty())
    text = "at " + size + ", " + text;
  return axis.place.machine.empty() ? text : text + ", recorded on " + axis.place.machine;
}

template <class Key>
Key most_of(const std::map<Key, int>& counts, Key otherwise) {
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? otherwise : most->first;
}

bool is_on_axis(const State& state, const RungView& row, const Axis& axis) {
  return is_same_place(place_of(state, row, axis.log_time), axis.place);
}

/// That of most rows, rungs alone before sides of comparisons.
Axis axis_of(const State& state, const ChartRows& rows) {
  Axis axis{.log_time = state.appearance.log_time};
  std::map<std::string, int> units;
  std::vector<Place> places;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const RungView* view = find_row(state.ladder, rows.kernels[i]);
    if (view && rate_of(rows.rows[i].series))
      places.push_back(place_of(state, *view, axis.log_time));
  }
  axis.place = shared_place(state, places);
  size_t bars = 0, in_turns = 0;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const RungView* view = find_row(state.ladder, rows.kernels[i]);
    const auto rate = rate_of(rows.rows[i].series);
    if (!view || !rate || !is_on_axis(state, *view, axis)) continue;
    ++units[rate->unit], ++bars;
    in_turns += rows.rows[i].in_turns;
  }
  // Before anything was measured: what the lab counts.
  if (std::string_view(state.selection.lab->items) != Lab().items) axis.unit = "items/s";
  axis.unit = most_of(units, axis.unit);
  axis.in_turns = bars > 0 && in_turns == bars;
  return axis;
}

/// Its rate, if its bar may stand on the axis.
std::optional<Throughput> bar_of(const State& state, const chart::LadderRow& row,
                                 const std::string& kernel, const Axis& axis) {
  const auto rate = rate_of(row.series);
  const RungView* view = find_row(state.ladder, kernel);
  const bool fits = rate && view && rate->unit == axis.unit && row.in_turns == axis.in_turns &&
                    is_on_axis(state, *view, axis);
  return fits ? rate : std::nullopt;
}

/// Why a row with a speed has no bar.
std::string no_bar_reason(const State& state, const RungView& view, const chart::LadderRow& row,
                          const Axis& axis) {
  const Lab& lab = *state.selection.lab;
  if (!is_on_axis(state, view, axis)) return elsewhere_text(state, view);
  const auto rate = rate_of(row.series);
  const std::string unit = unit_in_words(lab, rate->unit, view.rung->kernel);
  if (rate->unit != axis.unit) return "counted in " + unit;
  return "only " + kTimedInTurns + ": " + format_rate(rate->value, unit);
}

/// The comparison of just these two results, if one was made, whichever of them was its baseline.
std::optional<Comparison> pair_of(const State& state, const RungView& before, const RungView& row) {
  if (row.origin != Origin::recorded)
    return weightiest_pair(state.run(), *before.series, *row.series);
  auto found = app::recorded_answer(state.sessions.recordings, *before.series, *row.series,
                                    row.series->cache)
                   .comparison;
  return found && found->ratio > 0 ? found : std::nullopt;
}

/// Of a learner's: the one that it was made from, or goes on from.
const Rung* rung_before(const State& state, const Rung& rung) {
  if (!is_edit(rung.kernel)) return previous_rung(*state.selection.lab, rung);
  const RungView* row = find_row(state.ladder, original_rung_of(state, rung.kernel));
  return row ? row->rung : nullptr;
}

/// Whether they did the same work: of the parameters that both have.
bool are_one_size(const State& state, const RungView& a, const RungView& b) {
  return agrees(size_params(state, a.series->params), size_params(state, b.series->params));
}

/// The nearest rung before this one that has a speed of its own, on the same machine at the same size. One that is no step
/// at these parameters stands where the two were compared: a pair before a ratio of two times alone.
const RungView* step_before(const State& state, const RungView& row, const std::string& unit) {
  const Rung* rung = row.rung;
  while ((rung = rung_before(state, *rung)) != nullptr) {
    const RungView* before = find_row(state.ladder, rung->kernel);
    if (before && before->covered) return nullptr;  // the step from it would give it away
    const auto rate = before ? rate_of(before->series) : std::nullopt;
    if (rate && rate->unit == unit && before->origin == row.origin &&
        before->machine == row.machine && are_one_size(state, *before, row) &&
        (why_no_step(rung->kernel, before->series->params).empty() || pair_of(state, *before, row)))
      return before;
  }
  return nullptr;
}

/// What the step to this rung brought, or why there is no ratio. A step from a stale rung is said to be stale where it came
/// from.
void set_step(const State& state, const RungView& row, double rate, const std::string& unit,
              chart::ClimbRow* out) {
  const RungView* before = row.rung->peer ? nullptr : step_before(state, row, unit);
  if (!before) return;
  const auto pair = pair_of(state, *before, row);
  out->no_ratio = before->run == row.run ? why_no_quotient(*row.run, *before->series, *row.series)
                                         : "in different recordings";
  if (!pair && !out->no_ratio.empty()) return;
  const bool stale = before->series->stale || (pair && pair->stale);
  const double bars = rate / rate_of(before->series)->value;
  chart::ClimbStep step{.ratio = bars, .from = with_stale(before->rung->title, stale)};
  step.is_noisy = is_rough_ratio(*before->series->stats, *row.series->stats);
  step.range = alone_range(*before->series->stats, *row.series->stats);
  if (pair) {
    step.ratio = pair->ratio;
    step.verdict = supported_verdict(*pair);
    step.interval = pair->ci;
    step.margin = pair->margin;
    step.equal_clock = lacks_sustained(*pair);
    step.is_alone_rough = !out->no_ratio.empty() || is_noisy_quotient(*before->series, *row.series);
    const bool have_bars =
        !is_in_turns(*before->run, *before->series) && !is_in_turns(*row.run, *row.series);
    if (have_bars || !step.is_alone_rough) step.alone = bars;
  }
  step.is_clear = chart::are_clear(*before->series, *row.series);
  if (chart::is_step_down(step))
    step.why = why_slower(*before->series, *row.series, row.run->ceilings(), row.run->environment(),
                          pair ? &*pair : nullptr);
  out->step = std::move(step);
}

/// Its share of the ceiling that it is nearest to; where that of compute is in doubt the column stays, since the lessons
/// send their readers to it.
std::string ceiling_cell(const Derived& derived) {
  if (derived.above_compute) return "over 100 %";
  if (derived.is_compute_doubted) return "in doubt";
  // Beside rungs that have one, what does not bind this one is no stand-in.
  if (derived.flop_per_s && !derived.bandwidth_aside.empty() && !nearest_ceiling(derived))
    return "not measured";
  return nearest_ceiling_text(derived);
}

/// Beside dots of time stands the speed, beside bars of speed the time.
std::vector<std::string> cells_of(const Series& series, const Run& run, const Derived& derived,
                                  const std::string& task_metric, const std::string& speed) {
  const QualityCheck* check = series.quality();
  std::string error;
  if (check && check->task.contains(task_metric)) {
    const auto mean = seed_mean(run.series().pointers(), series.kernel, series.params, task_metric);
    error = format_number(mean ? mean->mean : check->task.at(task_metric), 4);
  } else if (check) {
    error = format_scientific(check->nmse);
  }
  return {speed.empty() ? format_time_ns(series.stats->median_ns) : speed, ceiling_cell(derived),
          error.empty() ? "" : error + " ✓",  // only what passed has a row of figures
          derived.bytes_per_s ? format_rate(*derived.bytes_per_s, "B/s") : ""};
}

/// What is said under its name: how it was measured, and what may be held against it.
std::string row_words(const chart::LadderRow& from, const Axis& axis) {
  std::string text = axis.place.machine.empty() ? from.sublabel : "";
  const std::string caution = caution_of(*from.series->stats);
  if (!text.empty() && !caution.empty()) text += ", ";
  return text + caution;
}

/// Whether its bar is none beside the others: a lost worker's, or of another size than the selected rung's. A parameter of
/// its own, a loss scale, makes no other size.
bool is_elsewhere(const State& state, const chart::LadderRow& from, const std::string& kernel) {
  const RungView* view = find_row(state.ladder, kernel);
  if (view && view->greyed) return true;
  const KernelInfo* selected = find_info(state.sessions, state.selection.rung);
  if (!selected) return !from.sublabel.empty();
  const Params shown = view_params(state, selected);
  const auto at = shown.find(from.series->size_param);
  return at != shown.end() && !agrees(asked_params(*from.series), {{at->first, at->second}});
}

/// Of a learner's copy whose bar, a time alone, says another speed than its pair: "alone; in turns 11.6 GFLOP/s".
std::string turns_words(const State& state, const RungView& view, const Throughput& rate) {
  constexpr double kAnother = 1.1;
  if (!is_edit(view.rung->kernel)) return "";
  const RungView* before = step_before(state, view, rate.unit);
  const auto pair = before ? pair_of(state, *before, view) : std::nullopt;
  if (!pair) return "";
  std::vector<double> times_ns;
  for (const Sample& sample :
       chart::side_of(*view.run, *pair, pair->candidate == view.rung->kernel).samples)
    times_ns.push_back(sample.t_ns);
  if (times_ns.empty()) return "";
  const double faster = view.series->stats->median_ns / stats::median(times_ns);
  if (!(faster > kAnother || faster < 1 / kAnother)) return "";
  return "alone; in turns " +
         format_rate(rate.value * faster, unit_in_words(*state.selection.lab, rate.unit, ""));
}

chart::ClimbRow climb_row(const State& state, const chart::LadderRow& from,
                          const std::string& kernel, const Axis& axis) {
  chart::ClimbRow row{.label = with_stale(from.label, from.series && from.series->stale)};
  row.section = from.section;
  row.is_peer = from.is_peer;
  row.is_baseline = from.is_baseline;
  row.selected = from.selected;
  row.hatched = from.series && (from.series->stale || !from.series->reduced_from.empty() ||
                                !from.origin.empty() || is_elsewhere(state, from, kernel));
  row.reason = from.state;
  const auto rate = rate_of(from.series);
  const Derived derived = from.series && from.run ? derive(*from.series, *from.run) : Derived{};
  if (!rate) {
    const SeriesStatus status = from.series ? from.series->status : SeriesStatus::ok;
    if (status == SeriesStatus::pending) row.reason = "waits for its turn";
    if (status == SeriesStatus::running)
      row.reason = from.series->quality() ? "being measured" : "being checked";
    if (from.series) row.has_failed = chart::has_failed(*from.series);
    if (row.has_failed) row.reason = chart::failure_text(*from.series);
    if (row.reason.empty()) row.reason = chart::why_no_figure(from);
    if (row.reason.empty()) row.reason = derived.no_compute_reason;
    return row;
  }
  const RungView* view = find_row(state.ladder, kernel);
  if (!view) return row;
  const bool has_bar = bar_of(state, from, kernel, axis).has_value();
  if (!has_bar) row.reason = no_bar_reason(state, *view, from, axis);
  if (!is_on_axis(state, *view, axis)) return row;
  row.no_step = why_no_step(kernel, from.series->params);
  if (row.no_step.empty() && rate->unit == axis.unit)
    set_step(state, *view, rate->value, axis.unit, &row);
  if (!has_bar && rate->unit == axis.unit)
    return row;  // in turns: its pair is all that stands here
  row.sublabel = row_words(from, axis);
  row.cells = cells_of(*from.series, *view->run, derived, state.selection.lab->quality_metric,
                       axis.log_time ? format_rate(rate->value, unit_in_words(*state.selection.lab,
                                                                              rate->unit, kernel))
                                     : "");
  row.time_s = from.series->stats->median_ns * 1e-9;
  if (const auto& ci = from.series->stats->ci_ns; ci)
    row.time_interval_s = Interval{ci->low * 1e-9, ci->high * 1e-9};
  if (!has_bar) return row;
  if (const std::string words = turns_words(state, *view, *rate); !words.empty())
    row.sublabel += (row.sublabel.empty() ? "" : ", ") + words;
  row.rate = rate->value;
  row.interval = axis.unit == "FLOP/s" ? derived.flop_per_s_ci
                 : axis.unit == "B/s"  ? derived.bytes_per_s_ci
                                       : item_rate_interval(*from.series);
  return row;
}

/// What the whole climb brought: "naive → TMA, persistent", "≈ 106×" with what it rests on, and how far that is: "97.1 %
/// of the ceiling, oneDNN 94.8 %".
struct Total {
  std::string steps;
  GainText gain;
  std::string reach;
};

std::string share_text(const chart::LadderRow& row) {
  if (!row.series || !row.run) return "";
  const Derived derived = derive(*row.series, *row.run);
  return derived.compute ? format_share(derived.compute->value) : "";
}

/// From one rung to a later one as the report has it (report/climb.h): their own pair, else the product of the steps' pairs,
/// else the ratio of their times, if those are of one run.
std::optional<GainText> way_of(const State& state, const RungView& first, const RungView& best,
                               const Axis& axis, double alone) {
  if (const auto pair = pair_of(state, first, best))
    return gain_text(&*pair, alone, *first.series, *best.series);
  std::vector<Comparison> steps;
  for (const RungView* row = &best; row != &first;) {
    const RungView* before = step_before(state, *row, axis.unit);
    const auto pair = before ? pair_of(state, *before, *row) : std::nullopt;
    if (!pair) {
      steps.clear();
      break;
    }
    steps.push_back(*pair);
    row = before;
  }
  if (const auto chain = chain_of(steps)) return gain_text(*chain, alone);
  if (!why_no_quotient(*first.run, *first.series, *best.series).empty()) return std::nullopt;
  return gain_text(nullptr, alone, *first.series, *best.series);
}

/// Of rungs of one machine at one size, compared in pairs or timed in one run; none where nothing climbed.
std::optional<Total> total_of(const State& state, const ChartRows& rows) {
  const Axis axis = axis_of(state, rows);
  const chart::LadderRow *first = nullptr, *best = nullptr, *library = nullptr;
  const RungView *first_view = nullptr, *best_view = nullptr;
  double from = 0, to = 0, theirs = 0;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const chart::LadderRow& row = rows.rows[i];
    const auto rate = bar_of(state, row, rows.kernels[i], axis);
    if (!rate) continue;
    if (row.is_peer && rate->value > theirs) library = &row, theirs = rate->value;
    if (row.is_peer) continue;
    if (!why_no_step(rows.kernels[i], row.series->params).empty()) continue;
    const RungView& view = *find_row(state.ladder, rows.kernels[i]);
    if (!first) first = &row, from = rate->value, first_view = &view;
    if (rate->value > to) best = &row, to = rate->value, best_view = &view;
  }
  if (!first || best == first || first_view->run != best_view->run) return std::nullopt;
  auto gain = way_of(state, *first_view, *best_view, axis, to / from);
  if (!gain) return std::nullopt;
  const auto name = [](const chart::LadderRow& row) {
    return with_stale(row.label, row.series->stale);
  };
  Total total{name(*first) + " → " + name(*best), *std::move(gain), share_text(*best)};
  if (!total.reach.empty()) total.reach += " of the ceiling";
  const std::string peer = library ? share_text(*library) : "";
  if (!total.reach.empty() && !peer.empty()) total.reach += ", " + name(*library) + " " + peer;
  return total;
}

/// The ceiling of the selected row, else of the first that has a bar and one; rows that compute in another unit are marked.
std::optional<Ceiling> find_shared_ceiling(const ChartRows& rows,
                                           std::vector<chart::ClimbRow>* climb) {
  std::optional<Ceiling> shared;
  std::string origin;  // of the recording that it is from
  std::vector<std::string> names(rows.rows.size());
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const chart::LadderRow& row = rows.rows[i];
    if (!(*climb)[i].rate || !row.run) continue;
    const std::optional<Ceiling> own = known_flop_ceiling(row.run->ceilings(), *row.series);
    if (!own) continue;
    names[i] = own->name;
    if (!shared || row.selected) shared = own, origin = row.origin;
  }
  for (size_t i = 0; shared && i < names.size(); ++i)
    (*climb)[i].other_unit = names[i] != shared->name;
  if (shared && !origin.empty()) shared->name += " of " + origin;
  return shared;
}

/// "mean of 3 seeds": what the accuracies of the rows are; empty: each is of one seed.
std::string means_text(const State& state, const ChartRows& rows) {
  std::set<int> seeds;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const RungView* view = find_row(state.ladder, rows.kernels[i]);
    const Series* series = rows.rows[i].series;
    if (!view || !view->run || !series) continue;
    const auto mean = seed_mean(view->run->series().pointers(), series->kernel, series->params,
                                state.selection.lab->quality_metric);
    if (mean) seeds.insert(mean->seeds);
  }
  return seed_means_text(seeds);
}

/// Rows of another request than most: a machine is another one some minutes later.
void mark_older(const ChartRows& rows, const State& state, std::vector<chart::ClimbRow>* climb) {
  std::map<int64_t, int> requests;
  const auto is_live = [&](size_t i) {
    return (*climb)[i].rate && rows.rows[i].origin.empty() && !rows.rows[i].in_turns;
  };
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    if (is_live(i)) ++requests[rows.rows[i].series->request];
  }
  const int64_t most = most_of(requests, int64_t{0});
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    if (!is_live(i) || rows.rows[i].series->request == most) continue;
    const std::string time = time_of_day(state.run(), *rows.rows[i].series);
    std::string& words = (*climb)[i].sublabel;
    words += (words.empty() ? "" : ", ") +
             (time.empty() ? std::string("of another run") : "of another run, " + time + " UTC");
  }
}

/// A pipeline counts no FLOP: its share is that of the time which its own stages need at least.
bool has_bounds(const ChartRows& rows) {
  return std::any_of(rows.rows.begin(), rows.rows.end(),
                     [](const auto& row) { return row.series && row.series->pipeline; });
}

/// Of a pipeline the bound is no ceiling of the machine: it is made of times of its own stages.
bool is_over_bound(const chart::LadderRow& row) {
  return row.series && row.run && row.series->pipeline &&
         is_over_ceiling(derive(*row.series, *row.run));
}

/// In the lab's words; of rungs that all compute in whole numbers operations, as their ceilings have.
std::string shown_unit(const Lab& lab, const std::string& unit, const ChartRows& rows) {
  std::set<std::string> units;
  for (const chart::LadderRow& row : rows.rows) {
    if (row.series) units.insert(rate_unit(dtype_of(*row.series)));
  }
  if (unit == "FLOP/s" && units.size() == 1) return *units.begin();
  return unit_in_words(lab, unit, rows.kernels.empty() ? "" : rows.kernels.front());
}

chart::ChartModel build_climb(const State& state, ChartRows* out) {
  *out = climb_rows(state, unpaired_ladder_rows(state));
  const Axis axis = axis_of(state, *out);
  std::vector<chart::ClimbRow> rows;
  for (size_t i = 0; i < out->rows.size(); ++i)
    rows.push_back(climb_row(state, out->rows[i], out->kernels[i], axis));
  mark_older(*out, state, &rows);
  const std::string shared = chart::take_shared_words(&rows);
  const Lab& lab = *state.selection.lab;
  chart::ClimbOptions options{.unit = shown_unit(lab, axis.unit, *out)};
  const bool is_error = lab.quality_metric == kErrorMetric;
  const std::string metric = is_error            ? "NMSE, squared"
                             : has_frontier(lab) ? means_text(state, *out)
                                                 : name_in_words(lab.quality_metric);
  options.log_time = axis.log_time;
  options.timed = timed_text(state, axis);
  if (has_frontier(lab) && !metric.empty()) options.timed += ", one seed";  // accuracies are means
  if (!shared.empty()) options.timed += ", all " + shared;
  options.columns = {options.log_time ? chart::ClimbColumn{"Speed", "", "throughput"}
                                      : chart::ClimbColumn{"Time", "", "time_per_call"},
                     has_bounds(*out) ? chart::ClimbColumn{"Of bound", "", "bound_share"}
                                      : chart::ClimbColumn{"Of ceiling", "", "utilization"},
                     {is_error            ? "Error"
                      : has_frontier(lab) ? "Accuracy"
                                          : "Quality",
                      metric, is_error ? "error_nmse" : "accuracy"}};
  if (!is_learning(state))
    options.columns.push_back({"Bandwidth", "least bytes/s", "memory_bandwidth"});
  if (axis.unit == "FLOP/s") options.ceiling = find_shared_ceiling(*out, &rows);
  options.is_climbing = state.first_climb.is_under_way() && !state.is_replay();
  chart::ChartModel model = chart::climb_chart(rows, options);
  const bool is_over = std::any_of(out->rows.begin(), out->rows.end(), [](const auto& row) {
    return row.series && row.run && !row.series->pipeline &&
           is_over_ceiling(derive(*row.series, *row.run));
  });
  if (is_over) model.legend.emplace_back(kOverCeiling);
  if (std::any_of(out->rows.begin(), out->rows.end(), is_over_bound))
    model.legend.emplace_back("over 100 %: its stages took longer alone than beside each other");
  if (const auto total = total_of(state, *out); total && !is_learning(state))
    model.legend.insert(model.legend.begin(), total->steps + ": " + gain_headline(total->gain) +
                                                  ", " + gain_small_print(total->gain));
  return model;
}

bool climbs(const State& state) {
  // A rung that this worker has not says nothing of its lab.
  const auto is_trap = [](const RungView& row) {
    return row.info && row.info->kind == RungKind::trap;
  };
  const auto& rows = state.ladder.rows;
  return state.selection.lab && state.selection.lab->is_ladder &&
         std::none_of(rows.begin(), rows.end(), is_trap);
}

bool has_bar(const State& state) {
  return is_learning(state) || parts_of(unpaired_ladder_rows(state)).size() > 1;
}

/// The parts of the ladder; a learner steps through them. Returns the width that they take.
float draw_parts(Ui& ui, const Area& area, const ChartRows& rows) {
  constexpr float kPart_px = 130, kStepper_px = 200;
  const std::vector<Part> parts = parts_of(rows);
  if (parts.size() < 2) return 0;
  const std::string shown = part_in_view(ui.state, rows);
  std::vector<std::string> titles;
  int chosen = 0;
  for (const Part& part : parts) {
    if (part.title == shown) chosen = static_cast<int>(titles.size());
    titles.push_back(part.title);
  }
  float longest = 0;
  for (const std::string& title : titles) longest = std::max(longest, ui.width(title, kSmall_px));
  const float stepper_w = std::max(ui.px(kStepper_px), longest + ui.px(72));
  const float w =
      is_learning(ui.state) ? stepper_w : ui.px(kPart_px) * static_cast<float>(parts.size());
  const Area place = {area.x, area.y, std::min(area.w, w), area.h};
  const int clicked = is_learning(ui.state) ? ui.stepper("climb_part", place, titles, chosen)
                                            : ui.segments("climb_part", place, titles, chosen);
  if (clicked < 0 || clicked == chosen) return place.w;
  ui.dispatch([first = parts[static_cast<size_t>(clicked)].first](State& state) {
    select_rung(state, first);
  });
  return place.w;
}

/// The headline as large as leaves its steps whole beside it: what "63×" is of matters more than its letters.
void draw_total(Ui& ui, const Area& line, float taken, const Total& total) {
  constexpr float kLeast_px = 20;
  const std::string headline = gain_headline(total.gain);
  const float gap = ui.px(14), steps_w = ui.width(total.steps, kSmall_px);
  const auto room = [&](float size) {
    return line.w - taken - ui.px(22) - gap - ui.width(headline, size, Face::strong);
  };
  float size = kTotal_px;
  while (size > kLeast_px && room(size) < steps_w) size -= 1;
  const float w =
      ui.text(line.right() - ui.px(8), line.middle(), headline, size,
              total.gain.is_rough ? Role::muted : Role::series0, Face::strong, Anchor::end);
  const float x = line.right() - ui.px(8) - w - gap, most = room(size), pitch = ui.px(9);
  const std::string small = gain_small_print(total.gain);
  std::string below = small + (total.reach.empty() ? "" : "  ·  " + total.reach);
  if (ui.width(below, kSmall_px) > most) below = small;
  const bool is_rough = small.find("; rough: ") != std::string::npos;
  if (ui.width(below, kSmall_px) > most)
    below = small.substr(0, small.find(',')) + (is_rough ? ", rough" : "");
  ui.widgets["climb_total"] = {x - steps_w, line.y, steps_w + gap + w, line.h};
  ui.text(x, line.middle() - pitch, total.steps, kSmall_px, Role::text, Face::body, Anchor::end,
          most);
  ui.text(x, line.middle() + pitch, below, kSmall_px, Role::muted, Face::body, Anchor::end, most);
  if (ui.hovers("climb_total", ui.widgets["climb_total"]))
    ui.tooltip(total.steps + ": " + headline + ", " + small +
               (total.reach.empty() ? "" : "\n" + total.reach));
}

void draw_climb_bar(Ui& ui, Area area) {
  ChartRows rows = unpaired_ladder_rows(ui.state);
  Area line = area.inset(ui.px(8), ui.px(4));
  const float parts_h = ui.px(30);
  const float taken = draw_parts(ui, {line.x, line.y, line.w, parts_h}, rows);
  if (!is_learning(ui.state)) return;
  const ChartRows part = climb_rows(ui.state, std::move(rows));
  const auto total = total_of(ui.state, part);
  if (!total) return;
  draw_total(ui, line, taken, *total);
}

std::string log_time_blocker(const State& state) {
  return climbs(state) ? "" : "This lab has no view Gains.";
}

/// From another view it leads there.
void toggle_log_time(State& state) {
  const bool is_shown = state.selection.view == &kGainsView && state.view.screen == ScreenId::lab;
  state.appearance.log_time = !is_shown || !state.appearance.log_time;
  if (!is_shown) {
    state.view.screen = ScreenId::lab;
    state.selection.view = &kGainsView;
  }
  state.ladder.dirty = true;
  save_settings(&state);
}

std::span<const Action> gains_actions() {
  static const Action kActions[] = {{"log_time", "Gains: bars of speed, or time on a log axis",
                                     typed("/", '/'), log_time_blocker, toggle_log_time,
                                     Level::kLearn}};
  return kActions;
}

}  // namespace

const ViewDesc kGainsView = {
    .id = "gains",
    .label = "Gains",
    .title = "Gains: speed from zero, and what each step brought",
    .place = 5,
    .level = Level::kLearn,
    .is_offered = climbs,
    .build = build_climb,
    .bar = {.height_px = kBar_px, .draw = draw_climb_bar, .is_shown = has_bar},
    .actions = gains_actions};
RIDGE_VIEW(kGainsView);

}  // namespace ridge::window
