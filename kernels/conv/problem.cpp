// The convolution family's problem: parameters, data, and how it is judged (check.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "common/harness/kernel/registry.h"
#include "common/harness/quality/quality.h"
#include "common/record/params.h"
#include "kernels/conv/check.h"
#include "kernels/runtime/problems/conv.h"

namespace ridge {
namespace conv {
namespace {

/// Of filters and bias, which are the same at every call.
constexpr uint64_t kFilterSeed = 0xf117'e125;
/// Of x or y: their bytes, with those of the filters (2^54 at most), are still a whole number of 64 bits.
constexpr double kMaxElements = 0x1p58;

class ConvProblem : public Problem {
 public:
  explicit ConvProblem(const Shape& shape) : shape_(shape), v_(conv_shape(&shape)) {}

  Shape shape() const override {
    make_constants();
    Shape shape = shape_;
    shape.constants = &constants_;
    return shape;
  }

  std::vector<BufferSpec> buffers() const override {
    const DType type = shape_.dtype;
    const auto bytes = [&](int64_t count) { return size_t(count) * dtype_size(type); };
    return {{"x", bytes(v_.n * v_.x_at.image), false, type},
            {"f", bytes(v_.m * v_.group_c * v_.r * v_.s), false, type},
            {"bias", bytes(v_.m), false, type},
            {"y", bytes(v_.n * v_.y_at.image), true, type}};
  }

  /// Images and filters one below the other, a row a picture's own.
  std::vector<BufferGrid> grids() const override {
    const auto image = [&](const ConvPlaces& at, int64_t width) {
      const int64_t columns = v_.layout == kConvNchw ? width : at.row;
      return BufferGrid{v_.n * at.image / columns, columns};
    };
    return {image(v_.x_at, v_.w), {v_.m, v_.group_c * v_.r * v_.s}, {1, v_.m}, image(v_.y_at, v_.q)};
  }

  /// Of the direct convolution, taps in the padding included, as everybody counts; Winograd does with fewer.
  double flop() const override {
    return 2.0 * double(v_.n * v_.m * v_.p * v_.q) * double(v_.group_c * v_.r * v_.s);
  }

  double bytes_min() const override {
    double sum = 0;
    for (const BufferSpec& spec : buffers()) sum += double(spec.bytes);
    return sum;
  }

  double items() const override { return double(v_.n); }

  bool grade(Grading grading, Accuracy accuracy) override {
    grading_ = grading;
    accuracy_ = accuracy;
    f_.clear();  // filters of other sizes are to come
    return quality::grade_span(shape_.dtype) > 0;
  }

  void generate(uint64_t seed, HostBuffers* host) const override {
    host->resize(4);
    auto& x = (*host)[kConvX];
    x.resize(buffers()[kConvX].bytes);
    quality::fill_normal(x, shape_.dtype, seed);
    for (int64_t c = v_.c; c < conv_stored(v_.c, v_.layout); ++c)
      for (int64_t i = 0; i < v_.n * v_.h * v_.w; ++i) {
        const int64_t w = i % v_.w, h = i / v_.w % v_.h, n = i / v_.w / v_.h;
        quality::store(x.data(), conv_place(&v_.x_at, n, c, h, w), shape_.dtype, 0);
      }
    if (grading_ && *grading_ != Grading::columns) scale_images(x.data());
    make_constants();
    (*host)[kConvF] = f_;
    (*host)[kConvBias] = bias_;
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
    if (grading_) return check_graded(shape_, host, accuracy_);
    return check_conv(shape_, host, full, seed);
  }

 private:
  bool is_large_pixel(int64_t n, int64_t h, int64_t w) const {
    return *grading_ == Grading::rows
               // Stripes as wide as a filter: a method that makes outputs of a wider patch has large pixels
               // in it for outputs that see small ones alone.
               ? (n + w / 3) % 2 == 0
               // With mixed filters, products are of one size where an output has a large pixel in its middle. A
               // method that adds pixels, or taps, before it multiplies has large ones in both.
               : *grading_ == Grading::mixed && h % v_.r == v_.r / 2 && w % v_.s == v_.s / 2;
  }

  /// By the channels of a group, and by pixels.
  void scale_images(std::byte* x) const {
    const int span = quality::grade_span(shape_.dtype);
    const double large = std::ldexp(1.0, span), small = std::ldexp(1.0, -span);
    for (int64_t i = 0; i < v_.n * v_.c * v_.h * v_.w; ++i) {
      const int64_t w = i % v_.w, h = i / v_.w % v_.h, c = i / v_.w / v_.h % v_.c;
      const int64_t n = i / v_.w / v_.h / v_.c;
      double factor = is_large_pixel(n, h, w) ? large : small;
      if (*grading_ == Grading::geometric) factor = 1;
      if (*grading_ != Grading::rows)
        factor *= quality::grade_factor(*grading_, c % v_.group_c, v_.group_c, span);
      scale(x, conv_place(&v_.x_at, n, c, h, w), factor);
    }
  }

