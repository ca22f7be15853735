#include "app/window/score_view.h"

#include <algorithm>

#include "app/window/actions.h"
#include "common/chart/score.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

using chart::ScoreFigure;

/// The view's parameters of this rung, with those of the start and of the number of items on top.
Params wanted_params(const State& state, const RungView& row, const Params& start,
                     const Params& items) {
  Params params = row.info ? params_for(state, *row.info) : view_params(state, nullptr);
  for (const Params* top : {&start, &items}) {
    for (const auto& [name, value] : *top) params[name] = value;
  }
  return params;
}

struct Result {
  const Series* series = nullptr;
  std::string machine;  ///< recorded: of which
};

const Series* newest(const Run& run, const RungView& row, const Params& wanted) {
  const auto& all = run.series();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Series& series) {
    return series.kernel == row.rung->kernel && series.cache == "hot" &&
           (series.stats || series.status == SeriesStatus::failed) &&
           std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
             const auto at = series.params.find(item.first);
             return at == series.params.end() || at->second == item.second;
           });
  });
  return found == all.rend() ? nullptr : &*found;
}

Result find_result(const State& state, const RungView& row, const std::optional<Params>& start,
                   const Params& items) {
  if (!start) return {};
  const Params wanted = wanted_params(state, row, *start, items);
  if (const Series* series = newest(state.run(), row, wanted)) return {series, ""};
  for (const Recording& recording : state.recordings) {
    if (row.can_run) break;
    if (const Series* series = newest(*recording.run, row, wanted))
      return {series, recording.machine};
  }
  return {};
}

/// What was measured of a network, and of which of its rungs.
struct Measured {
  const RungView* row = nullptr;
  Result features, raw, one;
  bool any() const { return features.series || raw.series || one.series; }
};

const std::optional<Params>& single_start(const Network& network) {
  return network.from_raw ? network.from_raw : network.from_features;
}

/// Of its rungs, best first: the first with a result, else the first that can run here (of a saved run:
/// could have).
Measured measured_of(const State& state, const ScoreCard& card, const Network& network) {
  Measured here;
  for (const char* kernel : network.kernels) {
    const RungView* row = find_row(state, kernel);
    if (!row) continue;
    Measured made{row, find_result(state, *row, network.from_features, card.many),
                  find_result(state, *row, network.from_raw, card.many),
                  find_result(state, *row, single_start(network), card.one)};
    if (made.any()) return made;
    if (!here.row && (row->can_run || state.is_replay())) here = made;
  }
  return here;
}

/// What stands where the figures of a result would: a failed check has no speed.
std::string why_none(const Result& result, bool has_start) {
  if (!has_start) return "has no such start";
  if (!result.series) return "not measured yet";
  const QualityCheck* check = result.series->quality();
  if (check && !result.series->quality_passed()) return "✕ check failed";
  if (result.series->status == SeriesStatus::failed) return "✕ failed";
  return check ? "" : "not verified";
}

ScoreFigure quality_of(const Measured& measured, const char* metric) {
  for (const Result* result : {&measured.raw, &measured.features}) {
    if (!result->series || !why_none(*result, true).empty()) continue;
    const QualityCheck& check = *result->series->quality();
    const auto found = check.task.find(metric);
    if (found == check.task.end()) continue;
    return {.value = found->second, .note = check.what};
  }
  return {.why = why_none(measured.raw.series ? measured.raw : measured.features, true)};
}

ScoreFigure rate_of(const Result& result, bool has_start) {
  ScoreFigure figure{.why = why_none(result, has_start)};
  if (!figure.why.empty()) return figure;
  const Series& series = *result.series;
  if (!(series.items_per_s > 0)) return {.why = "does not work off items"};
  figure.value = series.items_per_s;
  if (series.stats->ci_ns) {
    const double items = series.items_per_s * series.stats->median_ns;
    figure.interval = Interval{items / series.stats->ci_ns->high, items / series.stats->ci_ns->low};
  }
  return figure;
}

ScoreFigure latency_of(const Result& result, const std::string& start) {
  ScoreFigure figure{.why = why_none(result, true)};
  if (!figure.why.empty()) return figure;
  const auto& latency = result.series->latency;
  if (!latency || !latency->p50_ns) return {.why = "needs a run in measure mode"};
  figure.value = *latency->p50_ns * 1e-9;
  figure.note = "median of " + std::to_string(latency->n) + " single calls, from " + start;
  return figure;
}

