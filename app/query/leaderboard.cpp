#include "app/query/leaderboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/query/terminal.h"
#include "app/session/saved_run.h"
#include "common/core/files.h"
#include "common/core/format.h"
#include "common/record/believable.h"
#include "common/record/derive.h"
#include "common/record/note_text.h"
#include "common/record/params.h"
#include "labs/lab.h"

namespace ridge::app {
namespace {

namespace fs = std::filesystem;

const Series* side_of(const Run& run, const Comparison& comparison) {
  for (const Series& series : run.series()) {
    if (series.request == comparison.request && series.index == comparison.candidate_index) {
      return &series;
    }
  }
  return nullptr;
}

/// Why a comparison cannot be ranked; empty when it can.
std::string why_not_ranked(const Run& run, const Comparison& comparison) {
  if (comparison.verdict == Verdict::invalid) {
    return comparison.reasons.empty() ? "its comparison is invalid" : comparison.reasons.front();
  }
  const Series* series = side_of(run, comparison);
  if (series == nullptr || series->status != SeriesStatus::ok || !series->quality_passed()) {
    return "its output was not verified";
  }
  if (const std::string why = why_claimed(*series); !why.empty())
    return "its time is claimed: " + why;
  if (!comparison.ci) return "its comparison had too few rounds for an interval";
  if (machine_class(run, comparison.candidate).empty())
    return "it does not say which machine ran it";
  return "";
}

/// The one of the same list, which is added where there is none.
Board* board_like(Board wanted, Leaderboard* all) {
  for (Board& board : all->boards) {
    const bool same = board.kernel == wanted.kernel && board.baseline == wanted.baseline &&
                      board.machine == wanted.machine && board.cache == wanted.cache &&
                      board.params == wanted.params;
    if (same) return &board;
  }
  return &all->boards.emplace_back(std::move(wanted));
}

Board* board_for(const Run& run, const Comparison& comparison, Leaderboard* all) {
  Board wanted;
  wanted.kernel = comparison.candidate;
  wanted.baseline = comparison.baseline;
  wanted.machine = machine_class(run, comparison.candidate);
  wanted.cache = comparison.cache;
  wanted.params = comparison.candidate_params;
  return board_like(std::move(wanted), all);
}

/// What a reader has to know of a place in the list.
std::string remarks_of(const BoardEntry& entry) {
  if (!entry.contended || entry.note.empty()) return entry.contended ? "contended" : entry.note;
  return "contended; " + entry.note;
}

BoardEntry entry_of(const Run& run, const Comparison& comparison, const std::string& file) {
  const Series& series = *side_of(run, comparison);
  BoardEntry entry;
  entry.file = file;
  entry.name = run.learner().empty() ? file : run.learner();
  entry.hash = series.hash;
  entry.note = note_text(series.note);
  entry.ratio = comparison.ratio;
  entry.ci = *comparison.ci;
  if (!series.stats) return entry;
  entry.median_ns = series.stats->median_ns;
  const auto& flags = series.stats->flags;
  entry.contended = std::find(flags.begin(), flags.end(), "contended") != flags.end();
  return entry;
}

}  // namespace

std::string machine_class(const Run& run, const std::string& kernel) {
  if (!run.environment()) return "";
  const Environment& environment = *run.environment();
  const bool gpu = backend_of(kernel) == Backend::cuda;
  if (gpu) return environment.gpus.empty() ? "" : environment.gpus.front().name;
  return fmt::format("{}, {} cores, {}", environment.cpu.model, environment.cpu.cores,
                     environment.cpu.isa);
}

void add_run(const Run& run, const std::string& file, Leaderboard* all) {
  bool is_ranked = false;
  std::string why;
  for (const Comparison& comparison : run.comparisons()) {
    if (!is_edit(comparison.candidate)) continue;
    if (std::string reason = why_not_ranked(run, comparison); !reason.empty()) {
      why = std::move(reason);
      continue;
    }
    is_ranked = true;
    Board* board = board_for(run, comparison, all);
    std::erase_if(board->entries, [&](const BoardEntry& entry) { return entry.file == file; });
    board->entries.push_back(entry_of(run, comparison, file));
  }
  if (is_ranked) return;
  std::string hint;
  if (why.empty()) {
    const bool has_edit = std::any_of(run.series().begin(), run.series().end(),
                                      [](const Series& one) { return is_edit(one.kernel); });
    why = has_edit ? "its rung was not compared with the one that it goes on from"
                   : "no learner's rung is in it";
    hint = "ridgepoint exercise check FILE --out RUN.jsonl makes a run that is ranked";
  }
  all->left_out.push_back({ErrorCode::invalid, why, file, hint});
}

void merge(Leaderboard other, Leaderboard* all) {
  for (Board& board : other.boards) {
    std::vector<BoardEntry> entries = std::exchange(board.entries, {});
    Board* known = board_like(std::move(board), all);
    for (BoardEntry& entry : entries) known->entries.push_back(std::move(entry));
  }
  for (Error& error : other.left_out) all->left_out.push_back(std::move(error));
}

void rank_entries(Leaderboard* all) {
  for (Board& board : all->boards) {
    std::sort(board.entries.begin(), board.entries.end(),
              [](const BoardEntry& a, const BoardEntry& b) { return a.ratio > b.ratio; });
    const BoardEntry* first = nullptr;  // of the tie that is being filled
    for (size_t i = 0; i < board.entries.size(); ++i) {
      BoardEntry& entry = board.entries[i];
      if (first == nullptr || !(entry.ci.high >= first->ci.low)) {
        first = &entry;
        entry.rank = static_cast<int>(i) + 1;
      } else {
        entry.rank = first->rank;
      }
    }
  }
}

Result<Leaderboard> read_leaderboard(const std::string& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    return Error{ErrorCode::bad_input,
                 fs::exists(folder, failed) ? "it is no folder" : "it is not there", folder,
                 "put each learner's RUN.jsonl into a folder and name that"};
  }
  Leaderboard all;
  for (const fs::path& file : entries_of(folder)) {
    if (file.extension() != ".jsonl") continue;
    const auto run = load_saved(file.string());
    if (run) {
      add_run(*run, file.stem().string(), &all);
    } else {
      all.left_out.push_back(run.error());
    }
  }
  rank_entries(&all);
  return all;
}

