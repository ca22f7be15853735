// Test images as the inference problems of this lab hand them out, and how their answers are judged.
#pragma once

#include <cstddef>
#include <span>

#include "common/record/types.h"
#include "kernels/runtime/weightless/network.h"

namespace ridge::weightless {

/// Seed 1: the test set from its start, over again where more are asked; other seeds: images of it drawn
/// at random.
struct EncodedBatch {
  EncodedBatch(const std::vector<uint8_t>& thresholds, int64_t images, uint64_t seed);
  /// In tiles of 512 images, as kernels/runtime/weightless/weightless.h describes; padding is zero.
  void write_planes(uint64_t* planes) const;
  static size_t row_bytes(int64_t images, int features);
  static size_t plane_bytes(int64_t images, int features);

  std::vector<uint8_t> pixels, labels;
  BitRows rows;
};

/// Every prediction equal to the expected one; accuracy against the labels as task metric, and of the whole test set in
/// its order (an EncodedBatch of seed 1) which images are right.
QualityCheck judge_classes(std::span<const std::byte> classes, const std::vector<uint8_t>& expected,
                           const std::vector<uint8_t>& labels, uint64_t seed);

/// `input` as the one image of a call from pixels; false: it has another size.
bool feed_pixels(std::span<const uint8_t> input, std::vector<std::byte>* pixels);

}  // namespace ridge::weightless
