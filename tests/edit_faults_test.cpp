// What a learner's text may do to the worker: nothing. It costs one sentence.
#include "tests/edit_class.h"
#include "worker/edit/sandbox.h"

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

/// Statements before the work, and after it.
std::string around(const std::string& before, const std::string& after,
                   const std::string& include = "") {
  return replaced(with(before, include), "  return {};\n}\n\nRIDGE_KERNEL",
                  "  " + after + "\n  return {};\n}\n\nRIDGE_KERNEL");
}

/// It says who it is by a statement that ends its launch function: "call=REFUSED; call=DONE; ".
std::string probing(const std::vector<std::pair<std::string, std::string>>& calls,
                    const std::string& includes) {
  std::string text = "static const std::string said = [] {\n    std::string all;\n";
  for (const auto& [name, call] : calls)
    text += "    all += \"" + name + "=\" + std::string((" + call +
            ") < 0 ? \"REFUSED\" : \"DONE\") + \"; \";\n";
  return with(text + "    return all;\n  }();\n  return {said.c_str(), \"\"};",
              "string>\n#include <" + includes);
}

const Params kWorthIt = {{"n", int64_t{512}}};  // its calls outlast the way of their buffers by far

TEST_CASE("an honest rung is seen from outside as well, and is no claim") {
  Class& one = shared();
  REQUIRE(one.build(original()).built);
  const Json outcome = one.run(kEdited, kWorthIt);
  CHECK(outcome["status"] == "ok");
  REQUIRE(outcome["checks"].size() == 4);
  const std::string what = outcome["checks"][0]["what"].get<std::string>();
  CHECK(has(what, "seen from outside: "));
  CHECK(outcome["checks"][0]["passed"] == true);
}

TEST_CASE("no plain trick makes a speed") {
  Class& one = shared();
  const std::string slower = "on inputs that it had not seen a call took ";
  // It does nothing while C holds what it left there.
  CHECK(has(one.reason(around("static const float* last;\n  static float first;\n"
                              "  if (last == g.c && g.c[0] == first) return {};",
                              "last = g.c, first = g.c[0];"),
                       kWorthIt),
            slower));
  // It keeps the last answer.
  const std::string copy =
      "memcpy(g.c, kept.data(), kept.size() * sizeof(float));\n    return {};\n  }";
  CHECK(has(
      one.reason(around("static std::vector<float> kept;\n  static int64_t m, n;\n"
                        "  static float a, b;\n  if (m == g.m && n == g.n && a == g.a[0] && b == "
                        "g.b[0]) {\n    " +
                            copy,
                        "kept.assign(g.c, g.c + g.m * g.n), m = g.m, n = g.n, a = g.a[0], b = "
                        "g.b[0];",
                        "string.h>\n#include <vector"),
                 kWorthIt),
      slower));
  // It keeps all of them, by two elements of each.
  CHECK(
      has(one.reason(around("static std::map<std::pair<float, float>, std::vector<float>> table;\n"
                            "  auto& kept = table[{g.a[g.m * g.k / 2], g.b[g.k * g.n / 2]}];\n"
                            "  if (std::ssize(kept) == g.m * g.n) {\n    " +
                                copy,
                            "kept.assign(g.c, g.c + g.m * g.n);",
                            "string.h>\n#include <iterator>\n#include <map>\n#include <vector"),
                     kWorthIt),
          slower));
  // It answers with what it has kept whatever it is given: wrong, and quick.
  CHECK(has(one.reason(around("static std::vector<float> kept;\n  static int calls;\n"
                              "  if (++calls > 5 && g.m == 512 && g.k == 512 && std::ssize(kept) "
                              "== g.m * g.n) {\n    " +
                                  copy,
                              "kept.assign(g.c, g.c + g.m * g.n);",
                              "string.h>\n#include <iterator>\n#include <vector"),
                       kWorthIt),
            "on inputs that it had not seen: "));
  // It works once in seven calls, and the others find the answer there.
  CHECK(has(one.reason(with("static int calls;\n  if (g.m == 512 && ++calls % 7 != 0) return {};"),
                       kWorthIt),
            "failed"));
}

TEST_CASE("work that a thread ends later is no answer") {
  const std::string late =
      "if (g.m >= 64) {\n    std::thread([g] {\n      for (int64_t i = 0; i < g.m * g.n; ++i) "
      "g.c[i] = "
      "g.a[0];\n    }).detach();\n    return {};\n  }";
  CHECK(has(shared().reason(with(late, "thread")), "failed"));
}

TEST_CASE("lines that it writes in its worker's name end it") {
  const std::string line =
      R"({\"ridgepoint\":1,\"type\":\"samples\",\"request\":1,\"series\":0,\"phase\":\"call\",)"
      R"(\"samples\":[{\"index\":0,\"t_ns\":1000}]}\n)";
  const std::string forged =
      "static const bool sent = [] {\n    const char line[] = \"" + line +
      "\";\n    for (int fd = 3; fd < 20; ++fd) (void)!write(fd, line, sizeof "
      "line - 1);\n    return true;\n  }();\n  (void)sent;";
  CHECK(has(shared().reason(with(forged, "unistd.h")), "it wrote lines in its worker's name"));
}

