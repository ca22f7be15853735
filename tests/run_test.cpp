// The reducer: what a transcript adds up to, whole and broken. From a file: run_load_test.cpp.
#include "common/record/run.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/record/derive.h"
#include "common/record/params.h"
#include "common/record/stale_words.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::test;

TEST_CASE("a transcript adds up to catalogue, sources, ceilings and requests") {
  const Run run = run_of(whole_transcript());
  CHECK(run.catalogue().size() == 2);
  CHECK(run.catalogue_complete());
  REQUIRE(run.kernel(kFirst) != nullptr);
  CHECK(run.kernel(kFirst)->params.size() == 4);
  CHECK(run.kernel("nothing") == nullptr);
  REQUIRE(run.source(kFirst) != nullptr);
  CHECK(run.source(kFirst)->text == "int main;\n");
  CHECK(run.source(kSecond) == nullptr);
  CHECK(run.ceilings().size() == 2);
  REQUIRE(run.environment());
  CHECK(run.environment()->machine() == "Test CPU");
  REQUIRE(run.quiet_after());
  CHECK(!run.quiet_after()->quiet);
  REQUIRE(run.request(4) != nullptr);
  CHECK(run.request(4)->type == RequestType::run);
  CHECK(run.request(4)->lab == "gemm");
  CHECK(run.request(4)->status == RequestStatus::ok);
  CHECK(run.request(4)->kernels == std::vector<std::string>{kFirst, kSecond});
  CHECK(run.request(99) == nullptr);
  REQUIRE(run.predictions().size() == 1);
  CHECK(run.predictions()[0].value == 900.5);
  REQUIRE(run.telemetry().size() == 1);
  CHECK(run.telemetry()[0].values == std::map<std::string, double>{{"power_w", 350}});
  CHECK(run.telemetry().reading(0, "power_w") == 350);
  CHECK(std::isnan(run.telemetry().reading(0, "temp_c")));
  REQUIRE(run.estimates().size() == 1);
  CHECK(run.estimates()[0].kernel == kSecond);
  CHECK(run.estimates()[0].call_ns == 2000);
  CHECK(!run.progress());
  REQUIRE(run.fatal());
  CHECK(run.fatal()->what == "the device is lost");
}

TEST_CASE("telemetry gives back each moment as it came, whatever the others hold") {
  std::vector<TelemetryPoint> points(4);
  points[0] = {1, {{"power_w", 300}, {"temp_c", 60}}, {0.5, 1}, {}};
  points[1] = {2, {{"power_w", 350}}, {}, {"power cap", "heat"}};
  points[2] = {3, {}, {0.25}, {"power cap"}};
  points[3] = {4, {{"temp_c", 61}}, {1, 0, 0.5}, {"power cap", "heat"}};
  Telemetry telemetry;
  for (const TelemetryPoint& point : points) telemetry.add(point);
  REQUIRE(telemetry.size() == points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    CHECK(telemetry[i].t_s == points[i].t_s);
    CHECK(telemetry[i].values == points[i].values);
    CHECK(telemetry[i].core_busy == points[i].core_busy);
    CHECK(telemetry[i].throttle == points[i].throttle);
  }
  CHECK(telemetry.has("temp_c"));
  CHECK_FALSE(telemetry.has("temp"));
}

TEST_CASE("a run fills its series") {
  Transcript transcript;
  add_start(&transcript);
  add_run(&transcript);
  const Run run = run_of(transcript);
  REQUIRE(run.series().size() == 2);
  const Series& first = run.series()[0];
  CHECK(first.status == SeriesStatus::ok);
  CHECK(first.samples.size() == 20);
  CHECK(first.latency_samples.size() == 59);
  CHECK(first.checks.size() == 2);
  CHECK(first.stats->median_ns == 1002);
  CHECK(to_string(first.params) == "dtype=fp32 n=64");
  CHECK(derive(first, run).compute);

  const Series& second = run.series()[1];
  CHECK(second.status == SeriesStatus::failed);
  CHECK(!second.stats);
  CHECK(!derive(second, run).flop_per_s);
  CHECK(run.latest(kSecond) == &second);
  CHECK(run.latest(kFirst, first.params) == &first);
  CHECK(run.latest(kFirst, {{"n", int64_t{65}}}) == nullptr);
}

