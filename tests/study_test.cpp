// The loaders of app/study and every file that ships: what one names must exist elsewhere. The quiz's
// rules: tests/quiz_test.cpp.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "app/study/assets.h"
#include "app/study/cards.h"
#include "app/study/glossary.h"
#include "app/study/lesson.h"
#include "app/study/quiz.h"
#include "app/study/tour.h"
#include "common/harness/kernel/registry.h"
#include "labs/lab.h"
#include "tests/catch.h"
#include "tests/synthetic_run.h"

using namespace ridge;
using namespace ridge::study;
using test::contains;

namespace {

const Glossary& glossary() {
  static const auto loaded = load_glossary();
  REQUIRE(loaded.ok());
  return *loaded;
}

void check_terms(const std::vector<std::string>& see) {
  for (const std::string& term : see) {
    INFO(term);
    CHECK(glossary().find(term) != nullptr);
  }
}

/// The sentence that a bad glossary gives.
std::string glossary_error(const std::string& text) {
  const auto parsed = Glossary::parse(text, "g.md");
  return parsed ? "" : parsed.error().sentence();
}

std::string mentioned(const Glossary& of, std::string_view text) {
  std::string all;
  for (const Mention& one : of.mentions(text)) {
    all += (all.empty() ? "" : "|") + std::string(text.substr(one.at, one.size)) + "=" +
           of.terms()[static_cast<size_t>(one.term)].name;
  }
  return all;
}

int sentences(const std::string& text) {
  static const std::regex kEnd("[.!?](\\s|$)");
  return static_cast<int>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), kEnd), std::sregex_iterator()));
}

