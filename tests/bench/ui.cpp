// The window's targets (docs/ui.md), measured in the real window: bench_ui RUN.jsonl SCENE
// Started by tests/bench_ui, which has a display ready. Each scene is a process of its own, so that its
// memory is its own; the hands are xdotool's, and the time it takes to start is part of what is printed.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>

#include "app/window/shell/shell.h"
#include "app/window/shell/window.h"

using namespace ridge;
using Clock = std::chrono::steady_clock;

namespace {

double ms_since(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

void pause_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

void xdotool(const std::string& what) {
  if (std::system(("xdotool " + what).c_str()) != 0) fmt::print("xdotool {} failed\n", what);
}

void say(const char* what, double value, const char* unit, double target, const char* note = "") {
  fmt::print("{:<44} {:>8.2f} {:<4} target < {:g} {}  {}{}\n", what, value, unit, target, unit,
             value < target ? "met" : "MISSED", note);
  std::fflush(stdout);
}

/// Of /proc/self/status, in MB; "VmHWM" is the most there was.
double memory_mb(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(field + ":", 0) == 0) return std::atof(line.c_str() + field.size() + 1) / 1024;
  }
  return -1;
}

double share_of(std::vector<double> values, double share) {
  if (values.empty()) return -1;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  return values[at];
}

/// Where a widget was in the last frame; and when what a click asked for was seen.
struct Eyes {
  std::mutex lock;
  std::map<std::string, window::Area> widgets;
  std::atomic<int64_t> runs{0};      ///< run requests the transcript has
  std::atomic<int64_t> measured{0};  ///< of these with a sample in a frame that was drawn

  void see(const window::Shell& screen, const window::State& state) {
    const std::lock_guard<std::mutex> guard(lock);
    widgets = screen.widgets();
    int64_t asked = 0, sampled = 0;
    for (const Request& request : state.run().requests()) asked += request.type == RequestType::run;
    for (const Series& series : state.run().series()) sampled += !series.samples.empty();
    runs = asked;
    measured = sampled;
  }
  bool find(const std::string& name, window::Area* area) {
    const std::lock_guard<std::mutex> guard(lock);
    const auto found = widgets.find(name);
    if (found == widgets.end()) return false;
    *area = found->second;
    return true;
  }
  /// Until the button is let go; false when there is no such widget within ten seconds.
  bool press(const std::string& name) {
    window::Area area;
    for (int i = 0; !find(name, &area); ++i) {
      if (i == 100) return false;
      pause_ms(100);
    }
    xdotool(fmt::format("mousemove {:.0f} {:.0f}", area.x + area.w / 2, area.middle()));
    pause_ms(150);
    xdotool("mousedown 1");
    pause_ms(80);
    return true;
  }
  bool click(const std::string& name) {
    if (!press(name)) return false;
    xdotool("mouseup 1");
    pause_ms(200);
    return true;
  }
};

int open(window::WindowOptions options, window::WindowTiming* timing) {
  options.width = 1600, options.height = 1000;
  options.timing = timing;
  return window::open_window(options);
}

int quiet(const std::string& run) {
  window::WindowTiming timing;
  if (const int rc = open({.replay = run, .close_after_s = 10}, &timing)) return rc;
  say("first frame", timing.first_frame_s * 1e3, "ms", 500);
  say("idle, of one core", 100 * timing.idle_cpu_s / timing.idle_s, "%", 0.5);
  say("memory, the most", memory_mb("VmHWM"), "MB", 200);
  return 0;
}

/// Pointer over the chart, wheel, another view or screen every half second.
int busy(const std::string& run) {
  window::WindowTiming timing;
  std::thread hands([] {
    pause_ms(1500);
    const char* keys[] = {"r", "n", "q", "e", "v", "i", "m", "o", "h", "k", "l", "s", "d", "g"};
    int at = 0;
    for (const char* key : keys) {
      xdotool(fmt::format("key {}", key));
      for (int i = 0; i < 16; ++i, ++at) {
        xdotool(fmt::format("mousemove {} {}", 300 + at * 37 % 760, 260 + at * 23 % 480));
        pause_ms(20);
      }
      xdotool("click 4 click 5");
    }
  });
  const int rc = open({.replay = run, .close_after_s = 18}, &timing);
  hands.join();
  if (rc) return rc;
  fmt::print("{} frames of every screen, median {:.1f} ms, longest {:.0f} ms\n",
             timing.frames_s.size(), share_of(timing.frames_s, 0.5) * 1e3,
             share_of(timing.frames_s, 1) * 1e3);
  // The first two bake the fonts and are the first frame's figure.
  timing.frames_s.erase(timing.frames_s.begin(), timing.frames_s.begin() + 2);
  say("frame, 99th percentile", share_of(timing.frames_s, 0.99) * 1e3, "ms", 60);
  return 0;
}

