// Your turn: the copy, its saves from both sides, what the compiler says, the history of saves, the way back.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "app/query/diff.h"
#include "app/query/leaderboard.h"
#include "app/window/edit/editing.h"
#include "app/window/edit/feedback.h"
#include "app/window/edit/results.h"
#include "app/window/edit/saves.h"
#include "app/window/panels/verdict_card.h"
#include "app/window/shell/settings.h"
#include "app/window/views/view.h"
#include "common/record/assembly.h"
#include "common/record/error_map.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace window;

constexpr const char* kRung = "gemm.cpu.naive_o3";
constexpr const char* kEdited = "gemm.cpu.naive_o3_edit";

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Edits : Fixture {
  TemporaryFolder folder;
  explicit Edits(float width = 1600, float height = 1000) : Fixture(width, height) {
    state.settings.edits_folder = folder.path;
    select_rung(state, kRung);
    state.view.tab = Tab::source;
    driver->frames(2);
  }
  std::string file() const { return folder.path + "/" + kRung + ".cpp"; }
  void open() {
    REQUIRE(driver->click("edit"));
    driver->frames(10);
  }
  void finish_run(double t_ns = 5e5, bool passes = true) {
    const WorkRequest request = session.last(RequestType::run);
    session.measure(request, 0, t_ns, passes);
    session.finish(request);
    driver->frames(10);
  }
  /// A save of the text with one more line, measured.
  void save_and_run(double t_ns = 5e5) {
    state.editing->text += "int more;\n";
    save_edit(state);
    driver->frames(10);
    finish_run(t_ns);
  }
  /// The same, and judged.
  void save(double t_ns, double ratio, Verdict verdict = Verdict::faster) {
    save_and_run(t_ns);
    const WorkRequest pairs = session.last(RequestType::compare);
    for (int side = 0; side < 2; ++side) {
      const Series one = outcome(pairs.id, side, pairs.kernels[static_cast<size_t>(side)].kernel);
      session.tell("result", {{"request", pairs.id}, {"series", side}, {"outcome", one}});
    }
    session.judge(pairs, verdict, ratio);
    driver->frames(10);
  }
  std::vector<Save> saves() const {
    return saves_of(session.run(), state.editing->id, state.editing->kernel);
  }
};

TEST_CASE("edit makes a copy, gives it a row beside the original, and runs it") {
  Edits w;
  w.open();
  CHECK(read(w.file()) == w.session.run().source(kRung)->text);
  CHECK(w.state.selection.rung == kEdited);
  CHECK(w.state.selection.baseline == kRung);
  const auto& ladder = w.state.ladder.rows;
  const auto row = std::find_if(ladder.begin(), ladder.end(), [](const RungView& one) {
    return std::string(one.rung->kernel) == kEdited;
  });
  REQUIRE(row != ladder.end());
  CHECK(std::string(std::prev(row)->rung->kernel) == kRung);
  const WorkRequest& request = w.session.last(RequestType::run);
  CHECK(request.kernels.size() == 1);
  CHECK(request.kernels[0].kernel == kEdited);
  CHECK(request.mode == RunMode::live);
  w.finish_run();
  bool is_error = true;
  // Nothing was saved yet, so that nothing was waited for.
  CHECK(editing_status(w.state, &is_error).find("first verified number") == std::string::npos);
  save_edit(w.state);
  w.driver->frames(10);
  w.finish_run();
  CHECK(editing_status(w.state, &is_error).find("first verified number") != std::string::npos);
  CHECK(!is_error);
  CHECK(w.driver->find("editor") != nullptr);
  // One press compares it with what it was made from.
  REQUIRE(w.driver->click("compare"));
  CHECK(w.session.last(RequestType::compare).kernels[0].kernel == kRung);
  CHECK(w.session.last(RequestType::compare).kernels[1].kernel == kEdited);
}

TEST_CASE("what a lost worker had built is asked of no other worker until it is built again") {
  Edits w;
  w.open();
  w.finish_run();
  const auto asks_for_edit = [&] {
    run_ladder(w.state);
    w.driver->frames(3);
    const auto asked = w.session.last(RequestType::run).kernels;
    return std::any_of(asked.begin(), asked.end(),
                       [](const KernelRequest& one) { return one.kernel == kEdited; });
  };
  CHECK(asks_for_edit());
  w.session.lose("it was ended (SIGKILL)");
  w.driver->frames(3);
  w.session.start_again();
  w.driver->frames(3);
  CHECK_FALSE(asks_for_edit());
  w.session.finish(w.session.last(RequestType::run));
  w.driver->frames(3);
  save_edit(w.state);
  w.driver->frames(10);
  w.finish_run();
  CHECK(asks_for_edit());
}

TEST_CASE("what is typed is saved by Ctrl+S, and an editor of their own is noticed") {
  Edits w;
  w.open();
  w.finish_run();
  const int runs = w.session.count(RequestType::run);
  REQUIRE(w.driver->click("editor"));
  w.driver->type('x');
  CHECK(w.state.editing->is_unsaved());
  CHECK(w.session.count(RequestType::run) == runs);
  w.driver->key(compat::Key::s, true);
  w.driver->frames(10);
  CHECK(!w.state.editing->is_unsaved());
  CHECK(read(w.file()) == w.state.editing->text);
  CHECK(w.session.count(RequestType::run) == runs + 1);
  w.finish_run();
  w.driver->move(5, 5);
  w.driver->press_at(5, 5);
  w.session.finish(w.session.last(RequestType::compare));
  w.driver->frames(2);
  std::ofstream(w.file()) << "// another editor's\nint a;\n";
  w.driver->frames(20);
  CHECK(w.state.editing->text == "// another editor's\nint a;\n");
  CHECK(w.session.count(RequestType::run) == runs + 2);
}

