// ridge: flags=-O2 needs=onednn
//
// Idea      The peer: what a framework without a fused kernel runs on this CPU. Two calls of oneDNN's
//           sgemm and its softmax between them, with the scores of one head in memory.
// Changed   The products at the library's speed; the scores are stored.
// Limits    Sequence x sequence numbers written and read four times, at the speed of memory.
// Look at   causal: the library computes the masked half as well; all threads put the mask into the scores.
// Source    oneDNN, dnnl_sgemm and softmax_forward (row-major).
#include <oneapi/dnnl/dnnl.hpp>

#include <cmath>
#include <cstdlib>
#include <new>

#include "common/harness/measure/machine.h"
#include "kernels/runtime/cpu/team.h"
#include "kernels/runtime/problems/attention_scores.h"

extern "C" void omp_set_num_threads(int threads);  // oneDNN runs on OpenMP; no other use of it here

namespace ridge {
namespace {

struct OnednnPlan {
  float* scores = nullptr;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::memory memory;
  dnnl::softmax_forward softmax;
};

void release(void* state) {
  auto* plan = static_cast<OnednnPlan*>(state);
  std::free(plan->scores);
  delete plan;
}

void make_softmax(int64_t size, OnednnPlan* plan) {
  const dnnl::memory::desc rows({size, size}, dnnl::memory::data_type::f32,
                                dnnl::memory::format_tag::ab);
  plan->memory = dnnl::memory(rows, plan->engine, plan->scores);
#if DNNL_VERSION_MAJOR >= 3
  plan->softmax = dnnl::softmax_forward({plan->engine, dnnl::prop_kind::forward_inference,
                                         dnnl::algorithm::softmax_accurate, rows, rows, 1});
#else
  plan->softmax =
      dnnl::softmax_forward({{dnnl::prop_kind::forward_inference, rows, 1}, plan->engine});
#endif
}

Status prepare_onednn(const Shape& shape, Plan* plan) {
  const int64_t size = shape.dim[kAttentionSequence];
  const double bytes = double(size) * double(size) * sizeof(float);
  plan->workspace_bytes = static_cast<size_t>(bytes);
  const double free_bytes = 0.9 * double(measure::free_memory_bytes());
  if (!(bytes <= free_bytes))
    return attention_scores_refused(bytes, free_bytes);
  try {
    omp_set_num_threads(shape.threads);
    auto* state = new OnednnPlan;
    *plan = {state, release, static_cast<size_t>(bytes)};
    state->scores = static_cast<float*>(std::malloc(static_cast<size_t>(bytes)));
    if (!state->scores) return attention_scores_refused(bytes, free_bytes);
    make_softmax(size, state);
  } catch (const std::exception&) {
    return refuse("oneDNN makes no softmax of this size");
  }
  return {};
}

struct Masked {
  float* scores;
  int64_t size;
  int threads;
};

/// Every so many-th row, so that all threads have as much of the triangle.
void mask_rows(void* context, int thread) {
  const auto* masked = static_cast<const Masked*>(context);
  for (int64_t i = thread; i < masked->size; i += masked->threads) {
    float* row = masked->scores + i * masked->size;
    for (int64_t j = i + 1; j < masked->size; ++j) row[j] = -INFINITY;
  }
}

Status launch_onednn(const Launch& launch) {
  const Attention a = attention_of(launch);
  auto* plan = static_cast<OnednnPlan*>(launch.plan_state);
  const int64_t s = a.sequence, d = a.d;
  omp_set_num_threads(a.threads);
  for (int64_t h = 0; h < a.heads; ++h) {
    const auto* q = static_cast<const float*>(a.q) + h * s * d;
    const auto* k = static_cast<const float*>(a.k) + h / a.group * s * d;
    const auto* v = static_cast<const float*>(a.v) + h / a.group * s * d;
    dnnl_status_t status =
        dnnl_sgemm('N', 'T', s, s, d, a.scale, q, d, k, d, 0.0f, plan->scores, s);
    Masked masked = {plan->scores, s, a.threads};
    if (a.causal) team_run(a.threads, mask_rows, &masked);
    try {
      plan->softmax.execute(plan->stream,
                            {{DNNL_ARG_SRC, plan->memory}, {DNNL_ARG_DST, plan->memory}});
      plan->stream.wait();
    } catch (const std::exception&) {
      status = dnnl_runtime_error;
    }
    if (status == dnnl_success) {
      status = dnnl_sgemm('N', 'N', s, d, s, 1.0f, plan->scores, s, v, d, 0.0f,
                          static_cast<float*>(a.o) + h * s * d, d);
    }
    if (status != dnnl_success) {
      return {.what = "oneDNN refused the products", .file = __FILE__, .line = __LINE__};
    }
  }
  return {};
}

/// "2.6.3", of the library that was loaded.
const char* onednn_version() {
  static const std::string text = [] {
    const dnnl_version_t* v = dnnl_version();
    return std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' +
           std::to_string(v->patch);
  }();
  return text.c_str();
}

RIDGE_KERNEL(attention, cpu, onednn, .library = "oneDNN", .version = onednn_version,
             .prepare = prepare_onednn, .launch = launch_onednn);

}  // namespace
}  // namespace ridge
