// The colour tokens, held to numbers: WCAG 2.1 contrast, and a perceptual distance that is left to
// eyes without one of the three kinds of cones. docs/ui.md has the rules in words.
//
// Contrast: relative luminance and ratio of WCAG 2.1 (success criteria 1.4.3 and 1.4.11). Colour
// blindness: the matrices for a severity of 1.0 of Machado, Oliveira and Fernandes, "A
// Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15 (6), 2009, in
// linear RGB. Distance: Euclidean in OKLab (Ottosson, "A perceptual color space for image
// processing", 2020), where 0.02 is about the least difference that is seen side by side.
#include <algorithm>
#include <cmath>

#include "common/view/chart/theme.h"
#include "tests/catch.h"

using namespace ridge;
using chart::Role;

namespace {

using Rgb = std::array<double, 3>;  // linear light, 0 to 1

Rgb linear(uint32_t rgb) {
  Rgb made{};
  for (size_t i = 0; i < 3; ++i) {
    const double c = static_cast<double>((rgb >> (16 - 8 * i)) & 255) / 255;
    made[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return made;
}

Rgb times(const std::array<Rgb, 3>& matrix, const Rgb& v) {
  Rgb made{};
  for (size_t i = 0; i < 3; ++i)
    made[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
  return made;
}

double contrast(uint32_t a, uint32_t b) {
  const auto luminance = [](uint32_t rgb) {
    const Rgb v = linear(rgb);
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
  };
  const double one = luminance(a), other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

struct Eye {
  const char* name;
  std::array<Rgb, 3> matrix;
};
constexpr Eye kEyes[] = {
    {"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868},
       {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}},
};

Rgb oklab(const Rgb& v) {
  Rgb cones = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                      {0.2119034982, 0.6806995451, 0.1073969566},
                      {0.0883024619, 0.2817188376, 0.6299787005}}},
                    v);
  for (double& c : cones) c = std::cbrt(c);
  return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                 {1.9779984951, -2.4285922050, 0.4505937099},
                 {0.0259040371, 0.7827717662, -0.8086757660}}},
               cones);
}

double distance(uint32_t a, uint32_t b, const Eye& eye) {
  const auto seen = [&](uint32_t rgb) {
    Rgb v = times(eye.matrix, linear(rgb));
    for (double& c : v) c = std::clamp(c, 0.0, 1.0);
    return oklab(v);
  };
  const Rgb one = seen(a), other = seen(b);
  return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

const char* name(Role role) {
  return chart::kTheme[static_cast<size_t>(role)].name;
}

constexpr Role kSeries[] = {Role::series0, Role::series1, Role::series2, Role::series3,
                            Role::series4};

/// Every surface that a role stands on, in one theme.
void check_contrast(Role role, std::initializer_list<Role> surfaces, int raised, double least,
                    bool dark) {
  const uint32_t rgb = chart::colour(role, dark);
  for (const Role surface : surfaces) {
    INFO((dark ? "dark: " : "light: ") << name(role) << " on " << name(surface));
    CHECK(contrast(rgb, chart::colour(surface, dark)) >= least);
  }
  for (int step = 1; step <= raised; ++step) {
    INFO((dark ? "dark: " : "light: ") << name(role) << " on raised " << step);
    CHECK(contrast(rgb, chart::raised(step, dark)) >= least);
  }
}

void check_apart(Role a, Role b, double least, bool dark) {
  for (const Eye& eye : kEyes) {
    INFO((dark ? "dark, " : "light, ") << eye.name << ": " << name(a) << " and " << name(b));
    CHECK(distance(chart::colour(a, dark), chart::colour(b, dark), eye) >= least);
  }
}

}  // namespace

