// Home: three doors, the labs by group with how far each was climbed, the last results, recordings from elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/window/panels/widgets.h"
#include "app/window/screens/home_doors.h"
#include "app/window/screens/home_predictions.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "common/record/stale_words.h"

namespace ridge::window {
namespace {

/// A line under "recorded elsewhere": a lab with its machines folded, a lab on one machine, or how many labs more there are.
struct RecordedLine {
  const Lab* lab = nullptr;                    ///< null: the line that shows all labs, or few again
  const app::RecordingGroup* group = nullptr;  ///< null: of the whole lab
  bool is_open = false;                        ///< what it folds is shown
  bool is_under = false;                       ///< it stands under its lab's line
  std::vector<const app::RecordingGroup*> folds = {};  ///< of a lab's line: its machines
};

class HomeScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  static void draw_lab(Ui& ui, Area card, const Lab& lab);
  static void draw_groups(Ui& ui, Area* rest);
  static void draw_results(Ui& ui, Area rest);
  void draw_recordings(Ui& ui, Area rest, const std::vector<RecordedLine>& lines) const;
  void take_groups(const State& state);

  HomeDoors doors_;
  HomePredictions predictions_;
  std::vector<app::RecordingGroup> groups_;  ///< of the recordings below
  const Recording* grouped_ = nullptr;       ///< the first of them, when they were grouped
  size_t grouped_count_ = 0;
  int drawn_ = 0;  ///< the frame in which it was drawn last
};

// Pixels at scale 1.
constexpr float kCard = 56, kCardLine = 19, kGroupHead = 28, kResultLine = 46, kLead = 22;
// On a wider screen lines would grow too long to read, and the eye would wander.
constexpr float kMostWidth = 1800;
// Five groups side by side, three, or two.
constexpr float kFiveColumns = 900, kThreeColumns = 560;
constexpr size_t kMostResults = 8;
// What is seen at the least of a panel at the fold, and of the line of predictions, under which a bar fades.
constexpr float kLeastPanel = 90, kPredictions = 36;
// So many recordings stand one by one. More of them fold into their labs, so many labs at first.
constexpr size_t kFewRecordings = 6, kFewLabs = 6;
// Before what stands under a lab's line, and beside the mark that folds it.
constexpr float kUnderLab = 18;
// A line of results or recordings is no wider than it needs: a wide panel has several columns of them.
constexpr float kLineWidth = 400, kLineGap = 32;

void go_to_lab(State& state, const Lab& lab) {
  if (state.sessions.opened) open_run(state, "");
  open_lab(state, lab.id);
  state.view.screen = ScreenId::lab;
}

void go_to_run(State& state, const std::string& path) {
  if (path == state.history.run_file && !state.sessions.opened)
    state.view.screen = ScreenId::lab;  // it is what this session shows already
  else
    open_run(state, path);
}

/// "key 1", which opens the lab; empty past the ninth.
std::string key_of(const Lab& lab) {
  const auto labs = all_labs();
  const auto place = std::find(labs.begin(), labs.end(), &lab) - labs.begin();
  return place < 9 ? fmt::format("key {}", place + 1) : "";
}

void HomeScreen::draw_lab(Ui& ui, Area card, const Lab& lab) {
  const auto touched = ui.touch(std::string("lab:") + lab.id, card);
  ui.fill(card, touched.hovered ? ui.raised(1) : ui.color(Role::panel), ui.px(8));
  Area inner = card.inset(ui.px(14), ui.px(6));
  const Area title = inner.take_top(ui.px(21));
  const LabProgress progress = lab_progress(ui.state, lab);
  const bool is_known = progress.runnable > 0;
  const std::string count = is_known
                                ? fmt::format("{} of {} {}", progress.verified, progress.runnable,
                                              progress.is_of_puzzles ? "solved" : "measured")
                                : fmt::format("{} rungs", lab.rungs.size());
  const std::string key = key_of(lab);
  float right = title.right();
  right -= key.empty() ? 0
                       : ui.text(right, title.middle(), key, kTiny_px, Role::muted, Face::body,
                                 Anchor::end) +
                             ui.px(8);
  if (progress.verified > 0)
    right -= ui.text(right, title.middle(),
                     fmt::format("{} of {}", progress.verified, progress.runnable), kTiny_px,
                     Role::muted, Face::body, Anchor::end) +
             ui.px(8);
  ui.text(title.x, title.middle(), lab.title, kSmall_px + 1, Role::text, Face::strong,
          Anchor::start, right - title.x);
  ui.paragraph(inner, *lab.line ? lab.line : lab.goal, kTiny_px, Role::muted);
  if (progress.verified > 0) {
    const Area bar = {card.x + ui.px(14), card.bottom() - ui.px(6), card.w - ui.px(28), ui.px(3)};
    const float share =
        static_cast<float>(progress.verified) / static_cast<float>(progress.runnable);
    ui.fill(bar, ui.raised(3), bar.h / 2);
    ui.fill({bar.x, bar.y, bar.w * share, bar.h}, ui.color(Role::series0), bar.h / 2);
  }
  if (touched.hovered)
    ui.tooltip(std::string(lab.goal) +
               (is_known && !progress.is_of_puzzles
                    ? "\n\n" + count + " and checked, of the rungs that can run here" +
                          (progress.missing.empty() ? "" : "; " + progress.missing)
                    : std::string()));
  if (touched.clicked) ui.dispatch([&lab](State& state) { go_to_lab(state, lab); });
}

/// One height for all cards: a narrow one has its line in two.
float card_height(Ui& ui, float width) {
  float most = ui.px(kCardLine);
  for (const Lab* lab : all_labs()) {
    const Area line = {0, 0, width - 2 * ui.px(14), 0};
    most = std::max(most, ui.paragraph(line, *lab->line ? lab->line : lab->goal, kTiny_px,
                                       Role::muted, Face::body, true));
  }
  return ui.px(kCard - kCardLine) + most;
}

void HomeScreen::draw_groups(Ui& ui, Area* rest) {
  const auto groups = labs_by_group();
  const size_t columns = rest->w > ui.px(kFiveColumns) ? 5 : rest->w > ui.px(kThreeColumns) ? 3 : 2;
  const float gap = ui.px(12), between = ui.px(6);
  const float w = (rest->w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float card_h = card_height(ui, w);
  for (size_t first = 0; first < groups.size(); first += columns) {
    float highest = 0;
    for (size_t i = first; i < std::min(first + columns, groups.size()); ++i) {
      Area column = {rest->x + static_cast<float>(i - first) * (w + gap), rest->y, w, 0};
      const Area head = column.take_top(ui.px(kGroupHead));
      ui.text(head.x + ui.px(2), head.middle(), groups[i].title, kSmall_px, Role::muted,
              Face::strong, Anchor::start, head.w);
      for (const Lab* lab : groups[i].labs) draw_lab(ui, column.take_top(card_h, between), *lab);
      highest = std::max(highest, column.y - rest->y);
    }
    rest->take_top(highest, ui.px(4));
  }
}

/// "2026-11-20T18:00:00Z" as people read it.
std::string when(const std::string& time_utc) {
  if (time_utc.size() < 16) return time_utc;
  return time_utc.substr(0, 10) + " " + time_utc.substr(11, 5) + " UTC";
}

struct ResultLine {
  std::string name;  ///< of the widget
  std::string title, about, tip;
  bool is_shown = false;  ///< it is what the window shows now
};

/// The lines of a panel, one column after the other.
struct LineColumns {
  size_t columns = 1, rows = 0;
  float height = 0;
  LineColumns(const Ui& ui, float width, size_t count) {
    const float column = ui.px(kLineWidth + kLineGap);
    columns = std::max<size_t>(1, static_cast<size_t>((width + ui.px(kLineGap)) / column));
    rows = (count + columns - 1) / columns;
    height = ui.px(kResultLine) * static_cast<float>(rows);
  }
  Area place(const Ui& ui, const Area& all, size_t index) const {
    const float gap = ui.px(kLineGap), count = static_cast<float>(columns);
    const float w = (all.w - gap * (count - 1)) / count, h = ui.px(kResultLine);
    return {all.x + static_cast<float>(index / rows) * (w + gap),
            all.y + static_cast<float>(index % rows) * h, w, h};
  }
};

bool draw_line(Ui& ui, const Area& row, const ResultLine& line) {
  const Area mark = {row.x - ui.px(10), row.y, row.w + ui.px(20), row.h - ui.px(2)};
  const auto touched = ui.touch(line.name, mark);
  if (line.is_shown || touched.hovered)
    ui.fill(mark, line.is_shown ? ui.color(Role::highlight) : ui.raised(1), ui.px(5));
  ui.text(row.x, row.y + ui.px(15), line.title, kSmall_px, Role::text, Face::body, Anchor::start,
          row.w);
  ui.text(row.x, row.y + ui.px(33), line.about, kTiny_px, Role::muted, Face::body, Anchor::start,
          row.w);
  if (touched.hovered) ui.tooltip(line.tip);
  return touched.clicked;
}

void HomeScreen::draw_results(Ui& ui, Area rest) {
  draw_heading(ui, &rest, "LAST RESULTS");
  const History& history = ui.state.history;
  const size_t count = std::min(kMostResults, history.recent.size());
  const LineColumns lines(ui, rest.w, count);
  for (size_t i = 0; i < count; ++i) {
    const RecentRun& recent = history.recent[i];
    const bool own = recent.path == history.run_file;
    const std::string at = own ? "this session" : when(recent.time_utc);
    const bool is_shown = ui.state.sessions.opened && recent.path == ui.state.sessions.opened_path;
    if (draw_line(ui, lines.place(ui, rest, i),
                  {"open:" + recent.path, recent.title,
                   recent.machine + (recent.machine.empty() ? "" : "  ·  ") + at,
                   "Opens it with its results.\n" + recent.path, is_shown}))
      ui.dispatch([path = recent.path](State& state) { go_to_run(state, path); });
  }
}

/// A line for each recording where they are few; else for each lab, with its machines under it where it is open.
std::vector<RecordedLine> recorded_lines(const State& state,
                                         const std::vector<app::RecordingGroup>& groups) {
  std::vector<RecordedLine> lines;
  const bool are_few = groups.size() <= kFewRecordings;
  size_t labs = 0, left_out = 0;
  for (size_t first = 0, end = 0; first < groups.size(); first = end) {
    while (end < groups.size() && groups[end].lab == groups[first].lab) ++end;
    const Lab* lab = find_lab(groups[first].lab);
    if (!are_few && ++labs > kFewLabs && !state.view.shows_all_recorded) {
      ++left_out;
      continue;
    }
    const bool folds = !are_few && end - first > 1;
    const bool is_open = state.view.open_recorded.contains(groups[first].lab);
    if (folds) {
      lines.push_back({.lab = lab, .is_open = is_open});
      for (size_t i = first; i < end; ++i) lines.back().folds.push_back(&groups[i]);
    }
    for (size_t i = first; i < end && (!folds || is_open); ++i)
      lines.push_back({.lab = lab, .group = &groups[i], .is_under = folds});
  }
  if (!are_few && labs > kFewLabs) lines.push_back({.is_open = left_out == 0});
  return lines;
}

/// "3 machines: H200, H100, Xeon": which kinds there are; their cores stand on their own lines.
std::string machines_words(const std::vector<const app::RecordingGroup*>& groups) {
  std::vector<std::string> names;
  for (const app::RecordingGroup* group : groups) {
    const std::string kind = group->machine.substr(0, group->machine.find(", "));
    const std::string name = app::short_machine(kind);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("{} machines: {}", groups.size(), fmt::join(names, ", "));
}

/// What its line says; pressed, it opens the recordings of that lab on that machine.
ResultLine line_of(const State& state, const RecordedLine& of) {
  const app::RecordingGroup& group = *of.group;
  std::string about = fmt::format("{} {}", group.rungs, group.rungs == 1 ? "rung" : "rungs");
  for (const std::string& part : {group.parts, group.day})
    about += part.empty() ? "" : "  ·  " + part;
  // No figure stands here: each has its mark where it does.
  std::string tip = group.machine + "\n" + about +
                    (group.stale.empty() ? "" : "\n" + group.stale + ". " + stale_explained());
  for (const std::string& path : group.paths) tip += "\n" + path.substr(path.rfind('/') + 1);
  const std::string on = app::machine_in_words(group.machine);
  const bool is_shown = state.sessions.opened &&
                        state.sessions.opened_path == recordings_path(group.lab, group.machine);
  return {"recorded:" + group.lab + "@" + group.machine,
          of.is_under ? "on " + on : std::string(of.lab->title) + " on " + on, about, tip,
          is_shown};
}

void press_recorded(State& state, const RecordedLine& line) {
  if (!line.lab) {
    state.view.shows_all_recorded = !state.view.shows_all_recorded;
  } else if (!line.group) {
    auto& open = state.view.open_recorded;
    if (!open.insert(line.lab->id).second) open.erase(line.lab->id);
  } else {
    open_recordings(state, std::string(line.group->lab), std::string(line.group->machine));
  }
}

void HomeScreen::draw_recordings(Ui& ui, Area rest, const std::vector<RecordedLine>& lines) const {
  draw_heading(ui, &rest, "RECORDED ELSEWHERE: OPEN A LAB AS ANOTHER MACHINE MEASURED IT");
  const LineColumns columns(ui, rest.w, lines.size());
  std::set<std::string> labs;
  for (const app::RecordingGroup& group : groups_) labs.insert(group.lab);
  for (size_t i = 0; i < lines.size(); ++i) {
    const RecordedLine& line = lines[i];
    Area row = columns.place(ui, rest, i);
    ResultLine says;
    if (line.group) {
      says = line_of(ui.state, line);
    } else if (line.lab) {
      says = {std::string("recorded_lab:") + line.lab->id, line.lab->title,
              machines_words(line.folds), "Shows its machines, or folds them."};
    } else {
      says = {"more_recorded",
              line.is_open ? "Fewer labs" : fmt::format("{} more labs", labs.size() - kFewLabs),
              line.is_open ? "Only the first ones" : "All labs that were recorded", ""};
    }
    const Area mark = row.take_left(line.group && !line.is_under ? 0 : ui.px(kUnderLab));
    if (draw_line(ui, row, says))
      ui.dispatch([line](State& state) { press_recorded(state, line); });
    if (!line.group)
      draw_fold_mark(ui, mark.x + ui.px(5), mark.y + ui.px(15), ui.px(9), line.is_open,
                     Role::muted);
  }
}

/// Again only where the recordings are others: they are large.
void HomeScreen::take_groups(const State& state) {
  const auto& all = state.sessions.recordings;
  const Recording* first = all.empty() ? nullptr : &all.front();
  if (first == grouped_ && all.size() == grouped_count_) return;
  groups_ = app::recording_groups(all);
  grouped_ = first;
  grouped_count_ = all.size();
}

/// What this is, for somebody who opens it for the first time.
void draw_lead(Ui& ui, const Area& line) {
  const float name_w =
      ui.text(line.x + ui.px(2), line.middle(), "Ridgepoint", kBody_px, Role::text, Face::strong);
  const float x = line.x + name_w + ui.px(16);
  ui.text(x, line.middle(),
          "One computation, made faster step by step: predict, measure, understand.", kSmall_px,
          Role::muted, Face::body, Anchor::start, line.right() - x);
}

void HomeScreen::draw(Ui& ui, Area all) {
  const float gap = ui.px(12), most = ui.px(kMostWidth);
  if (all.w > most) all = {all.x + (all.w - most) / 2, all.y, most, all.h};
  take_groups(ui.state);
  // The bar's room lies in the gap beside, so that the panels end where the bars above do.
  Scroll page(ui, "home_page", {all.x, all.y, all.w + Scroll::bar(ui), all.h},
              ui.color(Role::canvas));
  if (const int frame = ImGui::GetFrameCount(); frame > std::exchange(drawn_, frame) + 1)
    page.to_top();  // it was left meanwhile
  Area& rest = page.rest;
  const float begin = rest.y;
  draw_lead(ui, rest.take_top(ui.px(kLead)));
  doors_.draw(ui, rest.take_top(HomeDoors::height(ui, rest.w), ui.px(4)));
  draw_groups(ui, &rest);
  // What the fold would cut begins below it: a line whole, of a panel its heading and a line.
  const auto pass_fold = [&](float least) {
    if (const float seen = begin + all.h - rest.y; seen > 0 && seen < least) rest.take_top(seen);
  };
  if (!predictions_.is_empty()) pass_fold(ui.px(kPredictions));
  predictions_.draw(ui, &rest);
  // A panel without a line is none: the doors above say how a first one comes about.
  const size_t recent = std::min(kMostResults, ui.state.history.recent.size());
  const std::vector<RecordedLine> recorded = recorded_lines(ui.state, groups_);
  const bool has_both = recent > 0 && !recorded.empty();
  const bool beside = has_both && rest.w > ui.px(760);
  constexpr float kPad_x = 22, kPad_y = 14;
  const float panel_w = beside ? (rest.w - gap) / 2 : rest.w;
  const auto height = [&](size_t count) {
    const LineColumns lines(ui, panel_w - 2 * ui.px(kPad_x), count);
    return count == 0 ? 0 : ui.px(76) + lines.height;
  };
  const float recent_h = height(recent), recorded_h = height(recorded.size());
  pass_fold(ui.px(kLeastPanel));
  Area below = rest.take_top(beside ? std::max(recent_h, recorded_h)
                                    : recent_h + recorded_h + (has_both ? gap : 0));
  const auto panel = [&](float panel_h) {
    const Area place = beside ? below.take_left(panel_w, gap) : below.take_top(panel_h, gap);
    ui.panel(place);
    return place.inset(ui.px(kPad_x), ui.px(kPad_y));
  };
  if (recent_h > 0) {
    const Area results = panel(recent_h);
    ui.widgets["panel:results"] = results;
    draw_results(ui, results);
  }
  if (recorded_h > 0) draw_recordings(ui, panel(recorded_h), recorded);
}

}  // namespace

std::unique_ptr<Screen> make_home_screen() {
  return std::make_unique<HomeScreen>();
}

}  // namespace ridge::window
