// A report needs the lab's words, which common/ does not know, and a folder to be put in.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/run.h"
#include "common/view/report/document.h"
#include "common/view/report/report.h"
#include "labs/lab.h"

namespace ridge::app {

/// The lab's names of its rungs.
Titles titles_of(const Lab& lab);

/// Title, rung names and their order, and quality limit of a lab.
report::Options report_options(const Lab& lab);
/// And the published table where the run holds one.
report::Options report_options(const Lab& lab, const Run& run);
/// Those of the lab that the run's last request was about.
report::Options report_options(const Run& run);

/// The lab's score card (labs/score_card.h), where the run measured two of its networks; else none.
std::vector<report::Section> score_sections(const Lab& lab, const Run& run);

/// The report of a run that is saved as `name`, in the format that the ending of `path` names. Errors: as of
/// report::write_report(); where there is nothing to report.
Result<void> write_run_report(const Run& run, const std::string& name, const std::string& path);

/// Where reports are left: $XDG_DOCUMENTS_DIR/ridgepoint-reports, else ~/ridgepoint-reports, else
/// ./ridgepoint-reports.
std::string report_root();
/// Makes <root>/<lab>-<UTC time> and returns it; two within one second get folders of their own.
Result<std::string> make_report_folder(const std::string& root, const std::string& lab);

}  // namespace ridge::app