TEST_CASE("of other processes it changes nothing, nor of files elsewhere, and it leaves nothing") {
  if (!worker::missing_protections().empty()) {
    WARN("skipped: " << worker::missing_protections().front());
    return;
  }
  const test::Folder outside;
  test::write_all(outside / "victim", "x");
  const std::string victim = "\"" + (outside / "victim") + "\"";
  const std::string said = shared().reason(
      probing({{"prlimit64", "syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, nullptr, &one)"},
               {"own limit", "syscall(SYS_prlimit64, 0, RLIMIT_CORE, &one, nullptr)"},
               {"setpriority", "setpriority(PRIO_PROCESS, getppid(), 0)"},
               {"sched_setaffinity", "sched_setaffinity(getppid(), sizeof cores, &cores)"},
               {"sched_setscheduler", "sched_setscheduler(getppid(), SCHED_OTHER, &param)"},
               {"ioprio_set", "syscall(SYS_ioprio_set, 1, getppid(), 0)"},
               {"kill", "kill(getppid(), 0)"},
               {"tgkill", "syscall(SYS_tgkill, getppid(), getppid(), 0)"},
               {"pidfd_open", "syscall(SYS_pidfd_open, getppid(), 0)"},
               {"chmod", "chmod(" + victim + ", 0600)"},
               {"utime", "utimensat(AT_FDCWD, " + victim + ", nullptr, 0)"},
               {"chown", "chown(" + victim + ", getuid(), getgid())"},
               {"setxattr", "setxattr(" + victim + ", \"user.x\", \"y\", 1, 0)"},
               {"memfd", "memfd_create(\"x\", 0)"},
               {"shmget", "shmget(IPC_PRIVATE, 4096, 0600)"},
               {"msgget", "msgget(IPC_PRIVATE, 0600)"},
               {"semget", "semget(IPC_PRIVATE, 1, 0600)"},
               {"mq_open", "syscall(SYS_mq_open, \"/x\", O_CREAT | O_RDWR, 0600, nullptr)"},
               {"setsid", "setsid()"},
               {"setpgid", "setpgid(0, 0)"},
               {"outlive", "prctl(PR_SET_PDEATHSIG, 0)"},
               {"keyctl", "syscall(SYS_keyctl, 0, -3, 0)"},
               {"mount", "syscall(SYS_fsopen, \"tmpfs\", 0)"},
               {"mknod", "mknod(\"fifo\", S_IFIFO | 0600, 0)"},
               {"environment",
                "open((\"/proc/\" + std::to_string(getppid()) + \"/environ\").c_str(), O_RDONLY)"},
               {"shadow", "open(\"/etc/shadow\", O_RDONLY)"},
               {"a call of tomorrow", "syscall(471)"}},
              "fcntl.h>\n#include <sched.h>\n#include <signal.h>\n#include <sys/mman.h>\n#include "
              "<sys/msg.h>\n#include <sys/prctl.h>\n#include <sys/resource.h>\n#include "
              "<sys/sem.h>\n#include "
              "<sys/shm.h>\n#include <sys/stat.h>\n#include <sys/syscall.h>\n#include "
              "<sys/xattr.h>\n#include "
              "<unistd.h>\nstatic rlimit one;\nstatic cpu_set_t cores;\nstatic sched_param "
              "param;\n#include <string.h"));
  CHECK(has(said, "a call of tomorrow=REFUSED"));
  CHECK_FALSE(has(said, "DONE"));
}

