#include "common/record/command.h"

#include "common/record/import.h"
#include "common/record/types.h"

#include <algorithm>
#include <cctype>

namespace ridge {
namespace {

constexpr std::string_view kIdStart = "command.";

/// Bytes of the code point that `text` begins with; 0 where it begins with none.
size_t code_point_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = lead < 0x80                   ? 1
                       : lead >= 0xc2 && lead < 0xe0 ? 2
                       : lead >= 0xe0 && lead < 0xf0 ? 3
                       : lead >= 0xf0 && lead < 0xf5 ? 4
                                                     : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  const bool follows =
      std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(bytes),
                  [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
  if (!follows) return 0;
  const auto second = bytes > 1 ? static_cast<unsigned char>(text[1]) : 0u;
  // Overlong forms, halves of a surrogate pair, and what lies past U+10FFFF.
  const bool is_wrong = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return is_wrong ? 0 : bytes;
}

/// C0, DEL and C1; and the marks that turn the direction of a line round.
bool is_control(std::string_view sign) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(sign[i]); };
  if (sign.size() == 1) return at(0) < 0x20 || at(0) == 0x7f;
  if (sign.size() == 2) return at(0) == 0xc2 && at(1) < 0xa0;
  if (sign.size() != 3 || at(0) != 0xe2) return false;
  return (at(1) == 0x80 && (at(2) >= 0xa8 && at(2) <= 0xae)) ||
         (at(1) == 0x81 && at(2) >= 0xa6 && at(2) <= 0xa9);
}

}  // namespace

std::string command_id(const std::string& name, Backend backend) {
  return std::string(kIdStart) + std::string(name_of(backend)) + "." + name;
}

std::string_view command_name(std::string_view id) {
  for (const Backend backend : {Backend::cpu, Backend::cuda}) {
    const std::string start = command_id("", backend);
    if (id.starts_with(start)) return id.substr(start.size());
  }
  return {};
}

std::string command_title(std::string_view id) {
  return one_line(command_name(id), kLongestGivenName + 10);  // "NAME (2)"
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char sign) {
    return std::isalnum(sign) ||
           std::string("._-=:,/+@%").find(static_cast<char>(sign)) != std::string::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char sign : word) quoted += sign == '\'' ? std::string("'\\''") : std::string(1, sign);
  return quoted + "'";
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

std::optional<LibraryWord> library_word(const std::vector<std::string>& words) {
  if (words.size() != 1) return {};
  LibraryWord word{.file = words.front(), .side = "ridgepoint_side"};
  const size_t colon = word.file.rfind(':');
  if (colon != std::string::npos) {
    word.side = word.file.substr(colon + 1);
    word.file.resize(colon);
    const bool is_name =
        !word.side.empty() && std::all_of(word.side.begin(), word.side.end(), [](unsigned char c) {
          return std::isalnum(c) != 0 || c == '_';
        });
    if (!is_name) return {};
  }
  word.is_cuda = word.file.ends_with(".cu");
  word.is_source = word.is_cuda || word.file.ends_with(".cpp");
  if (!word.is_source && !word.file.ends_with(".so")) return {};
  return word;
}

bool is_library_text(const std::string& text) {
  const bool is_quoted = text.size() > 1 && text.front() == '\'' && text.back() == '\'';
  if (!is_quoted && text.find(' ') != std::string::npos) return false;
  return library_word({is_quoted ? text.substr(1, text.size() - 2) : text}).has_value();
}

OwnSides own_sides(const SeriesFacts& series) {
  if (series.kind != RungKind::command) return {};
  if (series.lab == kImportedLab) return {"benchmark", "benchmarks"};
  const bool is_library = series.command && is_library_text(series.command->text);
  return is_library ? OwnSides{"library", "libraries"} : OwnSides{"command", "commands"};
}

namespace {

constexpr std::string_view kOutput = "output, ", kBefore = ", before timing",
                           kAfter = ", after timing";

}  // namespace

std::string output_check_name(const std::string& judge, bool before) {
  return std::string(kOutput) + judge + std::string(before ? kBefore : kAfter);
}

std::string judge_of(const QualityCheck& check) {
  std::string_view text = check.what;
  if (text.starts_with(kOutput)) text.remove_prefix(kOutput.size());
  for (const std::string_view end : {kBefore, kAfter}) {
    if (text.ends_with(end)) text.remove_suffix(end.size());
  }
  return one_line(text, 200);
}

std::string one_line(std::string_view text, size_t most) {
  std::string line;
  size_t count = 0;
  while (!text.empty()) {
    const size_t bytes = code_point_bytes(text);
    const std::string_view sign = text.substr(0, std::max<size_t>(bytes, 1));
    text.remove_prefix(sign.size());
    if (++count == most && !text.empty()) return line + "…";
    line += bytes == 0 ? "\xef\xbf\xbd" : is_control(sign) ? " " : std::string(sign);
  }
  return line;
}

}  // namespace ridge
