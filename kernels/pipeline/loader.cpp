// ridge: needs=jpeg
//
// The parameters that all rungs share, and an engine made of them.
#include "kernels/pipeline/loader.h"

#include <algorithm>

#include "common/harness/measure/machine.h"
#include "common/record/params.h"
#include "kernels/pipeline/engine.h"

namespace ridge {
namespace {

using namespace pipeline;

std::vector<ParamSpec> params_of(const PipelineDesc& desc) {
  const Loader& loader = *static_cast<const Loader*>(desc.config);
  static const int64_t cores = std::max(1, measure::read_cpu().cores);
  std::vector<ParamSpec> specs = {
      int_param("images", "image files, made once in the user's cache folder", 64, 60'000, 20'000),
      int_param("side", "pixels of an image's side", 32, 512, 256),
      int_param("batch", "images in a batch", 1, 1024, 64),
      int_param("layers", "hidden layers of the network: how long a step takes", 1, 64,
                desc.backend == Backend::cpu ? 4 : 8),
  };
  if (loader.by != LoadedBy::the_step) {
    specs.push_back(int_param("workers", "threads or processes that load", 1, 256, cores));
    specs.push_back(int_param("buffers", "batches that may be ready ahead of the step", 2, 32, 4));
  }
  if (desc.backend == Backend::cpu) {
    // A team is as late as its latest thread: few of them, so that the lesson is not about barriers.
    constexpr int64_t kFew = 4;
    specs.push_back(int_param("device_threads", "threads of the pool that stands for the device", 1,
                              256, std::min(cores, kFew)));
  }
  return specs;
}

Geometry geometry_of(const Params& params, const Loader& loader, const FileSet& set) {
  Geometry g;
  g.side = static_cast<int>(param_int(params, "side"));
  g.crop = g.side * 7 / 8 / kPool * kPool;
  g.batch = static_cast<int>(param_int(params, "batch"));
  g.carried = loader.carried;
  const auto area = [](int side) { return size_t(side) * size_t(side) * kChannels; };
  g.image_bytes = loader.carried == Carried::tensor   ? area(g.crop) * sizeof(float)
                  : loader.carried == Carried::pixels ? area(g.side)
                  : loader.carried == Carried::number ? 0
                                                      : (set.max_bytes() + 63) / 64 * 64;
  return g;
}

Result<std::unique_ptr<ImageSource>> source_of(const Loader& loader,
                                               const std::shared_ptr<const FileSet>& set,
                                               const FamilyProgress& progress) {
  if (loader.from == ImageFrom::shards) return read_shards(set);
  if (loader.from == ImageFrom::memory) return read_memory(set, progress);
  return read_files(set);
}

}  // namespace

namespace pipeline {

std::vector<ParamSpec> loader_params(const PipelineDesc& desc) {
  return params_of(desc);
}

Result<std::unique_ptr<Pipeline>> build_loader(const PipelineDesc& desc, const Params& params,
                                               uint64_t seed, const FamilyProgress& progress,
                                               MakeDevice make_device) {
  EngineSetup setup;
  setup.loader = *static_cast<const Loader*>(desc.config);
  RIDGE_TRY(setup.set, file_set(param_int(params, "images"),
                                static_cast<int>(param_int(params, "side")), progress));
  RIDGE_TRY(setup.source, source_of(setup.loader, setup.set, progress));
  setup.geometry = geometry_of(params, setup.loader, *setup.set);
  setup.workers = static_cast<int>(param_int(params, "workers", 1));
  setup.buffers = static_cast<int>(param_int(params, "buffers", 2));
  setup.seed = seed;
  DeviceSetup device;
  device.geometry = setup.geometry;
  // One beside the ring, for the copy that is measured alone.
  device.buffers =
      1 + (setup.loader.device_buffers > 0 ? setup.loader.device_buffers : setup.buffers);
  device.layers = static_cast<int>(param_int(params, "layers"));
  device.threads = static_cast<int>(param_int(params, "device_threads", 1));
  device.pinned = setup.loader.pinned;
  device.own_stream = setup.loader.copies_ahead;
  device.set = setup.loader.carried == Carried::number ? setup.source.get() : nullptr;
  device.images = setup.set->count();
  RIDGE_TRY(setup.device, make_device(device));
  RIDGE_TRY(auto engine, Engine::make(std::move(setup)));
  return std::unique_ptr<Pipeline>(std::move(engine));
}

}  // namespace pipeline

const PipelineMaker kCpuLoader = {.params = loader_params,
                                  .build = [](const PipelineDesc& desc, const Params& params,
                                              uint64_t seed, const FamilyProgress& progress) {
                                    return build_loader(desc, params, seed, progress,
                                                        make_cpu_train_device);
                                  }};

}  // namespace ridge
