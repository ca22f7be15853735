#include "app/window/shell/palette.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/window/edit/editing.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"

namespace ridge::window {
namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

struct Scored {
  int score = 0;
  PaletteEntry entry;
};

void add(std::vector<Scored>* all, std::string_view typed, PaletteEntry entry) {
  const auto score = fuzzy_score(typed, entry.title);
  if (score) all->push_back({*score, std::move(entry)});
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view typed, std::string_view text) {
  int score = 0;
  size_t at = 0;
  bool in_run = false;
  if (typed.empty()) return 0;  // everything, in the order of the tables
  for (const char wanted : typed) {
    if (wanted == ' ') {
      in_run = false;
      continue;
    }
    // A beginning of a word counts more than an earlier letter inside one.
    size_t found = std::string_view::npos;
    for (size_t i = at; i < text.size(); ++i) {
      if (lower(text[i]) != lower(wanted)) continue;
      const bool begins = i == 0 || text[i - 1] == ' ' || text[i - 1] == '-' || text[i - 1] == '(';
      if ((in_run && i == at) || begins) {
        score += in_run && i == at ? 8 : 6;
        found = i;
        break;
      }
      if (found == std::string_view::npos) found = i;
    }
    if (found == std::string_view::npos) return std::nullopt;
    score += found == 0 ? 4 : 1;
    at = found + 1;
    in_run = true;
  }
  return score * 16 - static_cast<int>(std::min<size_t>(text.size(), 255)) / 16;
}

std::vector<PaletteEntry> palette_entries(const State& state, std::string_view typed) {
  std::vector<Scored> all;
  for (const Action& entry : actions()) {
    if (entry.id == "palette" || entry.id == "lab_1") continue;
    add(&all, typed,
        {entry.title, "", entry.keys.text, entry.blocker(state),
         [id = entry.id](State& to) { perform(to, id); }});
  }
  for (const Lab* lab : all_labs()) {
    add(&all, typed, {lab->title, "lab", "", "", [lab](State& to) {
                        open_lab(to, lab->id);
                        to.view.screen = ScreenId::lab;
                      }});
  }
  if (const auto exercises = app::all_exercises()) {
    for (const app::Exercise& one : *exercises) {
      add(&all, typed,
          {one.title, "exercise", "", "", [one](State& to) { start_exercise(to, one); }});
    }
  }
  for (const RungView& row : state.ladder.rows) {
    add(&all, typed,
        {row.rung->title, "rung", "", "", [kernel = std::string(row.rung->kernel)](State& to) {
           select_rung(to, kernel);
           to.view.screen = ScreenId::lab;
         }});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  std::vector<PaletteEntry> entries;
  for (Scored& one : all) entries.push_back(std::move(one.entry));
  return entries;
}

// ---- on the screen ------------------------------------------------------------------------------
// The palette on the screen. Its lines are no ImGui items: Enter and Space, which would press the one
// that has the keyboard's focus, belong to what is typed.

namespace {

/// True when it was clicked.
bool draw_entry(Ui& ui, const Area& row, const PaletteEntry& entry, bool chosen, size_t index) {
  ui.widgets["palette:" + std::to_string(index)] = row;
  const bool hovered = ImGui::IsMouseHoveringRect({row.x, row.y}, {row.right(), row.bottom()});
  if (chosen || hovered) ui.fill(row, chosen ? ui.color(Role::highlight) : ui.raised(2), ui.px(5));
  const float x = row.x + ui.px(14), right = row.right() - ui.px(14);
  const std::string side = entry.blocker.empty() ? entry.keys + entry.kind : entry.blocker;
  const float room = row.w - ui.px(28);
  const float title_w = std::min(
      room * 0.62f, ui.text(x, row.middle(), entry.title, kSmall_px + 1,
                            entry.blocker.empty() ? Role::text : Role::muted,
                            chosen ? Face::strong : Face::body, Anchor::start, room * 0.62f));
  ui.text(right, row.middle(), side, kTiny_px + 1, Role::muted,
          entry.keys.empty() || !entry.blocker.empty() ? Face::body : Face::mono, Anchor::end,
          room - title_w - ui.px(16));
  return hovered && ImGui::IsMouseClicked(0);
}

}  // namespace

bool edit_typed(std::string* typed) {
  const size_t before = typed->size();
  // Not copied: ImVector copies an empty one by memcpy to null, which is undefined and crashed.
  for (const ImWchar character : ImGui::GetIO().InputQueueCharacters) {
    if (character >= 32 && character <= 126 && typed->size() < 60)
      *typed += static_cast<char>(character);
  }
  if (compat::key_pressed(compat::Key::backspace, true) && !typed->empty()) typed->pop_back();
  return typed->size() != before;
}

void draw_field(Ui& ui, const Area& field, const std::string& typed, const char* hint) {
  ui.fill(field, ui.raised(2), ui.px(5));
  const float x = field.x + ui.px(14);
  const float w = ui.text(x, field.middle(), typed, kBody_px, Role::text);
  ui.fill({x + w + ui.px(1), field.y + ui.px(10), ui.px(2), field.h - ui.px(20)},
          ui.color(Role::series0));
  if (typed.empty()) ui.text(x + ui.px(10), field.middle(), hint, kBody_px, Role::muted);
}

void draw_palette(Ui& ui) {
  const ViewState& view = ui.state.view;
  std::string typed = view.palette_typed;
  int at = edit_typed(&typed) ? 0 : view.palette_at;
  const auto entries = palette_entries(ui.state, typed);
  const int count = static_cast<int>(entries.size());
  if (compat::key_pressed(compat::Key::down, true)) ++at;
  if (compat::key_pressed(compat::Key::up, true)) --at;
  at = std::clamp(at, 0, std::max(0, count - 1));
  if (typed != view.palette_typed || at != view.palette_at) {
    ui.dispatch([typed, at](State& state) {
      state.view.palette_typed = typed;
      state.view.palette_at = at;
    });
  }
  const auto close = [](State& state) { state.view.show_palette = false; };

  Overlay overlay(ui, "palette", 0.5f);
  const float pad = ui.px(10), line_h = ui.px(38), field_h = ui.px(48);
  const float w = std::min(ui.px(720), ui.window.w - ui.px(48));
  const float top = ui.window.h * 0.12f;
  const int fit = std::clamp(
      static_cast<int>((ui.window.h - top - field_h - 3 * pad - ui.px(24)) / line_h), 1, 12);
  const int lines = std::clamp(count, 1, fit);
  const Area box = {(ui.window.w - w) / 2, top, w,
                    field_h + 3 * pad + line_h * static_cast<float>(lines)};
  ui.fill(box, ui.raised(1), ui.px(8));
  ui.frame(box, ui.color(Role::grid), ui.px(8));
  Area inner = box.inset(pad);
  draw_field(ui, inner.take_top(field_h, pad), typed, "an action, a screen, a lab, a rung");
  if (count == 0)
    ui.text(inner.x + ui.px(14), inner.y + line_h / 2, "Nothing is called that.", kSmall_px,
            Role::muted);
  int done = compat::key_pressed(compat::Key::enter) ? at : -1;
  const int first = std::clamp(at - lines + 1, 0, std::max(0, count - lines));
  for (int i = first; i < std::min(count, first + lines); ++i) {
    const auto line = static_cast<size_t>(i);
    if (draw_entry(ui, inner.take_top(line_h), entries[line], i == at, line)) done = i;
  }
  if (overlay.clicked_outside(box)) ui.dispatch(close);
  if (done < 0 || done >= count) return;
  const PaletteEntry& entry = entries[static_cast<size_t>(done)];
  if (!entry.blocker.empty()) return;  // its reason stands beside it
  ui.dispatch(close);
  ui.dispatch(entry.act);
}

}  // namespace ridge::window
