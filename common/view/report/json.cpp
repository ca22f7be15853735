#include <nlohmann/json.hpp>

#include "common/view/report/document.h"
#include "common/view/report/report.h"

namespace ridge::report {

std::string to_json(const Report& report) {
  DocumentOptions options;
  options.titles = report.titles;
  options.levers = report.levers;
  return document(*report.inputs.back().run, options).dump(2) + "\n";
}

}  // namespace ridge::report
