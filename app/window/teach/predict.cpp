#include "app/window/teach/predict.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "app/query/recordings.h"
#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/overlays.h"
#include "app/window/teach/answer.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/step_answer.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/core/number_text.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/pipeline_model.h"
#include "common/record/stale_words.h"
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
  const KernelInfo* info = find_info(state.sessions, kernel);  // also while the rows are made anew
  return info ? params_for(state, *info) : shown_params(state);
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
  mark.is_elsewhere = !agrees(from->params, shown_params(state));
  mark.note =
      with_stale("The pipeline model at these parameters: " + format_time_ns(model.item_ns) +
                     " an item, by " + model.bound + "; its stages were measured alone at " +
                     params_in_words(*state.selection.lab, from->params),
                 from->stale) +
      ".";
  return mark;
}

constexpr double kBare_ns = 1e6;  // of a time without a unit

/// As it was typed: one of the two is above zero.
struct Expected {
  double time_ns = 0, factor = 0;
};

/// A number alone is a factor where a rung stands before it, else milliseconds: what it is read as stands under the field.
Result<Expected> read_expected(std::string_view text, const Reference& reference) {
  const std::string_view whole = trimmed(text);
  double value = 0;
  const auto [end, error] = number_from(whole.data(), whole.data() + whole.size(), &value);
  if (error != std::errc() || !std::isfinite(value)) return unreadable(whole);
  if (!(value > 0)) {
    return Error{ErrorCode::usage, "a prediction is above zero", "", "type 12 ms, or 3x"};
  }
  const std::string_view unit = trimmed(whole.substr(static_cast<size_t>(end - whole.data())));
  const bool is_bare_factor = unit.empty() && !reference.title.empty();
  if (is_bare_factor || unit == "x" || unit == "X" || unit == "×") return Expected{.factor = value};
  if (unit.empty()) return Expected{.time_ns = value * kBare_ns};
  const auto* known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                   [&](const Unit& one) { return one.name == unit; });
  if (known == std::end(kUnits)) return unreadable(whole);
  return Expected{.time_ns = value * known->ns};
}

Result<void> check_time(double ns) {
  if (ns <= kMost_ns) return {};
  return Error{ErrorCode::usage, "a call of over an hour is not run here", "", "check the unit"};
}

/// 0: at these parameters it has neither a result nor a draft.
Reference reference_at(const State& state, const RungView& row) {
  const Draft* draft = draft_of(state, row.rung->kernel);
  const auto ns = measured_ns(row);
  const bool is_drafted = !ns && draft && draft->value_ns > 0;
  return {row.rung->title + std::string(is_drafted ? " as predicted" : ""),
          ns           ? *ns
          : is_drafted ? draft->value_ns
                       : 0,
          row.rung->kernel};
}

/// Of a recorded row its machine, and of a saved run's own the run's.
std::string machine_of(const State& state, const RungView& row) {
  const auto& environment = state.run().environment();
  return !row.machine.empty() || !environment ? row.machine : environment->machine();
}

}  // namespace

const RungView* recorded_row(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  const Series* series = row && !row->can_run ? row->held().series : nullptr;
  if (!series || !series->stats || !series->quality_passed()) return nullptr;
  Params shown = shown_params(state);
  shown.erase("dtype");  // is no size
  const bool is_here =
      app::size_difference(series->lab, asked_params(*series), shown, series->size_param).empty();
  return is_here ? row : nullptr;
}

Reference reference_of(const State& state, const std::string& kernel) {
  const Teaching& teach = state.teaching;
  // A factor over another machine's time would be none of the rung's.
  const RungView* recorded = recorded_row(state, kernel);
  const auto is_beside = [&](const RungView& row) {
    return !recorded || (!row.can_run && row.machine == recorded->machine && measured_ns(row));
  };
  const RungView* asked = find_row(state.ladder, teach.asked_of);
  if (asked && teach.asked_kernel == kernel && (asked->can_run || measured_ns(*asked)) &&
      is_beside(*asked))
    return reference_at(state, *asked);
  const RungView* baseline = find_row(state.ladder, state.selection.baseline);
  if (baseline && state.selection.baseline != kernel && is_beside(*baseline)) {
    if (measured_ns(*baseline)) return reference_at(state, *baseline);
  }
  Reference found, nearest;
  for (const RungView& row : state.ladder.rows) {
    if (kernel == row.rung->kernel) break;
    if (row.rung->peer || !is_beside(row)) continue;
    Reference one = reference_at(state, row);
    if (one.time_ns > 0)
      found = std::move(one);
    else if (row.can_run && !is_folded(state, *row.rung))
      nearest = std::move(one);
  }
  return found.title.empty() ? nearest : found;
}

Result<double> parse_prediction(std::string_view text, const Reference& reference) {
  RIDGE_TRY(const Expected expected, read_expected(text, reference));
  if (expected.factor > 0 && !(reference.time_ns > 0)) {
    return Error{ErrorCode::usage, "there is no result yet that a factor could refer to", "",
                 "run the rung before first, or type a time: 12 ms"};
  }
  const double ns = expected.factor > 0 ? reference.time_ns / expected.factor : expected.time_ns;
  RIDGE_TRY_VOID(check_time(ns));
  return ns;
}

// ---- what a lesson asks -------------------------------------------------------------------------

namespace {

/// The whole number behind `name` in the text: "n = 2048", "width 4096", "32,768" too.
std::optional<int64_t> number_behind(std::string_view text, std::string_view name) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    size_t next = at + name.size();
    if ((at > 0 && is_word(text[at - 1])) || next >= text.size() || is_word(text[next])) continue;
    while (next < text.size() && (text[next] == ' ' || text[next] == '=')) ++next;
    std::string digits;
    for (; next < text.size() && (std::isdigit(static_cast<unsigned char>(text[next])) ||
                                  (text[next] == ',' && !digits.empty()));
         ++next) {
      if (text[next] != ',') digits += text[next];
    }
    if (!digits.empty() && digits.size() < 12) return std::atoll(digits.c_str());
  }
  return {};
}

