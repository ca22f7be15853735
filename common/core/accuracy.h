// Which class of error the algorithm of a kernel has: part of what its rung registers.
//
// Files compiled for one instruction set include this header through common/harness/kernel/kernel.h, so it
// stays C-like. Its names are in common/record/accuracy.h.
#pragma once

#include <stdint.h>

namespace ridge {

/// What the error of an output element is bounded by, besides a small multiple of the type's unit u and the length of
/// its sum. Source: Higham, Accuracy and Stability of Numerical Algorithms, 3.1, 3.5 and 23.2.
enum class Accuracy : uint8_t {
  componentwise,  ///< |A| |B| of that very element: each product is rounded on its own scale
  row_column,     ///< the largest of its row of A times the largest of its column of B
  max_norm        ///< the largest of all A times the largest of all B
};

}  // namespace ridge
