// Presenter mode: the canvas of a lesson alone, large enough for the last row.
#include "app/window/panels/widgets.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/canvas.h"

namespace ridge::window {
namespace {

class PresenterScreen final : public Screen {
 public:
  void draw(Ui& ui, Area area) override {
    if (ui.state.selection.lab) return canvas_.draw(ui, area);
    draw_empty_state(ui, area, "This build has no labs.", "Build with the files of labs/.");
  }

 private:
  LessonCanvas canvas_;
};

}  // namespace

std::unique_ptr<Screen> make_presenter_screen() {
  return std::make_unique<PresenterScreen>();
}

}  // namespace ridge::window
