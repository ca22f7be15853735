// What the learner looks at inside a model, as plain data: part of State (state.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/record/inspection.h"

namespace ridge::window {

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
  std::optional<size_t> recorded;  ///< of a saved run: which of its looks; none: the last
};

}  // namespace ridge::window