/// The rung whose title, or the end of it behind a comma ("-O1"), the text begins with: the longest, then the nearest
/// before `kernel`.
std::string rung_named(std::string_view text, const Lab& lab, const std::string& kernel) {
  std::string found;
  size_t longest = 0;
  bool is_before = true;
  for (const Rung& rung : lab.rungs) {
    if (kernel == rung.kernel) is_before = false;
    const std::string_view title = rung.title;
    const size_t comma = title.rfind(", ");
    const bool is_short = comma != title.npos && text.starts_with(title.substr(comma + 2));
    const size_t size = text.starts_with(title) ? title.size() : is_short ? 1 : 0;
    if (size == 0 || kernel == rung.kernel) continue;
    if (size > longest || (size == longest && is_before)) found = rung.kernel, longest = size;
  }
  return found;
}

/// What the rung is asked for in this view, with `set` over it.
Params question_params(const State& state, const RungView& row, const Params& set) {
  Params wanted = view_params(state, row.info);
  for (const auto& [name, value] : set) {
    wanted[name] = value;
    for (const ParamSpec& spec : row.info ? row.info->params : std::vector<ParamSpec>()) {
      if (spec.same_as == name) wanted[spec.name] = value;
    }
  }
  return wanted;
}

/// The newest that showed a time; null: none did.
const Series* seen_series(const State& state, const std::string& kernel, const Params& set) {
  const RungView* row = find_row(state.ladder, kernel);
  if (!row || !row->info) return nullptr;
  const Params wanted = question_params(state, *row, set);
  const auto& all = state.run().series_of_kernel(kernel);
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Series* series) {
    return series->cache == state.selection.cache && series->stats &&
           agrees(series->params, wanted);
  });
  return found == all.rend() ? nullptr : *found;
}

}  // namespace

Asked asked_in(const std::string& question, const Lab& lab, const std::string& kernel) {
  Asked asked;
  for (const ParamView& param : lab.params) {
    const auto number = number_behind(question, param.name);
    const auto& stops = param.stops;
    if (number && std::find(stops.begin(), stops.end(), *number) != stops.end())
      asked.set[param.name] = *number;
  }
  constexpr std::string_view kOver = "as fast as ";
  const size_t at = question.find(kOver);
  if (at != question.npos)
    asked.of = rung_named(std::string_view(question).substr(at + kOver.size()), lab, kernel);
  return asked;
}

namespace {

/// Null: the rung has none.
const ParamView* size_of(const State& state, const std::string& kernel) {
  const Lab* lab = state.selection.lab;
  return lab ? swept_param(*lab, find_info(state.sessions, kernel)) : nullptr;
}

}  // namespace

std::string asked_size(const State& state, const Params& set) {
  const ParamView* size = size_of(state, state.selection.rung);
  const Lab& lab = *state.selection.lab;
  if (!set.empty() || !size) return params_in_words(lab, set);
  const Params shown = shown_params(state);
  const auto found = shown.find(size->name);
  return found == shown.end() ? "" : param_in_words(lab, found->first, found->second);
}

bool has_seen(const State& state, const std::string& kernel, const Params& set) {
  return seen_series(state, kernel, set) != nullptr;
}

namespace {

/// Of the rung and of the one before it, which its factor is held against: the longer time of a call that was seen.
double longest_seen_ns(const State& state, const std::string& kernel, const Params& set) {
  const Lab& lab = *state.selection.lab;
  double longest_ns = 0;
  const auto take = [&](const std::string& one) {
    const Series* seen = seen_series(state, one, set);
    if (seen && seen->stats) longest_ns = std::max(longest_ns, seen->stats->median_ns);
  };
  take(kernel);
  for (const Rung& rung : lab.rungs) {
    const Rung* before = rung.kernel == kernel ? previous_rung(lab, rung) : nullptr;
    if (before) take(before->kernel);
  }
  return longest_ns;
}

}  // namespace

Params unseen_size(const State& state, const std::string& kernel, const Params& set) {
  // Of a call: it has to be waited for several times, and a size that leaves a cache takes more than its operations say.
  constexpr double kLongest_ns = 0.5e9;
  const ParamView* size = size_of(state, kernel);
  const Series* seen = seen_series(state, kernel, set);
  const int64_t now = size && seen ? param_int(seen->params, size->name) : 0;
  if (now <= 0) return {};
  std::optional<int64_t> larger, smaller;
  for (const int64_t stop : size->stops) {
    Params wanted = set;
    wanted[size->name] = stop;
    if (has_seen(state, kernel, wanted)) continue;
    const double times = static_cast<double>(stop) / static_cast<double>(now);
    // Cubed: no lab's work grows faster with its size.
    if (stop > now && (!larger || stop < *larger) &&
        longest_seen_ns(state, kernel, set) * times * times * times < kLongest_ns)
      larger = stop;
    if (stop < now && (!smaller || stop > *smaller)) smaller = stop;
  }
  if (!larger && !smaller) return {};
  Params unseen = set;
  unseen[size->name] = larger ? *larger : *smaller;
  return unseen;
}

