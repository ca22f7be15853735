// The texts that ship inside the program: lessons, glossary, cards, quizzes, tours, metrics. A file
// under $RIDGEPOINT_ASSETS comes first, so that whoever writes one sees it without a build.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "common/core/embedded.h"
#include "common/core/result.h"
#include "common/record/json.h"

namespace ridge {
std::span<const EmbeddedFile> embedded_assets();  // defined by the generated file
}

namespace ridge::study {

/// `name` is the path from the source tree's root: "assets/glossary.md". bad_input if there is none.
Result<std::string> read_asset(const std::string& name);
/// The names of all embedded files of a folder, sorted: asset_names("assets/cards/").
std::vector<std::string> asset_names(const std::string& folder);

/// A JSON asset that is an object; the error names the file.
Result<Json> read_json_asset(const std::string& name);

/// What a loader says about a bad file: "assets/tours/class.json, step 3: 'minutes' is missing; ...".
Error bad_asset(const std::string& where, const std::string& what, const std::string& hint = "");

// ---- objects of JSON assets --------------------------------------------------------------------
// Reading one object of a JSON asset: each error names the file, the place and the field.

class Fields {
 public:
  /// `object` must outlive this; `where` is "assets/tours/class.json, step 3".
  Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  /// An object with no other fields than these: a misspelt one is not ignored.
  Result<void> only(std::initializer_list<const char*> names) const;
  Result<std::string> text(const char* name) const;  ///< must be there, not empty
  Result<std::string> text_or(const char* name, const std::string& fallback) const;
  Result<double> number(const char* name) const;  ///< must be there, above zero
  Result<int> count(const char* name) const;      ///< must be there, a whole number from 1 to 10^9
  /// Texts, none of them empty; an absent list is empty.
  Result<std::vector<std::string>> texts(const char* name) const;
  Result<std::vector<int64_t>> whole_numbers(const char* name) const;
  /// One object per element; must be there, not empty.
  Result<std::vector<Json>> objects(const char* name) const;
  Result<Params> params(const char* name) const;  ///< an absent one is empty

  Error bad(const char* name, const std::string& what, const std::string& hint = "") const {
    return bad_asset(where_, "'" + std::string(name) + "' " + what, hint);
  }
  const std::string& where() const { return where_; }

 private:
  const Json& object_;
  std::string where_;
};

}  // namespace ridge::study
