#include "app/window/shell/overlays.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/window/edit/editing.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/study.h"
#include "app/window/views/view.h"

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
        {entry.title, "", keys_here(state, entry), entry.blocker(state),
         [id = entry.id](State& to) { perform(to, id); }});
  }
  for (const Lab* lab : all_labs()) {
    add(&all, typed, {lab->title, "lab", "", "", [lab](State& to) {
                        open_lab(to, lab->id);
                        to.view.screen = ScreenId::lab;
                      }});
  }
  for (const app::Exercise& one : app::known_exercises()) {
    const bool is_solved = exercise_progress(state, one.name).is_solved;
    add(&all, typed,
        {one.title, is_solved ? "exercise, solved" : "exercise", "", "",
         [&one](State& to) { start_exercise(to, one); }});
  }
  for (const RungView& row : state.ladder.rows) {
    add(&all, typed,
        {row.rung->title, "rung", "", "", [kernel = std::string(row.rung->kernel)](State& to) {
           select_rung(to, kernel);
           to.view.screen = ScreenId::lab;
         }});
  }
  // Of what was looked for, what can be done first: Enter presses the first line. The whole list keeps its order.
  std::stable_sort(all.begin(), all.end(), [&](const Scored& a, const Scored& b) {
    const bool can_a = a.entry.blocker.empty(), can_b = b.entry.blocker.empty();
    return !typed.empty() && can_a != can_b ? can_a : a.score > b.score;
  });
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

// ---- the glossary ------------------------------------------------------------------------------

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Terms whose name or alias begins so come first, then those that hold it.
std::vector<const study::Term*> found_terms(const study::Glossary& glossary,
                                            const std::string& typed) {
  const std::string wanted = lower(typed);
  std::vector<const study::Term*> first, then;
  for (const study::Term& term : glossary.terms()) {
    std::vector<std::string> names = term.aliases;
    names.push_back(term.name);
    size_t best = std::string::npos;
    for (const std::string& name : names) best = std::min(best, lower(name).find(wanted));
    if (best == 0)
      first.push_back(&term);
    else if (best != std::string::npos)
      then.push_back(&term);
  }
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

void draw_list(Ui& ui, const Area& area, const std::vector<const study::Term*>& terms) {
  const std::string& chosen = ui.state.view.glossary_term;
  Scroll scroll(ui, "terms", area, ui.raised(1));
  for (const study::Term* term : terms) {
    const Area row = scroll.rest.take_top(ui.px(32));
    if (term->name == chosen && ImGui::IsWindowAppearing())
      ImGui::SetScrollFromPosY(row.y - ImGui::GetWindowPos().y, 0.4f);
    const auto touched = ui.touch("glossary:" + term->name, row);
    if (!scroll.sees(row)) continue;
    const bool here = term->name == chosen;
    if (here || touched.hovered)
      ui.fill(row, here ? ui.color(Role::highlight) : ui.raised(2), ui.px(5));
    ui.text(row.x + ui.px(12), row.middle(), term->name, kSmall_px + 1, Role::text,
            here ? Face::strong : Face::body, Anchor::start, row.w - ui.px(20));
    if (touched.clicked)
      ui.dispatch([name = term->name](State& state) { state.view.glossary_term = name; });
  }
  if (terms.empty()) ui.paragraph(scroll.rest, "No term is called that.", kSmall_px, Role::muted);
}

void draw_term(Ui& ui, Area& area, const study::Glossary& glossary, const study::Term& term) {
  area.take_top(ui.paragraph(area, term.name, kHeading_px, Role::text, Face::strong), ui.px(4));
  std::string also;
  for (const std::string& alias : term.aliases) also += (also.empty() ? "also: " : ", ") + alias;
  if (!also.empty()) area.take_top(ui.paragraph(area, also, kSmall_px, Role::muted), ui.px(4));
  area.take_top(ui.px(10));
  area.take_top(ui.paragraph(area, plain_text(term), kBody_px, Role::text), ui.px(20));
  std::vector<std::string> named;
  for (const study::Mention& mention : glossary.mentions(term.text)) {
    const std::string& name = glossary.terms()[static_cast<size_t>(mention.term)].name;
    if (name != term.name && std::find(named.begin(), named.end(), name) == named.end())
      named.push_back(name);
  }
  draw_terms(ui, &area, named);
}

}  // namespace

