// A run: what a transcript adds up to. The one reducer behind the live view, replay, reports and
// tests: feed it the lines of both directions in order, and read the state.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"
#include "common/core/stable_vector.h"
#include "common/record/json.h"
#include "common/record/moments.h"
#include "common/record/notes.h"
#include "common/record/rounds.h"
#include "common/record/rung_hash.h"
#include "common/record/seal.h"
#include "common/record/serving.h"
#include "common/record/telemetry.h"
#include "common/record/types.h"

namespace ridge {

/// What a request is doing now, for progress lines. All text comes from `phase` lines.
struct Progress {
  int64_t request = 0;
  int series = -1;  ///< -1: none yet
  std::string phase, text, open;
  std::optional<double> fraction, median_ns, left_s;
  std::optional<Interval> ci_ns;
};

struct Estimate {
  int64_t request = 0;
  int series = 0;      ///< position in the probe's kernels
  std::string kernel;  ///< at that position; empty if the probe is not in the run
  double call_ns = 0, total_s = 0;
  std::string reduced_from, reason;
  Params params;
};

struct Prediction {
  std::string kernel;
  Params params;
  double value = 0;  ///< expected time per call, ns; 0: a factor whose reference had no result yet
  size_t series_before = 0;  ///< series that the run held when it was made
  double factor = 0;         ///< said so: times as fast as `of`; 0: a time was said
  std::string of = {};       ///< kernel id
};

/// One request as the transcript shows it.
struct Request {
  int64_t id = 0;
  std::optional<RequestType> type;  ///< absent: only the worker's lines name it
  std::string lab;
  OpenEnum<RunMode> mode;
  OpenEnum<CacheMode> cache;
  std::string table;  ///< the lab's table whose rows were asked for; empty: rungs
  Params model;       ///< the described model whose parts were asked for; empty: none
  Rare<Budget> budget;               ///< compare: what was demanded of the candidates
  // As they were given, for the command that asks the same again; absent: the command's own.
  std::optional<int64_t> rounds;  ///< compare
  std::optional<double> limit_s, call_limit_s;
  int device = 0;
  bool sustained = true;             ///< compare
  std::vector<std::string> kernels;  ///< ids, as asked; compare: baseline first; of a probe that is over none
  bool open() const { return status == RequestStatus::open; }
  RequestStatus status = RequestStatus::open;
  Rare<Error> error;
};

class Run {
 public:
  /// More kernels than one request line of 64 KiB can name.
  static constexpr int kMostSeries = 4096;

  /// Takes one line. Lines before the magic are skipped; junk and unknown types go to log().
  /// Returns false for lines that changed nothing.
  bool apply_line(const std::string& line);
  bool apply(const Json& message);
  /// A `samples` line in the form that a worker writes, without a JSON tree. False: it is another, or in another
  /// form, and nothing was taken of it.
  bool apply_sample_line(const std::string& line);
  /// The worker ended without finishing: has_hello() is false again, open series become partial (or
  /// skipped, if nothing was measured), open requests failed, with this reason. Samples stay; their
  /// Stats are computed.
  void worker_lost(const std::string& reason);
  /// The worker was ended because a cancel could not reach it: has_hello() is false again, open series and
  /// requests are cancelled. Samples stay; their Stats are computed.
  void worker_cancelled(const std::string& reason);

  /// Reads a saved transcript. Truncated files keep what is whole and say so in log(); empty,
  /// binary, foreign and too large files, and what is no file, are an error that says what it is instead.
  /// A part that cannot be right (door.h) is left out; log() says how many of each kind.
  static Result<Run> load(const std::string& path);

  /// Of a run that load() read: what its file's seals say. A broken one is in log() too.
  const SealCheck& seals() const { return seals_; }

  /// Marks what is stale: each result of a rung whose hash is another in `now`, which is sorted by id. A result's note
  /// and a comparison's reasons then say so, which whatever shows a figure shows too. A rung that `now` lacks, a
  /// learner's for instance, is not stale, nor is a result without a hash.
  void mark_stale(std::span<const RungHash> now);

