// The gemv family's problem: parameters, weights quantised from random normals, and how a product is judged.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>

#include "common/core/ceil_div.h"
#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/gemv/gemv.h"
#include "kernels/gemv/sparse.h"

namespace ridge {
namespace {

using Vector = std::vector<double>;

constexpr int64_t kGroup = RIDGE_GEMV_GROUP;
/// Above so many multiplications, kSampledRows rows of W are judged element by element, and all others in groups: about
/// three seconds on two cores.
constexpr double kMaxJudged = 3e9;
constexpr int64_t kSampledRows = 64;
/// Rows of W in a group, more where groups would take over kMaxJudged multiplications: a tile of 128 rows holds several
/// whole ones. Where a ReLU makes sums of outputs useless, one output of each group and kBlockBatch rows of x.
constexpr int64_t kGroupRows = 16, kBlockBatch = 8;

class GemvProblem : public Problem {
 public:
  explicit GemvProblem(const Shape& shape) : shape_(shape) {}

  Shape shape() const override { return shape_; }

  std::vector<BufferSpec> buffers() const override {
    const size_t w = bytes_of_weights(), scales = bytes_of_scales();
    const size_t word = 4, batch = size_t(dim(kGemvBatch)), rows = size_t(dim(kGemvN));
    return {{"x", batch * size_t(k()) * dtype_size(x_type()), false, x_type()},
            {"W", size_t(dim(kGemvCopies)) * w, false, weight_type()},
            {"scales", std::max(word, size_t(dim(kGemvCopies)) * scales), false,
             kind() == kGemvInt4     ? DType::bf16
             : kind() == kGemvSparse ? DType::int8
                                     : DType::fp32},
            {"x scales", is_layer() ? batch * word : word, false, DType::fp32},
            {"bias", is_layer() ? rows * word : word, false,
             kind() == kGemvW8a8Fp8 ? DType::bf16 : DType::fp32},
            {"y", batch * rows * dtype_size(y_type()), true, y_type()}};
  }

  /// Of sparse those with a weight that is left.
  double flop() const override {
    const double all = 2.0 * double(dim(kGemvBatch)) * double(dim(kGemvN)) * double(k());
    return kind() == kGemvSparse ? all / 2 : all;
  }
  /// One copy of the weights; a call does not touch the others.
  double bytes_min() const override {
    const std::vector<BufferSpec> specs = buffers();
    return double(specs[kGemvX].bytes + bytes_of_weights() + bytes_of_scales() +
                  specs[kGemvY].bytes);
  }
  /// Tokens: a call has a part in one for each row of x.
  double items() const override { return double(dim(kGemvBatch)); }

  void generate(uint64_t seed, HostBuffers* host) const override {
    const std::vector<BufferSpec> specs = buffers();
    host->resize(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) {
      if (!specs[i].is_output) (*host)[i].assign(specs[i].bytes, std::byte{0});
    }
    for (int64_t i = 0; i < dim(kGemvBatch); ++i) put_x(seed, i, host);
    if (is_layer()) quality::fill_normal((*host)[kGemvBias], specs[kGemvBias].dtype, seed ^ 0xb1a5);
    parallel_for(dim(kGemvN), 16, [&](int64_t begin, int64_t end) {
      for (int64_t j = begin; j < end; ++j) put_weights(j, exact_weights(seed, j), host);
    });
    repeat(&(*host)[kGemvW], bytes_of_weights());
    repeat(&(*host)[kGemvScales], bytes_of_scales());
  }

  QualityCheck check(const HostBuffers& host, bool full, uint64_t seed) const override {
    const std::vector<BufferSpec> specs = buffers();
    for (size_t i = 0; i < specs.size(); ++i) {
      if (host.size() == specs.size() && host[i].size() == specs[i].bytes) continue;
      QualityCheck check;
      check.what = "sizes";
      check.reason = "buffer " + specs[i].name + " has not the size of the problem";
      return check;
    }
    const Inputs x = inputs_of(host);
    const bool all = full || flop() / 2 <= kMaxJudged || dim(kGemvN) <= kSampledRows;
    std::vector<Answer> answers = all ? answers_of_rows(host, x, every_row())
                                      : answers_of_rows(host, x, sampled_rows(seed));
    if (!all && is_finished()) {
      for (const Answer& answer : answers_of_blocks(host, x, seed)) answers.push_back(answer);
    }
    QualityCheck check = compare(host, answers, all ? "every element"
                                 : is_finished()    ? "64 rows of W, an output of each tile"
                                                    : "64 rows of W, sums of all");
    if (!all && !is_finished() && check.passed) check_groups(host, x, seed, &check);
    if (!full) check.task["output_error"] = output_error(host, seed, x.rows);
    return check;
  }

