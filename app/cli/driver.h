// A session as a command drives it: wait for this, show progress, obey Ctrl+C, and write every line
// to the output file as it comes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/cli/cli.h"
#include "app/query/editing.h"
#include "app/query/selection.h"
#include "app/session/session.h"
#include "app/session/transcript_file.h"
#include "common/record/run.h"
#include "common/view/report/document.h"

namespace ridge::app {

// What a long request is doing: on a terminal a line that is redrawn in place, elsewhere a line for each thing begun.

/// "gemm.cpu.naive_o3 (2 of 5) · timing · 40 samples · 271 µs ±0.4 % · 3 s left · interval ±0.9 %".
std::string progress_text(const Run& run);

class ProgressLine {
 public:
  ProgressLine();  ///< shows nothing unless stderr is a terminal
  ~ProgressLine() { clear(); }
  /// Where stderr is no terminal: prints this once there is something at work, and from then on what is begun, a line each.
  void begin(const std::string& what);
  /// Redraws at most ten times a second.
  void update(const Run& run);
  /// The same for a text of the caller's; elsewhere than on a terminal a line every `every_s`.
  void show(const std::string& text, double every_s);
  void clear();

 private:
  void log(const Run& run);
  void draw(const std::string& text);
  bool is_at_work(const Run& run) const;

  bool enabled_ = false, shown_ = false, logs_ = false;
  std::string begun_;  ///< to be said once it is at work
  std::set<std::string> logged_;
  std::chrono::steady_clock::time_point last_;
};

class Driver {
 public:
  /// Opens `out` (may be empty) before anything is started, starts the worker, waits for its hello.
  /// `runs_commands`: as Session::Options.
  static Result<std::unique_ptr<Driver>> start(const CommonOptions& common, const std::string& out,
                                               bool runs_commands = false);

  /// Waits until request `id` is done. Errors: worker lost, cancelled, or what the worker said.
  /// What was measured until then stays in run().
  Result<void> finish(int64_t id, const std::function<void()>& each_step = {});
  /// list, and wait for it.
  Result<void> fetch_catalogue();
  /// The whole id of a rung of a lab or of the worker. Errors: usage, with what may have been meant.
  Result<std::string> find_kernel(const std::string& name);
  /// Has the worker build a learner's text; the EditBuild says whether it could.
  Result<EditBuild> build(const std::string& kernel, const std::string& dtype,
                          const std::string& text);
  Result<void> fetch_assembly(const std::string& kernel);
  Result<void> fetch_source(const std::string& kernel_or_path);
  /// What machine this is: a probe begins with it, and its ceilings, which take seconds, are not waited for.
  Result<void> fetch_environment();
  /// The ceilings of this machine, and the environment that comes with them. `anew`: none that an earlier command measured.
  Result<void> fetch_ceilings(int device, bool anew);
  /// The sources of the kernels: for the transcript.
  Result<void> fetch_sources(const std::vector<KernelRequest>& kernels);
  /// Sends the request and waits for it.
  Result<void> carry_out(WorkRequest request, int64_t* id,
                         const std::function<void()>& each_step = {});
  /// A CUDA rung counted on the CPU; `text`: a learner's in place of its own, or empty.
  Result<KernelCounts> count(const std::string& kernel, const Params& params,
                             const std::string& text);
  /// As ProgressLine::begin().
  void say_begun(const std::string& what) { progress_.begin(what); }
  /// Prints to stdout, above the line of the progress. Not while a block is timed: it would disturb it.
  bool may_print() const { return !session_->in_timed_block(); }
  void print_above(const std::string& text);
  /// Into the transcript: common/record/notes.h.
  void note(const std::string& key, const std::string& text) { session_->note(key, text); }
  /// Who measures, as the window's Class has it.
  void name_person(const std::string& name) { session_->name_learner(name); }
  /// The same on standard error.
  void complain_above(const std::string& text);
  /// Completes the output file; true if there is one. To be called whatever happened before. A run that is there already is
  /// kept beside it, and that is said, unless the file is made anew on purpose.
  Result<bool> close_file(bool replaces = false);

  const Run& run() const { return session_->run(); }

 private:
  Driver(std::unique_ptr<Session> session, std::optional<GrowingFile> file, std::string out);
  Result<void> await_hello();
  void step();

