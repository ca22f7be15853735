// The recordings that ship with the program: small, whole, of one lab and machine each, checked; and what of them is no
// longer fresh is named in assets/recorded/pending.txt, which has no line too many.
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/query/compact.h"
#include "app/query/recording_check.h"
#include "app/query/recording_pack.h"
#include "app/query/recordings.h"
#include "app/session/saved_run.h"
#include "common/core/files.h"
#include "common/record/derive.h"
#include "common/record/params.h"
#include "labs/lab.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::app;
namespace fs = std::filesystem;

namespace {

fs::path folder() {
  const char* source = std::getenv("RIDGE_SOURCE");
  REQUIRE(source != nullptr);
  return fs::path(source) / "assets/recorded";
}

struct Shipped {
  fs::path path;
  std::string name;  ///< "gemm.h200.bf16"
  Run run;           ///< its stale results marked
};

const std::vector<Shipped>& recordings() {
  static const std::vector<Shipped> all = [] {
    std::vector<Shipped> found;
    for (const auto& entry : fs::directory_iterator(folder())) {
      if (entry.path().extension() != ".jsonl") continue;
      auto run = load_saved(entry.path().string());
      REQUIRE(run.ok());
      found.push_back({entry.path(), entry.path().stem().string(), *std::move(run)});
    }
    return found;
  }();
  return all;
}

// ---- what is not fresh ----

/// One thing that asks for a recording, or a line of pending.txt that names such things with * in place of a part.
struct Pending {
  std::string rung, recording, commit, kind;
};

std::string text_of(const Pending& one) {
  return one.rung + " " + one.recording + " " + one.commit + " " + one.kind;
}

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool names(const Pending& line, const Pending& problem) {
  return line.kind == problem.kind && line.commit == problem.commit &&
         matches(line.rung, problem.rung) &&
         (problem.kind == "missing" || matches(line.recording, problem.recording));
}

/// The rungs that a recording has results of.
std::set<std::string> rungs_of(const Run& run) {
  std::set<std::string> rungs;
  for (const Series& series : run.series()) rungs.insert(series.kernel);
  return rungs;
}

std::set<std::string> stale_rungs_of(const Run& run) {
  std::set<std::string> stale;
  for (const Series& series : run.series()) {
    if (series.stale) stale.insert(series.kernel);
  }
  return stale;
}

// ---- clock and energy ----

/// "H100, gemm.cuda.naive, fp32": what is metered at one point of one recording at least.
std::string metered_name(const Run& run, const std::string& rung, const std::string& dtype) {
  return run.environment()->machine() + ", " + rung + ", " + dtype;
}

/// What a recording has joules of, and whether it has a clock. A library that runs in another process has its clock in the
/// telemetry alone.
struct Metered {
  std::set<std::string> timed, joules;
  bool has_clock = false;
};

Metered metered(const Run& run) {
  Metered found;
  found.has_clock = run.telemetry().has("sm_clock_hz");
  for (const Series& series : run.series()) {
    if (backend_of(series.kernel) != Backend::cuda) continue;
    const std::string name = metered_name(run, series.kernel, series.dtype);
    if (series.stats || series.trap) found.timed.insert(name);
    if (series.energy_j) found.joules.insert(name);
    found.has_clock |= series.sm_clock_hz.has_value();
  }
  for (const Comparison& one : run.comparisons()) {
    for (size_t side = 0; side < one.sustained.size(); ++side) {
      if (!one.sustained[side].energy_j) continue;
      const std::string& rung = side == 0 ? one.baseline : one.candidate;
      const Params& params = side == 0 ? one.baseline_params : one.candidate_params;
      found.joules.insert(metered_name(run, rung, param_text(params, "dtype", "")));
    }
  }
  return found;
}

bool is_of_gpu(const Run& run) {
  return run.environment() && !run.environment()->gpus.empty();
}

/// Rungs of the labs that run on a GPU.
std::set<std::string> gpu_rungs() {
  std::set<std::string> rungs;
  for (const Lab* lab : all_labs()) {
    for (const Rung& rung : lab->rungs) {
      if (backend_of(rung.kernel) == Backend::cuda) rungs.insert(rung.kernel);
    }
  }
  return rungs;
}

std::vector<Pending> problems_of(const std::vector<Shipped>& all) {
  std::vector<Pending> problems;
  std::set<std::string> missing = gpu_rungs();
  for (const Shipped& one : all) {
    const std::string commit = commit_of(one.run);
    if (!is_clean_commit(commit))
      problems.push_back({"*", one.name, commit, commit == "unknown" ? "unknown" : "dirty"});
    for (const std::string& rung : stale_rungs_of(one.run))
      problems.push_back({rung, one.name, commit, "stale"});
    for (const std::string& rung : rungs_of(one.run)) missing.erase(rung);
  }
  for (const std::string& rung : missing) problems.push_back({rung, "", "-", "missing"});
  return problems;
}

/// Lines of "RUNG RECORDING COMMIT KIND reason"; what stands behind # is for people.
std::vector<Pending> read_pending(std::istream& file) {
  std::vector<Pending> lines;
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text.substr(0, text.find('#')));
    Pending line;
    if (!(words >> line.rung)) continue;
    std::string reason;
    words >> line.recording >> line.commit >> line.kind >> reason;
    INFO(text);
    CHECK(std::set<std::string>{"stale", "dirty", "unknown", "missing"}.contains(line.kind));
    CHECK_FALSE(reason.empty());
    lines.push_back(std::move(line));
  }
  return lines;
}

