#include "app/study/handout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

#include "app/study/diagram_figure.h"
#include "app/study/lesson.h"
#include "app/study/markdown.h"
#include "common/record/derive.h"
#include "common/view/chart/svg.h"
#include "common/view/chart/table.h"
#include "common/view/diagram/diagram.h"
#include "common/view/report/page.h"

namespace ridge::study {
namespace {

using chart::escape_xml;

constexpr const char* kHowToLearn =
    "A rung is one version of a program: it changes one thing in the version before it. A ladder "
    "is the rungs in their order, and each part below is about one rung. Write down your "
    "prediction and your own answer ";
constexpr const char* kThenOurs = "before you look at ours.";
constexpr const char* kNoAnswers = "as you read: this copy holds no answers.";
/// What stands beside every figure of a lesson, once.
constexpr const char* kHowToRead =
    "Brackets behind a figure are its 95 % interval: about 95 of 100 such intervals hold the value "
    "that the run would come to with ever more rounds. Another run, or another seed, may lie "
    "outside. "
    "Where the intervals of two figures lie apart, these two runs differ; where they overlap, they "
    "do "
    "not show which figure is larger. For a ratio, as 2× for twice as fast, the two run one after "
    "the other, again and again: each round gives a ratio, and their median is printed.";
/// Where a lesson has such figures.
constexpr const char* kJoined =
    " ≈ stands before a figure that joins runs made apart, as the quotient of two times: it has "
    "no interval, so it is a hint and no verdict.";
constexpr float kChartWidth = 900;  // the text column; narrower screens scroll

std::string runs_html(const std::vector<TextRun>& runs) {
  std::string out;
  for (const TextRun& run : runs) {
    const char* tag = run.code ? "code" : run.strong ? "strong" : run.emphasis ? "em" : nullptr;
    const std::string text = escape_xml(run.text);
    out += tag ? fmt::format("<{0}>{1}</{0}>", tag, text) : text;
  }
  return out;
}

std::string code_html(const std::string& text) {
  return "<pre>" + escape_xml(text) + "</pre>\n";
}

std::string table_html(const report::Table& whole) {
  const auto [table, notes] = report::footnoted(whole);
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::string& column : table.columns)
    out += "<th scope=\"col\">" + escape_xml(column) + "</th>";
  out += "</tr></thead>\n";  // on paper it stands over each part of a table that breaks
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + escape_xml(cell) + "</td>";
    out += "</tr>\n";
  }
  out += "</table></div>\n";
  for (const std::string& note : notes) out += "<p class=\"note\">" + escape_xml(note) + "</p>\n";
  return out;
}

void add_chart(const report::Section& section, std::string* out) {
  chart::LayoutOptions layout;
  layout.width = kChartWidth;
  *out += "<h3>" + escape_xml(section.title) + "</h3>\n";
  if (section.chart) {
    const chart::ChartTable table = chart::table_of(*section.chart);
    *out += "<figure>" + chart::to_svg(*section.chart, layout, {.embedded = true}) +
            "</figure>\n<details><summary>The chart in figures</summary>\n" +
            table_html({.columns = table.columns, .rows = table.rows}) + "</details>\n";
  } else if (section.table) {
    *out += table_html(*section.table);
  }
}

/// What a run adds: its charts, each with its figures, and what was predicted.
std::string charts_html(const report::Report& report) {
  std::string out = "<div class=\"measured\">\n<h2>Measured: " + escape_xml(report.title) +
                    "</h2>\n<p class=\"sub\">" + escape_xml(report.subtitle) + "</p>\n<p>" +
                    escape_xml(report.sentence) + "</p>\n";
  for (const auto* sections : {&report.front, &report.sections}) {
    for (const report::Section& section : *sections) {
      if (section.in_handout) add_chart(section, &out);
    }
  }
  return out + "</div>\n";
}

