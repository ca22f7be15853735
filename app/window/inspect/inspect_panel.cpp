// The view "Inside": the input picked or drawn, the classes' scores and votes, one unit, and the classes'
// pictures; and what stands there while, or because, there is none.
#include <fmt/format.h>

#include <algorithm>

#include "app/query/networks.h"
#include "app/window/inspect/inspect_draw.h"
#include "app/window/inspect/inspect_view.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/views/view.h"
#include "common/core/format.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kPanelBar = 46, kBlock = 12, kNote = 22, kPanelCaption = 44, kWide = 700,
                kGalleryShare = 0.53f;
constexpr int kLeastCell = 5, kMostCell = 9;

float button(Ui& ui, Area* line, const char* action, const char* label) {
  const float w = ui.width(label, kSmall_px + 1) + ui.px(24);
  if (line->w < w) return 0;
  ui.action_button(action, line->take_left(w, ui.px(6)), label, Ui::Kind::normal);
  return w;
}

std::string position(const State& state, const Inspection& look) {
  if (state.is_replay()) {
    const size_t count = recorded_inputs(state).size();
    return fmt::format("look {} of {}",
                       std::min(state.inspecting.recorded.value_or(count - 1), count - 1) + 1,
                       count);
  }
  if (state.inspecting.draws) return "your drawing";
  return fmt::format("{} {} of {}", look.input_name, state.inspecting.asked.input.value_or(0),
                     look.inputs);
}

/// What the model makes of it, in words.
std::string caption(const State& state, const Inspection& look) {
  const auto has = [&](const std::optional<int64_t>& one) {
    return one && *one >= 0 && *one < std::ssize(look.classes);
  };
  if (!has(look.prediction)) return "";
  const std::string& says = look.classes[static_cast<size_t>(*look.prediction)];
  std::string text;
  if (has(look.label)) {
    const bool right = look.label == look.prediction;
    text = "Labelled " + look.classes[static_cast<size_t>(*look.label)] +
           (right ? "; the model says so too." : "; the model says " + says + ": wrong.");
  } else {
    text = "The model says " + says + ".";
  }
  if (look.call_ns) text += " The definition took " + format_time_ns(*look.call_ns) + ".";
  if (state.sessions.shown->state() == app::WorkerState::lost)
    text += " The worker was lost since.";
  return text;
}

/// What goes on where there is nothing yet.
void draw_waiting(Ui& ui, const Area& area) {
  const State& state = ui.state;
  if (!state.inspecting.problem.empty()) {
    draw_not_measured(ui, area, "The worker could not look inside this model.",
                      state.inspecting.problem, "Try again", "inspect_again");
    return;
  }
  if (state.requests.is_measuring()) {
    draw_empty_state(ui, area, "Waits for the measurement that runs.", "Esc cancels it.");
    return;
  }
  const auto& progress = state.run().progress();
  if (!state.inspecting.request) {
    draw_empty_state(ui, area, "Waiting for the worker.", "It lists its rungs first.");
  } else if (progress && progress->request == state.inspecting.request && progress->fraction) {
    const std::string text = progress->text.empty() ? progress->phase : progress->text;
    draw_empty_state(
        ui, area, text.c_str(),
        fmt::format("{:.0f} %{}. Esc cancels it.", *progress->fraction * 100,
                    progress->left_s ? fmt::format(", {:.0f} s left", *progress->left_s) : ""));
    const Area rail = {area.x, area.middle() + ui.px(48), std::min(area.w, ui.px(520)), ui.px(6)};
    ui.fill(rail, ui.raised(2), ui.px(3));
    ui.fill({rail.x, rail.y, rail.w * static_cast<float>(*progress->fraction), rail.h},
            ui.color(Role::series0), ui.px(3));
  } else {
    draw_empty_state(ui, area, "Looking inside.",
                     "A model that is not trained yet is trained first, once.");
  }
}

/// Why nothing can be shown whatever is waited for; true: it was said.
bool draw_why_not(Ui& ui, const Area& area) {
  const State& state = ui.state;
  if (const std::string why = inspect_blocker(state); !why.empty()) {
    draw_empty_state(ui, area, why, "Others have: Weightless, for one.");
    return true;
  }
  if (!inspected_row(state)) {
    const RungView* first = first_inspectable(state);
    const std::string label = first ? std::string("Show ") + first->rung->title : "";
    const bool pressed = draw_nothing(
        ui, area, "The selected rung has no model to look into.",
        first ? fmt::format("Others of this lab have one: {}.", first->rung->title) : "", label);
    if (pressed && first)
      ui.dispatch([id = first->rung->kernel](State& changed) { select_rung(changed, id); });
    return true;
  }
  if (state.is_replay() && !shown_model(state) && !shown_input(state)) {
    draw_empty_state(ui, area, "This recording holds no look inside this model.",
                     leave_saved_run(state, "look inside"));
    return true;
  }
  return false;
}

