// Benchmarks of other programs, read as a user reads them: the real program, and the JSON of the others.
#include "common/record/import.h"
#include "common/record/command.h"
#include "common/record/derive.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::test;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string fixture(const std::string& name) {
  return variable("RIDGE_SOURCE") + "/tests/fixtures/imports/" + name;
}

Outcome ridgepoint(std::vector<std::string> args) {
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

Run load(const std::string& path) {
  auto run = Run::load(path);
  if (!run) FAIL(run.error().sentence());
  return *std::move(run);
}

const Series& series_named(const Run& run, const std::string& name) {
  for (const Series& series : run.series()) {
    if (command_name(series.kernel) == name) return series;
  }
  FAIL("no series " << name);
  return *run.series().begin();
}

}  // namespace

TEST_CASE("Google Benchmark: repetitions are samples, the context is the environment") {
  const Run run = load(fixture("google_benchmark.json"));
  REQUIRE(run.series().size() == 3);
  const Series& sort = series_named(run, "sort/4096");
  CHECK(sort.status == SeriesStatus::ok);
  CHECK(sort.lab == kImportedLab);
  REQUIRE(sort.command);
  CHECK(sort.command->text == "./sorts");
  REQUIRE(sort.samples.size() == 8);
  CHECK(sort.samples[0].t_ns == 1e3 * 3.1791984831466181e+02);
  CHECK(sort.samples[0].cpu_ns == 1e3 * 1.5944239887640452e+02);
  CHECK(sort.samples[0].calls == 178);
  REQUIRE(sort.stats);
  CHECK(sort.stats->n == 8);
  CHECK(sort.stats->ci_ns);
  CHECK(has(sort.note, "timed by Google Benchmark, apart from the others"));
  const Series& broken = series_named(run, "broken");
  CHECK(broken.status == SeriesStatus::failed);
  CHECK(broken.reason == "no such data");
  CHECK_FALSE(broken.stats);
  REQUIRE(run.environment());
  CHECK(run.environment()->time_utc == "2026-11-25T22:51:38Z");
  CHECK(run.environment()->cpu.model == "vm (2 CPUs at 2445 MHz)");
  CHECK(run.environment()->cpu.l2_bytes == 524288);
  CHECK(run.environment()->libraries.at("Google Benchmark") == "version not said, debug build");
  REQUIRE(run.environment()->quiet.reasons.size() == 1);
  CHECK(run.environment()->quiet.reasons[0] == "Google Benchmark's library was a debug build");
}

TEST_CASE("a report of it has table and chart, gives no verdict and claims no check") {
  const std::string path = fixture("google_benchmark.json");
  const Outcome all = ridgepoint({"report", "--markdown", path});
  INFO(all.out << all.err);
  CHECK(all.code == 0);
  CHECK(has(all.out, "3 benchmarks of another program; nothing was checked."));
  CHECK(has(all.out, "# Benchmarks"));
  CHECK(has(all.out, "stable\\_sort/4096"));
  CHECK(has(all.out, "no such data"));
  CHECK(has(all.out, "ridgepoint report"));
  for (const char* claim : {"adopt", "passed", "rungs passed", "ridgepoint run"})
    CHECK_FALSE(has(all.out, claim));

  const Outcome two = ridgepoint(
      {"report", "--markdown", path, "--baseline", "sort/4096", "--candidate", "stable_sort/4096"});
  INFO(two.out << two.err);
  CHECK(two.code == 0);
  CHECK(has(two.out, "not paired"));
  CHECK(has(two.out, "measured apart"));
  CHECK_FALSE(has(two.out, "adopt"));

  const Folder folder;
  for (const std::string format : {"report.html", "report.svg", "report.csv", "report.json"})
    CHECK(ridgepoint({"report", path, "--out", folder / format}).code == 0);
  CHECK(has(read_all(folder / "report.html"), "stable_sort/4096"));
  expect_schemas(schema_argument("document", folder / "report.json"));
}

TEST_CASE("two files side by side are never a pair") {
  const Folder folder;
  fs::copy_file(fixture("google_benchmark.json"), folder / "after.json");
  const Outcome made =
      ridgepoint({"report", "--markdown", fixture("google_benchmark.json"), folder / "after.json",
                  "--baseline", "sort/4096", "--candidate", "sort/4096"});
  INFO(made.out << made.err);
  CHECK(made.code == 0);
  CHECK(has(made.out, "measured apart"));
  CHECK_FALSE(has(made.out, "adopt"));
}

TEST_CASE("only aggregates: the median is the one sample, and a note says so") {
  const Folder folder;
  write_all(folder / "median.json",
            R"({"context": {"date": "2026-01-02T03:04:05+02:00"}, "benchmarks": [
    {"name": "f_mean", "run_name": "f", "run_type": "aggregate", "aggregate_name": "mean", "iterations": 5,
     "real_time": 9.0, "cpu_time": 9.0, "time_unit": "ms"},
    {"name": "f_median", "run_name": "f", "run_type": "aggregate", "aggregate_name": "median", "iterations": 5,
     "real_time": 2.5, "cpu_time": 2.0, "time_unit": "ms"}]})");
  const Run run = load(folder / "median.json");
  const Series& f = series_named(run, "f");
  REQUIRE(f.samples.size() == 1);
  CHECK(f.samples[0].t_ns == 2.5e6);
  CHECK_FALSE(f.stats->ci_ns);
  CHECK(has(f.note, "only the median"));
  CHECK(run.environment()->time_utc == "2026-01-02T01:04:05Z");
}