/// Which machine each mark behind a figure stands for.
std::string marks_html(const std::vector<figure::Machine>& marks) {
  std::string named;
  for (const figure::Machine& machine : marks)
    named += (named.empty() ? "" : ", ") + machine.mark + " on " + escape_xml(machine.name);
  if (named.empty()) return "";
  return "<p class=\"sub\">A mark behind a figure says where it was recorded: " + named +
         ". A figure that is computed from recorded ones has their mark. <a "
         "href=\"#recordings\">A list</a> behind the lesson names each recording.</p>\n";
}

std::string how_to_read(const Handout& handout) {
  const bool has_joined = handout.lesson.find("≈") != std::string::npos;
  return std::string("<h2>How to read a figure</h2>\n<p class=\"sub\">") + kHowToRead +
         (has_joined ? kJoined : "") + "</p>\n" + marks_html(handout.marks);
}

/// How a figure is read stands behind the introduction, where the subject is known and before the first rung.
size_t place_of_reading(const std::vector<Block>& blocks) {
  const auto is_section = [](const Block& block) {
    return block.kind == Block::Kind::heading && block.level > 1;
  };
  return size_t(std::find_if(blocks.begin(), blocks.end(), is_section) - blocks.begin());
}

/// Blocks become elements one by one; lists, tables and folded answers stay open over several.
class Page {
 public:
  explicit Page(const Handout& handout) : handout_(handout) {}

