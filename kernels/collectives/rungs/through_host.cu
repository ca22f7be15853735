// ridge: arch=75
//
// Idea      Every GPU copies its buffer to the CPU's memory; the CPU adds them up; every GPU copies the sum back.
// Changed   Nothing yet: GPUs meet where programs without a library let them meet.
// Limits    The way there: PCIe and the CPU's memory, far below what GPUs reach each other with. And one core adds.
// Look at   Bus bandwidth beside root's, which does the same on a GPU.
// Source    The first all-reduce of many a training script: tensor.cpu(), a sum, tensor.cuda().
#include "common/harness/kernel/cuda_check.h"
#include "kernels/collectives/gpus.h"

namespace {

using namespace ridge;

Status call(const GpuRank& rank, HostRanks* host, cudaStream_t stream) {
  const size_t bytes = static_cast<size_t>(rank.count) * sizeof(float);
  const cudaError_t there = cudaMemcpyAsync(host->buffers[rank.me], rank.in[rank.me], bytes,
                                            cudaMemcpyDeviceToHost, stream);
  const cudaError_t arrived = cudaStreamSynchronize(stream);
  host->meet();
  if (rank.me == 0) {
    float* sum = host->buffers[0];
    for (int other = 1; other < rank.ranks; ++other) {
      for (int64_t i = 0; i < rank.count; ++i) sum[i] += host->buffers[other][i];
    }
  }
  host->meet();
  const cudaError_t back =
      cudaMemcpyAsync(rank.out[rank.me], host->buffers[0], bytes, cudaMemcpyHostToDevice, stream);
  const cudaError_t done = cudaStreamSynchronize(stream);
  host->meet();  // the next call writes over the sum; a rank that fails has to come too
  for (const cudaError_t error : {there, arrived, back, done}) RIDGE_CUDA_CHECK(error);
  return {};
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_gpus(shape, call, plan);
}

RIDGE_KERNEL(collectives, cuda, through_host, .may_sync = true, .time_calls = time_gpus,
             .unavailable = gpus_unavailable, .prepare = prepare, .launch = launch_gpus);

}  // namespace
