#include "app/window/panels/source_tab.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "app/query/diff.h"
#include "app/study/lesson.h"
#include "app/window/edit/editing.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "common/record/assembly.h"
#include "common/record/stale_words.h"

namespace ridge::window {
namespace {

constexpr float kCodeLine_px = 22;

Role role_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::comment:
      return Role::muted;
    case TokenKind::keyword:
    case TokenKind::directive:
    case TokenKind::type:
      return Role::series0;
    case TokenKind::number:
    case TokenKind::text:
      return Role::series1;
    case TokenKind::plain:
      return Role::text;
  }
  return Role::text;
}

}  // namespace

void draw_code_line(Ui& ui, float x, float y, std::string_view line, LexState* lexer, float size) {
  // A column is the width of 64 zeros over 64: one alone rounds up, and tokens would drift apart.
  static const std::string kZeros(64, '0');
  const float column = ui.width(kZeros, size, Face::mono) / 64;
  size_t columns = 0;
  for (const Token& token : lex_line(line, lexer)) {
    if (token.text.find_first_not_of(" \t") != std::string_view::npos) {
      ui.text(x + column * static_cast<float>(columns), y, token.text, size, role_of(token.kind),
              Face::mono);
    }
    for (const char c : token.text) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }
}

int SourceTab::follow(Ui& ui, const SourceText& source, float top, float line_h) {
  const CodeMark& mark = ui.state.view.code_mark;
  if (mark.jumps == 0 || mark.kernel != ui.state.selection.rung) return 0;
  const int line = study::anchor_line(source.text, mark.anchor).value_or(0);
  if (jumps_ == mark.jumps) return line;
  jumps_ = mark.jumps;
  if (line == 0) {
    ui.dispatch([](State& state) {
      state.notice = {"The source shown here does not hold the place that the lesson names.",
                      false};
    });
  } else {
    // A third of the way down: what leads to the line is seen with it.
    const float at = top + line_h * static_cast<float>(line - 1);
    ImGui::SetScrollFromPosY(at - ImGui::GetWindowPos().y, 0.33f);
    ui.needs_redraw = true;
  }
  return line;
}

namespace {

/// Lines `first` to `last` are marked (from 1; 0: none).
struct Code {
  std::string_view text;
  int64_t first = 0, last = 0;
  bool is_source = true;
};

float code_x_of(Ui& ui, const Area& area, size_t lines) {
  return area.x + ui.width(std::to_string(lines), kTiny_px, Face::mono) + ui.px(14);
}

void draw_code(Ui& ui, const Area& area, const Code& code) {
  const auto lines = app::split_lines(code.text);
  const float line_h = ui.px(kCodeLine_px), size = kCode_px;
  const float code_x = code_x_of(ui, area, lines.size());
  size_t longest = 0;
  for (const std::string_view line : lines) longest = std::max(longest, line.size());
  if (code.first > 0) {
    const Area marked = {area.x, area.y + line_h * static_cast<float>(code.first - 1), area.w,
                         line_h * static_cast<float>(code.last - code.first + 1)};
    ui.fill(marked, ui.color(Role::highlight), ui.px(3));
    ui.fill({code_x - ui.px(9), marked.y, ui.px(3), marked.h}, ui.color(Role::series0));
    ui.widgets["marked_line"] = marked;
  }
  LexState lexer;
  float y = area.y + line_h / 2;
  for (size_t i = 0; i < lines.size(); ++i, y += line_h) {
    // The lexer must see every line (comments span them), but only what is in view is drawn.
    if (y < ImGui::GetWindowPos().y - line_h ||
        y > ImGui::GetWindowPos().y + ImGui::GetWindowHeight() + line_h) {
      if (code.is_source) lex_line(lines[i], &lexer);
      continue;
    }
    ui.text(code_x - ui.px(14), y, std::to_string(i + 1), kTiny_px, Role::muted, Face::mono,
            Anchor::end, 0, 0.6f);
    if (code.is_source)
      draw_code_line(ui, code_x, y, lines[i], &lexer, size);
    else
      ui.text(code_x, y, lines[i], size, Role::text, Face::mono);
  }
  const float code_w = ui.width(std::string(longest, '0'), size, Face::mono);
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::Dummy({code_x - area.x + code_w, line_h * static_cast<float>(lines.size()) + ui.px(8)});
}

}  // namespace

