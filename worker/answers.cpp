#include "worker/answers.h"

#include <algorithm>

#include "common/core/format.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/estimate.h"
#include "common/record/params.h"
#include "common/stats/stats.h"

namespace ridge::worker {
namespace {

/// A window shows some 25 models within 0.3 s of a stroke: single calls beyond the first until one of these is reached.
constexpr int kCalls = 9;
constexpr double kCallsFor_ns = 4e6;
/// Models with their plans that are kept; parameters that change leave others behind.
constexpr size_t kMostReady = 64;

/// The class with the highest score but one, and how far it lies below the highest.
void take_scores(const ItemAnswer& found, ModelAnswer* answer) {
  answer->unit = found.unit, answer->start = found.start;
  std::vector<size_t> order(found.scores.size());
  for (size_t c = 0; c < order.size(); ++c) order[c] = c;
  // The class that was found is the first, though another may tie with it.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const bool is_found = static_cast<int64_t>(a) == found.found;
    if (found.scores[a] != found.scores[b]) return found.scores[a] > found.scores[b];
    return is_found && a != b;
  });
  if (order.size() < 2) return;
  answer->score = found.scores[order[0]];
  answer->runner_up = static_cast<int64_t>(order[1]);
  answer->margin = found.scores[order[0]] - found.scores[order[1]];
}

/// The median of some single calls on the input that lies in the buffers.
Result<void> time_calls(const measure::ReadyRung& rung, ModelAnswer* answer) {
  std::vector<double> times;
  double all_ns = 0;
  while (times.size() < kCalls && all_ns < kCallsFor_ns) {
    RIDGE_TRY(const Sample sample, rung.device->time_latency(rung.plain_side()));
    times.push_back(sample.t_ns);
    all_ns += sample.t_ns;
  }
  answer->call_ns = stats::median(times);
  answer->calls = static_cast<int>(times.size());
  return {};
}

}  // namespace

Result<measure::ReadyRung*> Answers::ready(const Job& job, const std::string& key,
                                           ModelAnswer* answer) {
  measure::ReadyRung* none = nullptr;
  if (const auto found = ready_.find(key); found != ready_.end()) return found->second.get();
  const KernelDesc* kernel = find_kernel(answer->kernel);
  const FamilyDesc* family = find_family(family_of(answer->kernel));
  if (kernel == nullptr || family == nullptr) {
    answer->why = "this rung is no kernel";
    return none;
  }
  const bool trains = job.request.inspect.trains;
  const auto untrained = [&] {
    answer->needs_training = true, answer->why = "not trained yet";
    missing_.insert(key);
    return none;
  };
  if (!trains && missing_.contains(key)) return untrained();
  if (!trains && family->get_ready != nullptr) {
    bool would_train = false;
    const auto got = family->get_ready(job.params, [&](const std::string&, double) {
      would_train = true;
      return false;
    });
    if (would_train) return untrained();
    if (!got) {
      answer->why = got.error().sentence();
      return none;
    }
  }
  if (trains) {
    const auto got = measure::get_ready(*family, job.params, job.index, job.observer);
    if (!got && got.error().code == ErrorCode::cancelled) return got.error();
    if (!got) {
      answer->why = got.error().sentence();
      return none;
    }
  }
  RIDGE_TRY(measure::Device * cpu, job.machine->device(Backend::cpu, 0));
  auto instance = measure::make_instance(*family, job.params, 1, *cpu);
  auto rung = instance ? measure::make_ready(*kernel, cpu, *instance) : instance.error();
  if (!rung) {
    answer->why = rung.error().sentence();
    return none;
  }
  if (ready_.size() >= kMostReady) ready_.clear();
  missing_.erase(key);
  return (ready_[key] = std::make_unique<measure::ReadyRung>(*std::move(rung))).get();
}

Result<ModelAnswer> Answers::of(const Job& job) {
  ModelAnswer answer{.kernel = job.rung->info().id, .params = job.params};
  answer.why = job.rung->cannot();
  if (answer.why.empty() && job.rung->backend() != Backend::cpu)
    answer.why = "answers are asked of the CPU's rungs";
  if (!answer.why.empty()) return answer;
  RIDGE_TRY(measure::ReadyRung * rung,
            ready(job, answer.kernel + " " + to_string(answer.params), &answer));
  if (rung == nullptr) return answer;
  const Problem& problem = *rung->instance->problem;
  const std::vector<uint8_t>& input = job.request.inspect.bytes;
  if (!problem.feed(input, &rung->instance->host)) {
    answer.why = "it takes no input of " + format_count(double(input.size())) + " bytes";
    return answer;
  }
  RIDGE_TRY_VOID(rung->buffers->upload_inputs(*rung->instance));
  RIDGE_TRY_VOID(rung->buffers->poison_outputs());
  RIDGE_TRY_VOID(rung->device->call(rung->plain_side()));
  RIDGE_TRY_VOID(rung->buffers->download_outputs(rung->instance.get()));
  const auto found = problem.answer(rung->instance->host);
  if (!found) {
    answer.why = "it classifies nothing";
    return answer;
  }
  if (!found->is_right) {
    answer.why = "✕ not its definition's answer";
    return answer;
  }
  answer.prediction = found->found;
  take_scores(*found, &answer);
  if (problem.is_emulated()) {
    answer.why = "emulated: it has no speed";
  } else {
    RIDGE_TRY_VOID(time_calls(*rung, &answer));
  }
  return answer;
}

}  // namespace ridge::worker
