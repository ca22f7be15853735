// A value that steps through a few stops, with its name before it: for bars of views that ask for more than the
// lab's parameters.
#pragma once

#include <string>
#include <vector>

#include "app/window/shell/ui.h"

namespace ridge::window {

template <class Value>
struct Stops {
  const char* name;  ///< of the widget
  const char* label;
  const char* tip;
  std::vector<Value> values;  ///< ascending
};

/// Takes its place from `line`; nothing where there is none. `shown` is how a value reads, `set(State&, Value)`
/// what a choice changes.
template <class Value, class Shown, class Set>
void draw_stops(Ui& ui, Area* line, const Stops<Value>& stops, Value value, const Shown& shown,
                const Set& set) {
  std::vector<std::string> texts;
  int chosen = 0;
  float widest = 0;
  for (size_t i = 0; i < stops.values.size(); ++i) {
    texts.push_back(shown(stops.values[i]));
    widest = std::max(widest, ui.width(texts.back(), kSmall_px));
    if (stops.values[i] <= value) chosen = static_cast<int>(i);
  }
  const float label_w = ui.width(stops.label, kSmall_px) + ui.px(8), w = widest + ui.px(64);
  if (line->w < label_w + w) return;
  const Area label = line->take_left(label_w);
  ui.text(label.x, label.middle(), stops.label, kSmall_px, Role::muted);
  if (ui.touch(std::string("label:") + stops.name, label).hovered) ui.tooltip(stops.tip);
  texts[static_cast<size_t>(chosen)] = shown(value);  // a saved one need not be a stop
  const int clicked = ui.stepper(stops.name, line->take_left(w, ui.px(12)), texts, chosen);
  if (clicked < 0) return;
  ui.dispatch([set, chosen = stops.values[static_cast<size_t>(clicked)]](State& state) {
    set(state, chosen);
    state.ladder.dirty = true;
  });
}

}  // namespace ridge::window
