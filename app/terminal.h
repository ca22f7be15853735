// Text for a terminal: tables, width, and plain ASCII where the locale has no UTF-8.
#pragma once

#include <string>
#include <vector>

namespace ridge::app {

/// Columns of text, not bytes: counts code points (nothing we print is wider than one).
size_t display_width(const std::string& text);
/// "2.7 µs ±0.4 %" -> "2.7 us +-0.4 %".
std::string to_ascii(const std::string& text);
/// The text as this terminal can show it: unchanged when the locale says UTF-8, else to_ascii().
std::string for_terminal(const std::string& text);
/// Cut to `width` columns, ending in "..." where something is missing.
std::string fit(const std::string& text, size_t width);
/// Columns of the terminal on stderr; 80 where it does not say.
size_t terminal_width();

/// Prints to stdout, through for_terminal().
void print(const std::string& text);
/// The same to stderr, with a newline.
void complain(const std::string& text);

/// Left-aligned first column, the others to the right; columns two spaces apart. Empty columns
/// (nothing but their heading) are left out.
std::string table(const std::vector<std::string>& heading,
                  const std::vector<std::vector<std::string>>& rows);

}  // namespace ridge::app
