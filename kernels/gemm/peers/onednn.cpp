// ridge: flags=-O2 needs=onednn
//
// Idea      The peer: oneDNN's sgemm, just-in-time compiled for this very CPU. A ladder without a
//           library at its end shows progress towards nowhere.
// Changed   Everything at once: packed panels, a register micro-kernel in the widest vectors of the
//           CPU, and threads if it is given more than one.
// Limits    At large sizes the FMA units; at small ones the calls' fixed cost.
// Look at   Its share of the FMA ceiling: that is what is possible here, not 100 %.
// Source    oneDNN, dnnl_sgemm (row-major). Threads follow OpenMP, which the worker sets per call.
#include <oneapi/dnnl/dnnl.h>

#include "kernels/runtime/problems/gemm.h"

extern "C" void omp_set_num_threads(int threads);  // oneDNN runs on OpenMP; no other use of it here

namespace ridge {
namespace {

Status launch_onednn(const Launch& launch) {
  const Gemm g = gemm_of(launch);
  omp_set_num_threads(g.threads);
  const dnnl_status_t status =
      dnnl_sgemm('N', 'N', g.m, g.n, g.k, 1.0f, g.a, g.k, g.b, g.n, 0.0f, g.c, g.n);
  if (status == dnnl_success) return {};
  return {.what = "oneDNN refused the product",
          .expression = "dnnl_sgemm",
          .file = __FILE__,
          .line = __LINE__};
}

/// "2.6.3"; built once, from what the library that was loaded says of itself.
const char* onednn_version() {
  static char text[32] = "";
  if (text[0] == '\0') {
    const dnnl_version_t* v = dnnl_version();
    const int parts[3] = {v->major, v->minor, v->patch};
    char* at = text;
    for (int i = 0; i < 3; ++i) {
      if (i > 0) *at++ = '.';
      if (parts[i] >= 10) *at++ = static_cast<char>('0' + parts[i] / 10 % 10);
      *at++ = static_cast<char>('0' + parts[i] % 10);
    }
    *at = '\0';
  }
  return text;
}

RIDGE_KERNEL(gemm, cpu, onednn, .library = "oneDNN", .version = onednn_version,
             .launch = launch_onednn);

}  // namespace
}  // namespace ridge
