// The view "Trace" of labs whose rungs walk through matrices: a rung and the previous one side by side, each line of
// memory in the colour of the cache that holds it, what came from L2 and from memory below, on one scale. The warps of a
// GPU rung are drawn by lanes_panel.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/window/inspect/inspect_draw.h"
#include "app/window/inspect/lanes_draw.h"
#include "app/window/inspect/lanes_view.h"
#include "app/window/inspect/steps_draw.h"
#include "app/window/inspect/walk_view.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/views/view.h"
#include "common/core/format.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kWalkBar = 40, kWalkTitle = 24, kPlaneName = 18, kStrip = 36, kPlaneGap = 10,
                kHalfGap = 18, kLegend = 22, kLowPanel = 300, kLeastSide = 12;

/// A hue for each cache, that of its strip below, and grey for memory; what this step touches has one of its own, stronger
/// the nearer it was.
ImU32 line_color(const Ui& ui, const WalkLine& line) {
  constexpr float kTouched[] = {0.45f, 0.7f, 1};
  if (line.touch != WalkTouch::none)
    return ui.color(Role::series1, kTouched[static_cast<int>(line.place)]);
  if (line.place == WalkPlace::memory) return ui.raised(2);
  return line.place == WalkPlace::l1 ? ui.color(Role::series0, 0.9f)
                                     : ui.color(Role::series2, 0.7f);
}

/// A tall matrix stands in columns beside each other.
int64_t folds_of(const WalkPlane& plane) {
  const auto folds = std::floor(std::sqrt(double(plane.rows) / double(plane.columns)));
  return std::max<int64_t>(1, static_cast<int64_t>(folds));
}

/// Where elements of a plane are drawn.
struct PlanePicture {
  Area area;
  int64_t rows, columns, folds, folded;  ///< rows and columns of the plane; rows of a fold
  PlanePicture(const Area& where, const WalkPlane& plane)
      : area(where),
        rows(plane.rows),
        columns(plane.columns),
        folds(folds_of(plane)),
        folded((plane.rows + folds - 1) / folds) {}
  /// Of `count` elements of a row from `column` on.
  Area at(int64_t row, int64_t column, int64_t count) const {
    const auto wide = static_cast<float>(columns * folds + folds - 1);
    const auto across = [&](int64_t i) {
      return std::round(area.x + area.w * static_cast<float>(i) / wide);
    };
    const auto down = [&](int64_t i) {
      return std::round(area.y + area.h * static_cast<float>(i) / static_cast<float>(folded));
    };
    const int64_t left = row / folded * (columns + 1) + column, top = row % folded;
    return {across(left), down(top), across(left + count) - across(left),
            down(top + 1) - down(top)};
  }
};

void draw_walk_plane(Ui& ui, const Area& area, const WalkPlane& plane, const WalkLine* lines,
                     std::optional<int64_t> element) {
  const PlanePicture picture(area, plane);
  for (int64_t row = 0; row < plane.rows; ++row) {
    for (int64_t column = 0; column < plane.columns;) {
      const int64_t first = row * plane.columns + column;
      const WalkLine& line = lines[first / plane.elements];
      int64_t end = column + 1;
      while (end < plane.columns && lines[(row * plane.columns + end) / plane.elements] == line)
        ++end;
      ui.fill(picture.at(row, column, end - column), line_color(ui, line));
      column = end;
    }
  }
  if (!element || *element >= plane.rows * plane.columns) return;
  Area mark = picture.at(*element / plane.columns, *element % plane.columns, 1);
  const float least = ui.px(4);
  mark.x -= std::max(0.0f, least - mark.w) / 2, mark.y -= std::max(0.0f, least - mark.h) / 2;
  mark.w = std::max(mark.w, least), mark.h = std::max(mark.h, least);
  mark_cell(ui, mark, Role::text, ui.px(1));
}

