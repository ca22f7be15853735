#include "common/record/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

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

namespace {

/// "vaddps" of "  4011a3  vaddps  zmm0,zmm1,zmm2": what follows the address. Empty: nothing does.
std::string mnemonic_of(const std::string& line) {
  std::istringstream words(line);
  std::string address, mnemonic;
  words >> address >> mnemonic;
  return mnemonic;
}

bool is_arithmetic(const std::string& mnemonic) {
  constexpr const char* kStems[] = {"add",   "sub", "mul", "div", "fmadd", "fnmadd",
                                    "fmsub", "max", "min", "dp",  "sqrt",  "popcnt"};
  return std::any_of(std::begin(kStems), std::end(kStems),
                     [&](const char* stem) { return mnemonic.find(stem) != mnemonic.npos; });
}

int register_bytes(const std::string& line) {
  return line.find("zmm") != line.npos   ? 64
         : line.find("ymm") != line.npos ? 32
         : line.find("xmm") != line.npos ? 16
                                         : 0;
}

}  // namespace

int numbers_computed(const std::string& line) {
  const std::string mnemonic = mnemonic_of(line);
  if (!is_arithmetic(mnemonic)) return 0;
  const bool is_scalar = mnemonic.ends_with("ss") || mnemonic.ends_with("sd");
  const int bytes = register_bytes(line);
  return is_scalar ? (bytes > 0 ? 1 : 0) : bytes / (mnemonic.ends_with("pd") ? 8 : 4);
}

namespace {

/// Of the lines of the listing, from 1, that `counts` says.
template <class Counts>
LoopLanes lanes_where(const AssemblyText& assembly, Counts counts) {
  LoopLanes lanes;
  if (assembly.target != "x86-64") return lanes;
  std::istringstream lines(assembly.text);
  std::string line;
  for (int64_t number = 1; std::getline(lines, line); ++number) {
    const int numbers = counts(number) ? numbers_computed(line) : 0;
    if (numbers == 0) continue;
    ++(numbers == 1 ? lanes.scalar : lanes.packed);
    if (numbers > 1) lanes.bytes = std::max(lanes.bytes, register_bytes(line));
  }
  return lanes;
}

}  // namespace

LoopLanes loop_lanes(const AssemblyText& assembly) {
  return lanes_where(assembly, [&](int64_t number) {
    return assembly.loop_first > 0 && number >= assembly.loop_first && number <= assembly.loop_last;
  });
}

LoopLanes lanes_of_lines(const AssemblyText& assembly, int first, int last) {
  return lanes_where(assembly, [&](int64_t number) {
    const auto at = static_cast<size_t>(number - 1);
    return at < assembly.origins.size() && assembly.origins[at] >= first &&
           assembly.origins[at] <= last;
  });
}

}  // namespace ridge
