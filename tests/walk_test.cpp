// The walk of a rung through memory: the model of the caches and the frames against counts by hand, and what the
// commands say of rungs that were recorded.
#include <algorithm>
#include <string>
#include <vector>

#include "common/record/run.h"
#include "common/record/walk.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "worker/trace/walk.h"

using namespace ridge;
using namespace ridge::test;
using measure::CacheShape;

namespace {

constexpr uintptr_t kBuffer = 1 << 20;

/// Reads and writes of lines of one buffer of `lines` lines, by number; a negative number writes.
worker::TracedCall call_of(const std::vector<int>& touched, int lines) {
  worker::TracedCall call;
  call.flop = 64;
  call.buffers.push_back({"A", kBuffer, size_t(lines) * 64, 4, false, {lines, 16}});
  for (const int line : touched)
    call.log.accesses.push_back({kBuffer + uintptr_t(std::abs(line)) * 64, 4, line < 0});
  return call;
}

Walk walk_through(const std::vector<int>& touched, int lines, const std::vector<CacheShape>& caches,
                  const InspectAsked& asked = {}) {
  const auto walk = worker::walk_of(call_of(touched, lines), asked, caches);
  REQUIRE(walk);
  REQUIRE(is_drawable(*walk));
  return *walk;
}

Json inspection_of(std::vector<std::string> args) {
  args.insert(args.begin(), "inspect");
  args.push_back("--json");
  const Outcome said = Program(variable("RIDGE_BIN"), args).finish();
  INFO(said.err);
  REQUIRE(said.code == 0);
  return said.json()["inspection"];
}

}  // namespace

TEST_CASE("a set keeps the lines that were used last, and no others") {
  measure::CacheSets two_ways({.sets = 2, .ways = 2});
  // Even lines meet in set 0, odd ones in set 1.
  CHECK_FALSE(two_ways.use(0));
  CHECK_FALSE(two_ways.use(2));
  CHECK_FALSE(two_ways.use(1));
  CHECK(two_ways.use(0));
  CHECK_FALSE(two_ways.use(4));  // 2 goes: 0 was used after it
  CHECK(two_ways.holds(0));
  CHECK_FALSE(two_ways.holds(2));
  CHECK(two_ways.holds(1));
  CHECK_FALSE(two_ways.use(2));  // 0 goes
  CHECK_FALSE(two_ways.holds(0));
}