  /// By the filter; or inversely to the channel, and the tap in the middle inversely to a large pixel.
  void scale_filters() const {
    const int span = quality::grade_span(shape_.dtype);
    const int64_t taps = v_.r * v_.s, middle = v_.r / 2 * v_.s + v_.s / 2;
    for (int64_t i = 0; i < v_.m * v_.group_c * taps; ++i) {
      const int64_t tap = i % taps, c = i / taps % v_.group_c, m = i / taps / v_.group_c;
      double factor = *grading_ == Grading::columns
                          ? quality::grade_factor(*grading_, m, v_.m, span)
                          : 1 / quality::grade_factor(*grading_, c, v_.group_c, span);
      if (*grading_ == Grading::mixed) factor *= std::ldexp(1.0, tap == middle ? -span : span);
      scale(f_.data(), i, factor);
    }
  }

  void scale(std::byte* data, int64_t at, double factor) const {
    quality::store(data, at, shape_.dtype, quality::load(data, at, shape_.dtype) * factor);
  }

  /// When they are first asked for: whether it fits is asked of a problem that does not, and of many smaller
  /// ones, and 4096 filters of 4096 channels took 2 s each time.
  void make_constants() const {
    if (!f_.empty()) return;
    const std::vector<BufferSpec> specs = buffers();
    f_.resize(specs[kConvF].bytes);
    bias_.resize(specs[kConvBias].bytes);
    quality::fill_normal(f_, shape_.dtype, kFilterSeed);
    quality::fill_normal(bias_, shape_.dtype, kFilterSeed + 1);
    if (grading_ && *grading_ != Grading::rows) scale_filters();
    constants_ = {f_.data(), bias_.data()};
  }

