// The three doors of Home: watch the ladder climb, learn by a tour, build a kernel.
#pragma once

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "app/query/editing.h"
#include "app/window/shell/first_climb.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

/// The card of a climb that an earlier session made.
struct KeptClimb {
  ClimbCard card;
  std::string path, day, cpu;  ///< of its run; the day: "2026-12-01"
};

class HomeDoors {
 public:
  /// Height at this width: one row of three, or three rows where the place is narrow.
  static float height(Ui& ui, float width);
  void draw(Ui& ui, Area area);

 private:
  static float door_height(Ui& ui, float width);
  const KeptClimb* kept_climb(Ui& ui);
  void draw_watch(Ui& ui, Area door);
  void draw_learn(Ui& ui, Area door) const;
  void draw_build(Ui& ui, Area door);
  void draw_ticks(Ui& ui, Area area) const;

  Result<std::vector<app::Exercise>> exercises_ = app::all_exercises();
  bool is_begun_ = false;                          ///< the kept runs were asked for a climb
  std::future<std::optional<KeptClimb>> reading_;  ///< valid until it is in `kept_`
  std::optional<KeptClimb> kept_;
};

/// The machine in one line, or why it is not known.
std::string machine_line(const State& state);

}  // namespace ridge::window
