# The browser edition: emcmake cmake -S . -B build-web -G Ninja -DRIDGE_WEB_SOURCES=FOLDER (web/sources fills the folder).
# Of one facility there may be two bodies: X/web/NAME.cpp is compiled here in place of X/NAME.cpp.
set(RIDGE_WEB_SOURCES ${CMAKE_BINARY_DIR}/sources CACHE PATH "folder of unpacked source packages (web/sources)")
set(RIDGE_CUDA OFF)
set(CMAKE_CROSSCOMPILING_EMULATOR node)  # emscripten's own choice names options that node has given up
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)  # one program, which nothing is loaded into
set(RIDGE_TESTS OFF)  # those are of the programs that start others; tests/web_worker_test.sh drives this build

# The engine's own exceptions: the JavaScript ones cost each call that might throw.
add_compile_options(-fwasm-exceptions)
# The worker's threads; what it shares with the window is compiled once, and the window is linked for one.
add_compile_options(-pthread)
# Registrations are data that only the linker's section bounds name (common/core/registration.h): LLD 14 would drop them.
add_link_options(-fwasm-exceptions -Wl,--no-gc-sections)
if(RIDGE_UNTIMED MATCHES "^-O[01]$")  # a quick build: optimising a program once more as a whole takes a minute each
  add_link_options(-O1)
endif()
# A size_t has 32 bits here, and counts of elements are int64_t.
add_compile_options(-Wno-shorten-64-to-32)
add_compile_options("SHELL:-include ${CMAKE_SOURCE_DIR}/web/missing.h")
# A node that is not Debian's does not look where Debian's emscripten keeps what its linker needs.
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs:$ENV{NODE_PATH}")

# Files that a body of another name stands for: nothing here starts a program or compiles a learner's text.
set(ridge_web_left_out
  "/worker/(edit/(build|build_flags|loading|nvcc|sandbox|sandbox_calls|scratch|witness)|emulated/[a-z_]+)[.]cpp$")

# Replaces in the list `sources` each file that has a body for the browser.
function(ridge_choose_bodies sources)
  set(chosen "")
  foreach(source ${${sources}})
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(name ${source} NAME)
    if(NOT IS_ABSOLUTE "${source}")
      set(folder ${CMAKE_SOURCE_DIR}/${folder})
    endif()
    if(EXISTS ${folder}/web/${name})
      list(APPEND chosen ${folder}/web/${name})
    elseif(NOT source MATCHES ${ridge_web_left_out})
      list(APPEND chosen ${source})
    endif()
  endforeach()
  set(${sources} ${chosen} PARENT_SCOPE)
endfunction()

# What else a program needs to run under node: emscripten 3.1.6 would fetch() its own file, which node has learnt meanwhile.
function(ridge_link_web target)
  target_link_options(${target} PRIVATE -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2147483648 -sINITIAL_MEMORY=67108864
    -sMINIFY_HTML=0 --pre-js ${CMAKE_SOURCE_DIR}/web/before.js)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/web/before.js)
endfunction()

