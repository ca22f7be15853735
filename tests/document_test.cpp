// The JSON documents of --json: what they say of good and of bad results, and that they and the
// transcript keep to docs/schema.
#include "common/view/report/document.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/golden.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::test;

namespace {

const Json& result_of(const Json& all, const std::string& kernel) {
  for (const Json& result : all["results"]) {
    if (result["kernel"] == kernel) return result;
  }
  FAIL("no result of " << kernel);
  return all;
}

std::vector<ListedLab> labs() {
  return {{"gemm",
           "GEMM",
           "Multiply.",
           {{kFirst, "three loops, -O1", "the definition", false, false},
            {"gemm.cuda.naive", "naive", "threads", false, true}}}};
}

/// Writes a file for the checker; its arguments.
std::string add(const Folder& folder, const std::string& schema, const std::string& name,
                const std::string& text) {
  write_all(folder / name, text);
  return schema_argument(schema, folder / name);
}

}  // namespace

TEST_CASE("a verified result has its figures, and a reason for each that is missing") {
  Transcript transcript;
  add_start(&transcript);
  add_run(&transcript);
  const Json all = document(run_of(transcript));
  CHECK(all["ridgepoint"] == 1);
  CHECK(all["environment"]["cpu"]["model"] == "Test CPU");
  CHECK(all["ceilings"].size() == 2);
  const Json& result = result_of(all, kFirst);
  CHECK(result["status"] == "ok");
  CHECK(result["params"]["n"] == 64);
  CHECK(result["flags"] == "-O1");
  CHECK(result["stats"]["n"] == 20);
  CHECK(result["stats"]["median_ns"] == 1002);
  CHECK(result["stats"]["ci_low_ns"] == 1001);
  CHECK(result["latency"]["p95_ns"] == 1120);
  CHECK(result["latency"]["p99_ns"].is_null());
  CHECK(result["unavailable"]["p99_ns"] == "too few samples (59)");
  CHECK(result["quality"]["passed"] == true);
  CHECK(result["flop_per_s"].get<double>() == Approx(2.0 * 64 * 64 * 64 / 1002e-9));
  CHECK(result["of_ceiling"]["name"] == "FMA fp32, 1 thread");
  CHECK(result["of_ceiling"]["value"].get<double>() == Approx(2.0 * 64 * 64 * 64 / 1002e-9 / 1e12));
  CHECK(result["utilization"].size() == 2);
  CHECK(result["utilization"][0]["source"] == "derived");
  CHECK(result["energy_j"].is_null());
  CHECK(result["unavailable"]["energy_j"] == "no energy meter");
}

TEST_CASE("energy comes with its error, its source and the energy of a FLOP") {
  const auto told = [](const Series& outcome) {
    Transcript transcript;
    add_start(&transcript);
    transcript.send(request_for(RequestType::run, 4));
    transcript.worker("result", with(about(4, 0), "outcome", outcome));
    return result_of(document(run_of(transcript)), kFirst);
  };
  Series series = outcome(4, 0, kFirst);
  series.checks = {check(true)};
  series.energy_j = 2.0;
  series.energy_error_j = 0.01;
  series.energy_source = "RAPL, whole package, others included";
  series.unavailable.erase("energy_j");
  Json result = told(series);
  CHECK(result["energy_j"] == 2.0);
  CHECK(result["energy_error_j"] == 0.01);
  CHECK(result["energy_source"] == "RAPL, whole package, others included");
  CHECK(result["energy_per_flop_j"].get<double>() == Approx(2.0 / (2.0 * 64 * 64 * 64)));
  CHECK_FALSE(result["unavailable"].contains("energy_j"));

  series.energy_error_j.reset();
  series.unavailable["energy_error_j"] = "a battery";
  CHECK(told(series)["unavailable"]["energy_error_j"] == "a battery");
  series.checks = {check(false)};
  result = told(series);
  for (const char* name : {"energy_j", "energy_error_j", "energy_per_flop_j"}) {
    INFO(name);
    CHECK(result[name].is_null());
    CHECK(result["unavailable"].contains(name));
  }
}

TEST_CASE("a result that may not be used has no speed") {
  const auto judged = [](const Series& outcome) {
    Transcript transcript;
    add_start(&transcript);
    transcript.send(request_for(RequestType::run, 4));
    transcript.worker(
        "samples",
        {{"request", 4}, {"series", 0}, {"phase", "call"}, {"samples", samples(20, 1000)}});
    transcript.worker("result", with(about(4, 0), "outcome", outcome));
    const Json all = document(run_of(transcript));
    const Json result = result_of(all, kFirst);
    for (const char* figure :
         {"stats", "latency", "flop_per_s", "bytes_per_s", "of_ceiling", "energy_j"}) {
      INFO(figure);
      CHECK(result[figure].is_null());
      CHECK(result["unavailable"].contains(figure));
    }
    CHECK(result["utilization"].empty());
    return std::string(result["status"]) + ": " + std::string(result["reason"]);
  };
  Series series = outcome(4, 0, kFirst);
  series.checks[0] = check(false);
  CHECK(judged(series) == "failed: NMSE 0.5 is over 2e-12");
  series = outcome(4, 0, kFirst);
  series.checks.clear();
  CHECK(judged(series) == "failed: its output was not checked");
  series = outcome(4, 0, kFirst);
  series.status = SeriesStatus::partial;
  series.reason = "it crashed";
  CHECK(judged(series) == "failed: cut short: it crashed (20 samples in the transcript)");
  series.status = SeriesStatus::cancelled;
  CHECK(judged(series) == "skipped: it crashed (20 samples in the transcript)");
  series.status = SeriesStatus::skipped;
  CHECK(judged(series) == "skipped: it crashed");
  series.status = SeriesStatus::running;
  CHECK(judged(series) == "skipped: it was not finished");
}

