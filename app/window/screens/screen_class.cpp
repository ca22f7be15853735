// Class: the exercises of all labs, and who of a folder of saved runs is how much faster.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>

#include "app/query/leaderboard.h"
#include "app/window/edit/editing.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "common/core/format.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

class ClassScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  void draw_exercises(Ui& ui, const Area& area) const;
  void draw_folder(Ui& ui, Area* area);
  void draw_board(Ui& ui, const Area& area) const;

  Result<std::vector<app::Exercise>> exercises_ = app::all_exercises();
  std::string read_;  ///< the folder that `board_` is of
  Result<app::Leaderboard> board_ = app::Leaderboard();
  std::future<Result<app::Leaderboard>> reading_;  ///< valid until it is in `board_`
  bool is_read_ = false;
};

const std::string& folder_of(const State& state) {
  return state.settings.class_folder.empty() ? state.history.runs_folder
                                             : state.settings.class_folder;
}

void ClassScreen::draw(Ui& ui, Area all) {
  const std::string& folder = folder_of(ui.state);
  if (!is_read_ || read_ != folder) {
    read_ = folder;
    is_read_ = true;
    if (!folder.empty())
      reading_ = std::async(std::launch::async, [folder] { return app::read_leaderboard(folder); });
  }
  if (reading_.valid() && reading_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    board_ = reading_.get();
  ui.needs_redraw |= reading_.valid();
  const Area left = all.take_left(all.w * 0.46f, ui.px(8));
  ui.panel(left);
  draw_exercises(ui, left.inset(ui.px(28), ui.px(20)));
  ui.panel(all);
  Area right = all.inset(ui.px(28), ui.px(20));
  draw_folder(ui, &right);
  draw_board(ui, right);
}

void ClassScreen::draw_exercises(Ui& ui, const Area& area) const {
  Scroll scroll(ui, "exercises", area);
  Area& rest = scroll.rest;
  draw_heading(ui, &rest, "EXERCISES");
  if (!exercises_) {
    ui.paragraph(rest, exercises_.error().sentence(), kSmall_px, Role::slower);
    return;
  }
  std::string lab;
  for (const app::Exercise& one : *exercises_) {
    if (lab != one.lab) {
      lab = one.lab;
      const Lab* known = find_lab(lab);
      const Area line = rest.take_top(ui.px(40));
      ui.text(line.x, line.y + ui.px(24), known ? known->title : lab.c_str(), kBody_px, Role::text,
              Face::strong, Anchor::start, line.w);
    }
    Area row = rest;
    const float button_w = ui.px(84), text_w = row.w - button_w - ui.px(24);
    const float task_h =
        ui.paragraph({row.x, row.y, text_w, 0}, one.task, kSmall_px, Role::muted, Face::body, true);
    row = rest.take_top(ui.px(26) + task_h, ui.px(14));
    const bool solved = is_exercise_solved(ui.state.history, one.kernel);
    ui.text(row.x, row.y + ui.px(10),
            (solved ? "✓  " : "") + one.title + (one.is_cuda ? "  ·  GPU" : ""), kSmall_px + 1,
            Role::text, Face::body, Anchor::start, text_w);
    ui.paragraph({row.x, row.y + ui.px(24), text_w, task_h}, one.task, kSmall_px, Role::muted);
    const Area button = {row.right() - button_w, row.y, button_w, ui.px(32)};
    if (ui.button("exercise:" + one.name, button, "Open", Ui::Kind::normal))
      ui.dispatch([one](State& state) { start_exercise(state, one); });
  }
}

/// Whose runs they are, and another folder's path.
void ClassScreen::draw_folder(Ui& ui, Area* area) {
  draw_heading(ui, area, "LEADERBOARD");
  Area line = area->take_top(ui.px(34), ui.px(8));
  const Area button = line.take_right(ui.px(104), ui.px(8));
  char text[1024];
  snprintf(text, sizeof text, "%s", folder_of(ui.state).c_str());
  ImGui::SetCursorScreenPos({line.x, line.y});
  ImGui::SetNextItemWidth(line.w);
  const float size = ui.px(kSmall_px);
  compat::push_font(ui.fonts.get(Face::mono, size), size);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      {ui.px(8), (line.h - ImGui::GetTextLineHeight()) / 2});
  ImGui::PushStyleColor(ImGuiCol_FrameBg, ui.raised(1));
  ImGui::PushStyleColor(ImGuiCol_Text, ui.color(Role::text));
  if (ImGui::InputText("##class_folder", text, sizeof text, ImGuiInputTextFlags_EnterReturnsTrue)) {
    ui.dispatch([folder = std::string(text)](State& state) {
      state.settings.class_folder = folder;
      save_settings(&state);
    });
    is_read_ = false;
  }
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ui.widgets["class_folder"] = line;
  if (ui.button("read_board", button, "Read again", Ui::Kind::normal)) is_read_ = false;
}

