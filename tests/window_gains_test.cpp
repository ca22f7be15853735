// The view Gains: bars of speed from zero, and by a key times on a logarithmic axis.
#include <algorithm>

#include "app/window/shell/settings.h"
#include "app/window/views/view.h"
#include "tests/program.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;
using namespace ridge::window;

namespace {

chart::ChartModel shown_chart(const State& state) {
  ChartRows rows;
  return centre_chart(state, &rows);
}

}  // namespace

TEST_CASE("a key switches Gains to times on a log axis as dots, and back; the choice is kept",
          "[window]") {
  const TemporaryFolder folder;
  Fixture f;
  f.state.settings.path = folder.path + "/settings.json";
  f.run_all();
  f.state.selection.view = &kGainsView;
  f.driver->frames(2);
  const chart::ChartModel bars = shown_chart(f.state);
  CHECK(bars.panels[0].axis.scale == chart::Scale::linear);
  CHECK(bars.panels[0].axis.low == 0);
  REQUIRE(bars.panels[0].marks.size() > 3);
  f.driver->type('/');
  const chart::ChartModel times = shown_chart(f.state);
  const chart::Panel& panel = times.panels[0];
  CHECK(panel.axis.scale == chart::Scale::log);
  CHECK(panel.axis.unit == "s");
  CHECK(panel.axis.low > 0);
  REQUIRE(panel.marks.size() == bars.panels[0].marks.size());
  for (const chart::Mark& mark : panel.marks) CHECK(mark.marker == chart::Marker::dot);
  // Each is twice as fast as the one before: 1 ms, 0.5 ms ...
  CHECK(panel.marks[0].value == Approx(1e-3));
  CHECK(panel.marks[1].value == Approx(0.5e-3));
  REQUIRE(panel.marks[0].interval);
  CHECK(panel.marks[0].interval->low == Approx(0.99e-3));
  CHECK(std::any_of(times.legend.begin(), times.legend.end(), [](const std::string& words) {
    return words.find("no zero") != std::string::npos;
  }));
  // What a step brought stays, and the speed stands where the time stood.
  CHECK(times.panels[1].row_reasons == bars.panels[1].row_reasons);
  CHECK(bars.panels[2].title == "Time");
  CHECK(times.panels[2].title == "Speed");
  CHECK(f.driver->triangles() > 0);

  State again;
  again.settings.path = f.state.settings.path;
  load_settings(&again);
  CHECK(again.appearance.log_time);
  f.driver->type('/');
  CHECK(shown_chart(f.state).panels[0].axis.scale == chart::Scale::linear);
  load_settings(&again);
  CHECK_FALSE(again.appearance.log_time);
  // From another view the key leads to it.
  f.driver->type('n');
  REQUIRE(f.state.selection.view == &kSizesView);
  f.driver->type('/');
  CHECK(f.state.selection.view == &kGainsView);
  CHECK(shown_chart(f.state).panels[0].axis.scale == chart::Scale::log);
}

TEST_CASE("a pair with the rung before stands in Gains where that one is no step itself",
          "[window]") {
  Fixture f;
  open_run(f.state, variable("RIDGE_SOURCE") +
                        "/assets/recorded/gemm.intel_r_xeon_r_processor.lesson.jsonl");
  f.driver->frames(4);
  select_rung(f.state, "gemm.cpu.inner_product");
  f.state.selection.view = &kGainsView;
  f.driver->frames(2);
  const chart::ChartModel model = shown_chart(f.state);
  const auto row = std::find_if(model.rows.begin(), model.rows.end(),
                                [](const auto& one) { return one.label == "inner product"; });
  REQUIRE(row != model.rows.end());
  const std::string step = model.panels[1].row_reasons[row - model.rows.begin()];
  INFO(step);
  CHECK(step.find("0.794") != std::string::npos);  // in turns with "threads", as the report has it
}