TEST_CASE("a series has the size that runs from its problem line on") {
  Transcript transcript;
  transcript.send(request_for(RequestType::run, 4));
  transcript.worker("problem", with(about(4, 0), "problem", smaller_problem("n=64")));
  transcript.worker("check", with(about(4, 0), "check", check(true)));
  transcript.worker(
      "samples", {{"request", 4}, {"series", 0}, {"phase", "call"}, {"samples", samples(20, 1e9)}});
  Run run = run_of(transcript);
  CHECK(run.log().empty());
  const auto is_smaller = [&] {
    const Series& series = run.series()[0];
    return series.params == Params{{"n", int64_t{32}}} && series.reduced_from == "n=64" &&
           series.flop == 65536 && series.note == "made-up data" && series.kernel == kFirst &&
           series.lab == "gemm" && series.checks.size() == 1;
  };
  CHECK(run.series()[0].status == SeriesStatus::running);
  CHECK(is_smaller());
  run.worker_lost("killed");
  CHECK(run.series()[0].status == SeriesStatus::partial);
  CHECK(is_smaller());
  CHECK(run.series()[1].params == Params{{"n", int64_t{64}}});  // nothing is known of it yet
}

TEST_CASE("a failed series has no speed, even if its worker gave one") {
  const auto ends_as = [](const Series& outcome) {
    Transcript transcript;
    transcript.send(request_for(RequestType::run, 4));
    transcript.worker("result", with(about(4, 0), "outcome", outcome));
    const Run run = run_of(transcript);
    CHECK(run.series()[0].status == SeriesStatus::failed);
    CHECK(!run.series()[0].stats);
    CHECK(!run.series()[0].latency);
    return run.series()[0].reason;
  };
  Series series = outcome(4, 0, kFirst);
  series.checks[1] = check(false);
  CHECK(ends_as(series) == "NMSE 0.5 is over 2e-12");
  series.checks.clear();
  CHECK(ends_as(series) == "its output was not checked");
  series = outcome(4, 0, kFirst);
  series.status = SeriesStatus::failed;
  series.reason = "launch failed";
  CHECK(ends_as(series) == "launch failed");
}

TEST_CASE("a probe makes estimates, not series") {
  Transcript transcript;
  transcript.send(request_for(RequestType::probe, 6));
  transcript.worker("phase", with(about(6, 0), "phase", "check"));
  transcript.worker("timing", {{"request", 6}});
  transcript.worker("timing", about(6, 1));
  transcript.worker("check", with(about(6, 1), "check", check(true)));
  transcript.worker(
      "samples", {{"request", 6}, {"series", 0}, {"phase", "call"}, {"samples", samples(2, 1000)}});
  transcript.worker("done", {{"request", 6}, {"status", "ok"}});
  const Run run = run_of(transcript);
  CHECK(run.series().empty());
  CHECK(run.log().empty());
}

TEST_CASE("a comparison keeps its rounds") {
  const Run run = run_of(whole_transcript());
  CHECK(run.rounds(5).size() == 8);
  CHECK(run.rounds(5)[3].order == "0110");
  CHECK(run.rounds(4).empty());
  REQUIRE(run.comparisons().size() == 1);
  CHECK(run.comparisons()[0].verdict == Verdict::faster);
  CHECK(run.comparisons()[0].request == 5);
}

TEST_CASE("progress follows phase lines and ends with the request") {
  Transcript transcript;
  transcript.send(request_for(RequestType::run, 4));
  Run run = run_of(transcript);
  CHECK(!run.progress());
  CHECK(run.series()[0].status == SeriesStatus::pending);
  run.apply(Json{{"ridgepoint", 1},
                 {"type", "phase"},
                 {"seq", 1},
                 {"request", 4},
                 {"series", 0},
                 {"phase", "timing"},
                 {"open", "interval"},
                 {"progress", 0.5},
                 {"left_s", nullptr},
                 {"ci_ns", Interval{1, 2}}});
  REQUIRE(run.progress());
  CHECK(run.progress()->phase == "timing");
  CHECK(run.progress()->fraction == 0.5);
  CHECK(!run.progress()->left_s);
  CHECK(run.progress()->ci_ns->high == 2);
  CHECK(run.series()[0].status == SeriesStatus::running);
  const uint64_t before = run.version();
  CHECK(run.apply(Json{{"ridgepoint", 1}, {"type", "done"}, {"request", 4}, {"status", "ok"}}));
  CHECK(run.version() > before);
  CHECK(!run.progress());
}

