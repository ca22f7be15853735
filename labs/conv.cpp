// The convolution lab: seven nested loops, from the printed ones to Tensor Cores. Adding a rung is one line here.
#include "common/record/params.h"
#include "labs/conv_workload.h"
#include "labs/lab.h"
#include "labs/product_limits.h"

namespace ridge {
namespace {

/// It is right where a filter has one tap, there is no border, and every pixel is its own output's.
bool as_printed_is_wrong(const Params& params) {
  const auto is = [&](const char* name, int64_t value) {
    return param_int(params, name, value) == value;
  };
  return !(is("r", 1) && is("s", 1) && is("pad", 0) && is("stride", 1));
}

/// Without its layers it runs one thread an output, as the first GPU rung does.
const char* no_depthwise_step(const Params& params) {
  const int64_t groups = param_int(params, "groups", 1);
  const bool fits = groups == param_int(params, "c", groups) &&
                    param_int(params, "m", groups) == groups && groups > 1 &&
                    param_text(params, "layout") == "nhwc";
  return fits ? nullptr : "needs nhwc and as many groups as channels";
}

const char* no_winograd_step(const Params& params) {
  const bool fits = param_int(params, "r", 3) == 3 && param_int(params, "s", 3) == 3 &&
                    param_int(params, "stride", 1) == 1 && param_int(params, "groups", 1) == 1;
  return fits ? nullptr : "needs 3 x 3 filters, stride 1, one group";
}

const Lab& conv_lab() {
  static const Lab lab = {
      .id = "conv",
      .title = "Convolution",
      .goal =
          "Seven loops should convolve, and do not. Mend them; then reorder, tile and vectorise "
          "them, and compare with a library.",
      .family = "conv",
      .rungs =
          {
              {.kernel = "conv.cpu.as_printed",
               .title = "as printed",
               .change = "seven loops, and the gate says no",
               .wrong = as_printed_is_wrong},
              {"conv.cpu.direct", "direct", "mended: the filter's offset, the border"},
              {"loops.cpu.reordered", "reordered", "the order is yours; w innermost is a vector"},
              {"loops.cpu.tiled", "tiled", "four loops cut, the sizes are yours"},
              {"conv.cpu.avx2", "blocked, AVX2", "channels in blocks, 6 x 16 sums in registers"},
              {"conv.cpu.avx512", "blocked, AVX-512", "6 x 64 sums"},
              {.kernel = "conv.cpu.threads",
               .title = "threads",
               .change = "filters or pixels, a share each",
               .no_step = one_thread_is_no_step},
              {"conv.cpu.onednn_direct", "oneDNN", "compiled for this very shape", kPeer},
              {"conv.cpu.im2col", "im2col + GEMM", "copy everything, then multiply matrices"},
              {"conv.cpu.winograd", "Winograd", "16 products instead of 36"},
              {"conv.cpu.winograd_4x4", "Winograd, 4 x 4", "36 products instead of 144"},
              {"conv.cpu.onednn_winograd", "oneDNN, Winograd", "the library's", kPeer},
              {"conv.cuda.direct", "direct, GPU", "a thread for each output"},
              {"conv.cuda.shared_tile", "shared tile", "x once for 16 filters and all taps"},
              {"conv.cuda.im2col", "im2col + GEMM, GPU", "one product; everything is copied first"},
              {"conv.cuda.implicit_gemm", "implicit GEMM", "im2col that is never written"},
              {"conv.cuda.mma_sync", "implicit GEMM, mma.sync", "tensor cores, as on Ampere"},
              {"conv.cuda.wgmma_im2col", "wgmma + TMA im2col",
               "the copy engine finds the pixels; bias and relu fused"},
              {"conv.cuda.even_tiles", "even tiles", "small layers: a tile for each SM"},
              {"conv.cuda.packed_taps", "packed taps", "few channels: a row of taps in a slice"},
              {.kernel = "conv.cuda.winograd",
               .title = "Winograd, GPU",
               .change = "both transforms and 16 products in one kernel",
               .no_step = no_winograd_step},
              {.kernel = "conv.cuda.depthwise",
               .title = "depthwise, GPU",
               .change = "one filter for each channel: the memory is the limit",
               .no_step = no_depthwise_step},
              {"conv.cuda.cudnn", "cuDNN", "its search, through PyTorch", kPeer},
          },
      .sections = {{"Direct, CPU", "conv.cpu.as_printed"},
                   {"Other algorithms, CPU", "conv.cpu.im2col"},
                   {"Direct, GPU", "conv.cuda.direct"},
                   {"Other algorithms, GPU", "conv.cuda.winograd"}},
      .params =
          {{"h", "image height and width", {1, 7, 14, 28, 56, 112, 224}},
           {"c", "channels, and filters", {1, 3, 16, 17, 64, 128, 256, 512}},
           {"n", "images in a call", {1, 2, 4, 8, 16, 32, 64}, Level::kBench},
           {"r", "filter height and width", {1, 3, 5, 7}, Level::kLab},
           {"stride", "stride", {1, 2, 4}, Level::kBench},
           {"pad", "padding", {0, 1, 2, 3}, Level::kBench},
           {"groups", "groups", {1, 2, 4, 16, 64, 128, 256, 512}, Level::kBench},
           {"layout", "layout of the images", {}, Level::kLab},
           {"relu", "bias and relu", {}, Level::kBench},
           {"order", "loop order (reordered, tiled)", {}},
           {"tile_m", "tile: filters", {0, 1, 2, 4, 8, 16, 32, 64}, Level::kLab, "tile: filters"},
           {"tile_c", "tile: channels", {0, 1, 2, 4, 8, 16, 32, 64}, Level::kLab, "tile: channels"},
           {"tile_h", "tile: rows", {0, 1, 2, 4, 8, 16, 28}, Level::kLab, "tile: rows"},
           {"tile_w", "tile: columns", {0, 8, 14, 16, 28, 32}, Level::kLab, "tile: columns"},
           {"dtype", "data type", {}, Level::kLearn, "type"},
           {"threads", "CPU threads", {1, 2, 4, 8, 16}, Level::kLab}},
      .quality_metric = "error",
      .quality_limit = kProductLimit,
      .type_limits = product_limits(),
      .lesson = "assets/lessons/conv.md",
      .place = 30,
      .group = "Kernels",
      .line = "seven loops, mended and tiled",
      .level = Level::kLab,
      .first_look_gpu = {{"n", int64_t{64}}, {"layout", std::string("nhwc")}},
      .levers = {{Bottleneck::latency, "loops.cpu.reordered"},
                 {Bottleneck::memory_bandwidth, "loops.cpu.tiled"},
                 {Bottleneck::latency, "conv.cpu.avx2"},
                 {Bottleneck::compute, "conv.cpu.threads"},
                 {Bottleneck::memory_bandwidth, "conv.cuda.implicit_gemm"},
                 {Bottleneck::compute, "conv.cuda.wgmma_im2col"}},
      .workloads = {conv_resnet50_workload(), conv_mobilenet_v2_workload(),
                    conv_efficientnet_b0_workload()},
      .items = "images",
      .walked = {{"conv", "h", {7, 14, 20}, 1}},
      .loop_order = "order",
      .heat = {"tile_m", "tile_c"},
      .scaling = {.param = "threads", .counts = "1,2,4"},
  };
  return lab;
}

RIDGE_LAB(conv, conv_lab);

}  // namespace
}  // namespace ridge
