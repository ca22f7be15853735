// Presenter mode: the canvas of a lesson alone, large enough for the last row.
#include <utility>

#include "app/window/panels/widgets.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/canvas.h"

namespace ridge::window {
namespace {

class PresenterScreen final : public Screen {
 public:
  void draw(Ui& ui, Area area) override {
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    if (moved.x != 0 || moved.y != 0)
      ui.dispatch([](State& state) {
        state.teaching.pointer_moved_s = state.teaching.now_s;
        state.teaching.hides_pointer = false;
      });
    const bool hides = ui.state.teaching.hides_pointer;
    if (hides) ImGui::SetMouseCursor(ImGuiMouseCursor_None);
    // The window takes a frame's pointer when the next one begins.
    if (std::exchange(was_hidden_, hides) != hides) ui.needs_redraw = true;
    if (ui.state.selection.lab) return canvas_.draw(ui, area);
    draw_empty_state(ui, area, "This build has no labs.", "Build with the files of labs/.");
  }

 private:
  LessonCanvas canvas_;
  bool was_hidden_ = false;
};

}  // namespace

std::unique_ptr<Screen> make_presenter_screen() {
  return std::make_unique<PresenterScreen>();
}

}  // namespace ridge::window