TEST_CASE("a lost worker leaves what it had sent") {
  Transcript transcript;
  add_start(&transcript);
  transcript.send(request_for(RequestType::run, 4));
  transcript.worker(
      "samples",
      {{"request", 4}, {"series", 0}, {"phase", "call"}, {"samples", samples(12, 1000)}});
  Run run = run_of(transcript);
  CHECK(run.has_hello());
  run.worker_lost("it crashed (SIGSEGV)");
  CHECK(!run.has_hello());
  const Series& running = run.series()[0];
  CHECK(running.status == SeriesStatus::partial);
  CHECK(running.reason == "it crashed (SIGSEGV)");
  CHECK(running.samples.size() == 12);
  REQUIRE(running.stats);
  CHECK(running.stats->n == 12);
  CHECK(running.stats->median_ns == Approx(1001.5));
  CHECK(run.series()[1].status == SeriesStatus::skipped);
  CHECK(run.request(4)->status == RequestStatus::failed);
  CHECK(run.request(4)->error->what == "it crashed (SIGSEGV)");
  CHECK(run.request(1)->status == RequestStatus::ok);

  SECTION("a second loss changes no series") {
    run.worker_lost("again");
    CHECK(run.series()[0].reason == "it crashed (SIGSEGV)");
  }
  SECTION("a series whose check had failed stays failed") {
    Transcript other;
    other.send(request_for(RequestType::run, 4));
    other.worker("check", with(about(4, 0), "check", check(false)));
    Run failed = run_of(other);
    failed.worker_lost("it crashed");
    CHECK(failed.series()[0].status == SeriesStatus::failed);
    CHECK(failed.series()[0].reason == "NMSE 0.5 is over 2e-12");
  }
}

TEST_CASE("fatal ends everything open and a new hello clears it") {
  Run run = run_of(whole_transcript());
  const Series* last = run.latest(kFirst);
  REQUIRE(last != nullptr);
  CHECK(last->request == 10);
  CHECK(last->status == SeriesStatus::partial);
  CHECK(last->reason == "the device is lost");
  REQUIRE(run.fatal());
  run.apply_line(R"({"ridgepoint":1,"type":"hello","seq":1})");
  CHECK(!run.fatal());
  CHECK(run.has_hello());
}

TEST_CASE("a cancelled request keeps what was measured") {
  Transcript transcript;
  transcript.send(request_for(RequestType::run, 4));
  transcript.worker(
      "samples",
      {{"request", 4}, {"series", 0}, {"phase", "call"}, {"samples", samples(12, 1000)}});
  transcript.worker("done", {{"request", 4}, {"status", "cancelled"}});
  const Run run = run_of(transcript);
  CHECK(run.series()[0].status == SeriesStatus::cancelled);
  CHECK(run.series()[0].stats->n == 12);
  CHECK(run.series()[1].status == SeriesStatus::cancelled);
  CHECK(!run.series()[1].stats);
}

TEST_CASE("the latest series is the one that says something") {
  Transcript transcript;
  add_start(&transcript);
  add_run(&transcript);
  transcript.send(request_for(RequestType::run, 14));
  CHECK(run_of(transcript).latest(kFirst)->request == 4);  // pending
  transcript.worker("done", {{"request", 14}, {"status", "cancelled"}});
  CHECK(run_of(transcript).latest(kFirst)->request == 4);  // cancelled before its turn
  transcript.send(request_for(RequestType::run, 15));
  transcript.worker(
      "samples",
      {{"request", 15}, {"series", 0}, {"phase", "call"}, {"samples", samples(1, 1000)}});
  CHECK(run_of(transcript).latest(kFirst)->request == 15);
  CHECK(run_of(transcript).latest("nothing") == nullptr);
}

TEST_CASE("two sessions in one file do not mix") {
  Transcript transcript;
  add_run(&transcript);
  add_run(&transcript);
  const Run run = run_of(transcript);
  REQUIRE(run.series().size() == 4);
  CHECK(run.series()[0].samples.size() == 20);
  CHECK(run.series()[2].samples.size() == 20);
  CHECK(run.latest(kFirst) == &run.series()[2]);
}

