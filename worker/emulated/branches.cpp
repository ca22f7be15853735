#include "worker/emulated/branches.h"

#include <algorithm>

namespace ridge::emulated {

void Branches::begin() {
  at_ = {};
}

bool Branches::go(int lane, uint32_t to) {
  uint32_t& at = at_[static_cast<size_t>(lane)];
  const uint32_t from = at;
  at = to;
  if (from == 0) return true;
  if (from >= places_.size()) places_.resize(from + 16);
  Place& place = places_[from];
  const size_t k = place.made[static_cast<size_t>(lane)]++;
  if (k >= place.visits.size()) place.visits.resize(std::max<size_t>(4, k * 2));
  if (place.used == 0) touched_.push_back(from);
  Visit& visit = place.visits[k];
  if (!visit.is_taken) visit = {.next = to, .is_taken = true, .is_split = false};
  visit.is_split |= visit.next != to;
  place.used = std::max(place.used, k + 1);
  return k + 1 < kMostAhead;
}

void Branches::meet(const std::vector<Site>& sites, std::vector<BranchCounts>* counts) {
  for (const uint32_t block : touched_) {
    Place& place = places_[block];
    if (block >= counts->size()) counts->resize(block + 16);
    BranchCounts& sum = (*counts)[block];
    for (size_t k = 0; k < place.used; ++k) {
      Visit& visit = place.visits[k];
      sum.add({.warps = 1,
               .splits = visit.is_split ? 1 : 0,
               .next = sites[visit.next],
               .is_two_way = visit.is_split});
      visit.is_taken = false;
    }
    place.made = {};
    place.used = 0;
  }
  touched_.clear();
}

}  // namespace ridge::emulated
