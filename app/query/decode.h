// A described model that decodes with each type of weights (labs/workload.h), filled in with what was
// measured: the window's view Decode, `ridgepoint model --dtype all` and the report show the same rows.
#pragma once

#include <string>
#include <vector>

#include "app/query/workload.h"
#include "common/view/chart/decode.h"
#include "common/view/report/report.h"
#include "labs/lab.h"

namespace ridge::app {

/// One call of a step, times how often it is made.
struct DecodePart {
  std::string title, shape, kernel;
  int64_t calls = 1;
  double bytes = 0;  ///< of all its calls
  std::optional<double> time_s, energy_j;
  std::optional<Interval> ci_s;
  std::string how;  ///< with a time: "measured"; without one: why
};

/// A type of weights by the rung that stands for it.
struct DecodeWith {
  const DecodeType* type = nullptr;
  std::string kernel;  ///< empty: this processor has none
  std::vector<DecodePart> parts;
  chart::DecodeRow row;
};

struct Decode {
  ModelShape shape;
  chart::DecodeOptions options;
  std::vector<DecodeWith> types;
};

/// Where the figures come from: what runs here, then recordings of what cannot.
struct DecodeSource {
  const Run* run = nullptr;
  std::vector<Recording> recordings;
  std::string machine;         ///< whose results count as measured here; empty: this one's
  const Run* saved = nullptr;  ///< among `recordings`: the run that was asked about; null: none was
};
/// A saved run, and what else was recorded on its machine: nothing can be run in its place.
DecodeSource from_saved(const Run& saved, const std::vector<Recording>& recordings);

/// For each type the rung that was measured at the shapes of the model and is the fastest of them, else one
/// whose rate at other shapes stands in. `other`: parameters of all of them, the threads. Points into
/// decode_types().
Decode fill_decode(const ModelShape& shape, const Params& other, const DecodeSource& from);

/// The rungs that make this model's passes here: the best for its dtype that this machine can run. The one place that
/// chooses them; a member is empty where none runs here.
ModelRungs model_rungs(const ModelShape& shape, const Params& other, const Run& run);

/// Each type's best rung that this machine can run, at each shape. Energy needs the mode measure; a second a
/// pass.
WorkRequest decode_request(const ModelShape& shape, const Params& other, const Run& run);

/// What is wrong with a description that is to decode with weights in fewer bits; empty: nothing.
std::string why_not_decode(const ModelShape& shape);

chart::ChartModel chart_of(const Decode& decode);
/// A table, and under it once what is missing and why.
std::string decode_text(const Decode& decode);
Json decode_json(const Decode& decode);
/// For a report: the model last described, else one like Llama 3 8B; none where fewer than two types have a
/// time.
std::vector<report::Section> decode_sections(const Lab& lab, const Run& run);

}  // namespace ridge::app
