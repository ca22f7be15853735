#include "app/query/beside.h"

#include "common/view/report/apart.h"

namespace ridge::app {
namespace {

const Series* last_result(const Run& run) {
  const Series* last = nullptr;
  for (const Series& series : run.series()) last = &series;
  return last;
}

/// Of two runs without a rung in common.
std::string why_nothing(const Run& first, const Run& second) {
  const Series *ours = last_result(first), *theirs = last_result(second);
  if (!ours) return "nothing was measured in the first run";
  if (!theirs) return "nothing was measured in the second run";
  const std::string why = report::why_not_beside(*ours, *theirs);
  return why.empty() ? "no rung of this lab was run in both" : why;
}

}  // namespace

Result<Beside> put_beside(const Lab& lab, const Run& first, const Run& second) {
  Beside beside;
  std::string why_not;
  for (const Rung& rung : lab.rungs) {
    const Series* ours = first.latest(rung.kernel);
    if (!ours) continue;
    const Series* theirs = second.latest(rung.kernel, ours->params);
    if (!theirs) theirs = second.latest(rung.kernel);
    if (!theirs) continue;
    const std::string why = report::why_not_beside(*ours, *theirs);
    if (why.empty()) {
      beside.pairs.push_back({&rung, ours, theirs});
      continue;
    }
    if (why_not.empty()) why_not = why;
    beside.left_out.push_back(std::string(rung.title) + ": " + why + ".");
  }
  if (beside.pairs.empty()) {
    return Error{ErrorCode::usage,
                 "the two cannot stand beside each other: " +
                     (why_not.empty() ? why_nothing(first, second) : why_not),
                 "", "open two runs of one lab that solve one problem"};
  }
  const BesidePair& one = beside.pairs.front();
  beside.differences = report::differences_sentence(first, *one.first, second, *one.second);
  return beside;
}

}  // namespace ridge::app
