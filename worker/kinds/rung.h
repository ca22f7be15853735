// A rung of the catalogue, whatever its kind: what a request may ask of it. Each kind is one file of this
// folder and one line of catalogue.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/measure/compare.h"
#include "common/harness/measure/harness.h"
#include "common/record/request.h"
#include "worker/machine.h"

namespace ridge::worker {

class Rung;

/// One rung's part of a request.
struct Job {
  const WorkRequest& request;
  const Params& params;  ///< complete
  int index = 0;         ///< of the rung in the request's list
  Machine* machine = nullptr;
  measure::Observer* observer = nullptr;
  const Rung* rung = nullptr;
};

/// How long a call of a rung takes, or why that is not known.
struct Estimated {
  measure::CallEstimate call;
  double total_s = 0;  ///< of everything that the request does with the rung
  std::string reason;  ///< not empty: there is no estimate
};

class Rung {
 public:
  explicit Rung(KernelInfo info) : info_(std::move(info)) {}
  virtual ~Rung() = default;

  const KernelInfo& info() const { return info_; }
  Backend backend() const { return info_.backend.value().value_or(Backend::cpu); }
  /// Why it cannot run here; empty if it can.
  std::string cannot() const;

  /// Its text, as it was compiled. Error usage: there is none in this worker.
  virtual Result<SourceText> source() const;
  virtual Result<AssemblyText> assembly(int capability,
                                        const std::function<bool()>& cancelled) const;

  /// Error unavailable: with these parameters its buffers do not fit, or there is no such problem. Asked before anything
  /// is measured for it; what is not known before it is made says so then.
  virtual Result<void> has_room(const Job& job) const;
  /// Everything that happens is in the Series; an Error means that the device is lost or that the request
  /// was cancelled before it began. Called for a rung that can run here.
  virtual Result<Series> measure(const Job& job) const = 0;
  /// The ceilings that it is held to with these parameters, as CeilingRow::asked_by(); none by default.
  virtual std::vector<std::string> ceilings(const Params& params) const;
  /// Whether a profiler may count its launches once it was timed, in a worker of their own.
  virtual bool is_counted_apart() const { return false; }

  /// Compares the rungs of a request in pairs, baseline first; all are of this rung's kind. Asked of the first, or of the
  /// one that carries_comparison(). Error usage: rungs of this kind are not compared.
  virtual Result<measure::CompareOutcome> compare(const std::vector<Job>& jobs) const;
  /// Its code is in no worker but its own, which compares the others too.
  virtual bool carries_comparison() const { return false; }

  // What only a kernel can be asked; the others say that they are none.
  virtual Result<Estimated> estimate(const Job& job) const;
  virtual Result<Serving> serve(const Job& job) const;

 protected:
  KernelInfo info_;
};

using Rungs = std::vector<std::unique_ptr<Rung>>;

/// The error of a rung that no text was embedded for.
Result<SourceText> built_in_source(const std::string& kernel);
/// What is said of a rung that does not run.
Series skipped_series(const Rung& rung, const Job& job, const std::string& reason);
measure::Options options_of(const WorkRequest& request);
/// With a new seed of the random orders.
measure::CompareOptions compare_options_of(const WorkRequest& request);

// ---- the kinds -----------------------------------------------------------------------------------

/// Of what a kind's description says of its rung.
struct Described {
  const char* id = nullptr;
  RungKind kind = RungKind::kernel;
  Backend backend = Backend::cpu;
  const char* isa = "";
  int arch = 0;
  bool arch_exact = false;
  const char* dtypes = "";
  const char* library = nullptr;
  bool external = false;
  const char* (*unavailable)() = nullptr;
};
/// The catalogue's entry, without parameters; whether it can run here is asked of `machine`.
KernelInfo describe(const Described& rung, const Machine& machine);
/// An entry with what the build knows of any rung: family, path, flags and hash.
KernelInfo named_info(std::string_view id, RungKind kind);

Rungs kernel_rungs(const Machine& machine);
Rungs training_rungs(const Machine& machine);
Rungs pipeline_rungs(const Machine& machine);
Rungs trap_rungs(const Machine& machine);
/// Rungs whose source is here and whose code or library is not, and that are not among `known`.
Rungs uncompiled_rungs(const Machine& machine, const Rungs& known);
/// A learner's rung, which `edits` has built; it runs in a worker of its own.
class Edits;
std::unique_ptr<Rung> edited_rung(const KernelInfo& info, Edits* edits);
/// A side that is a command, for this request alone. Error usage: its id is no command_id().
Result<std::unique_ptr<Rung>> command_rung(const KernelRequest& request);

}  // namespace ridge::worker
