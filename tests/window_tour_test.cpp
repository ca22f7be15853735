// Tours as lessons, in the window without display or worker: each beat of a step, what it hides, the kinds of steps, the
// end card, the presenter; and every shipped tour walked as on a machine that has no GPU.

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "app/query/diff.h"
#include "app/study/assets.h"
#include "app/study/lesson.h"
#include "app/window/panels/lesson_tab.h"
#include "app/window/shell/export.h"
#include "app/window/shell/settings.h"
#include "app/window/teach/bars.h"
#include "app/window/teach/canvas.h"
#include "app/window/teach/end_card.h"
#include "app/window/teach/explain.h"
#include "app/window/teach/figures.h"
#include "app/window/teach/lists.h"
#include "app/window/teach/measured_limit.h"
#include "app/window/teach/predict.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/step.h"
#include "app/window/teach/step_answer.h"
#include "app/window/teach/step_code.h"
#include "app/window/teach/step_origin.h"
#include "app/window/teach/step_outcome.h"
#include "app/window/teach/step_run.h"
#include "app/window/teach/tour_progress.h"
#include "app/window/views/view.h"
#include "common/core/format.h"
#include "common/record/derive.h"
#include "common/record/ratio_text.h"
#include "tests/program.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;
using compat::Key;
using study::Ask;
using study::StepKind;
using study::TourStep;

constexpr const char* kFirst = "gemm.cpu.naive_o1";
constexpr const char* kSecond = "gemm.cpu.naive_o3";

void type(Fixture& f, const std::string& text) {
  for (const char sign : text) f.driver->type(sign);
}

const std::vector<Recording>& shipped() {
  static const auto kAll =
      app::load_recordings(std::string(std::getenv("RIDGE_SOURCE")) + "/assets/recorded", nullptr);
  return kAll;
}

StepBars bars_in(const Fixture& f) {
  return step_bars(f.state, shown_step(f.state));
}

/// Types a number, or takes the first choice.
void answer(Fixture& f) {
  const TourStep step = shown_step(f.state);
  if (!choices_of(step, bars_in(f)).empty()) {
    REQUIRE(f.driver->click("answer:1"));
    return;
  }
  REQUIRE(f.driver->click("answer_field"));
  type(f, step.ask == Ask::time ? "80 ms" : "3");
}

/// Everything that the step sent, one request after the other, as a worker would answer it.
void answer_requests(Fixture& f) {
  size_t answered = 0;
  for (int guard = 0; guard < 40 && f.state.requests.is_measuring(); ++guard) {
    const WorkRequest request = f.session.sent.back();
    if (request.type == RequestType::compare)
      f.session.judge(request, Verdict::faster, 2.0);
    else
      for (size_t i = 0; i < request.kernels.size(); ++i)
        f.session.measure(request, static_cast<int>(i), 8e6 / static_cast<double>(++answered));
    if (request.type == RequestType::run) f.session.finish(request);
    f.driver->frames(3);
  }
  REQUIRE_FALSE(f.state.requests.is_measuring());
}

/// The rest of an explanation comes before the next step.
void read_on(Fixture& f) {
  f.driver->frames(2);
  for (int pages = 0; f.state.teaching.has_more && pages < 20; ++pages) {
    f.driver->key(Key::page_down);
    CHECK(f.state.teaching.beat == Beat::explain);
    f.driver->frames(2);
  }
}

TEST_CASE("a tour: an answer unlocks Run, results come with Reveal, the last step has an end card",
          "[tour]") {
  Fixture f;
  f.driver->type('j');
  REQUIRE(f.driver->click("tour:meetup"));
  REQUIRE(f.state.teaching.tour);
  CHECK(f.state.view.screen == ScreenId::tour);
  CHECK(f.state.teaching.tour->id == "meetup");
  CHECK(f.state.teaching.tour_step == 0);
  REQUIRE(f.driver->find("step_code"));
  CHECK_FALSE(f.driver->find("step_bars"));

  REQUIRE(f.driver->click("advance"));
  CHECK(f.state.teaching.beat == Beat::predict);  // locked
  CHECK(contains(f.state.notice.text, "unlocks Run"));
  f.driver->frames(3);
  type(f,
       "quick");  // the field has the keyboard: no letter leads to another screen, and none goes in
  CHECK(f.state.view.screen == ScreenId::tour);
  CHECK(answer_here(f.state).typed.empty());
  CHECK(contains(f.state.notice.text, "digits first"));
  f.driver->key(Key::enter);
  CHECK(f.state.teaching.beat == Beat::predict);
  CHECK(f.session.count(RequestType::run) == 0);
  f.driver->frames(3);
  CHECK(contains(f.state.notice.text, "unlocks Run"));
  type(f, "80 ms");  // and keeps it where an answer cannot be read
  CHECK(answer_here(f.state).typed == "80 ms");
  CHECK(f.state.notice.text.empty());  // the answer that it asked for is there
  f.driver->key(Key::enter);
  REQUIRE(f.state.teaching.beat == Beat::run);
  const WorkRequest run = f.session.last(RequestType::run);
  REQUIRE(run.kernels.size() == 1);
  CHECK(run.mode == RunMode::live);
  CHECK(param_int(run.kernels[0].params, "n") == 256);  // Watch it climb has shown that of 512
  REQUIRE(f.session.predictions().size() == 1);
  CHECK(f.session.predictions()[0].value == Approx(80e6));
  CHECK(f.driver->find("step_progress"));

  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::run);  // not while it runs
  CHECK(contains(f.state.notice.text, "Still running"));
  answer_requests(f);
  f.driver->frames(3);
  CHECK(f.state.notice.text.empty());         // it runs no more
  CHECK(f.state.teaching.beat == Beat::run);  // measured, and still hidden
  CHECK_FALSE(f.driver->find("step_bars"));
  CHECK_FALSE(f.driver->find("outcome"));
  CHECK_FALSE(f.driver->find("bottom"));
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::reveal);
  CHECK(f.driver->find("step_bars"));
  f.driver->frames(120);  // the race is over
  CHECK(f.driver->find("answer_mark"));
  const TourStep step = shown_step(f.state);
  const StepBars bars = bars_in(f);
  const StepOutcome outcome = outcome_of(f.state, step, bars);
  CHECK(outcome.value == Approx(8e6));
  CHECK(outcome_sentence(step, bars, answer_here(f.state), outcome) ==
        "You said 80.0 ms: at least 9.90× too high. It is 8.00 ms.");
  CHECK(f.driver->find("answer_gap"));  // and the picture says how far off
  // A time is asked for, so the bars are times: 80 ms lies beyond the end of an axis for 8 ms.
  CHECK(*answer_mark(step, bars, answer_here(f.state), outcome) == Approx(80e6));
  const Area &mark = *f.driver->find("answer_mark"), &row = *f.driver->find("bar:1");
  CHECK(mark.x == Approx(row.right()).margin(3));
  CHECK(contains(step_bars_words(f.state, step, bars), "Time of one call from zero"));
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::explain);
  read_on(f);
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.tour_step == 1);
  CHECK(tour_clock(f.state).find("step 2 of") == 0);
  f.driver->key(Key::page_up);
  CHECK(f.state.teaching.tour_step == 0);
  CHECK(f.state.teaching.beat == Beat::explain);  // it was revealed before

  // To the lab and back: the tour waits where it was.
  REQUIRE(f.driver->click("tab:lab"));
  REQUIRE(f.driver->find("tour_bar"));
  set_param(f.state, "n", 128);
  REQUIRE(f.driver->click("show_tour"));
  CHECK(f.state.view.screen == ScreenId::tour);
  CHECK(param_int(f.state.selection.params, "n") == 256);
  // End shows what was said so far; the card's own button leaves.
  REQUIRE(f.driver->click("end_tour"));
  REQUIRE(f.driver->find("end_card"));
  CHECK(f.driver->find("end_words:1"));
  f.driver->key(Key::page_up);
  CHECK(f.state.teaching.beat == Beat::explain);
  REQUIRE(f.driver->click("end_tour"));
  f.driver->key(Key::page_down);
  CHECK_FALSE(f.state.teaching.tour);
  CHECK(f.state.view.screen == ScreenId::lab);
  // Resumed it has what was said and shown; begun anew it has not.
  resume_tour(f.state, "meetup");
  f.driver->frames(2);
  CHECK(f.state.teaching.tour_step == 0);
  REQUIRE(f.state.teaching.results.contains(0));
  CHECK(f.state.teaching.results.at(0).said == "80.0 ms");
  CHECK(f.state.teaching.answers.at(0).typed == "80 ms");
  start_tour(f.state, "meetup");
  CHECK(f.state.teaching.results.empty());
}

TEST_CASE("a factor that answers a tour's step is a prediction too, held before the run",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 1);
  f.driver->frames(3);
  REQUIRE(shown_step(f.state).ask == Ask::ratio);
  type(f, "2");
  f.driver->key(Key::enter);
  REQUIRE(f.state.teaching.beat == Beat::run);
  REQUIRE(f.session.predictions().size() == 1);
  const Prediction& said = f.session.predictions()[0];
  CHECK(said.kernel == shown_step(f.state).rungs.back());
  CHECK(said.of == shown_step(f.state).rungs.front());
  CHECK(said.factor == 2);
  CHECK(param_int(said.params, "n") == 256);
}

TEST_CASE("a reason that leads to a table has it below", "[tour]") {
  Fixture f;
  start_tour(f.state, "class", 2);
  f.state.teaching.beat = Beat::explain;
  f.driver->frames(3);
  REQUIRE(f.driver->find("step_lesson"));
  CHECK(f.driver->find("step_lesson_aside"));
}

TEST_CASE("where a lesson counts at another size than its step ran, the step has its own count",
          "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();  // its figures then are of a machine and a size
  start_tour(f.state, "meetup", 1);
  f.state.teaching.beat = Beat::explain;
  f.driver->frames(3);
  REQUIRE(f.driver->find("step_lesson"));
  CHECK_FALSE(f.driver->find("step_lesson_size"));
  CHECK(contains(shown_step(f.state).why, "256"));
  const StepBars bars = bars_in(f);
  LessonText lesson;
  const Params counted =
      counted_at(lesson.blocks(f.state), *f.state.selection.lab, bars.last()->asked.kernel);
  CHECK(other_size(f.state, bars, *bars.last(), counted) ==
        "The lesson counts at n = 512; this step ran n = 256.");

  start_tour(f.state, "class", 1);  // of the lesson's own size
  f.state.teaching.beat = Beat::explain;
  f.driver->frames(3);
  REQUIRE(f.driver->find("step_lesson"));
  CHECK_FALSE(f.driver->find("step_lesson_size"));
}

TEST_CASE("the end card says which steps another window has seen", "[tour]") {
  Fixture f;
  f.state.tour_progress.places["meetup"] = {1, {0}};
  start_tour(f.state, "meetup", 1);
  f.state.teaching.results[1] = {};
  f.driver->frames(2);
  REQUIRE(f.driver->click("end_tour"));
  CHECK(f.driver->find("end_earlier"));
}

TEST_CASE("a tour resumes at a step, and its end card has score, verdicts, report, next",
          "[tour]") {
  Fixture f;
  TemporaryFolder folder;
  f.state.settings.export_root = folder.path;
  start_tour(f.state, "first_hour", 11);
  f.driver->frames(2);
  REQUIRE(shown_step(f.state).kind == StepKind::question);
  f.driver->type('3');  // a choice by its key
  CHECK(answer_here(f.state).choice == 2);
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::reveal);  // a question runs nothing
  CHECK(f.session.count(RequestType::run) == 0);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  REQUIRE(shown_step(f.state).kind == StepKind::compare);
  f.driver->type('1');
  f.driver->key(Key::page_down);
  answer_requests(f);
  CHECK(f.session.count(RequestType::compare) == 1);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  read_on(f);
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::done);
  CHECK(f.state.teaching.tour_step == 12);
  // Its clock stops at the end card, and goes on from there where a person goes back.
  const std::string ended = tour_clock(f.state);
  const double now_s = f.state.teaching.now_s;
  (void)tick_teaching(f.state, now_s + 600);
  CHECK(tour_clock(f.state) == ended);
  go_back(f.state);
  CHECK(tour_clock(f.state) == ended);
  (void)tick_teaching(f.state, now_s + 1200);
  CHECK(tour_clock(f.state) != ended);
  (void)tick_teaching(f.state, now_s);
  advance(f.state);
  REQUIRE(f.driver->find("end_card"));
  const auto& results = f.state.teaching.results;
  REQUIRE(results.size() == 2);
  CHECK(results.at(11).right == true);
  CHECK(results.at(12).right == true);
  REQUIRE(f.driver->find("end_step:13"));
  // What to do next stands above what may be claimed, and is the screen's one call.
  CHECK(f.driver->find("next:fusion")->y < f.driver->find("report_tour")->y);
  CHECK(contains(results.at(12).claim, "faster, 2.00× as fast, interval [1.98, 2.02]"));
  REQUIRE(f.driver->click("report_tour"));
  CHECK(f.driver->find("written"));
  CHECK(contains(f.state.written.file, folder.path));
  // Page 1 has what was answered and what may be claimed of every step.
  const auto page = read_text(f.state.history.last_export + "/report.md");
  REQUIRE(page);
  CHECK(contains(*page, "## The tour: Your first hour alone"));
  CHECK(contains(*page, "| At | Predicted |"));
  CHECK(contains(*page,
                 "| " + results.at(12).at + " |"));  // each step's own, not that of the lab in view
  CHECK(contains(results.at(12).at, "n = "));
  CHECK(contains(*page, "faster, 2.00× as fast, interval"));
  REQUIRE(f.driver->click("next:fusion"));
  CHECK(f.state.teaching.tour->id == "fusion");
}

TEST_CASE("a failed comparison of a tour stays unresolved, and no prediction is no error",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 5);
  f.driver->frames(2);
  f.driver->type('1');
  f.driver->key(Key::page_down);
  const WorkRequest run = f.session.last(RequestType::run);
  f.session.measure(run, 0, 1e6);
  f.session.finish(run, "cancelled");
  f.driver->frames(3);
  CHECK(f.session.count(RequestType::compare) == 0);  // what was cancelled does not go on
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  CHECK(contains(f.state.teaching.results.at(5).measured, "cancelled before enough rounds"));
  CHECK_FALSE(f.state.teaching.results.at(5).right);
}

TEST_CASE("an answer is read as what its step asks for", "[tour]") {
  CHECK(*parse_answer(Ask::time, "12 ms") == Approx(12e6));
  CHECK(*parse_answer(Ask::share, "45 %") == Approx(0.45));
  CHECK(*parse_answer(Ask::share, "45") == Approx(0.45));
  CHECK(*parse_answer(Ask::time, "5") == Approx(5e6));  // milliseconds, as the words beside it say
  CHECK(*parse_answer(Ask::time, "80 us") == Approx(80e3));
  for (const char* wrong : {"3x", "quick", "", "80 mm"}) {
    INFO(wrong);
    const auto read = parse_answer(Ask::time, wrong);
    REQUIRE_FALSE(read);
    CHECK_FALSE(contains(read.error().sentence(), "3x;"));
    CHECK(contains(read.error().sentence(), "type digits"));
    CHECK_FALSE(contains(read.error().sentence(), "80 ms"));  // no example to guess by
  }
  for (const char* text : {"4", "4x", "4 ×", " 4 times"})
    CHECK(*parse_answer(Ask::ratio, text) == Approx(4));
  for (const char* wrong : {"", "fast", "-2", "0", "4 ms", "nan", "inf", "1e12"}) {
    INFO(wrong);
    CHECK_FALSE(parse_answer(Ask::ratio, wrong));
  }
}

TEST_CASE(
    "the presenter shows rungs of one type and size, runs without an answer at the second press",
    "[tour]") {
  Fixture f;
  f.run_all();
  select_rung(f.state, kSecond);
  f.state.appearance.scale = 0.75f;
  f.state.appearance.light_theme = true;
  TemporaryFolder folder;
  f.state.settings.path = folder.path + "/settings.json";
  f.driver->frames(2);
  f.driver->type('p');
  CHECK(f.state.view.screen == ScreenId::presenter);
  CHECK(f.state.appearance.scale == Approx(1.67f));  // text of 12 px is 20 px
  const TourStep step = shown_step(f.state);
  CHECK(step.rungs.front() == kFirst);
  CHECK(step.rungs.back() == kSecond);
  CHECK(step.rungs.size() == 3);  // and the library
  std::set<std::string> types, sizes;
  for (const LessonBar& bar : bars_in(f).bars) {
    REQUIRE(bar.series);
    types.insert(dtype_of(*bar.series));
    sizes.insert(to_string(ParamValue(param_int(bar.series->params, "n"))));
  }
  CHECK(types.size() == 1);
  CHECK(sizes.size() == 1);
  const int before = f.session.count(RequestType::run);
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::predict);
  CHECK(contains(f.state.notice.text, "Page Down again"));
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::run);
  CHECK(f.session.count(RequestType::run) == before + 1);
  CHECK(f.driver->find("step_progress"));
  answer_requests(f);
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::reveal);
  CHECK(f.driver->find("step_code"));  // a talk about three loops shows them
  f.driver->key(Key::page_down);
  read_on(f);
  f.driver->key(Key::page_down);
  CHECK(f.state.selection.rung != kSecond);  // the next rung
  CHECK(f.state.teaching.beat == Beat::predict);
  CHECK(f.state.appearance.full_screen);
  perform(f.state, "theme");  // saves the settings: not the presenter's scale
  State again;
  again.settings.path = f.state.settings.path;
  load_settings(&again);
  CHECK(again.appearance.scale == Approx(0.75f));
  CHECK_FALSE(again.appearance.light_theme);  // chosen by its key, on the stage too
  f.driver->key(Key::escape);
  CHECK(f.state.view.screen == ScreenId::lab);
  CHECK(f.state.appearance.scale == Approx(0.75f));
  CHECK_FALSE(f.state.appearance.light_theme);
  CHECK_FALSE(f.state.appearance.full_screen);
  CHECK(f.state.selection.rung == kSecond);
}

TEST_CASE("without a tour a library is something to compare with, and no idea that is new",
          "[tour]") {
  Fixture f;
  f.run_all();
  for (const char* kernel : {kSecond, "gemm.cpu.onednn"}) {
    select_rung(f.state, kernel);
    f.driver->frames(2);
    toggle_presenter(f.state);
    const std::string question = shown_step(f.state).question;
    INFO(question);
    CHECK(question.starts_with("New here: ") == !rung_of(kernel)->peer);
    CHECK(question.starts_with("To compare with: “oneDNN”, ") == rung_of(kernel)->peer);
    toggle_presenter(f.state);
  }
}

