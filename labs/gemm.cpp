// The GEMM lab: C = A * B, from the definition to the library. Adding a rung is one line here.
#include "labs/gemm_talk.h"
#include "labs/gemm_workload.h"
#include "labs/lab.h"

namespace ridge {
namespace {

const Lab& gemm_lab() {
  static const Lab lab = {
      .id = "gemm",
      .title = "GEMM",
      .goal = "Multiply two matrices, from three loops to the library's speed, one idea at a time.",
      .family = "gemm",
      .rungs =
          {
              {"gemm.cpu.naive_o1", "three loops, -O1", "the definition"},
              {"gemm.cpu.naive_o3", "three loops, -O3", "the compiler's effort only"},
              {"gemm.cpu.loop_order", "loop order", "inner loop along rows"},
              {"gemm.cpu.cache_blocks", "cache blocks", "a block of B stays in cache"},
              {"gemm.cpu.packed", "packed panels", "a tile of C stays in registers"},
              {"gemm.cpu.packed_avx2", "packed, AVX2", "8-wide FMA"},
              {"gemm.cpu.packed_avx512", "packed, AVX-512", "16-wide FMA, 32 registers"},
              {"gemm.cpu.threads", "threads", "a rectangle of C a thread"},
              {"gemm.cpu.inner_product", "inner product", "additions for a third of the FMAs"},
              {"gemm.cpu.onednn", "oneDNN", "the library, for this CPU", kPeer},
              {"gemm.cpu.openblas", "OpenBLAS", "another library", kPeer},
              {"gemm.cpu.numpy", "NumPy", "from Python, in another process", kPeer},
              {"gemm.cpu.pytorch", "PyTorch", "from Python, in another process", kPeer},
              {"gemm.cpu.avx512_bf16", "bf16, AVX-512", "two products a step in each lane"},
              {"gemm.cpu.onednn_bf16", "oneDNN bf16", "its matmul primitive", kPeer},
              {"gemm.cpu.avx2_int8", "int8, AVX2", "bytes widened to 16 bits, pairs added"},
              {"gemm.cpu.avx512_vnni", "int8, VNNI", "four products a step in each lane"},
              {"gemm.cpu.onednn_int8", "oneDNN int8", "its matmul primitive", kPeer},
              {"gemm.cuda.naive", "naive", "one thread per element of C"},
              {"gemm.cuda.coalesced", "coalesced", "a warp along a row of C"},
              {"gemm.cuda.shared_tile", "shared tile", "tiles of A and B in shared memory"},
              {"gemm.cuda.register_tile_1d", "1-D register tile", "eight sums a thread"},
              {"gemm.cuda.register_tile_2d", "2-D register tile", "8 x 8 sums a thread"},
              {"gemm.cuda.vectorised", "vectorised", "16 bytes in every instruction"},
              {"gemm.cuda.cp_async", "cp.async stages", "copies under way while it multiplies"},
              {"gemm.cuda.warp_tile", "warp tile", "16 x 8 sums a thread, 64 x 64 a warp"},
              {"gemm.cuda.tma_persistent", "TMA, persistent", "a warp that only loads"},
              {"gemm.cuda.tf32x3", "3xTF32", "fp32 as two TF32 numbers: three products"},
              {"gemm.cuda.cublas", "cuBLAS", "the library, for this GPU", kPeer},
              {"gemm.cuda.cutlass", "CUTLASS", "a kernel put together from templates", kPeer},
              {"gemm.cuda.pytorch", "PyTorch", "from Python, in another process", kPeer},
              {"gemm.cuda.wmma", "WMMA", "a warp multiplies 16 x 16 tiles"},
              {"gemm.cuda.mma_sync", "mma.sync", "copies, swizzle and registers by hand"},
              {"gemm.cuda.wgmma_tma", "wgmma + TMA", "Hopper's matrix unit and copy engine"},
              {"gemm.cuda.producer_consumer", "producer, consumers",
               "one warp loads, four multiply"},
              {"gemm.cuda.wide_tile", "wide tile", "128 x 256, registers handed over"},
              {.kernel = "gemm.cuda.persistent",
               .title = "persistent",
               .change = "a block for each SM, tiles in our order",
               .expert = true},
              {.kernel = "gemm.cuda.multicast",
               .title = "multicast",
               .change = "two blocks share a tile of B",
               .expert = true},
              {.kernel = "gemm.cuda.overlapped_store",
               .title = "overlapped store",
               .change = "the copy engine writes C",
               .expert = true},
              {.kernel = "gemm.cuda.ping_pong",
               .title = "ping-pong",
               .change = "one warpgroup stores, one multiplies",
               .expert = true},
              {.kernel = "gemm.cuda.tuned",
               .title = "tuned",
               .change = "the tile by the shape, launches overlap",
               .expert = true},
              {"gemm.cuda.cublaslt", "cuBLASLt", "the fastest of the library's algorithms", kPeer},
          },
      .sections = {{"CPU, fp32", "gemm.cpu.naive_o1"},
                   {"CPU, bf16", "gemm.cpu.avx512_bf16"},
                   {"GPU, fp32", "gemm.cuda.naive"},
                   {"GPU, Tensor Cores", "gemm.cuda.wmma"}},
      .params =
          {
              {"n", "size n (m = k = n)", {128, 256, 512, 1024, 2048, 4096, 8192}},
              {"dtype", "data type", {}},
              {"threads", "CPU threads", {1, 2, 4, 8, 16}},
          },
      .quality_metric = "error",
      .quality_limit = "NMSE against float64 at most 4e-15 K (fp32)",
      .lesson = "assets/lessons/gemm.md",
      .tables = {gemm_talk_table()},
      // At 1024 one call of the naive loops takes 5 s; at 512 a GPU's large tiles leave SMs idle.
      .first_look_cpu = {{"n", int64_t{512}}},
      .first_look_gpu = {{"n", int64_t{4096}}},
      .levers = {{Bottleneck::memory_bandwidth, "gemm.cpu.loop_order"},
                 {Bottleneck::latency, "gemm.cpu.loop_order"},
                 {Bottleneck::memory_bandwidth, "gemm.cpu.cache_blocks"},
                 {Bottleneck::latency, "gemm.cpu.packed"},
                 {Bottleneck::latency, "gemm.cpu.packed_avx2"},
                 {Bottleneck::latency, "gemm.cpu.packed_avx512"},
                 {Bottleneck::compute, "gemm.cpu.threads"},
                 {Bottleneck::compute, "gemm.cpu.inner_product"},
                 {Bottleneck::memory_bandwidth, "gemm.cuda.coalesced"},
                 {Bottleneck::memory_bandwidth, "gemm.cuda.shared_tile"},
                 {Bottleneck::memory_bandwidth, "gemm.cuda.register_tile_1d"},
                 {Bottleneck::memory_bandwidth, "gemm.cuda.register_tile_2d"},
                 {Bottleneck::latency, "gemm.cuda.register_tile_2d"},
                 {Bottleneck::latency, "gemm.cuda.cp_async"},
                 {Bottleneck::latency, "gemm.cuda.tma_persistent"},
                 {Bottleneck::compute, "gemm.cuda.wmma"},
                 {Bottleneck::latency, "gemm.cuda.producer_consumer"},
                 {Bottleneck::memory_bandwidth, "gemm.cuda.wide_tile"}},
      .workloads = {gemm_gpt3_workload()},
  };
  return lab;
}

RIDGE_LAB(gemm, gemm_lab);

}  // namespace
}  // namespace ridge
