// The view "Inside": the input picked or drawn, the classes' scores and votes, one unit, and the classes'
// pictures; and what stands there while, or because, there is none.
#include <fmt/format.h>

#include <algorithm>

#include "app/window/actions.h"
#include "app/window/inspect_draw.h"
#include "app/window/inspect_view.h"
#include "app/window/panels.h"
#include "app/window/screens.h"
#include "common/core/format.h"

namespace ridge::window {
namespace {

// Pixels at scale 1.
constexpr float kPanelBar = 46, kBlock = 12, kNote = 22, kPanelCaption = 44, kWide = 700;
constexpr int kLeastCell = 5, kMostCell = 9;

float button(Ui& ui, Area* line, const char* action, const char* label) {
  const float w = ui.width(label, kSmall_px + 1) + ui.px(24);
  if (line->w < w) return 0;
  ui.action_button(action, line->take_left(w, ui.px(6)), label, Ui::Kind::normal);
  return w;
}

std::string position(const State& state, const Inspection* look) {
  if (state.is_replay()) {
    const size_t count = recorded_inputs(state).size();
    if (count == 0) return "the model, no input";
    return fmt::format("look {} of {}",
                       std::min(state.look.recorded.value_or(count - 1), count - 1) + 1, count);
  }
  if (state.look.draws) return "your drawing";
  return look ? fmt::format("test image {} of {}", state.look.asked.input.value_or(0), look->inputs)
              : "";
}

/// What the model makes of it, in words.
std::string caption(const State& state, const Inspection& look) {
  if (!look.prediction || *look.prediction >= std::ssize(look.classes)) return "";
  const std::string& says = look.classes[static_cast<size_t>(*look.prediction)];
  std::string text;
  if (look.label && *look.label < std::ssize(look.classes)) {
    const bool right = look.label == look.prediction;
    text = "Labelled " + look.classes[static_cast<size_t>(*look.label)] +
           (right ? "; the model says so too." : "; the model says " + says + ": wrong.");
  } else {
    text = "The model says " + says + ".";
  }
  if (look.call_ns) text += " The definition took " + format_time_ns(*look.call_ns) + ".";
  if (state.session->state() == app::WorkerState::lost) text += " The worker was lost since.";
  return text;
}

/// What goes on where there is nothing yet.
void draw_waiting(Ui& ui, const Area& area) {
  const State& state = ui.state;
  if (!state.look.problem.empty()) {
    draw_not_measured(ui, area, "The worker could not look inside this model.", state.look.problem,
                      "Try again", "inspect_again");
    return;
  }
  if (state.run_request || state.compare_request) {
    draw_empty_state(ui, area, "Waits for the measurement that runs.", "Esc cancels it.");
    return;
  }
  const auto& progress = state.run().progress();
  if (!state.look.request) {
    draw_empty_state(ui, area, "Waiting for the worker.", "It lists its rungs first.");
  } else if (progress && progress->request == state.look.request && progress->fraction) {
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
  State& state = ui.state;
  if (const std::string why = why_no_inspect(state); !why.empty()) {
    draw_empty_state(ui, area, why, "Others have: Weightless, for one.");
    return true;
  }
  if (!inspected_row(state)) {
    const RungView* first = first_inspectable(state);
    const std::string label = first ? std::string("Show ") + first->rung->title : "";
    const bool pressed = draw_nothing(ui, area, "The selected rung has no model to look into.",
                                      "Rungs of WiSARD and of the LUT network have one.", label);
    if (pressed && first) select_rung(state, first->rung->kernel);
    return true;
  }
  if (state.is_replay() && !shown_model(state) && !shown_input(state)) {
    draw_empty_state(ui, area, "This recording holds no look inside this model.",
                     "A look needs a worker: start ridgepoint without --replay.");
    return true;
  }
  return false;
}

}  // namespace

void InspectPanel::draw_bar(Ui& ui, Area line) {
  State& state = ui.state;
  line = line.inset(ui.px(8), ui.px(8));
  button(ui, &line, "inspect_previous", "‹");
  const std::string where = position(state, shown_input(state));
  const float w = ui.width("test image 10000 of 10000", kSmall_px);
  const Area label = line.take_left(std::min(w, line.w * 0.4f), ui.px(6));
  ui.text(label.x + label.w / 2, label.middle(), where, kSmall_px, Role::text, Face::body,
          Anchor::middle, 0);
  button(ui, &line, "inspect_next", "›");
  if (state.is_replay()) return;
  button(ui, &line, "inspect_wrong", "One it gets wrong");
  line.take_left(ui.px(6));
  button(ui, &line, "inspect_draw", state.look.draws ? "Test images" : "Draw");
  if (!state.look.draws) return;
  button(ui, &line, "inspect_clear", "Clear");
  const float brushes = std::min(line.w, ui.px(190));
  if (brushes < ui.px(80)) return;
  const int clicked = ui.segments("brush", line.take_left(brushes), {"thin", "thick", "erase"},
                                  static_cast<int>(state.look.brush));
  if (clicked >= 0) state.look.brush = static_cast<Brush>(clicked);
}

void InspectPanel::take_stroke(Ui& ui, const Area& area, const InspectionPlane& picture) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float row = (mouse.y - area.y) / area.h * static_cast<float>(picture.rows);
  const float column = (mouse.x - area.x) / area.w * static_cast<float>(picture.columns);
  if (!is_stroke_) last_row_ = row, last_column_ = column;
  is_stroke_ = true;
  draw_stroke(ui.state, last_row_, last_column_, row, column);
  last_row_ = row, last_column_ = column;
  ui.reads_again = true;
}

void InspectPanel::draw_picture(Ui& ui, const Area& area) {
  State& state = ui.state;
  const Inspection* look = shown_input(state);
  const InspectionPlane* picture = look ? look->plane("image") : nullptr;
  if (!picture) return ui.fill(area, ui.raised(1));
  const bool draws = state.look.draws && state.look.canvas.size() == picture->values.size();
  if (draws)
    draw_cells(ui, area, *picture, [&](size_t cell) { return int{state.look.canvas[cell]}; });
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
  const auto touched = ui.touch("inspect_picture", area);
  if (draws && touched.held) take_stroke(ui, area, *picture);
  if (!touched.held) is_stroke_ = false;
  const auto cell = cell_at_mouse(area, picture->rows, picture->columns);
  if (!touched.hovered || !cell || touched.held) return;
  if (!draws && touched.clicked && !state.is_replay()) return select_place(state, *cell);
  std::string says = draws ? "Draw here: the scores follow." : cell_text(*picture, *cell);
  for (size_t i = 0; pins && i < pins->marks.size(); ++i) {
    if (pins->marks[i].cell == *cell) says += "\n" + pins->name + ", " + pins->marks[i].label;
  }
  if (!draws && !state.is_replay())
    says += "\nA click shows which " + look->unit_name + "s look here.";
  ui.tooltip(says);
}

void InspectPanel::draw_content(Ui& ui, const Area& area) {
  State& state = ui.state;
  const Inspection* model = shown_model(state);
  const Inspection* look = shown_input(state);
  Scroll scroll(ui, "inside", area);
  Area rest = scroll.rest;
  const std::string& note = (look ? look : model)->note;
  if (!note.empty()) {
    const Area line = rest.take_top(ui.px(kNote), ui.px(4));
    ui.text(line.x, line.middle(), note, kSmall_px, Role::limit, Face::strong, Anchor::start,
            line.w);
    if (ui.touch("inspect_note", line).hovered) ui.tooltip(note);
  }
  if (look) {
    const int columns = look->plane("image") ? look->plane("image")->columns : 28;
    const float most =
        std::min(rest.w * 0.34f, area.h * 0.5f) / static_cast<float>(columns) / ui.scale;
    const float size = ui.px(
        static_cast<float>(columns * std::clamp(static_cast<int>(most), kLeastCell, kMostCell)));
    const bool failed = !state.look.problem.empty();
    const std::string says = failed ? state.look.problem : caption(state, *look);
    const Area words = {rest.x, rest.y + size + ui.px(4), size, 0};
    const float words_h = ui.paragraph(words, says, kTiny_px, Role::text, Face::body, true);
    Area main =
        rest.take_top(size + std::max(words_h + ui.px(6), ui.px(kPanelCaption)), ui.px(kBlock));
    const Area left = main.take_left(size, ui.px(16));
    draw_picture(ui, {left.x, left.y, size, size});
    ui.paragraph(words, says, kTiny_px, failed ? Role::limit : Role::text);
    draw_classes(ui, main, *look);
  }
  const Inspection& unit = look ? *look : *model;
  const bool wide = model && rest.w > ui.px(kWide);
  const float measures_h = model ? measures_height(ui, *model) : 0;
  const auto draw_beside = [&](const Area& beside) {
    measures_h > 0 ? draw_measures(ui, beside, *model) : draw_unit(ui, beside, unit);
  };
  const float beside_h = measures_h > 0 ? measures_h : unit_height(ui, unit);
  if (model) {
    const float w = wide ? std::floor(rest.w * 0.53f) : rest.w;
    const float h = gallery_height(ui, w, *model);
    Area block = rest.take_top(wide ? std::max(h, beside_h) : h, ui.px(kBlock));
    draw_gallery(ui, block.take_left(w, ui.px(20)), *model, look);
    if (wide) draw_beside(block);
  }
  if (!wide) draw_beside(rest.take_top(beside_h));
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

}  // namespace ridge::window
