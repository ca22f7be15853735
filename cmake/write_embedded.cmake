# cmake -DOUTPUT= -DROOT= -DFILES= -DHEADER= -DFUNCTION= -P: writes the table of files that FUNCTION
# returns, as HEADER declares it.
set(text "// Written by the build; see cmake/write_embedded.cmake.\n#include \"${HEADER}\"\n\n")
string(APPEND text "namespace ridge {\nnamespace {\nconst EmbeddedFile kFiles[] = {\n")
foreach(file ${FILES})
  file(RELATIVE_PATH path ${ROOT} ${file})
  file(READ ${file} hex HEX)  # HEX keeps ; [ ] and backslashes as they are
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${hex}")
  # 4,000 hex digits of source a line: short enough for every compiler's literals.
  string(REGEX REPLACE "((\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f]))" "\\1\"\n\"" bytes "${bytes}")
  file(STRINGS ${file} first LIMIT_COUNT 1)
  set(build "")
  if(first MATCHES "^// ridge:(.*)$")
    string(STRIP "${CMAKE_MATCH_1}" build)
  endif()
  string(APPEND text "{\"${path}\", \"${build}\", \"${bytes}\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace\nstd::span<const EmbeddedFile> ${FUNCTION}() { return kFiles; }\n}  // namespace ridge\n")
file(WRITE ${OUTPUT} "${text}")
