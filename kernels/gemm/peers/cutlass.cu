// ridge: arch=90a needs=cutlass flags=--expt-relaxed-constexpr
//
// Idea      The peer in source form: CUTLASS puts a kernel together from described parts. Three descriptions for
//           Hopper in bf16 and fp16, each in seven orders of tiles, and four for the FMA units in fp32 are tried, and
//           the fastest counts; the note says which.
// Changed   The ideas of our last rungs, by templates: what is a file here is an argument there.
// Limits    Power. Small products: the tiles are large ones, and launches do not overlap.
// Look at   The time to compile it, beside the time to run it.
// Source    CUTLASS 3, "CUTLASS 3.0 GEMM API" and its collective builders; cutlass_sm90.h.
#include <cutlass/version.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <vector>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/gemm/peers/cutlass_ways.h"
#include "kernels/runtime/cuda/blas_tuning.h"

static_assert(CUTLASS_MAJOR >= 4, "docs/peers.md: CUTLASS 4.0 is the oldest to compare with");

namespace {

using namespace ridge;
using cutlass_peer::Call;
using cutlass_peer::Order;
using cutlass_peer::Way;

/// What is tried, in this order: each kernel in CUTLASS's own order first.
struct Attempted {
  const Way* way;
  Order order;
};

std::vector<Attempted> attempts(DType dtype) {
  constexpr Order kOrders[] = {{0, 1}, {1, 2}, {2, 2}, {1, 4}, {2, 4}, {1, 8}, {2, 8}};
  std::vector<Attempted> list;
  for (const Order& order : kOrders) {
    const auto add = [&](const Way& way) {
      const bool is_first = order.raster == 0;
      if (way.dtype == dtype && (is_first || way.has_orders)) list.push_back({&way, order});
    };
    for (const Way& way : cutlass_peer::kWide) add(way);
    for (const Way& way : cutlass_peer::kTall) add(way);
    for (const Way& way : cutlass_peer::kPingPong) add(way);
    for (const Way& way : cutlass_peer::kFp32) add(way);
  }
  return list;
}

struct CutlassPlan {
  blas::Operands operands;
  Call call;
  Attempted chosen = {};
  std::vector<Attempted> tried;
};

void release(void* state) {
  auto* plan = static_cast<CutlassPlan*>(state);
  blas::free_operands(&plan->operands);
  cudaFree(plan->call.workspace);
  delete plan;
}

Status run(const CutlassPlan& plan, const Attempted& one, const blas::Product& product, cudaStream_t stream) {
  Call call = plan.call;
  call.product = product;
  call.order = one.order;
  call.stream = stream;
  return one.way->run(call);
}

Status fill_plan(const Shape& shape, CutlassPlan* state, Plan* plan) {
  Call& call = state->call;
  RIDGE_CUDA_CHECK(cudaGetDevice(&call.device));
  RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&call.sms, cudaDevAttrMultiProcessorCount, call.device));
  const bool aligned = shape.dtype != DType::fp32;
  if (const Status s = blas::make_operands(shape, aligned, &state->operands); !s.ok()) return s;
  call.product = state->operands.product;
  state->tried = attempts(shape.dtype);
  size_t bytes = 0;
  for (const Attempted& one : state->tried) bytes = std::max(bytes, one.way->workspace_bytes(call));
  if (bytes > 0) RIDGE_CUDA_CHECK(cudaMalloc(&call.workspace, bytes));
  plan->workspace_bytes = state->operands.workspace_bytes + bytes;
  const auto attempt = [](void* context, int index, const blas::Product& product, cudaStream_t stream) {
    const auto* all = static_cast<const CutlassPlan*>(context);
    return run(*all, all->tried[static_cast<size_t>(index)], product, stream);
  };
  blas::Choice choice;
  const Status s =
      blas::find_fastest(shape.dtype, call.product, static_cast<int>(state->tried.size()), attempt, state, &choice);
  state->chosen = state->tried[static_cast<size_t>(choice.index)];
  static constexpr const char* kRasters[] = {"its own order", "along m", "along n"};
  const Order& order = state->chosen.order;
  std::snprintf(plan->note, sizeof plan->note, "%s, %s, swizzle %d: the fastest of %d tried", state->chosen.way->name,
                kRasters[order.raster], order.swizzle, choice.tried);
  return s;
}

Status prepare(const Shape& shape, Plan* plan) {
  auto* state = new (std::nothrow) CutlassPlan;
  if (!state) return {"out of memory", "new CutlassPlan", __FILE__, __LINE__, false};
  *plan = {state, release, 0};
  return fill_plan(shape, state, plan);
}

Status launch(const Launch& launch) {
  const auto* plan = static_cast<const CutlassPlan*>(launch.plan_state);
  blas::Product product;
  if (const Status s = blas::begin(plan->operands, launch, &product); !s.ok()) return s;
  if (const Status s = run(*plan, plan->chosen, product, static_cast<cudaStream_t>(launch.stream)); !s.ok()) return s;
  return blas::finish(plan->operands, launch);
}

const char* version() {
  static char text[32];
  std::snprintf(text, sizeof text, "%d.%d.%d", CUTLASS_MAJOR, CUTLASS_MINOR, CUTLASS_PATCH);
  return text;
}

}  // namespace

RIDGE_KERNEL(gemm, cuda, cutlass, .dtypes = "bf16 fp16 fp32", .library = "CUTLASS", .version = version,
             .prepare = prepare, .launch = launch);
