// Inside of the size curve: memory in place of a rate, and how far each line goes on before it meets what the
// machine has.
#pragma once

#include <vector>

#include "common/view/chart/xy_parts.h"

namespace ridge::chart::parts {

/// The rows whose memory is known: what ran, and what did not fit.
std::vector<Measured> memory_points(std::span<const LadderRow> rows);

/// A guide at `machine_bytes`, and beside the lines, dashed, what they come to at larger sizes: bytes of buffers
/// and workspace are a polynomial of degree 2 at most in a size, and three sizes tell it. Names in legend and
/// summary the first size, by doubling, at which a line has passed the guide. 0: nothing is known.
void continue_to(double machine_bytes, const std::vector<Measured>& points,
                 const std::vector<SizeLine>& lines, ChartModel* model, Span* y);

}  // namespace ridge::chart::parts