/// What is wrong with the list, a sentence each.
std::vector<std::string> faults_of(const std::vector<Pending>& lines,
                                   const std::vector<Shipped>& all) {
  std::vector<std::string> faults;
  const std::vector<Pending> problems = problems_of(all);
  for (const Pending& problem : problems) {
    const bool listed = std::any_of(lines.begin(), lines.end(),
                                    [&](const Pending& line) { return names(line, problem); });
    if (!listed) faults.push_back("not listed: " + text_of(problem));
  }
  for (const Pending& line : lines) {
    const bool needed = std::any_of(problems.begin(), problems.end(),
                                    [&](const Pending& problem) { return names(line, problem); });
    if (!needed) faults.push_back("no longer needed: " + text_of(line));
    if (line.kind != "stale") continue;
    // A * stands for what is stale already. What is recorded anew under it would be stale unseen later.
    for (const Shipped& one : all) {
      if (!matches(line.recording, one.name) || commit_of(one.run) != line.commit) continue;
      const std::set<std::string> stale = stale_rungs_of(one.run);
      for (const std::string& rung : rungs_of(one.run)) {
        if (matches(line.rung, rung) && !stale.contains(rung))
          faults.push_back("says too much: " + text_of(line) + ", and " + rung + " of " + one.name +
                           " is fresh");
      }
    }
  }
  return faults;
}

}  // namespace

TEST_CASE("a label names a machine in a word") {
  CHECK(app::short_machine("Intel(R) Xeon(R) Processor") == "Xeon");
  CHECK(app::short_machine("NVIDIA H100 80GB HBM3") == "H100");
  CHECK(app::short_machine("NVIDIA GeForce RTX 4090") == "RTX 4090");
  CHECK(app::short_machine("AMD Ryzen 9 7950X 16-Core Processor") == "Ryzen 9 7950X 16-Core");
  CHECK(app::short_machine("Intel(R) Core(TM) i7-1165G7 CPU @ 2.80GHz") == "i7-1165G7");
  CHECK(app::short_machine("Processor") == "Processor");
}

TEST_CASE("what is not fresh is listed, and what is listed is not fresh") {
  std::ifstream file(folder() / "pending.txt");
  REQUIRE(file.good());
  const std::vector<Pending> lines = read_pending(file);
  for (const std::string& fault : faults_of(lines, recordings())) FAIL_CHECK(fault);
}

TEST_CASE("the list of what is not fresh is held to both sides") {
  std::ifstream file(folder() / "pending.txt");
  const std::vector<Pending> lines = read_pending(file);
  // Without any one of its lines something is unlisted.
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<Pending> fewer = lines;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    INFO(text_of(lines[i]));
    CHECK_FALSE(faults_of(fewer, recordings()).empty());
  }
  const size_t before = faults_of(lines, recordings()).size();
  std::vector<Pending> more = lines;
  more.push_back({"gemm.cuda.naive", "gemm.h200.gone", "abcdef", "stale"});
  CHECK(faults_of(more, recordings()).size() == before + 1);
  more.back() = {"gemm.cuda.naive", "gemm.h200.fp32", "-", "missing"};
  CHECK(faults_of(more, recordings()).size() == before + 1);
  // A pattern that takes fresh rungs in.
  const auto fresh = std::find_if(recordings().begin(), recordings().end(), [](const Shipped& one) {
    return !stale_rungs_of(one.run).empty() &&
           stale_rungs_of(one.run).size() < rungs_of(one.run).size();
  });
  if (fresh == recordings().end()) return;  // nothing is stale
  more.back() = {"*", fresh->name, commit_of(fresh->run), "stale"};
  CHECK(faults_of(more, recordings()).size() > before);
}

