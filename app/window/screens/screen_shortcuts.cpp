// Shortcuts: the table of actions as it is, in columns. What cannot be done now says why.
#include <algorithm>

#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"

namespace ridge::window {
namespace {

constexpr float kKeyPad = 16;

/// As wide as the widest key cap, so that the titles stand beside them all in one line; 0: none has a key.
float key_room(Ui& ui, const std::vector<const Action*>& some) {
  float widest = 0;
  for (const Action* entry : some)
    widest = std::max(widest, ui.width(entry->keys.text, kSmall_px, Face::mono));
  return widest > 0 ? widest + ui.px(kKeyPad + 12) : 0;
}

class ShortcutsScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  static void draw_line(Ui& ui, const Area& line, const Action& entry, float keys_w);
  static void draw_columns(Ui& ui, Area* rest, const std::vector<const Action*>& some);
};

void ShortcutsScreen::draw_line(Ui& ui, const Area& line, const Action& entry, float keys_w) {
  const std::string why = entry.blocker(ui.state);
  const auto touched = ui.touch("do:" + entry.id, line);
  if (touched.hovered) ui.fill(line, ui.raised(1), ui.px(5));
  const float x = line.x + ui.px(10), title_x = x + keys_w;
  if (*entry.keys.text) {
    const float key_w =
        std::max(ui.px(34), ui.width(entry.keys.text, kSmall_px, Face::mono) + ui.px(kKeyPad));
    const Area key = {x, line.y + ui.px(4), key_w, line.h - ui.px(8)};
    ui.widgets["key:" + entry.id] = key;
    ui.fill(key, ui.raised(3), ui.px(4));
    ui.text(key.x + key.w / 2, key.middle(), entry.keys.text, kSmall_px, Role::text, Face::mono,
            Anchor::middle);
  }
  const float room = line.right() - title_x - ui.px(8);
  ui.widgets["title:" + entry.id] = {title_x, line.y, room, line.h};
  ui.text(title_x, line.middle(), entry.title, kSmall_px + 1,
          why.empty() ? Role::text : Role::muted, Face::body, Anchor::start, room);
  const bool is_cut = ui.width(entry.title, kSmall_px + 1) > room;
  if (touched.hovered && (is_cut || !why.empty()))
    ui.tooltip(entry.title + (why.empty() ? "" : "\n" + why));
  if (touched.clicked) ui.dispatch_action(entry.id);
}

/// As many columns as there is room for, each from top to bottom.
void ShortcutsScreen::draw_columns(Ui& ui, Area* rest, const std::vector<const Action*>& some) {
  const float line_h = ui.px(36), column_w = ui.px(440);
  const auto columns = static_cast<size_t>(std::clamp(static_cast<int>(rest->w / column_w), 1, 3));
  const size_t rows = (some.size() + columns - 1) / columns;
  const float w = rest->w / static_cast<float>(columns), keys_w = key_room(ui, some);
  const Area at = rest->take_top(line_h * static_cast<float>(rows), ui.px(18));
  for (size_t i = 0; i < some.size(); ++i) {
    const auto column = static_cast<float>(i / rows), row = static_cast<float>(i % rows);
    draw_line(ui, {at.x + column * w, at.y + row * line_h, w - ui.px(16), line_h}, *some[i],
              keys_w);
  }
}

void ShortcutsScreen::draw(Ui& ui, Area all) {
  ui.panel(all);
  Area inner = all.inset(ui.px(24), ui.px(18));
  const Area head = inner.take_top(ui.px(34), ui.px(10));
  ui.text(head.x, head.middle(), "Everything that can be done", kHeading_px, Role::text,
          Face::strong);
  const float head_w = ui.width("Everything that can be done", kHeading_px, Face::strong);
  ui.text(head.x + head_w + ui.px(20), head.middle(),
          "a click does it; Ctrl K finds it by name; on Your turn letters are text, and do nothing "
          "else",
          kSmall_px, Role::muted, Face::body, Anchor::start, head.w - head_w - ui.px(20));
  Scroll scroll(ui, "shortcuts", inner);
  // With keys first, all of them in view; the others are found by the palette.
  for (const bool has_key : {true, false}) {
    std::vector<const Action*> some;
    for (const Action& entry : actions()) {
      if ((*entry.keys.text != 0) == has_key) some.push_back(&entry);
    }
    draw_columns(ui, &scroll.rest, some);
  }
}

}  // namespace

std::unique_ptr<Screen> make_shortcuts_screen() {
  return std::make_unique<ShortcutsScreen>();
}

}  // namespace ridge::window
