#include "app/window/teach/predict.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/core/format.h"
#include "common/record/params.h"
#include "common/record/pipeline_model.h"
#include "common/view/chart/ladder_predictions.h"

namespace ridge::window {
namespace {

struct Unit {
  std::string_view name;
  double ns;
};
constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
// One call of the longest rung that is allowed to run takes 5 s; an hour is a slip of the finger.
constexpr double kMost_ns = 3.6e12;

std::string_view trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t"), to = text.find_last_not_of(" \t");
  return from == std::string_view::npos ? std::string_view() : text.substr(from, to - from + 1);
}

std::optional<double> measured_ns(const RungView& row) {
  if (!row.series || !row.series->stats || !row.series->quality_passed()) return {};
  const double ns = row.series->stats->median_ns;
  return ns > 0 && row.shown_size.empty() ? std::optional(ns) : std::nullopt;
}

Error unreadable(std::string_view text) {
  return {ErrorCode::usage, "“" + std::string(text) + "” is no time and no factor", "",
          "type 12 ms, 850 us, or 3x"};
}

/// The parameters of a rung as a draft and a request name them.
Params params_of(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  return row && row->info ? params_for(state, *row->info) : shown_params(state);
}

/// The newest result of this rung whose stages were measured alone, whatever its parameters.
const Series* modelled(const State& state, const std::string& kernel) {
  const auto newest = [&](const Run& run) -> const Series* {
    const auto& all = run.series();
    const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Series& series) {
      return series.kernel == kernel && series.pipeline && series.status == SeriesStatus::ok;
    });
    return found == all.rend() ? nullptr : &*found;
  };
  const Series* found = newest(state.run());
  for (const Recording& recording : state.sessions.recordings) {
    if (found == nullptr) found = newest(*recording.run);
  }
  return found;
}

/// What the pipeline model says of the parameters in view: the sliders ask what if, nothing has to run.
std::optional<chart::PredictedRow> model_mark(const State& state, const std::string& kernel,
                                              int row) {
  const Series* from = modelled(state, kernel);
  if (from == nullptr) return std::nullopt;
  const PipelinePrediction model = predict(*from->pipeline, from->params, shown_params(state));
  chart::PredictedRow mark{row, 0, model.item_ns * 1e-9};
  mark.note = "The pipeline model at these parameters: " + format_time_ns(model.item_ns) +
              " an item, by " + model.bound + "; its stages were measured alone at " +
              to_string(from->params) + ".";
  return mark;
}

}  // namespace

Reference reference_of(const State& state, const std::string& kernel) {
  const RungView* baseline = find_row(state.ladder, state.selection.baseline);
  if (baseline && state.selection.baseline != kernel) {
    if (const auto ns = measured_ns(*baseline)) return {baseline->rung->title, *ns};
  }
  Reference found;
  for (const RungView& row : state.ladder.rows) {
    if (kernel == row.rung->kernel) break;
    if (row.rung->peer) continue;
    const Draft* draft = draft_of(state, row.rung->kernel);
    if (const auto ns = measured_ns(row))
      found = {row.rung->title, *ns};
    else if (draft)
      found = {row.rung->title + std::string(" as predicted"), draft->value_ns};
  }
  return found;
}

Result<double> parse_prediction(std::string_view text, const Reference& reference) {
  const std::string_view whole = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return unreadable(whole);
  if (!(value > 0)) {
    return Error{ErrorCode::usage, "a prediction is above zero", "", "type 12 ms, or 3x"};
  }
  const std::string_view unit = trimmed(whole.substr(static_cast<size_t>(end - whole.data())));
  double ns = 0;
  if (unit == "x" || unit == "X" || unit == "×") {
    if (reference.title.empty()) {
      return Error{ErrorCode::usage, "there is no result yet that a factor could refer to", "",
                   "run the rung before first, or type a time: 12 ms"};
    }
    ns = reference.time_ns / value;
  } else {
    const auto* known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                     [&](const Unit& one) { return one.name == unit; });
    if (known == std::end(kUnits)) return unreadable(whole);
    ns = value * known->ns;
  }
  if (!(ns <= kMost_ns)) {
    return Error{ErrorCode::usage, "a call of over an hour is not run here", "", "check the unit"};
  }
  return ns;
}

std::string predict_blocker(const State& state) {
  if (!state.selection.lab) return "This build has no labs.";
  if (state.is_replay()) return "This is a saved run: what was predicted then is shown.";
  if (state.requests.run) return "Locked while it runs.";
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!row || !row->can_run) return "The selected rung cannot run here, so there is no reveal.";
  return {};
}

