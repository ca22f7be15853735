// Tiles of AMX: eight registers of 16 rows of 64 bytes. Included by files with isa=amx alone.
#pragma once

#include <immintrin.h>
#include <stdint.h>

/// What was written to `memory` is there: compilers do not know that tile instructions read it.
static inline void is_read(const void* memory) {
  __asm__ volatile("" : : "r"(memory) : "memory");
}

/// All eight tiles whole; a thread sets this before its first tile instruction and calls _tile_release() after its last.
static inline void set_whole_tiles() {
  struct {
    uint8_t palette, start_row, unused[14];
    uint16_t bytes_of_row[16];
    uint8_t rows[16];
  } config = {};
  config.palette = 1;
  for (int i = 0; i < 8; ++i) config.bytes_of_row[i] = 64, config.rows[i] = 16;
  is_read(&config);
  _tile_loadconfig(&config);
}

enum { kTileRows = 16, kTileWords = 16 };  // of 4 bytes

/// A tile whose row r is words[r], sixteen times.
static inline void repeat_along_rows(const uint32_t* words, uint32_t* tile) {
  for (int r = 0; r < kTileRows; ++r)
    for (int c = 0; c < kTileWords; ++c) tile[r * kTileWords + c] = words[r];
}
