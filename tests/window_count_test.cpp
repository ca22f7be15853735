// The source tab of a CUDA rung where no GPU is: a press counts it on this CPU, the counts stand beside the lines, and what
// went wrong is said above them.
#include "app/window/inspect/count_view.h"
#include "app/window/inspect/walk_view.h"
#include "app/window/views/view.h"
#include "common/view/diagram/warp_request.h"
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

/// A column of A, an element of B, and a store.
KernelCounts stepped_counts(int64_t request) {
  KernelCounts counts = counts_of(request);
  counts.steps.made = 4096;
  counts.steps.requests = {
      {.line = 2, .lane_bytes = 4, .buffer = "A", .offsets = "0+512x32", .cost = 32},
      {.line = 2, .lane_bytes = 4, .buffer = "B", .offsets = "0+0x32", .cost = 1},
      {.line = 5,
       .access = WarpAccess::write,
       .lane_bytes = 4,
       .buffer = "C",
       .offsets = "0+4x32",
       .cost = 4}};
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
  CHECK(f.note() == "counted here, not timed · n = 128 · its check passed");
  CHECK(f.driver->find("count_note"));
  CHECK(f.driver->find("count"));
  // The source goes to the first line that has counts.
  const SourceText* source = window::find_source(f.state, kRung);
  REQUIRE(source);
  const auto& mark = f.state.view.code_mark;
  CHECK(mark.kernel == kRung);
  CHECK(study::anchor_line(source->text, mark.anchor) == counts_of(0).lines.front().line);
}

TEST_CASE("all CUDA rungs are counted in turn, and stand in one chart", "[window]") {
  Counted f;
  window::set_level(f.state, Level::kBench);
  REQUIRE(window::perform(f.state, "requests"));
  window::ChartRows rows;
  const auto chart = [&] {
    rows = {};
    return window::centre_chart(f.state, &rows);
  };
  const size_t all = window::countable_rungs(f.state).size();
  REQUIRE(all > 8);
  CHECK(chart().rows.size() == all);
  CHECK(rows.kernels.size() == all);
  REQUIRE(window::perform(f.state, "count_all"));
  CHECK(f.last().kernels[0].kernel == window::countable_rungs(f.state).front()->rung->kernel);
  KernelCounts first = counts_of(f.last().id);
  first.kernel = f.last().kernels[0].kernel;
  first.launches.push_back({.blocks = 16, .threads = 256});
  first.problem_flop = 2.0 * 128 * 128 * 128;
  f.session.tell("result", {{"request", f.last().id}, {"counts", first}});
  f.session.finish(f.last());
  f.driver->frames(4);
  CHECK(f.session.count(RequestType::count) == 2);  // the next one
  CHECK_FALSE(window::count_all_blocker(f.state).empty());
  const chart::ChartModel model = chart();
  CHECK(model.panels[0].marks.front().value == Approx(16.5));
  CHECK(model.panels[0].row_reasons[1] == "being counted");
  CHECK(model.panels[0].row_reasons[2] == "not counted yet");
  // What is cancelled ends all of it.
  window::perform(f.state, "cancel");
  f.session.finish(f.last(), "cancelled");
  f.driver->frames(4);
  CHECK(f.session.count(RequestType::count) == 2);
  CHECK(chart().panels[0].row_reasons[2] == "not counted yet");
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

TEST_CASE("a counted rung's warp is stepped, its line marked in the source", "[window]") {
  Counted f;
  CHECK_FALSE(window::perform(f.state, "step_warp"));
  REQUIRE(f.driver->click("count"));
  f.driver->frames(4);
  f.session.tell("result", {{"request", f.last().id}, {"counts", stepped_counts(f.last().id)}});
  f.session.finish(f.last());
  f.driver->frames(4);
  CHECK_FALSE(window::shows_steps(f.state));
  REQUIRE(f.driver->click("step_warp"));
  f.driver->frames(4);
  REQUIRE(window::shows_steps(f.state));
  CHECK(f.state.selection.view == &window::kWalkView);
  CHECK(f.driver->find("request"));
  CHECK_FALSE(f.driver->find("step_warp"));
  const KernelCounts& counts = *window::shown_steps(f.state);
  const auto caption = [&] {
    const auto at = static_cast<size_t>(window::step_of(f.state, counts));
    return diagram::request_words(counts.steps, at);
  };
  const auto marked = [&] {
    const auto* line = f.driver->find("marked_line");
    return line ? line->y : -1;
  };
  CHECK(caption().find("1st request of warp 0 reads 128 bytes of A: 32 sectors") !=
        std::string::npos);
  const float multiplies = marked();
  REQUIRE(multiplies >= 0);
  REQUIRE(f.driver->click("request_on"));
  f.driver->frames(2);
  CHECK(caption().find("2nd request of warp 0 reads 4 bytes of B") != std::string::npos);
  CHECK(marked() == multiplies);
  f.driver->type('>');
  f.driver->frames(2);
  CHECK(caption().find("Line 5: the 3rd request of warp 0 writes 128 bytes of C: 4 sectors") == 0);
  CHECK(marked() > multiplies);
  f.driver->type('>');  // it is the last
  f.driver->frames(2);
  CHECK(window::step_of(f.state, counts) == 2);
  REQUIRE(f.driver->click("request_back"));
  f.driver->type('<');
  f.driver->frames(2);
  CHECK(window::step_of(f.state, counts) == 0);
  REQUIRE(f.driver->drag("request:step", 5000, 0));
  CHECK(window::step_of(f.state, counts) == 2);
  // Another rung has no counts: the view says so, and the lesson's diagrams have their keys again.
  window::select_rung(f.state, "gemm.cuda.shared_tile");
  f.driver->frames(4);
  CHECK_FALSE(window::shows_steps(f.state));
  CHECK_FALSE(f.driver->find("request"));
}

TEST_CASE("a new count begins with its first request, and one without a log has none", "[window]") {
  Counted f;
  const auto count = [&](const KernelCounts& counts) {
    REQUIRE(f.driver->click("count"));
    f.driver->frames(4);
    KernelCounts answer = counts;
    answer.request = f.last().id;
    f.session.tell("result", {{"request", f.last().id}, {"counts", answer}});
    f.session.finish(f.last());
    f.driver->frames(4);
  };
  count(stepped_counts(0));
  window::perform(f.state, "step_warp");
  window::perform(f.state, "step_on");
  f.driver->frames(2);
  REQUIRE(window::shown_steps(f.state));
  CHECK(window::step_of(f.state, *window::shown_steps(f.state)) == 1);
  count(stepped_counts(0));
  CHECK(window::step_of(f.state, *window::shown_steps(f.state)) == 0);
  count(counts_of(0));
  CHECK_FALSE(window::shown_steps(f.state));
  CHECK_FALSE(f.driver->find("request"));
  CHECK_FALSE(f.driver->find("step_warp"));
}

TEST_CASE("what counts a rung is in reach in a small window, too", "[window]") {
  Fixture f(1280, 720);
  window::select_rung(f.state, kRung);
  f.state.view.tab = window::Tab::source;
  f.driver->frames(4);
  const auto *right = f.driver->find("right"), *button = f.driver->find("count");
  REQUIRE(right);
  REQUIRE(button);
  CHECK(button->w > 80);
  CHECK(button->right() <= right->right());
}
