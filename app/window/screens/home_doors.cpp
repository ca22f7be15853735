#include "app/window/screens/home_doors.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/query/recordings.h"
#include "app/session/saved_run.h"
#include "app/study/tour.h"
#include "app/window/edit/editing.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/first_climb.h"
#include "app/window/shell/settings.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/tour_progress.h"
#include "common/core/background.h"
#include "common/core/format.h"
#include "labs/lab.h"

namespace ridge::window {
namespace {

// Pixels at scale 1. A door is as high as five tours need.
constexpr float kDoor = 266, kDoorGap = 12, kDoorsWide = 800, kTick = 26;

struct Door {
  const char* title;
  const char* sentence;
};

/// Title and sentence; what is left begins with the button's row.
Area open_door(Ui& ui, const Area& door, const Door& says) {
  ui.panel(door);
  Area inner = door.inset(ui.px(22), ui.px(16));
  const Area title = inner.take_top(ui.px(32), ui.px(2));
  ui.text(title.x, title.middle(), says.title, kHeading_px + 2, Role::text, Face::strong,
          Anchor::start, title.w);
  const float needs = ui.paragraph(inner, says.sentence, kSmall_px, Role::muted, Face::body, true);
  const Area sentence = inner.take_top(std::max(ui.px(42), needs), ui.px(8));
  ui.paragraph(sentence, says.sentence, kSmall_px, Role::muted);
  return inner;
}

/// Of the three doors one has the primary button: the first, which asks nothing of a newcomer.
bool door_button(Ui& ui, const char* name, Area* inner, const std::string& label, Ui::Kind kind,
                 bool enabled = true) {
  const Area row = inner->take_top(ui.px(42), ui.px(10));
  const float w = std::min(row.w, ui.width(label, kSmall_px + 1, Face::strong) + ui.px(44));
  // A title up to its comma, or "Begin" alone, rather than a part of it: the list under it has the whole one.
  std::string shown = label;
  for (const char* cut : {", ", ": "}) {
    if (ui.width(shown, kSmall_px + 1, Face::strong) > w - ui.px(20))
      shown = shown.substr(0, shown.find(cut));
  }
  shown = ui.elide(shown, w - ui.px(20), kSmall_px + 1, Face::strong);
  return ui.button(name, {row.x, row.y, w, row.h}, shown, kind, enabled) && enabled;
}

/// One muted line under a door's button.
void small_line(Ui& ui, Area* inner, const std::string& text, Role role = Role::muted) {
  if (text.empty()) return;
  const float h = ui.paragraph(*inner, text, kSmall_px - 1, role, Face::body, true);
  ui.paragraph(inner->take_top(h, ui.px(4)), text, kSmall_px - 1, role);
}

/// A line that is pressed.
bool text_link(Ui& ui, const std::string& name, Area row, const std::string& text) {
  row.w = std::min(row.w, ui.width(text, kSmall_px) + ui.px(16));
  const auto touched = ui.touch(name, row);
  if (touched.hovered) ui.fill(row, ui.raised(1), ui.px(5));
  ui.text(row.x + ui.px(8), row.middle(), text, kSmall_px, Role::series0, Face::body, Anchor::start,
          row.w - ui.px(16));
  return touched.clicked;
}

/// A column for each rung of the climb, linear from zero: empty before it is measured, filled as it climbs.
void draw_climb_columns(Ui& ui, Area area, const Lab& lab, const ClimbCard& card) {
  constexpr float kMost = 96, kLeast = 36, kWidest = 34;
  if (area.h < ui.px(kLeast)) return;
  const float gap = ui.px(6), h = std::min(area.h, ui.px(kMost));
  const auto count = static_cast<float>(lab.short_climb.size());
  const float w = std::min(ui.px(kWidest), (area.w - gap * (count - 1)) / count);
  double most = 0;
  for (const ClimbCard::Bar& bar : card.bars) most = std::max(most, bar.rate);
  ui.widgets["climb_columns"] = {area.x, area.y, (w + gap) * count - gap, h};
  float x = area.x;
  for (const char* kernel : lab.short_climb) {
    const Area track = {x, area.y, w, h};
    x += w + gap;
    ui.fill(track, ui.raised(2), ui.px(4));
    const Rung* rung = rung_of(kernel);
    const std::string title = rung ? rung->title : kernel;
    const auto bar = std::find_if(card.bars.begin(), card.bars.end(),
                                  [&](const ClimbCard::Bar& one) { return one.label == title; });
    const bool is_measured = bar != card.bars.end();
    if (is_measured) {
      const float high = std::max(ui.px(2), h * static_cast<float>(bar->rate / most));
      const Area filled = {track.x, track.bottom() - high, w, high};
      ui.widgets[std::string("climb_bar:") + kernel] = filled;
      ui.fill(filled, ui.color(bar->is_peer ? Role::muted : Role::series0), ui.px(4));
    }
    if (ui.hovers(std::string("climb_column:") + kernel, track))
      ui.tooltip(
          title + "\n" +
          (is_measured ? format_rate(bar->rate, card.unit) : std::string("not measured yet")));
  }
}

/// After the climb: what it reached, the way to why, and the climb once more. `kept`: it is of an earlier session.
void draw_climbed(Ui& ui, const Area& door, const Lab& lab, const ClimbCard& card,
                  const KeptClimb* kept) {
  const std::string reached = card.title + (kept ? " on " + kept->day : "") + ": " +
                              card_gain(card) + " as fast " + card_steps(card) + ". " +
                              card.library + ".";
  Area inner = open_door(ui, door, {"Watch it climb", reached.c_str()});
  ui.widgets["climb_reached"] = door;
  Area row = inner.take_top(ui.px(42), ui.px(10));
  const auto width = [&](const char* label) {
    return ui.width(label, kSmall_px + 1, Face::strong) + ui.px(32);
  };
  const char *why = "Next: why it climbs", *again = "Again";
  const float again_w = width(again), why_w = std::min(width(why), row.w - again_w - ui.px(8));
  if (ui.button("next_tour", row.take_left(why_w, ui.px(8)), why, Ui::Kind::primary))
    ui.dispatch([](State& state) { resume_tour(state, tour_to_resume(state)); });
  const bool can = first_climb_blocker(ui.state).empty();
  if (ui.button("begin", row.take_left(again_w), again, Ui::Kind::normal, can) && can)
    ui.dispatch_action("watch");
  Area link = inner.take_top(ui.px(24), ui.px(6));
  link.x -= ui.px(8);
  if (kept && text_link(ui, "open_kept_climb", link, "Open these results"))
    ui.dispatch([path = kept->path](State& state) { open_run(state, path); });
  if (!kept && text_link(ui, "show_card", link, "Show the card")) ui.dispatch_action("climb_card");
  draw_climb_columns(ui, inner, lab, card);
}

/// The newest climb in these runs.
std::optional<KeptClimb> climb_of(const std::vector<std::string>& paths, const Lab& lab) {
  for (const std::string& path : paths) {
    const auto run = app::load_saved(path);
    const auto climb = run ? climb_in(*run, lab) : std::nullopt;
    if (!climb || !run->environment()) continue;
    constexpr size_t kDay = 10;
    return KeptClimb{climb_card(*run, *climb), path, run->environment()->time_utc.substr(0, kDay),
                     run->environment()->cpu.model};
  }
  return std::nullopt;
}

}  // namespace

/// Before this session has a climb of its own: that of the last results. Null: they hold none, or are being read.
const KeptClimb* HomeDoors::kept_climb(Ui& ui) {
  constexpr size_t kMostRuns = 8;  // a large one takes a second to read
  const State& state = ui.state;
  const Lab* lab = short_climb_lab();
  if (!is_begun_ && lab && !state.history.runs_folder.empty()) {
    std::vector<std::string> paths;
    for (const RecentRun& recent : state.history.recent) {
      const auto& labs = recent.labs;
      const bool has = std::find(labs.begin(), labs.end(), lab->id) != labs.end();
      if (has && recent.path != state.history.run_file && paths.size() < kMostRuns)
        paths.push_back(recent.path);
    }
    if (!paths.empty()) reading_ = in_background([paths, lab] { return climb_of(paths, *lab); });
  }
  is_begun_ = true;
  if (is_ready(reading_)) kept_ = reading_.get();
  ui.needs_redraw |= reading_.valid();
  if (!kept_ || state.first_climb.lab || state.is_replay()) return nullptr;
  const auto& environment = state.run().environment();
  return environment && environment->cpu.model != kept_->cpu ? nullptr : &*kept_;
}

void HomeDoors::draw_watch(Ui& ui, Area door) {
  const State& state = ui.state;
  const KeptClimb* kept = kept_climb(ui);
  if (kept) return draw_climbed(ui, door, *short_climb_lab(), kept->card, kept);
  ClimbCard card;
  if (state.first_climb.lab) card = climb_card(climb_run(state), state.first_climb);
  const bool has_climbed = climb_card_blocker(state).empty() && !card.gain.empty();
  if (has_climbed && !state.is_replay())
    return draw_climbed(ui, door, *state.first_climb.lab, card, nullptr);
  Area inner = open_door(
      ui, door,
      {"Watch it climb",
       "One core multiplies two matrices: from three plain loops, step by step, to the speed of a "
       "library."});
  const bool is_on = state.first_climb.is_under_way() && !state.is_replay();
  if (state.is_replay()) {
    if (door_button(ui, "begin", &inner, way_out(state), Ui::Kind::primary))
      ui.dispatch(take_way_out);
  } else if (is_on) {
    if (door_button(ui, "begin", &inner, "It climbs: look", Ui::Kind::primary))
      ui.dispatch([](State& changed) { changed.view.screen = ScreenId::lab; });
  } else {
    const bool can = first_climb_blocker(state).empty();
    if (door_button(ui, "begin", &inner, "Watch it climb", Ui::Kind::primary, can))
      ui.dispatch_action("watch");
    const bool is_starting = !state.run().catalogue_complete() &&
                             state.sessions.shown->state() != app::WorkerState::lost;
    if (!can)
      small_line(ui, &inner,
                 is_starting ? "Getting ready: the program that measures is starting."
                             : first_climb_blocker(state),
                 Role::text);
  }
  small_line(ui, &inner, machine_line(state));
  if (state.is_replay()) return;
  small_line(ui, &inner,
             "Each column is a step, a rung: it is checked before it is timed. Esc cancels.");
  if (climb_card_blocker(state).empty() &&
      text_link(ui, "show_card", inner.take_top(ui.px(28), ui.px(4)), "Show the card"))
    ui.dispatch_action("climb_card");
  if (const Lab* lab = short_climb_lab()) draw_climb_columns(ui, inner, *lab, card);
}

namespace {

/// "60 min", and how far one is.
std::string tour_state(const State& state, const study::Tour& tour) {
  const int done = steps_done(state, tour);
  const std::string minutes = fmt::format("{:g} min", tour.minutes);
  return done == 0 ? minutes : fmt::format("{} · {} of {} done", minutes, done, tour.steps.size());
}

constexpr float kTourLine = 24, kTourMore = 20;  // of a title that takes two lines
constexpr float kTourTrack = 2,
                kTourFoot = 4;  // the line of what was done, and its room under the words

/// A long title takes two lines in a narrow door.
float tour_line_height(Ui& ui, const State& state, const study::Tour& tour, float width) {
  const float room = width - ui.width(tour_state(state, tour), kTiny_px + 1) - ui.px(12);
  return ui.px(kTourLine) + (ui.width(tour.title, kSmall_px) > room ? ui.px(kTourMore) : 0);
}

/// Of all tours as many as the door has room for, from the one that was leafed to.
constexpr size_t kToursShown = 4;
std::vector<const study::Tour*> tours_in_door(const State& state) {
  std::vector<const study::Tour*> all = tours_in_order();
  if (all.size() <= kToursShown) return all;
  std::rotate(all.begin(), all.begin() + std::ptrdiff_t(state.view.tours_from % all.size()),
              all.end());
  all.resize(kToursShown);
  return all;
}

/// Lines of the tours: each is pressed, and a share of its ground is filled. The last leafs to the next ones.
void draw_tour_lines(Ui& ui, Area* inner) {
  for (const study::Tour* tour : tours_in_door(ui.state)) {
    const float line_h = tour_line_height(ui, ui.state, *tour, inner->w);
    if (inner->h < line_h) return;
    const Area row = inner->take_top(line_h);
    const Area ground = {row.x - ui.px(8), row.y, row.w + ui.px(16), row.h - ui.px(1)};
    const auto touched = ui.touch("door_tour:" + tour->id, ground);
    if (touched.hovered) ui.fill(ground, ui.raised(2), ui.px(5));
    const int done = steps_done(ui.state, *tour);
    const float share = static_cast<float>(done) / static_cast<float>(tour->steps.size());
    if (done > 0) {  // how far it was taken
      const Area track = {row.x, ground.bottom() - ui.px(kTourTrack), row.w, ui.px(kTourTrack)};
      ui.fill(track, ui.raised(3));
      ui.fill({track.x, track.y, track.w * share, track.h}, ui.color(Role::series0));
      ui.widgets["door_done:" + tour->id] = {track.x, track.y, track.w * share, track.h};
    }
    const std::string says = tour_state(ui.state, *tour);
    const float says_w = ui.width(says, kTiny_px + 1);
    const float room = row.w - says_w - ui.px(12);
    const float title_h =
        ui.paragraph({row.x, row.y, room, 0}, tour->title, kSmall_px, Role::text, Face::body, true);
    // Above the line of what was done, whether that is there or not: all titles stand in step.
    const float middle = row.y + (row.h - ui.px(kTourFoot)) / 2;
    const Area title = {row.x, middle - title_h / 2, room, title_h};
    ui.paragraph(title, tour->title, kSmall_px, Role::text);
    ui.widgets["door_title:" + tour->id] = title;
    ui.text(row.right(), middle, says, kTiny_px + 1, Role::muted, Face::body, Anchor::end);
    if (touched.hovered) ui.tooltip(tour->title + "\n" + tour->audience);
    if (touched.clicked) ui.dispatch([id = tour->id](State& state) { resume_tour(state, id); });
  }
  const size_t all = tours_in_order().size();
  if (all <= kToursShown || inner->h < ui.px(kTourLine)) return;
  Area row = inner->take_top(ui.px(kTourLine));
  row.x -= ui.px(8);  // its words begin where the titles do
  if (text_link(ui, "more_tours", row, fmt::format("{} more tours", all - kToursShown)))
    ui.dispatch([](State& state) { state.view.tours_from += kToursShown; });
}

}  // namespace

std::string machine_line(const State& state) {
  const Run& run = state.sessions.own ? state.sessions.own->run() : state.run();
  if (const auto& environment = run.environment()) {
    std::string line = app::cpu_name(environment->cpu);
    for (const GpuInfo& gpu : environment->gpus) line += "  ·  " + gpu.name;
    if (environment->gpus.empty()) line += "  ·  no GPU";
    return line;
  }
  switch (state.sessions.shown->state()) {
    case app::WorkerState::starting:
      return "The worker is being started.";
    case app::WorkerState::lost:
      return "No worker: " + state.sessions.shown->reason();
    default:
      return "";  // it is read when the first run begins
  }
}

/// As high as the tours need that it shows.
float HomeDoors::door_height(Ui& ui, float width) {
  const auto shown = tours_in_door(ui.state);
  float height = ui.px(kDoor - 4 * kTourLine);
  for (const study::Tour* tour : shown)
    height += tour_line_height(ui, ui.state, *tour, width - 2 * ui.px(22));
  return height + (shown.size() < tours_in_order().size() ? ui.px(kTourLine) : 0);
}

float HomeDoors::height(Ui& ui, float width) {
  const float gap = ui.px(kDoorGap);
  return width > ui.px(kDoorsWide) ? door_height(ui, (width - 2 * gap) / 3)
                                   : 3 * door_height(ui, width) + 2 * gap;
}

void HomeDoors::draw(Ui& ui, Area area) {
  const float gap = ui.px(kDoorGap);
  const bool wide = area.w > ui.px(kDoorsWide);
  const float third = (area.w - 2 * gap) / 3;
  const auto next = [&] {
    return wide ? area.take_left(third, gap) : area.take_top(door_height(ui, area.w), gap);
  };
  draw_watch(ui, next());
  draw_learn(ui, next());
  draw_build(ui, next());
}

void HomeDoors::draw_learn(Ui& ui, Area door) const {
  const State& state = ui.state;
  Area inner = open_door(
      ui, door,
      {"Learn",
       "A tour asks you a question, you commit to an answer, and this computer measures the true "
       "one."});
  const std::string id = tour_to_resume(state);
  if (id.empty()) return small_line(ui, &inner, "This build has no tours.", Role::text);
  const study::Tour& tour = *built_in_tours().at(id);
  const int done = steps_done(state, tour);
  const bool goes_on =
      state.tour_progress.places.contains(id) && done < static_cast<int>(tour.steps.size());
  const Area row = inner.take_top(ui.px(42), ui.px(10));
  const float present_w = ui.width("Present", kSmall_px + 1, Face::strong) + ui.px(32);
  Area begin = {row.x, row.y, row.w - present_w - ui.px(8), row.h};
  const bool is_again = done == static_cast<int>(tour.steps.size());
  const char* const verb = is_again                ? "Again: "
                           : goes_on               ? "Resume: "
                           : has_ended_tour(state) ? "Next: "
                                                   : "Begin: ";
  if (door_button(ui, "resume_tour", &begin, verb + tour.title, Ui::Kind::normal))
    ui.dispatch([id](State& changed) { resume_tour(changed, id); });
  const Area present = {row.right() - present_w, row.y, present_w, row.h};
  // The tour that a newcomer begins with is for one alone: what a room sees is chosen from the list.
  if (ui.button("present_tour", present, "Present", Ui::Kind::quiet))
    ui.dispatch([id, goes_on](State& changed) {
      if (goes_on)
        present_tour(changed, id);
      else
        begin_presenting(changed);
    });
  if (ImGui::IsItemHovered())
    ui.tooltip(std::string(goes_on               ? "Present this tour to a room"
                           : state.teaching.tour ? "Present the tour that is open to a room"
                                                 : "Choose a tour and present it to a room") +
               ": full screen, in larger letters.\nA clicker's Page Down and Page Up go on and "
               "back; Esc leaves.");
  small_line(ui, &inner, state.tour_progress.problem, Role::slower);
  draw_tour_lines(ui, &inner);
}

/// A grid of squares that holds so many in this width: all rows but the last are as long.
struct Squares {
  size_t columns = 1;
  float step = 0, height = 0;
};
Squares squares_of(size_t count, float width, float size, float gap) {
  Squares made{.step = size + gap};
  made.columns = std::max<size_t>(1, static_cast<size_t>((width + gap) / made.step));
  const size_t rows = (count + made.columns - 1) / made.columns;
  made.columns = (count + rows - 1) / rows;  // even rows, not a full one and a rest
  made.height = static_cast<float>(rows) * made.step - gap;
  return made;
}

/// A square for each exercise, in the order of the labs; ticked where it was solved here. As large as there is room for all.
void HomeDoors::draw_ticks(Ui& ui, Area area) const {
  constexpr float kLeast = 12;
  float size = ui.px(kTick);
  const size_t count = exercises_->size();
  if (count == 0) return;
  Squares squares = squares_of(count, area.w, size, size / 4);
  while (squares.height > area.h && size > ui.px(kLeast)) {
    size -= ui.px(1);
    squares = squares_of(count, area.w, size, size / 4);
  }
  for (size_t i = 0; i < count; ++i) {
    const app::Exercise& one = (*exercises_)[i];
    const Area place = {area.x + static_cast<float>(i % squares.columns) * squares.step,
                        area.y + static_cast<float>(i / squares.columns) * squares.step, size,
                        size};
    const bool solved = exercise_progress(ui.state, one.name).is_solved;
    const auto touched = ui.touch("tick:" + one.name, place);
    ui.fill(place, solved ? ui.color(Role::series0) : ui.raised(touched.hovered ? 3 : 2), ui.px(5));
    if (solved)
      ui.text(place.x + size / 2, place.middle(), "✓", size < ui.px(18) ? kTiny_px - 3 : kSmall_px,
              Role::canvas, Face::strong, Anchor::middle);
    if (touched.hovered) {
      const Lab* known = find_lab(one.lab);
      ui.tooltip(fmt::format("{}\n{}{}{}\n\n{}", one.title, known ? known->title : one.lab,
                             one.is_cuda && !one.is_puzzle() ? "  ·  needs a GPU" : "",
                             solved ? "  ·  solved" : "", one.task));
    }
    if (touched.clicked) ui.dispatch([one](State& state) { start_exercise(state, one); });
  }
}

void HomeDoors::draw_build(Ui& ui, Area door) {
  Area inner = open_door(
      ui, door,
      {"Build", "Write the missing part of a kernel. Each save is built, checked and timed."});
  if (!exercises_) return small_line(ui, &inner, exercises_.error().sentence(), Role::slower);
  const auto is_open = [&](const app::Exercise& one) {
    const KernelInfo* after = find_info(ui.state.sessions, one.after);
    const bool runs =
        !one.is_cuda || one.is_puzzle() || (after && after->available && !ui.state.is_replay());
    return runs && !exercise_progress(ui.state, one.name).is_solved;
  };
  const auto next = std::find_if(exercises_->begin(), exercises_->end(), is_open);
  const bool all_solved = next == exercises_->end();
  const std::string label = all_solved ? "All exercises" : "Open: " + next->title;
  if (door_button(ui, "open_exercise", &inner, label, Ui::Kind::normal)) {
    if (all_solved)
      ui.dispatch([](State& state) { state.view.screen = ScreenId::classroom; });
    else
      ui.dispatch([one = *next](State& state) { start_exercise(state, one); });
  }
  const auto solved = std::count_if(
      exercises_->begin(), exercises_->end(),
      [&](const app::Exercise& one) { return exercise_progress(ui.state, one.name).is_solved; });
  small_line(
      ui, &inner,
      fmt::format("{} of {} exercises solved. Each square is one.", solved, exercises_->size()));
  draw_ticks(ui, inner);
}

}  // namespace ridge::window
