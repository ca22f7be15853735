#include <nlohmann/json.hpp>

#include "common/view/report/document.h"
#include "common/view/report/format.h"

namespace ridge::report {
namespace {

/// The document of `--json` (document.h), of the candidate's run.
std::string to_json(const Report& report) {
  DocumentOptions options;
  options.titles = report.titles;
  options.levers = report.levers;
  options.notes = report.notes;
  return document(*report.inputs.back().run, options).dump(2) + "\n";
}

RIDGE_FORMAT(json, .ending = ".json", .name = "JSON",
             .about = "the document of --json (docs/schema), for programs", .place = 30,
             .level = Level::kLab, .print = to_json);

}  // namespace
}  // namespace ridge::report
