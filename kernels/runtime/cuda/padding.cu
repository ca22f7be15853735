// ridge: arch=75
#include "kernels/runtime/cuda/padding.h"

#include <cuda_runtime.h>

#include <new>

#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/transpose.h"

namespace ridge {
namespace {

constexpr int64_t kAlignBytes = 16;
constexpr int kThreads = 256;

/// One matrix to copy: rows of `columns` elements into rows of `pieces` 16-byte pieces.
struct Copy {
  const void* from;
  uint4* to;
  int64_t columns, pieces, all_pieces;
};

/// Piece i of the copy, element by element: the source row may start anywhere.
template <typename Element>
__device__ void copy_piece(const Copy& copy, int64_t i) {
  constexpr int kPerPiece = kAlignBytes / sizeof(Element);
  const int64_t row = i / copy.pieces, column = i % copy.pieces * kPerPiece;
  const Element* from = static_cast<const Element*>(copy.from) + row * copy.columns;
  union {
    uint4 whole;
    Element part[kPerPiece];
  } piece;
#pragma unroll
  for (int e = 0; e < kPerPiece; ++e) {
    piece.part[e] = column + e < copy.columns ? from[column + e] : Element{0};
  }
  copy.to[i] = piece.whole;
}

template <typename Element>
__global__ void __launch_bounds__(kThreads) gemm_padding_kernel(Copy a, Copy b) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < a.all_pieces) {
    copy_piece<Element>(a, i);
  } else if (i < a.all_pieces + b.all_pieces) {
    copy_piece<Element>(b, i - a.all_pieces);
  }
}

template <typename Element>
Status copy_both(const Copy& a, const Copy& b, cudaStream_t stream) {
  const int64_t blocks = (a.all_pieces + b.all_pieces + kThreads - 1) / kThreads;
  gemm_padding_kernel<Element><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(a, b);
  return RIDGE_CUDA_LAUNCHED(gemm_padding_kernel);
}

/// How B lies: rows and their length.
struct Extent {
  int64_t rows, columns;
};
Extent extent_b(const Shape& shape) {
  const int64_t n = shape.dim[kGemmN], k = shape.dim[kGemmK];
  return gemm_b_is_transposed(shape.dtype) ? Extent{n, k} : Extent{k, n};
}

int64_t padded_bytes(int64_t columns, int64_t element_bytes) {
  return (columns * element_bytes + kAlignBytes - 1) / kAlignBytes * kAlignBytes;
}

void release(void* state) {
  auto* padding = static_cast<Padding*>(state);
  free_padding(padding);
  delete padding;
}

}  // namespace

Status make_padding(const Shape& shape, Padding* padding, OperandA want_a) {
  const auto element = static_cast<int64_t>(dtype_size(shape.dtype));
  const int64_t m = shape.dim[kGemmM], k = shape.dim[kGemmK];
  const Extent b = extent_b(shape);
  const bool transposed = want_a == OperandA::transposed;
  const int64_t rows_a = transposed ? k : m;
  const int64_t row_a =
      want_a == OperandA::unchanged ? k * element : padded_bytes(transposed ? m : k, element);
  const int64_t row_b = padded_bytes(b.columns, element);
  padding->lda = row_a / element;
  padding->ldb = row_b / element;
  padding->want_a = want_a;
  padding->a_bytes = padding->lda == k && !transposed ? 0 : static_cast<size_t>(rows_a * row_a);
  padding->b_bytes = padding->ldb == b.columns ? 0 : static_cast<size_t>(b.rows * row_b);
  if (padding->a_bytes + padding->b_bytes == 0) return {};
  RIDGE_CUDA_CHECK(cudaMalloc(&padding->workspace, padding->a_bytes + padding->b_bytes));
  return {};
}

void free_padding(Padding* padding) {
  cudaFree(padding->workspace);
  padding->workspace = nullptr;
}

Status align_operands(const Padding& padding, const Launch& launch, AlignedOperands* operands) {
  *operands = {launch.buffers[kGemmA], launch.buffers[kGemmB], padding.lda, padding.ldb};
  if (!padding.workspace) return {};
  auto* to_a = static_cast<uint4*>(padding.workspace);
  uint4* to_b = to_a + padding.a_bytes / kAlignBytes;
  const auto element = static_cast<int64_t>(dtype_size(launch.shape.dtype));
  const bool transposed = padding.want_a == OperandA::transposed;
  const int64_t copied_a = transposed ? 0 : static_cast<int64_t>(padding.a_bytes);
  const Copy a = {operands->a, to_a, launch.shape.dim[kGemmK], padding.lda * element / kAlignBytes,
                  copied_a / kAlignBytes};
  const Copy b = {operands->b, to_b, extent_b(launch.shape).columns,
                  padding.ldb * element / kAlignBytes,
                  static_cast<int64_t>(padding.b_bytes) / kAlignBytes};
  if (padding.a_bytes) operands->a = to_a;
  if (padding.b_bytes) operands->b = to_b;
  if (transposed) {
    const auto* from = static_cast<const float*>(launch.buffers[kGemmA]);
    const Status status =
        transpose(from, static_cast<float*>(padding.workspace), launch.shape.dim[kGemmM],
                  launch.shape.dim[kGemmK], padding.lda, launch.stream);
    if (!status.ok()) return status;
  }
  if (a.all_pieces + b.all_pieces == 0) return {};
  const auto stream = static_cast<cudaStream_t>(launch.stream);
  if (element == 1) return copy_both<uint8_t>(a, b, stream);
  if (element == 2) return copy_both<uint16_t>(a, b, stream);
  if (element == 4) return copy_both<uint32_t>(a, b, stream);
  return copy_both<uint64_t>(a, b, stream);
}

Status prepare_padding(const Shape& shape, Plan* plan, OperandA want_a) {
  auto* padding = new (std::nothrow) Padding;
  if (!padding) return {"out of memory", "new Padding", __FILE__, __LINE__, false};
  if (const Status status = make_padding(shape, padding, want_a); !status.ok()) {
    release(padding);
    return status;
  }
  *plan = {padding, release, padding->a_bytes + padding->b_bytes};
  return {};
}

Status align_operands(const Launch& launch, AlignedOperands* operands) {
  return align_operands(*static_cast<const Padding*>(launch.plan_state), launch, operands);
}

}  // namespace ridge
