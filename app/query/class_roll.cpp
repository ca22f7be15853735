#include "app/query/class_roll.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "app/query/class_files.h"
#include "common/record/derive.h"
#include "common/stats/stats.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

/// A run with whom it is of. Taken in the order of time, so that of two results of one person the later one stays.
struct Handed {
  size_t person = 0;
  const ClassRun* run = nullptr;
};

// ---- whose a file is -----------------------------------------------------------------------------

/// The name that the runs of each source bear, where it is one.
std::map<std::string, std::string> names_of(const std::vector<ClassFile>& files,
                                            const std::vector<Result<ClassRun>>& runs) {
  std::map<std::string, std::set<std::string>> typed;
  for (size_t i = 0; i < files.size(); ++i) {
    if (runs[i] && !runs[i]->name.empty()) typed[files[i].source].insert(runs[i]->name);
  }
  std::map<std::string, std::string> names;
  for (const auto& [source, all] : typed) {
    if (all.size() == 1) names[source] = *all.begin();
  }
  return names;
}

/// Makes the people, and says for each file, then for each empty folder, which of them it is of.
std::vector<size_t> make_people(const ClassFiles& found, const std::vector<Result<ClassRun>>& runs,
                                ClassRoll* roll) {
  const auto names = names_of(found.files, runs);
  std::vector<ClassFile> files = found.files;
  files.insert(files.end(), found.empty.begin(), found.empty.end());
  std::vector<std::pair<bool, std::string>> keys;  // without a name, and the name or the source
  for (size_t i = 0; i < files.size(); ++i) {
    std::string name = i < runs.size() && runs[i] ? runs[i]->name : "";
    if (const auto known = names.find(files[i].source); name.empty() && known != names.end())
      name = known->second;
    keys.emplace_back(name.empty(), name.empty() ? files[i].source : name);
  }
  std::map<std::pair<bool, std::string>, size_t> place;
  for (const auto& key : keys) place.emplace(key, 0);
  int nameless = 0;
  for (auto& [key, at] : place) {
    at = roll->people.size();
    ClassPerson& person = roll->people.emplace_back();
    person.is_named = !key.first;
    person.label = key.first ? fmt::format("Person {}", ++nameless) : key.second;
  }
  std::vector<size_t> whose;
  for (size_t i = 0; i < files.size(); ++i) {
    whose.push_back(place[keys[i]]);
    roll->nameless_files += keys[i].first && files[i].is_loose;
    auto& sources = roll->people[whose.back()].sources;
    if (std::find(sources.begin(), sources.end(), files[i].source) == sources.end())
      sources.push_back(files[i].source);
  }
  return whose;
}

// ---- what each person did ------------------------------------------------------------------------

void add_studied(const std::vector<Handed>& handed, ClassRoll* roll) {
  std::map<std::tuple<size_t, Studied, std::string>, StudiedNote> latest;
  for (const Handed& one : handed) {
    for (const StudiedNote& note : one.run->studied)
      latest[{one.person, note.what, note.deck}] = note;
  }
  for (const auto& [key, note] : latest) {
    ClassPerson& person = roll->people[std::get<0>(key)];
    const bool is_quiz = note.what == Studied::quiz;
    (is_quiz ? person.quiz_right : person.cards_known) += note.first;
    (is_quiz ? person.quiz_wrong : person.cards_answered) += note.second;
  }
}

void add_deeds(const std::vector<Handed>& handed, ClassRoll* roll) {
  for (const Handed& one : handed) {
    ClassPerson& person = roll->people[one.person];
    ++person.runs;
    person.changed += one.run->changed.empty() ? 0 : 1;
    for (const ClassResult& result : one.run->results) person.machines.insert(result.machine);
    for (const ClassPair& pair : one.run->pairs) person.machines.insert(pair.machine);
    person.machines.erase("");
    person.foretold.insert(person.foretold.end(), one.run->foretold.begin(),
                           one.run->foretold.end());
    person.tried.insert(one.run->tried.begin(), one.run->tried.end());
    person.solved.insert(one.run->solved.begin(), one.run->solved.end());
    if (one.run->floor)
      roll->floors.push_back({one.person, one.run->floor_machine, *one.run->floor});
  }
  std::set<std::string> machines;
  for (ClassPerson& person : roll->people) {
    sort_by_time(&person.foretold);
    person.foresight = foresight(person.foretold);
    machines.insert(person.machines.begin(), person.machines.end());
  }
  roll->machines.assign(machines.begin(), machines.end());
}

