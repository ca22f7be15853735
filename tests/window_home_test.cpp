// Home: the three doors, the labs by group, results and recordings that open again.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "app/query/editing.h"
#include "app/query/foresight.h"
#include "app/study/tour.h"
#include "app/window/edit/editing.h"
#include "app/window/shell/export.h"
#include "app/window/shell/first_climb.h"
#include "app/window/shell/settings.h"
#include "app/window/shell/shell.h"
#include "app/window/teach/presenter.h"
#include "app/window/teach/tour_progress.h"
#include "app/window/views/view.h"
#include "common/record/edit.h"
#include "common/view/report/closeness.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

// ---- the reader's own predictions ----

TEST_CASE("Home says how good one's predictions were, once one has an outcome", "[window][home]") {
  Fixture f;
  f.state.view.screen = ScreenId::home;
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("own_predictions"));
  WorkRequest request = request_for(RequestType::run, 0);
  request.kernels = {request.kernels[0]};
  f.session.predict({request.kernels[0].kernel, request.kernels[0].params, 2e6});
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("own_predictions"));  // no result answers it yet
  REQUIRE(f.session.send(request));
  const WorkRequest sent = f.session.last(RequestType::run);
  f.session.measure(sent, 0, 1e6);
  f.session.finish(sent);
  f.driver->frames(3);
  CHECK(f.driver->find("own_predictions"));
}

TEST_CASE("predictions of the runs that are kept count on Home, this session's own file once",
          "[window][home]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path + "/runs");
  Transcript earlier;
  add_start(&earlier);
  add_run(&earlier);
  add_compare(&earlier);  // it answers the prediction of the run
  std::ofstream(folder.path + "/runs/earlier.jsonl") << earlier.text();
  Fixture f;
  f.state.history.runs_folder = folder.path + "/runs";
  f.state.view.screen = ScreenId::home;
  for (int i = 0; i < 500 && !f.driver->find("own_predictions"); ++i) {  // a thread reads them
    f.driver->frames(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(f.driver->find("own_predictions"));
}

TEST_CASE("Home counts an answer by its nearer end of the interval, as a tour does",
          "[window][home]") {
  using report::miss_factor;
  CHECK(miss_factor(10, 13.4, Interval{13.3, 13.6}) == Approx(10 / 13.3));
  CHECK(miss_factor(20, 13.4, Interval{13.3, 13.6}) == Approx(20 / 13.6));
  CHECK(miss_factor(13.5, 13.4, Interval{13.3, 13.6}) == 1);
  CHECK(miss_factor(13.41, 13.4, std::nullopt) == 1);
  app::Foretold slower{.kernel = "a", .said = "10 ms", .factor = 1.5};
  app::Foretold right{.kernel = "b", .said = "2×", .factor = 1};
  app::Foretold faster{.kernel = "c", .said = "8×", .factor = 0.8};
  const std::vector<app::Foretold> all{slower, right, faster};
  const app::Foresight sight = app::foresight(all);
  CHECK(sight.judged == 3);
  CHECK(sight.right == 1);
  CHECK(app::own_sentence(sight).find(
            "Your 3 predictions with a number: half of them within 1.25× of the outcome; 1 was "
            "slower than you said, 1 faster, 1 right.") == 0);
}

// ---- watch it climb ----

bool says(const ClimbCard& card, const std::string& words) {
  return std::any_of(card.caveats.begin(), card.caveats.end(), [&](const ClimbCard::Caveat& one) {
    return one.sentence.find(words) != std::string::npos;
  });
}

/// The run of the first door, each rung measured; a library takes `library_ns`.
WorkRequest watch(Fixture& f, double library_ns) {
  f.state.view.screen = ScreenId::home;
  f.driver->frames(2);
  REQUIRE(f.driver->click("begin"));
  const WorkRequest request = f.session.last(RequestType::run);
  double t_ns = 64e6;
  for (size_t i = 0; i < request.kernels.size(); ++i) {
    const bool is_peer = rung_of(request.kernels[i].kernel)->peer;
    f.session.measure(request, static_cast<int>(i), is_peer ? library_ns : t_ns);
    t_ns /= 2;
  }
  f.session.finish(request);
  f.driver->frames(3);
  return request;
}

TEST_CASE("the first door climbs on one core and ends on a card of this run's figures",
          "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  CHECK(f.state.first_climb.stage == FirstClimb::Stage::none);
  CHECK_FALSE(perform(f.state, "climb_card"));
  const WorkRequest request = watch(f, 0.8e6);
  CHECK(f.state.view.screen == ScreenId::lab);
  CHECK(contains(climb_line(f.state), "in turns"));
  CHECK(std::string(f.state.selection.view->id) == "gains");
  CHECK(request.mode == RunMode::live);
  CHECK(request.kernels.size() == find_lab("gemm")->short_climb.size());
  for (const KernelRequest& one : request.kernels)
    CHECK(std::get<int64_t>(one.params.at("n")) == 512);
  // Then the fastest of ours and the fastest library in pairs, with a short limit.
  REQUIRE(f.session.count(RequestType::compare) == 1);
  const WorkRequest pair = f.session.last(RequestType::compare);
  CHECK(rung_of(pair.kernels[0].kernel)->peer);
  CHECK(pair.kernels[1].kernel == "gemm.cpu.packed_avx512");
  REQUIRE(pair.limit_s);
  CHECK(*pair.limit_s <= 10);
  CHECK_FALSE(f.driver->find("climb_card"));
  f.session.judge(pair, Verdict::slower, 0.5);
  f.driver->frames(3);
  REQUIRE(f.driver->find("climb_card"));
  const ClimbCard card = climb_card(climb_run(f.state), f.state.first_climb);
  CHECK(card.gain == "≈ 64×");
  CHECK(card.way == "three loops, -O1 → packed, AVX-512");
  // One plain thing first; what qualifies it comes after, in one line.
  CHECK(card_figure(card) == "64×");
  CHECK(card_steps(card) == "in 6 steps, " + card.share + " of its ceiling");
  CHECK(card.library == "oneDNN not beaten");
  CHECK(card_words(card).find("Your core: 64× in 6 steps, " + card.share +
                              " of its ceiling. oneDNN not beaten.\n") == 0);
  CHECK(card_brief(card).find("each timed alone") != std::string::npos);
  CHECK(card_bars(card) ==
        "Bars: each timed alone; whisker: 95 % interval. The verdict above is of a pair in turns.");
  // The verdict's line carries the ratio it rests on.
  CHECK(card.library_why.starts_with("In turns your “packed, AVX-512” is 0.5"));
  CHECK(contains(card.library_why, "as fast as oneDNN, 95 % interval ["));
  CHECK_FALSE(contains(card.library_why, "busy"));  // it settled
  ClimbCard few = card;
  few.bars.front().range.reset();
  CHECK(contains(card_bars(few), "none where there are too few times"));
  for (const ClimbCard::Bar& bar : card.bars)
    CHECK((f.driver->find("climb_whisker:" + bar.label) != nullptr) == bar.range.has_value());
  CHECK(card.bars.back().range);
  CHECK(card_brief(card).size() < 120);
  CHECK(card_caveats(card).find("≈ 64×: each timed alone") == 0);
  CHECK(card_caveats(card).find("“packed, AVX-512” is 0.5") != std::string::npos);
  CHECK(card_caveats(card).find("95 % interval") != std::string::npos);
  REQUIRE(f.driver->find("climb_caveats"));
  CHECK(f.driver->find("climb_card")->y >= 0);
  CHECK(card.verdict == Verdict::slower);
  CHECK(card.title == "Your core");
  CHECK(card.asked.find("n = 512") == 0);
  // A comparison of two others says nothing about the library.
  const FirstClimb& climb = f.state.first_climb;
  WorkRequest apart = pair;
  apart.kernels[0].kernel = "gemm.cpu.naive_o3";
  (void)f.session.send(apart);
  f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 40);
  CHECK(climb_card(climb_run(f.state), climb).library == card.library);
  // Nor is anything claimed that the card's own bars contradict: 0.8 of the library each alone, 1.3 in turns.
  (void)f.session.send(pair);
  f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 1.3);
  const ClimbCard torn = climb_card(climb_run(f.state), climb);
  CHECK_FALSE(torn.verdict);
  CHECK(torn.library == "oneDNN: too close to say");
  CHECK(torn.library_why.find("≈ 0.80× each alone: run both again") != std::string::npos);
  CHECK(card.bars.size() == request.kernels.size());
  CHECK(says(card, "busy") == !f.state.run().environment()->quiet.quiet);
  CHECK_FALSE(says(card, "Cancelled"));
  CHECK_FALSE(says(card, "failed"));
  REQUIRE(f.driver->click("save_climb_card"));
  CHECK(f.state.chart.png_in_frames > 0);
  CHECK(f.state.chart.png_of_card);
  // What says that it was written moves no button of the card from under the pointer, and lies on none.
  f.driver->frames(2);
  const Area close = *f.driver->find("close_climb_card");
  note_written(f.state, "card (PNG)", "card.png", "words");
  f.driver->frames(3);
  REQUIRE(f.driver->find("written"));
  CHECK(f.driver->find("close_climb_card")->y == close.y);
  CHECK(f.driver->find("written")->y >= close.bottom());
  REQUIRE(f.driver->click("close_climb_card"));
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("climb_card"));
  f.driver->type('h');
  REQUIRE(f.driver->click("show_card"));
  f.driver->frames(2);
  CHECK(f.driver->find("climb_card"));
  f.driver->key(compat::Key::escape);
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("climb_card"));
  CHECK(f.session.cancelled.empty());
}

