// ridge: isa=avx512f flags=-O3
//
// Idea      The table is no longer data: each LUT becomes the shortest circuit of three-input functions,
//           written as machine code when the network is known. vpternlog computes any such function.
// Changed   No leaves to store and fetch: six loads, about 12 vpternlog, a store. Parts of a table that
//           agree, or are each other's complement, are computed once; inputs are ordered so that many do.
// Limits    Probably bytes: six planes a LUT, and the code itself. Some 180 bytes a LUT are data too, for the
//           instruction fetch.
// Look at   The operations a LUT in the note, against the 31 of the tree.
// Source    lut_circuit.h, generated_code.cpp; a network as straight-line logic: Umuroglu and others,
//           LogicNets, FPL 2020, for FPGAs.
#include <stdio.h>

#include "kernels/weightless/encoder.h"
#include "kernels/weightless/generated_code.h"
#include "kernels/weightless/rungs/vec512.h"

#include "kernels/weightless/rungs/mux_tree.h"

namespace ridge {

typedef struct {
  GeneratedCode* code;
  Encoder* encoder;
  int groups_per_class;
} GeneratedPlan;

static inline void eight_luts(const LutModel* model, const void* job, int first, int count,
                              const uint64_t* planes, Vec* out) {
  const GeneratedPlan* plan = (const GeneratedPlan*)job;
  if (plan->code->groups == nullptr) return eight_muxes(model, first, count, planes, out);
  const int c = first / model->luts_per_class, at = first % model->luts_per_class / 8;
  plan->code->groups[c * plan->groups_per_class + at](planes, (uint64_t*)out);
}

}  // namespace ridge

#include "kernels/weightless/rungs/bit_sliced.h"

namespace ridge {

static void release(void* state) {
  GeneratedPlan* plan = (GeneratedPlan*)state;
  free_code(plan->code);
  free_encoder(plan->encoder);
  free(plan);
}

static Status prepare(const Shape& shape, Plan* plan) {
  const LutModel* model = (const LutModel*)shape.constants;
  GeneratedPlan* made = (GeneratedPlan*)malloc(sizeof(GeneratedPlan));
  made->code = generate_code(model);
  made->encoder = shape.dim[kLutFromPixels] != 0 ? make_encoder(model) : nullptr;
  made->groups_per_class = (model->luts_per_class + 7) / 8;
  plan->state = made;
  plan->release = release;
  plan->workspace_bytes = made->code->bytes + (made->encoder != nullptr ? made->encoder->bytes : 0);
  const double code = (double)made->code->bytes / model->luts;
  if (made->code->groups == nullptr) {
    snprintf(plan->note, sizeof(plan->note), "multiplexers instead: %s", made->code->reason);
  } else {
    snprintf(plan->note, sizeof(plan->note), "%.1f operations and %.0f bytes of code a LUT",
             made->code->operations / (double)model->luts, code);
    count_work(shape, made->code->operations / (double)model->luts, code, plan);
  }
  return {};
}

static Status launch(const Launch& launch) {
  const Classify c = classify_of(launch);
  const GeneratedPlan* plan = (const GeneratedPlan*)launch.plan_state;
  classify_all(&c, plan, plan->encoder);
  return {};
}

RIDGE_KERNEL(weightless, cpu, generated, .dtypes = "bits", .prepare = prepare, .launch = launch);

}  // namespace ridge
