// A format that reports are written in. Each has one file, formats/<name>.cpp, whose last line registers it: `report
// --out`, its help, the window's export and the tests read the registry. The objects must be linked by name, so
// programs that write reports link ridge_formats.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/level.h"
#include "common/core/registration.h"
#include "common/view/report/report.h"

namespace ridge::report {

struct FormatDesc {
  const char* ending;  ///< of a file's name, ".gbench.json"; the longest that fits wins
  const char* name;    ///< "Google Benchmark"
  const char* about;   ///< what reads it, one phrase
  int place;           ///< in help and messages, smallest first; in tens
  Level level;
  std::string (*print)(const Report&);  ///< the whole file
};

RIDGE_REGISTERED(registered_formats, ridge_formats, FormatDesc)

/// All formats by their places.
std::vector<const FormatDesc*> all_formats();
/// ".html, .md or .json": all of them, for a sentence.
std::string format_endings();

/// The report in the format with this ending, ".md"; empty where this program has no such format.
std::string print_as(const Report& report, std::string_view ending);

/// Writes the format that the file's ending names, beside the target and then renamed, so that no half file is
/// ever seen. Errors: usage (unknown ending; the hint names those that exist), cannot_write (the folder is
/// missing or read-only).
Result<void> write_report(const Report& report, const std::string& path);

}  // namespace ridge::report

/// The last line of a format's file: RIDGE_FORMAT(html, .ending = ".html", ...).
#define RIDGE_FORMAT(name_, ...)                                                     \
  static constexpr ::ridge::report::FormatDesc ridge_format_##name_ = {__VA_ARGS__}; \
  RIDGE_REGISTER("ridge_formats", ::ridge::report::FormatDesc, ridge_format_##name_)
