#include "app/window/inspect/inspect_draw.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "app/window/inspect/inspect_view.h"
#include "common/view/chart/ramp.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kName = 88, kScore = 150, kUnitHead = 24, kLine = 18, kTable = 128, kSeen = 112;

/// Each column of pixels as bright as many of its units say yes: with 16,000 LUTs several share one.
void draw_votes(Ui& ui, const Area& area, const InspectionPlane& votes, int row) {
  ui.fill(area, ui.raised(1), ui.px(2));
  const int pixels = std::max(1, static_cast<int>(area.w));
  const int bins = std::min(votes.columns, pixels);
  for (int bin = 0; bin < bins; ++bin) {
    const int first = static_cast<int>(int64_t{bin} * votes.columns / bins);
    const int last = static_cast<int>(int64_t{bin + 1} * votes.columns / bins);
    int yes = 0;
    for (int i = first; i < last; ++i)
      yes += votes.values[static_cast<size_t>(row) * static_cast<size_t>(votes.columns) +
                          static_cast<size_t>(i)] > 0;
    if (yes == 0) continue;
    const float x0 =
        std::round(area.x + area.w * static_cast<float>(bin) / static_cast<float>(bins));
    const float x1 =
        std::round(area.x + area.w * static_cast<float>(bin + 1) / static_cast<float>(bins));
    const float gap = x1 - x0 > 3 ? 1.0f : 0.0f;
    const float share = static_cast<float>(yes) / static_cast<float>(last - first);
    ui.fill({x0, area.y, x1 - x0 - gap, area.h}, ui.color(Role::series0, 0.25f + 0.75f * share));
  }
}

void touch_votes(Ui& ui, const Area& area, const Inspection& look, const InspectionPlane& votes,
                 int row) {
  const auto touched = ui.touch("votes:" + std::to_string(row), area, false);
  const auto cell = cell_at_mouse(area, 1, votes.columns);
  if (!touched.hovered || !cell) return;
  const int64_t at = int64_t{row} * votes.columns + *cell;
  const int64_t unit = look.units > 0 ? at % look.units : *cell;
  ui.tooltip(fmt::format("{} {} {} {}. A click shows it.", look.unit_name, unit,
                         votes.values[static_cast<size_t>(at)] > 0 ? "says yes to" : "says no to",
                         class_name(look, static_cast<size_t>(row))));
  if (touched.clicked) ui.dispatch([unit](State& state) { select_unit(state, unit); });
}

/// Where the unit in view stands among the votes.
void mark_unit(Ui& ui, const Area& area, const Inspection& look, const InspectionPlane& votes,
               int row) {
  if (!look.unit || look.units <= 0) return;
  const bool is_row = int64_t{votes.rows} * votes.columns > look.units;  // a unit votes in each row
  if (!is_row && *look.unit / votes.columns != row) return;
  const Area cell = cell_area(area, 1, votes.columns, *look.unit % votes.columns);
  const float w = std::max(cell.w, ui.px(3));
  ui.frame({cell.x + (cell.w - w) / 2, cell.y - ui.px(2), w, cell.h + ui.px(4)},
           ui.color(Role::text), 0, ui.px(1.5f));
}

