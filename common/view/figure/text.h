// A text with figures in it: {{...}} becomes what was measured. Lessons, cards, tours and the tables of README all go
// through here; docs/teaching.md says what may stand between the braces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"
#include "common/view/figure/figure.h"
#include "common/view/figure/machines.h"

namespace ridge::figure {

/// Words of the text, or one figure.
struct Piece {
  std::string text;
  int figure = -1;  ///< place in Text::figures; -1: the author's own words
};

struct Text {
  std::vector<Piece> pieces;
  std::vector<Figure> figures;
};

/// What stands in code (a fenced block, or between backquotes) is left as it is. The error names `where`, the line and
/// what is wrong: a bad reference, an {{if}} without its {{end}}, arithmetic that cannot be worked out.
Result<Text> expand(std::string_view text, const Sources& sources, const std::string& where);

/// A mark behind each figure of another machine.
inline constexpr const char* kRecordedMark = "†";
/// What stands behind a figure's text: its marks, and what was measured here: "192 ms† (here 101 ms)".
std::string marked(const Figure& figure, std::string text);

/// Texts for a page or a terminal, where nothing can be hovered, and what their marks stand for: each machine has a mark of
/// its own, "†", "§", "¶", over all the texts that go through here.
class Footnotes {
 public:
  /// "1.12× [1.12, 1.13]†"
  std::string print(const Text& text);
  /// A line for each machine, with its recordings: "† recorded on NVIDIA H200 (2026-11-21, commit faaf443)"; then one for
  /// what is stale, then one for each gap.
  std::vector<std::string> lines() const;
  /// The machines that were met so far, in the order of their marks.
  std::vector<Machine> machines() const;

 private:
  struct Met {
    std::string name;
    std::vector<std::string> recordings;  ///< "2026-11-21, commit faaf443"
  };
  std::string mark_of(const Figure& figure);
  std::vector<Met> machines_;
  std::vector<std::string> gaps_;
  bool has_stale_ = false;
};

/// For the window, where interval and source are shown when hovered: "1.12×†".
std::string shown(const Text& text);
/// As Markdown, each figure a link to "figure:<place>", for a reader of Markdown that draws figures its own way.
std::string linked(const Text& text);
inline constexpr std::string_view kFigureLink = "figure:";

/// The source of every figure, a line each; what is shown when the text is hovered.
std::string sources_text(const Text& text);

/// A reference of a text, wherever it stands in its braces.
struct Named {
  Reference reference;
  size_t line = 0;  ///< from 1
};
/// All references of a text, those of conditions and of arithmetic too, in order. Errors as of expand().
Result<std::vector<Named>> references_of(std::string_view text, const std::string& where);

}  // namespace ridge::figure
