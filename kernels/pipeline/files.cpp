// ridge: needs=jpeg flags=-O3
#include "kernels/pipeline/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "common/core/format.h"
#include "common/core/parallel.h"
#include "common/core/random.h"
#include "common/core/files.h"
#include "common/harness/data/fashion_mnist.h"
#include "kernels/pipeline/jpeg.h"

namespace ridge::pipeline {
namespace fs = std::filesystem;
namespace {

/// Raised when draw_picture() or encode_jpeg() makes other files.
constexpr int kVersion = 1;
constexpr char kMagic[] = "ridgepoint pictures 1\n";
constexpr double kBlock = 4096;  ///< a small file takes a whole block of most file systems

Error cannot_write(const std::string& path, int error) {
  const std::string why = error == 0 ? "it was not written whole" : std::strerror(error);
  return {ErrorCode::cannot_write, why, path,
          "free some space, choose fewer images, or set XDG_CACHE_HOME to another disk"};
}

/// A file descriptor that is written to the last byte, or an error with the reason.
class Output {
 public:
  explicit Output(std::string path)
      : path_(std::move(path)),
        fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {}
  ~Output() {
    if (fd_ >= 0) ::close(fd_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  Result<void> write(const void* data, size_t size) {
    const auto* at = static_cast<const uint8_t*>(data);
    while (fd_ >= 0 && size > 0) {
      const ssize_t wrote = ::write(fd_, at, size);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return cannot_write(path_, wrote < 0 ? errno : 0);
      at += wrote;
      size -= static_cast<size_t>(wrote);
    }
    if (fd_ < 0) return cannot_write(path_, errno);
    return {};
  }
  Result<void> close() {
    const int result = ::close(std::exchange(fd_, -1));
    if (result != 0) return cannot_write(path_, errno);
    return {};
  }

 private:
  std::string path_;
  int fd_;
};

Result<void> write_file(const std::string& path, const void* data, size_t size) {
  Output file(path);
  RIDGE_TRY_VOID(file.write(data, size));
  return file.close();
}

std::vector<uint8_t> read_whole(const std::string& path) {
  std::vector<uint8_t> bytes;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info = {};
  if (fd >= 0 && ::fstat(fd, &info) == 0) {
    bytes.resize(static_cast<size_t>(info.st_size));
    size_t got = 0;
    for (ssize_t n = 1; got < bytes.size() && n > 0;
         got += static_cast<size_t>(std::max<ssize_t>(n, 0)))
      n = ::read(fd, bytes.data() + got, bytes.size() - got);
    if (got != bytes.size()) bytes.clear();
  }
  if (fd >= 0) ::close(fd);
  return bytes;
}

std::vector<uint8_t> make_picture(int64_t i, int side) {
  std::vector<uint8_t> rgb(size_t(side) * size_t(side) * 3);
  draw_picture(i, side, rgb.data());
  return encode_jpeg(rgb.data(), side);
}

/// A synthetic set, or another version of the data, must not pass for this one.
std::string key_of(int64_t count, int side) {
  uint64_t data = 0;
  for (const uint8_t label : garments().train.labels) data = mix_bits(data + label + kGolden);
  char text[96];
  std::snprintf(text, sizeof text, "%dx%lld-v%d-%08x", side, static_cast<long long>(count),
                kVersion, static_cast<unsigned>(data >> 32));
  return text;
}

uint8_t label_of(int64_t i) {
  const ImageSet& train = garments().train;
  return train.labels[static_cast<size_t>(i % train.count())];
}

FileSet described(const std::string& folder, int64_t count, int side) {
  FileSet set;
  set.folder = folder;
  set.side = side;
  set.note = garments().missing;
  for (int64_t i = 0; i < count; ++i) set.labels.push_back(label_of(i));
  set.bytes.resize(set.labels.size());
  return set;
}

void find_starts(FileSet* set) {
  set->starts.clear();
  uint64_t at = 0;
  for (const uint32_t size : set->bytes) {
    set->starts.push_back(at);
    at += size;
  }
}

std::string index_path(const std::string& folder) {
  return folder + "/index";
}

// ---- making --------------------------------------------------------------------------------------

/// Parts that a killed process left; those of living ones are being made.
void sweep(const std::string& parent) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename();
    const size_t at = name.find(".part-");
    if (at == name.npos) continue;
    const pid_t maker = std::atoi(name.c_str() + at + 6);
    if (maker > 0 && ::kill(maker, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), error);
  }
}

/// What `count` files like the first few will take, twice: as files and packed.
Result<void> check_room(const FileSet& set, const std::string& folder) {
  constexpr int64_t kFew = 8;
  double bytes = 0;
  const int64_t few = std::min(kFew, set.count());
  for (int64_t i = 0; i < few; ++i) {
    const auto size = static_cast<double>(make_picture(i, set.side).size());
    bytes += size + std::ceil(size / kBlock) * kBlock;
  }
  const double needed = 1.05 * bytes / static_cast<double>(few) * static_cast<double>(set.count());
  struct statvfs room = {};
  if (::statvfs(folder.c_str(), &room) != 0) return {};
  const double free = static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
  if (free >= needed) return {};
  return Error{
      ErrorCode::cannot_write,
      "the image files take " + format_bytes(needed) + ", but " + format_bytes(free) + " are free",
      folder, "free some space, choose fewer images, or set XDG_CACHE_HOME to another disk"};
}

/// Files [begin, end), drawn and written by all cores; their bytes kept for the packed file.
Result<void> write_some(FileSet* set, int64_t begin, int64_t end,
                        std::vector<std::vector<uint8_t>>* made) {
  std::mutex mutex;
  std::optional<Error> failed;
  parallel_for(end - begin, 1, [&](int64_t from, int64_t to) {
    for (int64_t i = begin + from; i < begin + to; ++i) {
      auto& bytes = (*made)[static_cast<size_t>(i - begin)];
      bytes = make_picture(i, set->side);
      const auto wrote = write_file(set->path(i), bytes.data(), bytes.size());
      if (wrote) continue;
      const std::lock_guard lock(mutex);
      failed = wrote.error();
      return;
    }
  });
  if (failed) return *failed;
  for (int64_t i = begin; i < end; ++i) {
    set->bytes[static_cast<size_t>(i)] =
        static_cast<uint32_t>((*made)[static_cast<size_t>(i - begin)].size());
  }
  return {};
}

Result<void> write_index(const FileSet& set) {
  std::vector<uint8_t> text(kMagic, kMagic + sizeof kMagic - 1);
  const auto* sizes = reinterpret_cast<const uint8_t*>(set.bytes.data());
  text.insert(text.end(), sizes, sizes + set.bytes.size() * sizeof(uint32_t));
  return write_file(index_path(set.folder), text.data(), text.size());
}

Result<void> make_set(FileSet* set, const FamilyProgress& progress) {
  constexpr int64_t kPiece = 128;
  RIDGE_TRY_VOID(check_room(*set, set->folder));
  Output packed(set->packed());
  for (int64_t begin = 0; begin < set->count(); begin += kPiece) {
    const double share = static_cast<double>(begin) / static_cast<double>(set->count());
    if (progress &&
        !progress("writing " + std::to_string(set->count()) + " JPEG files, once", share))
      return Error{ErrorCode::cancelled, "cancelled", "", ""};
    std::vector<std::vector<uint8_t>> made(kPiece);
    RIDGE_TRY_VOID(write_some(set, begin, std::min(begin + kPiece, set->count()), &made));
    for (const auto& bytes : made) RIDGE_TRY_VOID(packed.write(bytes.data(), bytes.size()));
  }
  RIDGE_TRY_VOID(packed.close());
  return write_index(*set);
}

/// Makes the set beside its place and moves it there; nothing is left where that fails.
Result<void> make_whole(const std::string& folder, int64_t count, int side,
                        const FamilyProgress& progress) {
  const std::string parent = fs::path(folder).parent_path();
  std::error_code error;
  fs::create_directories(parent, error);
  sweep(parent);
  const std::string part = folder + ".part-" + std::to_string(::getpid());
  if (!fs::create_directories(part, error) && error) return cannot_write(part, error.value());
  FileSet set = described(part, count, side);
  auto made = make_set(&set, progress);
  if (made) {
    fs::rename(part, folder, error);
    const bool by_another = error && fs::exists(index_path(folder));
    if (error && !by_another) made = cannot_write(folder, error.value());
  }
  fs::remove_all(part, error);
  return made;
}

// ---- finding -------------------------------------------------------------------------------------

bool read_index(FileSet* set) {
  const std::vector<uint8_t> text = read_whole(index_path(set->folder));
  const size_t head = sizeof kMagic - 1, sizes = set->bytes.size() * sizeof(uint32_t);
  if (text.size() != head + sizes || std::memcmp(text.data(), kMagic, head) != 0) return false;
  std::memcpy(set->bytes.data(), text.data() + head, sizes);
  find_starts(set);
  struct stat packed = {};
  const uint64_t all = set->starts.back() + set->bytes.back();
  return ::stat(set->packed().c_str(), &packed) == 0 &&
         static_cast<uint64_t>(packed.st_size) == all;
}

/// Files that have gone or were cut short are drawn again: each is what its number says.
Result<void> repair(const FileSet& set) {
  for (int64_t i = 0; i < set.count(); ++i) {
    struct stat found = {};
    const auto size = static_cast<off_t>(set.bytes[static_cast<size_t>(i)]);
    if (::stat(set.path(i).c_str(), &found) == 0 && found.st_size == size) continue;
    const auto bytes = make_picture(i, set.side);
    RIDGE_TRY_VOID(write_whole(set.path(i), std::string(bytes.begin(), bytes.end())));
  }
  return {};
}

/// One pixel between four of the 28 x 28.
float between(const uint8_t* image, float y, float x) {
  const int y0 = static_cast<int>(y), x0 = static_cast<int>(x);
  const int y1 = std::min(y0 + 1, kGarmentSide - 1), x1 = std::min(x0 + 1, kGarmentSide - 1);
  const float fy = y - static_cast<float>(y0), fx = x - static_cast<float>(x0);
  const auto at = [&](int r, int c) { return static_cast<float>(image[r * kGarmentSide + c]); };
  return (at(y0, x0) * (1 - fx) + at(y0, x1) * fx) * (1 - fy) +
         (at(y1, x0) * (1 - fx) + at(y1, x1) * fx) * fy;
}

}  // namespace

uint32_t FileSet::max_bytes() const {
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

std::string FileSet::name(int64_t i) const {
  char text[32];
  std::snprintf(text, sizeof text, "%05lld.jpg", static_cast<long long>(i));
  return text;
}

std::string file_set_folder() {
  return cache_folder("jpeg");
}

void draw_picture(int64_t i, int side, uint8_t* rgb) {
  const ImageSet& train = garments().train;
  const uint8_t* image = train.image(i % train.count());
  const uint64_t key = random_key(static_cast<uint64_t>(i) * 2654435761u + 17);
  float cloth[3], ground[3];
  for (uint64_t c = 0; c < 3; ++c) {
    cloth[c] = 90 + 165 * random_unit(key, c);
    ground[c] = 70 * random_unit(key, 3 + c);
  }
  constexpr float kGrain = 24;  // makes a file of 256 x 256 about as large as a photograph's
  const float step =
      static_cast<float>(kGarmentSide - 1) / static_cast<float>(std::max(side - 1, 1));
  for (int r = 0; r < side; ++r) {
    for (int c = 0; c < side; ++c) {
      const float value =
          between(image, static_cast<float>(r) * step, static_cast<float>(c) * step) / 255;
      const uint64_t at =
          static_cast<uint64_t>(r) * static_cast<uint64_t>(side) + static_cast<uint64_t>(c);
      const float grain = kGrain * (random_unit(key, 64 + at) - 0.5f);
      uint8_t* pixel = rgb + at * 3;
      for (int k = 0; k < 3; ++k) {
        pixel[k] = static_cast<uint8_t>(
            std::clamp(ground[k] + (cloth[k] - ground[k]) * value + grain, 0.0f, 255.0f));
      }
    }
  }
}

Result<std::shared_ptr<const FileSet>> file_set(int64_t count, int side,
                                                const FamilyProgress& progress) {
  const std::string parent = file_set_folder();
  if (parent.empty()) {
    return Error{ErrorCode::cannot_write, "there is no folder for the image files",
                 "the user's cache", "set HOME or XDG_CACHE_HOME"};
  }
  const std::string folder = parent + "/" + key_of(count, side);
  auto set = std::make_shared<FileSet>(described(folder, count, side));
  if (!read_index(set.get())) {
    std::error_code error;
    fs::remove_all(folder, error);
    RIDGE_TRY_VOID(make_whole(folder, count, side, progress));
    if (!read_index(set.get())) return cannot_write(folder, 0);
  }
  RIDGE_TRY_VOID(repair(*set));
  return std::shared_ptr<const FileSet>(set);
}

}  // namespace ridge::pipeline