TEST_CASE("on a wall the code is as large as in the window at least, whole, and 20 px high",
          "[tour]") {
  for (const auto& [width, height] : {std::pair(1600.f, 1000.f), std::pair(1920.f, 1080.f)}) {
    const std::string source =
        read_text(variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/naive.cpp").value();
    FakeSession::texts = {{kFirst, source}, {kSecond, source}};
    Fixture f(width, height);
    FakeSession::texts.clear();
    start_tour(f.state, "meetup", 1);
    f.driver->frames(5);
    const auto code_px = [&] {
      REQUIRE(f.driver->find("code_line"));
      return f.driver->find("code_line")->h;
    };
    const auto is_whole = [&] {
      return f.driver->find("step_code_needs")->h <= f.driver->find("step_code")->h + 1;
    };
    const float in_window = code_px();
    REQUIRE(perform(f.state, "show_presenter"));
    f.driver->frames(5);
    INFO(width << ": " << in_window << " in the window, " << code_px());
    CHECK(code_px() >= in_window);
    CHECK(code_px() >= 20);
    CHECK(is_whole());
    f.driver->key(Key::page_down);
    f.driver->key(Key::page_down);
    REQUIRE(f.state.teaching.beat == Beat::run);
    CHECK(code_px() >= 20);
    CHECK(is_whole());
    answer_requests(f);
    f.driver->key(Key::page_down);
    REQUIRE(f.state.teaching.beat == Beat::reveal);
    REQUIRE(f.driver->find("step_code"));  // whole, or the part with its inner loop
    CHECK(code_px() >= 20);
  }
}

TEST_CASE("on a wall a line that is too wide stands in rows, of a change as of a whole source",
          "[tour]") {
  const std::string source =
      read_text(variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/naive.cpp").value();
  std::string wide = source;
  std::string sum = "  const float total = first";
  for (int i = 0; i < 30; ++i) sum += " + element_" + std::to_string(i);
  wide.insert(wide.find('\n', wide.find("for (")) + 1, sum + ";\n");
  for (const int step : {1, 5}) {  // two rungs; beside a library one source
    FakeSession::texts = {{kFirst, source}, {kSecond, wide}, {"gemm.cpu.packed_avx2", wide}};
    Fixture f(1280, 720);
    FakeSession::texts.clear();
    start_tour(f.state, step == 1 ? "meetup" : "class", step);
    REQUIRE(perform(f.state, "show_presenter"));
    f.driver->frames(5);
    INFO(step);
    REQUIRE(f.driver->find("code_beyond"));
    CHECK(f.driver->find("code_beyond")->w == 0);
  }
}

TEST_CASE("code that is longer and wider than its place is scrolled to, and shows that it goes on",
          "[tour]") {
  constexpr const char* kLong = "gemm.cpu.packed_avx2";
  std::string source =
      read_text(variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/naive.cpp").value();
  for (int i = 0; i < 60; ++i)
    source.insert(source.find("\nnamespace"), "\nint added = " + std::string(300, '1') + ";");
  FakeSession::texts = {{kLong, source}};
  Fixture f(1280, 720);
  FakeSession::texts.clear();
  start_tour(f.state, "class", 5);  // beside a library there is no diff: the whole source
  f.driver->frames(5);
  const Area* beyond = f.driver->find("code_beyond");
  REQUIRE(beyond);
  CHECK(beyond->w > 100);
  CHECK(beyond->h > 100);
  CHECK(f.driver->find("more:step_code:below"));
  CHECK_FALSE(f.driver->find("more:step_code:above"));  // it begins at its first line
}

TEST_CASE("the part of long code that stands on a wall begins at no second line of a signature",
          "[tour]") {
  const std::vector<std::string_view> lines = {"int a;",
                                               "int b;",
                                               "static void multiply(int rows,",
                                               "                     int n) {",
                                               "  for (int i = 0; i < rows; ++i) {",
                                               "    sum += n;",
                                               "    sum *= n;",
                                               "  }",
                                               "}"};
  for (size_t most = 3; most < lines.size(); ++most) {
    const auto part = key_part(lines, most);
    INFO(most);
    REQUIRE(part.size() >= 2);
    CHECK(part.size() <= most);
    CHECK_FALSE(contains(std::string(part[part.front() == "…"]), "int n)"));
  }
}

TEST_CASE(
    "an excerpt begins with no end of another block, and of a change with no body without its head",
    "[tour]") {
  const std::vector<std::string_view> lines = {"int first(int n) {",
                                               "  n += 1;",
                                               "  n += 2;",
                                               "  return n;",
                                               "}",
                                               "int second(int n) {",
                                               "  for (;;) {",
                                               "    n += 3;",
                                               "    n += 4;",
                                               "  }",
                                               "  return n;",
                                               "}"};
  for (size_t most = 8; most < 12; ++most) {
    const auto part = key_part(lines, most);
    INFO(most);
    REQUIRE(part.size() > 2);
    CHECK(part[part.front() == "…"].starts_with("int "));
  }
  const std::string before = "void f() {\n  for (;;) {\n    a();\n    b();\n  }\n}\n",
                    after = "void f() {\n  int x = 0;\n  for (;x;) {\n    c();\n    d();\n  }\n}\n";
  for (size_t most = 5; most < 9; ++most) {
    const auto shown = app::key_lines(app::fold_equal(app::diff_code(before, after), 0), most);
    INFO(most);
    REQUIRE(shown.size() > 1);
    CHECK(shown[1].text.find_first_not_of(' ') == 2);
  }
}

TEST_CASE("on a wall Explain's code is no smaller than the words around it, however long it is",
          "[tour]") {
  const std::string source =
      read_text(variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/naive.cpp").value();
  std::string longer = source;
  for (int i = 0; i < 60; ++i) longer.insert(longer.find("\nnamespace"), "\nint added;");
  FakeSession::texts = {{kFirst, source}, {kSecond, longer}};
  Fixture f(1920, 1080);
  FakeSession::texts.clear();
  start_tour(f.state, "meetup", 1);
  f.driver->frames(5);
  REQUIRE(perform(f.state, "show_presenter"));
  f.driver->frames(5);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  answer_requests(f);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::explain);
  for (int page = 0; page < 9 && !f.driver->find("code_line"); ++page)
    f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::explain);
  REQUIRE(f.driver->find("code_line"));
  CHECK(f.driver->find("code_line")->h >= std::round(kCode_px * f.state.appearance.scale) - 1);
}

TEST_CASE(
    "a step uses what an earlier step measured, says so, and measures again where it is asked to",
    "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 3);
  f.driver->frames(3);
  answer(f);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::run);
  answer_requests(f);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  read_on(f);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.tour_step == 4);  // the same four rungs, on their roofline
  const int sent = f.session.count(RequestType::run);
  CHECK(is_known(shown_step(f.state), bars_in(f)));
  for (const LessonBar& bar : bars_in(f).bars) CHECK(bar.measured_at == 3);
  answer(f);
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::reveal);
  CHECK(f.session.count(RequestType::run) == sent);
  f.driver->key(Key::page_up);
  REQUIRE(f.state.teaching.tour_step == 3);
  REQUIRE(f.state.teaching.beat == Beat::explain);  // what was revealed is not asked again
  CHECK_FALSE(is_known(shown_step(f.state), bars_in(f)));
  f.driver->type('r');
  CHECK(f.state.teaching.beat == Beat::run);
  CHECK(f.session.count(RequestType::run) == sent + 1);
}

TEST_CASE("a tour that is begun over an open saved run measures here", "[tour]") {
  Fixture f;
  f.run_all();
  const TemporaryFolder folder;
  const std::string path = folder.path + "/run.jsonl";
  REQUIRE(f.session.save(path));
  open_run(f.state, path);
  f.driver->frames(3);
  REQUIRE(f.state.is_replay());
  present_tour(f.state, "meetup");
  f.driver->frames(3);
  CHECK_FALSE(f.state.is_replay());
  REQUIRE(f.state.teaching.tour);
  CHECK(f.state.view.screen == ScreenId::presenter);
  CHECK(bars_in(f).bars.front().can_run);
}

TEST_CASE("a recording that was opened in the middle of a tour takes nothing of it away",
          "[tour]") {
  Fixture f;
  const TemporaryFolder folder;
  const std::string path = folder.path + "/run.jsonl";
  start_tour(f.state, "meetup", 0);
  f.driver->frames(4);
  type(f, "80 ms");
  f.driver->key(Key::page_down);
  answer_requests(f);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const std::string measured = f.state.teaching.results.at(0).measured;
  REQUIRE(f.session.save(path));
  const auto look_elsewhere = [&] {
    open_run(f.state, path);
    f.driver->frames(3);
    REQUIRE(f.state.is_replay());
    REQUIRE(f.state.view.screen == ScreenId::lab);
  };
  const auto is_back = [&] {
    f.driver->frames(3);
    CHECK_FALSE(f.state.is_replay());
    CHECK(f.state.teaching.tour_step == 0);
    CHECK(f.state.teaching.beat == Beat::reveal);
    CHECK(f.state.teaching.results.at(0).measured == measured);
    CHECK(answer_here(f.state).typed == "80 ms");
    REQUIRE_FALSE(bars_in(f).bars.empty());
    CHECK(bars_in(f).bars.front().machine.empty());
    CHECK(bars_in(f).bars.front().series);
  };
  look_elsewhere();
  CHECK_FALSE(f.driver->find("tour_bar"));
  CHECK(f.driver->find(
      "kept_bar"));  // the way back to measuring stays beside the way back to the tour
  REQUIRE(f.driver->click("show_tour"));
  is_back();
  CHECK(f.state.view.screen == ScreenId::tour);
  look_elsewhere();
  f.driver->type('p');
  is_back();
  CHECK(f.state.view.screen == ScreenId::presenter);
  f.driver->key(Key::escape);
  // A room begins at the first question, without what the learner has answered; who leaves the stage finds it as it was.
  for (const bool is_away : {true, false}) {
    if (is_away) look_elsewhere();
    present_tour(f.state, "meetup");
    f.driver->frames(3);
    CHECK(f.state.view.screen == ScreenId::presenter);
    CHECK_FALSE(f.state.is_replay());
    CHECK(f.state.teaching.tour_step == 0);
    CHECK(f.state.teaching.beat == Beat::predict);
    CHECK(answer_here(f.state).typed.empty());
    CHECK(f.state.teaching.results.empty());
    f.driver->key(Key::escape);
    is_back();
    CHECK(f.state.view.screen == ScreenId::tour);
  }
  look_elsewhere();
  go_to_step(f.state, 2);
  f.driver->frames(3);
  CHECK_FALSE(f.state.is_replay());
  CHECK(f.state.teaching.tour_step == 2);
  CHECK(f.state.teaching.results.contains(0));
}

TEST_CASE("a tour that is left gives back the size that was chosen before it", "[tour]") {
  Fixture f;
  set_param(f.state, "n", int64_t{512});
  f.driver->frames(3);
  start_tour(f.state, "meetup", 0);
  f.driver->frames(4);
  REQUIRE(param_int(shown_params(f.state), "n") != 512);
  start_tour(f.state, "claims", 0);  // of two tours in a row what was there before the first
  start_tour(f.state, "meetup", 1);
  f.driver->frames(4);
  end_tour(f.state);
  f.driver->frames(3);
  CHECK(f.state.view.screen == ScreenId::lab);
  CHECK(param_int(shown_params(f.state), "n") == 512);
}

TEST_CASE("the tour's tab lists the tours while none is on", "[tour]") {
  Fixture f;
  show_screen(f.state, ScreenId::tour);
  f.driver->frames(3);
  REQUIRE(f.driver->click("tour:meetup"));
  REQUIRE(f.state.teaching.tour);
  CHECK(f.state.teaching.tour->id == "meetup");
}

TEST_CASE("a pointer that rests on the stage hides until it moves", "[tour]") {
  Fixture f;
  REQUIRE(perform(f.state, "show_presenter"));
  f.driver->frames(3);
  CHECK(ImGui::GetMouseCursor() != ImGuiMouseCursor_None);
  f.driver->frames(150);  // 2.5 s
  CHECK(ImGui::GetMouseCursor() == ImGuiMouseCursor_None);
  f.driver->move(300, 200);
  f.driver->frames(2);
  CHECK(ImGui::GetMouseCursor() != ImGuiMouseCursor_None);
}

TEST_CASE("a saved run is presented from the step of its ladder that gains most", "[tour]") {
  // At Learn the lab covers what its lesson asks about: the presenter knows it all the same.
  const Level level = GENERATE(Level::kLearn, Level::kLab);
  Fixture f;
  f.state.appearance.level = level;
  open_run(f.state, std::string(std::getenv("RIDGE_SOURCE")) +
                        "/assets/recorded/gemm.h200.fp32_large.jsonl");
  f.driver->frames(4);
  REQUIRE(f.state.is_replay());
  begin_presenting(f.state);
  f.driver->frames(4);
  const std::string largest = largest_step(f.state);
  REQUIRE_FALSE(largest.empty());
  CHECK(f.state.selection.rung == largest);
  const TourStep step = shown_step(f.state);
  REQUIRE(rung_of(step.rungs.front()));
  CHECK_FALSE(rung_of(step.rungs.front())->peer);
  CHECK_FALSE(rung_of(step.rungs.back())->peer);
  CHECK(step.set.at("n") == shown_params(f.state).at("n"));
  CHECK(contains(step.question, "How many times as fast as “"));
  CHECK(contains(step.question, "” is “" + std::string(rung_of(largest)->title) + "” at n = "));
}

TEST_CASE("each side of a step has its own type, and its baseline is of the rung's own part",
          "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  open_run(f.state, std::string(std::getenv("RIDGE_SOURCE")) + "/assets/recorded/quant.h200.jsonl");
  f.driver->frames(4);
  open_lab(f.state, "quant");
  select_rung(f.state, "gemv.cuda.naive");
  perform(f.state, "show_presenter");
  f.driver->frames(3);
  const auto show = [&](const char* rung) {
    select_rung(f.state, rung);
    rebuild_ladder(f.state);
    const TourStep step = shown_step(f.state);
    const StepBars bars = bars_in(f);
    INFO(rung << ": " << step.question);
    for (const LessonBar& bar : bars.bars) {
      INFO(bar.title << ": " << bar.reason);
      CHECK(bar.series);
    }
    const StepOutcome outcome = outcome_of(f.state, step, bars);
    CHECK(outcome.missing == "");
    CHECK(outcome.value > 0);
    CHECK(outcome.pair_machine.find("H100") == std::string::npos);  // beside bars of an H200
    return step;
  };
  // Half of the bits are a step from all of them: of the baseline what it has, and not the candidate's type.
  for (const char* rung :
       {"gemv.cuda.vectors_bf16", "gemv.cuda.vectors_fp8", "gemv.cuda.vectors_int8",
        "gemv.cuda.vectors_int4", "gemv.cuda.dp4a", "gemv.cuda.warp_rings_fp8"}) {
    const TourStep step = show(rung);
    CHECK(step.ask == Ask::ratio);
    CHECK(step.rungs.front() == previous_rung(*f.state.selection.lab, *rung_of(rung))->kernel);
  }
  CHECK_FALSE(contains(asked_at(f.state), "fp8"));  // it is of one side alone
  // The first of its part has nothing before it, whatever else the run holds pairs of; its library is of its type.
  const TourStep first = show("gemv.cuda.warp_rings_bf16");
  CHECK(first.ask == Ask::time);
  CHECK(first.rungs == std::vector<std::string>{"gemv.cuda.cublas", "gemv.cuda.warp_rings_bf16"});
  CHECK(show("gemv.cuda.warp_rings_fp8").rungs.size() == 2);  // no library of the part has fp8
}

TEST_CASE("a trap is asked by which factor it is off, and both readings have a bar", "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  open_run(f.state, std::string(std::getenv("RIDGE_SOURCE")) +
                        "/assets/recorded/traps.h100_80gb_hbm3.jsonl");
  f.driver->frames(4);
  begin_presenting(f.state);
  f.driver->frames(3);
  CHECK(f.state.selection.rung == "traps.cuda.no_synchronisation");  // the first that the run holds
  const TourStep step = shown_step(f.state);
  CHECK(step.ask == Ask::factor);
  CHECK(contains(step.question, "By which factor"));
  CHECK(step.rungs.size() == 1);  // no trap is so many times as fast as another
  // On a wall stands what is wrong, not what guards against it.
  const SourceText* source = find_source(f.state, f.state.selection.rung);
  REQUIRE(source);
  const auto part = key_part(code_lines(*source), 12);
  REQUIRE(part.size() > 2);
  CHECK(contains(std::string(part[1]), "lie()"));
  REQUIRE(f.driver->click("answer_field"));
  type(f, "5");
  for (int guard = 0; f.state.teaching.beat != Beat::reveal && guard < 40; ++guard) {
    f.driver->frames(20);
    f.driver->key(Key::page_down);
  }
  f.driver->frames(60);
  const TrapOutcome& trap = *bars_in(f).last()->series->trap;
  REQUIRE(trap.bias == "low");
  const StepOutcome outcome = outcome_of(f.state, step, bars_in(f));
  CHECK(outcome.value == Approx(1 / trap.factor));
  CHECK(contains(outcome.interval, "too low"));
  const StepBars drawn = bars_in(f).drawn();
  REQUIRE(drawn.bars.size() == 2);
  CHECK(drawn.bars.front().value == trap.honest.median);
  CHECK(drawn.bars.back().value == trap.lie.median);
  CHECK(f.driver->find("bar:2"));
  // Five times too low is longer than what was reported, and shorter than what is true.
  const auto mark = answer_mark(step, drawn, answer_here(f.state), outcome);
  REQUIRE(mark);
  CHECK(*mark > trap.lie.median);
  CHECK(*mark < trap.honest.median);
  CHECK(contains(how_far(step, bars_in(f), answer_here(f.state), outcome), "too low"));
}

TEST_CASE("where speed is bought with accuracy, both are asked for and both are shown", "[tour]") {
  const auto [file, lab, rung, against] =
      GENERATE(table<const char*, const char*, const char*, const char*>(
          {{"mixed.h100_80gb_hbm3", "mixed", "mixed.cuda.fp16_dynamic", "mixed.cuda.fp32"},
           {"quant.intel_r_xeon_r_processor", "quant", "quantnet.cpu.int8_tensor",
            "quantnet.cpu.fp32"}}));
  Fixture f;
  f.state.sessions.recordings = shipped();
  open_run(f.state,
           std::string(std::getenv("RIDGE_SOURCE")) + "/assets/recorded/" + file + ".jsonl");
  f.driver->frames(4);
  open_lab(f.state, lab);
  select_rung(f.state, rung);
  perform(f.state, "show_presenter");
  f.driver->frames(3);
  const TourStep step = shown_step(f.state);
  CHECK(contains(step.question, "what does it cost in accuracy?"));
  CHECK(std::find(step.rungs.begin(), step.rungs.end(), against) != step.rungs.end());
  const StepBars bars = bars_in(f);
  const auto own = task_of(*bars.last());
  REQUIRE(own);
  CHECK(contains(figures_of(*bars.last(), bars.unit), "accuracy " + format_number(own->mean, 4)));
  const StepOutcome outcome = outcome_of(f.state, step, bars);
  CHECK(outcome.task.starts_with("accuracy " + format_number(own->mean, 4)));
  for (const LessonBar& bar : bars.bars) {
    if (bar.asked.kernel != against || !bar.series) continue;
    CHECK(contains(outcome.task, "“" + bar.title + "” has 0."));
  }
  select_rung(f.state, against);  // it is what the others are held against
  CHECK_FALSE(contains(shown_step(f.state).question, "accuracy"));
}

TEST_CASE(
    "without a tour the stage says which rung of how many it is, and asks for nothing it has shown",
    "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  open_run(f.state, std::string(std::getenv("RIDGE_SOURCE")) +
                        "/assets/recorded/mixed.h100_80gb_hbm3.jsonl");
  f.driver->frames(4);
  select_rung(f.state, "mixed.cuda.fp32");
  perform(f.state, "show_presenter");
  f.driver->frames(3);
  const std::vector<std::string> rungs = shown_step(f.state).rungs;
  REQUIRE(std::find(rungs.begin(), rungs.end(), "mixed.cuda.pytorch") != rungs.end());
  CHECK(contains(tour_clock(f.state), "rung "));
  CHECK(f.driver->find("rung_place"));
  for (int guard = 0; f.state.teaching.beat != Beat::explain && guard < 60; ++guard) {
    f.driver->frames(20);
    f.driver->key(Key::page_down);
  }
  read_on(f);
  f.driver->frames(2);
  const std::string next = rung_ahead(f.state, 1);
  REQUIRE_FALSE(next.empty());
  CHECK(contains(stage_hint(f.state), rung_title(f.state.ladder, next)));
  f.driver->key(Key::page_down);
  CHECK(f.state.selection.rung == next);
  CHECK(next != "mixed.cuda.pytorch");  // the previous rung's screen has shown its time
}

TEST_CASE("a saved run's steps are of its own rungs when other recordings come and after a Reveal",
          "[tour]") {
  Fixture f;
  open_run(f.state, std::string(std::getenv("RIDGE_SOURCE")) +
                        "/assets/recorded/gemm.h200.bf16_4096.jsonl");
  f.driver->frames(4);
  begin_presenting(f.state);
  f.driver->frames(3);
  REQUIRE(f.state.teaching.presenting);
  const std::vector<std::string> own = presented_rungs(f.state);
  const std::string place = tour_clock(f.state);
  REQUIRE(own.size() > 1);
  REQUIRE(contains(place, "rung "));
  for (const std::string& kernel : own) CHECK_FALSE(f.state.run().series_of_kernel(kernel).empty());
  take_recordings(f.state, shipped());
  f.driver->frames(3);
  CHECK(presented_rungs(f.state) == own);
  CHECK(tour_clock(f.state) == place);
  for (int guard = 0; f.state.teaching.beat != Beat::reveal && guard < 60; ++guard) {
    f.driver->frames(20);
    f.driver->key(Key::page_down);
  }
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  CHECK_FALSE(f.state.teaching.told.empty());  // a library stood beside it
  CHECK(presented_rungs(f.state) == own);
  CHECK(tour_clock(f.state) == place);
  // Before the first there is nothing, also of another machine.
  select_rung(f.state, own.front());
  f.driver->frames(3);
  f.driver->key(Key::page_up);
  CHECK(f.state.selection.rung == own.front());
}

