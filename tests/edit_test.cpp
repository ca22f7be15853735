// A learner's rung: what its text may do to the worker (nothing), and what it is told.
#include <sys/stat.h>

#include <filesystem>

#include "app/editing.h"
#include "app/exercises.h"
#include "app/leaderboard.h"
#include "tests/program.h"
#include "tests/synthetic_run.h"
#include "tests/worker_process.h"

namespace ridge {
namespace {

using test::Worker;

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

const std::string& original() {
  static const std::string text =
      test::read_all(test::variable("RIDGE_SOURCE") + "/kernels/gemm/loop_order.cpp");
  REQUIRE(!text.empty());
  return text;
}

/// The rung with a statement more in its launch function.
std::string with(const std::string& statement, const std::string& include = "") {
  const std::string first = "  const Gemm g = gemm_of(launch);\n";
  const std::string text = replaced(original(), first, first + "  " + statement + "\n");
  return include.empty() ? text
                         : replaced(text, "#include \"kernels",
                                    "#include <" + include + ">\n#include \"kernels");
}

/// Gives a failing Status with errno's number where the call was refused.
std::string refusing(const std::string& call, const std::string& include) {
  return with("if (" + call +
                  ") return {errno == EACCES || errno == EPERM ? \"refused\" : \"other\", \"\"};",
              "errno.h>\n#include <stdlib.h>\n#include <" + include);
}

constexpr const char* kEdited = "gemm.cpu.loop_order_edit";

/// One worker for all that learners did to it: it has to outlive every one of them.
struct Class {
  Worker worker{"RIDGE_WORKER"};
  int64_t id = 10;

