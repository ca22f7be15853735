// The verdict of a comparison, as a card.
#pragma once

#include <optional>
#include <string>

#include "app/window/shell/ui.h"

namespace ridge::window {

/// The verdict in 40 px, the ratio with its interval, and why, in as many lines as it takes. `where`: the machine of a
/// recording. Returns the height of the texts; `measure`: only that, in the width of `area`.
float draw_verdict(Ui& ui, Area area, const Run& run, const Comparison& comparison,
                   const std::string& where, bool measure = false);

/// A verdict in words, for a place of another shape.
struct VerdictWords {
  std::string headline;  ///< "1.4× as fast"
  Role role = Role::text;
  int arrow = 0;  ///< 1 up, -1 down, 0 none
  std::string title, evidence, reason;
};
VerdictWords verdict_words(const State& state, const Run& run, const Comparison& comparison);

/// "of save 3, not of the last one"; empty: of the last, or of no learner's text.
std::string earlier_save_text(const State& state, const Run& run, const Comparison& comparison);

/// What stands in place of a verdict: what is missing, and what to do.
struct NoVerdict {
  std::string head, next;
};
/// Of a comparison at another point than the chosen one: that the chosen point lacks one, what came out at the other, and
/// `to_do`. Of one of a learner's text that is not the last save: what became of the last, and what came out for the
/// other. None: it is at the chosen point, of the last save. `where` as in draw_verdict().
std::optional<NoVerdict> compared_elsewhere(const State& state, const Run& run,
                                            const Comparison& comparison, const std::string& where,
                                            const std::string& to_do);
/// That in place of a verdict; the height of its texts, as of draw_verdict().
float draw_no_verdict(Ui& ui, Area area, const NoVerdict& missing, bool measure = false);

/// What is known of the comparison that is under way, one sentence; empty: none is.
std::string running_comparison(const State& state);

/// The verdict of selection against baseline, or what is missing for one.
struct VerdictCard {
  /// Whether there is a verdict, or one is under way: what is missing alone may give way to the chart.
  static bool says_something(const State& state);
  /// How high it is, and whether it leaves its reason to draw_reason().
  struct Room {
    float height = 0;
    bool is_reason_beside = false;
  };
  /// What the words need in this width, no less than `least`; the reason stands beside where a low window has no more than
  /// `most` and it would need more.
  static Room room(Ui& ui, float width, float least, float most);
  static void draw(Ui& ui, Area area, bool is_reason_beside);
  /// The whole reason, in a panel of its own that it takes from the foot of `beside`.
  static void draw_reason(Ui& ui, Area* beside, float gap);
};

}  // namespace ridge::window