 private:
  /// An output as it should be.
  struct Answer {
    int64_t row = 0, i = 0;                       ///< of W, of x
    double value = 0, bound = 0, expected2 = 0;  ///< of a sum: the square that it has on average
  };
  struct Inputs {
    std::vector<Vector> rows;
    Vector norms2;
  };

  int64_t dim(GemvDim which) const { return shape_.dim[which]; }
  int64_t k() const { return shape_.dim[kGemvK]; }
  int64_t kind() const { return shape_.dim[kGemvKind]; }
  /// Both sides in 8 bits, with an epilogue.
  bool is_layer() const { return kind() == kGemvW8a8 || kind() == kGemvW8a8Fp8; }
  bool is_fp8() const { return kind() == kGemvFp8 || kind() == kGemvW8a8Fp8; }
  bool sums_only() const { return is_layer() && dim(kGemvFused) == 0; }
  /// With bias and ReLU.
  bool is_finished() const { return is_layer() && !sums_only(); }
  size_t bytes_of_weights() const { return size_t(dim(kGemvN) * gemv_weight_bytes(kind(), k())); }
  size_t bytes_of_scales() const { return size_t(gemv_scale_bytes(kind(), dim(kGemvN), k())); }
  DType weight_type() const {
    return kind() == kGemvFp32                            ? DType::fp32
           : kind() == kGemvBf16 || kind() == kGemvSparse ? DType::bf16
           : is_fp8()                                     ? DType::fp8
                                                          : DType::int8;
  }
  DType x_type() const {
    return kind() == kGemvFp32 ? DType::fp32 : is_layer() ? weight_type() : DType::bf16;
  }
  DType y_type() const {
    if (kind() == kGemvW8a8 && dim(kGemvFused) == 0) return DType::int32;
    return kind() == kGemvFp32 ? DType::fp32 : DType::bf16;
  }

  static std::vector<float> normals(uint64_t seed, int64_t count) {
    std::vector<float> values(size_t(count), 0.0f);
    quality::fill_normal(std::as_writable_bytes(std::span(values)), DType::fp32, seed);
    return values;
  }
  /// Rows differ in size by up to 16, as channels of a network do: a scale of another row would show.
  std::vector<float> exact_weights(uint64_t seed, int64_t row) const {
    const uint64_t key = random_key(seed ^ 0x3e16'47);
    std::vector<float> w = normals(random_bits(key, uint64_t(row)), k());
    const float size = float(1 + row * 7 % 16) / 8;
    for (float& value : w) value *= size;
    return w;
  }
  std::vector<float> exact_x(uint64_t seed, int64_t row) const {
    return normals(random_bits(random_key(seed ^ 0x1a7), uint64_t(row)), k());
  }
  static double largest(std::span<const float> values) {
    float most = 0;
    for (const float v : values) most = std::max(most, std::abs(v));
    return most > 0 ? most : 1;
  }

  void put_x(uint64_t seed, int64_t row, HostBuffers* host) const {
    const std::vector<float> x = exact_x(seed, row);
    double scale = 1;
    if (is_layer()) {
      quality::store((*host)[kGemvXScales].data(), row, DType::fp32,
                     largest(x) / (is_fp8() ? 448 : 127));
      scale = quality::load((*host)[kGemvXScales].data(), row, DType::fp32);
    }
    for (int64_t p = 0; p < k(); ++p)
      quality::store((*host)[kGemvX].data(), row * k() + p, x_type(), x[size_t(p)] / scale);
  }

  void put_weights(int64_t row, const std::vector<float>& w, HostBuffers* host) const {
    std::byte* to = (*host)[kGemvW].data() + row * gemv_weight_bytes(kind(), k());
    std::byte* scales = (*host)[kGemvScales].data();
    if (kind() == kGemvSparse) return store_sparse(w, to, scales + row * gemv_position_row(k()));
    const bool scaled = bytes_of_scales() > 0 && kind() != kGemvInt4;
    double scale = 1;
    if (scaled) {
      quality::store(scales, row, DType::fp32, largest(w) / (is_fp8() ? 448 : 127));
      scale = quality::load(scales, row, DType::fp32);
    }
    for (int64_t p = 0; p < k(); ++p) {
      if (kind() == kGemvInt4) {
        const int64_t at = row * gemv_scale_row(k()) + p / kGroup;
        if (p % kGroup == 0) {
          const auto group = std::span(w).subspan(size_t(p), size_t(kGroup));
          quality::store(scales, at, DType::bf16, largest(group) / 7);
          scale = quality::load(scales, at, DType::bf16);
        }
        const auto q = uint8_t(std::clamp(std::lround(w[size_t(p)] / scale), -8l, 7l) + 8);
        to[p / 2] |= std::byte(p % 2 == 0 ? q : q << 4);
      } else {
        quality::store(to, p, weight_type(), w[size_t(p)] / scale);
      }
    }
  }
  static void repeat(std::vector<std::byte>* data, size_t bytes) {
    if (bytes == 0) return;
    parallel_for(std::ssize(*data) / int64_t(bytes), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = std::max<int64_t>(begin, 1); i < end; ++i)
        std::memcpy(data->data() + i * int64_t(bytes), data->data(), bytes);
    });
  }

