// Your turn: a rung's file in the learner's hands. Editor, what the compiler made of it, and what became of each save.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/window/edit/code_field.h"
#include "app/window/edit/editing.h"
#include "app/window/edit/exercise_list.h"
#include "app/window/edit/feedback.h"
#include "app/window/edit/puzzle_results.h"
#include "app/window/edit/results.h"
#include "app/window/panels/code_text.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "common/record/assembly.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kGap = 12, kPad = 16;
constexpr float kSolved = 202;  // "Save 12 does not compile."
constexpr size_t kMostMessages = 3;
// A narrower window has two columns: the listing takes the results' place.
constexpr float kThreeColumns = 1120;

class WorkbenchScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  void draw_without(Ui& ui, const Area& area);
  void draw_next(Ui& ui, Area* row) const;
  void draw_head(Ui& ui, Area row);
  float draw_task(Ui& ui, const Area& area, bool measure);
  void draw_solved(Ui& ui, const Area& place);
  float draw_messages(Ui& ui, const Area& area, bool measure) const;
  void draw_editor(Ui& ui, Area area);
  void draw_listing(Ui& ui, Area area);
  void link(const State& state);
  bool switch_listing(Ui& ui, Area* area);

  CodeField field_;
  SaveResults results_;
  StepsPicture steps_;
  ExerciseList exercises_;
  bool shows_exercises_ = false;    ///< in place of the one that is open
  bool shows_listing_ = false;      ///< where it has no column of its own
  std::vector<int> linked_;         ///< lines of the file that instructions were made of, ascending
  const Run* looked_at_ = nullptr;  ///< the saved run that was searched for an edit
  int listing_line_ = 0;            ///< of the listing, under the mouse
  int lit_ = 0;                     ///< of the file
  std::string followed_;            ///< the build whose loop was scrolled to
};

/// Of a saved run its edit is opened, once.
void WorkbenchScreen::draw_without(Ui& ui, const Area& area) {
  ui.panel(area);
  if (ui.state.is_replay()) {
    if (std::exchange(looked_at_, &ui.state.run()) != &ui.state.run())
      ui.dispatch([](State& state) { open_recorded_edit(state); });
    const char* next =
        ui.state.sessions.opened
            ? "A saved run is open over your session: its rungs can be read, but nothing is built "
              "or measured. In your own session you can edit a rung."
            : "The program was started with this saved run: nothing is built or measured. Started "
              "without one, it lets you edit a rung.";
    if (draw_nothing(ui, area, "This saved run holds no edit", next, way_out(ui.state)))
      ui.dispatch(take_way_out);
    return;
  }
  Area inner = area.inset(ui.px(28), ui.px(20));
  const std::string said =
      "Open an exercise: a rung with a hole for you to fill. Or select a rung in the lab and press "
      "Edit in its Source tab: your copy of it opens here.";
  inner.take_top(ui.paragraph(inner, said, kSmall_px, Role::text), ui.px(18));
  const Area list = {inner.x, inner.y, std::min(inner.w, ui.px(900)), inner.h};
  if (exercises_.draw(ui, list)) shows_exercises_ = false;
}

/// After a solved exercise the next one that is not.
void WorkbenchScreen::draw_next(Ui& ui, Area* row) const {
  const auto next = exercises_.after(ui.state, ui.state.editing->exercise);
  if (!next) return;
  const std::string label = "Next: " + next->title;
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
  if (ui.button("next_exercise", row->take_right(w, ui.px(6)), label, Ui::Kind::primary))
    ui.dispatch([one = *next](State& state) { start_exercise(state, one); });
}

/// What is open, the problem that its figures are of, and what can be done with it.
void WorkbenchScreen::draw_head(Ui& ui, Area row) {
  using Kind = Ui::Kind;
  const State& state = ui.state;
  const Editing& editing = *state.editing;
  row = row.inset(ui.px(kPad), ui.px(8));
  const auto button = [&](const char* id, const char* label, Kind kind) {
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
    ui.action_button(id, row.take_right(w, ui.px(6)), label, kind);
  };
  if (ui.button("to_lab", row.take_right(ui.px(104), ui.px(14)), "To the lab", Kind::quiet))
    ui.dispatch([](State& changed) { changed.view.screen = ScreenId::lab; });
  if (!editing.exercise.empty() && !editing.is_recorded &&
      ui.button("exercises", row.take_right(ui.px(104), ui.px(6)), "Exercises", Kind::quiet))
    shows_exercises_ = true;
  if (!editing.is_recorded) {
    button("save_edit", "Save  Ctrl S", editing.is_unsaved() ? Kind::primary : Kind::normal);
    button("revert_edit", "Revert", Kind::quiet);
    if (!is_puzzle_open(state)) button("compare", "Compare", Kind::quiet);
    if (!editing.hints.empty()) button("hint", "Hint", Kind::quiet);
    if (exercise_progress(state, editing.exercise).is_solved) draw_next(ui, &row);
  }
  const float title_w = ui.text(row.x, row.middle(), editing.title, kHeading_px, Role::text,
                                Face::strong, Anchor::start, row.w);
  row.take_left(std::min(title_w, row.w), ui.px(16));
  if (row.w < ui.px(60)) return;
  const Lab* lab = state.selection.lab;
  ui.text(row.x, row.middle(),
          is_puzzle_open(state)
              ? "counted on this CPU, thread by thread"
              : (editing.is_recorded ? "read from a saved run  ·  " : "") + editing.change +
                    "  ·  " + (lab ? params_summary(*lab, shown_params(state)) : ""),
          kSmall_px, Role::muted, Face::body, Anchor::start, row.w);
}

