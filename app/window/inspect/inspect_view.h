// Looking inside the model of the selected rung (Run::inspections()): what is asked of the worker while it is
// looked at, and what of the answers is shown. No ImGui here; inspect_panel.cpp draws it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/record/inspection.h"

namespace ridge::window {

struct State;
struct RungView;
struct ViewDesc;

enum class Brush { thin, thick, eraser };

/// The look inside the selected rung's model: what is asked, drawn and shown.
struct Inspecting {
  InspectAsked asked = {.input = 0};  ///< without bytes: those are the canvas
  bool draws = false;
  Brush brush = Brush::thick;
  std::vector<uint8_t> canvas;     ///< the learner's picture, of the shape of the inputs
  uint64_t version = 1;            ///< counts what was asked, picked or drawn
  std::string sent;                ///< what the last request was for: it is sent once
  double next_s = 0;               ///< not before: a stroke is many changes
  int64_t request = 0;             ///< open; 0: none
  std::string problem;             ///< why the last one failed
  bool is_broken_off = false;      ///< it would have gone on: cancelled, or its worker has gone
  std::optional<size_t> recorded;  ///< of a saved run: which of its looks; none: the last

  bool asks_all = false;        ///< every network answers to the input in view too
  bool trains = false;          ///< with the next request those that are not trained yet are
  bool is_answering = false;    ///< the open request is for the answers
  std::string answers_sent;     ///< what they were last asked for: once
  std::string answers_problem;  ///< why that failed
};

/// The view is in front: what it asks of the worker is what the person waits for.
bool shows_inspect(const State& state);
/// The selected rung, where its family has a model to look into; null: it has none.
const RungView* inspected_row(const State& state);
/// The first rung of the ladder that has one; null: none.
const RungView* first_inspectable(const State& state);

/// The newest look at this model itself, and at what it makes of an input; of a saved run the one chosen.
const Inspection* shown_model(const State& state);
const Inspection* shown_input(const State& state);
/// Looks at inputs in a saved run, for the selected rung's family; in order.
std::vector<const Inspection*> recorded_inputs(const State& state);

/// The picture in view, drawn or picked, as its bytes; empty: there is none.
std::vector<uint8_t> input_in_view(const State& state);
/// Nothing was drawn: there is nothing to answer to.
bool is_blank(const std::vector<uint8_t>& input);

/// While the view is shown: sends what is wanted and not yet asked, one request at a time, and takes note of
/// how the last one ended. True when something changed.
bool tick_inspect(State& state, double now_s);
/// Something is on its way, or waits to be sent.
bool is_inspecting(const State& state);

/// Why the view has nothing to show; empty: it has.
std::string inspect_blocker(const State& state);
std::string pick_blocker(const State& state);  ///< another input
std::string draw_blocker(const State& state);
std::string canvas_blocker(const State& state);  ///< nothing is being drawn
std::string unit_blocker(const State& state);
std::string answers_blocker(const State& state);  ///< this lab's networks give no answers
std::string train_blocker(const State& state);

void pick_input(State& state, int step);
void pick_wrong(State& state);
/// The picture in view becomes the learner's; and back.
void toggle_draw(State& state);
void clear_canvas(State& state);
/// A stroke from one place of the canvas to another, in cells; ends may lie outside.
void draw_stroke(State& state, float from_row, float from_column, float to_row, float to_column);
void select_unit(State& state, int64_t unit);
/// Which units look there.
void select_place(State& state, int64_t place);
/// Among those that look at the place, else among all.
void step_unit(State& state, int step);
/// What failed is asked once more.
void inspect_again(State& state);
/// The table of every network's answer, and away again.
void toggle_answers(State& state);
/// Networks that are not trained yet are trained, then all answer.
void train_networks(State& state);

extern const ViewDesc kInspectView;

}  // namespace ridge::window