TEST_CASE("the first door has a column for each rung of the climb, filled by what was measured",
          "[window][home]") {
  Fixture f;
  f.driver->type('h');
  f.driver->frames(2);
  const auto& rungs = find_lab("gemm")->short_climb;
  const auto height_of = [&](const char* kernel) {
    const Area* bar = f.driver->find(std::string("climb_bar:") + kernel);
    return bar ? bar->h : 0;
  };
  REQUIRE(f.driver->find("climb_columns"));
  for (const char* kernel : rungs) CHECK(height_of(kernel) == 0);
  watch(f, 0.8e6);  // each rung of ours takes half the time of the one before it
  f.state.view.screen = ScreenId::home;
  f.driver->frames(3);
  CHECK(height_of("gemm.cpu.packed_avx512") == Approx(2 * height_of("gemm.cpu.packed_avx2")));
  for (const char* kernel : rungs) CHECK(height_of(kernel) > 0);
}

TEST_CASE("while it climbs one line says what its rung changes, and which of how many it is",
          "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  CHECK(climb_line(f.state).empty());
  REQUIRE(f.driver->click("begin"));
  f.driver->frames(2);
  const WorkRequest request = f.session.last(RequestType::run);
  const std::string of = " of " + std::to_string(request.kernels.size()) + " on one core  ·  ";
  CHECK(climb_line(f.state) == "Rung 1" + of + "three loops, -O1: the definition");
  REQUIRE(f.driver->find("climb_line"));
  f.session.measure(request, 0, 64e6);
  f.session.measure(request, 1, 32e6);
  f.driver->frames(2);
  const Rung& third = *rung_of(request.kernels[2].kernel);
  CHECK(climb_line(f.state) == "Rung 3" + of + third.title + ": " + third.change);
  CHECK(climb_place(f.state).of == static_cast<int>(request.kernels.size()));
  // The ceilings take as long as many rungs: no rung moves meanwhile.
  f.session.phase(request.id, -1, "warmup", std::nullopt,
                  "measuring this machine's ceiling: DRAM read, 1 thread, 2 of 4");
  f.driver->frames(10);
  const auto measured_s = [&] { return static_cast<int>(f.state.requests.ceilings_s); };
  const auto line_now = [&] {
    return "This machine's ceilings, once: DRAM read, 1 thread, 2 of 4, " +
           std::to_string(measured_s()) +
           " s. Then the bars stand under them, and the climb goes on.";
  };
  CHECK(climb_line(f.state) == line_now());
  CHECK(climb_place(f.state).is_at_ceilings);
  // It goes on while nothing else moves.
  const double before = f.state.requests.share;
  f.driver->frames(180);
  CHECK(measured_s() > 0);
  CHECK(climb_line(f.state) == line_now());
  CHECK(f.state.requests.share > before);
  f.session.measure(request, 2, 16e6);
  f.session.phase(request.id, 3, "timing", 0.5);
  f.driver->frames(2);
  CHECK(climb_line(f.state).starts_with("Rung 4" + of));
}

