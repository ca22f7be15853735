# `cpack` in the build folder packs what cmake/install.cmake installs: a .deb, and an archive that runs from wherever it is
# unpacked, without root.
# What it is built with is what it may ask for.
file(STRINGS ${CMAKE_SYSROOT}/usr/include/features.h ridge_libc REGEX "^#define[ \t]+__GLIBC(_MINOR)?__")
string(REGEX MATCH "__GLIBC__[ \t]+([0-9]+).*__GLIBC_MINOR__[ \t]+([0-9]+)" ridge_libc "${ridge_libc}")
set(RIDGE_LIBC ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
set(RIDGE_LIBC_MINOR ${CMAKE_MATCH_2})
configure_file(packaging/archive.sh ${CMAKE_BINARY_DIR}/archive/ridgepoint @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
configure_file(packaging/cpack_project.cmake ${CMAKE_BINARY_DIR}/cpack_project.cmake @ONLY)

set(CPACK_GENERATOR TGZ DEB)  # gzip: a bare Debian has no xz
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/cpack_project.cmake)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Shows how an AI kernel becomes fast, one checked and measured step at a time")
set(CPACK_PACKAGE_DESCRIPTION "A desktop program and command line: each rung of a ladder of kernels is verified against float64, timed, and compared.")
set(CPACK_PACKAGE_CONTACT "Ridgepoint maintainers <maintainers@users.noreply.example>")
set(CPACK_PACKAGE_FILE_NAME ridgepoint-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES OFF)  # a rung's listing finds its functions by their symbols
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${RIDGE_LIBC}), libstdc++6 (>= ${CMAKE_CXX_COMPILER_VERSION}), libgcc-s1")
# The window; the libraries that rungs are compared with; Your turn; the data set that the labs train on.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libx11-6, libxcursor1, libxi6, libxinerama1, libxrandr2, libgl1, libgl1-mesa-dri, libdnnl2, libopenblas0-openmp, libsqlite3-0, g++, binutils, dataset-fashion-mnist")
include(CPack)
