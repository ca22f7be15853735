#include "kernels/runtime/weightless/network.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "common/core/parallel.h"
#include "common/core/random.h"

namespace ridge::weightless {

std::vector<uint8_t> quantile_thresholds(const ImageSet& set, std::span<const int32_t> which,
                                         int bits) {
  std::vector<std::array<int32_t, 256>> histogram(kGarmentPixels, std::array<int32_t, 256>{});
  for (const int32_t i : which) {
    const uint8_t* image = set.image(i);
    for (int p = 0; p < kGarmentPixels; ++p) ++histogram[static_cast<size_t>(p)][image[p]];
  }
  std::vector<uint8_t> thresholds(static_cast<size_t>(kGarmentPixels * bits));
  for (int p = 0; p < kGarmentPixels; ++p) {
    int64_t below = 0;
    int value = -1;
    for (int i = 0; i < bits; ++i) {
      const int64_t wanted = static_cast<int64_t>(which.size()) * (i + 1) / (bits + 1);
      while (value < 255 && below <= wanted) {
        below += histogram[static_cast<size_t>(p)][static_cast<size_t>(++value)];
      }
      thresholds[static_cast<size_t>(p * bits + i)] = static_cast<uint8_t>(std::max(value, 0));
    }
  }
  return thresholds;
}

BitRows encode_rows(const uint8_t* images, int64_t count, const std::vector<uint8_t>& thresholds) {
  BitRows rows;
  rows.features = static_cast<int>(thresholds.size());
  rows.count = count;
  rows.words.assign(static_cast<size_t>(count * rows.row_words()), 0);
  const int bits = rows.features / kGarmentPixels;
  parallel_for(count, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint8_t* image = images + i * kGarmentPixels;
      uint64_t* row = &rows.words[static_cast<size_t>(i * rows.row_words())];
      const uint8_t* threshold = thresholds.data();
      uint64_t word = 0;
      int f = 0;
      for (int p = 0; p < kGarmentPixels; ++p) {
        for (int b = 0; b < bits; ++b, ++f) {
          word |= uint64_t{image[p] > *threshold++} << (f % 64);
          if (f % 64 == 63) row[f / 64] = word, word = 0;
        }
      }
      if (f % 64 != 0) row[f / 64] = word;
    }
  });
  return rows;
}

void transpose_64(uint64_t* words) {
  // Swaps ever smaller off-diagonal blocks (Warren, Hacker's Delight, 2nd ed., 7-3).
  uint64_t mask = 0x00000000ffffffff;
  for (int width = 32; width != 0; width /= 2, mask ^= mask << width) {
    for (int i = 0; i < 64; i = (i + width + 1) & ~width) {
      const uint64_t swap = ((words[i] >> width) ^ words[i + width]) & mask;
      words[i] ^= swap << width;
      words[i + width] ^= swap;
    }
  }
}

void rows_to_planes(const std::array<const uint64_t*, 64>& rows, int features, uint64_t* planes,
                    int64_t stride) {
  for (int first = 0; first < features; first += 64) {
    uint64_t block[64];
    for (size_t s = 0; s < 64; ++s) block[s] = rows[s] != nullptr ? rows[s][first / 64] : 0;
    transpose_64(block);
    const int many = std::min(64, features - first);
    for (int f = 0; f < many; ++f) planes[(first + f) * stride] = block[f];
  }
}

int best_class(const int* scores) {
  return static_cast<int>(std::max_element(scores, scores + kClasses) - scores);
}

int predict_one(const LutNetwork& network, const uint8_t* pixels, int* scores) {
  std::array<int, kClasses> own{};
  int* counts = scores != nullptr ? scores : own.data();
  std::fill(counts, counts + kClasses, 0);
  for (int j = 0; j < network.luts; ++j) {
    int address = 0;
    for (int p = 0; p < kPins; ++p) {
      const uint16_t feature = network.wiring[static_cast<size_t>(j * kPins + p)];
      const bool bit = pixels[feature / network.bits] > network.thresholds[feature];
      address |= bit << p;
    }
    counts[j / network.luts_per_class()] +=
        static_cast<int>(network.tables[static_cast<size_t>(j)] >> address & 1);
  }
  return best_class(counts);
}

