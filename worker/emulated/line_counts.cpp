#include "worker/emulated/line_counts.h"

#include <set>

namespace ridge::emulated {

Result<std::map<int, LineCounts>> line_counts_of(const Object& object, const LaunchCounts& launch) {
  RIDGE_TRY(const auto flop, flop_of_blocks(object));
  std::set<Site> sites;
  for (const auto& [site, counts] : launch.sites) sites.insert(site);
  for (const auto& [site, visits] : launch.visits) {
    if (!flop.contains(site)) continue;
    for (const auto& [at, count] : flop.at(site).instructions) sites.insert(at);
  }
  RIDGE_TRY(const auto lines, lines_of(object, sites));
  std::map<int, LineCounts> all;
  const auto line_at = [&](Site site) -> LineCounts& {
    const auto found = lines.find(site);
    const int line = found == lines.end() ? 0 : found->second.own.line;
    all[line].line = line;
    return all[line];
  };
  for (const auto& [site, counts] : launch.sites) line_at(site).counts.add(counts);
  for (const auto& [site, visits] : launch.visits) {
    if (!flop.contains(site)) continue;
    for (const auto& [at, count] : flop.at(site).instructions) line_at(at).flop += visits * count;
  }
  return all;
}

}  // namespace ridge::emulated
