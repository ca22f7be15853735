// Ceilings that a worker leaves to later ones: what is taken, what never is, and that a run says which are not its own.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "common/core/files.h"
#include "common/harness/measure/ceiling_rules.h"
#include "common/record/derive.h"
#include "tests/others_at_work.h"
#include "tests/program.h"
#include "tests/worker_process.h"
#include "worker/kept_ceilings.h"

namespace ridge {
namespace {

using test::Folder;
using test::run_of;
using test::Worker;
using worker::CeilingKey;
using worker::KeptByKey;
using worker::KeptCeilings;
using worker::kKept_s;
using worker::kKeptBusy_s;

constexpr int64_t kNow_s = 1'800'000'000;
const CeilingKey kFma = {1, "fp32"};

Ceiling fma(double value = 118e9, int threads = 1) {
  return {.name = threads == 1 ? "FMA fp32, 1 thread"
                               : "FMA fp32, " + std::to_string(threads) + " threads",
          .backend = Backend::cpu,
          .resource = "flop",
          .dtype = "fp32",
          .threads = threads,
          .value = value,
          .unit = "FLOP/s",
          .source = "measured",
          .samples = 12,
          .median = value / 1.1};
}

/// A file that holds one ceiling, measured `age_s` ago.
struct File {
  Folder folder;
  std::string path = folder / "ceilings/here.json";
  explicit File(int64_t age_s = 60) {
    REQUIRE(worker::write_kept(path, "here", {kFma}, {{kFma, {kNow_s - age_s, {fma()}}}}, kNow_s));
  }
  KeptByKey read(const std::string& place = "here") const {
    return worker::read_kept(path, place, kNow_s);
  }
};

}  // namespace

TEST_CASE("kept ceilings come back as they were, to the same machine alone, for an hour") {
  const File file;
  const KeptByKey kept = file.read();
  REQUIRE(kept.size() == 1);
  CHECK(kept.at(kFma).measured_s == kNow_s - 60);
  CHECK(Json(kept.at(kFma).ceilings.front()) == Json(fma()));
  CHECK(file.read("another boot").empty());
  CHECK(file.read("").empty());
  CHECK(File(kKept_s - 1).read().size() == 1);
  CHECK(File(kKept_s).read().empty());
  CHECK(File(-60).read().empty());  // the clock was set back
}

TEST_CASE("what a worker found new takes the old one's place; what it found doubtful goes") {
  const File file;
  const CeilingKey two = {2, "fp32"};
  REQUIRE(worker::write_kept(file.path, "here", {two}, {{two, {kNow_s, {fma(200e9, 2)}}}}, kNow_s));
  CHECK(file.read().size() == 2);
  REQUIRE(worker::write_kept(file.path, "here", {kFma}, {}, kNow_s));
  CHECK(file.read().count(kFma) == 0);
  CHECK(file.read().size() == 1);
}

TEST_CASE("a file of kept ceilings that is damaged or another's is ignored and written anew") {
  const auto changed = [](const auto& change) {
    const File file;
    Json json = *parse_json(*read_whole(file.path), file.path);
    change(json["kept"][0]);
    test::write_all(file.path, dump_json(json));
    return file.read().size();
  };
  CHECK(changed([](Json&) {}) == 1);
  CHECK(changed([](Json& entry) { entry["ceilings"][0]["value"] = -1; }) == 0);
  CHECK(changed([](Json& entry) { entry["ceilings"][0]["unit"] = "B/s"; }) == 0);
  CHECK(changed([](Json& entry) { entry["ceilings"][0]["threads"] = 2; }) == 0);
  CHECK(changed([](Json& entry) { entry["ceilings"][0]["name"] = "\033[2J"; }) == 0);
  CHECK(changed([](Json& entry) { entry["ceilings"][0]["doubt"] = "a rung passed it"; }) == 0);
  CHECK(changed([](Json& entry) { entry["ceilings"] = "none"; }) == 0);
  for (const char* text : {"", "{", "[]", "{\"kept\": 7}", "\0\xff not JSON"}) {
    const File file;
    test::write_all(file.path, text);
    CHECK(file.read().empty());
    REQUIRE(worker::write_kept(file.path, "here", {kFma}, {{kFma, {kNow_s, {fma()}}}}, kNow_s));
    CHECK(file.read().size() == 1);
  }
}

TEST_CASE("a machine is as fast as then within what two measurements differ by") {
  using measure::is_as_fast_as_then;
  CHECK(is_as_fast_as_then(fma(), fma(110e9)));
  CHECK_FALSE(is_as_fast_as_then(fma(), fma(90e9)));   // its clock is lower now
  CHECK_FALSE(is_as_fast_as_then(fma(), fma(140e9)));  // or was lower then
  Ceiling busy = fma(90e9);
  busy.foreign_cpus = 1.2;
  CHECK(is_as_fast_as_then(fma(), busy));  // others' work explains it
}

TEST_CASE("a run says of which time its ceilings are where it did not measure them") {
  Ceiling kept = fma();
  CHECK(ceilings_age({kept}).empty());
  kept.kept_utc = "2026-11-29T14:03:10Z", kept.kept_s = 725;
  CHECK(ceilings_age({kept}) == "ceilings of 14:03 UTC, 12 min before this run");
  CHECK(ceilings_age({kept, fma()}) ==
        "1 of 2 ceilings of 14:03 UTC, 12 min before this run, the others measured in it");
  CHECK(ceiling_source(kept).find("measured, of 14:03 UTC, 12 min before this run, best of 12") ==
        0);
}

namespace {

/// A machine of its own for workers: a home, a boot, and a CPU that others leave alone, or use up.
class Home {
 public:
  Home() {
    std::filesystem::create_directories(root() / "proc/sys/kernel/random");
    boot("first");
    setenv("XDG_STATE_HOME", root().path.c_str(), 1);
    setenv("RIDGE_MAX_ISA", "portable", 1);
  }
  ~Home() {
    unsetenv("RIDGE_MAX_ISA");
    unsetenv("XDG_STATE_HOME");
  }
  void boot(const std::string& id) {
    test::write_all(root() / "proc/sys/kernel/random/boot_id", id + "\n");
  }
  /// The ceilings that a new worker's run is held to, by name.
  std::map<std::string, Ceiling> of_a_run(const char* setting = "", bool anew = false) const {
    Worker worker("RIDGE_WORKER",
                  {{"RIDGE_SYSTEM_ROOT", root().path.string()}, {"RIDGE_CEILINGS", setting}});
    Json request = run_of({"gemm.cpu.naive_o3"});
    if (anew) request["anew"] = true;
    worker.send(request);
    CHECK(worker.until("done", 1)["status"] == "ok");
    std::map<std::string, Ceiling> found;
    for (const Json& result : worker.of_type("result")) {
      if (!result.contains("ceilings")) continue;
      for (const Ceiling& one : result["ceilings"].get<std::vector<Ceiling>>())
        found[one.name] = one;
    }
    return found;
  }
  Json file() const {
    const auto text = read_whole(worker::kept_ceilings_path());
    return text ? *parse_json(*text, "") : Json();
  }
  /// Of an earlier run, with what only time could do to it.
  void change(const std::function<void(Json&)>& change) const {
    Json json = file();
    for (Json& entry : json["kept"]) change(entry);
    test::write_all(worker::kept_ceilings_path(), dump_json(json));
  }

