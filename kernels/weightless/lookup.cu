// ridge: arch=75
//
// Idea      The definition with an image for every thread: fetch six bits, look the address up, count.
// Changed   Nothing but where it runs: the CPU's first rung, 32 images a warp. All read the same table at
//           the same time, so that wiring and tables cost one load for a warp.
// Limits    Six loads of a word for a bit each: a thread's row is its own, so a warp asks for 32 lines at
//           once, and uses 32 bits of them.
// Look at   The load units are full and the arithmetic idles, as in the CPU's rung.
// Source    Bacellar et al., arXiv:2410.11112, the look-up as they define it.
#include "kernels/weightless/words_launch.h"

namespace {

using namespace ridge;

struct Model {
  int luts, bits, features, luts_per_class, row_words;
  const uint8_t* thresholds;
  const uint16_t* wiring;
  const uint64_t* tables;
};

__global__ void lookup_kernel(Model model, const uint8_t* __restrict__ pixels,
                              const uint64_t* __restrict__ rows, int64_t images,
                              uint8_t* __restrict__ classes) {
  const int64_t image = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (image >= images) return;
  int best = 0, best_score = -1;
  for (int c = 0, j = 0; c < kImageClasses; ++c) {
    int score = 0;
    for (const int end = j + model.luts_per_class; j < end; ++j) {
      int address = 0;
      for (int p = 0; p < kLutInputs; ++p) {
        const int f = model.wiring[j * kLutInputs + p];
        const bool bit = pixels != nullptr
                             ? pixels[image * kImageBytes + f / model.bits] > model.thresholds[f]
                             : (rows[image * model.row_words + f / 64] >> (f % 64) & 1) != 0;
        address |= static_cast<int>(bit) << p;
      }
      score += static_cast<int>(model.tables[j] >> address & 1);
    }
    if (score > best_score) best = c, best_score = score;
  }
  classes[image] = static_cast<uint8_t>(best);
}

struct Lookup {
  words::DeviceMemory thresholds, wiring, tables;

  Status prepare(const Shape& shape, Plan* plan) {
    const auto* model = static_cast<const LutModel*>(shape.constants);
    const auto luts = static_cast<size_t>(model->luts);
    if (const Status s = thresholds.upload(model->thresholds, size_t(model->features)); !s.ok())
      return s;
    if (const Status s = wiring.upload(model->wiring, luts * kLutInputs); !s.ok()) return s;
    if (const Status s = tables.upload(model->tables, luts); !s.ok()) return s;
    plan->workspace_bytes = thresholds.bytes() + wiring.bytes() + tables.bytes();
    return {};
  }
};

Status launch(const Launch& launch) {
  const Classify job = classify_of(launch);
  const auto* state = static_cast<const Lookup*>(launch.plan_state);
  const Model model = {job.model->luts,
                       job.model->bits,
                       job.model->features,
                       job.model->luts_per_class,
                       job.row_words,
                       state->thresholds.as<uint8_t>(),
                       state->wiring.as<uint16_t>(),
                       state->tables.as<uint64_t>()};
  constexpr int kThreads = 128;
  const auto blocks = static_cast<unsigned>((job.images + kThreads - 1) / kThreads);
  lookup_kernel<<<blocks, kThreads, 0, static_cast<cudaStream_t>(launch.stream)>>>(
      model, job.pixels, job.rows, job.images, job.classes);
  return RIDGE_CUDA_LAUNCHED(lookup_kernel);
}

}  // namespace

RIDGE_KERNEL(weightless, cuda, lookup, .prepare = words::prepare_state<Lookup>, .launch = launch);
