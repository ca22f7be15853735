// Stands in for the toolkit's header where device code is emulated: WMMA, nvcuda::wmma.
//
//   m x n x k    16 x 16 x 16, 32 x 8 x 16, 8 x 32 x 16, and 16 x 16 x 8 for TF32
//   types        A and B: fp16, bf16, TF32, signed or unsigned int8. Accumulators: fp32; for fp16 also fp16; for int8 int32
//   lanes        Each lane holds its own elements of a fragment (fragments.h).
//   memory       A lane makes the accesses that nvcc 13.0 generates for sm_90, and these are counted:
//                  fp16, or int8 along k, from shared memory   ldmatrix: 16 bytes a lane, one line of a core each
//                  neighbours in memory that a lane holds      one access: 4 bytes, or 8 of 32-bit accumulators
//                  else, 16-bit elements                       4 bytes too; the lanes then exchange them (movmatrix)
//                  else                                        one access an element
//   numbers      Products are exact. They are added in the order of k, in fp32 with each addition rounded to nearest, or in
//                int32, which wraps. fp16 accumulators are rounded once a call. A GPU truncates, and adds in another order.
//
// Loads, stores and products wait for all lanes of the warp. None of them orders memory: a lane reads what another lane
// stored only after a __syncwarp().
//
// Source    CUDA C++ Programming Guide, "Warp Matrix Functions".
#pragma once

#include "worker/emulated/device/fragments.h"
#include "worker/emulated/device/threads.h"

namespace nvcuda::wmma {

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  using Shape = ridge::emulated::FragmentShape<Use, m, n, k, T>;

 public:
  using element_type = T;
  using storage_element_type = ridge::emulated::Stored<T>;
  static constexpr int num_elements = Shape::kElements;
  static constexpr int num_storage_elements = Shape::kElements;
  storage_element_type x[num_storage_elements];

  /// NaNs: a kernel that forgets to fill it has them in its result.
  RIDGE_UNTRACED fragment() { __builtin_memset(x, 0xff, sizeof x); }
};

}  // namespace nvcuda::wmma

namespace ridge::emulated {

// ---- accesses of one lane ----------------------------------------------------------------------------------------------

/// A matrix in memory as a fragment's lines see it.
template <class T>
struct Lines {
  T* from;
  unsigned ldm;
  bool is_along;  ///< elements along a line are neighbours in memory

