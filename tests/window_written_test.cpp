// What every export ends in: one bar that opens the file, shows its folder, and copies it in words. The desktop's
// opener is a script here.
#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "app/window/edit/editing.h"
#include "app/window/shell/export.h"
#include "app/window/views/view.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;
using namespace ridge::window;

namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder that is all of PATH, as long as this lives.
struct Desktop {
  Desktop() : before(std::getenv("PATH")) { setenv("PATH", folder.path.c_str(), 1); }
  ~Desktop() { setenv("PATH", before.c_str(), 1); }
  void has(const std::string& program, const std::string& script) const {
    const std::string path = folder.path + "/" + program;
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0755);
  }
  /// Its argument, and how many there were.
  void has_opener() const {
    has("xdg-open", "printf '%s %s' \"$#\" \"$1\" > '" + told() + ".part'\n/bin/mv '" + told() +
                        ".part' '" + told() + "'");
  }
  std::string told() const { return folder.path + "/told"; }
  TemporaryFolder folder;
  std::string before;
};

struct Exporting : Fixture {
  explicit Exporting(const std::string& name = "reports") {
    state.settings.export_root = folder.path + "/" + name;
  }
  /// Frames until it holds; a minute at most.
  template <class Holds>
  bool wait_until(const Holds& holds) {
    for (int i = 0; i < 3000 && !holds(); ++i) {
      driver->frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return holds();
  }
  TemporaryFolder folder;
};

std::string clipboard() {
  const char* text = ImGui::GetClipboardText();
  return text ? text : "";
}

}  // namespace

TEST_CASE("after an export one bar opens the file and its folder, whatever they are called",
          "[window]") {
  const Desktop desktop;
  desktop.has_opener();
  // What a shell would take apart, or do.
  Exporting f("a b; $(touch hacked) `touch hacked` 'q' \"d\" -x");
  f.run_all();
  CHECK_FALSE(f.driver->find("written"));
  REQUIRE(f.driver->click("export"));
  REQUIRE(f.driver->find("written"));
  CHECK(f.state.written.file == f.state.history.last_export + "/report.html");
  CHECK(says(f.state.written.what, "report (HTML, Markdown"));
  REQUIRE(f.driver->click("open_written"));
  CHECK(says(f.state.written.said, "xdg-open"));
  REQUIRE(f.wait_until([&] { return read_text(desktop.told()).has_value(); }));
  CHECK(*read_text(desktop.told()) == "1 " + f.state.written.file);
  std::filesystem::remove(desktop.told());
  REQUIRE(f.driver->click("written_folder"));
  REQUIRE(f.wait_until([&] { return read_text(desktop.told()).has_value(); }));
  CHECK(*read_text(desktop.told()) == "1 " + f.state.history.last_export);
  CHECK_FALSE(std::filesystem::exists("hacked"));
  REQUIRE(f.wait_until([&] { return f.state.written.openers.empty(); }));
  CHECK_FALSE(f.state.written.is_error);
  REQUIRE(f.driver->click("close_written"));
  CHECK_FALSE(f.driver->find("written"));
}

TEST_CASE("the summary of a report has the claim, its interval, the machine and the command",
          "[window]") {
  Exporting f;
  f.run_all();
  f.state.selection.baseline = "gemm.cpu.naive_o1";
  select_rung(f.state, "gemm.cpu.loop_order");
  REQUIRE(perform(f.state, "compare"));
  f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 2);
  f.driver->frames(3);
  f.driver->type('o');
  REQUIRE(f.driver->click("export"));  // on the screen Report
  REQUIRE(f.driver->find("written"));
  REQUIRE(f.driver->click("copy_summary"));
  const std::string text = clipboard();
  const auto report = shown_report(f.state);
  REQUIRE(report);
  CHECK(says(text, report->sentence));
  CHECK(says(text, "2.00×"));
  CHECK(says(text, "[1.98, 2.02]"));
  CHECK(says(text, f.state.run().environment()->cpu.model));
  CHECK(says(text, "ridgepoint compare"));
  CHECK_FALSE(says(text, "<"));
  REQUIRE(f.driver->click("copy_written_path"));
  CHECK(clipboard() == f.state.written.file);
}

TEST_CASE("without an opener, and where it fails, the bar says so; the path can be copied",
          "[window]") {
  const Desktop desktop;
  Exporting f;
  f.run_all();
  REQUIRE(f.driver->click("export"));
  CHECK(says(f.state.written.what, "run.jsonl"));  // by the name that it has in the folder
  REQUIRE(f.driver->click("open_written"));
  CHECK(f.state.written.is_error);
  CHECK(says(f.state.written.said, "no program here opens files"));
  REQUIRE(f.driver->click("copy_written_path"));
  CHECK_FALSE(f.state.written.is_error);
  CHECK(clipboard() == f.state.written.file);
  desktop.has("xdg-open", "exit 4");
  REQUIRE(f.driver->click("open_written"));
  REQUIRE(f.wait_until([&] { return f.state.written.is_error; }));
  CHECK(says(f.state.written.said, "exited with code 4"));
}

