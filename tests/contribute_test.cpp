// Recordings of others: what may be recorded, what "check" refuses, and one command from a machine to a file.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "app/cli/recorder.h"
#include "app/query/compact.h"
#include "app/query/owner_words.h"
#include "app/query/recording_check.h"
#include "app/query/recording_pack.h"
#include "app/query/recordings.h"
#include "common/core/files.h"
#include "common/record/derive.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::app;
using namespace ridge::test;
namespace fs = std::filesystem;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A shipped recording of a clean commit.
const std::string& good_text() {
  static const std::string text =
      *read_whole(variable("RIDGE_SOURCE") + "/assets/recorded/mixed.h100_80gb_hbm3.wide.jsonl");
  return text;
}

/// What the check says of a text under a name; empty: nothing.
std::string refusal(const std::string& text,
                    const std::string& name = "mixed.h100_80gb_hbm3.wide.jsonl",
                    const CheckOptions& options = {}) {
  const Folder folder;
  REQUIRE(write_whole(folder / name, text).ok());
  const auto good = check_recording(folder / name, options);
  if (good) return "";
  CHECK(good.error().code == ErrorCode::bad_input);
  CHECK(has(good.error().where, name));
  CHECK_FALSE(good.error().hint.empty());
  CHECK_FALSE(has(good.error().sentence(), "\n"));
  return good.error().sentence();
}

/// The lines of a text, each changed in place; an empty one goes.
std::string changed(const std::function<void(Json*)>& change) {
  std::string text;
  std::istringstream lines(good_text());
  for (std::string line; std::getline(lines, line);) {
    Json json = Json::parse(line);
    change(&json);
    if (!json.is_null()) text += json.dump() + "\n";
  }
  return text;
}

std::string with_commit(const std::string& commit) {
  return changed([&](Json* line) {
    if ((*line)["type"] == "env") (*line)["environment"]["commit"] = commit;
  });
}

/// The first result, changed.
std::string with_result(const std::function<void(Json*)>& change) {
  bool done = false;
  return changed([&](Json* line) {
    if (done || !line->contains("outcome")) return;
    change(&(*line)["outcome"]);
    done = true;
  });
}

}  // namespace

TEST_CASE("a recording that is as it should be passes, under its own name alone") {
  CHECK(refusal(good_text()) == "");
  CHECK(has(refusal(good_text(), "wide.jsonl"), "a recording's name says lab and machine"));
  CHECK(has(refusal(good_text(), "mixed..jsonl"), "a recording's name says lab and machine"));
  CHECK(has(refusal(good_text(), "nolab.h100_80gb_hbm3.jsonl"), "there is no lab 'nolab'"));
  CHECK(has(refusal(good_text(), "mixed.t4.jsonl"), "name it mixed.h100_80gb_hbm3.jsonl"));
  CHECK(has(refusal(good_text(), "gemm.h100_80gb_hbm3.jsonl"), "of another lab"));
}

TEST_CASE("a rung that is there to be wrong may fail its check, and no other of ours") {
  const std::string conv =
      *read_whole(variable("RIDGE_SOURCE") + "/assets/recorded/conv.h200.fp32.jsonl");
  const auto with_failed = [&](const std::string& kernel) {
    std::istringstream lines(conv);
    for (std::string line; std::getline(lines, line);) {
      Json json = Json::parse(line);
      if (!json.contains("outcome")) continue;
      Json& outcome = json["outcome"];
      json["series"] = 99;
      outcome["kernel"] = kernel;
      outcome["status"] = "failed";
      outcome["stats"] = nullptr;
      outcome["reason"] = "NMSE above its limit";
      return conv + json.dump() + "\n";
    }
    return conv;
  };
  CHECK(refusal(with_failed("conv.cpu.as_printed"), "conv.h200.fp32.jsonl") == "");
  CHECK(has(refusal(with_failed("conv.cpu.direct"), "conv.h200.fp32.jsonl"), "failed: NMSE"));
}

