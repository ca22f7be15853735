// ridge: flags=-O3
//
// Idea      Recursive halving: in each step a rank sends a partner half of what it still adds up, and keeps the other half.
//           After log2 n steps it holds the sum of one n-th. Recursive doubling then gathers the parts.
// Changed   Messages shrink from step to step: a rank sends 2 (n - 1) / n buffers, as in a ring, in 2 log2 n steps, as in a
//           tree.
// Limits    Partners are as far apart as n / 2: on a machine whose links join neighbours alone, messages share links. Where
//           n is no power of two, whole buffers move in two steps more.
// Look at   Near the better of ring and tree at every size.
// Source    Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004.
#include "kernels/collectives/collectives.h"

namespace ridge {
namespace {

/// Of `power` parts of a buffer the `parts` parts, among which rank `rank`'s is.
Chunk block_of(const Rank& r, int64_t power, int64_t rank, int64_t parts) {
  const int64_t first = rank / parts * parts;
  const Chunk last = chunk_of(r.count, power, first + parts - 1);
  const int64_t begin = chunk_of(r.count, power, first).begin;
  return {begin, last.begin + last.count - begin};
}

void halve(Rank& r, int64_t power, const float* sum) {
  for (int64_t parts = power / 2; parts >= 1; parts /= 2) {
    const int64_t partner = r.me ^ parts;
    const Chunk away = block_of(r, power, partner, parts), kept = block_of(r, power, r.me, parts);
    r.send(partner, sum + away.begin, away.count);
    r.reduce(partner, sum + kept.begin, r.out + kept.begin, kept.count);
    sum = r.out;
  }
}

/// What comes lies where the partner has read: send() has waited for that.
void gather(Rank& r, int64_t power) {
  for (int64_t parts = 1; parts < power; parts *= 2) {
    const int64_t partner = r.me ^ parts;
    const Chunk own = block_of(r, power, r.me, parts), theirs = block_of(r, power, partner, parts);
    r.send(partner, r.out + own.begin, own.count);
    r.receive(partner, r.out + theirs.begin, theirs.count);
  }
}

void halving_doubling(Rank& r) {
  int64_t power = 2;
  while (2 * power <= r.ranks) power *= 2;
  if (r.me >= power) {
    r.send(r.me - power, r.in, r.count);
    return r.receive(r.me - power, r.out, r.count);
  }
  const bool has_extra = r.me + power < r.ranks;
  if (has_extra) r.reduce(r.me + power, r.in, r.out, r.count);
  halve(r, power, has_extra ? r.out : r.in);
  gather(r, power);
  if (has_extra) r.send(r.me + power, r.out, r.count);
}

Status prepare_halving_doubling(const Shape& shape, Plan* plan) {
  if (collective_of(shape) != Collective::all_reduce) return refuse("takes all_reduce");
  return prepare_ranks(shape, halving_doubling, plan);
}

RIDGE_KERNEL(collectives, cpu, halving_doubling, .time_calls = time_ranks,
             .unavailable = ranks_unavailable, .prepare = prepare_halving_doubling,
             .launch = launch_ranks);

}  // namespace
}  // namespace ridge
