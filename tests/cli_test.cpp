// The program as a user meets it: the real binary, the real worker, files and exit codes.
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "common/record/json.h"
#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/generated_list.h"
#include "tests/program.h"
#include "tests/skip.h"

using namespace ridge;
using namespace ridge::test;

namespace {

Outcome ridgepoint(std::vector<std::string> args) {
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

std::vector<std::string> fixture_args(std::vector<std::string> args) {
  args.push_back("--worker");
  args.push_back("'" + variable("RIDGE_FIXTURE_WORKER") + "' --stdio");
  return args;
}

Outcome fixtures(std::vector<std::string> args) {
  return Program(variable("RIDGE_FIXTURE_BIN"), fixture_args(std::move(args))).finish();
}

/// What a shell says of a command line in which "$0" is ridgepoint.
Outcome in_shell(const std::string& line) {
  return Program("/bin/sh", {"-c", line, variable("RIDGE_BIN")}).finish();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// One sentence for a person: a line, that starts with our name.
bool is_one_sentence(const std::string& err) {
  return err.rfind("ridgepoint: ", 0) == 0 && err.find('\n') == err.size() - 1;
}

/// Of a line of UTF-8.
size_t columns_of(const std::string& line) {
  return static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// Lines of more than 100 columns, but for those to copy, which begin with the program's name.
std::string wide_lines(const std::string& text) {
  std::string wide;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto is_begin = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const size_t begin = line.find_first_not_of(' ');
    const bool is_to_copy = begin != line.npos && line.compare(begin, 11, "ridgepoint ") == 0;
    if (!is_to_copy && std::count_if(line.begin(), line.end(), is_begin) > 100) wide += line + "\n";
  }
  return wide;
}

size_t sample_count(const Run& run) {
  size_t count = 0;
  for (const Series& series : run.series()) count += series.samples.size();
  return count;
}

Run load(const std::string& path) {
  auto run = Run::load(path);
  if (!run) FAIL(run.error().sentence());
  return *std::move(run);
}

/// A small run of two rungs with all outputs and ceilings, made once; without ceilings where the CPU is emulated
/// (kNoEmulatedCeilings).
struct SavedRun {
  Folder folder;
  std::string path = folder / "run.jsonl";
  Outcome outcome = made();
  Outcome made() const {
    if (!std::getenv("RIDGE_EMULATED")) setenv("RIDGE_CEILINGS", "anew", 1);
    const Outcome ran = ridgepoint({"--json", "run", "gemm", "--rungs", "loop_order,cache_blocks",
                                    "--set", "n=64", "--mode", "live", "--out", path});
    setenv("RIDGE_CEILINGS", "off", 1);
    return ran;
  }
};

const SavedRun& saved() {
  static const SavedRun made;
  INFO(made.outcome.err);
  REQUIRE(made.outcome.code == 0);
  return made;
}

const std::string& saved_run() {
  return saved().path;
}

}  // namespace

TEST_CASE("what --json prints and --out saves keeps to docs/schema") {
  const Folder folder;
  std::string arguments;
  const auto add = [&](const std::string& schema, const std::string& name, const Outcome& made) {
    write_all(folder / name, made.out);
    arguments += schema_argument(schema, folder / name);
  };
  add("document", "run.json", saved().outcome);
  add("list", "list.json", ridgepoint({"list", "--json"}));
  setenv("RIDGE_MAX_ISA", "portable", 1);  // ten ceilings to measure instead of sixteen
  const Outcome machine = ridgepoint({"machine", "--json"});
  unsetenv("RIDGE_MAX_ISA");
  add("machine", "machine.json", machine);
  add("error", "error.json", ridgepoint({"run", "nope", "--json"}));
  arguments += schema_argument("transcript", saved_run());
  expect_schemas(arguments);
  const Json document = machine.json();
  REQUIRE(document.is_object());
  CHECK_FALSE(document["environment"]["cpu"]["model"].get<std::string>().empty());
  CHECK_FALSE(document["ceilings"].empty());
}

TEST_CASE("--version: what was built, from which commit, how optimized; both programs alike") {
  const Outcome app = ridgepoint({"--version"});
  INFO(app.out << app.err);
  CHECK(app.code == 0);
  CHECK(app.err.empty());
  const Json environment = saved().outcome.json()["environment"];
  const std::string version = environment["version"], commit = environment["commit"];
  // The build's name alone would hide that only kernels are optimized for speed.
  const std::string compiled = environment["build_type"];
  CHECK(has(compiled, ": kernels -O2 or their own flags, the rest -Og"));
  CHECK(app.out.rfind("ridgepoint " + version + ", commit " + commit + "\n" + compiled + "; ", 0) ==
        0);
  CHECK(std::count(app.out.begin(), app.out.end(), '\n') == 2);
  const Outcome worker = Program(variable("RIDGE_WORKER"), {"--version"}).finish();
  CHECK(worker.code == 0);
  CHECK(worker.out == "ridgepoint-worker" + app.out.substr(app.out.find(' ')));
}

TEST_CASE("--version --json is a document with what the text says") {
  const Outcome app = ridgepoint({"--version", "--json"});
  INFO(app.out << app.err);
  CHECK(app.code == 0);
  CHECK(app.err.empty());
  const Json version = app.json();
  REQUIRE(version.is_object());
  const std::string text = ridgepoint({"--version"}).out;
  CHECK(text == "ridgepoint " + version["version"].get<std::string>() + ", commit " +
                    version["commit"].get<std::string>() + "\n" +
                    version["build_type"].get<std::string>() + "; " +
                    version["compiler"].get<std::string>() + "; CUDA " +
                    version["cuda"].get<std::string>() + "\n");
  CHECK(ridgepoint({"--json", "--version"}).json() == version);
}

TEST_CASE(
    "where the locale has no UTF-8 each letter has a plain form: none becomes a question mark") {
  const std::string recorded = variable("RIDGE_SOURCE") + "/assets/recorded/";
  for (const std::string words :
       {"report '" + recorded + "gemm.intel_r_xeon_r_processor.jsonl' --out page.html",
        "report '" + recorded + "mixed.intel_r_xeon_r_processor.jsonl' --text",
        std::string("tour first_hour"), std::string("map")}) {
    const Folder folder;
    const Outcome plain =
        Program("/bin/bash", {"-c", "cd '" + folder.path.string() + "' && LC_ALL=C '" +
                                        variable("RIDGE_BIN") + "' " + words})
            .finish();
    const Outcome whole = Program("/bin/bash", {"-c", "cd '" + folder.path.string() + "' && '" +
                                                          variable("RIDGE_BIN") + "' " + words})
                              .finish();
    INFO(words << "\n" << plain.out << plain.err);
    CHECK(plain.code == 0);
    CHECK(std::count(plain.out.begin(), plain.out.end(), '?') ==
          std::count(whole.out.begin(), whole.out.end(), '?'));
    CHECK(std::all_of(plain.out.begin(), plain.out.end(),
                      [](char letter) { return static_cast<unsigned char>(letter) < 0x80; }));
  }
}

TEST_CASE("help takes its width from COLUMNS where there is no terminal") {
  const auto longest = [](const std::string& columns) {
    const Outcome shown =
        Program("/bin/bash",
                {"-c", "COLUMNS=" + columns + " '" + variable("RIDGE_BIN") + "' --help 2>&1 | cat"})
            .finish();
    size_t most = 0;
    std::istringstream lines(shown.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("  ridgepoint ", 0) != 0) most = std::max(most, line.size());
    }
    return most;
  };
  CHECK(longest("60") <= 60);
  CHECK(longest("100") > 80);
}

TEST_CASE("list: what this machine can run, and why not") {
  const Outcome text = ridgepoint({"list"});
  INFO(text.err);
  REQUIRE(text.code == 0);
  CHECK(has(text.out, "\ngemm: "));
  CHECK(has(text.out, "run here"));
  CHECK_FALSE(has(text.out, "gemm.cpu.naive_o1"));
  CHECK(std::count(text.out.begin(), text.out.end(), '\n') < 30);
  // A line for each lab, and with --all a line for each rung.
  const Outcome all = ridgepoint({"list", "--all"});
  CHECK(has(all.out, "gemm.cpu.naive_o1"));
  CHECK(has(all.out, "runs here"));
  CHECK(std::count(all.out.begin(), all.out.end(), '\n') >
        std::count(text.out.begin(), text.out.end(), '\n'));
  const Json json = ridgepoint({"list", "--json"}).json();
  REQUIRE(json.is_object());
  CHECK(json["ridgepoint"] == 1);
  REQUIRE(json["labs"].size() >= 1);
  bool some_available = false;
  for (const Json& rung : json["labs"][0]["rungs"]) {
    some_available |= rung["available"].get<bool>();
    if (!rung["available"]) CHECK_FALSE(rung["reason"].get<std::string>().empty());
  }
  CHECK(some_available);
}

TEST_CASE("run says what it does before the table, where no terminal shows it at work") {
  const auto ran = [](std::vector<std::string> args) {
    args.insert(args.begin(), {"run", "gemm", "--rungs", "naive_o1,naive_o3", "--set", "m=3",
                               "--set", "n=64", "--set", "k=64", "--mode", "live"});
    return ridgepoint(args);
  };
  const Outcome text = ran({});
  INFO(text.out << text.err);
  REQUIRE(text.code == 0);
  const Json listed = ridgepoint({"list", "gemm", "--json"}).json();
  const std::string all = std::to_string(listed["labs"][0]["rungs"].size());
  CHECK(has(ridgepoint({"list", "gemm"}).out, " of " + all + " rungs run here\n"));
  CHECK(text.err.rfind("measuring 2 of the " + all + " rungs of gemm, one after the other", 0) ==
        0);
  CHECK(has(text.err, "  gemm.cpu.naive_o1 (1 of 2)\n"));
  CHECK(ran({"--json"}).err.empty());  // a program reads it
}

TEST_CASE("run: a parameter takes a list or a range, and what has it not runs once") {
  const auto sizes = [](const std::string& set) {
    const Outcome ran = ridgepoint({"run", "gemm", "--rungs", "naive_o1", "--set", set, "--mode",
                                    "live", "--limit", "0.02", "--json"});
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    std::vector<int> found;
    const Json results = ran.json()["results"];
    for (const Json& result : results) found.push_back(result["params"]["n"]);
    return found;
  };
  CHECK(sizes("n=8,24,16") == std::vector<int>{8, 24, 16});
  CHECK(sizes("n=4,6..8") == std::vector<int>{4, 6, 7, 8});
  std::vector<std::string> words = {"run", "conv", "--rungs",
                                    "loops.cpu.reordered,loops.cpu.tiled"};
  for (const char* set : {"tile_m=4,8", "n=1", "c=4", "m=8", "h=8"})
    words.insert(words.end(), {"--set", set});
  words.insert(words.end(), {"--mode", "live", "--limit", "0.02", "--json"});
  CHECK(ridgepoint(words).json()["results"].size() == 3);  // reordered has no tiles
  for (const char* wrong :
       {"n=8,,16", "n=8,", "n=9..8", "n=1..65", "n=1..9000000000000000000", "n=8,many"}) {
    INFO(wrong);
    const Outcome refused = ridgepoint({"run", "gemm", "--rungs", "naive_o1", "--set", wrong});
    CHECK(refused.code == 64);
    CHECK(is_one_sentence(refused.err));
  }
}

TEST_CASE("run: a table, a saved transcript with sources and ceilings, a JSON document") {
  const Run run = load(saved_run());
  REQUIRE(run.series().size() == 2);
  for (const Series& series : run.series()) {
    CHECK(series.status == SeriesStatus::ok);
    CHECK(series.quality_passed());
    CHECK(series.samples.size() >= 6);
    CHECK(run.source(series.kernel) != nullptr);
  }
  CHECK(run.ceilings().empty() == (std::getenv("RIDGE_EMULATED") != nullptr));
  CHECK(run.environment().has_value());
  CHECK(fs::directory_iterator(fs::path(saved_run()).parent_path())->path() == saved_run());

  const Json document = saved().outcome.json();
  REQUIRE(document.is_object());
  REQUIRE(document["results"].size() == 2);
  const Json& result = document["results"][0];
  CHECK(result["status"] == "ok");
  CHECK(result["kernel"] == "gemm.cpu.loop_order");
  CHECK(result["params"]["m"] == 64);
  CHECK(result["stats"]["median_ns"].get<double>() > 0);
  CHECK(result["quality"]["passed"] == true);
}

TEST_CASE("a saved run shows in a terminal without a display") {
  const Outcome shown = ridgepoint({"--replay", saved_run()});
  CHECK(shown.code == 0);
  CHECK(has(shown.out, "cpu.cache_blocks"));
  CHECK(has(shown.out, "✓"));
  CHECK(ridgepoint({"--replay", saved_run(), "--json"}).json()["results"].size() == 2);
}

TEST_CASE("report --text: a saved run's table, whatever there is to show it") {
  const Outcome opened = ridgepoint({"--replay", saved_run()});
  const Outcome text = ridgepoint({"report", saved_run(), "--text"});
  INFO(text.out << text.err);
  CHECK(text.code == 0);
  CHECK(text.out == opened.out);
  CHECK(has(text.out, "cpu.loop_order"));
  CHECK(has(text.out, "cpu.cache_blocks"));
  const Outcome both = ridgepoint({"report", saved_run(), "--text", "--out", "never.html"});
  CHECK(both.code == 64);
  CHECK_FALSE(fs::exists("never.html"));
}

TEST_CASE("run and compare --name: who measured is in the run, its report and the leaderboard") {
  const Folder folder;
  const std::string ran = folder / "ran.jsonl", compared = folder / "compared.jsonl";
  const Outcome run = ridgepoint({"run", "gemm", "--rungs", "naive_o3", "--set", "n=32", "--mode",
                                  "live", "--limit", "0.05", "--name", "Ada", "--out", ran});
  INFO(run.err);
  REQUIRE(run.code == 0);
  const Outcome report = ridgepoint({"report", "--markdown", ran});
  CHECK(has(report.out, "By Ada · "));
  const Outcome compare =
      ridgepoint({"compare", "gemm", "--baseline", "naive_o3", "--candidate", "loop_order", "--set",
                  "n=32", "--rounds", "12", "--name", "Grace", "--out", compared});
  INFO(compare.err);
  CHECK(has(read_all(compared), "Grace"));
  CHECK(has(ridgepoint({"report", "--markdown", compared}).out, "By Grace · "));
  const Outcome two = ridgepoint({"compare", "gemm", "--baseline", "naive_o3", "--candidate",
                                  "loop_order", "--name", "a", "--name", "b"});
  CHECK(two.code == 64);
}

TEST_CASE("machine --ceilings none: what machine it is, without a measurement") {
  const Outcome machine = ridgepoint({"machine", "--ceilings", "none", "--json"});
  INFO(machine.err);
  CHECK(machine.code == 0);
  const Json document = machine.json();
  REQUIRE(document.is_object());
  CHECK_FALSE(document["environment"]["cpu"]["model"].get<std::string>().empty());
  CHECK(document["ceilings"].empty());
  CHECK(ridgepoint({"machine", "--ceilings", "few"}).code == 64);
}

TEST_CASE("compare: several candidates, each with its own settings; the worst decides the code") {
  const Outcome text = ridgepoint({"compare", "gemm", "--baseline", "loop_order:n=32",
                                   "--candidate", "loop_order:n=32", "--candidate", "loop_order",
                                   "--set", "n=128", "--margin", "0.9", "--limit", "0.5"});
  INFO(text.out << text.err);
  const bool resolved = has(text.out, "SAME");  // a rung with itself, and a wide margin
  CHECK((resolved || has(text.out, "UNRESOLVED")));
  CHECK(has(text.out, "SLOWER"));
  CHECK_FALSE(has(text.out, "FASTER"));
  CHECK(text.code == (resolved ? 1 : 2));
  CHECK(has(text.err, "margin of 90 %"));
}

TEST_CASE("compare: sides of different types say so in verdict, reason and report") {
  const Folder folder;
  const std::string saved = folder / "types.jsonl";
  const Outcome text =
      ridgepoint({"compare", "gemm", "--baseline", "avx2_int8", "--candidate", "loop_order",
                  "--set", "n=64", "--limit", "0.2", "--out", saved});
  INFO(text.out << text.err);
  if (has(text.err, "needs avx2")) RIDGE_SKIP("this CPU has no AVX2");
  CHECK(has(text.out, "cpu.loop_order (fp32) against cpu.avx2_int8 (int8)"));
  CHECK(has(text.out, "dtype fp32 instead of int8"));
  CHECK(ridgepoint({"report", saved, "--out", folder / "types.md"}).code == 0);
  CHECK(has(read_all(folder / "types.md"), "dtype=int8"));
}

TEST_CASE("report: every format from a saved run, and nothing from what is none") {
  const Folder folder;
  for (const char* name :
       {"r.html", "r.md", "r.svg", "r.json", "r.csv", "r.gbench.json", "r.trace.json"}) {
    const Outcome made = ridgepoint({"report", saved_run(), "--out", folder / name});
    INFO(name << ": " << made.err);
    CHECK(made.code == 0);
    CHECK(fs::file_size(folder / name) > 200);
  }
  CHECK(Json::parse(read_all(folder / "r.json"), nullptr, false).is_object());
  CHECK(has(read_all(folder / "r.html"), "<svg"));

  const auto refused = [&](const std::vector<std::string>& args, int code) {
    const Outcome outcome = ridgepoint(args);
    INFO(outcome.err);
    CHECK(outcome.code == code);
    CHECK(is_one_sentence(outcome.err));
  };
  refused({"report", saved_run(), "--out", folder / "r.doc"}, 64);
  refused({"report", saved_run(), "--out", folder / "none/r.html"}, 73);
  refused({"report", folder / "missing.jsonl", "--out", folder / "r.html"}, 65);
  refused({"report", saved_run(), "--set", "n=96"}, 65);
  CHECK(has(ridgepoint({"report", saved_run(), "--set", "n=96"}).err,
            "it has no result at n=96; it has n = 64"));
  write_all(folder / "empty.jsonl", "");
  refused({"report", folder / "empty.jsonl"}, 65);
  write_all(folder / "binary.jsonl", std::string("\x7f"
                                                 "ELF\0\1\2\3\xff\xfe",
                                                 10));
  refused({"report", folder / "binary.jsonl"}, 65);
  write_all(folder / "foreign.jsonl", "{\"name\": \"something else\"}\n");
  refused({"report", folder / "foreign.jsonl"}, 65);
  refused({"--replay", folder / "empty.jsonl"}, 65);
}

TEST_CASE("report: two runs of different problems are refused, and others name what else differs") {
  const Folder folder;
  const std::string recorded = variable("RIDGE_SOURCE") + "/assets/recorded/";
  const std::string small = recorded + "gemm.h200.fp32_small.jsonl",
                    large = recorded + "gemm.h200.fp32_large.jsonl",
                    conv = recorded + "conv.h200.fp32.jsonl";
  const auto report = [&](const std::string& first, const std::string& second,
                          const char* candidate, const std::string& set) {
    return ridgepoint({"report", "--markdown", first, second, "--baseline", "cuda.naive",
                       "--candidate", candidate, "--set", set});
  };
  struct Refused {
    std::string first, second;
    const char *candidate, *why;
  };
  for (const Refused& one :
       {Refused{small, conv, "cuda.direct", "solve different problems"},
        Refused{small, large, "cuda.coalesced", "one call of the baseline is"}}) {
    const Outcome outcome = report(one.first, one.second, one.candidate, "dtype=fp32");
    INFO(outcome.err);
    CHECK(outcome.code == 64);
    CHECK(is_one_sentence(outcome.err));
    CHECK(has(outcome.err, "cannot stand beside each other"));
    CHECK(has(outcome.err, one.why));
  }
  // The same run from a worker of another compiler.
  std::string other = read_all(small);
  const std::string from = "\"compiler\":\"GNU ";
  for (size_t at = 0; (at = other.find(from, at)) != other.npos; at += from.size())
    other.replace(at, from.size(), "\"compiler\":\"Other ");
  write_all(folder / "other.jsonl", other);
  const Outcome apart = report(small, folder / "other.jsonl", "cuda.coalesced", "n=1024");
  INFO(apart.err);
  CHECK(apart.code == 0);
  CHECK(has(apart.out, "Nothing is claimed"));
  CHECK(has(apart.out, "The two runs also differ in compiler (GNU"));
  CHECK_FALSE(has(report(small, small, "cuda.coalesced", "n=1024").out, "also differ"));
  // Which side is which, and one name for both.
  const Outcome unnamed = ridgepoint({"report", small, small, "--candidate", "none"});
  CHECK(unnamed.code == 64);
  CHECK(has(unnamed.err, "the first run and so the baseline's"));
  const Outcome both = ridgepoint({"report", "--markdown", small, folder / "other.jsonl",
                                   "--candidate", "cuda.coalesced", "--set", "n=1024"});
  INFO(both.err);
  CHECK(both.code == 0);
  CHECK(has(both.out, " Candidate: other.jsonl."));
  CHECK(has(both.out, "To pair two texts of one rung"));
}

TEST_CASE("help is a word, alone and before a command") {
  CHECK(ridgepoint({"help"}).out == ridgepoint({"--help"}).out);
  CHECK(ridgepoint({"help", "run"}).out == ridgepoint({"run", "--help"}).out);
}

namespace {

/// The commands as the manual page has them, without the marks of troff.
struct ManualEntry {
  std::string group, synopsis, use;
  std::vector<std::string> examples;  ///< the lines to copy
  std::string name() const { return synopsis.substr(0, synopsis.find(' ')); }
};

std::string plain(std::string line) {
  for (const char* mark : {"\\fB", "\\fI", "\\fR", "\\&"})
    for (size_t at = line.find(mark); at != std::string::npos; at = line.find(mark))
      line.erase(at, std::string(mark).size());
  for (size_t at = line.find("\\-"); at != std::string::npos; at = line.find("\\-"))
    line.erase(at, 1);
  return line;
}

std::vector<ManualEntry> manual_entries() {
  std::istringstream page(ridgepoint({"man"}).out);
  std::vector<ManualEntry> entries;
  std::string group;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind(".SH ", 0) == 0) group = plain(line.substr(5, line.size() - 6));
    if (line.rfind(".SS ", 0) == 0) {
      entries.push_back({group, plain(line.substr(5, line.size() - 6)), "", {}});
      std::getline(page, line);
      entries.back().use = plain(line);
    }
    if (line == ".PP" && std::getline(page, line)) entries.back().examples.push_back(plain(line));
  }
  return entries;
}

}  // namespace

