// The weightless lab: classify garments with look-up tables, without a multiplication. Adding a rung is
// one line here.
#include <cmath>

#include "common/record/params.h"
#include "labs/lab.h"

namespace ridge {
namespace {

constexpr double kPixels = 784, kClasses = 10;

/// A LUT is 8 bytes of table and six features of 2 bytes; a feature's threshold is a byte.
double lut_bytes(const Params& params) {
  return double(param_int(params, "luts")) * (8 + 12) + kPixels * double(param_int(params, "bits"));
}

/// A bit an entry, a table for each class and tuple; two bytes a feature say which tuple it is in.
double wisard_bytes(const Params& params) {
  const double features = kPixels * double(param_int(params, "bits"));
  const auto tuple = double(param_int(params, "tuple", 1));
  return std::ceil(features / tuple) * std::exp2(tuple) * kClasses / 8 + features * (2 + 1);
}

ScoreCard score_card() {
  return {.title = "Networks on the test images",
          .features = "bits",
          .raw = "pixels",
          .item = "image",
          .many = {{"images", int64_t{10'000}}},
          .one = {{"images", int64_t{1}}},
          .networks = {
              {.title = "LUT network",
               .kernels = {"weightless.cpu.generated", "weightless.cpu.mux_avx512",
                           "weightless.cpu.mux_avx2", "weightless.cpu.mux_portable"},
               .from_features = Params{{"from", "bits"}},
               .from_raw = Params{{"from", "pixels"}},
               .model_bytes = lut_bytes},
              {.title = "WiSARD",
               .kernels = {"wisard.cpu.class_interleaved_avx512", "wisard.cpu.class_interleaved"},
               .from_features = Params{},
               .model_bytes = wisard_bytes},
          }};
}

const Lab& weightless_lab() {
  static const Lab lab = {
      .id = "weightless",
      .title = "Weightless",
      .goal =
          "Train a network of look-up tables in seconds, and run it as logic: nothing is "
          "multiplied.",
      .family = "weightless",
      .rungs =
          {
              {"wisard.cpu.hash_map", "WiSARD, hash maps", "addresses seen, counted"},
              {"wisard.cpu.direct_tables", "direct tables", "an address is an index"},
              {"wisard.cpu.packed", "packed tables", "bleached once, a bit an entry"},
              {"wisard.cpu.class_interleaved", "classes interleaved",
               "one load answers ten classes"},
              {"wisard.cpu.class_interleaved_avx512", "the same, AVX-512", "addresses from masks"},
              {"bloom.cpu.counting", "counting Bloom filters", "tuples too long for a table"},
              {"weightless.cpu.random_wiring", "gradients into tables", "a loss, not a count"},
              {"weightless.cpu.learned_wiring", "learned wiring", "each pin chooses its pixel"},
              {"weightless.cpu.fast_training", "fast training", "64 images a word, tables for EFD"},
              {"weightless.cpu.naive", "bit by bit", "the definition"},
              {"weightless.cpu.mux_portable", "bit-sliced", "64 images a word, a LUT is a circuit"},
              {"weightless.cpu.bitshuffle", "vpshufbitqmb", "64 look-ups an instruction"},
              {"weightless.cpu.mux_avx2", "multiplexers, AVX2", "256 images a register"},
              {"weightless.cpu.mux_avx512", "multiplexers, AVX-512",
               "512 images, one instruction a mux"},
              {"weightless.cpu.generated", "generated code", "the table becomes instructions"},
              {"mlp.cpu.sgemm", "perceptron, fp32", "the score card: 784-256-10, from pixels"},
              {"mlp.cpu.vnni", "perceptron, int8", "bytes times bytes, as it is deployed"},
              {"weightless.cuda.lookup", "look-up per lane", "the definition, an image a thread"},
              {"weightless.cuda.mux", "multiplexers, GPU", "32 images a word, a word a thread"},
              {"weightless.cuda.generated", "generated lop3", "compiled when the network is known"},
              {"weightless.cuda.generated_tiled", "planes in the L2",
               "all classes, then more images"},
              {"weightless.cuda.staged", "planes in shared memory",
               "each is fetched, or encoded, once"},
              {"mlp.cuda.cublaslt", "MLP 784-256-10, bf16", "the peer that multiplies", true},
          },
      .sections = {{"WiSARD", "wisard.cpu.hash_map"},
                   {"Training", "weightless.cpu.random_wiring"},
                   {"Classifying, LUT network", "weightless.cpu.naive"},
                   {"Score card", "mlp.cpu.sgemm"},
                   {"Classifying, GPU", "weightless.cuda.lookup"}},
      .params = {{"luts", "look-up tables", {200, 500, 1000, 2000, 4000, 8000, 16000}},
                 {"bits", "thermometer bits a pixel", {1, 3, 7}},
                 {"candidates", "candidates a pin", {1, 8, 16, 32, 64, 128, 256}, Level::kLab},
                 {"halve", "epochs until half the candidates go", {0, 1, 2, 4}, Level::kLab},
                 {"tuple", "bits that address a RAM (WiSARD)", {8, 12, 16}},
                 {"bleach", "bleaching (WiSARD)", {0, 1, 2, 4, 8, 16}, Level::kLab},
                 {"from", "starting from", {}, Level::kLab},
                 {"images", "images in a call", {512, 1000, 10000, 131072, 540672}},
                 {"threads", "CPU threads (training)", {1, 2, 4, 8, 16}, Level::kLab}},
      .quality_metric = "accuracy",
      .quality_limit = "every prediction equal to the definition's; a training above 0.3",
      .lesson = "assets/lessons/weightless.md",
      .place = 70,
      .group = "Serve",
      .line = "look-up tables, no multiplication",
      .level = Level::kLab,
      .items = "images",
      .score_card = score_card(),
      .inspected = {"weightless", "wisard"},
      .data_set = "Fashion-MNIST",
  };
  return lab;
}

RIDGE_LAB(weightless, weightless_lab);

}  // namespace
}  // namespace ridge
