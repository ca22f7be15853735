// Lanes of a kernel's warps: spans as text, unions and shares added up by hand, what becomes of a ring of stamps, the line
// of the protocol, and the command's text.
#include "common/record/lanes.h"

#include <memory>

#include "app/query/compact.h"
#include "app/query/lanes_text.h"
#include "app/query/recording_check.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/kernel/stamps.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "tests/synthetic_run.h"
#include "worker/trace/lanes.h"

using namespace ridge;
using namespace ridge::test;

namespace {

KernelLane lane(const std::string& name, const std::vector<KernelSpan>& spans) {
  return {name, encode_spans(spans), 0};
}

/// Two consumers in turns from 100 to 500, one clock apart or overlapping; the whole is 0 to 1000.
KernelLanes by_hand() {
  KernelLanes lanes;
  lanes.hash = "00beef00", lanes.clock_hz = 1e9, lanes.blocks = 1, lanes.cost = 1.02;
  lanes.cost_ci = Interval{1.01, 1.03};
  lanes.lanes = {lane("producer", {{LaneWhat::wait, 0, 40}, {LaneWhat::load, 40, 10}}),
                 lane("consumer 0", {{LaneWhat::multiply, 100, 200}, {LaneWhat::store, 310, 690}}),
                 lane("consumer 1", {{LaneWhat::turn, 50, 200}, {LaneWhat::multiply, 250, 250}})};
  return lanes;
}

/// A ring that a kernel might have left: one clock is a quarter of a ns.
class HandRing {
 public:
  HandRing() : ring(std::make_unique<StampRing>()) {}
  void block(int index, uint64_t first_clock) {
    at_ = ring->blocks++;
    ring->block[at_].index = index;
    ring->block[at_].first_clock = first_clock;
    ring->block[at_].first_ns = first_clock / 4;
  }
  void last(uint64_t clock) {
    ring->block[at_].last_clock = clock;
    ring->block[at_].last_ns = clock / 4;
  }
  void stamp(int lane, StampKind kind, uint64_t begin, uint64_t end, uint64_t pending = 0) {
    ClockStamp* stamps = ring->stamps[at_][lane];
    while (stamps->begin != 0) ++stamps;
    *stamps = {begin << ClockStamp::kShift | static_cast<uint64_t>(kind),
               end << ClockStamp::kShift | pending};
  }
  std::unique_ptr<StampRing> ring;

 private:
  int at_ = 0;
};

/// A consumer of three slices: the wait for the group before ends it, and one is always in flight.
void multiply_three(HandRing* hand, int lane, uint64_t from) {
  for (uint64_t i = 0; i < 3; ++i) {
    const uint64_t at = from + 100 * i;
    hand->stamp(lane, StampKind::wait, at, at + 10);
    hand->stamp(lane, StampKind::fence, at + 10, at + 10);
    hand->stamp(lane, StampKind::drain, at + 20, at + 90, 1);
  }
  hand->stamp(lane, StampKind::drain, from + 300, from + 380);
  hand->stamp(lane, StampKind::store, from + 390, from + 440);
  hand->stamp(lane, StampKind::store, from + 441, from + 500);
}

}  // namespace

TEST_CASE("spans go into a text and come back, and what is no text gives none") {
  const std::vector<KernelSpan> spans = {{LaneWhat::wait, 0, 5},
                                         {LaneWhat::multiply, 5, 700},
                                         {LaneWhat::store, 5, 0},
                                         {LaneWhat::turn, 900, 1}};
  CHECK(encode_spans(spans) == "w0+5m5+700s0+0t895+1");
  CHECK(decode_spans(encode_spans(spans)) == spans);
  for (const char* text :
       {"", "w", "w1", "w1+", "w1x2", "x1+2", "w-1+2", "w1+-2", "w1+2m", "w99999999999999+1"}) {
    INFO(text);
    CHECK(decode_spans(text).empty());
  }
}

TEST_CASE("unions and shares are those that one adds up by hand") {
  const auto merged = union_of({{LaneWhat::multiply, 40, 10},
                                {LaneWhat::multiply, 0, 10},
                                {LaneWhat::multiply, 10, 5},
                                {LaneWhat::multiply, 2, 3},
                                {LaneWhat::multiply, 45, 20}});
  REQUIRE(merged.size() == 2);
  CHECK(merged[0] == KernelSpan{LaneWhat::multiply, 0, 15});
  CHECK(merged[1] == KernelSpan{LaneWhat::multiply, 40, 25});
  const KernelLanes lanes = by_hand();
  CHECK(extent_of(lanes).length() == 1000);
  CHECK(multiply_share(lanes) == 0.4);  // 100 to 500: the two overlap by 50
  const auto shares = shares_of(lanes.lanes[1], extent_of(lanes));
  CHECK(shares[static_cast<size_t>(LaneWhat::multiply)] == 0.2);
  CHECK(shares[static_cast<size_t>(LaneWhat::store)] == 0.69);
  CHECK(multiply_share({}) == 0);
}

