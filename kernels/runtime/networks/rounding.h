// Rounding fp32 to a narrower type and back, exactly: to nearest, ties to even, subnormals and all. C-like
// and free of branches: ISA-flagged files include it, and the compiler makes vectors of it.
//
// Above the least normal number the mantissa's last bits are truncated in the integer; below it the quantum is
// constant, and adding and taking away a number with that quantum rounds. tests/mixed_test.cpp holds it
// against every value of each type and both sides of every point between two.
#pragma once

#include <stdint.h>

#include "kernels/runtime/networks/precision.h"

namespace ridge {

struct Rounding {
  uint32_t cut;      ///< mantissa bits that go: 23 less the type's
  float least;       ///< the least normal number
  float magic;       ///< whose last place is the type's subnormal quantum
  float most;        ///< the largest number
  float overflow;    ///< what lies beyond becomes
  bool is_identity;  ///< fp32
};

static inline float power_of_two(int exponent) {
  const uint32_t bits = (uint32_t)(exponent + 127) << 23;
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

/// `saturates`: beyond the largest number stays there, as fp8 in training.
static inline Rounding make_rounding(int mantissa_bits, int min_exponent, float most, bool saturates) {
  return {(uint32_t)(23 - mantissa_bits),
          power_of_two(min_exponent),
          power_of_two(min_exponent - mantissa_bits + 23),
          most,
          saturates ? most : __builtin_inff(),
          false};
}

static inline Rounding rounding_of(Element element) {
  switch (element) {
    case Element::tf32:
      return make_rounding(10, -126, 0x1.ffcp127f, false);
    case Element::fp16:
      return make_rounding(10, -14, 65504, false);
    case Element::bf16:
      return make_rounding(7, -126, 0x1.fep127f, false);
    case Element::e4m3:
      return make_rounding(3, -6, 448, true);
    case Element::e5m2:
      return make_rounding(2, -14, 57344, true);
    default:
      return {0, 0, 0, 0, 0, true};
  }
}

static inline float round_to(float x, Rounding r) {
  uint32_t bits, rest;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  const uint32_t sign = bits & 0x80000000u, magnitude = bits ^ sign;
  const uint32_t half = (1u << r.cut >> 1) - 1 + (magnitude >> r.cut & 1);
  rest = (magnitude + half) >> r.cut << r.cut;
  float a, normal, result;
  __builtin_memcpy(&a, &magnitude, sizeof(a));
  __builtin_memcpy(&normal, &rest, sizeof(normal));
  const float subnormal = (a + r.magic) - r.magic;
  result = a < r.least ? subnormal : normal;
  result = result > r.most ? r.overflow : result;
  result = a != a ? a : result;
  __builtin_memcpy(&rest, &result, sizeof(rest));
  rest |= sign;
  __builtin_memcpy(&result, &rest, sizeof(result));
  return result;
}

}  // namespace ridge