void SourceTab::draw_assembly(Ui& ui, Area area) {
  const State& state = ui.state;
  const std::string& kernel = state.selection.rung;
  const AssemblyText* assembly = find_assembly(state, kernel);
  if (!assembly) {
    const auto asked = state.requests.assembly.find(kernel);
    const Request* request =
        asked == state.requests.assembly.end() ? nullptr : state.run().request(asked->second);
    if (request && request->error)
      return draw_empty_state(ui, area, "unavailable", request->error->sentence());
    const bool waiting = !state.is_replay() && asked != state.requests.assembly.end() &&
                         state.sessions.shown->state() != app::WorkerState::lost;
    return draw_empty_state(
        ui, area, waiting ? "Waiting for the assembly." : "The assembly is not known here.",
        waiting ? "The worker disassembles itself once nothing else runs."
                : "It is in a run in which somebody looked at it.");
  }
  const Area title = area.take_top(ui.px(30));
  ui.text(title.x, title.middle() - ui.px(3),
          assembly->target + "  ·  " + assembly->tool + "  ·  " + std::to_string(assembly->lines) +
              " lines",
          kTiny_px + 1, Role::muted, Face::mono, Anchor::start, title.w);
  if (followed_ != kernel) {
    followed_ = kernel;
    const float line = static_cast<float>(std::max<int64_t>(assembly->loop_first - 4, 0));
    ImGui::SetScrollY(assembly->loop_first > 12 ? line * ui.px(kCodeLine_px) : 0);
    ui.needs_redraw = true;
  }
  draw_code(ui, area, {assembly->text, assembly->loop_first, assembly->loop_last, false});
}

/// Beside the switch: Edit, or what is done with the copy that is open.
void SourceTab::draw_buttons(Ui& ui, Area line) const {
  using Kind = Ui::Kind;
  if (!edits_selected(ui.state)) {
    const RungView* row = find_row(ui.state.ladder, ui.state.selection.rung);
    const bool is_ours = row && row->info && row->info->library.empty();
    if (is_ours && row->info->kind == RungKind::kernel && !ui.state.is_replay())
      ui.action_button("edit", line.take_left(ui.px(72)), "Edit", Kind::normal);
    return;
  }
  const bool unsaved = ui.state.editing->is_unsaved();
  ui.action_button("save_edit", line.take_left(ui.px(96), ui.px(8)), "Save",
                   unsaved ? Kind::primary : Kind::normal);
  ui.action_button("revert_edit", line.take_left(ui.px(72), ui.px(6)), "Revert", Kind::quiet);
  if (!ui.state.editing->hints.empty())
    ui.action_button("hint", line.take_left(ui.px(58)), "Hint", Kind::quiet);
}

