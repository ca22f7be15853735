// The glossary over a screen: terms at the left, found by what is typed; the text of one at the right,
// with the terms that it names.
#include <algorithm>
#include <cctype>

#include "app/window/teach/study.h"
#include "app/window/teach/teach_panels.h"

namespace ridge::window {
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
  Scroll scroll(ui, "terms", area);
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
  Scroll scroll(ui, "term", inner);
  if (term) draw_term(ui, scroll.rest, glossary, *term);
  if (overlay.clicked_outside(box))
    ui.dispatch([](State& state) { state.view.show_glossary = false; });
}

}  // namespace ridge::window
