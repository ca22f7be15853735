// A LutNetwork as the text of a CUDA kernel: every table is a circuit of lop3 (lut_circuit.h, the same
// that generated.cpp writes as x86 instructions), every plane's place a constant. Text only: no GPU is
// needed to write it, nor to read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/runtime/weightless/weightless.h"

namespace ridge::weightless {

/// Bits of a score, three at least.
int score_counters(int luts_per_class);

struct Lop3Source {
  std::string text;
  int64_t operations = 0;  ///< lop3 of all tables, adding not counted
};

/// Kernel classify(const Word* planes, Word* scores, long long words, int tile_blocks, Word zero): one thread a word
/// and class, kWordsPerBlock words a block, blocks in the order [tile of tile_blocks][class][block].
/// scores: [class][counter][words], `words` a multiple of 16.
/// kBlocksPerSm limits registers: 2 to 4 blocks were measured on an H200, 4 are 1.26 times as fast as 2.
inline constexpr int kWordsPerBlock = 128, kBlocksPerSm = 4;
Lop3Source planes_source(const LutModel& model);

/// Planes that the network reads, each once: features of one pixel and one threshold are the same plane.
/// The most read come first.
struct PlaneList {
  std::vector<uint16_t> feature;  ///< [plane]: the first feature that is it
  std::vector<int32_t> plane_of;  ///< [feature], -1: never read
};
PlaneList planes_read(const LutModel& model);
/// [level][pixel]: the plane that a comparison makes; of features that are the same plane the first does. -1: none.
std::vector<int16_t> planes_made(const LutModel& model, const PlaneList& list);

/// What a staged program (kernels/weightless/rungs/staged_fill.h) is made for.
struct Staging {
  int hot = 0;               ///< so many planes of the list in shared memory
  bool from_pixels = false;  ///< the others: in a workspace of the block, or where the planes lie
  int parts = 2;             ///< warps a class
};
Lop3Source staged_source(const LutModel& model, const PlaneList& list, const Staging& staging);

}  // namespace ridge::weightless
