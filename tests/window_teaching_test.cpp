// The teaching loop through the window, with neither display nor worker: predict, lock, reveal; sweep and live re-run.
// Tours and the presenter are in window_tour_test.cpp.
#include <algorithm>
#include <string>

#include "app/query/recordings.h"
#include "app/study/handout.h"
#include "app/window/panels/lesson_tab.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/teach/figures.h"
#include "app/window/teach/predict.h"
#include "app/window/views/view.h"
#include "common/record/params.h"
#include "tests/program.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;
using compat::Key;

constexpr const char* kFirst = "gemm.cpu.naive_o1";
constexpr const char* kSecond = "gemm.cpu.naive_o3";

void type(Fixture& f, const std::string& text) {
  for (const char sign : text) f.driver->type(sign);
}

size_t beside(const chart::ChartModel& model, chart::Marker marker) {
  const auto& marks = model.panels.front().marks;
  return static_cast<size_t>(std::count_if(
      marks.begin(), marks.end(), [&](const chart::Mark& m) { return m.marker == marker; }));
}

chart::ChartModel ladder_of(const Fixture& f) {
  ChartRows rows;
  return centre_chart(f.state, &rows);
}

/// The selected rung alone, at `t_ns`.
void run_selected_at(Fixture& f, double t_ns) {
  f.driver->key(Key::f5, true);
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() == 1);
  f.session.measure(request, 0, t_ns);
  f.session.finish(request);
  f.driver->frames(3);
}

TEST_CASE("a text's figures are looked up once, and again when the run says something new") {
  Fixture f;
  FigureTexts texts;
  const std::string text = std::string("It takes {{") + kFirst + "}}.", other = "No figure.";
  for (int frame = 0; frame < 5; ++frame) {
    CHECK(texts.shown(f.state, text).text == "It takes not measured here.");
    CHECK(texts.shown(f.state, other).text == other);
  }
  CHECK(texts.lookups() == 2);
  f.run_all();
  for (int frame = 0; frame < 5; ++frame) {
    CHECK(texts.shown(f.state, text).text == "It takes 1.00 ms.");
    CHECK(contains(texts.shown(f.state, text).sources, kFirst));
  }
  CHECK(texts.lookups() == 3);
}

TEST_CASE("an expectation is a time, or a factor over what is known", "[teaching]") {
  const Reference known = {"before", 12e6}, none;
  CHECK(*parse_prediction("12 ms", none) == Approx(12e6));
  CHECK(*parse_prediction(" 850us ", none) == Approx(850e3));
  CHECK(*parse_prediction("1.5 s", none) == Approx(1.5e9));
  CHECK(*parse_prediction("400 ns", none) == Approx(400));
  CHECK(*parse_prediction("3x", known) == Approx(4e6));
  CHECK(*parse_prediction("3 ×", known) == Approx(4e6));
  CHECK(*parse_prediction("3", known) ==
        Approx(4e6));  // a number alone: a factor over what is known
  CHECK(*parse_prediction("12", none) == Approx(12e6));  // else milliseconds
  for (const char* wrong :
       {"", "fast", "12 km", "-3 ms", "0 ms", "nan ms", "inf s", "2 h", "9999 s", "0x"}) {
    INFO(wrong);
    CHECK_FALSE(parse_prediction(wrong, known));
  }
  const auto without = parse_prediction("3x", none);
  REQUIRE_FALSE(without);
  CHECK(without.error().sentence().find("no result yet") != std::string::npos);
}

