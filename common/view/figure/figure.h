// A figure that a text names, looked up in what was measured. Pure: the same runs give the same figure.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/record/run.h"
#include "common/view/figure/reference.h"

namespace ridge::figure {

/// One run to look in.
struct Place {
  const Run* run = nullptr;
  std::string machine;  ///< "NVIDIA H200"
  Params near = {};     ///< what is left open is nearest to these
};

/// The problem that is shown beside the text. Without parameters: there is none.
struct InView {
  Params params;
  std::string machine = {};  ///< whose recordings are shown there; empty: the run that is shown
  bool is_step =
      false;  ///< of a tour: a figure of another size says which, and what the step's own is
  std::set<std::string> sizes = {};  ///< those of them that are a size of the problem: "n"
  /// What {{size n=512}} asks for in place of what is written; empty: what is written.
  std::function<Params(const Params& written)> asked = {};
};

struct Sources {
  const Run* own = nullptr;  ///< the run that is shown; null: none
  bool is_own_saved =
      false;  ///< it is a saved one, maybe of another machine: its figures are marked as such
  std::vector<Place>
      recordings;  ///< the first machine that holds the point counts, and of its recordings the best
  InView view = {};
};

struct Figure {
  std::string reference;      ///< as the text has it
  std::string text;           ///< "1.12×", "782 TFLOP/s"; of a gap "not measured here"
  std::string interval_text;  ///< "[1.12, 1.13]"; empty: none, or not to be printed
  std::string here;  ///< of a reference with a machine: this machine's own; empty: it has none
  std::string gap;            ///< why there is no figure; empty: there is one
  double value = 0;           ///< in the metric's unit (metrics.h); a gap: NaN
  std::string unit;
  std::optional<Interval> interval;
  std::optional<Verdict>
      verdict;  ///< pairs: the sustained one where it was taken, unless clock=equal was asked for
  Params set;   ///< the parameters that it was asked for: those written, or the sizes in view
  std::string machine, commit, time_utc;  ///< where and when it was measured
  bool is_recorded = false;               ///< from a recording, so of another machine
  bool is_stale = false;      ///< the code of a rung has changed since; shown with a mark
  bool is_sustained = false;  ///< of a pair: each side alone, in turns
  bool is_answer = false;     ///< answer=yes: it is what the part's prediction asks for
  std::string source;         ///< all of this in words, for a tooltip or a footnote
};

/// All is looked up on one machine: the first that has the point, or was compared with any of several baselines. Of its
/// recordings that counts which answers what was asked (a sustained pair unless clock=equal), then what is fresh, then
/// what is newer; of several baselines, among those that answer so, the lowest ratio.
/// Of the problem in view where the run that is shown, or a recording of the machine in view, holds it: its size in place
/// of the one that is written, and what is left open as it is there. Else the text says which size it is of, or that it is
/// recorded: "2.82× (n = 512, recorded)". Of the run that is shown the quotient of two medians ("≈ 0.98×") comes before a
/// pair, where it alone is of the parameters in view.
/// A reference with a machine is of no view. Beside a step it names its size: "11.86× (n = 1024; 5.84× at n = 4096)"; beside
/// the text in view stands this machine's own, where its run holds that.
/// A point that was not measured, a result without the metric and an invalid pair are gaps. Errors (bad_input): a
/// parameter that the rung does not have, or a recording that holds several such points.
Result<Figure> resolve(const Reference& reference, const Sources& sources);

/// "faster", "slower", "the same", "no difference shown" (or "beyond the margin"); of a gap its text.
std::string verdict_words(const Figure& figure);

}  // namespace ridge::figure