TEST_CASE("misses of two levels are those that a count by hand gives") {
  // L1 of one set of two lines, L2 of one set of four. Three lines in a circle miss L1 always, L2 the first time.
  const std::vector<CacheShape> caches = {{1, 2}, {1, 4}};
  const Walk circle = walk_through({0, 1, 2, 0, 1, 2, 0, 1, 2}, 3, caches);
  CHECK(circle.reads == 9);
  CHECK(circle.bytes == 36);
  CHECK(circle.caches[0].missed == 9);
  CHECK(circle.caches[1].missed == 3);
  CHECK(circle.bytes_per_flop(1) == 3);
  // Two lines stay in L1.
  const Walk pair = walk_through({0, 1, 0, -1, 0, 1}, 2, caches);
  CHECK(pair.writes == 1);
  CHECK(pair.caches[0].missed == 2);
  // Five in a circle miss both, always.
  const Walk five = walk_through({0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, 5, caches);
  CHECK(five.caches[1].missed == 10);
}

TEST_CASE("a frame says which cache holds each line, and what was touched in it") {
  const std::vector<CacheShape> caches = {{1, 1}, {1, 2}};
  const Walk walk = walk_through({0, 1, -2, 2}, 4, caches);
  REQUIRE(walk.frames.size() == 4);
  using enum WalkPlace;
  using enum WalkTouch;
  const std::vector<WalkLine> third = {{memory, none}, {l2, none}, {l1, written}, {memory, none}};
  CHECK(decode_lines(walk.frames[2].lines, 4) == third);
  CHECK(walk.frames[2].missed == std::vector<int64_t>{1, 1});
  CHECK(walk.frames[3].missed == std::vector<int64_t>{0, 0});
  CHECK(walk.frames[3].element == 32);
  // A part of it: the caches are as the accesses before left them.
  InspectAsked part;
  part.first = 3, part.count = 1;
  const Walk last = walk_through({0, 1, -2, 2}, 4, caches, part);
  REQUIRE(last.frames.size() == 1);
  CHECK(last.frames[0].missed == std::vector<int64_t>{0, 0});
  CHECK(last.caches[0].missed == 3);  // of the whole walk
  part.first = 4;
  CHECK_FALSE(worker::walk_of(call_of({0, 1, -2, 2}, 4), part, caches));
}

TEST_CASE("lines are written as runs, and what is no run is refused") {
  const std::vector<WalkLine> lines(300, {WalkPlace::l2, WalkTouch::read});
  CHECK(encode_lines(lines) == "300e");
  CHECK(decode_lines("300e", 300) == lines);
  for (const char* wrong : {"299e", "301e", "300", "300z", "-1e", "e", ""})
    CHECK(decode_lines(wrong, 300).empty());
}

TEST_CASE("what is written after a read of a buffer is its copy, and a plan's fields are no data") {
  worker::TracedCall call = call_of({0, 1}, 2);
  constexpr uintptr_t kCopy = 1 << 24, kFields = 1 << 26;
  call.log.accesses.push_back({kCopy, 64, true});
  call.log.accesses.push_back({kCopy, 64, false});
  call.log.accesses.push_back({kFields, 8, false});
  const auto walk = worker::walk_of(call, {}, {{1, 2}, {1, 4}});
  REQUIRE(walk);
  REQUIRE(walk->planes.size() == 2);
  CHECK(walk->planes[1].name == "copy of A");
  CHECK(walk->planes[1].is_copy);
  CHECK(walk->elsewhere == 1);
  CHECK(walk->accesses() == 4);
}

TEST_CASE("three loops read two elements for each multiply-add, and the loop order walks rows") {
  constexpr int64_t n = 16;
  const Json naive = inspection_of({"gemm.cpu.naive_o1", "--set", "n=16"});
  CHECK(naive["of"] == "walk");
  const Json& walk = naive["walk"];
  CHECK(walk["reads"] == 2 * n * n * n);
  CHECK(walk["writes"] == n * n);
  CHECK(walk["bytes"] == 4 * (2 * n * n * n + n * n));
  CHECK(walk["planes"].size() == 3);
  const Json order = inspection_of({"gemm.cpu.loop_order", "--set", "n=64"})["walk"];
  const Json plain = inspection_of({"gemm.cpu.naive_o1"})["walk"];  // of n = 64 where none is given
  CHECK(plain["reads"] == 2 * 64 * 64 * 64);
  // A column of B has a line an element, a row 16 elements a line.
  CHECK(order["caches"][0]["missed"].get<int64_t>() * 8 <
        plain["caches"][0]["missed"].get<int64_t>());
}

TEST_CASE("a direct convolution reads a pixel and a tap for each product") {
  // One filter of 3 x 3 over 4 x 4 pixels without padding: four outputs of nine products.
  const Json walk =
      inspection_of({"conv.cpu.direct", "--set", "h=4", "--set", "c=1", "--set", "pad=0"})["walk"];
  CHECK(walk["reads"] == 2 * 4 * 9);
  CHECK(walk["writes"] == 4);
}

TEST_CASE("a packed rung's copies are in its walk, and its lines keep to the schema") {
  const Folder folder;
  const Outcome text =
      Program(variable("RIDGE_BIN"), {"inspect", "gemm.cpu.packed", "--out", folder / "walk.jsonl"})
          .finish();
  INFO(text.err);
  REQUIRE(text.code == 0);
  CHECK(text.out.find("copy of B") != std::string::npos);
  CHECK(text.out.find("lines missed") != std::string::npos);
  const auto run = Run::load(folder / "walk.jsonl");
  REQUIRE(run);
  REQUIRE(run->inspections().size() == 1);
  REQUIRE(run->inspections()[0].walk);
  CHECK(is_drawable(*run->inspections()[0].walk));
  CHECK(run->inspections()[0].walk->frames.size() > 100);
  expect_schemas(schema_argument("transcript", folder / "walk.jsonl"));
}

TEST_CASE("what cannot be recorded whole is refused in a sentence") {
  const auto refusal = [](const std::string& kernel) {
    const Outcome said = Program(variable("RIDGE_BIN"), {"inspect", kernel}).finish();
    CHECK(said.code == 69);
    return said.err;
  };
  CHECK(refusal("gemm.cuda.naive").find("GPU") != std::string::npos);
  CHECK_FALSE(refusal("gemm.cpu.onednn").empty());  // a library, or one that is not here
  const std::string inner =
      refusal("gemm.cpu.inner_product");  // its loop is assembly, where the CPU has it
  CHECK((inner.find("assembly") != std::string::npos ||
         inner.find("needs avx512f") != std::string::npos));
}
