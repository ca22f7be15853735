#include "app/study/tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/study/assets.h"
#include "common/core/format.h"
#include "common/core/nearest.h"
#include "common/record/params.h"
#include "common/view/chart/figures.h"
#include "labs/lab.h"

namespace ridge::study {
namespace {

const std::vector<std::string> kModes = {to_string(RunMode::live), to_string(RunMode::measure)},
                               kCaches = {to_string(CacheMode::hot), to_string(CacheMode::cold)};

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& one : list) text += (text.empty() ? "" : ", ") + one;
  return text;
}

Result<std::string> one_of(const Fields& fields, const char* name,
                           const std::vector<std::string>& known) {
  RIDGE_TRY(std::string value, fields.text_or(name, known.front()));
  if (std::find(known.begin(), known.end(), value) == known.end())
    return fields.bad(name, "is '" + value + "'", "it is one of " + joined(known));
  return value;
}

/// A rung by any name that the lab knows, as its full id.
Result<std::string> rung_of(const Fields& fields, const char* field, const Lab& lab,
                            const std::string& name) {
  const auto rung = find_rung(lab, name);
  if (!rung)
    return fields.bad(field, "names '" + name + "': " + rung.error().what, rung.error().hint);
  return std::string((*rung)->kernel);
}

Result<void> check_stop(const Fields& fields, const ParamView& view, const ParamValue& value) {
  const int64_t* number = std::get_if<int64_t>(&value);
  const auto& stops = view.stops;
  if (stops.empty() || (number && std::find(stops.begin(), stops.end(), *number) != stops.end()))
    return {};
  return fields.bad("set", "puts " + std::string(view.name) + " at " + to_string(value),
                    "choose one of the lab's stops");
}

Result<void> check_params(const Fields& fields, const Lab& lab, const Params& set) {
  for (const auto& [name, value] : set) {
    const auto view =
        std::find_if(lab.params.begin(), lab.params.end(),
                     [&, wanted = &name](const ParamView& param) { return *wanted == param.name; });
    if (view == lab.params.end())
      return fields.bad("set", "names '" + name + "', which is no parameter of the lab " + lab.id);
    RIDGE_TRY_VOID(check_stop(fields, *view, value));
  }
  return {};
}

/// A value with its name in a file, in the order in which an error lists them.
template <class Value>
struct Named {
  Value value;
  const char* name;
};
constexpr Named<StepKind> kKinds[] = {{StepKind::run, "run"},
                                      {StepKind::compare, "compare"},
                                      {StepKind::sweep, "sweep"},
                                      {StepKind::side_by_side, "side by side"},
                                      {StepKind::question, "question"}};
constexpr Named<Ask> kAsks[] = {
    {Ask::time, "time"},       {Ask::share, "share"},     {Ask::ratio, "ratio"},
    {Ask::factor, "factor"},   {Ask::longest, "longest"}, {Ask::largest_step, "largest_step"},
    {Ask::verdict, "verdict"}, {Ask::stage, "stage"},     {Ask::choice, "choice"}};

template <class Value, size_t count>
std::string name_of(const Named<Value> (&all)[count], Value value) {
  for (const auto& one : all) {
    if (one.value == value) return one.name;
  }
  return {};
}

/// Must be there: neither has a default that a reader would expect.
template <class Value, size_t count>
Result<Value> named(const Fields& fields, const char* field, const Named<Value> (&all)[count]) {
  RIDGE_TRY(const std::string text, fields.text(field));
  std::vector<std::string> names;
  for (const auto& one : all) {
    if (text == one.name) return one.value;
    names.emplace_back(one.name);
  }
  return fields.bad(field, "is '" + text + "'", "it is one of " + joined(names));
}

Result<CacheMode> cache_of(const Fields& fields) {
  RIDGE_TRY(const std::string cache, one_of(fields, "cache", kCaches));
  return *value_named<CacheMode>(cache);
}

/// Each side says what it changes of the step.
Result<StepBar> side_of(const Json& json, const std::string& where, const Lab& lab,
                        const TourStep& step) {
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only({"label", "rung", "set", "cache"}));
  StepBar side;
  RIDGE_TRY(side.label, fields.text("label"));
  RIDGE_TRY(const std::string rung, fields.text_or("rung", ""));
  if (rung.empty() && step.rungs.size() != 1)
    return fields.bad("rung", "is missing", "the step has no single rung for both sides");
  side.kernel = step.rungs.empty() ? "" : step.rungs.front();
  if (!rung.empty()) {
    RIDGE_TRY(side.kernel, rung_of(fields, "rung", lab, rung));
  }
  RIDGE_TRY(side.set, fields.params("set"));
  RIDGE_TRY_VOID(check_params(fields, lab, side.set));
  side.set.insert(step.set.begin(), step.set.end());
  RIDGE_TRY(side.cache, cache_of(fields));
  return side;
}

const ParamView* size_of(const Lab& lab) {
  for (const ParamView& param : lab.params) {
    if (param.stops.size() > 1 && param.name != std::string_view("threads")) return &param;
  }
  return nullptr;
}

