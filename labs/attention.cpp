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
              {"attention_backward.cpu.stored", "backward: P and dS stored",
               "five products, as they are written"},
              {"attention_backward.cpu.threads", "backward: tiles",
               "64 keys at a time, nothing stored; a head each"},
              {"decode.cpu.plain", "decode: one query", "a head at a time, the definition"},
              {"decode.cpu.avx512", "decode: groups",
               "a piece of keys serves all heads that share it"},
              {"decode.cpu.split", "decode: split KV", "equal shares of all keys, merged"},
              {"attention.cuda.stored", "scores stored, GPU", "three kernels"},
              {"attention.cuda.cublas_stored", "scores stored, cuBLAS",
               "the library's products, our softmax", kPeer},
              {"attention.cuda.online", "fused", "one kernel on the CUDA cores, nothing stored"},
              {"attention.cuda.mma_sync", "mma.sync", "weights stay in registers"},
              {"attention.cuda.wgmma_tma", "wgmma + TMA",
               "a producer, and consumers with 64 queries each"},
              {"attention.cuda.ping_pong", "ping-pong", "one multiplies, one does its softmax"},
              {"attention.cuda.overlapped", "overlapped",
               "the next scores under this weighted sum"},
              {"attention.cuda.persistent", "persistent",
               "a block for each SM, longest tiles first"},
              {"attention.cuda.fp8", "e4m3", "half the bytes, twice the rate, weights of 4 bits"},
              {"attention.cuda.pytorch", "PyTorch, FlashAttention-2",
               "from Python, in another process", kPeer},
              {"attention.cuda.cudnn", "cuDNN", "through PyTorch, in another process", kPeer},
              {"attention_backward.cuda.stored", "backward: P and dS stored, GPU", "six kernels"},
              {"attention_backward.cuda.wgmma_tma", "backward: wgmma + TMA",
               "five products a tile, dQ added up in fp32"},
              {"attention_backward.cuda.pytorch", "backward: FlashAttention-2",
               "autograd.grad of PyTorch, in another process", kPeer},
              {"attention_backward.cuda.cudnn", "backward: cuDNN",
               "autograd.grad of PyTorch, in another process", kPeer},
              {"decode.cuda.naive", "decode: a block a head", "the definition"},
              {"decode.cuda.split", "decode: split KV", "a block a part, then a merge"},
              {"decode.cuda.grouped", "decode: groups",
               "16 heads read a key together, ahead of time"},
              {"decode.cuda.balanced", "decode: equal shares",
               "no fixed parts: all warps end together"},
              {"decode.cuda.pytorch", "decode: PyTorch", "from Python, in another process", kPeer},
              {"decode.cuda.cudnn", "decode: cuDNN", "through PyTorch, in another process", kPeer},
              {"decode.cuda.flash_attention", "decode: FlashAttention",
               "flash_attn_with_kvcache, in another process", kPeer},
          },
      .sections = {{"CPU, fp32", "attention.cpu.stored"},
                   {"CPU, backward", "attention_backward.cpu.stored"},
                   {"CPU, decode", "decode.cpu.plain"},
                   {"GPU, CUDA cores", "attention.cuda.stored"},
                   {"GPU, Tensor Cores", "attention.cuda.mma_sync"},
                   {"GPU, backward", "attention_backward.cuda.stored"},
                   {"GPU, decode", "decode.cuda.naive"}},
      .params = {{"sequence",
                  "sequence (queries and keys)",
                  {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768}},
                 {"batch", "sequences in a call", {1, 2, 4, 8}},
                 {"heads", "heads of queries", {1, 2, 4, 8, 16, 32}},
                 {"heads_kv", "heads of keys and values", {1, 2, 4, 8, 16, 32}},
                 {"d", "head size d", {64, 128}},
                 {"causal", "causal mask", {}},
                 {"length", "decode: keys in the cache", {512, 2048, 4096, 8192, 16384, 65536}},
                 {"lengths", "decode: lengths of a batch", {}},
                 {"page", "decode: keys of a page", {0, 16, 32, 64}},
                 {"dtype", "data type", {}},
                 {"threads", "CPU threads", {1, 2, 4, 8, 16}}},
      .quality_metric = "error",
      .quality_limit = "error against float64 within the type's rounding of weights and output",
      .lesson = "assets/lessons/attention.md",
      .first_look_cpu = {{"sequence", int64_t{1024}},
                         {"heads", int64_t{2}},
                         {"length", int64_t{32768}}},
      .first_look_gpu = {{"sequence", int64_t{4096}},
                         {"batch", int64_t{4}},
                         {"heads", int64_t{16}},
                         {"length", int64_t{8192}}},
      .levers = {{Bottleneck::memory_bandwidth, "attention.cpu.online"},
                 {Bottleneck::latency, "attention.cpu.avx512"},
                 {Bottleneck::compute, "attention.cpu.threads"},
                 {Bottleneck::latency, "decode.cpu.avx512"},
                 {Bottleneck::memory_bandwidth, "decode.cpu.split"},
                 {Bottleneck::memory_bandwidth, "attention.cuda.online"},
                 {Bottleneck::compute, "attention.cuda.mma_sync"},
                 {Bottleneck::latency, "attention.cuda.ping_pong"},
                 {Bottleneck::latency, "attention.cuda.overlapped"},
                 {Bottleneck::latency, "decode.cuda.split"},
                 {Bottleneck::memory_bandwidth, "decode.cuda.grouped"},
                 {Bottleneck::latency, "decode.cuda.balanced"}},
      .items = "tokens",
  };
  return lab;
}

RIDGE_LAB(attention, attention_lab);

}  // namespace
}  // namespace ridge
