// A text field for code: ImGui's own field takes the keys, the mouse, the selection, the clipboard and undo, with its
// text left invisible, and the same text stands under it in colours, with numbers and notes beside its lines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/window/shell/ui.h"

namespace ridge::window {

/// What stands behind the end of a line: what the compiler said about it.
struct CodeNote {
  int line = 0;  ///< from 1
  bool is_error = false;
  std::string text;
};

/// How the field looks beside its text; lines count from 1.
struct CodeLook {
  std::span<const CodeNote> notes = {};
  std::span<const int> linked = {};  ///< lines that instructions were made of, ascending
  int lit = 0;                       ///< the linked line that stands out; 0: none
  int stepped = 0;                   ///< the line of a warp's request that is shown; 0: none
  int broken =
      0;  ///< the line of the first error: it comes into view once for each `build`; 0: none
  int64_t build = 0;
  bool is_read_only = false;
  bool is_unsaved = false;     ///< once it is saved, the beginnings of the lines are in view again
  bool leaves = false;         ///< the keyboard goes back to the window
  std::string_view file = {};  ///< another one begins with line `first` uppermost
  int first = 1;
  int texts = 0;  ///< another number: the text came from elsewhere, and the field forgets its own
};

class CodeField {
 public:
  /// Fills `area` and scrolls in both directions. True when the person changed the text.
  bool draw(Ui& ui, const Area& area, std::string* text, const CodeLook& look);
  /// The line under the mouse in the last frame; 0: none.
  int hovered_line() const { return hovered_line_; }
  bool has_keyboard() const { return cursor_ >= 0; }

 private:
  void follow_cursor(const std::string& text, const ImVec2& origin, float column, float row_h);
  void begin_at(const CodeLook& look, float row_h);
  void show_broken(const CodeLook& look, float row_h);
  int64_t shown_build_ = 0;  ///< whose error came into view last
  int hovered_line_ = 0;
  std::string file_;
  int cursor_ = -1;    ///< bytes into the text; -1: the field lacks the keyboard
  int followed_ = -1;  ///< the place that was last scrolled to
  bool was_unsaved_ = false;
  bool indents_ = false;  ///< the keys to come begin a line under an indented one
  bool tabs_ = false;     ///< a tab is two spaces: the second comes with the next frame
};

}  // namespace ridge::window
