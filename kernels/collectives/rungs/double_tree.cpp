// ridge: flags=-O3
//
// Idea      In a tree half of the ranks are leaves, which pass nothing on. So there are two trees, and who is a leaf in one is
//           none in the other. Each carries half of the buffer, slice after slice: while a slice climbs, the next follows.
// Changed   A rank sends two buffers at most, however many ranks there are; the tree's busiest rank sends log2 n.
// Limits    A slice costs a delay at every edge, so there may be neither few slices nor many. From about 32 ranks on its
//           2 log2 n edges are far fewer than the ring's 2 (n - 1) steps; eight ranks are too few for that.
// Look at   It beats the tree where bytes decide, and the ring nowhere here.
// Source    Sanders, Speck and Träff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel
//           Computing 35, 2009.
#include <algorithm>

#include "kernels/collectives/collectives.h"

namespace ridge {
namespace {

constexpr int64_t kNobody = -1;
constexpr int64_t kSlice = 1 << 17,
                  kMostSlices = 16;  ///< elements of a slice, slices of half a buffer

struct Node {
  int64_t parent = kNobody, children[2] = {kNobody, kNobody};
  int64_t above = 0, height = 0;  ///< edges up to the top, and from there to the farthest leaf
};

/// Of `count` ranks in a row the one on top: before it lie 2^k - 1, so every second rank is a leaf.
int64_t top_of(int64_t count) {
  int64_t power = 1;
  while (2 * power <= count) power *= 2;
  return power - 1;
}

/// Place `at` of the tree over n places in a row.
Node node_of(int64_t at, int64_t n) {
  Node node;
  int64_t begin = 0, end = n, top = top_of(n);
  for (; top != at; ++node.above) {
    node.parent = top;
    (at < top ? end : begin) = at < top ? top : top + 1;
    top = begin + top_of(end - begin);
  }
  if (begin < top) node.children[0] = begin + top_of(top - begin);
  if (top + 1 < end) node.children[1] = top + 1 + top_of(end - top - 1);
  for (int64_t left = top_of(n); left > 0; left /= 2) ++node.height;  // 2^height - 1 of them
  return node;
}

/// Rank `me` in tree 0 or 1. Tree 1 is tree 0 with its places given to other ranks: to the last one first, or, where an odd
/// number of ranks would leave the leaves leaves, each to the rank before.
Node node_in(int tree, int64_t me, int64_t n) {
  const auto other = [&](int64_t at) {
    if (tree == 0 || at == kNobody) return at;
    return n % 2 == 0 ? n - 1 - at : (at + n - 1) % n;
  };
  const int64_t place = tree == 0 ? me : n % 2 == 0 ? n - 1 - me : (me + 1) % n;
  Node node = node_of(place, n);
  node.parent = other(node.parent);
  for (int64_t& child : node.children) child = other(child);
  return node;
}

/// Half of the buffer in one tree. In each step a slice climbs or comes down one edge, and slices follow each other.
struct Tree {
  Node node;
  Chunk half;
  int64_t slices = 0;

  int64_t steps() const { return slices + 2 * node.height; }
  bool has(int64_t index) const { return index >= 0 && index < slices; }
  Chunk slice(int64_t index) const {
    const Chunk one = chunk_of(half.count, slices, index);
    return {half.begin + one.begin, one.count};
  }

  void send(Rank& r, int64_t step) const {
    const int64_t up = step - node.height + node.above, down = step - node.height - node.above;
    if (has(up) && node.parent != kNobody) {
      const float* sum = node.children[0] == kNobody ? r.in : r.out;
      r.send(node.parent, sum + slice(up).begin, slice(up).count);
    }
    for (const int64_t child : node.children)
      if (has(down) && child != kNobody)
        r.send(child, r.out + slice(down).begin, slice(down).count);
  }

  /// What was sent in this step. A finished slice takes the place of its sum: the parent has read that long ago.
  void receive(Rank& r, int64_t step) const {
    const int64_t up = step - node.height + node.above + 1,
                  down = step - node.height - node.above + 1;
    const float* sum = r.in;
    for (const int64_t child : node.children) {
      if (!has(up) || child == kNobody) continue;
      const Chunk one = slice(up);
      r.reduce(child, sum + one.begin, r.out + one.begin, one.count);
      sum = r.out;
    }
    if (has(down) && node.parent != kNobody)
      r.receive(node.parent, r.out + slice(down).begin, slice(down).count);
  }
};

void double_tree(Rank& r) {
  const int64_t slices = std::clamp<int64_t>(r.count / 2 / kSlice, 1, kMostSlices);
  const Tree trees[] = {{node_in(0, r.me, r.ranks), chunk_of(r.count, 2, 0), slices},
                        {node_in(1, r.me, r.ranks), chunk_of(r.count, 2, 1), slices}};
  // In turns, so that a link's last message has been read before its next one.
  for (int64_t turn = 0; turn < 2 * trees[0].steps() + 2; ++turn) {
    if (turn > 0) trees[(turn - 1) % 2].receive(r, (turn - 1) / 2);
    trees[turn % 2].send(r, turn / 2);
  }
}

Status prepare_double_tree(const Shape& shape, Plan* plan) {
  if (collective_of(shape) != Collective::all_reduce) return refuse("takes all_reduce");
  return prepare_ranks(shape, double_tree, plan);
}

RIDGE_KERNEL(collectives, cpu, double_tree, .time_calls = time_ranks,
             .unavailable = ranks_unavailable, .prepare = prepare_double_tree,
             .launch = launch_ranks);

}  // namespace
}  // namespace ridge
