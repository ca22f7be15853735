// The learner's file in the source tab: a plain editor with line numbers, and what the compiler said
// beside the line that it said it of.
#include <algorithm>
#include <utility>

#include "app/window/edit/editing.h"
#include "app/window/panels/panels.h"
#include "app/window/shell/actions.h"

namespace ridge::window {
namespace {

/// What the text field tells while it has the keyboard.
struct Field {
  std::string* text;
  int cursor = -1;
};

int listen(ImGuiInputTextCallbackData* data) {
  auto* field = static_cast<Field*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    field->text->resize(static_cast<size_t>(data->BufTextLen));
    data->Buf = field->text->data();
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways) {
    field->cursor = data->CursorPos;
  }
  return 0;
}

/// The line of the cursor stays in view: the field is as high as its text, and the panel scrolls.
void follow_cursor(const Field& field, int* last_line, float top, float line_h) {
  if (field.cursor < 0) return;
  const auto end =
      field.text->begin() + std::min<std::ptrdiff_t>(field.cursor, std::ssize(*field.text));
  const int line = static_cast<int>(std::count(field.text->begin(), end, '\n'));
  if (line == std::exchange(*last_line, line)) return;
  const float y = top + line_h * static_cast<float>(line) - ImGui::GetWindowPos().y;
  if (y < line_h * 4) ImGui::SetScrollY(ImGui::GetScrollY() + y - line_h * 4);
  const float bottom = ImGui::GetWindowHeight() - line_h * 2;
  if (y > bottom) ImGui::SetScrollY(ImGui::GetScrollY() + y - bottom);
}

}  // namespace

void SourceTab::draw_editor(Ui& ui, float top) {
  Editing& editing = *ui.state.editing;
  // It scrolls on its own: under what stands above, a text field would take the clicks meant for that.
  const ImVec2 corner = ImGui::GetWindowPos();
  ImGui::SetCursorScreenPos({corner.x, corner.y + top});
  ImGui::BeginChild("editor_body", {ImGui::GetWindowWidth(), ImGui::GetWindowHeight() - top}, false,
                    ImGuiWindowFlags_HorizontalScrollbar);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Area area = {at.x, at.y, ImGui::GetWindowWidth() - ui.px(16), ImGui::GetWindowHeight()};
  const Area title = area.take_top(ui.px(30));
  ui.text(title.x, title.middle() - ui.px(3),
          (editing.is_unsaved() ? "not saved  ·  " : "") + editing.watch.path(), kTiny_px + 1,
          Role::muted, Face::mono, Anchor::start, title.w);
  const float line_h = ui.px(kCode_px);
  compat::push_font(ui.fonts.get(Face::mono, line_h), line_h);
  const float row_h = ImGui::GetTextLineHeight();
  const float column = ImGui::CalcTextSize("0000000000000000000000000000000000000000").x / 40;
  const auto lines = split_lines(editing.text);
  size_t longest = 0;
  for (const std::string_view line : lines) longest = std::max(longest, line.size());
  const float gutter = column * 4.5f;
  const auto count = static_cast<float>(lines.size() + 2);
  const EditBuild* build = editing.text == editing.built ? last_build(ui.state) : nullptr;
  std::vector<const CompileMessage*> first(lines.size() + 1);
  for (size_t i = build ? build->messages.size() : 0; i-- > 0;) {
    const CompileMessage& message = build->messages[i];
    if (message.line > 0 && static_cast<size_t>(message.line) <= lines.size())
      first[static_cast<size_t>(message.line) - 1] = &message;
  }
  float widest = static_cast<float>(longest + 4) * column;
  for (size_t i = 0; i < lines.size(); ++i) {
    const float y = area.y + row_h * static_cast<float>(i);
    if (first[i]) {
      const bool is_error = first[i]->kind == "error";
      const Area mark = {area.x, y, std::max(area.w, gutter + widest), row_h};
      ui.fill(mark, ui.color(is_error ? Role::slower : Role::series0, 0.16f));
      ui.widgets["message_" + std::to_string(i + 1)] = mark;
      const float x = area.x + gutter + column * static_cast<float>(lines[i].size() + 2);
      ui.text(x, y + row_h / 2, first[i]->text, kTiny_px, is_error ? Role::slower : Role::muted);
      widest = std::max(widest, x - area.x - gutter + ui.width(first[i]->text, kTiny_px));
    }
    ui.text(area.x + gutter - column, y + row_h / 2, std::to_string(i + 1), kTiny_px - 1,
            first[i] ? Role::slower : Role::muted, Face::mono, Anchor::end);
  }
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, ui.color(Role::text));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::SetCursorScreenPos({area.x + gutter, area.y});
  Field field{&editing.text};
  const ImVec2 size = {std::max(area.w - gutter, widest), row_h * count};
  ImGui::PushID(editing.texts);  // another text from outside: the field must not hold on to its own
  const bool changed = ImGui::InputTextMultiline(
      "##editor", editing.text.data(), editing.text.capacity() + 1, size,
      ImGuiInputTextFlags_AllowTabInput | ImGuiInputTextFlags_CallbackResize |
          ImGuiInputTextFlags_CallbackAlways,
      listen, &field);
  ImGui::PopID();
  ui.widgets["editor"] = {area.x + gutter, area.y, size.x, size.y};
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(3);
  ImGui::PopFont();
  follow_cursor(field, &cursor_line_, area.y, row_h);
  ImGui::EndChild();
  ui.list = outer;
  if (changed) ui.needs_redraw = true;
  ui.wake_in(0.1);  // the file is looked at: another editor may save it
}

}  // namespace ridge::window
