#include "app/window/teach/lists.h"

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <vector>

#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/step.h"
#include "app/window/teach/tour_progress.h"

namespace ridge::window {
namespace {

/// Of a list that is only read, or was opened by mistake: one press of a clicker closes it and does nothing else.
constexpr int kNoMark = -1;

struct ListRow {
  std::string id, head, about;
  bool is_error = false;
  std::function<void(State&)> act;
};

struct List {
  const char* name;
  std::string title;
  std::vector<ListRow> rows;
};

List tours_of(const State& state) {
  List list{"tours", "Tours", {}};
  for (const std::string& id : study::tour_ids()) {
    const auto tour = study::load_tour(id);
    ListRow row{"tour:" + id, id, "", !tour.ok(), [id](State& changed) {
                  close_list(changed);
                  if (changed.teaching.presenting)
                    begin_on_stage(changed, id);
                  else
                    resume_tour(changed, id);
                }};
    row.about = tour ? tour->audience : tour.error().sentence();
    if (tour) {
      const int done = steps_done(state, *tour);
      const size_t steps = tour->steps.size();
      row.head = fmt::format("{}  ·  {:g} min, ", tour->title, tour->minutes) +
                 (done > 0 ? fmt::format("{} of {} steps done", done, steps)
                           : fmt::format("{} steps", steps));
    }
    list.rows.push_back(std::move(row));
  }
  if (!state.teaching.presenting || state.teaching.tour) return list;
  list.rows.push_back({"tour:none", "No tour", "The selected rung: predict, run, reveal, explain",
                       false, [](State& changed) { close_list(changed); }});
  return list;
}

/// "loop order → oneDNN, roofline": two steps of a tour may end at one rung.
std::string name_of(const study::TourStep& step) {
  const auto title = [](const std::string& kernel) {
    const Rung* rung = rung_of(kernel);
    return std::string(rung ? rung->title : kernel);
  };
  if (step.rungs.empty()) return step.lab;
  const std::string first = title(step.rungs.front()), last = title(step.rungs.back());
  return (first == last ? last : first + " → " + last) +
         (step.figure.empty() ? "" : ", " + step.figure);
}

/// Where a learner left the tour that is shown to a room; -1: no room, or no such place.
int place_left(const State& state) {
  const Teaching& teach = state.teaching;
  return teach.leaves_place ? kept_step(state, teach.tour->id) : -1;
}

List steps_of(const State& state) {
  const Teaching& teach = state.teaching;
  List list{"steps", teach.tour->title, {}};
  for (size_t i = 0; i < teach.tour->steps.size(); ++i) {
    const study::TourStep& step = teach.tour->steps[i];
    const int place = static_cast<int>(i);
    const std::string done = std::string(teach.results.contains(place) ? "  ✓" : "") +
                             (place == place_left(state) ? "  ·  left here" : "");
    list.rows.push_back(
        {fmt::format("step:{}", i + 1),
         fmt::format("{}  {}  ·  {:g} min{}", i + 1, name_of(step), step.minutes, done),
         step.question, false, [place](State& changed) {
           close_list(changed);
           go_to_step(changed, place);
         }});
  }
  return list;
}

List keys_of() {
  List list{"keys", "Keys", {}};
  for (const Action& entry : actions()) {
    if (!works_on_stage(entry) || !*entry.keys.text) continue;
    list.rows.push_back(
        {"key:" + entry.id, entry.title, entry.keys.text, false, [id = entry.id](State& changed) {
           close_list(changed);
           perform(changed, id);
         }});
  }
  return list;
}

/// Both lines where there is room for them, else the second at the right of the first where it is short.
void draw_row(Ui& ui, const Area& row, const ListRow& made, bool is_marked) {
  const auto touched = ui.touch(made.id, row);
  ui.fill(row, ui.raised(touched.hovered || is_marked ? 3 : 2), ui.px(5));
  if (is_marked) ui.frame(row, ui.color(Role::series0), ui.px(5), ui.px(2));
  const Role about = made.is_error ? Role::slower : Role::muted;
  const float x = row.x + ui.px(14), room = row.w - ui.px(28);
  if (touched.hovered && ui.width(made.about, kSmall_px) > room) ui.tooltip(made.about);
  if (row.h >= ui.px(46)) {
    ui.text(x, row.y + row.h * 0.32f, made.head, kSmall_px + 1, Role::text, Face::strong,
            Anchor::start, room);
    ui.text(x, row.y + row.h * 0.72f, made.about, kSmall_px, about, Face::body, Anchor::start,
            room);
  } else {
    const float w = ui.text(x, row.middle(), made.head, kSmall_px + 1, Role::text, Face::strong,
                            Anchor::start, room);
    const float left = room - w - ui.px(16);
    if (left > ui.px(60))
      ui.text(x + room, row.middle(), made.about, kSmall_px, about, Face::body, Anchor::end, left);
  }
  if (touched.clicked) ui.dispatch(made.act);
}

/// Enter and the clicker's forward button take the marked row.
void follow_keys(Ui& ui, const List& list) {
  const int last = static_cast<int>(list.rows.size()) - 1;
  const int at = std::clamp(ui.state.teaching.list_at, kNoMark, last);
  int next = at;
  if (compat::key_pressed(compat::Key::down, true)) ++next;
  if (compat::key_pressed(compat::Key::up, true) || compat::key_pressed(compat::Key::page_up))
    --next;
  next = std::clamp(next, std::min(at, 0), last);
  if (next != ui.state.teaching.list_at)
    ui.dispatch([next](State& changed) { changed.teaching.list_at = next; });
  const bool takes =
      compat::key_pressed(compat::Key::enter) || compat::key_pressed(compat::Key::page_down);
  if (takes && at == kNoMark)
    ui.dispatch([](State& changed) { close_list(changed); });
  else if (takes)
    ui.dispatch(list.rows[static_cast<size_t>(at)].act);
}

void draw_rows(Ui& ui, Area area, const List& list, float line_h, int marked) {
  for (size_t i = 0; i < list.rows.size(); ++i) {
    const Area row = area.take_top(line_h - ui.px(4), ui.px(4));
    draw_row(ui, row, list.rows[i], static_cast<int>(i) == marked);
  }
}

void draw(Ui& ui, const List& list) {
  Overlay overlay(ui, list.name, 0.72f);
  const auto count = static_cast<float>(list.rows.size());
  const float pad = ui.px(24), head_h = ui.px(44);
  const float room = ui.window.h - ui.px(24) - 2 * pad - head_h;
  const float line_h = std::clamp(room / count, ui.px(26), ui.px(64));
  const float w = std::min(ui.px(860), ui.window.w - ui.px(40));
  const float h = line_h * count + head_h + 2 * pad;
  const Area box = {(ui.window.w - w) / 2, std::max(0.0f, (ui.window.h - h) / 2), w, h};
  ui.fill(box, ui.raised(1), ui.px(8));
  ui.widgets["list"] = box;
  Area inner = box.inset(pad);
  const Area title = inner.take_top(ui.px(30), ui.px(14));
  const float hint_w = ui.text(title.right(), title.middle(), "Up, Down, Enter; Esc closes",
                               kSmall_px, Role::muted, Face::body, Anchor::end);
  ui.text(title.x, title.middle(), list.title, kHeading_px, Role::text, Face::strong, Anchor::start,
          title.w - hint_w - ui.px(16));
  draw_rows(ui, inner, list, line_h, ui.state.teaching.list_at);
  follow_keys(ui, list);
  if (overlay.clicked_outside(box)) ui.dispatch([](State& state) { close_list(state); });
}

}  // namespace

bool has_list(const State& state) {
  const Teaching& teach = state.teaching;
  return teach.show_tours || teach.show_steps || teach.show_keys;
}

bool close_list(State& state) {
  const bool had = has_list(state);
  Teaching& teach = state.teaching;
  teach.show_tours = teach.show_steps = teach.show_keys = false;
  teach.focused_step = -1;  // the answer's field has the keyboard again
  return had;
}

void toggle_tours(State& state) {
  const bool opens = !state.teaching.show_tours;
  close_list(state);
  state.teaching.show_tours = opens;
  const auto ids = study::tour_ids();
  const auto at = std::find(ids.begin(), ids.end(), tour_to_resume(state));
  // Over a tour that a room sees a stray key may have opened it: a clicker's next press closes it.
  const bool is_stray = state.teaching.presenting && state.teaching.tour;
  state.teaching.list_at = is_stray          ? kNoMark
                           : at == ids.end() ? 0
                                             : static_cast<int>(at - ids.begin());
}

void toggle_steps(State& state) {
  const bool opens = !state.teaching.show_steps;
  close_list(state);
  state.teaching.show_steps = opens;
  // At the beginning of a talk it is looked for to go on where the tour was left.
  const Teaching& teach = state.teaching;
  const bool begins = teach.leaves_place && teach.tour_step == 0;
  state.teaching.list_at = begins ? place_left(state) : teach.tour_step;
}

void show_keys(State& state) {
  if (!is_on_canvas(state)) return show_screen(state, ScreenId::shortcuts);
  const bool opens = !state.teaching.show_keys;
  close_list(state);
  state.teaching.show_keys = opens;
  state.teaching.list_at = kNoMark;
}

void draw_tours(Ui& ui, Area area) {
  const List list = tours_of(ui.state);
  area.take_top(
      ui.paragraph(area,
                   "A tour asks before it measures: predict, run, reveal, explain. Choose one.",
                   kHeading_px, Role::text, Face::strong),
      ui.px(16));
  const float line_h =
      std::clamp(area.h / static_cast<float>(list.rows.size()), ui.px(26), ui.px(64));
  draw_rows(ui, area, list, line_h, kNoMark);
}

void draw_list(Ui& ui) {
  const Teaching& teach = ui.state.teaching;
  if (teach.show_tours) return draw(ui, tours_of(ui.state));
  if (teach.show_steps && teach.tour) return draw(ui, steps_of(ui.state));
  if (teach.show_keys) draw(ui, keys_of());
}

}  // namespace ridge::window
