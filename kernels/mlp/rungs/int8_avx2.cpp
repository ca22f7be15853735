// ridge: isa=avx2 flags=-O3
//
// Idea      The same network in int8 for a CPU without dot-product units: vpmaddwd multiplies sixteen pairs of 16-bit
//           numbers and adds them two by two, into exact sums of 32 bits.
// Changed   Weights are bytes in memory, a quarter of fp32, and are widened as they are loaded. Pixels are bytes already.
// Limits    By count the copies: six instructions bring two pixels into all places, for two products and two additions.
// Look at   Its share of fp32's time. vpmaddubsw would take bytes as they are, and saturates: its sums are not exact.
// Source    Intel's instruction set reference; the tile as in the GEMM lab's avx2_int8.
#include <immintrin.h>

#include "kernels/mlp/mlp.h"

namespace ridge {
namespace {

enum { kRows = 4, kUnits = 16, kPanels = kMlpHidden / kUnits, kPairs = kMlpIn / 2 };

typedef struct {
  int8_t first[kPanels][kPairs][kUnits][2];  ///< weights of two pixels, unit by unit
  int32_t second[kMlpHidden][16];            ///< what is no class: 0
} Packed;

Status prepare(const Shape& shape, Plan* plan) {
  const MlpModel* model = (const MlpModel*)shape.constants;
  Packed* packed = (Packed*)aligned_alloc(64, (sizeof(Packed) + 63) / 64 * 64);
  if (packed == nullptr) return {.what = "no memory for the packed weights"};
  for (int i = 0; i < kMlpIn; ++i) {
    for (int j = 0; j < kMlpHidden; ++j)
      packed->first[j / kUnits][i / 2][j % kUnits][i % 2] = model->q1[i * kMlpHidden + j];
  }
  for (int j = 0; j < kMlpHidden; ++j) {
    for (int c = 0; c < 16; ++c)
      packed->second[j][c] = c < kMlpOut ? model->q2[j * kMlpOut + c] : 0;
  }
  plan->state = packed;
  plan->release = free;
  plan->workspace_bytes = sizeof(Packed);
  return {};
}

/// Two pixels as two numbers of 16 bits, in all eight places.
inline __m256i pair_of(const uint8_t* pixels) {
  return _mm256_set1_epi32((int)pixels[0] | (int)pixels[1] << 16);
}

/// Hidden numbers, 0 to 255, of eight units from their sums.
inline __m256i hidden_8(__m256i sum, const float* scale, const float* offset) {
  const __m256 x =
      _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(scale), _mm256_loadu_ps(offset));
  const __m256 low = _mm256_setzero_ps(), high = _mm256_set1_ps(255);
  return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(x, low), high));
}

/// Sixteen hidden units of `count` images, a constant of one or four; rows: where each image's pixels lie.
inline __attribute__((always_inline)) void some_by_16(const MlpModel* model, const Packed* packed,
                                                      int panel, const uint8_t* const* rows,
                                                      int32_t (*hidden)[kMlpHidden], int count) {
  __m256i sum[kRows][2];
  for (int r = 0; r < count; ++r) sum[r][0] = sum[r][1] = _mm256_setzero_si256();
  for (int pair = 0; pair < kPairs; ++pair) {
    const __m128i* weights = (const __m128i*)packed->first[panel][pair];
    const __m256i w0 = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights));
    const __m256i w1 = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights + 1));
    for (int r = 0; r < count; ++r) {
      const __m256i x = pair_of(rows[r] + 2 * pair);
      sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(x, w0));
      sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(x, w1));
    }
  }
  const int unit = kUnits * panel;
  for (int r = 0; r < count; ++r) {
    for (int half = 0; half < 2; ++half) {
      const int at = unit + 8 * half;
      _mm256_storeu_si256((__m256i*)(hidden[r] + at),
                          hidden_8(sum[r][half], model->scale + at, model->offset + at));
    }
  }
}

uint8_t class_of(const MlpModel* model, const Packed* packed, const int32_t* hidden) {
  int32_t scores[16] = {};
  for (int j = 0; j < kMlpHidden; ++j) {
    for (int c = 0; c < 16; ++c) scores[c] += hidden[j] * packed->second[j][c];
  }
  int best = 0;
  for (int c = 0; c < kMlpOut; ++c) {
    scores[c] += model->q_b2[c];
    if (scores[c] > scores[best]) best = c;
  }
  return (uint8_t)best;
}

Status launch(const Launch& launch) {
  const Perceive p = perceive_of(launch);
  const Packed* packed = (const Packed*)launch.plan_state;
  // 32 images (25 kB) pass one panel of weights (13 kB) after the other.
  enum { kTile = 32 };
  int32_t hidden[kTile][kMlpHidden];
  for (int64_t first = 0; first < p.images; first += kTile) {
    const int64_t left = p.images - first < kTile ? p.images - first : (int64_t)kTile;
    for (int panel = 0; panel < kPanels; ++panel) {
      for (int64_t at = 0; at < left; at += kRows) {
        const uint8_t* rows[kRows];  // beyond the last image: the last again
        for (int64_t r = 0; r < kRows; ++r) {
          const int64_t i = at + r < left ? at + r : left - 1;
          rows[r] = p.pixels + (first + i) * kMlpIn;
        }
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

RIDGE_KERNEL(mlp, cpu, int8_avx2, .dtypes = "int8", .prepare = prepare, .launch = launch);

}  // namespace
}  // namespace ridge
