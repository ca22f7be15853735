// Which kernel does a convolution's forward pass, its gradients, and with how many blocks. Included by
// cuda_trainer.cu alone.
//
// fp32 runs on the FMA units; tf32, fp16 and bf16 on the tensor cores. The first layer, which reads one channel,
// runs on the FMA units in every type, and so does the gradient of tf32's weights: ldmatrix turns 16-bit numbers
// alone.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/mixed/cuda_trainer.h"

namespace ridge::mixed {
namespace {

template <class T>
Status CudaTrainer<T>::arrange(size_t l) {
  const Layer& layer = setup_.model.layers[l];
  const float* w = master_.as<float>() + layer.weight;
  const unsigned blocks = blocks_for(layer.weights());
  const bool fma = on_fma(layer);
  if (reads_one(layer)) {
    arrange_kernel<T>
        <<<blocks, kThreads, 0, stream_>>>(w, 1, layer.out, false, true, first_.as<float>());
    return RIDGE_CUDA_LAUNCHED(arrange_kernel);
  }
  for (const bool backward : {false, true})
    arrange_kernel<T><<<blocks, kThreads, 0, stream_>>>(
        w, layer.in, layer.out, backward, fma,
        (backward ? mirrored_ : weights_).template as<T>() + sizes_.weight_at[l]);
  return RIDGE_CUDA_LAUNCHED(arrange_kernel);
}

template <class T>
template <int half>
Status CudaTrainer<T>::convolve_on_mma(const ConvShape& shape, const ConvInput<T>& in,
                                       const void* weights, const ConvOutput<T>& out) {
  const auto over = [](int64_t count, int64_t by) { return unsigned((count + by - 1) / by); };
  const unsigned tiles = over(shape.rows, MmaTile<half>::kRows);
  const unsigned blocks = std::min<unsigned>(tiles, kGrowBlocks);
  const auto* w = static_cast<const T*>(weights);
  if (shape.out % 32 == 0)
    return launch(mma_conv_kernel<T, half, 4>, dim3(blocks, over(shape.out, 32)), kMmaThreads,
                  mma_conv_bytes<T, half, 4>(shape.in), shape, in, w, out);
  return launch(mma_conv_kernel<T, half, 2>, dim3(blocks, over(shape.out, 16)), kMmaThreads,
                mma_conv_bytes<T, half, 2>(shape.in), shape, in, w, out);
}

template <class T>
template <int half>
Status CudaTrainer<T>::convolve_on(const ConvShape& shape, const Layer& layer,
                                   const ConvInput<T>& in, const void* weights,
                                   const ConvOutput<T>& out) {
  const auto over = [](int64_t count, int64_t by) { return unsigned((count + by - 1) / by); };
  if (shape.in == 1)
    return launch(first_conv_kernel<T, half>,
                  dim3(over(shape.rows * half, kFmaThreads), over(shape.out, kFirstOut)),
                  kFmaThreads, 0, shape, in.x, static_cast<const float*>(weights), out);
  if constexpr (sizeof(T) == 4) {
    if (!on_fma(layer)) return convolve_on_mma<half>(shape, in, weights, out);
    // Four groups of warps would leave a fourth of 14 windows a row without one.
    const int groups = shape.out >= 64 && half == 7 ? 4 : shape.out >= 32 ? 2 : 1;
    const int rows = FmaTile<half>::rows(groups);
    const dim3 grid(over(shape.rows, rows), over(shape.out, kFmaOut * groups));
    return launch(fma_conv_kernel<half>, grid, kFmaThreads, FmaTile<half>::bytes(groups, shape.in),
                  shape, in, static_cast<const float*>(weights), out, groups, rows);
  }
  return convolve_on_mma<half>(shape, in, weights, out);
}

/// With bias, ReLU and what pool follows.
template <class T>
Status CudaTrainer<T>::convolve(size_t l) {
  const Layer& layer = setup_.model.layers[l];
  const ConvShape shape = {layer.in, layer.out, images_ * layer.side / 2};
  const ConvOutput<T> out = {output(is_pooled(l) ? l + 1 : l), places(l),
                             master_.as<float>() + layer.bias, layer.relu};
  const void* weights = first_.as<float>();
  if (!reads_one(layer)) weights = weights_.as<T>() + sizes_.weight_at[l];
  return layer.side == 28 ? convolve_on<14>(shape, layer, {input(l), nullptr}, weights, out)
                          : convolve_on<7>(shape, layer, {input(l), nullptr}, weights, out);
}

/// The gradient by its input.
template <class T>
Status CudaTrainer<T>::convolve_back(size_t l, const T* slope, T* to) {
  const Layer& layer = setup_.model.layers[l];
  const ConvShape shape = {layer.out, layer.in, images_ * layer.side / 2};
  const ConvOutput<T> out = {to, nullptr, nullptr, false};
  const T* weights = mirrored_.as<T>() + sizes_.weight_at[l];
  return layer.side == 28 ? convolve_on<14>(shape, layer, {slope, places(l)}, weights, out)
                          : convolve_on<7>(shape, layer, {slope, places(l)}, weights, out);
}

template <class T>
Status CudaTrainer<T>::add_pieces(int pieces, int64_t count, const float* parts, bool rounds,
                                  float* gradient) {
  add_pieces_kernel<T><<<static_cast<unsigned>((count + 31) / 32), dim3(32, 8), 0, stream_>>>(
      parts, pieces, count, rounds, gradient);
  return RIDGE_CUDA_LAUNCHED(add_pieces_kernel);
}

/// The gradients of its weights and bias.
template <class T>
template <int half>
Status CudaTrainer<T>::grow_conv_on(size_t l, const T* slope) {
  const Layer& layer = setup_.model.layers[l];
  const ConvShape shape = {layer.in, layer.out, images_ * half};
  const ConvInput<T> slopes = {slope, places(l)};
  float* const parts = parts_.as<float>();
  const int pieces = grow_pieces(layer);
  const dim3 grid(static_cast<unsigned>(pieces),
                  static_cast<unsigned>((layer.out + 31) / 32 * ((layer.in + 31) / 32)));
  // Behind a pool, and on tensor cores always, sums of the gradients themselves come with it.
  const bool with_bias = is_pooled(l) || reads_one(layer) || sizeof(T) == 2;
  if (reads_one(layer)) {
    RIDGE_PASS(
        launch(first_grow_kernel<T, half>, grid, kFmaThreads, 0, shape, input(l), slopes, parts));
  } else if constexpr (sizeof(T) == 4) {
    RIDGE_PASS(launch(fma_grow_kernel<half>, grid, kFmaThreads, GrowTile<half>::bytes(layer.in),
                      shape, input(l), slopes, parts));
  } else {
    RIDGE_PASS(launch(mma_grow_kernel<T, half>, grid, kMmaGrowThreads,
                      mma_grow_bytes<T, half>(layer.in), shape, input(l), slopes, parts));
  }
  float* const gradient = gradient_.as<float>();
  RIDGE_PASS(add_pieces(pieces, layer.weights(), parts, !setup_.precision.master,
                        gradient + layer.weight));
  if (with_bias)
    return add_pieces(pieces, layer.out, parts + pieces * layer.weights(), false,
                      gradient + layer.bias);
  return sum_bias(layer, slope, images_ * layer.pixels());
}

template <class T>
Status CudaTrainer<T>::grow_conv(size_t l, const T* slope) {
  return setup_.model.layers[l].side == 28 ? grow_conv_on<14>(l, slope) : grow_conv_on<7>(l, slope);
}

}  // namespace
}  // namespace ridge::mixed