TEST_CASE("predict, lock on Run, reveal", "[teaching]") {
  Fixture f;
  f.driver->type('u');
  REQUIRE(f.driver->find("predict_field"));
  f.driver->click("predict_field");
  type(f, "2 ms");
  f.driver->key(Key::enter);
  REQUIRE(draft_of(f.state, kFirst));
  CHECK(f.session.predictions().empty());  // not before Run
  CHECK(beside(ladder_of(f), chart::Marker::diamond) == 1);
  CHECK(beside(ladder_of(f), chart::Marker::triangle) == 0);

  f.driver->key(Key::f5, true);
  REQUIRE(f.session.predictions().size() == 1);
  CHECK(f.session.predictions()[0].value == Approx(2e6));
  CHECK_FALSE(draft_of(f.state, kFirst));
  CHECK_FALSE(set_draft(f.state, "1 ms"));  // locked
  CHECK(f.state.notice.text.find("Locked") != std::string::npos);

  const WorkRequest request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 1e6);
  f.session.finish(request);
  f.driver->frames(3);
  const auto revealed = revealed_of(f.state, kFirst);
  REQUIRE(revealed);
  CHECK(*revealed->factor == Approx(0.5));
  CHECK_FALSE(revealed->after_the_fact);
  CHECK(report::prediction_sentence(*revealed).find("2.00× as fast as predicted") !=
        std::string::npos);
  REQUIRE(revealed->least.time_ns);  // the fixture's ceilings
  CHECK(*revealed->least.time_ns < 1e6);
  CHECK(report::model_sentence(*revealed).find("measured here") != std::string::npos);
  CHECK(beside(ladder_of(f), chart::Marker::diamond) == 1);
  CHECK(beside(ladder_of(f), chart::Marker::triangle) == 1);
  CHECK(f.driver->find("predict_said"));
  // Both on one scale: 2 ms were said, 1 ms was measured.
  REQUIRE(f.driver->find("predicted_bar"));
  CHECK(f.driver->find("measured_bar")->w ==
        Approx(f.driver->find("predicted_bar")->w / 2).margin(1));
}

TEST_CASE(
    "a prediction has one next step: Run it, then the outcome comes into view, then the next rung",
    "[teaching]") {
  Fixture f;
  f.state.appearance.level = Level::kLearn;
  f.driver->frames(2);
  f.driver->type('u');
  REQUIRE(f.driver->click("predict_field"));
  CHECK_FALSE(f.driver->find("predict_run"));  // nothing was said yet
  type(f, "2 m");
  f.driver->frames(2);
  CHECK(f.driver->find("predict_lacks"));  // the rest of its unit
  type(f, "s");
  f.driver->frames(2);
  CHECK(f.driver->find("predict_read"));
  CHECK_FALSE(f.driver->find("predict_lacks"));
  f.driver->key(Key::enter);
  f.driver->frames(2);
  REQUIRE(f.driver->click("predict_run"));
  REQUIRE(f.session.predictions().size() == 1);
  CHECK_FALSE(f.driver->find("lesson:happened"));
  const WorkRequest request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 1e6);
  f.session.finish(request);
  f.driver->frames(6);
  const Area *happened = f.driver->find("lesson:happened"), *right = f.driver->find("right");
  REQUIRE(happened);
  CHECK(happened->y > right->y);
  CHECK(happened->y < right->y + right->h / 2);
  REQUIRE(f.driver->click("next_rung"));
  CHECK(f.state.selection.rung == kSecond);
}

TEST_CASE("what is typed but not entered counts when Run is pressed", "[teaching]") {
  Fixture f;
  f.driver->type('u');
  f.driver->click("predict_field");
  type(f, "7 ms");
  f.driver->key(Key::f5, true);
  REQUIRE(f.session.predictions().size() == 1);
  CHECK(f.session.predictions()[0].value == Approx(7e6));
}

