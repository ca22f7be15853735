// What a person writes about a run: kept in its transcript, on page 1 of its report, whatever it holds.
#include "common/record/notes.h"

#include <nlohmann/json.hpp>

#include "common/record/json.h"
#include "common/view/report/format.h"
#include "tests/catch.h"
#include "tests/program.h"
#include "tests/report_run.h"

using namespace ridge;
using namespace ridge::test;

namespace {

const std::string kEvil = "<script>alert(1)</script> | `x` & \x1b[31m \xff";

Json note_line(const std::string& what, const std::string& text) {
  return {{"ridgepoint", 1}, {"from", "app"}, {"type", "note"}, {"what", what}, {"text", text}};
}

Run noted_run(const std::vector<std::pair<std::string, std::string>>& notes) {
  Transcript out;
  add_start_of(&out);
  add_ladder(&out);
  add_comparison(&out, {});
  Run run = read_run(out);
  for (const auto& [what, text] : notes) run.apply(note_line(what, text));
  return run;
}

}  // namespace

TEST_CASE("a run keeps the last of each note, and an empty one takes it back") {
  Run run = noted_run({{"question", "Does it pay?"}, {"surprise", "yes"}, {"question", "Why?"}});
  CHECK(run.notes() == Notes{{"question", "Why?"}, {"surprise", "yes"}});
  const uint64_t version = run.version();
  run.apply(note_line("surprise", ""));
  CHECK(run.version() > version);
  CHECK(run.notes() == Notes{{"question", "Why?"}});
  run.apply(note_line("motto", "none of them"));
  run.apply(note_line("hypothesis", std::string(5000, 'x')));
  CHECK(run.notes().size() == 2);
  CHECK(run.notes().at("hypothesis").size() < 1600);  // at most 500 characters
  // The learner's name is the author's, until another is given.
  run.apply({{"ridgepoint", 1}, {"from", "app"}, {"type", "learner"}, {"name", "Ada"}});
  CHECK(run.notes().at("name") == "Ada");
  run.apply({{"ridgepoint", 1}, {"from", "app"}, {"type", "learner"}, {"name", "Ada L"}});
  CHECK(run.notes().at("name") == "Ada L");
  run.apply(note_line("name", "Grace"));
  run.apply({{"ridgepoint", 1}, {"from", "app"}, {"type", "learner"}, {"name", "Ada"}});
  CHECK(run.notes().at("name") == "Grace");
}

TEST_CASE("page 1 has the author's words, escaped, and who it was under the title") {
  const Run run = noted_run(
      {{"question", kEvil}, {"hypothesis", "It does."}, {"name", "Ada"}, {"course", "Compilers"}});
  const report::Report report = built(run);
  CHECK(report.subtitle.starts_with("By Ada, Compilers · "));
  REQUIRE_FALSE(report.front.empty());
  CHECK(report.front.front().id == "notes");
  const std::string page = report::print_as(report, ".html");
  CHECK((has(page, "In the author&#39;s words") || has(page, "In the author's words")));
  CHECK(has(page, "Hypothesis: It does."));
  CHECK_FALSE(has(page, "<script>"));
  CHECK_FALSE(has(page, "\x1b"));
  const std::string text = report::print_as(report, ".md");
  CHECK_FALSE(has(text, "<script>"));
  CHECK(has(text, "\\`x\\`"));
  const Json document = Json::parse(report::print_as(report, ".json"));
  CHECK(document["notes"]["hypothesis"] == "It does.");
  const Folder folder;
  write_all(folder / "document.json", document.dump());
  expect_schemas(schema_argument("document", folder / "document.json"));
  const Run silent = noted_run({});
  CHECK(built(silent).front.front().id != "notes");
  // Who wrote it is said without a word of theirs, too.
  const Run signed_run = noted_run({{"course", "Compilers"}});
  CHECK(built(signed_run).subtitle.starts_with("For Compilers · "));
  CHECK(built(signed_run).front.front().id != "notes");
}

TEST_CASE("a transcript with notes and a budget is of the protocol") {
  const std::string path =
      variable("RIDGE_SOURCE") + "/tests/fixtures/runs/2026-11-25-budget.jsonl";
  const auto run = Run::load(path);
  REQUIRE(run.ok());
  CHECK(run->notes().size() == 5);
  CHECK_FALSE(run->comparisons().front().budget.is_empty());
  expect_schemas(schema_argument("transcript", path));
}

TEST_CASE("what is given for a report stands over what the run holds") {
  const Run run = noted_run({{"question", "Why?"}, {"decision", "wait"}});
  report::Options options = test::report_options();
  options.notes = {{"question", "How?"}};
  const report::Report report = built(run, options);
  CHECK(report.notes == Notes{{"question", "How?"}, {"decision", "wait"}});
  CHECK(report.front.front().bullets ==
        std::vector<std::string>{"Question: How?", "My decision: wait"});
}

TEST_CASE("a note that is none is refused in one sentence") {
  const auto refused = [](const std::string& text) {
    const auto note = parse_note(text);
    return note ? "taken" : note.error().sentence();
  };
  CHECK(has(refused("qestion=x"), "'qestion' is no note; did you mean question?"));
  CHECK(has(refused("question"), "question has no text; write --note question=TEXT"));
  CHECK(has(refused("question="), "question has no text"));
  CHECK(
      has(refused("question=" + std::string(501, 'x')), "question is longer than 500 characters"));
  const auto umlauts = parse_note("question=" + [] {
    std::string text;
    for (int i = 0; i < 500; ++i) text += "ä";
    return text;
  }());
  CHECK(umlauts.ok());  // characters, not bytes
  CHECK(parse_note("name=a=b")->second == "a=b");
}

TEST_CASE("command line: --note writes a report's first page and leaves the run as it was") {
  const Folder folder;
  const std::string path = folder / "run.jsonl", page = folder / "page.html";
  Transcript out;
  add_start_of(&out);
  add_comparison(&out, {});
  std::string lines;
  for (const std::string& line : out.lines) lines += line + "\n";
  write_all(path, lines);
  const auto report = [&](std::vector<std::string> more) {
    std::vector<std::string> args = {"report", path, "--out", page};
    args.insert(args.end(), more.begin(), more.end());
    return Program(variable("RIDGE_BIN"), std::move(args)).finish();
  };
  const Outcome made = report({"--note", "question=" + kEvil, "--note", "name=Ada"});
  INFO(made.err);
  CHECK(made.code == 0);
  const std::string text = read_all(page);
  CHECK(has(text, "By Ada · "));
  CHECK(has(text, "Question: &lt;script&gt;"));
  CHECK_FALSE(has(text, "<script>"));
  CHECK(read_all(path) == lines);
  const Outcome twice = report({"--note", "question=a", "--note", "question=b"});
  CHECK(twice.code == 64);
  CHECK(has(twice.err, "question stands twice"));
  CHECK(report({"--note", "wish=x"}).code == 64);
}
