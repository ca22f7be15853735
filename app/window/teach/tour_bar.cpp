#include "app/window/teach/teach_panels.h"

#include <fmt/format.h>

#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/presenter.h"

namespace ridge::window {
namespace {

constexpr float kHead = 34, kPad = 12;

std::string next_label(const State& state) {
  switch (state.teaching.beat) {
    case Beat::predict:
      return "Run";
    case Beat::run:
      return "Reveal";
    case Beat::reveal:
      return "Explain";
    case Beat::explain:
      return "Next step";
  }
  return {};
}

}  // namespace

float TourBar::height(Ui& ui, float width) const {
  if (!ui.state.teaching.tour) return 0;
  const float text_w = width - 2 * ui.px(kPad + 6);
  const float words = ui.paragraph({0, 0, text_w, 0}, presented_words(ui.state), kBody_px,
                                   Role::text, Face::body, true);
  return ui.px(kHead + 2 * kPad) + words;
}

void TourBar::draw(Ui& ui, Area area) const {
  const State& state = ui.state;
  ui.panel(area);
  ui.fill({area.x, area.y, ui.px(4), area.h}, ui.color(Role::series0), ui.px(2));
  ui.widgets["tour_bar"] = area;
  Area inner = area.inset(ui.px(kPad + 6), ui.px(kPad));
  Area head = inner.take_top(ui.px(kHead - 4), ui.px(4));
  const auto button = [&](const char* id, const std::string& label, Ui::Kind kind) {
    const float w = ui.width(label, kSmall_px + 1, Face::strong) + ui.px(28);
    ui.action_button(id, head.take_right(w, ui.px(8)), label, kind);
  };
  button("end_tour", "End", Ui::Kind::quiet);
  button("advance", next_label(state), Ui::Kind::primary);
  button("go_back", "Back", Ui::Kind::normal);
  const float w = ui.text(head.x, head.middle(), state.teaching.tour->title, kBody_px, Role::text,
                          Face::strong, Anchor::start, head.w * 0.6f);
  head.take_left(w, ui.px(16));
  ui.text(head.x, head.middle(), tour_clock(state), kSmall_px, Role::muted, Face::body,
          Anchor::start, head.w);
  ui.paragraph(inner, presented_words(state), kBody_px, Role::text);
}

void draw_tours(Ui& ui) {
  Overlay overlay(ui, "tours", 0.72f);
  const auto ids = study::tour_ids();
  const float line_h = ui.px(64), pad = ui.px(24);
  const float w = std::min(ui.px(860), ui.window.w - ui.px(40));
  const float h = line_h * static_cast<float>(ids.size()) + ui.px(44) + 2 * pad;
  const Area box = {(ui.window.w - w) / 2, (ui.window.h - h) / 2, w, h};
  ui.fill(box, ui.raised(1), ui.px(8));
  Area inner = box.inset(pad);
  const Area title = inner.take_top(ui.px(30), ui.px(14));
  ui.text(title.x, title.middle(), "Tours", kHeading_px, Role::text, Face::strong);
  ui.text(title.right(), title.middle(), "Page Down goes on; Esc closes", kSmall_px, Role::muted,
          Face::body, Anchor::end);
  for (const std::string& id : ids) {
    const Area row = inner.take_top(line_h - ui.px(6), ui.px(6));
    const auto tour = study::load_tour(id);
    const auto touched = ui.touch("tour:" + id, row);
    ui.fill(row, ui.raised(touched.hovered ? 3 : 2), ui.px(5));
    const float x = row.x + ui.px(14), room = row.w - ui.px(28);
    const std::string head = tour ? fmt::format("{}  ·  {:g} min, {} steps", tour->title,
                                                tour->minutes, tour->steps.size())
                                  : id;
    ui.text(x, row.y + row.h * 0.32f, head, kSmall_px + 1, Role::text, Face::strong, Anchor::start,
            room);
    ui.text(x, row.y + row.h * 0.72f, tour ? tour->audience : tour.error().sentence(),
            kSmall_px - 1, tour ? Role::muted : Role::slower, Face::body, Anchor::start, room);
    if (touched.clicked) ui.dispatch([id](State& state) { start_tour(state, id); });
  }
  if (overlay.clicked_outside(box))
    ui.dispatch([](State& state) { state.teaching.show_tours = false; });
}

}  // namespace ridge::window
