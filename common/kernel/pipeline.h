// The third kind of rung: a pipeline. It runs for a window of time; every stage of every item is a
// span. Scored by steady throughput; judged by each item arriving exactly once and intact.
//
// A stage is named for what it does, so that a diagnosis knows: read, load, decode, augment, shuffle,
// collate feed; copy, upload, download cross the bus; reduce, gather, broadcast communicate; compute,
// train, infer, forward, backward, step compute; an item in a queue is a span of a stage so named.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/core/result.h"
#include "common/kernel/kernel.h"
#include "common/record/types.h"

namespace ridge {

/// Receives spans from any thread.
using SpanSink = std::function<void(const Span&)>;

class Pipeline {
 public:
  virtual ~Pipeline() = default;  ///< joins every worker and frees everything
  /// Runs for about `window_s`, then drains. Returns the items that came out.
  virtual Result<int64_t> run_window(double window_s, const SpanSink& sink) = 0;
  /// Exactly once, intact, in the seeded order: over everything run so far.
  virtual QualityCheck check() = 0;
  virtual double bytes_per_item() const = 0;
};

struct PipelineDesc {
  const char* id = nullptr;
  Backend backend = Backend::cpu;
  int arch = 0;
  const char* dtypes = "fp32";
  std::vector<ParamSpec> (*params)() = nullptr;
  Result<std::unique_ptr<Pipeline>> (*build)(const Params& params, uint64_t seed) = nullptr;
};

}  // namespace ridge

/// RIDGE_PIPELINE(pipeline, cpu, serial, .params = ..., .build = ...);
#define RIDGE_PIPELINE(family_, backend_, trick_, ...)           \
  static constexpr ::ridge::PipelineDesc ridge_pipeline_desc = { \
      .id = #family_ "." #backend_ "." #trick_ RIDGE_VARIANT,    \
      .backend = ::ridge::Backend::backend_,                     \
      .arch = RIDGE_ARCH,                                        \
      __VA_ARGS__};                                              \
  RIDGE_REGISTER("ridge_pipelines", ::ridge::PipelineDesc, ridge_pipeline_desc)