  const std::optional<Environment>& environment() const { return environment_; }
  const std::optional<QuietState>& quiet_after() const { return quiet_after_; }
  const std::vector<KernelInfo>& catalogue() const { return catalogue_; }
  bool catalogue_complete() const { return catalogue_complete_; }
  const std::vector<Ceiling>& ceilings() const { return ceilings_; }
  /// A series never moves once it is here: a pointer to it holds as long as this run.
  const StableVector<Series>& series() const { return series_; }
  const std::vector<Comparison>& comparisons() const { return comparisons_; }
  const Telemetry& telemetry() const { return telemetry_; }
  /// In the order received; empty in transcripts of before lines had times.
  const Moments& moments() const { return moments_; }
  /// On the worker's clock, its last looks at the machine: none, one or two, the latest last.
  const std::vector<double>& looks_s() const { return looks_s_; }
  const std::string& word(const Moment& moment) const { return words_[moment.word]; }
  /// Nor does a request.
  const std::deque<Request>& requests() const { return requests_; }
  const std::vector<Estimate>& estimates() const { return estimates_; }
  /// What a run of them takes beside its rungs: ceilings that were not measured yet, looks at the machine.
  double estimates_around_s() const { return estimates_around_s_; }
  const std::vector<Prediction>& predictions() const { return predictions_; }
  /// Who edited in it, as they typed their name; empty: no name was given.
  const std::string& learner() const { return learner_; }
  /// What a person wrote about it. The name is the learner's where no other was given.
  const Notes& notes() const { return notes_; }
  /// Looks inside models, in the order answered.
  const std::vector<Inspection>& inspections() const { return inspections_; }
  /// Counts of CUDA rungs that were emulated, in the order answered.
  const std::vector<KernelCounts>& counts() const { return counts_; }
  /// The last of this rung; null: it was not counted.
  const KernelCounts* latest_counts(const std::string& kernel) const;
  /// Queues before a rung, in the order answered.
  const std::vector<Serving>& servings() const { return servings_; }
  const std::vector<std::string>& log() const { return log_; }
  const std::optional<Progress>& progress() const { return progress_; }
  const std::optional<Error>& fatal() const { return fatal_; }
  bool has_hello() const { return has_hello_; }

  const SourceText* source(const std::string& kernel) const;
  const AssemblyText* assembly(const std::string& kernel) const;
  /// What the last `build` of this edited rung gave; null where there was none.
  const EditBuild* build(const std::string& kernel) const;
  /// What this `build` request gave; null while it is open.
  const EditBuild* build(int64_t request) const;
  const KernelInfo* kernel(const std::string& id) const;
  /// Which of a kernel's parameters is its size (params.h); empty where the catalogue does not say.
  std::string size_param(const std::string& kernel) const;
  const Request* request(int64_t id) const;
  /// Rounds of a comparison, in the order received.
  const Rounds& rounds(int64_t request) const;
  /// The latest series of this kernel that has a result or samples; null if none.
  const Series* latest(const std::string& kernel) const;
  /// Latest with these exact parameters.
  const Series* latest(const std::string& kernel, const Params& params) const;
  /// Those of this kernel, in the order begun; and of every kernel, some of whom may have none.
  const std::vector<const Series*>& series_of_kernel(const std::string& kernel) const;
  const std::map<std::string, std::vector<const Series*>>& series_by_kernel() const {
    return series_by_kernel_;
  }
  /// Those of this request, by index; and the latest with this index, null where there is none.
  std::vector<const Series*> series_of_request(int64_t request) const;
  const Series* series_of_request(int64_t request, int index) const {
    return find_series(request, index);
  }
  /// Counts every change but of what arrives many times a second: samples after a series' first
  /// (Series::version), telemetry (its size), and the progress of a request.
  uint64_t version() const { return version_; }
  /// No other run of this process has the same: of two at one address, too.
  uint64_t serial() const { return serial_; }

 private:
  static uint64_t next_serial();
  using Handler = bool (Run::*)(const Json& message);
  static Handler handler(const std::string& type);
  bool apply_from_app(const Json& message);
  bool apply_hello(const Json& message);
  bool apply_kernel(const Json& message);
  bool apply_end(const Json& message);
  bool apply_env(const Json& message);
  bool apply_phase(const Json& message);
  bool apply_problem(const Json& message);
  bool apply_check(const Json& message);
  bool apply_timing(const Json& message);
  bool apply_samples(const Json& message);
  bool apply_curve(const Json& message);
  bool apply_span(const Json& message);
  bool apply_telemetry(const Json& message);
  bool apply_result(const Json& message);
  bool apply_error(const Json& message);
  bool apply_done(const Json& message);
  bool apply_fatal(const Json& message);
  bool apply_pong(const Json& message);
  bool apply_outcome(const Json& message, const Json& outcome);
  bool apply_comparisons(const Json& message, const Json& list);
  bool apply_ceilings(const Json& list);
  bool apply_estimates(const Json& message, const Json& list);
  bool apply_inspection(const Json& message, const Json& object);
  bool apply_counts(const Json& message, const Json& object);
  bool refuse_version(const std::string& type, int64_t major);
  void keep_moment(const std::string& type, const Json& message);
  void keep_moment(Moment moment, std::string_view word);

