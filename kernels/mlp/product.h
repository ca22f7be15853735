// A matrix product by the fastest rung of the GEMM lab that this machine has: oneDNN's, else ours.
#pragma once

#include <cstdint>

#include "common/kernel/kernel.h"

namespace ridge::mlp {

/// C = A B, fp32, row-major, of one shape. Movable by pointer only: a plan belongs to it.
class Product {
 public:
  Product(int64_t m, int64_t n, int64_t k, int threads);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  Status run(const float* a, const float* b, float* c) const;
  const char* kernel() const { return kernel_->id; }
  int64_t rows() const { return shape_.dim[0]; }
  size_t bytes() const { return plan_.workspace_bytes; }

 private:
  const KernelDesc* kernel_;
  Shape shape_;
  Plan plan_;
};

}  // namespace ridge::mlp
