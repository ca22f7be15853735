#include "common/record/note_text.h"

#include <regex>

namespace ridge {

std::string note_text(const std::string& note) {
  static const std::regex tried(
      "(the faster of [^,;]*?) [0-9.e+-]+ ms and ([^,;]*?) [0-9.e+-]+ ms");
  return std::regex_replace(note, tried, "$1 and $2 in a first try");
}

}  // namespace ridge