TEST_CASE("the lesson follows the climb until another rung is selected", "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  REQUIRE(f.driver->click("begin"));
  f.driver->frames(2);
  const WorkRequest request = f.session.last(RequestType::run);
  const auto kernel = [&](size_t i) { return request.kernels[i].kernel; };
  CHECK(f.state.selection.rung == kernel(0));
  f.session.measure(request, 0, 64e6);
  f.driver->frames(3);
  CHECK(f.state.selection.rung == kernel(1));
  f.session.measure(request, 1, 32e6);
  f.driver->frames(3);
  CHECK(f.state.selection.rung == kernel(2));
  select_rung(f.state, kernel(0));
  f.session.measure(request, 2, 16e6);
  f.driver->frames(3);
  CHECK(f.state.selection.rung == kernel(0));
}

TEST_CASE("while it climbs no bar shrinks because a faster one came: they stand under the ceiling",
          "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  REQUIRE(f.driver->click("begin"));
  f.driver->frames(2);
  const WorkRequest request = f.session.last(RequestType::run);
  std::set<double> ends;
  for (int i = 0; i < 4; ++i) {
    f.session.measure(request, i, 64e6 / (1 << i));
    f.driver->frames(3);
    ChartRows rows;
    const chart::ChartModel model = centre_chart(f.state, &rows);
    REQUIRE(model.panels.front().rules.size() == 1);
    CHECK(model.panels.front().axis.high >= model.panels.front().rules.front().value);
    ends.insert(model.panels.front().axis.high);
  }
  CHECK(ends.size() == 1);
}

TEST_CASE("the card says of a ceiling that is not known whether it is in doubt or was not measured",
          "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  watch(f, 0.8e6);
  const auto brief_of = [&](const std::vector<std::string>& lines) {
    Run run;
    for (const std::string& line : lines) run.apply_line(line);
    return card_brief(climb_card(run, f.state.first_climb));
  };
  std::vector<std::string> lines = f.session.transcript();
  CHECK_FALSE(contains(brief_of(lines), "ceiling"));
  std::vector<Ceiling> doubted = f.state.run().ceilings();
  for (Ceiling& one : doubted) one.doubt = "other programs used the CPU meanwhile";
  f.session.tell("result", {{"request", f.state.first_climb.run}, {"ceilings", doubted}});
  CHECK(contains(brief_of(f.session.transcript()), "ceiling in doubt"));
  std::erase_if(lines, [](const std::string& line) { return contains(line, "\"ceilings\""); });
  CHECK(contains(brief_of(lines), "ceiling not measured"));
}

TEST_CASE("Home after the climb shows what it reached, and the next step", "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  watch(f, 0.8e6);
  f.session.judge(f.session.last(RequestType::compare), Verdict::slower, 0.5);
  f.driver->frames(3);
  f.driver->key(compat::Key::escape);
  f.driver->type('h');
  f.driver->frames(2);
  CHECK(f.driver->find("climb_reached"));
  REQUIRE(f.driver->find("climb_bar:gemm.cpu.packed_avx512"));
  CHECK(f.driver->find("climb_bar:gemm.cpu.packed_avx512")->h > 30);
  CHECK(f.driver->find("begin"));  // it can climb again
  REQUIRE(f.driver->click("next_tour"));
  CHECK(f.state.teaching.tour);
}

TEST_CASE("the card takes the best that the session knows of its ends, and says what it rests on",
          "[window][home]") {
  Fixture f;
  f.driver->type('h');
  const WorkRequest request = watch(f, 0.8e6);
  f.session.finish(f.session.last(RequestType::compare), "cancelled");
  f.driver->frames(3);
  const FirstClimb& climb = f.state.first_climb;
  const auto card = [&] { return climb_card(climb_run(f.state), climb); };
  CHECK(card().gain == "≈ 64×");
  CHECK(card().rests_on == "each timed alone");
  const double climbed = card().bars.front().rate;
  // Later the same rungs are timed once more: a burst in the climb is not kept. A request that lacks a rung is no climb.
  const auto time_again = [&](size_t rungs, double first_ns) {
    WorkRequest again = request;
    again.kernels.resize(rungs);
    (void)f.session.send(again);
    again = f.session.last(RequestType::run);
    double t_ns = first_ns;
    for (size_t i = 0; i < rungs; ++i, t_ns /= 2) {
      const bool is_peer = rung_of(again.kernels[i].kernel)->peer;
      f.session.measure(again, static_cast<int>(i), is_peer ? 0.8e6 : t_ns);
    }
    f.session.finish(again);
  };
  time_again(3, 8e6);
  CHECK(card().bars.front().rate == Approx(climbed));
  time_again(request.kernels.size(), 32e6);
  CHECK(card().bars.front().rate == Approx(2 * climbed));
  CHECK(card().rests_on.find("each timed alone; the bars are of a later run") == 0);
  // A pair of both ends counts more than any two times.
  WorkRequest pair = request;
  pair.type = RequestType::compare;
  pair.kernels = {request.kernels.front(), request.kernels.front()};
  pair.kernels[1].kernel = "gemm.cpu.packed_avx512";
  (void)f.session.send(pair);
  f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 50);
  CHECK(card().gain == "50.0×");
  CHECK(card().rests_on.find("in turns, 95 % interval [49.5, 50.5]") == 0);
  f.state.ladder.dirty = true;
  f.driver->frames(2);
  // The headline of the chart has the same.
  set_level(f.state, Level::kLab);
  f.driver->frames(3);
  ChartRows rows;
  CHECK(centre_chart(f.state, &rows)
            .legend.front()
            .find("three loops, -O1 → packed, AVX-512: 50.0×, in turns, 95 % interval") == 0);
}

