// What the window measures beside the ladder: A/A, assembly, counters, and all files of an export.
#include "app/query/flat_source.h"
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
  CHECK(f.state.requests.sequence.left.size() == kSelfChecks);
  CHECK(f.driver->find("progress"));

  answer(&f, kSelfChecks);
  CHECK(f.session.count(RequestType::compare) == kSelfChecks);  // and no more
  CHECK_FALSE(f.state.requests.sequence.is_open());
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
  CHECK_FALSE(f.state.requests.sequence.is_open());
  CHECK(noise_floor(f.state.run()).runs() == 3);
}

TEST_CASE("A/A: a rung that fails its check ends it, with the reason", "[window][measure]") {
  Fixture f;
  REQUIRE(perform(f.state, "self_check"));
  f.session.finish(f.session.last(RequestType::compare));  // done, and nothing judged
  f.driver->frames(3);
  CHECK_FALSE(f.state.requests.sequence.is_open());
  CHECK(f.session.count(RequestType::compare) == 1);
  CHECK(f.state.notice.is_error);
}

TEST_CASE("the source tab shows the assembly, its loop marked; S, D and L lead on",
          "[window][measure]") {
  Fixture f;
  f.driver->type(';');
  f.driver->frames(4);
  CHECK(f.state.view.tab == Tab::source);
  CHECK(f.state.view.source_form == SourceForm::assembly);
  REQUIRE(find_assembly(f.state, f.state.selection.rung));
  CHECK(f.driver->find("marked_line"));
  const size_t lines = f.session.transcript().size();
  f.driver->frames(4);
  CHECK(f.session.transcript().size() == lines);  // asked for once
  f.driver->type(';');
  f.driver->frames(2);
  CHECK(f.state.view.source_form == SourceForm::file);
  CHECK(f.driver->find("marked_line") == nullptr);
}

TEST_CASE("the flat source folds in the headers, each asked for once", "[window][measure]") {
  Fixture f;
  const std::string kernel = f.state.selection.rung, header = "kernels/runtime/problems/gemm.h",
                    inner = "kernels/runtime/cpu/team.h";
  f.session.texts[kernel] = "#include \"" + header + "\"\nint rung;\n#include \"" + inner + "\"\n";
  f.session.texts[header] = "#pragma once\n#include \"" + inner + "\"\nint outer;\n";
  f.session.texts[inner] = "#pragma once\nint inner;\n";
  (void)f.session.source(kernel);
  REQUIRE(perform(f.state, "flat_source"));
  f.driver->frames(6);
  CHECK(f.state.view.tab == Tab::source);
  const auto flat = app::flat_source(f.state.run(), *f.state.run().source(kernel));
  CHECK(flat.missing.empty());
  CHECK(flat.headers == 2);
  const size_t at = flat.text.find("int inner;");
  CHECK(at < flat.text.find("int outer;"));
  CHECK(flat.text.find("int outer;") < flat.text.find("int rung;"));
  CHECK(flat.text.find("int inner;", at + 1) == std::string::npos);
  CHECK(flat.text.find("#pragma") == std::string::npos);
  const size_t lines = f.session.transcript().size();
  f.driver->frames(4);
  CHECK(f.session.transcript().size() == lines);
  REQUIRE(perform(f.state, "source"));
  CHECK(f.state.view.source_form == SourceForm::file);
}

TEST_CASE("a text that a lost worker did not send is asked of the next one", "[window][measure]") {
  Fixture f;
  const std::string kernel = f.state.selection.rung, header = "kernels/runtime/problems/gemm.h";
  f.session.texts[kernel] = "#include \"" + header + "\"\nint rung;\n";
  f.session.texts[header] = "int outer;\n";
  (void)f.session.source(kernel);
  f.session.holds_sources = true;
  REQUIRE(perform(f.state, "flat_source"));
  f.driver->frames(4);
  const auto asked = [&] {
    return std::count(f.session.sources_asked.begin(), f.session.sources_asked.end(), header);
  };
  CHECK(asked() == 1);
  f.session.lose("it crashed");
  f.driver->frames(4);
  CHECK(asked() == 1);  // a click starts another, not a look
  f.session.holds_sources = false;
  f.session.start_again();
  f.driver->frames(6);
  CHECK(asked() == 2);
  CHECK(app::flat_source(f.state.run(), *f.state.run().source(kernel)).missing.empty());
}

