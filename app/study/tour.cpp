#include "app/study/tour.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/study/assets.h"
#include "common/core/format.h"
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

Result<void> check_params(const Fields& fields, const Lab& lab, const Params& set) {
  for (const auto& [name, value] : set) {
    const auto view =
        std::find_if(lab.params.begin(), lab.params.end(),
                     [&, wanted = &name](const ParamView& param) { return *wanted == param.name; });
    if (view == lab.params.end())
      return fields.bad("set", "names '" + name + "', which is no parameter of the lab " + lab.id);
    const int64_t* number = std::get_if<int64_t>(&value);
    if (!view->stops.empty() && (!number || std::find(view->stops.begin(), view->stops.end(),
                                                      *number) == view->stops.end()))
      return fields.bad("set", "puts " + name + " at " + to_string(value),
                        "choose one of the lab's stops");
  }
  return {};
}

Result<TourStep> step_of(const Json& json, const std::string& where) {
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only({"lab", "rungs", "baseline", "set", "mode", "cache", "chart",
                              "question", "words", "minutes"}));
  TourStep step;
  RIDGE_TRY(step.lab, fields.text("lab"));
  const Lab* lab = find_lab(step.lab);
  if (!lab) return fields.bad("lab", "is '" + step.lab + "', which this build does not have");
  RIDGE_TRY(const auto rungs, fields.texts("rungs"));
  if (rungs.empty()) return fields.bad("rungs", "is missing");
  for (const std::string& name : rungs) {
    RIDGE_TRY(std::string id, rung_of(fields, "rungs", *lab, name));
    step.rungs.push_back(std::move(id));
  }
  RIDGE_TRY(step.baseline, fields.text_or("baseline", ""));
  if (!step.baseline.empty()) {
    RIDGE_TRY(step.baseline, rung_of(fields, "baseline", *lab, step.baseline));
    // An A/A check names one rung throughout; else the candidate was meant to be another.
    const auto baselines = std::count(step.rungs.begin(), step.rungs.end(), step.baseline);
    if (step.rungs.back() == step.baseline && baselines != std::ssize(step.rungs))
      return fields.bad("baseline", "is also the last of 'rungs', which is compared with it");
  }
  RIDGE_TRY(step.set, fields.params("set"));
  RIDGE_TRY_VOID(check_params(fields, *lab, step.set));
  RIDGE_TRY(const std::string mode, one_of(fields, "mode", kModes));
  RIDGE_TRY(const std::string cache, one_of(fields, "cache", kCaches));
  step.mode = *value_named<RunMode>(mode);
  step.cache = *value_named<CacheMode>(cache);
  RIDGE_TRY(step.chart, one_of(fields, "chart", chart::figure_names()));
  RIDGE_TRY(step.question, fields.text_or("question", ""));
  RIDGE_TRY(step.words, fields.text("words"));
  RIDGE_TRY(step.minutes, fields.number("minutes"));
  return step;
}

}  // namespace

Result<Tour> parse_tour(const std::string& text, const std::string& where) {
  RIDGE_TRY(const Json json, parse_json(text, where));
  const Fields fields(json, where);
  RIDGE_TRY_VOID(fields.only({"id", "title", "audience", "minutes", "steps"}));
  Tour tour;
  RIDGE_TRY(tour.id, fields.text("id"));
  RIDGE_TRY(tour.title, fields.text("title"));
  RIDGE_TRY(tour.audience, fields.text("audience"));
  RIDGE_TRY(tour.minutes, fields.number("minutes"));
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

Result<Tour> load_tour(const std::string& id) {
  const std::vector<std::string> ids = tour_ids();
  if (std::find(ids.begin(), ids.end(), id) == ids.end())
    return Error{ErrorCode::usage, "there is no tour '" + id + "'", "", "there are " + joined(ids)};
  const std::string name = "assets/tours/" + id + ".json";
  RIDGE_TRY(const std::string text, read_asset(name));
  RIDGE_TRY(Tour tour, parse_tour(text, name));
  if (tour.id != id) return bad_asset(name, "'id' is '" + tour.id + "'", "say '" + id + "'");
  return tour;
}

std::vector<std::string> tour_ids() {
  std::vector<std::string> ids;
  for (const std::string& name : asset_names("assets/tours/")) {
    const size_t from = name.rfind('/') + 1;
    ids.push_back(name.substr(from, name.rfind('.') - from));
  }
  return ids;
}

}  // namespace ridge::study
