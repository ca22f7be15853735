// The vector row of this CPU, for the rungs that are about something else.
#pragma once

#include "common/harness/measure/isa.h"
#include "kernels/runtime/cpu/scalar_row.h"

namespace ridge {

extern const RowCode rows_avx2;    // kernels/rows/rungs/avx2.cpp
extern const RowCode rows_avx512;  // kernels/rows/rungs/avx512.cpp

/// The widest that this CPU has and RIDGE_MAX_ISA allows.
inline RowCode widest_rows() {
  const measure::IsaLevel isa = measure::usable_isa();
  if (isa == measure::IsaLevel::avx512) return rows_avx512;
  return isa == measure::IsaLevel::avx2 ? rows_avx2 : RowCode{scalar_row, nullptr};
}

}  // namespace ridge