void draw_class(Ui& ui, Area line, const Inspection& look, size_t c, float most) {
  const InspectionPlane* votes = look.plane("votes");
  const bool is_predicted = look.prediction == int64_t(c), is_label = look.label == int64_t(c);
  if (is_predicted) ui.fill(line, ui.color(Role::highlight), ui.px(4));
  line = line.inset(ui.px(6), 0);
  const Area name = line.take_left(ui.px(kName), ui.px(6));
  ui.text(name.x, name.middle(), class_name(look, c), kSmall_px, Role::text,
          is_predicted ? Face::strong : Face::body, Anchor::start, name.w);
  if (is_label) {
    const float w = std::min(name.w, ui.width(class_name(look, c), kSmall_px));
    ui.fill({name.x, name.bottom() - ui.px(3), w, ui.px(2)}, ui.color(Role::series1));
  }
  const Area score = line.take_left(ui.px(kScore), ui.px(10));
  const Area rail = {score.x, score.middle() - ui.px(6), score.w - ui.px(48), ui.px(12)};
  ui.fill(rail, ui.raised(1), ui.px(2));
  const auto share = static_cast<float>(look.scores[c]) / most;
  ui.fill({rail.x, rail.y, rail.w * std::clamp(share, 0.0f, 1.0f), rail.h},
          ui.color(is_predicted ? Role::series0 : Role::muted), ui.px(2));
  ui.text(score.right(), score.middle(), fmt::format("{:g}", look.scores[c]), kSmall_px,
          is_predicted ? Role::text : Role::muted, Face::body, Anchor::end);
  if (ui.hovers("score:" + std::to_string(c), {name.x, name.y, score.right() - name.x, name.h})) {
    ui.tooltip(fmt::format("{}: {:g} of {:g} {}.{}{}", class_name(look, c), look.scores[c],
                           look.score_most, look.score,
                           is_predicted ? " The most: this is the prediction." : "",
                           is_label ? " The picture is labelled so (underlined)." : ""));
  }
  const bool has_votes = votes && !votes->values.empty() && static_cast<int>(c) < votes->rows;
  if (!has_votes || line.w < ui.px(40)) return;
  const Area strip = line.inset(0, std::max(ui.px(2), (line.h - ui.px(18)) / 2));
  draw_votes(ui, strip, *votes, static_cast<int>(c));
  mark_unit(ui, strip, look, *votes, static_cast<int>(c));
  touch_votes(ui, strip, look, *votes, static_cast<int>(c));
}

}  // namespace

std::string class_name(const Inspection& look, size_t c) {
  return c < look.classes.size() ? look.classes[c] : std::to_string(c);
}

Area cell_area(const Area& area, int rows, int columns, int64_t cell) {
  const auto row = static_cast<float>(cell / columns), column = static_cast<float>(cell % columns);
  const auto across = [&](float i) {
    return std::round(area.x + area.w * i / static_cast<float>(columns));
  };
  const auto down = [&](float i) {
    return std::round(area.y + area.h * i / static_cast<float>(rows));
  };
  return {across(column), down(row), across(column + 1) - across(column),
          down(row + 1) - down(row)};
}

std::optional<int64_t> cell_at_mouse(const Area& area, int rows, int columns) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto column =
      static_cast<int64_t>(std::floor((mouse.x - area.x) / area.w * static_cast<float>(columns)));
  const auto row =
      static_cast<int64_t>(std::floor((mouse.y - area.y) / area.h * static_cast<float>(rows)));
  if (column < 0 || column >= columns || row < 0 || row >= rows) return std::nullopt;
  return row * columns + column;
}

void draw_cells(Ui& ui, const Area& area, const InspectionPlane& plane,
                const std::function<int(size_t cell)>& value_at) {
  ui.fill(area, ui.shade(0));
  const auto step_at = [&](int row, int column) {
    const int value = value_at(static_cast<size_t>(row) * static_cast<size_t>(plane.columns) +
                               static_cast<size_t>(column));
    const double share = double(value - plane.low) / double(plane.high - plane.low);
    return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * (chart::kRampSteps - 1)));
  };
  for (int row = 0; row < plane.rows; ++row) {
    // Neighbours of one colour are one rectangle: eleven pictures would be 8,600.
    for (int column = 0; column < plane.columns;) {
      const int step = step_at(row, column);
      int end = column + 1;
      while (end < plane.columns && step_at(row, end) == step) ++end;
      if (step > 0) {
        const Area first =
            cell_area(area, plane.rows, plane.columns, int64_t{row} * plane.columns + column);
        const Area last =
            cell_area(area, plane.rows, plane.columns, int64_t{row} * plane.columns + end - 1);
        ui.fill({first.x, first.y, last.right() - first.x, first.h}, ui.shade(step));
      }
      column = end;
    }
  }
}

