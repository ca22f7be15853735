// Two trainings compared as a user does it: the real program and worker, a small synthetic data set, files, exit codes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/record/json.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/worker_process.h"

using namespace ridge;
using namespace ridge::test;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// No data set here: 20,000 made-up images, the same everywhere.
const Folder& data_folder() {
  static const Folder folder;
  setenv("RIDGEPOINT_DATA", (folder / "none").c_str(), 1);
  return folder;
}

/// Trainings of 17 steps on one thread.
const std::vector<std::string> kSmall = {"--set", "width=16", "--set", "batch=1024",
                                         "--set", "epochs=1", "--set", "threads=1"};

Outcome compare(std::vector<std::string> args) {
  (void)data_folder();
  args.insert(args.end(), kSmall.begin(), kSmall.end());
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

Run load(const std::string& path) {
  auto run = Run::load(path);
  if (!run) FAIL(run.error().sentence());
  return *std::move(run);
}

}  // namespace

TEST_CASE(
    "two trainings: eight seeds, a verdict, the accuracy's difference, and a saved run that says "
    "the same") {
  const Folder folder;
  const std::string path = folder / "pairs.jsonl";
  const Outcome made = compare({"compare", "mixed", "--baseline", "mixed.cpu.fp32", "--candidate",
                                "mixed.cpu.checkpointing", "--out", path});
  INFO(made.out << made.err);
  CHECK(made.code >= 0);
  CHECK(made.code <= 2);
  CHECK(has(made.err, "16 trainings, in turns; a candidate's accuracy may fall by 1 point"));
  CHECK(has(made.out, "checkpointing against "));
  CHECK(has(made.out, ", 8 seeds)"));
  CHECK(has(made.out, "8 paired seeds; the limit is at most 1 point lost"));
  CHECK_FALSE(has(made.out, "time/call"));  // no table for each seed
  // A machine with a counter has them; without one the reason is said.
  CHECK((has(made.out, "energy of an epoch") ||
         has(made.out, "joules of an epoch are unavailable: ")));

  const Run run = load(path);
  REQUIRE(run.comparisons().size() == 1);
  const Comparison& one = run.comparisons().front();
  REQUIRE(one.trained);
  CHECK(one.trained->seeds == std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(one.rounds == 8);
  CHECK(one.trained->judged == 8);
  // Recomputing activations changes no number: the same initialisation and order end in the same model.
  CHECK(one.trained->accuracy_delta == 0.0);
  CHECK(one.trained->accuracy_ci->low == 0.0);
  CHECK(one.trained->sides.at(0).memory_bytes > 0);
  CHECK(run.rounds(one.request).size() == 8);
  CHECK(run.series().size() == 16);
  for (const Series& series : run.series()) {
    CHECK(series.status == SeriesStatus::ok);
    CHECK(series.samples.size() == size_t(one.trained->steps));
    CHECK(series.curve.size() == series.samples.size());
  }
  const Outcome document = Program(variable("RIDGE_BIN"), {"--json", "report", path}).finish();
  write_all(folder / "document.json", document.out);
  expect_schemas(schema_argument("document", folder / "document.json") +
                 schema_argument("transcript", path));
  CHECK(document.json()["comparisons"][0]["trained"]["judged"] == 8);

  const std::string page = folder / "report.md";
  CHECK(Program(variable("RIDGE_BIN"), {"report", path, "--out", page}).finish().code == 0);
  const std::string text = read_all(page);
  CHECK(has(text, "8 paired seeds"));
  CHECK(has(text, "## The trainings"));
  CHECK(has(text, "--set seed=1..8"));
  CHECK_FALSE(has(text, "--budget"));  // none was set
}

TEST_CASE("a training against itself is not called different, and few seeds claim nothing") {
  for (int i = 0; i < 2; ++i) {
    const Outcome same = compare(
        {"compare", "mixed", "--baseline", "mixed.cpu.fp32", "--candidate", "mixed.cpu.fp32"});
    INFO(same.out);
    CHECK_FALSE(has(same.out, "FASTER"));
    CHECK_FALSE(has(same.out, "SLOWER"));
    CHECK(has(same.out, "+0.00 points [+0.00, +0.00], 8 paired seeds"));
  }
  const Outcome few = compare({"compare", "mixed", "--baseline", "mixed.cpu.fp32", "--candidate",
                               "mixed.cpu.checkpointing", "--set", "seed=3,5"});
  INFO(few.out);
  CHECK(few.code == 2);
  CHECK(has(few.out, "UNRESOLVED"));
  CHECK(has(few.out, "2 seeds are too few for a claim; 8 are needed"));
  CHECK(has(few.out, "decision: measure more"));
}

TEST_CASE("an accuracy that was not reached: one sentence with what each reached") {
  const Outcome far =
      compare({"compare", "mixed", "--baseline", "mixed.cpu.fp32", "--candidate",
               "mixed.cpu.checkpointing", "--set", "seed=1..2", "--accuracy-target", "1"});
  INFO(far.out);
  CHECK(
      has(far.out, "an accuracy of 1 was reached by 0 of 2 trainings of the baseline (at most 0."));
  const Outcome near =
      compare({"compare", "mixed", "--baseline", "mixed.cpu.fp32", "--candidate",
               "mixed.cpu.checkpointing", "--set", "seed=1..2", "--accuracy-target", "0.05"});
  INFO(near.out);
  CHECK(has(near.out, "time to an accuracy of 0.05: "));
}

TEST_CASE("what is no pair of trainings is refused in one sentence") {
  const auto refused = [](std::vector<std::string> args, int code, const std::string& sentence) {
    args.insert(args.begin(), {"compare", "mixed"});
    const Outcome made = compare(std::move(args));
    INFO(made.out << made.err);
    CHECK(made.code == code);
    CHECK(has(made.err, sentence));
    CHECK(made.out.find("against") == std::string::npos);
  };
  refused({"--baseline", "mixed.cpu.fp32:seed=3", "--candidate", "mixed.cpu.checkpointing"}, 64,
          "seed 1 is in one side only; give every side the same seeds");
  refused({"--baseline", "mixed.cpu.fp32", "--candidate", "mixed.cpu.checkpointing:epochs=2"}, 69,
          "the baseline 17; set as many epochs, or steps, for both");
  refused({"--baseline", "mixed.cpu.fp32", "--candidate", "mixed.cpu.bf16"}, 69, "emulated");
  refused({"--baseline", "mixed.cpu.fp32", "--candidate", "mixed.cpu.checkpointing",
           "--accuracy-target", "1.5"},
          64, "--accuracy-target");
  refused({"--baseline", "mixed.cpu.fp32", "--candidate", "mixed.cpu.checkpointing", "--may-lose",
           "-1"},
          64, "--may-lose");
}

TEST_CASE("protocol: kinds are not mixed, a budget is of the kind, and a share is at most 1") {
  (void)data_folder();
  Worker worker("RIDGE_WORKER");
  const auto asked = [](int id, const char* baseline, const char* candidate) {
    return Json{{"type", "compare"},
                {"id", id},
                {"lab", "mixed"},
                {"kernels",
                 {{{"kernel", baseline}, {"params", Json::object()}},
                  {{"kernel", candidate}, {"params", Json::object()}}}}};
  };
  const auto sentence = [&](Json request) {
    worker.send(request);
    const Json error = worker.until("error", request["id"].get<int>())["error"];
    CHECK(error["code"] == 64);
    return error["what"].get<std::string>();
  };
  CHECK(sentence(asked(1, "mixed.cpu.fp32", "gemm.cpu.loop_order")) ==
        "a kernel is not compared with a training");
  CHECK(sentence(asked(5, "mixed.cpu.fp32", "pipeline.cpu.serial")) ==
        "a pipeline is not compared with a training");
  CHECK(sentence(asked(6, "pipeline.cpu.serial", "gemm.cpu.loop_order")) ==
        "a kernel is not compared with a pipeline");
  Json steps = asked(2, "mixed.cpu.fp32", "mixed.cpu.fp32");
  steps["budget"] = {{"p99_ns", 1e6}};
  CHECK(sentence(steps) == "a training has no p99 latency");
  Json far = asked(3, "mixed.cpu.fp32", "mixed.cpu.fp32");
  far["budget"] = {{"accuracy_lost", 2}};
  CHECK(has(sentence(far), "accuracy_lost = 2 is more than all"));
  CHECK(sentence(asked(4, "traps.cpu.a_then_b", "traps.cpu.a_then_b")) ==
        "only kernels, trainings and pipelines are compared in pairs");
}

TEST_CASE("protocol: a cancel keeps what was measured") {
  (void)data_folder();
  Worker worker("RIDGE_WORKER");
  Json kernels = Json::array();
  for (int64_t seed = 1; seed <= 8; ++seed) {
    for (const char* side : {"mixed.cpu.fp32", "mixed.cpu.checkpointing"})
      kernels.push_back(
          {{"kernel", side}, {"params", {{"width", 64}, {"threads", 1}, {"seed", seed}}}});
  }
  worker.send({{"type", "compare"}, {"id", 1}, {"lab", "mixed"}, {"kernels", kernels}});
  worker.until("samples", 1);
  worker.send({{"type", "cancel"}, {"id", 2}, {"target", 1}});
  CHECK(worker.until("done", 1)["status"] == "cancelled");
  const Json outcome = worker.outcome(0);
  REQUIRE(outcome.is_object());
  CHECK(outcome["status"] == "cancelled");
  size_t samples = 0;
  for (const Json& line : worker.of_type("samples"))
    samples += line.contains("samples") && line["series"] == 0 ? line["samples"].size() : 0;
  CHECK(samples > 0);
  CHECK(outcome["stats"]["n"] == samples);
}
