// What a run lets in of what others wrote: a file may be damaged, made up or hostile. Run::apply_*() asks here about each
// part; a part that is refused is counted, and what is good beside it stays.
#pragma once

#include <string>
#include <string_view>

#include "common/record/inspection.h"
#include "common/record/kernel_counts.h"
#include "common/record/types.h"

namespace ridge {

/// Objects and lists in each other; the protocol's deepest line has 8.
inline constexpr int kDeepestJson = 64;
/// Of each kind of part: kernels, requests, series, comparisons ... A day at the window makes some hundreds.
inline constexpr size_t kMostParts = 50'000;
/// Checks of one series; the gate makes a dozen.
inline constexpr size_t kMostChecks = 1000;
/// Of a file: the longest run that we know has 80 MB.
inline constexpr uint64_t kMostRunBytes = uint64_t{2} << 30;
/// Of a line, longer ones are left out: docs/protocol.md.
inline constexpr size_t kMostLineBytes = size_t{64} * 1024;
/// A call of 30 years: beyond it sums of times are no numbers.
inline constexpr double kLongest_ns = 1e18;
/// Whole numbers beyond 2^53 are not exact in JSON, and products of sizes would not fit 64 bits.
inline constexpr int64_t kMostWhole = int64_t{1} << 53;

/// What is said of parts that are refused.
inline constexpr const char* kUnusableSample = "a sample whose time is no number above 0";
inline constexpr const char* kUnusableRound = "a round whose times do not fit its order";

/// Whether a JSON text nests deeper than kDeepestJson, brackets inside strings not counted.
bool is_nested_too_deep(std::string_view json);

/// With '?' in place of what a terminal or a reader obeys: control characters but white space, and those that turn the
/// direction of writing. `is_name`: white space too becomes a space.
void make_plain(std::string* text, bool is_name = false);

bool is_usable(const Sample& sample);
bool is_usable(const Round& round);
bool is_usable(const CurvePoint& point);
bool is_usable(const Span& span);
bool is_usable(const Ceiling& ceiling);
/// Its median is a time, and lies in its interval.
bool is_usable(const Stats& stats);
/// Work, bytes and rates are 0, not known, where they are no numbers of at least 0.
void drop_impossible(SeriesFacts* series);
/// Its cells fill its grid, and its marks lie in it.
bool is_usable(const InspectionPlane& plane);

/// No count is negative, and no part is larger than the whole that it is a part of.
bool is_usable(const LineCounts& line);
bool is_usable(const CountedLaunch& launch);
/// It says what its lanes ask for, and what that costs.
bool is_usable(const WarpRequest& request);

/// Takes what points outside of the inspection away: classes that it does not have, places below 0.
void keep_inside(Inspection* inspection);

}  // namespace ridge
