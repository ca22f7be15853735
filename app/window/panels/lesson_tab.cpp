#include "app/window/panels/lesson_tab.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "app/query/diff.h"
#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "app/study/named_limits.h"
#include "app/window/panels/source_tab.h"
#include "app/window/panels/widgets.h"
#include "app/window/teach/answer.h"
#include "app/window/teach/figures.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/study.h"
#include "app/window/views/view.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

constexpr float kSize_px = kSmall_px + 1, kLeading = 1.5f;
constexpr float kLineOfOutcome = 24;

/// The name, or with as many + as it takes to be that of no widget of this frame.
std::string free_name(const Ui& ui, std::string name) {
  while (ui.widgets.contains(name)) name += "+";
  return name;
}

bool is_open(const State& state, const std::string& question) {
  const auto& open = state.view.open_answers;
  return open.contains(key_of_all(state)) != open.contains(question);
}

/// The line that something is folded behind; a click, or Enter with the focus on it, opens it. `name` says what: "answer",
/// "hint"; `key` is it in State::view.open_answers.
float draw_fold_line(Ui& ui, const Area& area, const char* name, const std::string& key,
                     const std::string& label, const char* shortcut) {
  const Area line = {area.x, area.y, area.w, ui.px(34)};
  const auto touched = ui.touch(std::string(name) + ":" + key, line);
  const bool open = is_open(ui.state, key);
  if (touched.hovered) ui.fill(line, ui.raised(1), ui.px(5));
  draw_fold_mark(ui, line.x + ui.px(10), line.middle(), ui.px(10), open, Role::series0);
  ui.text(line.x + ui.px(24), line.middle(), label, kSmall_px, Role::series0);
  ui.text(line.right() - ui.px(8), line.middle(), shortcut, kTiny_px + 1, Role::muted, Face::mono,
          Anchor::end);
  if (touched.clicked) {
    ui.dispatch([key](State& state) {
      auto& answers = state.view.open_answers;
      if (answers.erase(key) == 0) answers.insert(key);
      state.ladder.dirty = true;  // an outcome that is shown uncovers its bar
    });
  }
  return line.h + ui.px(8);
}

float draw_answer_line(Ui& ui, const Area& area, const std::string& question) {
  return draw_fold_line(ui, area, "answer", question,
                        is_open(ui.state, question) ? "Fold the answer" : "Show the answer", "A");
}

std::string key_of_hint(const LessonBlock& block, int hint) {
  return block.part + "?" + std::to_string(hint);
}

/// Of the rung at the parameters in view: the lesson's field has the answer, or a run has revealed it.
bool is_answered(const State& state, const std::string& kernel) {
  const auto revealed = revealed_of(state, kernel);
  return !answer_of(state, kernel).empty() || (revealed && revealed->measured_ns);
}

/// A hint is offered once the one before it is open, and until the question is answered.
bool offers_hint(const State& state, const LessonBlock& block) {
  if (!is_open(state, key_of_hint(block, block.hint)) && is_answered(state, block.kernel))
    return false;
  return block.hint == 1 || is_open(state, key_of_hint(block, block.hint - 1));
}

float draw_hint_line(Ui& ui, const Area& area, const LessonBlock& block) {
  const std::string key = key_of_hint(block, block.hint);
  const std::string which =
      "hint " + std::to_string(block.hint) + " of " + std::to_string(block.hints);
  return draw_fold_line(ui, area, "hint", key, (is_open(ui.state, key) ? "Fold " : "Show ") + which,
                        "");
}

std::string text_of(const LessonBlock& block) {
  std::string text;
  for (const TextRun& run : block.block.runs) text += run.text;
  return text;
}

/// What the block asks; where that was answered, or the rung has run at that size, the same at one where it has not.
/// `said` receives that.
Asked question_of(const State& state, const LessonBlock& block, std::string* said) {
  Asked asked = asked_in(text_of(block), *state.selection.lab, block.kernel);
  if (!has_seen(state, block.kernel, asked.set)) {
    const bool is_elsewhere = !agrees(shown_params(state), asked.set);
    if (is_elsewhere && has_seen(state, block.kernel, {}))
      *said = "You have seen it at " + asked_size(state, {}) + ".";
    return asked;
  }
  const bool is_answered = revealed_of(state, block.kernel).has_value();
  *said =
      (is_answered ? "Answered at " : "You have seen it at ") + asked_size(state, asked.set) + ".";
  const Params unseen = unseen_size(state, block.kernel, asked.set);
  if (unseen.empty())
    *said += " An answer now counts as after the fact.";
  else
    asked.set = unseen;
  return asked;
}

bool can_run_here(const State& state, const std::string& kernel) {
  const RungView* row = find_row(state.ladder, kernel);
  return !state.is_replay() && row && row->can_run;
}

/// At the size in view, or a smaller one in its place, and beside another rung as well as alone.
bool has_run_here(const State& state, const RungView& row) {
  const Params wanted = view_params(state, row.info);
  const auto& all = state.run().series();
  return std::any_of(all.begin(), all.end(), [&](const Series& series) {
    return series.kernel == row.rung->kernel && !series.is_under_way() &&
           agrees(asked_params(series), wanted);
  });
}

}  // namespace

bool hides_outcome(const State& state, const std::string& kernel) {
  if (is_predicting(state, kernel) || is_locked(state, kernel)) return true;
  const RungView* row = find_row(state.ladder, kernel);
  if (!row) return false;
  if (!is_learning(state))
    return has_question(state, kernel) && !has_run_here(state, *row) &&
           !is_answered(state, kernel) && !shows_outcome(state, kernel);
  return can_run_here(state, kernel) ? !has_run_here(state, *row) : awaits_answer(state, kernel);
}

