// ridge: arch=80 needs=cublas
//
// Idea      The peer with matrix units: bytes become bf16, and two products of cuBLASLt, with bias and ReLU
//           in their epilogues, classify.
// Changed   Here everything is multiplied: 203,000 multiply-adds an image.
// Limits    Bytes become 16 bits in a kernel before, and the hidden layer goes through memory: in pieces of
//           16,384 images, so that both stay in the L2 (34 MB of 50).
// Look at   Energy an image beside the tables'. A byte is exact in bf16; the weights are rounded.
// Source    cuBLASLt documentation, "cublasLtEpilogue_t", "cublasLtMatmulAlgoGetHeuristic".
#include <cublasLt.h>
#include <cuda_bf16.h>

#include <cstdio>
#include <vector>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/mlp/mlp.h"
#include "kernels/runtime/cuda/blas.h"
#include "kernels/runtime/cuda/blas_tuning.h"
#include "kernels/runtime/weightless/words_launch.h"

namespace {

using namespace ridge;
using words::DeviceMemory;

constexpr int64_t kPiece = 16'384;
constexpr int kWide = 16;  // the ten classes in a product that tensor cores like

/// 16 bytes a thread.
__global__ void widen_kernel(const uint4* __restrict__ pixels, int64_t count,
                             uint4* __restrict__ out) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint4 in = pixels[i];
  const unsigned word[4] = {in.x, in.y, in.z, in.w};
  unsigned wide[8];
#pragma unroll
  for (int p = 0; p < 8; ++p) {
    const unsigned two = word[p / 2] >> (p % 2 * 16);
    const unsigned low = __float_as_uint(static_cast<float>(two & 255));
    const unsigned high = __float_as_uint(static_cast<float>(two >> 8 & 255));
    wide[p] = low >> 16 | (high & 0xffff0000);  // a byte's float has no bits below
  }
  out[2 * i] = {wide[0], wide[1], wide[2], wide[3]};
  out[2 * i + 1] = {wide[4], wide[5], wide[6], wide[7]};
}

__global__ void best_kernel(const float* __restrict__ scores, int64_t images,
                            uint8_t* __restrict__ classes) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= images) return;
  int best = 0;
  for (int c = 1; c < kMlpOut; ++c)
    if (scores[i * kWide + c] > scores[i * kWide + best]) best = c;
  classes[i] = static_cast<uint8_t>(best);
}

/// out (units x images, by columns) = weights^T in, with an epilogue.
struct Product {
  cublasLtMatmulDesc_t what = nullptr;
  cublasLtMatrixLayout_t weights = nullptr, in = nullptr, out = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};

  ~Product() {
    for (const auto layout : {weights, in, out})
      if (layout) cublasLtMatrixLayoutDestroy(layout);
    if (what) cublasLtMatmulDescDestroy(what);
  }
  Status make(int inputs, int units, cudaDataType_t out_type, cublasLtEpilogue_t epilogue,
              const float* bias) {
    const cublasOperation_t transpose = CUBLAS_OP_T;
    const cudaDataType_t bias_type = CUDA_R_32F;
    RIDGE_CUBLAS_CHECK(cublasLtMatmulDescCreate(&what, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const auto set = [&](cublasLtMatmulDescAttributes_t name, const auto& value) {
      return cublasLtMatmulDescSetAttribute(what, name, &value, sizeof value);
    };
    RIDGE_CUBLAS_CHECK(set(CUBLASLT_MATMUL_DESC_TRANSA, transpose));
    RIDGE_CUBLAS_CHECK(set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue));
    RIDGE_CUBLAS_CHECK(set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias));
    if (out_type == CUDA_R_32F)
      RIDGE_CUBLAS_CHECK(set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, bias_type));
    const auto k = static_cast<uint64_t>(inputs), m = static_cast<uint64_t>(units);
    RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&weights, CUDA_R_16BF, k, m, inputs));
    RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&in, CUDA_R_16BF, k, kPiece, inputs));
    RIDGE_CUBLAS_CHECK(cublasLtMatrixLayoutCreate(&out, out_type, m, kPiece, units));
    return {};
  }
};

struct Mlp {
  cublasLtHandle_t handle = nullptr;
  DeviceMemory weights, output_weights, bias, output_bias, pixels, hidden, scores, workspace;
  Product first, second;

  ~Mlp() {
    if (handle) cublasLtDestroy(handle);
  }

  Status upload(const MlpModel& model) {
    // Each unit's weights side by side, as the transposed operand of the product wants them.
    std::vector<__nv_bfloat16> rounded(kMlpHidden * kMlpIn), wide(kWide * kMlpHidden);
    for (int i = 0; i < kMlpIn; ++i)
      for (int h = 0; h < kMlpHidden; ++h)
        rounded[size_t(h * kMlpIn + i)] = __float2bfloat16(model.w1[i * kMlpHidden + h]);
    for (int h = 0; h < kMlpHidden; ++h)
      for (int c = 0; c < kMlpOut; ++c)
        wide[size_t(c * kMlpHidden + h)] = __float2bfloat16(model.w2[h * kMlpOut + c]);
    std::vector<__nv_bfloat16> hidden_bias(kMlpHidden);  // of the type that the product leaves
    for (size_t i = 0; i < kMlpHidden; ++i) hidden_bias[i] = __float2bfloat16(model.b1[i]);
    std::vector<float> wide_bias(kWide);
    for (size_t i = 0; i < kMlpOut; ++i) wide_bias[i] = model.b2[i];
    if (const Status s = weights.upload(rounded.data(), rounded.size()); !s.ok()) return s;
    if (const Status s = output_weights.upload(wide.data(), wide.size()); !s.ok()) return s;
    if (const Status s = bias.upload(hidden_bias.data(), hidden_bias.size()); !s.ok()) return s;
    return output_bias.upload(wide_bias.data(), wide_bias.size());
  }

