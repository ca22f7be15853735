// The colours of values: one hue from faint to strong, its steps even to the eye. Made of the theme's
// panel, first series and text: lightness goes in equal steps of OKLab (Björn Ottosson, "A perceptual
// color space for image processing", 2020), hue is the series'. Strong is dark on a light page and light
// on a dark one, so that an empty place and a small value look alike in both.
#pragma once

#include <cstdint>

#include "common/view/chart/model.h"

namespace ridge::chart {

/// More steps than these the eye does not find again in the scale.
inline constexpr int kRampSteps = 12;

/// 0xRRGGBB of a step, 0 to kRampSteps - 1.
uint32_t ramp_rgb(int step, bool dark);
/// What text on a step is drawn in: at least 4:1 against it, in both themes.
Role ramp_text(int step);
/// The step of a value on the axis of a plot's cells; beyond its ends the first or the last.
int ramp_step(const Axis& axis, double value);
/// WCAG 2's ratio of luminances, 1 to 21.
double contrast(uint32_t rgb, uint32_t other_rgb);
/// OKLab's lightness, 0 to 1.
double lightness(uint32_t rgb);

}  // namespace ridge::chart