TEST_CASE("Esc takes nothing back: it leaves the field, and letters are no commands then") {
  Edits w;
  w.open();
  w.finish_run();
  REQUIRE(w.driver->click("editor"));
  w.driver->type('x');
  w.driver->key(compat::Key::s, true);
  w.driver->frames(10);
  w.driver->type('y');
  const std::string typed = w.state.editing->text;
  w.driver->key(compat::Key::escape);  // ends the run of the save
  w.driver->frames(2);
  CHECK(w.state.editing->text == typed);
  w.finish_run();
  w.session.finish(w.session.last(RequestType::compare));
  w.driver->frames(2);
  w.driver->type('z');  // the field still had the keyboard
  CHECK(w.state.editing->text.size() == typed.size() + 1);
  w.driver->key(compat::Key::escape);
  w.driver->frames(2);
  CHECK(w.state.editing->text.size() == typed.size() + 1);
  const bool light = w.state.appearance.light_theme;
  const int compared = w.session.count(RequestType::compare);
  for (const char letter : {'t', 'c', 'h', ';', '1'}) w.driver->type(letter);
  CHECK(w.state.view.screen == ScreenId::workbench);
  CHECK(w.state.appearance.light_theme == light);
  CHECK(w.session.count(RequestType::compare) == compared);
  CHECK(w.state.editing->text.size() == typed.size() + 1);
  w.driver->key(compat::Key::s, true);  // no letter
  w.driver->frames(10);
  CHECK(!w.state.editing->is_unsaved());
}

TEST_CASE("in Your turn F5 builds and times the copy, and Esc leads to the lab") {
  Edits w;
  w.open();
  w.finish_run();
  const int runs = w.session.count(RequestType::run);
  CHECK(editing_keys(w.state).find("F5 builds") != std::string::npos);
  REQUIRE(w.driver->click("editor"));
  w.driver->type('x');
  w.driver->key(compat::Key::f5);
  w.driver->frames(10);
  CHECK(!w.state.editing->is_unsaved());
  REQUIRE(w.session.count(RequestType::run) == runs + 1);
  const WorkRequest run = w.session.last(RequestType::run);
  REQUIRE(run.kernels.size() == 1);
  CHECK(run.kernels[0].kernel == kEdited);
  w.finish_run();
  w.session.finish(w.session.last(RequestType::compare));
  w.driver->frames(2);
  w.driver->type('y');
  w.driver->key(compat::Key::escape);  // leaves the field
  w.driver->frames(2);
  CHECK(w.state.view.screen == ScreenId::workbench);
  CHECK(editing_keys(w.state).find("Esc goes to the lab") != std::string::npos);
  w.driver->key(compat::Key::escape);  // asks: what was typed is not saved
  w.driver->frames(2);
  CHECK(w.state.view.screen == ScreenId::workbench);
  CHECK(w.state.notice.text.find("Not saved yet") == 0);
  w.driver->key(compat::Key::escape);
  w.driver->frames(2);
  CHECK(w.state.view.screen == ScreenId::lab);
  CHECK(w.state.editing->is_unsaved());  // it waits
}

TEST_CASE("a text that does not compile is marked at its line and runs nothing") {
  Edits w;
  w.session.build_messages = {{2, 5, "error", "'y' was not declared"}};
  w.open();
  CHECK(w.session.count(RequestType::run) == 0);
  bool is_error = false;
  CHECK(editing_status(w.state, &is_error) == "it does not compile, line 2");
  CHECK(is_error);
  CHECK(w.driver->find("message_2") != nullptr);
  w.session.build_messages = {};
  save_edit(w.state);
  w.driver->frames(10);
  CHECK(w.session.count(RequestType::run) == 1);
  CHECK(w.driver->find("message_2") == nullptr);
}

TEST_CASE("a verdict of an earlier save is no headline in the lab or on Compare") {
  Edits w;
  w.open();
  w.finish_run();
  w.save(4e5, 17.9);
  REQUIRE(w.session.run().comparisons().size() == 1);
  const Comparison& pair = w.session.run().comparisons().back();
  const auto elsewhere = [&] { return compared_elsewhere(w.state, w.session.run(), pair, "", ""); };
  CHECK(earlier_save_text(w.state, w.session.run(), pair).empty());
  CHECK_FALSE(elsewhere());
  w.session.build_messages = {{2, 5, "error", "'y' was not declared"}};
  w.state.editing->text += "y;\n";
  save_edit(w.state);
  w.driver->frames(10);
  w.state.view.screen = ScreenId::lab;
  w.driver->frames(3);
  const int saves = w.state.editing->kept;
  REQUIRE(elsewhere());
  const RungView* row = find_row(w.state.ladder, kEdited);
  REQUIRE(row);
  CHECK(row->series == nullptr);  // the bar was of an earlier text
  CHECK(row->reason == "✗ Does not compile");
  CHECK(contains(elsewhere()->head, fmt::format("save {} does not compile", saves)));
  CHECK(contains(elsewhere()->next, fmt::format("Save {} against", saves - 1)));
  CHECK(contains(elsewhere()->next, "17.9×"));
  CHECK(w.driver->find("verdict"));
  CHECK_FALSE(w.driver->find("verdict_text"));  // the card has no verdict
  w.driver->type('v');
  w.driver->frames(3);
  CHECK_FALSE(w.driver->find("verdict_text"));
  REQUIRE(w.driver->click("forest:0"));  // asked for: it is said which save it is of
  w.driver->frames(3);
  CHECK(w.driver->find("verdict_text"));
  CHECK(earlier_save_text(w.state, w.session.run(), pair) ==
        fmt::format("of save {}, not of the last one", saves - 1));
  w.session.build_messages = {};  // a text that is wrong
  w.state.editing->text += "z;\n";
  w.state.view.screen = ScreenId::workbench;
  save_edit(w.state);
  w.driver->frames(10);
  w.finish_run(5e5, false);
  REQUIRE(elsewhere());
  CHECK(contains(elsewhere()->head, "failed its check"));
}

