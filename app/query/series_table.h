// The tables of a ladder: a row per rung, in the order measured.
#pragma once

#include <string>
#include <vector>

#include "common/record/run.h"

namespace ridge::app {

/// Only what was checked before and after its timing has a speed.
bool has_speed(const Series& series);

/// "cpu.naive_o1" where the lab is named as the family is, as the heading says it; else "copy.cpu.streamed", so that
/// no two rungs of a lab read alike.
std::string short_name(const std::string& kernel);

/// The heading that a table of these series has: "gemm: dtype=fp32 k=64 m=64 n=64, hot cache, live".
std::string heading_of(const std::vector<const Series*>& all);

/// A table with its heading for each family, size and type. Its column `gain` says how many times as fast a rung is as
/// the rung of ours before it in its table, on the same backend and with a verified speed; a library's, as the best of
/// ours above it. It divides medians measured one after the other: ≈ marks it, and a line below the first such table
/// says that a comparison decides.
std::string series_tables(const Run& run, const std::vector<const Series*>& all);

}  // namespace ridge::app
