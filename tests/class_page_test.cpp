// ridgepoint class: folders of made-up runs through the program; the page, the gradebook and the sentences that come out.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/record/edit.h"
#include "common/record/seal.h"
#include "common/record/studied_note.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// Of gemm's second rung: its time in every run below.
constexpr double kMedian_ns = 1002;

/// A person's run, on a machine, on a day of November.
struct Handed {
  std::string name;  ///< typed; empty: none
  std::string cpu = "Test CPU";
  int day = 1;
  std::vector<double> predicted_ns;  ///< of kSecond, each before a run of it
  double speed = 1;                  ///< kSecond's time is kMedian_ns over this
  std::string hash{};                ///< of the rungs' code; without one nothing is stale
};

Series timed(int64_t request, double speed, const std::string& hash) {
  Series made = outcome(request, 0, kSecond);
  made.hash = hash;
  Stats& stats = *made.stats;
  for (double* value : {&stats.min_ns, &stats.q1_ns, &stats.median_ns, &stats.q3_ns, &stats.max_ns})
    *value /= speed;
  stats.ci_ns = Interval{stats.median_ns * 0.999, stats.median_ns * 1.001};
  return made;
}

Transcript run_of_person(const Handed& handed) {
  Transcript out;
  add_start(&out);
  if (!handed.name.empty()) out.app("learner", {{"name", handed.name}});
  Environment here = environment();
  here.cpu.model = handed.cpu;
  here.time_utc = "2026-11-" + std::string(handed.day < 10 ? "0" : "") +
                  std::to_string(handed.day) + "T18:00:00Z";
  out.worker("env", {{"environment", here}, {"when", "before"}, {"t_s", 1}});
  int64_t id = 3;
  WorkRequest first = request_for(RequestType::run, ++id);
  first.kernels = {first.kernels[0]};
  out.send(first);
  Series measured = outcome(id, 0, kFirst);
  measured.hash = handed.hash;
  out.worker("result", with(about(id, 0), "outcome", measured));
  out.worker("done", {{"request", id}, {"status", "ok"}});
  int64_t n = 64;
  for (const double predicted_ns : handed.predicted_ns) {
    // A size of its own each: at one that was run before, a prediction is after the fact.
    const Params params = {{"n", n++}};
    out.app("predict",
            {{"kernel", kSecond}, {"params", params_to_json(params)}, {"value", predicted_ns}});
    WorkRequest request = request_for(RequestType::run, ++id);
    request.kernels = {{kSecond, params}};
    out.send(request);
    Series series = timed(id, handed.speed, handed.hash);
    series.params = {{"n", params.at("n")}, {"dtype", std::string("fp32")}};
    out.worker("result", with(about(id, 0), "outcome", series));
    out.worker("done", {{"request", id}, {"status", "ok"}});
  }
  return out;
}

std::string sealed(const Transcript& transcript) {
  Seal seal;
  for (const std::string& line : transcript.lines) seal.take(line);
  return transcript.text() + seal.line() + "\n";
}

/// Of a line of RFC 4180 without quotes in a cell.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool in_quotes = false;
  for (const char letter : line) {
    if (letter == '"')
      in_quotes = !in_quotes;
    else if (letter == ',' && !in_quotes)
      cells.emplace_back();
    else if (letter != '\r')
      cells.back() += letter;
  }
  return cells;
}

/// A class's folder, and what the program makes of it.
struct Classroom {
  Folder folder;
  std::string page, csv;
  Outcome outcome;

  std::string path(const std::string& file) const { return folder / ("class/" + file); }
  void put(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(path(file)).parent_path());
    write_all(path(file), text);
  }
  void put(const std::string& file, const Handed& handed) const {
    put(file, sealed(run_of_person(handed)));
  }
  void read(std::vector<std::string> more = {}) {
    std::vector<std::string> args = {"class", folder / "class",   "--out", folder / "page.html",
                                     "--csv", folder / "book.csv"};
    args.insert(args.end(), more.begin(), more.end());
    outcome = Program(variable("RIDGE_BIN"), args).finish();
    INFO(outcome.err);
    page = read_all(folder / "page.html");
    csv = read_all(folder / "book.csv");
  }
  /// The gradebook's field of a person.
  std::string field(const std::string& person, const std::string& column) const {
    std::istringstream text(csv);
    std::vector<std::string> names;
    for (std::string line; std::getline(text, line);) {
      const std::vector<std::string> cells = cells_of(line);
      if (names.empty()) names = cells;
      const auto at = std::find(names.begin(), names.end(), column) - names.begin();
      if (cells[0] == person && at < std::ssize(cells)) return cells[static_cast<size_t>(at)];
    }
    return "no such person or column";
  }
};

