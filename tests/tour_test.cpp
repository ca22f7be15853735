// Tours and handouts through the command line.
#include <regex>

#include "tests/catch.h"
#include "tests/program.h"
#include "tests/skip.h"

namespace ridge::test {
namespace {

Outcome ridgepoint(std::vector<std::string> args) {
  return Program(variable("RIDGE_BIN"), std::move(args)).finish();
}

TEST_CASE("tours are listed, shown, and refused by name") {
  const Outcome list = ridgepoint({"tour"});
  CHECK(list.code == 0);
  size_t tours = 0;
  for (const auto& file : fs::directory_iterator(variable("RIDGE_SOURCE") + "/assets/tours")) {
    CHECK(list.out.find(file.path().stem().string() + " ") != std::string::npos);
    ++tours;
  }
  const auto json = ridgepoint({"--json", "tour"}).json();
  REQUIRE(json.at("tours").size() == tours);
  REQUIRE(tours >= 5);
  CHECK(json["tours"][0].at("steps").size() > 2);
  const Outcome one = ridgepoint({"tour", "meetup"});
  CHECK(one.code == 0);
  CHECK(one.out.find("Ask: ") != std::string::npos);
  CHECK(one.out.find("- The problem") < one.out.find("Fits: The problem\n"));
  CHECK(one.out.find("Fits: The problem\n") != one.out.npos);
  const Outcome unknown = ridgepoint({"tour", "nowhere"});
  CHECK(unknown.code == 64);
  CHECK(unknown.err.find("first_hour") != std::string::npos);
  CHECK(ridgepoint({"tour", "--rehearse"}).code == 64);
}

TEST_CASE("a step's text stands by itself: no reader has to have taken the steps before it") {
  const std::regex assumes(
      "you (have )?just|just (measured|ran|saw)|(last|previous|earlier) step|step before"
      "|as (you )?(measured|saw) before|does that (rung|tile)"
      "|^(The|These) same (loop|rung|tile|four|eight)");
  const std::regex screen("screen Machine"), led_to("screen Machine \\(Ctrl K, Machine\\)");
  const auto count = [](const std::string& text, const std::regex& what) {
    return std::distance(std::sregex_iterator(text.begin(), text.end(), what), {});
  };
  const auto json = ridgepoint({"--json", "tour"}).json();
  for (const auto& tour : json.at("tours")) {
    for (const auto& step : tour.at("steps")) {
      for (const char* part : {"question", "words"}) {
        const std::string text = step.at(part);
        INFO(tour.at("id") << ": " << text);
        CHECK_FALSE(std::regex_search(text, assumes));
        // At level Learn its tab is not shown.
        CHECK(count(text, screen) == count(text, led_to));
      }
    }
  }
}

TEST_CASE("a rehearsal without a worker leaves no fallback and says so for every step") {
  RIDGE_SKIP_EMULATED(test::kNoExecError);
  Folder folder;
  const Outcome out = ridgepoint({"--worker", "/nonexistent/worker", "--json", "tour", "meetup",
                                  "--rehearse", "--out", folder / "fallbacks"});
  CHECK(out.code == 69);
  const auto json = out.json();
  REQUIRE(json.is_object());
  for (const auto& step : json.at("steps")) {
    CHECK(step.at("run_s").is_null());
    CHECK(step.at("fallback") == "");
    const bool runs = step.at("kind") != "question";
    CHECK(step.at("error").get<std::string>().empty() == !runs);
  }
  CHECK(fs::is_empty(folder / "fallbacks"));
  write_all(folder / "file", "");
  CHECK(ridgepoint({"tour", "meetup", "--rehearse", "--out", folder / "file/x"}).code == 73);
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_CASE("a handout is one page that fetches nothing") {
  Folder folder;
  const std::string page = folder / "gemm.html";
  const Outcome out = ridgepoint({"handout", "gemm", "--out", page});
  if (out.err.find("built without Markdown") != std::string::npos)
    RIDGE_SKIP("this build has no Markdown library");
  REQUIRE(out.code == 0);
  const std::string html = read_all(page);
  CHECK(html.find("<summary>Answer</summary>") != std::string::npos);
  CHECK(html.find("kernels/gemm/") != std::string::npos);
  CHECK_FALSE(std::regex_search(html, std::regex("(src|href)=\"(http|//|file)")));
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("<figure><svg") == std::string::npos);  // no run, no chart
  CHECK(html.find("<figure class=\"diagram\"><svg") != std::string::npos);
  CHECK(html.find("Diagram unavailable") == std::string::npos);
  // On paper a line to write on below each prediction, and nowhere else.
  CHECK(count_of(html, "<strong>Your prediction.</strong>") > 10);
  CHECK(count_of(html, "<span class=\"paper write\">") ==
        count_of(html, "<strong>Your prediction.</strong>"));

  // Of a change that is longer than its place paper shows the inner loop, where the work is.
  CHECK(html.find("++j) row[j] += scale * b[j];</span>") != std::string::npos);
  CHECK(html.find("<thead><tr><th>") != std::string::npos);
  const std::string run = variable("RIDGE_SOURCE") + "/assets/recorded/gemm.h200.fp32_large.jsonl";
  REQUIRE(ridgepoint({"handout", "gemm", run, "--out", page}).code == 0);
  const std::string measured = read_all(page);
  // The ladder answers what the lesson asks: it stands behind the last question, and the answers on paper.
  CHECK(measured.find("<figure><svg") != std::string::npos);
  CHECK(measured.find("class=\"measured\"") > measured.rfind("Your prediction."));
  CHECK(measured.find("class=\"measured\"") > measured.find("class=\"paper answers\""));
  CHECK(measured.find("<details class=\"reveal\">") != std::string::npos);
  CHECK(measured.find("<pre class=\"diff\"><span class=") != std::string::npos);

  CHECK(ridgepoint({"handout", "nothing", "--out", page}).code == 64);
  CHECK(ridgepoint({"handout", "gemm", "--out", folder / "gemm.pdf"}).code == 64);
  CHECK(ridgepoint({"handout", "gemm", "--out", folder / "no/folder.html"}).code == 73);
  CHECK(ridgepoint({"handout", "gemm", folder / "no.jsonl", "--out", page}).code != 0);
}

}  // namespace
}  // namespace ridge::test