namespace {

/// The lesson's own field: of a rung whose run would not give the answer.
float draw_answer_field(Ui& ui, const Area& area, const LessonBlock& block) {
  const State& state = ui.state;
  const std::string kept = answer_of(state, block.kernel);
  const Area line = {area.x + ui.px(16), area.y, area.w - ui.px(16), ui.px(32)};
  const bool is_late = can_run_here(state, block.kernel)
                           ? has_run_here(state, *find_row(state.ladder, block.kernel))
                           : !hides_outcome(state, block.kernel);
  text_line(ui, "lesson:answer", line, "Your answer", kept, "a number, as 128 MiB, 3x or 40 %",
            [kernel = block.kernel, is_late](State& changed, const std::string& text) {
              keep_answer(changed, kernel, text, is_late);
            });
  return line.h + ui.px(12);
}

/// Leads to the field that takes the prediction, at the size that is asked for, or says why none is taken now.
float draw_predict_button(Ui& ui, const Area& area, const LessonBlock& block) {
  const State& state = ui.state;
  if (!asks_for_time(text_of(block)) || !can_run_here(state, block.kernel))
    return draw_answer_field(ui, area, block);
  const std::string why = predict_blocker(state);
  std::string said;
  const Asked asked = question_of(state, block, &said);
  const bool is_elsewhere = !agrees(shown_params(state), asked.set);
  const std::string label =
      "Predict" + (is_elsewhere || !said.empty() ? " " + asked_size(state, asked.set) : "");
  const float w = std::max(ui.px(120), ui.width(label, kSmall_px + 1, Face::strong) + ui.px(32));
  const Area button = {area.x + ui.px(16), area.y, std::min(w, area.w - ui.px(16)), ui.px(32)};
  if (ui.button("lesson:predict", button, label, Ui::Kind::normal, why.empty()))
    ui.dispatch([asked, kernel = block.kernel, why](State& changed) {
      if (why.empty())
        ask_prediction(changed, kernel, asked);
      else
        changed.notice = {why, false};
    });
  if (!why.empty()) said = why;
  if (said.empty()) return button.h + ui.px(12);
  ui.widgets["lesson:seen"] = {area.x, area.y, area.w, why.empty() ? button.h : 0};
  const Area words = {button.right() + ui.px(12), area.y + ui.px(6), 0, 0};
  const float h =
      ui.paragraph({words.x, words.y, area.right() - words.x, 0}, said, kSmall_px, Role::muted);
  return std::max(button.h, h + ui.px(6)) + ui.px(12);
}

/// What others measured would be the answer to what is asked.
float draw_hidden_outcome(Ui& ui, const Area& area) {
  const std::string& rung = ui.state.selection.rung;
  const bool is_free = !is_learning(ui.state) || !can_run_here(ui.state, rung);
  const bool is_hidden_by_choice =
      is_free && !is_predicting(ui.state, rung) && !is_locked(ui.state, rung);
  if (is_hidden_by_choice) {
    const float h = draw_fold_line(ui, area, "outcome", key_of_outcome(rung),
                                   "Answer first, or show what happened", "");
    ui.widgets["outcome_folded"] = {area.x, area.y, area.w, h};
    return h;
  }
  const std::string size = asked_size(ui.state, {});
  const float h = ui.paragraph(
      {area.x, area.y + ui.px(4), area.w, 0},
      is_locked(ui.state, rung) ? "The outcome is hidden until your prediction's run is over."
      : is_predicting(ui.state, rung)
          ? "The outcome is hidden while you predict it."
          : "The outcome is hidden until this rung has run here" +
                (size.empty() ? "" : " at " + size) + ": predict it, then run it.",
      kSmall_px, Role::muted);
  ui.widgets["outcome_folded"] = {area.x, area.y, area.w, h + ui.px(8)};
  return h + ui.px(12);
}

/// Of a prediction that was written down, above what happened.
float draw_said(Ui& ui, const Area& area, const LessonBlock& question) {
  const std::string said =
      answer_sentence(ui.state, question.kernel, text_of(question), question.answer);
  if (said.empty()) return 0;
  const float h = ui.paragraph(area, said, kBody_px, Role::text, Face::strong);
  ui.widgets["lesson:said"] = {area.x, area.y, area.w, h};
  return h + ui.px(10);
}

/// Of a rung whose type was not chosen, that of its result.
Params problem_shown(const State& state, const RungView& row) {
  Params shown = view_params(state, row.info);
  const auto& chosen = state.selection.params;
  const auto type = chosen.find("dtype");
  const bool is_own = type == chosen.end() || to_string(type->second) == kOwnType;
  if (is_own && row.series) {
    const auto measured = row.series->params.find("dtype");
    if (measured != row.series->params.end()) shown["dtype"] = measured->second;
  }
  return shown;
}

/// What the first figure of a rung's outcome has otherwise than the problem in view, its type or its sizes; empty: a figure
/// is of that problem, or the rung has none.
Params counted_elsewhere(const State& state, const LessonBlock& block) {
  const RungView* row = find_row(state.ladder, block.kernel);
  if (!row || !row->info) return {};
  const Params shown = problem_shown(state, *row);
  const auto& params = state.selection.lab->params;
  Params first;
  for (const Params& set : block.counted) {
    Params other;
    for (const auto& [name, value] : set) {
      const auto here = shown.find(name);
      const bool is_problem =
          name != "threads" &&
          std::any_of(params.begin(), params.end(),
                      [&, &of = name](const ParamView& one) { return one.name == of; });
      if (is_problem && here != shown.end() && here->second != value) other[name] = value;
    }
    if (other.empty()) return {};
    if (first.empty()) first = std::move(other);
  }
  return first;
}

/// Above figures of another type or size than the run in view: which, and a button that sets it. Returns the height taken.
float draw_elsewhere(Ui& ui, const Area& area, const LessonBlock& block) {
  const State& state = ui.state;
  const Params other = counted_elsewhere(state, block);
  if (other.empty()) return 0;
  const Lab& lab = *state.selection.lab;
  Params here;
  const Params shown = problem_shown(state, *find_row(state.ladder, block.kernel));
  std::string target;
  for (const auto& [name, value] : other) {
    here[name] = shown.at(name);
    target += (target.empty() ? "" : " ") + name + "=" + to_string(value);
  }
  const std::string there = params_in_words(lab, other), label = "Set " + there;
  const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(32), gap = ui.px(12);
  const std::string said =
      "These figures are of " + there + "; in view is " + params_in_words(lab, here) + ".";
  const bool is_beside = area.w > 2 * w + gap;
  const float words_w = is_beside ? area.w - w - gap : area.w;
  const float words_h =
      ui.paragraph({area.x, area.y + ui.px(5), words_w, 0}, said, kSmall_px, Role::limit);
  const Area button = {is_beside ? area.right() - w : area.x,
                       is_beside ? area.y : area.y + words_h + ui.px(9), std::min(w, area.w),
                       ui.px(32)};
  if (ui.button("lesson:set", button, label, Ui::Kind::normal))
    ui.dispatch([kernel = block.kernel, target](State& changed) {
      follow_link(changed, kernel, {.kind = study::LessonLink::Kind::set, .target = target});
    });
  ui.widgets["lesson:elsewhere"] = {area.x, area.y, words_w, words_h};
  return std::max(button.bottom(), area.y + words_h + ui.px(5)) - area.y + ui.px(10);
}

/// Returns the height taken.
float draw_mark_note(Ui& ui, const Area& below, const LessonBlock& block) {
  if (block.mark_note.empty()) return 0;
  const float h = ui.paragraph(below, block.mark_note, kTiny_px, Role::muted);
  ui.widgets["lesson:mark"] = {below.x, below.y, below.w, h};
  return h + ui.px(10);
}

}  // namespace

