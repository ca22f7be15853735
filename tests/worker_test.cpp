// Real workers over pipes: what docs/protocol.md promises, kept also when lines are junk and kernels
// misbehave.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "common/record/json.h"
#include "tests/catch.h"

namespace ridge {
namespace {

using Clock = std::chrono::steady_clock;

/// A worker whose pipes are in the test's hands. Ended with its process group.
class Worker {
 public:
  explicit Worker(const char* variable = "RIDGE_FIXTURE_WORKER", const char* setting = nullptr) {
    const char* program = std::getenv(variable);
    REQUIRE(program != nullptr);  // set by ctest
    int in[2], out[2];
    REQUIRE(pipe2(in, O_CLOEXEC) == 0);
    REQUIRE(pipe2(out, O_CLOEXEC) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);
      dup2(in[0], 0);
      dup2(out[1], 1);
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, 2);
      if (setting != nullptr) putenv(const_cast<char*>(setting));
      // Measuring them takes a second: only the test that asks for them waits.
      if (setting == nullptr) putenv(const_cast<char*>("RIDGE_CEILINGS=off"));
      execl(program, program, "--stdio", static_cast<char*>(nullptr));
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~Worker() {
    kill(-pid_, SIGKILL);
    close_input();
    close(out_);
    if (!reaped_) waitpid(pid_, nullptr, 0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void send_text(const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t wrote = write(in_, text.data() + done, text.size() - done);
      REQUIRE(wrote > 0);
      done += static_cast<size_t>(wrote);
    }
  }
  void send(Json line) {
    line["ridgepoint"] = 1;
    line["from"] = "app";
    send_text(dump_json(line) + "\n");
  }
  void close_input() {
    if (in_ >= 0) close(in_);
    in_ = -1;
  }

  /// The next line, `timing` answered; null when the worker has ended or nothing came for 20 s.
  Json next() {
    for (;;) {
      const size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        const std::string text = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        longest_ = std::max(longest_, text.size());
        auto line = parse_json(text, "worker");
        REQUIRE(line);
        CHECK(line->at("ridgepoint") == 1);
        CHECK(line->at("seq") == ++seq_);
        if (line->at("type") == "timing" && acknowledge) {
          send({{"type", "ack"}, {"seq", line->at("seq")}});
        }
        return *line;
      }
      pollfd ready = {.fd = out_, .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, 20'000) <= 0) return nullptr;
      char piece[65536];
      const ssize_t got = read(out_, piece, sizeof(piece));
      if (got <= 0) return nullptr;
      buffer_.append(piece, static_cast<size_t>(got));
    }
  }
  /// Reads until a line of `type` for `request` (or any) comes; all lines read go to lines().
  Json until(const std::string& type, int64_t request = -1) {
    for (;;) {
      Json line = next();
      lines_.push_back(line);
      if (line.is_null()) return line;
      if (line["type"] == type && (request < 0 || line.value("request", -1) == request)) {
        return line;
      }
    }
  }
  std::vector<Json> of_type(const std::string& type) const {
    std::vector<Json> found;
    for (const Json& line : lines_) {
      if (line.is_object() && line["type"] == type) found.push_back(line);
    }
    return found;
  }
  /// Outcome of a series, null if there is none.
  Json outcome(int series) const {
    for (const Json& line : of_type("result")) {
      if (line.value("series", -1) == series && line.contains("outcome")) return line["outcome"];
    }
    return nullptr;
  }
  /// Exit code, or -signal; -1000 when it has not ended after 5 s.
  int exit_code() {
    const auto end = Clock::now() + std::chrono::seconds(5);
    int status = 0;
    while (Clock::now() < end) {
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        reaped_ = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      }
      usleep(2000);
    }
    return -1000;
  }
  pid_t pid() const { return pid_; }
  size_t longest_line() const { return longest_; }