  RIDGE_UNTRACED T* at(Element e) const {
    return is_along ? from + size_t{ldm} * static_cast<unsigned>(e.line) + e.along
                    : from + size_t{ldm} * static_cast<unsigned>(e.along) + e.line;
  }
};

/// One access. A GPU makes none that is not aligned to its width.
RIDGE_UNTRACED inline void ask(const void* at, uint32_t bytes, AccessKind kind, const void* site) {
  if (reinterpret_cast<uintptr_t>(at) % bytes != 0)
    ridge_emulated_machine->misaligned("moves a fragment at an address that is not aligned", site);
  ridge_emulated_machine->access(at, bytes, kind, site);
}

template <class Shape, class T>
RIDGE_UNTRACED void announce_ldmatrix(const Lines<T>& memory, int lane, const void* site) {
  for (int first = 0; first < Shape::kCores; first += Shape::kCoresAtOnce) {
    if (lane / 8 >= Shape::kCoresAtOnce) continue;
    Element e = Shape::core(first + lane / 8);
    (memory.is_along ? e.line : e.along) += lane % 8;
    ask(memory.at(e), 16, AccessKind::read, site);
  }
}

/// All accesses of this lane. The values move later, when all lanes have come.
template <class Shape, class T>
RIDGE_UNTRACED void announce_fragment(const Lines<T>& memory, AccessKind kind, const void* site) {
  constexpr uint32_t kTogetherBytes = Shape::kTogether * Shape::kBytes;
  const int lane = ridge_emulated_machine->lane();
  const bool has_ldmatrix =
      !Shape::kIsAccumulator && (std::is_same_v<std::remove_const_t<T>, __half> ||
                                 (is_byte<std::remove_const_t<T>> && memory.is_along));
  if (has_ldmatrix && ridge_emulated_machine->is_shared(memory.from))
    return announce_ldmatrix<Shape>(memory, lane, site);
  for (int i = 0; i < Shape::kOwn; ++i) {
    Element e = Shape::at(lane, i);
    if (memory.is_along || Shape::kBytes == 2) {
      if (i % Shape::kTogether != 0) continue;
      if (!memory.is_along) {
        const Element core = Shape::core(i / Shape::kTogether);
        e = {core.line + lane % 4 * 2, core.along + lane / 4};
      }
      ask(memory.at(e), kTogetherBytes, kind, site);
    } else {
      ask(memory.at(e), Shape::kBytes, kind, site);
    }
  }
}

// ---- what the lanes of a warp do together ------------------------------------------------------------------------------

/// A lane's share of a load or a store.
template <class Fragment, class T>
struct Transfer {
  Fragment* fragment;
  Lines<T> memory;
  bool agrees = true;  ///< all lanes named the same matrix
};

/// Moves the elements of all lanes. Lanes that name different matrices move nothing.
template <class Shape, class One, bool is_load>
RIDGE_UNTRACED void transfer_all(void* const* given) {
  const auto memory = static_cast<const One*>(given[0])->memory;
  bool agree = true;
  for (int lane = 0; lane < 32; ++lane) {
    const auto& other = static_cast<const One*>(given[lane])->memory;
    agree &=
        other.from == memory.from && other.ldm == memory.ldm && other.is_along == memory.is_along;
  }
  for (int lane = 0; lane < 32; ++lane) {
    One* one = static_cast<One*>(given[lane]);
    one->agrees = agree;
    for (int i = 0; agree && i < (is_load ? Shape::kElements : Shape::kOwn); ++i) {
      const Element e = Shape::at(lane, i % Shape::kOwn);
      if constexpr (is_load)
        one->fragment->x[i] = *memory.at(e);
      else
        *memory.at(e) = one->fragment->x[i];
    }
  }
}

template <class Shape, bool is_load, class Fragment, class T>
RIDGE_UNTRACED void transfer(Fragment* fragment, const Lines<T>& memory, const void* site) {
  using One = Transfer<Fragment, T>;
  // What the guide asks of 16- and 32-bit elements. Of bytes it says nothing.
  const bool is_even =
      reinterpret_cast<uintptr_t>(memory.from) % 16 == 0 && memory.ldm * Shape::kBytes % 16 == 0;
  if (!is_even && Shape::kBytes > 1)
    ridge_emulated_machine->misaligned(
        "moves a fragment whose lines in memory do not begin at multiples of 16 bytes", site);
  announce_fragment<Shape>(memory, is_load ? AccessKind::read : AccessKind::write, site);
  One one{fragment, memory};
  ridge_emulated_machine->together(transfer_all<Shape, One, is_load>, &one, 0, site);
  if (!one.agrees)
    ridge_emulated_machine->refuse("a WMMA call whose lanes name different addresses", site);
}

// ---- the product -------------------------------------------------------------------------------------------------------

RIDGE_UNTRACED inline float number(const __half& x) {
  return Binary16::value_of(x.bits);
}
RIDGE_UNTRACED inline float number(const __nv_bfloat16& x) {
  return Brain16::value_of(x.bits);
}
/// Tensor cores ignore the last 13 bits of a TF32 operand.
RIDGE_UNTRACED inline float number(float x) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & ~0x1fffu);
}
RIDGE_UNTRACED inline int number(signed char x) {
  return x;
}
RIDGE_UNTRACED inline int number(unsigned char x) {
  return x;
}

/// Rounds to an accumulator. `saturates`: infinities become the largest number, NaN becomes 0.
RIDGE_UNTRACED inline void put(float sum, bool saturates, float* to) {
  constexpr float kMost = 0x1.fffffep127f;
  if (saturates) sum = sum != sum ? 0 : sum > kMost ? kMost : sum < -kMost ? -kMost : sum;
  *to = sum;
}
RIDGE_UNTRACED inline void put(float sum, bool saturates, __half* to) {
  constexpr float kMost = 65504;
  if (saturates) sum = sum != sum ? 0 : sum > kMost ? kMost : sum < -kMost ? -kMost : sum;
  to->bits = Binary16::bits_of(sum);
}
RIDGE_UNTRACED inline void put(int64_t sum, bool saturates, int* to) {
  if (saturates) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  *to = static_cast<int>(static_cast<uint32_t>(sum));
}

template <class D, class A, class B, class C>
struct Product {
  D* d;
  const A* a;
  const B* b;
  const C* c;
  bool saturates;
};

/// An accumulator as the additions start from it.
RIDGE_UNTRACED inline float start(float x) {
  return x;
}
RIDGE_UNTRACED inline float start(const __half& x) {
  return Binary16::value_of(x.bits);
}
RIDGE_UNTRACED inline int64_t start(int x) {
  return x;
}

