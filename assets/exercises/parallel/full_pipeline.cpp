// ridge: flags=-O3
//
// Exercise  A full pipeline
// After     copy.cpu.streamed
// Task      A block passes through four stages, cut into eight parts. Each time
//           every stage takes one part at most, from the stage before it. Say
//           which part a stage takes at a time, so that no stage waits longer
//           than it must; -1 where it has none. Here the stages take turns on
//           one thread, the last one first.
// Hint      At time 0 stage 0 takes part 0, and no other stage has any.
// Hint      A part takes one time for each stage: what stage 1 takes at time 1
//           stage 0 took at time 0.
// Hint      Parts are 0 to 7. Before the first and after the last a stage has -1.
#include <cstring>

#include "kernels/runtime/problems/rows.h"

namespace ridge {
namespace {

constexpr int64_t kStages = 4, kParts = 8, kPart = 512;  // floats
constexpr int64_t kTimes = kParts + kStages - 1;

/// The part that `stage` takes at `time`; -1: none.
int64_t part_taken(int64_t stage, int64_t time) {
  // solution: a stage is one time behind the stage before it
  const int64_t part = time - stage;
  return part >= 0 && part < kParts ? part : -1;
  // end of solution
  (void)stage, (void)time;
  return -1;
}

/// What each stage has put out, part by part: zeros where nothing has come yet.
struct Stages {
  float out[kStages + 1][kParts * kPart] = {};  // [0]: the block
};

void pass_through(Stages* stages) {
  for (int64_t time = 0; time < kTimes; ++time) {
    for (int64_t stage = kStages - 1; stage >= 0; --stage) {
      const int64_t part = part_taken(stage, time);
      if (part < 0 || part >= kParts) continue;
      memcpy(stages->out[stage + 1] + part * kPart,
             stages->out[stage] + part * kPart, sizeof(float) * kPart);
    }
  }
}

Status launch_full_pipeline(const Launch& launch) {
  const Rows r = rows_of(launch);
  const int64_t all = r.m * r.n, block = kParts * kPart;
  for (int64_t first = 0; first < all; first += block) {
    const int64_t count = all - first < block ? all - first : block;
    Stages stages;
    memcpy(stages.out[0], r.x + first, sizeof(float) * (size_t)count);
    pass_through(&stages);
    memcpy(r.y + first, stages.out[kStages], sizeof(float) * (size_t)count);
  }
  return {};
}

RIDGE_KERNEL(copy, cpu, full_pipeline, .launch = launch_full_pipeline);

}  // namespace
}  // namespace ridge