std::string read_file(const std::string& name) {
  const char* root = std::getenv("RIDGE_SOURCE");
  std::ifstream file(std::string(root ? root : ".") + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a text comes from the program, or from RIDGEPOINT_ASSETS where it is there") {
  const auto built_in = read_asset("assets/glossary.md");
  REQUIRE(built_in.ok());
  CHECK(*built_in == read_file("assets/glossary.md"));
  const auto folder = std::filesystem::temp_directory_path() / "ridge_study_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "glossary.md") << "## Mine\n\nText.\n";
  setenv("RIDGEPOINT_ASSETS", folder.c_str(), 1);
  CHECK(read_asset("assets/glossary.md").ok());
  CHECK(*read_asset("assets/glossary.md") == "## Mine\n\nText.\n");
  CHECK(*read_asset("assets/metrics.json") == read_file("assets/metrics.json"));
  unsetenv("RIDGEPOINT_ASSETS");
  std::filesystem::remove_all(folder);
  const auto missing = read_asset("assets/nothing.md");
  REQUIRE_FALSE(missing.ok());
  CHECK(contains(missing.error().sentence(), "assets/nothing.md"));
}

TEST_CASE("the glossary: enough terms, each with one to four sentences, by name") {
  CHECK(glossary().terms().size() >= 100);
  std::string before;
  for (const Term& term : glossary().terms()) {
    INFO(term.name);
    CHECK(sentences(term.text) >= 1);
    CHECK(sentences(term.text) <= 4);
    std::string key = term.name;
    for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    CHECK(before < key);
    before = key;
  }
  for (const char* name :
       {"ZeRO", "tensor parallelism", "pipeline parallelism", "mixture of experts", "XLA",
        "TensorRT", "ONNX Runtime", "OpenVINO", "DALI", "GPUDirect Storage", "NVLink topology",
        "distillation", "speculative decoding", "KV cache"}) {
    INFO(name);
    CHECK(glossary().find(name) != nullptr);
  }
}

TEST_CASE("terms are found by alias and in a text, the longest name first") {
  const auto parsed = Glossary::parse(
      "# G\n\nintro\n\n## Cache\n\nA.\n\n## SM\nAlso: streaming multiprocessor\n\nB.\nC.\n\n"
      "## Cache line\n\nD.\n",
      "g.md");
  REQUIRE(parsed.ok());
  const Glossary& made = *parsed;
  CHECK(made.find("STREAMING multiprocessor") == made.find("sm"));
  CHECK(made.find("sm")->text == "B. C.");
  CHECK(made.find("warp") == nullptr);
  CHECK(mentioned(made, "Caches and cache\nlines of an SM") ==
        "Caches=Cache|cache\nlines=Cache line|SM=SM");
  CHECK(mentioned(made, "132 SMs: sm_90, cached, precache, smell") == "SMs=SM");
  CHECK(mentioned(glossary(), "ZeRO, not zero; tensor parallelism") ==
        "ZeRO=ZeRO|tensor parallelism=Tensor parallelism");
}

TEST_CASE("a bad glossary is one sentence with its line") {
  CHECK(contains(glossary_error("## A\n\nx.\n\n## a\n\ny.\n"), "g.md:5: 'a' is the name"));
  CHECK(contains(glossary_error("## A\nAlso: b\n\nx.\n\n## B\n\ny.\n"), "g.md:6"));
  CHECK(contains(glossary_error("## A\n\n## B\n\ny.\n"), "'A' has no text"));
  CHECK(contains(glossary_error("## A\n"), "'A' has no text"));
  CHECK(contains(glossary_error("nothing"), "no terms"));
  CHECK(contains(glossary_error("## A\nAlso: ,x\n\ny.\n"), "g.md:2"));
}

TEST_CASE("cards: at least 70, what they name exists, no id twice") {
  const auto decks = load_decks();
  if (!decks) FAIL(decks.error().sentence());
  std::set<std::string> ids, labs;
  std::set<double> places;
  for (const Deck& deck : *decks) {
    labs.insert(deck.lab);
    CHECK(places.insert(deck.place).second);
    const Lab* lab = find_lab(deck.lab);
    for (const Card& card : deck.cards) {
      INFO(card.id);
      CHECK(ids.insert(card.id).second);
      CHECK(card.front.size() < 200);
      CHECK(sentences(card.back) >= 1);
      CHECK(sentences(card.back) <= 4);
      CHECK(!card.see.empty());
      check_terms(card.see);
      if (card.rung.empty()) continue;
      REQUIRE(lab != nullptr);
      CHECK(find_rung(*lab, card.rung).ok());
    }
  }
  CHECK(ids.size() >= 70);
  CHECK(labs.count("measuring") == 1);
  for (const Lab* lab : all_labs()) {
    INFO(lab->id);
    CHECK(labs.count(lab->id) == 1);
  }
  CHECK(decks->front().lab == "measuring");
}

TEST_CASE("a bad card is one sentence with file, card and field") {
  const auto error = [](const std::string& cards) {
    const auto parsed =
        parse_deck(R"({"lab":"x","title":"X","place":1,"cards":)" + cards + "}", "c.json");
    return parsed ? "" : parsed.error().sentence();
  };
  const std::string good = R"({"id":"x.a","front":"f","back":"b"})";
  CHECK(error("[" + good + "]") == "");
  CHECK(contains(error("[" + good + "," + good + "]"), "c.json, card 2: 'id' x.a is there"));
  CHECK(contains(error(R"([{"id":"x.a","front":"f"}])"), "card 1: 'back' is missing"));
  CHECK(contains(error(R"([{"id":"y.a","front":"f","back":"b"}])"), "'id' does not begin with x."));
  CHECK(
      contains(error(R"([{"id":"x.a","front":"f","back":"b","sea":[]}])"), "'sea' is not a field"));
  CHECK(contains(error(R"([{"id":"x.a","front":"f","back":"b","see":[1]}])"), "'see'"));
  CHECK(contains(error("[]"), "'cards' is empty"));
}

TEST_CASE("lesson parts: questions, links with escapes, anchors found whatever the white space") {
  const auto parts = lesson_parts(
      "# T\n\nintro\n\n## a.b.c · title\n\n[x](<code:if (a \\< b\\>c)>) [y](http://z) "
      "[set *r*](<set:r=1 pad=0>)\n\n"
      "> a quote\n\n> **Question.** Why\n> so?\n\n> **Answer.** Because.\n\n## Other\n");
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].heading.empty());
  CHECK(parts[1].kernel == "a.b.c");
  CHECK(parts[2].kernel.empty());
  REQUIRE(parts[1].links.size() == 2);
  CHECK(parts[1].links[0].label == "x");
  CHECK(parts[1].links[0].target == "if (a < b>c)");
  CHECK(parts[1].links[1].kind == LessonLink::Kind::set);
  CHECK(parts[1].links[1].label == "set *r*");
  CHECK(parts[1].links[1].target == "r=1 pad=0");
  REQUIRE(parts[1].questions.size() == 1);
  CHECK(parts[1].questions[0].question == "Why\nso?");
  CHECK(parts[1].questions[0].answer == "Because.");

  CHECK(lesson_link("code:x y")->target == "x y");
  CHECK_FALSE(lesson_link("http://x"));
  CHECK_FALSE(lesson_link("code:"));
  CHECK(anchor_line("a\nfor (;;)  {\n  b();\n", "for (;;) { b();") == 2);
  CHECK(anchor_line("ab\nab", "ab") == 1);
  CHECK_FALSE(anchor_line("a\nb", "c"));
  CHECK_FALSE(anchor_line("a b", "ab"));
  CHECK_FALSE(anchor_line("a", " "));
}