bool set_draft(State& state, const std::string& text) {
  if (const std::string why = predict_blocker(state); !why.empty()) {
    state.notice = {why, false};
    return false;
  }
  const auto ns = parse_prediction(text, reference_of(state, state.selection.rung));
  if (!ns) {
    state.notice = {ns.error().sentence(), true};
    return false;
  }
  state.teaching.drafts[state.selection.rung] = {text, *ns, params_of(state, state.selection.rung)};
  state.notice = {};
  state.ladder.dirty = true;
  return true;
}

Interval draft_span(const State& state) {
  const Reference reference = reference_of(state, state.selection.rung);
  if (reference.title.empty()) return {1e3, 1e10};
  return {reference.time_ns / 1000, reference.time_ns * 10};
}

void drag_draft(State& state, double value_ns) {
  const double step = std::pow(10, std::floor(std::log10(value_ns)) - 1);
  value_ns = std::round(value_ns / step) * step;
  state.teaching.typed = format_time_ns(value_ns);
  if (predict_blocker(state).empty()) {
    state.teaching.drafts[state.selection.rung] = {state.teaching.typed, value_ns,
                                                   params_of(state, state.selection.rung)};
    state.ladder.dirty = true;
  }
}

const Draft* draft_of(const State& state, const std::string& kernel) {
  const auto found = state.teaching.drafts.find(kernel);
  const bool here =
      found != state.teaching.drafts.end() && found->second.params == params_of(state, kernel);
  return here ? &found->second : nullptr;
}

void lock_drafts(State& state, const WorkRequest& request) {
  if (request.type != RequestType::run) return;
  // Run by its key while the text stands in the field: what is read there is what is meant.
  Teaching& teach = state.teaching;
  const Draft* known = draft_of(state, state.selection.rung);
  const bool is_typed = teach.predicting && teach.typed_for == state.selection.rung &&
                        !teach.typed.empty() && (!known || known->text != teach.typed);
  if (is_typed) set_draft(state, teach.typed);
  teach.typed.clear();
  teach.predicting = false;
  for (const KernelRequest& asked : request.kernels) {
    const auto draft = state.teaching.drafts.find(asked.kernel);
    if (draft == state.teaching.drafts.end() || draft->second.params != asked.params) continue;
    state.sessions.shown->predict(asked.kernel, asked.params, draft->second.value_ns);
    state.teaching.drafts.erase(draft);
  }
}

std::optional<report::Revealed> revealed_of(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  if (!row || row->origin == Origin::recorded) return {};
  return report::reveal(state.run(), kernel, view_params(state, row->info));
}

void mark_predictions(const State& state, const ChartRows& rows, chart::ChartModel* ladder) {
  std::vector<chart::PredictedRow> marks;
  for (size_t i = 0; i < rows.kernels.size(); ++i) {
    const int row = static_cast<int>(i);
    if (const Draft* draft = draft_of(state, rows.kernels[i])) {
      marks.push_back({row, draft->value_ns * 1e-9, {}, "You expect " + draft->text + "."});
      marks.back().draft = draft->text;
    } else if (const auto revealed = revealed_of(state, rows.kernels[i])) {
      chart::PredictedRow mark{row, revealed->prediction->value * 1e-9};
      mark.note = report::prediction_sentence(*revealed);
      if (revealed->series && rows.rows[i].series) {
        if (revealed->least.time_ns) mark.least_s = *revealed->least.time_ns * 1e-9;
        mark.note += "\n" + report::model_sentence(*revealed);
      }
      marks.push_back(std::move(mark));
    }
    if (auto model = model_mark(state, rows.kernels[i], row)) marks.push_back(*std::move(model));
  }
  chart::add_predictions(ladder, marks);
  if (!state.teaching.predicting || ladder->panels.empty()) return;
  // A bar that is dragged needs an axis that reaches as far as anyone may expect.
  chart::Axis& axis = ladder->panels.front().axis;
  const bool is_fresh = ladder->panels.front().marks.empty();
  const Interval span = draft_span(state);
  axis.low = is_fresh ? span.low * 1e-9 : std::min(axis.low, span.low * 1e-9);
  axis.high = is_fresh ? span.high * 1e-9 : std::max(axis.high, span.high * 1e-9);
}

bool is_predicting(const State& state, const std::string& kernel) {
  const bool is_open = state.teaching.predicting && state.selection.rung == kernel;
  const bool is_asked = state.teaching.presenting || state.teaching.tour;
  return is_open || draft_of(state, kernel) != nullptr ||
         (is_asked && (state.teaching.beat == Beat::predict || state.teaching.beat == Beat::run));
}

void toggle_predict(State& state) {
  Teaching& teach = state.teaching;
  teach.predicting = !teach.predicting;
  teach.wants_focus = teach.predicting;
  if (teach.predicting && state.view.screen != ScreenId::presenter)
    state.view.screen = ScreenId::lab;
  state.ladder.dirty = true;
}

}  // namespace ridge::window
