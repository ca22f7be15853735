// Peers in another process: a real worker with our own kernel behind the adapter, with every kind of
// misbehaviour, and the Python side with a peer in plain Python.
#include "common/harness/measure/external.h"

#include <signal.h>

#include <cstring>

#include "common/harness/measure/child.h"
#include "common/harness/measure/python.h"
#include "tests/catch.h"
#include "tests/skip.h"
#include "tests/worker_process.h"

using namespace ridge;
using namespace ridge::test;

namespace {

struct Refusal {
  const char* rung;
  const char* reason;
};

std::string reason_of(Worker* worker, const std::string& rung, int64_t id) {
  Json request = run_of({rung});
  request["id"] = id;
  worker->send(request);
  Json outcome;
  for (;;) {
    const Json line = worker->next();
    REQUIRE_FALSE(line.is_null());  // the worker lives
    if (line.contains("outcome")) outcome = line["outcome"];
    if (line["type"] == "done" && line.value("request", -1) == id) break;
  }
  CHECK(outcome["status"] == "failed");
  CHECK(outcome["stats"].is_null());
  return outcome["reason"];
}

}  // namespace

TEST_CASE("a kernel behind the adapter passes the gate, is timed, and is marked") {
  Worker worker;
  worker.send({{"type", "list"}, {"id", 9}});
  worker.until("end", 9);
  int marked = 0;
  for (const Json& line : worker.of_type("kernel")) {
    const Json& kernel = line["kernel"];
    if (kernel["id"] == "gemm.cpu.external_good") CHECK(kernel["available"] == true);
    if (kernel["id"] == "gemm.cpu.loop_order") CHECK(kernel["external"] == false);
    marked += kernel["id"] == "gemm.cpu.external_good" && kernel["external"] == true;
  }
  CHECK(marked == 1);
  worker.send(run_of({"gemm.cpu.external_good"}));
  CHECK(worker.until("done", 1)["status"] == "ok");
  const Json outcome = worker.outcome(0);
  CHECK(outcome["status"] == "ok");
  CHECK(outcome["stats"]["median_ns"] > 0);
  CHECK(outcome["stats"]["flags"].dump().find("\"external\"") != std::string::npos);
  for (const Json& check : outcome["checks"]) CHECK(check["passed"] == true);
}

TEST_CASE("A/A: our own kernel behind the adapter against itself, in alternating blocks") {
  Worker worker;
  Json request = run_of({"gemm.cpu.loop_order", "gemm.cpu.external_good"}, 128);
  request["type"] = "compare";
  request["limit_s"] = 0.5;
  request["warmup_s"] = 0.01;
  worker.send(request);
  CHECK(worker.until("done", 1)["status"] == "ok");
  Json comparison;
  for (const Json& line : worker.of_type("result")) {
    if (line.contains("comparisons")) comparison = line["comparisons"][0];
  }
  REQUIRE(comparison.is_object());
  CHECK(comparison["verdict"] != "invalid");
  CHECK(comparison["rounds"] >= 6);
  CHECK(comparison["ratio"] > 0);
  CHECK(comparison["ci"].is_object());
  // Both sides fill slots of 50 ms, so that a cold start at each turn does not decide.
  for (const Json& line : worker.of_type("samples")) {
    if (line.value("phase", "") != "call") continue;
    for (const Json& sample : line["samples"]) {
      CHECK(sample["t_ns"].get<double>() * sample.value("calls", 1) > 10e6);
    }
  }
}

TEST_CASE("a peer that dies, hangs, lies or errs gives one clear reason, and the worker lives on") {
  RIDGE_SKIP_EMULATED("a translated peer needs more than the second that it is given");
  setenv("RIDGE_PEER_PATIENCE_S", "1", 1);
  Worker worker;
  unsetenv("RIDGE_PEER_PATIENCE_S");
  const Refusal cases[] = {
      {"silent", "gave no answer within 1 s"},
      {"endless", "talks without end"},
      {"dies", "ended with exit code 3"},
      {"killed", "was killed by signal 9"},
      {"hangs", "gave no answer within 1 s"},
      {"junk", "answered 'bananas' to 'call'"},
      {"chatty", "spoke without being asked"},
      {"wrong", "1 element of the output was never written"},
      {"lies", "ms of calls that took"},
      {"clock", "ms of calls that took"},
  };
  int64_t id = 0;
  for (const Refusal& one : cases) {
    const std::string reason =
        reason_of(&worker, std::string("gemm.cpu.external_") + one.rung, ++id);
    INFO(one.rung << ": " << reason);
    CHECK(reason.find(one.reason) != std::string::npos);
    if (std::string(one.rung) != "wrong") CHECK(reason.find("peer") != std::string::npos);
  }
  worker.send(run_of({"gemm.cpu.external_good"}));
  worker.until("done", 1);
  CHECK(worker.outcome(0)["status"] == "ok");
}

