// The real window, which tells where its widgets are, for a test that aims with a real mouse:
//   window-probe WIDGETS.txt [--lab LAB] [--close-after SECONDS] [--frames FRAMES.txt]
// WIDGETS.txt has, after the frame that was drawn last, what the window shows (app/window/shell/look.h) and the memory (see
// Memory). It is replaced, never half written. FRAMES.txt has a line for each frame: the second at which it ended, and the
// milliseconds of processor time that the window's thread took since the frame before.
#include <malloc.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/platform/imgui_compat.h"
#include "app/window/shell/look.h"
#include "app/window/shell/state.h"
#include "app/window/shell/window.h"
#include "tests/held_memory.h"

using namespace ridge;

// ---- memory -----------------------------------------------------------------------------------------------------
// Resident memory has the graphics driver's blocks in it, and what malloc keeps for later. So the program counts what it
// holds itself: each `new`, and what Dear ImGui allocates. A driver in C allocates by malloc, which is not counted here;
// one that compiles with LLVM (Mesa) calls `new` for its shaders.

namespace {

/// "memory OWN HEAP" in bytes: what this program holds, and what all of the process holds of malloc. The second is asked
/// for once a second, since malloc goes through its free blocks to answer.
class Memory {
 public:
  Memory() {
    ImGui::SetAllocatorFunctions([](size_t size, void*) { return test::hold(std::malloc(size)); },
                                 [](void* block, void*) { test::let_go(block); });
  }
  std::string line() {
    const auto now = std::chrono::steady_clock::now();
    if (heap_bytes_ == 0 || now - read_at_ >= std::chrono::seconds(1)) {
      const struct mallinfo2 heap = mallinfo2();
      heap_bytes_ = heap.uordblks + heap.hblkhd;
      read_at_ = now;
    }
    return "memory " + std::to_string(test::held_bytes) + " " + std::to_string(heap_bytes_);
  }

 private:
  size_t heap_bytes_ = 0;
  std::chrono::steady_clock::time_point read_at_;
};

void tell(const std::string& path, const window::Shell& shell, const window::State& state,
          const std::string& memory) {
  const std::string part = path + ".part";
  {
    std::ofstream out(part);
    out << window::look_text(shell, state) << memory << "\n";
  }
  std::error_code ignored;
  std::filesystem::rename(part, path, ignored);
}

double cpu_ms() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) * 1e-3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

/// "SECONDS PROCESSOR_MS SCREEN" of each frame. What this program does between two frames is none of theirs.
class Frames {
 public:
  void open(const std::string& path) { out_.open(path); }
  void end_of_frame(window::ScreenId screen) {
    if (!out_.is_open()) return;
    const std::chrono::duration<double> at = std::chrono::steady_clock::now() - start_;
    out_ << at.count() << ' ' << cpu_ms() - begin_ms_ << ' ' << static_cast<int>(screen)
         << std::endl;
  }
  void begin_of_frame() { begin_ms_ = cpu_ms(); }

 private:
  std::ofstream out_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double begin_ms_ = cpu_ms();
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: window-probe WIDGETS.txt [--lab LAB] [--close-after SECONDS] [--frames "
                 "FRAMES.txt]\n");
    return 64;
  }
  Memory memory;
  window::WindowOptions options;
  Frames frames;
  for (int i = 2; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--lab") == 0) options.lab = argv[i + 1];
    if (std::strcmp(argv[i], "--close-after") == 0) options.close_after_s = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--frames") == 0) frames.open(argv[i + 1]);
  }
  const std::string path = argv[1];
  options.observe = [&](const window::Shell& shell, const window::State& state) {
    frames.end_of_frame(state.view.screen);
    tell(path, shell, state, memory.line());
    frames.begin_of_frame();
  };
  return window::open_window(options);
}
