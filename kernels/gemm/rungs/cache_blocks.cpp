// ridge: flags=-O3
//
// Idea      Work on a block of B that stays in cache while every row of A passes over it, and on
//           four rows of C at a time, so that a line of B in the L1 feeds four of them.
// Changed   Two outer loops over blocks of k and n, and a strip of four rows inside. The block of B
//           is kBlockK x kBlockN x 4 B = 256 KiB: half of a 512 KiB L2 and a quarter of a 1 MiB one.
// Limits    Still one load and one store of C for every vector multiply-add, which is four elements:
//           the registers, not the cache, are the next wall.
// Look at   The curve over n: loop order falls off once B leaves the L2 cache, this one does not.
// Source    Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication (TOMS 2008):
//           the outer loops of their scheme, without the packing.
#include "kernels/runtime/problems/gemm.h"

namespace ridge {
namespace {

constexpr int64_t kBlockK = 128;
constexpr int64_t kBlockN = 512;
constexpr int64_t kStrip = 4;

int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/// Adds A(i .. i+4, p0 .. p1) * B(p0 .. p1, j0 .. j1) to four rows of C.
void strip(const Gemm& g, int64_t i, int64_t p0, int64_t p1, int64_t j0, int64_t j1) {
  float* __restrict c0 = g.c + i * g.n;
  float* __restrict c1 = c0 + g.n;
  float* __restrict c2 = c1 + g.n;
  float* __restrict c3 = c2 + g.n;
  for (int64_t p = p0; p < p1; ++p) {
    const float* a = g.a + i * g.k + p;
    const float a0 = a[0], a1 = a[g.k], a2 = a[2 * g.k], a3 = a[3 * g.k];
    const float* b = g.b + p * g.n;
    for (int64_t j = j0; j < j1; ++j) {
      c0[j] += a0 * b[j];
      c1[j] += a1 * b[j];
      c2[j] += a2 * b[j];
      c3[j] += a3 * b[j];
    }
  }
}

/// The same for one row: the m mod 4 rows at the end.
void single(const Gemm& g, int64_t i, int64_t p0, int64_t p1, int64_t j0, int64_t j1) {
  float* __restrict c = g.c + i * g.n;
  for (int64_t p = p0; p < p1; ++p) {
    const float scale = g.a[i * g.k + p];
    const float* b = g.b + p * g.n;
    for (int64_t j = j0; j < j1; ++j) c[j] += scale * b[j];
  }
}

Status launch_cache_blocks(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  for (int64_t i = 0; i < g.m * g.n; ++i) g.c[i] = 0;
  for (int64_t j0 = 0; j0 < g.n; j0 += kBlockN) {
    const int64_t j1 = least(j0 + kBlockN, g.n);
    for (int64_t p0 = 0; p0 < g.k; p0 += kBlockK) {
      const int64_t p1 = least(p0 + kBlockK, g.k);
      int64_t i = 0;
      for (; i + kStrip <= g.m; i += kStrip) strip(g, i, p0, p1, j0, j1);
      for (; i < g.m; ++i) single(g, i, p0, p1, j0, j1);
    }
  }
  return {};
}

RIDGE_KERNEL(gemm, cpu, cache_blocks, .launch = launch_cache_blocks);

}  // namespace
}  // namespace ridge
