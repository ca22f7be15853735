// The trainer of cuda_trainer.cu: what it holds. Included by that file alone.
#pragma once

#include <cublas_v2.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/gemm/blas.h"
#include "kernels/mixed/cuda_kernels.h"
#include "kernels/mixed/trainer.h"

namespace ridge::mixed {
namespace {

using Kind = Layer::Kind;

constexpr int kThreads = 256, kSumBlocks = 1056;
/// The gradient of a convolution's weights is a product of millions of rows to a few thousand numbers: it is
/// cut into so many, summed afterwards.
constexpr int kPieces = 64;
/// Unfolded rows at a time: what is written is read from the L2 (50 MB of an H200).
constexpr int64_t kUnfoldedBytes = 40 << 20;

unsigned blocks_for(int64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

Error error_of(const Status& status) {
  return {status.sticky ? ErrorCode::worker : ErrorCode::unavailable, status.what,
          status.expression != nullptr ? status.expression : "", ""};
}
#define RIDGE_TRY_STATUS(call) \
  if (const Status ridge_status = (call); !ridge_status.ok()) return error_of(ridge_status)
#define RIDGE_PASS(call) \
  if (const Status ridge_status = (call); !ridge_status.ok()) return ridge_status

class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(memory_); }
  Status make(int64_t bytes, double* total) {
    if (bytes == 0) return {};
    RIDGE_CUDA_CHECK(cudaMalloc(&memory_, static_cast<size_t>(bytes)));
    RIDGE_CUDA_CHECK(cudaMemset(memory_, 0, static_cast<size_t>(bytes)));
    *total += double(bytes);
    return {};
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
};

template <class T>
constexpr cudaDataType_t kType = CUDA_R_32F;
template <>
constexpr cudaDataType_t kType<__half> = CUDA_R_16F;
template <>
constexpr cudaDataType_t kType<__nv_bfloat16> = CUDA_R_16BF;

/// A row of unfolded pixels: of one channel nine numbers, made 16 for the tensor cores.
int wide_of(const Layer& layer) {
  return layer.kind == Kind::conv ? (layer.inputs() + 7) / 8 * 8 : layer.inputs();
}

/// Images whose unfolded rows, `wide` numbers each, are made at a time.
inline int64_t unfolded_images(const Layer& layer, int wide, int64_t images, size_t bytes) {
  const int64_t one = layer.pixels() * wide * int64_t(bytes);
  int64_t count = images;
  while (count % 2 == 0 && count * one > kUnfoldedBytes) count /= 2;
  return count;
}

/// Numbers of the unfolded rows of a layer at most; the first is not flowed back through.
inline int64_t unfolded_size(const Layer& layer, bool is_first, int64_t images, size_t bytes) {
  const auto of = [&](int wide) {
    return unfolded_images(layer, wide, images, bytes) * layer.pixels() * wide;
  };
  return is_first ? of(wide_of(layer)) : std::max(of(wide_of(layer)), of(9 * layer.out));
}

struct DeviceSet {
  const ImageSet* set = nullptr;
  DeviceBuffer pixels, labels;
};

template <class T>
class CudaTrainer final : public Trainer {
 public:
  explicit CudaTrainer(TrainerSetup setup)
      : setup_(std::move(setup)),
        outputs_plan_(outputs_of(setup_.model, setup_.precision.checkpointing)),
        images_(setup_.batch / setup_.parts) {}
  ~CudaTrainer() override;
  Status make();

  Result<void> step(const ImageSet& set, const int32_t* images, float rate, bool counts) override;
  Result<StepReport> report() override;
  GradientCount counted() override;
  Result<int64_t> right(const ImageSet& set, const int32_t* images, int64_t count) override;
  double memory_bytes() const override { return bytes_; }
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
  Status unfold(const T* x, const Layer& layer, int channels, int wide, int64_t images);
  template <int items>
  void finish(T* y, int64_t count, const Layer& layer);
  Status backward(size_t l, int part, bool counts);
  Status grow(size_t l, const T* slope, int part);
  Status slope_of_input(size_t l, const T* slope, T* out);
  Status update();
  Status sum_bias(const Layer& layer, const T* slope, const T* out, int64_t rows);
  /// A pool follows, which adds the bias.
  bool is_pooled(size_t l) const {
    return l + 1 < setup_.model.layers.size() && setup_.model.layers[l + 1].kind == Kind::pool;
  }
  /// C = op(A) op(B), row-major; C of T or of fp32.
  Status product(int64_t m, int64_t n, int64_t k, const T* a, bool turn_a, const T* b, bool turn_b,
                 void* c, bool wide_c, float beta, int pieces = 1);

  TrainerSetup setup_;
  Outputs outputs_plan_;
  int64_t images_;
  double bytes_ = 0, used_scale_ = 1;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  bool warm_ = false, fresh_ = false;
  DeviceBuffer master_, velocity_, gradient_, weights_, mirrored_, grown_, x_, labels_, losses_,
      slope_[2], unfolded_, sums_, workspace_, state_, order_, exponents_;
  std::vector<std::unique_ptr<DeviceBuffer>> outputs_, between_;
  std::vector<int64_t> weight_at_;  ///< of a layer in weights_: rows are wide_of() long
  DeviceSet sets_[2];
  int32_t* pinned_ = nullptr;
  const DeviceSet* set_ = nullptr;
  StepReport report_;
  int current_ = 0;
};

}  // namespace
}  // namespace ridge::mixed
