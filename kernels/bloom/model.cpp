#include "kernels/bloom/model.h"

#include <algorithm>
#include <cmath>

#include "common/core/parallel.h"
#include "common/core/random.h"

namespace ridge::bloom {
namespace {

size_t first_slot(const BloomModel& model, int c, int filter) {
  return static_cast<size_t>(int64_t{c} * model.filters + filter) << model.log2_slots;
}

}  // namespace

BloomModel BloomNet::model() const {
  const int features = kGarmentPixels * config.bits;
  return {.features = features,
          .tuple = config.tuple,
          .filters = (features + config.tuple - 1) / config.tuple,
          .hashes = config.hashes,
          .bleach = config.bleach,
          .log2_slots = config.log2_slots,
          .order = order.data(),
          .words = words.data(),
          .counts = counts.data()};
}

BloomNet train_bloom(const ImageSet& set, std::span<const int32_t> which,
                     const BloomConfig& config) {
  BloomNet net{.config = config, .thresholds = {}, .order = {}, .words = {}, .counts = {}};
  net.thresholds = weightless::quantile_thresholds(set, which, config.bits);
  const std::vector<int32_t> order = shuffled(kGarmentPixels * config.bits, config.seed);
  const int filters = net.model().filters;
  for (int i = 0; i < filters * config.tuple; ++i) {
    net.order.push_back(static_cast<uint16_t>(order[static_cast<size_t>(i) % order.size()]));
  }
  const uint64_t key = random_key(config.seed + 77);
  for (int i = 0; i < config.hashes * config.tuple; ++i) {
    net.words.push_back(static_cast<uint16_t>(
        random_below(key, static_cast<uint64_t>(i), 1u << config.log2_slots)));
  }
  net.counts.assign(first_slot(net.model(), kBloomClasses, 0), 0);
  const auto rows = weightless::encode_rows(set.pixels.data(), set.count(), net.thresholds);
  const BloomModel model = net.model();
  parallel_for(filters, 1, [&](int64_t begin, int64_t end) {  // a thread has its own filters
    for (const int32_t i : which) {
      for (int64_t f = begin; f < end; ++f) {
        const auto filter = static_cast<int>(f);
        uint16_t slots[kMaxHashes];
        bloom_slots(&model, filter, rows.row(i), slots);
        const int c = set.labels[static_cast<size_t>(i)];
        const uint8_t least = min_count(model, c, filter, slots);
        uint8_t* counts = &net.counts[first_slot(model, c, filter)];
        for (int h = 0; h < model.hashes; ++h) {
          if (counts[slots[h]] == least)
            counts[slots[h]] = static_cast<uint8_t>(std::min(least + 1, 255));
        }
      }
    }
  });
  return net;
}

uint8_t min_count(const BloomModel& model, int c, int filter, const uint16_t* slots) {
  uint8_t least = 255;
  for (int h = 0; h < model.hashes; ++h) {
    least = std::min(least, model.counts[first_slot(model, c, filter) + slots[h]]);
  }
  return least;
}

int predict_one(const BloomNet& net, const uint64_t* row, int* scores) {
  const BloomModel model = net.model();
  int own[kBloomClasses];
  int* yes = scores != nullptr ? scores : own;
  std::fill(yes, yes + kBloomClasses, 0);
  for (int filter = 0; filter < model.filters; ++filter) {
    uint16_t slots[kMaxHashes];
    bloom_slots(&model, filter, row, slots);
    for (int c = 0; c < kBloomClasses; ++c) {
      yes[c] += min_count(model, c, filter, slots) > model.bleach;
    }
  }
  return weightless::best_class(yes);
}

double false_positive_rate(int hashes, double slots, double stored) {
  return std::pow(1 - std::exp(-hashes * stored / slots), hashes);
}

}  // namespace ridge::bloom
