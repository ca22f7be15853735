// A lesson as the tab draws it: blocks whose words know what they lead to. Links that act come from the
// Markdown; terms of the glossary are found in it, each at its first place in a part.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/study/markdown.h"
#include "app/window/shell/ui.h"
#include "app/window/views/diagram_view.h"
#include "common/record/diagnosis.h"
#include "common/view/figure/text.h"

namespace ridge::window {

using study::Block;
using study::TextRun;

/// What is drawn in one face and breaks no line. Neighbours without a space between them stay together.
struct Word {
  std::string text;
  Face face = Face::body;
  Role role = Role::text;
  bool space_before = false;
  std::string link{};        ///< the target of a link that acts (study::lesson_link()); empty: none
  std::string term{};        ///< a term of the glossary by its name; empty: none
  std::string figure{};      ///< of a measured figure: its interval and source; empty: it is none
  bool is_recorded = false;  ///< the figure is another machine's
};

struct LessonBlock {
  Block block;
  std::vector<Word> words;
  std::vector<std::string> cells;  ///< row: of each cell, interval and source of its last figure
  std::vector<float>
      shares;  ///< row: what each column takes of the width, the same in all of its table
  std::string part;                ///< its "## " heading; the kernel's id where that names one
  std::string kernel;              ///< empty: the part belongs to no rung
  std::string title;               ///< heading: without the kernel's id
  std::string question;  ///< a question or its answer: "<part>#<number from 0>"; empty: neither
  bool is_answer = false;
  bool is_prediction = false;  ///< asks for a number, which a field takes
  /// Of a prediction: what its part's outcome gives as the answer; none: the program does not know it.
  std::optional<figure::Figure> answer{};
  /// What the mark of its recorded figures means, said once under neighbours that share it: "† recorded on NVIDIA H200".
  std::string mark_note{};
  int hint = 0, hints = 0;  ///< of a hint: which of how many, from 1
  std::string lead;         ///< the bold words that it begins with: "Idea."
  bool is_why = false;      ///< of the section that the Why leads, which names its machines first
  /// Of what happened: the parameters of each of its figures of this rung, those written or in view. Of a Why: those
  /// that all recorded figures of this rung have in its section, the size that it counts at.
  std::vector<Params> counted{};
  bool gives_away = false;  ///< of a section that study::gives_away() what a run will show
  std::vector<Bottleneck>
      limits{};  ///< of a section that study::says_limit(): the causes that it names
};

/// Figures stand in the text as links (figure::linked()).
std::vector<LessonBlock> lesson_blocks(const figure::Text& text, const Lab& lab);

/// Draws the words, broken at spaces, and follows what is clicked: a link acts (follow_link()), a term opens the
/// glossary. Its widgets: "term:<part>:<name>", "link:<part>:<target>". A figure says its interval and source when hovered. Returns the height taken.
/// `measure`: only what it would take.
float draw_words(Ui& ui, const Area& area, const LessonBlock& block, float size, float leading,
                 bool measure = false);

/// A row of a table, or code that is no diagram: what a sentence that ends in a colon leads to. Returns the height taken.
bool is_aside(const LessonBlock& block);
float draw_aside(Ui& ui, const Area& area, const LessonBlock& block);

/// A rung's question, and its answer behind a fold: "answer:<part>#0". Its links stay words: what they would set belongs to
/// the lab. Returns the height taken, 0 where the part has none.
float draw_question(Ui& ui, const Area& area, const std::vector<LessonBlock>& blocks,
                    const std::string& kernel, float size, float leading);

/// The hints of a rung's prediction, folded, one after another: "hint:<part>?1". Returns the height taken, 0 without any.
float draw_hints(Ui& ui, const Area& area, const std::vector<LessonBlock>& blocks,
                 const std::string& kernel, float size, float leading);

/// What the rung's part says of its limit; null: nothing.
const LessonBlock* expected_limit(const std::vector<LessonBlock>& blocks,
                                  const std::string& kernel);
/// The parameters that the rung's part counts with, n = 512: those of its Why, else those that its question names. Empty:
/// none.
Params counted_at(const std::vector<LessonBlock>& blocks, const Lab& lab,
                  const std::string& kernel);
/// The causes that it names; of null none.
std::vector<Bottleneck> causes_in(const LessonBlock* expected);

/// What tells the result of this rung stays folded: while it is being predicted, until its result is revealed, and from a
/// learner until it has run at the size in view where it can run; where it cannot, until its question is answered or the
/// outcome is asked for. At the other levels a question hides it until any of these.
bool hides_outcome(const State& state, const std::string& kernel);

/// The lesson of the lab in view, with its figures: the file once, its figures whenever a run or the recordings say
/// something new, or another problem is looked at; while something is measured they wait for what it says.
class LessonText {
 public:
  /// Empty: the lab has no lesson. Valid until the next call.
  const std::vector<LessonBlock>& blocks(const State& state);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string text_;             ///< as written
  std::string place_;            ///< where its reader stands
  int64_t results_ = 0;          ///< of the run that it was made from
  std::string made_of_, shown_;  ///< what its figures depend on; the text with them
  std::vector<LessonBlock> blocks_;
};

/// The selected rung's part of the lesson first, then the lab's introduction.
struct LessonTab {
  /// Draws below the title of the rung's part, and returns the height that it takes. `expected`: the limits that this part
  /// names, as far as it shows them.
  using UnderTitle =
      std::function<float(const Area& area, const std::vector<Bottleneck>& expected)>;
  /// The same below the part, and what it draws there.
  using UnderPart = std::function<float(const Area& area)>;
  /// What would answer the part's question stands below the part; of a part that asks nothing, under its title.
  void draw(Ui& ui, Area area, const UnderTitle& under_title, const UnderPart& under_part);

 private:
  float draw_block(Ui& ui, const Area& area, const LessonBlock& block);
  float draw_diagram(Ui& ui, const Area& area, const LessonBlock& block);
  LessonText text_;
  std::string path_;                             ///< of the lesson that `diagrams_` are of
  std::map<std::string, DiagramView> diagrams_;  ///< of those that were seen, by part and text
  std::string
      awaited_;  ///< the rung whose prediction's run goes on: at its end What happened is shown
};

}  // namespace ridge::window