  std::string lesson() {
    const std::vector<Block> blocks = parse_markdown(handout_.lesson);
    const size_t reading = place_of_reading(blocks);
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (i == reading) close(""), out_ += how_to_read(handout_);
      add(blocks[i]);
    }
    if (reading == blocks.size()) close(""), out_ += how_to_read(handout_);
    end_part();
    for (const Rung& rung : handout_.lab->rungs) {  // rungs the lesson has no part for
      if (shown_.contains(rung.kernel) || !handout_.sources.contains(rung.kernel)) continue;
      out_ += "<h2>" + escape_xml(rung.title) + "</h2>\n<p>" + escape_xml(rung.change) + "</p>\n";
      add_source(rung.kernel);
    }
    return out_;
  }

  /// All that was folded, for paper, where nothing unfolds; behind lesson().
  const std::string& answers() const { return answers_; }

 private:
  /// Ends what is open, unless that is what goes on.
  void close(const std::string& next) {
    if (open_ == next) return;
    const bool is_answer = open_ == "details";
    if (is_answer)  // its first paragraph follows the summary
      keep_answer("<p><strong>Answer.</strong>" + out_.substr(answer_at_ + std::strlen("<p>")));
    if (!open_.empty()) out_ += "</" + open_ + ">" + (open_ == "table" ? "</div>" : "") + "\n";
    if (is_answer) leave_out_from(answer_from_);
    open_ = next;
    if (next == "table") out_ += "<div class=\"scroll\">";
    if (!next.empty() && next != "details") out_ += "<" + next + ">\n";
  }

  /// What is folded until it is asked for; the next quote without bold words goes on in it.
  void open_details(std::string_view summary) {
    close("");
    open_ = "details";
    answer_from_ = out_.size();
    out_ += "<details><summary>" + escape_xml(std::string(summary)) + "</summary>\n";
    answer_at_ = out_.size();
  }

  /// What was folded since answer_at_ stands at the end of the paper too, under the name of its part.
  void keep_answer(const std::string& text) {
    if (!part_title_.empty()) answers_ += "<h3>" + part_title_ + "</h3>\n";
    part_title_.clear();
    answers_ += text;
  }

  /// A copy without answers has none of what was written since.
  void leave_out_from(size_t at) {
    if (!handout_.with_answers) out_.resize(at);
  }

  /// What gives away what a run shows is folded, as in the window: the reader predicts first.
  void begin_reveal() {
    if (wrapped_ == Wrapped::reveal) return;
    end_wrapped();
    wrapped_ = Wrapped::reveal;
    reveal_from_ = out_.size();
    out_ += "<details class=\"reveal\"><summary>What happened</summary>\n";
    answer_at_ = out_.size();
  }

  /// Commands of other tools: paper leaves them out, as it does what to press.
  void begin_outside() {
    end_wrapped();
    wrapped_ = Wrapped::outside;
    out_ += "<div class=\"screen\">\n";
  }

  void end_wrapped() {
    close("");
    if (wrapped_ == Wrapped::reveal) keep_answer(out_.substr(answer_at_));
    if (wrapped_ != Wrapped::none)
      out_ += wrapped_ == Wrapped::reveal ? "</details>\n" : "</div>\n";
    if (wrapped_ == Wrapped::reveal) leave_out_from(reveal_from_);
    wrapped_ = Wrapped::none;
  }

  void add_source(const std::string& kernel) {
    shown_.insert(kernel);
    const auto source = handout_.sources.find(kernel);
    if (source == handout_.sources.end()) {
      out_ += "<p class=\"sub\">Source unavailable: no worker and no run at hand has it.</p>\n";
      return;
    }
    const SourceText& text = source->second;
    out_ += "<details class=\"source\"><summary>" + escape_xml(text.path) + " <code>" +
            escape_xml(text.flags) + "</code></summary>\n" + code_html(text.text) + "</details>\n";
    add_changes(text);
  }

  /// On paper in place of the source.
  void add_changes(const SourceText& text) {
    out_ += "<div class=\"paper change\"><p class=\"note\">" + escape_xml(text.path) + " <code>" +
            escape_xml(text.flags) + "</code></p>\n";
    const auto found = handout_.changes.find(text.kernel);
    const std::string change = found == handout_.changes.end() ? "" : found->second;
    const auto has_line = [&](char kind) {
      return change.starts_with(kind) || change.find(std::string{'\n', kind}) != std::string::npos;
    };
    const bool is_of_text = has_line('+') || has_line('-');
    if (!change.empty() && !is_of_text) {
      out_ += "<p class=\"note\">No line changes: the same text is built with " +
              escape_xml(text.flags) + ".</p>\n";
    } else if (!change.empty()) {
      out_ += "<pre class=\"diff\">";
      std::istringstream lines(change);
      for (std::string line; std::getline(lines, line);) {
        const char* kind = line.starts_with('+')   ? "added"
                           : line.starts_with('-') ? "removed"
                           : line.starts_with("⋯") ? "cut"
                                                   : "same";
        out_ += fmt::format("<span class=\"{}\">{}</span>", kind, escape_xml(line));
      }
      out_ += "</pre>\n";
    }
    out_ += "</div>\n";
  }

  void end_part() {
    end_wrapped();
    if (!part_.empty()) add_source(part_);
    part_.clear();
  }

  void begin_part(const Block& block) {
    end_part();
    part_title_ = runs_html(block.runs);
    if (block.runs.empty()) return;
    for (const Rung& rung : handout_.lab->rungs) {
      const std::string& text = block.runs.front().text;
      const std::string_view id = rung.kernel;
      const bool starts = text.compare(0, id.size(), id) == 0;
      if (starts && (text.size() == id.size() || text[id.size()] == ' ')) part_ = rung.kernel;
    }
  }

  void add_quote(const Block& block) {
    const std::string first =
        block.runs.empty() || !block.runs.front().strong ? "" : block.runs.front().text;
    const bool goes_on = first.empty() && (open_ == "details" || open_ == "blockquote");
    const bool is_folded = first == kAnswer;
    if (is_folded) open_details("Answer");
    if (!goes_on && !is_folded) {
      close("");
      close("blockquote");
    }
    std::vector<TextRun> runs = block.runs;
    if (is_folded) runs.erase(runs.begin());
    const char* line = first == kPrediction ? " <span class=\"paper write\"></span>" : "";
    out_ += "<p>" + runs_html(runs) + line + "</p>\n";
  }

  std::string diagram_html(const std::string& info, const std::string& body) {
    const auto source = handout_.sources.find(part_);
    if (source == handout_.sources.end())
      return "<p class=\"sub\">Diagram unavailable: it is drawn from the source.</p>\n";
    const auto type = handout_.own_types.find(part_);
    return diagram_figure(*handout_.lab, part_, {info, body}, source->second.text,
                          type == handout_.own_types.end() ? "" : type->second,
                          "diagram-" + std::to_string(++diagrams_));
  }

  void add_row(const Block& block) {
    close("table");
    out_ += block.header ? "<thead><tr>" : "<tr>";
    for (const TextRun& cell : block.runs) {
      const char* tag = block.header ? "th" : "td";
      out_ += fmt::format("<{0}>{1}</{0}>", tag, runs_html({cell}));
    }
    out_ += block.header ? "</tr></thead>\n" : "</tr>\n";
  }

  /// Which button to press is of the window.
  bool is_of_window(const Block& block, const std::string& lead) {
    const bool is_prose = block.kind == Block::Kind::paragraph || block.kind == Block::Kind::item ||
                          block.kind == Block::Kind::row;
    if (!is_prose || begins_section(lead)) in_run_ = is_prose && lead == kRun;
    return in_run_;
  }

  /// Hints unfold one after another. Paper leaves them out: there they would say all at once.
  bool is_hint(const Block& block, const std::string& lead) {
    const bool is_quote = block.kind == Block::Kind::quote;
    if (!is_quote || !lead.empty()) in_hint_ = is_quote && lead == kHint;
    return in_hint_;
  }

  void add_hint(const Block& block, const std::string& lead) {
    close("");
    std::vector<TextRun> runs = block.runs;
    if (!lead.empty()) runs.erase(runs.begin());
    out_ += "<details class=\"screen\"><summary>Hint</summary>\n<p>" + runs_html(runs) +
            "</p>\n</details>\n";
  }

  void add(const Block& block) {
    const std::string lead =
        !block.runs.empty() && block.runs.front().strong ? block.runs.front().text : "";
    if (is_of_window(block, lead)) return;
    if (is_hint(block, lead)) return add_hint(block, lead);
    if (gives_away(lead))
      begin_reveal();
    else if (lead == kOutside)
      begin_outside();
    else if (wrapped_ != Wrapped::none &&
             (begins_section(lead) || block.kind == Block::Kind::heading))
      end_wrapped();
    switch (block.kind) {
      case Block::Kind::heading: {
        if (block.level <= 2) begin_part(block);
        close("");
        const int level = std::min(block.level, 4);
        if (block.level > 1)  // the first is the page's own
          out_ += fmt::format("<h{0}>{1}</h{0}>\n", level, runs_html(block.runs));
        return;
      }
      case Block::Kind::item:
        close(block.marker == "•" ? "ul" : "ol");
        out_ += "<li>" + runs_html(block.runs) + "</li>\n";
        return;
      case Block::Kind::quote:
        return add_quote(block);
      case Block::Kind::row:
        return add_row(block);
      case Block::Kind::code: {
        close("");
        std::string text;
        for (const TextRun& run : block.runs) text += run.text;
        out_ += diagram::is_diagram(block.info) ? diagram_html(block.info, text) : code_html(text);
        return;
      }
      case Block::Kind::rule:
        close("");
        out_ += "<hr>\n";
        return;
      default:
        close("");
        out_ += "<p>" + runs_html(block.runs) + "</p>\n";
    }
  }

  const Handout& handout_;
  std::string out_, open_, part_;
  std::string answers_;     ///< all that was folded, part by part
  std::string part_title_;  ///< of the part in hand, until its first answer
  size_t answer_at_ = 0;    ///< where in out_ what is folded now begins
  size_t answer_from_ = 0, reveal_from_ = 0;  ///< where in out_ their folds begin
  enum class Wrapped { none, reveal, outside } wrapped_ = Wrapped::none;
  std::set<std::string> shown_;
  bool in_run_ = false, in_hint_ = false;
  int diagrams_ = 0;  ///< drawn so far
};

}  // namespace