TEST_CASE("every rung's part of a lesson has a question and links that lead into its source") {
  for (const Lab* lab : all_labs()) {
    INFO(lab->lesson);
    const auto text = read_asset(lab->lesson);
    REQUIRE(text.ok());
    // In Markdown a link's destination ends at the first > without a backslash: the rest would be prose.
    for (size_t at = 0; (at = text->find("](<code:", at)) != text->npos;) {
      at += 8;
      size_t end = at;
      while ((*text)[end] != '>') end += (*text)[end] == '\\' ? 2 : 1;
      INFO(text->substr(at, 60));
      CHECK((*text)[end + 1] == ')');
    }
    std::set<std::string> seen;
    for (const LessonPart& part : lesson_parts(*text)) {
      INFO(part.heading);
      if (part.kernel.empty()) {
        for (const LessonLink& link : part.links) CHECK(link.kind != LessonLink::Kind::code);
        continue;
      }
      seen.insert(part.kernel);
      CHECK(find_rung(*lab, part.kernel).ok());
      const KernelSource* source = find_source(part.kernel);
      REQUIRE(source != nullptr);
      for (const LessonLink& link : part.links) {
        INFO(link.target);
        if (link.kind != LessonLink::Kind::code) continue;
        CHECK(anchor_line(source->text, link.target).has_value());
      }
      REQUIRE(part.questions.size() == 1);
      CHECK(part.questions[0].answer.size() > 40);
    }
    for (const Rung& rung : lab->rungs) {
      INFO(rung.kernel);
      CHECK(seen.count(rung.kernel) == 1);
    }
  }
}

/// Between two rungs of ours that a step compares lies one idea: what its question says has changed.
void check_one_idea(const TourStep& step) {
  if (step.kind != StepKind::compare || step.rungs[0] == step.rungs[1]) return;
  const Lab& lab = *find_lab(step.lab);
  const auto baseline = find_rung(lab, step.rungs[0]), candidate = find_rung(lab, step.rungs[1]);
  REQUIRE(baseline.ok());
  REQUIRE(candidate.ok());
  INFO(step.question);
  if (!(*baseline)->peer && !(*candidate)->peer)
    CHECK(previous_rung(lab, **candidate) == *baseline);
}

TEST_CASE("tours: every step is what its lab can do, and the minutes add up") {
  const std::vector<std::string> ids = tour_ids();
  CHECK(ids.size() >= 5);
  int place = 0;
  for (const std::string& id : ids) {
    const auto tour = load_tour(id);
    if (!tour) FAIL(tour.error().sentence());
    CHECK(tour->steps.size() >= 4);
    CHECK(tour->place > std::exchange(place, tour->place));  // no two share one
    for (const TourStep& step : tour->steps) check_one_idea(step);
  }
  CHECK(load_tour("nowhere").error().code == ErrorCode::usage);
}

