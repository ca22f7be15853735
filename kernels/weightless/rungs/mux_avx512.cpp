// ridge: isa=avx512f flags=-O3
//
// Idea      512 images wide, and vpternlog: any function of three bits, so a multiplexer, in one.
// Changed   Three instructions a multiplexer become one, five a full adder two.
// Limits    The table is data: 32 leaves are fetched for every LUT, each by an index computed from it.
// Look at   38 loads of 64 bytes a LUT, against 31 multiplexers. A Zen 4 (not the lesson's Xeon) loads one a cycle.
// Source    As mux_portable; Intel's ternary logic instruction.
#include "kernels/weightless/rungs/vec512.h"

#include "kernels/weightless/rungs/mux_tree.h"

namespace ridge {

static inline void eight_luts(const LutModel* model, const void*, int first, int count,
                              const uint64_t* planes, Vec* out) {
  eight_muxes(model, first, count, planes, out);
}

}  // namespace ridge

#include "kernels/weightless/rungs/bit_sliced.h"

namespace ridge {

/// 31 multiplexers and a complement; a table and its wiring are 20 bytes.
static Status prepare(const Shape& shape, Plan* plan) {
  count_work(shape, 32, 20, plan);
  return prepare_encoder(shape, plan);
}

RIDGE_KERNEL(weightless, cpu, mux_avx512, .dtypes = "bits", .prepare = prepare,
             .launch = launch_encoded);

}  // namespace ridge
