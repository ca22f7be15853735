// The exports that other programs read: Google Benchmark's JSON and the trace event format.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/view/report/format.h"
#include "common/view/report/report.h"
#include "tests/catch.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// The lines of a worker with times: the k-th line 10 ms after the one before.
Transcript timed(const Transcript& plain) {
  Transcript stamped;
  int line = 0;
  for (const std::string& text : plain.lines) {
    Json message = Json::parse(text);
    if (!message.contains("from") && !message.contains("t_s")) message["t_s"] = 100 + 0.01 * line;
    ++line;
    stamped.lines.push_back(dump_json(message));
  }
  return stamped;
}

Transcript everything() {
  Transcript out;
  add_start(&out);
  add_run(&out);
  add_compare(&out);
  const std::vector<Span> spans = {{"read", 0, 0, 1, 1, 0, 500},
                                   {"host buffer, full", 0, 0, 1, 1, 400, 900},
                                   {"host buffer, full", 1, 1, 2, 1, 600, 1000},
                                   {"copy", 0, 0, 1, 1, 500, 900},
                                   {"copy", 0, 1, 2, 1, 700, 1100},
                                   {"read", 0, 1, 2, 1, 500, 1000}};
  out.worker("span", {{"request", 4}, {"series", 0}, {"spans", spans}});
  return out;
}

report::Report built(const Run& run, std::vector<report::Input>* inputs) {
  *inputs = {{&run, "run.jsonl"}};
  auto report = report::build_report(*inputs, test::report_options());
  REQUIRE(report);
  return *report;
}

Json trace_of(const Transcript& transcript) {
  const Run run = read_run(transcript);
  std::vector<report::Input> inputs;
  const Json trace =
      Json::parse(report::print_as(built(run, &inputs), ".trace.json"), nullptr, false);
  REQUIRE(trace.is_object());
  return trace["traceEvents"];
}

/// What the format asks of a file, whatever is in it. Empty: all is well.
std::string problem_of_trace(const Json& events) {
  std::map<std::pair<int, int>, std::vector<double>> open;  // ends of what is open, outermost first
  std::map<std::pair<int, int>, double> last;
  for (const Json& event : events) {
    for (const char* field : {"ph", "ts", "pid", "tid", "name"}) {
      if (!event.contains(field)) return "no " + std::string(field) + " in " + event.dump();
    }
    const std::string kind = event["ph"];
    if (kind == "M") continue;
    const std::pair<int, int> track = {event["pid"], event["tid"]};
    const double begin = event["ts"], slack = 0.002;  // printed to a thousandth
    if (begin < 0) return "before zero: " + event.dump();
    const auto [before, is_first] = last.try_emplace(track, begin);
    if (!is_first && begin < before->second) return "goes back in time: " + event.dump();
    before->second = begin;
    if (kind == "C") {
      if (!event["args"]["value"].is_number()) return "a counter without a value";
      continue;
    }
    if (kind != "X") return "unknown kind " + kind;
    const double end = begin + event["dur"].get<double>();
    auto& stack = open[track];
    while (!stack.empty() && stack.back() <= begin + slack) stack.pop_back();
    if (!stack.empty() && end > stack.back() + slack) return "does not nest: " + event.dump();
    stack.push_back(end);
  }
  return "";
}

int count(const Json& events, const std::string& name) {
  return static_cast<int>(std::count_if(events.begin(), events.end(), [&](const Json& event) {
    return event["name"].get<std::string>().rfind(name, 0) == 0;
  }));
}

const Json& find(const Json& events, const std::string& name) {
  for (const Json& event : events) {
    if (event["name"] == name) return event;
  }
  FAIL("no event " << name);
  return events;
}

}  // namespace

TEST_CASE("the trace holds what happened, each on its track, in order, nested") {
  const Json events = trace_of(timed(everything()));
  CHECK(problem_of_trace(events) == "");
  CHECK(count(events, "sample") >= 20);
  CHECK(count(events, "single call") == 59);
  CHECK(count(events, "round ") == 8);
  CHECK(count(events, "side ") == 32);
  CHECK(count(events, "check") >= 3);
  CHECK(count(events, "timing") >= 1);
  CHECK(count(events, "warm-up") == 3);  // of each series once
  CHECK(count(events, "run gemm") == 1);
  CHECK(count(events, "compare gemm") == 1);
  CHECK(find(events, "power_w")["args"]["value"] == 350);
  // A copy that begins before the last has ended is on a lane of its own.
  std::set<int> lanes;
  for (const Json& event : events)
    if (event["name"] == "copy") lanes.insert(event["tid"].get<int>());
  CHECK(lanes.size() == 2);
  std::vector<int> depths;
  for (const Json& event : events)
    if (event["ph"] == "C" && event["name"] == "4.0 batches ready on the host")
      depths.push_back(event["args"]["value"].get<int>());
  CHECK(depths == std::vector<int>{1, 2, 1, 0});
}

