// The problems that the GPU's ceilings are measured on, with float64 references.
#pragma once

#include <memory>
#include <string>

#include "common/kernel/family.h"

namespace ridge::probe {

/// `what` is ffma, tensor_k256, tensor_k16, gpu_read or gpu_copy (see probe_cuda.h; the number is
/// the K of the tensor problem); null for any other. `units` >= 1; 0 takes a default that fills any
/// GPU of today for milliseconds and, for memory, is far larger than its L2.
std::unique_ptr<Problem> make_cuda_problem(const std::string& what, int64_t units);

}  // namespace ridge::probe
