#include "app/query/owner_words.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/record/json.h"

namespace ridge::app {
namespace {

bool is_separator(char c) {
  return c == '/' || c == '\\';
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// Whether a folder's name goes on with this character; a name in quotes may hold more, and is cut there.
bool is_in_name(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code > ' ' && code != 0x7f && !is_separator(c) &&
         std::string_view("\"'`,;:)]>|").find(c) == std::string_view::npos;
}

template <class Is>
size_t skip(std::string_view text, size_t at, const Is& is) {
  while (at < text.size() && is(text[at])) ++at;
  return at;
}

/// A path's drive stands before `at`: "C:".
bool has_drive(std::string_view text, size_t at) {
  return at >= 2 && text[at - 1] == ':' && is_letter(text[at - 2]) &&
         (at == 2 || !is_letter(text[at - 3]));
}

bool is_users(std::string_view name, bool any_case) {
  return any_case ? std::equal(name.begin(), name.end(), "users",
                               [](char a, char b) {
                                 return std::tolower(static_cast<unsigned char>(a)) == b;
                               })
                  : name == "Users";
}

/// A folder of a user that begins with the separators at `at`.
std::optional<OwnerWord> folder_at(std::string_view text, size_t at) {
  const size_t name = skip(text, at, is_separator);
  const bool drive = has_drive(text, at);
  const size_t begin = drive ? at - 2 : at;
  const auto ends_at = [&](size_t end) { return end >= text.size() || !is_in_name(text[end]); };
  if (text.substr(name, 4) == "root" && ends_at(name + 4)) return OwnerWord{begin, name + 4};
  const bool is_windows = drive || text[at] == '\\';
  const bool is_home = text.substr(name, 4) == "home";
  const std::string_view users = text.substr(name, 5);
  if (!is_home && !(users.size() == 5 && is_users(users, is_windows))) return std::nullopt;
  const size_t after = name + (is_home ? 4 : 5);
  const size_t whose = skip(text, after, is_separator);
  const size_t end = skip(text, whose, is_in_name);
  if (whose == after || end == whose) return std::nullopt;
  return OwnerWord{begin, end};
}

/// Reads a line and stops at the first string with a word of its owner.
class StringReader final : public nlohmann::json_sax<Json> {
 public:
  const std::string& found() const { return found_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& text) override { return take(text); }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t& text) override { return take(text); }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool take(const std::string& text) {
    const auto word = find_owner_word(text);
    if (word) found_ = text.substr(word->begin, word->end - word->begin);
    return !word;
  }

  std::string found_;
};

std::string without_owner(const std::string& text) {
  std::string out;
  size_t at = 0;
  while (const auto word = find_owner_word(text, at)) {
    out.append(text, at, word->begin - at).append("~");
    at = word->end;
  }
  return out.append(text, at);
}

/// Changes the names of an object's fields. Of two that become one the first stays.
bool change_keys(Json* object) {
  Json changed = Json::object();
  bool has_changed = false;
  for (auto& [key, value] : object->items()) {
    std::string name = without_owner(key);
    has_changed |= name != key;
    changed.emplace(std::move(name), std::move(value));
  }
  *object = std::move(changed);
  return has_changed;
}

/// Changes every string below `root`, without a call for each level: a line may be nested deeply.
bool change_strings(Json* root) {
  bool has_changed = false;
  for (std::vector<Json*> open = {root}; !open.empty();) {
    Json& json = *open.back();
    open.pop_back();
    if (json.is_string()) {
      std::string text = without_owner(json.get_ref<const std::string&>());
      has_changed |= text != json.get_ref<const std::string&>();
      json = std::move(text);
    }
    if (json.is_object()) has_changed |= change_keys(&json);
    if (json.is_structured()) {
      for (Json& part : json) open.push_back(&part);
    }
  }
  return has_changed;
}

}  // namespace

std::optional<OwnerWord> find_owner_word(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size(); ++at) {
    if (!is_separator(text[at])) continue;
    if (const auto found = folder_at(text, at)) return found;
    at = skip(text, at, is_separator) - 1;
  }
  return std::nullopt;
}

std::string owner_word_in(std::string_view line) {
  StringReader reader;
  Json::sax_parse(line, &reader);
  return reader.found();
}

std::string line_without_owner(const std::string& line) {
  Json json = Json::parse(line, nullptr, false);
  return !json.is_discarded() && change_strings(&json) ? dump_json(json) : line;
}

}  // namespace ridge::app