TEST_CASE("a library's bar stands as far from the rung's as the times that were taken of both",
          "[tour]") {
  Fixture f;
  f.state.appearance.reduced_motion = true;
  open_run(f.state,
           std::string(std::getenv("RIDGE_SOURCE")) + "/assets/recorded/gemm.h200.bf16_4096.jsonl");
  f.driver->frames(4);
  select_rung(f.state, "gemm.cuda.mma_sync");
  perform(f.state, "show_presenter");
  for (int guard = 0; f.state.teaching.beat != Beat::reveal && guard < 60; ++guard) {
    f.driver->frames(20);
    f.driver->key(Key::page_down);
  }
  f.driver->frames(5);
  const StepBars bars = step_bars(f.state, shown_step(f.state));
  REQUIRE(bars.bars.size() == 3);
  const double own = bars.bars[2].value, library = bars.bars[1].value;
  REQUIRE(library > own);  // so that its bar fills the rail
  const Area *rail = f.driver->find("rail:3"), *mark = f.driver->find("interval_mark");
  REQUIRE((rail && mark));
  const double end = static_cast<double>((mark->x + mark->w / 2 - rail->x) / rail->w);
  CHECK(end == Approx(own / library).margin(0.01));
}

TEST_CASE("a room is asked for the cost in accuracy, and in no other metric of a lab", "[tour]") {
  const auto questions = [](const char* lab, const char* recording) {
    Fixture f;
    open_run(f.state, std::string(std::getenv("RIDGE_SOURCE")) + "/assets/recorded/" + recording);
    f.driver->frames(4);
    open_lab(f.state, lab);
    f.driver->frames(2);
    std::string all;
    for (const std::string& kernel : presented_rungs(f.state)) {
      select_rung(f.state, kernel);
      f.driver->frames(1);
      all += shown_step(f.state).question + "\n";
    }
    return all;
  };
  CHECK(contains(questions("mixed", "mixed.h100_80gb_hbm3.jsonl"), "cost in accuracy?"));
  const std::string loader = questions("pipeline", "pipeline.h100_80gb_hbm3.jsonl");
  CHECK(contains(loader, "How "));
  CHECK_FALSE(contains(loader, "cost in"));
}

TEST_CASE("on a wall the flags and that the code is the same stand apart", "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  open_run(f.state, std::string(std::getenv("RIDGE_SOURCE")) + "/assets/recorded/quant.h200.jsonl");
  f.driver->frames(4);
  open_lab(f.state, "quant");
  select_rung(f.state, "gemv.cuda.vectors_fp8");
  perform(f.state, "show_presenter");
  f.driver->frames(5);
  const Area *beside = f.driver->find("code_beside_flags"), *same = f.driver->find("code_same");
  REQUIRE(beside);
  REQUIRE(same);
  CHECK((same->bottom() <= beside->y + 4 || same->x >= beside->x));
}

TEST_CASE("a clicker's other buttons do nothing on stage, and one press too many leaves nothing",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "first_hour", 11);
  toggle_presenter(f.state);
  f.driver->frames(3);
  const std::string baseline = f.state.selection.baseline;
  f.driver->key(Key::f5);
  f.driver->type('b');
  f.driver->type('.');
  CHECK(f.session.count(RequestType::run) == 0);
  CHECK(f.state.selection.baseline == baseline);
  CHECK(f.state.notice.text.empty());
  f.state.teaching.tour_step = 12;
  f.state.teaching.beat = Beat::done;
  f.driver->frames(2);
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.tour);
  CHECK(contains(f.state.notice.text, "Esc leaves"));
  f.driver->key(Key::escape);
  CHECK(f.state.view.screen == ScreenId::tour);
}

TEST_CASE("the presenter's field has the keyboard at each question", "[tour]") {
  Fixture f;
  toggle_presenter(f.state);
  f.driver->frames(4);
  start_tour(f.state, "meetup");  // its first question comes after one that had the keyboard
  f.driver->frames(4);
  type(f, "80 ms");
  CHECK(answer_here(f.state).typed == "80 ms");
  CHECK(f.state.view.screen == ScreenId::presenter);
  f.driver->key(Key::escape);  // out of it, and back
  CHECK(f.state.view.screen == ScreenId::tour);
  CHECK(answer_here(f.state).typed == "80 ms");  // leaving takes nothing back
  f.driver->frames(2);
  REQUIRE(f.driver->click("show_presenter"));
  f.driver->frames(4);
  type(f, "90 ms");
  CHECK(answer_here(f.state).typed == "90 ms");
}

TEST_CASE("a clicker's keys move neither the focus nor a list", "[tour]") {
  Fixture f(1600, 500);
  f.run_all();
  f.state.selection.baseline = kFirst;
  start_tour(f.state, "meetup");
  f.state.view.screen = ScreenId::lab;
  f.driver->frames(2);
  const std::string rung = std::string("rung:") + kSecond;
  REQUIRE(f.driver->click(rung));
  const float place = f.driver->find(rung)->y;
  for (int i = 0; i < 4; ++i) {
    f.driver->key(Key::page_down);
    CHECK(f.driver->find("focus") == nullptr);
    f.state.view.screen = ScreenId::lab;  // what a tour shows beside its canvas
    f.driver->frames(2);
    REQUIRE(f.driver->find(rung));
    CHECK(f.driver->find(rung)->y == place);
  }
}

TEST_CASE("where a live run fails on stage, its recording is played, and says that it is one",
          "[tour]") {
  FakeSession::has_gpu = true;
  Fixture f;
  FakeSession::has_gpu = false;
  f.state.sessions.recordings = shipped();
  start_tour(f.state, "class", 8);
  f.driver->frames(2);
  answer(f);
  f.driver->key(Key::page_down);
  const WorkRequest run = f.session.last(RequestType::run);
  REQUIRE(run.kernels.size() == 2);
  for (const LessonBar& bar : bars_in(f).bars) CHECK(bar.machine.empty());  // it may succeed yet
  f.session.finish(run, "failed");
  f.driver->frames(3);
  CHECK(is_step_running(f.state));  // played back
  CHECK(f.session.count(RequestType::compare) == 0);
  f.driver->frames(600);
  CHECK_FALSE(is_step_running(f.state));
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  for (const LessonBar& bar : bars_in(f).bars) CHECK(contains(bar.machine, "H200"));
}

TEST_CASE("what cannot run here is played from its recording", "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  start_tour(f.state, "class", 8);
  f.driver->frames(2);
  CHECK(f.driver->find("recording"));  // before anything is asked for
  CHECK(contains(step_status(f.state), "This step is a recording of NVIDIA H200"));
  answer(f);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::run);
  CHECK(is_step_running(f.state));  // no GPU here: it moves all the same
  const auto first = progress_of(f.state, shown_step(f.state), bars_in(f));
  f.driver->frames(30);
  const auto later = progress_of(f.state, shown_step(f.state), bars_in(f));
  CHECK(later.front() > first.front());
  f.driver->frames(600);
  CHECK_FALSE(is_step_running(f.state));
  CHECK(contains(step_status(f.state), "nothing was measured here"));
  f.driver->key(Key::page_down);
  for (const LessonBar& bar : bars_in(f).bars) CHECK(contains(bar.machine, "H200"));
  CHECK(contains(f.state.teaching.results.at(8).claim, "recorded on"));
}

TEST_CASE("a claim of a pair at one clock that was held down says so, with the sustained verdict",
          "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  const auto tour = study::load_tour("class");
  REQUIRE(tour);
  const int last = static_cast<int>(tour->steps.size()) - 1;
  start_tour(f.state, "class", last);
  f.driver->frames(2);
  answer(f);
  f.driver->key(Key::page_down);
  f.driver->frames(600);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const std::string& claim = f.state.teaching.results.at(last).claim;
  INFO(claim);
  CHECK(contains(claim, "as fast at equal clock, interval"));
  CHECK(
      contains(claim, "Sustained, each alone at its own clock: “tuned” against “cuBLAS”: slower"));
  CHECK(contains(claim, "recorded on NVIDIA H200"));
}

TEST_CASE("the stage offers only keys that act, and what it was lit by is kept", "[tour]") {
  Fixture f;
  toggle_presenter(f.state);
  f.driver->frames(3);
  REQUIRE(asks_for_number(f.state));
  CHECK(contains(stage_hint(f.state), "J:"));
  type(f, "8");  // behind a digit a letter belongs to the field
  CHECK_FALSE(contains(stage_hint(f.state), "J:"));
  CHECK(contains(stage_hint(f.state), "Ctrl K"));
  const bool was_light = f.state.appearance.light_theme;
  REQUIRE(perform(f.state, "theme"));
  toggle_presenter(f.state);
  CHECK(f.state.appearance.light_theme != was_light);
}

TEST_CASE("a report of recordings says in its first lines that nothing was measured here") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  f.state.ladder.dirty = true;
  f.driver->frames(2);
  const auto report = shown_report(f.state);
  REQUIRE(report.ok());
  CHECK(report->subtitle.starts_with("Recorded on NVIDIA H200, not measured here"));
  f.run_all();
  const auto own = shown_report(f.state);
  REQUIRE(own.ok());
  CHECK_FALSE(contains(own->subtitle, "Recorded"));
}

TEST_CASE("after a restart the report is of the session before, and no recording's") {
  const TemporaryFolder folder;
  std::string measured;
  {
    Fixture before;
    before.state.history.runs_folder = folder.path + "/runs";
    before.state.settings.path = folder.path + "/settings.json";
    before.run_all();
    measured = shown_report(before.state)->headline.figure;
  }
  Fixture f;
  f.state.history.runs_folder = folder.path + "/runs";
  f.state.settings.path = folder.path + "/settings.json";
  f.state.settings.export_root = folder.path + "/reports";
  load_settings(&f.state);
  f.state.sessions.recordings = shipped();
  f.state.ladder.dirty = true;
  f.driver->frames(2);
  f.state.view.screen = ScreenId::report;
  f.driver->frames(2);
  const auto report = shown_report(f.state);
  REQUIRE(report.ok());
  CHECK(report->subtitle.starts_with("your last session of "));
  CHECK(report->headline.figure == measured);
  REQUIRE(perform(f.state, "export"));
  CHECK(read_text(f.state.history.last_export + "/run.jsonl").has_value());
  CHECK(Run::load(f.state.history.last_export + "/run.jsonl").ok());
  // What is measured since is the report's.
  f.run_all();
  CHECK(shown_report(f.state)->subtitle.starts_with("this session: "));
}

TEST_CASE("the head names the machine of the figures in view, whichever run is open", "[tour]") {
  TemporaryFolder folder;
  const std::string path = folder.path + "/run.jsonl";
  {
    Fixture f;
    f.session.note("tour", "class 9");  // two GPU rungs: this run has neither
    f.run_all();
    REQUIRE(f.session.save(path));
  }
  Fixture f;
  f.state.sessions.recordings = shipped();
  open_run(f.state, path);
  f.driver->frames(5);
  REQUIRE(f.state.is_replay());
  REQUIRE(f.state.teaching.tour_step == 8);
  for (const LessonBar& bar : bars_in(f).bars) CHECK(contains(bar.machine, "H200"));
  CHECK(origin_line(f.state).starts_with("Recording: NVIDIA H200, 20"));
  CHECK_FALSE(contains(origin_line(f.state), f.state.run().environment()->machine()));
  // A rung that runs here beside one that does not.
  Fixture live;
  live.state.sessions.recordings = shipped();
  start_tour(live.state, "class", 8);
  live.driver->frames(2);
  CHECK(origin_line(live.state).starts_with("Recording: NVIDIA H200, 20"));
  start_tour(live.state, "class", 0);
  live.driver->frames(2);
  CHECK(origin_line(live.state).empty());
}

// ---- what readers of a talk stumbled over --------------------------------------------------------

/// As a rehearsal saves a step: its run and its pair, and the note of which step it is.
void rehearse_step(const std::string& folder, int step) {
  Fixture f;
  f.session.note("tour", "meetup " + std::to_string(step));
  start_tour(f.state, "meetup", step - 1);
  f.driver->frames(3);
  answer(f);
  f.driver->key(Key::page_down);
  answer_requests(f);
  REQUIRE(f.session.save(folder + "/" + study::rehearsal_file(*f.state.teaching.tour, step)));
}

TEST_CASE(
    "a rehearsed step opens as that step of the tour, a recording, and leads to the next file",
    "[tour]") {
  const TemporaryFolder folder;
  rehearse_step(folder.path, 3);
  rehearse_step(folder.path, 4);
  Fixture f;
  open_run(f.state, folder.path + "/step-03-gemm.jsonl");
  f.driver->frames(4);
  REQUIRE(f.state.is_replay());
  REQUIRE(f.state.teaching.tour);
  CHECK(f.state.teaching.tour->id == "meetup");
  CHECK(f.state.teaching.tour_step == 2);
  CHECK(f.state.view.screen == ScreenId::tour);
  CHECK(f.driver->find("recording"));
  perform(f.state, "show_presenter");
  CHECK(f.state.view.screen == ScreenId::presenter);
  f.driver->frames(3);
  for (const char* rung : {"gemm.cpu.naive_o1", "gemm.cpu.loop_order"})
    CHECK(find_source(f.state, rung));
  CHECK(f.driver->find("step_code"));
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);  // without an answer
  REQUIRE(f.state.teaching.beat == Beat::run);
  for (int guard = 0; guard < 100 && is_step_running(f.state); ++guard) f.driver->frames(10);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const StepBars bars = bars_in(f);
  const StepOutcome outcome = outcome_of(f.state, shown_step(f.state), bars);
  REQUIRE(outcome.pair);
  CHECK(outcome.pair->candidate == "gemm.cpu.loop_order");
  CHECK_FALSE(outcome.pair_machine.empty());
  for (const LessonBar& bar : bars.bars) CHECK_FALSE(bar.machine.empty());
  f.driver->key(Key::page_down);
  read_on(f);
  f.driver->key(Key::page_down);
  f.driver->frames(3);
  CHECK(f.state.teaching.tour_step == 3);
  CHECK(f.state.view.screen == ScreenId::presenter);
  CHECK(contains(f.state.sessions.opened_path, "step-04-gemm.jsonl"));
  for (const LessonBar& bar : bars_in(f).bars) CHECK(bar.series);
  CHECK(f.state.tour_progress.places.empty());  // nobody took these steps
}

TEST_CASE("a saved comparison is what the presenter asks for", "[tour]") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/pair.jsonl";
  {
    Fixture f;
    f.run_all();
    WorkRequest request = request_for(RequestType::compare, 70);
    request.kernels = {{"gemm.cpu.naive_o1", {}}, {"gemm.cpu.loop_order", {}}};
    (void)f.session.send(request);
    f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 8);
    REQUIRE(f.session.save(path));
  }
  Fixture f;
  open_run(f.state, path);
  f.driver->frames(4);
  select_rung(f.state, "gemm.cpu.loop_order");
  f.driver->frames(2);
  perform(f.state, "show_presenter");
  const TourStep step = shown_step(f.state);
  CHECK(step.rungs.front() == "gemm.cpu.naive_o1");  // by itself it would ask against -O3
  CHECK(step.rungs.back() == "gemm.cpu.loop_order");
  CHECK(outcome_of(f.state, step, bars_in(f)).pair);
}

TEST_CASE("the presenter shows the tour that was begun from its first step, else the list of tours",
          "[tour]") {
  {
    Fixture f;
    f.state.ladder = {};  // as `--presenter` finds it, before the first frame
    begin_presenting(f.state);
    CHECK(f.state.notice.text.empty());
    f.driver->frames(3);
    REQUIRE(f.driver->find("list"));
    f.driver->key(Key::down);
    f.driver->key(Key::up);
    f.driver->key(Key::enter);
    f.driver->frames(2);
    REQUIRE(f.state.teaching.tour);
    CHECK(f.state.teaching.tour->id == study::tour_ids().front());
    CHECK(f.state.view.screen == ScreenId::presenter);
    CHECK_FALSE(f.driver->find("list"));
  }
  Fixture f;
  f.state.tour_progress.last = "class";
  f.state.tour_progress.places["class"] = {.step = 2, .done = {0, 1}};
  begin_presenting(f.state);
  f.driver->frames(3);
  REQUIRE(f.state.teaching.tour);
  CHECK(f.state.teaching.tour->id == "class");
  CHECK(f.state.teaching.tour_step == 0);
  CHECK_FALSE(f.driver->find("list"));
  // The place that was kept is named, and two keys away; a talk does not move it.
  CHECK(f.state.notice.text == "This tour was left at step 3: # leads there.");
  CHECK(f.state.tour_progress.places["class"].step == 2);
  f.driver->type('#');
  f.driver->frames(2);
  REQUIRE(f.driver->find("list"));
  f.driver->key(Key::enter);
  f.driver->frames(2);
  CHECK(f.state.teaching.tour_step == 2);
  go_to_step(f.state, 5);
  f.driver->frames(2);
  CHECK(f.state.tour_progress.places["class"].step == 2);
  // Taken in the window again, it goes on there.
  end_tour(f.state);
  f.driver->key(Key::escape);
  resume_tour(f.state, "class");
  f.driver->frames(2);
  CHECK(f.state.teaching.tour_step == 2);
  go_to_step(f.state, 5);
  f.driver->frames(2);
  CHECK(f.state.tour_progress.places["class"].step == 5);
}

TEST_CASE("in an empty field for a number what is no digit is a key of the stage", "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup");
  toggle_presenter(f.state);
  f.driver->frames(4);
  REQUIRE(choices_of(shown_step(f.state), bars_in(f)).empty());
  const bool is_light = f.state.appearance.light_theme;
  f.driver->type('t');
  CHECK(f.state.appearance.light_theme != is_light);
  f.driver->type('j');
  CHECK(f.state.teaching.show_tours);
  f.driver->key(Key::escape);
  f.driver->frames(3);
  CHECK_FALSE(f.state.teaching.show_tours);
  f.driver->type('~');
  CHECK(contains(f.state.notice.text, "number"));
  CHECK(answer_here(f.state).typed.empty());
  CHECK(f.state.view.screen == ScreenId::presenter);
  f.driver->type('?');
  CHECK(f.driver->find("key:theme"));
  f.driver->key(Key::escape);
  f.driver->frames(3);
  f.driver->type('.');  // a clicker's key for a black screen is no answer
  CHECK(answer_here(f.state).typed.empty());
  type(f, "80 pjms");  // after a digit only what continues the number goes in
  CHECK(answer_here(f.state).typed == "80 ms");
  CHECK(f.state.view.screen == ScreenId::presenter);
  CHECK_FALSE(f.state.teaching.show_tours);
  // What is no letter cannot be part of a unit: it stays the stage's.
  f.driver->type('#');
  CHECK(f.state.teaching.show_steps);
  CHECK(answer_here(f.state).typed == "80 ms");
}

TEST_CASE("an answer that cannot be read is not called none", "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup");
  toggle_presenter(f.state);
  f.driver->frames(4);
  type(f, "80 m");
  f.driver->key(Key::page_down);
  CHECK(contains(f.state.notice.text, "“80 m” is no time"));
  CHECK(contains(f.state.notice.text, "Page Down again"));
}

TEST_CASE("another rung's question has an empty field", "[tour]") {
  Fixture f;
  f.run_all();
  select_rung(f.state, kSecond);
  f.driver->frames(2);
  f.driver->type('p');
  f.driver->frames(4);
  type(f, "3m");
  CHECK(answer_here(f.state).typed == "3m");
  f.driver->key(Key::escape);
  select_rung(f.state, "gemm.cpu.loop_order");
  f.driver->frames(2);
  f.driver->type('p');
  f.driver->frames(4);
  CHECK(answer_here(f.state).typed.empty());
  type(f, "4");
  CHECK(answer_here(f.state).typed == "4");
}

