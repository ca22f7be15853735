// Learn, Lab and Bench: how much of the window is shown, and that what is measured does not depend on it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "app/window/panels/verdict_card.h"
#include "app/window/shell/settings.h"
#include "app/window/views/view.h"
#include "tests/program.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

/// What only tells something when it is pointed at, the data itself, and what stands in the lesson's text: no controls.
bool is_told(const std::string& name) {
  static const std::set<std::string> kPlaces = {
      "device",        "quiet",        "notice",      "progress",    "views",
      "verdict",       "right",        "count_note",  "marked_line", "request",
      "request_words", "request:knob", "climb_total", "faster"};
  if (kPlaces.count(name) > 0) return true;
  for (const char* prefix : {"label:", "ceiling:", "chart",    "term",      "figure",
                             "link",   "rung:",    "verdict_", "diagnosis", "baseline",
                             "fold:",  "kept",     "answer",   "hint:",     "lesson:",
                             "split_", "heading:", "diagram:", "metric:",   "more:"}) {
    if (name.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

std::vector<std::string> controls_of(const Headless& driver) {
  std::vector<std::string> names;
  for (const auto& [name, area] : driver.shell().widgets()) {
    // A stepper's two arrows are one control.
    const bool is_second =
        name.ends_with("-") && driver.find(name.substr(0, name.size() - 1) + "+");
    if (area.w >= 1 && area.h >= 1 && !is_told(name) && !is_second) names.push_back(name);
  }
  return names;
}

/// The largest of those that ship.
std::string recording_of(const Lab& lab) {
  const std::string folder = variable("RIDGE_SOURCE") + "/assets/recorded";
  std::filesystem::path largest;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().rfind(std::string(lab.id) + ".", 0) != 0) continue;
    if (largest.empty() || entry.file_size() > std::filesystem::file_size(largest))
      largest = entry.path();
  }
  return largest.string();
}

/// Whether a recording of the lab has a rung that does FLOP.
bool counts_flop_somewhere(const Lab& lab) {
  const std::string folder = variable("RIDGE_SOURCE") + "/assets/recorded";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().rfind(std::string(lab.id) + ".", 0) != 0) continue;
    const auto run = Run::load(entry.path().string());
    REQUIRE(run.ok());
    const auto& series = run->series();
    if (std::any_of(series.begin(), series.end(), [](const Series& one) { return one.flop > 0; }))
      return true;
  }
  return false;
}

std::string text_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "  ";
  return text;
}

TEST_CASE("the baseline's name stands whole at the top of every lab", "[window][level]") {
  for (const Lab* lab : all_labs()) {
    const std::string recording = recording_of(*lab);
    if (recording.empty()) continue;
    const auto chips = [&](int width) {
      Fixture f(width, 720);
      open_run(f.state, recording);
      set_level(f.state, Level::kLab);
      f.driver->frames(5);
      std::map<std::string, float> widths;
      for (const RungView& row : f.state.ladder.rows) {
        f.state.selection.baseline = row.rung->kernel;
        f.driver->frames(1);
        const auto chip = f.driver->find("baseline");
        REQUIRE(chip);
        widths[row.rung->kernel] = chip->w;
      }
      return widths;
    };
    INFO(lab->id);
    CHECK(chips(1280) == chips(2600));
  }
}

