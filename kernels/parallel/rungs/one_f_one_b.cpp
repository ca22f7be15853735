// ridge: flags=-O3
//
// Idea      A part's outputs are needed until it has come back. If it comes back soon, few parts are on their way at a time.
// Changed   Each rank sends as many parts forward as there are ranks behind it. Then it takes one back for each that it sends:
//           one forward, one backward.
// Limits    The same bubble as before: (p - 1) / (m + p - 1).
// Look at   The note: outputs of p parts at most, and not of all m.
// Source    Narayanan et al., PipeDream, SOSP 2019; with one update for all parts: Narayanan et al., ICML 2021 (PipeDream-Flush).
#include "kernels/parallel/stages.h"

namespace ridge::parallel {
namespace {

void step(TrainingRank& r) {
  Stage stage(&r, r.me, r.shape.ranks);
  const int64_t parts = r.shape.parts, behind = r.shape.ranks - 1 - r.me;
  const int64_t ahead = behind < parts ? behind : parts;
  Pass passes[kMostParts];
  for (int64_t part = 0; part < ahead; ++part) passes[part] = stage.forward(part);
  for (int64_t part = 0; part < parts; ++part) {
    if (part + ahead < parts) passes[part + ahead] = stage.forward(part + ahead);
    stage.backward(&passes[part]);
  }
  stage.update();
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_training(shape, {.holding = holds_stage, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, one_f_one_b, .time_calls = time_training,
             .unavailable = ranks_unavailable, .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
