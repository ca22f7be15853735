// The GEMM lab: C = A * B, from the definition to the library. Adding a rung is one line here.
#include "labs/lab.h"

namespace ridge {
namespace {

constexpr bool kPeer = true;

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
              {"gemm.cpu.onednn", "oneDNN", "the library, for this CPU", kPeer},
              {"gemm.cuda.naive", "naive", "one thread per element of C"},
              {"gemm.cuda.shared_tile", "shared tile", "tiles of A and B in shared memory"},
              {"gemm.cuda.cublas", "cuBLAS fp32", "the library, for this GPU", kPeer},
          },
      .params =
          {
              {"n", "size n (m = k = n)", {128, 256, 512, 1024, 2048, 4096, 8192}},
              {"threads", "CPU threads", {1, 2, 4, 8, 16}},
          },
      .quality_metric = "error",
      .quality_limit = "NMSE against float64 at most 4e-15 K (fp32)",
      .lesson = "assets/lessons/gemm.md",
  };
  return lab;
}

RIDGE_LAB(gemm, gemm_lab);

}  // namespace
}  // namespace ridge
