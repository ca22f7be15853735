// The centre of the lab.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/window/views/chart_view.h"
#include "app/window/views/view.h"

namespace ridge::window {

/// The centre: the ladder, or another view of the same results. A click selects a rung.
struct ChartPanel {
  void draw(Ui& ui, Area area);
  /// Of the views' buttons, in a panel of this width.
  float buttons_height(Ui& ui, float width) const;
  /// Whether the view has a row for this rung; true of a view that has no rows.
  bool has_row(const std::string& kernel) const;
  /// Null where something else stands there.
  ChartView* view() { return is_chart_ ? &view_ : nullptr; }

 private:
  void build(Ui& ui);
  void take_click(Ui& ui, int row) const;
  void take_drag(Ui& ui) const;
  void draw_panel(Ui& ui, const Area& area);
  bool draw_fill(Ui& ui, const Area& area) const;
  std::map<const ViewDesc*, std::unique_ptr<CentrePanel>> panels_;
  ChartView view_{true};
  bool is_chart_ = false;
  bool is_unfolded_ = false;  ///< all views' buttons in a low window, which has height for one row
  std::vector<std::string> rows_;  ///< kernel id of each row
  const ViewDesc* shown_ = nullptr;
  uint64_t version_ = ~0ull;
};

}  // namespace ridge::window
