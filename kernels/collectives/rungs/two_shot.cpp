// ridge: flags=-O3
//
// Idea      Everybody talks with everybody: each rank sends every other rank that one's chunk, adds up its own (first
//           shot), and sends the result to all (second shot).
// Changed   No rank passes on what it was sent, so nothing waits for a chain of ranks: two waits instead of 2 log2 n.
// Limits    2 (n - 1) messages leave a rank's port one after another, each with its delay. On NVLink ranks read one
//           another's memory, and delays overlap: the GPU ladder's two-shot waits for two meetings, a read and a write.
// Look at   As the ring with slow links; ahead of it where delay and rate are 0.
// Source    The two-shot all-reduce of TensorRT-LLM and vLLM (custom_all_reduce); all-to-all as MPI's pairwise exchange.
#include "kernels/collectives/collectives.h"

namespace ridge {
namespace {

/// Chunk `me` of the sum, at its place in `out`.
void reduce_scatter(Rank& r) {
  const Chunk own = r.chunk(r.me);
  for (int64_t away = 1; away < r.ranks; ++away) {
    const int64_t to = (r.me + away) % r.ranks;
    r.send(to, r.in + r.chunk(to).begin, r.chunk(to).count);
  }
  for (int64_t away = 1; away < r.ranks; ++away) {
    const float* sum = away == 1 ? r.in : r.out;
    r.reduce((r.me + r.ranks - away) % r.ranks, sum + own.begin, r.out + own.begin, own.count);
  }
}

/// Rank c's chunk c, from `mine`.
void all_gather(Rank& r, const float* mine) {
  const Chunk own = r.chunk(r.me);
  for (int64_t away = 1; away < r.ranks; ++away)
    r.send((r.me + away) % r.ranks, mine + own.begin, own.count);
  for (int64_t away = 1; away < r.ranks; ++away) {
    const int64_t from = (r.me + r.ranks - away) % r.ranks;
    r.receive(from, r.out + r.chunk(from).begin, r.chunk(from).count);
  }
  if (mine != r.out) Rank::copy(r.out + own.begin, mine + own.begin, own.count);
}

void all_to_all(Rank& r) {
  const Chunk own = r.chunk(r.me);
  for (int64_t away = 1; away < r.ranks; ++away) {
    const int64_t to = (r.me + away) % r.ranks, from = (r.me + r.ranks - away) % r.ranks;
    r.send(to, r.in + r.chunk(to).begin, r.chunk(to).count);
    r.receive(from, r.out + from * own.count, own.count);
  }
  Rank::copy(r.out + r.me * own.count, r.in + own.begin, own.count);
}

void two_shot(Rank& r) {
  if (r.operation == Collective::all_to_all) return all_to_all(r);
  if (r.operation == Collective::all_gather) return all_gather(r, r.in);
  reduce_scatter(r);
  if (r.operation == Collective::all_reduce) all_gather(r, r.out);
}

Status prepare_two_shot(const Shape& shape, Plan* plan) {
  if (collective_of(shape) == Collective::broadcast)
    return refuse("takes all operations but broadcast");
  return prepare_ranks(shape, two_shot, plan);
}

RIDGE_KERNEL(collectives, cpu, two_shot, .time_calls = time_ranks, .unavailable = ranks_unavailable,
             .prepare = prepare_two_shot, .launch = launch_ranks);

}  // namespace
}  // namespace ridge
