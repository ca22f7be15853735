// The attention lab: softmax(Q Kt / sqrt(d)) V, with the scores stored and without. Adding a rung is one line
// here.
#include "labs/lab.h"

namespace ridge {
namespace {

constexpr bool kPeer = true;

const Lab& attention_lab() {
  static const Lab lab = {
      .id = "attention",
      .title = "Attention",
      .goal =
          "Compute attention without ever storing its scores: the memory becomes linear, the "
          "arithmetic stays quadratic.",
      .family = "attention",
      .rungs =
          {
              {"attention.cpu.stored", "scores stored", "the definition, in three passes"},
              {"attention.cpu.online", "online softmax", "64 scores at a time, none kept"},
              {"attention.cpu.avx512", "AVX-512", "register tiles, 16 exponentials at once"},
              {"attention.cpu.threads", "threads", "a range of queries each"},
              {"attention.cpu.onednn", "oneDNN, scores stored",
               "the library's products and softmax", kPeer},
              {"attention.cuda.stored", "scores stored, GPU", "three kernels"},
              {"attention.cuda.online", "fused", "one kernel on the CUDA cores, nothing stored"},
              {"attention.cuda.mma_sync", "mma.sync", "weights stay in registers"},
              {"attention.cuda.wgmma_tma", "wgmma + TMA",
               "a producer, and consumers with 64 queries each"},
              {"attention.cuda.ping_pong", "ping-pong", "one multiplies, one does its softmax"},
              {"attention.cuda.overlapped", "overlapped",
               "the next scores under this weighted sum"},
              {"attention.cuda.persistent", "persistent",
               "a block for each SM, longest tiles first"},
              {"attention.cuda.pytorch", "PyTorch, FlashAttention-2",
               "from Python, in another process", kPeer},
              {"attention.cuda.cudnn", "cuDNN", "through PyTorch, in another process", kPeer},
          },
      .sections = {{"CPU, fp32", "attention.cpu.stored"},
                   {"GPU, CUDA cores", "attention.cuda.stored"},
                   {"GPU, Tensor Cores", "attention.cuda.mma_sync"}},
      .params = {{"sequence",
                  "sequence (queries and keys)",
                  {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768}},
                 {"batch", "sequences in a call", {1, 2, 4, 8}},
                 {"heads", "heads of queries", {1, 2, 4, 8, 16, 32}},
                 {"heads_kv", "heads of keys and values", {1, 2, 4, 8, 16, 32}},
                 {"d", "head size d", {64, 128}},
                 {"causal", "causal mask", {}},
                 {"dtype", "data type", {}},
                 {"threads", "CPU threads", {1, 2, 4, 8, 16}}},
      .quality_metric = "error",
      .quality_limit = "error against float64 within the type's rounding of weights and output",
      .lesson = "assets/lessons/attention.md",
      .first_look_cpu = {{"sequence", int64_t{1024}}, {"heads", int64_t{2}}},
      .first_look_gpu = {{"sequence", int64_t{4096}},
                         {"batch", int64_t{4}},
                         {"heads", int64_t{16}}},
      .levers = {{Bottleneck::memory_bandwidth, "attention.cpu.online"},
                 {Bottleneck::latency, "attention.cpu.avx512"},
                 {Bottleneck::compute, "attention.cpu.threads"},
                 {Bottleneck::memory_bandwidth, "attention.cuda.online"},
                 {Bottleneck::compute, "attention.cuda.mma_sync"},
                 {Bottleneck::latency, "attention.cuda.ping_pong"},
                 {Bottleneck::latency, "attention.cuda.overlapped"}},
  };
  return lab;
}

RIDGE_LAB(attention, attention_lab);

}  // namespace
}  // namespace ridge