/// The tick; where the last save came to nothing, by which save it was solved and what became of the last.
void WorkbenchScreen::draw_solved(Ui& ui, const Area& place) {
  const std::vector<Save>& saves = results_.saves(ui.state);
  draw_tick(ui, place.x + ui.px(6), place.y + ui.px(11));
  const float x = place.x + ui.px(22), room = place.right() - x;
  const bool is_broken = !saves.empty() && saves.back().failed() && !is_as_left(ui.state);
  const auto solved = std::find_if(saves.rbegin(), saves.rend(), [](const Save& save) {
    return save.comparison && (save.comparison->verdict == Verdict::faster ||
                               save.comparison->verdict == Verdict::same);
  });
  const std::string by = !is_broken               ? ""
                         : solved == saves.rend() ? " before"
                                                  : fmt::format(" in save {}", solved->number);
  ui.text(x, place.y + ui.px(11), "Solved" + by, kSmall_px, Role::faster, Face::strong,
          Anchor::start, room);
  if (!is_broken) return;
  const std::string now =
      fmt::format("Save {} {}.", saves.back().number, state_words(saves.back()));
  ui.text(x, place.y + ui.px(30), now, kTiny_px, Role::slower, Face::body, Anchor::start, room);
  ui.widgets["solved_before"] = place;
}

/// Of an exercise what is to be done, whether it is, and the hints that were spent. Returns its height.
float WorkbenchScreen::draw_task(Ui& ui, const Area& area, bool measure) {
  const State& state = ui.state;
  const Editing& editing = *state.editing;
  if (editing.exercise.empty()) return 0;
  const bool is_solved = exercise_progress(state, editing.exercise).is_solved;
  Area rest = area.inset(ui.px(kPad), ui.px(10));
  const float begin = rest.y;
  const float mark_w = ui.px(92);
  const auto line = [&](const char* head, Role head_role, const std::string& text) {
    const float solved_w = is_solved ? ui.px(kSolved) : 0;
    const Area body = {rest.x + mark_w, rest.y, rest.w - mark_w - solved_w, 0};
    const float h = ui.paragraph(body, text, kSmall_px, Role::text, Face::body, measure);
    if (!measure) ui.text(rest.x, rest.y + ui.px(11), head, kSmall_px, head_role, Face::strong);
    rest.take_top(h, ui.px(2));
  };
  line("To do", Role::muted, editing.task);
  if (is_solved && !measure) {
    const float w = ui.px(kSolved - 16);
    draw_solved(ui, {rest.right() - w, begin, w, ui.px(40)});
  }
  const size_t shown = hints_shown(state), all = editing.hints.size();
  for (size_t i = 0; i < shown; ++i) {
    const std::string head = "Hint " + std::to_string(i + 1) + "/" + std::to_string(all);
    line(head.c_str(), Role::muted, editing.hints[i]);
  }
  if (!measure) ui.widgets["task"] = area;
  return std::max(rest.y - begin, is_solved ? ui.px(40) : 0) + ui.px(18);
}

std::vector<CodeNote> notes_of(const State& state) {
  std::vector<CodeNote> notes;
  const Editing& editing = *state.editing;
  const EditBuild* build = editing.text == editing.built ? last_build(state) : nullptr;
  if (!build) return notes;
  // Of a hole that is still empty it can only say what is missing.
  const bool is_empty = !editing.exercise.empty() && editing.is_as_handed_out();
  // A line's error comes before what else is said of it; and the errors before the warnings.
  std::set<int> seen;
  for (const bool of_errors : {true, false}) {
    for (const CompileMessage& message : build->messages) {
      // A loop that was not vectorised is no fault of the text: the result says it where it matters.
      if (message.kind == "remark" || (message.kind == "error") != of_errors) continue;
      if (is_empty && !of_errors) continue;
      if (message.line > 0 && seen.insert(message.line).second)
        notes.push_back({message.line, of_errors, message.text});
    }
  }
  return notes;
}