Params size_to_ask(const State& state, const std::string& kernel, const Params& written) {
  const RungView* row = find_row(state.ladder, kernel);
  if (!row || !row->can_run) return written;  // its figures are a recording's
  const Params shown = shown_params(state);
  Params here = written;
  bool is_chosen = false;
  for (const auto& [name, value] : written) {
    if (const auto found = shown.find(name); found != shown.end()) here[name] = found->second;
    const auto set = state.teaching.asked_set.find(name);
    is_chosen = is_chosen || (state.selection.params.contains(name) &&
                              (set == state.teaching.asked_set.end() || set->second != here.at(name)));
  }
  if (is_predicting(state, kernel) || revealed_of(state, kernel)) return here;
  if (is_chosen && !has_seen(state, kernel, here)) return here;
  if (!has_seen(state, kernel, written)) return written;
  const Params unseen = unseen_size(state, kernel, written);
  return unseen.empty() ? written : unseen;
}

bool asks_for_time(std::string_view question) {
  constexpr std::string_view kTimes[] = {"as fast as ",  "How many seconds", "milliseconds",
                                         "microseconds", "How many ms ",     "How many µs "};
  return std::any_of(std::begin(kTimes), std::end(kTimes),
                     [&](std::string_view one) { return question.find(one) != question.npos; });
}

void ask_prediction(State& state, const std::string& kernel, const Asked& asked) {
  for (const auto& [name, value] : asked.set) state.selection.params[name] = value;
  state.teaching.asked_set = asked.set;
  if (!asked.set.empty()) state.requests.estimates_due = true;
  state.teaching.asked_kernel = kernel;
  state.teaching.asked_of = asked.of;
  open_predict(state);
}

// ---- drafts -------------------------------------------------------------------------------------

std::string predict_blocker(const State& state) {
  if (!state.selection.lab) return "This build has no labs.";
  const bool was_predicted =
      state.is_replay() &&
      report::reveal(state.run(), state.selection.rung, params_of(state, state.selection.rung));
  if (recorded_row(state, state.selection.rung) && !was_predicted) return "";
  if (state.is_replay())
    return state.run().predictions().empty()
               ? "This is a saved run: nothing can run here that would answer a prediction."
               : "This is a saved run: what was predicted then is shown.";
  if (state.requests.run) {
    const Request* request = state.run().request(state.requests.run);
    const Lab* lab = request ? find_lab(request->lab) : nullptr;
    const bool is_other = lab && lab != state.selection.lab;
    return is_other ? "Locked while " + std::string(lab->title) + " runs; Esc cancels that."
                    : "Locked while it runs.";
  }
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (row && !row->can_run && row->held().series)
    return "The selected rung cannot run here, and was recorded at another size.";
  if (!row || !row->can_run) return "The selected rung cannot run here, so there is no reveal.";
  return {};
}

namespace {

/// A factor over a rung without a result waits for that one: Run runs it first.
Result<Draft> read_draft(const State& state, const std::string& text) {
  const Reference reference = reference_of(state, state.selection.rung);
  RIDGE_TRY(const Expected expected, read_expected(text, reference));
  Draft draft{text, expected.time_ns, params_of(state, state.selection.rung)};
  if (expected.factor > 0) {
    if (reference.kernel.empty())
      return Error{ErrorCode::usage, "no rung stands before it that a factor could refer to", "",
                   "type a time: 12 ms"};
    draft.factor = expected.factor;
    draft.of = reference.kernel;
    draft.value_ns = reference.time_ns / expected.factor;
  }
  RIDGE_TRY_VOID(check_time(draft.value_ns));
  return draft;
}

/// Nothing has to run: what was recorded answers it now.
void settle(State& state, const RungView& row, const Draft& draft) {
  Teaching& teach = state.teaching;
  const Series& series = *row.held().series;
  teach.settled[row.rung->kernel] = {
      {row.rung->kernel, series.params, draft.value_ns, 0, draft.factor, draft.of},
      draft.params,
      !awaits_answer(state, row.rung->kernel)};
  close_predict(state);
}

/// Null: nothing was predicted at these parameters that a recording answers.
const Settled* settled_of(const State& state, const std::string& kernel) {
  const auto found = state.teaching.settled.find(kernel);
  const bool is_here =
      found != state.teaching.settled.end() && found->second.params == params_of(state, kernel);
  return is_here ? &found->second : nullptr;
}

}  // namespace

bool set_draft(State& state, const std::string& text) {
  if (const std::string why = predict_blocker(state); !why.empty()) {
    state.notice = {why, false};
    return false;
  }
  const auto draft = read_draft(state, text);
  if (!draft) {
    state.notice = {draft.error().sentence(), true};
    return false;
  }
  state.notice = {};
  if (const RungView* recorded = recorded_row(state, state.selection.rung))
    settle(state, *recorded, *draft);
  else
    state.teaching.drafts[state.selection.rung] = *draft;
  state.ladder.dirty = true;
  return true;
}

Interval draft_span(const State& state) {
  const Reference reference = reference_of(state, state.selection.rung);
  if (!(reference.time_ns > 0)) return {1e3, 1e10};
  return {reference.time_ns / 1000, reference.time_ns * 10};
}

void drag_draft(State& state, double value_ns) {
  if (recorded_row(state, state.selection.rung))
    return;  // Enter answers it, and a hand that drags is not done
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
  const bool here = !state.is_replay() && found != state.teaching.drafts.end() &&
                    found->second.params == params_of(state, kernel);
  return here ? &found->second : nullptr;
}

bool is_predict_open(const State& state) {
  return state.teaching.predicting && state.teaching.predicts_saved == state.is_replay();
}

namespace {

bool runs(const WorkRequest& request, const std::string& kernel) {
  return std::any_of(request.kernels.begin(), request.kernels.end(),
                     [&](const KernelRequest& one) { return one.kernel == kernel; });
}

/// The draft that the request answers; null: there is none.
const Draft* draft_for(const State& state, const KernelRequest& asked) {
  const auto draft = state.teaching.drafts.find(asked.kernel);
  const bool fits = draft != state.teaching.drafts.end() && draft->second.params == asked.params;
  return fits ? &draft->second : nullptr;
}

/// What a factor is over runs first, where it has no result.
void add_references(const State& state, WorkRequest* request) {
  std::vector<KernelRequest> first;
  for (const KernelRequest& asked : request->kernels) {
    const Draft* draft = draft_for(state, asked);
    const RungView* row = draft ? find_row(state.ladder, draft->of) : nullptr;
    if (!row || !row->can_run || measured_ns(*row) || runs(*request, draft->of)) continue;
    first.push_back({draft->of, params_of(state, draft->of)});
  }
  request->kernels.insert(request->kernels.begin(), first.begin(), first.end());
}

}  // namespace

