// The lesson's moving parts: diagrams drawn from the rung's source, the outcome that is folded while a
// rung is predicted, the workload's chart, and figures that explain themselves when hovered.
#include <algorithm>
#include <regex>
#include <string>

#include "app/query/recordings.h"
#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "app/window/panels/lesson_tab.h"
#include "app/window/teach/answer.h"
#include "app/window/teach/measured_limit.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/study.h"
#include "app/window/views/chart_rows.h"
#include "app/window/views/model_views.h"
#include "common/record/diagnosis.h"
#include "common/view/figure/text.h"
#include "tests/golden.h"
#include "tests/program.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

std::string text_of(const std::string& path) {
  std::ifstream file(source_folder() + "/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The window with the true sources of some rungs, on one of them.
struct LessonFixture : Fixture {
  explicit LessonFixture(const std::string& rung, bool still = false, float height = 4000,
                         float width = 1600)
      : Fixture(
            (FakeSession::texts = {{"gemm.cuda.naive", text_of("kernels/gemm/rungs/naive.cu")},
                                   {"gemm.cuda.cp_async",
                                    text_of("kernels/gemm/rungs/cp_async.cu")},
                                   {"gemm.cpu.naive_o1", text_of("kernels/gemm/rungs/naive.cpp")}},
             width),
            height) {
    state.appearance.reduced_motion = still;
    select_rung(state, rung);
    driver->frames(4);
  }
  ~LessonFixture() { FakeSession::texts.clear(); }
  float knob(const std::string& diagram) {
    const Area* found = driver->find("diagram:" + diagram + ":knob");
    REQUIRE(found != nullptr);
    return found->x;
  }
  void seconds(double s) { driver->frames(static_cast<int>(s * 60)); }
};

TEST_CASE("a lab that opens past its first rung says why, in the lesson", "[window][lesson]") {
  FakeSession::lab = "conv";
  Fixture f(1280, 720);
  FakeSession::lab = "gemm";
  const Lab& conv = *find_lab("conv");
  REQUIRE(f.state.selection.rung == conv.rungs[1].kernel);
  CHECK(f.driver->find("lesson:opens_here"));
  select_rung(f.state, conv.rungs.front().kernel);
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("lesson:opens_here"));
  Fixture gemm(1280, 720);
  CHECK_FALSE(gemm.driver->find("lesson:opens_here"));
}

TEST_CASE("diagrams go through their steps once and rest", "[window][lesson]") {
  LessonFixture f("gemm.cpu.naive_o1");
  const float first = f.knob("walk");
  CHECK(f.driver->shell().wake_s() > 0);
  f.seconds(1.2);
  CHECK(f.knob("walk") > first);
  f.seconds(10);
  const float last = f.knob("walk");
  CHECK(f.driver->shell().wake_s() == 0);  // nothing moves: nothing is drawn
  f.seconds(1);
  CHECK(f.knob("walk") == last);
  REQUIRE(f.driver->click("diagram:walk:play"));
  CHECK(f.knob("walk") < last);
  f.seconds(1.2);
  CHECK(f.knob("walk") > first);
  REQUIRE(f.driver->click("diagram:walk:play"));
  const float paused = f.knob("walk");
  f.seconds(1.2);
  CHECK(f.knob("walk") == paused);
}

TEST_CASE("with reduced motion nothing moves by itself; keys, slider and button step",
          "[window][lesson]") {
  LessonFixture f("gemm.cuda.naive", true);
  REQUIRE(f.driver->find("diagram:threads") != nullptr);
  const float still = f.knob("walk");
  CHECK(f.driver->shell().wake_s() == 0);
  f.seconds(1.2);
  CHECK(f.knob("walk") == still);
  f.driver->type('>');
  const float next = f.knob("walk");
  CHECK(next > still);
  f.driver->type('<');
  CHECK(f.knob("walk") == still);
  REQUIRE(f.driver->click("diagram:walk:play"));
  CHECK(f.knob("walk") == next);
  REQUIRE(f.driver->drag("diagram:walk:step", -2000, 0));
  const float begin = f.knob("walk");
  CHECK(begin < still);
  f.driver->type('<');
  CHECK(f.knob("walk") == begin);
  f.state.view.tab = Tab::source;
  f.driver->frames(2);
  f.driver->type('>');
  CHECK(f.state.notice.text.find("lesson") != std::string::npos);
}

TEST_CASE("a diagram waits while something is measured", "[window][lesson]") {
  LessonFixture f("gemm.cpu.naive_o1");
  f.driver->key(compat::Key::f5);
  f.driver->frames(2);
  const float at = f.knob("walk");
  f.seconds(2);
  CHECK(f.knob("walk") == at);
  CHECK(f.driver->shell().wake_s() == 0);
}

TEST_CASE("a diagram follows the parameters and its own knob, and says when it has no source",
          "[window][lesson]") {
  LessonFixture f("gemm.cuda.cp_async", true);
  REQUIRE(f.driver->find("diagram:pipeline:more") != nullptr);
  const int before = f.driver->triangles();
  for (int i = 0; i < 8; ++i) REQUIRE(f.driver->click("diagram:pipeline:more"));
  REQUIRE(f.driver->find("diagram:pipeline:less") != nullptr);
  f.state.selection.params["n"] = int64_t{16};  // one tile along k: the schedule is over sooner
  f.state.ladder.dirty = true;
  f.driver->frames(3);
  CHECK(f.driver->triangles() < before);
  LessonFixture made_up("gemm.cuda.coalesced", true);
  CHECK(made_up.driver->find("diagram:walk") != nullptr);
  CHECK(made_up.driver->find("diagram:walk:step") == nullptr);  // a sentence instead
}

TEST_CASE(
    "the outcome is folded under its question at every level, and while its rung is predicted",
    "[window][lesson]") {
  LessonFixture f("gemm.cpu.naive_o1", true);
  // Whatever the level, the answer does not stand under its question: a click shows it.
  for (const Level level : {Level::kLab, Level::kBench}) {
    set_level(f.state, level);
    f.driver->frames(3);
    CHECK(f.driver->find("outcome_folded") != nullptr);
  }
  REQUIRE(f.driver->click("outcome:" + key_of_outcome("gemm.cpu.naive_o1")));
  f.driver->frames(2);
  CHECK(f.driver->find("outcome_folded") == nullptr);
  f.driver->type('u');
  CHECK(f.driver->find("outcome_folded") != nullptr);
  f.driver->key(compat::Key::escape);
  CHECK(f.driver->find("outcome_folded") == nullptr);
  f.state.teaching.drafts["gemm.cpu.naive_o1"] = {
      "12 ms", 12e6, params_for(f.state, *find_row(f.state.ladder, "gemm.cpu.naive_o1")->info)};
  f.driver->frames(2);
  CHECK(f.driver->find("outcome_folded") != nullptr);
  CHECK(f.driver->find("outcome:" + key_of_outcome("gemm.cpu.naive_o1")) == nullptr);
  select_rung(f.state, "gemm.cpu.naive_o3");  // this one is not predicted
  f.driver->frames(3);
  REQUIRE(f.driver->click("outcome:" + key_of_outcome("gemm.cpu.naive_o3")));
  f.driver->frames(2);
  CHECK(f.driver->find("outcome_folded") == nullptr);
}

/// As it would be in its lab.
void check_link(const State& state, const study::LessonLink& link) {
  using Kind = study::LessonLink::Kind;
  if (link.kind == Kind::act) CHECK(find_action(link.target) != nullptr);
  if (link.kind != Kind::view) return;
  const ViewDesc* view = find_view(link.target);
  REQUIRE(view != nullptr);
  // Which rungs train only a true worker says.
  if (link.target != "training") CHECK(can_fill(state, *view));
  CHECK(link.label.find("*" + std::string(view->label) + "*") != std::string::npos);
}

/// Whether the words about it name a column of a table, or another lab.
bool is_of_elsewhere(const std::string& text, size_t at) {
  constexpr size_t kBefore = 40, kWhole = 80;
  const std::string words = text.substr(at < kBefore ? 0 : at - kBefore, kWhole);
  return contains(words, "column") || contains(words, " lab");
}

/// A view that a learner is sent to is a link: at their level it may have no button. One that is named elsewhere has a link
/// in its part, unless it is in that level's list.
void check_views_are_linked(const study::LessonPart& part) {
  static const std::regex kRun(R"(\n\*\*Run\.\*\*([\s\S]*?)\n\n)"),
      kLink(R"(\[[^\]]*\]\(<[^>]*>\))");
  const std::string all = std::regex_replace(part.text, kLink, "");
  for (const ViewDesc* view : views()) {
    const std::string name = "*" + std::string(view->label) + "*";
    const bool is_linked =
        std::any_of(part.links.begin(), part.links.end(), [&](const study::LessonLink& link) {
          return link.kind == study::LessonLink::Kind::view && link.target == view->id;
        });
    if (view->level == Level::kLearn || is_linked) continue;
    for (size_t at = all.find(name); at != all.npos; at = all.find(name, at + 1)) {
      INFO(all.substr(at < 60 ? 0 : at - 60, 120));
      CHECK(is_of_elsewhere(all, at));
    }
  }
  std::smatch run;
  if (!std::regex_search(part.text, run, kRun)) return;
  const std::string said = std::regex_replace(run[1].str(), kLink, "");
  for (const ViewDesc* view : views()) {
    INFO(said);
    CHECK(said.find("*" + std::string(view->label) + "*") == std::string::npos);
  }
}

TEST_CASE("a lesson's link opens a view that its lab has, and does what there is to do",
          "[window][lesson]") {
  for (const Lab* lab : all_labs()) {
    Fixture f(1280, 720);
    open_lab(f.state, lab->id);
    f.driver->frames(2);
    const auto text = study::read_asset(lab->lesson);
    REQUIRE(text.ok());
    for (const study::LessonPart& part : study::lesson_parts(*text)) {
      INFO(lab->lesson << ", " << part.heading);
      for (const study::LessonLink& link : part.links) check_link(f.state, link);
      check_views_are_linked(part);
    }
  }
}

TEST_CASE("links of a lesson set, open, compare and act at every level", "[window][lesson]") {
  LessonFixture f("gemm.cpu.naive_o3", true);
  set_level(f.state, Level::kLearn);
  f.driver->frames(3);
  CHECK(f.driver->find("threads+") == nullptr);  // no stepper at this level
  using Kind = study::LessonLink::Kind;
  follow_link(f.state, "gemm.cpu.loop_order", {Kind::set, "n=512 threads=2"});
  f.driver->frames(3);
  CHECK(f.state.selection.rung == "gemm.cpu.loop_order");
  CHECK(param_int(shown_params(f.state), "n") == 512);
  CHECK(param_int(shown_params(f.state), "threads") == 2);
  CHECK(contains(f.state.notice.text, "n = 512, 2 threads"));
  CHECK(f.driver->find("threads+") != nullptr);  // what was chosen is shown

  follow_link(f.state, "", {Kind::view, "walk"});
  CHECK(f.state.selection.view == find_view("walk"));
  follow_link(f.state, "", {Kind::view, "walk"});
  CHECK(f.state.selection.view == find_view("walk"));  // it does not close it again

  follow_link(f.state, "", {Kind::act, "diff"});
  CHECK(f.state.view.tab == Tab::diff);
  follow_link(f.state, "", {Kind::view, "nowhere"});
  CHECK(contains(f.state.notice.text, "nowhere"));

  f.state.view.tab = Tab::lesson;
  f.state.selection.view = &first_view(f.state);
  f.driver->frames(3);
  REQUIRE(f.driver->click("link:gemm.cpu.loop_order:compare:gemm.cpu.naive_o3"));
  CHECK(f.state.selection.baseline == "gemm.cpu.naive_o3");
  const WorkRequest asked = f.session.last(RequestType::compare);
  REQUIRE(asked.kernels.size() == 2);
  CHECK(asked.kernels[0].kernel == "gemm.cpu.naive_o3");
  CHECK(asked.kernels[1].kernel == "gemm.cpu.loop_order");
}

TEST_CASE("hints come one after another, and the prediction leads to its field",
          "[window][lesson]") {
  LessonFixture f("gemm.cpu.naive_o1", true);
  const std::string hint = "hint:gemm.cpu.naive_o1?";
  REQUIRE(f.driver->find(hint + "1") != nullptr);
  CHECK(f.driver->find(hint + "2") == nullptr);
  REQUIRE(f.driver->click(hint + "1"));
  CHECK(f.driver->find(hint + "2") != nullptr);
  CHECK(f.driver->find(hint + "3") == nullptr);
  REQUIRE(f.driver->click(hint + "2"));
  CHECK(f.driver->find(hint + "3") != nullptr);
  REQUIRE(f.driver->click(hint + "1"));  // folded again
  CHECK(f.driver->find(hint + "2") == nullptr);
  CHECK_FALSE(f.state.teaching.predicting);
  REQUIRE(f.driver->click("lesson:predict"));
  CHECK(f.state.teaching.predicting);
}

int64_t shown_n(const Fixture& f) {
  return param_int(shown_params(f.state), "n");
}

void run_selected(Fixture& f, double t_ns) {
  f.driver->key(compat::Key::f5, true);
  const WorkRequest request = f.session.last(RequestType::run);
  for (int i = 0; i < static_cast<int>(request.kernels.size()); ++i)
    f.session.measure(request, i, t_ns);
  f.session.finish(request);
  f.driver->frames(3);
}

TEST_CASE("a lesson asks at the size that it names, and of a rung that has run there at another",
          "[window][lesson]") {
  LessonFixture f("gemm.cpu.cache_blocks", true);
  CHECK(shown_n(f) == 512);
  REQUIRE(f.driver->click("lesson:predict"));  // "as fast as *loop order* ... at n = 1024"
  CHECK(shown_n(f) == 1024);
  CHECK(reference_of(f.state, "gemm.cpu.cache_blocks").kernel == "gemm.cpu.loop_order");
  f.driver->key(compat::Key::escape);
  CHECK(f.driver->find("lesson:seen") == nullptr);
  run_selected(f, 1e6);
  CHECK(f.driver->find("lesson:seen") != nullptr);
  REQUIRE(f.driver->click("lesson:predict"));
  CHECK(shown_n(f) == 2048);
  CHECK(f.state.teaching.predicting);
  f.driver->key(compat::Key::escape);
  select_rung(f.state, "gemm.cpu.naive_o3");  // "as fast as `-O1`"
  f.driver->frames(3);
  REQUIRE(f.driver->click("lesson:predict"));
  CHECK(shown_n(f) == 512);
  CHECK(reference_of(f.state, "gemm.cpu.naive_o3").kernel == "gemm.cpu.naive_o1");
}

/// What a rung's part says in the section of these bold words.
std::string said_in(Fixture& f, const std::string& kernel, std::string_view lead,
                    LessonText* shown = nullptr) {
  LessonText text;
  std::string said;
  for (const LessonBlock& block : (shown ? shown : &text)->blocks(f.state)) {
    if (block.kernel != kernel || block.lead != lead) continue;
    for (const Word& word : block.words) said += (word.space_before ? " " : "") + word.text;
  }
  return said;
}

/// The same with the paragraphs and tables that follow it, up to the next lead.
std::string said_from(Fixture& f, const std::string& kernel, std::string_view lead) {
  LessonText text;
  std::string said;
  bool is_in = false;
  for (const LessonBlock& block : text.blocks(f.state)) {
    if (!block.lead.empty()) is_in = block.lead == lead;
    if (block.kernel != kernel || !is_in) continue;
    for (const Word& word : block.words) said += (word.space_before ? " " : "") + word.text;
  }
  return said;
}

constexpr const char* kLoops = "gemm.cpu.loop_order";

TEST_CASE("a lesson's figure is of the problem in view, and says so where it is of another",
          "[window][lesson]") {
  LessonFixture f(kLoops, true);
  f.run_all();  // at n = 512, each rung twice as fast as the one before
  CHECK(contains(said_in(f, kLoops, study::kWhatHappened), "≈ 2.00×"));
  set_param(f.state, "n", int64_t{256});
  f.driver->frames(2);
  CHECK(contains(said_in(f, kLoops, study::kWhatHappened), "≈ 2.00× (n = 512)"));
  // Where the outcome is seen, one line says it of all, and a button sets it.
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("lesson:set"));
  REQUIRE(f.driver->click("outcome:" + key_of_outcome(kLoops)));
  f.driver->frames(2);
  REQUIRE(f.driver->find("lesson:elsewhere"));
  REQUIRE(f.driver->click("lesson:set"));
  f.driver->frames(2);
  CHECK(f.state.selection.params.at("n") == ParamValue(int64_t{512}));
  CHECK_FALSE(f.driver->find("lesson:set"));
  set_param(f.state, "n", int64_t{256});
  f.driver->frames(2);
  f.driver->key(compat::Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  for (size_t i = 0; i < request.kernels.size(); ++i)
    f.session.measure(request, static_cast<int>(i),
                      request.kernels[i].kernel == kLoops ? 1e5 : 8e5);
  f.session.finish(request);
  f.driver->frames(3);
  CHECK(contains(said_in(f, kLoops, study::kWhatHappened), "≈ 8.00×"));
  follow_link(f.state, kLoops, {study::LessonLink::Kind::compare, "gemm.cpu.naive_o3"});
  WorkRequest pair = f.session.last(RequestType::compare);
  for (KernelRequest& one : pair.kernels) one.params["m"] = one.params["k"] = int64_t{256};
  f.session.judge(pair, Verdict::faster, 14.9);  // as a worker says it: all parameters
  f.driver->frames(3);
  CHECK(contains(said_in(f, kLoops, study::kWhatHappened), " 14.9×"));
}

TEST_CASE("a lesson in words of one type beside a run of another says so, and sets it",
          "[window][lesson]") {
  constexpr const char* kWmma = "gemm.cuda.wmma";
  LessonFixture f(kWmma, true);
  f.state.sessions.recordings = app::load_recordings(source_folder() + "/assets/recorded", nullptr);
  f.state.ladder.dirty = true;
  f.driver->frames(2);
  set_param(f.state, "n", int64_t{4096});
  set_param(f.state, "dtype", std::string("fp16"));
  f.driver->frames(2);
  if (f.driver->find("outcome_folded"))
    REQUIRE(f.driver->click("outcome:" + key_of_outcome(kWmma)));
  f.driver->frames(2);
  REQUIRE(f.driver->find("lesson:elsewhere"));
  REQUIRE(f.driver->click("lesson:set"));
  f.driver->frames(2);
  CHECK(f.state.selection.params.at("dtype") == ParamValue(std::string("bf16")));
  CHECK_FALSE(f.driver->find("lesson:elsewhere"));
}

TEST_CASE("Run sets the size that the prediction asks for, and a Why says at which it counts",
          "[window][lesson]") {
  constexpr const char* kOwn = "gemm.cpu.naive_o1";
  LessonFixture f(kOwn, true);
  f.state.sessions.recordings =
      app::load_recordings(std::string(std::getenv("RIDGE_SOURCE")) + "/assets/recorded", nullptr);
  const Params written = {{"n", int64_t{512}}};
  CHECK(contains(said_in(f, kOwn, study::kRun), "Set n to 512."));
  f.run_all();  // n = 512 has been seen
  const Params asked = size_to_ask(f.state, kOwn, written);
  REQUIRE(asked != written);
  const std::string n = to_string(asked.at("n"));
  CHECK(contains(said_in(f, kOwn, study::kPrediction), "at n = " + n + "?"));
  CHECK(contains(said_in(f, kOwn, study::kRun), "Set n to " + n + "."));
  // The recorded figure has this machine's own beside it, and its mark is explained where it stands.
  CHECK(contains(said_in(f, kOwn, study::kWhy), "In a recorded run (†) on "));
  CHECK(contains(said_from(f, kOwn, study::kWhy), "† (here "));
  // Where all of them are of one size, that too.
  CHECK(contains(said_in(f, "gemm.cpu.naive_o3", study::kWhy), ", n = 512:"));
}

TEST_CASE("a lesson takes in each result while the rungs after it still run", "[window][lesson]") {
  LessonFixture f(kLoops, true);
  LessonText shown;
  const auto happened = [&] { return said_in(f, kLoops, study::kWhatHappened, &shown); };
  f.driver->key(compat::Key::f5);
  f.driver->frames(2);
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() > 3);
  CHECK_FALSE(contains(happened(), "≈ 2.00×"));
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    f.session.measure(request, static_cast<int>(i),
                      request.kernels[i].kernel == kLoops ? 1e6 : 2e6);
    if (request.kernels[i].kernel == kLoops) break;
  }
  f.driver->frames(2);
  REQUIRE(f.state.requests.is_measuring());
  CHECK(contains(happened(), "≈ 2.00×"));
}

