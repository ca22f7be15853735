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

TEST_CASE("a warp's requests come with the counts, by line, and fit a line of the protocol") {
  Worker worker("RIDGE_WORKER");
  worker.send(count_line(1, "gemm.cuda.naive", 32));
  REQUIRE(worker.until("done", 1)["status"] == "ok");
  const Json line = worker.of_type("result").back();
  CHECK(dump_json(line).size() < 64 * 1024);
  const auto counts = line["counts"].get<KernelCounts>();
  const WarpSteps& steps = counts.steps;
  CHECK(steps.made == 2 * 32 + 1);
  REQUIRE(std::ssize(steps.requests) == steps.made);
  // One line multiplies, another one stores; what they cost is in that line's counts.
  const int multiplies = steps.requests.front().line, stores = steps.requests.back().line;
  CHECK(stores > multiplies);
  REQUIRE(counts.at(multiplies));
  CHECK(counts.at(multiplies)->counts.global_reads.sectors == 32 * 32 * 33);
  int64_t sectors = 0;
  for (const WarpRequest& request : steps.requests)
    sectors += request.line == multiplies ? request.cost : 0;
  CHECK(sectors == 32 * 33);  // of one warp of 32
  CHECK(Json(counts).get<KernelCounts>().steps == steps);
}

TEST_CASE("lanes' offsets are written as runs, and what is no run of 32 lanes is refused") {
  LaneOffsets offsets;
  const auto is_kept = [&](const char* text) {
    CHECK(encode_offsets(offsets) == text);
    CHECK(decode_offsets(encode_offsets(offsets)) == offsets);
  };
  is_kept(".32");
  for (int i = 0; i < kWarpLanes; ++i) offsets[size_t(i)] = 4096 + 4 * i;
  is_kept("4096+4x32");
  for (int i = 0; i < kWarpLanes; ++i) offsets[size_t(i)] = 31 - i;
  is_kept("31-1x32");
  for (auto& one : offsets) one = 8;
  is_kept("8+0x32");
  offsets[0].reset(), offsets[31].reset(), offsets[1] = 500;
  is_kept(".1 500 8+0x29 .1");
  for (const char* wrong : {"", "8+0x31", "8+0x33", "8+0x", "8x32", "0+4x32 .1", "a", "8+0x-1",
                            ".0 8+0x32", ".33", "9999999999999999999+4x32", "0 +4x31"})
    CHECK_FALSE(decode_offsets(wrong));
}

TEST_CASE(
    "a run takes counts without a warp's requests, and leaves out those that cannot be right") {
  const auto run_with = [](const Json& counts) {
    Run run;
    run.apply_line(R"({"ridgepoint":1,"type":"hello","seq":1})");
    run.apply(
        {{"ridgepoint", 1}, {"type", "result"}, {"seq", 2}, {"request", 1}, {"counts", counts}});
    return run.latest_counts("gemm.cuda.naive")->steps;
  };
  CHECK(run_with({{"kernel", "gemm.cuda.naive"}}) == WarpSteps{});
  const Json good = {{"line", 3}, {"bytes", 4}, {"of", "A"}, {"at", "0+4x32"}, {"cost", 4}};
  const auto with = [&](const char* field, const Json& value) {
    Json changed = good;
    changed[field] = value;
    return run_with(
        {{"kernel", "gemm.cuda.naive"}, {"steps", {{"made", 9}, {"requests", {good, changed}}}}});
  };
  CHECK(with("line", 4).requests.size() == 2);
  CHECK(with("line", 4).made == 9);
  CHECK(with("line", 4).requests.front().access == WarpAccess::read);
  for (const auto& [field, value] : std::map<std::string, Json>{{"line", -1},
                                                                {"bytes", 17},
                                                                {"at", "0+4x31"},
                                                                {"cost", 0},
                                                                {"conflicts", 5},
                                                                {"access", "think"}}) {
    INFO(field);
    CHECK(with(field.c_str(), value).requests.size() == 1);
  }
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
