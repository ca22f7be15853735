// The history: what enters it, that nothing is lost whoever writes, what it says of a change, and the command.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/history/entries.h"
#include "app/history/history_page.h"
#include "app/history/history_store.h"
#include "app/history/keeper.h"
#include "app/history/rung_history.h"
#include "common/record/import.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/simulation.h"
#include "tests/skip.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::history;
using namespace ridge::test;

namespace {

#define RIDGE_NEEDS_HISTORY() \
  if (const std::string why = why_no_history(); !why.empty()) RIDGE_SKIP(why)

constexpr double kDay_s = 86400, kFirst_s = 1.79e9;

/// A day apart, each with its own run; the source changes with result `change`.
std::vector<Entry> simulated(int count, size_t change, uint64_t seed) {
  const auto values = simulate_history({.noise = 0.004, .length = count, .outliers = 0}, seed);
  std::vector<Entry> entries;
  for (size_t i = 0; i < values.size(); ++i) {
    Entry& entry = entries.emplace_back();
    const bool is_after = i >= change;
    entry.run = "run" + std::to_string(seed) + "." + std::to_string(i);
    entry.lab = "gemm", entry.kernel = "gemm.cpu.loop_order";
    entry.params = "dtype=fp32 n=512", entry.how = "hot", entry.machine = "Test CPU";
    entry.ended_utc_s = kFirst_s + static_cast<double>(i) * kDay_s;
    entry.value = values[i] * (is_after ? 1.03 : 1);
    entry.ci = Interval{entry.value * 0.995, entry.value * 1.005};
    entry.samples = 40;
    entry.hash = is_after ? "bbbb2222bbbb2222" : "aaaa1111aaaa1111";
    entry.commit = is_after ? "2222222" : "1111111";
    entry.compiler = "GNU 12.2.0";
    entry.power = is_after ? "battery" : "mains";
  }
  return entries;
}

const std::vector<Source> kSources = {
    {"aaaa1111aaaa1111", "kernels/gemm/rungs/loop_order.cpp", "-O3", "// One.\nint a;\nint b;\n"},
    {"bbbb2222bbbb2222", "kernels/gemm/rungs/loop_order.cpp", "-O2", "// One.\nint a;\nint c;\n"}};

HistoryStore opened(const std::string& path) {
  auto store = HistoryStore::open(path);
  if (!store) FAIL(store.error().sentence());
  return *std::move(store);
}

/// Writes a number into the header of a SQLite file (its format: https://www.sqlite.org/fileformat.html).
void patch(const std::string& path, size_t offset, unsigned value) {
  std::string bytes = read_all(path);
  for (size_t i = 0; i < 4; ++i) bytes[offset + i] = static_cast<char>(value >> (24 - 8 * i));
  write_all(path, bytes);
}

/// Whether `sentence` is one, with where and what to do.
void check_sentence(const std::string& sentence, const std::string& part) {
  CAPTURE(sentence);
  CHECK(contains(sentence, part));
  CHECK_FALSE(contains(sentence, "\n"));
}

/// 'ridgepoint history ...' with the history at `path`.
Outcome history_command(const std::string& path, std::vector<std::string> args) {
  args.insert(args.begin(), "history");
  ::setenv("RIDGEPOINT_HISTORY", path.c_str(), 1);
  return Program(variable("RIDGE_BIN"), args).finish();
}

}  // namespace

