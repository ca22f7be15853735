// 'ridgepoint check' as a team's CI uses it: a BUDGET.json, saved runs and a worker with made-up figures. Nothing is timed.
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/query/budget_file.h"
#include "app/query/check_formats.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/report_run.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// A line of BUDGET.json's list: two rungs at n, and a budget.
Json check_at(int n, const std::string& budget, const std::string& name = "") {
  Json check = {{"lab", "gemm"},
                {"baseline", "naive_o3"},
                {"candidate", "loop_order"},
                {"set", {{"n", n}}},
                {"budget", budget}};
  if (!name.empty()) check["name"] = name;
  return check;
}

/// The same without the baseline's -O3, which the saved run of the fixtures has not.
Json at_64(const std::string& budget, int n = 64) {
  Json check = check_at(n, budget);
  check["baseline"] = "naive_o1";
  return check;
}

std::string file_of(const std::vector<Json>& checks) {
  return Json({{"checks", checks}}).dump(2);
}

Outcome ridgepoint(std::vector<std::string> args) {
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

/// The worker of tests/budget_worker.py, as --worker takes it.
std::string made_up(const Json& answers) {
  return "python3 '" + variable("RIDGE_SOURCE") + "/tests/budget_worker.py' '" + answers.dump() +
         "'";
}

/// 'check' of these with made-up figures, in a folder of its own.
struct Checked {
  Folder folder;
  Outcome outcome;
  Json document;

  Checked(const std::vector<Json>& checks, const Json& answers,
          std::vector<std::string> more = {}) {
    const std::string path = folder / "BUDGET.json";
    write_all(path, file_of(checks));
    std::vector<std::string> args = {"check",
                                     path,
                                     "--json",
                                     "--worker",
                                     made_up(answers),
                                     "--markdown",
                                     folder / "budgets.md",
                                     "--junit",
                                     folder / "budgets.xml"};
    for (const std::string& one : more) args.push_back(one == "OUT" ? folder / "out" : one);
    outcome = ridgepoint(args);
    document = outcome.json();
  }
  std::string markdown() const { return read_all(folder / "budgets.md"); }
  std::string junit() const { return read_all(folder / "budgets.xml"); }
  Json check(size_t index) const { return document["budgets"]["checks"][index]; }
};

/// What Python's parser reads in a JUnit file: "classname|name|passed, failure or error|message", a line a test case,
/// after the suite's counts.
std::string parsed_junit(const std::string& path) {
  const Folder folder;
  const std::string script = folder / "read.py", out = folder / "out";
  write_all(script,
            "import sys, xml.etree.ElementTree as tree\n"
            "suite = tree.parse(sys.argv[1]).getroot().find('testsuite')\n"
            "print(suite.get('tests'), suite.get('failures'), suite.get('errors'))\n"
            "for case in suite.iter('testcase'):\n"
            "    bad = [one for one in case if one.tag in ('failure', 'error')]\n"
            "    print('|'.join([case.get('classname'), case.get('name'),\n"
            "                    bad[0].tag if bad else 'passed', bad[0].get('message') if bad "
            "else '']))\n");
  const int status = std::system(
      ("PYTHONIOENCODING=utf-8 python3 '" + script + "' '" + path + "' > '" + out + "' 2>&1")
          .c_str());
  return (status == 0 ? "" : "refused: ") + read_all(out);
}

/// What reading such a file says; "taken".
std::string reading(const std::string& text, const std::string& name = "BUDGET.json") {
  const Folder folder;
  write_all(folder / name, text);
  const auto read = app::read_budget_file(folder / name);
  if (read) return "taken";
  CHECK(read.error().code == ErrorCode::bad_input);
  CHECK(read.error().sentence().find('\n') == std::string::npos);
  return read.error().sentence().substr(folder.path.string().size() + 1);
}

bool has_python() {
  return std::system("python3 -c pass") == 0;
}

bool schema_takes(const std::string& schema, const std::string& text) {
  const Folder folder;
  write_all(folder / "document.json", text);
  return check_schemas(schema_argument(schema, folder / "document.json") + " > /dev/null") == 0;
}

const Json kAnswers = {{"64", {{"ratio", 2.0}, {"low", 1.9}, {"high", 2.1}, {"p95_ns", 5e5}}},
                       {"65", {{"ratio", 2.0}, {"low", 1.9}, {"high", 2.1}, {"wrong", true}}},
                       {"66", {{"dies", true}}}};

}  // namespace

