// A published table filled in: measured, extrapolated, recorded and missing rows; and the talk's.
#include "app/query/published.h"

#include "app/query/reporting.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/query/selection.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::test;
using app::PublishedRow;
using Source = app::PublishedRow::Source;

namespace {

constexpr int64_t kN = 128;

Table table_of() {
  Table table = {.id = "t",
                 .title = "a table",
                 .params = {{"n", kN}, {"dtype", std::string("fp32")}},
                 .rows = {{"first", "X", 2e6, kFirst.c_str(), {}, "a faster one"},
                          {"second", "X", {}, kSecond.c_str(), {{"threads", "max"}}, ""},
                          {"gpu", "Y", 1e6, "gemm.cuda.shared_tile", {}, "a GPU"},
                          {"none", "Y", 1e6, "gemm.cuda.no_such", {}, "another world"}},
                 .lessons = {{"Look twice", "At everything."}},
                 .flop = [](const Params& params) {
                   return 2 * std::pow(double(std::get<int64_t>(params.at("n"))), 3);
                 }};
  return table;
}

KernelInfo with_threads(const std::string& id, int64_t most) {
  KernelInfo info = kernel_info(id);
  info.params.push_back({"threads", "", false, {}, 1, most, int64_t{1}, ""});
  return info;
}

/// A run of request 1: the first rung at a reduced size, the second as asked with 2 threads; the GPU's
/// rung is known and cannot run.
Run run_of_table(bool second_passes = true) {
  Transcript t;
  t.worker("hello", {{"version", "1"}, {"pid", 1}, {"build", Json::object()}});
  KernelInfo gpu = kernel_info("gemm.cuda.shared_tile");
  gpu.backend = Backend::cuda;
  gpu.available = false;
  gpu.reason = "no CUDA device";
  for (const KernelInfo& info : {with_threads(kFirst, 2), with_threads(kSecond, 2), gpu}) {
    t.worker("kernel", {{"request", 9}, {"kernel", info}});
  }
  t.worker("end", {{"request", 9}});
  t.send(request_for(RequestType::run, 1));
  Series first = outcome(1, 0, kFirst);
  first.reduced_from = "n=128";  // ran at 64
  Series second = outcome(1, 1, kSecond);
  second.params = {{"n", kN}, {"dtype", std::string("fp32")}, {"threads", int64_t{2}}};
  second.flop = 2.0 * kN * kN * kN;
  if (!second_passes) {
    second.status = SeriesStatus::failed;
    second.reason = "an element is wrong";
    second.stats.reset();
  }
  for (const Series& series : {first, second}) {
    Json line = about(1, series.index);
    line["outcome"] = series;
    t.worker("result", line);
  }
  t.worker("done", {{"request", 1}, {"status", "ok"}});
  Run run;
  for (const std::string& line : t.lines) run.apply_line(line);
  return run;
}

app::Recording recording_of(int64_t n, const std::string& kernel = "gemm.cuda.shared_tile",
                            std::span<const RungHash> now = {}) {
  Transcript t;
  t.worker("hello", {{"version", "1"}, {"pid", 1}, {"build", Json::object()}});
  t.send(request_for(RequestType::run, 1));
  Series series = outcome(1, 0, kernel);
  series.params = {{"n", n}, {"dtype", std::string("fp32")}, {"threads", int64_t{2}}};
  series.flop = 2.0 * double(n * n * n);
  Json line = about(1, 0);
  line["outcome"] = series;
  t.worker("result", line);
  t.worker("done", {{"request", 1}, {"status", "ok"}});
  auto run = std::make_shared<Run>();
  for (const std::string& text : t.lines) run->apply_line(text);
  run->mark_stale(now);
  return {"", "Some GPU", "", run};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("rows are measured, extrapolated by FLOP, recorded elsewhere, or missing with a reason") {
  const Table table = table_of();
  const Run run = run_of_table();
  const std::vector<app::Recording> recordings = {recording_of(kN)};
  const auto rows = app::fill_table(table, run, 1, recordings, {});
  REQUIRE(rows.size() == 4);

  CHECK(rows[0].source == Source::extrapolated);
  CHECK(rows[0].time_ns == Approx(8 * 1002));  // twice the size in three directions
  REQUIRE(rows[0].ci_ns);
  CHECK(rows[0].ci_ns->low == Approx(8 * 1001));
  CHECK(has(rows[0].note, "extrapolated"));
  CHECK(has(rows[0].note, "n = 64"));
  CHECK(*rows[0].printed_flop_per_s == Approx(2.0 * kN * kN * kN / 2e-3));

  CHECK(rows[1].source == Source::measured);
  CHECK(rows[1].time_ns == 1002);
  CHECK(rows[1].params.at("threads") == ParamValue(int64_t{2}));  // "max", from the catalogue
  CHECK_FALSE(rows[1].printed_flop_per_s);

  CHECK(rows[2].source == Source::recorded);
  CHECK(has(rows[2].note, "Some GPU"));
  CHECK(rows[3].source == Source::missing);
  CHECK(has(rows[3].note, "no gemm.cuda.no_such"));

  const std::string text = published_text(table, rows, {}, 100);
  for (const char* part : {"extrapolated", "recorded on Some GPU", "another world", "Look twice"}) {
    CHECK(has(text, part));
  }
  CHECK(text.find("first") < text.find("second"));
  CHECK_FALSE(has(text, "stale"));
}

TEST_CASE("a row of a table says where its kernel has changed since") {
  const Table table = table_of();
  Run run = run_of_table();
  const std::string measured = run.series().front().kernel;
  const RungHash now[] = {{measured.c_str(), "another"}, {"gemm.cuda.shared_tile", "another"}};
  run.mark_stale(now);
  const std::vector<app::Recording> recordings = {recording_of(kN, "gemm.cuda.shared_tile", now)};
  const auto rows = app::fill_table(table, run, 1, recordings, {});
  CHECK(rows[2].note == "recorded on Some GPU, stale");
  const std::string text = published_text(table, rows, {}, 100);
  for (const char* part : {"recorded,", "stale"})
    CHECK(has(text, part));  // a narrow cell has two lines
}

TEST_CASE("a recording of another size, and a rung that failed here, fill no row") {
  const Table table = table_of();
  const Run run = run_of_table(false);
  const std::vector<app::Recording> recordings = {recording_of(64), recording_of(kN, kSecond)};
  const auto rows = app::fill_table(table, run, 1, recordings, {});
  CHECK(rows[1].source == Source::missing);
  CHECK(rows[1].brings.empty());  // it can run here: nothing has to be brought
  CHECK(has(rows[1].note, "an element is wrong"));
  CHECK(rows[2].source == Source::missing);
  CHECK(rows[2].note == "no CUDA device");
  const Json json = published_json(table, rows);
  CHECK(json["rows"][1]["time_ns"].is_null());
  CHECK(json["rows"][1]["source"] == "missing");
  CHECK(json["rows"][2]["brings"] == "a GPU");
  // Another request's results are not this one's.
  CHECK(app::fill_table(table, run, 2, {}, {})[0].source == Source::missing);
}

TEST_CASE("what is given replaces the table's size, never what makes a row that row") {
  Table table = table_of();
  table.rows[0].params = {{"dtype", std::string("fp64")}};
  const Params given = {{"n", int64_t{64}}, {"dtype", std::string("fp16")}};
  const Params params = app::row_params(table, table.rows[0], nullptr, given);
  CHECK(params.at("n") == ParamValue(int64_t{64}));
  CHECK(params.at("dtype") == ParamValue(std::string("fp64")));
}

TEST_CASE("the table's runnable rows are asked for, the others say why not") {
  const Lab* lab = find_lab("gemm");
  REQUIRE(lab != nullptr);
  const auto selection = app::select_table(*lab, table_of(), run_of_table(), {});
  REQUIRE(selection);
  REQUIRE(selection->kernels.size() == 2);
  CHECK(selection->kernels[0].kernel == kSecond);  // the fast rows first
  CHECK(selection->kernels[0].params.at("threads") == ParamValue(int64_t{2}));
  CHECK(selection->kernels[0].params.at("n") == ParamValue(kN));
  REQUIRE(selection->not_run.size() == 2);
  CHECK(selection->not_run[0].reason == "no CUDA device");
  CHECK_FALSE(app::select_table(*lab, table_of(), Run(), {}));
}

TEST_CASE("the talk's table: its rows in its order, its figures, its three lessons") {
  const Lab* lab = find_lab("gemm");
  REQUIRE(lab != nullptr);
  const auto found = app::require_table(*lab, "talk");
  REQUIRE(found);
  const Table& talk = **found;
  CHECK_FALSE(app::require_table(*lab, "walk"));
  std::vector<double> printed_ms;
  for (const TableRow& row : talk.rows) {
    if (row.printed_ns) printed_ms.push_back(*row.printed_ns * 1e-6);
    CHECK(std::string(row.kernel).rfind("gemm.", 0) == 0);
  }
  const std::vector<double> expected = {478'890, 262'830, 276.97, 49.79, 23.82, 10.94,
                                        7.14,    5.28,    0.64,   0.58,  0.58};
  REQUIRE(printed_ms.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) CHECK(printed_ms[i] == Approx(expected[i]));
  CHECK(talk.lessons.size() == 3);
  // The claim of the second lesson: 5.28 ms is above the CUDA cores of an A100.
  const auto rows = app::fill_table(talk, Run(), 0, {}, {});
  for (const PublishedRow& row : rows) {
    if (std::string(row.row->title) != "CUTLASS fp32") continue;
    REQUIRE(row.printed_flop_per_s);
    CHECK(*row.printed_flop_per_s == Approx(26.0e12).epsilon(0.002));
  }
}

TEST_CASE(
    "a series that ran smaller answers for all that it was asked, a size that copies another too") {
  const KernelInfo info = kernel_info(kFirst);  // m and k copy n
  Series series = outcome(1, 0, kFirst);
  series.params = {{"n", int64_t{64}}, {"m", int64_t{64}}, {"k", int64_t{64}}};
  series.reduced_from = "n=128";
  CHECK(app::asked_params(series, &info) ==
        Params{{"n", int64_t{128}}, {"m", int64_t{128}}, {"k", int64_t{128}}});
  series.reduced_from = "n=128 m=96 k=128";
  CHECK(app::asked_params(series, &info) ==
        Params{{"n", int64_t{128}}, {"m", int64_t{96}}, {"k", int64_t{128}}});
  series.reduced_from.clear();
  CHECK(app::asked_params(series, &info) == series.params);
}

TEST_CASE("run --table: the document holds to its schema, and a wrong name is one sentence") {
  const auto run = [](std::vector<std::string> args) {
    return Program(variable("RIDGE_BIN"), std::move(args)).finish();
  };
  setenv("RIDGE_PYTHON", "/nowhere/python3", 1);
  const Outcome outcome = run({"--json", "run", "gemm", "--table", "talk", "--set", "n=48",
                               "--mode", "live", "--limit", "0.05"});
  unsetenv("RIDGE_PYTHON");
  CHECK(outcome.code == 0);
  Folder folder;
  write_all(folder / "table.json", outcome.out);
  expect_schemas(schema_argument("document", folder / "table.json"));
  const auto document = outcome.json();
  REQUIRE(document.is_object());
  CHECK(document["table"]["rows"].size() == 12);
  CHECK(document["table"]["rows"][0]["source"] == "measured");
  CHECK(document["table"]["rows"][2]["note"] == "there is no /nowhere/python3");
  CHECK(run({"run", "gemm", "--table", "walk"}).code == 64);
  CHECK(run({"run", "gemm", "--table", "talk", "--rungs", "naive_o1"}).code == 64);
  // A workload is run by rungs, and so names them.
  CHECK(run({"run", "gemm", "--workload", "gpt3"}).code == 64);
}

TEST_CASE("a report of a run of the talk's table holds it: figures, what is missing, the lessons") {
  setenv("RIDGE_PYTHON", "/nowhere/python3", 1);
  Folder folder;
  const auto run = [](std::vector<std::string> args) {
    return Program(variable("RIDGE_BIN"), std::move(args)).finish();
  };
  const std::string saved = folder / "run.jsonl", page = folder / "talk.html";
  REQUIRE(run({"run", "gemm", "--table", "talk", "--set", "n=48", "--mode", "live", "--limit",
               "0.05", "--out", saved})
              .code == 0);
  unsetenv("RIDGE_PYTHON");
  REQUIRE(run({"report", saved, "--out", page}).code == 0);
  for (const std::string& text : {read_all(page), run({"report", "--markdown", saved}).out}) {
    for (const char* part : {"three loops, gcc -O1", "479 s", "there is no /nowhere/python3",
                             "an NVIDIA GPU", "Same row, other type", "Above the ceiling",
                             "Latency is not the inverse of throughput", "Here: n = 48"}) {
      INFO(part);
      CHECK(has(text, part));
    }
  }
  // A run of rungs, at the same size or not, holds no table.
  REQUIRE(run({"run", "gemm", "--rungs", "loop_order", "--set", "n=48", "--mode", "live", "--limit",
               "0.05", "--out", saved})
              .code == 0);
  CHECK_FALSE(has(run({"report", "--markdown", saved}).out, "Above the ceiling"));
}

TEST_CASE("a report of a run of the score card's networks holds the card") {
  const Lab& lab = *find_lab("weightless");
  const auto series_of = [](int index, const char* kernel, const char* from, int64_t images,
                            double t_ns) {
    Series series = outcome(1, index, kernel);
    series.lab = "weightless", series.cache = CacheMode::hot, series.flop = 0;
    series.params = {
        {"luts", int64_t{2000}}, {"bits", int64_t{3}}, {"tuple", int64_t{12}}, {"images", images}};
    if (*from) series.params["from"] = std::string(from);
    series.stats = Stats{20, t_ns, t_ns, t_ns, t_ns, t_ns, {}, 0, 0, 1, {}};
    series.items_per_s = double(images) * 1e9 / t_ns;
    if (images == 1) series.latency = LatencyStats{300, t_ns, {}, {}, {}};
    series.checks = {check(true)};
    series.checks[0].task = {{"accuracy", 0.88}};
    return series;
  };
  std::vector<Series> all = {series_of(0, "weightless.cpu.mux_portable", "bits", 10'000, 1e6),
                             series_of(1, "weightless.cpu.mux_portable", "pixels", 10'000, 2e6),
                             series_of(2, "weightless.cpu.mux_portable", "pixels", 1, 3e4),
                             series_of(3, "wisard.cpu.class_interleaved", "", 10'000, 4e6)};
  // Of another network: must not stand beside those figures.
  Series other = series_of(4, "weightless.cpu.mux_portable", "bits", 10'000, 1e3);
  other.params["luts"] = int64_t{200};
  const auto card = [&](const std::vector<Series>& some) {
    Transcript t;
    WorkRequest request = request_for(RequestType::run, 1);
    request.lab = "weightless";
    t.send(request);
    for (const Series& series : some)
      t.worker("result", {{"request", 1}, {"series", series.index}, {"outcome", series}});
    t.worker("done", {{"request", 1}, {"status", "ok"}});
    Run run;
    for (const std::string& line : t.lines) run.apply_line(line);
    return app::score_sections(lab, run);
  };
  const auto sections = card({other, all[0], all[1], all[2], all[3]});
  REQUIRE(sections.size() == 1);
  REQUIRE(sections[0].chart);
  // A column a network, a row a fact.
  const std::vector<std::string>& columns = sections[0].table->columns;
  const auto& rows = sections[0].table->rows;
  const auto lut = std::find_if(columns.begin(), columns.end(),
                                [](const std::string& name) { return name.find("LUT") == 0; });
  REQUIRE(lut != columns.end());
  const auto of = [&, at = size_t(lut - columns.begin())](const std::string& fact, size_t right) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const auto& one) { return one[0].starts_with(fact); });
    return row == rows.end() ? "no " + fact : (*row)[at + right];
  };
  CHECK(of("accuracy", 0) == "0.8800");
  CHECK(of("Latency", 0) == "30.0 µs");
  CHECK(of("From pixels", 0) == "5.00 M images/s");
  CHECK(of("From bits", 0) == "10.0 M images/s");  // not the smaller network's 10 G
  CHECK(of("From pixels", 1) == "has no such start");
  // One network alone is no card; a failed check has no speed.
  CHECK(card({all[0], all[1]}).empty());
  all[3].checks[0].passed = false;
  CHECK(card(all).empty());
  CHECK(app::score_sections(*find_lab("gemm"), Run()).empty());
}
