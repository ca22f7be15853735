#include "common/record/seal.h"

#include <fmt/format.h>

#include "common/record/door.h"

namespace ridge {
namespace {

constexpr std::string_view kBegin = R"({"from":"file","ridgepoint":1,"type":"seal",)";

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void Seal::take(std::string_view line) {
  hash_ = fnv1a("\n", fnv1a(without_return(line).substr(0, kMostLineBytes), hash_));
  ++lines_;
}

std::string Seal::line() const {
  return fmt::format(R"({}"lines":{},"hash":"{:016x}"}})", kBegin, lines_, hash_);
}

bool Seal::matches(std::string_view sealed) const {
  return without_return(sealed) == line();
}

bool is_seal(std::string_view line) {
  return line.starts_with(kBegin);
}

void SealCheck::take(std::string_view line) {
  ++line_;
  if (!is_seal(line)) return part_.take(line);
  has_seal_ = true;
  if (!part_.matches(line) && broken_.empty()) {
    const int64_t first = line_ - part_.lines();
    broken_ = first >= line_
                  ? fmt::format("line {} is not as it was saved", line_)
                  : fmt::format("lines {} to {} are not as they were saved", first, line_);
  }
  part_ = Seal();
}

}  // namespace ridge
