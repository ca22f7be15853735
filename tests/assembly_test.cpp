// A rung's assembly: by the worker's own disassembler, and by hand-written lines whose loop is known.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "common/harness/measure/disassembly.h"
#include "common/harness/measure/hot_loop.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "tests/worker_process.h"

namespace ridge {
namespace {

using measure::hot_loop;
using measure::parse_objdump;
using measure::parse_sass;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The answer to an assembly request: its result, or its error.
Json ask(test::Worker* worker, const std::string& kernel, int64_t id = 1) {
  worker->send({{"type", "assembly"}, {"id", id}, {"kernel", kernel}});
  for (Json line = worker->next(); line.is_object(); line = worker->next()) {
    if (line["type"] == "result") return line["assembly"];
    if (line["type"] == "error") return line["error"];
  }
  FAIL("no answer");
  return nullptr;
}

const char* kTwoLoops =
    "0000000000001000 <f(int)>:\n"
    "    1000:\tmov    eax,DWORD PTR [rdi]\n"
    "    1004:\taddss  xmm0,DWORD PTR [rdi]\n"
    "    1008:\tjne    1004 <f(int)+0x4>\n"
    "    100a:\tlea    rax,[rdi+rdi*2]\n"
    "    100e:\tvfmadd231ps zmm0,zmm1,ZMMWORD PTR [rsi]\n"
    "    1014:\tvmovups ZMMWORD PTR [rdx],zmm0\n"
    "    101a:\tvmovups zmm1,ZMMWORD PTR [rcx]\n"
    "    1020:\tjne    100a <f(int)+0xa>\n"
    "    1022:\tjmp    1000 <f(int)>\n"
    "0000000000001030 <g()>:\n"
    "    1030:\tjne    1000 <f(int)>\n";

TEST_CASE("the loop with the most arithmetic per instruction is found, its instructions counted") {
  const auto lines = parse_objdump(kTwoLoops);
  REQUIRE(lines.size() == 12);
  CHECK(lines[0].text == "f(int):");
  CHECK(has(lines[8].text, "+0xa"));
  const auto loop = hot_loop(lines, false);
  REQUIRE(loop);
  CHECK(loop->first == 4);
  CHECK(loop->last == 8);
  CHECK(loop->instructions == 5);
  CHECK(loop->fma == 1);
  CHECK(loop->arithmetic == 0);
  CHECK(loop->loads == 2);  // of the FMA's operand and of zmm1; lea reads nothing
  CHECK(loop->stores == 1);
}

TEST_CASE("without arithmetic, or without a way back, no loop is marked") {
  CHECK_FALSE(hot_loop(parse_objdump("0000000000001000 <f>:\n"
                                     "    1000:\tmov    eax,DWORD PTR [rdi]\n"
                                     "    1004:\tjne    1000 <f>\n"),
                       false));
  CHECK_FALSE(hot_loop(parse_objdump("0000000000001000 <f>:\n"
                                     "    1000:\taddss  xmm0,xmm1\n"
                                     "    1004:\tjne    1008 <f+0x8>\n"
                                     "    1008:\tret\n"),
                       false));
}

TEST_CASE("SASS: predicates are passed over, the tensor instruction counts") {
  const auto lines = parse_sass(
      "        /*0000*/                   S2R R0, SR_CTAID.X ;   /* 0x0 */\n"
      "        /*0010*/                   LDS.128 R4, [R0] ;      /* 0x0 */\n"
      "        /*0020*/                   HMMA.16816.F32 R8, R4, R6, R8 ; /* 0x0 */\n"
      "        /*0030*/              @!P1 STG.E desc[UR4][R2.64], R8 ;  /* 0x0 */\n"
      "        /*0040*/               @P0 BRA 0x10 ;              /* 0x0 */\n"
      "        /*0050*/                   BRA 0x50 ;              /* 0x0 */\n",
      "_Z1kv");
  REQUIRE(lines.size() == 7);
  CHECK(lines[0].text == "k():");
  const auto loop = hot_loop(lines, true);
  REQUIRE(loop);
  CHECK(loop->first == 2);
  CHECK(loop->last == 5);
  CHECK(loop->fma == 1);
  CHECK(loop->loads == 1);
  CHECK(loop->stores == 1);
}

TEST_CASE("of a GPU rung only the code that was compiled with its file is looked at") {
  // As g++ and nvcc leave it: a file's local symbols follow its name, and each file has a symbol of that name.
  const char* kTable =
      "0000000000000000 l    df *ABS*\t0000000000000000              tmpxft_1_tuned.cudafe1.cpp\n"
      "0000000000309570 l     O .nvFatBinSegment\t0000000000000018              "
      "_ZL15__fatDeviceText\n"
      "0000000000304060 l     O .data.rel.ro\t0000000000000060              "
      "_ZL17ridge_kernel_desc\n"
      "0000000000000000 l    df *ABS*\t0000000000000000              tmpxft_2_ring.cudafe1.cpp\n"
      "00000000003040c0 l     O .data.rel.ro\t0000000000000060              "
      "_ZL17ridge_kernel_desc\n"
      "0000000000309588 l     O .nvFatBinSegment\t0000000000000018              "
      "_ZL15__fatDeviceText\n"
      "0000000000000000 l    df *ABS*\t0000000000000000              naive.cpp\n"
      "0000000000304120 l     O .data.rel.ro\t0000000000000060              "
      "_ZL17ridge_kernel_desc\n";
  const auto code_of = [&](int64_t registration) {
    return measure::symbol_beside(kTable, registration, "_ZL15__fatDeviceText");
  };
  CHECK(code_of(0x304060) == 0x309570);
  CHECK(code_of(0x3040c0) == 0x309588);
  CHECK(code_of(0x304120) == 0);  // no GPU code
  CHECK(code_of(0x1234) == 0);
}

/// An objdump that never ends, and says in a file which process it is.
struct StuckTool {
  test::Folder folder;
  std::string path = variable("PATH");
  StuckTool() {
    const std::string tool = folder / "objdump";
    test::write_all(tool, "#!/bin/sh\necho $$ > '" + (folder / "pid") + "'\nexec sleep 600\n");
    chmod(tool.c_str(), 0755);
    setenv("PATH", (folder.path.string() + ":" + path).c_str(), 1);
  }
  ~StuckTool() { setenv("PATH", path.c_str(), 1); }
  static std::string variable(const char* name) { return std::getenv(name); }