// ---- the file ------------------------------------------------------------------------------------

TEST_CASE("a BUDGET.json that is none is refused in one sentence with its place") {
  const auto with = [](const char* field, const Json& value) {
    Json check = check_at(64, "ratio=2");
    check[field] = value;
    return reading(file_of({check_at(32, "ratio=2"), check}));
  };
  CHECK(reading(file_of({check_at(64, "ratio=2")})) == "taken");
  CHECK(reading("{\"checks\": [\n  {,}]}") ==
        "BUDGET.json: not valid JSON at line 2, column 4; write {\"checks\": [{\"lab\": ..., "
        "\"budget\": ...}]}");
  CHECK(has(reading("[]"), "BUDGET.json: it is no object; write {\"checks\""));
  CHECK(has(reading("{}"), "it has no checks"));
  CHECK(has(reading(R"({"checks": []})"), "it has no checks"));
  CHECK(has(reading(R"({"checks": [7]})"), "BUDGET.json: check 1: 7 is no check"));
  CHECK(has(reading(R"({"checks": [{}], "check": 1})"), "'check' is no field of a budget"));
  CHECK(with("bugdet", "p95=1ms") ==
        "BUDGET.json: check 2: 'bugdet' is no field of a check; did you mean budget?");
  CHECK(
      with("budget", "ratio=0") ==
      "BUDGET.json: check 2: budget: ratio=0 is met by anything; write ratio=1.2; units are x, ×");
  CHECK(has(with("budget", "ratio=-1"), "ratio=-1 is negative"));
  CHECK(has(with("budget", "rato=2"), "'rato' is none of its lines; did you mean ratio?"));
  CHECK(has(with("budget", "p95=2"), "p95=2 has no unit"));
  CHECK(has(with("budget", ""), "check 2: it demands nothing"));
  CHECK(has(with("budget", 2), "budget is 2; give a text as --budget takes it"));
  CHECK(has(with("margin", 2), "margin is 2; give a share from 0.0001 to 1"));
  CHECK(has(with("rounds", 3), "rounds is 3; give a whole number from 6"));
  CHECK(has(with("limit_s", "5"), "limit_s is \"5\"; give a number of seconds"));
  CHECK(has(with("cache", "warm"), "cache is \"warm\"; give \"hot\" or \"cold\""));
  CHECK(has(with("set", "n=64"), "give parameters as numbers or texts"));
  CHECK(has(with("baseline", ""), "baseline is \"\"; give a text"));
  CHECK(has(with("check", "true"), "check is for commands, and a lab is named"));
  CHECK(has(reading(R"({"checks": [{"baseline": "true", "budget": "ratio=1"}]})"),
            "check 1: it has no candidate"));
  CHECK(has(reading(R"({"checks": [{"baseline": "a", "candidate": "b", "set": {"n": 1},
                                    "budget": "ratio=1"}]})"),
            "set is for rungs, and no lab is named"));
  CHECK(has(reading(file_of({check_at(64, "ratio=2"), check_at(64, "ratio=3")})),
            "check 2 (loop_order against naive_o3 at n=64): another check has this name"));
  CHECK(has(
      reading(
          "{\"checks\": [" + check_at(1, "ratio=2").dump() +
          R"(, {"baseline": "a", "candidate": "b", "budget": "ratio=9", "budget": "ratio=1"}]})"),
      "check 2: 'budget' stands twice in it"));
  CHECK(has(
      reading(
          R"({"checks": [], "checks": [{"baseline": "a", "candidate": "b", "budget": "ratio=1"}]})"),
      "BUDGET.json: 'checks' stands twice in it"));
}

TEST_CASE("a BUDGET.json of a million checks is refused before it is read") {
  std::string text = "{\"checks\": [";
  for (int i = 0; i < 1'000'000; ++i) text += "{},";
  text.back() = ']';
  CHECK(has(reading(text + "}"), "a budget has at most 1.00 MiB"));
  std::vector<Json> many(1001, check_at(64, "ratio=2"));
  CHECK(has(reading(file_of(many)), "it has 1001 checks; give at most 1000"));
}

