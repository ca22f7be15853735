// A session that lasts: what a request leaves behind in memory, and what a frame costs after many of them. Nothing here is
// timed; the hidden case prints both against the number of requests: window_long_session_test "[.figures]".
#include <time.h>

#include <cstdio>
#include <map>

#include "app/history/keeper.h"
#include "app/window/shell/worker_requests.h"
#include "app/window/views/view.h"
#include "tests/held_memory.h"
#include "tests/window_fixture.h"

using namespace ridge;
using namespace ridge::test;

// ---- a session --------------------------------------------------------------------------------------------------

namespace {

double thread_ms() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) * 1e-6;
}

/// What a live run of one rung sends, as a worker of two cores does: two checks, 30 timed samples and 44 single calls in
/// six lines, three seconds of telemetry. Of a session of 40 requests that was recorded.
struct LongSession : Fixture {
  TemporaryFolder folder;
  double clock_s = 1000;  ///< the worker's
  int requests = 0;
  std::vector<std::string> rungs;

  explicit LongSession(bool keeps_history = true) {
    if (keeps_history)
      state.past.keeper = std::make_shared<history::Keeper>(folder.path + "/history.db");
    state.history.runs_folder
        .clear();  // the fixture writes the whole file each time, a real session what is new
    window::set_level(state, Level::kBench);
    for (const window::RungView& row : state.ladder.rows) {
      if (row.can_run) rungs.push_back(row.rung->kernel);
    }
    driver->frames(20);
  }

  void tell(const std::string& type, Json fields) {
    fields["t_s"] = clock_s += 0.05;
    session.tell(type, fields);
  }

  void tell_telemetry() {
    for (int i = 0; i < 30; ++i) {
      TelemetryPoint point;
      point.t_s = clock_s += 0.1;
      point.values = {{"foreign_cpus", 0.1 * (i % 13)},
                      {"process_cpus", 0.1 * (i % 7)},
                      {"process_memory_bytes", 338001920.0 + 4096 * (i / 9)}};
      point.core_busy = {0.01 * (i % 100), 0.01 * ((7 * i) % 100)};
      session.tell("telemetry", Json(point));
    }
  }

  void tell_samples(int64_t id, int side, const char* phase, int first, int count, double t_ns) {
    std::vector<Sample> made;
    for (int i = first; i < first + count; ++i) {
      Sample sample;
      sample.index = i;
      sample.t_ns = t_ns + (i * 37) % 101;
      sample.cpu_ns = sample.t_ns - 3;
      sample.calls = std::string(phase) == "call" ? 25 : 1;
      if (i % 9 == 0) sample.flags = {"stolen"};
      made.push_back(sample);
    }
    tell("samples", {{"request", id}, {"series", side}, {"phase", phase}, {"samples", made}});
  }

  void tell_side(const WorkRequest& request, int side, double t_ns) {
    const std::string& kernel = request.kernels[static_cast<size_t>(side)].kernel;
    tell("problem",
         {{"request", request.id},
          {"series", side},
          {"problem",
           {{"kind", "kernel"},
            {"dtype", "fp32"},
            {"params",
             params_to_json(session.complete_params(request.kernels[static_cast<size_t>(side)]))},
            {"flop", 4194304},
            {"bytes_min", 196608},
            {"memory_bytes", 282624}}}});
    const Json passed = check(true);
    tell("check", {{"request", request.id}, {"series", side}, {"check", passed}});
    for (int i = 0; i < 3; ++i) tell_samples(request.id, side, "call", 10 * i, 10, t_ns);
    for (int i = 0; i < 3; ++i) tell_samples(request.id, side, "latency", 15 * i, 15, 1.1 * t_ns);
    tell("check", {{"request", request.id}, {"series", side}, {"check", passed}});
    Series series = outcome(request.id, side, kernel);
    series.params = session.complete_params(request.kernels[static_cast<size_t>(side)]);
    series.cache = request.cache;
    series.mode = request.mode;
    series.stats = Stats{
        30, t_ns, t_ns + 25, t_ns + 50, t_ns + 75, t_ns + 100, Interval{t_ns + 45, t_ns + 55}};
    tell("result", {{"request", request.id}, {"series", side}, {"outcome", series}});
  }

  /// A live run of the next rung; every sixth a comparison.
  void request() {
    ++requests;
    const size_t at = static_cast<size_t>(requests) % rungs.size();
    const bool is_comparison = requests % 6 == 0;
    WorkRequest asked =
        window::request_for(state, is_comparison ? RequestType::compare : RequestType::run);
    asked.kernels.push_back({rungs[at], state.selection.params});
    if (is_comparison)
      asked.kernels.push_back({rungs[(at + 1) % rungs.size()], state.selection.params});
    window::send(state, asked, is_comparison ? &state.requests.compare : &state.requests.run);
    asked = session.last(asked.type);
    tell("env", {{"environment", environment()}, {"when", "before"}});
    tell_telemetry();
    // Another time in each: the history takes a result once.
    const double t_ns = 1e5 + requests;
    for (int side = 0; side < static_cast<int>(asked.kernels.size()); ++side)
      tell_side(asked, side, t_ns);
    if (is_comparison) tell_verdict(asked);
    tell("env", {{"environment", environment()}, {"when", "after"}});
    driver->frames(1);
    session.finish(asked);
  }

