#include "common/record/notes.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "common/core/nearest.h"
#include "common/record/command.h"
#include "common/record/said_note.h"
#include "common/record/studied_note.h"
#include "common/record/tour_note.h"

namespace ridge {
namespace {

constexpr NoteField kFields[] = {
    {"question", "Question", "What do you want to know?"},
    {"hypothesis", "Hypothesis", "What do you expect, and why?"},
    {"decision", "My decision", "What do you do now?"},
    {"surprise", "What surprised me", "What came out otherwise than expected?"},
    {"name", "Name", "Who measured?", true},
    {"course", "Course", "For which course or project?", true},
};

}  // namespace

std::span<const NoteField> note_fields() {
  return kFields;
}

const NoteField* find_note_field(std::string_view key) {
  const auto found = std::find_if(std::begin(kFields), std::end(kFields),
                                  [&](const NoteField& field) { return key == field.key; });
  return found == std::end(kFields) ? nullptr : &*found;
}

Result<std::pair<std::string, std::string>> parse_note(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string key = text.substr(0, equals);
  if (!find_note_field(key)) {
    std::vector<std::string> keys;
    for (const NoteField& field : kFields) keys.emplace_back(field.key);
    return Error{ErrorCode::usage, "'" + one_line(key, 40) + "' is no note", "--note",
                 name_hint(key, keys)};
  }
  const std::string words = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (words.empty())
    return Error{ErrorCode::usage, key + " has no text", "--note", "write --note " + key + "=TEXT"};
  if (one_line(words, kLongestNote) != one_line(words, words.size() + 1)) {
    return Error{ErrorCode::usage,
                 key + " is longer than " + std::to_string(kLongestNote) + " characters", "--note",
                 "shorten it: a report's first page has room for a paragraph"};
  }
  return std::pair(key, one_line(words, kLongestNote));
}

bool set_note(const std::string& key, const std::string& text, Notes* notes) {
  if (!find_note_field(key) && key != kTourNote && !key.starts_with(kSaidNote) &&
      !key.starts_with(kStudiedNote))
    return false;
  if (text.empty())
    notes->erase(key);
  else
    (*notes)[key] = one_line(text, kLongestNote);
  return true;
}

std::string to_string(const TourNote& note) {
  return note.tour + " " + std::to_string(note.step);
}

std::optional<TourNote> tour_note(const Notes& notes) {
  const auto found = notes.find(kTourNote);
  if (found == notes.end()) return std::nullopt;
  const std::string& text = found->second;
  const size_t space = text.find(' ');
  TourNote note{text.substr(0, space)};
  if (space == std::string::npos || note.tour.empty()) return std::nullopt;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + space + 1, end, note.step);
  const bool is_whole = error == std::errc() && at == end && note.step > 0;
  return is_whole ? std::optional(note) : std::nullopt;
}

}  // namespace ridge
