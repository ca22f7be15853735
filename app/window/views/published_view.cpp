// A table that somebody published, in the centre: each row as printed and as it is here, what is
// missing and what would bring it, and what the figures teach. The rows are those of `run --table`.
#include "app/window/views/published_view.h"

#include "app/query/recordings.h"
#include "app/query/selection.h"
#include "app/window/panels/widgets.h"
#include "app/window/shell/actions.h"
#include "app/window/teach/study.h"
#include "app/window/views/view.h"
#include "common/core/format.h"

namespace ridge::window {

std::string mark_of(const app::PublishedRow& row) {
  switch (row.source) {
    case app::PublishedRow::Source::measured:
      return "measured";
    case app::PublishedRow::Source::extrapolated:
      return "extrapolated";
    case app::PublishedRow::Source::recorded:
      return row.machine.empty() ? "recorded" : "on " + app::short_machine(row.machine);
    case app::PublishedRow::Source::missing:
      break;
  }
  return "missing";
}

namespace {

constexpr float kRow = 32, kButton_w = 150, kButton_h = 32;
/// Where each column begins, or ends where its figures are set to the right, as shares of the width.
struct Column {
  const char* heading;
  float at;
  bool right;
  const char* metric = "";  ///< key into assets/metrics.json
};
constexpr Column kColumns[] = {
    {"row", 0, false},
    {"printed for", 0.24f, false},
    {"printed", 0.47f, true, "time_per_call"},
    {"that is", 0.60f, true, "throughput"},
    {"here", 0.71f, true, "time_per_call"},
    {"that is", 0.84f, true, "throughput"},
    {"", 0.87f, false},
};
/// Under this width (at scale 1) times only: a rate is the same figure once more, and the hover has it.
constexpr float kNarrow_px = 680, kNarrowAt[] = {0, 0.36f, 0.64f, -1, 0.82f, -1, 0.85f};

float column_at(Ui& ui, const Area& area, size_t column) {
  return area.w < ui.px(kNarrow_px) ? kNarrowAt[column] : kColumns[column].at;
}

std::string rate(const std::optional<double>& flop_per_s) {
  return flop_per_s ? format_rate(*flop_per_s, "FLOP/s") : "";
}

/// Its rows as they stand now.
class PublishedPanel final : public CentrePanel {
 public:
  void draw(Ui& ui, Area area) override;