/// A step of the meetup that compares, from 0, up to its comparison.
/// The words of a section of the rung's lesson, as the canvas has them.
std::string explained(const Fixture& f, const std::string& kernel, std::string_view lead) {
  LessonText lesson;
  std::string words;
  for (const LessonBlock& block : lesson.blocks(f.state)) {
    if (block.kernel != kernel || block.lead != lead) continue;
    for (const Word& word : block.words) words += (word.space_before ? " " : "") + word.text;
  }
  return words;
}

/// A step of a tour over recorded rungs, answered with 3 and played, up to its Reveal.
StepOutcome played_step(Fixture& f, const std::string& tour, int step) {
  f.state.sessions.recordings = shipped();
  start_tour(f.state, tour, step);
  f.driver->frames(4);
  type(f, "3");
  f.driver->key(Key::page_down);
  f.driver->frames(700);  // it is played
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  return outcome_of(f.state, shown_step(f.state), bars_in(f));
}

TEST_CASE("at the end of a tour over recordings the report is of the one that its steps showed",
          "[tour]") {
  Fixture f;
  const StepOutcome outcome = played_step(f, "class", 8);  // GPU rungs in fp32
  const Run* shown = bars_in(f).last()->run;
  const Params params = bars_in(f).last()->series->params;
  const std::string kernel = bars_in(f).last()->series->kernel;
  f.state.teaching.beat = Beat::done;
  const auto heading = [&] {
    const auto shown = shown_report(f.state);
    REQUIRE(shown.ok());
    for (const auto* sections : {&shown->front, &shown->sections}) {
      for (const report::Section& one : *sections) {
        if (one.id == "tour") return one.title;
      }
    }
    return std::string("no tour");
  };
  CHECK(contains(heading(), "not ended"));  // its last step was not revealed
  const int last = static_cast<int>(f.state.teaching.tour->steps.size()) - 1;
  const auto result = *f.state.teaching.results.begin();
  f.state.teaching.results.emplace(last, result.second);
  CHECK_FALSE(contains(heading(), "not ended"));
  f.state.teaching.beat = Beat::reveal;  // the end card was left for another screen
  CHECK_FALSE(contains(heading(), "not ended"));
  f.state.teaching.results.erase(last);
  f.state.teaching.beat = Beat::done;
  // The lab in view has moved on: another rung, whose figures another recording has.
  select_rung(f.state, "gemm.cuda.cublaslt");
  set_param(f.state, "n", 8192);
  rebuild_ladder(f.state);
  const auto report = shown_report(f.state);
  REQUIRE(report.ok());
  REQUIRE(report->inputs.size() == 1);
  CHECK(report->inputs.front().run == shown);
  CHECK(contains(report->subtitle, "Recorded on NVIDIA H200"));
  CHECK(shown->series_of_kernel(kernel).size() > 0);
  CHECK(contains(report->subtitle, to_string(params.at("n"))));
  // What the tour measured here goes before every recording.
  Fixture live;
  live.state.sessions.recordings = shipped();
  start_tour(live.state, "first_hour", 12);
  live.driver->frames(2);
  live.driver->type('1');
  live.driver->key(Key::page_down);
  answer_requests(live);
  live.driver->key(Key::page_down);
  live.state.teaching.beat = Beat::done;
  select_rung(live.state, "gemm.cuda.cublaslt");
  rebuild_ladder(live.state);
  const auto own = shown_report(live.state);
  REQUIRE(own.ok());
  CHECK(own->inputs.front().run == &live.state.run());
}

TEST_CASE("a step's Why says its own figure, and of another size which and what the step's is",
          "[tour]") {
  Fixture f;
  (void)played_step(f, "class", 9);  // GPU rungs, n = 4096: a recording
  f.driver->key(Key::page_down);
  f.driver->frames(3);
  const std::string why = explained(f, "gemm.cuda.coalesced", study::kWhy);
  INFO(why);
  CHECK(contains(why, "(n = 1024; 5.840× at n = 4096)"));
  CHECK_FALSE(contains(asked_at(f.state), "thread"));  // the lab's, of its CPU rungs
}

TEST_CASE("a limit that nothing measured shows is said to be by exclusion or by construction",
          "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  const auto limit_of = [&](const char* tour, int step, size_t bar = 0) {
    start_tour(f.state, tour, step);
    f.driver->frames(2);
    f.state.teaching.beat = Beat::reveal;
    const StepBars bars = bars_in(f);
    return measured_limit(f.state, bars.bars[bar], {}).text;
  };
  const std::string root = limit_of("collectives", 0);
  INFO(root);
  CHECK(contains(root, "by construction"));
  CHECK_FALSE(contains(root, " 0 %"));
  CHECK(contains(limit_of("first_hour", 10, 1), "by exclusion: "));
}

TEST_CASE("a pair of the two that stand beside each other comes before a ratio of two times alone",
          "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  select_rung(f.state, kFirst);
  f.state.selection.params["n"] = int64_t{512};
  perform(f.state, "show_presenter");
  f.driver->frames(3);
  f.state.teaching.beat = Beat::reveal;  // what did not run here is taken from recordings
  const TourStep step = shown_step(f.state);
  REQUIRE(step.ask == Ask::time);
  REQUIRE(step.rungs.size() == 2);  // the library, which the recording has it in turns with
  const StepOutcome outcome = outcome_of(f.state, step, bars_in(f));
  INFO(outcome.beside);
  CHECK(contains(outcome.beside, "“oneDNN” against “three loops, -O1”: faster, "));
  CHECK(contains(outcome.beside, "Run in turns"));
}

TEST_CASE("on a wall stands beside the expected limit that the run does not confirm it", "[tour]") {
  Fixture f;
  present_tour(f.state, "meetup");
  f.driver->frames(3);
  answer(f);
  f.driver->key(Key::page_down);
  answer_requests(f);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  f.driver->frames(3);
  REQUIRE(f.state.teaching.beat == Beat::explain);
  const MeasuredLimit limit = measured_limit(f.state, *bars_in(f).last(), {});
  REQUIRE_FALSE(limit.is_told);
  // Nothing was counted: that neither confirms the limit nor denies it.
  CHECK(limit.is_quiet);
  CHECK(limit.for_room == "The limit was not counted in this live run; measure mode counts it.");
  REQUIRE(f.driver->find("step_binds"));
  REQUIRE(f.driver->find("step_measured"));
  CHECK(f.driver->find("step_measured")->h > 0);
  // Where counters were read and leave it open, it is not confirmed.
  run_again(f.state);
  const WorkRequest again = f.session.last(RequestType::run);
  f.session.measure(again, 0, 8e6, true, {{"cache references", 100, ""}});
  f.session.finish(again);
  f.driver->frames(3);
  const MeasuredLimit counted = measured_limit(f.state, *bars_in(f).last(), {});
  INFO(counted.text);
  CHECK_FALSE(counted.is_quiet);
  const bool is_denied = contains(counted.for_room, "does not confirm");
  CHECK(is_denied != counted.is_told);
  CHECK(counted.text.starts_with(counted.for_room));  // without what would settle it
}

TEST_CASE("a step's head says the parameters of its rungs, not all of its lab", "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  start_tour(f.state, "attention", 1);
  f.driver->frames(2);
  const std::string head = asked_at(f.state);
  INFO(head);
  CHECK(contains(head, "sequence = "));
  for (const char* other : {"page", "lengths", "heads_kv"}) CHECK_FALSE(contains(head, other));
}

TEST_CASE("a step over two types takes no pair of one type for its own", "[tour]") {
  Fixture f;
  const StepOutcome outcome =
      played_step(f, "class", 11);  // cuBLAS in fp32 beside cuBLASLt in bf16
  INFO(outcome.shown);
  CHECK_FALSE(outcome.pair);
  CHECK(outcome.value > 5);
}

WorkRequest begin_pair(Fixture& f, const std::string& said, int step = 1) {
  start_tour(f.state, "meetup", step);
  f.driver->frames(4);
  type(f, said);
  f.driver->key(Key::page_down);
  const WorkRequest run = f.session.last(RequestType::run);
  for (size_t i = 0; i < run.kernels.size(); ++i)
    f.session.measure(run, static_cast<int>(i), 3e8 / static_cast<double>(i + 1));
  f.session.finish(run);
  f.driver->frames(3);
  return f.session.last(RequestType::compare);
}

/// Turns the pages of what is longer than its place.
void read_to_the_end(Fixture& f) {
  for (int page = 0; page < 9 && f.state.teaching.has_more; ++page) {
    f.driver->key(Key::page_down);
    f.driver->frames(3);
  }
  REQUIRE(f.state.teaching.beat == Beat::explain);
}

TEST_CASE("Explain begins at the answer, counts where it counts, and ends with a question",
          "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  f.session.judge(begin_pair(f, "2"), Verdict::faster, 0.96);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  f.driver->frames(3);
  REQUIRE(f.state.teaching.beat == Beat::explain);
  read_to_the_end(f);
  const std::string fold = std::string("answer:") + kSecond + "#0";
  REQUIRE(f.driver->find(fold));
  const float folded = f.driver->find(fold)->y;
  CHECK(folded > f.driver->find("step_verdict")->y);
  REQUIRE(f.driver->click(fold));
  CHECK(f.state.view.open_answers.contains(std::string(kSecond) + "#0"));
  // What another machine measured is no contradiction of the bars beside it: it is named first.
  LessonText lesson;
  int named = 0;
  for (const LessonBlock& block : lesson.blocks(f.state)) {
    std::string words;
    for (const Word& word : block.words) words += (word.space_before ? " " : "") + word.text;
    const bool has =
        contains(words, " In a recorded run (†) on ") && contains(words, ", n = 512: ");
    if (has) CHECK(block.lead == study::kWhy);
    named += has && block.kernel == kSecond;
  }
  CHECK(named == 1);
  // A wall has one message, and no fold to click.
  REQUIRE(perform(f.state, "show_presenter"));
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find(fold));
}

TEST_CASE("on a wall one or two bars keep the width of their place while they are explained",
          "[tour]") {
  Fixture f(1920, 1080);
  REQUIRE(perform(f.state, "show_presenter"));
  f.session.judge(begin_pair(f, "4"), Verdict::faster, 16.4);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  f.driver->frames(3);
  REQUIRE(f.state.teaching.beat == Beat::explain);
  CHECK(f.driver->find("rail:2")->w > f.driver->find("step_bars")->w * 0.95f);
}

TEST_CASE("beside a near answer there is no room for a line: its own words say how far off it was",
          "[tour]") {
  Fixture f;
  f.state.appearance.reduced_motion = true;
  f.session.judge(begin_pair(f, "14"), Verdict::faster, 16.4);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  f.driver->frames(2);
  REQUIRE(f.driver->find("answer_said"));
  CHECK_FALSE(f.driver->find("answer_gap"));
  CHECK(f.driver->find("answer_said")->w > 180);
}

TEST_CASE("under an answer stand what it says in words and the button that goes on with it",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 2);
  f.driver->frames(4);
  REQUIRE(f.driver->find("commit"));
  REQUIRE(f.driver->click("commit"));
  CHECK(f.state.teaching.beat == Beat::predict);  // locked, as the one in the head is
  f.driver->frames(3);
  type(f, "0.5");
  const TourStep step = shown_step(f.state);
  CHECK(read_back(step, bars_in(f), 0.5) ==
        "“loop order” is slower: it needs 2.00× the time of “three loops, -O3”");
  CHECK(read_back(step, bars_in(f), 4) ==
        "“loop order” is faster: 4.00× as fast as “three loops, -O3”");
  const Area &field = *f.driver->find("answer_field"), &button = *f.driver->find("commit");
  CHECK(button.y > field.bottom());
  CHECK(button.x == field.x);
  // The lesson asks the same, and its hints help here as well, one after another.
  const std::string hint = "hint:gemm.cpu.loop_order?";
  REQUIRE(f.driver->find(hint + "1"));
  CHECK_FALSE(f.driver->find(hint + "2"));
  REQUIRE(f.driver->click(hint + "1"));
  f.driver->frames(2);
  CHECK(f.driver->find(hint + "2"));
  f.driver->frames(3);
  type(f, "4");  // the field has the keyboard again
  f.driver->frames(2);
  CHECK(answer_here(f.state).typed == "4");
  REQUIRE(f.driver->click("commit"));
  CHECK(f.state.teaching.beat == Beat::run);
  CHECK_FALSE(f.driver->find("commit"));
  start_tour(f.state, "meetup", 0);
  CHECK(read_back(shown_step(f.state), bars_in(f), 80e6) ==
        "one call of “three loops, -O1” takes 80.0 ms, so 12.5 calls a second");
  REQUIRE(perform(f.state, "show_presenter"));
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("commit"));  // a clicker has Page Down
}

TEST_CASE("the first tour asks for no figure that the first climb has shown", "[tour]") {
  Fixture f;
  f.state.selection.params.clear();  // as the climb does
  const Params climbed = shown_params(f.state);
  const auto tour = study::load_tour(study::tour_ids().front());
  REQUIRE(tour);
  for (const TourStep& step : tour->steps) {
    if (step.ask != Ask::time && step.ask != Ask::ratio) continue;
    INFO(step.question);
    CHECK(param_int(step.set, "n") != param_int(climbed, "n"));
  }
}

TEST_CASE("a step that compares shows one quantity: the ratio of its pairs", "[tour]") {
  Fixture f;
  f.state.appearance.reduced_motion = true;
  f.session.judge(begin_pair(f, "4"), Verdict::faster, 16.4);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  f.driver->frames(2);
  const StepOutcome outcome = outcome_of(f.state, shown_step(f.state), bars_in(f));
  CHECK(outcome_sentence(shown_step(f.state), bars_in(f), answer_here(f.state), outcome) ==
        "You said 4×: at least 4.05× too low.");
  // Its ratio is larger than the words about the bars.
  REQUIRE(f.driver->find("verdict_figure"));
  CHECK(f.driver->find("verdict_figure")->h > kBody_px);
  CHECK(f.driver->find("answer_gap"));
  REQUIRE(f.driver->find("interval_mark"));
  const Area &row = *f.driver->find("bar:2"), &mark = *f.driver->find("answer_mark"),
             &interval = *f.driver->find("interval_mark");
  // On one scale: 4 of what 16.4 ± 1 % is on.
  const float unit = (mark.x - row.x) / 4;
  CHECK(interval.x == Approx(row.x + unit * 16.4f * 0.99f).margin(3));
  CHECK(interval.right() == Approx(row.x + unit * 16.4f * 1.01f).margin(3));
  CHECK_FALSE(f.driver->find("ceiling_mark"));
  const auto stands_free = [&] {
    const Area &said = *f.driver->find("answer_said"), &rail = *f.driver->find("rail:2");
    return said.y >= rail.bottom() && said.bottom() <= f.driver->find("step_bars")->bottom();
  };
  CHECK(stands_free());
  // Explain speaks of the verdict and the bars: both stay, on the wall as well.
  f.driver->key(Key::page_down);
  f.driver->frames(2);
  REQUIRE(f.state.teaching.beat == Beat::explain);
  CHECK(f.driver->find("step_verdict"));
  CHECK(f.driver->find("step_bars"));
  CHECK(stands_free());
  REQUIRE(perform(f.state, "show_presenter"));
  f.driver->frames(3);
  CHECK(f.driver->find("step_verdict"));
  CHECK(f.driver->find("step_bars"));
  CHECK(stands_free());
}

TEST_CASE("a step's comparison counts its rounds, and a button cancels it", "[tour]") {
  Fixture f;
  const WorkRequest pair = begin_pair(f, "4");
  CHECK_FALSE(f.driver->find("step_rounds"));
  f.session.tell("phase", {{"request", pair.id},
                           {"series", 1},
                           {"phase", "rounds"},
                           {"text", "interleaved rounds"},
                           {"open", "4 of about 17 rounds that fit into 10 s"},
                           {"progress", 0.25},
                           {"left_s", 7.4}});
  f.driver->frames(3);
  CHECK(rounds_so_far(f.state) == "round 4 of about 17, about 8 s left");
  CHECK(f.driver->find("step_rounds"));
  REQUIRE(f.driver->click("cancel"));
  REQUIRE(f.session.cancelled.size() == 1);
  CHECK(f.session.cancelled.front() == pair.id);
}

TEST_CASE("the ceilings that follow a step's rungs have a row of their own, and room in the bar",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 3);
  f.driver->frames(3);
  type(f, "40");
  f.driver->key(Key::page_down);
  const WorkRequest run = f.session.last(RequestType::run);
  const auto tell = [&](int series, const char* phase, const char* text) {
    f.session.tell("phase", {{"request", run.id},
                             {"series", series},
                             {"phase", phase},
                             {"text", text},
                             {"progress", 0.99}});
    f.driver->frames(3);
  };
  const size_t rows = count_progress_rows(f.state, shown_step(f.state), bars_in(f));
  for (int i = 0; i < static_cast<int>(run.kernels.size()); ++i) {
    tell(i, "counters", "hardware counters");
    f.session.measure(run, i, 1e6);
  }
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("step_ceilings"));
  const double before = f.state.requests.share;
  CHECK(before < 0.96);
  tell(-1, "timing", "measuring this machine's ceiling: FMA fp32");
  f.driver->frames(120);
  CHECK(f.driver->find("step_ceilings"));
  CHECK(ceilings_words(f.state, *at_ceilings(f.state)).starts_with("FMA fp32, "));
  CHECK(count_progress_rows(f.state, shown_step(f.state), bars_in(f)) == rows + 1);
  CHECK(f.state.requests.share > before);
  CHECK(f.state.requests.share < 1);
}

TEST_CASE("a step whose results are all in is revealed while ceilings are still measured", "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 0);
  f.driver->frames(3);
  answer(f);
  f.driver->key(Key::page_down);
  const WorkRequest run = f.session.last(RequestType::run);
  const auto measures_ceiling = [&] {
    f.session.tell("phase", {{"request", run.id},
                             {"series", -1},
                             {"phase", "timing"},
                             {"text", "measuring this machine's ceiling: FMA fp32"},
                             {"progress", 0.5}});
    f.driver->frames(60);
  };
  measures_ceiling();  // before the last of the results
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::run);
  for (int i = 0; i < static_cast<int>(run.kernels.size()); ++i) f.session.measure(run, i, 1e6);
  measures_ceiling();
  REQUIRE(f.state.requests.is_measuring());
  CHECK_FALSE(is_step_running(f.state));
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::reveal);
  CHECK(f.state.requests.is_measuring());
}

TEST_CASE("only what can run here is asked to run again", "[tour]") {
  const TourStep step;
  StepBars bars;
  bars.bars.resize(2);
  bars.bars[0].title = "naive", bars.bars[1].title = "tuned";
  for (LessonBar& bar : bars.bars) bar.can_run = true;
  StepOutcome outcome;
  outcome.missing = "No comparison was made.";
  const auto said = [&] { return outcome_sentence(step, bars, {}, outcome); };
  CHECK(said() == "No comparison was made. Run it again.");
  bars.bars[1].can_run = false;
  CHECK(said() ==
        "No comparison was made. “tuned” does not run on this machine, and no recording has it at "
        "this size: the step goes on without it.");
  const Series recorded;
  bars.bars[1].series = &recorded, bars.bars[1].machine = "NVIDIA H200";
  CHECK(said() ==
        "No comparison was made. “tuned” does not run on this machine: its bar is a recording of "
        "NVIDIA H200.");
}

