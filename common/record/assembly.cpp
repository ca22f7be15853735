#include "common/record/assembly.h"

#include <fmt/format.h>

namespace ridge {

std::string loop_sentence(const AssemblyText& assembly) {
  if (assembly.loop_first == 0) {
    return "No loop of this file computes: the work is in functions that it calls.";
  }
  return fmt::format(
      "The loop at lines {} to {}: {} instructions, of them {} FMA, {} other arithmetic, {} loads, "
      "{} "
      "stores.",
      assembly.loop_first, assembly.loop_last, assembly.loop_instructions, assembly.loop_fma,
      assembly.loop_arithmetic, assembly.loop_loads, assembly.loop_stores);
}

}  // namespace ridge