/// The inside of the selected rung's model: what it learned, and what it makes of an input.
class InspectPanel final : public CentrePanel {
 public:
  void draw(Ui& ui, Area area) override;

 private:
  void draw_bar(Ui& ui, Area line);
  void draw_content(Ui& ui, const Area& area);
  static void draw_note(Ui& ui, Area* rest, const std::string& note);
  static void draw_answers(Ui& ui, Scroll* page, const Inspection& look);
  void draw_decision(Ui& ui, Area* rest, float view_h, const Inspection& look);
  void draw_picture(Ui& ui, const Area& area);
  void take_stroke(Ui& ui, const Area& area, const InspectionPlane& picture);
  float last_row_ = 0, last_column_ = 0;  ///< where the stroke is
  bool is_stroke_ = false;
};

/// What there is to do depends on what the model takes: inputs to pick, of classes or not, pictures or not.
void InspectPanel::draw_bar(Ui& ui, Area line) {
  const State& state = ui.state;
  const Inspection* look = shown_input(state);
  if (!look) return;
  line = line.inset(ui.px(8), ui.px(8));
  button(ui, &line, "inspect_previous", "‹");
  const float w = ui.width("test image 10000 of 10000", kSmall_px);
  const Area label = line.take_left(std::min(w, line.w * 0.4f), ui.px(6));
  ui.text(label.x + label.w / 2, label.middle(), position(state, *look), kSmall_px, Role::text,
          Face::body, Anchor::middle, 0);
  button(ui, &line, "inspect_next", "›");
  if (state.is_replay() || !look->plane("image")) return;
  if (!look->classes.empty()) button(ui, &line, "inspect_wrong", "One it gets wrong");
  if (answers_blocker(state).empty() && is_shown(Level::kLab, state.appearance.level))
    button(ui, &line, "inspect_answers",
           state.inspecting.asks_all ? "This network alone" : "Every network");
  line.take_left(ui.px(6));
  button(ui, &line, "inspect_draw", state.inspecting.draws ? "Test images" : "Draw");
  if (!state.inspecting.draws) return;
  button(ui, &line, "inspect_clear", "Clear");
  const float brushes = std::min(line.w, ui.px(190));
  if (brushes < ui.px(80)) return;
  const int clicked = ui.segments("brush", line.take_left(brushes), {"thin", "thick", "erase"},
                                  static_cast<int>(state.inspecting.brush));
  if (clicked >= 0)
    ui.dispatch(
        [clicked](State& changed) { changed.inspecting.brush = static_cast<Brush>(clicked); });
}

void InspectPanel::take_stroke(Ui& ui, const Area& area, const InspectionPlane& picture) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float row = (mouse.y - area.y) / area.h * static_cast<float>(picture.rows);
  const float column = (mouse.x - area.x) / area.w * static_cast<float>(picture.columns);
  if (!is_stroke_) last_row_ = row, last_column_ = column;
  is_stroke_ = true;
  ui.dispatch([from_row = last_row_, from_column = last_column_, row, column](State& state) {
    draw_stroke(state, from_row, from_column, row, column);
  });
  last_row_ = row, last_column_ = column;
}

