// The one place that knows GLFW and OpenGL: a window with a context, ImGui's backends in it, and
// frames. Shared by the window and by `shot`.
#pragma once

#include <array>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "app/window/shell/shell.h"
#include "common/core/result.h"

struct GLFWwindow;

namespace ridge::window {

/// The window's loop, a turn at a time: it waits, then a turn looks at what has come and draws.
class Turns {
 public:
  virtual ~Turns() = default;
  /// How long the next turn may be waited for, if no event and no wake() comes, in seconds.
  virtual double wait_s() = 0;
  /// False: that was the last.
  virtual bool turn(bool has_event) = 0;
};

class Platform {
 public:
  struct Options {
    int width = 1600, height = 1000;
    bool visible = true;
    bool fits_screen = false;  ///< no larger than the first screen
    bool is_placed = false;    ///< at (x, y), if some of that is on a screen
    int x = 0, y = 0;
  };
  /// unavailable: no display, or no OpenGL 3 on it, with what to do instead.
  static Result<std::unique_ptr<Platform>> open(const Options& options);
  ~Platform();

  /// One frame into the back buffer.
  void draw(Shell& shell, const Appearance& appearance);
  void swap();
  /// The back buffer, before swap(): RGB, top row first.
  std::vector<unsigned char> read_pixels(int* width, int* height) const;

  /// A part of the back buffer, before swap(), as a PNG. Error: cannot_write.
  Result<void> save_png(const std::string& path, Area part) const;

  /// Waits for an event, wake() or the timeout. True when an event came (not for wake()).
  static bool wait(double timeout_s);
  /// Takes turns until one is the last. A browser lets no program wait: there it returns at once, and the page takes them.
  static void run(std::unique_ptr<Turns> turns);
  /// From any thread.
  static void wake();
  /// What was freed, and what the allocator keeps for later, goes back to the system. Takes about a millisecond.
  static void give_back_memory();
  /// Calls `ready` when the recorded runs lie beside the program's other files: at once where they were installed with
  /// them; a page fetches them first. Not before the first frame, which waits for none of them.
  static void fetch_recorded(std::function<void()> ready);
  bool should_close() const;
  void set_full_screen(bool on);
  void set_title(const std::string& title);
  /// x, y, width, height of the window, as the next start would give them back.
  std::array<int, 4> place() const;
  /// Files dropped on the window since the last call.
  std::vector<std::string> take_dropped();
  float content_scale() const;
  double now_s() const;

 private:
  Platform() = default;
  GLFWwindow* window_ = nullptr;
  bool full_screen_ = false;
  int saved_[4] = {};
  std::string title_;
};

/// Clears the area to an opaque colour, in its turn among what the list draws. Where the processor draws, that costs a
/// fraction of two triangles.
void clear_area(ImDrawList* list, const Area& area, ImU32 color);

/// RGB, top row first; `row_pixels` from one row's start to the next's. Error: cannot_write.
Result<void> write_png(const std::string& path, const unsigned char* rgb, int width, int height,
                       int row_pixels);

// ---- the clipboard -----------------------------------------------------------------------------
// A picture onto the clipboard. GLFW's carries text only, so the desktop's own tool holds the picture
// where one is installed.

/// Gives the PNG to wl-copy on Wayland, to xclip on X11, on a thread of its own, which calls `done` when the
/// future is ready. unavailable: there is neither, it failed, or it took over two seconds.
std::future<Result<void>> copy_picture(const std::string& path, std::function<void()> done);

}  // namespace ridge::window