void draw_plane(Ui& ui, const Area& area, const InspectionPlane& plane) {
  if (plane.values.empty()) return ui.fill(area, ui.shade(0));
  draw_cells(ui, area, plane, [&](size_t cell) { return plane.values[cell]; });
}

void mark_cell(Ui& ui, const Area& cell, Role role, float width) {
  ui.frame(cell.inset(-width - 1), ui.color(Role::canvas), 0, width + 2);
  ui.frame(cell.inset(-width), ui.color(role), 0, width);
}

std::string cell_text(const InspectionPlane& plane, int64_t cell) {
  std::string text =
      fmt::format("{}, row {}, column {}", plane.name, cell / plane.columns, cell % plane.columns);
  if (!plane.values.empty()) {
    text +=
        fmt::format(": {:g} {}", plane.values[static_cast<size_t>(cell)] * plane.step, plane.unit);
  }
  return text;
}

void draw_classes(Ui& ui, Area area, const Inspection& look) {
  Area head = area.take_top(ui.px(kUnitHead));
  ui.text(head.x + ui.px(6), head.middle(), fmt::format("{}, of {:g}", look.score, look.score_most),
          kTiny_px, Role::muted, Face::body, Anchor::start, ui.px(kName + kScore));
  head.take_left(ui.px(kName + kScore + 28));
  const auto missing = look.unavailable.find("votes");
  std::string says;
  if (look.plane("votes")) says = "each cell a " + look.unit_name + ", lit where it says yes";
  if (missing != look.unavailable.end()) says = "votes unavailable: " + missing->second;
  if (head.w > ui.px(60))
    ui.text(head.x, head.middle(), says, kTiny_px, Role::muted, Face::body, Anchor::start, head.w);
  if (look.scores.empty()) return;
  const float most =
      std::max(1.0f, static_cast<float>(*std::max_element(look.scores.begin(), look.scores.end())));
  const float row_h = std::floor(area.h / static_cast<float>(look.scores.size()));
  for (size_t c = 0; c < look.scores.size(); ++c)
    draw_class(ui, area.take_top(row_h), look, c, most);
}

float unit_height(const Ui& ui, const Inspection& look) {
  const InspectionPlane *pins = look.plane("pins"), *seen = look.plane("seen");
  if (!pins && !seen && !look.plane("table")) return 0;
  const size_t lines = std::max(pins ? pins->marks.size() : 0, seen ? seen->values.size() + 1 : 0);
  return ui.px(kUnitHead + 4) + std::max(ui.px(kTable), static_cast<float>(lines) * ui.px(kLine));
}

