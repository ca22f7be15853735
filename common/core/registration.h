// Registration as data: a file puts a pointer to its description into a linker section, and whoever
// wants the list walks the section. No static initialiser runs, so that a file compiled for AVX-512
// cannot crash the start on a CPU without it, and the order of start-up does not matter.
// GCC and Clang on ELF.
#pragma once

/// Puts a pointer to `desc` into the section that registered() walks. GCC and Clang on ELF.
#define RIDGE_REGISTER(section_name, type, desc) \
  __attribute__((section(section_name), used, unused)) static const type* ridge_entry_##desc = &desc

/// Declares the linker's own bounds of a section filled by RIDGE_REGISTER, and a function over it.
#define RIDGE_REGISTERED(function, section_name, type)                                         \
  extern "C" __attribute__((weak, visibility("hidden"))) const type* __start_##section_name[]; \
  extern "C" __attribute__((weak, visibility("hidden"))) const type* __stop_##section_name[];  \
  inline std::span<const type* const> function() {                                             \
    return {__start_##section_name, __stop_##section_name};                                    \
  }
