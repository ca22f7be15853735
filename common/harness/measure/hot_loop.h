// Where a disassembly does its work: backward branches make loops, and the one that computes most per
// instruction is the one that a rung is about (what is around it, edges and remainders compute less). A
// reading of the text, not a measurement: how often it runs is not known here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ridge::measure {

/// One line of a disassembly. A line that is no instruction (a function's name) has no mnemonic.
struct AsmLine {
  std::string text;
  int64_t address = -1;
  std::string mnemonic, operands;
  std::optional<int64_t> target{};  ///< a branch's
  int function = 0;                 ///< counts the functions: a branch stays in its own
  int source_line = 0;              ///< of the file that was asked for; 0: of another, or not known
};

struct HotLoop {
  size_t first = 0, last = 0;  ///< lines, both inside
  int instructions = 0, fma = 0, arithmetic = 0, loads = 0, stores = 0;
  double results = 0;  ///< of multiply-adds (two each) and other arithmetic, all lanes
};

/// objdump's lines, Intel syntax; addresses of branches into the same function become "+0x1c". `source`: the name of
/// the file whose lines are wanted; `text` then comes from objdump -l --inlines.
std::vector<AsmLine> parse_objdump(const std::string& text, const std::string& source = "");
/// cuobjdump's SASS of one function, under `title`.
std::vector<AsmLine> parse_sass(const std::string& text, const std::string& title);

/// None where no loop computes in floating point (or in integer dot products).
std::optional<HotLoop> hot_loop(const std::vector<AsmLine>& lines, bool sass);

}  // namespace ridge::measure
