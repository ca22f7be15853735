// A CUDA rung counted on this CPU, as docs/protocol.md has it: answered, cancelled, kept in a run.
#include <map>
#include <nlohmann/json.hpp>

#include "common/record/json.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/worker_process.h"

using namespace ridge;
using namespace ridge::test;

namespace {

Json count_line(int64_t id, const std::string& kernel, int64_t n) {
  return {{"type", "count"},
          {"id", id},
          {"lab", "gemm"},
          {"kernels", {{{"kernel", kernel}, {"params", {{"n", n}}}}}}};
}

}  // namespace

TEST_CASE("a rung is counted, and a text that is wrong is counted once") {
  Worker worker("RIDGE_WORKER");
  worker.send(count_line(1, "gemm.cuda.naive", 32));
  REQUIRE(worker.until("done", 1)["status"] == "ok");
  const auto counts = [&] { return worker.of_type("result").back()["counts"].get<KernelCounts>(); };
  CHECK(counts().check->passed);
  CHECK(counts().total().flop == 2 * 32 * 32 * 32);
  CHECK(counts().total().counts.global_reads.requests == 32 * 32 * 2);
  // The gate calls it again to find where it is wrong.
  worker.send({{"type", "source"}, {"id", 2}, {"kernel", "gemm.cuda.naive"}});
  std::string text = worker.until("result", 2)["source"]["text"];
  const std::string store = "c[row * n + col] = acc;";
  text.replace(text.find(store), store.size(), "c[row * n + col] = acc + 1;");
  Json line = count_line(3, "gemm.cuda.naive", 32);
  line["text"] = text;
  worker.send(line);
  CHECK(worker.until("done", 3)["status"] == "ok");
  CHECK(counts().kernel == "gemm.cuda.naive_edit");
  CHECK_FALSE(counts().check->passed);
  CHECK(counts().launches.size() == 1);
  CHECK(counts().total().counts.global_reads.requests == 32 * 32 * 2);
}

TEST_CASE("a request names one CUDA kernel") {
  Worker worker("RIDGE_WORKER");
  Json two = count_line(1, "gemm.cuda.naive", 32);
  two["kernels"].push_back(two["kernels"][0]);
  worker.send(two);
  CHECK(worker.until("error", 1)["error"]["code"] == 64);
  worker.send(count_line(2, "gemm.cpu.naive_o1", 32));
  CHECK(worker.until("error", 2)["error"]["what"] == "only a CUDA rung of ours is counted");
}

TEST_CASE("a count is cancelled, and the worker goes on") {
  Worker worker("RIDGE_WORKER");
  worker.send(count_line(1, "gemm.cuda.naive", 1024));
  for (Json line = worker.next(); !line.is_null(); line = worker.next()) {
    if (line["type"] == "phase" && line.value("text", "") == "counting") break;
    REQUIRE(line["type"] != "done");
  }
  worker.send({{"type", "cancel"}, {"target", 1}});
  CHECK(worker.until("done", 1)["status"] == "cancelled");
  worker.send(count_line(2, "gemm.cuda.naive", 32));
  CHECK(worker.until("done", 2)["status"] == "ok");
}

TEST_CASE("counts that cannot be right are left out of a run") {
  const auto run_with = [](const Json& traffic) {
    Run run;
    run.apply_line(R"({"ridgepoint":1,"type":"hello","seq":1})");
    run.apply({{"ridgepoint", 1},
               {"type", "result"},
               {"seq", 2},
               {"request", 1},
               {"counts",
                {{"kernel", "gemm.cuda.naive"},
                 {"lines",
                  {{{"line", 3}, {"counts", {{"shared_reads", traffic}}}},
                   {{"line", 4}, {"counts", {{"barriers", 1}}}}}}}}});
    return run;
  };
  const Json good = {{"requests", 2}, {"lanes", 64}, {"wavefronts", 4}, {"conflicts", 2}};
  CHECK(run_with(good).latest_counts("gemm.cuda.naive")->lines.size() == 2);
  for (const auto& [field, value] :
       std::map<std::string, int64_t>{{"requests", -1}, {"lanes", 65}, {"conflicts", 5}}) {
    INFO(field);
    Json bad = good;
    bad[field] = value;
    CHECK(run_with(bad).latest_counts("gemm.cuda.naive")->lines.size() == 1);
  }
}
