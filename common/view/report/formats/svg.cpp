// The climb alone, as a picture that grows: for a README, a slide, a page of one's own.
#include "common/view/chart/svg.h"

#include "common/view/report/format.h"

namespace ridge::report {
namespace {

/// As wide as a page of text.
constexpr float kWidth_px = 880;

const chart::ChartModel* first_chart(const Report& report) {
  for (const Section& section : report.front) {
    if (section.chart) return &*section.chart;
  }
  return nullptr;
}

std::string print_svg(const Report& report) {
  const chart::ChartModel* climb = first_chart(report);
  chart::ChartModel none{
      .id = "climb", .title = report.title, .summary = "Nothing here has a speed."};
  return chart::to_svg(climb ? *climb : none, chart::LayoutOptions{.width = kWidth_px},
                       {.growing = true});
}

RIDGE_FORMAT(svg, .ending = ".svg", .name = "SVG", .about = "the climb as a picture that grows",
             .place = 25, .level = Level::kLearn, .print = print_svg);

}  // namespace
}  // namespace ridge::report
