// What became of each save of the open copy: the time of the last one, where its output is wrong, all saves, and the
// verdict against the rung that it was made from.
#pragma once

#include <string>
#include <vector>

#include "app/window/edit/saves.h"
#include "app/window/shell/screens.h"

namespace ridge::window {

struct Editing;

/// A tick, as high as small letters, with its middle at (x, y): a shape, no font is asked for it.
void draw_tick(Ui& ui, float x, float y);

/// "27 ms against the original's 300 ms a call, in turns": the medians of a comparison's rounds; empty: none were kept.
std::string times_in_turns(const Run& run, const Comparison& comparison);

class SaveResults {
 public:
  void draw(Ui& ui, Area area);
  /// Of the open copy, in order, numbered.
  const std::vector<Save>& saves(const State& state);
  /// Nothing was saved yet.
  bool is_empty(const State& state);

 private:
  void read(const State& state);
  /// Of the last save, where its time stands on the screen and its pairs are settled; null otherwise.
  const Comparison* settled_pair(const State& state) const;
  void draw_pair(Ui& ui, Area* rest, const Comparison& comparison) const;
  void draw_now(Ui& ui, Area* rest) const;
  void draw_errors(Ui& ui, Area* rest) const;
  void draw_saves(Ui& ui, Area* rest);
  void draw_verdict(Ui& ui, Area* rest) const;

  std::vector<Save> saves_;
  uint64_t version_ = 0;  ///< of the run that they were read from
  const Run* of_ = nullptr;
  int64_t build_ = -1;  ///< the last that was read
};

}  // namespace ridge::window
