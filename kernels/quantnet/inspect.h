// Looking inside a network of this family (common/record/inspection.h).
#pragma once

#include "common/record/inspection.h"
#include "kernels/quantnet/recipes.h"

namespace ridge::quantnet {

/// Of each layer's output, of the scores last: 10 log10 of what the network has in fp32 over what this one is
/// off, squared and summed over the first images of `set`. Infinite where nothing is off.
std::vector<double> signal_to_noise(const QuantNet& net, const QuantNet& plain, const ImageSet& set,
                                    int64_t images);

/// Groups: "activations" (16 x 64 a layer, a histogram with the clipping point of each calibration marked) and
/// "noise" and, of integers, "sensitivity" (a cell a layer; a mark's value is 1 where it was kept). With an input: the input and its scores.
Result<Inspection> inspect(const Params& params, const InspectAsked& wanted);

}  // namespace ridge::quantnet
