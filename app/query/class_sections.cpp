#include "app/query/class_sections.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "app/query/editing.h"
#include "common/core/format.h"
#include "common/record/edit.h"
#include "common/record/ratio_text.h"
#include "common/record/stale_words.h"
#include "common/stats/stats.h"
#include "common/view/chart/dots.h"
#include "common/view/report/content.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

/// "M3", the machine's number in the list of machines; "?" where a run does not say.
std::string machine_name(const ClassRoll& roll, const std::string& machine) {
  const auto found = std::find(roll.machines.begin(), roll.machines.end(), machine);
  return found == roll.machines.end() ? "?" : fmt::format("M{}", found - roll.machines.begin() + 1);
}

std::string lab_title(const std::string& lab) {
  const Lab* known = find_lab(lab);
  return known ? known->title : lab.empty() ? "Own commands" : lab;
}

std::string value_text(const ClassLadder& ladder, double value) {
  if (ladder.unit == "s") return format_time_ns(value * 1e9);
  const Lab* lab = find_lab(ladder.lab);
  const std::string kernel = ladder.kernels.empty() ? "" : ladder.kernels.front();
  return format_rate(value, lab ? unit_in_words(*lab, ladder.unit, kernel) : ladder.unit);
}

// ---- ladders -------------------------------------------------------------------------------------

/// "12.3 GFLOP/s, ≈ 8.10×": of times the ratio is the first one's over this, so that above 1 is faster in both.
std::string cell_text(const ClassLadder& ladder, const LadderCell& cell, const LadderCell* first) {
  std::string text = with_stale_mark(value_text(ladder, cell.value), cell.is_stale);
  if (first && first != &cell && first->value > 0 && cell.value > 0) {
    const double ratio = ladder.unit == "s" ? first->value / cell.value : cell.value / first->value;
    text += ", ≈ " + format_ratio(ratio);
  }
  return cell.people > 1 ? text + fmt::format(" ({})", cell.people) : text;
}

report::Table ladder_table(const ClassRoll& roll, const ClassLadder& ladder) {
  report::Table table{.columns = {"Rung"}};
  for (const std::string& machine : ladder.machines)
    table.columns.push_back(machine_name(roll, machine));
  std::vector<const LadderCell*> first(ladder.machines.size());
  for (size_t row = 0; row < ladder.kernels.size(); ++row) {
    auto& cells = table.rows.emplace_back(std::vector{rung_title(ladder.kernels[row])});
    for (size_t i = 0; i < ladder.machines.size(); ++i) {
      const auto& cell = ladder.cells[row][i];
      if (cell && !first[i]) first[i] = &*cell;
      cells.push_back(cell ? cell_text(ladder, *cell, first[i]) : kNone);
    }
  }
  return table;
}

chart::ChartModel ladder_dots(const ClassLadder& ladder) {
  std::vector<chart::DotRow> rows;
  for (size_t row = 0; row < ladder.kernels.size(); ++row) {
    chart::DotRow& made = rows.emplace_back();
    made.label = rung_title(ladder.kernels[row]);
    for (const auto& cell : ladder.cells[row]) {
      if (cell) made.values.push_back(cell->value);
    }
    made.median_text = value_text(ladder, stats::median(made.values));
  }
  const bool is_time = ladder.unit == "s";
  return chart::dots_chart(rows, {.id = "machines",
                                  .title = is_time ? "Time per call" : "Speed",
                                  .subtitle = is_time ? "left is faster" : "right is faster",
                                  .metric = is_time ? "time_per_call" : "throughput",
                                  .unit = ladder.unit,
                                  .dots = "the median of one machine's people"});
}

std::string problem_text(const ClassLadder& ladder) {
  std::string text = ladder.problem.empty() ? "one problem" : ladder.problem;
  if (!ladder.cache.empty()) text += ", " + ladder.cache + " cache";
  return text + ", " + count_of(static_cast<size_t>(ladder.people), "person", "people");
}

/// A lab's first ladder is on the page with its chart, its other problems are folded away.
void add_ladders(const ClassRoll& roll, report::Report* out) {
  std::string before;
  int number = 0;
  for (const ClassLadder& ladder : roll.ladders) {
    const bool is_first = number == 0 || ladder.lab != before;
    before = ladder.lab;
    report::Section section{.id = fmt::format("ladder-{}", ++number),
                            .title = lab_title(ladder.lab) + ": " + problem_text(ladder),
                            .table = ladder_table(roll, ladder),
                            .part = report::Part::results};
    if (is_first) section.chart = ladder_dots(ladder);
    (is_first ? out->front : out->sections).push_back(std::move(section));
  }
}

