#include "common/view/figure/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include "common/core/format.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"
#include "common/view/figure/arithmetic.h"
#include "common/view/figure/code.h"
#include "common/view/figure/metrics.h"

namespace ridge::figure {
namespace {

constexpr std::string_view kOpen = "{{", kClose = "}}";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

/// The first word, and what comes after it.
std::pair<std::string_view, std::string_view> split_word(std::string_view text) {
  const size_t end = std::min(text.find_first_of(" \n"), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

/// Where braces stand, outside code; `from` is the first place to look at.
struct Braces {
  size_t begin = 0, end = 0;  ///< the braces included
  std::string_view inside;
};

Result<std::optional<Braces>> next_braces(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size();) {
    if (text[at] == '`') {
      at = end_of_code(text, at);
    } else if (text.substr(at, kOpen.size()) == kOpen) {
      const size_t end = text.find(kClose, at);
      if (end == std::string_view::npos)
        return Error{ErrorCode::bad_input, "{{ without its }}", "", ""};
      Braces found{at, end + kClose.size(), trimmed(text.substr(at + 2, end - at - 2))};
      return std::optional(found);
    } else {
      ++at;
    }
  }
  return std::optional<Braces>();
}

size_t line_of(std::string_view text, size_t at) {
  return 1 +
         static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

/// What stands in the brackets of an expression, in order.
std::vector<std::string_view> brackets_of(std::string_view expression) {
  std::vector<std::string_view> all;
  for (size_t open = 0; (open = expression.find('[', open)) != std::string_view::npos;) {
    const size_t close = expression.find(']', open);
    if (close == std::string_view::npos) break;
    all.push_back(expression.substr(open + 1, close - open - 1));
    open = close;
  }
  return all;
}

constexpr int kRoughDigits = 2;  ///< of what is made of two runs

/// The figures of an expression. What is of the machine (its ceilings, its caches) may stand beside those of a rung.
struct Terms {
  std::vector<Figure> figures;
  bool is_of_one_point = true;  ///< those of rungs: all of one measurement
  size_t lead = 0;  ///< of a rung, and with an interval, where one is: the result has what it has
  bool shows_interval = true;
};

/// Whether both ask for the same measurement.
bool is_one_point(const Reference& a, const Reference& b) {
  return a.machine == b.machine && a.kernel == b.kernel && a.set == b.set && a.cache == b.cache &&
         a.versus.empty() && b.versus.empty();
}

Result<Terms> terms_of(std::string_view expression, const Sources& sources) {
  Terms made;
  std::optional<Reference> point;
  std::optional<std::string> machine;
  for (const std::string_view inside : brackets_of(expression)) {
    RIDGE_TRY(const Reference reference, parse_reference(inside));
    RIDGE_TRY(Figure figure, resolve(reference, sources));
    if (figure.gap.empty() && std::isnan(figure.value))
      return Error{ErrorCode::bad_input, reference.text + " is no number", std::string(expression),
                   ""};
    if (!find_metric(reference.metric).metric->is_of_machine) {
      made.is_of_one_point &= !point || is_one_point(*point, reference);
      if (!point || (figure.interval && !made.figures[made.lead].interval)) {
        made.lead = made.figures.size();
        made.shows_interval = reference.shows_interval;
      }
      point = reference;
    }
    if (machine.value_or(reference.machine) != reference.machine)
      return Error{ErrorCode::bad_input, "calc takes figures of one machine",
                   std::string(expression), "name the same machine in each"};
    machine = reference.machine;
    made.figures.push_back(std::move(figure));
  }
  return made;
}

/// The expression with another value in the place of the figure that leads.
Result<double> value_with(std::string_view expression, const Terms& terms, double lead) {
  std::vector<double> values;
  for (const Figure& figure : terms.figures) values.push_back(figure.value);
  if (!values.empty()) values[terms.lead] = lead;
  return evaluate_arithmetic(expression, values);
}

/// {{calc 989.4 * 0.6}}, {{calc 58.8 / [h200 RUNG metric=ceiling.dram_read]}}
Result<Figure> calculate(std::string_view expression, const Sources& sources) {
  RIDGE_TRY(const Terms terms, terms_of(expression, sources));
  Figure made = terms.figures.empty() ? Figure() : terms.figures[terms.lead];
  RIDGE_TRY(const double value, value_with(expression, terms, made.value));
  const bool is_of_two =
      std::any_of(terms.figures.begin(), terms.figures.end(), [&](const Figure& figure) {
        return figure.machine != made.machine && figure.gap.empty() && made.gap.empty();
      });
  for (const Figure& figure : terms.figures) {
    if (!figure.gap.empty()) made = figure;
  }
  if (is_of_two &&
      made.gap.empty()) {  // this machine ran one of its rungs, and a recording has the other
    made.gap = "its figures are of two machines";
    made.text = "not known";
    made.interval_text.clear(), made.interval.reset();
  }
  made.reference = "calc " + std::string(expression);
  if (!made.gap.empty()) return made;
  for (const Figure& figure : terms.figures) made.is_stale |= figure.is_stale;
  made.value = value;
  if (!std::isfinite(value)) {
    made.gap = "the figure in it is 0";
    made.text = "not known";
    return made;
  }
  made.unit.clear();
  made.verdict.reset();
  made.here.clear();  // of the figure that it was made of, in that one's unit
  // What is counted without a measurement is exact: no zeros behind it. What joins two runs is rough, and says so.
  made.text = terms.figures.empty()   ? format_tick(value)
              : terms.is_of_one_point ? format_number(value)
                                      : "≈ " + format_number(value, kRoughDigits);
  made.interval_text.clear();
  const auto has_interval = [](const Figure& figure) { return figure.interval.has_value(); };
  // Of two figures with intervals the ends do not say how they go together.
  if (!terms.is_of_one_point ||
      std::count_if(terms.figures.begin(), terms.figures.end(), has_interval) > 1)
    made.interval.reset();
  if (made.interval) {
    // One figure, used once: the ends of its interval give the ends of the value's.
    RIDGE_TRY(const double a, value_with(expression, terms, made.interval->low));
    RIDGE_TRY(const double b, value_with(expression, terms, made.interval->high));
    made.interval = Interval{std::min(a, b), std::max(a, b)};
    if (!std::isfinite(a) || !std::isfinite(b)) made.interval.reset();
    if (terms.shows_interval && made.interval)
      made.interval_text = format_ratio_interval(made.interval);
  }
  made.source = std::string(expression) + " = " + made.text;
  for (const Figure& figure : terms.figures) made.source += "; " + figure.source;
  return made;
}

/// {{spec NVIDIA H200 data sheet: 989.4 TFLOP/s}}
Result<Figure> constant(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || trimmed(text.substr(0, colon)).empty() ||
      trimmed(text.substr(colon + 1)).empty())
    return Error{ErrorCode::bad_input, "a constant has a source and a value", std::string(text),
                 "write {{spec SOURCE: VALUE}}"};
  Figure made;
  made.reference = "spec " + std::string(text);
  made.text = trimmed(text.substr(colon + 1));
  made.source = made.text + ": " + std::string(trimmed(text.substr(0, colon))) + ".";
  return made;
}

Result<Figure> named(std::string_view text, const Sources& sources) {
  RIDGE_TRY(const Reference reference, parse_reference(text));
  return resolve(reference, sources);
}

Result<Figure> in_words(std::string_view text, const Sources& sources) {
  RIDGE_TRY(const Reference reference, parse_reference(text));
  if (reference.versus.empty())
    return Error{ErrorCode::bad_input, "a verdict is one of a pair", std::string(text), "add vs="};
  RIDGE_TRY(Figure made, resolve(reference, sources));
  made.text = verdict_words(made);
  made.interval_text.clear();
  return made;
}

/// What {{if faster|same REFERENCE}} asks; nothing where there is no verdict: then neither part is shown.
struct Condition {
  std::optional<bool> holds;
};

Result<Condition> condition(std::string_view text, const Sources& sources) {
  const auto [words, rest] = split_word(text);
  RIDGE_TRY(const Reference reference, parse_reference(rest));
  if (reference.versus.empty())
    return Error{ErrorCode::bad_input, "a verdict is one of a pair", std::string(text), "add vs="};
  std::set<Verdict> wanted;
  for (size_t at = 0; at <= words.size();) {
    const size_t end = std::min(words.find('|', at), words.size());
    const auto verdict = value_named<Verdict>(std::string(words.substr(at, end - at)));
    if (!verdict || *verdict == Verdict::invalid)
      return Error{ErrorCode::bad_input, "'" + std::string(words) + "' is no verdict",
                   std::string(text), "write faster, slower, same or unresolved, | between two"};
    wanted.insert(*verdict);
    at = end + 1;
  }
  RIDGE_TRY(const Figure figure, resolve(reference, sources));
  if (!figure.verdict) return Condition{};
  return Condition{wanted.contains(*figure.verdict)};
}

/// The size that is asked for, of the one that is written.
Result<Params> asked_params(std::string_view text, const InView& view) {
  std::vector<std::string> assignments;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) assignments.push_back(word);
  RIDGE_TRY(const Params written, parse_params(assignments));
  if (written.empty())
    return Error{ErrorCode::bad_input, "a size has a name and a value", "", "write {{size n=512}}"};
  return view.asked ? view.asked(written) : written;
}

std::string joined(const Params& params, const char* between, const char* is) {
  std::string made;
  for (const auto& [name, value] : params)
    made += (made.empty() ? "" : between) + name + is + to_string(value);
  return made;
}

/// "[n to 1024](<set:n=1024>)": the link that sets it.
std::string set_link(const Params& size) {
  return "[" + joined(size, ", ", " to ") + "](<set:" + joined(size, " ", "=") + ">)";
}

/// Takes a text from left to right.
class Expansion {
 public:
  Expansion(std::string_view text, const Sources& sources) : text_(text), sources_(sources) {}