  Vector x_of(const HostBuffers& host, int64_t row) const {
    Vector x(size_t(k()), 0.0);
    quality::load_range(host[kGemvX].data(), row * k(), x_type(), x);
    return x;
  }
  /// A row of W as it is stored; without the row's scale where it has one.
  Vector weights_of(const HostBuffers& host, int64_t row) const {
    Vector w(size_t(k()), 0.0);
    if (kind() == kGemvSparse) {
      load_sparse(host[kGemvW].data() + row * k(),
                  host[kGemvScales].data() + row * gemv_position_row(k()), w);
      return w;
    }
    if (kind() != kGemvInt4) {
      quality::load_range(host[kGemvW].data(), row * k(), weight_type(), w);
      return w;
    }
    for (int64_t p = 0; p < k(); ++p) {
      const auto two = uint8_t(host[kGemvW][size_t((row * k() + p) / 2)]);
      w[size_t(p)] = double(p % 2 == 0 ? two & 15 : two >> 4) - 8;
      w[size_t(p)] *= quality::load(host[kGemvScales].data(),
                                    row * gemv_scale_row(k()) + p / kGroup, DType::bf16);
    }
    return w;
  }
  double row_scale(const HostBuffers& host, int64_t row) const {
    const bool scaled = is_fp8() || kind() == kGemvInt8 || kind() == kGemvW8a8;
    return scaled ? quality::load(host[kGemvScales].data(), row, DType::fp32) : 1;
  }