std::set<std::string> predicted_rungs(const State& state) {
  std::set<std::string> found;
  const auto add = [&](const std::string& kernel) {
    const RungView* row = find_row(state.ladder, kernel);
    if (row && row->can_run) found.insert(kernel);
    return row && row->can_run;
  };
  for (const auto& [kernel, draft] : state.teaching.drafts) {
    if (!draft_of(state, kernel) || !add(kernel)) continue;
    const RungView* of = find_row(state.ladder, draft.of);
    if (of && !measured_ns(*of)) add(draft.of);
  }
  const Teaching& teach = state.teaching;
  const bool is_typed = is_predict_open(state) && teach.typed_for == state.selection.rung;
  if (!is_typed || teach.typed.empty() || !add(state.selection.rung)) return found;
  const Reference of = reference_of(state, state.selection.rung);
  const auto expected = read_expected(teach.typed, of);  // typed, and not entered yet
  if (expected && expected->factor > 0 && !(of.time_ns > 0)) add(of.kernel);
  return found;
}

bool lock_drafts(State& state, WorkRequest* request) {
  if (request->type != RequestType::run) return true;
  // Run by its key while the text stands in the field: what is read there is what is meant.
  Teaching& teach = state.teaching;
  const Draft* known = draft_of(state, state.selection.rung);
  const bool is_typed = teach.predicting && teach.typed_for == state.selection.rung &&
                        !teach.typed.empty() && (!known || known->text != teach.typed);
  if (is_typed && !set_draft(state, teach.typed) && runs(*request, state.selection.rung))
    return false;
  teach.typed.clear();
  teach.predicting = teach.wants_focus = false;
  add_references(state, request);
  for (const KernelRequest& asked : request->kernels) {
    const Draft* draft = draft_for(state, asked);
    if (!draft) continue;
    const RungView* of = find_row(state.ladder, draft->of);
    const bool has_time = draft->of.empty() || (of && measured_ns(*of));
    state.sessions.shown->predict(
        {asked.kernel, asked.params, has_time ? draft->value_ns : 0, 0, draft->factor, draft->of});
    teach.drafts.erase(asked.kernel);
  }
  return true;
}

std::optional<report::Revealed> revealed_of(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  const Settled* settled = settled_of(state, kernel);
  if (const RungView* recorded = settled ? recorded_row(state, kernel) : nullptr) {
    const RungView::Held held = recorded->held();
    auto revealed = report::reveal_recorded(*held.run, settled->said, *held.series,
                                            machine_of(state, *recorded));
    revealed.after_the_fact = settled->is_late;
    return revealed;
  }
  if (!row || row->origin == Origin::recorded) return {};
  return report::reveal(state.run(), kernel, view_params(state, row->info));
}