TEST_CASE(
    "a command to a peer that no longer reads is an error, not a signal that ends this process") {
  measure::Child child("deaf", {"/bin/sh", "-c", "exec 0<&-; echo ready >&3; exec sleep 5"}, {},
                       false);
  REQUIRE(child.receive().ok());
  const auto answer = child.ask("call");
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().what.find("deaf's process closed its connection") != std::string::npos);
}

TEST_CASE("a peer that ended between two calls is said to have ended, not to have spoken") {
  measure::Child child("gone", {"/bin/sh", "-c", "echo ready >&3; exit 4"}, {}, false);
  REQUIRE(child.receive().ok());
  REQUIRE(child.speaks_within(20));  // its closed socket polls as readable
  const auto answer = child.ask("call");
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().what == "gone's process ended with exit code 4");
}

namespace {

/// c = 2 a, in plain Python; "json" is a package that every python3 has.
constexpr external::Peer kPlain = {.library = "plain", .package = "json", .script = R"py(
print('a library prints what it likes')
class Twice:
    def __init__(self, dtype, n):
        self.a, self.c = bytearray(n), bytearray(n)
        self.note = f'twice {n} bytes'
    def load(self, i, memory):
        (self.a, self.c)[i][:] = memory
    def store(self, i, memory):
        memory[:] = (self.a, self.c)[i]
    def call(self):
        self.c[:] = bytes(2 * x % 256 for x in self.a)
    def finish(self):
        pass
def make(dtype, n):
    if dtype == 'fp16':
        raise ValueError('no halves here')
    return Twice(dtype, n)
)py"};
constexpr external::Peer kMissing = {
    .library = "missing", .package = "ridgepoint_no_such", .script = ""};
constexpr external::Peer kBroken = {
    .library = "broken", .package = "json", .script = "import no_such_module"};

}  // namespace

TEST_CASE("a peer in Python computes, is timed by our clock, and says what is wrong") {
  std::string reason;
  measure::PythonPackage package;
  if (!measure::Python::here().find("json", "", "", &package, &reason))
    RIDGE_SKIP("no python3 here: " << reason);
  CHECK(external::unavailable(kPlain) == nullptr);
  REQUIRE(external::unavailable(kMissing) != nullptr);
  CHECK(std::string(external::unavailable(kMissing)).find("has no ridgepoint_no_such") !=
        std::string::npos);

  Shape shape;
  shape.dim[0] = 5000;  // more than a page
  const external::Buffer buffers[] = {{5000, false}, {5000, true}};
  Plan plan;
  Status status = external::prepare(kPlain, shape, buffers, 2, &plan);
  INFO((status.what == nullptr ? "" : status.what));
  REQUIRE(status.ok());
  CHECK(std::string(plan.note) == "twice 5000 bytes");
  std::vector<unsigned char> a(5000, 21), c(5000, 0xf5);
  void* pointers[] = {a.data(), c.data()};
  const Launch launch = {.shape = shape, .buffers = pointers, .plan_state = plan.state};
  REQUIRE(external::launch(launch).ok());
  CHECK(c == std::vector<unsigned char>(5000, 42));
  CallTimes times;
  REQUIRE(external::time_calls(launch, 3, &times).ok());
  CHECK(times.wall_ns > 0);
  CHECK(times.cpu_ns > 0);
  CHECK(measure::children_cpu_s() > 0);
  REQUIRE(measure::children(false).size() == 1);

  // The process goes: one clear reason, and the next plan has a new one.
  const pid_t first = measure::children(false).front();
  kill(first, SIGKILL);
  status = external::launch(launch);
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.what) == "plain's process was killed by signal 9");
  plan.release(plan.state);
  Plan again;
  REQUIRE(external::prepare(kPlain, shape, buffers, 2, &again).ok());
  REQUIRE(measure::children(false).size() == 1);
  CHECK(measure::children(false).front() != first);

  // Another thread count is another process; an error in Python is said in its words.
  shape.threads = 2;
  Plan two;
  REQUIRE(external::prepare(kPlain, shape, buffers, 2, &two).ok());
  CHECK(measure::children(false).size() == 2);
  again.release(again.state);
  two.release(two.state);
  shape.dtype = DType::fp16;
  status = external::prepare(kPlain, shape, buffers, 2, &two);
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.what) == "plain says: ValueError: no halves here");
  CHECK(measure::children(false).size() == 1);  // nobody needs the one with one thread

  status = external::prepare(kBroken, shape, buffers, 2, &two);
  REQUIRE_FALSE(status.ok());
  CHECK(std::string(status.what).find("ModuleNotFoundError") != std::string::npos);
}
