// A family of kernels shares one problem: its parameters, buffers, float64 reference and check.
// One family per folder of kernels/; it registers itself with RIDGE_FAMILY.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/kernel.h"
#include "common/record/types.h"

namespace ridge {

struct InspectAsked;  // common/record/inspection.h
struct Inspection;

struct BufferSpec {
  std::string name;  ///< "A"
  size_t bytes = 0;
  bool is_output = false;
  DType dtype = DType::fp32;
};

/// How a buffer's elements lie, for who draws them.
struct BufferGrid {
  int64_t rows = 0, columns = 0;
  bool is_read_whole = false;  ///< an input of which every method reads every element
};

/// How the inputs of sums of products differ in size on purpose. Random normals do not: on inputs of one size, a method
/// of a weaker class of accuracy (KernelDesc::accuracy) is as good as any.
enum class Grading : uint8_t {
  /// Along k, large and small by chance; B as small as A is large, so that all products have one size. Of a
  /// convolution, along channels; single pixels are large too, and middle taps small.
  mixed,
  geometric,  ///< along k, falling, and B rising
  rows,       ///< rows of A; of a convolution, images and stripes of pixels
  columns     ///< columns of B; of a convolution, its filters
};
inline constexpr Grading kGradings[] = {Grading::mixed, Grading::geometric, Grading::rows,
                                        Grading::columns};

/// Host copies of a problem's buffers, in the order of Problem::buffers().
using HostBuffers = std::vector<std::vector<std::byte>>;

/// What a call's outputs say of one input, and what the definition says of it.
struct ItemAnswer {
  int64_t found = 0;           ///< the class that the kernel's outputs name
  bool is_right = false;       ///< the definition's class; where types round, one that ties with it
  std::vector<double> scores;  ///< of each class
  const char* unit = "";       ///< of the scores: "LUTs that say yes"
  const char* start = "";      ///< what the call started from: "pixels", "encoded bits"
};

/// One concrete problem: a shape, with everything needed to feed it and to judge an answer.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual Shape shape() const = 0;
  virtual std::vector<BufferSpec> buffers() const = 0;
  virtual double flop() const = 0;       ///< of one call
  virtual double bytes_min() const = 0;  ///< each input read once, each output written once
  /// Work of one call that has a ceiling of its own, by Ceiling::resource: {"exp", exponentials}.
  virtual std::map<std::string, double> work() const { return {}; }
  virtual double items() const {
    return 0;
  }  ///< what one call works off, images say; 0: no such thing
  /// One for each buffer, in their order; empty: nothing here is drawn.
  virtual std::vector<BufferGrid> grids() const { return {}; }
  /// Values are another type's and the time is not: no speed is shown.
  virtual bool is_emulated() const { return false; }
  /// What a reader has to know beside the figures ("synthetic data: ..."); empty: nothing.
  virtual std::string note() const { return ""; }
  /// From here on inputs are graded, and check() in full judges each output by what a rung of this class may err by.
  /// Called before generate() and before a plan is made, since constants of the shape may change. False: the problem
  /// has no graded inputs.
  virtual bool grade(Grading /*grading*/, Accuracy /*accuracy*/) { return false; }
  /// Fills the inputs with random normals rounded to the problem's type; outputs are left alone.
  virtual void generate(uint64_t seed, HostBuffers* host) const = 0;
  /// Judges the outputs in `host` against float64 on the same inputs. full: every element against
  /// the whole reference; otherwise Freivalds' product test and 4,096 elements exactly, so that it
  /// stays cheap at any size. Poison and guards are the harness's part.
  virtual QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const = 0;
  /// Fills the inputs with one input of the learner's, in the form of the family's test set. False: it takes none, or
  /// none of this size.
  virtual bool feed(std::span<const uint8_t> /*input*/, HostBuffers* /*host*/) const {
    return false;
  }
  /// What the outputs say of the input that feed() put into `host`; null: the problem classifies nothing.
  virtual std::optional<ItemAnswer> answer(const HostBuffers& /*host*/) const { return {}; }
};

/// Says what goes on and how far it is (0 to 1); false: stop, it was cancelled.
using FamilyProgress = std::function<bool(const std::string& text, double share)>;

/// The inputs of a step for those who are being served: the shape, and the one buffer that says how long each is.
struct StepInputs {
  Shape shape;
  int buffer = -1;  ///< in the order of Problem::buffers()
  std::vector<std::byte> bytes;
};

struct FamilyDesc {
  const char* name = nullptr;  ///< "gemm"
  std::vector<ParamSpec> (*params)() = nullptr;
  /// `params` are complete and in range (resolve_params() has run).
  Result<std::unique_ptr<Problem>> (*make_problem)(const Params& params) = nullptr;
  /// Shapes for the full check, once per kernel and worker: 1, primes, tile +- 1, non-square.
  std::vector<Params> (*awkward)() = nullptr;
  /// Shapes that the full check poses once with each grading; null: the family has no graded inputs.
  std::vector<Params> (*graded)() = nullptr;
  /// The same problem with about `share` (0 to 1) of the work, for estimates and for rungs too slow
  /// for the asked size. Never below the family's least size.
  Params (*shrink)(const Params& params, double share) = nullptr;
  /// What its problems' work() may name, for whose sake its ceiling is measured ("exp"); null: nothing.
  const char* works = nullptr;
  /// Gets what make_problem() needs of these parameters and what takes seconds, once a machine: a trained
  /// model. Null: nothing does. make_problem() alone gets it too, without a word.
  Result<void> (*get_ready)(const Params& params, const FamilyProgress& progress) = nullptr;
  /// Shows the inside of the model that these parameters name, and what it makes of one input. Null: there
  /// is nothing to see. get_ready() has run.
  Result<Inspection> (*inspect)(const Params& params, const InspectAsked& asked) = nullptr;
  /// The sizes of a problem so small that every memory access can be watched, for parameters that were not given.
  /// Null: accesses of its rungs are not recorded. Needs Problem::grids().
  Params (*walk)() = nullptr;
  /// Of a problem with the shape `all`, whose buffers hold the most that may come: a step for as many sequences as
  /// `lengths` has, none longer than in `all`. Null: its calls are no steps of something longer.
  StepInputs (*step)(const Shape& all, const std::vector<int64_t>& lengths) = nullptr;
  /// The parameters of the problem that holds `batch` sequences of `length` at most.
  Params (*step_room)(const Params& params, int64_t batch, int64_t length) = nullptr;
  /// Narrows `specs` to what the rung with this id leaves open. Null: each rung takes all of them.
  void (*narrow)(std::string_view kernel, std::vector<ParamSpec>* specs) = nullptr;

  /// What the rung with this id may be asked for, whether this build has its code or not.
  std::vector<ParamSpec> params_of(std::string_view kernel) const {
    std::vector<ParamSpec> specs = params();
    if (narrow != nullptr) narrow(kernel, &specs);
    return specs;
  }
};

}  // namespace ridge

#define RIDGE_FAMILY(name_, ...)                                                          \
  static constexpr ::ridge::FamilyDesc ridge_family_desc = {.name = #name_, __VA_ARGS__}; \
  RIDGE_REGISTER("ridge_families", ::ridge::FamilyDesc, ridge_family_desc)
