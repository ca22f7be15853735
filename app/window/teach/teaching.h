// The state of the teaching loop: what a learner expects, where a presenter or a tour stands, and
// what runs again by itself. Plain data; predict.h, presenter.h and tour_bar.h work on it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/record/types.h"

namespace ridge::study {
struct Tour;
}

namespace ridge::window {

struct ViewState;

/// An expectation that is not locked yet: Run puts it into the transcript.
struct Draft {
  std::string text;  ///< as typed: "3x", "12 ms"
  double value_ns = 0;
  Params params;  ///< the rung's, when it was typed
};

/// What the room is doing. Page Down goes on, Page Up goes back.
enum class Beat { predict, run, reveal, explain };

struct Teaching {
  bool predicting = false;              ///< the field is open
  bool wants_focus = false;             ///< it has just been opened
  std::string typed;                    ///< in the field
  std::string typed_for;                ///< kernel id the text belongs to
  std::map<std::string, Draft> drafts;  ///< by kernel id

  bool presenting = false;
  std::shared_ptr<const ViewState> before;  ///< the view as it was when presenting began
  Beat beat = Beat::predict;

  std::shared_ptr<const study::Tour> tour;  ///< null: none
  int tour_step = 0;
  bool show_tours = false;               ///< the list of them
  double now_s = 0, tour_started_s = 0;  ///< the window's clock

  int diagram_moves = 0;  ///< steps asked for by key, forward and back, until a diagram takes them

  bool reruns = false;  ///< a change of a parameter runs the selected rung again
};

}  // namespace ridge::window
