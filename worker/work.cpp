#include "worker/work.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/environment.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/range.h"
#include "common/record/params.h"
#include "common/record/ratio_text.h"
#include "worker/catalogue.h"
#include "worker/counting.h"
#include "worker/edit/loading.h"
#include "worker/emulated/counted_call.h"

namespace ridge::worker {
namespace {

/// "fp16" of a rung's text that registers .dtypes = "fp16 bf16"; empty: it names none.
std::string first_dtype(std::string_view text) {
  constexpr std::string_view kNames = ".dtypes = \"";
  const size_t at = text.find(kNames);
  if (at == text.npos) return "";
  const size_t begin = at + kNames.size();
  return std::string(text.substr(begin, text.find_first_of(" \"", begin) - begin));
}

using measure::Device;

constexpr double kQuietWindow_s = 0.2, kStaleWindow_s = 60;

}  // namespace

Work::Work(Emitter* emitter, bool runs_commands)
    : emitter_(emitter), catalogue_(catalogue(machine_)), runs_commands_(runs_commands) {
  machine_.bench.full_checks.of_edits = !loaded_kernels().empty();
  machine_.bench.instance = std::move(instance_ahead());
}

const Rung* Work::rung(std::string_view id) const {
  for (const auto& one : catalogue_) {
    if (one->info().id == id) return one.get();
  }
  return nullptr;
}

Job Work::job(const WorkRequest& request, const std::vector<Asked>& asked, size_t index,
              LineObserver* observer) {
  return {request,  asked[index].params, static_cast<int>(index), &machine_,
          observer, asked[index].rung};
}

// ---- finding what was asked for ------------------------------------------------------------------

Result<Work::Asked> Work::find(const KernelRequest& request) const {
  const Rung* found = rung(request.kernel);
  if (found == nullptr) {
    return Error{ErrorCode::usage, "no rung is called '" + request.kernel + "'", "kernels",
                 "`list` names those of this worker"};
  }
  Asked asked{.rung = found};
  RIDGE_TRY(asked.params,
            resolve_params(found->info().params, request.params, found->info().family));
  return asked;
}

/// What a person typed on a command line, and nothing else, reaches a worker that runs commands: `ridgepoint compare`
/// starts one for it. The window's worker and a replay have none.
Result<Work::Asked> Work::find_command(const KernelRequest& request) {
  if (!runs_commands_) {
    return Error{ErrorCode::unavailable, "this worker runs no commands", "",
                 "start it as ridgepoint-worker --commands; 'ridgepoint compare' does"};
  }
  RIDGE_TRY(auto command, command_rung(request));
  commands_.push_back(std::move(command));
  return Asked{.rung = commands_.back().get(), .params = {}};
}

Result<std::vector<Work::Asked>> Work::find_all(const WorkRequest& request) {
  std::vector<Asked> all;
  commands_.clear();
  for (const KernelRequest& entry : request.kernels) {
    RIDGE_TRY(Asked asked, entry.command.empty() ? find(entry) : find_command(entry));
    all.push_back(std::move(asked));
  }
  return all;
}

// ---- environment ----------------------------------------------------------------------------------

void Work::send_environment(int64_t request, const char* when, const measure::ForeignLoad& load) {
  Environment environment = measure::read_environment();
  environment.quiet = measure::judge_quiet(environment, load.cpus(), machine_.disturbances());
  emitter_->emit("env", {{"request", request}, {"when", when}, {"environment", environment}});
}

// ---- requests ------------------------------------------------------------------------------------

Result<void> Work::carry_out(const WorkRequest& request, std::function<bool()> cancelled) {
  RIDGE_TRY(auto asked, find_all(request));
  const measure::Range range((request.lab.empty() ? to_string(request.type) : request.lab).c_str());
  LineObserver observer(emitter_, request.id, std::move(cancelled));
  if (request.type == RequestType::probe && !asked.empty())
    return estimate(request, asked, &observer);
  if (request.inspect.answers) return answer(request, asked, &observer);
  answers_.forget_missing();
  if (request.type == RequestType::inspect) return inspect(request, asked.front(), &observer);
  if (request.type == RequestType::count) return count_call(request, asked.front(), &observer);

  Device* gpu = nullptr;
  for (const Asked& one : asked) {
    const bool runs_on_gpu = one.rung->backend() == Backend::cuda && one.rung->cannot().empty();
    if (!runs_on_gpu) continue;
    // Made now, so that the quiet check can ask it and its start-up is over before anything is timed.
    RIDGE_TRY(gpu, machine_.device(Backend::cuda, request.device));
  }
  RIDGE_TRY_VOID(look_for_room(request, &asked, &observer));
  if (loaded_kernels().empty()) observer.start_telemetry(gpu);
  // A parameter that was let go is to run within 150 ms: live, the window that is looked at began with the
  // request before, and nothing is waited for.
  // Nor in the worker of a learner's rung: the worker that started it has judged. A point of a sweep follows
  // another: it waits for nothing, and a window lasts over as many points as make it long enough.
  const bool follows = !request.point.empty() && load_.window_s() <= kStaleWindow_s;
  const bool is_live = request.mode == RunMode::live && load_.window_s() <= kStaleWindow_s;
  if (!is_live && !follows) load_.start();
  const double missing_s = std::max(0.0, kQuietWindow_s - load_.window_s());
  if (loaded_kernels().empty() && !follows)
    std::this_thread::sleep_for(std::chrono::duration<double>(missing_s));
  send_environment(request.id, "before", load_);
  if (!follows || missing_s == 0) load_.start();
  if (request.type == RequestType::probe) return ceilings(request, asked, &observer);
  const auto outcome = request.type == RequestType::run     ? run(request, asked, &observer)
                       : request.type == RequestType::serve ? serve(request, asked, &observer)
                                                            : compare(request, asked, &observer);
  // Ceilings come after results: those are what somebody is waiting for. A run has measured them itself, after its first
  // ones. A side that has passed a ceiling has it measured again before anybody judges by it, and where nothing was
  // verified, none is needed.
  const bool passed = std::any_of(ceilings_.begin(), ceilings_.end(),
                                  [&](const auto& of) { return is_passed(of.second); });
  const bool is_late = request.type != RequestType::run && outcome && *outcome;
  if (outcome && (passed || is_late)) RIDGE_TRY_VOID(ceilings(request, asked, &observer));
  if (outcome || outcome.error().code != ErrorCode::worker) {
    send_environment(request.id, "after", load_);
  }
  if (!outcome) return outcome.error();
  return {};
}

/// A size that is too large is a slip of the finger: it is refused before ceilings are measured for it.
Result<void> Work::look_for_room(const WorkRequest& request, std::vector<Asked>* asked,
                                 LineObserver* observer) {
  for (size_t i = 0; i < asked->size(); ++i) {
    Asked& one = (*asked)[i];
    if (!one.rung->cannot().empty()) continue;
    const auto room = one.rung->has_room(job(request, *asked, i, observer));
    if (!room && request.type != RequestType::run) return room.error();
    one.has_room = room.ok();
  }
  return {};
}

void Work::send_outcome(const WorkRequest& request, Series series) {
  series.request = request.id;
  series.lab = request.lab;
  if (const Rung* measured = rung(series.kernel)) series.hash = measured->info().hash;
  note_reached(series, request.device);
  emitter_->emit("result",
                 {{"request", request.id}, {"series", series.index}, {"outcome", Json(series)}});
}

Result<bool> Work::run(const WorkRequest& request, const std::vector<Asked>& asked,
                       LineObserver* observer) {
  std::vector<Series> to_count;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (between_rungs_) between_rungs_();
    if (observer->cancelled()) return measure::cancelled_error();
    const Rung& one = *asked[i].rung;
    const Job part = job(request, asked, i, observer);
    const std::string cannot = one.cannot();
    RIDGE_TRY(Series series, cannot.empty() ? one.measure(part)
                                            : Result<Series>(skipped_series(one, part, cannot)));
    const bool cancelled = series.status == SeriesStatus::cancelled;
    if (request.counters && one.is_counted_apart() && series.status == SeriesStatus::ok) {
      to_count.push_back(series);
    }
    send_outcome(request, std::move(series));
    if (cancelled) return measure::cancelled_error();
    if (i + 1 == std::min(kResultsBeforeCeilings, asked.size()))
      RIDGE_TRY_VOID(ceilings(request, asked, observer,
                              i + 1 < asked.size() ? Settling::doubts : Settling::again));
  }
  // The later rungs are the fast ones: where one has passed a ceiling, that is measured again.
  if (asked.size() > kResultsBeforeCeilings) RIDGE_TRY_VOID(ceilings(request, asked, observer));
  if (!to_count.empty()) count(request, std::move(to_count), observer);
  return true;
}

