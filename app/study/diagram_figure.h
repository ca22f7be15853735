// A lesson's diagram as it stands in a page: one step of it, at the size where a first look is taken.
#pragma once

#include <optional>
#include <string>

#include "labs/lab.h"

namespace ridge::study {

/// A fenced block: "diagram threads", and its lines.
struct DiagramBlock {
  std::string info, body;
};
/// Of a part of a lesson, in Markdown; none: it has no diagram.
std::optional<DiagramBlock> first_diagram(const std::string& markdown);

/// HTML; what cannot be drawn is said. `own_type`: of the rung, where the lab's first look names none. `id`: of its
/// elements, once in a page.
std::string diagram_figure(const Lab& lab, const std::string& kernel, const DiagramBlock& block,
                           const std::string& source, const std::string& own_type,
                           const std::string& id);

}  // namespace ridge::study