TEST_CASE("where no difference was shown no text goes on to measure the answer by it", "[tour]") {
  Fixture f;
  f.session.judge(begin_pair(f, "2"), Verdict::unresolved, 0.96);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const StepOutcome outcome = outcome_of(f.state, shown_step(f.state), bars_in(f));
  CHECK(outcome.shown == "0.960×, not settled");
  CHECK(contains(outcome.interval, "95 % interval"));
  CHECK(unresolved_words(Interval{0.784, 0.984}, 0.02) ==
        "there is a difference, perhaps smaller than the margin of 2 %");
  const std::string said =
      outcome_sentence(shown_step(f.state), bars_in(f), answer_here(f.state), outcome);
  CHECK(said == "You said 2×: at least 2.06× too high.");  // of the interval, not of the ratio
  // So the end card says it, by the same figure: a guess outside is refuted, one inside is near to nothing that was shown.
  const StepResult& refuted = f.state.teaching.results.at(1);
  REQUIRE(refuted.off);
  CHECK(how_far(shown_step(f.state), bars_in(f), answer_here(f.state), outcome) ==
        "at least " + format_ratio(rounded_down(*refuted.off)) + " too high");
  CHECK_FALSE(result_of(shown_step(f.state), bars_in(f), StepAnswer{.typed = "0.96"}, outcome).off);
  // That nothing is settled stands above it, once.
  CHECK(outcome_sentence(shown_step(f.state), bars_in(f), {}, outcome) ==
        "No prediction was made.");
}

TEST_CASE("of an open verdict that was asked for, the canvas says once that it is unresolved",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 5);
  f.driver->frames(4);
  f.driver->type('1');
  f.driver->key(Key::page_down);
  while (f.state.requests.is_measuring()) {
    const WorkRequest request = f.session.sent.back();
    if (request.type == RequestType::compare) {
      f.session.judge(request, Verdict::unresolved, 1.0);
    } else {
      for (size_t i = 0; i < request.kernels.size(); ++i)
        f.session.measure(request, static_cast<int>(i), 1e6);
      f.session.finish(request);
    }
    f.driver->frames(3);
  }
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const TourStep step = shown_step(f.state);
  const StepOutcome outcome = outcome_of(f.state, step, bars_in(f));
  CHECK(contains(outcome.shown, "unresolved"));  // the large figure
  CHECK(outcome_sentence(step, bars_in(f), answer_here(f.state), outcome) ==
        "You said “" + choices_of(step, bars_in(f)).front() + "”. The rounds do not show that.");
}

TEST_CASE("an unresolved pair whose interval holds 1 shows its ratio, its interval and what it is",
          "[tour]") {
  Comparison noisy;
  noisy.verdict = Verdict::unresolved;
  noisy.ratio = 1.04;
  noisy.ci = Interval{0.985, 1.09};
  noisy.margin = 0.02;
  CHECK(pair_headline(noisy) == "1.040×, not settled");
  CHECK(contains(verdict_sentence(noisy, "a", "b"),
                 "unresolved: no difference shown; 1.040× as fast, interval"));
  CHECK(verdict_sentence(noisy, "a", "b", false)
            .starts_with("“b” against “a”: no difference shown; 1.040× as fast, interval"));
  noisy.ratio = 0;  // cancelled before its first round
  noisy.ci = {};
  CHECK(pair_headline(noisy) == "no difference shown");
}

TEST_CASE("a ratio that is not settled stands as large as one that is", "[tour]") {
  const auto figure_of = [](Verdict verdict, double ratio) {
    Fixture f(1280, 720);
    f.state.appearance.reduced_motion = true;
    f.session.judge(begin_pair(f, "2"), verdict, ratio);
    f.driver->frames(3);
    REQUIRE(perform(f.state, "show_presenter"));
    f.driver->key(Key::page_down);
    REQUIRE(f.state.teaching.beat == Beat::reveal);
    f.driver->frames(2);
    const StepOutcome outcome = outcome_of(f.state, shown_step(f.state), bars_in(f));
    CHECK(is_unsettled(outcome) == (verdict == Verdict::unresolved));
    CHECK_FALSE(contains(outcome_figure(outcome), "settled"));
    REQUIRE(f.driver->find("outcome_figure"));
    return f.driver->find("outcome_figure")->h;
  };
  CHECK(figure_of(Verdict::unresolved, 1.04) == figure_of(Verdict::faster, 1.54));
}

TEST_CASE("R measures a step again, and the line of keys says so", "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 1);
  toggle_presenter(f.state);
  f.driver->frames(3);
  f.driver->type('r');  // before anything ran
  CHECK(f.session.count(RequestType::run) == 0);
  CHECK_FALSE(contains(stage_hint(f.state), "R: "));
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  answer_requests(f);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  CHECK(contains(stage_hint(f.state), "R: measure again"));
  const int sent = f.session.count(RequestType::run);
  f.driver->type('r');
  CHECK(f.state.teaching.beat == Beat::run);
  CHECK(f.session.count(RequestType::run) == sent + 1);
  CHECK(f.state.view.screen == ScreenId::presenter);
  // In the lab the same key is the roofline's.
  Fixture lab;
  lab.driver->type('r');
  CHECK(lab.state.selection.view == find_view("roofline"));
}

TEST_CASE("few bars are no thicker than many on a wall", "[tour]") {
  Fixture f(1920, 1080);
  f.state.appearance.reduced_motion = true;
  start_tour(f.state, "meetup", 0);
  toggle_presenter(f.state);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  answer_requests(f);
  f.driver->key(Key::page_down);
  f.driver->frames(3);
  REQUIRE(f.driver->find("rail:1"));
  CHECK(f.driver->find("rail:1")->h <= 60 * f.state.appearance.scale);
}

TEST_CASE("the head of a step names the parameters that matter, whole", "[tour]") {
  Fixture f(1280, 720);
  f.state.selection.params["n"] = int64_t{28};
  f.driver->frames(3);
  perform(f.state, "show_presenter");
  f.driver->frames(3);
  const std::string brief = asked_at(f.state);
  INFO(brief);
  CHECK(contains(brief, "n = 28"));
  CHECK_FALSE(contains(brief, "m = "));
  const Area& line = *f.driver->find("step_params");
  CHECK(line.right() <= 1280);
}

TEST_CASE("a file of options alone is no code for a class, and long code keeps its inner loop",
          "[tour]") {
  const std::string options =
      "// Idea: one thread.\nnamespace ridge {\n\nconstexpr Loader kSerial = {};\n\n"
      "RIDGE_PIPELINE(pipeline, cpu, serial,\n               .config = &kSerial);\n\n"
      "}  // namespace ridge\n";
  const std::string source =
      read_text(variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/naive.cpp").value();
  FakeSession::texts = {{kFirst, options}, {kSecond, options}};
  Fixture f(1280, 720);
  FakeSession::texts = {{kFirst, source}, {kSecond, source}};
  Fixture other(1280, 720);
  FakeSession::texts.clear();
  for (Fixture* one : {&f, &other}) {
    start_tour(one->state, "meetup", 0);
    toggle_presenter(one->state);
    one->driver->frames(5);
  }
  CHECK(is_bare(f.state, code_of(f.state, shown_step(f.state))));
  CHECK(f.driver->find("step_rungs"));
  CHECK_FALSE(f.driver->find("step_code"));
  CHECK_FALSE(is_bare(other.state, code_of(other.state, shown_step(other.state))));
  const Rung* library = rung_of("gemm.cpu.onednn");
  CHECK(is_bare(other.state, {nullptr, library}));
  CHECK(other.driver->find("step_code"));
  const SourceText text{kFirst, "", source, "", ""};
  const auto part = key_part(code_lines(text), 6);
  CHECK(part.size() <= 6);
  CHECK(std::any_of(part.begin(), part.end(),
                    [](std::string_view line) { return contains(std::string(line), "acc +="); }));
}

TEST_CASE("of a diff that is too long the lines stay that changed most", "[tour]") {
  using Kind = app::DiffLine::Kind;
  std::vector<app::DiffLine> lines(40, {Kind::same, 1, 1, "same;"});
  lines[3] = {Kind::added, 0, 4, "a name;"};
  for (size_t i = 6; i < 13; ++i) lines[i] = {Kind::added, 0, int(i), "no loop;"};
  for (size_t i = 20; i < 26; ++i) lines[i] = {Kind::added, 0, int(i), "    the change;"};
  const auto key = app::key_lines(lines, 12);
  CHECK(key.size() == 12);
  CHECK(key.front().text.empty());  // a cut, on both sides
  CHECK(key.back().text.empty());
  CHECK(app::count_changes(key).added == 6);
  CHECK(app::key_lines(lines, 40).size() == 40);
  // A call that goes on far to the right says less than the line whose meaning changed, and that stands with what it was.
  const auto file = [&](const std::string& name, const std::string& row) {
    return "void " + name + "() {\n  int row = " + row + ";\n" + std::string("  same;\n  more;\n") +
           "}\nint launch() {\n  " + name + "<<<1>>>(a,\n" + std::string(28, ' ') + name + ",\n" +
           std::string(28, ' ') + name + ");\n}\n";
  };
  const std::string was = file("first", "y"), is = file("second", "x");
  const auto shown = app::key_lines(app::fold_equal(app::diff_code(was, is), 0), 7);
  const auto has_line = [&](Kind kind, const char* text) {
    return std::any_of(shown.begin(), shown.end(), [&](const app::DiffLine& line) {
      return line.kind == kind && contains(std::string(line.text), text);
    });
  };
  CHECK(has_line(Kind::removed, "int row = y"));
  CHECK(has_line(Kind::added, "int row = x"));
  const std::string
      before = "int f();\nRIDGE_KERNEL(gemm, cpu, a,\n             .launch = f);\nint g();\n",
      after = "int f();\nRIDGE_KERNEL(gemm, cpu, b,\n             .launch = g);\nint g();\n";
  for (const app::DiffLine& line : app::without_registration(app::diff_lines(before, after)))
    CHECK(line.kind == Kind::same);
}

TEST_CASE("a line that was replaced stands beside the one in its place, and a launch goes first",
          "[tour]") {
  using Kind = app::DiffLine::Kind;
  const std::string rungs = variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/";
  const std::string before = read_text(rungs + "naive.cu").value(),
                    after = read_text(rungs + "coalesced.cu").value();
  const auto body =
      app::without_registration(app::without_frame(app::diff_code(before, after), true));
  const auto all = app::fold_equal(body, 0);
  REQUIRE(all.size() > 21);
  for (size_t most = 9; most <= 21; ++most) {  // what changed, from its first line on, has 7
    const auto shown = app::key_lines(all, most);
    INFO(most);
    CHECK(shown.size() <= most);
    const auto has_line = [&](Kind kind, const char* text) {
      return std::any_of(shown.begin(), shown.end(), [&](const app::DiffLine& line) {
        return line.kind == kind && contains(std::string(line.text), text);
      });
    };
    for (const Kind kind : {Kind::removed, Kind::added}) {
      CHECK(has_line(kind, "int64_t row ="));
      CHECK(has_line(kind, "int64_t col ="));
      CHECK_FALSE(has_line(kind, "<<<"));
      CHECK_FALSE(has_line(kind, "RIDGE_CUDA_LAUNCHED"));
    }
  }
  // Where nothing but the launch changed, the launch is shown.
  const std::string was = "void f() {\n  a<<<1>>>(x);\n  b();\n}\n",
                    is = "void f() {\n  a<<<2>>>(x);\n  b();\n}\n";
  const auto launch = app::key_lines(app::fold_equal(app::diff_code(was, is), 0), 3);
  CHECK(app::count_changes(launch).removed + app::count_changes(launch).added == 1);
}

TEST_CASE("F1 lists the keys, and the arrows go through a tour outside what is typed", "[tour]") {
  Fixture f;
  f.driver->key(Key::f1);
  CHECK(f.state.view.screen == ScreenId::shortcuts);
  for (const bool presenting : {false, true}) {
    INFO(presenting);
    f.state.teaching.results.clear();  // else what was said at the step stands there again
    start_tour(f.state, "meetup", 1);
    if (presenting) toggle_presenter(f.state);
    f.driver->frames(4);
    f.driver->key(Key::right);  // the field is empty: the key is the stage's
    CHECK(f.state.teaching.beat == Beat::predict);
    CHECK_FALSE(f.state.notice.text.empty());  // it lacks an answer
    type(f, "3");
    f.driver->frames(2);
    f.driver->key(Key::left);  // within what is typed
    CHECK(f.state.teaching.tour_step == 1);
    CHECK(f.state.teaching.beat == Beat::predict);
    f.driver->key(Key::page_down);
    answer_requests(f);
    for (int wait = 0; wait < 100 && is_step_running(f.state); ++wait) f.driver->frames(10);
    f.driver->key(Key::right);
    CHECK(f.state.teaching.beat == Beat::reveal);
    f.driver->key(Key::right);
    CHECK(f.state.teaching.beat == Beat::explain);
    f.driver->key(Key::left);
    CHECK(f.state.teaching.beat == Beat::reveal);
  }
  f.driver->key(Key::f1);
  CHECK(f.driver->find("key:theme"));
}

TEST_CASE(
    "a ratio of sides that lost different parts of their time is a range, and grades nothing in it",
    "[tour]") {
  Fixture f;
  f.session.shares = {{kFirst, 0.4}};
  f.session.judge(begin_pair(f, "8"), Verdict::faster, 16.4);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const TourStep step = shown_step(f.state);
  StepBars bars = bars_in(f);
  StepOutcome outcome = outcome_of(f.state, step, bars);
  CHECK(outcome.shown == "between 6.56× and 16.6×");
  CHECK(contains(outcome.interval, "by processor and by wall time [6.56, 16.6]"));
  CHECK(contains(step_bars_words(f.state, step, bars), "from processor time to wall time."));
  const std::string said = outcome_sentence(step, bars, answer_here(f.state), outcome);
  CHECK(said.find("You said 8×, and it is between 6.56× and 16.6×. Other programs took more") == 0);
  CHECK(contains(said, "had the processor for 40 % of its time"));
  // Reveal has the figure in large letters: a few words stand under it, and pointing at them says the rest.
  CHECK(outcome_sentence(step, bars, answer_here(f.state), outcome, true) ==
        "You said 8×. Busy machine: a range, not graded.");
  CHECK(outcome_sentence(step, bars, {}, outcome, true) ==
        "No prediction was made. Busy machine: a range.");
  f.driver->frames(2);
  CHECK(f.driver->find("outcome_whole"));
  CHECK(how_far(step, bars, answer_here(f.state), outcome).empty());
  const StepResult& result = f.state.teaching.results.at(1);
  CHECK_FALSE(result.off);
  CHECK(contains(result.ungraded, "had the processor"));
  CHECK(contains(result.claim, "faster, between 6.56× and 16.6× as fast"));
  CHECK(contains(result.claim, "other programs took more"));
  // Outside of all that the two clocks leave an answer is wrong, by the nearer end at least.
  const StepAnswer low = {.typed = "4"};
  const std::string far = how_far(step, bars, low, outcome);
  CHECK(far.starts_with("at least 1.6"));
  CHECK(far.ends_with("× too low"));
  CHECK(contains(outcome_sentence(step, bars, low, outcome),
                 "You said 4×: " + far + ". It is between 6.56× and 16.6×. Other programs took"));
  CHECK(outcome_sentence(step, bars, low, outcome, true) ==
        "You said 4×: " + far + ". Busy machine: a range.");
  const StepResult judged = result_of(step, bars, low, outcome);
  CHECK(judged.ungraded.empty());
  // The same of two that were timed apart.
  TourStep apart = step;
  apart.kind = StepKind::side_by_side;
  apart.ask = Ask::ratio;
  bars.bars.front().contradiction = bars.bars.back().contradiction = "";
  Series slow = *bars.bars.front().series, fast = *bars.bars.back().series;
  slow.stats->flags = fast.stats->flags = {};
  bars.bars.front().series = &slow, bars.bars.back().series = &fast;
  f.state.sessions.recordings.clear();
  bars.bars.front().asked.kernel = "gemm.cpu.loop_order";  // of these two no pair was made
  outcome = outcome_of(f.state, apart, bars);
  CHECK_FALSE(outcome.pair);
  CHECK(outcome.shown == "between 0.800× and 2.00×");
  CHECK(contains(outcome.ungraded, "by processor time"));
}

TEST_CASE(
    "a verdict that only one clock bears out is no answer, nor a bar that is the longest by one",
    "[tour]") {
  Fixture f;
  f.session.shares = {{kFirst, 0.5}};
  start_tour(f.state, "first_hour", 2);
  f.driver->frames(3);
  REQUIRE(shown_step(f.state).ask == Ask::verdict);
  f.driver->type('1');  // faster
  f.driver->key(Key::page_down);
  for (int guard = 0; guard < 9 && f.state.requests.is_measuring(); ++guard) {
    const WorkRequest request = f.session.sent.back();
    for (size_t i = 0; request.type == RequestType::run && i < request.kernels.size(); ++i)
      f.session.measure(request, static_cast<int>(i), 8e6);
    if (request.type == RequestType::run)
      f.session.finish(request);
    else
      f.session.judge(request, Verdict::faster, 1.5);
    f.driver->frames(3);
  }
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  CHECK_FALSE(f.state.teaching.results.at(2).right);
  CHECK(contains(f.state.teaching.results.at(2).measured, "had the processor for 50 %"));

  TourStep step;
  step.ask = Ask::longest;
  StepBars bars;
  bars.bars.resize(2);
  Series slow, fast;
  slow.kernel = kFirst, fast.kernel = kSecond;
  const auto with_share = [](double share) {
    std::vector<Sample> made = samples(12, 1e6);
    for (Sample& sample : made) sample.cpu_ns = sample.t_ns * share;
    return made;
  };
  slow.samples = fast.samples = samples(12, 1e6);
  bars.bars[0].series = &slow, bars.bars[1].series = &fast;
  bars.bars[0].title = "a", bars.bars[1].title = "b";
  bars.bars[0].value = 10, bars.bars[1].value = 15;
  CHECK(outcome_of(f.state, step, bars).right == std::vector<int>{1});
  slow.samples = with_share(0.5);  // 20 by processor time
  CHECK(outcome_of(f.state, step, bars).right.empty());
  CHECK(contains(outcome_of(f.state, step, bars).missing, "by processor time"));
  slow.samples = with_share(0.8);  // 12.5
  CHECK(outcome_of(f.state, step, bars).right == std::vector<int>{1});
}

TEST_CASE("a number inside the interval is right, whichever step asks for it", "[tour]") {
  Fixture f;
  const auto grade = [&](const std::string& said) {
    start_tour(f.state, "meetup");
    f.driver->frames(4);
    type(f, said);
    f.driver->key(Key::page_down);
    answer_requests(f);
    f.driver->frames(3);
    f.driver->key(Key::page_down);
    REQUIRE(f.state.teaching.beat == Beat::reveal);
    const TourStep step = shown_step(f.state);
    return outcome_sentence(step, bars_in(f), answer_here(f.state),
                            outcome_of(f.state, step, bars_in(f)));
  };
  // 8 ms with an interval of 1 % to either side, which is drawn on its bar.
  CHECK(grade("8.07 ms") ==
        "You said 8.07 ms: inside the interval that was measured. It is 8.00 ms.");
  CHECK(f.state.teaching.results.at(0).off == 1);
  f.driver->frames(200);  // the race of the bars is over
  const Area *whisker = f.driver->find("interval_mark"), *rail = f.driver->find("rail:1");
  REQUIRE((whisker && rail));
  CHECK(whisker->w > 0);
  CHECK(whisker->x > rail->x + rail->w * 0.5f);
  CHECK(whisker->right() <= rail->right() + 1);
  CHECK(contains(grade("8.2 ms"), "at least 1.014× too high"));
  CHECK(*f.state.teaching.results.at(0).off == Approx(8.2 / 8.08));
  CHECK(contains(grade("4 ms"), "at least 1.98× too low"));
  f.session.judge(begin_pair(f, "16.5"), Verdict::faster, 16.4);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.results.at(1).off == 1);
}

TEST_CASE("a number inside an interval that says nothing is not praised", "[tour]") {
  Fixture f;
  begin_pair(f, "4");
  const TourStep step = shown_step(f.state);
  StepOutcome wide;
  wide.value = 4, wide.shown = "4×";
  wide.range = Interval{2, 9};
  const StepAnswer said{.typed = "4"};
  CHECK(outcome_sentence(step, bars_in(f), said, wide) ==
        "You said 4×: inside the interval that was measured, but that is so wide that it says "
        "little. It is 4×.");
  CHECK_FALSE(result_of(step, bars_in(f), said, wide).off);
  CHECK(contains(result_of(step, bars_in(f), said, wide).ungraded, "says little"));
  wide.range = Interval{3.5, 4.5};
  CHECK(result_of(step, bars_in(f), said, wide).off == 1);
}

