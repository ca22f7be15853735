// Inside of build_report(): what a reader sees first, of one comparison or of a ladder.
#pragma once

#include <string>
#include <vector>

#include "common/view/report/climb.h"

namespace ridge::report {

/// Of the one comparison, else of the climb.
Headline headline_of(const Material& material, const Climb& climb);
/// The headline of a report that is about the ladder, in words: the first says what leads, the others the rest.
std::vector<std::string> climb_sentences(const Material& material, const Climb& climb);
/// "faster, 1.34× [1.34, 1.35]": one of the two verdicts that a held clock makes of a comparison.
std::string verdict_figures(const std::string& verdict, const PairedVerdict& judged, double margin);

}  // namespace ridge::report