void Work::count(const WorkRequest& request, std::vector<Series> measured, LineObserver* observer) {
  std::vector<Counted> counted = count_elsewhere(request, measured, observer);
  for (size_t i = 0; i < measured.size(); ++i) {
    measured[i].counters = std::move(counted[i].counters);
    measured[i].unavailable["counters"] = counted[i].reason;
    if (!measured[i].counters.empty()) measured[i].unavailable.erase("counters");
    send_outcome(request, std::move(measured[i]));
  }
}

Result<bool> Work::compare(const WorkRequest& request, const std::vector<Asked>& asked,
                           LineObserver* observer) {
  std::vector<Job> jobs;
  const Rung& first = *asked.front().rung;
  const Rung* lead = &first;
  for (size_t i = 0; i < asked.size(); ++i) {
    const Rung& one = *asked[i].rung;
    if (one.info().kind != first.info().kind) {
      return Error{
          ErrorCode::usage,
          "a " + one.info().kind.text() + " is not compared with a " + first.info().kind.text(),
          one.info().id, "name rungs of one kind"};
    }
    if (const std::string cannot = one.cannot(); !cannot.empty())
      return Error{ErrorCode::unavailable, cannot, one.info().id, ""};
    if (one.carries_comparison()) lead = &one;
    jobs.push_back(job(request, asked, i, observer));
  }
  if (request.rounds && first.info().kind == RungKind::training) return rounds_of_trainings();
  if (!request.pairs.empty() && first.info().kind != RungKind::kernel) {
    return Error{ErrorCode::usage,
                 "pairs are of kernels, and this is a " + first.info().kind.text(), first.info().id,
                 "leave pairs out: each candidate is compared with the baseline"};
  }
  // Whether a kernel's check reports an accuracy is known when it has run.
  if (const auto kind = first.info().kind.value())
    RIDGE_TRY_VOID(check_budget(request.budget, *kind, true));
  RIDGE_TRY(measure::CompareOutcome outcome, lead->compare(jobs));
  const bool cancelled = outcome.cancelled;
  const bool has_speed = std::any_of(outcome.series.begin(), outcome.series.end(),
                                     [](const Series& one) { return one.may_show_speed(); });
  send_comparisons(request, std::move(outcome));
  if (cancelled) return measure::cancelled_error();
  return has_speed;
}

