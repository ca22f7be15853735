// The machines behind the figures of a page: what a reader has to know of them to follow an argument.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/view/figure/figure.h"

namespace ridge::figure {

struct Machine {
  std::string name;  ///< "NVIDIA H200"
  std::string mark;  ///< of its figures on that page: "§"
};

/// A column for each machine, a row for each fact: cores, vectors, caches, SMs, clock, and the ceilings of its processor
/// (a CPU's of one core) that a recording of `lab` measured there. What several recordings measured stands once, from the
/// lowest to the highest of their ceilings; what none says is a dash.
struct MachineTable {
  std::vector<Machine> machines;
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;  ///< a cell per machine
};
MachineTable machine_table(const std::vector<Machine>& machines, const std::string& lab,
                           std::span<const Place> recordings);

}  // namespace ridge::figure
