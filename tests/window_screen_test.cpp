// The screens: how one gets to them, what each does, and that each can be drawn in every state.
#include "app/window/shell/screens.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "app/query/recordings.h"
#include "app/window/panels/verdict_card.h"
#include "app/window/shell/export.h"
#include "app/window/shell/overlays.h"
#include "app/window/shell/settings.h"
#include "app/window/teach/study.h"
#include "app/window/views/chart_rows.h"
#include "app/window/views/model_views.h"
#include "app/window/views/timeline.h"
#include "app/window/views/view.h"
#include "common/record/derive.h"
#include "tests/program.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

TEST_CASE("every screen is reached by its key, the menu and a tab, and its key leads back",
          "[window][screens]") {
  Fixture f;
  for (const ScreenDesc& screen : screens()) {
    INFO(screen.name);
    REQUIRE(f.driver->click("menu"));
    CHECK(f.state.view.show_menu);
    REQUIRE(f.driver->click(std::string("menu:show_") + screen.name));
    CHECK_FALSE(f.state.view.show_menu);
    CHECK(f.state.view.screen == screen.id);
    CHECK(f.driver->triangles() > 100);
    if (screen.typed) {
      f.driver->type(screen.typed);
      CHECK(f.state.view.screen == ScreenId::lab);
      f.driver->type(screen.typed);
      CHECK(f.state.view.screen == screen.id);
    }
    if (screen.id == ScreenId::presenter) {  // it has no bars, so no tabs
      f.driver->key(compat::Key::escape);
      CHECK(f.state.view.screen != ScreenId::presenter);
    }
    if (screen.id == ScreenId::lab || screen.id == ScreenId::presenter) continue;
    REQUIRE(f.driver->click("tab:lab"));
    CHECK(f.state.view.screen == ScreenId::lab);
  }
  REQUIRE(f.driver->click("menu"));
  f.driver->key(compat::Key::escape);
  CHECK_FALSE(f.state.view.show_menu);
}

TEST_CASE("the tabs stand in groups, each under its heading at Bench, and all fit",
          "[window][screens]") {
  Fixture f(1280, 720);
  f.state.view.screen = ScreenId::machine;
  f.driver->frames(3);
  CHECK(f.driver->find("tabs:Measure") == nullptr);
  f.state.appearance.level = Level::kBench;
  f.driver->frames(3);
  for (const char* group : {"Practise", "Measure", "Explain", "Teach", "Program"}) {
    INFO(group);
    CHECK(f.driver->find("tabs:" + std::string(group)));
  }
  for (const ScreenDesc& screen : screens()) {
    INFO(screen.name);
    CHECK(f.driver->find(std::string("tab:") + screen.name));
  }
  const auto gap = [&](const char* one, const char* next) {
    return f.driver->find(next)->x - f.driver->find(one)->right();
  };
  CHECK(gap("tab:machine", "tab:binds") > gap("tab:timeline", "tab:machine") + 5);
}

TEST_CASE("tabs and level stay where they are on every screen, on the lab in each of its states",
          "[window][screens]") {
  for (const Level level : {Level::kLearn, Level::kLab, Level::kBench}) {
    Fixture f(1280, 720);
    f.state.view.screen = ScreenId::home;
    set_level(f.state, level);
    f.driver->frames(3);
    std::map<std::string, float> places;
    for (const ScreenDesc& screen : screens()) {
      const Area* tab = f.driver->find(std::string("tab:") + screen.name);
      if (tab && screen.id != ScreenId::lab && screen.id != ScreenId::home)
        places[screen.name] = tab->x;
    }
    REQUIRE(places.size() >= 2);
    REQUIRE(f.driver->find("level"));
    const auto check = [&](const char* when) {
      f.driver->frames(3);
      INFO(name_of(level) << ", " << when);
      CHECK(f.driver->find("tab:home"));
      CHECK(f.driver->find("level"));
      for (const auto& [name, x] : places) {
        INFO(name);
        REQUIRE(f.driver->find("tab:" + name));
        CHECK(f.driver->find("tab:" + name)->x == x);
      }
    };
    f.state.view.screen = ScreenId::lab;
    check("nothing measured");
    REQUIRE(perform(f.state, "predict"));
    check("a prediction is open");
    f.driver->key(compat::Key::escape);
    f.driver->key(compat::Key::f5);
    check("it runs");
    f.session.finish(f.session.last(RequestType::run));
    check("it has run");
    open_run(f.state, variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.bf16.jsonl");
    check("a saved run");
    f.state.view.screen = ScreenId::cards;
    check("another screen");
  }
}

TEST_CASE("few verdicts leave the room below them to the curves of the times",
          "[window][screens]") {
  const auto curves = [](float width, float height) {
    Fixture f(width, height);
    open_run(f.state, variable("RIDGE_SOURCE") + "/tests/golden/screens/run.jsonl");
    f.driver->frames(3);
    f.state.view.screen = ScreenId::compare;
    f.driver->frames(5);
    const Area* found = f.driver->find("curves_below");
    return found ? *found : Area{};
  };
  const Area below = curves(1920, 1080);
  CHECK(below.h >= 260);
  CHECK(below.w > 1600);            // over both of those above
  CHECK(curves(1280, 720).h == 0);  // without the room they stand beside the forest
}

TEST_CASE("Machine counts the rungs of the lab as the list does, those of other processors too",
          "[window][screens]") {
  Fixture f(1280, 720);
  f.session.tell("env", {{"environment", environment()}, {"when", "before"}});
  f.state.view.screen = ScreenId::machine;
  f.driver->frames(3);
  const Lab& lab = *f.state.selection.lab;
  const auto here = std::count_if(lab.rungs.begin(), lab.rungs.end(), [&](const Rung& rung) {
    const KernelInfo* info = f.state.run().kernel(rung.kernel);
    return info && info->available;
  });
  CHECK(f.state.ladder.rows.size() < lab.rungs.size());
  CHECK(f.driver->find("rungs_here:" + std::to_string(here) + " of " +
                       std::to_string(lab.rungs.size())));
}

TEST_CASE("a list that goes on shows it at the edge that cuts it", "[window][screens]") {
  Fixture f(1280, 720);
  f.state.view.screen = ScreenId::classroom;
  f.driver->frames(3);
  REQUIRE(f.driver->find("more:exercises:below"));
  CHECK_FALSE(f.driver->find("more:exercises:above"));
  const Area edge = *f.driver->find("more:exercises:below");
  f.driver->move(edge.x + 20, edge.y);
  for (int i = 0; i < 200; ++i) f.driver->wheel(-5);
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("more:exercises:below"));
  CHECK(f.driver->find("more:exercises:above"));
}

