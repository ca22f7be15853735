#include "app/window/panels/source_tab.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/query/counts_text.h"
#include "app/study/lesson.h"
#include "app/window/edit/editing.h"
#include "app/window/inspect/count_view.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "common/record/assembly.h"
#include "common/record/stale_words.h"

namespace ridge::window {

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

/// Scrolls to the line of the request that is shown, once, where it is not in view. Returns the line.
int SourceTab::follow_step(Ui& ui, int line, float top) {
  if (std::exchange(stepped_, line) == line || line == 0) return line;
  const float line_h = ui.px(kCodeLine_px), at = top + line_h * static_cast<float>(line - 1);
  const float above = ImGui::GetWindowPos().y, below = above + ImGui::GetWindowHeight();
  if (at > above + 3 * line_h && at + 2 * line_h < below) return line;
  ImGui::SetScrollFromPosY(at - above, 0.33f);
  ui.needs_redraw = true;
  return line;
}

void SourceTab::draw_assembly(Ui& ui, Area area) {
  const State& state = ui.state;
  const std::string& kernel = state.selection.rung;
  const AssemblyText* assembly = find_assembly(state, kernel);
  if (!assembly) {
    const Request* request = asked_by(state, state.requests.assembly, kernel);
    if (request && request->error)
      return draw_empty_state(ui, area, "unavailable", request->error->sentence());
    const bool waiting = !state.is_replay() && request && request->open();
    return draw_empty_state(
        ui, area, waiting ? "Waiting for the assembly." : "The assembly is not known here.",
        waiting ? "The assembly is read once nothing else runs."
                : "A saved run has it if it was shown there.");
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

/// Edit leads to the workbench, with a copy of this rung or with the one that is open.
std::vector<SourceTab::Button> SourceTab::buttons_of(const State& state) {
  std::vector<Button> buttons;
  const bool edits = edits_selected(state), is_live = !state.is_replay();
  const RungView* row = find_row(state.ladder, state.selection.rung);
  const bool is_ours = row && row->info && row->info->library.empty();
  const bool is_puzzle = app::puzzle_of(state.selection.rung) != nullptr;
  if (is_live && (edits || (is_ours && row->info->kind == RungKind::kernel && !is_puzzle)))
    buttons.push_back({"edit", "Edit", 72});
  // A GPU that is here is measured.
  if (is_live && has_counts_tab(state) && !row->can_run)
    buttons.push_back(state.counting.request ? Button{"cancel", "Cancel", 108}
                                             : Button{"count", "Count it here", 108});
  if (shown_steps(state) && !shows_steps(state))
    buttons.push_back({"step_warp", "Step through", 108});
  return buttons;
}

void SourceTab::draw_buttons(Ui& ui, const std::vector<Button>& buttons, Area line) {
  for (const Button& one : buttons)
    ui.action_button(one.action, line.take_left(ui.px(one.width_px), ui.px(8)), one.label,
                     Ui::Kind::normal);
}

/// A puzzle's own source is its solution.
bool SourceTab::hides_solution(const State& state) {
  const app::Exercise* puzzle = app::puzzle_of(state.selection.rung);
  return puzzle && puzzle->kernel == state.selection.rung &&
         !exercise_progress(state, puzzle->name).is_solved &&
         !state.view.solutions.contains(puzzle->kernel);
}

void SourceTab::draw_hidden(Ui& ui, const Area& area) {
  if (draw_nothing(ui, area, "Here stands the puzzle's solution.",
                   "It is shown when you have solved it.", "Show it now"))
    ui.dispatch([](State& state) { state.view.solutions.insert(state.selection.rung); });
}

/// The switch, and in words an assembly's loop or where a recorded edit comes from: they stay when the text under
/// them scrolls.
void SourceTab::draw(Ui& ui, Area area) {
  const SourceForm form = ui.state.view.source_form;
  const AssemblyText* assembly =
      form == SourceForm::assembly ? find_assembly(ui.state, ui.state.selection.rung) : nullptr;
  const std::string said = assembly ? loop_sentence(*assembly) : replayed_edit_note(ui.state);
  const float said_h =
      said.empty() ? 0
                   : ui.paragraph(area, said, kSmall_px, Role::text, Face::body, true) + ui.px(8);
  // In a narrow panel the buttons have a row of their own.
  constexpr float kSwitch = 246, kRow = 38;
  const std::vector<Button> buttons = buttons_of(ui.state);
  float wanted = ui.px(kSwitch);
  for (const Button& one : buttons) wanted += ui.px(one.width_px + 10);
  const bool has_two_rows = !buttons.empty() && wanted > area.w;
  const float switch_h = ui.px(has_two_rows ? 2 * kRow : kRow);
  area.take_top(switch_h + said_h);
  if (form != SourceForm::assembly) followed_.clear();
  if (form == SourceForm::assembly) {
    draw_assembly(ui, area);
  } else if (hides_solution(ui.state)) {
    draw_hidden(ui, area);
  } else if (form == SourceForm::flat) {
    draw_flat(ui, area);
  } else {
    draw_source(ui, area);
  }
  const ImVec2 corner = ImGui::GetWindowPos();
  ui.fill({corner.x, corner.y, area.w + ui.px(16), ui.px(8) + switch_h + said_h},
          ui.color(Role::panel));
  Area line = {corner.x, corner.y + ui.px(8), area.w, ui.px(30)};
  const Area place = line.take_left(std::min(ui.px(kSwitch), area.w), ui.px(10));
  if (has_two_rows) line = {corner.x, corner.y + ui.px(8 + kRow), area.w, ui.px(30)};
  ui.paragraph({corner.x, line.bottom() + ui.px(8), area.w, said_h}, said, kSmall_px, Role::text);
  ui.widgets["source_said"] = {corner.x, line.bottom() + ui.px(8), area.w, said_h};
  constexpr std::array<const char*, 3> kForms = {"source", "flat_source", "assembly"};
  const int shown = static_cast<int>(form);
  const int chosen = ui.segments("source_form", place, {"Source", "Flat", "Assembly"}, shown);
  if (chosen >= 0 && chosen != shown) ui.dispatch_action(kForms[static_cast<size_t>(chosen)]);
  draw_buttons(ui, buttons, line);
}

std::span<const std::string> SourceTab::margin_of(const KernelCounts* counts) {
  margin_.clear();
  for (const LineCounts& line : counts ? counts->lines : std::vector<LineCounts>()) {
    constexpr int kMostLines = 100'000;  // a damaged run may name any
    if (line.line < 1 || line.line > kMostLines) continue;
    const auto place = static_cast<size_t>(line.line);
    if (margin_.size() < place) margin_.resize(place);
    margin_[place - 1] = app::margin_text(line);
  }
  return margin_;
}

void SourceTab::draw_source(Ui& ui, Area area) {
  const State& state = ui.state;
  const SourceText* source = find_source(state, state.selection.rung);
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!source) {
    const Request* request = asked_by(state, state.requests.sources, state.selection.rung);
    const bool waiting = !state.is_replay() && request && request->open();
    const std::string why = waiting && state.requests.is_measuring()
                                ? "The worker sends it when the rung that it measures has ended."
                            : waiting ? "It comes from the worker, as built into it."
                            : request && request->error ? request->error->sentence()
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
  if (const CountNote note = count_note(state); !note.text.empty()) {
    const float h =
        ui.paragraph(area, note.text, kSmall_px, note.is_problem ? Role::slower : Role::muted);
    ui.widgets["count_note"] = area.take_top(h + ui.px(8));
  }
  const KernelCounts* counts = shown_counts(state);
  int marked = follow(ui, *source, area.y, ui.px(kCodeLine_px));
  if (shows_steps(state)) marked = follow_step(ui, stepped_line(state, *counts), area.y);
  const int line = draw_code(
      ui, area,
      {.text = source->text, .first = marked, .last = marked, .margin = margin_of(counts)});
  const LineCounts* pointed = counts && line > 0 ? counts->at(line) : nullptr;
  if (!pointed) return;
  std::string facts;
  for (const std::string& fact : app::line_facts(*pointed))
    facts += (facts.empty() ? "" : "\n") + fact;
  ui.tooltip(facts);
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

}  // namespace ridge::window