namespace {

/// Which unit, the way to its neighbours, and how many look at the place that was clicked.
void draw_unit_head(Ui& ui, Area head, const Inspection& look, const InspectionPlane* pins) {
  const Area back = head.take_left(ui.px(24), ui.px(4)), on = head.take_left(ui.px(24), ui.px(8));
  ui.action_button("inspect_unit_back", back, "‹", Ui::Kind::normal);
  ui.action_button("inspect_unit_on", on, "›", Ui::Kind::normal);
  const std::string title = pins ? pins->name : look.unit_name;
  head.take_left(ui.text(head.x, head.middle(), title, kSmall_px, Role::text, Face::strong,
                         Anchor::start, head.w),
                 ui.px(10));
  if (head.w < ui.px(60)) return;
  std::string says = fmt::format("of {}", look.units);
  if (look.place && pins) {
    const size_t count = look.lookers.size();
    says = fmt::format("{} {}{} at row {}, column {}", count, look.unit_name,
                       count == 1 ? " looks" : "s look", *look.place / pins->columns,
                       *look.place % pins->columns);
  }
  ui.text(head.x, head.middle(), says, kTiny_px, Role::muted, Face::body, Anchor::start, head.w);
}

void draw_table(Ui& ui, const Area& square, const InspectionPlane& table) {
  draw_plane(ui, square, table);
  for (const PlaneMark& mark : table.marks) {
    mark_cell(ui, cell_area(square, table.rows, table.columns, mark.cell), Role::series1, ui.px(2));
  }
  const bool hovered = ui.hovers("unit_table", square);
  const auto cell = cell_at_mouse(square, table.rows, table.columns);
  if (!hovered || !cell || table.values.empty()) return;
  const bool is_read = !table.marks.empty() && table.marks.front().cell == *cell;
  ui.tooltip(fmt::format("Its table, an entry for each address. At {}: {}.{}", *cell,
                         table.values[static_cast<size_t>(*cell)],
                         is_read ? " This input reads it (framed)." : ""));
}

void draw_seen(Ui& ui, Area list, const Inspection& look, const InspectionPlane& seen) {
  const Area head = list.take_top(ui.px(kLine));
  ui.text(head.x, head.middle(), "seen in training", kTiny_px, Role::muted, Face::body,
          Anchor::start, head.w);
  if (ui.hovers("unit_seen", head)) {
    ui.tooltip(seen.name + ": how often training saw it with each class (" + seen.unit +
               "). Strong: above the bleaching, so it says yes.");
  }
  for (size_t c = 0; c < seen.values.size(); ++c) {
    const bool yes = std::any_of(seen.marks.begin(), seen.marks.end(),
                                 [&](const PlaneMark& mark) { return mark.cell == int64_t(c); });
    const Area line = list.take_top(ui.px(kLine));
    ui.text(line.x, line.middle(), class_name(look, c), kTiny_px, yes ? Role::text : Role::muted,
            yes ? Face::strong : Face::body, Anchor::start, line.w - ui.px(30));
    ui.text(line.right(), line.middle(), std::to_string(seen.values[c]), kTiny_px,
            yes ? Role::text : Role::muted, yes ? Face::strong : Face::body, Anchor::end);
  }
}

}  // namespace

void draw_unit(Ui& ui, Area area, const Inspection& look) {
  const InspectionPlane* pins = look.plane("pins");
  draw_unit_head(ui, area.take_top(ui.px(kUnitHead), ui.px(4)), look, pins);
  if (const InspectionPlane* table = look.plane("table")) {
    const Area grid = area.take_left(ui.px(kTable), ui.px(14));
    draw_table(ui, {grid.x, grid.y, grid.w, ui.px(kTable)}, *table);
  }
  if (const InspectionPlane* seen = look.plane("seen"))
    draw_seen(ui, area.take_left(ui.px(kSeen), ui.px(16)), look, *seen);
  for (size_t i = 0; pins && i < pins->marks.size(); ++i) {
    const Area line = area.take_top(ui.px(kLine));
    const bool on = pins->marks[i].value != 0;
    ui.text(line.x, line.middle(), pins->marks[i].label, kTiny_px, on ? Role::text : Role::muted,
            Face::body, Anchor::start, line.w);
  }
}

// ---- pictures: every plane that has no place of its own, group by group -------------------------

