// ridge: flags=-O3
//
// Idea      Bleaching is settled before the first image: whether a count is above it is one bit.
// Changed   Counters of a byte become bits: 1 MB of tables instead of 8 MB, with 12-bit tuples.
// Limits    Still ten loads for one address, one a class, from ten places.
// Look at   The same number of loads as direct_tables; what they bring is where they come from.
// Source    ULEEN packs its tables so (Susskind et al., doi 10.1145/3629522).
#include "kernels/wisard/wisard.h"

namespace ridge {
namespace {

Status prepare_packed(const Shape& shape, Plan* plan) {
  const WisardModel* model = (const WisardModel*)shape.constants;
  const int64_t bits = ((int64_t)kRamClasses * model->rams) << model->tuple;
  plan->workspace_bytes = (size_t)(bits + 7) / 8;
  uint8_t* packed = (uint8_t*)calloc(plan->workspace_bytes, 1);
  plan->state = packed;
  plan->release = free;
  if (packed == nullptr) return {.what = "no memory for the tables"};
  for (int64_t i = 0; i < bits; ++i) {
    packed[i / 8] = (uint8_t)(packed[i / 8] | (model->counts[i] > model->bleach) << (i % 8));
  }
  return {};
}

Status launch_packed(const Launch& launch) {
  const WisardCall call = wisard_of(launch);
  const WisardModel* model = call.model;
  const uint8_t* packed = (const uint8_t*)launch.plan_state;
  for (int64_t i = 0; i < call.images; ++i) {
    int scores[kRamClasses] = {};
    for (int ram = 0; ram < model->rams; ++ram) {
      const uint32_t address = ram_address(model, ram, call.rows + i * call.row_words);
      for (int c = 0; c < kRamClasses; ++c) {
        const int64_t at = (((int64_t)c * model->rams + ram) << model->tuple) + address;
        scores[c] += packed[at / 8] >> (at % 8) & 1;
      }
    }
    call.classes[i] = best_score(scores);
  }
  return {};
}

RIDGE_KERNEL(wisard, cpu, packed, .dtypes = "bits", .prepare = prepare_packed,
             .launch = launch_packed);

}  // namespace
}  // namespace ridge
