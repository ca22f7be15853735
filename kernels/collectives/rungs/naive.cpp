// ridge: flags=-O3
//
// Idea      Everything goes through rank 0: it receives every rank's buffer, and sends every rank what it is to get.
// Limits    Rank 0's link: 2 (n - 1) messages go over it one after another, each with a whole buffer, while the other
//           ranks' links rest.
// Look at   Twice the ranks take twice the time, at every size.
// Source    The definitions of the operations (MPI standard, chapter on collective communication).
#include "kernels/collectives/collectives.h"

namespace ridge {
namespace {

constexpr int64_t kRoot = 0;

/// The sum of all buffers, in the root's `out`.
void gather_sum(Rank& r) {
  if (r.me != kRoot) return r.send(kRoot, r.in, r.count);
  const float* sum = r.in;
  for (int64_t from = 1; from < r.ranks; ++from) {
    r.reduce(from, sum, r.out, r.count);
    sum = r.out;
  }
}

void all_reduce(Rank& r) {
  gather_sum(r);
  if (r.me != kRoot) return r.receive(kRoot, r.out, r.count);
  for (int64_t to = 1; to < r.ranks; ++to) r.send(to, r.out, r.count);
}

void reduce_scatter(Rank& r) {
  gather_sum(r);
  const Chunk own = r.chunk(r.me);
  if (r.me != kRoot) return r.receive(kRoot, r.out + own.begin, own.count);
  for (int64_t to = 1; to < r.ranks; ++to) r.send(to, r.out + r.chunk(to).begin, r.chunk(to).count);
}

void broadcast(Rank& r) {
  if (r.me != kRoot) return r.receive(kRoot, r.out, r.count);
  for (int64_t to = 1; to < r.ranks; ++to) r.send(to, r.in, r.count);
  Rank::copy(r.out, r.in, r.count);
}

void all_gather(Rank& r) {
  const Chunk own = r.chunk(r.me);
  if (r.me != kRoot) {
    r.send(kRoot, r.in + own.begin, own.count);
    return r.receive(kRoot, r.out, r.count);
  }
  Rank::copy(r.out + own.begin, r.in + own.begin, own.count);
  for (int64_t from = 1; from < r.ranks; ++from)
    r.receive(from, r.out + r.chunk(from).begin, r.chunk(from).count);
  for (int64_t to = 1; to < r.ranks; ++to) r.send(to, r.out, r.count);
}

/// The root has room for one other buffer: it passes on the chunks of one rank before it receives the next one's.
void all_to_all(Rank& r) {
  const Chunk own = r.chunk(r.me);
  if (r.me != kRoot) r.send(kRoot, r.in, r.count);
  for (int64_t from = 0; from < r.ranks; ++from) {
    float* place = r.out + from * own.count;
    if (from == r.me) {
      Rank::copy(place, r.in + own.begin, own.count);
    } else if (r.me != kRoot) {
      r.receive(kRoot, place, own.count);
    }
    if (r.me != kRoot) continue;
    const float* all = from == kRoot ? r.in : r.scratch;
    for (int64_t to = 1; to < r.ranks; ++to) r.wait_sent(to);
    if (from != kRoot) {
      r.receive(from, r.scratch, r.count);
      Rank::copy(place, r.scratch + own.begin, own.count);
    }
    for (int64_t to = 1; to < r.ranks; ++to)
      if (to != from) r.send(to, all + r.chunk(to).begin, r.chunk(to).count);
  }
}

void naive(Rank& r) {
  switch (r.operation) {
    case Collective::all_reduce:
      return all_reduce(r);
    case Collective::all_gather:
      return all_gather(r);
    case Collective::reduce_scatter:
      return reduce_scatter(r);
    case Collective::broadcast:
      return broadcast(r);
    case Collective::all_to_all:
      return all_to_all(r);
  }
}

Status prepare_naive(const Shape& shape, Plan* plan) {
  return prepare_ranks(shape, naive, plan);
}

RIDGE_KERNEL(collectives, cpu, naive, .time_calls = time_ranks, .unavailable = ranks_unavailable,
             .prepare = prepare_naive, .launch = launch_ranks);

}  // namespace
}  // namespace ridge