LutNetwork random_network(int luts, int bits, uint64_t seed) {
  constexpr uint64_t kLiteral = 0xaaaa'aaaa'aaaa'aaaa;  // pin 0
  LutNetwork network{.luts = luts, .bits = bits, .thresholds = {}, .wiring = {}, .tables = {}};
  const uint64_t key = random_key(seed);
  for (int p = 0; p < kGarmentPixels; ++p) {
    for (int i = 0; i < bits; ++i) {
      network.thresholds.push_back(static_cast<uint8_t>(256 * (i + 1) / (bits + 1) - 20));
    }
  }
  for (int j = 0; j < luts; ++j) {
    const auto at = static_cast<uint64_t>(j) * 8;
    for (uint64_t p = 0; p < kPins; ++p) {
      network.wiring.push_back(static_cast<uint16_t>(
          random_below(key, at + p, static_cast<uint32_t>(network.features()))));
    }
    const std::array<uint64_t, 4> special = {0, ~uint64_t{0}, kLiteral, ~kLiteral};
    const uint64_t table = random_bits(key, at + kPins);
    network.tables.push_back(j % 16 == 5 ? special[static_cast<size_t>(j / 16 % 4)] : table);
  }
  return network;
}

namespace {

constexpr char kMagic[8] = {'L', 'U', 'T', '6', 'n', 'e', 't', '1'};

/// Of everything that follows it in the file: a torn or foreign file is not loaded.
uint64_t digest(const LutNetwork& network) {
  uint64_t sum = static_cast<uint64_t>(network.luts) << 8 | static_cast<uint64_t>(network.bits);
  for (const uint8_t x : network.thresholds) sum = mix_bits(sum + x + kGolden);
  for (const uint16_t x : network.wiring) sum = mix_bits(sum + x + kGolden);
  for (const uint64_t x : network.tables) sum = mix_bits(sum + x + kGolden);
  return sum;
}

template <class T>
void put(std::ofstream& file, const T* data, size_t count) {
  file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
}

template <class T>
void get(std::ifstream& file, std::vector<T>* data, size_t count) {
  data->resize(count);
  file.read(reinterpret_cast<char*>(data->data()), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

bool save_network(const LutNetwork& network, const std::string& path) {
  const std::string part = path + "." + std::to_string(::getpid());  // two workers may save at once
  {
    std::ofstream file(part, std::ios::binary);
    const int32_t head[2] = {network.luts, network.bits};
    const uint64_t sum = digest(network);
    put(file, kMagic, sizeof(kMagic));
    put(file, head, 2);
    put(file, &sum, 1);
    put(file, network.thresholds.data(), network.thresholds.size());
    put(file, network.wiring.data(), network.wiring.size());
    put(file, network.tables.data(), network.tables.size());
    if (!file.flush()) return false;
  }
  std::error_code failed;
  std::filesystem::rename(part, path, failed);
  return !failed;
}

bool load_network(const std::string& path, LutNetwork* network) {
  std::ifstream file(path, std::ios::binary);
  char magic[sizeof(kMagic)] = {};
  int32_t head[2] = {};
  uint64_t sum = 0;
  file.read(magic, sizeof(magic));
  file.read(reinterpret_cast<char*>(head), sizeof(head));
  file.read(reinterpret_cast<char*>(&sum), sizeof(sum));
  constexpr int kMaxLuts = 1'000'000;
  if (!file || std::memcmp(magic, kMagic, sizeof(magic)) != 0 || head[0] < kClasses || head[0] > kMaxLuts ||
      head[0] % kClasses != 0 || head[1] < 1 || head[1] > kMaxBits) {
    return false;
  }
  network->luts = head[0], network->bits = head[1];
  get(file, &network->thresholds, static_cast<size_t>(network->features()));
  get(file, &network->wiring, static_cast<size_t>(network->luts) * kPins);
  get(file, &network->tables, static_cast<size_t>(network->luts));
  return file && digest(*network) == sum;
}

}  // namespace ridge::weightless
