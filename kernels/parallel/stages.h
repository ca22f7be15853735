// A stage of a pipeline: its layers, which may be none, and the messages at their borders. Stages go round the ranks, so that stage i is on
// rank i modulo the ranks.
#pragma once

#include "kernels/parallel/parallel.h"

namespace ridge::parallel {

/// All of the layers of its stage, and none of the others.
Holding holds_stage(const TrainingShape& s, int64_t rank, int64_t layer);

class Stage {
 public:
  /// Stage `index` of `stages`. Takes the gradients of its layers.
  Stage(TrainingRank* rank, int64_t index, int64_t stages);
  /// Part `part` of the batch through its layers: from the stage before, and on to the next.
  Pass forward(int64_t part);
  /// Back through them: from the next stage, and on to the one before.
  void backward(Pass* pass);
  /// Adam on its layers, when all parts have come back.
  void update();

 private:
  bool is_first() const { return index_ == 0; }
  bool is_last() const { return index_ + 1 == stages_; }
  int64_t before() const { return (r_->me + r_->shape.ranks - 1) % r_->shape.ranks; }
  int64_t next() const { return (r_->me + 1) % r_->shape.ranks; }
  int64_t size(const Pass& pass) const { return pass.rows.count * r_->shape.width; }

  TrainingRank* r_;
  int64_t index_, stages_;
  Chunk layers_;
  float* on_its_way_ = nullptr;  ///< a gradient that the stage before may not have read yet
};

}  // namespace ridge::parallel