template <int m, int n, int k, class TA, class TB, class TC, class One>
RIDGE_UNTRACED void multiply_all(void* const* given) {
  using ShapeA = FragmentShape<wmma::matrix_a, m, n, k, TA>;
  using ShapeB = FragmentShape<wmma::matrix_b, m, n, k, TB>;
  using ShapeC = FragmentShape<wmma::accumulator, m, n, k, TC>;
  decltype(number(Stored<TA>{})) a[m][k], b[n][k];
  decltype(start(TC{})) sums[m][n];
  const auto sum_at = [&](Element e) RIDGE_UNTRACED -> auto& {
    return ShapeC::kLinesAreRows ? sums[e.line][e.along] : sums[e.along][e.line];
  };
  for (int lane = 0; lane < 32; ++lane) {
    const One& one = *static_cast<const One*>(given[lane]);
    for (int i = 0; i < ShapeA::kOwn; ++i) {
      const Element e = ShapeA::at(lane, i);
      a[e.line][e.along] = number(one.a->x[i]);
    }
    for (int i = 0; i < ShapeB::kOwn; ++i) {
      const Element e = ShapeB::at(lane, i);
      b[e.line][e.along] = number(one.b->x[i]);
    }
    for (int i = 0; i < ShapeC::kOwn; ++i) sum_at(ShapeC::at(lane, i)) = start(one.c->x[i]);
  }
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      for (int i = 0; i < k; ++i) sums[row][column] += a[row][i] * b[column][i];
    }
  }
  for (int lane = 0; lane < 32; ++lane) {
    const One& one = *static_cast<const One*>(given[lane]);
    for (int i = 0; i < ShapeC::kOwn; ++i)
      put(sum_at(ShapeC::at(lane, i)), one.saturates, &one.d->x[i]);
  }
}

/// Whether products of T are added to accumulators of C, with results of D.
template <class T, class D, class C>
constexpr bool adds_up =
    std::is_same_v<T, __half> ? is_one_of<D, float, __half>&& is_one_of<C, float, __half>
    : is_byte<T>              ? is_one_of<D, int>&& is_one_of<C, int>
                              : is_one_of<D, float>&& is_one_of<C, float>;

}  // namespace ridge::emulated

// ---- what kernels call -------------------------------------------------------------------------------------------------

namespace nvcuda::wmma {

namespace emulated = ::ridge::emulated;

template <class Use, int m, int n, int k, class T, class Layout>
RIDGE_CALL void fill_fragment(
    fragment<Use, m, n, k, T, Layout>& f,
    const std::type_identity_t<typename fragment<Use, m, n, k, T, Layout>::storage_element_type>&
        value) {
  for (auto& x : f.x) x = value;
}

/// `ldm`: elements from one row of the matrix to the next, or of columns where it is col_major.
template <class Use, int m, int n, int k, class T, class Layout>
RIDGE_CALL void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f,
                                 const emulated::Stored<T>* from, unsigned ldm) {
  using Shape = emulated::FragmentShape<Use, m, n, k, T>;
  static_assert(!Shape::kIsAccumulator, "an accumulator is loaded with a layout_t");
  const bool is_row_major = std::is_same_v<Layout, row_major>;
  emulated::transfer<Shape, true>(
      &f,
      emulated::Lines<const emulated::Stored<T>>{from, ldm, is_row_major == Shape::kLinesAreRows},
      RIDGE_SITE);
}
template <int m, int n, int k, class T>
RIDGE_CALL void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* from, unsigned ldm,
                                 layout_t layout) {
  using Shape = emulated::FragmentShape<accumulator, m, n, k, T>;
  emulated::transfer<Shape, true>(
      &f, emulated::Lines<const T>{from, ldm, (layout == mem_row_major) == Shape::kLinesAreRows},
      RIDGE_SITE);
}
template <int m, int n, int k, class T>
RIDGE_CALL void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& f, unsigned ldm,
                                  layout_t layout) {
  using Shape = emulated::FragmentShape<accumulator, m, n, k, T>;
  emulated::transfer<Shape, false>(
      &f, emulated::Lines<T>{to, ldm, (layout == mem_row_major) == Shape::kLinesAreRows},
      RIDGE_SITE);
}

/// d = a b + c; d may be c.
template <int m, int n, int k, class D, class T, class C, class LayoutA, class LayoutB>
RIDGE_CALL void mma_sync(fragment<accumulator, m, n, k, D>& d,
                         const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                         const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                         const fragment<accumulator, m, n, k, C>& c, bool satf = false) {
  static_assert(emulated::adds_up<T, D, C>,
                "no WMMA product of these types is emulated (docs/emulated.md)");
  using One =
      emulated::Product<std::remove_reference_t<decltype(d)>, std::remove_cvref_t<decltype(a)>,
                        std::remove_cvref_t<decltype(b)>, std::remove_cvref_t<decltype(c)>>;
  One one{&d, &a, &b, &c, satf};
  ridge_emulated_machine->together(emulated::multiply_all<m, n, k, T, T, C, One>, &one,
                                   int64_t{2} * m * n * k, RIDGE_SITE);
}

/// To nearest, ties away from zero, as cvt.rna.tf32.f32 rounds.
RIDGE_CALL float __float_to_tf32(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const bool is_finite = (bits & 0x7f800000u) != 0x7f800000u;
  return is_finite ? std::bit_cast<float>((bits + 0x1000u) & ~0x1fffu) : x;
}

}  // namespace nvcuda::wmma
