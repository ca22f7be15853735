// Inside of build_report(): page 1.
#pragma once

#include <string>
#include <vector>

#include "common/view/report/climb.h"

namespace ridge::report {

/// The comparisons that page 1 may show, in their order: of comparisons of the same two the newest. A learner's own, the
/// newest first; then those that the headline rests on: the fastest rung against the fastest library, the first rung and
/// other libraries; then the steps, and the rest.
std::vector<const Claim*> front_claims(const Material& material, const Climb& climb);
/// The comparison that the headline of a ladder is about: the fastest rung's against a library of its type or against the
/// first rung; another only where those two have no ratio. Null: the headline is the climb's factor, which it is before a
/// library wherever it is 10 or more.
const Claim* leading_claim(const Material& material, const Climb& climb);
/// "“packed” against “cache blocks”".
std::string sides_words(const Claim& claim, const Options& options);
/// "A rung is ...; a ladder is ...": for one who reads both words for the first time; empty where the page has neither.
std::string about_ladder(const Material& material, const Climb& climb);
/// Page 1 after its headline: the climb, the comparisons, the machine, what to beware of, how to do it again.
std::vector<Section> front_sections(const Material& material, const Climb& climb);

}  // namespace ridge::report
