// Included before every file: what C++20 has and emscripten's C++ library does not yet.
#pragma once

#ifdef __cplusplus
#include <version>
#ifndef __cpp_lib_bit_cast
namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif
#endif