TEST_CASE("a level shows at most its number of controls, in every lab", "[window][level]") {
  for (const auto& [level, most] : {std::pair(Level::kLearn, 25u), std::pair(Level::kLab, 45u)}) {
    for (const Lab* lab : all_labs()) {
      const std::string recording = recording_of(*lab);
      if (recording.empty()) FakeSession::other_labs = {lab->id};
      Fixture f(1280, 720);
      f.state.appearance.level = level;
      // Either catalogue has the lab's parameters.
      if (recording.empty())
        open_lab(f.state, lab->id);
      else
        open_run(f.state, recording);
      FakeSession::other_labs.clear();
      f.driver->frames(5);
      REQUIRE(f.state.selection.lab == lab);
      set_level(f.state, level);
      f.driver->frames(3);
      const std::vector<std::string> controls = controls_of(*f.driver);
      INFO(name_of(level) << ", " << lab->id << ": " << controls.size() << ": "
                          << text_of(controls));
      CHECK(controls.size() <= most);
      if (level != Level::kLearn) continue;
      CHECK(offered_views(f.state).size() <= 3);
      if (f.state.selection.view->make_panel) continue;
      ChartRows rows;
      const chart::ChartModel model = centre_chart(f.state, &rows);
      CHECK((!model.rows.empty() || model.plot));  // what a learner sees first is not empty
    }
  }
}

TEST_CASE("a lab's parameters have words on their controls, no names of the command line",
          "[window][level]") {
  for (const Lab* lab : all_labs()) {
    for (const ParamView& param : lab->params) {
      const std::string control = param.control();
      INFO(lab->id << ", " << param.name);
      CHECK(control.find('_') == std::string::npos);
      CHECK(param_title(*lab, param.name).find('_') == std::string::npos);
      CHECK(control != "dtype");
      CHECK(control != "kib");
      const std::string summary = params_summary(*lab, {{param.name, int64_t{3}}});
      CHECK(summary.find('_') == std::string::npos);
    }
  }
}

TEST_CASE("verdicts and Compare's rows name parameters as the controls do", "[window][level]") {
  const std::regex raw("[a-z0-9_]+=[^ ]");  // "kib=65536"
  CHECK(params_in_words(*find_lab("machine"), {{"kib", int64_t{64}}, {"tile_m", int64_t{8}}}) ==
        "KiB = 64, tile m = 8");
  for (const Lab* lab : all_labs()) {
    const std::string recording = recording_of(*lab);
    if (recording.empty()) continue;
    Fixture f(1280, 720);
    open_run(f.state, recording);
    f.state.view.screen = ScreenId::compare;
    f.driver->frames(5);
    for (const chart::Hit& hit : f.driver->shell().chart_scene().hits) {
      if (hit.panel != -1) continue;
      INFO(lab->id << ": " << hit.note);
      CHECK_FALSE(std::regex_search(hit.note, raw));
    }
    for (const Comparison& one : f.state.run().comparisons()) {
      const VerdictWords words = verdict_words(f.state, f.state.run(), one);
      INFO(lab->id << ": " << words.title << "; " << words.reason);
      CHECK_FALSE(std::regex_search(words.title, raw));
      CHECK(words.reason.find(one.candidate) == std::string::npos);
    }
  }
}

TEST_CASE("a view that no rung of a lab can ever fill has no tab", "[window][level]") {
  const auto has = [](const State& state, const char* id) {
    const auto offered = offered_views(state);
    return std::find(offered.begin(), offered.end(), find_view(id)) != offered.end();
  };
  for (const Lab* lab : all_labs()) {
    const std::string recording = recording_of(*lab);
    if (recording.empty()) continue;
    INFO(lab->id);
    Fixture f(1280, 720);
    open_run(f.state, recording);
    f.driver->frames(3);
    set_level(f.state, Level::kBench);
    f.state.selection.view = &kLadderView;
    if (lab->params.empty()) {
      for (const char* id : {"sizes", "memory", "heatmap"}) CHECK_FALSE(has(f.state, id));
    }
    CHECK(lab->counts_flop == counts_flop_somewhere(*lab));
    if (lab->counts_flop) continue;
    for (const Series& series : f.state.run().series()) CHECK(series.flop == 0);
    for (const char* id : {"roofline", "sizes", "error"}) CHECK_FALSE(has(f.state, id));
    if (has(f.state, "messages")) CHECK(&sweep_view(f.state) == &kMessagesView);
  }
}

