# `cmake --install BUILD --prefix FOLDER`: the programs, what they read, and what a learner's rung is compiled from. All is
# found by where the programs lie (bin/../share/ridgepoint), so that the folder may be moved.
include(GNUInstallDirs)
set(ridge_share ${CMAKE_INSTALL_DATADIR}/ridgepoint)

install(TARGETS ridgepoint ridgepoint-worker ridgepoint-starter RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY assets/ DESTINATION ${ridge_share} PATTERN pending.txt EXCLUDE)
# What a learner's rung includes, and the hooks of one whose accesses are watched; the rungs' own texts are in the worker.
install(DIRECTORY common include kernels worker/trace DESTINATION ${ridge_share}/source FILES_MATCHING PATTERN "*.h")

install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.svg" PATTERN "*.png")
install(FILES packaging/ridgepoint.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/ridgepoint.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)

# The manual page and the completions are the command table's own words.
if(NOT CMAKE_CROSSCOMPILING)
  install(CODE "
    function(say file)
      get_filename_component(folder \"\${file}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND \"$<TARGET_FILE:ridgepoint>\" \${ARGN} OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
    endfunction()
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
    say(\"\${share}/man/man1/ridgepoint.1\" man)
    say(\"\${share}/bash-completion/completions/ridgepoint\" completion bash)
    say(\"\${share}/zsh/site-functions/_ridgepoint\" completion zsh)
    say(\"\${share}/fish/vendor_completions.d/ridgepoint.fish\" completion fish)")
endif()
