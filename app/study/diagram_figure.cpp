#include "app/study/diagram_figure.h"

#include <sstream>

#include "common/record/derive.h"
#include "common/view/chart/svg.h"
#include "common/view/diagram/diagram.h"

namespace ridge::study {
namespace {

constexpr float kDiagramWidth = 560;
constexpr std::string_view kFence = "```";

}  // namespace

std::optional<DiagramBlock> first_diagram(const std::string& markdown) {
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kFence)) continue;
    DiagramBlock block{.info = line.substr(kFence.size()), .body = {}};
    for (; std::getline(lines, line) && !line.starts_with(kFence);) block.body += line + "\n";
    if (diagram::is_diagram(block.info)) return block;
  }
  return {};
}

std::string diagram_figure(const Lab& lab, const std::string& kernel, const DiagramBlock& block,
                           const std::string& source, const std::string& own_type,
                           const std::string& id) {
  const bool gpu = backend_of(kernel) == Backend::cuda;
  Params sizes = gpu ? lab.first_look_gpu : lab.first_look_cpu;
  if (!own_type.empty() && !sizes.contains("dtype")) sizes["dtype"] = own_type;
  const auto made = diagram::build(block.info, block.body, source, diagram::sizes_of(sizes));
  if (!made) {
    return "<p class=\"sub\">Diagram unavailable: " + chart::escape_xml(made.error().sentence()) +
           ".</p>\n";
  }
  chart::LayoutOptions layout;
  layout.width = kDiagramWidth;
  return "<figure class=\"diagram\">" + diagram::to_svg(*made, id, layout, true) + "</figure>\n";
}

}  // namespace ridge::study