TEST_CASE("a learner who steps a warp has no more controls than elsewhere", "[window][level]") {
  Fixture f(1280, 720);
  set_level(f.state, Level::kLearn);
  select_rung(f.state, "gemm.cuda.naive");
  REQUIRE(perform(f.state, "count"));
  const WorkRequest asked = f.session.last(RequestType::count);
  KernelCounts counts{.request = asked.id, .kernel = "gemm.cuda.naive", .path = "naive.cu"};
  counts.lines.push_back({.line = 2, .flop = 1});
  counts.steps = {
      .made = 1,
      .requests = {{.line = 2, .lane_bytes = 4, .buffer = "A", .offsets = "0+512x32", .cost = 32}}};
  f.session.tell("result", {{"request", asked.id}, {"counts", counts}});
  f.session.finish(asked);
  f.driver->frames(4);
  REQUIRE(perform(f.state, "step_warp"));
  f.driver->frames(4);
  REQUIRE(f.driver->find("request_on"));
  const std::vector<std::string> controls = controls_of(*f.driver);
  INFO(controls.size() << ": " << text_of(controls));
  CHECK(controls.size() <= 25);
  CHECK(offered_views(f.state).size() <= 3);
}

TEST_CASE("a learner begins with the climb; more is one click away, and kept", "[window][level]") {
  const TemporaryFolder folder;
  Fixture f(1280, 720);
  f.state.settings.path = folder.path + "/settings.json";
  load_settings(&f.state);  // of a first start
  CHECK(f.state.appearance.level == Level::kLearn);
  set_level(f.state, Level::kLearn);
  f.driver->frames(3);
  CHECK(f.state.selection.view == &kGainsView);
  CHECK(f.driver->find("export") == nullptr);
  CHECK(f.driver->find("cache=cold") == nullptr);
  f.driver->type('h');
  CHECK(f.driver->find("tab:tour") != nullptr);
  CHECK(f.driver->find("tab:machine") == nullptr);
  f.driver->type('m');  // a key leads there all the same
  CHECK(f.driver->find("tab:machine") != nullptr);
  f.driver->type('m');
  // The button names the level and lists the three; Esc leaves it as it is.
  REQUIRE(f.driver->click("level"));
  f.driver->frames(2);
  for (const char* one : {"level=Learn", "level=Lab", "level=Bench"}) CHECK(f.driver->find(one));
  f.driver->key(compat::Key::escape);
  CHECK_FALSE(f.driver->find("level=Lab"));
  CHECK(f.state.appearance.level == Level::kLearn);
  REQUIRE(f.driver->click("level"));
  f.driver->frames(2);
  REQUIRE(f.driver->click("level=Lab"));
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("level=Lab"));
  CHECK(f.state.appearance.level == Level::kLab);
  CHECK(f.driver->find("export") != nullptr);
  CHECK(f.driver->find("cache=cold") != nullptr);
  State next;
  next.settings.path = f.state.settings.path;
  load_settings(&next);
  CHECK(next.appearance.level == Level::kLab);
  std::ofstream(f.state.settings.path) << "{\"level\": \"expert\"}";
  load_settings(&next);
  CHECK(next.appearance.level == Level::kLearn);
}

TEST_CASE("the list of levels follows Up, Down, Enter and digits, and the menu Up, Down, Enter",
          "[window][level]") {
  Fixture f;
  const Level first = f.state.appearance.level;
  const std::string lab = f.state.selection.lab->id;
  f.driver->type('h');  // where a digit opens a lab
  REQUIRE(f.driver->click("level"));
  REQUIRE(f.state.view.show_levels);
  const bool is_top = first == Level::kLearn;
  f.driver->key(is_top ? compat::Key::down : compat::Key::up);
  f.driver->key(compat::Key::enter);
  f.driver->frames();
  CHECK_FALSE(f.state.view.show_levels);
  CHECK(f.state.appearance.level == (is_top ? Level::kLab : static_cast<Level>(int(first) - 1)));
  for (const Level level : {Level::kBench, Level::kLearn, Level::kLab}) {
    REQUIRE(f.driver->click("level"));
    f.driver->type(static_cast<char>('1' + static_cast<int>(level)));
    f.driver->frames();
    CHECK_FALSE(f.state.view.show_levels);
    CHECK(f.state.appearance.level == level);
  }
  CHECK(f.state.view.screen == ScreenId::home);
  CHECK(f.state.selection.lab->id == lab);
  REQUIRE(f.driver->click("menu"));
  f.driver->key(compat::Key::down);
  f.driver->key(compat::Key::enter);
  f.driver->frames();
  CHECK_FALSE(f.state.view.show_menu);
  CHECK(f.state.view.screen == screens()[1].id);
}