TEST_CASE("the schema of BUDGET.json takes what the program takes, and nothing else") {
  if (!has_schema_checker()) RIDGE_SKIP("Python has no module jsonschema");
  Json all = check_at(64, "ratio=2,nmse=1e-6");
  all.update({{"name", "all"},
              {"why", "a promise"},
              {"cache", "cold"},
              {"device", 0},
              {"margin", 0.05},
              {"limit_s", 3},
              {"rounds", 40}});
  const Json commands = {{"baseline", "true"},   {"candidate", "true"}, {"check", "cat"},
                         {"reference", "a.txt"}, {"call_limit_s", 5},   {"budget", "ratio=1"}};
  const std::string good = file_of({all, commands});
  CHECK(reading(good) == "taken");
  CHECK(schema_takes("budget", good));
  const auto neither = [](Json check, const char* field, const Json& value) {
    INFO(field << " " << value.dump());
    if (value.is_null())
      check.erase(field);
    else
      check[field] = value;
    CHECK(reading(file_of({check})) != "taken");
    CHECK_FALSE(schema_takes("budget", file_of({check})));
  };
  for (const char* field : {"baseline", "candidate", "budget"}) neither(all, field, nullptr);
  neither(all, "reference", "a.txt");
  neither(commands, "device", 0);
  neither(all, "margin", 2);
  neither(all, "rounds", 5);
  neither(all, "limit_s", 0);
  neither(all, "cache", "warm");
  neither(all, "unknown", 1);
  neither(all, "set", "n=1");
}

// ---- saved runs ----------------------------------------------------------------------------------

namespace {

/// A saved run held to a budget: naive_o1 and loop_order at n=64, 6.2× [4.02, 7.70].
Outcome judged(const Json& check, std::vector<std::string> more = {}) {
  const Folder folder;
  write_all(folder / "BUDGET.json", file_of({check}));
  std::vector<std::string> args = {
      "check", folder / "BUDGET.json", "--run",
      variable("RIDGE_SOURCE") + "/tests/fixtures/runs/2026-11-25-budget.jsonl"};
  args.insert(args.end(), more.begin(), more.end());
  return ridgepoint(args);
}

Json changed(Json check, const char* field, const Json& value) {
  check[field] = value;
  return check;
}

}  // namespace

TEST_CASE("a saved run is held to a budget without measuring, by its whole interval") {
  const auto code = [](const std::string& budget) { return judged(at_64(budget)).code; };
  CHECK(code("ratio=4.01") == 0);
  CHECK(code("ratio=4.1") == 2);
  CHECK(code("ratio=7.6") == 2);
  CHECK(code("ratio=7.7") == 1);
  CHECK(code("ratio=4.01,memory=1MiB") == 0);
  CHECK(code("ratio=4.01,memory=1kB") == 1);
  CHECK(code("ratio=4.01,energy=1J") == 2);  // a demand without a figure is not met by silence
  CHECK(code("ratio=7.7,energy=1J") == 1);
  const Outcome open = judged(at_64("ratio=5"));
  CHECK(has(open.out, "speed ratio at least 5×: not settled, 6."));
  CHECK(has(open.out,
            "× [4.02, 7.70]; its interval reaches over it; about 70 rounds would settle it"));
  CHECK(has(open.out, "1 of 1 check not settled"));
  CHECK(open.err.empty());
}

TEST_CASE(
    "a check that a saved run does not hold is not measured; a name that is none is bad input") {
  const Outcome other = judged(at_64("ratio=2", 128));
  CHECK(other.code == 2);
  CHECK(has(other.out, "the run holds no comparison of these two"));
  CHECK(judged(changed(at_64("ratio=2"), "cache", "cold")).code == 2);
  CHECK(judged(changed(at_64("ratio=2"), "candidate", "loop_order:n=64")).code == 0);
  CHECK(judged(changed(at_64("ratio=2"), "candidate", "loop_order:n=65")).code == 2);
  const auto refused = [](const Json& check) {
    const Outcome outcome = judged(check);
    CHECK(outcome.code == 65);
    CHECK(has(outcome.err, "BUDGET.json: check 1 ("));
    return outcome.err;
  };
  CHECK(has(refused(changed(at_64("ratio=2"), "candidate", "lop_order")),
            "did you mean loop_order?"));
  CHECK(has(refused(changed(at_64("ratio=2"), "lab", "gem")), "there is no lab 'gem'"));
  CHECK(has(refused(at_64("accuracy=1")), "has no accuracy; leave accuracy out, or give nmse"));
  CHECK(judged(at_64("ratio=2"), {"--out", "x"}).code == 64);
  CHECK(ridgepoint({"check", "/nowhere/BUDGET.json"}).code == 65);
  CHECK(ridgepoint({"check"}).code == 64);
}