TEST_CASE("question, button and field of a prediction are of one size", "[window][lesson]") {
  LessonFixture f(kLoops, true);
  CHECK(contains(said_in(f, kLoops, study::kPrediction), "at n = 512?"));
  f.run_all();
  CHECK(contains(said_in(f, kLoops, study::kPrediction), "at n = 1024?"));  // 512 has been seen
  set_param(f.state, "n", int64_t{256});
  f.driver->frames(2);
  CHECK(contains(said_in(f, kLoops, study::kPrediction), "at n = 256?"));  // chosen, and not seen
  REQUIRE(f.driver->click("lesson:predict"));
  CHECK(shown_n(f) == 256);
  f.driver->key(compat::Key::escape);
  set_param(f.state, "n", int64_t{512});
  f.driver->frames(2);
  REQUIRE(f.driver->click("lesson:predict"));
  CHECK(shown_n(f) == 1024);
  CHECK(contains(said_in(f, kLoops, study::kPrediction), "at n = 1024?"));
  f.driver->key(compat::Key::escape);
  select_rung(f.state, "gemm.cpu.cache_blocks");  // the lesson's size again: nobody chose 1024
  f.driver->frames(2);
  CHECK(contains(said_in(f, "gemm.cpu.cache_blocks", study::kPrediction), "at n = 1024?"));
}

