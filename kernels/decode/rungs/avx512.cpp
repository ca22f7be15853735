// ridge: isa=avx512f flags=-O2,-Wno-uninitialized,-Wno-maybe-uninitialized
//
// Idea      All query heads that share a head of keys look at a piece of 16 keys together: what came from memory
//           once serves the whole group. 16 scores are one vector, and so are their exponentials.
// Changed   Sixteen multiply-adds an instruction; an online softmax a piece at a time, so that K and V are read
//           side by side and no scores are kept.
// Limits    One core: it has fewer requests under way than the memory could answer.
// Look at   heads_kv below heads: fewer bytes for the same arithmetic. Time falls until the arithmetic sets it.
// Source    Online softmax: Milakov and Gimelshein, arXiv:1805.02867. Groups: Ainslie et al., arXiv:2305.13245.
#include <immintrin.h>

#include "kernels/decode/rungs/split_kv.h"
#include "kernels/runtime/cpu/exp2_avx512.h"

namespace ridge {
namespace {

/// The lanes of a row of d elements from `c` on.
inline __mmask16 lanes(int64_t d, int64_t c) {
  return (__mmask16)(d - c >= 16 ? 0xffff : (1 << (d - c)) - 1);
}

inline float dot(const float* x, const float* y, int64_t d) {
  __m512 even = _mm512_setzero_ps(), odd = even;
  int64_t c = 0;
  for (; c + 32 <= d; c += 32) {
    even = _mm512_fmadd_ps(_mm512_loadu_ps(x + c), _mm512_loadu_ps(y + c), even);
    odd = _mm512_fmadd_ps(_mm512_loadu_ps(x + c + 16), _mm512_loadu_ps(y + c + 16), odd);
  }
  for (; c < d; c += 16) {
    const __mmask16 inside = lanes(d, c);
    even = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(inside, x + c),
                           _mm512_maskz_loadu_ps(inside, y + c), even);
  }
  return _mm512_reduce_add_ps(_mm512_add_ps(even, odd));
}

/// 2^x of a difference of maxima, 1 exactly where there is none: exp2_of(0) is 1 + 7e-8, and thousands of pieces
/// would each have weighed the ones before by that much more.
inline __m512 shrink_by(float x) {
  return x < 0 ? exp2_of(_mm512_set1_ps(x > -150.0f ? x : -150.0f)) : _mm512_set1_ps(1.0f);
}

/// The largest score, the sum and o take 16 keys more; `s` becomes their weights.
void take_values(float* s, const float* v, int64_t count, int64_t d, float* running_max, float* sum, float* o) {
  const __mmask16 seen = (__mmask16)((1 << count) - 1);
  const __m512 x = _mm512_loadu_ps(s);
  const float in_piece = _mm512_mask_reduce_max_ps(seen, x);
  const float now = in_piece > *running_max ? in_piece : *running_max;
  const __m512 rescale = shrink_by(*running_max - now);
  const __m512 p = _mm512_maskz_mov_ps(
      seen, exp2_of(_mm512_max_ps(_mm512_maskz_sub_ps(seen, x, _mm512_set1_ps(now)),
                                  _mm512_set1_ps(-150.0f))));
  *running_max = now;
  *sum = *sum * _mm512_cvtss_f32(rescale) + _mm512_reduce_add_ps(p);
  _mm512_storeu_ps(s, p);
  for (int64_t c = 0; c < d; c += 16) {
    const __mmask16 inside = lanes(d, c);
    __m512 even = _mm512_mul_ps(rescale, _mm512_maskz_loadu_ps(inside, o + c));
    __m512 odd = _mm512_setzero_ps();
    int64_t j = 0;
    for (; j + 1 < count; j += 2) {
      even =
          _mm512_fmadd_ps(_mm512_set1_ps(s[j]), _mm512_maskz_loadu_ps(inside, v + j * d + c), even);
      odd = _mm512_fmadd_ps(_mm512_set1_ps(s[j + 1]),
                            _mm512_maskz_loadu_ps(inside, v + (j + 1) * d + c), odd);
    }
    if (j < count) {
      even =
          _mm512_fmadd_ps(_mm512_set1_ps(s[j]), _mm512_maskz_loadu_ps(inside, v + j * d + c), even);
    }
    _mm512_mask_storeu_ps(o + c, inside, _mm512_add_ps(even, odd));
  }
}

/// 16 rows. The processor's own prefetcher begins anew at each page and each head; asked for a piece ahead, all of a
/// piece's lines are under way together.
inline void prefetch(const float* rows, int64_t d) {
  if (rows == NULL) return;
  for (int64_t c = 0; c < RIDGE_DECODE_PIECE * d; c += 16)
    _mm_prefetch((const char*)(rows + c), _MM_HINT_T0);
}

void piece(const float* q, const float* k, const float* v, const float* next_k, const float* next_v,
           int64_t count, int64_t group, int64_t d, float scale, DecodePartial* partial) {
  float s[RIDGE_DECODE_PIECE];
  prefetch(next_k, d);
  for (int64_t i = 0; i < group; ++i) {
    for (int64_t j = 0; j < RIDGE_DECODE_PIECE; ++j) {
      s[j] = j < count ? dot(q + i * d, k + j * d, d) * scale : 0;
    }
    if (i == 0) prefetch(next_v, d);
    take_values(s, v, count, d, partial->running_max + i, partial->sum + i, partial->o + i * d);
  }
}

void merge(const DecodePartial* slots, int64_t count, int64_t head, int64_t d, float* o) {
  float running_max = slots[0].running_max[head], sum = 0;
  for (int64_t i = 1; i < count; ++i) {
    if (slots[i].running_max[head] > running_max) running_max = slots[i].running_max[head];
  }
  for (int64_t c = 0; c < d; ++c) o[c] = 0;
  for (int64_t i = 0; i < count; ++i) {
    const __m512 weight = shrink_by(slots[i].running_max[head] - running_max);
    sum += slots[i].sum[head] * _mm512_cvtss_f32(weight);
    for (int64_t c = 0; c < d; ++c) o[c] += slots[i].o[head * d + c] * _mm512_cvtss_f32(weight);
  }
  for (int64_t c = 0; c < d; ++c) o[c] /= sum;
}

}  // namespace

extern const DecodeCpu decode_avx512;
const DecodeCpu decode_avx512 = {piece, merge};

namespace {

Status prepare_decode_avx512(const Shape& shape, Plan* plan) {
  return decode_prepare(shape, 1, plan);
}

Status launch_decode_avx512(const Launch& launch) {
  return decode_run(&decode_avx512, launch, 1);
}

RIDGE_KERNEL(decode, cpu, avx512, .prepare = prepare_decode_avx512, .launch = launch_decode_avx512);

}  // namespace
}  // namespace ridge
