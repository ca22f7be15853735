#include "app/window/panels/climb_card.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/window/panels/widgets.h"
#include "app/window/panels/written_bar.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/first_climb.h"
#include "app/window/shell/screens.h"
#include "app/window/shell/settings.h"
#include "common/core/format.h"

namespace ridge::window {
namespace {

constexpr float kCardWidth = 760, kBarHeight = 26, kLowBar = 18, kGain_px = 64, kBarsHead = 18;

/// Of its interval, no further than the bars allow: one that is far longer than its bar would shorten all of them.
double end_of(const ClimbCard::Bar& bar) {
  constexpr double kMost = 1.5;
  return bar.range ? std::min(bar.range->high, bar.rate * kMost) : bar.rate;
}

/// The interval over the end of its bar, which begins at `from` and is `w` wide.
void draw_whisker(Ui& ui, const Area& row, float from, float w, const ClimbCard::Bar& bar) {
  const auto at = [&](double rate) { return from + w * static_cast<float>(rate / bar.rate); };
  const float low = at(bar.range->low), high = at(end_of(bar));
  // The page's colour about it: on a bar of any colour it is seen.
  for (const bool is_ground : {true, false}) {
    const float thick = ui.px(is_ground ? 4.5f : 1.5f), half = ui.px(is_ground ? 5.5f : 4);
    const uint32_t color = ui.color(is_ground ? Role::panel : Role::text);
    ui.fill({low - thick / 2, row.middle() - thick / 2, high - low + thick, thick}, color);
    for (const float x : {low, high})
      ui.fill({x - thick / 2, row.middle() - half, thick, 2 * half}, color);
  }
  ui.widgets["climb_whisker:" + bar.label] = {low, row.middle() - ui.px(4), high - low, ui.px(8)};
}

/// A bar for each rung that passed, linear from zero.
void draw_card_bars(Ui& ui, Area area, const ClimbCard& card, float row_h) {
  double most = 0;
  for (const ClimbCard::Bar& bar : card.bars) most = std::max({most, bar.rate, end_of(bar)});
  const SiPrefix prefix = si_prefix(most);  // one for all: 849 M beside 1.00 G reads as more
  float label_w = ui.px(100);
  for (const ClimbCard::Bar& bar : card.bars)
    label_w = std::max(label_w, ui.width(bar.label, kSmall_px) + ui.px(16));
  label_w = std::min(label_w, area.w * 0.4f);
  const float value_w = ui.px(112);
  for (const ClimbCard::Bar& bar : card.bars) {
    const Area row = area.take_top(row_h);
    ui.text(row.x, row.middle(), bar.label, kSmall_px, bar.is_peer ? Role::muted : Role::text,
            Face::body, Anchor::start, label_w - ui.px(8));
    const float room = row.w - label_w - value_w;
    const float w = std::max(ui.px(2), room * static_cast<float>(bar.rate / most));
    ui.fill({row.x + label_w, row.y + ui.px(4), w, row.h - ui.px(8)},
            ui.color(bar.is_peer ? Role::muted : Role::series0), ui.px(3));
    if (bar.range) draw_whisker(ui, row, row.x + label_w, w, bar);
    const float end = std::max(w, room * static_cast<float>(end_of(bar) / most));
    ui.text(row.x + label_w + end + ui.px(8), row.middle(),
            format_number(bar.rate / prefix.factor) + " " + prefixed(prefix, card.unit), kSmall_px,
            Role::muted, Face::mono, Anchor::start);
  }
}

/// The lab has more rungs than the climb: why these.
std::string rungs_text(const State& state, const ClimbCard& card) {
  const int all = lab_progress(state, *state.first_climb.lab).runnable;
  return all > card.rungs
             ? fmt::format("the {} rungs of one core, of {} that run here", card.rungs, all)
             : "";
}

/// What qualifies the figures, in a line; returns its height, and draws nothing where it only measures.
float draw_caveats(Ui& ui, const Area& area, const ClimbCard& card, bool measure) {
  const std::string line = card_brief(card);
  return line.empty() ? 0
                      : ui.paragraph(area, line, kTiny_px + 1, Role::muted, Face::body, measure);
}

/// One plain thing: how much faster, by how many steps, how far below the ceiling; of a range both ends beside it.
void draw_figure(Ui& ui, const Area& row, const ClimbCard& card) {
  const std::string figure = card_figure(card), range = card_range(card), steps = card_steps(card);
  const float words_w = std::max(ui.width(steps, kHeading_px), ui.width(range, kHeading_px));
  const float room = row.w - ui.px(14) - words_w;
  const float size = ui.fitting_size(figure, room, kGain_px, kHeading_px, Face::strong);
  const float figure_w = ui.text(row.x, row.middle(), figure, size, Role::series0, Face::strong);
  const float x = row.x + figure_w + ui.px(14);
  ui.widgets["climb_range"] = {x, row.y, words_w, range.empty() ? 0 : row.h / 2};
  ui.text(x, row.middle() - ui.px(14), range, kHeading_px, Role::text);
  ui.text(x, row.middle() + ui.px(14), steps, kHeading_px, Role::text);
}

Role role_of(const ClimbCard& card) {
  return card.verdict == Verdict::faster   ? Role::faster
         : card.verdict == Verdict::slower ? Role::slower
                                           : Role::text;
}

void draw_buttons_below(Ui& ui, Area row) {
  const auto width = [&](const char* label) {
    return ui.width(label, kSmall_px + 1, Face::strong) + ui.px(40);
  };
  ui.action_button("close_climb_card", row.take_right(width("Close"), ui.px(10)), "Close",
                   Ui::Kind::normal);
  ui.action_button("save_climb_card", row.take_right(width("Save as PNG"), ui.px(10)),
                   "Save as PNG", Ui::Kind::normal);
  const char* why = "Why? Take the tour";
  ui.action_button("why_it_climbs", row.take_right(width(why)), why, Ui::Kind::primary);
}

/// What stands over the bars: whose it is, how much faster, whether the library is beaten and why it is said, the way.
float draw_words(Ui& ui, Area inner, const ClimbCard& card, bool measure) {
  const float top = inner.y;
  const Area head = inner.take_top(ui.px(30));
  const Area gain = inner.take_top(card.gain.empty() ? 0 : ui.px(kGain_px + 8));
  const Area verdict = inner.take_top(ui.px(32));
  const Area why = inner.take_top(
      ui.paragraph(inner, card.library_why, kSmall_px, Role::text, Face::body, true));
  const Area way = inner.take_top(ui.px(26));
  const Area caveats = inner.take_top(draw_caveats(ui, inner, card, true), ui.px(16));
  if (measure) return inner.y - top;
  ui.text(head.x, head.middle(), card.title, kHeading_px, Role::text, Face::strong);
  ui.text(head.right(), head.middle(), card.machine, kSmall_px, Role::muted, Face::body,
          Anchor::end, head.w - ui.px(140));
  if (!card.gain.empty()) draw_figure(ui, gain, card);
  ui.text(verdict.x, verdict.middle(), card.library, kHeading_px, role_of(card), Face::strong,
          Anchor::start, verdict.w);
  ui.paragraph(why, card.library_why, kSmall_px, Role::text);
  ui.text(way.x, way.middle(), card.way.empty() ? "Nothing was measured to its end." : card.way,
          kSmall_px, Role::muted, Face::body, Anchor::start, way.w);
  draw_caveats(ui, caveats, card, false);
  if (ui.hovers("climb_caveats", caveats)) ui.tooltip(card_caveats(card));
  return inner.y - top;
}

}  // namespace

void draw_climb_card(Ui& ui) {
  const FirstClimb& climb = ui.state.first_climb;
  const ClimbCard card = climb_card(climb_run(ui.state), climb);
  Overlay overlay(ui, "card", 0.72f);
  const float pad = ui.px(28), w = std::min(ui.px(kCardWidth), ui.window.w - ui.px(40));
  const std::string bars_head = card_bars(card);
  const float head_h = bars_head.empty() ? 0 : ui.px(kBarsHead);
  // The bottom bar's room is kept whether or not something was written: the card stays where it is.
  const float below = ui.px(56), bar_h = bottom_bar_height(ui), foot_h = ui.px(30);
  const float room = ui.window.h - bar_h - ui.px(4);
  const float around =
      2 * pad + draw_words(ui, {0, 0, w - 2 * pad, 0}, card, true) + head_h + foot_h;
  const float rows = static_cast<float>(std::max<size_t>(1, card.bars.size()));
  const float row_h =
      std::clamp((room - below - ui.px(4) - around) / rows, ui.px(kLowBar), ui.px(kBarHeight));
  const float h = around + row_h * static_cast<float>(card.bars.size());
  const Area box = {(ui.window.w - w) / 2,
                    std::max(ui.px(4), std::min((ui.window.h - h - below) / 2, room - h - below)),
                    w, h};
  ui.widgets["climb_card"] = box;
  ui.fill(box, ui.color(Role::panel), ui.px(10));
  Area inner = box.inset(pad);
  inner.take_top(draw_words(ui, inner, card, false));
  const Area bars_top = inner.take_top(head_h);
  ui.text(bars_top.x, bars_top.middle(), bars_head, kTiny_px, Role::muted, Face::body,
          Anchor::start, bars_top.w);
  draw_card_bars(ui, inner.take_top(row_h * static_cast<float>(card.bars.size())), card, row_h);
  const Area foot = inner.take_top(foot_h);
  const std::string rungs = rungs_text(ui.state, card);
  ui.text(foot.x, foot.middle() + ui.px(6),
          std::string(climb.lab->title) + "  ·  " + card.asked +
              (rungs.empty() ? "" : "  ·  " + rungs) + "  ·  Ridgepoint",
          kTiny_px, Role::muted, Face::body, Anchor::start, foot.w);
  draw_buttons_below(ui, {box.x, box.bottom() + ui.px(10), box.w, ui.px(38)});
  // The bar of what was written is under this overlay: it is drawn again, where it can be pressed.
  if (has_written(ui)) draw_written(ui, {0, ui.window.h - bar_h, ui.window.w, bar_h});
}

}  // namespace ridge::window
