// What a learner wrote down as the answer to a lesson's question, where no run of the rung answers it by its time: a note of
// the session (notes.h) whose key is this and the rung's id.
#pragma once

#include <string>
#include <string_view>

namespace ridge {

inline constexpr std::string_view kSaidNote = "said ";

inline std::string said_note(const std::string& kernel) {
  return std::string(kSaidNote) + kernel;
}

}  // namespace ridge
