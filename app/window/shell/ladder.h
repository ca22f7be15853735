// The ladder: a row for each rung of the lab in view, with what is known of it now and where that comes from. Expert
// rungs are folded away at first: each run of them stands under one line, and one choice opens or closes all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "common/record/run.h"
#include "labs/lab.h"

namespace ridge::window {

struct State;

enum class Origin { none, live, recorded };

/// One row of the ladder: what is known about a rung now, and where it comes from.
struct RungView {
  const Rung* rung = nullptr;
  const KernelInfo* info = nullptr;  ///< from the live catalogue, else the recording's; may be null
  const Series* series = nullptr;    ///< as it is shown; null: nothing measured
  const Series* kept = nullptr;      ///< the same as its run keeps it, with all samples
  /// While samples are still coming in this is `series`: what they come to so far, without them.
  std::shared_ptr<const Series> running;
  const Run* run = nullptr;  ///< where the series comes from
  Origin origin = Origin::none;
  std::string machine;  ///< recorded: the machine that ran it
  bool stale() const { return series && series->stale; }
  bool greyed = false;               ///< the last good result of a worker that was lost
  std::string shown_size;            ///< "n = 4096" where it is not the size asked for
  std::string reason;                ///< why there is no result; empty when there is one
  std::optional<Estimate> estimate;  ///< live only
  bool can_run = false;              ///< on this machine, at this data type
  bool covered =
      false;  ///< it has a result, which is being predicted: it is left out until it is asked for
  struct Held {
    const Series* series = nullptr;
    const Run* run = nullptr;
    Origin origin = Origin::none;
  };
  Held hidden = {};  ///< under the cover
  /// Its result, covered or not, for who asks about it: where it is of, and at which problem. Not to be shown.
  Held held() const { return covered ? hidden : Held{series, run, origin}; }
};

/// The rows, and what they were made from: refresh() makes them again where that moved.
struct Ladder {
  std::vector<RungView> rows;
  uint64_t version = 0;           ///< counts changes of the rows, and of all else but telemetry
  bool dirty = true;              ///< a choice changed: rebuild
  uint64_t seen_version = ~0ull;  ///< of the run, at the last rebuild
  app::WorkerState seen_state = app::WorkerState::starting;
  double summarized_s = -1;  ///< clock at which running series were last summarised
};

void rebuild_ladder(State& state);
/// What the samples of running series come to so far, where there are new ones. True if there are.
bool summarize_again(Ladder& ladder);

/// Null: this lab has no such rung.
const RungView* find_row(const Ladder& ladder, const std::string& kernel);
/// Title of a rung in the current lab; the id itself when it is not in the ladder.
std::string rung_title(const Ladder& ladder, const std::string& kernel);

// ---- folds ----

/// Neighbouring expert rungs of the ladder.
struct Fold {
  size_t first = 0, count = 0;  ///< rows of State::ladder
  size_t results = 0;           ///< how many of them have a result
  bool can_show = false;        ///< one of them can run here or has a result
};

bool is_folded(const State& state, const Rung& rung);
/// The fold that begins at this row of the ladder; count 0 where none begins.
Fold fold_at(const State& state, size_t row);
bool has_folds(const Ladder& ladder);
/// "5 expert rungs", and how many have results.
std::string fold_text(const Fold& fold);
/// Opens the folds where this rung is in one.
void unfold_for(State& state, const std::string& kernel);
/// A selection inside a fold that closes moves to the rung before it.
void toggle_folds(State& state);

// ---- what is behind the rows -------------------------------------------------------------------
// What the panels look up in the sessions: kernels, sources, ceilings, the comparison to show.

struct Sessions;

/// A kernel as this worker describes it, else as a recording does; null: neither knows it.
const KernelInfo* find_info(const Sessions& sessions, const std::string& kernel);

/// The comparison of baseline and selection, live before recorded, that outweighs the others (common/record/in_turns.h);
/// turned round where the two were compared at this point only so. Null: none was made. `where` receives the recording's
/// machine, empty for a live one. A recorded one may be of another point than the view's.
const Comparison* shown_comparison(const State& state, std::string* where,
                                   const Run** run = nullptr);

/// "A faster option exists: ..." of a result in the lab in view; empty: nothing that may be told is faster. What is being
/// predicted is left out, and at level Learn what only recordings know.
std::string faster_words(const State& state, const Series& series, const Run& run);

/// The source of a rung: where a recorded result is shown, what that run compiled; else as it is
/// built, else as any recording has it. Null: not known yet.
const SourceText* find_source(const State& state, const std::string& kernel);

/// Its assembly: of the run that the shown result comes from, else of this session; null: none there.
const AssemblyText* find_assembly(const State& state, const std::string& kernel);

/// The ceilings to show, with the machine they were measured on (empty: this one).
const std::vector<Ceiling>& shown_ceilings(const State& state, std::string* where);

/// The machine whose results are in view.
std::string device_label(const Sessions& sessions);

}  // namespace ridge::window
