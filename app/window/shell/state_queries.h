// What the panels look up in the sessions: kernels, sources, ceilings, the comparison to show.
#pragma once

#include <string>
#include <vector>

#include "common/record/run.h"

namespace ridge::window {

struct Sessions;
struct State;

/// A kernel as this worker describes it, else as a recording does; null: neither knows it.
const KernelInfo* find_info(const Sessions& sessions, const std::string& kernel);

/// Whether this build's kernel is another than the one recorded. A saved run knows no build.
bool is_stale(const Sessions& sessions, const Series& recorded);

/// The latest comparison of baseline and selection, live before recorded; null: none was made.
/// `where` receives the recording's machine (and its size, if that is not the view's), empty for a
/// live one.
const Comparison* shown_comparison(const State& state, std::string* where,
                                   const Run** run = nullptr);

/// The source of a rung: where a recorded result is shown, what that run compiled; else as it is
/// built, else as any recording has it. Null: not known yet.
const SourceText* find_source(const State& state, const std::string& kernel);

/// Its assembly: of the run that the shown result comes from, else of this session; null: none there.
const AssemblyText* find_assembly(const State& state, const std::string& kernel);

/// The ceilings to show, with the machine they were measured on (empty: this one).
const std::vector<Ceiling>& shown_ceilings(const State& state, std::string* where);

/// The machine whose results are in view.
std::string device_label(const Sessions& sessions);

}  // namespace ridge::window
