// A tour: ordered steps through the labs for a learner or a room, and a clock. assets/tours/<id>.json holds one;
// docs/study.md describes the file, docs/teaching.md is the lecturer's script.
#pragma once

#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/types.h"

namespace ridge::study {

/// What a step does. A tour's file names it; StepKind's names are in tour.cpp.
enum class StepKind {
  run,           ///< one or more rungs at one problem
  compare,       ///< two rungs, measured apart and then in a paired comparison
  sweep,         ///< its rungs at several sizes
  side_by_side,  ///< two bars that differ in a size, the cache's state, or the processor
  question       ///< nothing runs; the answer is one of its choices
};

/// What a step asks for before it runs. Each is answered by what its bars show afterwards.
enum class Ask {
  time,          ///< of one call of the last bar's rung
  share,         ///< of the measured ceiling, of the last bar
  ratio,         ///< the last bar over the first
  factor,        ///< of the last trap: the misleading figure over the honest one
  longest,       ///< which bar is the longest
  largest_step,  ///< which bar gained most over the bar before it
  verdict,       ///< of the paired comparison
  stage,         ///< which of its choices, stages of the last bar's pipeline, takes longest
  choice         ///< one of the step's own choices
};

/// One bar of a step: a rung at its parameters.
struct StepBar {
  std::string kernel;
  Params set;  ///< of the lab's parameters
  CacheMode cache = CacheMode::hot;
  std::string label;  ///< "n = 128"; empty: the rung's title says it
};

struct TourStep {
  StepKind kind = StepKind::run;
  std::string lab;                 ///< "gemm"
  std::vector<std::string> rungs;  ///< full kernel ids; the last is the one selected
  Params set;                      ///< of the lab's parameters: {"n", 1024}
  RunMode mode = RunMode::live;    ///< live or measure
  CacheMode cache = CacheMode::hot;
  std::vector<int64_t> sizes;  ///< sweep: the stops of the lab's size
  std::vector<StepBar> sides;  ///< side by side: the two
  Ask ask = Ask::time;
  std::vector<std::string> choices;  ///< of Ask::choice and Ask::stage
  int right = 0;                     ///< of Ask::choice: the one that is right, from 0
  std::string figure;    ///< shown at Reveal in place of the bars: "roofline"; empty: none
  std::string question;  ///< what is asked before it runs
  std::string words;     ///< what explains the result
  std::string learned;   ///< one sentence for the end card; empty: the first of `words`
  std::string
      why;  ///< counts at what the step runs, in place of a lesson's Why of another size; empty: none
  double minutes = 0;

  bool measures() const { return kind != StepKind::question; }
};

/// What to do after a tour: another tour or an exercise, by its id.
struct TourNext {
  bool is_exercise = false;
  std::string id;
};

struct Tour {
  std::string id, title;
  std::string audience;  ///< for whom, one sentence
  double minutes = 0;    ///< the sum of its steps
  int place = 0;         ///< among the tours, smallest first
  std::vector<TourNext> next;
  std::vector<TourStep> steps;
};

std::string kind_name(StepKind kind);
std::string ask_name(Ask ask);

/// The bars of a step in the order that they are drawn and measured in; none of a question.
std::vector<StepBar> bars_of(const TourStep& step);

/// Checks the file by itself and against the labs of this build: an unknown kind, lab, rung, parameter or stop, a
/// question that its kind cannot answer, steps that do not add up. The error names file, step and field.
Result<Tour> parse_tour(const std::string& text, const std::string& where);
Result<Tour> load_tour(const std::string& id);
/// The file of a rehearsed step in its folder, from 1: "step-03-gemm.jsonl".
std::string rehearsal_file(const Tour& tour, int step);
/// Ids of the tours of this build, by place: "meetup", "first_hour", "class". One that cannot be read is last.
std::vector<std::string> tour_ids();

}  // namespace ridge::study
