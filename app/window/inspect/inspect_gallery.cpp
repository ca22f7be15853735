// The pictures of a look inside a model: every plane that has no place of its own, group by group.
#include <algorithm>
#include <cmath>

#include "app/window/inspect/inspect_draw.h"
#include "app/window/inspect/inspect_view.h"

namespace ridge::window {
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
    if (ui.touch("gallery_head:" + std::string(group.text.name), head).hovered)
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

}  // namespace ridge::window