void add_compared(const ClassRoll& roll, report::Report* out) {
  if (roll.compared.empty()) return;
  report::Table table{
      .columns = {"Candidate", "Baseline", "Lab", "Problem", "Machine", "Ratio", "Faster"}};
  for (const ClassCompared& one : roll.compared) {
    const auto [low, high] = std::minmax_element(one.ratios.begin(), one.ratios.end());
    std::string ratio = format_ratio(stats::median(one.ratios));
    if (one.ratios.size() > 1)
      ratio += fmt::format(", {} to {}", format_ratio(*low), format_ratio(*high));
    else if (one.ci)
      ratio += " " + format_ratio_interval(one.ci);
    table.rows.push_back({rung_title(one.candidate), rung_title(one.baseline), lab_title(one.lab),
                          one.problem, machine_name(roll, one.machine), ratio,
                          fmt::format("{} of {}", one.faster, one.ratios.size())});
  }
  out->front.push_back(
      {.id = "pairs",
       .title = "Compared in pairs",
       .paragraphs = {"The baseline's time over the candidate's, from interleaved pairs within "
                      "each run. Of one person the 95 % interval stands behind it, of several the "
                      "range; Faster counts the verdicts."},
       .table = std::move(table)});
}

// ---- people --------------------------------------------------------------------------------------

/// "1.90× → 1.20×, closer"
std::string halves_text(const Foresight& sight) {
  const std::string halves =
      sight.first_half ? format_ratio(*sight.first_half) + " → " + format_ratio(*sight.second_half)
                       : "";
  const std::string change = change_text(sight.change);
  return halves + (halves.empty() || change.empty() ? "" : ", ") + change;
}

/// A column in which no person has anything takes the room of those that say something.
void leave_out_empty(report::Table* table) {
  for (size_t i = table->columns.size(); i-- > 1;) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const bool is_empty = std::all_of(table->rows.begin(), table->rows.end(),
                                      [&](const auto& row) { return row[i].empty(); });
    if (!is_empty) continue;
    table->columns.erase(table->columns.begin() + at);
    for (auto& row : table->rows) row.erase(row.begin() + at);
  }
}

std::string remarks_of(const ClassPerson& person) {
  std::string text;
  if (person.runs + person.unreadable == 0) text = "no run";
  for (const auto& [count, words] : {std::pair(person.unreadable, "not readable"),
                                     std::pair(person.changed, "changed after saving")}) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
  }
  return text;
}

/// A dot for each prediction that was made before its result.
void add_predictions(const ClassRoll& roll, report::Report* out) {
  std::vector<chart::DotRow> rows;
  std::string closer;
  for (const ClassPerson& person : roll.people) {
    if (person.foresight.judged == 0) continue;
    chart::DotRow& row = rows.emplace_back();
    row.label = person.label;
    for (const Foretold& one : person.foretold) {
      if (one.factor && !one.after_the_fact) row.values.push_back(*one.factor);
    }
    row.median_text = format_ratio(stats::median(row.values));
    if (person.foresight.change == Foresight::Change::closer)
      closer += (closer.empty() ? "" : ", ") + person.label;
  }
  if (rows.empty()) return;
  report::Section section{.id = "predictions", .title = "Predictions against measurements"};
  section.paragraphs = {
      "Each prediction that was written down before its result, in the unit in which it was said: "
      "2× was half as fast as was said. Half within, in the table of people, is how far off the "
      "better half of a person's predictions is at most, in either direction; the change is from "
      "the earlier to the later half of them, and is claimed where the 95 % intervals of the two "
      "halves lie apart."};
  section.paragraphs.push_back(closer.empty() ? "Nobody is shown to have come closer."
                                              : "Closer in their later half: " + closer + ".");
  section.chart = chart::dots_chart(rows, {.id = "foresight",
                                           .title = "Outcome over prediction",
                                           .subtitle = "right of 1: slower than predicted",
                                           .unit = "",
                                           .one = "as predicted",
                                           .dots = "a prediction"});
  out->front.push_back(std::move(section));
}

