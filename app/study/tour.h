// A tour: ordered steps through the labs for a room and a clock. assets/tours/<id>.json holds one;
// docs/study.md describes the file, docs/teaching.md is the lecturer's script.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge::study {

struct TourStep {
  std::string lab;                 ///< "gemm"
  std::vector<std::string> rungs;  ///< full kernel ids; the last is the one selected
  std::string baseline;            ///< kernel id: compare the last rung with it; empty: only run
  Params set;                      ///< of the lab's parameters: {"n", 1024}
  RunMode mode = RunMode::live;    ///< live or measure
  CacheMode cache = CacheMode::hot;
  std::string chart;     ///< the view, one of chart::figure_names()
  std::string question;  ///< what the room is asked before it runs; may be empty
  std::string words;     ///< what to say once the result is there
  double minutes = 0;
};

struct Tour {
  std::string id, title;
  std::string audience;  ///< for whom, one sentence
  double minutes = 0;    ///< the sum of its steps
  std::vector<TourStep> steps;
};

/// Checks the file by itself and against the labs of this build: unknown lab, rung, parameter, stop or
/// view, steps that do not add up. The error names file, step and field.
Result<Tour> parse_tour(const std::string& text, const std::string& where);
Result<Tour> load_tour(const std::string& id);
/// Ids of the tours of this build: "class", "first_hour", "meetup".
std::vector<std::string> tour_ids();

}  // namespace ridge::study
