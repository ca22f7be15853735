// A monkey at the window: random input as a hand and a keyboard can give it, while a worker answers, fails and is lost
// at random. Lives of a thousand events, each with a window, a lab, a size and a theme of its own. ctest runs a few
// lives; tests/monkey EVENTS runs as many as one likes.
//   RIDGE_MONKEY_EVENTS   how many; RIDGE_MONKEY_SEED   another monkey; RIDGE_MONKEY_LIFE   this life alone
//   RIDGE_MONKEY_TRACE    each event on stderr, to see the last one
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>

#include "app/session/session.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;
using compat::Key;

constexpr int kLife = 1000;  ///< events

int64_t number_in(const char* variable, int64_t fallback) {
  const char* text = std::getenv(variable);
  return text ? std::atoll(text) : fallback;
}

double resident_mb() {
  std::ifstream statm("/proc/self/statm");
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Folders of its own, and no program to start: what it presses leads to nothing outside.
struct Cage {
  Cage() {
    for (const char* name : {"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME",
                             "XDG_CACHE_HOME", "XDG_DOCUMENTS_DIR"})
      setenv(name, folder.path.c_str(), 1);
    setenv("PATH", (folder.path + "/nowhere").c_str(), 1);
    if (chdir(folder.path.c_str()) != 0) FAIL("no folder to live in");
  }
  TemporaryFolder folder;
};

class Dice {
 public:
  Dice(int64_t seed, int64_t life) {
    std::seed_seq seeds = {seed, life};
    engine_.seed(seeds);
  }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  bool chance(double share) { return below(10'000) < share * 10'000; }
  template <class List>
  const auto& of(const List& list) {
    return list[static_cast<size_t>(below(static_cast<int>(std::size(list))))];
  }

 private:
  std::mt19937 engine_;
};

/// The worker's side: what is asked for goes on, ends one way or another, or is lost with its worker.
class Moody {
 public:
  Moody(FakeSession& session, Dice& dice) : session_(session), dice_(dice) {}

  /// A second cancel of a request ends its worker.
  void hear() {
    const auto& heard = session_.cancelled;
    const bool is_again = heard.size() > 1 && heard.back() == heard[heard.size() - 2];
    if (is_again && session_.state() == app::WorkerState::busy)
      session_.lose("the worker was ended (SIGKILL)");
  }
  void act() {
    if (session_.state() == app::WorkerState::lost) {
      if (dice_.chance(0.2)) session_.start_again();
      return;
    }
    if (dice_.chance(0.002)) return session_.lose("the worker was ended (SIGKILL)");
    if (dice_.chance(0.05))
      session_.telemetry({{dice_.below(1000) * 0.1, {{"process_cpus", 1.5}}, {0.5, 1}, {}}});
    for (; next_ < session_.sent.size(); ++next_) {  // what is answered at once needs nobody
      const RequestType type = session_.sent[next_].type;
      if (type != RequestType::probe) break;
    }
    if (next_ < session_.sent.size() && dice_.chance(0.3)) go_on(session_.sent[next_]);
  }

 private:
  void go_on(const WorkRequest& request) {
    const int kernels = static_cast<int>(request.kernels.size());
    const double t_ns = std::exp(dice_.below(2000) * 0.01);  // 1 ns to half a second
    // As a worker: what it does not know, or what a parameter may not be, is refused.
    const bool is_known =
        std::all_of(request.kernels.begin(), request.kernels.end(), [&](const KernelRequest& one) {
          const KernelInfo* info = session_.run().kernel(one.kernel);
          return info && resolve_params(info->params, one.params, info->family);
        });
    if (kernels == 0 || !is_known || dice_.chance(0.2)) return end(request);
    if (request.type == RequestType::compare && kernels > 1) {
      session_.judge(request, dice_.of(kVerdicts), 0.5 + dice_.below(200) * 0.01);
      ++next_;
    } else if (request.type == RequestType::run) {
      const int series = dice_.below(kernels);
      if (dice_.chance(0.2)) session_.progress(request.id);
      if (dice_.chance(0.2)) session_.phase(request.id, series, "timing", 0.5);
      if (dice_.chance(0.3)) session_.feed_samples(request.id, series, 1 + dice_.below(50), t_ns);
      session_.measure(request, series, t_ns, dice_.chance(0.9));
    }
  }
  void end(const WorkRequest& request) {
    static constexpr const char* kEnds[] = {"ok", "ok", "cancelled", "failed"};
    session_.finish(request, dice_.of(kEnds));
    ++next_;
  }

  static constexpr Verdict kVerdicts[] = {Verdict::faster, Verdict::slower, Verdict::same,
                                          Verdict::unresolved, Verdict::invalid};
  FakeSession& session_;
  Dice& dice_;
  size_t next_ = 0;
};

class Monkey {
 public:
  Monkey(Headless& driver, Dice& dice, float width, float height)
      : driver_(driver), dice_(dice), width_(width), height_(height) {}

  /// One event and a frame; a word that says which.
  std::string act() {
    const int what = dice_.below(100);
    if (what < 26) return point_at_widget();
    if (what < 34) return point(range(-20, width_ + 20), range(-20, height_ + 20));
    if (what < 58) return press(0);
    if (what < 62) return press(1);
    if (what < 72) return turn_wheel();
    if (what < 84) return tap();
    if (what < 98) return type(character());
    return palette();
  }
  /// Whatever it did: these lead out of everything that lies over a screen. `and_then`: after each.
  void leave(const std::function<void()>& and_then) {
    for (int button : {0, 1}) compat::send_button(button, false);
    driver_.frames(2);
    for (int i = 0; i < 12; ++i) {
      driver_.key(Key::escape);
      and_then();
    }
  }

 private:
  float range(float from, float to) {
    return from + (to - from) * static_cast<float>(dice_.below(1001)) / 1000;
  }

  std::string point(float x, float y) {
    compat::send_mouse(x, y);
    driver_.frames(1);
    return "point " + std::to_string(x) + " " + std::to_string(y);
  }
  std::string point_at_widget() {
    const auto& widgets = driver_.shell().widgets();
    if (widgets.empty()) return "nothing to point at";
    const auto& [name, area] =
        *std::next(widgets.begin(), dice_.below(static_cast<int>(widgets.size())));
    const std::string said = "(" + name + ")";  // the frame may take the widget away
    return point(range(area.x, area.x + area.w), range(area.y, area.y + area.h)) + said;
  }
  std::string press(int button) {
    is_down_[button] = !is_down_[button];
    compat::send_button(button, is_down_[button]);
    driver_.frames(1);
    return std::string(is_down_[button] ? "press " : "release ") + std::to_string(button);
  }
  std::string turn_wheel() {
    const auto notches = static_cast<float>(dice_.below(11) - 5);
    compat::send_wheel(notches);
    driver_.frames(1);
    compat::send_wheel(0);
    return "wheel " + std::to_string(notches);
  }
  std::string tap() {
    const auto key = static_cast<Key>(dice_.below(static_cast<int>(Key::space) + 1));
    const bool ctrl = dice_.chance(0.3);
    driver_.key(key, ctrl);
    return std::string(ctrl ? "ctrl key " : "key ") + std::to_string(static_cast<int>(key));
  }
  std::string type(unsigned character) {
    ImGui::GetIO().AddInputCharacter(character);
    driver_.frames(1);
    return "type " + std::to_string(character);
  }
  unsigned character() {
    static constexpr unsigned kOdd[] = {0xe4, 0x20ac, 0x202e, 0x4e2d, 0x7f, 0x9b, 0xffff};
    return dice_.chance(0.03) ? dice_.of(kOdd)
                              : static_cast<unsigned>(' ' + dice_.below('~' - ' ' + 1));
  }
  /// Every action is a line of the palette: some of its title's letters, and Enter.
  std::string palette() {
    const Action& action = dice_.of(actions());
    driver_.key(Key::k, true);
    const std::string title = action.title;
    for (size_t i = 0; i < title.size() && i < 12; ++i) driver_.type(title[i]);
    driver_.key(Key::enter);
    return "palette " + title;
  }

  Headless& driver_;
  Dice& dice_;
  float width_, height_;
  bool is_down_[2] = {};
};

/// What a graphics card could draw.
bool is_drawable() {
  const ImDrawData* data = ImGui::GetDrawData();
  for (int i = 0; i < data->CmdListsCount; ++i) {
    const ImDrawList* list = data->CmdLists[i];
    for (const ImDrawVert& vertex : list->VtxBuffer) {
      if (!(std::abs(vertex.pos.x) < 1e7f && std::abs(vertex.pos.y) < 1e7f)) return false;
    }
  }
  return true;
}

/// A saved run that a life may begin with; empty: a live worker.
std::string saved_run(Dice& dice) {
  const std::string source = std::getenv("RIDGE_SOURCE") ? std::getenv("RIDGE_SOURCE") : ".";
  static const auto runs = [&] {
    auto found = entries_of(source + "/tests/fixtures/runs");
    found.push_back(source + "/tests/golden/screens/run.jsonl");
    found.push_back(source + "/tests/golden/screens/edit.jsonl");
    return found;
  }();
  return dice.chance(0.3) ? dice.of(runs).string() : "";
}

void set_up(State& state, Dice& dice, int64_t life) {
  state.appearance.light_theme = life % 2 == 1;
  state.appearance.level = static_cast<Level>(dice.below(3));
  if (dice.chance(0.2)) state.view.screen = ScreenId::home;
  static constexpr float kScales[] = {0.75f, 1, 1, 1.5f, 3};
  state.appearance.scale = dice.of(kScales);
}

/// A window, its worker, and a thousand events.
void live(int64_t seed, int64_t life, int64_t events) {
  Dice dice(seed, life);
  FakeSession fake;
  std::unique_ptr<app::Session> replay;
  State state;
  FakeSession::lab = dice.of(all_labs())->id;
  FakeSession::has_gpu = dice.chance(0.5);
  FakeSession::has_shapes = dice.chance(0.3);
  state.sessions.shown = &fake;
  const std::string file = saved_run(dice);
  if (!file.empty()) {
    auto opened = app::Session::replay(file);
    REQUIRE(opened);
    replay = *std::move(opened);
    state.sessions.shown = replay.get();
    state.sessions.opened_path = file;
  }
  state.sessions.shown->poll();
  open_lab(state, file.empty() ? FakeSession::lab : "");
  set_up(state, dice, life);
  const auto width = static_cast<float>(640 + dice.below(2000)),
             height = static_cast<float>(400 + dice.below(1200));
  Headless driver(state, width, height);
  driver.frames(20);
  Moody worker(fake, dice);
  Monkey monkey(driver, dice, width, height);
  const bool traces = std::getenv("RIDGE_MONKEY_TRACE") != nullptr;
  for (int64_t i = 0; i < events; ++i) {
    worker.act();
    const std::string what = monkey.act();
    if (traces)
      std::fprintf(stderr, "%ld.%ld %s\n", static_cast<long>(life), static_cast<long>(i),
                   what.c_str());
    INFO("seed " << seed << ", life " << life << ", event " << i << ": " << what);
    if (!is_drawable()) FAIL("a vertex lies nowhere");
  }
  // The second Esc of a cancel ends a worker; this one hears of none.
  if (fake.state() != app::WorkerState::lost) fake.lose("the worker was ended (SIGKILL)");
  monkey.leave([&] { worker.hear(); });
  INFO("seed " << seed << ", life " << life);
  CHECK(driver.triangles() > 100);
  CHECK_FALSE(state.view.show_palette);
  CHECK_FALSE(state.view.show_menu);
  CHECK_FALSE(state.view.show_chart_menu);
  CHECK_FALSE(state.teaching.presenting);
}

TEST_CASE("a monkey breaks nothing, whatever it presses and however its worker ends", "[window]") {
  const Cage cage;
  const int64_t events = number_in("RIDGE_MONKEY_EVENTS", 3000),
                seed = number_in("RIDGE_MONKEY_SEED", 1);
  const int64_t only = number_in("RIDGE_MONKEY_LIFE", -1);
  if (only >= 0) return live(seed, only, kLife);
  const int64_t lives = (events + kLife - 1) / kLife;
  double after_a_quarter_mb = 0;
  for (int64_t life = 0; life < lives; ++life) {
    live(seed, life, std::min<int64_t>(kLife, events - life * kLife));
    if (life == lives / 4) after_a_quarter_mb = resident_mb();
    if (lives >= 20 && life % (lives / 10) == 0)
      std::printf("%ld events, %.0f MB resident\n", static_cast<long>((life + 1) * kLife),
                  resident_mb());
  }
  if (lives >= 40) CHECK(resident_mb() < 1.1 * after_a_quarter_mb);
  std::printf("%ld events in %ld lives, seed %ld\n", static_cast<long>(events),
              static_cast<long>(lives), static_cast<long>(seed));
}

}  // namespace
}  // namespace ridge::test