  Result<Text> all() {
    size_t at = 0;
    for (;;) {
      here_ = at;
      RIDGE_TRY(const std::optional<Braces> braces, next_braces(text_, at));
      add_words(text_.substr(at, (braces ? braces->begin : text_.size()) - at));
      if (!braces) break;
      here_ = braces->begin;
      RIDGE_TRY_VOID(take(braces->inside));
      at = braces->end;
      // A line that holds nothing but a condition leaves none.
      if (is_structure(braces->inside) && alone_on_line(*braces) && at < text_.size()) ++at;
    }
    if (in_block_) return Error{ErrorCode::bad_input, "{{if}} without its {{end}}", "", ""};
    return std::move(made_);
  }
  /// Of what was read last.
  size_t line() const { return line_of(text_, here_); }

 private:
  static bool is_structure(std::string_view inside) {
    return inside == "else" || inside == "end" || split_word(inside).first == "if";
  }
  bool alone_on_line(const Braces& braces) const {
    return (braces.begin == 0 || text_[braces.begin - 1] == '\n') &&
           (braces.end == text_.size() || text_[braces.end] == '\n');
  }
  void add_words(std::string_view words) {
    if (shows_ && !words.empty()) made_.pieces.push_back({std::string(words)});
  }
  Result<void> take(std::string_view inside) {
    const auto [word, rest] = split_word(inside);
    if (word == "if") {
      if (in_block_) return Error{ErrorCode::bad_input, "an {{if}} inside another", "", ""};
      RIDGE_TRY(const Condition asked, condition(rest, sources_));
      in_block_ = true;
      holds_ = asked.holds;
      shows_ = holds_ == true;
      return {};
    }
    if (inside == "else" || inside == "end") {
      if (!in_block_)
        return Error{ErrorCode::bad_input, "{{" + std::string(inside) + "}} without its {{if}}", "",
                     ""};
      shows_ = inside == "end" || holds_ == false;
      in_block_ = inside == "else";
      return {};
    }
    if (word == "size" || word == "set") {
      RIDGE_TRY(const Params size, asked_params(rest, sources_.view));
      add_words(word == "set" ? set_link(size) : joined(size, ", ", " = "));
      return {};
    }
    // A figure of a part that is not shown is looked up as well: a bad reference is one whatever the verdict.
    RIDGE_TRY(Figure figure, word == "calc"      ? calculate(rest, sources_)
                             : word == "spec"    ? constant(rest)
                             : word == "verdict" ? in_words(rest, sources_)
                                                 : named(inside, sources_));
    if (!shows_) return {};
    made_.pieces.push_back({figure.text, static_cast<int>(made_.figures.size())});
    made_.figures.push_back(std::move(figure));
    return {};
  }

