// Fashion-MNIST: 70,000 pictures of garments, 28 x 28 pixels of one byte, ten classes (Xiao, Rasul and
// Vollgraf, arXiv:1708.07747). Read from its IDX files, gzipped or not; never downloaded here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace ridge {

inline constexpr int kGarmentSide = 28, kGarmentPixels = kGarmentSide * kGarmentSide;
inline constexpr int kGarmentClasses = 10;
extern const char* const kGarmentNames[kGarmentClasses];  ///< "T-shirt", "trouser" ...

struct ImageSet {
  std::vector<uint8_t> pixels;  ///< an image after the other, kGarmentPixels bytes each, row-major
  std::vector<uint8_t> labels;  ///< 0 to 9
  int64_t count() const { return static_cast<int64_t>(labels.size()); }
  const uint8_t* image(int64_t i) const { return &pixels[static_cast<size_t>(i) * kGarmentPixels]; }
};

struct Garments {
  ImageSet train, test;
  std::string name;     ///< "Fashion-MNIST", or "synthetic garments"
  std::string missing;  ///< synthetic: why, and the command that brings the real set; else empty
};

/// Where the four IDX files are looked for: RIDGEPOINT_DATA alone where it is set; else
/// ridgepoint/fashion-mnist in the user's data folder (XDG_DATA_HOME), then where Debian's package
/// dataset-fashion-mnist puts them.
std::vector<std::string> garment_folders();
/// The four files of one folder, each with or without .gz. Errors name the file and what is wrong.
Result<Garments> load_garments(const std::string& folder);
/// Blurred patches, a fixed handful a class: learnable, and nobody can take its figures for
/// Fashion-MNIST's.
Garments synthetic_garments(int64_t train, int64_t test, uint64_t seed);
/// The real set where it is found, else the synthetic one with `missing` set. Read once a process.
const Garments& garments();

/// Indices into a training set, shuffled by the seed.
struct Split {
  std::vector<int32_t> train, held_out;
};
Split split_images(int64_t count, int64_t held_out, uint64_t seed);

}  // namespace ridge
