// The convolution problem, for the families that pose it.
#pragma once

#include "common/harness/kernel/family.h"

namespace ridge::conv {

/// x, filters, and the image's and filter's sizes: what every family of convolutions is asked for.
std::vector<ParamSpec> shape_params();
/// A shape of `params`, or the sentence that says why there is none. Absent layout, relu and dtype: nchw,
/// no, fp32.
Result<Shape> shape_of(const Params& params);
/// Its Shape::constants is a ConvConstants.
std::unique_ptr<Problem> make_conv_problem(const Shape& shape);
/// One, three and seventeen channels, images of one pixel, filters larger than the image, strides, groups.
std::vector<Params> awkward_shapes();
/// Images first, then the image's sides.
Params shrink(const Params& params, double share);

}  // namespace ridge::conv
