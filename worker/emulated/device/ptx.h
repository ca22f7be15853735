// Inline PTX that is emulated: Ptx<text>::run() is what an asm statement of this very text does. The rewriting tool
// (rewrite.h) knows a text by finding it here; of others the launch says which line has one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "worker/emulated/device/intrinsics.h"
#include "worker/emulated/device/threads.h"

namespace ridge::emulated {

template <size_t length>
struct Text {
  char characters[length];
  constexpr Text(const char (&text)[length]) {
    for (size_t i = 0; i < length; ++i) characters[i] = text[i];
  }
};

template <Text text>
struct Ptx;

/// One access that no compiler announces.
RIDGE_UNTRACED inline void announce(const void* at, uint32_t bytes, AccessKind kind,
                                    const void* site) {
  ridge_emulated_machine->access(at, bytes, kind, site);
}

/// Inline PTX of any other text.
__attribute__((noinline, weak, visibility("hidden"))) RIDGE_UNTRACED void refuse_ptx(
    const char* instruction) {
  ridge_emulated_machine->refuse(instruction, RIDGE_SITE);
}

#define RIDGE_PTX static __attribute__((noinline)) RIDGE_UNTRACED

template <>
struct Ptx<"ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"> {
  RIDGE_PTX void run(float& a, float& b, float& c, float& d, uint32_t from) {
    const auto* at = static_cast<const float*>(ridge_emulated_machine->shared_pointer(from));
    announce(at, 16, AccessKind::read, RIDGE_SITE);
    a = at[0], b = at[1], c = at[2], d = at[3];
  }
};

// ---- asynchronous copies: made when they are waited for, so that who does not wait reads what was there before --------
template <>
struct Ptx<"cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"> {
  RIDGE_PTX void run(uint32_t to, const void* from, int inside) {
    ridge_emulated_machine->copy_later(to, from, 16, static_cast<uint32_t>(inside), RIDGE_SITE);
  }
};
template <>
struct Ptx<"cp.async.ca.shared.global [%0], [%1], 4, %2;"> {
  RIDGE_PTX void run(uint32_t to, const void* from, int inside) {
    ridge_emulated_machine->copy_later(to, from, 4, static_cast<uint32_t>(inside), RIDGE_SITE);
  }
};
template <>
struct Ptx<"cp.async.commit_group;"> {
  RIDGE_PTX void run() { ridge_emulated_machine->copies_commit(); }
};
template <>
struct Ptx<"cp.async.wait_group %0;"> {
  RIDGE_PTX void run(int pending) { ridge_emulated_machine->copies_wait(pending); }
};

// ---- numbers -------------------------------------------------------------------------------------------------------
template <>
struct Ptx<"ex2.approx.ftz.f32 %0, %1;"> {
  RIDGE_PTX void run(float& y, float x) { y = exp2f(x); }
};
template <>
struct Ptx<"cvt.rn.f16.f32 %0, %1;"> {
  RIDGE_PTX void run(uint16_t& bits, float x) {
    bits = std::bit_cast<uint16_t>(static_cast<_Float16>(x));
  }
};
template <>
struct Ptx<"cvt.f32.f16 %0, %1;"> {
  RIDGE_PTX void run(float& x, uint16_t bits) {
    x = static_cast<float>(std::bit_cast<_Float16>(bits));
  }
};

#undef RIDGE_PTX

}  // namespace ridge::emulated

__attribute__((weak, visibility("hidden"))) RIDGE_UNTRACED size_t
__cvta_generic_to_shared(const void* pointer) {
  return ridge_emulated_machine->shared_address(pointer);
}
