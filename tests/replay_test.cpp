// A saved run says what the run said: tables, documents, reports and charts of a small lab, live and read back.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/driver.h"
#include "app/query/compact.h"
#include "app/query/reporting.h"
#include "app/query/results.h"
#include "app/session/saved_run.h"
#include "common/view/report/document.h"
#include "common/view/report/format.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::app;
namespace fs = std::filesystem;

namespace {

CommonOptions with_worker() {
  CommonOptions common;
  common.worker = "'" + test::variable("RIDGE_WORKER") + "' --stdio";
  return common;
}

WorkRequest work(RequestType type, std::vector<std::string> rungs) {
  WorkRequest request;
  request.type = type;
  request.lab = "gemm";
  request.mode = RunMode::live;
  request.limit_s = 0.3;
  for (const std::string& rung : rungs)
    request.kernels.push_back({"gemm.cpu." + rung, {{"n", int64_t{64}}}});
  return request;
}

/// Two rungs, each by itself and then in turns. The run as it was seen, and the file that it left.
struct Ladder {
  test::Folder folder;
  std::string path = folder / "run.jsonl";
  std::unique_ptr<Driver> driver;

  Ladder() {
    auto started = Driver::start(with_worker(), path);
    REQUIRE(started.ok());
    driver = *std::move(started);
    REQUIRE(driver->fetch_catalogue().ok());
    int64_t id = 0;
    WorkRequest run = work(RequestType::run, {"loop_order", "cache_blocks"});
    REQUIRE(driver->fetch_sources(run.kernels).ok());
    REQUIRE(driver->carry_out(std::move(run), &id).ok());
    REQUIRE(
        driver->carry_out(work(RequestType::compare, {"loop_order", "cache_blocks"}), &id).ok());
    REQUIRE(driver->close_file().ok());
  }
};

std::string report_as(const Run& run, const std::string& ending) {
  const report::Input input{&run, "run.jsonl"};
  const auto made = report::build_report({&input, 1}, report_options(run));
  REQUIRE(made.ok());
  return report::print_as(*made, ending);
}

std::string tables_of(const Run& run) {
  return results_text(run, 0, {}) + comparisons_text(run, 0) + environment_text(run) +
         ceilings_text(run);
}

}  // namespace

TEST_CASE(
    "a report's steps rest on their own pairs, whatever pair is asked for, and its bold line names "
    "whom it is of") {
  const auto report = [](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"report", "--markdown",
                 test::variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.bf16.jsonl"});
    const test::Outcome made = test::Program(test::variable("RIDGE_BIN"), more).finish();
    REQUIRE(made.code == 0);
    return made.out;
  };
  const auto row = [](const std::string& text, const std::string& start) {
    const size_t at = text.find(start);
    REQUIRE(at != std::string::npos);
    return text.substr(at, text.find('\n', at) - at);
  };
  const std::string all = report({"--set", "n=512"});
  const std::string pair =
      report({"--set", "n=512", "--baseline", "cublaslt", "--candidate", "tuned"});
  CHECK(row(all, "| mma.sync |").ends_with("2.863\\] at equal clock | WMMA |"));
  for (const char* rung : {"| mma.sync |", "| multicast |", "| tuned |"})
    CHECK(row(pair, rung) == row(all, rung));
  CHECK(row(pair, "## Compared in pairs") == "## Compared in pairs");  // the one asked for
  // A long climb leads, and the library's verdict stands beside it.
  CHECK(row(all, "**").starts_with("**15.01× as fast as the first rung**"));
  CHECK(row(all, "**").ends_with(" · ▼ 0.957× as fast as cuBLASLt at equal clock"));
  CHECK(row(report({"--set", "n=2048"}), "**").starts_with("**ping-pong: ▼ 0.956× as fast as"));
  const std::string every = report({});
  CHECK(every.find("“tuned” against “cuBLASLt” at 2 other sizes: ") != std::string::npos);
  // Paper leaves the appendix's method out, and says where it is.
  CHECK(every.find("see “The clocks” in the appendix, on paper in the HTML page.") !=
        std::string::npos);
}

