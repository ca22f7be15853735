// The commands, as main.cpp parsed them. Each returns the program's exit code (ErrorCode, or 1 for
// slower and 2 for unresolved) and has a file of its own, cmd_<name>.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/record/json.h"
#include "common/record/noise_floor.h"
#include "common/record/serving.h"
#include "labs/workload.h"

namespace ridge::app {

struct CommonOptions {
  bool json = false;
  std::string worker;      ///< launch command; empty: the worker beside this program
  std::string replay;      ///< a saved run
  std::string open;        ///< the same, given without a flag
  bool presenter = false;  ///< the window begins in presenter mode
};

struct MeasureOptions {
  std::string lab;
  std::vector<std::string> rungs;  ///< run; empty: all that this machine can run
  std::string table;               ///< run; a published table of the lab, instead of rungs
  std::string baseline;            ///< compare: RUNG[:k=v,..]
  std::vector<std::string> candidates;
  std::vector<std::string> set;  ///< "n=1024"
  std::string mode = "measure", cache = "hot", out;
  std::optional<double> margin, limit_s;
  int device = 0;
  bool counters = false;           ///< run; a GPU's too, in a worker of their own
  std::vector<std::string> edits;  ///< learners' files, "FILE" or "KERNEL=FILE": rungs too
};

struct ExerciseOptions {
  std::string what, name;        ///< "list", "start" ...; of check a file
  std::string to, out;           ///< start: the file; check: the saved run
  std::vector<std::string> set;  ///< check; empty: the lab's first look
};

struct EditOptions {
  std::string kernel, to;        ///< to: the copy; empty: in the learner's folder
  std::vector<std::string> set;  ///< watch; "n=1024"
  bool watch = false;            ///< run it at every save
};

struct ReportFileOptions {
  std::vector<std::string> runs;  ///< one or two files
  std::string baseline, candidate, out;
  std::vector<std::string> set;  ///< "n=4096": of a run with many sizes, this one
};

struct ShotFileOptions {
  std::string scenes;  ///< one, several with commas between, or all
  std::string out, lab, rung;
  std::vector<std::string> themes = {"dark"};  ///< each scene in each, at each scale
  std::vector<float> scales = {1};
  int width = 1600, height = 1000;
};

struct SelftestOptions {
  std::string kind = "aa", lab = kSelfCheckLab, rung = kSelfCheckRung, out;
  std::vector<std::string> set = {kSelfCheckSet};
  int runs = kSelfChecks;
};

struct TourOptions {
  std::string id;         ///< empty: the list of tours
  bool rehearse = false;  ///< run every step here, headless
  std::string out;        ///< folder of the fallback runs; empty: one beside the reports
};

struct HandoutOptions {
  std::string lab, run, out;
};

struct InspectOptions {
  std::string kernel, out;
  std::vector<std::string> set;
  std::optional<int64_t> input, unit, place;
  bool wrong = false;
};

struct ServeOptions {
  std::string kernel, out;
  std::vector<std::string> set;
  ServeAsked asked;
  double wait_ms = 0, limit_ms = 100;
};

struct ModelOptions {
  ModelShape shape;
  std::string run;  ///< of all types: a saved run to take the figures from, instead of measuring
  std::string out;
  int64_t threads = 1;
};

int cmd_open(const CommonOptions& common);
int cmd_list(const CommonOptions& common);
/// The window's actions and their keys.
int cmd_actions(const CommonOptions& common);
/// A rung's assembly, its hot loop marked.
int cmd_assembly(const CommonOptions& common, const std::string& kernel);
/// The inside of a rung's model, or what it makes of a test input.
int cmd_inspect(const CommonOptions& common, const InspectOptions& options);
/// A queue of requests before a rung's step.
int cmd_serve(const CommonOptions& common, const ServeOptions& options);
/// Tokens a second of a model that is described.
int cmd_model(const CommonOptions& common, const ModelOptions& options);
int cmd_exercise(const CommonOptions& common, const ExerciseOptions& options);
int cmd_leaderboard(const CommonOptions& common, const std::string& folder);
int cmd_edit(const CommonOptions& common, const EditOptions& options);
int cmd_run(const CommonOptions& common, const MeasureOptions& options);
int cmd_table(const CommonOptions& common, const MeasureOptions& options);
int cmd_compare(const CommonOptions& common, const MeasureOptions& options);
int cmd_report(const CommonOptions& common, const ReportFileOptions& options);
int cmd_machine(const CommonOptions& common);
int cmd_shot(const CommonOptions& common, const ShotFileOptions& options);
int cmd_tour(const CommonOptions& common, const TourOptions& options);
int cmd_handout(const CommonOptions& common, const HandoutOptions& options);
int cmd_selftest(const CommonOptions& common, const SelftestOptions& options);

/// Says the error on stderr, and with --json as a document on stdout (docs/schema/
/// error.schema.json); returns its exit code.
int fail(const CommonOptions& common, const Error& error);
/// To stdout, indented; always UTF-8.
void print_json(const Json& json);

}  // namespace ridge::app
