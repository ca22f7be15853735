// ridge: isa=avx512bitalg flags=-O3,-Wno-maybe-uninitialized
//
// Idea      The same network in int8, as it is deployed: vpdpbusd multiplies 64 bytes of pixels by 64 of
//           weights and adds them four by four. Pixels are bytes already and need no conversion.
// Changed   Four times the products an instruction of fp32, and a quarter of the weights' bytes.
// Limits    The dot-product units. Six images by 64 units are 24 sums in registers, for which four
//           vectors of weights and six broadcasts are loaded.
// Look at   Its share of the int8 ceiling: a competitor has to be a good one.
// Source    Intel's VNNI; the tile as in the GEMM lab's packed_avx512.
#include <immintrin.h>

#include "kernels/mlp/mlp.h"

namespace ridge {

enum { kRows = 6, kPanels = kMlpHidden / 64, kSteps = kMlpIn / 4, kSecondSteps = kMlpHidden / 4 };

typedef struct {
  int8_t first[kPanels][kSteps][64][4];  ///< weights of four pixels, unit by unit
  int8_t second[kSecondSteps][16][4];    ///< weights of four units, class by class
  alignas(64) int32_t bias[16];          ///< what is no class never wins
} Packed;

static Status prepare(const Shape& shape, Plan* plan) {
  const MlpModel* model = (const MlpModel*)shape.constants;
  Packed* packed = (Packed*)aligned_alloc(64, (sizeof(Packed) + 63) / 64 * 64);
  if (packed == nullptr) return {.what = "no memory for the packed weights"};
  for (int i = 0; i < kMlpIn; ++i) {
    for (int j = 0; j < kMlpHidden; ++j) {
      packed->first[j / 64][i / 4][j % 64][i % 4] = model->q1[i * kMlpHidden + j];
    }
  }
  for (int c = 0; c < 16; ++c) {
    packed->bias[c] = c < kMlpOut ? model->q_b2[c] : INT32_MIN / 2;
    for (int j = 0; j < kMlpHidden; ++j) {
      packed->second[j / 4][c][j % 4] = c < kMlpOut ? model->q2[j * kMlpOut + c] : 0;
    }
  }
  plan->state = packed;
  plan->release = free;
  plan->workspace_bytes = sizeof(Packed);
  return {};
}

static inline __m512i four_bytes(const uint8_t* from) {
  int32_t word;
  __builtin_memcpy(&word, from, sizeof(word));
  return _mm512_set1_epi32(word);
}

/// Hidden bytes of 16 units from their sums.
static inline __m128i hidden_16(__m512i sum, const float* scale, const float* offset) {
  const __m512 x =
      _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(scale), _mm512_loadu_ps(offset));
  const __m512 least = _mm512_setzero_ps(), most = _mm512_set1_ps(255);
  return _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(_mm512_min_ps(_mm512_max_ps(x, least), most)));
}

/// The instruction itself: of the intrinsic GCC 12 stores every sum at every step, at half the rate.
static inline void dot(__m512i* sum, __m512i x, __m512i w) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(*sum) : "v"(x), "v"(w));
}

// Named, as in the probes' chains: an array of sums would lie in memory.
#define RIDGE_EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define RIDGE_ROW_START(r) __m512i a##r = zero, b##r = zero, c##r = zero, d##r = zero;
#define RIDGE_ROW_STEP(r)                             \
  {                                                   \
    const __m512i x = four_bytes(rows[r] + 4 * step); \
    dot(&a##r, x, w0);                                \
    dot(&b##r, x, w1);                                \
    dot(&c##r, x, w2);                                \
    dot(&d##r, x, w3);                                \
  }
#define RIDGE_ROW_END(r)                                                     \
  store_16(hidden[r] + unit, hidden_16(a##r, scale, offset));                \
  store_16(hidden[r] + unit + 16, hidden_16(b##r, scale + 16, offset + 16)); \
  store_16(hidden[r] + unit + 32, hidden_16(c##r, scale + 32, offset + 32)); \
  store_16(hidden[r] + unit + 48, hidden_16(d##r, scale + 48, offset + 48));

static inline void store_16(uint8_t* to, __m128i bytes) {
  _mm_storeu_si128((__m128i*)to, bytes);
}

/// 64 hidden units of six images; rows: where each image's pixels lie.
static inline void six_by_64(const MlpModel* model, const Packed* packed, int panel,
                             const uint8_t* const* rows, uint8_t (*hidden)[kMlpHidden]) {
  const __m512i zero = _mm512_setzero_si512();
  RIDGE_EACH_ROW(RIDGE_ROW_START)
  for (int step = 0; step < kSteps; ++step) {
    const __m512i* weights = (const __m512i*)packed->first[panel][step];
    const __m512i w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3];
    RIDGE_EACH_ROW(RIDGE_ROW_STEP)
  }
  const int unit = 64 * panel;
  const float *scale = model->scale + unit, *offset = model->offset + unit;
  RIDGE_EACH_ROW(RIDGE_ROW_END)
}

static inline uint8_t class_of(const Packed* packed, const uint8_t* hidden) {
  __m512i even = _mm512_load_si512(packed->bias), odd = _mm512_setzero_si512();
  for (int step = 0; step < kSecondSteps; step += 2) {
    const __m512i* weights = (const __m512i*)packed->second[step];
    even = _mm512_dpbusd_epi32(even, four_bytes(hidden + 4 * step), weights[0]);
    odd = _mm512_dpbusd_epi32(odd, four_bytes(hidden + 4 * step + 4), weights[1]);
  }
  const __m512i score = _mm512_add_epi32(even, odd);
  const __m512i best = _mm512_set1_epi32(_mm512_reduce_max_epi32(score));
  return (uint8_t)__builtin_ctz(_mm512_cmpeq_epi32_mask(score, best));
}

static Status launch(const Launch& launch) {
  const Perceive p = perceive_of(launch);
  const Packed* packed = (const Packed*)launch.plan_state;
  // 48 images (37 kB) pass one panel of weights (50 kB) after the other.
  enum { kTile = 48 };
  alignas(64) uint8_t hidden[kTile][kMlpHidden];
  for (int64_t first = 0; first < p.images; first += kTile) {
    const int64_t left = p.images - first < kTile ? p.images - first : (int64_t)kTile;
    for (int panel = 0; panel < kPanels; ++panel) {
      for (int64_t at = 0; at < left; at += kRows) {
        const uint8_t* rows[kRows];  // beyond the last image: the last again
        for (int64_t r = 0; r < kRows; ++r) {
          const int64_t i = at + r < left ? at + r : left - 1;
          rows[r] = p.pixels + (first + i) * kMlpIn;
        }
        six_by_64(p.model, packed, panel, rows, hidden + at);
      }
    }
    for (int64_t i = 0; i < left; ++i) p.classes[first + i] = class_of(packed, hidden[i]);
  }
  return {};
}

RIDGE_KERNEL(mlp, cpu, vnni, .dtypes = "int8", .prepare = prepare, .launch = launch);

}  // namespace ridge