TEST_CASE("a run and its replay give the same tables, documents, reports and charts") {
  const Ladder measured;
  const Run& live = measured.driver->run();
  REQUIRE(live.series().size() >= 2);
  REQUIRE(live.comparisons().size() == 1);
  const auto saved = load_saved(measured.path);
  REQUIRE(saved.ok());
  for (const Series& series : saved->series()) CHECK_FALSE(series.stale);
  CHECK(tables_of(*saved) == tables_of(live));
  CHECK(document(*saved).dump(1) == document(live).dump(1));
  CHECK(report::all_formats().size() >= 5);
  for (const report::FormatDesc* format : report::all_formats()) {
    const std::string ending = format->ending;
    INFO(ending);
    const std::string now = report_as(live, ending);
    CHECK(now.size() > 100);
    CHECK(report_as(*saved, ending) == now);
  }
  // As a person would ask: the same document from the program itself.
  const test::Outcome asked =
      test::Program(test::variable("RIDGE_BIN"),
                    std::vector<std::string>{"--json", "--replay", measured.path})
          .finish();
  INFO(asked.err);
  CHECK(asked.code == 0);
  CHECK(asked.json() == Json::parse(document(live).dump()));
}

TEST_CASE("a run that was made small gives the same tables") {
  const test::Folder folder;
  const std::string whole = test::variable("RIDGE_SOURCE") + "/tests/golden/screens/run.jsonl";
  const std::string small = folder / "small.jsonl";
  fs::copy_file(whole, small);
  REQUIRE(compact(small).ok());
  CHECK(fs::file_size(small) < fs::file_size(whole) / 2);
  const auto before = Run::load(whole), after = Run::load(small);
  REQUIRE(before.ok());
  REQUIRE(after.ok());
  CHECK(comparisons_text(*after, 0) == comparisons_text(*before, 0));
  size_t same = 0;
  for (const Series& series : after->series()) {
    const auto found =
        std::find_if(before->series().begin(), before->series().end(), [&](const Series& other) {
          return other.request == series.request && other.index == series.index;
        });
    REQUIRE(found != before->series().end());
    const Series *was = &*found, *is = &series;
    CHECK(is->kernel == was->kernel);
    CHECK(is->status == was->status);
    if (!was->stats || !is->stats) continue;
    INFO(series.kernel);
    CHECK(is->stats->median_ns == Approx(was->stats->median_ns).epsilon(1e-5));
    CHECK(is->stats->n == was->stats->n);
    CHECK(is->checks.size() <= was->checks.size());
    CHECK(is->quality_passed() == was->quality_passed());
    ++same;
  }
  CHECK(same > 5);
}

/// What a fixture holds: one file for each form in which an earlier version wrote its results.
struct Earlier {
  const char* file;
  size_t series, comparisons, curves, spans, traps;
};

TEST_CASE("runs that earlier versions wrote open with all that they hold") {
  const std::string folder = test::variable("RIDGE_SOURCE") + "/tests/fixtures/runs/";
  constexpr Earlier kAll[] = {{"2026-11-20-comparison", 5, 1, 0, 0, 0},
                              {"2026-11-21-pipeline", 10, 0, 0, 1, 0},
                              {"2026-11-21-training", 9, 0, 5, 0, 0},
                              {"2026-11-21-traps", 4, 0, 0, 0, 4},
                              {"2026-11-25-budget", 2, 1, 0, 0, 0}};
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) files += entry.is_regular_file();
  CHECK(files == std::size(kAll));
  for (const Earlier& earlier : kAll) {
    INFO(earlier.file);
    const auto run = load_saved(folder + earlier.file + ".jsonl");
    REQUIRE(run.ok());
    CHECK(run->log().empty());
    Earlier found{earlier.file, run->series().size(), run->comparisons().size(), 0, 0, 0};
    for (const Series& series : run->series()) {
      found.curves += !series.curve.empty();
      found.spans += !series.spans.empty();
      found.traps += series.trap.has_value();
      CHECK(series.quality_passed());
    }
    CHECK(found.series == earlier.series);
    CHECK(found.comparisons == earlier.comparisons);
    CHECK(found.curves == earlier.curves);
    CHECK(found.spans == earlier.spans);
    CHECK(found.traps == earlier.traps);
    for (const Request& request : run->requests()) CHECK(request.status == RequestStatus::ok);
    const report::Input input{&*run, earlier.file};
    const auto report = report::build_report({&input, 1}, report_options(*run));
    REQUIRE(report.ok());
    CHECK_FALSE(report->sentence.empty());
    const bool is_stale = std::any_of(run->series().begin(), run->series().end(),
                                      [](const Series& series) { return series.stale; });
    CHECK((results_text(*run, 0, {}).find("stale") != std::string::npos) == is_stale);
    CHECK((is_stale || earlier.file == std::string("2026-11-25-budget")));  // the code is another
  }
}
