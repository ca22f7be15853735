// The seal of a saved run: a line of its file that holds a hash over the lines before it, back to the last seal. A reader
// sees by it that a file was changed after it was written. It guards against accident, an editor that saved a line or a
// mail that broke one, and not against malice: whoever changes a line can write the seal anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/core/hash.h"

namespace ridge {

/// Over the lines of a part of a file: FNV-1a, 64 bit, of each line's first kMostLineBytes and a newline. A carriage
/// return at a line's end is none of it: mail programs add one.
class Seal {
 public:
  void take(std::string_view line);  ///< without its newline
  int64_t lines() const { return lines_; }
  /// The line that seals what was taken, without a newline. The next part begins with it, so it is a new Seal's.
  std::string line() const;
  /// Whether `sealed`, a line of a file, is the seal of what was taken.
  bool matches(std::string_view sealed) const;

 private:
  uint64_t hash_ = kHashOfNothing;
  int64_t lines_ = 0;
};

/// Whether a line of a file is a seal, right or wrong.
bool is_seal(std::string_view line);

/// What the seals of a file say of it. Files that were joined have several; lines after the last seal have none, because
/// the program was still writing, or was ended before it closed the file.
class SealCheck {
 public:
  void take(std::string_view line);
  bool is_sealed() const { return has_seal_ && part_.lines() == 0; }  ///< to its end
  /// "lines 3 to 40 are not as they were saved"; empty: no seal says so.
  const std::string& broken() const { return broken_; }

 private:
  Seal part_;
  int64_t line_ = 0;  ///< lines taken
  bool has_seal_ = false;
  std::string broken_;
};

}  // namespace ridge
