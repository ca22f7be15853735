// The source tab, with the editor of a learner's file; and its colouring: a lexer that knows just enough of C++ and CUDA to tell comments,
// strings, numbers, keywords and directives apart. It never fails; what it does not know is plain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/query/flat_source.h"
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

/// One line of coloured source at (x, y middle), in the mono face.
void draw_code_line(Ui& ui, float x, float y, std::string_view line, LexState* lexer, float size);

/// The source that ran, coloured, with line numbers; the same with its headers folded in; or what the compiler made of
/// it, its loop marked.
struct SourceTab {
  void draw(Ui& ui, Area area);

 private:
  /// The line of the lesson's link into this source, 0: none; scrolls to it once for each click.
  int follow(Ui& ui, const SourceText& source, float top, float line_h);
  void draw_source(Ui& ui, Area area);
  void draw_flat(Ui& ui, Area area);
  void draw_assembly(Ui& ui, Area area);
  void draw_editor(Ui& ui, float top);  ///< below `top` of the panel
  void draw_buttons(Ui& ui, Area line) const;
  int cursor_line_ = 0;
  int jumps_ = 0;
  app::FlatSource flat_;
  std::string flat_of_;        ///< the rung of flat_
  uint64_t flat_version_ = 0;  ///< of the run that it was folded from
  std::string followed_;       ///< the rung whose loop was last scrolled to
};

}  // namespace ridge::window
