// "Watch it climb", the first door of Home: the steps of one core, run live, then a comparison with the fastest library;
// and the card that says what came of it, by the best that the session has measured of its rungs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::window {

struct State;

/// What was asked for, and how far it is; the ids are of the session's own requests.
struct FirstClimb {
  enum class Stage { none, climbing, comparing, over };
  Stage stage = Stage::none;
  const Lab* lab = nullptr;
  int64_t run = 0, compare = 0;  ///< 0: not sent
  bool shows_card = false;
  std::string followed;  ///< the rung that the climb selected last: the lesson is at it

  bool is_under_way() const { return stage == Stage::climbing || stage == Stage::comparing; }
};

/// Why it cannot begin now; empty: it can.
std::string first_climb_blocker(const State& state);
void start_first_climb(State& state);
/// Which of its rungs the climb is at, from 1, of how many; {0, 0}: none is under way.
struct ClimbPlace {
  int at = 0, of = 0;
  bool is_at_ceilings = false;  ///< no rung is measured: this machine's ceilings are
};
ClimbPlace climb_place(const State& state);
/// While it climbs what the rung in hand changes, in one line: "Rung 3 of 9 on one core  ·  loop order: …". Empty: it does not climb.
std::string climb_line(const State& state);
/// From the climb to its comparison, and from there to the card. True when it went on.
bool tick_first_climb(State& state);

std::string climb_card_blocker(const State& state);
void show_climb_card(State& state);
void close_climb_card(State& state);

/// The card's words, of the climb's request, or of a later one that timed the same rungs while nothing else ran; ratios are
/// of pairs where the session has them.
struct ClimbCard {
  struct Bar {
    std::string label;
    double rate = 0;  ///< per second, in `unit`
    std::optional<Interval> range;  ///< its 95 % interval
    bool is_peer = false;
  };
  std::string title = "Your core";
  std::string machine;  ///< "AMD EPYC", and the day
  std::string asked;    ///< "n = 512  ·  fp32  ·  1 thread  ·  live"
  std::string gain;     ///< "≈ 69×", "between 43.5× and 118×"; empty: nothing climbed
  std::string middle;   ///< of a range what the bars show: "about 92×"
  std::string
      rests_on;       ///< "each timed alone", "in turns, 95 % interval [68, 70]"; with `gain` alone
  int steps = 0;      ///< that the gain took
  std::string way;    ///< "three loops, -O1 → packed, AVX2"
  std::string share;  ///< "74 %" of the ceiling; empty: that is not known
  std::string library;             ///< "OpenBLAS beaten", "OpenBLAS: too close to say"
  std::string
      library_why;  ///< below that: both sides and the figures of the pair, or why there are none
  std::optional<Verdict> verdict;  ///< over the library; absent: no pair was compared
  std::vector<Bar> bars;           ///< in the ladder's order, only what passed its check
  std::string unit;                ///< "FLOP/s"
  int rungs = 0;                   ///< that were asked for
  struct Caveat {
    std::string brief;     ///< "busy machine"; empty: another's brief stands for it
    std::string sentence;  ///< what that means for the figures
  };
  std::vector<Caveat> caveats;  ///< cancelled, failed checks, a busy machine, no ceiling
};
ClimbCard climb_card(const Run& run, const FirstClimb& climb);
/// The climb that the run of an earlier session holds, over: its newest run of more than half of the lab's short climb that
/// brought a gain. None: it holds none.
std::optional<FirstClimb> climb_in(const Run& run, const Lab& lab);
/// "69×", "about 92×", and what follows it: "in 5 steps, 74 % of its ceiling". What qualifies them is in card_brief().
std::string card_figure(const ClimbCard& card);
/// "between 43.5× and 118×": beside a figure that is the middle of a range; else empty.
std::string card_range(const ClimbCard& card);
std::string card_steps(const ClimbCard& card);
/// Both in one line: "about 92× (between 43.5× and 118×)".
std::string card_gain(const ClimbCard& card);
/// What the bars are of: each rung alone, whatever the verdict above them rests on.
std::string card_bars(const ClimbCard& card);
/// What qualifies the figures, in one small line; and the same in sentences, a line each.
std::string card_brief(const ClimbCard& card);
std::string card_caveats(const ClimbCard& card);
/// The card as plain text.
std::string card_words(const ClimbCard& card);
/// The run that the card is of: the session's own, also while a saved one lies over it.
const Run& climb_run(const State& state);

}  // namespace ridge::window
