// The view History, with a fake worker and a history in a temporary folder.
#include <chrono>
#include <memory>
#include <thread>

#include "app/history/history_store.h"
#include "app/history/keeper.h"
#include "app/window/views/view.h"
#include "tests/skip.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;

namespace {

constexpr const char* kRung = "gemm.cpu.loop_order";

struct WithHistory : Fixture {
  TemporaryFolder folder;
  std::string path = folder.path + "/history.db";
  WithHistory() : Fixture(1600) {
    state.past.keeper = std::make_shared<history::Keeper>(path);
    window::set_level(state, Level::kBench);
    window::select_rung(state, kRung);
    driver->frames(3);
  }
  /// Until the other thread has done what it was asked for; a hang ends in the test's own limit.
  template <class Done>
  bool wait_for(const Done& done) {
    for (int i = 0; i < 2000 && !done(); ++i) {
      driver->frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return done();
  }
  std::vector<history::Entry> kept() {
    auto store = history::HistoryStore::open(path);
    REQUIRE(store);
    return *store->entries();
  }
};

/// `count` results a day apart; from `change` on they are slower.
std::vector<history::Entry> days(int count, size_t change, const std::string& params) {
  std::vector<history::Entry> entries;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    history::Entry& entry = entries.emplace_back();
    entry.run = params + std::to_string(i);
    entry.lab = "gemm", entry.kernel = kRung, entry.params = params, entry.how = "hot";
    entry.machine = "Test CPU";
    entry.ended_utc_s = 1.79e9 + 86400.0 * static_cast<double>(i);
    entry.value = (1000 + 2.0 * static_cast<double>(i * 7 % 5)) * (i >= change ? 1.03 : 1);
    entry.hash = i >= change ? "bbbb2222" : "aaaa1111";
  }
  return entries;
}

chart::ChartModel shown(const window::State& state) {
  window::ChartRows rows;
  return window::centre_chart(state, &rows);
}

}  // namespace

TEST_CASE("History shows the selected rung over time, one problem after the other", "[window]") {
  if (const std::string why = history::why_no_history(); !why.empty()) RIDGE_SKIP(why);
  WithHistory f;
  {
    auto store = history::HistoryStore::open(f.path);
    REQUIRE(store);
    REQUIRE(store->add(days(40, 25, "dtype=fp32 n=512"), {}));
    REQUIRE(store->add(days(12, 12, "dtype=fp32 n=1024"), {}));
  }
  REQUIRE(window::perform(f.state, "history"));
  REQUIRE(f.wait_for([&] { return f.state.past.histories.size() == 2; }));
  f.driver->frames(3);
  const chart::ChartModel first = shown(f.state);
  REQUIRE(first.plot->curves.size() == 1);
  REQUIRE(f.driver->click("next_history"));
  f.driver->frames(3);
  const chart::ChartModel second = shown(f.state);
  const bool is_long_first = first.plot->curves[0].data.size() == 40;
  const chart::ChartModel& with_change = is_long_first ? first : second;
  CHECK(with_change.plot->curves[0].data.size() == 40);
  CHECK((is_long_first ? second : first).plot->curves[0].data.size() == 12);
  CHECK(contains(with_change.summary, "source aaaa1111 → bbbb2222"));
  // Another rung has nothing there yet, and says what to do.
  window::select_rung(f.state, "gemm.cpu.naive_o3");
  REQUIRE(f.wait_for([&] { return f.state.past.kernel == "gemm.cpu.naive_o3"; }));
  CHECK(contains(shown(f.state).plot->empty_reason, "run it"));
}

TEST_CASE("what the window measures enters the history", "[window]") {
  if (const std::string why = history::why_no_history(); !why.empty()) RIDGE_SKIP(why);
  WithHistory f;
  REQUIRE(window::perform(f.state, "history"));
  REQUIRE(window::perform(f.state, "run"));
  const WorkRequest request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 1000);
  f.session.finish(request);
  f.driver->frames(3);
  REQUIRE(f.wait_for([&] { return !f.kept().empty(); }));
  CHECK(f.kept()[0].kernel == request.kernels[0].kernel);
  CHECK(f.kept()[0].value == 1000);
}

TEST_CASE("a history that cannot be reached is one sentence, and costs no result", "[window]") {
  if (const std::string why = history::why_no_history(); !why.empty()) RIDGE_SKIP(why);
  WithHistory f;
  std::ofstream(f.path) << std::string(4096, 'x');
  REQUIRE(window::perform(f.state, "history"));
  REQUIRE(f.wait_for([&] { return contains(f.state.notice.text, "is no history"); }));
  CHECK(read_text(f.path) == std::string(4096, 'x'));
}

TEST_CASE("History belongs to Bench, and adds no control to the other levels", "[window][level]") {
  Fixture f(1600, 1000);  // where no view's button is folded away
  f.state.past.keeper = std::make_shared<history::Keeper>("/proc/nowhere/history.db");
  const auto offers = [&](Level level) {
    window::set_level(f.state, level);
    window::show_view(f.state, window::kLadderView);
    f.driver->frames(3);
    return f.driver->find("view=History") != nullptr;
  };
  CHECK_FALSE(offers(Level::kLearn));
  CHECK_FALSE(offers(Level::kLab));
  CHECK(offers(Level::kBench));
  f.state.past.keeper.reset();  // where none is kept the button is gone, and the palette says why
  CHECK_FALSE(offers(Level::kBench));
  CHECK_FALSE(window::perform(f.state, "history"));
}
