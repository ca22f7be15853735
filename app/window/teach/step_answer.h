// What a step asks for, and what was answered: the choices, the field for a number and how it is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/teach/step.h"

namespace ridge::window {

/// What a verdict may be, in the order in which a step offers it.
struct VerdictChoice {
  Verdict verdict;
  const char* label;
};
inline constexpr VerdictChoice kVerdictChoices[] = {
    {Verdict::faster, "faster"},
    {Verdict::same, "the same"},
    {Verdict::slower, "slower"},
    {Verdict::unresolved, "unresolved: not settled"}};

/// What the answer may be: labels to choose from; empty: a number is asked for.
std::vector<std::string> choices_of(const study::TourStep& step, const StepBars& bars);
/// What a number says: "time of one call", "times as fast as “n = 512”".
std::string asked_for(const study::TourStep& step, const StepBars& bars);

/// What a number that was typed says, in other words: "one call takes 80 ms, so 12.5 calls a second".
std::string read_back(const study::TourStep& step, const StepBars& bars, double value);

/// The answer at this step as it was given; never null.
const StepAnswer& answer_here(const State& state);
void type_answer(State& state, const std::string& text);
void choose_answer(State& state, int choice);
/// A choice by its key, 1 to 9.
void answer_digit(State& state, int digit);
/// Nanoseconds, a share, or a ratio. usage: no number, or none above 0.
Result<double> parse_answer(study::Ask ask, const std::string& text);
/// Whether the field for a number takes this sign after what stands in it: what continues a number only after a digit, so that
/// keys stay keys while it is empty.
bool takes_sign(study::Ask ask, std::string_view typed, uint32_t sign);
inline constexpr const char* kDigitsFirst = "The answer is a number: digits first, then its unit.";
/// The step in view asks for a number, which a field takes.
bool asks_for_number(const State& state);
/// Why Run is locked: no answer yet, or none that can be read. Empty: it is not.
std::string answer_blocker(const State& state);
/// "4.0×", "12 ms", or the label that was chosen; empty: nothing was answered.
std::string answer_text(const study::TourStep& step, const StepBars& bars,
                        const StepAnswer& answer);

}  // namespace ridge::window