TEST_CASE("each recording is one that 'ridgepoint recording' takes") {
  CHECK(recordings().size() > 20);
  for (const Shipped& one : recordings()) {
    INFO(one.name);
    const auto good = check_recording(one.path.string(), {.dirty_too = true});
    if (!good) FAIL_CHECK(good.error().sentence());
  }
}

TEST_CASE("a recording of a GPU holds clock and energy, and so at one point each rung and type") {
  int of_gpus = 0;
  std::set<std::string> timed, joules;
  for (const Shipped& one : recordings()) {
    if (!is_of_gpu(one.run)) continue;
    INFO(one.name);
    const Metered found = metered(one.run);
    CHECK(found.has_clock);
    CHECK(found.joules.empty() == found.timed.empty());
    timed.insert(found.timed.begin(), found.timed.end());
    joules.insert(found.joules.begin(), found.joules.end());
    ++of_gpus;
  }
  CHECK(of_gpus > 20);
  for (const std::string& name : timed) {
    INFO(name);
    CHECK(joules.contains(name));
  }
}

TEST_CASE("the recordings of a lab take 8 MiB at most, and all 1 MiB as a package holds them") {
  std::map<std::string, uint64_t> bytes;
  const test::Folder scratch;
  std::ofstream all(scratch / "all");
  for (const Shipped& one : recordings()) {
    bytes[one.name.substr(0, one.name.find('.'))] += fs::file_size(one.path);
    all << *read_whole(one.path.string());
  }
  CHECK(bytes.count("gemm") == 1);
  for (const auto& [lab, sum] : bytes) {
    INFO(lab);
    CHECK(sum > 0);
    CHECK(sum <= kMostLabBytes);
  }
  all.close();
  // They lie beside the program as they are; this is what they add to a package, which Debian's tools compress by xz.
  const test::Outcome packed = test::Program("xz", {"--stdout", scratch / "all"}).finish();
  REQUIRE(packed.code == 0);
  WARN(packed.out.size() << " bytes of recordings in a package");
  CHECK(packed.out.size() <= size_t{1} << 20);
  CHECK(packed.out.size() > size_t{100} << 10);
}

TEST_CASE("of every rung that was recorded some recording holds the text that ran") {
  std::set<std::string> texts;
  for (const Shipped& one : recordings()) {
    for (const KernelInfo& kernel : one.run.catalogue()) {  // measured here, or only counted
      if (const SourceText* source = one.run.source(kernel.id))
        texts.insert(kernel.id + " " + source->hash);
    }
  }
  for (const Shipped& one : recordings()) {
    for (const Series& series : one.run.series()) {
      INFO(one.name << ": " << series.kernel << " " << series.hash);
      CHECK(texts.count(series.kernel + " " + series.hash) == 1);
    }
  }
}

TEST_CASE("a recording that is made small again stays as it is") {
  const fs::path work = fs::temp_directory_path() / ("ridge_compact_" + std::to_string(getpid()));
  fs::create_directories(work);
  for (const Shipped& one : recordings()) {
    INFO(one.name);
    const std::string copy = (work / one.path.filename()).string();
    fs::copy_file(one.path, copy);
    REQUIRE(compact(copy).ok());
    CHECK(
        (*read_whole(copy) == *read_whole(one.path.string())));  // no text of a failure: megabytes
    fs::remove(copy);
  }
  fs::remove_all(work);
}

namespace {

/// Writes the lines of a run as a worker and the app say them.
class Transcript {
 public:
  explicit Transcript(const std::string& path) : out_(path) {}
  void operator()(Json line) {
    line["ridgepoint"] = 1;
    out_ << line.dump() << "\n";
  }

 private:
  std::ofstream out_;
};

}  // namespace