float LessonTab::draw_block(Ui& ui, const Area& area, const LessonBlock& lesson) {
  const Block& block = lesson.block;
  switch (block.kind) {
    case Block::Kind::heading: {
      const float top = ui.px(block.level == 1 ? 2 : 8);
      return top +
             ui.paragraph({area.x, area.y + top, area.w, 0}, lesson.title,
                          block.level == 1 ? kHeading_px : kBody_px + 1, Role::text, Face::strong) +
             ui.px(4);
    }
    case Block::Kind::paragraph:
      return draw_words(ui, area, lesson, kSize_px, kLeading) + ui.px(10);
    case Block::Kind::quote: {
      const Area text = {area.x + ui.px(16), area.y, area.w - ui.px(16), 0};
      float h = draw_words(ui, text, lesson, kSize_px, kLeading);
      ui.fill({area.x, area.y + ui.px(2), ui.px(3), h - ui.px(4)},
              ui.color(lesson.is_answer ? Role::faster : Role::series0), ui.px(1));
      h += ui.px(8);
      if (lesson.is_prediction && !lesson.kernel.empty())
        h += draw_predict_button(ui, {area.x, area.y + h, area.w, 0}, lesson);
      return h;
    }
    case Block::Kind::item: {
      const float indent = ui.px(22) * static_cast<float>(std::max(1, block.level));
      const float line_h = std::round(ui.px(kSize_px) * kLeading);
      ui.text(area.x + indent - ui.px(10), area.y + line_h / 2, block.marker, kSize_px, Role::muted,
              Face::body, Anchor::end);
      const Area text = {area.x + indent, area.y, area.w - indent, 0};
      return draw_words(ui, text, lesson, kSize_px, kLeading) + ui.px(4);
    }
    case Block::Kind::code:
    case Block::Kind::row:
      return is_aside(lesson) ? draw_aside(ui, area, lesson) : draw_diagram(ui, area, lesson);
    case Block::Kind::rule:
      ui.list->AddLine({area.x, area.y + ui.px(8)}, {area.right(), area.y + ui.px(8)},
                       ui.color(Role::grid));
      return ui.px(18);
  }
  return 0;
}

float LessonTab::draw_diagram(Ui& ui, const Area& area, const LessonBlock& lesson) {
  const Block& block = lesson.block;
  const std::string text = block.runs.empty() ? std::string() : block.runs.front().text;
  const std::string name = "diagram:" + block.info.substr(block.info.find(' ') + 1);
  return diagrams_[lesson.part + block.info + text].draw(ui, area, name,
                                                         {lesson.kernel, block.info, text});
}

namespace {

constexpr float kListing_px = kTiny_px + 1, kLeastListing_px = 12;

size_t longest_of(const std::vector<std::string_view>& lines) {
  size_t longest = 0;
  for (const std::string_view line : lines) longest = std::max(longest, code_columns(line));
  return longest;
}

/// As large as leaves its longest line whole. Its columns stand under each other, so that no line of it is broken: where it is
/// too wide at the least size, it is scrolled.
float draw_listing(Ui& ui, const Area& area, const std::string& text) {
  const float pad = ui.px(12), room = area.w - 2 * pad;
  const std::vector<std::string_view> lines = app::split_lines(text);
  const auto columns = static_cast<float>(longest_of(lines));
  float size = kListing_px;
  while (size > kLeastListing_px && code_column(ui, size) * columns > room) size -= 0.5f;
  const float longest = code_column(ui, size) * columns;
  const bool is_scrolled = longest > room;
  const float line_h = ui.px(21), bar_h = is_scrolled ? ImGui::GetStyle().ScrollbarSize : 0;
  const float text_h = line_h * static_cast<float>(lines.size()), h = text_h + ui.px(16) + bar_h;
  ui.fill({area.x, area.y, area.w, h}, ui.color(Role::canvas), ui.px(5));
  const std::string name =
      free_name(ui, "lesson:listing:" + std::string(lines.empty() ? "" : lines.front()));
  ui.widgets[name] = {area.x, area.y, area.w, h};
  const auto draw_lines = [&](float x, float y) {
    LexState lexer;
    for (const std::string_view line : lines) {
      draw_code_line(ui, x, y + line_h / 2, line, &lexer, size);
      y += line_h;
    }
  };
  if (!is_scrolled) {
    draw_lines(area.x + pad, area.y + ui.px(8));
    return h + ui.px(10);
  }
  ImGui::SetCursorScreenPos({area.x + pad, area.y + ui.px(8)});
  ImGui::BeginChild(name.c_str(), {room, text_h + bar_h}, false,
                    ImGuiWindowFlags_HorizontalScrollbar);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_lines(at.x, at.y);
  ImGui::Dummy({longest, text_h});
  ui.widgets[name + ":beyond"] = {area.x, area.y, ImGui::GetScrollMaxX(), ImGui::GetScrollMaxY()};
  ImGui::EndChild();
  ui.list = outer;
  return h + ui.px(10);
}

/// A cell whose text is wider than its column goes on below.
float draw_row(Ui& ui, const Area& area, const LessonBlock& lesson) {
  const Block& block = lesson.block;
  const Role role = block.header ? Role::text : Role::muted;
  const Face face = block.header ? Face::strong : Face::body;
  float x = area.x, most = 0;
  for (size_t i = 0; i < block.runs.size(); ++i) {
    const float w = area.w * lesson.shares[i];
    const Area place = {x, area.y + ui.px(3), w - ui.px(8), 0};
    const float h = ui.paragraph(place, block.runs[i].text, kSmall_px, role, face);
    most = std::max(most, h);
    if (!lesson.cells[i].empty()) {
      const std::string name = free_name(ui, "figure:" + lesson.part);
      if (ui.hovers(name, {x, area.y, w - ui.px(8), h + ui.px(6)})) ui.tooltip(lesson.cells[i]);
    }
    x += w;
  }
  return std::max(ui.px(26), most + ui.px(6));
}

}  // namespace

