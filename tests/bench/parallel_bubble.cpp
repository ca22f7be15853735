// The bubble of the pipelines, measured beside its formula: of each rank the time of a step in which it computes nothing.
//   parallel_bubble [RANKS [LAYERS [PARTS...]]]
// Links cost nothing, and a rank's speed is so low that the cores keep up. Prints a line for each rung and number of parts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/harness/kernel/registry.h"
#include "common/record/params.h"
#include "kernels/parallel/parallel.h"

using namespace ridge;

namespace {

constexpr int kSteps = 15;

struct Order {
  const char* kernel;
  int64_t stages_of_rank;
};

/// The median over steps of the mean over ranks; negative: it does not take such a problem.
double bubble_of(const KernelDesc& kernel, const Problem& problem) {
  Plan plan;
  if (!kernel.prepare(problem.shape(), &plan).ok()) return -1;
  HostBuffers host(problem.buffers().size());
  std::vector<void*> pointers;
  for (size_t i = 0; i < host.size(); ++i) host[i].resize(problem.buffers()[i].bytes);
  problem.generate(1, &host);
  for (auto& buffer : host) pointers.push_back(buffer.data());
  const Launch launch = {problem.shape(), pointers.data(), nullptr, plan.state};
  std::vector<double> bubbles;
  for (int step = 0; step <= kSteps; ++step) {
    CallTimes times;
    const bool first = step == 0;
    if (!(first ? kernel.launch(launch) : kernel.time_calls(launch, 1, &times)).ok()) return -1;
    double idle = 0;
    const int64_t ranks = problem.shape().dim[kParallelRanks];
    for (int rank = 0; rank < ranks; ++rank) {
      const parallel::RankFacts facts = parallel::facts_of_rank(plan.state, rank);
      idle += 1 - facts.busy_ns / times.wall_ns;
    }
    if (!first) bubbles.push_back(idle / double(ranks));
  }
  plan.release(plan.state);
  std::nth_element(bubbles.begin(), bubbles.begin() + kSteps / 2, bubbles.end());
  return bubbles[kSteps / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t ranks = argc > 1 ? std::atoll(argv[1]) : 4;
  const int64_t layers = argc > 2 ? std::atoll(argv[2]) : 16;
  std::vector<int64_t> all;
  for (int i = 3; i < argc; ++i) all.push_back(std::atoll(argv[i]));
  if (all.empty()) all = {4, 8, 16};
  const FamilyDesc* family = find_family("parallel");
  const Order orders[] = {
      {"parallel.cpu.gpipe", 1}, {"parallel.cpu.one_f_one_b", 1}, {"parallel.cpu.interleaved", 2}};
  for (const auto& [id, stages] : orders) {
    for (const int64_t parts : all) {
      const auto params = resolve_params(family->params(),
                                         {{"ranks", ranks},
                                          {"layers", layers},
                                          {"parts", parts},
                                          {"batch", int64_t{128}},
                                          {"width", int64_t{128}},
                                          {"mflop_s", int64_t{500}},
                                          {"delay_us", int64_t{0}},
                                          {"rate_mb_s", int64_t{0}}},
                                         "parallel");
      const auto problem = family->make_problem(*params);
      const double got = bubble_of(*find_kernel(id), **problem);
      const double formula = double(ranks - 1) / double(stages * parts + ranks - 1);
      std::printf("%-26s %lld ranks %2lld parts  bubble %5.1f %%  formula %5.1f %%\n", id,
                  static_cast<long long>(ranks), static_cast<long long>(parts), 100 * got,
                  100 * formula);
    }
  }
}