TEST_CASE(
    "what happened is hidden until the prediction's result, and runs with what it needs alone",
    "[window][lesson]") {
  LessonFixture f(kLoops, true);
  set_level(f.state, Level::kLearn);
  f.run_all();
  CHECK(f.driver->find("outcome_folded") == nullptr);
  REQUIRE(f.driver->click("lesson:predict"));
  CHECK(f.driver->find("outcome_folded") != nullptr);
  REQUIRE(set_draft(f.state, "4x"));
  f.driver->key(compat::Key::f5, true);
  f.driver->frames(2);
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() == 2);
  CHECK(request.kernels[0].kernel == "gemm.cpu.naive_o3");
  CHECK(request.kernels[1].kernel == kLoops);
  CHECK(f.driver->find("outcome_folded") != nullptr);
  f.session.measure(request, 0, 8e6);
  f.driver->frames(2);
  CHECK(f.driver->find("outcome_folded") != nullptr);
  f.session.measure(request, 1, 2e6);
  f.session.finish(request);
  f.driver->frames(3);
  CHECK(f.driver->find("outcome_folded") == nullptr);
  set_param(f.state, "n", int64_t{256});  // nothing was seen there
  f.driver->frames(2);
  CHECK(f.driver->find("outcome_folded") != nullptr);
}

