#include "app/window/panels/widgets.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "app/window/teach/study.h"

namespace ridge::window {
namespace {

bool is_reason(const std::string& cell) {
  return cell.starts_with("unavailable");
}

std::vector<float> column_widths(Ui& ui, const std::vector<std::string>& columns,
                                 const std::vector<std::vector<std::string>>& rows, float room) {
  std::vector<float> widths(columns.size(), ui.px(48));
  const auto widen = [&](size_t column, const std::string& cell) {
    if (column < widths.size())
      widths[column] = std::max(widths[column], ui.width(cell, kSmall_px - 1) + ui.px(20));
  };
  for (size_t i = 0; i < columns.size(); ++i) widen(i, columns[i]);
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const bool spans = is_reason(row[i]) && i + 1 < row.size() && row[i + 1].empty();
      if (!spans) widen(i, row[i]);
    }
  }
  // The narrow columns keep what they need; the wide ones share what is left.
  float total = 0;
  for (const float w : widths) total += w;
  const float fair = room / static_cast<float>(std::max<size_t>(1, widths.size()));
  if (total > room) {
    float fixed = 0, wide = 0;
    for (const float w : widths) (w <= fair ? fixed : wide) += w;
    for (float& w : widths) {
      if (w > fair) w *= (room - fixed) / wide;
    }
  }
  return widths;
}

/// What the figures of a column are, where its heading is hovered.
void explain_heads(Ui& ui, const Scroll& page, const std::vector<std::string>& columns,
                   const std::vector<float>& widths) {
  float x = page.rest.x;
  for (size_t i = 0; i < columns.size(); x += widths[i++]) {
    const Area head = {x, page.rest.y, widths[i], ui.px(26)};
    const std::string metric = metric_of_title(columns[i]);
    if (!metric.empty() && page.sees(head))
      explain(ui, fmt::format("report_head:{}:{:.0f}", i, page.rest.y), head, metric_text(metric));
  }
}

}  // namespace

void draw_table(Ui& ui, Scroll* page, const std::vector<std::string>& columns,
                const std::vector<std::vector<std::string>>& rows) {
  const auto widths = column_widths(ui, columns, rows, page->rest.w);
  const auto draw_row = [&](const std::vector<std::string>& row, Role role, Face face) {
    // Twice: for its height, then for good.
    float height = ui.px(26);
    for (const bool measure : {true, false}) {
      const Area line = {page->rest.x, page->rest.y, page->rest.w, height};
      if (!measure && !page->sees(line)) break;
      float x = line.x;
      for (size_t i = 0; i < row.size() && i < widths.size(); ++i) {
        float w = widths[i];
        for (size_t next = i + 1; is_reason(row[i]) && next < row.size() && row[next].empty();
             ++next)
          w += widths[next];
        const Role cell_role = is_reason(row[i]) ? Role::muted : role;
        if (row[i].empty()) {
          x += widths[i];
          continue;
        }
        const float h = ui.paragraph({x, line.y + ui.px(3), w - ui.px(16), 0}, row[i],
                                     kSmall_px - 1, cell_role, face, measure);
        if (measure) height = std::max(height, h + ui.px(6));
        x += widths[i];
      }
      if (!measure) {
        ui.list->AddLine({line.x, line.bottom() - 0.5f}, {line.right(), line.bottom() - 0.5f},
                         ui.color(Role::grid));
      }
    }
    page->rest.take_top(height);
  };
  explain_heads(ui, *page, columns, widths);
  draw_row(columns, Role::muted, Face::strong);
  for (const auto& row : rows) draw_row(row, Role::text, Face::body);
  page->rest.take_top(ui.px(14));
}

void draw_empty_state(Ui& ui, const Area& area, std::string_view sentence, std::string_view next,
                      float indent) {
  ui.empty = sentence;
  // In a wide place the sentence stands in the middle, as draw_nothing() has it.
  const float room = area.w - 2 * indent, w = std::min(room, ui.px(520));
  const float x = area.x + indent + (room - w) / 2;
  const float head_h =
      ui.paragraph({x, 0, w, 0}, sentence, kBody_px, Role::text, Face::strong, true);
  const float next_h = ui.paragraph({x, 0, w, 0}, next, kSmall_px, Role::muted, Face::body, true);
  const float total = head_h + ui.px(6) + next_h;
  // A little above the middle of a tall place, where the eye rests.
  const float y =
      area.h > 0 ? area.y + std::max(0.0f, (area.h - total) * 0.4f) : area.y + ui.px(24);
  ui.paragraph({x, y, w, 0}, sentence, kBody_px, Role::text, Face::strong);
  ui.paragraph({x, y + head_h + ui.px(6), w, 0}, next, kSmall_px, Role::muted);
}

