// Shapes for the tests of convolutions, on either processor.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <random>

#include "common/record/types.h"

namespace ridge {

/// Shapes as a network has them and shapes as no network has them.
inline Params random_conv_shape(std::mt19937_64* random) {
  const auto one_of = [&](std::initializer_list<int64_t> values) {
    return values.begin()[(*random)() % values.size()];
  };
  const int64_t groups = one_of({1, 1, 1, 1, 2, 3, 16});
  const int64_t per_group = groups == 16 ? 1 : one_of({1, 3, 8, 16, 17, 33});
  const int64_t r = one_of({1, 2, 3, 3, 3, 5, 7}), s = one_of({r, r, r, 1, 4});
  const int64_t pad = one_of({0, r / 2, r / 2, 1, 3});
  const auto side = [&](int64_t filter) {
    return std::max(one_of({1, 1, 2, 5, 7, 8, 13}), filter - 2 * pad);
  };
  return {{"n", one_of({1, 1, 2})},
          {"c", groups * per_group},
          {"m", groups * one_of({1, 3, 16, 17, 65})},
          {"h", side(r)},
          {"w", side(s)},
          {"r", r},
          {"s", s},
          {"stride", one_of({1, 1, 2, 3})},
          {"pad", pad},
          {"groups", groups}};
}

}  // namespace ridge