  void open_request(RequestType type, const Json& message);
  Request& request_of(int64_t id);
  /// The running series a line belongs to; made if the app's line is missing. Null for lines
  /// that name none, and for requests that measure nothing.
  Series* series_of(const Json& message);
  Series* series_of(int64_t request, int index);
  Series* find_series(int64_t request, int index) const;
  Series* add_series(int64_t request, int index);
  /// Keeps series_by_kernel_; `before`: the kernel that it was listed under; null: none.
  void list_under_kernel(const Series* series, const std::string* before);
  void forget_series(const Series* series);
  Request& add_request(int64_t id);
  void touch(Series* series) { series->version = ++series_changes_; }
  void took_samples(Series* series, bool is_first);
  void close_series(Series* series, SeriesStatus status, const std::string& reason);
  void close_request(Request* request, RequestStatus status, const std::string& reason);
  /// A figure of this request that cannot be right (believable.h) makes its series failed, and its comparison INVALID.
  void disbelieve(const Request& request);
  void close_open(RequestStatus status, const std::string& reason);
  void note(std::string text);
  void take_seals(const SealCheck& seals);
  /// Leaves a part out: log() has one line for each `what`, with their number.
  void refuse(const std::string& what);
  /// Whether one more of `what` may be kept beside so many; if not it is refused.
  bool has_room(size_t count, const char* what);
  /// The usable elements of a message's list; the others are refused as `unusable`. False: it has none.
  template <class T>
  bool append(const Json& message, const char* name, const char* unusable, std::vector<T>* to);

  std::optional<Environment> environment_;
  std::optional<QuietState> quiet_after_;
  std::vector<KernelInfo> catalogue_;
  std::map<std::string, size_t> kernel_by_id_;  ///< position in catalogue_
  bool catalogue_complete_ = false;
  std::vector<Ceiling> ceilings_;
  std::map<std::string, size_t> ceiling_by_key_;  ///< position in ceilings_
  StableVector<Series> series_;
  /// By request and index. A file of two sessions may have both twice: the latest comes last.
  std::multimap<std::pair<int64_t, int>, Series*> series_by_id_;
  std::map<std::string, std::vector<const Series*>> series_by_kernel_;  ///< each list by `order`
  std::vector<Comparison> comparisons_;
  std::map<int64_t, Rounds> rounds_;
  std::map<std::string, SourceText> sources_;
  std::map<std::string, AssemblyText> assemblies_;
  std::map<int64_t, EditBuild> builds_;  ///< by request
  Telemetry telemetry_;
  Moments moments_;
  std::vector<double> looks_s_;            ///< on the worker's clock, the last two at the machine
  std::vector<std::string> words_ = {""};  ///< what moments say, each once
  std::deque<Request> requests_;
  std::map<int64_t, Request*> request_by_id_;  ///< the latest of each id
  Request refused_request_;                    ///< stands in for one that there was no room for
  std::vector<Estimate> estimates_;
  double estimates_around_s_ = 0;
  std::vector<Prediction> predictions_;
  std::string learner_;
  Notes notes_;
  std::vector<Inspection> inspections_;
  std::vector<KernelCounts> counts_;
  std::vector<Serving> servings_;
  SealCheck seals_;
  std::vector<std::string> log_;
  struct Refused {
    int64_t count = 0;
    size_t line = 0;  ///< of log_
  };
  std::map<std::string, Refused> refused_;  ///< by what was refused
  std::optional<Progress> progress_;
  std::optional<Error> fatal_;
  bool has_hello_ = false;
  bool started_ = false;        ///< the magic was seen
  bool other_version_ = false;  ///< the worker, or the file, speaks another major version
  MapPool<ParamValue> all_params_;
  MapPool<std::string> all_reasons_;  ///< why something was not measured
  MapPool<double> all_work_;
  uint64_t version_ = 0, serial_ = next_serial();
  uint64_t series_changes_ = 0, series_made_ = 0;
};

}  // namespace ridge
