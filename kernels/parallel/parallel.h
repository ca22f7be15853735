// The family of parallel training: one step of training a network, by ranks that are processes.
//
//   o[0] = x, o[l + 1] = tanh(o[l] W[l]), the last without tanh;  loss = sum of (o[layers] - t)^2 / (2 batch)
//   dim {ranks, layers, width, batch, parts, delay_us, rate_mb_s, mflop_s}
//   buffers  w, m, v   [layers][width][width]  parameters W[l][in][out], and Adam's means of gradients and their squares
//            x, t      [batch][width]          inputs and targets
//            w', m', v', loss                  after one step of Adam (Kingma and Ba, arXiv:1412.6980)
//
// However the work is shared out, a step gives the same parameters, but for roundings: that is the check. The gradient of inputs
// is computed too, as a layer below would need it, so that every layer has the same work: 6 batch width^2 FLOP. Why tanh: its
// slope follows from its output and has no corner, at which another order of additions would come to another slope.
#pragma once

#include <stdint.h>

#include "common/harness/kernel/kernel.h"
#include "kernels/runtime/ranks/rank.h"

namespace ridge {

enum {
  kParallelRanks,
  kParallelLayers,
  kParallelWidth,
  kParallelBatch,
  kParallelParts,
  kParallelDelay,
  kParallelRate,
  kParallelSpeed
};

namespace parallel {

inline constexpr int64_t kMostLayers = 16, kMostParts = 16;
/// Adam's: rate, decay of the two means, what keeps a division finite, and 1 - decay^step of its tenth step.
inline constexpr double kAdamRate = 1e-3, kDecay = 0.9, kSquareDecay = 0.999, kEpsilon = 1e-8;
inline constexpr double kMeanShare = 0.6513215599, kSquareShare = 0.00995511979025;

/// What memory is for.
enum class Use { parameters, gradients, optimizer, gathered, activations };
inline constexpr int kUses = 5;

struct TrainingShape {
  int64_t ranks = 1, layers = 1, width = 1, batch = 1;
  int64_t parts = 1;  ///< of a batch that go through a pipeline one after another
};
TrainingShape training_shape(const Shape& shape);

/// A part of a layer's matrix.
struct Block {
  int64_t row = 0, rows = 0, column = 0, columns = 0;
  int64_t size() const { return rows * columns; }
};
inline Block whole(const TrainingShape& s) {
  return {0, s.width, 0, s.width};
}
inline Block rows_of(const TrainingShape& s, const Chunk& rows) {
  return {rows.begin, rows.count, 0, s.width};
}
inline Block columns_of(const TrainingShape& s, const Chunk& columns) {
  return {0, s.width, columns.begin, columns.count};
}

/// What a rank keeps of a layer from step to step.
struct Holding {
  Block parameters, optimizer;
};
using HoldingOf = Holding (*)(const TrainingShape& s, int64_t rank, int64_t layer);
Holding holds_all(const TrainingShape& s, int64_t rank, int64_t layer);

/// A layer on its rank. Its matrices are the blocks that the rank holds, row after row.
struct Layer {
  Holding holding;
  float* w = nullptr;
  float *m = nullptr, *v = nullptr;  ///< of the optimizer's block
  float* g = nullptr;                ///< the rung's, where it keeps a gradient
};

/// A part of the batch on its way through the layers.
struct Pass {
  Chunk rows;                            ///< of the batch
  float* outputs[kMostLayers + 1] = {};  ///< outputs[l]: what layer l reads
  float* gradient =
      nullptr;  ///< of the loss, by the outputs of the layer that comes next on the way back
};

/// What a rung is written with.
class TrainingRank {
 public:
  TrainingShape shape;
  int64_t me = 0;
  Rank* rank = nullptr;  ///< for messages
  Layer layers[kMostLayers];

  /// Memory for `n` numbers, counted by its use. There is as much as one rank needs for everything.
  float* take(Use use, int64_t n);
  void give(float* memory);
  float* take_gradient(int64_t n);  ///< zeros