TEST_CASE("a prediction after a result is marked after the fact; one of other sizes is not",
          "[teaching]") {
  Fixture f;
  run_selected_at(f, 1e6);
  // Where its time was shown the field offers a size at which it was not.
  open_predict(f.state);
  f.driver->frames(3);
  const int64_t seen_n = param_int(shown_params(f.state), "n");
  REQUIRE(f.driver->click("predict_unseen"));
  f.driver->frames(3);
  CHECK(param_int(shown_params(f.state), "n") != seen_n);
  CHECK(is_predict_open(f.state));
  CHECK_FALSE(f.driver->find("predict_unseen"));
  close_predict(f.state);
  set_param(f.state, "n", seen_n);
  f.driver->frames(3);
  REQUIRE(set_draft(f.state, "1 ms"));
  run_selected_at(f, 1e6);
  CHECK(revealed_of(f.state, kFirst)->after_the_fact);
  const int64_t n = param_int(shown_params(f.state), "n");
  set_param(f.state, "n", n / 2);
  f.driver->frames(2);
  CHECK_FALSE(revealed_of(f.state, kFirst));
  REQUIRE(set_draft(f.state, "1 ms"));
  run_selected_at(f, 1e6);
  CHECK_FALSE(revealed_of(f.state, kFirst)->after_the_fact);
}

TEST_CASE("3x refers to the rung before, or to the baseline", "[teaching]") {
  Fixture f;
  run_selected_at(f, 6e6);
  select_rung(f.state, kSecond);
  f.driver->frames(2);
  REQUIRE(set_draft(f.state, "3x"));
  CHECK(draft_of(f.state, kSecond)->value_ns == Approx(2e6));
  f.driver->type('u');
  REQUIRE(f.driver->drag("predict_drag", 40, 0));  // the bar says it too
  CHECK(draft_of(f.state, kSecond)->value_ns != Approx(2e6));
}

const chart::ChartModel gains_of(Fixture& f) {
  f.state.selection.view = find_view("gains");
  rebuild_ladder(f.state);
  return ladder_of(f);
}

/// Whether the table behind the view Gains has this figure.
bool shows(Fixture& f, const std::string& figure) {
  for (const auto& row : gains_of(f).table.rows) {
    for (const std::string& cell : row) {
      if (contains(cell, figure)) return true;
    }
  }
  return false;
}

TEST_CASE("the figures that are asked for are covered until there is an answer or a click",
          "[teaching]") {
  Fixture f;
  f.driver->key(Key::f5);  // one run of both: only of such is there a step
  const WorkRequest request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 6e6);
  REQUIRE(request.kernels.at(1).kernel == kSecond);
  f.session.measure(request, 1, 3e6);
  f.session.finish(request);
  select_rung(f.state, kSecond);
  f.driver->frames(3);
  const std::string time = "3.00", step = "≈ 2.0×";
  CHECK(shows(f, time));
  CHECK(shows(f, step));
  f.driver->type('u');
  CHECK(find_row(f.state.ladder, kSecond)->covered);
  CHECK_FALSE(shows(f, time));
  CHECK_FALSE(shows(f, step));
  CHECK(shows(f, "6.00"));     // the rung that a factor refers to is no secret
  f.driver->key(Key::escape);  // closed
  CHECK(shows(f, time));
  f.driver->type('u');
  select_rung(f.state, kSecond);  // a click on its row
  f.driver->frames(2);
  CHECK(shows(f, time));
  f.driver->key(Key::escape);
  f.driver->type('u');  // asked again, covered again
  CHECK_FALSE(shows(f, time));
  REQUIRE(set_draft(f.state, "4x"));
  CHECK(shows(f, time));  // answered
}

TEST_CASE("a factor over a rung without a result is kept, and Run measures that rung first",
          "[teaching]") {
  Fixture f;
  select_rung(f.state, kSecond);
  f.driver->frames(2);
  f.driver->type('u');
  type(f, "4x");
  f.driver->key(Key::enter);
  REQUIRE(draft_of(f.state, kSecond));
  f.driver->key(Key::f5, true);
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() == 2);
  CHECK(request.kernels[0].kernel == kFirst);
  REQUIRE(f.session.predictions().size() == 1);
  CHECK(f.session.predictions()[0].factor == 4);
  CHECK(f.session.predictions()[0].of == kFirst);
  f.session.measure(request, 0, 8e6);
  f.session.measure(request, 1, 1e6);
  f.session.finish(request);
  f.driver->frames(3);
  const auto revealed = revealed_of(f.state, kSecond);
  REQUIRE(revealed);
  CHECK(report::prediction_sentence(*revealed) ==
        "You said 4×, it is ≈ 8.0× (each alone: no interval): faster than you said, by 2.00×.");
}

