// ridge: flags=-O3,-ffp-contract=off
//
// Idea      Back-propagation through a table: its 64 entries are real numbers, the output is whether the
//           entry at the address is above 0, and the gradient passes straight through that step to the
//           entry that was read. Adam moves the entries; only their signs are used afterwards.
// Changed   WiSARD counted what it saw; this follows the gradient of a loss. Inputs are wired at random.
// Limits    The wiring: six random bits. learned_wiring shows what better ones gain.
// Look at   What learned_wiring gains with the same number of LUTs.
// Source    Straight-through estimator: Bengio, Leonard and Courville, arXiv:1308.3432; for tables:
//           Bacellar et al., arXiv:2410.11112.
#include "kernels/weightless/rungs/naive_luts.h"
#include "kernels/weightless/training.h"

namespace ridge {
namespace {

void backward(const LutJob* job, int lut) {
  int address[kLutBatch];
  for (int s = 0; s < kLutBatch; ++s) address[s] = address_of(job, lut, job->planes, s);
  learn_table(job, lut, address);
}

constexpr LutKernel kTablesOnly = {backward, naive_forward};

Result<std::unique_ptr<Training>> setup(const TrainDesc&, const Params& params, uint64_t seed) {
  Params fixed = params;
  fixed["candidates"] = int64_t{1};
  return weightless::set_up_training(fixed, seed, kTablesOnly);
}

constexpr TrainMaker kMaker = {.params = weightless::random_wiring_params, .build = setup};

RIDGE_TRAINING(weightless, cpu, random_wiring, .maker = &kMaker);

}  // namespace
}  // namespace ridge
