// Which results stand beside each other: a machine is another one some minutes later, so a ratio of two rungs that were
// each timed alone is of one request, one run of the ladder. Gains and the report ask here.
#pragma once

#include <optional>
#include <string>

#include "common/record/run.h"

namespace ridge {

/// Of a rung's results the one that stands in its ladder: that of the run which timed most rungs of its case (lab,
/// processor, size and caches), of several such runs the newest. It is `newest` itself where that has to stand: it
/// failed, its source is another by now, or it is a side of a comparison.
const Series& result_of_one_run(const Run& run, const Series& newest);
/// Whether both are results of one request of this run. Only then may a ratio of two medians stand without a word.
bool is_of_one_run(const Series& a, const Series& b);

/// Seconds since 1970 of "2026-11-26T22:57:32Z", as an environment has it; absent where it is no time.
std::optional<double> utc_s(const std::string& time_utc);
/// When its result came, in seconds since 1970, UTC; absent where the transcript has no times.
std::optional<double> ended_utc_s(const Run& run, const Series& series);
/// "02:52"; empty where the transcript has no times.
std::string time_of_day(const Run& run, const Series& series);
/// "8 minutes apart", "less than a minute apart"; without times "in different runs".
std::string apart_text(const Run& run, const Series& a, const Series& b);
/// Why no ratio of their two medians may stand: "8 minutes apart"; empty: it may.
std::string why_no_quotient(const Run& run, const Series& a, const Series& b);
/// Whether that ratio is rough: one of them is not steady, other programs took more of one's time than of the other's, or
/// one was busy or noisy while their intervals overlap.
bool is_noisy_quotient(const Series& a, const Series& b);

}  // namespace ridge
