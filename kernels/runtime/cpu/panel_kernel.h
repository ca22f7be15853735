// What a packed rung brings to the loops of panels.h: its register tile, and the code that computes
// one. C-like, static only: ISA-flagged files include it.
#pragma once

#include <stdint.h>

namespace ridge {

/// Where a tile finds its panel of B: packed; or in B itself, with or without copying it to `packed`.
enum class PanelSource : uint8_t { packed, copy, direct };

/// One tile of C for the micro-kernel: rows x columns, at most the register tile.
struct PanelTile {
  const void* a;  ///< panel of A: rows a_stride apart, PanelKernel::a_stride where it was copied
  int64_t a_stride;
  void* packed;    ///< panel of B: PanelKernel::columns elements for each step of k
  const void* b;   ///< the same panel in B
  int64_t stride;  ///< of B, and of C where B is row-major
  int64_t depth;   ///< steps of k
  void* c;         ///< where the result goes
  float* sum;      ///< where it is summed in fp32 between blocks of k: c itself for fp32
  int64_t sum_stride;
  int rows, columns;
  int64_t row, column;  ///< of its first element in C
  const void* context;  ///< PanelJob::context
  PanelSource source;
  bool first, last;  ///< block of k: the first overwrites (no pass of zeros), the last rounds
};

/// A register tile and the code that computes it.
struct PanelKernel {
  int rows, columns;  ///< of the register tile
  int bytes;          ///< of an element of A and B
  int c_bytes;        ///< of an element of C
  int64_t depth;      ///< most steps of k in one block, even
  int64_t a_stride;  ///< between the rows of a panel of A: depth and a cache line, so that its rows
                     ///< do not fall into the same sets of the caches
  bool in_place = false;  ///< tile() takes A as it lies, whatever its stride
  void (*tile)(const PanelTile* tile);
  /// One column of B: c[i] = row i of A (k long) times b, for i < rows. Null: a tile like any other.
  void (*dots)(const void* a, const void* b, void* c, int64_t rows, int64_t k) = nullptr;
  /// Packs a panel before the first tile that reads it. Null: its first tile copies it, of a row-major B.
  void (*pack_b)(const PanelTile* tile) = nullptr;
  bool b_transposed = false;  ///< B is n x k, k contiguous (gemm.h); with pack_b
  int b_bytes = 0;            ///< of a packed element of B, 0: as in B; with pack_b
  int b_head = 0;             ///< bytes that begin a packed panel; with pack_b
  /// Copies a panel of A, rows of `depth` elements that lie `stride` apart, to rows * a_stride elements;
  /// null: as they are, a_stride apart.
  void (*copy_a)(void* to, const void* from, int64_t stride, int rows, int64_t depth) = nullptr;
};

}  // namespace ridge
