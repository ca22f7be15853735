# cmake -DOUTPUT= -DROOT= -DVERSION= -DTYPE= -DCOMPILER= -DCUDA= -DOPTIMIZATION= -P: defines ridge::build_info().
# A copy that lost its history, or has another's: the one who copied it says which commit it is.
set(commit "$ENV{RIDGE_COMMIT}")
if(NOT commit)
  execute_process(COMMAND git -C ${ROOT} describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit "unknown")
endif()
set(text "#include \"common/core/build_info.h\"\n\nnamespace ridge {\nBuildInfo build_info() {\n")
string(APPEND text "  return {\"${VERSION}\", \"${commit}\", \"${COMPILER}\", \"${TYPE}\", \"${CUDA}\",\n          \"${OPTIMIZATION}\"};\n}\n}  // namespace ridge\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
