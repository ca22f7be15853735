// Training a WiSARD: one pass over the images, counting.
#pragma once

#include <span>
#include <vector>

#include "common/harness/data/fashion_mnist.h"
#include "kernels/runtime/weightless/inspect.h"
#include "kernels/runtime/weightless/network.h"
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

/// What a class's RAMs remember, as a picture: for each pixel the share of set bits among all that was
/// counted at addresses which still say yes at this bleaching (an address weighs as often as training saw
/// it), the mean of the pixel's thermometer bits; 0 to 1, row by row.
/// Source: De Gregorio's DRASiW; Grieco, Lima, De Gregorio and Franca, Producing pattern examples from
/// "mental" images, Neurocomputing 73, 2010.
std::vector<double> mental_image(const Wisard& wisard, int c);

/// Groups: "mental image" (the model: one a class, of 1000), "image", "votes" (a row a class, a column a
/// RAM), "seen" (how often training saw the address of the unit, a row a class), "pins".
Result<Inspection> inspect_wisard(const Wisard& wisard, const Garments& set,
                                  const InspectAsked& asked);

}  // namespace ridge::wisard