  test::OthersAtWork others{false};

 private:
  const Folder& root() const { return others.folder; }
};

bool is_of_others(const Ceiling& ceiling) {
  return ceiling.doubt.find("other programs used the CPU") != std::string::npos;
}

size_t count_kept(const std::map<std::string, Ceiling>& ceilings) {
  return static_cast<size_t>(std::count_if(ceilings.begin(), ceilings.end(), [](const auto& one) {
    return !one.second.kept_utc.empty();
  }));
}

}  // namespace

TEST_CASE("a second worker takes the ceilings of the first, says so, and never those in doubt") {
  Home home;
  const auto first = home.of_a_run();
  REQUIRE(first.size() >= 2);
  CHECK(count_kept(first) == 0);
  std::set<std::string> doubted;
  for (const auto& [name, one] : first)
    if (!one.doubt.empty()) doubted.insert(name);
  std::set<std::string> in_file;
  const Json file = home.file();
  REQUIRE(file.contains("kept"));
  for (const Json& entry : file["kept"])
    for (const Json& one : entry["ceilings"]) in_file.insert(one["name"]);
  for (const std::string& name : doubted) CHECK(in_file.count(name) == 0);
  REQUIRE((!in_file.empty() || !doubted.empty()));
  if (in_file.empty()) RIDGE_SKIP("a busy machine: every ceiling is in doubt");

  // A machine that changes its speed meanwhile has all of them measured: then none is another run's.
  const auto second = home.of_a_run();
  CHECK(second.size() == first.size());
  const size_t kept = count_kept(second);
  CHECK((kept == in_file.size() || kept == 0));
  for (const auto& [name, one] : second) {
    INFO(name);
    if (one.kept_utc.empty()) continue;
    CHECK(one.value == first.at(name).value);
    CHECK(one.kept_s < 600);
  }
}

TEST_CASE(
    "ceilings of another boot, of an hour ago, of another speed, or where it is asked for, are "
    "measured") {
  Home home;
  const auto measured = home.of_a_run();
  if (home.file()["kept"].empty()) RIDGE_SKIP("a busy machine: every ceiling is in doubt");
  const auto anew = home.of_a_run("anew"), asked = home.of_a_run("", true);
  CHECK(count_kept(anew) == 0);
  CHECK(count_kept(asked) == 0);
  // As a clock twice as high would have had it. What a busy moment left in the file is no measure for that.
  home.change([&](Json& entry) {
    for (Json& one : entry["ceilings"]) {
      const std::string name = one["name"];
      one["value"] =
          2 * std::max({measured.at(name).value, anew.at(name).value, asked.at(name).value});
    }
  });
  const auto slower = home.of_a_run();
  CHECK(count_kept(slower) == 0);
  for (const auto& [name, one] : slower)
    if (one.resource == "flop") CHECK(one.value < 1.5 * measured.at(name).value);
  home.change(
      [](Json& entry) { entry["measured_s"] = entry["measured_s"].get<int64_t>() - kKept_s; });
  CHECK(count_kept(home.of_a_run()) == 0);
  home.boot("second");
  CHECK(count_kept(home.of_a_run()) == 0);
}

TEST_CASE("ceilings that others' work alone makes doubtful are kept for minutes, as doubtful") {
  Home home;
  home.others.busy = true;
  const auto first = home.of_a_run();
  REQUIRE(first.size() >= 2);
  const auto is_doubted = [](const auto& one) { return is_of_others(one.second); };
  CHECK(std::any_of(first.begin(), first.end(), is_doubted));
  CHECK_FALSE(home.file()["kept"].empty());
  const auto second = home.of_a_run();
  const size_t kept = count_kept(second);
  CHECK((kept == first.size() || kept == 0));  // none: the machine changed its speed meanwhile
  for (const auto& [name, one] : second) {
    INFO(name);
    CHECK(is_of_others(one) == is_of_others(first.at(name)));
  }
  home.change(
      [](Json& entry) { entry["measured_s"] = entry["measured_s"].get<int64_t>() - kKeptBusy_s; });
  CHECK(count_kept(home.of_a_run()) == 0);
  home.others.busy = false;
  for (const auto& [name, one] : home.of_a_run()) {
    INFO(name);
    CHECK_FALSE(is_of_others(one));
  }
}

}  // namespace ridge
