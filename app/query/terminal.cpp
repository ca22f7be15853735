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
#include "common/record/stale_words.h"

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

constexpr std::array<std::pair<std::string_view, std::string_view>, 45> kAscii = {{
    {"±", "+-"},     {"µ", "u"},         {"μ", "u"},    {"×", "x"},    {"≈", "~"},
    {"·", "|"},      {"…", "..."},       {"≤", "<="},   {"≥", ">="},   {"—", "-"},
    {"–", "-"},      {"→", "->"},        {"✓", "ok"},   {"✗", "FAIL"}, {"\u202f", " "},
    {"\u00a0", " "}, {"\u2009", " "},    {"÷", "/"},    {"∞", "inf"},  {"“", "\""},
    {"”", "\""},     {"‘", "'"},         {"’", "'"},    {"−", "-"},    {"≠", "!="},
    {"▲", "^"},      {"▼", "v"},         {"✕", "x"},    {"•", "*"},    {"⋯", "..."},
    {"†", "+"},      {kStaleMark, "++"}, {"°", " deg"}, {"⁰", "^0"},   {"¹", "^1"},
    {"²", "^2"},     {"³", "^3"},        {"⁴", "^4"},   {"⁵", "^5"},   {"⁶", "^6"},
    {"⁷", "^7"},     {"⁸", "^8"},        {"⁹", "^9"},   {"§", "+2"},   {"¶", "+3"},
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

namespace {

/// "2.7", "±0.4" and "<3" do.
bool begins_number(const std::string& text, size_t at) {
  const auto is_sign = [](char letter) {
    return static_cast<unsigned char>(letter) >= 0x80 ||
           std::string_view("+-<>~").find(letter) != std::string_view::npos;
  };
  while (at < text.size() && is_sign(text[at])) ++at;
  return at < text.size() && is_digit(text[at]);
}

/// Of a number that ends so, no unit follows.
bool ends_phrase(char letter) {
  return std::string_view(",;:)]").find(letter) != std::string_view::npos;
}

}  // namespace

std::string wrapped(const std::string& text, size_t width, size_t indent) {
  std::string all, line, gap;
  size_t at = text.find_first_not_of(' ');  // what the first line is indented by stands
  line = text.substr(0, std::min(at, text.size()));
  bool is_begun = false;  // the line holds a word
  while (at < text.size()) {
    // A word, and those that follow a number in it.
    size_t end = std::min(text.find(' ', at), text.size());
    for (size_t last = at; end < text.size() && begins_number(text, last);) {
      if (ends_phrase(text[end - 1])) break;
      last = end + 1;
      end = std::min(text.find(' ', last), text.size());
    }
    const std::string word = text.substr(at, end - at);
    if (is_begun && display_width(line) + gap.size() + display_width(word) > width) {
      all += line + "\n";
      line = std::string(indent, ' ');
      is_begun = false;
    }
    line += (is_begun ? gap : "") + word;
    is_begun = true;
    at = text.find_first_not_of(' ', end);
    gap = text.substr(end, std::min(at, text.size()) - end);  // a row's columns keep their places
  }
  return all + line;
}

std::string hanging(const std::string& head, const std::string& text, size_t width) {
  const size_t line = head.rfind('\n');
  const size_t column = display_width(line == head.npos ? head : head.substr(line + 1));
  // wrapped() counts from the line's start. The head's place is no space, so that no line breaks there.
  return head + wrapped(std::string(column, '_') + text, width, column).substr(column);
}

std::string folded(const std::string& text, size_t width) {
  std::string all;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const bool is_to_copy = line.compare(begin, 11, "ridgepoint ") == 0;
    const bool is_whole = is_to_copy || display_width(line) <= width;
    all += is_whole ? line : wrapped(line, width, begin + 2);
    if (end < text.size()) all += '\n';
    at = end + 1;
  }
  return all;
}

size_t terminal_width() {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    winsize size = {};
    if (::ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  const char* columns = std::getenv("COLUMNS");
  const long said = columns ? std::strtol(columns, nullptr, 10) : 0;
  return said > 0 ? static_cast<size_t>(said) : 80;
}

size_t text_width() {
  constexpr size_t kNarrowest = 40;
  // COLUMNS says that a person reads it, though no terminal shows it.
  const bool is_read = stdout_is_terminal() || std::getenv("COLUMNS") != nullptr;
  return is_read ? std::clamp(terminal_width(), kNarrowest, kTextWidth) : std::string::npos;
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
  write_out(folded(for_terminal(text)));
}

void print_as_is(const std::string& text) {
  write_out(for_terminal(text));
}

void complain(const std::string& text) {
  const std::string line = for_terminal(text) + "\n";
  const bool is_read = ::isatty(STDERR_FILENO) == 1;
  const std::string shown = is_read ? folded(line, std::min(terminal_width(), kTextWidth)) : line;
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

bool stdout_is_terminal() {
  return ::isatty(STDOUT_FILENO) == 1;
}

std::string table_line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  constexpr size_t kGap = 2;
  std::string text;
  size_t end = 0, written = 0;  // where the column ends, and where the text does
  for (size_t c = 0; c < widths.size(); ++c) {
    if (widths[c] == 0) continue;
    const size_t least = written == 0 ? 0 : kGap;
    end += widths[c] + (end == 0 ? 0 : kGap);
    const size_t used = display_width(cells.at(c));
    // What a wider cell took of its neighbours' room, their blanks give back.
    const size_t blanks = c == 0 ? least : std::max(least, end - std::min(end, written + used));
    text += std::string(blanks, ' ') + cells[c];
    written += blanks + used;
    if (c == 0 && written < end) text.append(end - written, ' '), written = end;
  }
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char letter : text) {
    if (letter == '\n')
      lines.emplace_back();
    else
      lines.back() += letter;
  }
  return lines;
}

/// The widest line of a cell that is broken wherever it can be.
size_t narrowest(const std::string& cell) {
  size_t widest = 0;
  for (const std::string& line : lines_of(wrapped(cell, 1, 0)))
    widest = std::max(widest, display_width(line));
  return widest;
}

using Rows = std::vector<std::vector<std::string>>;

/// `widths` with the widest columns narrowed until all fit, as far as words allow.
std::vector<size_t> narrowed(std::vector<size_t> widths, const Rows& rows, size_t width) {
  constexpr size_t kGap = 2;
  size_t total = 0;
  std::vector<size_t> least(widths.size(), 0);
  for (size_t c = 0; c < widths.size(); ++c) {
    if (widths[c] > 0) total += widths[c] + (total > 0 ? kGap : 0);
    for (const auto& row : rows) least[c] = std::max(least[c], narrowest(row[c]));
  }
  while (total > width) {
    size_t widest = widths.size();
    for (size_t c = 0; c < widths.size(); ++c) {
      const bool can_shrink = widths[c] > least[c];
      if (can_shrink && (widest == widths.size() || widths[c] > widths[widest])) widest = c;
    }
    if (widest == widths.size()) break;
    --widths[widest], --total;
  }
  return widths;
}

/// One row; a cell of a narrowed column has as many lines as it takes, on the left of its column.
std::string row_lines(const std::vector<std::string>& row, const std::vector<size_t>& full,
                      const std::vector<size_t>& widths) {
  Rows cells;  // of each line
  for (size_t c = 0; c < row.size(); ++c) {
    const bool is_narrowed = widths[c] < full[c];
    const auto lines =
        is_narrowed ? lines_of(wrapped(row[c], widths[c], 0)) : std::vector<std::string>{row[c]};
    while (cells.size() < lines.size()) cells.emplace_back(row.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      cells[i][c] = lines[i];
      const size_t used = display_width(lines[i]);
      if (is_narrowed && used < widths[c]) cells[i][c].append(widths[c] - used, ' ');
    }
  }
  std::string text;
  for (const auto& line : cells) text += table_line(line, widths);
  return text;
}

}  // namespace

std::string table(const std::vector<std::string>& heading,
                  const std::vector<std::vector<std::string>>& rows, size_t width) {
  Rows all = {heading};
  all.insert(all.end(), rows.begin(), rows.end());
  std::vector<size_t> widths(heading.size(), 0);
  for (size_t c = 0; c < heading.size(); ++c) {
    for (const auto& row : rows) widths[c] = std::max(widths[c], display_width(row.at(c)));
    if (widths[c] > 0) widths[c] = std::max(widths[c], display_width(heading[c]));
  }
  const std::vector<size_t> fitting = narrowed(widths, all, width);
  std::string text;
  for (const auto& row : all) text += row_lines(row, widths, fitting);
  return text;
}

}  // namespace ridge::app
