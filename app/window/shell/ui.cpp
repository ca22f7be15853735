#include "app/window/shell/ui.h"

#include <algorithm>
#include <cmath>

#include "common/view/chart/ramp.h"
#include "common/view/chart/theme.h"

namespace ridge::window {
namespace {

ImU32 pack(uint32_t rgb, float alpha) {
  const auto a = static_cast<ImU32>(std::lround(std::clamp(alpha, 0.0f, 1.0f) * 255));
  return IM_COL32((rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255, a);
}

size_t code_point_bytes(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(bytes, text.size() - at);
}

}  // namespace

float fitting_scale(float chosen, float width, float height) {
  return std::min(chosen, std::max(0.75f, std::min(width / 1000, height / 560)));
}

Area Area::take_top(float height, float gap) {
  const Area taken = {x, y, w, height};
  y += height + gap;
  h -= height + gap;
  return taken;
}
Area Area::take_bottom(float height, float gap) {
  const Area taken = {x, y + h - height, w, height};
  h -= height + gap;
  return taken;
}
Area Area::take_left(float width, float gap) {
  const Area taken = {x, y, width, h};
  x += width + gap;
  w -= width + gap;
  return taken;
}
Area Area::take_right(float width, float gap) {
  const Area taken = {x + w - width, y, width, h};
  w -= width + gap;
  return taken;
}

float Ui::px(float value) const {
  return std::round(value * scale);
}

ImU32 Ui::color(Role role, float alpha) const {
  return pack(chart::colour(role, !state.view.light_theme), alpha);
}

ImU32 Ui::shade(int step) const {
  return pack(chart::ramp_rgb(step, !state.view.light_theme), 1);
}

ImU32 Ui::raised(int step) const {
  return pack(chart::raised(step, !state.view.light_theme), 1);
}

void Ui::fill(const Area& area, ImU32 color, float radius) {
  list->AddRectFilled({area.x, area.y}, {area.right(), area.bottom()}, color, radius);
}

void Ui::frame(const Area& area, ImU32 color, float radius, float width) {
  compat::add_rect(list, {area.x, area.y}, {area.right(), area.bottom()}, color, radius, width);
}

void Ui::panel(const Area& area) {
  fill(area, color(Role::panel), px(6));
}

float Ui::width(std::string_view text, float size, Face face) {
  return fonts.width(face, px(size), text);
}

std::string Ui::elide(std::string_view text, float max_w, float size, Face face) {
  if (width(text, size, face) <= max_w) return std::string(text);
  const float room = max_w - width("…", size, face);
  size_t end = 0;
  while (end < text.size()) {
    const size_t next = end + code_point_bytes(text, end);
    if (width(text.substr(0, next), size, face) > room) break;
    end = next;
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + "…";
}

float Ui::text(float x, float y, std::string_view text, float size, Role role, Face face,
               Anchor anchor, float max_w, float alpha) {
  std::string shortened;
  if (max_w > 0) {
    shortened = elide(text, max_w, size, face);
    text = shortened;
  }
  const float w = width(text, size, face), height = px(size);
  if (anchor == Anchor::middle) x -= w / 2;
  if (anchor == Anchor::end) x -= w;
  list->AddText(fonts.get(face, height), height, {std::round(x), std::round(y - height / 2)},
                color(role, alpha), text.data(), text.data() + text.size());
  return w;
}

float Ui::paragraph(const Area& area, std::string_view text, float size, Role role, Face face,
                    bool measure) {
  const float line_h = std::round(px(size) * 1.4f);
  float y = area.y;
  while (!text.empty()) {
    size_t end = text.find('\n'), fit = 0;
    const std::string_view line = text.substr(0, end);
    if (width(line, size, face) <= area.w) {
      fit = line.size();
    } else {
      for (size_t space = line.find(' ');; space = line.find(' ', space + 1)) {
        const size_t word_end = std::min(space, line.size());
        if (fit > 0 && width(line.substr(0, word_end), size, face) > area.w) break;
        fit = word_end;
        if (space == std::string_view::npos) break;
      }
    }
    if (!measure) this->text(area.x, y + line_h / 2, line.substr(0, fit), size, role, face);
    y += line_h;
    text.remove_prefix(fit);
    while (!text.empty() && (text.front() == ' ' || (text.front() == '\n' && fit == line.size()))) {
      const bool broke = text.front() == '\n';
      text.remove_prefix(1);
      if (broke) break;
    }
  }
  return y - area.y;
}

void Ui::triangle(float x, float y, float size, bool up, ImU32 color) {
  const float half = size / 2, rise = size * 0.43f * (up ? 1.0f : -1.0f);
  list->AddTriangleFilled({x - half, y + rise}, {x + half, y + rise}, {x, y - rise}, color);
}

void apply_style(const ViewState& view, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  const bool dark = !view.light_theme;
  const auto set = [&](ImGuiCol index, Role role, float alpha) {
    style.Colors[index] = ImGui::ColorConvertU32ToFloat4(pack(chart::colour(role, dark), alpha));
  };
  // Every pixel is painted once: the canvas by glClear, panels by their own rectangle.
  set(ImGuiCol_WindowBg, Role::canvas, 0);
  set(ImGuiCol_ChildBg, Role::canvas, 0);
  set(ImGuiCol_Border, Role::grid, 0);
  set(ImGuiCol_PopupBg, Role::panel, 1);
  set(ImGuiCol_Text, Role::text, 1);
  set(ImGuiCol_ScrollbarBg, Role::canvas, 0);
  set(ImGuiCol_ScrollbarGrab, Role::muted, 0.25f);
  set(ImGuiCol_ScrollbarGrabHovered, Role::muted, 0.45f);
  set(ImGuiCol_ScrollbarGrabActive, Role::muted, 0.6f);
  set(ImGuiCol_NavHighlight, Role::series0, 0);  // panels draw their own focus ring
  style.WindowPadding = {0, 0};
  style.WindowBorderSize = style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.PopupRounding = std::round(6 * scale);
  style.ScrollbarSize = std::round(10 * scale);
  style.ScrollbarRounding = std::round(5 * scale);
  style.ItemSpacing = {0, 0};
  style.DisplaySafeAreaPadding = {0, 0};
}

void canvas_rgb(const ViewState& view, float rgb[3]) {
  const uint32_t canvas = chart::colour(Role::canvas, !view.light_theme);
  for (int i = 0; i < 3; ++i) rgb[i] = static_cast<float>((canvas >> (16 - 8 * i)) & 255) / 255.0f;
}

}  // namespace ridge::window
