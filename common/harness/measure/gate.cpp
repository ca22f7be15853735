#include "common/harness/measure/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "common/harness/quality/quality.h"
#include "common/record/accuracy.h"
#include "common/record/params.h"

namespace ridge::measure {
namespace {

/// The run's choices (dtype, layout ...) hold for the awkward shapes too, and whatever else no shape
/// names: its thread count, or attention's head size.
Params carried_over(const FamilyDesc& family, const std::vector<Params>& shapes,
                    const Params& params) {
  Params carried;
  for (const ParamSpec& spec : family.params()) {
    const auto found = params.find(spec.name);
    if (found == params.end()) continue;
    const bool named = std::any_of(shapes.begin(), shapes.end(),
                                   [&](const Params& shape) { return shape.count(spec.name) > 0; });
    if (spec.is_choice || !named) carried.insert(*found);
  }
  return carried;
}

Result<Params> completed(const FamilyDesc& family, Params shape, const Params& carried) {
  for (const auto& [param, value] : carried) shape[param] = value;
  return resolve_params(family.params(), shape, family.name);
}

/// Keeps the more telling of two checks: one that failed, else the one nearer to its limit.
void keep_worst(QualityCheck* worst, const QualityCheck& next) {
  const int64_t checked = worst->checked + next.checked;
  const auto share = [](const QualityCheck& c) {
    return c.nmse_limit > 0 ? c.nmse / c.nmse_limit : c.worst_bound_share;
  };
  if (worst->what.empty() || !next.passed || share(next) > share(*worst)) *worst = next;
  worst->checked = checked;
}

const char* graded_text(Grading grading) {
  switch (grading) {
    case Grading::mixed:
      return "graded along k, large and small mixed";
    case Grading::geometric:
      return "graded along k, falling";
    case Grading::rows:
      return "graded by rows";
    case Grading::columns:
      return "graded by columns";
  }
  return "graded";
}

/// One kernel's full check, shape by shape. It ends at the first check that fails, which `worst` then is.
class FullCheck {
 public:
  FullCheck(const KernelDesc& kernel, const FamilyDesc& family, const Params& carried,
            uint64_t first_seed, Device* device, const Observer& observer)
      : kernel_(kernel),
        family_(family),
        carried_(carried),
        first_(first_seed),
        device_(device),
        observer_(observer) {}

  Result<QualityCheck> run() {
    const std::vector<Params> shapes = family_.awkward();
    for (size_t i = 0; i < shapes.size(); ++i) {
      RIDGE_TRY_VOID(with_seeds(shapes[i]));
      if (worst_.passed) continue;
      show_more({shapes.begin() + static_cast<std::ptrdiff_t>(i) + 1, shapes.end()});
      return worst_;
    }
    for (const Params& shape :
         family_.graded != nullptr ? family_.graded() : std::vector<Params>()) {
      RIDGE_TRY_VOID(with_gradings(shape));
      if (!worst_.passed) return worst_;
    }
    worst_.what = std::to_string(made_) + " awkward problems" +
                  (graded_ > 0 ? " and " + std::to_string(graded_) + " graded" : "") + ", worst " +
                  worst_.what;
    return worst_;
  }

 private:
  Result<std::shared_ptr<ProblemInstance>> instance_of(const Params& shape) const {
    RIDGE_TRY(const Params complete, completed(family_, shape, carried_));
    return make_instance(family_, complete, first_, *device_);
  }

  Result<void> with_seeds(const Params& shape) {
    RIDGE_TRY(auto instance, instance_of(shape));
    RIDGE_TRY(ReadyRung rung, make_ready(kernel_, device_, instance));
    for (uint64_t seed = first_; seed < first_ + kSeeds; ++seed) {
      if (observer_.cancelled()) return cancelled_error();
      if (seed > first_) {
        instance->generate(seed);
        RIDGE_TRY_VOID(rung.buffers->upload_inputs(*instance));
      }
      const std::string what = to_string(shape) + ", seed " + std::to_string(seed);
      RIDGE_TRY(const QualityCheck check, check_rung(&rung, true, what));
      keep_worst(&worst_, check);
      ++made_;
      if (!check.passed) return {};
    }
    return {};
  }