TEST_CASE(
    "help has the commands in groups, those of a newcomer first, and docs/commands.md has it") {
  const std::string help = ridgepoint({"--help"}).out;
  std::string table = "| | command | what it is for |\n| --- | --- | --- |\n", group;
  std::vector<std::string> first;
  for (const ManualEntry& entry : manual_entries()) {
    INFO(entry.synopsis);
    const size_t title = help.find("\n" + entry.group + ":\n");
    REQUIRE(title != std::string::npos);
    CHECK(help.find("\n  " + entry.name() + " ") > title);
    if (entry.group == "Start here") first.push_back(entry.name());
    std::string synopsis = entry.synopsis;
    for (size_t at = synopsis.find('|'); at != std::string::npos; at = synopsis.find('|', at + 2))
      synopsis.insert(at, 1, '\\');
    table += "| " + (entry.group == group ? "" : entry.group + " ") + "| `" + synopsis + "` | " +
             entry.use + " |\n";
    group = entry.group;
  }
  CHECK(first == std::vector<std::string>{"list", "run", "compare"});
  CHECK(help.find("Start here:") < help.find("\nOptions:"));
  check_list("docs/commands.md", "commands", table);
}

TEST_CASE("help of a command says what it is for, and its examples are lines that it takes") {
  const std::string common = ridgepoint({"--help"}).out;
  for (const ManualEntry& entry : manual_entries()) {
    const std::string help = ridgepoint({"help", entry.name()}).out;
    INFO(help);
    CHECK(help == ridgepoint({entry.name(), "--help"}).out);
    CHECK(std::isupper(static_cast<unsigned char>(help.front())));
    CHECK(has(entry.use, "."));
    CHECK(has(help, "\nUsage: ridgepoint " + entry.name()));
    REQUIRE(has(help, "\nExamples:\n"));
    REQUIRE_FALSE(entry.examples.empty());
    for (const std::string& example : entry.examples) {
      INFO(example);
      CHECK(has(help, "\n  " + example + "\n"));
      CHECK(example.rfind("ridgepoint " + entry.name(), 0) == 0);
      std::istringstream words(example.substr(0, example.find('"')));
      for (std::string word; words >> word;)
        if (word.rfind("--", 0) == 0) CHECK((has(help, word + " ") || has(common, word + " ")));
      // An unknown lab or rung, or a word too many, is refused before the help is asked for.
      if (!has(example, "\""))
        CHECK(in_shell("\"$0\" " + example.substr(11) + " --help").code == 0);
    }
  }
}