bool is_aside(const LessonBlock& lesson) {
  const Block& block = lesson.block;
  return block.kind == Block::Kind::row ||
         (block.kind == Block::Kind::code && !diagram::is_diagram(block.info));
}

float draw_aside(Ui& ui, const Area& area, const LessonBlock& lesson) {
  if (lesson.block.kind == Block::Kind::row) return draw_row(ui, area, lesson);
  const auto& runs = lesson.block.runs;
  return draw_listing(ui, area, runs.empty() ? std::string() : runs.front().text);
}

namespace {

int64_t count_results(const Run& run) {
  const auto& all = run.series();
  return std::count_if(all.begin(), all.end(),
                       [](const Series& series) { return !series.is_under_way(); });
}

}  // namespace

float draw_hints(Ui& ui, const Area& area, const std::vector<LessonBlock>& blocks,
                 const std::string& kernel, float size, float leading) {
  Area rest = area;
  for (const LessonBlock& block : blocks) {
    if (block.hint == 0 || block.kernel != kernel) continue;
    if (block.hint > 1 && !is_open(ui.state, key_of_hint(block, block.hint - 1))) break;
    if (block.lead == study::kHint) rest.take_top(draw_hint_line(ui, rest, block));
    if (!is_open(ui.state, key_of_hint(block, block.hint))) continue;
    const Area text = {rest.x + ui.px(16), rest.y, rest.w - ui.px(16), 0};
    rest.take_top(draw_words(ui, text, block, size, leading), ui.px(8));
  }
  return rest.y - area.y;
}

float draw_question(Ui& ui, const Area& area, const std::vector<LessonBlock>& blocks,
                    const std::string& kernel, float size, float leading) {
  Area rest = area;
  const Area inset = {area.x + ui.px(16), area.y, area.w - ui.px(16), 0};
  std::string folded;
  for (const LessonBlock& block : blocks) {
    if (block.question.empty() || block.kernel != kernel) continue;
    if (block.is_answer && block.question != folded)
      rest.take_top(draw_answer_line(ui, rest, folded = block.question));
    if (block.is_answer && !is_open(ui.state, block.question)) continue;
    LessonBlock plain = block;
    for (Word& word : plain.words) word.link.clear();
    const float h = draw_words(ui, {inset.x, rest.y, inset.w, 0}, plain, size, leading);
    ui.fill({area.x, rest.y + ui.px(2), ui.px(3), h - ui.px(4)},
            ui.color(block.is_answer ? Role::faster : Role::series0), ui.px(1));
    rest.take_top(h, ui.px(8));
  }
  return rest.y - area.y;
}

namespace {

/// Where the reader stands: the rung, the problem in view, and whether it is being predicted.
std::string place_of(const State& state) {
  const std::string& rung = state.selection.rung;
  const bool is_told = state.teaching.tour || state.teaching.presenting;
  const std::string step =
      is_told ? fmt::format(" told {} {} {}", state.teaching.tour_step,
                            static_cast<int>(state.teaching.beat), shows_canvas(state))
              : "";
  return rung + " " + to_string(shown_params(state)) + step +
         (is_predicting(state, rung) ? " predicted " : " ");
}

}  // namespace

const std::vector<LessonBlock>& LessonText::blocks(const State& state) {
  const Lab& lab = *state.selection.lab;
  if (path_ != lab.lesson) {
    path_ = lab.lesson;
    const auto text = study::read_asset(path_);
    text_ = text ? *text : std::string();
    made_of_.clear();
    shown_.clear();
    blocks_.clear();
  }
  const std::string place = place_of(state);
  const bool has_moved = place != std::exchange(place_, place);
  const int64_t results = count_results(state.run());
  const bool has_result = results != std::exchange(results_, results);
  // A run of a whole ladder takes minutes: its text follows from rung to rung, and disturbs none while it is timed.
  if (!blocks_.empty() && !has_moved && !has_result && state.requests.is_measuring())
    return blocks_;
  const std::string made_of = place + figures_depend_on(state);
  if (text_.empty() || made_of == std::exchange(made_of_, made_of)) return blocks_;
  const figure::Text text = figure_text(state, text_, path_, lesson_view(state));
  std::string shown = figure::linked(text) + figure::sources_text(text);
  if (shown == shown_) return blocks_;
  shown_ = std::move(shown);
  blocks_ = lesson_blocks(text, lab);
  return blocks_;
}