std::string leaderboard_text(const Leaderboard& all) {
  std::string text;
  for (const Board& board : all.boards) {
    text +=
        fmt::format("{}{} against {}\n{}, {}, {} cache\n", text.empty() ? "" : "\n",
                    original_of(board.kernel), board.baseline, board.machine,
                    params_in_words(original_of(board.kernel), board.params), board.cache.text());
    std::vector<std::vector<std::string>> rows;
    for (size_t i = 0; i < board.entries.size(); ++i) {
      const BoardEntry& entry = board.entries[i];
      const bool tied = (i > 0 && board.entries[i - 1].rank == entry.rank) ||
                        (i + 1 < board.entries.size() && board.entries[i + 1].rank == entry.rank);
      rows.push_back({fmt::format("{}{}  {}", entry.rank, tied ? "=" : " ", entry.name),
                      fmt::format("{:.3g}×", entry.ratio),
                      fmt::format("[{:.4g}, {:.4g}]", entry.ci.low, entry.ci.high),
                      entry.median_ns > 0 ? format_time_ns(entry.median_ns) : "",
                      entry.hash.substr(0, 7), remarks_of(entry)});
    }
    text += table({"rank", "faster", "95 %", "time per call", "source", "note"}, rows);
  }
  if (all.boards.size() > 1) {
    text +=
        "\nlists of different machines, sizes or baselines are not comparable with each other\n";
  }
  if (!all.boards.empty()) {
    text +=
        "\nfaster: the baseline's time over theirs, from interleaved pairs within each run; = a "
        "tie: the intervals overlap\n";
  } else {
    text +=
        "no run is ranked yet: a learner runs 'ridgepoint exercise check FILE --out NAME.jsonl' "
        "and puts NAME.jsonl into this folder\n";
  }
  for (const Error& error : all.left_out) text += "not ranked: " + error.sentence() + "\n";
  return text;
}

Json leaderboard_json(const Leaderboard& all) {
  Json boards = Json::array(), left_out = Json::array();
  for (const Board& board : all.boards) {
    Json entries = Json::array();
    for (const BoardEntry& entry : board.entries) {
      entries.push_back({{"rank", entry.rank},
                         {"name", entry.name},
                         {"file", entry.file},
                         {"ratio", entry.ratio},
                         {"ci_low", entry.ci.low},
                         {"ci_high", entry.ci.high},
                         {"median_ns", entry.median_ns},
                         {"hash", entry.hash},
                         {"contended", entry.contended},
                         {"note", entry.note}});
    }
    boards.push_back({{"kernel", original_of(board.kernel)},
                      {"baseline", board.baseline},
                      {"machine", board.machine},
                      {"params", params_to_json(board.params)},
                      {"cache", board.cache},
                      {"entries", entries}});
  }
  for (const Error& error : all.left_out) {
    left_out.push_back({{"file", error.where}, {"reason", error.what}});
  }
  return {{"ridgepoint", 1}, {"leaderboard", boards}, {"left_out", left_out}};
}

}  // namespace ridge::app