TEST_CASE("the buttons of the views stay where they are in a view without parameters",
          "[window][level]") {
  for (const auto& [w, h] : {std::pair(1280.f, 720.f), std::pair(1920.f, 1080.f)}) {
    Fixture f(w, h);
    f.driver->frames();
    const Area views = *f.driver->find("views");
    show_view(f.state, *find_view("walk"));
    f.driver->frames(3);
    REQUIRE(f.state.selection.view->fills);
    CHECK(f.driver->find("views")->y == views.y);
  }
}

TEST_CASE("a level changes neither what is asked for nor a figure", "[window][level]") {
  Fixture f(1280, 720);
  f.run_all();
  const Params params = shown_params(f.state);
  const auto mode = f.state.selection.mode;
  std::vector<double> medians;
  for (const Series& series : f.state.run().series())
    if (series.stats) medians.push_back(series.stats->median_ns);
  for (const Level level : {Level::kBench, Level::kLearn, Level::kLab}) {
    set_level(f.state, level);
    f.driver->frames(3);
    CHECK(shown_params(f.state) == params);
    CHECK(f.state.selection.mode == mode);
    size_t at = 0;
    for (const RungView& row : f.state.ladder.rows) {
      if (row.series && row.series->stats && row.origin == Origin::live) {
        CHECK(at < medians.size());
        ++at;
      }
    }
    CHECK(at == medians.size());
  }
}

/// Rungs whose row lies between the headings and the axes.
int rungs_in_view(const Fixture& f) {
  const Area* head = f.driver->find("chart_head");
  const Area* foot = f.driver->find("chart_foot");
  if (!head || !foot) return 0;
  int seen = 0;
  for (const RungView& row : f.state.ladder.rows) {
    const Area* place = f.driver->find("chart:" + std::string(row.rung->kernel) + ":-1");
    seen += place && place->y >= head->bottom() - 1 && place->bottom() <= foot->y + 1;
  }
  return seen;
}