TEST_CASE(
    "a climb whose ends lost different parts of their time has a range, and the card says why",
    "[window][home]") {
  Fixture f(1280, 720);
  f.session.shares = {{"gemm.cpu.naive_o1", 0.4}};
  f.driver->type('h');
  (void)watch(f, 0.8e6);
  f.session.finish(f.session.last(RequestType::compare), "cancelled");
  f.driver->frames(3);
  const ClimbCard card = climb_card(climb_run(f.state), f.state.first_climb);
  CHECK(card.gain == "between 25.0× and 65.3×");
  // The figure is that of the bars, with both ends of the range beside it.
  CHECK(card_figure(card) == "about 64×");
  CHECK(card_range(card) == "between 25.0× and 65.3×");
  CHECK(contains(card_brief(card), "each timed alone, by processor and by wall time"));
  CHECK(contains(card_words(card), "about 64× (between 25.0× and 65.3×) in 6 steps"));
  REQUIRE(f.driver->find("climb_range"));
  CHECK(f.driver->find("climb_range")->h > 0);
  // The lab says the same, and its headline leaves the steps whole.
  f.driver->key(compat::Key::escape);
  f.state.view.screen = ScreenId::lab;
  f.driver->frames(3);
  ChartRows rows;
  CHECK(contains(centre_chart(f.state, &rows).legend.front(),
                 "packed, AVX-512: about 64×, between 25.0× and 65.3×, each timed alone"));
  set_level(f.state, Level::kLearn);
  f.driver->frames(3);
  REQUIRE((f.driver->find("climb_total") && f.driver->find("climb_part+")));
  CHECK(f.driver->find("climb_total")->x >= f.driver->find("climb_part+")->right());
  show_climb_card(f.state);
  f.driver->frames(2);
  // In a few words once: a busy machine stands for what it does.
  const bool is_busy = card_brief(card).find("busy machine") != std::string::npos;
  CHECK(is_busy == (card_brief(card).find("uneven shares of the processor") == std::string::npos));
  CHECK(card.rests_on == "each timed alone, by processor and by wall time");
  CHECK(says(card, "“three loops, -O1” had the processor for 40 % of its time"));
  CHECK(card_words(card).find("by wall time") != std::string::npos);
  REQUIRE(f.driver->find("climb_card"));
  f.session.shares = {{"gemm.cpu.naive_o1", 0.4}, {"gemm.cpu.packed_avx512", 0.4}};
  f.driver->key(compat::Key::escape);
  (void)watch(f, 0.8e6);
  CHECK(climb_card(climb_run(f.state), f.state.first_climb).gain == "≈ 64×");  // both lost as much
}

TEST_CASE("the card says what is missing: cancelled, failed, no library, no pairs",
          "[window][home]") {
  Fixture f;
  REQUIRE(perform(f.state, "watch"));
  const WorkRequest request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 8e6);
  f.session.measure(request, 1, 4e6, false);
  f.session.measure(request, 2, 2e6);
  f.session.finish(request, "cancelled");
  f.driver->frames(3);
  CHECK(f.session.count(RequestType::compare) == 0);
  CHECK(f.driver->find("climb_card"));
  ClimbCard card = climb_card(climb_run(f.state), f.state.first_climb);
  CHECK(card.gain == "≈ 4.0×");
  CHECK(card.bars.size() == 2);
  CHECK(card.library == "No library here to compare with");
  CHECK(says(card, "Cancelled"));
  CHECK(says(card, "failed its check"));

  // Timed apart decides nothing.
  f.driver->key(compat::Key::escape);
  watch(f, 1e6);
  f.session.finish(f.session.last(RequestType::compare), "cancelled");
  f.driver->frames(3);
  card = climb_card(climb_run(f.state), f.state.first_climb);
  CHECK(card.library == "oneDNN: not compared in turns");
  CHECK(card.library_why.find("is ≈ 1.0") != std::string::npos);
  CHECK_FALSE(card.verdict);
  CHECK(says(card, "did not end"));

  // What runs next takes the card away; cancelled before anything climbed, there is none.
  REQUIRE(f.driver->find("climb_card"));
  f.driver->key(compat::Key::f5);
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("climb_card"));
  f.session.finish(f.session.last(RequestType::run), "cancelled");
  f.driver->frames(2);
  REQUIRE(perform(f.state, "watch"));
  f.session.finish(f.session.last(RequestType::run), "cancelled");
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("climb_card"));
  CHECK_FALSE(perform(f.state, "climb_card"));

  // Lost on the way: the card says so and names no figure.
  REQUIRE(perform(f.state, "watch"));
  f.session.finish(f.session.last(RequestType::run), "failed");
  f.driver->frames(3);
  CHECK(f.driver->find("climb_card"));
  card = climb_card(climb_run(f.state), f.state.first_climb);
  CHECK(card.gain.empty());
  CHECK(card.bars.empty());
  CHECK(says(card, "ended early"));
}

TEST_CASE("the climb goes on behind another screen, whose notice says where the card is",
          "[window][home]") {
  Fixture f;
  REQUIRE(perform(f.state, "watch"));
  CHECK_FALSE(perform(f.state, "watch"));  // one at a time
  f.driver->type('m');
  f.session.measure(f.session.last(RequestType::run), 0, 4e6);
  f.session.measure(f.session.last(RequestType::run), 2, 1e6);
  f.session.finish(f.session.last(RequestType::run));
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("climb_card"));
  CHECK(f.state.notice.text.find("Home has its card") != std::string::npos);
  f.driver->type('h');
  f.driver->frames(2);
  CHECK(f.driver->find("climb_card"));
}

// ---- learn ----

TEST_CASE("the place in a tour outlives the window, and Resume goes on from it", "[window][home]") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/data/tours.json";
  const auto tour = study::load_tour("first_hour");
  REQUIRE(tour);
  REQUIRE(tour->steps.size() > 2);
  {
    Fixture f;
    f.state.tour_progress.path = path;
    f.driver->type('h');
    REQUIRE(f.driver->click("door_tour:first_hour"));
    f.driver->frames(2);
    REQUIRE(f.state.teaching.tour);
    CHECK(steps_done(f.state, *tour) == 0);
    f.state.teaching.beat = Beat::explain;
    f.driver->frames(2);
    CHECK(steps_done(f.state, *tour) == 1);
    f.state.teaching.tour_step = 2;
    f.state.teaching.beat = Beat::predict;
    f.driver->frames(2);
  }
  Fixture f;
  f.state.tour_progress.path = path;
  load_tour_progress(f.state);
  CHECK(f.state.tour_progress.problem.empty());
  CHECK(tour_to_resume(f.state) == "first_hour");
  CHECK(steps_done(f.state, *tour) == 1);
  f.driver->type('h');
  REQUIRE(f.driver->click("resume_tour"));
  f.driver->frames(2);
  REQUIRE(f.state.teaching.tour);
  CHECK(f.state.teaching.tour_step == 2);
  // A tour that is done opens at its end card, which begins it again.
  for (size_t i = 0; i < tour->steps.size(); ++i)
    f.state.tour_progress.places["first_hour"].done.insert(static_cast<int>(i));
  CHECK(tour_to_resume(f.state) != "first_hour");
  end_tour(f.state);  // one that is on stays as it is
  resume_tour(f.state, "first_hour");
  CHECK(f.state.teaching.beat == Beat::done);
  f.driver->frames(2);
  REQUIRE(f.driver->click("tour_again"));
  CHECK(f.state.teaching.tour_step == 0);
  CHECK(f.state.teaching.beat == Beat::predict);
}

