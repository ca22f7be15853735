#include <algorithm>

#include "app/window/edit/editing.h"
#include "app/window/panels/panels.h"

namespace ridge::window {
namespace {

/// Line tints by role and sign: never red against green, and never by colour alone.
void draw_diff_line(Ui& ui, const Area& line, const DiffLine& diff, float gutter, LexState* lexer) {
  const bool added = diff.kind == DiffLine::Kind::added,
             removed = diff.kind == DiffLine::Kind::removed;
  if (added) ui.fill(line, ui.color(Role::faster, 0.13f));
  if (removed) ui.fill(line, ui.color(Role::slower, 0.12f));
  const int number = removed ? diff.old_number : diff.new_number;
  if (number == 0) {
    ui.text(line.x + gutter, line.middle(), "…", kSmall_px, Role::muted, Face::mono, Anchor::end);
    return;
  }
  ui.text(line.x + gutter, line.middle(), std::to_string(number), kTiny_px, Role::muted, Face::mono,
          Anchor::end, 0, 0.6f);
  const Role sign = added ? Role::faster : Role::slower;
  if (added || removed)
    ui.text(line.x + gutter + ui.px(8), line.middle(), added ? "+" : "−", kSmall_px, sign,
            Face::mono);
  draw_code_line(ui, line.x + gutter + ui.px(24), line.middle(), diff.text, lexer, kCode_px);
}

std::string flags_of(const SourceText& source) {
  return source.flags.empty() ? "none" : source.flags;
}

/// Lines of the comment a file begins with. Each rung tells its own story there, so a diff of it
/// would bury the three lines that changed.
int header_lines(std::string_view text) {
  int count = 0;
  for (const std::string_view line : split_lines(text)) {
    if (line.substr(0, 2) != "//") break;
    ++count;
  }
  return count;
}

std::string_view without_lines(std::string_view text, int count) {
  for (; count > 0; --count) {
    const size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text;
}

/// The diff of two rungs' code, numbered as in their files.
std::vector<DiffLine> code_diff(const SourceText& before, const SourceText& after) {
  const int skip_before = header_lines(before.text), skip_after = header_lines(after.text);
  auto lines =
      diff_lines(without_lines(before.text, skip_before), without_lines(after.text, skip_after));
  for (DiffLine& line : lines) {
    if (line.old_number) line.old_number += skip_before;
    if (line.new_number) line.new_number += skip_after;
  }
  return lines;
}

/// "-O1" to "-O3", or that they are the same.
void draw_flags(Ui& ui, Area* area, const SourceText& before, const SourceText& after) {
  const Area line = area->take_top(ui.px(28));
  float x = line.x + ui.text(line.x, line.middle(), "flags", kSmall_px, Role::muted) + ui.px(12);
  if (flags_of(before) == flags_of(after)) {
    ui.text(x, line.middle(), flags_of(after) + ", unchanged", kTiny_px + 1, Role::muted,
            Face::mono, Anchor::start, line.right() - x);
    return;
  }
  x += ui.text(x, line.middle(), "− " + flags_of(before), kTiny_px + 1, Role::slower, Face::mono) +
       ui.px(16);
  ui.text(x, line.middle(), "+ " + flags_of(after), kTiny_px + 1, Role::faster, Face::mono,
          Anchor::start, std::max(1.0f, line.right() - x));
}

}  // namespace

void DiffTab::draw(Ui& ui, Area area) {
  const State& state = ui.state;
  const RungView* row = find_row(state.ladder, state.selection.rung);
  // Of a learner's rung: what changed since the original.
  const RungView* original = made_from(state);
  const Rung* previous = original ? original->rung
                         : row    ? previous_rung(*state.selection.lab, *row->rung)
                                  : nullptr;
  if (!row || !previous) {
    const bool peer = row && row->rung->peer;
    return draw_empty_state(
        ui, area,
        peer ? "A library has no previous rung." : "This is the first rung of its ladder.",
        "Select the next one with ] to see what changed.");
  }
  const SourceText* before = find_source(state, previous->kernel);
  const SourceText* after = find_source(state, row->rung->kernel);
  if (!before || !after) {
    return draw_empty_state(ui, area, "The two sources are not known here.",
                            "They come from the worker, or from a run that carries them.");
  }
  const auto lines = code_diff(*before, *after);
  const DiffCount count = count_changes(lines);
  const Area title = area.take_top(ui.px(30));
  ui.text(title.x, title.middle() - ui.px(3),
          std::string(previous->title) + "  →  " + row->rung->title, kSmall_px + 1, Role::text,
          Face::strong, Anchor::start, title.w);
  const Area change = area.take_top(ui.px(26));
  ui.text(change.x, change.middle() - ui.px(3), row->rung->change, kSmall_px, Role::muted,
          Face::body, Anchor::start, change.w);
  draw_flags(ui, &area, *before, *after);
  if (count.added + count.removed == 0) {
    ui.paragraph(area, "The code is the same, line for line.", kSmall_px, Role::muted);
    return;
  }
  const Area summary = area.take_top(ui.px(32));
  ui.text(summary.x, summary.middle() - ui.px(2),
          std::to_string(count.added) + (count.added == 1 ? " line" : " lines") + " added, " +
              std::to_string(count.removed) + " removed; header comments left out",
          kTiny_px + 1, Role::muted, Face::body, Anchor::start, summary.w);
  const auto folded = fold_equal(lines, 3);
  const float line_h = ui.px(22), gutter = ui.width("000", kTiny_px, Face::mono);
  size_t longest = 0;
  for (const DiffLine& line : folded) longest = std::max(longest, line.text.size());
  const float w = std::max(
      area.w, gutter + ui.px(24) + ui.width(std::string(longest, '0'), kCode_px, Face::mono));
  LexState lexer;
  for (const DiffLine& diff : folded) {
    draw_diff_line(ui, {area.x, area.y, w, line_h}, diff, gutter, &lexer);
    area.y += line_h;
  }
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::Dummy({w, ui.px(8)});
}

}  // namespace ridge::window
