// Any two commands compared, as a user does it: the real program and worker, real processes. No assertion is about a
// time, but that nothing at all is faster than a sleep.
#include <chrono>
#include <fstream>
#include <thread>

#include "common/record/command.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "tests/worker_process.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Six rounds, the fewest for an interval.
std::vector<std::string> compare_args(std::vector<std::string> args) {
  args.insert(args.begin(), "compare");
  args.insert(args.end(), {"--limit", "0.001"});
  return args;
}

Outcome compared(std::vector<std::string> args) {
  return Program(variable("RIDGE_BIN"), compare_args(std::move(args))).finish();
}

Outcome ridgepoint(std::vector<std::string> args) {
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int running_after_a_while(const std::string& mark) {
  for (int i = 0; i < 100 && running(mark) > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return running(mark);
}

Run load(const std::string& path) {
  auto run = Run::load(path);
  if (!run) FAIL(run.error().sentence());
  return *std::move(run);
}

const char* const kSlow = "sh -c 'sleep 0.05; echo 42'";

}  // namespace

TEST_CASE(
    "two commands are compared in pairs; without a check the verdict stands and adopt is never "
    "said") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  const Outcome made =
      compared({"--json", "--baseline", "sleep 0.05", "--candidate", "true", "--out", path});
  INFO(made.out << made.err);
  CHECK(made.code == 0);
  CHECK(has(made.err, "comparing with a margin of 2 %"));
  const Json document = made.json();
  const Json comparison = document["comparisons"][0];
  CHECK(comparison["verdict"] == "faster");
  CHECK(comparison["rounds"] == 6);
  CHECK(comparison["decision"] == "measure_more");
  CHECK(has(comparison["decision_reason"], "--check CMD or --reference FILE"));
  CHECK(comparison["change"] == "sleep 0.05 → true, hot cache");
  CHECK(document["results"][0]["quality"].is_null());
  const std::string arguments = schema_argument("transcript", path) + [&] {
    write_all(folder / "run.json", made.out);
    return schema_argument("document", folder / "run.json");
  }();
  expect_schemas(arguments);

  const Run run = load(path);
  REQUIRE(run.series().size() == 2);
  const Series& baseline = *run.series().begin();
  CHECK(baseline.kernel == command_id("sleep 0.05"));
  CHECK(baseline.kind == RungKind::command);
  REQUIRE(baseline.command);
  CHECK(baseline.command->text == "sleep 0.05");
  CHECK(baseline.command->folder == fs::current_path().string());
  CHECK(baseline.command->cpu_ns);
  CHECK(baseline.status == SeriesStatus::ok);
  CHECK(baseline.stats);
  // Of the sleep, not of a worker of a hundred megabytes that it was started from.
  CHECK(baseline.memory_bytes < 20e6);
  CHECK(baseline.samples.size() == 12);
  CHECK(baseline.checks.empty());
}

TEST_CASE(
    "a check or a reference is the gate: both sides pass it before and after, and adopt is said") {
  const Folder folder;
  write_all(folder / "42.txt", "42\n");
  const std::string reference = folder / "42.txt";
  for (const std::vector<std::string>& gate :
       {std::vector<std::string>{"--reference", reference},
        std::vector<std::string>{"--check", "cmp -s - '" + reference + "'"}}) {
    std::vector<std::string> args = {"--json", "--baseline", kSlow,    "--candidate", "echo 42",
                                     "--name", "slow",       "--name", "quick"};
    args.insert(args.end(), gate.begin(), gate.end());
    const Outcome made = compared(args);
    INFO(made.out << made.err);
    CHECK(made.code == 0);
    const Json comparison = made.json()["comparisons"][0];
    CHECK(comparison["decision"] == "adopt");
    CHECK(has(comparison["quality_limit"], "42.txt"));
    CHECK(comparison["change"] == "slow → quick, hot cache");
  }
}

