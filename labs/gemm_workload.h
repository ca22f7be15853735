#pragma once

#include "labs/workload.h"

namespace ridge {

/// Inference of a GPT-3-shaped network, one pass over a whole sequence.
Workload gemm_gpt3_workload();

}  // namespace ridge