TEST_CASE("no disassembler: the tab says so, and asks once", "[window][measure]") {
  Fixture f;
  f.session.no_assembly = "objdump: it is not installed";
  f.driver->type(';');
  f.driver->frames(4);
  CHECK(find_assembly(f.state, f.state.selection.rung) == nullptr);
  CHECK(f.driver->find("marked_line") == nullptr);
  const Request* asked =
      f.state.run().request(f.state.requests.assembly.at(f.state.selection.rung));
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
  f.state.settings.export_root = folder.path;
  f.run_all();
  REQUIRE(perform(f.state, "export"));
  for (const char* name : {"report.html", "report.md", "report.json", "report.csv",
                           "report.gbench.json", "report.trace.json", "run.jsonl"}) {
    INFO(name);
    CHECK(read_text(f.state.history.last_export + "/" + name).value_or("").size() > 100);
  }
  const auto bench =
      parse_json(*read_text(f.state.history.last_export + "/report.gbench.json"), "");
  REQUIRE(bench);
  CHECK(bench->contains("benchmarks"));
}

TEST_CASE("a running rung shows what its samples come to so far, without a copy of them",
          "[window][measure]") {
  Fixture f;
  f.driver->key(compat::Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  const std::string rung = request.kernels[0].kernel;
  f.session.feed_samples(request.id, 0, 20, 1e6);
  f.driver->frames(2);
  const RungView* row = find_row(f.state.ladder, rung);
  REQUIRE(row->series);
  REQUIRE(row->series->stats);
  CHECK(row->series->stats->n == 20);
  CHECK(row->series->samples.empty());
  REQUIRE(row->kept->samples.size() == 20);
  CHECK_FALSE(row->kept->stats);
  CHECK(row->kept ==
        &f.state.run().series()[f.state.run().series().size() - request.kernels.size()]);

  // The same summary for as long as no sample comes, however often the ladder is made again.
  const Series *shown = row->series, *kept = row->kept;
  rebuild_ladder(f.state);
  CHECK(find_row(f.state.ladder, rung)->series == shown);
  f.session.feed_samples(request.id, 0, 20, 1e6);
  f.driver->frames(20);
  CHECK(find_row(f.state.ladder, rung)->kept == kept);
  CHECK(find_row(f.state.ladder, rung)->series->stats->n == 40);
}

TEST_CASE("telemetry and progress leave the ladder and its charts alone", "[window][measure]") {
  Fixture f;
  f.driver->key(compat::Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  f.session.feed_samples(request.id, 0, 20, 1e6);
  f.session.progress(request.id);
  f.driver->frames(20);
  const uint64_t version = f.state.ladder.version;
  for (int i = 0; i < 5; ++i) {
    f.session.telemetry({{.t_s = double(i), .values = {{"process_cpus", 1}}}});
    f.session.progress(request.id);
    f.driver->frames(5);
  }
  CHECK(f.state.ladder.version == version);
  CHECK(f.state.run().telemetry().size() == 5);
}

TEST_CASE("a row's series stays where it is while requests are sent in the middle of a frame",
          "[window][measure]") {
  Fixture f;
  f.run_all();
  const RungView& row = f.state.ladder.rows.front();
  const Series* series = row.series;
  const double median_ns = series->stats->median_ns;
  for (int i = 0; i < 200; ++i) {
    run_selected(f.state);
    f.session.finish(f.session.last(RequestType::run), "cancelled");
  }
  CHECK(row.series == series);
  CHECK(row.series->stats->median_ns == median_ns);
}

TEST_CASE("recordings that come after the first frame leave the choice as it is",
          "[window][measure]") {
  Fixture f;
  f.run_all();
  f.state.sessions.recordings.clear();
  const std::string chosen = f.state.selection.rung;
  take_recordings(f.state, app::load_recordings(app::asset_folder("recorded"), nullptr));
  f.driver->frames(2);
  CHECK(f.state.sessions.recordings.size() > 10);
  CHECK(f.state.selection.rung == chosen);
}

}  // namespace