TEST_CASE("a ring of stamps becomes lanes: groups in flight, roles, blocks one behind the other") {
  HandRing hand;
  hand.block(7, 10'000);
  hand.stamp(1, StampKind::wait, 10'010, 10'020);
  hand.stamp(1, StampKind::load, 10'020, 10'025);
  hand.stamp(1, StampKind::load, 10'030, 10'040);  // of the same stage
  hand.stamp(1, StampKind::wait, 10'050, 10'060);
  multiply_three(&hand, 0, 10'100);
  hand.last(10'600);
  hand.block(8, 11'000);  // begins when all of the first have ended
  multiply_three(&hand, 0, 11'000);
  hand.ring->block[1].dropped[0] = 3;
  const auto lanes = worker::lanes_of(*hand.ring);
  REQUIRE(lanes.ok());
  CHECK(lanes->clock_hz == 4e9);
  CHECK(lanes->blocks == 2);
  CHECK(lanes->block_ids == std::vector<int64_t>{7, 8});
  REQUIRE(lanes->lanes.size() == 2);
  CHECK(lanes->lanes[0].name == "producer");
  const auto producer = decode_spans(lanes->lanes[0].spans);
  REQUIRE(producer.size() == 3);
  CHECK(producer[1] == KernelSpan{LaneWhat::load, 20, 20});
  CHECK(lanes->lanes[1].name == "consumer 0");
  CHECK(lanes->lanes[1].dropped == 3);
  std::vector<KernelSpan> multiplied;
  for (const KernelSpan& span : decode_spans(lanes->lanes[1].spans)) {
    if (span.what == LaneWhat::multiply) multiplied.push_back(span);
  }
  // From the first group's beginning to the wait that ended the last: 10'110 to 10'480, and the next block.
  REQUIRE(multiplied.size() == 2);
  CHECK(multiplied[0] == KernelSpan{LaneWhat::multiply, 110, 370});
  CHECK(multiplied[1] == KernelSpan{LaneWhat::multiply, 1010, 370});
  CHECK(is_drawable(*lanes));
}

TEST_CASE(
    "blocks beside each other have lanes beside each other, and an SM without blocks is an error") {
  HandRing hand;
  hand.block(0, 1000);
  multiply_three(&hand, 0, 1000);
  hand.last(1500);
  hand.block(1, 1100);
  multiply_three(&hand, 0, 1100);
  hand.ring->blocks = kStampBlocks + 5;  // more began than have room
  const auto lanes = worker::lanes_of(*hand.ring);
  REQUIRE(lanes.ok());
  REQUIRE(lanes->lanes.size() == 2);
  CHECK(lanes->lanes[1].name == "consumer 0, block beside");
  CHECK(lanes->blocks_left == 5);
  CHECK(app::left_out_text(*lanes).find("5 of 21 blocks") != std::string::npos);
  const auto none = worker::lanes_of(*HandRing().ring);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == ErrorCode::unavailable);
}

TEST_CASE("lanes that are too long for a line are cut off at one moment, which is said") {
  KernelLanes lanes = by_hand();
  std::vector<KernelSpan> many;
  for (int64_t i = 0; i < 20'000; ++i) many.push_back({LaneWhat::wait, 1000 * i, 500});
  lanes.lanes[0].spans = encode_spans(many);
  worker::fit_to_line(&lanes);
  CHECK(lanes.lanes[0].spans.size() < 45'000);
  REQUIRE(lanes.cut);
  CHECK(extent_of(lanes).end <= *lanes.cut);
  CHECK(app::left_out_text(lanes).find("shown until") != std::string::npos);
  KernelLanes small = by_hand();
  worker::fit_to_line(&small);
  CHECK_FALSE(small.cut);
}

TEST_CASE(
    "a line brings lanes into a run, stale where the rung has changed since; damaged ones are left "
    "out") {
  Inspection look;
  look.kernel = "gemm.cuda.ping_pong", look.of = "lanes", look.lanes = by_hand();
  Transcript lines;
  lines.worker("result", {{"request", 4}, {"inspection", look}});
  look.lanes->lanes[1].spans = "m1";
  lines.worker("result", {{"request", 5}, {"inspection", look}});
  Run run;
  for (const std::string& line : lines.lines) run.apply_line(line);
  REQUIRE(run.inspections().size() == 2);
  const Inspection& got = run.inspections()[0];
  REQUIRE(got.lanes);
  CHECK(got.lanes->lanes[2].spans == by_hand().lanes[2].spans);
  CHECK(got.lanes->cost_ci->high == 1.03);
  CHECK_FALSE(got.lanes->stale);
  CHECK_FALSE(run.inspections()[1].lanes);
  const RungHash same[] = {{"gemm.cuda.ping_pong", "00beef00"}},
                 other[] = {{"gemm.cuda.ping_pong", "00beef01"}};
  run.mark_stale(same);
  CHECK_FALSE(run.inspections()[0].lanes->stale);
  run.mark_stale(other);
  CHECK(run.inspections()[0].lanes->stale);
}

TEST_CASE("the text has a line for each lane, the share and the cost") {
  const std::string text = app::lanes_text(by_hand());
  INFO(text);
  for (const char* part : {"multiplication in flight 40.0 % of 1.00 µs", "1.020× [1.010, 1.030]",
                           "producer ", "consumer 1 "})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE(
    "inspect of a GPU rung shows recorded lanes where there are any, and else says that there are "
    "none") {
  const Folder folder;
  setenv("XDG_DATA_HOME", folder.path.c_str(), 1);
  setenv("RIDGEPOINT_ASSETS", (folder / "assets").c_str(), 1);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  fs::create_directories(folder / "assets/recorded");
  fs::create_directories(folder / "ridgepoint/recorded");
  const auto inspect = [] {
    return Program(variable("RIDGE_BIN"), {"inspect", "gemm.cuda.ping_pong"}).finish();
  };
  const Outcome none = inspect();
  CHECK(none.code == static_cast<int>(ErrorCode::unavailable));
  CHECK(none.err.find("no recording holds stamps of it") != std::string::npos);
  CHECK(none.out.empty());
  fs::copy_file(variable("RIDGE_SOURCE") + "/tests/fixtures/lanes.jsonl",
                folder / "ridgepoint/recorded/gemm.test_fixture.lanes.jsonl");
  const Outcome found = inspect();
  INFO(found.out << found.err);
  CHECK(found.code == 0);
  for (const char* part :
       {"recorded on Test fixture", "consumer 1", "multiplication in flight", "1.020×"})
    CHECK(found.out.find(part) != std::string::npos);
  const Outcome missing =
      Program(variable("RIDGE_BIN"), {"inspect", "gemm.cuda.persistent"}).finish();
  CHECK(missing.code == static_cast<int>(ErrorCode::unavailable));
}

TEST_CASE("the fixture's lines are as the schema of a transcript has them") {
  const std::string file = variable("RIDGE_SOURCE") + "/tests/fixtures/lanes.jsonl";
  expect_schemas(schema_argument("transcript", file));
}

TEST_CASE("lanes alone make a recording, where they have a hash and say what the stamps cost") {
  const Folder folder;
  const std::string file = folder / "gemm.test_fixture.lanes.jsonl";
  const std::string fixture = read_all(variable("RIDGE_SOURCE") + "/tests/fixtures/lanes.jsonl");
  const auto with = [&](const std::string& part, const std::string& other) {
    std::string text = fixture;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + other.size()))
      text.replace(at, part.size(), other);
    return text;
  };
  const std::string hash = R"("lanes":{"hash":"")", hashed = R"("lanes":{"hash":"00beef00")";
  write_all(file, with(hash, hashed));
  REQUIRE(app::compact(file).ok());
  const auto run = Run::load(file);
  REQUIRE(run.ok());
  REQUIRE(run->inspections().size() == 2);
  CHECK(multiply_share(*run->inspections()[1].lanes) > 0.9);
  CHECK(app::check_recording(file, {.dirty_too = true}).ok());
  write_all(file, fixture);
  CHECK_FALSE(app::check_recording(file, {.dirty_too = true}).ok());
  std::string costless = with(hash, hashed);
  const std::string cost = R"("cost_ci":{"low":1.015,"high":1.025})";
  for (size_t at = costless.find(cost); at != costless.npos; at = costless.find(cost, at))
    costless.replace(at, cost.size(), R"("cost_ci":null)");
  write_all(file, costless);
  CHECK_FALSE(app::check_recording(file, {.dirty_too = true}).ok());
}
