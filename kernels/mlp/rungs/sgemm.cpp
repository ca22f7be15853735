// ridge: flags=-O3
//
// Idea      What this lab is measured against: a perceptron of one hidden layer in fp32, its products by
//           the fastest matrix product that the GEMM lab has here.
// Changed   406,528 multiplications and additions an image, where the tables had none.
// Limits    The FMA units: the product of 784 x 256 weights is nearly all of it.
// Look at   Its share of the FMA ceiling, before calling it slow.
// Source    oneDNN's sgemm where it is found, else the packed rungs of the GEMM lab.
#include <stdio.h>

#include <algorithm>
#include <new>

#include "kernels/mlp/mlp.h"
#include "kernels/runtime/problems/gemm_product.h"

namespace ridge {
namespace {

/// 256 images as floats are 800 kB: beside the weights they still come from the L2.
constexpr int64_t kTile = 256;

struct Sgemm {
  gemm::Product first, second, first_tail, second_tail;
  float x[kTile * kMlpIn], hidden[kTile * kMlpHidden], scores[kTile * kMlpOut];
  Sgemm(int64_t tile, int64_t tail)
      : first(gemm::fastest(), tile, kMlpHidden, kMlpIn, 1),
        second(gemm::fastest(), tile, kMlpOut, kMlpHidden, 1),
        first_tail(gemm::fastest(), tail, kMlpHidden, kMlpIn, 1),
        second_tail(gemm::fastest(), tail, kMlpOut, kMlpHidden, 1) {}
};

Status prepare(const Shape& shape, Plan* plan) {
  const int64_t images = shape.dim[0], tile = std::min(images, kTile), tail = images % tile;
  auto* made = new (std::nothrow) Sgemm(tile, tail > 0 ? tail : tile);
  if (made == nullptr) return {.what = "no memory for a tile"};
  plan->state = made;
  plan->release = [](void* state) { delete static_cast<Sgemm*>(state); };
  plan->workspace_bytes = sizeof(Sgemm) + made->first.bytes() + made->second.bytes();
  snprintf(plan->note, sizeof(plan->note), "products by %s", made->first.kernel());
  return {};
}

Status some_images(const MlpModel& model, const gemm::Product& first, const gemm::Product& second,
                   Sgemm* plan, const uint8_t* pixels, uint8_t* classes) {
  const int64_t images = first.rows();
  for (int64_t i = 0; i < images * kMlpIn; ++i) plan->x[i] = pixels[i];
  Status status = first.run(plan->x, model.w1, plan->hidden);
  if (!status.ok()) return status;
  for (int64_t i = 0; i < images; ++i) {
    float* hidden = plan->hidden + i * kMlpHidden;
    for (int j = 0; j < kMlpHidden; ++j) {
      const float sum = hidden[j] + model.b1[j];
      hidden[j] = sum > 0 ? sum : 0;
    }
  }
  status = second.run(plan->hidden, model.w2, plan->scores);
  if (!status.ok()) return status;
  for (int64_t i = 0; i < images; ++i) {
    float* scores = plan->scores + i * kMlpOut;
    for (int c = 0; c < kMlpOut; ++c) scores[c] += model.b2[c];
    classes[i] = static_cast<uint8_t>(std::max_element(scores, scores + kMlpOut) - scores);
  }
  return {};
}

Status launch(const Launch& launch) {
  const Perceive p = perceive_of(launch);
  auto* plan = static_cast<Sgemm*>(launch.plan_state);
  const int64_t tile = plan->first.rows();
  for (int64_t at = 0; at < p.images; at += tile) {
    const bool whole = p.images - at >= tile;
    const Status status = some_images(*p.model, whole ? plan->first : plan->first_tail,
                                      whole ? plan->second : plan->second_tail, plan,
                                      p.pixels + at * kMlpIn, p.classes + at);
    if (!status.ok()) return status;
  }
  return {};
}

RIDGE_KERNEL(mlp, cpu, sgemm, .prepare = prepare, .launch = launch);

}  // namespace
}  // namespace ridge
