// A report: what a run says, in the order a reader asks. build_report() decides every word and every
// number once; each format (format.h) only prints it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/core/result.h"
#include "common/record/diagnosis.h"
#include "common/record/faster.h"
#include "common/record/run.h"
#include "common/record/scaling.h"
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

/// A table in which each reason for a missing figure that several cells share is said once: the cells have a dash and
/// a raised number, the notes the number and the reason.
struct Footnoted {
  Table table;
  std::vector<std::string> notes;
};
Footnoted footnoted(const Table& table);

/// The groups of the appendix. Paper has the results only: what a class reads beside page 1.
enum class Part { results, charts, method };
const char* title_of(Part part);

/// One part of the page; empty members are left out.
struct Section {
  std::string id{}, title{};
  std::vector<std::string> paragraphs{};
  std::optional<chart::ChartModel> chart{};
  std::optional<Table> table{};
  bool table_behind = false;  ///< the chart's own figures: folded away where the format can
  std::vector<std::string> bullets{};
  std::vector<std::string> commands{};
  std::string code{};       ///< a file's text, as it is
  bool in_handout = false;  ///< a lesson's handout shows it too
  Part part = Part::method;
};

struct Options {
  std::string lab;  ///< id: results of another lab are left out, and named; empty: there is one lab
  std::string lab_title;  ///< "GEMM"; empty: the lab's id
  std::string about{};    ///< what its ladder does, a sentence; empty: not known
  Titles titles;          ///< kernel id -> the lab's name of the rung
  Levers levers{};        ///< the lab's, for diagnoses
  std::map<std::string, std::string>
      peers{};  ///< kernel id of a library -> the lab's words of what it does
  /// What of the lab's ladder could be taken in place of a rung at these parameters; null: nothing is said of it.
  std::function<std::vector<LadderRung>(const std::string& kernel, const Params& params)>
      ladder_after{};
  std::vector<std::string> order;  ///< kernel ids in the ladder's order; others follow as they ran
  std::string quality_limit;       ///< the lab's words; empty: from the checks
  /// What follows them for a rung of one type, where the limit depends on it: "bf16": "at most ...".
  std::map<std::string, std::string> type_limits{};
  std::string quality_metric;   ///< task metric the lab is judged by, "accuracy"; empty: an error
  std::string items = "items";  ///< what its rates count
  std::map<std::string, std::string> items_of{};  ///< the same of families that count other things
  bool per_item = false;        ///< its times are those of an item
  std::map<std::string, std::string> param_titles{};  ///< what a reader calls its parameters
  Scaling scaling{};                                  ///< what its rungs are shared out over
  std::string data_set{};       ///< that the lab's rungs read; empty: random numbers, or not known
  std::map<std::string, std::string>
      previous{};  ///< kernel id -> the one that its step goes on from
  /// Why a rung is no step of the ladder at these parameters; empty: it is one.
  std::function<std::string(std::string_view kernel, const Params& params)> why_no_step{};
  std::string baseline, candidate;  ///< kernel id or its last part; empty: every comparison
  /// The lab's own, after the ladder: a published table that the run filled in.
  std::vector<Section> sections{};
  /// On page 1, after the climb: what a person did, such as a tour's answers.
  std::vector<Section> page_one{};
  /// The run is none of the reader's: "Recorded on NVIDIA H200, not measured here"; empty: it is.
  std::string recorded{};
  Notes notes{};  ///< what a person wrote, over what the runs hold
  Params only{};  ///< of a run that holds many sizes and types: those with these parameters
  /// Where the results are, as the reader knows it: "this session"; empty: the names of the inputs.
  std::string source{};
};

/// One baseline against one candidate.
struct Claim {
  Comparison comparison;
  Decision decision;
  bool paired = true;      ///< false: from two files, or never compared: no verdict, no decision
  std::string sentence{};  ///< the plain sentence
  std::string
      differences{};  ///< not paired: in what else the two runs differ, a sentence; may be empty
  const Run* run = nullptr;  ///< of the candidate
};

/// What a reader sees first: the one comparison's verdict, else what the ladder climbs.
struct Headline {
  std::string figure{};  ///< "▲ 4.00× as fast", "≈ 106× the first rung"
  std::string tone =
      "none";              ///< "faster", "slower", "same", "invalid" or "none": how it is coloured
  std::string interval{};  ///< with what it rests on; may be empty
  std::string decision{};  ///< "Adopt"; may be empty
  std::vector<std::pair<std::string, std::string>>
      facts{};  ///< name and figure: speed, quality check, library ...
};

/// A rung of the climb on page 1, in words, for a page that tells it step by step.
struct ClimbedRung {
  std::string kernel, title;
  std::string speed;  ///< with its interval; or why there is none
  std::string from{},
      from_title{};  ///< kernel id and name of the rung that its step goes on from; empty: the first
  std::string
      step{};  ///< "1.34× as fast, 95 % interval [1.34, 1.35], 40 rounds: faster", "≈ 1.34× ..."; may be empty
  bool is_paired = false;                 ///< the step was compared in pairs
  Verdict verdict = Verdict::unresolved;  ///< then the comparison's
  std::string bound{};  ///< what held it back, with the evidence; empty: not known
};

struct Report {
  std::string title, subtitle;  ///< "GEMM: blocked against naive -O1", "Intel Xeon · 2026-11-20"
  Headline headline{};
  std::string sentence;  ///< the headline in words, with its caveats
  std::string lead,
      rest;  ///< the same in two: what a page begins with, and what it says of it later
  std::string
      about{};  ///< what a rung and a ladder are, for one who reads the words for the first time; may be empty
  std::vector<Claim> claims;
  bool is_of_pair =
      false;  ///< title and headline are about the one claim; else about the ladder, whose claims they are
  std::vector<Section> front;     ///< page 1, after the headline
  std::vector<Section> sections;  ///< the appendix, by its parts
  std::vector<ClimbedRung>
      climb;  ///< the rungs of page 1 that are no libraries, in the ladder's order
  std::vector<Input> inputs;
  Notes notes;    ///< what a person wrote, in all formats
  Titles titles;  ///< for the JSON document's sentences
  Levers levers;  ///< for its diagnoses
};

/// One file, or the baseline from the first and the candidate from the second. Errors: usage (names
/// that match nothing, or two files without a single rung each), bad_input (nothing was measured).
Result<Report> build_report(std::span<const Input> inputs, const Options& options);

/// What a learner's edit of a rung is called: "your copy of loop order".
std::string copy_title(const std::string& original);

/// Plain text for a mail or a chat: the claim with its interval, the machine, and the command that does it again.
std::string plain_summary(const Report& report);

}  // namespace ridge::report
