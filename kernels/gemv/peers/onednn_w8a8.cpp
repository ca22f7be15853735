// ridge: flags=-O3 needs=onednn
//
// Idea      The peer of the int8 layer on a CPU: oneDNN's matmul with 32-bit sums, then a pass that gives them
//           scales, bias and ReLU.
// Changed   Two steps, with the sums in memory between them. As the primitive's own post-operations, with a scale
//           for each row of x and bf16 out, oneDNN 2.6 takes its reference implementation: 26 MFLOP/s.
// Limits    Many rows of x: the dot-product units. Few: it packs W in each call.
// Look at   What the sums' way to memory and back costs.
// Source    oneDNN, dnnl_matmul_desc_init.
#include <stdlib.h>

#include "kernels/gemv/cpu_rows.h"
#include "kernels/runtime/peers/onednn_matmul.h"

namespace ridge {
namespace {

struct Layer {
  Plan product;
  int32_t* acc = nullptr;  ///< where the epilogue is ours
  int64_t turn = 0;
};

struct Epilogue {
  const Gemv* g;
  const int32_t* acc;
};

void finish_rows(void* context, int thread) {
  const auto* job = static_cast<const Epilogue*>(context);
  const Gemv& g = *job->g;
  const auto* scales = static_cast<const float*>(g.scales);
  const auto* bias = static_cast<const float*>(g.bias);
  for (int64_t i = g.batch * thread / g.threads; i < g.batch * (thread + 1) / g.threads; ++i) {
    const int32_t* acc = job->acc + i * g.n;
    uint16_t* y = static_cast<uint16_t*>(g.y) + i * g.n;
    const float x_scale = g.x_scales[i];
    for (int64_t j = 0; j < g.n; ++j) {
      const float value = float(acc[j]) * (x_scale * scales[j]) + bias[j];
      y[j] = gemv_to_bf16(value > 0 ? value : 0);
    }
  }
}

void release_layer(void* state) {
  auto* layer = static_cast<Layer*>(state);
  if (layer->product.release) layer->product.release(layer->product.state);
  free(layer->acc);
  delete layer;
}

Status prepare(const Shape& shape, Plan* plan) {
  auto* layer = new (std::nothrow) Layer;
  if (!layer) return {.what = "out of memory", .expression = "new Layer", .file = __FILE__};
  plan->state = layer;
  plan->release = release_layer;
  Shape product = shape;
  product.dim[kGemmM] = shape.dim[kGemvBatch];
  product.dim[kGemmN] = shape.dim[kGemvN];
  product.dim[kGemmK] = shape.dim[kGemvK];
  if (shape.dim[kGemvFused]) {
    plan->workspace_bytes = size_t(product.dim[kGemmM] * product.dim[kGemmN]) * sizeof(int32_t);
    layer->acc = static_cast<int32_t*>(malloc(plan->workspace_bytes));
    if (!layer->acc) return {.what = "out of memory", .expression = "malloc", .file = __FILE__};
  }
  constexpr MatmulTypes kTypes = {dnnl_s8, dnnl_s32, dnnl_ba, "oneDNN has no int8 for this CPU"};
  const Status status = prepare_matmul(product, kTypes, &layer->product);
  snprintf(plan->note, sizeof plan->note, "%s", layer->product.note);
  return status;
}

Status launch(const Launch& launch) {
  auto* layer = static_cast<Layer*>(launch.plan_state);
  const Gemv g = gemv_next(launch, &layer->turn);
  void* const operands[3] = {const_cast<void*>(g.x), const_cast<void*>(g.w), layer->acc ? layer->acc : g.y};
  const auto* product = static_cast<const Matmul*>(layer->product.state);
  if (const Status status = run_matmul(product, g.threads, operands); !status.ok()) return status;
  Epilogue epilogue = {&g, layer->acc};
  if (layer->acc) team_run(g.threads, finish_rows, &epilogue);
  return {};
}

RIDGE_KERNEL(gemv, cpu, onednn_w8a8, .dtypes = "w8a8", .library = "oneDNN",
             .version = matmul_version, .unavailable = why_no_int8, .prepare = prepare,
             .launch = launch);

}  // namespace
}  // namespace ridge
