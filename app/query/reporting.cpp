#include "app/query/reporting.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "app/query/decode.h"
#include "app/query/published.h"

namespace ridge::app {
namespace fs = std::filesystem;

Titles titles_of(const Lab& lab) {
  Titles titles;
  for (const Rung& rung : lab.rungs) titles[rung.kernel] = rung.title;
  return titles;
}

report::Options report_options(const Lab& lab) {
  report::Options options;
  options.lab_title = lab.title;
  options.quality_limit = lab.quality_limit;
  if (lab.quality_metric != kErrorMetric) options.quality_metric = lab.quality_metric;
  options.items = lab.items;
  options.titles = titles_of(lab);
  options.levers = levers_of(lab);
  for (const Rung& rung : lab.rungs) options.order.emplace_back(rung.kernel);
  return options;
}

report::Options report_options(const Lab& lab, const Run& run) {
  report::Options options = report_options(lab);
  options.sections = published_sections(lab, run);
  for (report::Section& section : score_sections(lab, run))
    options.sections.push_back(std::move(section));
  for (report::Section& section : decode_sections(lab, run))
    options.sections.push_back(std::move(section));
  for (report::Section& section : serving_sections(lab, run))
    options.sections.push_back(std::move(section));
  return options;
}

report::Options report_options(const Run& run) {
  const Lab* lab = nullptr;
  for (const Request& request : run.requests()) {
    if (const Lab* found = find_lab(request.lab)) lab = found;
  }
  return lab ? report_options(*lab, run) : report::Options();
}

std::string report_root() {
  for (const char* name : {"XDG_DOCUMENTS_DIR", "HOME"}) {
    const char* folder = std::getenv(name);
    if (folder && *folder) return (fs::path(folder) / "ridgepoint-reports").string();
  }
  return "ridgepoint-reports";
}

Result<std::string> make_report_folder(const std::string& root, const std::string& lab) {
  const std::string name = fmt::format("{}-{:%Y%m%d-%H%M%S}", lab, fmt::gmtime(std::time(nullptr)));
  fs::path folder = fs::path(root) / name;
  std::error_code failed;
  for (int i = 2; fs::exists(folder, failed) && i < 100; ++i) {
    folder = fs::path(root) / fmt::format("{}-{}", name, i);
  }
  fs::create_directories(folder, failed);
  if (failed) {
    return Error{ErrorCode::cannot_write, "the folder could not be made (" + failed.message() + ")",
                 folder.string(), "make it writable, or set XDG_DOCUMENTS_DIR to one that is"};
  }
  return folder.string();
}

}  // namespace ridge::app
