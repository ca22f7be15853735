// A look inside a model (request `inspect`): grids of numbers that anybody can draw, whatever the model is.
// A family fills them in (FamilyDesc::inspect); the window, the command line and a saved run show them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/record/lanes.h"
#include "common/record/types.h"
#include "common/record/walk.h"

namespace ridge {

/// What is to be looked at. Without an input: the model itself; with one: what the model makes of it.
struct InspectAsked {
  std::optional<int64_t> input;  ///< of the family's test set, from 0
  std::vector<uint8_t>
      bytes;           ///< or an input of the learner's own, in the family's form; empty: none
  bool wrong = false;  ///< from `input` on, round the set, the first that the model gets wrong
  std::optional<int64_t> unit;   ///< the part to show more of; none: the family chooses
  std::optional<int64_t> place;  ///< of the input, from 0: which units look there
  /// Of a walk: its first access in view, and how many; none: all of it.
  std::optional<int64_t> first, count;
  bool machine_caches = false;  ///< of a walk: caches as this machine's, not scaled down
  /// Of every kernel that is named: what it answers to the input (Inspection::answers), where its model is ready.
  bool answers = false;
  bool trains = false;  ///< with `answers`: models that are not ready are trained first
  bool operator==(const InspectAsked&) const = default;
};

struct PlaneMark {
  int64_t cell = 0;   ///< row * columns + column
  int value = 0;      ///< what it is there: a bit
  std::string label;  ///< "pin 0: row 3, column 12, 120 > 34: 1"
};

/// A grid of values: a picture, a table, votes.
struct InspectionPlane {
  std::string name;   ///< "T-shirt"
  std::string group;  ///< planes of one group are one kind of thing on one scale: "mental image"
  std::string unit;   ///< of the values, in words: "pins"
  int rows = 0, columns = 0;
  double step = 1;          ///< what a 1 among the values is worth: whole numbers keep lines short
  int low = 0, high = 1;    ///< ends of the scale
  std::vector<int> values;  ///< row by row, in steps; empty: the marks alone
  std::vector<PlaneMark> marks;  ///< cells that stand out
};

/// What one of several models answers to the input that all of them were given.
struct ModelAnswer {
  std::string kernel;
  Params params;
  std::optional<int64_t> prediction;  ///< the kernel's own, checked against its definition
  std::optional<int64_t> runner_up;   ///< the class with the second highest score
  double score = 0, margin = 0;       ///< the highest score, and how far the second lies below it
  std::string unit;                   ///< of both: "LUTs that say yes"
  std::string start;                  ///< what the timed call starts from: "pixels", "encoded bits"
  std::optional<double> call_ns;      ///< of single calls on this input, the median
  int calls = 0;                      ///< that were timed
  std::string why;              ///< why there is no answer, or no time; one phrase, else empty
  bool needs_training = false;  ///< there is none because the model is not trained yet
};

struct Inspection {
  int64_t request = 0;
  std::string kernel;
  Params params;
  std::string
      of;  ///< "model", "test" (an input of the test set), "drawn" (the learner's), "walk", "lanes", "answers"
  std::string data;    ///< "Fashion-MNIST"
  std::string note;    ///< what has to stand beside it ("synthetic garments, not ..."); or empty
  int64_t inputs = 0;  ///< that can be picked: of the test set, or queries
  std::string input_name = "test image";            ///< what one is called
  std::optional<int64_t> input, label, prediction;  ///< test: its place and its true class
  std::vector<std::string> classes;  ///< empty: inputs have none, and none can be wrong
  std::vector<double> scores;        ///< of each class; empty without an input
  std::string score;                 ///< what is counted: "LUTs that say yes"
  double score_most = 0;             ///< the most there can be
  std::optional<double> call_ns;  ///< one call of the definition on this input, not a measurement
  std::string unit_name;          ///< "LUT"
  int64_t units = 0;              ///< how many; cell c of a plane of votes is of unit c % units
  std::optional<int64_t> unit, place;
  std::vector<int64_t> lookers;  ///< units that look at `place`
  std::vector<InspectionPlane> planes;
  std::map<std::string, std::string> unavailable;  ///< group: why
  std::optional<Walk> walk;                        ///< of a rung whose accesses were recorded
  std::optional<KernelLanes> lanes;                ///< of a GPU rung whose warps were stamped
  std::vector<ModelAnswer> answers;                ///< of each kernel that was asked, in that order
  std::vector<int> bytes;                          ///< with answers: the learner's own input
  /// The first of a group; null: none.
  const InspectionPlane* plane(const std::string& group) const {
    for (const InspectionPlane& one : planes) {
      if (one.group == group) return &one;
    }
    return nullptr;
  }
};

}  // namespace ridge
