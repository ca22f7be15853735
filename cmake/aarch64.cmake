# Builds for aarch64 Linux on another machine: cmake --toolchain cmake/aarch64.cmake -DRIDGE_SYSROOT=FOLDER, where FOLDER holds
# that machine's libraries and headers (tests/aarch64 makes one). What the build starts of its own, and ctest's tests, run under
# QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(RIDGE_SYSROOT "$ENV{RIDGE_SYSROOT}" CACHE PATH "folder of an aarch64 system: libraries and headers")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RIDGE_SYSROOT)
set(CMAKE_SYSROOT ${RIDGE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${RIDGE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${RIDGE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${RIDGE_SYSROOT}/usr/share/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${RIDGE_SYSROOT})
