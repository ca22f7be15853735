// Whom an entry is for. Everything that registers itself (a command, a report format, a lab, a rung as
// its lab lists it, a view, an action) carries a level, so that the program can show a newcomer less.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ridge {

/// Each level includes the ones before it.
enum class Level {
  kLearn,  ///< what a newcomer sees first: the steps of the lesson
  kLab,    ///< the full lab
  kBench,  ///< for professionals who measure: hardware counters, raw formats, self tests
};

inline constexpr std::array<std::string_view, 3> kLevelNames = {"learn", "lab", "bench"};

constexpr std::string_view name_of(Level level) {
  return kLevelNames[static_cast<size_t>(level)];
}

/// The level of that name; none: no level is called so.
constexpr std::optional<Level> level_named(std::string_view name) {
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == name) return static_cast<Level>(i);
  }
  return std::nullopt;
}

/// Whether an entry of this level is shown to somebody who chose `chosen`.
constexpr bool is_shown(Level level, Level chosen) {
  return level <= chosen;
}

static_assert(level_named("bench") == Level::kBench && !level_named("expert"));

}  // namespace ridge
