// ridge: flags=-O3
//
// Idea      The last layer's gradient is ready first, while most of the backward pass is still to come. Its sum can travel
//           meanwhile.
// Changed   A bucket for every quarter of the layers. Its ring begins as soon as its gradients are there, and goes on in the
//           background of the products.
// Limits    The bucket of the first layers has nothing left to hide behind. Where messages take longer than the backward pass,
//           they bind.
// Look at   The time against the rung before: of four rings only the last one is waited for.
// Source    Li et al., PyTorch Distributed, VLDB 2020. On a GPU a stream of its own carries the sums.
#include "kernels/parallel/parallel.h"

namespace ridge::parallel {
namespace {

constexpr int64_t kBuckets = 4;

void step(TrainingRank& r) {
  const int64_t layers = r.shape.layers, width = r.shape.width, weights = width * width;
  const int64_t buckets = layers < kBuckets ? layers : kBuckets;
  float* gradients = r.take_gradient(layers * weights);
  Pass pass = r.begin(chunk_of(r.shape.batch, r.shape.ranks, r.me));
  for (int64_t l = 0; l < layers; ++l) r.forward(&pass, l, r.layers[l].w);
  r.judge(&pass);
  RingSums sums;
  r.background = &sums;
  for (int64_t b = buckets; b-- > 0;) {
    const Chunk bucket = chunk_of(layers, buckets, b);
    for (int64_t l = bucket.begin + bucket.count; l-- > bucket.begin;)
      r.backward(&pass, l, r.layers[l].w, gradients + l * weights);
    sums.add({&r, gradients + bucket.begin * weights, bucket.count * width, width,
              RingSum::Until::gathered});
  }
  r.background = nullptr;
  r.end(&pass);
  sums.finish();
  for (int64_t l = 0; l < layers; ++l) r.update(l, r.layers[l].w, gradients + l * weights);
  r.give(gradients);
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_training(shape, {.holding = holds_all, .step = step}, plan);
}

RIDGE_KERNEL(parallel, cpu, data_overlapped, .time_calls = time_training,
             .unavailable = ranks_unavailable, .prepare = prepare, .launch = launch_training);

}  // namespace
}  // namespace ridge::parallel
