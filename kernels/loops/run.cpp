// ridge: flags=-O3
// The loop explorer's rungs at work: the padded image, the nest, and its body.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/loops/cache_model.h"
#include "kernels/loops/loops.h"

namespace ridge::loops {
namespace {

/// The innermost loop. Unit steps are what the compiler can make vectors of; which axis has them is known
/// here at compile time, for w and s, and else it is a loop with steps.
struct Multiply {
  const float *x, *f;
  float* y;

  template <int kAxis>
  bool run(const Nest& nest, Place at, int64_t count) {
    const float *from = x + at.x, *weight = f + at.f;
    float* __restrict to = y + at.y;  // no overlap: vectors without a test for it
    if constexpr (kAxis == kW) {
      const float one = *weight;
      const int64_t step = nest.x_step[kW];
      if (step == 1) {
        for (int64_t i = 0; i < count; ++i) to[i] += from[i] * one;
      } else {
        for (int64_t i = 0; i < count; ++i) to[i] += from[i * step] * one;
      }
    } else if constexpr (kAxis == kM) {
      const float one = *from;
      for (int64_t i = 0; i < count; ++i)
        to[i * nest.y_step[kM]] += one * weight[i * nest.f_step[kM]];
    } else {
      static_assert(kAxis == kC || kAxis == kR || kAxis == kS, "one sum");
      float sum = *to;
      for (int64_t i = 0; i < count; ++i)
        sum += from[i * nest.x_step[kAxis]] * weight[i * nest.f_step[kAxis]];
      *to = sum;
    }
    return true;
  }
};

struct State {
  Nest nest;
  int order;
  float* padded;  ///< [c][h + 2 pad][w + 2 pad] of one image's group
};

void release(void* made) {
  auto* state = static_cast<State*>(made);
  std::free(state->padded);
  std::free(state);
}

/// Of one image and group.
Nest nest_of(const Conv& v, const LoopChoice& choice, bool tiled) {
  const int64_t width = v.w + 2 * v.pad, plane = (v.h + 2 * v.pad) * width;
  Nest nest = {};
  const auto set = [&](Axis axis, int64_t count, int64_t tile, int64_t x, int64_t f, int64_t y) {
    nest.count[axis] = count;
    nest.tile[axis] = tiled && tile > 0 && tile < count ? tile : count;
    nest.x_step[axis] = x, nest.f_step[axis] = f, nest.y_step[axis] = y;
  };
  const int64_t taps = v.r * v.s;
  set(kN, 1, 0, 0, 0, 0);
  set(kM, v.group_m, choice.tile_m, 0, v.group_c * taps, v.p * v.q);
  set(kC, v.group_c, choice.tile_c, plane, taps, 0);
  set(kH, v.p, choice.tile_h, v.stride * width, 0, v.q);
  set(kW, v.q, choice.tile_w, v.stride, 0, 1);
  set(kR, v.r, 0, width, v.s, 0);
  set(kS, v.s, 0, 1, 1, 0);
  return nest;
}

void copy_padded(const Conv& v, int64_t n, int64_t group, float* to) {
  const int64_t width = v.w + 2 * v.pad;
  for (int64_t c = 0; c < v.group_c; ++c)
    for (int64_t h = 0; h < v.h; ++h)
      std::memcpy(to + (c * (v.h + 2 * v.pad) + h + v.pad) * width + v.pad,
                  v.x + conv_place(&v.x_at, n, group * v.group_c + c, h, 0),
                  static_cast<size_t>(v.w) * sizeof(float));
}

}  // namespace

const Traffic& traffic_of(const Shape& shape) {
  const auto& choice = *static_cast<const LoopChoice*>(shape.constants);
  if (choice.traffic->missed.empty())
    *choice.traffic = predict(nest_of(conv_shape(&shape), choice, true), choice.order,
                              measure::machine_cache_shapes());
  return *choice.traffic;
}

Status prepare_loops(const Shape& shape, bool tiled, Plan* plan) {
  const Conv v = conv_shape(&shape);
  const auto& choice = *static_cast<const LoopChoice*>(shape.constants);
  auto* state = static_cast<State*>(std::calloc(1, sizeof(State)));
  if (state == nullptr) return {.what = "out of memory", .file = __FILE__, .line = __LINE__};
  plan->state = state;
  plan->release = release;
  state->nest = nest_of(v, choice, tiled);
  state->order = choice.order;
  const auto floats = static_cast<size_t>(v.group_c * (v.h + 2 * v.pad) * (v.w + 2 * v.pad));
  state->padded = static_cast<float*>(std::calloc(floats, sizeof(float)));
  if (state->padded == nullptr)
    return {.what = "out of memory", .file = __FILE__, .line = __LINE__};
  plan->workspace_bytes = floats * sizeof(float);
  describe(traffic_of(shape), double(v.n * v.groups), plan->note, sizeof plan->note);
  return {};
}

Status launch_loops(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const auto* state = static_cast<const State*>(launch.plan_state);
  std::memset(v.y, 0, static_cast<size_t>(v.n * v.y_at.image) * sizeof(float));
  for (int64_t n = 0; n < v.n; ++n) {
    for (int64_t group = 0; group < v.groups; ++group) {
      copy_padded(v, n, group, state->padded);
      Multiply body{state->padded, v.f + group * v.group_m * v.group_c * v.r * v.s,
                    v.y + conv_place(&v.y_at, n, group * v.group_m, 0, 0)};
      run_order(state->order, state->nest, body);
    }
  }
  return {};
}

}  // namespace ridge::loops