TEST_CASE("the examples that need nothing but this program end well") {
  for (const char* line : {"list", "list gemm", "list --source gemm.cpu.loop_order", "tour",
                           "tour first_hour", "exercise list", "map", "completion bash", "man"}) {
    bool is_example = false;
    for (const ManualEntry& entry : manual_entries())
      for (const std::string& example : entry.examples)
        is_example |= example == "ridgepoint " + std::string(line);
    INFO(line);
    CHECK(is_example);
    CHECK(in_shell("\"$0\" " + std::string(line)).code == 0);
  }
}

TEST_CASE("the exercise that an example starts is one of those listed") {
  const std::string listed = ridgepoint({"exercise", "list", "--all"}).out,
                    start = "exercise start ";
  int count = 0;
  for (const ManualEntry& entry : manual_entries()) {
    for (const std::string& example : entry.examples) {
      const size_t at = example.find(start);
      if (at == std::string::npos) continue;
      CHECK(has(listed, "  " + example.substr(at + start.size()) + " "));
      ++count;
    }
  }
  CHECK(count == 1);
}

TEST_CASE("a command without what it needs says what, which there are, and a line that works") {
  struct Missing {
    std::vector<std::string> args;
    std::vector<const char*> names;
  };
  const std::vector<Missing> all = {
      {{"run"}, {"it needs LAB", "gemm, conv", "'ridgepoint list'", "'ridgepoint run gemm --set"}},
      {{"completion"}, {"it needs SHELL (bash, zsh or fish)", "'ridgepoint completion bash'"}},
      {{"completion", "tcsh"}, {"'tcsh' is no value of SHELL", "bash, zsh, fish"}},
      {{"report"}, {"it needs RUN", "'ridgepoint report run.jsonl'"}},
      {{"count"}, {"it needs KERNEL", "'ridgepoint list LAB'", "'ridgepoint count gemm.cuda"}},
      {{"record"}, {"it needs LAB", "'ridgepoint record --help'"}},
      {{"help", "rnu"}, {"there is no command 'rnu'", "did you mean run?"}},
      {{"help", "gemm"}, {"it is a lab: see 'ridgepoint list gemm'"}},
      {{"run", "gemm", "--limit", "abc"}, {"'abc' is no value of --limit", "from 0.001 to 86400"}},
      {{"run", "gemm", "--rungs"}, {"--rungs needs a value"}},
  };
  for (const Missing& one : all) {
    const Outcome outcome = ridgepoint(one.args);
    INFO(outcome.err);
    CHECK(outcome.code == 64);
    CHECK(is_one_sentence(outcome.err));
    for (const char* name : one.names) CHECK(has(outcome.err, name));
  }
}

TEST_CASE("help keeps within a narrow terminal, but for a line to copy") {
  const Outcome outcome =
      Program("/bin/bash",
              {"-c", "command -v script >/dev/null || exit 77; exec script -qec \"stty cols 60; '" +
                         variable("RIDGE_BIN") + "' --help\" /dev/null </dev/null"})
          .finish();
  if (outcome.code == 77) RIDGE_SKIP("no program 'script' to make a terminal");
  std::istringstream lines(outcome.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    INFO(line);
    if (line.rfind("  ridgepoint ", 0) != 0) CHECK(line.size() <= 60);
  }
  CHECK(count > 40);
}

TEST_CASE("a size that does not fit is refused before ceilings are measured for it") {
  setenv("RIDGE_CEILINGS", "anew", 1);
  const Outcome run = ridgepoint({"run", "gemm", "--set", "n=1000000"});
  const Outcome compare = ridgepoint(
      {"compare", "gemm", "--baseline", "loop_order", "--candidate", "packed:n=1000000"});
  setenv("RIDGE_CEILINGS", "off", 1);
  INFO(run.err << compare.err << compare.out);
  CHECK(run.code == 69);
  CHECK(is_one_sentence(run.err));
  CHECK(compare.code == 69);
  CHECK_FALSE(has(compare.err, "ceiling"));
  CHECK(has(compare.err, "fits"));
  CHECK(compare.out.empty());  // no table of dashes
}

TEST_CASE("help shows an option that repeats as one value; exercise alone lists them") {
  CHECK_FALSE(has(ridgepoint({"compare", "--help"}).out, " ..."));
  CHECK(ridgepoint({"exercise"}).out == ridgepoint({"exercise", "list"}).out);
}

TEST_CASE("the help of shot names the scenes that there are") {
  const Outcome help = ridgepoint({"shot", "--help"});
  if (has(ridgepoint({"shot", "no_such_scene", "none.png"}).err, "RIDGE_WINDOW=ON"))
    RIDGE_SKIP("built without the window");
  size_t scenes = 0;  // each has a golden picture
  for (const auto& entry :
       fs::directory_iterator(variable("RIDGE_SOURCE") + "/tests/golden/screens")) {
    if (entry.path().extension() != ".png") continue;
    INFO(entry.path().stem().string());
    CHECK(has(help.out, entry.path().stem().string()));
    ++scenes;
  }
  CHECK(scenes > 50);
}

TEST_CASE("what a command prints for people has at most 100 columns") {
  setenv("COLUMNS", "100", 1);
  const Folder folder;
  const std::string recorded = variable("RIDGE_SOURCE") + "/assets/recorded/";
  const std::vector<std::vector<std::string>> all = {
      {"--version"},
      {"list"},
      {"list", "gemm"},
      {"list", "--all"},
      {"tour"},
      {"tour", "meetup"},
      {"map"},
      {"map", recorded + "gemm.h200.bf16.jsonl"},
      {"exercise"},
      {"exercise", "list", "--all"},
      {"exercise", "hint", "dot_product"},
      {"machine"},
      {"history", "add", recorded + "gemm.h200.bf16.jsonl"},
      {"history"},
      {"count", "gemm.cuda.shared_tile", "--set", "n=32", "--steps", "4", "--chip", "all"},
      {"compare", "gemm", "--baseline", "naive_o3", "--candidate", "loop_order", "--set", "n=64",
       "--rounds", "12"},
      {"run", "gemm", "--rungs", "naive_o3,loop_order", "--set", "n=64", "--mode", "live",
       "--limit", "0.05", "--verbose"},
      {"run", "traps", "--rungs", "no_warm_up", "--mode", "live", "--limit", "0.05"},
      {"inspect", "gemm.cpu.naive_o3"},
      {"model", "--help"},
      {"class", folder / ""},
      {"leaderboard", folder / ""},
      {"--replay", saved_run()}};
  fs::copy_file(saved_run(), folder / "run.jsonl");
  setenv("RIDGEPOINT_HISTORY", (folder / "history.db").c_str(), 1);
  for (const auto& args : all) {
    const Outcome outcome = ridgepoint(args);
    INFO(args.front() << (args.size() > 1 ? " " + args[1] : "") << ": " << outcome.err);
    CHECK(outcome.code < 64);
    CHECK_FALSE(outcome.out.empty());
    CHECK(wide_lines(outcome.out) == "");
  }
  unsetenv("RIDGEPOINT_HISTORY");
  unsetenv("COLUMNS");
}

