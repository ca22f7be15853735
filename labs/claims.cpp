// The last lab: each rung is a claim as somebody publishes it, beside what the same measurement says when all of it is
// told. kernels/claims/ has one file for each; they run as the traps do.
#include "labs/lab.h"
#include "labs/product_limits.h"

namespace ridge {
namespace {

const Lab& claims_lab() {
  static const Lab lab = {
      .id = "claims",
      .title = "Calibrate the claim",
      .goal =
          "Read a published figure, ask what is missing, and see what the whole measurement says.",
      .family = "claims",
      .rungs =
          {
              {"claims.cpu.cherry_picked_size", "cherry-picked size", "the best of four sizes"},
              {"claims.cpu.handicapped_baseline", "handicapped baseline",
               "one thread against all of them"},
              {"claims.cpu.another_type", "another type", "float64 beside float32"},
              {"claims.cpu.below_the_noise", "below the noise", "two medians, no interval"},
              {"claims.cpu.no_error_column", "no error column", "half the bits, and not a word"},
              {"claims.cpu.latency_called_throughput", "throughput called latency",
               "a batch, divided by its size"},
          },
      .sections = {{"What is compared", "claims.cpu.cherry_picked_size"},
                   {"What is left out", "claims.cpu.below_the_noise"}},
      .params = {},
      .quality_metric = "error",
      .quality_limit = kProductLimit,
      .type_limits = product_limits(),
      .lesson = "assets/lessons/claims.md",
      .place = 100,
      .group = "Judge",
      .line = "a claim, and the whole measurement",
      .level = Level::kLearn,
      .counts_flop = false,
  };
  return lab;
}

RIDGE_LAB(claims, claims_lab);

}  // namespace
}  // namespace ridge
