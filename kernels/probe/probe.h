// The probe family's view of a launch: kernels that do nothing but use up one resource, so that what
// they reach is the machine's ceiling. Their outputs are checked like any rung's. This is the CPU's
// part; the GPU's is in probe_cuda.h.
//
//   what=fma   dim {kProbeFma, n, units}: chains of multiply-adds (kernels/runtime/problems/fma_chains.h);
//              units is kProbeLanes a thread
//   what=dot   dim {kProbeDot, n, units}: n passes; in each, every lane goes kProbeSteps times through
//              acc += x0 * f0 + x1 * f1, from 0, and is added to its out. units as for fma;
//              4 kProbeSteps n units FLOP
//              buffers  x[2 units] bf16 pairs, random normal; f[2] bf16; out[units] fp32
//   what=dot, dtype=int8   dim {kProbeDotInt8, n, units}: the same with four products a lane and step,
//              modulo 2^32; 8 kProbeSteps n units operations
//              buffers  x[4 units] uint8, random; f[4] int8; out[units] int32
//   what=logic dim {kProbeLogic, n, units}: n passes; in each, every row of kLogicChains lanes goes
//              kProbeSteps times through  v[i] ^= v[i + 1] ^ c,  i ascending and cyclic, from x, and is
//              added to its out. units is kLogicLanes a thread; kProbeSteps n units / kLogicWidth
//              instructions of three inputs
//              buffers  x[units] uint64, random; c[1] uint64; out[units] uint64
//   what=exp   dim {kProbeExp, n, units}: n passes; in each, every lane goes kProbeSteps times through
//              v = 2^(-v), from x, and all v of the three lanes u, u + k, u + 2k of a thread (k = kExpSums) are
//              added to out u. units is kProbeLanes a thread; kProbeSteps n units exponentials
//              buffers  x[units] fp32, random normal; out[units / 3] fp32
//   what=l2    dim {kProbeL2, n, units}: n times over, each thread sums every kL2Step-th of its kL2Words of
//              data; units is 1 a thread; whole lines of 64 bytes count as traffic; buffers as for read
//   what=read  dim {kProbeRead, n, units}: the 64-bit words of n bytes are summed modulo 2^64;
//              units is 1 a thread
//              buffers  data[n] random bits; out[units] uint64 partial sums, whose total counts
//   what=copy  dim {kProbeCopy, n, units}: n bytes, a multiple of 64, become another n; units is 1 a thread;
//              2 n bytes of traffic
//              buffers  data[n] random bits; out[n]
//
// ISA-flagged files include this header: C-like, nothing with external linkage but the function
// that runs threads (common/harness/kernel/kernel.h says why).
#pragma once

#include <stdint.h>

#include "common/harness/kernel/kernel.h"
#include "kernels/runtime/problems/fma_chains.h"

namespace ridge {

/// Negative: dim[0] of a GPU probe's shape is a count, so that neither runs the other's problem.
enum ProbeWhat {
  kProbeFma = -1,
  kProbeRead = -2,
  kProbeDot = -3,
  kProbeDotInt8 = -4,
  kProbeLogic = -5,
  kProbeL2 = -6,
  kProbeCopy = -7,
  kProbeExp = -8
};
enum ProbeDim { kProbeDimWhat = 0, kProbeDimN = 1, kProbeDimUnits = 2 };

/// Lanes of one CPU thread: 12 AVX-512 accumulators of 16. Narrower vectors go over them in turns.
constexpr int kProbeLanes = 192;
/// Steps of a chain before it starts afresh.
constexpr int kProbeSteps = kFmaSteps;

/// Four AVX-512 sums, of three chains each.
enum { kExpSums = kProbeLanes / 3 };

/// 12 chains of AVX-512: eight words wide. Chain i of lane l is word 8 i + l.
enum { kLogicChains = 12, kLogicWidth = 8, kLogicLanes = kLogicChains * kLogicWidth };
/// 256 KiB a thread: eight times the smallest L1 that these probes meet, and well inside the L2.
enum { kL2Words = 32768, kL2Step = 8 };  // a word of each cache line is read

struct ProbeDot {
  int64_t n;
  const uint16_t* x;
  uint32_t factors;  ///< both, the first in the low half
  float* out;
};

static inline ProbeDot probe_dot_of(const Launch& launch) {
  const uint16_t* f = (const uint16_t*)launch.buffers[1];
  ProbeDot p;
  p.n = launch.shape.dim[kProbeDimN];
  p.x = (const uint16_t*)launch.buffers[0];
  p.factors = f[0] | (uint32_t)f[1] << 16;
  p.out = (float*)launch.buffers[2];
  return p;
}

/// Success when the launch is for `what`, with `units` of them a thread.
static inline Status probe_expects(const Launch& launch, int what, int units) {
  Status status;
  if (launch.shape.dim[kProbeDimWhat] != what) {
    status.what = "this probe measures something else";
  } else if (launch.shape.dim[kProbeDimUnits] != (int64_t)units * launch.shape.threads) {
    status.what = "the units do not match the threads; leave units unset";
  }
  return status;
}

/// Calls part(context, i) for i = 0 .. threads - 1, each on a thread of its own (the last on the
/// caller's), and waits. Starting a thread takes about 30 us: calls should last 10 ms.
void probe_run_threads(int threads, void (*part)(void* context, int index), void* context);

}  // namespace ridge
