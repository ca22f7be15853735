#include "common/harness/kernel/build_line.h"

namespace ridge {
namespace {

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    if (end != 0) parts.emplace_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

void append_word(std::string* words, const std::string& word) {
  *words += (words->empty() ? "" : " ") + word;
}

}  // namespace

std::string BuildLine::flags(const Variant& variant) const {
  std::string text;
  for (const std::string& word : words) append_word(&text, word);
  if (!variant.flag.empty()) append_word(&text, variant.flag);
  return text;
}

BuildLine build_line_of(std::string_view text) {
  constexpr std::string_view kBegin = "// ridge:";
  BuildLine line;
  std::string_view rest;
  if (text.starts_with(kBegin)) rest = text.substr(kBegin.size(), text.find('\n') - kBegin.size());
  for (const std::string& item : parts_of(rest, ' ')) {
    const size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const std::string value = equals == item.npos ? "" : item.substr(equals + 1);
    if (key == "variants") {
      for (const std::string& variant : parts_of(value, ',')) {
        const size_t colon = variant.find(':');
        line.variants.push_back(
            {variant.substr(0, colon), colon == variant.npos ? "" : variant.substr(colon + 1)});
      }
      continue;
    }
    if (key == "needs") {
      line.needs = value;
      continue;
    }
    if (key == "stamped") {  // of its copy: the rung itself is compiled as without
      line.stamped = value == "yes";
      continue;
    }
    const bool is_list = key == "flags";
    if (key == "isa") line.isa = value;
    if (key == "arch") line.arch = value;
    for (const std::string& word : is_list ? parts_of(value, ',') : std::vector{item}) {
      line.words.push_back(word);
      if (key != "isa" && key != "arch") line.options.push_back(word);
    }
  }
  if (line.variants.empty()) line.variants.emplace_back();
  return line;
}

}  // namespace ridge
