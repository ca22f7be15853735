// A kernel made ready on one concrete problem: inputs, device buffers between guard words, and its
// plan. Everything here is untimed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/family.h"
#include "common/harness/measure/device.h"

namespace ridge::measure {

/// Owns a plan; frees it with the kernel's own function.
class PlanOwner {
 public:
  PlanOwner() = default;
  PlanOwner(PlanOwner&& other) noexcept : plan(other.plan) { other.plan = {}; }
  PlanOwner& operator=(PlanOwner&&) = delete;
  ~PlanOwner() {
    if (plan.release != nullptr && plan.state != nullptr) plan.release(plan.state);
  }
  Plan plan;
};

/// A problem with generated inputs on the host.
struct ProblemInstance {
  std::unique_ptr<Problem> problem;
  std::vector<BufferSpec> specs;
  HostBuffers host;  ///< inputs as generated; outputs hold whatever was downloaded last
  uint64_t seed = 0;

  size_t bytes() const;
  size_t output_bytes() const;
  /// Fills in the work of one call.
  void describe(Series* series) const;
  /// Makes other inputs of the same shape.
  void generate(uint64_t new_seed);
};

/// Whether the problem's buffers fit: the generated copy on the host, and the device's own. The Error
/// (unavailable) names the bytes needed and free, and a size that fits.
Result<void> check_memory(const FamilyDesc& family, const Params& params, const Problem& problem,
                          const Device& device);

/// Fails when the family refuses `params`, or where host memory (and, on the CPU, the device's
/// copies) would not fit: Error unavailable, naming the bytes.
Result<std::shared_ptr<ProblemInstance>> make_instance(const FamilyDesc& family,
                                                       const Params& params, uint64_t seed,
                                                       const Device& device);

/// Device buffers of one problem, each between two guards of quality::kGuardBytes.
class BufferSet {
 public:
  static Result<std::shared_ptr<BufferSet>> make(Device* device,
                                                 const std::vector<BufferSpec>& specs);
  ~BufferSet();
  BufferSet(const BufferSet&) = delete;
  BufferSet& operator=(const BufferSet&) = delete;

  void* const* pointers() const { return pointers_.data(); }
  size_t bytes() const;
  Result<void> upload_inputs(const ProblemInstance& instance);
  Result<void> poison_outputs();
  /// With any other word, over and over.
  Result<void> fill_outputs(uint32_t word);
  Result<void> download_outputs(ProblemInstance* instance) const;
  /// Whether the inputs still are what was uploaded, bit for bit.
  Result<bool> inputs_intact(const ProblemInstance& instance) const;
  /// The name of the first buffer whose guards were overwritten; empty if none.
  Result<std::string> broken_guard() const;

 private:
  BufferSet(Device* device, const std::vector<BufferSpec>& specs)
      : device_(device), specs_(specs) {}

  Device* device_;
  std::vector<BufferSpec> specs_;
  std::vector<void*> blocks_;    ///< as allocated, guards included
  std::vector<void*> pointers_;  ///< where each buffer itself begins
};

/// One kernel on one problem. `posed` and `buffers` may be shared with other kernels.
struct ReadyRung {
  const KernelDesc* kernel = nullptr;
  Device* device = nullptr;
  std::shared_ptr<ProblemInstance> instance;
  std::shared_ptr<BufferSet> buffers;
  PlanOwner plan;

  Launch launch() const;
  /// A side for single calls, in hot or cold cache.
  Side plain_side(Cache cache = Cache::hot) const;
  double memory_bytes() const;
  /// Fills in what the plan takes, chose and counted, and what has to be known of the problem.
  void describe(Series* series) const;
};

/// Uploads the inputs and prepares the kernel. `buffers` null: buffers of its own. `needed_bytes`: where a
/// kernel refuses and says what it would have taken (Plan::workspace_bytes), buffers and that.
Result<ReadyRung> make_ready(const KernelDesc& kernel, Device* device,
                             std::shared_ptr<ProblemInstance> instance,
                             std::shared_ptr<BufferSet> buffers = nullptr,
                             double* needed_bytes = nullptr);

/// The problem last posed, kept: the rungs of one ladder share their inputs (a 4096 x 4096 pair
/// takes a second to generate).
class InstanceCache {
 public:
  Result<std::shared_ptr<ProblemInstance>> get(const FamilyDesc& family, const Params& params,
                                               uint64_t seed, const Device& device);

 private:
  std::string key_;
  std::shared_ptr<ProblemInstance> posed_;
};

}  // namespace ridge::measure