TEST_CASE("list LAB lists one lab") {
  const Outcome one = ridgepoint({"list", "conv"});
  CHECK(one.code == 0);
  CHECK(has(one.out, "conv.cpu."));
  CHECK_FALSE(has(one.out, "\ngemm  "));
  const Outcome none = ridgepoint({"list", "cnov"});
  CHECK(none.code == 64);
  CHECK(has(none.err, "did you mean conv"));
}

TEST_CASE("report: a file with results of two labs makes a report of one of them") {
  const Folder folder;
  const std::string recorded = variable("RIDGE_SOURCE") + "/assets/recorded/";
  const std::string joined = folder / "joined.jsonl";
  write_all(joined, read_all(recorded + "gemm.h200.fp32_small.jsonl") +
                        read_all(recorded + "conv.h200.fp32.jsonl"));
  const Outcome last = ridgepoint({"report", "--markdown", joined});
  INFO(last.err);
  CHECK(last.code == 0);
  CHECK(has(last.out, "# Convolution"));
  CHECK(has(last.out, "results of others too: gemm"));
  CHECK_FALSE(has(last.out, "warp tile"));
  const Outcome first = ridgepoint({"report", "--markdown", joined, "--lab", "gemm"});
  CHECK(has(first.out, "# GEMM"));
  CHECK_FALSE(has(first.out, "Winograd"));
  const Outcome none = ridgepoint({"report", joined, "--lab", "quant"});
  CHECK(none.code == 64);
  CHECK(has(none.err, "conv, gemm"));
}

TEST_CASE("README's picture is what its caption's command makes") {
  const Folder folder;
  const std::string root = variable("RIDGE_SOURCE") + "/";
  const std::string readme = read_all(root + "README.md");
  const size_t at = readme.find("`ridgepoint report assets/");
  REQUIRE(at != std::string::npos);
  std::istringstream words(readme.substr(at + 1, readme.find('`', at + 1) - at - 1));
  std::vector<std::string> args;
  for (std::string word; words >> word;) args.push_back(word);
  REQUIRE(args.size() == 7);  // ridgepoint report RUN --set n=4096 --out PICTURE
  const std::string picture = root + args.back();
  const bool writes = std::getenv("RIDGE_UPDATE_GOLDEN") != nullptr;
  const std::string made = writes ? picture : folder / "made.svg";
  args = {args.begin() + 1, args.end() - 1};
  args[1] = root + args[1];
  args.insert(args.end(), {made, "--force"});
  const Outcome outcome = ridgepoint(args);
  INFO(outcome.err << "RIDGE_UPDATE_GOLDEN=1 writes it");
  REQUIRE(outcome.code == 0);
  const std::string text = read_all(made);
  CHECK((text == read_all(picture)));
  // Its bars grow, and stand as they are where a reader wants no motion.
  CHECK(has(text, "prefers-reduced-motion:no-preference"));
  CHECK(std::count(text.begin(), text.end(), '\n') > 60);
}

TEST_CASE("exercise list ticks what was solved in the window") {
  if (has(ridgepoint({"list", "--actions"}).err, "RIDGE_WINDOW=ON"))
    RIDGE_SKIP("built without the window");
  const Folder folder;
  fs::create_directories(folder / "ridgepoint");
  write_all(folder / "ridgepoint/settings.json",
            R"({"exercises": {"turned_loops": {"hints_spent": 1, "solved": true},
                              "four_rows": {"hints_spent": 2, "solved": false}}})");
  const char* before = std::getenv("XDG_CONFIG_HOME");
  const std::string kept = before ? before : "";
  setenv("XDG_CONFIG_HOME", (folder / "").c_str(), 1);
  const Outcome list = ridgepoint({"exercise", "list", "--all"}),
                brief = ridgepoint({"exercise", "list"}),
                json = ridgepoint({"--json", "exercise", "list"});
  before ? setenv("XDG_CONFIG_HOME", kept.c_str(), 1) : unsetenv("XDG_CONFIG_HOME");
  REQUIRE(list.code == 0);
  const Json all = Json::parse(json.out)["exercises"];
  REQUIRE(all.size() > 3);
  CHECK(all[0]["name"] == "turned_loops");  // the easiest
  // A screenful: a line for each lab, and what to start next.
  INFO(brief.out);
  CHECK(std::count(brief.out.begin(), brief.out.end(), '\n') <= 24);
  CHECK(std::count(list.out.begin(), list.out.end(), '\n') > 100);
  std::map<std::string, std::pair<int, int>> of_labs;  // exercises, and those that are solved
  for (const Json& one : all) {
    auto& [count, solved] = of_labs[one["lab"]];
    ++count;
    solved += one["solved"] == true;
  }
  for (const auto& [lab, counts] : of_labs) {
    const size_t at = brief.out.find("\n" + lab + ": ");
    INFO(lab);
    REQUIRE(at != std::string::npos);
    std::istringstream row(brief.out.substr(at + 1, brief.out.find('\n', at + 1) - at - 1));
    std::vector<std::string> words;
    for (std::string word; row >> word;) words.push_back(word);
    CHECK(words.back() == std::to_string(counts.second));
    CHECK(words[words.size() - 2 - (counts.first == counts.second)] ==
          std::to_string(counts.first));
  }
  CHECK(has(brief.out, "next: ridgepoint exercise start four_rows\n"));
  CHECK(has(ridgepoint({"exercise", "list", "gemm"}).out, "four_rows"));
  CHECK_FALSE(has(ridgepoint({"exercise", "list", "gemm"}).out, "(lab puzzles"));
  const Outcome none = ridgepoint({"exercise", "list", "gme"});
  CHECK(none.code == 64);
  CHECK(is_one_sentence(none.err));
  for (const Json& one : all) {
    const std::string name = one["name"];
    INFO(name);
    CHECK(one["solved"] == (name == "turned_loops"));
    CHECK(has(list.out, "✓ " + name + " ") == (name == "turned_loops"));
  }
}

TEST_CASE("article: the climb step by step, with its code, and what may be claimed") {
  const Folder folder;
  const std::string path = folder / "a.html";
  const Outcome made = ridgepoint({"article", "gemm", saved_run(), "--out", path});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const std::string page = read_all(path);
  for (const char* part :
       {"<main class=\"article\">", "loop order", "cache blocks", "What bound it",
        "kernels/gemm/rungs/cache_blocks.cpp since", "<span class=\"added\">+ ",
        "<span class=\"removed\">- ", "id=\"caveats\"", "id=\"machine\"", "ridgepoint run gemm",
        "<figure class=\"diagram\">"}) {
    INFO(part);
    CHECK(has(page, part));
  }
  // Timed apart: the step claims nothing, and is grey.
  const bool is_apart =
      has(page, "<p class=\"gain apart\">≈ ") || has(page, "<p class=\"gain apart\">about ");
  CHECK(is_apart);
  CHECK_FALSE(has(page, "gain faster"));
  for (const char* part : {"<script", "src=", "href=", "url(http"}) {
    INFO(part);
    CHECK_FALSE(has(page, part));
  }
  const auto refused = [&](const std::vector<std::string>& args, int code) {
    const Outcome outcome = ridgepoint(args);
    INFO(outcome.err);
    CHECK(outcome.code == code);
    CHECK(is_one_sentence(outcome.err));
  };
  refused({"article", "gemm", saved_run(), "--out", folder / "a.md"}, 64);
  refused({"article", "gemmm", saved_run(), "--out", path}, 64);
  refused({"article", "conv", saved_run(), "--out", path}, 65);
  refused({"article", "gemm", folder / "missing.jsonl", "--out", path}, 65);
  refused({"article", "gemm", saved_run(), "--out", folder / "none/a.html"}, 73);
}

