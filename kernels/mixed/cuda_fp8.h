// Products of dense layers in fp8 on a GPU: operands are scaled by a power of two, so that a tensor's largest
// comes just below the type's largest, rounded to e4m3 (gradients: e5m2), and multiplied by cuBLASLt, which
// divides by both scales again. The scale is the tensor's own of this step ("current scaling"): a pass for its
// largest, then one that casts.
//
// fp8 tensor cores want the summed dimension contiguous in both operands. What is cast is therefore written
// transposed as well: activations and gradients for the gradient of the weights, weights for that of the input.
//
// Micikevicius et al. (arXiv:2209.05433); cuBLASLt documentation, "FP8 data types". Included by cuda_trainer.h
// alone.
#pragma once

#include <cublasLt.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/mixed/cuda_kernels.h"
#include "kernels/mixed/cuda_memory.h"
#include "kernels/runtime/cuda/blas.h"
#include "kernels/runtime/networks/model.h"

namespace ridge::mixed {

/// Of a tensor, in device memory: what its fp8 numbers are multiplied by, and bits of its largest magnitude.
/// cuBLASLt refuses a scale that is not at a multiple of 16 bytes (CUBLAS_STATUS_NOT_SUPPORTED, 13.0).
struct alignas(16) Fp8Scale {
  float back;
  uint32_t most;
};

template <class T>
__global__ void max_kernel(const Pack<T>* x, int64_t count, Fp8Scale* scale) {
  float most = 0;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += int64_t{gridDim.x} * blockDim.x) {
    const Pack<T> some = x[i];
#pragma unroll
    for (int j = 0; j < Pack<T>::kItems; ++j)
      most = fmaxf(most, fabsf(static_cast<float>(some.v[j])));
  }
  for (int step = 16; step > 0; step /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
  // Bits of numbers that are not negative are in their order.
  if (threadIdx.x % 32 == 0) atomicMax(&scale->most, __float_as_uint(most));
}

/// 64 x 64 numbers a block of 256: rows as they are (null: not), and turned.
template <class T>
__global__ void cast_fp8_kernel(const T* x, int rows, int columns, bool e5m2, Fp8Scale* scale, uint8_t* as_is,
                                uint8_t* transposed) {
  __shared__ uint8_t tile[64][68];
  const float most = __uint_as_float(scale->most);
  // 2^floor(log2(largest of the type / largest of the tensor)), within what has an inverse: as on the CPU.
  const int exponent = most > 0 && most < 3.4e38f ? ilogbf((e5m2 ? 57344.0f : 448.0f) / most) : 0;
  const float factor = ldexpf(1, max(-100, min(exponent, 100)));
  const int tid = static_cast<int>(threadIdx.x), four = tid % 16 * 4;
  const int row0 = static_cast<int>(blockIdx.y) * 64, column0 = static_cast<int>(blockIdx.x) * 64;
  if (tid == 0 && blockIdx.x == 0 && blockIdx.y == 0) scale->back = 1 / factor;
  for (int r = tid / 16; r < 64; r += 16) {
    const int row = row0 + r, column = column0 + four;
    if (row >= rows || column >= columns) continue;
    uchar4 out;
    auto* bytes = reinterpret_cast<uint8_t*>(&out);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float value = static_cast<float>(x[int64_t{row} * columns + column + j]) * factor;
      bytes[j] = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, e5m2 ? __NV_E5M2 : __NV_E4M3);
      tile[r][four + j] = bytes[j];
    }
    if (as_is != nullptr) *reinterpret_cast<uchar4*>(as_is + int64_t{row} * columns + column) = out;
  }
  __syncthreads();
  for (int c = tid / 16; c < 64; c += 16) {
    const int row = row0 + four, column = column0 + c;
    if (row >= rows || column >= columns) continue;
    *reinterpret_cast<uchar4*>(transposed + int64_t{column} * rows + row) =
        make_uchar4(tile[four][c], tile[four + 1][c], tile[four + 2][c], tile[four + 3][c]);
  }
}

