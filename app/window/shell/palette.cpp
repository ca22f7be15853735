#include "app/window/shell/palette.h"

#include <algorithm>
#include <cctype>

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
        {entry.title, "", entry.keys.text, entry.why_not(state),
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
  for (const RungView& row : state.ladder) {
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

}  // namespace ridge::window
