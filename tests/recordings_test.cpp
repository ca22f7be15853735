// The recordings that ship with the program: small, whole, and nothing in them without a check.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/record/run.h"
#include "tests/catch.h"

using namespace ridge;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> recordings() {
  const char* source = std::getenv("RIDGE_SOURCE");
  REQUIRE(source != nullptr);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(source) / "assets/recorded"))
    files.push_back(entry.path());
  return files;
}

bool has_series(const Run& run, const std::string& kernel, const Params& params) {
  return std::any_of(run.series().begin(), run.series().end(), [&](const Series& series) {
    return series.kernel == kernel && series.params == params && series.stats &&
           series.quality_passed();
  });
}

}  // namespace

TEST_CASE("the recordings of a lab take 2 MiB at most") {
  std::map<std::string, uintmax_t> bytes;  // by lab: the name up to its first dot
  for (const fs::path& file : recordings()) {
    const std::string name = file.filename().string();
    bytes[name.substr(0, name.find('.'))] += fs::file_size(file);
  }
  CHECK(bytes.count("gemm") == 1);
  for (const auto& [lab, sum] : bytes) {
    INFO(lab);
    CHECK(sum > 0);
    CHECK(sum <= uintmax_t{2} << 20);
  }
}

TEST_CASE("of every rung that was recorded some recording holds the text that ran") {
  std::set<std::string> texts;
  std::vector<Run> runs;
  for (const fs::path& file : recordings()) {
    auto run = Run::load(file.string());
    REQUIRE(run.ok());
    runs.push_back(*std::move(run));
    for (const Series& series : runs.back().series()) {
      if (const SourceText* source = runs.back().source(series.kernel))
        texts.insert(series.kernel + " " + source->hash);
    }
  }
  for (const Run& run : runs) {
    for (const Series& series : run.series()) {
      INFO(series.kernel << " " << series.hash);
      CHECK(texts.count(series.kernel + " " + series.hash) == 1);
    }
  }
}

TEST_CASE("what was recorded was checked, has an interval or says why, and names its machine") {
  for (const fs::path& file : recordings()) {
    INFO(file.filename().string());
    const auto run = Run::load(file.string());
    REQUIRE(run.ok());
    REQUIRE(run->environment());
    CHECK(run->environment()->machine() != "");
    CHECK(std::any_of(run->series().begin(), run->series().end(),
                      [](const Series& series) { return series.status == SeriesStatus::ok; }));
    for (const Series& series : run->series()) {
      INFO(series.kernel << " " << series.reason);
      CHECK_FALSE(series.hash.empty());
      // A library that the gate refused is part of the record, without a speed. Ours may not fail.
      if (series.status == SeriesStatus::failed) {
        REQUIRE(run->kernel(series.kernel));
        CHECK_FALSE(run->kernel(series.kernel)->library.empty());
        CHECK_FALSE(series.reason.empty());
        CHECK_FALSE(series.stats);
        continue;
      }
      // What a rung cannot do at this setting, in a sentence: fp8 where a layer has ten sides.
      if (series.status == SeriesStatus::skipped) {
        CHECK_FALSE(series.reason.empty());
        CHECK_FALSE(series.stats);
        continue;
      }
      CHECK(series.status == SeriesStatus::ok);
      CHECK(series.quality_passed());
      CHECK((series.stats.has_value() || (series.trap && series.trap->ci)));
    }
    for (const Comparison& comparison : run->comparisons()) {
      INFO(comparison.baseline << " and " << comparison.candidate);
      CHECK(comparison.rounds >= 6);
      CHECK(comparison.ci.has_value());
      CHECK(has_series(*run, comparison.baseline, comparison.baseline_params));
      CHECK(has_series(*run, comparison.candidate, comparison.candidate_params));
    }
  }
}
