// A Scene as SVG text, byte for byte the same for the same scene. Self-contained: no script, no
// external reference; colours are CSS variables, so that a page can follow its reader's theme.
#pragma once

#include <string>

#include "common/view/chart/model.h"

namespace ridge::chart {

struct SvgOptions {
  /// true: the page defines the colour variables (theme_css()); false: the SVG brings its own, light
  /// by default and in print, dark where the reader prefers it.
  bool embedded = false;
  /// Of a chart with rows and one bar in each: the bars grow from zero, one row after the other, and what a row says
  /// comes with its bar. It begins as the whole chart; where pictures do not move, or the reader wants no motion, it
  /// stays that.
  bool growing = false;
};

/// `model` gives title, description and the prefix of ids; `scene` the picture.
std::string to_svg(const ChartModel& model, const Scene& scene, const SvgOptions& options = {});
/// Layout and drawing in one step.
std::string to_svg(const ChartModel& model, const LayoutOptions& layout,
                   const SvgOptions& options = {});

/// The variables of both themes for a selector: `:root{--text:#16191D;...}` and the dark override in
/// a media query (screen only: paper is light).
std::string theme_css(const std::string& selector);
/// The rules that the classes in the SVG need; once per page.
std::string svg_css();

/// & < > " ' escaped, what XML forbids removed: control characters, U+FFFE and U+FFFF.
std::string escape_xml(const std::string& text);

}  // namespace ridge::chart
