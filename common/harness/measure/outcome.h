// How a measured series ends, whatever kind of rung it is of: its status, its summary, and the reasons for what
// it lacks.
#pragma once

#include "common/core/result.h"
#include "common/harness/kernel/kernel.h"
#include "common/record/types.h"

namespace ridge::measure {

/// Adds to what a reader has to know beside the figures.
void add_note(const std::string& text, Series* series);
/// Puts an Error where it belongs: status and reason of the series.
void take_error(const Error& error, Series* series);
/// Whether others' work disturbs a timing. On a CPU from 0.1 of a core (/proc/stat's ticks make up to
/// 0.04 out of nothing in the half second of a live run), or from a twentieth of a larger machine; a
/// GPU queues ahead, so only half the machine's cores busy elsewhere may starve it.
bool is_contended(double foreign_cpus, Backend backend);
/// Tags outliers and fills in stats, with the flags "external", "noisy" and "contended".
void summarize(Series* series, bool contended, bool noisy, bool external = false);
/// Says why percentiles and energy are missing, where they are.
void describe_unavailable(Series* series);

}  // namespace ridge::measure