TEST_CASE("an error is marked before a note of its line, and stands whole under the text") {
  Edits w(1280, 720);
  w.open();
  w.finish_run();
  for (int i = 0; i < 90; ++i) w.state.editing->text += "int far" + std::to_string(i) + ";\n";
  const auto& text = w.state.editing->text;
  const int line = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  w.session.build_messages = {
      {line - 1, 3, "warning", "this 'for' clause does not guard... [-Wmisleading-indentation]"},
      {line, 5, "note", "...this statement, but the latter is misleadingly indented"},
      {line, 60, "error", "'x' was not declared in this scope"}};
  save_edit(w.state);
  w.driver->frames(10);
  const Area* messages = w.driver->find("messages");
  REQUIRE(messages);
  const Area* marked = w.driver->find("message_" + std::to_string(line));
  REQUIRE(marked);  // it came into view
  CHECK(marked->bottom() <= messages->y);
  CHECK(marked->y >= w.driver->find("editor")->y);
  CHECK(messages->right() <= w.driver->find("editor")->right() + 1);
}

TEST_CASE("a save without a change says so, and is one save with the one before it") {
  Edits w;
  w.open();
  w.finish_run();
  w.save(4e5, 1.25);
  const size_t before = w.saves().size();
  const Series* timed = w.saves().back().series;
  REQUIRE(timed);
  save_edit(w.state);
  w.driver->frames(10);
  CHECK(w.saves().size() == before);
  CHECK(w.saves().back().series != nullptr);  // no earlier text's, nor lost to one
  CHECK(w.saves().front().series != w.saves().back().series);
  w.finish_run(3e5);
  bool is_error = false;
  CHECK(contains(editing_status(w.state, &is_error), "Nothing changed since save"));
  CHECK(w.saves().size() == before);
  CHECK(w.saves().back().median_ns() == Approx(3e5));
  CHECK(w.saves().back().comparison != nullptr);
  w.state.editing->text += "int other;\n";
  save_edit(w.state);
  w.driver->frames(10);
  CHECK_FALSE(contains(editing_status(w.state, &is_error), "Nothing changed"));
}

TEST_CASE("a solved exercise whose last save is broken says which save solved it") {
  Edits w(1280, 720);
  const auto all = app::all_exercises();
  REQUIRE(all);
  const auto first = std::find_if(all->begin(), all->end(), [](const app::Exercise& one) {
    return one.name == "turned_loops";
  });
  REQUIRE(first != all->end());
  start_exercise(w.state, *first);
  w.driver->frames(10);
  w.save(4e5, 1.25);
  CHECK(exercise_progress(w.state, "turned_loops").is_solved);
  CHECK_FALSE(w.driver->find("solved_before"));
  w.session.build_messages = {{2, 5, "error", "'y' was not declared"}};
  w.state.editing->text += "y;\n";
  save_edit(w.state);
  w.driver->frames(10);
  CHECK(w.driver->find("solved_before"));
}

TEST_CASE("what was not built is called by where its build ended, whatever the reason's words") {
  EditBuild build;
  build.refuse(BuildEnd::load, "it compiles, but could not be loaded: undefined symbol: far");
  CHECK(std::string(refused_headline(build)) == "Does not load");
  build.refuse(BuildEnd::compile, "it does not compile, line 3");
  CHECK(std::string(refused_headline(build)) == "Does not compile");
  build.refuse(BuildEnd::machine,
               "the headers that it includes are not in /usr/src, where this worker was built");
  CHECK(std::string(refused_headline(build)) == "Cannot be built here");
  build.refuse(BuildEnd::text,
               "its build line asks for -march=native, which is not an allowed flag");
  CHECK(std::string(refused_headline(build)) == "Not built");
  EditBuild read = Json(build).get<EditBuild>();  // as a saved run has it
  CHECK(read.ended_at == BuildEnd::text);
}

TEST_CASE("where the source tree is missing the pane does not say that the text is wrong") {
  Edits w;
  w.session.no_build_here = "the headers that it includes are not in /nowhere";
  w.open();
  bool is_error = false;
  CHECK(editing_status(w.state, &is_error) == w.session.no_build_here);
  const EditBuild* build = last_build(w.state);
  REQUIRE(build);
  CHECK(std::string(refused_headline(*build)) == "Cannot be built here");
}

TEST_CASE("revert brings the original back and keeps what was there; the diff is to the original") {
  Edits w;
  w.open();
  w.finish_run();
  w.state.editing->text += "int mine;\n";
  save_edit(w.state);
  w.driver->frames(10);
  w.finish_run();
  w.state.view.tab = Tab::diff;
  w.driver->frames(3);
  w.state.view.tab = Tab::source;
  w.driver->frames(2);
  REQUIRE(w.driver->click("revert_edit"));
  w.driver->frames(10);
  CHECK(read(w.file()) == w.session.run().source(kRung)->text);
  const int last = app::last_kept_save(w.file());  // the original's text
  CHECK(read(app::kept_save(w.file(), last - 1)).find("int mine;") != std::string::npos);
}

TEST_CASE("results from before an edit that fails are still there") {
  Edits w;
  w.run_all();
  const size_t before = w.session.run().series().size();
  w.open();
  const WorkRequest request = w.session.last(RequestType::run);
  w.session.measure(request, 0, 5e5, false);
  w.session.finish(request);
  w.driver->frames(10);
  bool is_error = false;
  CHECK(editing_status(w.state, &is_error) == "NMSE 0.5 is over 2e-12");
  CHECK(is_error);
  CHECK(w.session.run().series().size() == before + 1);
  CHECK(find_row(w.state.ladder, kRung)->series->stats);
}

TEST_CASE("a saved run's edits have their rows, sources and comparisons, and are not built") {
  Edits w;
  w.open();
  w.finish_run();
  w.state.editing->text = "#error this text is for no compiler of ours\n";
  save_edit(w.state);
  w.driver->frames(10);
  w.finish_run();
  w.session.finish(w.session.last(RequestType::compare));
  const std::string file = w.folder.path + "/class.jsonl";
  REQUIRE(w.session.save(file));

  auto opened = app::Session::replay(file);
  REQUIRE(opened);
  State state;
  state.sessions.shown = opened->get();
  state.sessions.shown->poll();
  open_lab(state, "gemm");
  select_rung(state, kEdited);
  Headless driver(state, 1600, 1000);
  driver.frames(5);
  const RungView* row = find_row(state.ladder, kEdited);
  REQUIRE(row != nullptr);
  REQUIRE(row->series != nullptr);
  CHECK(row->series->stats);
  CHECK(row == find_row(state.ladder, kRung) + 1);
  CHECK(std::string(row->rung->title).starts_with("your copy of "));
  CHECK(made_from(state) == find_row(state.ladder, kRung));
  CHECK(state.run().source(kEdited)->text.starts_with("#error this text"));
  CHECK(replayed_edit_note(state).find("recorded elsewhere") != std::string::npos);
  CHECK(driver.find("edit") == nullptr);
  CHECK(edit_blocker(state).find("saved run") != std::string::npos);
  CHECK(state.editing == nullptr);
  CHECK(!opened->get()->build(kRung, "", "int a;"));  // who opens a file has no compiler
}

