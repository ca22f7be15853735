// The lab "Reading a machine": what one core and its memory can do, each figure by a program of a few lines. Three
// ladders of unlike work, so an operation is what they are counted in: an instruction, a step, a word, an element.
#include "labs/lab.h"

namespace ridge {
namespace {

const char* one_chain_is_no_step(const Params& params) {
  return param_int(params, "chains", 1) == 1 ? "needs more than one chain" : nullptr;
}

const char* one_chase_is_no_step(const Params& params) {
  return param_int(params, "chases", 1) == 1 ? "needs more than one chase" : nullptr;
}

const Lab& machine_lab() {
  static const Lab lab = {
      .id = "machine",
      .title = "Reading a machine",
      .goal =
          "Measure the few numbers that explain every other lab: latency, operations in flight, "
          "bandwidth, and the two roofs above them.",
      .family = "chase",
      .rungs =
          {
              {"chains.cpu.one_chain", "one chain", "each waits for the one before"},
              {.kernel = "chains.cpu.chains",
               .title = "several chains",
               .change = "independent chains side by side",
               .no_step = one_chain_is_no_step},
              {"chase.cpu.pointer", "pointer chase", "each line names the next"},
              {.kernel = "chase.cpu.chases",
               .title = "several chases",
               .change = "independent misses side by side",
               .no_step = one_chase_is_no_step},
              {"chase.cpu.huge_pages", "huge pages", "pages of 2 MiB instead of 4 KiB"},
              {"sums.cpu.stride", "one word a line", "the next line before the next word"},
              {"sums.cpu.in_order", "in order", "all of a line while it is there"},
              {.kernel = "sums.cpu.threads",
               .title = "all cores",
               .change = "each thread reads a part",
               .no_step = one_thread_is_no_step},
              {"roofline.cpu.fmas", "along the roofline", "more arithmetic for each element"},
              {"chains.cuda.one_chain", "one warp, one chain", "each waits for the one before"},
              {.kernel = "chains.cuda.chains",
               .title = "one warp, several chains",
               .change = "independent chains in each thread",
               .no_step = one_chain_is_no_step},
              {.kernel = "chains.cuda.warps",
               .title = "several warps",
               .change = "a chain in each warp of an SM",
               .no_step = one_chain_is_no_step},
              {"chase.cuda.pointer", "pointer chase", "one thread, each line names the next"},
              {.kernel = "chase.cuda.chases",
               .title = "several chases",
               .change = "a chase in each thread of a block",
               .no_step = one_chase_is_no_step},
              {"sums.cuda.one_block", "one block", "one SM reads everything"},
              {"sums.cuda.stride", "words apart", "all SMs, but an eighth of each line"},
              {"sums.cuda.coalesced", "coalesced", "neighbours read neighbours"},
              {"roofline.cuda.fmas", "along the roofline", "more arithmetic for each element"},
          },
      .sections = {{"CPU, arithmetic units", "chains.cpu.one_chain"},
                   {"CPU, latency", "chase.cpu.pointer"},
                   {"CPU, bandwidth", "sums.cpu.stride"},
                   {"CPU, roofline", "roofline.cpu.fmas"},
                   {"GPU, arithmetic units", "chains.cuda.one_chain"},
                   {"GPU, latency", "chase.cuda.pointer"},
                   {"GPU, bandwidth", "sums.cuda.one_block"},
                   {"GPU, roofline", "roofline.cuda.fmas"}},
      .params =
          {
              {"chains", "chains of multiply-adds", {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32}},
              {"fmas", "multiply-adds an element", {1, 2, 4, 8, 16, 32, 64, 128, 256}},
              {"kib",
               "KiB of the working set",
               {4, 16, 32, 64, 256, 512, 1024, 4096, 16'384, 32'768, 65'536, 131'072, 262'144},
               Level::kLearn,
               "KiB"},
              {"chases", "chases through the set", {1, 2, 3, 4, 6, 8, 10, 12, 32, 128, 512, 1024}},
              {"threads", "threads", {}},
              {"stride", "words from one visit to the next", {1, 2, 4, 8, 16, 512}, Level::kLab},
          },
      .quality_metric = "error",
      .quality_limit =
          "every step and every word exactly; multiply-adds against float64 within their roundings",
      .lesson = "assets/lessons/machine.md",
      .place = 8,
      .group = "Start",
      .line = "latency, bandwidth, and two roofs",
      .level = Level::kLearn,
      // With one chain all three GPU rungs of the arithmetic units are the same.
      .first_look_gpu = {{"chains", int64_t{16}}},
      .levers = {{Bottleneck::latency, "chains.cpu.chains"},
                 {Bottleneck::latency, "chase.cpu.chases"},
                 {Bottleneck::memory_bandwidth, "sums.cpu.in_order"},
                 {Bottleneck::latency, "chains.cuda.chains"},
                 {Bottleneck::latency, "chains.cuda.warps"},
                 {Bottleneck::latency, "chase.cuda.chases"},
                 {Bottleneck::latency, "sums.cuda.coalesced"}},
      .items = "operations",
      .per_item = true,
  };
  return lab;
}

RIDGE_LAB(machine, machine_lab);

}  // namespace
}  // namespace ridge