namespace {

// Pixels at scale 1.
constexpr float kGroupHead = 24, kCaption = 20, kLeastPicture = 64, kMostPicture = 104,
                kMostHistogram = 460, kLeastSingle = 208, kBetween = 6, kBetweenGroups = 20;

/// What a group of pictures is called and means.
struct GroupText {
  const char *name, *title, *text;
  bool is_of_input = false;  ///< a cell is a place of the input
  bool has_clips = false;    ///< marks are clipping points
};
constexpr GroupText kGroups[] = {
    {"mental image", "Mental images: what each class remembers",
     "What each class's RAMs remember of training, pixel by pixel (DRASiW): the share of set bits "
     "among what they counted above the bleaching. A click on a pixel shows which RAMs look there.",
     true},
    {"activations", "Activations: where calibration cut them off",
     "How often each value comes out of a layer, from 0 to the maximum, heights by the logarithm. "
     "What lies above the clipping point is brighter: it becomes the highest byte.",
     false, true},
    {"wiring", "Wiring: where the pins look",
     "How many pins look at each pixel, of all LUTs and of each class's. Training chose them. A "
     "click on a pixel shows which LUTs look there.",
     true},
    {"attention map", "One head: where its queries look",
     "A row is a query, a column a group of neighbouring keys; bright: much of the query's weight "
     "falls on them. The last query of a head is large, so its weight falls on few keys."},
    {"scores", "Scores of the query",
     "q·k/√d for each key, block by block, as the online softmax takes them in: a row is a block."},
    {"weights", "Weights of the query",
     "softmax of the scores: how much of each value goes into the output. They add up to 1."}};

/// Drawn in places of their own: the input, its votes, a unit.
bool has_own_place(const InspectionPlane& plane) {
  constexpr std::string_view kElsewhere[] = {"image", "votes", "table", "seen", "pins"};
  return is_measure(plane) || plane.values.empty() ||
         std::find(std::begin(kElsewhere), std::end(kElsewhere), plane.group) !=
             std::end(kElsewhere);
}

/// Of one group, side by side under its title.
struct PlaneGroup {
  GroupText text;
  std::vector<const InspectionPlane*> planes;
  bool lies = false;  ///< a histogram, or keys in blocks: wider than high
  size_t a_row = 1;   ///< pictures
  float picture_w = 0, picture_h = 0;
  Area area;  ///< in the gallery
  bool is_single() const { return planes.size() == 1; }
};

/// A group without a description has its name for a title, and its unit for a text.
GroupText text_of(const InspectionPlane& plane) {
  for (const GroupText& group : kGroups)
    if (plane.group == group.name) return group;
  return {plane.group.c_str(), plane.group.c_str(), plane.unit.c_str()};
}

std::vector<PlaneGroup> plane_groups_of(const Looks& looks) {
  std::vector<PlaneGroup> found;
  for (const Inspection* look : {looks.model, looks.input}) {
    for (size_t i = 0; look && i < look->planes.size(); ++i) {
      const InspectionPlane& plane = look->planes[i];
      if (has_own_place(plane)) continue;
      if (found.empty() || found.back().planes.front()->group != plane.group)
        found.push_back({.text = text_of(plane), .planes = {}, .area = {}});
      found.back().planes.push_back(&plane);
    }
  }
  return found;
}

/// Under a histogram stand its clipping points as well.
float caption_height(const Ui& ui, const PlaneGroup& group) {
  return ui.px(group.text.has_clips ? 2 * kCaption : kCaption);
}

/// Pictures of classes stand in rows; what lies has a line to itself; a group of one picture leaves room for others.
void measure_group(const Ui& ui, float width, PlaneGroup* group) {
  const size_t count = group->planes.size();
  const InspectionPlane& first = *group->planes.front();
  group->lies = first.columns > 2 * first.rows;
  group->a_row = group->lies ? 1 : count;
  const float gap = ui.px(kBetween);
  const auto fits = [&](size_t n) { return (width + gap) / static_cast<float>(n) - gap; };
  while (group->a_row > 1 && fits(group->a_row) < ui.px(kLeastPicture))
    group->a_row = (group->a_row + 1) / 2;
  const bool shares = group->is_single() && !group->text.has_clips;
  const float most = shares        ? std::clamp(fits(3), ui.px(kLeastSingle), ui.px(kMostHistogram))
                     : group->lies ? ui.px(kMostHistogram)
                                   : ui.px(kMostPicture);
  group->picture_w = std::min(std::floor(fits(group->a_row)), std::floor(most));
  if (shares && !group->lies) group->picture_w = std::min(group->picture_w, ui.px(kLeastSingle));
  group->picture_h = std::floor(group->picture_w * (group->lies ? 0.45f : 1));
  const auto rows = static_cast<float>((count + group->a_row - 1) / group->a_row);
  group->area.w = shares ? group->picture_w : width;
  group->area.h = ui.px(kGroupHead) + rows * (group->picture_h + caption_height(ui, *group));
}

/// Beside each other while they fit, then below. Returns the height that all take.
float place_groups(const Ui& ui, float width, std::vector<PlaneGroup>* groups) {
  float x = 0, y = 0, high = 0;
  for (PlaneGroup& group : *groups) {
    measure_group(ui, width, &group);
    if (x > 0 && x + group.area.w > width) x = 0, y += high + ui.px(kBetween), high = 0;
    group.area.x = x, group.area.y = y;
    x += group.area.w + ui.px(kBetweenGroups);
    high = std::max(high, group.area.h);
  }
  return y + high;
}

void draw_gallery_picture(Ui& ui, const Area& picture, const PlaneGroup& group,
                          const InspectionPlane& plane, const Looks& looks) {
  const Inspection* look = looks.input;
  draw_plane(ui, picture, plane);
  if (group.text.has_clips) draw_clips(ui, picture, plane, ui.px(kCaption));
  const bool is_predicted = look && look->prediction &&
                            *look->prediction < std::ssize(look->classes) &&
                            class_name(*look, static_cast<size_t>(*look->prediction)) == plane.name;
  if (is_predicted) ui.frame(picture.inset(-ui.px(2)), ui.color(Role::series0), 0, ui.px(2));
  ui.text(picture.x, picture.bottom() + ui.px(kCaption / 2), plane.name, kTiny_px,
          is_predicted ? Role::text : Role::muted, Face::body, Anchor::start, picture.w);
  const auto& place = looks.any().place;
  const bool has_place =
      group.text.is_of_input && place && *place < int64_t{plane.rows} * plane.columns;
  if (has_place)
    mark_cell(ui, cell_area(picture, plane.rows, plane.columns, *place), Role::series1, ui.px(1));
  const auto touched = ui.touch("gallery:" + plane.name, picture);
  const auto cell = cell_at_mouse(picture, plane.rows, plane.columns);
  if (!touched.hovered || !cell) return;
  std::string says = cell_text(plane, *cell);
  for (const PlaneMark& mark : plane.marks) says += "\n" + mark.label;
  ui.tooltip(says);
  if (touched.clicked && group.text.is_of_input)
    ui.dispatch([place = *cell](State& state) { select_place(state, place); });
}

}  // namespace