TEST_CASE("a damaged file of tours is said in one sentence and set aside, never written over",
          "[window][home]") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/tours.json";
  for (const std::string bad : {"{\"ridgepoint_tours\": 1, \"tours\": [", "[]", "{}", "null",
                                "{\"ridgepoint_tours\":1,\"tours\":3}"}) {
    INFO(bad);
    std::ofstream(path) << bad;
    Fixture f;
    f.state.tour_progress.path = path;
    load_tour_progress(f.state);
    CHECK_FALSE(f.state.tour_progress.problem.empty());
    f.driver->type('h');
    REQUIRE(f.driver->click("resume_tour"));
    f.driver->frames(2);
    CHECK(read_text(path + ".damaged") == bad);
    CHECK(f.state.notice.text.find("tours.json.damaged") != std::string::npos);
    const auto written = parse_tour_progress(*read_text(path), path);
    REQUIRE(written);
    CHECK(written->last == f.state.teaching.tour->id);
  }
  // Fields of another shape are left out, the rest is kept.
  const auto odd = parse_tour_progress(
      R"({"ridgepoint_tours":1,"last":4,"tours":{"a":{"step":-3,"done":[1,"x",2]},"b":7}})", path);
  REQUIRE(odd);
  CHECK(odd->places.size() == 1);
  CHECK(odd->places.at("a").step == 0);
  CHECK(odd->places.at("a").done == std::set<int>{1, 2});
}

TEST_CASE("of the three doors one has a primary button", "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  f.driver->frames(2);
  CHECK(f.driver->shell().primary_buttons() == std::vector<std::string>{"begin"});
  for (const char* other : {"resume_tour", "open_exercise"}) CHECK(f.driver->find(other));
  watch(f, 0.8e6);
  f.session.judge(f.session.last(RequestType::compare), Verdict::slower, 0.5);
  f.driver->frames(3);
  f.driver->key(compat::Key::escape);
  f.driver->type('h');
  f.driver->frames(2);
  CHECK(f.driver->shell().primary_buttons() == std::vector<std::string>{"next_tour"});
}

TEST_CASE("a newcomer who learns begins with the tour for one alone, then with the next unfinished",
          "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  f.driver->frames(2);
  REQUIRE(f.driver->click("resume_tour"));
  f.driver->frames(2);
  REQUIRE(f.state.teaching.tour);
  CHECK(f.state.teaching.tour->id == "first_hour");
  end_tour(f.state);
  for (size_t i = 0; i < built_in_tours().at("first_hour")->steps.size(); ++i)
    f.state.tour_progress.places["first_hour"].done.insert(static_cast<int>(i));
  CHECK(tour_to_resume(f.state) == tours_in_order()[1]->id);
}

TEST_CASE("after a tour that is done the door offers the one behind it, then those before it",
          "[window][home]") {
  Fixture f(1280, 720);
  const auto done = [&](const std::string& id) {
    f.state.tour_progress.last = id;
    for (size_t i = 0; i < built_in_tours().at(id)->steps.size(); ++i)
      f.state.tour_progress.places[id].done.insert(static_cast<int>(i));
  };
  const auto all = tours_in_order();
  CHECK_FALSE(has_ended_tour(f.state));
  done(all[1]->id);
  CHECK(has_ended_tour(f.state));
  CHECK(tour_to_resume(f.state) == all[2]->id);
  for (size_t i = 2; i < all.size(); ++i) done(all[i]->id);
  CHECK(tour_to_resume(f.state) == all[0]->id);
  f.driver->type('h');
  f.driver->frames(2);
  // A title of two lines stands above the line of what was done.
  for (const study::Tour* tour : all) {
    const Area* title = f.driver->find("door_title:" + tour->id);
    const Area* line = f.driver->find("door_done:" + tour->id);
    if (title && line) CHECK(title->bottom() <= line->y);
  }
}

TEST_CASE("what the command line solved while the window is open is seen on Home",
          "[window][home]") {
  const TemporaryFolder folder;
  Fixture f;
  f.state.settings.path = folder.path + "/settings.json";
  save_settings(&f.state);
  f.driver->type('h');
  f.driver->frames(2);
  CHECK_FALSE(exercise_progress(f.state, "turned_loops").is_solved);
  {
    State other;  // the command line's
    other.settings.path = f.state.settings.path;
    load_settings(&other);
    other.history.exercises["turned_loops"] = {2, true};
    save_settings(&other);
  }
  for (int i = 0; i < 1500 && !exercise_progress(f.state, "turned_loops").is_solved; ++i)
    f.driver->frames(1);
  CHECK(exercise_progress(f.state, "turned_loops").is_solved);
  CHECK(exercise_progress(f.state, "turned_loops").hints_spent == 2);
}