TEST_CASE("a block's samples end when it was reported") {
  const Transcript transcript = timed(everything());
  const Json events = trace_of(transcript);
  double block_s = 0, first_s = 1e9;
  for (const std::string& line : transcript.lines) {
    const Json message = Json::parse(line);
    if (message.contains("t_s") && message["t_s"] > 50)
      first_s = std::min(first_s, message["t_s"].get<double>());
    if (message["type"] == "samples" && message.value("series", -1) == 0 &&
        message["phase"] == "call" && message["request"] == 4)
      block_s = message["t_s"];
  }
  double end_us = 0, origin_us = 0;
  const int tid = find(events, "sample")["tid"];
  for (const Json& event : events) {
    if (event["name"] == "sample" && event["tid"] == tid)
      end_us = event["ts"].get<double>() + event["dur"].get<double>();
    if (event["name"] == "power_w") origin_us = event["ts"].get<double>();
  }
  // The made-up telemetry stands at 0.5 s, the first of all: the origin.
  CHECK(origin_us == Approx(0).margin(1e5));
  CHECK(end_us - origin_us == Approx((block_s - 0.5) * 1e6).epsilon(1e-9));
}

TEST_CASE("a transcript without times has its blocks end to end, and says so") {
  const Json events = trace_of(everything());
  CHECK(problem_of_trace(events) == "");
  CHECK(count(events, "sample") >= 20);
  CHECK(events[0]["args"]["name"].get<std::string>().find("laid end to end") != std::string::npos);
}

TEST_CASE("the check of traces sees what is wrong with one") {
  const auto event = [](double ts, double dur) {
    return Json{{"ph", "X"}, {"ts", ts}, {"dur", dur}, {"pid", 1}, {"tid", 1}, {"name", "x"}};
  };
  CHECK(problem_of_trace({event(0, 10), event(2, 3), event(5, 5), event(10, 1)}) == "");
  CHECK(problem_of_trace({event(0, 10), event(5, 10)}).rfind("does not nest", 0) == 0);
  CHECK(problem_of_trace({event(5, 1), event(4, 1)}).rfind("goes back", 0) == 0);
  Json without = event(0, 1);
  without.erase("pid");
  CHECK(problem_of_trace(Json::array({without})).rfind("no pid", 0) == 0);
}

TEST_CASE("Google Benchmark's JSON: samples are repetitions, what has no speed is left out") {
  const Run run = read_run(everything());
  std::vector<report::Input> inputs;
  const Json document = Json::parse(report::print_as(built(run, &inputs), ".gbench.json"));
  std::map<std::string, int> repetitions;
  std::set<std::string> with_cpu_time;
  for (const Json& entry : document["benchmarks"]) {
    // What compare.py joins by, and computes with.
    for (const char* field : {"name", "run_type", "real_time", "cpu_time", "time_unit"})
      REQUIRE(entry.contains(field));
    CHECK(entry["real_time"] > 0);
    CHECK(entry["cpu_time"] > 0);
    CHECK(entry["time_unit"] == "ns");
    if (entry["run_type"] == "aggregate") {
      // The median says of its CPU time what its repetitions say.
      const bool has_cpu_time = with_cpu_time.contains(entry["run_name"]);
      CHECK(entry.contains("label") == !has_cpu_time);
      continue;
    }
    if (!entry.contains("label")) with_cpu_time.insert(entry["run_name"]);
    const std::string name = entry["name"];
    CHECK(entry["repetition_index"] == repetitions[name]++);
    CHECK(entry["iterations"] >= 1);
  }
  // The comparison's are the latest; the run's failed one under the same name went before them.
  CHECK(document["context"]["num_cpus"] == 2);
  CHECK_FALSE(document["context"].contains("host_name"));  // a run does not record it
  CHECK_FALSE(document["context"]["cpu_model"].get<std::string>().empty());

  const Run failing = report_run();
  const Json other = Json::parse(report::print_as(built(failing, &inputs), ".gbench.json"));
  std::set<std::string> left_out;
  for (const Json& entry : other["context"]["left_out"]) {
    left_out.insert(entry["name"].get<std::string>().substr(0, kWrong.size()));
    CHECK_FALSE(entry["reason"].get<std::string>().empty());
  }
  CHECK(left_out.count(kWrong) == 1);
  for (const Json& entry : other["benchmarks"])
    CHECK(entry["name"].get<std::string>().rfind(kWrong, 0) != 0);
  // Results without samples: the median stands alone.
  CHECK(find(other["benchmarks"], kNaive + "/n:512/threads:1_median")["real_time"] == 24e6);
}
