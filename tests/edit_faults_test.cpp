// What a learner's text may do to the worker: nothing. It costs one sentence.
#include "tests/edit_class.h"

namespace ridge {
namespace {

using namespace test;

/// Gives a failing Status with errno's number where the call was refused.
std::string refusing(const std::string& call, const std::string& include) {
  return with("if (" + call +
                  ") return {errno == EACCES || errno == EPERM ? \"refused\" : \"other\", \"\"};",
              "errno.h>\n#include <stdlib.h>\n#include <" + include);
}

TEST_CASE("whatever it does, it costs one sentence") {
  Class& one = shared();
  CHECK(has(one.reason(replaced(original(), "+= scale", "+= 1.001f * scale")), "failed: k="));
  CHECK(has(one.reason(with("*(volatile int*)8 = 1;")), "crashed (SIGSEGV)"));
  CHECK(has(one.reason(with("g.c[g.m * g.n + 2] = 1;")), "wrote outside buffer C"));
  CHECK(has(one.reason(with("g.c[g.m * g.n + (1ll << 40)] = 1;")), "crashed (SIGSEGV)"));
  CHECK(has(one.reason(with("exit(0);", "stdlib.h")), "ended with exit code 0"));
  CHECK(has(one.reason(with("abort();", "stdlib.h")), "crashed (SIGABRT)"));
  CHECK(has(one.reason(with("extern void nowhere(); nowhere();")),
            "could not be loaded: undefined symbol: ridge::"));
  CHECK(has(one.reason(replaced(original(), "+= scale", "+= __builtin_nanf(\"\") * scale")),
            "elements are NaN or Inf"));
  CHECK(has(
      one.reason(with("struct Deep {\n    static int go(int n) {\n      volatile char room[4096];\n"
                      "      room[n & 7] = 1;\n      return go(n + 1) + room[0];\n    }\n  };\n"
                      "  (void)Deep::go(0);")),
      "crashed (SIGSEGV)"));
  CHECK(has(one.reason(with("static std::vector<char> v(1ll << 46);", "vector")),
            "threw what nobody catches: std::bad_alloc"));
  CHECK(has(one.reason(with("throw 7;")), "threw what nobody catches: int"));
  CHECK(has(one.reason(with("std::thread([] {});", "thread")), "neither joined nor detached"));
  CHECK(
      has(one.reason(original() +
                     "\n__attribute__((constructor)) static void f() { *(volatile int*)8 = 1; }\n"),
          "could not be loaded"));
  // And the worker is as it was: an ordinary rung, and a good text, run.
  CHECK(one.run("gemm.cpu.loop_order")["status"] == "ok");
  CHECK(has(one.reason(original()), "ok"));
}

/// Processes that this one has started and that still are.
size_t children_of(pid_t parent) {
  size_t count = 0;
  for (const auto& entry : test::fs::directory_iterator("/proc")) {
    const std::string stat = test::read_all(entry.path() / "stat");
    const size_t name_ends = stat.rfind(") ");  // "PID (NAME) STATE PARENT"
    if (name_ends == stat.npos) continue;
    count += std::atoi(stat.c_str() + name_ends + 4) == parent;
  }
  return count;
}

TEST_CASE("what it prints and the threads that it leaves end with it") {
  Class& one = shared();
  const std::string chatty =
      "static const int said = [] {\n    for (int i = 0; i < 60'000; ++i)\n"
      "      fprintf(i % 2 == 0 ? stdout : stderr, "
      "\"{\\\"ridgepoint\\\":1,\\\"type\\\":\\\"done\\\"}\\n\");\n"
      "    return 1;\n  }();\n  (void)said;";
  CHECK(has(one.reason(with(chatty, "stdio.h")), "ok"));  // two megabytes of our own protocol
  const std::string threads =
      "static const int began = [] {\n    for (int i = 0; i < 16; ++i)\n"
      "      std::thread([] { for (;;) pause(); }).detach();\n    return 1;\n  }();\n  "
      "(void)began;";
  CHECK(has(one.reason(with(threads, "thread>\n#include <unistd.h")), "ok"));
  CHECK(one.run("gemm.cpu.loop_order")["status"] == "ok");
  CHECK(children_of(one.worker.pid()) == 0);
}

TEST_CASE("thousands of threads cost one sentence, and nothing that was measured before") {
  Class& one = shared();
  CHECK(one.run("gemm.cpu.loop_order")["status"] == "ok");
  const std::string said = one.reason(with(
      "for (;;) std::thread([] { for (;;) pause(); }).detach();", "thread>\n#include <unistd.h"));
  const std::string words = "failed: it could start no more threads: ";
  REQUIRE(has(said, words));
  const int threads = std::atoi(said.c_str() + said.find(words) + words.size());
  CHECK(threads > 64);
  CHECK(threads <= 1100);  // 1024, and a few of the worker's own
  CHECK(one.run("gemm.cpu.loop_order")["status"] == "ok");
  CHECK(has(one.reason(original()), "ok"));
  CHECK(children_of(one.worker.pid()) == 0);
}

TEST_CASE("what it may not do is refused, where the platform can") {
  Class& one = shared();
  const test::Folder outside;
  CHECK(has(one.reason(refusing("fork() < 0", "unistd.h")), "refused"));
  CHECK(has(one.reason(refusing("execl(\"/bin/true\", \"true\", (char*)0) < 0", "unistd.h")),
            "refused"));
  CHECK(has(one.reason(refusing("kill(getppid(), 0) < 0", "unistd.h>\n#include <signal.h")),
            "refused"));
  CHECK(
      has(one.reason(refusing("socket(AF_INET, SOCK_STREAM, 0) < 0", "sys/socket.h")), "refused"));
  // Once: a thousand calls would use up the addresses that there are, with no limit at all.
  CHECK(has(
      one.reason(with("static void* const p = mmap(nullptr, 1ll << 40, PROT_READ, MAP_PRIVATE | "
                      "MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);\n"
                      "  if (p == MAP_FAILED) return {\"refused\", \"\"};",
                      "sys/mman.h")),
      "refused"));
  // Landlock is a part of the kernel's configuration: without it the worker says so, and this is not so.
  if (!test::read_all("/sys/kernel/security/lsm").empty() &&
      !has(test::read_all("/sys/kernel/security/lsm"), "landlock")) {
    WARN("this kernel has no Landlock: files are not limited here");
    return;
  }
  test::write_all(outside / "secret", "x");
  CHECK(has(one.reason(refusing("!fopen(\"" + (outside / "new") + "\", \"w\")", "stdio.h")),
            "refused"));
  CHECK(has(one.reason(refusing("!fopen(\"" + (outside / "secret") + "\", \"r\")", "stdio.h")),
            "refused"));
  CHECK(outside.count() == 1);
  CHECK(has(one.reason(refusing("!fopen(\"own\", \"w\")", "stdio.h")), "ok"));
}

TEST_CASE("an endless loop ends, and so does a cancel while it turns") {
  setenv("RIDGE_EDIT_PATIENCE_S", "1.5", 1);
  Class one;
  unsetenv("RIDGE_EDIT_PATIENCE_S");
  CHECK(has(one.reason(with("for (volatile int i = 0;;) i = i + 1;")), "an endless loop?"));
  Worker& worker = shared().worker;  // its patience is 10 s
  shared().build(with("for (volatile int i = 0;;) i = i + 1;"));
  Json line = test::run_of({kEdited});
  line["id"] = 900;
  worker.send(line);
  worker.until("phase", 900);
  worker.send({{"type", "cancel"}, {"id", 901}, {"target", 900}});
  CHECK(worker.until("done", 900)["status"] == "cancelled");
}

TEST_CASE("a build is cancelled while the compiler works") {
  Class& one = shared();
  // Ten thousand million steps of a constant: GCC would be busy for minutes, the limit is 30 s.
  const std::string slow = replaced(
      replaced(original(), "flags=-O3",
               "flags=-O3,-fconstexpr-loop-limit=2000000000,-fconstexpr-ops-limit=2000000000000"),
      "namespace ridge {\n",
      "constexpr int busy() {\n  int sum = 0;\n  for (int i = 0; i < 1000000000; ++i) sum ^= i;\n"
      "  return sum;\n}\nstatic_assert(busy() >= 0);\nnamespace ridge {\n");
  Worker& worker = one.worker;
  worker.send({{"type", "build"}, {"id", 970}, {"kernel", "gemm.cpu.loop_order"}, {"text", slow}});
  CHECK(worker.until("phase", 970)["text"] == "compiling");
  worker.send({{"type", "cancel"}, {"id", 971}, {"target", 970}});
  CHECK(worker.until("done", 970)["status"] == "cancelled");
  CHECK(one.build(original()).built);
}

}  // namespace
}  // namespace ridge
