// Every action of the window, driven headless: by its key, by its button, and by what must not work.
#include "app/window/shell/window.h"

#include <tuple>

#include "app/query/recordings.h"
#include "app/window/shell/export.h"
#include "app/window/shell/settings.h"
#include "app/window/views/chart_rows.h"
#include "tests/window_action_cases.h"
#include "tests/window_fixture.h"
#include "tests/window_fold_cases.h"
#include "tests/window_hand_cases.h"
#include "tests/window_table_cases.h"
#include "tests/window_telemetry_cases.h"
#include "tests/window_text_cases.h"
#include "tests/window_view_cases.h"

namespace ridge::test {
namespace {

using namespace ridge::window;
using compat::Key;

int marks(const Fixture& fixture) {
  int count = 0;
  for (const chart::Primitive& p : fixture.driver->shell().chart_scene().primitives) {
    const bool is_mark =
        p.kind == chart::Primitive::Kind::rect || p.kind == chart::Primitive::Kind::marker;
    count += is_mark && p.role == chart::Role::series0;
  }
  return count;
}

TEST_CASE("opening asks for the catalogue, the sources and the estimates", "[window]") {
  Fixture f;
  const auto& rungs = find_lab("gemm")->rungs;
  CHECK(static_cast<ptrdiff_t>(f.state.ladder.rows.size()) ==
        std::count_if(rungs.begin(), rungs.end(), [](const Rung& rung) { return !rung.branch; }));
  CHECK(f.state.run().catalogue_complete());
  CHECK(find_source(f.state, "gemm.cpu.naive_o1") != nullptr);
  CHECK(f.session.estimates() == 1);
  const RungView* row = find_row(f.state.ladder, "gemm.cpu.naive_o1");
  REQUIRE(row);
  REQUIRE(row->estimate);
  CHECK(row->estimate->total_s == 2.0);
  CHECK(row->reason == "not run yet");
  CHECK(find_row(f.state.ladder, "gemm.cuda.naive")->reason == "no CUDA device");
  CHECK(f.driver->triangles() > 1000);
}

TEST_CASE(
    "every lab opens at a rung that is meant to be right, also one whose ladder begins with a "
    "wrong one",
    "[window]") {
  Fixture f;
  for (const Lab* lab : all_labs()) {
    open_lab(f.state, lab->id);
    f.driver->frames(2);
    INFO(lab->id << ": " << f.state.selection.rung);
    const Rung* rung = rung_of(f.state.selection.rung);
    REQUIRE(rung);
    CHECK_FALSE(rung->wrong);
  }
  CHECK(first_rung(*find_lab("conv")).kernel == std::string("conv.cpu.direct"));
}

TEST_CASE("F5 runs what can run, once, with the chosen parameters", "[window]") {
  Fixture f;
  REQUIRE(f.driver->click("n=256"));
  f.driver->key(Key::f5);
  REQUIRE(f.session.count(RequestType::run) == 1);
  const WorkRequest request = f.session.last(RequestType::run);
  CHECK(request.kernels.size() == cpu_rungs());
  for (const KernelRequest& kernel : request.kernels) {
    CHECK(kernel.kernel.find(".cpu.") != std::string::npos);
    CHECK(param_int(kernel.params, "n") == 256);
  }
  // The worker measures the ceilings after its first results: nothing stands before those.
  for (const WorkRequest& sent : f.session.sent)
    CHECK((sent.type == RequestType::run || !sent.kernels.empty()));
  f.driver->key(Key::f5);
  CHECK(f.session.count(RequestType::run) == 1);
  CHECK(f.state.notice.text.find("running") != std::string::npos);
}

TEST_CASE("a climb runs every rung at the lab's first look, live, whatever was chosen before",
          "[window]") {
  Fixture f;
  REQUIRE(f.driver->click("n=2048"));
  f.driver->type('h');
  REQUIRE(perform(f.state, "climb"));
  const WorkRequest request = f.session.last(RequestType::run);
  CHECK(request.mode == RunMode::live);
  REQUIRE(request.kernels.size() == cpu_rungs());
  for (const KernelRequest& kernel : request.kernels) CHECK(param_int(kernel.params, "n") == 512);
  CHECK(f.state.view.screen == ScreenId::lab);
}

TEST_CASE("rungs of one lab keep defaults of their own until something is chosen", "[window]") {
  FakeSession::lab = "weightless";
  Fixture f;
  FakeSession::lab = "gemm";
  f.driver->key(Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() > 10);
  for (const KernelRequest& kernel : request.kernels) {
    INFO(kernel.kernel);
    CHECK(resolve_params(FakeSession::info(kernel.kernel).params, kernel.params, "family").ok());
  }
  f.session.finish(request);
  f.driver->frames(3);
  select_rung(f.state, "bloom.cpu.counting");
  CHECK(param_int(shown_params(f.state), "tuple") == 28);
  select_rung(f.state, "wisard.cpu.packed");
  CHECK(param_int(shown_params(f.state), "tuple") == 12);
  set_param(f.state, "tuple", int64_t{8});
  select_rung(f.state, "bloom.cpu.counting");
  CHECK(param_int(shown_params(f.state), "tuple") == 8);
  // The title names what the selected rung takes, and nothing else.
  CHECK(title_params(f.state).contains("tuple"));
  select_rung(f.state, "mlp.cpu.sgemm");
  CHECK_FALSE(title_params(f.state).contains("tuple"));
  CHECK(shown_params(f.state).contains("tuple"));
  // Another lab and back: what was chosen is still chosen.
  open_lab(f.state, "gemm");
  open_lab(f.state, "weightless");
  CHECK(param_int(shown_params(f.state), "tuple") == 8);
}

TEST_CASE("a comparison leaves the ladder's results alone, whatever becomes of its sides",
          "[window]") {
  Fixture f;
  f.run_all();
  const auto shown_ns = [&](const char* kernel) {
    const RungView* row = find_row(f.state.ladder, kernel);
    return row->series && row->series->stats ? row->series->stats->median_ns : 0;
  };
  const double first_ns = shown_ns("gemm.cpu.naive_o1"), second_ns = shown_ns("gemm.cpu.naive_o3");
  REQUIRE(first_ns > second_ns);
  f.driver->type('b');
  f.driver->type(']');
  for (const bool passes : {true, false}) {
    f.driver->type('c');
    const WorkRequest request = f.session.last(RequestType::compare);
    f.session.measure(request, 0, 7 * first_ns);
    f.session.measure(request, 1, 7 * second_ns, passes);
    f.session.finish(request, passes ? "ok" : "failed");
    f.driver->frames(3);
    CHECK(shown_ns("gemm.cpu.naive_o1") == first_ns);
    CHECK(shown_ns("gemm.cpu.naive_o3") == second_ns);
  }
}

TEST_CASE("the Run button does what F5 does", "[window]") {
  Fixture f;
  REQUIRE(f.driver->click("run"));
  CHECK(f.session.count(RequestType::run) == 1);
  CHECK(f.driver->find("run") == nullptr);  // Cancel stands in its place
  REQUIRE(f.driver->find("cancel"));
  f.session.progress(f.session.last(RequestType::run).id);
  f.driver->frames();
  CHECK(f.driver->find("progress") != nullptr);
}

TEST_CASE("Ctrl F5 runs the selected rung alone", "[window]") {
  Fixture f;
  f.driver->type(']');
  f.driver->key(Key::f5, true);
  REQUIRE(f.session.last(RequestType::run).kernels.size() == 1);
  CHECK(f.session.last(RequestType::run).kernels[0].kernel == "gemm.cpu.naive_o3");
}

TEST_CASE("Esc cancels the run, and says so when nothing runs", "[window]") {
  Fixture f;
  f.driver->key(Key::escape);
  CHECK(f.session.cancelled.empty());
  f.driver->key(Key::f5);
  f.driver->key(Key::escape);
  const WorkRequest request = f.session.last(RequestType::run);
  CHECK(f.session.cancelled == std::vector<int64_t>{request.id});
  f.session.finish(request, "cancelled");
  f.driver->frames();
  CHECK(f.state.requests.run == 0);
  CHECK(f.driver->find("run") != nullptr);
  for (const RungView& row : f.state.ladder.rows) {
    if (row.can_run) CHECK(row.reason == "not run yet");
  }
}

TEST_CASE("results become bars, and a failed check does not", "[window]") {
  Fixture f;
  const int before = marks(f);
  f.driver->key(Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 1e6);
  f.driver->frames();
  const int one = marks(f);
  CHECK(one > before);
  f.session.measure(request, 1, 1e6, false);
  f.driver->frames();
  CHECK(find_row(f.state.ladder, "gemm.cpu.naive_o3")->series->status == SeriesStatus::failed);
  CHECK(marks(f) == one);
}

TEST_CASE("samples show before the result does", "[window]") {
  Fixture f;
  f.driver->key(Key::f5);
  const int before = marks(f);
  f.session.feed_samples(f.session.last(RequestType::run).id, 0, 12, 5e5);
  f.driver->frames();
  const RungView* row = find_row(f.state.ladder, "gemm.cpu.naive_o1");
  REQUIRE(row->series);
  REQUIRE(row->series->stats);
  CHECK(row->series->stats->median_ns == Approx(5e5).epsilon(0.01));
  CHECK(marks(f) > before);
}

TEST_CASE("rungs are selected by key, in the rail and in the chart", "[window]") {
  Fixture f(1600, 1080);  // as tall as it takes for oneDNN to be in view below the labs
  CHECK(f.state.selection.rung == "gemm.cpu.naive_o1");
  f.driver->type('[');
  CHECK(f.state.selection.rung == "gemm.cpu.naive_o1");
  f.driver->type(']');
  CHECK(f.state.selection.rung == "gemm.cpu.naive_o3");
  REQUIRE(f.driver->click("rung:gemm.cpu.onednn"));
  CHECK(f.state.selection.rung == "gemm.cpu.onednn");
  f.run_all();
  REQUIRE(f.driver->click("chart:gemm.cpu.loop_order:0"));
  CHECK(f.state.selection.rung == "gemm.cpu.loop_order");
}

TEST_CASE("a comparison needs a baseline, sends it first and shows the verdict", "[window]") {
  Fixture f;
  f.driver->type('c');
  CHECK(f.session.count(RequestType::compare) == 0);
  CHECK(f.state.notice.text.find("baseline") != std::string::npos);
  f.driver->type('b');
  CHECK(f.state.selection.baseline == "gemm.cpu.naive_o1");
  select_rung(f.state, "gemm.cpu.loop_order");
  f.driver->frames();
  REQUIRE(f.driver->click("compare"));
  const WorkRequest request = f.session.last(RequestType::compare);
  REQUIRE(request.kernels.size() == 2);
  CHECK(request.kernels[0].kernel == "gemm.cpu.naive_o1");
  CHECK(request.kernels[1].kernel == "gemm.cpu.loop_order");
  CHECK(shown_comparison(f.state, nullptr) == nullptr);
  f.session.judge(request, Verdict::faster, 4);
  f.driver->frames();
  const Comparison* shown = shown_comparison(f.state, nullptr);
  REQUIRE(shown);
  CHECK(shown->ratio == 4);
  // At another size nothing was compared, and the verdict does not carry over.
  REQUIRE(f.driver->click("n=1024"));
  CHECK(shown_comparison(f.state, nullptr) == nullptr);
  REQUIRE(f.driver->click("clear_baseline"));
  CHECK(f.state.selection.baseline.empty());
}

TEST_CASE("a rung that cannot run here is not compared", "[window]") {
  Fixture f;
  f.driver->type('b');
  select_rung(f.state, "gemm.cuda.naive");
  f.driver->type('c');
  CHECK(f.session.count(RequestType::compare) == 0);
  CHECK(f.state.notice.text.find("cannot run") != std::string::npos);
}

TEST_CASE("tabs open by click and by key", "[window]") {
  Fixture f;
  REQUIRE(f.driver->click("source"));
  CHECK(f.state.view.tab == Tab::source);
  f.driver->type('d');
  CHECK(f.state.view.tab == Tab::diff);
  REQUIRE(f.driver->click("lesson"));
  CHECK(f.state.view.tab == Tab::lesson);
  for (const Rung& rung : f.state.selection.lab->rungs) {  // each tab of each rung draws
    select_rung(f.state, rung.kernel);
    for (const char key : {'l', 's', 'd'}) f.driver->type(key);
  }
  CHECK(f.driver->triangles() > 1000);
}

TEST_CASE("a parameter change hides other sizes and asks for estimates once", "[window]") {
  Fixture f;
  f.run_all();
  CHECK(find_row(f.state.ladder, "gemm.cpu.naive_o1")->series != nullptr);
  const int asked = f.session.estimates();
  for (const char* stop : {"n=128", "n=256", "n=1024"})
    set_param(f.state, "n", std::stoll(stop + 2));
  f.driver->frames(2);
  CHECK(find_row(f.state.ladder, "gemm.cpu.naive_o1")->series == nullptr);
  CHECK(f.session.estimates() == asked);  // not while it may still be dragged
  f.driver->frames(30);
  CHECK(f.session.estimates() == asked + 1);
  REQUIRE(f.driver->click("cache=cold"));
  CHECK(f.state.selection.cache == CacheMode::cold);
  REQUIRE(f.driver->click("mode=live"));
  f.driver->key(Key::f5);
  CHECK(f.session.last(RequestType::run).mode == RunMode::live);
  CHECK(f.session.last(RequestType::run).cache == CacheMode::cold);
}

TEST_CASE("a lost worker keeps its results greyed, and F5 starts again", "[window]") {
  Fixture f;
  f.run_all();
  f.driver->key(Key::f5);
  f.session.lose("the worker ended with signal 11");
  f.driver->frames();
  CHECK(f.state.requests.run == 0);
  const RungView* row = find_row(f.state.ladder, "gemm.cpu.naive_o1");
  REQUIRE(row->series);
  CHECK(row->greyed);
  CHECK(f.state.notice.text.find("signal 11") != std::string::npos);
  const int runs = f.session.count(RequestType::run);
  f.driver->key(Key::f5);
  CHECK(f.session.count(RequestType::run) == runs + 1);
}

TEST_CASE("export writes every format and says where, or why not", "[window]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.settings.export_root = folder.path;
  f.driver->key(Key::e, true);
  CHECK(f.state.notice.text.find("nothing to export") != std::string::npos);
  f.run_all();
  f.driver->key(Key::e, true);
  REQUIRE(!f.state.history.last_export.empty());
  CHECK(f.state.written.folder == f.state.history.last_export);
  for (const char* name : {"report.html", "report.md", "report.json", "report.csv", "run.jsonl"}) {
    INFO(name);
    const auto text = read_text(f.state.history.last_export + "/" + name);
    REQUIRE(text);
    CHECK(text->size() > 100);
  }
  f.state.settings.export_root =
      "/proc/ridgepoint";  // nobody can make a folder there, not even root
  REQUIRE(f.driver->click("export"));
  CHECK(f.state.notice.is_error);
  CHECK(f.state.notice.text.find("/proc/ridgepoint") != std::string::npos);
}

TEST_CASE("theme, scale and panel widths are remembered; a damaged file is not believed",
          "[window]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.settings.path = folder.path + "/deep/settings.json";
  f.driver->type('t');
  f.driver->key(Key::plus, true);
  CHECK(f.state.appearance.light_theme);
  CHECK(f.state.appearance.scale > 1);
  REQUIRE(f.driver->drag("split_left", 60, 0));
  State again;
  again.settings.path = f.state.settings.path;
  load_settings(&again);
  CHECK(again.appearance.light_theme);
  CHECK(again.appearance.scale == f.state.appearance.scale);
  CHECK(again.appearance.left_width > 250);
  std::ofstream(again.settings.path) << "{\"scale\": 99, \"theme\": 7, \"left_width\": null";
  State fresh;
  fresh.settings.path = again.settings.path;
  load_settings(&fresh);
  CHECK(fresh.appearance.scale == 1);
  std::ofstream(again.settings.path) << "{\"scale\": 99, \"theme\": 7, \"left_width\": null}";
  load_settings(&fresh);
  CHECK(fresh.appearance.scale == 3);
  CHECK_FALSE(fresh.appearance.light_theme);
}

TEST_CASE("a replayed transcript shows the same picture", "[window]") {
  Fixture live;
  live.run_all();
  live.driver->type('b');
  select_rung(live.state, "gemm.cpu.loop_order");
  live.driver->type('c');
  live.session.judge(live.session.last(RequestType::compare), Verdict::faster, 4);
  live.driver->frames(3);
  const TemporaryFolder folder;
  REQUIRE(live.session.save(folder.path + "/run.jsonl"));
  const chart::Scene scene = live.driver->shell().chart_scene();
  live.driver.reset();  // one ImGui context at a time

  auto session = app::Session::replay(folder.path + "/run.jsonl", {});  // its hashes are made up
  REQUIRE(session);
  State state;
  state.sessions.shown = session->get();
  open_lab(state, "");
  Headless driver(state);
  driver.frames(3);
  CHECK(state.selection.rung == "gemm.cpu.loop_order");
  CHECK(state.selection.baseline == "gemm.cpu.naive_o1");
  REQUIRE(shown_comparison(state, nullptr));
  REQUIRE(state.ladder.rows.size() == live.state.ladder.rows.size());
  CHECK(same_scene(driver.shell().chart_scene(), scene));
  driver.key(Key::f5);
  CHECK(state.notice.text.find("saved run") != std::string::npos);
}

TEST_CASE("GPU rungs show the recording: named, at its size, stale where the kernel changed",
          "[window]") {
  const std::string naive = "gemm.cuda.naive", tile = "gemm.cuda.shared_tile";
  Transcript lines;
  lines.worker("hello", {{"version", "0"}});
  lines.worker("env", {{"environment", environment()}, {"when", "before"}});
  WorkRequest request = request_for(RequestType::run, 4);
  request.kernels = {{naive, {{"n", int64_t{1024}}}},
                     {naive, {{"n", int64_t{4096}}}},
                     {tile, {{"n", int64_t{4096}}}}};
  lines.send(request);
  std::string hash;
  for (int i = 0; i < 3; ++i) {
    const KernelRequest& asked = request.kernels[static_cast<size_t>(i)];
    Series series = outcome(4, i, asked.kernel);
    series.params["n"] = asked.params.at("n");
    if (i == 2)
      series.hash = "an older one";
    else
      hash = series.hash;
    lines.worker("result", with(about(4, i), "outcome", series));
  }
  auto run = std::make_shared<Run>();
  for (const std::string& line : lines.lines) run->apply_line(line);
  const RungHash now[] = {{naive.c_str(), hash.c_str()}, {tile.c_str(), hash.c_str()}};
  run->mark_stale(now);
  Fixture f;
  f.state.sessions.recordings = {{"h200.jsonl", "NVIDIA H200", "GEMM", run}};
  f.state.ladder.dirty = true;
  f.driver->frames();
  // Until a size is chosen, GPU rungs stand at the one where they climb, which is not the CPU's.
  CHECK(param_int(shown_params(f.state), "n") == 512);
  CHECK(param_int(find_row(f.state.ladder, naive)->series->params, "n") == 4096);
  CHECK(find_row(f.state.ladder, naive)->shown_size == "n = 4096");
  set_param(f.state, "n", int64_t{4096});
  f.driver->frames();
  CHECK(find_row(f.state.ladder, naive)->machine == "NVIDIA H200");
  CHECK(find_row(f.state.ladder, naive)->shown_size.empty());
  set_param(f.state, "n", int64_t{8192});
  f.driver->frames();
  const RungView* row = find_row(f.state.ladder, naive);
  CHECK(row->origin == Origin::recorded);
  CHECK(row->shown_size == "n = 4096");
  CHECK_FALSE(row->stale());
  CHECK(find_row(f.state.ladder, tile)->stale());
  // Where there is little room the machine's name goes, not the size.
  const ChartRows charted = ladder_rows(f.state);
  for (size_t i = 0; i < charted.rows.size(); ++i)
    if (charted.kernels[i] == naive)
      CHECK(charted.rows[i].sublabel == "at n = 4096, " + app::short_machine("NVIDIA H200"));
  // What can be measured here is never taken from another machine.
  CHECK(find_row(f.state.ladder, "gemm.cpu.naive_o1")->origin == Origin::none);
}

TEST_CASE("every widget stays inside the window at every size and scale", "[window]") {
  for (const auto& [width, height, scale] : {std::tuple{1600.f, 1000.f, 1.f},
                                             {1280.f, 800.f, 1.f},
                                             {1600.f, 1000.f, 1.6f},
                                             {3200.f, 2000.f, 3.f},
                                             {1024.f, 640.f, 0.75f}}) {
    Fixture f(width, height);
    f.run_all();
    f.state.appearance.scale = scale;
    f.driver->type('b');
    f.driver->type(']');
    f.driver->type('c');
    f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 4);
    f.driver->frames(4);
    INFO(width << " x " << height << " at " << scale);
    for (const char* name : {"run", "compare", "export", "log", "show_shortcuts", "lesson",
                             "source", "diff", "baseline"}) {
      INFO(name);
      const Area* area = f.driver->find(name);
      REQUIRE(area);
      CHECK(area->x >= 0);
      CHECK(area->y >= 0);
      CHECK(area->right() <= width);
      CHECK(area->bottom() <= height);
    }
    CHECK(f.driver->find("baseline")->right() <= f.driver->find("compare")->x);
    REQUIRE(f.driver->find("verdict"));
    CHECK(f.driver->find("verdict")->bottom() <= f.driver->find("log")->y);
  }
}

TEST_CASE("an unknown scene is a usage error and names what exists", "[window]") {
  CHECK(shot({.scenes = {"nowhere"}, .out = "/dev/null"}) == 64);
  CHECK(shot({.scenes = {"lab"}, .out = "/dev/null", .replay = "/nowhere.jsonl"}) == 65);
}

}  // namespace
}  // namespace ridge::test
