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
Result<std::string> write_export(const State& state, const report::Report& report,
                                 const std::string& root);
/// "HTML, Markdown": what it is written in.
std::string format_names();

/// The action: writes below state.settings.export_root and offers it in the bar (written.h), or says why not in the
/// notice.
void export_report(State& state);
/// The climb on screen as a page (app/query/article.h), offered in the same bar.
void export_article(State& state);
/// The same for a text of one file: <root>/<kind>-<UTC time>/<name>.
void export_file(State& state, const std::string& kind, const std::string& name,
                 const std::string& text, const std::string& what, const std::string& summary);

}  // namespace ridge::window
