// The quantization lab: a network in fewer bits, and what its accuracy pays for them. Adding a rung is one line
// here.
#include "labs/lab.h"

namespace ridge {
namespace {

constexpr bool kPeer = true;

const Lab& quant_lab() {
  static const Lab lab = {
      .id = "quant",
      .title = "Quantization",
      .goal = "Take bits away from a network: see what accuracy pays, and which care gets it back.",
      .family = "quantnet",
      .rungs =
          {
              {"quantnet.cpu.fp32", "fp32", "the network as it was trained"},
              {"quantnet.cpu.bf16", "bf16", "the upper half of every number"},
              {"quantnet.cpu.fp16", "fp16", "three bits more, a smaller range"},
              {"quantnet.cpu.int8_tensor", "int8, a scale a layer", "integer products"},
              {"quantnet.cpu.int8_channel", "int8, per channel", "a scale for each filter"},
              {"quantnet.cpu.percentile", "percentile", "the highest activations cut off"},
              {"quantnet.cpu.entropy", "entropy", "cut off by divergence"},
              {"quantnet.cpu.least_squares", "least squares", "cut off by squared error"},
              {"quantnet.cpu.fp8_e4m3", "fp8", "steps that grow with the value"},
              {"quantnet.cpu.int4_naive", "int4 weights, a scale a layer",
               "fifteen levels for all"},
              {"quantnet.cpu.int4_groups", "int4, groups", "a scale for 32 weights"},
              {"quantnet.cpu.bias_correction", "bias correction", "the mean put back"},
              {"quantnet.cpu.int4_qat", "int4, trained for it", "the loss sees the rounding"},
              {"quantnet.cpu.magnitude", "pruned by magnitude", "the smallest weights go"},
              {"quantnet.cpu.two_of_four", "2:4 sparsity", "two of each four go"},
              {"quantnet.cpu.channels", "pruned channels", "a smaller network"},
              {"gemv.cpu.plain", "decode: plain", "a dot product for each row"},
              {"gemv.cpu.avx2_fp32", "decode: AVX2, fp32", "8 weights at once, 4 sums"},
              {"gemv.cpu.avx2_int8", "decode: AVX2, int8", "a quarter of the bytes"},
              {"gemv.cpu.avx2_int4", "decode: AVX2, int4", "an eighth, a scale for 128 weights"},
              {"gemv.cpu.avx512_fp32", "decode: AVX-512, fp32", "16 weights at once"},
              {"gemv.cpu.avx512_bf16", "decode: AVX-512, bf16", "half of the bytes"},
              {"gemv.cpu.avx512_int8", "decode: AVX-512, int8", "a quarter of the bytes"},
              {"gemv.cpu.avx512_int4", "decode: AVX-512, int4", "an eighth, unpacked in registers"},
              {"gemv.cpu.avx512_vnni", "layer: VNNI, int8 x int8",
               "exact sums, an epilogue in registers"},
              {"gemv.cpu.onednn_w8a8", "layer: oneDNN, int8 x int8", "its sums, then a pass",
               kPeer},
              {"gemv.cuda.naive", "decode: a thread a row", "bf16, the definition"},
              {"gemv.cuda.vectors_bf16", "decode: vectors, bf16", "a warp a row, 16 bytes a lane"},
              {"gemv.cuda.vectors_fp8", "decode: vectors, e4m3", "half of the bytes"},
              {"gemv.cuda.vectors_int8", "decode: vectors, int8", "a scale for each row"},
              {"gemv.cuda.vectors_int4", "decode: vectors, int4", "a scale for 128 weights"},
              {"gemv.cuda.dp4a", "decode: dp4a, int8 x int8", "exact sums, scales behind them"},
              {"gemv.cuda.warp_rings_bf16", "decode: warp rings, bf16", "copy engine, mma.sync"},
              {"gemv.cuda.warp_rings_fp8", "decode: warp rings, e4m3", "half of the bytes"},
              {"gemv.cuda.warp_rings_int8", "decode: warp rings, int8",
               "unpacked to bf16 by two lop3"},
              {"gemv.cuda.warp_rings_int4", "decode: warp rings, int4",
               "unpacked to bf16 by one lop3"},
              {"gemv.cuda.warp_rings_w8a8", "decode: warp rings, int8 x int8",
               "mma.sync s8, nothing unpacked"},
              {"gemv.cuda.block_ring_bf16", "decode: block ring, bf16",
               "a warp that only asks for weights"},
              {"gemv.cuda.block_ring_fp8", "decode: block ring, e4m3", "half of the bytes"},
              {"gemv.cuda.block_ring_int8", "decode: block ring, int8", "half of the bytes"},
              {"gemv.cuda.block_ring_int4", "decode: block ring, int4", "a quarter"},
              {"gemv.cuda.block_ring_w8a8", "decode: block ring, int8 x int8", "exact sums"},
              {"gemv.cuda.cublas", "decode: cuBLAS, bf16", "cublasGemmEx", kPeer},
              {"gemv.cuda.pytorch", "decode: PyTorch, int4", "from Python, in another process",
               kPeer},
              {"gemv.cuda.wgmma", "many rows: wgmma, int8 x int8",
               "scales, bias and ReLU in registers"},
              {"gemv.cuda.cublaslt", "many rows: cuBLASLt, int8",
               "sums through memory, then a kernel for scales", kPeer},
          },
      .sections = {{"Network, 16 bits", "quantnet.cpu.fp32"},
                   {"Network, 8 bits", "quantnet.cpu.int8_tensor"},
                   {"Network, 4 bits", "quantnet.cpu.int4_naive"},
                   {"Network, pruned", "quantnet.cpu.magnitude"},
                   {"CPU, decode", "gemv.cpu.plain"},
                   {"GPU, decode", "gemv.cuda.naive"},
                   {"GPU, decode, copy engine", "gemv.cuda.warp_rings_bf16"},
                   {"GPU, many rows", "gemv.cuda.wgmma"}},
      .params = {{"model", "network", {}},
                 {"width", "width", {64, 128, 256, 512}},
                 {"train_epochs", "epochs of training", {1, 2, 4, 8}},
                 {"seed", "seed", {1, 2, 3, 4, 5, 6, 7, 8}},
                 {"weight_bits", "bits of a weight (0: the rung's)", {0, 2, 3, 4, 5, 6, 8}},
                 {"act_bits", "bits of an activation", {2, 3, 4, 5, 6, 8}},
                 {"group", "weights of a scale, fours", {1, 2, 4, 8, 16, 32, 64}},
                 {"percentile", "percentile, hundredths", {9000, 9900, 9990, 9999, 10000}},
                 {"calibration", "calibration images", {1, 16, 64, 256, 1024}},
                 {"tune_epochs", "epochs of fine-tuning", {0, 1, 2, 4}},
                 {"pruned", "pruned, per cent", {25, 50, 75, 90, 95}},
                 {"limit", "accuracy that may be lost, hundredths of a point", {10, 30, 100, 300}},
                 {"images", "images in a call", {1, 100, 1000, 10000}},
                 {"n", "rows of W (n)", {1024, 2048, 4096, 8192, 14336, 28672}},
                 {"k", "columns of W (k)", {1024, 2048, 4096, 8192, 14336}},
                 {"batch", "sequences at once", {1, 2, 4, 8, 16}},
                 {"copies", "copies of the weights", {1, 2, 4, 8}},
                 {"epilogue", "epilogue (w8a8)", {}},
                 {"dtype", "weights", {}},
                 {"threads", "CPU threads", {1, 2, 4, 8, 16}}},
      .quality_metric = "accuracy",
      .quality_limit =
          "integers bit for bit as defined, others near float64; at most a point (limit) under "
          "fp32",
      .lesson = "assets/lessons/quant.md",
      .first_look_gpu = {{"n", int64_t{14336}}, {"k", int64_t{4096}}},
      .items = "images",
      .inspected = {"quantnet"},
  };
  return lab;
}

RIDGE_LAB(quant, quant_lab);

}  // namespace
}  // namespace ridge
