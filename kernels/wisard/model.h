// Training a WiSARD: one pass over the images, counting.
#pragma once

#include <span>
#include <vector>

#include "common/data/fashion_mnist.h"
#include "kernels/weightless/network.h"
#include "kernels/wisard/wisard.h"

namespace ridge::wisard {

struct Wisard {
  int bits = 0, tuple = 0, bleach = 0;
  std::vector<uint8_t> thresholds;
  std::vector<uint16_t> order;
  std::vector<uint8_t> counts;
  int features() const { return kGarmentPixels * bits; }
  int rams() const { return (features() + tuple - 1) / tuple; }
  WisardModel model() const;
};

/// The features in an order that the seed decides, cut into tuples; the last tuple is filled up with the
/// first features again.
Wisard train_wisard(const ImageSet& set, std::span<const int32_t> which, int bits, int tuple,
                    int bleach, uint64_t seed);
/// Straight from the definition: the class, and every class's number of yes where scores is not null.
int predict_one(const Wisard& wisard, const uint64_t* row, int* scores = nullptr);

}  // namespace ridge::wisard
