// The pieces of a training step on a GPU, layer by layer, forward and backward. Included by cuda_trainer.cu alone.
#pragma once

#include "common/harness/kernel/cuda_check.h"
#include "kernels/mixed/cuda_trainer.h"

namespace ridge::mixed {
namespace {

// cuBLAS is column-major: a row-major matrix is its transpose there, and C^T = op(B)^T op(A)^T.
template <class T>
Status CudaTrainer<T>::product(int64_t m, int64_t n, int64_t k, const T* a, bool transpose_a, const T* b,
                               bool transpose_b, void* c, bool wide_c, float beta) {
  const float one = 1;
  const cublasComputeType_t compute = setup_.precision.multiplied == Element::tf32
                                          ? CUBLAS_COMPUTE_32F_FAST_TF32
                                          : CUBLAS_COMPUTE_32F;
  const auto lda = static_cast<int>(transpose_a ? m : k), ldb = static_cast<int>(transpose_b ? k : n);
  const cublasOperation_t op_a = transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cudaDataType_t out = wide_c ? CUDA_R_32F : kType<T>;
  const auto rows = static_cast<int>(n), columns = static_cast<int>(m), deep = static_cast<int>(k);
  RIDGE_CUBLAS_CHECK(cublasGemmEx(blas_, op_b, op_a, rows, columns, deep, &one, b, kType<T>, ldb, a,
                                  kType<T>, lda, &beta, c, out, rows, compute,
                                  CUBLAS_GEMM_DEFAULT));
  return {};
}

template <class T>
Status CudaTrainer<T>::cast_weights() {
  for (size_t l = 0; l < setup_.model.layers.size(); ++l) {
    const Layer& layer = setup_.model.layers[l];
    if (layer.kind == Kind::conv) RIDGE_PASS(arrange(l));
    if (layer.kind != Kind::dense) continue;
    T* const weights = weights_.as<T>() + sizes_.weight_at[l];
    cast_kernel<<<blocks_for(layer.weights()), kThreads, 0, stream_>>>(
        master_.as<float>() + layer.weight, layer.weights(), weights);
    if constexpr (std::is_same_v<T, Fp8Layers::T>) {
      if (in_fp8(layer)) RIDGE_PASS(fp8_->cast_weights(l, layer, weights));
    }
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
  const int64_t place = sizes_.outputs.place[l];
  return place < 0 ? outputs_[l]->template as<T>() : between_[size_t(place)]->template as<T>();
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
  if (layer.kind == Kind::pool) return {};  // the convolution before does it
  if (layer.kind == Kind::conv) return convolve(l);
  RIDGE_PASS(multiply(l, y));
  const int64_t count = images_ * layer.out_size();
  if (layer.out % Pack<T>::kItems == 0)
    finish<Pack<T>::kItems>(y, count, layer);
  else
    finish<2>(y, count, layer);
  return RIDGE_CUDA_LAUNCHED(finish_kernel);
}

template <class T>
Status CudaTrainer<T>::sum_bias(const Layer& layer, const T* slope, int64_t rows) {
  column_sums_kernel<<<kSumBlocks, kThreads, kThreads * 4, stream_>>>(slope, rows, layer.out,
                                                                      sums_.as<float>());
  add_sums_kernel<<<blocks_for(int64_t{layer.out} * 32), kThreads, 0, stream_>>>(
      sums_.as<float>(), kSumBlocks, layer.out, gradient_.as<float>() + layer.bias);
  return RIDGE_CUDA_LAUNCHED(add_sums_kernel);
}

/// A dense layer's product, without its bias.
template <class T>
Status CudaTrainer<T>::multiply(size_t l, T* y) {
  const Layer& layer = setup_.model.layers[l];
  if constexpr (std::is_same_v<T, Fp8Layers::T>) {
    if (in_fp8(layer)) return fp8_->forward(l, layer, input(l), y);
  }
  return product(images_, layer.out, layer.in, input(l), false,
                 weights_.as<T>() + sizes_.weight_at[l], true, y, false, 0);
}

/// Gradients of a dense layer's weights, and of its input unless `next` is null.
template <class T>
Status CudaTrainer<T>::multiply_back(size_t l, const T* slope, int part, T* next) {
  const Layer& layer = setup_.model.layers[l];
  float* gradient = gradient_.as<float>() + layer.weight;
  const float beta = part > 0 ? 1.0f : 0.0f;
  if constexpr (std::is_same_v<T, Fp8Layers::T>) {
    if (in_fp8(layer)) return fp8_->backward(l, layer, slope, beta, gradient, next);
  }
  if (setup_.precision.master) {
    RIDGE_PASS(
        product(layer.out, layer.in, images_, slope, true, input(l), false, gradient, true, beta));
  } else {
    RIDGE_PASS(product(layer.out, layer.in, images_, slope, true, input(l), false,
                       parts_.as<void>(), true, 0));
    RIDGE_PASS(add_pieces(1, layer.weights(), parts_.as<float>(), true, gradient));
  }
  if (next == nullptr) return {};
  return product(images_, layer.in, layer.out, slope, false, weights_.as<T>() + sizes_.weight_at[l],
                 false, next, false, 0);
}

template <class T>
Status CudaTrainer<T>::backward(size_t l, int part, bool counts) {
  const Layer& layer = setup_.model.layers[l];
  T *slope = slope_[current_].as<T>(), *next = slope_[1 - current_].as<T>();
  constexpr int kItems = Pack<T>::kItems;
  const auto packed = [](const T* memory) { return reinterpret_cast<const Pack<T>*>(memory); };
  if (layer.kind == Kind::pool)
    return {};  // the slope goes on as it is, with the places it belongs to
  const int64_t count = images_ * setup_.model.layers[is_pooled(l) ? l + 1 : l].out_size();
  const T* pooled = is_pooled(l) ? output(l + 1) : nullptr;
  if (counts)
    count_kernel<<<256, kThreads, 0, stream_>>>(slope, pooled, count,
                                                exponents_.as<unsigned long long>());
  if (layer.relu)
    mask_kernel<<<blocks_for(count / kItems), kThreads, 0, stream_>>>(
        packed(output(l)), count / kItems, reinterpret_cast<Pack<T>*>(slope));
  if (layer.kind == Kind::conv) {
    RIDGE_PASS(grow_conv(l, slope));
    if (l > 0) RIDGE_PASS(convolve_back(l, slope, next));
  } else {
    RIDGE_PASS(sum_bias(layer, slope, images_));
    RIDGE_PASS(multiply_back(l, slope, part, l > 0 ? next : nullptr));
  }
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
    sizes_.outputs.backward([&](size_t l) { keep(forward(l)); },
                            [&](size_t l) { keep(backward(l, part, counts)); });
    RIDGE_PASS(status);
  }
  return update();
}

}  // namespace
}  // namespace ridge::mixed
