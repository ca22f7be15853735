// ridgepoint count: a CUDA rung counted on this CPU. Whatever a learner's text does costs one sentence.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "common/core/format.h"
#include "common/record/json.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::test;

namespace {

Outcome count(std::vector<std::string> args) {
  args.insert(args.begin(), "count");
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

std::string naive() {
  return read_all(variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/naive.cu");
}

/// The text of naive with its store, or its launch, replaced; "\n" counts the lines of what comes after.
std::string naive_with(const std::string& old, const std::string& text) {
  std::string all = naive();
  const size_t at = all.find(old);
  REQUIRE(at != all.npos);
  return all.replace(at, old.size(), text);
}

constexpr const char* kStore = "c[row * n + col] = acc;";
constexpr const char* kLaunch = "  const ridge::Gemm g = ridge::gemm_of(launch);";

/// The line of the first `part` in a text, from 1.
int line_of(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  REQUIRE(at != text.npos);
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

bool is_one_sentence(const std::string& err) {
  return err.rfind("ridgepoint: ", 0) == 0 && err.find('\n') == err.size() - 1;
}

/// A text of a learner's, counted at n = 32.
Outcome count_text(const std::string& text) {
  const Folder folder;
  write_all(folder / "mine.cu", text);
  return count({"gemm.cuda.naive", "--set", "n=32", "--file", folder / "mine.cu", "--json"});
}

}  // namespace

TEST_CASE("a rung is counted by line, checked, and kept in the run") {
  const Folder folder;
  const Outcome outcome =
      count({"gemm.cuda.naive", "--set", "n=64", "--json", "--out", folder / "counted.jsonl"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json counts = outcome.json()["counts"];
  CHECK(counts["check"]["passed"] == true);
  CHECK(counts["faults"].empty());
  CHECK(counts["launches"] == Json::array({{{"blocks", 4},
                                            {"threads", 1024},
                                            {"static_shared_bytes", 0},
                                            {"dynamic_shared_bytes", 0}}}));
  // 128 warps; each asks for 64 elements of A, 32 rows at a time, and for 64 of B, one for all lanes.
  std::map<int, LineCounts> at;
  for (const Json& line : counts["lines"]) at[line["line"].get<int>()] = line.get<LineCounts>();
  const LineCounts& multiply = at[line_of(naive(), "acc += a_row[i]")];
  CHECK(multiply.flop == 2 * 64 * 64 * 64);
  CHECK(multiply.counts.global_reads.requests == 128 * 64 * 2);
  CHECK(multiply.counts.global_reads.sectors == 128 * 64 * 33);
  const LineCounts& store = at[line_of(naive(), kStore)];
  CHECK(store.counts.global_writes.requests == 128);
  CHECK(store.counts.global_writes.sectors == 128 * 32);

  const auto run = Run::load(folder / "counted.jsonl");
  REQUIRE(run);
  const KernelCounts* kept = run->latest_counts("gemm.cuda.naive");
  REQUIRE(kept != nullptr);
  CHECK(kept->total().flop == 2 * 64 * 64 * 64);
  CHECK(run->requests().front().type == RequestType::count);
  CHECK(run->requests().front().status == RequestStatus::ok);
}

TEST_CASE("a product of tensor cores is counted at its line, by the tile that it pads to") {
  const Outcome outcome =
      count({"gemm.cuda.wmma", "--set", "n=16", "--json"});  // its own first type is fp16
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json counts = outcome.json()["counts"];
  CHECK(counts["check"]["passed"] == true);
  const int product =
      line_of(read_all(variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/wmma.cu"), "wmma::mma_sync");
  int64_t flop = 0;
  for (const Json& line : counts["lines"]) {
    const LineCounts at = line.get<LineCounts>();
    flop += at.flop;
    CHECK((at.flop > 0) == (at.line == product));
  }
  CHECK(flop == 2 * 128 * 128 * 32);
}

TEST_CASE("the table names the source's lines, and says that nothing was timed") {
  const Outcome outcome = count({"gemm.cuda.shared_tile"});  // without a size: a small problem
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(has(outcome.out, "counted here, not timed: its check passed"));
  CHECK(has(outcome.out, "128"));
  CHECK(has(outcome.out, "sectors/request"));
  CHECK(has(outcome.out, "for (int i = 0; i < kTile; ++i) acc += tile_a"));
}

TEST_CASE("what a chip needs at least stands beside the time that it was recorded to take") {
  const Outcome outcome =
      count({"gemm.cuda.naive", "--set", "n=128", "--chip", "H200", "--chip", "t4", "--json"});
  REQUIRE(outcome.code == 0);
  const nlohmann::json bounds = outcome.json()["bounds"];
  REQUIRE(bounds.size() == 2);
  CHECK(bounds[0]["chip"] == "T4");
  CHECK_FALSE(bounds[0].contains("recorded"));  // nobody recorded one
  CHECK(bounds[1]["parts"][0]["name"] == "L1 and shared memory");
  CHECK(bounds[1]["has_registers"] == true);
  // 33 lines for each two requests, looked up one a clock: what the H200 took for 4096^3 is that and little else.
  const nlohmann::json recorded = bounds[1]["recorded"];
  const double ratio = recorded["seconds"].get<double>() / recorded["bound_seconds"].get<double>();
  CHECK(recorded["params"]["n"] == 4096);
  CHECK(ratio > 1);
  CHECK(ratio < 1.05);
  const Outcome table = count({"gemm.cuda.naive", "--set", "n=128", "--chip", "all"});
  CHECK(has(table.out, "RTX 3060"));
  CHECK(has(table.out, "* without registers"));
  CHECK(has(table.out, " at n = 4096: 1.0"));
  const Outcome unknown = count({"gemm.cuda.naive", "--chip", "B200"});
  CHECK(unknown.code == 64);
  CHECK(has(unknown.err, "name one of T4, RTX 3060, A100, H100, H200, all"));
}

TEST_CASE("what a recording beats is not called the least that a chip needs") {
  const Outcome beaten = count({"gemm.cuda.shared_tile", "--set", "n=64", "--chip", "H200"});
  INFO(beaten.out << beaten.err);
  REQUIRE(beaten.code == 0);
  CHECK_FALSE(has(beaten.out, "at least"));
  CHECK(has(beaten.out, "L1 and shared memory is counted too high and is no lower bound"));
  const Outcome holds = count({"gemm.cuda.naive", "--set", "n=64", "--chip", "H200"});
  CHECK(has(holds.out, "What a chip needs at least"));
  CHECK_FALSE(has(holds.out, "no lower bound"));
}

TEST_CASE("a warp's first requests are printed, a line each") {
  const Outcome outcome = count({"gemm.cuda.naive", "--set", "n=64", "--steps", "2"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const std::string line = "Line " + std::to_string(line_of(naive(), "acc += a_row[i]"));
  CHECK(
      has(outcome.out,
          "warp 0 of block 0 makes 129 requests; the first 2 are shown, counted here, not timed\n" +
              line +
              ": the 1st request of warp 0 reads 128 bytes of A: 32 sectors of 32 bytes, 128 of " +
              format_count(1024) + " bytes of use.\n" + line +
              ": the 2nd request of warp 0 reads 4 bytes of B, the same for 32 lanes: "
              "1 sector of 32 bytes, 4 of 32 bytes of use.\n"));
  CHECK_FALSE(has(outcome.out, "the 3rd request"));
  CHECK_FALSE(has(count({"gemm.cuda.naive", "--set", "n=32"}).out, "request of warp"));
  CHECK(count({"gemm.cuda.naive", "--steps", "0"}).code == 64);
}

TEST_CASE("a learner's faults are named with both lines") {
  const std::string text = naive_with(
      kStore,
      "__shared__ float s[1024];\nconst int t = threadIdx.y * 32 + threadIdx.x;\ns[t] = acc;\n"
      "c[row * n + col] = s[t ^ 32];");
  const Outcome outcome = count_text(text);
  INFO(outcome.err);
  CHECK(outcome.code == 3);
  const Json counts = outcome.json()["counts"];
  REQUIRE(!counts["faults"].empty());
  const Json& fault = counts["faults"][0];
  CHECK((fault["kind"] == "race" || fault["kind"] == "unwritten"));
  CHECK(fault["line"] == line_of(text, "s[t ^ 32]"));
  CHECK(counts["kernel"] == "gemm.cuda.naive_edit");
}

TEST_CASE("assembly that is not emulated stops the launch, and its line is named") {
  const std::string text = naive_with(kStore, "asm volatile(\"nanosleep.u32 20;\");");
  const Outcome outcome = count_text(text);
  CHECK(outcome.code == 3);
  const Json counts = outcome.json()["counts"];
  CHECK(has(counts["stopped"], "nanosleep.u32 is not emulated"));
  REQUIRE(!counts["faults"].empty());
  CHECK(counts["faults"][0]["kind"] == "not emulated");
  CHECK(counts["faults"][0]["line"] == line_of(text, "nanosleep"));
}

TEST_CASE(
    "an endless loop, a wild pointer, a gigabyte or a text that does not compile costs one "
    "sentence") {
  struct Case {
    const char* name;
    std::string text;
    int code;
    const char* says;
  };
  const std::string launch = std::string(kLaunch) + "\n";
  const Case cases[] = {
      {"a wild pointer on the device", naive_with(kStore, "*(volatile float*)64 = acc;"), 3, ""},
      {"a wild pointer on the host", naive_with(kLaunch, "*(volatile int*)64 = 1;\n" + launch), 3,
       "crashed (SIGSEGV)"},
      {"an endless loop on the device",
       naive_with(kStore,
                  "while (c != a) acc += *(volatile "
                  "float*)a;"),
       3, ""},
      {"a file of the user's", naive_with("#include <cstdint>", "#include \"/etc/passwd\""), 64,
       "Permission denied"},
      {"a program", naive_with(kLaunch, "if (system(\"true\") == 0) abort();\n" + launch), 0, ""},
      {"no C++", naive_with(kStore, "c[row * n + col] = accc;"), 64, "was not declared"},
  };
  for (const Case& one : cases) {
    INFO(one.name);
    const Outcome outcome = count_text(one.text);
    INFO(outcome.err << outcome.out.substr(0, 2000));
    CHECK(outcome.code == one.code);
    const Json document = outcome.json();
    if (document.contains("counts")) {
      if (one.code != 0) CHECK(!document["counts"]["stopped"].get<std::string>().empty());
    } else {
      CHECK(is_one_sentence(outcome.err));
      CHECK(has(outcome.err, one.says));
    }
  }
}

TEST_CASE("what cannot be counted says why in one sentence") {
  const Outcome cpu = count({"gemm.cpu.naive_o1"});
  CHECK(cpu.code == 64);
  CHECK(is_one_sentence(cpu.err));
  CHECK(has(cpu.err, "only a CUDA rung"));
  setenv("RIDGEPOINT_SOURCE", "/nowhere", 1);
  const Outcome sources = count({"gemm.cuda.naive", "--set", "n=32"});
  unsetenv("RIDGEPOINT_SOURCE");
  CHECK(sources.code == 69);
  CHECK(is_one_sentence(sources.err));
  CHECK(has(sources.err, "/nowhere"));
}

TEST_CASE(
    "a rung of ours that this machine's compiler cannot build is named, and is no usage error") {
  // The sources as they are, but for one header that no compiler takes.
  const Folder folder;
  const fs::path source = variable("RIDGE_SOURCE"), made = folder / "source";
  const auto link_all = [](const fs::path& from, const fs::path& to, const std::string& but) {
    fs::create_directories(to);
    for (const auto& entry : fs::directory_iterator(from)) {
      if (entry.path().filename() != but)
        fs::create_symlink(entry.path(), to / entry.path().filename());
    }
  };
  link_all(source, made, "kernels");
  const fs::path kernels = made / "kernels", problems = kernels / "runtime/problems";
  link_all(source / "kernels", kernels, "runtime");
  link_all(source / "kernels/runtime", kernels / "runtime", "problems");
  link_all(source / "kernels/runtime/problems", problems, "gemm.h");
  write_all((problems / "gemm.h").string(), "#error this compiler lacks what it needs\n");
  setenv("RIDGEPOINT_SOURCE", made.c_str(), 1);
  const Outcome outcome = count({"gemm.cuda.naive", "--set", "n=32"});
  unsetenv("RIDGEPOINT_SOURCE");
  INFO(outcome.err);
  CHECK(outcome.code == 69);
  CHECK(is_one_sentence(outcome.err));
  CHECK(has(outcome.err, "gemm.cuda.naive: this machine's compiler cannot build it for the CPU: "));
}
