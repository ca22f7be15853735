// ridge: flags=-O2 needs=onednn
//
// Idea      The peer: oneDNN, just-in-time compiled for this very CPU. A ladder without a library at its end shows
//           progress towards nowhere.
// Changed   Everything at once: packed panels, a register micro-kernel in the widest vectors of the
//           CPU, and threads if it is given more than one. The library has two ways to this product, sgemm and the
//           matmul primitive: both are tried beforehand, on random numbers, and the faster one runs; the note says so.
// Limits    At large sizes the FMA units; at small ones the calls' fixed cost.
// Look at   Its share of the FMA ceiling: that is what is possible here, not 100 %.
// Source    oneDNN, dnnl_sgemm and matmul (row-major). Threads follow OpenMP, which the worker sets per call.
#include <stdlib.h>
#include <time.h>

#include "kernels/runtime/peers/onednn_matmul.h"

namespace ridge {
namespace {

constexpr MatmulTypes kTypes = {dnnl_f32, dnnl_f32, dnnl_ab, "oneDNN has no matmul in fp32 for this CPU"};

/// Rounds in which both ways take turns after a first call of each, as far as they fit into kTrial_s.
constexpr int kRounds = 5;
constexpr double kTrial_s = 0.5;

struct Ways {
  Plan primitive;
  bool is_primitive = false;
};

void release_ways(void* state) {
  auto* ways = static_cast<Ways*>(state);
  if (ways->primitive.release) ways->primitive.release(ways->primitive.state);
  delete ways;
}

Status run_way(const Ways& ways, bool primitive, const Shape& shape, void* const* operands) {
  if (primitive) return run_matmul(static_cast<const Matmul*>(ways.primitive.state), shape.threads, operands);
  const int64_t m = shape.dim[kGemmM], n = shape.dim[kGemmN], k = shape.dim[kGemmK];
  omp_set_num_threads(shape.threads);
  RIDGE_DNNL_CHECK(dnnl_sgemm('N', 'N', m, n, k, 1.0f, static_cast<const float*>(operands[kGemmA]), k,
                              static_cast<const float*>(operands[kGemmB]), n, 0.0f,
                              static_cast<float*>(operands[kGemmC]), n));
  return {};
}

double now_s() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Seconds of one call; a failing way is never the faster one.
double seconds_of(const Ways& ways, bool primitive, const Shape& shape, void* const* operands) {
  const double start = now_s();
  return run_way(ways, primitive, shape, operands).ok() ? now_s() - start : 1e30;
}

/// Random numbers of either sign in [0.5, 2).
void fill_random(float* to, int64_t count) {
  uint32_t state = 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    const uint32_t bits = (state & 0x80ffffffu) | 0x3f000000u;
    __builtin_memcpy(to + i, &bits, sizeof bits);
  }
}

/// Times both ways; false where there is no memory for it.
bool choose(const Shape& shape, Ways* ways, double* best) {
  const int64_t m = shape.dim[kGemmM], n = shape.dim[kGemmN], k = shape.dim[kGemmK];
  const int64_t sizes[3] = {m * k, k * n, m * n};
  void* operands[3] = {};
  bool has_memory = true;
  for (int i = 0; i < 3; ++i) {
    operands[i] = malloc(static_cast<size_t>(sizes[i]) * sizeof(float));
    has_memory = has_memory && operands[i] != nullptr;
  }
  if (has_memory) {
    for (int i = 0; i < 3; ++i) fill_random(static_cast<float*>(operands[i]), sizes[i]);
    for (int way = 0; way < 2; ++way) best[way] = seconds_of(*ways, way == 1, shape, operands);
    const double begin = now_s();
    for (int round = 0; round < kRounds && now_s() - begin + best[0] + best[1] < kTrial_s; ++round) {
      for (int way = 0; way < 2; ++way) {
        const double taken = seconds_of(*ways, way == 1, shape, operands);
        if (round == 0 || taken < best[way]) best[way] = taken;  // the first call made its code: not among them
      }
    }
  }
  for (void* one : operands) free(one);
  ways->is_primitive = has_memory && best[1] < best[0];
  return has_memory;
}

Status prepare_onednn(const Shape& shape, Plan* plan) {
  auto* ways = new (std::nothrow) Ways;
  if (!ways) return {.what = "out of memory", .expression = "new Ways", .file = __FILE__};
  plan->state = ways;
  plan->release = release_ways;
  if (!prepare_matmul(shape, kTypes, &ways->primitive).ok()) {
    snprintf(plan->note, sizeof plan->note, "sgemm; it has no matmul primitive for this");
    return {};
  }
  double best[2] = {};
  const char* names[2] = {"sgemm", "matmul"};
  if (!choose(shape, ways, best)) {
    snprintf(plan->note, sizeof plan->note, "sgemm; no memory to try the matmul primitive");
    return {};
  }
  const int kept = ways->is_primitive;
  snprintf(plan->note, sizeof plan->note, "%s, the faster of sgemm %.4g ms and matmul %.4g ms", names[kept],
           best[0] * 1e3, best[1] * 1e3);
  return {};
}

Status launch_onednn(const Launch& launch) {
  const auto* ways = static_cast<const Ways*>(launch.plan_state);
  return run_way(*ways, ways->is_primitive, launch.shape, launch.buffers);
}

RIDGE_KERNEL(gemm, cpu, onednn, .library = "oneDNN", .version = matmul_version, .prepare = prepare_onednn,
             .launch = launch_onednn);

}  // namespace
}  // namespace ridge
