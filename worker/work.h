// What requests ask for, on this machine: devices, ceilings and remembered checks live as long as the
// worker does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/harness/measure/ceiling_rules.h"
#include "common/harness/measure/compare.h"
#include "common/harness/measure/harness.h"
#include "common/harness/measure/machine.h"
#include "common/record/request.h"
#include "worker/answers.h"
#include "worker/edit/edits.h"
#include "worker/emitter.h"
#include "worker/kept_ceilings.h"
#include "worker/kinds/rung.h"
#include "worker/line_observer.h"
#include "worker/machine.h"
#include "worker/trace/lanes.h"
#include "worker/trace/walk.h"

namespace ridge::worker {

class Work {
 public:
  /// `runs_commands`: a compare request may name commands. Only a worker that was started for it runs any.
  Work(Emitter* emitter, bool runs_commands);

  /// Called before each rung of a run or of estimates, when nothing is timed. It may ask for source() and nothing else.
  void set_between_rungs(std::function<void()> call) { between_rungs_ = std::move(call); }

  void list(int64_t request);
  Result<void> source(int64_t request, const std::string& kernel);
  Result<void> assembly(int64_t request, const std::string& kernel,
                        const std::function<bool()>& cancelled);
  /// A learner's text becomes a rung of the catalogue, or the result says why not.
  Result<void> build(int64_t request, const std::string& kernel, const std::string& dtype,
                     const std::string& text, std::function<bool()> cancelled);
  /// run, compare, probe and inspect. Error worker: a device is lost; cancelled: stopped, what was measured
  /// has been sent; any other: the request could not be carried out at all.
  Result<void> carry_out(const WorkRequest& request, std::function<bool()> cancelled);

 private:
  /// One rung of a request, found and with complete parameters.
  struct Asked {
    const Rung* rung = nullptr;
    Params params;
    bool has_room = true;  ///< its buffers fit
  };

  const Rung* rung(std::string_view id) const;
  Job job(const WorkRequest& request, const std::vector<Asked>& asked, size_t index,
          LineObserver* observer);
  Result<Asked> find(const KernelRequest& request) const;
  Result<Asked> find_command(const KernelRequest& request);
  Result<std::vector<Asked>> find_all(const WorkRequest& request);

  /// Error: a request that needs all of them has one without room.
  Result<void> look_for_room(const WorkRequest& request, std::vector<Asked>* asked,
                             LineObserver* observer);
  /// These three: whether something was measured that a ceiling can be held to.
  Result<bool> run(const WorkRequest& request, const std::vector<Asked>& asked,
                   LineObserver* observer);
  /// Counters of a GPU's rungs once all are timed; sends their outcomes again.
  void count(const WorkRequest& request, std::vector<Series> measured, LineObserver* observer);
  Result<bool> compare(const WorkRequest& request, const std::vector<Asked>& asked,
                       LineObserver* observer);
  Result<void> estimate(const WorkRequest& request, const std::vector<Asked>& asked,
                        LineObserver* observer);
  /// A queue before one rung, whose step is run for each batch.
  Result<bool> serve(const WorkRequest& request, const std::vector<Asked>& asked,
                     LineObserver* observer);
  Result<void> inspect(const WorkRequest& request, const Asked& asked, LineObserver* observer);
  /// What each of the kernels answers to one input.
  Result<void> answer(const WorkRequest& request, const std::vector<Asked>& asked,
                      LineObserver* observer);
  /// A CUDA rung on this CPU, counted: whether there is a GPU or not.
  Result<void> count_call(const WorkRequest& request, const Asked& asked, LineObserver* observer);
  Result<void> inspect_lanes(const WorkRequest& request, const KernelInfo& rung,
                             const FamilyDesc& family, LineObserver* observer);
  /// A device, by a GPU's index; the CPU is 0.
  using Place = std::pair<Backend, int>;
  struct DeviceCeilings {
    std::map<CeilingKey, int64_t> asked;  ///< when, in seconds since 1970
    std::set<CeilingKey> kept;            ///< of them, those that an earlier worker measured
    bool has_changed = false;  ///< the device is not as fast as when an earlier worker measured it
    std::vector<Ceiling> known;
    std::vector<measure::Reached> reached;  ///< the highest of each type and number of threads
    int looks = 0;                          ///< how often they were held against each other
    bool has_news = false;                  ///< not yet sent
    measure::Evidence evidence() const;
  };
  std::map<Place, std::set<CeilingKey>> ceilings_wanted(const WorkRequest& request,
                                                        const std::vector<Asked>& asked) const;
  /// What is done about a ceiling that something speaks against: in the middle of a run it is said, so that the run goes on;
  /// else the ceiling is measured again.
  enum class Settling { doubts, again };
  /// Measures those that were not measured yet or are in doubt, and sends a device's when there is news of it.
  Result<void> ceilings(const WorkRequest& request, const std::vector<Asked>& asked,
                        LineObserver* observer, Settling settling = Settling::again);
  /// Takes what an earlier worker kept of the wanted ones, if the machine still is as fast as it was then.
  Result<void> take_kept(measure::Device* where, const std::set<CeilingKey>& wanted, bool anew,
                         DeviceCeilings* ceilings, LineObserver* observer);
  /// Measures one of these again: whether the machine reaches what it reached then.
  Result<bool> still_holds(measure::Device* where, const KeptByKey& kept, LineObserver* observer);
  static void forget_kept(bool anew, DeviceCeilings* ceilings);
  /// Leaves those that this worker measured, and that nothing but others' load speaks against, to later workers.
  void keep(const measure::Device& where, const DeviceCeilings& ceilings) const;
  /// Of the wanted ones that are not known yet, those that are in the file.
  KeptByKey kept_of(const measure::Device& where, const std::set<CeilingKey>& wanted,
                    const DeviceCeilings& ceilings) const;
  /// What ceilings() will take for a run of these, about.
  double ceilings_left_s(const WorkRequest& request, const std::vector<Asked>& asked);
  /// Whether one was missing.
  Result<bool> measure_missing(measure::Device* where, const std::set<CeilingKey>& wanted,
                               DeviceCeilings* ceilings, LineObserver* observer);
  /// Holds them against each other, and leaves what is sound to later workers.
  Result<void> settle(measure::Device* where, DeviceCeilings* ceilings, Settling settling,
                      LineObserver* observer);
  /// Whether measuring those in doubt again would bring nothing now.
  bool is_settled(const DeviceCeilings& ceilings, Backend backend) const;
  bool is_passed(const DeviceCeilings& ceilings) const;
  /// The rate of a rung is evidence: no ceiling of its type and threads lies below it.
  void note_reached(const Series& series, int gpu);
  void send_environment(int64_t request, const char* when, const measure::ForeignLoad& load);
  void send_comparisons(const WorkRequest& request, measure::CompareOutcome outcome);
  void send_outcome(const WorkRequest& request, Series series);

  Emitter* emitter_;
  std::function<void()> between_rungs_;
  Machine machine_;
  Edits edits_;
  Walks walks_;
  Answers answers_;
  Rungs catalogue_;
  bool runs_commands_;
  Rungs commands_;             ///< of the request that is carried out
  measure::ForeignLoad load_;  ///< since the request before began
  std::map<Place, DeviceCeilings> ceilings_;
};

}  // namespace ridge::worker
