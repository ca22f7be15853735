// ridge: flags=-O3
//
// Idea      Put two libraries into one table, each in the type that it takes by itself.
// The claim numpy.random.rand makes float64, and a tensor library's default is float32. The quotient of the two rows
//           contains the types: a vector holds half as many doubles, and each is twice the bytes. Here both "libraries"
//           are this one loop, and the answer is 1.
// Victim    Loop order, 256 x 256, as a template of its type.
// Guard     The type is part of the problem and a column of every table; the error column shows it, too.
// Source    A talk's summary table ("ridgepoint run gemm --table talk"): its rows for NumPy and PyTorch.
#include "common/core/format.h"
#include "kernels/runtime/problems/gemm.h"
#include "kernels/runtime/traps/pairs.h"

namespace ridge::traps {
namespace {

constexpr int64_t kN = 256;

template <class T>
void product(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  const T *a = static_cast<const T*>(launch.buffers[kGemmA]),
          *b = static_cast<const T*>(launch.buffers[kGemmB]);
  T* c = static_cast<T*>(launch.buffers[kGemmC]);
  for (int64_t i = 0; i < g.m; ++i) {
    T* __restrict row = c + i * g.n;
    for (int64_t j = 0; j < g.n; ++j) row[j] = 0;
    for (int64_t p = 0; p < g.k; ++p) {
      const T scale = a[i * g.k + p];
      for (int64_t j = 0; j < g.n; ++j) row[j] += scale * b[p * g.n + j];
    }
  }
}

Status launch_product(const Launch& launch) {
  if (launch.shape.dtype == DType::fp64)
    product<double>(launch);
  else
    product<float>(launch);
  return {};
}

constexpr KernelDesc kLibrary = {
    .id = "claims.cpu.another_type", .dtypes = "fp32 fp64", .launch = launch_product};

class AnotherType : public VictimTrap {
 public:
  AnotherType(std::unique_ptr<Victim> single, std::unique_ptr<Victim> again,
              std::unique_ptr<Victim> twice)
      : VictimTrap(std::move(single)), again_(std::move(again)), double_(std::move(twice)) {}

  Result<double> lie() override { return speed_up(double_.get(), victim_.get()); }
  Result<double> honest() override { return speed_up(again_.get(), victim_.get()); }

  Result<GuardVerdict> guard(double, double) override {
    RIDGE_TRY(const QualityCheck of_double, double_->check("float64"));
    RIDGE_TRY(const QualityCheck of_single, victim_->check("float32"));
    return GuardVerdict{of_double.nmse < of_single.nmse,
                        "dtype and error differ: fp64, NMSE " +
                            format_scientific(of_double.nmse) + ", beside fp32, " +
                            format_scientific(of_single.nmse)};
  }

 private:
  std::unique_ptr<Victim> again_, double_;
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  const auto in = [&](const char* dtype) {
    return Victim::make(kLibrary, Size{kN, kN, kN, dtype}, device);
  };
  RIDGE_TRY(auto single, in("fp32"));
  RIDGE_TRY(auto again, in("fp32"));
  RIDGE_TRY(auto twice, in("fp64"));
  return std::unique_ptr<Trap>(
      new AnotherType(std::move(single), std::move(again), std::move(twice)));
}

RIDGE_TRAP(claims, cpu, another_type, .victim = "one loop under the names of two libraries",
           .quantity = "speed-up of a library over another, which are one", .unit = "",
           .guard = "the type stands in a column, and so does the error", .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