TEST_CASE("what is added is there when it is opened again, and only once") {
  RIDGE_NEEDS_HISTORY();
  const Folder folder;
  const std::string path = folder / "deep/er/history.db";
  const auto entries = simulated(20, 20, 1);
  {
    HistoryStore store = opened(path);
    const auto added = store.add(entries, kSources);
    REQUIRE(added);
    CHECK(added->entries == 20);
    const auto again = store.add(entries, kSources);
    REQUIRE(again);
    CHECK(again->entries == 0);
    CHECK(again->known == 20);
  }
  HistoryStore store = opened(path);
  const auto kept = store.entries();
  REQUIRE(kept);
  REQUIRE(kept->size() == 20);
  CHECK((*kept)[3].run == entries[3].run);
  CHECK((*kept)[3].value == entries[3].value);
  CHECK((*kept)[3].ci->low == entries[3].ci->low);
  CHECK((*kept)[3].power == "mains");
  CHECK_FALSE((*kept)[3].clock_hz);
  const std::vector<std::string> hashes = {kSources[1].hash, "unknown"};
  const auto sources = store.sources(hashes);
  REQUIRE(sources);
  REQUIRE(sources->size() == 1);
  CHECK(sources->front().text == kSources[1].text);
}

TEST_CASE(
    "processes that write at once lose nothing, and each begins the history as well as another") {
  RIDGE_NEEDS_HISTORY();
  const Folder folder;
  const std::string path = folder / "history.db";
  constexpr int kWriters = 4, kBatches = 10;
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      bool is_good = true;
      for (int b = 0; b < kBatches; ++b) {
        auto store = HistoryStore::open(path);
        const auto seed = static_cast<uint64_t>(w * kBatches + b);
        is_good = is_good && store && store->add(simulated(4, 4, seed), kSources);
      }
      ::_exit(is_good ? 0 : 1);
    }
    writers.push_back(pid);
  }
  for (const pid_t pid : writers) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    CHECK(status == 0);
  }
  CHECK(opened(path).entries()->size() == kWriters * kBatches * 4);
}

TEST_CASE("a file that is no history is left as it is, and one sentence says so") {
  RIDGE_NEEDS_HISTORY();
  const Folder folder;
  const std::string path = folder / "history.db";
  const std::string text = "dear diary, " + std::string(5000, 'x');
  write_all(path, text);
  const auto foreign = HistoryStore::open(path);
  REQUIRE_FALSE(foreign);
  check_sentence(foreign.error().sentence(), "is no history");
  CHECK(read_all(path) == text);

  ::unlink(path.c_str());
  REQUIRE(opened(path).add(simulated(3, 3, 1), {}));
  patch(path, 60, 2);  // user_version
  const std::string newer_bytes = read_all(path);
  const auto newer = HistoryStore::open(path);
  REQUIRE_FALSE(newer);
  check_sentence(newer.error().sentence(), "newer Ridgepoint: its version is 2");
  CHECK(read_all(path) == newer_bytes);

  patch(path, 60, 1);
  patch(path, 68, 0);  // application_id
  const auto other = HistoryStore::open(path);
  REQUIRE_FALSE(other);
  check_sentence(other.error().sentence(), "another program");
  patch(path, 68, 0x52494447);
  CHECK(opened(path).entries()->size() == 3);
}

TEST_CASE("where nothing can be written one sentence says so") {
  RIDGE_NEEDS_HISTORY();
  const auto nowhere = HistoryStore::open("/proc/nowhere/history.db");
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().code == ErrorCode::cannot_write);
  check_sentence(nowhere.error().sentence(), "make its folder writable");
}

TEST_CASE("a folder that may not be written keeps what it holds and says so") {
  RIDGE_NEEDS_HISTORY();
  if (::geteuid() == 0) RIDGE_SKIP("root may write anywhere");
  const Folder folder;
  const std::string path = folder / "history.db";
  REQUIRE(opened(path).add(simulated(3, 3, 1), {}));
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  const auto read_only = HistoryStore::open(folder / "new.db");
  REQUIRE_FALSE(read_only);
  check_sentence(read_only.error().sentence(), "make its folder writable");
  fs::permissions(folder.path, fs::perms::owner_all);
  CHECK(opened(path).entries()->size() == 3);
}