TEST_CASE("while another lab runs, its name is said where the field is locked, and marked",
          "[teaching]") {
  FakeSession::other_labs = {"conv"};
  Fixture f;
  FakeSession::other_labs.clear();
  f.driver->key(Key::f5, true);
  open_lab(f.state, "conv");
  f.driver->frames(4);
  CHECK(f.driver->find("runs:gemm") != nullptr);
  CHECK(f.driver->find("runs:conv") == nullptr);
  CHECK(predict_blocker(f.state) == "Locked while GEMM runs; Esc cancels that.");
}

TEST_CASE("a guess that cannot be read is kept, and nothing runs without it", "[teaching]") {
  Fixture f;
  f.driver->type('u');
  type(f, "4x");  // nothing stands before the first rung
  f.driver->key(Key::f5, true);
  CHECK(f.session.count(RequestType::run) == 0);
  CHECK(f.state.teaching.typed == "4x");
  CHECK(f.state.teaching.predicting);
  CHECK(contains(f.state.notice.text, "no rung stands before it"));
}

TEST_CASE("a digit in the lab does nothing, U opens the field and does not close it",
          "[teaching]") {
  Fixture f;
  run_selected_at(f, 6e6);
  select_rung(f.state, kSecond);
  f.driver->frames(2);
  const bool experts = f.state.view.show_experts;
  const Lab* lab = f.state.selection.lab;
  for (const Level level : {Level::kLearn, Level::kLab, Level::kBench}) {
    set_level(f.state, level);
    f.driver->type('4');
    f.driver->frames(2);
    CHECK_FALSE(f.state.teaching.predicting);
    CHECK(f.state.selection.lab == lab);
    CHECK(f.state.selection.rung == kSecond);
  }
  // What is typed before the field has the keyboard goes into it.
  for (const char sign : {'u', '4', 'x'})
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(sign));
  f.driver->frames(4);
  CHECK(f.state.selection.lab == lab);
  CHECK(f.state.view.show_experts == experts);
  CHECK(f.state.teaching.predicting);
  f.driver->key(Key::enter);
  REQUIRE(draft_of(f.state, kSecond));
  CHECK(draft_of(f.state, kSecond)->text == "4x");
  perform(f.state, "predict");
  f.driver->frames(2);
  CHECK(f.state.teaching.predicting);
  REQUIRE(f.driver->click("predict_close"));
  CHECK_FALSE(f.state.teaching.predicting);
  f.driver->key(compat::digit_key(2), true);  // with Ctrl it opens a lab
  CHECK(f.state.selection.lab == all_labs()[1]);
}

TEST_CASE("what is no part of a number is a key, while the field of a prediction has the keyboard",
          "[teaching]") {
  Fixture f;
  f.driver->type('u');
  f.driver->frames(4);
  REQUIRE(ImGui::GetIO().WantTextInput);
  const auto is_light = [&] { return f.state.appearance.light_theme; };
  const bool before = is_light();
  f.driver->type('t');
  CHECK(is_light() != before);
  f.driver->type('t');
  f.driver->type('j');
  f.driver->frames(2);
  CHECK(f.state.teaching.show_tours);
  f.driver->key(Key::escape);
  f.driver->frames(2);
  CHECK_FALSE(f.state.teaching.show_tours);
  CHECK(f.state.teaching.typed.empty());
  f.driver->click("predict_field");
  type(f, "2 mjs");  // behind a digit a letter is a slip in the unit
  CHECK(f.state.teaching.typed == "2 ms");
  CHECK(is_light() == before);
  f.driver->key(Key::enter);  // gives the keys back
  f.driver->frames(2);
  REQUIRE(draft_of(f.state, kFirst));
  f.driver->type('t');
  CHECK(is_light() != before);
}

