// The limits of a product's error, by type, as common/harness/quality sets them (gemm_nmse_limit).
#pragma once

#include <vector>

#include "labs/lab.h"

namespace ridge {

inline constexpr const char* kProductLimit = "an NMSE against float64";

inline std::vector<TypeLimit> product_limits() {
  return {{"fp64", "at most 4e-15 × 2⁻⁵⁸ times K, the length of the sums"},
          {"fp32", "at most 4e-15 times K, the length of the sums"},
          {"tf32",
           "at most 4e-15 times K, the length of the sums, and what the Tensor Cores' accumulators "
           "truncate"},
          {"bf16", "at most what rounding the result to bf16 brings, the same for every K"},
          {"fp16", "at most what rounding the result to fp16 brings, the same for every K"},
          {"fp8",
           "at most what rounding the result to bf16 brings, and what the Tensor Cores' "
           "accumulators truncate"},
          {"int8", "every element exactly"}};
}

}  // namespace ridge
