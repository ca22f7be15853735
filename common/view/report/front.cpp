#include "common/view/report/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "common/core/format.h"
#include "common/record/command.h"
#include "common/record/edit.h"
#include "common/record/stale_words.h"
#include "common/record/trap.h"
#include "common/view/chart/ladder.h"
#include "common/view/report/caveats.h"
#include "common/view/report/content.h"
#include "common/view/report/headline.h"
#include "common/view/report/pair_order.h"
#include "common/view/report/predictions.h"

namespace ridge::report {

namespace {

/// How much a comparison has to do with what the headline says: the less, the more.
enum class Place {
  own,
  best_and_library,
  best_and_first,
  best_and_other_library,
  step_to_best,
  best_and_other_type,
  step,
  other
};

Place place_of(const Material& material, const Climb& climb, const Comparison& c,
               const Line* baseline, const Line* candidate) {
  if (is_edit(c.candidate)) return Place::own;
  const auto previous = material.options->previous.find(c.candidate);
  const bool is_step =
      previous != material.options->previous.end() && previous->second == c.baseline;
  if (climb.best && (baseline == climb.best || candidate == climb.best)) {
    const Line* other = candidate == climb.best ? baseline : candidate;
    if (other && other == climb.paired_library) return Place::best_and_library;
    if (other && other == climb.first) return Place::best_and_first;
    if (other && is_library(*other))
      return is_of_one_type(*other, *climb.best) ? Place::best_and_other_library
                                                 : Place::best_and_other_type;
    if (is_step && candidate == climb.best) return Place::step_to_best;
  }
  return is_step ? Place::step : Place::other;
}

/// The claims of page 1, each with its place, in their order.
std::vector<std::pair<Place, const Claim*>> placed_claims(const Material& material,
                                                          const Climb& climb) {
  std::vector<std::pair<Place, const Claim*>> placed;
  const auto shown = [&](const std::string& kernel, const Params& params, const Comparison& c) {
    const auto at = std::find_if(climb.lines.begin(), climb.lines.end(), [&](const Line* line) {
      return line->series->kernel == kernel && line->series->params == params &&
             line->series->cache == c.cache;
    });
    return at == climb.lines.end() ? nullptr : *at;
  };
  for (const Claim& claim : material.claims) {
    const Comparison& c = claim.comparison;
    if (!claim.paired || weightiest_like(material, claim) != &claim) continue;
    const Line *baseline = shown(c.baseline, c.baseline_params, c),
               *candidate = shown(c.candidate, c.candidate_params, c);
    if (!material.is_of_pair && (!baseline || !candidate)) continue;
    placed.emplace_back(place_of(material, climb, c, baseline, candidate), &claim);
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return placed;
}

/// Whether it says how good the fastest rung is: against a library of its type, or against where the climb began.
bool is_of_best(Place place) {
  return place == Place::best_and_library || place == Place::best_and_first ||
         place == Place::best_and_other_library;
}

}  // namespace

std::vector<const Claim*> front_claims(const Material& material, const Climb& climb) {
  const auto placed = placed_claims(material, climb);
  std::vector<const Claim*> claims;
  for (const auto& [place, claim] : placed) claims.push_back(claim);
  const auto own = std::count_if(placed.begin(), placed.end(),
                                 [](const auto& one) { return one.first == Place::own; });
  std::reverse(claims.begin(), claims.begin() + own);
  return claims;
}

/// A climb of more than one order of magnitude leads before how its end compares with a library, which is said after it.
bool is_long_way(const Material& material, const Climb& climb) {
  constexpr double kLong = 10;
  if (!climb.best || climb.best == climb.first) return false;
  const auto way = way_of(material, climb);
  return way && way->ratio >= kLong;
}

const Claim* leading_claim(const Material& material, const Climb& climb) {
  const bool is_climb_first = is_long_way(material, climb);
  const Claim *first = nullptr, *of_best = nullptr;
  for (const auto& [place, claim] : placed_claims(material, climb)) {
    const Comparison& c = claim->comparison;
    const bool is_told = !is_edit(c.candidate) && claim->decision.verdict != Verdict::invalid &&
                         c.ratio > 0 && std::isfinite(c.ratio);
    if (!is_told) continue;
    if (place == Place::best_and_first || (is_of_best(place) && !is_climb_first)) return claim;
    if (!first) first = claim;
    const bool has_best = climb.best && (c.candidate == climb.best->series->kernel ||
                                         c.baseline == climb.best->series->kernel);
    if (!of_best && has_best) of_best = claim;
  }
  const bool has_way =
      is_climb_first || (climb.best && climb.best != climb.first &&
                         step_between(material, *climb.first, *climb.best).has_value());
  if (has_way) return nullptr;
  return of_best ? of_best : first;
}

std::string sides_words(const Claim& claim, const Options& options) {
  return "“" + title_of(claim.comparison.candidate, options) + "” against “" +
         title_of(claim.comparison.baseline, options) + "”";
}

namespace {

/// Page 1 has room for so many rows in both charts together, and in the second of them.
constexpr size_t kFrontRows = 17, kLeastComparisons = 1, kMostComparisons = 6;

/// The sustained verdict, which counts, then the one at equal clock; empty where there is one alone.
std::string both_verdicts(const Claim& claim) {
  const Comparison& c = claim.comparison;
  if (!c.equal_clock || claim.decision.verdict == Verdict::invalid) return "";
  return "sustained " + verdict_figures(verdict_words(claim), c, c.margin) + "; at equal clock " +
         verdict_figures(to_string(c.equal_clock->verdict), *c.equal_clock, c.margin);
}

/// As many as page 1 has room for.
std::vector<const Claim*> shown_claims(const Material& material, const Climb& climb,
                                       size_t lines_of_words) {
  std::vector<const Claim*> claims = front_claims(material, climb);
  const size_t left = kFrontRows - std::min(kFrontRows, climb.lines.size() + lines_of_words);
  claims.resize(std::min(claims.size(), std::clamp(left, kLeastComparisons, kMostComparisons)));
  return claims;
}

/// Whether page 1 has a line left to say what the ladder does to somebody who was not there.
bool has_line_for_about(const Material& material, const Climb& climb, size_t lines_of_words) {
  const size_t pairs = std::min(front_claims(material, climb).size(), kMostComparisons);
  return climb.lines.size() + pairs + lines_of_words < kFrontRows;
}

std::vector<Section> comparison_sections(const Material& material, const Climb& climb,
                                         size_t lines_of_words) {
  const std::vector<const Claim*> claims = shown_claims(material, climb, lines_of_words);
  // As many as the appendix lists: those of other sizes too, and of one pair every run.
  const auto all = static_cast<size_t>(std::count_if(material.claims.begin(), material.claims.end(),
                                                     [](const Claim& one) { return one.paired; }));
  if (claims.empty()) return {};
  Section section{.id = "compared", .title = "Compared in pairs"};
  section.chart = interval_chart(material, claims);
  section.chart->id = "compared-forest";
  // All are at one case, which the headline names.
  chart::Panel& verdicts = section.chart->panels.back();
  for (size_t i = 0; i < claims.size(); ++i) {
    const Comparison& c = claims[i]->comparison;
    section.chart->rows[i].label = with_stale(section.chart->rows[i].label, c.stale);
    section.chart->rows[i].sublabel = "baseline: " + title_of(c.baseline, *material.options);
    const Decision& decision = claims[i]->decision;
    if (decision.verdict == Verdict::faster && decision.decision != "adopt" &&
        !decision.lacks_sustained)  // the chart says so itself
      verdicts.row_reasons[i] += "; " + decision_words(decision);
  }
  const Claim* lead = material.is_of_pair ? nullptr : leading_claim(material, climb);
  for (const Claim* claim : claims) {
    if (claim == lead) continue;  // the headline has both
    const std::string both = both_verdicts(*claim), repeats = repeats_words(material, *claim);
    if (!both.empty() || !repeats.empty())
      section.bullets.push_back(sides_words(*claim, *material.options) + ": " + both +
                                (both.empty() || repeats.empty() ? "" : "; ") + repeats + ".");
  }
  if (all > claims.size())
    section.title +=
        fmt::format(": {} of {} comparisons; the appendix has all", claims.size(), all);
  return {std::move(section)};
}

/// What the reader had expected, the newest of it; none where nothing was predicted.
std::vector<Section> predicted_sections(const Material& material) {
  constexpr size_t kMost = 3;  // the appendix has all
  Section section{.id = "predicted", .title = "Predicted before the run"};
  section.bullets = prediction_lines(material.inputs, *material.options);
  if (section.bullets.empty()) return {};
  if (section.bullets.size() > kMost)
    section.bullets.erase(section.bullets.begin(), section.bullets.end() - kMost);
  return {std::move(section)};
}

Section machine_section(const Material& material, const Climb& climb) {
  Section section{.id = "machine", .title = "The machine"};
  const bool on_gpu =
      !climb.lines.empty() && backend_of(climb.lines.front()->series->kernel) == Backend::cuda;
  for (const Input& input : material.inputs) {
    for (std::string line : machine_lines(material, input, on_gpu)) {
      if (material.inputs.size() > 1) line = input.name + ": " + line;
      section.paragraphs.push_back(std::move(line));
    }
  }
  return section;
}

/// What was demanded before the run beside what was measured; none where no budget was set.
std::vector<Section> budget_sections(const Material& material) {
  Section section{.id = "budget", .title = "The budget"};
  const bool has_several = material.claims.size() > 1;
  Table table{.columns = {"Line", "Demanded", "Measured", "Result"}, .prose = true};
  if (has_several) table.columns.insert(table.columns.begin(), "Candidate");
  for (const Claim& claim : material.claims) {
    for (const BudgetRow& row : claim.decision.budget) {
      std::vector<std::string> cells = {
          capitalised(row.title), row.demand,
          row.measured.empty() ? unavailable(row.why) : row.measured,
          std::string(met_text(row.met)) +
              (row.measured.empty() || row.why.empty() ? "" : ": " + row.why)};
      if (has_several)
        cells.insert(cells.begin(), title_of(claim.comparison.candidate, *material.options));
      table.rows.push_back(std::move(cells));
    }
  }
  if (table.rows.empty()) return {};
  section.paragraphs = {"Set before the run. A candidate is adopted only where every line is met."};
  section.table = std::move(table);
  return {std::move(section)};
}

/// What a person wrote of it; none where the run has no note. Who it was is in the subtitle.
std::vector<Section> note_sections(const Material& material) {
  const Notes notes = notes_of(material);
  Section section{.id = "notes", .title = "In the author's words"};
  for (const NoteField& field : note_fields()) {
    const auto found = notes.find(field.key);
    if (found == notes.end() || field.is_of_author) continue;
    section.bullets.push_back(std::string(field.title) + ": " + found->second);
  }
  if (section.bullets.empty()) return {};
  return {std::move(section)};
}

/// What page 1 calls things, for one who sees nothing else of the program.
std::vector<Section> words_sections(const Material& material, const Climb& climb) {
  if (material.lab == kImportedLab || climb.lines.empty()) return {};
  std::string text = "A rung has a speed only where its results are right.";
  const bool has_pairs = std::any_of(material.claims.begin(), material.claims.end(),
                                     [](const Claim& claim) { return claim.paired; });
  if (has_pairs)
    text +=
        " In pairs: two versions run in turns, round by round; the ratio is the median of the "
        "rounds, and it lies in the 95 % interval. Unresolved (?): the interval leaves open which "
        "is faster, or whether by more than the margin.";
  else
    text += " Timed alone: one after the other, so that what else the machine did is in the ratio.";
  if (climb.best && climb.best->on_page_1.compute)
    text += " The ceiling is the highest rate that this machine reached at that operation alone.";
  return {Section{.id = "words", .title = "In other words", .paragraphs = {std::move(text)}}};
}

/// Whether one name is the beginning of the other's first word: “cuBLAS” and “cuBLASLt”, not “oneDNN” and “oneDNN, Winograd”.
bool is_like(const std::string& name, const std::string& longer) {
  return longer.size() > name.size() && longer.starts_with(name) &&
         std::isalnum(static_cast<unsigned char>(longer[name.size()]));
}

/// Which library is which, where their names are easily taken for each other.
std::string like_names(const Material& material, const Climb& climb) {
  std::vector<const Line*> libraries;
  const auto& peers = material.options->peers;
  for (const Line* line : climb.lines) {
    if (peers.contains(line->series->kernel)) libraries.push_back(line);
  }
  const auto title = [&](const Line* line) {
    return title_of(line->series->kernel, *material.options);
  };
  std::string text;
  for (const Line* line : libraries) {
    const bool is_alike = std::any_of(libraries.begin(), libraries.end(), [&](const Line* other) {
      return is_like(title(line), title(other)) || is_like(title(other), title(line));
    });
    if (is_alike)
      text += (text.empty() ? "" : "; ") + quoted_title(*line, *material.options) + ": " +
              peers.at(line->series->kernel);
  }
  return text.empty() ? "" : text + ".";
}

/// What the command saves: the file that this report is of, where it has one. A run that is there already is kept beside.
std::string own_file(const Material& material) {
  const std::string name = material.inputs.size() == 1 ? material.inputs.front().name : "";
  const std::string file = name.substr(name.rfind('/') + 1);
  return file.ends_with(".jsonl") && file.size() > 6 ? shell_word(file) : "run.jsonl";
}

Section again_section(const Material& material, const Climb& climb,
                      const std::vector<const Claim*>& claims) {
  Section section{.id = "again", .title = "Do it again"};
  if (material.lab == kImportedLab) {
    section.commands = {import_command(material)};
    section.paragraphs = {"Another program timed these benchmarks: run that again first."};
    return section;
  }
  const Claim* claim = material.is_of_pair ? &material.claims.back() : nullptr;
  if (claim && !claim->paired && is_of_one_rung(claim->comparison)) {
    section.paragraphs = {
        "Run the rung again in each of the two builds: a run knows only its own."};
    return section;
  }
  const std::string file = own_file(material);
  section.commands = {material.is_of_pair ? claim_command(material.claims.back(), file)
                                          : climb_command(material, climb.lines, file)};
  if (!material.is_of_pair) {
    constexpr size_t kMost = 2;  // the appendix has all
    std::set<std::string> told;  // a pair may have been compared twice
    for (const Claim* claim : claims) {
      if (told.size() == kMost || !told.insert(short_claim_command(material, *claim, "")).second)
        continue;
      section.commands.push_back(
          short_claim_command(material, *claim, fmt::format("pair{}.jsonl", told.size())));
    }
  }
  for (const Line* line : climb.lines) {
    if (is_edit(line->series->kernel))
      section.paragraphs.push_back("The text of " + quoted_title(*line, *material.options) +
                                   " is in the appendix.");
  }
  std::set<std::string> programs;
  for (const Input& input : material.inputs) {
    const auto& env = input.run->environment();
    if (!env) continue;
    programs.insert("Ridgepoint " +
                    (env->version.empty() ? "of an unknown version" : env->version) + ", " +
                    (env->commit.empty() ? "commit not recorded" : "commit " + env->commit));
  }
  for (const std::string& program : programs) section.paragraphs.push_back(program + ".");
  return section;
}

/// "1.74 ms → 11.6 ms": both figures of a trap, or the one of a kernel.
std::string trap_figures(const Line& line) {
  const Series& series = *line.series;
  if (!line.problem.empty()) return kNone;
  if (series.trap)
    return reading_text(*series.trap, series.trap->honest) + " → " +
           reading_text(*series.trap, series.trap->lie);
  return series.stats ? format_time_ns(series.stats->median_ns) : kNone;
}

/// In the low rows of page 1 two figures of a row would stand on those of the next: they stand in a column.
void put_figures_in_column(const Climb& climb, chart::ChartModel* model) {
  if (model->panels.empty()) return;
  chart::Panel figures{.title = "Honest → the lie", .subtitle = "medians", .is_column = true};
  for (const Line* line : climb.lines) figures.row_reasons.push_back(trap_figures(*line));
  model->panels.front() = std::move(figures);
  model->legend = {"dot: the lie over the honest figure, a median", "whisker: 95 % interval"};
}

/// Traps instead of rates: the lie beside the honest figure.
Section trap_front(const Material& material, const Climb& climb) {
  Section section{.id = "climb", .title = "The lie and the honest figure", .in_handout = true};
  std::vector<chart::LadderRow> rows;
  for (const Line* line : climb.lines) {
    rows.push_back({.label = title_of(line->series->kernel, *material.options),
                    .series = line->series,
                    .run = line->input->run,
                    .is_trap = is_trap(*line)});
  }
  section.chart = chart::ladder_chart(rows);
  section.chart->id = "climb";
  put_figures_in_column(climb, &*section.chart);
  return section;
}

}  // namespace

std::string about_ladder(const Material& material, const Climb& climb) {
  const bool has_ladder =
      material.lab != kImportedLab && !climb.lines.empty() && own_sides_of(material).many.empty();
  if (!has_ladder) return "";
  if (std::any_of(climb.lines.begin(), climb.lines.end(),
                  [](const Line* line) { return is_trap(*line); }))
    return "A rung here is one way to measure wrongly; the ladder is the list of them.";
  return "A rung is one version of a program: it changes one thing in the rung before it. A ladder "
         "is its rungs in order.";
}

std::vector<Section> front_sections(const Material& material, const Climb& climb) {
  std::vector<Section> sections;
  const bool has_traps = std::any_of(climb.lines.begin(), climb.lines.end(),
                                     [](const Line* line) { return is_trap(*line); });
  // Two trainings are no ladder: the headline has their times, the appendix each seed.
  const bool is_trained =
      material.is_of_pair && material.claims.back().comparison.trained.has_value();
  for (Section& section : note_sections(material)) sections.push_back(std::move(section));
  for (Section& section : budget_sections(material)) sections.push_back(std::move(section));
  size_t lines_of_words = 0;
  for (const Section& section : sections)
    lines_of_words += section.bullets.size() + (section.table ? section.table->rows.size() : 0);
  if (has_traps) {
    sections.push_back(trap_front(material, climb));
  } else if (!climb.lines.empty() && !is_trained) {
    sections.push_back(
        climb_section(material, climb, has_line_for_about(material, climb, lines_of_words)));
    if (std::string text = like_names(material, climb); !text.empty())
      sections.back().bullets.push_back(std::move(text));
    if (!material.is_of_pair) lines_of_words += sections.back().paragraphs.size();
  }
  for (Section& section : comparison_sections(material, climb, lines_of_words))
    sections.push_back(std::move(section));
  for (const Section& section : material.options->page_one) sections.push_back(section);
  if (material.options->page_one.empty()) {  // a tour's table has its answers
    for (Section& section : predicted_sections(material)) sections.push_back(std::move(section));
  }
  sections.push_back(machine_section(material, climb));
  const std::vector<const Claim*> pairs = shown_claims(material, climb, lines_of_words);
  sections.push_back(caveats_section(material, climb, pairs));
  if (!has_traps) {
    for (Section& section : words_sections(material, climb)) sections.push_back(std::move(section));
  }
  sections.push_back(again_section(material, climb, pairs));
  return sections;
}

}  // namespace ridge::report