TEST_CASE("what could not be written is written with the next") {
  RIDGE_NEEDS_HISTORY();
  const Folder folder;
  write_all(folder / "kept", "a file where the folder would be");
  const auto all = simulated(3, 9, 7);
  const auto one = [&](size_t i) { return RunEntries{.entries = {all[i]}, .sources = kSources}; };
  {
    Keeper keeper(folder / "kept/history.db");
    const auto has_failed = [&] {
      for (int i = 0; i < 2000; ++i, usleep(5000)) {
        if (keeper.take_error()) return true;
      }
      return false;
    };
    for (const size_t i : {0, 1}) {
      keeper.add(one(i));
      REQUIRE(has_failed());
    }
    std::filesystem::remove(folder / "kept");
    keeper.add(one(2));
  }  // what was added is written
  CHECK(opened(folder / "kept/history.db").entries()->size() == 3);
}

TEST_CASE("of a run the results that have changed enter, and no others") {
  Run run = run_of(whole_transcript());
  const RunEntries first = entries_of(run);
  REQUIRE_FALSE(first.entries.empty());
  CHECK(entries_of(run, first.version).entries.empty());
  Transcript more;
  more.send(request_for(RequestType::run, 40));
  more.worker("check", with(about(40, 0), "check", check(true)));
  more.worker("result", with(about(40, 0), "outcome", outcome(40, 0, kFirst)));
  for (const std::string& line : more.lines) run.apply_line(line);
  const RunEntries second = entries_of(run, first.version);
  CHECK(second.entries.size() == 1);
  CHECK(entries_of(run).entries.size() == first.entries.size() + 1);
  CHECK(second.version > first.version);
}

TEST_CASE("of a run the results enter that it measured and verified") {
  Transcript transcript;
  add_start(&transcript);
  add_run(&transcript);
  add_compare(&transcript);
  const Run run = run_of(transcript);
  const RunEntries made = entries_of(run);
  // Of request 4 the first rung; the second failed its check. Of request 5 both sides.
  REQUIRE(made.entries.size() == 3);
  CHECK(made.entries[0].kernel == kFirst);
  CHECK(made.entries[0].how == "hot");
  CHECK(made.entries[0].machine == "Test CPU");
  CHECK(made.entries[0].params == "dtype=fp32 n=64");
  CHECK(made.entries[0].value == 1002);
  CHECK(made.entries[1].how == "hot, timed in turns");
  CHECK(made.entries[0].run != made.entries[1].run);
  REQUIRE(made.sources.size() == 1);
  CHECK(made.sources[0].text == "int main;\n");
  // The same run read again, and read when only a part of it had come.
  Transcript part;
  add_start(&part);
  add_run(&part);
  CHECK(entries_of(run_of(part)).entries[0].run == made.entries[0].run);
}

TEST_CASE("what is claimed, imported or failed does not enter") {
  const auto left = [](const std::function<void(Series*)>& change,
                       const std::string& kernel = kFirst) {
    Transcript transcript;
    add_start(&transcript);
    WorkRequest request = request_for(RequestType::run, 4);
    request.kernels = {{kernel, {{"n", int64_t{64}}}}};
    transcript.send(request);
    transcript.worker("env", {{"environment", environment()}, {"when", "before"}});
    Series series = outcome(4, 0, kernel);
    change(&series);
    transcript.worker("result", with(about(4, 0), "outcome", series));
    transcript.worker("done", {{"request", 4}, {"status", "ok"}});
    return entries_of(run_of(transcript)).entries.size();
  };
  CHECK(left([](Series*) {}) == 1);
  CHECK(left([](Series* one) { one->checks = {check(true), check(false)}; }) == 0);
  CHECK(left([](Series* one) { one->checks.clear(); }) == 0);
  CHECK(left([](Series* one) { one->status = SeriesStatus::partial; }) == 0);
  CHECK(left([](Series* one) { one->lab = kImportedLab; }) == 0);
  CHECK(left([](Series*) {}, kFirst + "_edit") == 1);
  CHECK(left([](Series* one) { one->checks.erase(one->checks.begin()); }, kFirst + "_edit") == 0);
}