/// So many pictures beside each other that they are as large as they can be.
int columns_for(const Ui& ui, const Area& area, size_t count) {
  int best = 1;
  float largest = 0;
  for (int columns = 1; columns <= static_cast<int>(count); ++columns) {
    const auto rows = static_cast<float>((static_cast<int>(count) + columns - 1) / columns);
    const float w =
        (area.w - ui.px(kPlaneGap) * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float h = area.h / rows - ui.px(kPlaneName) - ui.px(4);
    if (std::min(w, h) > largest) largest = std::min(w, h), best = columns;
  }
  return best;
}

void draw_planes(Ui& ui, const Area& area, const Walk& walk, const WalkFrame& frame) {
  int64_t lines_left = 0;
  for (const WalkPlane& plane : walk.planes) lines_left += plane.lines;
  const auto lines = decode_lines(frame.lines, lines_left);
  if (lines.empty()) return;
  const int columns = columns_for(ui, area, walk.planes.size());
  const int rows = (static_cast<int>(walk.planes.size()) + columns - 1) / columns;
  const float w =
      (area.w - ui.px(kPlaneGap) * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float h = area.h / static_cast<float>(rows);
  const float side = std::min(w, h - ui.px(kPlaneName) - ui.px(4));
  constexpr float kLongest = 1.6f;  // side to side: what is longer reads as another matrix
  if (side < ui.px(kLeastSide)) return;
  const WalkLine* first = lines.data();
  for (size_t i = 0; i < walk.planes.size(); ++i) {
    const WalkPlane& plane = walk.planes[i];
    const auto column = static_cast<float>(i % static_cast<size_t>(columns));
    const auto row = static_cast<float>(i / static_cast<size_t>(columns));
    Area cell = {area.x + column * (w + ui.px(kPlaneGap)), area.y + row * h, w, h};
    const Area name = cell.take_top(ui.px(kPlaneName));
    ui.text(name.x, name.middle(), plane.name, kTiny_px, plane.is_copy ? Role::muted : Role::text,
            plane.is_copy ? Face::body : Face::strong, Anchor::start, name.w);
    const Area picture = {cell.x, cell.y, std::min(w, side * kLongest),
                          std::min(h - ui.px(kPlaneName) - ui.px(4), side * kLongest)};
    const bool is_here = frame.plane == static_cast<int64_t>(i);
    draw_walk_plane(ui, picture, plane, first,
                    is_here ? std::optional(frame.element) : std::nullopt);
    if (ui.touch("walk_plane:" + plane.name, picture).hovered)
      ui.tooltip(fmt::format("{}: {} x {} elements, {} lines of {} bytes", plane.name, plane.rows,
                             plane.columns, plane.lines, walk.line_bytes));
    first += plane.lines;
  }
}

size_t frame_at(const Walk& walk, double place) {
  const auto count = static_cast<double>(walk.frames.size());
  return static_cast<size_t>(std::clamp(std::floor(place * count), 0.0, count - 1));
}

const char* source_of(size_t level, size_t levels) {
  return level + 1 == levels ? "memory" : "L2";
}

std::string totals_of(const Walk& walk) {
  std::string text = "B/FLOP: ";
  for (size_t i = 0; i < walk.caches.size(); ++i)
    text += fmt::format("{}{:.3g} from {}", i ? ", " : "", walk.bytes_per_flop(i),
                        source_of(i, walk.caches.size()));
  return text;
}

/// As if every walk had one step: steps of two walks are not the same part of the work.
int64_t scaled(const Walk& walk, int64_t missed) {
  return missed * std::ssize(walk.frames);
}

/// What each step fetched through one level, on the scale of both rungs; a press leads there.
void draw_walk_strip(Ui& ui, const Area& area, const Walk& walk, size_t level, int64_t most,
                     const std::string& name, bool is_only) {
  const float label_h = ui.px(16);
  Area bars = area;
  const Area label = bars.take_top(label_h);
  const size_t now = frame_at(walk, ui.state.walking.place);
  const auto bytes = [&](size_t i) {
    return double(walk.frames[i].missed[level] * walk.line_bytes);
  };
  const std::string text = is_only
                               ? totals_of(walk)
                               : fmt::format("from {}: {:.3g} B/FLOP, this step {}",
                                             source_of(level, walk.caches.size()),
                                             walk.bytes_per_flop(level), format_bytes(bytes(now)));
  ui.text(label.x, label.middle(), text, kTiny_px, Role::text, Face::body, Anchor::start, label.w);
  ui.fill(bars, ui.raised(1), ui.px(2));
  const auto count = static_cast<float>(walk.frames.size());
  for (size_t i = 0; i < walk.frames.size(); ++i) {
    const int64_t missed = walk.frames[i].missed[level];
    if (missed == 0) continue;
    const float x0 = std::floor(bars.x + bars.w * static_cast<float>(i) / count);
    const float x1 = std::floor(bars.x + bars.w * static_cast<float>(i + 1) / count);
    const float share = static_cast<float>(scaled(walk, missed)) / static_cast<float>(most);
    const float h = std::max(1.0f, bars.h * std::min(1.0f, share));
    const Area bar = {x0, bars.bottom() - h, std::max(1.0f, x1 - x0), h};
    ui.fill(bar, ui.color(level == 0 ? Role::series0 : Role::series2));
    if (share > 1) ui.fill({bar.x, bar.y, bar.w, ui.px(3)}, ui.color(Role::text));
  }
  const float x = bars.x + bars.w * (static_cast<float>(now) + 0.5f) / count;
  ui.fill({std::round(x) - 1, bars.y - ui.px(2), ui.px(2), bars.h + ui.px(4)},
          ui.color(Role::text));
  if (ui.touch(name, bars).held) {
    const double place = double((ImGui::GetIO().MousePos.x - bars.x) / bars.w);
    ui.dispatch([place](State& state) {
      state.walking.plays = false;
      seek_walk(state, place);
    });
  }
}

void draw_no_walk(Ui& ui, const Area& area, const RungView& row) {
  const std::string problem = walk_problem(ui.state, row);
  const std::string text =
      !problem.empty()           ? problem
      : ui.state.is_replay()     ? "This recording holds no walk of this rung."
      : ui.state.walking.request ? "Compiling the rung once more, with a note before each access; "
                                   "then one call is recorded."
      : ui.state.requests.is_measuring() ? "Waits for the measurement that runs."
                                         : "Waiting for the worker.";
  ui.paragraph(area, text, kSmall_px, Role::muted);
}

/// The scale of each level's strips: what all but a few steps of all of them stay under. A step that fetches a whole copy
/// would hide the others; it is cut off, with a cap on it.
std::vector<int64_t> strip_scales(const std::vector<const Walk*>& walks) {
  constexpr double kBelow = 0.97, kRoom = 1.2;
  std::vector<int64_t> scales;
  for (size_t level = 0; level < 2; ++level) {
    std::vector<int64_t> missed;
    for (const Walk* walk : walks) {
      for (const WalkFrame& frame : walk->frames) {
        if (level < frame.missed.size()) missed.push_back(scaled(*walk, frame.missed[level]));
      }
    }
    std::sort(missed.begin(), missed.end());
    const auto at = static_cast<size_t>(double(missed.size()) * kBelow);
    const double most = missed.empty() ? 0 : double(missed[std::min(at, missed.size() - 1)]);
    scales.push_back(std::max<int64_t>(1, static_cast<int64_t>(most * kRoom)));
  }
  return scales;
}

void draw_half(Ui& ui, Area area, const RungView& row, const std::vector<int64_t>& most,
               bool is_low) {
  const Area title = area.take_top(ui.px(kWalkTitle));
  const float w = ui.text(title.x, title.middle(), row.rung->title, kSmall_px + 1, Role::text,
                          Face::strong, Anchor::start, title.w);
  const Inspection* shown = shown_walk(ui.state, row);
  if (!shown) return draw_no_walk(ui, area, row);
  const Walk& walk = *shown->walk;
  const float left = title.w - w - ui.px(10);
  if (left > ui.px(60))
    ui.text(title.right() - left, title.middle(),
            fmt::format("{:.3g} B/FLOP asked of L1", walk.asked_per_flop()), kTiny_px, Role::muted,
            Face::body, Anchor::start, left);
  const size_t levels = is_low ? 1 : std::min(walk.caches.size(), most.size());
  for (size_t i = levels; i-- > 0;) {
    const Area strip = area.take_bottom(ui.px(kStrip), ui.px(6));
    draw_walk_strip(ui, strip, walk, i, most[i],
                    fmt::format("walk_strip:{}:{}", row.rung->kernel, i), is_low);
  }
  draw_planes(ui, area, walk, walk.frames[frame_at(walk, ui.state.walking.place)]);
}

void draw_legend(Ui& ui, Area line) {
  const auto item = [&](const WalkLine& tone, const char* text) {
    const float w = ui.width(text, kTiny_px) + ui.px(34);
    if (line.w < w) return;
    const Area place = line.take_left(w);
    ui.fill({place.x, place.middle() - ui.px(7), ui.px(14), ui.px(14)}, line_color(ui, tone));
    ui.text(place.x + ui.px(20), place.middle(), text, kTiny_px, Role::text);
  };
  item({WalkPlace::l1, WalkTouch::none}, "in L1");
  item({WalkPlace::l2, WalkTouch::none}, "in L2 only");
  item({WalkPlace::memory, WalkTouch::none}, "in memory only");
  item({WalkPlace::l1, WalkTouch::read}, "touched in this step");
}

void draw_caches(Ui& ui, const Area& line, const Walk& walk) {
  std::string says = "Order of accesses: recorded. Caches: a model, " + walk.caches_are;
  for (const WalkCache& cache : walk.caches)
    says += fmt::format("{}{} {}, {} ways", &cache == &walk.caches.front() ? ": " : "; ",
                        cache.name, format_bytes(double(cache.bytes)), cache.ways);
  ui.text(line.x, line.middle(), says, kTiny_px, Role::muted, Face::body, Anchor::start, line.w);
}

/// The selected rung's walk, and that of the rung before.
class WalkPanel final : public CentrePanel {
 public:
  void draw(Ui& ui, Area area) override;

 private:
  static void draw_player(Ui& ui, Area* line, bool is_low);
  static void draw_choices(Ui& ui, Area* line, bool is_low);
  static bool draw_why_none(Ui& ui, const Area& area);

  void draw_requests(Ui& ui, Area area);

  std::unique_ptr<CentrePanel> lanes_ = make_lanes_panel();
  StepsPicture steps_;
};

/// In a low panel a row has one choice of each, and the strips are there to step.
void WalkPanel::draw_player(Ui& ui, Area* line, bool is_low) {
  const auto place = [&](const char* action, const char* label) {
    const float w = ui.width(label, kSmall_px + 1) + ui.px(22);
    ui.action_button(action, line->take_left(w, ui.px(6)), label, Ui::Kind::normal);
  };
  const Walking& walking = ui.state.walking;
  if (!is_low) place("walk_back", "‹");
  place("walk_play", walking.plays ? "Pause" : "Play");
  if (!is_low) place("walk_on", "›");
  const int speed = is_low ? -1
                           : ui.segments("walk_speed", line->take_left(ui.px(120), ui.px(10)),
                                         {"slow", "1×", "fast"}, walking.speed);
  if (speed >= 0) ui.dispatch([speed](State& state) { state.walking.speed = speed; });
  const int part =
      ui.segments("walk_part", line->take_left(ui.px(is_low ? 124 : 236), ui.px(10)),
                  {"Whole walk", "Closer", "Each access"}, static_cast<int>(walking.part));
  if (part >= 0) ui.dispatch([part](State& state) { show_part(state, WalkPart(part)); });
}

void WalkPanel::draw_choices(Ui& ui, Area* line, bool is_low) {
  const Walking& walking = ui.state.walking;
  const WalkedFamily& family = ui.state.selection.lab->walked.front();
  std::vector<std::string> sizes;
  for (const int64_t size : family.sizes)
    sizes.push_back(fmt::format("{} = {}", family.param, size));
  const int chosen = walking.size < 0 ? family.first_look : walking.size;
  const int size = ui.stepper("walk_size", line->take_left(ui.px(100), ui.px(10)), sizes, chosen);
  if (size >= 0) ui.dispatch([size](State& state) { set_walk_size(state, size); });
  const int caches =
      ui.segments("walk_caches", line->take_left(ui.px(is_low ? 136 : 206), ui.px(10)),
                  {"Small caches", "This CPU's"}, walking.machine_caches);
  if (caches >= 0) ui.dispatch([caches](State& state) { set_machine_caches(state, caches == 1); });
  if (is_low) return;
  const int alone =
      ui.segments("walk_alone", line->take_left(ui.px(150)), {"Beside", "Alone"}, walking.is_alone);
  if (alone >= 0) ui.dispatch([alone](State& state) { state.walking.is_alone = alone == 1; });
}

bool WalkPanel::draw_why_none(Ui& ui, const Area& area) {
  const State& state = ui.state;
  if (const std::string why = walk_blocker(state); !why.empty()) {
    draw_empty_state(ui, area, why, "GEMM and Convolution have.");
    return true;
  }
  const RungView* row = walking_row(state);
  const std::string why = row ? no_walk_of(state, *row) : "No rung is selected.";
  if (why.empty()) return false;
  const RungView* other = nullptr;
  for (const RungView& one : state.ladder.rows) {
    if (no_walk_of(state, one).empty() && (one.can_run || state.is_replay())) {
      other = &one;
      break;
    }
  }
  const std::string label = other ? std::string("Show ") + other->rung->title : "";
  if (draw_nothing(ui, area, why.c_str(), "Rungs of the CPU that are ours have their walk.",
                   label) &&
      other)
    ui.dispatch([id = other->rung->kernel](State& changed) { select_rung(changed, id); });
  return true;
}

/// A GPU rung's warp that was counted without a GPU.
void WalkPanel::draw_requests(Ui& ui, Area area) {
  const RungView* row = walking_row(ui.state);
  area = area.inset(ui.px(14), ui.px(8));
  if (row && shown_lanes(ui.state, *row).look) {
    const Area line = area.take_top(ui.px(30), ui.px(6));
    if (ui.segments("steps_or_lanes", line.inset(0, 0), {"Requests, counted", "Warps, stamped"},
                    0) == 1)
      ui.dispatch([](State& state) { state.counting.stepping.hides_lanes = false; });
  }
  Scroll scroll(ui, "steps", area);
  scroll.rest.take_top(steps_.draw(ui, scroll.rest, *shown_steps(ui.state)));
}

void WalkPanel::draw(Ui& ui, Area area) {
  const State& state = ui.state;
  if (shows_steps(state)) return draw_requests(ui, area);
  if (shows_lanes(state)) return lanes_->draw(ui, area);
  if (draw_why_none(ui, area.inset(ui.px(14), 0))) return;
  area = area.inset(ui.px(8), ui.px(4));
  const bool is_low = area.h < ui.px(kLowPanel);
  Area line = area.take_top(ui.px(kWalkBar)).inset(0, ui.px(5));
  draw_player(ui, &line, is_low);
  if (!is_low && !state.is_replay() && line.w < ui.px(490))
    line = area.take_top(ui.px(kWalkBar)).inset(0, ui.px(5));
  if (!state.is_replay()) draw_choices(ui, &line, is_low);
  const RungView* row = walking_row(state);
  const RungView* before = state.walking.is_alone ? nullptr : row_before(state);
  const Inspection* shown = shown_walk(state, *row);
  const Inspection* beside = before ? shown_walk(state, *before) : nullptr;
  std::vector<const Walk*> walks;
  for (const Inspection* one : {shown, beside}) {
    if (one) walks.push_back(&*one->walk);
  }
  if (!walks.empty()) {
    draw_caches(ui, area.take_bottom(ui.px(kLegend - 4)), *walks.front());
    draw_legend(ui, area.take_bottom(ui.px(kLegend)));
  }
  const auto most = strip_scales(walks);
  const float gap = ui.px(kHalfGap);
  if (before) draw_half(ui, area.take_left((area.w - gap) / 2, gap), *before, most, is_low);
  draw_half(ui, area, *row, most, is_low);
  if (state.walking.plays) ui.wake_in(1.0 / 30);
  if (state.walking.request) ui.wake_in(0.1);
  if (shown && !state.is_replay() && !walk_problem(state, *row).empty()) ui.wake_in(1);
}

std::string walk_step_blocker(const State& state) {
  if (std::string why = walk_blocker(state); !why.empty()) return why;
  const RungView* row = walking_row(state);
  return row && no_walk_of(state, *row).empty() && shown_walk(state, *row)
             ? ""
             : "No walk is in view yet.";
}

std::span<const Action> walk_actions() {
  static const Action kActions[] = {
      {"walk_play", "Walk: play or pause", {}, walk_step_blocker, toggle_play},
      {"walk_back",
       "Walk: a step back",
       {},
       walk_step_blocker,
       [](State& state) { step_walk(state, -1); }},
      {"walk_on",
       "Walk: a step on",
       {},
       walk_step_blocker,
       [](State& state) { step_walk(state, 1); }},
      {"walk_again", "Walk: ask the worker again", {}, walk_blocker, walk_again},
      {"step_warp",
       "Step one warp of the selected CUDA rung through memory",
       {},
       steps_blocker,
       open_steps},
      {"lanes_take",
       "Lanes: stamp the selected GPU rung's warps here",
       {},
       stamp_blocker,
       take_stamps}};
  return kActions;
}

}  // namespace

const ViewDesc kWalkView = {
    .id = "walk",
    .label = "Trace",
    .title = "Trace: a rung's walk through memory, or a GPU rung's warps and what they ask for",
    .place = 155,
    .level = Level::kLab,
    .fills = true,
    .blocker = trace_blocker,
    .make_panel = []() -> std::unique_ptr<CentrePanel> { return std::make_unique<WalkPanel>(); },
    .actions = walk_actions};
RIDGE_VIEW(kWalkView);

}  // namespace ridge::window
