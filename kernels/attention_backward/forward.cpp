// ridge: flags=-O3,-fno-math-errno
//
// The forward pass that a backward problem begins with: on the host, in fp32, once for a problem and never timed.
#include <cmath>

#include "common/core/parallel.h"
#include "common/harness/quality/quality.h"
#include "kernels/attention_backward/backward.h"
#include "kernels/attention_backward/check.h"

namespace ridge::attention_backward {
namespace {

constexpr int64_t kWide = 64;

/// This file is not one of an instruction set, but 550 GFLOP (4 x 16 heads of 4,096 keys) are a minute without.
#if defined(__x86_64__) && defined(__GLIBC__)
#define RIDGE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define RIDGE_CLONES
#endif

/// to[0 .. columns) += the sum over i of a[i] * b[i][..]; 64 sums at a time, in registers.
RIDGE_CLONES void add_rows(const float* a, const float* b, int64_t count, int64_t columns,
                           float* to) {
  for (int64_t c = 0; c < columns; c += kWide) {
    const int64_t wide = std::min(kWide, columns - c);
    float sum[kWide] = {};
    if (wide == kWide) {
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t e = 0; e < kWide; ++e) sum[e] += a[i] * b[i * columns + c + e];
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t e = 0; e < wide; ++e) sum[e] += a[i] * b[i * columns + c + e];
      }
    }
    for (int64_t e = 0; e < wide; ++e) to[c + e] += sum[e];
  }
}

std::vector<float> load_head(const HostBuffers& host, int buffer, const Shape& shape,
                             int64_t head) {
  const int64_t size = shape.dim[kAttentionSequence] * shape.dim[kAttentionHeadSize];
  std::vector<double> wide(static_cast<size_t>(size));
  quality::load_range(host[size_t(buffer)].data(), head * size, shape.dtype, wide);
  return {wide.begin(), wide.end()};
}

/// Keys in blocks of 64: a block's scores of one query, from keys that lie element by element.
constexpr int64_t kBlock = 64;

struct Head {
  std::vector<float> q, kt, v;
};

void forward_row(const Attention& a, const Head& head, int64_t i, std::vector<float>* s, float* o,
                 float* l) {
  const int64_t keys = attention_keys(a, i);
  float row_max = -INFINITY;
  std::fill(s->begin(), s->end(), 0.0f);
  for (int64_t j = 0; j < keys; j += kBlock) {
    add_rows(head.q.data() + i * a.d, head.kt.data() + j * a.d, a.d, kBlock, s->data() + j);
  }
  for (int64_t j = 0; j < keys; ++j) row_max = std::fmax(row_max, (*s)[size_t(j)] *= a.scale);
  double sum = 0;
  for (int64_t j = 0; j < keys; ++j) sum += (*s)[size_t(j)] = std::exp((*s)[size_t(j)] - row_max);
  *l = static_cast<float>(row_max + std::log(sum));
  std::fill(o, o + a.d, 0.0f);
  for (int64_t j = 0; j < keys; j += kBlock) {
    add_rows(s->data() + j, head.v.data() + j * a.d, std::min(kBlock, keys - j), a.d, o);
  }
  for (int64_t c = 0; c < a.d; ++c) o[c] /= static_cast<float>(sum);
}

}  // namespace

void run_forward(const Shape& shape, HostBuffers* host) {
  void* buffers[kBackwardBuffers] = {};
  const Attention a = attention_of({.shape = shape, .buffers = buffers});
  auto* l = reinterpret_cast<float*>((*host)[kBackwardL].data());
  const int64_t padded = (a.sequence + kBlock - 1) / kBlock * kBlock;
  for (int64_t h = 0; h < a.heads; ++h) {
    Head head = {load_head(*host, kAttentionQ, shape, h),
                 {},
                 load_head(*host, kAttentionV, shape, h / a.group)};
    const std::vector<float> k = load_head(*host, kAttentionK, shape, h / a.group);
    head.kt.assign(size_t(padded * a.d), 0.0f);
    for (int64_t j = 0; j < a.sequence; ++j) {
      float* block = head.kt.data() + j / kBlock * kBlock * a.d + j % kBlock;
      for (int64_t c = 0; c < a.d; ++c) block[c * kBlock] = k[size_t(j * a.d + c)];
    }
    parallel_for(a.sequence, 16, [&](int64_t begin, int64_t end) {
      std::vector<float> s(static_cast<size_t>(padded)), o(static_cast<size_t>(a.d));
      for (int64_t i = begin; i < end; ++i) {
        forward_row(a, head, i, &s, o.data(), l + h * a.sequence + i);
        for (int64_t c = 0; c < a.d; ++c) {
          quality::store((*host)[kAttentionO].data(), (h * a.sequence + i) * a.d + c, shape.dtype,
                         o[size_t(c)]);
        }
      }
    });
  }
}

}  // namespace ridge::attention_backward
