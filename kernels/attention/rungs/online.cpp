// ridge: flags=-O3,-fno-math-errno
//
// Idea      A row of scores is never kept. Its keys come in blocks of 64; the row remembers the largest
//           score so far and the sum so far, and when a block brings a larger maximum, what was summed
//           before is multiplied by exp(old - new).
// Changed   S is gone: 64 scores at a time, in the first-level cache. O grows block by block, and is divided
//           by the sum once, at the end.
// Limits    Dot products in order and one exponential at a time: the arithmetic is what it was.
// Look at   Memory against the sequence: a straight line now. The FLOP are the same; time still grows with
//           the square.
// Source    Milakov and Gimelshein, arXiv:1805.02867 (the online softmax); Dao et al., arXiv:2205.14135.
#include <cmath>

#include "kernels/runtime/problems/attention.h"

namespace ridge {
namespace {

constexpr int64_t kBlock = 64, kLargestHead = 256;

/// Of one query: what is known after the blocks so far.
struct Row {
  float running_max = -INFINITY, sum = 0;
  float o[kLargestHead] = {};
};

/// `count` keys and values join the row.
void add_block(const Attention& a, const float* q, const float* k, const float* v, int64_t count,
               Row* row) {
  float s[kBlock];
  float running_max = row->running_max;
  for (int64_t j = 0; j < count; ++j) {
    float sum = 0;
    for (int64_t p = 0; p < a.d; ++p) sum += q[p] * k[j * a.d + p];
    s[j] = sum * a.scale;
    running_max = std::fmax(running_max, s[j]);
  }
  const float rescale = std::exp(row->running_max - running_max);  // 0 for the first block
  row->running_max = running_max;
  row->sum *= rescale;
  for (int64_t c = 0; c < a.d; ++c) row->o[c] *= rescale;
  for (int64_t j = 0; j < count; ++j) {
    const float p = std::exp(s[j] - running_max);
    row->sum += p;
    for (int64_t c = 0; c < a.d; ++c) row->o[c] += p * v[j * a.d + c];
  }
}

Status launch_online(const Launch& launch) {
  const Attention a = attention_of(launch);
  for (int64_t i = 0; i < a.heads * a.sequence; ++i) {
    const int64_t keys = attention_keys(a, i % a.sequence);
    const int64_t first = i / a.sequence / a.group * a.sequence * a.d;
    const auto *k = static_cast<const float*>(a.k) + first,
               *v = static_cast<const float*>(a.v) + first;
    Row row;
    for (int64_t j = 0; j < keys; j += kBlock) {
      const int64_t count = keys - j < kBlock ? keys - j : kBlock;
      add_block(a, static_cast<const float*>(a.q) + i * a.d, k + j * a.d, v + j * a.d, count, &row);
    }
    float* o = static_cast<float*>(a.o) + i * a.d;
    for (int64_t c = 0; c < a.d; ++c) o[c] = row.o[c] / row.sum;
  }
  return {};
}

RIDGE_KERNEL(attention, cpu, online, .launch = launch_online);

}  // namespace
}  // namespace ridge
