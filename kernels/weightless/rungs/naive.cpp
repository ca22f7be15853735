// ridge: flags=-O3
//
// Idea      The definition, image by image: fetch six bits of the image's row, look the address up in
//           the LUT's 64-bit table, count the ones of each class.
// Changed   Nothing yet; this is where the ladder starts. Already no multiplication anywhere.
// Limits    12,000 single bits an image at 2000 LUTs, each a load, a shift and a mask; a table of one bit
//           an entry is used one bit at a time.
// Look at   The image's row is 294 bytes: everything is in L1, and still it takes microseconds.
// Source    Bacellar et al., arXiv:2410.11112: inference as they describe it for a CPU.
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

uint8_t classify(const LutModel* model, const uint64_t* row) {
  int best = 0, best_score = -1;
  for (int c = 0, j = 0; c < kImageClasses; ++c) {
    int score = 0;
    for (const int end = j + model->luts_per_class; j < end; ++j) {
      const uint16_t* pin = model->wiring + (int64_t)j * kLutInputs;
      int address = 0;
      for (int p = 0; p < kLutInputs; ++p) address |= bit_of(row, pin[p]) << p;
      score += (int)(model->tables[j] >> address & 1);
    }
    if (score > best_score) best = c, best_score = score;
  }
  return (uint8_t)best;
}

Status launch_naive(const Launch& launch) {
  const Classify c = classify_of(launch);
  enum { kMaxWords = kImageBytes * 8 / 64 };
  uint64_t own[kMaxWords];
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

RIDGE_KERNEL(weightless, cpu, naive, .dtypes = "bits", .launch = launch_naive);

}  // namespace
}  // namespace ridge
