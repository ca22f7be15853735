// ridge: arch=75
//
// Idea      A block has 1024 images and twenty warps, two a class: their planes come into shared memory
//           once, and every warp reads them there. From pixels they are made there, and never stored.
// Changed   A plane is fetched once a block, not once a class; the encoder's output needs no memory; scores
//           meet in shared memory, so that there is one kernel and not three.
// Limits    Each warp runs other code, so that all of it goes through an SM's instruction cache for every
//           1024 images. 1760 planes fit; the ones least read come from memory.
// Look at   From pixels against from bits: what the encoder costs when its output goes nowhere.
// Source    staged_fill.h, lop3_source.h.
#include <cstdio>

#include "kernels/runtime/cuda/nvrtc.h"
#include "kernels/runtime/weightless/words_launch.h"
#include "kernels/weightless/lop3_source.h"
#include "kernels/weightless/rungs/staged_fill.h"

namespace {

using namespace ridge;
using namespace ridge::words;
using weightless::PlaneList;

constexpr int kPlaneBytes = kStagedRow * sizeof(Word);

/// [level][pixel]: the plane that a comparison makes; of features that are the same plane the first does.
std::vector<short> planes_made(const LutModel& model, const PlaneList& list) {
  std::vector<short> made(size_t(model.features), -1);
  for (size_t p = 0; p < list.feature.size(); ++p) {
    const int f = list.feature[p];
    made[size_t(f % model.bits * kImageBytes + f / model.bits)] = static_cast<short>(p);
  }
  return made;
}

struct StagedPlan {
  DeviceMemory keep, plane, hot_feature, workspace;
  device::Program program;
  unsigned blocks = 0;
  int shared_bytes = 0;
  weightless::Staging staging;

  ~StagedPlan() {
    if (program.library != nullptr) cudaLibraryUnload(program.library);
  }

  Status compile(const LutModel& model, const PlaneList& list, Plan* plan) {
    const weightless::Lop3Source source = weightless::staged_source(model, list, staging);
    if (const Status s = device::compile_program(
            source.text,
            {"kernels/runtime/weightless/words.h", "kernels/runtime/weightless/encode_words.h",
             "kernels/weightless/rungs/staged_fill.h"},
            "classify", &program);
        !s.ok())
      return s;
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(program.kernel),
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          shared_bytes));
    std::snprintf(plan->note, sizeof(plan->note),
                  "%d of %d planes in shared memory, %.1f lop3 a LUT, compiled in %.1f s",
                  staging.hot, static_cast<int>(list.feature.size()),
                  double(source.operations) / model.luts, program.compile_s);
    return {};
  }

  Status prepare(const Shape& shape, Plan* plan) {
    const auto* model = static_cast<const LutModel*>(shape.constants);
    const PlaneList list = weightless::planes_read(*model);
    int device = 0, most = 0;
    RIDGE_CUDA_CHECK(cudaGetDevice(&device));
    RIDGE_CUDA_CHECK(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const int planes = static_cast<int>(list.feature.size());
    staging.from_pixels = shape.dim[kLutFromPixels] != 0;
    staging.hot = planes < most / kPlaneBytes ? planes : most / kPlaneBytes;
    const int scores = kImageClasses * staging.parts *
                       weightless::score_counters(model->luts_per_class) * kStagedWords *
                       static_cast<int>(sizeof(Word));
    shared_bytes = staging.hot * kPlaneBytes > scores ? staging.hot * kPlaneBytes : scores;
    blocks = static_cast<unsigned>((shape.dim[kLutImages] + 1023) / 1024);
    if (const Status s = hot_feature.upload(list.feature.data(), size_t(staging.hot)); !s.ok())
      return s;
    if (staging.from_pixels) {
      const std::vector<Word> masks = keep_masks(*model);
      const std::vector<short> made = planes_made(*model, list);
      if (const Status s = keep.upload(masks.data(), masks.size()); !s.ok()) return s;
      if (const Status s = plane.upload(made.data(), made.size()); !s.ok()) return s;
      const size_t cold =
          size_t(blocks) * size_t(planes - staging.hot) * kStagedWords * sizeof(Word);
      if (const Status s = workspace.allocate(cold); !s.ok()) return s;
    }
    if (const Status s = compile(*model, list, plan); !s.ok()) return s;
    plan->workspace_bytes = keep.bytes() + plane.bytes() + hot_feature.bytes() + workspace.bytes() +
                            program.binary_bytes;
    return {};
  }
};

Status launch(const Launch& launch) {
  const Classify c = classify_of(launch);
  const auto* plan = static_cast<const StagedPlan*>(launch.plan_state);
  Staged job = {c.pixels,
                reinterpret_cast<const Word*>(c.planes),
                plan->hot_feature.as<unsigned short>(),
                plan->keep.as<Word>(),
                plan->plane.as<short>(),
                plan->workspace.as<Word>(),
                c.classes,
                c.images};
  void* arguments[] = {&job};
  const int warps = kImageClasses * plan->staging.parts;
  RIDGE_CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(plan->program.kernel),
                                    dim3(plan->blocks), dim3(static_cast<unsigned>(32 * warps)),
                                    arguments, static_cast<size_t>(plan->shared_bytes),
                                    static_cast<cudaStream_t>(launch.stream)));
  return {};
}

}  // namespace

RIDGE_KERNEL(weightless, cuda, staged, .dtypes = "bits", .unavailable = device::nvrtc_missing,
             .prepare = words::prepare_state<StagedPlan>, .launch = launch);
