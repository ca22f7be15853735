// The panels round the lab's chart: the rail at its left, the parameters above it, the panel at its right, the strip
// below. Each has a file of its own: left_rail.cpp, params_bar.cpp, right_panel.cpp, strip_panel.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/query/diff.h"
#include "app/window/panels/lesson_tab.h"
#include "app/window/panels/source_tab.h"
#include "app/window/shell/ui.h"
#include "common/record/diagnosis.h"
#include "common/record/types.h"
#include "common/view/chart/model.h"

namespace ridge::window {

// ---- left: labs, rungs, ceilings ----

/// Labs, rungs with their estimated seconds, ceilings of the machine.
struct LeftRail {
  void draw(Ui& ui, Area area);

 private:
  void draw_labs(Ui& ui, Area* rest);
  void draw_rungs(Ui& ui, Area* rest, float room);
  static bool draw_rung(Ui& ui, const RungView& row, const Area& line, const std::string& heading);
  static bool draw_fold(Ui& ui, const Fold& fold, const Area& line);
  void follow(Ui& ui, const RungView& row, const Area& line, const Area& list);
  void draw_ceilings(Ui& ui, Area rest);
  std::string followed_;  ///< the selection that was last scrolled to
};

// ---- above: the lab's parameters ----

/// A parameter, and what may be chosen for it.
struct ParamGroup {
  std::string name, label, tip;
  std::vector<std::string> options;
  int chosen = -1;
  bool is_integer = false;
  /// By a lesson's link, or cache state and mode: it stays where others fold.
  bool is_kept = false;
};

/// The lab's parameters as rows of stops (as steppers where those do not fit), cache state and mode. In a low window one
/// line, and a button that unfolds the rest.
struct ParamsBar {
  /// Height it needs for this width.
  float height(Ui& ui, float width);
  void draw(Ui& ui, Area area);

 private:
  /// What is shown, and how: the groups, which of them are steppers, and the button that unfolds the rest.
  struct Shown {
    std::vector<ParamGroup> groups;
    std::vector<bool> stepper;
    std::string button;  ///< empty: nothing folds
  };
  const std::array<std::vector<ParamGroup>, 2>& groups(const State& state);
  Shown shown_in(Ui& ui, float room);
  static int lines_of(Ui& ui, const Shown& shown, float room);
  static void draw_group(Ui& ui, const ParamGroup& group, bool stepper, Area place);
  static Shown in_lines(Ui& ui, const std::array<std::vector<ParamGroup>, 2>& groups, float room);
  static Shown in_one_line(Ui& ui, const std::array<std::vector<ParamGroup>, 2>& groups,
                           float room);
  std::array<std::vector<ParamGroup>, 2> groups_;  ///< all; and what the selected rung takes
  uint64_t version_ = ~0ull;
  const ViewDesc* chart_ = nullptr;
  Level level_ = Level::kLab;
  bool is_unfolded_ = false;
};

// ---- right: diagnosis, lesson, source, diff ----

/// What changed since the previous rung, build flags included.
struct DiffTab {
  void draw(Ui& ui, Area area);
  /// Between any two rungs of the lab.
  void draw_pair(Ui& ui, Area area, const Rung& previous, const Rung& rung);
  float code_px = kCode_px;  ///< height of its code at scale 1
  float least_px = 0;        ///< it shrinks to this until all of it fits; 0: it does not
  float leading = 1.57f;     ///< from line to line, over the code's height
  bool is_brief = false;     ///< what changed, and nothing about it: a slide has few lines
  bool has_numbers = true;   ///< of the lines, before them
  /// A wall is not scrolled: a brief diff that is too long shows its key lines, and a line that is too wide stands in rows.
  bool is_cut = false;
  bool hides_comments = false;  ///< they may answer what is asked about the code
  /// Of a brief one, with code of `least_px`; 0: a source is not known.
  float brief_height(Ui& ui, const Rung& previous, const Rung& rung);

