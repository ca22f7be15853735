#include "worker/emulated/line_counts.h"

#include <set>

namespace ridge::emulated {
namespace {

/// Where a block's branch stands: at its conditional jump, else at the block.
Site branch_of(const std::map<Site, BlockCode>& code, Site block) {
  const auto found = code.find(block);
  return found == code.end() || found->second.branch == nullptr ? block : found->second.branch;
}

}  // namespace

Result<std::map<int, LineCounts>> line_counts_of(const Object& object, const LaunchCounts& launch) {
  RIDGE_TRY(const auto code, code_of_blocks(object));
  std::set<Site> sites;
  for (const auto& [site, counts] : launch.sites) sites.insert(site);
  for (const auto& [site, flop] : launch.warp_flop) sites.insert(site);
  for (const auto& [site, visits] : launch.visits) {
    if (!code.contains(site)) continue;
    for (const auto& [at, count] : code.at(site).instructions) sites.insert(at);
  }
  for (const auto& [site, ways] : launch.branches) {
    if (ways.is_two_way) sites.insert(branch_of(code, site));
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
  for (const auto& [site, flop] : launch.warp_flop) {
    LineCounts& line = line_at(site);
    line.flop += flop;
    line.tensor_flop += flop;
  }
  for (const auto& [site, visits] : launch.visits) {
    if (!code.contains(site)) continue;
    for (const auto& [at, count] : code.at(site).instructions) line_at(at).flop += visits * count;
  }
  for (const auto& [site, ways] : launch.branches) {
    if (!ways.is_two_way) continue;
    SiteCounts& counts = line_at(branch_of(code, site)).counts;
    counts.branches += ways.warps;
    counts.split_branches += ways.splits;
  }
  return all;
}

}  // namespace ridge::emulated
