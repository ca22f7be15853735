#include "app/query/ladder_end.h"

#include <string_view>

namespace ridge::app {
namespace {

bool can_run(const Run& run, const Rung& rung) {
  const KernelInfo* info = run.kernel(rung.kernel);
  return info && info->available;
}

/// A GPU's requirement stands at the rung; a library that is not installed ends no ladder.
bool is_past_machine(const Run& run, const Rung& rung) {
  const KernelInfo* info = run.kernel(rung.kernel);
  return info && !info->available && !rung.peer && !info->needs.empty();
}

}  // namespace

const Rung* ladder_end(const Lab& lab, const Run& run, const Rung& rung) {
  if (!is_past_machine(run, rung)) return nullptr;
  const Rung* last = nullptr;
  bool past = false;
  for (const Rung& other : lab.rungs) {
    if (section_at(lab, other)) {
      if (past) break;
      last = nullptr;
    }
    past = past || &other == &rung;
    if (other.peer || !can_run(run, other)) continue;
    if (past) return nullptr;
    last = &other;
  }
  return last;
}

std::string why_not_here(const Lab& lab, const Run& run, const Rung& rung) {
  const KernelInfo* info = run.kernel(rung.kernel);
  if (!info || info->available) return {};
  const Rung* end = ladder_end(lab, run, rung);
  return info->reason + (end ? std::string(": your ladder ends at ") + end->title : "");
}

std::vector<std::string> ladder_ends(const Lab& lab, const Run& run) {
  std::vector<std::string> lines;
  const Rung* known = nullptr;
  std::string section;
  for (const Rung& rung : lab.rungs) {
    if (const Section* begins = section_at(lab, rung)) section = std::string(begins->title) + ": ";
    const Rung* end = ladder_end(lab, run, rung);
    if (!end || end == known) continue;
    known = end;
    lines.push_back(section + "your ladder ends at " + end->title + ". " + rung.title + " " +
                    run.kernel(rung.kernel)->reason);
  }
  return lines;
}

}  // namespace ridge::app
