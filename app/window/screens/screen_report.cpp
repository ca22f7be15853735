// Report: what Export writes, drawn from the same content (common/view/report), the charts from the same
// models.
#include <fmt/format.h>

#include <algorithm>

#include "app/window/panels/verdict_card.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/shell/export.h"
#include "app/window/shell/screens.h"
#include "app/window/views/chart_view.h"
#include "common/record/command.h"
#include "common/record/notes.h"

namespace ridge::window {
namespace {

using report::Section;

class ReportScreen final : public Screen {
 public:
  void draw(Ui& ui, Area all) override;
  ChartView* chart() override { return pointed_ < charts_.size() ? &charts_[pointed_] : nullptr; }

 private:
  void build(const State& state);
  void draw_page(Ui& ui, const Area& area);
  static void draw_notes(Ui& ui, Area* area);
  void draw_section(Ui& ui, Scroll* page, const Section& section, ChartView* chart);

  std::optional<report::Report> report_;
  std::string why_not_;
  std::vector<ChartView> charts_;  ///< one for each section of page 1, then of the appendix
  size_t pointed_ = ~0ull;         ///< the chart that actions mean
  uint64_t version_ = ~0ull;
};

void ReportScreen::build(const State& state) {
  // While samples arrive the report would be built thirty times a second, of half a run.
  const bool busy = state.requests.is_measuring();
  if (version_ == state.ladder.version || (busy && report_)) return;
  version_ = state.ladder.version;
  report_.reset();
  charts_.clear();
  if (!state.selection.lab) return;
  auto built = shown_report(state);
  if (!built) {
    why_not_ = built.error().sentence();
    return;
  }
  report_ = *std::move(built);
  for (const auto* sections : {&report_->front, &report_->sections}) {
    for (const Section& section : *sections) {
      charts_.emplace_back();
      if (section.chart) charts_.back().set(*section.chart);
    }
  }
}

void ReportScreen::draw_section(Ui& ui, Scroll* page, const Section& section, ChartView* chart) {
  const auto text = [&](const std::string& words, float size, Role role, Face face, float gap) {
    const float h = ui.paragraph(page->rest, words, size, role, face, true);
    const Area place = page->rest.take_top(h, gap);
    if (page->sees(place)) ui.paragraph(place, words, size, role, face);
  };
  page->rest.take_top(ui.px(22));
  text(section.title, kHeading_px - 2, Role::text, Face::strong, ui.px(8));
  for (const std::string& paragraph : section.paragraphs)
    text(paragraph, kSmall_px, Role::text, Face::body, ui.px(8));
  if (section.chart) {
    const Area place = page->rest.take_top(chart->height(ui, page->rest.w), ui.px(12));
    if (page->sees(place)) chart->draw_in_page(ui, "report:" + section.id, place);
  }
  if (section.table && !section.table_behind) {
    const auto [table, notes] = report::footnoted(*section.table);
    draw_table(ui, page, table.columns, table.rows);
    for (const std::string& note : notes) text(note, kSmall_px, Role::muted, Face::body, ui.px(2));
  }
  for (const std::string& bullet : section.bullets)
    text("·  " + bullet, kSmall_px, Role::text, Face::body, ui.px(2));
  for (const std::string& command : section.commands)
    text(command, kCode_px, Role::text, Face::mono, ui.px(2));
  if (!section.code.empty()) text(section.code, kCode_px, Role::text, Face::mono, ui.px(2));
}

void ReportScreen::draw_page(Ui& ui, const Area& area) {
  Scroll page(ui, "report_page", area);
  const auto text = [&](const std::string& words, float size, Role role, Face face, float gap) {
    page.rest.take_top(ui.paragraph(page.rest, words, size, role, face), gap);
  };
  text(report_->title, kHeading_px + 4, Role::text, Face::strong, ui.px(2));
  text(report_->subtitle, kSmall_px, Role::muted, Face::body, ui.px(14));
  const report::Headline& headline = report_->headline;
  const bool has_card = report_->is_of_pair && report_->claims.back().paired;
  if (has_card) {
    const report::Claim& claim = report_->claims.back();
    const Area words = page.rest.inset(ui.px(20), 0);
    const float needs = draw_verdict(ui, words, *claim.run, claim.comparison, "", true);
    const Area card = page.rest.take_top(std::max(ui.px(104), needs + ui.px(24)), ui.px(12));
    ui.fill(card, ui.raised(1), ui.px(8));
    draw_verdict(ui, card.inset(ui.px(20), ui.px(12)), *claim.run, claim.comparison, "");
  }
  if (!has_card) text(headline.figure, kHeading_px + 8, Role::text, Face::strong, ui.px(8));
  text(report_->sentence, kBody_px - 1, Role::text, Face::body, ui.px(8));
  std::string facts;
  for (const auto& [name, value] : headline.facts)
    facts += (facts.empty() ? "" : "  ·  ") + name + ": " + value;
  text(facts, kSmall_px, Role::muted, Face::body, ui.px(4));
  size_t at = 0;
  const auto draw_one = [&](const Section& section) {
    draw_section(ui, &page, section, &charts_[at]);
    const bool is_first = pointed_ >= charts_.size() && section.chart;
    if (is_first || charts_[at].hovered()) pointed_ = at;
    ++at;
  };
  for (const Section& section : report_->front) draw_one(section);
  std::optional<report::Part> part;
  for (const Section& section : report_->sections) {
    if (section.part != part) {
      page.rest.take_top(ui.px(28));
      text(std::string("Appendix: ") + report::title_of(section.part), kHeading_px, Role::text,
           Face::strong, ui.px(4));
    }
    part = section.part;
    draw_one(section);
  }
  page.rest.take_top(ui.px(24));
}

/// What only a person has, in fields: kept with the session, and on page 1.
void ReportScreen::draw_notes(Ui& ui, Area* area) {
  const auto draw_field = [&](const NoteField& field, const Area& line) {
    const Notes& notes = ui.state.run().notes();
    const auto known = notes.find(field.key);
    const std::string name = std::string("note:") + field.key;
    const auto take = [key = field.key](State& state, const std::string& text) {
      const bool is_long = one_line(text, kLongestNote) != one_line(text, text.size() + 1);
      if (is_long)
        state.notice = {"A note has at most " + std::to_string(kLongestNote) +
                            " characters: the rest was left out.",
                        false};
      state.sessions.shown->note(key, text);
      state.ladder.dirty = true;
    };
    text_line(ui, name.c_str(), line, field.title, known == notes.end() ? "" : known->second,
              field.asks, take);
  };
  const float height = ui.px(32), gap = ui.px(6);
  std::vector<const NoteField*> of_author;
  for (const NoteField& field : note_fields()) {
    if (field.is_of_author)
      of_author.push_back(&field);
    else
      draw_field(field, area->take_top(height, gap));
  }
  Area line = area->take_top(height, 2 * gap);
  const float w = line.w / static_cast<float>(of_author.size()) - gap;
  for (const NoteField* field : of_author) draw_field(*field, line.take_left(w, 2 * gap));
}

void ReportScreen::draw(Ui& ui, Area all) {
  build(ui.state);
  // A page as wide as the exported one is read more easily than one as wide as the screen.
  const float most = ui.px(1120);
  if (all.w > most) all = {all.x + (all.w - most) / 2, all.y, most, all.h};
  ui.panel(all);
  if (!report_) {
    draw_not_measured(ui, all, "There is nothing to report yet.", why_not_, "Run the ladder",
                      "run");
    return;
  }
  Area inner = all.inset(ui.px(32), ui.px(16));
  Area bar = inner.take_top(ui.px(36), ui.px(10));
  ui.action_button("export", bar.take_right(ui.px(150), ui.px(10)), "Export  Ctrl E",
                   Ui::Kind::primary);
  ui.action_button("article", bar.take_right(ui.px(150), ui.px(10)), "Export article",
                   Ui::Kind::normal);
  if (ui.button("notes", bar.take_right(ui.px(130), ui.px(10)), "Your words", Ui::Kind::normal))
    ui.dispatch([](State& state) { state.view.show_notes = !state.view.show_notes; });
  ui.text(bar.x, bar.middle(),
          ui.state.history.last_export.empty()
              ? "Writes the report (" + format_names() + ") and run.jsonl into one folder"
              : "Last written to " + ui.state.history.last_export,
          kSmall_px, Role::muted, Face::body, Anchor::start, bar.w - ui.px(16));
  if (ui.state.view.show_notes) draw_notes(ui, &inner);
  draw_page(ui, inner);
}

}  // namespace

std::unique_ptr<Screen> make_report_screen() {
  return std::make_unique<ReportScreen>();
}

}  // namespace ridge::window