TEST_CASE("the figures of the method itself", "[theme]") {
  CHECK(contrast(0x000000, 0xFFFFFF) == Approx(21.0));
  CHECK(contrast(0x777777, 0xFFFFFF) == Approx(4.48).margin(0.005));
  const Rgb white = oklab({1, 1, 1});
  CHECK(white[0] == Approx(1.0).margin(1e-4));
  CHECK(std::hypot(white[1], white[2]) < 1e-4);
  // A grey is a grey to every eye; red and green of one lightness are nearly one to two of them.
  for (const Eye& eye : kEyes) CHECK(distance(0x808080, 0x000000, eye) == Approx(0.6).margin(0.01));
  CHECK(distance(0xC00000, 0x006800, kEyes[0]) > 0.25);
  CHECK(distance(0xB02020, 0x6A6A00, kEyes[2]) < 0.5 * distance(0xB02020, 0x6A6A00, kEyes[0]));
}

TEST_CASE("the table is in the order of the roles", "[theme]") {
  for (size_t i = 0; i < chart::kTheme.size(); ++i)
    CHECK(chart::kTheme[i].role == static_cast<Role>(i));
}

TEST_CASE("text is read on every surface it stands on, 4.5 to 1", "[theme]") {
  for (const bool dark : {true, false}) {
    const auto everywhere = {Role::canvas, Role::panel, Role::highlight};
    check_contrast(Role::text, everywhere, 4, 4.5, dark);
    check_contrast(Role::muted, everywhere, 3, 4.5, dark);
    // Links, verdicts, warnings; and code, whose numbers and strings stand on no raised surface.
    for (const Role role : {Role::series0, Role::faster, Role::slower, Role::limit})
      check_contrast(role, everywhere, 1, 4.5, dark);
    check_contrast(Role::series1, everywhere, 0, 4.5, dark);
  }
}

TEST_CASE("code and words are read on a tinted line, 4.5 to 1", "[theme]") {
  for (const bool dark : {true, false}) {
    for (const Role tint : {Role::faster, Role::slower}) {
      const uint32_t ground =
          chart::mix(chart::colour(Role::panel, dark), chart::colour(tint, dark), chart::kTint);
      for (const Role role :
           {Role::text, Role::muted, Role::series0, Role::series1, Role::faster, Role::slower}) {
        INFO((dark ? "dark: " : "light: ") << name(role) << " on a line of " << name(tint));
        CHECK(contrast(chart::colour(role, dark), ground) >= 4.5);
      }
    }
  }
}

TEST_CASE("a label inside a bar and on a button is read on its fill", "[theme]") {
  for (const bool dark : {true, false}) {
    const uint32_t canvas = chart::colour(Role::canvas, dark);
    for (const Role fill : {Role::series0, Role::series1, Role::series2, Role::baseline}) {
      INFO((dark ? "dark: " : "light: ") << name(fill));
      CHECK(contrast(canvas, chart::colour(fill, dark)) >= 4.5);
    }
    // The primary button, not hovered: nine tenths of it over the panel (ui.cpp).
    const uint32_t button =
        chart::mix(chart::colour(Role::panel, dark), chart::colour(Role::series0, dark), 0.9f);
    CHECK(contrast(canvas, button) >= 4.5);
  }
}

TEST_CASE("marks stand out from canvas and panel, 3 to 1", "[theme]") {
  for (const bool dark : {true, false}) {
    for (const Role role : kSeries) check_contrast(role, {Role::canvas, Role::panel}, 0, 3, dark);
    check_contrast(Role::baseline, {Role::canvas, Role::panel}, 0, 3, dark);
  }
}

TEST_CASE("colours that stand side by side stay apart without one kind of cone", "[theme]") {
  for (const bool dark : {true, false}) {
    // Verdicts: ten times what is just seen. Beside them ▲ or ▼, and the word.
    check_apart(Role::faster, Role::slower, 0.20, dark);
    check_apart(Role::faster, Role::baseline, 0.07, dark);
    check_apart(Role::slower, Role::baseline, 0.07, dark);
    for (size_t i = 0; i < std::size(kSeries); ++i) {
      for (size_t j = i + 1; j < std::size(kSeries); ++j)
        check_apart(kSeries[i], kSeries[j], 0.10, dark);
      // Grey and dashed is the baseline; a gate is a line with its name on it.
      check_apart(kSeries[i], Role::baseline, 0.06, dark);
      check_apart(kSeries[i], Role::limit, 0.05, dark);
    }
  }
}
