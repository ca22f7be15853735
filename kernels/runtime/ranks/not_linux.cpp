// The browser edition forks no process: the rungs are listed there, with the reason.
#ifndef __linux__
#include <cstdlib>

#include "kernels/runtime/ranks/processes.h"

namespace ridge {

constexpr const char* kNoProcesses = "needs processes that share memory, which only Linux gives it";

const char* ranks_unavailable() {
  return kNoProcesses;
}
Ranks::~Ranks() = default;
Status Ranks::start(const Rank&, const RankRoom&, RankCall) {
  return refuse(kNoProcesses);
}
Status Ranks::run(int64_t, const ranks::PortCost&, CallTimes*, int64_t) {
  return refuse(kNoProcesses);
}
RankCounts Ranks::counts(int64_t) const {
  return {};
}
float* Ranks::in(int64_t) const {
  return nullptr;
}
float* Ranks::out(int64_t) const {
  return nullptr;
}
float* Ranks::scratch(int64_t) const {
  return nullptr;
}
int64_t Ranks::rank_with_broken_guard() const {
  return -1;
}
bool Ranks::has_arrived(const Rank&, int64_t, int64_t) {
  return false;
}
bool Ranks::is_taken(const Rank&, int64_t) {
  return true;
}
void Ranks::give_up() {
  std::abort();
}
namespace ranks {
double clock_ns() {
  return 0;
}
void wait_until(double) {}
}  // namespace ranks
void Rank::send(int64_t, const float*, int64_t) {}
void Rank::wait_sent(int64_t) {}
void Rank::receive(int64_t, float*, int64_t) {}
void Rank::reduce(int64_t, const float*, float*, int64_t) {}
void Rank::copy(float*, const float*, int64_t) {}

}  // namespace ridge
#endif
