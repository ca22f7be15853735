// The tour: one canvas a step; without a tour, the list of them.
#include <algorithm>

#include "app/window/shell/screens.h"
#include "app/window/teach/canvas.h"
#include "app/window/teach/lists.h"

namespace ridge::window {
namespace {

class TourScreen final : public Screen {
 public:
  void draw(Ui& ui, Area area) override {
    if (ui.state.teaching.tour) return canvas_.draw(ui, area);
    constexpr float kWidest = 1240;
    const float w = std::min(ui.px(kWidest), area.w - 2 * ui.px(20));
    const Area middle = {area.x + (area.w - w) / 2, area.y + ui.px(20), w, area.h - 2 * ui.px(20)};
    if (!has_list(ui.state)) draw_tours(ui, middle);  // else they lie over it
  }

 private:
  LessonCanvas canvas_;
};

}  // namespace

std::unique_ptr<Screen> make_tour_screen() {
  return std::make_unique<TourScreen>();
}

}  // namespace ridge::window
