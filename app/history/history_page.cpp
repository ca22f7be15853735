#include "app/history/history_page.h"

#include <string_view>

#include "common/core/files.h"
#include "common/core/format.h"
#include "common/view/chart/svg.h"
#include "common/view/report/page.h"

namespace ridge::history {
namespace {

constexpr float kChartWidth = 1040, kChartHeight = 380;

using chart::escape_xml;

chart::LayoutOptions chart_layout() {
  chart::LayoutOptions options;
  options.width = kChartWidth;
  options.height = kChartHeight;
  return options;
}

std::string table_html(const chart::ChartTable& table) {
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::string& column : table.columns)
    out += "<th scope=\"col\">" + escape_xml(column) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + escape_xml(cell) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string change_html(const RungHistory& history, const LevelChange& change,
                        const std::map<std::string, Source>& sources) {
  return "<h3>" + escape_xml(step_text(change) + " from " + place_text(history, change)) +
         "</h3>\n<p>" + escape_xml(differences_text(change)) + "</p>\n<pre>" +
         escape_xml(source_diff(change, sources)) + "</pre>\n";
}

}  // namespace

std::string history_page(const std::vector<RungHistory>& all,
                         const std::map<std::string, Source>& sources) {
  std::string main = "<h1>History</h1>\n";
  int number = 0;
  for (const RungHistory& one : all) {
    chart::ChartModel model = chart::history_chart(chart_input(one));
    model.id += std::to_string(++number);  // ids of several pictures on one page
    main += "<section>\n<h2>" + escape_xml(one.kernel) + "</h2>\n<p>" +
            escape_xml(problem_text(one) + " · " + one.how + " · " + one.machine) +
            "</p>\n<figure>\n" + chart::to_svg(model, chart_layout(), {.embedded = true}) +
            "</figure>\n";
    for (const LevelChange& change : one.changes) main += change_html(one, change, sources);
    if (!one.changes.empty())
      main +=
          "<p>What differs is no cause: times of two days differ by more than the source. "
          "<code>ridgepoint compare</code> measures whether it is one.</p>\n";
    main += table_html(model.table) + "</section>\n";
  }
  return report::html_page("report", "History", main);
}

Result<void> write_history(const std::vector<RungHistory>& all,
                           const std::map<std::string, Source>& sources, const std::string& path) {
  const std::string_view name = path;
  if (name.ends_with(".html")) return write_whole(path, history_page(all, sources));
  if (name.ends_with(".csv")) return write_whole(path, history_csv(all));
  if (!name.ends_with(".svg"))
    return Error{ErrorCode::usage, "a history is written as .html, .svg or .csv", path,
                 "choose one of these endings"};
  if (all.size() != 1)
    return Error{
        ErrorCode::usage, "a picture shows one history, and " + std::to_string(all.size()) + " fit",
        path,
        "name the rung, and the problem with --set or the machine with --machine, or write .html"};
  return write_whole(path,
                     chart::to_svg(chart::history_chart(chart_input(all.front())), chart_layout()));
}

}  // namespace ridge::history
