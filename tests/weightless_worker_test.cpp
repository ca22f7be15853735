// The weightless lab through its surfaces: what a CPU without AVX runs of it, and a comparison of networks of
// two families.
#include <algorithm>

#include "labs/lab.h"
#include "tests/program.h"
#include "tests/worker_process.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Networks that nobody trains, on a small synthetic set.
const Params kUntrained = {{"epochs", int64_t{0}},         {"mlp_epochs", int64_t{0}},
                           {"images", int64_t{600}},       {"luts", int64_t{200}},
                           {"train_images", int64_t{500}}, {"tuple", int64_t{6}}};

void use_small_data() {
  static const Folder folder;
  setenv("RIDGEPOINT_DATA", (folder / "none").c_str(), 1);
  setenv("XDG_CACHE_HOME", folder.path.c_str(), 1);
}

/// The parameters that the catalogue gives this kernel, of those above.
Params params_of(const Json& kernel) {
  Params taken;
  for (const Json& spec : kernel["params"]) {
    const auto found = kUntrained.find(spec["name"].get<std::string>());
    if (found != kUntrained.end()) taken.insert(*found);
  }
  return taken;
}

}  // namespace

TEST_CASE("without AVX: the portable rungs pass every check, the others say what they need") {
  use_small_data();
  Worker worker("RIDGE_WORKER", {{"RIDGE_MAX_ISA", "portable"}});
  worker.send({{"type", "list"}, {"id", 1}});
  worker.until("done", 1);
  Json request = {{"type", "run"},   {"id", 2},         {"lab", "weightless"},     {"mode", "live"},
                  {"limit_s", 0.02}, {"warmup_s", 0.0}, {"kernels", Json::array()}};
  std::vector<Json> asked;
  for (const Json& line : worker.of_type("kernel")) {
    const Json& kernel = line["kernel"];
    const std::string id = kernel["id"], family = kernel["family"];
    const bool ours = family == "weightless" || family == "wisard" || family == "mlp";
    if (!ours || kernel["backend"] != "cpu" || kernel["kind"] != "kernel") continue;
    asked.push_back(kernel);
    request["kernels"].push_back({{"kernel", id}, {"params", params_to_json(params_of(kernel))}});
  }
  worker.send(request);
  REQUIRE(worker.until("done", 2)["status"] == "ok");
  int passed = 0, skipped = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    const Json outcome = worker.outcome(static_cast<int>(i));
    INFO(asked[i]["id"]);
    REQUIRE(outcome.is_object());
    if (asked[i]["needs"] != "") {
      CHECK(outcome["status"] == "skipped");
      const std::string reason =
          outcome["reason"];  // the setting's, or that this CPU has not even that
      CHECK((reason.find("RIDGE_MAX_ISA") != std::string::npos ||
             reason.find("this CPU has") != std::string::npos));
      ++skipped;
      continue;
    }
    CHECK(outcome["status"] == "ok");
    REQUIRE(outcome["checks"].size() >= 2);  // awkward shapes, and the one that was timed
    for (const Json& check : outcome["checks"]) CHECK(check["passed"] == true);
    ++passed;
  }
  CHECK(passed >= 6);  // naive, bit-sliced, four of WiSARD, the perceptron
  CHECK(skipped >= 3);
}

TEST_CASE("a LUT network from pixels against a perceptron: each side with its own parameters") {
  use_small_data();
  Folder folder;
  const Outcome outcome =
      Program(variable("RIDGE_BIN"),
              {"--json", "compare", "weightless", "--baseline", "mlp.cpu.sgemm:mlp_epochs=0",
               "--candidate", "weightless.cpu.mux_portable:from=pixels,epochs=0", "--set",
               "images=600", "--set", "luts=200", "--limit", "0.3", "--out", folder / "run.jsonl"})
          .finish();
  INFO(outcome.err);
  REQUIRE((outcome.code >= 0 && outcome.code <= 2));  // whichever is faster here
  const auto document = outcome.json();
  REQUIRE(document["comparisons"].size() == 1);
  const auto& made = document["comparisons"][0];
  CHECK(made["baseline"] == "mlp.cpu.sgemm");
  CHECK(made["candidate"] == "weightless.cpu.mux_portable");
  CHECK(made["candidate_params"]["from"] == "pixels");
  CHECK(made["candidate_params"]["images"] == 600);
  CHECK(made["baseline_params"]["images"] == 600);
  CHECK(made["candidate_params"]["luts"] == 200);  // set for both: the side that knows it has it
  CHECK_FALSE(made["baseline_params"].contains("luts"));
  CHECK_FALSE(made["baseline_params"].contains("from"));
  CHECK(made["verdict"] != "invalid");
  CHECK(made["rounds"].get<int>() >= 6);
  CHECK(read_all(folder / "run.jsonl").find("\"from\":\"pixels\"") != std::string::npos);
}

TEST_CASE("compare: a parameter that no rung of the lab has, or not the side it is written at") {
  for (const char* side : {"mlp.cpu.sgemm", "mlp.cpu.sgemm:luts=200"}) {
    const Outcome outcome =
        Program(variable("RIDGE_BIN"),
                {"compare", "weightless", "--baseline", side, "--candidate", "weightless.cpu.naive",
                 "--set", side == std::string("mlp.cpu.sgemm") ? "lutz=200" : "images=9"})
            .finish();
    INFO(outcome.err);
    CHECK(outcome.code == 64);
    CHECK(outcome.err.find("has no parameter 'lut") != std::string::npos);
  }
}
