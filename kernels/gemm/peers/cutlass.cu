// ridge: arch=90a needs=cutlass flags=--expt-relaxed-constexpr
//
// Idea      The peer in source form: CUTLASS puts a kernel together from described parts. This is
//           its best known description for large bf16 products: 128 x 256 tiles of C over two SMs
//           that share B by multicast, persistent, with two cooperating consumer warpgroups.
// Changed   The ideas of our last rungs, by templates: what is a file here is an argument there.
// Limits    Power. Small products: a tile this large leaves SMs idle.
// Look at   The time to compile it, beside the time to run it.
// Source    CUTLASS 3, "CUTLASS 3.0 GEMM API" and its collective builders.
#include <cutlass/cutlass.h>
#include <cutlass/version.h>

#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/blas_operands.h"

namespace {

using namespace ridge;

using Element = cutlass::bfloat16_t;
using RowMajor = cutlass::layout::RowMajor;
using Tile = cute::Shape<cute::_128, cute::_256, cute::_64>;
using Cluster = cute::Shape<cute::_2, cute::_1, cute::_1>;
constexpr int kAlign = 8;  // elements in 16 bytes: what the copy engine needs

using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, RowMajor, kAlign, Element,
    RowMajor, kAlign, cutlass::epilogue::TmaWarpSpecializedCooperative>::CollectiveOp;
using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, RowMajor, kAlign, Element,
    RowMajor, kAlign, float, Tile, Cluster,
    cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
        sizeof(typename Epilogue::SharedStorage))>,
    cutlass::gemm::KernelTmaWarpSpecializedCooperative>::CollectiveOp;
using Kernel =
    cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Mainloop, Epilogue>;
using Multiply = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

struct CutlassPlan {
  blas::Operands operands;
  void* workspace = nullptr;
  cutlass::KernelHardwareInfo hardware;
};

Multiply::Arguments arguments(const CutlassPlan& plan, const blas::Product& p) {
  const cute::Int<1> one;
  Multiply::Arguments all = {
      cutlass::gemm::GemmUniversalMode::kGemm,
      {int(p.m), int(p.n), int(p.k), 1},
      {static_cast<const Element*>(p.a),
       {p.lda, one, 0},
       static_cast<const Element*>(p.b),
       {one, p.ldb, 0}},
      {{}, nullptr, {p.ldc, one, 0}, static_cast<Element*>(p.c), {p.ldc, one, 0}},
      plan.hardware};
  all.epilogue.thread.alpha = 1.0f;
  all.epilogue.thread.beta = 0.0f;
  return all;
}

void release(void* state) {
  auto* plan = static_cast<CutlassPlan*>(state);
  blas::free_operands(&plan->operands);
  cudaFree(plan->workspace);
  delete plan;
}

Status status_of(cutlass::Status status, const char* expression, int line) {
  if (status == cutlass::Status::kSuccess) return {};
  const Status cuda = cuda_status(cudaGetLastError(), expression, __FILE__, line);
  if (!cuda.ok()) return cuda;
  return {cutlass::cutlassGetStatusString(status), expression, __FILE__, line, false};
}

Status prepare(const Shape& shape, Plan* plan) {
  auto* state = new (std::nothrow) CutlassPlan;
  if (!state) return {"out of memory", "new CutlassPlan", __FILE__, __LINE__, false};
  *plan = {state, release, 0};
  RIDGE_CUDA_CHECK(cudaGetDevice(&state->hardware.device_id));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&state->hardware.sm_count, cudaDevAttrMultiProcessorCount,
                                          state->hardware.device_id));
  if (const Status s = blas::make_operands(shape, true, &state->operands); !s.ok()) return s;
  const size_t bytes = Multiply::get_workspace_size(arguments(*state, state->operands.product));
  plan->workspace_bytes = state->operands.workspace_bytes + bytes;
  if (bytes > 0) RIDGE_CUDA_CHECK(cudaMalloc(&state->workspace, bytes));
  return {};
}

Status launch(const Launch& launch) {
  const auto* plan = static_cast<const CutlassPlan*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  blas::Product product;
  if (const Status s = blas::begin(plan->operands, launch, &product); !s.ok()) return s;
  Multiply multiply;
  const auto all = arguments(*plan, product);
  const Status ready =
      status_of(multiply.initialize(all, plan->workspace, stream), "initialize", __LINE__);
  if (!ready.ok()) return ready;
  if (const Status s = status_of(multiply.run(stream), "run", __LINE__); !s.ok()) return s;
  return blas::finish(plan->operands, launch);
}

const char* version() {
  static char text[32];
  std::snprintf(text, sizeof text, "%d.%d.%d", CUTLASS_MAJOR, CUTLASS_MINOR, CUTLASS_PATCH);
  return text;
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, cutlass, .dtypes = "bf16", .library = "CUTLASS", .version = version,
             .prepare = prepare, .launch = launch);