/// One product's plan: row-major d (m x n) = a (m x k) times b (n x k) turned.
class Fp8Product {
 public:
  Fp8Product() = default;
  Fp8Product(const Fp8Product&) = delete;
  ~Fp8Product() {
    for (const auto layout : {a_, b_, d_})
      if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    if (what_ != nullptr) cublasLtMatmulDescDestroy(what_);
  }
  /// `forward`: both operands are e4m3, and the tensor core's own sums, of 14 bits, will do.
  Status make(cublasLtHandle_t lt, int64_t m, int64_t n, int64_t k, cudaDataType_t a,
              cudaDataType_t b, cudaDataType_t d, bool forward, const Fp8Scale* a_scale,
              const Fp8Scale* b_scale) {
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const int8_t fast = forward ? 1 : 0;
    const float *of_a = &a_scale->back, *of_b = &b_scale->back;
    RIDGE_CUBLAS_CHECK(cublasLtMatmulDescCreate(&what_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const auto set = [&](cublasLtMatmulDescAttributes_t name, const auto& value) {
      return cublasLtMatmulDescSetAttribute(what_, name, &value, sizeof value);
    };
    // Column-major: d turned = b' a', and there b comes first.
    RIDGE_CUBLAS_CHECK(set(CUBLASLT_MATMUL_DESC_TRANSA, transposed));
    RIDGE_CUBLAS_CHECK(set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast));
    RIDGE_CUBLAS_CHECK(set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, of_b));
    RIDGE_CUBLAS_CHECK(set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, of_a));
    const auto um = uint64_t(m), un = uint64_t(n), uk = uint64_t(k);
    RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&b_, b, uk, un, k));
    RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&a_, a, uk, um, k));
    RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&d_, d, un, um, n));
    cublasLtMatmulPreference_t preference = nullptr;
    RIDGE_CUBLAS_CHECK(cublasLtMatmulPreferenceCreate(&preference));
    const size_t workspace = blas::kWorkspaceBytes;
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &workspace, sizeof workspace);
    // A layer's gradient lies behind those of others: 16 numbers are what it begins at a multiple of.
    const uint32_t aligned = 64;
    for (const auto name :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      cublasLtMatmulPreferenceSetAttribute(preference, name, &aligned, sizeof aligned);
    cublasLtMatmulHeuristicResult_t found = {};
    int count = 0;
    const cublasStatus_t asked =
        cublasLtMatmulAlgoGetHeuristic(lt, what_, b_, a_, d_, d_, preference, 1, &found, &count);
    cublasLtMatmulPreferenceDestroy(preference);
    RIDGE_CUBLAS_CHECK(asked);
    if (count == 0) return {"no fp8 product of this shape", "heuristic", __FILE__, __LINE__, false};
    algorithm_ = found.algo;
    return {};
  }
  Status run(cublasLtHandle_t lt, const void* a, const void* b, float beta, void* d,
             void* workspace, cudaStream_t stream) const {
    const float one = 1;
    RIDGE_CUBLAS_CHECK(cublasLtMatmul(lt, what_, &one, b, b_, a, a_, &beta, d, d_, d, d_,
                                      &algorithm_, workspace, blas::kWorkspaceBytes, stream));
    return {};
  }

 private:
  cublasLtMatmulDesc_t what_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, d_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_ = {};
};

/// fp8 tensor cores and cuBLASLt want every dimension a multiple of 16: the last layer's ten outputs stay
/// bf16.
inline bool goes_fp8(const Layer& layer, int64_t images) {
  return layer.kind == Layer::Kind::dense && layer.in % 16 == 0 && layer.out % 16 == 0 &&
         images % 16 == 0;
}

/// The fp8 side of a bf16 training: what it keeps of each layer, and its three products.
class Fp8Layers {
 public:
  using T = __nv_bfloat16;

  /// What make() allocates.
  static double bytes(const Model& model, int64_t images) {
    double all = 0, widest = 0;
    for (const Layer& layer : model.layers) {
      if (!goes_fp8(layer, images)) continue;
      all += 2.0 * double(layer.weights()) + double(images * layer.in) + 3.0 * sizeof(Fp8Scale);
      widest = std::max(widest, double(images) * std::max(layer.in, layer.out));
    }
    return all + 2 * widest;
  }