  static double dot(const Vector& x, const Vector& y) {
    double sums[4] = {};  // with one, each addition would wait for the one before
    for (size_t p = 0; p + 4 <= x.size(); p += 4)  // k is a multiple of 128
      for (size_t j = 0; j < 4; ++j) sums[j] += x[p + j] * y[p + j];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  Inputs inputs_of(const HostBuffers& host) const {
    Inputs x;
    for (int64_t i = 0; i < dim(kGemvBatch); ++i) {
      x.rows.push_back(x_of(host, i));
      x.norms2.push_back(dot(x.rows.back(), x.rows.back()));
    }
    return x;
  }

  Answer refer(const HostBuffers& host, int64_t row, const Vector& w, double w2, int64_t i,
               const Inputs& x) const {
    double scale = sums_only() ? 1 : row_scale(host, row), bias = 0;
    if (is_finished()) {
      scale *= quality::load(host[kGemvXScales].data(), i, DType::fp32);
      bias = quality::load(host[kGemvBias].data(), row, buffers()[kGemvBias].dtype);
    }
    const double before = scale * dot(w, x.rows[size_t(i)]) + bias;
    const double size = std::sqrt(w2 * x.norms2[size_t(i)]) * scale;
    Answer answer = {row, i, before, quality::dot_bound(judged_type(), before, k(), size, 1),
                     size * size / double(k()) + bias * bias};
    answer.bound += 6 * weight_rounding() * size / std::sqrt(double(k()));
    // Scale and bias are one multiplication and one addition more, in fp32.
    if (is_finished()) {
      answer.bound += 0x1p-22 * (std::abs(before) + std::abs(bias));
      answer.value = std::max(0.0, before);
    }
    return answer;
  }
  /// A weight of 4 bits times its group's scale may be rounded to bf16 before it is multiplied, as PyTorch does: the
  /// relative error, root mean square.
  double weight_rounding() const { return kind() == kGemvInt4 ? 0x1p-9 / std::sqrt(3.0) : 0; }
  /// The type whose limits hold: those of products with this output, or of the tensor cores' own sums of fp8.
  DType judged_type() const {
    if (kind() == kGemvW8a8Fp8) return DType::fp8;
    return y_type() == DType::int32 ? DType::int8 : y_type();
  }

  std::vector<int64_t> every_row() const {
    std::vector<int64_t> rows(size_t(dim(kGemvN)));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }
  std::vector<int64_t> sampled_rows(uint64_t seed) const {
    std::vector<int64_t> rows = {0, dim(kGemvN) - 1};
    for (uint64_t i = 2; i < uint64_t(kSampledRows); ++i)
      rows.push_back(random_below(random_key(seed), i, uint32_t(dim(kGemvN))));
    return rows;
  }

  /// Of all rows of x.
  std::vector<Answer> answers_of_rows(const HostBuffers& host, const Inputs& x,
                                      const std::vector<int64_t>& rows) const {
    const size_t batch = x.rows.size();
    std::vector<Answer> answers(rows.size() * batch);
    parallel_for(std::ssize(rows), 4, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const Vector w = weights_of(host, rows[size_t(r)]);
        const double w2 = dot(w, w);
        for (size_t i = 0; i < batch; ++i)
          answers[size_t(r) * batch + i] = refer(host, rows[size_t(r)], w, w2, int64_t(i), x);
      }
    });
    return answers;
  }

  /// One output, at random, of each kGroupRows rows of W and kBlockBatch rows of x.
  std::vector<Answer> answers_of_blocks(const HostBuffers& host, const Inputs& x,
                                        uint64_t seed) const {
    const int64_t n = dim(kGemvN), batch = dim(kGemvBatch);
    const int64_t groups = ceil_div(n, kGroupRows), blocks = ceil_div(batch, kBlockBatch);
    const uint64_t key = random_key(seed ^ 0xb10c'5eed);
    std::vector<Answer> answers(size_t(groups * blocks));
    parallel_for(groups, 1, [&](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group) {
        const int64_t first = group * kGroupRows, rows = std::min(kGroupRows, n - first);
        std::vector<Vector> w(static_cast<size_t>(rows));  // those that are asked for
        for (int64_t block = 0; block < blocks; ++block) {
          const auto index = uint64_t(2 * (group * blocks + block));
          const int64_t j = random_below(key, index, uint32_t(rows));
          const int64_t i = block * kBlockBatch +
                            random_below(key, index + 1,
                                         uint32_t(std::min(kBlockBatch, batch - block * kBlockBatch)));
          Vector& row = w[size_t(j)];
          if (row.empty()) row = weights_of(host, first + j);
          answers[index / 2] = refer(host, first + j, row, dot(row, row), i, x);
        }
      }
    });
    return answers;
  }