// ---- ladders -------------------------------------------------------------------------------------

/// Of a lab that this build has its place in the course; others come after them.
size_t place_of(const std::string& lab) {
  const auto labs = all_labs();
  const auto found =
      std::find_if(labs.begin(), labs.end(), [&](const Lab* known) { return lab == known->id; });
  return static_cast<size_t>(found - labs.begin());
}

/// In its lab's list; others come after them.
size_t place_of(const std::string& lab, const std::string& kernel) {
  const Lab* known = find_lab(lab);
  if (!known) return 0;
  const auto found = std::find_if(known->rungs.begin(), known->rungs.end(),
                                  [&](const Rung& rung) { return kernel == rung.kernel; });
  return static_cast<size_t>(found - known->rungs.begin());
}

/// Lab, processor, problem, cache: what the cells of one table have in common.
using LadderKey = std::tuple<std::string, std::string, std::string, std::string>;
/// By rung, machine and person.
using LadderResults =
    std::map<std::string, std::map<std::string, std::map<size_t, const ClassResult*>>>;

/// The unit that all of them count in, where they count at all.
std::string unit_of(const LadderResults& results) {
  std::set<std::string> units;
  for (const auto& [kernel, machines] : results) {
    for (const auto& [machine, people] : machines) {
      for (const auto& [person, result] : people) units.insert(result->unit);
    }
  }
  return units.size() == 1 && !units.begin()->empty() ? *units.begin() : "s";
}

LadderCell cell_of(const std::map<size_t, const ClassResult*>& people, const std::string& unit) {
  LadderCell cell{.people = static_cast<int>(people.size())};
  std::vector<double> values;
  for (const auto& [person, result] : people) {
    values.push_back(unit == "s" ? result->time_ns * 1e-9 : result->rate);
    cell.is_stale |= result->is_stale;
  }
  cell.value = stats::median(values);
  return cell;
}

ClassLadder ladder_of(const LadderKey& key, const LadderResults& results) {
  ClassLadder made{.lab = std::get<0>(key),
                   .problem = std::get<2>(key),
                   .cache = std::get<3>(key),
                   .unit = unit_of(results)};
  std::set<std::string> machines;
  std::set<size_t> people;
  for (const auto& [kernel, on] : results) {
    made.kernels.push_back(kernel);
    for (const auto& [machine, of] : on) {
      machines.insert(machine);
      for (const auto& [person, result] : of) people.insert(person);
    }
  }
  made.people = static_cast<int>(people.size());
  made.machines.assign(machines.begin(), machines.end());
  std::stable_sort(made.kernels.begin(), made.kernels.end(), [&](const auto& a, const auto& b) {
    return place_of(made.lab, a) < place_of(made.lab, b);
  });
  for (const std::string& kernel : made.kernels) {
    auto& row = made.cells.emplace_back(made.machines.size());
    for (size_t i = 0; i < made.machines.size(); ++i) {
      const auto& on = results.at(kernel);
      if (const auto found = on.find(made.machines[i]); found != on.end())
        row[i] = cell_of(found->second, made.unit);
    }
  }
  return made;
}