TEST_CASE("a field that is open is gone in a saved run, which says why it takes no prediction",
          "[teaching]") {
  Fixture f;
  run_selected_at(f, 6e6);
  perform(f.state, "predict");
  type(f, "4");
  f.driver->frames(2);
  REQUIRE(f.driver->find("predict_field"));
  const Folder folder;
  const std::string file = (folder.path / "run.jsonl").string();
  REQUIRE(f.session.save(file));
  open_run(f.state, file);
  f.driver->frames(4);
  REQUIRE(f.state.is_replay());
  CHECK_FALSE(f.driver->find("predict_field"));
  CHECK_FALSE(is_predicting(f.state, kFirst));
  REQUIRE(find_row(f.state.ladder, kFirst));
  CHECK(find_row(f.state.ladder, kFirst)->series);  // nothing is asked, so nothing is hidden
  select_rung(f.state, kSecond);
  CHECK_FALSE(perform(f.state, "predict"));
  CHECK(contains(f.state.notice.text, "nothing can run here that would answer a prediction"));
  // Of a rung that the run has, the run answers.
  select_rung(f.state, kFirst);
  f.driver->frames(2);
  REQUIRE(perform(f.state, "predict"));
  f.driver->frames(4);
  REQUIRE(f.driver->find("predict_field"));
  type(f, "3 ms");
  f.driver->key(Key::enter);
  f.driver->frames(3);
  REQUIRE(revealed_of(f.state, kFirst));
  CHECK(report::prediction_sentence(*revealed_of(f.state, kFirst)) ==
        "After the fact: predicted 3.00 ms, measured 6.00 ms, recorded on " +
            f.state.run().environment()->machine() + ": 2.00× as long as predicted.");
}

TEST_CASE("a rung that only a recording has is predicted, and the recording answers",
          "[teaching]") {
  Fixture f;
  f.state.sessions.recordings =
      app::load_recordings(std::string(std::getenv("RIDGE_SOURCE")) + "/assets/recorded", nullptr);
  set_level(f.state, Level::kLearn);
  const std::string rung = "gemm.cuda.coalesced";
  set_param(f.state, "n", int64_t{4096});
  select_rung(f.state, rung);
  f.driver->frames(3);
  REQUIRE(find_row(f.state.ladder, rung)->covered);  // its lesson asks
  const RungView* recorded = recorded_row(f.state, rung);
  REQUIRE(recorded);
  const std::string machine = recorded->machine;
  const int runs = f.session.count(RequestType::run);
  REQUIRE(f.driver->click("predict"));
  f.driver->frames(4);
  REQUIRE(f.driver->find("predict_field"));
  CHECK_FALSE(f.driver->find("predict_drag"));  // Enter answers it
  type(f, "3x");
  f.driver->key(Key::enter);
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("predict_field"));
  CHECK(f.driver->find("predict_said"));
  CHECK_FALSE(find_row(f.state.ladder, rung)->covered);
  CHECK_FALSE(hides_outcome(f.state, rung));  // of its lesson
  CHECK(f.session.count(RequestType::run) == runs);
  CHECK(f.session.predictions().empty());  // nothing ran that a report could hold it against
  const auto revealed = revealed_of(f.state, rung);
  REQUIRE(revealed);
  CHECK(revealed->prediction->of == "gemm.cuda.naive");
  const std::string said = report::prediction_sentence(*revealed);
  INFO(said);
  CHECK(said.starts_with("You said 3×, it is "));
  CHECK(contains(said, ", recorded on " + machine + ": "));
  // Another size has not been asked.
  set_param(f.state, "n", int64_t{1024});
  f.driver->frames(3);
  CHECK_FALSE(revealed_of(f.state, rung));
}

