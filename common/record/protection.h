// How a build says what this machine cannot limit of a learner's code: as warnings of no line, with the first build alone.
#pragma once

namespace ridge {

/// What their texts begin with: "not limited here: this kernel has no Landlock, so ...".
inline constexpr const char* kUnprotected = "not limited here: ";

}  // namespace ridge
