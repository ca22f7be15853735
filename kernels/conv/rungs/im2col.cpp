// ridge: isa=avx512f flags=-O2
//
// Idea      A convolution is a product of matrices, if x is written out so that every output pixel has a column
//           with all it sees: (c r s) rows, (p q) columns. Filters are the other matrix as they lie.
// Changed   All arithmetic is the GEMM lab's packed rung. What was a loop nest became copying.
// Limits    The copying: with 3 x 3 filters nine times x is written and read again. In nhwc and nchw16c the
//           product is turned into the layout afterwards.
// Look at   Memory held. And 1 x 1 filters, where the columns are x itself and are not copied.
// Source    K. Chellapilla, S. Puri, P. Simard, High Performance Convolutional Neural Networks for Document
//           Processing (2006); Caffe's im2col.
#include <stdlib.h>

#include "kernels/runtime/cpu/panels.h"
#include "kernels/runtime/problems/conv.h"

namespace ridge {

extern const PanelKernel gemm_panels_avx512;  // kernels/gemm/rungs/packed_avx512.cpp

typedef struct {
  Conv v;
  Plan gemm;  // of one group of one image
  float *columns, *y;
  bool as_it_lies;  // 1 x 1 in nchw: x is the matrix
} Im2col;

typedef struct {
  const Im2col* plan;
  const Conv* v;
  const float* x;
  int64_t n, group;
} Im2colJob;

static void im2col_release(void* state) {
  Im2col* plan = (Im2col*)state;
  if (plan->gemm.release) plan->gemm.release(plan->gemm.state);
  free(plan->columns);
  free(plan->y);
  free(plan);
}

static Status prepare(const Shape& shape, Plan* out) {
  Status status;
  status.what = "out of memory", status.expression = "im2col";
  Im2col* plan = (Im2col*)calloc(1, sizeof(Im2col));
  if (!plan) return status;
  const Conv v = plan->v = conv_shape(&shape);
  out->state = plan;
  out->release = im2col_release;
  plan->as_it_lies = v.layout == kConvNchw && v.r * v.s == 1 && v.stride == 1 && v.pad == 0;
  Shape product = {};
  product.dim[kGemmM] = v.group_m, product.dim[kGemmN] = v.p * v.q;
  product.dim[kGemmK] = v.group_c * v.r * v.s;
  product.threads = shape.threads;
  const Status made =
      panel_prepare(&gemm_panels_avx512, product, panel_threads(product), &plan->gemm);
  if (!made.ok()) return made;
  const size_t columns =
      plan->as_it_lies ? 0 : (size_t)(product.dim[kGemmK] * v.p * v.q) * sizeof(float);
  const size_t y = v.layout == kConvNchw ? 0 : (size_t)(v.group_m * v.p * v.q) * sizeof(float);
  plan->columns = (float*)malloc(columns + 64);
  plan->y = (float*)malloc(y + 64);
  if (!plan->columns || !plan->y) return status;
  __builtin_memset(plan->columns, 0, columns);
  out->workspace_bytes = plan->gemm.workspace_bytes + columns + y;
  return Status();
}

/// A row of the matrix: what tap (c, r, s) sees at each output pixel.
static void im2col_rows(void* context, int index) {
  const Im2colJob* job = (const Im2colJob*)context;
  const Conv* v = job->v;
  const int64_t rows = v->group_c * v->r * v->s;
  for (int64_t row = rows * index / v->threads; row < rows * (index + 1) / v->threads; ++row) {
    const int64_t s = row % v->s, r = row / v->s % v->r, c = row / v->s / v->r;
    const float* x = v->x + conv_place(&v->x_at, job->n, job->group * v->group_c + c, 0, 0);
    float* to = job->plan->columns + row * v->p * v->q;
    // Outputs [begin, end) of a row see a column of the image through this tap.
    const int64_t before = v->pad - s, past = v->w + before;
    int64_t begin = before > 0 ? (before + v->stride - 1) / v->stride : 0;
    int64_t end = past > 0 ? (past + v->stride - 1) / v->stride : 0;
    end = end < v->q ? end : v->q;
    begin = begin < end ? begin : end;
    for (int64_t p = 0; p < v->p; ++p, to += v->q) {
      const int64_t h = p * v->stride + r - v->pad;
      if (h < 0 || h >= v->h) {
        __builtin_memset(to, 0, (size_t)v->q * sizeof(float));
        continue;
      }
      const float* from = x + h * v->x_at.row - before * v->x_at.pixel;
      const int64_t step = v->stride * v->x_at.pixel;
      for (int64_t q = 0; q < begin; ++q) to[q] = 0;
      if (step == 1) {
        __builtin_memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof(float));
      } else {
        for (int64_t q = begin; q < end; ++q) to[q] = from[q * step];
      }
      for (int64_t q = end; q < v->q; ++q) to[q] = 0;
    }
  }
}

static Status launch(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const Im2col* plan = (const Im2col*)launch.plan_state;
  const int64_t area = v.p * v.q;
  if (conv_stored(v.m, v.layout) > v.m)  // filled-up channels become zero
    __builtin_memset(v.y, 0, (size_t)(v.n * v.y_at.image) * sizeof(float));
  Im2colJob job = {plan, &v, v.x, 0, 0};
  for (job.n = 0; job.n < v.n; ++job.n) {
    for (job.group = 0; job.group < v.groups; ++job.group) {
      if (!plan->as_it_lies) team_run(v.threads, im2col_rows, &job);
      const int64_t m0 = job.group * v.group_m;
      float* y = v.layout == kConvNchw ? v.y + conv_place(&v.y_at, job.n, m0, 0, 0) : plan->y;
      const float* x = v.x + conv_place(&v.x_at, job.n, job.group * v.group_c, 0, 0);
      void* operands[] = {(void*)(v.f + m0 * v.group_c * v.r * v.s),
                          plan->as_it_lies ? (void*)x : (void*)plan->columns, y};
      Launch product = {};
      product.shape.dim[kGemmM] = v.group_m, product.shape.dim[kGemmN] = area;
      product.shape.dim[kGemmK] = v.group_c * v.r * v.s;
      product.buffers = operands;
      product.plan_state = plan->gemm.state;
      const Status made = panel_launch(&gemm_panels_avx512, product);
      if (!made.ok()) return made;
      if (v.layout == kConvNchw && !v.relu) continue;
      for (int64_t m = 0; m < v.group_m; ++m) {
        float* to = v.y + conv_place(&v.y_at, job.n, m0 + m, 0, 0);
        for (int64_t i = 0; i < area; ++i)
          to[i * v.y_at.pixel] = conv_finish(&v, m0 + m, y[m * area + i]);
      }
    }
  }
  return Status();
}

RIDGE_KERNEL(conv, cpu, im2col, .prepare = prepare, .launch = launch);

}  // namespace ridge