/// The one line of the program's text that names it.
std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, part)) found += found.empty() ? line : " AND " + line;
  }
  return found;
}

TEST_CASE(
    "a class is one offline page; who typed no name has a pseudonym, and no file of theirs is "
    "told") {
  Classroom c;
  c.put("Ada/one.jsonl", Handed{.name = "Ada L", .predicted_ns = {500, 4000}});
  c.put("Ada/deeper/two.jsonl", Handed{.cpu = "Other CPU", .predicted_ns = {2004}});
  c.put("grace_hopper_77/run.jsonl", Handed{.predicted_ns = {1002}});
  c.put("notes.txt", "not a run");
  c.read();
  REQUIRE(c.outcome.code == 0);
  CHECK(contains(c.page, "Class: 2 people"));
  CHECK(contains(c.page, "Content-Security-Policy"));
  for (const char* fetched : {"href=", "src=", "url(", "@import"})
    CHECK_FALSE(contains(c.page, fetched));
  CHECK_FALSE(contains(c.page, "<script"));
  CHECK(contains(c.page, "Ada L"));
  CHECK(contains(c.page, "Person 1"));
  CHECK_FALSE(contains(c.page, "grace"));
  CHECK(contains(c.outcome.out, "names of their folders are withheld. --csv FILE.csv"));
  // The gradebook is the lecturer's: it leads back to the folder.
  CHECK(c.field("Person 1", "handed_in") == "grace_hopper_77");
  CHECK(c.field("Ada L", "runs") == "2");  // the file without a name lies in her folder
  CHECK(c.field("Ada L", "predictions") == "3");
  // Both machines are columns of one ladder; the first rung is what ≈ is over.
  CHECK(contains(c.page, "<th scope=\"col\">M1</th><th scope=\"col\">M2</th>"));
  CHECK(contains(c.page, "Other CPU, 2 cores, portable"));
  CHECK(contains(c.page, "GEMM: dtype=fp32 n=64, hot cache, 2 people"));
}

TEST_CASE(
    "a person is their name, whatever folders it is typed in; several paths are a person each") {
  Classroom c;
  c.put("week1/Ada.jsonl", Handed{.name = "Ada"});
  c.put("week1/whose.jsonl", Handed{});  // of two names in its folder neither is its own
  c.put("week1/Bo.jsonl", Handed{.name = "Bo"});
  c.put("week2/Ada.jsonl", Handed{.name = "Ada"});
  Transcript noted = run_of_person({});
  noted.app("note", {{"what", "name"}, {"text", " Bo "}});
  c.put("week3/noted.jsonl", sealed(noted));
  c.put("week2/nobody.jsonl", Handed{});  // of the one name in its folder
  c.read();
  CHECK(c.field("Ada", "runs") == "3");
  CHECK(c.field("Ada", "handed_in") == "week1; week2");
  CHECK(c.field("Bo", "runs") == "2");
  const Outcome several =
      Program(variable("RIDGE_BIN"), {"class", c.path("week1/Bo.jsonl"), c.path("week2"), "--json"})
          .finish();
  REQUIRE(several.code == 0);
  CHECK(several.json()["people"].size() == 2);  // Bo, and Ada with all of week2
  CHECK(several.json()["runs"] == 3);
}

TEST_CASE(
    "a ladder's cells are medians of a machine's people, with their ratio to its first rung") {
  Classroom c;
  for (const double speed : {1.0, 2.0, 8.0}) {
    c.put("p" + std::to_string(int(speed)) + ".jsonl",
          Handed{.predicted_ns = {1000}, .speed = speed});
  }
  // An older result of the fastest person's does not count.
  c.put("p8/old.jsonl", Handed{.day = 1, .predicted_ns = {1000}, .speed = 0.001});
  c.put("p8/new.jsonl", Handed{.day = 2, .predicted_ns = {1000}, .speed = 8});
  fs::remove(c.path("p8.jsonl"));
  c.read();
  // 2 · 64³ operations in 1002 ns, and in half of that.
  CHECK(contains(c.page, "523 GFLOP/s (3)"));
  CHECK(contains(c.page, "1.05 TFLOP/s, ≈ 2.00× (3)"));
  CHECK_FALSE(contains(c.page, "‡"));
  c.put("p1.jsonl", Handed{.predicted_ns = {1000}, .hash = "00beef00"});
  c.read();
  CHECK(contains(c.page, "1.05 TFLOP/s‡, ≈ 2.00× (3)"));
}