void explain(Ui& ui, const std::string& name, const Area& area, std::string_view text) {
  if (ui.hovers(name, area)) ui.tooltip(text);
}

void draw_terms(Ui& ui, Area* rest, const std::vector<std::string>& terms) {
  if (terms.empty()) return;
  const float h = ui.px(30), gap = ui.px(8);
  Area row = rest->take_top(h, gap);
  const auto& glossary = study_glossary();
  for (const std::string& name : terms) {
    const float w = ui.width(name, kSmall_px) + ui.px(24);
    if (w > row.w && row.x > rest->x) row = rest->take_top(h, gap);
    const Area place = row.take_left(w, gap);
    const auto touched = ui.touch("see:" + name, place);
    ui.fill(place, ui.raised(touched.hovered ? 3 : 2), h / 2);
    ui.text(place.x + place.w / 2, place.middle(), name, kSmall_px, Role::text, Face::body,
            Anchor::middle);
    const study::Term* term = glossary ? glossary->find(name) : nullptr;
    if (touched.hovered && term) ui.tooltip(plain_text(*term));
    if (touched.clicked) ui.dispatch([name](State& state) { open_term(state, name); });
  }
}

void draw_fold_mark(Ui& ui, float x, float y, float size, bool open, chart::Role role) {
  const float half = size / 2, rise = size * 0.43f;
  const ImU32 color = ui.color(role);
  if (open)
    ui.list->AddTriangleFilled({x - half, y - rise}, {x + half, y - rise}, {x, y + rise}, color);
  else
    ui.list->AddTriangleFilled({x - rise, y - half}, {x + rise, y}, {x - rise, y + half}, color);
}

std::string whole_parts(Ui& ui, std::string text, float width) {
  constexpr std::string_view kBetween = "·";
  while (ui.width(text, kSmall_px) > width) {
    const size_t last = text.rfind(kBetween);
    if (last == std::string::npos) return "";
    text.erase(text.find_last_not_of(' ', last - 1) + 1);
  }
  return text;
}

std::string sentence_of(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string fitting_parts(Ui& ui, std::string words, float size, float width, const char* rest) {
  std::string shown = words;
  while (ui.width(shown, size) > width) {
    const size_t end = words.rfind(", ");
    if (end == std::string::npos) break;
    words.resize(end);
    shown = words + rest;
  }
  return shown;
}

void text_line(Ui& ui, const char* name, Area line, const char* label, const std::string& text,
               const char* hint, std::function<void(State&, const std::string&)> take) {
  constexpr size_t kMostBytes = 4096;
  const float label_w = std::max(ui.px(92), ui.width(label, kSmall_px) + ui.px(12));
  const Area head = line.take_left(label_w);
  ui.text(head.x, head.middle(), label, kSmall_px, Role::muted);
  std::vector<char> buffer(kMostBytes);
  snprintf(buffer.data(), buffer.size(), "%s", text.c_str());
  ImGui::SetCursorScreenPos({line.x, line.y});
  ImGui::SetNextItemWidth(line.w);
  // A hint that has no room is its first words alone, rather than cut.
  const std::string shown = fitting_parts(ui, hint, kSmall_px, line.w - ui.px(16));
  const float size = ui.px(kSmall_px);
  compat::push_font(ui.fonts.get(Face::body, size), size);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {ui.px(8), (line.h - ImGui::GetTextLineHeight()) / 2});
  ImGui::PushStyleColor(ImGuiCol_FrameBg, ui.raised(1));
  ImGui::PushStyleColor(ImGuiCol_Text, ui.color(Role::text));
  ImGui::PushStyleColor(ImGuiCol_TextDisabled, ui.color(Role::muted));
  const bool entered =
      ImGui::InputTextWithHint((std::string("##") + name).c_str(), shown.c_str(), buffer.data(),
                               buffer.size(), ImGuiInputTextFlags_EnterReturnsTrue);
  const bool is_active = ImGui::IsItemActive();
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ui.widgets[name] = line;
  ui.widgets[std::string(name) + ":hint"] = {line.x + ui.px(8), line.y, ui.width(shown, kSmall_px),
                                             line.h};
  // ImGui gives the text of a field up with the focus, and a button that is drawn before it takes that first.
  const Typing& typing = ui.state.typing;
  const bool is_here = typing.field == name;
  const std::string typed = buffer.data();
  if (entered || (is_active && typed != (is_here ? typing.text : text)))
    ui.dispatch([now = Typing{name, typed, std::move(take)}](State& state) { state.typing = now; });
  else if (is_here && !is_active && compat::key_pressed(compat::Key::escape))
    ui.dispatch([](State& state) { state.typing = {}; });
  if (entered || (is_here && !is_active)) ui.dispatch(finish_typing);
}

}  // namespace ridge::window
