// The puzzles, through `ridgepoint exercise check`: no hole is solved as it is handed out, each reference is, and it asks
// for exactly what its header says; a kernel that is wrong in a way that its own size hides is found.
#include <array>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/query/count_targets.h"
#include "app/query/editing.h"
#include "labs/lab.h"
#include "tests/catch.h"
#include "tests/program.h"

using namespace ridge;
using namespace ridge::test;

namespace {

std::vector<app::Exercise> puzzles() {
  std::vector<app::Exercise> all;
  for (const app::Exercise& one : app::known_exercises()) {
    if (one.is_puzzle()) all.push_back(one);
  }
  return all;
}

Outcome check(const std::string& text, const std::vector<std::string>& more = {"--json"}) {
  const Folder folder;
  write_all(folder / "mine.cu", text);
  std::vector<std::string> args = {"exercise", "check", folder / "mine.cu"};
  args.insert(args.end(), more.begin(), more.end());
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

std::string reference(const std::string& name) {
  return app::find_exercise(name)->reference;
}

std::string with(std::string text, const std::string& old, const std::string& part) {
  const size_t at = text.find(old);
  REQUIRE(at != text.npos);
  return text.replace(at, old.size(), part);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE(
    "what exercise check finds solved is counted by exercise list; a file of another is no start") {
  const Folder folder;
  const char* before = std::getenv("XDG_CONFIG_HOME");
  const std::string kept = before ? before : "";
  setenv("XDG_CONFIG_HOME", (folder / "").c_str(), 1);
  setenv("XDG_DATA_HOME", (folder / "").c_str(), 1);
  const auto ridgepoint = [](std::vector<std::string> args) {
    return Program(variable("RIDGE_BIN"), std::move(args)).finish();
  };
  const std::string mine = folder / "mine.cu";
  CHECK(ridgepoint({"exercise", "start", "map", "--to", mine}).code == 0);
  CHECK(ridgepoint({"exercise", "start", "map", "--to", mine}).code == 0);  // left as it is
  const Outcome another = ridgepoint({"exercise", "start", "guard", "--to", mine});
  CHECK(another.code == 73);
  CHECK(has(another.err, "it holds the exercise 'map' already"));
  const auto is_solved = [&] {
    const Outcome listed = ridgepoint({"exercise", "list", "puzzles", "--all"});
    return has(listed.out, "✓ map ");
  };
  CHECK_FALSE(is_solved());
  CHECK(ridgepoint({"exercise", "check", mine}).code != 0);
  CHECK_FALSE(is_solved());
  // Its name serves in place of the file that 'start' wrote.
  CHECK(ridgepoint({"exercise", "check", "map"}).code == 65);
  const Outcome begun = ridgepoint({"exercise", "start", "map"});
  CHECK(has(begun.err, "then: ridgepoint exercise check map"));
  CHECK(has(ridgepoint({"exercise", "check", "map"}).out, "ridgepoint exercise hint map"));
  const Outcome stray = ridgepoint({"exercise", "start", "map", "--out", folder / "elsewhere.cu"});
  CHECK(stray.code == 64);
  CHECK(has(stray.err, "--out belongs to 'exercise check'"));
  // One hint at a time.
  const Outcome first = ridgepoint({"exercise", "hint", "map"});
  CHECK(has(first.out, "1 of "));
  CHECK_FALSE(has(first.out, "2 of "));
  CHECK(has(first.err, "the next: ridgepoint exercise hint map 2"));
  CHECK(has(ridgepoint({"exercise", "hint", "map", "2"}).out, "2 of "));
  CHECK(ridgepoint({"exercise", "hint", "map", "99"}).code == 64);
  write_all(mine, reference("map"));
  CHECK(ridgepoint({"exercise", "check", mine}).code == 0);
  if (!has(ridgepoint({"list", "--actions"}).err, "RIDGE_WINDOW=ON")) CHECK(is_solved());
  before ? setenv("XDG_CONFIG_HOME", kept.c_str(), 1) : unsetenv("XDG_CONFIG_HOME");
}

TEST_CASE("twenty-five puzzles, each a rung of the lab, in its order") {
  const Lab* lab = find_lab("puzzles");
  REQUIRE(lab != nullptr);
  std::vector<std::string> rungs, kernels;
  for (const Rung& rung : lab->rungs) {
    if (std::string_view(rung.kernel).find(".cuda.") != std::string_view::npos)
      rungs.emplace_back(rung.kernel);
    CHECK(previous_rung(*lab, rung) == nullptr);  // none goes on from the one before
  }
  for (const app::Exercise& one : puzzles()) {
    kernels.push_back(one.kernel);
    CHECK(one.after == one.kernel);
    CHECK(one.lab == "puzzles");
  }
  CHECK(kernels.size() == 25);
  CHECK(kernels == rungs);
}

TEST_CASE(
    "no puzzle is solved as it is handed out; its reference is, and asks for just its target") {
  const std::vector<app::Exercise> all = puzzles();
  std::array<std::vector<Outcome>, 2> turns;
  const auto turn = [&](bool filled) {
    for (const app::Exercise& one : all)
      turns[filled].push_back(check(filled ? one.reference : one.handed_out));
  };
  std::thread references(turn, true);
  turn(false);
  references.join();
  for (size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].name);
    const Outcome &hole = turns[0][i], &filled = turns[1][i];
    CHECK(!has(all[i].handed_out, "given:"));
    CHECK(has(all[i].handed_out, "YOUR TURN"));
    CHECK(hole.code == 3);
    CHECK(hole.json()["solved"] == false);
    INFO(filled.out);
    CHECK(filled.code == 0);
    const nlohmann::json said = filled.json();
    CHECK(said["solved"] == true);
    REQUIRE(said["targets"].size() == all[i].targets.size());
    for (const nlohmann::json& target : said["targets"]) CHECK(target["yours"] == target["target"]);
  }
}

TEST_CASE("a kernel that is right at its own size alone is not solved") {
  // As many threads as elements, but for other numbers of elements.
  const std::string text =
      with(reference("warp_sum"), "const int i = blockIdx.x * blockDim.x + threadIdx.x;",
           "const int i = blockIdx.x * blockDim.x + threadIdx.x; if (n < 40) return;");
  const Outcome outcome = check(text);
  CHECK(outcome.code == 3);
  const nlohmann::json counts = outcome.json()["counts"];
  CHECK(has(counts["check"]["reason"], "at n=1"));
  CHECK(counts["params"]["n"] == 1000);  // what was counted is the puzzle's own size
}

TEST_CASE("what is wrong is said in the words of the check, of a fault or of the compiler") {
  const auto said = [](const std::string& text) {
    const Outcome outcome = check(text, {});
    CHECK(outcome.code != 0);
    return outcome.out + outcome.err;
  };
  CHECK(
      has(said(with(reference("guard"), "if (i < n) ", "")), "reads a[1000]: a has 1000 elements"));
  CHECK(has(said(with(reference("map"), "2 * a[i] + 1", "2 * a[i]")),
            "elements are wrong; the first is row 0, column 0: "));
  CHECK(has(said(with(reference("reduction"), "tile[t] += tile[t + half]",
                      "tile[t] += tile[t + half + 128]")),
            "of shared memory: tile has 256 elements"));
  CHECK(has(said(with(app::find_exercise("dot_product")->handed_out, "atomicAdd(y, sum);",
                      "y[0] += sum;")),
            "reads y[0], which thread "));  // of its block or of another: blocks run side by side
  const std::string scan = said(with(
      reference("scan"), "    __syncthreads();\n    tile[t] += before;", "    tile[t] += before;"));
  CHECK(has(scan, "race at line"));
  CHECK(!has(scan, "✓"));  // of a kernel that is wrong a small count is no merit
  CHECK(has(said(with(reference("map"), "y[i] = 2 * a", "y[j] = 2 * a")), "was not declared"));
  CHECK(has(said(app::find_exercise("transpose")->handed_out),
            "it asks for more than the reference does"));
  CHECK(has(said(app::find_exercise("map")->handed_out), "never written"));
}

TEST_CASE(
    "a sum over blocks without an atomic, and one thread's work in place of a block's, are not "
    "solved") {
  const auto solved = [](const std::string& text) { return check(text).json()["solved"] == true; };
  const std::string dot = app::find_exercise("dot_product")->handed_out;
  CHECK(!solved(with(dot, "atomicAdd(y, sum);", "y[0] += sum;")));
  const std::string reduction = reference("reduction");
  CHECK(!solved(
      with(reduction, "if (t < half) tile[t] += tile[t + half];",
           "if (half == 1 && t == 0) for (int i = 1; i < kBlock; ++i) tile[0] += tile[i];")));
  // Without the largest element the exponentials are no floats.
  CHECK(!solved(with(reference("softmax"), "most = warp_max(most);", "most = 0.0f;")));
  const std::string attention = reference("attention_row");
  CHECK(!solved(with(attention, "fmaxf(most, score)", "0.0f")));
  CHECK(!solved(with(attention, "kept = expf(most - larger)", "kept = 1.0f")));
  CHECK(!solved(with(attention, "rsqrtf(float(kHead))", "0.2f")));
  for (const char* epsilon : {"0.0f", "1e-6f"})
    CHECK(!solved(with(reference("layernorm"), "1e-5f", epsilon)));
}

TEST_CASE(
    "a size whose matrix no int can index is refused in a sentence, and a vector of it is not") {
  const auto run = [](const char* puzzle) {
    return Program(variable("RIDGE_BIN"), {"run", "puzzles", "--mode", "live", "--set",
                                           std::string("puzzle=") + puzzle, "--set", "n=65536"})
        .finish();
  };
  for (const char* puzzle : {"broadcast", "softmax", "tiled_product"}) {
    INFO(puzzle);
    const Outcome outcome = run(puzzle);
    CHECK(outcome.code != 0);
    CHECK(has(outcome.out + outcome.err, "n = 65536 is too large for this puzzle"));
  }
  CHECK(run("structs").code == 0);
}

TEST_CASE("a target that cannot be read says so") {
  CHECK(app::parse_targets("sectors 256, barriers 0")->size() == 2);
  for (const char* text : {"sectors", "sectors x", "sectors -1", "time 3", "sectors 3 4"}) {
    INFO(text);
    CHECK(!app::parse_targets(text).ok());
  }
  const std::string map = reference("map");
  CHECK(
      !app::parse_exercise("kernels/puzzles/rungs/map.cu", with(map, "sectors 256", "sectors many"))
           .ok());
}
