// The weightless lab in the window, with a fake worker: a training is watched as it climbs, and the score
// card measures its networks.
#include "app/window/panels/verdict_card.h"
#include "app/window/views/score_view.h"
#include "app/window/views/training_view.h"
#include "tests/trained_run.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;
using window::find_view;
using window::ViewDesc;

namespace {

struct Weightless : Fixture {
  static float prepare(float width) {
    FakeSession::lab = "weightless";
    return width;
  }
  explicit Weightless(float width = 1600) : Fixture(prepare(width)) {}
  ~Weightless() { FakeSession::lab = "gemm"; }

  const chart::ChartModel model() {
    window::ChartRows rows;
    return window::centre_chart(state, &rows);
  }
  void climb(const WorkRequest& request, int first, int last) {
    std::vector<CurvePoint> points;
    for (int i = first; i <= last; ++i) {
      points.push_back({i, i * 0.01, {{"loss", 2.0 / i}, {"batch_accuracy", 0.9 - 0.5 / i}}});
      if (i % 20 == 0) points.back().values["accuracy"] = 0.9 - 0.6 / i;
    }
    session.tell("curve", {{"request", request.id}, {"series", 0}, {"points", points}});
    driver->frames(3);
  }
};

constexpr const char* kTraining = "weightless.cpu.fast_training";

}  // namespace

TEST_CASE("a training that is run is watched as its points come in", "[window]") {
  Weightless f;
  window::select_rung(f.state, kTraining);
  f.driver->key(compat::Key::f5, true);
  CHECK(f.state.selection.view == find_view("training"));
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() == 1);
  CHECK_FALSE(f.model().plot->empty_reason.empty());
  f.climb(request, 1, 20);
  CHECK(f.model().plot->x.high == Approx(0.19 * 1.02));
  f.climb(request, 21, 40);
  const chart::ChartModel model = f.model();
  CHECK(model.plot->x.high == Approx(0.39 * 1.02));
  REQUIRE(model.plot->curves.size() == 2);  // batches, and what was judged twice
  CHECK(model.plot->curves.back().data.size() == 2);
  REQUIRE(f.driver->click("curve=loss"));
  CHECK(f.model().plot->y.title == "Loss");
  REQUIRE(f.driver->click("curve_over=steps"));
  CHECK(f.model().plot->x.high == Approx(40 * 1.02));
}

TEST_CASE("running a kernel leaves the ladder in view; trainings of one rung are told apart",
          "[window]") {
  Weightless f;
  window::select_rung(f.state, "weightless.cpu.naive");
  f.driver->key(compat::Key::f5, true);
  CHECK(f.state.selection.view == find_view("ladder"));
  f.session.finish(f.session.last(RequestType::run));
  f.driver->frames(3);
  window::select_rung(f.state, kTraining);
  for (const int64_t luts : {500, 1000}) {
    f.state.selection.params["luts"] = luts;
    f.state.ladder.dirty = true;
    f.driver->frames(3);
    f.driver->key(compat::Key::f5, true);
    f.climb(f.session.last(RequestType::run), 1, 20);
    f.session.finish(f.session.last(RequestType::run), "cancelled");
    f.driver->frames(3);
  }
  std::vector<std::string> names;
  const chart::ChartModel model = f.model();
  for (const chart::Curve& curve : model.plot->curves) {
    if (!curve.name.empty()) names.push_back(curve.name);
  }
  CHECK(names == std::vector<std::string>{"fast training · luts 500", "fast training · luts 1000"});
}

