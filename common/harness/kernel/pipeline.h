// The third kind of rung: a pipeline. It runs for a window of time; every stage of every item is a
// span. Scored by steady throughput; judged by each item arriving exactly once and intact.
//
// A stage is named for what it does, so that a diagnosis knows: read, load, decode, augment, shuffle,
// collate feed; copy, upload, download cross the bus; reduce, gather, broadcast communicate; compute,
// train, infer, forward, backward, step compute; an item in a queue is a span of a stage so named.
// What a buffer holds is a span with the word buffer ("host buffer, full"): nobody works on it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/family.h"
#include "common/harness/kernel/pipeline_rung.h"
#include "common/record/types.h"

namespace ridge {

/// Receives spans from any thread.
using SpanSink = std::function<void(const Span&)>;

/// What came out of a window and how long it took: from its opening to the last item's end.
struct PipelineWindow {
  int64_t items = 0;
  double took_s = 0;
  double bus_s = 0;  ///< of copies across the bus, by its own clock; 0: it has none
};

/// A stage with threads of its own, which can run while all others rest.
struct PipelineStage {
  std::string name;
  int threads = 1;
  std::map<std::string, double> grows = {};  ///< as StageTime::grows
};

class Pipeline {
 public:
  virtual ~Pipeline() = default;  ///< joins every worker and frees everything
  /// Runs for about `window_s`, to the end of an item. Between windows nothing runs; what is on its
  /// way may stay there, so that the next window begins in the steady state.
  virtual Result<PipelineWindow> run_window(double window_s, const SpanSink& sink) = 0;
  /// The stages that can be measured alone, slowest-stage model; none: it has no such model.
  virtual std::vector<PipelineStage> stages() const { return {}; }
  /// One of them for about `window_s`, all others resting. What it works off is real.
  virtual Result<PipelineWindow> run_stage(size_t, double) { return PipelineWindow{}; }
  /// Bytes that the stage moves across a GPU's bus for one item; 0: it crosses none.
  virtual double stage_bytes(size_t) const { return 0; }
  /// What the bus gives at most, measured now as the stage copies; 0: there is no such ceiling.
  virtual Result<double> bus_bytes_per_s() { return 0.0; }
  /// Exactly once, intact, in the seeded order: over everything run so far.
  virtual QualityCheck check() = 0;
  virtual double bytes_per_item() const = 0;
  virtual double memory_bytes() const { return 0; }     ///< of all buffers
  virtual int64_t items_per_step() const { return 1; }  ///< a batch
  /// What a reader has to know beside the figures (skipped files, synthetic data); empty: nothing.
  virtual std::string note() const { return ""; }
};

/// How the rungs of one engine are made; each rung's config says how it is set up.
struct PipelineMaker {
  std::vector<ParamSpec> (*params)(const PipelineDesc& desc) = nullptr;
  /// With progress: files may have to be made first.
  Result<std::unique_ptr<Pipeline>> (*build)(const PipelineDesc& desc, const Params& params,
                                             uint64_t seed,
                                             const FamilyProgress& progress) = nullptr;
};

}  // namespace ridge
