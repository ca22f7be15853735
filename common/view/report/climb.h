// Inside of build_report(): which results page 1 is about, and what they climb.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/record/chain.h"
#include "common/view/report/content.h"

namespace ridge::report {

/// The rungs that page 1 shows: of one lab, one processor, one cache state and one set of sizes, each once, in the
/// ladder's order. Rungs that were not run are left out and counted.
struct Climb {
  std::vector<const Line*> lines{};
  std::string
      where{};  ///< the parameters that tell these results from the others; empty: there are no others
  std::string unit{};  ///< of the rates: "FLOP/s", "items/s"; empty: no rung has a verified rate
  const Line* first = nullptr;    ///< the verified rung that the fastest one's steps begin with
  /// The fastest verified rung that is no library: where pairs decide it, by them.
  const Line* best = nullptr;
  const Line* fastest_alone = nullptr;  ///< the same by each rung's own time
  /// The longest bar of our own on this page where no step counts it: it is of another ladder, or no step at these
  /// parameters. Null: the longest bar is `fastest_alone`.
  const Line* longer_bar = nullptr;
  bool is_longer_bar_no_step = false;  ///< at these parameters; else it is of another ladder
  const Line* library =
      nullptr;  ///< the fastest verified library in the type of `best`, by pairs too
  const Line* fastest_library_alone = nullptr;  ///< the same by each library's own time
  /// The same of the libraries that `best` was compared with in pairs; null: there is none.
  const Line* paired_library = nullptr;
  size_t not_run = 0;    ///< at these parameters
  size_t elsewhere = 0;  ///< results at other parameters
  /// Why rungs that were measured are no row of page 1, and which.
  std::map<std::string, std::vector<const Line*>> left_out{};
};
Climb climb_of(const Material& material);
/// Whether the library computes in the rung's type. What has no type of its own, a look-up table, is held against
/// libraries of any.
bool is_of_one_type(const Line& library, const Line& rung);
/// The metric over the seeds of a training whose speed is a median over them; none: it is of one seed.
std::optional<SeedMean> mean_over_seeds(const Line& line, const std::string& metric);
/// Whether speeds of it are medians over several seeds.
bool has_medians_over_seeds(const Climb& climb);

/// Why it is no step at its parameters: "needs more than one thread"; empty: it is one.
std::string why_no_step(const Line& line, const Options& options);
/// "“cache blocks”".
std::string quoted_title(const Line& line, const Options& options);
/// "“cache blocks”, “packed” and 3 more".
std::string some_titles(const std::vector<const Line*>& lines, const Options& options);
/// Whether it ran alone while its speed was measured.
bool was_alone(const Line& line);
/// ", in turns", ", sustained" after a speed; empty: it was timed alone.
std::string timed_words(const Line& line);
/// Work per second, of several seeds the median; absent where the rung has no verified rate.
std::optional<Throughput> rate_of(const Line& line);
/// The unit in words: "items/s" of the lab's own family is "images/s", "FLOP/s" of integers "OP/s".
std::string unit_in_words(const Line& line, const std::string& unit, const Options& options);
/// The speed of one rung over that of another: of the latest claim that compares just these two, else of their rates.
struct Step {
  double ratio = 0;
  const Claim* claim = nullptr;  ///< null: they were not compared in pairs
  bool is_alone = true;  ///< without a claim: each was timed alone, neither in turns with a third
  std::string text{};  ///< without a claim: "≈ 71×", of rough times "60–80×", else "about 70×"
  std::optional<Chain> chain{};  ///< without a claim: the pairs that it is the product of
};
/// Why two results that were each timed alone have no ratio: "8 minutes apart"; empty: they are of one run.
std::string apart_words(const Line& a, const Line& b);
/// Whether the report makes no claim of just these two: their pair is invalid, or they were to be compared and never met.
/// Then nothing on the page has a ratio of them.
bool is_refused(const Material& material, const Line& from, const Line& to);
/// None where a rate is missing, where two that were not compared in pairs are not of one run, and where it is refused.
std::optional<Step> step_between(const Material& material, const Line& from, const Line& to);

/// From the first rung to the fastest: their own pair, else the product of the steps' pairs, else the ratio of their times.
/// None either where pairs were to decide and settled nothing: two bars alone are no better ground.
std::optional<Step> way_of(const Material& material, const Climb& climb);

/// Whether every step from the first rung to the fastest was compared in pairs, and each of them is unresolved.
bool is_unsettled_way(const Material& material, const Climb& climb);

/// "1.34× as fast, 95 % interval [1.34, 1.35], 40 rounds: faster", or "≈ 1.3× as fast, each timed alone"; "timed apart"
/// where one of them was timed in turns with a third.
std::string step_words(const Step& step);

/// `has_line_for_about`: what the ladder does has room above its chart.
Section climb_section(const Material& material, const Climb& climb, bool has_line_for_about);
/// Its rungs one by one; traps have no steps.
std::vector<ClimbedRung> climbed_rungs(const Material& material, const Climb& climb);

}  // namespace ridge::report
