// ridge: arch=90a needs=cutlass flags=--expt-relaxed-constexpr
//
// Ways of the CUTLASS peer in fp32: CUTLASS 2's kernels on the FMA units, with cp.async. Its 3xTF32 is left out: sums
// stay in the tensor cores, which truncate, so that the gate of fp32 would refuse them at large k.
#ifndef NDEBUG
#define NDEBUG
#endif

#include <cutlass/cutlass.h>

#include <cutlass/gemm/device/gemm.h>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemm/peers/cutlass_ways.h"

namespace ridge::cutlass_peer {
namespace {

Status status_of(cutlass::Status status, const char* expression, int line) {
  if (status == cutlass::Status::kSuccess) return {};
  const Status cuda = cuda_status(cudaGetLastError(), expression, __FILE__, line);
  if (!cuda.ok()) return cuda;
  return {cutlass::cutlassGetStatusString(status), expression, __FILE__, line, false};
}

template <class Tile, class Warp, int stages>
struct Simt {
  using RowMajor = cutlass::layout::RowMajor;
  using Multiply = cutlass::gemm::device::Gemm<
      float, RowMajor, float, RowMajor, float, RowMajor, float, cutlass::arch::OpClassSimt, cutlass::arch::Sm80, Tile,
      Warp, cutlass::gemm::GemmShape<1, 1, 1>, cutlass::epilogue::thread::LinearCombination<float, 1, float, float>,
      cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, stages>;

  static typename Multiply::Arguments arguments(const Call& call) {
    const blas::Product& p = call.product;
    auto* c = static_cast<float*>(p.c);
    return {{int(p.m), int(p.n), int(p.k)},
            {static_cast<const float*>(p.a), int(p.lda)},
            {static_cast<const float*>(p.b), int(p.ldb)},
            {c, int(p.ldc)},
            {c, int(p.ldc)},
            {1.0f, 0.0f}};
  }
  static size_t workspace_bytes(const Call& call) { return Multiply::get_workspace_size(arguments(call)); }
  static Status run(const Call& call) {
    Multiply multiply;
    return status_of(multiply(arguments(call), call.workspace, call.stream), "run", __LINE__);
  }
};

template <int m, int n, int k>
using Shape3 = cutlass::gemm::GemmShape<m, n, k>;

template <class Gemm>
constexpr Way way_of(const char* name) {
  return {name, DType::fp32, false, Gemm::workspace_bytes, Gemm::run};
}

}  // namespace

const Way kFp32[4] = {way_of<Simt<Shape3<128, 128, 8>, Shape3<32, 64, 8>, 5>>("FMA units, 128x128x8"),
                      way_of<Simt<Shape3<256, 128, 8>, Shape3<64, 64, 8>, 4>>("FMA units, 256x128x8"),
                      way_of<Simt<Shape3<128, 256, 8>, Shape3<64, 64, 8>, 4>>("FMA units, 128x256x8"),
                      way_of<Simt<Shape3<64, 64, 8>, Shape3<32, 32, 8>, 5>>("FMA units, 64x64x8")};

}  // namespace ridge::cutlass_peer
