// ridge: flags=-O3
//
// Idea      The ranks form a ring, and each sends to the next alone. A chunk's sum travels round it and grows at every
//           rank (reduce-scatter); then the finished chunks travel round (all-gather).
// Changed   No rank is in the middle: in each step all links carry a chunk, one n-th of a buffer. A rank sends 2 (n - 1) / n
//           buffers, whatever n is. Where ranks alone add, the busiest rank of no all-reduce sends less.
// Limits    2 (n - 1) steps, each with the delay of a message: small buffers and many ranks wait for delays alone.
// Look at   Bus bandwidth at large sizes is the link's rate; at small ones the time is 2 (n - 1) delays.
// Source    Patarasuk and Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, JPDC 69, 2009.
#include "kernels/collectives/collectives.h"

namespace ridge {
namespace {

/// Chunk `me` of the sum, at its place in `out`. In step s a rank passes on what step s - 1 brought it.
void reduce_scatter(Rank& r) {
  for (int64_t step = 1; step < r.ranks; ++step) {
    const Chunk away = r.chunk(r.me - step), here = r.chunk(r.me - step - 1);
    r.send((r.me + 1) % r.ranks, (step == 1 ? r.in : r.out) + away.begin, away.count);
    r.reduce((r.me + r.ranks - 1) % r.ranks, r.in + here.begin, r.out + here.begin, here.count);
  }
}

/// From chunk `me` in `out`.
void all_gather(Rank& r) {
  for (int64_t step = 0; step + 1 < r.ranks; ++step) {
    const Chunk away = r.chunk(r.me - step), here = r.chunk(r.me - step - 1);
    r.send((r.me + 1) % r.ranks, r.out + away.begin, away.count);
    r.receive((r.me + r.ranks - 1) % r.ranks, r.out + here.begin, here.count);
  }
}

void ring(Rank& r) {
  if (r.operation == Collective::all_gather) {
    const Chunk own = r.chunk(r.me);
    Rank::copy(r.out + own.begin, r.in + own.begin, own.count);
  } else {
    reduce_scatter(r);
  }
  if (r.operation != Collective::reduce_scatter) all_gather(r);
}

Status prepare_ring(const Shape& shape, Plan* plan) {
  const Collective op = collective_of(shape);
  if (op == Collective::broadcast || op == Collective::all_to_all)
    return refuse("takes all_reduce, reduce_scatter and all_gather");
  return prepare_ranks(shape, ring, plan);
}

RIDGE_KERNEL(collectives, cpu, ring, .time_calls = time_ranks, .unavailable = ranks_unavailable,
             .prepare = prepare_ring, .launch = launch_ranks);

}  // namespace
}  // namespace ridge