  std::unique_ptr<Session> session_;
  std::optional<GrowingFile> file_;
  std::string out_;  ///< its path; empty: nothing is saved
  bool is_forced_ = false;  ///< a run that is there already is replaced
  std::optional<Error> file_error_;
  ProgressLine progress_;
};

/// How often Ctrl+C was pressed (SIGINT, SIGTERM, SIGHUP) since the handler was set.
int interrupts();
/// From now on an interrupt is counted instead of ending the program; the third one ends it.
void catch_interrupts();

// What run, compare and the ladder without a display share: from the options to a finished request.

struct MeasureOptions {
  std::string lab;
  std::vector<std::string> rungs;  ///< run; empty: all that this machine can run
  std::string table;               ///< run; a published table of the lab, instead of rungs
  std::string workload;            ///< run; a network's calls, by each of the rungs
  std::string baseline;            ///< compare: RUNG[:k=v,..]
  std::vector<std::string> candidates;
  std::vector<std::string> set;  ///< "n=1024"
  RunMode mode = RunMode::measure;
  CacheMode cache = CacheMode::hot;
  std::string out;
  std::string person;  ///< who measures; empty: the run has no name
  std::optional<double> margin, limit_s;
  std::optional<int64_t> rounds;  ///< compare
  /// compare: lines of a budget as they were typed, --may-lose and --accuracy-target among them
  std::vector<std::string> budget;
  int device = 0;
  bool sustained = true;           ///< compare: turns alone where a GPU's clock is held down
  bool counters = false;           ///< run; a GPU's too, in a worker of their own
  std::vector<std::string> edits;  ///< learners' files, "FILE" or "KERNEL=FILE": rungs too
  // compare without a lab: baseline and candidates are commands
  std::vector<std::string> names;  ///< of the baseline, then of each candidate
  std::string check, reference;
  std::optional<double> call_limit_s;
};

/// The options that run and compare share.
void add_measuring(CLI::App* command, MeasureOptions* options);

/// What --budget and its older spellings demand. Errors usage: as of parse_budget().
Result<Budget> budget_of(const MeasureOptions& options);

/// An option that takes one of `names`; `take` gets it.
void add_choice(CLI::App* command, const char* name, const char* help,
                const std::vector<std::string>& names,
                std::function<void(const std::string&)> take);
/// An option that takes the name of one of `choices`.
template <class Enum>
void add_choice(CLI::App* command, const char* name, Enum* value,
                std::initializer_list<Enum> choices, const char* help) {
  std::vector<std::string> names;
  for (const Enum choice : choices) names.push_back(to_string(choice));
  add_choice(command, name, help, names,
             [value](const std::string& text) { *value = *value_named<Enum>(text); });
}

/// A measurement that has begun; `error` says how it ended when it did not end well. What was
/// measured until then is in driver->run().
struct Measured {
  std::unique_ptr<Driver> driver;
  const Lab* lab = nullptr;
  Selection selection;
  std::vector<std::string> edited;  ///< ids of the learners' rungs, in the order given
  int64_t request = 0;              ///< 0: nothing was asked yet
  std::optional<Error> error;
  bool saved = false;  ///< the output file is complete
};

/// Chooses what is measured, once the catalogue is there.
/// `edited` are the rungs that were built from learners' files for it.
using Choose = std::function<Result<Selection>(const Lab& lab, const Run& run, const Params& set,
                                               const std::vector<std::string>& edited)>;

/// Called every 0.1 s or more often while the request is carried out.
using EachStep = std::function<void(Driver& driver, int64_t request)>;

/// Lab, parameters and output file are checked before a worker is started; rungs and parameters
/// before anything is measured; then catalogue, sources and the request itself. The file
/// is completed whatever happened. `before` is told the request just before it is sent.
Measured measure(const CommonOptions& common, const MeasureOptions& options, RequestType type,
                 const Choose& choose, const std::function<void(const WorkRequest&)>& before = {},
                 const EachStep& each_step = {});

/// The same for a request that names commands: no lab, no catalogue, and a worker that runs commands.
Measured measure_commands(const CommonOptions& common, const MeasureOptions& options,
                          WorkRequest request, const EachStep& each_step = {});

/// Errors end a command with their code; else `code` stands. Prints nothing that is not an error.
int finish_command(const CommonOptions& common, const MeasureOptions& options,
                   const Measured& measured, int code);

/// Has the worker build the file, for the data type in `given` where there is one. Errors: invalid, with the first
/// message and its place, where it does not build; what finish() says otherwise. The compiler's messages go to stderr.
/// `is_brief`: the error leaves to stderr what that message says.
Result<EditBuild> build_file(Driver* driver, const EditArgument& edit, const Params& given,
                             bool is_brief = true);

/// Told the request just before it is sent, and whether its sides are trainings.
using BeforeComparison = std::function<void(const WorkRequest& request, bool trainings)>;

/// What `compare` measures: rungs of options.lab; where none is named commands, or libraries. In cmd_compare.cpp.
Measured measure_comparison(const CommonOptions& common, const MeasureOptions& options,
                            const BeforeComparison& before, const EachStep& each_step = {});

/// 'ridgepoint compare', and the check of an exercise: compares rungs in interleaved pairs, prints the result and returns
/// the exit code. In cmd_compare.cpp.
/// `after` is told what was measured.
int cmd_compare(const CommonOptions& common, const MeasureOptions& options,
                const std::function<void(const Measured&)>& after = {});

/// The same for commands; in compare_commands.cpp.
Result<WorkRequest> command_request(const MeasureOptions& options);

/// The document of --json, with the rungs that were left out.
Json json_of(const Measured& measured);

}  // namespace ridge::app
