// What docs/protocol.md promises of each request.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "common/harness/measure/ceiling_rules.h"
#include "common/harness/measure/machine.h"
#include "tests/others_at_work.h"
#include "tests/program.h"
#include "tests/rung_here.h"
#include "tests/worker_process.h"

namespace ridge {
namespace {

using test::run_of;
using test::Worker;

TEST_CASE("hello comes first; quit ends it with 0") {
  Worker worker("RIDGE_WORKER");
  const Json hello = worker.next();
  REQUIRE(hello.is_object());
  CHECK(hello["type"] == "hello");
  CHECK(hello["pid"] == worker.pid());  // also after it started itself anew
  CHECK(hello["build"].contains("compiler"));
  worker.send({{"type", "quit"}});
  CHECK(worker.exit_code() == 0);
}

TEST_CASE("list: every rung once, the impossible ones with their reason") {
  Worker worker("RIDGE_WORKER", {{"RIDGE_MAX_ISA", "portable"}});
  worker.send({{"type", "list"}, {"id", 4}});
  CHECK(worker.until("done", 4)["status"] == "ok");
  CHECK(worker.of_type("end").size() == 1);
  std::set<std::string> ids;
  for (const Json& line : worker.of_type("kernel")) {
    const Json& kernel = line["kernel"];
    INFO(dump_json(kernel));
    CHECK(ids.insert(kernel["id"]).second);
    CHECK((kernel["available"] == true || !kernel["reason"].get<std::string>().empty()));
    CHECK(kernel["hash"].get<std::string>().size() == 16);
    if (kernel["id"] == "probe.cpu.fma_avx512") {
      CHECK(kernel["available"] == false);
      CHECK(kernel["reason"].get<std::string>().find("needs avx512f") == 0);
    }
  }
  CHECK(ids.count("gemm.cpu.naive_o1") == 1);
  CHECK(ids.count("gemm.cuda.naive") == 1);  // known from its source wherever this was built
  CHECK(ids.count("gemm.cpu.bad_nan") == 0);
}

TEST_CASE("source: text, flags and hash of what was built; an error for what is unknown") {
  Worker worker;
  worker.send({{"type", "source"}, {"id", 1}, {"kernel", "gemm.cpu.naive_o1"}});
  const Json source = worker.until("result", 1)["source"];
  CHECK(source["path"] == "kernels/gemm/rungs/naive.cpp");
  CHECK(source["flags"].get<std::string>().find("-O1") != std::string::npos);
  CHECK(source["text"].get<std::string>().find("launch_naive") != std::string::npos);
  CHECK(worker.until("done", 1)["status"] == "ok");
  worker.send({{"type", "source"}, {"id", 2}, {"kernel", "no.such.rung"}});
  CHECK(worker.until("error", 2)["error"]["code"] == 64);
  CHECK(worker.until("done", 2)["status"] == "failed");
}

TEST_CASE("a source comes between two rungs of a run, not after its last") {
  Worker worker;
  Json kernels = Json::array();
  for (int i = 0; i < 4; ++i)
    kernels.push_back({{"kernel", "gemm.cpu.good"}, {"params", {{"n", 64}}}});
  worker.send(
      {{"type", "run"}, {"id", 1}, {"mode", "live"}, {"limit_s", 0.3}, {"kernels", kernels}});
  worker.send({{"type", "source"}, {"id", 2}, {"kernel", "gemm.cpu.naive_o1"}});
  CHECK(worker.until("done", 2)["status"] == "ok");
  const auto ended = worker.of_type("done");
  CHECK(std::none_of(ended.begin(), ended.end(),
                     [](const Json& one) { return one["request"] == 1; }));
  CHECK(worker.until("done", 1)["status"] == "ok");
}

TEST_CASE("run: environment, ceilings, checks, samples and an outcome, then done") {
  Worker worker;
  worker.send(run_of({"gemm.cpu.good", "gemm.cpu.bad_nan", "gemm.cuda.naive"}));
  CHECK(worker.until("done", 1)["status"] == "ok");
  const auto env = worker.of_type("env");
  REQUIRE(env.size() == 2);
  CHECK(env[0]["when"] == "before");
  CHECK(env[1]["when"] == "after");
  CHECK(worker.outcome(0)["status"] == "ok");
  CHECK(worker.outcome(0)["params"]["k"] == 64);  // completed
  CHECK(worker.outcome(0)["stats"]["n"].get<int>() >= 11);
  CHECK(worker.outcome(1)["status"] == "failed");
  CHECK(worker.outcome(1)["stats"].is_null());
  CHECK_FALSE(worker.outcome(2).is_null());
  size_t samples = 0;
  for (const Json& line : worker.of_type("samples")) {
    if (line["series"] == 0 && line["phase"] == "call") samples += line["samples"].size();
    CHECK(line["series"] != 1);  // what failed its check is never timed
  }
  CHECK(samples == worker.outcome(0)["stats"]["n"].get<size_t>());
  // A rung that has no parameter n.
  worker.send(run_of({"fixture.cpu.train"}, 1));
  CHECK(worker.until("error", 1)["error"]["what"].get<std::string>().find("n") !=
        std::string::npos);
}

TEST_CASE("probe: the environment and this machine's ceilings, measured once") {
  Worker worker("RIDGE_WORKER", {{"RIDGE_MAX_ISA", "portable"}});  // ten of sixteen
  bool was_doubted = false;
  for (const int64_t id : {1, 2}) {
    worker.send({{"type", "probe"}, {"id", id}});
    const Json result = worker.until("result", id);
    REQUIRE(result.contains("ceilings"));
    std::set<std::string> resources;
    for (const Json& ceiling : result["ceilings"]) {
      INFO(dump_json(ceiling));
      CHECK(ceiling["value"].get<double>() > 0);
      CHECK(ceiling["source"] == "measured");
      resources.insert(ceiling["resource"]);
    }
    CHECK(resources.count("flop") == 1);
    CHECK(resources.count("dram_read") == 1);
    // On a busy machine some contradict others or were disturbed: those, and no others, are in doubt.
    const auto ceilings = result["ceilings"].get<std::vector<Ceiling>>();
    std::set<size_t> doubted, contradicting;
    for (size_t i = 0; i < ceilings.size(); ++i)
      if (!ceilings[i].doubt.empty()) doubted.insert(i);
    for (const auto& one :
         measure::find_contradictions(ceilings, {.cores = measure::read_cpu().cores}))
      contradicting.insert(one.ceiling);
    CHECK(doubted == contradicting);
    if (id == 1) was_doubted = !doubted.empty();
    CHECK(worker.until("done", id)["status"] == "ok");
  }
  CHECK(worker.of_type("env").size() == 2);
  size_t measured = 0;
  for (const Json& phase : worker.of_type("phase")) measured += phase["request"] == 2;
  CHECK((measured > 0) == was_doubted);  // the second time only what was in doubt is measured
}

TEST_CASE("a ceiling that was measured beside others' work is in doubt until they are gone") {
  test::OthersAtWork others;
  Worker worker("RIDGE_WORKER",
                {{"RIDGE_SYSTEM_ROOT", others.folder.path.string()}, {"RIDGE_CEILINGS", "anew"}});
  // All cores: whatever else runs takes one of them.
  const int cores = measure::read_cpu().cores;
  const auto doubts = [&](int64_t id) {
    Json request = run_of({"gemm.cpu.threads"});
    request["id"] = id;
    request["kernels"][0]["params"] = {{"n", 256}, {"threads", cores}};
    worker.send(request);
    CHECK(worker.until("done", id)["status"] == "ok");
    std::map<std::string, std::string> found;
    for (const Json& result : worker.of_type("result")) {
      if (result["request"] != id || !result.contains("ceilings")) continue;
      for (const Json& one : result["ceilings"]) found[one["name"]] = one.value("doubt", "");
    }
    return found;
  };
  const auto busy = doubts(1);
  CHECK(busy.size() >= (test::kIsX86 ? 3 : 2));  // elsewhere no probe of an L2 cache
  for (const auto& [name, doubt] : busy) {
    INFO(name);
    CHECK_FALSE(doubt.empty());
  }
  others.busy = false;
  const auto quiet = doubts(2);
  CHECK(quiet.size() == busy.size());
  for (const auto& [name, doubt] : quiet) {
    INFO(name);
    CHECK(doubt.find("other programs used the CPU") == std::string::npos);
  }
}

TEST_CASE("a run measures the ceilings of its own type alone, after its first results") {
  Worker worker("RIDGE_WORKER", {{"RIDGE_MAX_ISA", "avx512"}, {"RIDGE_CEILINGS", "anew"}});
  worker.send(run_of(
      {"gemm.cpu.naive_o3", "gemm.cpu.loop_order", "gemm.cpu.cache_blocks", "gemm.cpu.packed"}));
  CHECK(worker.until("done", 1)["status"] == "ok");
  std::string order;
  std::set<std::string> dtypes;
  for (const Json& result : worker.of_type("result")) {
    order += result.contains("ceilings") ? 'c' : 'r';
    if (!result.contains("ceilings")) continue;
    for (const Json& ceiling : result["ceilings"]) dtypes.insert(ceiling["dtype"]);
  }
  CHECK(order.starts_with("rrrcr"));  // at the end once more where something speaks against one
  CHECK(dtypes == std::set<std::string>{"", "fp32"});
  // Which of how many it is, said while it is measured.
  std::set<std::string> said;
  for (const Json& phase : worker.of_type("phase"))
    if (!phase.contains("series")) said.insert(phase["text"]);
  CHECK(said.count("measuring this machine's ceiling: L2 read, 1 thread, 1 of 4") == 1);
  CHECK(said.count("measuring this machine's ceiling: FMA fp32, 1 thread, 4 of 4") == 1);
}

TEST_CASE("in the middle of a run a ceiling in doubt is said, and none is measured again") {
  test::OthersAtWork others;
  Worker worker("RIDGE_WORKER",
                {{"RIDGE_SYSTEM_ROOT", others.folder.path.string()}, {"RIDGE_CEILINGS", "anew"}});
  const int cores = measure::read_cpu().cores;
  Json request = run_of(std::vector<std::string>(4, "gemm.cpu.threads"));
  for (Json& kernel : request["kernels"]) kernel["params"] = {{"n", 256}, {"threads", cores}};
  worker.send(request);
  CHECK(worker.until("done", 1)["status"] == "ok");
  int64_t last_outcome = 0;
  for (const Json& result : worker.of_type("result"))
    if (result.contains("outcome")) last_outcome = result["seq"];
  const auto ceilings = worker.of_type("result");
  const auto first = std::find_if(ceilings.begin(), ceilings.end(),
                                  [](const Json& one) { return one.contains("ceilings"); });
  REQUIRE(first != ceilings.end());
  CHECK((*first)["seq"] < last_outcome);
  for (const Json& one : (*first)["ceilings"]) CHECK_FALSE(one.value("doubt", "").empty());
  for (const Json& phase : worker.of_type("phase")) {
    INFO(dump_json(phase));
    const bool is_again =
        phase["text"].get<std::string>().find("ceiling again") != std::string::npos;
    CHECK_FALSE((is_again && phase["seq"] < last_outcome));
  }
}

TEST_CASE("probe with kernels: estimates, and nothing is timed") {
  Worker worker;
  worker.send({{"type", "probe"},
               {"id", 1},
               {"kernels",
                {{{"kernel", "gemm.cpu.good"}, {"params", {{"n", 64}}}},
                 {{"kernel", "gemm.cpu.slow"}, {"params", {{"n", 4096}}}}}}});
  const Json list = worker.until("result", 1)["estimates"];
  REQUIRE(list.size() == 2);
  CHECK(list[0]["call_ns"].get<double>() > 0);
  CHECK(list[0]["reduced_from"] == "");
  CHECK(list[1]["reduced_from"] == "n=4096");
  CHECK(list[1]["params"]["n"].get<int>() < 4096);
  CHECK(worker.of_type("samples").empty());
}

TEST_CASE("training and pipeline rungs go the same way") {
  Worker worker;
  worker.send({{"type", "run"},
               {"id", 1},
               {"mode", "live"},
               {"limit_s", 0.3},
               {"kernels",
                {{{"kernel", "fixture.cpu.train"}, {"params", {{"steps", 50}, {"extra", 200}}}},
                 {{"kernel", "fixture.cpu.pipeline"}},
                 {{"kernel", "fixture.cpu.pipeline"}, {"params", {{"lose", 1}}}}}}});
  CHECK(worker.until("done", 1)["status"] == "ok");
  CHECK(worker.outcome(0)["kind"] == "training");
  CHECK(worker.outcome(0)["memory_bytes"] == 400);  // asked after its 50 steps
  CHECK(worker.outcome(0)["status"] == "ok");
  CHECK(worker.outcome(1)["status"] == "ok");
  CHECK(worker.outcome(1)["items_per_s"].get<double>() > 0);
  CHECK(worker.outcome(2)["status"] == "failed");
  size_t points = 0;
  for (const Json& line : worker.of_type("curve")) points += line["points"].size();
  CHECK(points == 50);  // 250 KB of them, in several lines
  CHECK_FALSE(worker.of_type("span").empty());
  CHECK(worker.longest_line() <= 64 * 1024);
}

TEST_CASE("compare: rounds and a verdict; INVALID where the gate refuses") {
  Worker worker;
  Json line = run_of({"gemm.cpu.good", "gemm.cpu.bad_dropped_k"});
  line["type"] = "compare";
  worker.send(line);
  CHECK(worker.until("done", 1)["status"] == "ok");
  Json comparisons;
  for (const Json& result : worker.of_type("result")) {
    if (result.contains("comparisons")) comparisons = result["comparisons"];
  }
  REQUIRE(comparisons.size() == 1);
  CHECK(comparisons[0]["verdict"] == "invalid");

  line = run_of({"gemm.cpu.good", "gemm.cpu.slow"}, 16);
  line["type"] = "compare";
  line["id"] = 2;
  line["limit_s"] = 0.01;
  worker.send(line);
  CHECK(worker.until("done", 2)["status"] == "ok");
  for (const Json& result : worker.of_type("result")) {
    if (result["request"] == 2 && result.contains("comparisons")) {
      comparisons = result["comparisons"];
    }
  }
  CHECK(comparisons[0]["verdict"] == "slower");  // by 20 ms a call, 1000 times its own time
  size_t rounds = 0;
  for (const Json& samples : worker.of_type("samples")) {
    if (samples["phase"] == "rounds") rounds += samples["rounds"].size();
  }
  CHECK(rounds >= 6);
}

TEST_CASE("compare: the pairs that a request names, of kernels alone") {
  Worker worker;
  const auto ask = [&](int id, Json line, Json pairs, const char* answer) {
    line["type"] = "compare";
    line["id"] = id;
    line["limit_s"] = 0.01;
    line["pairs"] = std::move(pairs);
    worker.send(line);
    return worker.until(answer, id);
  };
  const Json sides = run_of({"gemm.cpu.good", "gemm.cpu.slow", "gemm.cpu.good"}, 16);
  CHECK(ask(1, sides, {{1, 0}, {1, 2}}, "done")["status"] == "ok");
  Json comparisons;
  for (const Json& result : worker.of_type("result"))
    if (result.contains("comparisons")) comparisons = result["comparisons"];
  REQUIRE(comparisons.size() == 2);
  for (const Json& one : comparisons) {
    CHECK(one["baseline"] == "gemm.cpu.slow");
    CHECK(one["baseline_index"] == 1);
    CHECK(one["candidate"] == "gemm.cpu.good");
    CHECK(one["verdict"] == "faster");
  }
  CHECK(comparisons[1]["candidate_index"] == 2);

  const auto refused = [&](int id, const Json& line, Json pairs) {
    return ask(id, line, std::move(pairs), "error")["error"]["what"].get<std::string>();
  };
  CHECK(refused(2, sides, {{0, 3}}) == "[0, 3] is no pair of 3 sides");
  CHECK(refused(3, sides, {{0, 1, 2}}) == "pairs holds [0,1,2], which is no pair");
  CHECK(refused(4, sides, "all") == "pairs holds \"all\", which is no pair");
  Json trainings = run_of({"fixture.cpu.train", "fixture.cpu.train"}, 1);
  for (Json& one : trainings["kernels"]) one["params"] = {{"steps", 50}};
  CHECK(refused(5, trainings, {{0, 1}}) == "pairs are of kernels, and this is a training");
}

}  // namespace
}  // namespace ridge
