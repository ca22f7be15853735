// The ceilings that a request's rungs are held to: measured on first use, again while they are in doubt, sent when there
// is news.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "common/harness/measure/ceiling_rules.h"
#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/machine.h"
#include "common/harness/measure/outcome.h"
#include "common/record/believable.h"
#include "common/record/derive.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "worker/work.h"

namespace ridge::worker {
namespace {

/// Says which of how many ceilings is measured, since all of them take as long as many rungs. A ceiling is told by its text.
class CeilingCount : public measure::Observer {
 public:
  CeilingCount(measure::Observer* outer, size_t all) : outer_(outer), all_(all) {}
  void phase(int series, const measure::Phase& inner) override {
    if (inner.text != std::exchange(text_, inner.text)) ++at_;
    measure::Phase counted = inner;
    if (all_ > 1)
      counted.text += ", " + std::to_string(std::min(at_, all_)) + " of " + std::to_string(all_);
    outer_->phase(series, counted);
  }
  void announce(int series) override { outer_->announce(series); }
  bool cancelled() const override { return outer_->cancelled(); }

 private:
  measure::Observer* outer_;
  size_t all_, at_ = 0;
  std::string text_;
};

}  // namespace

measure::Evidence Work::DeviceCeilings::evidence() const {
  return {.cores = measure::read_cpu().cores, .reached = reached};
}

/// The ceilings that a request needs: of its devices, thread counts and types. A bare probe wants all.
std::map<Work::Place, std::set<CeilingKey>> Work::ceilings_wanted(
    const WorkRequest& request, const std::vector<Asked>& asked) const {
  std::map<Place, std::set<CeilingKey>> wanted;
  const auto want = [&](Backend backend, int threads, const std::string& what) {
    const bool cpu = backend == Backend::cpu;
    auto& of = wanted[{backend, cpu ? 0 : request.device}];
    of.insert({cpu ? threads : 1, ""});
    of.insert({cpu ? threads : 1, what});
  };
  for (const Asked& one : asked) {
    if (!one.rung->cannot().empty() || !one.has_room) continue;
    const int threads = static_cast<int>(param_int(one.params, "threads", 1));
    for (const std::string& what : one.rung->ceilings(one.params)) {
      want(one.rung->backend(), threads, what);
    }
  }
  if (request.type == RequestType::probe) {
    const int all = std::min(measure::read_cpu().cores, int(std::thread::hardware_concurrency()));
    for (const measure::CeilingRow& row : measure::ceiling_rows()) {
      if (row.backend == Backend::cuda && machine_.gpus().empty()) continue;
      want(row.backend, 1, row.asked_by());
      want(row.backend, all, row.asked_by());
    }
  }
  return wanted;
}

Result<bool> Work::measure_missing(measure::Device* where, const std::set<CeilingKey>& wanted,
                                   DeviceCeilings* ceilings, LineObserver* observer) {
  bool is_new = false;
  size_t all = 0;
  for (const CeilingKey& key : wanted) {
    if (ceilings->asked.count(key) == 0) all += measure::count_ceilings(*where, key.second);
  }
  CeilingCount counted(observer, all);
  for (const CeilingKey& key : wanted) {
    if (ceilings->asked.count(key) > 0) continue;
    const auto& [threads, what] = key;
    const auto begun_s = static_cast<int64_t>(std::time(nullptr));
    RIDGE_TRY(const auto found,
              measure::measure_ceilings(&machine_.bench, where, threads, what, &counted));
    ceilings->known.insert(ceilings->known.end(), found.begin(), found.end());
    ceilings->asked[key] = begun_s;
    is_new = true;
  }
  return is_new;
}

Result<void> Work::settle(measure::Device* where, DeviceCeilings* ceilings, Settling settling,
                          LineObserver* observer) {
  ++ceilings->looks;
  CeilingCount counted(observer,
                       measure::find_contradictions(ceilings->known, ceilings->evidence()).size());
  RIDGE_TRY_VOID(measure::settle_ceilings(
      &ceilings->known,
      [&](const Ceiling& known) -> Result<std::optional<Ceiling>> {
        if (settling == Settling::doubts) return std::optional<Ceiling>();
        return measure::measure_again(&machine_.bench, where, known, &counted);
      },
      ceilings->evidence()));
  keep(*where, *ceilings);
  ceilings->has_news = true;
  return {};
}

/// Others' load may have gone; a rung may have passed one that nothing spoke against.
bool Work::is_settled(const DeviceCeilings& ceilings, Backend backend) const {
  constexpr int kMostLooks = 8;
  if (ceilings.looks >= kMostLooks) return true;
  const bool quiet = !measure::is_contended(load_.cpus(), backend);
  for (const auto& one : measure::find_contradictions(ceilings.known, ceilings.evidence()))
    if (quiet || ceilings.known[one.ceiling].doubt.empty()) return false;
  return true;
}

/// Of these, whether a rung has passed one that nothing was said against.
bool Work::is_passed(const DeviceCeilings& ceilings) const {
  const auto found = measure::find_contradictions(ceilings.known, ceilings.evidence());
  return std::any_of(found.begin(), found.end(), [&](const measure::Contradiction& one) {
    return !one.is_busy && ceilings.known[one.ceiling].doubt.empty();
  });
}

void Work::note_reached(const Series& series, int gpu) {
  const Rung* measured = rung(series.kernel);
  if (measured == nullptr || !series.may_show_speed()) return;
  const bool is_edited = is_edit(series.kernel);
  const bool cpu = measured->backend() == Backend::cpu;
  auto& reached = ceilings_[{measured->backend(), cpu ? 0 : gpu}].reached;
  Environment machine;
  machine.cpu = measure::read_cpu();
  machine.gpus = machine_.gpus();
  for (const BoundRate& rate : bound_rates(series, measured->info().accuracy, &machine)) {
    const auto same = std::find_if(reached.begin(), reached.end(), [&](const auto& one) {
      return one.rate.resources == rate.resources && one.rate.dtype == rate.dtype &&
             one.rate.threads == rate.threads && one.is_edit == is_edited;
    });
    const measure::Reached made = {series.kernel, rate, is_edited};
    if (same == reached.end())
      reached.push_back(made);
    else if (rate.per_s > same->rate.per_s)
      *same = made;
  }
}

double Work::ceilings_left_s(const WorkRequest& request, const std::vector<Asked>& asked) {
  constexpr double kRow_s = 0.6;  // making its buffers, warming up, timing
  static const DeviceCeilings kNone;
  if (const char* setting = std::getenv("RIDGE_CEILINGS"); setting && std::string(setting) == "off")
    return 0;
  WorkRequest run = request;
  run.type = RequestType::run;  // a probe asks for all that there are
  int rows = 0;
  for (const auto& [place, wanted] : ceilings_wanted(run, asked)) {
    const auto known = ceilings_.find(place);
    const DeviceCeilings& of = known == ceilings_.end() ? kNone : known->second;
    const auto where = machine_.device(place.first, request.device);
    const KeptByKey kept = where ? kept_of(**where, wanted, of) : KeptByKey();
    rows += kept.empty() ? 0 : 1;  // one of them is looked at
    for (const CeilingKey& key : wanted) {
      if (of.asked.count(key) > 0 || kept.count(key) > 0) continue;
      for (const measure::CeilingRow& row : measure::ceiling_rows())
        rows += row.backend == place.first && row.asked_by() == key.second;
    }
  }
  return kRow_s * rows;
}

Result<void> Work::ceilings(const WorkRequest& request, const std::vector<Asked>& asked,
                            LineObserver* observer, Settling settling) {
  const bool send_known = request.type == RequestType::probe;
  // For tests and scripts that start many workers: without ceilings utilization is unavailable.
  const char* setting = std::getenv("RIDGE_CEILINGS");
  if (!send_known && setting != nullptr && std::string(setting) == "off") return {};
  Json list = Json::array();
  for (const auto& [place, wanted] : ceilings_wanted(request, asked)) {
    const auto where = machine_.device(place.first, request.device);
    if (!where) continue;  // its rungs will say why they cannot run
    DeviceCeilings& of = ceilings_[place];
    RIDGE_TRY_VOID(take_kept(*where, wanted, request.anew, &of, observer));
    RIDGE_TRY(const bool is_new, measure_missing(*where, wanted, &of, observer));
    const bool is_doubted = std::any_of(of.known.begin(), of.known.end(),
                                        [](const Ceiling& one) { return !one.doubt.empty(); });
    if (is_new || (send_known ? is_doubted : !is_settled(of, place.first)))
      RIDGE_TRY_VOID(settle(*where, &of, settling, observer));
    if (!of.has_news && !send_known) continue;
    for (const Ceiling& ceiling : of.known) list.push_back(ceiling);
    of.has_news = false;
  }
  if (list.empty() && !send_known) return {};
  emitter_->emit("result", {{"request", request.id}, {"ceilings", list}});
  return {};
}

}  // namespace ridge::worker
