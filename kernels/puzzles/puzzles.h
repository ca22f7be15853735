// What a puzzle's kernel is handed: up to three matrices of floats, row-major, and one to fill.
//
//   buffers[0] a   buffers[1] b   buffers[2] c     inputs; which of them a puzzle has, and their sizes, says
//                                                  kernels/puzzles/definitions.h
//   buffers[3] y                                   output; arrives filled with poison
//   dim {rows, columns}                            of `a`; a vector is one row
//
// C-like: ISA-flagged files include this (common/harness/kernel/kernel.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge {

enum PuzzleBuffer { kPuzzleA = 0, kPuzzleB = 1, kPuzzleC = 2, kPuzzleY = 3 };
enum PuzzleDim { kPuzzleRows = 0, kPuzzleColumns = 1 };

/// One call. Indices of all buffers fit an int.
struct Puzzle {
  int rows, columns;
  const float *a, *b, *c;
  float* y;
  void* stream;  ///< cudaStream_t on CUDA
};

static inline Puzzle puzzle_of(const Launch& launch) {
  Puzzle p;
  p.rows = (int)launch.shape.dim[kPuzzleRows];
  p.columns = (int)launch.shape.dim[kPuzzleColumns];
  p.a = (const float*)launch.buffers[kPuzzleA];
  p.b = (const float*)launch.buffers[kPuzzleB];
  p.c = (const float*)launch.buffers[kPuzzleC];
  p.y = (float*)launch.buffers[kPuzzleY];
  p.stream = launch.stream;
  return p;
}

enum {
  kPuzzleBlock = 256,  ///< elements that have a sum of their own: reduction, scan
  kPuzzleTaps = 9,     ///< weights of the convolution, half of them to each side
  kPuzzleBins = 32,    ///< of the histogram
  kPuzzleSorted = 64,  ///< elements of a row that is sorted
  kPuzzleHead = 32     ///< elements of a query, a key and a value
};

#ifdef __CUDACC__
#define RIDGE_PUZZLE_FUNCTION __host__ __device__
#else
#define RIDGE_PUZZLE_FUNCTION
#endif
/// The histogram's bin of a value: four to a whole number from -4 to 4, and what lies beyond is in the outermost.
RIDGE_PUZZLE_FUNCTION static inline int puzzle_bin(float x) {
  const int bin = (int)((x + 4.0f) * 4.0f);
  return bin < 0 ? 0 : bin < kPuzzleBins ? bin : kPuzzleBins - 1;
}

}  // namespace ridge
