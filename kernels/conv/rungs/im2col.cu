// ridge: arch=80
//
// Idea      Write out what every output pixel sees, (c, r, s) rows and (n, p, q) columns, and the layer is one product:
//           the GEMM lab's warp tile, as it is.
// Changed   The arithmetic is the best that the CUDA cores have. For it x is written and read again, with 3 x 3 filters
//           nine times, and y once more: the product's columns are pixels of all images, y's are not.
// Limits    Instructions: the copy divides for each element of the matrix. And tiles of 128 filters: of 64 filters half
//           of a tile is empty. The matrix itself: 462 MB for 64 images of 64 x 56 x 56, where x has 51.
// Look at   Memory held. Which part copies and which multiplies, the timeline of a profiler shows.
// Source    K. Chellapilla, S. Puri, P. Simard, High Performance Convolutional Neural Networks for Document
//           Processing (2006); Caffe's im2col.
#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "common/harness/kernel/registry.h"
#include "kernels/conv/rungs/cuda_conv.h"
#include "kernels/runtime/problems/gemm_product.h"

namespace ridge::device {

/// columns[(c, r, s)][pixel] of `images` images from first_image on, and one group.
__global__ void conv_columns_kernel(Conv v, const float* __restrict__ x,
                                    float* __restrict__ columns, int64_t first_image,
                                    int64_t images, int group) {
  const int64_t pixels = images * v.p * v.q, all = v.group_c * v.r * v.s * pixels;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all;
       i += int64_t{gridDim.x} * blockDim.x) {
    const auto pixel = static_cast<uint32_t>(i % pixels), row = static_cast<uint32_t>(i / pixels);
    const auto q_all = static_cast<uint32_t>(v.q), p_all = static_cast<uint32_t>(v.p);
    const auto s_all = static_cast<uint32_t>(v.s), r_all = static_cast<uint32_t>(v.r);
    const int64_t n = first_image + pixel / q_all / p_all, c = row / s_all / r_all;
    const int64_t h = int64_t{pixel / q_all % p_all} * v.stride + row / s_all % r_all - v.pad;
    const int64_t w = int64_t{pixel % q_all} * v.stride + row % s_all - v.pad;
    const bool inside = h >= 0 && h < v.h && w >= 0 && w < v.w;
    const int64_t channel = group * v.group_c + c;
    columns[i] = inside ? x[n * v.x_at.image + (channel >> v.x_at.shift) * v.x_at.outer +
                            (channel & v.x_at.mask) + h * v.x_at.row + w * v.x_at.pixel]
                        : 0.0f;
  }
}

/// What the product gave, [filter][pixel], to where y has it.
__global__ void conv_rows_kernel(Conv v, const float* __restrict__ product, int64_t first_image,
                                 int64_t images, int64_t stride, int group) {
  const int64_t pixels = images * v.p * v.q, all = v.group_m * pixels;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all;
       i += int64_t{gridDim.x} * blockDim.x) {
    // In nchw neighbouring threads write neighbours of a row, else of a pixel's filters.
    const bool planes = v.layout == kConvNchw;
    const int64_t pixel = planes ? i % pixels : i / v.group_m;
    const int64_t in_group = planes ? i / pixels : i % v.group_m, m = group * v.group_m + in_group;
    const int64_t q = pixel % v.q, p = pixel / v.q % v.p, n = first_image + pixel / v.q / v.p;
    const float acc = product[in_group * stride + pixel];
    v.y[n * v.y_at.image + (m >> v.y_at.shift) * v.y_at.outer + (m & v.y_at.mask) + p * v.y_at.row + q * v.y_at.pixel] =
        v.relu ? relu(acc + v.bias[m]) : acc;
  }
}

}  // namespace ridge::device

namespace ridge {
namespace {

constexpr int64_t kMaxBytes = int64_t{512} << 20;  // of columns at a time
constexpr unsigned kBlocks = 4096, kThreads = 256;

/// One group of `images` images at a time.
struct State {
  gemm::Product product;
  int64_t images;
  float *columns = nullptr, *rows = nullptr;

  State(const KernelDesc* kernel, const Conv& v, int64_t at_once)
      : product(kernel, v.group_m, at_once * v.p * v.q, v.group_c * v.r * v.s, 1),
        images(at_once) {}
  ~State() {
    cudaFree(columns);
    cudaFree(rows);
  }
};

Status prepare(const Shape& shape, Plan* plan) {
  const Conv v = conv_shape(&shape);
  const KernelDesc* kernel = find_kernel("gemm.cuda.warp_tile");
  if (!kernel)
    return refuse("the GEMM lab's warp tile is not here");
  const int64_t image = v.group_c * v.r * v.s * v.p * v.q * int64_t{sizeof(float)};
  int64_t images = kMaxBytes / image < v.n ? kMaxBytes / image : v.n;
  if (images < 1) images = 1;
  auto* state = new (std::nothrow) State(kernel, v, images);
  if (!state) return {"out of memory", "new State", __FILE__, __LINE__, false};
  plan->state = state;
  plan->release = [](void* made) { delete static_cast<State*>(made); };
  const auto columns = static_cast<size_t>(images * image);
  const auto rows = static_cast<size_t>(images * v.group_m * v.p * v.q) * sizeof(float);
  RIDGE_CUDA_CHECK(cudaMalloc(&state->columns, columns));
  RIDGE_CUDA_CHECK(cudaMalloc(&state->rows, rows));
  RIDGE_CUDA_CHECK(cudaMemset(state->columns, 0, columns));  // the last images may be fewer
  RIDGE_CUDA_CHECK(cudaDeviceSynchronize());                 // launches go to a stream of their own
  plan->workspace_bytes = columns + rows + state->product.bytes();
  return {};
}

Status launch(const Launch& launch) {
  const Conv v = conv_of(&launch);
  const auto& state = *static_cast<const State*>(launch.plan_state);
  const auto stream = static_cast<cudaStream_t>(v.stream);
  if (const Status cleared = conv_clear_padding(launch); !cleared.ok()) return cleared;
  const int64_t terms = v.group_c * v.r * v.s;
  for (int64_t first = 0; first < v.n; first += state.images) {
    const int64_t images = v.n - first < state.images ? v.n - first : state.images;
    for (int group = 0; group < v.groups; ++group) {
      device::conv_columns_kernel<<<kBlocks, kThreads, 0, stream>>>(v, v.x, state.columns, first,
                                                                    images, group);
      const float* f = v.f + group * v.group_m * terms;  // as they lie: [filter][c, r, s]
      const Status made = state.product.run(f, state.columns, state.rows, stream);
      if (!made.ok()) return made;
      device::conv_rows_kernel<<<kBlocks, kThreads, 0, stream>>>(v, state.rows, first, images,
                                                                 state.images * v.p * v.q, group);
    }
  }
  return RIDGE_CUDA_LAUNCHED(conv_rows_kernel);
}

}  // namespace
}  // namespace ridge

RIDGE_KERNEL(conv, cuda, im2col, .dtypes = "fp32", .prepare = ridge::prepare,
             .launch = ridge::launch);
