# ridge_late_library(NAME needs LIBRARY file FUNCTIONS regex PACKAGE text OUT variable [FOLDER folder]): a source file that
# defines those functions of the shared library `file` that `regex` matches, and opens it at run time
# (common/core/late_library.h). `variable` receives the source's path. It is linked where the functions are called, instead of the
# library. `folder`: where else to look for it.
function(ridge_late_library)
  cmake_parse_arguments(L "" "NAME;LIBRARY;FUNCTIONS;PACKAGE;OUT;FOLDER" "" ${ARGN})
  file(REAL_PATH ${L_LIBRARY} real)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${real} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${real} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT headers MATCHES "SONAME +([^ \n]+)")
    message(FATAL_ERROR "${L_LIBRARY} has no soname: a shared library is needed")
  endif()
  set(file ${CMAKE_MATCH_1})
  get_filename_component(folder ${L_LIBRARY} DIRECTORY)
  string(MAKE_C_IDENTIFIER "ridge_late_${file}" slots)
  set(names "")
  set(jumps "")
  set(count 0)
  string(REGEX MATCHALL " [TWi] [A-Za-z0-9_]+" functions "${symbols}")
  foreach(function ${functions})
    string(SUBSTRING "${function}" 3 -1 function)
    if(function MATCHES "${L_FUNCTIONS}")
      string(APPEND names "    \"${function}\",\n")
      string(APPEND jumps "RIDGE_LATE_FUNCTION(\"${function}\", \"${slots}\", ${count})\n")
      math(EXPR count "${count} + 1")
    endif()
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/generated/${slots}.cpp)
  # Where the build found it; then what the loader finds, which looks beside the program first (cmake/install.cmake).
  set(places "\"${folder}/${file}\", \"${file}\"")
  if(L_FOLDER)
    string(APPEND places ", \"${L_FOLDER}/${file}\"")
  endif()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Written by cmake/late_library.cmake.
#include \"common/core/late_library.h\"

extern \"C\" {
__attribute__((visibility(\"hidden\"))) extern void* @slots@[@count@];
void* @slots@[@count@] = {};
}
@jumps@
namespace {
constexpr const char* kPlaces[] = {@places@};
constexpr const char* kFunctions[] = {
@names@};
constexpr ridge::LateLibrary kLibrary = {\"@L_NAME@\", \"@file@\", \"@L_PACKAGE@\", kPlaces, kFunctions, @slots@};
RIDGE_REGISTER(\"ridge_late_libraries\", ridge::LateLibrary, kLibrary);
}  // namespace
")
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  set(${L_OUT} ${source} PARENT_SCOPE)
endfunction()