/// The kept run with the samples of its first series repeated until there are a million.
void write_million(const std::string& run, const std::string& path) {
  std::ifstream in(run);
  std::ofstream out(path, std::ios::binary);
  bool is_done = false;
  for (std::string line; std::getline(in, line);) {
    out << line << "\n";
    if (is_done || line.find("\"type\":\"samples\"") == std::string::npos) continue;
    is_done = true;
    const size_t from = line.find("\"samples\":[") + 11, to = line.find(']', from);
    for (int written = 0; written < 1000000; written += 500) {
      out << line.substr(0, from);
      for (int i = 0; i < 500; ++i) {
        out << (i ? "," : "")
            << fmt::format("{{\"cpu_ns\":{0},\"index\":{1},\"t_ns\":{0}}}",
                           15087100 + (written + i) * 7919LL % 100000, written + i);
      }
      out << line.substr(to) << "\n";
    }
  }
}

int million(const std::string& run) {
  char path[] = "/tmp/ridge-bench-XXXXXX";
  close(mkstemp(path));
  write_million(run, path);
  window::WindowTiming timing;
  size_t samples = 0;
  const int rc = open({.replay = path,
                       .close_after_s = 6,
                       .observe =
                           [&](const window::Shell&, const window::State& state) {
                             samples = state.run().series().front().samples.size();
                           }},
                      &timing);
  unlink(path);
  if (rc) return rc;
  fmt::print("{} samples, {:.1f} ms a frame at most after the first two\n", samples,
             1e3 * *std::max_element(timing.frames_s.begin() + 2, timing.frames_s.end()));
  say("a run of a million samples, to its first frame", timing.first_frame_s, "s", 1);
  say("memory with it, the most", memory_mb("VmHWM"), "MB", 200);
  return 0;
}

// ---- the worker of the scene "live" --------------------------------------------------------------

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const size_t begin = text.find(from);
  if (begin == std::string::npos) return "";
  const size_t after = begin + from.size();
  return text.substr(after, text.find(to, after) - after);
}

void worker_says(const std::string& body) {
  fmt::print("{{\"ridgepoint\":1,{}}}\n", body);
  std::fflush(stdout);
}

bool is_type(const std::string& line, const char* type) {
  return line.find(fmt::format("\"type\":\"{}\"", type)) != std::string::npos;
}

/// 20,000 samples a second and telemetry ten times a second, for four seconds.
void stream(int64_t request, int kernels) {
  constexpr int kSteps = 200, kSamples = 400;
  for (int step = 0; step < kSteps; ++step) {
    const int series = step * kernels / kSteps;
    const bool is_first = series != (step - 1) * kernels / kSteps || step == 0;
    const bool is_last = series != (step + 1) * kernels / kSteps;
    const std::string about = fmt::format("\"request\":{},\"series\":{}", request, series);
    if (is_first)
      worker_says("\"type\":\"check\"," + about +
                  ",\"check\":{\"what\":\"timed shape\",\"nmse\":1e-13,\"nmse_limit\":1e-12,"
                  "\"passed\":true}");
    std::string samples;
    for (int i = 0; i < kSamples; ++i) {
      const int64_t t_ns = 1500000 + (step * kSamples + i) * 7919LL % 100000;
      samples += fmt::format("{}{{\"cpu_ns\":{},\"index\":{},\"t_ns\":{}}}", i ? "," : "", t_ns,
                             step * kSamples + i, t_ns);
    }
    worker_says(
        fmt::format("\"type\":\"samples\",{},\"t_s\":{},\"phase\":\"call\",\"samples\":[{}]", about,
                    step * 0.02, samples));
    if (step % 50 == 0) worker_says("\"type\":\"pong\",\"request\":0");
    if (step % 5 == 0)
      worker_says(
          fmt::format("\"type\":\"telemetry\",\"t_s\":{},\"core_busy\":[1,0.5],\"values\":{{"
                      "\"process_cpus\":{}}}",
                      step * 0.02, 1 + step % 3));
    if (is_last)
      worker_says("\"type\":\"result\"," + about +
                  ",\"outcome\":{\"status\":\"ok\",\"flop\":33554400,\"bytes_min\":786432}");
    pause_ms(20);
  }
  worker_says(fmt::format("\"type\":\"done\",\"request\":{},\"status\":\"ok\"", request));
}

/// Lists what the run's worker listed, and measures without a kernel.
int play_worker(const std::string& run) {
  worker_says("\"type\":\"hello\",\"version\":\"0.1.0\",\"build\":{}");
  for (std::string line; std::getline(std::cin, line);) {
    const int64_t id = std::atoll(between(line, "\"id\":", ",").c_str());
    if (is_type(line, "quit")) return 0;
    if (is_type(line, "ping")) worker_says(fmt::format("\"type\":\"pong\",\"request\":{}", id));
    if (is_type(line, "list")) {
      std::ifstream in(run);
      for (std::string kept; std::getline(in, kept);) {
        if (is_type(kept, "kernel") || is_type(kept, "env")) fmt::print("{}\n", kept);
      }
      worker_says(fmt::format("\"type\":\"end\",\"request\":{}", id));
    } else if (is_type(line, "run")) {
      int kernels = 0;
      for (size_t at = 0; (at = line.find("\"kernel\":", at)) != std::string::npos; ++at) ++kernels;
      stream(id, std::max(kernels, 1));
    } else if (id > 0 && !is_type(line, "ping") && !is_type(line, "cancel")) {
      worker_says(fmt::format("\"type\":\"done\",\"request\":{},\"status\":\"ok\"", id));
    }
  }
  return 0;
}

