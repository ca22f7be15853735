#include "common/harness/data/fashion_mnist.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "common/core/files.h"
#include "common/core/parallel.h"
#include "common/core/random.h"

namespace ridge {

const char* const kGarmentNames[kGarmentClasses] = {"T-shirt", "trouser",   "pullover", "dress",
                                                    "coat",    "sandal",    "shirt",    "sneaker",
                                                    "bag",     "ankle boot"};
namespace {

constexpr const char* kInstall = "apt-get install dataset-fashion-mnist";

struct Closer {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzFile = std::unique_ptr<gzFile_s, Closer>;

uint32_t big_endian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

Error bad(const std::string& path, const std::string& what) {
  return {ErrorCode::bad_input, what, path, std::string("replace it: ") + kInstall};
}

/// The elements of an IDX file of unsigned bytes whose trailing dimensions hold `item` bytes.
/// The format: two zero bytes, 0x08 for bytes, the number of dimensions, each as 32 bits big-endian.
Result<std::vector<uint8_t>> read_idx(const std::string& path, int dims, size_t item) {
  const GzFile file(gzopen(path.c_str(), "rb"));  // reads plain files as they are
  if (!file) return bad(path, "it cannot be read");
  std::array<uint8_t, 16> head{};
  const int head_bytes = 4 + 4 * dims;
  if (gzread(file.get(), head.data(), static_cast<unsigned>(head_bytes)) != head_bytes) {
    return bad(path, "it ends inside its header");
  }
  if (head[0] != 0 || head[1] != 0 || head[2] != 8 || head[3] != dims) {
    return bad(path, "it is no IDX file of bytes with " + std::to_string(dims) + " dimensions");
  }
  size_t found_item = 1;
  for (int d = 1; d < dims; ++d) found_item *= big_endian(&head[static_cast<size_t>(4 + 4 * d)]);
  const size_t count = big_endian(&head[4]);
  constexpr size_t kMaxImages = 1'000'000;
  if (found_item != item || count == 0 || count > kMaxImages) {
    return bad(path, "its images are not of " + std::to_string(item) + " bytes, or none is there");
  }
  std::vector<uint8_t> data(count * item);
  const int read = gzread(file.get(), data.data(), static_cast<unsigned>(data.size()));
  if (read < 0 || static_cast<size_t>(read) != data.size()) return bad(path, "it is cut short");
  return data;
}

std::string with_or_without_gz(const std::string& path) {
  return std::filesystem::exists(path + ".gz") ? path + ".gz" : path;
}

Result<ImageSet> read_set(const std::string& folder, const std::string& name) {
  ImageSet set;
  const std::string images = with_or_without_gz(folder + "/" + name + "-images-idx3-ubyte");
  const std::string labels = with_or_without_gz(folder + "/" + name + "-labels-idx1-ubyte");
  RIDGE_TRY(set.pixels, read_idx(images, 3, kGarmentPixels));
  RIDGE_TRY(set.labels, read_idx(labels, 1, 1));
  if (set.pixels.size() != set.labels.size() * kGarmentPixels) {
    return bad(labels, "it has not as many labels as there are images");
  }
  if (*std::max_element(set.labels.begin(), set.labels.end()) >= kGarmentClasses) {
    return bad(labels, "it has a label above 9");
  }
  return set;
}

/// Six soft patches a class, at places that the seed decides; an image has each of them shifted by up
/// to two pixels and of its own brightness, over noise.
void draw_garment(uint64_t places, uint64_t key, int label, uint8_t* image) {
  constexpr uint64_t kPatches = 6;
  std::array<float, kGarmentPixels> value;
  for (uint64_t at = 0; at < kGarmentPixels; ++at) value[at] = 60 * random_unit(key, 64 + at) - 30;
  for (uint64_t p = 0; p < kPatches; ++p) {
    std::array<std::array<float, kGarmentSide>, 2> fall;  // of the patch along x and y
    for (uint64_t axis = 0; axis < 2; ++axis) {
      const uint64_t place = (static_cast<uint64_t>(label) * kPatches + p) * 2 + axis;
      const float centre =
          2 + 20 * random_unit(places, place) + 4 * random_unit(key, 1 + 3 * p + axis);
      for (size_t i = 0; i < kGarmentSide; ++i) {
        const float away = static_cast<float>(i) - centre;
        fall[axis][i] = std::exp(-away * away / 12);
      }
    }
    const float bright = 60 + 120 * random_unit(key, 3 + 3 * p);
    for (size_t at = 0; at < kGarmentPixels; ++at) {
      value[at] += bright * fall[0][at % kGarmentSide] * fall[1][at / kGarmentSide];
    }
  }
  for (size_t at = 0; at < kGarmentPixels; ++at) {
    image[at] = static_cast<uint8_t>(std::clamp(value[at], 0.0f, 255.0f));
  }
}

ImageSet synthetic_set(int64_t count, uint64_t seed, uint64_t stream) {
  ImageSet set;
  set.pixels.resize(static_cast<size_t>(count) * kGarmentPixels);
  set.labels.resize(static_cast<size_t>(count));
  const uint64_t places = random_key(seed);
  parallel_for(count, 256, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t key = random_key(seed * 2 + stream + 1 + static_cast<uint64_t>(i) * 977);
      const auto label = static_cast<uint8_t>(random_below(key, 0, kGarmentClasses));
      set.labels[static_cast<size_t>(i)] = label;
      draw_garment(places, key, label, &set.pixels[static_cast<size_t>(i) * kGarmentPixels]);
    }
  });
  return set;
}

Garments find_garments() {
  std::string looked;
  for (const std::string& folder : garment_folders()) {
    if (!std::filesystem::exists(folder)) {
      looked += (looked.empty() ? "" : ", ") + folder;
      continue;
    }
    auto found = load_garments(folder);
    if (found) return *std::move(found);
    looked += (looked.empty() ? "" : ", ") + found.error().sentence();
  }
  Garments made = synthetic_garments(20'000, 4'000, 1);
  made.missing = "synthetic garments, not Fashion-MNIST (looked in " + looked + "): " + kInstall;
  return made;
}

}  // namespace

std::vector<std::string> garment_folders() {
  if (const char* data = std::getenv("RIDGEPOINT_DATA"); data && *data) return {data};
  std::vector<std::string> folders;
  if (const std::string own = data_folder("fashion-mnist"); !own.empty()) folders.push_back(own);
  folders.push_back("/usr/share/datasets/fashion-mnist");
  return folders;
}

Result<Garments> load_garments(const std::string& folder) {
  Garments set;
  set.name = "Fashion-MNIST";
  RIDGE_TRY(set.train, read_set(folder, "train"));
  RIDGE_TRY(set.test, read_set(folder, "t10k"));
  return set;
}

Garments synthetic_garments(int64_t train, int64_t test, uint64_t seed) {
  Garments set;
  set.name = "synthetic garments";
  set.train = synthetic_set(train, seed, 0);
  set.test = synthetic_set(test, seed, uint64_t{1} << 32);
  return set;
}

const Garments& garments() {
  static const Garments set = find_garments();
  return set;
}

Split split_images(int64_t count, int64_t held_out, uint64_t seed) {
  Split split;
  split.train = shuffled(count, seed);
  const auto first = split.train.end() - std::clamp<int64_t>(held_out, 0, count);
  split.held_out.assign(first, split.train.end());
  split.train.erase(first, split.train.end());
  return split;
}

}  // namespace ridge