TEST_CASE("a recording keeps a rung's counts, and leaves its warp's requests out") {
  const test::Folder folder;
  const std::string path = folder / "puzzles.x.jsonl";
  KernelCounts counts{.kernel = "gemm.cuda.naive", .path = "naive.cu"};
  counts.lines.push_back({.line = 23});
  counts.lines.back().flop = 64;
  counts.steps = {.made = 9,
                  .requests = {{.line = 23, .lane_bytes = 4, .offsets = "0+4x32", .cost = 4}}};
  const Json line = {
      {"ridgepoint", 1}, {"type", "result"}, {"request", 1}, {"counts", Json(counts)}};
  REQUIRE(line["counts"].contains("steps"));
  std::ofstream(path) << dump_json(line) << "\n";
  REQUIRE(compact(path).ok());
  const auto kept = parse_json(*read_whole(path), path);
  REQUIRE(kept);
  CHECK((*kept)["counts"]["lines"] == line["counts"]["lines"]);
  CHECK_FALSE((*kept)["counts"].contains("steps"));
}

TEST_CASE(
    "beside a run with an energy pass a recording keeps clocks and power, and results with "
    "counters") {
  const test::Folder folder;
  const std::string path = folder / "gemm.x.jsonl";
  {
    Transcript say(path);
    const auto telemetry = [&](double t_s) {
      say({{"type", "telemetry"},
           {"t_s", t_s},
           {"values", {{"sm_clock_hz", 1.98e9}, {"process_cpus", 1.0}}},
           {"core_busy", {0.5}},
           {"throttle", {"power cap"}}});
    };
    const auto result = [&](int request, Json counters) {
      const Json outcome = {{"kernel", "gemm.cpu.naive_o1"}, {"params", {{"n", request}}}};
      say({{"type", "result"}, {"request", request}, {"series", 0}, {"outcome", outcome}});
      Json counted = outcome;
      counted["counters"] = std::move(counters);
      say({{"type", "result"}, {"request", request}, {"series", 0}, {"outcome", counted}});
      say({{"type", "done"}, {"request", request}});
    };
    say({{"from", "app"}, {"type", "run"}, {"id", 1}, {"lab", "gemm"}, {"energy", false}});
    telemetry(1);
    result(1, Json::array());
    say({{"from", "app"}, {"type", "run"}, {"id", 2}, {"lab", "gemm"}});
    for (int i = 0; i < 11; ++i) telemetry(2 + 0.1 * i);
    result(2, {{{"name", "cycles"}, {"value", 7}, {"unit", ""}}});
    telemetry(4);
  }
  REQUIRE(compact(path).ok());
  std::ifstream in(path);
  std::vector<double> read_s;
  size_t results = 0, counters = 0;
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line);
    if (json.value("type", "") == "telemetry") {
      read_s.push_back(json["t_s"]);
      CHECK(json["values"] == Json{{"sm_clock_hz", 1.98e9}});
      CHECK(json["throttle"] == Json::array({"power cap"}));
      CHECK_FALSE(json.contains("core_busy"));
    }
    const Json* outcome = object_field(json, "outcome");
    results += outcome != nullptr;
    if (outcome) counters += outcome->value("counters", Json::array()).size();
  }
  CHECK(read_s == std::vector<double>{2, 2.5, 3});
  CHECK(results == 2);
  CHECK(counters == 1);
}

TEST_CASE("a rung that was timed in turns with its ladder has that time, and says so") {
  const test::Folder folder;
  const std::string path = folder / "gemm.x.jsonl";
  {
    Transcript say(path);
    const auto result = [&](int request, int n, double median_ns) {
      const Json outcome = {{"kernel", "gemm.cpu.naive_o1"},
                            {"params", {{"n", n}}},
                            {"status", "ok"},
                            {"note", request == 1 ? "a" : ""},
                            {"stats", {{"median_ns", median_ns}}},
                            {"items_per_s", 3e9 / median_ns},
                            {"energy_j", request}};
      say({{"type", "result"}, {"request", request}, {"series", n}, {"outcome", outcome}});
    };
    const auto compare = [&](int id, bool has_pairs) {
      Json line = {{"from", "app"}, {"type", "compare"}, {"id", id}, {"lab", "gemm"}};
      if (has_pairs) line["pairs"] = {{0, 1}};
      say(line);
    };
    say({{"from", "app"}, {"type", "run"}, {"id", 1}, {"lab", "gemm"}});
    for (const int n : {64, 65, 66}) result(1, n, 100);
    say({{"type", "done"}, {"request", 1}, {"status", "ok"}});
    compare(2, true);
    result(2, 64, 110);
    say({{"type", "done"}, {"request", 2}, {"status", "ok"}});
    compare(3, false);  // of a pair that was asked for by itself
    result(3, 65, 120);
    say({{"type", "done"}, {"request", 3}, {"status", "ok"}});
    compare(4, true);  // its rounds did not end
    result(4, 66, 130);
    say({{"type", "done"}, {"request", 4}, {"status", "cancelled"}});
  }
  for (int times = 0; times < 2; ++times) {
    REQUIRE(compact(path).ok());
    std::map<int, Json> found;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      const Json json = Json::parse(line);
      if (const Json* outcome = object_field(json, "outcome")) {
        CHECK(json["request"] == 1);
        found[(*outcome)["params"]["n"]] = *outcome;
      }
    }
    REQUIRE(found.size() == 3);
    CHECK(found[64]["stats"]["median_ns"] == 110);
    CHECK(found[64]["items_per_s"].get<double>() == Approx(3e9 / 110).epsilon(1e-5));
    CHECK(found[64]["note"] == "a; timed in turns with the other rungs");
    CHECK(found[64]["energy_j"] == 1);  // of its own pass
    for (const int n : {65, 66}) {
      CHECK(found[n]["stats"]["median_ns"] == 100);
      CHECK(found[n]["note"] == "a");
    }
  }
}

