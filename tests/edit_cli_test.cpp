// A learner's file on the command line: edit, run, compare, what a saved run holds.
#include <array>
#include <filesystem>

#include "common/record/run.h"
#include "tests/edit_class.h"

namespace ridge {
namespace {

using namespace test;

/// The program as a user starts it, with this home.
test::Outcome ridgepoint(std::vector<std::string> args) {
  return test::Program(test::variable("RIDGE_BIN"), std::move(args)).finish();
}

TEST_CASE("a fault costs its own row: what ran before it is in the table and in the file") {
  const test::Folder folder;
  setenv("RIDGE_EDIT_PATIENCE_S", "1", 1);
  const std::string file = folder / "mine.cpp", saved = folder / "run.jsonl";
  const std::vector<std::array<std::string, 2>> faults = {
      {with("*(volatile int*)8 = 1;"), "crashed (SIGSEGV)"},
      {with("exit(0);", "stdlib.h"), "ended with exit code 0"},
      {replaced(original(), "+= scale", "+= __builtin_nanf(\"\") * scale"), " NaN ✗"},
      {with("for (;;) puts(\"endless\");", "stdio.h"), "gave no sign"}};
  for (const auto& [text, said] : faults) {
    test::write_all(file, text);
    const test::Outcome ran =
        ridgepoint({"run", "gemm", "--rungs", "naive_o3", "--edit", file, "--set", "n=48", "--mode",
                    "live", "--limit", "0.02", "--out", saved});
    INFO(ran.out + ran.err);
    CHECK(ran.code == 3);
    CHECK(has(ran.out, "loop_order_edit: failed: "));
    CHECK(has(ran.out, said));
    CHECK(!has(ran.out + ran.err, "endless\nendless"));
    const auto run = Run::load(saved);
    REQUIRE(run);
    REQUIRE(run->series().size() == 2);
    CHECK(run->series()[0].status == SeriesStatus::ok);
    CHECK(run->series()[1].status == SeriesStatus::failed);
  }
  const std::string before = test::read_all(saved);
  for (const char* call : {"oops;", "extern void nowhere(); nowhere();"}) {
    test::write_all(file, with(call));
    const test::Outcome ran = ridgepoint({"run", "gemm", "--edit", file, "--out", saved});
    CHECK(ran.code == 3);
    CHECK(has(ran.err, "ridgepoint: " + file + ": it "));
  }
  CHECK(test::read_all(saved) == before);  // nothing was measured: the file of before stays
  unsetenv("RIDGE_EDIT_PATIENCE_S");
}

TEST_CASE("a build line's flags run no program and make no file") {
  const test::Folder folder, home;
  const std::string file = home / "mine.cpp", program = home / "evil";
  test::write_all(program, "#!/bin/sh\ntouch '" + (folder / "ran") + "'\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string path = test::variable("PATH");
  setenv("PATH", (home.path.string() + ":" + path).c_str(), 1);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(
      folder.path);  // where a compiler leaves what flags without a folder name
  for (const char* flag : {"-fmodules-ts,-fmodule-mapper=|evil",
                           "-fopt-info-all=made",
                           "-fdump-tree-original=made",
                           "-fdump-tree-all",
                           "-fstack-usage",
                           "-fcallgraph-info",
                           "-ftest-coverage",
                           "-fsave-optimization-record",
                           "-fprofile-use=made",
                           "-fplugin=evil",
                           "-fuse-ld=evil",
                           "-mllvm,-load=evil",
                           "-D_=$(evil)",
                           "-DX=made/made",
                           "-Wno-x=made",
                           "-Wl,-o,made",
                           "-save-temps",
                           "-wrapper,evil",
                           "-Bmade",
                           "@made",
                           "-o,made"}) {
    test::write_all(file, replaced(original(), "flags=-O3", "flags=-O3," + std::string(flag)));
    const test::Outcome ran =
        ridgepoint({"run", "gemm", "--edit", file, "--set", "n=64", "--mode", "live"});
    INFO(flag << "\n" << ran.err);
    CHECK(ran.code == 3);
    const std::string all = flag;
    const std::string named = all.substr(0, all.find(','));
    CHECK(has(ran.err, "asks for " + named + ", which is not an allowed flag; docs/your_turn.md"));
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
    CHECK(folder.count() == 0);
  }
  std::filesystem::current_path(before);
  setenv("PATH", path.c_str(), 1);
}

TEST_CASE("the command line edits, runs and compares, and its exit codes say how it went") {
  const test::Folder folder;
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
  // A library's rung is nobody's to change, also where it was not compiled: no oneDNN, no CUDA.
  for (const char* peer : {"onednn", "openblas", "gemm.cuda.cublas"}) {
    INFO(peer);
    CHECK(ridgepoint({"edit", peer, "--to", folder / "peer"}).code == 69);
  }
  CHECK(ridgepoint({"compare", "gemm"}).code == 64);
  CHECK(ridgepoint({"exercise", "start", "nonesuch"}).code == 64);
  CHECK(ridgepoint({"leaderboard", folder / "none"}).code == 65);

  test::expect_schemas(test::schema_argument("transcript", run));

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
}

}  // namespace
}  // namespace ridge