/// What the compiler said, whole, under the text: behind a long line there is no room for it. Returns its height.
float WorkbenchScreen::draw_messages(Ui& ui, const Area& area, bool measure) const {
  const std::vector<CodeNote> notes = notes_of(ui.state);
  Area rest = area;
  for (size_t i = 0; i < std::min(kMostMessages, notes.size()); ++i) {
    const std::string text = fmt::format("line {}: {}{}", notes[i].line,
                                         notes[i].is_error ? "" : "warning: ", notes[i].text);
    const Role role = notes[i].is_error ? Role::slower : Role::muted;
    rest.take_top(ui.paragraph(rest, text, kTiny_px + 1, role, Face::body, measure), ui.px(2));
  }
  if (!measure && !notes.empty()) ui.widgets["messages"] = area;
  return rest.y - area.y;
}

/// The lines that the listing came from, where it is of the text that is shown.
void WorkbenchScreen::link(const State& state) {
  const Editing& editing = *state.editing;
  const AssemblyText* listing = edit_listing(state);
  linked_.clear();
  const bool holds = listing && editing.text == editing.built;
  if (holds) linked_ = listing->origins;
  const auto at = static_cast<size_t>(std::max(listing_line_ - 1, 0));
  const int origin = listing_line_ > 0 && at < linked_.size() ? linked_[at] : 0;
  std::sort(linked_.begin(), linked_.end());
  linked_.erase(std::unique(linked_.begin(), linked_.end()), linked_.end());
  if (!linked_.empty() && linked_.front() == 0) linked_.erase(linked_.begin());
  const int hovered = field_.hovered_line();
  const bool is_linked = std::binary_search(linked_.begin(), linked_.end(), hovered);
  lit_ = origin > 0 ? origin : is_linked ? hovered : 0;
}

