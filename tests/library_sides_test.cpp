// Libraries of the user's own compared, as a user does it: the real program and worker, a real compiler. No assertion is
// about a time, but that nothing at all is faster than a sleep.
#include <chrono>
#include <fstream>
#include <thread>

#include "common/record/command.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::test;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Outcome ridgepoint(std::vector<std::string> args) {
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

/// Six rounds, the fewest for an interval.
Outcome compared(std::vector<std::string> args) {
  args.insert(args.begin(), "compare");
  args.insert(args.end(), {"--limit", "0.001"});
  return ridgepoint(std::move(args));
}

std::string fixture() {
  return variable("RIDGE_SOURCE") + "/tests/fixtures/libraries/sides.cpp";
}

void compile(const std::string& source, const std::string& library) {
  const std::string command = "c++ -std=c++20 -O2 -shared -fPIC -I '" + variable("RIDGE_SOURCE") +
                              "/include' '" + source + "' -o '" + library + "'";
  REQUIRE(std::system(command.c_str()) == 0);
}

/// The fixture, compiled once for all tests.
std::string library(const std::string& side) {
  static const Folder folder;
  static const std::string path = [] {
    compile(fixture(), folder / "sides.so");
    return folder / "sides.so";
  }();
  return path + (side.empty() ? "" : ":" + side);
}

/// Of a page the n-th block of this language.
std::string block(const std::string& page, const std::string& heading,
                  const std::string& language) {
  const size_t section = page.find("\n" + heading + "\n");
  REQUIRE(section != std::string::npos);
  const std::string begin = "```" + language + "\n";
  const size_t at = page.find(begin, section);
  REQUIRE(at != std::string::npos);
  const size_t from = at + begin.size();
  return page.substr(from, page.find("```", from) - from);
}

}  // namespace

TEST_CASE("the page's example compiles and is compared, by the very command of the page") {
  const Folder folder;
  const std::string page = read_all(variable("RIDGE_SOURCE") + "/docs/commands.md");
  write_all(folder / "sum.cpp", block(page, "## Your own library", "cpp"));
  const std::string command = block(page, "## Your own library", "sh");
  REQUIRE(has(command, "ridgepoint compare --baseline sum.cpp:plain --candidate sum.cpp:four"));
  const std::string shell = "cd '" + folder.path.string() + "' && '" + variable("RIDGE_BIN") +
                            "' " + command.substr(command.find("compare"));
  const Outcome made = Program("/bin/sh", {"-c", shell}).finish();
  INFO(made.out << made.err);
  CHECK((made.code == 0 || made.code == 1 || made.code == 2));  // which is faster is the machine's
  CHECK_FALSE(has(made.out, "INVALID"));

  const auto run = Run::load(folder / "run.jsonl");
  REQUIRE(run);
  REQUIRE(run->series().size() == 2);
  const Series& baseline = *run->series().begin();
  CHECK(baseline.kernel == command_id("sum.cpp:plain"));
  CHECK(has(baseline.note, "compiled by "));
  REQUIRE(baseline.checks.size() == 2);
  CHECK(baseline.checks[0].what == "output, by the reference of sum.cpp:plain, before timing");
  CHECK(baseline.checks[0].checked == 1);
  REQUIRE(baseline.stats);
  CHECK(baseline.samples.front().calls > 1);
  CHECK_FALSE(baseline.latency);

  const std::string report = ridgepoint({"report", "--markdown", folder / "run.jsonl"}).out;
  CHECK(has(report, "--baseline sum.cpp:plain --candidate sum.cpp:four"));
  CHECK(has(report, "by the reference of sum.cpp:plain"));
  CHECK_FALSE(has(report, "that of a process"));
}

TEST_CASE("two sides of a library: the quicker is adopted where a reference or a check judged") {
  struct Case {
    std::string baseline, candidate, decision, limit;
  };
  const Case cases[] = {{"slow", "", "adopt", "by the reference of"},
                        {"unjudged_slow", "checked", "adopt", "by the check of"},
                        {"unjudged_slow", "unjudged", "measure_more", ""}};
  for (const Case& one : cases) {
    const Folder folder;
    const Outcome made = compared({"--json", "--baseline", library(one.baseline), "--candidate",
                                   library(one.candidate), "--out", folder / "run.jsonl"});
    INFO(one.baseline << " " << one.candidate << "\n" << made.out << made.err);
    CHECK(made.code == 0);
    const Json comparison = made.json()["comparisons"][0];
    CHECK(comparison["verdict"] == "faster");
    CHECK(comparison["decision"] == one.decision);
    CHECK(
        has(comparison["quality_limit"].is_string() ? std::string(comparison["quality_limit"]) : "",
            one.limit));
    write_all(folder / "run.json", made.out);
    expect_schemas(schema_argument("transcript", folder / "run.jsonl") +
                   schema_argument("document", folder / "run.json"));
  }
}

