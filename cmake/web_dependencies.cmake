# The libraries of cmake/dependencies.cmake for emscripten: headers of the machine's packages, and what has no library for
# WebAssembly compiled from its source package.

# The folder of the system's headers itself is not for another platform's compiler: a link to each library's own.
set(ridge_web_headers ${CMAKE_BINARY_DIR}/headers)
include_directories(SYSTEM ${ridge_web_headers})  # rungs include them as any system header
function(ridge_header_library name folder package)
  if(NOT EXISTS /usr/include/${folder})
    message(FATAL_ERROR "/usr/include/${folder} not found: apt-get install ${package}")
  endif()
  file(MAKE_DIRECTORY ${ridge_web_headers})
  file(CREATE_LINK /usr/include/${folder} ${ridge_web_headers}/${folder} SYMBOLIC)
  add_library(${name} INTERFACE)
endfunction()

ridge_header_library(ridge_json nlohmann nlohmann-json3-dev)
ridge_header_library(ridge_fmt fmt libfmt-dev)
add_compile_definitions(FMT_HEADER_ONLY=1)
ridge_header_library(ridge_cli11 CLI libcli11-dev)

# What of ${RIDGE_WEB_SOURCES}/PACKAGE is compiled, by the package's own names.
function(ridge_source_folder package out)
  if(NOT EXISTS ${RIDGE_WEB_SOURCES}/${package})
    message(FATAL_ERROR "${RIDGE_WEB_SOURCES}/${package} not found: web/sources ${RIDGE_WEB_SOURCES} ${package}")
  endif()
  set(${out} ${RIDGE_WEB_SOURCES}/${package} PARENT_SCOPE)
endfunction()

ridge_source_folder(zlib folder)
foreach(name adler32 compress crc32 deflate gzclose gzlib gzread gzwrite infback inffast inflate inftrees trees uncompr zutil)
  list(APPEND ridge_zlib_sources ${folder}/${name}.c)
endforeach()
add_library(ridge_zlib STATIC ${ridge_zlib_sources})
target_include_directories(ridge_zlib SYSTEM PUBLIC ${folder})
target_compile_definitions(ridge_zlib PRIVATE HAVE_UNISTD_H)
target_compile_options(ridge_zlib PRIVATE -w)

ridge_source_folder(md4c folder)
add_library(ridge_md4c STATIC ${folder}/src/md4c.c)
target_include_directories(ridge_md4c SYSTEM PUBLIC ${folder}/src)
target_compile_options(ridge_md4c PRIVATE -w)

if(RIDGE_WINDOW)
  # GLFW is emscripten's own. Letters are drawn by the stb_truetype that Debian's Dear ImGui is compiled with.
  ridge_header_library(ridge_stb stb libstb-dev)
  target_include_directories(ridge_stb SYSTEM INTERFACE ${ridge_web_headers}/stb)
  ridge_source_folder(imgui folder)
  add_library(ridge_imgui STATIC
    ${folder}/imgui.cpp ${folder}/imgui_draw.cpp ${folder}/imgui_tables.cpp ${folder}/imgui_widgets.cpp
    ${folder}/backends/imgui_impl_glfw.cpp ${folder}/backends/imgui_impl_opengl3.cpp)
  target_include_directories(ridge_imgui SYSTEM PUBLIC ${folder} ${folder}/backends)
  target_compile_definitions(ridge_imgui PUBLIC IMGUI_IMPL_OPENGL_ES3
    PRIVATE IMGUI_STB_RECT_PACK_FILENAME=<stb/stb_rect_pack.h> IMGUI_STB_TRUETYPE_FILENAME=<stb/stb_truetype.h>)
  target_compile_options(ridge_imgui PRIVATE -w)
  set(ridge_window_late "")
endif()

set(ridge_app_late "")
set(ridge_late_sources "")
