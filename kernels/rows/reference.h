// The definitions in float64, and how far an honest fp32 answer may be from them.
#pragma once

#include <vector>

#include "kernels/runtime/problems/rows.h"

namespace ridge::rows {

/// One row: its values, and for each the elementwise limit of |y - ref| before y is rounded to its type.
struct Reference {
  std::vector<double> y, bound;
};

/// `x`, `weight`, `bias`: n values each, as rounded to the problem's type.
Reference reference_row(RowOp op, int64_t layers, const std::vector<double>& x,
                        const std::vector<double>& weight, const std::vector<double>& bias);

/// FLOP of an element: additions, multiplications, comparisons, divisions and exponentials count one.
double flop_per_element(RowOp op, int64_t layers);

}  // namespace ridge::rows