Result<void> check_kind(const Fields& fields, const Lab& lab, const TourStep& step) {
  const size_t rungs = step.rungs.size();
  if (step.kind == StepKind::compare && rungs != 2)
    return fields.bad("rungs", "are " + std::to_string(rungs), "a comparison has two");
  if (step.kind == StepKind::question && !step.question.empty() && step.ask != Ask::choice)
    return fields.bad("ask", "is '" + ask_name(step.ask) + "'", "a question has choices");
  if ((step.kind == StepKind::sweep) != (step.sizes.size() > 1))
    return fields.bad("sizes", "do not fit the kind", "a sweep has two or more, nothing else any");
  if ((step.kind == StepKind::side_by_side) != (step.sides.size() == 2))
    return fields.bad("sides", "do not fit the kind", "'side by side' has two, nothing else any");
  const ParamView* size = size_of(lab);
  for (const int64_t stop : step.sizes) {
    if (!size) return fields.bad("sizes", "are of a lab that has no size");
    RIDGE_TRY_VOID(check_stop(fields, *size, stop));
  }
  return {};
}

/// What is asked must have an answer in what the step shows.
Result<void> check_ask(const Fields& fields, const TourStep& step) {
  const size_t bars = bars_of(step).size();
  const bool needs_two =
      step.ask == Ask::ratio || step.ask == Ask::longest || step.ask == Ask::largest_step;
  if (needs_two && bars < (step.ask == Ask::largest_step ? 3u : 2u))
    return fields.bad("ask", "is '" + ask_name(step.ask) + "', which needs more bars");
  if (step.ask == Ask::verdict && step.kind != StepKind::compare)
    return fields.bad("ask", "is 'verdict'", "only a comparison has one");
  const bool has_choices = step.ask == Ask::choice || step.ask == Ask::stage;
  if (has_choices != (step.choices.size() > 1))
    return fields.bad("choices", "do not fit",
                      "'choice' and 'stage' have two or more, nothing else any");
  if (step.ask == Ask::choice && (step.right < 0 || step.right >= std::ssize(step.choices)))
    return fields.bad("right", "is no place among the choices, counted from 1");
  return {};
}

Result<void> read_rungs(const Fields& fields, const Lab& lab, TourStep* step) {
  RIDGE_TRY(const auto rungs, fields.texts("rungs"));
  if (rungs.empty() && step->kind != StepKind::side_by_side)
    return fields.bad("rungs", "is missing");
  for (const std::string& name : rungs) {
    RIDGE_TRY(std::string id, rung_of(fields, "rungs", lab, name));
    step->rungs.push_back(std::move(id));
  }
  return {};
}

Result<void> read_answer(const Fields& fields, const Json& json, TourStep* step) {
  RIDGE_TRY(step->ask, named(fields, "ask", kAsks));
  RIDGE_TRY(step->choices, fields.texts("choices"));
  if (step->ask == Ask::choice) {
    RIDGE_TRY(const int right, fields.count("right"));
    step->right = right - 1;
  } else if (json.contains("right")) {
    return fields.bad("right", "is there without choices");
  }
  RIDGE_TRY(step->question, fields.text("question"));
  return {};
}

Result<void> read_figure(const Fields& fields, TourStep* step) {
  RIDGE_TRY(step->figure, fields.text_or("figure", ""));
  if (step->figure.empty()) return {};
  const auto names = chart::figure_names();
  if (std::find(names.begin(), names.end(), step->figure) == names.end())
    return fields.bad("figure", "is '" + step->figure + "'", "it is one of " + joined(names));
  if (!step->measures())
    return fields.bad("figure", "stands at a question", "nothing runs there: make it a run");
  return {};
}

Result<TourStep> step_of(const Json& json, const std::string& where) {
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only({"kind", "lab", "rungs", "set", "mode", "cache", "sizes", "sides",
                              "ask", "choices", "right", "figure", "question", "words", "learned",
                              "why", "minutes"}));
  TourStep step;
  RIDGE_TRY(step.kind, named(fields, "kind", kKinds));
  RIDGE_TRY(step.lab, fields.text("lab"));
  const Lab* lab = find_lab(step.lab);
  if (!lab) return fields.bad("lab", "is '" + step.lab + "', which this build does not have");
  RIDGE_TRY_VOID(read_rungs(fields, *lab, &step));
  RIDGE_TRY(step.set, fields.params("set"));
  RIDGE_TRY_VOID(check_params(fields, *lab, step.set));
  RIDGE_TRY(const std::string mode, one_of(fields, "mode", kModes));
  step.mode = *value_named<RunMode>(mode);
  RIDGE_TRY(step.cache, cache_of(fields));
  RIDGE_TRY(step.sizes, fields.whole_numbers("sizes"));
  if (json.contains("sides")) {
    RIDGE_TRY(const auto sides, fields.objects("sides"));
    for (const Json& side : sides) {
      RIDGE_TRY(StepBar bar, side_of(side, where + ", a side", *lab, step));
      if (step.rungs.empty() || step.rungs.back() != bar.kernel) step.rungs.push_back(bar.kernel);
      step.sides.push_back(std::move(bar));
    }
  }
  RIDGE_TRY_VOID(read_answer(fields, json, &step));
  RIDGE_TRY_VOID(read_figure(fields, &step));
  RIDGE_TRY_VOID(check_kind(fields, *lab, step));
  RIDGE_TRY_VOID(check_ask(fields, step));
  RIDGE_TRY(step.words, fields.text("words"));
  RIDGE_TRY(step.learned, fields.text_or("learned", ""));
  RIDGE_TRY(step.why, fields.text_or("why", ""));
  RIDGE_TRY(step.minutes, fields.number("minutes"));
  return step;
}

