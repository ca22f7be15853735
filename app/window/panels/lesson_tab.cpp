#include <algorithm>
#include <cmath>
#include <utility>

#include "app/study/assets.h"
#include "app/window/panels/panels.h"
#include "app/window/teach/predict.h"

namespace ridge::window {
namespace {

constexpr float kSize_px = kSmall_px + 1, kLeading = 1.5f;

bool is_open(const State& state, const std::string& question) {
  return state.view.open_answers.contains("all") != state.view.open_answers.contains(question);
}

/// The line that an answer is folded behind; a click, or Enter with the focus on it, opens it.
float draw_fold_line(Ui& ui, const Area& area, const std::string& question) {
  const Area line = {area.x, area.y, area.w, ui.px(34)};
  const auto touched = ui.touch("answer:" + question, line);
  const bool open = is_open(ui.state, question);
  if (touched.hovered) ui.fill(line, ui.raised(1), ui.px(5));
  ui.triangle(line.x + ui.px(10), line.middle(), ui.px(10), open, ui.color(Role::series0));
  ui.text(line.x + ui.px(24), line.middle(), open ? "Fold the answer" : "Show the answer",
          kSmall_px, Role::series0);
  ui.text(line.right() - ui.px(8), line.middle(), "A", kTiny_px + 1, Role::muted, Face::mono,
          Anchor::end);
  if (touched.clicked) {
    ui.dispatch([question](State& state) {
      auto& answers = state.view.open_answers;
      if (answers.erase(question) == 0) answers.insert(question);
    });
  }
  return line.h + ui.px(8);
}

/// What others measured would be the answer to what is asked.
float draw_hidden_outcome(Ui& ui, const Area& area) {
  const float h = ui.paragraph(
      {area.x, area.y + ui.px(4), area.w, 0},
      "The outcome measured elsewhere is folded while you predict this rung: run it first.",
      kSmall_px, Role::muted);
  ui.widgets["outcome_folded"] = {area.x, area.y, area.w, h + ui.px(8)};
  return h + ui.px(12);
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
      const float h = draw_words(ui, text, lesson, kSize_px, kLeading);
      ui.fill({area.x, area.y + ui.px(2), ui.px(3), h - ui.px(4)},
              ui.color(lesson.is_answer ? Role::faster : Role::series0), ui.px(1));
      return h + ui.px(8);
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
      return draw_code(ui, area, lesson);
    case Block::Kind::row: {
      const float w = area.w / static_cast<float>(std::max<size_t>(1, block.runs.size()));
      float x = area.x;
      for (const TextRun& cell : block.runs) {
        ui.text(x, area.y + ui.px(13), cell.text, kSmall_px,
                block.header ? Role::text : Role::muted, block.header ? Face::strong : Face::body,
                Anchor::start, w - ui.px(8));
        x += w;
      }
      return ui.px(26);
    }
    case Block::Kind::rule:
      ui.list->AddLine({area.x, area.y + ui.px(8)}, {area.right(), area.y + ui.px(8)},
                       ui.color(Role::grid));
      return ui.px(18);
  }
  return 0;
}

float LessonTab::draw_code(Ui& ui, const Area& area, const LessonBlock& lesson) {
  const Block& block = lesson.block;
  const std::string text = block.runs.empty() ? std::string() : block.runs.front().text;
  if (diagram::is_diagram(block.info)) {
    const std::string name = "diagram:" + block.info.substr(block.info.find(' ') + 1);
    return diagrams_[&lesson].draw(ui, area, name, {lesson.kernel, block.info, text});
  }
  const auto lines = split_lines(text);
  const float line_h = ui.px(21), h = line_h * static_cast<float>(lines.size()) + ui.px(16);
  ui.fill({area.x, area.y, area.w, h}, ui.color(Role::canvas), ui.px(5));
  LexState lexer;
  float y = area.y + ui.px(8) + line_h / 2;
  for (const std::string_view line : lines) {
    draw_code_line(ui, area.x + ui.px(12), y, line, &lexer, kTiny_px + 1);
    y += line_h;
  }
  return h + ui.px(10);
}

void LessonTab::draw(Ui& ui, Area area) {
  const Lab& lab = *ui.state.selection.lab;
  if (path_ != lab.lesson) {
    path_ = lab.lesson;
    diagrams_.clear();
    const auto text = study::read_asset(path_);
    blocks_ = text ? lesson_blocks(*text, lab) : std::vector<LessonBlock>();
  }
  if (blocks_.empty()) {
    draw_empty_state(ui, area, "This lab has no lesson yet.",
                     "It would be " + path_ + ", built in or under RIDGEPOINT_ASSETS.");
    return;
  }
  std::string folded;  // the question whose fold line was drawn last
  const bool hides_outcome = is_predicting(ui.state, ui.state.selection.rung);
  bool said = false;
  const auto draw_one = [&](const LessonBlock& block) {
    if (hides_outcome && block.is_outcome) {
      if (!std::exchange(said, true)) area.y += draw_hidden_outcome(ui, area);
      return;
    }
    if (block.is_answer && block.question != folded)
      area.y += draw_fold_line(ui, area, folded = block.question);
    if (!block.is_answer || is_open(ui.state, block.question))
      area.y += draw_block(ui, area, block);
  };
  // The selected rung's part, then everything that belongs to no rung.
  bool found = false;
  for (const LessonBlock& block : blocks_) {
    if (!block.kernel.empty() && block.kernel == ui.state.selection.rung)
      draw_one(block), found = true;
  }
  if (found) {
    area.y += ui.px(10);
    ui.list->AddLine({area.x, area.y}, {area.right(), area.y}, ui.color(Role::grid));
    area.y += ui.px(14);
  }
  for (const LessonBlock& block : blocks_) {
    if (block.kernel.empty()) draw_one(block);
  }
  if (ui.state.teaching.diagram_moves != 0)  // every diagram has taken them
    ui.dispatch([](State& state) { state.teaching.diagram_moves = 0; });
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::Dummy({area.w, ui.px(8)});
}

}  // namespace ridge::window
