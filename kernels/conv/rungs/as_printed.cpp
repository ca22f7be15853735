// ridge: flags=-O3
//
// Idea      The seven loops as many a slide prints them: images, filters, channels, rows, columns, and the
//           filter's rows and columns.
// Changed   Nothing yet: this is where the lesson begins. Not with a slow rung, with a wrong one.
// Limits    It has no speed. Look at the index of x: the filter's offset r, s is missing, so each pixel meets
//           all weights of the filter and no pixel meets its neighbours. That is a 1 x 1 convolution with
//           the sum of the weights.
// Look at   The gate's words. With a filter of 1 x 1 and no padding the two agree, and it passes: a check
//           on one convenient shape would have let it through.
// Source    The loop nest as published in talks and tutorials on tiled convolution.
#include "kernels/runtime/problems/conv.h"

namespace ridge {
namespace {

Status launch_as_printed(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const int64_t count = v.n * conv_stored(v.m, v.layout) * v.p * v.q;
  for (int64_t i = 0; i < count; ++i) v.y[i] = 0;
  const auto inside = [&](int64_t h, int64_t w) { return h < v.h && w < v.w; };
  for (int64_t n = 0; n < v.n; ++n)
    for (int64_t m = 0; m < v.m; ++m)
      for (int64_t c = 0; c < v.group_c; ++c)
        for (int64_t h = 0; h < v.p; ++h)
          for (int64_t w = 0; w < v.q; ++w)
            for (int64_t r = 0; r < v.r; ++r)
              for (int64_t s = 0; s < v.s; ++s)
                if (inside(h, w))
                  v.y[conv_place(&v.y_at, n, m, h, w)] +=
                      v.x[conv_place(&v.x_at, n, m / v.group_m * v.group_c + c, h, w)] *
                      v.f[((m * v.group_c + c) * v.r + r) * v.s + s];
  return {};
}

RIDGE_KERNEL(conv, cpu, as_printed, .launch = launch_as_printed);

}  // namespace
}  // namespace ridge
