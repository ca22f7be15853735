#include "app/study/glossary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/study/assets.h"

namespace ridge::study {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/// Letters and digits, and every byte of a character beyond ASCII: an umlaut does not end a word.
bool in_word(char c) {
  return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) {
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return made;
}

std::string_view first_word(std::string_view text) {
  return text.substr(
      0, static_cast<size_t>(std::find_if_not(text.begin(), text.end(), in_word) - text.begin()));
}

std::string trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");
  return from == std::string_view::npos ? "" : std::string(text.substr(from, to - from + 1));
}

/// `form` at the start of `text`, a line break standing for a space; the bytes it takes, a plural s
/// included, or 0.
size_t match(std::string_view text, std::string_view form, bool exact) {
  if (text.size() < form.size()) return 0;
  for (size_t i = 0; i < form.size(); ++i) {
    const char have = text[i] == '\n' ? ' ' : text[i];
    if (have == form[i]) continue;
    if (exact || lower({&have, 1}) != lower({&form[i], 1})) return 0;
  }
  size_t size = form.size();
  if (size < text.size() && text[size] == 's') ++size;
  if (size < text.size() && in_word(text[size])) return 0;
  return size;
}

}  // namespace

Result<void> Glossary::add_form(const std::string& form, int term, const std::string& where) {
  if (form.empty() || !in_word(form[0]))
    return bad_asset(where, "'" + form + "' is not a name", "begin it with a letter or digit");
  if (!names_.emplace(lower(form), term).second)
    return bad_asset(where, "'" + form + "' is the name of another term already");
  const bool exact = std::any_of(form.begin() + 1, form.end(), is_upper);
  std::vector<Form>& forms = forms_[lower(first_word(form))];
  forms.push_back({form, exact, term});
  std::stable_sort(forms.begin(), forms.end(),
                   [](const Form& a, const Form& b) { return a.text.size() > b.text.size(); });
  return {};
}

Result<Glossary> Glossary::parse(const std::string& text, const std::string& where) {
  Glossary made;
  std::istringstream lines(text);
  std::string line;
  const auto current = [&] { return static_cast<int>(made.terms_.size()) - 1; };
  const auto no_text = [&](const std::string& here) {
    return bad_asset(here, "the term '" + made.terms_.back().name + "' has no text");
  };
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string here = where + ":" + std::to_string(number);
    line = trimmed(line);
    if (line.starts_with("## ")) {
      if (!made.terms_.empty() && made.terms_.back().text.empty()) return no_text(here);
      made.terms_.push_back({trimmed(line.substr(3)), {}, {}});
      RIDGE_TRY_VOID(made.add_form(made.terms_.back().name, current(), here));
    } else if (made.terms_.empty() || line.empty()) {
      continue;  // the file's own heading and introduction
    } else if (line.starts_with("Also:") && made.terms_.back().text.empty()) {
      std::istringstream aliases(line.substr(5));
      for (std::string alias; std::getline(aliases, alias, ',');) {
        made.terms_.back().aliases.push_back(trimmed(alias));
        RIDGE_TRY_VOID(made.add_form(trimmed(alias), current(), here));
      }
    } else {
      std::string& to = made.terms_.back().text;
      to += (to.empty() ? "" : " ") + line;
    }
  }
  if (made.terms_.empty()) return bad_asset(where, "it has no terms", "a term begins with '## '");
  if (made.terms_.back().text.empty()) return no_text(where);
  return made;
}

const Term* Glossary::find(std::string_view name) const {
  const auto found = names_.find(lower(name));
  return found == names_.end() ? nullptr : &terms_[static_cast<size_t>(found->second)];
}

std::vector<Mention> Glossary::mentions(std::string_view text) const {
  std::vector<Mention> found;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at), word = first_word(rest);
    if (word.empty()) {
      ++at;
      continue;
    }
    size_t size = 0;
    // "GEMMs" is looked up as "gemm" too: the plural of a one-word term.
    for (std::string key :
         {lower(word), lower(word.substr(0, word.size() - (word.back() == 's')))}) {
      const auto forms = forms_.find(key);
      if (forms == forms_.end() || size > 0) continue;
      for (const Form& form : forms->second) {
        if ((size = match(rest, form.text, form.exact)) > 0) {
          found.push_back({at, size, form.term});
          break;
        }
      }
    }
    at += size > 0 ? size : word.size();
  }
  return found;
}

Result<Glossary> load_glossary() {
  RIDGE_TRY(const std::string text, read_asset("assets/glossary.md"));
  return Glossary::parse(text, "assets/glossary.md");
}

// ---- metrics -----------------------------------------------------------------------------------

Result<Metrics> parse_metrics(const std::string& text, const std::string& where) {
  RIDGE_TRY(const Json json, parse_json(text, where));
  if (!json.is_object()) return bad_asset(where, "it is not a JSON object");
  Metrics metrics;
  for (const auto& [key, value] : json.items()) {
    const Fields fields(value, where + ", metric " + key);
    RIDGE_TRY_VOID(fields.only({"name", "formula", "unit", "better", "why", "json", "columns"}));
    Metric metric;
    RIDGE_TRY(metric.name, fields.text("name"));
    RIDGE_TRY(metric.formula, fields.text("formula"));
    RIDGE_TRY(metric.unit, fields.text_or("unit", ""));
    RIDGE_TRY(metric.better, fields.text_or("better", ""));
    RIDGE_TRY(metric.why, fields.text("why"));
    RIDGE_TRY(metric.json, fields.texts("json"));
    RIDGE_TRY(metric.columns, fields.texts("columns"));
    if (!metric.better.empty() && metric.better != "higher" && metric.better != "lower")
      return fields.bad("better", "is '" + metric.better + "'", "say higher, lower or nothing");
    metrics.emplace(key, std::move(metric));
  }
  return metrics;
}

Result<Metrics> load_metrics() {
  RIDGE_TRY(const std::string text, read_asset("assets/metrics.json"));
  return parse_metrics(text, "assets/metrics.json");
}

}  // namespace ridge::study
