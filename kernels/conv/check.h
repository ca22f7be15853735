// Judges a convolution against float64 on the same inputs. Full: every output. Sampled: 4,096 outputs exactly, and of
// every pixel a weighted sum over its filters, which is a convolution with one filter (the idea of Freivalds' test);
// after a relu, which is not linear, that every output is a number >= 0.
#pragma once

#include "common/harness/kernel/family.h"

namespace ridge::conv {

/// `host` holds x, f, bias and y of `shape`, each of its size.
QualityCheck check_conv(const Shape& shape, const HostBuffers& host, bool full, uint64_t seed);

/// Every output of graded inputs, against the bound of the rung's class (quality::graded_bound()). A row of A is what
/// an output sees of the image, a column of B its filter.
QualityCheck check_graded(const Shape& shape, const HostBuffers& host, Accuracy accuracy);

}  // namespace ridge::conv
