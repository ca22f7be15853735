#include "worker/edit/witness.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "common/core/format.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/child.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/quality/quality.h"
#include "common/record/believable.h"
#include "common/record/derive.h"
#include "common/record/json.h"
#include "common/record/params.h"

namespace ridge::worker {
namespace {

using measure::ProblemInstance;

constexpr int kMemoryFd = 4;  // of a measure::Child
constexpr size_t kMostBytes = size_t{64} << 20;
/// Calls in a row: so many that the way to the process and back is short beside them.
constexpr double kLookNs = 2e6, kWayNs = 3e5;
constexpr int kMostCalls = 8, kLooks = 5;
/// A claim may be so much better than what was seen; from this much on it is false.
constexpr double kBetter = 1.25, kFalse = 4;
constexpr const char* kShorter =
    "its calls are shorter than the way of their buffers to the process that sees them";
constexpr double kPatienceNs = 1e10, kIdleFactor = 4;

/// Where each buffer of each call lies in the shared memory.
struct Layout {
  explicit Layout(const std::vector<BufferSpec>& specs) {
    for (const BufferSpec& spec : specs) {
      offsets.push_back(bytes);
      bytes += (spec.bytes + 255) / 256 * 256;
    }
  }
  std::byte* at(std::byte* memory, int call, size_t buffer) const {
    return memory + static_cast<size_t>(call) * bytes + offsets[buffer];
  }
  std::vector<size_t> offsets;
  size_t bytes = 0;  ///< of one call
};

double now_ns() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
}

/// Of this thread: what others do meanwhile is not in it.
double own_cpu_ns() {
  timespec t = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

// ---- the worker's side ---------------------------------------------------------------------------

/// What it answers. Errors: invalid, it did not; cancelled.
Result<Json> answer_of(measure::Child* child, const Json& question,
                       const measure::Observer& observer) {
  const double start_ns = now_ns(), start_cpu_ns = child->cpu_ns();
  child->send(dump_json(question));
  while (!child->speaks_within(0.05)) {
    if (observer.cancelled()) {
      child->give_up("cancelled");
      return measure::cancelled_error();
    }
    const bool computes = child->cpu_ns() - start_cpu_ns > kPatienceNs;
    if (computes || now_ns() - start_ns > kIdleFactor * kPatienceNs)
      return child->give_up("it gave no sign for 10 s: an endless loop?");
  }
  RIDGE_TRY(const std::string line, child->receive());
  RIDGE_TRY(Json answer, parse_json(line, "the edited rung's answer"));
  if (const Json* object = object_field(answer, "error")) {
    Error error;
    from_json(*object, error);
    const bool is_end = error.code == ErrorCode::worker;
    return Error{is_end ? ErrorCode::invalid : error.code, error.sentence(), "", ""};
  }
  return answer;
}

/// What was seen of some calls in a row.
struct Look {
  /// Of all of them, by the worker's clock; or their CPU time shared by their threads, where that is less: on a busy
  /// machine a process waits for its turn.
  double seen_ns = 0;
  double copy_ns = 0;  ///< of their buffers into the shared memory, by the worker
  double own_ns = 0;   ///< of one, by the clock of its own process
  QualityCheck check;  ///< the worst of their outputs
};

class Witness {
 public:
  Witness(measure::Child* child, std::shared_ptr<ProblemInstance> instance, int calls)
      : child_(child),
        instance_(std::move(instance)),
        layout_(instance_->specs),
        calls_(calls),
        threads_(std::max(1, instance_->problem->shape().threads)) {}

  Result<void> begin(const Series& series, const measure::Observer& observer) {
    RIDGE_TRY(memory_, child_->memory(layout_.bytes * static_cast<size_t>(calls_)));
    RIDGE_TRY_VOID(answer_of(child_,
                             {{"kernel", series.kernel},
                              {"params", params_to_json(series.params)},
                              {"bytes", layout_.bytes * static_cast<size_t>(calls_)}},
                             observer));
    return {};
  }

  Result<Look> look(const measure::Observer& observer) {
    Look look;
    const uint64_t first = (uint64_t{random_()} << 32) | random_();
    for (int call = 0; call < calls_; ++call) pose(first, call, &look);
    const double start_ns = now_ns(), start_cpu_ns = child_->cpu_ns();
    RIDGE_TRY(const Json answer, answer_of(child_, {{"calls", calls_}}, observer));
    look.seen_ns = std::min(now_ns() - start_ns, (child_->cpu_ns() - start_cpu_ns) / threads_);
    look.own_ns = number_field(answer, "own_ns").value_or(0);
    take_outputs();  // at once: what a thread writes later is not there
    for (int call = 0; call < calls_; ++call) judge(first, call, &look);
    return look;
  }

 private:
  void pose(uint64_t first, int call, Look* look) {
    instance_->generate(first + static_cast<uint64_t>(call));
    const double start_ns = own_cpu_ns();
    for (size_t i = 0; i < instance_->specs.size(); ++i) {
      const BufferSpec& spec = instance_->specs[i];
      std::byte* to = layout_.at(memory_, call, i);
      if (!spec.is_output) {
        std::memcpy(to, instance_->host[i].data(), spec.bytes);
        continue;
      }
      for (size_t at = 0; at < spec.bytes; at += sizeof quality::kPoison)
        std::memcpy(to + at, &quality::kPoison, std::min(sizeof quality::kPoison, spec.bytes - at));
    }
    look->copy_ns += own_cpu_ns() - start_ns;
  }

  void take_outputs() {
    outputs_.assign(static_cast<size_t>(calls_), HostBuffers(instance_->specs.size()));
    for (int call = 0; call < calls_; ++call) {
      for (size_t i = 0; i < instance_->specs.size(); ++i) {
        if (!instance_->specs[i].is_output) continue;
        const std::byte* from = layout_.at(memory_, call, i);
        outputs_[static_cast<size_t>(call)][i].assign(from, from + instance_->specs[i].bytes);
      }
    }
  }

  void judge(uint64_t first, int call, Look* look) {
    instance_->generate(first +
                        static_cast<uint64_t>(call));  // its own: those shared may be changed
    int64_t unwritten = 0;
    for (size_t i = 0; i < instance_->specs.size(); ++i) {
      if (!instance_->specs[i].is_output) continue;
      instance_->host[i] = outputs_[static_cast<size_t>(call)][i];
      unwritten += quality::count_poison(instance_->host[i], instance_->specs[i].dtype);
    }
    QualityCheck check = instance_->problem->check(instance_->host, false, instance_->seed);
    quality::apply_guards(&check, unwritten, true);
    if (call == 0 || (look->check.passed && (!check.passed || check.nmse > look->check.nmse)))
      look->check = std::move(check);
  }

  measure::Child* child_;
  std::shared_ptr<ProblemInstance> instance_;
  Layout layout_;
  int calls_, threads_;
  std::byte* memory_ = nullptr;
  std::vector<HostBuffers> outputs_;
  std::random_device random_;
};

int calls_of(double call_ns, size_t bytes) {
  const auto fitting = static_cast<double>(kMostBytes / std::max<size_t>(bytes, 1));
  return static_cast<int>(
      std::clamp(kLookNs / call_ns, 1.0, std::clamp(fitting, 1.0, 1.0 * kMostCalls)));
}

std::string slower_text(double seen_ns, double said_ns) {
  return fmt::format("on inputs that it had not seen a call took {}, and it said {}",
                     format_time_ns(seen_ns), format_time_ns(said_ns));
}

/// Holds what a series says to what was seen of `calls` calls. Empty: it is borne out; else why it is claimed. Error
/// invalid: it is false.
Result<std::string> compare_with(const Look& look, int calls, bool is_cpu, double said_ns) {
  if (!is_cpu) {  // a GPU's calls end where only their own process sees it
    constexpr double kLaunchNs = 1e5;
    if (look.own_ns > kFalse * said_ns + kLaunchNs)
      return Error{ErrorCode::invalid, slower_text(look.own_ns, said_ns), "", ""};
    return std::string("when a GPU's call ends, its own process alone can see");
  }
  const double said = said_ns * calls, spent = 2 * look.copy_ns + kWayNs;
  if (look.seen_ns > spent + kFalse * said)
    return Error{ErrorCode::invalid, slower_text((look.seen_ns - spent) / calls, said_ns), "", ""};
  if (look.seen_ns > spent + kBetter * said)
    return slower_text((look.seen_ns - spent) / calls, said_ns);
  if (spent > said) return std::string(kShorter);
  return std::string();
}

Result<std::shared_ptr<ProblemInstance>> instance_of(const Series& series) {
  const FamilyDesc* family = find_family(family_of(series.kernel));
  if (family == nullptr)
    return Error{ErrorCode::unavailable, "its family is not in this worker", "", ""};
  RIDGE_TRY(const auto cpu, measure::make_cpu_device());
  return measure::make_instance(*family, series.params, std::random_device()(), *cpu);
}

}  // namespace

Result<void> witness(const std::vector<std::string>& program, const std::function<void()>& load,
                     int index, measure::Observer* observer, Series* series) {
  const bool is_cpu = backend_of(series->kernel) == Backend::cpu;
  measure::Child child("the edited rung", program, {}, !is_cpu);
  load();
  child.send("");
  RIDGE_TRY(auto instance, instance_of(*series));
  const double said_ns = series->stats->median_ns;
  const int calls = calls_of(said_ns, instance->bytes());
  Witness witness(&child, std::move(instance), calls);
  RIDGE_TRY_VOID(witness.begin(*series, *observer));
  Result<std::string> claimed = std::string();
  Look fastest;
  QualityCheck worst;
  for (int i = 0; i < kLooks; ++i) {  // the first may have met others' work
    observer->phase(index, {.phase = "check", .text = "checking it from outside, on new inputs"});
    RIDGE_TRY(const Look look, witness.look(*observer));
    if (!look.check.passed) {
      return Error{ErrorCode::invalid, "on inputs that it had not seen: " + look.check.reason, "",
                   ""};
    }
    if (i == 0 || look.check.nmse > worst.nmse) worst = look.check;
    if (i == 0 || look.seen_ns < fastest.seen_ns) fastest = look;
    claimed = compare_with(fastest, calls, is_cpu, said_ns);
    const bool may_change = is_cpu && (!claimed || *claimed != kShorter);
    if ((claimed && claimed->empty()) || !may_change) break;
  }
  RIDGE_TRY(const std::string why, claimed);
  worst.what = fmt::format("{}: {} on new inputs", kWitnessed, calls == 1 ? "a call" : "calls");
  worst.right.clear();
  worst.task.clear();
  series->checks.insert(series->checks.begin(), worst);
  if (!why.empty()) series->unavailable[kClaimed] = why;
  return {};
}

std::optional<double> own_call_s(const Series& series, const measure::Observer& observer) {
  const KernelDesc* kernel = find_kernel(series.kernel);
  auto cpu = measure::make_cpu_device();
  if (kernel == nullptr || kernel->backend != Backend::cpu || kernel->time_calls || !cpu)
    return std::nullopt;
  auto instance = instance_of(series);
  if (!instance) return std::nullopt;
  auto rung = measure::make_ready(*kernel, cpu->get(), *instance);
  if (!rung) return std::nullopt;
  double least_ns = INFINITY;
  const double start_ns = now_ns();
  for (int i = 0; i < 20 && now_ns() - start_ns < 3e8 && !observer.cancelled(); ++i) {
    const auto sample = (*cpu)->time_latency(rung->plain_side());
    if (!sample) return std::nullopt;
    least_ns = std::min(least_ns, sample->t_ns);
  }
  if (!std::isfinite(least_ns)) return std::nullopt;
  return 1e-9 * least_ns;
}

// ---- the rung's side -----------------------------------------------------------------------------

namespace {

/// The rung made ready on the problem, and the memory that is shared.
class Served {
 public:
  Result<Json> answer(const Json& question) {
    if (text_field(question, "kernel").empty())
      return make_calls(static_cast<int>(whole_field(question, "calls")));
    RIDGE_TRY_VOID(prepare(question));
    return Json{{"ready", true}};
  }

