// The quantization lab. Adding a rung is one line here.
#include "labs/lab.h"

namespace ridge {
namespace {

constexpr bool kPeer = true;

const Lab& quant_lab() {
  static const Lab lab = {
      .id = "quant",
      .title = "Quantization",
      .goal = "Store weights in fewer bits: what it costs in accuracy, and what it brings.",
      .family = "gemv",
      .rungs =
          {
              {"gemv.cpu.plain", "decode: plain", "a dot product for each row"},
              {"gemv.cpu.avx2_fp32", "decode: AVX2, fp32", "8 weights at once, 4 sums"},
              {"gemv.cpu.avx2_int8", "decode: AVX2, int8", "a quarter of the bytes"},
              {"gemv.cpu.avx2_int4", "decode: AVX2, int4", "an eighth, a scale for 128 weights"},
              {"gemv.cpu.avx512_fp32", "decode: AVX-512, fp32", "16 weights at once"},
              {"gemv.cpu.avx512_bf16", "decode: AVX-512, bf16", "half of the bytes"},
              {"gemv.cpu.avx512_int8", "decode: AVX-512, int8", "a quarter of the bytes"},
              {"gemv.cpu.avx512_int4", "decode: AVX-512, int4", "an eighth, unpacked in registers"},
          },
      .sections = {{"CPU, decode", "gemv.cpu.plain"}},
      .params = {{"n", "rows of W (n)", {1024, 2048, 4096, 8192, 14336, 28672}},
                 {"k", "columns of W (k)", {1024, 2048, 4096, 8192, 14336}},
                 {"batch", "sequences at once", {1, 2, 4, 8, 16}},
                 {"copies", "copies of the weights", {1, 2, 4, 8}},
                 {"epilogue", "epilogue (w8a8)", {}},
                 {"dtype", "weights", {}},
                 {"threads", "CPU threads", {1, 2, 4, 8, 16}}},
      .quality_metric = "error",
      .quality_limit = "error against float64 on the weights as they are stored",
      .lesson = "assets/lessons/quant.md",
      .first_look_cpu = {{"n", int64_t{4096}}, {"k", int64_t{4096}}},
      .first_look_gpu = {{"n", int64_t{14336}}, {"k", int64_t{4096}}},
      .items = "tokens",
  };
  return lab;
}

RIDGE_LAB(quant, quant_lab);

}  // namespace
}  // namespace ridge