TEST_CASE("the quiz's list shows the question that is open", "[window][screens]") {
  Fixture f(1280, 720);
  f.state.view.screen = ScreenId::cards;
  f.state.studying.is_quiz = true;
  const std::string last = study_questions()->back().id;
  f.state.studying.question = last;
  f.driver->frames(4);
  const Area* row = f.driver->find("question:" + last);
  REQUIRE(row);
  CHECK(row->y > 0);
  CHECK(row->bottom() < 720);
}

TEST_CASE("a rung's title comes before the word beside it", "[window][screens]") {
  Fixture f(1280, 720);
  f.state.sessions.recordings =
      app::load_recordings(variable("RIDGE_SOURCE") + "/assets/recorded", nullptr);
  f.state.view.screen = ScreenId::lab;
  f.state.ladder.dirty = true;
  f.driver->frames(3);
  CHECK(f.driver->find("rung:gemm.cuda.naive:note"));  // "recorded"
  CHECK_FALSE(f.driver->find("rung:gemm.cuda.producer_consumer:note"));
}

TEST_CASE("in a wide window the code has more columns", "[window][screens]") {
  const auto width_in = [](float w, float h) {
    Fixture f(w, h);
    return f.driver->find("right")->w;
  };
  CHECK(width_in(1920, 1080) > 540);
  CHECK(width_in(1280, 720) < 400);
}

TEST_CASE("home begins the climb, shows progress, and a digit opens its lab", "[window][screens]") {
  Fixture f;
  f.driver->type('h');
  const Lab& gemm = *find_lab("gemm");
  CHECK(lab_progress(f.state, gemm).verified == 0);
  CHECK(lab_progress(f.state, gemm).runnable > 3);
  REQUIRE(f.driver->click("begin"));
  CHECK(f.state.view.screen == ScreenId::lab);
  const WorkRequest request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 1e6);
  f.session.measure(request, 1, 1e6, false);  // a failed check is no progress
  f.session.finish(request);
  f.driver->frames(3);
  CHECK(lab_progress(f.state, gemm).verified == 1);
  f.driver->key(compat::Key::escape);  // the card (window_home_test.cpp)
  // Why not all are counted stands under the lab at Learn.
  set_level(f.state, Level::kLearn);
  f.driver->frames(3);
  CHECK(f.driver->find("lab_missing"));
  CHECK(lab_progress(f.state, gemm).missing.find(" not run yet") != std::string::npos);
  auto& verified = f.state.history.verified["gemm"];
  const Rung* last = nullptr;
  for (const Rung& rung : gemm.rungs) {
    const KernelInfo* info = f.state.run().kernel(rung.kernel);
    if (!info || !info->available || rung.wrong) continue;
    verified.insert(rung.kernel);
    last = &rung;
  }
  f.driver->frames(2);
  CHECK(lab_progress(f.state, gemm).missing.empty());
  CHECK_FALSE(f.driver->find("lab_missing"));
  REQUIRE(last);
  verified.erase(last->kernel);
  const std::string missing = lab_progress(f.state, gemm).missing;
  CHECK(missing.find(last->expert ? "1 expert rung is folded" : last->title) != std::string::npos);
  f.driver->type('h');
  REQUIRE(f.driver->click("lab:gemm"));
  CHECK(f.state.view.screen == ScreenId::lab);
  f.driver->type('h');
  f.driver->type('1');
  CHECK(f.state.view.screen == ScreenId::lab);
}

TEST_CASE("a run is kept, listed on home, opened by a click, and led back from",
          "[window][screens]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.history.runs_folder = folder.path + "/runs";
  f.state.settings.path = folder.path + "/settings.json";
  f.run_all();
  REQUIRE(f.state.history.recent.size() == 1);
  const std::string path = f.state.history.recent.front().path;
  CHECK(std::filesystem::exists(path));
  CHECK(f.state.history.recent.front().title.find("GEMM") == 0);
  // What the next start knows of it.
  State again;
  again.settings.path = f.state.settings.path;
  load_settings(&again);
  REQUIRE(again.history.recent.size() == 1);
  CHECK(again.history.recent.front().path == path);
  CHECK(again.history.verified["gemm"].count("gemm.cpu.naive_o1") == 1);

  f.state.history.run_file =
      folder.path + "/this_session.jsonl";  // the other is of a session before
  f.driver->type('h');
  REQUIRE(f.driver->click("open:" + path));
  f.driver->frames(2);
  CHECK(f.state.is_replay());
  CHECK(f.state.view.screen == ScreenId::lab);
  CHECK(find_row(f.state.ladder, "gemm.cpu.naive_o1")->series != nullptr);
  f.driver->type('h');
  REQUIRE(f.driver->click("begin"));
  f.driver->frames(2);
  CHECK_FALSE(f.state.is_replay());
  CHECK(f.state.sessions.shown == &f.session);

  open_run(f.state, folder.path + "/none.jsonl");
  f.driver->frames(2);
  CHECK(f.state.notice.is_error);
  CHECK_FALSE(f.state.is_replay());
  f.driver->key(compat::Key::f5);
  open_run(f.state, path);
  f.driver->frames(2);
  CHECK_FALSE(f.state.is_replay());
  CHECK(f.state.notice.text == kBusyNotice);
}

TEST_CASE("a run is kept from its first samples on, and what cannot be written is said",
          "[window][screens]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.history.runs_folder = folder.path + "/runs";
  f.driver->key(compat::Key::f5);
  const WorkRequest request = f.session.last(RequestType::run);
  f.driver->frames(2);
  CHECK(f.state.history.run_file.empty());
  f.session.feed_samples(request.id, 0, 5, 1e6);
  f.driver->frames(2);
  REQUIRE_FALSE(f.state.history.run_file.empty());
  CHECK(std::filesystem::exists(f.state.history.run_file));
  REQUIRE(f.state.history.recent.size() == 1);
  CHECK(f.state.history.recent.front().title.find("GEMM") == 0);

  f.state.history.run_file = folder.path + "/none/run.jsonl";
  f.session.finish(request, "cancelled");
  f.driver->frames(2);
  CHECK(f.state.notice.is_error);
  CHECK(f.state.notice.text.find("This run is not kept.") == 0);
  CHECK(f.state.history.recent.size() == 1);
  CHECK(f.state.history.recent.front().path != f.state.history.run_file);
}