float gallery_height(const Ui& ui, float width, const Looks& looks) {
  std::vector<PlaneGroup> groups = plane_groups_of(looks);
  return place_groups(ui, width, &groups);
}

void draw_gallery(Ui& ui, const Area& area, const Looks& looks) {
  std::vector<PlaneGroup> groups = plane_groups_of(looks);
  place_groups(ui, area.w, &groups);
  for (const PlaneGroup& group : groups) {
    const Area all = {area.x + group.area.x, area.y + group.area.y, group.area.w, group.area.h};
    const Area head = {all.x, all.y, all.w, ui.px(kGroupHead)};
    ui.text(head.x, head.middle(), group.text.title, kSmall_px, Role::text, Face::strong,
            Anchor::start, head.w);
    if (ui.hovers("gallery_head:" + std::string(group.text.name), head))
      ui.tooltip(std::string(group.text.title) + "\n" + group.text.text);
    for (size_t i = 0; i < group.planes.size(); ++i) {
      const auto column = static_cast<float>(i % group.a_row),
                 row = static_cast<float>(i / group.a_row);
      const Area picture = {all.x + column * (group.picture_w + ui.px(kBetween)),
                            head.bottom() + row * (group.picture_h + caption_height(ui, group)),
                            group.picture_w, group.picture_h};
      draw_gallery_picture(ui, picture, group, *group.planes[i], looks);
    }
  }
}

// ---- figures of the parts, a bar each, and where activations are cut off ------------------------