  /// A single row tells little of what is wrong: the failure is that of the next shape with more rows and columns which
  /// fails too, if there is one.
  void show_more(const std::vector<Params>& shapes) {
    constexpr int64_t kTelling = 8;
    const auto is_telling = [](const QualityCheck& check) {
      return check.errors && std::min(check.errors->rows, check.errors->columns) >= kTelling;
    };
    if (!worst_.errors || is_telling(worst_)) return;
    for (const Params& shape : shapes) {
      if (observer_.cancelled()) return;
      auto instance = instance_of(shape);
      if (!instance) return;
      auto rung = make_ready(kernel_, device_, *instance);
      if (!rung) return;
      const std::string what = to_string(shape) + ", seed " + std::to_string(first_);
      const auto check = check_rung(&*rung, true, what);
      if (!check) return;  // what is known to be wrong is said
      if (check->passed || !is_telling(*check)) continue;
      worst_ = *check;
      return;
    }
  }

  /// Their errors stand for nothing but their class: `worst` stays what random normals made it.
  Result<void> with_gradings(const Params& shape) {
    RIDGE_TRY(auto instance, instance_of(shape));
    std::optional<ReadyRung> rung;
    for (const Grading grading : kGradings) {
      if (observer_.cancelled()) return cancelled_error();
      if (!instance->problem->grade(grading, kernel_.accuracy)) continue;
      instance->generate(first_);
      if (rung && instance->problem->shape().constants == nullptr) {
        RIDGE_TRY_VOID(rung->buffers->upload_inputs(*instance));
      } else {  // a plan may hold what was packed of the constants
        RIDGE_TRY(ReadyRung ready, make_ready(kernel_, device_, instance));
        rung.emplace(std::move(ready));
      }
      RIDGE_TRY(QualityCheck check,
                check_rung(&*rung, true, to_string(shape) + ", " + graded_text(grading)));
      const int64_t checked = worst_.checked + check.checked;
      if (!check.passed) {
        check.reason += "; judged as " + accuracy_text(kernel_.accuracy);
        worst_ = check;
      }
      worst_.checked = checked;
      ++graded_;
      if (!check.passed) return {};
    }
    return {};
  }

