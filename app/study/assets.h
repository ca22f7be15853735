// The texts that ship inside the program: lessons, glossary, cards, quizzes, tours, metrics. A file
// under $RIDGEPOINT_ASSETS comes first, so that whoever writes one sees it without a build.
#pragma once

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

}  // namespace ridge::study
