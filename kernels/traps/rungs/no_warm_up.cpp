// ridge: flags=-O2
//
// Idea      Time the first call, on memory nobody has touched: what a program does that allocates,
//           calls once and prints.
// The lie   The operating system hands out a page at its first use. The call pays for 4,096 pages of
//           its output, and for code and tables that are not in any cache yet.
// Victim    An outer product (k = 1) of 16 MiB: little arithmetic, so that what it writes decides.
// Guard     The harness touches every page it allocates and warms up until the clock is steady.
// Source    Georges, Buytaert, Eeckhout, Statistically Rigorous Java Performance Evaluation (2007).
#include <sys/mman.h>

#include "kernels/runtime/problems/gemm.h"
#include "kernels/runtime/traps/victim.h"

namespace ridge::traps {
namespace {

constexpr char kVictim[] = "gemm.cpu.loop_order";
constexpr Size kSize = {.m = 1024, .n = 4096, .k = 1};

class NoWarmUp : public VictimTrap {
 public:
  using VictimTrap::VictimTrap;

  Result<double> lie() override {
    // Not from malloc: it may hand back pages that were used before.
    const size_t bytes = victim_->rung.instance->specs[kGemmC].bytes;
    void* fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return Error{ErrorCode::unavailable, "no fresh memory", kVictim, ""};
    measure::Side side = victim_->rung.plain_side();
    void* buffers[] = {side.launch.buffers[kGemmA], side.launch.buffers[kGemmB], fresh};
    side.launch.buffers = buffers;
    const auto first_call = device()->time_latency(side);
    munmap(fresh, bytes);
    if (!first_call) return first_call.error();
    return first_call->t_ns * 1e-9;
  }

  Result<GuardVerdict> guard(double lie, double honest) override {
    RIDGE_TRY(const auto anew, Victim::make(kVictim, kSize, device()));
    RIDGE_TRY(const double reading, anew->call_s());
    return GuardVerdict{is_nearer(reading, honest, lie),
                        "memory allocated anew by the harness was touched and the call warmed up "
                        "first: it reads " +
                            time_text(reading)};
  }
};

Result<std::unique_ptr<Trap>> set_up(measure::Device* device) {
  return trap_on<NoWarmUp>(Victim::make(kVictim, kSize, device));
}

RIDGE_TRAP(traps, cpu, no_warm_up, .victim = "an outer product of 16 MiB",
           .quantity = "time per call", .guard = "every page is touched, and a warm-up comes first",
           .set_up = set_up);

}  // namespace
}  // namespace ridge::traps
