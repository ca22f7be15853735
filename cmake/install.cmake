# `cmake --install BUILD --prefix FOLDER`, which cpack packs (cmake/package.cmake): the programs, what they read, and what a
# learner's rung is compiled from. All is found by where the programs lie (bin/../share/ridgepoint, bin/../lib/ridgepoint), so
# that the folder may be moved.
include(GNUInstallDirs)
set(ridge_share ${CMAKE_INSTALL_DATADIR}/ridgepoint)

install(TARGETS ridgepoint ridgepoint-worker ridgepoint-starter RUNTIME_DEPENDENCY_SET ridge_libraries
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# What they link, but for the C and C++ libraries, which any system has: other releases have it in other versions, or not at
# all. GLFW, which they open, lies with it.
set(ridge_library_folders "")
if(CMAKE_CROSSCOMPILING)
  set(ridge_library_folders DIRECTORIES ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} ${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
install(RUNTIME_DEPENDENCY_SET ridge_libraries
  PRE_EXCLUDE_REGEXES "^(libc|libm|libdl|libpthread|librt|libstdc\\+\\+|libgcc_s|ld-linux[^.]*)\\.so"
  ${ridge_library_folders} LIBRARY DESTINATION lib/ridgepoint)
if(RIDGE_GLFW_LIBRARY)
  install(CODE "file(INSTALL \"${RIDGE_GLFW_LIBRARY}.3\" TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN
    DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/ridgepoint\")")
endif()
install(DIRECTORY assets/ DESTINATION ${ridge_share} PATTERN pending.txt EXCLUDE)
if(RIDGE_WINDOW)  # the window's fonts, as far as they are here
  file(READ app/window/shell/fonts.cpp ridge_fonts)
  string(REGEX MATCHALL "/usr/share/fonts/[^\"]+" ridge_fonts "${ridge_fonts}")
  list(REMOVE_DUPLICATES ridge_fonts)
  install(FILES ${ridge_fonts} OPTIONAL DESTINATION ${ridge_share}/fonts)
endif()
# What a learner's rung includes, and the hooks of one whose accesses are watched; the rungs' own texts are in the worker.
install(DIRECTORY common include kernels worker/trace worker/emulated DESTINATION ${ridge_share}/source FILES_MATCHING PATTERN "*.h")

install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The licence of each library that is linked or lies beside the programs, as its package has it.
file(STRINGS packaging/libraries.txt ridge_linked REGEX "^[^#]")
foreach(line ${ridge_linked})
  string(REGEX MATCH "^[^ ]+" package "${line}")
  install(FILES ${CMAKE_SYSROOT}/usr/share/doc/${package}/copyright OPTIONAL DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${package}.txt)
endforeach()
install(FILES packaging/libraries.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.svg" PATTERN "*.png")
install(FILES packaging/ridgepoint.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/ridgepoint.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)

# The manual page and the completions are the command table's own words.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  install(CODE "
    function(say file)
      get_filename_component(folder \"\${file}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:ridgepoint>\" \${ARGN} OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
    endfunction()
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
    say(\"\${share}/man/man1/ridgepoint.1\" man)
    say(\"\${share}/bash-completion/completions/ridgepoint\" completion bash)
    say(\"\${share}/zsh/site-functions/_ridgepoint\" completion zsh)
    say(\"\${share}/fish/vendor_completions.d/ridgepoint.fish\" completion fish)")
endif()
