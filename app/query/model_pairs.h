// Two described models compared: every part of a pass is compared in pairs at its shape, and the models' times are the sums
// of their parts. `ridgepoint model --baseline A --candidate B`, the view *Two models* and the report show the same rows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/query/workload.h"
#include "common/record/json.h"
#include "common/record/run.h"
#include "common/view/chart/model.h"
#include "common/view/report/report.h"
#include "labs/lab.h"

namespace ridge::app {

/// A description, and what does its parts.
struct ModelSide {
  ModelShape shape;
  Params other;                              ///< of all rungs: the threads
  std::map<std::string, std::string> rungs;  ///< family: the rung of it in place of the usual one
};

struct ModelPair {
  ModelSide baseline, candidate;
};

/// The two that were compared last in this run.
std::optional<ModelPair> last_model_pair(const Run& run);

/// "batch 1 → 4, dtype fp32 → int8"; of a model beside itself "the same model twice (A/A)".
std::string difference_words(const ModelPair& pair);

/// `common` with what `text` sets: "dtype=int8,heads-kv=4", "gemm=packed,threads=2". Error usage: a name or a value is
/// none of a model's, or a rung is not in this catalogue.
Result<ModelSide> model_side(const ModelSide& common, const std::string& text, const Run& run);

/// One part of a pass, in both models.
struct ModelPart {
  std::string title;
  KernelRequest baseline, candidate;
  int64_t baseline_calls = 1, candidate_calls = 1;
  std::string baseline_shape, candidate_shape;
  bool is_shared = false;               ///< the same call in both: it was measured once
  std::optional<double> baseline_s;     ///< of all its calls in a pass
  double baseline_error = 0;            ///< half the width of its interval, as a share
  std::optional<PairedVerdict> judged;  ///< of one call; of a shared part: 1
  std::string why;                      ///< no time: one sentence

  double calls_ratio() const { return double(baseline_calls) / double(candidate_calls); }
};

struct ModelPhase {
  std::string id, title;
  std::vector<ModelPart> parts;
  double baseline_tokens = 0, candidate_tokens = 0;  ///< that a pass reads or makes
  std::optional<double> baseline_s, candidate_s;     ///< of a pass
  double margin = 0;
  std::optional<PairedVerdict> judged;  ///< of tokens a second; rounds: the fewest of a part
  std::string why;                      ///< without one: one sentence
};

/// Reading the prompts, and one token more: the parts of both models, without times. A model beside itself (A/A) shares no
/// part: each is compared with itself.
std::vector<ModelPhase> model_phases(const ModelSide& baseline, const ModelSide& candidate,
                                     const Run& run);

/// What has to be measured: a comparison for each pair of calls, and a run of those that both models make. Each carries
/// both descriptions, so that a saved run says what its parts are of.
std::vector<WorkRequest> model_requests(const ModelSide& baseline, const ModelSide& candidate,
                                        const std::vector<ModelPhase>& phases);

/// Fills in what `run` holds, the latest of each part.
void fill_phases(const Run& run, std::vector<ModelPhase>* phases);

/// Of what `run` holds of both; a part that is not measured yet has its reason.
chart::ChartModel chart_of(const ModelPair& pair, const Run& run);

std::string phase_text(const ModelPhase& phase);
Json phase_json(const ModelPhase& phase);
/// For a report: the two models that were compared last in this run; none where no phase has a ratio.
std::vector<report::Section> model_pair_sections(const Lab& lab, const Run& run);

}  // namespace ridge::app