Result<TourNext> next_of(const Json& json, const std::string& where) {
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only({"tour", "exercise"}));
  TourNext next;
  RIDGE_TRY(next.id, fields.text_or("tour", ""));
  RIDGE_TRY(const std::string exercise, fields.text_or("exercise", ""));
  if (next.id.empty() == exercise.empty())
    return fields.bad("tour", "or 'exercise' is what comes next, and one of them");
  next.is_exercise = !exercise.empty();
  if (next.is_exercise) next.id = exercise;
  return next;
}

}  // namespace

std::string kind_name(StepKind kind) {
  return name_of(kKinds, kind);
}

std::string ask_name(Ask ask) {
  return name_of(kAsks, ask);
}

std::vector<StepBar> bars_of(const TourStep& step) {
  if (step.kind == StepKind::question) return {};
  if (step.kind == StepKind::side_by_side) return step.sides;
  std::vector<StepBar> bars;
  if (step.kind != StepKind::sweep) {
    for (const std::string& kernel : step.rungs) bars.push_back({kernel, step.set, step.cache, ""});
    return bars;
  }
  const Lab* lab = find_lab(step.lab);
  const ParamView* size = lab ? size_of(*lab) : nullptr;
  for (const int64_t stop : step.sizes) {
    for (const std::string& kernel : step.rungs) {
      StepBar bar{kernel, step.set, step.cache, ""};
      if (size) {
        bar.set[size->name] = stop;
        bar.label = std::string(size->name) + " = " + std::to_string(stop);
      }
      bars.push_back(std::move(bar));
    }
  }
  return bars;
}

Result<Tour> parse_tour(const std::string& text, const std::string& where) {
  RIDGE_TRY(const Json json, parse_json(text, where));
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only({"id", "title", "audience", "minutes", "place", "next", "steps"}));
  Tour tour;
  RIDGE_TRY(tour.id, fields.text("id"));
  RIDGE_TRY(tour.title, fields.text("title"));
  RIDGE_TRY(tour.audience, fields.text("audience"));
  RIDGE_TRY(tour.minutes, fields.number("minutes"));
  RIDGE_TRY(tour.place, fields.count("place"));
  if (json.contains("next")) {
    RIDGE_TRY(const auto next, fields.objects("next"));
    for (const Json& one : next) {
      RIDGE_TRY(TourNext made, next_of(one, where + ", next"));
      tour.next.push_back(std::move(made));
    }
  }
  RIDGE_TRY(const auto steps, fields.objects("steps"));
  double sum = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    RIDGE_TRY(TourStep step, step_of(steps[i], where + ", step " + std::to_string(i + 1)));
    sum += step.minutes;
    tour.steps.push_back(std::move(step));
  }
  if (!(std::abs(sum - tour.minutes) < 1e-6)) {
    return fields.bad(
        "minutes", "is " + format_tick(tour.minutes) + ", but the steps take " + format_tick(sum));
  }
  return tour;
}

namespace {

std::vector<std::string> ids_by_name() {
  std::vector<std::string> ids;
  for (const std::string& name : asset_names("assets/tours/")) {
    const size_t from = name.rfind('/') + 1;
    ids.push_back(name.substr(from, name.rfind('.') - from));
  }
  return ids;
}

}  // namespace

Result<Tour> load_tour(const std::string& id) {
  const std::vector<std::string> ids = ids_by_name();
  if (std::find(ids.begin(), ids.end(), id) == ids.end())
    return Error{ErrorCode::usage, "there is no tour '" + id + "'", "",
                 name_hint(id, ids, "ridgepoint tour")};
  const std::string name = "assets/tours/" + id + ".json";
  RIDGE_TRY(const std::string text, read_asset(name));
  RIDGE_TRY(Tour tour, parse_tour(text, name));
  if (tour.id != id) return bad_asset(name, "'id' is '" + tour.id + "'", "say '" + id + "'");
  return tour;
}

std::vector<std::string> tour_ids() {
  std::vector<std::pair<int, std::string>> placed;
  for (const std::string& id : ids_by_name()) {
    const auto tour = load_tour(id);
    placed.emplace_back(tour ? tour->place : std::numeric_limits<int>::max(), id);
  }
  std::sort(placed.begin(), placed.end());
  std::vector<std::string> ids;
  for (auto& [place, id] : placed) ids.push_back(std::move(id));
  return ids;
}

std::string rehearsal_file(const Tour& tour, int step) {
  return fmt::format("step-{:02}-{}.jsonl", step, tour.steps[static_cast<size_t>(step) - 1].lab);
}

}  // namespace ridge::study
