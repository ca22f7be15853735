// A library's data loader on the files that our rungs read: a Python process of its own, which loads and copies, and
// trains nothing.
#pragma once

#include "common/harness/kernel/pipeline.h"
#include "common/harness/kernel/pipeline_rung.h"

namespace ridge::pipeline {

struct LoaderPeer {
  const char* library = nullptr;                      ///< "DALI"
  const char* counted = nullptr;                      ///< what it may have several of: "workers", "threads"
  const char *package = nullptr, *floor = "";         ///< "nvidia/dali", and the oldest version to compare with
  const char* beside = nullptr;                       ///< another package that it needs; null: none
  /// Python. It finds folder, images, crop, batch and device (-1: CPU), and defines begin(count), which starts it with
  /// so many workers, next_numbers(), which waits for the next batch where the step would want it and returns a list of
  /// its images' numbers, and finish(), which waits until all that was asked for is done.
  const char* script = nullptr;
};

const char* unavailable(const LoaderPeer& peer);
/// Of the numbers of workers that are tried (half the cores, two fewer, all, a quarter more; a second each) the one with
/// the most images a second stays. `peer` must outlive what is made.
Result<std::unique_ptr<Pipeline>> build_peer(const LoaderPeer& peer, const PipelineDesc& desc, const Params& params,
                                             const FamilyProgress& progress);
/// Our rungs' parameters that say what is loaded.
std::vector<ParamSpec> peer_params(const PipelineDesc& desc);

}  // namespace ridge::pipeline

namespace ridge {

/// DALI on the same files (dali.cpp); its config says nothing.
extern const PipelineMaker kDaliLoader;
const char* dali_loader_unavailable();

}  // namespace ridge
