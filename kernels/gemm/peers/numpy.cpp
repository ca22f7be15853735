// ridge: flags=-O2
//
// Idea      The peer most people multiply matrices with: NumPy, in a python3 of its own. One line of
//           Python; the work is done by the BLAS that NumPy was built with.
// Changed   A library in another process: inputs and output pass through shared memory, its calls
//           are timed there, by the same clock. The cost of calling it from Python is part of it.
// Limits    That BLAS: the same line of Python runs OpenBLAS on one machine and plain loops on the next.
// Look at   dtype fp64 beside fp32: numpy.random.rand makes float64, so a careless NumPy row does
//           twice the work of the float32 row next to it.
// Source    NumPy, numpy.matmul. Here for calibration: the talk's table has such a row.
#include "kernels/gemm/peers/external_gemm.h"

namespace ridge {
namespace {

constexpr external::Peer kNumpy = {.library = "NumPy", .package = "numpy", .floor = "1.20", .script = R"py(
import numpy

class Product:
    def __init__(self, dtype, m, n, k):
        kind = {'fp32': numpy.float32, 'fp64': numpy.float64}[dtype]
        self.arrays = [numpy.empty(s, kind) for s in ((m, k), (k, n), (m, n))]

    def load(self, i, memory):
        self.arrays[i].reshape(-1).view(numpy.uint8)[:] = numpy.frombuffer(memory, numpy.uint8)

    def store(self, i, memory):
        numpy.frombuffer(memory, numpy.uint8)[:] = self.arrays[i].reshape(-1).view(numpy.uint8)

    def call(self):
        a, b, c = self.arrays
        numpy.matmul(a, b, out=c)

    def finish(self):
        pass

make = Product
)py"};

Status prepare_numpy(const Shape& shape, Plan* plan) {
  return prepare_external_gemm(kNumpy, shape, plan);
}

RIDGE_KERNEL(
    gemm, cpu, numpy, .dtypes = "fp32 fp64", .library = "NumPy",
    .version = [] { return external::version(kNumpy); }, .time_calls = external::time_calls,
    .unavailable = [] { return external::unavailable(kNumpy); }, .prepare = prepare_numpy,
    .launch = external::launch);

}  // namespace
}  // namespace ridge
