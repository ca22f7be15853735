#include "kernels/puzzles/definitions.h"

namespace ridge::puzzles {
namespace {

int whole(int n, int block) {
  return (n + block - 1) / block * block;
}

Shapes vector(int n) {
  return {.columns = n, .b = 1, .c = 1, .y = n};
}
Shapes blocks_of_128(int n) {
  return vector(whole(n, 128));
}
Shapes blocks_of_512(int n) {
  return vector(whole(n, 512));
}
Shapes two_vectors(int n) {
  return {.columns = n, .b = n, .c = 1, .y = n};
}
/// Wider than high, so that rows and columns cannot be confused.
Shapes matrix(int n) {
  const int columns = n + n / 4 + 1;
  return {.rows = n, .columns = columns, .b = 1, .c = 1, .y = n * columns};
}
Shapes scaled_rows(int n) {
  Shapes s = matrix(n);
  s.b = n;
  return s;
}
Shapes table(int n) {
  return {.columns = n, .b = n, .c = 1, .y = n * n};
}
Shapes points(int n) {
  return {.rows = n, .columns = 3, .b = 1, .c = 1, .y = n};
}
Shapes filtered(int n) {
  return {.columns = n, .b = kPuzzleTaps, .c = 1, .y = n};
}
Shapes block_sums(int n) {
  return {.columns = n, .b = 1, .c = 1, .y = whole(n, kPuzzleBlock) / kPuzzleBlock};
}
Shapes warp_sums(int n) {
  return {.columns = n, .b = 1, .c = 1, .y = whole(n, 32) / 32};
}
Shapes one_sum(int n) {
  return {.columns = n, .b = n, .c = 1, .y = 1};
}
Shapes bins(int n) {
  return {.columns = n, .b = 1, .c = 1, .y = kPuzzleBins};
}
Shapes sorted_rows(int n) {
  return {.rows = n, .columns = kPuzzleSorted, .b = 1, .c = 1, .y = n * kPuzzleSorted};
}
Shapes square(int n) {
  return {.rows = n, .columns = n, .b = n * n, .c = 1, .y = n * n};
}
/// Of a few elements that are nearly equal no float tells the variance.
Shapes normed_rows(int n) {
  Shapes s = matrix(n);
  s.columns = std::max(s.columns, 31);
  s.y = n * s.columns;
  s.b = s.c = s.columns;
  return s;
}
Shapes heads(int n) {
  const int all = n * kPuzzleHead;
  return {.rows = n, .columns = kPuzzleHead, .b = all, .c = all, .y = all};
}

template <int count>
double per_element(const Shapes& s) {
  return count * double(s.rows) * s.columns;
}
double per_result(const Shapes& s) {
  return s.y;
}
double of_product(const Shapes& s) {
  return 2.0 * s.rows * s.columns * s.columns;
}
double of_attention(const Shapes& s) {
  return 4.0 * s.rows * s.rows * s.columns;
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
    {"transpose", 64, matrix, per_element<0>, RIDGE_DEFINED(transpose)},
    {"bank_conflicts", 64, matrix, per_element<0>, RIDGE_DEFINED(transpose)},
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
    {"layernorm", 24, normed_rows, per_element<8>, RIDGE_DEFINED(layernorm)},
    {"attention_row", 40, heads, of_attention, RIDGE_DEFINED(attention_row)},
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
