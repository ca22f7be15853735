// Twelve independent chains in named registers: as an array the accumulators were spilled at -O2, which
// halved the rate. The including file defines, for chain i,
//   RIDGE_CHAIN_START(i)  its registers, loaded     RIDGE_CHAIN_STEP(i)  one instruction
//   RIDGE_CHAIN_ADD(i)    what it came to, added to the output
#pragma once

#define RIDGE_EACH_CHAIN(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
/// n passes of `steps` steps.
#define RIDGE_CHAIN_PASSES(n, steps)             \
  for (int64_t pass = 0; pass < (n); ++pass) {   \
    RIDGE_EACH_CHAIN(RIDGE_CHAIN_START)          \
    for (int step = 0; step < (steps); ++step) { \
      RIDGE_EACH_CHAIN(RIDGE_CHAIN_STEP)         \
    }                                            \
    RIDGE_EACH_CHAIN(RIDGE_CHAIN_ADD)            \
  }