TEST_CASE("lines in a foreign order or without the app's do no harm") {
  const Transcript whole = whole_transcript();
  Run without_app;
  for (const std::string& line : whole.lines) {
    if (!contains(line, "\"from\":\"app\"")) without_app.apply_line(line);
  }
  REQUIRE(without_app.latest(kFirst) != nullptr);
  CHECK(without_app.rounds(5).size() == 8);
  Run backwards;
  for (auto line = whole.lines.rbegin(); line != whole.lines.rend(); ++line) {
    backwards.apply_line(*line);
  }
  CHECK(backwards.series().size() >= 2);
  Run late;  // the app's line after the worker's
  Transcript transcript;
  transcript.worker(
      "samples", {{"request", 4}, {"series", 0}, {"phase", "call"}, {"samples", samples(3, 1000)}});
  transcript.send(request_for(RequestType::run, 4));
  late = run_of(transcript);
  REQUIRE(late.series().size() == 2);
  CHECK(late.series()[0].kernel == kFirst);
  CHECK(late.series()[0].samples.size() == 3);
}

TEST_CASE("banners are skipped, junk is logged, nothing grows without bound") {
  Run run;
  CHECK(!run.apply_line("Welcome to gpubox!"));
  CHECK(!run.apply_line("{\"motd\": true}"));
  CHECK(!run.apply_line(""));
  CHECK(run.log().empty());
  CHECK(run.apply_line(R"({"ridgepoint":1,"type":"hello","seq":1})"));
  run.apply_line("library says \x01 " + std::string(500, 'x'));
  REQUIRE(run.log().size() == 1);
  CHECK(run.log()[0].size() < 170);
  CHECK(!contains(run.log()[0], "\x01"));
  run.apply_line(R"({"ridgepoint":1,"type":"weather","seq":2})");
  REQUIRE(run.log().size() == 2);
  CHECK(contains(run.log()[1], "weather"));
  for (int i = 0; i < 5000; ++i) run.apply_line("junk");
  CHECK(run.log().size() < 2000);
}

TEST_CASE("messages of odd shapes change nothing and break nothing") {
  Run run;
  run.apply_line(R"({"ridgepoint":1,"type":"hello","seq":1})");
  for (const char* type : {"kernel", "end", "env", "phase", "check", "timing", "samples", "curve",
                           "span", "telemetry", "result", "error", "done", "fatal", "pong"}) {
    for (const char* rest :
         {"", R"(,"request":"x","series":[])", R"(,"request":-1,"series":-7)",
          R"(,"request":1,"series":2000000000)",
          R"(,"request":1,"series":0,"samples":{},"check":3,"outcome":[],"t_s":{})",
          R"(,"request":1,"series":0,"samples":[1,null,{"t_ns":[]}],"outcome":{})",
          R"(,"request":1,"phase":"rounds","rounds":[{"order":5}],"ceilings":[4])",
          R"(,"kernel":{},"environment":null,"comparisons":[null],"error":7)"}) {
      INFO(type << rest);
      run.apply_line(std::string(R"({"ridgepoint":1,"seq":2,"type":")") + type + "\"" + rest + "}");
      run.apply_line(std::string(R"({"ridgepoint":1,"from":"app","type":")") + type + "\"" + rest +
                     "}");
    }
  }
  for (const Series& series : run.series()) CHECK(series.index < Run::kMostSeries);
  CHECK(run.catalogue().empty());
  run.worker_lost("test");
}

