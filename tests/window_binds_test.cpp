// The screen What binds, the rung panel's faster option, and the learner's.
#include <chrono>
#include <thread>

#include "app/query/bottlenecks.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/ladder.h"
#include "app/window/views/chart_rows.h"
#include "app/window/views/view.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace window;
using compat::Key;

/// F5, each rung with a time of its own, the last of them for all that follow, and with the counters given.
void run_ladder_at(Fixture& f, const std::vector<double>& times_ns,
                   const std::vector<Counter>& counters = {}) {
  f.driver->key(Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  for (size_t i = 0; i < request.kernels.size(); ++i)
    f.session.measure(request, static_cast<int>(i), times_ns[std::min(i, times_ns.size() - 1)],
                      true, counters);
  f.session.finish(request);
  f.driver->frames(3);
}

/// Far from both ceilings, and waiting: latency.
void run_waiting(Fixture& f) {
  run_ladder_at(f, {2.0 * 64 * 64 * 64 / 0.08e12 * 1e9}, {{"ipc", 0.5, ""}});
}

/// Of a cause's part of the page: its cases make it higher.
float height_of(Fixture& f, const char* cause) {
  const auto* area = f.driver->find(std::string("cause:") + cause);
  REQUIRE(area != nullptr);
  return area->h;
}

constexpr const char* kLatency = "latency or occupancy";

float empty_height() {
  Fixture f;
  REQUIRE(perform(f.state, "show_binds"));
  f.driver->frames(3);
  return height_of(f, kLatency);
}

TEST_CASE("What binds, before anything was measured: one sentence, one button, and the map",
          "[window]") {
  Fixture f;
  REQUIRE(perform(f.state, "show_binds"));
  f.driver->frames(3);
  REQUIRE(f.driver->find("binds_empty") != nullptr);
  CHECK(f.driver->find("binds_of") == nullptr);
  for (const BottleneckEntry& entry : bottleneck_map()) {
    INFO(entry.name);
    CHECK(f.driver->find(std::string("cause:") + entry.name) != nullptr);
    CHECK((f.driver->find(std::string("binds:") + entry.name) != nullptr) == (*entry.rung != '\0'));
  }
  REQUIRE(f.driver->click("run"));
  CHECK(f.session.count(RequestType::run) == 1);
}

constexpr const char *kFirst = "gemm.cpu.naive_o1", *kSecond = "gemm.cpu.naive_o3";

TEST_CASE("a side of a comparison hides no time of the rung alone, in any view", "[window]") {
  Fixture f;
  run_ladder_at(f, {4e6, 3e6, 2e6});
  const auto results = [&] {
    std::map<std::string, const Series*> all;
    for (const ChartRows& rows : {ladder_rows(f.state), size_rows(f.state), path_rows(f.state)})
      for (const chart::LadderRow& row : rows.rows) {
        if (!row.series || !row.series->stats) continue;
        const auto [known, is_new] = all.try_emplace(row.series->kernel, row.series);
        CHECK((is_new || known->second == row.series));
      }
    return all;
  };
  const auto cases = [&] {
    std::vector<std::string> all;
    for (const app::BottleneckLine& line : app::make_bottleneck_map(&f.state.run()).lines)
      for (const app::BottleneckCase& one : line.cases) all.push_back(one.kernel + one.evidence);
    return all;
  };
  const auto alone = results();
  const std::vector<std::string> binds = cases();
  REQUIRE(alone.contains(kSecond));
  f.state.selection.baseline = kFirst;
  select_rung(f.state, kSecond);
  f.driver->type('c');
  const WorkRequest pair = f.session.last(RequestType::compare);
  for (const int side : {0, 1}) f.session.measure(pair, side, 9e6);
  f.session.judge(pair, Verdict::same, 1.0);
  f.driver->frames(3);
  REQUIRE(f.state.run().series_of_kernel(kSecond).size() == 2);
  CHECK(results() == alone);
  CHECK(cases() == binds);
}

TEST_CASE("What binds: the session's own cases, and a link to the rung that shows a cause",
          "[window]") {
  const float empty = empty_height();
  Fixture f;
  run_waiting(f);
  REQUIRE(perform(f.state, "show_binds"));
  f.driver->frames(3);
  CHECK(f.driver->find("binds_empty") == nullptr);
  REQUIRE(f.driver->find("binds_of") != nullptr);
  const app::BottleneckMap map = app::make_bottleneck_map(&f.state.run());
  CHECK(map.settled > 0);
  for (const app::BottleneckLine& line : map.lines)
    CHECK(line.cases.empty() == (line.entry->cause != Bottleneck::latency));
  // Each case says at which size it is one.
  for (const app::BottleneckLine& line : map.lines) {
    if (line.cases.empty()) continue;
    const app::BottleneckCase& first = line.cases.front();
    const std::string size = params_summary(*f.state.selection.lab, first.params);
    CHECK(contains(size, "n = "));
    CHECK(
        f.driver->find("case:“" + std::string(rung_of(first.kernel)->title) + "” (" + size + ")"));
  }
  CHECK(height_of(f, kLatency) > empty);
  REQUIRE(f.driver->click("binds:compute"));
  f.driver->frames(3);
  CHECK(f.state.view.screen == ScreenId::lab);
  CHECK(f.state.selection.rung == "gemm.cpu.packed_avx512");
}

TEST_CASE("What binds opens another lab at the parameters and in the view that show a cause",
          "[window]") {
  FakeSession::other_labs = {"machine", "attention"};
  Fixture f(1600, 1900);
  FakeSession::other_labs.clear();
  REQUIRE(perform(f.state, "show_binds"));
  f.driver->frames(3);
  REQUIRE(f.driver->click("binds:synchronisation"));
  f.driver->frames(3);
  CHECK(f.state.selection.lab == find_lab("machine"));
  CHECK(f.state.selection.rung == "sums.cpu.threads");
  CHECK(f.state.selection.params.at("kib") == ParamValue(int64_t{64}));
  REQUIRE(perform(f.state, "show_binds"));
  f.driver->frames(3);
  REQUIRE(f.driver->click("binds:inference queue"));
  f.driver->frames(3);
  CHECK(f.state.selection.lab == find_lab("attention"));
  CHECK(f.state.selection.rung == "decode.cpu.plain");
  CHECK(std::string(f.state.selection.view->id) == "queue");
}

TEST_CASE("What binds, in a session without results, has the cases of the newest saved run",
          "[window]") {
  const float empty = empty_height();
  const TemporaryFolder folder;
  const std::string path = folder.path + "/kept.jsonl";
  {
    Fixture made;
    run_waiting(made);
    std::string text;
    for (const std::string& line : made.session.transcript()) text += line + "\n";
    const std::string hash = "\"hash\":\"00beef00\"";  // no file of today: it would be stale
    for (size_t at = text.find(hash); at != std::string::npos; at = text.find(hash, at))
      text.replace(at, hash.size(), "\"hash\":\"\"");
    std::ofstream(path) << text;
  }
  Fixture f;
  f.state.history.recent = {
      {folder.path + "/gone.jsonl", "GEMM", "Test CPU", "2026-11-21T18:00:00Z"},
      {path, "GEMM", "Test CPU", "2026-11-20T18:00:00Z"}};
  REQUIRE(perform(f.state, "show_binds"));
  for (int i = 0; i < 500 && !f.driver->find("binds_of"); ++i) {  // a thread reads it
    f.driver->frames(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  REQUIRE(f.driver->find("binds_of") != nullptr);
  CHECK(f.driver->find("binds_empty") == nullptr);
  CHECK(f.driver->find("binds_of") != nullptr);
  CHECK(height_of(f, kLatency) > empty);
}

TEST_CASE("the rung panel names a faster option, and is silent where nothing is faster",
          "[window]") {
  Fixture f;
  CHECK(f.driver->find("faster") == nullptr);
  select_rung(f.state, "gemm.cpu.naive_o1");
  run_ladder_at(f, {240e6, 120e6, 20e6});  // what comes later is as fast as the third
  REQUIRE(f.driver->find("faster") != nullptr);
  const RungView* row = find_row(f.state.ladder, "gemm.cpu.naive_o1");
  const std::string said = faster_words(f.state, *row->series, *row->run);
  INFO(said);
  CHECK(contains(said, "“" + rung_title(f.state.ladder, "gemm.cpu.naive_o3") + "” ≈ 2.0× as fast"));
  CHECK(contains(said, "the library"));
  select_rung(f.state, "gemm.cpu.onednn");
  f.driver->frames(3);
  CHECK(f.driver->find("faster") == nullptr);
}

TEST_CASE("what is faster stands below the question that it would answer", "[window]") {
  Fixture f;
  select_rung(f.state, "gemm.cpu.naive_o3");
  run_ladder_at(f, {240e6, 120e6, 20e6});
  REQUIRE(f.driver->find("faster"));
  REQUIRE(f.driver->find("lesson:happened"));
  CHECK(f.driver->find("faster")->y > f.driver->find("lesson:happened")->bottom());
}

TEST_CASE("what is being predicted is no faster option that is told", "[window]") {
  Fixture f;
  run_ladder_at(f, {240e6, 120e6, 20e6});
  const RungView* row = find_row(f.state.ladder, "gemm.cpu.naive_o1");
  CHECK(contains(faster_words(f.state, *row->series, *row->run), "2.0×"));
  for (RungView& other : f.state.ladder.rows)
    other.covered = std::string_view(other.rung->kernel) == "gemm.cpu.naive_o3";
  const std::string said = faster_words(f.state, *row->series, *row->run);
  CHECK(contains(said, "12×"));
  CHECK_FALSE(contains(said, "≈ 2.0×"));
}

}  // namespace
}  // namespace ridge::test