TEST_CASE("the next start has the mode of the climb, and the climb of the last results on its door",
          "[window][home]") {
  const TemporaryFolder folder;
  {
    Fixture f;
    f.state.history.runs_folder = folder.path + "/runs";
    f.state.settings.path = folder.path + "/settings.json";
    watch(f, 0.8e6);
    f.session.judge(f.session.last(RequestType::compare), Verdict::slower, 0.5);
    f.driver->frames(3);
    save_settings(&f.state);
  }
  Fixture f(1280, 720);
  f.state.history.runs_folder = folder.path + "/runs";
  f.state.settings.path = folder.path + "/settings.json";
  load_settings(&f.state);
  CHECK(f.state.selection.mode == RunMode::live);
  f.driver->type('h');
  for (int i = 0; i < 500 && !f.driver->find("climb_reached"); ++i) {  // a thread reads them
    f.driver->frames(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(f.driver->find("climb_reached"));
  CHECK(f.driver->find("climb_bar:" + std::string(short_climb_lab()->short_climb[0])));
  CHECK(f.driver->shell().primary_buttons() == std::vector<std::string>{"next_tour"});
  REQUIRE(f.driver->click("open_kept_climb"));
  f.driver->frames(3);
  CHECK(f.state.is_replay());
}

TEST_CASE("Present lists the tours where none was begun: the first one is for one alone",
          "[window][home]") {
  Fixture f;
  f.driver->type('h');
  f.driver->frames(2);
  REQUIRE(f.driver->click("present_tour"));
  f.driver->frames(2);
  CHECK(f.state.teaching.presenting);
  CHECK_FALSE(f.state.teaching.tour);
  CHECK(f.driver->find("tour:meetup"));
}

// ---- build ----

TEST_CASE("a solved exercise has its tick, and a click opens one", "[window][home]") {
  const auto exercises = app::all_exercises();
  REQUIRE(exercises);
  for (const app::Exercise& one : *exercises) {
    INFO(one.name);
    // Else an edit of the rung would tick the exercise. A puzzle is a rung, and ticked by its counts.
    CHECK((one.is_puzzle() || rung_of(one.kernel) == nullptr));
  }
  Fixture f;
  const TemporaryFolder folder;
  f.state.settings.edits_folder = folder.path;
  const auto exercise = app::find_exercise("turned_loops");
  REQUIRE(exercise);
  CHECK_FALSE(exercise_progress(f.state, exercise->name).is_solved);
  f.driver->type('h');
  // A grid: as far from one to the next, and from row to row.
  std::set<float> columns, rows;
  for (const app::Exercise& one : app::known_exercises()) {
    const Area* tick = f.driver->find("tick:" + one.name);
    REQUIRE(tick);
    columns.insert(tick->x), rows.insert(tick->y);
  }
  CHECK(columns.size() * rows.size() < app::known_exercises().size() + rows.size());
  REQUIRE(f.driver->click("tick:turned_loops"));
  f.driver->frames(2);
  CHECK(f.state.editing);
  CHECK(f.state.view.screen == ScreenId::workbench);
  f.state.history.exercises[exercise->name].is_solved = true;
  CHECK(exercise_progress(f.state, exercise->name).is_solved);
}

// ---- labs ----

TEST_CASE("Your turn over a saved run says why it is empty, and its button leads back",
          "[window][home]") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/run.jsonl";
  {
    Fixture f;
    f.run_all();
    REQUIRE(f.session.save(path));
  }
  Fixture f;
  open_run(f.state, path);
  f.driver->frames(3);
  f.state.view.screen = ScreenId::workbench;
  f.driver->frames(4);
  REQUIRE(f.state.is_replay());
  CHECK(way_out(f.state) == "Back to measuring here");
  REQUIRE(f.driver->click("nothing"));
  f.driver->frames(3);
  CHECK_FALSE(f.state.is_replay());
  CHECK(f.state.view.screen == ScreenId::workbench);
}

TEST_CASE("every lab stands under its group, all in one view under the doors at 1280 x 720",
          "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  f.driver->frames(2);
  size_t labs = 0;
  for (const LabGroup& group : labs_by_group()) {
    for (const Lab* lab : group.labs) {
      INFO(lab->id);
      const Area* card = f.driver->find(std::string("lab:") + lab->id);
      REQUIRE(card);
      CHECK(card->bottom() < 720 - 48);
      ++labs;
    }
  }
  CHECK(labs == all_labs().size());
  CHECK(labs_by_group().front().title == "Start");
}

// ---- results and recordings ----

TEST_CASE("a lab without results of this session offers its last ones, and leads back",
          "[window][home]") {
  const TemporaryFolder folder;
  {
    Fixture f;
    f.state.history.runs_folder = folder.path + "/runs";
    f.state.settings.path = folder.path + "/settings.json";
    f.run_all();
    CHECK_FALSE(f.driver->find("kept_bar"));
  }
  Fixture f;  // the next start
  f.state.settings.path = folder.path + "/settings.json";
  load_settings(&f.state);
  f.driver->frames(2);
  REQUIRE(f.driver->find("kept_bar"));
  REQUIRE(f.driver->click("kept"));
  f.driver->frames(3);
  CHECK(f.state.is_replay());
  CHECK(find_row(f.state.ladder, "gemm.cpu.loop_order")->series);
  REQUIRE(f.driver->click("kept"));
  f.driver->frames(3);
  CHECK_FALSE(f.state.is_replay());
  CHECK(f.state.sessions.shown == &f.session);
  // One rung takes no ladder's place, and is seen at its own settings alone.
  f.driver->key(compat::Key::f5, true);
  const WorkRequest one = f.session.last(RequestType::run);
  REQUIRE(one.kernels.size() == 1);
  f.session.measure(one, 0, 1e6);
  f.session.finish(one);
  f.driver->frames(3);
  CHECK(f.driver->find("kept_bar"));
  f.run_all();
  CHECK_FALSE(f.driver->find("kept_bar"));
}

/// A recording of one rung of a lab on a machine.
Recording recorded(const std::string& name, const std::string& kernel, const std::string& machine,
                   double t_ns, const char* code_now = nullptr) {
  FakeSession session;
  WorkRequest request = request_for(RequestType::run, 7);
  request.kernels = {{kernel, {}}};
  FakeSession::lab = "gemm";
  (void)session.list();
  (void)session.send(request);
  session.measure(session.last(RequestType::run), 0, t_ns);
  auto run = std::make_shared<Run>();
  for (const std::string& line : session.transcript()) run->apply_line(line);
  const RungHash now[] = {{kernel.c_str(), code_now}};
  if (code_now) run->mark_stale(now);
  return {name, machine, app::title_of_run(*run), run, ""};
}

TEST_CASE("Home has no panel without a line, and is shown from its top again", "[window][home]") {
  Fixture f(1280, 720);
  f.driver->type('h');
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("panel:results"));
  for (int i = 0; i < 12; ++i)
    f.state.history.recent.push_back({.path = fmt::format("/runs/{}.jsonl", i), .title = "GEMM"});
  f.driver->frames(2);
  CHECK(f.driver->find("panel:results"));
  REQUIRE(f.driver->find("begin"));
  const float top = f.driver->find("begin")->y;
  f.driver->move(640, 400);
  f.driver->wheel(-8);
  f.driver->frames(3);
  REQUIRE(f.driver->find("begin")->y < top);
  f.state.view.screen = ScreenId::lab;
  f.driver->frames(2);
  f.driver->type('h');
  f.driver->frames(3);
  CHECK(f.driver->find("begin")->y == top);
}

