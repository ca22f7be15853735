// ridge: needs=jpeg
//
// What arrived, held against the seeded order and against reading the files again.
#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "kernels/pipeline/engine.h"

namespace ridge::pipeline {
namespace {

constexpr int kCheckedImages = 8;  ///< of each batch on the device
constexpr double kMostSkipped = 0.01;

}  // namespace

/// What the device saw of an image, against reading, decoding and transforming it once more here.
bool Engine::intact(int slot, int image, std::string* why) {
  const Record& record = on_device_[static_cast<size_t>(slot)][static_cast<size_t>(image)];
  if (record.label < 0) return true;
  Geometry g = setup_.geometry;
  g.batch = 1;
  g.carried = Carried::pixels;
  g.image_bytes = size_t(g.side) * size_t(g.side) * kChannels;
  std::vector<std::byte> memory(g.batch_bytes());
  const Batch one = {memory.data(), &g};
  *one.records() = record;
  ImageLoader loader(g, setup_.source.get());
  LoadTimes times;
  if (!loader.load(one, 0, &times, why)) return false;
  std::vector<float> wanted(static_cast<size_t>(g.features()));
  if (setup_.geometry.carried == Carried::tensor) {
    std::vector<uint8_t> cropped(size_t(g.crop) * size_t(g.crop) * kChannels);
    std::vector<float> planes(cropped.size());
    crop_and_flip(one.image(0), record, g, cropped.data());
    normalise(cropped.data(), g, planes.data());
    pool_tensor(planes.data(), g, wanted.data());
  } else {
    pool_pixels(one.image(0), record, g, wanted.data());
  }
  const auto seen = setup_.device->seen(slot, image);
  if (!seen) *why = seen.error().what;
  for (size_t i = 0; seen && i < wanted.size(); ++i) {
    const double error = std::fabs(double((*seen)[i]) - double(wanted[i]));
    if (error <= setup_.device->seen_tolerance()) continue;
    *why = "its pixels differ by " + format_number(error) + " of a deviation";
    return false;
  }
  return seen.ok();
}

QualityCheck Engine::check() {
  QualityCheck check;
  check.what = "each image once an epoch, in the seeded order, intact";
  check.checked = delivered_;
  check.task["epochs"] = double(delivered_) / double(order_.files());
  check.task["images_skipped"] = double(skipped_);
  check.task["images_misplaced"] = double(misplaced_);
  if (delivered_ == 0) check.reason = "nothing arrived";
  if (misplaced_ > 0) check.reason = first_misplaced_;
  if (double(skipped_) > kMostSkipped * double(delivered_))
    check.reason = std::to_string(skipped_) + " images skipped, first " + first_skipped_;
  for (size_t slot = 0; slot < on_device_.size() && check.reason.empty(); ++slot) {
    if (holds_[slot] == 0) continue;  // it only passed by
    const int images = static_cast<int>(on_device_[slot].size());
    for (int i = 0; i < std::min(images, kCheckedImages) && check.reason.empty(); ++i) {
      std::string why;
      if (!intact(static_cast<int>(slot), i, &why))
        check.reason = setup_.set->name(on_device_[slot][static_cast<size_t>(i)].file) + ": " + why;
    }
  }
  check.passed = check.reason.empty();
  return check;
}

}  // namespace ridge::pipeline