  // ---- a pass ----
  /// outputs[0] of these rows.
  Pass begin(const Chunk& rows);
  /// outputs[l + 1], with the whole matrix `w`.
  void forward(Pass* pass, int64_t l, const float* w);
  /// The gradient of the loss by the last outputs, and the loss, which counts where the rows are this rank's.
  void judge(Pass* pass, bool counts = true);
  /// Adds to `g`, goes on to the gradient of outputs[l], and gives outputs[l + 1] back.
  void backward(Pass* pass, int64_t l, const float* w, float* g);
  /// Gives what is left of it back.
  void end(Pass* pass);
  /// One step of Adam on the optimizer's block of layer l, whose parameters begin at `w` and whose gradient at `g`.
  void update(int64_t l, float* w, const float* g);

  // ---- parts of a pass, where a layer is no rank's alone: y = x w, dx = d w^T, g += x^T d ----
  void times(const float* x, const float* w, int64_t rows, int64_t in, int64_t out, float* y);
  void times_transposed(const float* d, const float* w, int64_t rows, int64_t in, int64_t out,
                        float* dx);
  void add_outer(const float* x, const float* d, int64_t rows, int64_t in, int64_t out, float* g);
  void activate(float* y, int64_t n);                       ///< y = tanh(y)
  void activate_back(const float* y, float* d, int64_t n);  ///< d = d (1 - y^2)

  /// While this is set, its messages are taken and sent on whenever a product waits for its time.
  class RingSums* background = nullptr;

 private:
  friend class TrainingRanks;
  struct Piece {
    int64_t at = 0, n = 0;
    Use use = Use::parameters;
    bool taken = false;
  };
  template <class Do>
  void work(double flop, Do act);
  void reset();
  void hold(HoldingOf holding);
  void train(const struct TrainingRung& rung);
  void show();

  static constexpr int kMostPieces = 1024;
  float* arena_ = nullptr;
  int64_t arena_size_ = 0;
  Piece pieces_[kMostPieces];
  int pieces_count_ = 0;
  int64_t held_[kUses] = {}, most_[kUses] = {}, held_all_ = 0, most_all_ = 0;
  double ns_per_flop_ = 0, busy_ns_ = 0, loss_ = 0;
  const float *x_ = nullptr, *t_ = nullptr;
};

/// The sum over all ranks by a ring (kernels/collectives/rungs/ring.cpp), in place. Chunks are whole units of numbers.
class RingSum {
 public:
  enum class Until { scattered, gathered };
  RingSum() = default;
  /// `scattered`: in the end chunk `me` is the sum, and the others are halfway. `gathered`: all are.
  RingSum(TrainingRank* r, float* data, int64_t units, int64_t unit, Until until);
  /// As far as it comes without waiting; whether it is over.
  bool advance() { return go_on(false); }
  void finish() { go_on(true); }

 protected:
  bool go_on(bool waits);
  Rank* rank_ = nullptr;
  float* data_ = nullptr;
  int64_t units_ = 0, unit_ = 1, step_ = 0, end_ = 0;
  bool is_sent_ = false;
};

/// Chunk `me` of each rank to all.
class RingGather : public RingSum {
 public:
  RingGather(TrainingRank* r, float* data, int64_t units, int64_t unit);
};

/// Several, one after the other, each as far as it comes.
class RingSums {
 public:
  void add(const RingSum& sum) { sums_[count_++] = sum; }
  void advance();
  void finish();

 private:
  RingSum sums_[kMostLayers];
  int count_ = 0, done_ = 0;
};

// ---- what a call came to ----
/// Where a rank writes it, behind its blocks.
enum { kFactLoss, kFactBusy, kFactBytes, kFacts = 16 };
struct RankFacts {
  double busy_ns = 0;        ///< of the last step, in products and updates
  double bytes[kUses] = {};  ///< when the rank held most
  double bytes_in_all() const;
};
RankFacts facts_of_rank(void* plan_state, int rank);
RankCounts messages_of_rank(void* plan_state, int rank);

// ---- for KernelDesc: rungs/one.cpp shows it ----
struct TrainingRung {
  HoldingOf holding;
  void (*step)(TrainingRank& r);
};
Status prepare_training(const Shape& shape, const TrainingRung& rung, Plan* plan);
Status launch_training(const Launch& launch);
Status time_training(const Launch& launch, int64_t calls, CallTimes* times);

}  // namespace parallel
}  // namespace ridge
