// Which step of which tour a run was rehearsed for: a note that the program writes, and no person.
#pragma once

#include <optional>
#include <string>

#include "common/record/notes.h"

namespace ridge {

inline constexpr const char* kTourNote = "tour";

struct TourNote {
  std::string tour;  ///< its id
  int step = 0;      ///< from 1
};

/// "meetup 3"
std::string to_string(const TourNote& note);
/// Of a run's notes; none where it has no such note, or one that is not of this form.
std::optional<TourNote> tour_note(const Notes& notes);

}  // namespace ridge
