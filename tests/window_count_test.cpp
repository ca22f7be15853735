// The source tab of a CUDA rung where no GPU is: a press counts it on this CPU, the counts stand beside the lines, and what
// went wrong is said above them.
#include "app/window/inspect/count_view.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;

namespace {

constexpr const char* kRung = "gemm.cuda.naive";

struct Counted : Fixture {
  explicit Counted(const char* rung = kRung) : Fixture(1800) {
    window::select_rung(state, rung);
    state.view.tab = window::Tab::source;
    driver->frames(4);
  }
  WorkRequest last() const { return session.last(RequestType::count); }
  std::string note() const { return window::count_note(state).text; }
};

KernelCounts counts_of(int64_t request) {
  KernelCounts counts{.request = request, .kernel = kRung, .path = "naive.cu"};
  counts.params = {{"n", int64_t{128}}};
  counts.check.emplace().passed = true;
  counts.lines.push_back({.line = 2});
  MemoryTraffic& reads = counts.lines.back().counts.global_reads;
  reads = {.requests = 10, .lanes = 320, .bytes = 1280, .sectors = 165};
  counts.lines.back().flop = 640;
  return counts;
}

}  // namespace

TEST_CASE("a press counts the CUDA rung, and its counts stand in the margin", "[window]") {
  Counted f;
  CHECK(f.session.count(RequestType::count) == 0);
  REQUIRE(f.driver->click("count"));
  f.driver->frames(4);
  REQUIRE(f.session.count(RequestType::count) == 1);
  CHECK(f.last().kernels[0].kernel == kRung);
  CHECK_FALSE(f.last().kernels[0].params.contains("n"));  // of a small problem
  CHECK_FALSE(window::count_blocker(f.state).empty());    // one at a time
  CHECK(f.note().ends_with("Esc cancels"));
  CHECK_FALSE(f.driver->find("count"));
  f.session.tell("result", {{"request", f.last().id}, {"counts", counts_of(f.last().id)}});
  f.session.finish(f.last());
  f.driver->frames(4);
  REQUIRE(window::shown_counts(f.state));
  CHECK(f.note() == "counted here, not timed · n=128 · its check passed");
  CHECK(f.driver->find("count_note"));
  CHECK(f.driver->find("count"));
  // The source goes to the first line that has counts.
  const SourceText* source = window::find_source(f.state, kRung);
  REQUIRE(source);
  const auto& mark = f.state.view.code_mark;
  CHECK(mark.kernel == kRung);
  CHECK(study::anchor_line(source->text, mark.anchor) == counts_of(0).lines.front().line);
}

TEST_CASE("a count is cancelled with the button and with Esc", "[window]") {
  Counted f;
  REQUIRE(f.driver->click("count"));
  f.driver->frames(4);
  CHECK(f.driver->find("cancel"));
  window::perform(f.state, "cancel");
  f.session.finish(f.last(), "cancelled");
  f.driver->frames(4);
  CHECK(f.state.counting.request == 0);
  CHECK(f.driver->find("count"));
}

TEST_CASE("no compiler, assembly that is not emulated and a fault are said above the source",
          "[window]") {
  Counted f;
  REQUIRE(f.driver->click("count"));
  f.driver->frames(4);
  SECTION("no compiler") {
    const Error error{ErrorCode::unavailable, "no C++ compiler is here", "", ""};
    f.session.tell("error", {{"request", f.last().id}, {"error", error}});
    f.session.finish(f.last(), "failed");
    CHECK(window::tick_count(f.state));
    CHECK(f.note() == "no C++ compiler is here");
    CHECK(window::count_note(f.state).is_problem);
    CHECK_FALSE(window::shown_counts(f.state));
  }
  SECTION("a fault") {
    KernelCounts counts = counts_of(f.last().id);
    counts.faults = {{FaultKind::race, 12, 10, "thread 1 of block 0 reads what thread 0 wrote"}};
    f.session.tell("result", {{"request", f.last().id}, {"counts", counts}});
    f.session.finish(f.last());
    CHECK(window::tick_count(f.state));
    CHECK(
        f.note().ends_with("race at line 12 (the other at line 10): thread 1 of block 0 reads "
                           "what thread 0 wrote"));
    CHECK(window::count_note(f.state).is_problem);
  }
  SECTION("refused") {
    KernelCounts counts = counts_of(f.last().id);
    counts.check.reset();
    counts.stopped = "nanosleep.u32 is not emulated";
    counts.faults = {{FaultKind::refused, 7, 0, "nanosleep.u32 is not emulated"}};
    f.session.tell("result", {{"request", f.last().id}, {"counts", counts}});
    f.session.finish(f.last());
    CHECK(window::tick_count(f.state));
    CHECK(f.note().find("stopped: nanosleep.u32 is not emulated · not emulated at line 7") !=
          std::string::npos);
  }
}

TEST_CASE("a rung of the CPU offers no count", "[window]") {
  Counted f("gemm.cpu.naive_o3");
  CHECK_FALSE(f.driver->find("count"));
  CHECK_FALSE(window::count_blocker(f.state).empty());
}
