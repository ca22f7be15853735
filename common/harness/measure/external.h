// A peer that lives in another process, as a rung: NumPy and PyTorch in a python3 of their own.
//
// prepare() makes the peer's own arrays there. launch() carries all buffers over in shared memory,
// has the peer compute once, and brings the outputs back for the gate. time_calls() makes calls on
// what is there, and takes the peer's two readings of CLOCK_MONOTONIC, which is also our clock; they
// have to agree with how long we waited. The peer computes in arrays of its own making, not in the
// shared memory, whose small pages would slow it down.
//
// One process serves all plans of a peer with one thread count; another count starts it anew, since
// the libraries read theirs when they are loaded. It lives until the worker ends.
//
// A rung of such a peer is one file: kernels/gemm/peers/numpy.cpp shows it; docs/writing_a_rung.md says it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/harness/kernel/kernel.h"

namespace ridge::external {

struct Peer {
  const char* library = nullptr;  ///< "NumPy", as messages and reports call it
  const char* package = nullptr;  ///< "numpy": the folder that python3 must have
  const char* part = "";          ///< and a file in it: "lib/libtorch_cuda.so"
  /// The oldest version that is compared with, "2.5"; an older one counts as absent. docs/peers.md has it too.
  const char* floor = "";
  /// Python that runs before `script`: what several peers share.
  const char* prelude = "";
  /// Python: make(dtype, *dims) returns a plan with load(i, memory), store(i, memory), call(), and
  /// finish(), which waits until the calls are complete. With calls(n), n calls are asked for so.
  const char* script = nullptr;
  /// Instead of python3: a program that speaks the same lines, `script` its argument (tests).
  const char* (*program)() = nullptr;
  /// Between the rung's buffers and shared memory; null: memcpy.
  Status (*copy)(void* to, const void* from, size_t bytes) = nullptr;
  /// The GPU of the calling thread; null: a peer on the CPU.
  int (*device)() = nullptr;
};

struct Buffer {
  size_t bytes = 0;
  bool is_output = false;
};

/// For KernelDesc: why `peer` cannot run here (null: it can), and its version.
const char* unavailable(const Peer& peer);
const char* version(const Peer& peer);

/// The buffers in the family's order. `peer` must outlive the plan.
Status prepare(const Peer& peer, const Shape& shape, const Buffer* buffers, int count, Plan* plan);
Status launch(const Launch& launch);
Status time_calls(const Launch& launch, int64_t calls, CallTimes* times);

}  // namespace ridge::external
