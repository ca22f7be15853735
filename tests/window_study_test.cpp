// Study in the window, headless: cards and their boxes, the quiz, the lesson's answers, links and terms,
// the glossary, and what a metric's name explains.
#include <sstream>

#include "app/window/panels/lesson_tab.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/study.h"
#include "app/window/views/chart_draw.h"
#include "tests/golden.h"
#include "tests/window_fixture.h"

namespace ridge::test {
namespace {

using namespace ridge::window;

constexpr int64_t kDay_s = 86400;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The first widget whose name begins so; empty: none.
std::string widget_with(const Fixture& f, const std::string& prefix) {
  for (const auto& [name, area] : f.driver->shell().widgets()) {
    if (name.starts_with(prefix)) return name;
  }
  return "";
}

TEST_CASE("what is learned goes into the session's run, the latest of each deck and quiz",
          "[study]") {
  Fixture f;
  f.driver->frames(2);
  show_deck(f.state, "gemm");
  answer_card(f.state, true);
  answer_card(f.state, false);
  const Notes& notes = f.session.run().notes();
  CHECK(notes.at("studied cards gemm") == "0 known, 2 answered");  // known is the second box
  CHECK_FALSE(notes.contains("studied quiz gemm"));
  const auto& questions = study_questions();
  REQUIRE(questions);
  const auto question = std::find_if(questions->begin(), questions->end(),
                                     [](const auto& one) { return one.lab == "gemm"; });
  REQUIRE(question != questions->end());
  study::Choice right;
  right.label = "this one";
  right.accepted = true;
  choose(f.state, *question, right);
  CHECK(notes.at("studied quiz gemm") == "1 right, 0 wrong");
  // A run of another session begins with what was known before it.
  const TemporaryFolder folder;
  Fixture later;
  later.state.studying.progress = f.state.studying.progress;
  later.state.history.runs_folder = folder.path + "/runs";
  later.driver->frames(2);
  CHECK(later.session.run().notes().empty());
  WorkRequest request = request_for(RequestType::run, 0);
  request.kernels = {request.kernels[0]};
  REQUIRE(later.session.send(request));
  later.session.measure(later.session.last(RequestType::run), 0, 1e6);
  later.driver->frames(3);
  REQUIRE_FALSE(later.state.history.run_file.empty());
  CHECK(text_of(later.state.history.run_file).find("0 known, 2 answered") != std::string::npos);
}

TEST_CASE("a known card goes up a box and comes later, an unknown one starts again", "[study]") {
  const study::Deck deck{
      "gemm", "GEMM", 10, {{"a", "gemm", "A?", "a."}, {"b", "gemm", "B?", "b."}}};
  study::Progress progress;
  int64_t now_s = 1'000'000'000;
  CHECK(study::next_card(deck, progress, now_s)->id == "a");
  study::answer(progress, deck.cards[0], true, now_s);
  CHECK(progress.cards["a"].box == 1);
  CHECK(study::next_card(deck, progress, now_s)->id == "b");
  study::answer(progress, deck.cards[1], false, now_s + 1);
  // Not known: due at once. Known: after a day, then two, then four.
  CHECK(study::next_card(deck, progress, now_s + 1)->id == "b");
  study::answer(progress, deck.cards[0], true, now_s + 2);
  CHECK(progress.cards["a"].box == 1);  // before it was due
  now_s += kDay_s;
  study::answer(progress, deck.cards[0], true, now_s);
  CHECK(progress.cards["a"].box == 2);
  CHECK_FALSE(study::is_due(progress, deck.cards[0], now_s + 2 * kDay_s - 1));
  CHECK(study::is_due(progress, deck.cards[0], now_s + 2 * kDay_s));
  for (int i = 0; i < 9; ++i) study::answer(progress, deck.cards[0], true, now_s += 20 * kDay_s);
  CHECK(progress.cards["a"].box == study::kBoxes);
  const study::DeckProgress at = study::deck_progress(deck, progress, now_s);
  CHECK(at.known == 1);
  CHECK(at.due == 1);
  study::answer(progress, deck.cards[0], false, now_s);
  CHECK(progress.cards["a"].box == 1);
}

TEST_CASE("progress survives its file, and a damaged file is an error that says where", "[study]") {
  study::Progress progress;
  progress.cards["gemm.order"] = {3, 4, 1, 1000, 2000};
  progress.questions["gemm.fastest"] = {2, 1};
  const auto again = study::parse_progress(study::progress_json(progress), "p.json");
  REQUIRE(again.ok());
  CHECK(study::progress_json(*again) == study::progress_json(progress));
  CHECK(study::load_progress("/nowhere/study.json")->cards.empty());
  for (const char* text :
       {"", "{", "[]", "{}", R"({"format":"ridgepoint-study","version":2})",
        R"({"format":"ridgepoint-study","version":1,"cards":[]})",
        R"({"format":"ridgepoint-study","version":1,"cards":{"a":{"box":9}}})",
        R"({"format":"ridgepoint-study","version":1,"questions":{"a":{"right":-1,"wrong":0}}})"}) {
    INFO(text);
    const auto parsed = study::parse_progress(text, "p.json");
    REQUIRE_FALSE(parsed.ok());
    CHECK(contains(parsed.error().sentence(), "p.json"));
  }
}

TEST_CASE("cards: a key or a click turns, 1 and 2 answer, progress is saved and exported",
          "[window][study]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.studying.path = folder.path + "/data/study.json";
  f.state.settings.export_root = folder.path + "/reports";
  f.driver->type('k');
  REQUIRE(f.state.view.screen == ScreenId::cards);
  const study::Card first = *shown_card(f.state);
  CHECK_FALSE(perform(f.state, "export_progress"));  // there is none yet
  f.driver->type('1');                               // the front is no answer, and no lab is opened
  CHECK(f.state.view.screen == ScreenId::cards);
  CHECK(f.state.studying.progress.cards.empty());
  CHECK_FALSE(f.driver->find("knew"));
  f.driver->type(' ');
  CHECK(f.state.studying.is_turned);
  REQUIRE(f.driver->find("knew"));
  f.driver->type('1');
  CHECK(f.state.studying.progress.cards.at(first.id).box == 1);
  CHECK_FALSE(f.state.studying.is_turned);
  const study::Card second = *shown_card(f.state);
  CHECK(second.id != first.id);
  REQUIRE(f.driver->click("card"));
  CHECK(f.state.studying.is_turned);
  REQUIRE(f.driver->click("again"));
  CHECK(f.state.studying.progress.cards.at(second.id).again == 1);
  const auto saved = study::load_progress(f.state.studying.path);
  REQUIRE(saved.ok());
  CHECK(saved->cards.size() == 2);
  REQUIRE(f.driver->click("export_progress"));
  const std::string made = f.state.written.folder;
  CHECK(contains(made, folder.path));
  CHECK(contains(text_of(made + "/progress.md"), first.front));
  CHECK(contains(text_of(made + "/progress.json"), first.id));
  REQUIRE(f.driver->click("deck:measuring"));
  CHECK(shown_deck(f.state)->lab == "measuring");
  CHECK(shown_card(f.state)->lab == "measuring");
}

TEST_CASE("another deck keeps what is known, and where it is kept", "[window][study]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.studying.path = folder.path + "/study.json";
  f.driver->type('k');
  f.driver->type(' ');
  f.driver->type('1');
  REQUIRE(f.state.studying.progress.cards.size() == 1);
  REQUIRE(f.driver->click("deck:gemm"));
  CHECK(f.state.studying.deck == "gemm");
  CHECK(f.state.studying.progress.cards.size() == 1);
  CHECK(f.state.studying.path == folder.path + "/study.json");
  f.driver->type(' ');
  f.driver->type('1');
  CHECK(study::load_progress(f.state.studying.path)->cards.size() == 2);
}

TEST_CASE("Study opens at the lab in view, once something of it ran", "[window][study]") {
  Fixture f;
  CHECK(shown_deck(f.state)->lab != "gemm");
  REQUIRE(perform(f.state, "run_selected"));
  const WorkRequest request = f.session.last(RequestType::run);
  f.session.measure(request, 0, 1e6);
  f.session.finish(request);
  f.driver->frames(3);
  CHECK(shown_deck(f.state)->lab == "gemm");
  CHECK(shown_question(f.state)->lab == "gemm");
}

TEST_CASE("a deck of which nothing is due says so and can be gone through all the same",
          "[window][study]") {
  Fixture f;
  f.driver->type('k');
  for (size_t i = 0; i < shown_deck(f.state)->cards.size(); ++i) answer_card(f.state, true);
  f.driver->frames(2);
  CHECK(shown_card(f.state) == nullptr);
  CHECK_FALSE(perform(f.state, "turn_card"));
  REQUIRE(f.driver->click("nothing"));
  CHECK(shown_card(f.state) != nullptr);
}

TEST_CASE("damaged progress is said and not written over until it is set aside",
          "[window][study]") {
  Fixture f;
  const TemporaryFolder folder;
  f.state.studying.path = folder.path + "/study.json";
  const std::string damaged = "{\"format\": \"ridgepoint-st";
  std::ofstream(f.state.studying.path) << damaged;
  load_progress(f.state);
  CHECK(contains(f.state.studying.problem, f.state.studying.path));
  f.driver->type('k');
  f.driver->type(' ');
  f.driver->type('1');
  CHECK(f.state.studying.progress.cards.size() == 1);
  CHECK(text_of(f.state.studying.path) == damaged);
  REQUIRE(f.driver->click("new_progress"));
  CHECK(f.state.studying.problem.empty());
  CHECK(text_of(f.state.studying.path + ".damaged") == damaged);
  CHECK(study::load_progress(f.state.studying.path)->cards.size() == 1);
}

/// The question of the largest step of the CPU's ladder, its rungs asked for and measured.
WorkRequest measured_question(Fixture& f, const std::vector<double>& times_ns) {
  f.driver->type('k');
  f.driver->click("study=Quiz");
  f.state.studying.question = "gemm.cpu_largest_step";
  f.driver->frames(2);
  const study::Answer before = answer_of(f.state, *shown_question(f.state));
  CHECK(before.state == study::Answer::State::not_yet);
  CHECK(contains(before.reason, "no answer yet: run"));
  CHECK_FALSE(f.driver->find("choice:0"));
  REQUIRE(f.driver->click("run_question"));
  const WorkRequest request = f.session.last(RequestType::run);
  REQUIRE(request.kernels.size() == times_ns.size());
  CHECK_FALSE(perform(f.state, "run_question"));  // one at a time
  for (size_t i = 0; i < times_ns.size(); ++i)
    f.session.measure(request, static_cast<int>(i), times_ns[i]);
  f.session.finish(request);
  f.driver->frames(3);
  return request;
}

TEST_CASE("of a saved run the quiz asks what it holds first, and offers no run",
          "[window][study]") {
  Fixture f;
  open_run(f.state, source_folder() + "/assets/recorded/gemm.h200.fp32_large.jsonl");
  f.driver->frames(4);
  REQUIRE(f.state.is_replay());
  f.driver->type('k');
  REQUIRE(f.driver->click("study=Quiz"));
  f.driver->frames(2);
  REQUIRE(shown_question(f.state));
  INFO(shown_question(f.state)->id);
  CHECK(answer_of(f.state, *shown_question(f.state)).state == study::Answer::State::answered);
  f.state.studying.question = "gemm.cpu_largest_step";  // chosen in the list: of the CPU's ladder
  f.driver->frames(2);
  CHECK(answer_of(f.state, *shown_question(f.state)).state == study::Answer::State::not_yet);
  CHECK_FALSE(f.driver->find("run_question"));
}

TEST_CASE("the quiz runs what is missing, and the answer is what was measured", "[window][study]") {
  Fixture f;
  measured_question(f, {1e6, 9e5, 1e5, 9e4, 8e4, 7e4, 6e4});
  const study::Answer answer = answer_of(f.state, *shown_question(f.state));
  REQUIRE(answer.state == study::Answer::State::answered);
  size_t wrong = answer.choices.size();
  for (size_t i = 0; i < answer.choices.size(); ++i) {
    CHECK(answer.choices[i].accepted == (answer.choices[i].kernel == "gemm.cpu.loop_order"));
    if (!answer.choices[i].accepted) wrong = i;
  }
  REQUIRE(f.driver->click("choice:" + std::to_string(wrong)));
  CHECK(f.state.studying.progress.questions["gemm.cpu_largest_step"].wrong == 1);
  // The first choice counts: a second changes nothing.
  f.driver->type('1');
  f.driver->type('2');
  CHECK(f.state.studying.progress.questions["gemm.cpu_largest_step"].right == 0);
  CHECK(f.state.studying.chosen.at("gemm.cpu_largest_step") == answer.choices[wrong].label);
  // The figures stand in one picture, and one button goes on to a question that is still open.
  f.driver->frames(2);
  const Area* right = nullptr;
  for (size_t i = 0; i < answer.choices.size(); ++i)
    if (answer.choices[i].accepted) right = f.driver->find("choice_bar:" + std::to_string(i));
  REQUIRE(right);
  CHECK(right->w >= f.driver->find("choice_bar:" + std::to_string(wrong))->w);
  REQUIRE(f.driver->click("next_question"));
  CHECK(f.state.studying.question != "gemm.cpu_largest_step");
  CHECK_FALSE(f.state.studying.progress.questions.contains(f.state.studying.question));
}

TEST_CASE("what the intervals cannot tell apart is right as well", "[window][study]") {
  Fixture f;
  measured_question(f, {1e6, 5e5, 2.5e5, 1.25e5, 1.2e5, 1.1e5, 1e5});
  const study::Answer answer = answer_of(f.state, *shown_question(f.state));
  REQUIRE(answer.state == study::Answer::State::answered);
  int accepted = 0;
  for (const study::Choice& choice : answer.choices) accepted += choice.accepted;
  CHECK(accepted == 3);
  f.driver->type('2');  // a key chooses too
  CHECK(f.state.studying.progress.questions["gemm.cpu_largest_step"].right == 1);
  f.driver->frames(2);
  CHECK(f.driver->find("verdict:Right."));
}

TEST_CASE("where most choices may be right, none is marked, and nothing is counted",
          "[window][study]") {
  Fixture f;
  measured_question(f, {1e6, 5e5, 2.5e5, 1.25e5, 6.25e4, 6e4, 5.9e4});
  const study::Answer answer = answer_of(f.state, *shown_question(f.state));
  REQUIRE(answer.state == study::Answer::State::answered);
  REQUIRE(answer.is_open);
  CHECK(answer.explanation.find("none is right or wrong here") != std::string::npos);
  f.driver->type('2');
  f.driver->frames(2);
  CHECK_FALSE(f.state.studying.progress.questions.contains("gemm.cpu_largest_step"));
  CHECK(f.driver->find("verdict:These results leave it open."));
}

constexpr const char* kLesson =
    "# All\n\nA cache line, and a cache line.\n\n## gemm.cpu.naive_o1 · loops\n\n"
    "A cache line again: [the loop](<code:for (i \\< n)>). `cache line`\n\n"
    "> **Question.** Why?\n\n> **Answer.** Because.\n>\n> And so.\n\nAfter.\n\n"
    "> Only a quote.\n\n> **Question.** How?\n\n> **Answer.** So.\n";

TEST_CASE("a lesson's words know their links, terms once a part, and answers their question",
          "[study]") {
  const auto blocks = lesson_blocks({{{kLesson}}, {}}, *find_lab("gemm"));
  std::vector<std::string> terms, codes, questions, answers;
  for (const LessonBlock& block : blocks) {
    for (const Word& word : block.words) {
      if (word.term == "Cache line" && word.text == "line") terms.push_back(block.part);
      if (!word.link.empty() && word.text == "the") codes.push_back(word.link);
    }
    if (!block.question.empty()) (block.is_answer ? answers : questions).push_back(block.question);
    CHECK((block.block.kind != Block::Kind::heading || block.title.find("gemm.") != 0));
  }
  CHECK(terms == std::vector<std::string>{"All", "gemm.cpu.naive_o1"});
  CHECK(codes == std::vector<std::string>{"code:for (i < n)"});
  const std::string part = "gemm.cpu.naive_o1";
  CHECK(questions == std::vector<std::string>{part + "#0", part + "#1"});
  CHECK(answers == std::vector<std::string>{part + "#0", part + "#0", part + "#1"});
}

TEST_CASE("a figure of a lesson knows its source, in prose and in a table", "[study]") {
  figure::Text text;
  text.pieces = {
      {"# All\n\nIt takes "}, {"", 0}, {", they say.\n\n| a |\n| --- |\n| "}, {"", 1}, {" |\n"}};
  figure::Figure here, there;
  here.text = "2 ms";
  here.source = "measured here";
  there.text = "1 ms";
  there.source = "recorded there";
  there.is_recorded = true;
  text.figures = {here, there};
  std::string in_prose, cell;
  for (const LessonBlock& block : lesson_blocks(text, *find_lab("gemm"))) {
    for (const Word& word : block.words) {
      if (word.figure == "measured here" && !word.is_recorded) in_prose += word.text + " ";
    }
    const bool in_row = block.block.kind == Block::Kind::row && !block.block.header;
    if (in_row && block.cells.at(0) == "recorded there") cell = block.block.runs.at(0).text;
  }
  CHECK(in_prose == "2 ms ");
  CHECK(cell == "1 ms†");
}

TEST_CASE("a figure of the lesson says where it comes from when it is hovered", "[window][study]") {
  Fixture f(1600, 12000);
  select_rung(f.state, "gemm.cuda.coalesced");
  f.driver->type('l');
  f.driver->frames(2);
  const std::string figure = widget_with(f, "figure:gemm.cuda.coalesced");
  REQUIRE_FALSE(figure.empty());
  const int before = f.driver->triangles();
  REQUIRE(f.driver->hover(figure));
  f.driver->frames(30);  // longer than a tooltip waits
  CHECK(f.driver->triangles() > before + 50);
  CHECK(f.driver->find("tooltip"));
}

TEST_CASE("the lesson's answer opens by click and key, its link leads to the line",
          "[window][study]") {
  Fixture f(1600, 12000);  // all of the lesson is in it: text out of sight has no triangles
  select_rung(f.state, "gemm.cpu.naive_o1");
  f.driver->type('l');
  f.driver->frames(2);
  const std::string answer = "answer:gemm.cpu.naive_o1#0";
  REQUIRE(f.driver->hover(answer));  // as it is after each click, with the line lit
  const int folded = f.driver->triangles();
  REQUIRE(f.driver->click(answer));
  const int open = f.driver->triangles();
  CHECK(open > folded + 150);
  REQUIRE(f.driver->click(answer));
  CHECK(f.driver->triangles() < (folded + open) / 2);  // a frame about what has the focus may stay
  f.driver->type('a');
  CHECK(f.driver->triangles() > folded + 50);
  f.driver->type('a');

  const std::string link = widget_with(f, "link:gemm.cpu.naive_o1:code:");
  REQUIRE_FALSE(link.empty());
  REQUIRE(f.driver->click(link));
  CHECK(f.state.view.tab == Tab::source);
  // The fixture's source is not the real one: the place is not in it, and that is said.
  CHECK(contains(f.state.notice.text, "does not hold the place"));
  CHECK_FALSE(f.driver->find("marked_line"));
  follow_code(f.state, "gemm.cpu.loop_order", "int   b;");
  f.driver->frames(2);
  CHECK(f.state.selection.rung == "gemm.cpu.loop_order");
  REQUIRE(f.driver->find("marked_line"));
  select_rung(f.state, "gemm.cpu.naive_o1");
  f.driver->frames(2);
  CHECK_FALSE(f.driver->find("marked_line"));
}

TEST_CASE("a term of the lesson opens the glossary, which is searched and read there",
          "[window][study]") {
  Fixture f(1600, 2000);
  f.driver->type('l');
  std::string
      term;  // a word leads to the glossary where it stands first: in which part is the lesson's matter
  for (const std::string rung : {"naive_o1", "loop_order", "cache_blocks", "packed", "threads"}) {
    if (!term.empty()) break;
    select_rung(f.state, "gemm.cpu." + rung);
    f.driver->frames(2);
    term = widget_with(f, "term:gemm.cpu." + rung + ":");
  }
  REQUIRE_FALSE(term.empty());
  REQUIRE(f.driver->click(term));
  REQUIRE(f.state.view.show_glossary);
  CHECK(contains(term, f.state.view.glossary_term));
  for (const char c : std::string("zero")) f.driver->type(c);
  CHECK(f.state.view.glossary_term == "ZeRO");
  CHECK(f.state.view.screen == ScreenId::lab);  // letters are looked for, and do nothing else
  const std::string other = widget_with(f, "see:");
  if (!other.empty()) {
    REQUIRE(f.driver->click(other));
    CHECK(other == "see:" + f.state.view.glossary_term);
  }
  f.driver->key(compat::Key::escape);
  CHECK_FALSE(f.state.view.show_glossary);
  f.driver->type('w');
  CHECK(f.state.view.show_glossary);
  CHECK(f.state.view.glossary_typed.empty());  // the key is not the first letter
}

TEST_CASE("a metric's name explains it wherever it stands", "[window][study]") {
  CHECK(contains(metric_text("utilization"), "ceiling measured on this machine"));
  CHECK(metric_text("no_such_metric").empty());
  CHECK(metric_of_field("power_w") == "power");
  Fixture f;
  f.run_all();
  REQUIRE(f.driver->find("heading:0"));
  REQUIRE(f.driver->hover("heading:0"));
  f.driver->frames(30);  // longer than a tooltip waits
  CHECK(f.driver->find("tooltip"));
}

}  // namespace
}  // namespace ridge::test
