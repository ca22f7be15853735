// ridge: flags=-O2 needs=openblas
//
// Idea      The second peer: OpenBLAS, kernels written in assembly for each CPU by hand, chosen when
//           the library is loaded. Two libraries beside each other show what is physics and what is
//           the library.
// Changed   Another library than oneDNN, the same idea: packed panels and a register micro-kernel.
// Limits    Which core it believes it runs on. 0.3.21 does not know newer CPUs and falls back to AVX2,
//           so the worker sets OPENBLAS_CORETYPE before it is loaded; the version names the core.
// Look at   The core's name beside the bar, before believing the bar.
// Source    OpenBLAS, cblas_sgemm and openblas_get_corename; the openmp build, so that its threads are
//           the same pool as oneDNN's and ours.
#include <openblas_config.h>
#include <stdio.h>

#include "kernels/runtime/problems/gemm.h"

// Declared here: several packages provide a cblas.h, and the one found first need not be OpenBLAS's.
extern "C" {
enum { kCblasRowMajor = 101, kCblasNoTrans = 111 };
void cblas_sgemm(int order, int trans_a, int trans_b, blasint m, blasint n, blasint k, float alpha,
                 const float* a, blasint lda, const float* b, blasint ldb, float beta, float* c,
                 blasint ldc);
void openblas_set_num_threads(int threads);
const char* openblas_get_config(void);
const char* openblas_get_corename(void);
}

namespace ridge {
namespace {

Status launch_openblas(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  openblas_set_num_threads(g.threads);
  const auto m = static_cast<blasint>(g.m), n = static_cast<blasint>(g.n),
             k = static_cast<blasint>(g.k);
  cblas_sgemm(kCblasRowMajor, kCblasNoTrans, kCblasNoTrans, m, n, k, 1.0f, g.a, k, g.b, n, 0.0f,
              g.c, n);
  return {};
}

/// "0.3.21 SkylakeX".
const char* openblas_version() {
  static char text[64] = "";
  if (text[0] == '\0') {
    char number[16] = "";
    sscanf(openblas_get_config(), "OpenBLAS %15s", number);
    snprintf(text, sizeof text, "%s %s", number, openblas_get_corename());
  }
  return text;
}

RIDGE_KERNEL(gemm, cpu, openblas, .library = "OpenBLAS", .version = openblas_version,
             .launch = launch_openblas);

}  // namespace
}  // namespace ridge
