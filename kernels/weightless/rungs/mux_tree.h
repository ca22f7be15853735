// A LUT-6 on bit-sliced inputs: a tree of multiplexers, the table's bits at its leaves. Two
// bits of the table name one of the four functions of input 0 (never, its complement, itself, always); the
// other five inputs choose among these 32. With the 16 functions of two inputs as leaves there are half as
// many multiplexers, and 16 vectors stored a LUT: 1.4 times slower in AVX-512 (Zen 4), faster in 64 bits. Included after Vec, mux and full_add are defined.
#pragma once

#include "kernels/runtime/weightless/weightless.h"

namespace ridge {

/// Eight bits of the table: input 0 is one of four functions of a pair of bits, 1 and 2 choose.
static inline Vec eighth(uint64_t table, const Vec* pair, Vec x1, Vec x2) {
  const Vec low = mux(x1, pair[table >> 2 & 3], pair[table & 3]);
  const Vec high = mux(x1, pair[table >> 6 & 3], pair[table >> 4 & 3]);
  return mux(x2, high, low);
}

static inline Vec mux_lut(uint64_t table, const uint16_t* pin, const uint64_t* planes) {
  Vec x[kLutInputs];
  for (int p = 0; p < kLutInputs; ++p) {
    memcpy(&x[p], planes + (int64_t)pin[p] * kTileWords, sizeof(Vec));
  }
  const Vec zero = {}, pair[4] = {zero, ~x[0], x[0], ~zero};
  Vec part[4];
  for (int q = 0; q < 4; ++q) {
    const uint64_t bits = table >> (16 * q);
    part[q] = mux(x[3], eighth(bits >> 8, pair, x[1], x[2]), eighth(bits, pair, x[1], x[2]));
  }
  return mux(x[5], mux(x[4], part[3], part[2]), mux(x[4], part[1], part[0]));
}

static inline void eight_muxes(const LutModel* model, int first, int count, const uint64_t* planes,
                               Vec* out) {
  for (int i = 0; i < 8; ++i) {
    const int64_t j = first + i;
    out[i] = i < count ? mux_lut(model->tables[j], model->wiring + j * kLutInputs, planes) : Vec{};
  }
}

}  // namespace ridge
