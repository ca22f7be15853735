# Embeds files as text: every file of kernels/, so that a worker shows the source it was built from,
# and the texts of assets/. Writes what the build is (version, commit, compiler).

# ridge_embed(TARGET NAME HEADER FUNCTION FILES...): the table of these files, returned by FUNCTION as
# HEADER declares it.
function(ridge_embed target name header function)
  set(output ${CMAKE_BINARY_DIR}/generated/embedded_${name}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${CMAKE_SOURCE_DIR} "-DFILES=${ARGN}"
            -DHEADER=${header} -DFUNCTION=${function} -DWASM=${EMSCRIPTEN}
            -P ${CMAKE_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/write_embedded.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${ARGN}"
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# The files of kernels/ and its rooms with these extensions; not the bodies that a browser has in place of some.
function(ridge_kernel_files out)
  set(patterns "")
  foreach(extension ${ARGN})
    list(APPEND patterns ${CMAKE_SOURCE_DIR}/kernels/*/*.${extension} ${CMAKE_SOURCE_DIR}/kernels/*/*/*.${extension})
  endforeach()
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  list(FILTER files EXCLUDE REGEX "/web/[^/]*$")
  set(${out} ${files} PARENT_SCOPE)
endfunction()

function(ridge_embed_kernels target)
  ridge_kernel_files(files cpp cu h)
  ridge_embed(${target} kernels common/harness/kernel/registry.h embedded_files ${files})
endfunction()

# Not the recordings: they are megabytes, and a lab works without them.
function(ridge_embed_assets target)
  file(GLOB files CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/assets/*.json ${CMAKE_SOURCE_DIR}/assets/*.md
    ${CMAKE_SOURCE_DIR}/assets/exercises/*/*.cpp ${CMAKE_SOURCE_DIR}/assets/exercises/*/*.cu
    ${CMAKE_SOURCE_DIR}/kernels/puzzles/rungs/*.cu  # each is an exercise
    ${CMAKE_SOURCE_DIR}/assets/cards/*.json ${CMAKE_SOURCE_DIR}/assets/lessons/*.md
    ${CMAKE_SOURCE_DIR}/assets/quiz/*.json ${CMAKE_SOURCE_DIR}/assets/tours/*.json)
  ridge_embed(${target} assets app/study/assets.h embedded_assets ${files})
endfunction()

# The hash of each rung's code, for a program that links no kernel: rung-hashes reads the sources and writes a table.
function(ridge_embed_rung_hashes target)
  add_executable(rung-hashes ${CMAKE_SOURCE_DIR}/cmake/rung_hashes.cpp
    common/harness/kernel/sources.cpp common/harness/kernel/code_hash.cpp
    common/harness/kernel/code_tokens.cpp common/harness/kernel/build_line.cpp)
  ridge_kernel_files(files cpp cu h)
  if(EMSCRIPTEN)  # node runs it, and it reads the machine's files
    ridge_link_web(rung-hashes)
    target_link_options(rung-hashes PRIVATE -sNODERAWFS=1)
  endif()
  set(output ${CMAKE_BINARY_DIR}/generated/rung_hashes.cpp)
  add_custom_command(OUTPUT ${output} COMMAND rung-hashes ${CMAKE_SOURCE_DIR} --table > ${output}
    DEPENDS rung-hashes ${files} VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# The last -O of some flags, which is the one that counts; GCC's default without any.
function(ridge_optimization flags out)
  string(REGEX MATCHALL "-O[a-z0-9]*" levels "${flags}")
  list(APPEND all -O0 ${levels})
  list(POP_BACK all last)
  set(${out} ${last} PARENT_SCOPE)
endfunction()

# A library of its own: a commit compiles one small file anew. What is not timed is compiled with `untimed`.
function(ridge_add_build_info target untimed)
  set(output ${CMAKE_BINARY_DIR}/generated/build_info.cpp)
  set(cuda "none: ${RIDGE_CUDA_REASON}")
  if(RIDGE_HAS_CUDA)
    set(cuda "${CUDAToolkit_VERSION}")
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  ridge_optimization("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" kernels)
  # Runs at every build, writes only when something changed.
  add_custom_target(ridge_build_info_file BYPRODUCTS ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${CMAKE_SOURCE_DIR}
            -DVERSION=${PROJECT_VERSION} -DTYPE=${CMAKE_BUILD_TYPE}
            "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "-DCUDA=${cuda}"
            "-DOPTIMIZATION=kernels ${kernels} or their own flags, the rest ${untimed}"
            -P ${CMAKE_SOURCE_DIR}/cmake/write_build_info.cmake VERBATIM)
  add_library(${target} STATIC ${output})
  add_dependencies(${target} ridge_build_info_file)
endfunction()
