// Random normals: counter-based (common/core/random.h) and Box-Muller, which makes elements 2i and
// 2i + 1 from counter i.
#include <array>
#include <cmath>
#include <numbers>

#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/harness/quality/quality.h"

namespace ridge::quality {
namespace {

std::array<double, 2> normal_pair(uint64_t key, uint64_t pair) {
  const uint64_t first = random_bits(key, 2 * pair);
  const uint64_t second = random_bits(key, 2 * pair + 1);
  // (0, 1]: the logarithm stays finite, |normal| <= 8.6.
  const double u = static_cast<double>((first >> 11) + 1) * 0x1p-53;
  const double angle = static_cast<double>(second >> 11) * 0x1p-53 * 2 * std::numbers::pi;
  const double radius = std::sqrt(-2 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// `begin` is even.
void fill_range(std::byte* data, DType dtype, uint64_t key, int64_t begin, int64_t end) {
  const double scale = dtype == DType::int8 ? kInt8Scale : 1;
  for (int64_t i = begin; i < end; i += 2) {
    const auto [first, second] = normal_pair(key, static_cast<uint64_t>(i) / 2);
    store(data, i, dtype, scale * first);
    if (i + 1 < end) store(data, i + 1, dtype, scale * second);
  }
}

}  // namespace

double normal(uint64_t seed, uint64_t index) {
  return normal_pair(random_key(seed), index / 2)[index % 2];
}

void fill_normal(std::span<std::byte> data, DType dtype, uint64_t seed) {
  const auto count = static_cast<int64_t>(data.size() / dtype_size(dtype));
  const uint64_t key = random_key(seed);
  // A thread is worth its start above about 2^18 elements (a few ms).
  parallel_for(
      count, int64_t{1} << 18,
      [&](int64_t begin, int64_t end) { fill_range(data.data(), dtype, key, begin, end); }, 2);
}

}  // namespace ridge::quality
