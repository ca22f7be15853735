// Saved runs: whole, cut off, broken, and files that are something else.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/record/run.h"
#include "tests/catch.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::test;

namespace {

/// A file that is gone when the test is over.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path((std::filesystem::temp_directory_path() /
              ("ridge_run_test_" + std::to_string(getpid()) + ".jsonl"))
                 .string()) {
    write(content);
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
  void write(const std::string& content) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  }
  const std::string path;
};

std::string refusal(const std::string& content) {
  const TemporaryFile file(content);
  const Result<Run> run = Run::load(file.path);
  REQUIRE(!run.ok());
  CHECK(run.error().code == ErrorCode::bad_input);
  CHECK(run.error().where == file.path);
  return run.error().what;
}

}  // namespace

TEST_CASE("a saved run is the live run") {
  const Transcript transcript = whole_transcript();
  const TemporaryFile file("login banner\n" + transcript.text());
  const Result<Run> loaded = Run::load(file.path);
  REQUIRE(loaded.ok());
  CHECK(fingerprint(*loaded) == fingerprint(run_of(transcript)));
}

namespace {

/// Every reader that a run needs, in 4 kB: it is loaded once per byte.
Transcript short_transcript() {
  Transcript out;
  out.app("list", {{"id", 1}});
  out.worker("kernel", {{"request", 1}, {"kernel", kernel_info(kFirst)}});
  out.worker("done", {{"request", 1}, {"status", "ok"}});
  out.send(request_for(RequestType::compare, 4));
  out.worker("check", with(about(4, 0), "check", check(true)));
  for (const char* phase : {"call", "latency"}) {
    out.worker("samples",
               {{"request", 4}, {"series", 0}, {"phase", phase}, {"samples", samples(4, 1000)}});
  }
  out.worker("samples",
             {{"request", 4}, {"phase", "rounds"}, {"rounds", {Round{0, "0110", {4, 2, 2, 4}}}}});
  out.worker("result", with(about(4, 0), "outcome", outcome(4, 0, kFirst)));
  out.worker("result", {{"request", 4}, {"comparisons", {Comparison{}}}});
  out.worker("done", {{"request", 4}, {"status", "ok"}});
  return out;
}

}  // namespace

TEST_CASE("cut at any byte, a run keeps every whole line") {
  const Transcript transcript = short_transcript();
  const std::string text = transcript.text();
  const TemporaryFile file("");
  const size_t first_line = transcript.lines[0].size();
  std::vector<size_t> counts;  // of samples, after each whole line
  Run grown;
  const auto sample_count = [](const Run& run) {
    size_t count = 0;
    for (const Series& series : run.series()) {
      count += series.samples.size() + series.latency_samples.size() + series.checks.size();
    }
    return count + run.catalogue().size() + run.requests().size() + run.comparisons().size();
  };
  for (const std::string& line : transcript.lines) {
    grown.apply_line(line);
    counts.push_back(sample_count(grown));
  }
  size_t whole_lines = 0, start = 0;
  int wrong = 0;
  for (size_t size = 0; size <= text.size(); ++size) {
    // A line is whole without its newline, too.
    while (whole_lines < transcript.lines.size() &&
           size >= start + transcript.lines[whole_lines].size()) {
      start += transcript.lines[whole_lines].size() + 1;
      ++whole_lines;
    }
    file.write(text.substr(0, size));
    const Result<Run> run = Run::load(file.path);
    if (run.ok() != (size >= first_line)) ++wrong;
    if (!run.ok()) continue;
    if (sample_count(*run) != counts[whole_lines - 1]) ++wrong;
    const bool cut_inside = size > start;
    const bool said = std::any_of(run->log().begin(), run->log().end(), [](const std::string& s) {
      return contains(s, "the file ends inside line");
    });
    if (cut_inside != said) ++wrong;
    for (const Series& series : run->series()) {
      if (series.status == SeriesStatus::running || series.status == SeriesStatus::pending) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("files that are no runs say what they are instead") {
  CHECK(refusal("") == "the file is empty");
  CHECK(contains(refusal("\n  \n"), "blank"));
  CHECK(contains(refusal(std::string("\x7f"
                                     "ELF\0\1\2",
                                     7)),
                 "a program"));
  CHECK(contains(refusal("\x1f\x8b\x08" + std::string(64, '\0')), "gzip"));
  CHECK(contains(refusal(std::string(5000, '\0')), "a binary file"));
  CHECK(contains(refusal(std::string(3000000, 'x')), "text without"));
  CHECK(contains(refusal("name,value\nn,3\n"), "text without"));
  CHECK(contains(refusal("<!DOCTYPE html><html></html>\n"), "an HTML page"));
  CHECK(contains(refusal("{\"name\": \"other\"}\n"), "JSON of another program"));
  CHECK(contains(refusal("{\"ceilings\":[],\"environment\":{},\"results\":[],\"ridgepoint\":1}\n"),
                 "a JSON report"));
  CHECK(contains(refusal("{\"from\":\"app\",\"id\":1,\"ridgepoint\":1,\"ty"), "cut off"));
  CHECK(contains(refusal("{\"ridgepoint\":2,\"type\":\"hello\",\"seq\":1}\n"),
                 "protocol version 2 is not version 1"));
  const Result<Run> missing = Run::load("/nonexistent/run.jsonl");
  REQUIRE(!missing.ok());
  CHECK(missing.error().exit_code() == 65);
  CHECK(contains(missing.error().sentence(), "cannot be read"));
  const Result<Run> folder = Run::load(std::filesystem::temp_directory_path().string());
  REQUIRE(!folder.ok());
  CHECK(contains(folder.error().what, "folder"));
}

TEST_CASE("a worker of another version is refused, an odd line in a run is not") {
  Transcript transcript;
  add_run(&transcript);
  transcript.lines.insert(transcript.lines.begin() + 3, R"({"ridgepoint":2,"type":"phase"})");
  const TemporaryFile file(transcript.text());
  const Result<Run> run = Run::load(file.path);
  REQUIRE(run.ok());
  CHECK(run->series()[0].samples.size() == 20);
  CHECK(contains(run->log().at(0), "protocol version 2"));

  Run live;
  live.apply_line(R"({"ridgepoint":1,"from":"app","type":"list","id":1})");
  CHECK(live.apply_line(R"({"ridgepoint":2,"type":"hello","seq":1})"));
  REQUIRE(live.fatal());
  CHECK(contains(live.fatal()->sentence(), "the same release"));
  CHECK(!live.has_hello());
}

TEST_CASE("junk inside a file costs only itself") {
  Transcript transcript;
  add_run(&transcript);
  auto& lines = transcript.lines;
  lines.insert(lines.begin() + 2, std::string(100000, 'y'));
  lines.insert(lines.begin() + 5, std::string("\0\1\2", 3));
  lines.insert(lines.begin() + 6, "printf debugging");
  lines[8] += "\r";  // a line that went through a terminal
  const TemporaryFile file(transcript.text());
  const Result<Run> run = Run::load(file.path);
  REQUIRE(run.ok());
  CHECK(run->series()[0].samples.size() == 20);
  CHECK(run->series()[0].status == SeriesStatus::ok);
  REQUIRE(run->log().size() == 3);
  CHECK(contains(run->log()[0], "line 3 is longer than 64 KiB"));
}
