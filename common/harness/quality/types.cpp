// Element types: reading, rounding, unit roundoffs, poison and guards.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "common/harness/quality/quality.h"

namespace ridge::quality {
namespace {

/// A binary format of at most 32 bits. `overflow` is what a value beyond the largest becomes.
struct Format {
  int bits, mantissa_bits, bias;
  uint32_t largest, overflow, nan;
};
constexpr Format kBf16 = {16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0};
constexpr Format kFp16 = {16, 10, 15, 0x7bff, 0x7c00, 0x7e00};
/// e4m3 has no infinity, and saturates (OCP 8-bit Floating Point Specification, 2023).
constexpr Format kFp8 = {8, 3, 7, 0x7e, 0x7e, 0x7f};

/// Rounds to nearest, ties to even, straight from double: by way of fp32 a value just beside a tie
/// would be rounded twice, and wrongly.
uint32_t round_to(double value, const Format& format) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint32_t>(bits >> 63) << (format.bits - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == 1024) return sign | (fraction != 0 ? format.nan : format.overflow);
  if (exponent > format.bias + 1) return sign | format.overflow;

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
  return sign | (magnitude <= format.largest ? static_cast<uint32_t>(magnitude) : format.overflow);
}

double value_of(uint32_t bits, const Format& format) {
  const uint32_t sign_bit = uint32_t{1} << (format.bits - 1);
  const uint32_t magnitude = bits & (sign_bit - 1);
  const double sign = bits & sign_bit ? -1 : 1;
  if (magnitude > format.largest) {
    const bool infinite = magnitude == format.overflow;
    return infinite ? sign * HUGE_VAL : std::nan("");
  }
  const int field = static_cast<int>(magnitude >> format.mantissa_bits);
  const auto fraction = static_cast<int>(magnitude & ((1u << format.mantissa_bits) - 1));
  const int significand = field == 0 ? fraction : fraction | 1 << format.mantissa_bits;
  const int exponent = (field == 0 ? 1 : field) - format.bias - format.mantissa_bits;
  return sign * std::ldexp(significand, exponent);
}

/// Every value of a narrow format once: a check reads 10^8 of them.
std::vector<float> table_of(const Format& format) {
  std::vector<float> values(size_t{1} << format.bits);
  for (uint32_t bits = 0; bits < values.size(); ++bits)
    values[bits] = static_cast<float>(value_of(bits, format));
  return values;
}

const float* values_of(DType dtype) {
  static const std::vector<float> bf16 = table_of(kBf16), fp16 = table_of(kFp16),
                                  fp8 = table_of(kFp8);
  return dtype == DType::bf16 ? bf16.data() : dtype == DType::fp16 ? fp16.data() : fp8.data();
}

/// To 10 bits of mantissa, ties to even; the exponent is fp32's.
float round_to_tf32(double value) {
  constexpr Format kTf32 = {19, 10, 127, 0x3fbff, 0x3fc00, 0x3fe00};
  return std::bit_cast<float>(round_to(value, kTf32) << 13);
}

int8_t round_to_int8(double value) {
  return static_cast<int8_t>(std::lrint(std::clamp(value, -127.0, 127.0)));
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

template <class T>
void widen(const std::byte* at, std::span<double> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(read<T>(at + i * sizeof(T)));
}

template <class T>
void look_up(const std::byte* at, const float* values, std::span<double> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = values[read<T>(at + i * sizeof(T))];
}

}  // namespace

double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return 0x1p-53;
    case DType::fp32:
      return 0x1p-24;
    case DType::tf32:
    case DType::fp16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    case DType::fp8:
      return 0x1p-4;
    case DType::int8:
    case DType::int32:
      return 0;
  }
  return std::nan("");
}

void load_range(const std::byte* data, int64_t first, DType dtype, std::span<double> out) {
  const std::byte* at = data + static_cast<size_t>(first) * dtype_size(dtype);
  switch (dtype) {
    case DType::fp64:
      return widen<double>(at, out);
    case DType::fp32:
    case DType::tf32:
      return widen<float>(at, out);
    case DType::bf16:
    case DType::fp16:
      return look_up<uint16_t>(at, values_of(dtype), out);
    case DType::fp8:
      return look_up<uint8_t>(at, values_of(dtype), out);
    case DType::int8:
      return widen<int8_t>(at, out);
    case DType::int32:
      return widen<int32_t>(at, out);
  }
}

double load(const std::byte* data, int64_t index, DType dtype) {
  double value = std::nan("");
  load_range(data, index, dtype, {&value, 1});
  return value;
}

void store(std::byte* data, int64_t index, DType dtype, double value) {
  std::byte* at = data + static_cast<size_t>(index) * dtype_size(dtype);
  switch (dtype) {
    case DType::fp64:
      return write(at, value);
    case DType::fp32:
      return write(at, static_cast<float>(value));
    case DType::tf32:
      return write(at, round_to_tf32(value));
    case DType::bf16:
      return write(at, static_cast<uint16_t>(round_to(value, kBf16)));
    case DType::fp16:
      return write(at, static_cast<uint16_t>(round_to(value, kFp16)));
    case DType::fp8:
      return write(at, static_cast<uint8_t>(round_to(value, kFp8)));
    case DType::int8:
      return write(at, round_to_int8(value));
    case DType::int32:
      return write(at, static_cast<int32_t>(std::llrint(value)));
  }
}

int64_t count_poison(std::span<const std::byte> data, DType dtype) {
  constexpr uint64_t kPoison64 = uint64_t{kPoison} << 32 | kPoison;
  switch (dtype) {
    case DType::fp64:
      return count_words(data, kPoison64);
    case DType::fp32:
    case DType::tf32:
    case DType::int32:
      return count_words(data, kPoison);
    case DType::bf16:
    case DType::fp16:
      return count_words(data, static_cast<uint16_t>(kPoison & 0xffff));
    case DType::fp8:
    case DType::int8:
      return 0;  // one byte of poison is also an honest value: the comparison has to find it
  }
  return 0;
}

bool guard_intact(std::span<const std::byte> guard) {
  return count_words(guard, kGuardWord) * static_cast<int64_t>(sizeof kGuardWord) ==
         static_cast<int64_t>(guard.size());
}

}  // namespace ridge::quality
