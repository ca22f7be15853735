// A LUT-6 on bit-sliced inputs: a tree of multiplexers, the table's bits at its leaves. The 16 functions
// of the first two inputs are made once a LUT; each four bits of the table pick one of them, and the
// other four inputs choose among these sixteen. Included after Vec, mux and full_add are defined.
#pragma once

#include "kernels/weightless/weightless.h"

namespace ridge {

static inline Vec mux_lut(uint64_t table, const uint16_t* pin, const uint64_t* planes) {
  Vec x[kLutInputs];
  for (int p = 0; p < kLutInputs; ++p) {
    memcpy(&x[p], planes + (int64_t)pin[p] * kTileWords, sizeof(Vec));
  }
  // Function number t has bit a of t as its value at address a = x0 + 2 x1.
  const Vec zero = {}, a = x[0], b = x[1];
  const Vec both = a & b, either = a | b, one = a ^ b;
  const Vec f[16] = {zero, ~either, a & ~b, ~b,     b & ~a, ~a,     one,    ~both,
                     both, ~one,    a,      a | ~b, b,      b | ~a, either, ~zero};
  Vec leaf[16];
  for (int i = 0; i < 16; ++i) leaf[i] = f[table >> (4 * i) & 15];
  for (int p = 2, many = 8; p < kLutInputs; ++p, many /= 2) {
    for (int i = 0; i < many; ++i) leaf[i] = mux(x[p], leaf[2 * i + 1], leaf[2 * i]);
  }
  return leaf[0];
}

static inline void eight_muxes(const LutModel* model, int first, int count, const uint64_t* planes,
                               Vec* out) {
  for (int i = 0; i < 8; ++i) {
    const int64_t j = first + i;
    out[i] = i < count ? mux_lut(model->tables[j], model->wiring + j * kLutInputs, planes) : Vec{};
  }
}

}  // namespace ridge
