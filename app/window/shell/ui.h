// What every panel draws with: places, colours by role, text, and the few widgets the window has.
// Panels place their parts themselves (no automatic layout), in pixels of the whole window.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/platform/imgui_compat.h"
#include "app/window/shell/fonts.h"
#include "app/window/shell/state.h"
#include "common/view/chart/model.h"

namespace ridge::window {

using chart::Anchor;
using chart::Role;

/// A rectangle in window pixels.
struct Area {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  float middle() const { return y + h / 2; }
  Area inset(float by) const { return {x + by, y + by, w - 2 * by, h - 2 * by}; }
  Area inset(float by_x, float by_y) const {
    return {x + by_x, y + by_y, w - 2 * by_x, h - 2 * by_y};
  }
  /// Takes a strip off and returns it; what is left starts `gap` behind it.
  Area take_top(float height, float gap = 0);
  Area take_bottom(float height, float gap = 0);
  Area take_left(float width, float gap = 0);
  Area take_right(float width, float gap = 0);
};

/// How long the pointer rests on a thing before its tooltip comes; from one to the next it stays.
inline constexpr double kTooltip_s = 0.4;

/// Heights of text at scale 1.
inline constexpr float kBody_px = 18, kSmall_px = 15, kTiny_px = 13, kCode_px = 14,
                       kHeading_px = 22, kVerdict_px = 40;
/// Of a text that is too wide at its own, from the largest.
inline constexpr float kFitted_px[] = {128, 104, 84, 68, 54, 44, 34, 28, 22, 18};

struct Ui {
  Ui(const State& state_in, Fonts& fonts_in) : state(state_in), fonts(fonts_in) {}

  const State& state;  ///< panels read it; they change it by dispatch()
  Fonts& fonts;
  std::map<std::string, Area> widgets;  ///< this frame's widgets by name: what tests aim at
  struct Smallest {
    float px = 0;  ///< on the screen; 0: nothing was written
    std::string text;
  };
  Smallest smallest;           ///< of this frame's text, which a wall must show to the last row
  std::vector<std::string> primary;  ///< of this frame: the primary buttons that can be pressed
  std::string empty;           ///< of this frame: what the last place that has nothing to show says; empty: none
  Area window;                 ///< all of it
  float scale = 1;             ///< of this frame: the one chosen, where it has room
  bool is_compact = false;     ///< little height: bars and cards give some of theirs
  ImDrawList* list = nullptr;  ///< of the window being drawn into
  bool needs_redraw = false;   ///< something changed: draw another frame
  double wake_s = 0;           ///< something moves: a frame in so many seconds; 0: nothing

  float px(float value) const;  ///< at the current scale, whole pixels
  ImU32 color(Role role, float alpha = 1) const;
  ImU32 shade(int step) const;  ///< of the value ramp
  /// A surface raised over the panel (buttons, chips) by `step` 1 to 4.
  ImU32 raised(int step) const;

  // ---- drawing ----
  void fill(const Area& area, ImU32 color, float radius = 0);
  void frame(const Area& area, ImU32 color, float radius, float width = 1);
  void panel(const Area& area);
  /// One line, middle at y, elided to `max_w` (0: as it is). Returns its width.
  float text(float x, float y, std::string_view text, float size, Role role, Face face = Face::body,
             Anchor anchor = Anchor::start, float max_w = 0);
  /// Broken at spaces; returns the height taken. Draws nothing if `measure`.
  float paragraph(const Area& area, std::string_view text, float size, Role role,
                  Face face = Face::body, bool measure = false);
  float width(std::string_view text, float size, Face face = Face::body);
  /// `most`, else the largest of kFitted_px above `least`, at which the text is at most `max_w` wide; `least` where none is.
  float fitting_size(std::string_view text, float max_w, float most, float least, Face face);
  /// Whatever writes by itself says how large, in pixels of the window.
  void note_text(std::string_view text, float height_px);
  std::string elide(std::string_view text, float max_w, float size, Face face = Face::body);
  /// ▲ up, ▼ down, drawn as a shape: no font is asked for it.
  void triangle(float x, float y, float size, bool up, ImU32 color);

