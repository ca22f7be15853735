// What a pipeline rung's file hands to the harness. C-like, so that a rung that only sets up its
// engine compiles in no time.
#pragma once

#include "common/core/registration.h"
#include "common/harness/kernel/kernel.h"

namespace ridge {

struct PipelineMaker;  ///< common/harness/kernel/pipeline.h

struct PipelineDesc {
  const char* id = nullptr;
  Backend backend = Backend::cpu;
  int arch = 0;
  // A rung's file sets the members from here on, in this order.
  const char* dtypes = "fp32";
  const char* library = nullptr;           ///< "PyTorch" for a peer; null for our own rungs
  bool external = false;                   ///< runs in a process of its own
  const char* (*unavailable)() = nullptr;  ///< why this machine cannot run it; null where it can
  const PipelineMaker* maker = nullptr;
  const void* config = nullptr;  ///< what the maker makes of it
};

}  // namespace ridge

/// RIDGE_PIPELINE(pipeline, cpu, serial, .maker = ..., .config = ...);
#define RIDGE_PIPELINE(family_, backend_, trick_, ...)           \
  static constexpr ::ridge::PipelineDesc ridge_pipeline_desc = { \
      .id = #family_ "." #backend_ "." #trick_ RIDGE_VARIANT,    \
      .backend = ::ridge::Backend::backend_,                     \
      .arch = RIDGE_ARCH,                                        \
      __VA_ARGS__};                                              \
  RIDGE_REGISTER("ridge_pipelines", ::ridge::PipelineDesc, ridge_pipeline_desc)