void mark_predictions(const State& state, const ChartRows& rows, chart::ChartModel* ladder) {
  std::vector<chart::PredictedRow> marks;
  for (size_t i = 0; i < rows.kernels.size(); ++i) {
    const int row = static_cast<int>(i);
    const auto revealed = revealed_of(state, rows.kernels[i]);
    if (const Draft* draft = draft_of(state, rows.kernels[i])) {
      if (!(draft->value_ns > 0)) continue;  // a factor over what has not run yet
      marks.push_back({row, draft->value_ns * 1e-9, {}, "You expect " + draft->text + "."});
      marks.back().draft = draft->text;
    } else if (revealed && revealed->predicted_ns) {
      chart::PredictedRow mark{row, *revealed->predicted_ns * 1e-9};
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
  if (!is_predict_open(state) || ladder->panels.empty()) return;
  // A bar that is dragged needs an axis that reaches as far as anyone may expect.
  chart::Axis& axis = ladder->panels.front().axis;
  const bool is_fresh = ladder->panels.front().marks.empty();
  const Interval span = draft_span(state);
  axis.low = is_fresh ? span.low * 1e-9 : std::min(axis.low, span.low * 1e-9);
  axis.high = is_fresh ? span.high * 1e-9 : std::max(axis.high, span.high * 1e-9);
}

bool is_predicting(const State& state, const std::string& kernel) {
  const bool is_open = is_predict_open(state) && state.selection.rung == kernel;
  const bool is_asked = state.teaching.presenting || state.teaching.tour;
  return is_open || draft_of(state, kernel) != nullptr ||
         (is_asked && (state.teaching.beat == Beat::predict || state.teaching.beat == Beat::run));
}

bool is_locked(const State& state, const std::string& kernel) {
  const RungView* row = state.requests.run ? find_row(state.ladder, kernel) : nullptr;
  if (!row) return false;
  const auto revealed = report::reveal(state.run(), kernel, view_params(state, row->info));
  return revealed && !revealed->series;
}

namespace {

/// Of each rung whose lesson asks for a prediction, the question as it is written. Read once a lab.
const std::map<std::string, std::string>& written_questions(const Lab& lab) {
  static std::map<std::string, std::map<std::string, std::string>> known;
  const auto [found, is_new] = known.try_emplace(lab.lesson);
  const auto text = is_new ? study::read_asset(lab.lesson) : Result<std::string>(std::string());
  for (const study::LessonPart& part :
       text ? study::lesson_parts(*text) : std::vector<study::LessonPart>()) {
    const size_t from = part.text.find(study::kPrediction);
    if (from == part.text.npos) continue;
    found->second[part.kernel] = part.text.substr(from, part.text.find("\n\n", from) - from);
  }
  return found->second;
}

/// What the question names of the rung's choices, in stars, backquotes or as an assignment: "the network *cnn*". Of a
/// parameter of which it names several it says nothing.
Params choices_named(const std::string& question, const KernelInfo& info) {
  Params named;
  for (const ParamSpec& spec : info.params) {
    const auto is_named = [&](const std::string& choice) {
      const std::string forms[] = {"*" + choice + "*", "`" + choice + "`",
                                   spec.name + "=" + choice};
      return std::any_of(std::begin(forms), std::end(forms), [&](const std::string& form) {
        return question.find(form) != question.npos;
      });
    };
    if (!spec.is_choice || std::count_if(spec.choices.begin(), spec.choices.end(), is_named) != 1)
      continue;
    named[spec.name] = *std::find_if(spec.choices.begin(), spec.choices.end(), is_named);
  }
  return named;
}

/// The question of this rung's lesson is about a problem with these parameters: a network that it does not ask about gives
/// nothing away. Of another size it does.
bool is_asked_of(const State& state, const std::string& kernel, const Params& params) {
  const auto& all = written_questions(*state.selection.lab);
  const auto question = all.find(kernel);
  const KernelInfo* info = find_info(state.sessions, kernel);
  if (question == all.end() || !info) return true;
  for (const auto& [name, choice] : choices_named(question->second, *info)) {
    const auto found = params.find(name);
    if (found != params.end() && found->second != choice) return false;
  }
  return true;
}

}  // namespace

bool has_question(const State& state, const std::string& kernel) {
  return state.selection.lab && written_questions(*state.selection.lab).contains(kernel);
}

std::string key_of_all(const State& state) {
  const bool is_step = state.teaching.tour != nullptr;
  return "all " + state.selection.rung +
         (is_step ? " " + std::to_string(state.teaching.tour_step) : "");
}

std::string key_of_outcome(const std::string& kernel) {
  return kernel + " outcome";
}

bool shows_outcome(const State& state, const std::string& kernel) {
  const auto& open = state.view.open_answers;
  return open.contains("all " + kernel) != open.contains(key_of_outcome(kernel));
}

bool awaits_answer(const State& state, const std::string& kernel) {
  const Teaching& teach = state.teaching;
  const bool is_told = teach.tour || teach.presenting;
  if (!is_learning(state) || is_told || !state.selection.lab) return false;
  const KernelInfo* built = state.run().kernel(kernel);
  const bool can_run = built && built->available && !state.is_replay();
  if (can_run || !has_question(state, kernel)) return false;
  return !teach.revealed.contains(kernel) && !shows_outcome(state, kernel) &&
         answer_of(state, kernel).empty() && !settled_of(state, kernel) &&
         !report::reveal(state.run(), kernel, params_of(state, kernel));
}

namespace {

/// Its processor's later rungs and libraries say much of what is asked of a rung: they have its answer, or more. Beside the
/// processor's first that has a figure, where nothing would be left to see, and in a lab that is no ladder they stand.
bool is_beyond(const State& state, const std::string& kernel, const std::string& asked) {
  const Lab& lab = *state.selection.lab;
  const KernelInfo* info = find_info(state.sessions, asked);
  if (!info || info->kind == RungKind::trap || backend_of(kernel) != backend_of(asked))
    return false;
  const auto at = [&](const std::string& of) {
    return std::find_if(lab.rungs.begin(), lab.rungs.end(),
                        [&](const Rung& rung) { return rung.kernel == of; });
  };
  const auto stands_before = [&](const RungView& row) {
    return row.series && backend_of(row.rung->kernel) == backend_of(asked) &&
           at(row.rung->kernel) < at(asked);
  };
  const auto& rows = state.ladder.rows;  // while it is made, those up to here
  return at(kernel) != lab.rungs.end() && at(kernel) > at(asked) &&
         std::any_of(rows.begin(), rows.end(), stands_before);
}

}  // namespace

bool awaits_reveal(const State& state, const std::string& kernel) {
  const study::TourStep* step = tour_step(state);
  const Beat beat = state.teaching.beat;
  const bool is_seen = state.teaching.results.contains(state.teaching.tour_step);
  if (!step || is_seen || (beat != Beat::predict && beat != Beat::run) || is_away_from_tour(state))
    return false;
  const auto bars = study::bars_of(*step);
  return state.selection.lab && state.selection.lab->id == step->lab &&
         std::any_of(bars.begin(), bars.end(),
                     [&](const study::StepBar& bar) { return bar.kernel == kernel; });
}

namespace {

/// The session had shown a result at these parameters when the tour's question was opened: of no step that is unrevealed.
bool was_seen(const State& state, const std::string& kernel, const Params& params) {
  const Teaching& teach = state.teaching;
  const auto& all = state.run().series_of_kernel(kernel);
  return std::any_of(all.begin(), all.end(), [&](const Series* series) {
    const auto asked = teach.asked_at.find(series->request);
    const bool is_open = asked != teach.asked_at.end() && !teach.results.contains(asked->second);
    return series->request <= teach.seen_to && !is_open && series->stats &&
           agrees(asked_params(*series), params);
  });
}

}  // namespace

bool hides_result(const State& state, const std::string& kernel, const Params& params) {
  const Teaching& teach = state.teaching;
  const std::string& asked = state.selection.rung;
  if (awaits_reveal(state, kernel) && !was_seen(state, kernel, params)) return true;
  if (teach.uncovered == asked || !state.selection.lab) return false;
  if (kernel != asked)
    return awaits_answer(state, asked) && is_beyond(state, kernel, asked) &&
           is_asked_of(state, asked, params);
  const bool is_open =
      is_predict_open(state) && state.requests.run == 0 && draft_of(state, kernel) == nullptr;
  return (is_open && agrees(params, params_of(state, kernel))) ||
         (awaits_answer(state, kernel) && is_asked_of(state, kernel, params));
}

bool hides_result(const State& state, const Series& series) {
  return hides_result(state, series.kernel, asked_params(series));
}

bool is_covered(const State& state, const std::string& kernel) {
  return hides_result(state, kernel, params_of(state, kernel));
}

void open_predict(State& state) {
  Teaching& teach = state.teaching;
  if (!teach.predicting) teach.uncovered.clear();
  teach.predicting = teach.wants_focus = true;
  if (std::exchange(teach.predicts_saved, state.is_replay()) != state.is_replay())
    teach.typed.clear();  // of the other run's question
  if (state.view.screen != ScreenId::presenter) state.view.screen = ScreenId::lab;
  if (state.selection.view->fills) state.selection.view = &kLadderView;  // the field is below that
  state.ladder.dirty = true;
}

void close_predict(State& state) {
  state.teaching.predicting = state.teaching.wants_focus = false;
  state.teaching.typed.clear();
  state.ladder.dirty = true;
}

bool types_prediction(const State& state) {
  return state.teaching.has_keyboard && is_predict_open(state) &&
         state.view.screen == ScreenId::lab;
}

bool takes_expected(std::string_view typed, uint32_t sign) {
  return sign == '.' || takes_sign(study::Ask::time, typed, sign) ||
         takes_sign(study::Ask::factor, typed, sign);
}

bool takes_typed(State& state, unsigned character) {
  Teaching& teach = state.teaching;
  if (!is_predict_open(state) || !teach.wants_focus || state.view.screen != ScreenId::lab)
    return false;
  if (teach.typed_for != state.selection.rung) teach.typed.clear();
  teach.typed_for = state.selection.rung;
  if (!takes_expected(teach.typed, character)) return false;
  constexpr unsigned kTimes = 0xD7, kMicro = 0xB5;  // as µs and × are typed
  if (character < 0x80)
    teach.typed += static_cast<char>(character);
  else if (character == kTimes || character == kMicro)
    teach.typed += character == kTimes ? "×" : "µ";
  return true;
}

// ---- drawn -------------------------------------------------------------------------------------

namespace {

/// That a result is there already is said before the answer: then it is one after the fact.
/// "3×", however it was typed.
std::string factor_text(const Draft& draft) {
  return format_tick(draft.factor) + "×";
}

/// What is typed, as it will be taken: "3× over loop order, so 4.00 ms".
std::string read_as(std::string_view typed, const Reference& reference, double ns) {
  const auto expected = read_expected(typed, reference);
  const std::string time = format_time_ns(ns);
  return expected && expected->factor > 0
             ? format_tick(expected->factor) + "× over " + reference.title + ", so " + time
             : time;
}

std::string hint_of(const State& state, const Reference& reference) {
  const std::string& rung = state.selection.rung;
  if (const RungView* recorded = recorded_row(state, rung))
    return std::string(
               awaits_answer(state, rung) ? "" : "It was in view: an answer is after the fact. ") +
           (reference.title.empty() ? "Type a time, as 12 ms"
                                    : "Type 3x (over " + reference.title + ", " +
                                          format_time_ns(reference.time_ns) + ") or a time") +
           "; Enter holds it against the recording of " +
           app::machine_in_words(machine_of(state, *recorded)) + ".";
  const std::string seen =
      has_seen(state, rung, {}) ? "It has run here: an answer is after the fact. " : "";
  if (const Draft* draft = draft_of(state, rung)) {
    const std::string of = draft->factor > 0 ? rung_title(state.ladder, draft->of) : "";
    if (draft->factor > 0 && !(draft->value_ns > 0))
      return "You expect " + factor_text(*draft) + " over " + of +
             ", which has no result here yet: Run measures it first, and no other rung.";
    const std::string time = format_time_ns(draft->value_ns);
    return "You expect " +
           (of.empty() ? time : factor_text(*draft) + " over " + of + ", so " + time) +
           ". Run locks it and runs no other rung.";
  }
  if (reference.title.empty()) return seen + "Type a time, as 12 ms, or drag. Run locks it.";
  return seen + "Type 3x (over " + reference.title + ", " +
         (reference.time_ns > 0 ? format_time_ns(reference.time_ns) : "which Run measures first") +
         ") or a time, or drag. Run locks it.";
}

struct Typed {
  bool keeps = false;  ///< it was opened by a digit: what is typed next stands behind it
  std::string typed;   ///< so far, in this frame too
};

int watch_typing(ImGuiInputTextCallbackData* data) {
  auto& typing = *static_cast<Typed*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackCharFilter) {
    if (!takes_expected(typing.typed, data->EventChar)) return 1;
    typing.typed += data->EventChar < 128 ? static_cast<char>(data->EventChar) : '?';
  } else if (typing.keeps) {
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
  }
  return 0;
}

/// What the field holds; of a rung that was selected just now its draft.
std::string typed_text(const State& state) {
  if (state.teaching.typed_for == state.selection.rung) return state.teaching.typed;
  const Draft* draft = draft_of(state, state.selection.rung);
  return draft ? draft->text : "";
}

/// The text field itself. It has the keyboard as soon as it is asked for, and keeps what was typed until then.
void draw_input(Ui& ui, const Area& box) {
  const State& state = ui.state;
  const std::string typed = typed_text(state);
  ui.fill(box, ui.raised(2), ui.px(5));
  char text[32] = {};
  std::snprintf(text, sizeof text, "%s", typed.c_str());
  const float height = ui.px(kSmall_px + 1);
  compat::push_font(ui.fonts.get(Face::mono, height), height);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui.px(10), (box.h - height) / 2});
  ImGui::SetCursorScreenPos({box.x, box.y});
  ImGui::SetNextItemWidth(box.w);
  const Draft* draft = draft_of(state, state.selection.rung);
  Typed here{state.teaching.wants_focus && !typed.empty() && !(draft && draft->text == typed),
             typed};
  if (state.teaching.wants_focus) {
    ImGui::SetKeyboardFocusHere();
    ui.needs_redraw = true;
  }
  const bool entered =
      ImGui::InputText("##predict", text, sizeof text,
                       ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways |
                           ImGuiInputTextFlags_CallbackCharFilter,
                       watch_typing, &here);
  const bool left = ImGui::IsItemDeactivatedAfterEdit();
  if (state.teaching.wants_focus && ImGui::IsItemActive())
    ui.dispatch([](State& changed) { changed.teaching.wants_focus = false; });
  const bool is_active = ImGui::IsItemActive();
  if (is_active != state.teaching.has_keyboard)
    ui.dispatch([is_active](State& changed) { changed.teaching.has_keyboard = is_active; });
  if (is_active) ui.frame(box, ui.color(Role::series0), ui.px(5), ui.px(1.5f));
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if (typed != text || state.teaching.typed_for != state.selection.rung) {
    ui.dispatch([now = std::string(text), rung = state.selection.rung](State& changed) {
      changed.teaching.typed = now;
      changed.teaching.typed_for = rung;
    });
  }
  // An answer that nothing takes back is given by Enter alone.
  const bool is_final = recorded_row(state, state.selection.rung) != nullptr;
  if ((entered || (left && !is_final)) && *text)
    ui.dispatch([now = std::string(text)](State& changed) { set_draft(changed, now); });
}

}  // namespace