TEST_CASE("article: a step that was compared in pairs has its interval and its verdict") {
  const Folder folder;
  const std::string run = variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.fp32_large.jsonl";
  const Outcome made = ridgepoint({"article", "gemm", run, "--out", folder / "a.html"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const std::string page = read_all(folder / "a.html");
  CHECK(has(page, "<p class=\"gain faster\">"));
  CHECK(has(page, " as fast, 95 % interval ["));
  CHECK(has(page, "id=\"compared\""));
}

TEST_CASE("article: hostile text of a run file stays text") {
  const Folder folder;
  std::string text = read_all(saved_run());
  const std::string evil = "<script>alert(1)</script><img src=x onerror=alert(2)>&'";
  const auto plant = [&](const std::string& at) {
    INFO("planted at " << at);
    REQUIRE(has(text, at));
    for (size_t i = 0; (i = text.find(at, i)) != std::string::npos; i += at.size() + evil.size())
      text.insert(i + at.size(), evil);
  };
  plant("\"model\":\"");  // the processor's name
  plant("\"flags\":\"");  // how a rung was compiled
  plant("for (");         // the code itself
  text += "{\"type\":\"learner\",\"from\":\"app\",\"name\":\"" + evil + "\"}\n";
  write_all(folder / "<b>evil<b>.jsonl", text);
  const Outcome made =
      ridgepoint({"article", "gemm", folder / "<b>evil<b>.jsonl", "--out", folder / "a.html"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const std::string page = read_all(folder / "a.html");
  CHECK(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img"));
  for (const char* part : {"<script", "<img", "<b>evil"}) CHECK_FALSE(has(page, part));
}

TEST_CASE("a truncated run keeps what is whole") {
  const Folder folder;
  const std::string whole = read_all(saved_run());
  const size_t last_result = whole.rfind("\"outcome\"");
  REQUIRE(last_result != std::string::npos);
  write_all(folder / "cut.jsonl", whole.substr(0, last_result));
  const Outcome shown = ridgepoint({"--replay", folder / "cut.jsonl", "--json"});
  REQUIRE(shown.code == 0);
  REQUIRE(shown.json()["results"].size() == 2);
  CHECK(shown.json()["results"][0]["status"] == "ok");
  CHECK(shown.json()["results"][1]["status"] != "ok");
}

TEST_CASE("a run that is cut short names the size that ran, not the one that was asked for") {
  const Folder folder;
  const Outcome ran = fixtures({"run", "fixture", "--json", "--rungs", "slow", "--set", "n=4096",
                                "--mode", "live", "--limit", "0.1", "--out", folder / "r.jsonl"});
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const Json whole = ran.json()["results"][0];
  REQUIRE(whole["reduced_from"] == "n=4096");
  const auto size = std::to_string(whole["params"]["n"].get<int>());

  std::string cut, older;  // older: as a worker of before there were `problem` lines writes it
  std::istringstream lines(read_all(folder / "r.jsonl"));
  bool timed = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_problem = has(line, "\"type\":\"problem\"");
    if (!timed) cut += line + "\n";
    if (!is_problem) older += line + "\n";
    timed |= has(line, "\"type\":\"samples\"");
  }
  write_all(folder / "cut.jsonl", cut);
  write_all(folder / "older.jsonl", older);
  const auto report = [&](const char* name, const char* format) {
    const Outcome made = ridgepoint({"report", folder / name, "--out", folder / format});
    INFO(made.err);
    CHECK(made.code == 0);
    return read_all(folder / format);
  };
  const Json result = Json::parse(report("cut.jsonl", "r.json"))["results"][0];
  CHECK(result["status"] != "ok");
  CHECK(result["reduced_from"] == "n=4096");
  CHECK(result["params"] == whole["params"]);
  CHECK(has(report("cut.jsonl", "r.csv"), "n=" + size));
  CHECK_FALSE(has(report("cut.jsonl", "r.csv"), "n=4096"));
  CHECK(has(report("cut.jsonl", "r.md"), "n=" + size));
  CHECK(has(report("cut.jsonl", "r.html"), "n=" + size));
  CHECK(has(ridgepoint({"--replay", folder / "cut.jsonl"}).out, "ran smaller than n=4096"));
  CHECK(Json::parse(report("older.jsonl", "r.json"))["results"][0]["params"] == whole["params"]);
}

TEST_CASE("synthetic pictures are named beside every figure of them") {
  const std::string saved_data = variable("RIDGEPOINT_DATA");
  setenv("RIDGEPOINT_DATA", "/nonexistent", 1);
  const Folder folder;
  const std::string said = "synthetic garments, not Fashion-MNIST";
  const auto look = [&](const std::string& command, std::vector<std::string> args) {
    args.insert(args.begin(), command);
    args.insert(args.end(), {"--limit", "0.05", "--set", "images=64", "--out", folder / "s.jsonl"});
    const Outcome text = ridgepoint(args);
    INFO(args[1] << "\n" << text.out << text.err);
    CHECK(has(text.out, said));
    for (const char* format : {"r.html", "r.md", "r.json"}) {
      CHECK(ridgepoint({"report", folder / "s.jsonl", "--out", folder / format}).code == 0);
      CHECK(has(read_all(folder / format), said));
    }
    const Run run = load(folder / "s.jsonl");
    CHECK_FALSE(run.series().empty());
    for (const Series& series : run.series()) CHECK(has(series.note, said));
  };
  // Untrained, or counted from a few images: a model is not what this is about.
  look("run", {"weightless", "--rungs", "weightless.cpu.naive,mlp.cpu.sgemm", "--mode", "live",
               "--set", "epochs=0", "--set", "luts=100", "--set", "mlp_epochs=0"});
  look("compare", {"weightless", "--baseline", "wisard.cpu.hash_map", "--candidate",
                   "wisard.cpu.direct_tables", "--set", "train_images=500"});
  look("run",
       {"quant", "--rungs", "fp32,int8_tensor", "--mode", "live", "--set", "train_epochs=0"});
  if (saved_data.empty())
    unsetenv("RIDGEPOINT_DATA");
  else
    setenv("RIDGEPOINT_DATA", saved_data.c_str(), 1);
}

TEST_CASE("a stdout that takes nothing is an error of every command") {
  const std::string run = " '" + saved_run() + "'";
  for (const std::string& command :
       {std::string("--help"), std::string("run --help"), std::string("list"),
        std::string("list --json"), std::string("machine --json"), std::string("tour"),
        "report" + run, "report --markdown" + run, "report --json" + run, "--replay" + run,
        "leaderboard --json '" + fs::path(saved_run()).parent_path().string() + "'",
        std::string("run gemm --rungs packed --set n=64 --mode live --limit 0.05"),
        std::string("run nope --json")}) {
    for (const char* closed : {" > /dev/full", " >&-"}) {
      const Outcome outcome = in_shell("\"$0\" " + command + closed);
      INFO(command << closed << "\n" << outcome.err);
      CHECK(outcome.code == 73);
      CHECK(has(outcome.err, "ridgepoint: standard output: it cannot be written"));
    }
  }
}

TEST_CASE("without a stdout a saved run holds the run alone") {
  const Folder folder;
  const std::string path = folder / "r.jsonl";
  const Outcome outcome =
      in_shell("\"$0\" run gemm --json --rungs packed --set n=64 --mode live --limit 0.05 --out '" +
               path + "' <&- >&-");
  CHECK(outcome.code == 73);
  const Run run = load(path);
  CHECK(run.log().empty());
  REQUIRE(run.series().size() == 1);
  CHECK(run.series()[0].status == SeriesStatus::ok);
}

TEST_CASE("a reader that leaves early has what it wanted: the command's own exit code stands") {
  for (const std::string& command :
       {std::string("list"), "report --markdown '" + saved_run() + "'"}) {
    const Outcome outcome = in_shell("{ \"$0\" " + command + "; echo \"code $?\" >&2; } | :");
    INFO(command);
    CHECK(outcome.err == "code 0\n");
  }
}

TEST_CASE("bad input: one sentence, the right exit code, nothing measured") {
  struct Bad {
    std::vector<std::string> args;
    int code;
    const char* names;  ///< what the sentence has to mention
  };
  const Folder folder;
  write_all(folder / "file", "");
  const std::vector<Bad> all = {
      {{"run", "nope"}, 64, "gemm"},
      {{"run", "gemm", "--set", "n=0"}, 64, "n = 0"},
      {{"run", "gemm", "--set", "n=1000000"}, 69, "of memory"},
      {{"run", "gemm", "--set", "n=4194305"}, 64, "4194305"},
      {{"run", "conv", "--set", "h=65536", "--set", "c=65536", "--set", "r=1024"}, 69, "of memory"},
      {{"run", "conv", "--set", "h=65536", "--set", "c=65536", "--set", "n=65536"}, 69, "64 bits"},
      {{"run", "gemm", "--set", "n=-3"}, 64, "-3"},
      {{"run", "gemm", "--set", "n=big"},
       64,
       "n = big is not a whole number; choose a whole number from"},
      {{"run", "gemm", "--set", "n"}, 64, "name=value"},
      {{"run", "gemm", "--set", "size=3"}, 64, "size"},
      {{"run", "gemm", "--set", "dtype=fp7"}, 64, "fp7"},
      {{"run", "gemm", "--rungs", "nope"}, 64, "naive_o1"},
      {{"run", "gemm", "--rungs", "naive"}, 69, "did you mean naive_o1 or naive_o3?"},
      {{"compare", "gemm", "--baseline", "packed", "--candidate", "loop_order", "openblas"},
       64,
       "give --candidate once more; see 'ridgepoint compare --help'"},
      {{"compare", "--baseline", "true", "--candidate", "true", "--name", "a", "b"},
       64,
       "--name A --name B"},
      {{"compare", "mixed", "--baseline", "fp32", "--candidate", "fp32", "--rounds", "50"},
       64,
       "name the seeds instead"},
      {{"tour", "metup"}, 64, "did you mean meetup"},
      {{"run", "gemm", "--mode", "fast"}, 64, "live"},
      {{"run", "gemm", "--out", folder.path.string()}, 73, "directory"},
      {{"run", "gemm", "--out", folder / "none/run.jsonl"}, 73, "none/run.jsonl"},
      {{"run", "gemm", "--out", folder / "file/run.jsonl"}, 73, "file/run.jsonl"},
      {{"run", "gemm", "--worker", "a 'b"}, 64, "quote"},
      {{"run", "gemm", "--worker", variable("RIDGE_FAULT_WORKER") + " early"}, 70, "libdnnl"},
      {{"run", "gemm", "--worker", variable("RIDGE_FAULT_WORKER") + " version"}, 70, "version 2"},
      {{"compare", "gemm", "--baseline", "loop_order"}, 64, "--candidate"},
      {{"compare", "gemm", "--baseline", "loop_order:n", "--candidate", "loop_order"}, 64, "\"n\""},
      {{"run"}, 64, "lab"},
      {{"nonsense"}, 64, "nonsense"},
      {{"list", "--replay", "x.jsonl"}, 64, "report"},
      {{"run", ""}, 64, "after 'run': a word of the command line is empty"},
      {{"report", ""}, 64, "a shell variable that is not set"},
      {{"run", "gemm", "--out", ""}, 64, "after '--out'"},
      {{"run", "gemm", "-x"}, 64, "there is no option '-x'"},
      {{"check", folder.path.string()}, 65, "this is a folder"},
      {{"sweep", folder.path.string()}, 65, "this is a folder"},
      {{"report", folder.path.string()}, 65, "this is a folder"},
      {{"history", "--database", folder.path.string()}, 65, "this is a folder"},
      {{"leaderboard", folder / "none"}, 65, "it is not there"},
      {{"leaderboard", folder / "file"}, 65, "it is no folder"},
      {{"exercise", "start", "turned_lops"}, 64, "did you mean turned_loops?"},
      {{"exercise", "check", folder / "none.cpp"}, 65, "No such file"},
      {{"handout", "quant", variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.bf16.jsonl",
        "--out", folder / "page.html"},
       65,
       "it has results of the lab gemm, none of quant"},
      {{"inspect", "nope"}, 64, "there is no rung 'nope'"},
      {{"serve", "decode.cpu.splt"}, 64, "did you mean decode.cpu.split"},
      {{"count", "gemm.cuda.nayve"}, 64, "did you mean gemm.cuda.naive"},
      {{"edit", "lop_order"}, 64, "did you mean gemm.cpu.loop_order"},
      {{"run", "gemm", "naive_o1"}, 64, "a rung is named with --rungs naive_o1"},
      {{"run", "gemm", "--out", folder.path.string()}, 73, "/run.jsonl'"},
      {{"run", "gemm", "--worker", "true"}, 70, "has to run 'ridgepoint-worker --stdio'"},
      {{"check", folder / "file"}, 65, "write {\"checks\": [{"},
      {{"list", "gemm", "--source", "nope"}, 64, "'ridgepoint list --all' names the rungs"},
      {{"record", "gemm"}, 64, "record: the file for the recording is not named"},
      {{"gem"}, 64, "'ridgepoint run gemm' measures its rungs"},
      {{folder / "gone.jsonl"}, 64, "check the path of the file"},
  };
  for (const Bad& bad : all) {
    std::string line;
    for (const std::string& arg : bad.args) line += arg + " ";
    // A machine with a GPU can run the rung that this one cannot.
    if (bad.code == 69 && line.find("naive") != std::string::npos &&
        !has(ridgepoint({"list", "gemm"}).out,
             "gemm.cuda.naive        naive               not here") &&
        ridgepoint({"run", "gemm", "--rungs", "naive", "--set", "n=64", "--mode", "live"}).code ==
            0) {
      continue;
    }
    const Outcome outcome = ridgepoint(bad.args);
    INFO(line << "\n" << outcome.err);
    CHECK(outcome.code == bad.code);
    CHECK(is_one_sentence(outcome.err));
    CHECK(has(outcome.err, bad.names));
    CHECK(outcome.out.empty());
  }
  CHECK(folder.count() == 1);  // no file was left behind
}

TEST_CASE("without a window the program says what to do, and measures and writes nothing") {
  const Outcome outcome = ridgepoint({});
  CHECK(outcome.code == 69);
  CHECK(is_one_sentence(outcome.err));
  CHECK(has(outcome.err, "ridgepoint run "));
  CHECK(has(outcome.err, "ridgepoint --help"));
  CHECK(outcome.out.empty());
}

TEST_CASE("in a terminal an error with --json stands once, as the document") {
  const std::string run = variable("RIDGE_BIN") + " run nope --json";
  const Outcome outcome =
      Program("/bin/bash", {"-c", "command -v script >/dev/null || exit 77; exec script -qec '" +
                                      run + "' /dev/null </dev/null 2>&1"})
          .finish();
  if (outcome.code == 77) RIDGE_SKIP("no program 'script' to make a terminal");
  INFO(outcome.out);
  const size_t first = outcome.out.find("there is no lab");
  REQUIRE(first != std::string::npos);
  CHECK(outcome.out.find("there is no lab", first + 1) == std::string::npos);
  CHECK(has(ridgepoint({"run", "nope", "--json"}).err, "there is no lab"));  // beside a file of it
}

TEST_CASE("why rungs of a lab cannot run here is said once for all that share it") {
  const std::string list = ridgepoint({"list", "gemm", "--all"}).out;
  std::istringstream lines(list);
  std::map<std::string, int> reasons;
  for (std::string line; std::getline(lines, line);) {
    if (const size_t at = line.find("not here: "); at != std::string::npos)
      ++reasons[line.substr(at)];
  }
  for (const auto& [reason, times] : reasons) {
    INFO(reason);
    CHECK(times < 3);
  }
  CHECK(has(list, "gemm.cpu.loop_order"));
  if (!has(list, "not here (1)")) RIDGE_SKIP("all rungs run here");
  // Without --all they are one line, which says how to see them.
  const std::string brief = ridgepoint({"list", "gemm"}).out;
  INFO(brief);
  CHECK_FALSE(has(brief, "not here ("));
  CHECK(has(brief, " rungs are not here: "));
  CHECK(has(brief, "'ridgepoint list gemm --all'"));
  CHECK(has(brief, "gemm.cpu.loop_order"));
  CHECK(has(list, "\n  gemm.cuda.naive "));
}

TEST_CASE("the puzzles lab says what next: its exercises, and a rung counted here") {
  const Outcome list = ridgepoint({"list", "puzzles"});
  const Outcome ran = ridgepoint({"run", "puzzles", "--rungs", "definition", "--mode", "live"});
  for (const Outcome& one : {list, ran}) {
    INFO(one.out << one.err);
    CHECK(one.code == 0);
    CHECK(has(one.out, "  next: 'ridgepoint exercise list puzzles' has its "));
    CHECK(has(one.out, "'ridgepoint count puzzles.cuda.map'"));
  }
}

TEST_CASE("a file that may not be read says so, and how it may") {
  if (geteuid() == 0) RIDGE_SKIP("root may read anything");
  const Folder folder;
  write_all(folder / "run.jsonl", "");
  fs::permissions(folder / "run.jsonl", fs::perms::none);
  const Outcome outcome = ridgepoint({"report", folder / "run.jsonl"});
  CHECK(outcome.code == 65);
  CHECK(is_one_sentence(outcome.err));
  CHECK(has(outcome.err, "you may not read this file"));
  CHECK(has(outcome.err, "chmod u+r"));
}

TEST_CASE("a worker that is not there is one sentence") {
  RIDGE_SKIP_EMULATED(test::kNoExecError);
  const Outcome outcome = ridgepoint({"run", "gemm", "--worker", "none/missing"});
  CHECK(outcome.code == 69);
  CHECK(is_one_sentence(outcome.err));
  CHECK(has(outcome.err, "no such program"));
  CHECK(outcome.out.empty());
}

TEST_CASE("a mistyped name: what it was meant to be, and never a list of all there is") {
  struct Typo {
    std::vector<std::string> args;
    const char* meant;
  };
  const std::vector<Typo> all = {
      {{"rn", "gemm"}, "did you mean run? 'ridgepoint --help' shows all"},
      {{"lsit"}, "did you mean list?"},
      {{"rn", "gemm", "--set", "n=64"}, "did you mean run?"},
      {{"run", "gem"}, "there is no lab 'gem'; did you mean gemm? 'ridgepoint list' shows all"},
      {{"list", "loader"}, "there is no lab 'loader'; did you mean pipeline, Data loader?"},
      {{"list", "Data loader"}, "did you mean pipeline, Data loader?"},
      {{"run", "data LOADER"}, "did you mean pipeline, Data loader?"},
      {{"compare", "loader", "--baseline", "serial", "--candidate", "prefetch"},
       "did you mean pipeline, Data loader?"},
      {{"list", "GEMM"}, "did you mean gemm?"},
      {{"run", "gemm", "--rungs", "naiv"}, "did you mean naive"},
      {{"compare", "gemm", "--baseline", "nayve", "--candidate", "packed"}, "naive_o1"},
      {{"hepl"}, "did you mean help?"},
      {{"compare", "gemm", "--baseline", "loop_orde", "--candidate", "packed"},
       "there is no rung 'loop_orde'; did you mean loop_order? 'ridgepoint list gemm' shows all"},
      {{"run", "gemm", "--rungs", "gemm.cpu.pakced"}, "did you mean packed"},
      {{"run", "gemm", "--rungs", "qqq"}, " more; 'ridgepoint list --all' shows all"},
      {{"run", "gemm", "--set", "thread=1"}, "did you mean threads?"},
      {{"run", "gemm", "--set", "dtype=fp31"}, "did you mean fp32?"},
      {{"run", "gemm", "--table", "tlak"}, "did you mean talk?"},
      {{"run", "gemm", "--workload", "gtp3", "--rungs", "threads"}, "did you mean gpt3?"},
      {{"run", "gemm", "--sett", "n=64"}, "there is no option '--sett'; did you mean --set?"},
      {{"compare", "gemm", "--baselin=packed"}, "did you mean --baseline?"},
      {{"--jsn"}, "did you mean --json?"},
      {{"run", "gemm", "--n", "256"}, "n is a parameter: it is set with --set n=VALUE"},
      {{"run", "gemm", "--set", "n=256", "--set", "n=512"}, "write n=256,512"},
      {{"compare", "gemm", "--mode", "live"}, "it is an option of 'ridgepoint run'"},
      {{"compare", "gemm", "loop_order", "packed"},
       "'loop_order' is one word too many; the two sides are named with --baseline RUNG "
       "--candidate RUNG"},
      {{"labs"}, "perhaps 'ridgepoint list'"},
      {{"history", "gemm", "--rung", "packed"}, "RUNG is an argument of 'history'"},
      {{"inspect", "gemm"}, "it is a lab: 'ridgepoint list gemm' names its rungs"},
  };
  for (const Typo& typo : all) {
    const Outcome outcome = ridgepoint(typo.args);
    INFO(outcome.err);
    CHECK(outcome.code == 64);
    CHECK(is_one_sentence(outcome.err));
    CHECK(has(outcome.err, typo.meant));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), ',') < 8);
    CHECK(outcome.err.size() < 300);
  }
}

TEST_CASE("a report in a terminal is a summary that says how to have all of it") {
  const std::string run = variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.bf16.jsonl";
  const Outcome outcome =
      Program("/bin/bash",
              {"-c", "command -v script >/dev/null || exit 77; exec script -qec '" +
                         variable("RIDGE_BIN") + " report " + run + "' /dev/null </dev/null"})
          .finish();
  if (outcome.code == 77) RIDGE_SKIP("no program 'script' to make a terminal");
  INFO(outcome.out);
  CHECK(outcome.code == 0);
  CHECK(std::count(outcome.out.begin(), outcome.out.end(), '\n') <= 25);
  CHECK(has(outcome.out,
            "\nridgepoint report " + run + " --out report.html\r\n"));  // whole, to be copied
  // A pipe has the same summary, and the whole report where it is asked for.
  const std::string piped = ridgepoint({"report", run}).out;
  CHECK(has(piped, "ridgepoint report " + run + " --out report.html\n"));
  CHECK_FALSE(has(piped, "## Appendix"));
  CHECK(has(ridgepoint({"report", run, "--markdown"}).out, "## Appendix"));
}

TEST_CASE("on a terminal the table grows row by row, and no row comes twice") {
  const std::string run = variable("RIDGE_BIN") +
                          " run gemm --rungs loop_order,cache_blocks --set n=64 --mode live "
                          "--limit 0.05 2>/dev/null";
  const Outcome outcome =
      Program("/bin/bash", {"-c", "command -v script >/dev/null || exit 77; exec script -qec '" +
                                      run + "' /dev/null </dev/null"})
          .finish();
  if (outcome.code == 77) RIDGE_SKIP("no program 'script' to make a terminal");
  INFO(outcome.out);
  CHECK(outcome.code == 0);
  CHECK(has(outcome.out, "hot cache, live"));
  const size_t heading = outcome.out.find("time/call"),
               first = outcome.out.find("\ncpu.loop_order ");
  const size_t second = outcome.out.find("\ncpu.cache_blocks ");
  REQUIRE(second != std::string::npos);
  CHECK(heading < first);
  CHECK(first < second);
  CHECK(first == outcome.out.rfind("\ncpu.loop_order "));
  CHECK(second == outcome.out.rfind("\ncpu.cache_blocks "));
  CHECK(has(outcome.out.substr(second), "--verbose"));
  CHECK_FALSE(has(outcome.out, "bottlenecks"));
  const Outcome whole = ridgepoint({"run", "gemm", "--rungs", "loop_order", "--set", "n=64",
                                    "--mode", "live", "--limit", "0.05", "--verbose"});
  CHECK(has(whole.out, "bottlenecks"));
}

TEST_CASE("on a terminal of 100 and of 80 columns every row of a ladder stands under its heading") {
  for (const std::string columns : {"100", "80"}) {
    const std::string run = "stty cols " + columns + " rows 40; exec " + variable("RIDGE_BIN") +
                            " run gemm --rungs naive_o3,packed_avx2,onednn,threads --set n=64 "
                            "--mode live --limit 0.05 2>/dev/null";
    const Outcome outcome =
        Program("/bin/bash", {"-c", "command -v script >/dev/null || exit 77; exec script -qec '" +
                                        run + "' /dev/null </dev/null"})
            .finish();
    if (outcome.code == 77) RIDGE_SKIP("no program 'script' to make a terminal");
    INFO(outcome.out);
    std::istringstream lines(outcome.out);
    size_t heading = 0, rows = 0;
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      CHECK(columns_of(line) <= std::stoul(columns));
      if (line.starts_with("rung "))
        heading = columns_of(line.substr(0, line.find("time/call"))) + 9;
      if (!line.starts_with("cpu.")) continue;
      ++rows;
      REQUIRE(heading > 0);
      // The time ends where its heading does.
      const size_t unit = std::min(line.find("µs "), line.find("ms "));
      REQUIRE(unit != line.npos);
      CHECK(columns_of(line.substr(0, line.find(' ', unit))) == heading);
    }
    CHECK(rows >= 3);
  }
}

