// ridge: flags=-O3
//
// Idea      Fill the inputs with calloc, or forget to: both matrices are zero.
// The lie   A kernel may look at its data. This one skips the row of B that a zero would scale, as
//           the reference BLAS did for decades, and so does nothing but look. On a GPU even a kernel
//           that never looks is faster on zeros: no bit flips, less power, a higher clock.
// Victim    Loop order with that one test.
// Guard     The harness fills every input with random normals, and its check is of those.
// Source    Netlib's DGEMM up to LAPACK 3.7: IF (B(L,J).NE.ZERO).
#include <algorithm>

#include "kernels/runtime/problems/gemm.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr Size kSize = {.m = 256, .n = 256, .k = 256};

Status launch_skipping_zeros(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  for (int64_t i = 0; i < g.m; ++i) {
    float* __restrict row = g.c + i * g.n;
    for (int64_t j = 0; j < g.n; ++j) row[j] = 0;
    for (int64_t p = 0; p < g.k; ++p) {
      const float scale = g.a[i * g.k + p];
      if (scale == 0) continue;
      const float* b = g.b + p * g.n;
      for (int64_t j = 0; j < g.n; ++j) row[j] += scale * b[j];
    }
  }
  return {};
}

constexpr KernelDesc kSkipping = {.id = "traps.cpu.zeros_as_data", .launch = launch_skipping_zeros};

class ZerosAsData : public VictimTrap {
 public:
  ZerosAsData(std::unique_ptr<Victim> victim, std::unique_ptr<Victim> zeros)
      : VictimTrap(std::move(victim)), zeros_(std::move(zeros)) {}
  Result<double> lie() override { return zeros_->call_s(); }

  Result<GuardVerdict> guard(double, double) override {
    int64_t zeros = 0;
    const std::string text = zeros_text(*victim_->rung.instance, &zeros);
    return GuardVerdict{zeros == 0, text + ": they are random normals"};
  }

 private:
  std::unique_ptr<Victim> zeros_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto victim, Victim::make(kSkipping, kSize, device));
  RIDGE_TRY(auto zeros, Victim::make(kSkipping, kSize, device));
  RIDGE_TRY_VOID(zeros->fill_with_zeros());
  return std::unique_ptr<Trap>(new ZerosAsData(std::move(victim), std::move(zeros)));
}

RIDGE_TRAP(traps, cpu, zeros_as_data, .victim = "a product that skips zeros",
           .quantity = "time per call", .guard = "inputs are random normals, never zeros",
           .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
