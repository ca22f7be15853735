#include "app/window/views/score_view.h"

#include <algorithm>

#include "app/query/networks.h"
#include "app/window/shell/actions.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"
#include "common/view/chart/score.h"

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

struct Scored {
  const Series* series = nullptr;
  std::string machine;  ///< recorded: of which
};

const Series* newest(const Run& run, const RungView& row, const Params& wanted) {
  const auto& all = run.series();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Series& series) {
    return series.kernel == row.rung->kernel && series.cache == CacheMode::hot &&
           (series.stats || series.status == SeriesStatus::failed) &&
           std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
             const auto at = series.params.find(item.first);
             return at == series.params.end() || at->second == item.second;
           });
  });
  return found == all.rend() ? nullptr : &*found;
}

Scored find_result(const State& state, const RungView& row, const std::optional<Params>& start,
                   const Params& items) {
  if (!start) return {};
  const Params wanted = wanted_params(state, row, *start, items);
  if (const Series* series = newest(state.run(), row, wanted)) return {series, ""};
  for (const Recording& recording : state.sessions.recordings) {
    if (row.can_run) break;
    if (const Series* series = newest(*recording.run, row, wanted))
      return {series, recording.machine};
  }
  return {};
}

/// What was measured of a network, and of which of its rungs.
struct Measured {
  const RungView* row = nullptr;
  Scored features, raw, one;
  bool any() const { return features.series || raw.series || one.series; }
};

/// Of its rungs, best first: the first with a result, else the first that can run here (of a saved run:
/// could have).
Measured measured_of(const State& state, const Network& network) {
  const Lab& lab = *state.selection.lab;
  const Params& many = lab.score_card->many;
  Measured here;
  for (const char* kernel : network.kernels) {
    const RungView* row = find_row(state.ladder, kernel);
    if (!row) continue;
    Measured made{row, find_result(state, *row, network.from_features, many),
                  find_result(state, *row, network.from_raw, many),
                  find_result(state, *row, app::single_start(network), lab.one_item)};
    if (made.any()) return made;
    if (!here.row && (row->can_run || state.is_replay())) here = made;
  }
  return here;
}

chart::ScoreRow row_of(const State& state, const Network& network, const Measured& measured) {
  const Lab& lab = *state.selection.lab;
  chart::ScoreRow row{.label = network.title};
  const ScoreFigure none{.why = "cannot run here"};
  row.quality = row.latency_s = row.features_per_s = row.raw_per_s = row.energy_j = none;
  app::fill_arithmetic(network, nullptr, none.why, &row);
  if (!measured.row) return row;
  row.sublabel = measured.row->rung->title;
  row.selected = state.selection.rung == measured.row->rung->kernel;
  const Scored* results[] = {&measured.raw, &measured.features, &measured.one};
  for (const Scored* result : results) {
    if (result->machine.empty() || row.recorded) continue;
    row.recorded = true;
    row.sublabel += " · recorded on " + result->machine;
  }
  const bool stale = std::any_of(std::begin(results), std::end(results), [](const Scored* result) {
    return result->series && result->series->stale;
  });
  row.sublabel = with_stale(row.sublabel, stale);
  const Params params = wanted_params(state, *measured.row, app::single_start(network), {});
  app::fill_arithmetic(network, &params, "", &row);
  chart::fill_score({.features = measured.features.series,
                     .raw = measured.raw.series,
                     .one = measured.one.series,
                     .has_features = network.from_features.has_value(),
                     .has_raw = network.from_raw.has_value()},
                    app::score_options(lab), &row);
  return row;
}

}  // namespace

chart::ChartModel score_of(const State& state, std::vector<std::string>* kernels) {
  const Lab& lab = *state.selection.lab;
  std::vector<chart::ScoreRow> rows;
  for (const Network& network : lab.score_card->networks) {
    const Measured measured = measured_of(state, network);
    rows.push_back(row_of(state, network, measured));
    kernels->emplace_back(measured.row ? measured.row->rung->kernel : "");
  }
  return chart::score_chart(rows, app::score_options(lab));
}

void run_score(State& state) {
  const Lab& lab = *state.selection.lab;
  const ScoreCard& card = *lab.score_card;
  WorkRequest request = request_for(state, RequestType::run);
  request.cache = CacheMode::hot;
  for (const Network& network : card.networks) {
    const auto kernel =
        std::find_if(network.kernels.begin(), network.kernels.end(), [&](const char* id) {
          const RungView* row = find_row(state.ladder, id);
          return row && row->can_run;
        });
    if (kernel == network.kernels.end()) continue;
    const RungView& row = *find_row(state.ladder, *kernel);
    const auto add = [&](const std::optional<Params>& start, const Params& items) {
      if (start) request.kernels.push_back({*kernel, wanted_params(state, row, *start, items)});
    };
    add(network.from_features, card.many);
    add(network.from_raw, card.many);
    add(app::single_start(network), lab.one_item);
  }
  send(state, std::move(request), &state.requests.run);
}

std::string score_blocker(const State& state) {
  return state.selection.lab && state.selection.lab->score_card ? ""
                                                                : "This lab has no score card.";
}

std::string run_score_blocker(const State& state) {
  if (std::string why = score_blocker(state); !why.empty()) return why;
  if (std::string why = work_blocker(state); !why.empty()) return why;
  for (const Network& network : state.selection.lab->score_card->networks) {
    for (const char* id : network.kernels) {
      const RungView* row = find_row(state.ladder, id);
      if (row && row->can_run) return {};
    }
  }
  return "No network of the score card can run on this machine.";
}

namespace {

std::span<const Action> score_actions() {
  static const Action kActions[] = {
      {"run_score", "Run the networks of the score card", {}, run_score_blocker, run_score}};
  return kActions;
}

}  // namespace

const ViewDesc kScoreView = {
    .id = "score",
    .label = "Score card",
    .title = "Score card: the lab's networks side by side",
    .place = 140,
    .blocker = score_blocker,
    .build = [](const State& state, ChartRows* rows) { return score_of(state, &rows->kernels); },
    .foot = {"run_score", "Run these networks"},
    .actions = score_actions};
RIDGE_VIEW(kScoreView);

}  // namespace ridge::window
