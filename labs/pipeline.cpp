// The data-loader lab: real files through read, decode, augment, copy and step, overlapped step by step.
// Adding a rung is one line here.
#include "labs/lab.h"

namespace ridge {
namespace {

const Lab& pipeline_lab() {
  static const Lab lab = {
      .id = "pipeline",
      .title = "Data loader",
      .goal = "Feed a training step from JPEG files until only the slowest stage is left to see.",
      .family = "pipeline",
      .rungs =
          {
              {"pipeline.cpu.serial", "serial", "one thread, one stage after the other"},
              {"pipeline.cpu.shards", "packed shards", "one file with an index"},
              {"pipeline.cpu.prefetch", "prefetch threads", "workers load ahead"},
              {"pipeline.cpu.processes", "worker processes", "the same, forked"},
              {"pipeline.cpu.double_buffer", "double buffer",
               "copy the next while this one trains"},
              {"pipeline.cpu.n_buffer", "N buffers", "more batches ahead"},
              {"pipeline.cpu.device_transforms", "transforms on the device",
               "bytes cross, not floats"},
              {"pipeline.cpu.overlapped", "everything overlapped", "workers share a batch"},
              {"pipeline.cpu.cached_epoch", "cached epoch", "decoded once, kept"},
              {"pipeline.cpu.resident", "set on the device", "only numbers are copied"},
              {"pipeline.cpu.pytorch", "PyTorch", "DataLoader, its best number of workers", true},
              {"pipeline.cpu.dali", "DALI", "threads in C++, its best number of them", true},
              {"pipeline.cuda.serial", "serial, GPU", "the step leaves the CPU"},
              {"pipeline.cuda.prefetch", "prefetch threads", "workers load ahead"},
              {"pipeline.cuda.pinned", "pinned memory", "the GPU reads the buffers itself"},
              {"pipeline.cuda.async_copy", "asynchronous copy", "a stream of its own, two buffers"},
              {"pipeline.cuda.n_buffer", "N buffers", "more batches ahead"},
              {"pipeline.cuda.device_transforms", "transforms on the GPU",
               "bytes cross, not floats"},
              {"pipeline.cuda.decode", "decode on the GPU", "files cross as they are"},
              {"pipeline.cuda.overlapped", "everything overlapped", "workers share a batch"},
              {"pipeline.cuda.cached_epoch", "cached epoch", "decoded once, kept"},
              {"pipeline.cuda.resident", "set on the GPU", "only numbers cross"},
              {"pipeline.cuda.queued", "next step queued", "the GPU does not wait for its host"},
              {"pipeline.cuda.pytorch", "PyTorch", "DataLoader, pinned, non-blocking", true},
              {"pipeline.cuda.dali", "DALI", "decodes and transforms on the GPU", true},
          },
      .sections = {{"CPU", "pipeline.cpu.serial"}, {"GPU", "pipeline.cuda.serial"}},
      .params = {{"images", "image files", {200, 2000, 20'000}},
                 {"side", "pixels of a side", {64, 128, 192, 256, 384, 512}, Level::kLab},
                 {"batch", "images in a batch", {16, 32, 64, 128, 256}},
                 {"workers", "workers", {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}},
                 {"buffers", "batches ahead", {2, 3, 4, 6, 8, 16}},
                 {"layers", "layers: length of a step", {1, 2, 4, 8, 16, 32, 64}, Level::kLab},
                 {"device_threads",
                  "threads of the device's pool",
                  {1, 2, 4, 8, 16},
                  Level::kBench,
                  "device threads"}},
      .quality_metric = "images_misplaced",
      .quality_limit = "each image once an epoch, in the seeded order, intact",
      .lesson = "assets/lessons/pipeline.md",
      .place = 50,
      .group = "Train",
      .line = "from JPEG files to training steps",
      .level = Level::kLab,
      .first_look_cpu = {{"images", int64_t{2000}}},
      .first_look_gpu = {{"images", int64_t{2000}}},
      .levers = {{Bottleneck::input_pipeline, "pipeline.cpu.prefetch"},
                 {Bottleneck::input_pipeline, "pipeline.cpu.overlapped"},
                 {Bottleneck::input_pipeline, "pipeline.cpu.cached_epoch"},
                 {Bottleneck::host_copy, "pipeline.cpu.double_buffer"},
                 {Bottleneck::input_pipeline, "pipeline.cuda.prefetch"},
                 {Bottleneck::input_pipeline, "pipeline.cuda.decode"},
                 {Bottleneck::input_pipeline, "pipeline.cuda.cached_epoch"},
                 {Bottleneck::host_copy, "pipeline.cuda.pinned"},
                 {Bottleneck::host_copy, "pipeline.cuda.device_transforms"}},
      .items = "images",
      .counts_flop = false,
      .data_set = "JPEG pictures made of Fashion-MNIST",
  };
  return lab;
}

RIDGE_LAB(pipeline, pipeline_lab);

}  // namespace
}  // namespace ridge