TEST_CASE("a sweep is one run over the lab's sizes, the largest last", "[teaching]") {
  Fixture f;
  f.driver->type('z');
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() > 2);
  for (size_t i = 1; i < request.kernels.size(); ++i) {
    CHECK(request.kernels[i].kernel == kFirst);
    CHECK(param_int(request.kernels[i].params, "n") >
          param_int(request.kernels[i - 1].params, "n"));
  }
  CHECK(f.state.selection.view == find_view("sizes"));
  f.session.measure(request, 0, 1e6);
  f.session.measure(request, 1, 8e6);
  f.driver->frames(3);
  CHECK(size_rows(f.state).rows.size() == 2);
  // The roofline has the selected rung at both sizes, the others once each.
  const auto results = [&] {
    const ChartRows path = path_rows(f.state);
    return std::count_if(path.rows.begin(), path.rows.end(),
                         [](const auto& row) { return row.series && row.series->stats; });
  };
  const auto of_all = results();
  f.state.selection.rung = kSecond;
  CHECK(results() < of_all);
  f.state.selection.rung = kFirst;
  CHECK(of_all == 2);
  // A tour's step asks at one size: no point of another stands beside its own, or is joined to it.
  set_param(f.state, "n", request.kernels[0].params.at("n"));
  f.driver->frames(3);
  ChartRows of_step = path_rows(f.state);
  keep_size(&of_step);
  CHECK(std::count_if(of_step.rows.begin(), of_step.rows.end(),
                      [](const auto& row) { return row.series && row.series->stats; }) == 1);
  f.driver->key(Key::escape);
  CHECK(f.session.cancelled.back() == request.id);
}

TEST_CASE("a sweep steps the first parameter with stops that the rung takes", "[teaching]") {
  const Lab& lab = *find_lab("machine");
  const auto swept = [&](std::vector<ParamSpec> params) {
    KernelInfo info;
    info.params = std::move(params);
    const ParamView* param = swept_param(lab, &info);
    return std::string(param ? param->name : "");
  };
  CHECK(swept({extent_param("kib", "", 1024, 4), int_param("chases", "", 1, 12, 8)}) == "kib");
  CHECK(swept({extent_param("fmas", "", 64, 4), int_param("kib", "", 1, 9, 4)}) == "fmas");
  CHECK(swept({threads_param()}) == "");
  CHECK(swept_param(lab)->name == std::string("chains"));
}

TEST_CASE("with the switch on, a changed parameter runs the selection again", "[teaching]") {
  Fixture f;
  const int64_t n = param_int(shown_params(f.state), "n");
  set_param(f.state, "n", n / 2);
  CHECK(f.session.count(RequestType::run) == 0);
  f.driver->type('f');
  CHECK(f.state.selection.mode == RunMode::live);
  set_param(f.state, "n", n / 4);
  REQUIRE(f.session.count(RequestType::run) == 1);  // sent at once, not a frame later
  const WorkRequest first = f.session.last(RequestType::run);
  CHECK(first.mode == RunMode::live);
  set_param(f.state, "n", n / 2);  // while it runs: that one is cancelled first
  REQUIRE_FALSE(f.session.cancelled.empty());
  CHECK(f.session.cancelled.back() == first.id);
  CHECK(f.session.count(RequestType::run) == 2);
  CHECK(param_int(f.session.last(RequestType::run).kernels[0].params, "n") == n / 2);
}

