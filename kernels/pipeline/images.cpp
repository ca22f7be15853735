// ridge: needs=jpeg flags=-O3
#include "kernels/pipeline/images.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "common/core/format.h"
#include "common/core/parallel.h"
#include "common/harness/measure/machine.h"
#include "kernels/pipeline/jpeg.h"

namespace ridge::pipeline {
namespace {

bool read_all(int fd, uint64_t at, std::vector<uint8_t>* bytes) {
  size_t got = 0;
  while (got < bytes->size()) {
    const ssize_t n =
        ::pread(fd, bytes->data() + got, bytes->size() - got, static_cast<off_t>(at + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += static_cast<size_t>(n);
  }
  return true;
}

class Files final : public ImageSource {
 public:
  explicit Files(std::shared_ptr<const FileSet> set) : set_(std::move(set)) {}
  bool read(int32_t i, std::vector<uint8_t>* bytes, std::string* why) override {
    const int fd = ::open(set_->path(i).c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info = {};
    errno = 0;
    bool good = fd >= 0 && ::fstat(fd, &info) == 0;
    if (good) {
      bytes->resize(static_cast<size_t>(info.st_size));
      good = read_all(fd, 0, bytes);
    }
    if (!good)
      *why = errno != 0 ? std::strerror(errno)
             : fd < 0   ? "it cannot be opened"
                        : "it was cut short";
    if (fd >= 0) ::close(fd);
    return good;
  }

 private:
  std::shared_ptr<const FileSet> set_;
};

class Shards final : public ImageSource {
 public:
  Shards(std::shared_ptr<const FileSet> set, int fd) : set_(std::move(set)), fd_(fd) {}
  ~Shards() override { ::close(fd_); }
  bool read(int32_t i, std::vector<uint8_t>* bytes, std::string* why) override {
    const auto at = static_cast<size_t>(i);
    bytes->resize(set_->bytes[at]);
    errno = 0;
    const bool good = read_all(fd_, set_->starts[at], bytes);
    if (!good) *why = errno != 0 ? std::strerror(errno) : "the packed file ends before it";
    return good;
  }

 private:
  std::shared_ptr<const FileSet> set_;
  int fd_;
};

class Memory final : public ImageSource {
 public:
  Memory(size_t image, std::vector<uint8_t> all, std::vector<std::string> broken)
      : image_(image), all_(std::move(all)), broken_(std::move(broken)) {}
  bool read(int32_t i, std::vector<uint8_t>*, std::string* why) override {
    *why = broken_[static_cast<size_t>(i)];
    return why->empty();
  }
  const uint8_t* pixels(int32_t i) override {
    return broken_[static_cast<size_t>(i)].empty() ? &all_[static_cast<size_t>(i) * image_]
                                                   : nullptr;
  }
  double held_bytes() const override { return static_cast<double>(all_.size()); }

 private:
  size_t image_;
  std::vector<uint8_t> all_;
  std::vector<std::string> broken_;
};

}  // namespace

std::unique_ptr<ImageSource> read_files(std::shared_ptr<const FileSet> set) {
  return std::make_unique<Files>(std::move(set));
}

Result<std::unique_ptr<ImageSource>> read_shards(std::shared_ptr<const FileSet> set) {
  const int fd = ::open(set->packed().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{ErrorCode::bad_input, std::strerror(errno), set->packed(), ""};
  return std::unique_ptr<ImageSource>(std::make_unique<Shards>(std::move(set), fd));
}

Result<std::unique_ptr<ImageSource>> read_memory(std::shared_ptr<const FileSet> set,
                                                 const FamilyProgress& progress) {
  constexpr int64_t kPiece = 512;
  const size_t image = size_t(set->side) * size_t(set->side) * kChannels;
  const size_t bytes = image * static_cast<size_t>(set->count());
  const auto free = static_cast<double>(measure::free_memory_bytes());
  if (free > 0 && static_cast<double>(bytes) > 0.6 * free) {
    return Error{ErrorCode::unavailable,
                 "the decoded images take " + format_bytes(static_cast<double>(bytes)) + " of " +
                     format_bytes(free) + " of memory",
                 "cached epoch", "choose fewer or smaller images"};
  }
  std::vector<uint8_t> all(bytes);
  std::vector<std::string> broken(set->labels.size());
  const auto files = read_files(set);
  for (int64_t begin = 0; begin < set->count(); begin += kPiece) {
    const double share = static_cast<double>(begin) / static_cast<double>(set->count());
    if (progress && !progress("decoding the first epoch", share))
      return Error{ErrorCode::cancelled, "cancelled", "", ""};
    parallel_for(std::min(kPiece, set->count() - begin), 1, [&](int64_t from, int64_t to) {
      std::vector<uint8_t> jpeg;
      for (int64_t i = begin + from; i < begin + to; ++i) {
        const auto at = static_cast<size_t>(i);
        if (files->read(static_cast<int32_t>(i), &jpeg, &broken[at]))
          decode_jpeg(jpeg.data(), jpeg.size(), set->side, &all[at * image], &broken[at]);
      }
    });
  }
  return std::unique_ptr<ImageSource>(
      std::make_unique<Memory>(image, std::move(all), std::move(broken)));
}

// ---- one image -----------------------------------------------------------------------------------

void crop_and_flip(const uint8_t* rgb, const Record& record, const Geometry& g, uint8_t* out) {
  const size_t row = size_t(g.crop) * kChannels;
  for (int r = 0; r < g.crop; ++r) {
    const uint8_t* from =
        rgb + (size_t(record.y + r) * size_t(g.side) + size_t(record.x)) * kChannels;
    uint8_t* to = out + size_t(r) * row;
    if (record.flip == 0) {
      std::memcpy(to, from, row);
      continue;
    }
    for (int c = 0; c < g.crop; ++c) {
      const uint8_t* pixel = from + (g.crop - 1 - c) * kChannels;
      to[c * kChannels] = pixel[0];
      to[c * kChannels + 1] = pixel[1];
      to[c * kChannels + 2] = pixel[2];
    }
  }
}

void normalise(const uint8_t* rgb, const Geometry& g, float* planes) {
  const size_t pixels = size_t(g.crop) * size_t(g.crop);
  float* red = planes;
  float* green = planes + pixels;
  float* blue = planes + 2 * pixels;
  for (size_t i = 0; i < pixels; ++i) {
    red[i] = static_cast<float>(rgb[i * 3]) * scale_of(0) + shift_of(0);
    green[i] = static_cast<float>(rgb[i * 3 + 1]) * scale_of(1) + shift_of(1);
    blue[i] = static_cast<float>(rgb[i * 3 + 2]) * scale_of(2) + shift_of(2);
  }
}

bool ImageLoader::keep_jpeg(uint8_t* place, Record* record, std::string* why) const {
  const bool fits = bytes_.size() <= geometry_.image_bytes;
  if (!fits) *why = "larger than when the set was made";
  record->bytes = fits ? static_cast<uint32_t>(bytes_.size()) : 0;
  if (fits) std::memcpy(place, bytes_.data(), bytes_.size());
  return fits;
}

bool ImageLoader::load(const Batch& batch, int i, LoadTimes* times, std::string* why) {
  const Geometry& g = geometry_;
  Record& record = batch.records()[i];
  uint8_t* place = batch.image(i);
  double* at = times->at_ns;  // of read, decode, augment, collate, and the end
  at[0] = now_ns();
  const uint8_t* pixels = source_->pixels(record.file);
  bool good = pixels != nullptr || source_->read(record.file, &bytes_, why);
  at[1] = at[2] = at[3] = now_ns();
  const size_t decoded = size_t(g.side) * size_t(g.side) * kChannels;
  const bool whole = g.carried == Carried::pixels;
  if (good && g.carried == Carried::number) {
    good = pixels != nullptr;  // the device has them
  } else if (good && g.carried == Carried::jpeg) {
    good = keep_jpeg(place, &record, why);
  } else if (good && whole && pixels != nullptr) {
    std::memcpy(place, pixels, decoded);
  } else if (good && pixels == nullptr) {
    if (!whole) pixels_.resize(decoded);
    uint8_t* to = whole ? place : pixels_.data();  // decoded where it will be read
    good = decode_jpeg(bytes_.data(), bytes_.size(), g.side, to, why);
    pixels = to;
    at[2] = at[3] = now_ns();
  }
  if (good && g.carried == Carried::tensor) {
    cropped_.resize(size_t(g.crop) * size_t(g.crop) * kChannels);
    crop_and_flip(pixels, record, g, cropped_.data());
    at[3] = now_ns();
    normalise(cropped_.data(), g, reinterpret_cast<float*>(place));
  }
  at[4] = now_ns();
  if (!good) record.label = -1;
  return good;
}

double now_ns() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
}

}  // namespace ridge::pipeline
