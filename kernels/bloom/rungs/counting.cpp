// ridge: flags=-O3
//
// Idea      A tuple of 28 bits says more than one of 12, but its table would have 2^28
//           entries. A counting Bloom filter keeps what was seen in 8,192 counters.
// Changed   An address becomes two hashes. Bleached and class-interleaved as before: a word holds ten
//           bits, and two words, ANDed, say which classes have seen the tuple.
// Limits    The hashes: an exclusive or for each bit of the tuple and hash, image by image.
// Look at   Accuracy for the bytes, against 12-bit tables.
// Source    Susskind et al., BTHOWeN, arXiv:2203.01479.
#include "kernels/bloom/bloom.h"

namespace ridge {
namespace {

Status prepare_counting(const Shape& shape, Plan* plan) {
  const BloomModel* model = (const BloomModel*)shape.constants;
  const int64_t words = (int64_t)model->filters << model->log2_slots;
  plan->workspace_bytes = (size_t)words * sizeof(uint16_t);
  uint16_t* table = (uint16_t*)calloc((size_t)words, sizeof(uint16_t));
  plan->state = table;
  plan->release = free;
  if (table == nullptr) return {.what = "no memory for the table"};
  for (int c = 0; c < kBloomClasses; ++c) {
    for (int64_t i = 0; i < words; ++i) {
      table[i] = (uint16_t)(table[i] | (model->counts[c * words + i] > model->bleach) << c);
    }
  }
  return {};
}

Status launch_counting(const Launch& launch) {
  const BloomModel* model = (const BloomModel*)launch.shape.constants;
  const uint16_t* table = (const uint16_t*)launch.plan_state;
  const uint64_t* row = (const uint64_t*)launch.buffers[0];
  uint8_t* classes = (uint8_t*)launch.buffers[2];
  for (int64_t i = 0; i < launch.shape.dim[0]; ++i, row += (model->features + 63) / 64) {
    int scores[kBloomClasses] = {};
    for (int filter = 0; filter < model->filters; ++filter) {
      uint16_t slots[kMaxHashes], yes = 0x3ff;
      bloom_slots(model, filter, row, slots);
      for (int h = 0; h < model->hashes; ++h) {
        yes &= table[((int64_t)filter << model->log2_slots) + slots[h]];
      }
      for (int c = 0; c < kBloomClasses; ++c) scores[c] += yes >> c & 1;
    }
    int best = 0;
    for (int c = 1; c < kBloomClasses; ++c) best = scores[c] > scores[best] ? c : best;
    classes[i] = (uint8_t)best;
  }
  return {};
}

RIDGE_KERNEL(bloom, cpu, counting, .dtypes = "bits", .prepare = prepare_counting,
             .launch = launch_counting);

}  // namespace
}  // namespace ridge