TEST_CASE("a bad tour is one sentence with file, step and field") {
  const auto error = [](const std::string& step, const std::string& minutes = "1") {
    const auto parsed = parse_tour(R"({"id":"t","title":"T","audience":"A","place":1,"minutes":)" +
                                       minutes + ",\"steps\":[" + step + "]}",
                                   "t.json");
    return parsed ? "" : parsed.error().sentence();
  };
  // Without a field where `more` has its own.
  const auto step = [](const std::string& more) {
    std::string text = "{";
    const std::pair<const char*, const char*> kFields[] = {
        {"kind", "\"run\""}, {"lab", "\"gemm\""},   {"rungs", "[\"loop_order\"]"},
        {"ask", "\"time\""}, {"question", "\"q\""}, {"words", "\"w\""},
        {"minutes", "1"}};
    for (const auto& [name, value] : kFields) {
      if (more.find("\"" + std::string(name) + "\":") != std::string::npos) continue;
      text += (text.size() > 1 ? "," : "") + ("\"" + std::string(name) + "\":") + value;
    }
    return text + more + "}";
  };
  CHECK(error(step("")) == "");
  CHECK(error(step(R"(,"set":{"n":512,"threads":1})")) == "");
  CHECK(contains(error(step(""), "2"), "t.json: 'minutes' is 2, but the steps take 1"));
  CHECK(contains(error(step(R"(,"set":{"n":500})")), "t.json, step 1: 'set' puts n at 500"));
  CHECK(contains(error(step(R"(,"set":{"x":1})")), "'set' names 'x'"));
  CHECK(contains(error(step(R"(,"set":{"n":1.5})")), "'set' gives n neither"));
  CHECK(contains(error(step(R"(,"mode":"slow")")), "'mode'"));
  CHECK(contains(error(step(R"(,"wrods":"")")), "'wrods' is not a field"));
  CHECK(contains(error(step(R"(,"lab":"none")")), "'lab' is 'none', which this build does not"));
  CHECK(contains(error(step(R"(,"rungs":["pytorch"])")), "'rungs' names 'pytorch'"));
  CHECK(contains(error(step(R"(,"rungs":[])")), "'rungs' is missing"));
  CHECK(contains(error(step(R"(,"minutes":0)")), "'minutes' is not above zero"));
  CHECK(contains(error("{"), "t.json"));

  // Kinds, and what each may ask.
  CHECK(contains(error(step(R"(,"kind":"dance")")),
                 "t.json, step 1: 'kind' is 'dance'; it is one of run, compare, sweep"));
  CHECK(contains(error(step(R"(,"kind":"compare")")), "'rungs' are 1; a comparison has two"));
  const std::string two = R"(,"rungs":["naive_o1","loop_order"])";
  CHECK(error(step(R"(,"kind":"compare","ask":"verdict")" + two)) == "");
  CHECK(error(step(R"(,"kind":"compare","ask":"ratio","rungs":["naive_o1","naive_o1"])")) == "");
  CHECK(contains(error(step(R"(,"ask":"verdict")" + two)), "only a comparison has one"));
  CHECK(contains(error(step(R"(,"ask":"love")")), "'ask' is 'love'; it is one of time"));
  CHECK(contains(error(step(R"(,"ask":"ratio")")), "'ask' is 'ratio', which needs more bars"));
  CHECK(contains(error(step(R"(,"ask":"largest_step")" + two)), "needs more bars"));
  CHECK(error(step(R"(,"kind":"sweep","ask":"longest","sizes":[256,512])")) == "");
  CHECK(contains(error(step(R"(,"kind":"sweep")")), "'sizes' do not fit the kind"));
  CHECK(contains(error(step(R"(,"kind":"sweep","sizes":[256,300])")), "puts n at 300"));
  CHECK(contains(error(step(R"(,"sizes":[256,512])")), "'sizes' do not fit the kind"));
  const std::string sides = R"(,"kind":"side by side","ask":"ratio","sides":[)";
  const std::string hot = R"({"label":"hot"})", cold = R"({"label":"cold","cache":"cold"})";
  CHECK(error(step(sides + hot + "," + cold + "]")) == "");
  CHECK(contains(error(step(sides + hot + "]")), "'sides' do not fit the kind"));
  CHECK(contains(error(step(sides + R"({"set":{"n":512}},)" + hot + "]")), "'label' is missing"));
  const std::string choice = R"(,"kind":"question","ask":"choice","choices":["a","b"],"right":)";
  CHECK(error(step(choice + "2")) == "");
  CHECK(contains(error(step(choice + "3")), "'right' is no place among the choices"));
  CHECK(contains(error(step(R"(,"kind":"question")")), "a question has choices"));
  CHECK(contains(error(step(R"(,"right":1)")), "'right' is there without choices"));
}