TEST_CASE(
    "predictions are held against their outcomes: how far off, which way, and who came closer") {
  Classroom c;
  std::vector<double> improving, steady;
  for (int i = 0; i < 12; ++i) {
    const double off = (i < 6 ? 4 : 1.1) + 0.01 * i;
    improving.push_back(i % 2 ? kMedian_ns * off : kMedian_ns / off);
    steady.push_back(kMedian_ns / 3);  // always said to be faster than it is
  }
  c.put("a.jsonl", Handed{.name = "Closer", .predicted_ns = improving});
  c.put("b.jsonl", Handed{.name = "Steady", .predicted_ns = steady});
  c.put("c.jsonl", Handed{.name = "None"});
  c.read();
  CHECK(c.field("Steady", "predictions") == "12");
  CHECK(c.field("Steady", "off_factor") == "2.997");  // of the nearer end of the interval
  CHECK(c.field("Steady", "slower") == "12");
  CHECK(c.field("Steady", "change") == "not settled");
  CHECK(c.field("Closer", "slower") == "6");
  CHECK(c.field("Closer", "change") == "closer");
  CHECK(c.field("Closer", "off_first_half").starts_with("4.0"));
  CHECK(c.field("Closer", "off_second_half").starts_with("1.1"));
  CHECK(c.field("None", "off_factor").empty());
  CHECK(contains(c.page, "Closer in their later half: Closer."));
  CHECK(contains(c.page, "Outcome over prediction"));
}

TEST_CASE("a prediction after the fact, and one without an outcome, count for nothing") {
  Classroom c;
  Transcript run = run_of_person({.name = "Ada", .predicted_ns = {500}});
  run.app("predict", {{"kernel", kFirst}, {"params", {{"n", 64}}}, {"value", 1}});
  WorkRequest again = request_for(RequestType::run, 90);
  again.kernels = {again.kernels[0]};
  run.send(again);
  run.worker("result", with(about(90, 0), "outcome", outcome(90, 0, kFirst)));
  run.app("predict", {{"kernel", kFirst}, {"params", {{"n", 999}}}, {"value", 1}});
  c.put("a.jsonl", sealed(run));
  c.read();
  CHECK(c.field("Ada", "predictions") == "1");
  CHECK(c.field("Ada", "after_the_fact") == "1");
}

TEST_CASE(
    "a changed run is marked with its lines, and read; what mail does to line ends is no change") {
  Classroom c;
  const std::string whole = sealed(run_of_person({.name = "Ada", .predicted_ns = {500}}));
  c.put("same.jsonl", whole);
  std::string mailed;
  for (const char letter : whole) mailed += letter == '\n' ? "\r\n" : std::string(1, letter);
  c.put("mailed.jsonl", mailed);
  std::string edited = whole;
  const size_t digit = edited.find("\"median_ns\":1002");
  REQUIRE(digit != std::string::npos);
  edited.replace(digit, 16, "\"median_ns\":1001");
  c.put("edited.jsonl", edited);
  // Runs that were joined, and one that was copied while it was written.
  c.put("joined.jsonl", whole + whole);
  c.put("open.jsonl", run_of_person({.name = "Ada"}).text());
  c.read();
  CHECK(c.outcome.code == 0);
  CHECK(c.field("Ada", "runs") == "5");
  CHECK(c.field("Ada", "changed") == "1");
  CHECK(contains(c.outcome.out, "edited.jsonl: it was changed after it was saved: lines 1 to "));
  CHECK_FALSE(contains(c.outcome.out, "mailed.jsonl"));
  CHECK_FALSE(contains(c.outcome.out, "joined.jsonl"));
  CHECK(contains(c.page, "Ada, edited.jsonl: it was changed after it was saved"));
  CHECK(contains(c.page, "1 run has no seal to the end"));
  CHECK(contains(c.page, "does not guard against malice"));
}

