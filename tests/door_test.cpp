// Files from others: what cannot be right is left out and counted, and what is good beside it stays (common/record/door.h).
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/record/door.h"
#include "common/record/json.h"
#include "common/record/run.h"
#include "tests/catch.h"

namespace {

using namespace ridge;

const std::string kHello = R"({"ridgepoint":1,"type":"hello"})";

Run run_of(const std::vector<std::string>& lines) {
  Run run;
  run.apply_line(kHello);
  for (const std::string& line : lines) run.apply_line(line);
  return run;
}

std::string asked(int id = 1) {
  return R"({"ridgepoint":1,"from":"app","type":"run","id":)" + std::to_string(id) +
         R"(,"lab":"gemm","kernels":[{"kernel":"gemm.cpu.packed"}]})";
}

std::string samples(const std::string& list) {
  return R"({"ridgepoint":1,"type":"samples","request":1,"series":0,"phase":"call","samples":)" +
         list + "}";
}

int count_of(const Run& run, const std::string& text) {
  int count = 0;
  for (const std::string& line : run.log()) count += line.find(text) != std::string::npos;
  return count;
}

bool says(const Run& run, const std::string& text) {
  return count_of(run, text) > 0;
}

}  // namespace

TEST_CASE("a sample that is no time is left out, counted, and said once") {
  // The form that workers write is read without a JSON tree, any other through one.
  const bool is_compact = GENERATE(true, false);
  const std::string gap = is_compact ? "" : " ";
  const Run run = run_of(
      {asked(), samples(gap + R"([{"t_ns":5},{"t_ns":-5},{"t_ns":0},{"t_ns":null},{"t_ns":1e30}])"),
       samples(gap + R"([{"t_ns":7},{"t_ns":8,"calls":0}])")});
  REQUIRE(run.series().size() == 1);
  REQUIRE(run.series()[0].samples.size() == 2);
  CHECK(run.series()[0].samples[1].t_ns == 7);
  CHECK(count_of(run, "left out") == 1);
  CHECK(says(run, "left out, 5 in all: a sample whose time is no number above 0"));
}

TEST_CASE("statistics that are not those of the samples are no figure") {
  const std::string result =
      R"({"ridgepoint":1,"type":"result","request":1,"series":0,"outcome":{"kernel":"gemm.cpu.packed","status":"ok",)"
      R"("checks":[{"what":"timed shape","passed":true}],"stats":{"n":7,"min_ns":1,"q1_ns":1.2,"median_ns":MEDIAN,)"
      R"("q3_ns":16,"max_ns":17}}})";
  const auto with = [&](const std::string& median) {
    std::string line = result;
    line.replace(line.find("MEDIAN"), 6, median);
    return run_of(
        {asked(),
         samples(
             R"([{"t_ns":11},{"t_ns":12},{"t_ns":13},{"t_ns":14},{"t_ns":15},{"t_ns":16},{"t_ns":17}])"),
         line});
  };
  const Run right = with("14"), forged = with("1.5"), impossible = with("-5");
  CHECK_FALSE(says(right, "left out"));
  CHECK(right.series()[0].stats->median_ns == 14);
  CHECK(forged.series()[0].status == SeriesStatus::failed);
  CHECK_FALSE(forged.series()[0].stats);
  CHECK(says(impossible, "statistics of a rung whose median is no time"));
  CHECK(impossible.series()[0].stats->median_ns == 14);
}

TEST_CASE("what a terminal or a reader obeys does not come in with a name") {
  const Run run = run_of(
      {"{\"ridgepoint\":1,\"from\":\"app\",\"type\":\"run\",\"id\":1,\"lab\":\"gemm\",\"kernels\":"
       "[{\"kernel\":\"a\\u001b[31m\\u009b2J\\u202eb\",\"params\":{\"n\\n\":\"x\\u0007\"}}]}",
       R"({"ridgepoint":1,"type":"result","request":2,"source":{"kernel":"k","text":"a\r\n\tb\u001b"}})"});
  CHECK(run.series()[0].kernel == "a?[31m?2J?b");
  CHECK(run.series()[0].params == Params{{"n ", "x?"}});
  CHECK(run.source("k")->text == "a\r\n\tb?");
}