float PredictBar::height(const Ui& ui) const {
  const State& state = ui.state;
  const bool shown =
      state.selection.lab && (is_predict_open(state) || draft_of(state, state.selection.rung) ||
                              revealed_of(state, state.selection.rung));
  return shown ? ui.px(72) : 0;
}

void PredictBar::draw_slider(Ui& ui, const Area& area) const {
  const State& state = ui.state;
  const Interval span = draft_span(state);
  const Area rail = {area.x, area.middle() - ui.px(7), area.w, ui.px(14)};
  ui.fill(rail, ui.raised(2), ui.px(3));
  const auto touched = ui.touch("predict_drag", {area.x, area.y, area.w, area.h}, false);
  const double decades = std::log(span.high / span.low);
  if (touched.held && area.w > 1) {
    const double share = std::clamp((ImGui::GetIO().MousePos.x - area.x) / area.w, 0.0f, 1.0f);
    ui.dispatch([value_ns = span.low * std::exp(share * decades)](State& changed) {
      drag_draft(changed, value_ns);
    });
  }
  const Draft* draft = draft_of(state, state.selection.rung);
  if (touched.hovered && !draft) ui.tooltip("Drag the bar to the time that you expect.");
  if (!draft || !(draft->value_ns > 0)) return;
  const double share = std::clamp(std::log(draft->value_ns / span.low) / decades, 0.0, 1.0);
  const float end = area.x + area.w * static_cast<float>(share);
  ui.frame({rail.x, rail.y, end - rail.x, rail.h}, ui.color(Role::text), ui.px(3), ui.px(1.5f));
  ui.fill({end - ui.px(3), rail.y - ui.px(4), ui.px(6), rail.h + ui.px(8)}, ui.color(Role::text),
          ui.px(2));
}

