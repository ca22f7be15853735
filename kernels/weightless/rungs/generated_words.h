// The generated program over planes in memory, as two rungs launch it: they differ in the order of blocks.
#pragma once

#include <cstdio>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/nvrtc.h"
#include "kernels/runtime/weightless/words_launch.h"
#include "kernels/weightless/lop3_source.h"

namespace ridge::words {

/// `tile_images`: this many images go through all classes before the next; 0: all do.
template <int64_t tile_images>
struct GeneratedWords {
  Planes planes;
  DeviceMemory scores;
  device::Program program;
  int counters = 0, tile_blocks = 0;
  unsigned blocks = 0;

  Status prepare(const Shape& shape, Plan* plan) {
    const auto* model = static_cast<const LutModel*>(shape.constants);
    const weightless::Lop3Source source = weightless::planes_source(*model);
    counters = weightless::score_counters(model->luts_per_class);
    const long long words = padded_words(shape), per_block = weightless::kWordsPerBlock;
    const int all = static_cast<int>((words + per_block - 1) / per_block);
    const int wanted = static_cast<int>(tile_images / kWordImages / per_block);
    tile_blocks = wanted > 0 && wanted < all ? wanted : all;
    blocks =
        static_cast<unsigned>((all + tile_blocks - 1) / tile_blocks * tile_blocks * kImageClasses);
    if (const Status s = planes.prepare(shape); !s.ok()) return s;
    const size_t words_of_scores = static_cast<size_t>(words) * size_t(counters) * kImageClasses;
    if (const Status s = scores.allocate(words_of_scores * sizeof(Word)); !s.ok()) return s;
    if (const Status s = device::compile_program(source.text, {"kernels/runtime/weightless/words.h"},
                                                 "classify", &program);
        !s.ok())
      return s;
    plan->workspace_bytes = planes.bytes() + scores.bytes() + program.binary_bytes;
    std::snprintf(plan->note, sizeof(plan->note),
                  "%.1f lop3 and %.0f bytes a LUT, compiled in %.1f s",
                  double(source.operations) / model->luts,
                  double(program.binary_bytes) / model->luts, program.compile_s);
    return {};
  }
};

template <class State>
Status launch_generated(const Launch& launch) {
  const Classify job = classify_of(launch);
  const auto* state = static_cast<const State*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  const Word* planes = nullptr;
  if (const Status s = state->planes.get(job, stream, &planes); !s.ok()) return s;
  long long words = padded_words(launch.shape);
  Word* scores = state->scores.template as<Word>();
  int tile_blocks = state->tile_blocks;
  Word zero = 0;
  void* arguments[] = {&planes, &scores, &words, &tile_blocks, &zero};
  const Status launched = state->program.launch(state->blocks, weightless::kWordsPerBlock, 0, arguments, launch);
  if (!launched.ok()) return launched;
  return write_classes(scores, state->counters, words, job.images, job.classes, stream);
}

}  // namespace ridge::words
