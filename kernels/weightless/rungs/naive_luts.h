// One bit at a time: what the two naive trainings share. Static, for the files that include it.
#pragma once

#include "kernels/runtime/weightless/lut_training.h"

namespace ridge {

static inline int bit_of(const uint64_t* planes, int feature, int image) {
  return (int)(planes[feature * kLutWords + image / 64] >> (image % 64) & 1);
}

static inline int address_of(const LutJob* job, int lut, const uint64_t* planes, int image) {
  int address = 0;
  for (int p = 0; p < kLutPins; ++p) {
    address |= bit_of(planes, job->wiring[lut * kLutPins + p], image) << p;
  }
  return address;
}

static inline void naive_forward(const LutJob* job, int lut, const uint64_t* planes,
                                 uint64_t* out) {
  for (int w = 0; w < kLutWords; ++w) out[w] = 0;
  for (int s = 0; s < kLutBatch; ++s) {
    out[s / 64] |= (job->bits[lut] >> address_of(job, lut, planes, s) & 1) << (s % 64);
  }
}

/// Gradients of the table's entries, Adam, and the bits that come of it.
static inline void learn_table(const LutJob* job, int lut, const int* address) {
  const int16_t* gradients = job->gradients + lut / job->luts_per_class * kLutBatch;
  const int64_t entries = (int64_t)lut * kLutEntries;
  int32_t gradient[kLutEntries] = {};
  for (int s = 0; s < kLutBatch; ++s) gradient[address[s]] += gradients[s];
  adam_update(&job->adam, kLutEntries, gradient, job->table + entries, job->table_mean + entries,
              job->table_square + entries);
  clamp_entries(job->table + entries);
  job->bits[lut] = table_bits(job->table + entries);
}

}  // namespace ridge
