#include "app/window/teach/study.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>

#include "app/query/reporting.h"
#include "app/session/shared_file.h"
#include "app/study/glossary.h"
#include "app/window/shell/screens.h"
#include "app/window/teach/predict.h"
#include "common/core/files.h"
#include "common/record/studied_note.h"

namespace ridge::window {
namespace fs = std::filesystem;
namespace {

int64_t now_s() {
  return static_cast<int64_t>(std::time(nullptr));
}

Result<std::vector<study::Question>> all_questions() {
  std::vector<study::Question> all;
  for (const Lab* lab : all_labs()) {
    RIDGE_TRY(std::vector<study::Question> some, study::load_quiz(lab->id));
    for (study::Question& one : some) all.push_back(std::move(one));
  }
  return all;
}

const Result<study::Metrics>& study_metrics() {
  static const auto kMetrics = study::load_metrics();
  return kMetrics;
}

void save_progress(State& state) {
  if (state.studying.path.empty() || !state.studying.problem.empty()) return;
  const auto written = app::write_shared(
      state.studying.path, study::progress_json(state.studying.progress), &state.studying.kept);
  if (!written) state.notice = {"Progress is not saved. " + written.error().sentence(), true};
}

/// Of each deck and each lab's quiz of which something was answered.
std::vector<StudiedNote> all_studied(const study::Progress& progress) {
  std::vector<StudiedNote> all;
  if (const auto& decks = study_decks()) {
    for (const study::Deck& deck : *decks) {
      const study::DeckProgress known = study::deck_progress(deck, progress, now_s());
      if (known.answered > 0)
        all.push_back({Studied::cards, deck.lab, known.known, known.answered});
    }
  }
  std::map<std::string, StudiedNote> quizzes;  // by lab
  if (const auto& questions = study_questions()) {
    for (const study::Question& question : *questions) {
      const auto known = progress.questions.find(question.id);
      if (known == progress.questions.end()) continue;
      StudiedNote& quiz =
          quizzes.try_emplace(question.lab, StudiedNote{Studied::quiz, question.lab}).first->second;
      quiz.first += known->second.right;
      quiz.second += known->second.wrong;
    }
  }
  for (const auto& [lab, quiz] : quizzes) all.push_back(quiz);
  return all;
}

// ---- what the actions do ----

bool is_on_cards(const State& state) {
  return state.view.screen == ScreenId::cards && !state.studying.is_quiz;
}

std::string card_blocker(const State& state) {
  if (!is_on_cards(state)) return "Open the study cards first (K).";
  return shown_card(state) ? "" : "No card of this deck is due.";
}

void turn_card(State& state) {
  // Pinned while it is looked at: another may become due meanwhile.
  state.studying.card = shown_card(state)->id;
  state.studying.is_turned = !state.studying.is_turned;
}

std::string question_run_blocker(const State& state) {
  const study::Question* question = shown_question(state);
  if (!question) return "This build has no quiz.";
  if (std::string why = work_blocker(state); !why.empty()) return why;
  return answer_of(state, *question).run.empty() ? "Nothing is missing for this question." : "";
}

void run_question(State& state) {
  const study::Question& question = *shown_question(state);
  WorkRequest request = request_for(state, RequestType::run);
  request.lab = question.lab;
  request.kernels = answer_of(state, question).run;
  send(state, std::move(request), &state.requests.run);
}

std::string progress_export_blocker(const State& state) {
  if (state.studying.progress.cards.empty() && state.studying.progress.questions.empty())
    return "There is no progress yet: answer a card or a question first.";
  return study_decks() ? "" : study_decks().error().sentence();
}

Result<std::string> write_progress(const State& state) {
  RIDGE_TRY(const std::string folder, app::make_report_folder(state.settings.export_root, "study"));
  RIDGE_TRY_VOID(
      write_whole(folder + "/progress.json", study::progress_json(state.studying.progress)));
  RIDGE_TRY_VOID(
      write_whole(folder + "/progress.md",
                  study::progress_markdown(*study_decks(), state.studying.progress, now_s())));
  return folder;
}

void export_progress(State& state) {
  const auto folder = write_progress(state);
  if (!folder) {
    state.notice = {"Export failed. " + folder.error().sentence(), true};
    return;
  }
  note_written(state, "study progress (JSON, Markdown)", *folder + "/progress.md",
               study::progress_markdown(*study_decks(), state.studying.progress, now_s()));
}

std::string new_progress_blocker(const State& state) {
  return state.studying.problem.empty() ? "The saved progress is in order." : "";
}

/// The damaged file is kept under another name, since a person may be able to mend it.
void start_progress_over(State& state) {
  std::error_code error;
  fs::rename(state.studying.path, state.studying.path + ".damaged", error);
  if (error) {
    state.notice = {"The damaged file could not be set aside: " + error.message() + ".", true};
    return;
  }
  state.studying.problem.clear();
  state.notice = {"The damaged file is kept as " + state.studying.path + ".damaged.", false};
  save_progress(state);
}

std::string glossary_blocker(const State&) {
  return study_glossary() ? "" : study_glossary().error().sentence();
}

/// Whether a key of State::view.open_answers opens something beside the rung in view: of its part, or of no rung's.
bool opens_here(const State& state, const std::string& key) {
  if (key.starts_with("all ")) return key == key_of_all(state);
  const Rung* of = rung_of(key.substr(0, key.find_first_of("#? ")));
  return !of || state.selection.rung == of->kernel;
}

/// Of the rung in view, and in a tour of the step in view: the next one's answers are still to be asked for.
void toggle_lesson_answers(State& state) {
  auto& open = state.view.open_answers;
  const auto folded =
      std::erase_if(open, [&](const std::string& key) { return opens_here(state, key); });
  if (folded == 0) open.insert(key_of_all(state));
  state.ladder.dirty = true;
}

}  // namespace

const Result<std::vector<study::Deck>>& study_decks() {
  static const auto kDecks = study::load_decks();
  return kDecks;
}

const Result<std::vector<study::Question>>& study_questions() {
  static const auto kQuestions = all_questions();
  return kQuestions;
}

const Result<study::Glossary>& study_glossary() {
  static const auto kGlossary = study::load_glossary();
  return kGlossary;
}

std::string plain_text(const study::Term& term) {
  std::string text = term.text;
  std::erase(text, '`');
  return text;
}

std::string metric_text(const std::string& key) {
  const auto& metrics = study_metrics();
  if (!metrics || !metrics->contains(key)) return "";
  const study::Metric& metric = metrics->at(key);
  std::string text = metric.name;
  if (!metric.unit.empty()) text += " in " + metric.unit;
  if (!metric.better.empty()) text += ", " + metric.better + " is better";
  return text + "\n" + metric.formula + "\n" + metric.why;
}

std::string metric_of_field(const std::string& field) {
  const auto& metrics = study_metrics();
  if (!metrics) return "";
  for (const auto& [key, metric] : *metrics) {
    if (std::find(metric.json.begin(), metric.json.end(), field) != metric.json.end()) return key;
  }
  return "";
}

std::string metric_of_title(const std::string& title) {
  const auto& metrics = study_metrics();
  if (!metrics) return "";
  for (const auto& [key, metric] : *metrics) {
    const auto& columns = metric.columns;
    if (metric.name == title || std::find(columns.begin(), columns.end(), title) != columns.end())
      return key;
  }
  return "";
}

namespace {

/// The lab in view once something of it ran: its cards and its questions come first. Empty: nothing has.
std::string studied_lab(const State& state) {
  const Lab* lab = state.selection.lab;
  const auto& all = state.run().series();
  const bool has_run =
      lab && std::any_of(all.begin(), all.end(), [&](const Series& series) {
        return std::any_of(lab->rungs.begin(), lab->rungs.end(),
                           [&](const Rung& rung) { return series.kernel == rung.kernel; });
      });
  return has_run ? lab->id : std::string();
}

}  // namespace

const study::Deck* shown_deck(const State& state) {
  const auto& decks = study_decks();
  if (!decks || decks->empty()) return nullptr;
  const std::string& chosen = state.studying.deck;
  const std::string wanted = chosen.empty() ? studied_lab(state) : chosen;
  for (const study::Deck& deck : *decks) {
    if (deck.lab == wanted) return &deck;
  }
  return &decks->front();
}

const study::Card* shown_card(const State& state) {
  const study::Deck* deck = shown_deck(state);
  if (!deck) return nullptr;
  for (const study::Card& card : deck->cards) {
    if (card.id == state.studying.card) return &card;
  }
  return study::next_card(*deck, state.studying.progress, now_s(), state.studying.goes_on);
}

void show_deck(State& state, const std::string& lab) {
  Studying& studying = state.studying;
  studying.deck = lab;
  studying.card.clear();
  studying.is_quiz = studying.is_turned = studying.goes_on = false;
}

void answer_card(State& state, bool knew) {
  const study::Card* card = shown_card(state);
  if (!card) return;
  study::answer(state.studying.progress, *card, knew, now_s());
  state.studying.card.clear();
  state.studying.is_turned = false;
  save_progress(state);
  note_studied(state);
}

const study::Question* shown_question(const State& state) {
  const auto& questions = study_questions();
  if (!questions || questions->empty()) return nullptr;
  for (const study::Question& question : *questions) {
    if (question.id == state.studying.question) return &question;
  }
  const std::string lab = studied_lab(state);
  const study::Question* first = nullptr;
  for (const study::Question& question : *questions) {
    if (question.lab != lab) continue;
    // In a saved run nothing can run for an answer: what it holds is asked first.
    const bool can_answer =
        !state.is_replay() || answer_of(state, question).state == study::Answer::State::answered;
    if (can_answer) return &question;
    if (!first) first = &question;
  }
  return first ? first : &questions->front();
}

study::Answer answer_of(const State& state, const study::Question& question) {
  return study::evaluate(question, *find_lab(question.lab), state.run());
}

void choose(State& state, const study::Question& question, const study::Choice& choice) {
  if (!state.studying.chosen.emplace(question.id, choice.label).second) return;
  if (answer_of(state, question).is_open) return;
  study::QuizProgress& to = state.studying.progress.questions[question.id];
  ++(choice.accepted ? to.right : to.wrong);
  save_progress(state);
  note_studied(state);
}

void note_studied(State& state) {
  if (state.is_replay()) return;
  for (const StudiedNote& studied : all_studied(state.studying.progress)) {
    const auto [key, text] = to_note(studied);
    const Notes& notes = state.run().notes();
    const auto known = notes.find(key);
    if (known == notes.end() || known->second != text) state.sessions.shown->note(key, text);
  }
}

void study_digit(State& state, int digit) {
  if (is_on_cards(state)) {
    if (digit > 2 || !shown_card(state)) return;
    if (state.studying.is_turned)
      answer_card(state, digit == 1);
    else
      state.notice = {"Turn the card first (Space).", false};
    return;
  }
  const study::Question* question = shown_question(state);
  if (!question) return;
  const study::Answer answer = answer_of(state, *question);
  const auto at = static_cast<size_t>(digit - 1);
  if (answer.state == study::Answer::State::answered && at < answer.choices.size())
    choose(state, *question, answer.choices[at]);
}

void open_term(State& state, const std::string& name) {
  state.view.show_glossary = true;
  state.view.glossary_typed.clear();
  state.view.glossary_term = name;
}

std::string default_progress_path() {
  return data_folder("study.json");
}

void load_progress(State& state) {
  if (state.studying.path.empty()) return;
  auto progress = study::load_progress(state.studying.path);
  if (progress) {
    state.studying.progress = *std::move(progress);
    state.studying.kept = study::progress_json(state.studying.progress);
  } else {
    state.studying.problem = progress.error().sentence();
  }
}

std::span<const Action> study_actions() {
  static const Action kActions[] = {
      {"turn_card", "Turn the study card", typed("Space", ' '), card_blocker, turn_card},
      {"run_question",
       "Run what the quiz question asks for",
       {},
       question_run_blocker,
       run_question},
      {"export_progress",
       "Export the study progress",
       {},
       progress_export_blocker,
       export_progress},
      {"new_progress",
       "Set damaged study progress aside and start over",
       {},
       new_progress_blocker,
       start_progress_over},
      {"answers", "Show or fold the lesson's answers", typed("A", 'a'), always_available,
       toggle_lesson_answers},
      {"glossary", "Glossary: look up a term", typed("W", 'w'), glossary_blocker,
       [](State& state) { open_term(state, state.view.glossary_term); }},
  };
  return kActions;
}

}  // namespace ridge::window