TEST_CASE("the list of runs is bounded, and only the program's own files are deleted",
          "[window][screens]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.history.runs_folder = folder.path + "/runs";
  std::filesystem::create_directories(f.state.history.runs_folder);
  const std::string mine = f.state.history.runs_folder + "/old.jsonl",
                    theirs = folder.path + "/own.jsonl";
  std::ofstream(mine) << "{}";
  std::ofstream(theirs) << "{}";
  f.state.history.recent = {{mine, "", "", ""}, {theirs, "", "", ""}};
  for (size_t i = 0; i < kKeptRuns; ++i)
    list_recent(f.state, folder.path + "/" + std::to_string(i), f.state.run());
  CHECK(f.state.history.recent.size() == kKeptRuns);
  CHECK_FALSE(std::filesystem::exists(mine));
  CHECK(std::filesystem::exists(theirs));
}

TEST_CASE("Ctrl K finds actions, screens, labs and rungs by a few letters", "[window][screens]") {
  CHECK_FALSE(fuzzy_score("xyz", "Run the ladder"));
  CHECK(fuzzy_score("rtl", "Run the ladder"));
  CHECK(*fuzzy_score("cb", "cache blocks") > *fuzzy_score("cb", "Cancel, by no means, both"));
  CHECK(*fuzzy_score("run", "Run the ladder") > *fuzzy_score("run", "previous rung, next"));

  Fixture f;
  f.driver->key(compat::Key::k, true);
  REQUIRE(f.state.view.show_palette);
  for (const char letter : std::string("loop order")) f.driver->type(letter);
  CHECK(f.state.view.palette_typed == "loop order");
  CHECK(f.state.selection.rung == "gemm.cpu.naive_o1");  // letters are typed, not keys
  CHECK(f.state.view.screen == ScreenId::lab);
  CHECK(f.state.selection.view == find_view("ladder"));
  f.driver->key(compat::Key::enter);
  CHECK_FALSE(f.state.view.show_palette);
  CHECK(f.state.selection.rung == "gemm.cpu.loop_order");

  f.driver->key(compat::Key::k, true);
  for (const char letter : std::string("machinex")) f.driver->type(letter);
  f.driver->key(compat::Key::backspace);
  CHECK(f.state.view.palette_typed == "machine");
  f.driver->key(compat::Key::down);
  f.driver->key(compat::Key::up);
  REQUIRE(f.driver->click("palette:0"));
  CHECK(f.state.view.screen == ScreenId::machine);

  // What cannot be done says why and does nothing.
  // What cannot be done now comes after all that can: Enter presses the first line.
  const auto inside = palette_entries(f.state, "inside");
  const auto is_blocked = [](const PaletteEntry& entry) { return !entry.blocker.empty(); };
  CHECK(std::is_partitioned(inside.begin(), inside.end(), std::not_fn(is_blocked)));
  CHECK(std::any_of(inside.begin(), inside.end(), is_blocked));
  REQUIRE_FALSE(inside.empty());
  CHECK_FALSE(is_blocked(inside.front()));
  const auto entries = palette_entries(f.state, "compare the selected rung with the baseline");
  REQUIRE_FALSE(entries.empty());
  CHECK(entries.front().blocker.find("baseline") != std::string::npos);
  f.driver->key(compat::Key::k, true);
  for (const char letter : std::string("compare the selected rung with the baseline"))
    f.driver->type(letter);
  f.driver->key(compat::Key::enter);
  CHECK(f.session.count(RequestType::compare) == 0);
  CHECK(f.state.view.show_palette);
  f.driver->key(compat::Key::f5);
  CHECK(f.session.count(RequestType::run) == 0);
  f.driver->key(compat::Key::escape);
  CHECK_FALSE(f.state.view.show_palette);
}

TEST_CASE("the compare screen says of what clock a ratio is, and which of two runs is earlier",
          "[window][screens]") {
  Fixture f;
  f.session.clock_held = true;
  f.driver->type('v');
  f.driver->type('b');
  for (int i = 0; i < 2; ++i) {
    select_rung(f.state, "gemm.cpu.loop_order");
    f.driver->frames();
    f.driver->type('c');
    f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 4);
    f.driver->frames(3);
  }
  REQUIRE(f.driver->find("forest:1"));
  std::string said;
  for (const chart::Primitive& p : f.driver->shell().chart_scene().primitives)
    if (p.kind == chart::Primitive::Kind::text) said += p.text + "\n";
  for (const chart::Hit& hit : f.driver->shell().chart_scene().hits) said += hit.note + "\n";
  INFO(said);
  CHECK(contains(said, "] at equal clock"));
  CHECK(contains(said, "sustained not measured"));
  CHECK(contains(said, "an earlier run"));
}

TEST_CASE("the compare screen lists every comparison, and a click chooses one",
          "[window][screens]") {
  Fixture f;
  f.driver->type('v');
  REQUIRE(f.driver->find("nothing"));  // one sentence, one button
  CHECK(f.driver->find("forest") == nullptr);
  f.driver->type('b');
  for (const char* candidate : {"gemm.cpu.naive_o3", "gemm.cpu.loop_order"}) {
    select_rung(f.state, candidate);
    f.driver->frames();
    f.driver->type('c');
    f.session.judge(f.session.last(RequestType::compare), Verdict::faster, 4);
    f.driver->frames(3);
  }
  REQUIRE(f.driver->find("forest"));
  CHECK(f.driver->find("forest:1"));
  CHECK(f.driver->find("forest:2") == nullptr);
  CHECK(f.driver->find("spread"));  // both sides' times
  const auto chosen_label = [&] {
    for (const chart::Primitive& p : f.driver->shell().chart_scene().primitives) {
      if (p.role == chart::Role::highlight) return p.a.y;
    }
    return -1.0f;
  };
  const float first = chosen_label();
  REQUIRE(f.driver->click("forest:1"));
  f.driver->frames(2);
  CHECK(chosen_label() > first);
}

TEST_CASE("Compare and the card show the verdict of the chosen point, and name it",
          "[window][screens]") {
  Fixture f;
  f.driver->type('b');
  select_rung(f.state, "gemm.cpu.naive_o3");
  for (const int64_t n : {256, 512}) {
    set_param(f.state, "n", n);
    f.driver->frames(2);
    f.driver->type('c');
    f.session.judge(f.session.last(RequestType::compare), Verdict::faster, n == 256 ? 4 : 2);
    f.driver->frames(3);
  }
  const auto chosen_label = [&] {
    for (const chart::Primitive& p : f.driver->shell().chart_scene().primitives) {
      if (p.role == chart::Role::highlight) return p.a.y;
    }
    return -1.0f;
  };
  f.driver->type('v');
  f.driver->frames(2);
  const float newest = chosen_label();
  set_param(f.state, "n", int64_t{256});
  f.driver->frames(3);
  CHECK(chosen_label() > newest);  // the older one is of 256
  const Comparison& at_512 = f.state.run().comparisons().back();
  CHECK(verdict_words(f.state, f.state.run(), at_512)
            .title.find("at n\u00a0=\u00a0512, not at the chosen n\u00a0=\u00a0256") !=
        std::string::npos);
  set_param(f.state, "n", int64_t{512});
  CHECK(verdict_words(f.state, f.state.run(), at_512).title.ends_with("n\u00a0=\u00a0512"));
}

