// 'ridgepoint sweep' as a user starts it: a grid, kills and what goes on after them, shares, and what is refused. Nothing is
// timed; but for one case the workers' figures are made up (tests/sweep_worker.py).
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "app/history/history_store.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"

using namespace ridge::test;
using nlohmann::json;

namespace {

const json kSixteen = {{"lab", "gemm"},
                       {"rungs", {"naive_o3", "loop_order"}},
                       {"set", {{"n", {16, 32, "48..49"}}}},
                       {"repeats", 2},
                       {"mode", "live"}};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string grids(const json& grid) {
  return json({{"grids", {grid}}}).dump(2);
}

/// The worker of tests/sweep_worker.py, as --on takes it.
std::string made_up(const json& options) {
  return "python3 '" + variable("RIDGE_SOURCE") + "/tests/sweep_worker.py' '" + options.dump() +
         "'";
}

/// A folder with a SWEEP.json, and the command on it.
struct Sweep {
  Folder folder;
  std::string file = folder / "grid.json", out = folder / "out", pids = folder / "pids";

  explicit Sweep(const json& grid) {
    write_all(file, grids(grid));
    fs::create_directory(pids);
  }
  std::vector<std::string> args(const json& options, std::vector<std::string> more = {}) const {
    json all = options;
    all["pids"] = pids;
    more.insert(more.begin(), {"sweep", file, "--out", out, "--on", made_up(all)});
    return more;
  }
  Outcome run(const json& options, std::vector<std::string> more = {}) const {
    return Program(variable("RIDGE_BIN"), args(options, std::move(more))).finish();
  }
};

/// What a folder of results holds.
struct Held {
  std::map<std::string, int> complete;  ///< how often each point is
  size_t open = 0;                      ///< points that were asked for and have no end
  size_t sample_lines = 0;
  std::set<double> times;  ///< of all samples

  explicit Held(const std::string& path) {
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".jsonl") read(entry.path());
    }
  }
  bool has_each_once(size_t points) const {
    for (const auto& [key, count] : complete) {
      if (count != 1) return false;
    }
    // The made-up times are never the same: none was lost, and none is there twice.
    return complete.size() == points && open == 0 && sample_lines == points &&
           times.size() == 3 * points;
  }

 private:
  void read(const fs::path& path) {
    std::ifstream file(path);
    std::map<int64_t, std::string> asked;
    for (std::string text; std::getline(file, text) && !file.eof();) {
      const json line = json::parse(text, nullptr, false);
      REQUIRE(line.is_object());
      const std::string type = line.value("type", "");
      if (line.contains("point")) asked[line["id"]] = line["point"];
      if (type == "samples") ++sample_lines;
      if (type == "samples")
        for (const json& sample : line["samples"]) times.insert(sample["t_ns"].get<double>());
      if (type == "done" && asked.contains(line["request"])) {
        ++complete[asked[line["request"]]];
        asked.erase(line["request"]);
      }
    }
    open += asked.size();
  }
};

