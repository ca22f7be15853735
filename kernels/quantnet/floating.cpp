// ridge: flags=-O3
//
// The engine of the floating rungs: a network layer by layer over a few images, whose convolutions are products
// of unfolded rows (kernels/runtime/problems/gemm_product.h), with the element-wise work of the mixed lab. bf16 is real where the
// CPU multiplies it; what is emulated is rounded to its type in fp32.
#include <cstring>
#include <optional>

#include "common/harness/measure/isa.h"
#include "kernels/quantnet/network.h"
#include "kernels/runtime/cpu/team.h"
#include "kernels/runtime/networks/ops.h"
#include "kernels/runtime/problems/gemm_product.h"

namespace ridge {
namespace {

using quantnet::QuantLayer;
using quantnet::QuantNet;
using Kind = mixed::Layer::Kind;
using Bytes = std::vector<std::byte>;

/// Their unfolded rows, 28 x 28 x 9 numbers each, half fill a 1 MiB L2.
constexpr int64_t kImagesAtOnce = 16;

struct FloatThread {
  std::vector<std::optional<gemm::Product>> products;
  Bytes x[2], unfolded;
  std::vector<float> room;
};

struct FloatState {
  const QuantNet* net;
  const MixedOps* ops;
  Rounding rounding;
  int64_t images;
  std::vector<Bytes> weights;  ///< [inputs][out], of the type in memory
  std::vector<FloatThread> threads;
};

const MixedOps* ops_for(const Recipe& recipe) {
  std::string reason;
  if (recipe.element == Element::bf16 && !recipe.emulated) return &mixed_ops_bf16;
  return measure::isa_available("avx2", &reason) ? &mixed_ops_avx2 : &mixed_ops_portable;
}

/// Rows of 3 x 3 x channels for each pixel, zeros outside; of numbers of any type.
void unfold(const std::byte* x, const mixed::Layer& layer, int64_t images, size_t each,
            std::byte* rows) {
  const int side = layer.side;
  const size_t pixel = size_t(layer.in) * each, row_bytes = 9 * pixel;
  for (int64_t at = 0; at < images * side * side; ++at, rows += row_bytes) {
    const auto column = static_cast<int>(at % side), row = static_cast<int>(at / side % side);
    const int first = column == 0 ? 1 : 0, last = column == side - 1 ? 2 : 3;
    for (int t = 0; t < 3; ++t) {
      std::byte* to = rows + size_t(3 * t) * pixel;
      const bool outside = row + t < 1 || row + t > side;
      if (outside || last - first < 3) std::memset(to, 0, 3 * pixel);
      if (outside) continue;
      const std::byte* from = x + (at + (t - 1) * side + first - 1) * std::ptrdiff_t(pixel);
      std::memcpy(to + size_t(first) * pixel, from, size_t(last - first) * pixel);
    }
  }
}

float widened(uint16_t bf16) {
  const uint32_t bits = uint32_t{bf16} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// y = rounded(relu(y + bias)) in place, through fp32: bf16 through `room`.
void finish(const MixedOps& ops, const QuantLayer& at, Rounding rounding, int64_t rows, void* y,
            std::vector<float>* room) {
  const auto out = size_t(at.layer.out), count = size_t(rows) * out;
  auto* acc = static_cast<float*>(y);
  if (ops.bytes != sizeof(float)) {
    room->resize(count), acc = room->data();
    for (size_t i = 0; i < count; ++i) acc[i] = widened(static_cast<const uint16_t*>(y)[i]);
  }
  for (size_t first = 0; first < count; first += out) {
    for (size_t c = 0; c < out; ++c) {
      const float sum = acc[first + c] + at.bias[c];
      acc[first + c] = at.layer.relu && sum < 0 ? 0 : sum;
    }
  }
  if (acc != y || !rounding.is_identity) ops.store(acc, int64_t(count), rounding, y);
}

Bytes transposed(const QuantLayer& at, const MixedOps& ops, Rounding rounding) {
  const int64_t inputs = at.layer.kind == Kind::pool ? 0 : at.layer.inputs(), out = at.layer.out;
  std::vector<float> w(at.weights.size());
  for (int64_t c = 0; c < out; ++c) {
    for (int64_t i = 0; i < inputs; ++i)
      w[size_t(i * out + c)] = at.weights[size_t(c * inputs + i)];
  }
  Bytes bytes(w.size() * ops.bytes);
  ops.store(w.data(), std::ssize(w), rounding, bytes.data());
  return bytes;
}

void make_thread(const FloatState& state, FloatThread* thread) {
  const MixedOps& ops = *state.ops;
  const DType dtype = ops.bytes == sizeof(float) ? DType::fp32 : DType::bf16;
  const KernelDesc* kernel = gemm::fastest_of_ours(dtype);
  int64_t largest = kGarmentPixels, unfolded = 0;
  thread->products = std::vector<std::optional<gemm::Product>>(state.net->layers.size());
  for (size_t l = 0; l < state.net->layers.size(); ++l) {
    const mixed::Layer& layer = state.net->layers[l].layer;
    largest = std::max(largest, layer.out_size());
    if (layer.kind == Kind::pool) continue;
    const int64_t rows = state.images * layer.pixels();
    if (layer.kind == Kind::conv) unfolded = std::max(unfolded, rows * layer.inputs());
    thread->products[l].emplace(kernel, rows, layer.out, layer.inputs(), 1, dtype);
  }
  for (Bytes& some : thread->x) some.resize(size_t(largest * state.images) * ops.bytes);
  thread->unfolded.resize(size_t(unfolded) * ops.bytes);
}

/// Scores of `count` images, at most state.images; what fills up a block is the first again.
void classify_few(const FloatState& state, FloatThread* thread, const uint8_t* pixels,
                  int64_t count, float* scores) {
  const MixedOps& ops = *state.ops;
  void *x = thread->x[0].data(), *y = thread->x[1].data();
  for (int64_t i = 0; i < state.images; ++i) {
    ops.widen(pixels + (i < count ? i : 0) * kGarmentPixels, kGarmentPixels, state.rounding,
              thread->x[0].data() + size_t(i * kGarmentPixels) * ops.bytes);
  }
  const bool scaled = state.net->recipe.element == Element::e4m3;
  const auto scale = [&](void* some, int64_t numbers,
                         double by) {  // fp8 goes by scales, set beforehand
    if (scaled)
      ops.operand(some, numbers, rounding_of(Element::e4m3), static_cast<float>(1 / by), some);
  };
  scale(x, state.images * kGarmentPixels, state.net->pixel_scale);
  for (size_t l = 0; l < state.net->layers.size(); ++l, std::swap(x, y)) {
    const QuantLayer& at = state.net->layers[l];
    const mixed::Layer& layer = at.layer;
    if (layer.kind == Kind::pool) {
      ops.pool(x, layer.side, layer.in, state.images, y);
      continue;
    }
    const void* rows = x;
    if (layer.kind == Kind::conv) {
      unfold(static_cast<const std::byte*>(x), layer, state.images, ops.bytes,
             thread->unfolded.data());
      rows = thread->unfolded.data();
    }
    (void)thread->products[l]->run(rows, state.weights[l].data(), y);
    finish(ops, at, state.rounding, state.images * layer.pixels(), y, &thread->room);
    if (l + 1 < state.net->layers.size()) scale(y, state.images * layer.out_size(), at.out_scale);
  }
  for (int64_t i = 0; i < count * mixed::kClasses; ++i) {
    scores[i] = ops.bytes == sizeof(float) ? static_cast<const float*>(x)[i]
                                           : widened(static_cast<const uint16_t*>(x)[i]);
  }
}

}  // namespace

Status prepare_floating(const Shape& shape, Plan* plan) {
  const auto* net = static_cast<const QuantNet*>(shape.constants);
  auto* state = new FloatState{
      .net = net,
      .ops = ops_for(net->recipe),
      .rounding =
          rounding_of(net->recipe.element == Element::e4m3 ? Element::fp32 : net->recipe.element),
      .images = std::min(kImagesAtOnce, shape.dim[0]),
      .weights = {},
      .threads = {}};
  for (const QuantLayer& at : net->layers) state->weights.push_back(transposed(at, *state->ops, state->rounding));
  state->threads.resize(size_t(shape.threads));
  size_t bytes = 0;
  for (FloatThread& thread : state->threads) {
    make_thread(*state, &thread);
    bytes += thread.x[0].size() + thread.x[1].size() + thread.unfolded.size();
  }
  plan->state = state;
  plan->release = [](void* memory) { delete static_cast<FloatState*>(memory); };
  plan->workspace_bytes = bytes;
  for (const Bytes& some : state->weights) plan->workspace_bytes += some.size();
  return {};
}

Status launch_floating(const Launch& launch) {
  struct Job {
    const Launch* launch;
    FloatState* state;
  } job = {&launch, static_cast<FloatState*>(launch.plan_state)};
  team_run(
      launch.shape.threads,
      [](void* memory, int index) {
        const Job& j = *static_cast<Job*>(memory);
        const int64_t all = j.launch->shape.dim[0], few = j.state->images;
        const auto* pixels = static_cast<const uint8_t*>(j.launch->buffers[0]);
        auto* scores = static_cast<float*>(j.launch->buffers[1]);
        for (int64_t i = few * index; i < all; i += few * j.launch->shape.threads) {
          const int64_t count = std::min(few, all - i);
          classify_few(*j.state, &j.state->threads[size_t(index)], pixels + i * kGarmentPixels,
                       count, scores + i * mixed::kClasses);
        }
      },
      &job);
  return {};
}

}  // namespace ridge
