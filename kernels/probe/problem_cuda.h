// The problems that the GPU's ceilings are measured on, with float64 references.
#pragma once

#include <memory>
#include <string>

#include "common/harness/kernel/family.h"
#include "kernels/probe/probe_cuda.h"

namespace ridge::probe {

/// `what` is ffma, gpu_exp, tensor_wgmma, tensor_mma, gpu_read, gpu_copy, l2_read or gpu_launch (see probe_cuda.h); null for
/// any other. `dtype` is a tensor problem's. `units` >= 1; 0 takes a default that fills any GPU of
/// today for milliseconds and, for device memory, is far larger than its L2.
std::unique_ptr<Problem> make_cuda_problem(const std::string& what, DType dtype, int64_t units);

// ---- its pieces ----------------------------------------------------------------------------------

/// What all GPU probes share: a number of units, and a shape that carries it.
class UnitProblem : public Problem {
 public:
  UnitProblem(int64_t units, DType dtype) : units_(units), dtype_(dtype) {}
  Shape shape() const override {
    Shape shape;
    shape.dim[kUnits] = units_;
    shape.dtype = dtype_;
    return shape;
  }
  double bytes_min() const override {
    double bytes = 0;
    for (const BufferSpec& spec : buffers()) bytes += static_cast<double>(spec.bytes);
    return bytes;
  }

 protected:
  int64_t units_;
  DType dtype_;
};

inline BufferSpec input(const char* name, int64_t elements, DType dtype) {
  return {name, static_cast<size_t>(elements) * dtype_size(dtype), false, dtype};
}
inline BufferSpec output(int64_t elements) {
  return {"out", static_cast<size_t>(elements) * sizeof(float), true, DType::fp32};
}

/// Units to check: all of [0, count) when `full` or few; otherwise 4096, drawn from `seed`.
std::vector<int64_t> spots(int64_t count, bool full, uint64_t seed);

/// gpu_read, or gpu_copy.
std::unique_ptr<Problem> make_memory_problem(int64_t units, bool copy);
std::unique_ptr<Problem> make_l2_problem(int64_t units);
std::unique_ptr<Problem> make_launch_problem(int64_t units);

}  // namespace ridge::probe
