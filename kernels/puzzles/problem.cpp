// The puzzles' problem: which of them is a parameter, of which each rung leaves its own choice.
#include <algorithm>
#include <cmath>
#include <string>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/edit.h"
#include "common/record/params.h"
#include "kernels/puzzles/definitions.h"
#include "kernels/runtime/problems/working_set.h"

namespace ridge {
namespace {

using puzzles::Definition;
using puzzles::Shapes;

constexpr int64_t kMostElements = int64_t{1} << 28;  // so that indices fit an int
constexpr int64_t kMostN = int64_t{1} << 26;
/// Sums of fp32 in any order a rung may choose, and exponentials that a GPU approximates.
constexpr double kNmseLimit = 1e-11, kRelative = 1e-5;
/// Where `a` is scaled, exp() takes scores of up to about four times that, which fp32 rounds: exp(s + d) is exp(s) (1 + d).
constexpr double kScores = 4 * 4 * 0x1p-24;
constexpr float kGrades[] = {1, 1e-1f, 1e-2f, 1e-3f};

class PuzzleProblem : public Problem {
 public:
  PuzzleProblem(const Definition& definition, const Shapes& shapes)
      : definition_(definition), shapes_(shapes) {}

  Shape shape() const override {
    Shape shape;
    shape.dim[kPuzzleRows] = shapes_.rows;
    shape.dim[kPuzzleColumns] = shapes_.columns;
    shape.constants = &definition_;
    return shape;
  }
  std::vector<BufferSpec> buffers() const override {
    const auto spec = [](const char* name, int64_t elements, bool is_output) {
      return BufferSpec{name, static_cast<size_t>(elements) * sizeof(float), is_output,
                        DType::fp32};
    };
    return {spec("a", shapes_.rows * shapes_.columns, false), spec("b", shapes_.b, false),
            spec("c", shapes_.c, false), spec("y", shapes_.y, true)};
  }
  double flop() const override { return definition_.flop(shapes_); }
  double bytes_min() const override {
    const auto read = [](int64_t elements) { return elements > 1 ? elements : 0; };
    return sizeof(float) *
           double(shapes_.rows * shapes_.columns + read(shapes_.b) + read(shapes_.c) + shapes_.y);
  }
  double items() const override { return double(shapes_.y); }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (const size_t input : {kPuzzleA, kPuzzleB, kPuzzleC}) {
      (*host)[input].resize(specs[input].bytes);
      quality::fill_normal((*host)[input], DType::fp32, seed + input);
      auto* values = reinterpret_cast<float*>((*host)[input].data());
      for (size_t i = 0; definition_.is_positive && i < specs[input].bytes / sizeof(float); ++i)
        values[i] = std::abs(values[i]);
    }
    auto* a = reinterpret_cast<float*>((*host)[kPuzzleA].data());
    for (int64_t i = 0; i < shapes_.rows; ++i) {
      const float scale = definition_.scale * (definition_.is_graded ? kGrades[i % 4] : 1);
      for (int64_t j = 0; j < shapes_.columns; ++j, ++a) *a = *a * scale + definition_.offset;
    }
  }

  QualityCheck check(const HostBuffers& host, bool /*full*/, uint64_t /*seed*/) const override {
    std::vector<double> inputs[3], expected(static_cast<size_t>(shapes_.y));
    for (const size_t input : {kPuzzleA, kPuzzleB, kPuzzleC}) {
      inputs[input].resize(host[input].size() / sizeof(float));
      quality::load_range(host[input].data(), 0, DType::fp32, inputs[input]);
    }
    definition_.exact({static_cast<int>(shapes_.rows), static_cast<int>(shapes_.columns),
                       inputs[kPuzzleA].data(), inputs[kPuzzleB].data(), inputs[kPuzzleC].data(),
                       expected.data()});
    double power = 0;
    for (const double value : expected) power += value * value;
    const double usual = std::sqrt(power / double(shapes_.y));
    const double relative = kRelative + (definition_.scale > 1 ? kScores * definition_.scale : 0);
    quality::ErrorSum sum;
    sum.of_rows(shapes_.y_columns > 0 ? shapes_.y_columns : shapes_.y);
    for (size_t i = 0; i < expected.size(); ++i) {
      const double found =
          quality::load(host[kPuzzleY].data(), static_cast<int64_t>(i), DType::fp32);
      sum.add(found, expected[i], relative * (std::abs(expected[i]) + usual));
    }
    return sum.finish("every element", kNmseLimit);
  }

 private:
  const Definition& definition_;
  Shapes shapes_;
};

std::vector<ParamSpec> puzzle_params() {
  std::vector<std::string> names;
  for (const Definition& one : puzzles::definitions()) names.emplace_back(one.name);
  return {choice_param("puzzle", "what is to be computed: the rung's", std::move(names)),
          extent_param("n", "elements of a vector, rows of a matrix", kMostN,
                       puzzles::definitions().front().usual)};
}

/// A rung's puzzle is its name, and its usual size is one that can be counted.
void narrow_puzzles(std::string_view kernel, std::vector<ParamSpec>* specs) {
  const std::string_view own = original_of(kernel);
  const Definition* definition = puzzles::find_definition(own.substr(own.rfind('.') + 1));
  if (definition == nullptr) return;
  for (ParamSpec& spec : *specs) {
    if (spec.name == "puzzle")
      spec.choices = {definition->name}, spec.fallback = std::string(definition->name);
    if (spec.name == "n") spec.fallback = int64_t{definition->usual};
  }
}

Result<std::unique_ptr<Problem>> make_puzzle(const Params& params) {
  const Definition* definition = puzzles::find_definition(param_text(params, "puzzle", "map"));
  if (definition == nullptr)
    return Error{ErrorCode::usage, "there is no such puzzle", param_text(params, "puzzle", ""), ""};
  const int64_t n = param_int(params, "n", definition->usual);
  const Shapes shapes = definition->shapes(n);
  const int64_t most = std::max({shapes.rows * shapes.columns, shapes.b, shapes.c, shapes.y});
  if (most > kMostElements)
    return Error{ErrorCode::usage, "n = " + std::to_string(n) + " is too large for this puzzle",
                 definition->name, "take a smaller n"};
  return std::unique_ptr<Problem>(std::make_unique<PuzzleProblem>(*definition, shapes));
}

/// One, less than a warp, around a warp, a prime of more than a tile. More than a block is what is counted.
std::vector<Params> awkward_puzzles() {
  std::vector<Params> all;
  for (const int64_t n : {1, 2, 31, 33, 61}) all.push_back({{"n", n}});
  return all;
}

/// Work grows with n, n^2 or n^3: a share of n is never more than the share that is asked for.
Params shrink_puzzle(const Params& params, double share) {
  return with_share(params, "n", share);
}

RIDGE_FAMILY(puzzles, .params = puzzle_params, .make_problem = make_puzzle,
             .awkward = awkward_puzzles, .shrink = shrink_puzzle, .narrow = narrow_puzzles);

}  // namespace
}  // namespace ridge
