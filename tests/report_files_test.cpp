// What a report is written as: CSV, JSON, Markdown, and files that are there whole or not at all.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/view/report/format.h"
#include "common/view/report/report.h"
#include "tests/golden.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::report;
using namespace ridge::test;

namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("ridge-report-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() {
    std::error_code error;
    fs::permissions(path, fs::perms::owner_all, error);
    fs::remove_all(path, error);
  }
};

}  // namespace

TEST_CASE("CSV is tidy: as many fields in every line, one line per timed slot") {
  const Run run = report_run();
  const std::string csv = print_as(built(run), ".csv");
  std::istringstream lines(csv);
  std::string line;
  int rounds = 0, count = 0;
  while (std::getline(lines, line)) {
    int fields = 1;
    bool quoted = false;
    for (const char sign : line) {
      if (sign == '"') quoted = !quoted;
      if (sign == ',' && !quoted) ++fields;
    }
    INFO(line);
    CHECK(fields == 19);
    if (has(line, ",round,")) ++rounds;
    ++count;
  }
  CHECK(rounds == 12 * 4);
  CHECK(count > rounds);
}

TEST_CASE(
    "CSV of a run that keeps no samples has each median, and every line without a time a reason") {
  const Run run = report_run({.with_comparison = false});
  std::istringstream lines(print_as(built(run), ".csv"));
  std::string line;
  int medians = 0, without = 0;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    INFO(line);
    if (has(line, ",median,,24000000") || has(line, ",median,,2400000")) {
      CHECK(line.ends_with(",the run keeps no samples of it: median of 40"));
      ++medians;
    } else {
      CHECK(has(line, ",none,,,,,,,,,"));
      CHECK_FALSE(line.ends_with(","));
      ++without;
    }
  }
  CHECK(medians == 2);
  CHECK(without == 2);  // one failed its check, one was skipped
}

TEST_CASE("a printed report is page 1: a box in the page asks for the appendix") {
  const Run run = report_run();
  const std::string page = print_as(built(run), ".html");
  CHECK(has(page, "<input type=\"checkbox\" id=\"everything\">"));
  CHECK(has(page, "body:has(#everything:checked) .part{display:block}"));
  CHECK(has(page, ".part:not([open]){display:none}"));
  CHECK(has(page, "Not printed: what is folded"));
}

TEST_CASE("JSON is the document of the candidate's run") {
  const Run run = report_run();
  const Json json = Json::parse(print_as(built(run), ".json"), nullptr, false);
  REQUIRE(json.is_object());
  CHECK(json["ridgepoint"] == 1);
  CHECK(json["comparisons"][0]["decision"] == "adopt");
}

TEST_CASE("the Markdown report is the golden one") {
  const Run run = report_run();
  test::check_golden("report.md", print_as(built(run), ".md"));
  const Run rejected_run = report_run({.candidate_passes = false});
  test::check_golden("report_rejected.md", print_as(built(rejected_run), ".md"));
}

TEST_CASE("writing chooses by extension and never leaves half a file") {
  const Folder folder;
  const Run run = report_run();
  const Report report = built(run);
  for (const char* name :
       {"a.html", "a.md", "a.svg", "a.json", "a.csv", "a.gbench.json", "a.trace.json"}) {
    CHECK(write_report(report, (folder.path / name).string()).ok());
    CHECK(fs::file_size(folder.path / name) > 500);
  }
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator{}) == 7);
  for (const char* name : {"a.pdf", "a", ".trace.json", ".html"}) {
    const auto written = write_report(report, (folder.path / name).string());
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().code == ErrorCode::usage);
    CHECK(has(written.error().sentence(),
              ".html, .md, .svg, .json, .csv, .gbench.json or .trace.json"));
  }
  auto written = write_report(report, (folder.path / "no" / "such" / "a.html").string());
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().code == ErrorCode::cannot_write);
  CHECK(written.error().exit_code() == 73);
  CHECK(has(written.error().sentence(), "does not exist"));
  fs::create_directory(folder.path / "folder.html");
  written = write_report(report, (folder.path / "folder.html").string());
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().code == ErrorCode::cannot_write);
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  if (::geteuid() != 0) {  // root may write anywhere
    written = write_report(report, (folder.path / "b.html").string());
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().code == ErrorCode::cannot_write);
  }
}
