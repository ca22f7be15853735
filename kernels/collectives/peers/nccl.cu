// ridge: arch=75
//
// Idea      The peer: NCCL's all-reduce, one communicator for all GPUs, a thread a GPU.
// Changed   Rings, trees and protocols, chosen by size and by what connects the GPUs.
// Limits    Without NVLink's multicast (NCCL_NVLS_ENABLE=0): a switch that adds is another machine than ours use.
// Look at   Where its time jumps: there it changes its protocol.
// Source    NVIDIA NCCL documentation, "ncclAllReduce"; opened at run time: libnccl.so.2, or the file that RIDGE_NCCL names.
#include <cstdlib>
#include <mutex>
#include <string>

#include "common/core/shared_library.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/collectives/gpus.h"

namespace {

using namespace ridge;

using Communicator = void*;
constexpr int kFloat = 7, kSum = 0;  // ncclFloat32, ncclSum

struct Nccl : SharedLibrary {
  int (*init_all)(Communicator*, int, const int*) = nullptr;
  int (*all_reduce)(const void*, void*, size_t, int, int, Communicator, cudaStream_t) = nullptr;
  const char* (*error)(int) = nullptr;
  int (*version)(int*) = nullptr;
  bool complete = false;
};

const Nccl& nccl() {
  static const Nccl found = [] {
    ::setenv("NCCL_NVLS_ENABLE", "0", 1);
    Nccl n;
    const char* named = std::getenv("RIDGE_NCCL");
    if (!n.open({named != nullptr ? named : "libnccl.so.2"})) return n;
    n.complete = n.find(&n.init_all, "ncclCommInitAll") && n.find(&n.all_reduce, "ncclAllReduce") &&
                 n.find(&n.error, "ncclGetErrorString") && n.find(&n.version, "ncclGetVersion");
    return n;
  }();
  return found;
}

const char* unavailable() {
  if (gpus_unavailable() != nullptr) return gpus_unavailable();
  return nccl().complete
             ? nullptr
             : "libnccl.so.2 was not found: install NCCL, or name the file in RIDGE_NCCL";
}

const char* version() {
  static const std::string text = [] {
    int v = 0;
    if (!nccl().complete || nccl().version(&v) != 0) return std::string();
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." +
           std::to_string(v % 100);
  }();
  return text.c_str();
}

/// Of so many ranks, made once: it takes a second, and holds memory of every GPU.
Communicator* communicators(int ranks, int* error) {
  static Communicator made[kMostRanks + 1][kMostRanks] = {};
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (made[ranks][0] == nullptr) {
    int gpus[kMostRanks];
    for (int gpu = 0; gpu < ranks; ++gpu) gpus[gpu] = gpu;
    *error = nccl().init_all(made[ranks], ranks, gpus);
  }
  return made[ranks];
}

Status call(const GpuRank& rank, HostRanks*, cudaStream_t stream) {
  int error = 0;
  Communicator* all = communicators(rank.ranks, &error);
  if (error == 0) {
    error = nccl().all_reduce(rank.in[rank.me], rank.out[rank.me], static_cast<size_t>(rank.count),
                              kFloat, kSum, all[rank.me], stream);
  }
  if (error == 0) return {};
  return {.what = nccl().error(error),
          .expression = "ncclAllReduce",
          .file = __FILE__,
          .line = __LINE__};
}

Status prepare(const Shape& shape, Plan* plan) {
  return prepare_gpus(shape, call, plan);
}

RIDGE_KERNEL(collectives, cuda, nccl, .library = "NCCL", .version = version, .may_sync = true,
             .time_calls = time_gpus, .unavailable = unavailable, .prepare = prepare,
             .launch = launch_gpus);

}  // namespace