  void tell_verdict(const WorkRequest& asked) {
    std::vector<Round> rounds;
    for (int i = 0; i < 12; ++i) rounds.push_back({i, "0110", {1000, 900, 900, 1000}});
    tell("samples",
         {{"request", asked.id}, {"series", 0}, {"phase", "rounds"}, {"rounds", rounds}});
    Comparison made;
    made.request = asked.id;
    made.lab = "gemm";
    made.baseline = asked.kernels[0].kernel, made.candidate = asked.kernels[1].kernel;
    made.cache = asked.cache;
    made.baseline_params = session.complete_params(asked.kernels[0]);
    made.candidate_params = session.complete_params(asked.kernels[1]);
    made.rounds = 12, made.ratio = 1000.0 / 900, made.margin = 0.02;
    made.ci = Interval{1.1, 1.12};
    made.verdict = Verdict::faster;
    const std::vector<Comparison> all = {made};
    tell("result", {{"request", asked.id}, {"comparisons", all}});
  }

  /// Without the lines themselves and what was asked for: this fixture keeps them as they are, a real session packed
  /// (app/session/transcript.h).
  int64_t held() const { return held_bytes - session.kept_bytes(); }
};

struct Cost {
  double ms = 0;
  int64_t allocations = 0;
};

/// Of the dearest of `count` frames.
Cost dearest(LongSession& session, int count) {
  Cost most;
  for (int i = 0; i < count; ++i) {
    const double before_ms = thread_ms();
    const int64_t before = allocations;
    session.driver->frames(1);
    most.ms = std::max(most.ms, thread_ms() - before_ms);
    most.allocations = std::max(most.allocations, allocations - before);
  }
  return most;
}

const std::pair<const char*, window::ScreenId> kScreens[] = {
    {"lab", window::ScreenId::lab},           {"compare", window::ScreenId::compare},
    {"timeline", window::ScreenId::timeline}, {"machine", window::ScreenId::machine},
    {"binds", window::ScreenId::binds},       {"report", window::ScreenId::report}};

/// By what was done: a request ends, a screen opens, a frame of it afterwards.
std::map<std::string, Cost> costs(LongSession& session) {
  std::map<std::string, Cost> all;
  session.request();
  all["request ends"] = dearest(session, 3);
  for (const auto& [name, screen] : kScreens) {
    session.state.view.screen = screen;
    all[std::string("opens ") + name] = dearest(session, 2);
    session.driver->frames(4);
    all[std::string("shows ") + name] = dearest(session, 4);
  }
  session.state.view.screen = window::ScreenId::lab;
  session.driver->frames(4);
  return all;
}

}  // namespace

TEST_CASE("a finished request leaves little behind in memory", "[window][long]") {
  LongSession session(false);
  const auto run_until = [&](int requests) {
    while (session.requests < requests) {
      session.request();
      session.driver->frames(3);
    }
    return session.held();
  };
  const int64_t before = run_until(120);
  const int64_t after = run_until(360);
  // What a run holds of one: its series, 74 samples, 30 moments of telemetry, what the worker told and when.
  INFO((after - before) / 240 << " bytes a request");
  CHECK((after - before) / 240 < 8500);
}

TEST_CASE("what a frame does is no more after many requests than after few", "[window][long]") {
  LongSession session;
  const auto end_of_one = [&] {
    session.request();
    return dearest(session, 3).allocations;
  };
  // A screen that is looked at again takes up what came since: ten requests each time.
  const auto look_at = [&](window::ScreenId screen) {
    session.state.view.screen = screen;
    const int64_t made = dearest(session, 3).allocations;
    session.state.view.screen = window::ScreenId::lab;
    session.driver->frames(3);
    return made;
  };
  std::map<int, int64_t> ends, timeline, binds, compare;  // by requests before
  while (session.requests < 400) {
    const int64_t made = end_of_one();
    if (session.requests % 10 == 5) ends[session.requests] = made;
    if (session.requests % 10 != 0) continue;
    timeline[session.requests] = look_at(window::ScreenId::timeline);
    binds[session.requests] = look_at(window::ScreenId::binds);
    compare[session.requests] = look_at(window::ScreenId::compare);
  }
  INFO("a request's end makes " << ends[85] << " blocks after 85 requests, " << ends[385]
                                << " after 385; a look at the timeline " << timeline[90] << ", "
                                << timeline[390] << "; at what binds " << binds[90] << ", "
                                << binds[390] << "; at Compare " << compare[290] << " after 290, "
                                << compare[390]);
  CHECK(ends[385] < 1.05 * ends[85]);
  CHECK(timeline[390] < 1.1 * timeline[90]);
  CHECK(binds[390] < 1.1 * binds[90]);
  CHECK(compare[390] < 1.05 * compare[290]);  // its chart is full: 40 comparisons
}

TEST_CASE("figures of a long session", "[.figures]") {
  LongSession session;
  int64_t before = 0;
  int at = 0;
  for (const int until : {100, 200, 500, 1000, 1500, 2000}) {
    double longest_ms = 0;
    while (session.requests < until) {
      session.request();
      longest_ms = std::max(longest_ms, dearest(session, 2).ms);
    }
    const int64_t held = session.held();
    std::printf(
        "%5d requests: %8.2f MB held, %6.2f kB a request; a request's end at most %.1f ms\n", until,
        1e-6 * double(held), at == 0 ? 0 : 1e-3 * double(held - before) / (until - at), longest_ms);
    before = held, at = until;
    for (const auto& [what, cost] : costs(session))
      std::printf("        %-16s %8.2f ms %9lld allocations\n", what.c_str(), cost.ms,
                  static_cast<long long>(cost.allocations));
    std::fflush(stdout);
  }
}
