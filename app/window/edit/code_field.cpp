#include "app/window/edit/code_field.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/query/diff.h"
#include "app/window/panels/code_text.h"

namespace ridge::window {
namespace {

/// ImGui's field has lines as high as its letters: larger ones than in the source tab, whose lines stand apart.
constexpr float kField_px = 18;

/// What the text field tells while it has the keyboard.
struct Heard {
  std::string* text;
  int cursor = -1;
  bool tab = false, line = false;
};

int listen(ImGuiInputTextCallbackData* data) {
  auto* heard = static_cast<Heard*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    heard->text->resize(static_cast<size_t>(data->BufTextLen));
    data->Buf = heard->text->data();
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways) {
    heard->cursor = data->CursorPos;
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackCharFilter) {
    // A pasted text keeps its own: there the key is not down.
    const ImGuiIO& io = ImGui::GetIO();
    const bool pastes = io.KeyCtrl || io.KeyShift;
    if (data->EventChar == '\t' && !pastes) data->EventChar = ' ', heard->tab = true;
    if (data->EventChar == '\n' && !pastes) heard->line = true;
  }
  return 0;
}

/// Of the line that the byte at `cursor` stands in: where it begins.
size_t line_begin(const std::string& text, size_t cursor) {
  const size_t before = cursor == 0 ? std::string::npos : text.rfind('\n', cursor - 1);
  return before == std::string::npos ? 0 : before + 1;
}

struct Place {
  int line = 0;  ///< from 0
  float columns = 0;
};

Place place_of(const std::string& text, int cursor) {
  const auto at = std::min(static_cast<size_t>(std::max(cursor, 0)), text.size());
  const size_t begin = line_begin(text, at);
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(begin);
  return {static_cast<int>(std::count(text.begin(), end, '\n')),
          static_cast<float>(code_columns(std::string_view(text).substr(begin, at - begin)))};
}

const CodeNote* note_at(const CodeLook& look, int line) {
  const auto found = std::find_if(look.notes.begin(), look.notes.end(),
                                  [&](const CodeNote& note) { return note.line == line; });
  return found == look.notes.end() ? nullptr : &*found;
}

/// Where the code stands in the scrolled window.
struct Page {
  ImVec2 origin;  ///< of the numbers
  float gutter, column, row_h, width;
  Area line(int number) const {
    return {origin.x, origin.y + row_h * static_cast<float>(number - 1), width, row_h};
  }
  float code_x() const { return origin.x + gutter; }
};

void draw_line(Ui& ui, const Page& page, int number, std::string_view text, const CodeLook& look,
               LexState* lexer) {
  const Area line = page.line(number);
  const float top = ImGui::GetWindowPos().y;
  if (line.bottom() < top || line.y > top + ImGui::GetWindowHeight()) {
    lex_line(text, lexer);  // comments span lines
    return;
  }
  const CodeNote* note = note_at(look, number);
  const Role role = note && note->is_error ? Role::slower : Role::series0;
  if (number == look.stepped) {
    ui.fill(line, ui.color(Role::highlight), ui.px(3));
    ui.widgets["stepped_line"] = line;
  }
  if (std::binary_search(look.linked.begin(), look.linked.end(), number) && !note)
    draw_link(ui, line, page.code_x(), number, number == look.lit);
  if (note) {
    ui.fill(line, ui.color(role, 0.16f));
    ui.widgets["message_" + std::to_string(number)] = line;
    const float x = page.code_x() + page.column * static_cast<float>(code_columns(text) + 2);
    ui.text(x, line.middle(), note->text, kTiny_px, note->is_error ? Role::slower : Role::muted);
  }
  draw_code_line(ui, page.code_x(), line.middle(), text, lexer, kField_px);
}

/// The numbers stay where they are when the code is scrolled sideways.
void draw_numbers(Ui& ui, const Page& page, size_t count, const CodeLook& look) {
  const ImVec2 window = ImGui::GetWindowPos();
  const float bottom = window.y + ImGui::GetWindowHeight();
  if (ImGui::GetScrollX() > 0)
    ui.fill({window.x, window.y, page.gutter - page.column * 0.8f, bottom - window.y},
            ui.color(Role::panel));
  for (int number = 1; number <= static_cast<int>(count); ++number) {
    const Area line = page.line(number);
    if (line.bottom() < window.y || line.y > bottom) continue;
    const CodeNote* note = note_at(look, number);
    const Role role = !note ? Role::muted : note->is_error ? Role::slower : Role::series0;
    ui.text(window.x + page.gutter - page.column * 1.4f, line.middle(), std::to_string(number),
            kTiny_px - 1, role, Face::mono, Anchor::end);
  }
}

/// As wide as its longest line with its note: nothing is cut, it scrolls.
float width_of(Ui& ui, const std::vector<std::string_view>& lines, const CodeLook& look,
               float column) {
  float widest = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    float w = column * static_cast<float>(code_columns(lines[i]) + 4);
    if (const CodeNote* note = note_at(look, static_cast<int>(i) + 1))
      w += ui.width(note->text, kTiny_px) + column;
    widest = std::max(widest, w);
  }
  return widest;
}

bool input(const std::string& name, Heard* heard, const ImVec2& size, const CodeLook& look) {
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, 0);  // it stands under the field, in colours
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::PushID(look.texts);
  const ImGuiInputTextFlags flags =
      ImGuiInputTextFlags_AllowTabInput | ImGuiInputTextFlags_CallbackResize |
      ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackCharFilter |
      (look.is_read_only ? ImGuiInputTextFlags_ReadOnly : 0);
  const compat::HiddenKey escape(compat::Key::escape);
  const bool changed = ImGui::InputTextMultiline(
      name.c_str(), heard->text->data(), heard->text->capacity() + 1, size, flags, listen, heard);
  ImGui::PopID();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(3);
  return changed;
}

}  // namespace