TEST_CASE("a saved run's pair is found however old it is, and turned round, and one value stands",
          "[window][screens]") {
  Fixture f;
  const std::string folder = variable("RIDGE_SOURCE") + "/assets/recorded";
  const auto shown = [&](const char* file, const char* baseline, const char* rung, int64_t n) {
    open_run(f.state, folder + "/" + file);
    f.driver->frames(4);
    f.state.selection.baseline = baseline;
    select_rung(f.state, rung);
    set_param(f.state, "n", n);
    f.driver->type('v');
    f.driver->frames(3);
    CHECK(f.driver->find("verdict_text"));  // the Compare screen has the verdict of that point
    const Comparison* pair = shown_comparison(f.state, nullptr);
    REQUIRE(pair);
    CHECK(param_int(pair->candidate_params, "n") == n);
    return pair;
  };
  // Of more comparisons than the screen has rows for.
  CHECK(shown("gemm.h200.bf16.jsonl", "gemm.cuda.cublaslt", "gemm.cuda.tuned", 512)->rounds == 40);
  const Comparison* turned =
      shown("gemm.h200.fp32_large.jsonl", "gemm.cuda.cublaslt", "gemm.cuda.cublas", 4096);
  CHECK(turned->baseline == "gemm.cuda.cublas");
  CHECK(turned->rounds == 40);
  // Of two comparisons of one pair the one of most rounds, as in the report.
  const Comparison* weightiest = shown("gemm.intel_r_xeon_r_processor.lesson.jsonl",
                                       "gemm.cpu.onednn", "gemm.cpu.openblas", 512);
  CHECK(weightiest->rounds == 40);
  CHECK(weightiest->ratio == Approx(0.906).epsilon(0.001));
}

TEST_CASE("a verdict of another point than the chosen one is no headline", "[window][screens]") {
  Fixture f;
  const std::string folder = variable("RIDGE_SOURCE") + "/assets/recorded";
  f.state.sessions.recordings = app::load_recordings(folder, nullptr);
  open_run(f.state, folder + "/collectives.h200.jsonl");
  f.driver->frames(4);
  f.state.selection.baseline = "collectives.cuda.nccl";
  select_rung(f.state, "collectives.cuda.two_shot");
  f.driver->frames(3);
  std::string where;
  const Run* run = nullptr;
  const Comparison* at_2 = shown_comparison(f.state, &where, &run);
  REQUIRE(at_2);
  REQUIRE(param_int(at_2->candidate_params, "ranks") == 2);
  REQUIRE(param_int(shown_params(f.state), "ranks") == 4);
  const auto missing = compared_elsewhere(f.state, *run, *at_2, where, "Choose it.");
  REQUIRE(missing);
  CHECK(missing->head.ends_with("not compared at ranks\u00a0=\u00a04"));
  CHECK(missing->next.starts_with("At ranks\u00a0=\u00a02: ▲ 1."));
  CHECK(missing->next.ends_with("recorded on NVIDIA H200. Choose it."));
  CHECK(f.driver->find("verdict"));
  CHECK_FALSE(f.driver->find("verdict_text"));  // the word in 40 px, with its reason
  f.driver->type('v');
  f.driver->frames(3);
  CHECK(f.driver->find("verdict"));
  CHECK_FALSE(f.driver->find("verdict_text"));
  set_param(f.state, "ranks", int64_t{2});
  f.driver->frames(3);
  CHECK(f.driver->find("verdict_text"));
}

TEST_CASE("at level Learn Compare compares the selected rung with the one before it",
          "[window][screens]") {
  Fixture f;
  set_level(f.state, Level::kLearn);
  f.driver->type('v');
  f.driver->frames(2);
  REQUIRE(
      f.driver->click("nothing"));  // the first rung goes on from none: the button leads to the lab
  CHECK(f.state.view.screen == ScreenId::lab);
  CHECK(f.session.count(RequestType::compare) == 0);
  select_rung(f.state, "gemm.cpu.naive_o3");
  f.driver->type('v');
  f.driver->frames(2);
  REQUIRE(f.driver->click("nothing"));
  REQUIRE(f.session.count(RequestType::compare) == 1);
  const WorkRequest pair = f.session.last(RequestType::compare);
  CHECK(pair.kernels[0].kernel == "gemm.cpu.naive_o1");
  CHECK(pair.kernels[1].kernel == "gemm.cpu.naive_o3");
}

TEST_CASE("another machine's verdict stands over no comparison before it is asked for",
          "[window][screens]") {
  auto run = std::make_shared<Run>();
  {
    Fixture there;
    there.driver->type('b');
    select_rung(there.state, "gemm.cpu.naive_o3");
    there.driver->frames();
    there.driver->type('c');
    there.session.judge(there.session.last(RequestType::compare), Verdict::faster, 4);
    for (const std::string& line : there.session.transcript()) run->apply_line(line);
  }
  Fixture f;
  f.state.sessions.recordings = {{"/r/gemm.h200.bf16_large.jsonl", "Machine A", "", run, ""}};
  f.state.ladder.dirty = true;
  f.driver->type('v');
  f.driver->frames(3);
  REQUIRE(f.driver->find("forest:0"));
  CHECK(f.driver->find("compare_hint"));
  CHECK_FALSE(f.driver->find("verdict"));
  REQUIRE(f.driver->click("forest:0"));
  f.driver->frames(2);
  CHECK(f.driver->find("verdict"));
  CHECK_FALSE(f.driver->find("compare_hint"));
}