/// The switch, and in words an assembly's loop or how the learner's file stands: they stay when the
/// text under them scrolls.
void SourceTab::draw(Ui& ui, Area area) {
  const bool edits = edits_selected(ui.state);
  const SourceForm form = ui.state.view.source_form;
  const AssemblyText* assembly =
      form == SourceForm::assembly ? find_assembly(ui.state, ui.state.selection.rung) : nullptr;
  bool is_error = false;
  const std::string said = assembly ? loop_sentence(*assembly)
                           : edits  ? editing_status(ui.state, &is_error)
                                    : replayed_edit_note(ui.state);
  std::string hints;
  for (size_t i = 0; edits && !assembly && i < ui.state.editing->hints_shown; ++i)
    hints += (i > 0 ? "\n" : "") + ui.state.editing->hints[i];
  const auto height = [&](const std::string& text) {
    return text.empty()
               ? 0
               : ui.paragraph(area, text, kSmall_px, Role::text, Face::body, true) + ui.px(8);
  };
  const float status_h = height(said), said_h = status_h + height(hints);
  const float switch_h = ui.px(38);
  area.take_top(switch_h + said_h);
  if (form != SourceForm::assembly) followed_.clear();
  if (form == SourceForm::assembly) {
    draw_assembly(ui, area);
  } else if (form == SourceForm::flat) {
    draw_flat(ui, area);
  } else {
    edits ? draw_editor(ui, ui.px(8) + switch_h + said_h) : draw_source(ui, area);
  }
  const ImVec2 corner = ImGui::GetWindowPos();
  ui.fill({corner.x, corner.y, area.w + ui.px(16), ui.px(8) + switch_h + said_h},
          ui.color(Role::panel));
  Area line = {corner.x, corner.y + ui.px(8), area.w, ui.px(30)};
  const Area place = line.take_left(std::min(ui.px(edits ? 190 : 246), area.w), ui.px(10));
  ui.paragraph({corner.x, place.bottom() + ui.px(8), area.w, said_h}, said, kSmall_px,
               is_error ? Role::slower : Role::text);
  ui.paragraph({corner.x, place.bottom() + ui.px(8) + status_h, area.w, 0}, hints, kSmall_px,
               Role::text);
  ui.widgets["source_said"] = {corner.x, place.bottom() + ui.px(8), area.w, said_h};
  constexpr std::array<const char*, 3> kForms = {"source", "flat_source", "assembly"};
  const int shown = static_cast<int>(form);
  const int chosen = ui.segments("source_form", place, {"Source", "Flat", "Assembly"}, shown);
  if (chosen >= 0 && chosen != shown) ui.dispatch_action(kForms[static_cast<size_t>(chosen)]);
  draw_buttons(ui, line);
}

void SourceTab::draw_source(Ui& ui, Area area) {
  const State& state = ui.state;
  const SourceText* source = find_source(state, state.selection.rung);
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!source) {
    const bool waiting = !state.is_replay() && state.requests.sources.count(state.selection.rung) &&
                         state.sessions.shown->state() != app::WorkerState::lost;
    const std::string why = waiting ? "It comes from the worker, as built into it."
                            : row && row->info && !row->info->path.empty()
                                ? "This run does not carry it; the file is " + row->info->path + "."
                                : "Neither this run nor the worker carries it.";
    return draw_empty_state(
        ui, area, waiting ? "Waiting for the source." : "The source is not known here.", why);
  }
  std::string head = source->path;
  if (!source->flags.empty()) head += "  ·  " + source->flags;
  if (!source->hash.empty()) head += "  ·  " + source->hash.substr(0, 7);
  const Area title = area.take_top(ui.px(30));
  ui.text(title.x, title.middle() - ui.px(3), head, kTiny_px + 1, Role::muted, Face::mono,
          Anchor::start, title.w);
  if (row && row->stale()) {
    const Area note = area.take_top(ui.px(28));
    ui.text(note.x, note.middle() - ui.px(3), stale_sentence("The figures", "this code has"),
            kTiny_px + 1, Role::slower, Face::body, Anchor::start, note.w);
  }
  const int marked = follow(ui, *source, area.y, ui.px(kCodeLine_px));
  draw_code(ui, area, {source->text, marked, marked});
}

void SourceTab::draw_flat(Ui& ui, Area area) {
  const State& state = ui.state;
  const SourceText* source = state.run().source(state.selection.rung);
  if (!source) {
    flat_of_.clear();
    return draw_empty_state(ui, area, "The flat source is not known here.",
                            "Neither this run nor the worker carries the rung's file.");
  }
  if (flat_of_ != source->kernel || flat_version_ != state.run().version()) {
    flat_ = app::flat_source(state.run(), *source);
    flat_of_ = source->kernel;
    flat_version_ = state.run().version();
  }
  const auto counted = [](size_t count) {
    return std::to_string(count) + (count == 1 ? " header" : " headers");
  };
  std::string head =
      source->path + "  ·  " + counted(static_cast<size_t>(flat_.headers)) + " folded in";
  if (!flat_.missing.empty())
    head += "  ·  " + counted(flat_.missing.size()) +
            (state.is_replay() ? " not in this run" : " on the way");
  const Area title = area.take_top(ui.px(30));
  ui.text(title.x, title.middle() - ui.px(3), head, kTiny_px + 1, Role::muted, Face::mono,
          Anchor::start, title.w);
  draw_code(ui, area, {flat_.text});
}