TEST_CASE("a low window shows twelve rungs of a long ladder between its headings and its axes",
          "[window][level]") {
  for (const auto& [level, least] : {std::pair(Level::kLab, 12), std::pair(Level::kBench, 10)}) {
    Fixture f(1280, 720);
    open_run(f.state, variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.bf16.jsonl");
    set_level(f.state, level);
    show_view(f.state, kLadderView);
    f.driver->frames(5);
    REQUIRE(f.driver->find("verdict"));  // with the verdict that the recording holds
    const Area *head = f.driver->find("chart_head"), *foot = f.driver->find("chart_foot");
    REQUIRE(head);
    REQUIRE(foot);
    CHECK(f.driver->find("heading:0")->y >= head->y);
    CHECK(f.driver->find("heading:0")->bottom() <= head->bottom());
    CHECK(foot->bottom() <= f.driver->find("verdict")->y);
    INFO(name_of(level));
    CHECK(rungs_in_view(f) >= least);
    // What is not compared has no card, and the rows have its room.
    const float before = foot->y;
    f.state.selection.baseline.clear();
    f.driver->frames(3);
    CHECK_FALSE(f.driver->find("verdict"));
    CHECK(f.driver->find("chart_foot")->y > before);
    CHECK(rungs_in_view(f) >= 12);
  }
}

/// That of the longest reason; in none of them stand ids of the command line.
const Comparison* most_reasoned(const State& state) {
  const std::regex raw("[a-z0-9_]+=[^ ]|[a-z0-9]\\.(cpu|cuda)\\.|\\bdtype\\b");
  const Comparison* longest = nullptr;
  size_t most = 0;
  for (const Comparison& one : state.run().comparisons()) {
    const VerdictWords words = verdict_words(state, state.run(), one);
    const size_t size = words.reason.size();
    INFO(words.title << "; " << words.reason);
    CHECK_FALSE(std::regex_search(words.title + words.reason, raw));
    if (size > most) longest = &one, most = size;
  }
  return longest;
}

bool holds(const Area& outer, const Area* inner) {
  return inner && inner->x >= outer.x - 1 && inner->right() <= outer.right() + 1 &&
         inner->y >= outer.y - 1 && inner->bottom() <= outer.bottom() + 1;
}

TEST_CASE(
    "in a low window the whole reason of every verdict is read without a pointer, beside the rungs",
    "[window][level]") {
  int beside = 0, shown = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(variable("RIDGE_SOURCE") + "/assets/recorded")) {
    if (entry.path().extension() != ".jsonl") continue;
    Fixture f(1280, 720);
    open_run(f.state, entry.path().string());
    set_level(f.state, Level::kLab);
    show_view(f.state, kLadderView);
    f.driver->frames(3);
    const Comparison* one = most_reasoned(f.state);
    if (!one) continue;
    f.state.selection.baseline = one->baseline;
    for (const auto& [name, value] : one->candidate_params) set_param(f.state, name, value);
    select_rung(f.state, one->candidate);
    f.driver->frames(3);
    const VerdictWords words = verdict_words(f.state, f.state.run(), *one);
    INFO(entry.path().filename() << ": " << words.title << ": " << words.reason);
    const Area* card = f.driver->find("verdict");
    if (!card || !f.driver->find("verdict_text")) continue;
    ++shown;
    CHECK(holds(*card, f.driver->find("verdict_text")));
    if (const Area* foot = f.driver->find("chart_foot")) {
      CHECK(foot->bottom() <= card->y);
      // The chart keeps its room: a card of five lines at most.
      CHECK(card->h <= 110);
    }
    const Area* why = f.driver->find("verdict_why");
    if (!why) continue;
    ++beside;
    CHECK(f.driver->find("right")->bottom() <= why->y);
    CHECK(holds(*why, f.driver->find("verdict_reason")));
    CHECK_FALSE(f.driver->find("more:verdict_why_words:below"));  // nothing of it is scrolled to
  }
  CHECK(shown > 40);
  CHECK(beside > 3);
}

TEST_CASE("in the list no rung's name is cut where its heading says a part of it",
          "[window][level]") {
  Fixture f(1280, 720);
  open_run(f.state, variable("RIDGE_SOURCE") + "/assets/recorded/quant.h200.jsonl");
  set_level(f.state, Level::kLab);
  select_rung(f.state, "gemv.cuda.cublaslt_w8a8");
  f.driver->frames(5);
  for (const char* kernel : {"gemv.cuda.cublaslt_w8a8", "gemv.cuda.cublaslt_w8a8_fp8",
                             "gemv.cuda.wgmma_w8a8_fp8", "gemv.cuda.block_ring_w8a8"}) {
    const std::string rung = std::string("rung:") + kernel;
    INFO(rung);
    REQUIRE(f.driver->find(rung + ":title"));
    CHECK(f.driver->find(rung + ":title")->right() <= f.driver->find(rung)->right());
  }
}

TEST_CASE("no two views have one name", "[window][level]") {
  std::set<std::string> names;
  for (const ViewDesc* view : views()) {
    INFO(view->id);
    CHECK(names.insert(view->label).second);
  }
}

