// The pipeline model: its pace is that of the slowest stage, or of all CPU work shared by the cores,
// whichever is longer. From stages measured alone it predicts what was measured, and what other
// parameters would bring.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/record/types.h"

namespace ridge {

struct PipelinePrediction {
  double item_ns = 0;
  std::string bound;  ///< "step alone", "CPU work / 2 cores"
};

/// `measured` are the parameters that the outcome was measured with; of `wanted` count: workers (the
/// stage "load"), side, layers, and batch where a step costs the same whatever is in it. Cores do not
/// grow with workers. What has no buffers in between (a pipeline measured slower than its stages one
/// after the other) is predicted as their sum. A stage grows with "pixels", with "layers", or with
/// "layers/batch": more layers, and fewer items to share them.
PipelinePrediction predict(const PipelineOutcome& outcome, const Params& measured,
                           const Params& wanted);

/// How many spans of this stage ("host buffer, full") lie over each other: steps in time, the depth from
/// each on. Ends at 0.
std::vector<std::pair<double, int>> depth_steps(const std::vector<Span>& spans,
                                                const std::string& stage);

/// Why the bound is none, a sentence; empty: it may be one. No pipeline is faster than its slowest stage, so where the
/// ratio's whole interval lies more than 1 % below 1, that stage was measured slower alone than it is.
std::string bound_doubt(const PipelineOutcome& outcome);
/// bound_doubt() where there is one, else "1.02× its bound, CPU work / 2 cores (95 % 1.01 to 1.03, 10 rounds)".
std::string bound_text(const PipelineOutcome& outcome);
/// Of a comparison: the throughput, old → new, and what binds each side; one sentence each. Empty where the sides are no
/// pipelines, or one of them has no speed.
std::vector<std::string> pipeline_sentences(const Series* baseline, const Series* candidate);
/// A row a stage: name, threads, time alone per step, CPU time per step, share of the steady step, bus.
std::vector<std::vector<std::string>> stage_rows(const Series& series);
inline const std::vector<std::string> kStageHeadings = {
    "stage", "threads", "alone, a step", "CPU, a step", "of the steady step", "across the bus"};

}  // namespace ridge