TEST_CASE("a question whose answer is no time has no button for the field", "[window][lesson]") {
  CHECK_FALSE(asks_for_time("How many bytes per element does one layer move?"));
  CHECK_FALSE(asks_for_time("How many images per second does it classify?"));
  CHECK(asks_for_time("How many seconds does one call take at n = 512?"));
  CHECK(asks_for_time("How many times as fast as *copy* is it?"));
}

TEST_CASE("the hint in a lesson's field is whole in a narrow lesson too", "[window][lesson]") {
  for (const float width : {1280.f, 1600.f}) {
    LessonFixture f("gemm.cuda.naive", true, 4000, width);
    set_level(f.state, Level::kLearn);
    f.driver->frames(3);
    REQUIRE(f.driver->find("lesson:answer:hint"));
    CHECK(f.driver->find("lesson:answer:hint")->right() <=
          f.driver->find("lesson:answer")->right());
  }
}

TEST_CASE("an answer that is no time is taken by the lesson, kept, and held against its figure",
          "[window][lesson]") {
  const std::string rung = "gemm.cuda.naive";  // "What rate in GFLOP/s does it reach?"
  LessonFixture f(rung, true);
  set_level(f.state, Level::kLearn);
  f.driver->frames(3);
  CHECK(f.driver->find("lesson:predict") == nullptr);
  CHECK(f.driver->find("lesson:said") == nullptr);
  CHECK(f.driver->find("hint:" + rung + "?1") != nullptr);
  REQUIRE(f.driver->click("lesson:answer"));
  for (const char one : std::string("2000 GFLOP/s")) f.driver->type(one);
  f.driver->key(compat::Key::enter);
  f.driver->frames(3);
  CHECK(answer_of(f.state, rung) == "2000 GFLOP/s");
  CHECK(f.driver->find("hint:" + rung + "?1") == nullptr);  // it has been answered
  REQUIRE(f.session.transcript().size() > 1);
  CHECK(contains(f.session.transcript().back(), "2000 GFLOP/s"));  // kept with the session
  keep_answer(f.state, rung, "much", false);
  CHECK(f.state.notice.is_error);
  CHECK(answer_of(f.state, rung) == "2000 GFLOP/s");

  figure::Figure measured;
  measured.text = "4.00 TFLOP/s", measured.value = 4e12, measured.unit = "FLOP/s";
  const auto said = [&] {
    return answer_sentence(f.state, rung, "What rate in GFLOP/s does it reach?", measured);
  };
  CHECK(said() == "You said 2000 GFLOP/s. It is 4.00 TFLOP/s: you said too little, by 2.00×.");
  keep_answer(f.state, rung, "3900", false);  // in the question's unit
  CHECK(said() == "You said 3900. It is 4.00 TFLOP/s: right within a tenth.");
  keep_answer(f.state, rung, "3000", true);
  measured.interval = Interval{2e12, 5e12}, measured.interval_text = "[2.00, 5.00] TFLOP/s";
  CHECK(said() ==
        "After the fact you said 3000. It is 4.00 TFLOP/s [2.00, 5.00] TFLOP/s: inside its "
        "interval, which is so wide that this says little.");
  measured.interval = Interval{2.9e12, 4.2e12}, measured.interval_text = "[2.90, 4.20] TFLOP/s";
  CHECK(contains(said(), "right, inside its interval."));
  keep_answer(f.state, rung, "3 ms", false);  // of another unit: nothing to hold it against
  CHECK(said() == "You said 3 ms.");
}