TEST_CASE("a comparison that runs says how its rounds stand, over older verdicts too",
          "[window][screens]") {
  Fixture f;
  f.driver->type('b');
  select_rung(f.state, "gemm.cpu.naive_o3");
  f.driver->frames();
  f.driver->type('v');
  f.driver->frames();
  CHECK(running_comparison(f.state).empty());
  CHECK_FALSE(f.driver->find("under_way"));
  f.driver->type('c');
  const WorkRequest request = f.session.last(RequestType::compare);
  f.session.progress(request.id);
  f.driver->frames(3);
  CHECK(running_comparison(f.state) == "0 rounds so far; the verdict comes when all are in.");
  std::vector<Round> rounds;
  for (int i = 0; i < 4; ++i) rounds.push_back({i, "0110", {3000, 1000, 1000, 3000}});
  f.session.tell("samples",
                 {{"request", request.id}, {"series", 0}, {"phase", "rounds"}, {"rounds", rounds}});
  f.driver->frames(3);
  CHECK(running_comparison(f.state) ==
        "4 rounds so far, their median ratio 3.00×; the verdict comes when all are in.");
  CHECK(f.driver->find("under_way"));
  f.session.judge(request, Verdict::faster, 3);
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("under_way"));
}

TEST_CASE("a verdict says once that other programs ran", "[window][screens]") {
  Fixture f;
  f.run_all();
  f.driver->type('b');
  select_rung(f.state, "gemm.cpu.naive_o3");
  f.driver->frames();
  f.driver->type('c');
  const WorkRequest request = f.session.last(RequestType::compare);
  for (int side = 0; side < 2; ++side) {
    const Series one = outcome(request.id, side, request.kernels[static_cast<size_t>(side)].kernel);
    f.session.tell("result", {{"request", request.id}, {"series", side}, {"outcome", one}});
  }
  f.session.send_rounds(request, Verdict::faster, 3, 8,
                        {"contended: other processes used the CPU meanwhile"});
  f.session.finish(request);
  f.driver->frames(3);
  const std::string said =
      verdict_words(f.state, f.state.run(), f.state.run().comparisons().back()).reason;
  const std::string what = "other processes used the CPU";
  const size_t first = said.find(what);
  INFO(said);
  REQUIRE(first != std::string::npos);
  CHECK(said.find(what, first + 1) == std::string::npos);
  CHECK(said.find("contended") == std::string::npos);
}

TEST_CASE("an unresolved comparison has a button that measures as many rounds as settle it",
          "[window][screens]") {
  Fixture f;
  f.driver->type('b');
  select_rung(f.state, "gemm.cpu.naive_o3");
  f.driver->type('v');
  f.driver->frames();
  f.driver->type('c');
  const WorkRequest first = f.session.last(RequestType::compare);
  CHECK_FALSE(first.rounds);
  f.session.judge(first, Verdict::unresolved, 1.02);
  f.driver->frames(3);
  REQUIRE(f.driver->click("more_rounds"));
  const WorkRequest again = f.session.last(RequestType::compare);
  CHECK(again.id != first.id);
  CHECK(again.rounds == 80);
  REQUIRE(again.kernels.size() == 2);
  for (size_t i = 0; i < 2; ++i) CHECK(again.kernels[i].kernel == first.kernels[i].kernel);
  f.session.judge(again, Verdict::faster, 1.05);
  f.driver->frames(3);
  CHECK_FALSE(f.driver->find("more_rounds"));  // it is settled
}

TEST_CASE("Ctrl+E writes a report where results are in view, and nowhere else",
          "[window][screens]") {
  Fixture f;
  f.run_all();
  CHECK(action("export").blocker(f.state).empty());
  f.state.view.screen = ScreenId::cards;
  CHECK_FALSE(perform(f.state, "export"));
  CHECK(f.state.notice.text.find("open the lab or its Report first") != std::string::npos);
}

TEST_CASE("the machine screen says how far a ceiling's samples lie apart, and that it was busy",
          "[window][screens]") {
  Fixture f;
  f.run_all();
  f.driver->type('m');
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("samples:FMA fp32, 1 thread"));  // a run of before it was recorded
  Ceiling ceiling{
      "FMA fp32, 1 thread", Backend::cpu, "flop", "fp32", 1, 1.3e11, "FLOP/s", "measured"};
  ceiling.samples = 12, ceiling.median = 1.1e11, ceiling.foreign_cpus = 1.5;
  f.session.tell("result", {{"request", 1}, {"ceilings", std::vector<Ceiling>{ceiling}}});
  f.driver->frames(3);
  CHECK(f.driver->find("samples:FMA fp32, 1 thread"));
  CHECK(ceiling_samples(ceiling) == "best of 12, median 110 GFLOP/s");
  CHECK(ceiling_load(ceiling) == "busy machine: others used 1.5 CPUs meanwhile");
  ceiling.dtype = "int8";
  CHECK(ceiling_text(ceiling, ceiling.value) == "130 GOP/s");
}

TEST_CASE("the boxes of the machine screen have the height that they need, where the screen has it",
          "[window][screens]") {
  Fixture f(1280, 720);
  f.run_all();
  std::vector<Ceiling> ceilings;
  for (int i = 0; i < 6; ++i) {
    ceilings.push_back({"resource " + std::to_string(i) + ", 1 thread", Backend::cpu, "flop",
                        "fp32", 1, 1.3e11, "FLOP/s", "measured"});
    ceilings.back().samples = 12, ceilings.back().median = 1.1e11;
  }
  f.session.tell("result", {{"request", 1}, {"ceilings", ceilings}});
  f.driver->type('m');
  f.driver->frames(4);
  const Area* box = f.driver->find("ceilings");
  REQUIRE(box);
  for (const Ceiling& one : ceilings) {
    INFO(one.name);
    const Area* facts = f.driver->find("samples:" + one.name);
    REQUIRE(facts);
    CHECK(facts->bottom() <= box->bottom());
  }
}

TEST_CASE("a rung bears its title where another lab is in view", "[window][screens]") {
  Fixture f;
  for (const Lab* lab : all_labs()) {
    for (const Rung& rung : lab->rungs) {
      INFO(rung.kernel);
      CHECK(rung_title(f.state.ladder, rung.kernel).find(rung.kernel) == std::string::npos);
    }
  }
  CHECK(rung_title(f.state.ladder, "conv.cpu.direct_edit").find("your copy of ") == 0);
}

TEST_CASE("a lab of trainings and loaders is offered no view over FLOP and bytes of calls",
          "[window][screens]") {
  Fixture f;
  KernelInfo training, call;
  training.kind = RungKind::training;
  for (RungView& row : f.state.ladder.rows) row.info = &training;
  for (const char* view : {"roofline", "bandwidth"}) {
    CHECK_FALSE(can_fill(f.state, *find_view(view)));
    f.state.ladder.rows.back().info = &call;
    CHECK(can_fill(f.state, *find_view(view)));
    f.state.ladder.rows.back().info = &training;
  }
}

