// Walks what registered itself (kernels, families, trainings, pipelines, traps), and the sources that
// the build embedded. A section that nobody filled is an empty list.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/core/embedded.h"
#include "common/core/registration.h"
#include "common/harness/kernel/family.h"
#include "common/harness/kernel/kernel.h"
#include "common/harness/kernel/pipeline.h"
#include "common/harness/kernel/training.h"
#include "common/harness/kernel/trap.h"
#include "common/record/derive.h"  // family_of()

namespace ridge {

RIDGE_REGISTERED(registered_kernels, ridge_kernels, KernelDesc)
RIDGE_REGISTERED(registered_families, ridge_families, FamilyDesc)
RIDGE_REGISTERED(registered_trainings, ridge_trainings, TrainDesc)
RIDGE_REGISTERED(registered_pipelines, ridge_pipelines, PipelineDesc)
RIDGE_REGISTERED(registered_traps, ridge_traps, TrapDesc)

/// Of the program, then those that were loaded into it (a learner's).
const KernelDesc* find_kernel(std::string_view id);
/// Kernels of shared objects: registered for as long as the process lives.
const std::vector<const KernelDesc*>& loaded_kernels();
void add_loaded_kernel(const KernelDesc* kernel);
const FamilyDesc* find_family(std::string_view name);
const TrainDesc* find_training(std::string_view id);
const PipelineDesc* find_pipeline(std::string_view id);
const TrapDesc* find_trap(std::string_view id);

std::string_view dtype_name(DType dtype);
/// Unknown names give fp32 and false.
bool parse_dtype(std::string_view name, DType* dtype);

/// Every file of kernels/, embedded by the build whether or not it was compiled here.
std::span<const EmbeddedFile> embedded_files();  // defined by the generated file

/// The rungs an embedded kernel file makes by convention: kernels/<family>/<trick>.cpp or .cu, one
/// id per variant. Headers and helpers (no registration in the text) make none.
struct KernelSource {
  std::string id;                    ///< "gemm.cpu.naive_o1"
  RungKind kind = RungKind::kernel;  ///< by the macro that registers it
  std::string path;
  std::string flags;                 ///< "-O1", "isa=avx512f", "arch=90a"; of this variant
  std::string isa, arch;             ///< "avx512f", "90a"
  std::vector<std::string> options;  ///< of the flags, those that the compiler gets as they are
  std::string needs;    ///< the library its build line asks for, "onednn"; empty for none
  std::string library;  ///< "oneDNN" for a peer: whose work it is, also where it is not compiled
  std::string text;
  std::string
      hash;  ///< 16 hex digits: comment-stripped file, the kernel headers it includes, flags
};
/// Every rung whose source is embedded, compiled here or not (a CPU build knows the CUDA rungs).
const std::vector<KernelSource>& kernel_sources();
const KernelSource* find_source(std::string_view id);
/// The rungs that this kernel file makes.
std::vector<KernelSource> sources_of(const EmbeddedFile& file);

/// Comments and white-space runs removed; string literals kept. Used for hashing.
std::string strip_comments(std::string_view text);

}  // namespace ridge
