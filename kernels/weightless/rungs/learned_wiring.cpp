// ridge: flags=-O3,-ffp-contract=off
//
// Idea      Each pin chooses: among K features the one of the highest weight. Its gradient asks what the
//           LUT would have said had this input been the other bit, at the image's address and, ever less,
//           at its neighbours: extended finite differences.
// Changed   The wiring learns. Per image, LUT and pin 64 signed terms, then K sums.
// Limits    Time: 200 million terms a step at 2000 LUTs, and bits fetched one at a time.
// Look at   Accuracy against random_wiring after as many steps; and the seconds it took.
// Source    Bacellar et al., Differentiable Weightless Neural Networks, ICML 2024 (arXiv:2410.11112).
#include "kernels/weightless/rungs/naive_luts.h"
#include "kernels/weightless/training.h"

namespace ridge {

extern const LutKernel kLutNaive;

namespace {

/// The extended finite difference at one address, Q15.
int16_t pin_difference(const float* table, int pin, int address) {
  static const int32_t kWeight[kLutPins] = {243, 81, 27, 9, 3, 1};
  const int others = ~(1 << pin);
  int32_t sum = 0;
  for (int b = 0; b < kLutEntries; ++b) {
    const int distance = __builtin_popcount((unsigned)((b ^ address) & others & (kLutEntries - 1)));
    const int32_t part = kWeight[distance] * entry_q19(table[b]);
    sum += b >> pin & 1 ? part : -part;
  }
  return pin_q15(sum);
}

void learn_pin(const LutJob* job, int lut, int pin, const int* address, const int16_t* gradients) {
  enum { kMax = 1024 };
  const int many = job->candidates < kMax ? job->candidates : kMax;
  const int64_t first = ((int64_t)lut * kLutPins + pin) * job->candidates;
  int32_t gradient[kMax] = {};
  for (int s = 0; s < kLutBatch; ++s) {
    const int16_t difference =
        pin_difference(job->table + (int64_t)lut * kLutEntries, pin, address[s]);
    const int32_t g = pin_gradient(gradients[s], difference);
    for (int k = 0; k < many; ++k) {
      gradient[k] += bit_of(job->planes, job->candidate[first + k], s) ? g : -g;
    }
  }
  adam_update(&job->adam, many, gradient, job->weight + first, job->weight_mean + first,
              job->weight_square + first);
  int best = 0;
  for (int k = 1; k < many; ++k) {
    if (job->weight[first + k] > job->weight[first + best]) best = k;
  }
  job->wiring[lut * kLutPins + pin] = job->candidate[first + best];
}

void backward(const LutJob* job, int lut) {
  const int16_t* gradients = job->gradients + lut / job->luts_per_class * kLutBatch;
  int address[kLutBatch];
  for (int s = 0; s < kLutBatch; ++s) address[s] = address_of(job, lut, job->planes, s);
  if (job->candidates > 1) {
    for (int p = 0; p < kLutPins; ++p) learn_pin(job, lut, p, address, gradients);
  }
  learn_table(job, lut, address);
}

Result<std::unique_ptr<Training>> setup(const TrainDesc&, const Params& params, uint64_t seed) {
  return weightless::set_up_training(params, seed, kLutNaive);
}

constexpr TrainMaker kMaker = {.params = weightless::training_params, .build = setup};

RIDGE_TRAINING(weightless, cpu, learned_wiring, .maker = &kMaker);

}  // namespace

const LutKernel kLutNaive = {backward, naive_forward};

}  // namespace ridge
