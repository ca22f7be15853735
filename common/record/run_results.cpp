// Run: what the worker concludes: results, errors, and the ends of requests.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/record/clocks.h"
#include "common/record/door.h"
#include "common/record/run.h"

namespace ridge {
namespace {

/// Equal for what are readings of one ceiling: the later one counts.
std::string key_of(const Ceiling& ceiling) {
  std::string key;
  for (const std::string& part : {ceiling.name, ceiling.backend.text(), ceiling.resource,
                                  ceiling.dtype, std::to_string(ceiling.threads), ceiling.source})
    key += part + '\n';
  return key;
}

}  // namespace

bool Run::apply_result(const Json& message) {
  if (const Json* outcome = object_field(message, "outcome"))
    return apply_outcome(message, *outcome);
  if (const Json* list = list_field(message, "comparisons"))
    return apply_comparisons(message, *list);
  if (const Json* list = list_field(message, "ceilings")) return apply_ceilings(*list);
  if (const Json* list = list_field(message, "estimates")) return apply_estimates(message, *list);
  if (const Json* object = object_field(message, "source")) {
    SourceText source;
    from_json(*object, source);
    if (has_room(sources_.size(), "a source")) sources_[source.kernel] = std::move(source);
    return true;
  }
  if (const Json* object = object_field(message, "assembly")) {
    AssemblyText assembly;
    from_json(*object, assembly);
    if (has_room(assemblies_.size(), "a listing"))
      assemblies_[assembly.kernel] = std::move(assembly);
    return true;
  }
  if (const Json* object = object_field(message, "inspection"))
    return apply_inspection(message, *object);
  if (const Json* object = object_field(message, "counts")) return apply_counts(message, *object);
  if (const Json* object = object_field(message, "serving")) {
    if (!has_room(servings_.size(), "a queue")) return true;
    Serving serving;
    from_json(*object, serving);
    serving.request = whole_field(message, "request");
    servings_.push_back(std::move(serving));
    return true;
  }
  if (const Json* object = object_field(message, "build")) {
    if (!has_room(builds_.size(), "a build")) return true;
    EditBuild build;
    from_json(*object, build);
    assemblies_.erase(build.kernel);  // of the text before
    builds_[whole_field(message, "request")] = std::move(build);
    return true;
  }
  note("a result line without a result");
  return true;
}

bool Run::apply_outcome(const Json& message, const Json& outcome) {
  Series* series = series_of(message);
  if (series == nullptr) return false;
  const auto [request, index] = std::pair(series->request, series->index);
  const std::string kernel = series->kernel;
  std::vector<QualityCheck> received = series->checks;
  from_json(outcome, *series);  // what it does not say stays as it was received
  series->request = request;
  series->index = index;
  list_under_kernel(series, &kernel);
  series->size_param = size_param(series->kernel);
  if (series->checks.empty()) series->checks = std::move(received);
  all_params_.share(&series->params);
  all_reasons_.share(&series->unavailable);
  all_work_.share(&series->work);
  drop_impossible(series);
  if (series->stats && !is_usable(*series->stats)) {
    refuse("statistics of a rung whose median is no time, or outside its interval");
    series->stats.reset();
  }
  touch(series);
  if (!series->is_under_way()) {
    close_series(series, series->status, series->reason);
  }
  return true;
}

bool Run::apply_comparisons(const Json& message, const Json& list) {
  const Request& request = request_of(whole_field(message, "request"));
  for (const Json& element : list) {
    if (!element.is_object() || !has_room(comparisons_.size(), "a comparison")) continue;
    Comparison comparison;
    from_json(element, comparison);
    comparison.request = request.id;
    if (comparison.lab.empty()) comparison.lab = request.lab;
    if (comparison.cache.empty()) comparison.cache = request.cache;
    if (request.budget) comparison.budget = *request.budget;
    all_params_.share(&comparison.baseline_params);
    all_params_.share(&comparison.candidate_params);
    comparison.size_param = size_param(comparison.baseline);
    comparison.verdict = supported_verdict(comparison);
    if (comparison.equal_clock)
      comparison.equal_clock->verdict = supported_verdict(*comparison.equal_clock);
    comparisons_.push_back(std::move(comparison));
  }
  return true;
}

bool Run::apply_ceilings(const Json& list) {
  for (const Json& element : list) {
    Ceiling ceiling;
    from_json(element, ceiling);
    if (!is_usable(ceiling)) {
      refuse("a ceiling without a name or a value above 0");
      continue;
    }
    const auto [known, is_new] = ceiling_by_key_.try_emplace(key_of(ceiling), ceilings_.size());
    if (!is_new) {
      ceilings_[known->second] = std::move(ceiling);
    } else if (has_room(ceilings_.size(), "a ceiling")) {
      ceilings_.push_back(std::move(ceiling));
    } else {
      ceiling_by_key_.erase(known);
    }
  }
  return true;
}

bool Run::apply_estimates(const Json& message, const Json& list) {
  const Request& request = request_of(whole_field(message, "request"));
  if (!estimates_.empty() && estimates_.front().request != request.id) estimates_.clear();
  estimates_around_s_ = number_field(message, "around_s").value_or(0);
  for (const Json& element : list) {
    Estimate estimate;
    estimate.request = request.id;
    const int64_t index = whole_field(element, "series", -1);
    if (index < 0 || index >= kMostSeries || !has_room(estimates_.size(), "an estimate")) continue;
    estimate.series = static_cast<int>(index);
    if (size_t(index) < request.kernels.size()) estimate.kernel = request.kernels[size_t(index)];
    estimate.call_ns = number_field(element, "call_ns").value_or(0);
    estimate.total_s = number_field(element, "total_s").value_or(0);
    estimate.reduced_from = text_field(element, "reduced_from");
    estimate.reason = text_field(element, "reason");
    if (const Json* params = object_field(element, "params")) {
      estimate.params = params_from_json(*params);
    }
    estimates_.push_back(std::move(estimate));
  }
  return true;
}

/// A plane whose cells do not fill its grid could not be drawn: it is left out.
bool Run::apply_inspection(const Json& message, const Json& object) {
  if (!has_room(inspections_.size(), "an inspection")) return true;
  Inspection inspection;
  from_json(object, inspection);
  inspection.request = whole_field(message, "request");
  keep_inside(&inspection);
  const size_t unusable = std::erase_if(
      inspection.planes, [](const InspectionPlane& plane) { return !is_usable(plane); });
  for (size_t i = 0; i < unusable; ++i) refuse("an inspection's plane that fills no grid");
  if (inspection.walk && !is_drawable(*inspection.walk)) {
    refuse("an inspection's walk whose frames do not fit its planes");
    inspection.walk.reset();
  }
  if (inspection.lanes && !is_drawable(*inspection.lanes)) {
    refuse("an inspection's lanes whose spans cannot be read");
    inspection.lanes.reset();
  }
  inspections_.push_back(std::move(inspection));
  return true;
}

bool Run::apply_counts(const Json& message, const Json& object) {
  if (!has_room(counts_.size(), "a rung's counts")) return true;
  KernelCounts counts;
  from_json(object, counts);
  counts.request = whole_field(message, "request");
  const size_t unusable =
      std::erase_if(counts.lines, [](const LineCounts& line) { return !is_usable(line); }) +
      std::erase_if(counts.launches,
                    [](const CountedLaunch& launch) { return !is_usable(launch); }) +
      std::erase_if(counts.steps.requests,
                    [](const WarpRequest& request) { return !is_usable(request); });
  for (size_t i = 0; i < unusable; ++i) refuse("a rung's counts that cannot be right");
  WarpSteps& steps = counts.steps;
  if (steps.requests.size() > kMostWarpRequests) steps.requests.resize(kMostWarpRequests);
  steps.made = std::max<int64_t>(steps.made, std::ssize(steps.requests));
  counts_.push_back(std::move(counts));
  return true;
}

bool Run::apply_error(const Json& message) {
  Error error;
  if (const Json* object = object_field(message, "error")) from_json(*object, error);
  note("error: " + error.sentence());
  if (message.contains("request"))
    request_of(whole_field(message, "request")).error = std::move(error);
  return true;
}

bool Run::apply_done(const Json& message) {
  Request& request = request_of(whole_field(message, "request"));
  const auto status = value_named<RequestStatus>(text_field(message, "status"));
  const bool is_known = status && *status != RequestStatus::open;
  close_request(&request, is_known ? *status : RequestStatus::failed,
                request.error ? request.error->sentence() : "");
  return true;
}

bool Run::apply_fatal(const Json& message) {
  Error error{ErrorCode::worker, "the worker gave up", "", ""};
  if (const Json* object = object_field(message, "error")) from_json(*object, error);
  worker_lost(error.sentence());
  fatal_ = std::move(error);
  return true;
}

}  // namespace ridge
