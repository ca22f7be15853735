// What a comparison on a GPU says of clocks, in words. Interleaved sides share one clock, so that their ratio near a
// power cap is one of cycles; alone, each runs at the clock that its own power allows (docs/measuring.md, Compare).
#pragma once

#include <string>
#include <vector>

#include "common/record/types.h"

namespace ridge {

/// What the verdict rests on: "40 rounds", "6 sustained turns a side", of trainings "8 seeds".
std::string rounds_text(const Comparison& comparison);
/// Whether there are two verdicts, and they differ.
bool clocks_disagree(const Comparison& comparison);
/// Whether the clock was held down and how fast each side is alone was not measured. With cold caches no load lasts, so
/// that nothing is lacking.
bool lacks_sustained(const Comparison& comparison);
/// Said of what is settled at one clock for both sides alone.
inline constexpr const char* kNotSustained = "sustained not measured";
/// " at equal clock", " sustained" behind a ratio whose load held the clock down; empty: the clock was free.
const char* of_clock(const Comparison& comparison);
/// The verdict, if its own interval bears it out: a file may say anything.
Verdict supported_verdict(const PairedVerdict& judged);
/// What a comparison's `reasons` hold where a person stopped it.
inline constexpr const char* kCancelledReason = "cancelled";
/// Stopped before it was settled: what its few rounds say is no outcome, not even "unresolved".
bool is_cancelled(const Comparison& comparison);
/// The comparison as its interleaved rounds alone have it.
Comparison at_equal_clock(const Comparison& comparison);
/// Whether it answers the reverse question too: of trainings the accuracy is held to what the candidate alone may lose.
bool can_turn(const Comparison& comparison);
/// What it came to as if the sides had been named the other way round.
Comparison turned_round(Comparison comparison);
/// "1317 MHz"
std::string mhz_text(double hz);
/// " at 1620 MHz, the ceiling at 1755 MHz": a share of a ceiling that ran at another clock mixes the two. Empty where one of the
/// clocks is not recorded.
std::string clocks_text(const Utilization& share);
/// "1.65 ms at 1283 MHz, 697 W, 1.15 J a call"
std::string side_clock_text(const SustainedSide& side);
/// The other verdict, why the two differ, both sides alone, and what the clock did: a sentence each, the most telling
/// first, without capital and full stop. Empty where no clock was looked at.
std::vector<std::string> clock_sentences(const Comparison& comparison);

}  // namespace ridge