TEST_CASE("a side that fails is INVALID, and says why in one sentence") {
  struct Case {
    std::string candidate, says;
  };
  const Case cases[] = {
      {"wrong", "its output differs from the reference of"},
      {"near", "of its largest element, and 1.0e-6 is allowed"},
      {"nan_side", "1 elements are NaN or infinite"},
      {"half", "its run left 8 of the 256 bytes of its output as they were"},
      {"late", "after timing"},
      {"crash", "its run crashed (SIGSEGV)"},
      {"exits", "its run exited with code 0"},
      {"says", "run: the device is lost"},
      {"endless", "its run did not end within 0.5 s and was ended, with all that it had started"},
      {"writes", "its run wrote more than 64.0 MiB and was ended"},
      {"unwritten", "it does not give what write_output has just written"},
      {"refused", "prepare: there is no data for it"},
      {"empty", "an output of 0 bytes is not between 1 and 2^30"},
      {"abort_late", "its teardown crashed (SIGABRT)"},
  };
  for (const Case& one : cases) {
    const Outcome made = compared({"--baseline", library(""), "--candidate", library(one.candidate),
                                   "--name", "good", "--name", "bad", "--call-limit",
                                   one.candidate == "endless" ? "0.5" : "20"});
    INFO(one.candidate << "\n" << made.out << made.err);
    CHECK(made.code == 3);
    CHECK(has(made.out, "INVALID: bad against good"));
    CHECK(has(made.out, one.says));
    CHECK(has(made.out, "decision: reject"));
  }
  CHECK(running("2236.06") == 0);
}

TEST_CASE("a check program and a reference file judge a library's output as they do a command's") {
  const Folder folder;
  const Outcome wrong = compared({"--baseline", library("unjudged"), "--candidate",
                                  library("unjudged_slow"), "--check", "false"});
  INFO(wrong.out << wrong.err);
  CHECK(wrong.code == 3);
  CHECK(has(wrong.out, "the check: a call exited with code 1"));
  const Outcome right = compared({"--json", "--baseline", library("unjudged_slow"), "--candidate",
                                  library("unjudged"), "--check", "sh -c 'test $(wc -c) = 256'"});
  INFO(right.out << right.err);
  CHECK(right.json()["comparisons"][0]["decision"] == "adopt");
}

TEST_CASE("what cannot be compared ends with one sentence") {
  const Folder folder;
  write_all(folder / "text.so", "no library");
  write_all(folder / "bad.cpp", "#include <ridgepoint.h>\nint main( { }\n");
  write_all(folder / "flag.cpp", "// ridge: flags=-fplugin=x.so\n#include <ridgepoint.h>\n");
  write_all(folder / "gpu.cu", "#include <ridgepoint.h>\n");
  const bool has_nvcc =
      !has(read_all(variable("RIDGE_BUILD") + "/CMakeCache.txt"), "RIDGE_CUDA:STRING=OFF");
  struct Case {
    std::string candidate;
    int code;
    std::string says;
  };
  std::vector<Case> cases = {
      {library("older"), 69,
       "it was compiled for version 0 of ridgepoint.h, and this is version 1"},
      {library("newer"), 69, "it was compiled for version 2 of ridgepoint.h"},
      {library("hollow"), 69, "its side has no run"},
      {library("no_such_side"), 69, "it exports no side called no_such_side"},
      {library("small"), 64, "its output has 4 bytes, that of"},
      {folder / "text.so", 69, "text.so"},
      {folder / "missing.so", 69, "there is no file"},
      {folder / "bad.cpp", 65, "bad.cpp: it does not compile, line 2"},
      {folder / "flag.cpp", 65, "which is not an allowed flag"},
      {"true", 64, "a library and a command cannot be compared"},
  };
  if (!has_nvcc) cases.push_back({folder / "gpu.cu", 69, "this worker was built without nvcc"});
  for (const Case& one : cases) {
    const Outcome made = compared({"--baseline", library(""), "--candidate", one.candidate});
    INFO(one.candidate << "\n" << made.out << made.err);
    CHECK(made.code == one.code);
    CHECK(has(made.err, one.says));
    // "comparing with a margin of ...", and the sentence.
    CHECK(std::count(made.err.begin(), made.err.end(), '\n') <= 2);
  }
}

TEST_CASE("opening a saved run loads no library") {
  const Folder folder;
  const std::string path = folder / "run.jsonl", mark = folder / "mark";
  setenv("LIBRARY_MARK", mark.c_str(), 1);
  const Outcome made =
      compared({"--baseline", library("slow"), "--candidate", library(""), "--out", path});
  INFO(made.out << made.err);
  REQUIRE(fs::exists(mark));
  fs::remove(mark);
  CHECK(ridgepoint({"report", path}).code == 0);
  CHECK(ridgepoint({"report", path, "--out", folder / "report.html"}).code == 0);
  CHECK_FALSE(fs::exists(mark));
  unsetenv("LIBRARY_MARK");
}
