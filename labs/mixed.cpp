// The mixed-precision lab: one training, in every type. Adding a rung is one line here.
#include "labs/lab.h"

namespace ridge {
namespace {

const Lab& mixed_lab() {
  static const Lab lab = {
      .id = "mixed",
      .title = "Mixed precision",
      .goal = "Train in 16 bits and 8: see what gets lost, and what brings it back.",
      .family = "mixed",
      .rungs =
          {
              {"mixed.cpu.fp32", "fp32", "forward, backward, SGD with momentum"},
              {"mixed.cpu.pytorch", "PyTorch, fp32", "the same network and order", true},
              {"mixed.cpu.bf16_avx512", "bf16, AVX-512", "16 bits in memory, vdpbf16ps"},
              {"mixed.cpu.tf32", "tf32", "products see 11 bits"},
              {"mixed.cpu.fp16_naive", "fp16, naive", "everything in 16 bits, weights too"},
              {"mixed.cpu.fp16_static", "fp16, static scale", "the loss times a constant"},
              {"mixed.cpu.fp16_dynamic", "fp16, dynamic scale", "the factor finds itself"},
              {"mixed.cpu.bf16", "bf16", "fp32's range, 8 bits: no scale"},
              {"mixed.cpu.fp8_scaled", "fp8, scaled", "a scale for each tensor of a product"},
              {"mixed.cpu.checkpointing", "checkpointing", "drop activations, compute them again"},
              {"mixed.cpu.accumulation", "accumulation", "the batch in parts"},
              {"mixed.cuda.fp32", "fp32, GPU", "own convolutions, cuBLAS, one graph"},
              {"mixed.cuda.pytorch", "PyTorch, fp32", "the same network and order", true},
              {"mixed.cuda.tf32", "tf32", "one switch of the products"},
              {"mixed.cuda.fp16_naive", "fp16, naive", "everything in 16 bits"},
              {"mixed.cuda.fp16_static", "fp16, static scale", "the loss times a constant"},
              {"mixed.cuda.fp16_dynamic", "fp16, dynamic scale", "the factor finds itself"},
              {"mixed.cuda.bf16", "bf16", "fp32's range: no scale"},
              {"mixed.cuda.fp8_scaled", "fp8, scaled", "a scale for each tensor of a product"},
              {"mixed.cuda.checkpointing", "checkpointing", "bf16, activations computed again"},
              {"mixed.cuda.accumulation", "accumulation", "bf16, the batch in parts"},
          },
      .sections = {{"CPU", "mixed.cpu.fp32"},
                   {"CPU, emulated", "mixed.cpu.tf32"},
                   {"CPU, memory", "mixed.cpu.checkpointing"},
                   {"GPU", "mixed.cuda.fp32"},
                   {"GPU, memory", "mixed.cuda.checkpointing"}},
      .params = {{"model", "network", {}},
                 {"width", "width", {64, 128, 256, 512, 1024, 2048, 4096}, Level::kLab},
                 {"layers", "layers", {1, 2, 3, 4, 8, 16}, Level::kLab},
                 {"batch", "images of a step", {64, 256, 1024, 4096, 8192, 16384}},
                 {"epochs", "epochs", {1, 2, 4, 8, 16}, Level::kLab},
                 {"rate",
                  "learning rate, ten-thousandths",
                  {3, 10, 100, 300, 600, 1000, 3000},
                  Level::kLab},
                 {"scale", "loss scale, power of two", {0, 4, 8, 10, 12, 16, 20, 24}, Level::kLab},
                 {"parts", "parts of a batch", {2, 4, 8, 16}, Level::kLab},
                 {"memory_mib",
                  "memory limit, MiB",
                  {0, 8, 16, 32, 64, 128, 256, 1024},
                  Level::kLab,
                  "memory, MiB"},
                 {"seed", "seed", {1, 2, 3, 4, 5, 6, 7, 8}, Level::kBench},
                 {"judge", "judged on", {}, Level::kLab},
                 {"threads", "CPU threads", {1, 2, 4, 8, 16}, Level::kLab}},
      .quality_metric = "accuracy",
      .quality_limit = "accuracy above 0.3 and finite; fp16 without a scale may fail, and shows it",
      .lesson = "assets/lessons/mixed.md",
      .place = 20,
      .group = "Train",
      .line = "training in 16 bits and 8",
      .level = Level::kLab,
      .levers = {{Bottleneck::activation_memory, "mixed.cpu.checkpointing"},
                 {Bottleneck::activation_memory, "mixed.cpu.accumulation"},
                 {Bottleneck::activation_memory, "mixed.cuda.checkpointing"},
                 {Bottleneck::activation_memory, "mixed.cuda.accumulation"}},
      .items = "images",
      .data_set = "Fashion-MNIST",
  };
  return lab;
}

RIDGE_LAB(mixed, mixed_lab);

}  // namespace
}  // namespace ridge