TEST_CASE("a time of which other programs took a part is a range, and grades nothing", "[tour]") {
  Fixture f;
  f.session.shares = {{kFirst, 0.4}};
  start_tour(f.state, "meetup", 0);
  f.driver->frames(4);
  type(f, "3.2 ms");
  f.driver->key(Key::page_down);
  answer_requests(f);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const StepResult& result = f.state.teaching.results.at(0);
  CHECK(result.measured == "between 3.20 ms and 8.00 ms");
  CHECK_FALSE(result.off);
  CHECK(contains(result.ungraded, "“three loops, -O1” had the processor for 40.0 % of it"));
  const std::string words = step_bars_words(f.state, shown_step(f.state), bars_in(f));
  CHECK(contains(words, " runs from processor time to wall time."));
  CHECK_FALSE(contains(words, "95 % interval."));
  // On a wall its figure takes two lines, and nothing under it is cut.
  CHECK(outcome_figure(outcome_of(f.state, shown_step(f.state), bars_in(f))) == "3.20 to 8.00 ms");
  REQUIRE(perform(f.state, "show_presenter"));
  f.driver->frames(3);
  CHECK(f.driver->find("outcome")->bottom() <= f.driver->find("presenter_words")->bottom());
}

TEST_CASE("a step whose ceiling is in doubt is judged by a recording, else by a bound", "[tour]") {
  for (const bool has_recordings : {false, true}) {
    INFO(has_recordings);
    Fixture f;
    start_tour(f.state, "meetup", 3);
    f.driver->frames(3);
    REQUIRE(shown_step(f.state).ask == Ask::share);
    type(f, "99");
    f.driver->key(Key::page_down);
    answer_requests(f);
    Ceiling ceiling = f.state.run().ceilings().front();
    ceiling.doubt = "other programs used the CPU meanwhile, so the true one is higher";
    const std::vector<Ceiling> all = {ceiling};
    f.session.tell("result", {{"request", 1}, {"ceilings", all}});
    if (has_recordings) f.state.sessions.recordings = shipped();
    f.driver->frames(3);
    f.driver->key(Key::page_down);
    REQUIRE(f.state.teaching.beat == Beat::reveal);
    TourStep step = shown_step(f.state);
    if (has_recordings) step.rungs.pop_back();  // of the library there is none at this size
    const StepOutcome outcome = outcome_of(f.state, step, step_bars(f.state, step));
    CHECK(outcome.missing.empty());
    CHECK(contains(outcome.interval, "is in doubt"));
    // The bars are shares, as the answer is: at 99 % of the axis, which ends at the ceiling, and a recording is none of here.
    const StepBars bars = step_bars(f.state, step), drawn = drawn_bars(f.state, step, bars);
    CHECK(drawn.unit == kShareUnit);
    CHECK(*answer_mark(step, drawn, answer_here(f.state), outcome) == Approx(0.99));
    CHECK(drawn.last()->machine.empty() == !has_recordings);
    CHECK((drawn.last()->value > 0) == has_recordings);
    if (has_recordings) CHECK(drawn.last()->value == Approx(outcome.value));
    f.driver->frames(120);  // the race is over
    REQUIRE(f.driver->find("answer_mark"));
    const Area &mark = *f.driver->find("answer_mark"), &rail = *f.driver->find("rail:4");
    CHECK(mark.x == Approx(rail.x + rail.w * 0.99f).margin(3));
    CHECK(contains(step_bars_words(f.state, step, bars), "Share of the measured ceiling"));
    StepResult result = f.state.teaching.results.at(3);
    if (has_recordings) {
      result = result_of(step, step_bars(f.state, step), answer_here(f.state), outcome);
      CHECK(contains(outcome.shown, ", recorded"));
      CHECK(outcome.interval.find("recorded on ") == 0);
      CHECK(result.off);
      continue;
    }
    CHECK(outcome.is_bound);
    CHECK(outcome.shown.find("at most ") == 0);
    REQUIRE(result.off);  // 99 % cannot be
    CHECK(*result.over > 1);
    const StepAnswer low{"0.001", -1};
    CHECK_FALSE(result_of(step, bars_in(f), low, outcome).off);
    CHECK(contains(result_of(step, bars_in(f), low, outcome).ungraded, "above the bound"));
    CHECK(contains(outcome_sentence(step, bars_in(f), low, outcome), "that can be"));
  }
}

TEST_CASE("a saved run names its machine as the recordings of that machine do", "[tour]") {
  REQUIRE_FALSE(shipped().empty());
  for (const Recording& one : shipped()) CHECK(machine_named(*one.run) == one.machine);
}

TEST_CASE("a grade is withdrawn where the session measures something else there later", "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 0);
  f.driver->frames(4);
  type(f, "8 ms");
  f.driver->key(Key::page_down);
  answer_requests(f);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.results.at(0).off == 1);
  const WorkRequest asked = f.session.last(RequestType::run);
  const auto finish_tour = [&] {
    f.state.teaching.tour_step = static_cast<int>(f.state.teaching.tour->steps.size()) - 1;
    f.state.teaching.beat = Beat::explain;
    f.state.teaching.has_more = false;
    advance(f.state);
    REQUIRE(f.state.teaching.beat == Beat::done);
    f.driver->frames(3);
  };
  finish_tour();
  CHECK(f.state.teaching.results.at(0).withdrawn.empty());
  const auto measure_again = [&](double ns) {
    (void)f.session.send(asked);
    f.session.measure(f.session.last(RequestType::run), 0, ns);
    f.session.finish(f.session.last(RequestType::run));
  };
  measure_again(2.5e6);
  finish_tour();
  CHECK(contains(f.state.teaching.results.at(0).withdrawn,
                 "took 8.00 ms when this was judged, and 2.50 ms when it was measured later"));
  measure_again(8.1e6);  // the newest of them agrees again
  finish_tour();
  CHECK(f.state.teaching.results.at(0).withdrawn.empty());
}

TEST_CASE("the rows of the end card keep apart, however long they are, on the wall as well",
          "[tour]") {
  Fixture f(1280, 800);
  start_tour(f.state, "meetup", 0);
  REQUIRE(perform(f.state, "show_presenter"));
  StepResult result;
  result.title = "three loops, -O1 → loop order, several sizes";
  result.said = "80.0 ms";
  result.measured =
      "The comparison was cancelled before enough rounds, so that nothing is settled.";
  result.ungraded =
      "Other programs took more of one side's time than of the other's: “three loops, -O1” had the "
      "processor for 40 % of its time, “loop order” for 99 %; the ratio is 28.0× by processor time "
      "and 70.0× by wall time.";
  f.state.teaching.results = {{0, result}, {1, result}, {2, result}};
  f.state.teaching.tour_step = static_cast<int>(f.state.teaching.tour->steps.size()) - 1;
  f.state.teaching.beat = Beat::explain;
  f.state.teaching.has_more = false;
  advance(f.state);
  f.driver->frames(3);
  REQUIRE(f.driver->find("end_card"));
  for (const auto& [one, next] : {std::pair(1, 2), std::pair(2, 3)}) {
    const Area *above = f.driver->find("end_words:" + std::to_string(one)),
               *below = f.driver->find("end_words:" + std::to_string(next));
    REQUIRE(above);
    REQUIRE(below);
    CHECK(above->bottom() <= below->y);
    CHECK(above->h > 100);
  }
}

TEST_CASE("the end card uses the room that it has: few steps stand in larger words", "[tour]") {
  const auto height_of = [](float width, float height, int steps) {
    Fixture f(width, height);
    start_tour(f.state, "meetup");
    StepResult result{.title = "three loops, -O1 → loop order", .said = "12×", .measured = "14×"};
    for (int i = 0; i < steps; ++i) f.state.teaching.results[i] = result;
    f.state.teaching.tour_step = static_cast<int>(f.state.teaching.tour->steps.size()) - 1;
    f.state.teaching.beat = Beat::explain;
    f.state.teaching.has_more = false;
    advance(f.state);
    f.driver->frames(3);
    REQUIRE(f.driver->find("end_words:" + std::to_string(steps)));
    const Area& last = *f.driver->find("end_words:" + std::to_string(steps));
    if (height > 1000) CHECK(last.bottom() <= f.driver->find("end_card")->bottom());
    return f.driver->find("end_words:1")->h;
  };
  CHECK(height_of(1920, 1080, 3) > 1.2f * height_of(1920, 1080, 6));
  CHECK(height_of(1920, 1080, 6) > height_of(1280, 720, 6));
}

TEST_CASE("A opens the answers of its step, and not those of the next", "[tour]") {
  Fixture f;
  f.session.judge(begin_pair(f, "2"), Verdict::faster, 2);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  f.driver->frames(3);
  REQUIRE(f.state.teaching.beat == Beat::explain);
  read_to_the_end(f);
  REQUIRE(f.driver->find(std::string("answer:") + kSecond + "#0"));
  const int folded = f.driver->triangles();
  f.driver->type('a');
  CHECK(f.driver->triangles() > folded + 50);
  CHECK(f.state.view.open_answers.contains(key_of_all(f.state)));
  go_to_step(f.state, 2);
  f.driver->frames(3);
  REQUIRE(f.driver->find("hint:gemm.cpu.loop_order?1"));
  CHECK_FALSE(f.driver->find("hint:gemm.cpu.loop_order?2"));  // offered once the first is open
  CHECK_FALSE(f.state.view.open_answers.contains(key_of_all(f.state)));
  f.driver->key(Key::escape);
  go_to_step(f.state, 1);
  CHECK(f.state.view.open_answers.contains(key_of_all(f.state)));
}

TEST_CASE("the lab behind a step has the columns that its lesson names", "[tour]") {
  Fixture f;
  set_level(f.state, Level::kLearn);
  f.run_all();
  start_tour(f.state, "meetup", 0);
  set_param(f.state, "n", int64_t{512});
  f.state.view.screen = ScreenId::lab;
  f.driver->frames(2);
  CHECK(f.state.selection.view == &first_view(f.state));
  ChartRows rows;
  const chart::ChartModel model = centre_chart(f.state, &rows);
  std::string titles = std::string(f.state.selection.view->id) + ":";
  for (const chart::Panel& panel : model.panels) titles += " " + panel.title;
  INFO(titles);
  CHECK(contains(titles, "Of ceiling"));
  // A busy machine has ceilings in doubt, and its column says so.
  std::vector<Ceiling> doubted = f.state.run().ceilings();
  for (Ceiling& ceiling : doubted) ceiling.doubt = "other programs used the CPU meanwhile";
  f.session.tell("result", {{"request", 1}, {"ceilings", doubted}});
  f.state.ladder.dirty = true;
  f.driver->frames(2);
  const chart::ChartModel busy = centre_chart(f.state, &rows);
  const auto column = std::find_if(busy.panels.begin(), busy.panels.end(),
                                   [](const auto& panel) { return panel.title == "Of ceiling"; });
  REQUIRE(column != busy.panels.end());
  CHECK(std::count(column->row_reasons.begin(), column->row_reasons.end(), "in doubt") > 1);
}

TEST_CASE("on a step's canvas F5 is its Run, and in the lab it shows nothing that the step asks",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 1);
  f.driver->frames(4);
  f.driver->key(Key::f5);
  CHECK(f.session.count(RequestType::run) == 0);
  CHECK(contains(f.state.notice.text, "unlocks Run"));
  for (const char* other : {"run_selected", "compare", "sweep", "sweep_all", "climb"}) {
    INFO(other);
    CHECK_FALSE(perform(f.state, other));
  }
  CHECK(f.session.count(RequestType::run) + f.session.count(RequestType::compare) == 0);
  // The lab's own run, while the question waits: its rungs stay covered until Reveal.
  REQUIRE(f.driver->click("tab:lab"));
  f.driver->frames(2);
  f.run_all();
  const auto row = [&](const char* kernel) { return find_row(f.state.ladder, kernel); };
  f.driver->frames(2);
  for (const char* kernel : {kFirst, kSecond}) {
    REQUIRE(row(kernel));
    CHECK(row(kernel)->covered);
    CHECK_FALSE(row(kernel)->series);
  }
  CHECK(contains(row(kFirst)->reason, "until the tour's step reveals it"));
  CHECK(row("gemm.cpu.loop_order")->series);
  REQUIRE(f.driver->click("show_tour"));
  f.driver->frames(4);
  type(f, "2");
  f.driver->key(Key::f5);
  INFO(f.state.notice.text << ", answer " << answer_here(f.state).typed);
  REQUIRE(f.state.teaching.beat == Beat::run);
  CHECK(f.session.last(RequestType::run).kernels.size() == 2);
  answer_requests(f);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  REQUIRE(f.driver->click("tab:lab"));
  f.driver->frames(3);
  CHECK(row(kFirst)->series);
}

TEST_CASE("the share of a pair moves in each of its phases, and most of it is the rounds",
          "[tour]") {
  Fixture f;
  const WorkRequest pair = begin_pair(f, "4");
  const auto share = [&] {
    f.driver->frames(1);
    return progress_of(f.state, shown_step(f.state), bars_in(f)).back();
  };
  for (const char* phase : {"prepare", "check", "warmup"}) {
    INFO(phase);
    f.session.phase(pair.id, 0, phase, std::nullopt);
    const double before = share();
    f.driver->frames(120);
    CHECK(share() > before);
  }
  CHECK(share() < 0.15);
  f.session.phase(pair.id, 0, "rounds", 1.0);
  CHECK(share() > 0.8);
}

TEST_CASE("what a step has measured of its pair never falls while it runs", "[tour]") {
  Fixture f;
  const WorkRequest pair = begin_pair(f, "4");
  double before = 0;
  const auto goes_on = [&](int side, const char* phase, std::optional<double> share) {
    INFO(side << " " << phase);
    f.session.phase(pair.id, side, phase, share);
    f.driver->frames(1);
    const double done = progress_of(f.state, shown_step(f.state), bars_in(f)).back();
    CHECK(done >= before);
    before = done;
  };
  goes_on(0, "prepare", std::nullopt);
  goes_on(0, "check", 0.5);
  goes_on(1, "prepare", std::nullopt);  // the other side begins at nothing
  goes_on(1, "check", 0.5);
  goes_on(-1, "timing", 0.9);  // a ceiling
  goes_on(0, "rounds", 0.8);
  CHECK(before > 0.5);
  goes_on(1, "warmup", std::nullopt);
  goes_on(-1, "warmup", std::nullopt);
  CHECK(before < 1);
}

TEST_CASE("a cancelled comparison is none, and says so", "[tour]") {
  Fixture f;
  const WorkRequest pair = begin_pair(f, "4");
  f.driver->key(Key::escape);
  f.session.cancel_with(pair, 2);
  f.driver->frames(3);
  CHECK_FALSE(is_step_running(f.state));
  CHECK(progress_of(f.state, shown_step(f.state), bars_in(f)).back() < 1);
  CHECK(is_row_cancelled(f.state, bars_in(f), bars_in(f).bars.size()));
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const StepOutcome outcome = outcome_of(f.state, shown_step(f.state), bars_in(f));
  CHECK_FALSE(outcome.pair);
  CHECK(contains(outcome.missing, "cancelled before enough rounds"));
  CHECK(f.state.teaching.results.at(1).claim.empty());
  // Its explanation is read, and the step is still to be done.
  f.driver->key(Key::page_down);
  f.driver->frames(2);
  REQUIRE(f.state.teaching.beat == Beat::explain);
  CHECK_FALSE(f.state.tour_progress.places["meetup"].done.contains(1));
  // In the report it is cancelled too.
  const auto report = shown_report(f.state);
  REQUIRE(report.ok());
  CHECK(report->headline.figure == "Cancelled");
}

TEST_CASE("a result that the session's own earlier one contradicts says so, and runs again there",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 0);
  f.driver->frames(4);
  type(f, "80 ms");
  f.driver->key(Key::page_down);
  const auto measure = [&](double ns) {
    f.driver->frames(2);
    f.session.measure(f.session.last(RequestType::run), 0, ns);
    f.session.finish(f.session.last(RequestType::run));
    f.driver->frames(3);
    f.driver->key(Key::page_down);
    REQUIRE(f.state.teaching.beat == Beat::reveal);
  };
  measure(268e6);
  CHECK(doubt_of(bars_in(f)).empty());
  CHECK_FALSE(should_run_again(f.state));
  go_to_step(f.state, 0);
  CHECK(f.state.teaching.beat == Beat::reveal);
  run_again(f.state);
  measure(8.58e9);
  CHECK(
      doubt_of(bars_in(f)) ==
      "“" + bars_in(f).bars.front().title +
          "” took 8.58 s now, and 268 ms when this session measured it before: 32.0× as long now.");
  f.driver->frames(2);
  REQUIRE(f.driver->click("run_again"));
  REQUIRE(f.state.teaching.beat == Beat::run);
  measure(270e6);  // two of three agree
  CHECK(doubt_of(bars_in(f)).empty());
}

TEST_CASE("a pairing that was cancelled leaves no ratio of two times alone", "[tour]") {
  Fixture f;
  f.session.cancel_with(begin_pair(f, "4"), 2);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  f.driver->frames(2);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  REQUIRE(should_run_again(f.state));
  REQUIRE(f.driver->click("run_again"));
  REQUIRE(f.state.teaching.beat == Beat::run);
  answer_requests(f);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  CHECK(outcome_of(f.state, shown_step(f.state), bars_in(f)).shown == "2.00×");
}

TEST_CASE("a step is left out by key, from the list, and by a click on the step count", "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 3);
  f.driver->frames(3);
  f.driver->key(Key::page_down, true);
  CHECK(f.state.teaching.tour_step == 4);
  f.driver->key(Key::page_up, true);
  CHECK(f.state.teaching.tour_step == 3);
  REQUIRE(f.driver->click("steps"));
  f.driver->frames(2);
  REQUIRE(f.driver->find("step:6"));
  f.driver->key(Key::down);
  f.driver->key(Key::down);
  f.driver->key(Key::page_down);  // the clicker takes the marked row
  f.driver->frames(2);
  CHECK(f.state.teaching.tour_step == 5);
  CHECK(f.state.teaching.beat == Beat::predict);
  CHECK_FALSE(f.driver->find("list"));
}

TEST_CASE("while a step runs the presenter offers no reveal", "[tour]") {
  Fixture f;
  toggle_presenter(f.state);
  const WorkRequest pair = begin_pair(f, "4");
  f.session.progress(pair.id);
  f.driver->frames(3);
  CHECK(progress_of(f.state, shown_step(f.state), bars_in(f)).back() < 1);
  CHECK(contains(step_status(f.state), "about 2 s left"));
  CHECK(contains(stage_hint(f.state), "Esc: cancel"));
  CHECK_FALSE(contains(stage_hint(f.state), "reveal"));
}

TEST_CASE("Enter goes through a step, Reveal waits for its run, and a cancelled one runs again",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 0);
  f.driver->frames(4);
  type(f, "80 ms");
  f.driver->key(Key::enter);
  REQUIRE(f.state.teaching.beat == Beat::run);
  CHECK_FALSE(locked_because(f.state).empty());
  f.driver->key(Key::enter);
  CHECK(f.state.teaching.beat == Beat::run);  // it runs still
  CHECK(f.driver->find("run_again") == nullptr);
  f.session.finish(f.session.last(RequestType::run), "cancelled");
  f.driver->frames(3);
  CHECK(locked_because(f.state).empty());
  const int before = static_cast<int>(f.session.count(RequestType::run));
  REQUIRE(f.driver->click("run_again"));
  CHECK(static_cast<int>(f.session.count(RequestType::run)) == before + 1);
  REQUIRE(f.state.teaching.beat == Beat::run);
  answer_requests(f);
  f.driver->frames(3);
  f.driver->key(Key::enter);
  CHECK(f.state.teaching.beat == Beat::reveal);
  f.driver->key(Key::enter);
  CHECK(f.state.teaching.beat == Beat::explain);
  const std::string clock = tour_clock(f.state);
  f.state.view.screen = ScreenId::lab;  // the tour is left, and its clock rests
  (void)tick_teaching(f.state, f.state.teaching.now_s + 600);
  CHECK(tour_clock(f.state) == clock);
}

