#include "common/harness/measure/cuda/harness_kernels.h"

namespace ridge::measure {
namespace {

__device__ uint64_t global_time_ns() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

// The time-out is on the device, so that a host that dies or stalls between queueing and opening
// cannot hang the GPU.
__global__ void harness_gate_kernel(GateFlags* flags, uint32_t ticket, uint64_t timeout_ns) {
  const uint64_t start_ns = global_time_ns();
  while (static_cast<int32_t>(flags->opened - ticket) < 0) {
    if (global_time_ns() - start_ns > timeout_ns) {
      flags->timed_out = ticket;
      __threadfence_system();
      return;
    }
    __nanosleep(200);
  }
}

__global__ void harness_stamp_kernel(Stamp* to) {
  uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  to->cycles = static_cast<uint64_t>(clock64());
  to->time_ns = global_time_ns();
  to->sm = sm;
}

__global__ void harness_null_kernel() {}

__global__ void harness_overlapping_null_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

__global__ void harness_flush_kernel(const uint4* memory, size_t count, uint32_t* never_written) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  uint32_t bits = 0;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 v = memory[i];
    bits |= v.x | v.y | v.z | v.w;
  }
  // The memory is all zeros, which the compiler cannot know: the loads have to happen.
  if (bits != 0) *never_written = bits;
}

__global__ void harness_fill_kernel(uint8_t* to, uint32_t pattern, size_t bytes) {
  const size_t first = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  size_t done = 0;
  if (reinterpret_cast<uintptr_t>(to) % 4 == 0) {
    auto* words = reinterpret_cast<uint32_t*>(to);
    for (size_t i = first; i < bytes / 4; i += stride) words[i] = pattern;
    done = bytes / 4 * 4;
  }
  for (size_t i = done + first; i < bytes; i += stride) {
    to[i] = static_cast<uint8_t>(pattern >> (8 * (i % 4)));
  }
}

constexpr unsigned kBlocks = 1024, kThreads = 256;  // grid-stride: fills any GPU of today

}  // namespace

cudaError_t launch_gate(GateFlags* flags, uint32_t ticket, uint64_t timeout_ns,
                        cudaStream_t stream) {
  harness_gate_kernel<<<1, 1, 0, stream>>>(flags, ticket, timeout_ns);
  return cudaGetLastError();
}

cudaError_t launch_stamp(Stamp* to, cudaStream_t stream) {
  harness_stamp_kernel<<<1, 1, 0, stream>>>(to);
  return cudaGetLastError();
}

cudaError_t launch_null(cudaStream_t stream) {
  harness_null_kernel<<<1, 32, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t launch_overlapping_null(cudaStream_t stream) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, harness_overlapping_null_kernel);
}

cudaError_t launch_flush(const void* memory, size_t bytes, uint32_t* never_written,
                         cudaStream_t stream) {
  harness_flush_kernel<<<kBlocks, kThreads, 0, stream>>>(static_cast<const uint4*>(memory),
                                                         bytes / sizeof(uint4), never_written);
  return cudaGetLastError();
}

cudaError_t launch_fill(void* to, uint32_t pattern, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  harness_fill_kernel<<<kBlocks, kThreads, 0, stream>>>(static_cast<uint8_t*>(to), pattern, bytes);
  return cudaGetLastError();
}

}  // namespace ridge::measure
