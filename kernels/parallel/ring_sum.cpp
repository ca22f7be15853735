#include "kernels/parallel/parallel.h"
#include "kernels/runtime/ranks/processes.h"

namespace ridge::parallel {

RingSum::RingSum(TrainingRank* r, float* data, int64_t units, int64_t unit, Until until)
    : rank_(r->rank), data_(data), units_(units), unit_(unit) {
  const int64_t round = rank_->ranks - 1;
  end_ = until == Until::gathered ? 2 * round : round;
}

RingGather::RingGather(TrainingRank* r, float* data, int64_t units, int64_t unit)
    : RingSum(r, data, units, unit, Until::gathered) {
  step_ = rank_->ranks - 1;
}

/// In step s of each round a rank passes on what step s - 1 brought it.
bool RingSum::go_on(bool waits) {
  const int64_t n = rank_->ranks, next = (rank_->me + 1) % n, before = (rank_->me + n - 1) % n;
  for (; step_ < end_; ++step_) {
    const bool adds = step_ + 1 < n;
    const int64_t away = rank_->me - (adds ? step_ + 1 : step_ + 1 - n);
    const Chunk out = chunk_of(units_, n, away), in = chunk_of(units_, n, away - 1);
    if (!is_sent_) {
      if (!waits && !Ranks::is_taken(*rank_, next)) return false;
      rank_->send(next, data_ + out.begin * unit_, out.count * unit_);
      is_sent_ = true;
    }
    float* here = data_ + in.begin * unit_;
    if (!waits && !Ranks::has_arrived(*rank_, before, in.count * unit_)) return false;
    if (adds)
      rank_->reduce(before, here, here, in.count * unit_);
    else
      rank_->receive(before, here, in.count * unit_);
    is_sent_ = false;
  }
  if (waits) rank_->wait_sent(next);
  return Ranks::is_taken(*rank_, next);
}

void RingSums::advance() {
  while (done_ < count_ && sums_[done_].advance()) ++done_;
}

void RingSums::finish() {
  for (; done_ < count_; ++done_) sums_[done_].finish();
}

}  // namespace ridge::parallel
