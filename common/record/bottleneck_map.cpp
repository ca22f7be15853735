#include "common/record/bottleneck_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace ridge {
namespace {

/// "60 %"
std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

/// Seven causes of the field, then three of kernels: latency, copies between host and device, threads that wait.
const std::vector<BottleneckEntry>& entries() {
  static const std::vector<BottleneckEntry> kEntries = {
      {.cause = Bottleneck::compute,
       .name = "compute",
       .evidence = percent(binds_from::kCeiling) +
                   " of a measured FLOP ceiling; tensor or FMA pipes busy, by counters",
       .lever = "wider instructions, a narrower type, more cores",
       .gpu_lever = "tensor cores, a narrower type",
       .lab = "gemm",
       .rung = "gemm.cpu.packed_avx512"},
      {.cause = Bottleneck::memory_bandwidth,
       .name = "memory bandwidth",
       .evidence = percent(binds_from::kCeiling) +
                   " of the measured DRAM ceiling by data that no cache holds; DRAM, L2 or L1 "
                   "throughput, by counters",
       .lever = "move less: tiles in cache or registers, fusion, a narrower type",
       .gpu_lever = "move less: tiles in shared memory or registers, fusion, a narrower type",
       .lab = "quant",
       .rung = "gemv.cpu.avx2_fp32"},
      {.cause = Bottleneck::launch_overhead,
       .name = "launch overhead",
       .evidence = percent(binds_from::kTime) +
                   " of a single call is not the kernel's; on a GPU, as much of it is what its "
                   "launches cost",
       .lever = "fewer and larger calls: batches, fusion",
       .gpu_lever = "fewer and larger calls: batches, fusion, a CUDA graph",
       .lab = "fusion",
       .rung = "chain.cuda.stream",
       .set = {{"height", int64_t{32}}, {"layers", int64_t{4}}, {"width", int64_t{1024}}}},
      {.cause = Bottleneck::input_pipeline,
       .name = "input pipeline",
       .evidence = fmt::format("a stage that loads, alone, takes {} of the time per item; of a "
                               "training, {} of a step waits for input",
                               percent(binds_from::kStage), percent(binds_from::kTime)),
       .lever = "more loaders, prefetching, cheaper decoding",
       .gpu_lever = "more loaders, prefetching, decoding on the GPU",
       .lab = "pipeline",
       .rung = "pipeline.cpu.serial"},
      {.cause = Bottleneck::activation_memory,
       .name = "activation memory",
       .evidence = percent(binds_from::kTime) +
                   " of a training's memory holds activations for the backward pass",
       .lever = "recompute activations, smaller batches, a narrower type",
       .gpu_lever = "recompute activations, smaller batches, a narrower type",
       .lab = "mixed",
       .rung = "mixed.cpu.fp32",
       .set = {{"model", std::string("cnn")}, {"layers", int64_t{2}}, {"width", int64_t{64}}}},
      {.cause = Bottleneck::collectives,
       .name = "collectives",
       .evidence = percent(binds_from::kTime) + " of a step is communication between replicas",
       .lever = "communicate beside the backward pass, in fewer and larger messages",
       .gpu_lever = "communicate beside the backward pass, in fewer and larger messages",
       .lab = "collectives",
       .rung = "collectives.cpu.naive",
       .construction = "a call is messages between ranks and their sum"},
      {.cause = Bottleneck::inference_queue,
       .name = "inference queue",
       .evidence = fmt::format("a step runs for {} of the time, and a request waits longer than it "
                               "is served",
                               percent(binds_from::kStage)),
       .lever = "larger batches, a faster step, more replicas",
       .gpu_lever = "larger batches, a faster step, more replicas",
       .lab = "attention",
       .rung = "decode.cpu.plain",
       .view = "queue"},
      {.cause = Bottleneck::latency,
       .name = "latency or occupancy",
       .evidence = fmt::format("all that was measured is far from its limit: on a CPU under {:g} "
                               "instructions a cycle, on a GPU with its caches counted or under {} "
                               "of an SM's warps; or {} of the SMs have no block",
                               binds_from::kIpc, percent(binds_from::kWarps),
                               percent(binds_from::kWaiting)),
       .lever = "more independent work in flight: several accumulators, loads ahead of their use",
       .gpu_lever = "more independent work in flight: several accumulators, more warps, loads "
                    "ahead of their use",
       .lab = "machine",
       .rung = "chase.cpu.pointer",
       .construction = "each load's address comes from the load before it"},
      {.cause = Bottleneck::host_copy,
       .name = "host-device copy",
       .evidence = fmt::format("{} of a call copies between host and device; of a pipeline, the "
                               "stage that copies takes {} of the time per item",
                               percent(binds_from::kTime), percent(binds_from::kStage)),
       .lever = "keep data on the device, copy beside compute, copy bytes in place of floats",
       .gpu_lever = "keep data on the device; pinned memory, copies beside compute",
       .lab = "pipeline",
       .rung = "pipeline.cuda.prefetch",
       .set = {{"layers", int64_t{1}}}},
      {.cause = Bottleneck::synchronisation,
       .name = "synchronisation",
       .evidence =
           fmt::format("its threads do not run for {} of their time, while no other program "
                       "uses the CPU",
                       percent(binds_from::kWaiting)),
       .lever = "fewer locks, larger chunks for each thread, an even share",
       .gpu_lever = "fewer barriers, larger chunks for each block, an even share",
       .lab = "machine",
       .rung = "sums.cpu.threads",
       .set = {{"kib", int64_t{64}}, {"threads", int64_t{2}}}},
  };
  return kEntries;
}

}  // namespace

std::span<const BottleneckEntry> bottleneck_map() {
  return entries();
}

const BottleneckEntry* find_entry(Bottleneck cause) {
  const auto found = std::find_if(entries().begin(), entries().end(),
                                  [&](const BottleneckEntry& one) { return one.cause == cause; });
  return found == entries().end() ? nullptr : &*found;
}

const BottleneckEntry* constructed_entry(std::string_view kernel) {
  const auto found =
      std::find_if(entries().begin(), entries().end(), [&](const BottleneckEntry& one) {
        return one.rung == kernel && one.construction[0] != '\0';
      });
  return found == entries().end() ? nullptr : &*found;
}

const char* to_string(Bottleneck bottleneck) {
  const BottleneckEntry* entry = find_entry(bottleneck);
  return entry ? entry->name : "not sure";
}

const char* lever_of(Bottleneck bottleneck, const OpenEnum<Backend>& backend) {
  const BottleneckEntry* entry = find_entry(bottleneck);
  if (!entry) return "";
  return backend == Backend::cpu ? entry->lever : entry->gpu_lever;
}

const char* to_string(Basis basis) {
  switch (basis) {
    case Basis::measured:
      return "measured";
    case Basis::exclusion:
      return "by exclusion";
    case Basis::construction:
      return "by construction";
  }
  return "";
}

bool binds(const Diagnosis& diagnosis, Bottleneck cause) {
  return diagnosis.bottleneck == cause ||
         (cause == Bottleneck::activation_memory && diagnosis.activations_fill_memory);
}

}  // namespace ridge