  EditBuild build(const std::string& text, const std::string& kernel = "gemm.cpu.loop_order") {
    worker.send({{"type", "build"}, {"id", ++id}, {"kernel", kernel}, {"text", text}});
    for (;;) {
      const Json line = worker.until("result", id);
      REQUIRE(!line.is_null());
      if (line.contains("build")) return line["build"].get<EditBuild>();
    }
  }
  /// Its outcome at a small size, or a null.
  Json run(const std::string& kernel = kEdited, Params params = {{"n", int64_t{64}}}) {
    worker.send({{"type", "run"},
                 {"id", ++id},
                 {"lab", "gemm"},
                 {"mode", "live"},
                 {"limit_s", 0.05},
                 {"kernels", {{{"kernel", kernel}, {"params", params_to_json(params)}}}}});
    for (;;) {
      const Json line = worker.until("result", id);
      REQUIRE(!line.is_null());
      if (!line.contains("outcome")) continue;
      worker.until("done", id);
      return line["outcome"];
    }
  }
  std::string reason(const std::string& text) {
    const EditBuild made = build(text);
    if (!made.built) return made.reason;
    const Json outcome = run();
    return outcome["status"].get<std::string>() + ": " + outcome["reason"].get<std::string>();
  }
};

Class& shared() {
  static Class made;
  return made;
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("an edited rung is built, checked with seeds of its own, and timed") {
  Class& one = shared();
  const EditBuild build = one.build(original());
  CHECK(build.built);
  CHECK(build.kernel == kEdited);
  CHECK(build.hash.size() == 16);
  CHECK(build.compile_s > 0);
  const Json outcome = one.run();
  CHECK(outcome["status"] == "ok");
  CHECK(outcome["hash"] == build.hash);
  CHECK(outcome["stats"]["n"].get<int>() > 0);
  // Live mode too: the awkward shapes come before any timing.
  const std::string what = outcome["checks"][0]["what"];
  CHECK(has(what, "awkward problems"));
  CHECK(std::stoll(what.substr(what.find("seed ") + 5)) > 1000);  // 1 to 3 are the built-in rungs'
  const EditBuild other = one.build(with("(void)0;"));
  CHECK(other.hash != build.hash);
  const EditBuild naive =
      one.build(test::read_all(test::variable("RIDGE_SOURCE") + "/kernels/gemm/naive.cpp"),
                "gemm.cpu.naive_o1");
  CHECK(naive.kernel == "gemm.cpu.naive_o1_edit");
}

TEST_CASE("its names are its own, and what rungs share is the worker's") {
  Class& one = shared();
  // packed.cpp defines a table that threads.cpp of the worker uses: an edit must not get the worker's.
  const std::string kernels = test::variable("RIDGE_SOURCE") + "/kernels/gemm/";
  const std::string text =
      replaced(test::read_all(kernels + "packed.cpp"), "s * v + sum", "s * v * 1.01f + sum");
  REQUIRE(one.build(text, "gemm.cpu.packed").built);
  CHECK(one.run("gemm.cpu.packed_edit")["status"] == "failed");
  CHECK(one.build(test::read_all(kernels + "threads.cpp"), "gemm.cpu.threads").built);
}

TEST_CASE("its assembly is that of its own object") {
  Class& one = shared();
  const auto text_of = [&](const std::string& text) {
    REQUIRE(one.build(text).built);
    one.worker.send({{"type", "assembly"}, {"id", ++one.id}, {"kernel", kEdited}});
    const Json line = one.worker.until("done", one.id);
    if (line["status"] != "ok") return std::string();
    return one.worker.of_type("result").back()["assembly"]["text"].get<std::string>();
  };
  const std::string plain = text_of(original());
  if (plain.empty()) {
    WARN("no objdump here");
    return;
  }
  CHECK(has(plain, "launch_loop_order"));
  CHECK(!has(plain, "frame_dummy"));
  CHECK(text_of(with("asm volatile(\"nopw 0x123(%rax)\");")) != plain);
}

TEST_CASE("errors of the compiler stand at their line") {
  const EditBuild build = shared().build(with("int x = undeclared;"));
  CHECK(!build.built);
  REQUIRE(!build.messages.empty());
  const std::string text = with("int x = undeclared;");
  const auto before = text.substr(0, text.find("undeclared"));
  CHECK(build.messages[0].line == 1 + std::count(before.begin(), before.end(), '\n'));
  CHECK(build.messages[0].column == 11);
  CHECK(build.messages[0].kind == "error");
  CHECK(has(build.messages[0].text, "undeclared"));
  CHECK(has(build.reason, "line " + std::to_string(build.messages[0].line)));
}

TEST_CASE("a text that is no rung, or asks its compiler for more, is refused with a sentence") {
  Class& one = shared();
  CHECK(has(one.reason("int main() {}\n"), "registers no kernel"));
  CHECK(has(one.reason(replaced(original(), "flags=-O3", "flags=-fplugin=/tmp/x.so")), "-fplugin"));
  CHECK(has(one.reason(replaced(original(), "flags=-O3", "flags=-Wl,-rpath,/")), "build line"));
  CHECK(has(one.reason(replaced(original(), "flags=-O3", "isa=avx9")), "avx9"));
  CHECK(has(one.reason(replaced(original(), "RIDGE_KERNEL(gemm, cpu, loop_order",
                                "RIDGE_KERNEL(gemm, cpu, ../../x")),
            "registers no kernel"));
}

TEST_CASE("whatever it does, it costs one sentence") {
  Class& one = shared();
  CHECK(has(one.reason(replaced(original(), "+= scale", "+= 1.001f * scale")), "failed: k="));
  CHECK(has(one.reason(with("*(volatile int*)8 = 1;")), "crashed (SIGSEGV)"));
  CHECK(has(one.reason(with("g.c[g.m * g.n + 2] = 1;")), "wrote outside buffer C"));
  CHECK(has(one.reason(with("g.c[g.m * g.n + (1ll << 40)] = 1;")), "crashed (SIGSEGV)"));
  CHECK(has(one.reason(with("exit(0);", "stdlib.h")), "ended with exit code 0"));
  CHECK(has(one.reason(with("abort();", "stdlib.h")), "crashed (SIGABRT)"));
  CHECK(has(one.reason(with("extern void nowhere(); nowhere();")), "could not be loaded"));
  CHECK(
      has(one.reason(original() +
                     "\n__attribute__((constructor)) static void f() { *(volatile int*)8 = 1; }\n"),
          "could not be loaded"));
  // And the worker is as it was: an ordinary rung, and a good text, run.
  CHECK(one.run("gemm.cpu.loop_order")["status"] == "ok");
  CHECK(has(one.reason(original()), "ok"));
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

TEST_CASE("it is compared in pairs with the rung that it was made from") {
  Class& one = shared();
  CHECK(one.build(original()).built);
  Json line = test::run_of({"gemm.cpu.loop_order", kEdited}, 48);
  line["type"] = "compare";
  line["id"] = 950;
  line["limit_s"] = 0.3;
  line["warmup_s"] = 0.01;
  one.worker.send(line);
  CHECK(one.worker.until("done", 950)["status"] == "ok");
  bool compared = false;
  for (const Json& result : one.worker.of_type("result")) {
    compared |= result["request"] == 950 && result.contains("comparisons");
  }
  CHECK(compared);
}

TEST_CASE("every exercise: the hole fails the gate, the reference passes it") {
  Class& one = shared();
  const auto all = app::all_exercises();
  REQUIRE(all);
  std::map<std::string, int> of_lab;
  for (const app::Exercise& exercise : *all) {
    INFO(exercise.name);
    ++of_lab[exercise.lab];
    CHECK(!has(exercise.handed_out, "Hint"));
    CHECK(has(exercise.handed_out, "YOUR TURN"));
    if (exercise.is_cuda) continue;  // tests/gpu
    const Params params = exercise.lab == "weightless" ? Params{{"luts", int64_t{20}},
                                                                {"images", int64_t{63}},
                                                                {"bits", int64_t{2}},
                                                                {"epochs", int64_t{0}}}
                                                       : Params{{"n", int64_t{48}}};
    const std::string edited = exercise.kernel + "_edit";
    for (const bool filled : {false, true}) {
      const EditBuild build = one.build(filled ? exercise.reference : exercise.handed_out, "");
      INFO(build.reason);
      REQUIRE(build.kernel == edited);
      const Json outcome = build.built ? one.run(edited, params) : Json({{"status", "failed"}});
      CHECK(outcome["status"] == (filled ? "ok" : "failed"));
      CHECK(app::exercise_of(filled ? exercise.reference : exercise.handed_out)->name ==
            exercise.name);
    }
  }
  CHECK(of_lab["gemm"] >= 2);
  CHECK(of_lab["weightless"] >= 2);
}

TEST_CASE("an exercise's file says what it lacks") {
  const std::string path = "assets/exercises/gemm/turned_loops.cpp";
  const std::string text = test::read_all(test::variable("RIDGE_SOURCE") + "/" + path);
  CHECK(app::parse_exercise(path, text).ok());
  for (const char* part :
       {"// Exercise", "// After", "// Task", "// solution:", "// end of solution"}) {
    CHECK(!app::parse_exercise(path, replaced(text, part, "// x")).ok());
  }
  CHECK(!app::parse_exercise("assets/exercises/gemm/other.cpp", text).ok());
}

/// A run with one comparison of an edited rung.
Run compared(double ratio, double low, double high, const std::string& cpu = "CPU A") {
  test::Transcript to;
  Environment environment = test::environment();
  environment.cpu.model = cpu;
  to.worker("env", {{"environment", environment}, {"when", "before"}});
  to.app("compare",
         {{"id", 1},
          {"lab", "gemm"},
          {"kernels", {{{"kernel", "gemm.cpu.naive_o3"}}, {{"kernel", "gemm.cpu.x_edit"}}}}});
  Series series = test::outcome(1, 1, "gemm.cpu.x_edit");
  to.worker("result", {{"request", 1}, {"series", 1}, {"outcome", series}});
  Comparison made;
  made.baseline = "gemm.cpu.naive_o3";
  made.candidate = "gemm.cpu.x_edit";
  made.ratio = ratio;
  made.ci = Interval{low, high};
  made.verdict = Verdict::faster;
  to.worker("result", {{"request", 1}, {"comparisons", std::vector<Comparison>{made}}});
  to.worker("done", {{"request", 1}, {"status", "ok"}});
  Run run;
  for (const std::string& line : to.lines) run.apply_line(line);
  return run;
}

TEST_CASE("a leaderboard ranks pairs, calls overlap a tie, and keeps machines apart") {
  app::Leaderboard all;
  app::add_run(compared(2.0, 1.95, 2.05), "ada", &all);
  app::add_run(compared(2.02, 1.97, 2.06), "grace", &all);
  app::add_run(compared(1.5, 1.4, 1.6), "alan", &all);
  app::add_run(compared(9.0, 8.9, 9.1, "CPU B"), "elsewhere", &all);
  app::rank_entries(&all);
  REQUIRE(all.boards.size() == 2);
  const auto& first = all.boards[0].entries;
  REQUIRE(first.size() == 3);
  CHECK(first[0].file == "grace");
  CHECK(first[0].rank == 1);
  CHECK(first[1].rank == 1);  // their intervals overlap
  CHECK(first[2].file == "alan");
  CHECK(first[2].rank == 3);
  CHECK(all.boards[1].entries.size() == 1);
  CHECK(has(app::leaderboard_text(all), "not comparable"));
  app::add_run(Run(), "empty", &all);
  REQUIRE(all.left_out.size() == 1);
  CHECK(has(all.left_out[0].sentence(), "no learner's rung"));
}

TEST_CASE("a learner's file is copied once and its saves are seen") {
  const test::Folder folder;
  const std::string file = app::learner_file(folder.path.string() + "/edits", "gemm.cpu.x", false);
  CHECK(*app::make_copy(file, "one"));
  CHECK(!*app::make_copy(file, "two"));
  CHECK(*app::read_learner_file(file) == "one");
  app::FileWatch watch(file);
  CHECK(!watch.changed());
  test::write_all(file, "three");
  CHECK(watch.changed());
  CHECK(!watch.changed());
  CHECK(!app::read_learner_file(folder / "none").ok());
  test::write_all(file, std::string(50'000, ' '));
  CHECK(!app::read_learner_file(file).ok());
}

/// The program as a user starts it, with this home.
test::Outcome ridgepoint(std::vector<std::string> args) {
  return test::Program(test::variable("RIDGE_BIN"), std::move(args)).finish();
}

TEST_CASE("the command line edits, runs and compares, and its exit codes say how it went") {
  const test::Folder folder;
  setenv("RIDGE_CEILINGS", "off", 1);
  const std::string file = folder / "mine.cpp";
  const test::Outcome copy = ridgepoint({"edit", "loop_order", "--to", file});
  CHECK(copy.code == 0);
  CHECK(test::read_all(file) == original());
  const std::string run = folder / "run.jsonl";
  const test::Outcome ran = ridgepoint({"run", "gemm", "--edit", file, "--set", "n=64", "--mode",
                                        "live", "--limit", "0.05", "--out", run});
  INFO(ran.err);
  CHECK(ran.code == 0);
  CHECK(has(ran.out, "loop_order_edit"));
  test::write_all(file, replaced(original(), "+= scale", "+= 2 * scale"));
  CHECK(ridgepoint({"run", "gemm", "--edit", file, "--set", "n=64", "--mode", "live"}).code == 3);
  test::write_all(file, with("oops;"));
  const test::Outcome broken = ridgepoint({"run", "gemm", "--edit", file});
  CHECK(broken.code == 3);
  CHECK(has(broken.err, "mine.cpp:20:"));
  CHECK(ridgepoint({"edit", "onednn"}).code == 69);
  CHECK(ridgepoint({"compare", "gemm"}).code == 64);
  CHECK(ridgepoint({"exercise", "start", "nonesuch"}).code == 64);
  CHECK(ridgepoint({"leaderboard", folder / "none"}).code == 65);

  CHECK(test::check_schemas(test::schema_argument("transcript", run)) != 1);

  // Opening what was saved reads it and no more, whatever the learner's text in it would do.
  const std::string bomb = "__attribute__((constructor)) void f() { creat(\\\"" + (folder / "ran") +
                           "\\\", 0600); }\\n// ridge: flags=-O3";
  std::string lines = test::read_all(run);
  size_t count = 0;
  for (size_t at = 0; (at = lines.find("// ridge: flags=-O3", at)) != std::string::npos;
       at += bomb.size(), ++count) {
    lines.replace(at, std::string("// ridge: flags=-O3").size(), bomb);
  }
  CHECK(count >= 2);  // the request's text, and the source as it was built
  test::write_all(folder / "class.jsonl", lines);
  const std::string saved = folder / "class.jsonl";
  REQUIRE(Run::load(saved));
  CHECK(has(Run::load(saved)->source(kEdited)->text, "constructor"));
  CHECK(ridgepoint({"report", saved, "--out", folder / "report.html"}).code == 0);
  CHECK(ridgepoint({"leaderboard", folder.path.string()}).code == 0);
  CHECK(!std::filesystem::exists(folder / "ran"));
  unsetenv("RIDGE_CEILINGS");
}

}  // namespace
}  // namespace ridge
