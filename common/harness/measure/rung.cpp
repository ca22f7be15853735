#include "common/harness/measure/rung.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "common/core/format.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/harness/quality/quality.h"
#include "common/record/accuracy.h"
#include "common/record/params.h"

namespace ridge::measure {
namespace {

using quality::kGuardBytes;

/// Downloads are compared in pieces, so that checking a large input needs little memory.
constexpr size_t kPieceBytes = 16 << 20;

size_t total_bytes(const std::vector<BufferSpec>& specs) {
  size_t bytes = 0;
  for (const BufferSpec& spec : specs) bytes += spec.bytes;
  return bytes;
}

std::vector<std::byte> guard_words() {
  std::vector<std::byte> guard(kGuardBytes);
  for (size_t at = 0; at < kGuardBytes; at += sizeof(quality::kGuardWord)) {
    std::memcpy(&guard[at], &quality::kGuardWord, sizeof(quality::kGuardWord));
  }
  return guard;
}

std::byte* offset(void* base, size_t bytes) {
  return static_cast<std::byte*>(base) + bytes;
}

/// "choose a smaller size: k=31744 m=31744 n=31744 fits", the largest power of two of the work.
std::string smaller_size_hint(const FamilyDesc& family, const Params& params, double bytes_share) {
  const auto original = family.make_problem(params);
  for (double work = 0.5; original && work > 1e-30; work /= 2) {
    const Params smaller = family.shrink(params, work);
    const auto problem = family.make_problem(smaller);
    if (!problem) break;
    const double share =
        double(total_bytes((*problem)->buffers())) / double(total_bytes((*original)->buffers()));
    if (share > bytes_share) continue;
    Params changed;
    for (const auto& [name, value] : smaller) {
      if (params.at(name) != value) changed[name] = value;
    }
    return "choose a smaller size: " + ridge::to_string(changed) + " fits";
  }
  return "choose a smaller size";
}

}  // namespace

size_t ProblemInstance::bytes() const {
  return total_bytes(specs);
}

size_t ProblemInstance::output_bytes() const {
  size_t sum = 0;
  for (const BufferSpec& spec : specs) sum += spec.is_output ? spec.bytes : 0;
  return sum;
}

void ProblemInstance::generate(uint64_t new_seed) {
  seed = new_seed;
  problem->generate(seed, &host);
}

Result<void> check_memory(const FamilyDesc& family, const Params& params, const Problem& problem,
                          const Device& device) {
  const auto bytes = double(total_bytes(problem.buffers()));
  const bool on_cpu = device.backend() == Backend::cpu;
  const double host_needed = bytes * (on_cpu ? 2 : 1);
  const double host_free = 0.9 * double(free_memory_bytes());
  const double gpu_free = 0.95 * double(device.free_bytes());
  const auto refuse = [&](double needed, double free, const char* memory) {
    return Error{ErrorCode::unavailable,
                 "needs " + format_bytes(needed) + " of " + memory + ", and " + format_bytes(free) +
                     " may be used",
                 std::string(family.name) + " " + ridge::to_string(params),
                 smaller_size_hint(family, params, free / needed)};
  };
  if (host_free > 0 && !(host_needed <= host_free)) return refuse(host_needed, host_free, "memory");
  if (!on_cpu && !(bytes <= gpu_free)) return refuse(bytes, gpu_free, "GPU memory");
  return {};
}

Result<std::shared_ptr<ProblemInstance>> make_instance(const FamilyDesc& family,
                                                       const Params& params, uint64_t seed,
                                                       const Device& device) {
  RIDGE_TRY(auto problem, family.make_problem(params));
  auto instance = std::make_shared<ProblemInstance>();
  instance->specs = problem->buffers();
  RIDGE_TRY_VOID(check_memory(family, params, *problem, device));
  instance->problem = std::move(problem);
  instance->host.resize(instance->specs.size());
  for (size_t i = 0; i < instance->specs.size(); ++i)
    instance->host[i].resize(instance->specs[i].bytes);
  instance->generate(seed);
  return instance;
}

Result<std::shared_ptr<ProblemInstance>> InstanceCache::get(const FamilyDesc& family,
                                                            const Params& params, uint64_t seed,
                                                            const Device& device) {
  const std::string key = std::string(family.name) + " " + ridge::to_string(params);
  if (posed_ != nullptr && key == key_) {
    if (posed_->seed != seed) posed_->generate(seed);
    return posed_;
  }
  posed_ = nullptr;  // frees the old inputs before the new ones need room
  RIDGE_TRY(posed_, make_instance(family, params, seed, device));
  key_ = key;
  return posed_;
}

Result<std::shared_ptr<BufferSet>> BufferSet::make(Device* device,
                                                   const std::vector<BufferSpec>& specs) {
  std::shared_ptr<BufferSet> set(new BufferSet(device, specs));
  const std::vector<std::byte> guard = guard_words();
  for (const BufferSpec& spec : specs) {
    // 4 bytes more: poison is written in whole words, before the rear guard is set.
    RIDGE_TRY(void* block, device->allocate(spec.bytes + 2 * kGuardBytes + sizeof(uint32_t)));
    set->blocks_.push_back(block);
    set->pointers_.push_back(offset(block, kGuardBytes));
    RIDGE_TRY_VOID(device->upload(block, guard.data(), kGuardBytes));
    RIDGE_TRY_VOID(
        device->upload(offset(block, kGuardBytes + spec.bytes), guard.data(), kGuardBytes));
  }
  return set;
}

BufferSet::~BufferSet() {
  for (void* block : blocks_) device_->release(block);
}

size_t BufferSet::bytes() const {
  return total_bytes(specs_);
}

Result<void> BufferSet::upload_inputs(const ProblemInstance& instance) {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].is_output || specs_[i].bytes == 0) continue;
    RIDGE_TRY_VOID(device_->upload(pointers_[i], instance.host[i].data(), specs_[i].bytes));
  }
  return {};
}