TEST_CASE("each thing that a recording may not be is refused in a sentence") {
  CHECK(has(refusal(""), "the file is empty"));
  CHECK(has(refusal(good_text().substr(0, good_text().size() / 2)), "ends inside line"));
  CHECK(has(refusal(with_commit("1a2b3c4d5e6f-dirty")), "commit '1a2b3c4d5e6f-dirty'"));
  CHECK(has(refusal(with_commit("unknown")), "commit 'unknown'"));
  CHECK(has(refusal(with_commit("")), "commit 'unknown'"));
  CHECK(refusal(with_commit("1a2b3c4d5e6f-dirty"), "mixed.h100_80gb_hbm3.wide.jsonl",
                {.dirty_too = true}) == "");
  CHECK(has(refusal(good_text() +
                    R"({"ridgepoint":1,"type":"samples","request":1,"series":0,"samples":[]})"
                    "\n"),
            "it still holds 'samples' lines"));
  CHECK(has(refusal(changed([](Json* line) {
              if ((*line)["type"] == "env") *line = nullptr;
            })),
            "does not say which machine measured"));
  std::string long_curve;
  std::istringstream lines(good_text());
  for (std::string line; std::getline(lines, line);) {
    const bool repeated = has(line, "\"type\":\"curve\"");
    for (int i = 0; i < (repeated ? 200 : 1); ++i) long_curve += line + "\n";
  }
  CHECK(has(refusal(long_curve), "more than 200 points"));
  CHECK(has(refusal(changed([](Json* line) {
              if ((*line)["type"] == "kernel") (*line)["kernel"]["id"] = "gemm.cuda.naive";
            })),
            "its catalogue holds gemm.cuda.naive"));
  CHECK(has(refusal(with_result([](Json* outcome) { (*outcome)["hash"] = ""; })), "has no hash"));
  CHECK(has(refusal(with_result([](Json* outcome) { (*outcome)["lab"] = "gemm"; })),
            "measured for lab 'gemm'"));
  CHECK(has(refusal(with_result([](Json* outcome) { (*outcome)["status"] = "partial"; })),
            "is partial"));
  CHECK(has(refusal(with_result([](Json* outcome) { (*outcome)["checks"][0]["passed"] = false; })),
            "mixed.cuda.fp32 ("));
}

TEST_CASE("a recording that names a home folder is refused, however the folder is written") {
  const auto noted = [](const std::string& note) {
    return with_result([&](Json* outcome) { (*outcome)["note"] = note; });
  };
  for (const char* home :
       {"/home/ann/x", "/Users/ann/x", "/root/x", "see /root", "-I/home/ann/x", "C:\\Users\\ann\\x",
        "c:\\\\users\\\\ann", "\\/home\\/ann", "/tmp/ann/x", "ask ann@example.org"}) {
    INFO(home);
    CHECK(has(refusal(noted(home)), "says whose machine it was"));
  }
  for (const char* good : {"/roots", "/rooted/x", "/home/", "a /homely/x", "~/x", "/usr/home"})
    CHECK(refusal(noted(good)) == "");
  // As another program may write the same string, and beside an equal key whose value hides it.
  for (const char* note :
       {R"("\/home\/ann\/x")", R"("\u002fhome\u002Fann")", R"("/home/ann","note":"")"}) {
    std::string text = noted("HERE");
    text.replace(text.find("\"HERE\""), 6, note);
    INFO(note);
    CHECK(has(refusal(text), "'/home/ann' says whose machine it was"));
  }
  CHECK(
      has(refusal(with_result([](Json* outcome) { (*outcome)["/home/ann"] = 1; })), "says whose"));
}