/// The cursor stays in view: the field is as large as its text, and the window around it scrolls.
void CodeField::follow_cursor(const std::string& text, const ImVec2& origin, float column,
                              float row_h) {
  if (cursor_ < 0 || cursor_ == std::exchange(followed_, cursor_)) return;
  const Place place = place_of(text, cursor_);
  const float y = origin.y + row_h * static_cast<float>(place.line) - ImGui::GetWindowPos().y;
  const float bottom = ImGui::GetWindowHeight() - row_h * 3;
  if (y < row_h) ImGui::SetScrollY(ImGui::GetScrollY() + y - row_h);
  if (y > bottom) ImGui::SetScrollY(ImGui::GetScrollY() + y - bottom);
  const float from_zero =
      ImGui::GetScrollX() + origin.x + column * place.columns - ImGui::GetWindowPos().x;
  if (from_zero < ImGui::GetWindowWidth() - column * 6) return ImGui::SetScrollX(0);
  const float x = from_zero - ImGui::GetScrollX();
  const float left = column * 8, right = ImGui::GetWindowWidth() - column * 6;
  if (x < left) ImGui::SetScrollX(std::max(0.0f, ImGui::GetScrollX() + x - left));
  if (x > right) ImGui::SetScrollX(ImGui::GetScrollX() + x - right);
}

void CodeField::begin_at(const CodeLook& look, float row_h) {
  if (look.file == file_) return;
  file_ = look.file;
  ImGui::SetScrollY(row_h * static_cast<float>(std::max(0, look.first - 1)));
}

/// Where it is out of sight, a third of the way down.
void CodeField::show_broken(const CodeLook& look, float row_h) {
  if (look.broken == 0 || std::exchange(shown_build_, look.build) == look.build) return;
  const float top = row_h * static_cast<float>(look.broken - 1), from = ImGui::GetScrollY();
  const float high = ImGui::GetWindowHeight();
  if (top < from || top > from + high - 3 * row_h)
    ImGui::SetScrollY(std::max(0.0f, top - high / 3));
  ImGui::SetScrollX(0);
}

bool CodeField::draw(Ui& ui, const Area& area, std::string* text, const CodeLook& look) {
  ImGui::SetCursorScreenPos({area.x, area.y});
  // It scrolls on its own: under what stands above, a text field would take the clicks meant for that.
  ImGui::BeginChild("editor_body", {area.w, area.h}, false, ImGuiWindowFlags_HorizontalScrollbar);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const float size = ui.px(kField_px);
  compat::push_font(ui.fonts.get(Face::mono, size), size);
  const auto lines = app::split_lines(*text);
  Page page = {ImGui::GetCursorScreenPos(), 0, code_column(ui, kField_px),
               ImGui::GetTextLineHeight(), 0};
  page.gutter = page.column * 5.4f;
  begin_at(look, page.row_h);
  show_broken(look, page.row_h);
  page.width = std::max(ImGui::GetWindowWidth() - ui.px(12),
                        page.gutter + width_of(ui, lines, look, page.column));
  LexState lexer;
  for (size_t i = 0; i < lines.size(); ++i)
    draw_line(ui, page, static_cast<int>(i) + 1, lines[i], look, &lexer);
  draw_numbers(ui, page, lines.size(), look);
  // Below its end there is room: the line that it begins with can be the uppermost.
  const float beyond = page.row_h * static_cast<float>(std::max(0, look.first - 1));
  const float height = std::max(page.row_h * static_cast<float>(lines.size() + 2),
                                ImGui::GetWindowHeight() - ui.px(14) + beyond);
  ImGuiIO& io = ImGui::GetIO();
  // Before what was typed meanwhile.
  const auto type_space = [&] {
    io.InputQueueCharacters.insert(io.InputQueueCharacters.begin(), ImWchar(' '));
  };
  if (std::exchange(tabs_, false)) type_space();
  if (std::exchange(indents_, false) && cursor_ >= 0) {
    const size_t begin = line_begin(*text, line_begin(*text, static_cast<size_t>(cursor_)) - 1);
    for (size_t at = begin; at < text->size() && (*text)[at] == ' '; ++at) type_space();
  }
  Heard heard{text};
  ImGui::SetCursorScreenPos({page.code_x(), page.origin.y});
  const bool changed = input("##editor", &heard, {page.width - page.gutter, height}, look);
  ui.widgets["editor"] = {page.code_x(), page.origin.y, area.w - page.gutter, area.h};
  if (look.leaves) ImGui::SetWindowFocus(nullptr);
  cursor_ = look.leaves ? -1 : heard.cursor;
  tabs_ = heard.tab, indents_ = heard.line;
  if (cursor_ >= 0 && !look.is_read_only) {
    const Place place = place_of(*text, cursor_);
    const Area line = page.line(place.line + 1);
    ui.fill({page.code_x() + page.column * place.columns, line.y, ui.px(2), line.h},
            ui.color(Role::text));
  }
  ImGui::PopFont();
  follow_cursor(*text, {page.code_x(), page.origin.y}, page.column, page.row_h);
  if (std::exchange(was_unsaved_, look.is_unsaved) && !look.is_unsaved) ImGui::SetScrollX(0);
  const float at = (io.MousePos.y - page.origin.y) / page.row_h;
  const bool is_over = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows |
                                              ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  hovered_line_ =
      is_over && at >= 0 && at < static_cast<float>(lines.size()) ? static_cast<int>(at) + 1 : 0;
  ImGui::EndChild();
  ui.list = outer;
  if (changed || tabs_ || indents_) ui.needs_redraw = true;
  return changed;
}

}  // namespace ridge::window