TEST_CASE("of a saved run the outcome is folded until the question is answered",
          "[window][lesson]") {
  LessonFixture f(kLoops, true);
  f.run_all();
  const Folder folder;
  const std::string file = (folder.path / "run.jsonl").string();
  REQUIRE(f.session.save(file));
  open_run(f.state, file);
  f.driver->frames(4);
  REQUIRE(f.state.is_replay());
  set_level(f.state, Level::kLearn);
  select_rung(f.state, kLoops);
  f.driver->frames(4);
  CHECK(f.driver->find("lesson:predict") == nullptr);
  REQUIRE(f.driver->find("outcome_folded") != nullptr);
  // Its bar is not given away beside the question: an answer, the outcome, or a click on its row shows it.
  const auto shows = [&] {
    f.driver->frames(2);
    const RungView* row = find_row(f.state.ladder, kLoops);
    return row && row->series != nullptr;
  };
  CHECK_FALSE(shows());
  CHECK(contains(find_row(f.state.ladder, kLoops)->reason, "answer its lesson's question"));
  // Nor by the rungs beyond it; what came before stands.
  const auto row_of = [&](const char* kernel) { return find_row(f.state.ladder, kernel); };
  CHECK(row_of("gemm.cpu.naive_o1")->series);
  for (const char* beyond : {"gemm.cpu.packed", "gemm.cpu.openblas"}) {
    INFO(beyond);
    CHECK_FALSE(row_of(beyond)->series);
    CHECK(row_of(beyond)->covered);
  }
  // Why is said on the first of them alone.
  const auto& rows = f.state.ladder.rows;
  CHECK(std::count_if(rows.begin(), rows.end(), [](const RungView& row) {
          return contains(row.reason, "while a rung before it is asked about");
        }) == 1);
  CHECK(row_of("gemm.cpu.openblas")->reason == "?");
  // A covered row stays on the chart, where a click shows it: a saved run does not look empty.
  const ChartRows charted = ladder_rows(f.state);
  for (const char* covered : {kLoops, "gemm.cpu.packed", "gemm.cpu.openblas"}) {
    INFO(covered);
    CHECK(std::count(charted.kernels.begin(), charted.kernels.end(), covered) == 1);
  }
  REQUIRE(f.driver->click("outcome:" + key_of_outcome(kLoops)));
  CHECK(shows());
  CHECK(row_of("gemm.cpu.packed")->series);
  f.state.view.open_answers.clear();
  f.state.ladder.dirty = true;
  CHECK_FALSE(shows());
  select_rung(f.state, kLoops);
  CHECK(shows());
  f.state.teaching.uncovered.clear();
  f.state.ladder.dirty = true;
  CHECK_FALSE(shows());
  keep_answer(f.state, kLoops, "4x", false);
  CHECK(shows());
  f.driver->frames(3);
  CHECK(f.driver->find("outcome_folded") == nullptr);
  CHECK(f.driver->find("lesson:said") != nullptr);
}