namespace {

std::string machines_html(const figure::MachineTable& machines) {
  if (machines.machines.empty()) return "";
  const bool is_one = machines.machines.size() == 1;
  report::Table table{
      .columns = {is_one ? "The machine of these figures" : "The machines of these figures"},
      .rows = {},
      .prose = false};
  for (const figure::Machine& machine : machines.machines)
    table.columns.push_back(machine.mark + " " + machine.name);
  for (const auto& [name, cells] : machines.rows) {
    table.rows.push_back({name});
    table.rows.back().insert(table.rows.back().end(), cells.begin(), cells.end());
  }
  const bool has_ceiling =
      std::any_of(machines.rows.begin(), machines.rows.end(),
                  [](const auto& row) { return row.first.starts_with("ceiling"); });
  const std::string shown = "<div class=\"machines\">\n" + table_html(table);
  if (!has_ceiling) return shown + "</div>\n";
  return shown +
         "<p class=\"sub\">A ceiling is the best rate that was measured on that machine, in this "
         "lab's recordings; on a CPU by one core. A copy counts each byte twice, read and written. "
         "Where two rates stand, several recordings measured it.</p>\n</div>\n";
}

/// Which recording each mark stands for.
std::string notes_html(const Handout& handout) {
  if (handout.notes.empty()) return "";
  std::string out = "<ul class=\"sub\" id=\"recordings\">\n";
  for (const std::string& note : handout.notes) {
    // Why a figure is missing names rungs by their ids: for who mends the lesson, not for paper.
    const bool is_source =
        std::any_of(handout.marks.begin(), handout.marks.end(),
                    [&](const figure::Machine& one) { return note.starts_with(one.mark); });
    out += (is_source ? "<li>" : "<li class=\"screen\">") + escape_xml(note) + "</li>\n";
  }
  return out + "</ul>\n";
}

/// What a lecturer takes out before the rest is handed out: on paper it has pages of its own at the end. The ladder of a run
/// answers every question of the lesson, so that it stands there too.
std::string answers_html(const Handout& handout, const std::string& answers) {
  if (!handout.with_answers || (answers.empty() && !handout.report)) return "";
  std::string out =
      "<div class=\"flow end\">\n<div class=\"paper out\">Answers from this page on. Take them out "
      "before you hand out the rest.</div>\n";
  if (!answers.empty())
    out += "<div class=\"paper answers\">\n<h2>What happened, and the answers</h2>\n" + answers +
           "</div>\n";
  if (handout.report) out += charts_html(*handout.report);
  return out + "</div>\n";
}

}  // namespace

std::string to_html(const Handout& handout) {
  const Lab& lab = *handout.lab;
  std::string out = "<h1>" + escape_xml(lab.title) + "</h1>\n<p class=\"sub\">" +
                    escape_xml(lab.goal) + "</p>\n" + "<p class=\"sub\">" + kHowToLearn +
                    (handout.with_answers ? kThenOurs : kNoAnswers) + "</p>\n";
  Page page(handout);
  const std::string lesson = page.lesson();  // before its answers, which it collects
  out += "<div class=\"flow\">\n" + lesson + "</div>\n" + machines_html(handout.machines) +
         notes_html(handout) + answers_html(handout, page.answers());
  out += "<footer>Made with ridgepoint handout " + escape_xml(lab.id) +
         ".<span class=\"paper\"> The whole sources are in the HTML page.</span></footer>\n";
  return report::html_page("handout", std::string(lab.title) + ": handout", out);
}

}  // namespace ridge::study
