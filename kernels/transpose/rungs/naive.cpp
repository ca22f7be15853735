// ridge: flags=-O2
//
// Idea      Row by row: read along a row of x, write down a column of y.
// Limits    Each element written is in another cache line, and another page. Which costs more is not measured.
// Look at   n = 4096 against n = 4100: where columns lie a power of two apart, they share few cache sets.
// Source    The definition.
#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

Status launch_naive(const Launch& launch) {
  const Rows r = rows_of(launch);
  for (int64_t i = 0; i < r.m; ++i) {
    for (int64_t j = 0; j < r.n; ++j) r.y[j * r.m + i] = r.x[i * r.n + j];
  }
  return {};
}

RIDGE_KERNEL(transpose, cpu, naive, .launch = launch_naive);

}  // namespace
}  // namespace ridge
