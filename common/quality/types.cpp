// Element types: reading, rounding, unit roundoffs, poison and guards.
#include <bit>
#include <cmath>
#include <cstring>

#include "common/quality/quality.h"

namespace ridge::quality {
namespace {

/// A binary format with an 8- or 5-bit exponent in 16 bits.
struct Format16 {
  int mantissa_bits;
  int bias;
  uint16_t infinity;
};
constexpr Format16 kBf16 = {7, 127, 0x7f80};
constexpr Format16 kFp16 = {10, 15, 0x7c00};

/// Rounds to nearest, ties to even, straight from double: by way of fp32 a value just beside a tie
/// would be rounded twice, and wrongly.
uint16_t round_to_16(double value, const Format16& format) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == 1024) {
    const int quiet = fraction != 0 ? 1 << (format.mantissa_bits - 1) : 0;
    return static_cast<uint16_t>(sign | format.infinity | quiet);
  }
  if (exponent > format.bias) return static_cast<uint16_t>(sign | format.infinity);

  // Below the least normal number the quantum stays what it is there: subnormals.
  const int least = 1 - format.bias;
  const int shift = 52 - format.mantissa_bits + (exponent < least ? least - exponent : 0);
  if (shift > 53) return sign;  // under half the least subnormal, and every subnormal double
  const uint64_t significand = fraction | uint64_t{1} << 52;
  const uint64_t odd = significand >> shift & 1;
  const uint64_t quanta = (significand + (uint64_t{1} << (shift - 1)) - 1 + odd) >> shift;
  // The significand's leading bit adds 1 to the exponent field, and so does a carry out of it.
  const int field = exponent < least ? 0 : exponent - least;
  const uint64_t magnitude = (static_cast<uint64_t>(field) << format.mantissa_bits) + quanta;
  return static_cast<uint16_t>(sign | (magnitude < format.infinity ? magnitude : format.infinity));
}

double from_16(uint16_t bits, const Format16& format) {
  const int magnitude = bits & 0x7fff;
  const int field = magnitude >> format.mantissa_bits;
  const int fraction = magnitude & ((1 << format.mantissa_bits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (magnitude > format.infinity) return std::nan("");
  if (magnitude == format.infinity) return sign * HUGE_VAL;
  const int significand = field == 0 ? fraction : fraction | 1 << format.mantissa_bits;
  const int exponent = (field == 0 ? 1 : field) - format.bias - format.mantissa_bits;
  return sign * std::ldexp(significand, exponent);
}

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void write(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <class Word>
int64_t count_words(std::span<const std::byte> data, Word word) {
  int64_t count = 0;
  for (size_t i = 0; i + sizeof word <= data.size(); i += sizeof word)
    count += read<Word>(data.data() + i) == word;
  return count;
}

}  // namespace

double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return 0x1p-53;
    case DType::fp32:
      return 0x1p-24;
    case DType::bf16:
      return 0x1p-8;
    case DType::fp16:
      return 0x1p-11;
  }
  return std::nan("");
}

double load(const std::byte* data, int64_t index, DType dtype) {
  const std::byte* at = data + static_cast<size_t>(index) * dtype_size(dtype);
  switch (dtype) {
    case DType::fp64:
      return read<double>(at);
    case DType::fp32:
      return read<float>(at);
    case DType::bf16:
      return from_16(read<uint16_t>(at), kBf16);
    case DType::fp16:
      return from_16(read<uint16_t>(at), kFp16);
  }
  return std::nan("");
}

void load_range(const std::byte* data, int64_t first, DType dtype, std::span<double> out) {
  const auto count = static_cast<int64_t>(out.size());
  if (dtype == DType::fp32) {  // the common one: this loop vectorises
    const std::byte* at = data + first * static_cast<int64_t>(sizeof(float));
    for (size_t i = 0; i < out.size(); ++i) out[i] = read<float>(at + i * sizeof(float));
  } else {
    for (int64_t i = 0; i < count; ++i) out[static_cast<size_t>(i)] = load(data, first + i, dtype);
  }
}

void store(std::byte* data, int64_t index, DType dtype, double value) {
  std::byte* at = data + static_cast<size_t>(index) * dtype_size(dtype);
  switch (dtype) {
    case DType::fp64:
      return write(at, value);
    case DType::fp32:
      return write(at, static_cast<float>(value));
    case DType::bf16:
      return write(at, round_to_16(value, kBf16));
    case DType::fp16:
      return write(at, round_to_16(value, kFp16));
  }
}

int64_t count_poison(std::span<const std::byte> data, DType dtype) {
  constexpr uint64_t kPoison64 = uint64_t{kPoison} << 32 | kPoison;
  switch (dtype) {
    case DType::fp64:
      return count_words(data, kPoison64);
    case DType::fp32:
      return count_words(data, kPoison);
    case DType::bf16:
    case DType::fp16:
      return count_words(data, static_cast<uint16_t>(kPoison & 0xffff));
  }
  return 0;
}

bool guard_intact(std::span<const std::byte> guard) {
  return count_words(guard, kGuardWord) * static_cast<int64_t>(sizeof kGuardWord) ==
         static_cast<int64_t>(guard.size());
}

}  // namespace ridge::quality