TEST_CASE("a document can be of one request alone") {
  const Run run = run_of(whole_transcript());
  DocumentOptions options;
  options.request = 5;
  const Json one = document(run, options);
  CHECK(one["results"].size() == 2);
  CHECK(one["comparisons"].size() == 1);
  options.request = 4;
  CHECK(document(run, options)["comparisons"].empty());
  CHECK(document(run)["results"].size() == run.series().size());
}

TEST_CASE("a comparison carries its decision") {
  const Json all = document(run_of(whole_transcript()));
  REQUIRE(all["comparisons"].size() == 1);
  const Json& comparison = all["comparisons"][0];
  CHECK(comparison["baseline"] == kFirst);
  CHECK(comparison["candidate"] == kSecond);
  CHECK(comparison["ratio"] == 2.0);
  CHECK(comparison["ci_low"] == 1.99);
  CHECK(comparison["verdict"] == "faster");
  CHECK(comparison["decision"] == "adopt");
  CHECK(comparison["division"] == "closed");
}

TEST_CASE("a comparison whose candidate failed has no ratio and is not adopted") {
  Transcript transcript;
  transcript.send(request_for(RequestType::compare, 5));
  Series refused = outcome(5, 1, kSecond);
  refused.checks = {check(false)};
  refused.status = SeriesStatus::failed;
  transcript.worker("result", with(about(5, 0), "outcome", outcome(5, 0, kFirst)));
  transcript.worker("result", with(about(5, 1), "outcome", refused));
  Comparison comparison;
  comparison.request = 5;
  comparison.lab = "gemm";
  comparison.baseline = kFirst;
  comparison.candidate = kSecond;
  comparison.cache = CacheMode::hot;
  comparison.baseline_params = comparison.candidate_params = refused.params;
  comparison.rounds = 8;
  comparison.ratio = 2;
  comparison.ci = Interval{1.99, 2.01};
  comparison.margin = 0.02;
  comparison.verdict = Verdict::faster;
  transcript.worker("result", {{"request", 5}, {"comparisons", {comparison}}});
  const Json all = document(run_of(transcript));
  const Json& judged = all["comparisons"][0];
  CHECK(judged["verdict"] == "invalid");
  CHECK(judged["ratio"].is_null());
  CHECK(judged["ci_low"].is_null());
  CHECK(judged["decision"] == "reject");
}

TEST_CASE("the list says what cannot run, and why") {
  Transcript transcript;
  add_start(&transcript);
  const Json all = list_document(labs(), run_of(transcript));
  const Json& rungs = all["labs"][0]["rungs"];
  CHECK(rungs[0]["available"] == true);
  CHECK(rungs[0]["flags"] == "-O1");
  CHECK(rungs[1]["available"] == false);
  CHECK(rungs[1]["reason"] == "the worker does not know this rung");
  CHECK(all["labs"][0]["params"].size() == 4);
}

TEST_CASE("documents and transcript keep to their schemas, which miss no field") {
  Folder folder;
  const Transcript whole = whole_transcript();
  const Run run = run_of(whole);
  std::string arguments = " --every-field";
  arguments += add(folder, "document", "document.json", dump_json(document(run)));
  arguments += add(folder, "document", "empty.json", dump_json(document(Run{})));
  arguments += add(folder, "list", "list.json", dump_json(list_document(labs(), run)));
  arguments += add(folder, "machine", "machine.json", dump_json(machine_document(run)));
  arguments += add(folder, "machine", "none.json", dump_json(machine_document(Run{})));
  arguments += add(folder, "transcript", "run.jsonl", whole.text());
  expect_schemas(arguments);
}

TEST_CASE("schemas refuse documents that break the rules") {
  if (!has_schema_checker()) RIDGE_SKIP("no python3 with the module jsonschema");
  Folder folder;
  const Json good = document(run_of(whole_transcript()));
  const auto refuses = [&](Json changed) {
    const std::string file = add(folder, "document", "changed.json", dump_json(changed));
    return check_schemas(file + " > /dev/null") == 1;
  };
  const auto& results = good["results"];
  size_t ok = 0, failed = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    (results[i]["status"] == "ok" ? ok : failed) = i;
  }
  Json speed_of_failed = good;
  speed_of_failed["results"][failed]["flop_per_s"] = 1e9;
  CHECK(refuses(speed_of_failed));
  Json unchecked = good;
  unchecked["results"][ok]["quality"]["passed"] = false;
  CHECK(refuses(unchecked));
  Json unexplained = good;
  unexplained["results"][ok]["unavailable"].erase("energy_j");
  CHECK(refuses(unexplained));
}