TEST_CASE("an opener that goes on is not waited for", "[window]") {
  const Desktop desktop;
  const std::string gate = desktop.folder.path + "/gate";
  REQUIRE(mkfifo(gate.c_str(), 0600) == 0);
  desktop.has("xdg-open", "read line < '" + gate + "'");
  Exporting f;
  f.run_all();
  REQUIRE(f.driver->click("export"));
  REQUIRE(f.driver->click("open_written"));
  f.driver->frames(5);  // they are drawn while it stands at the gate
  CHECK(f.state.written.openers.size() == 1);
  REQUIRE(f.driver->click("export"));  // another export forgets no program that runs
  CHECK(f.state.written.openers.size() == 1);
  std::ofstream(gate) << "on\n";
  CHECK(f.wait_until([&] { return f.state.written.openers.empty(); }));
}

TEST_CASE("every export ends in the bar", "[window]") {
  Exporting f;
  f.run_all();
  const auto written = [&](const char* ending) {
    f.driver->frames(3);
    const std::string file = f.state.written.file;
    INFO(file << " should end in " << ending);
    CHECK(f.driver->find("written"));
    CHECK(file.ends_with(ending));
    CHECK(read_text(file).value_or("").size() > 20);
    CHECK(f.state.written.summary.size() > 20);
    REQUIRE(perform(f.state, "close_written"));
    f.driver->frames(2);
  };
  for (const auto& [id, ending] :
       {std::pair("save_csv", "/chart.csv"), std::pair("save_svg", "/chart.svg"),
        std::pair("export", "/report.html"), std::pair("report_tour", "/report.html")}) {
    INFO(id);
    REQUIRE(perform(f.state, id));
    written(ending);
  }
  f.state.studying.progress.cards["gemm.order"].box = 1;
  REQUIRE(perform(f.state, "export_progress"));
  written("/progress.md");
  f.state.settings.class_folder = f.folder.path;
  f.state.settings.learner = "Ada";
  hand_in(f.state);
  written("/Ada.jsonl");
  // It goes by itself, and with its screen.
  REQUIRE(perform(f.state, "export"));
  f.driver->frames(300);
  CHECK(f.driver->find("written"));
  f.driver->frames(400);
  CHECK_FALSE(f.driver->find("written"));
  REQUIRE(perform(f.state, "export"));
  f.driver->frames(3);
  REQUIRE(f.driver->find("written"));
  REQUIRE(perform(f.state, "show_report"));
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("written"));
  REQUIRE(perform(f.state, "show_lab"));
  // On Learn too, and Esc takes it away.
  set_level(f.state, Level::kLearn);
  f.driver->key(compat::Key::e, true);
  REQUIRE(f.driver->find("written"));
  f.driver->key(compat::Key::escape);
  CHECK_FALSE(f.driver->find("written"));
}

TEST_CASE("the bar moves nothing when it comes or goes, and makes way for a notice", "[window]") {
  Exporting f;
  f.run_all();
  set_level(f.state, Level::kLab);
  f.driver->frames(3);
  using Places = std::map<std::string, Area>;
  const auto check_same = [](const Places& before, const Places& after) {
    size_t both = 0;
    for (const auto& [name, place] : before) {
      const auto found = after.find(name);
      if (found == after.end() || name.starts_with("diagram:")) continue;  // those play
      INFO(name);
      ++both;
      CHECK(found->second.x == place.x);
      CHECK(found->second.y == place.y);
      CHECK(found->second.h == place.h);
    }
    CHECK(both > 3);
  };
  for (const char* screen : {"show_lab", "show_report"}) {
    INFO(screen);
    REQUIRE(perform(f.state, screen));
    f.driver->frames(3);
    const Places before = f.driver->shell().widgets();
    REQUIRE(perform(f.state, "export"));
    f.driver->frames(3);
    const Places during = f.driver->shell().widgets();
    REQUIRE(during.contains("written"));
    check_same(before, during);
    f.driver->frames(600);
    const Places after = f.driver->shell().widgets();
    CHECK_FALSE(after.contains("written"));
    check_same(during, after);
  }
  REQUIRE(perform(f.state, "export"));
  f.driver->frames(2);
  REQUIRE(f.driver->find("written"));
  f.state.notice = {"Something else is to be said.", false};
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("written"));
}