  Status make(const Model& model, int64_t images, cublasHandle_t blas, void* workspace,
              cudaStream_t stream, double* total) {
    lt_ = reinterpret_cast<cublasLtHandle_t>(blas);  // one may stand for the other
    workspace_ = workspace, stream_ = stream, images_ = images;
    int64_t widest = 0;
    for (const Layer& layer : model.layers) {
      layers_.push_back(nullptr);
      if (!goes_fp8(layer, images)) continue;
      layers_.back() = std::make_unique<Kept>();
      Kept& kept = *layers_.back();
      RIDGE_PASS(kept.w.make(layer.weights(), total));
      RIDGE_PASS(kept.w_transposed.make(layer.weights(), total));
      RIDGE_PASS(kept.x_transposed.make(images * layer.in, total));
      RIDGE_PASS(kept.scales.make(3 * int64_t{sizeof(Fp8Scale)}, total));
      const Fp8Scale* const w = kept.scales.as<Fp8Scale>();
      const Fp8Scale *x = w + 1, *slope = w + 2;
      constexpr auto k8 = CUDA_R_8F_E4M3, k8Slope = CUDA_R_8F_E5M2;
      RIDGE_PASS(
          kept.forward.make(lt_, images, layer.out, layer.in, k8, k8, CUDA_R_16BF, true, x, w));
      RIDGE_PASS(kept.back.make(lt_, images, layer.in, layer.out, k8Slope, k8, CUDA_R_16BF, false,
                                slope, w));
      RIDGE_PASS(kept.grow.make(lt_, layer.out, layer.in, images, k8Slope, k8, CUDA_R_32F, false,
                                slope, x));
      widest = std::max(widest, images * std::max(layer.in, layer.out));
    }
    RIDGE_PASS(as_is_.make(widest, total));
    return transposed_.make(widest, total);
  }

  Status cast_weights(size_t l, const Layer& layer, const T* w) {
    Kept& kept = *layers_[l];
    return cast(w, layer.out, layer.in, false, kept.scales.as<Fp8Scale>(), kept.w.as<uint8_t>(),
                kept.w_transposed.as<uint8_t>());
  }
  Status forward(size_t l, const Layer& layer, const T* x, T* y) {
    Kept& kept = *layers_[l];
    RIDGE_PASS(cast(x, images_, layer.in, false, kept.scales.as<Fp8Scale>() + 1, as_is_.as<uint8_t>(),
                    kept.x_transposed.as<uint8_t>()));
    return kept.forward.run(lt_, as_is_.as<void>(), kept.w.as<void>(), 0, y, workspace_, stream_);
  }
  /// `to`, the gradient by the input: null for the first layer. `beta` 1: to the gradient that is there.
  Status backward(size_t l, const Layer& layer, const T* slope, float beta, float* gradient,
                  T* to) {
    Kept& kept = *layers_[l];
    RIDGE_PASS(cast(slope, images_, layer.out, true, kept.scales.as<Fp8Scale>() + 2, as_is_.as<uint8_t>(),
                    transposed_.as<uint8_t>()));
    RIDGE_PASS(
        kept.grow.run(lt_, transposed_.as<void>(), kept.x_transposed.as<void>(), beta, gradient, workspace_, stream_));
    if (to == nullptr) return {};
    return kept.back.run(lt_, as_is_.as<void>(), kept.w_transposed.as<void>(), 0, to, workspace_, stream_);
  }

 private:
  struct Kept {
    DeviceBuffer w, w_transposed, x_transposed, scales;
    Fp8Product forward, back, grow;
  };

  Status cast(const T* x, int64_t rows, int64_t columns, bool e5m2, Fp8Scale* scale, uint8_t* as_is,
              uint8_t* transposed) {
    RIDGE_CUDA_CHECK(cudaMemsetAsync(scale, 0, sizeof *scale, stream_));
    const int64_t packs = rows * columns / Pack<T>::kItems;
    max_kernel<T><<<std::min(blocks_for(packs), 1056u), kThreads, 0, stream_>>>(reinterpret_cast<const Pack<T>*>(x),
                                                                                packs, scale);
    const dim3 grid(static_cast<unsigned>((columns + 63) / 64),
                    static_cast<unsigned>((rows + 63) / 64));
    cast_fp8_kernel<T><<<grid, kThreads, 0, stream_>>>(x, static_cast<int>(rows), static_cast<int>(columns), e5m2,
                                                       scale, as_is, transposed);
    return RIDGE_CUDA_LAUNCHED(cast_fp8_kernel);
  }

  cublasLtHandle_t lt_ = nullptr;
  void* workspace_ = nullptr;
  cudaStream_t stream_ = nullptr;
  int64_t images_ = 0;
  std::vector<std::unique_ptr<Kept>> layers_;
  DeviceBuffer as_is_, transposed_;  ///< operands of one product
};

}  // namespace ridge::mixed