ScoreFigure energy_of(const Measured& measured, const ScoreCard& card) {
  const bool is_raw = measured.raw.series != nullptr;
  const Result& result = is_raw ? measured.raw : measured.features;
  ScoreFigure figure{.why = why_none(result, true)};
  if (!figure.why.empty()) return figure;
  const Series& series = *result.series;
  if (!series.energy_j) {
    const auto why = series.unavailable.find("energy_j");
    return {.why = "unavailable" + (why == series.unavailable.end() ? "" : ": " + why->second)};
  }
  const double items = series.items_per_s * series.stats->median_ns * 1e-9;
  if (!(items > 0)) return {.why = "does not work off items"};
  figure.value = *series.energy_j / items;
  figure.note =
      std::string("from ") + (is_raw ? card.raw : card.features) + "; " + series.energy_source;
  return figure;
}

chart::ScoreRow row_of(const State& state, const Network& network, const Measured& measured) {
  const Lab& lab = *state.view.lab;
  chart::ScoreRow row{.label = network.title};
  const ScoreFigure none{.why = "cannot run here"};
  row.quality = row.model_bytes = row.latency_s = row.features_per_s = row.raw_per_s =
      row.energy_j = none;
  if (!measured.row) return row;
  row.sublabel = measured.row->rung->title;
  row.selected = state.view.rung == measured.row->rung->kernel;
  for (const Result* result : {&measured.raw, &measured.features, &measured.one}) {
    if (result->machine.empty() || row.recorded) continue;
    row.recorded = true;
    row.sublabel += " · recorded on " + result->machine;
  }
  row.quality = quality_of(measured, lab.quality_metric);
  if (network.model_bytes) {
    const Params params =
        wanted_params(state, *measured.row, single_start(network).value_or(Params{}), {});
    row.model_bytes = {.value = network.model_bytes(params), .note = "arithmetic"};
  } else {
    row.model_bytes = {.why = "unavailable"};
  }
  row.latency_s =
      latency_of(measured.one, network.from_raw ? lab.score_card->raw : lab.score_card->features);
  row.features_per_s = rate_of(measured.features, network.from_features.has_value());
  row.raw_per_s = rate_of(measured.raw, network.from_raw.has_value());
  row.energy_j = energy_of(measured, *lab.score_card);
  return row;
}

}  // namespace

chart::ChartModel score_of(const State& state, std::vector<std::string>* kernels) {
  if (const std::string why = why_no_score(state); !why.empty()) {
    chart::ChartModel none{.id = "score", .summary = why};
    none.plot = chart::Plot{.empty_reason = why};
    return none;
  }
  const Lab& lab = *state.view.lab;
  const ScoreCard& card = *lab.score_card;
  std::vector<chart::ScoreRow> rows;
  for (const Network& network : card.networks) {
    const Measured measured = measured_of(state, card, network);
    rows.push_back(row_of(state, network, measured));
    kernels->emplace_back(measured.row ? measured.row->rung->kernel : "");
  }
  return chart::score_chart(
      rows, {card.title, lab.quality_metric, card.item, lab.items, card.features, card.raw});
}

void run_score(State& state) {
  const ScoreCard& card = *state.view.lab->score_card;
  WorkRequest request = request_for(state, "run");
  request.cache = "hot";
  for (const Network& network : card.networks) {
    const auto kernel =
        std::find_if(network.kernels.begin(), network.kernels.end(), [&](const char* id) {
          const RungView* row = find_row(state, id);
          return row && row->can_run;
        });
    if (kernel == network.kernels.end()) continue;
    const RungView& row = *find_row(state, *kernel);
    const auto add = [&](const std::optional<Params>& start, const Params& items) {
      if (start) request.kernels.push_back({*kernel, wanted_params(state, row, *start, items)});
    };
    add(network.from_features, card.many);
    add(network.from_raw, card.many);
    add(single_start(network), card.one);
  }
  send(state, std::move(request), &state.run_request);
}

std::string why_no_score(const State& state) {
  return state.view.lab && state.view.lab->score_card ? "" : "This lab has no score card.";
}

std::string why_no_run_score(const State& state) {
  if (std::string why = why_no_score(state); !why.empty()) return why;
  if (std::string why = why_no_work(state); !why.empty()) return why;
  for (const Network& network : state.view.lab->score_card->networks) {
    for (const char* id : network.kernels) {
      const RungView* row = find_row(state, id);
      if (row && row->can_run) return {};
    }
  }
  return "No network of the score card can run on this machine.";
}

}  // namespace ridge::window
