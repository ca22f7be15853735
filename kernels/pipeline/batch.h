// What travels through the pipeline: which image comes when, and how a batch lies in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/core/random.h"
#include "kernels/pipeline/loader.h"

namespace ridge::pipeline {

/// One image of a batch: stands at the head of the batch, and crosses with it.
struct Record {
  int32_t file = -1;               ///< which of the set; -1: nothing is here
  int32_t label = -1;              ///< -1: skipped, its file is broken; the step leaves it out
  int32_t x = 0, y = 0, flip = 0;  ///< where it is cropped, and whether mirrored
  uint32_t bytes = 0;              ///< Carried::jpeg: of its file
};

/// Sizes of everything. The crop is seven eighths of the side, a multiple of kPool.
inline constexpr int kPool = 8, kChannels = 3;
struct Geometry {
  int side = 0, crop = 0, batch = 0;
  Carried carried = Carried::tensor;
  size_t image_bytes = 0;  ///< room of one image in a batch

  size_t payload_at() const { return (sizeof(Record) * size_t(batch) + 4095) / 4096 * 4096; }
  size_t batch_bytes() const { return payload_at() + image_bytes * size_t(batch); }
  int pooled() const { return crop / kPool; }
  int features() const { return kChannels * pooled() * pooled(); }
};

/// A batch in host memory, or on the CPU's "device".
struct Batch {
  std::byte* base = nullptr;
  const Geometry* geometry = nullptr;
  Record* records() const { return reinterpret_cast<Record*>(base); }
  uint8_t* image(int i) const {
    return reinterpret_cast<uint8_t*>(base) + geometry->payload_at() +
           geometry->image_bytes * size_t(i);
  }
};

/// Item k is the k-th image since the start. Each epoch is a shuffle of its own, by the seed; which
/// worker loads what does not change it. The last batch of an epoch runs on into the next.
class Order {
 public:
  Order(int64_t files, uint64_t seed) : files_(files), seed_(seed) {}
  int64_t files() const { return files_; }
  int64_t epoch(int64_t item) const { return item / files_; }
  std::vector<int32_t> shuffle(int64_t epoch) const {
    return shuffled(files_, seed_ * 1'000'003 + static_cast<uint64_t>(epoch));
  }
  /// Crop and flip of a file in an epoch.
  void augment(int64_t epoch, Record* record, const Geometry& g) const {
    const uint64_t key = random_key(seed_ * 7919 + static_cast<uint64_t>(epoch));
    const uint64_t at = static_cast<uint64_t>(record->file) * 3;
    const auto room = static_cast<uint32_t>(g.side - g.crop + 1);
    record->x = static_cast<int32_t>(random_below(key, at, room));
    record->y = static_cast<int32_t>(random_below(key, at + 1, room));
    record->flip = static_cast<int32_t>(random_below(key, at + 2, 2));
  }

 private:
  int64_t files_;
  uint64_t seed_;
};

/// A byte becomes byte * scale + shift: the mean and deviation that most networks for photographs use.
inline constexpr float kMean[kChannels] = {0.485f, 0.456f, 0.406f};
inline constexpr float kDeviation[kChannels] = {0.229f, 0.224f, 0.225f};
constexpr float scale_of(int c) {
  return 1 / (255 * kDeviation[c]);
}
constexpr float shift_of(int c) {
  return -kMean[c] / kDeviation[c];
}

}  // namespace ridge::pipeline
