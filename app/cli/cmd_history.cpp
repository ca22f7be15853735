// ridgepoint history [RUNG]: what was measured here over time, and where its level changed; history add FILE...: results
// of saved runs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/history/entries.h"
#include "app/history/history_page.h"
#include "app/history/rung_history.h"
#include "app/query/selection.h"
#include "app/query/terminal.h"
#include "common/core/nearest.h"
#include "common/record/run.h"

namespace ridge::app {
namespace {

struct HistoryOptions {
  std::vector<std::string> words;  ///< RUNG, or add FILE...
  std::vector<std::string> set;
  std::string machine, out, database;
  bool diff = false, whole = false;
};

/// Of a table in a terminal without --all.
constexpr size_t kMostRows = 40;

Result<history::HistoryStore> open_store(const HistoryOptions& options) {
  const std::string path = options.database.empty() ? history::history_path() : options.database;
  if (path.empty())
    return Error{ErrorCode::unavailable,
                 "no history is kept, because RIDGEPOINT_HISTORY is off or there is no home folder",
                 "", "set RIDGEPOINT_HISTORY to a file, or give --database FILE"};
  return history::HistoryStore::open(path);
}

/// What each file holds is added by itself, so that one that cannot be read costs no other.
int add_files(const CommonOptions& common, const HistoryOptions& options) {
  auto store = open_store(options);
  if (!store) return fail(common, store.error());
  if (options.words.size() < 2)
    return fail(common, {ErrorCode::usage, "no file is named", "history add",
                         "name saved runs: history add run.jsonl"});
  int code = 0;
  Json list = Json::array();
  for (size_t i = 1; i < options.words.size(); ++i) {
    const std::string& file = options.words[i];
    const auto run = Run::load(file);
    if (!run) {
      code = fail(common, run.error());
      continue;
    }
    const history::RunEntries made = history::entries_of(*run);
    const auto added = store->add(made.entries, made.sources);
    if (!added) return fail(common, added.error());
    list.push_back({{"file", file},
                    {"added", added->entries},
                    {"known", added->known},
                    {"left_out", made.left_out}});
    std::string said = file + ": " + std::to_string(added->entries) + " added, " +
                       std::to_string(added->known) + " known already";
    if (made.left_out > 0)
      said += ", " + std::to_string(made.left_out) +
              " left out: not verified, or not measured by this program";
    if (!common.json) print(said + "\n");
  }
  if (common.json && code == 0) print_json({{"ridgepoint", 1}, {"files", std::move(list)}});
  return code;
}

/// Whether the word names a lab that the history has results of: they are left, as without a word.
bool keep_lab(const std::string& name, std::vector<history::Entry>* entries) {
  const auto is_of_lab = [&](const history::Entry& one) { return one.lab == name; };
  if (std::none_of(entries->begin(), entries->end(), is_of_lab)) return false;
  std::erase_if(*entries, [&](const history::Entry& one) { return !is_of_lab(one); });
  return true;
}

/// A rung by its whole id or its last part, as far as the history has it.
Result<std::string> known_rung(const std::string& name,
                               const std::vector<history::Entry>& entries) {
  const auto has = [&](const std::string& id) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const history::Entry& one) { return one.kernel == id; });
  };
  if (has(name)) return name;
  if (const std::string id = full_id(name); has(id)) return id;
  for (const history::Entry& one : entries)
    if (one.kernel.ends_with("." + name)) return one.kernel;
  std::set<std::string> ids;
  for (const history::Entry& one : entries) ids.insert(one.kernel);
  const std::vector<std::string> shown(ids.begin(), ids.end());
  const bool is_whole = name.find('.') != std::string::npos;
  std::vector<std::string> names;  // as they may be typed
  for (const std::string& id : shown) names.push_back(is_whole ? id : id.substr(id.rfind('.') + 1));
  return Error{ErrorCode::usage, "the history holds no result of “" + name + "”", "history",
               name_hint(name, names, "ridgepoint history", shown)};
}