TEST_CASE("the empty compare screen's button compares what is chosen", "[window][screens]") {
  Fixture f;
  f.driver->type('b');
  f.driver->type(']');
  f.driver->type('v');
  REQUIRE(f.driver->click("nothing"));
  CHECK(f.session.count(RequestType::compare) == 1);
}

TEST_CASE("the machine screen measures on its button, then shows what was found",
          "[window][screens]") {
  Fixture f;
  f.driver->type('m');
  const int before = f.session.count(RequestType::probe);
  REQUIRE(f.driver->click("nothing"));
  CHECK(f.session.count(RequestType::probe) == before + 1);
  CHECK(f.session.last(RequestType::probe).kernels.empty());
  f.run_all();
  CHECK(f.driver->find("nothing") == nullptr);
  CHECK(f.driver->triangles() > 1000);
}

TEST_CASE("the machine screen says why a ceiling is in doubt", "[window][screens]") {
  Fixture f;
  f.run_all();
  f.driver->type('m');
  CHECK_FALSE(f.driver->find("doubt:DRAM read, 1 thread"));
  const std::vector<Ceiling> doubted = {{"DRAM read, 1 thread", Backend::cpu, "dram_read", "", 1,
                                         6e9, "B/s", "measured", "6 GB/s cannot be right"}};
  f.session.tell("result", {{"request", 1}, {"ceilings", doubted}});
  f.driver->frames(3);
  CHECK(f.driver->find("ceiling:DRAM read, 1 thread"));
  const auto why = f.driver->find("doubt:DRAM read, 1 thread");
  REQUIRE(why);
  CHECK(why->h > 0);
  // And has it measured again.
  f.driver->click("probe");
  CHECK(f.session.last(RequestType::probe).kernels.empty());
}

TEST_CASE("the report screen shows what export writes", "[window][screens]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.settings.export_root = folder.path;
  f.driver->type('o');
  REQUIRE(f.driver->find("nothing"));
  CHECK_FALSE(shown_report(f.state));
  REQUIRE(f.driver->click("nothing"));
  CHECK(f.session.count(RequestType::run) == 1);
  f.session.finish(f.session.last(RequestType::run), "cancelled");
  f.driver->frames(2);
  f.run_all();
  CHECK(f.driver->find("nothing") == nullptr);
  REQUIRE(f.driver->find("export"));
  REQUIRE(f.driver->click("export"));
  CHECK(!f.state.history.last_export.empty());
  const auto report = shown_report(f.state);
  REQUIRE(report);
  const auto page = read_text(f.state.history.last_export + "/report.md");
  REQUIRE(page);
  for (const report::Section& section : report->sections)
    CHECK(page->find(section.title) != std::string::npos);
}

TEST_CASE("settings change theme, scale and motion, and remember them", "[window][screens]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.settings.path = folder.path + "/settings.json";
  f.driver->type(',');
  REQUIRE(f.driver->click("theme=Light"));
  REQUIRE(f.driver->click("motion=Reduced"));
  REQUIRE(f.driver->click("larger"));
  State again;
  again.settings.path = f.state.settings.path;
  load_settings(&again);
  CHECK(again.appearance.light_theme);
  CHECK(again.appearance.reduced_motion);
  CHECK(again.appearance.scale > 1);
}

TEST_CASE("the timeline has a lane for each rung that was timed, from stamps alone",
          "[window][screens]") {
  Transcript lines;
  lines.worker("hello", {{"version", "0"}, {"t_s", 10.0}});
  WorkRequest request = request_for(RequestType::run, 4);
  request.kernels = {{"gemm.cpu.naive_o1", {}}, {"gemm.cpu.naive_o3", {}}};
  lines.send(request);
  const auto line = [&](const char* type, int series, double at_s, Json more) {
    more["request"] = 4;
    more["series"] = series;
    more["t_s"] = at_s;
    lines.worker(type, more);
  };
  lines.worker("env", {{"environment", environment()}, {"when", "before"}, {"t_s", 20.0}});
  line("check", 0, 21, {{"check", check(true)}});
  line("samples", 0, 22, {{"phase", "call"}, {"samples", samples(4, 1e6)}});
  lines.worker("telemetry", {{"t_s", 22.2}, {"values", {{"power_w", 90.0}}}});
  line("samples", 0, 23, {{"phase", "call"}, {"samples", samples(4, 1e6)}});
  lines.worker("telemetry", {{"t_s", 23.2}, {"values", {{"power_w", 100.0}}}});
  line("check", 1, 24, {{"check", check(true)}});
  line("samples", 1, 30, {{"phase", "call"}, {"samples", samples(4, 1e6)}});
  Fixture f;
  const TemporaryFolder folder;
  std::ofstream(folder.path + "/run.jsonl") << lines.text();
  open_run(f.state, folder.path + "/run.jsonl");
  f.driver->frames(2);
  const Timeline timeline = make_timeline(f.state);
  REQUIRE(timeline.lanes.size() == 2);
  CHECK(timeline.lanes[0].section == "Run, measure, hot");
  CHECK(timeline.lanes[1].section.empty());
  REQUIRE(timeline.lanes[0].spans.size() == 2);  // a check, and samples as one span
  CHECK(timeline.lanes[0].spans[1].from_s == Approx(1));
  CHECK(timeline.lanes[0].spans[1].to_s == Approx(3));
  CHECK(timeline.lanes[1].spans[1].to_s == Approx(10));
  CHECK(timeline.length_s == Approx(10));
  REQUIRE(timeline.telemetry.size() == 1);
  CHECK(timeline.telemetry[0].label == "Power, W");
  CHECK(reach_words(timeline, timeline.telemetry[0]) == "no readings after 3.20 s");
  CHECK(quantity_label("gpu_memory_busy") == "GPU memory busy");
  CHECK(quantity_label("sm_clock_hz") == "SM clock, Hz");
  std::vector<double> at_s;
  for_each_point(f.state.run(), timeline, timeline.telemetry[0],
                 [&](double second, double) { at_s.push_back(second); });
  REQUIRE(at_s.size() == 2);
  CHECK(at_s.front() == Approx(2.2));
  f.driver->type('i');
  REQUIRE(f.driver->click("lane:1"));
  CHECK(f.state.selection.rung == "gemm.cpu.naive_o3");

  open_run(f.state, "");
  f.driver->frames(2);
  CHECK(make_timeline(f.state).lanes.empty());
  CHECK(f.driver->find("nothing"));
}

