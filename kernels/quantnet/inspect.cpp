// ridge: flags=-O3
//
// Inside a quantised network: how its activations lie, where calibration cut them off, and how much noise each
// layer has taken up.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/quantnet/inspect.h"
#include "kernels/runtime/weightless/inspect.h"

namespace ridge::quantnet {
namespace {

constexpr int kRows = 16, kColumns = 64;
/// Images that signal and noise are summed over.
constexpr int64_t kHeard = 64;
constexpr const char* kClipNames[] = {"largest", "percentile", "entropy", "least squares"};

std::string name_of(const QuantNet& net, size_t l) {
  const mixed::Layer& layer = net.layers[l].layer;
  const char* kind = layer.kind == mixed::Layer::Kind::conv ? "convolution" : "dense";
  return fmt::format("layer {}, {} {} to {}", l + 1, kind, layer.in, layer.out);
}

/// Bars of a histogram, their heights by the logarithm of the counts; what is cut off is brighter.
InspectionPlane histogram_plane(const QuantNet& net, const Asked& asked, size_t l) {
  const QuantLayer& at = net.layers[l];
  InspectionPlane plane{.name = name_of(net, l), .group = "activations", .unit = ""};
  plane.rows = kRows, plane.columns = kColumns, plane.high = 3;
  plane.unit = "1: kept, 3: cut off; heights by the logarithm of how many";
  std::vector<double> counts(kColumns);
  for (size_t i = 0; i < at.seen.bins.size(); ++i)
    counts[i * kColumns / at.seen.bins.size()] += double(at.seen.bins[i]);
  const double most = std::log1p(*std::max_element(counts.begin(), counts.end()));
  const auto column_of = [&](double value) {
    return std::min(kColumns - 1, static_cast<int>(value / at.seen.high * kColumns));
  };
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      const double height = most > 0 ? std::log1p(counts[size_t(column)]) / most * kRows : 0;
      const bool is_bar = height > kRows - 1 - row;
      plane.values.push_back(!is_bar ? 0 : column > column_of(at.clip) ? 3 : 1);
    }
  }
  for (const Clip clip : {Clip::min_max, Clip::percentile, Clip::entropy, Clip::least_squares}) {
    const double value = clip_of(at.seen, clip, net.most + 1, asked.choices.percentile);
    const bool is_chosen = clip == net.recipe.clip;
    plane.marks.push_back({(kRows - 1) * kColumns + column_of(value), is_chosen ? 1 : 0,
                           fmt::format("{}: {:.3g}{}", kClipNames[size_t(clip)], value,
                                       is_chosen ? ", chosen" : "")});
  }
  return plane;
}

/// A cell a layer: what the scores keep where its weights alone are rounded.
InspectionPlane sensitivity_plane(const QuantNet& net, const std::vector<double>& left) {
  InspectionPlane plane{.name = "scores, one layer's weights rounded", .group = "sensitivity"};
  plane.unit = "dB, signal to noise: lowest is most sensitive";
  plane.step = 0.1, plane.high = 600, plane.rows = 1;
  for (size_t l = 0; l < left.size(); ++l) {
    if (net.layers[l].layer.kind == mixed::Layer::Kind::pool) continue;
    plane.values.push_back(
        static_cast<int>(std::lround(std::clamp(10 * left[l], 0.0, double(plane.high)))));
    plane.marks.push_back({plane.columns++, net.layers[l].kept ? 1 : 0,
                           fmt::format("{}: {:.1f} dB{}", name_of(net, l), left[l],
                                       net.layers[l].kept ? ", kept in bf16" : "")});
  }
  return plane;
}

using Outputs = std::vector<std::vector<double>>;

Outputs outputs_of(const QuantNet& net, const uint8_t* pixels) {
  Outputs all(net.layers.size());
  const Seen seen = [&](size_t l, std::span<const double>, std::span<const double> values) {
    all[l].assign(values.begin(), values.end());
  };
  all.back().resize(kGarmentClasses);
  evaluate(net, pixels, all.back().data(), &seen);
  return all;
}

}  // namespace