  /// Freivalds' test (gemm/check.cpp has it for a whole matrix) by groups of rows: of each row of x and each group, the
  /// sum of outputs weighted with random signs against x times the weighted sum of the group's weights. The errors of
  /// honest outputs add up to less than 6 times their norm, and that is held to what the NMSE limit allows.
  void check_groups(const HostBuffers& host, const Inputs& x, uint64_t seed,
                    QualityCheck* check) const {
    const int64_t n = dim(kGemvN);
    const int64_t rows = std::max(kGroupRows, int64_t(std::ceil(flop() / 2 / kMaxJudged)));
    const uint64_t key = random_key(seed ^ 0xf4e1'7a1d);
    std::atomic<int64_t> wrong = 0;
    parallel_for(ceil_div(n, rows), 1, [&](int64_t begin, int64_t end) {
      int64_t bad = 0;
      for (int64_t group = begin; group < end; ++group)
        bad += wrong_sums(host, x, key, group * rows, std::min(n, (group + 1) * rows));
      wrong += bad;
    });
    if (wrong == 0) return;
    check->passed = false;
    check->reason = std::to_string(wrong.load()) + " of " +
                    std::to_string(ceil_div(n, rows) * dim(kGemvBatch)) + " sums over " +
                    std::to_string(rows) + " rows of W are off";
  }

  /// How many rows of x have a sum over the rows from `first` to `end` of W that is off.
  int64_t wrong_sums(const HostBuffers& host, const Inputs& x, uint64_t key, int64_t first,
                     int64_t end) const {
    const double limit = nmse_limit();
    Vector combined(size_t(k()), 0.0), factors, sizes2;
    for (int64_t row = first; row < end; ++row) {
      const float part = random_unit(key, uint64_t(row)) - 0.5f;
      const double factor = part < 0 ? part - 0.5 : part + 0.5;
      const double scale = sums_only() ? 1 : row_scale(host, row);
      const Vector w = weights_of(host, row);
      for (size_t p = 0; p < w.size(); ++p) combined[p] += factor * scale * w[p];
      factors.push_back(factor);
      sizes2.push_back(scale * scale * dot(w, w) / double(k()));
    }
    int64_t bad = 0;
    for (size_t i = 0; i < x.rows.size(); ++i) {
      double sum = 0, norm2 = 0;
      for (size_t j = 0; j < factors.size(); ++j) {
        const double y = quality::load(host[kGemvY].data(),
                                       int64_t(i) * dim(kGemvN) + first + int64_t(j), y_type());
        sum += factors[j] * y;
        norm2 += factors[j] * factors[j] * std::max(y * y, sizes2[j] * x.norms2[i]);
      }
      // What integers are rounded to in this very test: 2^-53 in each addition.
      const double own = 0x1p-53 * double(k() + end - first) * std::sqrt(double(end - first));
      const double allowed = (6 * std::sqrt(limit) + own) * std::sqrt(norm2);
      bad += !(std::abs(sum - dot(x.rows[i], combined)) <= allowed);
    }
    return bad;
  }

  /// Of many outputs.
  double nmse_limit() const {
    return quality::gemm_nmse_limit(judged_type(), k()) + std::pow(weight_rounding(), 2);
  }

  QualityCheck compare(const HostBuffers& host, const std::vector<Answer>& answers,
                       const char* what) const {
    quality::ErrorSum sum;
    double ref2 = 0, ref4 = 0, expected2 = 0;
    for (const Answer& answer : answers) {
      const double found =
          quality::load(host[kGemvY].data(), answer.i * dim(kGemvN) + answer.row, y_type());
      sum.add(found, answer.value, answer.bound);
      const double value2 = answer.value * answer.value;
      ref2 += value2, ref4 += value2 * value2, expected2 += answer.expected2;
    }
    // As in a matrix product (kernels/gemm/check.cpp): few outputs may all lie near zero. And rows differ in size:
    // the large ones decide, which are as good as so many equal ones. 77 rows count as about 15: a right rung was
    // refused for bf16's rounding alone, 5.6e-6 where 10 / 77 allowed 4.5e-6.
    const double outputs = ref4 > 0 ? ref2 * ref2 / ref4 : double(answers.size());
    double limit = nmse_limit() * (1 + 10 / outputs);
    if (ref2 > 0) limit *= std::max(1.0, expected2 / ref2);
    return sum.finish(what, limit);
  }

  /// What quantising did to the output, before bias and relu: its relative error, root mean square over some rows.
  double output_error(const HostBuffers& host, uint64_t seed, const std::vector<Vector>& x) const {
    double error2 = 0, ref2 = 0;
    const int64_t step = std::max<int64_t>(1, dim(kGemvN) / 256);
    const std::vector<float> exact = exact_x(seed, 0);
    const double x_scale =
        is_layer() ? quality::load(host[kGemvXScales].data(), 0, DType::fp32) : 1;
    for (int64_t row = 0; row < dim(kGemvN); row += step) {
      const std::vector<float> w = exact_weights(seed, row);
      const Vector stored = weights_of(host, row);
      double wanted = 0, made = 0;
      for (size_t p = 0; p < w.size(); ++p) {
        wanted += double(w[p]) * double(exact[p]);
        made += stored[p] * x[0][p];
      }
      made *= row_scale(host, row) * x_scale;
      error2 += (made - wanted) * (made - wanted), ref2 += wanted * wanted;
    }
    return std::sqrt(error2 / ref2);
  }

  Shape shape_;
};

constexpr const char* kKinds[] = {"fp32", "bf16", "fp8",    "int8",
                                  "int4", "w8a8", "sparse", "w8a8_fp8"};  // GemvWeights

std::vector<ParamSpec> params() {
  constexpr int64_t kMax = int64_t{1} << 20;
  return {extent_param("n", "rows of W, elements of y", kMax, 4096),
          int_param("k", "columns of W, elements of x; a multiple of 128", 128, kMax, 4096),
          int_param("batch", "rows of x, sequences that decode at once", 1, 8192, 1),
          int_param("copies", "of the weights, which take turns: caches see each for the first time", 1, 64, 8),
          choice_param("dtype",
                       "weights; x is bf16 beside them (w8a8: 8 bits too), int4 has a scale for 128, sparse has "
                       "two of each four left",
                       {kKinds[0], kKinds[1], kKinds[2], kKinds[3], kKinds[4], kKinds[5], kKinds[6], kKinds[7]}),
          choice_param("epilogue", "w8a8, w8a8_fp8: scales, bias and ReLU in the same kernel, or the sums",
                       {"fused", "none"}),
          threads_param()};
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  Shape shape;
  shape.dim[kGemvBatch] = param_int(params, "batch", 1);
  shape.dim[kGemvN] = param_int(params, "n", 4096);
  shape.dim[kGemvK] = param_int(params, "k", 4096);
  shape.dim[kGemvCopies] = param_int(params, "copies", 8);
  shape.dim[kGemvFused] = param_text(params, "epilogue", "fused") == "fused";
  shape.threads = static_cast<int>(param_int(params, "threads", 1));
  const std::string type = param_text(params, "dtype", "fp32");
  shape.dim[kGemvKind] = std::find(std::begin(kKinds), std::end(kKinds), type) - kKinds;
  shape.dtype = type == "fp32"                       ? DType::fp32
                : type == "bf16" || type == "sparse" ? DType::bf16
                : type == "fp8"                      ? DType::fp8
                                                     : DType::int8;
  if (shape.dim[kGemvK] % kGroup != 0) {
    return Error{ErrorCode::usage,
                 "k=" + std::to_string(shape.dim[kGemvK]) + " is not a multiple of 128",
                 "gemv " + to_string(params),
                 "weights of 4 bits share a scale in groups of 128, and rows are read in whole "
                 "vectors: take 4096 or 14336"};
  }
  return std::unique_ptr<Problem>(std::make_unique<GemvProblem>(shape));
}

/// One row and one column, primes, tiles of 16 rows and of 128 to 1,024 columns more or less one, every batch up to
/// 16 by its kinds, one copy and several; with and without the epilogue.
std::vector<Params> awkward() {
  std::vector<Params> shapes;
  const auto add = [&](int64_t batch, int64_t n, int64_t k, int64_t copies, const char* epilogue) {
    shapes.push_back({{"batch", batch},
                      {"n", n},
                      {"k", k},
                      {"copies", copies},
                      {"epilogue", std::string(epilogue)}});
  };
  add(1, 1, 128, 1, "none"), add(1, 77, 128, 3, "fused"), add(1, 131, 384, 2, "none");
  add(2, 17, 512, 1, "fused"), add(3, 300, 640, 2, "none"), add(5, 129, 1024, 3, "fused");
  add(8, 64, 896, 1, "none"), add(16, 257, 1152, 2, "fused"), add(4, 1031, 256, 3, "fused");
  add(9, 33, 2176, 2, "none"), add(1, 2500, 128, 2, "fused");
  return shapes;
}

/// n first; when it is down to 1, k.
Params shrink(const Params& params, double share) {
  Params smaller = params;
  const double n = double(param_int(params, "n", 4096));
  const double left = n * (std::isnan(share) ? 1 : std::clamp(share, 0.0, 1.0));
  smaller["n"] = static_cast<int64_t>(std::max(1.0, std::floor(left + 1e-9)));
  if (left < 1) smaller["k"] = kGroup;
  return smaller;
}

RIDGE_FAMILY(gemv, .params = params, .make_problem = make_problem, .awkward = awkward,
             .shrink = shrink);

}  // namespace
}  // namespace ridge
