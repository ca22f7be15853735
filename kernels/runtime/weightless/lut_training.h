// What training changes in one LUT, as a naive and two fast implementations share it.
//
// Sums are integers, so that any order of adding gives the same weights: the naive rung, the portable
// and the AVX-512 one, with any number of threads, make byte-identical models.
//
//   gradient of a score   p - y, as Q14 (16384 is 1)
//   table entry a         its gradient is the sum of the score gradients of the images at address a
//                         (straight through the step at 0)
//   pin p                 extended finite differences: sum over all addresses b of
//                         +- alpha beta^h entry(b), + where bit p of b is 1, h the Hamming distance to
//                         the image's address without bit p. With beta = 1/3 and alpha = 0.5 0.75^5 the
//                         weights are 3^(5 - h) / 2048, so that entries in Q19 give exact sums in Q30.
//   pin gradient          score gradient times that, rounded to 8 bits: a unit is 1/512
//   candidate k of a pin  gradient (2 x - 1) . pin gradients: 2 (sum where its bit is 1) - (sum of all)
//
// Source: the method, Bacellar et al., arXiv:2410.11112; this arithmetic is ours. C-like: ISA-flagged
// files include this.
#pragma once

#include <stdint.h>

namespace ridge {

enum { kLutPins = 6, kLutEntries = 64, kLutBatch = 256, kLutWords = kLutBatch / 64 };

/// Adam (Kingma and Ba, 2015): the rate and the corrections of this step.
struct AdamStep {
  float rate, unbias_mean, unbias_square;
};

/// All LUTs of a network in training, and the batch. planes: [feature][kLutWords].
struct LutJob {
  int candidates;  ///< of each pin, a multiple of 16 (those beyond the asked never win)
  int luts_per_class;
  const uint64_t* planes;                       ///< of the batch that backward() learns from
  const int16_t* gradients;                     ///< [class][kLutBatch], Q14
  float *table, *table_mean, *table_square;     ///< [lut][64]; entries within +-1
  const uint16_t* candidate;                    ///< [lut][pin][candidates]: features
  float *weight, *weight_mean, *weight_square;  ///< [lut][pin][candidates]
  uint16_t* wiring;                             ///< [lut][pin]: the candidate of the highest weight
  uint64_t* bits;                               ///< [lut]: entry > 0
  AdamStep adam;
};

struct LutKernel {
  /// Gradients of one LUT from the batch, Adam, and the wiring and bits that come of it.
  void (*backward)(const LutJob* job, int lut);
  /// The LUT's outputs for 256 images: bit s of out[s / 64].
  void (*forward)(const LutJob* job, int lut, const uint64_t* planes, uint64_t* out);
};

/// weight -= rate * mean / sqrt(square), element by element; compiled with -ffp-contract=off, so that
/// every instruction set rounds alike.
static inline void adam_update(const AdamStep* step, int count, const int32_t* gradient,
                               float* weight, float* mean, float* square) {
  for (int i = 0; i < count; ++i) {
    const float g = (float)gradient[i];
    mean[i] = 0.9f * mean[i] + 0.1f * g;
    square[i] = 0.999f * square[i] + 0.001f * (g * g);
    weight[i] -= step->rate * (mean[i] * step->unbias_mean) /
                 (__builtin_sqrtf(square[i] * step->unbias_square) + 1e-8f);
  }
}

/// The entries as Q19, for the pin tables.
static inline int32_t entry_q19(float entry) {
  return (int32_t)(entry * 524288.0f);
}

/// Q30 -> Q15 with saturation: one value of a pin table.
static inline int16_t pin_q15(int32_t q30) {
  const int32_t rounded = (q30 + 16384) >> 15;
  return (int16_t)(rounded > 32767 ? 32767 : rounded);
}

/// Gradient of one pin for one image, in 8 bits.
static inline int8_t pin_gradient(int16_t score_gradient, int16_t pin) {
  const int32_t q14 = ((int32_t)score_gradient * pin + 16384) >> 15;
  const int32_t unit = (q14 + 16) >> 5;
  return (int8_t)(unit > 127 ? 127 : unit < -128 ? -128 : unit);
}

static inline void clamp_entries(float* table) {
  for (int a = 0; a < kLutEntries; ++a) {
    table[a] = table[a] > 1 ? 1 : table[a] < -1 ? -1 : table[a];
  }
}

static inline uint64_t table_bits(const float* table) {
  uint64_t bits = 0;
  for (int a = 0; a < kLutEntries; ++a) bits |= (uint64_t)(table[a] > 0) << a;
  return bits;
}

extern const LutKernel kLutNaive;     // learned_wiring.cpp
extern const LutKernel kLutPortable;  // bit_sliced_luts.cpp
extern const LutKernel kLutAvx512;    // avx512_luts.cpp

}  // namespace ridge
