// Judges a convolution against float64 on the same inputs. Full: every output. Sampled: 4,096 outputs exactly, and of
// every pixel a weighted sum over its filters, which is a convolution with one filter (the idea of Freivalds' test). A
// relu is not linear, and no such sum survives it: every output exactly up to kMaxJudged multiplications, and beyond
// them one output in each block of 8 x 8 pixels and 16 filters, so that no tile of a kernel is left out.
#pragma once

#include "common/harness/kernel/family.h"

namespace ridge::conv {

/// About half a second on two cores; 56 x 56 x 64 to 64 takes 1.2e8.
inline constexpr double kMaxJudged = 5e8;
inline constexpr int64_t kBlockPixels = 8, kBlockFilters = 16;

/// `host` holds x, f, bias and y of `shape`, each of its size.
QualityCheck check_conv(const Shape& shape, const HostBuffers& host, bool full, uint64_t seed);

/// Every output of graded inputs, against the bound of the rung's class (quality::graded_bound()). A row of A is what
/// an output sees of the image, a column of B its filter.
QualityCheck check_graded(const Shape& shape, const HostBuffers& host, Accuracy accuracy);

}  // namespace ridge::conv
