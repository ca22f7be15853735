// Measuring, shortening and wrapping text for the layout.
#pragma once

#include <string>
#include <vector>

#include "common/view/chart/model.h"

namespace ridge::chart {

/// Widths of Inter Medium (ASCII and the signs the charts use) and of JetBrains Mono, plus 2 % for
/// the font a reader may have instead.
float builtin_text_width(const std::string& text, float size_px, bool mono);

/// Code points of UTF-8 text; a broken byte counts as one.
std::vector<std::string> split_code_points(const std::string& text);

/// "wgmma, int8" of "many rows: wgmma, int8" under the heading "GPU, many rows", which says the rest; else the name itself.
std::string name_under(const std::string& heading, const std::string& name);

struct TextFit {
  const TextWidth& width;
  float size_px = 14;
  bool mono = false, bold = false;

  float operator()(const std::string& text) const;
  /// The longest start that fits with "…" after it; the text itself where it fits; "" where not even
  /// one sign does.
  std::string elide(const std::string& text, float max_px) const;
  /// Lines broken at spaces, at most `max_lines`; the last one elided if there is more.
  std::vector<std::string> wrap(const std::string& text, float max_px, int max_lines) const;
  bool fits(const std::string& text, float max_px, int max_lines) const;
  /// The same, but a text that is too long loses whole parts from its end: what a ": " leads to, then what stands behind a
  /// "; ", a ", " or a " · ". Half a part says nothing. Only a first part that is too long is elided.
  std::vector<std::string> wrap_parts(std::string text, float max_px, int max_lines) const;
};

}  // namespace ridge::chart
