// ridge: isa=avx512bitalg flags=-O2,-Wno-maybe-uninitialized,-Wno-uninitialized
//
// Idea      vpdpbusd multiplies 64 bytes by 64 others and adds the products, four by four, to 16 sums of 32
//           bits: four times fp32's products an instruction, and every sum exact.
// Changed   Its left bytes have no sign. A's are copied with 128 added, which is one flipped bit, and each
//           column's sum starts at -128 times what its part of B adds up to: nothing of it is in the loop. B
//           lies as a linear layer's weights do, k contiguous, and is packed four steps of k to a column.
// Limits    The dot-product units. Packing: it turns blocks of 16 x 16 words, once for all rows of A.
// Look at   Its rate beside fp32's, four times where two start per cycle, and an error of zero. Where the CPU
//           has AMX, the int8 ceiling is that of AMX, far above this rung.
// Source    Intel 64 and IA-32 Architectures Software Developer's Manual, VPDPBUSD; the tile is packed_avx512's.
#include "kernels/runtime/cpu/vnni_panels.h"

namespace ridge {
namespace {

/// Sums are C itself, also between blocks of k.
inline __attribute__((always_inline)) void store_row(const PanelTile* t, int i, __mmask16 low,
                                                     __mmask16 high, __m512i l, __m512i r) {
  int32_t* c = (int32_t*)t->acc + i * t->acc_stride;
  if (!t->first) {
    l = _mm512_add_epi32(l, _mm512_maskz_loadu_epi32(low, c));
    r = _mm512_add_epi32(r, _mm512_maskz_loadu_epi32(high, c + 16));
  }
  _mm512_mask_storeu_epi32(c, low, l);
  _mm512_mask_storeu_epi32(c + 16, high, r);
}

}  // namespace
}  // namespace ridge

#include "kernels/runtime/cpu/vnni_tile.h"

namespace ridge {
namespace {

constexpr PanelKernel kPanels = {.rows = kRows,
                                 .columns = kColumns,
                                 .bytes = 1,
                                 .c_bytes = sizeof(int32_t),
                                 .depth = kDepth,
                                 .a_stride = kStride,
                                 .tile = vnni_tile,
                                 .pack_b = pack_b,
                                 .b_transposed = true,
                                 .b_head = kColumns * sizeof(int32_t),
                                 .copy_a = copy_a};

Status prepare(const Shape& shape, Plan* plan) {
  return panel_prepare(&kPanels, shape, panel_threads(shape), plan);
}

Status launch(const Launch& launch) {
  return panel_launch(&kPanels, launch);
}

RIDGE_KERNEL(gemm, cpu, avx512_vnni, .dtypes = "int8", .prepare = prepare, .launch = launch);

}  // namespace
}  // namespace ridge
