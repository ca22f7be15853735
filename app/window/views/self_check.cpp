#include "app/window/views/self_check.h"

#include <algorithm>

#include "app/query/selection.h"
#include "app/window/shell/actions.h"
#include "common/record/noise_floor.h"
#include "common/record/params.h"

namespace ridge::window {
namespace {

Result<KernelRequest> side_of(const State& state) {
  RIDGE_TRY(const Lab* lab, app::require_lab(kSelfCheckLab));
  RIDGE_TRY(const Params given, parse_params({kSelfCheckSet}));
  return app::select_side(*lab, state.run(), kSelfCheckRung, given);
}

void send_one(State& state) {
  const auto side = side_of(state);
  if (side) return send(state, self_check_request(kSelfCheckLab, *side), &state.requests.compare);
  state.requests.aa_left = 0;
  state.notice = {side.error().sentence(), true};
}

}  // namespace

std::string self_checks_blocker(const State& state) {
  if (std::string why = work_blocker(state); !why.empty()) return why;
  if (state.sessions.shown->state() == app::WorkerState::lost) return {};
  const auto side = side_of(state);
  return side ? std::string() : side.error().sentence();
}

void run_self_checks(State& state) {
  if (must_list_again(state)) return run_ladder(state);
  state.requests.aa_left = kSelfChecks;
  send_one(state);
}

void next_self_check(State& state, const Request& ended) {
  if (state.requests.aa_left == 0) return;
  const auto& all = state.run().comparisons();
  const auto made = std::find_if(all.rbegin(), all.rend(),
                                 [&](const Comparison& one) { return one.request == ended.id; });
  const bool judged = made != all.rend() && made->ci;
  state.requests.aa_left =
      ended.status == RequestStatus::ok && judged ? state.requests.aa_left - 1 : 0;
  if (state.requests.aa_left > 0) return send_one(state);
  if (ended.status != RequestStatus::ok) return;  // the notice says why
  state.notice = {judged ? noise_floor(state.run()).sentence()
                  : made != all.rend() && !made->reasons.empty()
                      ? made->reasons.front()
                      : "The comparison gave no interval.",
                  !judged};
}

}  // namespace ridge::window
