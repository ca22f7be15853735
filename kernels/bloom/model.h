// Training counting Bloom filters: one pass, counting.
#pragma once

#include <span>
#include <vector>

#include "kernels/bloom/bloom.h"
#include "kernels/runtime/weightless/network.h"

namespace ridge::bloom {

struct BloomConfig {
  int bits = 7, tuple = 28, hashes = 2, log2_slots = 13, bleach = 1;
  uint64_t seed = 1;
};

struct BloomNet {
  BloomConfig config;
  std::vector<uint8_t> thresholds;
  std::vector<uint16_t> order, words;
  std::vector<uint8_t> counts;
  BloomModel model() const;
};

BloomNet train_bloom(const ImageSet& set, std::span<const int32_t> which,
                     const BloomConfig& config);
/// The least of the tuple's counters: at least as often as training saw it, or 255.
uint8_t min_count(const BloomModel& model, int c, int filter, const uint16_t* slots);
/// Straight from the definition: the class, and every class's number of yes where scores is not null.
int predict_one(const BloomNet& net, const uint64_t* row, int* scores = nullptr);
/// Chance that a tuple never seen is answered yes by a filter that holds `stored` different ones:
/// (1 - e^(-hashes stored / slots))^hashes (Bloom, CACM 1970, as usually approximated).
double false_positive_rate(int hashes, double slots, double stored);

}  // namespace ridge::bloom