TEST_CASE("a library of another part stands beside the rungs whose type it was measured in",
          "[window]") {
  Fixture f;
  open_run(f.state, variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.fp32_large.jsonl");
  f.driver->frames(4);
  select_rung(f.state, "gemm.cuda.naive");
  f.state.selection.view = &kGainsView;
  f.driver->frames(2);
  const auto count = [&](const std::string& label) {
    const chart::ChartModel model = shown_chart(f.state);
    return std::count_if(model.rows.begin(), model.rows.end(),
                         [&](const auto& row) { return row.label == label; });
  };
  for (const char* library : {"cuBLAS", "cuBLASLt", "CUTLASS"}) {
    INFO(library);
    CHECK(count(library) == 1);
  }
  CHECK(count("WMMA") == 0);
}

TEST_CASE("rungs of whole numbers count operations in Gains, others floating-point ones",
          "[window]") {
  Fixture f;
  open_run(f.state,
           variable("RIDGE_SOURCE") + "/assets/recorded/gemm.intel_r_xeon_r_processor.jsonl");
  f.driver->frames(4);
  f.state.selection.view = &kGainsView;
  const auto unit_of = [&](const char* rung) {
    select_rung(f.state, rung);
    f.driver->frames(2);
    return shown_chart(f.state).panels[0].axis.unit;
  };
  CHECK(unit_of("gemm.cpu.avx512_vnni") == "OP/s");
  CHECK(unit_of("gemm.cpu.threads") == "FLOP/s");
}

TEST_CASE("a bound that a loader went over is said to be none", "[window]") {
  Fixture f;
  open_run(f.state,
           variable("RIDGE_SOURCE") + "/assets/recorded/pipeline.intel_r_xeon_r_processor.jsonl");
  f.driver->frames(4);
  select_rung(f.state, "pipeline.cpu.serial");
  f.state.selection.view = &kGainsView;
  f.driver->frames(2);
  const chart::ChartModel model = shown_chart(f.state);
  REQUIRE(model.panels.size() > 3);
  const auto& shares = model.panels[3].row_reasons;
  const bool is_over = std::any_of(shares.begin(), shares.end(), [](const std::string& share) {
    return share.starts_with("10") && share.size() > 4;  // "102 %"
  });
  const bool is_said = std::any_of(model.legend.begin(), model.legend.end(), [](const auto& words) {
    return words.starts_with("over 100 %: its stages");
  });
  CHECK(is_over);
  CHECK(is_said);
}

TEST_CASE("a rung of another machine or size has its figure in words, and no bar on this axis",
          "[window]") {
  Fixture f;
  const WorkRequest asked = request_for(RequestType::run, 7);
  const auto recorded = [&](const char* kernel, int64_t n) {
    FakeSession session;
    WorkRequest request = asked;
    request.kernels = {{kernel, {{"n", n}}}};
    (void)session.list();
    (void)session.send(request);
    session.measure(session.last(RequestType::run), 0, 1e6);
    auto run = std::make_shared<Run>();
    for (const std::string& line : session.transcript()) run->apply_line(line);
    return Recording{std::string("/r/") + kernel, "Machine A", "GEMM", run, ""};
  };
  f.state.sessions.recordings = {recorded("gemm.cuda.naive", 2048),
                                 recorded("gemm.cuda.coalesced", 2048),
                                 recorded("gemm.cuda.shared_tile", 8192)};
  f.state.ladder.dirty = true;
  f.state.selection.view = &kGainsView;
  f.driver->frames(2);
  // Nothing of this machine: bars of what most were recorded at, said above them.
  select_rung(f.state, "gemm.cuda.naive");
  f.driver->frames(2);
  chart::Panel speed = shown_chart(f.state).panels[0];
  CHECK(speed.subtitle == "at n = 2048, each alone, recorded on Machine A");
  REQUIRE(speed.marks.size() == 2);
  CHECK(speed.marks[0].hatched);
  CHECK(speed.row_reasons[2].find("at n = 8192 on Machine A") != std::string::npos);

  // So has the ladder: the size and the machine stand once, over the section that was recorded, and not over the rows of
  // this machine, which are empty. The row at another size has its figure in words.
  f.state.selection.view = &kLadderView;
  const auto words_of = [&](const std::string& label) {
    for (const chart::Row& row : shown_chart(f.state).rows)
      if (row.label == label) return row.sublabel;
    return std::string("no such row");
  };
  const auto check_place = [&](const std::string& place) {
    const chart::ChartModel shown = shown_chart(f.state);
    CHECK(shown.subtitle.empty());
    for (const chart::Row& row : shown.rows) {
      INFO(row.label << " in " << row.section);
      CHECK(row.section.ends_with(" · " + place) == row.section.starts_with("GPU, fp32"));
    }
  };
  check_place("at n = 2048, recorded on Machine A");
  CHECK(words_of("naive").empty());
  CHECK(words_of("shared tile").empty());
  const chart::ChartModel ladder = shown_chart(f.state);
  // Nor is a ceiling of that machine drawn through them.
  for (const chart::Panel& panel : ladder.panels) {
    for (const chart::Rule& rule : panel.rules) {
      if (!contains(rule.label, "Machine A")) continue;
      for (size_t i = 0; i < ladder.rows.size(); ++i) {
        const bool is_out = std::count(rule.not_rows.begin(), rule.not_rows.end(), int(i)) > 0;
        CHECK(is_out == ladder.rows[i].section.starts_with("CPU"));
      }
    }
  }
  for (const chart::Panel& panel : ladder.panels) {
    for (const chart::Mark& mark : panel.marks)
      CHECK(ladder.rows[static_cast<size_t>(mark.row)].label != "shared tile");
  }
  const auto reason_of = [&](const std::string& label) {
    const chart::ChartModel model = shown_chart(f.state);
    for (size_t i = 0; i < model.rows.size(); ++i)
      if (model.rows[i].label == label) return model.panels[0].row_reasons[i];
    return std::string("no such row");
  };
  CHECK(contains(reason_of("shared tile"), "at n = 8192 on Machine A"));
  // Of the selected one's size: that of the others is in words then.
  select_rung(f.state, "gemm.cuda.shared_tile");
  f.driver->frames(2);
  check_place("at n = 8192, recorded on Machine A");
  CHECK(contains(reason_of("naive"), "at n = 2048 on Machine A"));
  select_rung(f.state, "gemm.cuda.naive");
  f.state.sessions.recordings.pop_back();
  f.state.ladder.dirty = true;
  f.driver->frames(2);
  check_place("at n = 2048, recorded on Machine A");
  CHECK(words_of("naive").empty());
  // Beside results of this machine a section that was recorded has its machine in its heading.
  f.run_all();
  const chart::ChartModel mixed = shown_chart(f.state);
  CHECK(mixed.subtitle.empty());
  for (const chart::Row& row : mixed.rows) {
    INFO(row.label << ": " << row.sublabel << " in " << row.section);
    const bool is_gpu = row.section.starts_with("GPU, fp32");
    CHECK(row.section.ends_with(" · at n = 2048, recorded on Machine A") == is_gpu);
    if (row.label == "naive") CHECK(row.sublabel.empty());
  }
}

TEST_CASE(
    "a learner's copy whose bar says another speed than its pair says so, and that it was busy",
    "[window]") {
  Fixture f(1280, 720);
  open_run(f.state, variable("RIDGE_SOURCE") + "/tests/golden/screens/edit.jsonl");
  f.driver->frames(4);
  f.state.view.screen = ScreenId::lab;
  f.state.selection.view = &kGainsView;
  f.driver->frames(3);
  const chart::ChartModel model = shown_chart(f.state);
  const auto own = std::find_if(model.rows.begin(), model.rows.end(), [](const chart::Row& row) {
    return row.label.starts_with("exercise: ");
  });
  REQUIRE(own != model.rows.end());
  INFO(own->sublabel);
  CHECK(contains(own->sublabel, "alone; in turns "));
  CHECK(contains(own->sublabel, "FLOP/s"));
}

TEST_CASE("what was measured here as it was asked for is hatched by no parameter of its own",
          "[window]") {
  const struct Mixed {
    Mixed() { FakeSession::lab = "mixed"; }
    ~Mixed() { FakeSession::lab = "gemm"; }
  } mixed;
  Fixture f;
  f.run_all();
  f.state.selection.view = &kGainsView;
  // The first has no loss scale, the second another one.
  for (const char* selected : {"mixed.cpu.bf16", "mixed.cpu.fp16_dynamic"}) {
    select_rung(f.state, selected);
    f.driver->frames(3);
    const RungView* own = find_row(f.state.ladder, "mixed.cpu.fp16_static");
    REQUIRE((own && own->series));
    REQUIRE(param_int(own->series->params, "scale") == 10);
    const chart::Panel speed = shown_chart(f.state).panels[0];
    REQUIRE(speed.marks.size() > 3);
    for (const chart::Mark& mark : speed.marks) CHECK_FALSE(mark.hatched);
  }
}

TEST_CASE("a parameter that a recorded rung lacks does not part it from the others", "[window]") {
  Fixture f;
  const auto recorded = [&](const char* kernel, bool has_k) {
    FakeSession session;
    WorkRequest request = request_for(RequestType::run, 7);
    request.kernels = {{kernel, {{"n", int64_t{2048}}, {"k", int64_t{1024}}}}};
    (void)session.list();
    (void)session.send(request);
    session.measure(session.last(RequestType::run), 0, 1e6);
    auto run = std::make_shared<Run>();
    for (std::string line : session.transcript()) {
      const std::string k = "\"k\":1024,";
      for (size_t at; !has_k && (at = line.find(k)) != std::string::npos;) line.erase(at, k.size());
      run->apply_line(line);
    }
    return Recording{std::string("/r/") + kernel, "Machine A", "GEMM", run, ""};
  };
  f.state.sessions.recordings = {recorded("gemm.cuda.naive", false),
                                 recorded("gemm.cuda.coalesced", true),
                                 recorded("gemm.cuda.shared_tile", true)};
  f.state.selection.params["k"] = int64_t{512};
  f.state.ladder.dirty = true;
  f.state.selection.view = &kGainsView;
  select_rung(f.state, "gemm.cuda.naive");
  f.driver->frames(2);
  const RungView* naive = find_row(f.state.ladder, "gemm.cuda.naive");
  REQUIRE((naive && naive->series));
  CHECK_FALSE(naive->series->params.contains("k"));
  const chart::Panel speed = shown_chart(f.state).panels[0];
  CHECK(speed.marks.size() == 3);
  CHECK(speed.subtitle == "at n = 2048, k = 1024, each alone, recorded on Machine A");
  // What all that take a parameter have in common stands above their part of the ladder.
  f.state.selection.view = &kLadderView;
  const chart::ChartModel ladder = shown_chart(f.state);
  for (const chart::Row& row : ladder.rows) {
    CHECK(row.section.ends_with(" · at n = 2048, k = 1024, recorded on Machine A") ==
          row.section.starts_with("GPU, fp32"));
    if (row.label == "naive" || row.label == "coalesced") CHECK(row.sublabel.empty());
  }
}

TEST_CASE("a figure from elsewhere says its type where that is not the one in view", "[window]") {
  Fixture f;
  f.run_all();
  f.driver->frames(2);
  const RungView* own = find_row(f.state.ladder, f.state.selection.rung);
  REQUIRE((own && own->series));
  RungView other = *own;
  Series series = *own->series;
  series.dtype = "fp8";
  series.params["dtype"] = std::string("fp8");
  other.series = &series;
  const std::string of_it = elsewhere_text(f.state, *own), text = elsewhere_text(f.state, other);
  REQUIRE_FALSE(of_it.empty());
  CHECK(of_it.find(" in ") == std::string::npos);
  CHECK(text.find(" in fp8") != std::string::npos);
  f.state.selection.params["dtype"] = std::string("fp8");
  CHECK(elsewhere_text(f.state, other).find(" in ") == std::string::npos);
}

TEST_CASE("bars of another machine's CPU stand neither before nor beside this machine's own",
          "[window]") {
  FakeSession::too_new = "gemm.cpu.packed_avx512";
  Fixture f;
  FakeSession::too_new.clear();
  FakeSession session;
  WorkRequest request = request_for(RequestType::run, 7);
  request.kernels = {{"gemm.cpu.packed_avx512", {{"n", 1024}}}};
  (void)session.list();
  (void)session.send(request);
  session.measure(session.last(RequestType::run), 0, 1e3);
  auto run = std::make_shared<Run>();
  for (const std::string& line : session.transcript()) run->apply_line(line);
  f.state.sessions.recordings = {{"/r/cpu", "Machine A", "GEMM", run, ""}};
  f.state.ladder.dirty = true;
  f.state.selection.view = &kGainsView;
  f.driver->frames(2);
  CHECK(shown_chart(f.state).panels[0].marks.empty());
  f.run_all();
  f.driver->frames(2);
  const chart::ChartModel model = shown_chart(f.state);
  CHECK(model.panels[0].subtitle.find("Machine A") == std::string::npos);
  const auto& reasons = model.panels[0].row_reasons;
  const auto theirs = std::find_if(reasons.begin(), reasons.end(), [](const std::string& reason) {
    return reason.find("needs AVX-512; ") == 0 && reason.find("on Machine A") != std::string::npos;
  });
  REQUIRE(theirs != reasons.end());
  CHECK(model.panels[0].marks.size() > 3);
  CHECK(
      std::none_of(model.panels[0].marks.begin(), model.panels[0].marks.end(),
                   [&](const chart::Mark& mark) { return mark.row == theirs - reasons.begin(); }));
}

TEST_CASE("a rung that was cancelled says so in its row, under its own name", "[window]") {
  Fixture f;
  f.driver->key(compat::Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 1e6);
  f.session.feed_samples(request.id, 1, 5, 1e6);
  Series cut = outcome(request.id, 1, request.kernels[1].kernel);
  cut.params = f.session.complete_params(request.kernels[1]);
  cut.status = SeriesStatus::cancelled;
  cut.stats.reset();
  cut.flop = 0;
  f.session.tell("result", {{"request", request.id}, {"series", 1}, {"outcome", cut}});
  f.session.finish(request, "cancelled");
  f.state.selection.view = &kGainsView;
  f.driver->frames(3);
  const chart::ChartModel model = shown_chart(f.state);
  CHECK(model.rows[1].label == "three loops, -O3");
  CHECK(model.panels[0].row_reasons[1].find("cancelled") == 0);
}

TEST_CASE("a learner compares a rung with the one it goes on from by one button", "[window]") {
  Fixture f(1280, 720);
  set_level(f.state, Level::kLearn);
  select_rung(f.state, "gemm.cpu.naive_o1");
  f.driver->frames(3);
  // There is none before it: the button is grey, and Predict stands where it stands at every rung.
  REQUIRE(f.driver->find("compare_step"));
  const float predict_x = f.driver->find("predict")->x;
  f.driver->click("compare_step");
  CHECK(f.session.count(RequestType::compare) == 0);
  CHECK_FALSE(perform(f.state, "compare_step"));
  CHECK(f.state.notice.text.find("goes on from no rung") != std::string::npos);
  select_rung(f.state, "gemm.cpu.loop_order");
  f.driver->frames(3);
  CHECK(f.driver->find("predict")->x == predict_x);
  REQUIRE(f.driver->click("compare_step"));
  const WorkRequest pair = f.session.last(RequestType::compare);
  REQUIRE(pair.kernels.size() == 2);
  CHECK(pair.kernels[0].kernel == "gemm.cpu.naive_o3");
  CHECK(pair.kernels[1].kernel == "gemm.cpu.loop_order");
  f.session.judge(pair, Verdict::faster, 4);
  set_level(f.state, Level::kLab);
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("compare_step"));  // there is a button for any two
}

