// ridge: needs=jpeg
//
// What arrived, held against the seeded order and against reading the files again.
#include <algorithm>
#include <cmath>

#include "common/core/format.h"
#include "kernels/pipeline/engine.h"
#include "kernels/pipeline/jpeg.h"

namespace ridge::pipeline {
namespace {

constexpr int kCheckedImages = 8;  ///< of each batch on the device
constexpr double kMaxSkipped = 0.01;

/// What rounding may make of a mean of 64 pixels beyond the choice of chroma: a level of Y and one of Cb,
/// which counts 1.772 in blue, the worst channel: 0.048. (One that cuts off instead of rounding, libjpeg's with
/// JDCT_FLOAT, is off by 0.036 on these pictures.)
constexpr double kDecoderRounding = (1 + 1.772) / (255 * kDeviation[2]);

}  // namespace

/// The network's input from reading, decoding and transforming the image once more here.
bool Engine::pooled_again(const Record& record, std::vector<float>* wanted, std::string* why) {
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
  if (setup_.geometry.carried != Carried::tensor) {
    pool_pixels(one.image(0), record, g, wanted->data());
    return true;
  }
  std::vector<uint8_t> cropped(size_t(g.crop) * size_t(g.crop) * kChannels);
  std::vector<float> planes(cropped.size());
  crop_and_flip(one.image(0), record, g, cropped.data());
  normalise(cropped.data(), g, planes.data());
  pool_tensor(planes.data(), g, wanted->data());
  return true;
}

/// The same by the other way with chroma.
bool Engine::pooled_repeated(const Record& record, std::vector<float>* wanted, std::string* why) {
  const int side = setup_.geometry.side;
  std::vector<uint8_t> file, rgb(size_t(side) * size_t(side) * kChannels);
  if (!setup_.source->read(record.file, &file, why)) return false;
  if (!decode_jpeg(file.data(), file.size(), side, rgb.data(), why, Chroma::repeated)) return false;
  pool_pixels(rgb.data(), record, setup_.geometry, wanted->data());
  return true;
}

/// What the device saw of an image, against the same made here. A device that decodes may spread chroma
/// either way: what it saw is to lie between the two, which at an edge of colour are 0.08 apart, but for rounding.
bool Engine::intact(int slot, int image, std::string* why) {
  const Record& record = on_device_[static_cast<size_t>(slot)][static_cast<size_t>(image)];
  if (record.label < 0) return true;
  std::vector<float> wanted(static_cast<size_t>(setup_.geometry.features()));
  if (!pooled_again(record, &wanted, why)) return false;
  std::vector<float> other = wanted;
  double limit = setup_.device->seen_tolerance();
  if (setup_.device->decodes()) {
    if (!pooled_repeated(record, &other, why)) return false;
    limit += kDecoderRounding;
  }
  const auto seen = setup_.device->seen(slot, image);
  if (!seen) *why = seen.error().what;
  for (size_t i = 0; seen && i < wanted.size(); ++i) {
    const auto [least, most] = std::minmax(wanted[i], other[i]);
    const float got = (*seen)[i];
    const double error = std::max(double(least) - double(got), double(got) - double(most));
    if (error <= limit) continue;
    *why = "its pixels differ by " + format_number(error) + " of a deviation, " +
           format_number(limit) + " is allowed";
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
  if (double(skipped_) > kMaxSkipped * double(delivered_))
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
