#include "common/harness/kernel/registry.h"

#include <utility>

#include "common/core/late_library.h"
#include "common/harness/kernel/code_hash.h"

namespace ridge {
namespace {

RIDGE_REGISTERED(built_kernels, ridge_kernels, KernelDesc)
RIDGE_REGISTERED(built_trainings, ridge_trainings, TrainDesc)
RIDGE_REGISTERED(built_pipelines, ridge_pipelines, PipelineDesc)
RIDGE_REGISTERED(built_traps, ridge_traps, TrapDesc)

/// Made once: reading all files takes a tenth of a second, and each save of a learner's asks.
const CodeHashes& embedded_hashes() {
  static const CodeHashes hashes(embedded_files());
  return hashes;
}

template <class T>
std::vector<const T*> with_their_libraries(std::span<const T* const> built) {
  std::vector<const T*> here;
  for (const T* one : built) {
    const KernelSource* source = find_source(one->id);
    if (source == nullptr || missing_library(source->needs).empty()) here.push_back(one);
  }
  return here;
}

template <class T>
const T* find_by_id(std::span<const T* const> entries, std::string_view id) {
  for (const T* entry : entries) {
    if (entry->id == id) return entry;
  }
  return nullptr;
}

std::vector<const KernelDesc*> loaded;

struct DTypeName {
  DType dtype;
  std::string_view name;
};
constexpr DTypeName kDTypes[] = {
    {DType::fp64, "fp64"}, {DType::fp32, "fp32"}, {DType::tf32, "tf32"}, {DType::bf16, "bf16"},
    {DType::fp16, "fp16"}, {DType::fp8, "fp8"},   {DType::int8, "int8"}, {DType::int32, "int32"}};

}  // namespace

std::span<const KernelDesc* const> registered_kernels() {
  static const auto here = with_their_libraries(built_kernels());
  return here;
}
std::span<const TrainDesc* const> registered_trainings() {
  static const auto here = with_their_libraries(built_trainings());
  return here;
}
std::span<const PipelineDesc* const> registered_pipelines() {
  static const auto here = with_their_libraries(built_pipelines());
  return here;
}
std::span<const TrapDesc* const> registered_traps() {
  static const auto here = with_their_libraries(built_traps());
  return here;
}

const KernelDesc* find_kernel(std::string_view id) {
  const KernelDesc* own = find_by_id(registered_kernels(), id);
  return own != nullptr ? own : find_by_id(std::span(std::as_const(loaded)), id);
}

const std::vector<const KernelDesc*>& loaded_kernels() {
  return loaded;
}

void add_loaded_kernel(const KernelDesc* kernel) {
  loaded.push_back(kernel);
}

const TrainDesc* find_training(std::string_view id) {
  return find_by_id(registered_trainings(), id);
}
const PipelineDesc* find_pipeline(std::string_view id) {
  return find_by_id(registered_pipelines(), id);
}
const TrapDesc* find_trap(std::string_view id) {
  return find_by_id(registered_traps(), id);
}

const StampedDesc* find_stamped(std::string_view rung) {
  for (const StampedDesc* stamped : registered_stamped()) {
    if (stamped->rung == rung) return stamped;
  }
  return nullptr;
}

const FamilyDesc* find_family(std::string_view name) {
  for (const FamilyDesc* family : registered_families()) {
    if (family->name == name) return family;
  }
  return nullptr;
}

std::string_view dtype_name(DType dtype) {
  for (const DTypeName& entry : kDTypes) {
    if (entry.dtype == dtype) return entry.name;
  }
  return "fp32";
}

bool parse_dtype(std::string_view name, DType* dtype) {
  for (const DTypeName& entry : kDTypes) {
    if (entry.name == name) {
      *dtype = entry.dtype;
      return true;
    }
  }
  *dtype = DType::fp32;
  return false;
}

const std::vector<KernelSource>& kernel_sources() {
  static const std::vector<KernelSource> sources = sources_in(embedded_files(), embedded_hashes());
  return sources;
}

const KernelSource* find_source(std::string_view id) {
  for (const KernelSource& source : kernel_sources()) {
    if (source.id == id) return &source;
  }
  return nullptr;
}

std::vector<KernelSource> sources_of(const EmbeddedFile& file) {
  return sources_in({&file, 1}, embedded_hashes());
}

}  // namespace ridge
