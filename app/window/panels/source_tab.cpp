#include <algorithm>

#include "app/study/lesson.h"
#include "app/window/edit/editing.h"
#include "app/window/panels/panels.h"
#include "app/window/shell/actions.h"
#include "common/record/assembly.h"

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
  const auto lines = split_lines(code.text);
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
  const AssemblyText* assembly =
      ui.state.view.assembly ? find_assembly(ui.state, ui.state.selection.rung) : nullptr;
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
  if (ui.state.view.assembly) {
    draw_assembly(ui, area);
  } else {
    followed_.clear();
    edits ? draw_editor(ui, ui.px(8) + switch_h + said_h) : draw_source(ui, area);
  }
  const ImVec2 corner = ImGui::GetWindowPos();
  ui.fill({corner.x, corner.y, area.w + ui.px(16), ui.px(8) + switch_h + said_h},
          ui.color(Role::panel));
  Area line = {corner.x, corner.y + ui.px(8), area.w, ui.px(30)};
  const Area place = line.take_left(std::min(ui.px(edits ? 164 : 220), area.w), ui.px(10));
  ui.paragraph({corner.x, place.bottom() + ui.px(8), area.w, said_h}, said, kSmall_px,
               is_error ? Role::slower : Role::text);
  ui.paragraph({corner.x, place.bottom() + ui.px(8) + status_h, area.w, 0}, hints, kSmall_px,
               Role::text);
  ui.widgets["source_said"] = {corner.x, place.bottom() + ui.px(8), area.w, said_h};
  const int chosen =
      ui.segments("assembly", place, {"Source", "Assembly"}, ui.state.view.assembly ? 1 : 0);
  if (chosen >= 0 && (chosen == 1) != ui.state.view.assembly) ui.dispatch_action("assembly");
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
  if (row && row->stale) {
    const Area note = area.take_top(ui.px(28));
    ui.text(note.x, note.middle() - ui.px(3),
            "Changed since it was recorded: the figures are stale.", kTiny_px + 1, Role::slower,
            Face::body, Anchor::start, note.w);
  }
  const int marked = follow(ui, *source, area.y, ui.px(kCodeLine_px));
  draw_code(ui, area, {source->text, marked, marked});
}

}  // namespace ridge::window
