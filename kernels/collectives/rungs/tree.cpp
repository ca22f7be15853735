// ridge: flags=-O3
//
// Idea      The ranks form a binomial tree: in each step half of those that are left pass their sum on and are done, so
//           rank 0 has the sum after log2 n steps. The result goes back down the same tree.
// Changed   2 log2 n steps instead of the ring's 2 (n - 1).
// Limits    Every message is a whole buffer, so the time of large ones is 2 log2 n times a buffer's: a ring needs less than
//           two. In the first step up half of the links rest, in the last one all but one.
// Look at   It beats the ring while delays decide, and loses from the size on where bytes do.
// Source    Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, IJHPCA 19, 2005.
#include "kernels/collectives/collectives.h"

namespace ridge {
namespace {

/// Of all buffers, to rank 0: a rank's children are 1, 2, 4 ... above it, its parent is where its lowest bit is 0.
void reduce_up(Rank& r) {
  const float* sum = r.in;
  for (int64_t bit = 1; bit < r.ranks; bit *= 2) {
    if ((r.me & bit) != 0) return r.send(r.me - bit, sum, r.count);
    if (r.me + bit >= r.ranks) continue;
    r.reduce(r.me + bit, sum, r.out, r.count);
    sum = r.out;
  }
}

/// Rank 0's `data` to all, in the other order: the child with the largest tree comes first.
void broadcast_down(Rank& r, const float* data) {
  int64_t bit = 1;
  while (bit < r.ranks && (r.me & bit) == 0) bit *= 2;
  if (r.me != 0) {
    r.wait_sent(r.me - bit);  // what went up lies where the result comes to
    r.receive(r.me - bit, r.out, r.count);
    data = r.out;
  }
  for (bit /= 2; bit >= 1; bit /= 2)
    if (r.me + bit < r.ranks) r.send(r.me + bit, data, r.count);
}

void tree(Rank& r) {
  if (r.operation == Collective::all_reduce) {
    reduce_up(r);
    return broadcast_down(r, r.out);
  }
  broadcast_down(r, r.in);
  if (r.me == 0) Rank::copy(r.out, r.in, r.count);
}

Status prepare_tree(const Shape& shape, Plan* plan) {
  const Collective op = collective_of(shape);
  if (op != Collective::all_reduce && op != Collective::broadcast)
    return refuse("takes all_reduce and broadcast");
  return prepare_ranks(shape, tree, plan);
}

RIDGE_KERNEL(collectives, cpu, tree, .time_calls = time_ranks, .unavailable = ranks_unavailable,
             .prepare = prepare_tree, .launch = launch_ranks);

}  // namespace
}  // namespace ridge
