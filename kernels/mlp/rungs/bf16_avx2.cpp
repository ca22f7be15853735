// ridge: isa=avx2 flags=-O3
//
// Idea      bf16 is the upper half of an fp32 number, so any CPU with fp32 can read it: two weights are one word, of
//           which a mask makes the one and a shift the other.
// Changed   Half the bytes of the weights, and the hidden units are rounded to bf16. Pixels, 0 to 255, are bf16 exactly.
//           Products and sums are fp32: no more of them an instruction than before.
// Limits    The FMA units, as in fp32, and a mask and a shift for each sixteen weights.
// Look at   One image a call, where the weights' bytes count, against many images, where products do. vdpbf16ps, which
//           multiplies pairs, is on few CPUs.
// Source    Kalamkar et al., A Study of BFLOAT16 for Deep Learning Training (arXiv:1905.12322).
#include <immintrin.h>

#include "kernels/mlp/mlp.h"

namespace ridge {
namespace {

enum { kRows = 4, kUnits = 16, kPanels = kMlpHidden / kUnits };

typedef struct {
  /// A word has unit j in its upper half and unit j + 8 in its lower one.
  alignas(32) uint32_t first[kPanels][kMlpIn][kUnits / 2];
  alignas(32) float second[kMlpHidden][16];  ///< bf16's values; what is no class: 0
} Packed;

/// The nearest bf16, of two the even one, as the upper half of a word. No NaN comes here.
inline uint32_t rounded(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
}

inline float bf16_of(float value) {
  const uint32_t bits = rounded(value);
  float result;
  __builtin_memcpy(&result, &bits, sizeof(result));
  return result;
}

Status prepare(const Shape& shape, Plan* plan) {
  const MlpModel* model = (const MlpModel*)shape.constants;
  Packed* packed = (Packed*)aligned_alloc(64, (sizeof(Packed) + 63) / 64 * 64);
  if (packed == nullptr) return {.what = "no memory for the packed weights"};
  for (int panel = 0; panel < kPanels; ++panel) {
    for (int i = 0; i < kMlpIn; ++i) {
      const float* w = model->w1 + i * kMlpHidden + panel * kUnits;
      for (int j = 0; j < kUnits / 2; ++j)
        packed->first[panel][i][j] = rounded(w[j]) | rounded(w[j + kUnits / 2]) >> 16;
    }
  }
  for (int j = 0; j < kMlpHidden; ++j) {
    for (int c = 0; c < 16; ++c)
      packed->second[j][c] = c < kMlpOut ? bf16_of(model->w2[j * kMlpOut + c]) : 0;
  }
  plan->state = packed;
  plan->release = free;
  plan->workspace_bytes = sizeof(Packed);
  return {};
}

/// Sixteen hidden units of `count` images, a constant of one or four, rounded to bf16; rows: pixels as floats.
inline __attribute__((always_inline)) void some_by_16(const MlpModel* model, const Packed* packed,
                                                      int panel, const float* const* rows,
                                                      float (*hidden)[kMlpHidden], int count) {
  const __m256i upper = _mm256_set1_epi32((int)0xffff0000u);
  const float* bias = model->b1 + kUnits * panel;
  __m256 sum[kRows][2];
  for (int r = 0; r < count; ++r) {
    sum[r][0] = _mm256_loadu_ps(bias);
    sum[r][1] = _mm256_loadu_ps(bias + 8);
  }
  for (int i = 0; i < kMlpIn; ++i) {
    const __m256i two = _mm256_load_si256((const __m256i*)packed->first[panel][i]);
    const __m256 w0 = _mm256_castsi256_ps(_mm256_and_si256(two, upper));
    const __m256 w1 = _mm256_castsi256_ps(_mm256_slli_epi32(two, 16));
    for (int r = 0; r < count; ++r) {
      const __m256 x = _mm256_broadcast_ss(rows[r] + i);
      sum[r][0] = _mm256_fmadd_ps(x, w0, sum[r][0]);
      sum[r][1] = _mm256_fmadd_ps(x, w1, sum[r][1]);
    }
  }
  float unit[kUnits];
  for (int r = 0; r < count; ++r) {
    _mm256_storeu_ps(unit, _mm256_max_ps(sum[r][0], _mm256_setzero_ps()));
    _mm256_storeu_ps(unit + 8, _mm256_max_ps(sum[r][1], _mm256_setzero_ps()));
    for (int j = 0; j < kUnits; ++j) hidden[r][kUnits * panel + j] = bf16_of(unit[j]);
  }
}

uint8_t class_of(const MlpModel* model, const Packed* packed, const float* hidden) {
  float scores[16] = {};
  for (int j = 0; j < kMlpHidden; ++j) {
    for (int c = 0; c < 16; ++c) scores[c] += hidden[j] * packed->second[j][c];
  }
  int best = 0;
  for (int c = 0; c < kMlpOut; ++c) {
    scores[c] += model->b2[c];
    if (scores[c] > scores[best]) best = c;
  }
  return (uint8_t)best;
}

Status launch(const Launch& launch) {
  const Perceive p = perceive_of(launch);
  const Packed* packed = (const Packed*)launch.plan_state;
  // 16 images as floats (50 kB) pass one panel of weights (25 kB) after the other.
  enum { kTile = 16 };
  float x[kTile][kMlpIn], hidden[kTile][kMlpHidden];
  for (int64_t first = 0; first < p.images; first += kTile) {
    const int64_t left = p.images - first < kTile ? p.images - first : (int64_t)kTile;
    for (int64_t i = 0; i < left; ++i) {
      for (int at = 0; at < kMlpIn; ++at) x[i][at] = p.pixels[(first + i) * kMlpIn + at];
    }
    for (int panel = 0; panel < kPanels; ++panel) {
      for (int64_t at = 0; at < left; at += kRows) {
        const float* rows[kRows];  // beyond the last image: the last again
        for (int64_t r = 0; r < kRows; ++r) rows[r] = x[at + r < left ? at + r : left - 1];
        if (left == 1)
          some_by_16(p.model, packed, panel, rows, hidden, 1);
        else
          some_by_16(p.model, packed, panel, rows, hidden + at, kRows);
      }
    }
    for (int64_t i = 0; i < left; ++i) p.classes[first + i] = class_of(p.model, packed, hidden[i]);
  }
  return {};
}

RIDGE_KERNEL(mlp, cpu, bf16_avx2, .dtypes = "bf16", .prepare = prepare, .launch = launch);

}  // namespace
}  // namespace ridge
