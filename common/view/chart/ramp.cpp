#include "common/view/chart/ramp.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/view/chart/theme.h"

namespace ridge::chart {
namespace {

struct Lab {
  double l = 0, a = 0, b = 0;
};

double to_linear(double part) {
  return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
}

double to_display(double part) {
  return part <= 0.0031308 ? part * 12.92 : 1.055 * std::pow(part, 1 / 2.4) - 0.055;
}

std::array<double, 3> linear_of(uint32_t rgb) {
  std::array<double, 3> parts{};
  for (int i = 0; i < 3; ++i) parts[size_t(i)] = to_linear(((rgb >> (16 - 8 * i)) & 255) / 255.0);
  return parts;
}

/// The matrices of Ottosson's paper.
Lab lab_of(uint32_t rgb) {
  const auto [r, g, b] = linear_of(rgb);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

std::array<double, 3> linear_of(const Lab& lab) {
  const double l = std::pow(lab.l + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3);
  const double m = std::pow(lab.l - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3);
  const double s = std::pow(lab.l - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool is_shown(const std::array<double, 3>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [](double part) { return part >= -1e-4 && part <= 1 + 1e-4; });
}

double luminance(uint32_t rgb) {
  const auto [r, g, b] = linear_of(rgb);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

}  // namespace

uint32_t ramp_rgb(int step, bool dark) {
  const Lab series = lab_of(colour(Role::series0, dark));
  const double panel = lab_of(colour(Role::panel, dark)).l;
  const double from = panel + (dark ? 0.05 : -0.05), to = dark ? 0.88 : series.l;
  const double t = std::clamp(step, 0, kRampSteps - 1) / double(kRampSteps - 1);
  Lab lab{from + (to - from) * t, series.a, series.b};
  // The faint end is nearly grey, and no colour is asked for that a display does not have.
  const double most = std::min(1.0, 0.25 + 1.5 * t);
  std::array<double, 3> parts{};
  for (double chroma = most; chroma >= 0; chroma -= 0.02) {
    parts = linear_of(Lab{lab.l, series.a * chroma, series.b * chroma});
    if (is_shown(parts)) break;
  }
  uint32_t rgb = 0;
  for (const double part : parts) {
    const double shown = to_display(std::clamp(part, 0.0, 1.0));
    rgb = rgb << 8 | static_cast<uint32_t>(std::lround(shown * 255));
  }
  return rgb;
}

Role ramp_text(int step) {
  return step < kRampSteps / 2 ? Role::text : Role::canvas;
}

int ramp_step(const Axis& axis, double value) {
  const AxisPlace place{axis.low, axis.high, 0, static_cast<float>(kRampSteps),
                        axis.scale == Scale::log};
  const bool flat = !(axis.low < axis.high);  // all values alike: strong
  return flat ? kRampSteps - 1 : std::clamp(int(place.px(value)), 0, kRampSteps - 1);
}

double contrast(uint32_t rgb, uint32_t other_rgb) {
  const double a = luminance(rgb) + 0.05, b = luminance(other_rgb) + 0.05;
  return std::max(a, b) / std::min(a, b);
}

double lightness(uint32_t rgb) {
  return lab_of(rgb).l;
}

}  // namespace ridge::chart
