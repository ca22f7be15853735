# Embeds every file of kernels/ as text, so that a worker shows the source it was built from, and
# writes what the build is (version, commit, compiler).

# Turns each file into a C++ raw string; string literals are limited, so long files are cut in pieces.
function(ridge_embed_kernels target)
  file(GLOB files CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/kernels/*/*.cpp ${CMAKE_SOURCE_DIR}/kernels/*/*.cu
    ${CMAKE_SOURCE_DIR}/kernels/*/*.h ${CMAKE_SOURCE_DIR}/kernels/*/*.cuh)
  set(output ${CMAKE_BINARY_DIR}/generated/embedded_kernels.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${CMAKE_SOURCE_DIR} "-DFILES=${files}"
            -P ${CMAKE_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/write_embedded.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

function(ridge_build_info target)
  set(output ${CMAKE_BINARY_DIR}/generated/build_info.cpp)
  set(cuda "none: ${RIDGE_CUDA_REASON}")
  if(RIDGE_HAS_CUDA)
    set(cuda "${CUDAToolkit_VERSION}")
  endif()
  # Runs at every build, writes only when something changed.
  add_custom_target(ridge_build_info_file BYPRODUCTS ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${CMAKE_SOURCE_DIR}
            -DVERSION=${PROJECT_VERSION} -DTYPE=${CMAKE_BUILD_TYPE}
            "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "-DCUDA=${cuda}"
            -P ${CMAKE_SOURCE_DIR}/cmake/write_build_info.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
  add_dependencies(${target} ridge_build_info_file)
endfunction()
