// Idea      The batch lies on its side: a word holds one feature of 64 images. The forward pass is then
//           the inference kernel, and a candidate's gradient a masked sum of 256 signed bytes.
// Changed   Extended finite differences depend on LUT and address alone: six tables of 64 entries a LUT
//           and step, made by butterflies, replace 64 terms an image and pin. Gradient, Adam and new
//           bits of a LUT are one pass while it lies in L1. LUTs are split among the threads.
// Limits    The candidates: 1,536,000 sums of 256 images a step at 2000 LUTs and 128 candidates, and their
//           18 MB of weights and moments pass through the caches every step.
// Look at   The same weights, bit for bit, as learned_wiring after as many steps: sums are integers.
// Source    bit_sliced_luts.cpp and avx512_luts.cpp hold the two ways to compute a LUT's step, of which
//           the faster that this CPU has is taken; fast_luts.h what they share. The method: Bacellar et
//           al., arXiv:2410.11112. Masked dot products instead of K floating-point sums are ours.
#include "kernels/weightless/training.h"

namespace ridge {
namespace {

Result<std::unique_ptr<Training>> setup(const TrainDesc&, const Params& params, uint64_t seed) {
  return weightless::set_up_training(params, seed, weightless::fastest_lut_kernel());
}

constexpr TrainMaker kMaker = {.params = weightless::training_params, .build = setup};

RIDGE_TRAINING(weightless, cpu, fast_training, .maker = &kMaker);

}  // namespace
}  // namespace ridge
