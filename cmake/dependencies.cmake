# Every library behind one target name, system first (config package, then pkg-config, then a bare
# header), fetched where a machine has none. ridge_lib_<name> targets are optional peers.
include(FetchContent)
include(late_library)
find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)

# ridge_alias(ridge_fmt fmt::fmt): an INTERFACE target that links what was found.
function(ridge_alias name)
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE ${ARGN})
endfunction()

# Fetches only when the machine has none; says so, since it needs the network.
macro(ridge_fetch name repository tag)
  message(STATUS "${name}: not installed, fetching ${tag}")
  FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON)
  FetchContent_MakeAvailable(${name})
endmacro()

if(EMSCRIPTEN)
  include(web_dependencies)  # the same names
  return()
endif()

find_package(nlohmann_json 3.9 QUIET CONFIG)
if(NOT nlohmann_json_FOUND)
  ridge_fetch(nlohmann_json https://github.com/nlohmann/json v3.11.3)
endif()
ridge_alias(ridge_json nlohmann_json::nlohmann_json)

find_package(fmt QUIET CONFIG)
if(NOT fmt_FOUND)
  ridge_fetch(fmt https://github.com/fmtlib/fmt 10.2.1)
endif()
ridge_alias(ridge_fmt fmt::fmt)

find_package(CLI11 QUIET CONFIG)
if(NOT CLI11_FOUND)
  ridge_fetch(CLI11 https://github.com/CLIUtils/CLI11 v2.4.2)
endif()
ridge_alias(ridge_cli11 CLI11::CLI11)

find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  message(FATAL_ERROR "zlib not found, which reads the data sets: apt-get install zlib1g-dev")
endif()
ridge_alias(ridge_zlib ZLIB::ZLIB)

find_path(RIDGE_MD4C_INCLUDE md4c.h)
find_library(RIDGE_MD4C_LIBRARY md4c)
if(RIDGE_MD4C_INCLUDE AND RIDGE_MD4C_LIBRARY)
  ridge_alias(ridge_md4c ${RIDGE_MD4C_LIBRARY})
  target_include_directories(ridge_md4c SYSTEM INTERFACE ${RIDGE_MD4C_INCLUDE})
elseif(NOT RIDGE_WINDOW)
  message(STATUS "md4c not found: handouts are left out (apt-get install libmd4c-dev)")
else()
  ridge_fetch(md4c https://github.com/mity/md4c release-0.5.2)
  ridge_alias(ridge_md4c md4c)
endif()

if(RIDGE_WINDOW)
  include(window_dependencies)
endif()

# Static where it is there: a worker then starts where it is not installed.
find_path(RIDGE_SECCOMP_INCLUDE seccomp.h)
find_library(RIDGE_SECCOMP_LIBRARY NAMES libseccomp.a seccomp)
if(RIDGE_SECCOMP_INCLUDE AND RIDGE_SECCOMP_LIBRARY)
  ridge_alias(ridge_lib_seccomp ${RIDGE_SECCOMP_LIBRARY})
  target_include_directories(ridge_lib_seccomp SYSTEM INTERFACE ${RIDGE_SECCOMP_INCLUDE})
else()
  message(STATUS "libseccomp not found: a learner's code may make any system call (apt-get install libseccomp-dev)")
endif()

# The history of results. Opened at run time, as the peers are: an installed program starts where it is not.
set(ridge_app_late "")  # what app/ links for that
find_path(RIDGE_SQLITE_INCLUDE sqlite3.h)
find_library(RIDGE_SQLITE_LIBRARY NAMES libsqlite3.so)
if(RIDGE_SQLITE_INCLUDE AND RIDGE_SQLITE_LIBRARY)
  add_library(ridge_lib_sqlite INTERFACE)
  ridge_late_library(NAME sqlite LIBRARY ${RIDGE_SQLITE_LIBRARY} PACKAGE libsqlite3-0 OUT source FUNCTIONS
    "^sqlite3_(open_v2|close|exec|busy_timeout|errmsg|errcode|changes|prepare_v2|step|reset|finalize|bind_(text|double|int|null)|column_(text|bytes|type|double|int))$")
  list(APPEND ridge_app_late ${source})
  target_include_directories(ridge_lib_sqlite SYSTEM INTERFACE ${RIDGE_SQLITE_INCLUDE})
else()
  message(STATUS "SQLite not found: no history of results is kept (apt-get install libsqlite3-dev)")
endif()

# ---- optional peers ------------------------------------------------------------------------------
# oneDNN, OpenBLAS and cuBLAS are opened at run time: other machines have them in other versions, or not at all.
set(ridge_late_sources "")  # what kernels/ links for that (cmake/kernels.cmake)
# OpenMP's run-time library is part of the worker, where GCC has it as a static one. All of it, and for libraries that are
# opened later too: their threads are then the pool that the rungs use.
find_package(OpenMP QUIET COMPONENTS CXX)
if(OpenMP_CXX_FOUND)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.a OUTPUT_VARIABLE ridge_gomp
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(OpenMP_CXX_FOUND AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND EXISTS "${ridge_gomp}")
  ridge_alias(ridge_lib_openmp "$<LINK_LIBRARY:WHOLE_ARCHIVE,${ridge_gomp}>" Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(ridge_lib_openmp INTERFACE "LINKER:--export-dynamic-symbol=omp_*" "LINKER:--export-dynamic-symbol=GOMP_*")
  target_compile_options(ridge_lib_openmp INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${OpenMP_CXX_FLAGS}>)
elseif(OpenMP_CXX_FOUND)
  ridge_alias(ridge_lib_openmp OpenMP::OpenMP_CXX)
endif()

# Not through its config package: Debian's asks for OpenCL, which the CPU engine does not need. docs/peers.md has the
# oldest release that is compared with.
set(DNNL_DIR "" CACHE PATH "folder of a oneDNN with include/ and lib/, 3.x say; empty: the system's")
find_path(RIDGE_DNNL_INCLUDE oneapi/dnnl/dnnl.hpp HINTS ${DNNL_DIR} PATH_SUFFIXES include)
find_library(RIDGE_DNNL_LIBRARY dnnl HINTS ${DNNL_DIR} PATH_SUFFIXES lib lib64)
if(RIDGE_DNNL_INCLUDE AND RIDGE_DNNL_LIBRARY)
  file(STRINGS ${RIDGE_DNNL_INCLUDE}/oneapi/dnnl/dnnl_version.h dnnl_numbers REGEX "#define DNNL_VERSION_(MAJOR|MINOR) ")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1.\\2" RIDGE_DNNL_VERSION "${dnnl_numbers}")
endif()
if(RIDGE_DNNL_VERSION VERSION_LESS 2.6)
  message(STATUS "oneDNN 2.6 or later not found: it is no peer (DNNL_DIR names a folder)")
elseif(NOT OpenMP_CXX_FOUND)
  message(STATUS "oneDNN is no peer: ${CMAKE_CXX_COMPILER} has no OpenMP, whose threads it takes")
else()
  add_library(ridge_lib_onednn INTERFACE)
  ridge_late_library(NAME onednn LIBRARY ${RIDGE_DNNL_LIBRARY} FUNCTIONS "^dnnl_"
    PACKAGE "oneDNN ${RIDGE_DNNL_VERSION} (Debian 12: libdnnl2)" OUT source)
  list(APPEND ridge_late_sources ${source})
  target_include_directories(ridge_lib_onednn SYSTEM INTERFACE ${RIDGE_DNNL_INCLUDE})
endif()

# libjpeg-turbo, static where it is there: its shared library is called 62 on Debian and 8 on Ubuntu, and a
# worker built on one should start on the other.
find_package(JPEG QUIET)
find_library(RIDGE_JPEG_STATIC libjpeg.a)
if(JPEG_FOUND)
  if(RIDGE_JPEG_STATIC)
    ridge_alias(ridge_lib_jpeg ${RIDGE_JPEG_STATIC})
  else()
    ridge_alias(ridge_lib_jpeg ${JPEG_LIBRARIES})
  endif()
  target_include_directories(ridge_lib_jpeg SYSTEM INTERFACE ${JPEG_INCLUDE_DIR})
else()
  message(STATUS "libjpeg-turbo not found: the lab of the data loader is left out (apt-get install libjpeg62-turbo-dev, on Ubuntu libjpeg-turbo8-dev)")
endif()

# The OpenMP build by its own folder: which BLAS the system's alternatives point at does not matter,
# and its threads are the pool that oneDNN and our own rungs use.
find_path(RIDGE_OPENBLAS_INCLUDE openblas_config.h PATH_SUFFIXES openblas-openmp openblas)
find_library(RIDGE_OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-openmp openblas)
if(RIDGE_OPENBLAS_INCLUDE AND RIDGE_OPENBLAS_LIBRARY)
  add_library(ridge_lib_openblas INTERFACE)
  ridge_late_library(NAME openblas LIBRARY ${RIDGE_OPENBLAS_LIBRARY} FUNCTIONS "^(cblas_sgemm|openblas_.*)$"
    PACKAGE libopenblas0-openmp OUT source)
  list(APPEND ridge_late_sources ${source})
  target_include_directories(ridge_lib_openblas SYSTEM INTERFACE ${RIDGE_OPENBLAS_INCLUDE})
endif()

if(RIDGE_HAS_CUDA)
  foreach(name cublasLt cublas)  # in this order: cuBLAS asks for the other
    ridge_late_library(NAME cublas LIBRARY ${CUDA_${name}_LIBRARY} FUNCTIONS "^${name}[A-Z]"
      PACKAGE "the CUDA toolkit ${CUDAToolkit_VERSION_MAJOR}, or put its folder into LD_LIBRARY_PATH" FOLDER /usr/local/cuda/lib64
      OUT source)
    list(APPEND ridge_late_sources ${source})
  endforeach()
endif()

# CUTLASS, headers only: CUTLASS_DIR, the system's, or those of Python's package nvidia-cutlass.
set(CUTLASS_DIR "" CACHE PATH "folder of CUTLASS 3 or later; empty: looked for")
if(RIDGE_HAS_CUDA)
  execute_process(COMMAND python3 -c
    "import importlib.util as u; print(u.find_spec('cutlass_library').submodule_search_locations[0])"
    OUTPUT_VARIABLE ridge_cutlass_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_path(RIDGE_CUTLASS_INCLUDE cutlass/gemm/collective/collective_builder.hpp
    HINTS ${CUTLASS_DIR} ${CUTLASS_DIR}/include PATHS ${ridge_cutlass_python}/source/include)
  if(RIDGE_CUTLASS_INCLUDE)
    add_library(ridge_lib_cutlass INTERFACE)
    target_include_directories(ridge_lib_cutlass SYSTEM INTERFACE ${RIDGE_CUTLASS_INCLUDE})
  endif()
endif()

# FlashAttention-3 from its source (folder hopper/), on CUTLASS: bf16 alone, without PyTorch.
set(FLASH_ATTENTION_DIR "" CACHE PATH "folder of Dao-AILab's flash-attention; empty: no peer of it")
if(RIDGE_HAS_CUDA AND TARGET ridge_lib_cutlass AND FLASH_ATTENTION_DIR)
  find_path(RIDGE_FLASH3_INCLUDE flash_fwd_launch_template.h HINTS ${FLASH_ATTENTION_DIR}/hopper ${FLASH_ATTENTION_DIR}
    NO_DEFAULT_PATH)
  if(RIDGE_FLASH3_INCLUDE)
    file(STRINGS ${RIDGE_FLASH3_INCLUDE}/__init__.py flash3_version REGEX "__version__")
    string(REGEX MATCH "[0-9][0-9.]*[0-9]" flash3_version "${flash3_version}")
    add_library(ridge_lib_flash3 INTERFACE)
    target_include_directories(ridge_lib_flash3 SYSTEM INTERFACE ${RIDGE_FLASH3_INCLUDE} ${RIDGE_CUTLASS_INCLUDE})
    target_compile_definitions(ridge_lib_flash3 INTERFACE RIDGE_FLASH3_VERSION="${flash3_version}")
  endif()
endif()
