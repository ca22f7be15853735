// A row of weights with two of each four left, as gemv.h lays it out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "common/harness/quality/quality.h"

namespace ridge {

/// The byte of a row's positions, and the bits in it, where a group of four columns has its own.
inline std::pair<size_t, int> place_of_positions(size_t group) {
  const size_t c = group % 64 / 16, j = group % 16 / 4, p = group % 4;
  return {group / 64 * 32 + (4 * p + c) * 2 + j / 2, int(4 * (j % 2))};
}

/// The larger two of each four, in their order, as bf16. `positions` arrive as zeros.
inline void store_sparse(std::span<const float> w, std::byte* to, std::byte* positions) {
  for (size_t group = 0; group < w.size() / 4; ++group) {
    int left[4] = {0, 1, 2, 3};
    std::stable_sort(left, left + 4, [&](int a, int b) {
      return std::abs(w[4 * group + size_t(a)]) > std::abs(w[4 * group + size_t(b)]);
    });
    std::sort(left, left + 2);
    for (size_t i = 0; i < 2; ++i)
      quality::store(to, int64_t(2 * group + i), DType::bf16, w[4 * group + size_t(left[i])]);
    const auto [byte, shift] = place_of_positions(group);
    positions[byte] |= std::byte((left[0] | left[1] << 2) << shift);
  }
}

/// With the zeros, which `w` has already.
inline void load_sparse(const std::byte* from, const std::byte* positions, std::span<double> w) {
  for (size_t group = 0; group < w.size() / 4; ++group) {
    const auto [byte, shift] = place_of_positions(group);
    const int bits = int(positions[byte]) >> shift;
    for (size_t i = 0; i < 2; ++i)
      w[4 * group + size_t(bits >> 2 * i & 3)] =
          quality::load(from, int64_t(2 * group + i), DType::bf16);
  }
}

}  // namespace ridge
