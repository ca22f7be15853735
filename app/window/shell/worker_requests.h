// Asking the worker, as every action does it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/record/request.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::window {

struct RungView;
struct State;

/// Requests that follow one another: the comparisons of an A/A check, the parts of two models.
struct Sequence {
  std::string name;               ///< of one of them: "A/A", "Part"
  std::vector<WorkRequest> left;  ///< the first is under way
  size_t all = 0;
  /// Whether the next one follows; null: wherever this one was not cancelled and the worker is there.
  bool (*goes_on)(const State& state, const Request& ended) = nullptr;
  void (*over)(State& state, const Request& last) = nullptr;  ///< null: nothing is to be said

  bool is_open() const { return !left.empty(); }
  size_t number() const { return all - left.size() + 1; }  ///< of the one under way, from 1
};

/// What was asked of the worker: ids of requests, 0 where none is open or none was made.
struct Requests {
  int64_t list = 0, run = 0, compare = 0, estimates = 0;
  std::map<std::string, int64_t> sources;   ///< kernel id, or path of a header: the request
  std::string flat_of;                      ///< the kernel whose headers were looked through
  uint64_t flat_version = 0;                ///< of the run when they were
  std::map<std::string, int64_t> assembly;  ///< kernel id: the request
  Sequence sequence;
  bool estimates_due = false;  ///< parameters changed since they were asked for
  double estimates_due_s = 0;  ///< clock at which to ask, so that a drag asks once
  int64_t share_of = 0;        ///< the request that `share` is of
  double share = 0;            ///< of the bar that is filled, 0 to 1; never less than it was
  double share_from = 0, share_to = 1;  ///< the part of the bar that is this request's
  double rungs_done = 0;                ///< of `share_of`: how far its rungs are, 0 to 1
  double ceilings_done = 0;             ///< and this machine's ceilings, which are measured for it
  double ceilings_s = 0;                ///< how long they have been
  std::string phase;                    ///< that `share_of` is in, and of which rung
  double phase_since_s = 0;             ///< the window's clock, when it began
  /// By place of the rung, how far each of `share_of` was at most: phases and their ceilings begin at 0 again and again.
  std::map<int, double> furthest;

  /// What the person asked to be measured; estimates give way to it.
  bool is_measuring() const { return run || compare; }
};

/// The request that a text was last asked for by; null: none was made.
const Request* asked_by(const State& state, const std::map<std::string, int64_t>& asked,
                        const std::string& key);
/// Nothing has answered for it and nothing will: it was never asked, or the worker that was asked has gone and another
/// one listens.
bool must_ask(const State& state, const std::map<std::string, int64_t>& asked,
              const std::string& key);

/// Of a saved run: where to go to do this. "measure", "edit", "try inputs".
std::string leave_saved_run(const State& state, const std::string& to_do);
/// Why a request that has ended gave nothing: its error, that it was cancelled, why the worker is gone. Empty: it is done.
std::string why_not_done(const State& state, const Request& request);
/// It was cancelled, or its worker has gone: asked again it may succeed.
bool is_broken_off(const Request& request);

/// Why nothing can be measured now; empty: it can.
std::string work_blocker(const State& state);

/// A request for the lab in view, with its mode and cache; and its sending, after what must come first.
WorkRequest request_for(const State& state, RequestType type);
void send(State& state, WorkRequest request, int64_t* id_out);
/// Those that are on their way; they are asked for again afterwards.
void cancel_estimates(State& state);
/// What a run of the rungs that are shown will take, by the worker's estimates for the parameters and the mode in view.
struct RunEstimate {
  int rungs = 0;
  int unknown = 0;       ///< rungs that the worker cannot estimate
  bool is_here = false;  ///< the worker has answered
  double seconds = 0;
  /// "about 40 s", "over 40 s" where a rung is unknown; empty: nothing is known.
  std::string text() const;
};
RunEstimate estimate_of_ladder(const State& state);

/// At each refresh: how far the open request is. Phases begin at 0, and some have no end that is known: what was shown
/// stays until more is done.
void note_progress(State& state, double now_s);
/// How far the rung at this place of the request is, or of a comparison the whole of it, 0 to 1: it never falls.
double share_of_rung(const State& state, const Request& request, int place);
/// While this machine's ceilings are measured for this request, how far they are, 0 to 1; none: they are not now.
std::optional<double> share_of_ceilings(const State& state, const Request& request);
/// Then which of them is, of how many, and for how long they have been: "DRAM read, 1 thread, 2 of 4, 8 s". Else empty.
std::string ceilings_words(const State& state, const Request& request);
/// "Measuring cache blocks": what the open request does now.
std::string progress_headline(const State& state);
/// Lost before it listed its rungs: running means to start it again and ask.
bool must_list_again(const State& state);
/// Each assumes that its action's blocker() is empty.
void run_ladder(State& state);
/// The whole ladder at the lab's first look, live: what a newcomer sees climb.
void climb(State& state);
void run_selected(State& state);
void probe(State& state);
/// Both sides with what the candidate is asked for.
WorkRequest comparison_of(const State& state, const RungView& baseline, const RungView& candidate);
/// Why the budget cannot be kept to by the two that are chosen, one sentence; empty: it can, or there is none.
std::string budget_blocker(const State& state);
/// With the budget that was typed.
void compare(State& state);
/// Why this comparison cannot be made again here, one sentence; empty: it can.
std::string again_blocker(const State& state, const Comparison& comparison);
/// The same sides once more, with so many rounds that are judged once.
void measure_rounds(State& state, const Comparison& comparison, int rounds);

// ---- runs that follow from a choice ------------------------------------------------------------
// Runs that follow from a choice: a sweep over the lab's sizes, and the selected rung again whenever a
// parameter changes. Both are ordinary requests, with their progress and their cancel.

/// The parameter that a sweep steps through: the lab's first with stops; of a rung, the first of these that it takes.
const ParamView* swept_param(const Lab& lab, const KernelInfo* info = nullptr);
/// The selected rung, or every rung that is shown, at each stop, the largest last; the Sizes view.
void sweep_selected(State& state);
void sweep_all(State& state);

/// The selected loop nest (without one the lab's last) in every order of its loops; the Traffic view.
void run_orders(State& state);

/// A parameter was let go of: with the switch on, cancels what runs and runs the selection again.
void rerun_live(State& state);
void toggle_reruns(State& state);

/// Sends the first of its requests; each that ends sends the next (go_on), so that every one has its progress, cancel stops
/// between two, and what was made stays.
void start_sequence(State& state, Sequence sequence);
void go_on(State& state, const Request& ended);

// ---- the A/A check -----------------------------------------------------------------------------
// The A/A check in the window: a rung compared with itself a hundred times, one ordinary comparison
// after another.

/// Why it cannot be made now; empty: it can.
std::string self_checks_blocker(const State& state);
void run_self_checks(State& state);
bool self_checks_under_way(const State& state);

}  // namespace ridge::window
