// What each puzzle asks for, as plain loops: in float64 for the check, in float for the rung puzzles.cpu.definition.
// Edges: what lies outside `a` is 0. Layouts and sizes: kernels/puzzles/puzzles.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/puzzles/puzzles.h"

namespace ridge::puzzles {

/// A puzzle's inputs and its output, and the rows and columns of `a`.
template <class T>
struct Data {
  int rows, columns;
  const T *a, *b, *c;
  T* y;
  T at(int i, int j) const {
    return i >= 0 && i < rows && j >= 0 && j < columns ? a[i * columns + j] : T(0);
  }
};

// ---- threads -----------------------------------------------------------------------------------

template <class T>
void map(const Data<T>& p) {  // whole blocks
  for (int i = 0; i < p.columns; ++i) p.y[i] = 2 * p.a[i] + 1;
}
template <class T>
void guard(const Data<T>& p) {
  for (int i = 0; i < p.columns; ++i) p.y[i] = p.a[i] + p.b[i];
}
template <class T>
void map_2d(const Data<T>& p) {
  for (int i = 0; i < p.rows * p.columns; ++i) p.y[i] = p.a[i] * p.a[i];
}
template <class T>
void broadcast(const Data<T>& p) {  // a: a row, b: a column of as many
  for (int i = 0; i < p.columns; ++i)
    for (int j = 0; j < p.columns; ++j) p.y[i * p.columns + j] = p.a[j] + p.b[i];
}
template <class T>
void grid_stride(const Data<T>& p) {
  for (int i = 0; i < p.columns; ++i) p.y[i] = std::max(p.a[i], T(0));
}

// ---- device memory -----------------------------------------------------------------------------

template <class T>
void coalescing(const Data<T>& p) {  // b: a factor for each row
  for (int i = 0; i < p.rows; ++i)
    for (int j = 0; j < p.columns; ++j) p.y[i * p.columns + j] = p.a[i * p.columns + j] * p.b[i];
}
template <class T>
void vectors(const Data<T>& p) {  // whole blocks
  for (int i = 0; i < p.columns; ++i) p.y[i] = p.a[i] * T(0.5);
}
template <class T>
void structs(const Data<T>& p) {  // three numbers a row: the square of a point's distance
  for (int i = 0; i < p.rows; ++i)
    p.y[i] =
        p.a[3 * i] * p.a[3 * i] + p.a[3 * i + 1] * p.a[3 * i + 1] + p.a[3 * i + 2] * p.a[3 * i + 2];
}

// ---- shared memory -----------------------------------------------------------------------------

template <class T>
void pooling(const Data<T>& p) {  // itself and the two before it
  for (int i = 0; i < p.columns; ++i) p.y[i] = p.at(0, i - 2) + p.at(0, i - 1) + p.at(0, i);
}
template <class T>
void convolution(const Data<T>& p) {  // b: kPuzzleTaps weights
  for (int i = 0; i < p.columns; ++i) {
    T sum = 0;
    for (int j = 0; j < kPuzzleTaps; ++j) sum += p.at(0, i + j - kPuzzleTaps / 2) * p.b[j];
    p.y[i] = sum;
  }
}
template <class T>
void stencil(const Data<T>& p) {
  for (int i = 0; i < p.rows; ++i)
    for (int j = 0; j < p.columns; ++j)
      p.y[i * p.columns + j] =
          p.at(i, j) + (p.at(i - 1, j) + p.at(i + 1, j) + p.at(i, j - 1) + p.at(i, j + 1)) / 4;
}
template <class T>
void transpose(const Data<T>& p) {
  for (int i = 0; i < p.rows; ++i)
    for (int j = 0; j < p.columns; ++j) p.y[j * p.rows + i] = p.a[i * p.columns + j];
}

// ---- threads together --------------------------------------------------------------------------

template <class T>
void sums_of(const Data<T>& p, int length) {
  for (int first = 0; first < p.columns; first += length) {
    T sum = 0;
    for (int i = first; i < std::min(first + length, p.columns); ++i) sum += p.a[i];
    p.y[first / length] = sum;
  }
}
template <class T>
void reduction(const Data<T>& p) {  // one sum for each kPuzzleBlock elements
  sums_of(p, kPuzzleBlock);
}
template <class T>
void warp_sum(const Data<T>& p) {  // one sum for each 32
  sums_of(p, 32);
}
template <class T>
void dot_product(const Data<T>& p) {
  T sum = 0;
  for (int i = 0; i < p.columns; ++i) sum += p.a[i] * p.b[i];
  p.y[0] = sum;
}
template <class T>
void histogram(const Data<T>& p) {  // how many of each bin
  for (int bin = 0; bin < kPuzzleBins; ++bin) p.y[bin] = 0;
  for (int i = 0; i < p.columns; ++i) p.y[puzzle_bin(static_cast<float>(p.a[i]))] += 1;
}
template <class T>
void scan(const Data<T>& p) {  // sums from the start of each kPuzzleBlock elements
  T sum = 0;
  for (int i = 0; i < p.columns; ++i) {
    sum = i % kPuzzleBlock == 0 ? p.a[i] : sum + p.a[i];
    p.y[i] = sum;
  }
}
template <class T>
void sort_step(const Data<T>& p) {  // each row by itself, the smallest first
  std::copy(p.a, p.a + p.rows * p.columns, p.y);
  for (int i = 0; i < p.rows; ++i) std::sort(p.y + i * p.columns, p.y + (i + 1) * p.columns);
}

// ---- kernels -----------------------------------------------------------------------------------

template <class T>
void product(const Data<T>& p) {  // a and b are square
  for (int i = 0; i < p.rows; ++i)
    for (int j = 0; j < p.columns; ++j) {
      T sum = 0;
      for (int k = 0; k < p.columns; ++k) sum += p.a[i * p.columns + k] * p.b[k * p.columns + j];
      p.y[i * p.columns + j] = sum;
    }
}
template <class T>
void softmax_row(const T* a, int columns, T* y) {
  const T most = *std::max_element(a, a + columns);
  T sum = 0;
  for (int j = 0; j < columns; ++j) sum += y[j] = std::exp(a[j] - most);
  for (int j = 0; j < columns; ++j) y[j] /= sum;
}
template <class T>
void softmax(const Data<T>& p) {
  for (int i = 0; i < p.rows; ++i) softmax_row(p.a + i * p.columns, p.columns, p.y + i * p.columns);
}
template <class T>
void layernorm(const Data<T>& p) {  // b: weights, c: biases; the variance is kept from 0 by 1e-5
  for (int i = 0; i < p.rows; ++i) {
    const T* a = p.a + i * p.columns;
    T mean = 0, variance = 0;
    for (int j = 0; j < p.columns; ++j) mean += a[j] / T(p.columns);
    for (int j = 0; j < p.columns; ++j) variance += (a[j] - mean) * (a[j] - mean) / T(p.columns);
    const T scale = 1 / std::sqrt(variance + T(1e-5));
    for (int j = 0; j < p.columns; ++j)
      p.y[i * p.columns + j] = (a[j] - mean) * scale * p.b[j] + p.c[j];
  }
}
/// softmax(q k^T / sqrt(kPuzzleHead)) v, a row of `a` a query, of b a key and of c a value.
template <class T>
void attention_row(const Data<T>& p) {
  std::vector<T> scores(static_cast<size_t>(p.rows));
  for (int i = 0; i < p.rows; ++i) {
    for (int j = 0; j < p.rows; ++j) {
      T sum = 0;
      for (int d = 0; d < kPuzzleHead; ++d)
        sum += p.a[i * kPuzzleHead + d] * p.b[j * kPuzzleHead + d];
      scores[static_cast<size_t>(j)] = sum / std::sqrt(T(kPuzzleHead));
    }
    softmax_row(scores.data(), p.rows, scores.data());
    for (int d = 0; d < kPuzzleHead; ++d) {
      T sum = 0;
      for (int j = 0; j < p.rows; ++j)
        sum += scores[static_cast<size_t>(j)] * p.c[j * kPuzzleHead + d];
      p.y[i * kPuzzleHead + d] = sum;
    }
  }
}

// ---- all of them -------------------------------------------------------------------------------

/// How the one size n becomes the shape of `a`, and what the other buffers hold.
struct Shapes {
  int64_t rows = 1, columns = 0;
  int64_t b = 1, c = 1,
          y = 0;          ///< elements; a puzzle that has no b has one element that is not read
  int64_t y_columns = 0;  ///< of a row of y; 0: y is one row
};

struct Definition {
  const char* name;
  int usual;  ///< n where it is not said: small enough to be counted thread by thread
  Shapes (*shapes)(int64_t n);
  double (*flop)(const Shapes& s);
  void (*exact)(const Data<double>& data);
  void (*in_float)(const Data<float>& data);
  bool is_positive = false;  ///< its inputs are, so that no sum of them is near 0
  float offset =
      0;  ///< added to `a`, so that exp(a) overflows unless the largest element is subtracted
  float scale = 1;         ///< of `a`, so that products with it are too large for exp()
  bool is_graded = false;  ///< rows of `a` are 1, 0.1, 0.01 and 0.001 times as large, in turn
};

std::span<const Definition> definitions();
/// Null: there is no such puzzle.
const Definition* find_definition(std::string_view name);

}  // namespace ridge::puzzles
