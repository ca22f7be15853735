// A matrix product by a rung of the GEMM lab, for those who need one.
#pragma once

#include <cstdint>

#include "common/harness/kernel/kernel.h"

namespace ridge::gemm {

/// The fastest kernel that this machine has: oneDNN's, else ours. fp32.
const KernelDesc* fastest();
/// The fastest of ours, on as many threads as are asked for; null where this CPU has none for the type.
const KernelDesc* fastest_of_ours(DType dtype);

/// C = A B, row-major, of one shape. Movable by pointer only: a plan belongs to it, and so one thread.
class Product {
 public:
  Product(const KernelDesc* kernel, int64_t m, int64_t n, int64_t k, int threads,
          DType dtype = DType::fp32);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  /// `stream`: of a kernel on a GPU. Fails if the kernel could not prepare for the shape.
  Status run(const void* a, const void* b, void* c, void* stream = nullptr) const;
  const char* kernel() const { return kernel_->id; }
  int64_t rows() const { return shape_.dim[0]; }
  size_t bytes() const { return plan_.workspace_bytes; }

 private:
  const KernelDesc* kernel_;
  Shape shape_;
  Plan plan_;
  Status prepared_;
};

}  // namespace ridge::gemm
