// The state of teaching: what is studied, what a learner expects, where a presenter or a tour stands, and
// what runs again by itself. Plain data; study.h, predict.h and presenter.h work on it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "app/study/cards.h"
#include "common/record/types.h"

namespace ridge::study {
struct Tour;
}

namespace ridge::window {

struct BeforePresenting;

/// An expectation that is not locked yet: Run puts it into the transcript.
struct Draft {
  std::string text;  ///< as typed: "3x", "12 ms"
  double value_ns = 0;
  Params params;  ///< the rung's, when it was typed
};

/// What the room is doing. Page Down goes on, Page Up goes back.
enum class Beat { predict, run, reveal, explain };

/// The study screen: what is open on it, what was chosen since the start, and what is known of the cards.
struct Studying {
  bool is_quiz = false;
  std::string deck;  ///< its lab; empty: the first
  std::string card;  ///< id; empty: the next one that is due
  bool is_turned = false;
  bool goes_on = false;  ///< nothing is due, and the deck is gone through all the same
  std::string question;  ///< id; empty: the first
  std::map<std::string, std::string> chosen;  ///< question id: label of the choice
  study::Progress progress;                   ///< of the cards and the quiz
  std::string path;     ///< where the progress is kept; empty: nowhere (tests, shot)
  std::string problem;  ///< why the file there could not be read: it is not written over
};

/// The teaching loop: predictions, the presenter, tours.
struct Teaching {
  bool predicting = false;              ///< the field is open
  bool wants_focus = false;             ///< it has just been opened
  std::string typed;                    ///< in the field
  std::string typed_for;                ///< kernel id the text belongs to
  std::map<std::string, Draft> drafts;  ///< by kernel id

  bool presenting = false;
  std::shared_ptr<const BeforePresenting> before;  ///< what presenting changes; null: it is off
  Beat beat = Beat::predict;

  std::shared_ptr<const study::Tour> tour;  ///< null: none
  int tour_step = 0;
  bool show_tours = false;               ///< the list of them
  double now_s = 0, tour_started_s = 0;  ///< the window's clock

  int diagram_moves = 0;  ///< steps asked for by key, forward and back, until a diagram takes them

  bool reruns = false;  ///< a change of a parameter runs the selected rung again
};

}  // namespace ridge::window