TEST_CASE("a step between two requests is no ratio, and the older bar says so", "[window]") {
  Fixture f;
  f.run_all();
  f.state.selection.view = &kGainsView;
  f.driver->frames(2);
  const chart::ChartModel before = shown_chart(f.state);
  REQUIRE(before.panels[1].row_reasons[1].find("≈") == 0);
  select_rung(f.state, f.state.ladder.rows[1].rung->kernel);
  f.driver->frames(2);
  f.driver->key(compat::Key::f5, true);
  const WorkRequest again = f.session.last(RequestType::run);
  REQUIRE(again.kernels.size() == 1);
  f.session.measure(again, 0, 0.5e6);
  f.session.finish(again);
  f.driver->frames(3);
  const chart::ChartModel after = shown_chart(f.state);
  CHECK(after.panels[1].row_reasons[1].find("≈") == std::string::npos);
  CHECK(after.panels[1].row_roles[1] == chart::Role::muted);
  CHECK(after.panels[1].row_notes[1].find("Compare the two rungs") != std::string::npos);
  CHECK(after.rows[1].sublabel.find("of another run") != std::string::npos);
}

TEST_CASE("what the climb brought is the product of its steps' pairs where each step has one",
          "[window]") {
  Fixture f;
  f.run_all();
  f.state.selection.view = &kGainsView;
  select_rung(f.state, "gemm.cpu.naive_o1");
  const auto total = [&]() -> std::string {
    f.driver->frames(3);
    const std::vector<std::string> legend = shown_chart(f.state).legend;
    return legend.empty() ? "" : legend.front();
  };
  std::vector<KernelRequest> steps;  // of the first part of the ladder
  for (const RungView& row : f.state.ladder.rows) {
    if (!steps.empty() && section_at(*f.state.selection.lab, *row.rung)) break;
    if (row.rung->peer || row.rung->branch || !row.series) continue;
    if (why_no_step(row.rung->kernel, row.series->params).empty())
      steps.push_back({row.rung->kernel, row.series->params});
  }
  REQUIRE(steps.size() > 3);
  for (size_t i = 1; i < steps.size(); ++i) {
    CHECK(contains(total(), "each timed alone"));  // a step is missing
    WorkRequest pair = request_for(RequestType::compare, 0);
    pair.kernels = {steps[i - 1], steps[i]};
    REQUIRE(f.session.send(pair));
    f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 2);
  }
  const size_t pairs = steps.size() - 1;
  const std::string shown = total();
  INFO(shown);
  CHECK(contains(shown,
                 "the product of " + std::to_string(pairs) + " steps in pairs, 95 % interval ["));
  // What is not settled is no gain, and what the bars say otherwise is said.
  WorkRequest pair = request_for(RequestType::compare, 0);
  pair.kernels = {steps[0], steps[1]};
  REQUIRE(f.session.send(pair));
  f.session.send_rounds(f.session.last(RequestType::compare), Verdict::unresolved, 1.01, 9, {});
  f.session.finish(f.session.last(RequestType::compare));
  const std::string less = total();
  INFO(less);
  CHECK(contains(less, std::to_string(pairs - 1) + " steps in pairs, and 1 unresolved step as 1×"));
  CHECK(contains(less, "; the bars say ≈ "));
  CHECK(contains(less, ": each rung was timed alone"));
}

