// What a person types into the window before and after a run: a budget, words for the report, a second run to see beside.
#include "app/query/elsewhere.h"
#include "app/window/shell/export.h"
#include "app/window/shell/settings.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/views/view.h"
#include "tests/window_fixture.h"

#include <algorithm>

#include "app/window/shell/selection.h"
#include "tests/program.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::window;
using namespace ridge::test;

namespace {

void type_into(Fixture& f, const std::string& field, const std::string& text) {
  f.driver->frames(3);
  REQUIRE(f.driver->click(field));
  f.driver->frames(1);
  for (const char c : text) f.driver->type(c);
  f.driver->key(compat::Key::enter);
  f.driver->frames(3);
}

struct Words : Fixture {
  Words() { state.settings.export_root = folder / "reports"; }
  void open_report() {
    run_all();
    state.view.screen = ScreenId::report;
    driver->frames(3);
  }
  void choose_two() {
    state.selection.baseline = "gemm.cpu.naive_o3";
    state.selection.rung = "gemm.cpu.loop_order";
    state.ladder.dirty = true;
    driver->frames(3);
  }
  Folder folder;
};

}  // namespace

TEST_CASE(
    "a budget that is typed is sent with the next comparison, and one that is none holds it back",
    "[window]") {
  Words w;
  w.run_all();
  w.choose_two();
  w.state.view.screen = ScreenId::compare;
  set_level(w.state, Level::kLab);
  type_into(w, "budget", "p98=2ms");
  CHECK(w.state.selection.budget == "p98=2ms");
  CHECK_FALSE(perform(w.state, "compare"));
  CHECK(has(w.state.notice.text, "The budget: 'p98' is none of its lines; did you mean"));
  CHECK(w.session.count(RequestType::compare) == 0);
  w.state.selection.budget = "accuracy=1";  // this lab is judged by an error
  CHECK(has(budget_blocker(w.state), "has no accuracy"));
  w.state.selection.budget = "";
  type_into(w, "budget", "p99=2ms, memory=1GiB");
  REQUIRE(perform(w.state, "compare"));
  const WorkRequest& asked = w.session.last(RequestType::compare);
  CHECK(asked.budget == *parse_budget("p99=2ms,memory=1GiB"));
  w.session.judge(asked, Verdict::faster, 2);
  w.driver->frames(3);
  const Run& run = w.state.run();
  REQUIRE(run.comparisons().size() == 1);
  const Decision decision = decide(run, run.comparisons().front());
  REQUIRE(decision.budget.size() == 2);
  CHECK(decision.decision != "adopt");  // no p99 was measured
  CHECK(w.driver->find("verdict"));
  // A newcomer is asked for none.
  set_level(w.state, Level::kLearn);
  w.driver->frames(3);
  CHECK_FALSE(w.driver->find("budget"));
}

TEST_CASE("words that are typed on the report are kept with the session and travel in the export",
          "[window]") {
  Words w;
  w.open_report();
  CHECK_FALSE(w.driver->find("note:question"));
  REQUIRE(w.driver->click("notes"));
  type_into(w, "note:question", "Does it <b>pay</b>?");
  type_into(w, "note:name", "Ada");
  CHECK(w.state.run().notes() == Notes{{"question", "Does it <b>pay</b>?"}, {"name", "Ada"}});
  const auto report = shown_report(w.state);
  REQUIRE(report.ok());
  CHECK(report->front.front().id == "notes");
  const auto folder = write_export(w.state, *report, w.state.settings.export_root);
  REQUIRE(folder.ok());
  CHECK(has(read_all(*folder + "/report.html"), "Question: Does it &lt;b&gt;pay"));
  const auto saved = Run::load(*folder + "/run.jsonl");
  REQUIRE(saved.ok());
  CHECK(saved->notes() == w.state.run().notes());
  // Longer than a note may be: cut, and said.
  type_into(w, "note:surprise", std::string(520, 'x'));
  CHECK(has(w.state.notice.text, "A note has at most 500 characters"));
  CHECK(w.state.run().notes().at("surprise").size() <= 503);
}