  const KernelDesc& kernel_;
  const FamilyDesc& family_;
  const Params& carried_;
  const uint64_t first_;
  Device* device_;
  const Observer& observer_;
  QualityCheck worst_;
  int made_ = 0, graded_ = 0;
};

/// Numbers in every type. Over them a failed call is made again: what it adds to what it finds then differs.
constexpr uint32_t kFirstFill = 0x3f80'3f80, kSecondFill = 0x4080'4080;

/// The outputs of a call over outputs that hold `word`; the inputs' places are empty.
Result<HostBuffers> outputs_over(ReadyRung* rung, uint32_t word) {
  RIDGE_TRY_VOID(rung->buffers->fill_outputs(word));
  RIDGE_TRY_VOID(rung->device->call(rung->plain_side()));
  ProblemInstance& instance = *rung->instance;
  RIDGE_TRY_VOID(rung->buffers->download_outputs(&instance));
  HostBuffers outputs(instance.host.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (instance.specs[i].is_output) outputs[i] = instance.host[i];
  }
  return outputs;
}

/// Elements that are no number because they were made of what the output held before the call.
struct ReadFirst {
  int64_t all = 0;
  int64_t poison = 0;  ///< of them: the sum of a NaN and a number may be that NaN, bit for bit
};

void count_read_first(const BufferSpec& spec, const std::vector<std::byte>& poisoned,
                      const std::vector<std::byte>& first, const std::vector<std::byte>& second,
                      ReadFirst* found) {
  const size_t each = dtype_size(spec.dtype);
  if (each < 2) return;  // no byte of the poison is known again
  const auto holds = [&](const std::vector<std::byte>& data, size_t at, uint32_t word) {
    for (size_t i = 0; i < each; i += 2) {
      if (std::memcmp(&data[at + i], &word, 2) != 0) return false;
    }
    return true;  // both halves of a word are the same
  };
  for (size_t at = 0; at + each <= poisoned.size(); at += each) {
    const auto index = static_cast<int64_t>(at / each);
    if (!std::isnan(quality::load(poisoned.data(), index, spec.dtype))) continue;
    const bool is_left = holds(first, at, kFirstFill) && holds(second, at, kSecondFill);
    if (is_left || std::memcmp(&first[at], &second[at], each) == 0) continue;
    ++found->all;
    found->poison += holds(poisoned, at, quality::kPoison);
  }
}

/// After a call over poison that failed. The outputs of that call are in the instance again when it ends.
Result<ReadFirst> read_before_written(ReadyRung* rung) {
  ProblemInstance& instance = *rung->instance;
  const HostBuffers poisoned = instance.host;
  RIDGE_TRY(const HostBuffers first, outputs_over(rung, kFirstFill));
  RIDGE_TRY(const HostBuffers second, outputs_over(rung, kSecondFill));
  ReadFirst found;
  for (size_t i = 0; i < instance.specs.size(); ++i) {
    const BufferSpec& spec = instance.specs[i];
    if (spec.is_output) count_read_first(spec, poisoned[i], first[i], second[i], &found);
  }
  instance.host = poisoned;
  return found;
}

std::string read_first_text(int64_t elements) {
  return fmt::format(
      "{} of the output {} made of what it held before the call: it was read before "
      "it was set",
      elements == 1 ? "1 element" : fmt::format("{} elements", elements),
      elements == 1 ? "is" : "are");
}

}  // namespace

Result<QualityCheck> check_rung(ReadyRung* rung, bool full, const std::string& what,
                                double* call_s) {
  RIDGE_TRY_VOID(rung->buffers->poison_outputs());
  const auto begin = std::chrono::steady_clock::now();
  RIDGE_TRY_VOID(rung->device->call(rung->plain_side()));
  if (call_s != nullptr) {
    *call_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  RIDGE_TRY_VOID(rung->buffers->download_outputs(rung->instance.get()));
  RIDGE_TRY(const std::string broken, rung->buffers->broken_guard());
  RIDGE_TRY(const bool intact, rung->buffers->inputs_intact(*rung->instance));

  int64_t unwritten = 0;
  for (size_t i = 0; i < rung->instance->specs.size(); ++i) {
    const BufferSpec& spec = rung->instance->specs[i];
    if (spec.is_output) unwritten += quality::count_poison(rung->instance->host[i], spec.dtype);
  }
  QualityCheck check =
      rung->instance->problem->check(rung->instance->host, full, rung->instance->seed);
  check.what = what;
  ReadFirst read;
  if (broken.empty() && (unwritten > 0 || check.nan_count > 0)) {
    RIDGE_TRY(read, read_before_written(rung));
  }
  quality::apply_guards(&check, unwritten - read.poison, broken.empty());
  if (read.all > 0 && check.unwritten_count == 0) check.reason = read_first_text(read.all);
  // Damage outside the output explains more than a wrong value does.
  if (!intact) {
    check.passed = false;
    check.reason = "changed its inputs";
  }
  if (!broken.empty()) check.reason = "wrote outside buffer " + broken;
  return check;
}

Result<std::vector<Params>> awkward_problems(const FamilyDesc& family, const Params& params) {
  std::vector<Params> all;
  if (family.awkward == nullptr) return all;
  const std::vector<Params> shapes = family.awkward();
  const Params carried = carried_over(family, shapes, params);
  for (const Params& shape : shapes) {
    RIDGE_TRY(all.emplace_back(), completed(family, shape, carried));
  }
  return all;
}

Result<QualityCheck> FullChecks::get(const KernelDesc& kernel, const FamilyDesc& family,
                                     const Params& params, Device* device,
                                     const Observer& observer) {
  const Params carried = carried_over(family, family.awkward(), params);
  const std::string key = std::string(kernel.id) + " " + to_string(carried);
  if (const auto found = done_.find(key); found != done_.end()) return found->second;

  const uint64_t first = of_edits ? std::random_device()() : 1;
  FullCheck full(kernel, family, carried, first, device, observer);
  RIDGE_TRY(const QualityCheck worst, full.run());
  return done_[key] = worst;
}

}  // namespace ridge::measure