namespace {

/// Where the rung has shown its time a guess is none any more: another size is one press away.
void draw_unseen(Ui& ui, Area* line) {
  const State& state = ui.state;
  const std::string& rung = state.selection.rung;
  if (!predict_blocker(state).empty() || draft_of(state, rung) || !has_seen(state, rung, {}))
    return;
  if (recorded_row(state, rung)) return;  // no other size can be run
  const Params unseen = unseen_size(state, rung, {});
  if (unseen.empty()) return;
  const std::string label = "Ask at " + asked_size(state, unseen);
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
  if (line->w < w) return;
  const Area place = line->take_right(w, ui.px(12));
  if (ui.button("predict_unseen", place, label, Ui::Kind::normal))
    ui.dispatch([rung, unseen](State& changed) { ask_prediction(changed, rung, {unseen, ""}); });
}

}  // namespace

void PredictBar::draw_field(Ui& ui, Area area) const {
  const State& state = ui.state;
  const Reference reference = reference_of(state, state.selection.rung);
  const std::string size = asked_size(state, {});
  const std::string label = "Predict " + rung_title(state.ladder, state.selection.rung) +
                            (size.empty() ? "" : " at " + size);
  Area line = area.take_top(ui.px(34), ui.px(2));
  if (is_predict_open(state) &&
      ui.button("predict_close", line.take_right(ui.px(72), ui.px(12)), "Close", Ui::Kind::quiet))
    ui.dispatch([](State& changed) { close_predict(changed); });
  // Against a recording nothing is dragged, so that the rung and its size have the room.
  const float share = recorded_row(state, state.selection.rung) ? 0.7f : 0.4f;
  line.take_left(ui.text(line.x, line.middle(), label, kSmall_px + 1, Role::text, Face::strong,
                         Anchor::start, line.w * share),
                 ui.px(14));
  const Area box = line.take_left(ui.px(112), ui.px(18));
  ui.widgets["predict_field"] = box;
  // An answer that stands has one next step.
  if (draft_of(state, state.selection.rung) && predict_blocker(state).empty() &&
      ui.button("predict_run", line.take_left(ui.px(76), ui.px(18)), "Run it", Ui::Kind::primary))
    ui.dispatch_action("run");
  draw_input(ui, box);
  draw_unseen(ui, &line);
  if (line.w > ui.px(60) && !recorded_row(state, state.selection.rung)) draw_slider(ui, line);
  const std::string why = predict_blocker(state);
  // While it is typed: how it is read, or what it lacks.
  const Draft* draft = draft_of(state, state.selection.rung);
  const std::string typed = typed_text(state);
  const bool is_new = !typed.empty() && !(draft && draft->text == typed);
  const auto read = is_new ? parse_prediction(typed, reference) : Result<double>(0.0);
  if (is_new) ui.widgets[read ? "predict_read" : "predict_lacks"] = area;
  const std::string& said = state.notice.text;
  const bool is_wrong = state.notice.is_error && !said.empty();
  ui.text(area.x, area.y + area.h / 2,
          !why.empty() ? why
          : is_wrong   ? said
          : !read      ? read.error().sentence()
          : is_new && *read > 0
              ? "Read as " + read_as(typed, reference, *read) + ": Enter keeps it."
              : hint_of(state, reference),
          kSmall_px, is_wrong ? Role::slower : Role::muted, Face::body, Anchor::start, area.w);
}

