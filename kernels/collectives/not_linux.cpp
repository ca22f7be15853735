// The browser edition forks no process: the rungs are listed there, with the reason.
#ifndef __linux__
#include "kernels/collectives/collectives.h"

namespace ridge {

constexpr const char* kNoProcesses = "needs processes that share memory, which only Linux gives it";

Status prepare_ranks(const Shape&, void (*)(Rank&), Plan*) {
  return refuse(kNoProcesses);
}
Status launch_ranks(const Launch&) {
  return refuse(kNoProcesses);
}
Status time_ranks(const Launch&, int64_t, CallTimes*) {
  return refuse(kNoProcesses);
}
RankCounts counts_of_rank(void*, int) {
  return {};
}
const char* ranks_unavailable() {
  return kNoProcesses;
}
void Rank::send(int64_t, const float*, int64_t) {}
void Rank::wait_sent(int64_t) {}
void Rank::receive(int64_t, float*, int64_t) {}
void Rank::reduce(int64_t, const float*, float*, int64_t) {}
void Rank::copy(float*, const float*, int64_t) {}

}  // namespace ridge
#endif
