#include "app/query/owner_words.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
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

/// A path's drive stands before `at`: "C:", which is not the end of another path.
bool has_drive(std::string_view text, size_t at) {
  return at >= 2 && text[at - 1] == ':' && is_letter(text[at - 2]) &&
         (at == 2 || !(is_letter(text[at - 3]) || is_separator(text[at - 3])));
}

bool is_users(std::string_view name, bool any_case) {
  return any_case ? std::equal(name.begin(), name.end(), "users",
                               [](char a, char b) {
                                 return std::tolower(static_cast<unsigned char>(a)) == b;
                               })
                  : name == "Users";
}

/// What follows the separators behind a folder: the name of a folder in it.
struct Inside {
  size_t begin = 0, end = 0;
};
std::optional<Inside> inside(std::string_view text, size_t after) {
  const size_t begin = skip(text, after, is_separator);
  const size_t end = skip(text, begin, is_in_name);
  if (begin == after || begin == end || text[begin] == '~') return std::nullopt;
  return Inside{begin, end};
}

/// A folder of a user that begins with the separators at `at`.
std::optional<OwnerWord> folder_at(std::string_view text, size_t at) {
  const size_t name = skip(text, at, is_separator);
  const bool drive = has_drive(text, at);
  const size_t begin = drive ? at - 2 : at;
  const auto ends_at = [&](size_t end) { return end >= text.size() || !is_in_name(text[end]); };
  if (text.substr(name, 4) == "root" && ends_at(name + 4)) return OwnerWord{begin, name + 4};
  if (text.substr(name, 3) == "tmp") {
    const auto whose = inside(text, name + 3);
    return whose ? std::optional(OwnerWord{begin, whose->end, "/tmp/~"}) : std::nullopt;
  }
  const bool is_home = text.substr(name, 4) == "home";
  const std::string_view users = text.substr(name, 5);
  if (!is_home && !(users.size() == 5 && is_users(users, drive || text[at] == '\\')))
    return std::nullopt;
  const auto whose = inside(text, name + (is_home ? 4 : 5));
  return whose ? std::optional(OwnerWord{begin, whose->end}) : std::nullopt;
}

bool is_alphanumeric(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// The address round the @ at `at`: a name before it, behind it labels of which the last is of letters. @triton.jit has
/// no name, gcc@12.2 no such label.
std::optional<OwnerWord> address_at(std::string_view text, size_t at, size_t from) {
  size_t begin = at;
  while (begin > from &&
         (is_alphanumeric(text[begin - 1]) ||
          std::string_view("._%+-").find(text[begin - 1]) != std::string_view::npos))
    --begin;
  size_t end =
      skip(text, at + 1, [](char c) { return is_alphanumeric(c) || c == '.' || c == '-'; });
  while (end > at + 1 && !is_alphanumeric(text[end - 1])) --end;
  size_t label = end;
  while (label > at + 1 && is_letter(text[label - 1])) --label;
  const bool has_domain = end - label >= 2 && label > at + 2 && text[label - 1] == '.';
  return begin < at && has_domain ? std::optional(OwnerWord{begin, end}) : std::nullopt;
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

/// Puts `instead` where `name` stands and `fits(begin, end)` holds.
template <class Fits>
void replace_names(const std::string& name, const char* instead, const Fits& fits,
                   std::string* text) {
  std::string out;
  size_t done = 0;
  for (size_t at = 0; !name.empty() && (at = text->find(name, at)) != text->npos;) {
    const size_t end = at + name.size();
    if (fits(at, end)) {
      out.append(*text, done, at - done).append(instead);
      done = end;
    }
    at = end;
  }
  *text = out.append(*text, done);
}

std::string without_owner(std::string text, const Owner& owner) {
  const auto ends_word = [&](size_t end) {
    return end == text.size() || !is_alphanumeric(text[end]);
  };
  for (const std::string& home : owner.homes)
    replace_names(
        home, "~", [&](size_t, size_t end) { return ends_word(end); }, &text);
  std::string out;
  size_t at = 0;
  while (const auto word = find_owner_word(text, at)) {
    out.append(text, at, word->begin - at).append(word->instead);
    at = word->end;
  }
  text = out.append(text, at);
  for (const std::string& user : owner.users) {
    const auto is_user = [&](size_t begin, size_t end) {
      const bool begins_word = begin == 0 || !is_alphanumeric(text[begin - 1]);
      const bool is_folder = begin > 0 && is_separator(text[begin - 1]) && ends_word(end);
      return is_folder || (begins_word && end < text.size() && text[end] == '@');
    };
    replace_names(user, "~", is_user, &text);
  }
  for (const std::string& host : owner.hosts)
    replace_names(
        host, "host", [](size_t, size_t) { return true; }, &text);
  return text;
}

/// Changes the names of an object's fields. Of two that become one the first stays.
bool change_keys(Json* object, const Owner& owner) {
  Json changed = Json::object();
  bool has_changed = false;
  for (auto& [key, value] : object->items()) {
    std::string name = without_owner(key, owner);
    has_changed |= name != key;
    changed.emplace(std::move(name), std::move(value));
  }
  *object = std::move(changed);
  return has_changed;
}

/// Changes every string below `root`, without a call for each level: a line may be nested deeply.
bool change_strings(Json* root, const Owner& owner) {
  bool has_changed = false;
  for (std::vector<Json*> open = {root}; !open.empty();) {
    Json& json = *open.back();
    open.pop_back();
    if (json.is_string()) {
      std::string text = without_owner(json.get_ref<const std::string&>(), owner);
      has_changed |= text != json.get_ref<const std::string&>();
      json = std::move(text);
    }
    if (json.is_object()) has_changed |= change_keys(&json, owner);
    if (json.is_structured()) {
      for (Json& part : json) open.push_back(&part);
    }
  }
  return has_changed;
}

}  // namespace

std::optional<OwnerWord> find_owner_word(std::string_view text, size_t from) {
  for (size_t at = from; at < text.size(); ++at) {
    if (text[at] == '@') {
      if (const auto found = address_at(text, at, from)) return found;
    }
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

Owner this_owner() {
  Owner owner;
  const auto add = [](const char* name, size_t shortest, std::vector<std::string>* names) {
    std::string text = name ? name : "";
    while (text.size() > 1 && text.back() == '/') text.pop_back();
    if (text.size() >= shortest && std::find(names->begin(), names->end(), text) == names->end())
      names->push_back(std::move(text));
  };
  const passwd* entry = getpwuid(geteuid());
  for (const char* user : {std::getenv("USER"), std::getenv("LOGNAME"), std::getenv("SUDO_USER"),
                           entry ? entry->pw_name : nullptr})
    add(user, 3, &owner.users);
  for (const char* home : {std::getenv("HOME"), entry ? entry->pw_dir : nullptr})
    add(home, 3, &owner.homes);
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0) {
    add(host, 5, &owner.hosts);
    add(std::string(host).substr(0, std::string_view(host).find('.')).c_str(), 5, &owner.hosts);
  }
  return owner;
}

std::string line_without_owner(const std::string& line, const Owner& owner) {
  Json json = Json::parse(line, nullptr, false);
  return !json.is_discarded() && change_strings(&json, owner) ? dump_json(json) : line;
}

}  // namespace ridge::app