TEST_CASE("an exercise opens after its rung, with the hole, and shows its hints one by one") {
  Edits w;
  const auto exercise = app::find_exercise("turned_loops");
  REQUIRE(exercise);
  w.state.view.screen = ScreenId::classroom;
  w.driver->frames(3);
  REQUIRE(w.driver->click("exercise:turned_loops"));
  w.driver->frames(10);
  CHECK(w.state.view.screen == ScreenId::workbench);
  CHECK(w.state.selection.rung == "gemm.cpu.turned_loops_edit");
  CHECK(w.state.selection.baseline == "gemm.cpu.naive_o3");
  CHECK(w.state.editing->text == exercise->handed_out);
  const auto& ladder = w.state.ladder.rows;
  const auto row = std::find_if(ladder.begin(), ladder.end(),
                                [](const RungView& one) { return is_edit(one.rung->kernel); });
  REQUIRE(row != ladder.end());
  CHECK(std::string(std::prev(row)->rung->kernel) == exercise->after);
  REQUIRE(w.driver->click("hint"));
  w.driver->frames(2);
  CHECK(hints_shown(w.state) == 1);
  for (size_t i = 1; i < exercise->hints.size(); ++i) CHECK(perform(w.state, "hint"));
  CHECK(!perform(w.state, "hint"));
}

TEST_CASE("an exercise opens with what is to be done, and its empty hole is not run") {
  Edits w;
  const auto exercise = app::find_exercise("turned_loops");
  REQUIRE(exercise);
  w.session.build_messages = {{24, 12, "warning", "unused variable 'row'"}};
  start_exercise(w.state, *exercise);
  w.driver->frames(10);
  // What is missing for a hole's sake is no fault of who has written nothing yet.
  CHECK_FALSE(w.driver->find("message_24"));
  REQUIRE(w.driver->find("task") != nullptr);
  // The task stands over the editor: the file begins behind it.
  const float width = w.driver->find("editor")->w, top = w.driver->find("task")->bottom();
  CHECK(w.driver->find("editor")->y < top - 60);
  CHECK(w.session.count(RequestType::run) == 0);
  w.driver->key(compat::Key::f5);
  w.driver->frames(2);
  CHECK(w.session.count(RequestType::run) == 0);
  CHECK(w.state.notice.text.find("hole is still empty") != std::string::npos);
  bool is_error = true;
  CHECK(editing_status(w.state, &is_error).find("hole is still empty") != std::string::npos);
  CHECK(!is_error);
  w.state.editing->text += "int more;\n";
  save_edit(w.state);
  CHECK(w.state.notice.text.empty());  // it was about the save before
  w.driver->frames(10);
  CHECK(w.session.count(RequestType::run) == 1);
  CHECK(w.driver->find("message_24"));
  w.finish_run();
  CHECK(w.driver->find("editor")->w == width);  // the columns stay where they are
}

TEST_CASE("a right but slow answer says how far it is and what its code shows") {
  Edits w;
  const auto exercise = app::find_exercise("turned_loops");
  REQUIRE(exercise);
  start_exercise(w.state, *exercise);
  w.driver->frames(10);
  w.save(9e5, 0.5, Verdict::slower);
  REQUIRE(w.saves().back().comparison != nullptr);
  const std::string slow = slow_sentence(w.state, *w.saves().back().comparison);
  CHECK(contains(slow, "takes 2.00× as long as one of “three loops, -O3”"));
  // The fixture's loop is one vmulss; that it is of the learner's lines nobody said.
  CHECK_FALSE(contains(slow, "vectorise"));
  CHECK_FALSE(exercise_progress(w.state, "turned_loops").is_solved);
  w.save(4e5, 1.25);
  CHECK(slow_sentence(w.state, *w.saves().back().comparison).empty());

  AssemblyText wide{"k", "objdump", "x86-64",
                    "f():\n    10  vfmadd231ps zmm0,zmm1,zmm2\n    14  jne +0x10\n"};
  wide.loop_first = 2, wide.loop_last = 3;
  CHECK(loop_lanes(wide).packed == 1);
  CHECK(loop_lanes(wide).scalar == 0);
  CHECK(loop_lanes(wide).bytes == 64);
}

TEST_CASE("why an answer is slow is said of the learner's own loop, by the compiler's remark") {
  Edits w;
  const auto exercise = app::find_exercise("turned_loops");
  REQUIRE(exercise);
  start_exercise(w.state, *exercise);
  w.driver->frames(10);
  // The line that is added to the end of the text, which the first instruction of the fixture's listing is made of.
  const auto lines = app::split_lines(exercise->handed_out);
  const int added = static_cast<int>(lines.size()) + (lines.back().empty() ? 0 : 1);
  w.session.origins = {0, added, added};
  w.session.build_messages = {
      {added, 0, "remark", "number of versioning for alias run-time tests exceeds 10"}};
  w.save(9e5, 0.5, Verdict::slower);
  std::string slow = slow_sentence(w.state, *w.saves().back().comparison);
  CHECK(contains(slow, "the compiler did not vectorise your loop"));
  CHECK(contains(slow, "cannot know that the arrays of this loop do not overlap"));
  CHECK(contains(slow, "The button Hint"));
  CHECK(w.driver->find("message_" + std::to_string(added)) == nullptr);  // no fault of the text
  w.session.origins = {0, 1, 1};  // another loop is scalar: nothing is concluded from it
  w.save(9e5, 0.5, Verdict::slower);
  slow = slow_sentence(w.state, *w.saves().back().comparison);
  CHECK_FALSE(contains(slow, "vectorise"));
}

