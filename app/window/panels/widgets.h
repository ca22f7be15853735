// What panels and screens draw alike: explanations, empty states, terms of the glossary, tables, stops.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/shell/screens.h"
#include "app/window/shell/ui.h"

namespace ridge::window {

/// What a figure means, while the mouse is over it; `name` as for Ui::touch().
void explain(Ui& ui, const std::string& name, const Area& area, std::string_view text);
/// A state where content would be: one sentence, and why or what next under it.
void draw_empty_state(Ui& ui, const Area& area, std::string_view sentence, std::string_view next,
                      float indent = 0);

/// "n = 256 · 2 threads": of the parts of a text as many as fit, whole.
std::string whole_parts(Ui& ui, std::string text, float width);
/// Terms of the glossary as small buttons in rows, named "see:<term>"; takes its height from `rest`.
void draw_terms(Ui& ui, Area* rest, const std::vector<std::string>& terms);
/// The first letter made large, for a reason that becomes a sentence.
std::string sentence_of(std::string text);
/// Before a line that folds: it points right while what it holds is folded, and down when it is open.
void draw_fold_mark(Ui& ui, float x, float y, float size, bool open, chart::Role role);

/// As many of the parts before a text's commas as fit, whole, the first at least; `rest` stands for what is left out.
std::string fitting_parts(Ui& ui, std::string words, float size, float width,
                          const char* rest = "");

/// A line of text with its label before it, and while it is empty what belongs there (`hint`). `take` gets what was typed
/// when Enter is pressed, when the field is left, and before any action (State::typing).
void text_line(Ui& ui, const char* name, Area line, const char* label, const std::string& text,
               const char* hint, std::function<void(State&, const std::string&)> take);

/// Columns as wide as their longest cell asks for, shrunk alike where that is too much; cells wrap. An
/// "unavailable" takes the empty cells behind it.
void draw_table(Ui& ui, Scroll* page, const std::vector<std::string>& columns,
                const std::vector<std::vector<std::string>>& rows);

// ---- stops -------------------------------------------------------------------------------------
// A value that steps through a few stops, with its name before it: for bars of views that ask for more than the
// lab's parameters.

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
  if (ui.hovers(std::string("label:") + stops.name, label)) ui.tooltip(stops.tip);
  texts[static_cast<size_t>(chosen)] = shown(value);  // a saved one need not be a stop
  const int clicked = ui.stepper(stops.name, line->take_left(w, ui.px(12)), texts, chosen);
  if (clicked < 0) return;
  ui.dispatch([set, chosen = stops.values[static_cast<size_t>(clicked)]](State& state) {
    set(state, chosen);
    state.ladder.dirty = true;
  });
}

}  // namespace ridge::window
