// ridge: flags=-O3,-fno-math-errno
//
// Idea      Nothing is stored: 64 keys stay, and one query after another meets them, computes its 64 weights again
//           from L, and is added to dK, dV and dQ. A thread takes whole heads of keys: nobody else adds to its
//           gradients.
// Changed   P and dS are gone but for 64 numbers each. Loops that the compiler can turn into vectors: 16 dot products
//           run side by side, out of keys and values that were turned around once a block.
// Limits    Each multiply-add of the last three products loads and stores its sum in a cache; and the exponential is
//           one at a time.
// Look at   Memory against the sequence: a straight line. With fewer heads than threads some have nothing to do.
// Source    Dao et al., FlashAttention, arXiv:2205.14135, algorithm 4.
#include <cmath>

#include "kernels/attention_backward/backward.h"
#include "kernels/runtime/cpu/team.h"

namespace ridge {
namespace {

constexpr int64_t kBlock = 64, kWide = 16, kLargestHead = 256;

struct Tile {
  float kt[kLargestHead * kBlock], vt[kLargestHead * kBlock];  ///< element by element of 64 keys
  float p[kBlock], ds[kBlock];
};

/// 64 dot products of `x` with the columns of `bt` (d x 64).
void dots(const float* x, const float* bt, int64_t d, float* to) {
  for (int64_t j = 0; j < kBlock; j += kWide) {
    float sum[kWide] = {};
    for (int64_t c = 0; c < d; ++c) {
      for (int64_t e = 0; e < kWide; ++e) sum[e] += x[c] * bt[c * kBlock + j + e];
    }
    for (int64_t e = 0; e < kWide; ++e) to[j + e] = sum[e];
  }
}

void add(float weight, const float* from, int64_t d, float* to) {
  for (int64_t c = 0; c < d; ++c) to[c] += weight * from[c];
}

void transpose(const float* from, int64_t count, int64_t d, float* to) {
  for (int64_t c = 0; c < d; ++c) {
    for (int64_t j = 0; j < kBlock; ++j) to[c * kBlock + j] = j < count ? from[j * d + c] : 0;
  }
}

/// One query of head `head` meets keys [key, key + count): `i` is its row over all heads.
void add_query(const AttentionBackward& b, int64_t i, int64_t kv, int64_t count, Tile* tile) {
  const int64_t d = b.a.d;
  const float *q = static_cast<const float*>(b.a.q) + i * d,
              *o = static_cast<const float*>(b.a.o) + i * d,
              *d_o = static_cast<const float*>(b.d_o) + i * d;
  float d_row = 0, *p = tile->p, *ds = tile->ds;
  for (int64_t c = 0; c < d; ++c) d_row += d_o[c] * o[c];
  dots(q, tile->kt, d, p);
  dots(d_o, tile->vt, d, ds);
  for (int64_t j = 0; j < count; ++j) {
    p[j] = std::exp(p[j] * b.a.scale - b.l[i]);
    ds[j] = p[j] * (ds[j] - d_row) * b.a.scale;
  }
  for (int64_t j = 0; j < count; ++j) {
    add(p[j], d_o, d, static_cast<float*>(b.dv) + (kv + j) * d);
    add(ds[j], q, d, static_cast<float*>(b.dk) + (kv + j) * d);
    add(ds[j], static_cast<const float*>(b.a.k) + (kv + j) * d, d,
        static_cast<float*>(b.dq) + i * d);
  }
}

void backward_heads(const AttentionBackward& b, int64_t head_kv, Tile* tile) {
  const int64_t n = b.a.sequence, d = b.a.d, first = head_kv * b.a.group * n;
  for (int64_t e = 0; e < b.a.group * n * d; ++e) static_cast<float*>(b.dq)[first * d + e] = 0;
  for (int64_t e = head_kv * n * d; e < (head_kv + 1) * n * d; ++e) {
    static_cast<float*>(b.dk)[e] = static_cast<float*>(b.dv)[e] = 0;
  }
  for (int64_t key = 0; key < n; key += kBlock) {
    const int64_t kv = head_kv * n + key, count = n - key < kBlock ? n - key : kBlock;
    transpose(static_cast<const float*>(b.a.k) + kv * d, count, d, tile->kt);
    transpose(static_cast<const float*>(b.a.v) + kv * d, count, d, tile->vt);
    for (int64_t row = 0; row < b.a.group * n; ++row) {
      const int64_t seen = attention_keys(b.a, row % n) - key;
      if (seen > 0) add_query(b, first + row, kv, seen < count ? seen : count, tile);
    }
  }
}

void backward_part(void* context, int index) {
  const auto& b = *static_cast<const AttentionBackward*>(context);
  Tile tile;
  for (int64_t head = index; head < b.a.heads / b.a.group; head += b.a.threads) {
    backward_heads(b, head, &tile);
  }
}

Status launch_threads(const Launch& launch) {
  AttentionBackward b = backward_of(launch);
  team_run(b.a.threads, backward_part, &b);
  return {};
}

RIDGE_KERNEL(attention_backward, cpu, threads, .launch = launch_threads);

}  // namespace
}  // namespace ridge
