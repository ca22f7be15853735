// Ceilings that an earlier worker measured: taken once one of them is found to hold, left to later workers when they are sound.
#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "common/harness/measure/ceiling_rules.h"
#include "common/harness/measure/ceilings.h"
#include "common/harness/measure/environment.h"
#include "worker/work.h"

namespace ridge::worker {
namespace {

int64_t now_s() {
  return static_cast<int64_t>(std::time(nullptr));
}

/// For tests and scripts: what an earlier command measured is not read, and nothing is written.
bool is_keeping_off() {
  const char* setting = std::getenv("RIDGE_CEILINGS");
  return setting != nullptr && (std::string(setting) == "anew" || std::string(setting) == "off");
}

}  // namespace

/// Too old by now, or not wanted any more.
void Work::forget_kept(bool anew, DeviceCeilings* ceilings) {
  const int64_t now = now_s();
  for (auto key = ceilings->kept.begin(); key != ceilings->kept.end();) {
    if (!anew && now - ceilings->asked[*key] < kKept_s) {
      ++key;
      continue;
    }
    std::erase_if(ceilings->known, [&](const Ceiling& one) { return key_of(one) == *key; });
    ceilings->asked.erase(*key);
    key = ceilings->kept.erase(key);
  }
}

KeptByKey Work::kept_of(const measure::Device& where, const std::set<CeilingKey>& wanted,
                        const DeviceCeilings& ceilings) const {
  const bool is_all_known = std::all_of(wanted.begin(), wanted.end(), [&](const CeilingKey& key) {
    return ceilings.asked.count(key) > 0;
  });
  if (is_all_known || ceilings.has_changed || is_keeping_off()) return {};
  KeptByKey kept = read_kept(kept_ceilings_path(), comparable_as(where, machine_.gpus()), now_s());
  std::erase_if(kept, [&](const auto& one) {
    return wanted.count(one.first) == 0 || ceilings.asked.count(one.first) > 0;
  });
  return kept;
}

/// What the clock decides is looked at: multiply-adds, where they are among them.
Result<bool> Work::still_holds(measure::Device* where, const KeptByKey& kept,
                               LineObserver* observer) {
  const Ceiling* chosen = nullptr;
  for (const auto& [key, of] : kept)
    for (const Ceiling& one : of.ceilings)
      if (chosen == nullptr || (one.resource == "flop" && chosen->resource != "flop"))
        chosen = &one;
  if (chosen == nullptr) return true;
  RIDGE_TRY(const auto now, measure::measure_again(&machine_.bench, where, *chosen, observer));
  return now && measure::is_as_fast_as_then(*chosen, *now);
}

Result<void> Work::take_kept(measure::Device* where, const std::set<CeilingKey>& wanted, bool anew,
                             DeviceCeilings* ceilings, LineObserver* observer) {
  forget_kept(anew, ceilings);
  if (anew) return {};
  const KeptByKey kept = kept_of(*where, wanted, *ceilings);
  if (kept.empty()) return {};
  RIDGE_TRY(const bool holds, still_holds(where, kept, observer));
  ceilings->has_changed = !holds;
  if (!holds) return {};
  const int64_t now = now_s();
  for (const auto& [key, of] : kept) {
    for (Ceiling one : of.ceilings) {
      one.kept_utc = measure::utc_text(of.measured_s);
      one.kept_s = static_cast<double>(now - of.measured_s);
      ceilings->known.push_back(std::move(one));
    }
    ceilings->asked[key] = of.measured_s;
    ceilings->kept.insert(key);
  }
  ceilings->has_news = true;
  // The file has no doubts: they follow from what is known now. Nothing is measured for it.
  return measure::settle_ceilings(
      &ceilings->known, [](const Ceiling&) { return std::optional<Ceiling>(); },
      ceilings->evidence());
}

void Work::keep(const measure::Device& where, const DeviceCeilings& ceilings) const {
  if (is_keeping_off()) return;
  KeptByKey sound;
  std::set<CeilingKey> replaced;
  std::set<size_t> contradicted;  // by more than others' load
  for (const auto& one : measure::find_contradictions(ceilings.known, ceilings.evidence()))
    if (!one.is_busy) contradicted.insert(one.ceiling);
  for (const auto& [key, measured_s] : ceilings.asked) {
    KeptCeilings of{.measured_s = measured_s, .ceilings = {}};
    bool is_doubted = false, is_old = ceilings.kept.count(key) > 0;
    for (size_t i = 0; i < ceilings.known.size(); ++i) {
      Ceiling one = ceilings.known[i];
      if (key_of(one) != key) continue;
      is_doubted |= !one.doubt.empty() && contradicted.count(i) > 0;
      is_old &= !one.kept_utc.empty();  // else it was measured again, being in doubt
      one.doubt.clear();
      of.ceilings.push_back(std::move(one));
    }
    if (is_old && !is_doubted) continue;
    replaced.insert(key);
    if (!is_doubted && ceilings.kept.count(key) == 0) sound[key] = std::move(of);
  }
  // Where it cannot be written the next command measures again: nothing is lost but seconds.
  (void)write_kept(kept_ceilings_path(), comparable_as(where, machine_.gpus()), replaced, sound,
                   now_s());
}

}  // namespace ridge::worker
