// ridge: flags=-O3
//
// Idea      Ten classes ask one address: put their ten bits into one word. One load answers all of them.
// Changed   A tenth of the loads; 512 images go through one RAM before the next, whose 8 KB stay in L1;
//           addresses come from bit planes, eight images at once; words are added by carry-save counters.
// Limits    Putting addresses together: about 22 operations an image and RAM.
// Look at   1.6 MB of table in all, but 8 KB at a time.
// Source    Positional population count: Mula, Kurz and Lemire, arXiv:1611.07612; interleaving: ours.
#include "kernels/wisard/wisard.h"

namespace ridge {

typedef uint16_t Lanes __attribute__((vector_size(16)));
enum { kLanes = 8 };

/// Bit i of the byte becomes byte i.
static inline uint64_t spread(uint64_t byte) {
  const uint64_t one_each = (byte * 0x0101010101010101) & 0x8040201008040201;
  return (one_each + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
}

static inline void ram_addresses(const uint64_t* planes, const uint16_t* order, int tuple,
                                 uint16_t* address) {
  for (int s = 0; s < kRamTile; s += 8) {
    uint64_t low = 0, high = 0;
    for (int i = 0; i < tuple; ++i) {
      const uint64_t eight =
          spread(planes[(int64_t)order[i] * kRamTileWords + s / 64] >> (s % 64) & 0xff);
      *(i < 8 ? &low : &high) |= eight << (i % 8);
    }
    for (int b = 0; b < 8; ++b) {
      address[s + b] = (uint16_t)((low >> (8 * b) & 0xff) | (high >> (8 * b) & 0xff) << 8);
    }
  }
}

}  // namespace ridge

#include "kernels/wisard/rungs/interleaved.h"

namespace ridge {

RIDGE_KERNEL(wisard, cpu, class_interleaved, .dtypes = "bits", .prepare = prepare_interleaved,
             .launch = launch_interleaved);

}  // namespace ridge
