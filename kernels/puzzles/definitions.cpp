#include "kernels/puzzles/definitions.h"

namespace ridge::puzzles {
namespace {

int64_t whole(int64_t n, int64_t block) {
  return (n + block - 1) / block * block;
}

Shapes vector(int64_t n) {
  return {.columns = n, .y = n};
}
Shapes blocks_of_128(int64_t n) {
  return vector(whole(n, 128));
}
Shapes blocks_of_512(int64_t n) {
  return vector(whole(n, 512));
}
Shapes two_vectors(int64_t n) {
  return {.columns = n, .b = n, .y = n};
}
/// Wider than high, so that rows and columns cannot be confused.
Shapes matrix(int64_t n) {
  const int64_t columns = n + n / 4 + 1;
  return {.rows = n, .columns = columns, .y = n * columns, .y_columns = columns};
}
Shapes turned(int64_t n) {
  Shapes s = matrix(n);
  s.y_columns = s.rows;
  return s;
}
Shapes scaled_rows(int64_t n) {
  Shapes s = matrix(n);
  s.b = n;
  return s;
}
Shapes table(int64_t n) {
  return {.columns = n, .b = n, .y = n * n, .y_columns = n};
}
Shapes points(int64_t n) {
  return {.rows = n, .columns = 3, .y = n};
}
Shapes filtered(int64_t n) {
  return {.columns = n, .b = kPuzzleTaps, .y = n};
}
Shapes block_sums(int64_t n) {
  return {.columns = n, .y = whole(n, kPuzzleBlock) / kPuzzleBlock};
}
Shapes warp_sums(int64_t n) {
  return {.columns = n, .y = whole(n, 32) / 32};
}
Shapes one_sum(int64_t n) {
  return {.columns = n, .b = n, .y = 1};
}
Shapes bins(int64_t n) {
  return {.columns = n, .y = kPuzzleBins};
}
Shapes sorted_rows(int64_t n) {
  return {.rows = n, .columns = kPuzzleSorted, .y = n * kPuzzleSorted, .y_columns = kPuzzleSorted};
}
Shapes square(int64_t n) {
  return {.rows = n, .columns = n, .b = n * n, .y = n * n, .y_columns = n};
}
/// 31 columns at least: fp32 cannot resolve the variance of two elements that are nearly equal.
Shapes normed_rows(int64_t n) {
  Shapes s = matrix(n);
  s.columns = std::max<int64_t>(s.columns, 31);
  s.y = n * s.columns;
  s.b = s.c = s.y_columns = s.columns;
  return s;
}
Shapes heads(int64_t n) {
  const int64_t all = n * kPuzzleHead;
  return {
      .rows = n, .columns = kPuzzleHead, .b = all, .c = all, .y = all, .y_columns = kPuzzleHead};
}

template <int count>
double per_element(const Shapes& s) {
  return count * double(s.rows) * double(s.columns);
}
double per_result(const Shapes& s) {
  return double(s.y);
}
double of_product(const Shapes& s) {
  return 2.0 * double(s.rows) * double(s.columns) * double(s.columns);
}
double of_attention(const Shapes& s) {
  return 4.0 * double(s.rows) * double(s.rows) * double(s.columns);
}

#define RIDGE_DEFINED(function) function<double>, function<float>

/// From one thread an element to a row of attention: the order of the lab.
const Definition kAll[] = {
    {"map", 1024, blocks_of_128, per_element<2>, RIDGE_DEFINED(map)},
    {"guard", 1000, two_vectors, per_element<1>, RIDGE_DEFINED(guard)},
    {"map_2d", 60, matrix, per_element<1>, RIDGE_DEFINED(map_2d)},
    {"broadcast", 70, table, per_result, RIDGE_DEFINED(broadcast)},
    {"grid_stride", 5000, vector, per_element<0>, RIDGE_DEFINED(grid_stride)},
    {"coalescing", 64, scaled_rows, per_element<1>, RIDGE_DEFINED(coalescing)},
    {"vectors", 4096, blocks_of_512, per_element<1>, RIDGE_DEFINED(vectors)},
    {"structs", 1000, points, per_element<2>, RIDGE_DEFINED(structs)},
    {"pooling", 1000, vector, per_element<2>, RIDGE_DEFINED(pooling)},
    {"convolution", 1000, filtered, per_element<2 * kPuzzleTaps>, RIDGE_DEFINED(convolution)},
    {"stencil", 60, matrix, per_element<5>, RIDGE_DEFINED(stencil)},
    {"transpose", 64, turned, per_element<0>, RIDGE_DEFINED(transpose)},
    {"bank_conflicts", 64, turned, per_element<0>, RIDGE_DEFINED(transpose)},
    {"reduction", 2000, block_sums, per_element<1>, RIDGE_DEFINED(reduction), true},
    {"warp_sum", 1000, warp_sums, per_element<1>, RIDGE_DEFINED(warp_sum), true},
    {"dot_product", 5000, one_sum, per_element<2>, RIDGE_DEFINED(dot_product), true},
    {"histogram", 5000, bins, per_element<1>, RIDGE_DEFINED(histogram)},
    {"scan", 1000, vector, per_element<1>, RIDGE_DEFINED(scan), true},
    {"sort_step", 16, sorted_rows, per_element<0>, RIDGE_DEFINED(sort_step)},
    {"tiled_product", 64, square, of_product, RIDGE_DEFINED(product)},
    {"register_tile", 64, square, of_product, RIDGE_DEFINED(product)},
    {"softmax", 24, matrix, per_element<5>, RIDGE_DEFINED(softmax), false, 100},
    {"online_softmax", 24, matrix, per_element<5>, RIDGE_DEFINED(softmax), false, 100},
    {"layernorm", 24, normed_rows, per_element<8>, RIDGE_DEFINED(layernorm), false, 0, 1, true},
    {"attention_row", 40, heads, of_attention, RIDGE_DEFINED(attention_row), false, 0, 30},
};

}  // namespace

std::span<const Definition> definitions() {
  return kAll;
}

const Definition* find_definition(std::string_view name) {
  const auto* found = std::find_if(std::begin(kAll), std::end(kAll),
                                   [&](const Definition& one) { return name == one.name; });
  return found == std::end(kAll) ? nullptr : found;
}

}  // namespace ridge::puzzles