/// The ladder is run five times while every view is looked at: frames while all moves, and what a click
/// waits for when a request ends and its session is saved.
int live(const std::string& run) {
  window::WindowTiming timing;
  std::atomic<int64_t> samples{0};
  std::thread hands([] {
    pause_ms(2000);
    const char* keys[] = {"r", "n", "q", "e", "v", "y", "l", "s"};
    for (int turn = 0; turn < 40; ++turn) {
      if (turn % 8 == 0) xdotool("key F5");
      xdotool(fmt::format("key {}", keys[turn % 8]));
      for (int i = 0; i < 16; ++i) {
        xdotool(fmt::format("mousemove {} {}", 300 + (turn * 16 + i) * 37 % 760,
                            260 + (turn * 16 + i) * 23 % 480));
        pause_ms(30);
      }
    }
  });
  const int rc = open({.worker_command = {"/proc/self/exe", run, "worker"},
                       .lab = "gemm",
                       .close_after_s = 38,
                       .observe =
                           [&](const window::Shell&, const window::State& state) {
                             int64_t sum = 0;
                             for (const Series& series : state.run().series())
                               sum += int64_t(series.samples.size());
                             samples = sum;
                           }},
                      &timing);
  hands.join();
  if (rc) return rc;
  timing.frames_s.erase(timing.frames_s.begin(), timing.frames_s.begin() + 2);
  fmt::print("{} frames, {} samples of {} kept, median {:.1f} ms\n", timing.frames_s.size(),
             samples.load(), 5 * 200 * 400, share_of(timing.frames_s, 0.5) * 1e3);
  say("frame while all is live, 99th percentile", share_of(timing.frames_s, 0.99) * 1e3, "ms", 60);
  const auto is_long = [](double s) { return s > 0.1; };
  // Does not depend on who else runs here, as the others do.
  fmt::print("{:<44} {:>8.2f} ms, 99th percentile {:.2f} ms, longest {:.2f} ms\n",
             "processor time of the window's thread a turn",
             share_of(timing.turns_cpu_s, 0.5) * 1e3, share_of(timing.turns_cpu_s, 0.99) * 1e3,
             share_of(timing.turns_cpu_s, 1) * 1e3);
  say("turns over 100 ms after the first frame",
      static_cast<double>(std::count_if(timing.turns_s.begin(), timing.turns_s.end(), is_long)), "",
      1);
  fmt::print("{:<44} {:>8.2f} ms\n", "  longest", share_of(timing.turns_s, 1) * 1e3);
  say("memory, the most", memory_mb("VmHWM"), "MB", 200);
  return 0;
}

/// From letting a parameter go to its request, and to the frame that shows its first sample.
int rerun() {
  Eyes eyes;
  std::vector<double> asked_ms, shown_ms;
  std::thread hands([&] {
    bool ready = eyes.click("n=256") && eyes.click("threads=1") &&
                 eyes.click("rung:gemm.cpu.packed") && eyes.click("reruns");
    for (int i = 0; ready && i < 9; ++i) {
      const int64_t runs = eyes.runs, measured = eyes.measured;
      ready = eyes.press(i % 2 ? "n=256" : "n=512");
      const auto released = Clock::now();
      xdotool("mouseup 1");
      while (eyes.runs == runs && ms_since(released) < 5000) pause_ms(1);
      const double asked = ms_since(released);
      while (eyes.measured == measured && ms_since(released) < 5000) pause_ms(1);
      const double shown = ms_since(released);
      pause_ms(1500);
      if (i == 0) continue;  // the worker checks a rung's awkward shapes once
      asked_ms.push_back(asked);
      shown_ms.push_back(shown);
    }
  });
  window::WindowTiming timing;
  const int rc = open({.lab = "gemm",
                       .close_after_s = 40,
                       .observe = [&](const window::Shell& screen,
                                      const window::State& state) { eyes.see(screen, state); }},
                      &timing);
  hands.join();
  if (rc) return rc;
  fmt::print("{} changes of n between 256 and 512, one thread, packed panels\n", asked_ms.size());
  say("letting go to the request, longest", share_of(asked_ms, 1), "ms", 150);
  say("letting go to the first sample shown, median", share_of(shown_ms, 0.5), "ms", 150);
  fmt::print("{:<44} {:>8.2f} ms\n", "  longest", share_of(shown_ms, 1));
  return 0;
}

int perform(const std::string& scene, const std::string& run) {
  if (scene == "quiet") return quiet(run);
  if (scene == "busy") return busy(run);
  if (scene == "million") return million(run);
  if (scene == "live") return live(run);
  if (scene == "rerun") return rerun();
  if (scene == "worker") return play_worker(run);
  fmt::print(stderr, "there are: quiet, busy, million, live, rerun\n");
  return 64;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: bench_ui RUN.jsonl quiet|busy|million|live|rerun\n");
    return 64;
  }
  return perform(argv[2], argv[1]);
}
