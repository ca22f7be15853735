// ridge: flags=-O2
//
// Idea      Multiply-adds in what every CPU of this architecture has: 4-wide vectors, a multiply and
//           an add (fused where the base instruction set fuses). 12 chains, four times over.
// Changed   GCC's vector type instead of intrinsics: the same file builds on other architectures.
// Limits    On x86-64 twice the instructions of fma_avx2 on half the width.
#include "kernels/probe/probe.h"

namespace ridge {
namespace {

typedef float Vec4 __attribute__((vector_size(16)));

Vec4 load4(const float* from) {
  Vec4 v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}

void store4(float* to, Vec4 v) {
  __builtin_memcpy(to, &v, sizeof(v));
}

void part(void* context, int index) {
  const ProbeFma* p = (const ProbeFma*)context;
  const float* x = p->x + (int64_t)index * kProbeLanes;
  float* out = p->out + (int64_t)index * kProbeLanes;
  const Vec4 a = {p->a, p->a, p->a, p->a}, b = {p->b, p->b, p->b, p->b};
  for (int group = 0; group < 4; ++group, x += 48, out += 48) {
    for (int i = 0; i < 48; ++i) out[i] = 0;
    for (int64_t pass = 0; pass < p->n; ++pass) {
      Vec4 v0 = load4(x);
      Vec4 v1 = load4(x + 4);
      Vec4 v2 = load4(x + 8);
      Vec4 v3 = load4(x + 12);
      Vec4 v4 = load4(x + 16);
      Vec4 v5 = load4(x + 20);
      Vec4 v6 = load4(x + 24);
      Vec4 v7 = load4(x + 28);
      Vec4 v8 = load4(x + 32);
      Vec4 v9 = load4(x + 36);
      Vec4 v10 = load4(x + 40);
      Vec4 v11 = load4(x + 44);
      for (int i = 0; i < kProbeSteps; ++i) {
        v0 = a * v0 + b;
        v1 = a * v1 + b;
        v2 = a * v2 + b;
        v3 = a * v3 + b;
        v4 = a * v4 + b;
        v5 = a * v5 + b;
        v6 = a * v6 + b;
        v7 = a * v7 + b;
        v8 = a * v8 + b;
        v9 = a * v9 + b;
        v10 = a * v10 + b;
        v11 = a * v11 + b;
      }
      store4(out, load4(out) + v0);
      store4(out + 4, load4(out + 4) + v1);
      store4(out + 8, load4(out + 8) + v2);
      store4(out + 12, load4(out + 12) + v3);
      store4(out + 16, load4(out + 16) + v4);
      store4(out + 20, load4(out + 20) + v5);
      store4(out + 24, load4(out + 24) + v6);
      store4(out + 28, load4(out + 28) + v7);
      store4(out + 32, load4(out + 32) + v8);
      store4(out + 36, load4(out + 36) + v9);
      store4(out + 40, load4(out + 40) + v10);
      store4(out + 44, load4(out + 44) + v11);
    }
  }
}

Status launch_fma(const Launch& launch) {
  const Status status = probe_expects(launch, kProbeFma, kProbeLanes);
  if (!status.ok()) return status;
  ProbeFma p = probe_fma_of(launch);
  probe_run_threads(launch.shape.threads, part, &p);
  return status;
}

RIDGE_KERNEL(probe, cpu, fma_portable, .launch = launch_fma);

}  // namespace
}  // namespace ridge