namespace {

constexpr float kMeasureHead = 26, kMeasureLine = 22, kMeasureBar = 150;

/// Of the model, then of the input.
std::vector<const InspectionPlane*> measures_of(const Looks& looks) {
  std::vector<const InspectionPlane*> found;
  for (const Inspection* look : {looks.model, looks.input}) {
    for (size_t i = 0; look && i < look->planes.size(); ++i)
      if (is_measure(look->planes[i])) found.push_back(&look->planes[i]);
  }
  return found;
}

/// The clipping points as they stand in the picture, from left to right.
std::string clips_text(const InspectionPlane& plane) {
  std::vector<PlaneMark> marks = plane.marks;
  std::stable_sort(marks.begin(), marks.end(),
                   [](const PlaneMark& a, const PlaneMark& b) { return a.cell < b.cell; });
  std::string text;
  for (const PlaneMark& mark : marks) text += (text.empty() ? "" : " · ") + mark.label;
  return text;
}

}  // namespace

void draw_clips(Ui& ui, const Area& picture, const InspectionPlane& plane, float line) {
  for (const bool chosen : {false, true}) {
    for (const PlaneMark& mark : plane.marks) {
      if ((mark.value != 0) != chosen) continue;
      const Area cell = cell_area(picture, plane.rows, plane.columns, mark.cell);
      ui.fill({cell.x + cell.w / 2, picture.y, ui.px(chosen ? 2 : 1), picture.h},
              ui.color(chosen ? Role::series1 : Role::muted));
    }
  }
  ui.text(picture.x, picture.bottom() + 1.35f * line, clips_text(plane), kTiny_px, Role::text,
          Face::body, Anchor::start, picture.w);
}

bool is_measure(const InspectionPlane& plane) {
  return plane.rows == 1 && !plane.marks.empty() && plane.marks.size() == plane.values.size();
}

float measures_height(const Ui& ui, const Looks& looks) {
  float height = 0;
  for (const InspectionPlane* plane : measures_of(looks))
    height += kMeasureHead + kMeasureLine * static_cast<float>(plane->marks.size());
  return ui.px(height);
}

float measures_width(Ui& ui, const Looks& looks) {
  float widest = 0;
  for (const InspectionPlane* plane : measures_of(looks)) {
    for (const PlaneMark& mark : plane->marks)
      widest = std::max(widest, ui.width(mark.label, kTiny_px));
  }
  return widest + ui.px(kMeasureBar + 10);
}

namespace {

void draw_measure(Ui& ui, Area* area, const InspectionPlane& plane) {
  const Area head = area->take_top(ui.px(kMeasureHead));
  ui.text(head.x, head.middle(), plane.name, kSmall_px, Role::text, Face::strong, Anchor::start,
          head.w);
  if (ui.hovers("measure:" + plane.group, head)) ui.tooltip(plane.name + ": " + plane.unit);
  for (size_t i = 0; i < std::min(plane.marks.size(), plane.values.size()); ++i) {
    const bool chosen = plane.marks[i].value != 0;
    Area line = area->take_top(ui.px(kMeasureLine));
    Area bar =
        line.take_left(std::min(ui.px(kMeasureBar), line.w * 0.4f), ui.px(10)).inset(0, ui.px(5));
    ui.fill(bar, ui.raised(1));
    const float share = static_cast<float>(plane.values[i] - plane.low) /
                        static_cast<float>(plane.high - plane.low);
    bar.w *= std::clamp(share, 0.0f, 1.0f);
    ui.fill(bar, ui.color(chosen ? Role::series1 : Role::series0));
    ui.text(line.x, line.middle(), plane.marks[i].label, kTiny_px,
            chosen ? Role::text : Role::muted, Face::body, Anchor::start, line.w);
  }
}

}  // namespace

void draw_measures(Ui& ui, Area area, const Looks& looks) {
  for (const InspectionPlane* plane : measures_of(looks)) draw_measure(ui, &area, *plane);
}

}  // namespace ridge::window
