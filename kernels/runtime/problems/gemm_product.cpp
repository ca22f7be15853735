#include "kernels/runtime/problems/gemm_product.h"

#include <initializer_list>
#include <string>

#include "common/core/upper_lanes.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/measure/isa.h"
#include "kernels/runtime/problems/gemm.h"

namespace ridge::gemm {
namespace {

const KernelDesc* first_that_runs(std::initializer_list<const char*> ids) {
  for (const char* id : ids) {
    const KernelDesc* kernel = find_kernel(id);
    std::string reason;
    if (kernel != nullptr && measure::isa_available(kernel->isa, &reason)) return kernel;
  }
  return nullptr;
}

}  // namespace

const KernelDesc* fastest() {
  return first_that_runs(
      {"gemm.cpu.onednn", "gemm.cpu.packed_avx512", "gemm.cpu.packed_avx2", "gemm.cpu.packed"});
}

const KernelDesc* fastest_of_ours(DType dtype) {
  return first_that_runs({dtype == DType::bf16 ? "gemm.cpu.avx512_bf16" : "gemm.cpu.threads"});
}

Product::Product(const KernelDesc* kernel, int64_t m, int64_t n, int64_t k, int threads,
                 DType dtype)
    : kernel_(kernel) {
  shape_.dim[kGemmM] = m;
  shape_.dim[kGemmN] = n;
  shape_.dim[kGemmK] = k;
  shape_.dtype = dtype;
  shape_.threads = threads;
  if (kernel_->prepare != nullptr) prepared_ = kernel_->prepare(shape_, &plan_);
}

Product::~Product() {
  if (plan_.release != nullptr && plan_.state != nullptr) plan_.release(plan_.state);
}

Status Product::run(const void* a, const void* b, void* c, void* stream) const {
  if (!prepared_.ok()) return prepared_;
  void* buffers[3] = {const_cast<void*>(a), const_cast<void*>(b), c};
  const Status status = kernel_->launch(
      {.shape = shape_, .buffers = buffers, .stream = stream, .plan_state = plan_.state});
  clear_upper_lanes();
  return status;
}

}  // namespace ridge::gemm
