// The colour tokens: one row per role, one column per theme. Nothing else in the project names a
// colour; the window reads them as numbers and SVG as CSS variables.
#pragma once

#include <array>
#include <cstdint>

#include "common/chart/model.h"

namespace ridge::chart {

struct RoleColour {
  Role role;
  const char* name;              ///< the CSS variable without dashes: "series0"
  uint32_t dark_rgb, light_rgb;  ///< 0xRRGGBB
};

/// In the order of Role. Text on a filled bar takes `canvas`: it contrasts with every series in
/// both themes (4.5:1 for text, except series2 and series3 in light, which carry large bars only).
inline constexpr std::array<RoleColour, 15> kTheme = {{
    {Role::text, "text", 0xE8EAED, 0x16191D},
    {Role::muted, "muted", 0xA8B0BA, 0x4D5661},
    {Role::grid, "grid", 0x343B45, 0xD5DAE0},
    {Role::panel, "panel", 0x1C2027, 0xF4F6F8},
    {Role::canvas, "canvas", 0x14171C, 0xFFFFFF},
    {Role::baseline, "baseline", 0xA8B0BA, 0x6B7480},
    {Role::faster, "faster", 0x4CA6FF, 0x005FB8},
    {Role::slower, "slower", 0xFF8A3D, 0xB34700},
    {Role::limit, "limit", 0xFF8A3D, 0xB34700},
    {Role::highlight, "highlight", 0x2D3252, 0xE4E6FA},
    {Role::series0, "series0", 0x747DF8, 0x2B1E6D},
    {Role::series1, "series1", 0xE25B83, 0x6B0621},
    {Role::series2, "series2", 0xBF9705, 0x437DFD},
    {Role::series3, "series3", 0x74F2FD, 0xE4563A},
    {Role::series4, "series4", 0xDBF3A2, 0xBF75A2},
}};

constexpr uint32_t colour(Role role, bool dark) {
  const RoleColour& entry = kTheme[static_cast<size_t>(role)];
  return dark ? entry.dark_rgb : entry.light_rgb;
}

}  // namespace ridge::chart
