// Report: what Export writes, drawn from the same content (common/report), the charts from the same
// models.
#include <algorithm>

#include "app/window/actions.h"
#include "app/window/chart_view.h"
#include "app/window/export.h"
#include "app/window/panels.h"
#include "app/window/screens.h"

namespace ridge::window {
namespace {

using report::Section;
using report::Table;

class ReportScreen final : public ScreenView {
 public:
  void draw(Ui& ui, Area all) override;

 private:
  void build(const State& state);
  void draw_page(Ui& ui, const Area& area);
  void draw_section(Ui& ui, Scroll* page, const Section& section, ChartView* chart);
  static void draw_table(Ui& ui, Scroll* page, const Table& table);

  std::optional<report::Report> report_;
  std::string why_not_;
  std::vector<ChartView> charts_;  ///< one for each section; empty models where it has none
  uint64_t version_ = ~0ull;
};

void ReportScreen::build(const State& state) {
  // While samples arrive the report would be built thirty times a second, of half a run.
  const bool busy = state.run_request || state.compare_request;
  if (version_ == state.ladder_version || (busy && report_)) return;
  version_ = state.ladder_version;
  report_.reset();
  charts_.clear();
  if (!state.view.lab) return;
  auto built = shown_report(state);
  if (!built) {
    why_not_ = built.error().sentence();
    return;
  }
  report_ = *std::move(built);
  for (const Section& section : report_->sections) {
    charts_.emplace_back();
    if (section.chart) charts_.back().set(*section.chart);
  }
}

bool is_reason(const std::string& cell) {
  return cell.starts_with("unavailable");
}

/// Columns as wide as their longest cell asks for, shrunk alike where that is too much; cells wrap.
std::vector<float> column_widths(Ui& ui, const Table& table, float room) {
  std::vector<float> widths(table.columns.size(), ui.px(48));
  const auto widen = [&](size_t column, const std::string& cell) {
    if (column < widths.size())
      widths[column] = std::max(widths[column], ui.width(cell, kSmall_px - 1) + ui.px(20));
  };
  for (size_t i = 0; i < table.columns.size(); ++i) widen(i, table.columns[i]);
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const bool spans = is_reason(row[i]) && i + 1 < row.size() && row[i + 1].empty();
      if (!spans) widen(i, row[i]);
    }
  }
  // The narrow columns keep what they need; the wide ones share what is left.
  float total = 0;
  for (const float w : widths) total += w;
  const float fair = room / static_cast<float>(std::max<size_t>(1, widths.size()));
  if (total > room) {
    float fixed = 0, wide = 0;
    for (const float w : widths) (w <= fair ? fixed : wide) += w;
    for (float& w : widths) {
      if (w > fair) w *= (room - fixed) / wide;
    }
  }
  return widths;
}

void ReportScreen::draw_table(Ui& ui, Scroll* page, const Table& table) {
  const auto widths = column_widths(ui, table, page->rest.w);
  const auto draw_row = [&](const std::vector<std::string>& row, Role role, Face face) {
    // Twice: for its height, then for good.
    float height = ui.px(26);
    for (const bool measure : {true, false}) {
      const Area line = {page->rest.x, page->rest.y, page->rest.w, height};
      if (!measure && !page->sees(line)) break;
      float x = line.x;
      for (size_t i = 0; i < row.size() && i < widths.size(); ++i) {
        float w = widths[i];
        for (size_t next = i + 1; is_reason(row[i]) && next < row.size() && row[next].empty();
             ++next)
          w += widths[next];
        const Role cell_role = is_reason(row[i]) ? Role::muted : role;
        if (row[i].empty()) {
          x += widths[i];
          continue;
        }
        const float h = ui.paragraph({x, line.y + ui.px(3), w - ui.px(16), 0}, row[i],
                                     kSmall_px - 1, cell_role, face, measure);
        if (measure) height = std::max(height, h + ui.px(6));
        x += widths[i];
      }
      if (!measure) {
        ui.list->AddLine({line.x, line.bottom() - 0.5f}, {line.right(), line.bottom() - 0.5f},
                         ui.color(Role::grid));
      }
    }
    page->rest.take_top(height);
  };
  draw_row(table.columns, Role::muted, Face::strong);
  for (const auto& row : table.rows) draw_row(row, Role::text, Face::body);
  page->rest.take_top(ui.px(14));
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
  if (section.table && !section.table_behind) draw_table(ui, page, *section.table);
  for (const std::string& bullet : section.bullets)
    text("·  " + bullet, kSmall_px, Role::text, Face::body, ui.px(2));
  for (const std::string& command : section.commands)
    text(command, kCode_px, Role::text, Face::mono, ui.px(2));
}

void ReportScreen::draw_page(Ui& ui, const Area& area) {
  Scroll page(ui, "report_page", area);
  const auto text = [&](const std::string& words, float size, Role role, Face face, float gap) {
    page.rest.take_top(ui.paragraph(page.rest, words, size, role, face), gap);
  };
  text(report_->title, kHeading_px + 4, Role::text, Face::strong, ui.px(2));
  text(report_->subtitle, kSmall_px, Role::muted, Face::body, ui.px(14));
  if (!report_->claims.empty() && report_->claims.back().paired) {
    const report::Claim& claim = report_->claims.back();
    const Area card = page.rest.take_top(ui.px(104), ui.px(12));
    ui.fill(card, ui.raised(1), ui.px(8));
    draw_verdict(ui, card.inset(ui.px(20), ui.px(12)), *claim.run, claim.comparison, "");
  }
  text(report_->sentence, kBody_px - 1, Role::text, Face::body, ui.px(4));
  for (size_t i = 0; i < report_->sections.size(); ++i)
    draw_section(ui, &page, report_->sections[i], &charts_[i]);
  page.rest.take_top(ui.px(24));
}

void ReportScreen::draw(Ui& ui, Area all) {
  build(ui.state);
  // A page as wide as the exported one is read more easily than one as wide as the screen.
  const float most = ui.px(1120);
  if (all.w > most) all = {all.x + (all.w - most) / 2, all.y, most, all.h};
  ui.panel(all);
  if (!report_) {
    const bool live = !ui.state.is_replay();
    if (draw_nothing(ui, all, "There is nothing to report yet.", why_not_,
                     live ? "Run the ladder" : "Go to Home")) {
      if (live)
        perform(ui.state, "run");
      else
        ui.state.view.screen = ScreenId::home;
    }
    return;
  }
  Area inner = all.inset(ui.px(32), ui.px(16));
  Area bar = inner.take_top(ui.px(36), ui.px(10));
  ui.action_button("export", bar.take_right(ui.px(150)), "Export  Ctrl E", Ui::Kind::primary);
  ui.text(bar.x, bar.middle(),
          ui.state.last_export.empty()
              ? "HTML, Markdown, JSON, CSV and the transcript, in one folder"
              : "Written to " + ui.state.last_export,
          kSmall_px, Role::muted, Face::body, Anchor::start, bar.w - ui.px(16));
  draw_page(ui, inner);
}

}  // namespace

std::unique_ptr<ScreenView> make_report_screen() {
  return std::make_unique<ReportScreen>();
}

}  // namespace ridge::window
