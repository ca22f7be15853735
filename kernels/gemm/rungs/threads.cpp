// ridge: flags=-O2
//
// Idea      One rectangle of C for each thread. They share nothing: each copies the panels it needs, so
//           that there is no barrier and nothing is taken from another core's cache.
// Changed   packed_avx512 (or what this CPU has) on as many threads as allowed, and the narrower tile
//           where there are few columns: C of 16 columns leaves half of every AVX-512 tile empty.
// Limits    The slowest thread, and waking the others: 30 us, so that small products stay on one.
// Look at   Speed-up against threads at n = 128 and at 2048. Every thread copies all of A
//           and B that it reads, so the copies do not divide by the threads as the arithmetic does.
// Source    The partition of C by rectangles is that of SUMMA (van de Geijn and Watts, 1997).
#include "common/harness/measure/isa.h"
#include "kernels/runtime/cpu/panels.h"

namespace ridge {

extern const PanelKernel gemm_panels_portable;  // packed.cpp
extern const PanelKernel gemm_panels_avx2;      // packed_avx2.cpp
extern const PanelKernel gemm_panels_avx512;    // packed_avx512.cpp

namespace {

/// The widest that this CPU has and RIDGE_MAX_ISA allows; but a product of few columns leaves most
/// lanes of the widest vectors empty, and takes the next.
const PanelKernel* micro_kernel(const Shape& shape) {
  const measure::IsaLevel isa = measure::usable_isa();
  const int64_t columns = shape.dim[kGemmN];
  if (isa == measure::IsaLevel::avx512 && columns > gemm_panels_avx2.columns)
    return &gemm_panels_avx512;
  if (isa >= measure::IsaLevel::avx2) return &gemm_panels_avx2;
  return &gemm_panels_portable;
}

Status prepare_threads(const Shape& shape, Plan* plan) {
  return panel_prepare(micro_kernel(shape), shape, panel_threads(shape), plan);
}

Status launch_threads(const Launch& launch) {
  return panel_launch(micro_kernel(launch.shape), launch);
}

RIDGE_KERNEL(gemm, cpu, threads, .prepare = prepare_threads, .launch = launch_threads);

}  // namespace
}  // namespace ridge