TEST_CASE("a handout stands alone: lesson, sources, folded answers", "[teaching]") {
  study::Handout handout;
  handout.lab = find_lab("gemm");
  handout.lesson =
      "# GEMM\n\nWords & more, 1 < 2.\n\n## gemm.cpu.naive_o1 · three loops\n\n- one\n- two\n\n"
      "> **Your prediction.** How long?\n\n> **Hint.** Count them.\n\n**What happened.** It took a "
      "second.\n\n"
      "**Why.** Additions.\n\n**What limits it now.** The chain.\n\n**In the code:** here.\n\n"
      "> **Question.** Why?\n\n> **Answer.** Because.\n\nAfter.\n";
  handout.changes[kFirst] = "- int b;\n+ int a < b;\n";
  handout.sources[kFirst] = {kFirst, "kernels/gemm/rungs/naive.cpp", "int a < b;\n", "-O1", ""};
  const std::string page = study::to_html(handout);
  CHECK(page.find("Words &amp; more, 1 &lt; 2.") != std::string::npos);
  CHECK(page.find("<ul>\n<li>one</li>\n<li>two</li>\n</ul>") != std::string::npos);
  CHECK(page.find("<details><summary>Answer</summary>\n<p> Because.</p>\n</details>") !=
        std::string::npos);
  CHECK(page.find("int a &lt; b;") != std::string::npos);
  CHECK(page.find("<details class=\"screen\"><summary>Hint</summary>\n<p> Count them.</p>") !=
        std::string::npos);
  // The whole introduction comes first, then how a figure is read, before the first rung.
  CHECK(page.find("Words &amp; more") < page.find("95 % interval"));
  CHECK(page.find("95 % interval") < page.find("three loops</h2>"));
  study::Handout early = handout;
  early.lesson =
      "# GEMM\n\nFirst words.\n\nTheir times:\n\n| a |\n| --- |\n| ≈ 3 s |\n\nMore.\n\n## "
      "gemm.cpu.naive_o1 · a\n\nOne.\n";
  const std::string table = study::to_html(early);
  CHECK(table.find("More.") < table.find("95 % interval"));
  // What gives the answer away is folded; paper has it at the end, and the change in place of the source.
  const size_t reveal = page.find("<details class=\"reveal\"><summary>What happened</summary>");
  const size_t answers = page.find("<div class=\"paper answers\">");
  REQUIRE(reveal != std::string::npos);
  REQUIRE(answers != std::string::npos);
  const size_t fold_ends = page.find("</details>", reveal);
  for (const char* text : {"It took a second.", "Additions.", "The chain."}) {
    const size_t first = page.find(text);
    CHECK((reveal < first && first < fold_ends));
    CHECK(page.find(text, answers) != std::string::npos);
  }
  CHECK(page.find("here.") > fold_ends);
  CHECK(page.find("here.", answers) == std::string::npos);
  CHECK(page.find("Because.", answers) != std::string::npos);
  CHECK(page.find("<span class=\"added\">+ int a &lt; b;</span>") != std::string::npos);
  CHECK(page.find("://") == std::string::npos);  // nothing is fetched
  CHECK(page.find("<script") == std::string::npos);
  const auto count = [&](const std::string& text) {
    size_t found = 0;
    for (size_t at = page.find(text); at != std::string::npos; at = page.find(text, at + 1))
      ++found;
    return found;
  };
  CHECK(count("<details") == count("</details>"));
  CHECK(count("<blockquote>") == count("</blockquote>"));
}

// Found by tests/bench_ui, in the middle of whose frame a parameter was let go: the list of series had moved, and
// the chart drawn after the parameters read through the rows of before.
TEST_CASE("rows point into the run right after a request, not only in the next frame",
          "[teaching]") {
  Fixture f;
  run_selected_at(f, 1e6);
  f.driver->type('f');
  REQUIRE(f.state.teaching.reruns);
  for (const int64_t n : {256, 512, 256, 512, 128, 256, 512, 256}) {
    set_param(f.state, "n", n);
    const std::vector<const Series*> all = f.session.run().series().pointers();
    for (const RungView& row : f.state.ladder.rows) {
      INFO(row.rung->kernel << " at n = " << n);
      CHECK((!row.kept || std::count(all.begin(), all.end(), row.kept) == 1));
    }
    f.session.finish(f.session.last(RequestType::run), "cancelled");
    f.driver->frames(1);
  }
}

}  // namespace
}  // namespace ridge::test
