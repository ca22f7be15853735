// The machine code of a WebAssembly rung is made by the browser, which does not show it.
#include "common/harness/measure/disassembly.h"

namespace ridge::measure {
namespace {

Error not_shown(const std::string& kernel) {
  return {ErrorCode::unavailable,
          "a browser does not show the machine code that it makes of WebAssembly", kernel,
          "ridgepoint on Linux shows what its own compiler made"};
}

}  // namespace

Result<AssemblyText> disassemble(const std::string& kernel, int /*capability*/,
                                 const std::function<bool()>& /*cancelled*/) {
  return not_shown(kernel);
}

Result<AssemblyText> disassemble_object(const SourceText& source, const std::string& /*path*/,
                                        int /*capability*/,
                                        const std::function<bool()>& /*cancelled*/,
                                        const std::string& /*with_lines*/) {
  return not_shown(source.kernel);
}

int64_t symbol_beside(const std::string& /*symbols*/, int64_t /*registration*/,
                      std::string_view /*name*/) {
  return 0;
}

}  // namespace ridge::measure
