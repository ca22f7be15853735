// CUDA's vector types. A copy of one is one access of its whole width, as a GPU's is: without the constructors below the
// compiler would split it into its members.
#pragma once

#include <cstdint>

#define RIDGE_WHOLE_COPY(Type, Word)                                     \
  Type() = default;                                                      \
  Type(const Type& o) {                                                  \
    *reinterpret_cast<Word*>(this) = *reinterpret_cast<const Word*>(&o); \
  }                                                                      \
  Type& operator=(const Type& o) {                                       \
    *reinterpret_cast<Word*>(this) = *reinterpret_cast<const Word*>(&o); \
    return *this;                                                        \
  }

namespace ridge::emulated {
typedef uint16_t Word2 __attribute__((may_alias));
typedef uint32_t Word4 __attribute__((may_alias));
typedef uint64_t Word8 __attribute__((may_alias));
typedef uint32_t Word16 __attribute__((vector_size(16), may_alias));
}  // namespace ridge::emulated

#define RIDGE_VECTOR_2(Type, Element)                             \
  struct alignas(2 * sizeof(Element)) Type##2 {                   \
    Element x, y;                                                 \
    RIDGE_WHOLE_COPY(Type##2, ::ridge::emulated::RIDGE_WORD_OF_2) \
    Type##2(Element a, Element b) : x(a), y(b) {}                 \
  };                                                              \
  inline Type##2 make_##Type##2(Element a, Element b) {           \
    return {a, b};                                                \
  }
#define RIDGE_VECTOR_4(Type, Element)                                               \
  struct alignas(4 * sizeof(Element)) Type##4 {                                     \
    Element x, y, z, w;                                                             \
    RIDGE_WHOLE_COPY(Type##4, ::ridge::emulated::RIDGE_WORD_OF_4)                   \
    Type##4(Element a, Element b, Element c, Element d) : x(a), y(b), z(c), w(d) {} \
  };                                                                                \
  inline Type##4 make_##Type##4(Element a, Element b, Element c, Element d) {       \
    return {a, b, c, d};                                                            \
  }

#define RIDGE_WORD_OF_2 Word2
#define RIDGE_WORD_OF_4 Word4
RIDGE_VECTOR_2(char, signed char)
RIDGE_VECTOR_2(uchar, unsigned char)
RIDGE_VECTOR_4(char, signed char)
RIDGE_VECTOR_4(uchar, unsigned char)
#undef RIDGE_WORD_OF_2
#undef RIDGE_WORD_OF_4
#define RIDGE_WORD_OF_2 Word4
#define RIDGE_WORD_OF_4 Word8
RIDGE_VECTOR_2(short, short)
RIDGE_VECTOR_2(ushort, unsigned short)
RIDGE_VECTOR_4(short, short)
RIDGE_VECTOR_4(ushort, unsigned short)
#undef RIDGE_WORD_OF_2
#undef RIDGE_WORD_OF_4
#define RIDGE_WORD_OF_2 Word8
#define RIDGE_WORD_OF_4 Word16
RIDGE_VECTOR_2(float, float)
RIDGE_VECTOR_2(int, int)
RIDGE_VECTOR_2(uint, unsigned)
RIDGE_VECTOR_4(float, float)
RIDGE_VECTOR_4(int, int)
RIDGE_VECTOR_4(uint, unsigned)
#undef RIDGE_WORD_OF_2
#define RIDGE_WORD_OF_2 Word16
RIDGE_VECTOR_2(double, double)
RIDGE_VECTOR_2(longlong, long long)
RIDGE_VECTOR_2(ulonglong, unsigned long long)
#undef RIDGE_WORD_OF_2
#undef RIDGE_WORD_OF_4
#undef RIDGE_VECTOR_2
#undef RIDGE_VECTOR_4
#undef RIDGE_WHOLE_COPY

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
