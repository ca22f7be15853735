// Class: the exercises of all labs, who of a folder of saved runs is how much faster, and the folder as one page.
#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "app/query/class_page.h"
#include "app/query/class_roll.h"
#include "app/query/leaderboard.h"
#include "app/query/reporting.h"
#include "app/window/edit/editing.h"
#include "app/window/edit/exercise_list.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "app/window/shell/written.h"
#include "common/core/background.h"
#include "common/core/files.h"
#include "common/core/format.h"
#include "common/record/edit.h"
#include "labs/lab.h"

namespace ridge::window {
namespace {

class ClassScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  void read_folder(Ui& ui);
  void draw_folder(Ui& ui, Area* area);
  void draw_board(Ui& ui, const Area& area);
  void draw_left_out(Ui& ui, Area* rest);

  ExerciseList exercises_;
  std::string read_;  ///< the folder that `roll_` is of
  Result<app::ClassRoll> roll_ = app::ClassRoll();
  std::future<Result<app::ClassRoll>> reading_;  ///< valid until it is in `roll_`
  bool is_read_ = false, shows_left_out_ = false;
  size_t compared_ = 0;    ///< comparisons of this session when the folder was read
  std::string handed_in_;  ///< and its file in the folder
};

void write_class_page(State& state, const std::string& html, const std::string& csv,
                      const std::string& text) {
  const auto write = [&]() -> Result<std::string> {
    RIDGE_TRY(std::string folder, app::make_report_folder(state.settings.export_root, "class"));
    RIDGE_TRY_VOID(write_whole(folder + "/class.csv", csv));
    RIDGE_TRY_VOID(write_whole(folder + "/class.html", html));
    return folder;
  };
  if (const auto folder = write())
    note_written(state, "the class page (HTML, CSV)", *folder + "/class.html", text);
  else
    state.notice = {folder.error().sentence(), true};
}

const std::string& folder_of(const State& state) {
  return state.settings.class_folder.empty() ? state.history.runs_folder
                                             : state.settings.class_folder;
}

/// Again where the folder is another, or where this session has more to show.
void ClassScreen::read_folder(Ui& ui) {
  const std::string& folder = folder_of(ui.state);
  const size_t compared = ui.state.run().comparisons().size();
  const std::string& handed_in = ui.state.history.handed_in;
  const bool is_same = read_ == folder && compared_ == compared && handed_in_ == handed_in;
  if (!reading_.valid() && (!is_read_ || !is_same)) {
    read_ = folder, compared_ = compared, handed_in_ = handed_in;
    is_read_ = true;
    if (!folder.empty())
      reading_ = in_background([folder] { return app::read_class({folder}); });
  }
  if (is_ready(reading_)) roll_ = reading_.get();
  ui.needs_redraw |= reading_.valid();
}

void ClassScreen::draw(Ui& ui, Area all) {
  read_folder(ui);
  const Area left = all.take_left(all.w * 0.46f, ui.px(8));
  ui.panel(left);
  exercises_.draw(ui, left.inset(ui.px(28), ui.px(20)));
  ui.panel(all);
  Area right = all.inset(ui.px(28), ui.px(20));
  draw_folder(ui, &right);
  draw_board(ui, right);
}

/// Who edits here, whose runs are listed, and what can be done about it.
void ClassScreen::draw_folder(Ui& ui, Area* area) {
  draw_heading(ui, area, "LEADERBOARD");
  Area line = area->take_top(ui.px(34), ui.px(8));
  const Area hand_in_at = line.take_right(ui.px(104), ui.px(8));
  text_line(ui, "learner", line, "Your name", ui.state.settings.learner, "", name_learner);
  const std::string why = hand_in_blocker(ui.state);
  if (ui.button("hand_in", hand_in_at, "Hand in", Ui::Kind::normal, why.empty()))
    ui.dispatch([why](State& state) {
      if (why.empty())
        hand_in(state);
      else
        state.notice = {why, false};
    });
  if (ImGui::IsItemHovered())
    ui.tooltip(why.empty() ? "Puts this session's run into the folder, under your name." : why);
  line = area->take_top(ui.px(34), ui.px(8));
  const Area refresh_at = line.take_right(ui.px(104), ui.px(8));
  const Area page_at = line.take_right(ui.px(104), ui.px(8));
  text_line(ui, "class_folder", line, "Folder", folder_of(ui.state), "",
            [](State& state, const std::string& folder) {
              state.settings.class_folder = folder;
              save_settings(&state);
            });
  if (ui.button("read_board", refresh_at, "Refresh", Ui::Kind::normal)) is_read_ = false;
  const bool has_runs = !reading_.valid() && roll_ && roll_->runs > 0;
  if (ui.button("class_page", page_at, "Write page", Ui::Kind::normal, has_runs) && has_runs) {
    ui.dispatch([html = app::class_html(*roll_), csv = app::class_csv(*roll_),
                 text = app::class_text(*roll_)](State& state) {
      write_class_page(state, html, csv, text);
    });
  }
  if (ImGui::IsItemHovered())
    ui.tooltip(has_runs ? "The runs of this folder on one page: ladders, predictions, exercises; "
                          "and a table for a gradebook."
                        : "No run of this folder is read.");
}

/// The columns of a place in the list.
void draw_entry(Ui& ui, const std::string& board, const Area& line, const app::BoardEntry& entry,
                bool tied) {
  const float y = line.middle();
  const auto at = [&](float share) { return line.x + line.w * share; };
  ui.text(line.x + ui.px(28), y, std::to_string(entry.rank) + (tied ? "=" : " "), kSmall_px + 1,
          Role::muted, Face::mono, Anchor::end);
  ui.text(line.x + ui.px(40), y, entry.name, kSmall_px + 1, Role::text, Face::body, Anchor::start,
          line.w * 0.4f - ui.px(48));
  if (ui.hovers("entry:" + board + entry.file, line))
    ui.tooltip(entry.file + ".jsonl, source " + entry.hash.substr(0, 7));
  ui.text(at(0.55f), y, fmt::format("{:.3g}×", entry.ratio), kSmall_px + 1, Role::text, Face::mono,
          Anchor::end);
  ui.text(at(0.57f), y, fmt::format("{:.3g} to {:.3g}", entry.ci.low, entry.ci.high), kTiny_px + 1,
          Role::muted, Face::mono, Anchor::start, line.w * 0.21f);
  if (entry.median_ns > 0)
    ui.text(line.right(), y,
            format_time_ns(entry.median_ns) + (entry.contended ? ", contended" : ""), kTiny_px + 1,
            Role::muted, Face::mono, Anchor::end);
}

void ClassScreen::draw_board(Ui& ui, const Area& area) {
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
  if (!roll_) return say(roll_.error().sentence(), Role::slower);
  const app::Leaderboard& all = roll_->board;
  if (all.boards.empty())
    say("No run is ranked yet. Open an exercise and save it: a save that passes its check is "
        "compared "
        "with its original, and that comparison makes a place in the list.",
        Role::text);
  for (const app::Board& board : all.boards) {
    const auto titled = [](std::string_view kernel) {
      const Rung* rung = rung_of(kernel);
      return rung ? std::string(rung->title) : app::edit_title(std::string(kernel));
    };
    say(titled(board.kernel) + "  against  " + titled(board.baseline), Role::text);
    say(board.machine + "; " + params_in_words(original_of(board.kernel), board.params) + ", " +
            board.cache.text() + " cache",
        Role::muted);
    const auto& list = board.entries;
    for (size_t i = 0; i < list.size(); ++i) {
      const bool tied = (i > 0 && list[i - 1].rank == list[i].rank) ||
                        (i + 1 < list.size() && list[i + 1].rank == list[i].rank);
      draw_entry(ui, board.kernel + board.machine, rest.take_top(ui.px(28)), list[i], tied);
      if (!list[i].note.empty()) say(list[i].name + ": " + list[i].note, Role::muted);
    }
    rest.take_top(ui.px(18));
  }
  if (all.boards.size() > 1)
    say("Lists of different machines, sizes or baselines are not compared with each other.",
        Role::muted);
  if (!all.boards.empty())
    say("How much faster than the baseline, from pairs run in turns; =: a tie, the intervals "
        "overlap.",
        Role::muted);
  draw_left_out(ui, &rest);
}

/// Other runs of the folder: one line, and their reasons when they are asked for.
void ClassScreen::draw_left_out(Ui& ui, Area* rest) {
  const auto& left_out = roll_->board.left_out;
  if (left_out.empty()) return;
  Area line = rest->take_top(ui.px(30), ui.px(6));
  const Area button = line.take_right(ui.px(96), ui.px(8));
  ui.text(line.x, line.middle(),
          fmt::format("{} other {} of this folder {} not ranked.", left_out.size(),
                      left_out.size() == 1 ? "run" : "runs", left_out.size() == 1 ? "is" : "are"),
          kSmall_px, Role::muted, Face::body, Anchor::start, line.w);
  if (ui.button("left_out", button, shows_left_out_ ? "Hide why" : "Show why", Ui::Kind::quiet))
    shows_left_out_ = !shows_left_out_;
  for (size_t i = 0; shows_left_out_ && i < left_out.size(); ++i) {
    const std::string text = left_out[i].where + ": " + left_out[i].what;
    rest->take_top(ui.paragraph(*rest, text, kTiny_px + 1, Role::muted), ui.px(4));
  }
}

}  // namespace

std::unique_ptr<Screen> make_class_screen() {
  return std::make_unique<ClassScreen>();
}

}  // namespace ridge::window
