#include "kernels/wisard/model.h"

#include <algorithm>

#include "common/core/parallel.h"
#include "common/core/random.h"

namespace ridge::wisard {

WisardModel Wisard::model() const {
  return {.features = features(),
          .tuple = tuple,
          .rams = rams(),
          .bleach = bleach,
          .order = order.data(),
          .counts = counts.data()};
}

Wisard train_wisard(const ImageSet& set, std::span<const int32_t> which, int bits, int tuple,
                    int bleach, uint64_t seed) {
  Wisard wisard{
      .bits = bits, .tuple = tuple, .bleach = bleach, .thresholds = {}, .order = {}, .counts = {}};
  wisard.thresholds = weightless::quantile_thresholds(set, which, bits);
  const std::vector<int32_t> order = shuffled(wisard.features(), seed);
  for (int i = 0; i < wisard.rams() * tuple; ++i) {
    wisard.order.push_back(
        static_cast<uint16_t>(order[static_cast<size_t>(i % wisard.features())]));
  }
  wisard.counts.assign(
      (static_cast<size_t>(kRamClasses) * static_cast<size_t>(wisard.rams())) << tuple, 0);
  const auto rows = weightless::encode_rows(set.pixels.data(), set.count(), wisard.thresholds);
  const WisardModel model = wisard.model();
  // A thread has its own RAMs, so that no two write one counter.
  parallel_for(wisard.rams(), 1, [&](int64_t begin, int64_t end) {
    for (const int32_t i : which) {
      const auto c = int64_t{set.labels[static_cast<size_t>(i)]};
      for (int64_t ram = begin; ram < end; ++ram) {
        const uint32_t address = ram_address(&model, static_cast<int>(ram), rows.row(i));
        uint8_t& count =
            wisard.counts[static_cast<size_t>(((c * model.rams + ram) << tuple) + address)];
        count = static_cast<uint8_t>(std::min(count + 1, 255));
      }
    }
  });
  return wisard;
}

int predict_one(const Wisard& wisard, const uint64_t* row, int* scores) {
  int own[kRamClasses];
  int* yes = scores != nullptr ? scores : own;
  std::fill(yes, yes + kRamClasses, 0);
  const WisardModel model = wisard.model();
  for (int ram = 0; ram < model.rams; ++ram) {
    const uint32_t address = ram_address(&model, ram, row);
    for (int c = 0; c < kRamClasses; ++c) yes[c] += seen(&model, c, ram, address) > wisard.bleach;
  }
  return weightless::best_class(yes);
}

}  // namespace ridge::wisard