TEST_CASE("two trainings are compared over eight seeds; the card says step time and accuracy",
          "[window]") {
  Weightless f;
  window::select_rung(f.state, "weightless.cpu.learned_wiring");
  f.driver->type('b');
  window::select_rung(f.state, kTraining);
  f.driver->frames(3);
  f.driver->type('c');
  const WorkRequest request = f.session.last(RequestType::compare);
  REQUIRE(request.kernels.size() == 16);
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    CHECK(request.kernels[i].kernel == (i % 2 == 0 ? "weightless.cpu.learned_wiring" : kTraining));
    CHECK(param_int(request.kernels[i].params, "seed") == int64_t(i / 2) + 1);
  }
  Json phase = {{"request", request.id}, {"series", 4},
                {"phase", "rounds"},     {"text", "training"},
                {"progress", 0.25},      {"open", "seed 3 of 8, 12 of 84 steps"}};
  f.session.tell("phase", phase);
  f.driver->frames(2);
  CHECK(window::running_comparison(f.state).find("seed 3 of 8, 12 of 84 steps") !=
        std::string::npos);

  Comparison made = trained_comparison({});
  made.request = request.id, made.lab = "weightless", made.cache = request.cache;
  made.baseline = request.kernels[0].kernel, made.candidate = kTraining;
  made.baseline_params = request.kernels[0].params;
  made.candidate_params = request.kernels[1].params;
  Series trained = trained_series({}, 1, true);
  trained.kernel = kTraining, trained.params = made.candidate_params;
  f.session.tell("result", {{"request", request.id}, {"series", 1}, {"outcome", Json(trained)}});
  f.session.tell("result", {{"request", request.id}, {"comparisons", {made}}});
  f.session.finish(request);
  f.driver->frames(3);
  const Run* run = nullptr;
  // Whichever seed is chosen: the comparison is over all of them.
  f.state.selection.params["seed"] = int64_t{5};
  const Comparison* shown = window::shown_comparison(f.state, nullptr, &run);
  REQUIRE(shown);
  const window::VerdictWords words = window::verdict_words(f.state, *run, *shown);
  CHECK(words.headline == "1.50× as fast");
  CHECK(words.evidence.find("8 seeds") != std::string::npos);
  CHECK(words.evidence.find("accuracy −0.10 points [−0.40, +0.20]") != std::string::npos);
  CHECK(words.reason.find("keeps its accuracy") != std::string::npos);
}

TEST_CASE("a training is not compared with a kernel", "[window]") {
  Weightless f;
  window::select_rung(f.state, "weightless.cpu.naive");
  f.driver->type('b');
  window::select_rung(f.state, kTraining);
  f.driver->type('c');
  CHECK(f.session.count(RequestType::compare) == 0);
  CHECK(f.state.notice.text.find("choose two of one kind") != std::string::npos);
}

TEST_CASE("the views offered are those that the lab can fill", "[window]") {
  Weightless f(1900);
  for (const char* name : {"Ladder", "Training", "Score card", "Frontier"}) {
    INFO(name);
    CHECK(f.driver->find(std::string("view=") + name));
  }
  for (const char* name : {"Error", "Table", "Workload"}) {
    INFO(name);
    CHECK_FALSE(f.driver->find(std::string("view=") + name));
  }
  REQUIRE(f.driver->click("view=Score card"));
  window::open_lab(f.state, "gemm");  // which has none
  f.driver->frames(3);
  CHECK(f.state.selection.view == find_view("ladder"));
  for (const ViewDesc* view :
       {find_view("training"), find_view("score")}) {  // the palette leads there all the same
    f.state.selection.view = view;
    const std::string why = f.model().plot->empty_reason;
    CHECK(why == (view == find_view("score") ? "This lab has no score card."
                                             : "No rung of this lab is a training."));
  }
}

