#include "common/view/chart/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string_view>

namespace ridge::chart {
namespace {

// Advance widths in thousandths of the size, from the font's own horizontal metrics; 32 to 126.
constexpr std::array<uint16_t, 95> kInter = {
    265, 294, 400, 637, 643, 828, 651, 217, 378, 378, 522, 666, 288, 463, 283, 368, 646, 473, 613,
    644, 654, 620, 636, 579, 631, 636, 283, 288, 666, 666, 666, 526, 968, 700, 654, 735, 722, 603,
    586, 749, 742, 270, 552, 664, 564, 898, 747, 768, 639, 768, 645, 643, 651, 738, 700, 978, 666,
    685, 639, 378, 368, 378, 475, 460, 497, 569, 626, 568, 626, 587, 369, 617, 602, 249, 249, 556,
    249, 884, 597, 602, 617, 617, 384, 536, 372, 594, 566, 825, 551, 566, 551, 378, 342, 378, 666};
constexpr int kMono = 600;
constexpr float kSlack = 1.02f;

int advance(std::string_view sign) {
  if (sign.size() == 1) {
    const auto code = static_cast<unsigned char>(sign[0]);
    return code >= 32 && code < 127 ? kInter[code - 32] : 0;
  }
  if (sign == "\u202f") return 200;
  if (sign == "·") return 283;
  if (sign == "…") return 814;
  if (sign == "—" || sign == "▲" || sign == "▼") return 1022;
  if (sign == "→") return 955;
  return sign.size() == 2 ? 640 : 1000;  // Latin and Greek letters; everything wider
}

/// The first code point; of bytes that are none, as many as look like one.
std::string_view first_sign(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t wanted = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC0 ? 2 : 1;
  size_t length = 1;
  while (length < wanted && length < text.size() && (byte(length) & 0xC0) == 0x80) ++length;
  return text.substr(0, length);
}

/// Calls take(sign) for each code point.
template <class Take>
void for_signs(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::string_view sign = first_sign(text);
    take(sign);
    text.remove_prefix(sign.size());
  }
}

}  // namespace

std::string name_under(const std::string& heading, const std::string& name) {
  const size_t end = name.find(": ");
  const bool repeats =
      end != std::string::npos && heading.find(name.substr(0, end)) != std::string::npos;
  return repeats ? name.substr(end + 2) : name;
}

std::vector<std::string> split_code_points(const std::string& text) {
  std::vector<std::string> signs;
  for_signs(text, [&](std::string_view sign) { signs.emplace_back(sign); });
  return signs;
}

float builtin_text_width(const std::string& text, float size_px, bool mono) {
  int thousandths = 0;
  for_signs(text, [&](std::string_view sign) { thousandths += mono ? kMono : advance(sign); });
  return static_cast<float>(thousandths) * 1e-3f * size_px * kSlack;
}

float TextFit::operator()(const std::string& text) const {
  const float px = width ? width(text, size_px, mono) : builtin_text_width(text, size_px, mono);
  return bold ? px * 1.05f : px;  // Inter SemiBold against Medium
}

std::string TextFit::elide(const std::string& text, float max_px) const {
  if ((*this)(text) <= max_px) return text;
  std::vector<size_t> ends;  // bytes of the text up to and with each sign
  for_signs(text, [&](std::string_view sign) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + sign.size());
  });
  // Longer is wider: the last that fits is found by halves.
  const auto first_too_wide = std::partition_point(ends.begin(), ends.end(), [&](size_t end) {
    return (*this)(text.substr(0, end) + "…") <= max_px;
  });
  std::string best = text.substr(0, first_too_wide == ends.begin() ? 0 : *(first_too_wide - 1));
  while (!best.empty() && best.back() == ' ') best.pop_back();
  if (best.empty()) return (*this)("…") <= max_px ? "…" : "";
  return best + "…";
}

std::vector<std::string> TextFit::wrap(const std::string& text, float max_px, int max_lines) const {
  std::vector<std::string> lines;
  std::istringstream words(text);
  std::string word, line;
  while (words >> word) {
    const std::string longer = line.empty() ? word : line + " " + word;
    const bool last = static_cast<int>(lines.size()) + 1 >= max_lines;
    if (line.empty() || last || (*this)(longer) <= max_px) {
      line = longer;
      continue;
    }
    if (line.ends_with(" ·")) line.resize(line.size() - std::string(" ·").size());
    lines.push_back(line);
    line = word;
  }
  if (!line.empty()) lines.push_back(line);
  for (std::string& shown : lines) shown = elide(shown, max_px);
  return lines;
}

bool TextFit::fits(const std::string& text, float max_px, int max_lines) const {
  return wrap(text, max_px, std::numeric_limits<int>::max()).size() <=
         static_cast<size_t>(max_lines);
}

std::vector<std::string> TextFit::wrap_parts(std::string text, float max_px, int max_lines) const {
  while (!fits(text, max_px, max_lines)) {
    size_t end = 0;
    for (const std::string_view between : {" · ", "; ", ", ", ": "}) {
      const size_t at = text.rfind(between);
      // "tile: rows = 8" is the name of a setting, of which "tile" says nothing.
      const bool is_name = between == ": " && text.find(" = ", at) != std::string::npos;
      if (at != std::string::npos && !is_name) end = std::max(end, at);
    }
    if (end == 0) break;
    text.resize(end);
  }
  return wrap(text, max_px, max_lines);
}

}  // namespace ridge::chart
