#include "kernels/mlp/product.h"

#include <string>

#include "common/kernel/registry.h"
#include "common/measure/isa.h"
#include "kernels/gemm/gemm.h"

namespace ridge::mlp {
namespace {

const KernelDesc* best_gemm() {
  for (const char* id : {"gemm.cpu.onednn", "gemm.cpu.packed_avx512", "gemm.cpu.packed_avx2"}) {
    const KernelDesc* kernel = find_kernel(id);
    std::string reason;
    if (kernel != nullptr && measure::isa_available(kernel->isa, &reason)) return kernel;
  }
  return find_kernel("gemm.cpu.packed");
}

}  // namespace

Product::Product(int64_t m, int64_t n, int64_t k, int threads) : kernel_(best_gemm()) {
  shape_.dim[kGemmM] = m;
  shape_.dim[kGemmN] = n;
  shape_.dim[kGemmK] = k;
  shape_.threads = threads;
  if (kernel_->prepare != nullptr) (void)kernel_->prepare(shape_, &plan_);
}

Product::~Product() {
  if (plan_.release != nullptr && plan_.state != nullptr) plan_.release(plan_.state);
}

Status Product::run(const float* a, const float* b, float* c) const {
  void* buffers[3] = {const_cast<float*>(a), const_cast<float*>(b), c};
  return kernel_->launch({.shape = shape_, .buffers = buffers, .plan_state = plan_.state});
}

}  // namespace ridge::mlp
