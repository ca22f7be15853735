// A report: what a run says, in the order a reader asks. build_report() decides every word and every
// number once; each format (format.h) only prints it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/diagnosis.h"
#include "common/record/run.h"
#include "common/view/chart/model.h"
#include "common/view/report/decision.h"

namespace ridge::report {

/// One saved or live run. It must outlive the report: samples are read when a file is written.
struct Input {
  const Run* run = nullptr;
  std::string name;  ///< "RUN.jsonl": how the reader knows it
};

struct Table {
  std::vector<std::string> columns{};
  std::vector<std::vector<std::string>>
      rows{};          ///< empty cells after an "unavailable" belong to it
  bool prose = false;  ///< the cells are words, not figures
};

/// One part of the page; empty members are left out.
struct Section {
  std::string id{}, title{};
  std::vector<std::string> paragraphs{};
  std::optional<chart::ChartModel> chart{};
  std::optional<Table> table{};
  bool table_behind = false;  ///< the chart's own figures: folded away where the format can
  std::vector<std::string> bullets{};
  std::vector<std::string> commands{};
  bool in_handout = false;  ///< a lesson's handout shows it too
};

struct Options {
  std::string lab_title;           ///< "GEMM"; empty: the lab's id
  Titles titles;                   ///< kernel id -> the lab's name of the rung
  Levers levers{};                 ///< the lab's, for diagnoses
  std::vector<std::string> order;  ///< kernel ids in the ladder's order; others follow as they ran
  std::string quality_limit;       ///< the lab's words; empty: from the checks
  std::string quality_metric;   ///< task metric the lab is judged by, "accuracy"; empty: an error
  std::string items = "items";  ///< what its rates count
  std::string baseline, candidate;  ///< kernel id or its last part; empty: every comparison
  /// The lab's own, after the ladder: a published table that the run filled in.
  std::vector<Section> sections{};
  Params only{};  ///< of a run that holds many sizes and types: those with these parameters
};

/// One baseline against one candidate.
struct Claim {
  Comparison comparison;
  Decision decision;
  bool paired = true;        ///< false: from two files, or never compared: no verdict, no decision
  std::string sentence{};    ///< the plain sentence
  const Run* run = nullptr;  ///< of the candidate
};

struct Report {
  std::string title, subtitle;  ///< "GEMM: blocked against naive -O1", "Intel Xeon · 2026-11-20"
  std::string sentence;         ///< the first thing read
  std::vector<Claim> claims;    ///< the headline's is the last; empty: a ladder report
  std::vector<Section> sections;
  std::vector<Input> inputs;
  Titles titles;  ///< for the JSON document's sentences
  Levers levers;  ///< for its diagnoses
};

/// One file, or the baseline from the first and the candidate from the second. Errors: usage (names
/// that match nothing, or two files without a single rung each), bad_input (nothing was measured).
Result<Report> build_report(std::span<const Input> inputs, const Options& options);

}  // namespace ridge::report
