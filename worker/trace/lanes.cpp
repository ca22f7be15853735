#include "worker/trace/lanes.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>

#include "common/harness/kernel/registry.h"
#include "common/harness/measure/compare.h"
#include "common/harness/measure/gate.h"
#include "common/record/params.h"

namespace ridge::worker {
namespace {

constexpr int64_t kLanesSize = 4096;  ///< where none is given: eight tiles of 128 x 128 for each SM
constexpr size_t kMostLaneText = 44'000;  ///< of a line's 64 KiB
constexpr double kCost_s = 2;
constexpr int kWarmCalls = 3;
constexpr int kSms[] = {0, 1, 2, 3,
                        16};  ///< the first that has a block: clusters may leave one idle

/// What one warpgroup of one block did: its stamps as spans, in clocks since `zero`.
class LaneReader {
 public:
  LaneReader(const ClockStamp* stamps, uint64_t zero) {
    for (int i = 0; i < kStampsOfLane && stamps[i].begin != 0; ++i) take(stamps[i], zero);
    while (!open_.empty()) close(last_);
    for (const KernelSpan& span : union_of(std::move(multiplied_))) spans_.push_back(span);
    std::stable_sort(spans_.begin(), spans_.end(),
                     [](const KernelSpan& a, const KernelSpan& b) { return a.begin < b.begin; });
  }

  std::vector<KernelSpan> spans() && { return std::move(spans_); }
  bool multiplies() const { return multiplies_; }

 private:
  void take(const ClockStamp& stamp, uint64_t zero) {
    const auto kind = static_cast<StampKind>(stamp.begin & ClockStamp::kLow);
    const auto begin = static_cast<int64_t>((stamp.begin >> ClockStamp::kShift) - zero);
    const auto end = static_cast<int64_t>((stamp.end >> ClockStamp::kShift) - zero);
    last_ = end;
    if (kind == StampKind::fence) {
      multiplies_ = true;
      open_.push_back(begin);
    } else if (kind == StampKind::drain) {
      while (open_.size() > (stamp.end & ClockStamp::kLow)) close(end);
    } else if (kind == StampKind::wait) {
      add(LaneWhat::wait, begin, end, false);
    } else if (kind == StampKind::turn) {
      add(LaneWhat::turn, begin, end, false);
    } else if (kind == StampKind::load || kind == StampKind::store) {
      // The parts of one stage, or of one tile, follow each other.
      add(kind == StampKind::load ? LaneWhat::load : LaneWhat::store, begin, end, kind == before_);
    }
    before_ = kind;
  }

  void add(LaneWhat what, int64_t begin, int64_t end, bool continues) {
    if (continues && !spans_.empty())
      spans_.back().length = end - spans_.back().begin;
    else
      spans_.push_back({what, begin, end - begin});
  }

  /// The oldest group in flight has ended by then.
  void close(int64_t end) {
    multiplied_.push_back({LaneWhat::multiply, open_.front(), end - open_.front()});
    open_.pop_front();
  }

  std::deque<int64_t> open_;  ///< where the groups in flight began
  std::vector<KernelSpan> spans_, multiplied_;
  StampKind before_ = StampKind::none;
  int64_t last_ = 0;
  bool multiplies_ = false;
};

/// Lanes of one block after the other where the one before has ended; else beside them.
class LaneRows {
 public:
  void add(const std::string& name, std::vector<KernelSpan> spans, uint64_t dropped) {
    for (int copy = 0;; ++copy) {
      Row& row = rows_[{name, copy}];
      if (!row.spans.empty() && row.end > spans.front().begin) continue;
      for (const KernelSpan& span : spans) row.end = std::max(row.end, span.end());
      row.spans.insert(row.spans.end(), spans.begin(), spans.end());
      row.dropped += static_cast<int64_t>(dropped);
      return;
    }
  }

  std::vector<KernelLane> lanes() const {
    std::vector<KernelLane> found;
    for (const bool producers : {true, false}) {
      for (const auto& [key, row] : rows_) {
        if (key.first.starts_with("producer") != producers) continue;
        const std::string which = key.second > 0 ? ", block beside" : "";
        found.push_back({key.first + which, encode_spans(row.spans), row.dropped});
      }
    }
    return found;
  }