 private:
  Result<void> prepare(const Json& question) {
    const KernelDesc* kernel = find_kernel(text_field(question, "kernel"));
    const FamilyDesc* family = find_family(family_of(text_field(question, "kernel")));
    const Json* given = object_field(question, "params");
    if (kernel == nullptr || family == nullptr || given == nullptr)
      return Error{ErrorCode::invalid, "it is not here", "", ""};
    const Params params = params_from_json(*given);
    RIDGE_TRY(device_, kernel->backend == Backend::cpu ? measure::make_cpu_device()
                                                       : measure::make_cuda_device(0));
    RIDGE_TRY(auto instance, measure::make_instance(*family, params, 1, *device_));
    RIDGE_TRY(auto rung, measure::make_ready(*kernel, device_.get(), instance));
    rung_ = std::make_unique<measure::ReadyRung>(std::move(rung));
    layout_ = std::make_unique<Layout>(instance->specs);
    void* mapped = mmap(nullptr, static_cast<size_t>(whole_field(question, "bytes")),
                        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, kMemoryFd, 0);
    if (mapped == MAP_FAILED) return Error{ErrorCode::invalid, "no memory is shared", "", ""};
    memory_ = static_cast<std::byte*>(mapped);
    return {};
  }

  Result<Json> make_calls(int calls) {
    const auto& specs = rung_->instance->specs;
    const measure::Side side = rung_->plain_side();
    double own_ns = INFINITY;
    for (int call = 0; call < calls; ++call) {
      for (size_t i = 0; i < specs.size(); ++i) {
        RIDGE_TRY_VOID(device_->upload(rung_->buffers->pointers()[i], layout_->at(memory_, call, i),
                                       specs[i].bytes));
      }
      RIDGE_TRY(const Sample sample, device_->time_latency(side));
      own_ns = std::min(own_ns, sample.t_ns);
      for (size_t i = 0; i < specs.size(); ++i) {
        if (!specs[i].is_output) continue;
        RIDGE_TRY_VOID(device_->download(layout_->at(memory_, call, i),
                                         rung_->buffers->pointers()[i], specs[i].bytes));
      }
    }
    return Json{{"own_ns", own_ns}};
  }

  std::unique_ptr<measure::Device> device_;
  std::unique_ptr<measure::ReadyRung> rung_;
  std::unique_ptr<Layout> layout_;
  std::byte* memory_ = nullptr;
};

}  // namespace

int serve_witness(int in_fd, int out_fd) {
  Served served;
  for (;;) {
    const auto line = line_from(in_fd);
    if (!line) return 0;
    Result<Json> answer = parse_json(*line, "a question");
    if (answer) answer = served.answer(*answer);
    const std::string text =
        dump_json(answer ? *answer : Json{{"error", Json(answer.error())}}) + "\n";
    if (write(out_fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) return 70;
  }
}

}  // namespace ridge::worker