void LessonTab::draw(Ui& ui, Area area, const UnderTitle& under_title,
                     const UnderPart& under_part) {
  const std::vector<LessonBlock>& blocks = text_.blocks(ui.state);
  if (std::exchange(path_, text_.path()) != path_) diagrams_.clear();
  if (blocks.empty()) {
    draw_empty_state(ui, area, "This lab has no lesson yet.",
                     "It would be " + path_ + ", built in or under RIDGEPOINT_ASSETS.");
    return;
  }
  const std::string& rung = ui.state.selection.rung;
  const auto question = std::find_if(blocks.begin(), blocks.end(), [&](const LessonBlock& block) {
    return block.is_prediction && block.kernel == rung;
  });
  std::string folded;  // the question whose fold line was drawn last
  const bool is_folded_away = hides_outcome(ui.state, rung);
  // Who predicted looks for the outcome next: it comes into view by itself, once.
  const auto revealed = revealed_of(ui.state, rung);
  const bool is_over = awaited_ == rung && revealed && revealed->measured_ns && !is_folded_away;
  if (is_locked(ui.state, rung))
    awaited_ = rung;
  else if (is_over || awaited_ != rung)
    awaited_.clear();
  bool said = false;
  const auto draw_one = [&](const LessonBlock& block) {
    if (is_folded_away && block.gives_away) {
      if (!std::exchange(said, true)) area.y += draw_hidden_outcome(ui, area);
      return;
    }
    if (block.hint > 0) {
      if (!offers_hint(ui.state, block)) return;
      if (block.lead == study::kHint) area.y += draw_hint_line(ui, area, block);
      if (!is_open(ui.state, key_of_hint(block, block.hint))) return;
    }
    if (block.is_answer && block.question != folded)
      area.y += draw_answer_line(ui, area, folded = block.question);
    if (block.lead == study::kWhatHappened && question != blocks.end() && block.kernel == rung) {
      ui.widgets["lesson:happened"] = {area.x, area.y, area.w, ui.px(kLineOfOutcome)};
      if (is_over) ImGui::SetScrollFromPosY(area.y - ImGui::GetWindowPos().y, 0.1f);
      area.y += draw_said(ui, area, *question);
    }
    if (block.lead == study::kWhatHappened && block.kernel == rung)
      area.y += draw_elsewhere(ui, area, block);
    if (block.is_answer && !is_open(ui.state, block.question)) return;
    area.y += draw_block(ui, area, block);
    area.y += draw_mark_note(ui, area, block);
  };
  // What is folded is not told above it.
  const std::vector<Bottleneck> expected =
      causes_in(is_folded_away ? nullptr : expected_limit(blocks, rung));
  // The selected rung's part, then everything that belongs to no rung.
  bool found = false;
  const bool asks = question != blocks.end();
  const auto draw_results = [&] {
    area.y += under_title(area, expected);
    if (!asks) area.y += under_part(area);
  };
  for (const LessonBlock& block : blocks) {
    if (block.kernel.empty() || block.kernel != rung) continue;
    draw_one(block);
    if (!std::exchange(found, true)) draw_results();
  }
  if (!found) draw_results();
  if (asks) area.y += under_part(area);
  if (found) {
    area.y += ui.px(10);
    ui.list->AddLine({area.x, area.y}, {area.right(), area.y}, ui.color(Role::grid));
    area.y += ui.px(14);
  }
  for (const LessonBlock& block : blocks) {
    if (block.kernel.empty()) draw_one(block);
  }
  if (ui.state.teaching.diagram_moves != 0)  // every diagram has taken them
    ui.dispatch([](State& state) { state.teaching.diagram_moves = 0; });
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::Dummy({area.w, ui.px(8)});
}

