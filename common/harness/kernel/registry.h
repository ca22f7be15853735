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
#include "common/harness/kernel/sources.h"
#include "common/harness/kernel/stamps.h"
#include "common/harness/kernel/training.h"
#include "common/harness/kernel/trap.h"
#include "common/record/derive.h"  // family_of()

namespace ridge {

RIDGE_REGISTERED(registered_families, ridge_families, FamilyDesc)
RIDGE_REGISTERED(registered_stamped, ridge_stamped, StampedDesc)

/// Without those whose library is not on this machine (common/core/late_library.h): as if they had not been compiled.
std::span<const KernelDesc* const> registered_kernels();
std::span<const TrainDesc* const> registered_trainings();
std::span<const PipelineDesc* const> registered_pipelines();
std::span<const TrapDesc* const> registered_traps();

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

/// Every rung whose source is embedded, compiled here or not (a CPU build knows the CUDA rungs).
const std::vector<KernelSource>& kernel_sources();
const KernelSource* find_source(std::string_view id);
/// The rungs that this kernel file makes.
std::vector<KernelSource> sources_of(const EmbeddedFile& file);

}  // namespace ridge
