// What only a person can say of a run: the question, what was expected, what follows, and who asks. Kept with the
// session, shown on page 1 of its report.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "common/core/result.h"

namespace ridge {

struct NoteField {
  const char* key;            ///< as it is typed: "question"
  const char* title;          ///< "Question"
  const char* asks;           ///< what belongs there, for an empty field
  bool is_of_author = false;  ///< who wrote it, which a report says in its subtitle
};

/// In the order of a report.
std::span<const NoteField> note_fields();
/// Null: there is none of that key.
const NoteField* find_note_field(std::string_view key);

/// By key. An empty note is not there.
using Notes = std::map<std::string, std::string>;

/// Of code points; a note is one paragraph.
inline constexpr size_t kLongestNote = 500;

/// "question=Does blocking pay?". Errors usage, one sentence: a key that is none, no text, a text that is too long.
Result<std::pair<std::string, std::string>> parse_note(const std::string& text);
/// Takes a note into `notes`, as one line of at most kLongestNote; an empty text takes it out. False: no such key.
bool set_note(const std::string& key, const std::string& text, Notes* notes);

}  // namespace ridge
