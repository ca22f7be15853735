// The panels: one struct and one file each. A panel holds only what it can make again from State
// (a laid-out chart, a parsed lesson); draw() is called once a frame with its place.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/window/panels/diff.h"
#include "app/window/panels/lesson_text.h"
#include "app/window/panels/lexer.h"
#include "app/window/shell/ui.h"
#include "app/window/views/chart_view.h"
#include "app/window/views/diagram_view.h"
#include "app/window/views/view.h"
#include "common/record/diagnosis.h"
#include "common/view/chart/model.h"

namespace ridge::window {

/// Lab title and parameters, machine, quiet badge, baseline, Compare, Export, Run.
struct TopBar {
  void draw(Ui& ui, Area area);
};

/// Labs, rungs with their estimated seconds, ceilings of the machine.
struct LeftRail {
  void draw(Ui& ui, Area area);

 private:
  void draw_labs(Ui& ui, Area* rest);
  void draw_rungs(Ui& ui, Area* rest, float room);
  static bool draw_rung(Ui& ui, const RungView& row, const Area& line);
  static bool draw_fold(Ui& ui, const Fold& fold, const Area& line);
  void follow(Ui& ui, const RungView& row, const Area& line, const Area& list);
  void draw_ceilings(Ui& ui, Area rest);
  std::string followed_;  ///< the selection that was last scrolled to
};

/// A parameter, and what may be chosen for it.
struct ParamGroup {
  std::string name, label, tip;
  std::vector<std::string> options;
  int chosen = -1;
  bool is_integer = false;
};

/// The lab's parameters as rows of stops (as steppers where those do not fit), cache state and mode.
struct ParamsBar {
  /// Height it needs for this width.
  float height(Ui& ui, float width);
  void draw(Ui& ui, Area area);

 private:
  const std::array<std::vector<ParamGroup>, 2>& groups(const State& state);
  std::array<std::vector<ParamGroup>, 2> groups_;  ///< all; and what the selected rung takes
  uint64_t version_ = ~0ull;
  const ViewDesc* chart_ = nullptr;
};

/// The centre: the ladder, or another view of the same results. A click selects a rung.
struct ChartPanel {
  void draw(Ui& ui, Area area);
  /// Null where something else stands there.
  ChartView* view() { return is_chart_ ? &view_ : nullptr; }

 private:
  void build(Ui& ui);
  void take_click(Ui& ui, int row) const;
  void take_drag(Ui& ui) const;
  void draw_panel(Ui& ui, const Area& area);
  std::map<const ViewDesc*, std::unique_ptr<CentrePanel>> panels_;
  ChartView view_{true};
  bool is_chart_ = false;
  std::vector<std::string> rows_;  ///< kernel id of each row
  const ViewDesc* shown_ = nullptr;
  uint64_t version_ = ~0ull;
};

/// The verdict in 40 px, the ratio with its interval, and why. `where`: the machine of a recording.
void draw_verdict(Ui& ui, Area area, const Run& run, const Comparison& comparison,
                  const std::string& where);

/// The verdict of selection against baseline, or what is missing for one.
struct VerdictCard {
  void draw(Ui& ui, Area area);
};

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

/// The selected rung's part of the lesson first, then the lab's introduction.
struct LessonTab {
  void draw(Ui& ui, Area area);

 private:
  float draw_block(Ui& ui, const Area& area, const LessonBlock& block);
  float draw_code(Ui& ui, const Area& area, const LessonBlock& block);
  std::string path_;
  std::vector<LessonBlock> blocks_;
  std::map<const LessonBlock*, DiagramView> diagrams_;  ///< of those that were seen
};

/// The source that ran, coloured, with line numbers; or what the compiler made of it, its loop marked.
struct SourceTab {
  void draw(Ui& ui, Area area);

 private:
  /// The line of the lesson's link into this source, 0: none; scrolls to it once for each click.
  int follow(Ui& ui, const SourceText& source, float top, float line_h);
  void draw_source(Ui& ui, Area area);
  void draw_assembly(Ui& ui, Area area);
  void draw_editor(Ui& ui, float top);  // editor.cpp; below `top` of the panel
  void draw_buttons(Ui& ui, Area line) const;
  int cursor_line_ = 0;
  int jumps_ = 0;
  std::string followed_;  ///< the rung whose loop was last scrolled to
};

/// What changed since the previous rung, build flags included.
struct DiffTab {
  void draw(Ui& ui, Area area);
};

/// Bottleneck, evidence and lever of the selected rung, above its lesson.
struct DiagnosisCard {
  /// Returns the height taken: 0 where nothing is known.
  float draw(Ui& ui, const Area& area);

 private:
  void build(const State& state, const Series& series, const Run& run);
  std::optional<Diagnosis> diagnosis_;
  std::string rung_, next_, counted_;
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

/// Progress, what is still to be satisfied, notices.
struct BottomBar {
  void draw(Ui& ui, Area area);

 private:
  void draw_progress(Ui& ui, Area area);
  void draw_idle(Ui& ui, Area area);
};

struct LogPanel {
  void draw(Ui& ui, Area area);
};

// ---- shared by the tabs of the right panel --------------------------------------------------------

/// One line of coloured source at (x, y middle), in the mono face.
void draw_code_line(Ui& ui, float x, float y, std::string_view line, LexState* lexer, float size);
/// What a figure means, while the mouse is over it; `name` as for Ui::touch().
void explain(Ui& ui, const std::string& name, const Area& area, std::string_view text);
/// A state where content would be: one sentence, and why or what next under it.
void draw_empty_state(Ui& ui, const Area& area, std::string_view sentence, std::string_view next,
                      float indent = 0);

}  // namespace ridge::window
