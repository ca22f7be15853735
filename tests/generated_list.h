// A list in a page of docs/ that the program knows better: it stands between `<!-- list: NAME -->` and
// `<!-- end -->`. RIDGE_UPDATE_GOLDEN=1 writes it instead of comparing.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/golden.h"

namespace ridge::test {

/// `page`: its path in the repository. `lines`: what is to stand there, each line with its end.
inline void check_list(const std::string& page, const std::string& name, const std::string& lines) {
  const std::string path = source_folder() + "/" + page;
  std::string text = text_of_file(path);
  const std::string begin = "<!-- list: " + name + " -->\n", end = "<!-- end -->";
  INFO(page << " has no list '" << name << "'");
  const size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const size_t first = from + begin.size(), last = text.find(end, first);
  REQUIRE(last != std::string::npos);
  if (std::getenv("RIDGE_UPDATE_GOLDEN")) {
    text.replace(first, last - first, lines);
    std::ofstream(path) << text;
    return;
  }
  INFO("the list '" << name << "' of " << page << "; RIDGE_UPDATE_GOLDEN=1 writes it");
  CHECK(text.substr(first, last - first) == lines);
}

}  // namespace ridge::test
