// Edit in the source tab: the copy, its saves from both sides, what the compiler says, the way back.
#include "app/window/edit/editing.h"
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
  Edits() {
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
  void finish_run() {
    const WorkRequest request = session.last(RequestType::run);
    session.measure(request, 0, 5e5);
    session.finish(request);
    driver->frames(10);
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
  // One key compares it with what it was made from.
  w.driver->type('c');
  CHECK(w.session.last(RequestType::compare).kernels[0].kernel == kRung);
  CHECK(w.session.last(RequestType::compare).kernels[1].kernel == kEdited);
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
  std::ofstream(w.file()) << "// another editor's\nint a;\n";
  w.driver->frames(20);
  CHECK(w.state.editing->text == "// another editor's\nint a;\n");
  CHECK(w.session.count(RequestType::run) == runs + 2);
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
  CHECK(read(w.file() + ".before").find("int mine;") != std::string::npos);
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
  w.driver->type('c');
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
  CHECK(std::string(row->rung->title).starts_with("edited: "));
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
  CHECK(w.state.view.screen == ScreenId::lab);
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
  CHECK(w.state.editing->hints_shown == 1);
  for (size_t i = 1; i < exercise->hints.size(); ++i) CHECK(perform(w.state, "hint"));
  CHECK(!perform(w.state, "hint"));
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
