#include "app/window/teach/step_answer.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/window/teach/lists.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/presenter.h"
#include "common/core/format.h"
#include "common/core/number_text.h"

namespace ridge::window {

using study::Ask;
using study::TourStep;

std::vector<std::string> choices_of(const TourStep& step, const StepBars& bars) {
  std::vector<std::string> labels;
  switch (step.ask) {
    case Ask::choice:
    case Ask::stage:
      return step.choices;
    case Ask::verdict:
      for (const auto& one : kVerdictChoices) labels.emplace_back(one.label);
      return labels;
    case Ask::longest:
    case Ask::largest_step:
      for (const LessonBar& bar : bars.bars) labels.push_back(bar_name(bar, step));
      if (step.ask == Ask::largest_step) labels.erase(labels.begin());
      return labels;
    default:
      return {};
  }
}

std::string asked_for(const TourStep& step, const StepBars& bars) {
  const LessonBar* last = bars.last();
  if (!last) return {};
  const LessonBar& first = bars.bars.front();
  switch (step.ask) {
    case Ask::time:
      return "the time of one call of " + quoted_bar(*last, step);
    case Ask::share:
      return "per cent of the measured ceiling, for " + quoted_bar(*last, step);
    case Ask::factor:
      return "times too high or too low, for " + quoted_bar(*last, step);
    case Ask::ratio:
      return quoted_bar(*last, step) + " is so many times as fast as " + quoted_bar(first, step);
    default:
      return {};
  }
}

std::string read_back(const TourStep& step, const StepBars& bars, double value) {
  const LessonBar* last = bars.last();
  if (!last) return {};
  const std::string one = quoted_bar(*last, step);
  if (step.ask == Ask::time)
    return fmt::format("one call of {} takes {}, so {:.3g} calls a second", one,
                       format_time_ns(value), 1e9 / value);
  if (step.ask != Ask::ratio) return asked_for(step, bars);
  const std::string other = quoted_bar(bars.bars.front(), step);
  if (value == 1) return one + " is exactly as fast as " + other;
  return value > 1 ? fmt::format("{} is faster: {} as fast as {}", one, format_ratio(value), other)
                   : fmt::format("{} is slower: it needs {} the time of {}", one,
                                 format_ratio(1 / value), other);
}

const StepAnswer& answer_here(const State& state) {
  static const StepAnswer kNone;
  const auto found = state.teaching.answers.find(state.teaching.tour_step);
  return found == state.teaching.answers.end() ? kNone : found->second;
}

void type_answer(State& state, const std::string& text) {
  if (state.teaching.beat != Beat::predict) return;
  state.teaching.answers[state.teaching.tour_step].typed = text;
  // What the last key was told, that an answer is missing, holds no longer.
  state.teaching.skips_answer = false;
  if (!state.notice.is_error) state.notice = {};
}

void choose_answer(State& state, int choice) {
  const TourStep step = shown_step(state);
  const auto count = std::ssize(choices_of(step, step_bars(state, step)));
  if (state.teaching.beat != Beat::predict || choice < 0 || choice >= count) return;
  state.teaching.answers[state.teaching.tour_step].choice = choice;
  state.notice = {};
}

void answer_digit(State& state, int digit) {
  choose_answer(state, digit - 1);
}

namespace {

/// A number alone is in milliseconds, as the words beside the field say; what it is read as stands there.
Result<double> parse_time(const std::string& text) {
  const auto value = parse_prediction(text, {});
  if (value) return value;
  return Error{ErrorCode::usage, "“" + text + "” is no time", "",
               "type digits, then ns, µs, ms or s"};
}

}  // namespace

Result<double> parse_answer(Ask ask, const std::string& text) {
  if (ask == Ask::time) return parse_time(text);
  const size_t from = text.find_first_not_of(' ');
  double value = 0;
  const char* begin = from == std::string::npos ? text.data() + text.size() : &text[from];
  const auto [end, error] = number_from(begin, text.data() + text.size(), &value);
  const char* hint =
      ask == Ask::share ? "type a share of the ceiling, in %" : "type a factor: digits alone";
  if (error != std::errc() || !std::isfinite(value))
    return Error{ErrorCode::usage, "“" + text + "” is no number", "", hint};
  std::string unit(end, text.data() + text.size());
  std::erase(unit, ' ');
  const bool fits = unit.empty() || (ask == Ask::share ? unit == "%"
                                                       : unit == "x" || unit == "X" ||
                                                             unit == "×" || unit == "times");
  if (!fits) return Error{ErrorCode::usage, "“" + unit + "” is not what is asked for", "", hint};
  if (!(value > 0) || value > 1e9)
    return Error{ErrorCode::usage, "an answer is above zero, and not above a billion", "", hint};
  return ask == Ask::share ? value / 100 : value;
}

bool takes_sign(Ask ask, std::string_view typed, uint32_t sign) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (sign >= '0' && sign <= '9') return true;
  // A clicker's key for a black screen is a point.
  if (std::none_of(typed.begin(), typed.end(), is_digit)) return false;
  if (sign == '.') return true;
  const std::u32string_view units = ask == Ask::time    ? U" numµs"
                                    : ask == Ask::share ? U" %"
                                                        : U" xX×times";
  return units.find(static_cast<char32_t>(sign)) != std::u32string_view::npos;
}

bool asks_for_number(const State& state) {
  if (!is_on_canvas(state) || state.teaching.beat != Beat::predict || has_list(state)) return false;
  const TourStep step = shown_step(state);
  return choices_of(step, step_bars(state, step)).empty();
}

std::string answer_blocker(const State& state) {
  const TourStep step = shown_step(state);
  const StepAnswer& answer = answer_here(state);
  if (!choices_of(step, step_bars(state, step)).empty())
    return answer.choice >= 0 ? "" : "Choose an answer first: it unlocks Run.";
  if (answer.typed.find_first_not_of(' ') == std::string::npos)
    return "Type your answer first: it unlocks Run.";
  const auto value = parse_answer(step.ask, answer.typed);
  return value ? "" : value.error().sentence();
}

std::string answer_text(const TourStep& step, const StepBars& bars, const StepAnswer& answer) {
  const std::vector<std::string> choices = choices_of(step, bars);
  if (!choices.empty()) {
    const bool has = answer.choice >= 0 && answer.choice < std::ssize(choices);
    return has ? choices[static_cast<size_t>(answer.choice)] : "";
  }
  const auto value = parse_answer(step.ask, answer.typed);
  if (!value) return "";
  // As it was meant: a guess of 3 is no 3.00.
  return step.ask == Ask::time    ? format_time_ns(*value)
         : step.ask == Ask::share ? format_tick(*value * 100) + " %"
                                  : format_tick(*value) + "×";
}

}  // namespace ridge::window
