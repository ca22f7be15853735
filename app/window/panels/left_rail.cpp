#include "app/window/panels/lab_panels.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/query/selection.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/first_climb.h"
#include "app/window/shell/settings.h"
#include "app/window/teach/study.h"
#include "common/core/format.h"
#include "common/record/compute_unit.h"
#include "common/record/derive.h"
#include "common/record/note_text.h"
#include "common/record/stale_words.h"
#include "common/view/chart/text.h"

namespace ridge::window {
namespace {

std::string seconds_text(const RungView& row) {
  if (!row.estimate) return {};
  const double seconds = row.estimate->total_s;
  if (!(seconds >= 0)) return {};
  if (seconds < 0.95) return "< 1 s";
  if (seconds < 99.5) return format_count(seconds) + " s";
  return format_count(seconds / 60) + " min";
}

/// What stands at the right of a rung: the estimate, or the one word that says why there is none.
std::string right_text(const RungView& row) {
  if (row.series && row.series->status == SeriesStatus::running) return "running";
  if (row.stale()) return std::string(kStaleWord);
  if (row.origin == Origin::recorded) return "recorded";
  if (row.can_run) return seconds_text(row);
  return row.series ? "" : "–";
}

std::string tip_of(const State& state, const RungView& row) {
  std::string tip = row.rung->title;
  tip += "\n" + std::string(row.rung->change);
  if (row.estimate && !row.estimate->reduced_from.empty()) {
    tip +=
        "\nRuns at a smaller size: one call at " + row.estimate->reduced_from + " would pass 5 s.";
  }
  if (row.origin == Origin::recorded) {
    tip += "\nRecorded on " + row.machine;
    if (!row.shown_size.empty()) tip += " at " + row.shown_size + ", the nearest recorded size";
    tip += ".";
  } else if (row.greyed) {
    tip += "\nFrom before the worker was lost.";
  }
  if (row.series && !row.series->note.empty()) tip += "\n" + note_text(row.series->note);
  const std::string why = app::why_not_here(*state.selection.lab, state.run(), *row.rung);
  if (!why.empty() && !state.is_replay())
    tip += "\nNot run here: " + why;
  else if (!row.reason.empty())
    tip += "\n" + row.reason;
  return tip;
}

/// Verified, failed, or neither: said by shape, not by colour alone.
void draw_status(Ui& ui, const RungView& row, float x, float y) {
  const float r = ui.px(4);
  const bool ok = row.series && row.series->status == SeriesStatus::ok;
  const bool failed = row.series && row.series->status == SeriesStatus::failed;
  if (failed) {
    ui.list->AddLine({x - r, y - r}, {x + r, y + r}, ui.color(Role::slower), ui.px(2));
    ui.list->AddLine({x - r, y + r}, {x + r, y - r}, ui.color(Role::slower), ui.px(2));
  } else if (ok && row.origin == Origin::live) {
    ui.list->AddCircleFilled({x, y}, r, ui.color(row.greyed ? Role::muted : Role::series0));
  } else if (row.series) {
    ui.list->AddCircle(
        {x, y}, r,
        ui.color(row.series->status == SeriesStatus::running ? Role::series0 : Role::muted), 0,
        ui.px(1.6f));
  } else {
    ui.list->AddCircle({x, y}, r, ui.color(Role::grid), 0, ui.px(1.6f));
  }
}

void heading(Ui& ui, Area* rest, const char* text) {
  const Area line = rest->take_top(ui.px(28));
  ui.text(line.x, line.middle(), text, kTiny_px, Role::muted, Face::strong);
}

/// In a low window the labs take one line, so that the rungs are seen.
void draw_lab_stepper(Ui& ui, Area* rest, const std::vector<const Lab*>& labs) {
  std::vector<std::string> titles;
  int chosen = -1;
  for (const Lab* lab : labs) {
    if (lab == ui.state.selection.lab) chosen = static_cast<int>(titles.size());
    titles.emplace_back(lab->title);
  }
  const int clicked = ui.stepper("labs", rest->take_top(ui.px(34)), titles, chosen);
  if (clicked < 0) return;
  const Lab* lab = labs[static_cast<size_t>(clicked)];
  ui.dispatch([lab](State& state) { open_lab(state, lab->id); });
}

/// What is measured now is of this lab, be another in view.
bool runs_now(const State& state, const Lab& lab) {
  const int64_t open = state.requests.run ? state.requests.run : state.requests.compare;
  const Request* request = open ? state.run().request(open) : nullptr;
  return request && request->lab == lab.id;
}

/// At the right end of a line: that something of it is measured. Returns the room that is left.
float draw_runs(Ui& ui, const Area& line, const std::string& name) {
  ui.widgets["runs:" + name] = line;
  return line.w - ui.px(8) -
         ui.text(line.right(), line.middle(), "runs", kTiny_px + 1, Role::series0, Face::strong,
                 Anchor::end);
}

/// "15 of 16 rungs measured and checked here"
std::string progress_words(const LabProgress& progress) {
  return fmt::format("{} of {} {} here", progress.verified, progress.runnable,
                     progress.is_of_puzzles ? "puzzles solved" : "rungs measured and checked");
}

/// Under the lab in view: why not all of its rungs are counted.
void draw_missing(Ui& ui, const Lab& lab, Area* rest) {
  const std::string missing = lab_progress(ui.state, lab).missing;
  if (missing.empty() || ui.state.requests.is_measuring()) return;
  const Area place = {rest->x + ui.px(20), rest->y, rest->w - ui.px(20), 0};
  const float h = ui.paragraph(place, missing, kTiny_px, Role::muted);
  ui.widgets["lab_missing"] = rest->take_top(h, ui.px(6));
}

/// Of the lab in view; while it climbs of the climb, whose results count in the lab once it has ended.
std::string count_text(const State& state, const Lab& lab) {
  const ClimbPlace climb = climb_place(state);
  if (climb.of > 0 && state.first_climb.lab == &lab)
    return climb.is_at_ceilings ? "ceilings" : fmt::format("{} of {}", climb.at, climb.of);
  const LabProgress progress = lab_progress(state, lab);
  return progress.runnable > 0 ? fmt::format("{} of {}", progress.verified, progress.runnable) : "";
}

void draw_lab(Ui& ui, const Lab* lab, const Area& line) {
  const bool chosen = lab == ui.state.selection.lab;
  const Area mark = {line.x - ui.px(8), line.y, line.w + ui.px(16), line.h};
  const auto touched = ui.touch(std::string("lab:") + lab->id, mark);
  if (chosen)
    ui.fill(mark, ui.color(Role::highlight), ui.px(5));
  else if (touched.hovered)
    ui.fill(mark, ui.raised(1), ui.px(5));
  if (touched.hovered && chosen) {
    const LabProgress progress = lab_progress(ui.state, *lab);
    if (!progress.missing.empty())
      ui.tooltip(progress_words(progress) + "\n" + sentence_of(progress.missing));
  }
  float room = line.w;
  if (!chosen && runs_now(ui.state, *lab)) {
    room = draw_runs(ui, line, lab->id);
  } else if (chosen) {
    room -= ui.px(8) + ui.text(line.right(), line.middle(), count_text(ui.state, *lab),
                               kTiny_px + 1, Role::muted, Face::mono, Anchor::end);
  }
  const bool fits = ui.width(lab->title, kBody_px) <= room;
  ui.text(line.x, line.middle(), lab->title, fits ? kBody_px : kSmall_px,
          chosen ? Role::text : Role::muted, Face::body, Anchor::start, room);
  if (touched.clicked) ui.dispatch([lab](State& state) { open_lab(state, lab->id); });
}

/// A group that is not in view: a click opens its first lab.
void draw_closed_group(Ui& ui, const LabGroup& group, const Area& line) {
  const Area mark = {line.x - ui.px(8), line.y, line.w + ui.px(16), line.h};
  const auto touched = ui.touch("group:" + group.title, mark);
  if (touched.hovered) {
    ui.fill(mark, ui.raised(1), ui.px(5));
    std::string tip;
    for (const Lab* lab : group.labs) tip += (tip.empty() ? "" : "\n") + std::string(lab->title);
    ui.tooltip(tip);
  }
  const bool runs = std::any_of(group.labs.begin(), group.labs.end(),
                                [&](const Lab* lab) { return runs_now(ui.state, *lab); });
  const float room = runs ? draw_runs(ui, line, group.title) : line.w;
  draw_fold_mark(ui, line.x + ui.px(5), line.middle(), ui.px(8), false, Role::muted);
  ui.text(line.x + ui.px(20), line.middle(), group.title, kBody_px, Role::muted, Face::body,
          Anchor::start, room - ui.px(20));
  if (touched.clicked) {
    ui.dispatch([lab = group.labs.front()](State& state) { open_lab(state, lab->id); });
  }
}

/// In a low window the groups of the course take one line: the one in view, with its labs under it.
void draw_group_stepper(Ui& ui, Area* rest) {
  const Lab* chosen = ui.state.selection.lab;
  const auto groups = labs_by_group();
  std::vector<std::string> titles;
  int at = -1;
  for (const LabGroup& group : groups) {
    if (chosen && group.title == chosen->group) at = static_cast<int>(titles.size());
    titles.push_back(group.title);
  }
  const int clicked = ui.stepper("group", rest->take_top(ui.px(34), ui.px(4)), titles, at);
  if (clicked >= 0)
    ui.dispatch([lab = groups[static_cast<size_t>(clicked)].labs.front()](State& state) {
      open_lab(state, lab->id);
    });
  if (at < 0) return;
  for (const Lab* lab : groups[static_cast<size_t>(at)].labs) {
    Area line = rest->take_top(ui.px(32));
    line.take_left(ui.px(8));
    draw_lab(ui, lab, line);
    if (lab == chosen) draw_missing(ui, *lab, rest);
  }
}

/// What a learner sees of the course: its groups, and the labs of the one in view.
void draw_groups(Ui& ui, Area* rest) {
  if (ui.is_compact) return draw_group_stepper(ui, rest);
  const Lab* chosen = ui.state.selection.lab;
  for (const LabGroup& group : labs_by_group()) {
    const bool is_open = chosen && group.title == chosen->group;
    const Area line = rest->take_top(ui.px(32));
    if (!is_open) {
      draw_closed_group(ui, group, line);
      continue;
    }
    draw_fold_mark(ui, line.x + ui.px(5), line.middle(), ui.px(8), true, Role::muted);
    ui.text(line.x + ui.px(20), line.middle(), group.title, kBody_px, Role::text, Face::strong);
    for (const Lab* lab : group.labs) {
      Area under = rest->take_top(ui.px(32));
      under.take_left(ui.px(20));
      draw_lab(ui, lab, under);
      if (lab == chosen) draw_missing(ui, *lab, rest);
    }
  }
}

}  // namespace

void LeftRail::draw_labs(Ui& ui, Area* rest) {
  heading(ui, rest, "LABS");
  if (is_learning(ui.state)) return draw_groups(ui, rest);
  const auto labs = all_labs();
  if (ui.is_compact) return draw_lab_stepper(ui, rest, labs);
  for (const Lab* lab : labs) draw_lab(ui, lab, rest->take_top(ui.px(29)));
}

namespace {

constexpr float kBesideTitle = 28;  // of a line, for what is not its rung's title

/// The heading that the rungs from row `first` on stand under, where one of their titles has no room for what it repeats of
/// it; empty: all titles stand as they are.
std::string heading_to_spare(Ui& ui, const Section& section, size_t first, float width) {
  const auto& rows = ui.state.ladder.rows;
  for (size_t i = first; i < rows.size(); ++i) {
    if (i > first && section_at(*ui.state.selection.lab, *rows[i].rung)) break;
    if (is_folded(ui.state, *rows[i].rung)) continue;
    if (ui.width(rows[i].rung->title, kSmall_px + 1, Face::strong) > width - ui.px(kBesideTitle))
      return section.title;
  }
  return "";
}

}  // namespace

/// One rung: state, title (without what `heading` says), estimate. True when it was clicked.
bool LeftRail::draw_rung(Ui& ui, const RungView& row, const Area& line,
                         const std::string& heading) {
  const bool chosen = ui.state.selection.rung == row.rung->kernel;
  const Area mark = {line.x - ui.px(8), line.y, line.w + ui.px(16), line.h};
  const auto touched = ui.touch(std::string("rung:") + row.rung->kernel, mark, false);
  if (chosen)
    ui.fill(mark, ui.color(Role::highlight), ui.px(5));
  else if (touched.hovered)
    ui.fill(mark, ui.raised(1), ui.px(5));
  draw_status(ui, row, line.x + ui.px(5), line.middle());
  // The title first: that it was recorded its mark and its tooltip say as well.
  const Face face = chosen ? Face::strong : Face::body;
  std::string right = right_text(row);
  const std::string title = chart::name_under(heading, row.rung->title);
  const float title_w = ui.width(title, kSmall_px + 1, face);
  const float room = line.w - ui.px(kBesideTitle);
  if (title_w + ui.width(right, kTiny_px + 1) > room) right.clear();
  if (!right.empty()) ui.widgets[std::string("rung:") + row.rung->kernel + ":note"] = line;
  const float right_w = right.empty() ? 0
                                      : ui.text(line.right(), line.middle(), right, kTiny_px + 1,
                                                Role::muted, Face::body, Anchor::end);
  ui.widgets[std::string("rung:") + row.rung->kernel + ":title"] = {line.x + ui.px(20), line.y,
                                                                    title_w, line.h};
  ui.text(line.x + ui.px(20), line.middle(), title, kSmall_px + 1,
          row.series || row.can_run ? Role::text : Role::muted, face, Anchor::start,
          room - right_w);
  if (touched.hovered) ui.tooltip(tip_of(ui.state, row));
  return touched.clicked;
}

/// The one line that expert rungs are folded under. True when it was clicked.
bool LeftRail::draw_fold(Ui& ui, const Fold& fold, const Area& line) {
  const Area mark = {line.x - ui.px(8), line.y, line.w + ui.px(16), line.h};
  const auto touched = ui.touch("fold:" + std::to_string(fold.first), mark);
  if (touched.hovered) ui.fill(mark, ui.raised(1), ui.px(5));
  const bool open = ui.state.view.show_experts;
  draw_fold_mark(ui, line.x + ui.px(5), line.middle(), ui.px(8), open, Role::muted);
  ui.text(line.x + ui.px(20), line.middle(), fold_text(fold), kSmall_px, Role::muted, Face::body,
          Anchor::start, line.w - ui.px(20));
  if (touched.hovered) {
    ui.tooltip(std::string(open ? "Folds them away (X)." : "Shows them (X).") +
               "\nA run of the ladder measures what is shown.");
  }
  return touched.clicked;
}

void LeftRail::draw_rungs(Ui& ui, Area* rest, float room) {
  heading(ui, rest, "RUNGS");
  const State& state = ui.state;
  const Lab* lab = state.selection.lab;
  const float section_h = ui.px(28);
  size_t count = 0;
  for (size_t i = 0; i < state.ladder.rows.size(); ++i) {
    count += (fold_at(state, i).count > 0 ? 1u : 0u) +
             (is_folded(state, *state.ladder.rows[i].rung) ? 0u : 1u);
  }
  const float lines = static_cast<float>(count);
  const float headings = section_h * static_cast<float>(lab ? lab->sections.size() : 0);
  // A long ladder stands closer before it scrolls.
  const float line_h = lines * ui.px(30) + headings > room ? ui.px(26) : ui.px(30);
  const bool scrolls = line_h * lines + headings > room;
  const Area list = rest->take_top(std::min(room, line_h * lines + headings));
  ImGui::SetCursorScreenPos({list.x - ui.px(8), list.y});
  compat::begin_child("rungs", list.w + ui.px(16), list.h, true);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  Area below = {list.x, ImGui::GetCursorScreenPos().y, list.w - (scrolls ? ui.px(10) : 0), 1e6f};
  std::string clicked;
  bool folds = false;
  std::string under;  // the heading that titles do not repeat
  for (size_t i = 0; i < state.ladder.rows.size(); ++i) {
    const RungView& row = state.ladder.rows[i];
    if (const Section* section = section_at(*lab, *row.rung)) {
      under = heading_to_spare(ui, *section, i, below.w);
      const Area line = below.take_top(section_h);
      ui.text(list.x, line.y + section_h * 0.6f, section->title, kTiny_px, Role::muted,
              Face::strong, Anchor::start, list.w);
    }
    if (const Fold fold = fold_at(state, i); fold.count > 0)
      folds = draw_fold(ui, fold, below.take_top(line_h)) || folds;
    if (is_folded(state, *row.rung)) continue;
    const Area line = below.take_top(line_h);
    follow(ui, row, line, list);
    if (draw_rung(ui, row, line, under)) clicked = row.rung->kernel;
  }
  draw_cut_edges(ui, "rungs", {list.x - ui.px(8), list.y, list.w + ui.px(16), list.h},
                 ui.color(Role::panel));
  ImGui::EndChild();
  ui.list = outer;
  if (!clicked.empty()) ui.dispatch([clicked](State& state) { select_rung(state, clicked); });
  if (folds) ui.dispatch_action("experts");
}

/// A rung chosen elsewhere (by key, in the chart) comes into view.
void LeftRail::follow(Ui& ui, const RungView& row, const Area& line, const Area& list) {
  if (ui.state.selection.rung != row.rung->kernel || followed_ == ui.state.selection.rung) return;
  followed_ = ui.state.selection.rung;
  const float now = ImGui::GetScrollY();
  if (line.y < list.y || line.bottom() > list.bottom())
    ImGui::SetScrollY(std::max(0.0f, now + line.y - list.y - list.h / 2));
}

namespace {

std::string line_before(const std::string& text) {
  return text.empty() ? "" : "\n" + text;
}

bool has_doubt(const std::vector<Ceiling>& ceilings) {
  return std::any_of(ceilings.begin(), ceilings.end(),
                     [](const Ceiling& one) { return !one.doubt.empty(); });
}

/// The ceilings that the charts of the selected rung are read against come first: a low rail has room for three. Those are
/// of its processor, of its type's multiply-adds, then of memory.
std::vector<Ceiling> in_order_of_use(const State& state, std::vector<Ceiling> ceilings) {
  const RungView* row = find_row(state.ladder, state.selection.rung);
  if (!row) return ceilings;
  const auto backend = backend_of(row->rung->kernel);
  std::string dtype = "fp32";
  if (row->series)
    dtype = compute_unit(*row->series).dtype;
  else if (row->info && !row->info->dtypes.empty())
    dtype = row->info->dtypes.front();
  const bool counts_flop = state.selection.lab->counts_flop;
  const auto rank = [&](const Ceiling& one) {
    if (one.backend != backend) return 3;
    if (one.resource == "flop") return one.dtype == dtype && counts_flop ? 0 : 2;
    return one.resource == "dram_read" ? 1 : 2;
  };
  std::stable_sort(ceilings.begin(), ceilings.end(),
                   [&](const Ceiling& a, const Ceiling& b) { return rank(a) < rank(b); });
  return ceilings;
}

std::string words_of_doubt(const State& state) {
  return state.is_replay() ? "Orange: in doubt, the machine was busy."
                           : "Orange: in doubt. A run on a quiet machine measures it again.";
}

}  // namespace

void LeftRail::draw_ceilings(Ui& ui, Area rest) {
  std::string where;
  const auto& ceilings = shown_ceilings(ui.state, &where);
  heading(ui, &rest, "MACHINE");
  if (ceilings.empty()) {
    const bool waiting = !ui.state.is_replay();
    ui.paragraph(rest,
                 waiting
                     ? "What this machine can do at most is measured after a run's first results."
                 : ui.state.run().series().empty() ? "Select a recorded rung to see its machine."
                                                   : "This saved run measured no ceilings.",
                 kSmall_px, Role::muted);
    return;
  }
  const bool any_doubt = has_doubt(ceilings);
  for (const Ceiling& ceiling : in_order_of_use(ui.state, ceilings)) {
    if (rest.h < ui.px(any_doubt ? 80 : 50)) break;
    const Area line = rest.take_top(ui.px(27));
    const float w =
        ui.text(line.right(), line.middle(), ceiling_text(ceiling, ceiling.value), kTiny_px + 1,
                ceiling.doubt.empty() ? Role::text : Role::limit, Face::mono, Anchor::end);
    const float room = line.w - w - ui.px(8);
    // The threads are the ladder's own: of "FMA fp32, 1 thread" what is measured stays whole.
    const bool is_whole = ui.width(ceiling.name, kTiny_px + 1) <= room;
    ui.text(line.x, line.middle(),
            is_whole ? ceiling.name : ceiling.name.substr(0, ceiling.name.rfind(", ")),
            kTiny_px + 1, Role::muted, Face::body, Anchor::start, room);
    if (ui.hovers("ceiling:" + ceiling.name, line)) {
      ui.tooltip(ceiling.name + ": " + ceiling_text(ceiling, ceiling.value) + ", " +
                 (ceiling.source == "measured" ? "measured on " : "datasheet of ") +
                 (where.empty() ? device_label(ui.state.sessions) : where) +
                 line_before(ceiling_age(ceiling)) + line_before(ceiling_samples(ceiling)) +
                 line_before(ceiling_load(ceiling)) +
                 (ceiling.doubt.empty() ? "" : "\nIn doubt: " + ceiling.doubt) + "\n\n" +
                 metric_text("ceiling"));
    }
  }
  rest.take_top(ui.px(2));
  if (any_doubt) {
    const float said = ui.paragraph(rest, words_of_doubt(ui.state), kTiny_px, Role::limit);
    ui.widgets["ceilings_in_doubt"] = rest.take_top(said, ui.px(2));
  }
  const std::string age = ceilings_age(ceilings);
  const std::string whole = !where.empty() ? "measured on " + where
                            : age.empty()  ? "measured on this machine"
                                           : age;
  // Without room its first part stays whole; pointing has the rest.
  const bool is_cut = ui.width(whole, kTiny_px) > rest.w;
  ui.text(rest.x, rest.y + ui.px(11), is_cut ? whole.substr(0, whole.find(", ")) : whole, kTiny_px,
          Role::muted, Face::body, Anchor::start, rest.w);
  if (is_cut && ui.hovers("ceiling:from", {rest.x, rest.y, rest.w, ui.px(22)})) ui.tooltip(whole);
}

void LeftRail::draw(Ui& ui, Area area) {
  ui.panel(area);
  Area rest = area.inset(ui.px(16), ui.px(10));
  draw_labs(ui, &rest);
  rest.take_top(ui.px(12));
  if (is_learning(ui.state)) return draw_ceilings(ui, rest);  // the climb's rows are the rungs
  // The machine keeps room for three ceilings; a ladder longer than the rest scrolls.
  std::string where;
  const auto& ceilings = shown_ceilings(ui.state, &where);
  const auto count = static_cast<float>(std::min<size_t>(ceilings.size(), 3));
  const float words_h = has_doubt(ceilings) ? 70.0f : 36.0f;
  const float machine_h = ui.px(28 + 27 * std::max(count, 2.0f) + words_h);
  draw_rungs(ui, &rest, std::max(ui.px(60), rest.h - machine_h - ui.px(28)));
  rest.take_top(ui.px(14));
  draw_ceilings(ui, rest);
}

}  // namespace ridge::window
