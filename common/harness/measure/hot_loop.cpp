#include "common/harness/measure/hot_loop.h"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

namespace ridge::measure {
namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> heads) {
  return std::any_of(heads.begin(), heads.end(),
                     [&](std::string_view head) { return text.starts_with(head); });
}

/// "(v)add/sub/mul/div/…" followed by packed or scalar, single or double.
bool is_x86_arithmetic(std::string_view name) {
  if (name.starts_with("v")) name.remove_prefix(1);
  for (const std::string_view head : {"add", "sub", "mul", "div", "sqrt", "min", "max"}) {
    if (!name.starts_with(head)) continue;
    const std::string_view kind = name.substr(head.size());
    if (kind == "ss" || kind == "sd" || kind == "ps" || kind == "pd") return true;
  }
  return false;
}

/// fp32 lanes; types of other widths are in proportion.
int x86_lanes(const AsmLine& line) {
  if (line.mnemonic.ends_with("ss") || line.mnemonic.ends_with("sd")) return 1;
  if (line.operands.find("zmm") != std::string::npos) return 16;
  return line.operands.find("ymm") != std::string::npos ? 8 : 4;
}

void count_x86(const AsmLine& line, HotLoop* loop) {
  const std::string_view name = line.mnemonic, operands = line.operands;
  const bool fma =
      starts_with_any(name, {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub", "vdpbf16", "vpdp"});
  const bool arithmetic = is_x86_arithmetic(name);
  loop->fma += fma;
  loop->arithmetic += arithmetic;
  loop->results += (2 * fma + arithmetic) * x86_lanes(line);
  if (starts_with_any(name, {"lea", "nop", "prefetch"})) return;
  const size_t bracket = operands.find('[');
  if (bracket == operands.npos) return;
  const bool first = bracket < std::min(operands.find(','), operands.size());
  const bool moves = starts_with_any(name, {"mov", "vmov", "vextract", "vpmov", "set", "pop"});
  const bool only_reads =
      starts_with_any(name, {"cmp", "test", "ucomi", "vucomi", "push", "call", "jmp"});
  loop->stores += first && !only_reads;
  loop->loads += !(first && moves);
}

void count_sass(const AsmLine& line, HotLoop* loop) {
  const std::string_view name = line.mnemonic;
  const bool tensor = starts_with_any(
      name, {"HMMA", "IMMA", "DMMA", "QMMA", "HGMMA", "IGMMA", "QGMMA", "UTCHMMA", "UTCQMMA"});
  const bool fma = starts_with_any(name, {"FFMA", "HFMA2", "DFMA", "IDP"});
  const bool arithmetic =
      starts_with_any(name, {"FADD", "FMUL", "HADD2", "HMUL2", "DADD", "DMUL", "MUFU", "FMNMX"});
  constexpr double kTensor = 64;  // far more than any other instruction: its loop is the one
  loop->fma += fma || tensor;
  loop->arithmetic += arithmetic;
  loop->results += tensor ? kTensor : 2 * fma + arithmetic;
  loop->loads += name == "LD" || starts_with_any(name, {"LD.", "LDG", "LDS", "LDL", "UTMALDG"});
  loop->stores += name == "ST" || starts_with_any(name, {"ST.", "STG", "STS", "STL", "UTMASTG",
                                                         "RED", "ATOM", "LDGSTS"});
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

void split_instruction(const std::string& text, AsmLine* line) {
  const size_t gap = text.find_first_of(" \t");
  line->mnemonic = text.substr(0, gap);
  line->operands = gap == text.npos ? "" : trimmed(std::string_view(text).substr(gap));
}

std::optional<int64_t> hex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  int64_t value = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, 16);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

/// "64098 <ridge::launch(ridge::Launch const&)+0x18>" -> "+0x18" inside the function itself.
void take_target(const std::string& function, AsmLine* line) {
  const size_t open = line->operands.find(" <");
  if (open == line->operands.npos || !line->operands.ends_with(">")) return;
  line->target = hex(line->operands.substr(0, open));
  if (!line->target) return;  // an operand, with the name of what it points to as a comment
  const std::string where = line->operands.substr(open + 2, line->operands.size() - open - 3);
  const bool here = where.starts_with(function + "+");
  line->operands = here ? where.substr(function.size()) : where;
}

/// "   64098  vmulss      xmm0, ..."
std::string laid_out(const AsmLine& line) {
  char head[64];
  std::snprintf(head, sizeof(head), "%8llx  %-11s ", static_cast<unsigned long long>(line.address),
                line.mnemonic.c_str());
  return head + line.operands;
}

std::vector<HotLoop> loops_of(const std::vector<AsmLine>& lines) {
  std::vector<HotLoop> loops;
  for (size_t last = 0; last < lines.size(); ++last) {
    const AsmLine& branch = lines[last];
    const bool jumps = branch.mnemonic.starts_with("j") || branch.mnemonic.starts_with("BRA");
    if (!jumps || !branch.target || *branch.target > branch.address) continue;
    size_t first = last;
    while (first > 0 && lines[first - 1].function == branch.function &&
           lines[first - 1].address >= *branch.target)
      --first;
    if (lines[first].address == *branch.target) loops.push_back({.first = first, .last = last});
  }
  return loops;
}

}  // namespace

namespace {

/// 12 of "/tmp/x/rung.cpp:12 (discriminator 3)" and of " (inlined by) /tmp/x/rung.cpp:12 run" where the file is called
/// `source`; 0 of another file's; nothing of another line.
std::optional<int> line_of(const std::string& raw, const std::string& source) {
  const size_t colon = raw.find(':', std::min(raw.rfind('/'), raw.size()));
  if (colon == raw.npos || colon + 1 >= raw.size() || raw[colon + 1] < '0' || raw[colon + 1] > '9')
    return std::nullopt;
  const bool is_ours = raw.substr(0, colon).ends_with("/" + source);
  return is_ours ? std::atoi(raw.c_str() + colon + 1) : 0;
}

}  // namespace

std::vector<AsmLine> parse_objdump(const std::string& text, const std::string& source) {
  std::vector<AsmLine> lines;
  int source_line = 0, direct_line = 0;
  bool is_new = true;  // an instruction came since the last place
  std::istringstream stream(text);
  std::string function;
  int functions = 0;
  for (std::string raw; std::getline(stream, raw);) {
    const size_t colon = raw.find(":\t");
    if (colon != raw.npos) {
      AsmLine line;
      line.function = functions;
      line.source_line = source_line;
      is_new = true;
      line.address = hex(trimmed(raw.substr(0, colon))).value_or(-1);
      split_instruction(trimmed(raw.substr(colon + 2)), &line);
      take_target(function, &line);
      line.text = laid_out(line);
      lines.push_back(std::move(line));
    } else if (const size_t open = raw.find(" <"); open != raw.npos && raw.ends_with(">:")) {
      function = raw.substr(open + 2, raw.size() - open - 4);
      AsmLine title;
      title.function = ++functions;
      title.text = function + ":";
      lines.push_back(std::move(title));
      source_line = direct_line = 0;
    } else if (const auto at = source.empty() ? std::nullopt : line_of(raw, source)) {
      // The line of what was inlined comes first, where it is another than before; then each place that it was inlined
      // at. The first of ours counts: an intrinsic's own file says nothing.
      const bool is_caller = raw.find("inlined by") != raw.npos;
      if (!is_caller) direct_line = *at;
      if (std::exchange(is_new, false) || !is_caller) source_line = direct_line;
      if (is_caller && source_line == 0) source_line = *at;
    }
  }
  return lines;
}

std::vector<AsmLine> parse_sass(const std::string& text, const std::string& title) {
  std::vector<AsmLine> lines(1);
  int failed = 0;
  char* plain = abi::__cxa_demangle(title.c_str(), nullptr, nullptr, &failed);
  lines[0].text = (failed == 0 ? std::string(plain) : title) + ":";
  std::free(plain);
  std::istringstream stream(text);
  for (std::string raw; std::getline(stream, raw);) {
    const size_t open = raw.find("/*"), close = raw.find("*/"), end = raw.find(';');
    if (open == raw.npos || close == raw.npos || end == raw.npos || close > end) continue;
    AsmLine line;
    const auto address = hex(raw.substr(open + 2, close - open - 2));
    if (!address) continue;
    line.address = *address;
    std::string words = trimmed(raw.substr(close + 2, end - close - 2));
    char head[24];
    std::snprintf(head, sizeof(head), "%6llx  ", static_cast<unsigned long long>(line.address));
    line.text = head + words;
    if (words.starts_with("@"))
      words = trimmed(words.substr(std::min(words.find(' '), words.size())));
    split_instruction(words, &line);
    if (line.mnemonic.starts_with("BRA")) {
      const size_t at = line.operands.rfind("0x");
      if (at != line.operands.npos) line.target = hex(line.operands.substr(at));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<HotLoop> hot_loop(const std::vector<AsmLine>& lines, bool sass) {
  std::optional<HotLoop> hottest;
  for (HotLoop loop : loops_of(lines)) {
    for (size_t i = loop.first; i <= loop.last; ++i) {
      if (lines[i].mnemonic.empty()) continue;
      ++loop.instructions;
      if (sass)
        count_sass(lines[i], &loop);
      else
        count_x86(lines[i], &loop);
    }
    if (loop.fma + loop.arithmetic == 0) continue;
    // One that computes on memory is two micro-operations: a load and the rest.
    const auto rank = [](const HotLoop& one) {
      return one.results / (one.instructions + one.loads);
    };
    if (!hottest || rank(loop) > rank(*hottest)) hottest = loop;
  }
  return hottest;
}

}  // namespace ridge::measure