TEST_CASE("libraries stand below the ladder, apart from its steps", "[window]") {
  Fixture f(1280, 720);
  open_run(f.state, variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.bf16.jsonl");
  for (const Level level : {Level::kLearn, Level::kLab}) {
    set_level(f.state, level);
    f.state.selection.view = &kGainsView;
    select_rung(f.state, "gemm.cuda.wmma");
    f.driver->frames(3);
    ChartRows rows;
    const chart::ChartModel model = centre_chart(f.state, &rows);
    REQUIRE(model.rows.size() == rows.rows.size());
    INFO(name_of(level));
    CHECK(rows.kernels.front() == "gemm.cuda.wmma");
    size_t libraries = 0;
    for (size_t i = 0; i < rows.rows.size(); ++i) {
      INFO(rows.kernels[i]);
      libraries += rows.rows[i].is_peer;
      CHECK(rows.rows[i].is_peer == (libraries > 0));  // after the first of them no step follows
      CHECK(model.rows[i].section == (rows.rows[i].is_peer ? "Libraries" : ""));
    }
    CHECK(libraries >= 2);
  }
}

TEST_CASE("a run that is at another part of the ladder says so over the chart, and leads there",
          "[window]") {
  FakeSession::lab = "machine";
  Fixture f(1280, 720);
  FakeSession::lab = "gemm";
  set_level(f.state, Level::kLearn);
  f.state.selection.view = &kGainsView;
  select_rung(f.state, "chains.cpu.one_chain");
  f.driver->frames(3);
  f.driver->key(compat::Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  const auto is_at = [&](const char* kernel) {
    const auto found = std::find_if(request.kernels.begin(), request.kernels.end(),
                                    [&](const KernelRequest& one) { return one.kernel == kernel; });
    REQUIRE(found != request.kernels.end());
    f.session.phase(request.id, static_cast<int>(found - request.kernels.begin()), "timing", 0.5);
    f.driver->frames(4);
  };
  is_at("chains.cpu.chains");
  CHECK_FALSE(f.driver->find("run_elsewhere"));
  is_at("chase.cpu.pointer");
  CHECK(f.driver->find("run_elsewhere"));
  CHECK(f.state.selection.rung == "chains.cpu.one_chain");  // the reader stays where they are
  REQUIRE(f.driver->click("show_run"));
  f.driver->frames(3);
  CHECK(f.state.selection.rung == "chase.cpu.pointer");
  CHECK_FALSE(f.driver->find("run_elsewhere"));
  // From then on the view goes on with the run,
  is_at("sums.cpu.stride");
  CHECK(f.state.selection.rung == "sums.cpu.stride");
  // until the reader selects a rung.
  select_rung(f.state, "chains.cpu.one_chain");
  f.driver->frames(3);
  is_at("roofline.cpu.fmas");
  CHECK(f.state.selection.rung == "chains.cpu.one_chain");
  CHECK(f.driver->find("run_elsewhere"));
  f.session.finish(request);
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("run_elsewhere"));
}
