// The tour: one canvas a step; without a tour, the button that offers them.
#include "app/window/shell/screens.h"
#include "app/window/teach/canvas.h"

namespace ridge::window {
namespace {

class TourScreen final : public Screen {
 public:
  void draw(Ui& ui, Area area) override {
    if (ui.state.teaching.tour) return canvas_.draw(ui, area);
    if (draw_nothing(ui, area, "No tour is on.",
                     "A tour asks before it measures: predict, run, reveal, explain. The shortest "
                     "takes a quarter of an hour.",
                     "Choose a tour"))
      ui.dispatch_action("tours");
  }

 private:
  LessonCanvas canvas_;
};

}  // namespace

std::unique_ptr<Screen> make_tour_screen() {
  return std::make_unique<TourScreen>();
}

}  // namespace ridge::window
