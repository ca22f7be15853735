// Threads for the CPU rungs: OpenMP's where it was found, so that our rungs and the peers share one
// pool, which sleeps between calls (OMP_WAIT_POLICY=passive, set by the worker). C-like: ISA-flagged
// files include this.
#pragma once

namespace ridge {

/// Calls part(context, i) for i = 0 .. threads - 1, each on a thread of its own (the first on the
/// caller's), and waits.
void team_run(int threads, void (*part)(void* context, int index), void* context);

}  // namespace ridge