void add_floors(const ClassRoll& roll, report::Report* out) {
  if (roll.floors.empty()) return;
  report::Table table{.columns = {"Person", "Machine", "Rung", "Comparisons", "95 % within",
                                  "Different at a margin of 0", "At the default margin"}};
  for (const ClassFloor& one : roll.floors) {
    table.rows.push_back({roll.people[one.person].label, machine_name(roll, one.machine),
                          rung_title(one.floor.kernel), std::to_string(one.floor.runs()),
                          format_percent_width(one.floor.within(0.95)),
                          std::to_string(one.floor.false_at_zero),
                          std::to_string(one.floor.false_at_margin)});
  }
  out->front.push_back({.id = "floors",
                        .title = "A/A noise floors",
                        .paragraphs = {"A rung compared with itself: what differs by less than "
                                       "this share cannot be told apart on that machine."},
                        .table = std::move(table)});
}

void add_board(const ClassRoll& roll, report::Report* out) {
  int number = 0;
  for (const Board& board : roll.board.boards) {
    report::Table table{.columns = {"Name", "Rank", "Faster", "95 %", "Time per call", "Note"}};
    for (const BoardEntry& entry : board.entries) {
      table.rows.push_back({entry.name, std::to_string(entry.rank), format_ratio(entry.ratio),
                            format_ratio_interval(entry.ci),
                            entry.median_ns > 0 ? format_time_ns(entry.median_ns) : "",
                            entry.note + (entry.contended ? " contended" : "")});
    }
    out->front.push_back(
        {.id = fmt::format("board-{}", ++number),
         .title = report::capitalised(edit_title(board.kernel)) + " against " +
                  rung_title(board.baseline),
         .paragraphs = {fmt::format("{}; {}; {} cache. Equal ranks are a tie: their intervals "
                                    "overlap.",
                                    machine_name(roll, board.machine),
                                    params_in_words(original_of(board.kernel), board.params),
                                    board.cache.text())},
         .table = std::move(table)});
  }
}

void add_machines(const ClassRoll& roll, report::Report* out) {
  if (roll.machines.empty()) return;
  report::Table table{.columns = {"Machine", "Processor", "People"}, .prose = true};
  for (const std::string& machine : roll.machines) {
    const auto people =
        std::count_if(roll.people.begin(), roll.people.end(),
                      [&](const ClassPerson& person) { return person.machines.contains(machine); });
    table.rows.push_back({machine_name(roll, machine), machine, std::to_string(people)});
  }
  const bool has_stale =
      std::any_of(roll.ladders.begin(), roll.ladders.end(), [](const ClassLadder& ladder) {
        return std::any_of(ladder.cells.begin(), ladder.cells.end(), [](const auto& row) {
          return std::any_of(row.begin(), row.end(),
                             [](const auto& cell) { return cell && cell->is_stale; });
        });
      });
  out->front.push_back(
      {.id = "machines",
       .title = "Machines",
       .paragraphs = {"A ladder's figures are medians over the people of a machine, a person's "
                      "latest result each; (3) is their number. ≈ is the ratio to the first rung "
                      "of that machine, of results that were timed apart: it claims nothing. No "
                      "list ranks machines."},
       .table = std::move(table)});
  if (has_stale)
    out->front.back().paragraphs.push_back(std::string(kStaleMark) + " " + stale_explained());
}

// ---- files ---------------------------------------------------------------------------------------

/// Of a person without a name no file's name is told: it may be that name.
std::string remark_text(const ClassRoll& roll, const ClassRemark& remark) {
  const ClassPerson& person = roll.people[remark.person];
  std::string where = remark.file == 0 ? person.label + "’s folder"
                                       : fmt::format("{}, file {}", person.label, remark.file);
  if (person.is_named && remark.file > 0)
    where = person.label + ", " + std::filesystem::path(remark.error.where).filename().string();
  return where + ": " + remark.error.what + ".";
}

void add_files(const ClassRoll& roll, report::Report* out) {
  report::Section section{.id = "files", .title = "Files"};
  for (const auto* remarks : {&roll.changed, &roll.copies, &roll.unreadable}) {
    for (const ClassRemark& remark : *remarks) section.bullets.push_back(remark_text(roll, remark));
  }
  if (roll.changed.empty() && roll.unreadable.empty())
    section.paragraphs.emplace_back(
        "Every file was read, and none was changed after it was saved.");
  section.paragraphs.push_back(
      "A saved run ends with a seal, a hash of its lines. It shows what an editor or a mail "
      "program "
      "did by accident. It does not guard against malice: whoever changes a line can write the "
      "seal anew.");
  if (roll.unsealed > 0)
    section.paragraphs.push_back(fmt::format(
        "{} to the end: copied while the program was still writing, ended before it closed the "
        "file, put together by hand, or made by a version without seals.",
        roll.unsealed == 1 ? "1 run has no seal"
                           : fmt::format("{} runs have no seal", roll.unsealed)));
  out->front.push_back(std::move(section));
}

