// The source tab: what ran, the same with its headers folded in, or what the compiler made of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/query/flat_source.h"
#include "app/window/panels/code_text.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

/// The source that ran, coloured, with line numbers; the same with its headers folded in; or what the compiler made of
/// it, its loop marked.
struct SourceTab {
  void draw(Ui& ui, Area area);

 private:
  /// The line of the lesson's link into this source, 0: none; scrolls to it once for each click.
  int follow(Ui& ui, const SourceText& source, float top, float line_h);
  int follow_step(Ui& ui, int line, float top);
  void draw_source(Ui& ui, Area area);
  void draw_flat(Ui& ui, Area area);
  void draw_assembly(Ui& ui, Area area);
  static bool hides_solution(const State& state);
  static void draw_hidden(Ui& ui, const Area& area);
  struct Button {
    const char* action;
    const char* label;
    float width_px;  ///< at scale 1
  };
  static std::vector<Button> buttons_of(const State& state);
  static void draw_buttons(Ui& ui, const std::vector<Button>& buttons, Area line);
  /// The margin's text for each line of the file, until the next call.
  std::span<const std::string> margin_of(const KernelCounts* counts);
  std::vector<std::string> margin_;
  int jumps_ = 0;
  int stepped_ = 0;  ///< the line of a warp's request that was last scrolled to
  app::FlatSource flat_;
  std::string flat_of_;        ///< the rung of flat_
  uint64_t flat_version_ = 0;  ///< of the run that it was folded from
  std::string followed_;       ///< the rung whose loop was last scrolled to
};

}  // namespace ridge::window