 private:
  struct Line {
    std::vector<std::string> cells;
    bool is_here = false;
    std::string note;
  };
  void build(Ui& ui);
  static void draw_line(Ui& ui, const Area& area, const std::vector<std::string>& cells, Role role,
                        Role here);
  std::vector<Line> lines_;
  std::string heading_;  ///< of the figures that are not printed
  uint64_t version_ = ~0ull;
};

void PublishedPanel::build(Ui& ui) {
  if (version_ == ui.state.ladder.version) return;
  version_ = ui.state.ladder.version;
  lines_.clear();
  bool any_here = false, any_recorded = false;
  const Table& table = ui.state.selection.lab->tables.front();
  // Copied into text at once: the rows point into a run that grows.
  for (const app::PublishedRow& row :
       app::fill_table(table, ui.state.run(), 0, ui.state.sessions.recordings, {})) {
    const bool here = row.source != app::PublishedRow::Source::missing;
    Line line;
    line.cells = {row.row->title,
                  row.row->machine,
                  row.row->printed_ns ? format_time_ns(*row.row->printed_ns) : "",
                  rate(row.printed_flop_per_s),
                  here ? format_time_ns(row.time_ns) : kNone,
                  here ? rate(row.flop_per_s) : "",
                  mark_of(row)};
    const bool is_recorded = row.source == app::PublishedRow::Source::recorded;
    any_recorded = any_recorded || is_recorded;
    any_here = any_here || (here && !is_recorded);
    line.is_here = here;
    const char* const where = is_recorded ? "\n" : " here\n";
    line.note = (line.cells[5].empty() ? "" : line.cells[5] + where) + row.note +
                (row.brings.empty() ? "" : "\nIt takes " + row.brings);
    if (row.ci_ns) line.note += "\n95 % " + format_time_interval(row.ci_ns);
    lines_.push_back(std::move(line));
  }
  heading_ = !any_recorded ? "here" : any_here ? "here, or recorded" : "recorded";
}

void PublishedPanel::draw_line(Ui& ui, const Area& area, const std::vector<std::string>& cells,
                               Role role, Role here) {
  for (size_t i = 0; i < std::size(kColumns); ++i) {
    const Column& column = kColumns[i];
    const bool is_ours = i == 4 || i == 5;
    const float at = column_at(ui, area, i);
    if (at < 0) continue;
    const bool is_last = i + 1 == std::size(kColumns);
    const float room = is_last ? (1 - at) * area.w
                       : i < 2 ? (column_at(ui, area, i + 1) - at) * area.w * (i ? 0.55f : 1)
                               : 0;
    ui.text(area.x + at * area.w, area.middle(), cells[i], kSmall_px, is_ours ? here : role,
            Face::body, column.right ? Anchor::end : Anchor::start, room);
  }
}

void PublishedPanel::draw(Ui& ui, Area area) {
  const Lab& lab = *ui.state.selection.lab;
  if (lab.tables.empty()) {
    draw_empty_state(ui, area, "This lab follows no published table.", "The ladder is its own.");
    return;
  }
  build(ui);
  const Table& table = lab.tables.front();
  area = area.inset(ui.px(12), ui.px(6));
  ImGui::SetCursorScreenPos({area.x, area.y});
  compat::begin_child("table", area.w, area.h, true);
  ImDrawList* outer = std::exchange(ui.list, ImGui::GetWindowDrawList());
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = area.w - ui.px(16);
  Area rest = {origin.x, origin.y, width, 1e6f};
  const Area head = {rest.x, rest.y, width - ui.px(kButton_w + 12), 0};
  const float title_h = ui.paragraph(head, std::string(table.title) + ".", kSmall_px, Role::muted);
  ui.action_button("run_table",
                   {rest.right() - ui.px(kButton_w), rest.y, ui.px(kButton_w), ui.px(kButton_h)},
                   "Run the table", Ui::Kind::normal);
  rest.take_top(std::max(title_h, ui.px(kButton_h)), ui.px(8));
  std::vector<std::string> headings;
  for (const Column& column : kColumns)
    headings.push_back(column.heading == std::string_view("here") ? heading_ : column.heading);
  const Area heads = rest.take_top(ui.px(kRow));
  draw_line(ui, heads, headings, Role::muted, Role::muted);
  for (size_t i = 0; i < std::size(kColumns); ++i) {
    const float at = column_at(ui, heads, i);
    if (!*kColumns[i].metric || at < 0) continue;
    const float w = ui.px(72), right = heads.x + at * heads.w;
    const Area head_cell = {right - w, heads.y, w, heads.h};
    if (ui.hovers("table_head:" + std::to_string(i), head_cell))
      ui.tooltip(metric_text(kColumns[i].metric));
  }
  for (size_t i = 0; i < lines_.size(); ++i) {
    const Area line = rest.take_top(ui.px(kRow));
    if (i % 2 == 0) ui.fill(line, ui.raised(1), ui.px(4));
    draw_line(ui, line, lines_[i].cells, Role::text, lines_[i].is_here ? Role::text : Role::muted);
    const auto touched = ui.touch("table:" + std::to_string(i), line);
    if (touched.hovered && !lines_[i].note.empty()) ui.tooltip(lines_[i].note);
  }
  rest.take_top(ui.px(12));
  for (const TableLesson& lesson : table.lessons) {
    rest.take_top(ui.paragraph(rest, lesson.title, kBody_px, Role::text, Face::strong), ui.px(2));
    rest.take_top(ui.paragraph(rest, lesson.text, kSmall_px, Role::muted), ui.px(12));
  }
  ImGui::SetCursorScreenPos({origin.x, rest.y});
  ImGui::Dummy({width, 1});
  ImGui::EndChild();
  ui.list = outer;
}

/// The rows that this machine can run.
void run_table(State& state) {
  const Lab& lab = *state.selection.lab;
  if (lab.tables.empty()) return;
  const auto selection = app::select_table(lab, lab.tables.front(), state.run(), {});
  if (!selection) {
    state.notice = {selection.error().sentence(), true};
    return;
  }
  WorkRequest request = request_for(state, RequestType::run);
  request.cache = CacheMode::hot;
  request.table = lab.tables.front().id;
  request.kernels = selection->kernels;
  send(state, std::move(request), &state.requests.run);
}

std::string published_blocker(const State& state) {
  return state.selection.lab && !state.selection.lab->tables.empty()
             ? ""
             : "This lab follows no published table.";
}

std::span<const Action> published_actions() {
  static const Action kActions[] = {
      {"run_table", "Run the table's rows", {}, run_blocker, run_table}};
  return kActions;
}

}  // namespace

const ViewDesc kTableView = {.id = "table",
                             .label = "Published table",
                             .title = "Published table: its rows, run again here",
                             .place = 90,
                             .blocker = published_blocker,
                             .make_panel = []() -> std::unique_ptr<CentrePanel> {
                               return std::make_unique<PublishedPanel>();
                             },
                             .actions = published_actions};
RIDGE_VIEW(kTableView);

}  // namespace ridge::window
