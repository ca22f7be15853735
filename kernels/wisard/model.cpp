#include "kernels/wisard/model.h"

#include <algorithm>
#include <cmath>

#include "common/core/parallel.h"
#include "common/core/random.h"

namespace ridge::wisard {

WisardModel Wisard::model() const {
  return {.features = features(),
          .tuple = tuple,
          .rams = rams(),
          .bleach = bleach,
          .order = order.data(),
          .counts = counts.data()};
}

Wisard train_wisard(const ImageSet& set, std::span<const int32_t> which, int bits, int tuple,
                    int bleach, uint64_t seed) {
  Wisard wisard{
      .bits = bits, .tuple = tuple, .bleach = bleach, .thresholds = {}, .order = {}, .counts = {}};
  wisard.thresholds = weightless::quantile_thresholds(set, which, bits);
  const std::vector<int32_t> order = shuffled(wisard.features(), seed);
  for (int i = 0; i < wisard.rams() * tuple; ++i) {
    wisard.order.push_back(
        static_cast<uint16_t>(order[static_cast<size_t>(i % wisard.features())]));
  }
  wisard.counts.assign(
      (static_cast<size_t>(kRamClasses) * static_cast<size_t>(wisard.rams())) << tuple, 0);
  const auto rows = weightless::encode_rows(set.pixels.data(), set.count(), wisard.thresholds);
  const WisardModel model = wisard.model();
  // A thread has its own RAMs, so that no two write one counter.
  parallel_for(wisard.rams(), 1, [&](int64_t begin, int64_t end) {
    for (const int32_t i : which) {
      const auto c = int64_t{set.labels[static_cast<size_t>(i)]};
      for (int64_t ram = begin; ram < end; ++ram) {
        const uint32_t address = ram_address(&model, static_cast<int>(ram), rows.row(i));
        uint8_t& count =
            wisard.counts[static_cast<size_t>(((c * model.rams + ram) << tuple) + address)];
        count = static_cast<uint8_t>(std::min(count + 1, 255));
      }
    }
  });
  return wisard;
}

int predict_one(const Wisard& wisard, const uint64_t* row, int* scores) {
  int own[kRamClasses];
  int* yes = scores != nullptr ? scores : own;
  std::fill(yes, yes + kRamClasses, 0);
  const WisardModel model = wisard.model();
  for (int ram = 0; ram < model.rams; ++ram) {
    const uint32_t address = ram_address(&model, ram, row);
    for (int c = 0; c < kRamClasses; ++c) yes[c] += seen(&model, c, ram, address) > wisard.bleach;
  }
  return weightless::best_class(yes);
}

// ---- looking inside ------------------------------------------------------------------------------

std::vector<double> mental_image(const Wisard& wisard, int c) {
  const WisardModel model = wisard.model();
  std::vector<double> set(static_cast<size_t>(wisard.features())), all(set);
  for (int ram = 0; ram < model.rams; ++ram) {
    std::vector<int64_t> with(static_cast<size_t>(model.tuple));
    int64_t counted = 0;
    for (uint32_t address = 0; address < 1u << model.tuple; ++address) {
      const int count = seen(&model, c, ram, address);
      if (count <= model.bleach) continue;
      counted += count;
      for (int i = 0; i < model.tuple; ++i)
        with[static_cast<size_t>(i)] += address >> i & 1 ? count : 0;
    }
    for (int i = 0; i < model.tuple; ++i) {
      const uint16_t feature = model.order[ram * model.tuple + i];
      set[feature] += static_cast<double>(with[static_cast<size_t>(i)]);
      all[feature] += static_cast<double>(counted);
    }
  }
  std::vector<double> image(kGarmentPixels);
  for (size_t f = 0; f < set.size(); ++f) {
    if (all[f] > 0) image[f / static_cast<size_t>(wisard.bits)] += set[f] / all[f] / wisard.bits;
  }
  return image;
}

namespace {

/// A RAM's pixels; with an image also what training saw of its address.
void add_ram(const Wisard& wisard, int ram, const uint8_t* pixels, const uint64_t* row,
             Inspection* out) {
  const WisardModel model = wisard.model();
  InspectionPlane pins = weightless::image_plane("RAM " + std::to_string(ram), "pins", "");
  for (int i = 0; i < model.tuple; ++i) {
    const uint16_t feature = model.order[ram * model.tuple + i];
    const int pixel = feature / wisard.bits, threshold = wisard.thresholds[feature];
    std::string label = "bit " + std::to_string(i) + ": " + weightless::pixel_name(pixel) + ", ";
    const bool bit = pixels != nullptr && pixels[pixel] > threshold;
    if (pixels == nullptr) {
      label += "above " + std::to_string(threshold);
    } else {
      label += std::to_string(pixels[pixel]) + (bit ? " > " : " ≤ ") + std::to_string(threshold) +
               ": " + (bit ? "1" : "0");
    }
    pins.marks.push_back({pixel, bit, std::move(label)});
  }
  if (row != nullptr) {
    const uint32_t address = ram_address(&model, ram, row);
    InspectionPlane counts{.name = pins.name + ", address " + std::to_string(address),
                           .group = "seen",
                           .unit = "training images, 255 at most",
                           .rows = kRamClasses,
                           .columns = 1,
                           .high = 255};
    for (int c = 0; c < kRamClasses; ++c) {
      counts.values.push_back(seen(&model, c, ram, address));
      if (counts.values.back() > model.bleach) counts.marks.push_back({c, 1, "says yes"});
    }
    out->planes.push_back(std::move(counts));
  }
  out->planes.push_back(std::move(pins));
}

void add_mental_images(const Wisard& wisard, Inspection* out) {
  for (int c = 0; c < kRamClasses; ++c) {
    InspectionPlane plane =
        weightless::image_plane(kGarmentNames[c], "mental image", "share of set bits");
    plane.step = 0.001;
    plane.high = 1000;
    for (const double share : mental_image(wisard, c))
      plane.values.push_back(static_cast<int>(std::lround(share * 1000)));
    out->planes.push_back(std::move(plane));
  }
}

}  // namespace

Result<Inspection> inspect_wisard(const Wisard& wisard, const Garments& set,
                                  const InspectAsked& asked) {
  Inspection out;
  out.unit_name = "RAM";
  out.units = wisard.rams();
  out.score = "RAMs that say yes";
  out.score_most = wisard.rams();
  const auto predict = [&](const uint8_t* pixels, int* scores) {
    const auto rows = weightless::encode_rows(pixels, 1, wisard.thresholds);
    return predict_one(wisard, rows.row(0), scores);
  };
  RIDGE_TRY(const auto pixels, weightless::begin_inspection(asked, set, predict, &out));
  for (size_t i = 0; asked.place && i < wisard.order.size(); ++i) {
    const auto ram = static_cast<int64_t>(i) / wisard.tuple;
    const bool looks = wisard.order[i] / wisard.bits == *asked.place;
    if (looks && (out.lookers.empty() || out.lookers.back() != ram)) out.lookers.push_back(ram);
  }
  const int ram = weightless::choose_unit(asked, &out);
  if (pixels.empty()) {
    add_mental_images(wisard, &out);
    add_ram(wisard, ram, nullptr, nullptr, &out);
    return out;
  }
  const auto rows = weightless::encode_rows(pixels.data(), 1, wisard.thresholds);
  const WisardModel model = wisard.model();
  InspectionPlane votes{.name = "votes", .group = "votes", .unit = "yes"};
  votes.rows = kRamClasses, votes.columns = model.rams;
  for (int c = 0; c < kRamClasses; ++c) {
    for (int r = 0; r < model.rams; ++r)
      votes.values.push_back(seen(&model, c, r, ram_address(&model, r, rows.row(0))) >
                             model.bleach);
  }
  weightless::add_votes(std::move(votes), &out);
  add_ram(wisard, ram, pixels.data(), rows.row(0), &out);
  return out;
}

}  // namespace ridge::wisard