TEST_CASE("an empty frontier says what fills it, and its button does", "[window][level]") {
  Fixture f(1280, 720);
  open_run(f.state, variable("RIDGE_SOURCE") + "/assets/recorded/quant.h200.jsonl");
  set_level(f.state, Level::kLab);
  f.driver->frames(3);
  show_view(f.state, *find_view("frontier"));
  select_rung(f.state, "gemv.cuda.wgmma_w8a8");
  f.driver->frames(3);
  REQUIRE(f.driver->click("nothing"));
  f.driver->frames(3);
  CHECK(f.state.selection.rung.find(".cpu.") != std::string::npos);
  CHECK_FALSE(f.driver->find("nothing"));
}

TEST_CASE("parameters without room in a low window fold behind a button", "[window][level]") {
  Fixture f(1280, 720);
  open_run(f.state, variable("RIDGE_SOURCE") + "/assets/recorded/conv.h200.jsonl");
  set_level(f.state, Level::kLab);
  f.driver->frames(5);
  CHECK(f.driver->find("cache=cold"));
  CHECK_FALSE(f.driver->find("label:layout"));
  REQUIRE(f.driver->click("params_more"));
  f.driver->frames(2);
  CHECK(f.driver->find("label:layout"));
  REQUIRE(f.driver->click("params_more"));
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("label:layout"));
  // What a lesson's link chose stays.
  f.state.selection.params["layout"] = std::string("nhwc");
  f.state.ladder.dirty = true;
  f.driver->frames(3);
  CHECK(f.driver->find("label:layout"));
}

TEST_CASE("every view has a button of its own, at each level and size, in a low window in one row",
          "[window][level]") {
  for (const auto& [width, height] : {std::pair(1280.f, 720.f), std::pair(1000.f, 700.f)}) {
    Fixture f(width, height);
    for (const Level level : {Level::kLearn, Level::kLab, Level::kBench}) {
      set_level(f.state, level);
      f.driver->frames(3);
      if (f.driver->find("views_more")) {
        CHECK(f.driver->find("views")->h < 40);
        REQUIRE(f.driver->click("views_more"));
        f.driver->frames(2);
      } else {
        CHECK(level != Level::kBench);
      }
      for (const ViewDesc* view : offered_views(f.state)) {
        INFO(width << ", " << name_of(level) << ": " << view->id);
        REQUIRE(f.driver->click("view=" + std::string(view->label)));
        f.driver->frames(2);
        CHECK(f.state.selection.view == view);
      }
      if (!f.driver->find("views_more")) continue;
      // Folded again, the chosen one keeps its button.
      REQUIRE(f.driver->click("views_more"));
      f.driver->frames(2);
      CHECK(f.driver->find("view=" + std::string(f.state.selection.view->label)));
    }
  }
}

TEST_CASE("no key of the shortcuts lies over its label", "[window]") {
  for (const auto& [width, height] : {std::pair(1280.f, 720.f), std::pair(1600.f, 1000.f)}) {
    Fixture f(width, height);
    REQUIRE(perform(f.state, "show_shortcuts"));
    f.driver->frames(3);
    for (const Action& entry : actions()) {
      const Area* key = f.driver->find("key:" + entry.id);
      if (!*entry.keys.text) continue;
      INFO(width << ": " << entry.id);
      REQUIRE(key);
      CHECK(key->right() < f.driver->find("title:" + entry.id)->x);
    }
  }
}

TEST_CASE("what does not climb opens on its ladder", "[window][level]") {
  Fixture f(1280, 720);
  set_level(f.state, Level::kLearn);
  open_lab(f.state, "gemm");
  CHECK(&first_view(f.state) == &kGainsView);
  // A learner who asked for another view goes back to the climb.
  show_view(f.state, *find_view("roofline"));
  CHECK(f.state.selection.view == find_view("roofline"));
  show_view(f.state, *find_view("roofline"));
  CHECK(f.state.selection.view == &kGainsView);
}

}  // namespace
}  // namespace ridge::test