void Work::send_comparisons(const WorkRequest& request, measure::CompareOutcome outcome) {
  for (Series& series : outcome.series) send_outcome(request, std::move(series));
  Json list = Json::array();
  for (Comparison& comparison : outcome.comparisons) {
    comparison.request = request.id;
    comparison.lab = request.lab;
    list.push_back(comparison);
  }
  emitter_->emit("result", {{"request", request.id}, {"comparisons", list}});
}

Result<void> Work::estimate(const WorkRequest& request, const std::vector<Asked>& asked,
                            LineObserver* observer) {
  Json list = Json::array();
  for (size_t i = 0; i < asked.size(); ++i) {
    if (between_rungs_) between_rungs_();
    if (observer->cancelled()) return measure::cancelled_error();
    const Rung& one = *asked[i].rung;
    Json entry = {{"series", i}, {"params", params_to_json(asked[i].params)}};
    Estimated estimated{.reason = one.cannot()};
    if (estimated.reason.empty()) {
      RIDGE_TRY(estimated, one.estimate(job(request, asked, i, observer)));
    }
    if (estimated.reason.empty()) {
      entry["call_ns"] = estimated.call.call_ns;
      entry["total_s"] = estimated.total_s;
      entry["reduced_from"] = estimated.call.reduced_from;
      entry["params"] = params_to_json(estimated.call.params);
    } else {
      entry["reason"] = estimated.reason;
    }
    list.push_back(std::move(entry));
  }
  constexpr double kQuiet_s = 2 * kQuietWindow_s;  // before and after
  emitter_->emit("result", {{"request", request.id},
                            {"estimates", list},
                            {"around_s", kQuiet_s + ceilings_left_s(request, asked)}});
  return {};
}

Result<bool> Work::serve(const WorkRequest& request, const std::vector<Asked>& asked,
                         LineObserver* observer) {
  const Rung& one = *asked.front().rung;
  if (const std::string cannot = one.cannot(); !cannot.empty())
    return Error{ErrorCode::unavailable, cannot, one.info().id, ""};
  RIDGE_TRY(Serving found, one.serve(job(request, asked, 0, observer)));
  found.request = request.id;
  emitter_->emit("result", {{"request", request.id}, {"serving", found}});
  return true;
}