void draw_glossary(Ui& ui) {
  const study::Glossary& glossary = *study_glossary();
  const ViewState& view = ui.state.view;
  std::string typed = view.glossary_typed;
  const bool changed = edit_typed(&typed);
  const auto terms = found_terms(glossary, typed);
  const study::Term* term = glossary.find(view.glossary_term);
  if ((changed || !term) && !terms.empty()) term = terms.front();
  const std::string name = term ? term->name : "";
  if (changed || name != view.glossary_term) {
    ui.dispatch([typed, name](State& state) {
      state.view.glossary_typed = typed;
      state.view.glossary_term = name;
    });
  }

  Overlay overlay(ui, "glossary", 0.5f);
  const float pad = ui.px(16);
  const float w = std::min(ui.px(980), ui.window.w - ui.px(48));
  const float h = std::min(ui.px(640), ui.window.h - ui.px(80));
  const Area box = {(ui.window.w - w) / 2, (ui.window.h - h) / 2, w, h};
  ui.fill(box, ui.raised(1), ui.px(8));
  ui.frame(box, ui.color(Role::grid), ui.px(8));
  Area inner = box.inset(pad);
  const Area top = inner.take_top(ui.px(46), pad);
  draw_field(ui, top, typed, "a term");
  ui.text(top.right() - ui.px(14), top.middle(),
          std::to_string(terms.size()) + " of " + std::to_string(glossary.terms().size()) +
              " terms  ·  Esc closes",
          kSmall_px, Role::muted, Face::body, Anchor::end);
  draw_list(ui, inner.take_left(std::min(ui.px(300), inner.w * 0.36f), pad), terms);
  Scroll scroll(ui, "term", inner, ui.raised(1));
  if (term) draw_term(ui, scroll.rest, glossary, *term);
  if (overlay.clicked_outside(box))
    ui.dispatch([](State& state) { state.view.show_glossary = false; });
}

// ---- the menus -------------------------------------------------------------------------------

namespace {

/// `here`: it is what is shown now; `marked`: Enter takes it.
struct MenuLine {
  std::string name, title, about, keys;
  bool here = false, marked = false;
};

/// A line of a menu, whose titles have so much room; true when it was clicked.
bool draw_menu_line(Ui& ui, const Area& row, float title_w, const MenuLine& line) {
  const auto& [name, title, about, keys, here, marked] = line;
  const auto touched = ui.touch(name, row);
  if (touched.hovered || here)
    ui.fill(row, here ? ui.color(Role::highlight) : ui.raised(3), ui.px(5));
  if (marked) ui.frame(row, ui.color(Role::series0), ui.px(5), ui.px(2));
  const float x = row.x + ui.px(12);
  ui.text(x, row.middle(), title, kSmall_px + 1, Role::text, here ? Face::strong : Face::body);
  ui.text(x + title_w, row.middle(), about, kSmall_px - 1, Role::muted, Face::body, Anchor::start,
          row.w - title_w - ui.px(keys.empty() ? 24 : 56));
  ui.text(row.right() - ui.px(12), row.middle(), keys, kTiny_px + 1, Role::muted, Face::mono,
          Anchor::end);
  return touched.clicked;
}

Area draw_menu_box(Ui& ui, const Area& box) {
  ui.fill(box, ui.raised(1), ui.px(8));
  ui.frame(box, ui.color(Role::grid), ui.px(8));
  return box.inset(ui.px(8));
}

constexpr float kMenuLine = 36, kMenuGap = 9;

struct MarkedLine {
  int at = 0;
  bool is_taken = false;  ///< by Enter
};

/// Up and Down move the mark of a menu of so many lines, from the one that is shown.
MarkedLine follow_menu_keys(Ui& ui, int shown, size_t lines) {
  const int last = static_cast<int>(lines) - 1, before = ui.state.view.menu_at;
  int at = before < 0 ? shown : before;
  if (compat::key_pressed(compat::Key::down, true)) ++at;
  if (compat::key_pressed(compat::Key::up, true)) --at;
  at = std::clamp(at, 0, last);
  if (at != before) ui.dispatch([at](State& state) { state.view.menu_at = at; });
  // Under the ring of Tab, Enter presses what the ring is about.
  return {at, !ui.shows_focus() && compat::key_pressed(compat::Key::enter)};
}

/// The line of the digit that was typed; -1: none was.
int typed_line() {
  for (const ImWchar character : ImGui::GetIO().InputQueueCharacters) {
    if (character >= '1' && character <= '9') return static_cast<int>(character - '1');
  }
  return -1;
}

}  // namespace

