// A JSON file of the user's that holds one list of entries: budgets, sweeps. What is wrong with it has its place.
#pragma once

#include <string>

#include "common/core/result.h"
#include "common/record/json.h"

namespace ridge::app {

/// How such a file is called in sentences, and what it holds.
struct ListFile {
  const char* name;   ///< "budget"
  const char* list;   ///< "checks", its one field
  const char* entry;  ///< "check"
  const char* shape;  ///< "write {\"checks\": [...]}"
};

/// The list, which has an entry. Errors bad_input, one sentence with the file and the place in it: no JSON, over 1 MiB,
/// another field, a field that stands twice, no entries, over 1000.
Result<Json> read_list_file(const ListFile& kind, const std::string& path);

/// "BUDGET.json: check 2 (loop order)": where an error is. `index` counts from 0.
std::string place_of(const ListFile& kind, const std::string& path, size_t index,
                     const std::string& name);
/// The same error as one of the file: there.
Error at_place(const Error& error, const std::string& place);
Error bad_file(std::string what, std::string where, std::string hint);
/// A value in a sentence, shortened.
std::string shown(const Json& value);

}  // namespace ridge::app
