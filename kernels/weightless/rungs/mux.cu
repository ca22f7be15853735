// ridge: arch=75
//
// Idea      Bit-sliced: a thread has a word of 32 images, and a table is a tree of multiplexers, each one
//           lop3. One thread a word and class.
// Changed   A load brings one bit of 32 images instead of one; neighbouring threads' words lie side by side.
// Limits    The tree's nodes: nvcc 13.0 leaves the loop over a level a loop, so that node[] lies in local memory, and
//           the L2 is busy with it. And 32 leaves, chosen anew from the table by every thread.
// Look at   Integer instructions, where the look-up had loads. The table is still data.
// Source    kernels/weightless/rungs/mux_tree.h, the CPU's rungs.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/weightless/words_launch.h"
#include "kernels/weightless/lop3_source.h"

namespace {

using namespace ridge;
using namespace ridge::words;

constexpr int kThreads = 128;

/// Two bits of the table are a function of input 0: never, its complement, itself, always.
__device__ Word leaf(unsigned table, int at, Word x0) {
  return mux(x0, 0u - (table >> (at + 1) & 1), 0u - (table >> at & 1));
}

/// 32 bits of the table: inputs 0 to 4.
__device__ Word half(unsigned table, const Word* x) {
  Word node[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) node[i] = leaf(table, 2 * i, x[0]);
#pragma unroll
  for (int p = 1; p < 5; ++p) {
#pragma unroll
    for (int i = 0; i < 16 >> p; ++i) node[i] = mux(x[p], node[2 * i + 1], node[2 * i]);
  }
  return node[0];
}

__global__ void mux_kernel(const Word* __restrict__ planes, const uint16_t* __restrict__ wiring,
                           const uint64_t* __restrict__ tables, int features, int per_class,
                           int counters, long long words, Word* __restrict__ scores) {
  const long long word = 1ll * blockIdx.x * kThreads + threadIdx.x;
  if (word >= words) return;
  const Word* in = planes + word / kTileOfWords * features * kTileOfWords + word % kTileOfWords;
  const int first = static_cast<int>(blockIdx.y) * per_class;
  Word score[kMaxCounters] = {};
  for (int at = 0; at < per_class; at += 8) {
    Word out[8] = {};
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
      Word found = 0;
      if (at + i < per_class) {
        const int j = first + at + i;
        Word x[kLutInputs];
#pragma unroll
        for (int p = 0; p < kLutInputs; ++p) x[p] = in[wiring[j * kLutInputs + p] * kTileOfWords];
        const uint64_t table = tables[j];
        found = mux(x[5], half(static_cast<unsigned>(table >> 32), x),
                    half(static_cast<unsigned>(table), x));
      }
#pragma unroll
      for (int k = 7; k > 0; --k) out[k] = out[k - 1];
      out[0] = found;
    }
    add_eight<kMaxCounters>(score, out);
  }
#pragma unroll
  for (int k = 0; k < kMaxCounters; ++k)
    if (k < counters) scores[(1ll * blockIdx.y * counters + k) * words + word] = score[k];
}

struct Mux {
  Planes planes;
  DeviceMemory wiring, tables, scores;
  int counters = 0;

  Status prepare(const Shape& shape, Plan* plan) {
    const auto* model = static_cast<const LutModel*>(shape.constants);
    const auto luts = static_cast<size_t>(model->luts);
    counters = weightless::score_counters(model->luts_per_class);
    const auto words = static_cast<size_t>(padded_words(shape));
    if (const Status s = planes.prepare(shape); !s.ok()) return s;
    if (const Status s = wiring.upload(model->wiring, luts * kLutInputs); !s.ok()) return s;
    if (const Status s = tables.upload(model->tables, luts); !s.ok()) return s;
    if (const Status s = scores.allocate(words * size_t(counters) * kImageClasses * sizeof(Word));
        !s.ok())
      return s;
    plan->workspace_bytes = planes.bytes() + wiring.bytes() + tables.bytes() + scores.bytes();
    return {};
  }
};

Status launch(const Launch& launch) {
  const Classify job = classify_of(launch);
  const auto* state = static_cast<const Mux*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  const Word* planes = nullptr;
  if (const Status s = state->planes.get(job, stream, &planes); !s.ok()) return s;
  const long long words = padded_words(launch.shape);
  const dim3 grid(static_cast<unsigned>((words + kThreads - 1) / kThreads), kImageClasses);
  mux_kernel<<<grid, kThreads, 0, stream>>>(
      planes, state->wiring.as<uint16_t>(), state->tables.as<uint64_t>(), job.model->features,
      job.model->luts_per_class, state->counters, words, state->scores.as<Word>());
  if (const Status s = RIDGE_CUDA_LAUNCHED(mux_kernel); !s.ok()) return s;
  return write_classes(state->scores.as<Word>(), state->counters, words, job.images, job.classes,
                       stream);
}

}  // namespace

RIDGE_KERNEL(weightless, cuda, mux, .dtypes = "bits", .prepare = words::prepare_state<Mux>,
             .launch = launch);
