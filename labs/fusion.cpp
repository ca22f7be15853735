// The fusion lab: what a launch costs, and what memory takes: a chain of small kernels, and operations on
// rows that compute next to nothing. Adding a rung is one line here.
#include "labs/lab.h"

namespace ridge {
namespace {

const Lab& fusion_lab() {
  static const Lab lab = {
      .id = "fusion",
      .title = "Launches and fusion",
      .goal =
          "Run what computes next to nothing at the speed of memory, and many small kernels "
          "without paying for each.",
      .family = "rows",
      .rungs =
          {
              {"chain.cpu.separate", "separate passes", "one pass over the matrix an operation"},
              {"chain.cpu.fused", "fused", "all operations of a row, then the next row"},
              {"chain.cpu.vectors", "fused, vectors", "8 or 16 elements an instruction"},
              {"chain.cpu.streamed", "fused, streamed", "stores past the caches, threads"},
              {"rows.cpu.naive", "three passes", "the definition"},
              {"rows.cpu.avx2", "AVX2", "8 elements an instruction, four sums"},
              {"rows.cpu.avx512", "AVX-512", "16 elements an instruction"},
              {"rows.cpu.streamed", "streamed", "stores past the caches, threads"},
              {"copy.cpu.streamed", "copy", "the same bytes, nothing computed", kPeer},
              {"transpose.cpu.naive", "transpose, naive", "down the columns of y"},
              {"transpose.cpu.blocks", "transpose, tiles", "16 x 16: whole cache lines"},
              {"transpose.cpu.registers", "transpose, registers", "8 x 8 shuffled, streamed"},
              {"chain.cuda.synced", "wait after each", "a kernel an operation, and a wait"},
              {"chain.cuda.stream", "one stream", "no waits between the kernels"},
              {"chain.cuda.graph", "CUDA graph", "recorded once, launched as a whole"},
              {"chain.cuda.overlapped", "overlapped nodes", "a node starts before its turn"},
              {"chain.cuda.persistent", "persistent", "one launch, barriers across the GPU"},
              {"chain.cuda.fused", "fused", "a row stays in registers through all steps"},
              {"chain.cuda.pytorch_eager", "PyTorch", "line by line, recorded as a graph", kPeer},
              {"chain.cuda.pytorch_compiled", "torch.compile", "the same lines, fused", kPeer},
              {"chain.cuda.triton", "Triton", "the fused chain in its language", kPeer},
              {"rows.cuda.naive", "a thread a row", "the definition"},
              {"rows.cuda.passes", "a block a row", "neighbours read neighbours"},
              {"rows.cuda.shared_row", "row in shared memory", "read from memory once"},
              {"rows.cuda.registers", "row in registers", "16 bytes a load"},
              {"copy.cuda.streamed", "copy", "the same bytes, nothing computed", kPeer},
              {"copy.cuda.memcpy", "cudaMemcpy", "the driver's copy", kPeer},
              {"rows.cuda.pytorch", "PyTorch", "from Python, in another process", kPeer},
              {"transpose.cuda.naive", "transpose, naive", "down the columns of y"},
              {"transpose.cuda.shared_tile", "transpose, shared tile", "both sides coalesced"},
              {"transpose.cuda.padded", "transpose, padded", "columns through all banks"},
              {"transpose.cuda.vectors", "transpose, vectors", "16 bytes, turned in registers"},
          },
      .sections = {{"CPU, a chain of operations", "chain.cpu.separate"},
                   {"CPU, row operations", "rows.cpu.naive"},
                   {"CPU, transpose", "transpose.cpu.naive"},
                   {"GPU, a chain of launches", "chain.cuda.synced"},
                   {"GPU, row operations", "rows.cuda.naive"},
                   {"GPU, transpose", "transpose.cuda.naive"}},
      .params =
          {
              {"op", "row operation", {}, Level::kLearn, "operation"},
              {"n", "size n (m = n)", {512, 1024, 2048, 4096, 8192, 16384}},
              {"dtype", "data type", {}, Level::kLearn, "type"},
              {"width", "chain: columns", {256, 1024, 4096, 8192}},
              {"height", "chain: rows", {1, 8, 32, 256, 2048, 8192}, Level::kLab},
              {"layers", "chain: layers", {1, 2, 4, 8}, Level::kLab},
              {"threads", "CPU threads", {1, 2, 4, 8, 16}, Level::kLab},
          },
      .quality_metric = "error",
      .quality_limit = "a transpose exactly, else an NMSE against float64",
      .type_limits = {{"fp32", "at most 4e-15 (64 + n)"},
                      {"bf16",
                       "at most what rounding the result to bf16 brings, the same for every n"}},
      .lesson = "assets/lessons/fusion.md",
      .place = 90,
      .group = "Kernels",
      .line = "small kernels, at the speed of memory",
      .level = Level::kLab,
      .first_look_gpu = {{"n", int64_t{8192}}},
      .levers = {{Bottleneck::latency, "chain.cpu.vectors"},
                 {Bottleneck::memory_bandwidth, "chain.cpu.fused"},
                 {Bottleneck::memory_bandwidth, "chain.cpu.streamed"},
                 {Bottleneck::latency, "rows.cpu.avx2"},
                 {Bottleneck::memory_bandwidth, "rows.cpu.streamed"},
                 {Bottleneck::memory_bandwidth, "transpose.cpu.blocks"},
                 {Bottleneck::latency, "transpose.cpu.blocks"},
                 {Bottleneck::latency, "transpose.cpu.registers"},
                 {Bottleneck::launch_overhead, "chain.cuda.graph"},
                 {Bottleneck::latency, "chain.cuda.fused"},
                 {Bottleneck::memory_bandwidth, "chain.cuda.fused"},
                 {Bottleneck::launch_overhead, "chain.cuda.fused"},
                 {Bottleneck::latency, "rows.cuda.passes"},
                 {Bottleneck::memory_bandwidth, "rows.cuda.passes"},
                 {Bottleneck::latency, "rows.cuda.registers"},
                 {Bottleneck::latency, "transpose.cuda.shared_tile"},
                 {Bottleneck::memory_bandwidth, "transpose.cuda.shared_tile"},
                 {Bottleneck::latency, "transpose.cuda.padded"},
                 {Bottleneck::latency, "transpose.cuda.vectors"}},
      .items = "elements",
  };
  return lab;
}

RIDGE_LAB(fusion, fusion_lab);

}  // namespace
}  // namespace ridge