TEST_CASE(
    "the timeline opens on the last run of an idle session, and has a gap where sampling paused",
    "[window][screens]") {
  Transcript lines;
  lines.worker("hello", {{"version", "0"}, {"t_s", 10.0}});
  const auto run_one = [&](int64_t id, double from_s) {
    WorkRequest request = request_for(RequestType::run, id);
    request.kernels = {{"gemm.cpu.naive_o1", {}}};
    lines.send(request);
    const auto env = environment();
    lines.worker("env", {{"environment", env}, {"when", "before"}, {"t_s", from_s}});
    for (int i = 1; i <= 20; ++i) {
      const double at_s = from_s + 0.1 * i;
      lines.worker("telemetry", {{"t_s", at_s}, {"values", {{"foreign_cpus", 0.1 * (i % 3)}}}});
    }
    lines.worker("samples", {{"request", id},
                             {"series", 0},
                             {"t_s", from_s + 2},
                             {"phase", "call"},
                             {"samples", samples(4, 1e6)}});
  };
  run_one(4, 20);
  run_one(5, 320);
  Fixture f(1280, 720);
  const TemporaryFolder folder;
  std::ofstream(folder.path + "/run.jsonl") << lines.text();
  open_run(f.state, folder.path + "/run.jsonl");
  f.driver->frames(2);
  const Timeline timeline = make_timeline(f.state);
  CHECK(timeline.last_begin_s == Approx(300));
  CHECK(is_mostly_idle(timeline));
  REQUIRE(timeline.telemetry.size() == 1);
  const Readings all =
      readings_in(f.state.run(), timeline, timeline.telemetry[0], {0, timeline.length_s}, 900);
  REQUIRE(all.pauses.size() == 1);
  CHECK(all.pauses[0].low == Approx(2));
  CHECK(all.pauses[0].high == Approx(300.1));
  int apart = 0;
  for (size_t i = 1; i < all.points.size(); ++i)
    apart += !all.are_joined(all.points[i - 1], all.points[i]);
  CHECK(apart == 1);
  f.state.view.screen = ScreenId::timeline;
  f.driver->frames(3);
  CHECK(f.driver->find("lane:0") == nullptr);  // of the run before
  REQUIRE(f.driver->find("lane:1"));
  CHECK(f.driver->find("timeline:fit") == nullptr);
  REQUIRE(f.driver->click("timeline:runs"));
  f.driver->frames(2);
  CHECK(f.driver->find("lane:0"));
  REQUIRE(f.driver->click("timeline:runs"));
  f.driver->frames(2);
  CHECK(f.driver->find("lane:0") == nullptr);
}

TEST_CASE("a part that another recording of the machine has at its shape takes that time",
          "[window][screens]") {
  Fixture f;
  const std::string folder = variable("RIDGE_SOURCE") + "/assets/recorded";
  f.state.sessions.recordings = app::load_recordings(folder, nullptr);
  open_run(f.state, folder + "/conv.h200.jsonl");
  f.driver->frames(2);
  select_rung(f.state, "conv.cuda.packed_taps");
  f.driver->frames(3);
  const chart::ChartModel model = workload_of(f.state);
  const auto& speeds = model.panels[1].marks;
  REQUIRE_FALSE(speeds.empty());
  CHECK(model.rows[0].label == "stem");
  CHECK(speeds[0].row == 0);
  CHECK(speeds[0].value == Approx(249e12).epsilon(0.01));  // of conv.h200.stem, not 56 x 56's 442
}

TEST_CASE("a recording that keeps results alone has one lane for what ran in turns",
          "[window][screens]") {
  Fixture f;
  const std::string folder = variable("RIDGE_SOURCE") + "/assets/recorded";
  open_run(f.state, folder + "/gemm.h200.bf16_4096.jsonl");
  f.driver->frames(2);
  const Timeline timeline = make_timeline(f.state);
  int in_turns = 0;
  for (const SpanLane& lane : timeline.lanes) {
    INFO(label_of(f.state, lane));
    CHECK((lane.request->type == RequestType::compare || lane.series < 0));
    if (lane.series != kInTurns) continue;
    ++in_turns;
    CHECK(kernel_of(lane).empty());
    CHECK(label_of(f.state, lane).starts_with("15 rungs, in turns"));
  }
  CHECK(in_turns == 1);
  // One rung after the other: each result came when its rung was done.
  open_run(f.state, folder + "/pipeline.h100_80gb_hbm3.jsonl");
  f.driver->frames(2);
  const Timeline one_by_one = make_timeline(f.state);
  CHECK(std::count_if(one_by_one.lanes.begin(), one_by_one.lanes.end(),
                      [](const SpanLane& lane) { return lane.series >= 0; }) > 5);
}

TEST_CASE("readings that end in the middle of a run say until when they are", "[window][screens]") {
  Fixture f(1280, 720);
  const std::string folder = variable("RIDGE_SOURCE") + "/assets/recorded";
  open_run(f.state, folder + "/attention.h200.jsonl");  // its readings are of the first of two runs
  f.driver->frames(2);
  f.state.view.screen = ScreenId::timeline;
  f.driver->frames(3);
  const Timeline timeline = make_timeline(f.state);
  REQUIRE_FALSE(timeline.telemetry.empty());
  for (const TelemetryLane& lane : timeline.telemetry) {
    INFO(lane.label);
    CHECK(reach_words(timeline, lane).starts_with("readings from 16.6 s to 101 s only"));
  }
  const Area *words = f.driver->find("reach:gpu_busy"), *seconds = f.driver->find("seconds");
  REQUIRE((words && seconds));
  CHECK(words->x > seconds->x);  // behind the line's end, within the chart
  CHECK(words->right() <= seconds->right() + 1);
  // A line that goes on to the end says nothing.
  open_run(f.state, folder + "/pipeline.h100_80gb_hbm3.jsonl");
  f.driver->frames(2);
  const Timeline whole = make_timeline(f.state);
  REQUIRE_FALSE(whole.telemetry.empty());
  for (const TelemetryLane& lane : whole.telemetry) CHECK(reach_words(whole, lane) == "");
}

TEST_CASE("a saved run opens on the best of its ladder, against a library where it was compared",
          "[window][screens]") {
  Fixture f;
  const std::string folder = variable("RIDGE_SOURCE") + "/assets/recorded/";
  const auto opens_on = [&](const char* file, const char* baseline, const char* rung) {
    INFO(file);
    open_run(f.state, folder + file);
    f.driver->frames(4);
    CHECK(f.state.selection.baseline == baseline);
    CHECK(f.state.selection.rung == rung);
    const Comparison* pair = shown_comparison(f.state, nullptr);
    REQUIRE(pair);  // the Compare screen shows its verdict
    CHECK(pair->candidate == rung);
    CHECK(pair->baseline == baseline);
  };
  // Their newest pairs are of int8, and of two libraries.
  opens_on("gemm.intel_r_xeon_r_processor.jsonl", "gemm.cpu.onednn", "gemm.cpu.threads");
  opens_on("gemm.h200.bf16.jsonl", "gemm.cuda.cublaslt", "gemm.cuda.tuned");
}

