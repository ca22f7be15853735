// One's own climb as a page that can be passed on: each rung that was measured, what its step brought, what changed in
// the code, its diagram, and what bound it. One file, nothing fetched, no script; of the report's own content.
#pragma once

#include <map>
#include <string>

#include "common/core/result.h"
#include "common/record/types.h"
#include "common/view/report/report.h"
#include "labs/lab.h"

namespace ridge::app {

struct Article {
  const Lab* lab = nullptr;
  const report::Report* report = nullptr;
  std::string learner{};                        ///< who climbed; empty: no name was given
  std::string lesson{};                         ///< Markdown: its diagrams are shown
  std::map<std::string, SourceText> sources{};  ///< by kernel id; what is missing is said
  const Run* run = nullptr;                     ///< the climb's
};

/// An HTML page. bad_input: no rung of its ladder was measured.
Result<std::string> article_html(const Article& article);

}  // namespace ridge::app