TEST_CASE("the completion script of bash completes commands, options, labs and rungs") {
  const Folder folder;
  const std::string script = folder / "completion.bash";
  const Outcome printed = ridgepoint({"completion", "bash"});
  CHECK(printed.code == 0);
  write_all(script, printed.out);
  const auto bash = [](std::vector<std::string> args) {
    return Program("/bin/bash", std::move(args)).finish();
  };
  const Outcome parsed = bash({"-n", script});
  INFO(parsed.err);
  CHECK(parsed.code == 0);
  // What stands on the line, the last word unfinished.
  const auto completed = [&](const std::string& line) {
    const Outcome outcome = bash({"-c",
                                  "source \"$0\"; COMP_WORDS=(" + line +
                                      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ridgepoint; "
                                      "echo \"${COMPREPLY[*]}\"",
                                  script});
    CHECK(outcome.err.empty());
    return outcome.out;
  };
  CHECK(completed("ridgepoint comp") == "compare completion\n");
  CHECK(completed("ridgepoint run ge") == "gemm\n");
  CHECK(completed("ridgepoint run gemm --mo") == "--mode\n");
  CHECK(completed("ridgepoint run gemm --mode ''") == "live measure\n");
  CHECK(completed("ridgepoint run gemm --rungs naiv") == "naive_o1 naive_o3 naive\n");
  CHECK(completed("ridgepoint run gemm --rungs packed,lo") == "packed,loop_order\n");
  CHECK(completed("ridgepoint compare gemm --baseline loop_o") == "loop_order\n");
  CHECK(completed("ridgepoint compare gemm --candidate cache_b") == "cache_blocks\n");
  CHECK(completed("ridgepoint list --asm gemm.cpu.loop") == "gemm.cpu.loop_order\n");
  CHECK(completed("ridgepoint run gemm --out run") == "\n");  // bash completes files by itself
  CHECK(completed("ridgepoint run gemm --set th") == "threads=\n");
  CHECK(completed("ridgepoint run attention --set seq") == "sequence=\n");
  CHECK(completed("ridgepoint exercise check turned") == "turned_loops\n");
  CHECK(completed("ridgepoint exercise sta") == "start\n");
  CHECK(completed("ridgepoint tour first_h") == "first_hour\n");
  CHECK(completed("ridgepoint history gemm.cpu.loop") == "gemm.cpu.loop_order\n");
}

