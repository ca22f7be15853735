// FNV-1a, 64 bits (Fowler, Noll and Vo, 1991): enough to tell one version of a text from another. Nothing here is secret.
#pragma once

#include <cstdint>
#include <string_view>

namespace ridge {

inline constexpr uint64_t kHashOfNothing = 0xcbf29ce484222325ULL;

/// `hash`: of what came before the text.
constexpr uint64_t fnv1a(std::string_view text, uint64_t hash = kHashOfNothing) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace ridge
