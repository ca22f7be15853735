// ridge: arch=75
//
// Idea      Depthwise: a filter sees one channel, so there is no product of matrices and nothing for tensor cores.
//           What is left is to read x once and write y once. A thread has 16 bytes of channels and 7 outputs of a row:
//           an element that comes into its registers serves every output of the seven that sees it.
// Changed   16 bytes a load instead of one element, and 12 loads a filter row for 7 outputs instead of 42.
// Limits    The memory; below that, the L1, which still gives each row of x to each filter row.
// Look at   groups = c = m, filters of 3 x 3 at 112 x 112: bandwidth. 7 divides the widths that networks have.
// Source    A. Howard et al., MobileNets, arXiv:1704.04861, for the layers.
#include <cstdio>
#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/cuda_conv.h"
#include "kernels/runtime/cuda/upload.h"

namespace ridge::device {

constexpr int kRun = 7, kDepthThreads = 128;

template <typename T>
constexpr int kDepthVector = 16 / sizeof(T);

template <typename T>
__device__ inline void load_channels(const T* from, float (&to)[kDepthVector<T>]) {
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(from));
#pragma unroll
  for (int i = 0; i < kDepthVector<T>; ++i) to[i] = float(reinterpret_cast<const T*>(&words)[i]);
}

/// f: [tap][channel]. kS: width of the filters, 0 where only v has it.
template <typename T, int kS, int kStride>
__global__ void __launch_bounds__(kDepthThreads)
    conv_depthwise_kernel(Conv v, const T* __restrict__ x, const T* __restrict__ f,
                          const T* __restrict__ bias, T* __restrict__ y) {
  constexpr int kVector = kDepthVector<T>;
  const int64_t runs = (v.q + kRun - 1) / kRun, vectors = v.c / kVector;
  const int64_t i = int64_t{blockIdx.x} * kDepthThreads + threadIdx.x;
  if (i >= v.n * v.p * runs * vectors) return;
  const auto c = static_cast<int>(i % vectors) * kVector;
  const auto q0 = static_cast<int>(i / vectors % runs) * kRun;
  const int64_t p = i / vectors / runs % v.p, n = i / vectors / runs / v.p;
  const int stride = kStride > 0 ? kStride : static_cast<int>(v.stride);
  const int width = static_cast<int>(v.w), w0 = q0 * stride - static_cast<int>(v.pad);
  float acc[kRun][kVector] = {};
  for (int64_t r = 0; r < v.r; ++r) {
    const int64_t h = p * v.stride - v.pad + r;
    if (h < 0 || h >= v.h) continue;
    const T* row = x + (n * v.h + h) * v.w * v.c + c;
    const T* weights = f + r * v.s * v.c + c;
    if constexpr (kS > 0) {
      float taps[kS][kVector];
#pragma unroll
      for (int s = 0; s < kS; ++s) load_channels(weights + s * v.c, taps[s]);
#pragma unroll
      for (int j = 0; j < (kRun - 1) * kStride + kS; ++j) {
        float seen[kVector] = {};
        if (w0 + j >= 0 && w0 + j < width) load_channels(row + (w0 + j) * v.c, seen);
#pragma unroll
        for (int o = 0; o < kRun; ++o) {
          const int s = j - o * kStride;
          if (s < 0 || s >= kS) continue;
#pragma unroll
          for (int k = 0; k < kVector; ++k) acc[o][k] += seen[k] * taps[s][k];
        }
      }
    } else {
      for (int s = 0; s < static_cast<int>(v.s); ++s) {
        float tap[kVector], seen[kVector];
        load_channels(weights + s * v.c, tap);
#pragma unroll
        for (int o = 0; o < kRun; ++o) {
          const int w = w0 + o * stride + s;
          if (w < 0 || w >= width) continue;
          load_channels(row + w * v.c, seen);
#pragma unroll
          for (int k = 0; k < kVector; ++k) acc[o][k] += seen[k] * tap[k];
        }
      }
    }
  }
  float add[kVector] = {};
  if (v.relu) load_channels(bias + c, add);
#pragma unroll
  for (int o = 0; o < kRun; ++o) {
    if (q0 + o >= v.q) break;
    uint4 words;
#pragma unroll
    for (int k = 0; k < kVector; ++k)
      reinterpret_cast<T*>(&words)[k] = T(v.relu ? relu(acc[o][k] + add[k]) : acc[o][k]);
    *reinterpret_cast<uint4*>(y + ((n * v.p + p) * v.q + q0 + o) * v.c + c) = words;
  }
}

}  // namespace ridge::device

namespace ridge {
namespace {

bool takes(const Conv& v, DType dtype) {
  return v.layout == kConvNhwc && v.groups == v.c && v.m == v.c &&
         v.c % static_cast<int64_t>(16 / dtype_size(dtype)) == 0;
}

Status prepare(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  if (!takes(v, shape.dtype)) {
    std::snprintf(plan->note, sizeof plan->note,
                  "one thread an output: for nhwc, groups = c = m, in 16-byte pieces it is meant");
    return {};
  }
  const size_t size = dtype_size(shape.dtype), taps = static_cast<size_t>(v.r * v.s);
  const auto channels = static_cast<size_t>(v.c);
  const auto* f = static_cast<const char*>(static_cast<const ConvConstants*>(shape.constants)->f);
  plan->workspace_bytes = channels * taps * size;
  auto* host = new (std::nothrow) char[plan->workspace_bytes];
  if (!host) return {"out of memory", "prepare", __FILE__, __LINE__, false};
  for (size_t c = 0; c < channels; ++c)
    for (size_t tap = 0; tap < taps; ++tap)
      __builtin_memcpy(host + (tap * channels + c) * size, f + (c * taps + tap) * size, size);
  plan->release = [](void* filters) { cudaFree(filters); };
  const Status uploaded = device::upload(host, plan->workspace_bytes, &plan->state);
  delete[] host;
  return uploaded;
}

/// Calls run.template operator()<width of the filters, stride>(), zeros for what is not known beforehand.
template <typename Run>
Status with_filter(const Conv& v, Run run) {
  if (v.s == 3 && v.stride == 1) return run.template operator()<3, 1>();
  if (v.s == 3 && v.stride == 2) return run.template operator()<3, 2>();
  if (v.s == 5 && v.stride == 1) return run.template operator()<5, 1>();
  return run.template operator()<0, 0>();
}

Status launch(const Launch& launch) {
  const Conv v = conv_of(&launch);
  if (!takes(v, launch.shape.dtype)) return conv_direct_cuda(launch);
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&]<typename T>(T) {
    return with_filter(v, [&]<int kS, int kStride>() -> Status {
      const int64_t threads =
          v.n * v.p * ((v.q + device::kRun - 1) / device::kRun) * (v.c / device::kDepthVector<T>);
      device::conv_depthwise_kernel<T, kS, kStride>
          <<<static_cast<unsigned>((threads + device::kDepthThreads - 1) / device::kDepthThreads),
             device::kDepthThreads, 0, static_cast<cudaStream_t>(v.stream)>>>(
              v, static_cast<const T*>(launch.buffers[kConvX]),
              static_cast<const T*>(launch.plan_state),
              static_cast<const T*>(launch.buffers[kConvBias]),
              static_cast<T*>(launch.buffers[kConvY]));
      return RIDGE_CUDA_LAUNCHED(conv_depthwise_kernel);
    });
  });
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, depthwise, .dtypes = "fp32 bf16 fp16", .prepare = ridge::prepare,
             .launch = ridge::launch);