TEST_CASE("a line nested deeper than any of the protocol is no line of it") {
  const std::string deep(30'000, '['), end(30'000, ']');
  const Run run = run_of({R"({"ridgepoint":1,"type":"hello","x":)" + deep + end + "}",
                          R"({"ridgepoint":1,"type":"hello","x":"[[[{{{\"[["})"});
  CHECK(count_of(run, "not a line of the protocol") == 1);
}

TEST_CASE("a number that no double holds makes no JSON, and ends nothing") {
  const auto json = parse_json(R"({"x":1e999})", "f.json");
  REQUIRE_FALSE(json);
  CHECK(json.error().what == "JSON with a number that is too large");
  const Run run = run_of({R"({"ridgepoint":1,"type":"telemetry","t_s":-1e6077,"values":{}})"});
  CHECK(run.telemetry().empty());
}

TEST_CASE("an inspection points at nothing that it does not have") {
  const Run run = run_of(
      {R"({"ridgepoint":1,"type":"result","request":1,"inspection":{"classes":["a","b"],"prediction":-1,"label":2,)"
       R"("input":-3,"units":-1,"lookers":[-1,4],"planes":[{"group":"votes","rows":1,"columns":2,"values":[0,1]},)"
       R"({"group":"votes","rows":1,"columns":2,"values":[0,2147483647]},{"rows":-1,"columns":2},)"
       R"({"rows":65536,"columns":65536}]}})"});
  REQUIRE(run.inspections().size() == 1);
  const Inspection& look = run.inspections()[0];
  CHECK_FALSE(look.prediction);
  CHECK_FALSE(look.label);
  CHECK_FALSE(look.input);
  CHECK(look.units == 0);
  CHECK(look.lookers == std::vector<int64_t>{4});
  CHECK(look.planes.size() == 1);
  CHECK(says(run, "left out, 3 in all: an inspection's plane"));
}

TEST_CASE("rounds, spans, points, ceilings and whole numbers that cannot be right are left out") {
  const Run run = run_of(
      {asked(),
       R"({"ridgepoint":1,"type":"samples","request":1,"phase":"rounds","rounds":[{"order":"0110","t_ns":[1,2,3,4]},)"
       R"({"order":"01","t_ns":[1]},{"order":"01","t_ns":[1,-2]}]})",
       R"({"ridgepoint":1,"type":"span","request":1,"series":0,"spans":[{"start_ns":1,"end_ns":2},{"start_ns":3,"end_ns":2}]})",
       R"({"ridgepoint":1,"type":"curve","request":1,"series":0,"points":[{"t_s":1,"values":{"loss":1}},{}]})",
       R"({"ridgepoint":1,"type":"result","request":1,"ceilings":[{"name":"a","value":1},{"name":"b","value":-1},{"value":2}]})",
       R"({"ridgepoint":1,"type":"result","request":1,"series":0,"outcome":{"flop":-1,"memory_bytes":9e99,"items_per_s":null}})",
       R"({"ridgepoint":1,"type":"env","environment":{"cpu":{"memory_bytes":9223372036854775807,"l2_bytes":18446744073709551615}}})"});
  CHECK(run.rounds(1).size() == 1);
  CHECK(run.series()[0].spans.size() == 1);
  CHECK(run.series()[0].curve.size() == 1);
  CHECK(run.ceilings().size() == 1);
  CHECK(run.series()[0].flop == 0);
  CHECK(run.series()[0].items_per_s == 0);
  CHECK(run.environment()->cpu.memory_bytes == 0);
  CHECK(run.environment()->cpu.l2_bytes == 0);
}

TEST_CASE("a run holds so many parts; the first stay") {
  Run run = run_of({});
  for (int i = 0; i < static_cast<int>(kMostParts) + 5; ++i) run.apply_line(asked(i));
  CHECK(run.requests().size() == kMostParts);
  CHECK(run.series().size() == kMostParts);
  CHECK(says(run, "left out, 5 in all: a request beyond the 50000"));
  CHECK(run.request(0) != nullptr);
  CHECK(run.request(static_cast<int64_t>(kMostParts)) == nullptr);
}

TEST_CASE("only a file is opened, and none without end") {
  std::string folder = std::filesystem::temp_directory_path() / "ridge-door-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string pipe = folder + "/pipe", large = folder + "/large";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(Run::load(pipe).error().what == "this is a pipe or a device");
  CHECK(Run::load("/dev/zero").error().what == "this is a pipe or a device");
  std::ofstream(large) << kHello << "\n";
  std::filesystem::resize_file(large, kMostRunBytes + 1);
  CHECK(Run::load(large).error().what.find("larger than") != std::string::npos);
  std::filesystem::remove_all(folder);
}