TEST_CASE("a change says what differs on its two sides and what does not") {
  auto entries = simulated(60, 40, 2);
  for (const Entry& other : simulated(20, 20, 3)) {  // another problem is another line
    entries.push_back(other);
    entries.back().params = "dtype=fp32 n=1024";
  }
  const auto all = rung_histories(
      entries, {.kernel = "gemm.cpu.loop_order", .machine = "test", .params = "n=512"});
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].entries.size() == 60);
  REQUIRE(all[0].changes.size() == 1);
  const LevelChange& change = all[0].changes[0];
  CHECK(change.first == 40);
  const std::string text = differences_text(change);
  for (const char* part : {"source aaaa1111 → bbbb2222", "commit 1111111 → 2222222",
                           "power source mains → battery", "The same: machine, compiler"})
    CHECK(contains(text, part));
  std::map<std::string, Source> sources;
  CHECK(contains(source_diff(change, sources), "was not in its run"));
  for (const Source& one : kSources) sources[one.hash] = one;
  const std::string diff = source_diff(change, sources);
  for (const char* part : {"-O3 → -O2", "1 added, 1 removed", "-int b;", "+int c;", " int a;"})
    CHECK(contains(diff, part));
  CHECK(rung_histories(entries, {.machine = "another"}).empty());
  CHECK(rung_histories(entries, {}).size() == 2);
  CHECK(rung_histories(entries, {.params = "n=5"}).empty());
}

TEST_CASE("a clock that differs and a busy machine stand among what differs") {
  auto entries = simulated(60, 40, 2);
  for (size_t i = 0; i < entries.size(); ++i) {
    entries[i].hash = "same", entries[i].commit = "same", entries[i].power = "mains";
    entries[i].clock_hz = i < 40 ? 1.98e9 : 1.5e9;
    if (i >= 40) entries[i].disturbed = "busy";
  }
  const auto all = rung_histories(entries, {});
  REQUIRE(all[0].changes.size() == 1);
  const std::string text = differences_text(all[0].changes[0]);
  CHECK(contains(text, "clock 1.98 GHz → 1.50 GHz"));
  CHECK(contains(text, "busy or noisy results 0 of 40 → 20 of 20"));
  CHECK(contains(text, "The same: machine, source, commit, compiler, power source"));
}

TEST_CASE(
    "the chart has a point for each result, a line for each level and a mark for each change") {
  const auto all = rung_histories(simulated(60, 40, 2), {});
  const chart::ChartModel model = chart::history_chart(chart_input(all[0]));
  REQUIRE(model.plot);
  REQUIRE(model.plot->curves.size() == 1);
  CHECK(model.plot->curves[0].data.size() == 60);
  CHECK(model.plot->curves[0].data[7].interval);
  size_t levels = 0, marks = 0;
  for (const chart::Guide& guide : model.plot->guides) {
    levels += guide.kind == chart::Guide::Kind::horizontal;
    marks += guide.kind == chart::Guide::Kind::vertical && guide.value == Approx(40.5);
  }
  CHECK(levels == 2);
  CHECK(marks == 1);
  CHECK(model.table.rows.size() == 60);
  CHECK_FALSE(chart::history_chart({}).plot->empty_reason.empty());
}

TEST_CASE("the summary has at most 100 columns, and says once what all its rows share") {
  auto entries = simulated(60, 40, 2);
  for (Entry& entry : entries) {
    entry.machine = "Intel(R) Xeon(R) Processor with a long name";
    entry.params = "dtype=fp32 k=1024 m=1024 n=1024 threads=16 tile_k=128 tile_m=128";
  }
  const auto widest = [](const std::string& text) {
    size_t columns = 0, line = 0;
    for (const char letter : text) {
      if (letter == '\n')
        line = 0;
      else if ((static_cast<unsigned char>(letter) & 0xC0) != 0x80)
        columns = std::max(columns, ++line);
    }
    return columns;
  };
  setenv("COLUMNS", "100", 1);
  const std::string alone = summary_text(rung_histories(entries, {}));
  INFO(alone);
  CHECK(widest(alone) <= 100);
  CHECK(alone.rfind("Intel(R) Xeon(R) Processor with a long name, ", 0) == 0);
  CHECK_FALSE(contains(alone, "machine"));
  std::vector<Entry> two = entries;
  for (Entry& entry : entries) {
    entry.machine = "another machine";
    two.push_back(entry);
  }
  const std::string both = summary_text(rung_histories(two, {}));
  unsetenv("COLUMNS");
  INFO(both);
  CHECK(widest(both) <= 100);
  CHECK(contains(both, "machine"));
}