/// Waits until `is_so`, for 60 s at most.
bool comes(const std::function<bool()>& is_so) {
  for (int i = 0; i < 6000; ++i) {
    if (is_so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

size_t complete_in(const std::string& path) {
  std::error_code missing;
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(path, missing)) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      count += line.find("\"stats\"") != std::string::npos;
  }
  return count;
}

std::vector<pid_t> worker_pids(const Sweep& sweep) {
  std::vector<pid_t> pids;
  for (const auto& entry : fs::directory_iterator(sweep.pids))
    pids.push_back(std::stoi(entry.path().filename()));
  return pids;
}

bool is_gone(pid_t pid) {
  return kill(pid, 0) != 0;
}

/// One sentence on stderr, and this exit code.
void check_refused(const Outcome& outcome, int code, const std::string& part) {
  CAPTURE(outcome.err, outcome.out, part);
  CHECK(outcome.code == code);
  CHECK(has(outcome.err, part));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

json with(json grid, const std::string& name, const json& value) {
  grid[name] = value;
  return grid;
}

}  // namespace

TEST_CASE("a grid is measured by several workers, each point once, and is read like any run") {
  if (!ridge::history::why_no_history().empty()) RIDGE_SKIP_NOTE("no history here");
  const Sweep sweep(kSixteen);
  setenv("RIDGEPOINT_HISTORY", (sweep.folder / "history.db").c_str(), 1);
  const Outcome first = sweep.run({{"seconds", 0.01}}, {"--workers", "2", "--json"});
  CAPTURE(first.err);
  REQUIRE(first.code == 0);
  const json said = first.json().at("sweep");
  CHECK(said["points"] == 16);
  CHECK(said["measured_now"] == 16);
  CHECK(said["workers"] == 2);
  CHECK(said["transcripts"].size() == 2);
  CHECK(Held(sweep.out).has_each_once(16));
  const Outcome again = sweep.run({}, {"--json"});
  CHECK(again.code == 0);
  CHECK(again.json()["sweep"]["measured_now"] == 0);
  CHECK(Held(sweep.out).has_each_once(16));

  size_t series = 0;
  for (const json& path : said["transcripts"]) {
    const Outcome shown =
        Program(variable("RIDGE_BIN"), {"--replay", path.get<std::string>(), "--json"}).finish();
    REQUIRE(shown.code == 0);
    const json document = shown.json();
    for (const json& one : document["results"]) {
      CHECK(one["status"] == "ok");
      ++series;
    }
    CHECK(Program(variable("RIDGE_BIN"), {"report", path.get<std::string>()}).finish().code == 0);
  }
  CHECK(series == 16);
  if (ridge::history::why_no_history().empty()) {
    auto store = ridge::history::HistoryStore::open(sweep.folder / "history.db");
    REQUIRE(store.ok());
    CHECK(store->entries()->size() == 16);
  }
  setenv("RIDGEPOINT_HISTORY", "off", 1);
}

TEST_CASE("a worker that is killed costs nothing: its point is repeated whole") {
  const Sweep sweep(kSixteen);
  Program program(variable("RIDGE_BIN"), sweep.args({{"seconds", 0.1}}, {"--workers", "2"}));
  REQUIRE(comes([&] { return complete_in(sweep.out) >= 3; }));
  kill(worker_pids(sweep).front(), SIGKILL);
  const Outcome outcome = program.finish();
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(worker_pids(sweep).size() == 3);
  CHECK(Held(sweep.out).has_each_once(16));
}

TEST_CASE("a sweep that is killed goes on where it was, and leaves no worker") {
  const Sweep sweep(kSixteen);
  for (const size_t so_far : {2, 6, 10}) {
    Program program(variable("RIDGE_BIN"), sweep.args({{"seconds", 0.1}}, {"--workers", "2"}));
    REQUIRE(comes([&] { return complete_in(sweep.out) >= so_far; }));
    program.send(SIGKILL);
    CHECK(program.finish().code == 1000 + SIGKILL);
    for (const pid_t pid : worker_pids(sweep)) CHECK(comes([&] { return is_gone(pid); }));
  }
  // A power cut in the middle of a write: the last point of one transcript loses its end.
  std::string cut;
  for (const auto& entry : fs::directory_iterator(sweep.out)) {
    const std::string text = read_all(entry.path());
    const size_t end = text.rfind("\"type\":\"done\"");
    if (entry.path().extension() != ".jsonl" || text.find("\"point\"") == std::string::npos)
      continue;
    cut = entry.path();
    write_all(cut, text.substr(0, end));
    break;
  }
  REQUIRE_FALSE(cut.empty());
  CHECK(Held(sweep.out).open == 1);
  const Outcome outcome = sweep.run({}, {"--workers", "2"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(Held(sweep.out).has_each_once(16));
}

TEST_CASE("Ctrl+C keeps what was measured") {
  const Sweep sweep(kSixteen);
  Program program(variable("RIDGE_BIN"), sweep.args({{"seconds", 0.1}}, {"--workers", "2"}));
  REQUIRE(comes([&] { return complete_in(sweep.out) >= 4; }));
  program.interrupt();
  const Outcome outcome = program.finish();
  CAPTURE(outcome.err);
  CHECK(outcome.code == 130);
  CHECK(has(outcome.out, "the same command again measures what is missing"));
  const Held held(sweep.out);
  CHECK(held.complete.size() >= 4);
  CHECK(held.has_each_once(held.complete.size()));
  for (const pid_t pid : worker_pids(sweep)) CHECK(comes([&] { return is_gone(pid); }));
  CHECK(sweep.run({}).code == 0);
  CHECK(Held(sweep.out).has_each_once(16));
}

TEST_CASE("a point that cannot be measured is named, and the others are measured") {
  const Sweep sweep(kSixteen);
  const Outcome died = sweep.run({{"dies_at", 32}});
  CAPTURE(died.out, died.err);
  CHECK(died.code == 70);
  CHECK(has(died.out, "12 of 16 points"));
  CHECK(has(died.out, "n=32 live hot #1: the worker exited with code 3"));
  CHECK(has(died.out, "the matrix is on fire"));
  CHECK(Held(sweep.out).has_each_once(12));
  const Outcome refused = sweep.run({{"refused_at", 32}});
  CHECK(refused.code == 70);
  CHECK(has(refused.out, "its data set is not here"));
  CHECK(Held(sweep.out).has_each_once(12));
  const Outcome wrong = sweep.run({{"wrong_at", 32}});
  CHECK(wrong.code == 3);
  CHECK(has(wrong.out, "4 of those measured now have no usable result"));
  CHECK(Held(sweep.out).has_each_once(16));
}

TEST_CASE("shares measure a sweep together, each point once") {
  const Sweep sweep(kSixteen);
  Program one(variable("RIDGE_BIN"), sweep.args({{"seconds", 0.02}}, {"--share", "1/3"}));
  Program two(variable("RIDGE_BIN"), sweep.args({{"seconds", 0.02}}, {"--share", "2/3"}));
  CHECK(one.finish().code == 0);
  CHECK(two.finish().code == 0);
  CHECK(Held(sweep.out).has_each_once(11));  // 6 and 5
  const Outcome rest = sweep.run({});
  CHECK(has(rest.out, "16 of 16 points are in"));
  CHECK(Held(sweep.out).has_each_once(16));
}

TEST_CASE("two sweeps of one folder do not run at once") {
  const Sweep sweep(kSixteen);
  Program program(variable("RIDGE_BIN"), sweep.args({{"seconds", 0.2}}));
  REQUIRE(comes([&] { return complete_in(sweep.out) >= 1; }));
  check_refused(sweep.run({}), 64, "another sweep runs in this folder");
  check_refused(sweep.run({}, {"--share", "1/2"}), 64, "another sweep runs in this folder");
  program.interrupt();
  CHECK(program.finish().code == 130);

  Program share(variable("RIDGE_BIN"), sweep.args({{"seconds", 0.2}}, {"--share", "1/2"}));
  const size_t before = complete_in(sweep.out);
  REQUIRE(comes([&] { return complete_in(sweep.out) > before; }));
  check_refused(sweep.run({}), 64, "another sweep runs in this folder");
  check_refused(sweep.run({}, {"--share", "1/2"}), 64, "its share 1/2 is being measured");
  check_refused(sweep.run({}, {"--share", "1/3"}), 64, "with another number of shares");
  share.interrupt();
  CHECK(share.finish().code == 130);
}

TEST_CASE("a folder belongs to one plan and one program") {
  const Sweep sweep(kSixteen);
  REQUIRE(sweep.run({}).code == 0);
  check_refused(sweep.run({{"hash", "fedcba9876543210"}}), 65,
                "has changed since this sweep began");
  write_all(sweep.file, grids(with(kSixteen, "repeats", 3)));
  check_refused(sweep.run({}), 65, "it holds another sweep: its points are others");
  fs::remove(sweep.out + "/plan.json");
  check_refused(sweep.run({}), 65, "it has transcripts and no plan.json");
}

TEST_CASE("what is wrong with a file is one sentence with its place") {
  const auto refused = [](const json& grid, int code, const std::string& part) {
    const Sweep sweep(grid);
    check_refused(sweep.run({}), code, part);
    CHECK_FALSE(fs::exists(sweep.out + "/plan.json"));
  };
  refused(with(kSixteen, "lab", "gem"), 65, "grid 1: there is no lab 'gem'; did you mean gemm?");
  refused(with(kSixteen, "rungs", {"naive_o4"}), 65, "grid 1: ");
  refused(with(kSixteen, "set", {{"q", 3}}), 65, "it has no parameter 'q'");
  refused(with(kSixteen, "set", {{"n", 9000}}), 65, "grid 1: ");
  refused(with(kSixteen, "set", {{"n", json::array()}}), 65, "grid 1: n has no values");
  refused(with(kSixteen, "set", {{"n", {{"from", 8}, {"to", 4}}}}), 65, "grid 1: n is {\"from\":8");
  refused(with(kSixteen, "set", {{"n", "1..8192"}, {"k", "1..8192"}}), 65, "give at most 40000");
  refused(with(kSixteen, "repeats", 0), 65, "grid 1: repeats is 0; give a whole number from 1");
  refused(with(kSixteen, "mode", "quick"), 65, "give \"measure\" or \"live\"");
  refused(with(kSixteen, "rugns", {"naive_o3"}), 65, "'rugns' is no field of a grid; did you mean");
  refused(with({}, "rungs", {"naive_o3"}), 65, "grid 1: it names no lab");
  Sweep sweep(kSixteen);
  write_all(sweep.file, "{\"grids\": []}");
  check_refused(sweep.run({}), 65, "it has no grids; write {\"grids\"");
  write_all(sweep.file, "grids: none");
  check_refused(sweep.run({}), 65, "grid.json");
  fs::remove(sweep.file);
  check_refused(sweep.run({}), 65, "grid.json");
  write_all(sweep.file, grids(kSixteen));
  check_refused(sweep.run({}, {"--share", "3/2"}), 64, "'3/2' is no share");
  write_all(sweep.out, "a file");
  check_refused(sweep.run({}), 73, "it cannot be written");
  check_refused(
      Program(variable("RIDGE_BIN"), {"sweep", sweep.file, "--out", sweep.folder / "other", "--on",
                                      "no-such-program-here"})
          .finish(),
      69, "there is no such program");
}

TEST_CASE("a folder that may not be read or written is refused") {
  if (geteuid() == 0) RIDGE_SKIP("root may write anywhere");
  const Sweep sweep(kSixteen);
  fs::create_directory(sweep.out);
  fs::permissions(sweep.out, fs::perms::none);
  check_refused(sweep.run({}), 73, "it cannot be written");
  fs::permissions(sweep.out, fs::perms::owner_all);
}

TEST_CASE("ranges and lists are all their values") {
  const auto points = [](const json& set) {
    const Sweep sweep({{"lab", "gemm"}, {"rungs", {"naive_o3"}}, {"set", set}});
    const Outcome outcome = sweep.run({}, {"--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    std::vector<int> values;
    for (const auto& [key, count] : Held(sweep.out).complete) {
      const size_t at = key.find(" n=");
      values.push_back(std::stoi(key.substr(at + 3)));
    }
    std::sort(values.begin(), values.end());
    return values;
  };
  CHECK(points({{"n", {{"from", 8}, {"to", 70}, {"times", 2}}}}) == std::vector{8, 16, 32, 64});
  CHECK(points({{"n", {{"from", 8}, {"to", 12}, {"step", 2}}}}) == std::vector{8, 10, 12});
  CHECK(points({{"n", {{"from", 8}, {"to", 10}}}}) == std::vector{8, 9, 10});
  CHECK(points({{"n", {64, "8..9", 64}}}) == std::vector{8, 9, 64});
}

TEST_CASE("a host that does not answer ends the sweep before it begins, and is not left running") {
  const Sweep sweep(kSixteen);
  const std::string mark = "98765.25";
  const Outcome outcome = sweep.run({}, {"--on", "sleep " + mark});
  check_refused(outcome, 70, "worker 2 (sleep " + mark + "): the worker said no hello within 20 s");
  CHECK(running(mark) == 0);
  CHECK_FALSE(fs::exists(sweep.out + "/plan.json"));
}

TEST_CASE("a worker of this build measures points of a sweep") {
  const Sweep sweep({{"lab", "gemm"},
                     {"rungs", {"naive_o3"}},
                     {"set", {{"n", {16, 32}}}},
                     {"mode", "live"},
                     {"limit_s", 0.002}});
  const Outcome outcome =
      Program(variable("RIDGE_BIN"), {"sweep", sweep.file, "--out", sweep.out, "--json"}).finish();
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.json()["sweep"]["complete"] == 2);
  expect_schemas(schema_argument("transcript", sweep.out + "/worker-001.jsonl"));
}