/// Whether one of these rows has a result of this rung.
bool shows_result(const ChartRows& rows, const std::string& kernel) {
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    if (rows.kernels[i] == kernel && rows.rows[i].series) return true;
  }
  return false;
}

TEST_CASE("what an open question covers is on no view, at whatever size", "[window][lesson]") {
  const std::string rung = "gemm.cuda.coalesced";
  LessonFixture f(rung, true);
  f.state.sessions.recordings = app::load_recordings(source_folder() + "/assets/recorded", nullptr);
  set_level(f.state, Level::kLearn);
  const auto is_shown = [&] {
    f.state.ladder.dirty = true;
    f.driver->frames(3);
    const std::vector<ChartRows> views = {ladder_rows(f.state), size_rows(f.state),
                                          type_rows(f.state), path_rows(f.state)};
    return std::count_if(views.begin(), views.end(), [&](const ChartRows& rows) {
      // What comes after it would give it away as well.
      return shows_result(rows, rung) || shows_result(rows, "gemm.cuda.cublas");
    });
  };
  CHECK(is_shown() == 0);
  CHECK(find_row(f.state.ladder, rung)->covered);
  keep_answer(f.state, rung, "4x", false);
  CHECK(is_shown() == 4);
}

TEST_CASE("a question about one network covers no result of another", "[window][lesson]") {
  const std::string rung = "mixed.cuda.fp32";  // "a step of the network *cnn*"
  FakeSession::lab = "mixed";
  {
    LessonFixture f(rung, true);
    FakeSession::lab = "gemm";
    f.state.sessions.recordings =
        app::load_recordings(source_folder() + "/assets/recorded", nullptr);
    set_level(f.state, Level::kLearn);
    f.state.ladder.dirty = true;
    f.driver->frames(3);
    CHECK(awaits_answer(f.state, rung));
    CHECK_FALSE(hides_result(f.state, rung, {{"model", std::string("mlp")}}));
    CHECK(hides_result(f.state, rung, {{"model", std::string("cnn")}}));
    const RungView& row = *find_row(f.state.ladder, rung);
    REQUIRE(row.series);
    CHECK(param_text(row.series->params, "model") == "mlp");
    CHECK_FALSE(row.covered);
  }
}

TEST_CASE("of a rung that takes long the question is asked at a smaller size", "[window][lesson]") {
  LessonFixture f("gemm.cpu.cache_blocks", true);
  set_param(f.state, "n", int64_t{2048});
  f.driver->frames(2);
  run_selected(f, 1.5e9);
  REQUIRE(f.driver->click("lesson:predict"));
  CHECK(shown_n(f) == 1024);
}

TEST_CASE("what a lesson's question is about", "[lesson]") {
  const Lab& gemm = *find_lab("gemm");
  const auto of = [&](const std::string& text, const std::string& kernel) {
    return asked_in(text, gemm, kernel);
  };
  const Asked blocks =
      of("How many times as fast as loop order is it at n = 2,048?", "gemm.cpu.cache_blocks");
  CHECK(blocks.of == "gemm.cpu.loop_order");
  CHECK(param_int(blocks.set, "n") == 2048);
  const Asked wide = of("How many times as fast as packed, AVX2 is it on your CPU, at n = 1000?",
                        "gemm.cpu.packed_avx512");
  CHECK(rung_of(wide.of)->title == std::string("packed, AVX2"));
  CHECK(wide.set.empty());  // no stop of the lab
  const Asked share = of("What share of the ceiling can it reach?", "gemm.cpu.packed");
  CHECK(share.of.empty());
  CHECK(share.set.empty());
}

TEST_CASE("each section that gives the result away is marked so, and no other",
          "[window][lesson]") {
  const auto text = figure::expand(
      "## gemm.cpu.naive_o1 x\n\n**Idea.** One.\n\n**What happened.** Two.\n\nThree.\n\n**Why.** "
      "Four:\n\n1. five\n\n**What limits it now.** Six.\n\n**In the code:** seven.\n\n"
      "**Outside.** Eight.\n\n> **Question.** Nine?\n\n> **Answer.** Ten.\n",
      {}, "a text");
  REQUIRE(text.ok());
  std::string marked;
  for (const LessonBlock& block : lesson_blocks(*text, *find_lab("gemm"))) {
    for (const Word& word : block.words) marked += block.gives_away ? word.text + " " : "";
  }
  CHECK(marked == "What happened. Two. Three. Why. Four: five What limits it now. Six. ");
}

TEST_CASE("a workload is not reckoned with a rung that is wrong by design", "[window][lesson]") {
  FakeSession::lab = "conv";
  {
    Fixture f;
    REQUIRE(f.state.selection.lab == find_lab("conv"));
    select_rung(f.state, "conv.cpu.as_printed");
    f.driver->frames(3);
    CHECK(workload_of(f.state).subtitle.find("as printed") == std::string::npos);
    perform(f.state, "run_workload");
    const WorkRequest request = f.session.last(RequestType::run);
    REQUIRE_FALSE(request.kernels.empty());
    CHECK(request.kernels.front().kernel != "conv.cpu.as_printed");
  }
  FakeSession::lab = "gemm";
}

