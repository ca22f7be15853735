// The figures that the shipped texts name: every reference is one of this build's rungs and found in a recording where
// it asks for one; what README and docs show behind their comments is what the recordings say.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/query/figures.h"
#include "common/core/files.h"
#include "common/record/json.h"
#include "common/view/figure/markers.h"
#include "labs/lab.h"
#include "tests/catch.h"

using namespace ridge;
namespace fs = std::filesystem;

namespace {

fs::path root() {
  const char* source = std::getenv("RIDGE_SOURCE");
  REQUIRE(source != nullptr);
  return source;
}

std::vector<fs::path> files_of(const char* folder, const char* ending) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(root() / folder)) {
    if (entry.path().extension() == ending) files.push_back(entry.path());
  }
  return files;
}

std::string text_of(const fs::path& file) {
  const auto text = read_whole(file.string());
  REQUIRE(text.ok());
  return *text;
}

struct Recorded {
  std::vector<app::Recording> recordings =
      app::load_recordings((root() / "assets/recorded").string(), nullptr);
  figure::Sources sources = app::figure_sources(nullptr, false, recordings);
};

/// What is wrong with a reference; empty: nothing.
std::string problem(const figure::Reference& reference, const figure::Sources& sources) {
  if (!rung_of(reference.kernel)) return "no lab has the rung " + reference.kernel;
  std::vector<std::string> sides = reference.or_versus;
  if (!reference.versus.empty()) sides.push_back(reference.versus);
  for (const std::string& side : sides) {
    if (!rung_of(side)) return "no lab has the rung " + side;
  }
  const auto made = figure::resolve(reference, sources);
  if (!made) return made.error().sentence();
  // A part of a metric is spelled right where a recording has it.
  const bool has_part = reference.metric.find('.') != std::string::npos;
  return reference.machine.empty() && !has_part ? "" : made->gap;
}

}  // namespace

TEST_CASE("every figure that a lesson, a card or a tour names is there") {
  const Recorded recorded;
  REQUIRE_FALSE(recorded.recordings.empty());
  size_t seen = 0;
  for (const auto& [folder, ending] :
       {std::pair{"assets/lessons", ".md"}, {"assets/cards", ".json"}, {"assets/tours", ".json"}}) {
    for (const fs::path& file : files_of(folder, ending)) {
      const std::string name = fs::relative(file, root()).string();
      const auto named = figure::references_of(text_of(file), name);
      INFO((named ? name : named.error().sentence()));
      REQUIRE(named.ok());
      for (const figure::Named& one : *named) {
        INFO(name << ":" << one.line << ": {{" << one.reference.text << "}}");
        CHECK(problem(one.reference, recorded.sources) == "");
        ++seen;
      }
    }
  }
  CHECK(seen > 40);
}

TEST_CASE("README and docs show what the recordings say") {
  const Recorded recorded;
  std::vector<fs::path> pages = files_of("docs", ".md");
  pages.push_back(root() / "README.md");
  int markers = 0;
  for (const fs::path& page : pages) {
    const std::string text = text_of(page);
    const auto filled = figure::fill_markers(text, recorded.sources, page.filename().string());
    INFO((filled ? "run: ridgepoint figures " + page.string() + " --write"
                 : filled.error().sentence()));
    REQUIRE(filled.ok());
    CHECK(*filled == text);
    const int here = figure::count_markers(text);
    if (here > 0) CHECK(filled->find("not recorded") == std::string::npos);
    markers += here;
  }
  CHECK(markers > 0);
}

TEST_CASE("what a text may ask of a result is a metric of assets/metrics.json") {
  const auto json = parse_json(text_of(root() / "assets/metrics.json"), "metrics.json");
  REQUIRE(json.ok());
  for (const std::string& name : figure::metric_names()) {
    INFO(name);
    CHECK(json->contains(name.substr(0, name.find('.'))));
  }
}
