#include "kernels/runtime/weightless/encoded_batch.h"

#include <cstring>

#include "common/core/random.h"
#include "common/harness/quality/quality.h"
#include "common/stats/answers.h"
#include "kernels/runtime/weightless/weightless.h"

namespace ridge::weightless {

EncodedBatch::EncodedBatch(const std::vector<uint8_t>& thresholds, int64_t images, uint64_t seed) {
  const ImageSet& set = garments().test;
  const uint64_t key = random_key(seed);
  for (int64_t i = 0; i < images; ++i) {
    const int64_t image =
        seed == 1 ? i % set.count()
                  : random_below(key, static_cast<uint64_t>(i), static_cast<uint32_t>(set.count()));
    pixels.insert(pixels.end(), set.image(image), set.image(image) + kGarmentPixels);
    labels.push_back(set.labels[static_cast<size_t>(image)]);
  }
  rows = encode_rows(pixels.data(), images, thresholds);
}

void EncodedBatch::write_planes(uint64_t* planes) const {
  const int64_t padded = (rows.count + kTile - 1) / kTile * kTile;
  for (int64_t first = 0; first < padded; first += 64) {
    std::array<const uint64_t*, 64> picked{};
    for (int64_t s = 0; s < 64 && first + s < rows.count; ++s) {
      picked[static_cast<size_t>(s)] = rows.row(first + s);
    }
    uint64_t* tile = planes + first / kTile * rows.features * kTileWords;
    rows_to_planes(picked, rows.features, tile + first % kTile / 64, kTileWords);
  }
}

size_t EncodedBatch::row_bytes(int64_t images, int features) {
  return static_cast<size_t>(images) * static_cast<size_t>((features + 63) / 64) * 8;
}

size_t EncodedBatch::plane_bytes(int64_t images, int features) {
  return static_cast<size_t>((images + kTile - 1) / kTile) * static_cast<size_t>(features) * kTile /
         8;
}

QualityCheck judge_classes(std::span<const std::byte> classes, const std::vector<uint8_t>& expected,
                           const std::vector<uint8_t>& labels, uint64_t seed) {
  quality::ErrorSum sum;
  int64_t right = 0;
  std::vector<bool> answers(seed == 1 ? size_t(garments().test.count()) : 0);
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto found = static_cast<uint8_t>(classes[i]);
    // One apart from zero, so that a class of 0 counts in the relative error as any other.
    sum.add(found + 1.0, expected[i] + 1.0, 0);
    right += found == labels[i];
    if (i < answers.size()) answers[i] = found == labels[i];
  }
  QualityCheck check = sum.finish("every prediction against the definition", 0);
  check.task["accuracy"] = double(right) / double(expected.size());
  if (!answers.empty() && answers.size() <= expected.size())
    check.right = stats::pack_answers(answers);
  return check;
}

bool feed_pixels(std::span<const uint8_t> input, std::vector<std::byte>* pixels) {
  if (input.size() != kGarmentPixels || pixels->size() < input.size()) return false;
  std::memcpy(pixels->data(), input.data(), input.size());
  return true;
}

}  // namespace ridge::weightless