TEST_CASE("what is being typed on the report is in the export, by button, key and palette",
          "[window]") {
  Words w;
  w.open_report();
  REQUIRE(w.driver->click("notes"));
  const auto type_on = [&](const char* field, const std::string& text) {
    w.driver->frames(3);
    REQUIRE(w.driver->click(field));
    for (const char c : text) w.driver->type(c);
  };
  const auto exported = [&](const std::string& text) {
    w.driver->frames(3);
    INFO(text);
    CHECK(has(read_all(w.state.history.last_export + "/report.html"), text));
    CHECK(has(read_all(w.state.history.last_export + "/run.jsonl"), text));
  };
  type_on("note:name", "A. Student");
  REQUIRE(w.driver->click("export"));
  exported("A. Student");
  type_on("note:course", "Kernels");
  w.driver->key(compat::Key::e, true);
  exported("Kernels");
  type_on("note:course", " I");  // the field goes on where it was
  REQUIRE(perform(w.state, "export"));
  exported("Kernels I");
  // Another screen, and the window's end.
  type_on("note:question", "Why?");
  w.state.view.screen = ScreenId::lab;
  w.driver->frames(2);
  CHECK(w.state.run().notes().at("question") == "Why?");
  // Esc takes back what was typed.
  w.state.view.screen = ScreenId::report;
  type_on("note:surprise", "No");
  w.driver->key(compat::Key::escape);
  w.driver->frames(2);
  CHECK_FALSE(w.state.run().notes().contains("surprise"));
  type_on("note:surprise", "Yes");
  finish_typing(w.state);
  CHECK(w.state.run().notes().at("surprise") == "Yes");
}

TEST_CASE("a saved run takes words too, and its file stays as it was", "[window]") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  Transcript out;
  add_start_of(&out);
  add_ladder(&out);
  std::string lines;
  for (const std::string& line : out.lines) lines += line + "\n";
  write_all(path, lines);
  auto session = app::Session::replay(path);
  REQUIRE(session.ok());
  (*session)->note("question", "Why?");
  CHECK((*session)->poll());
  CHECK((*session)->run().notes().at("question") == "Why?");
  CHECK(read_all(path) == lines);
  REQUIRE((*session)->save(folder / "copy.jsonl").ok());
  CHECK(Run::load(folder / "copy.jsonl")->notes().at("question") == "Why?");
}

TEST_CASE("a second saved run stands beside the first, and one of another problem does not",
          "[window]") {
  const Folder folder;
  const auto save = [&](const std::string& name, int64_t n, const std::string& lab) {
    Transcript out;
    add_start_of(&out);
    WorkRequest request = work(RequestType::run, 4, {kNaive, "gemm.cpu.loop_order"});
    request.lab = lab;
    out.send(request);
    int index = 0;
    for (const std::string& kernel : {kNaive, std::string("gemm.cpu.loop_order")}) {
      Series series = measured(4, index, kernel, 5e6);
      series.lab = lab;
      series.params["n"] = n;
      series.flop = 2.0 * double(n) * double(n) * double(n);
      out.worker("result", test::with(about(4, index++), "outcome", series));
    }
    out.worker("done", {{"request", 4}, {"status", "ok"}});
    std::string lines;
    for (const std::string& line : out.lines) lines += line + "\n";
    write_all(folder / name, lines);
    return folder / name;
  };
  const std::string first = save("first.jsonl", 512, "gemm"),
                    second = save("second.jsonl", 512, "gemm"),
                    other = save("other.jsonl", 256, "gemm");
  Words w;
  open_run(w.state, first);
  w.driver->frames(5);
  REQUIRE(w.state.is_replay());
  w.state.view.screen = ScreenId::beside;
  type_into(w, "beside_path", second);
  REQUIRE(w.state.sessions.beside);
  CHECK(w.driver->find("beside"));
  CHECK(w.driver->find("close_beside"));
  open_beside(w.state, other);
  CHECK(w.state.notice.is_error);
  CHECK(has(w.state.notice.text,
            "the two cannot stand beside each other: one call of the baseline is"));
  CHECK(w.state.sessions.beside_path == second);  // what was there stays
  open_beside(w.state, folder / "none.jsonl");
  CHECK(w.state.notice.is_error);
  CHECK(w.state.sessions.beside);
  w.driver->frames(3);
  REQUIRE(w.driver->click("close_beside"));
  w.driver->frames(3);
  CHECK_FALSE(w.state.sessions.beside);
}

