#include "app/window/shell/ui.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/platform/platform.h"
#include "app/window/shell/actions.h"
#include "common/view/chart/ramp.h"
#include "common/view/chart/theme.h"

namespace ridge::window {
namespace {

ImU32 pack(uint32_t rgb, float alpha) {
  const auto a = static_cast<ImU32>(std::lround(std::clamp(alpha, 0.0f, 1.0f) * 255));
  return IM_COL32((rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255, a);
}

constexpr float kLargeFill = 20000;  // square pixels

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
  return pack(chart::colour(role, !state.appearance.light_theme), alpha);
}

ImU32 Ui::shade(int step) const {
  return pack(chart::ramp_rgb(step, !state.appearance.light_theme), 1);
}

ImU32 Ui::raised(int step) const {
  return pack(chart::raised(step, !state.appearance.light_theme), 1);
}

void Ui::fill(const Area& area, ImU32 color, float radius) {
  const bool is_opaque = (color >> IM_COL32_A_SHIFT & 0xFF) == 0xFF;
  if (!is_opaque || area.w * area.h < kLargeFill) {
    list->AddRectFilled({area.x, area.y}, {area.right(), area.bottom()}, color, radius);
    return;
  }
  // Edges with their round corners are drawn, and what is inside of them is cleared.
  const float edge = std::ceil(radius) + 1;
  const Area inside = {std::ceil(area.x) + 1, std::ceil(area.y + edge), 0, 0};
  const float right = std::floor(area.right()) - 1, bottom = std::floor(area.bottom() - edge);
  const ImVec2 low = {area.x, area.y}, high = {area.right(), area.bottom()};
  list->AddRectFilled(low, {high.x, inside.y + 1}, color, radius, ImDrawFlags_RoundCornersTop);
  list->AddRectFilled({low.x, bottom - 1}, high, color, radius, ImDrawFlags_RoundCornersBottom);
  list->AddRectFilled({low.x, inside.y}, {inside.x + 1, bottom}, color);
  list->AddRectFilled({right - 1, inside.y}, {high.x, bottom}, color);
  clear_area(list, {inside.x, inside.y, right - inside.x, bottom - inside.y}, color);
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

float Ui::fitting_size(std::string_view text, float max_w, float most, float least, Face face) {
  const float at_most = width(text, most, face);
  if (at_most <= max_w) return most;
  // A text is as wide as it is high, but for rounding. Each height that is asked for is baked with all letters, so it is asked
  // for few.
  constexpr float kRounding = 0.98f;
  for (const float size : kFitted_px) {
    if (size < most && size > least && at_most * size <= kRounding * max_w * most) return size;
  }
  return least;
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

void Ui::note_text(std::string_view text, float height_px) {
  const bool is_smallest = smallest.px == 0 || height_px < smallest.px;
  if (is_smallest && !text.empty()) smallest = {height_px, std::string(text)};
}

float Ui::text(float x, float y, std::string_view text, float size, Role role, Face face,
               Anchor anchor, float max_w) {
  std::string shortened;
  if (max_w > 0) {
    shortened = elide(text, max_w, size, face);
    text = shortened;
  }
  const float w = width(text, size, face), height = px(size);
  note_text(text, height);
  if (anchor == Anchor::middle) x -= w / 2;
  if (anchor == Anchor::end) x -= w;
  list->AddText(fonts.get(face, height), height, {std::round(x), std::round(y - height / 2)},
                color(role), text.data(), text.data() + text.size());
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
      // A word that is wider than the place, a mangled name say, is cut: over its edge it would not be read.
      while (fit > 1 && width(line.substr(0, fit), size, face) > area.w) {
        --fit;
        while (fit > 1 && (static_cast<unsigned char>(line[fit]) & 0xC0) == 0x80) --fit;
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
  // On whole pixels: between them each way of OpenGL smooths the lower edge in its own way.
  const float half = std::round(size / 2), rise = std::round(size * 0.43f) * (up ? 1.0f : -1.0f);
  x = std::round(x), y = std::round(y);
  list->AddTriangleFilled({x - half, y + rise}, {x + half, y + rise}, {x, y - rise}, color);
}

void apply_style(const Appearance& appearance, float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  const bool dark = !appearance.light_theme;
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

void canvas_rgb(const Appearance& appearance, float rgb[3]) {
  const uint32_t canvas = chart::colour(Role::canvas, !appearance.light_theme);
  for (int i = 0; i < 3; ++i) rgb[i] = static_cast<float>((canvas >> (16 - 8 * i)) & 255) / 255.0f;
}

// ---- widgets ------------------------------------------------------------------------------------
// The widgets of ui.h. All of them are an invisible ImGui item, which gives hovering, clicking and
// the keyboard's focus, and a picture of our own.

void Ui::move_focus(bool back) {
  if (stops_.empty()) return;
  const auto at = std::find(stops_.begin(), stops_.end(), focus_);
  const auto count = std::ssize(stops_);
  auto next = at == stops_.end() || !shows_focus_ ? (back ? count - 1 : 0)
                                                  : at - stops_.begin() + (back ? -1 : 1);
  focus_ = stops_[static_cast<size_t>((next + count) % count)];
  shows_focus_ = is_focus_new_ = true;
  needs_redraw = true;
}

/// True where this is what has the focus: its place is kept for the ring, and scrolled to once.
bool Ui::takes_focus(const std::string& name, const Area& area) {
  stops_.push_back(name);
  if (!shows_focus_ || focus_ != name) return false;
  const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
  const bool is_seen = area.y >= low.y && area.bottom() <= high.y;
  if (std::exchange(is_focus_new_, false) && !is_seen) {
    ImGui::SetScrollHereY(0.5f);
    needs_redraw = true;
  }
  const float x = std::max(area.x, low.x), y = std::max(area.y, low.y);
  focus_area_ = {x, y, std::min(area.right(), high.x) - x, std::min(area.bottom(), high.y) - y};
  return true;
}

void Ui::draw_focus() {
  if (!shows_focus_ || focus_area_.w < 1 || focus_area_.h < 1) return;
  widgets["focus"] = focus_area_;
  const Area ring = focus_area_.inset(-px(2));
  compat::add_rect(ImGui::GetForegroundDrawList(), {ring.x, ring.y}, {ring.right(), ring.bottom()},
                   color(Role::text), px(6), px(2));
}

Ui::Touch Ui::touch(const std::string& name, const Area& area, bool is_stop) {
  widgets[name] = area;
  if (area.w < 1 || area.h < 1) return {};
  ImGui::SetCursorScreenPos({area.x, area.y});
  const bool clicked = ImGui::InvisibleButton(name.c_str(), {area.w, area.h});
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  if (hovered) pointed_ = area;
  const bool pressed =
      is_stop && takes_focus(name, area) && !ImGui::GetIO().WantTextInput &&
      (compat::key_pressed(compat::Key::enter) || compat::key_pressed(compat::Key::space));
  return {hovered, clicked || pressed, held};
}

bool Ui::button(const std::string& name, const Area& area, std::string_view label, Kind kind,
                bool enabled) {
  const Touch touched = touch(name, area);
  const bool lit = touched.hovered && enabled;
  if (kind == Kind::primary && enabled) {
    fill(area, color(Role::series0, lit ? 1 : 0.9f), px(5));
    primary.push_back(name);
  } else if (kind != Kind::quiet || lit) {
    fill(area, raised(lit ? 3 : enabled ? 2 : 1), px(5));
  }
  const Role role = !enabled ? Role::muted : kind == Kind::primary ? Role::canvas : Role::text;
  text(area.x + area.w / 2, area.middle(), label, kSmall_px + 1, role,
       kind == Kind::primary ? Face::strong : Face::body, Anchor::middle);
  return touched.clicked;
}

bool Ui::action_button(const char* id, const Area& area, std::string_view label, Kind kind) {
  const Action& entry = action(id);
  const std::string why = entry.blocker(state);
  const bool clicked = button(id, area, label, kind, why.empty());
  if (ImGui::IsItemHovered()) {
    std::string says = entry.title;
    if (const std::string keys = keys_here(state, entry); !keys.empty()) says += "  (" + keys + ")";
    if (!why.empty()) says += "\n" + why;
    tooltip(says);
  }
  if (clicked) dispatch_action(id);
  return clicked;
}

void Ui::dispatch_action(std::string_view id) {
  dispatch([id = std::string(id)](State& changed) { perform(changed, id); });
}

void Ui::apply_changes(State& changed) {
  for (const auto& change : std::exchange(changes_, {})) {
    change(changed);
    needs_redraw = true;
  }
}

int Ui::stepper(const std::string& name, const Area& area, const std::vector<std::string>& labels,
                int chosen) {
  fill(area, raised(1), px(5));
  int result = -1;
  const int last = static_cast<int>(labels.size()) - 1;
  Area rest = area;
  const Area less = rest.take_left(px(28)), more = rest.take_right(px(28));
  if (button(name + "-", less, "‹", Kind::quiet, chosen > 0) && chosen > 0) result = chosen - 1;
  if (button(name + "+", more, "›", Kind::quiet, chosen < last) && chosen < last)
    result = chosen + 1;
  if (chosen >= 0) {
    text(rest.x + rest.w / 2, rest.middle(),
         elide(labels[static_cast<size_t>(chosen)], rest.w, kSmall_px), kSmall_px, Role::text,
         Face::body, Anchor::middle);
  }
  return result;
}

int Ui::segments(const std::string& name, const Area& area, const std::vector<std::string>& labels,
                 int chosen) {
  float total = 0;
  std::vector<float> widths;
  for (const std::string& label : labels) widths.push_back(width(label, kSmall_px));
  for (const float w : widths) total += w;
  const float least = total + px(10) * static_cast<float>(labels.size());  // else they read as one
  if (least > area.w) return stepper(name, area, labels, chosen);
  fill(area, raised(1), px(5));
  int clicked = -1;
  const float pad = std::max(0.0f, (area.w - total) / static_cast<float>(2 * labels.size()));
  float x = area.x;
  for (size_t i = 0; i < labels.size(); ++i) {
    const Area part = {x, area.y, widths[i] + 2 * pad, area.h};
    const Touch touched = touch(name + "=" + labels[i], part);
    const bool is_chosen = static_cast<int>(i) == chosen;
    if (is_chosen)
      fill(part.inset(px(2)), raised(4), px(4));
    else if (touched.hovered)
      fill(part.inset(px(2)), raised(2), px(4));
    text(part.x + part.w / 2, part.middle(), labels[i], kSmall_px,
         is_chosen ? Role::text : Role::muted, Face::body, Anchor::middle);
    if (touched.clicked) clicked = static_cast<int>(i);
    x += part.w;
  }
  return clicked;
}

// ---- tooltips -----------------------------------------------------------------------------------

namespace {

constexpr float kNear_px = 4;  // a pointer that moved less rests
constexpr float kLargeTarget =
    160;                        // both ways: a picture or a chart, in which a point is pointed at
constexpr int kGap_frames = 2;  // without a tooltip, and it is the same walk over neighbours
constexpr int kSettling_frames = 3;  // ImGui places a new window in its second

bool are_near(ImVec2 a, ImVec2 b) {
  return std::fabs(a.x - b.x) < kNear_px && std::fabs(a.y - b.y) < kNear_px;
}

}  // namespace

void Ui::watch_hands() {
  ImGuiIO& io = ImGui::GetIO();
  const bool has_clicked = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1);
  if (has_clicked || io.WantTextInput) shows_focus_ = false;
  if (!io.WantTextInput && !io.KeyCtrl && compat::key_pressed(compat::Key::tab, true))
    move_focus(io.KeyShift);
  // What was focused may be gone: then the next Tab begins anew.
  if (std::find(stops_.begin(), stops_.end(), focus_) == stops_.end()) shows_focus_ = false;
  io.NavVisible = shows_focus_;  // Space presses it, and is no key of its own meanwhile
  stops_.clear();
  focus_area_ = {};
  // A pointer that lay where the window came up points at nothing in it.
  const bool has_come = !tip_.has_pointer && ImGui::IsMousePosValid();
  tip_.has_pointer |= has_come;
  if (has_come || has_clicked || compat::any_key_pressed() || !io.InputQueueCharacters.empty()) {
    tip_.is_hushed = true;
    tip_.hushed_at = io.MousePos;
  } else if (!are_near(io.MousePos, tip_.hushed_at)) {
    tip_.is_hushed = false;
  }
}

/// Where a box of this size stands clear of `about`: under it, over it, or at one of its sides.
Area Ui::beside(const Area& about, float w, float h) const {
  const float gap = px(6), mouse_x = ImGui::GetIO().MousePos.x;
  const float x = std::clamp(mouse_x - px(16), 0.0f, std::max(0.0f, window.right() - w));
  if (about.bottom() + gap + h <= window.bottom()) return {x, about.bottom() + gap, w, h};
  if (about.y - gap - h >= 0) return {x, about.y - gap - h, w, h};
  const float y = std::clamp(about.middle() - h / 2, 0.0f, std::max(0.0f, window.bottom() - h));
  const bool has_room = about.right() + gap + w <= window.right();
  return {has_room ? about.right() + gap : std::max(0.0f, about.x - gap - w), y, w, h};
}

void Ui::tooltip(std::string_view text, const Area* about) {
  if (text.empty()) return;
  const int frame = ImGui::GetFrameCount();
  const double now_s = ImGui::GetTime();
  const bool goes_on = frame - tip_.frame <= kGap_frames;
  if (!goes_on) tip_.is_shown = false;
  if (!goes_on || (!tip_.is_shown && tip_.text != text)) tip_.since_s = now_s;
  tip_.text = text;
  tip_.frame = frame;
  const double left_s = kTooltip_s - (now_s - tip_.since_s);
  if (tip_.is_hushed) tip_.is_shown = false;
  if (tip_.is_hushed || (!tip_.is_shown && left_s > 0)) {
    if (!tip_.is_hushed) wake_in(std::max(0.01, left_s));
    tip_.shown_frames = 0;
    return;
  }
  tip_.is_shown = true;
  if (++tip_.shown_frames < kSettling_frames) needs_redraw = true;

  const float pad = px(10), most = px(440);
  float widest = 0;
  for (size_t from = 0; from <= text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    widest = std::max(widest, width(text.substr(from, end - from), kSmall_px));
    from = end + 1;
  }
  const float w = std::min(most, widest + 1);
  const float h = paragraph({0, 0, w, 0}, text, kSmall_px, Role::text, Face::body, true);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  Area target = about ? *about : pointed_;
  const bool is_large = target.w > px(kLargeTarget) && target.h > px(kLargeTarget);
  const float around = px(16);
  if (is_large) target = {mouse.x - around, mouse.y - around, 2 * around, 2 * around};
  const Area box = beside(target, w + 2 * pad, h + 2 * pad);
  widgets["tooltip"] = box;
  ImGui::SetNextWindowPos({box.x, box.y});
  ImGui::SetNextWindowSize({box.w, box.h});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, raised(2));
  ImGui::BeginTooltip();
  ImDrawList* outer = list;
  list = ImGui::GetWindowDrawList();
  paragraph({box.x + pad, box.y + pad, w, h}, text, kSmall_px, Role::text);
  list = outer;
  ImGui::EndTooltip();
  ImGui::PopStyleColor();
}

}  // namespace ridge::window
