// ridge: flags=-O3
//
// Idea      Keep the matrix in 16 bits instead of 32, and publish the speed alone.
// The claim A speed-up may be real: half the bytes are read. But of 24 bits of every weight 8 are left, and the
//           table has no column that says so. It compares two results as if they were one.
// Victim    A vector times a matrix of 2048 x 2048: in fp32, and with the matrix rounded to bf16 beforehand.
// Guard     A figure stands with its error against float64. What exceeds the problem's limit has no speed.
// Source    Bailey, Twelve Ways to Fool the Masses (1991): way 1 quotes 32-bit results alone.
#include <bit>
#include <vector>

#include "common/core/format.h"
#include "kernels/runtime/problems/gemm.h"
#include "kernels/runtime/traps/pairs.h"

namespace ridge::traps {
namespace {

constexpr Size kSize = {.m = 1, .n = 2048, .k = 2048};
constexpr int64_t kRows = 4;  ///< of the matrix at once: C is read and written once in four rows

inline float widened(float x) {
  return x;
}
/// bf16 is the upper half of an fp32.
inline float widened(uint16_t x) {
  return std::bit_cast<float>(uint32_t{x} << 16);
}

template <class T>
void vector_times(const Gemm& g, const T* b) {
  static_assert(kSize.k % kRows == 0);
  float* __restrict c = g.c;
  for (int64_t j = 0; j < g.n; ++j) c[j] = 0;
  for (int64_t p = 0; p < g.k; p += kRows) {
    const T *b0 = b + p * g.n, *b1 = b0 + g.n, *b2 = b1 + g.n, *b3 = b2 + g.n;
    const float a0 = g.a[p], a1 = g.a[p + 1], a2 = g.a[p + 2], a3 = g.a[p + 3];
    for (int64_t j = 0; j < g.n; ++j)
      c[j] += a0 * widened(b0[j]) + a1 * widened(b1[j]) + a2 * widened(b2[j]) + a3 * widened(b3[j]);
  }
}

Status launch_exact(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  vector_times(g, g.b);
  return {};
}

/// The matrix as a file of bf16 weights has it: rounded once, before any call.
std::vector<uint16_t> weights;

void round_weights(const measure::ProblemInstance& instance) {
  const auto* b = reinterpret_cast<const uint32_t*>(instance.host[kGemmB].data());
  weights.resize(instance.host[kGemmB].size() / sizeof(float));
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = static_cast<uint16_t>((b[i] + 0x7fff + (b[i] >> 16 & 1)) >> 16);
}

Status launch_rounded(const Launch& launch) {
  vector_times(gemm_of(launch), weights.data());
  return {};
}

constexpr KernelDesc kExact = {.id = "claims.cpu.no_error_column", .launch = launch_exact};
constexpr KernelDesc kRounded = {.id = "claims.cpu.no_error_column_bf16", .launch = launch_rounded};

class NoErrorColumn : public VictimTrap {
 public:
  NoErrorColumn(std::unique_ptr<Victim> exact, std::unique_ptr<Victim> rounded)
      : VictimTrap(std::move(exact)), rounded_(std::move(rounded)) {}

  Result<double> lie() override { return speed_up(victim_.get(), rounded_.get()); }
  /// Of what passes the check, which is the exact kernel alone: against itself, on the same matrix, since a copy
  /// elsewhere in memory can take another time.
  Result<double> honest() override { return speed_up(victim_.get(), victim_.get()); }

  Result<GuardVerdict> guard(double, double) override {
    RIDGE_TRY(const QualityCheck rounded, rounded_->check("rounded"));
    RIDGE_TRY(const QualityCheck exact, victim_->check("exact"));
    return GuardVerdict{!rounded.passed, "refused: an NMSE of " + format_scientific(rounded.nmse) +
                                             " beside the exact kernel's " +
                                             format_scientific(exact.nmse)};
  }

 private:
  std::unique_ptr<Victim> rounded_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  RIDGE_TRY(auto exact, Victim::make(kExact, kSize, device));
  RIDGE_TRY(auto rounded, Victim::make(kRounded, kSize, device));
  round_weights(*rounded->rung.instance);
  return std::unique_ptr<Trap>(new NoErrorColumn(std::move(exact), std::move(rounded)));
}

RIDGE_TRAP(claims, cpu, no_error_column, .victim = "a vector times a matrix, in fp32 and in bf16",
           .quantity = "speed-up at fp32's error", .unit = "",
           .guard = "a figure stands with its error; over the limit there is no speed",
           .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
