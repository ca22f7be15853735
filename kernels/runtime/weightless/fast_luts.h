// The fast training step of one LUT: what the portable and the AVX-512 file share. The including file
// defines first
//   addresses(planes, wiring, address)              256 addresses of one byte
//   pin_table(q19, pin, table)                      the 64 extended finite differences of a pin, Q15
//   pin_gradients(address, table, gradients, out)   256 signed bytes
//   candidate_sums(planes, candidate, count, pin, sums)  of 16 candidates at a time: sum where bit is 1
//   best_of(weight, count)                          index of the highest, the lowest of a tie
//   outputs(bits, address, out)                     4 words
#pragma once

#include "kernels/runtime/weightless/lut_training.h"

namespace ridge {

enum { kMaxCandidates = 1024 };

static void learn_pin(const LutJob* job, int lut, int pin, const uint8_t* address,
                      const int32_t* q19, const int16_t* gradients) {
  const int many = job->candidates;
  const int64_t first = ((int64_t)lut * kLutPins + pin) * many;
  alignas(64) int16_t table[kLutEntries];
  alignas(64) int8_t signed_bytes[kLutBatch];
  alignas(64) int32_t gradient[kMaxCandidates];
  pin_table(q19, pin, table);
  pin_gradients(address, table, gradients, signed_bytes);
  candidate_sums(job->planes, job->candidate + first, many, signed_bytes, gradient);
  int32_t all = 0;
  for (int s = 0; s < kLutBatch; ++s) all += signed_bytes[s];
  for (int k = 0; k < many; ++k) gradient[k] = 2 * gradient[k] - all;
  adam_update(&job->adam, many, gradient, job->weight + first, job->weight_mean + first,
              job->weight_square + first);
  job->wiring[lut * kLutPins + pin] = job->candidate[first + best_of(job->weight + first, many)];
}

static void backward(const LutJob* job, int lut) {
  const int16_t* gradients = job->gradients + lut / job->luts_per_class * kLutBatch;
  const int64_t entries = (int64_t)lut * kLutEntries;
  alignas(64) uint8_t address[kLutBatch];
  addresses(job->planes, job->wiring + lut * kLutPins, address);
  // Four copies: two neighbouring images at one address need not wait for each other's store.
  enum { kCopies = 4 };
  alignas(64) int32_t part[kCopies][kLutEntries] = {};
  for (int s = 0; s < kLutBatch; s += kCopies) {
    for (int c = 0; c < kCopies; ++c) part[c][address[s + c]] += gradients[s + c];
  }
  alignas(64) int32_t gradient[kLutEntries], q19[kLutEntries];
  for (int a = 0; a < kLutEntries; ++a) {
    gradient[a] = part[0][a] + part[1][a] + part[2][a] + part[3][a];
    q19[a] = entry_q19(job->table[entries + a]);
  }
  if (job->candidates > 1) {
    for (int p = 0; p < kLutPins; ++p) learn_pin(job, lut, p, address, q19, gradients);
  }
  adam_update(&job->adam, kLutEntries, gradient, job->table + entries, job->table_mean + entries,
              job->table_square + entries);
  clamp_entries(job->table + entries);
  job->bits[lut] = table_bits(job->table + entries);
}

static void forward(const LutJob* job, int lut, const uint64_t* planes, uint64_t* out) {
  alignas(64) uint8_t address[kLutBatch];
  addresses(planes, job->wiring + lut * kLutPins, address);
  outputs(job->bits[lut], address, out);
}

}  // namespace ridge
