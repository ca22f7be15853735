// The views of the lab's centre. A view is described once, in its file, whose last line registers it: buttons,
// palette, keys, `ridgepoint shot`, the presenter and docs/ui.md read the registry. The objects must be linked by
// name, so ridge_window is an object library.
// docs/adding.md says how one is added.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/shell/actions.h"
#include "app/window/shell/ui.h"
#include "app/window/views/chart_rows.h"
#include "common/core/level.h"
#include "common/core/registration.h"
#include "common/view/chart/figures.h"

namespace ridge::window {

/// What stands in the centre in place of a chart. Holds only what it can make again from State.
class CentrePanel {
 public:
  virtual ~CentrePanel() = default;
  virtual void draw(Ui& ui, Area area) = 0;
};

/// The controls above a view.
struct ViewBar {
  float height_px = 0;  ///< at scale 1
  void (*draw)(Ui& ui, Area area) = nullptr;
  bool (*is_shown)(const State& state) = nullptr;  ///< null: wherever the lab can fill the view
  bool holds_foot = false;  ///< it is short: the view's foot stands at its right
};

/// The button below a view, which fills it.
struct ViewFoot {
  const char* action = "";
  const char* label = "";
};

/// What stands in place of a view that has nothing to show: why, what would fill it, and the button that does.
struct ViewFill {
  std::string sentence{}, next{};
  std::string button{};  ///< empty: none
  std::function<void(State& state)> act{};
};

struct ViewDesc {
  const char* id;     ///< "roofline": of its action, its scene for `shot`, and in tours
  const char* label;  ///< on its button
  const char* title;  ///< of its action: name and purpose
  int place = 0;      ///< among the buttons, smallest first; in tens
  Keys keys{};
  Level level = Level::kLab;
  bool fills = false;  ///< it shows no speed: parameters, predictions, verdict and strip give way
  /// Whether this lab can fill it; null: where its action is not blocked.
  bool (*is_offered)(const State& state) = nullptr;
  /// Why this lab lacks it, one sentence, empty where it has it; null: every lab has it.
  std::string (*blocker)(const State& state) = nullptr;
  /// What it draws, one of the three: a figure over rungs, a chart of its own (`rows` receives what a
  /// click on a row selects), a panel.
  const char* figure = "";
  chart::ChartModel (*build)(const State& state, ChartRows* rows) = nullptr;
  std::unique_ptr<CentrePanel> (*make_panel)() = nullptr;
  ViewBar bar{};
  ViewFoot foot{};
  ViewFoot beside_foot{};  ///< a second button, left of it
  /// Where its plot is empty; null: the plot says why.
  ViewFill (*fill)(const State& state) = nullptr;
  /// What a click on a row does; null: it selects the row's rung.
  void (*click)(State& state, int row) = nullptr;
  std::span<const Action> (*actions)() = nullptr;  ///< further actions of the view; null: none
};

extern const ViewDesc kGainsView;    ///< where a learner begins
extern const ViewDesc kPuzzlesView;  ///< where a lab of puzzles opens
extern const ViewDesc kSizesView;    ///< kLadderView: selection.h
extern const ViewDesc kMessagesView;  ///< of collectives, in place of their rates over sizes

RIDGE_REGISTERED(registered_views, ridge_views, ViewDesc)

/// In the order of their buttons.
std::span<const ViewDesc* const> views();
/// Null: no view is called so.
const ViewDesc* find_view(std::string_view id);

/// Whether the lab in view can fill it.
bool can_fill(const State& state, const ViewDesc& view);
/// Those with a button: what the lab can fill at the chosen level, and the one that is shown (a key may have led to it).
std::vector<const ViewDesc*> offered_views(const State& state);
/// Where a lab opens: its puzzles, where it has some; the climb for a learner, where the lab climbs; else the ladder.
const ViewDesc& first_view(const State& state);
/// Where a sweep leads.
const ViewDesc& sweep_view(const State& state);
/// The view, or the first one where it is shown already.
void show_view(State& state, const ViewDesc& view);
/// Shows what belongs to the level, and keeps the choice.
void set_level(State& state, Level level);

/// The chart of the chosen view. `rows` stay valid until the ladder is rebuilt.
chart::ChartModel centre_chart(const State& state, ChartRows* rows);
/// The rows that a figure is built from.
ChartRows figure_rows(const State& state, chart::FigureRows rows);
chart::FigureOptions figure_options(const Lab& lab);

}  // namespace ridge::window

/// The last line of a view: RIDGE_VIEW(kHeatmapView).
#define RIDGE_VIEW(desc) RIDGE_REGISTER("ridge_views", ViewDesc, desc)