 private:
  struct Row {
    std::vector<KernelSpan> spans;
    int64_t end = 0, dropped = 0;
  };
  std::map<std::pair<std::string, int>, Row> rows_;
};

/// Clocks a second, between the first block's begin and the last moment that has both readings; 0: there is none.
double clock_of(const StampRing& ring, int blocks) {
  const StampRing::Block& first = ring.block[0];
  double hz = 0;
  for (int i = 0; i < blocks; ++i) {
    const StampRing::Block& block = ring.block[i];
    if (block.last_ns > first.first_ns && block.last_clock > first.first_clock)
      hz = double(block.last_clock - first.first_clock) / double(block.last_ns - first.first_ns) *
           1e9;
  }
  return hz;
}

/// Lets through what says how far it is; checks and samples are of rungs that the request did not name.
class PhasesAlone final : public measure::Observer {
 public:
  explicit PhasesAlone(measure::Observer* to) : to_(to) {}
  void phase(int, const measure::Phase& phase) override { to_->phase(-1, phase); }
  void announce(int) override { to_->announce(0); }
  bool cancelled() const override { return to_->cancelled(); }

 private:
  measure::Observer* to_;
};

/// The rung and its copy in turns: both pass the gate first.
Result<void> measure_cost(const KernelDesc& plain, const KernelDesc& stamped, const Params& params,
                          measure::Bench* bench, measure::Device* gpu, measure::Observer* observer,
                          KernelLanes* lanes) {
  measure::CompareOptions options;
  options.limit_s = kCost_s;
  options.sustained = false;
  PhasesAlone phases(observer);
  RIDGE_TRY(
      const auto outcome,
      measure::compare(bench, {{&plain, params, gpu}, {&stamped, params, gpu}}, options, &phases));
  if (outcome.cancelled) return measure::cancelled_error();
  for (const Series& side : outcome.series) {
    if (side.status == SeriesStatus::failed || !side.stats)
      return Error{ErrorCode::invalid, side.kernel + " was not timed: " + side.reason, side.kernel,
                   "its lanes would say nothing about the rung"};
  }
  lanes->call_ns = outcome.series[0].stats->median_ns;
  lanes->stamped_call_ns = outcome.series[1].stats->median_ns;
  const Comparison& pair = outcome.comparisons.front();
  if (pair.ratio > 0) lanes->cost = 1 / pair.ratio;
  if (pair.ci && pair.ci->low > 0) lanes->cost_ci = Interval{1 / pair.ci->high, 1 / pair.ci->low};
  return {};
}

/// One call, checked, whose stamps on that SM the ring holds.
Result<std::unique_ptr<StampRing>> stamped_call(const StampedDesc& stamped, int sm,
                                                measure::ReadyRung* ready, measure::Device* gpu) {
  void* at = nullptr;
  if (const Status found = stamped.ring(&at); !found.ok())
    return measure::to_error(found, *stamped.kernel);
  for (int i = 0; i < kWarmCalls; ++i) RIDGE_TRY_VOID(gpu->call(ready->plain_side()));
  auto ring = std::make_unique<StampRing>();
  ring->keeps_first = 1;
  ring->sm = sm;
  RIDGE_TRY_VOID(gpu->upload(at, ring.get(), sizeof *ring));
  RIDGE_TRY(const QualityCheck check, measure::check_rung(ready, false, "the stamped call"));
  if (!check.passed)
    return Error{ErrorCode::invalid, "the stamped call fails its check: " + check.reason,
                 stamped.rung, ""};
  RIDGE_TRY_VOID(gpu->download(ring.get(), at, sizeof *ring));
  return ring;
}

}  // namespace

Result<KernelLanes> lanes_of(const StampRing& ring) {
  KernelLanes lanes;
  const int kept = std::min(ring.blocks, kStampBlocks);
  lanes.sm = ring.sm;
  lanes.blocks = ring.blocks;
  lanes.blocks_left = ring.blocks - kept;
  lanes.clock_hz = clock_of(ring, kept);
  LaneRows rows;
  for (int i = 0; i < kept; ++i) {
    lanes.block_ids.push_back(ring.block[i].index);
    int consumers = 0;
    for (int lane = 0; lane < kStampLanes; ++lane) {
      LaneReader reader(ring.stamps[i][lane], ring.block[0].first_clock);
      const bool multiplies = reader.multiplies();
      auto spans = std::move(reader).spans();
      if (spans.empty()) continue;
      const std::string name = multiplies ? "consumer " + std::to_string(consumers++) : "producer";
      rows.add(name, std::move(spans), ring.block[i].dropped[lane]);
    }
  }
  lanes.lanes = rows.lanes();
  if (lanes.lanes.empty() || lanes.clock_hz <= 0)
    return Error{ErrorCode::unavailable, "no block on this SM left stamps",
                 "SM " + std::to_string(ring.sm), "choose a larger size: each SM needs a tile"};
  return lanes;
}

void fit_to_line(KernelLanes* lanes) {
  const auto bytes = [&] {
    size_t sum = 0;
    for (const KernelLane& lane : lanes->lanes) sum += lane.spans.size();
    return sum;
  };
  while (bytes() > kMostLaneText) {
    const LaneExtent extent = extent_of(*lanes);
    const int64_t cut = extent.begin + extent.length() * 3 / 4;
    lanes->cut = cut;
    for (KernelLane& lane : lanes->lanes) {
      std::vector<KernelSpan> spans = decode_spans(lane.spans);
      std::erase_if(spans, [&](const KernelSpan& span) { return span.begin >= cut; });
      for (KernelSpan& span : spans) span.length = std::min(span.length, cut - span.begin);
      lane.spans = encode_spans(spans);
    }
    std::erase_if(lanes->lanes, [](const KernelLane& lane) { return lane.spans.empty(); });
  }
}

std::string no_lanes_of(const KernelInfo& rung) {
  if (!rung.stamped) return "no copy of it with clock stamps is built";
  if (!rung.available) return rung.reason;
  return find_stamped(rung.id) == nullptr ? "this worker was built without its stamped copy" : "";
}

Result<Inspection> look_at_lanes(const KernelInfo& rung, const FamilyDesc& family,
                                 const Params& given, measure::Bench* bench, measure::Device* gpu,
                                 measure::Observer* observer) {
  const StampedDesc* stamped = find_stamped(rung.id);
  const KernelDesc* plain = find_kernel(rung.id);
  if (const std::string why = no_lanes_of(rung); !why.empty() || plain == nullptr)
    return Error{ErrorCode::unavailable, why, rung.id, ""};
  Params wanted = {{"n", kLanesSize}};
  for (const auto& [name, value] : given) wanted[name] = value;
  Inspection look;
  look.kernel = rung.id, look.of = "lanes", look.data = "random normals";
  RIDGE_TRY(look.params, resolve_params(rung.params, wanted, family.name));
  KernelLanes measured;
  RIDGE_TRY_VOID(
      measure_cost(*plain, *stamped->kernel, look.params, bench, gpu, observer, &measured));
  observer->phase(-1, {.phase = "prepare", .text = "one call with stamps"});
  RIDGE_TRY(auto instance, bench->instance.get(family, look.params, 1, *gpu));
  RIDGE_TRY(measure::ReadyRung ready, measure::make_ready(*stamped->kernel, gpu, instance));
  std::unique_ptr<StampRing> ring;
  for (const int sm : kSms) {
    RIDGE_TRY(ring, stamped_call(*stamped, sm, &ready, gpu));
    if (ring->blocks > 0) break;
  }
  RIDGE_TRY(look.lanes, lanes_of(*ring));
  look.lanes->hash = rung.hash;
  look.lanes->call_ns = measured.call_ns, look.lanes->stamped_call_ns = measured.stamped_call_ns;
  look.lanes->cost = measured.cost, look.lanes->cost_ci = measured.cost_ci;
  fit_to_line(&*look.lanes);
  return look;
}

}  // namespace ridge::worker