void InspectPanel::draw_picture(Ui& ui, const Area& area) {
  const State& state = ui.state;
  const Inspection* look = shown_input(state);
  const InspectionPlane* picture = look ? look->plane("image") : nullptr;
  if (!picture) return ui.fill(area, ui.raised(1));
  const bool draws =
      state.inspecting.draws && state.inspecting.canvas.size() == picture->values.size();
  if (draws)
    draw_cells(ui, area, *picture, [&](size_t cell) { return int{state.inspecting.canvas[cell]}; });
  else
    draw_plane(ui, area, *picture);
  const InspectionPlane* pins = look->plane("pins");
  for (size_t i = 0; pins && i < pins->marks.size(); ++i) {
    const Area cell = cell_area(area, pins->rows, pins->columns, pins->marks[i].cell);
    mark_cell(ui, cell, Role::series1, ui.px(1.5f));
    if (pins->marks[i].value == 0) continue;
    ui.fill(cell.inset(cell.w * 0.2f), ui.color(Role::canvas));
    ui.fill(cell.inset(cell.w * 0.3f), ui.color(Role::series1));
  }
  if (look->place)
    mark_cell(ui, cell_area(area, picture->rows, picture->columns, *look->place), Role::text,
              ui.px(1.5f));
  const auto touched = ui.touch("inspect_picture", area, false);
  if (draws && touched.held) take_stroke(ui, area, *picture);
  if (!touched.held) is_stroke_ = false;
  const auto cell = cell_at_mouse(area, picture->rows, picture->columns);
  if (!touched.hovered || !cell || touched.held) return;
  if (!draws && touched.clicked && !state.is_replay())
    return ui.dispatch([place = *cell](State& changed) { select_place(changed, place); });
  std::string says = draws ? "Draw here: the scores follow." : cell_text(*picture, *cell);
  for (size_t i = 0; pins && i < pins->marks.size(); ++i) {
    if (pins->marks[i].cell == *cell) says += "\n" + pins->name + ", " + pins->marks[i].label;
  }
  if (!draws && !state.is_replay())
    says += "\nA click shows which " + look->unit_name + "s look here.";
  ui.tooltip(says);
}

/// The input and what the model makes of it: the picture, each class's score and votes.
void InspectPanel::draw_decision(Ui& ui, Area* rest, float view_h, const Inspection& look) {
  const State& state = ui.state;
  const int columns = look.plane("image")->columns;
  const float most =
      std::min(rest->w * 0.34f, view_h * 0.5f) / static_cast<float>(columns) / ui.scale;
  const float size = ui.px(
      static_cast<float>(columns * std::clamp(static_cast<int>(most), kLeastCell, kMostCell)));
  const bool failed = !state.inspecting.problem.empty();
  const std::string says = failed ? state.inspecting.problem : caption(state, look);
  const Area words = {rest->x, rest->y + size + ui.px(4), size, 0};
  const float words_h = ui.paragraph(words, says, kTiny_px, Role::text, Face::body, true);
  Area main =
      rest->take_top(size + std::max(words_h + ui.px(6), ui.px(kPanelCaption)), ui.px(kBlock));
  const Area left = main.take_left(size, ui.px(16));
  draw_picture(ui, {left.x, left.y, size, size});
  ui.paragraph(words, says, kTiny_px, failed ? Role::limit : Role::text);
  draw_classes(ui, main, look);
}

/// A sentence over everything else.
void InspectPanel::draw_note(Ui& ui, Area* rest, const std::string& note) {
  if (note.empty()) return;
  const Area line = rest->take_top(ui.px(kNote), ui.px(4));
  ui.text(line.x, line.middle(), note, kSmall_px, Role::limit, Face::strong, Anchor::start, line.w);
  if (ui.hovers("inspect_note", line)) ui.tooltip(note);
}

/// What every network answers to the picture in view: a table, and what is missing in it.
void InspectPanel::draw_answers(Ui& ui, Scroll* page, const Inspection& look) {
  const State& state = ui.state;
  const Inspecting& asked = state.inspecting;
  const std::vector<uint8_t> input = input_in_view(state);
  Area head = page->rest.take_top(ui.px(30), ui.px(2));
  if (is_blank(input)) {
    ui.text(head.x, head.middle(),
            "The drawing is empty: draw a garment, and every network answers.", kSmall_px,
            Role::muted, Face::body, Anchor::start, head.w);
    return;
  }
  const auto table = app::answer_table(*state.selection.lab, state.run(), input, look.classes,
                                       asked.draws ? std::nullopt : look.label);
  const bool trains = table.any_untrained && !state.is_replay();
  if (trains) {
    const float w = ui.width("Train them, once", kSmall_px + 1) + ui.px(24);
    ui.action_button("inspect_train", head.take_right(w, ui.px(10)), "Train them, once",
                     Ui::Kind::normal);
  }
  std::string says = table.summary;
  const auto& progress = state.run().progress();
  if (!asked.answers_problem.empty())
    says = asked.answers_problem;
  else if (asked.is_answering && progress && progress->request == asked.request &&
           progress->fraction)
    says = fmt::format("{} {:.0f} %. Esc cancels it.",
                       progress->text.empty() ? progress->phase : progress->text,
                       *progress->fraction * 100);
  ui.text(head.x, head.middle(), says, kSmall_px,
          asked.answers_problem.empty() ? Role::text : Role::limit, Face::strong, Anchor::start,
          head.w);
  draw_table(ui, page, table.columns, table.cells);
  page->rest.take_top(ui.px(kBlock));
}

