// What the lessons hold beside their prose: a prediction with its hints, a question with a folded answer, and links that
// act. All are plain Markdown (docs/study.md): quotes, and links whose targets begin with a word and a colon.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::study {

/// "> **Question.** ..." followed by "> **Answer.** ...": the second quote is shown on demand.
inline constexpr std::string_view kQuestion = "Question.", kAnswer = "Answer.";

/// "> **Your prediction.** ..." and its hints, a quote each: shown one after another on demand.
inline constexpr std::string_view kPrediction = "Your prediction.", kHint = "Hint.";

/// The bold words that begin what a rung's part says, in their order. A prediction stands between kIdea and kRun.
inline constexpr std::string_view kWhereWeAre = "Where we are.", kIdea = "Idea.", kRun = "Run.",
                                  kWhatHappened = "What happened.", kWhy = "Why.",
                                  kWhatLimits = "What limits it now.",
                                  kGuard = "The guard.",
                                  kInTheCode = "In the code:", kOutside = "Outside.";

/// The section behind the why: what limits a rung, or of a trap what this program does against it.
bool says_limit(std::string_view lead);
/// Whether these bold words begin one of the sections above, or a prediction, a hint, a question, an answer.
bool begins_section(std::string_view lead);
/// Whether they begin what gives away what a run will show: such a section is folded until the rung was predicted or has
/// run.
bool gives_away(std::string_view lead);

struct LessonQuestion {
  std::string question, answer;  ///< Markdown, without the quote marks and the bold word
};
/// [the inner loop](<code:for (int64_t j>), [set r to 1](<set:r=1>): a link that the window follows.
struct LessonLink {
  enum class Kind {
    code,     ///< "code:", a piece of the source's text: that place in the source
    set,      ///< "set:", parameters as on the command line, "r=1 pad=0": they are set
    view,     ///< "view:", the id of one: it is opened
    compare,  ///< "compare:", a rung by its id's end: the part's rung is compared with it
    act,      ///< "do:", the id of an action: it is performed
  };
  Kind kind = Kind::code;
  std::string target;   ///< what stands behind the colon
  std::string label{};  ///< as written, with its stars
};
/// From one "## " heading to the next.
struct LessonPart {
  std::string heading;                ///< "gemm.cpu.naive_o1 · three loops, -O1"
  std::string kernel;                 ///< "gemm.cpu.naive_o1"; empty where the heading names none
  std::string text;                   ///< Markdown, heading included
  std::vector<std::string> sections;  ///< what begins_section(), in the order of the text
  std::vector<LessonQuestion> questions;
  std::vector<LessonLink> links;
};

/// The parts in order; what stands before the first "## " is a part without heading.
std::vector<LessonPart> lesson_parts(const std::string& markdown);

/// The link of a target as a Markdown parser gives it ("code:for (int64_t j"), without a label; none for other targets.
std::optional<LessonLink> lesson_link(std::string_view target);
/// The line, from 1, where the anchor's text first stands in a source; a run of white space matches any
/// other. None if it is not there.
std::optional<int> anchor_line(std::string_view source, std::string_view anchor);

}  // namespace ridge::study
