// The figures of texts in the window: from the run that is shown, else from the recordings.
#pragma once

#include <map>
#include <string>

#include "app/window/shell/ui.h"
#include "common/view/figure/text.h"

namespace ridge::window {

/// The text with its figures; of a bad reference its error alone, for its author.
figure::Text figure_text(const State& state, const std::string& text, const std::string& where,
                         figure::InView view = {});
/// What a lesson is read beside: its figures are of this problem, on a canvas of the point that its step was measured at; in
/// the lab its questions ask at this size.
figure::InView lesson_view(const State& state);
/// Whatever the figures of texts depend on: they are looked up again where this is another.
std::string figures_depend_on(const State& state);

/// The texts of one screen with their figures: looked up once per text, and again where what they depend on is another.
class FigureTexts {
 public:
  /// As Ui::paragraph(); with figures in it, their intervals and sources show where it is hovered.
  float paragraph(Ui& ui, const Area& area, const std::string& text, float size, Role role,
                  Face face = Face::body, bool measure = false);
  struct Shown {
    std::string text, sources;
  };
  /// What is drawn of a text, and what is said where it is hovered. Valid until the next call.
  const Shown& shown(const State& state, const std::string& text);
  /// How often a text's figures were looked up.
  int lookups() const { return lookups_; }

 private:
  std::string made_of_;
  std::map<std::string, Shown> texts_;
  int lookups_ = 0;
};

}  // namespace ridge::window
