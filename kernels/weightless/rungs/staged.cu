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
#include <algorithm>
#include <cstdio>

#include "common/core/ceil_div.h"
#include "common/harness/kernel/cuda_check.h"
#include "kernels/runtime/cuda/nvrtc.h"
#include "kernels/runtime/weightless/words_launch.h"
#include "kernels/weightless/lop3_source.h"
#include "kernels/weightless/rungs/staged_fill.h"

namespace {

using namespace ridge;
using namespace ridge::words;

constexpr int kPlaneBytes = kStagedRow * sizeof(Word);

struct StagedPlan {
  DeviceMemory keep, plane, hot_feature, cold;
  device::Program program;
  unsigned blocks = 0;
  int shared_bytes = 0;
  weightless::Staging staging;

  Status upload(const LutModel& model, const weightless::PlaneList& list) {
    if (const Status s = hot_feature.upload(list.feature.data(), size_t(staging.hot)); !s.ok()) return s;
    if (!staging.from_pixels) return {};
    const std::vector<Word> masks = keep_masks(model);
    const std::vector<int16_t> made = weightless::planes_made(model, list);
    if (const Status s = keep.upload(masks.data(), masks.size()); !s.ok()) return s;
    if (const Status s = plane.upload(made.data(), made.size()); !s.ok()) return s;
    const size_t cold_planes = list.feature.size() - size_t(staging.hot);
    return cold.allocate(size_t(blocks) * cold_planes * kStagedWords * sizeof(Word));
  }

  Status compile(const LutModel& model, const weightless::PlaneList& list, Plan* plan) {
    const weightless::Lop3Source source = weightless::staged_source(model, list, staging);
    const std::vector<std::string> headers = {"kernels/runtime/weightless/words.h",
                                              "kernels/weightless/rungs/staged_fill.h"};
    const Status compiled = device::compile_program(source.text, headers, "classify", &program);
    if (!compiled.ok()) return compiled;
    RIDGE_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(program.kernel),
                                          cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    std::snprintf(plan->note, sizeof(plan->note),
                  "%d of %d planes in shared memory, %.1f lop3 a LUT, compiled in %.1f s", staging.hot,
                  static_cast<int>(list.feature.size()), double(source.operations) / model.luts, program.compile_s);
    return {};
  }

  Status prepare(const Shape& shape, Plan* plan) {
    const auto& model = *static_cast<const LutModel*>(shape.constants);
    const weightless::PlaneList list = weightless::planes_read(model);
    int device = 0, max_bytes = 0;
    RIDGE_CUDA_CHECK(cudaGetDevice(&device));
    RIDGE_CUDA_CHECK(cudaDeviceGetAttribute(&max_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    // As many planes in shared memory as there is room for; the classes' scores take their place afterwards.
    staging.from_pixels = shape.dim[kLutFromPixels] != 0;
    staging.hot = std::min(static_cast<int>(list.feature.size()), max_bytes / kPlaneBytes);
    const int scores = kImageClasses * staging.parts * weightless::score_counters(model.luts_per_class);
    shared_bytes = std::max(staging.hot * kPlaneBytes, scores * kStagedWords * static_cast<int>(sizeof(Word)));
    blocks = static_cast<unsigned>(ceil_div(shape.dim[kLutImages], 1024));
    if (const Status s = upload(model, list); !s.ok()) return s;
    if (const Status s = compile(model, list, plan); !s.ok()) return s;
    plan->workspace_bytes = keep.bytes() + plane.bytes() + hot_feature.bytes() + cold.bytes() + program.binary_bytes;
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
                plan->cold.as<Word>(),
                c.classes,
                c.images};
  void* args[] = {&job};
  return plan->program.launch(plan->blocks, 32 * kImageClasses * plan->staging.parts, plan->shared_bytes, args, launch);
}

}  // namespace

RIDGE_KERNEL(weightless, cuda, staged, .dtypes = "bits", .unavailable = device::nvrtc_missing,
             .prepare = words::prepare_state<StagedPlan>, .launch = launch);