# The data sets of this machine, each file by itself, and a list of them; their paths are those below /usr/share/datasets,
# where the worker looks (web/worker.js, web/stdin.js).
function(ridge_copy_data_sets folder)
  file(GLOB files RELATIVE /usr/share/datasets /usr/share/datasets/fashion-mnist/*-ubyte.gz)
  if(NOT files)
    message(STATUS "no data set here: the page's rungs make their pictures up (apt-get install dataset-fashion-mnist)")
  endif()
  foreach(file ${files})
    configure_file(/usr/share/datasets/${file} ${folder}/${file} COPYONLY)
  endforeach()
  list(TRANSFORM files REPLACE "(.+)" "\"\\1\"")
  list(JOIN files ",\n " names)
  file(CONFIGURE OUTPUT ${folder}/list.json CONTENT "[${names}]\n" @ONLY)
endfunction()

# The worker: a Web Worker's program (web/worker.js starts it), and one for node.
function(ridge_link_worker target)
  ridge_link_web(${target})
  target_link_options(${target} PRIVATE -sEXPORTED_RUNTIME_METHODS=FS,stringToNewUTF8 -sEXPORTED_FUNCTIONS=_main,_malloc,_free
    -sDEFAULT_LIBRARY_FUNCS_TO_INCLUDE=@${CMAKE_SOURCE_DIR}/web/library.txt -sFORCE_FILESYSTEM=1 -lnodefs.js
    -sENVIRONMENT=worker,node -sTOTAL_STACK=8388608 -pthread --post-js ${CMAKE_SOURCE_DIR}/web/stdin.js)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/web/stdin.js)
  set(page ${CMAKE_BINARY_DIR}/page)
  configure_file(${CMAKE_SOURCE_DIR}/web/worker.js ${page}/worker.js COPYONLY)
  ridge_copy_data_sets(${page}/data)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${page})
endfunction()

# A program that draws on a canvas, with its letters in FOLDER of its files.
function(ridge_link_canvas target folder)
  ridge_link_web(${target})
  target_link_options(${target} PRIVATE -sUSE_GLFW=3 -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sFORCE_FILESYSTEM=1
    -sENVIRONMENT=web -sEXPORTED_FUNCTIONS=_main,_malloc,_free -sEXPORTED_RUNTIME_METHODS=stringToNewUTF8)
  foreach(font opentype/inter/Inter-Medium.otf opentype/inter/Inter-SemiBold.otf truetype/dejavu/DejaVuSans.ttf
          truetype/dejavu/DejaVuSansMono.ttf truetype/jetbrains-mono/JetBrainsMono-Regular.ttf)
    get_filename_component(file ${font} NAME)
    if(NOT EXISTS /usr/share/fonts/${font})
      message(FATAL_ERROR "/usr/share/fonts/${font} not found: apt-get install fonts-inter fonts-dejavu-core fonts-jetbrains-mono")
    endif()
    target_link_options(${target} PRIVATE "SHELL:--preload-file /usr/share/fonts/${font}@${folder}/fonts/${file}")
  endforeach()
endfunction()

# The page: folder page/ of the build, to be served as it is. Its letters lie in ridgepoint.data, the recorded runs in a file
# that is fetched when the window stands.
function(ridge_add_page name)
  set(page ${CMAKE_BINARY_DIR}/page)
  add_executable(${name} ${CMAKE_SOURCE_DIR}/app/cli/web/main.cpp)
  ridge_link_canvas(${name} /assets)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${page})
  target_link_options(${name} PRIVATE -lidbfs.js)
  foreach(file index.html page.js isolated.js)
    configure_file(${CMAKE_SOURCE_DIR}/web/${file} ${page}/${file} COPYONLY)
  endforeach()
  file(GLOB recorded CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/recorded/*)
  add_custom_command(OUTPUT ${page}/recorded.tar.gz DEPENDS ${recorded} VERBATIM
    COMMAND sh -c "tar -C '${CMAKE_SOURCE_DIR}/assets/recorded' --sort=name --owner=0 --group=0 --mtime=@0 --format=ustar -cf - --transform 's,^[.]/,,' . | gzip -9n > recorded.tar.gz"
    WORKING_DIRECTORY ${page})
  add_custom_target(ridge_recorded DEPENDS ${page}/recorded.tar.gz)
  add_dependencies(${name} ridge_recorded)
endfunction()

# The goldens' pictures drawn by a browser (tests/web_page.py): folder golden/ of the build, made on demand.
function(ridge_add_golden_page)
  set(page ${CMAKE_BINARY_DIR}/golden)
  set(golden ${CMAKE_SOURCE_DIR}/tests/golden/screens)
  add_executable(golden-screens EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/golden_screens.cpp)
  target_link_libraries(golden-screens PRIVATE ridge_window ridge_formats ridge_labs ridge_build_info ridge_stb)
  ridge_link_canvas(golden-screens /golden)
  file(GLOB pictures CONFIGURE_DEPENDS ${golden}/*)  # packed when it is linked
  set_target_properties(golden-screens PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${page} LINK_DEPENDS "${pictures}")
  target_link_options(golden-screens PRIVATE "SHELL:--preload-file ${golden}@/golden")
  configure_file(${CMAKE_SOURCE_DIR}/tests/web_golden.html ${page}/index.html COPYONLY)
endfunction()