TEST_CASE("a recording that was cut short keeps what ended, and the curve of the first seed") {
  const test::Folder folder;
  const std::string path = folder / "mixed.x.jsonl";
  {
    Transcript say(path);
    const auto train = [&](int seed) {
      Json points = Json::array();
      for (int step = 0; step < 1000; ++step) {
        Json values = {{"loss", 1}, {"gradient_2^-3", 0.5}};
        if (step % 250 == 125) values["accuracy"] = 0.5;
        points.push_back({{"step", step}, {"t_s", step}, {"values", values}});
      }
      say({{"type", "curve"}, {"request", 1}, {"series", seed}, {"points", points}});
      say({{"type", "result"},
           {"request", 1},
           {"series", seed},
           {"outcome",
            {{"kernel", "mixed.cpu.fp32"}, {"kind", "training"}, {"params", {{"seed", seed}}}}}});
    };
    say({{"from", "app"}, {"type", "run"}, {"id", 1}, {"lab", "mixed"}});
    train(0);
    train(1);
    say({{"type", "done"}, {"request", 1}, {"status", "done"}});
    say({{"from", "app"}, {"type", "compare"}, {"id", 2}, {"lab", "mixed"}});
    say({{"type", "done"}, {"request", 2}, {"status", "cancelled"}});
    say({{"from", "app"}, {"type", "compare"}, {"id", 3}, {"lab", "mixed"}});
    say({{"from", "app"}, {"type", "compare"}, {"id", 4}, {"lab", "mixed"}});
    const Json judged = {{"candidate", "a"}, {"ci", {{"low", 1}, {"high", 2}}}};
    const Json unjudged = {{"candidate", "b"}, {"ci", nullptr}};
    say({{"type", "result"}, {"request", 4}, {"comparisons", {judged, unjudged}}});
    say({{"type", "result"}, {"request", 4}, {"comparisons", Json::array({unjudged})}});
    say({{"type", "done"}, {"request", 4}, {"status", "done"}});
  }
  for (int times = 0; times < 2; ++times) {
    REQUIRE(compact(path).ok());
    std::ifstream in(path);
    std::map<int, size_t> points, looks, gradients;
    size_t asked = 0;
    std::string compared;
    for (std::string line; std::getline(in, line);) {
      const Json json = Json::parse(line);
      asked += json.value("from", "") == "app";
      for (const Json& one : json.value("comparisons", Json::array()))
        compared += one["candidate"].get<std::string>();
      if (json.value("type", "") != "curve") continue;
      for (const Json& point : json["points"]) {
        ++points[json["series"]];
        looks[json["series"]] += point["values"].contains("accuracy");
        gradients[json["series"]] += point["values"].contains("gradient_2^-3");
      }
    }
    CHECK(asked == 2);
    CHECK(compared == "a");
    CHECK(points[0] > 150);
    CHECK(points[0] <= kMostCurvePoints);
    CHECK(points[1] == 6);
    CHECK(looks == std::map<int, size_t>{{0, 4}, {1, 4}});
    CHECK(gradients == std::map<int, size_t>{{0, points[0]}, {1, 0}});
  }
}

