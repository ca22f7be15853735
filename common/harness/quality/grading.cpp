// The sizes of graded inputs.
#include <cmath>

#include "common/core/random.h"
#include "common/harness/quality/quality.h"

namespace ridge::quality {

int grade_span(DType dtype) {
  switch (dtype) {
    case DType::fp64:
    case DType::fp32:
    case DType::tf32:
    case DType::bf16:
      return 12;
    case DType::fp16:  // sums over 2^16 are infinite, numbers below 2^-14 lose bits
    case DType::fp8:   // saturates at 448; below 2^-6 numbers lose bits
      return 4;
    case DType::int8:
    case DType::int32:
      return 0;
  }
  return 0;
}

double grade_factor(Grading grading, int64_t index, int64_t count, int span) {
  constexpr uint64_t kKey = random_key(0x94ad'ed);
  const auto at = static_cast<uint64_t>(index);
  int exponent = 0;
  switch (grading) {
    case Grading::mixed:
      // Not in turn: a method that pairs an even p with an odd one would always pair large and small.
      exponent = random_below(kKey, at, 2) == 0 ? span : -span;
      break;
    case Grading::geometric:
      exponent = count < 2 ? 0 : static_cast<int>(span - 2 * span * index / (count - 1));
      break;
    case Grading::rows:
    case Grading::columns:
      exponent =
          static_cast<int>(random_below(kKey, at, static_cast<uint32_t>(2 * span + 1))) - span;
      break;
  }
  return std::ldexp(1.0, exponent);
}

}  // namespace ridge::quality
