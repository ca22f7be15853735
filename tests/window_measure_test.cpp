// What the window measures beside the ladder: A/A, assembly, counters, and all files of an export.
#include "app/window/shell/export.h"
#include "common/record/noise_floor.h"
#include "common/view/report/report.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;
using namespace ridge::window;

namespace {

/// Answers `count` comparisons of a rung with itself; every tenth is off by 1.5 %.
void answer(Fixture* f, int count) {
  for (int i = 0; i < count; ++i) {
    const WorkRequest request = f->session.last(RequestType::compare);
    f->session.judge(request, Verdict::unresolved, i % 10 == 9 ? 1.015 : 1.0005);
    f->driver->frames(2);
  }
}

TEST_CASE("A/A: a button on Machine, a hundred comparisons, the noise floor", "[window][measure]") {
  Fixture f;
  f.run_all();
  f.driver->type('m');
  f.driver->frames(2);
  REQUIRE(f.driver->find("self_check"));
  REQUIRE(f.driver->click("self_check"));
  const WorkRequest first = f.session.last(RequestType::compare);
  CHECK(first.margin == 0.0);
  REQUIRE(first.kernels.size() == 2);
  CHECK(first.kernels[0].kernel == kSelfCheckRung);
  CHECK(first.kernels[0].params == first.kernels[1].params);
  CHECK(f.state.aa_left == kSelfChecks);
  CHECK(f.driver->find("progress"));

  answer(&f, kSelfChecks);
  CHECK(f.session.count(RequestType::compare) == kSelfChecks);  // and no more
  CHECK(f.state.aa_left == 0);
  const NoiseFloor floor = noise_floor(f.state.run());
  CHECK(floor.runs() == kSelfChecks);
  CHECK(floor.false_at_zero == 10);
  CHECK(floor.false_at_margin == 0);
  CHECK_FALSE(floor.holds());  // 10 of 100 are more than chance
  CHECK(f.state.notice.text == floor.sentence());
  f.driver->frames(2);
  CHECK(f.driver->find("noise")->h > 200);  // with the chart of the ratios

  // A saved run holds it; no claim and no row of the Compare screen is made of it.
  Run replayed;
  for (const std::string& line : f.session.transcript()) replayed.apply_line(line);
  CHECK(noise_floor(replayed).ratios == floor.ratios);
  const auto report = shown_report(f.state);
  REQUIRE(report);
  CHECK(report->claims.empty());
  f.driver->type('v');
  f.driver->frames(2);
  CHECK(f.driver->find("verdict") == nullptr);
}

TEST_CASE("A/A: Esc ends it after the one in hand; what was made stays", "[window][measure]") {
  Fixture f;
  REQUIRE(perform(f.state, "self_check"));
  answer(&f, 3);
  CHECK(f.session.count(RequestType::compare) == 4);
  CHECK_FALSE(perform(f.state, "self_check"));  // it is busy with the first
  f.driver->key(compat::Key::escape);
  const WorkRequest open = f.session.last(RequestType::compare);
  REQUIRE(f.session.cancelled.size() >= 1);
  CHECK(f.session.cancelled.back() == open.id);
  f.session.finish(open, "cancelled");
  f.driver->frames(3);
  CHECK(f.session.count(RequestType::compare) == 4);
  CHECK(f.state.aa_left == 0);
  CHECK(noise_floor(f.state.run()).runs() == 3);
}

TEST_CASE("A/A: a rung that fails its check ends it, with the reason", "[window][measure]") {
  Fixture f;
  REQUIRE(perform(f.state, "self_check"));
  f.session.finish(f.session.last(RequestType::compare));  // done, and nothing judged
  f.driver->frames(3);
  CHECK(f.state.aa_left == 0);
  CHECK(f.session.count(RequestType::compare) == 1);
  CHECK(f.state.notice.is_error);
}

TEST_CASE("the source tab shows the assembly, its loop marked; S, D and L lead on",
          "[window][measure]") {
  Fixture f;
  f.driver->type(';');
  f.driver->frames(4);
  CHECK(f.state.view.tab == Tab::source);
  CHECK(f.state.view.assembly);
  REQUIRE(find_assembly(f.state, f.state.view.rung));
  CHECK(f.driver->find("marked_line"));
  const size_t lines = f.session.transcript().size();
  f.driver->frames(4);
  CHECK(f.session.transcript().size() == lines);  // asked for once
  f.driver->type(';');
  f.driver->frames(2);
  CHECK_FALSE(f.state.view.assembly);
  CHECK(f.driver->find("marked_line") == nullptr);
}

TEST_CASE("no disassembler: the tab says so, and asks once", "[window][measure]") {
  Fixture f;
  f.session.no_assembly = "objdump: it is not installed";
  f.driver->type(';');
  f.driver->frames(4);
  CHECK(find_assembly(f.state, f.state.view.rung) == nullptr);
  CHECK(f.driver->find("marked_line") == nullptr);
  const Request* asked = f.state.run().request(f.state.assembly_asked.at(f.state.view.rung));
  REQUIRE(asked);
  REQUIRE(asked->error);
  CHECK(asked->error->what == f.session.no_assembly);
  const size_t lines = f.session.transcript().size();
  f.driver->frames(4);
  CHECK(f.session.transcript().size() == lines);
}

TEST_CASE("the counters' switch goes with every run", "[window][measure]") {
  Fixture f;
  f.driver->key(compat::Key::f5);
  CHECK_FALSE(f.session.last(RequestType::run).counters);
  f.session.finish(f.session.last(RequestType::run), "cancelled");
  f.driver->frames(2);
  REQUIRE(perform(f.state, "counters"));
  f.driver->key(compat::Key::f5);
  CHECK(f.session.last(RequestType::run).counters);
}

TEST_CASE("export writes every file that the command line's report writes", "[window][measure]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.export_root = folder.path;
  f.run_all();
  REQUIRE(perform(f.state, "export"));
  for (const char* name : {"report.html", "report.md", "report.json", "report.csv",
                           "report.gbench.json", "report.trace.json", "run.jsonl"}) {
    INFO(name);
    CHECK(read_text(f.state.last_export + "/" + name).value_or("").size() > 100);
  }
  const auto bench = parse_json(*read_text(f.state.last_export + "/report.gbench.json"), "");
  REQUIRE(bench);
  CHECK(bench->contains("benchmarks"));
}

}  // namespace