namespace {

/// The next rung of the same processor that has still to be measured here; null: none.
const RungView* rung_ahead(const State& state) {
  const auto& rows = state.ladder.rows;
  const auto here = std::find_if(rows.begin(), rows.end(), [&](const RungView& row) {
    return row.rung->kernel == state.selection.rung;
  });
  const auto found = std::find_if(here, rows.end(), [&](const RungView& row) {
    return row.can_run && !row.series && !row.rung->peer && !is_folded(state, *row.rung) &&
           backend_of(row.rung->kernel) == backend_of(state.selection.rung);
  });
  return found == rows.end() ? nullptr : &*found;
}

/// What was predicted, hollow, over what was measured, on one scale from zero: times, or factors where one was said.
void draw_both(Ui& ui, const Area& area, const report::Revealed& revealed) {
  const bool is_factor = revealed.prediction->factor > 0 && revealed.ratio;
  if (!is_factor && !(revealed.predicted_ns && revealed.measured_ns)) return;
  const double said = is_factor ? revealed.prediction->factor : *revealed.predicted_ns;
  const double measured = is_factor ? *revealed.ratio : *revealed.measured_ns;
  const double most = std::max(said, measured);
  if (!(said > 0) || !(measured > 0)) return;
  const auto text = [&](double value) {
    return is_factor ? format_ratio(value) : format_time_ns(value);
  };
  const float words =
      std::max(ui.width(text(said), kTiny_px + 1), ui.width(text(measured), kTiny_px + 1));
  const float row = area.h / 2, room = area.w - words - ui.px(8);
  for (const bool is_said : {true, false}) {
    const double value = is_said ? said : measured;
    const Area bar = {area.x, area.y + (is_said ? 0 : row) + row * 0.25f,
                      std::max(ui.px(2), room * static_cast<float>(value / most)), row * 0.5f};
    if (is_said)
      ui.frame(bar, ui.color(Role::text), ui.px(2), ui.px(1.5f));
    else
      ui.fill(bar, ui.color(Role::series0), ui.px(2));
    ui.text(bar.right() + ui.px(8), bar.middle(), text(value), kTiny_px + 1, Role::text);
    ui.widgets[is_said ? "predicted_bar" : "measured_bar"] = bar;
  }
}

}  // namespace

void PredictBar::draw(Ui& ui, Area area) const {
  ui.panel(area);
  const State& state = ui.state;
  ui.widgets["predict_bar"] = area;
  Area inner = area.inset(ui.px(18), ui.px(8));
  const auto revealed = revealed_of(state, state.selection.rung);
  const bool is_open = is_predict_open(state) || draft_of(state, state.selection.rung);
  const bool waits = is_locked(state, state.selection.rung);
  if (is_open && !waits) return draw_field(ui, inner);
  if (!revealed) return;
  const RungView* ahead = waits || !is_learning(state) ? nullptr : rung_ahead(state);
  if (ahead && ui.button("next_rung", inner.take_right(ui.px(104), ui.px(16)).inset(0, ui.px(8)),
                         "Next rung", Ui::Kind::normal))
    ui.dispatch([kernel = ahead->rung->kernel](State& changed) { select_rung(changed, kernel); });
  const std::string first = waits ? "Predicted " + report::said_text(*revealed->prediction) +
                                        ": locked until the run is over."
                                  : report::prediction_sentence(*revealed);
  const std::string second = waits ? "" : report::model_sentence(*revealed);
  // The bars say no more than the words: where both have no room, the words have it.
  const float bars_w = inner.w * 0.32f, words_w = inner.w - bars_w - ui.px(20);
  const float words_h =
      ui.paragraph({0, 0, words_w, 0}, first, kSmall_px, Role::text, Face::strong, true);
  if (!waits && inner.w > ui.px(520) && words_h <= inner.h)
    draw_both(ui, inner.take_right(bars_w, ui.px(20)), *revealed);
  const float half = inner.h / 2;
  if (ui.width(first, kBody_px, Face::strong) > inner.w) {
    const float h = ui.paragraph(inner, first, kSmall_px, Role::text, Face::strong);
    ui.widgets["predict_words"] = {inner.x, inner.y, inner.w, h};
  } else {
    ui.text(inner.x, inner.y + half / 2, first, kBody_px, Role::text, Face::strong, Anchor::start,
            inner.w);
    ui.text(inner.x, inner.y + half * 1.5f, second, kSmall_px, Role::muted, Face::body,
            Anchor::start, inner.w);
  }
  if (ui.hovers("predict_said", inner)) ui.tooltip(first + "\n" + second);
}

}  // namespace ridge::window
