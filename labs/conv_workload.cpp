// ResNet-50: K. He et al., Deep Residual Learning for Image Recognition, arXiv:1512.03385, table 1; the stride of a
// stage stands in its 3 x 3 layer, as in the form that is trained today ("v1.5", P. Goyal et al., arXiv:1706.02677).
// MobileNetV2: M. Sandler et al., arXiv:1801.04381, table 2. EfficientNet-B0: M. Tan and Q. Le, arXiv:1905.11946, table 1.
#include "labs/conv_workload.h"

#include <algorithm>

#include "common/record/params.h"

namespace ridge {
namespace {

double number(const Params& of, const char* name) {
  return static_cast<double>(param_int(of, name, 1));
}

/// Pixels of y along one side.
double out_of(const Params& of, const char* size, const char* filter) {
  const int64_t pad = param_int(of, "pad"), stride = param_int(of, "stride", 1);
  return static_cast<double>(
      (param_int(of, size, 1) + 2 * pad - param_int(of, filter, 1)) / stride + 1);
}

/// Elements of y.
double outputs(const Params& of) {
  return number(of, "n") * number(of, "m") * out_of(of, "h", "r") * out_of(of, "w", "s");
}

/// Elements of the filters, of one group's channels each.
double weights(const Params& of) {
  return number(of, "m") * number(of, "c") / number(of, "groups") * number(of, "r") *
         number(of, "s");
}

double flop_of(const Params& of) {
  return 2 * outputs(of) * weights(of) / number(of, "m");
}

double bytes_of(const Params& of, double element_bytes) {
  const double inputs = number(of, "n") * number(of, "c") * number(of, "h") * number(of, "w");
  return element_bytes * (inputs + weights(of) + outputs(of));
}

std::string shape_of(const Params& params) {
  const auto of = [&](const char* name) { return std::to_string(param_int(params, name, 1)); };
  return of("c") + " × " + of("h") + "² → " + of("m") + ", " + of("r") + " × " + of("s") +
         (param_int(params, "stride", 1) > 1 ? " / " + of("stride") : "");
}

constexpr WorkloadCall kConvolution = {flop_of, bytes_of, shape_of};

std::string note_of(int64_t c, int64_t filter, int64_t stride, int64_t groups) {
  if (c == 3) return "The stem: three channels, many pixels.";
  if (groups > 1)
    return "Depthwise: one filter for each channel, so few multiply-adds for each byte that is "
           "moved.";
  if (stride == 2) return "Goes over to the next stage: half as high, half as wide.";
  if (filter == 3) return "What Winograd's transforms fit.";
  return "A product of matrices: pixels by channels, channels by filters.";
}

/// `filter` x `filter`, padded so that stride 1 keeps the image's size.
WorkloadPart layer(std::string title, int64_t calls, int64_t c, int64_t size, int64_t m,
                   int64_t filter, int64_t stride, int64_t groups = 1) {
  return {.title = std::move(title),
          .note = note_of(c, filter, stride, groups),
          .kernel = "",
          .params = {{"c", c},
                     {"h", size},
                     {"w", size},
                     {"m", m},
                     {"r", filter},
                     {"s", filter},
                     {"stride", stride},
                     {"pad", filter / 2},
                     {"groups", groups}},
          .calls = calls,
          .call = &kConvolution};
}

/// `repeats` blocks: 1 x 1 to `expand` times the channels, depthwise, 1 x 1 to `channels`. The first has the stride.
struct InvertedStage {
  int64_t expand, filter, channels, repeats, stride;
};

/// What both mobile networks are: a stem to 32 channels of 112 x 112, the stages, 1 x 1 to 1280 channels.
std::vector<WorkloadPart> inverted_network(const std::vector<InvertedStage>& stages) {
  std::vector<WorkloadPart> parts = {layer("stem", 1, 3, 224, 32, 3, 2)};
  const auto add = [&](const char* what, int64_t c, int64_t size, int64_t m, int64_t filter,
                       int64_t stride, int64_t groups) {
    WorkloadPart made =
        layer(std::to_string(size) + "², " + what, 1, c, size, m, filter, stride, groups);
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const WorkloadPart& part) {
      return part.params == made.params;
    });
    if (same != parts.end())
      ++same->calls;
    else
      parts.push_back(std::move(made));
  };
  int64_t size = 112, channels = 32;
  for (const InvertedStage& stage : stages) {
    for (int64_t i = 0; i < stage.repeats; ++i) {
      const int64_t wide = channels * stage.expand, stride = i == 0 ? stage.stride : 1;
      if (stage.expand > 1) add("widening", channels, size, wide, 1, 1, 1);
      add(stage.filter == 5 ? "depthwise 5 × 5" : "depthwise 3 × 3", wide, size, wide, stage.filter,
          stride, wide);
      size /= stride;
      add("narrowing", wide, size, stage.channels, 1, 1, 1);
      channels = stage.channels;
    }
  }
  add("to the classifier", channels, size, 1280, 1, 1, 1);
  return parts;
}

}  // namespace