  /// The tool's number, once it has started.
  pid_t wait_for_start() const {
    for (int i = 0; i < 4000; ++i, usleep(5000)) {
      std::ifstream file(folder / "pid");
      if (pid_t pid = 0; file >> pid) return pid;
    }
    FAIL("the tool was not started");
    return 0;
  }
  /// Within 20 s, after which the test gives up.
  static bool is_gone(pid_t pid) {
    for (int i = 0; i < 4000; ++i, usleep(5000)) {
      std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
      std::string number, name, state;
      if (!(file >> number >> name >> state) || state == "Z")
        return true;  // or nobody has reaped it yet
    }
    return false;
  }
};

TEST_CASE("a stuck disassembler is ended with the command, and with the worker") {
  {
    const StuckTool tool;
    test::Program list(test::variable("RIDGE_BIN"), {"list", "--asm", "gemm.cpu.naive_o1"});
    const pid_t pid = tool.wait_for_start();
    list.interrupt();
    const test::Outcome outcome = list.finish();
    INFO(outcome.err);
    CHECK(outcome.code == 130);
    CHECK(outcome.err.find("cancelled") != std::string::npos);
    CHECK(tool.is_gone(pid));
  }
  const StuckTool tool;
  pid_t pid = 0;
  {
    test::Worker worker("RIDGE_WORKER");
    worker.send({{"type", "assembly"}, {"id", 1}, {"kernel", "gemm.cpu.naive_o1"}});
    pid = tool.wait_for_start();
  }
  CHECK(tool.is_gone(pid));
}

#if defined(__x86_64__)
/// Lines `first` to `last` of a text, counted from 1.
std::string lines_between(const std::string& text, int64_t first, int64_t last) {
  std::istringstream lines(text);
  std::string line, kept;
  for (int64_t number = 1; std::getline(lines, line); ++number) {
    if (number >= first && number <= last) kept += line + "\n";
  }
  return kept;
}

int64_t count(const std::string& text, const std::string& part) {
  int64_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST_CASE("real rungs: the loop at -O1 is scalar and has no FMA, the AVX-512 one is all FMA") {
  test::Worker worker("RIDGE_WORKER");
  const Json naive = ask(&worker, "gemm.cpu.naive_o1");
  INFO(dump_json(naive));
  if (naive.contains("code")) {  // no objdump, or a stripped worker: it says which
    CHECK(has(naive["hint"], "binutils"));
    RIDGE_SKIP(naive["what"].get<std::string>());
  }
  CHECK(naive["tool"] == "objdump");
  CHECK(naive["target"] == "x86-64");
  CHECK(naive["loop_fma"] == 0);
  CHECK(naive["loop_arithmetic"] >= 2);
  const std::string text = naive["text"];
  CHECK(has(text, "ridge::(anonymous namespace)::launch_naive(ridge::Launch const&):"));
  CHECK(has(text, "mulss"));
  CHECK_FALSE(has(text, "vfmadd"));
  CHECK_FALSE(has(text, "mulps"));

  const Json wide = ask(&worker, "gemm.cpu.packed_avx512", 2);
  CHECK(wide["loop_fma"] >= 28);  // a tile of 14 x 32 takes that many a step
  CHECK(wide["loop_stores"] == 0);
  const std::string tile = wide["text"];
  CHECK(has(tile, "vfmadd231ps zmm"));
  CHECK(wide["lines"] > 2000);
  CHECK(worker.longest_line() < 64 * 1024);
  // What is marked is what was counted.
  CHECK(count(lines_between(tile, wide["loop_first"], wide["loop_last"]), "vfmadd") ==
        wide["loop_fma"]);

  // A loop that lies deep in its function: the name stays, what comes between is counted.
  const Json deep = ask(&worker, "attention_backward.cpu.stored", 3);
  CHECK(has(deep["text"], "lines are left out"));
  CHECK(deep["loop_first"] < 100);
}

#if __GNUC__ == 12 && !defined(__clang__)
TEST_CASE("three loops at -O3 are what the lesson says of g++ 12: one mulps, four addss in order") {
  test::Worker worker("RIDGE_WORKER");
  const Json naive = ask(&worker, "gemm.cpu.naive_o3");
  INFO(dump_json(naive));
  if (naive.contains("code")) RIDGE_SKIP(naive["what"].get<std::string>());
  const std::string loop = lines_between(naive["text"], naive["loop_first"], naive["loop_last"]);
  CHECK(count(loop, "mulps") == 1);
  CHECK(count(loop, "addss") == 4);
  CHECK(count(loop, "addps") == 0);  // the sum is never split into lanes
}
#endif
#endif

TEST_CASE("what cannot be shown says why, and what to do") {
  test::Worker without("RIDGE_WORKER", {{"PATH", "/nonexistent"}});
  const Json missing = ask(&without, "gemm.cpu.naive_o1");
  CHECK(missing["code"] == 69);
  CHECK(missing["what"] == "objdump: it is not installed");
  CHECK(has(missing["hint"], "apt install binutils"));
  CHECK(ask(&without, "gemm.cpu.nothing", 2)["code"] == 64);
  const Json peer = ask(&without, "gemm.cpu.numpy", 3);
  CHECK(peer["code"] == 69);
  CHECK(has(peer["what"], "NumPy"));
}

TEST_CASE("list --source prints a rung's file; --flat folds in the kernel headers it includes") {
  const std::string program = test::variable("RIDGE_BIN");
  const auto file = test::Program(program, {"list", "--source", "packed"}).finish();
  CHECK(file.code == 0);
  CHECK(has(file.out, "#include \"kernels/"));
  const auto flat = test::Program(program, {"list", "--source", "packed", "--flat"}).finish();
  CHECK(flat.code == 0);
  CHECK_FALSE(has(flat.out, "#include \"kernels/"));
  CHECK_FALSE(has(flat.out, "#pragma once"));
  CHECK(has(flat.out, "// ==== kernels/runtime/problems/gemm.h\n"));
  CHECK(has(flat.out, "// ==== kernels/gemm/rungs/packed.cpp, continued\n"));
  const auto unknown = test::Program(program, {"list", "--source", "nothing"}).finish();
  CHECK(unknown.code == 64);
}

TEST_CASE("list --asm prints it, by the rung's short name too") {
  const std::string program = test::variable("RIDGE_BIN");
  const auto shown = test::Program(program, {"list", "--asm", "naive_o1"}).finish();
  if (shown.code == 0) {
    CHECK(has(shown.out, "gemm.cpu.naive_o1"));
    CHECK(has(shown.out, "The loop at lines "));
  } else {
    CHECK(shown.code == 69);  // no disassembler here
  }
  const auto unknown = test::Program(program, {"list", "--asm", "nothing", "--json"}).finish();
  CHECK(unknown.code == 64);
  CHECK(has(unknown.json()["error"]["hint"], "list"));
}

}  // namespace
}  // namespace ridge
