#include "app/query/next_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/query/editing.h"
#include "common/record/derive.h"

namespace ridge::app {
namespace {

/// The first CUDA rung of ours: a library's code cannot be counted.
const Rung* countable_rung(const Lab& lab) {
  const auto found = std::find_if(lab.rungs.begin(), lab.rungs.end(), [](const Rung& rung) {
    return !rung.peer && backend_of(rung.kernel) == Backend::cuda;
  });
  return found == lab.rungs.end() ? nullptr : &*found;
}

}  // namespace

bool has_puzzles(const Lab& lab) {
  const auto& all = known_exercises();
  return std::any_of(all.begin(), all.end(), [&](const Exercise& one) {
    return one.lab == lab.id && one.is_puzzle();
  });
}

std::string next_text(const Lab& lab) {
  const auto& all = known_exercises();
  const auto count = std::count_if(all.begin(), all.end(),
                                   [&](const Exercise& one) { return one.lab == lab.id; });
  if (count == 0) return "";
  std::string text = fmt::format("  next: 'ridgepoint exercise list {}' has its {} exercise{}",
                                 lab.id, count, count == 1 ? "" : "s");
  if (const Rung* rung = countable_rung(lab))
    text += fmt::format("; 'ridgepoint count {}' counts a rung here, without a GPU", rung->kernel);
  return text + "\n";
}

}  // namespace ridge::app