/// The texts on both sides of each change.
Result<std::map<std::string, history::Source>> sources_of(
    const std::vector<history::RungHistory>& all, history::HistoryStore* store) {
  std::vector<std::string> hashes;
  for (const history::RungHistory& one : all)
    for (const history::LevelChange& change : one.changes)
      hashes.insert(hashes.end(), {change.before_hash, change.after_hash});
  RIDGE_TRY(const auto found, store->sources(hashes));
  std::map<std::string, history::Source> sources;
  for (const history::Source& one : found) sources[one.hash] = one;
  return sources;
}

std::string shown_text(const std::vector<history::RungHistory>& all, const HistoryOptions& options,
                       bool is_summary, const std::map<std::string, history::Source>& sources) {
  if (is_summary) return folded(history::summary_text(all));
  std::string text;
  for (const history::RungHistory& one : all) {
    text += (text.empty() ? "" : "\n") +
            folded(history::history_text(one, options.whole ? one.entries.size() : kMostRows));
    if (!options.diff) continue;
    for (const history::LevelChange& change : one.changes)
      text += "\n" + history::time_text(one.entries[change.first].ended_utc_s) + "  " +
              history::source_diff(change, sources);
  }
  return text;
}

int cmd_history(const CommonOptions& common, const HistoryOptions& options) {
  if (!options.words.empty() && options.words.front() == "add") return add_files(common, options);
  if (options.words.size() > 1)
    return fail(common, {ErrorCode::usage, "one rung at a time", "history",
                         "name one, or its lab, or none for all"});
  auto store = open_store(options);
  if (!store) return fail(common, store.error());
  auto entries = store->entries();
  if (!entries) return fail(common, entries.error());
  history::Asked asked{.machine = options.machine};
  for (const std::string& word : options.set)
    asked.params += (asked.params.empty() ? "" : " ") + word;
  const bool is_of_lab = !options.words.empty() && keep_lab(options.words.front(), &*entries);
  if (!options.words.empty() && !is_of_lab && !entries->empty()) {
    const auto rung = known_rung(options.words.front(), *entries);
    if (!rung) return fail(common, rung.error());
    asked.kernel = *rung;
  }
  const bool is_empty = entries->empty();
  const auto all = history::rung_histories(std::move(*entries), asked);
  const auto sources = sources_of(all, &*store);
  if (!sources) return fail(common, sources.error());
  if (!options.out.empty()) {
    const auto written = write_beside_older(
        common, options.out, [&] { return history::write_history(all, *sources, options.out); });
    if (!written) return fail(common, written.error());
    if (!common.json) complain("wrote " + options.out);
  }
  if (common.json) {
    print_json(history::history_json(all));
  } else if (is_empty) {
    print(
        "The history is empty: each verified result of 'ridgepoint run' enters it, and 'ridgepoint "
        "history add FILE' "
        "adds those of saved runs.\n");
  } else if (all.empty()) {
    print("Nothing in the history fits --set and --machine.\n");
  } else if (options.out.empty()) {
    print_as_is(shown_text(all, options, options.words.empty() || is_of_lab,
                           *sources));  // a diff holds code
  }
  return 0;
}

Command setup_history(CLI::App& command, const CommonOptions& common) {
  const auto options = std::make_shared<HistoryOptions>();
  command.add_option("RUNG", options->words, "a rung, or a lab, or: add RUN.jsonl ...");
  one_at_a_time(command.add_option("--set", options->set, "only this problem: n=1024 (repeat)"));
  command.add_option("--machine", options->machine, "only machines with this in their name");
  command.add_flag("--diff", options->diff, "also what changed in the source at each change");
  command.add_flag("--all", options->whole, "all results, not the newest 40 alone");
  command.add_option("--out", options->out, "write it: .html, .svg or .csv");
  command.add_option("--database", options->database, "another history than the user's own");
  return [options, &common] { return cmd_history(common, *options); };
}

RIDGE_COMMAND(
    history, .about = "results over time, and where their level changed",
    .group = CommandGroup::report,
    .use =
        "Shows the results that this machine gave before, and where the level of a rung changed.",
    .examples = {{"history", "a line for each rung measured here"},
                 {"history loop_order --set n=512 --diff",
                  "one rung, and what changed in its source"}},
    .place = 127, .level = Level::kLab, .schema = "", .setup = setup_history);

}  // namespace
}  // namespace ridge::app
