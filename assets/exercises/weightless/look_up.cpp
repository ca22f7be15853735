// ridge: flags=-O3
//
// Exercise  Look it up
// After     weightless.cpu.naive
// Task      A LUT takes six bits of the image, reads them as a number from 0 to
//           63, and says the bit of its 64-bit table that stands there. Write
//           that: there is no multiplication in it.
// Hint      pin[p] is the feature that input p is wired to; bit_of(row, pin[p])
//           is its value, 0 or 1.
// Hint      Input p has the weight 2^p in the address: shift it there and put
//           the six together with |.
// Hint      Bit a of the table: model->tables[j] >> a & 1. It counts for the
//           score of its class.
#include "kernels/runtime/weightless/weightless.h"

namespace ridge {
namespace {

int bit_of(const uint64_t* row, int feature) {
  return (int)(row[feature / 64] >> (feature % 64) & 1);
}

void encode(const LutModel* model, const uint8_t* pixels, uint64_t* row) {
  for (int w = 0; w < (model->features + 63) / 64; ++w) row[w] = 0;
  for (int f = 0; f < model->features; ++f) {
    const uint64_t bit = pixels[f / model->bits] > model->thresholds[f];
    row[f / 64] |= bit << (f % 64);
  }
}

/// What LUT j says of an image.
int look_up(const LutModel* model, int j, const uint64_t* row) {
  const uint16_t* pin = model->wiring + (int64_t)j * kLutInputs;
  int said = 0;
  // solution: the address from the six inputs, then the table's bit at that address goes to `said`
  int address = 0;
  for (int p = 0; p < kLutInputs; ++p) address |= bit_of(row, pin[p]) << p;
  said = (int)(model->tables[j] >> address & 1);
  // end of solution
  (void)pin;
  return said;
}

uint8_t classify(const LutModel* model, const uint64_t* row) {
  int best = 0, best_score = -1;
  for (int c = 0, j = 0; c < kImageClasses; ++c) {
    int score = 0;
    for (const int end = j + model->luts_per_class; j < end; ++j) score += look_up(model, j, row);
    if (score > best_score) best = c, best_score = score;
  }
  return (uint8_t)best;
}

Status launch_look_up(const Launch& launch) {
  const Classify c = classify_of(launch);
  enum { kMostWords = kImageBytes * 8 / 64 };
  uint64_t own[kMostWords];
  for (int64_t i = 0; i < c.images; ++i) {
    const uint64_t* row = c.rows + i * c.row_words;
    if (c.pixels != nullptr) {
      encode(c.model, c.pixels + i * kImageBytes, own);
      row = own;
    }
    c.classes[i] = classify(c.model, row);
  }
  return {};
}

RIDGE_KERNEL(weightless, cpu, look_up, .dtypes = "bits", .launch = launch_look_up);

}  // namespace
}  // namespace ridge
