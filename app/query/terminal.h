// Text for a terminal: tables, width, and plain ASCII where the locale has no UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"

namespace ridge::app {

/// What a person reads has lines of at most so many columns, unless a word alone is longer.
constexpr size_t kTextWidth = 100;

/// Columns of the terminal on stdout, else of that on stderr; COLUMNS, or 80, where neither says.
size_t terminal_width();
/// Of a line that stdout shows to a person: the terminal's columns, or COLUMNS, kTextWidth at most. No limit where a
/// program reads it: a search in a pipe finds a line whole.
size_t text_width();

/// Columns of text, not bytes: counts code points (nothing we print is wider than one).
size_t display_width(const std::string& text);
/// "2.7 µs ±0.4 %" -> "2.7 us +-0.4 %".
std::string to_ascii(const std::string& text);
/// The text as this terminal can show it: unchanged when the locale says UTF-8, else to_ascii().
std::string for_terminal(const std::string& text);
/// Cut to `width` columns, ending in "..." where something is missing.
std::string fit(const std::string& text, size_t width);
/// Broken at spaces into lines of at most `width` columns, all but the first indented by `indent`; longer where a
/// word is longer. A number stays with its unit: no line ends in one.
std::string wrapped(const std::string& text, size_t width, size_t indent);
/// `head`, and behind its last line `text` in lines of at most `width` columns that stand under each other.
std::string hanging(const std::string& head, const std::string& text, size_t width = text_width());
/// Each line of more than `width` columns broken at spaces, what follows indented by two more. A line to copy, which
/// begins with this program's name, stays whole.
std::string folded(const std::string& text, size_t width = text_width());

/// Writes to stdout as it is: all that this program says there goes through here.
void write_out(std::string_view text);
/// Why something was not written; empty where it was, or where its reader left early (`| head -1`): that
/// reader has what it wanted, and the command's own exit code stands.
std::optional<Error> output_error();
/// At the start of the program. A standard stream that it was started without gets one that refuses, so that no
/// file or pipe opened later takes its place. A reader of a pipe that leaves early does not end this program.
void guard_standard_streams();

/// Prints to stdout what a person reads: through for_terminal(), and folded() to text_width().
void print(const std::string& text);
/// The same for a text whose lines are somebody else's: code, a page in Markdown.
void print_as_is(const std::string& text);
/// To stderr, with a newline; folded() where a terminal shows it.
void complain(const std::string& text);

/// Whether stdout is a terminal, so that somebody may be watching.
bool stdout_is_terminal();

/// One line of a table, with its newline: a column of width 0 is left out, and a wider cell takes the room of the
/// next ones' blanks.
std::string table_line(const std::vector<std::string>& cells, const std::vector<size_t>& widths);
/// Left-aligned first column, the others to the right; columns two spaces apart. Empty columns
/// (nothing but their heading) are left out. Where the table would be wider than `width`, the texts of its widest
/// columns are broken at spaces, and stand on the left.
std::string table(const std::vector<std::string>& heading,
                  const std::vector<std::vector<std::string>>& rows, size_t width = text_width());

}  // namespace ridge::app