namespace {

/// One rung at these sizes, of code "old" or "new", which is today's.
Recording recorded_on(const std::string& machine, const std::string& hash,
                      const std::vector<int64_t>& sizes) {
  const auto run = std::make_shared<Run>();
  run->apply({{"ridgepoint", 1}, {"type", "hello"}, {"version", "0"}, {"pid", 1}, {"build", {}}});
  for (size_t i = 0; i < sizes.size(); ++i) {
    run->apply({{"ridgepoint", 1},
                {"type", "result"},
                {"request", 1},
                {"series", i},
                {"outcome",
                 {{"kernel", "gemm.cuda.naive"},
                  {"params", {{"n", sizes[i]}, {"dtype", "fp32"}}},
                  {"cache", "hot"},
                  {"hash", hash},
                  {"status", "ok"}}}});
  }
  const RungHash now[] = {{"gemm.cuda.naive", "new"}};
  run->mark_stale(now);
  return {.path = "", .machine = machine, .title = "", .run = run};
}

Snapped nearest_to(const std::vector<Recording>& recordings, int64_t n) {
  const Params wanted = {{"n", n}, {"dtype", std::string("fp32")}};
  return recorded_series(
      recordings, "gemm.cuda.naive", [&](const Run&) { return wanted; }, CacheMode::hot);
}

}  // namespace

TEST_CASE("the nearest recorded result is looked for in all files of one machine") {
  const std::vector<Recording> all = {recorded_on("H200", "old", {512, 4097}),
                                      recorded_on("H200", "new", {4096}),
                                      recorded_on("T4", "new", {4097, 16384})};
  CHECK(nearest_to(all, 4096).recording == &all[1]);
  CHECK(nearest_to(all, 4096).exact);
  CHECK(nearest_to(all, 512).recording == &all[0]);
  // Another machine's is no row of this ladder, however near.
  CHECK(nearest_to(all, 16384).recording == &all[0]);
  const std::vector<Recording> last = {all[2]};
  CHECK(nearest_to(last, 16384).recording == last.data());
  CHECK(nearest_to({}, 16384).series == nullptr);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST_CASE("of two machines in a lab the one with more undisturbed results comes first") {
  const auto& shipped = recordings();
  const auto quiet = std::find_if(shipped.begin(), shipped.end(), [](const Shipped& one) {
    return one.name.rfind("pipeline.", 0) == 0 && is_of_gpu(one.run);
  });
  REQUIRE(quiet != shipped.end());
  const std::string text = *read_whole(quiet->path.string());
  const std::string disturbed =
      replaced(replaced(text, "\"flags\":[]", "\"flags\":[\"contended\"]"), "NVIDIA H100 80GB HBM3",
               "NVIDIA Disturbed");
  const test::Folder scratch;
  std::ofstream(scratch / "pipeline.disturbed.jsonl") << disturbed;
  std::ofstream(scratch / "pipeline.quiet.jsonl") << text;
  const auto all = load_recordings(scratch / "", nullptr);
  REQUIRE(all.size() == 2);
  CHECK(all[0].machine == quiet->run.environment()->machine());
  CHECK(all[1].machine == "NVIDIA Disturbed");
}

TEST_CASE(
    "read one after the other the recordings are those that are read at once, the asked lab's "
    "first") {
  RecordingShelf shelf;
  const size_t of_lab = shelf.left("conv");
  REQUIRE(of_lab > 1);
  for (size_t i = 0; i < of_lab; ++i) REQUIRE(shelf.read_next("conv", nullptr));
  CHECK(shelf.left("conv") == 0);
  CHECK(shelf.all().size() == of_lab);
  for (const Recording& one : shelf.all())
    CHECK(fs::path(one.path).filename().string().starts_with("conv."));
  while (shelf.read_next("conv", nullptr)) continue;
  CHECK(shelf.is_empty());
  const auto at_once = load_all_recordings(nullptr), in_turn = shelf.all();
  REQUIRE(in_turn.size() == at_once.size());
  for (size_t i = 0; i < at_once.size(); ++i) CHECK(in_turn[i].path == at_once[i].path);
}

TEST_CASE("of two recorded results of one point the one that is not stale is shown") {
  const std::vector<Recording> all = {recorded_on("H200", "old", {4096}),
                                      recorded_on("H200", "new", {4096}),
                                      recorded_on("H200", "old", {4096})};
  REQUIRE(nearest_to(all, 4096).series != nullptr);
  CHECK_FALSE(nearest_to(all, 4096).series->stale);
  CHECK(nearest_to(all, 1024).recording == &all[1]);
}

// Not run unless it is named: makes the shipped recordings small anew where the rules of compact.h have changed.
TEST_CASE("the shipped recordings are made small again", "[.compact]") {
  for (const Shipped& one : recordings()) CHECK(compact(one.path.string()).ok());
}
