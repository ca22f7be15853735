// Export: the report in every format and the transcript it was made from, in one folder.
#pragma once

#include <string>

#include "app/window/shell/state.h"
#include "common/core/result.h"
#include "common/view/report/report.h"

namespace ridge::window {

/// The report of what is on screen, as write_export() writes it. bad_input: nothing was measured.
Result<report::Report> shown_report(const State& state);

/// Writes the report in every registered format and run.jsonl into <root>/<lab>-<UTC time>; returns the folder.
Result<std::string> write_export(const State& state, const std::string& root);

/// The action: writes below state.settings.export_root and says where, or why not, in the notice.
void export_report(State& state);

}  // namespace ridge::window
