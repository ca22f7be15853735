#include "worker/emulated/object.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "common/core/format.h"
#include "common/harness/measure/tool.h"

namespace ridge::emulated {
namespace {

constexpr double kLimit_s = 30;

uint64_t offset_of(const Object& object, Site site) {
  return reinterpret_cast<uintptr_t>(site) - object.base;
}

std::string hex(uint64_t value) {
  char text[20];
  const auto end = std::to_chars(text, text + sizeof text, value, 16).ptr;
  return "0x" + std::string(text, end);
}

uint64_t from_hex(std::string_view text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return value;
}

/// "/tmp/x/naive.cu:23 (discriminator 2)"
SourceLine line_of(std::string_view text) {
  SourceLine line;
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return line;
  const size_t slash = text.rfind('/', colon);
  const size_t begin = slash == text.npos ? 0 : slash + 1;
  line.file = text.substr(begin, colon - begin);
  line.line = std::atoi(std::string(text.substr(colon + 1)).c_str());
  return line;
}

template <class Each>
void each_line(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Of one line of objdump, from the instruction's name on.
int flop_of_instruction(std::string_view name) {
  if (name.starts_with('v')) name.remove_prefix(1);
  if (!name.ends_with("ss") && !name.ends_with("sd") && !name.ends_with("ps") &&
      !name.ends_with("pd"))
    return 0;
  int flop = 0;
  if (name.starts_with("fmadd") || name.starts_with("fmsub") || name.starts_with("fnmadd") ||
      name.starts_with("fnmsub"))
    flop = 2;
  for (const std::string_view one : {"add", "sub", "mul", "div", "sqrt"}) {
    if (name.substr(0, name.size() - 2) == one) flop = 1;
  }
  return flop;
}

}  // namespace

Result<std::map<Site, Where>> lines_of(const Object& object, const std::set<Site>& sites) {
  std::map<Site, Where> found;
  if (sites.empty()) return found;
  // The call before the place that it returns to.
  std::vector<std::string> command = {"addr2line", "-a", "-i", "-e", object.path};
  for (const Site site : sites) command.push_back(hex(offset_of(object, site) - 1));
  RIDGE_TRY(const std::string text, measure::output_of(command, kLimit_s));
  Where* where = nullptr;
  each_line(text, [&](std::string_view line) {
    if (line.starts_with("0x")) {
      const uintptr_t at = object.base + from_hex(line.substr(2)) + 1;
      where = &found[reinterpret_cast<Site>(at)];
      return;
    }
    if (where == nullptr) return;
    const SourceLine one = line_of(line);
    if (where->innermost.line == 0) where->innermost = one;
    if (where->own.line == 0 && one.file == object.own_file) where->own = one;
  });
  return found;
}

Result<std::map<Site, BlockCode>> code_of_blocks(const Object& object) {
  RIDGE_TRY(const std::string text,
            measure::output_of({"objdump", "-d", "--no-show-raw-insn", object.path}, kLimit_s));
  std::map<Site, BlockCode> blocks;
  Site block = nullptr;
  bool is_begin = false;
  bool is_jump = false;
  int before = 0;  // operations of the instruction before: its place is where the next one begins
  each_line(text, [&](std::string_view line) {
    const size_t colon = line.find(":\t");
    if (colon == line.npos) {
      if (line.ends_with(">:"))
        block = nullptr, before = 0, is_begin = is_jump = false;  // a function begins
      return;
    }
    const uint64_t offset = from_hex(line.substr(line.find_first_not_of(' '), colon));
    const Site at = reinterpret_cast<Site>(object.base + offset);
    if (before > 0) blocks[block].instructions[at] = before;
    if (is_jump) blocks[block].branch = at;
    if (is_begin) block = at;
    is_begin = line.find("<__sanitizer_cov_trace_pc") != line.npos;
    const std::string_view instruction = line.substr(colon + 2);
    is_jump = block != nullptr && instruction.starts_with('j') && !instruction.starts_with("jmp");
    before =
        block != nullptr ? flop_of_instruction(instruction.substr(0, instruction.find(' '))) : 0;
  });
  return blocks;
}

int64_t flop_of(const LaunchCounts& counts, const std::map<Site, BlockCode>& blocks) {
  int64_t flop = 0;
  for (const auto& [site, count] : counts.warp_flop) flop += count;
  for (const auto& [site, visits] : counts.visits) {
    if (const auto found = blocks.find(site); found != blocks.end()) {
      for (const auto& [at, count] : found->second.instructions) flop += visits * count;
    }
  }
  return flop;
}

}  // namespace ridge::emulated
