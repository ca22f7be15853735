// ridge: arch=75
//
// Idea      The definition again, the outer loops handed to the hardware: a thread for each output.
// Changed   Against the CPU's direct rung: nothing but who loops. Any type is read as fp32; any layout.
// Limits    Loads: two for each multiply-add. In nhwc neighbouring threads are neighbouring filters, which read
//           the same x (one load for the warp) but weights far apart; in nchw they are neighbouring pixels.
// Look at   How far caches carry it: every weight is read by every pixel.
// Source    Any text on convolutional networks.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/cuda_conv.h"

namespace ridge::device {

template <typename T>
__global__ void conv_direct_kernel(Conv v, const T* __restrict__ x, const T* __restrict__ f,
                                   const T* __restrict__ bias, T* __restrict__ y) {
  const int64_t stored = v.layout == kConvNchw16c ? (v.m + 15) / 16 * 16 : v.m;
  const int64_t all = v.n * stored * v.p * v.q;
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= all) return;
  // Neighbouring threads write neighbours: y's own order.
  int64_t m, p, q, n;
  if (v.layout == kConvNchw) {
    q = i % v.q, p = i / v.q % v.p, m = i / v.q / v.p % v.m, n = i / v.q / v.p / v.m;
  } else if (v.layout == kConvNhwc) {
    m = i % v.m, q = i / v.m % v.q, p = i / v.m / v.q % v.p, n = i / v.m / v.q / v.p;
  } else {
    const int64_t block = i / 16 / v.q / v.p % (stored / 16);
    m = block * 16 + i % 16, q = i / 16 % v.q, p = i / 16 / v.q % v.p, n = i / v.q / v.p / stored;
  }
  float acc = 0;
  if (m < v.m) {
    const int64_t first = m / v.group_m * v.group_c;
    const T* weights = f + m * v.group_c * v.r * v.s;
    for (int64_t c = 0; c < v.group_c; ++c) {
      const int64_t channel = first + c;
      const T* from =
          x + n * v.x_at.image + (channel >> v.x_at.shift) * v.x_at.outer + (channel & v.x_at.mask);
      for (int64_t r = 0; r < v.r; ++r) {
        const int64_t h = p * v.stride + r - v.pad;
        for (int64_t s = 0; s < v.s; ++s, ++weights) {
          const int64_t w = q * v.stride + s - v.pad;
          if (h < 0 || h >= v.h || w < 0 || w >= v.w) continue;
          acc += float(from[h * v.x_at.row + w * v.x_at.pixel]) * float(*weights);
        }
      }
    }
    if (v.relu) acc = relu(acc + float(bias[m]));
  }
  y[i] = T(acc);
}

}  // namespace ridge::device

namespace ridge {

Status conv_direct_cuda(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const int64_t all = v.n * v.y_at.image;
  return with_element<float, Bfloat, Half>(launch.shape.dtype, [&](auto element) {
    using T = decltype(element);
    device::conv_direct_kernel<T>
        <<<static_cast<unsigned>((all + 255) / 256), 256, 0, static_cast<cudaStream_t>(v.stream)>>>(
            v, static_cast<const T*>(launch.buffers[kConvX]),
            static_cast<const T*>(launch.buffers[kConvF]),
            static_cast<const T*>(launch.buffers[kConvBias]),
            static_cast<T*>(launch.buffers[kConvY]));
    return RIDGE_CUDA_LAUNCHED(conv_direct_kernel);
  });
}

}  // namespace ridge

RIDGE_KERNEL(conv, cuda, direct, .dtypes = "fp32 bf16 fp16", .launch = ridge::conv_direct_cuda);