TEST_CASE("completions for zsh and fish, and the manual page, name every command") {
  const std::string help = ridgepoint({"--help"}).out;
  const std::string page = ridgepoint({"man"}).out;
  const std::string fish = ridgepoint({"completion", "fish"}).out;
  const std::string zsh = ridgepoint({"completion", "zsh"}).out;
  CHECK(has(zsh, "compdef _ridgepoint ridgepoint"));
  std::istringstream names(zsh.substr(zsh.find("{ echo ") + 7));
  int count = 0;
  for (std::string name; names >> name && name != ";" && name.back() != ';'; ++count) {
    INFO(name);
    CHECK(has(help, "\n  " + name + " "));
    const std::string its = ridgepoint({name, "--help"}).out;
    CHECK(has(its, "Usage: ridgepoint " + name));
    CHECK_FALSE(has(its, "{false}"));  // the parser's own marks
    CHECK_FALSE(has(its, "(1x)"));
    CHECK(has(fish, "__fish_use_subcommand -a " + name + " "));
    CHECK((has(page, ".SS \"" + name + " ") || has(page, ".SS \"" + name + "\"")));
  }
  CHECK(count > 15);
  CHECK(ridgepoint({"completion", "tcsh"}).code == 64);
  CHECK(ridgepoint({"completion"}).code == 64);
}

TEST_CASE("the manual page is troff that man reads without a warning") {
  const Folder folder;
  write_all(folder / "ridgepoint.1", ridgepoint({"man"}).out);
  const std::string read = "man -l --warnings '" + (folder / "ridgepoint.1") + "' >/dev/null";
  const Outcome outcome =
      Program("/bin/bash", {"-c", "command -v man groff >/dev/null || exit 77; " + read}).finish();
  if (outcome.code == 77) RIDGE_SKIP("no man or no groff");
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("a read-only folder is found before anything is measured") {
  if (geteuid() == 0) RIDGE_SKIP("root may write anywhere");
  const Folder folder;
  fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
  const Outcome outcome = ridgepoint({"run", "gemm", "--out", folder / "run.jsonl"});
  CHECK(outcome.code == 73);
  CHECK(is_one_sentence(outcome.err));
}

TEST_CASE("all three kinds of rung run; wrong ones have no speed, and the exit code says so") {
  const Outcome json =
      fixtures({"run", "fixture", "--json", "--rungs", "good,train,pipeline,bad_nan,bad_zeros",
                "--mode", "live", "--limit", "0.2"});
  INFO(json.err);
  CHECK(json.code == 3);
  const Json document = json.json();
  REQUIRE(document["results"].size() == 5);
  for (size_t i : {0, 1, 2}) CHECK(document["results"][i]["status"] == "ok");
  for (size_t i : {3, 4}) {
    CHECK(document["results"][i]["status"] == "failed");
    CHECK(document["results"][i]["stats"].is_null());
  }
}

TEST_CASE("a rung that is there to be refused spoils no run, and may not pass") {
  const auto run = [](const std::string& rungs) {
    return fixtures(
        {"run", "refused", "--rungs", rungs, "--set", "n=64", "--mode", "live", "--limit", "0.05"});
  };
  for (const char* rungs : {"bad_zeros", "bad_zeros,loop_order", "bad_nan"}) {
    const Outcome refused = run(rungs);
    INFO(rungs << "\n" << refused.out);
    CHECK(refused.code == 0);
    CHECK(has(refused.out, "refused by design"));
  }
  const Outcome passed = run("good,loop_order");
  CHECK(passed.code == 3);
  CHECK(has(passed.out, "cpu.good: PASSED"));
  CHECK_FALSE(has(passed.out, "refused by design"));
  const Outcome broken = run("bad_status");  // an error is no refusal
  CHECK(broken.code == 3);
  CHECK_FALSE(has(broken.out, "refused by design"));
  const Outcome json = fixtures(
      {"run", "refused", "--json", "--rungs", "bad_zeros", "--set", "n=64", "--mode", "live"});
  CHECK(json.code == 0);
  const Json results = json.json()["results"];
  CHECK(results[0]["status"] == "failed");
  CHECK(results[0]["stats"].is_null());
  CHECK(results[0]["reason"].get<std::string>().rfind("refused by design: ", 0) == 0);
}

TEST_CASE("compare: a candidate that fails its check is invalid") {
  const Outcome compared = fixtures({"compare", "fixture", "--baseline", "good", "--candidate",
                                     "bad_zeros", "--set", "n=64", "--limit", "1"});
  CHECK(compared.code == 3);
  CHECK(has(compared.out, "INVALID"));
}

TEST_CASE("selftest: a rung against itself; one that fails its check shows no noise floor") {
  const auto selftest = [](const char* rung) {
    return fixtures({"selftest", "aa", "--json", "--lab", "fixture", "--rung", rung, "--set",
                     "n=64", "--runs", "1"});
  };
  const Outcome good = selftest("good");
  const Json found = Json::parse(good.out).at("selftest");
  CHECK(found.at("runs") == 1);
  CHECK(good.code == (found.at("passed").get<bool>() ? 0 : 3));
  CHECK(found.at("noise_floor_max").get<double>() < 1);
  const Outcome wrong = selftest("bad_zeros");
  CHECK(wrong.code == 3);
  CHECK(has(wrong.err, "bad_zeros"));
  CHECK_FALSE(has(wrong.out, "noise_floor"));
}

TEST_CASE("a worker that dies in a rung loses nothing that was measured before") {
  const Folder folder;
  const Outcome outcome = fixtures({"run", "fixture", "--rungs", "good,bad_crash", "--set", "n=64",
                                    "--mode", "live", "--out", folder / "run.jsonl"});
  CHECK(outcome.code == 70);
  CHECK(has(outcome.err, "SIGSEGV"));
  CHECK(has(outcome.out, "cpu.good"));
  const Run run = load(folder / "run.jsonl");
  REQUIRE(run.series().size() == 2);
  CHECK(run.series()[0].status == SeriesStatus::ok);
  CHECK(run.series()[1].status != SeriesStatus::ok);
  CHECK(folder.count() == 1);
}

TEST_CASE("Ctrl+C cancels, keeps and saves what was measured") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  Program program(variable("RIDGE_FIXTURE_BIN"),
                  fixture_args({"run", "fixture", "--rungs", "slow,bad_spin", "--set", "n=64",
                                "--limit", "60", "--out", path}));
  // The part beside the file grows while it is measured: that is what a crash would leave.
  bool measuring = false;
  for (int i = 0; i < 1000 && !measuring; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (const auto& entry : fs::directory_iterator(folder.path)) {
      measuring |= has(read_all(entry.path()), "\"type\":\"samples\"");
    }
  }
  REQUIRE(measuring);
  CHECK_FALSE(fs::exists(path));
  program.interrupt();
  const Outcome outcome = program.finish();
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK(has(outcome.err, "what was measured until then is in " + path));
  CHECK(sample_count(load(path)) > 0);
  CHECK(folder.count() == 1);
}

TEST_CASE("a report says how to name its rungs, and how two files are reported") {
  const Folder folder;
  const std::string run = folder / "run.jsonl", other = folder / "other.jsonl";
  for (const std::string& file : {run, other})
    REQUIRE(ridgepoint({"run", "gemm", "--rungs", "naive_o3,loop_order", "--set", "n=64", "--mode",
                        "live", "--limit", "0.05", "--out", file})
                .code == 0);
  const std::string two = ridgepoint({"report", run, other}).err;
  CHECK(has(two, "it holds several rungs"));
  CHECK(has(two, "else make a report of each run by itself"));
  CHECK(has(ridgepoint({"report", run, "--baseline", "lop_order"}).err,
            "it holds no rung 'lop_order'; did you mean"));
  const std::string one = ridgepoint({"report", run, "--baseline", "loop_order"}).err;
  CHECK(has(one, "it holds no comparison at all; name --candidate too"));
}