TEST_CASE("an output that fails its gate is INVALID, and says why") {
  const Folder folder;
  write_all(folder / "42.txt", "42\n");
  const std::string reference = folder / "42.txt";
  struct Case {
    std::string candidate;
    std::vector<std::string> gate;
    std::string says;
  };
  const Case cases[] = {
      {"echo 43", {"--reference", reference}, "differs from " + reference + " at byte 2 (line 1)"},
      {"true", {"--reference", reference}, "it wrote nothing to its standard output"},
      {"cat /proc/sys/kernel/random/uuid", {"--reference", reference}, "write different outputs"},
      {"echo 43",
       {"--check", "sh -c 'grep -q 42 || { echo first; echo no 42 here; exit 4; } >&2'"},
       "the check: a call exited with code 4: no 42 here"},
      {"true", {"--check", "grep -q 42"}, "it wrote nothing to its standard output"},
      {"sh -c 'echo 42; echo one >&2; echo the disk is on fire >&2; exit 7'",
       {"--reference", reference},
       "a call exited with code 7: the disk is on fire"},
      {"sh -c 'kill -SEGV $$'", {}, "a call crashed (SIGSEGV)"},
      {"sh -c 'exit 3'", {}, "a call exited with code 3"},
  };
  for (const Case& one : cases) {
    std::vector<std::string> args = {"--baseline", "echo 42", "--candidate", one.candidate,
                                     "--name",     "good",    "--name",      "bad"};
    args.insert(args.end(), one.gate.begin(), one.gate.end());
    const Outcome made = compared(args);
    INFO(one.candidate << "\n" << made.out << made.err);
    CHECK(made.code == 3);
    CHECK(has(made.out, "INVALID: bad against good"));
    CHECK(has(made.out, one.says));
    CHECK(has(made.out, "decision: reject"));
  }
}

TEST_CASE("a side whose output changes between the gates is found after timing") {
  const Folder folder;
  const std::string count = folder / "count", reference = folder / "42.txt";
  write_all(reference, "42\n");
  // Right for the first calls, then not: as a race would be.
  const std::string script =
      "sh -c 'echo x >> " + count + "; test $(wc -l < " + count + ") -lt 8 && echo 42 || echo 41'";
  const Outcome made = compared({"--baseline", "echo 42", "--candidate", script, "--name", "good",
                                 "--name", "late", "--reference", reference});
  INFO(made.out << made.err);
  CHECK(made.code == 3);
  CHECK(has(made.out, "after timing"));
  CHECK(has(made.out, "two calls of it write different outputs"));
}

TEST_CASE(
    "a call that does not end is ended with all its descendants, those of another session too") {
  const std::string mark = "3141.59";
  const Outcome made = compared({"--baseline", "true", "--candidate",
                                 "sh -c 'setsid sleep " + mark + " & sleep " + mark + "'", "--name",
                                 "good", "--name", "stuck", "--call-limit", "0.3"});
  INFO(made.out << made.err);
  CHECK(made.code == 3);
  CHECK(
      has(made.out, "a call did not end within 0.3 s and was ended, with all that it had started"));
  CHECK(has(made.out, "--call-limit"));
  CHECK(running_after_a_while(mark) == 0);
}

TEST_CASE("what a call leaves behind is ended before the other side's turn, and said") {
  RIDGE_SKIP_EMULATED(kNoAdoption);
  const std::string mark = "2718.28";
  const Outcome made =
      compared({"--baseline", "true", "--candidate", "sh -c 'setsid sleep " + mark + " & exit 0'",
                "--name", "tidy", "--name", "untidy"});
  INFO(made.out << made.err);
  CHECK(has(made.out, "untidy left processes running, which were ended with each call"));
  CHECK(running(mark) == 0);
}

TEST_CASE("a call that writes without end is ended") {
  const Outcome made = compared({"--baseline", "true", "--candidate", "yes"});
  INFO(made.out << made.err);
  CHECK(made.code == 3);
  CHECK(has(made.out, "a call wrote more than 64.0 MiB and was ended"));
}

TEST_CASE(
    "a command runs in the current folder, without a shell, with an empty input and the user's "
    "environment") {
  const Folder folder;
  // What a worker that measures libraries sets for them must not be there.
  unsetenv("OMP_WAIT_POLICY");
  const Outcome made = compared(
      {"--baseline", "sh -c 'test -z \"$OMP_WAIT_POLICY$GOMP_SPINCOUNT$RIDGE_WORKER_ENVIRONMENT\"'",
       "--candidate", "sh -c 'test \"$1\" = \"a  b|\" && test -z \"$(cat)\"' - 'a  b|'"});
  INFO(made.out << made.err);
  CHECK((made.code == 0 || made.code == 1 || made.code == 2));
  CHECK_FALSE(has(made.out, "INVALID"));
}

