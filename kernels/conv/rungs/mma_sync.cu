// ridge: arch=80
//
// Idea      Implicit GEMM on tensor cores as Ampere has them: cp.async brings 16 bytes, 8 channels of what a tap sees
//           at a pixel, straight into the place where ldmatrix looks for them, while older tiles are multiplied.
// Changed   8 channels share one division and one test of the border, and the next ones are found by counting on.
//           Channels that are no multiple of 8, and images not in nhwc, are gathered one by one into the same places.
// Limits    mma.sync, about 0.6 of wgmma's rate on Hopper; every thread reckons addresses.
// Look at   What the copy engine will take over in the next rung: three quarters of the lines below.
// Source    PTX ISA ("mma.sync", "ldmatrix", "cp.async"); CUTLASS 2's implicit GEMM.
#include "common/harness/kernel/cuda_check.h"
#include "kernels/conv/rungs/mma_sync.h"
#include "kernels/runtime/cuda/upload.h"

#include <new>

namespace ridge {
namespace {

/// [filter][tap][channel of its group], channels filled up to chunks of 8 with zeros.
Status pack_chunks(const Conv& v, const uint16_t* f, void** packed, size_t* bytes) {
  const int64_t taps = v.r * v.s,
                stored = (v.group_c + device::kChunk - 1) / device::kChunk * device::kChunk;
  *bytes = static_cast<size_t>(v.m * taps * stored) * 2;
  auto* host = new (std::nothrow) uint16_t[*bytes / 2]();
  if (!host) return {"out of memory", "pack_chunks", __FILE__, __LINE__, false};
  for (int64_t m = 0; m < v.m; ++m)
    for (int64_t c = 0; c < v.group_c; ++c)
      for (int64_t tap = 0; tap < taps; ++tap)
        host[(m * taps + tap) * stored + c] = f[(m * v.group_c + c) * taps + tap];
  const Status uploaded = device::upload(host, *bytes, packed);
  delete[] host;
  return uploaded;
}

/// Calls run(kernel): the one whose tiles come 16 bytes at a time where the images allow it.
template <typename Run>
Status with_kernel(const Shape& shape, const Conv& v, Run run) {
  const bool direct = v.layout == kConvNhwc && v.group_c % device::kChunk == 0;
  return with_element<device::Bf16, device::Fp16>(shape.dtype, [&]<typename E>(E) {
    return direct ? run(device::conv_mma_sync_kernel<E, true>)
                  : run(device::conv_mma_sync_kernel<E, false>);
  });
}

}  // namespace

Status prepare_conv_mma_sync(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  const auto* constants = static_cast<const ConvConstants*>(shape.constants);
  const Status packed = pack_chunks(v, static_cast<const uint16_t*>(constants->f), &plan->state,
                                    &plan->workspace_bytes);
  plan->release = [](void* filters) { cudaFree(filters); };
  if (!packed.ok()) return packed;
  return with_kernel(shape, v, [&](auto* kernel) -> Status {
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          device::kSharedBytes));
    return {};
  });
}

Status launch_conv_mma_sync(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const auto stream = static_cast<cudaStream_t>(v.stream);
  if (const Status s = conv_clear_padding(launch); !s.ok()) return s;
  const int64_t tiles_m = (v.group_m + device::kTile - 1) / device::kTile;
  const int64_t tiles_p = (v.n * v.p * v.q + device::kTile - 1) / device::kTile;
  const dim3 blocks(static_cast<unsigned>(tiles_m * tiles_p), static_cast<unsigned>(v.groups));
  return with_kernel(launch.shape, v, [&](auto* kernel) -> Status {
    kernel<<<blocks, device::kThreads, device::kSharedBytes, stream>>>(
        v, launch.buffers[kConvX], launch.plan_state, launch.buffers[kConvBias],
        launch.buffers[kConvY], static_cast<int>(tiles_m));
    return RIDGE_CUDA_LAUNCHED(kernel);
  });
}

}  // namespace ridge

RIDGE_KERNEL(conv, cuda, mma_sync, .dtypes = "bf16 fp16", .prepare = ridge::prepare_conv_mma_sync,
             .launch = ridge::launch_conv_mma_sync);