TEST_CASE(
    "saves are counted from the learner's first, and after a solved exercise comes the next") {
  Edits w;
  const auto all = app::all_exercises();
  REQUIRE(all);
  const auto first = std::find_if(all->begin(), all->end(),
                                  [](const app::Exercise& one) { return one.lab == "gemm"; });
  REQUIRE(first != all->end());
  CHECK(first->name == "turned_loops");  // the easiest first
  w.state.view.screen = ScreenId::workbench;
  w.driver->frames(3);
  REQUIRE(w.driver->click("exercise:turned_loops"));  // the list stands on Your turn
  w.driver->frames(10);
  w.save(4e5, 1.25);
  CHECK(w.driver->find("save:1") != nullptr);
  CHECK(w.driver->find("save:2") == nullptr);
  CHECK(exercise_progress(w.state, "turned_loops").is_solved);
  REQUIRE(w.driver->click("next_exercise"));
  w.driver->frames(10);
  CHECK(w.state.editing->exercise == "four_rows");
  REQUIRE(w.driver->click("exercises"));  // back to the list, and to the one that was open
  w.driver->frames(3);
  CHECK(w.driver->find("editor") == nullptr);
  REQUIRE(w.driver->click("exercise:four_rows"));
  w.driver->frames(10);
  CHECK(w.driver->find("editor") != nullptr);
}

TEST_CASE("the learner's own loop is found by the lines that its instructions were made of") {
  AssemblyText listing{"k", "objdump", "x86-64",
                       "f():\n  10  mov rax,rdx\n  14  movss xmm0,[rdx]\n  18  mulss xmm0,[rcx]\n"
                       "  1c  jne +0x4\n  20  mulps xmm1,xmm2\n  24  jne +0x10\n"};
  listing.loop_first = 6, listing.loop_last = 7;  // what computes most an instruction
  listing.origins = {0, 9, 9, 9, 9, 5, 5};
  const LineSpan own = own_loops(listing, {9, 10}).widest;
  CHECK(own.first == 3);
  CHECK(own.last == 5);
  CHECK(own_loops(listing, {5, 5}).widest.first == 6);
  CHECK(own_loops(listing, {11, 12}).widest.empty());
  CHECK(lanes_of_lines(listing, 9, 10).scalar == 1);
  CHECK(lanes_of_lines(listing, 9, 10).packed == 0);
  CHECK(lanes_of_lines(listing, 5, 5).packed == 1);
}