TEST_CASE("nvbench: --jsonbin's samples beside the file, else the mean; skipped states say why") {
  const Run run = load(fixture("nvbench.json"));
  REQUIRE(run.series().size() == 5);
  const Series& copy = series_named(run, "copy Device=0 Elements=2^20");
  CHECK(backend_of(copy.kernel) == Backend::cuda);
  CHECK(copy.cache == CacheMode::cold);
  CHECK(copy.command->text == "./copies --jsonbin results/nvbench.json");
  CHECK(copy.samples.size() == 40);
  CHECK(copy.stats->median_ns > 6000);
  CHECK(copy.stats->median_ns < 6300);
  const Series& mean = series_named(run, "copy_vectorized Device=0 Elements=2^24");
  REQUIRE(mean.samples.size() == 1);
  CHECK(mean.samples[0].calls == 40);
  CHECK(has(mean.note, "--jsonbin"));
  const Series& skipped = series_named(run, "copy Device=0 Elements=2^40");
  CHECK(skipped.status == SeriesStatus::failed);
  CHECK(skipped.reason == "not enough device memory");
  REQUIRE(run.environment()->gpus.size() == 1);
  CHECK(run.environment()->gpus[0].capability == 90);
  CHECK(run.environment()->libraries.at("nvbench") == "0.1.0");

  const Outcome made = ridgepoint({"report", "--markdown", fixture("nvbench.json")});
  INFO(made.out << made.err);
  CHECK(made.code == 0);
  CHECK(has(made.out, "NVIDIA H100"));
  CHECK_FALSE(has(made.out, "adopt"));
}

TEST_CASE("what else ran while another program measured is not known, and nothing says quiet") {
  for (const char* file : {"google_benchmark.json", "nvbench.json"}) {
    const Outcome text = ridgepoint({"report", "--text", fixture(file)}),
                  page = ridgepoint({"report", "--markdown", fixture(file)});
    INFO(file << text.err << text.out << page.out);
    CHECK(text.code == 0);
    CHECK_FALSE(has(text.out, ", quiet"));
    CHECK_FALSE(has(page.out, "machine was quiet"));
    CHECK_FALSE(has(page.out, "machine quiet"));
    CHECK((has(text.out, "load not known") || has(text.out, "NOT QUIET")));
  }
}

TEST_CASE("a path in the JSON leads to no file but those beside it") {
  const Folder folder;
  std::string text = read_all(fixture("nvbench.json"));
  const std::string inside = "results/nvbench.json-bin/0.bin";
  const std::string outside = fixture("nvbench.json-bin/0.bin");
  text.replace(text.find(inside), inside.size(), outside);
  write_all(folder / "nvbench.json", text);
  const Run run = load(folder / "nvbench.json");
  CHECK(series_named(run, "copy Device=0 Elements=2^20").samples.size() == 1);
}

TEST_CASE("a JSON of neither is one sentence; what is broken in one loses nothing else") {
  struct Case {
    std::string text, says;
  };
  const Case cases[] = {
      {R"({"benchmarks": []})", "this is JSON of another program"},
      {R"({"context": {}, "benchmarks": []})", "this JSON of Google Benchmark holds no benchmark"},
      {R"({"devices": [], "benchmarks": [{"name": "f"}]})",
       "this JSON of nvbench holds no benchmark"},
      {R"([1, 2, 3])", "this is JSON of another program"},
      {R"({"context": {}, "benchmarks": [{"name")", "byte"},
  };
  const Folder folder;
  for (const Case& one : cases) {
    write_all(folder / "some.json", one.text);
    const Outcome made = ridgepoint({"report", "--markdown", folder / "some.json"});
    INFO(one.text << "\n" << made.out << made.err);
    CHECK(made.code == 65);
    CHECK(has(made.err, one.says));
    CHECK(std::count(made.err.begin(), made.err.end(), '\n') == 1);
  }
  write_all(
      folder / "some.json",
      R"({"context": 7, "benchmarks": [1, {"name": 2}, {"name": "f\u001b[2J", "real_time": 1.0},
    {"name": "g", "real_time": null}, {"name": "h", "real_time": -1}], "devices": [null, 3, {"name": []}]})");
  const auto odd = Run::load(folder / "some.json");
  CHECK_FALSE(odd);
  write_all(folder / "some.json",
            R"({"context": {"caches": [3], "date": 5}, "benchmarks": [1, {"name": 2},
    {"name": "f\u001b[2J", "real_time": 1.0}, {"name": "g", "real_time": null}, {"name": "h", "real_time": -1}]})");
  const Run run = load(folder / "some.json");
  CHECK(series_named(run, "f?[2J").status == SeriesStatus::ok);
  CHECK(series_named(run, "g").reason == "the file holds no time of it");
  CHECK(series_named(run, "h").status == SeriesStatus::failed);
}
