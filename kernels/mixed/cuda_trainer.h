// The trainer of cuda_trainer.cu: what it holds. Included by that file alone.
#pragma once

#include <cublas_v2.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/mixed/cuda_conv_first.h"
#include "kernels/mixed/cuda_conv_mma_grow.h"
#include "kernels/mixed/cuda_fp8.h"
#include "kernels/mixed/cuda_memory.h"
#include "kernels/mixed/training.h"
#include "kernels/runtime/cuda/blas.h"

namespace ridge::mixed {
namespace {

using Kind = Layer::Kind;

constexpr int kSumBlocks = 1056;
/// Blocks that form the gradient of a convolution's weights, each through its share of the images: two for each
/// of an H200's SMs. What each has is summed afterwards.
constexpr int kGrowBlocks = 264;

template <class T>
constexpr cudaDataType_t kType = CUDA_R_32F;
template <>
constexpr cudaDataType_t kType<__half> = CUDA_R_16F;
template <>
constexpr cudaDataType_t kType<__nv_bfloat16> = CUDA_R_16BF;

/// Channels of the first layer go by one; all others by 16 bytes.
inline bool reads_one(const Layer& layer) {
  return layer.in == 1;
}

/// Runs that the gradient of a convolution's weights is formed in.
inline int grow_pieces(const Layer& layer) {
  const int blocks = (layer.out + 31) / 32 * ((layer.in + 31) / 32);
  return std::max(1, (reads_one(layer) ? 3 : 1) * kGrowBlocks / blocks);
}

/// What a training allocates, in numbers of the type in memory unless said.
struct DeviceSizes {
  Outputs outputs;
  int64_t images = 0, weights = 0, slope = 0, places = 0;  ///< places: bytes
  int64_t parts = 0, first = 0;                            ///< fp32
  std::vector<int64_t> weight_at;                          ///< of a layer

  explicit DeviceSizes(const TrainerSetup& setup);
  double bytes(const TrainerSetup& setup, size_t item) const;
};

struct DeviceSet {
  const ImageSet* set = nullptr;
  DeviceBuffer pixels, labels;
};

template <class T>
class CudaTrainer final : public Trainer {
 public:
  explicit CudaTrainer(TrainerSetup setup)
      : setup_(std::move(setup)), sizes_(setup_), images_(sizes_.images) {}
  ~CudaTrainer() override;
  Status make();

  Result<void> step(const ImageSet& set, const int32_t* images, float rate, bool counts) override;
  Result<StepReport> report() override;
  GradientCount counted() override;
  Result<int64_t> right(const ImageSet& set, const int32_t* images, int64_t count) override;
  double memory_bytes() const override { return bytes_; }
  double activation_bytes() const override {
    return double(sizeof(T)) * double(images_ * sizes_.outputs.total()) + double(sizes_.places);
  }
  std::vector<float> parameters() override { return host(master_, 1); }
  std::vector<float> gradient() override { return host(gradient_, used_scale_); }

 private:
  std::vector<float> host(const DeviceBuffer& from, double divisor) const;
  Status upload(const ImageSet& set, const DeviceSet** found);
  Status enqueue(bool counts);
  Status cast_weights();
  Status load(const DeviceSet& set, int64_t first);
  T* output(size_t l) const;
  const T* input(size_t l) const { return l == 0 ? x_.as<T>() : output(l - 1); }
  Status forward(size_t l);
  /// The convolutions: cuda_conv_launch.h.
  bool on_fma(const Layer& layer) const {
    return reads_one(layer) || (sizeof(T) == 4 && setup_.precision.multiplied == Element::fp32);
  }
  uint8_t* places(size_t l) const {
    return places_[l] ? places_[l]->template as<uint8_t>() : nullptr;
  }
  ConvInput<T> slope_input(size_t l, const T* slope) const { return {slope, places(l)}; }
  Status arrange(size_t l);
  Status convolve(size_t l);
  Status convolve_back(size_t l, const T* slope, T* out);
  template <int half>
  Status convolve_on_mma(const ConvShape& shape, const ConvInput<T>& in, const void* weights,
                         const ConvOutput<T>& out);
  template <int half>
  Status convolve_on(const ConvShape& shape, const Layer& layer, const ConvInput<T>& in,
                     const void* weights, const ConvOutput<T>& out);
  Status grow_conv(size_t l, const T* slope);
  template <int half>
  Status grow_conv_on(size_t l, const T* slope);
  template <class... Parameters, class... Arguments>
  Status launch(void (*kernel)(Parameters...), dim3 grid, int threads, size_t bytes,
                Arguments... arguments) {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(bytes)));
    kernel<<<grid, threads, bytes, stream_>>>(arguments...);
    return RIDGE_CUDA_LAUNCHED(kernel);
  }
  template <int items>
  void finish(T* y, int64_t count, const Layer& layer);
  Status backward(size_t l, int part, bool counts);
  Status multiply(size_t l, T* y);
  Status multiply_back(size_t l, const T* slope, int part, T* next);
  Status add_pieces(int pieces, int64_t count, const float* parts, bool rounds, float* gradient);
  Status update();
  Status sum_bias(const Layer& layer, const T* slope, int64_t rows);
  bool is_pooled(size_t l) const { return setup_.model.is_pooled(l); }
  bool in_fp8(const Layer& layer) const { return fp8_ && goes_fp8(layer, images_); }
  /// C = op(A) op(B), row-major; C of T or of fp32.
  Status product(int64_t m, int64_t n, int64_t k, const T* a, bool transpose_a, const T* b, bool transpose_b, void* c,
                 bool wide_c, float beta);

  TrainerSetup setup_;
  DeviceSizes sizes_;
  int64_t images_;
  double bytes_ = 0, used_scale_ = 1;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  bool warm_ = false, fresh_ = false;
  DeviceBuffer master_, velocity_, gradient_, weights_, mirrored_, parts_, first_, x_, labels_,
      losses_, slope_[2], sums_, workspace_, state_, order_, exponents_;
  std::vector<std::unique_ptr<DeviceBuffer>> outputs_, between_, places_;
  std::unique_ptr<Fp8Layers> fp8_;  ///< null: products are of T
  DeviceSet sets_[2];
  int32_t* pinned_ = nullptr;
  const DeviceSet* set_ = nullptr;
  StepReport report_;
  int current_ = 0;
};

}  // namespace
}  // namespace ridge::mixed