TEST_CASE("the quick reader of samples agrees with the general one") {
  std::vector<Sample> rich = samples(3, 1.25e6);
  rich[0].sm_clock_hz = 1.9e9;
  rich[1].temp_c = 61.5;
  rich[1].power_w = 350.25;
  rich[1].calls = 200;
  rich[2].flags = {"stolen", "clock_mismatch"};
  rich.push_back(rich[2]);
  rich[3].t_ns = std::nan("");  // left out
  const Json line = {{"ridgepoint", 1}, {"seq", 3},           {"type", "samples"}, {"request", 4},
                     {"series", 1},     {"phase", "latency"}, {"samples", rich}};
  Run quick, general;
  for (Run* run : {&quick, &general}) run->apply_line(R"({"ridgepoint":1,"type":"hello"})");
  CHECK(quick.apply_line(dump_json(line)));
  CHECK(general.apply(line));
  REQUIRE(quick.series().size() == 1);
  CHECK(fingerprint(quick) == fingerprint(general));
  CHECK(quick.series()[0].latency_samples.size() == 3);
  // The same with white space takes the general way and comes out the same.
  Run spaced;
  spaced.apply_line(R"({"ridgepoint":1,"type":"hello"})");
  CHECK(spaced.apply_line(line.dump(1).replace(0, 1, "{ ")));
  CHECK(fingerprint(spaced) == fingerprint(general));

  // Half a line adds nothing, at whatever byte it ends.
  const std::string text = dump_json(line);
  for (size_t size = 0; size < text.size(); ++size) {
    Run cut;
    cut.apply_line(R"({"ridgepoint":1,"type":"hello"})");
    cut.apply_line(text.substr(0, size));
    CHECK(cut.series().empty());
  }
}

namespace {

Json run_request(int64_t id, const std::string& type = "run") {
  const Json both = {{{"kernel", kFirst}}, {{"kernel", kSecond}}};
  return {{"ridgepoint", 1}, {"from", "app"}, {"type", type},
          {"id", id},        {"lab", "gemm"}, {"kernels", both}};
}

Json worker_line(const std::string& type, int64_t request, int series, Json rest) {
  rest.update({{"ridgepoint", 1}, {"type", type}, {"request", request}, {"series", series}});
  return rest;
}

}  // namespace

TEST_CASE("a series and a request stay where they are, however many follow") {
  Run run;
  run.apply(run_request(1));
  const Series *first = &run.series()[0], *second = run.latest(kSecond);
  const Series* at_back = &run.series().back();
  const Request* request = run.request(1);
  for (int64_t id = 2; id < 2000; ++id) run.apply(run_request(id));
  CHECK(&run.series()[0] == first);
  CHECK(&run.series()[1] == at_back);
  CHECK(second == nullptr);  // it has no result
  CHECK(run.request(1) == request);
  CHECK(request->kernels == std::vector<std::string>{kFirst, kSecond});
  CHECK(run.request(1999)->id == 1999);

  // What is taken out moves no other: the sides of a comparison that a recording keeps the verdict of.
  run.apply(run_request(2000, "compare"));
  run.apply(run_request(2001));
  const size_t before = run.series().size();
  const Series* last = &run.series().back();
  run.apply(worker_line("done", 2000, 0, {{"status", "ok"}}));
  CHECK(run.series().size() == before - 2);
  CHECK(&run.series().back() == last);
  CHECK(last->request == 2001);

  const Run moved = std::move(run);
  CHECK(&moved.series()[0] == first);
  CHECK(moved.request(1) == request);
}

TEST_CASE("a version moves with its own series, and what comes often moves the run's not at all") {
  Run run;
  run.apply(run_request(1));
  const Series &first = run.series()[0], &second = run.series()[1];
  const auto feed = [&](int series) {
    REQUIRE(run.apply(worker_line("samples", 1, series, {{"samples", samples(3, 1000)}})));
  };
  feed(0);
  const uint64_t of_first = first.version, of_second = second.version, of_run = run.version();
  CHECK(of_first != of_second);
  feed(0);
  CHECK(first.version > of_first);
  CHECK(second.version == of_second);
  CHECK(run.version() == of_run);
  feed(1);  // its first samples: there is more of it than there was
  CHECK(run.version() > of_run);
  CHECK(second.version > of_second);

  const uint64_t before = run.version(), newest = second.version;
  CHECK(run.apply(
      Json{{"ridgepoint", 1}, {"type", "telemetry"}, {"t_s", 1}, {"values", {{"a", 1}}}}));
  CHECK(run.apply(worker_line("phase", 1, 1, {{"phase", "timing"}})));
  CHECK(run.telemetry().size() == 1);
  CHECK(run.progress()->phase == "timing");
  CHECK(run.version() == before);
  CHECK(second.version == newest);
  CHECK(run.apply(worker_line("done", 1, 0, {{"status", "cancelled"}})));
  CHECK(run.version() > before);
  CHECK(second.version > newest);
}