TEST_CASE("on a wall a diagram is whole, and takes the width of its place", "[tour]") {
  for (const auto& [width, height, on_wall] :
       {std::tuple(1600.f, 1000.f, true), std::tuple(1920.f, 1080.f, true),
        std::tuple(1280.f, 720.f, true), std::tuple(1280.f, 720.f, false)}) {
    const std::string source =
        read_text(variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/loop_order.cpp").value();
    FakeSession::texts = {{"gemm.cpu.loop_order", source}};
    Fixture f(width, height);
    f.session.judge(begin_pair(f, "4", 2), Verdict::faster, 16.4);
    if (on_wall) REQUIRE(perform(f.state, "show_presenter"));
    f.driver->frames(3);
    while (f.state.teaching.beat < Beat::explain) f.driver->key(Key::page_down);
    f.driver->frames(4);
    FakeSession::texts.clear();
    const Area *place = f.driver->find("step_diagram"), *drawn = f.driver->find("diagram");
    INFO(width << " x " << height << (on_wall ? " on a wall" : ""));
    REQUIRE((place && drawn));
    CHECK(drawn->bottom() <= place->bottom() + 1);
    CHECK(drawn->w > place->w * 0.7f);
  }
}

TEST_CASE("the code of a change is a page further where a diagram explains it", "[tour]") {
  Fixture f(1920, 1080);
  f.session.judge(begin_pair(f, "4", 2), Verdict::faster, 16.4);
  f.driver->frames(3);
  for (int i = 0; i < 2; ++i) f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::explain);
  f.driver->frames(2);
  REQUIRE(f.driver->find("step_diagram"));
  CHECK_FALSE(f.driver->find("step_code"));
  read_on(f);
  CHECK(f.driver->find("step_code"));
  CHECK_FALSE(f.driver->find("step_diagram"));
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.tour_step == 3);
}

// ---- every shipped tour, walked ------------------------------------------------------------------

/// A worker without a GPU that lists all that the tours use.
struct Walk {
  Walk() {
    FakeSession::other_labs = {"traps", "pipeline",    "fusion",   "machine",
                               "conv",  "collectives", "parallel", "attention",
                               "quant", "weightless",  "claims"};
  }
  ~Walk() { FakeSession::other_labs.clear(); }
};

/// Names of rungs as only files and command lines have them: "naive_o1", "gemm.cpu.packed".
std::vector<std::string> ids_in(const std::string& text, const Lab& lab) {
  std::vector<std::string> found;
  for (const Rung& rung : lab.rungs) {
    const std::string id = rung.kernel, name = id.substr(id.rfind('.') + 1);
    if (contains(text, id) || (contains(name, "_") && contains(text, name))) found.push_back(name);
  }
  return found;
}

void check_is_inside(const Fixture& f, const std::string& widget, float width, float height) {
  INFO(widget);
  const Area* area = f.driver->find(widget);
  REQUIRE(area);
  CHECK(area->x >= 0);
  CHECK(area->y >= 0);
  CHECK(area->right() <= width);
  CHECK(area->bottom() <= height);
}

/// On a wall of 1920 x 1080.
void check_is_read_from_the_last_row(const Fixture& f) {
  constexpr float kLeast_px = 20;
  const auto& smallest = f.driver->shell().smallest_text();
  INFO(smallest.text);
  CHECK(smallest.px >= kLeast_px);
}

/// A peer has a part of the lesson only where its lab gives it one.
bool has_lesson(const Lab& lab, const std::string& kernel) {
  const auto text = study::read_asset(lab.lesson);
  return text && contains(*text, "\n## " + kernel + " ");
}

/// What all bars are held to stands over them where it is near enough.
void check_ceiling(const Fixture& f, const StepBars& bars) {
  const auto ceiling = shared_ceiling(bars);
  double longest = 0;
  for (const LessonBar& bar : bars.bars) {
    longest = std::max(longest, bar.value);
    if (!ceiling) continue;
    const auto& all = bar.run->ceilings();
    CHECK(std::any_of(all.begin(), all.end(), [&](const Ceiling& one) {
      return one.resource == "flop" && one.value == Approx(*ceiling);
    }));
  }
  const bool is_seen = ceiling && *ceiling <= 3 * longest;
  CHECK((f.driver->find("ceiling_mark") != nullptr) == is_seen);
}

/// A lesson whose counts are of another size than all bars of its rung beside it says so.
void check_names_the_lessons_size(Fixture& f, const StepBars& bars, const LessonBar* about) {
  if (!f.driver->find("step_lesson") || !about->series) return;
  LessonText lesson;
  const Params counted =
      counted_at(lesson.blocks(f.state), *f.state.selection.lab, about->asked.kernel);
  const bool is_beside = std::any_of(bars.bars.begin(), bars.bars.end(), [&](const LessonBar& bar) {
    return bar.series && bar.asked.kernel == about->asked.kernel &&
           agrees(bar.series->params, counted);
  });
  CHECK((f.driver->find("step_lesson_size") != nullptr) ==
        (!is_beside && shown_step(f.state).why.empty()));
}

/// From its question to its explanation, as a learner would at a window of this size.
void walk_step(Fixture& f, float width, float height) {
  const TourStep step = shown_step(f.state);
  // As they are read: a reference to a figure names its rung.
  const std::string texts =
      figure::shown(figure_text(f.state, step.question + " " + step.words, "text"));
  CHECK(ids_in(texts, *find_lab(step.lab)) == std::vector<std::string>{});
  const auto choices = choices_of(step, bars_in(f));
  for (size_t i = 0; i < choices.size(); ++i)
    check_is_inside(f, "answer:" + std::to_string(i + 1), width, height);
  if (choices.empty()) check_is_inside(f, "answer_field", width, height);
  CHECK_FALSE(answer_blocker(f.state).empty());
  answer(f);
  CHECK(answer_blocker(f.state).empty());
  CHECK_FALSE(f.driver->find("outcome"));
  const std::vector<LessonBar> asked = bars_in(f).bars;
  const bool is_any_open = std::any_of(asked.begin(), asked.end(), [](const LessonBar& bar) {
    return bar.measured_at < 0 && (bar.can_run || bar.series);  // to be run, or played back
  });
  const bool is_pair = step.kind == StepKind::compare;
  const bool runs = step.measures() && !is_known(step, bars_in(f)) && (is_any_open || is_pair);
  f.driver->key(Key::page_down);
  if (runs) {
    REQUIRE(f.state.teaching.beat == Beat::run);
    answer_requests(f);
    CHECK_FALSE(f.driver->find("outcome"));
    CHECK_FALSE(f.driver->find("step_bars"));
    for (int guard = 0; guard < 100 && is_step_running(f.state); ++guard) f.driver->frames(10);
    f.driver->key(Key::page_down);
  }
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const StepBars bars = bars_in(f);
  const StepOutcome outcome = outcome_of(f.state, step, bars);
  CHECK(outcome.missing == "");
  CHECK_FALSE(outcome.shown.empty());
  check_is_inside(f, "outcome", width, height);
  for (size_t i = 0; i < bars.bars.size(); ++i) {
    const LessonBar& bar = bars.bars[i];
    INFO(bar.asked.kernel << ": " << bar.reason);
    CHECK(bar.value > 0);
    if (step.figure.empty()) check_is_inside(f, "bar:" + std::to_string(i + 1), width, height);
    const bool is_gpu = contains(bar.asked.kernel, ".cuda.");
    CHECK(bar.machine.empty() == !is_gpu);  // no GPU here: a recording, by name
  }
  if (!step.figure.empty()) check_is_inside(f, "step_figure", width, height);
  if (step.figure.empty() && !outcome.pair && step.ask != Ask::share) check_ceiling(f, bars);
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::explain);
  check_is_inside(f, "explanation", width, height);
  const LessonBar* about = bar_explained(step, bars, outcome);
  if (step.ask == Ask::share || step.ask == Ask::time) CHECK(about == bars.last());
  if (step.ask == Ask::choice) CHECK(about == nullptr);
  CHECK((f.driver->find("step_lesson") != nullptr) ==
        (about && has_lesson(*find_lab(step.lab), about->asked.kernel)));
  check_names_the_lessons_size(f, bars, about);
  read_on(f);
  f.driver->key(Key::page_down);
}

/// The text of each rung, by its id, as the project holds it.
std::map<std::string, std::string> rung_texts() {
  const std::regex entry(R"(RIDGE_(?:KERNEL|TRAINING|PIPELINE|TRAP)\((\w+),\s*(\w+),\s*(\w+))");
  std::map<std::string, std::string> texts;
  const std::filesystem::path folder = variable("RIDGE_SOURCE") + "/kernels";
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string kind = file.path().extension().string();
    if (kind != ".cpp" && kind != ".cu") continue;
    const std::string text = read_text(file.path().string()).value();
    for (std::sregex_iterator at(text.begin(), text.end(), entry), end; at != end; ++at)
      texts[at->str(1) + "." + at->str(2) + "." + at->str(3)] = text;
  }
  return texts;
}

/// What stands before the line in its text ends a statement, or opens a block, a loop's or a function's.
bool begins_in(const std::string& text, std::string_view line) {
  std::string before = text.substr(0, static_cast<size_t>(line.data() - text.data()));
  const auto last_line = [&] {
    const size_t at = before.find_last_not_of("\n ");
    before.resize(at == before.npos ? 0 : at + 1);
    return before.substr(before.rfind('\n') + 1);
  };
  std::string last = last_line();
  while (!last.empty() && last.find_first_not_of(' ') == last.find("//")) {
    before.resize(before.size() - last.size());
    last = last_line();
  }
  last = last.substr(0, last.find(" //"));
  const size_t end = last.find_last_not_of(' ');
  if (end == last.npos || last.starts_with("#")) return true;
  const bool is_list = contains(last, "= {") && !contains(last, "}");
  return !is_list && std::string_view(";{}:").find(last[end]) != std::string_view::npos &&
         line.find_first_not_of(' ') != line.find('}');
}

TEST_CASE("every excerpt of a tour's code begins at a statement", "[tour]") {
  const Walk walk;
  Fixture f;
  const std::map<std::string, std::string> texts = rung_texts();
  const auto source_of = [&](const Rung& rung) {
    const auto found = texts.find(rung.kernel);
    return found == texts.end() ? nullptr : &found->second;
  };
  int excerpts = 0;
  const auto check = [&](const std::string* text, std::string_view line) {
    INFO(line);
    CHECK(begins_in(*text, line));
    ++excerpts;
  };
  for (const std::string& id : study::tour_ids()) {
    const auto tour = study::load_tour(id);
    REQUIRE(tour);
    for (const TourStep& step : tour->steps) {
      const CodePair pair = code_of(f.state, step);
      const std::string* after = pair.rung ? source_of(*pair.rung) : nullptr;
      const std::string* before = pair.before ? source_of(*pair.before) : nullptr;
      if (!after || (pair.before && !before)) continue;
      INFO(id << ": " << pair.rung->kernel);
      if (!pair.before) {
        const SourceText source{pair.rung->kernel, "", *after, "", ""};
        for (size_t most = 4; most < 50; ++most) {
          const auto part = key_part(code_lines(source), most);
          if (part.size() > 1) check(&source.text, part[part.front() == "…"]);
        }
        continue;
      }
      const auto body =
          app::without_registration(app::without_frame(app::diff_code(*before, *after), true));
      const auto check_parts = [&](const std::vector<app::DiffLine>& shown) {
        const auto is_cut = [](const app::DiffLine& line) {
          return !line.old_number && !line.new_number;
        };
        for (size_t i = 1; i < shown.size(); ++i)
          if (is_cut(shown[i - 1]) && !is_cut(shown[i]))
            check(shown[i].kind == app::DiffLine::Kind::added ? after : before, shown[i].text);
      };
      for (const int context : {2, 1, 0}) check_parts(app::fold_equal(body, context));
      for (size_t most = 5; most < 50; ++most)
        check_parts(app::key_lines(app::fold_equal(body, 0), most));
    }
  }
  CHECK(excerpts > 100);
}

TEST_CASE("the presenter writes nothing too small for the last row of a room", "[tour][walk]") {
  const Walk walk;
  Fixture f(1920, 1080);
  f.state.sessions.recordings = shipped();
  f.state.appearance.reduced_motion = true;
  start_tour(f.state, "class");
  toggle_presenter(f.state);
  f.driver->frames(3);
  for (int guard = 0; guard < 200 && f.state.teaching.beat != Beat::done; ++guard) {
    INFO("step " << f.state.teaching.tour_step + 1 << ", beat " << int(f.state.teaching.beat));
    check_is_read_from_the_last_row(f);
    if (const Area* line = f.driver->find("code_line"); line && f.driver->find("step_code"))
      CHECK(line->h >= 27);  // of which the letters are set 20 px high
    if (const Area* text = f.driver->find("step_figure_text")) CHECK(text->h >= 26.5f);
    if (const Area* words = f.driver->find("wall_words"); f.state.teaching.beat == Beat::explain) {
      REQUIRE(words);
      CHECK(words->h <= f.driver->find("explanation")->h);  // nothing of it is cut
    }
    if (f.state.teaching.beat == Beat::predict) answer(f);
    f.driver->key(Key::page_down);
    answer_requests(f);
    for (int wait = 0; wait < 100 && is_step_running(f.state); ++wait) f.driver->frames(10);
  }
  REQUIRE(f.state.teaching.beat == Beat::done);
  check_is_read_from_the_last_row(f);
}

TEST_CASE("every tour is walked without a GPU: each step is answered, and shows what it asked for",
          "[tour][walk]") {
  const Walk walk;
  for (const auto& [width, height] : {std::pair{1280.0f, 720.0f}, {1920.0f, 1080.0f}}) {
    // All where room is short; where there is more, the tour with every kind of step.
    for (const std::string& id :
         width < 1500 ? study::tour_ids() : std::vector<std::string>{"class"}) {
      DYNAMIC_SECTION(id << " at " << width) {
        Fixture f(width, height);
        f.state.sessions.recordings = shipped();
        f.state.appearance.reduced_motion = true;
        start_tour(f.state, id);
        f.driver->frames(3);
        const auto steps = static_cast<int>(f.state.teaching.tour->steps.size());
        for (int i = 0; i < steps; ++i) {
          INFO(id << ", step " << i + 1 << " at " << width);
          REQUIRE(f.state.teaching.tour_step == i);
          walk_step(f, width, height);
        }
        CHECK(f.state.teaching.beat == Beat::done);
        CHECK(f.state.teaching.results.size() == static_cast<size_t>(steps));
        CHECK(f.driver->find("end_card"));
        for (const study::TourNext& next : f.state.teaching.tour->next)
          CHECK(f.driver->find("next:" + next.id));
      }
    }
  }
}

TEST_CASE("the Why of every step of a tour counts at a size that the step ran", "[tour][walk]") {
  const Walk walk;
  for (const std::string& id : study::tour_ids()) {
    Fixture f;
    f.state.sessions.recordings = shipped();
    const auto tour = study::load_tour(id);
    REQUIRE(tour);
    for (int i = 0; i < static_cast<int>(tour->steps.size()); ++i) {
      start_tour(f.state, id, i);
      f.driver->frames(2);
      f.state.teaching.beat = Beat::explain;
      const TourStep step = shown_step(f.state);
      const StepBars bars = bars_in(f);
      const LessonBar* bar = bar_explained(step, bars, outcome_of(f.state, step, bars));
      if (!bar) continue;
      LessonText lesson;
      const Params counted =
          counted_at(lesson.blocks(f.state), *f.state.selection.lab, bar->asked.kernel);
      const std::string other = other_size(f.state, bars, *bar, counted);
      INFO(id << ", step " << i + 1 << ": " << other);
      CHECK(other.empty() == step.why.empty());
    }
  }
}

TEST_CASE("a rung that failed its check has no speed on a canvas, and its pair no ratio",
          "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  start_tour(f.state, "meetup", 1);
  f.driver->frames(4);
  type(f, "3");
  f.driver->key(Key::page_down);
  const WorkRequest run = f.session.last(RequestType::run);
  f.session.measure(run, 0, 8e6);
  f.session.measure(run, 1, 4e6, false);
  f.session.finish(run);
  f.driver->frames(3);
  f.session.judge(f.session.last(RequestType::compare), Verdict::invalid, 2.0);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const StepBars bars = bars_in(f);
  CHECK(bars.bars[0].series);
  CHECK_FALSE(bars.bars[1].series);  // nor that of a recording
  CHECK(bars.bars[1].value == 0);
  CHECK(contains(bars.bars[1].reason, "failed its check, so it has no speed"));
  const StepOutcome outcome = outcome_of(f.state, shown_step(f.state), bars);
  CHECK_FALSE(outcome.pair);
  CHECK(contains(outcome.missing, "“" + bars.bars[1].title + "” failed its check"));
  CHECK_FALSE(f.state.teaching.results.at(1).off);
  CHECK(f.state.teaching.results.at(1).claim.empty());
  f.driver->frames(60);
  CHECK(f.driver->find("bar_fill:1")->w > 0);
  CHECK(f.driver->find("bar_fill:2")->w == 0);
}

TEST_CASE("P on Home begins the tour that was begun, else it lists the tours", "[tour]") {
  Fixture f;
  f.state.view.screen = ScreenId::home;
  f.driver->frames(3);
  f.driver->type('p');
  f.driver->frames(3);
  CHECK(f.state.teaching.presenting);
  CHECK(f.state.view.screen == ScreenId::presenter);
  CHECK(f.driver->find("list"));
  f.driver->key(Key::escape);
  f.driver->key(Key::escape);
  REQUIRE_FALSE(f.state.teaching.presenting);
  CHECK(f.state.view.screen == ScreenId::home);
  f.state.tour_progress.places["class"] = {3, {0, 1, 2}};
  f.state.tour_progress.last = "class";
  f.driver->frames(3);
  REQUIRE(f.driver->find("door_done:class"));
  CHECK(f.driver->find("door_done:class")->w > 0);
  CHECK_FALSE(f.driver->find("door_done:meetup"));
  f.driver->type('p');
  f.driver->frames(3);
  CHECK(f.state.teaching.presenting);
  CHECK(is_tour_on(f.state, "class"));
}

TEST_CASE("a step that was revealed opens at Reveal, and a measured one waits for it", "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 0);
  f.driver->frames(4);
  type(f, "80 ms");
  f.driver->key(Key::page_down);
  f.driver->type('#');  // while it runs nothing is lost, and no step is left out
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("list"));
  CHECK(f.state.teaching.beat == Beat::run);
  CHECK(contains(f.state.notice.text, "Still running"));
  f.driver->key(Key::page_up);
  CHECK(f.state.teaching.beat == Beat::run);
  answer_requests(f);
  f.driver->frames(2);
  const int sent = f.session.count(RequestType::run);
  go_to_step(f.state, 2);
  CHECK(f.state.teaching.beat == Beat::predict);
  go_to_step(f.state, 0);  // measured, and not revealed yet
  CHECK(f.state.teaching.beat == Beat::run);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  CHECK(f.session.count(RequestType::run) == sent);
  const std::string measured = f.state.teaching.results.at(0).measured;
  go_to_step(f.state, 3);
  f.driver->frames(2);
  f.driver->type('#');
  f.driver->frames(2);
  REQUIRE(f.driver->click("step:1"));
  f.driver->frames(2);
  CHECK(f.state.teaching.tour_step == 0);
  CHECK(f.state.teaching.beat == Beat::reveal);
  CHECK(f.state.teaching.results.at(0).measured == measured);
  CHECK(bars_in(f).bars.front().series);
  CHECK(f.driver->find("step_bars"));
  f.driver->key(Key::page_up);  // before the first step there is nothing, and what was seen stays
  CHECK(f.state.teaching.beat == Beat::reveal);
}

TEST_CASE("a tour's step does not cover what the session had shown before it", "[tour]") {
  Fixture f;
  WorkRequest request;
  request.type = RequestType::run;
  request.lab = "gemm";
  request.mode = RunMode::live;
  request.cache = CacheMode::hot;
  request.kernels = {{kFirst, {{"n", int64_t{512}}, {"threads", int64_t{1}}}}};
  REQUIRE(f.session.send(request).ok());
  const WorkRequest sent = f.session.last(RequestType::run);
  f.session.measure(sent, 0, 2e6);
  f.session.finish(sent);
  f.driver->frames(3);
  start_tour(f.state, "class", 0);  // asks for this rung at this size
  f.driver->frames(3);
  CHECK_FALSE(is_covered(f.state, kFirst));
  start_tour(f.state, "meetup", 0);  // at another
  f.driver->frames(3);
  CHECK(is_covered(f.state, kFirst));
  CHECK_FALSE(hides_result(f.state, f.state.run().series().front()));
}