namespace {

const report::Section* section_of(const std::vector<report::Section>& all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const report::Section& one) { return one.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("a report is of the problem in view, and of the learner's own newest pair first",
          "[window]") {
  Words w;
  w.run_all();
  set_param(w.state, "n", int64_t{256});
  w.driver->frames(20);
  w.run_all();
  auto report = shown_report(w.state);
  REQUIRE(report.ok());
  CHECK(has(report->title, "the ladder at n = 256"));
  const report::Section* times = section_of(report->sections, "throughput");
  REQUIRE(times);
  CHECK(std::none_of(times->table->rows.begin(), times->table->rows.end(),
                     [](const auto& row) { return has(row.front(), "n=512"); }));
  // It says what it is of, and has the session's other ladder too.
  CHECK(report->subtitle.starts_with("this session: "));
  CHECK(has(report->subtitle, "those of GEMM at n=256"));
  const report::Section* elsewhere = section_of(report->front, "elsewhere");
  REQUIRE(elsewhere);
  REQUIRE(elsewhere->bullets.size() == 1);
  CHECK(has(elsewhere->bullets[0], "the ladder at n = "));
  CHECK_FALSE(has(elsewhere->bullets[0], "n = 256"));
  const report::Section* other = section_of(report->sections, "elsewhere-1");
  REQUIRE(other);
  REQUIRE(other->chart);
  CHECK(other->chart->id == "elsewhere-1");
  // Two pairs of a learner's rung at the size in view; the newer stands, each named by both sides.
  const Params here = w.state.run().latest("gemm.cpu.naive_o3")->params;
  for (const double ratio : {2.0, 9.5}) {
    WorkRequest request;
    request.type = RequestType::compare;
    request.lab = "gemm";
    request.cache = CacheMode::hot;
    request.kernels = {{"gemm.cpu.naive_o3", here}, {"gemm.cpu.naive_o3_edit", here}};
    REQUIRE(w.session.send(request).ok());
    const WorkRequest sent = w.session.last(RequestType::compare);
    w.session.measure(sent, 0, 1e6);
    w.session.measure(sent, 1, 1e6 / ratio);
    w.session.judge(sent, Verdict::faster, ratio);
  }
  w.session.predict({"gemm.cpu.naive_o3_edit", here, 5e5});
  w.driver->frames(3);
  report = shown_report(w.state);
  REQUIRE(report.ok());
  CHECK(report->is_of_pair);
  CHECK(has(report->title, "against three loops, -O3"));
  CHECK(has(report->headline.figure, "9.50× as fast"));
  const report::Section* pairs = section_of(report->front, "compared");
  REQUIRE(pairs);
  REQUIRE(pairs->chart->rows.size() == 1);
  CHECK(has(pairs->chart->rows[0].label, "three loops, -O3"));  // a copy of it
  CHECK(pairs->chart->rows[0].sublabel == "baseline: three loops, -O3");
  const report::Section* predicted = section_of(report->front, "predicted");
  REQUIRE(predicted);
  CHECK(predicted->bullets.size() == 1);
  // Seen from another lab's report, the learner's pair comes first.
  report::Report of_none;
  app::add_elsewhere(w.state.run(), *find_lab("conv"), {}, &of_none);
  REQUIRE(of_none.front.size() == 1);
  CHECK(has(of_none.front[0].bullets[0], "against three loops, -O3"));
  CHECK(has(of_none.front[0].bullets[0], "9.50× as fast"));
  CHECK(of_none.sections.size() == 3);  // and two ladders
}