// ---- measuring -----------------------------------------------------------------------------------

TEST_CASE("the exit code is that of the worst check, and every reader gets the same answers") {
  if (!has_python()) RIDGE_SKIP("no python3");
  const auto code = [](const std::vector<Json>& checks) {
    const Checked checked(checks, kAnswers);
    INFO(checked.outcome.err);
    CHECK(checked.document["budgets"]["exit_code"] == checked.outcome.code);
    return checked.outcome.code;
  };
  const Json met = check_at(64, "ratio=1.5", "met"), open = check_at(64, "ratio=2", "open"),
             missed = check_at(64, "p95=100us", "missed"), wrong = check_at(65, "ratio=1", "wrong"),
             dead = check_at(66, "ratio=1", "dead");
  CHECK(code({met}) == 0);
  CHECK(code({met, open}) == 2);
  CHECK(code({open, dead, met}) == 70);
  CHECK(code({dead, missed, open}) == 1);
  CHECK(code({missed, wrong, dead}) == 3);

  const Checked all({met, open, missed, wrong, dead}, kAnswers);
  CHECK(all.outcome.code == 3);
  const char* const results[] = {"met", "not settled", "not met", "wrong output", "not measured"};
  for (size_t i = 0; i < std::size(results); ++i) CHECK(all.check(i)["result"] == results[i]);
  CHECK(all.check(0)["ratio"] == 2.0);
  CHECK(all.check(0)["budget"][0]["value"] == 2.0);
  CHECK(all.check(2)["budget"][0]["limit"] == 1e5);
  CHECK(all.check(3)["ratio"].is_null());
  CHECK(all.check(4)["error"]["code"] == 70);
  CHECK(has(all.check(4)["error"]["what"], "the matrix is on fire"));
  CHECK(all.check(0)["machine"] == "made-up CPU, made-up OS, quiet");
  if (has_schema_checker()) CHECK(schema_takes("check", all.outcome.out));

  CHECK(parsed_junit(all.folder / "budgets.xml") ==
        "5 2 2\n"
        "met|speed ratio at least 1.5×|passed|\n"
        "open|speed ratio at least 2×|error|speed ratio at least 2×: not settled, 2.00× [1.90, "
        "2.10]; its "
        "interval reaches over it\n"
        "missed|p95 latency at most 100 µs|failure|p95 latency at most 100 µs: not met, 500 µs\n"
        "wrong|speed ratio at least 1×|failure|speed ratio at least 1×: wrong output, " +
            all.check(3)["reason"].get<std::string>() +
            "\n"
            "dead|speed ratio at least 1×|error|speed ratio at least 1×: not measured, " +
            all.check(4)["error"]["what"].get<std::string>() + "\n");

  const std::string page = all.markdown();
  CHECK(has(page,
            "### Performance budgets: 1 of 5 checks wrong output, 1 not met, 1 not measured, 1 not "
            "settled\n"));
  CHECK(has(page, "| **not met** | missed | p95 latency at most 100 µs | 500 µs |\n"));
  CHECK(has(page, "| met | met | speed ratio at least 1.5× | 2.00× \\[1.90, 2.10\\] |\n"));
  CHECK(page.find("wrong output** | wrong") < page.find("| met | met"));  // the worst first
}