TEST_CASE("the workload: shares of the work are arithmetic, times come from what ran",
          "[window][lesson]") {
  {
    Fixture small(1280, 720);  // its rows scroll, and are no rungs that could be followed
    perform(small.state, "workload");
    small.driver->frames(3);
    CHECK(small.driver->find("run_workload") != nullptr);
  }
  FakeSession::has_shapes = true;
  Fixture f;
  perform(f.state, "workload");
  f.driver->frames(3);
  REQUIRE(f.driver->find("run_workload") != nullptr);
  chart::ChartModel empty = workload_of(f.state);
  REQUIRE(empty.panels.size() == 4);
  CHECK_FALSE(empty.panels[2].empty_reason.empty());
  // Half the table's figures are known: 2048 x 12288 x 49152 in each half of the FFN, 96 times.
  const Workload& workload = f.state.selection.lab->workloads.front();
  const auto& parts = workload.parts;
  const auto macs = [&](size_t i) {
    return parts[i].call->flop(parts[i].params) / 2 * double(parts[i].calls);
  };
  CHECK(macs(5) / 96 == Approx(1.23695e12).epsilon(1e-5));
  CHECK(macs(2) / 96 == 51539607552.0);
  CHECK(macs(0) == Approx(1.28849e12).epsilon(1e-5));
  CHECK(macs(4) / 96 == Approx(3.09238e11).epsilon(1e-5));
  f.run_all();  // at n = 512, which is near to the heads' small products alone
  const chart::ChartModel far = workload_of(f.state);
  CHECK(far.panels[1].marks.size() == 2);
  CHECK(contains(far.panels[1].row_reasons[5], "too far from this shape"));
  CHECK_FALSE(far.panels[2].empty_reason.empty());
  CHECK(far.table.rows[0][5].empty());  // nothing had run at this shape
  set_param(f.state, "n", int64_t{12288});
  f.run_all();
  const chart::ChartModel near = workload_of(f.state);
  CHECK(near.panels[1].marks.size() == parts.size());
  for (const chart::Mark& mark : near.panels[1].marks) CHECK(mark.hatched);
  // Each row's rate is of the shape that is nearest to it, and the legend says which.
  const auto says = [&](const char* row, const char* size) {
    return std::any_of(near.legend.begin(), near.legend.end(), [&](const std::string& words) {
      return contains(words, row) && contains(words, size);
    });
  };
  CHECK(says("FFN, up", ": at the rate of n = 12288"));
  CHECK(says("S · V", ": at the rate of n = 512"));
  REQUIRE(f.driver->click("run_workload"));
  const WorkRequest request = f.session.last(RequestType::run);
  CHECK(request.kernels.size() == parts.size() - 1);  // Q, K, V and the projection are one shape
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    const Params& params = request.kernels[i].params;
    const double macs = double(param_int(params, "m")) * double(param_int(params, "n")) *
                        double(param_int(params, "k"));
    f.session.measure(request, static_cast<int>(i), macs * 1e-2);
  }
  f.session.finish(request);
  f.driver->frames(3);
  const chart::ChartModel filled = workload_of(f.state);
  REQUIRE(filled.panels[2].marks.size() == parts.size());
  double work = 0, time = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    work += filled.panels[0].marks[i].value;
    time += filled.panels[2].marks[i].value;
    CHECK_FALSE(filled.panels[2].marks[i].hatched);
  }
  CHECK(work == Approx(1));
  CHECK(time == Approx(1));
  // One rate for all shapes: it is said once, and the shares are those of the work.
  CHECK(filled.legend.back().ends_with(" in every row"));
  for (const chart::Mark& mark : filled.panels[1].marks) CHECK(mark.bare);
  CHECK(filled.panels[2].marks[5].value == Approx(filled.panels[0].marks[5].value));
  CHECK(filled.panels[3].marks[5].value == Approx(1 / (1 - filled.panels[2].marks[5].value / 2)));
  // Its figures are whole in a narrow place.
  const chart::Scene scene = chart::layout(filled, {.width = 760, .height = 300});
  for (const chart::Mark& mark : filled.panels[3].marks) {
    INFO(mark.label);
    CHECK(std::any_of(scene.primitives.begin(), scene.primitives.end(),
                      [&](const chart::Primitive& p) { return p.text == mark.label; }));
  }
  const std::string title = find_row(f.state.ladder, f.state.selection.rung)->rung->title;
  CHECK(contains(filled.table.rows[0][5], ", " + title));
  FakeSession::has_shapes = false;
}

TEST_CASE("at level Learn the diagnosis stands beside the lesson only where it is settled",
          "[window][lesson]") {
  LessonFixture f("gemm.cpu.packed_avx2", true);
  run_selected(f, 2.0 * 64 * 64 * 64 / 0.08e12 * 1e9);  // far from each ceiling, nothing counted
  const RungView* row = find_row(f.state.ladder, f.state.selection.rung);
  REQUIRE(row->series);
  REQUIRE(diagnose(*row->series, row->run->ceilings(), row->run->environment())->bottleneck ==
          Bottleneck::not_sure);
  REQUIRE(f.driver->find("diagnosis") != nullptr);
  // What is to be done can be done in the window, or the machine cannot do it.
  Series series = *row->series;
  Diagnosis open = *diagnose(series, row->run->ceilings(), row->run->environment());
  REQUIRE(open.unread == Unread::counters);
  const auto says = [&](const Run& run) { return what_would_tell(f.state, series, run, open); };
  CHECK(says(*row->run) == "Switch Counters on in Settings and run it again");
  CHECK(says(Run()) == "The run that it comes from read no hardware counters");
  f.state.selection.counters = true;
  series.unavailable["counters"] = "not asked for: run with --counters";
  CHECK(says(*row->run) == "Run it again: Counters are on in Settings");
  series.unavailable["counters"] = "the kernel does not allow it";
  CHECK(says(*row->run) == "Hardware counters were not to be had: the kernel does not allow it");
  f.state.selection.counters = false;
  series.unavailable.clear();
  open.unread = Unread::ceilings_and_counters;
  CHECK(contains(says(*row->run), "Switch Counters on in Settings"));
  CHECK(contains(says(*row->run), "on the screen Machine"));
  series.unavailable["counters"] = "not read in live mode: run in measure mode";
  CHECK(says(*row->run) == "Measure the ceilings on the screen Machine (Ctrl K, Machine)");
  set_level(f.state, Level::kLearn);
  f.driver->frames(3);
  CHECK(f.driver->find("diagnosis") == nullptr);
}