namespace {

constexpr std::string_view kDot = "· ";

/// "gemm.cpu.loop_order · loop order": a heading that begins with a kernel's id opens that rung's part.
std::string kernel_of(const Block& block, const Lab& lab) {
  if (block.kind != Block::Kind::heading || block.runs.empty()) return {};
  const std::string& text = block.runs.front().text;
  for (const Rung& rung : lab.rungs) {
    const std::string_view id = rung.kernel;
    const bool starts = text.compare(0, id.size(), id) == 0;
    if (starts && (text.size() == id.size() || text[id.size()] == ' ')) return rung.kernel;
  }
  return {};
}

std::string title_of(const Block& block, bool of_a_rung) {
  const std::string text = block.runs.empty() ? std::string() : block.runs.front().text;
  const size_t dot = text.find(kDot);
  return of_a_rung && dot != std::string::npos ? text.substr(dot + kDot.size()) : text;
}

/// Where a run is cut: at its spaces, and where a term of the glossary begins and ends.
struct Piece {
  size_t at = 0, size = 0;
  std::string term;
};

std::vector<Piece> pieces_of(const TextRun& run, std::set<std::string>* seen) {
  std::vector<Piece> pieces;
  size_t from = 0;
  const auto& glossary = study_glossary();
  if (glossary && seen && !run.code && run.link.empty()) {
    for (const study::Mention& mention : glossary->mentions(run.text)) {
      const std::string& name = glossary->terms()[static_cast<size_t>(mention.term)].name;
      if (!seen->insert(name).second) continue;
      pieces.push_back({from, mention.at - from, ""});
      pieces.push_back({mention.at, mention.size, name});
      from = mention.at + mention.size;
    }
  }
  pieces.push_back({from, run.text.size() - from, ""});
  return pieces;
}

/// What a link stands for in the text's figures; null: it is none of them.
const figure::Figure* figure_of(const std::string& link, const figure::Text& text) {
  if (!link.starts_with(figure::kFigureLink)) return nullptr;
  const auto at = static_cast<size_t>(std::atoi(link.c_str() + figure::kFigureLink.size()));
  return at < text.figures.size() ? &text.figures[at] : nullptr;
}

/// `seen`: the terms that the part has linked already; null: none is linked here.
std::vector<Word> words_of(const std::vector<TextRun>& runs, Role plain,
                           std::set<std::string>* seen, const figure::Text& text) {
  std::vector<Word> words;
  bool space = false;
  for (const TextRun& run : runs) {
    const std::string link = study::lesson_link(run.link) ? run.link : std::string();
    const figure::Figure* figure = figure_of(run.link, text);
    const Face face = run.code ? Face::mono : run.strong ? Face::strong : Face::body;
    const Role role = run.strong || run.emphasis || run.code ? Role::text : plain;
    for (const Piece& piece : pieces_of(run, seen)) {
      for (size_t at = piece.at; at < piece.at + piece.size;) {
        if (run.text[at] == ' ' || run.text[at] == '\n') {
          space = true;
          ++at;
          continue;
        }
        const size_t end = std::min(run.text.find_first_of(" \n", at), piece.at + piece.size);
        words.push_back({run.text.substr(at, end - at), face, role, space, link, piece.term,
                         figure ? figure->source : std::string(), figure && figure->is_recorded});
        space = false;
        at = end;
      }
    }
  }
  return words;
}

using Blocks = std::span<const LessonBlock>;

/// Of the recorded figures of the section's own rung, where all are of one problem; empty: they differ, or there is none.
Params recorded_set(const figure::Text& text, Blocks section) {
  std::optional<Params> set;
  for (const LessonBlock& block : section) {
    for (const TextRun& run : block.block.runs) {
      const figure::Figure* figure = figure_of(run.link, text);
      if (!figure || !figure->is_recorded) continue;
      const auto reference = figure::parse_reference(figure->reference);
      if (!reference || reference->kernel != block.kernel) continue;
      if (set && *set != figure->set) return {};
      set = figure->set;
    }
  }
  return set.value_or(Params());
}

/// "n = 512": what of them says how large the problem is; empty: none does.
std::string size_of_set(const Params& set) {
  std::string size;
  for (const auto& [name, value] : set) {
    if (name != "dtype" && name != "threads")
      size += (size.empty() ? "" : ", ") + name + " = " + to_string(value);
  }
  return size;
}

/// The machines of the recorded figures, in their order.
std::vector<std::string> recorded_machines(const figure::Text& text, Blocks section) {
  std::vector<std::string> machines;
  for (const LessonBlock& block : section) {
    for (const TextRun& run : block.block.runs) {
      const figure::Figure* figure = figure_of(run.link, text);
      if (!figure || !figure->is_recorded || figure->machine.empty()) continue;
      if (std::find(machines.begin(), machines.end(), figure->machine) == machines.end())
        machines.push_back(figure->machine);
    }
  }
  return machines;
}

/// Of the figures of the part's own rung, in their order.
std::vector<Params> sets_of(const figure::Text& text, const LessonBlock& block) {
  std::vector<Params> sets;
  for (const TextRun& run : block.block.runs) {
    const figure::Figure* figure = figure_of(run.link, text);
    if (!figure || !figure->gap.empty()) continue;
    const auto reference = figure::parse_reference(figure->reference);
    if (reference && reference->kernel == block.kernel) sets.push_back(figure->set);
  }
  return sets;
}

/// A Why counts on the machine and at the size that its figures are of: where the machine is another, the reader's own
/// bars beside it differ, and it says both first.
void name_machine(const figure::Text& text, Blocks section, LessonBlock* why) {
  const std::vector<std::string> machines = recorded_machines(text, section);
  if (machines.empty()) return;
  const auto begins = std::find_if(why->words.begin(), why->words.end(),
                                   [](const Word& word) { return word.face != Face::strong; });
  const Params set = recorded_set(text, section);
  const std::string size = size_of_set(set);
  if (!size.empty()) why->counted = {set};
  const std::string said = fmt::format(
      "{} ({}) on {}{}:", machines.size() > 1 ? "In recorded runs" : "In a recorded run",
      figure::kRecordedMark, fmt::join(machines, " and "), size.empty() ? "" : ", " + size);
  std::vector<Word> words;
  for (size_t at = 0; at < said.size();) {
    const size_t end = std::min(said.find(' ', at), said.size());
    words.push_back({said.substr(at, end - at), Face::body, Role::limit, true});
    at = end + 1;
  }
  why->words.insert(begins, words.begin(), words.end());
}

/// It goes on with what a lead of `first` began.
bool is_of_section(const LessonBlock& block, const LessonBlock& first) {
  return block.part == first.part && block.title.empty() && block.lead.empty() &&
         block.block.kind != Block::Kind::quote;
}

/// In each part the Why with the paragraphs, lists and tables up to the next lead.
void name_machines(const figure::Text& text, std::vector<LessonBlock>* blocks) {
  for (size_t first = 0; first < blocks->size(); ++first) {
    LessonBlock& why = (*blocks)[first];
    if (why.lead != study::kWhy) continue;
    size_t end = first + 1;
    while (end < blocks->size() && is_of_section((*blocks)[end], why))
      (*blocks)[end++].is_why = true;
    why.is_why = true;
    name_machine(text, Blocks(*blocks).subspan(first, end - first), &why);
  }
}

/// "† recorded on NVIDIA H200"; empty: none of its figures was recorded.
std::string mark_note_of(const figure::Text& text, const LessonBlock& block) {
  const std::vector<std::string> machines = recorded_machines(text, Blocks(&block, 1));
  if (machines.empty()) return "";
  return fmt::format("{} recorded on {}", figure::kRecordedMark, fmt::join(machines, ", "));
}

/// The mark is explained where it stands: under the last of neighbours with the same machines. A Why has said it itself.
void explain_marks(const figure::Text& text, std::vector<LessonBlock>* blocks) {
  for (LessonBlock& block : *blocks)
    if (!block.is_why) block.mark_note = mark_note_of(text, block);
  for (size_t i = 0; i + 1 < blocks->size(); ++i) {
    const LessonBlock& next = (*blocks)[i + 1];
    const bool is_neighbour =
        next.part == (*blocks)[i].part && next.question == (*blocks)[i].question &&
        next.is_answer == (*blocks)[i].is_answer && next.gives_away == (*blocks)[i].gives_away;
    if (is_neighbour && next.mark_note == (*blocks)[i].mark_note) (*blocks)[i].mark_note.clear();
  }
}

std::string lead_of(const Block& block) {
  return !block.runs.empty() && block.runs.front().strong ? block.runs.front().text : "";
}

/// Pairs of quotes become questions with their answers; an answer lasts as long as quotes follow.
void mark_questions(std::vector<LessonBlock>* blocks) {
  std::string open;
  bool in_answer = false;
  int count = 0;
  for (size_t i = 0; i < blocks->size(); ++i) {
    LessonBlock& block = (*blocks)[i];
    const bool same_part = i > 0 && (*blocks)[i - 1].part == block.part;
    if (!same_part) count = 0;
    const bool is_quote = block.block.kind == Block::Kind::quote;
    if (!is_quote || !same_part) open.clear(), in_answer = false;
    if (is_quote && block.lead == study::kQuestion) {
      open = block.part + "#" + std::to_string(count++);
      in_answer = false;
    } else if (is_quote && block.lead == study::kAnswer) {
      in_answer = !open.empty();
    }
    block.question = open;
    block.is_answer = in_answer;
  }
}

/// A prediction is followed by its hints; a hint lasts as long as quotes without a lead follow.
void mark_hints(std::vector<LessonBlock>* blocks) {
  std::vector<LessonBlock*> hints;  // of the prediction in hand
  int count = 0;
  const auto end = [&] {
    for (LessonBlock* hint : hints) hint->hints = count;
    hints.clear();
    count = 0;
  };
  for (LessonBlock& made : *blocks) {
    if (made.block.kind != Block::Kind::quote) {
      end();
      continue;
    }
    made.is_prediction = made.lead == study::kPrediction;
    if (made.is_prediction || made.lead == study::kQuestion) end();
    if (made.lead == study::kHint) ++count;
    if (count == 0 || (made.lead != study::kHint && !made.lead.empty())) continue;
    made.hint = count;
    hints.push_back(&made);
  }
  end();
}

/// A section that gives away the result lasts until the next section, diagram, quote or heading.
void mark_what_gives_away(std::vector<LessonBlock>* blocks) {
  bool inside = false;
  for (LessonBlock& made : *blocks) {
    const Block::Kind kind = made.block.kind;
    const bool is_prose = kind == Block::Kind::paragraph || kind == Block::Kind::item ||
                          kind == Block::Kind::row ||
                          (kind == Block::Kind::code && !diagram::is_diagram(made.block.info));
    if (!is_prose)
      inside = false;
    else if (study::begins_section(made.lead))
      inside = study::gives_away(made.lead);
    made.gives_away = inside;
  }
}

/// Whether the figure answers a question for a time of the rung, or for a factor over `of`.
bool answers(const figure::Figure& figure, const std::string& kernel, const std::string& of,
             bool asks_time) {
  if (figure.is_answer || !asks_time) return figure.is_answer;
  const auto reference = figure::parse_reference(figure.reference);
  return reference && reference->kernel == kernel && reference->versus == of &&
         (!of.empty() || reference->metric == "time_per_call");
}

/// Each prediction gets the first figure of its part's outcome that answers it.
void find_answers(const figure::Text& text, const Lab& lab, std::vector<LessonBlock>* blocks) {
  LessonBlock* question = nullptr;
  for (LessonBlock& block : *blocks) {
    if (block.is_prediction) question = &block;
    const bool is_outcome = question && block.lead == study::kWhatHappened &&
                            block.part == question->part && !block.kernel.empty();
    if (!is_outcome) continue;
    const std::string asked = text_of(*question);
    const std::string of = asked_in(asked, lab, block.kernel).of;
    for (const TextRun& run : block.block.runs) {
      const figure::Figure* figure = figure_of(run.link, text);
      if (!figure || !answers(*figure, block.kernel, of, asks_for_time(asked))) continue;
      question->answer = *figure;
      break;
    }
  }
}

/// What a link does, before it is clicked.
std::string saying_of(const State& state, const study::LessonLink& link) {
  switch (link.kind) {
    case study::LessonLink::Kind::code:
      return "Shows this place in the source";
    case study::LessonLink::Kind::set: {
      const auto params = params_of_words(link.target);
      return "Sets " + (params ? params_in_words(*state.selection.lab, *params) : link.target);
    }
    case study::LessonLink::Kind::view: {
      const ViewDesc* view = find_view(link.target);
      if (!view) return "";
      return "Opens the view " + std::string(view->label) +
             (is_shown(view->level, state.appearance.level)
                  ? ""
                  : ", which has a button at level " + std::string(name_of(view->level)));
    }
    case study::LessonLink::Kind::compare: {
      const auto rung = find_rung(*state.selection.lab, link.target);
      return rung ? "Compares in turns; the baseline is " + std::string((*rung)->title) : "";
    }
    case study::LessonLink::Kind::act: {
      const Action* found = find_action(link.target);
      return found ? found->title : "";
    }
  }
  return {};
}

/// Whether it is a further word of the link, term or figure that the word before it is of.
bool continues(const std::vector<Word>& words, size_t i) {
  return i > 0 && words[i - 1].link == words[i].link && words[i - 1].term == words[i].term &&
         words[i - 1].figure == words[i].figure;
}

/// One word's link: underlined, explained when hovered, followed when clicked. Its first word alone is a stop of Tab.
void touch_link(Ui& ui, const LessonBlock& block, const Word& word, const std::string& name,
                const Area& place, bool is_stop) {
  const auto touched = ui.touch(name, place, is_stop);
  const auto link = study::lesson_link(word.link);
  const float y = place.bottom() - ui.px(3), thick = ui.px(1);
  ui.fill({place.x, y, place.w, thick},
          ui.color(link ? Role::series0 : Role::muted, touched.hovered ? 1 : 0.5f));
  if (touched.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const auto& glossary = study_glossary();
    const study::Term* term = glossary && !link ? glossary->find(word.term) : nullptr;
    ui.tooltip(link ? saying_of(ui.state, *link) : term ? plain_text(*term) : "");
  }
  if (!touched.clicked) return;
  ui.dispatch([link, kernel = block.kernel, term = word.term](State& state) {
    if (link)
      follow_link(state, kernel, *link);
    else
      open_term(state, term);
  });
}

/// A measured figure: a line of dots under it where another machine made it, and its interval and source when hovered.
void touch_figure(Ui& ui, const LessonBlock& block, const Word& word, const Area& place,
                  bool is_stop) {
  const auto touched = ui.touch(free_name(ui, "figure:" + block.part), place, is_stop);
  const float y = place.bottom() - ui.px(3), step = word.is_recorded ? ui.px(4) : place.w;
  for (float x = place.x; x < place.right() - 1; x += step) {
    const float w = std::min(word.is_recorded ? ui.px(2) : place.w, place.right() - x);
    ui.fill({x, y, w, ui.px(1)}, ui.color(Role::muted, touched.hovered ? 1 : 0.6f));
  }
  if (touched.hovered) ui.tooltip(word.figure);
}

}  // namespace

