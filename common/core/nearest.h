// What a mistyped name was probably meant to be, for the hint of an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// The fewest letters to insert, remove, replace, or swap with their neighbour until `one` reads `other`.
size_t edit_distance(std::string_view one, std::string_view other);

/// Indices into `names` of at most `most` names that `typed` is near to, the nearest first: names a few slips away
/// (one in short names, up to three in long ones), then names that begin with it, then names that contain it or that
/// it contains. Upper and lower case are the same. Equal ranks keep their order.
std::vector<size_t> nearest(std::string_view typed, const std::vector<std::string>& names,
                            size_t most = 3);

/// Whether these words stand in the text, whole and in this order; upper and lower case are the same. Fewer than four
/// letters say nothing.
bool has_words(std::string_view text, std::string_view words);

/// "a, b, c and 4 more": at most eight names.
std::string few_of(const std::vector<std::string>& names);

/// The hint of an error about a name that is not one of `names`: "did you mean a or b?", and where none is near,
/// "choose from a, b, c and 4 more". `command` prints all names; empty: no command does. It is mentioned where the
/// hint leaves names out. `shown[i]` is what the hint says for `names[i]`; empty: the names themselves.
std::string name_hint(std::string_view typed, const std::vector<std::string>& names,
                      const std::string& command = "", const std::vector<std::string>& shown = {});

}  // namespace ridge
