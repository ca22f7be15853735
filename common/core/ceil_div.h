// Division and multiples, rounded up. For the host and for kernels; C-like and static, so that ISA-flagged files may
// include it.
#pragma once

#include "common/core/host_device.h"

namespace ridge {

/// How many chunks of `b` hold `a`: a / b, rounded up. a >= 0, b > 0.
template <typename A, typename B>
static RIDGE_HOST_DEVICE constexpr auto ceil_div(A a, B b) {
  return (a + b - 1) / b;
}

/// The smallest multiple of `b` that is `a` or more. a >= 0, b > 0.
template <typename A, typename B>
static RIDGE_HOST_DEVICE constexpr auto round_up(A a, B b) {
  return (a + b - 1) / b * b;
}

}  // namespace ridge