namespace {

/// A column of a table is as wide as its longest cell asks for beside the others; a sentence goes on below.
void share_columns(std::vector<LessonBlock>* blocks) {
  constexpr size_t kApart = 2, kMost = 32;  // characters
  const auto is_row = [&](size_t i) {
    return i < blocks->size() && (*blocks)[i].block.kind == Block::Kind::row;
  };
  for (size_t first = 0, end = 0; first < blocks->size(); first = std::max(end, first + 1)) {
    std::vector<float> shares;
    for (end = first; is_row(end) && (end == first || !(*blocks)[end].block.header); ++end) {
      const std::vector<TextRun>& cells = (*blocks)[end].block.runs;
      shares.resize(std::max(shares.size(), cells.size()));
      for (size_t i = 0; i < cells.size(); ++i) {
        const size_t needs = std::min(code_columns(cells[i].text), kMost) + kApart;
        shares[i] = std::max(shares[i], static_cast<float>(needs));
      }
    }
    const float all = std::accumulate(shares.begin(), shares.end(), 0.0f);
    for (float& share : shares) share /= all;
    for (size_t row = first; row < end; ++row) (*blocks)[row].shares = shares;
  }
}

}  // namespace

std::vector<LessonBlock> lesson_blocks(const figure::Text& text, const Lab& lab) {
  std::vector<LessonBlock> blocks;
  std::string part, kernel;
  std::set<std::string> seen,
      general;  // the parts of no rung stand on one page, so a term is linked once in all of them
  for (Block& block : study::parse_markdown(figure::linked(text))) {
    const bool heads = block.kind == Block::Kind::heading;
    if (heads && block.level <= 2) {
      kernel = kernel_of(block, lab);
      part = kernel.empty() ? title_of(block, false) : kernel;
      seen.clear();
    }
    LessonBlock made;
    made.part = part;
    made.kernel = kernel;
    if (heads) made.title = title_of(block, !kernel.empty());
    const bool is_text = block.kind == Block::Kind::paragraph || block.kind == Block::Kind::quote ||
                         block.kind == Block::Kind::item;
    if (is_text)
      made.words = words_of(block.runs, Role::muted, kernel.empty() ? &general : &seen, text);
    for (const TextRun& cell : block.runs) {
      const figure::Figure* figure = figure_of(cell.link, text);
      made.cells.push_back(figure ? figure->source : std::string());
    }
    made.lead = lead_of(block);
    made.block = std::move(block);
    if (study::says_limit(made.lead)) made.limits = study::limits_named(text_of(made));
    if (made.lead == study::kWhatHappened) made.counted = sets_of(text, made);
    blocks.push_back(std::move(made));
  }
  share_columns(&blocks);
  name_machines(text, &blocks);
  mark_questions(&blocks);
  mark_hints(&blocks);
  mark_what_gives_away(&blocks);
  find_answers(text, lab, &blocks);
  explain_marks(text, &blocks);
  return blocks;
}