TEST_CASE("on a wide Home the recordings stand in several columns", "[window][home]") {
  const auto columns = [](float width, float height) {
    Fixture f(width, height);
    for (const char* machine : {"Machine A", "Machine B", "Machine C", "Machine D", "Machine E"})
      f.state.sessions.recordings.push_back(
          recorded(std::string("/r/") + machine + ".jsonl", "gemm.cpu.naive_o1", machine, 1e6));
    f.driver->type('h');
    f.driver->frames(2);
    std::set<float> places;
    for (const char* machine : {"Machine A", "Machine B", "Machine C", "Machine D", "Machine E"})
      places.insert(f.driver->find(std::string("recorded:gemm@") + machine)->x);
    return places.size();
  };
  CHECK(columns(1920, 1080) >= 3);
  CHECK(columns(560, 720) == 1);
}

/// The same of another lab: its name alone counts for the list.
Recording recorded_in(const std::string& lab, const std::string& machine) {
  Transcript lines;
  WorkRequest request = request_for(RequestType::run, 1);
  request.kernels = {{find_lab(lab)->rungs.front().kernel, {}}};
  lines.send(request);
  Series series = outcome(1, 0, request.kernels.front().kernel);
  series.lab = lab;
  series.stats = Stats{20, 1e6, 1e6, 1e6, 1e6, 1e6, Interval{9e5, 1.1e6}, 0, 0, 1, {}};
  lines.worker("result", {{"request", 1}, {"series", 0}, {"outcome", series}});
  auto run = std::make_shared<Run>();
  for (const std::string& line : lines.lines) run->apply_line(line);
  return {"/r/" + lab + machine + ".jsonl", machine, app::title_of_run(*run), run, ""};
}

int lines_of_recordings(const Headless& driver) {
  int found = 0;
  for (const auto& [name, area] : driver.shell().widgets())
    found += name.starts_with("recorded:") || name.starts_with("recorded_lab:");
  return found;
}

TEST_CASE("many recordings fold into their labs, and Home shows a few of these at first",
          "[window][home]") {
  Fixture f;
  size_t labs = 0;
  for (const Lab* lab : all_labs()) {
    if (lab->rungs.empty()) continue;
    ++labs;
    for (const char* machine : {"Intel(R) Xeon(R) Processor, 2 cores", "NVIDIA H200"})
      f.state.sessions.recordings.push_back(recorded_in(lab->id, machine));
  }
  REQUIRE(labs > 8);
  f.driver->type('h');
  f.driver->frames(2);
  CHECK(lines_of_recordings(*f.driver) == 6);
  CHECK_FALSE(f.driver->find("recorded:gemm@NVIDIA H200"));
  REQUIRE(f.driver->click("recorded_lab:gemm"));
  f.driver->frames(2);
  CHECK(f.driver->find("recorded:gemm@NVIDIA H200"));
  CHECK(lines_of_recordings(*f.driver) == 8);
  REQUIRE(f.driver->click("recorded_lab:gemm"));
  f.driver->frames(2);
  CHECK(lines_of_recordings(*f.driver) == 6);
  REQUIRE(f.driver->click("more_recorded"));
  f.driver->frames(2);
  CHECK(lines_of_recordings(*f.driver) == static_cast<int>(labs));
  REQUIRE(f.driver->click("recorded_lab:conv"));
  f.driver->frames(2);
  REQUIRE(f.driver->click("recorded:conv@NVIDIA H200"));
  f.driver->frames(3);
  CHECK(f.state.is_replay());
  CHECK(std::string(f.state.selection.lab->id) == "conv");
}

TEST_CASE("a machine has the name that a person says", "[window][home]") {
  CHECK(app::machine_in_words("Intel(R) Xeon(R) Processor, 16 cores") == "Intel Xeon, 16 cores");
  CHECK(app::machine_in_words("Intel(R) Xeon(R) CPU @ 2.20GHz, 2 cores") == "Intel Xeon, 2 cores");
  CHECK(app::machine_in_words("NVIDIA H100 80GB HBM3") == "NVIDIA H100 80GB");
  CHECK(app::machine_in_words("NVIDIA H200") == "NVIDIA H200");
  CHECK(app::machine_in_words("Processor") == "Processor");
}

TEST_CASE("recordings are grouped by lab and machine, and a group opens with all its files",
          "[window][home]") {
  FakeSession::other_labs = {"machine"};  // the first exercise is one of this lab
  Fixture f;
  FakeSession::other_labs.clear();
  f.state.sessions.recordings = {recorded("/r/one.jsonl", "gemm.cuda.naive", "Machine A", 3e6),
                                 recorded("/r/two.jsonl", "gemm.cuda.coalesced", "Machine A", 2e6),
                                 recorded("/r/three.jsonl", "gemm.cuda.naive", "Machine B", 1e6),
                                 recorded("/r/four.jsonl", "gemm.cpu.naive_o1", "Machine B", 1e6)};
  const auto groups = app::recording_groups(f.state.sessions.recordings);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].machine == "Machine A");
  CHECK(groups[0].paths.size() == 2);
  CHECK(groups[0].rungs == 2);
  CHECK(groups[1].parts == "fp32");
  f.driver->type('h');
  f.driver->frames(2);
  REQUIRE(f.driver->find("recorded:gemm@Machine A"));
  REQUIRE(f.driver->click("recorded:gemm@Machine B"));
  f.driver->frames(3);
  CHECK(f.state.is_replay());
  CHECK(f.state.view.screen == ScreenId::lab);
  CHECK(find_row(f.state.ladder, "gemm.cuda.naive")->machine == "Machine B");
  CHECK(find_row(f.state.ladder, "gemm.cpu.naive_o1")->series);
  CHECK(f.state.selection.rung == "gemm.cpu.naive_o1");
  open_recordings(f.state, "gemm", "Machine A");
  f.driver->frames(3);
  CHECK(find_row(f.state.ladder, "gemm.cuda.naive")->machine == "Machine A");
  // What was recorded there, not the lab's first rung.
  CHECK(f.state.selection.rung == "gemm.cuda.naive");
  CHECK(find_row(f.state.ladder, "gemm.cuda.coalesced")->series);
  f.driver->type('h');
  REQUIRE(f.driver->click("begin"));
  f.driver->frames(2);
  CHECK_FALSE(f.state.is_replay());
  // An exercise leaves them by itself, and opens.
  open_recordings(f.state, "gemm", "Machine A");
  f.driver->frames(3);
  f.driver->type('h');
  f.driver->frames(2);
  REQUIRE(f.driver->click("open_exercise"));
  f.driver->frames(4);
  CHECK_FALSE(f.state.is_replay());
  CHECK(f.state.editing);
}

