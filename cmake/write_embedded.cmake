# cmake -DOUTPUT= -DROOT= -DFILES= -DHEADER= -DFUNCTION= -DWASM= -P: writes the table of files that FUNCTION
# returns, as HEADER declares it. The assembler copies the texts in: as C++ literals they were 8 MB of
# source and eight seconds of the first start.
set(texts "")
set(table "")
set(index 0)
foreach(file ${FILES})
  file(RELATIVE_PATH path ${ROOT} ${file})
  set(name ${FUNCTION}_${index})
  set(begin ".section .rodata\\n${name}:")
  set(end ".byte 0\\n.previous")
  if(WASM)  # whose assembler knows no bytes without a symbol that has a size
    set(begin ".section .rodata.${name},\\\"\\\",@\\n.type ${name},@object\\n${name}:\\n")
    set(end ".int8 0\\n.size ${name}, .-${name}\\n.text")
  endif()
  string(APPEND texts "__asm__(\"${begin} .incbin \\\"${file}\\\"\\n${end}\");\n"
    "extern \"C\" __attribute__((visibility(\"hidden\"))) const char ${name}[];\n")
  string(APPEND table "{\"${path}\", ${name}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by the build; see cmake/write_embedded.cmake.
#include \"${HEADER}\"

${texts}
namespace ridge {
namespace {
const EmbeddedFile kFiles[] = {
${table}};
}  // namespace
std::span<const EmbeddedFile> ${FUNCTION}() { return kFiles; }
}  // namespace ridge
")
