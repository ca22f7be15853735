// ridge: arch=75
//
// Idea      The definition with an image for every thread: fetch six bits, look the address up, count.
// Changed   Nothing but where it runs, the CPU's first rung. From planes, so that the 32 threads of a warp
//           ask for one word of each: a row an image (as there) would be 32 lines for 32 bits.
// Limits    Instructions: a load, a shift and a mask for each single bit, as on the CPU.
// Look at   A word is loaded by 32 threads, and each uses one bit of it.
// Source    Bacellar et al., arXiv:2410.11112, the look-up as they define it.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/weightless/words_launch.h"

namespace {

using namespace ridge;

__global__ void lookup_kernel(const words::Word* __restrict__ planes, int features, int per_class,
                              const uint16_t* __restrict__ wiring,
                              const uint64_t* __restrict__ tables, int64_t images,
                              uint8_t* __restrict__ classes) {
  const int64_t image = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (image >= images) return;
  const int64_t word = image / 32;
  const words::Word* in = planes + word / words::kTileOfWords * features * words::kTileOfWords +
                          word % words::kTileOfWords;
  int best = 0, best_score = -1;
  for (int c = 0, j = 0; c < kImageClasses; ++c) {
    int score = 0;
    for (const int end = j + per_class; j < end; ++j) {
      int address = 0;
      for (int p = 0; p < kLutInputs; ++p) {
        const int feature = wiring[j * kLutInputs + p];
        address |= static_cast<int>(in[feature * words::kTileOfWords] >> (image % 32) & 1) << p;
      }
      score += static_cast<int>(tables[j] >> address & 1);
    }
    if (score > best_score) best = c, best_score = score;
  }
  classes[image] = static_cast<uint8_t>(best);
}

struct Lookup {
  words::Planes planes;
  words::DeviceMemory wiring, tables;

  Status prepare(const Shape& shape, Plan* plan) {
    const auto* model = static_cast<const LutModel*>(shape.constants);
    const auto luts = static_cast<size_t>(model->luts);
    if (const Status s = planes.prepare(shape); !s.ok()) return s;
    if (const Status s = wiring.upload(model->wiring, luts * kLutInputs); !s.ok()) return s;
    if (const Status s = tables.upload(model->tables, luts); !s.ok()) return s;
    plan->workspace_bytes = planes.bytes() + wiring.bytes() + tables.bytes();
    return {};
  }
};

Status launch(const Launch& launch) {
  const Classify job = classify_of(launch);
  const auto* state = static_cast<const Lookup*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  const words::Word* planes = nullptr;
  if (const Status s = state->planes.get(job, stream, &planes); !s.ok()) return s;
  constexpr int kThreads = 128;
  const auto blocks = static_cast<unsigned>((job.images + kThreads - 1) / kThreads);
  lookup_kernel<<<blocks, kThreads, 0, stream>>>(
      planes, job.model->features, job.model->luts_per_class, state->wiring.as<uint16_t>(),
      state->tables.as<uint64_t>(), job.images, job.classes);
  return RIDGE_CUDA_LAUNCHED(lookup_kernel);
}

}  // namespace

RIDGE_KERNEL(weightless, cuda, lookup, .dtypes = "bits", .prepare = words::prepare_state<Lookup>,
             .launch = launch);