TEST_CASE("sizes that most rows of a part share stand in its heading, so that none is cut",
          "[window][screens]") {
  Fixture f(1280, 720);
  const std::string folder = variable("RIDGE_SOURCE") + "/assets/recorded";
  take_recordings(f.state, app::load_recordings(folder, nullptr));
  open_run(f.state, folder + "/pipeline.h100_80gb_hbm3.jsonl");
  set_level(f.state, Level::kLab);
  f.state.selection.view = &kLadderView;
  f.driver->frames(4);
  ChartRows rows;
  const chart::ChartModel model = kLadderView.build(f.state, &rows);
  int of_cpu = 0;
  for (const chart::Row& row : model.rows) {
    if (!row.section.starts_with("CPU")) continue;
    INFO(row.label << ": " << row.sublabel << " in " << row.section);
    ++of_cpu;
    // A library there takes neither parameter.
    CHECK(row.section.find("at workers = 16, layers = 4, recorded on ") != std::string::npos);
    CHECK(row.sublabel.find("layers") == std::string::npos);
    CHECK(row.sublabel.find("workers") == std::string::npos);
  }
  CHECK(of_cpu > 5);
}

TEST_CASE("kinds of work that stand in one picture look unlike each other", "[window][screens]") {
  for (const KindLook& one : kind_looks()) {
    for (const KindLook& other : kind_looks()) {
      if (&one == &other || one.is_of_stages != other.is_of_stages) continue;
      INFO(one.what << " and " << other.what);
      CHECK_FALSE((one.role == other.role && one.is_hollow == other.is_hollow));
    }
  }
}

TEST_CASE("threads of the CPU are no parameter of a GPU's kernel", "[window][screens]") {
  Fixture f;
  open_run(f.state, variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.fp32_large.jsonl");
  set_level(f.state, Level::kLab);
  select_rung(f.state, "gemm.cuda.tf32x3");
  f.driver->frames(3);
  CHECK_FALSE(title_params(f.state).contains("threads"));
  CHECK(title_params(f.state).contains("n"));
  CHECK_FALSE(f.driver->find("threads=1"));
  open_run(f.state,
           variable("RIDGE_SOURCE") + "/assets/recorded/gemm.intel_r_xeon_r_processor.jsonl");
  select_rung(f.state, "gemm.cpu.loop_order");
  f.driver->frames(3);
  CHECK(title_params(f.state).contains("threads"));
}

TEST_CASE("a lane of several candidates says how many there are", "[window][screens]") {
  Fixture f;
  Request asked;
  asked.type = RequestType::compare;
  asked.kernels = {"gemm.cpu.naive_o1", "gemm.cpu.naive_o3"};
  SpanLane lane;
  lane.request = &asked;
  lane.series = 0;
  const std::string of_two = label_of(f.state, lane);
  CHECK(of_two == rung_title(f.state.ladder, "gemm.cpu.naive_o3") + " against " +
                      rung_title(f.state.ladder, "gemm.cpu.naive_o1"));
  asked.kernels.emplace_back("gemm.cpu.loop_order");
  asked.kernels.emplace_back("gemm.cpu.packed_avx2");
  CHECK(label_of(f.state, lane) == rung_title(f.state.ladder, "gemm.cpu.naive_o3") +
                                       " and 2 more against " +
                                       rung_title(f.state.ladder, "gemm.cpu.naive_o1"));
}

TEST_CASE("the chart in view is copied as SVG; a screen without one says so", "[window][screens]") {
  Fixture f;
  f.run_all();
  ImGui::SetClipboardText("");
  f.driver->frames(2);
  REQUIRE(perform(f.state, "copy_svg"));
  f.driver->frames(2);
  const std::string svg = ImGui::GetClipboardText();
  CHECK(svg.find("<svg") != std::string::npos);
  CHECK(svg.find(find_lab("gemm")->rungs[0].title) != std::string::npos);
  CHECK(f.driver->shell().chart_place().w > 300);
  REQUIRE(perform(f.state, "save_png"));
  CHECK(f.state.chart.png_in_frames > 0);  // the window saves it (app/window/shell/window.cpp)
  f.driver->type('v');
  ImGui::SetClipboardText("before");
  REQUIRE(perform(f.state, "copy_svg"));
  f.driver->frames(2);
  CHECK(std::string(ImGui::GetClipboardText()) == "before");  // nothing was compared
  f.driver->type('m');
  CHECK_FALSE(perform(f.state, "copy_svg"));
  CHECK(f.state.notice.text.find("no single chart") != std::string::npos);
}

TEST_CASE("every screen is drawn empty, with a run and with a replay, at every size and scale",
          "[window][screens]") {
  const TemporaryFolder folder;
  for (const auto& [width, height, scale] : {std::tuple{1600.f, 1000.f, 1.f},
                                             {1280.f, 720.f, 1.f},
                                             {1280.f, 720.f, 2.f},
                                             {3840.f, 2160.f, 2.f}}) {
    INFO(width << " x " << height << " at " << scale);
    Fixture f(width, height);
    f.state.appearance.scale = scale;
    f.driver->frames(4);
    for (const bool measured : {false, true}) {
      if (measured) {
        f.state.view.screen = ScreenId::lab;  // the last one may have a field with the keyboard
        f.driver->frames(2);
        f.run_all();
        f.driver->type('b');
        f.driver->type(']');
        f.driver->type('c');
        f.session.judge(f.session.last(RequestType::compare), Verdict::slower, 0.5);
        f.driver->frames(3);
        REQUIRE(f.session.save(folder.path + "/run.jsonl"));
      }
      for (const bool replay : {false, true}) {
        if (replay && !measured) continue;
        open_run(f.state, replay ? folder.path + "/run.jsonl" : "");
        f.driver->frames(2);
        for (const ScreenDesc& screen : screens()) {
          INFO(screen.name << (measured ? " measured" : " empty") << (replay ? " replay" : ""));
          f.state.view.screen = screen.id;
          f.driver->frames(2);
          CHECK(f.driver->triangles() > 100);
          for (const auto& [name, area] : f.driver->shell().widgets()) {
            INFO(name);
            if (screen.id == ScreenId::lab) continue;  // window_test.cpp
            CHECK(area.x >= -1);
            CHECK(area.right() <= width + 1);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ridge::test
