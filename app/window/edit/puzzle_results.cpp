#include "app/window/edit/puzzle_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/query/count_targets.h"
#include "app/query/counts_text.h"
#include "app/window/edit/editing.h"
#include "app/window/edit/feedback.h"
#include "app/window/edit/results.h"
#include "app/window/panels/lesson_tab.h"
#include "app/window/panels/widgets.h"
#include "app/window/teach/answer.h"
#include "common/core/format.h"
#include "common/record/edit.h"

namespace ridge::window {
namespace {

constexpr float kNumber = 64;  // width of a column of counts

const Request* count_request(const State& state) {
  return state.run().request(state.editing->build_request);
}

/// "Does not compile", "Wrong result": what stands in the largest letters.
struct Headline {
  const char* text = "";
  Role role = Role::text;
};

Headline headline_of(const State& state) {
  const Editing& editing = *state.editing;
  if (is_building(state) || editing.wants_build) return {"Counting", Role::muted};
  if (editing.built == editing.original) return {"Your turn", Role::text};
  const KernelCounts* counts = puzzle_counts(state);
  const Request* request = count_request(state);
  if (!counts && request && request->error)
    return {
        request->error->code == ErrorCode::usage ? "Does not compile" : "Cannot be counted here",
        Role::slower};
  if (!counts) return {"Not counted", Role::muted};
  if (!counts->stopped.empty()) return {"Stopped", Role::slower};
  if (!counts->check || !counts->check->passed) return {"Wrong result", Role::slower};
  if (!counts->faults.empty()) return {"A fault", Role::slower};
  if (!app::is_solved(*counts, editing.targets)) return {"Right, not there yet", Role::text};
  return {"Solved", Role::faster};
}

void draw_targets(Ui& ui, Area* rest, const KernelCounts& counts) {
  draw_heading(ui, rest, "COUNTED HERE, NOT TIMED");
  const Area head = rest->take_top(ui.px(20), ui.px(2));
  const float yours = head.right() - ui.px(kNumber + 24), target = head.right() - ui.px(24);
  ui.text(yours, head.middle(), "yours", kTiny_px + 1, Role::muted, Face::body, Anchor::end);
  ui.text(target, head.middle(), "target", kTiny_px + 1, Role::muted, Face::body, Anchor::end);
  const Editing& editing = *ui.state.editing;
  // What the learner's own text asks for is no secret: beside it the target is a goal.
  const bool is_hidden = editing.built == editing.original &&
                         hides_targets(ui.state, std::string(original_of(editing.id)));
  const bool is_right = app::is_clean(counts);  // of a wrong kernel no count is a merit or a fault
  for (const app::CountTarget& one : ui.state.editing->targets) {
    const Area line = rest->take_top(ui.px(26), ui.px(2));
    const bool met = app::is_met(counts, one);
    ui.text(line.x, line.middle(), app::words_of(one.kind), kBody_px, Role::text, Face::body,
            Anchor::start, yours - line.x - ui.px(kNumber - 12));
    ui.text(yours, line.middle(), format_count(double(count_of(counts, one.kind))), kBody_px,
            met || !is_right ? Role::text : Role::slower, Face::strong, Anchor::end);
    ui.text(target, line.middle(), is_hidden ? "?" : format_count(double(one.most)), kBody_px,
            Role::muted, Face::body, Anchor::end);
    const std::string name = "target:" + std::string(name_of(one.kind));
    if (is_hidden && ui.hovers(name, line)) ui.tooltip(kHiddenTargets);
    if (met && is_right) draw_tick(ui, line.right() - ui.px(10), line.middle());
    ui.widgets[name] = line;
  }
  rest->take_top(ui.px(10));
}

}  // namespace

bool hides_targets(const State& state, const std::string& kernel) {
  const app::Exercise* puzzle = app::puzzle_of(kernel);
  return puzzle && !exercise_progress(state, puzzle->name).is_solved &&
         hides_outcome(state, kernel) && answer_of(state, kernel).empty();
}

std::string targets_words(const State& state, const app::Exercise& puzzle) {
  const bool is_hidden = hides_targets(state, puzzle.kernel);
  std::vector<std::string> parts;
  for (const app::CountTarget& target : puzzle.targets) {
    const std::string most = is_hidden ? ""
                             : target.most > 0
                                 ? "at most " + format_count(double(target.most)) + " "
                                 : "no ";
    parts.push_back(most + app::words_of(target.kind));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool is_puzzle_open(const State& state) {
  return state.editing && !state.editing->targets.empty();
}

const KernelCounts* puzzle_counts(const State& state) {
  const auto& all = state.run().counts();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (it->request == state.editing->build_request) return &*it;
  }
  return nullptr;
}

std::string puzzle_status(const State& state, bool* is_error) {
  const Editing& editing = *state.editing;
  *is_error = false;
  if (editing.wants_build) return "Saved; it is counted when what is under way has ended.";
  if (is_building(state))
    return fmt::format("Compiled for this CPU and run thread by thread, {:.1f} s; Esc cancels it.",
                       editing.now_s - editing.build_since_s);
  const KernelCounts* counts = puzzle_counts(state);
  const Request* request = count_request(state);
  *is_error = counts ? !app::is_clean(*counts) : request && request->error;
  if (!counts) {
    if (request && request->error) return request->error->sentence();
    return request ? "Cancelled; save it to count it." : "Not saved yet.";
  }
  if (editing.built == editing.original) {
    *is_error = false;
    return app::is_clean(*counts)
               ? "As it was handed out it is right, and asks for more than it has to."
               : "As it was handed out its hole is empty: write at the line YOUR TURN, then save.";
  }
  if (!counts->faults.empty()) return app::fault_text(counts->faults.front());
  if (!app::is_clean(*counts)) return app::outcome_text(*counts);
  return app::is_solved(*counts, editing.targets)
             ? "It is right, and asks for no more than the reference does."
             : std::string("It is right, and ") + app::unmet_words(*counts, editing.targets) + ".";
}

void draw_puzzle(Ui& ui, Area* rest) {
  const Headline headline = headline_of(ui.state);
  const Area line = rest->take_top(ui.px(kVerdict_px + 8), ui.px(2));
  ui.text(line.x, line.middle(), headline.text, kVerdict_px * 0.72f, headline.role, Face::strong);
  ui.widgets["now"] = line;
  bool is_error = false;
  const std::string said = puzzle_status(ui.state, &is_error);
  const float h = ui.paragraph(*rest, said, kSmall_px, is_error ? Role::slower : Role::muted);
  ui.widgets["source_said"] = {rest->x, rest->y, rest->w, h};
  rest->take_top(h, ui.px(14));
  if (const KernelCounts* counts = puzzle_counts(ui.state)) draw_targets(ui, rest, *counts);
}

int puzzle_line(const State& state) {
  const KernelCounts* counts = puzzle_counts(state);
  return counts ? stepped_line(state, *counts) : 0;
}

void draw_counted_lines(Ui& ui, Area area, StepsPicture* steps) {
  const KernelCounts* counts = puzzle_counts(ui.state);
  Scroll scroll(ui, "counted_lines", area);
  if (counts && !counts->steps.requests.empty())
    scroll.rest.take_top(steps->draw(ui, scroll.rest, *counts), ui.px(10));
  const Area head = scroll.rest.take_top(ui.px(24), ui.px(2));
  ui.text(head.x, head.middle(), "LINE BY LINE", kTiny_px, Role::muted, Face::strong);
  if (!counts || counts->lines.empty()) {
    ui.paragraph(scroll.rest,
                 counts ? "It asks for nothing." : "It comes with the counts of this save.",
                 kSmall_px, Role::muted);
    return;
  }
  for (const LineCounts& line : counts->lines) {
    const std::string name =
        line.line > 0 ? fmt::format("Line {}", line.line) : std::string("In headers");
    scroll.rest.take_top(ui.paragraph(scroll.rest, name, kSmall_px, Role::text), ui.px(2));
    for (const std::string& fact : app::line_facts(line))
      scroll.rest.take_top(ui.paragraph(scroll.rest, fact, kTiny_px + 1, Role::muted), ui.px(2));
    scroll.rest.take_top(ui.px(8));
  }
  ui.widgets["counted_lines"] = area;
}

}  // namespace ridge::window
