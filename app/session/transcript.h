// The lines of a session. One that lasts for hours is told a dozen lines a second and keeps them all, for a save at its
// end; so all but the last are packed, to about a tenth of their size, and lie in a file without a name where there can be
// one.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"

namespace ridge::app {

class Transcript {
 public:
  Transcript() = default;
  Transcript(std::initializer_list<std::string_view> lines);

  /// A line has no end of line in it.
  void push_back(std::string_view line);
  size_t size() const { return first_open_ + open_lines_; }
  /// The lines from `first` on, each with its end. What lies far back is unpacked for it. Error bad_input: the disk does not
  /// give back all of them.
  Result<std::string> text_from(size_t first) const;
  /// All of them, unpacked. Errors: as text_from().
  Result<std::vector<std::string>> lines() const;
  /// What the lines take here.
  size_t held_bytes() const;

 private:
  class NamelessFile;
  /// Some 1,000 lines that follow each other.
  struct Block {
    size_t first = 0;  ///< line
    size_t bytes = 0;  ///< of their text
    /// By zlib. As many as `bytes`: the text itself, which zlib had nothing to gain from.
    size_t packed_bytes = 0;
    size_t at = 0;       ///< in the file
    std::string packed;  ///< empty: in the file
  };
  void pack();
  Result<std::string> text_of(const Block& block) const;

  std::vector<Block> blocks_;
  std::shared_ptr<NamelessFile> file_;  ///< null: nothing was packed yet
  std::string open_;                    ///< the last lines, each with its end
  size_t first_open_ = 0, open_lines_ = 0;
};

}  // namespace ridge::app