const LessonBlock* expected_limit(const std::vector<LessonBlock>& blocks,
                                  const std::string& kernel) {
  const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const LessonBlock& block) {
    return block.kernel == kernel && study::says_limit(block.lead);
  });
  return found == blocks.end() ? nullptr : &*found;
}

Params counted_at(const std::vector<LessonBlock>& blocks, const Lab& lab,
                  const std::string& kernel) {
  const auto find = [&](const auto& is_it) {
    return std::find_if(blocks.begin(), blocks.end(), [&](const LessonBlock& block) {
      return block.kernel == kernel && is_it(block);
    });
  };
  const auto why = find(
      [](const LessonBlock& block) { return block.lead == study::kWhy && !block.counted.empty(); });
  if (why != blocks.end()) return why->counted.front();
  const auto asks = find([](const LessonBlock& block) { return block.is_prediction; });
  return asks == blocks.end() ? Params() : asked_in(text_of(*asks), lab, kernel).set;
}

std::vector<Bottleneck> causes_in(const LessonBlock* expected) {
  return expected ? expected->limits : std::vector<Bottleneck>();
}

float draw_words(Ui& ui, const Area& area, const LessonBlock& block, float size, float leading,
                 bool measure) {
  const std::vector<Word>& words = block.words;
  const float line_h = std::round(ui.px(size) * leading), space_w = ui.width(" ", size);
  float x = area.x, y = area.y;
  const auto size_of = [&](const Word& word) {
    return word.face == Face::mono ? size - 1.5f : size;
  };
  for (size_t i = 0; i < words.size();) {
    // Pieces without a space between them ("**C**,") stay together.
    size_t end = i + 1;
    while (end < words.size() && !words[end].space_before) ++end;
    float w = 0;
    for (size_t k = i; k < end; ++k) w += ui.width(words[k].text, size_of(words[k]), words[k].face);
    if (words[i].space_before && x > area.x) x += space_w;
    if (x > area.x && x + w > area.right()) {
      x = area.x;
      y += line_h;
    }
    for (; i < end; ++i) {
      const Word& word = words[i];
      if (measure) {
        x += ui.width(word.text, size_of(word), word.face);
        continue;
      }
      const bool links = !word.link.empty() || !word.term.empty();
      const float drawn = ui.text(x, y + line_h / 2, word.text, size_of(word),
                                  word.link.empty() ? word.role : Role::series0, word.face);
      if (links) {
        std::string name = word.link.empty() ? "term:" + block.part + ":" + word.term
                                             : "link:" + block.part + ":" + word.link;
        name = free_name(ui, std::move(name));  // its second word, and so on
        // The space between two words of one link belongs to it.
        const bool goes_on = x > area.x && word.space_before && continues(words, i);
        const float from = goes_on ? x - space_w : x;
        touch_link(ui, block, word, name, {from, y, x + drawn - from, line_h},
                   !continues(words, i));
      }
      if (!word.figure.empty())
        touch_figure(ui, block, word, {x, y, drawn, line_h}, !continues(words, i));
      x += drawn;
    }
  }
  return y + line_h - area.y;
}

}  // namespace ridge::window
