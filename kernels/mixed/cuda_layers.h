// The pieces of a training step on a GPU, layer by layer, forward and backward. Included by cuda_trainer.cu alone.
#pragma once

#include "kernels/mixed/cuda_trainer.h"

namespace ridge::mixed {
namespace {

// cuBLAS is column-major: a row-major matrix is its transpose there, and C^T = op(B)^T op(A)^T. In pieces: k is
// that of one, and each has a C of its own behind the other.
template <class T>
Status CudaTrainer<T>::product(int64_t m, int64_t n, int64_t k, const T* a, bool turn_a, const T* b,
                               bool turn_b, void* c, bool wide_c, float beta, int pieces) {
  const float one = 1;
  const cublasComputeType_t compute = setup_.precision.multiplied == Element::tf32
                                          ? CUBLAS_COMPUTE_32F_FAST_TF32
                                          : CUBLAS_COMPUTE_32F;
  const auto lda = static_cast<int>(turn_a ? m : k), ldb = static_cast<int>(turn_b ? k : n);
  const cublasOperation_t op_a = turn_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = turn_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cudaDataType_t out = wide_c ? CUDA_R_32F : kType<T>;
  const auto rows = static_cast<int>(n), columns = static_cast<int>(m), deep = static_cast<int>(k);
  RIDGE_CUBLAS_CHECK(cublasGemmStridedBatchedEx(
      blas_, op_b, op_a, rows, columns, deep, &one, b, kType<T>, ldb, k * n, a, kType<T>, lda,
      k * m, &beta, c, out, rows, m * n, pieces, compute, CUBLAS_GEMM_DEFAULT));
  return {};
}

template <class T>
Status CudaTrainer<T>::cast_weights() {
  for (size_t l = 0; l < setup_.model.layers.size(); ++l) {
    const Layer& layer = setup_.model.layers[l];
    if (layer.kind == Kind::pool) continue;
    const int wide = wide_of(layer);
    T* w = weights_.as<T>() + weight_at_[l];
    cast_kernel<<<blocks_for(int64_t{layer.out} * wide), kThreads, 0, stream_>>>(
        master_.as<float>() + layer.weight, layer.out, layer.inputs(), wide, w);
    if (layer.kind == Kind::conv && l > 0)
      mirror_kernel<<<blocks_for(layer.weights()), kThreads, 0, stream_>>>(
          w, layer.in, layer.out, wide, mirrored_.as<T>() + weight_at_[l]);
  }
  return RIDGE_CUDA_LAUNCHED(cast_kernel);
}

template <class T>
Status CudaTrainer<T>::load(const DeviceSet& set, int64_t first) {
  const int32_t* order = order_.as<int32_t>() + first;
  load_kernel<<<blocks_for(images_ * 196), kThreads, 0, stream_>>>(set.pixels.as<uint8_t>(), order,
                                                                   images_, x_.as<T>());
  load_kernel_labels<<<blocks_for(images_), kThreads, 0, stream_>>>(set.labels.as<uint8_t>(), order,
                                                                    images_, labels_.as<uint8_t>());
  return RIDGE_CUDA_LAUNCHED(load_kernel);
}

template <class T>
T* CudaTrainer<T>::output(size_t l) const {
  const int64_t place = outputs_plan_.place[l];
  return place < 0 ? outputs_[l]->template as<T>() : between_[size_t(place)]->template as<T>();
}

template <class T>
Status CudaTrainer<T>::unfold(const T* x, const Layer& layer, int channels, int wide,
                              int64_t images) {
  const int64_t rows = images * layer.pixels();
  if (channels % Pack<T>::kItems == 0) {
    const int units = channels / Pack<T>::kItems, wide_units = wide / Pack<T>::kItems;
    unfold_kernel<<<blocks_for(rows * wide_units), kThreads, 0, stream_>>>(
        reinterpret_cast<const Pack<T>*>(x), layer.side, units, wide_units, rows,
        unfolded_.as<Pack<T>>());
  } else {
    unfold_kernel<<<blocks_for(rows * wide), kThreads, 0, stream_>>>(x, layer.side, channels, wide,
                                                                     rows, unfolded_.as<T>());
  }
  return RIDGE_CUDA_LAUNCHED(unfold_kernel);
}

template <class T>
template <int items>
void CudaTrainer<T>::finish(T* y, int64_t count, const Layer& layer) {
  const float* bias = master_.as<float>() + layer.bias;
  const unsigned blocks = blocks_for(count / items);
  if (layer.relu)
    finish_kernel<T, true, items><<<blocks, kThreads, 0, stream_>>>(y, count, layer.out, bias);
  else
    finish_kernel<T, false, items><<<blocks, kThreads, 0, stream_>>>(y, count, layer.out, bias);
}

template <class T>
Status CudaTrainer<T>::forward(size_t l) {
  const Layer& layer = setup_.model.layers[l];
  T* y = output(l);
  if (layer.kind == Kind::pool) {
    const int units = layer.in / Pack<T>::kItems;
    const int64_t count = images_ * layer.out_size() / Pack<T>::kItems;
    pool_kernel<<<blocks_for(count), kThreads, 0, stream_>>>(
        reinterpret_cast<const Pack<T>*>(input(l)),
        master_.as<float>() + setup_.model.layers[l - 1].bias, layer.side, units, count,
        reinterpret_cast<Pack<T>*>(y));
    return RIDGE_CUDA_LAUNCHED(pool_kernel);
  }
  const T* w = weights_.as<T>() + weight_at_[l];
  const int wide = wide_of(layer);
  if (layer.kind == Kind::dense) {
    RIDGE_PASS(product(images_, layer.out, wide, input(l), false, w, true, y, false, 0));
  } else {
    const int64_t few = unfolded_images(layer, wide, images_, sizeof(T));
    for (int64_t i = 0; i < images_; i += few) {
      RIDGE_PASS(unfold(input(l) + i * layer.in_size(), layer, layer.in, wide, few));
      RIDGE_PASS(product(few * layer.pixels(), layer.out, wide, unfolded_.as<T>(), false, w, true,
                         y + i * layer.out_size(), false, 0));
    }
  }
  if (is_pooled(l)) return {};
  const int64_t count = images_ * layer.out_size();
  if (layer.out % Pack<T>::kItems == 0)
    finish<Pack<T>::kItems>(y, count, layer);
  else
    finish<2>(y, count, layer);
  return RIDGE_CUDA_LAUNCHED(finish_kernel);
}

/// Of a convolution before a pool: from the pool's side, where a quarter as much is to be read.
template <class T>
Status CudaTrainer<T>::sum_bias(const Layer& layer, const T* slope, const T* out, int64_t rows) {
  column_sums_kernel<<<kSumBlocks, kThreads, kThreads * 4, stream_>>>(slope, out, rows, layer.out,
                                                                      sums_.as<float>());
  add_sums_kernel<<<blocks_for(int64_t{layer.out} * 32), kThreads, 0, stream_>>>(
      sums_.as<float>(), kSumBlocks, layer.out, gradient_.as<float>() + layer.bias);
  return RIDGE_CUDA_LAUNCHED(add_sums_kernel);
}

/// The gradient of the weights: products sum into grown_, which then joins the others.
template <class T>
Status CudaTrainer<T>::grow(size_t l, const T* slope, int part) {
  const Layer& layer = setup_.model.layers[l];
  const int wide = wide_of(layer);
  float* gradient = gradient_.as<float>() + layer.weight;
  if (layer.kind == Kind::dense && setup_.precision.master)
    return product(layer.out, wide, images_, slope, true, input(l), false, gradient, true,
                   part > 0 ? 1.0f : 0.0f);
  const int64_t few =
      layer.kind == Kind::dense ? images_ : unfolded_images(layer, wide, images_, sizeof(T));
  int pieces = 1;
  while (layer.kind == Kind::conv && pieces < kPieces && few * layer.pixels() % (2 * pieces) == 0)
    pieces *= 2;
  for (int64_t i = 0; i < images_; i += few) {
    const T* x = input(l) + i * layer.in_size();
    if (layer.kind == Kind::conv) {
      RIDGE_PASS(unfold(x, layer, layer.in, wide, few));
      x = unfolded_.as<T>();
    }
    RIDGE_PASS(product(layer.out, wide, few * layer.pixels() / pieces, slope + i * layer.out_size(),
                       true, x, false, grown_.as<void>(), true, i > 0 ? 1.0f : 0.0f, pieces));
  }
  compact_kernel<T><<<blocks_for(layer.weights()), kThreads, 0, stream_>>>(
      grown_.as<float>(), pieces, layer.out, layer.inputs(), wide, !setup_.precision.master,
      gradient);
  return RIDGE_CUDA_LAUNCHED(compact_kernel);
}

template <class T>
Status CudaTrainer<T>::slope_of_input(size_t l, const T* slope, T* out) {
  const Layer& layer = setup_.model.layers[l];
  if (layer.kind == Kind::dense)
    return product(images_, layer.in, layer.out, slope, false, weights_.as<T>() + weight_at_[l],
                   false, out, false, 0);
  const int64_t few = unfolded_images(layer, 9 * layer.out, images_, sizeof(T));
  for (int64_t i = 0; i < images_; i += few) {
    RIDGE_PASS(unfold(slope + i * layer.out_size(), layer, layer.out, 9 * layer.out, few));
    RIDGE_PASS(product(few * layer.pixels(), layer.in, 9 * layer.out, unfolded_.as<T>(), false,
                       mirrored_.as<T>() + weight_at_[l], false, out + i * layer.in_size(), false,
                       0));
  }
  return {};
}

template <class T>
Status CudaTrainer<T>::backward(size_t l, int part, bool counts) {
  const Layer& layer = setup_.model.layers[l];
  T *slope = slope_[current_].as<T>(), *next = slope_[1 - current_].as<T>();
  constexpr int kItems = Pack<T>::kItems;
  const auto packed = [](const T* memory) { return reinterpret_cast<const Pack<T>*>(memory); };
  if (layer.kind == Kind::pool) {
    const int64_t count = images_ * layer.out_size() / kItems;
    unpool_kernel<<<blocks_for(count), kThreads, 0, stream_>>>(
        packed(input(l)), packed(output(l)), packed(slope), layer.side, layer.in / kItems, count,
        reinterpret_cast<Pack<T>*>(next));
    current_ = 1 - current_;
    RIDGE_PASS(RIDGE_CUDA_LAUNCHED(unpool_kernel));
    return sum_bias(setup_.model.layers[l - 1], slope, output(l), count * kItems / layer.in);
  }
  const int64_t count = images_ * layer.out_size();
  if (counts)
    count_kernel<<<256, kThreads, 0, stream_>>>(slope, count, exponents_.as<unsigned long long>());
  if (layer.relu)
    mask_kernel<<<blocks_for(count / kItems), kThreads, 0, stream_>>>(
        packed(output(l)), count / kItems, reinterpret_cast<Pack<T>*>(slope));
  if (!is_pooled(l)) RIDGE_PASS(sum_bias(layer, slope, nullptr, images_ * layer.pixels()));
  RIDGE_PASS(grow(l, slope, part));
  if (l == 0) return {};
  RIDGE_PASS(slope_of_input(l, slope, next));
  current_ = 1 - current_;
  return {};
}

template <class T>
Status CudaTrainer<T>::update() {
  const int64_t count = setup_.model.parameters;
  auto* state = state_.as<DeviceState>();
  overflow_kernel<<<blocks_for(count), kThreads, 0, stream_>>>(gradient_.as<float>(), count, state);
  update_kernel<T><<<blocks_for(count), kThreads, 0, stream_>>>(
      gradient_.as<float>(), count, setup_.precision.master, state, velocity_.as<float>(),
      master_.as<float>());
  scale_kernel<<<1, 1, 0, stream_>>>(state);
  return RIDGE_CUDA_LAUNCHED(update_kernel);
}

/// A step from order_ and the rate in state_ on.
template <class T>
Status CudaTrainer<T>::enqueue(bool counts) {
  auto* state = state_.as<DeviceState>();
  const size_t layers = setup_.model.layers.size();
  clear_kernel<<<1, 1, 0, stream_>>>(state);
  RIDGE_CUDA_CHECK(
      cudaMemsetAsync(gradient_.as<void>(), 0, size_t(setup_.model.parameters) * 4, stream_));
  RIDGE_PASS(cast_weights());
  for (int part = 0; part < setup_.parts; ++part) {
    RIDGE_PASS(load(*set_, part * images_));
    for (size_t l = 0; l < layers; ++l) RIDGE_PASS(forward(l));
    current_ = 0;
    softmax_kernel<<<blocks_for(images_), kThreads, 0, stream_>>>(
        output(layers - 1), labels_.as<uint8_t>(), images_, state, slope_[0].as<T>(),
        losses_.as<float>());
    sum_losses_kernel<<<1, 256, 0, stream_>>>(losses_.as<float>(), images_, state);
    RIDGE_PASS(RIDGE_CUDA_LAUNCHED(sum_losses_kernel));
    Status status;
    const auto keep = [&](const Status& one) {
      if (status.ok()) status = one;
    };
    outputs_plan_.backward([&](size_t l) { keep(forward(l)); },
                           [&](size_t l) { keep(backward(l, part, counts)); });
    RIDGE_PASS(status);
  }
  return update();
}

}  // namespace
}  // namespace ridge::mixed
