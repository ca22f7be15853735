// "A faster option exists": for a rung the next rung of its ladder that is verified and faster, and the fastest library.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/record/run.h"

namespace ridge {

/// What could be taken in place of a rung.
struct LadderRung {
  std::string kernel;  ///< id
  bool is_library = false;
};

/// A run in which to look; of a recording the machine that it is of.
struct FasterSource {
  const Run* run = nullptr;
  std::string machine{};  ///< empty: this machine's own run
};

struct FasterOption {
  std::string kernel;
  bool is_library = false;
  bool is_paired = false;  ///< a pair says so; else two times, each measured alone
  double ratio = 0;        ///< how many times as fast it is
  std::string text;  ///< "2.10×", of two times "≈ 12×"
  std::string
      rests_on;  ///< "in turns, 95 % interval [2.09, 2.11]", "each timed alone, recorded on NVIDIA H200"
  std::string
      over{};  ///< kernel id that the ratio is over, where it is not the rung itself: an edit's original
};

/// The next rung of `ladder` (the rungs after this one, in order) that is faster, then the library that is fastest, of those that
/// a pair says so of before those of times alone; each
/// only where it is verified on the same problem and the difference is none of noise. Empty: nothing is.
///
/// A pair of just these two decides, else two times of one run, each timed alone; of the first source that has either.
/// A ratio of two times counts where it stays above 1.02 at the near ends of both intervals, and where no other program
/// disturbed either time.
///
/// An edit was timed in turns with its original, and the ladder in a run of its own: no ratio joins the two. An option is
/// then one over the original, where that is more than the edit's own ratio.
std::vector<FasterOption> faster_options(std::span<const FasterSource> sources, const Series& of,
                                         std::span<const LadderRung> ladder);

using TitleOf = std::function<std::string(const std::string& kernel)>;
/// "packed ≈ 12× as fast (each timed alone); the library oneDNN 40.1× as fast (in turns, ...)"; empty: there is none.
std::string faster_text(std::span<const FasterOption> options, const TitleOf& title);
/// Whether all that is said of them rests on times measured alone: a pair may say otherwise.
bool is_undecided(std::span<const FasterOption> options);
/// The same as a sentence: "A faster option exists: ..."; "may exist" where it is undecided; empty: there is none.
std::string faster_sentence(std::span<const FasterOption> options, const TitleOf& title);

}  // namespace ridge