/// Where an exercise's file goes on behind its task, which stands over the editor already; lines count from 1.
int line_behind_task(const Editing& editing) {
  if (editing.exercise.empty()) return 1;
  const std::string& text = editing.original;
  const size_t at = std::min(text.find("// Given"), text.find("#include"));
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

void WorkbenchScreen::draw_editor(Ui& ui, Area area) {
  Editing& editing = *ui.state.editing;
  ui.panel(area);
  Area inner = area.inset(ui.px(10), ui.px(8));
  const Area head = inner.take_top(ui.px(24), ui.px(4));
  ui.text(head.x + ui.px(6), head.middle(),
          (editing.is_unsaved() ? "not saved  ·  " : "") + editing.watch.path(), kTiny_px + 1,
          editing.is_unsaved() ? Role::text : Role::muted, Face::mono, Anchor::start,
          head.w - ui.px(6));
  const std::vector<CodeNote> notes = notes_of(ui.state);
  if (const float h = draw_messages(ui, inner.inset(ui.px(6), 0), true); h > 0)
    draw_messages(ui, inner.take_bottom(h, ui.px(6)).inset(ui.px(6), 0), false);
  CodeLook look;
  look.notes = notes;
  if (!notes.empty() && notes.front().is_error)
    look.broken = notes.front().line, look.build = editing.build_request;
  look.linked = linked_;
  look.lit = lit_;
  if (is_puzzle_open(ui.state) && editing.text == editing.built)
    look.stepped = puzzle_line(ui.state);
  look.is_read_only = editing.is_recorded;
  look.is_unsaved = editing.is_unsaved();
  look.leaves = std::exchange(editing.leaves_field, false);
  look.texts = editing.texts;
  look.file = editing.watch.path();
  look.first = line_behind_task(editing);
  field_.draw(ui, inner, &editing.text, look);
  editing.in_field = field_.has_keyboard();
}

/// In its own words why there is no listing yet.
std::string missing_listing(const State& state) {
  const Editing& editing = *state.editing;
  const auto asked = state.requests.assembly.find(editing.id);
  const Request* request =
      asked == state.requests.assembly.end() ? nullptr : state.run().request(asked->second);
  if (request && request->error) return request->error->sentence();
  const EditBuild* build = last_build(state);
  if (build && !build->built) return "This save has no machine code.";
  if (!build && editing.build_request && !is_building(state)) return "Its build was cancelled.";
  return editing.is_recorded ? "This saved run does not hold it."
                             : "It comes after the first time of this save.";
}

void WorkbenchScreen::draw_listing(Ui& ui, Area area) {
  const State& state = ui.state;
  const Editing& editing = *state.editing;
  ui.panel(area);
  Area inner = area.inset(ui.px(kPad), ui.px(8));
  if (switch_listing(ui, &inner)) inner.take_top(ui.px(6));
  if (is_puzzle_open(state)) return draw_counted_lines(ui, inner, &steps_);
  const Area head = inner.take_top(ui.px(24), ui.px(2));
  const AssemblyText* listing = edit_listing(state);
  ui.text(head.x, head.middle(), "ASSEMBLY", kTiny_px, Role::muted, Face::strong);
  listing_line_ = 0;
  if (!listing) {
    ui.paragraph(inner, missing_listing(state), kSmall_px, Role::muted);
    return;
  }
  const bool is_old = editing.text != editing.built;
  const bool is_empty = !editing.exercise.empty() && editing.built == editing.original;
  const LineSpan written = written_lines(editing.original, editing.built);
  const OwnLoops loops = own_loops(*listing, written);
  LineSpan loop = loops.widest;
  const bool is_own = !is_empty && !loop.empty();
  if (!is_own) loop = {static_cast<int>(listing->loop_first), static_cast<int>(listing->loop_last)};
  std::string said = is_empty ? "The hole is empty: your loops will be marked here."
                     : is_own ? own_loops_sentence(loops, written)
                              : loop_sentence(*listing);
  if (const std::string origin = loop_origin_sentence(editing, *listing);
      !is_own && !is_old && !origin.empty())
    said += " " + origin;
  if (is_old) said = "Of the text as it was saved last. " + said;
  if (!is_old && listing->origins.empty())
    said += editing.watch.path().ends_with(".cu") ? " A GPU's listing is not linked with its lines."
                                                  : " It is not linked with the lines.";
  const float said_h = ui.paragraph(inner, said, kTiny_px + 1, Role::muted);
  inner.take_top(said_h, ui.px(6));
  ui.widgets["listing"] = inner;
  ImGui::SetCursorScreenPos({inner.x, inner.y});
  ImGui::BeginChild("listing", {inner.w, inner.h}, false, ImGuiWindowFlags_HorizontalScrollbar);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const EditBuild* build = last_build(state);
  const std::string of = build ? build->hash : editing.id;
  if (std::exchange(followed_, of) != of) {
    const auto line = static_cast<float>(std::max(loop.first - 4, 0));
    ImGui::SetScrollY(line * ui.px(kCodeLine_px));
    ui.needs_redraw = true;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Code code = {listing->text, loop.first, loop.last, false};
  if (!is_old) code.origins = listing->origins;
  code.lit = lit_;
  listing_line_ = draw_code(ui, {at.x, at.y, inner.w, inner.h}, code);
  ImGui::EndChild();
  ui.list = outer;
}

/// In two columns: which of the two stands at the right. False: there are three.
bool WorkbenchScreen::switch_listing(Ui& ui, Area* area) {
  if (ui.window.w >= ui.px(kThreeColumns)) return false;
  const Area place = area->take_top(ui.px(30), ui.px(8));
  const int chosen = ui.segments("workbench_right", place,
                                 {"Result", is_puzzle_open(ui.state) ? "Lines" : "Assembly"},
                                 shows_listing_ ? 1 : 0);
  if (chosen >= 0) shows_listing_ = chosen == 1;
  return true;
}

void WorkbenchScreen::draw(Ui& ui, Area all) {
  const State& state = ui.state;
  const float gap = ui.px(kGap);
  if ((shows_exercises_ && !state.is_replay()) || !state.editing ||
      state.editing->is_recorded != state.is_replay())
    return draw_without(ui, all);
  looked_at_ = nullptr;
  const Area head = all.take_top(ui.px(52), gap);
  ui.panel(head);
  draw_head(ui, head);
  if (const float h = draw_task(ui, all, true); h > 0) {
    const Area task = all.take_top(h, gap);
    ui.panel(task);
    draw_task(ui, task, false);
  }
  link(state);
  const bool has_room = ui.window.w >= ui.px(kThreeColumns);
  draw_editor(ui, all.take_left(all.w * (has_room ? 0.5f : 0.62f), gap));
  if (has_room)
    draw_listing(ui, all.take_left(all.w * 0.5f, gap));
  else if (shows_listing_)
    return draw_listing(ui, all);
  ui.panel(all);
  Area inner = all.inset(ui.px(kPad), ui.px(8));
  switch_listing(ui, &inner);
  results_.draw(ui, inner);
  ui.wake_in(0.1);  // the file is looked at: another editor may save it
}

}  // namespace

std::unique_ptr<Screen> make_workbench_screen() {
  return std::make_unique<WorkbenchScreen>();
}

}  // namespace ridge::window
