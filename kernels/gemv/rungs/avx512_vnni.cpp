// ridge: isa=avx512bitalg flags=-O2,-Wno-maybe-uninitialized,-Wno-uninitialized
//
// Idea      A layer in int8 on both sides: the sums are integers until the tile leaves its registers, and there
//           they get both scales, the bias and the ReLU, and are rounded to bf16 once.
// Changed   The GEMM lab's VNNI tile with another last step. The sums never reach memory: at n = 4096 they would
//           be 16 KiB a row, written and read again.
// Limits    Many rows of x: the dot-product units. Few: packing the weights, which no second row pays back.
// Look at   Rows of x from 1 to 1024: from bandwidth to compute. Beside it epilogue=none, the sums alone.
// Source    The GEMM lab's avx512_vnni; the epilogue is gemmlowp's output stage (Jacob et al., CVPR 2018).
#include "kernels/gemv/gemv.h"
#include "kernels/runtime/cpu/vnni_panels.h"

namespace ridge {
namespace {

/// fp32 to bf16, ties to even; no NaN comes out of finite sums and scales.
inline __m256i to_bf16(__m512 x) {
  const __m512i bits = _mm512_castps_si512(x);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i up = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_add_epi32(bits, up), 16));
}

/// 16 outputs of a row: relu(sum * x's scale * W's scales + bias).
inline __m256i finish_16(__m512i sum, __mmask16 inside, float x_scale, const float* scales,
                         const float* bias) {
  const __m512 scale =
      _mm512_mul_ps(_mm512_set1_ps(x_scale), _mm512_maskz_loadu_ps(inside, scales));
  const __m512 y =
      _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), scale, _mm512_maskz_loadu_ps(inside, bias));
  return to_bf16(_mm512_max_ps(y, _mm512_setzero_ps()));
}

/// Between blocks of k to where sums are kept; after the last to y.
inline __attribute__((always_inline)) void store_row(const PanelTile* t, int i, __mmask16 low,
                                                     __mmask16 high, __m512i l, __m512i r) {
  const Gemv* g = (const Gemv*)t->context;
  int32_t* sum = (int32_t*)t->acc + i * t->acc_stride;
  if (!t->first) {
    l = _mm512_add_epi32(l, _mm512_maskz_loadu_epi32(low, sum));
    r = _mm512_add_epi32(r, _mm512_maskz_loadu_epi32(high, sum + 16));
  }
  if (!t->last || !g->fused) {
    _mm512_mask_storeu_epi32(sum, low, l);
    _mm512_mask_storeu_epi32(sum + 16, high, r);
    return;
  }
  const float* scales = (const float*)g->scales + t->column;
  const float* bias = (const float*)g->bias + t->column;
  const float x_scale = g->x_scales[t->row + i];
  uint16_t* y = (uint16_t*)g->y + (t->row + i) * g->n + t->column;
  _mm256_mask_storeu_epi16(y, low, finish_16(l, low, x_scale, scales, bias));
  _mm256_mask_storeu_epi16(y + 16, high, finish_16(r, high, x_scale, scales + 16, bias + 16));
}

}  // namespace
}  // namespace ridge

#include "kernels/runtime/cpu/vnni_tile.h"

namespace ridge {
namespace {

constexpr PanelKernel panels(int y_bytes) {
  return {.rows = kRows,
          .columns = kColumns,
          .bytes = 1,
          .c_bytes = y_bytes,
          .depth = kDepth,
          .a_stride = kStride,
          .tile = vnni_tile,
          .pack_b = pack_b,
          .b_transposed = true,
          .b_head = kColumns * sizeof(int32_t),
          .copy_a = copy_a};
}
constexpr PanelKernel kFused = panels(sizeof(uint16_t)), kSums = panels(sizeof(int32_t));

typedef struct {
  Plan panels;
  int64_t turn;
} VnniPlan;

void release(void* state) {
  VnniPlan* plan = (VnniPlan*)state;
  if (plan->panels.release) plan->panels.release(plan->panels.state);
  free(plan);
}

Status prepare(const Shape& shape, Plan* plan) {
  VnniPlan* state = (VnniPlan*)calloc(1, sizeof(VnniPlan));
  if (!state) return {.what = "out of memory", .expression = "calloc", .file = __FILE__};
  Shape product = shape;
  product.dim[kGemmM] = shape.dim[kGemvBatch];
  product.dim[kGemmN] = shape.dim[kGemvN];
  product.dim[kGemmK] = shape.dim[kGemvK];
  const PanelKernel* kernel = shape.dim[kGemvFused] ? &kFused : &kSums;
  const Status status = panel_prepare(kernel, product, panel_threads(product), &state->panels);
  plan->state = state;
  plan->release = release;
  plan->workspace_bytes = state->panels.workspace_bytes;
  return status;
}

Status launch(const Launch& launch) {
  VnniPlan* state = (VnniPlan*)launch.plan_state;
  const Gemv g = gemv_next(launch, &state->turn);
  const PanelJob job = {.kernel = g.fused ? &kFused : &kSums,
                        .plan = (const PanelPlan*)state->panels.state,
                        .m = g.batch,
                        .n = g.n,
                        .k = g.k,
                        .a = g.x,
                        .b = g.w,
                        .c = g.y,
                        .context = &g};
  return panel_run(&job);
}

RIDGE_KERNEL(gemv, cpu, avx512_vnni, .dtypes = "w8a8", .prepare = prepare, .launch = launch);

}  // namespace
}  // namespace ridge