void InspectPanel::draw_content(Ui& ui, const Area& area) {
  const Looks looks = {shown_model(ui.state), shown_input(ui.state)};
  Scroll scroll(ui, "inside", area);
  Area rest = scroll.rest;
  draw_note(ui, &rest, looks.any().note);
  const bool decides = looks.input && looks.input->plane("image");
  if (decides)
    draw_decision(ui, &rest, area.h, *looks.input);
  else
    draw_note(ui, &rest, ui.state.inspecting.problem);
  if (decides && ui.state.inspecting.asks_all && answers_blocker(ui.state).empty()) {
    scroll.rest = rest;
    draw_answers(ui, &scroll, *looks.input);
    rest = scroll.rest;
  }
  // Figures of the model's parts, else its unit: beside the pictures where there is room.
  const float measures_h = measures_height(ui, looks);
  const float beside_h = measures_h > 0 ? measures_h : unit_height(ui, looks.any());
  const auto draw_beside = [&](const Area& beside) {
    if (measures_h > 0)
      draw_measures(ui, beside, looks);
    else if (beside_h > 0)
      draw_unit(ui, beside, looks.any());
  };
  const float gallery_w = std::floor(rest.w * kGalleryShare), gap = ui.px(20);
  const bool has_room = measures_h == 0 || measures_width(ui, looks) < rest.w - gallery_w - gap;
  const bool wide = looks.model && rest.w > ui.px(kWide) && beside_h > 0 && has_room;
  const float w = wide ? gallery_w : rest.w;
  const float h = gallery_height(ui, w, looks);
  Area block = rest.take_top(wide ? std::max(h, beside_h) : h, ui.px(kBlock));
  draw_gallery(ui, block.take_left(w, gap), looks);
  draw_beside(wide ? block : rest.take_top(beside_h));
  scroll.rest = rest;
}

void InspectPanel::draw(Ui& ui, Area area) {
  if (draw_why_not(ui, area.inset(ui.px(14), 0))) return;
  draw_bar(ui, area.take_top(ui.px(kPanelBar)));
  if (is_inspecting(ui.state)) ui.wake_in(0.05);  // a stroke that waits to be sent, an answer
  const Area content = area.inset(ui.px(8), ui.px(4));
  const bool any = shown_model(ui.state) || shown_input(ui.state);
  if (any)
    draw_content(ui, content);
  else
    draw_waiting(ui, content);
}

std::span<const Action> inspect_actions() {
  static const Action kActions[] = {
      {"inspect_previous",
       "Inside: the input before",
       {},
       pick_blocker,
       [](State& state) { pick_input(state, -1); }},
      {"inspect_next",
       "Inside: the next input",
       {},
       pick_blocker,
       [](State& state) { pick_input(state, 1); }},
      {"inspect_wrong", "Inside: the next input that it gets wrong", {}, draw_blocker, pick_wrong},
      {"inspect_draw",
       "Inside: draw, beginning with the input in view",
       {},
       draw_blocker,
       toggle_draw},
      {"inspect_clear", "Inside: an empty picture to draw on", {}, canvas_blocker, clear_canvas},
      {"inspect_unit_back",
       "Inside: the LUT or RAM before",
       {},
       unit_blocker,
       [](State& state) { step_unit(state, -1); }},
      {"inspect_unit_on",
       "Inside: the next LUT or RAM",
       {},
       unit_blocker,
       [](State& state) { step_unit(state, 1); }},
      {"inspect_answers",
       "Inside: what every network answers to it",
       {},
       answers_blocker,
       toggle_answers,
       Level::kLab},
      {"inspect_train",
       "Inside: train the networks that cannot answer yet",
       {},
       train_blocker,
       train_networks,
       Level::kLab},
      {"inspect_again", "Inside: read the model again", {}, inspect_blocker, inspect_again}};
  return kActions;
}

}  // namespace

const ViewDesc kInspectView = {
    .id = "inspect",
    .label = "Inside",
    .title = "Inside: what a model learned, and how it decides",
    .place = 150,
    .level = Level::kLearn,
    .blocker = inspect_blocker,
    .make_panel = []() -> std::unique_ptr<CentrePanel> { return std::make_unique<InspectPanel>(); },
    .actions = inspect_actions};
RIDGE_VIEW(kInspectView);

}  // namespace ridge::window