  // ---- widgets ----
  enum class Kind { primary, normal, quiet };
  struct Touch {
    bool hovered = false, clicked = false, held = false;
  };
  /// An area that takes the mouse; and the keyboard's focus, where it `is_stop`: Tab goes from stop to stop in the order
  /// in which they are drawn, Shift Tab back, Enter and Space press.
  Touch touch(const std::string& name, const Area& area, bool is_stop = true);
  /// Of an area that only explains itself.
  bool hovers(const std::string& name, const Area& area) {
    return touch(name, area, false).hovered;
  }
  /// What lies under an overlay is out of the keyboard's reach.
  void begin_overlay() { stops_.clear(); }
  /// At the end of a frame: the ring about what has the focus, over everything.
  void draw_focus();
  /// Enter acts on what the ring is about.
  bool shows_focus() const { return shows_focus_; }
  bool button(const std::string& name, const Area& area, std::string_view label, Kind kind,
              bool enabled = true);
  /// The button of an action: label, key beside it, and the reason when it cannot be done.
  bool action_button(const char* id, const Area& area, std::string_view label, Kind kind);
  /// A change of the state that waits until the frame is drawn: no panel sees its lab, its tour or its rows
  /// go while it draws them. The next frame shows it.
  void dispatch(std::function<void(State&)> change) { changes_.push_back(std::move(change)); }
  void dispatch_action(std::string_view id);
  /// Carries out what was dispatched, in order; the frame is drawn.
  void apply_changes(State& changed);
  /// A row of choices, one chosen; returns the index clicked, else -1. Where the row has no room, "‹ one ›".
  int segments(const std::string& name, const Area& area, const std::vector<std::string>& labels,
               int chosen);
  int stepper(const std::string& name, const Area& area, const std::vector<std::string>& labels,
              int chosen);
  /// The one place of tooltips: beside `about` and never over it, once the pointer rested kTooltip_s on what it says; gone
  /// with the next key or click, until the pointer moves. Without `about`: what touch() found under the pointer.
  void tooltip(std::string_view text, const Area* about = nullptr);
  /// At the beginning of a frame: whether keys and mouse let tooltips stand.
  void watch_hands();
  /// Another frame in `seconds`, or earlier.
  void wake_in(double seconds) { wake_s = wake_s > 0 && wake_s < seconds ? wake_s : seconds; }

 private:
  /// What the last tooltip was for, and since when it is waited for.
  struct Tip {
    std::string text;
    double since_s = 0;
    int frame = -1000, shown_frames = 0;
    bool is_shown = false;
    bool is_hushed = false;  ///< by a key or a click, while the pointer stays where it was
    bool has_pointer = false;  ///< it was seen once
    ImVec2 hushed_at = {0, 0};
  };
  Area beside(const Area& about, float w, float h) const;
  void move_focus(bool back);
  bool takes_focus(const std::string& name, const Area& area);

  std::vector<std::function<void(State&)>> changes_;
  Area pointed_;  ///< what touch() found under the pointer last
  Tip tip_;
  std::vector<std::string> stops_;  ///< of this frame, as far as it is drawn
  std::string focus_;               ///< one of them
  bool shows_focus_ = false;        ///< from Tab to the next click
  bool is_focus_new_ = false;       ///< it comes into view
  Area focus_area_;                 ///< as far as it is seen; empty: it was not drawn
};

/// The scale chosen, but no more than leaves 1000 x 560 of its pixels: under that the lab's panels would
/// stand on each other. 1280 x 720 takes 1.28, 1920 x 1080 takes 1.92.
float fitting_scale(float chosen, float width, float height);

/// The ImGui style that all of this assumes; again after a change of scale or theme.
void apply_style(const Appearance& appearance, float scale);
/// 0 to 1 for glClearColor.
void canvas_rgb(const Appearance& appearance, float rgb[3]);

}  // namespace ridge::window