namespace {

constexpr std::array<std::string_view, 46> kKeywords = {
    "alignas",   "asm",      "auto",         "break",         "case",   "class",    "const",
    "constexpr", "continue", "default",      "delete",        "do",     "else",     "enum",
    "extern",    "false",    "for",          "goto",          "if",     "inline",   "namespace",
    "new",       "nullptr",  "operator",     "private",       "public", "register", "restrict",
    "return",    "sizeof",   "static",       "static_assert", "struct", "switch",   "template",
    "this",      "true",     "typedef",      "typename",      "union",  "using",    "virtual",
    "volatile",  "while",    "__restrict__", "noexcept"};
constexpr std::array<std::string_view, 26> kTypes = {
    "void",    "bool",     "char",     "short",    "int",     "long",     "float",
    "double",  "signed",   "unsigned", "size_t",   "ssize_t", "int8_t",   "uint8_t",
    "int16_t", "uint16_t", "int32_t",  "uint32_t", "int64_t", "uint64_t", "half",
    "float4",  "dim3",     "Status",   "Launch",   "Gemm"};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

template <size_t count>
bool contains(const std::array<std::string_view, count>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TokenKind kind_of_word(std::string_view word) {
  // Words with two leading underscores are the compiler's: __global__, __m512, __syncthreads.
  if (contains(kKeywords, word)) return TokenKind::keyword;
  if (word.size() > 4 && word.substr(0, 2) == "__" && word.substr(word.size() - 2) == "__") {
    return TokenKind::keyword;
  }
  return contains(kTypes, word) || word.substr(0, 3) == "__m" ? TokenKind::type : TokenKind::plain;
}

size_t end_of_quoted(std::string_view line, size_t at) {
  const char quote = line[at];
  for (size_t i = at + 1; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == quote)
      return i + 1;
  }
  return line.size();
}

}  // namespace

std::vector<Token> lex_line(std::string_view line, LexState* state) {
  std::vector<Token> tokens;
  const auto push = [&](TokenKind kind, size_t from, size_t to) {
    if (to <= from) return;
    if (kind == TokenKind::plain && !tokens.empty() && tokens.back().kind == kind) {
      const std::string_view before = tokens.back().text;
      tokens.back().text = {before.data(), before.size() + to - from};
    } else {
      tokens.push_back({kind, line.substr(from, to - from)});
    }
  };
  size_t at = 0;
  const size_t first = line.find_first_not_of(" \t");
  while (at < line.size()) {
    const char c = line[at];
    if (state->in_comment || line.substr(at, 2) == "/*") {
      const size_t close = line.find("*/", state->in_comment ? at : at + 2);
      const size_t end = close == std::string_view::npos ? line.size() : close + 2;
      state->in_comment = close == std::string_view::npos;
      push(TokenKind::comment, at, end);
      at = end;
    } else if (line.substr(at, 2) == "//") {
      push(TokenKind::comment, at, line.size());
      at = line.size();
    } else if (c == '#' && at == first) {
      size_t end = at + 1;
      while (end < line.size() && (line[end] == ' ' || is_word(line[end]))) {
        if (line[end] == ' ' && end > at + 1) break;
        ++end;
      }
      push(TokenKind::directive, at, end);
      at = end;
    } else if (c == '"' || c == '\'') {
      const size_t end = end_of_quoted(line, at);
      push(TokenKind::text, at, end);
      at = end;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      size_t end = at;
      while (end < line.size() && (is_word(line[end]) || line[end] == '.' || line[end] == '\''))
        ++end;
      push(TokenKind::number, at, end);
      at = end;
    } else if (is_word(c)) {
      size_t end = at;
      while (end < line.size() && is_word(line[end])) ++end;
      push(kind_of_word(line.substr(at, end - at)), at, end);
      at = end;
    } else {
      push(TokenKind::plain, at, at + 1);
      ++at;
    }
  }
  return tokens;
}

// ---- the learner's file ------------------------------------------------------------------------
// The learner's file in the source tab: a plain editor with line numbers, and what the compiler said
// beside the line that it said it of.

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
  const auto lines = app::split_lines(editing.text);
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
