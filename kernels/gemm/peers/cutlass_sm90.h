// A CUTLASS 3 kernel for Hopper from its parts: tile, cluster, schedule. For the files that put ways together.
//
// With asserts (no NDEBUG) its kernels call functions, and ptxas then puts a wait after each wgmma.
#pragma once

#ifndef NDEBUG
#define NDEBUG
#endif

#include <cutlass/cutlass.h>

#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemm/peers/cutlass_ways.h"

namespace ridge::cutlass_peer {
namespace {

inline Status status_of(cutlass::Status status, const char* expression, int line) {
  if (status == cutlass::Status::kSuccess) return {};
  const Status cuda = cuda_status(cudaGetLastError(), expression, __FILE__, line);
  if (!cuda.ok()) return cuda;
  return {cutlass::cutlassGetStatusString(status), expression, __FILE__, line, false};
}

template <class Element, class Tile, class Cluster, class Schedule, class Epilogue>
struct Sm90 {
  static constexpr int kAlign = 16 / sizeof(Element);  // elements in 16 bytes: what the copy engine needs
  using RowMajor = cutlass::layout::RowMajor;
  using Store = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, RowMajor, kAlign, Element,
      RowMajor, kAlign, Epilogue>::CollectiveOp;
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, RowMajor, kAlign, Element,
      RowMajor, kAlign, float, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Store::SharedStorage))>,
      Schedule>::CollectiveOp;
  using Kernel = cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Mainloop, Store>;
  using Multiply = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

  static typename Multiply::Arguments arguments(const Call& call) {
    const cute::Int<1> one;
    const blas::Product& p = call.product;
    cutlass::KernelHardwareInfo hardware;
    hardware.device_id = call.device;
    hardware.sm_count = call.sms;
    typename Multiply::Arguments all = {
        cutlass::gemm::GemmUniversalMode::kGemm,
        {int(p.m), int(p.n), int(p.k), 1},
        {static_cast<const Element*>(p.a), {p.lda, one, 0}, static_cast<const Element*>(p.b), {one, p.ldb, 0}},
        {{}, nullptr, {p.ldc, one, 0}, static_cast<Element*>(p.c), {p.ldc, one, 0}},
        hardware};
    all.epilogue.thread.alpha = 1.0f;
    all.epilogue.thread.beta = 0.0f;
    using Raster = decltype(all.scheduler.raster_order);
    all.scheduler.max_swizzle_size = call.order.swizzle;
    all.scheduler.raster_order = call.order.raster == 1   ? Raster::AlongM
                                 : call.order.raster == 2 ? Raster::AlongN
                                                          : Raster::Heuristic;
    return all;
  }
  static size_t workspace_bytes(const Call& call) { return Multiply::get_workspace_size(arguments(call)); }
  static Status run(const Call& call) {
    Multiply multiply;
    const Status ready =
        status_of(multiply.initialize(arguments(call), call.workspace, call.stream), "initialize", __LINE__);
    return ready.ok() ? status_of(multiply.run(call.stream), "run", __LINE__) : ready;
  }
};

template <int m, int n, int k>
using Extent = cute::Shape<cute::Int<m>, cute::Int<n>, cute::Int<k>>;

template <class Gemm>
constexpr Way way_of(const char* name, DType dtype) {
  return {name, dtype, true, Gemm::workspace_bytes, Gemm::run};
}

}  // namespace
}  // namespace ridge::cutlass_peer
