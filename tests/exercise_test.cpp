// Exercises: every hole fails the gate, every reference passes it; and a class's leaderboard.
#include <array>
#include <thread>

#include "app/query/editing.h"
#include "app/query/leaderboard.h"
#include "labs/lab.h"
#include "tests/edit_class.h"
#include "tests/synthetic_run.h"

namespace ridge {
namespace {

using namespace test;

/// A size at which the check of the timed shape is quick; of any other family its own.
Params small(const std::string& kernel) {
  const auto is_of = [&](const char* family) {
    return kernel.starts_with(std::string(family) + ".");
  };
  if (is_of("gemm") || is_of("copy") || is_of("transpose")) return {{"n", int64_t{48}}};
  if (is_of("chase")) return {{"kib", int64_t{64}}};
  if (is_of("attention")) return {{"sequence", int64_t{48}}};
  if (is_of("chain")) return {{"height", int64_t{16}}, {"width", int64_t{48}}};
  if (is_of("conv")) return {{"h", int64_t{14}}, {"c", int64_t{8}}};
  if (is_of("gemv")) {
    return {{"n", int64_t{33}}, {"k", int64_t{256}}, {"copies", int64_t{2}}};
  }
  if (is_of("weightless")) {
    return {{"luts", int64_t{20}},
            {"images", int64_t{63}},
            {"bits", int64_t{2}},
            {"epochs", int64_t{0}}};
  }
  return {};
}

struct Tried {
  bool built = false;
  std::string kernel, said;  ///< status and reason
};

Tried tried(Class* one, const app::Exercise& exercise, const std::string& text) {
  const EditBuild build = one->build(text, "");
  Tried out{build.built, build.kernel, build.reason};
  if (!build.built) return out;
  const Json outcome = one->run(build.kernel, small(exercise.kernel));
  out.said = outcome["status"].get<std::string>() + " " + outcome["reason"].get<std::string>();
  return out;
}

TEST_CASE("every exercise: the hole fails the gate, the reference passes it") {
  const auto all = app::all_exercises();
  REQUIRE(all);
  // A worker each for the holes and for the references, side by side.
  std::array<std::vector<Tried>, 2> turns;
  const auto turn = [&](bool filled) {
    Class one;
    for (const app::Exercise& exercise : *all) {
      if (exercise.is_cuda) continue;  // tests/gpu
      turns[filled].push_back(
          tried(&one, exercise, filled ? exercise.reference : exercise.handed_out));
    }
  };
  std::thread references(turn, true);
  turn(false);
  references.join();
  size_t i = 0;
  for (const app::Exercise& exercise : *all) {
    INFO(exercise.name);
    CHECK(!has(exercise.handed_out, "Hint"));
    CHECK(has(exercise.handed_out, "YOUR TURN"));
    CHECK(app::exercise_of(exercise.handed_out)->name == exercise.name);
    CHECK(app::exercise_of(exercise.reference)->name == exercise.name);
    if (exercise.is_cuda) continue;
    const Tried &hole = turns[0][i], &reference = turns[1][i];
    ++i;
    INFO(hole.said + "; " + reference.said);
    CHECK(hole.built);  // what is handed out compiles: the learner begins with the gate's words
    CHECK(hole.kernel == exercise.kernel + "_edit");
    CHECK(hole.said.starts_with("failed"));
    CHECK(reference.built);
    CHECK(reference.said == "ok ");
  }
}

TEST_CASE("every lab has two exercises, each after a rung that there is, and one is for a GPU") {
  const auto all = app::all_exercises();
  REQUIRE(all);
  const auto of = [&](const std::string& lab) {
    return std::count_if(all->begin(), all->end(),
                         [&](const app::Exercise& one) { return one.lab == lab; });
  };
  for (const Lab* lab : all_labs()) {
    INFO(lab->id);
    CHECK(of(lab->id) >= 2);
  }
  for (const app::Exercise& exercise : *all) {
    INFO(exercise.name);
    CHECK(find_lab(exercise.lab) != nullptr);
    std::istringstream lines(exercise.handed_out);  // what is to be read is not cut by the editor
    for (std::string line; std::getline(lines, line) && line.starts_with("//");)
      CHECK(line.size() <= 80);
    bool found = false;
    for (const Lab* lab : all_labs()) found |= find_rung(*lab, exercise.after).ok();
    CHECK(found);
  }
  CHECK(std::any_of(all->begin(), all->end(), [](const auto& one) { return one.is_cuda; }));
}

TEST_CASE("an exercise's file says what it lacks") {
  const std::string path = "assets/exercises/gemm/turned_loops.cpp";
  const std::string text = test::read_all(test::variable("RIDGE_SOURCE") + "/" + path);
  CHECK(app::parse_exercise(path, text).ok());
  for (const char* part :
       {"// Exercise", "// After", "// Task", "// solution:", "// end of solution"}) {
    CHECK(!app::parse_exercise(path, replaced(text, part, "// x")).ok());
  }
  CHECK(!app::parse_exercise("assets/exercises/gemm/other.cpp", text).ok());
}

/// A run with one comparison of an edited rung.
Run compared(double ratio, double low, double high, const std::string& cpu = "CPU A",
             const std::string& claimed = "") {
  test::Transcript to;
  Environment environment = test::environment();
  environment.cpu.model = cpu;
  to.worker("env", {{"environment", environment}, {"when", "before"}});
  to.app("compare",
         {{"id", 1},
          {"lab", "gemm"},
          {"kernels", {{{"kernel", "gemm.cpu.naive_o3"}}, {{"kernel", "gemm.cpu.x_edit"}}}}});
  Series series = test::outcome(1, 1, "gemm.cpu.x_edit");
  series.note = "made-up data";
  if (!claimed.empty()) series.unavailable[kClaimed] = claimed;
  to.worker("result", {{"request", 1}, {"series", 1}, {"outcome", series}});
  Comparison made;
  made.baseline = "gemm.cpu.naive_o3";
  made.candidate = "gemm.cpu.x_edit";
  made.ratio = ratio;
  made.ci = Interval{low, high};
  made.verdict = Verdict::faster;
  to.worker("result", {{"request", 1}, {"comparisons", std::vector<Comparison>{made}}});
  to.worker("done", {{"request", 1}, {"status", "ok"}});
  Run run;
  for (const std::string& line : to.lines) run.apply_line(line);
  return run;
}

TEST_CASE("a leaderboard ranks pairs, calls overlap a tie, and keeps machines apart") {
  app::Leaderboard all;
  app::add_run(compared(2.0, 1.95, 2.05), "ada", &all);
  app::add_run(compared(2.02, 1.97, 2.06), "grace", &all);
  app::add_run(compared(1.5, 1.4, 1.6), "alan", &all);
  app::add_run(compared(9.0, 8.9, 9.1, "CPU B"), "elsewhere", &all);
  app::rank_entries(&all);
  REQUIRE(all.boards.size() == 2);
  const auto& first = all.boards[0].entries;
  REQUIRE(first.size() == 3);
  CHECK(first[0].file == "grace");
  CHECK(first[0].rank == 1);
  CHECK(first[1].rank == 1);  // their intervals overlap
  CHECK(first[2].file == "alan");
  CHECK(first[2].rank == 3);
  CHECK(all.boards[1].entries.size() == 1);
  CHECK(has(app::leaderboard_text(all), "not comparable"));
  // What it asks for is what it ranks: a comparison with a learner's own rung.
  CHECK(has(app::leaderboard_text({}), "exercise check FILE --out NAME.jsonl"));
  CHECK(has(app::leaderboard_text(all), "made-up data"));
  CHECK(app::leaderboard_json(all)["leaderboard"][0]["entries"][0]["note"] == "made-up data");
  app::add_run(Run(), "empty", &all);
  REQUIRE(all.left_out.size() == 1);
  CHECK(has(all.left_out[0].sentence(), "no learner's rung"));
}

TEST_CASE("what only a learner's own process can vouch for is claimed, and not ranked") {
  app::Leaderboard all;
  app::add_run(compared(2.0, 1.95, 2.05, "CPU A", "a call took 2 ms, and it said 1 ms"), "ada",
               &all);
  CHECK(all.boards.empty());
  REQUIRE(all.left_out.size() == 1);
  CHECK(has(all.left_out[0].sentence(), "its time is claimed: a call took 2 ms, and it said 1 ms"));
  Series unseen = test::outcome(1, 1, "gemm.cpu.x_edit");
  CHECK(why_claimed(unseen).empty());
  unseen.checks.erase(unseen.checks.begin());
  CHECK(why_claimed(unseen) == "no worker saw its calls from outside");
  CHECK(why_claimed(test::outcome(1, 1, "gemm.cpu.x")).empty());
}

}  // namespace
}  // namespace ridge
