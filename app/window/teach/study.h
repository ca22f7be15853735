// What the study screen does, as actions on the state: cards turned and answered, questions answered by
// what was measured, the texts that other panels explain their figures with. No ImGui here.
#pragma once

#include <string>
#include <vector>

#include "app/study/cards.h"
#include "app/study/glossary.h"
#include "app/study/quiz.h"
#include "app/window/shell/actions.h"

namespace ridge::window {

// ---- the texts, read once ----
const Result<std::vector<study::Deck>>& study_decks();
/// Of all labs, in their order.
const Result<std::vector<study::Question>>& study_questions();
const Result<study::Glossary>& study_glossary();
/// A term's text as it is drawn here: without the marks around code.
std::string plain_text(const study::Term& term);
/// Name, unit, formula and why of a metric, as a tooltip says it; empty for a key that is not there.
std::string metric_text(const std::string& key);
/// The key of the metric that a field of the record carries ("power_w": "power"); empty: none.
std::string metric_of_field(const std::string& field);
/// The key of the metric that a column of a report's table shows, by its heading; empty: none.
std::string metric_of_title(const std::string& title);

// ---- cards ----
const study::Deck* shown_deck(const State& state);
/// The card that was chosen, else the next one that is due; null: none is.
const study::Card* shown_card(const State& state);
void show_deck(State& state, const std::string& lab);
void answer_card(State& state, bool knew);

// ---- quiz ----
const study::Question* shown_question(const State& state);
study::Answer answer_of(const State& state, const study::Question& question);
/// Notes the choice, once; the first one counts.
void choose(State& state, const study::Question& question, const study::Choice& choice);

/// Puts what was learned so far into the session's run (common/record/studied_note.h), where that does not hold it yet:
/// when it changes, and when a run begins to be kept.
void note_studied(State& state);

/// 1 to 9 on the study screen: the card's answer, the quiz's choice.
void study_digit(State& state, int digit);
void open_term(State& state, const std::string& name);

/// $XDG_DATA_HOME or ~/.local/share, then ridgepoint/study.json. Empty without a home.
std::string default_progress_path();
/// Reads it from state.studying.path; a damaged file becomes state.studying.problem.
void load_progress(State& state);

/// Rows of the table of actions.
std::span<const Action> study_actions();

}  // namespace ridge::window