  std::string_view text_;
  const Sources& sources_;
  Text made_;
  size_t here_ = 0;
  bool in_block_ = false, shows_ = true;
  std::optional<bool> holds_;
};

/// `of` says how a figure is written.
template <class Of>
std::string put_together(const Text& text, const Of& of) {
  std::string out;
  for (const Piece& piece : text.pieces)
    out +=
        piece.figure < 0 ? piece.text : of(text.figures[static_cast<size_t>(piece.figure)], piece);
  return out;
}

/// Of the machine that is named first, second, third: "†", "§", "¶", then each of these twice. No raised number, which
/// behind a figure looks like a power.
std::string machine_mark(size_t place) {
  constexpr std::array<std::string_view, 3> kMarks = {kRecordedMark, "§", "¶"};
  std::string mark;
  for (size_t i = 0; i <= place / kMarks.size(); ++i) mark += kMarks[place % kMarks.size()];
  return mark;
}

void add_once(std::string one, std::vector<std::string>* to) {
  if (std::find(to->begin(), to->end(), one) == to->end()) to->push_back(std::move(one));
}

}  // namespace

Result<Text> expand(std::string_view text, const Sources& sources, const std::string& where) {
  Expansion expansion(text, sources);
  auto made = expansion.all();
  if (made) return made;
  Error error = made.error();
  if (!error.where.empty()) error.what = error.where + ": " + error.what;
  error.where = where + ":" + std::to_string(expansion.line());
  return error;
}

std::string marked(const Figure& figure, std::string text) {
  if (figure.is_recorded) text += kRecordedMark;
  text = with_stale_mark(std::move(text), figure.is_stale);
  return figure.here.empty() ? text : text + " (here " + figure.here + ")";
}

std::string shown(const Text& text) {
  return put_together(
      text, [](const Figure& figure, const Piece&) { return marked(figure, figure.text); });
}

std::string linked(const Text& text) {
  return put_together(text, [](const Figure& figure, const Piece& piece) {
    return "[" + marked(figure, figure.text) + "](" + std::string(kFigureLink) +
           std::to_string(piece.figure) + ")";
  });
}

std::string Footnotes::mark_of(const Figure& figure) {
  const auto known = std::find_if(machines_.begin(), machines_.end(), [&](const Met& machine) {
    return machine.name == figure.machine;
  });
  const auto place = known - machines_.begin();
  if (known == machines_.end()) machines_.push_back({figure.machine, {}});
  add_once(figure.time_utc.substr(0, 10) + ", commit " + figure.commit,
           &machines_[static_cast<size_t>(place)].recordings);
  return machine_mark(static_cast<size_t>(place));
}

std::string Footnotes::print(const Text& text) {
  return put_together(text, [&](const Figure& figure, const Piece&) {
    std::string out = figure.text;
    if (!figure.interval_text.empty()) out += " " + figure.interval_text;
    if (figure.is_recorded) out += mark_of(figure);
    if (!figure.gap.empty()) add_once(figure.source, &gaps_);
    has_stale_ |= figure.is_stale;
    return with_stale_mark(std::move(out), figure.is_stale);
  });
}

std::vector<std::string> Footnotes::lines() const {
  std::vector<std::string> all;
  for (size_t i = 0; i < machines_.size(); ++i) {
    std::string recordings;
    for (const std::string& one : machines_[i].recordings)
      recordings += (recordings.empty() ? "" : "; ") + one;
    all.push_back(machine_mark(i) + " recorded on " + machines_[i].name + " (" + recordings + ")");
  }
  if (has_stale_)
    all.push_back(with_stale_mark("", true) + " " + changed_since("the code of this rung has"));
  all.insert(all.end(), gaps_.begin(), gaps_.end());
  return all;
}

std::vector<Machine> Footnotes::machines() const {
  std::vector<Machine> all;
  for (size_t i = 0; i < machines_.size(); ++i) all.push_back({machines_[i].name, machine_mark(i)});
  return all;
}

std::string sources_text(const Text& text) {
  std::string all;
  for (const Figure& figure : text.figures) all += (all.empty() ? "" : "\n") + figure.source;
  return all;
}

Result<std::vector<Named>> references_of(std::string_view text, const std::string& where) {
  if (const auto made = expand(text, Sources(), where); !made) return made.error();
  std::vector<Named> all;
  for (size_t at = 0;;) {
    RIDGE_TRY(const std::optional<Braces> braces, next_braces(text, at));
    if (!braces) return all;
    at = braces->end;
    const std::string_view inside = braces->inside;
    const auto [word, rest] = split_word(inside);
    if (word == "spec" || word == "size" || word == "set" || inside == "else" || inside == "end")
      continue;
    std::vector<std::string_view> named = {inside};
    if (word == "calc") named = brackets_of(rest);
    if (word == "verdict") named = {rest};
    if (word == "if") named = {split_word(rest).second};
    for (const std::string_view one : named) {
      RIDGE_TRY(Reference reference, parse_reference(one));
      all.push_back({std::move(reference), line_of(text, braces->begin)});
    }
  }
}

}  // namespace ridge::figure