TEST_CASE("the score card measures each network from bits, from pixels, and one image",
          "[window]") {
  Weightless f(1900);
  REQUIRE(f.driver->click("view=Score card"));
  CHECK(f.model().table.rows[0][4] == "not measured yet");
  REQUIRE(f.driver->click("run_score"));
  const WorkRequest request = f.session.last(RequestType::run);
  // Three of the LUT network; two of each other: WiSARD and Bloom filters have no start from pixels, the rest no other.
  const size_t networks = find_lab("weightless")->score_card->networks.size();
  REQUIRE(request.kernels.size() == 3 + 2 * (networks - 1));
  CHECK(request.kernels[0].kernel == "weightless.cpu.generated");
  CHECK(std::get<std::string>(request.kernels[1].params.at("from")) == "pixels");
  CHECK(std::get<int64_t>(request.kernels[1].params.at("images")) == 10'000);
  CHECK(std::get<int64_t>(request.kernels[2].params.at("images")) == 1);
  for (int i = 0; i < 5; ++i) {
    Series series = outcome(request.id, i, request.kernels[static_cast<size_t>(i)].kernel);
    series.params = *resolve_params(FakeSession::info(series.kernel).params,
                                    request.kernels[static_cast<size_t>(i)].params, "gemm");
    series.cache = CacheMode::hot;
    series.flop = 0;
    const double t_ns = i == 2 ? 2e4 : 1e6 * (i + 1);
    series.stats = Stats{20, t_ns, t_ns, t_ns, t_ns, t_ns, {}, 0, 0, 1, {}};
    series.items_per_s = 1e13 / t_ns;
    if (i == 2) series.latency = LatencyStats{300, 3e4, {}, {}, {}};
    series.checks = {check(i != 3)};
    series.checks[0].task = {{"accuracy", i < 3 ? 0.88 : 0.8}};
    f.session.tell("result", {{"request", request.id}, {"series", i}, {"outcome", series}});
  }
  f.session.finish(request);
  f.driver->frames(3);
  const chart::ChartModel model = f.model();
  const auto& network = model.table.rows[0];
  CHECK(network[1] == "0.8800");
  CHECK(network[3] == "30.0 µs");
  CHECK(network[4] == "5.00 M images/s");
  CHECK(network[5] == "10.0 M images/s");
  CHECK(network[6].starts_with("unavailable"));
  const auto& wisard = model.table.rows[1];
  CHECK(wisard[4] == "has no such start");
  CHECK(wisard[5] == "✕ check failed");  // and so it has no speed
}

namespace {

/// A training that another machine recorded.
app::Recording recorded_training(const std::string& kernel, const std::string& machine) {
  const std::string lab = std::exchange(FakeSession::lab, "weightless");
  FakeSession session;
  (void)session.list();
  WorkRequest request = request_for(RequestType::run, 7);
  request.lab = "weightless";
  request.kernels = {{kernel, {}}};
  (void)session.send(request);
  const WorkRequest& sent = session.last(RequestType::run);
  std::vector<CurvePoint> points;
  for (int i = 1; i <= 20; ++i) points.push_back({i, i * 0.01, {{"batch_accuracy", 0.8}}});
  session.tell("curve", {{"request", sent.id}, {"series", 0}, {"points", points}});
  FakeSession::lab = lab;
  auto run = std::make_shared<Run>();
  for (const std::string& line : session.transcript()) run->apply_line(line);
  return {"one.jsonl", machine, "", run, ""};
}

}  // namespace

TEST_CASE("recorded trainings are shown where this machine has none, and behind a switch else",
          "[window]") {
  Weightless f;
  f.state.sessions.recordings = {recorded_training(kTraining, "Machine A")};
  f.state.selection.view = find_view("training");
  f.state.ladder.dirty = true;
  f.driver->frames(3);
  REQUIRE(f.model().plot->curves.size() == 1);
  CHECK(f.model().subtitle.find("Recorded on Machine A") != std::string::npos);
  CHECK(f.model().subtitle.find("trained nothing here") != std::string::npos);
  REQUIRE(f.driver->click("recorded_curves"));
  CHECK_FALSE(f.model().plot->empty_reason.empty());
  f.state.options.curve_recorded.reset();

  // Another rung is trained here: only that one, until the switch is pressed.
  window::select_rung(f.state, "weightless.cpu.random_wiring");
  f.driver->key(compat::Key::f5, true);
  f.climb(f.session.last(RequestType::run), 1, 20);
  CHECK(f.model().subtitle.empty());
  CHECK(f.model().table.rows.size() == 1);
  REQUIRE(f.driver->click("recorded_curves"));
  CHECK(f.model().table.rows.size() == 2);
  CHECK(f.model().subtitle.find("Machine A") != std::string::npos);
  REQUIRE(f.driver->click("recorded_curves"));
  CHECK(f.model().table.rows.size() == 1);
}
