// Another family's problem, posed by a family of its own: the same data and check. A family adds to the shape what its
// rungs need beside the problem, and says what a call works off.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/harness/kernel/family.h"

namespace ridge {

class PosedProblem : public Problem {
 public:
  /// `items`: of one call; 0: those of `problem`.
  explicit PosedProblem(std::unique_ptr<Problem> problem, double items = 0)
      : problem_(std::move(problem)), items_(items) {}

  Shape shape() const override { return problem_->shape(); }
  std::vector<BufferSpec> buffers() const override { return problem_->buffers(); }
  double flop() const override { return problem_->flop(); }
  double bytes_min() const override { return problem_->bytes_min(); }
  double items() const override { return items_ > 0 ? items_ : problem_->items(); }
  void generate(uint64_t seed, HostBuffers* host) const override { problem_->generate(seed, host); }
  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    return problem_->check(host, full, seed);
  }

 private:
  std::unique_ptr<Problem> problem_;
  double items_;
};

}  // namespace ridge