  bool acknowledge = true;

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  bool reaped_ = false;
  int64_t seq_ = 0;
  size_t longest_ = 0;
  std::string buffer_;
  std::vector<Json> lines_;
};

Json run_of(const std::vector<std::string>& kernels, int64_t n = 64, const char* mode = "live") {
  Json line = {
      {"type", "run"}, {"id", 1}, {"lab", "gemm"}, {"mode", mode}, {"kernels", Json::array()}};
  for (const std::string& kernel : kernels) {
    line["kernels"].push_back({{"kernel", kernel}, {"params", {{"n", n}}}});
  }
  return line;
}

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
  Worker worker("RIDGE_WORKER", "RIDGE_MAX_ISA=portable");
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
  CHECK(source["path"] == "kernels/gemm/naive.cpp");
  CHECK(source["flags"].get<std::string>().find("-O1") != std::string::npos);
  CHECK(source["text"].get<std::string>().find("launch_naive") != std::string::npos);
  CHECK(worker.until("done", 1)["status"] == "ok");
  worker.send({{"type", "source"}, {"id", 2}, {"kernel", "no.such.rung"}});
  CHECK(worker.until("error", 2)["error"]["code"] == 64);
  CHECK(worker.until("done", 2)["status"] == "failed");
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
  Worker worker("RIDGE_WORKER", "RIDGE_MAX_ISA=avx512");
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
    CHECK(worker.until("done", id)["status"] == "ok");
  }
  CHECK(worker.of_type("env").size() == 2);
  size_t measured = 0;
  for (const Json& phase : worker.of_type("phase")) measured += phase["request"] == 2;
  CHECK(measured == 0);  // the second time nothing is measured
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

TEST_CASE("bad requests get one readable error and harm nobody") {
  Worker worker;
  worker.send(run_of({"gemm.cpu.nonesuch"}));
  CHECK(worker.until("error", 1)["error"]["what"].get<std::string>().find("nonesuch") !=
        std::string::npos);
  CHECK(worker.until("done", 1)["status"] == "failed");
  worker.send(run_of({"gemm.cpu.good"}, 0));
  CHECK(worker.until("error", 1)["error"]["code"] == 64);
  worker.until("done", 1);
  worker.send(run_of({}));
  worker.until("error", 1);
  worker.until("done", 1);
  worker.send({{"type", "dance"}, {"id", 9}});
  CHECK(worker.until("error", 9)["error"]["what"] == "type dance is unknown");
  CHECK(worker.until("done", 9)["status"] == "failed");
  for (const char* junk : {"hello there\n", "{\"type\":\n", "[1,2]\n", "\xff\xfe\n", "{}\n", "42\n",
                           "{\"ridgepoint\":2,\"type\":\"list\",\"id\":1}\n"}) {
    INFO(junk);
    worker.send_text(junk);
    CHECK(worker.until("error").is_object());
  }
  worker.send_text(std::string(1 << 20, 'x') + "\n");
  CHECK(worker.until("error")["error"]["what"].get<std::string>().find("64 KiB") !=
        std::string::npos);
  worker.send({{"type", "ping"}, {"id", 77}});
  CHECK(worker.until("pong")["request"] == 77);
}

TEST_CASE("ping is answered and end of input obeyed while a kernel never returns") {
  for (const char* kernel : {"gemm.cpu.bad_hang", "gemm.cpu.bad_spin"}) {
    INFO(kernel);
    Worker worker;
    worker.send(run_of({kernel}));
    Json phase;
    do phase = worker.until("phase");
    while (phase.is_object() && phase["phase"] != "check");
    worker.send({{"type", "ping"}, {"id", 5}});
    CHECK(worker.until("pong")["request"] == 5);
    worker.close_input();
    CHECK(worker.exit_code() == 0);
  }
}

TEST_CASE("cancel stops between samples, keeps them, and drops what waits") {
  Worker worker;
  Json line = run_of({"gemm.cpu.good"}, 64, "measure");
  worker.send(line);
  line["id"] = 2;
  worker.send(line);
  worker.until("samples", 1);
  worker.send({{"type", "cancel"}, {"id", 8}, {"target", 2}});
  worker.send({{"type", "cancel"}, {"id", 9}, {"target", 1}});
  CHECK(worker.until("done", 1)["status"] == "cancelled");
  CHECK(worker.outcome(0)["status"] == "cancelled");
  CHECK(worker.until("done", 2)["status"] == "cancelled");
}

TEST_CASE("a timed block does not wait for ever for its acknowledgement") {
  Worker worker;
  worker.acknowledge = false;
  worker.send(run_of({"gemm.cpu.good"}));
  CHECK(worker.until("done", 1)["status"] == "ok");
  CHECK_FALSE(worker.of_type("timing").empty());
}

TEST_CASE("nothing is sent between `timing` and the block's samples") {
  Worker worker;
  worker.send(run_of({"gemm.cpu.good"}));
  Json line;
  int blocks = 0;
  for (bool in_block = false; (line = worker.next()).is_object() && line["type"] != "done";) {
    if (line.value("series", -1) < 0) continue;
    if (in_block) {
      CHECK(line["type"] == "samples");
      ++blocks;
    }
    in_block = line["type"] == "timing";
  }
  CHECK(blocks > 0);
}

TEST_CASE("a kernel that prints does not foul the stream") {
  Worker worker;
  worker.send(run_of({"gemm.cpu.bad_junk"}));
  CHECK(worker.until("done", 1)["status"] == "ok");  // next() checks every line and its seq
  CHECK(worker.outcome(0)["status"] == "ok");
}

TEST_CASE("a worker that is taken down leaves whole lines behind") {
  Worker crash;
  crash.send(run_of({"gemm.cpu.good", "gemm.cpu.bad_crash"}));
  CHECK(crash.until("done", 1).is_null());
  CHECK(crash.exit_code() == -SIGSEGV);
  CHECK(crash.outcome(0)["status"] == "ok");
  Worker gone;
  gone.send(run_of({"gemm.cpu.bad_exit"}));
  CHECK(gone.until("done", 1).is_null());
  CHECK(gone.exit_code() == 3);
}

TEST_CASE("nobody reads any more: the worker ends by itself") {
  int out[2];
  REQUIRE(pipe2(out, O_CLOEXEC) == 0);
  int in[2];
  REQUIRE(pipe2(in, O_CLOEXEC) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execl(std::getenv("RIDGE_WORKER"), "worker", "--stdio", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(out[0]);
  close(out[1]);
  const std::string list = "{\"ridgepoint\":1,\"type\":\"list\",\"id\":1}\n";
  signal(SIGPIPE, SIG_IGN);
  CHECK((write(in[1], list.data(), list.size()) > 0 || errno == EPIPE));
  int status = 0;
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(WIFEXITED(status));
  close(in[0]);
  close(in[1]);
}

}  // namespace
}  // namespace ridge
