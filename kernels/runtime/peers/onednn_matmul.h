// oneDNN's matmul primitive, compiled for this CPU, these types and this shape while the plan is made. Operands
// as every rung gets them: a layout of the library's own choice would need copying inside the timed call.
#pragma once

#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>
#include <stdio.h>

#include <new>

#include "kernels/runtime/problems/gemm.h"

extern "C" void omp_set_num_threads(int threads);  // oneDNN runs on OpenMP; no other use of it here

namespace ridge {
namespace {

/// What a rung asks of oneDNN.
struct MatmulTypes {
  dnnl_data_type_t in, out;
  dnnl_format_tag_t b;  ///< dnnl_ab: row-major, k x n; dnnl_ba: transposed
  const char* refusal;  ///< said where this CPU has not what it takes
};

struct Matmul {
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
  dnnl_primitive_t primitive = nullptr;
  dnnl_memory_t memory[3] = {};
};

void release(void* state) {
  auto* plan = static_cast<Matmul*>(state);
  for (dnnl_memory_t memory : plan->memory) {
    if (memory) dnnl_memory_destroy(memory);
  }
  if (plan->primitive) dnnl_primitive_destroy(plan->primitive);
  if (plan->stream) dnnl_stream_destroy(plan->stream);
  if (plan->engine) dnnl_engine_destroy(plan->engine);
  delete plan;
}

Status status_of(dnnl_status_t status, const char* expression, int line) {
  if (status == dnnl_success) return {};
  return {.what = "oneDNN refused the product",
          .expression = expression,
          .file = __FILE__,
          .line = line};
}
#define RIDGE_DNNL_CHECK(call)                                                               \
  do {                                                                                       \
    if (const auto status = status_of((call), #call, __LINE__); !status.ok()) return status; \
  } while (false)

/// What the library would run for these matrices, {A, B, C}; oneDNN 3 has no descriptions of operations any more.
#if DNNL_VERSION_MAJOR >= 3
using MatrixDesc = dnnl_memory_desc_t;
inline dnnl_status_t describe_matrix(MatrixDesc* desc, const dnnl_dims_t dims, dnnl_data_type_t type,
                                     dnnl_format_tag_t tag) {
  return dnnl_memory_desc_create_with_tag(desc, 2, dims, type, tag);
}
inline const_dnnl_memory_desc_t pointer_to(const MatrixDesc& desc) { return desc; }
inline void forget(MatrixDesc desc) { dnnl_memory_desc_destroy(desc); }
inline dnnl_status_t describe_matmul(dnnl_primitive_desc_t* desc, dnnl_engine_t engine, const MatrixDesc* matrix) {
  return dnnl_matmul_primitive_desc_create(desc, engine, matrix[0], matrix[1], nullptr, matrix[2], nullptr);
}
#else
using MatrixDesc = dnnl_memory_desc_t;
inline dnnl_status_t describe_matrix(MatrixDesc* desc, const dnnl_dims_t dims, dnnl_data_type_t type,
                                     dnnl_format_tag_t tag) {
  return dnnl_memory_desc_init_by_tag(desc, 2, dims, type, tag);
}
inline const dnnl_memory_desc_t* pointer_to(const MatrixDesc& desc) { return &desc; }
inline void forget(const MatrixDesc&) {}
inline dnnl_status_t describe_matmul(dnnl_primitive_desc_t* desc, dnnl_engine_t engine, const MatrixDesc* matrix) {
  dnnl_matmul_desc_t matmul;
  const dnnl_status_t made = dnnl_matmul_desc_init(&matmul, &matrix[0], &matrix[1], nullptr, &matrix[2]);
  return made != dnnl_success ? made : dnnl_primitive_desc_create(desc, &matmul, nullptr, engine, nullptr);
}
#endif

/// Makes engine, stream and memory, and describes the product.
Status fill(const Shape& shape, const MatmulTypes& types, Matmul* plan, MatrixDesc* matrix,
            dnnl_primitive_desc_t* desc) {
  const int64_t m = shape.dim[kGemmM], n = shape.dim[kGemmN], k = shape.dim[kGemmK];
  const dnnl_dims_t dims[3] = {{m, k}, {k, n}, {m, n}};
  RIDGE_DNNL_CHECK(dnnl_engine_create(&plan->engine, dnnl_cpu, 0));
  RIDGE_DNNL_CHECK(dnnl_stream_create(&plan->stream, plan->engine, dnnl_stream_default_flags));
  for (int i = 0; i < 3; ++i) {
    RIDGE_DNNL_CHECK(describe_matrix(&matrix[i], dims[i], i == kGemmC ? types.out : types.in,
                                     i == kGemmB ? types.b : dnnl_ab));
    RIDGE_DNNL_CHECK(dnnl_memory_create(&plan->memory[i], pointer_to(matrix[i]), plan->engine, DNNL_MEMORY_NONE));
  }
  const auto made = describe_matmul(desc, plan->engine, matrix);
  if (made == dnnl_unimplemented)
    return refuse(types.refusal);
  return status_of(made, "dnnl_primitive_desc_create", __LINE__);
}

/// Makes the primitive; `note` receives the library's name of the implementation it chose:
/// "brg:avx512_core_bf16".
Status make_primitive(const Shape& shape, const MatmulTypes& types, Matmul* plan, char (&note)[sizeof Plan::note]) {
  MatrixDesc matrix[3] = {};
  dnnl_primitive_desc_t desc = nullptr;
  Status status = fill(shape, types, plan, matrix, &desc);
  if (status.ok()) {
    const char* chosen = nullptr;
    if (dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &chosen) == dnnl_success)
      snprintf(note, sizeof note, "implementation %s", chosen);
    status = status_of(dnnl_primitive_create(&plan->primitive, desc), "dnnl_primitive_create", __LINE__);
  }
  if (desc) dnnl_primitive_desc_destroy(desc);
  for (const MatrixDesc& one : matrix) forget(one);
  return status;
}

Status prepare_matmul(const Shape& shape, const MatmulTypes& types, Plan* plan) {
  auto* state = new (std::nothrow) Matmul;
  if (!state) return {.what = "out of memory", .expression = "new Matmul", .file = __FILE__};
  omp_set_num_threads(shape.threads);  // a primitive is made for so many
  if (const Status status = make_primitive(shape, types, state, plan->note); !status.ok()) {
    release(state);
    return status;
  }
  plan->state = state;
  plan->release = release;
  return {};
}

/// Whether oneDNN may use this ISA here, or one that is above it.
inline bool onednn_has(dnnl_cpu_isa_t isa) {
  return (dnnl_get_effective_cpu_isa() & isa) == isa;
}

/// KernelDesc::unavailable of bf16.
inline const char* why_no_bf16() {
  return onednn_has(dnnl_cpu_isa_avx512_core) ? nullptr : "oneDNN's bf16 needs AVX-512";
}

/// KernelDesc::unavailable of int8. Without VNNI oneDNN adds pairs of products in 16 bits (vpmaddubsw), which
/// full-range operands overflow: it accepts the product, and the gate refuses the result.
inline const char* why_no_int8() {
  const bool has_vnni =
      onednn_has(dnnl_cpu_isa_avx512_core_vnni) || onednn_has(dnnl_cpu_isa_avx2_vnni);
  return has_vnni ? nullptr
                  : "without VNNI, oneDNN's int8 sums overflow 16 bits; this CPU lacks it";
}

/// operands: A, B, C.
inline Status run_matmul(const Matmul* plan, int threads, void* const* operands) {
  omp_set_num_threads(threads);
  for (int i = 0; i < 3; ++i)
    RIDGE_DNNL_CHECK(dnnl_memory_set_data_handle(plan->memory[i], operands[i]));
  const dnnl_exec_arg_t arguments[3] = {{DNNL_ARG_SRC, plan->memory[kGemmA]},
                                        {DNNL_ARG_WEIGHTS, plan->memory[kGemmB]},
                                        {DNNL_ARG_DST, plan->memory[kGemmC]}};
  RIDGE_DNNL_CHECK(dnnl_primitive_execute(plan->primitive, plan->stream, 3, arguments));
  RIDGE_DNNL_CHECK(dnnl_stream_wait(plan->stream));
  return {};
}

inline Status launch_matmul(const Launch& launch) {
  return run_matmul(static_cast<const Matmul*>(launch.plan_state), launch.shape.threads,
                    launch.buffers);
}

const char* matmul_version() {
  static char text[32];
  const dnnl_version_t* v = dnnl_version();
  snprintf(text, sizeof text, "%d.%d.%d", v->major, v->minor, v->patch);
  return text;
}

}  // namespace
}  // namespace ridge