TEST_CASE("a result is stale where its rung's code is another now") {
  const Run fresh = run_of(whole_transcript());
  REQUIRE_FALSE(fresh.series().empty());
  const std::string rung = fresh.series().front().kernel, hash = fresh.series().front().hash;
  REQUIRE_FALSE(hash.empty());
  const auto marked = [&](std::vector<RungHash> now) {
    Run run = run_of(whole_transcript());
    run.mark_stale(now);
    run.mark_stale(now);  // says it once
    return run;
  };
  const auto stale_of = [&](const Run& run) {
    size_t count = 0;
    for (const Series& series : run.series()) {
      const bool is_marked = series.note.starts_with("stale: the kernel has changed since");
      CHECK(series.stale == is_marked);
      CHECK(series.note.rfind("stale:") == (is_marked ? 0 : std::string::npos));
      count += series.stale;
    }
    return count;
  };
  size_t of_rung = 0;
  for (const Series& series : fresh.series())
    of_rung += series.kernel == rung && !series.hash.empty();
  CHECK(stale_of(marked({})) == 0);  // nobody knows
  CHECK(stale_of(marked({{rung.c_str(), hash.c_str()}})) == 0);
  CHECK(stale_of(marked({{"a.cpu.other", "1"}, {"zz.cpu.other", "2"}})) == 0);
  CHECK(stale_of(marked({{"a.cpu.other", "1"}, {rung.c_str(), "another"}})) == of_rung);
  // A comparison is as stale as either of its sides.
  REQUIRE_FALSE(fresh.comparisons().empty());
  const Comparison& one = fresh.comparisons().front();
  for (const auto& [side, name] :
       {std::pair(one.baseline, "the baseline"), std::pair(one.candidate, "the candidate")}) {
    if (!fresh.kernel(side) || fresh.kernel(side)->hash.empty()) continue;
    const Run run = marked({{side.c_str(), "another"}});
    CHECK(run.comparisons().front().stale);
    CHECK(run.comparisons().front().reasons.back() ==
          std::string("stale: ") + name + " has changed since");
    CHECK(run.comparisons().front().reasons.size() == one.reasons.size() + 1);
  }
  CHECK_FALSE(marked({}).comparisons().front().stale);
}

/// What stands between quotes in a line of code.
std::string quoted_in(const std::string& code) {
  std::string all;
  bool is_quoted = false;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '"')
      is_quoted = !is_quoted;
    else if (is_quoted)
      all += code[i];
    if (code[i] == '\\') ++i;
  }
  return all;
}

TEST_CASE("what is stale is said in the words of one place") {
  CHECK(with_stale("cuBLASLt", true) == "cuBLASLt · stale");
  CHECK(with_stale("cuBLASLt", false) == "cuBLASLt");
  CHECK(with_stale("", true, ", ") == "stale");
  CHECK(with_stale_mark("1.2×", true) == "1.2×‡");
  CHECK(with_stale_mark("1.2×", false) == "1.2×");
  CHECK(stale_text(0, 9, "rung") == "");
  CHECK(stale_text(2, 9, "rung") == "2 of 9 rungs stale");
  CHECK(stale_text(1, 1, "result") == "1 of 1 result stale");
  CHECK(without_stale_word(stale_reason()) == "the kernel has changed since");
  CHECK(without_stale_word("fresh") == "fresh");
  CHECK(stale_explained().find("stale: a kernel's code has changed since its figure") == 0);
  CHECK(stale_sentence("The figures", "their kernels have") ==
        "The figures are stale: their kernels have changed since.");

  namespace fs = std::filesystem;
  int looked_at = 0;
  for (const char* room : {"app", "common"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(variable("RIDGE_SOURCE") + "/" + room)) {
      const std::string name = entry.path().filename().string();
      if (!(name.ends_with(".cpp") || name.ends_with(".h")) || name.starts_with("stale_words"))
        continue;
      ++looked_at;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        INFO(name << ": " << line);
        if (line.starts_with("#include")) continue;
        const std::string quoted = quoted_in(line.substr(0, line.find("//")));
        CHECK(quoted.find("‡") == std::string::npos);
        CHECK(quoted.find("stale") == std::string::npos);
      }
    }
  }
  CHECK(looked_at > 100);
}
