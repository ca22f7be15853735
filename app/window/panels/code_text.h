// Code as it is drawn everywhere: a lexer that knows just enough of C++ and CUDA to tell comments, strings, numbers,
// keywords and directives apart (it never fails; what it does not know is plain), and a numbered text in its colours.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/shell/ui.h"

namespace ridge::window {

enum class TokenKind { plain, comment, keyword, type, number, text, directive };

struct Token {
  TokenKind kind = TokenKind::plain;
  std::string_view text;  ///< into the line; tokens of a line cover it without gaps
};

/// What a line leaves open for the next.
struct LexState {
  bool in_comment = false;
};

std::vector<Token> lex_line(std::string_view line, LexState* state);

/// Height of a line of code at scale 1, in pixels.
inline constexpr float kCodeLine_px = 22;
/// A tab is as wide as in ImGui's text fields.
inline constexpr size_t kTabColumns = 4;

/// Width of a column of the mono face at `size`, in pixels; not rounded.
float code_column(Ui& ui, float size);
/// Columns that a line takes.
size_t code_columns(std::string_view text);

/// One line of coloured source at (x, y middle), in the mono face.
void draw_code_line(Ui& ui, float x, float y, std::string_view line, LexState* lexer, float size);

/// The colour of a source line that instructions were made of: neighbouring lines differ.
Role link_role(int line);
/// That colour beside and behind one line whose text begins at `code_x`; `is_lit`: it or its partner is pointed at.
void draw_link(Ui& ui, const Area& line, float code_x, int source_line, bool is_lit);

/// A numbered text; lines count from 1, and 0 is none.
struct Code {
  std::string_view text;
  int64_t first = 0, last = 0;        ///< marked
  bool is_source = true;              ///< false: a listing, in one colour
  std::span<const int> origins = {};  ///< of a listing: the source line of each of its lines
  int lit = 0;                        ///< the source line whose part of the listing stands out
  /// Beside each line, left of its number; empty: there is no margin. Lines beyond its end have nothing there.
  std::span<const std::string> margin = {};
};

/// Draws it into the current ImGui window, which scrolls. Returns the line under the mouse.
int draw_code(Ui& ui, const Area& whole, const Code& code);

}  // namespace ridge::window
