// Two pipelines compared as a user does it: the real program and worker, small files, exit codes, a saved run, a report.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/record/json.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "tests/worker_process.h"

using namespace ridge;
using namespace ridge::test;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Its image files and no data set: made-up pictures, the same everywhere.
const Folder& cache_folder() {
  static const Folder folder;
  setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  setenv("RIDGEPOINT_DATA", (folder / "none").c_str(), 1);
  return folder;
}

Outcome ridgepoint(std::vector<std::string> args) {
  (void)cache_folder();
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

bool is_built_without_jpeg() {
  static const bool is_without = [] {
    const std::string list = ridgepoint({"list"}).out;
    const size_t at = list.find("pipeline.cpu.serial");
    return at != list.npos && has(list.substr(at, list.find('\n', at) - at), "built without");
  }();
  return is_without;
}

Outcome compare(std::vector<std::string> args) {
  const std::vector<std::string> small = {"compare", "pipeline", "--set",   "images=64",
                                          "--set",   "side=64",  "--set",   "batch=8",
                                          "--set",   "layers=1", "--limit", "1"};
  args.insert(args.begin(), small.begin(), small.end());
  return ridgepoint(std::move(args));
}

Json side_of(const char* kernel, Json params = Json::object()) {
  return {{"kernel", kernel}, {"params", std::move(params)}};
}

}  // namespace

TEST_CASE(
    "two pipelines: a verdict, what binds each, and a saved run and report that say the same") {
  if (is_built_without_jpeg()) RIDGE_SKIP("built without libjpeg-turbo");
  const Folder folder;
  const std::string path = folder / "pair.jsonl", page = folder / "page.md";
  const Outcome made =
      compare({"--baseline", "serial", "--candidate", "prefetch:workers=2", "--out", path});
  INFO(made.out << made.err);
  REQUIRE(made.code >= 0);
  REQUIRE(made.code <= 2);
  CHECK(has(made.out, ": cpu.prefetch"));
  CHECK(has(made.out, " against cpu.serial"));
  CHECK(has(made.out, "throughput "));
  CHECK(has(made.out, "the baseline: "));
  CHECK(has(made.out, "the candidate: "));

  auto run = Run::load(path);
  REQUIRE(run);
  REQUIRE(run->comparisons().size() == 1);
  const Comparison& one = run->comparisons().front();
  CHECK(one.rounds >= 6);
  CHECK(one.ci);
  CHECK(run->rounds(one.request).size() == size_t(one.rounds));
  REQUIRE(run->series().size() == 2);
  for (const Series& series : run->series()) {
    CHECK(series.kind == RungKind::pipeline);
    CHECK(series.samples.size() == size_t(2 * one.rounds));
    CHECK(series.checks.size() == 2);
    CHECK(series.quality_passed());
    REQUIRE(series.pipeline);
    CHECK_FALSE(series.pipeline->bound.empty());
    CHECK(series.pipeline->rounds == 8);
  }

  const Outcome report = ridgepoint({"report", path, "--out", page});
  INFO(report.err);
  REQUIRE(report.code == 0);
  const std::string text = read_all(page);
  CHECK(has(text, "What binds the baseline"));
  CHECK(has(text, "What binds the candidate"));
  CHECK(has(text, "each image once an epoch, in the seeded order, intact"));
  CHECK(has(text, "Stages alone, and the bound"));
  CHECK(has(text, "ridgepoint compare pipeline --baseline"));
  const std::string json = folder / "page.json";
  REQUIRE(ridgepoint({"report", path, "--out", json}).code == 0);
  expect_schemas(schema_argument("transcript", path) + schema_argument("document", json));
}

TEST_CASE("two pipelines: bad input is one sentence, and nothing is measured") {
  if (is_built_without_jpeg()) RIDGE_SKIP("built without libjpeg-turbo");
  const Outcome accuracy =
      compare({"--baseline", "serial", "--candidate", "prefetch", "--may-lose", "0.1"});
  CHECK(accuracy.code == 64);
  CHECK(has(accuracy.err, "a pipeline has no accuracy"));
  const Outcome unknown = compare({"--baseline", "serial", "--candidate", "no_such"});
  CHECK(unknown.code == 64);
  (void)cache_folder();
  Worker worker("RIDGE_WORKER");
  worker.send({{"type", "compare"},
               {"id", 1},
               {"lab", "pipeline"},
               {"kernels", {side_of("pipeline.cpu.serial"), side_of("gemm.cpu.loop_order")}}});
  CHECK(worker.until("error", 1)["error"]["what"] == "a kernel is not compared with a pipeline");
}

TEST_CASE("two pipelines: a cancel before the first round leaves no comparison") {
  if (is_built_without_jpeg()) RIDGE_SKIP("built without libjpeg-turbo");
  (void)cache_folder();
  Worker worker("RIDGE_WORKER");
  const Json params = {{"images", 64}, {"side", 64}, {"batch", 8}, {"layers", 1}};
  worker.send(
      {{"type", "compare"},
       {"id", 1},
       {"lab", "pipeline"},
       {"kernels",
        {side_of("pipeline.cpu.serial", params), side_of("pipeline.cpu.prefetch", params)}}});
  worker.until("problem", 1);
  worker.send({{"type", "cancel"}, {"id", 2}, {"target", 1}});
  CHECK(worker.until("done", 1)["status"] == "cancelled");
  for (const Json& line : worker.of_type("result"))
    if (line.contains("comparisons")) CHECK(line["comparisons"].empty());
}

TEST_CASE("a file that registers a pipeline is no edit, and is told so") {
  const Folder folder;
  const std::string file = folder / "mine.cpp";
  write_all(file,
            "// ridge:\nnamespace ridge {\nnamespace {\n\nRIDGE_PIPELINE(pipeline, cpu, mine, "
            ".config = nullptr);\n\n}\n}\n");
  const Outcome made = compare({"--edit", file});
  CHECK(made.code != 0);
  CHECK(has(made.err, "it registers a pipeline, and only kernels are built from a learner's file"));
}

TEST_CASE("selftest aa: a pipeline, a training and a command are compared with themselves") {
  if (is_built_without_jpeg()) RIDGE_SKIP("built without libjpeg-turbo");
  const auto runs = [](std::vector<std::string> args) {
    const std::vector<std::string> first = {"selftest", "aa", "--json", "--runs", "1"};
    args.insert(args.begin(), first.begin(), first.end());
    const Outcome made = ridgepoint(std::move(args));
    INFO(made.out << made.err);
    REQUIRE((made.code == 0 || made.code == 3));  // one of twenty may differ at a margin of 0
    return made.json()["selftest"]["runs"].get<int>();
  };
  CHECK(runs({"--lab", "pipeline", "--rung", "serial", "--limit", "0.5", "--set", "images=64",
              "--set", "side=64", "--set", "batch=8", "--set", "layers=1"}) == 1);
  CHECK(runs({"--lab", "mixed", "--rung", "mixed.cpu.fp32", "--set", "width=16", "--set",
              "batch=1024", "--set", "epochs=1", "--set", "threads=1"}) == 1);
  CHECK(runs({"--command", "true", "--limit", "0.5"}) == 1);
}