TEST_CASE("a run over several labs is not called by the first alone", "[window][home]") {
  Run run;
  Transcript lines;
  WorkRequest request = request_for(RequestType::run, 1);
  request.kernels = {{"gemm.cpu.naive_o1", {}}, {"conv.cpu.direct", {}}};
  lines.send(request);
  for (int i = 0; i < 2; ++i) {
    Series series = outcome(1, i, request.kernels[size_t(i)].kernel);
    series.lab = i == 0 ? "gemm" : "conv";
    series.stats = Stats{20, 1e6, 1e6, 1e6, 1e6, 1e6, Interval{9e5, 1.1e6}, 0, 0, 1, {}};
    lines.worker("result", {{"request", 1}, {"series", i}, {"outcome", series}});
  }
  for (const std::string& line : lines.lines) run.apply_line(line);
  CHECK(app::title_of_run(run) == "GEMM and 1 more lab · 2 rungs");
}

// ---- how long, and how far ----

TEST_CASE("what a run will take is said before it, for the mode in view", "[window][home]") {
  Fixture f;
  const RunEstimate estimate = estimate_of_ladder(f.state);
  CHECK(estimate.is_here);
  CHECK(estimate.rungs > 3);
  CHECK(estimate.unknown == 0);
  CHECK(estimate.seconds == Approx(2.0 * estimate.rungs));
  CHECK(f.session.last(RequestType::probe).mode == RunMode::measure);
  const int before = f.session.estimates();
  set_mode(f.state, RunMode::live);
  f.driver->frames(20);
  CHECK(f.session.estimates() == before + 1);
  CHECK(f.session.last(RequestType::probe).mode == RunMode::live);
  // On the wire too: the worker takes the default for what it is not told.
  CHECK(to_line(f.session.last(RequestType::probe)).at("mode") == "live");

  // Of the lab in view, and none on Home, whose doors begin something else.
  CHECK(contains(idle_words(f.state), "F5 runs"));
  f.driver->type('h');
  f.driver->frames(2);
  CHECK(idle_words(f.state).empty());

  RunEstimate said{.rungs = 3, .unknown = 0, .is_here = true, .seconds = 40.4};
  CHECK(said.text() == "about 40 s");
  said.unknown = 1;
  CHECK(said.text() == "over 40 s");
  said.unknown = 3;
  CHECK(said.text().empty());
  said = {.rungs = 1, .unknown = 0, .is_here = true, .seconds = 0.2};
  CHECK(said.text() == "under a second");
  said.seconds = 150;
  CHECK(said.text() == "about 2.5 min");
  said.is_here = false;
  CHECK(said.text().empty());
}

TEST_CASE(
    "a lab's estimates end when another run is opened: what is run next waits for no other lab",
    "[window][home]") {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/run.jsonl";
  {
    Fixture f;
    f.run_all();
    REQUIRE(f.session.save(path));
  }
  Fixture f;
  // The fixture answers a probe at once; a run that it leaves open stands for one that trains a network.
  WorkRequest slow = request_for(RequestType::run, 70);
  slow.kernels = {{"gemm.cpu.naive_o1", {}}};
  f.state.requests.estimates = *f.session.send(slow);
  open_run(f.state, path);
  f.driver->frames(3);
  REQUIRE(f.state.is_replay());
  CHECK(f.session.cancelled.size() == 1);
}

TEST_CASE("the bar of progress never goes back", "[window][home]") {
  Fixture f;
  f.driver->key(compat::Key::f5);
  const int64_t id = f.session.last(RequestType::run).id;
  double before = 0;
  const auto goes_on = [&](int series, const char* phase, std::optional<double> share) {
    INFO(series << " " << phase);
    f.session.phase(id, series, phase, share);
    f.driver->frames(2);
    CHECK(f.state.requests.share >= before);
    CHECK(f.state.requests.share <= 1);
    before = f.state.requests.share;
  };
  for (int series = 0; series < 3; ++series) {
    goes_on(series, "prepare", std::nullopt);
    goes_on(series, "prepare", 0.7);
    goes_on(series, "check", std::nullopt);
    goes_on(series, "warmup", std::nullopt);
    goes_on(series, "timing", 0.1);
    goes_on(series, "timing", 0.9);
    goes_on(series, "latency", 0.0);
    goes_on(series, "latency", 0.8);
    CHECK(before > 0);
    goes_on(-1, "warmup", std::nullopt);  // ceilings belong to no rung
    goes_on(-1, "timing", 0.5);
  }
  f.session.finish(f.session.last(RequestType::run));
  f.driver->frames(3);
  // The next run begins anew.
  f.driver->key(compat::Key::f5);
  f.driver->frames(2);
  CHECK(f.state.requests.share == 0);
}

TEST_CASE("while a ceiling is measured the status line names no rung", "[window][home]") {
  Fixture f;
  f.driver->key(compat::Key::f5);
  const int64_t id = f.session.last(RequestType::run).id;
  f.session.phase(id, 0, "warmup", std::nullopt);
  CHECK(progress_headline(f.state) == "Warming up three loops, -O1");
  f.session.phase(id, -1, "warmup", std::nullopt,
                  "measuring this machine's ceiling: DRAM read, 1 thread");
  CHECK(progress_headline(f.state) == "Measuring this machine's ceiling");
}

TEST_CASE("the climb and its comparison fill one bar", "[window][home]") {
  Fixture f;
  REQUIRE(perform(f.state, "watch"));
  const WorkRequest request = f.session.last(RequestType::run);
  const auto last = static_cast<int>(request.kernels.size()) - 1;
  f.session.measure(request, 0, 4e6);
  f.session.measure(request, last, 1e6);
  f.session.phase(request.id, last, "latency", 1.0);
  f.driver->frames(2);
  const double climbed = f.state.requests.share;
  CHECK(climbed > 0.4);
  CHECK(climbed < 0.7);
  f.session.finish(request);
  f.driver->frames(3);
  const WorkRequest pair = f.session.last(RequestType::compare);
  f.session.phase(pair.id, 0, "prepare", std::nullopt);
  f.driver->frames(2);
  CHECK(f.state.requests.share >= climbed);
  f.session.phase(pair.id, 0, "rounds", 0.5);
  f.driver->frames(2);
  CHECK(f.state.requests.share > climbed);
  CHECK(f.state.requests.share < 1);
}

}  // namespace
}  // namespace ridge::test