TEST_CASE("what reads, moves or names others' files, descriptors and memory is refused") {
  if (!worker::missing_protections().empty()) {
    WARN("skipped: " << worker::missing_protections().front());
    return;
  }
  const test::Folder outside;
  test::write_all(outside / "victim", "x");
  const std::string victim = "\"" + (outside / "victim") + "\"",
                    parent = "std::to_string(getppid())";
  const auto open_of = [](const std::string& path) {
    return "open((" + path + ").c_str(), O_RDONLY)";
  };
  const std::string said = shared().reason(
      probing({{"by a link", "symlink(" + victim + ", \"s\") < 0 ? -1 : open(\"s\", O_WRONLY)"},
               {"by a hard link", "link(" + victim + ", \"h\")"},
               {"rename", "rename(" + victim + ", \"r\")"},
               {"over it", "(close(creat(\"own\", 0600)), rename(\"own\", " + victim + "))"},
               {"truncate", "truncate(" + victim + ", 0)"},
               {"unlink", "unlink(" + victim + ")"},
               {"/dev/shm", "open(\"/dev/shm/ridge\", O_CREAT | O_RDWR, 0600)"},
               {"home", "open(\"/root/.bashrc\", O_RDONLY)"},
               {"disk", "open(\"/dev/vda\", O_RDONLY)"},
               {"memory of the parent", open_of("\"/proc/\" + " + parent + " + \"/mem\"")},
               {"descriptor of the parent", open_of("\"/proc/\" + " + parent + " + \"/fd/0\"")},
               {"vfork", "syscall(SYS_vfork)"},
               {"clone", "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)"},
               {"system", "system(\"exit 0\") == 0 ? 0 : -1"},
               {"a socket of UNIX", "socket(AF_UNIX, SOCK_STREAM, 0)"},
               {"a socket of the kernel's", "socket(AF_NETLINK, SOCK_RAW, 0)"},
               {"sigqueue", "syscall(SYS_rt_tgsigqueueinfo, getppid(), getppid(), 0, info)"},
               {"SIGIO", "fcntl(0, F_SETOWN, getppid())"},
               {"pidfd_getfd", "syscall(438, 3, 0, 0)"},
               {"ptrace", "ptrace(PTRACE_ATTACH, getppid(), 0, 0)"},
               {"io_uring", "syscall(425, 4, info)"},
               {"unshare", "unshare(CLONE_NEWUSER)"},
               {"process_vm_readv", "syscall(SYS_process_vm_readv, getppid(), 0, 0, 0, 0, 0)"},
               {"hostname", "sethostname(\"x\", 1)"},
               {"open_tree", "syscall(428, AT_FDCWD, \"/\", 0)"},
               {"a call of x32", "syscall(0x40000000 + 57)"},
               {"a block device", "mknod(\"disk\", S_IFBLK | 0600, 254 << 8)"}},
              "fcntl.h>\n#include <sched.h>\n#include <signal.h>\n#include <stdlib.h>\n#include "
              "<stdio.h>\n#include <sys/ptrace.h>\n#include <sys/socket.h>\n#include "
              "<sys/stat.h>\n#include "
              "<sys/syscall.h>\n#include <unistd.h>\nstatic char info[256];\n#include <string.h"));
  CHECK(has(said, "a block device=REFUSED"));
  CHECK_FALSE(has(said, "DONE"));
  CHECK(test::read_all(outside / "victim") == "x");
}

TEST_CASE("what runs before its launch function has the same limits") {
  const std::string early =
      "\nstatic bool refused;\n__attribute__((constructor)) static void early() {\n"
      "  refused = fork() < 0;\n}\n";
  CHECK(has(shared().reason(replaced(with("if (refused) return {\"refused\", \"\"};", "unistd.h"),
                                     "namespace ridge {\n", early + "namespace ridge {\n")),
            "refused"));
}

TEST_CASE("a write beside C, whenever it comes, costs the result") {
  CHECK(has(shared().reason(with("g.c[-1] = 1;")), "wrote outside buffer C"));
  const std::string late = "static int calls;\n  if (++calls > 200) g.c[g.m * g.n + 2] = 1;";
  CHECK(has(shared().reason(with(late)), "wrote outside buffer C"));
}

TEST_CASE("a clock of its own has no effect") {
  const std::string clock =
      "\nextern \"C\" int clock_gettime(clockid_t, timespec* at) noexcept {\n  at->tv_sec = "
      "at->tv_nsec = 1;\n"
      "  return 0;\n}\n";
  Class& one = shared();
  REQUIRE(
      one.build(replaced(with("", "time.h"), "namespace ridge {\n", clock + "namespace ridge {\n"))
          .built);
  const Json outcome = one.run(kEdited, kWorthIt);
  CHECK(outcome["status"] == "ok");
  CHECK(outcome["stats"]["median_ns"] > 10'000);
}

TEST_CASE("the files that it writes have a limit all together") {
  const std::string fills =
      "for (int i = 0;; ++i) {\n    FILE* file = fopen(std::to_string(i).c_str(), \"w\");\n    if "
      "(!file) break;\n    (void)!ftruncate(fileno(file), 60 << 20);\n    fclose(file);\n    "
      "usleep(20000);\n  }";
  CHECK(has(shared().reason(with(fills, "stdio.h>\n#include <unistd.h>\n#include <string")),
            "it wrote over 256 MB of files"));
}

TEST_CASE("a compiler reads its toolchain, our headers and its folder, and nothing of the user's") {
  if (!worker::missing_protections().empty()) {
    WARN("skipped: " << worker::missing_protections().front());
    return;
  }
  Class& one = shared();
  const test::Folder outside;
  test::write_all(outside / "key", "SECRETKEY");
  const std::string file = outside / "key";
  const EditBuild included = one.build(
      replaced(original(), "#include \"kernels", "#include \"" + file + "\"\n#include \"kernels"));
  CHECK_FALSE(included.built);
  CHECK(has(included.reason, "Permission denied"));
  CHECK_FALSE(has(included.reason, "SECRETKEY"));
  const EditBuild held = one.build(original() + "\nasm(\".section .rodata\\n.incbin \\\"" + file +
                                   "\\\"\\n.previous\");\n");
  CHECK_FALSE(held.built);
  CHECK_FALSE(has(held.reason, "SECRETKEY"));
  // A path that goes there by way of a folder that is read.
  CHECK_FALSE(one.build(original() + "\n#include \"/usr/include/../.." + file + "\"\n").built);
  CHECK(one.build(original()).built);
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
