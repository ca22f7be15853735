// ridge: isa=amx flags=-O2
//
// Idea      The most int8 work a core with AMX can do: a tile of 16 x 16 sums, to each of which one instruction adds 64
//           products.
// Changed   Another instruction than dot_int8. Rows of A are the units' numbers, repeated; all of B is the factors. So each of a
//           row's 16 sums takes 16 steps of its unit at once, and the unit's result is their total.
// Limits    The tile unit: an instruction of 32,768 operations each 16 clocks. Four tiles of sums hide its latency.
// Source    Intel 64 and IA-32 Architectures Optimization Reference Manual, "Intel AMX" (2 x 2 tiles of sums).
#include <immintrin.h>

#include "kernels/probe/probe.h"
#include "kernels/runtime/cpu/amx_tiles.h"

namespace ridge {
namespace {

typedef struct {
  int64_t n;
  const uint8_t* x;
  int32_t factors;  ///< four signed bytes
  int32_t* out;
} DotInt8;

// Groups of two rows of tiles: x0 and x1 of 16 units each, two tiles of sums for each, which share the steps.
enum { kGroup = 2 * kTileRows, kStepsOfTile = 16 * kTileWords };

void dot_part(void* context, int index) {
  const DotInt8* p = (const DotInt8*)context;
  const uint32_t* x = (const uint32_t*)p->x + (int64_t)index * kProbeLanes;
  int32_t* out = p->out + (int64_t)index * kProbeLanes;
  const int64_t turns = p->n * kProbeSteps / kStepsOfTile / 2;
  uint32_t a0[kTileRows * kTileWords], a1[kTileRows * kTileWords], b[kTileRows * kTileWords];
  for (int i = 0; i < kTileRows * kTileWords; ++i) b[i] = (uint32_t)p->factors;
  set_whole_tiles();
  for (int group = 0; group < kProbeLanes; group += kGroup) {
    repeat_along_rows(x + group, a0);
    repeat_along_rows(x + group + kTileRows, a1);
    is_read(a0), is_read(a1), is_read(b);
    _tile_loadd(4, a0, 64);
    _tile_loadd(5, a1, 64);
    _tile_loadd(6, b, 64);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t turn = 0; turn < turns; ++turn) {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 5, 6);
      _tile_dpbusd(2, 4, 6);
      _tile_dpbusd(3, 5, 6);
    }
    int32_t sums[4][kTileRows][kTileWords];
    _tile_stored(0, sums[0], 64);
    _tile_stored(1, sums[1], 64);
    _tile_stored(2, sums[2], 64);
    _tile_stored(3, sums[3], 64);
    for (int unit = 0; unit < kGroup; ++unit) {
      const int tile = unit / kTileRows, row = unit % kTileRows;
      uint32_t all = 0;
      for (int c = 0; c < kTileWords; ++c)
        all += (uint32_t)sums[tile][row][c] + (uint32_t)sums[tile + 2][row][c];
      out[group + unit] = (int32_t)all;
    }
  }
  _tile_release();
}

Status launch_dot(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeDotInt8, kProbeLanes);
  if (!status.ok()) return status;
  DotInt8 p = {launch.shape.dim[kProbeDimN], (const uint8_t*)launch.buffers[0],
               *(const int32_t*)launch.buffers[1], (int32_t*)launch.buffers[2]};
  probe_run_threads(launch.shape.threads, dot_part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, dot_int8_amx, .dtypes = "int8", .launch = launch_dot);

}  // namespace
}  // namespace ridge