Result<void> Work::count_call(const WorkRequest& request, const Asked& asked,
                              LineObserver* observer) {
  const KernelRequest& given = request.kernels.front();
  const FamilyDesc* family = find_family(family_of(given.kernel));
  if (family == nullptr || asked.rung->info().kind != RungKind::kernel)
    return Error{ErrorCode::usage, "only a kernel is counted", given.kernel,
                 "name a CUDA rung, gemm.cuda.naive for instance"};
  const bool has_size = std::any_of(given.params.begin(), given.params.end(), [](const auto& one) {
    return std::holds_alternative<int64_t>(one.second);
  });
  Params params = asked.params;
  // What it computes in is known where it was compiled; else its text says it.
  const KernelSource* source = find_source(std::string(original_of(given.kernel)));
  const std::string dtype = source != nullptr ? first_dtype(source->text) : "";
  if (!dtype.empty() && params.contains("dtype") && !given.params.contains("dtype"))
    params["dtype"] = dtype;
  if (!has_size) {
    RIDGE_TRY(params, countable(*family, params));
  }
  RIDGE_TRY(const KernelCounts counts, counted_call(given.kernel, request.text, params, observer));
  emitter_->emit("result", {{"request", request.id}, {"counts", counts}});
  return {};
}

/// What the stamps cost is measured, so the environment belongs to it.
Result<void> Work::inspect_lanes(const WorkRequest& request, const KernelInfo& rung,
                                 const FamilyDesc& family, LineObserver* observer) {
  if (const std::string why = no_lanes_of(rung); !why.empty())
    return Error{ErrorCode::unavailable, "its warps cannot be stamped here: " + why, rung.id, ""};
  RIDGE_TRY(measure::Device * gpu, machine_.device(Backend::cuda, request.device));
  send_environment(request.id, "before", load_);
  load_.start();
  RIDGE_TRY(Inspection found, look_at_lanes(rung, family, request.kernels.front().params,
                                            &machine_.bench, gpu, observer));
  found.request = request.id;
  emitter_->emit("result", {{"request", request.id}, {"inspection", found}});
  send_environment(request.id, "after", load_);
  return {};
}

Result<void> Work::answer(const WorkRequest& request, const std::vector<Asked>& asked,
                          LineObserver* observer) {
  Inspection found{.request = request.id, .kernel = request.kernels.front().kernel};
  found.params = asked.front().params;
  found.of = "answers";
  const std::vector<uint8_t>& input = request.inspect.bytes;
  if (input.empty())
    return Error{ErrorCode::usage, "there is no input to answer to", "input",
                 "give its bytes, row by row"};
  found.bytes.assign(input.begin(), input.end());
  for (size_t i = 0; i < asked.size(); ++i) {
    if (observer->cancelled()) return measure::cancelled_error();
    RIDGE_TRY(ModelAnswer one, answers_.of(job(request, asked, i, observer)));
    found.answers.push_back(std::move(one));
  }
  emitter_->emit("result", {{"request", request.id}, {"inspection", found}});
  return {};
}

/// The walk of the rung itself, where its family is watched by its accesses; else the model, which is its family's: of
/// a rung that cannot run here too.
Result<void> Work::inspect(const WorkRequest& request, const Asked& asked, LineObserver* observer) {
  const std::string& kernel = request.kernels.front().kernel;
  const FamilyDesc* family = find_family(family_of(kernel));
  const KernelInfo& info = asked.rung->info();
  if (family != nullptr && info.stamped) return inspect_lanes(request, info, *family, observer);
  if (family != nullptr && family->walk != nullptr) {
    const std::string cannot = asked.rung->cannot();
    const bool is_cpu = asked.rung->backend() == Backend::cpu;
    if (is_cpu && !cannot.empty()) return Error{ErrorCode::unavailable, cannot, kernel, ""};
    RIDGE_TRY(measure::Device * cpu, machine_.device(Backend::cpu, 0));
    RIDGE_TRY(Inspection found,
              walks_.look(asked.rung->info(), *family, request.kernels.front().params,
                          request.inspect, cpu, observer));
    found.request = request.id;
    emitter_->emit("result", {{"request", request.id}, {"inspection", found}});
    return {};
  }
  if (family == nullptr || family->inspect == nullptr) {
    return Error{ErrorCode::unavailable, "this rung has no model to look into", kernel, ""};
  }
  RIDGE_TRY_VOID(measure::get_ready(*family, asked.params, 0, observer));
  RIDGE_TRY(Inspection found, family->inspect(asked.params, request.inspect));
  found.request = request.id, found.kernel = kernel, found.params = asked.params;
  emitter_->emit("result", {{"request", request.id}, {"inspection", found}});
  return {};
}

}  // namespace ridge::worker