TEST_CASE("a file that was handed in twice is named, and a column that says nothing is left out") {
  Classroom c;
  const std::string whole = sealed(run_of_person({.predicted_ns = {500}}));
  c.put("ann/run.jsonl", whole);
  c.put("bob/run.jsonl", whole);
  c.put("cy/run.jsonl", Handed{.day = 2, .predicted_ns = {600}});
  c.read();
  REQUIRE(c.outcome.code == 0);
  CHECK(contains(c.page,
                 "Person 2, file 1: it is the same as file 1 of Person 1, byte for byte, so one "
                 "run counts for two people."));
  CHECK(contains(line_with(c.outcome.out, "byte for byte"), "bob"));
  CHECK(contains(c.page, "none was changed after it was saved"));
  CHECK_FALSE(contains(c.page, ">Quiz</th>"));
  CHECK(contains(c.page, ">Half within</th>"));
  // One table, which is not cut into several that begin with the same column.
  const size_t first = c.page.find(">Person</th>");
  REQUIRE(first != std::string::npos);
  CHECK(c.page.find(">Person</th>", first + 1) == std::string::npos);
}

TEST_CASE("what cannot be read has one sentence each, and costs the others nothing") {
  Classroom c;
  c.put("good.jsonl", Handed{.name = "Ada", .predicted_ns = {500}});
  c.put("cut.jsonl", "");
  c.put("zipped.jsonl", "\x1f\x8bxyz");
  c.put("page.jsonl", "<!doctype html><html></html>");
  c.put("next/run.jsonl", R"({"ridgepoint":2,"type":"hello","seq":1,"version":"9.0"})"
                          "\n");
  fs::create_directories(c.path("late"));
  c.read();
  CHECK(c.outcome.code == 0);
  CHECK(contains(line_with(c.outcome.out, "cut.jsonl"), "the file is empty"));
  CHECK(contains(line_with(c.outcome.out, "zipped.jsonl"), "this is gzip data"));
  CHECK(contains(line_with(c.outcome.out, "page.jsonl"), "this is an HTML page"));
  CHECK(
      contains(line_with(c.outcome.out, "next/run.jsonl"), "protocol version 2 is not version 1"));
  CHECK(contains(line_with(c.outcome.out, "class/late"), "no run is in it"));
  for (const char* file : {"cut.jsonl", "zipped.jsonl", "page.jsonl", "next/run", "class/late"})
    CHECK_FALSE(contains(line_with(c.outcome.out, file), " AND "));
  CHECK(c.field("Ada", "predictions") == "1");
  CHECK(contains(c.page, "1 of 5 files"));
  CHECK(contains(c.page, ": this is gzip data."));
  CHECK_FALSE(contains(c.page, "zipped"));  // it may be a person's name
  // Who handed in nothing has a line all the same.
  CHECK(contains(c.csv, ",late,0,0,"));
}

