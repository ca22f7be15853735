// What a network is trained for before it is quantised, and what that makes of its weights.
#pragma once

#include <vector>

#include "kernels/quantnet/trained.h"

namespace ridge::quantnet {

/// Which weights stay, 1 or 0 for each parameter; biases always do.
///   magnitude    of each layer the largest
///   two_of_four  of each four that follow each other the two largest (Mishra et al., Accelerating Sparse Deep
///                Neural Networks, arXiv:2104.08378)
std::vector<uint8_t> kept_weights(const TrainedNet& net, Tune tune, int pruned_percent);

/// A smaller network: of each layer but the last the outputs with the largest sum of magnitudes stay, and what
/// read the others goes (Li et al., Pruning Filters for Efficient ConvNets, arXiv:1608.08710).
TrainedNet without_channels(const TrainedNet& net, int pruned_percent);

/// Each output's weights rounded to `bits`, by its largest, as a rung with a scale for each channel rounds them.
void round_as_seen(const mixed::Model& model, int bits, std::vector<float>* parameters);

}  // namespace ridge::quantnet
