// ridge: flags=-O3
//
// Idea      Pipeline parallel: a rank keeps some layers, all of each, and the batch goes from rank to rank. Cut into m parts it
//           keeps all ranks at work: while the second computes the first part, the first computes the second.
// Changed   Layers are shared out, not the batch or a matrix. All parts go forward, then all go back.
// Limits    The last of p ranks begins p - 1 parts late, and the first ends as late: (p - 1) / (m + p - 1) of the time is a bubble.
//           A rank keeps the outputs of all m parts.
// Look at   Few bytes: one output a part crosses a border. Set `parts` from 1 to 16 and see the bubble shrink.
// Source    Huang et al., GPipe, NeurIPS 2019.
#include "kernels/parallel/stages.h"

namespace ridge::parallel {
namespace {

void step(TrainingRank& r) {
  Stage stage(&r, r.me, r.shape.ranks);
  Pass passes[kMostParts];
  for (int64_t part = 0; part < r.shape.parts; ++part) passes[part] = stage.forward(part);
  for (int64_t part = r.shape.parts; part-- > 0;) stage.backward(&passes[part]);
  stage.update();
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_training(shape, {.holding = holds_stage, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, gpipe, .time_calls = time_training, .unavailable = ranks_unavailable,
             .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
