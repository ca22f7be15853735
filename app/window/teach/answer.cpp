#include "app/window/teach/answer.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/core/format.h"
#include "common/core/number_text.h"
#include "common/record/said_note.h"
#include "common/view/report/closeness.h"

namespace ridge::window {
namespace {

constexpr std::string_view kLate = " (after the fact)";

struct AnswerUnit {
  std::string_view word;
  double factor;             ///< of the figures' unit (metrics.h)
  std::string_view of = {};  ///< that unit; empty: a bare number or a ratio
};

/// What stands first in a question counts: longer words before those that they hold.
constexpr AnswerUnit kAnswerUnits[] = {
    {"million images per second", 1e6, "items/s"},
    {"thousand images per second", 1e3, "items/s"},
    {"images per second", 1, "items/s"},
    {"images/s", 1, "items/s"},
    {"tokens a second", 1, "items/s"},
    {"tokens/s", 1, "items/s"},
    {"TFLOP/s", 1e12, "FLOP/s"},
    {"GFLOP/s", 1e9, "FLOP/s"},
    {"TB/s", 1e12, "B/s"},
    {"GB/s", 1e9, "B/s"},
    {"GiB", 1073741824.0, "B"},
    {"MiB", 1048576.0, "B"},
    {"KiB", 1024, "B"},
    {"GB", 1e9, "B"},
    {"MB", 1e6, "B"},
    {"kB", 1e3, "B"},
    {"bytes", 1, "B"},
    {"percentage points", 1, "points"},
    {"points", 1, "points"},
    {"percentage", 0.01, "%"},
    {"per cent", 0.01, "%"},
    {"percent", 0.01, "%"},
    {"%", 0.01, "%"},
    {"milliseconds", 1e-3, "s"},
    {"microseconds", 1e-6, "s"},
    {"seconds", 1, "s"},
    {"ms", 1e-3, "s"},
    {"µs", 1e-6, "s"},
    {"us", 1e-6, "s"},
    {"ns", 1e-9, "s"},
    {"s", 1, "s"},
    {"x", 1},
    {"X", 1},
    {"×", 1},
    {"times", 1},
};

std::string_view without_edges(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t"), to = text.find_last_not_of(" \t");
  return from == text.npos ? std::string_view() : text.substr(from, to - from + 1);
}

struct NumberRead {
  double value = 0;
  std::string_view unit;
};

std::optional<NumberRead> read_number(std::string_view text) {
  text = without_edges(text);
  NumberRead made;
  const auto [end, error] = number_from(text.data(), text.data() + text.size(), &made.value);
  if (error != std::errc() || !std::isfinite(made.value)) return {};
  made.unit = without_edges(text.substr(static_cast<size_t>(end - text.data())));
  return made;
}

/// Of a bare number the question's: "How many MiB". Null: the words of a unit are not known.
const AnswerUnit* answer_unit(std::string_view written, std::string_view question) {
  static constexpr AnswerUnit kBare = {"", 1};
  constexpr size_t kShortest = 2;  // one letter of a question is no unit
  for (const AnswerUnit& unit : kAnswerUnits) {
    const bool is_it = written.empty()
                           ? unit.word.size() >= kShortest && unit.of != "" &&
                                 question.find(" " + std::string(unit.word)) != question.npos
                           : written == unit.word;
    if (is_it) return &unit;
  }
  return written.empty() ? &kBare : nullptr;
}

/// A rate of anything counted is of one kind: "images/s", "tokens/s".
bool fits_unit(const AnswerUnit& unit, const std::string& figure_unit) {
  if (unit.of.empty())
    return figure_unit.empty() || figure_unit == "×" || figure_unit == "count";
  const bool is_rate =
      figure_unit.ends_with("/s") && figure_unit != "FLOP/s" && figure_unit != "B/s";
  return unit.of == figure_unit || (unit.of == "items/s" && (is_rate || figure_unit.empty()));
}

std::string held_against(double said, const figure::Figure& measured) {
  const std::string is = " It is " + measured.text +
                         (measured.interval_text.empty() ? "" : " " + measured.interval_text) +
                         (measured.is_recorded ? ", recorded on " + measured.machine : "");
  if (!(said > 0) || !(measured.value > 0)) return is + ".";
  const std::string right = report::right_words(said, measured.value, measured.interval, "");
  if (!right.empty()) return is + ": " + right + ".";
  return is +
         (said < measured.value
              ? ": you said too little, by " + format_ratio(measured.value / said)
              : ": you said too much, by " + format_ratio(said / measured.value)) +
         ".";
}

}  // namespace

Result<double> read_answer(std::string_view text) {
  if (const auto made = read_number(text)) return made->value;
  return Error{ErrorCode::usage, "“" + std::string(without_edges(text)) + "” begins with no number",
               "", "type a number, with its unit if it has one: 128 MiB, 3x, 40 %"};
}

void keep_answer(State& state, const std::string& kernel, const std::string& text, bool is_late) {
  if (text.empty() || text == answer_of(state, kernel)) return;
  if (const auto read = read_answer(text); !read) {
    state.notice = {read.error().sentence(), true};
    return;
  }
  state.notice = {};
  state.ladder.dirty = true;
  state.sessions.shown->note(said_note(kernel),
                             std::string(without_edges(text)) + std::string(is_late ? kLate : ""));
}

namespace {

struct KeptAnswer {
  std::string text;
  bool is_late = false;
};

KeptAnswer kept_answer(const State& state, const std::string& kernel) {
  const Notes& notes = state.run().notes();
  const auto found = notes.find(said_note(kernel));
  if (found == notes.end()) return {};
  const std::string& text = found->second;
  const bool is_late = text.ends_with(kLate);
  return {is_late ? text.substr(0, text.size() - kLate.size()) : text, is_late};
}

}  // namespace

std::string answer_of(const State& state, const std::string& kernel) {
  return kept_answer(state, kernel).text;
}

std::string answer_sentence(const State& state, const std::string& kernel,
                            std::string_view question,
                            const std::optional<figure::Figure>& measured) {
  const KeptAnswer kept = kept_answer(state, kernel);
  const auto said = read_number(kept.text);
  if (!said) return {};
  const std::string first =
      (kept.is_late ? "After the fact you said " : "You said ") + kept.text + ".";
  if (!measured || !measured->gap.empty()) return first;
  const AnswerUnit* unit = answer_unit(said->unit, question);
  if (!unit || !fits_unit(*unit, measured->unit)) return first;
  return first + held_against(said->value * unit->factor, *measured);
}

}  // namespace ridge::window