TEST_CASE("without a tour a rung that was revealed is not asked about again, and libraries end it",
          "[tour]") {
  Fixture f;
  select_rung(f.state, kFirst);
  toggle_presenter(f.state);
  f.driver->frames(3);
  const std::vector<std::string> rungs = presented_rungs(f.state);
  const auto is_peer = [](const std::string& kernel) { return rung_of(kernel)->peer; };
  CHECK(std::is_partitioned(rungs.begin(), rungs.end(),
                            [&](const std::string& kernel) { return !is_peer(kernel); }));
  CHECK(is_peer(rungs.back()));
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  answer_requests(f);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  f.driver->key(Key::page_down);
  read_on(f);
  f.driver->key(Key::page_down);
  f.driver->frames(3);
  REQUIRE(f.state.selection.rung != kFirst);
  CHECK(f.state.teaching.beat == Beat::predict);
  f.driver->key(Key::page_up);
  CHECK(f.state.selection.rung == kFirst);
  CHECK(f.state.teaching.beat == Beat::reveal);
  CHECK(f.state.teaching.revealed.contains(kFirst));
}

TEST_CASE("a comment does not answer what the code is asked about", "[tour]") {
  const std::string code =
      "// Idea\n#include <a>\n\nint f() {  // fast\n  /* two\n     lines */\n  // why\n"
      "  char c = '\"';  // a quote\n  return 1'000 / g(\"// no comment\");\n}\n\n"
      "}  // namespace\n";
  const app::BareCode bare = app::without_comments(code);
  CHECK(bare.text ==
        "#include <a>\n\nint f() {\n  char c = '\"';\n"
        "  return 1'000 / g(\"// no comment\");\n}\n\n}  // namespace\n");
  CHECK(bare.numbers == std::vector<int>{2, 3, 4, 8, 9, 10, 11, 12});
  Fixture f;
  start_tour(f.state, "meetup", 0);
  CHECK(hides_comments(f.state));
  f.state.teaching.beat = Beat::reveal;
  CHECK_FALSE(hides_comments(f.state));
}

TEST_CASE("what changed between two rungs is neither their name nor how their lines are broken",
          "[tour]") {
  const std::string root = variable("RIDGE_SOURCE") + "/kernels/gemm/rungs/";
  const std::string before = *read_text(root + "naive.cu"),
                    after = *read_text(root + "coalesced.cu");
  const std::string bare_before = app::without_comments(before).text,
                    bare_after = app::without_comments(after).text;
  std::vector<std::string> changed;
  for (const app::DiffLine& line :
       app::without_registration(app::diff_core(bare_before, bare_after)))
    if (line.kind != app::DiffLine::Kind::same) changed.emplace_back(line.text);
  REQUIRE(changed.size() == 4);  // two lines, before and after
  for (const std::string& line : changed) CHECK(contains(line, "threadIdx."));
  // What is left is as it is written.
  const std::string loop = *read_text(root + "loop_order.cpp"),
                    naive = *read_text(root + "naive.cpp");
  for (const app::DiffLine& line : app::diff_core(naive, loop)) {
    const bool is_removed = line.kind == app::DiffLine::Kind::removed;
    const auto lines = app::split_lines(is_removed ? naive : loop);
    const int number = is_removed ? line.old_number : line.new_number;
    CHECK(lines[static_cast<size_t>(number - 1)] == line.text);
  }
}

TEST_CASE("two times that were taken apart judge only an answer that is far off", "[tour]") {
  const Walk walk;
  const auto result_of_answer = [](const std::string& said) {
    Fixture f;
    start_tour(f.state, "convolution", 2);
    f.driver->frames(4);
    REQUIRE(shown_step(f.state).kind == StepKind::run);
    type(f, said);
    f.driver->key(Key::page_down);
    answer_requests(f);  // 8 ms and 4 ms
    f.driver->frames(3);
    f.driver->key(Key::page_down);
    REQUIRE(f.state.teaching.beat == Beat::reveal);
    return f.state.teaching.results.at(2);
  };
  const StepResult near = result_of_answer("2.1"), far = result_of_answer("10");
  CHECK_FALSE(near.off);
  CHECK(contains(near.ungraded, "taken apart (≈) judge no answer near them"));
  REQUIRE(far.off);
  CHECK(*far.off == Approx(4));  // of 2 × 1.25
}

TEST_CASE("the end card's score says what it counts, and what it leaves out", "[tour]") {
  Teaching teach;
  const auto add = [&](int step, std::optional<double> off, std::optional<bool> right) {
    StepResult result;
    result.said = "3×";
    result.off = off;
    result.right = right;
    teach.results[step] = result;
  };
  CHECK(contains(score_text(teach), "No prediction"));
  add(0, 1, {});
  add(1, 1.8, {});
  add(2, 3, {});
  add(3, {}, true);
  add(4, {}, {});
  teach.results[4].ungraded = "busy";
  add(5, 5, {});
  teach.results[5].withdrawn = "later";
  CHECK(score_text(teach) ==
        "Numbers: of 3, 1 inside the range that was measured, 2 within a factor of 2 of its nearer "
        "end. Choices: of 1, 1 right. 1 answer is not judged, because the measurement settles "
        "nothing there. 1 answer is withdrawn from the score, because a later measurement "
        "contradicts the first: noise made it a toss-up.");
}

TEST_CASE("a choice of a step's own is no measurement, whatever its words", "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  start_tour(f.state, "class", 7);
  f.driver->frames(3);
  const TourStep step = shown_step(f.state);
  REQUIRE(step.ask == Ask::choice);
  const StepOutcome outcome = outcome_of(f.state, step, bars_in(f));
  CHECK(outcome_sentence(step, bars_in(f), {"", 0}, outcome) ==
        "You said “" + step.choices[0] + "”. This fits: “" + step.choices[2] + "”.");
  CHECK(outcome_sentence(step, bars_in(f), {}, outcome) ==
        "No prediction was made. This fits: “" + step.choices[2] + "”.");
}

TEST_CASE("no answer of a tour gives itself away by its length, and no question misnames its bars",
          "[tour]") {
  for (const std::string& id : study::tour_ids()) {
    const auto tour = study::load_tour(id);
    REQUIRE(tour);
    for (const TourStep& step : tour->steps) {
      INFO(id << ": " << step.question);
      // The longest bar is the fastest rung.
      if (step.ask == Ask::longest) CHECK_FALSE(contains(step.question, "takes long"));
      if (step.ask != Ask::choice) continue;
      size_t longest = 0;
      const auto right = static_cast<size_t>(step.right);
      for (size_t i = 0; i < step.choices.size(); ++i)
        if (i != right) longest = std::max(longest, step.choices[i].size());
      CHECK(step.choices[right].size() <= longest * 5 / 4);
    }
  }
}

TEST_CASE("a saved run that is no rehearsal is presented with what it holds", "[tour]") {
  TemporaryFolder folder;
  const std::string path = folder.path + "/run.jsonl";
  {
    Fixture f;
    WorkRequest request;
    request.type = RequestType::run;
    request.lab = "gemm";
    request.mode = RunMode::live;
    request.cache = CacheMode::hot;
    request.kernels = {{kFirst, {{"n", int64_t{256}}}}, {kSecond, {{"n", int64_t{256}}}}};
    REQUIRE(f.session.send(request).ok());
    const WorkRequest sent = f.session.last(RequestType::run);
    f.session.measure(sent, 0, 2e6);
    f.session.measure(sent, 1, 1e6);
    f.session.finish(sent);
    REQUIRE(f.session.save(path).ok());
  }
  Fixture f;
  open_run(f.state, path);
  f.driver->frames(5);
  begin_presenting(f.state);
  f.driver->frames(5);
  REQUIRE(f.state.teaching.presenting);
  const auto is_held = [&] {
    for (const LessonBar& bar : bars_in(f).bars) {
      INFO(bar.title << ": " << bar.reason);
      CHECK(bar.series);
    }
  };
  is_held();
  const std::string first = f.state.selection.rung;
  while (f.state.teaching.beat != Beat::explain) f.driver->key(Key::page_down);
  read_on(f);
  f.driver->key(Key::page_down);
  f.driver->frames(3);
  CHECK(f.state.selection.rung != first);
  CHECK(shown_step(f.state).rungs == std::vector<std::string>{kFirst, kSecond});
  is_held();
}

TEST_CASE("P on Home begins an open tour at its first step, and gives the learner's place back",
          "[tour]") {
  const bool is_done = GENERATE(false, true);
  Fixture f;
  start_tour(f.state, "meetup", 5);
  f.driver->frames(3);
  f.state.teaching.answers[5].choice = 1;
  f.state.teaching.results[5] = {.said = "the same", .measured = "slower"};
  f.state.teaching.beat = is_done ? Beat::done : Beat::explain;
  f.driver->frames(2);
  f.state.view.screen = ScreenId::home;
  f.driver->frames(2);
  f.driver->type('p');
  f.driver->frames(3);
  REQUIRE(f.state.teaching.presenting);
  CHECK(f.state.view.screen == ScreenId::presenter);
  CHECK(f.state.teaching.tour->id == "meetup");
  CHECK(f.state.teaching.tour_step == 0);
  CHECK(f.state.teaching.beat == Beat::predict);
  CHECK(f.state.teaching.results.empty());
  CHECK(f.state.teaching.answers.empty());
  f.driver->key(Key::escape);
  f.driver->frames(2);
  REQUIRE_FALSE(f.state.teaching.presenting);
  CHECK(f.state.teaching.tour_step == 5);
  CHECK(f.state.teaching.beat == (is_done ? Beat::done : Beat::explain));
  CHECK(f.state.teaching.results.at(5).said == "the same");
  CHECK(f.state.teaching.answers.at(5).choice == 1);
  // On the tour's own canvas P shows the step that is in view.
  f.driver->type('p');
  f.driver->frames(2);
  CHECK(f.state.teaching.presenting);
  CHECK(f.state.teaching.tour_step == 5);
}

TEST_CASE("on a wall Page Down reads all of the end card before it is the last step", "[tour]") {
  Fixture f(1280, 720);
  present_tour(f.state, "meetup");
  f.driver->frames(3);
  StepResult result{.title = "three loops, -O1 → loop order", .said = "12×", .measured = "14×"};
  result.claim = "“loop order” against “three loops, -O3”: faster, 14.0× as fast";
  for (int i = 0; i < 6; ++i) f.state.teaching.results[i] = result;
  f.state.teaching.tour_step = 5;
  f.state.teaching.beat = Beat::explain;
  f.state.teaching.has_more = false;
  advance(f.state);
  f.driver->frames(4);
  REQUIRE(f.driver->find("end_card"));
  CHECK(f.driver->find("end_card")->y < 90);  // the line of the beats leaves no gap
  REQUIRE(f.state.teaching.has_more);
  CHECK(contains(stage_hint(f.state), "Page Down: read on"));
  const float first = f.driver->find("end_words:6")->bottom();
  CHECK(first > 720);
  for (int guard = 0; guard < 12 && f.state.teaching.has_more; ++guard) {
    f.driver->key(Key::page_down);
    f.driver->frames(3);
    CHECK(f.state.notice.text.empty());
  }
  CHECK(f.driver->find("end_words:6")->bottom() <= f.driver->find("end_card")->bottom());
  CHECK_FALSE(contains(stage_hint(f.state), "Page Down"));
  f.driver->key(Key::page_down);
  CHECK(contains(f.state.notice.text, "That was the last step"));
  f.driver->key(Key::escape);  // what was said to the stage stays there
  CHECK(f.state.notice.text.empty());
}

TEST_CASE("a clicker closes what a stray key laid over the stage", "[tour]") {
  Fixture f;
  present_tour(f.state, "meetup");
  f.driver->frames(3);
  f.driver->type('w');
  f.driver->frames(2);
  REQUIRE(f.state.view.show_glossary);
  f.driver->key(Key::page_down);
  f.driver->frames(2);
  CHECK_FALSE(f.state.view.show_glossary);
  CHECK(f.state.teaching.beat == Beat::predict);
  CHECK_FALSE(f.state.teaching.skips_answer);
  f.driver->frames(3);
  CHECK(f.state.teaching.focused_step == 0);  // the field has the keyboard again
  for (const char key : {'j', '?'}) {
    f.driver->type(static_cast<ImWchar>(key));
    f.driver->frames(2);
    REQUIRE(has_list(f.state));
    f.driver->key(Key::page_down);
    f.driver->frames(2);
    CHECK_FALSE(has_list(f.state));
    CHECK(f.state.teaching.tour->id == "meetup");
    CHECK(f.state.teaching.beat == Beat::predict);
  }
  f.driver->key(Key::page_down);  // and goes on
  CHECK(f.state.teaching.skips_answer);
}

TEST_CASE("a step that draws what an earlier step measured runs nothing, doubtful or not",
          "[tour]") {
  Fixture f;
  start_tour(f.state, "meetup", 3);
  f.driver->frames(4);
  const auto measure = [&](double ns) {
    f.driver->frames(2);
    const WorkRequest request = f.session.last(RequestType::run);
    for (size_t i = 0; i < request.kernels.size(); ++i)
      f.session.measure(request, static_cast<int>(i), ns);
    f.session.finish(request);
    f.driver->frames(3);
    f.driver->key(Key::page_down);
    REQUIRE(f.state.teaching.beat == Beat::reveal);
  };
  type(f, "50");
  f.driver->key(Key::page_down);
  measure(1e6);
  run_again(f.state);
  measure(9e6);
  REQUIRE_FALSE(doubt_of(bars_in(f)).empty());
  go_to_step(f.state, 4);
  f.driver->frames(2);
  const StepBars bars = bars_in(f);
  CHECK(is_known(shown_step(f.state), bars));
  for (const LessonBar& bar : bars.bars) CHECK(bar.measured_at == 3);
  f.driver->type('1');
  f.driver->key(Key::page_down);
  CHECK(f.state.teaching.beat == Beat::reveal);
}

TEST_CASE("beside a rung stands a library that runs here before a recording of a faster one",
          "[tour]") {
  Fixture f;
  f.state.sessions.recordings = shipped();
  select_rung(f.state, kFirst);
  f.state.selection.params["n"] = int64_t{512};
  perform(f.state, "show_presenter");
  f.driver->frames(3);
  const TourStep asked = shown_step(f.state);
  REQUIRE(asked.rungs.size() == 2);
  CHECK(contains(asked.question, "How long does one call of “three loops, -O1” take at n = 512?"));
  CHECK(bars_in(f).bars.front().can_run);
  f.driver->key(Key::page_down);
  f.driver->key(Key::page_down);
  answer_requests(f);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  // Of a library that was not run a recording is known by now: it takes no other's place.
  CHECK(shown_step(f.state).rungs == asked.rungs);
  for (const LessonBar& bar : bars_in(f).bars) CHECK(bar.machine.empty());
}

TEST_CASE("after the climb a room is asked about the fastest rung of ours, not the last library",
          "[tour]") {
  Fixture f;
  f.run_all();
  select_rung(f.state, "gemm.cpu.onednn");
  f.driver->frames(2);
  toggle_presenter(f.state);
  CHECK(f.state.selection.rung == "gemm.cpu.onednn");  // chosen
  toggle_presenter(f.state);
  f.state.first_climb.followed = "gemm.cpu.onednn";
  f.state.first_climb.stage = FirstClimb::Stage::over;
  toggle_presenter(f.state);
  REQUIRE(rung_of(f.state.selection.rung));
  CHECK_FALSE(rung_of(f.state.selection.rung)->peer);
  toggle_presenter(f.state);
  CHECK(f.state.selection.rung == "gemm.cpu.onednn");
}

TEST_CASE("a difference that may lie within the margin is said to be one, and its limit told apart",
          "[tour]") {
  Comparison pair;
  pair.verdict = Verdict::unresolved;
  pair.ratio = 0.983;
  pair.ci = Interval{0.9801, 0.9852};
  pair.margin = 0.02;
  const std::string said = verdict_sentence(pair, "a", "b");
  INFO(said);
  CHECK(contains(said,
                 "unresolved: there is a difference, perhaps smaller than the margin of 2 %; "));
  // 0.980 would read as inside of ±2 %, whose limit is 0.9804.
  CHECK(contains(said, "[0.9801, 0.9852]"));
  Fixture f;
  start_tour(f.state, "meetup", 5);
  f.driver->frames(4);
  f.driver->type('3');  // slower
  f.driver->key(Key::page_down);
  const WorkRequest run = f.session.last(RequestType::run);
  for (size_t i = 0; i < run.kernels.size(); ++i) f.session.measure(run, static_cast<int>(i), 1e6);
  f.session.finish(run);
  f.driver->frames(3);
  f.session.judge(f.session.last(RequestType::compare), Verdict::unresolved, 0.983);
  f.driver->frames(3);
  f.driver->key(Key::page_down);
  REQUIRE(f.state.teaching.beat == Beat::reveal);
  const TourStep step = shown_step(f.state);
  const StepOutcome outcome = outcome_of(f.state, step, bars_in(f));
  CHECK(contains(outcome.shown, "there is a difference, perhaps smaller than the margin"));
  CHECK(contains(outcome_sentence(step, bars_in(f), answer_here(f.state), outcome),
                 "You said “slower”. It is, perhaps by less than the margin"));
  const StepResult& result = f.state.teaching.results.at(5);
  CHECK_FALSE(result.right);
  CHECK_FALSE(result.ungraded.empty());
}

TEST_CASE("a finished tour opens at its end card after a restart, from where it begins again",
          "[tour]") {
  Fixture f;
  f.state.tour_progress.places["meetup"] = {5, {0, 1, 2, 3, 4, 5}};
  f.state.tour_progress.last = "meetup";
  resume_tour(f.state, "meetup");
  f.driver->frames(3);
  CHECK(f.state.teaching.beat == Beat::done);
  REQUIRE(f.driver->find("end_card"));
  CHECK(f.driver->find("end_earlier"));
  REQUIRE(f.driver->click("tour_again"));
  f.driver->frames(2);
  CHECK(f.state.teaching.tour_step == 0);
  CHECK(f.state.teaching.beat == Beat::predict);
  CHECK(steps_done(f.state, *f.state.teaching.tour) == 6);
}

TEST_CASE("what a step leaves on the end card is one sentence that says what was learned",
          "[tour]") {
  for (const auto& [id, tour] : built_in_tours()) {
    for (const study::TourStep& step : tour->steps) {
      const size_t end = step.words.find(". ");
      const std::string left =
          step.learned.empty() ? step.words.substr(0, end == std::string::npos ? end : end + 1)
                               : step.learned;
      INFO(id << ": " << left);
      CHECK(left.size() > 30);
      CHECK(left.size() < 150);
      CHECK(left.ends_with("."));
      CHECK_FALSE(contains(step.learned, "{{"));
      CHECK_FALSE(contains(step.learned, ". "));
    }
  }
}

TEST_CASE("a room sees no comment in a change, and the head of two sides names their size",
          "[tour]") {
  const std::string body = "\nint a;\nint b;\n";
  FakeSession::texts = {{kFirst, "// One idea\nint zero;  // old" + body},
                        {kSecond, "// Another\nint one;" + body}};
  Fixture f(1600, 1000);
  FakeSession::texts.clear();
  start_tour(f.state, "meetup", 1);
  REQUIRE(perform(f.state, "show_presenter"));
  f.driver->frames(4);
  f.state.teaching.beat = Beat::reveal;
  f.driver->frames(3);
  const float bare = f.driver->find("step_code_needs")->h;
  f.state.teaching.beat = Beat::predict;
  f.driver->frames(3);
  CHECK(f.driver->find("step_code_needs")->h == Approx(bare));
  start_tour(f.state, "class", 11);
  f.driver->frames(2);
  CHECK(asked_at(f.state) == "n = 4096");
}

}  // namespace
}  // namespace ridge::test