TEST_CASE("cancel ends the running call at once; what was measured stays") {
  const Folder folder;
  const std::string path = folder / "run.jsonl", mark = "1618.03", count = folder / "count";
  // Quick for the gate, the warm-up and some rounds; then for ever.
  const std::string script = "sh -c 'echo x >> " + count + "; test $(wc -l < " + count +
                             ") -lt 30 || exec sleep " + mark + "'";
  Program program(variable("RIDGE_BIN"), {"compare", "--baseline", "true", "--candidate", script,
                                          "--name", "a", "--name", "b", "--out", path});
  for (int i = 0; i < 1000 && running(mark) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  REQUIRE(running(mark) == 1);
  program.interrupt();
  const Outcome made = program.finish();
  INFO(made.out << made.err);
  CHECK(made.code == 130);
  CHECK(running_after_a_while(mark) == 0);
  const Run run = load(path);
  REQUIRE(run.series().size() == 2);
  CHECK(run.series().begin()->status == SeriesStatus::cancelled);
  // How many rounds there were is the machine's; without any there is no comparison.
  CHECK(run.comparisons().size() <= 1);
  for (const Comparison& one : run.comparisons()) {
    CHECK(one.rounds > 0);
    CHECK(one.reasons.back() == "cancelled");
  }
}

TEST_CASE(
    "opening a saved run shows its commands and runs none; a worker that was not started for them "
    "refuses") {
  const Folder folder;
  const std::string path = folder / "run.jsonl", mark = folder / "mark";
  const Outcome made =
      compared({"--baseline", "touch " + mark, "--candidate", "touch " + mark, "--out", path});
  INFO(made.out << made.err);
  REQUIRE(fs::exists(mark));
  fs::remove(mark);
  const Outcome report = ridgepoint({"report", "--markdown", path});
  CHECK(report.code == 0);
  CHECK(has(report.out, "touch " + mark));
  CHECK_FALSE(fs::exists(mark));

  // The very line that the program sent, to the worker that the window has.
  Worker worker("RIDGE_WORKER");
  worker.until("hello");
  std::ifstream lines(path);
  std::string asked;
  for (std::string line; std::getline(lines, line);) {
    if (has(line, "\"type\":\"compare\"")) asked = line;
  }
  REQUIRE(has(asked, mark));
  worker.send_text(asked + "\n");
  const Json error = worker.until("error");
  CHECK(error["error"]["what"] == "this worker runs no commands");
  CHECK(worker.until("done")["status"] == "failed");
  CHECK_FALSE(fs::exists(mark));
}

TEST_CASE(
    "a launch command that hides its --stdio gets the sentence that says how to start the worker") {
  const Outcome made = compared({"--baseline", "true", "--candidate", "true", "--worker",
                                 "sh -c \"exec '" + variable("RIDGE_WORKER") + "' --stdio\""});
  INFO(made.out << made.err);
  CHECK(made.code == 69);
  CHECK(has(made.err, "the commands run where the worker runs"));
  CHECK(has(made.err, "this worker runs no commands"));
  CHECK(has(made.err, "ridgepoint-worker --commands"));
}

TEST_CASE("reports escape what commands are called and hold; page 1 says what was checked") {
  const Folder folder;
  const std::string path = folder / "run.jsonl", html = folder / "report.html";
  const std::string evil = "<script>alert(1)</script>";
  const Outcome made = compared({"--baseline", "sh -c 'sleep 0.05; echo \"</title><script>\"'",
                                 "--candidate", "echo '</title><script>'", "--name", evil, "--name",
                                 "b & <i>c</i>", "--check", "grep -q '<script>'", "--out", path});
  INFO(made.out << made.err);
  REQUIRE(made.code == 0);
  CHECK(ridgepoint({"report", path, "--out", html}).code == 0);
  const std::string page = read_all(html);
  CHECK_FALSE(has(page, evil));
  CHECK_FALSE(has(page, "<i>c</i>"));
  CHECK_FALSE(has(page, "</title><script>"));
  CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK(has(page, "accepted by grep -q &#39;&lt;script&gt;&#39;"));
  const std::string text = ridgepoint({"report", "--markdown", path}).out;
  CHECK(has(text, "# Commands: b \\& &lt;i\\>c&lt;/i\\> against &lt;script"));
  CHECK(has(text, "Decision: adopt"));
  CHECK(has(text, "--name 'b & <i>c</i>'"));  // do it again
  CHECK(has(text, "--check 'grep -q '\\''<script>'\\'''"));
}

TEST_CASE("control characters reach no name") {
  const Outcome refused =
      compared({"--baseline", "true", "--candidate", "true", "--name", "a", "--name", "b\x1b[31m"});
  CHECK(refused.code == 64);
  CHECK(has(refused.err, "without control characters"));
  const Outcome made =
      compared({"--baseline", "true", "--candidate", "sh -c ':\n\x1b[31m true; :'"});
  INFO(made.out << made.err);
  CHECK_FALSE(has(made.out, "\x1b"));
  CHECK(has(made.out, "sh -c ':  [31m true; :'"));
  CHECK(one_line("a\xffz\xe2\x80\xaeq", 10) == "a\xef\xbf\xbdz q");
  CHECK(command_title(command_id("a\x1b[2J")) == "a [2J");
  CHECK(one_line("abcdef", 4) == "abc…");
  CHECK(one_line("abcd", 4) == "abcd");
}

TEST_CASE("what cannot be compared ends with one sentence") {
  const Folder folder;
  const std::string plain = folder / "plain.txt";
  write_all(plain, "no program");
  struct Case {
    std::vector<std::string> args;
    int code;
    std::string says;
  };
  const Case cases[] = {
      {{"--baseline", "true"}, 64, "a baseline and a candidate are needed"},
      {{"--baseline", "true", "--candidate", "no_such_program 1"},
       69,
       "there is no program 'no_such_program'"},
      {{"--baseline", plain, "--candidate", "true"}, 69, "cannot be executed"},
      {{"--baseline", "sort a | uniq", "--candidate", "true"}, 64, "'|' is for a shell"},
      {{"--baseline", "ls *.txt", "--candidate", "true"}, 64, "'*' is for a shell"},
      {{"--baseline", "A=1 true", "--candidate", "true"}, 64, "write env A=1 CMD"},
      {{"--baseline", "echo 'a", "--candidate", "true"}, 64, "is never closed"},
      {{"--baseline", "true", "--candidate", "true", "--name", "a"}, 64, "1 names for 2 sides"},
      {{"--baseline", "true", "--candidate", "true", "--name", "a", "--name", "a"},
       64,
       "two sides are called a"},
      {{"--baseline", "true", "--candidate", "true", "--set", "n=1"}, 64, "--set is for rungs"},
      {{"--baseline", "true", "--candidate", "true", "--reference", "/nonexistent/x"},
       64,
       "reference /nonexistent/x: it cannot be read"},
      {{"--baseline", "true", "--candidate", "true", "--check", "no_such_check"},
       69,
       "the check: there is no program 'no_such_check'"},
      {{"gemm", "--baseline", "naive_o3", "--candidate", "loop_order", "--check", "true"},
       64,
       "--check is for commands, and the lab gemm has rungs"},
  };
  for (const Case& one : cases) {
    const Outcome made = compared(one.args);
    INFO(made.out << made.err);
    CHECK(made.code == one.code);
    CHECK(has(made.err, one.says));
  }
}

TEST_CASE("--rounds: so many, the time said before; without a check the cure is named") {
  const Outcome made =
      ridgepoint({"compare", "--baseline", "true", "--candidate", "true", "--rounds", "60"});
  INFO(made.out << made.err);
  CHECK(has(made.out, "60 rounds"));
  CHECK(has(made.err, "60 rounds take about "));
  const Outcome faster = compared({"--baseline", "sleep 0.02", "--candidate", "true"});
  CHECK(has(faster.out, "decision: check its output first: "));
}

TEST_CASE("a command against itself: two names, and as many sides as a round has marks for") {
  const Outcome made = compared({"--json", "--baseline", "true", "--candidate", "true"});
  const Json comparison = made.json()["comparisons"][0];
  CHECK(comparison["baseline"] == command_id("true"));
  CHECK(comparison["candidate"] == command_id("true (2)"));
  std::vector<std::string> many = {"--baseline", "true"};
  for (size_t i = 0; i < kMostSides; ++i) many.insert(many.end(), {"--candidate", "true"});
  CHECK(compared(many).code == 64);
}