TEST_CASE("a rung that does not exist stops everything before the first check is measured") {
  if (!has_python()) RIDGE_SKIP("no python3");
  Json slip = check_at(64, "ratio=1", "slip");
  slip["candidate"] = "lop_order";
  const Checked checked({check_at(64, "ratio=1", "good"), slip}, kAnswers);
  CHECK(checked.outcome.code == 65);
  CHECK(has(checked.outcome.err, "BUDGET.json: check 2 (slip): "));
  CHECK(has(checked.outcome.err, "did you mean loop_order?"));
  CHECK(checked.markdown().empty());
  const Checked kind({check_at(64, "accuracy=1", "kind")}, kAnswers);
  CHECK(kind.outcome.code == 65);
  CHECK(has(kind.outcome.err, "has no accuracy"));
  const Checked param({changed(check_at(64, "ratio=1", "param"), "set", {{"m", 64}})}, kAnswers);
  CHECK(param.outcome.code == 65);
  CHECK(has(param.outcome.err, "it has no parameter 'm'"));
  const Checked shell({{{"baseline", "a | b"}, {"candidate", "b"}, {"budget", "ratio=1"}}},
                      kAnswers);
  CHECK(shell.outcome.code == 65);
  CHECK(has(shell.outcome.err, "'|' is for a shell"));
}

TEST_CASE(
    "a page and a JUnit file hold any name, and are written before the first check is measured") {
  if (!has_python()) RIDGE_SKIP("no python3");
  const std::string name = "<b>\"a\" & 'b' | *c* `d` \x01\x1b[31m \xef\xbf\xbf ]]> é";
  Json answers = kAnswers;
  answers["64"]["reason"] = "</system-out>\x02 <script> | \xef\xbf\xbe";
  const Checked checked({check_at(64, "ratio=3", name)}, answers);
  CHECK(checked.outcome.code == 1);
  const std::string cases = parsed_junit(checked.folder / "budgets.xml");
  INFO(cases);
  CHECK(has(cases, "<b>\"a\" & 'b' | *c* `d`"));
  CHECK(has(cases, "]]> é|speed ratio at least 3×|failure|"));
  const std::string page = checked.markdown();
  CHECK(has(page, "| &lt;b\\>\"a\" \\& 'b' \\| \\*c\\* \\`d\\`"));
  CHECK_FALSE(has(page, "<script>"));
  CHECK_FALSE(has(page, "\x1b"));
  CHECK_FALSE(has(checked.outcome.err, "\x1b"));

  const Folder folder;
  write_all(folder / "BUDGET.json", file_of({check_at(66, "ratio=1", "dead")}));
  const Outcome nowhere =
      ridgepoint({"check", folder / "BUDGET.json", "--worker", made_up(kAnswers), "--junit",
                  folder / "nowhere/budgets.xml"});
  CHECK(nowhere.code == 73);
  CHECK_FALSE(has(nowhere.err, "1 of 1"));  // nothing was measured for it
}

TEST_CASE("--out keeps each run and its report, and --run judges them again") {
  if (!has_python()) RIDGE_SKIP("no python3");
  const Checked checked({check_at(64, "ratio=1.5", "one / two"), check_at(66, "ratio=1", "dead")},
                        kAnswers, {"--out", "OUT"});
  CHECK(checked.outcome.code == 70);
  const std::string run = checked.folder / "out/01-one-two.jsonl";
  CHECK(checked.check(0)["saved"] == run);
  CHECK(has(read_all(checked.folder / "out/01-one-two.html"), "The budget"));
  const Outcome again = ridgepoint({"check", checked.folder / "BUDGET.json", "--run", run});
  CHECK(again.code == 2);  // of the second there is no run
  CHECK(has(again.out, "one / two: met"));
  CHECK(has(again.out, "1 of 2 checks not settled"));
}