Workload conv_resnet50_workload() {
  return {.id = "resnet50",
          .title = "ResNet-50, forward: its 53 convolutions by their 23 shapes",
          .note =
              "Pooling, normalisation and the classifier are left out: 4.09e9 multiply-adds an "
              "image are in here, 2e6 in the classifier.",
          .parts = {layer("stem", 1, 3, 224, 64, 7, 2),
                    layer("56², first 1 × 1", 1, 64, 56, 64, 1, 1),
                    layer("56², 3 × 3", 3, 64, 56, 64, 3, 1),
                    layer("56², widening", 4, 64, 56, 256, 1, 1),
                    layer("56², narrowing", 2, 256, 56, 64, 1, 1),
                    layer("to 28²: 1 × 1", 1, 256, 56, 128, 1, 1),
                    layer("to 28²: 3 × 3", 1, 128, 56, 128, 3, 2),
                    layer("to 28²: shortcut", 1, 256, 56, 512, 1, 2),
                    layer("28², widening", 4, 128, 28, 512, 1, 1),
                    layer("28², narrowing", 3, 512, 28, 128, 1, 1),
                    layer("28², 3 × 3", 3, 128, 28, 128, 3, 1),
                    layer("to 14²: 1 × 1", 1, 512, 28, 256, 1, 1),
                    layer("to 14²: 3 × 3", 1, 256, 28, 256, 3, 2),
                    layer("to 14²: shortcut", 1, 512, 28, 1024, 1, 2),
                    layer("14², widening", 6, 256, 14, 1024, 1, 1),
                    layer("14², narrowing", 5, 1024, 14, 256, 1, 1),
                    layer("14², 3 × 3", 5, 256, 14, 256, 3, 1),
                    layer("to 7²: 1 × 1", 1, 1024, 14, 512, 1, 1),
                    layer("to 7²: 3 × 3", 1, 512, 14, 512, 3, 2),
                    layer("to 7²: shortcut", 1, 1024, 14, 2048, 1, 2),
                    layer("7², widening", 3, 512, 7, 2048, 1, 1),
                    layer("7², narrowing", 2, 2048, 7, 512, 1, 1),
                    layer("7², 3 × 3", 2, 512, 7, 512, 3, 1)}};
}

Workload conv_mobilenet_v2_workload() {
  return {.id = "mobilenet_v2",
          .title = "MobileNetV2, forward: its 52 convolutions by shape",
          .note =
              "Pooling, normalisation and the classifier are left out, which has 1.3e6 of the "
              "300e6 multiply-adds of an image.",
          .parts = inverted_network({{1, 3, 16, 1, 1},
                                     {6, 3, 24, 2, 2},
                                     {6, 3, 32, 3, 2},
                                     {6, 3, 64, 4, 2},
                                     {6, 3, 96, 3, 1},
                                     {6, 3, 160, 3, 2},
                                     {6, 3, 320, 1, 1}})};
}

Workload conv_efficientnet_b0_workload() {
  return {.id = "efficientnet_b0",
          .title = "EfficientNet-B0, forward: its 49 large convolutions by shape",
          .note =
              "Squeeze-and-excitation works on images of one pixel; it is left out, with pooling, "
              "normalisation and the classifier.",
          .parts = inverted_network({{1, 3, 16, 1, 1},
                                     {6, 3, 24, 2, 2},
                                     {6, 5, 40, 2, 2},
                                     {6, 3, 80, 3, 2},
                                     {6, 5, 112, 3, 1},
                                     {6, 5, 192, 4, 2},
                                     {6, 3, 320, 1, 1}})};
}

}  // namespace ridge
