#include "app/query/article.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/query/diff.h"
#include "app/query/recordings.h"
#include "app/study/diagram_figure.h"
#include "app/study/lesson.h"
#include "common/view/chart/svg.h"
#include "common/view/report/html.h"
#include "common/view/report/page.h"

namespace ridge::app {
namespace {

using chart::escape_xml;
using report::ClimbedRung;

/// Lines about a change, and changed lines in view before the rest is folded away.
constexpr int kContext = 1;
constexpr size_t kShownLines = 42;

class ArticlePage {
 public:
  explicit ArticlePage(const Article& article)
      : article_(article), parts_(study::lesson_parts(article.lesson)) {}

  std::string write() {
    const report::Report& report = *article_.report;
    out_ = "<header>\n<p class=\"over\">Ridgepoint article</p>\n<h1>" + escape_xml(title()) +
           "</h1>\n<p class=\"sub\">" + escape_xml(report.subtitle) +
           "</p>\n</header>\n<div class=\"front\">\n" + report::headline_html(report);
    add_front({"climb", "compared", "machine", "caveats"});
    out_ += "</div>\n<div class=\"rungs\">\n";
    for (const ClimbedRung& rung : report.climb) add_rung(rung);
    out_ += "</div>\n<div class=\"front\">\n";
    add_front({"again"});
    return out_ + "</div>\n<footer>Made by Ridgepoint from " +
           escape_xml(report.inputs.front().name) +
           ". A step with ≈ is of two rungs that were each timed alone, and claims nothing. The "
           "appendix is the report's: "
           "ridgepoint report RUN.jsonl --out report.html.</footer>\n";
  }

  std::string title() const {
    const std::string lab = article_.lab->title;
    return article_.learner.empty() ? lab + ": a climb"
                                    : lab + ": the climb of " + article_.learner;
  }

 private:
  void add_front(std::initializer_list<const char*> ids) {
    for (const report::Section& section : article_.report->front) {
      const bool is_one =
          std::any_of(ids.begin(), ids.end(), [&](const char* id) { return section.id == id; });
      if (is_one) out_ += report::section_html(*article_.report, section);
    }
  }

  void add_rung(const ClimbedRung& rung) {
    out_ += "<section class=\"rung\">\n<h2>" + escape_xml(rung.title) + "</h2>\n";
    const char* tone = !rung.is_paired                   ? "apart"
                       : rung.verdict == Verdict::faster ? "faster"
                       : rung.verdict == Verdict::slower ? "slower"
                                                         : "same";
    if (!rung.step.empty())
      out_ += fmt::format("<p class=\"gain {}\">{}</p>\n", tone, escape_xml(rung.step));
    out_ += "<p>" + escape_xml(rung.speed) + "</p>\n";
    for (const Rung& known : article_.lab->rungs) {
      if (known.kernel == rung.kernel && *known.change)
        out_ += "<p>" + escape_xml(known.change) + "</p>\n";
    }
    if (!rung.bound.empty())
      out_ += "<p><span class=\"name\">What bound it</span> " + escape_xml(rung.bound) + "</p>\n";
    add_diagram(rung);
    add_diff(rung);
    out_ += "</section>\n";
  }

  /// The first of the rung's part of the lesson.
  void add_diagram(const ClimbedRung& rung) {
    const auto source = article_.sources.find(rung.kernel);
    if (source == article_.sources.end()) return;
    for (const study::LessonPart& part : parts_) {
      if (part.kernel != rung.kernel) continue;
      const auto block = study::first_diagram(part.text);
      if (!block) return;
      out_ += study::diagram_figure(*article_.lab, rung.kernel, *block, source->second.text,
                                    own_type(article_.run, {}, rung.kernel),
                                    "diagram-" + std::to_string(++diagrams_));
      return;
    }
  }

  void add_diff(const ClimbedRung& rung) {
    const auto after = article_.sources.find(rung.kernel),
               before = article_.sources.find(rung.from);
    if (after == article_.sources.end() ||
        (!rung.from.empty() && before == article_.sources.end())) {
      out_ += "<p class=\"note\">Source unavailable: no worker and no run at hand has it.</p>\n";
      return;
    }
    const std::string path = escape_xml(after->second.path);
    if (rung.from.empty()) {
      out_ += "<p class=\"note\">The climb begins with " + path + ".</p>\n";
      return;
    }
    const std::vector<DiffLine> lines = diff_code(before->second.text, after->second.text);
    const DiffCount count = count_changes(lines);
    out_ += fmt::format("<p class=\"note\">{} since “{}”: {} added, {} removed{}</p>\n", path,
                        escape_xml(rung.from_title), count.added, count.removed,
                        flags_changed(before->second, after->second));
    if (count.added + count.removed > 0) add_lines(fold_equal(lines, kContext));
  }

  static std::string flags_changed(const SourceText& before, const SourceText& after) {
    if (before.flags == after.flags) return "";
    return escape_xml("; flags " + before.flags + " → " + after.flags);
  }

  void add_lines(const std::vector<DiffLine>& lines) {
    const size_t shown = lines.size() <= kShownLines + 8 ? lines.size() : kShownLines;
    out_ += "<pre class=\"diff\">";
    for (size_t i = 0; i < shown; ++i) add_line(lines[i]);
    out_ += "</pre>\n";
    if (shown == lines.size()) return;
    out_ += fmt::format("<details><summary>{} lines more</summary>\n<pre class=\"diff\">",
                        lines.size() - shown);
    for (size_t i = shown; i < lines.size(); ++i) add_line(lines[i]);
    out_ += "</pre></details>\n";
  }

  void add_line(const DiffLine& line) {
    const bool is_cut = line.old_number == 0 && line.new_number == 0;
    const char* kind = is_cut                                 ? "cut"
                       : line.kind == DiffLine::Kind::added   ? "added"
                       : line.kind == DiffLine::Kind::removed ? "removed"
                                                              : "same";
    const char* sign = is_cut                                 ? "⋯"
                       : line.kind == DiffLine::Kind::added   ? "+ "
                       : line.kind == DiffLine::Kind::removed ? "- "
                                                              : "  ";
    out_ += fmt::format("<span class=\"{}\">{}{}</span>", kind, sign,
                        escape_xml(std::string(line.text)));
  }

  const Article& article_;
  std::vector<study::LessonPart> parts_;
  std::string out_;
  int diagrams_ = 0;
};

}  // namespace

Result<std::string> article_html(const Article& article) {
  if (article.report->climb.empty()) {
    return Error{ErrorCode::bad_input, "no rung of the ladder was measured",
                 article.report->inputs.front().name,
                 "make a run with 'ridgepoint run LAB --out RUN.jsonl'"};
  }
  ArticlePage page(article);
  return report::html_page("article", page.title(), page.write());
}

}  // namespace ridge::app