TEST_CASE("Ctrl+C ends it with what was measured, and says what did not begin") {
  if (!has_python()) RIDGE_SKIP("no python3");
  const Folder folder;
  write_all(folder / "BUDGET.json",
            file_of({check_at(64, "ratio=1.5", "first"), check_at(67, "ratio=1.5", "second"),
                     check_at(64, "ratio=1.9", "third")}));
  Json answers = kAnswers;
  answers["67"] = {{"ratio", 2.0}, {"waits", true}};
  Program program(variable("RIDGE_BIN"),
                  {"check", folder / "BUDGET.json", "--worker", made_up(answers), "--out",
                   folder / "out", "--markdown", folder / "budgets.md"});
  const auto is_waiting = [&] {  // the file has its name once it is whole
    if (!fs::exists(folder / "out")) return false;
    for (const auto& file : fs::directory_iterator(folder / "out")) {
      if (file.path().filename().string().starts_with("02-second.jsonl"))
        return has(read_all(file.path()), "\"rounds\"");
    }
    return false;
  };
  for (int i = 0; i < 600 && !is_waiting(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  REQUIRE(is_waiting());
  program.interrupt();
  const Outcome outcome = program.finish();
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 130);
  CHECK(has(outcome.out, "first: met"));
  CHECK(has(outcome.out, "second: not settled"));
  CHECK(has(outcome.out, "it was cancelled before enough rounds"));
  CHECK(has(outcome.out, "it did not begin"));
  CHECK(has(outcome.out, "2 of 3 checks not settled; cancelled"));
  const auto saved = Run::load(folder / "out/02-second.jsonl");
  REQUIRE(saved.ok());
  CHECK(saved->comparisons().size() == 1);
  CHECK(has(read_all(folder / "budgets.md"), "; cancelled"));
}

TEST_CASE("commands are checked by the worker that runs them") {
  const Folder folder;
  const std::string rule = "sh -c 'read answer; test \"$answer\" = 42'";
  const Json sleeps = {{"name", "quick"},        {"baseline", "sh -c 'sleep 0.05; echo 42'"},
                       {"candidate", "echo 42"}, {"check", rule},
                       {"limit_s", 0.001},       {"budget", "ratio=1"}};
  const Json wrong = {{"name", "wrong"}, {"baseline", "echo 42"}, {"candidate", "echo 41"},
                      {"check", rule},   {"limit_s", 0.001},      {"budget", "ratio=0.01"}};
  write_all(folder / "BUDGET.json", file_of({sleeps, wrong}));
  const Outcome outcome = ridgepoint({"check", folder / "BUDGET.json", "--json"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 3);
  const Json checks = outcome.json()["budgets"]["checks"];
  CHECK(checks[0]["result"] == "met");
  CHECK(checks[1]["result"] == "wrong output");
}

// ---- the page that documents it ------------------------------------------------------------------

TEST_CASE("the BUDGET.json of docs/commands.md and that of this repository are read") {
  const std::string page = read_all(variable("RIDGE_SOURCE") + "/docs/commands.md");
  const size_t begin = page.find("```json BUDGET.json\n");
  REQUIRE(begin != std::string::npos);
  const size_t text = page.find('\n', begin) + 1;
  const std::string sample = page.substr(text, page.find("```", text) - text);
  CHECK(reading(sample) == "taken");
  const std::string own = read_all(variable("RIDGE_SOURCE") + "/tests/bench/own_budgets.json");
  CHECK(reading(own) == "taken");
  if (!has_schema_checker()) RIDGE_SKIP("Python has no module jsonschema");
  CHECK(schema_takes("budget", sample));
  CHECK(schema_takes("budget", own));
}

TEST_CASE(
    "the workflow of docs/commands.md runs as it stands, and leaves the files that it names") {
  if (!has_python()) RIDGE_SKIP("no python3");
  const std::string page = read_all(variable("RIDGE_SOURCE") + "/docs/commands.md");
  const std::string before = "      - run: ridgepoint check ";
  const size_t begin = page.find(before);
  REQUIRE(begin != std::string::npos);
  const size_t command = begin + std::string("      - run: ").size();
  const std::string line = page.substr(command, page.find('\n', command) - command);
  const Folder folder;
  write_all(folder / "BUDGET.json", file_of({check_at(64, "ratio=1.5")}));
  write_all(folder / "step.sh", "cd '" + folder.path.string() + "'\nridgepoint() { '" +
                                    variable("RIDGE_BIN") + "' \"$@\" --worker \"$WORKER\"; }\n" +
                                    line + "\n");
  const Outcome outcome =
      Program("/usr/bin/env", {"GITHUB_STEP_SUMMARY=" + (folder / "summary.md"),
                               "WORKER=" + made_up(kAnswers), "bash", "-e", folder / "step.sh"})
          .finish();
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  CHECK(has(read_all(folder / "summary.md"), "Performance budgets: 1 check met"));
  for (const char* name : {"budgets.xml", "budgets"}) {
    CHECK(fs::exists(folder / name));
    CHECK(has(page.substr(begin), std::string("            ") + name + "\n"));
  }
}