/// The columns of a place in the list.
void draw_entry(Ui& ui, const Area& line, const app::BoardEntry& entry, bool tied) {
  const float y = line.middle();
  const auto at = [&](float share) { return line.x + line.w * share; };
  ui.text(line.x + ui.px(28), y, std::to_string(entry.rank) + (tied ? "=" : " "), kSmall_px + 1,
          Role::muted, Face::mono, Anchor::end);
  ui.text(line.x + ui.px(40), y, entry.file, kSmall_px + 1, Role::text, Face::body, Anchor::start,
          line.w * 0.4f - ui.px(48));
  ui.text(at(0.55f), y, fmt::format("{:.3g}×", entry.ratio), kSmall_px + 1, Role::text, Face::mono,
          Anchor::end);
  ui.text(at(0.57f), y, fmt::format("{:.3g} to {:.3g}", entry.ci.low, entry.ci.high), kTiny_px + 1,
          Role::muted, Face::mono, Anchor::start, line.w * 0.21f);
  if (entry.median_ns > 0)
    ui.text(line.right(), y,
            format_time_ns(entry.median_ns) + (entry.contended ? ", contended" : ""), kTiny_px + 1,
            Role::muted, Face::mono, Anchor::end);
}

void ClassScreen::draw_board(Ui& ui, const Area& area) const {
  Scroll scroll(ui, "board", area);
  Area& rest = scroll.rest;
  const auto say = [&](const std::string& text, Role role) {
    const float h = ui.paragraph(rest, text, kSmall_px, role, Face::body, true);
    ui.paragraph(rest.take_top(h, ui.px(8)), text, kSmall_px, role);
  };
  if (read_.empty())
    return say(
        "A leaderboard is a folder: write its path above, and put each learner's run into it.",
        Role::text);
  if (reading_.valid()) return say("The runs of this folder are being read.", Role::muted);
  if (!board_) return say(board_.error().sentence(), Role::slower);
  if (board_->boards.empty())
    say("Nobody is ranked yet. Open an exercise, save it, press C: the run that holds the "
        "comparison, put into this folder, makes a place in the list.",
        Role::text);
  for (const app::Board& board : board_->boards) {
    say(std::string(original_of(board.kernel)) + "  against  " + board.baseline, Role::text);
    say(board.machine + "; " + to_string(board.params) + ", " + board.cache.text() + " cache",
        Role::muted);
    const auto& list = board.entries;
    for (size_t i = 0; i < list.size(); ++i) {
      const bool tied = (i > 0 && list[i - 1].rank == list[i].rank) ||
                        (i + 1 < list.size() && list[i + 1].rank == list[i].rank);
      draw_entry(ui, rest.take_top(ui.px(28)), list[i], tied);
      if (!list[i].note.empty()) say(list[i].file + ": " + list[i].note, Role::muted);
    }
    rest.take_top(ui.px(18));
  }
  if (board_->boards.size() > 1)
    say("Lists of different machines, sizes or baselines are not compared with each other.",
        Role::muted);
  if (!board_->boards.empty())
    say("How much faster than the baseline, from pairs run in turns; =: a tie, the intervals "
        "overlap.",
        Role::muted);
  constexpr size_t kMostLeftOut = 6;
  for (size_t i = 0; i < std::min(board_->left_out.size(), kMostLeftOut); ++i)
    say("Not ranked: " + board_->left_out[i].sentence(), Role::muted);
  if (board_->left_out.size() > kMostLeftOut)
    say(fmt::format("and {} more", board_->left_out.size() - kMostLeftOut), Role::muted);
}

}  // namespace

std::unique_ptr<Screen> make_class_screen() {
  return std::make_unique<ClassScreen>();
}

}  // namespace ridge::window