TEST_CASE("a long line is searched once") {
  const std::chrono::seconds limit(std::getenv("RIDGE_EMULATED") ? 60 : 2);
  for (const std::string unit :
       {"/", "/home/", "\\Users", "/root.", "C:\\", "a@", "@a.", "/tmp/~"}) {
    std::string text;
    while (text.size() < (size_t{1} << 20)) text += unit;
    const auto start = std::chrono::steady_clock::now();
    (void)find_owner_word(text);
    (void)owner_word_in(Json(text).dump());
    CHECK(std::chrono::steady_clock::now() - start < limit);
  }
  const std::string name(60'000, 'x');
  CHECK(owner_word_in(Json("/home/" + name).dump()).size() == name.size() + 6);
  CHECK(owner_word_in(std::string(200'000, '[')).empty());
}

TEST_CASE("what says whose machine it was is removed, and nothing else of a line") {
  const Owner ann = {
      .users = {"ann"}, .homes = {"/data/people/ann"}, .hosts = {"gpubox.lan", "gpubox"}};
  const auto scrubbed = [&](const std::string& text) {
    return Json::parse(line_without_owner(Json(text).dump(), ann)).get<std::string>();
  };
  CHECK(scrubbed("-I/home/bob/x:/Users/bob") == "-I~/x:~");
  CHECK(scrubbed("cd /root && see /roots") == "cd ~ && see /roots");
  CHECK(scrubbed("C:\\Users\\bob\\x d:\\\\USERS\\\\bob") == "~\\x ~");
  CHECK(scrubbed("/data/people/ann/x, /data/people/anna") == "~/x, /data/people/anna");
  CHECK(scrubbed("/scratch/ann/x /scratch/ann_1 /scratch/anna") ==
        "/scratch/~/x /scratch/~_1 /scratch/anna");
  CHECK(scrubbed("/tmp/pip-ann/x /var/tmp/y \"/tmp\" /tmpfs/x") ==
        "/tmp/~/x /var/tmp/~ \"/tmp\" /tmpfs/x");
  CHECK(scrubbed("by ann.b+c@uni.example.org, ann@gpubox") == "by ~, ~@host");
  CHECK(scrubbed("on gpubox.lan or gpubox2") == "on host or host2");
  for (const char* kept : {"@triton.jit\ndef ann(x)", "gcc@12.2", "q @ k.T", "a@b",
                           "annotate the planner", "~/x", "/tmp/~/x", "/usr/local/cuda-12.4"})
    CHECK(scrubbed(kept) == kept);
  CHECK(line_without_owner(R"({"a":[{"/root/b":"C:\\Users\\ann\\x"}],"n":1})", {}) ==
        R"({"a":[{"~/b":"~\\x"}],"n":1})");
  CHECK(line_without_owner(R"({"b": 1, "a": "x"})", ann) == R"({"b": 1, "a": "x"})");
}

TEST_CASE("a scrubbed recording passes the check") {
  const Folder folder;
  const std::string path = folder / "mixed.h100_80gb_hbm3.wide.jsonl";
  REQUIRE(
      write_whole(path, with_result([](Json* outcome) {
                    (*outcome)["note"] =
                        "/tmp/annika/x, annika@example.org, C:\\Users\\annika, /data/annika/gpubox";
                  }))
          .ok());
  CHECK_FALSE(check_recording(path).ok());
  REQUIRE(scrub_recording(path, {.users = {"annika"}, .homes = {}, .hosts = {"gpubox"}}).ok());
  CHECK(check_recording(path).ok());
  const std::string text = *read_whole(path);
  CHECK_FALSE(has(text, "annika"));
  CHECK(has(text, "/tmp/~/x, ~, ~, /data/~/host"));
  REQUIRE(write_whole(path, good_text()).ok());
  REQUIRE(scrub_recording(path, {}).ok());
  CHECK(*read_whole(path) == good_text());
}

TEST_CASE("this machine's user and folder are known") {
  setenv("USER", "a-learner", 1);
  const Owner owner = this_owner();
  CHECK(std::count(owner.users.begin(), owner.users.end(), "a-learner") == 1);
  unsetenv("USER");
  CHECK(std::count(owner.homes.begin(), owner.homes.end(), "/") == 0);
}

TEST_CASE("making a recording small leaves what the check asks for") {
  // A curve of thousands of points in order, one in a hundred an evaluation; another lab's rung; samples.
  std::string text;
  std::istringstream lines(good_text());
  for (std::string line; std::getline(lines, line);) {
    Json json = Json::parse(line);
    text += line + "\n";
    if (json["type"] == "kernel" && !has(text, "gemm.cuda.naive")) {
      json["kernel"]["id"] = "gemm.cuda.naive";
      text += json.dump() + "\n";
    }
    if (json["type"] != "curve") continue;
    for (int i = 1; i <= 3000; ++i) {
      Json point = {{"step", 10'000 + i}, {"t_s", 100.0 + i}, {"values", {{"loss", 1.0}}}};
      if (i % 100 == 0) point["values"]["accuracy"] = 0.5;
      json["points"] = {point};
      text += json.dump() + "\n";
    }
  }
  text += R"({"ridgepoint":1,"type":"samples","request":6,"series":0,"samples":[]})"
          "\n";
  // A rung that was broken off, as the run's last.
  std::string cancelled;
  std::istringstream results(text);
  for (std::string line; std::getline(results, line);) {
    Json json = Json::parse(line);
    if (!json.contains("outcome")) continue;
    json["series"] = 99;
    json["outcome"]["index"] = 99;
    json["outcome"]["status"] = "cancelled";
    cancelled = json.dump() + "\n";
  }
  REQUIRE_FALSE(cancelled.empty());
  text += cancelled;
  const Folder folder;
  const std::string path = folder / "mixed.h100_80gb_hbm3.wide.jsonl";
  REQUIRE(write_whole(path, text).ok());
  CHECK_FALSE(check_recording(path).ok());
  REQUIRE(compact(path).ok());
  const auto good = check_recording(path);
  if (!good) FAIL_CHECK(good.error().sentence());
  const auto run = Run::load(path);
  REQUIRE(run.ok());
  CHECK(run->kernel("gemm.cuda.naive") == nullptr);
  CHECK(run->kernel("mixed.cuda.fp32") != nullptr);
  for (const Series& series : run->series()) CHECK(series.status == SeriesStatus::ok);
  size_t curves = 0;
  for (const Series& series : run->series()) {
    if (series.curve.empty()) continue;
    ++curves;
    CHECK(series.curve.size() <= 200);
    CHECK(series.curve.size() > 150);
    CHECK(series.curve.front().step < 100);
    CHECK(series.curve.back().step == 13'000);
    const auto evaluations = std::count_if(
        series.curve.begin(), series.curve.end(),
        [](const auto& point) { return point.step > 10'000 && point.values.contains("accuracy"); });
    CHECK(evaluations % 30 == 0);  // all, of each line that had a curve
    CHECK(evaluations >= 30);
  }
  CHECK(curves > 0);
}

TEST_CASE("a machine's word in a file's name") {
  CHECK(machine_word("NVIDIA H200") == "h200");
  CHECK(machine_word("Tesla T4") == "tesla_t4");
  CHECK(machine_word("NVIDIA GeForce RTX 4090") == "geforce_rtx_4090");
  CHECK(machine_word("Intel(R) Xeon(R) Processor") == "intel_r_xeon_r_processor");
  CHECK(machine_word(" Apple M3 ") == "apple_m3");
}

TEST_CASE("what ships is recorded from a clean build") {
  const Folder folder;
  const std::string shipped = folder / "assets/recorded/gemm.h100_80gb_hbm3.jsonl";
  for (const char* commit : {"1a2b3c4d5e6f-dirty", "unknown", ""}) {
    INFO(commit);
    const auto refused = may_record(commit, shipped, false);
    REQUIRE_FALSE(refused.ok());
    CHECK(has(refused.error().sentence(), "--dirty"));
    CHECK(may_record(commit, shipped, true).ok());
    CHECK(may_record(commit, folder / "gemm.h100_80gb_hbm3.jsonl", false).ok());
    CHECK_FALSE(may_contribute(commit, false).ok());
    CHECK(may_contribute(commit, true).ok());
  }
  CHECK(may_record("1a2b3c4d5e6f", shipped, false).ok());
  CHECK(may_contribute("1a2b3c4d5e6f", false).ok());
  CHECK_FALSE(
      may_record("unknown", folder / "assets/x/../recorded/gemm.h100_80gb_hbm3.jsonl", false).ok());
}

TEST_CASE("a pack holds what was put in, and no other archive is one") {
  const Folder folder;
  const std::string path = folder / "pack.tar.gz";
  const std::vector<PackedFile> files = {{"a.jsonl", "one\n"}, {"b.jsonl", std::string(5000, 'x')}};
  REQUIRE(write_pack(path, files).ok());
  const auto read = read_pack(path);
  REQUIRE(read.ok());
  REQUIRE(read->size() == 2);
  CHECK((*read)[1].name == "b.jsonl");
  CHECK((*read)[1].text == files[1].text);
  REQUIRE(write_pack(path, {{"../a.jsonl", "one\n"}}).ok());
  CHECK(has(read_pack(path).error().sentence(), "no recording's name"));
  REQUIRE(write_pack(path, {{"a.jsonl", "one\n"}, {"a.jsonl", "two\n"}}).ok());
  CHECK(has(read_pack(path).error().sentence(), "is not packed as a recording is"));
  REQUIRE(write_whole(path, "no archive").ok());
  CHECK_FALSE(read_pack(path).ok());
}

TEST_CASE("a pack that tar made is refused: it may hold links, folders and more behind its end") {
  const Folder folder;
  const std::string line =
      "cd '" + folder.path.string() +
      "' && ln -s /etc/passwd gemm.h100_80gb_hbm3.jsonl && tar czf link.tar.gz "
      "gemm.h100_80gb_hbm3.jsonl && "
      "rm gemm.h100_80gb_hbm3.jsonl && echo one > gemm.h100_80gb_hbm3.jsonl && "
      "tar czf plain.tar.gz gemm.h100_80gb_hbm3.jsonl";
  REQUIRE(std::system(line.c_str()) == 0);
  for (const char* name : {"link.tar.gz", "plain.tar.gz"})
    CHECK(has(read_pack(folder / name).error().sentence(), "not packed as a recording is"));
  // Two packs, one behind the other: the second would be unpacked unchecked.
  REQUIRE(write_pack(folder / "one.tar.gz", {{"a.jsonl", "one\n"}}).ok());
  const std::string twice =
      "cd '" + folder.path.string() + "' && cat one.tar.gz one.tar.gz > two.tar.gz";
  REQUIRE(std::system(twice.c_str()) == 0);
  CHECK(has(read_pack(folder / "two.tar.gz").error().sentence(), "stands behind its end"));
}

TEST_CASE("one command records this machine's rungs into a file that the check takes") {
  RIDGE_SKIP_EMULATED(kNoEmulatedCeilings);
  const Folder folder;
  setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
  const std::string pack = folder / "pack.tar.gz";
  const Outcome made =
      Program(variable("RIDGE_BIN"),
              std::vector<std::string>{"record", "gemm", "64", "--contribute", "--dirty", "--rungs",
                                       "naive_o3,loop_order,cache_blocks", "--seconds", "6",
                                       "--out", pack})
          .finish();
  INFO(made.out << made.err);
  REQUIRE(made.code == 0);
  CHECK(has(made.out, "1 recordings of "));
  const Outcome checked =
      Program(variable("RIDGE_BIN"), std::vector<std::string>{"recording", "--dirty", pack})
          .finish();
  INFO(checked.out << checked.err);
  CHECK(checked.code == 0);
  CHECK(has(checked.out, ": good: 1 recordings"));
  const auto files = read_pack(pack);
  REQUIRE(files.ok());
  REQUIRE(files->size() == 1);
  CHECK(files->front().name.starts_with("gemm."));
  if (const char* home = getenv("HOME"); home && std::string(home).size() > 1)
    CHECK_FALSE(has(files->front().text, std::string(home) + "/"));

  // In the user's folder it stands beside what ships.
  fs::create_directories(folder / "data/ridgepoint/recorded");
  REQUIRE(
      write_whole(folder / "data/ridgepoint/recorded/" + files->front().name, files->front().text)
          .ok());
  std::vector<std::string> problems;
  const auto all = load_all_recordings(&problems);
  CHECK(problems.empty());
  REQUIRE(all.size() > 20);
  CHECK_FALSE(has(all.front().path, "data/ridgepoint/recorded"));
  CHECK(has(all.back().path, "data/ridgepoint/recorded"));
  // All in turns: each against the one before it, and the time of each is of those rounds.
  const Run& run = *all.back().run;
  REQUIRE(run.comparisons().size() == 2);
  for (const Comparison& one : run.comparisons()) {
    CHECK(one.request == run.comparisons()[0].request);
    const Series *baseline = run.latest(one.baseline, one.baseline_params),
                 *candidate = run.latest(one.candidate, one.candidate_params);
    REQUIRE((baseline && candidate && baseline->stats && candidate->stats));
    CHECK(has(candidate->note, "timed in turns with the other rungs"));
    CHECK(candidate->stats->n == 2 * one.rounds);
  }
  CHECK(all.back().stale.empty());
  for (const KernelInfo& info : all.back().run->catalogue()) CHECK(info.id.starts_with("gemm."));
}

TEST_CASE("each problem of a lab takes turns of its own, against a library of the rung's type") {
  RIDGE_SKIP_EMULATED(kNoEmulatedCeilings);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const Folder folder;
  const auto recorded = [&](std::vector<std::string> words) {
    const std::string out = folder / "run.jsonl";
    words.insert(words.begin(), {"record", "--dirty", "--processor", "cpu", "--out", out});
    const Outcome made = Program(variable("RIDGE_BIN"), words).finish();
    INFO(made.out << made.err);
    REQUIRE(made.code == 0);
    auto run = Run::load(out);
    REQUIRE(run.ok());
    return *std::move(run);
  };
  const Run machine = recorded({"machine", "kib=16", "--rungs", "chase.cpu,sums.cpu"});
  std::set<std::string_view> problems;
  for (const Comparison& one : machine.comparisons()) {
    CHECK(family_of(one.baseline) == family_of(one.candidate));
    problems.insert(family_of(one.candidate));
  }
  CHECK(problems.size() == 2);

  const Run gemm = recorded({"gemm", "64", "--rungs", "loop_order,avx2_int8,onednn"});
  const KernelInfo* library = gemm.kernel("gemm.cpu.onednn_int8");
  if (!library || !library->available) return;
  const auto is_against = [&](const char* baseline, const char* candidate) {
    return std::any_of(gemm.comparisons().begin(), gemm.comparisons().end(),
                       [&](const Comparison& one) {
                         return one.baseline == baseline && one.candidate == candidate;
                       });
  };
  CHECK(is_against("gemm.cpu.onednn", "gemm.cpu.loop_order"));
  CHECK(is_against("gemm.cpu.onednn_int8", "gemm.cpu.avx2_int8"));
  CHECK_FALSE(is_against("gemm.cpu.onednn_int8", "gemm.cpu.loop_order"));
}

TEST_CASE("several labs and a processor may be named") {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const Folder folder;
  const std::string pack = folder / "pack.tar.gz";
  const char* seconds = std::getenv("RIDGE_EMULATED") ? "120" : "4";
  const auto recorded = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"record", "--contribute", "--dirty", "--out", pack, "--seconds", seconds});
    return Program(variable("RIDGE_BIN"), words).finish();
  };
  const Outcome made = recorded({"gemm", "fusion", "64", "--processor", "cpu", "--rungs",
                                 "gemm.cpu.loop_order,chain.cpu.separate"});
  INFO(made.out << made.err);
  REQUIRE(made.code == 0);
  const auto files = read_pack(pack);
  REQUIRE(files.ok());
  REQUIRE(files->size() == 2);
  CHECK((*files)[0].name.substr(0, (*files)[0].name.find('.')) !=
        (*files)[1].name.substr(0, (*files)[1].name.find('.')));
  CHECK(has(recorded({"gemm", "--processor", "gpu"}).err, "this machine has no NVIDIA GPU"));
  CHECK(has(recorded({"gemm", "nolab", "64"}).err, "nolab"));
  const Outcome help =
      Program(variable("RIDGE_BIN"), std::vector<std::string>{"record", "--help"}).finish();
  CHECK(has(help.out, "with --contribute several"));
}

TEST_CASE("the parts of a network are points") {
  RIDGE_SKIP_EMULATED("the rung that is fast enough for all parts has AVX2");
  const Folder folder;
  const auto recorded = [&](const std::string& point) {
    return Program(variable("RIDGE_BIN"),
                   std::vector<std::string>{
                       "record", "conv", "--contribute", "--dirty", "--processor", "cpu", "--rungs",
                       "conv.cpu.avx2", "--seconds", "8", "--out", folder / "pack.tar.gz", point})
        .finish();
  };
  const Outcome made = recorded("workload=resnet50,n=1");
  INFO(made.out << made.err);
  REQUIRE(made.code == 0);
  CHECK(has(made.out, "c=3 "));
  for (const char* last : {"c=2048,groups=1,h=7,m=512", "c=512,groups=1,h=7,m=512", "n=1"})
    CHECK(has(made.out + made.err, last));
  const Outcome unknown = recorded("workload=resnet51,n=1");
  CHECK(has(unknown.out + unknown.err, "resnet50"));
}
