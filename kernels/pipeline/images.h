// From a number to an image in a batch: read, decode, crop and flip, normalise into its place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/pipeline/batch.h"
#include "kernels/pipeline/files.h"

namespace ridge::pipeline {

/// Where a file's bytes come from. Called by all workers at once.
class ImageSource {
 public:
  virtual ~ImageSource() = default;
  /// False, and why, where file `i` cannot be read.
  virtual bool read(int32_t i, std::vector<uint8_t>* bytes, std::string* why) = 0;
  /// Its pixels where they are kept decoded; null: decode what read() gives.
  virtual const uint8_t* pixels(int32_t) { return nullptr; }
  virtual double held_bytes() const { return 0; }  ///< of memory, by those pixels
};

std::unique_ptr<ImageSource> read_files(std::shared_ptr<const FileSet> set);
Result<std::unique_ptr<ImageSource>> read_shards(std::shared_ptr<const FileSet> set);
/// All pictures decoded now and kept: side * side * 3 bytes each.
Result<std::unique_ptr<ImageSource>> read_memory(std::shared_ptr<const FileSet> set,
                                                 const FamilyProgress& progress);

/// When each part of loading one image began; the last is the end. Parts that there are not are empty.
struct LoadTimes {
  double at_ns[5] = {};
};
inline constexpr const char* kLoadParts[4] = {"read", "decode", "augment", "collate"};

/// Loads images, one at a time: a worker's own scratch memory.
class ImageLoader {
 public:
  ImageLoader(const Geometry& geometry, ImageSource* source)
      : geometry_(geometry), source_(source) {}
  /// Fills place `i` of the batch, whose record names the file. False: skipped, with the reason.
  bool load(const Batch& batch, int i, LoadTimes* times, std::string* why);

 private:
  bool keep_jpeg(uint8_t* place, Record* record, std::string* why) const;

  Geometry geometry_;
  ImageSource* source_;
  std::vector<uint8_t> bytes_, pixels_, cropped_;
};

/// Crop and flip: crop x crop pixels of three bytes.
void crop_and_flip(const uint8_t* rgb, const Record& record, const Geometry& g, uint8_t* out);
/// To planes of fp32, normalised.
void normalise(const uint8_t* rgb, const Geometry& g, float* planes);

/// Steady clock, ns: the clock of all spans.
double now_ns();

}  // namespace ridge::pipeline