  Status multiply(const Product& p, const cublasLtMatmulAlgo_t& algorithm, const DeviceMemory& left,
                  const DeviceMemory& in, const DeviceMemory& out, cudaStream_t stream) const {
    const float one = 1, zero = 0;
    RIDGE_CUBLAS_CHECK(cublasLtMatmul(handle, p.what, &one, left.as<void>(), p.weights,
                                      in.as<void>(), p.in, &zero, out.as<void>(), p.out,
                                      out.as<void>(), p.out, &algorithm, workspace.as<void>(),
                                      blas::kWorkspaceBytes, stream));
    return {};
  }

  /// The fastest of what the heuristics list.
  Status choose(Product* p, const DeviceMemory& left, const DeviceMemory& in,
                const DeviceMemory& out) {
    constexpr int kMax = 8;
    cublasLtMatmulHeuristicResult_t list[kMax];
    cublasLtMatmulPreference_t wish = nullptr;
    const size_t bytes = blas::kWorkspaceBytes;
    int count = 0;
    RIDGE_CUBLAS_CHECK(cublasLtMatmulPreferenceCreate(&wish));
    cublasLtMatmulPreferenceSetAttribute(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                         sizeof bytes);
    const cublasStatus_t listed =
        cublasLtMatmulAlgoGetHeuristic(handle, p->what, p->weights, p->in, p->out, p->out, wish, kMax, list, &count);
    cublasLtMatmulPreferenceDestroy(wish);
    RIDGE_CUBLAS_CHECK(listed);
    if (count == 0) return refuse("cuBLASLt has no algorithm for this layer");
    struct Layer {
      const Mlp* mlp;
      const Product* product;
      const cublasLtMatmulHeuristicResult_t* list;
      const DeviceMemory *left, *in, *out;
    } layer = {this, p, list, &left, &in, &out};
    blas::Choice choice;
    const Status s = blas::fastest_of(
        count,
        [](void* context, int index, cudaStream_t stream) {
          const auto* one = static_cast<const Layer*>(context);
          return one->mlp->multiply(*one->product, one->list[index].algo, *one->left, *one->in, *one->out, stream);
        },
        &layer, &choice);
    p->algorithm = list[choice.index].algo;
    return s;
  }

  Status prepare(const Shape& shape, Plan* plan) {
    RIDGE_CUBLAS_CHECK(cublasLtCreate(&handle));
    if (const Status s = upload(*static_cast<const MlpModel*>(shape.constants)); !s.ok()) return s;
    if (const Status s = pixels.allocate(kPiece * kMlpIn * 2); !s.ok()) return s;
    if (const Status s = hidden.allocate(kPiece * kMlpHidden * 2); !s.ok()) return s;
    if (const Status s = scores.allocate(kPiece * kWide * 4); !s.ok()) return s;
    if (const Status s = workspace.allocate(blas::kWorkspaceBytes); !s.ok()) return s;
    RIDGE_CUDA_CHECK(cudaMemset(pixels.as<void>(), 0x3e, pixels.bytes()));  // 0.19, no zeros
    if (const Status s = first.make(kMlpIn, kMlpHidden, CUDA_R_16BF, CUBLASLT_EPILOGUE_RELU_BIAS,
                                    bias.as<float>());
        !s.ok())
      return s;
    if (const Status s = second.make(kMlpHidden, kWide, CUDA_R_32F, CUBLASLT_EPILOGUE_BIAS,
                                     output_bias.as<float>());
        !s.ok())
      return s;
    if (const Status s = choose(&first, weights, pixels, hidden); !s.ok()) return s;
    if (const Status s = choose(&second, output_weights, hidden, scores); !s.ok()) return s;
    plan->workspace_bytes = pixels.bytes() + hidden.bytes() + scores.bytes() + workspace.bytes();
    std::snprintf(plan->note, sizeof plan->note, "%lld images at a time",
                  static_cast<long long>(kPiece));
    return {};
  }
};

Status launch(const Launch& launch) {
  const auto* mlp = static_cast<const Mlp*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  const int64_t images = launch.shape.dim[0];
  for (int64_t at = 0; at < images; at += kPiece) {
    const int64_t count = images - at < kPiece ? images - at : kPiece, wide = count * kMlpIn / 16;
    const auto* from = static_cast<const uint8_t*>(launch.buffers[0]) + at * kMlpIn;
    widen_kernel<<<static_cast<unsigned>((wide + 255) / 256), 256, 0, stream>>>(
        reinterpret_cast<const uint4*>(from), wide, mlp->pixels.as<uint4>());
    if (const Status s = RIDGE_CUDA_LAUNCHED(widen_kernel); !s.ok()) return s;
    if (const Status s = mlp->multiply(mlp->first, mlp->first.algorithm, mlp->weights, mlp->pixels,
                                       mlp->hidden, stream);
        !s.ok())
      return s;
    if (const Status s = mlp->multiply(mlp->second, mlp->second.algorithm, mlp->output_weights,
                                       mlp->hidden, mlp->scores, stream);
        !s.ok())
      return s;
    best_kernel<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(
        mlp->scores.as<float>(), count, static_cast<uint8_t*>(launch.buffers[1]) + at);
    if (const Status s = RIDGE_CUDA_LAUNCHED(best_kernel); !s.ok()) return s;
  }
  return {};
}

}  // namespace

RIDGE_KERNEL(mlp, cuda, cublaslt, .dtypes = "bf16", .library = "cuBLASLt", .version = blas::version,
             .prepare = words::prepare_state<Mlp>, .launch = launch);