std::string day_of(double utc_s) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(utc_s)));
}

std::string days_text(const ClassRoll& roll) {
  if (roll.first_utc_s == 0) return "";
  const std::string first = day_of(roll.first_utc_s), last = day_of(roll.last_utc_s);
  return first == last ? first : first + " to " + last;
}

void add_headline(const ClassRoll& roll, report::Report* out) {
  const std::string people = count_of(roll.people.size(), "person", "people");
  out->title = "Class: " + people;
  out->subtitle = days_text(roll);
  out->headline.figure = people;
  std::vector<Foretold> all;
  size_t solved = 0;
  for (const ClassPerson& person : roll.people) {
    all.insert(all.end(), person.foretold.begin(), person.foretold.end());
    solved += person.solved.size();
  }
  const Foresight sight = foresight(all);
  auto& facts = out->headline.facts;
  facts.emplace_back("Runs", fmt::format("{} of {} files", roll.runs, roll.files));
  facts.emplace_back("Machines", std::to_string(roll.machines.size()));
  facts.emplace_back("Exercises solved", std::to_string(solved));
  if (sight.judged > 0) {
    facts.emplace_back("Predictions", std::to_string(sight.judged));
    facts.emplace_back("Half within", format_ratio(sight.off));
  }
  out->sentence = fmt::format(
      "{} from {} of {}.", count_of(static_cast<size_t>(roll.runs), "run", "runs"),
      count_of(roll.machines.size(), "machine", "machines"),
      people +
          (roll.nameless_files > 1
               ? fmt::format(", where each of {} files without a name is one", roll.nameless_files)
               : ""));
  if (sight.judged > 0)
    out->sentence +=
        fmt::format(" Of {} {} slower than predicted.",
                    count_of(static_cast<size_t>(sight.judged), "result", "results"),
                    sight.slower == 1 ? "1 was" : fmt::format("{} were", sight.slower));
}

}  // namespace

std::string count_of(size_t count, const std::string& one, const std::string& several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

report::Table people_table(const ClassRoll& roll) {
  report::Table table{.columns = {"Person", "Runs", "Predictions", "Half within", "Slower",
                                  "Earlier → later half", "Exercises", "Quiz", "Cards known",
                                  "Remarks"}};
  for (const ClassPerson& person : roll.people) {
    const Foresight& sight = person.foresight;
    const bool is_judged = sight.judged > 0;
    table.rows.push_back(
        {person.label, std::to_string(person.runs), is_judged ? std::to_string(sight.judged) : "",
         is_judged ? format_ratio(sight.off) : "",
         is_judged ? fmt::format("{} of {}", sight.slower, sight.judged) : "",
         is_judged ? halves_text(sight) : "",
         person.tried.empty() ? ""
                              : fmt::format("{} of {}", person.solved.size(), person.tried.size()),
         person.quiz_right + person.quiz_wrong == 0
             ? ""
             : fmt::format("{} of {}", person.quiz_right, person.quiz_right + person.quiz_wrong),
         person.cards_answered == 0
             ? ""
             : fmt::format("{} of {}", person.cards_known, person.cards_answered),
         remarks_of(person)});
  }
  leave_out_empty(&table);
  return table;
}

report::Report class_report(const ClassRoll& roll) {
  report::Report out;
  add_headline(roll, &out);
  out.front.push_back(
      {.id = "people",
       .title = "People",
       .paragraphs = {"Exercises: solved of those begun, by verified comparisons. Quiz: right of "
                      "all answers. Cards: known of those answered. Quiz and cards are as the "
                      "window last noted them in a run."},
       .table = people_table(roll)});
  add_predictions(roll, &out);
  add_machines(roll, &out);
  add_ladders(roll, &out);
  add_compared(roll, &out);
  add_floors(roll, &out);
  add_board(roll, &out);
  add_files(roll, &out);
  return out;
}

}  // namespace ridge::app