  Shape shape_;
  Conv v_;
  mutable std::vector<std::byte> f_, bias_;
  mutable ConvConstants constants_ = {};
  std::optional<Grading> grading_;
  Accuracy accuracy_ = Accuracy::componentwise;
};

/// All the others of ten parameters stand above it, or in view: the sentence names those that disagree.
Error refused(const std::string& what, const char* hint) {
  return {ErrorCode::usage, what, "conv", hint};
}

std::string text(const Params& params, const char* name) {
  return std::string(name) + "=" + std::to_string(param_int(params, name));
}

/// x, filters, and the image's and filter's sizes: what every family of convolutions is asked for.
std::vector<ParamSpec> shape_params() {
  constexpr int64_t kMax = int64_t{1} << 16;
  return {extent_param("h", "height of the images", kMax, 56),
          extent_param("w", "width of the images", kMax, 56, "h"),
          int_param("n", "images in a call", 1, kMax, 1),
          int_param("c", "channels of the images", 1, kMax, 64),
          extent_param("m", "filters: channels of the output", kMax, 64, "c"),
          int_param("r", "height of a filter", 1, 1024, 3),
          extent_param("s", "width of a filter", 1024, 3, "r"),
          int_param("stride", "steps between outputs, both ways", 1, 1024, 1),
          int_param("pad", "zeros around the images", 0, 1024, 1),
          int_param("groups", "of channels and filters that meet; divides c and m", 1, kMax, 1)};
}

/// A shape of `params`, or the sentence that says why there is none. Absent layout, relu and dtype: nchw,
/// no, fp32.
Result<Shape> shape_of(const Params& params) {
  Shape shape;
  constexpr std::array kNames = {"n", "c", "h", "w", "m", "r", "s", "stride", "pad", "groups"};
  static_assert(kConvGroups + 1 == kNames.size());
  for (size_t i = 0; i < kNames.size(); ++i) shape.dim[i] = param_int(params, kNames[i], 1);
  const std::string layout = param_text(params, "layout", "nchw");
  shape.dim[kConvLayoutDim] = layout == "nchw"   ? kConvNchw
                              : layout == "nhwc" ? kConvNhwc
                                                 : kConvNchw16c;
  shape.dim[kConvRelu] = param_text(params, "relu", "no") == "yes";
  shape.threads = static_cast<int>(param_int(params, "threads", 1));
  parse_dtype(param_text(params, "dtype", "fp32"), &shape.dtype);
  for (const char* channels : {"c", "m"}) {
    if (param_int(params, channels) % shape.dim[kConvGroups] == 0) continue;
    return refused(text(params, "groups") + " does not divide " + text(params, channels),
                   "each group has as many channels and as many filters as the others");
  }
  for (const auto& [size, filter] : {std::pair{"h", "r"}, {"w", "s"}}) {
    if (param_int(params, size) + 2 * shape.dim[kConvPad] >= param_int(params, filter)) continue;
    return refused("a filter with " + text(params, filter) + " does not fit an image with " +
                       text(params, size) + " and " + text(params, "pad"),
                   "more padding, or a smaller filter");
  }
  const Conv v = conv_shape(&shape);
  for (const double image : {double(v.x_at.image), double(v.y_at.image)}) {
    if (image * double(v.n) <= kMaxElements) continue;
    return Error{ErrorCode::unavailable,
                 text(params, "n") + " images with " + text(params, "c") + ", " +
                     text(params, "m") + ", " + text(params, "h") + " and " + text(params, "w") +
                     " are more bytes than 64 bits count",
                 "conv", "choose a smaller size"};
  }
  return shape;
}

/// One, three and seventeen channels, images of one pixel, filters larger than the image, strides, groups.
std::vector<Params> awkward_shapes() {
  std::vector<Params> shapes;
  const auto add = [&](int64_t n, int64_t c, int64_t h, int64_t w, int64_t m, int64_t r, int64_t s,
                       int64_t stride, int64_t pad, int64_t groups) {
    shapes.push_back({{"n", n},
                      {"c", c},
                      {"h", h},
                      {"w", w},
                      {"m", m},
                      {"r", r},
                      {"s", s},
                      {"stride", stride},
                      {"pad", pad},
                      {"groups", groups}});
  };
  add(1, 1, 1, 1, 1, 1, 1, 1, 0, 1);       // one product
  add(2, 3, 1, 1, 17, 3, 3, 1, 1, 1);      // the filter is larger than the image
  add(2, 8, 2, 3, 8, 5, 5, 1, 2, 2);       // the same, in groups
  add(1, 17, 5, 7, 3, 3, 3, 1, 1, 1);      // channels that fill no vector
  add(1, 3, 23, 19, 64, 7, 7, 2, 3, 1);    // a network's first layer
  add(3, 64, 9, 9, 32, 3, 3, 1, 1, 1);     //
  add(1, 33, 8, 8, 65, 1, 1, 1, 0, 1);     // 1 x 1
  add(1, 16, 13, 13, 16, 3, 3, 2, 1, 16);  // depthwise
  add(1, 24, 6, 10, 12, 3, 3, 1, 1, 3);    // groups of eight channels and four filters
  add(1, 40, 15, 14, 72, 3, 3, 2, 1, 1);   // strides
  add(1, 16, 12, 5, 16, 2, 4, 3, 3, 1);    // filters of even sides, outputs all in the padding
  add(1, 1, 30, 31, 5, 3, 1, 1, 1, 1);     // one channel
  add(1, 80, 7, 7, 130, 3, 3, 1, 1, 1);    // more than one block of channels and filters
  return shapes;
}

/// Two images for 3 x 3 filters of many channels, which most methods take. Tiles reach from one stripe into the next
/// (is_large_pixel()).
std::vector<Params> graded_shapes() {
  return {{{"n", int64_t{2}},
           {"c", int64_t{64}},
           {"h", int64_t{5}},
           {"w", int64_t{9}},
           {"m", int64_t{32}},
           {"r", int64_t{3}},
           {"s", int64_t{3}},
           {"stride", int64_t{1}},
           {"pad", int64_t{1}},
           {"groups", int64_t{1}}}};
}

/// A layer whose x, filters and y are some hundred lines: all of them can be drawn.
Params walk() {
  return {{"h", int64_t{14}}, {"c", int64_t{16}}};
}

/// Images first, then the image's sides.
Params shrink(const Params& params, double share) {
  Params smaller = params;
  double left = std::isnan(share) ? 1 : std::clamp(share, 0.0, 1.0);
  const auto n = double(param_int(params, "n", 1));
  const double images = std::max(1.0, std::floor(n * left + 1e-9));
  smaller["n"] = static_cast<int64_t>(images);
  left = std::min(1.0, left * n / images);
  for (const auto& [size, filter] : {std::pair{"h", "r"}, {"w", "s"}}) {
    const auto was = double(param_int(params, size, 1));
    const double least =
        std::max<double>(1, double(param_int(params, filter, 1) - 2 * param_int(params, "pad", 0)));
    smaller[size] = static_cast<int64_t>(std::max(least, std::floor(was * std::sqrt(left) + 1e-9)));
  }
  return smaller;
}

std::vector<ParamSpec> conv_params() {
  std::vector<ParamSpec> specs = shape_params();
  specs.push_back(
      choice_param("layout", "how the images lie in memory", {"nchw", "nhwc", "nchw16c"}));
  specs.push_back(choice_param("relu", "adds a bias and cuts off below zero", {"no", "yes"}));
  specs.push_back(choice_param("dtype", "type of images and filters", {"fp32", "bf16", "fp16"}));
  specs.push_back(threads_param());
  return specs;
}

Result<std::unique_ptr<Problem>> make_problem(const Params& params) {
  RIDGE_TRY(const Shape shape, shape_of(params));
  return std::unique_ptr<Problem>(std::make_unique<ConvProblem>(shape));
}

RIDGE_FAMILY(conv, .params = conv_params, .make_problem = make_problem, .awkward = awkward_shapes,
             .graded = graded_shapes, .shrink = shrink, .walk = walk);

}  // namespace
}  // namespace conv
}  // namespace ridge