TEST_CASE("the summary says once what a lab's results have in common, and a row what is its own") {
  auto entries = simulated(20, 20, 3);
  for (size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = entries[i];
    entry.kernel = i % 4 == 0 ? "gemm.cpu.naive_o3" : "gemm.cpu.loop_order";
    const std::string n = i % 2 == 0 ? "64" : "512";
    entry.params = "dtype=" + std::string(i == 0 ? "bf16" : "fp32") + " k=" + n + " m=" + n +
                   " n=" + n + " threads=1";
  }
  const std::string text = summary_text(rung_histories(entries, {}));
  INFO(text);
  CHECK(contains(text, "gemm: fp32, 1 thread where a row says nothing else\n"));
  CHECK(contains(text, "  n = 64  "));
  CHECK(contains(text, "  n = 64, bf16  "));
  CHECK_FALSE(contains(text, "k = "));
  CHECK(text.find("thread") == text.rfind("thread"));
}

TEST_CASE("the summary has the ladder's order, and at 80 columns a line for each row") {
  std::vector<Entry> entries;
  const char* const ways[] = {"hot", "hot, live", "hot, timed in turns"};
  for (const char* kernel : {"gemm.cpu.cache_blocks", "gemm.cpu.loop_order", "gemm.cpu.naive_o1",
                             "gemm.cpu.threads", "gemm.cpu.avx512_vnni"}) {
    for (const char* way : ways) {
      Entry entry = simulated(1, 1, 1).front();
      entry.kernel = kernel, entry.how = way;
      entry.params = "dtype=int8 k=128 m=128 n=128 threads=1";
      entries.push_back(entry);
    }
  }
  entries.back().params = "dtype=fp32 k=512 m=512 n=512 threads=1";
  setenv("COLUMNS", "80", 1);
  const std::string text = summary_text(rung_histories(entries, {}));
  unsetenv("COLUMNS");
  INFO(text);
  const size_t table = text.find("rung ");
  REQUIRE(table != text.npos);
  CHECK(size_t(std::count(text.begin() + ptrdiff_t(table), text.end(), '\n')) ==
        entries.size() + 1);
  CHECK(contains(text, "  in turns  "));
  CHECK(contains(text, "  measure  "));
  size_t last = 0;
  for (const char* rung : {"naive_o1", "loop_order", "cache_blocks", "threads", "avx512_vnni"}) {
    const size_t at = text.find(std::string("cpu.") + rung);
    CHECK(at > last);
    last = at;
  }
}