TEST_CASE("of two loops of a learner's line the one of vectors is marked, and the other named") {
  AssemblyText listing{
      "k", "objdump", "x86-64",
      "f():\n  10  movups xmm0,[rdx]\n  14  mulps xmm0,xmm2\n  18  movups xmm1,[rcx]\n"
      "  1c  addps xmm0,xmm1\n  20  movups [rcx],xmm0\n  24  add rdx,0x10\n"
      "  28  cmp rdx,rax\n  2c  jne +0x0\n  30  movss xmm0,[rdx]\n"
      "  34  mulss xmm0,xmm2\n  38  addss xmm0,[rcx]\n  3c  jne +0x20\n"};
  listing.origins = {0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  const OwnLoops loops = own_loops(listing, {9, 9});
  CHECK(loops.widest.first == 2);
  CHECK(loops.widest.last == 9);
  CHECK(loops.scalar.first == 10);
  CHECK(loops.scalar.last == 13);
  CHECK(contains(own_loops_sentence(loops, {9, 9}),
                 "Lines 10 to 13 do the same one number at a time: the remainder"));
}

TEST_CASE("the marked loop is said to be of what was written, or not to be") {
  const std::string original = "one\n// YOUR TURN\ntwo\nthree\n";
  const LineSpan written =
      written_lines(original, "one\n// YOUR TURN\nmine\nmine too\ntwo\nthree\n");
  CHECK(written.first == 3);
  CHECK(written.last == 4);
  CHECK(written_lines(original, original).empty());

  Edits w;
  w.open();
  Editing& editing = *w.state.editing;
  editing.original = original;
  editing.built = "one\n// YOUR TURN\nmine\nmine too\ntwo\nthree\n";
  AssemblyText listing{"k", "objdump", "x86-64", "f():\n 10: x\n 14: y\n"};
  listing.loop_first = 2, listing.loop_last = 3;
  CHECK(loop_origin_sentence(editing, listing).empty());  // it is not linked with the lines
  listing.origins = {0, 3, 4};
  CHECK(contains(loop_origin_sentence(editing, listing), "made of what you wrote, lines 3 to 4"));
  listing.origins = {0, 5, 5};
  CHECK(contains(loop_origin_sentence(editing, listing), "is not sure"));
}

TEST_CASE("a text that was left wrong does not greet as a failure") {
  Edits w;
  w.session.build_messages = {{2, 5, "error", "'y' was not declared"}};
  w.open();
  CHECK(is_as_left(w.state));
  w.state.editing->text += "int worse;\n";
  save_edit(w.state);
  w.driver->frames(10);
  CHECK_FALSE(is_as_left(w.state));
}

TEST_CASE("hints spent and exercises solved are remembered, and shown on the class screen") {
  Edits w;
  w.state.settings.path = w.folder.path + "/settings.json";
  const auto exercise = app::find_exercise("turned_loops");
  REQUIRE(exercise);
  start_exercise(w.state, *exercise);
  w.driver->frames(10);
  REQUIRE(perform(w.state, "hint"));
  w.save(5e5, 0.5, Verdict::slower);
  CHECK(!exercise_progress(w.state, "turned_loops").is_solved);  // slower than where it began
  w.save(2e5, 3.0);
  CHECK(exercise_progress(w.state, "turned_loops").is_solved);
  w.state.view.screen = ScreenId::classroom;
  w.driver->frames(3);
  CHECK(w.driver->find("solved:turned_loops") != nullptr);
  CHECK(w.driver->find("solved:four_rows") == nullptr);
  State later;
  later.settings.path = w.state.settings.path;
  load_settings(&later);
  CHECK(exercise_progress(later, "turned_loops").is_solved);
  CHECK(exercise_progress(later, "turned_loops").hints_spent == 1);
  CHECK(exercise_progress(later, "four_rows").hints_spent == 0);
}

TEST_CASE("a pair whose sides lost different parts of their time has a range that fits its line") {
  const bool is_small = GENERATE(false, true);
  Edits w(is_small ? 1280.f : 1600.f, is_small ? 720.f : 1000.f);
  w.session.shares = {{kRung, 0.4}};
  w.open();
  w.finish_run();
  w.save(4e5, 15.5);
  const Area *headline = w.driver->find("pair_headline"), *line = w.driver->find("save_verdict");
  REQUIRE(headline != nullptr);
  REQUIRE(line != nullptr);
  CHECK(headline->right() <= line->right());
  const Comparison* pair = w.saves().back().comparison;
  REQUIRE(pair);
  CHECK(pair->ci->low == Approx(6.2));
}

TEST_CASE("each save that passes is compared with the original, and all saves stay in view") {
  Edits w;
  w.open();
  w.finish_run();
  CHECK(w.session.count(RequestType::compare) == 0);  // nothing was written yet
  w.save(4e5, 1.25);
  const WorkRequest& request = w.session.last(RequestType::compare);
  CHECK(request.kernels[0].kernel == kRung);
  CHECK(request.kernels[1].kernel == kEdited);
  CHECK(request.limit_s.value_or(100) < 10);
  // The pairs are the headline, with the times that they met in turns.
  REQUIRE(w.driver->find("save_verdict") != nullptr);
  CHECK(w.driver->find("save_verdict")->y == w.driver->find("now")->y);
  CHECK(contains(times_in_turns(w.session.run(), *w.saves().back().comparison),
                 "800 ns against the original's 1"));
  w.state.editing->text += "int wrong;\n";
  save_edit(w.state);
  w.driver->frames(10);
  w.finish_run(1e5, false);
  CHECK(w.session.count(RequestType::compare) == 1);  // a wrong answer is not compared
  w.session.build_messages = {{2, 5, "error", "'y' was not declared"}};
  w.state.editing->text += "int worse;\n";
  save_edit(w.state);
  w.driver->frames(10);
  const auto saves = w.saves();
  REQUIRE(saves.size() == 4);
  CHECK(saves[0].verified());
  CHECK(saves[0].comparison == nullptr);
  CHECK(saves[1].median_ns() == 4e5);
  REQUIRE(saves[1].comparison != nullptr);
  CHECK(saves[1].comparison->ratio == 1.25);
  CHECK(saves[2].failed());
  CHECK(saves[2].reason() == "NMSE 0.5 is over 2e-12");
  CHECK(saves[3].failed());
  CHECK(saves[3].reason() == "it does not compile, line 2");
  CHECK(save_text(saves[1]).find("1.25× as fast as the original") != std::string::npos);
  for (const char* bar : {"save:1", "save:2", "save:3", "save:4"})
    CHECK(w.driver->find(bar) != nullptr);
}

TEST_CASE("saves are kept beside the file, and the next session numbers them on") {
  const TemporaryFolder kept;
  std::string typed;
  for (int session = 0; session < 2; ++session) {
    Edits w;
    w.state.settings.edits_folder = kept.path;
    const auto exercise = app::find_exercise("turned_loops");
    REQUIRE(exercise);
    start_exercise(w.state, *exercise);
    w.driver->frames(10);
    if (session == 1) {
      CHECK(w.state.editing->text == typed);
      w.finish_run();
      w.session.finish(w.session.last(RequestType::compare));
      w.driver->frames(2);
    }
    w.save(4e5, 1.25);
    if (session == 0) w.save(3e5, 1.5);
    typed = w.state.editing->text;
    const std::string file = w.state.editing->watch.path();
    CHECK(app::last_kept_save(file) == 2 + session);
    CHECK(read(app::kept_save(file, 2 + session)) == typed);
    // The one before stands there too, and has its bar: it was built when the file was opened.
    CHECK(w.driver->find("save:" + std::to_string(2 + session)) != nullptr);
    CHECK(w.driver->find("save:" + std::to_string(1 + session)) != nullptr);
    CHECK((w.driver->find("save:1") == nullptr) == (session == 1));
  }
}

TEST_CASE("each save keeps the size that it was timed at, and no other size stands beside it") {
  Edits w;
  w.run_all();
  w.open();
  w.finish_run(5e5);
  w.save(4e5, 1.25);
  REQUIRE(w.driver->find("save_original"));
  const std::string size = size_of(w.saves().back());
  REQUIRE_FALSE(size.empty());
  // A tour chooses another size, and the original runs there.
  set_param(w.state, "n", int64_t{96});
  w.driver->frames(3);
  const Series* before = original_beside(w.session.run(), w.saves().back(), kRung);
  REQUIRE(before);
  Series other = *before;
  other.request = 900;
  other.params["n"] = int64_t{96};
  other.stats->median_ns = 1e9;
  w.session.tell("result", {{"request", 900}, {"series", 0}, {"outcome", other}});
  w.driver->frames(3);
  CHECK(size_of(w.saves().back()) == size);
  CHECK(contains(save_text(w.saves().back()), ", " + size + ": "));
  CHECK(original_beside(w.session.run(), w.saves().back(), kRung)->stats->median_ns ==
        before->stats->median_ns);
  CHECK(w.driver->find("save_timed:2"));
  // Timed there, the saves before it have no place on its axis.
  w.save_and_run(3e3);
  CHECK(size_of(w.saves().back()) == "n = 96");
  CHECK(w.driver->find("save_timed:3"));
  CHECK(w.driver->find("save_apart:2"));
}

TEST_CASE("an original far above the saves is in the picture of all saves") {
  Edits w;
  w.run_all();
  w.open();
  w.finish_run(5e5);
  w.save(1e3, 500);
  REQUIRE(w.driver->find("save_original") != nullptr);
  const Area line = *w.driver->find("save_original"), bar = *w.driver->find("save:2");
  CHECK(line.y > bar.y);
  CHECK(line.y < bar.y + bar.h / 2);
}

TEST_CASE("a learner's row has a step: from the rung that it goes on from") {
  Edits w;
  w.run_all();
  w.open();
  w.finish_run();
  w.save(4e5, 1.25);
  w.state.selection.view = &kGainsView;
  REQUIRE(w.driver->click("to_lab"));
  w.driver->frames(5);
  ChartRows rows;
  const chart::ChartModel model = centre_chart(w.state, &rows);
  const auto at = std::find(rows.kernels.begin(), rows.kernels.end(), kEdited);
  REQUIRE(at != rows.kernels.end());
  const auto& steps = model.panels[1].row_reasons;
  const std::string step = steps.at(static_cast<size_t>(at - rows.kernels.begin()));
  INFO(step);
  CHECK(contains(step, "1.25×"));  // of the pair: the two ran alone in different runs
}

TEST_CASE("Your turn shows its own lab, whatever lab was looked at meanwhile") {
  Edits w;
  w.open();
  w.finish_run();
  w.save_and_run();
  w.session.finish(w.session.last(RequestType::compare));
  w.driver->frames(2);
  open_lab(w.state, "attention");
  w.state.view.screen = ScreenId::lab;
  w.driver->frames(3);
  w.state.view.screen = ScreenId::workbench;
  w.driver->frames(5);
  CHECK(std::string(w.state.selection.lab->id) == "gemm");
  CHECK(w.state.selection.rung == kEdited);
}

TEST_CASE("a text that does not compile has no listing, be there one of the save before") {
  Edits w;
  w.open();
  w.finish_run();
  w.save(4e5, 1.25);
  CHECK(edit_listing(w.state) != nullptr);
  w.session.build_messages = {{2, 5, "error", "'y' was not declared"}};
  w.state.editing->text += "int y\n";
  save_edit(w.state);
  w.driver->frames(10);
  CHECK(edit_listing(w.state) == nullptr);
}

TEST_CASE("an exercise for a GPU cannot be opened where there is none, be a saved run in view") {
  Edits w;
  w.run_all();  // the machine is known
  const std::string file = w.folder.path + "/run.jsonl";
  REQUIRE(w.session.save(file));
  open_run(w.state, file);
  w.driver->frames(5);
  REQUIRE(w.state.is_replay());
  w.state.view.screen = ScreenId::classroom;
  w.driver->frames(3);
  REQUIRE(w.driver->click("exercise:tile_in_shared"));
  w.driver->frames(3);
  CHECK(w.state.view.screen == ScreenId::classroom);
  CHECK(w.state.view.wanted_exercise.empty());
}

TEST_CASE("a newer save ends the comparison of the text before") {
  Edits w;
  w.open();
  w.finish_run();
  w.save_and_run();
  const WorkRequest compare = w.session.last(RequestType::compare);
  const int runs = w.session.count(RequestType::run);
  w.state.editing->text += "int newer;\n";
  save_edit(w.state);
  w.driver->frames(10);
  REQUIRE(!w.session.cancelled.empty());
  CHECK(w.session.cancelled.back() == compare.id);
  w.session.finish(compare, "cancelled");
  w.driver->frames(10);
  CHECK(w.session.count(RequestType::run) == runs + 1);
}

TEST_CASE("a copy that nothing was written into, or that was reverted, leaves no row") {
  Edits w;
  w.open();
  w.finish_run();
  w.save(4e5, 1.25);
  REQUIRE(w.driver->click("revert_edit"));
  w.driver->frames(10);
  w.finish_run();
  REQUIRE(w.driver->click("to_lab"));
  w.driver->frames(10);
  CHECK(w.state.editing == nullptr);
  CHECK(w.state.selection.rung == kRung);
  CHECK(find_row(w.state.ladder, kEdited) == nullptr);
}

TEST_CASE("a candidate that fails its check leaves the original's figure in the ladder") {
  Edits w;
  w.run_all();
  const double before = find_row(w.state.ladder, kRung)->series->stats->median_ns;
  w.open();
  w.finish_run();
  w.save(4e5, 1.25);
  // The comparison that is asked for by hand refuses both sides: the candidate's check failed.
  REQUIRE(w.driver->click("compare"));
  const WorkRequest request = w.session.last(RequestType::compare);
  for (int side = 0; side < 2; ++side) {
    Series refused = outcome(request.id, side, request.kernels[static_cast<size_t>(side)].kernel);
    refused.params = request.kernels[static_cast<size_t>(side)].params;
    refused.status = side == 0 ? SeriesStatus::skipped : SeriesStatus::failed;
    refused.stats.reset();
    w.session.tell("result", {{"request", request.id}, {"series", side}, {"outcome", refused}});
  }
  w.session.finish(request, "failed");
  w.driver->frames(5);
  const RungView* row = find_row(w.state.ladder, kRung);
  REQUIRE(row->series->stats);
  CHECK(row->series->stats->median_ns == before);
}

TEST_CASE("a wrong result shows which elements are wrong") {
  Edits w;
  w.open();
  const WorkRequest request = w.session.last(RequestType::run);
  Series refused = outcome(request.id, 0, kEdited);
  refused.params = find_row(w.state.ladder, kEdited)->info ? request.kernels[0].params : Params();
  refused.status = SeriesStatus::failed;
  refused.reason = "NMSE 0.5 is over 2e-12";
  refused.stats.reset();
  QualityCheck failed = check(false);
  failed.errors =
      ErrorMap{"row", "column", 7, 5, 7, 5, std::vector<double>(35, 0.0), 1, 2, 3, 1.25, 0.75};
  failed.errors->cells[13] = 0.5;
  refused.checks = {failed};
  w.session.tell("result", {{"request", request.id}, {"series", 0}, {"outcome", refused}});
  w.session.finish(request);
  w.driver->frames(5);
  REQUIRE(w.driver->find("error_map") != nullptr);
  REQUIRE(w.session.run().series().back().checks[0].errors);
  CHECK(error_map_text(*w.session.run().series().back().checks[0].errors) ==
        "1 of 35 elements is wrong; the first is row 2, column 3: 1.25, and 0.75 is right.");
  CHECK(error_cell_text(*failed.errors, 2, 3) ==
        "row 2, column 3: off by up to 0.5 times the output's root mean square");
  CHECK(error_cell_text(*failed.errors, 2, 2) == "row 2, column 2: right");
}

TEST_CASE("a line and its instructions light up together") {
  Edits w;
  w.session.origins = {0, 2, 2};
  w.open();
  w.finish_run();
  REQUIRE(w.driver->find("listing") != nullptr);
  const AssemblyText* listing = find_assembly(w.state, kEdited);
  REQUIRE(listing != nullptr);
  CHECK(listing->origins == std::vector<int>{0, 2, 2});
  const int plain = w.driver->triangles();
  const Area editor = *w.driver->find("editor");
  w.driver->move(editor.x + 40, editor.y + 24);  // its second line, of 16 px each
  w.driver->frames(3);
  CHECK(w.driver->find("lit:2") != nullptr);
  w.driver->move(editor.x + 40, editor.y + 8);
  w.driver->frames(3);
  CHECK(w.driver->find("lit:2") == nullptr);
  CHECK(plain > 0);
}

TEST_CASE("a tab in the editor is two spaces, and a new line keeps its indentation") {
  Edits w;
  w.open();
  w.finish_run();
  REQUIRE(w.driver->click("editor"));
  w.state.editing->text = "int a;\n";
  ++w.state.editing->texts;
  w.driver->frames(2);
  REQUIRE(w.driver->click("editor"));  // behind the text's end
  w.driver->type('\t');
  w.driver->frames(4);
  CHECK(w.state.editing->text == "int a;\n  ");
}

TEST_CASE("a saved run's edit opens on the workbench with the history of its saves") {
  Edits w;
  w.open();
  w.finish_run();
  w.save(4e5, 1.25);
  w.save(2e5, 2.5);
  const std::string file = w.folder.path + "/class.jsonl";
  REQUIRE(w.session.save(file));
  auto opened = app::Session::replay(file);
  REQUIRE(opened);
  State state;
  state.sessions.shown = opened->get();
  state.sessions.shown->poll();
  open_lab(state, "gemm");
  state.view.screen = ScreenId::workbench;
  Headless driver(state, 1600, 1000);
  driver.frames(5);
  REQUIRE(state.editing != nullptr);
  CHECK(state.editing->is_recorded);
  CHECK(driver.find("save:3") != nullptr);
  CHECK(driver.find("save_edit") == nullptr);
  CHECK(!perform(state, "save_edit"));
  const std::string before = state.editing->text;
  REQUIRE(driver.click("editor"));
  driver.type('x');
  CHECK(state.editing->text == before);
}

TEST_CASE("a name that is typed is in the run, and the run is handed in under it") {
  Edits w;
  w.state.settings.class_folder = w.folder.path + "/class";
  std::filesystem::create_directories(w.state.settings.class_folder);
  CHECK(hand_in_blocker(w.state).find("Nothing to hand in") != std::string::npos);
  w.open();
  w.finish_run();
  w.save(4e5, 1.25);
  CHECK(hand_in_blocker(w.state) == "Type your name first.");
  w.state.view.screen = ScreenId::classroom;
  w.driver->frames(3);
  REQUIRE(w.driver->click("learner"));
  for (const char c : std::string("Ada L")) w.driver->type(c);
  w.driver->key(compat::Key::enter);
  w.driver->frames(3);
  CHECK(w.session.run().learner() == "Ada L");
  REQUIRE(w.driver->click("hand_in"));
  w.driver->frames(3);
  const std::string file = w.state.settings.class_folder + "/Ada_L.jsonl";
  CHECK(std::filesystem::exists(file));
  const auto board = app::read_leaderboard(w.state.settings.class_folder);
  REQUIRE(board);
  REQUIRE(board->boards.size() == 1);
  CHECK(board->boards[0].entries[0].name == "Ada L");
  CHECK(board->left_out.empty());
  hand_in(w.state);  // again: the same file
  CHECK(!std::filesystem::exists(w.state.settings.class_folder + "/Ada_L-2.jsonl"));
}

TEST_CASE("the class screen writes its folder as one page and a gradebook") {
  Edits w;
  w.state.settings.class_folder = w.folder.path + "/class";
  w.state.settings.export_root = w.folder.path + "/exports";
  std::filesystem::create_directories(w.state.settings.class_folder);
  w.state.view.screen = ScreenId::classroom;
  const auto click_page = [&] {
    for (int i = 0; i < 500 && w.state.written.file.empty(); ++i) {  // a thread reads the folder
      w.driver->frames(1);
      w.driver->click("class_page");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  w.driver->frames(3);
  w.driver->click("class_page");  // there is nothing to write
  w.driver->frames(3);
  CHECK(w.state.written.file.empty());
  Transcript run = whole_transcript();
  run.app("learner", {{"name", "Ada L"}});
  std::ofstream(w.state.settings.class_folder + "/a.jsonl") << run.text();
  REQUIRE(w.driver->click("read_board"));
  click_page();
  REQUIRE(w.state.written.file.ends_with("/class.html"));
  const auto page = read_text(w.state.written.file);
  REQUIRE(page);
  CHECK(page->find("Ada L") != std::string::npos);
  const std::string csv = w.state.written.file.substr(0, w.state.written.file.size() - 4) + "csv";
  CHECK(read_text(csv)->find("Ada L,a,1,") != std::string::npos);
}

TEST_CASE("a folder that is none, and an empty one, say so on the class screen") {
  Edits w;
  w.state.settings.class_folder = w.folder.path + "/none";
  w.state.view.screen = ScreenId::classroom;
  w.driver->frames(3);
  CHECK(w.driver->find("class_folder") != nullptr);
  w.state.settings.class_folder = w.folder.path;
  w.driver->frames(2);
  REQUIRE(w.driver->click("read_board"));
  w.driver->frames(2);
}

TEST_CASE("what cannot be edited says why") {
  Edits w;
  w.session.lose("gone");
  CHECK(save_blocker(w.state).find("Nothing is being edited") != std::string::npos);
  CHECK(!perform(w.state, "save_edit"));
}

}  // namespace
}  // namespace ridge::test
