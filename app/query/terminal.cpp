#include "app/query/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/record/door.h"

namespace ridge::app {
namespace {

int output_errno = 0;  ///< of the first write to stdout that failed

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool locale_has_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string text(value);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kAscii = {{
    {"±", "+-"},     {"µ", "u"},      {"μ", "u"},  {"×", "x"},    {"≈", "~"},
    {"·", "|"},      {"…", "..."},    {"≤", "<="}, {"≥", ">="},   {"—", "-"},
    {"–", "-"},      {"→", "->"},     {"✓", "ok"}, {"✗", "FAIL"}, {"\u202f", " "},
    {"\u00a0", " "}, {"\u2009", " "}, {"÷", "/"},  {"∞", "inf"},
}};

}  // namespace

size_t display_width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string to_ascii(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      plain += text[i++];
      continue;
    }
    size_t end = i + 1;
    while (end < text.size() && is_continuation(text[end])) ++end;
    const std::string_view symbol(text.data() + i, end - i);
    const auto found = std::find_if(kAscii.begin(), kAscii.end(),
                                    [&](const auto& pair) { return pair.first == symbol; });
    plain += found == kAscii.end() ? "?" : found->second;
    i = end;
  }
  return plain;
}

std::string for_terminal(const std::string& text) {
  static const bool utf8 = locale_has_utf8();
  std::string shown = utf8 ? text : to_ascii(text);
  make_plain(&shown);  // a file's name may hold what a terminal obeys
  for (char& letter : shown)
    if (letter == '\r' || letter == '\v' || letter == '\f') letter = '?';
  return shown;
}

std::string fit(const std::string& text, size_t width) {
  if (display_width(text) <= width) return text;
  const size_t keep = width > 3 ? width - 3 : 0;
  size_t columns = 0, end = 0;
  while (end < text.size() && (is_continuation(text[end]) || columns < keep)) {
    if (!is_continuation(text[end])) ++columns;
    ++end;
  }
  return text.substr(0, end) + std::string("...").substr(0, std::min<size_t>(3, width));
}

std::string wrapped(const std::string& text, size_t width, size_t indent) {
  std::string all, line;
  size_t at = text.find_first_not_of(' ');  // what the first line is indented by stands
  line = text.substr(0, std::min(at, text.size()));
  bool is_begun = false;  // the line holds a word
  while (at < text.size()) {
    // A word, and those that follow a number in it.
    size_t end = std::min(text.find(' ', at), text.size());
    for (size_t last = at; end < text.size() && is_digit(text[last]);) {
      last = end + 1;
      end = std::min(text.find(' ', last), text.size());
    }
    const std::string word = text.substr(at, end - at);
    at = text.find_first_not_of(' ', end);
    if (is_begun && display_width(line) + 1 + display_width(word) > width) {
      all += line + "\n";
      line = std::string(indent, ' ');
      is_begun = false;
    }
    line += (is_begun ? " " : "") + word;
    is_begun = true;
  }
  return all + line;
}

size_t terminal_width() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void write_out(std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  // In order with stderr, also in a file that holds both.
  const bool flushed = std::fflush(stdout) == 0;
  if (!(written && flushed) && output_errno == 0) output_errno = errno;
}

std::optional<Error> output_error() {
  if (output_errno == 0 || output_errno == EPIPE) return std::nullopt;
  return Error{ErrorCode::cannot_write,
               std::string("it cannot be written: ") + std::strerror(output_errno),
               "standard output", "send it to a file or a terminal that has room"};
}

void guard_standard_streams() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ,
           SIG_IGN);  // a limit of the file's size is an error of the write, with its reason
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is taken: this one. Opened the wrong way round, it refuses its use.
    (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void print(const std::string& text) {
  write_out(for_terminal(text));
}

void complain(const std::string& text) {
  const std::string shown = for_terminal(text) + "\n";
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

bool stdout_is_terminal() {
  return ::isatty(STDOUT_FILENO) == 1;
}

std::string table_line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string text;
  for (size_t c = 0; c < widths.size(); ++c) {
    if (widths[c] == 0) continue;
    const size_t used = display_width(cells.at(c));
    const std::string gap(used < widths[c] ? widths[c] - used : 0, ' ');
    text += (text.empty() ? "" : "  ") + (c == 0 ? cells[c] + gap : gap + cells[c]);
  }
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string table(const std::vector<std::string>& heading,
                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(heading.size(), 0);
  for (size_t c = 0; c < heading.size(); ++c) {
    for (const auto& row : rows) widths[c] = std::max(widths[c], display_width(row.at(c)));
    if (widths[c] > 0) widths[c] = std::max(widths[c], display_width(heading[c]));
  }
  std::string text = table_line(heading, widths);
  for (const auto& row : rows) text += table_line(row, widths);
  return text;
}

}  // namespace ridge::app
