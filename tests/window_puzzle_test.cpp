// Your turn with a puzzle: each save is counted on this CPU, with or without a GPU; what it asks for stands beside its
// targets, and it is solved when it asks for no more.
#include "app/query/count_targets.h"
#include "app/window/edit/editing.h"
#include "app/window/edit/puzzle_results.h"
#include "app/window/teach/answer.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;

namespace {

struct Puzzles : Fixture {
  TemporaryFolder folder;
  app::Exercise exercise = *app::find_exercise("transpose");
  Puzzles() : Fixture(1800) {
    state.settings.edits_folder = folder.path;
    window::start_exercise(state, exercise);
    driver->frames(10);
  }
  WorkRequest last() const { return session.last(RequestType::count); }
  std::string said() const {
    bool is_error = false;
    return window::editing_status(state, &is_error);
  }
  KernelCounts counts(int64_t sectors) const {
    KernelCounts made{.request = last().id, .kernel = exercise.kernel + "_edit", .path = "x.cu"};
    made.check.emplace().passed = true;
    made.lines.push_back({.line = 3});
    made.lines.back().counts.global_writes = {.requests = 2, .lanes = 64, .sectors = sectors};
    return made;
  }
  void answer(const KernelCounts& counts) {
    session.tell("result", {{"request", counts.request}, {"counts", counts}});
    session.finish(last());
    driver->frames(10);
  }
  void save(const std::string& more) {
    state.editing->text += more;
    window::save_edit(state);
    driver->frames(10);
  }
};

}  // namespace

TEST_CASE("a puzzle opens where no GPU is, and its text is counted as it is", "[window]") {
  Puzzles f;
  CHECK(f.state.view.screen == window::ScreenId::workbench);
  REQUIRE(f.state.editing);
  CHECK(f.state.editing->text == f.exercise.handed_out);
  REQUIRE(f.session.count(RequestType::count) == 1);
  CHECK(f.last().text == f.exercise.handed_out);
  CHECK(f.last().kernels[0].kernel == f.exercise.kernel);
  CHECK(f.said().find("run thread by thread") != std::string::npos);
  f.answer(f.counts(6000));
  CHECK(f.said() == "As it was handed out it is right, and asks for more than it has to.");
  CHECK(f.driver->find("target:sectors"));
  CHECK(f.driver->find("counted_lines"));
  CHECK_FALSE(window::exercise_progress(f.state, "transpose").is_solved);
  CHECK(f.session.count(RequestType::run) == 0);  // nothing is timed
}

TEST_CASE("a puzzle's targets say no figure that its lesson asks for, until it is answered",
          "[window]") {
  Puzzles f;
  window::perform(f.state, "puzzles");
  f.driver->frames(4);
  const std::string kind = app::words_of(f.exercise.targets.front().kind);
  CHECK(window::hides_targets(f.state, f.exercise.kernel));
  CHECK(window::targets_words(f.state, f.exercise).starts_with(kind));
  window::keep_answer(f.state, f.exercise.kernel, "2048", false);
  f.driver->frames(2);
  CHECK_FALSE(window::hides_targets(f.state, f.exercise.kernel));
  CHECK(window::targets_words(f.state, f.exercise).find(" " + kind) != std::string::npos);
}

TEST_CASE("a save that meets its targets solves the puzzle; one that asks for more does not",
          "[window]") {
  Puzzles f;
  f.answer(f.counts(6000));
  f.save("int more;\n");
  REQUIRE(f.session.count(RequestType::count) == 2);
  f.answer(f.counts(f.exercise.targets.front().most + 1));
  CHECK(f.said() == "It is right, and it asks for more than the reference does.");
  CHECK_FALSE(window::exercise_progress(f.state, "transpose").is_solved);
  f.save("int less;\n");
  KernelCounts wrong = f.counts(0);
  wrong.check->passed = false;
  wrong.check->reason = "error 0.5 (NMSE) is over the limit";
  f.answer(wrong);
  CHECK(f.said() == "its check failed: error 0.5 (NMSE) is over the limit");
  CHECK_FALSE(window::exercise_progress(f.state, "transpose").is_solved);
  f.save("int right;\n");
  f.answer(f.counts(f.exercise.targets.front().most));
  CHECK(f.said() == "It is right, and asks for no more than the reference does.");
  CHECK(window::exercise_progress(f.state, "transpose").is_solved);
}

TEST_CASE("a save's warp is stepped beside the editor, its line marked there", "[window]") {
  Puzzles f;
  KernelCounts counts = f.counts(6000);
  counts.steps = {
      .made = 2,
      .requests = {{.line = 3, .lane_bytes = 4, .buffer = "x", .offsets = "0+4x32", .cost = 4},
                   {.line = 0,
                    .access = WarpAccess::write,
                    .lane_bytes = 4,
                    .buffer = "y",
                    .offsets = "0+256x32",
                    .cost = 32}}};
  f.answer(counts);
  CHECK(f.driver->find("request"));
  CHECK(window::puzzle_line(f.state) == 3);
  REQUIRE(f.driver->click("request_on"));
  f.driver->frames(2);
  CHECK(window::puzzle_line(f.state) == 0);  // in a header: no line of the file
  f.save("int more;\n");
  CHECK(window::puzzle_line(f.state) == 0);  // until it is counted again
  f.answer(f.counts(6000));
  CHECK_FALSE(f.driver->find("request"));
}

TEST_CASE("a fault and a text that does not compile say so, and a count can be cancelled",
          "[window]") {
  Puzzles f;
  REQUIRE(window::perform(f.state, "cancel"));
  CHECK(f.session.cancelled.back() == f.last().id);
  f.session.finish(f.last(), "cancelled");
  f.driver->frames(4);
  CHECK(f.said() == "Cancelled; save it to count it.");
  f.save("int a;\n");
  KernelCounts raced = f.counts(1);
  raced.faults.push_back({FaultKind::race, 3, 4, "thread 1 reads what thread 0 wrote"});
  f.answer(raced);
  CHECK(f.said().starts_with("race at line 3"));
  f.save("int b;\n");
  const Error error{ErrorCode::usage, "it does not compile: 'j' was not declared", "line 3", ""};
  f.session.tell("error", {{"request", f.last().id}, {"error", error}});
  f.session.finish(f.last(), "failed");
  f.driver->frames(4);
  CHECK(f.said().find("was not declared") != std::string::npos);
}