TEST_CASE("a folder that is not there, or holds nothing, is an error in one sentence") {
  const Folder folder;
  const auto class_of = [&](const std::string& path, const std::string& out) {
    return Program(variable("RIDGE_BIN"), {"class", path, "--out", out}).finish();
  };
  for (const std::string& path : {folder / "none", folder.path.string()}) {
    const Outcome outcome = class_of(path, folder / "page.html");
    CHECK(outcome.code == 65);
    CHECK(outcome.err.starts_with("ridgepoint: "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(folder / "page.html"));
  }
  write_all(folder / "a.jsonl", sealed(run_of_person({})));
  CHECK(class_of(folder.path.string(), folder / "page.pdf").code == 64);
  CHECK(class_of(folder.path.string(), folder / "none/page.html").code == 73);
}

TEST_CASE("exercises are solved by verified comparisons, cards and quiz as they were last noted") {
  Classroom c;
  const std::string edit = "gemm.cpu.turned_loops" + std::string(kEditSuffix);
  const auto handed = [&](int day, Verdict verdict, int known) {
    Transcript run = run_of_person({.name = "Ada", .day = day});
    WorkRequest request = request_for(RequestType::compare, 50);
    request.kernels = {{"gemm.cpu.naive_o3", {{"n", int64_t{64}}}}, {edit, {{"n", int64_t{64}}}}};
    run.send(request);
    for (int side = 0; side < 2; ++side) {
      Series series = outcome(50, side, side == 0 ? "gemm.cpu.naive_o3" : edit);
      series.mode = RunMode::compare;
      run.worker("result", with(about(50, side), "outcome", series));
    }
    Comparison made;
    made.request = 50;
    made.lab = "gemm";
    made.baseline = "gemm.cpu.naive_o3";
    made.candidate = edit;
    made.cache = CacheMode::hot;
    made.baseline_params = made.candidate_params = outcome(50, 0, kFirst).params;
    made.rounds = 40;
    made.ratio = verdict == Verdict::faster ? 2 : 0.5;
    made.ci = Interval{made.ratio * 0.99, made.ratio * 1.01};
    made.margin = 0.02;
    made.verdict = verdict;
    run.worker("result", {{"request", 50}, {"comparisons", {made}}});
    run.worker("done", {{"request", 50}, {"status", "ok"}});
    for (const StudiedNote& note : {StudiedNote{Studied::cards, "gemm", known, 12},
                                    StudiedNote{Studied::cards, "measuring", 1, 2},
                                    StudiedNote{Studied::quiz, "gemm", known, 1}}) {
      const auto [what, text] = to_note(note);
      run.app("note", {{"what", what}, {"text", text}});
    }
    run.app("note", {{"what", "studied cards conv"}, {"text", "999 known, all answered"}});
    return run;
  };
  c.put("day3.jsonl", sealed(handed(3, Verdict::slower, 8)));  // the later one, whatever its name
  c.put("day4.jsonl", sealed(handed(2, Verdict::faster, 5)));
  c.read();
  CHECK(c.field("Ada", "exercises_solved") == "1");
  CHECK(c.field("Ada", "solved") == "turned_loops");
  CHECK(c.field("Ada", "cards_known") == "9");
  CHECK(c.field("Ada", "cards_answered") == "14");
  CHECK(c.field("Ada", "quiz_right") == "8");
  CHECK(c.field("Ada", "quiz_wrong") == "1");
  CHECK(contains(c.page, "Exercise: Turn the loops against "));
  // Slower is begun, and not solved.
  fs::remove(c.path("day4.jsonl"));
  c.read();
  CHECK(c.field("Ada", "exercises_solved") == "0");
  CHECK(c.field("Ada", "exercises_begun") == "1");
}

TEST_CASE("an A/A comparison is a noise floor of the class, and no step of its ladder") {
  Classroom c;
  Transcript run = run_of_person({.name = "Ada"});
  for (int64_t id = 60; id < 80; ++id) {
    WorkRequest request = request_for(RequestType::compare, id);
    request.margin = 0;
    run.send(request);
    Comparison made;
    made.request = id;
    made.lab = "gemm";
    made.baseline = made.candidate = kFirst;
    made.cache = CacheMode::hot;
    made.baseline_params = made.candidate_params = outcome(id, 0, kFirst).params;
    made.rounds = 40;
    made.ratio = id % 2 ? 1.01 : 1 / 1.01;
    made.ci = Interval{0.98, 1.02};
    run.worker("result", {{"request", id}, {"comparisons", {made}}});
  }
  c.put("a.jsonl", sealed(run));
  c.read();
  CHECK(contains(c.page, "A/A noise floors"));
  CHECK(contains(c.page, "±1"));
  CHECK_FALSE(contains(c.page, "Compared in pairs"));
}

TEST_CASE("a name is a text: no formula in the gradebook, no markup on the page") {
  Classroom c;
  c.put("a.jsonl", Handed{.name = "=1+1"});
  c.put("b.jsonl", Handed{.name = "<b onclick=x>"});
  c.read();
  CHECK(contains(c.csv, "\n'=1+1,"));
  CHECK_FALSE(contains(c.csv, "\n=1+1"));
  CHECK_FALSE(contains(c.page, "<b onclick"));
  CHECK(contains(c.page, "&lt;b onclick=x&gt;"));
}

TEST_CASE("what the program saves is sealed to its end") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  const Outcome made =
      Program(variable("RIDGE_BIN"), {"run", "gemm", "--rungs", "naive_o1", "--set", "n=16",
                                      "--mode", "live", "--limit", "0.01", "--out", path})
          .finish();
  REQUIRE(made.code == 0);
  const auto run = Run::load(path);
  REQUIRE(run);
  CHECK(run->seals().is_sealed());
  CHECK(run->seals().broken().empty());
  expect_schemas(schema_argument("transcript", path));
}

}  // namespace
