// The network of this lab: one layer of look-up tables with six inputs (LUT-6) over thermometer bits.
//
//   bit i of a pixel   pixel > threshold i, its (i + 1)-th of `bits` quantiles over the training images:
//                      feature number pixel * bits + i. Codes are monotone: bit i + 1 implies bit i.
//   LUT j              reads six features (wiring), its address has pin p as bit p, its output is that
//                      bit of its table
//   score of class c   number of 1s among the LUTs c * luts / 10 ... (c + 1) * luts / 10 - 1
//   prediction         the class of the highest score; of a tie, the lowest class
//
// Source: Bacellar et al., Differentiable Weightless Neural Networks, ICML 2024 (arXiv:2410.11112).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/harness/data/fashion_mnist.h"

namespace ridge::weightless {

inline constexpr int kPins = 6, kEntries = 64, kClasses = kGarmentClasses;
inline constexpr int kMaxBits = 8;

struct LutNetwork {
  int luts = 0, bits = 0;           ///< luts: a multiple of 10
  std::vector<uint8_t> thresholds;  ///< [pixel][bit], ascending
  std::vector<uint16_t> wiring;     ///< [lut][pin]: feature number
  std::vector<uint64_t> tables;     ///< [lut]: bit a is the output at address a
  int features() const { return kGarmentPixels * bits; }
  int luts_per_class() const { return luts / kClasses; }
  bool operator==(const LutNetwork&) const = default;
};

/// Ascending quantiles of each pixel over the images `which`; many are 0 at the border.
std::vector<uint8_t> quantile_thresholds(const ImageSet& set, std::span<const int32_t> which,
                                         int bits);

/// Images as bits, one after the other: bit f % 64 of word f / 64 of a row is feature f.
struct BitRows {
  int features = 0;
  int64_t count = 0;
  std::vector<uint64_t> words;
  int row_words() const { return (features + 63) / 64; }
  const uint64_t* row(int64_t i) const { return &words[static_cast<size_t>(i * row_words())]; }
};
/// images: count x 784 bytes.
BitRows encode_rows(const uint8_t* images, int64_t count, const std::vector<uint8_t>& thresholds);

/// Transposes 64 x 64 bits in place: bit j of word i becomes bit i of word j.
void transpose_64(uint64_t* words);
/// 64 rows (null: zeros) as planes: bit s of planes[f * stride] is feature f of rows[s].
void rows_to_planes(const std::array<const uint64_t*, 64>& rows, int features, uint64_t* planes,
                    int64_t stride);

/// The highest score's class, the lowest of those that tie.
int best_class(const int* scores);
/// Straight from the definition, one image; scores[10] as well where it is not null.
int predict_one(const LutNetwork& network, const uint8_t* pixels, int* scores = nullptr);

/// Random wiring, tables and thresholds: every 16th table a constant or a single literal, which a
/// code generator has to survive.
LutNetwork random_network(int luts, int bits, uint64_t seed);

/// One file; load_network fails on anything that is not exactly a network.
bool save_network(const LutNetwork& network, const std::string& path);
bool load_network(const std::string& path, LutNetwork* network);

}  // namespace ridge::weightless
