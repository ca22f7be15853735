// ridge: flags=-O3
#include "kernels/quantnet/block_formats.h"

#include <algorithm>
#include <cmath>

#include "kernels/quantnet/network.h"
#include "kernels/runtime/networks/rounding.h"

namespace ridge {

namespace quantnet {
namespace {

constexpr double kMostE4m3 = 448, kMostE2m1 = 6;
constexpr int kExponentE4m3 = 8, kExponentE2m1 = 2;  ///< of their largest numbers

Rounding element_rounding(BlockElement element) {
  return element == BlockElement::e4m3 ? ridge::rounding_of(Element::e4m3)
                                       : make_rounding(1, 0, float(kMostE2m1), true);
}

float largest_of(std::span<const float> some) {
  float high = 0;
  for (const float w : some) high = std::max(high, std::fabs(w));
  return high;
}

/// The bits of a positive posit16 as a number.
double value_of(uint32_t posit) {
  int at = 14;
  const bool first = (posit >> at & 1) != 0;
  int run = 0;
  while (at >= 0 && ((posit >> at & 1) != 0) == first) ++run, --at;
  const int regime = first ? run - 1 : -run;
  --at;  // the bit that ended the run
  int exponent = 0;
  for (int i = 0; i < 2; ++i, --at) exponent = 2 * exponent + (at >= 0 ? int(posit >> at & 1) : 0);
  const int left = std::max(at + 1, 0);
  const double fraction = double(posit & ((1u << left) - 1)) / double(1u << left);
  return std::ldexp(1 + fraction, 4 * regime + exponent);
}

/// To the nearest string of bits, ties to even; nothing but zero becomes zero.
float posit16_of(float x) {
  if (x == 0 || !std::isfinite(x)) return x;
  constexpr int kFraction = 24;  // all that fp32 has
  int power = 0;
  const double significand = 2 * std::frexp(std::fabs(double(x)), &power);
  --power;
  const int regime = power >= 0 ? power / 4 : -((3 - power) / 4);
  if (regime >= 14) return std::copysign(static_cast<float>(value_of(0x7fff)), x);
  if (regime < -14) return std::copysign(static_cast<float>(value_of(1)), x);
  uint64_t bits = regime >= 0 ? ((uint64_t{1} << (regime + 1)) - 1) << 1 : 1;
  int length = regime >= 0 ? regime + 2 : 1 - regime;
  bits = bits << 2 | uint64_t(power - 4 * regime);
  bits = bits << kFraction | uint64_t(std::ldexp(significand - 1, kFraction));
  length += 2 + kFraction;
  const int cut = length - 15;
  const uint64_t rest = bits & ((uint64_t{1} << cut) - 1), half = uint64_t{1} << (cut - 1);
  uint64_t posit = bits >> cut;
  if (rest > half || (rest == half && (posit & 1) != 0)) ++posit;
  posit = std::clamp<uint64_t>(posit, 1, 0x7fff);
  return std::copysign(static_cast<float>(value_of(uint32_t(posit))), x);
}

/// What the block's values are divided by before they are rounded; `tensor`: the scale of all blocks' scales.
double scale_of(const BlockFormat& format, double high, double tensor) {
  const bool is_e4m3 = format.element == BlockElement::e4m3;
  if (format.scale == BlockScale::power_of_two) {
    const int exponent = is_e4m3 ? kExponentE4m3 : kExponentE2m1;
    return std::exp2(std::clamp(std::floor(std::log2(high)) - exponent, -127.0, 127.0));
  }
  const auto wanted = static_cast<float>(high / (is_e4m3 ? kMostE4m3 : kMostE2m1) / tensor);
  const float scale = round_to(wanted, ridge::rounding_of(Element::e4m3));
  return std::max(double(scale), std::exp2(-9)) * tensor;
}

}  // namespace

const BlockFormat* find_block_format(std::string_view trick) {
  for (const BlockFormatDesc* desc : registered_block_formats()) {
    if (desc->trick == trick) return desc->format;
  }
  return nullptr;
}

double round_blocks(const BlockFormat& format, int64_t inputs, std::span<float> weights) {
  if (format.element == BlockElement::posit16) {
    for (float& w : weights) w = posit16_of(w);
    return 2.0 * double(weights.size());
  }
  const Rounding rounding = element_rounding(format.element);
  const double tensor = format.scale == BlockScale::e4m3
                            ? std::max(double(largest_of(weights)), 1e-30) / (kMostE4m3 * kMostE2m1)
                            : 1;
  double scales = 0;
  for (size_t row = 0; row < weights.size(); row += size_t(inputs)) {
    for (int64_t first = 0; first < inputs; first += format.block) {
      const auto some = weights.subspan(row + size_t(first),
                                        size_t(std::min<int64_t>(format.block, inputs - first)));
      ++scales;
      const double high = largest_of(some);
      if (high == 0) continue;
      const double scale = scale_of(format, high, tensor);
      for (float& w : some)
        w = static_cast<float>(double(round_to(static_cast<float>(w / scale), rounding)) * scale);
    }
  }
  const double bits = format.element == BlockElement::e4m3 ? 8 : 4;
  return double(weights.size()) * bits / 8 + scales + (format.scale == BlockScale::e4m3 ? 4 : 0);
}

std::shared_ptr<const QuantNet> in_blocks(const BlockFormat& format, const QuantNet& plain) {
  auto net = std::make_shared<QuantNet>(plain);
  net->weight_bytes = 0;
  for (QuantLayer& at : net->layers) {
    if (at.layer.kind == mixed::Layer::Kind::pool) continue;
    net->weight_bytes += round_blocks(format, at.layer.inputs(), at.weights);
    net->weight_bytes += 4.0 * double(at.bias.size());
  }
  return net;
}

}  // namespace quantnet
}  // namespace ridge
