// What the compiler made of a rung: the code in this very program, by a disassembler of the machine.
//
// A CPU rung's functions stand together under their file's name in the symbol table; its registration
// (an address) says which file. objdump (binutils) reads both. A GPU rung's functions are those that
// its source marks __global__; cuobjdump and nvdisasm (CUDA toolkit) read them from the code for the
// newest architecture that the GPU can run, of the rung's file alone.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge::measure {

/// `capability`: the GPU's, 90 for 9.0; 0: the newest that is built in. Errors: usage for an id that
/// nothing is built for; unavailable where there is no disassembler, where the symbols were stripped,
/// or for a library's rung, with what would change it; cancelled, within 0.1 s: the tools that it started are gone.
Result<AssemblyText> disassemble(const std::string& kernel, int capability,
                                 const std::function<bool()>& cancelled = {});
/// The same of a shared object that holds this one rung. `with_lines`: the same text compiled with line numbers
/// (-g1); where its instructions are those of `path`, the answer has their origins. Errors: unavailable, cancelled.
Result<AssemblyText> disassemble_object(const SourceText& source, const std::string& path,
                                        int capability, const std::function<bool()>& cancelled = {},
                                        const std::string& with_lines = "");

/// In objdump's symbol table (-t): the address of the symbol of this name in the file that holds the object at
/// `registration`; 0: there is none.
int64_t symbol_beside(const std::string& symbols, int64_t registration, std::string_view name);

}  // namespace ridge::measure