TEST_CASE("quiz questions that ship name rungs of their lab and terms of the glossary") {
  size_t questions = 0;
  std::set<std::string> rules;
  for (const Lab* lab : all_labs()) {
    const auto quiz = load_quiz(lab->id);
    if (!quiz) FAIL(quiz.error().sentence());
    for (const Question& question : *quiz) {
      INFO(question.id);
      CHECK(question.lab == lab->id);
      for (const std::string& kernel : question.rungs) {
        const auto rung = find_rung(*lab, kernel);
        REQUIRE(rung.ok());
        CHECK((*rung)->kernel == kernel);  // the full id, not a short name
      }
      check_terms(question.see);
      rules.insert(question.rule);
      ++questions;
    }
  }
  CHECK(questions >= 8);
  CHECK(rules.size() >= 8);
  CHECK(load_quiz("no_such_lab")->empty());
}

namespace {

/// Every number of the JSON document, as the schema names it; "value" goes by what it is the value of.
void add_numbers(const Json& schema, const std::string& name, std::set<std::string>* names) {
  if (schema.is_array()) {
    for (const Json& one : schema) add_numbers(one, name, names);
  }
  if (!schema.is_object()) return;
  const std::string type = schema.contains("type") ? schema["type"].dump() : "";
  if (contains(type, "number") || contains(type, "integer")) names->insert(name);
  for (const char* inside : {"items", "anyOf", "additionalProperties"}) {
    if (schema.contains(inside)) add_numbers(schema[inside], name, names);
  }
  if (!schema.contains("properties")) return;
  for (const auto& [key, value] : schema["properties"].items())
    add_numbers(value, key == "value" ? name : key, names);
}

std::set<std::string> matches(const std::string& folder, const std::string& pattern) {
  const char* root = std::getenv("RIDGE_SOURCE");
  const std::regex regex(pattern);
  std::set<std::string> found;
  namespace fs = std::filesystem;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(root ? root : ".") / folder)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    const std::string all = text.str();
    for (std::sregex_iterator at(all.begin(), all.end(), regex), end; at != end; ++at)
      found.insert((*at)[1].str());
  }
  return found;
}

}  // namespace

TEST_CASE("every metric in use has its entry: charts, telemetry, the JSON document") {
  const auto metrics = load_metrics();
  if (!metrics) FAIL(metrics.error().sentence());
  std::set<std::string> fields;
  for (const auto& [key, metric] : *metrics) {
    for (const std::string& field : metric.json) {
      INFO(field);
      CHECK(fields.insert(field).second);  // one metric a field
    }
  }
  const auto panels = matches("common/view/chart", "\\.metric = \"(\\w+)\"");
  CHECK(panels.size() >= 5);
  for (const std::string& key : panels) {
    INFO(key);
    CHECK(metrics->count(key) == 1);
  }
  std::set<std::string> used =
      matches("common/harness/measure", "(?:values|last_)\\[\"(\\w+)\"\\]");
  CHECK(used.size() >= 4);
  used.merge(matches("worker", "values\\[\"(\\w+)\"\\]"));
  const auto schema = parse_json(read_file("docs/schema/document.schema.json"), "schema");
  REQUIRE(schema.ok());
  const size_t before = used.size();
  for (const char* part : {"result", "comparison", "ceiling"})
    add_numbers((*schema)["definitions"][part], part, &used);
  CHECK(used.size() >= before + 20);
  // Names of a task's or curve's own values are the lab's; a demand has the unit of what it is about.
  for (const char* open : {"params", "task", "values", "budget", "limit"}) used.erase(open);
  for (const std::string& field : used) {
    INFO(field);
    CHECK(fields.count(field) == 1);
  }
}

TEST_CASE("a bad metric is one sentence with file, metric and field") {
  const auto error = [](const std::string& text) {
    const auto parsed = parse_metrics(text, "m.json");
    return parsed ? "" : parsed.error().sentence();
  };
  CHECK(error(R"({"a":{"name":"A","formula":"f","why":"w"}})") == "");
  CHECK(contains(error(R"({"a":{"name":"A","why":"w"}})"), "metric a: 'formula' is missing"));
  CHECK(
      contains(error(R"({"a":{"name":"A","formula":"f","why":"w","better":"more"}})"), "'better'"));
  CHECK(contains(error(R"({"a":{"name":"A","formula":"f","why":"w","wy":""}})"), "'wy'"));
  CHECK(contains(error("[]"), "m.json"));
}
