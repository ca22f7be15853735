// The colour tokens: one row per role, one column per theme. Nothing else in the project names a
// colour; the window reads them as numbers and SVG as CSS variables.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "common/view/chart/model.h"

namespace ridge::chart {

struct RoleColour {
  Role role;
  const char* name;              ///< the CSS variable without dashes: "series0"
  uint32_t dark_rgb, light_rgb;  ///< 0xRRGGBB
};

/// In the order of Role. tests/theme_test.cpp holds them to WCAG 2.1 contrast and to a distance under
/// three kinds of colour blindness; docs/ui.md says which role may carry text on which surface.
inline constexpr std::array<RoleColour, 15> kTheme = {{
    {Role::text, "text", 0xE8EAED, 0x16191D},
    {Role::muted, "muted", 0xA8B0BA, 0x4D5661},
    {Role::grid, "grid", 0x343B45, 0xD5DAE0},
    {Role::panel, "panel", 0x1C2027, 0xF4F6F8},
    {Role::canvas, "canvas", 0x14171C, 0xFFFFFF},
    {Role::baseline, "baseline", 0xA8B0BA, 0x6B7480},
    {Role::faster, "faster", 0x4CA6FF, 0x005FB8},
    {Role::slower, "slower", 0xFF8A3D, 0xAC4400},
    {Role::limit, "limit", 0xFF8A3D, 0xAC4400},
    {Role::highlight, "highlight", 0x20264D, 0xE4E6FA},
    {Role::series0, "series0", 0x7D86FB, 0x2B1E6D},
    {Role::series1, "series1", 0xE9628F, 0x6B0621},
    {Role::series2, "series2", 0xAD8A00, 0x336EF0},
    {Role::series3, "series3", 0x74F2FD, 0xE4563A},
    {Role::series4, "series4", 0xDBF3A2, 0xBF75A2},
}};

constexpr uint32_t colour(Role role, bool dark) {
  const RoleColour& entry = kTheme[static_cast<size_t>(role)];
  return dark ? entry.dark_rgb : entry.light_rgb;
}

/// Each of R, G, B a `share` of the way from one colour to the other.
inline uint32_t mix(uint32_t from_rgb, uint32_t to_rgb, float share) {
  uint32_t mixed = 0;
  for (const int shift : {16, 8, 0}) {
    const float a = static_cast<float>((from_rgb >> shift) & 255),
                b = static_cast<float>((to_rgb >> shift) & 255);
    mixed |= static_cast<uint32_t>(std::lround(a + (b - a) * share)) << shift;
  }
  return mixed;
}

/// A surface raised over the panel (buttons, chips) by `step` 1 to 4.
inline uint32_t raised(int step, bool dark) {
  return mix(colour(Role::panel, dark), colour(Role::text, dark),
             0.055f * static_cast<float>(step));
}

/// Share of a role in the ground of a line or a badge that speaks in it: code and words are still read on it.
inline constexpr float kTint = 0.08f;

}  // namespace ridge::chart
