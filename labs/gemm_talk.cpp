#include "labs/gemm_talk.h"

#include "common/record/params.h"

namespace ridge {
namespace {

constexpr const char* kCpu = "7742, 1 thread";
constexpr const char* kWholeCpu = "7742";
constexpr const char* kGpu = "A100";
constexpr const char* kBringGpu =
    "a machine with an NVIDIA GPU: --worker \"ssh -T HOST ridgepoint-worker --stdio\"";
constexpr const char* kBringPython =
    "the packages python3-numpy and python3-torch of Debian or Ubuntu, or pip install numpy torch "
    "in a "
    "venv whose python3 RIDGE_PYTHON names";
constexpr const char* kBringGpuPython = "a machine with an NVIDIA GPU, and pip install torch there";
constexpr const char* kBringCutlass =
    "a machine with an NVIDIA GPU, and a build that finds CUTLASS (CUTLASS_DIR, or pip install "
    "nvidia-cutlass)";

double product_flop(const Params& params) {
  const int64_t n = param_int(params, "n");
  return 2.0 * double(param_int(params, "m", n)) * double(n) * double(param_int(params, "k", n));
}

}  // namespace

Table gemm_talk_table() {
  const Params all = {{"threads", "max"}};
  const Params all64 = {{"threads", "max"}, {"dtype", "fp64"}};
  const Params half = {{"dtype", "fp16"}};
  return {
      .id = "talk",
      .title =
          "the talk's summary: one product, from three loops to the library. The talk states "
          "no size; 4096 x 4096 x 4096 fits its figures. 7742: an AMD EPYC; A100: NVIDIA",
      .params = {{"n", int64_t{4096}}, {"dtype", "fp32"}},
      .rows =
          {
              {"three loops, gcc -O1", kCpu, 478'890e6, "gemm.cpu.naive_o1", {}, ""},
              {"three loops, gcc -O3", kCpu, 262'830e6, "gemm.cpu.naive_o3", {}, ""},
              {"NumPy, float64", kWholeCpu, 276.97e6, "gemm.cpu.numpy", all64, kBringPython},
              {"NumPy, float32", "", {}, "gemm.cpu.numpy", all, kBringPython},
              {"PyTorch, CPU", kWholeCpu, 49.79e6, "gemm.cpu.pytorch", all, kBringPython},
              {"CUDA, shared tile", kGpu, 23.82e6, "gemm.cuda.shared_tile", {}, kBringGpu},
              {"PyTorch fp32", kGpu, 10.94e6, "gemm.cuda.pytorch", {}, kBringGpuPython},
              {"cuBLAS fp32", kGpu, 7.14e6, "gemm.cuda.cublas", {}, kBringGpu},
              {"CUTLASS fp32", kGpu, 5.28e6, "gemm.cuda.cutlass", {}, kBringCutlass},
              {"PyTorch fp16", kGpu, 0.64e6, "gemm.cuda.pytorch", half, kBringGpuPython},
              {"cuBLAS fp16", kGpu, 0.58e6, "gemm.cuda.cublas", half, kBringGpu},
              {"CUTLASS fp16", kGpu, 0.58e6, "gemm.cuda.cutlass", half, kBringCutlass},
          },
      .lessons =
          {
              {"Same row, other type",
               "numpy.random.rand makes float64, and so the talk's NumPy row multiplies float64 "
               "while the PyTorch row below it multiplies float32. A vector register holds half "
               "as many float64, so expect a factor of two from the type alone before anything is "
               "said of the libraries. Both types of NumPy stand here."},
              {"Above the ceiling",
               "CUTLASS's 5.28 ms would be 26.0 TFLOP/s at 4096, and an A100's CUDA cores can do "
               "19.5 in fp32 (datasheet). The talk files that row under CUDA cores on one slide "
               "and under Tensor Cores on another. A figure above a ceiling is never a fast "
               "kernel: it is other arithmetic, another size, or a wrong clock. Ask which before "
               "you repeat it; the error column tells fp32 from TF32."},
              {"Latency is not the inverse of throughput",
               "The talk divides: so many products in so many seconds, and calls the quotient "
               "latency. That is time per call, back to back, and so is every figure in this "
               "table. A single call, from launch to completion, takes longer and is measured in "
               "a pass of its own; percentiles are of those."},
          },
      .flop = product_flop,
  };
}

}  // namespace ridge
