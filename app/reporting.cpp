#include "app/reporting.h"

#include "app/measuring.h"
#include "labs/lab.h"

namespace ridge::app {

report::Options report_options(const Run& run) {
  report::Options options;
  for (const Request& request : run.requests()) {
    const Lab* lab = find_lab(request.lab);
    if (!lab) continue;
    options.lab_title = lab->title;
    options.quality_limit = lab->quality_limit;
    options.titles = titles_of(*lab);
  }
  return options;
}

}  // namespace ridge::app