Result<void> BufferSet::poison_outputs() {
  return fill_outputs(quality::kPoison);
}

Result<void> BufferSet::fill_outputs(uint32_t word) {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (!specs_[i].is_output) continue;
    // Whole words, then the odd bytes: an output of 2-byte elements may end inside a word.
    const size_t whole = specs_[i].bytes / sizeof(uint32_t) * sizeof(uint32_t);
    if (whole > 0) RIDGE_TRY_VOID(device_->fill(pointers_[i], word, whole));
    const size_t rest = specs_[i].bytes - whole;
    if (rest > 0) {
      RIDGE_TRY_VOID(device_->upload(offset(pointers_[i], whole), &word, rest));
    }
  }
  return {};
}

Result<void> BufferSet::download_outputs(ProblemInstance* instance) const {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (!specs_[i].is_output || specs_[i].bytes == 0) continue;
    RIDGE_TRY_VOID(device_->download(instance->host[i].data(), pointers_[i], specs_[i].bytes));
  }
  return {};
}

Result<bool> BufferSet::inputs_intact(const ProblemInstance& instance) const {
  std::vector<std::byte> piece;
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].is_output) continue;
    for (size_t at = 0; at < specs_[i].bytes; at += kPieceBytes) {
      const size_t bytes = std::min(kPieceBytes, specs_[i].bytes - at);
      piece.resize(bytes);
      RIDGE_TRY_VOID(device_->download(piece.data(), offset(pointers_[i], at), bytes));
      if (std::memcmp(piece.data(), instance.host[i].data() + at, bytes) != 0) return false;
    }
  }
  return true;
}

Result<std::string> BufferSet::broken_guard() const {
  std::vector<std::byte> guard(kGuardBytes);
  for (size_t i = 0; i < specs_.size(); ++i) {
    for (const size_t at : {size_t{0}, kGuardBytes + specs_[i].bytes}) {
      RIDGE_TRY_VOID(device_->download(guard.data(), offset(blocks_[i], at), kGuardBytes));
      if (!quality::guard_intact(guard)) return specs_[i].name;
    }
  }
  return std::string();
}

Launch ReadyRung::launch() const {
  return {.shape = instance->problem->shape(),
          .buffers = buffers->pointers(),
          .stream = device->stream(),
          .plan_state = plan.plan.state};
}

Side ReadyRung::plain_side(Cache cache) const {
  Side side;
  side.kernel = kernel;
  side.launch = launch();
  side.cache = cache;
  return side;
}

double ReadyRung::memory_bytes() const {
  return double(buffers->bytes()) + double(plan.plan.workspace_bytes);
}

void ProblemInstance::describe(Series* series) const {
  series->flop = problem->flop();
  series->bytes_min = problem->bytes_min();
  series->bytes_written = double(output_bytes());
  series->work = problem->work();
}

void ReadyRung::describe(Series* series) const {
  series->memory_bytes = memory_bytes();
  series->note = plan.plan.note;
  add_note(instance->problem->note(), series);
  if (kernel->accuracy != Accuracy::componentwise)
    add_note(accuracy_text(kernel->accuracy), series);
  if (plan.plan.vector_ops > 0) series->work["logic"] = plan.plan.vector_ops;
  if (plan.plan.l2_bytes > 0) series->work["l2_read"] = plan.plan.l2_bytes;
}

Result<ReadyRung> make_ready(const KernelDesc& kernel, Device* device,
                             std::shared_ptr<ProblemInstance> instance,
                             std::shared_ptr<BufferSet> buffers, double* needed_bytes) {
  ReadyRung rung;
  rung.kernel = &kernel;
  rung.device = device;
  rung.instance = std::move(instance);
  rung.buffers = std::move(buffers);
  if (rung.buffers == nullptr) {
    RIDGE_TRY(rung.buffers, BufferSet::make(device, rung.instance->specs));
  }
  RIDGE_TRY_VOID(rung.buffers->upload_inputs(*rung.instance));
  if (kernel.prepare != nullptr) {
    const Status status = kernel.prepare(rung.instance->problem->shape(), &rung.plan.plan);
    if (!status.ok()) {
      if (needed_bytes && rung.plan.plan.workspace_bytes > 0) *needed_bytes = rung.memory_bytes();
      return to_error(status, kernel);
    }
  }
  return rung;
}

}  // namespace ridge::measure