std::vector<double> signal_to_noise(const QuantNet& net, const QuantNet& plain, const ImageSet& set,
                                    int64_t images) {
  std::vector<double> signal(net.layers.size()), noise(net.layers.size()), ratio;
  for (int64_t i = 0; i < std::min(images, set.count()); ++i) {
    const Outputs ours = outputs_of(net, set.image(i)), theirs = outputs_of(plain, set.image(i));
    for (size_t l = 0; l < ours.size(); ++l) {
      for (size_t at = 0; at < ours[l].size(); ++at) {
        // A convolution before its pool has negative sums in fp32; of a byte ReLU has been taken.
        const double x = l + 1 < ours.size() ? std::max(theirs[l][at], 0.0) : theirs[l][at];
        const double y = l + 1 < ours.size() ? std::max(ours[l][at], 0.0) : ours[l][at];
        signal[l] += x * x, noise[l] += (x - y) * (x - y);
      }
    }
  }
  for (size_t l = 0; l < signal.size(); ++l)
    ratio.push_back(noise[l] > 0 ? 10 * std::log10(signal[l] / noise[l]) : HUGE_VAL);
  return ratio;
}

Result<Inspection> inspect(const Params& params, const InspectAsked& wanted) {
  const Asked asked = asked_of(params);
  RIDGE_TRY(const auto net, stored_net(asked, nullptr));
  Inspection out;
  out.unit_name = "layer";
  out.units = std::ssize(net->layers);
  out.score = "score, hundredths";
  out.score_most = 1;
  const auto predict = [&](const uint8_t* pixels, int* scores) {
    double found[kGarmentClasses];
    evaluate(*net, pixels, found);
    for (size_t c = 0; c < kGarmentClasses; ++c)
      scores[c] = static_cast<int>(std::lround(100 * std::clamp(found[c], -1e4, 1e4)));
    return static_cast<int>(std::max_element(found, found + kGarmentClasses) - found);
  };
  RIDGE_TRY(const auto pixels, weightless::begin_inspection(wanted, garments(), predict, &out));
  for (const double score : out.scores) out.score_most = std::max(out.score_most, score);
  if (!pixels.empty()) return out;
  for (size_t l = 0; l + 1 < net->layers.size(); ++l) {
    const bool is_pool = net->layers[l].layer.kind == mixed::Layer::Kind::pool;
    if (!is_pool && !net->layers[l].seen.bins.empty())
      out.planes.push_back(histogram_plane(*net, asked, l));
  }
  if (out.planes.empty()) out.unavailable["activations"] = "this recipe calibrates nothing";
  // Of a network that was trained for its numbers: against its own weights in fp32.
  const auto trained = stored(asked.net, nullptr);
  if (!trained) return trained.error();
  const auto plain = quantize(**trained, Recipe{}, asked.choices, garments().train);
  const auto ratio = signal_to_noise(*net, *plain, garments().test, kHeard);
  InspectionPlane noise{.name = "signal to noise", .group = "noise", .unit = "dB"};
  noise.step = 0.1, noise.high = 600;
  for (size_t l = 0; l < ratio.size(); ++l) {
    if (net->layers[l].layer.kind == mixed::Layer::Kind::pool) continue;
    const bool exact = std::isinf(ratio[l]);
    noise.values.push_back(exact ? noise.high : static_cast<int>(std::lround(10 * ratio[l])));
    noise.marks.push_back({noise.columns++, 0,
                           fmt::format("{}: {}", name_of(*net, l),
                                       exact ? "exact" : fmt::format("{:.1f} dB", ratio[l]))});
  }
  noise.rows = 1;
  out.planes.push_back(std::move(noise));
  if (net->recipe.integer)
    out.planes.push_back(sensitivity_plane(
        *net, sensitivities(*plain, net->recipe, asked.choices, garments().train)));
  else
    out.unavailable["sensitivity"] = "this recipe has no integers";
  return out;
}

}  // namespace ridge::quantnet