void close_menus(State& state) {
  state.view.show_menu = state.view.show_levels = false;
  state.view.menu_at = -1;
}

void draw_menu(Ui& ui) {
  const auto close = [](State& state) { close_menus(state); };
  Overlay overlay(ui, "menu", 0.4f);
  const float line_h = ui.px(kMenuLine);
  const auto all = screens();
  const auto begins = [&](size_t at) {
    return at > 0 && std::string_view(all[at].group) != all[at - 1].group;
  };
  float high = line_h * static_cast<float>(all.size());
  for (size_t at = 0; at < all.size(); ++at) high += begins(at) ? ui.px(kMenuGap) : 0;
  const Area box = {ui.px(12), ui.px(44), ui.px(430), high + ui.px(16)};
  Area inner = draw_menu_box(ui, box);
  const auto shown = std::find_if(all.begin(), all.end(), [&](const ScreenDesc& screen) {
    return screen.id == ui.state.view.screen;
  });
  const MarkedLine mark = follow_menu_keys(
      ui, shown == all.end() ? 0 : static_cast<int>(shown - all.begin()), all.size());
  for (size_t at = 0; at < all.size(); ++at) {
    const ScreenDesc& screen = all[at];
    if (begins(at)) {
      const Area gap = inner.take_top(ui.px(kMenuGap));
      ui.fill({gap.x + ui.px(10), gap.middle(), gap.w - ui.px(20), ui.px(1)}, ui.color(Role::grid));
    }
    const bool here = screen.id == ui.state.view.screen;
    const std::string id = std::string("show_") + screen.name;
    const bool marked = static_cast<int>(at) == mark.at;
    const MenuLine line{"menu:" + id, screen.title, screen.about, keys_here(ui.state, action(id)),
                        here,         marked};
    const bool clicked = draw_menu_line(ui, inner.take_top(line_h), ui.px(104), line);
    if (!clicked && !(marked && mark.is_taken)) continue;
    ui.dispatch(close);
    if (!here) ui.dispatch_action(id);
  }
  if (overlay.clicked_outside(box)) ui.dispatch(close);
}

const LevelChoice& level_choice(Level level) {
  static constexpr LevelChoice kChoices[] = {
      {"Learn", "The lesson, the ladder and what climbs: for the first hours."},
      {"Lab", "With comparisons, exports, all views, telemetry and the log."},
      {"Bench", "With what professionals measure: counters, raw data, self-checks."}};
  return kChoices[static_cast<size_t>(level)];
}

void draw_levels(Ui& ui) {
  const auto close = [](State& state) { close_menus(state); };
  Overlay overlay(ui, "levels", 0.4f);
  const float line_h = ui.px(kMenuLine), w = std::min(ui.px(580), ui.window.w - ui.px(24));
  const auto button = ui.widgets.find("level");
  const float right = button == ui.widgets.end() ? ui.window.right() - ui.px(12)
                                                 : std::max(button->second.right(), w + ui.px(12));
  const Area box = {right - w, ui.px(44), w, line_h * kLevelNames.size() + ui.px(16)};
  Area inner = draw_menu_box(ui, box);
  const Level shown = ui.state.appearance.level;
  const MarkedLine mark = follow_menu_keys(ui, static_cast<int>(shown), kLevelNames.size());
  const int typed = typed_line();
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    const auto level = static_cast<Level>(i);
    const int at = static_cast<int>(i);
    const LevelChoice& choice = level_choice(level);
    const MenuLine line{"level=" + std::string(choice.title),
                        choice.title,
                        choice.about,
                        std::to_string(i + 1),
                        level == shown,
                        at == mark.at};
    const bool clicked = draw_menu_line(ui, inner.take_top(line_h), ui.px(72), line);
    if (!clicked && at != typed && !(at == mark.at && mark.is_taken)) continue;
    ui.dispatch(close);
    ui.dispatch([level](State& state) { set_level(state, level); });
  }
  if (overlay.clicked_outside(box)) ui.dispatch(close);
}

}  // namespace ridge::window
