// ridge: arch=75
//
// Idea      The table is no longer data: each is the shortest circuit of lop3, written as CUDA C++ when the
//           network is known and compiled then, by NVRTC. The same circuits as the CPU's generated code.
// Changed   About 12 lop3 a table instead of 31 and its leaves; where a plane lies is part of a load.
// Limits    A class's code is some 64 KB, so that a block has one class; all images of a class come before
//           the next class, and the planes leave the L2 in between: each is fetched for several classes.
// Look at   Compile time in the note. It runs once for a network, and at 12 instructions a table who would
//           write them by hand?
// Source    lut_circuit.h; NVRTC documentation; network as logic: Umuroglu et al., LogicNets, FPL 2020.
#include "kernels/weightless/rungs/generated_words.h"

namespace {

using Generated = ridge::words::GeneratedWords<0>;

}  // namespace

RIDGE_KERNEL(weightless, cuda, generated, .dtypes = "bits",
             .unavailable = ridge::device::nvrtc_missing,
             .prepare = ridge::words::prepare_state<Generated>,
             .launch = ridge::words::launch_generated<Generated>);
