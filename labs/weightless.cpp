// The weightless lab: classify garments with look-up tables, without a multiplication. Adding a rung is
// one line here.
#include <cmath>

#include "common/record/params.h"
#include "labs/lab.h"

namespace ridge {
namespace {

constexpr double kPixels = 784, kClasses = 10, kHidden = 256;
constexpr double kFloat = 4, kHalf = 2, kByte = 1;

double number(const Params& params, const char* name, int64_t fallback) {
  return double(param_int(params, name, fallback));
}

/// Tuples that the features are cut into.
double tuples(const Params& params, double features) {
  return std::ceil(features / number(params, "tuple", 1));
}

/// A LUT is 8 bytes of table and six features of 2 bytes; a feature's threshold is a byte. It is looked up once, and its
/// bit is counted.
NetworkArithmetic lut_network(const Params& params) {
  const double luts = number(params, "luts", 0), features = kPixels * number(params, "bits", 3);
  return {.model_bytes = luts * (8 + 12) + features,
          .working_bytes = kPixels + features / 8 + kClasses * kHalf,
          .operations = {.additions = luts, .look_ups = luts, .bits = features}};
}

/// A bit an entry, a table for each class and tuple; two bytes a feature say which tuple it is in, one is its threshold.
NetworkArithmetic wisard(const Params& params) {
  const double features = kPixels * number(params, "bits", 3), rams = tuples(params, features);
  return {
      .model_bytes =
          rams * std::exp2(number(params, "tuple", 1)) * kClasses / 8 + features * (2 + 1),
      .working_bytes = kPixels + features / 8 + kClasses * kHalf,
      .operations = {.additions = rams * kClasses, .look_ups = rams * kClasses, .bits = features}};
}

/// A bit a slot once it is bleached; a hash is two bytes for each bit of a tuple, and an exclusive or of those.
NetworkArithmetic bloom(const Params& params) {
  const double features = kPixels * number(params, "bits", 7), filters = tuples(params, features);
  const double hashes = number(params, "hashes", 2);
  const double slots = std::exp2(number(params, "log2_slots", 13));
  return {.model_bytes = filters * slots * kClasses / 8 + features * (2 + 1) +
                         hashes * number(params, "tuple", 28) * 2,
          .working_bytes = kPixels + features / 8 + kClasses * kHalf,
          .operations = {.additions = filters * kClasses,
                         .look_ups = filters * kClasses * hashes,
                         .bits = features + filters * number(params, "tuple", 28) * hashes}};
}

/// 784-256-10: a product and an addition a weight; the sum of a bias begins with it. `requantised`: a hidden sum becomes
/// a byte by a scale and an offset of its own.
NetworkArithmetic perceptron(double weight, bool requantised) {
  const double weights = kHidden * (kPixels + kClasses), again = requantised ? kHidden : 0;
  const double beside =
      requantised ? kHidden * 2 * kFloat + kClasses * kFloat : (kHidden + kClasses) * kFloat;
  return {.model_bytes = weights * weight + beside,
          .working_bytes = kPixels + kHidden * weight + kClasses * kFloat,
          .operations = {
              .multiplications = weights + again, .additions = weights + again, .bits = kHidden}};
}

/// Two convolutions of 3 x 3, each with a pool of 2 x 2, then a dense layer. Working memory is a layer's input and output.
NetworkArithmetic cnn(const Params& params, double weight, bool requantised) {
  const double filters = number(params, "width", 256) / 16, half = kPixels / 4, quarter = half / 4;
  const double first = 9 * filters, second = 9 * filters * 2 * filters;
  const double last = quarter * 2 * filters * kClasses;
  const double outputs = 2 * filters + filters + kClasses;
  const double products = first * kPixels + second * half + last;
  const double acts = filters * kPixels + 2 * filters * half;
  const double again = requantised ? acts + kClasses : 0;
  return {
      .model_bytes = (first + second + last) * weight + outputs * kFloat * (requantised ? 2 : 1),
      .working_bytes = (filters * kPixels + filters * half) * weight,
      .operations = {
          .multiplications = products + again, .additions = products + again, .bits = acts}};
}

ScoreCard score_card() {
  return {.title = "Networks on the test images",
          .features = "bits",
          .raw = "pixels",
          .item = "image",
          .many = {{"images", int64_t{10'000}}},
          .networks = {
              {.title = "LUT network",
               .kernels = {"weightless.cpu.generated", "weightless.cpu.mux_avx512",
                           "weightless.cpu.mux_avx2", "weightless.cpu.mux_portable"},
               .from_features = Params{{"from", "bits"}},
               .from_raw = Params{{"from", "pixels"}},
               .arithmetic = lut_network},
              {.title = "WiSARD",
               .kernels = {"wisard.cpu.class_interleaved_avx512", "wisard.cpu.class_interleaved"},
               .from_features = Params{},
               .arithmetic = wisard},
              {.title = "Bloom filters",
               .kernels = {"bloom.cpu.counting"},
               .from_features = Params{},
               .arithmetic = bloom},
              {.title = "Perceptron, fp32",
               .kernels = {"mlp.cpu.sgemm"},
               .from_raw = Params{},
               .arithmetic = [](const Params&) { return perceptron(kFloat, false); }},
              {.title = "Perceptron, bf16",
               .kernels = {"mlp.cpu.bf16_avx2"},
               .from_raw = Params{},
               .arithmetic = [](const Params&) { return perceptron(kHalf, false); }},
              {.title = "Perceptron, int8",
               .kernels = {"mlp.cpu.vnni", "mlp.cpu.int8_avx2"},
               .from_raw = Params{},
               .arithmetic = [](const Params&) { return perceptron(kByte, true); }},
              {.title = "CNN, fp32",
               .kernels = {"quantnet.cpu.fp32"},
               .from_raw = Params{{"model", "cnn"}},
               .arithmetic = [](const Params& params) { return cnn(params, kFloat, false); }},
              {.title = "CNN, int8",
               .kernels = {"quantnet.cpu.int8_channel"},
               .from_raw = Params{{"model", "cnn"}},
               .arithmetic = [](const Params& params) { return cnn(params, kByte, true); }},
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
              {"mlp.cpu.bf16_avx2", "perceptron, bf16", "half the bytes, read by any CPU"},
              {"mlp.cpu.int8_avx2", "perceptron, int8, AVX2", "bytes, widened to 16 bits"},
              {"mlp.cpu.vnni", "perceptron, int8", "bytes times bytes, as it is deployed"},
              {"quantnet.cpu.fp32", "small CNN, fp32", "filters that see neighbourhoods"},
              {"quantnet.cpu.int8_channel", "small CNN, int8", "the same in bytes"},
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
      .one_item = {{"images", int64_t{1}}},
      .inspected = {"weightless", "wisard", "quantnet"},
  };
  return lab;
}

RIDGE_LAB(weightless, weightless_lab);

}  // namespace
}  // namespace ridge
