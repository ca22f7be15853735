// What docs/protocol.md promises when lines are junk, kernels misbehave or nobody listens any more.
#include "tests/worker_process.h"

namespace ridge {
namespace {

using test::run_of;
using test::Worker;

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
  CHECK(worker.until("done", 2)["status"] == "cancelled");  // at once: it had not begun
  CHECK(worker.until("done", 1)["status"] == "cancelled");
  CHECK(worker.outcome(0)["status"] == "cancelled");
}

TEST_CASE("what waits behind a probe of seconds is cancelled at once") {
  Worker worker("RIDGE_WORKER", {{"RIDGE_MAX_ISA", "portable"}});
  worker.send({{"type", "probe"}, {"id", 1}});
  worker.send({{"type", "build"}, {"id", 2}, {"kernel", "gemm.cpu.naive_o1"}, {"text", "int a;"}});
  worker.send({{"type", "list"}, {"id", 3}});
  worker.until("phase", 1);
  worker.send({{"type", "cancel"}, {"id", 8}, {"target", 2}});
  const Json first = worker.until("done");  // of the build: the probe still measures
  CHECK(first["request"] == 2);
  CHECK(first["status"] == "cancelled");
  worker.send({{"type", "cancel"}, {"id", 9}, {"target", 1}});
  CHECK(worker.until("done")["request"] == 1);
  CHECK(worker.until("done")["request"] == 3);  // and what was not cancelled is carried out
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
