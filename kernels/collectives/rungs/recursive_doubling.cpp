// ridge: flags=-O3
//
// Idea      In step s each rank swaps its sum with the rank whose number differs in bit s alone, and both add. After
//           log2 n steps all of them have the whole sum.
// Changed   Nothing goes back down a tree: half of its steps, and no link rests.
// Limits    Still whole buffers, log2 n of them. Ranks above the largest power of two hand theirs to another rank first and
//           get the result last: two steps more.
// Look at   The least time of all rungs while delays decide; it loses to the ring where bytes do.
// Source    Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, IJHPCA 19, 2005.
#include "kernels/collectives/collectives.h"

namespace ridge {
namespace {

void recursive_doubling(Rank& r) {
  int64_t power = 2, steps = 1;
  for (; 2 * power <= r.ranks; power *= 2) ++steps;
  if (r.me >= power) {
    r.send(r.me - power, r.in, r.count);
    return r.receive(r.me - power, r.out, r.count);
  }
  // A partner reads one sum while the next is made in the other buffer; the last one lies in `out`.
  float* next = steps % 2 == 1 ? r.out : r.scratch;
  float* other = steps % 2 == 1 ? r.scratch : r.out;
  const float* sum = r.in;
  const bool has_extra = r.me + power < r.ranks;
  if (has_extra) {
    r.reduce(r.me + power, sum, other, r.count);
    sum = other;
  }
  for (int64_t bit = 1; bit < power; bit *= 2) {
    const int64_t partner = r.me ^ bit;
    r.send(partner, sum, r.count);
    r.reduce(partner, sum, next, r.count);
    r.wait_sent(partner);
    sum = next;
    next = other;
    other = next == r.out ? r.scratch : r.out;
  }
  if (has_extra) r.send(r.me + power, r.out, r.count);
}

Status prepare_recursive_doubling(const Shape& shape, Plan* plan) {
  if (collective_of(shape) != Collective::all_reduce) return refuse("takes all_reduce");
  return prepare_ranks(shape, recursive_doubling, plan);
}

RIDGE_KERNEL(collectives, cpu, recursive_doubling, .time_calls = time_ranks,
             .unavailable = ranks_unavailable, .prepare = prepare_recursive_doubling,
             .launch = launch_ranks);

}  // namespace
}  // namespace ridge
