// Counter-based random numbers: splitmix64's mixing of seed and counter (Steele, Lea and Flood, Fast
// Splittable Pseudorandom Number Generators, OOPSLA 2014). Element i depends on (seed, i) alone, so
// that any part can be made again and any number of threads make the same data.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace ridge {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd

constexpr uint64_t mix_bits(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Neighbouring seeds must not give shifted copies of one sequence, hence a mixed key.
constexpr uint64_t random_key(uint64_t seed) {
  return mix_bits(mix_bits(seed + kGolden) + kGolden);
}

/// 64 random bits: number `index` of the sequence of `key`.
constexpr uint64_t random_bits(uint64_t key, uint64_t index) {
  return mix_bits(key + (index + 1) * kGolden);
}

/// In [0, 1), a multiple of 2^-24: exact in fp32.
constexpr float random_unit(uint64_t key, uint64_t index) {
  return static_cast<float>(random_bits(key, index) >> 40) * 0x1p-24f;
}

/// In [0, count). The bias, count / 2^32, is far below anything measured here.
constexpr uint32_t random_below(uint64_t key, uint64_t index, uint32_t count) {
  return static_cast<uint32_t>((random_bits(key, index) >> 32) * count >> 32);
}

/// 0 .. count - 1 in an order that the seed decides (Fisher and Yates).
inline std::vector<int32_t> shuffled(int64_t count, uint64_t seed) {
  std::vector<int32_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const uint64_t key = random_key(seed);
  for (int64_t i = count - 1; i > 0; --i) {
    const auto j = random_below(key, static_cast<uint64_t>(i), static_cast<uint32_t>(i + 1));
    std::swap(order[static_cast<size_t>(i)], order[j]);
  }
  return order;
}

}  // namespace ridge