void add_ladders(const std::vector<Handed>& handed, ClassRoll* roll) {
  std::map<LadderKey, LadderResults> all;
  for (const Handed& one : handed) {
    for (const ClassResult& result : one.run->results) {
      const LadderKey key{result.lab, backend_of(result.kernel).text(), result.problem,
                          result.cache};
      all[key][result.kernel][result.machine][one.person] = &result;
    }
  }
  for (const auto& [key, results] : all) roll->ladders.push_back(ladder_of(key, results));
  const auto rank = [](const ClassLadder& one) {
    return std::tuple(place_of(one.lab), one.lab, -one.people,
                      -static_cast<int>(one.kernels.size()));
  };
  std::stable_sort(roll->ladders.begin(), roll->ladders.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

// ---- pairs ---------------------------------------------------------------------------------------

void add_compared(const std::vector<Handed>& handed, ClassRoll* roll) {
  using Key = std::tuple<size_t, size_t, std::string, std::string, std::string, std::string,
                         std::string, std::string>;
  std::map<Key, std::map<size_t, const ClassPair*>> all;
  for (const Handed& one : handed) {
    for (const ClassPair& pair : one.run->pairs)
      all[{place_of(pair.lab), place_of(pair.lab, pair.candidate), pair.lab, pair.candidate,
           pair.baseline, pair.problem, pair.cache, pair.machine}][one.person] = &pair;
  }
  for (const auto& [key, people] : all) {
    const ClassPair& any = *people.begin()->second;
    ClassCompared made{any.lab, any.baseline, any.candidate, any.problem, any.cache, any.machine};
    for (const auto& [person, pair] : people) {
      made.ratios.push_back(pair->ratio);
      made.faster += pair->verdict == Verdict::faster;
    }
    if (people.size() == 1) made.ci = any.ci;
    roll->compared.push_back(std::move(made));
  }
}

// ---- files ---------------------------------------------------------------------------------------

/// Says that a file is an earlier one once more: `first` and `again` are each a person and the number of the file.
ClassRemark copy_of(const ClassRoll& roll, const std::pair<size_t, int>& first,
                    const std::pair<size_t, int>& again, const ClassFile& file) {
  const bool is_own = first.first == again.first;
  return {again.first,
          again.second,
          {ErrorCode::bad_input,
           fmt::format("it is the same as file {} of {}, byte for byte, so one run counts {}",
                       first.second, is_own ? "this person" : roll.people[first.first].label,
                       is_own ? "twice" : "for two people"),
           file.path, "leave one of the two out"}};
}

void add_remarks(const ClassFiles& found, const std::vector<Result<ClassRun>>& runs,
                 const std::vector<size_t>& whose, ClassRoll* roll) {
  const std::vector<ClassFile>& files = found.files;
  std::map<size_t, int> number;  // of a person's files
  std::map<uint64_t, std::pair<size_t, int>> known;
  for (size_t i = 0; i < files.size(); ++i) {
    const size_t person = whose[i];
    const int file = ++number[person];
    if (!runs[i]) {
      ++roll->people[person].unreadable;
      roll->unreadable.push_back({person, file, runs[i].error()});
      continue;
    }
    ++roll->runs;
    if (runs[i]->content != 0) {
      const auto [first, is_new] = known.emplace(runs[i]->content, std::pair(person, file));
      if (!is_new) roll->copies.push_back(copy_of(*roll, first->second, {person, file}, files[i]));
    }
    roll->unsealed += !runs[i]->is_sealed && runs[i]->changed.empty();
    if (runs[i]->changed.empty()) continue;
    roll->changed.push_back(
        {person,
         file,
         {ErrorCode::bad_input, "it was changed after it was saved: " + runs[i]->changed,
          files[i].path, "ask for the file as the program wrote it"}});
  }
  for (size_t i = 0; i < found.empty.size(); ++i) {
    roll->unreadable.push_back({whose[files.size() + i],
                                0,
                                {ErrorCode::bad_input, "no run is in it", found.empty[i].path,
                                 "put saved runs (*.jsonl) into it"}});
  }
}

/// Under the people's labels: a file's name may be that of somebody who typed none.
void add_board(const ClassRun& run, const ClassPerson& person, ClassRoll* roll) {
  Leaderboard own = run.board;
  for (Board& board : own.boards) {
    for (BoardEntry& entry : board.entries) {
      entry.name = person.label;
      if (!run.changed.empty())
        entry.note += (entry.note.empty() ? "" : "; ") + std::string("changed after it was saved");
    }
  }
  merge(std::move(own), &roll->board);
}

}  // namespace

Result<ClassRoll> read_class(const std::vector<std::string>& paths) {
  RIDGE_TRY(const ClassFiles found, find_class_files(paths));
  const std::vector<Result<ClassRun>> runs = read_class_files(found.files);
  ClassRoll roll;
  roll.files = static_cast<int>(found.files.size());
  const std::vector<size_t> whose = make_people(found, runs, &roll);
  std::vector<Handed> handed;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]) continue;
    handed.push_back({whose[i], &*runs[i]});
    add_board(*runs[i], roll.people[whose[i]], &roll);
    const double utc_s = runs[i]->utc_s;
    if (utc_s == 0) continue;
    roll.first_utc_s = roll.first_utc_s == 0 ? utc_s : std::min(roll.first_utc_s, utc_s);
    roll.last_utc_s = std::max(roll.last_utc_s, utc_s);
  }
  std::stable_sort(handed.begin(), handed.end(),
                   [](const Handed& a, const Handed& b) { return a.run->utc_s < b.run->utc_s; });
  rank_entries(&roll.board);
  add_deeds(handed, &roll);
  add_studied(handed, &roll);
  add_ladders(handed, &roll);
  add_compared(handed, &roll);
  add_remarks(found, runs, whose, &roll);
  return roll;
}

}  // namespace ridge::app