TEST_CASE("the command lists what the history holds, and shows one rung") {
  RIDGE_NEEDS_HISTORY();
  const Folder folder;
  const std::string path = folder / "history.db";
  const Outcome empty = history_command(path, {});
  CHECK(empty.code == 0);
  CHECK(contains(empty.out, "The history is empty"));
  REQUIRE(opened(path).add(simulated(60, 40, 2), kSources));

  const Outcome list = history_command(path, {});
  CHECK(list.code == 0);
  CHECK(contains(list.out, "gemm.cpu.loop_order"));
  CHECK(contains(list.out, "n = 512"));
  CHECK(contains(list.out, "60"));
  CHECK(contains(list.out, "+3."));
  const Outcome rung = history_command(path, {"loop_order", "--diff"});
  CHECK(rung.code == 0);
  for (const char* part :
       {"the newest 40 of 60 results", "What is kept differs in", "+int c;", "no cause"})
    CHECK(contains(rung.out, part));
  CHECK(history_command(path, {"loop_order", "--set", "n=7"}).out ==
        "Nothing in the history fits --set and --machine.\n");
  const Outcome json = history_command(path, {"loop_order", "--json"});
  REQUIRE(json.json().is_object());
  CHECK(json.json()["history"][0]["results"].size() == 60);
  CHECK(json.json()["history"][0]["changes"][0]["first"] == 40);

  const Outcome unknown = history_command(path, {"lop_order"});
  CHECK(unknown.code == 64);
  check_sentence(unknown.err.substr(0, unknown.err.size() - 1),
                 "did you mean gemm.cpu.loop_order?");
  CHECK(contains(history_command(path, {"gemm.cpu.lop_order"}).err,
                 "did you mean gemm.cpu.loop_order?"));
  CHECK(contains(history_command(path, {"gemm", "--rung", "packed"}).err,
                 "RUNG is an argument of 'history'"));
  CHECK(history_command(path, {"loop_order", "threads"}).code == 64);
  CHECK(history_command("off", {}).code == 69);
}

TEST_CASE("the history is written as a page, a picture and a table") {
  RIDGE_NEEDS_HISTORY();
  const Folder folder;
  const std::string path = folder / "history.db";
  REQUIRE(opened(path).add(simulated(60, 40, 2), kSources));
  for (const char* name : {"h.html", "h.svg", "h.csv"})
    CHECK(history_command(path, {"loop_order", "--out", folder / name}).code == 0);
  const std::string page = read_all(folder / "h.html");
  for (const char* part :
       {"<svg", "+int c;", "power source mains → battery", "compare</code> measures"})
    CHECK(contains(page, part));
  CHECK(read_all(folder / "h.svg").starts_with("<svg"));
  const std::string csv = read_all(folder / "h.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 61);
  CHECK(contains(csv, "GNU 12.2.0,2\n"));
  CHECK(history_command(path, {"loop_order", "--out", folder / "h.pdf"}).code == 64);
  CHECK(history_command(path, {"loop_order", "--out", "/proc/nowhere/h.csv"}).code == 73);
}

TEST_CASE("what is run enters by itself, and its file adds nothing more") {
  RIDGE_NEEDS_HISTORY();
  const Folder folder;
  const std::string path = folder / "history.db", file = folder / "run.jsonl";
  ::setenv("RIDGEPOINT_HISTORY", path.c_str(), 1);
  const Outcome run =
      Program(variable("RIDGE_BIN"), {"run", "gemm", "--rungs", "loop_order,naive_o3", "--set",
                                      "n=32", "--mode", "live", "--out", file})
          .finish();
  REQUIRE(run.code == 0);
  REQUIRE(opened(path).entries()->size() == 2);
  const Outcome again = history_command(path, {"add", file});
  CHECK(again.code == 0);
  CHECK(contains(again.out, "0 added, 2 known already"));
  CHECK(opened(path).entries()->size() == 2);

  // What cannot be read costs nothing of the rest.
  write_all(folder / "broken.jsonl", "junk");
  ::unlink(path.c_str());
  const Outcome both = history_command(path, {"add", folder / "broken.jsonl", file});
  CHECK(both.code == 65);
  CHECK(contains(both.out, "2 added"));

  // A history that cannot be written costs nothing of the run.
  write_all(path, std::string(4096, 'x'));
  ::setenv("RIDGEPOINT_HISTORY", path.c_str(), 1);
  const Outcome spoilt = Program(variable("RIDGE_BIN"), {"run", "gemm", "--rungs", "loop_order",
                                                         "--set", "n=32", "--mode", "live"})
                             .finish();
  CHECK(spoilt.code == 0);
  CHECK(contains(spoilt.err, "this run is not in the history"));
  CHECK(read_all(path) == std::string(4096, 'x'));
}