 private:
  void build(const SourceText& before, const SourceText& after);
  /// Of lines that have to be scrolled to: those that tell most stand in view at first.
  void scroll_to_key(Ui& ui, const Area& area, float line_h,
                     const std::vector<app::DiffLine>& folded) const;
  std::vector<app::DiffLine> brief_lines(int context = 2) const;
  std::vector<app::DiffLine> fitting_lines(Ui& ui, const Area& area) const;
  void draw_lines(Ui& ui, Area area, const std::vector<app::DiffLine>& folded) const;
  std::string of_before_, of_after_;  ///< the sources that `lines_` were made of
  bool is_bare_ = false;              ///< they were made without their comments
  bool is_core_ = false;              ///< they were made as a brief diff
  mutable bool is_scrolled_ = false;  ///< to the lines that tell most, since they were made
  std::string before_, after_;        ///< what `lines_` point into
  std::vector<app::DiffLine> lines_;  ///< of the code, numbered as in its files
};

/// Bottleneck, evidence and lever of the selected rung above its lesson, and what is faster.
struct DiagnosisCard {
  /// `expected`: the limits that the lesson below names. Returns the height taken: 0 where nothing is known.
  float draw(Ui& ui, const Area& area, const std::vector<Bottleneck>& expected);
  /// What is faster, after draw() in a frame. Returns the height taken.
  float draw_faster(Ui& ui, const Area& area) const;

 private:
  void build(const State& state, const Series& series, const Run& run,
             const std::vector<Bottleneck>& expected);
  void draw_cause(Ui& ui, Area* rest, const Series& series) const;
  std::optional<Diagnosis> diagnosis_;
  std::string rung_, next_, counted_;
  std::vector<Bottleneck> expected_;
  std::string against_;  ///< what it is to the lesson's limit; of one that is not known why
  std::string to_do_;    ///< of a limit that is not known
  bool counts_ = false;  ///< it was built with Counters on in Settings
  std::string faster_;  ///< a sentence; empty: nothing here is faster
  uint64_t version_ = ~0ull;
};

struct RightPanel {
  void draw(Ui& ui, Area area);

 private:
  DiagnosisCard diagnosis_;
  LessonTab lesson_;
  SourceTab source_;
  DiffTab diff_;
};

// ---- below: samples, rounds, or telemetry as lanes over one time axis, worked out without drawing ----

/// One quantity over time.
struct Lane {
  const char* name;   ///< of the value in a telemetry line; "core_busy": one row a core
  const char* label;  ///< what a person reads
  bool gpu;
  const char* unit;   ///< "": a share, printed in per cent
  double least_high;  ///< the axis ends here or higher; it begins at 0
  int rank;           ///< lanes of a higher rank go first where there is no room
  chart::Role role;
  const char* beside = nullptr;  ///< a second value on the same axis, drawn thin
};

/// The stretch of telemetry that is shown, and what there is in it.
struct LaneView {
  const Telemetry* telemetry = nullptr;
  size_t first = 0, last = 0;     ///< the moments from `first` to before `last`
  double begin_s = 0, end_s = 0;  ///< of the time axis, on the worker's clock
  std::vector<Lane> lanes;        ///< those with a reading; the CPU's before the GPU's
  bool has_gpu = false;
};

/// The last `window_s` seconds (0: all).
LaneView lane_view(const Telemetry& telemetry, double window_s);
/// Drops the lanes of the highest rank until `most` are left.
void keep_lanes(LaneView* view, size_t most);

/// Of a moment of the run, by a lane's name; NaN where it has no such reading.
double reading_of(const Telemetry& telemetry, size_t moment, const char* name);
/// Mean of a lane over the view; NaN where it was never read.
double mean_of(const LaneView& view, const char* name);
/// "62.5 %", "1.35 GHz", "3.2 CPUs"; kNone for NaN.
std::string lane_text(const Lane& lane, double value);
/// Everything that was read at that moment, a line each, for a tooltip.
std::string describe(const Telemetry& telemetry, size_t moment, double begin_s);
/// The moment nearest to t_s; none where nothing is shown.
std::optional<size_t> nearest(const LaneView& view, double t_s);

/// Rounds of the shown comparison, else the samples of the selected rung; or telemetry, in lanes.
struct StripPanel {
  /// What it shows, its version, and whether it is the baseline.
  using Parts = std::vector<std::tuple<const void*, uint64_t, bool>>;
  void draw(Ui& ui, Area area);

 private:
  void draw_telemetry(Ui& ui, const Area& head, Area area, bool live);
  void draw_switch(Ui& ui, const Area& area, bool telemetry);
  void draw_samples(Ui& ui, Area area);
  chart::Scene scene_;
  chart::ChartModel model_;
  Parts parts_;
  int fonts_version_ = -1;
  float width_ = 0, height_ = 0, font_px_ = 0;
};

}  // namespace ridge::window