TEST_CASE("where a run shows another limit than the lesson names, one sentence says so and why",
          "[window][lesson]") {
  LessonFixture f("gemm.cpu.naive_o1", true);  // its lesson: a chain of additions, and cache lines
  set_level(f.state, Level::kLab);
  f.state.view.open_answers.insert(key_of_all(f.state));
  run_selected(f, 1e6);
  const RungView* row = find_row(f.state.ladder, f.state.selection.rung);
  REQUIRE(row->series);
  Diagnosis found{.bottleneck = Bottleneck::compute, .reason = ""};
  const std::vector<Bottleneck> expected = {Bottleneck::memory_bandwidth, Bottleneck::latency};
  const std::string differ = limits_differ(expected, found, *row->series);
  CHECK(differ ==
        "The lesson expects memory bandwidth, or latency or occupancy; this run shows compute: "
        "another size or another machine may have another limit, and no hardware counters were "
        "read.");
  CHECK(limits_differ({}, found, *row->series).empty());
  CHECK(limits_differ({Bottleneck::compute}, found, *row->series).empty());
  Series busy = *row->series;
  busy.stats->flags.push_back("contended");
  CHECK(contains(limits_differ(expected, found, busy), "measure again before you believe it"));
  found = {.bottleneck = Bottleneck::launch_overhead, .reason = "", .basis = Basis::exclusion};
  CHECK(contains(limits_differ(expected, found, *row->series),
                 "shows launch overhead by exclusion alone: "));
  found = {.bottleneck = Bottleneck::not_sure, .reason = "its caches were not looked at"};
  CHECK(limits_differ(expected, found, *row->series).empty());
  CHECK(unconfirmed_because({Bottleneck::compute}, found) ==
        "The lesson expects compute, and this run does not confirm it: its caches were not looked "
        "at.");
}

TEST_CASE("the card above a lesson is held against the limit that the lesson names",
          "[window][lesson]") {
  // At this speed compute binds both; the lesson of the first names other limits.
  const auto differs = [](const char* kernel) {
    LessonFixture f(kernel, true);
    set_level(f.state, Level::kLab);
    run_selected(f, 2.0 * 64 * 64 * 64 / 0.62e12 * 1e9);  // of 1 TFLOP/s; memory is under its 60 %
    const RungView* row = find_row(f.state.ladder, f.state.selection.rung);
    REQUIRE(row->series);
    REQUIRE(diagnose(*row->series, row->run->ceilings(), row->run->environment())->bottleneck ==
            Bottleneck::compute);
    REQUIRE(f.driver->find("diagnosis"));
    return f.driver->find("limits_differ") != nullptr;
  };
  CHECK(differs("gemm.cpu.naive_o1"));
  CHECK_FALSE(differs("gemm.cpu.packed_avx2"));
}

TEST_CASE("at level Learn no kernel's name stands between a lesson's title and its text",
          "[window][lesson]") {
  Fixture f(1280, 720);
  open_run(f.state, variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.fp32_large.jsonl");
  f.driver->frames(4);
  REQUIRE(f.state.is_replay());
  const auto named = [&](Level level) {
    set_level(f.state, level);
    int count = 0;
    for (const Rung& rung : f.state.selection.lab->rungs) {
      if (!find_row(f.state.ladder, rung.kernel)) continue;
      select_rung(f.state, rung.kernel);
      f.driver->frames(2);
      count += f.driver->find("diagnosis_kernels") != nullptr;
    }
    return count;
  };
  CHECK(named(Level::kLab) > 0);
  CHECK(named(Level::kLearn) == 0);
}

TEST_CASE("figures explain themselves on Machine, in the report and on the diagnosis card",
          "[window][lesson]") {
  CHECK(metric_of_title("NMSE") == "error_nmse");
  CHECK(metric_of_title("Time per call") == "time_per_call");
  CHECK(metric_of_title("Rung").empty());
  Fixture f(1600, 12000);
  f.run_all();
  f.driver->frames(3);
  CHECK(f.driver->find("diagnosis") != nullptr);
  f.driver->type('m');
  const auto explains = [&](const std::string& widget) {
    REQUIRE(f.driver->find(widget) != nullptr);
    compat::send_mouse(1, 1);
    f.driver->frames(3);
    REQUIRE(f.driver->hover(widget));
    f.driver->frames(30);  // longer than a tooltip waits
    const Area* tooltip = f.driver->find("tooltip");
    return tooltip && tooltip->h > 60;  // a text of several lines
  };
  CHECK(explains("ceiling:DRAM read, 1 thread"));
  f.driver->type('o');
  f.driver->frames(3);
  std::string head;
  for (const auto& [name, area] : f.driver->shell().widgets()) {
    if (name.starts_with("report_head:1:") && head.empty()) head = name;
  }

  REQUIRE_FALSE(head.empty());
  CHECK(explains(head));
}

TEST_CASE("a listing of a lesson breaks no line: what is too wide is scrolled",
          "[window][lesson]") {
  Fixture f(1280, 9000);
  open_lab(f.state, "parallel");
  f.state.view.tab = Tab::lesson;
  f.driver->frames(6);
  const auto begins = [](const std::string& name, const char* with) {
    return name.starts_with(with);
  };
  int listings = 0, scrolled = 0;
  for (const auto& [name, place] : f.driver->shell().widgets()) {
    if (!begins(name, "lesson:listing:")) continue;
    const bool is_beyond = name.ends_with(":beyond");
    listings += !is_beyond;
    if (!is_beyond) continue;
    INFO(name);
    CHECK(place.w > 0);   // to the end of its longest line
    CHECK(place.h == 0);  // and no further down
    ++scrolled;
  }
  CHECK(listings > 0);
  CHECK(scrolled > 0);
}

TEST_CASE("the tabs stand inside their panel at every size and scale", "[window][lesson]") {
  for (const float scale : {1.f, 1.5f, 2.f}) {
    Fixture f(1280, 720);
    f.state.appearance.scale = scale;
    f.driver->frames(4);
    const Area* panel = f.driver->find("right");
    if (panel == nullptr) continue;  // no room for it beside the chart
    INFO(scale);
    CHECK(f.driver->find("diff")->right() <= panel->right());
  }
}

}  // namespace
}  // namespace ridge::test