TEST_CASE("a handout draws each rung's picture in the rung's own type") {
  const Folder folder;
  const std::string page = folder / "gemm.html";
  CHECK(ridgepoint({"handout", "gemm", "--out", page}).code == 0);
  // A rung of the same text, built with another flag, has no lines of its own.
  CHECK(has(read_all(page), "No line changes: the same text is built with -O3."));
  CHECK_FALSE(has(read_all(page), "<pre class=\"diff\"><span class=\"cut\">⋯</span></pre>"));
  // A slice of 128 bytes holds 64 steps of bf16, and 4096 / 64 of them make k; of fp32, 3xTF32's type, it is twice as many.
  CHECK(has(read_all(page), "there are 64 slices"));
  CHECK(has(read_all(page), "there are 128 slices"));
}

TEST_CASE("a handout without answers holds none, and the one with them has them behind all else") {
  const Folder folder;
  const std::string all = folder / "all.html", students = folder / "students.html";
  const std::string run =
      variable("RIDGE_SOURCE") + "/assets/recorded/gemm.intel_r_xeon_r_processor.jsonl";
  CHECK(ridgepoint({"handout", "gemm", run, "--out", all}).code == 0);
  CHECK(ridgepoint({"handout", "gemm", run, "--without-answers", "--out", students}).code == 0);
  const std::string whole = read_all(all), without = read_all(students);
  const std::string marks[] = {"<summary>Answer</summary>", "<summary>What happened</summary>",
                               "<h2>What happened, and the answers</h2>", "<h2>Measured: "};
  for (const std::string& mark : marks) {
    INFO(mark);
    CHECK(has(whole, mark));
    CHECK_FALSE(has(without, mark));
  }
  CHECK(has(without, "Your prediction."));
  CHECK(has(without, "this copy holds no answers"));
  CHECK(has(whole, "A rung is one version of a program"));
  const size_t answers = whole.find("<div class=\"flow end\">");
  REQUIRE(answers != std::string::npos);
  CHECK(answers > whole.rfind("Your prediction."));
  CHECK(answers > whole.find("id=\"recordings\""));
  CHECK(answers < whole.find("<h2>Measured: "));
}

TEST_CASE("a handout names the machine behind each mark before the first figure that has it") {
  const Folder folder;
  const std::string page = folder / "conv.html";
  CHECK(ridgepoint({"handout", "conv", "--out", page}).code == 0);
  const std::string text = read_all(page);
  for (const std::string mark : {"†", "§", "¶"}) {
    const size_t first = text.find(mark);
    REQUIRE(first != std::string::npos);
    CHECK(text.compare(first + mark.size(), 4, " on ") == 0);
  }
}

TEST_CASE("a run that is saved where one is already leaves the older one beside it") {
  const Folder folder;
  const std::string path = folder / "run.jsonl", older = folder / "run.1.jsonl";
  const auto measure = [&](const std::string& n) {
    return fixtures({"run", "fixture", "--rungs", "good", "--set", "n=" + n, "--out", path});
  };
  CHECK_FALSE(has(measure("64").err, "was there already"));
  const std::string first = read_all(path);
  const Outcome second = measure("32");
  INFO(second.err);
  CHECK(has(second.err, path + " was there already: that run is " + older + " now"));
  CHECK(read_all(older) == first);
  CHECK(read_all(path) != first);
  measure("64");
  CHECK(read_all(older) == first);
  CHECK(folder.count() == 3);
}

TEST_CASE(
    "a page that is written where one is already leaves the older one beside it, but for --force") {
  const Folder folder;
  const std::string path = folder / "report.md", older = folder / "report.1.md";
  write_all(path, "my notes\n");
  const Outcome kept = ridgepoint({"report", saved_run(), "--out", path});
  INFO(kept.err);
  CHECK(kept.code == 0);
  CHECK(has(kept.err, path + " was there already: the older one is " + older + " now"));
  CHECK(read_all(older) == "my notes\n");
  CHECK(folder.count() == 2);
  ridgepoint({"report", saved_run(), "--out", path});  // the same again
  CHECK(folder.count() == 2);
  write_all(path, "more notes\n");
  CHECK_FALSE(has(ridgepoint({"report", saved_run(), "--out", path, "--force"}).err, "already"));
  CHECK(folder.count() == 2);
  CHECK(ridgepoint({"report", saved_run(), "--out", folder / "none.doc"}).code == 64);
  CHECK(folder.count() == 2);
}

TEST_CASE("a report of a comparison asks the same again: its rounds, its limit, its own file") {
  const Folder folder;
  const std::string run = folder / "pair.jsonl";
  const Outcome made =
      ridgepoint({"compare", "gemm", "--baseline", "naive_o3", "--candidate", "loop_order", "--set",
                  "n=64", "--rounds", "14", "--limit", "20", "--margin", "0.05", "--out", run});
  INFO(made.err);
  const std::string page = ridgepoint({"report", run, "--markdown"}).out;
  INFO(page);
  CHECK(has(page, " --margin 0.05 --rounds 14 --limit 20 --out pair.jsonl\n"));
}

TEST_CASE(
    "what tour is given beside a tour that it prints is refused, and nothing is left undone") {
  const Folder folder;
  const Outcome outcome = ridgepoint({"tour", "meetup", "--out", folder / "tour.html"});
  INFO(outcome.err);
  CHECK(outcome.code == 64);
  CHECK(is_one_sentence(outcome.err));
  CHECK(has(outcome.err, "--rehearse"));
  CHECK(folder.count() == 0);
}

TEST_CASE("a failed check of an exercise says once why, and so does a compile error") {
  const Folder folder;
  setenv("XDG_DATA_HOME", folder.path.c_str(), 1);
  const std::string file = folder / "mine.cpp";
  REQUIRE(ridgepoint({"exercise", "start", "turned_loops", "--to", file}).code == 0);
  std::string text = read_all(file);
  const size_t hole = text.find("// YOUR TURN"), end = text.find('\n', hole);
  REQUIRE(hole != text.npos);
  const auto with_hole = [&](const std::string& code) {
    write_all(file, text.substr(0, hole) + code + text.substr(end));
    return ridgepoint({"exercise", "check", file, "--set", "n=64"});
  };
  const Outcome wrong = with_hole(
      "for (int64_t p = 0; p < g.k; ++p) for (int64_t j = 0; j < g.n; ++j) row[j] += g.a[i * g.k + "
      "p] * g.b[p * g.n + j];");
  INFO(wrong.out);
  CHECK(wrong.code == 3);
  const std::string why = "it was read before it was set";
  REQUIRE(has(wrong.out, why));
  CHECK(wrong.out.find(why) == wrong.out.rfind(why));
  CHECK(has(wrong.out, "cpu.naive_o3: not timed, because cpu.turned_loops_edit failed"));
  CHECK(has(wrong.out, "decision: reject: the candidate failed its check\n"));
  const Outcome uncompiled = with_hole("no_such_name;");
  INFO(uncompiled.err);
  CHECK(uncompiled.code == 3);
  REQUIRE(has(uncompiled.err, "was not declared"));
  CHECK(uncompiled.err.find("was not declared") == uncompiled.err.rfind("was not declared"));
  unsetenv("XDG_DATA_HOME");
}

TEST_CASE(
    "exercise LAB lists a lab's, exercise NAME shows one, and an untouched file is said to be") {
  const Folder folder;
  setenv("XDG_DATA_HOME", folder.path.c_str(), 1);
  CHECK(ridgepoint({"exercise", "gemm"}).out == ridgepoint({"exercise", "list", "gemm"}).out);
  const Outcome shown = ridgepoint({"exercise", "turned_loops"});
  INFO(shown.out << shown.err);
  CHECK(shown.code == 0);
  for (const char* part : {"Turn the loops", "lab gemm", "ridgepoint exercise start turned_loops",
                           "ridgepoint exercise hint turned_loops"})
    CHECK(has(shown.out, part));
  CHECK(has(ridgepoint({"exercise", "turned_lops"}).err, "did you mean turned_loops?"));
  CHECK(has(ridgepoint({"exercise", "chek", "turned_loops"}).err, "did you mean check?"));
  const std::string file = folder / "mine.cpp";
  CHECK(ridgepoint({"exercise", "start", "turned_loops", "--to", file}).code == 0);
  const Outcome untouched = ridgepoint({"exercise", "check", file});
  INFO(untouched.out);
  CHECK(untouched.code == 3);
  CHECK(has(untouched.out, "nothing is changed in it"));
  CHECK_FALSE(has(untouched.err, "comparing"));
  write_all(file, ridgepoint({"exercise", "solution", "turned_loops"}).out);
  const Outcome solved = ridgepoint({"exercise", "check", file, "--set", "n=64"});
  INFO(solved.out << solved.err);
  CHECK(has(solved.out, "\nsolved: Turn the loops\nnext: ridgepoint exercise start "));
  unsetenv("XDG_DATA_HOME");
}

TEST_CASE("list LAB has the lab's parameters with their ranges; m is known to be one") {
  const Outcome list = ridgepoint({"list", "gemm"});
  INFO(list.out);
  for (const char* part : {"--set NAME=", "\n  n ", "as n", "\n  threads ", "fp32"})
    CHECK(has(list.out, part));
  CHECK(has(ridgepoint({"run", "gemm", "--m", "64"}).err,
            "m is a parameter: it is set with --set m=VALUE"));
}

TEST_CASE("a run that is cancelled before anything was measured takes no older one's place") {
  const Folder folder;
  const std::string path = folder / "run.jsonl";
  std::ofstream(path) << "an older run";
  Program program(variable("RIDGE_FIXTURE_BIN"),
                  fixture_args({"run", "fixture", "--rungs", "bad_spin", "--set", "n=64", "--limit",
                                "60", "--out", path}));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  program.interrupt();
  const Outcome outcome = program.finish();
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK(has(outcome.err, "before anything was measured"));
  CHECK(read_all(path) == "an older run");
  CHECK(folder.count() == 1);
}

TEST_CASE("a cancelled run without a file says that nothing was kept, and what would keep it") {
  Program program(variable("RIDGE_FIXTURE_BIN"), fixture_args({"run", "fixture", "--rungs", "slow",
                                                               "--set", "n=64", "--limit", "60"}));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  program.interrupt();
  const Outcome outcome = program.finish();
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK(has(outcome.err, "cancelled: "));
  CHECK(has(outcome.err, "to keep what is measured name a file, as in --out run.jsonl"));
  CHECK_FALSE(has(outcome.err, "is kept"));
}
