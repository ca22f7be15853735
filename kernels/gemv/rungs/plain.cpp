// ridge: flags=-O3
//
// Idea      A dot product for each row of W, whatever its weights are: each is made a float and multiplied.
// Changed   Nothing yet: this is the definition.
// Limits    One chain of additions, each waiting for the one before: most of the time, whatever the bytes. So a
//           smaller type gains little here, and costs what unpacking costs.
// Look at   Bandwidth: far below the ceiling, since the chain waits and the memory does not.
// Source    The definition. bf16 rounded as IEEE 754 rounds.
#include "kernels/gemv/cpu_rows.h"

namespace ridge {
namespace {

float plain_fp32(const void* w, const void*, const float* x, const float*, int64_t k) {
  float sum = 0;
  for (int64_t p = 0; p < k; ++p) sum += static_cast<const float*>(w)[p] * x[p];
  return sum;
}

float plain_bf16(const void* w, const void*, const float* x, const float*, int64_t k) {
  float sum = 0;
  for (int64_t p = 0; p < k; ++p) sum += gemv_from_bf16(static_cast<const uint16_t*>(w)[p]) * x[p];
  return sum;
}

float plain_int8(const void* w, const void* scale, const float* x, const float*, int64_t k) {
  float sum = 0;
  for (int64_t p = 0; p < k; ++p) sum += float(static_cast<const int8_t*>(w)[p]) * x[p];
  return sum * *static_cast<const float*>(scale);
}

float plain_int4(const void* w, const void* scales, const float* x, const float*, int64_t k) {
  float sum = 0;
  for (int64_t group = 0; group < k / RIDGE_GEMV_GROUP; ++group) {
    const uint8_t* two = static_cast<const uint8_t*>(w) + group * RIDGE_GEMV_GROUP / 2;
    const float* part = x + group * RIDGE_GEMV_GROUP;
    float of_group = 0;
    for (int p = 0; p < RIDGE_GEMV_GROUP; p += 2) {
      of_group += float((two[p / 2] & 15) - 8) * part[p];
      of_group += float((two[p / 2] >> 4) - 8) * part[p + 1];
    }
    sum += of_group * gemv_from_bf16(static_cast<const uint16_t*>(scales)[group]);
  }
  return sum;
}

constexpr GemvRow kPlainRows[] = {plain_fp32, plain_bf16, nullptr, plain_int8, plain_int4};

Status launch_plain(const Launch& launch) {
  return gemv_run_cpu(launch, kPlainRows[launch.shape.dim[kGemvKind]], 0);
}

RIDGE_KERNEL(gemv, cpu, plain, .dtypes = "fp32 bf16 int8 int4", .prepare = gemv_prepare_cpu,
             .launch = launch_plain);

}  // namespace
}  // namespace ridge
