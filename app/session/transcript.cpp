#include "app/session/transcript.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

namespace ridge::app {
namespace {

/// Of text in a block: packing it takes a few milliseconds, once in many seconds.
constexpr size_t kBlockBytes = size_t{128} << 10;
/// Of zlib's 1 to 9: a sixth fewer bytes than 3, and a twentieth more than 9.
constexpr int kLevel = 6;

/// Without its first lines.
std::string_view without_lines(std::string_view text, size_t lines) {
  for (; lines > 0 && !text.empty(); --lines) text.remove_prefix(text.find('\n') + 1);
  return text;
}

}  // namespace

/// Goes with its last user, whatever ends the program. In /var/tmp, which is on a disk where /tmp may be memory.
class Transcript::NamelessFile {
 public:
  NamelessFile() {
#ifdef O_TMPFILE
    fd_ = ::open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
  }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile() {
    if (fd_ >= 0) ::close(fd_);
  }

  /// Where it lies; none if it could not be written whole.
  std::optional<size_t> append(const std::string& text) {
    if (fd_ < 0) return std::nullopt;
    const ssize_t written = ::pwrite(fd_, text.data(), text.size(), static_cast<off_t>(size_));
    if (written != static_cast<ssize_t>(text.size())) return std::nullopt;
    return std::exchange(size_, size_ + text.size());
  }
  /// All of them; none if the disk does not give them back.
  std::optional<std::string> read(size_t at, size_t bytes) const {
    std::string text(bytes, '\0');
    for (size_t done = 0; done < bytes;) {
      const ssize_t got =
          ::pread(fd_, text.data() + done, bytes - done, static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      done += static_cast<size_t>(got);
    }
    return text;
  }

 private:
  int fd_ = -1;
  size_t size_ = 0;
};

Transcript::Transcript(std::initializer_list<std::string_view> lines) {
  for (const std::string_view line : lines) push_back(line);
}

void Transcript::push_back(std::string_view line) {
  open_ += line;
  open_ += '\n';
  ++open_lines_;
  if (open_.size() >= kBlockBytes) pack();
}

void Transcript::pack() {
  std::string packed(compressBound(uLong(open_.size())), '\0');
  uLongf bytes = uLongf(packed.size());
  const int failed =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &bytes,
                reinterpret_cast<const Bytef*>(open_.data()), uLong(open_.size()), kLevel);
  packed.resize(bytes);
  if (failed != Z_OK || bytes >= open_.size()) packed = open_;
  packed.shrink_to_fit();
  if (!file_) file_ = std::make_shared<NamelessFile>();
  Block block{first_open_, open_.size(), packed.size(), 0, {}};
  if (const auto at = file_->append(packed))
    block.at = *at;
  else
    block.packed = std::move(packed);
  blocks_.push_back(std::move(block));
  first_open_ += std::exchange(open_lines_, 0);
  open_.clear();
}

Result<std::string> Transcript::text_of(const Block& block) const {
  std::string packed = block.packed;
  if (packed.empty()) {
    auto read = file_->read(block.at, block.packed_bytes);
    if (!read) {
      return Error{ErrorCode::bad_input, "earlier lines of this session could not be read back",
                   "/var/tmp", "the file of this session in the runs folder has them, written as they came"};
    }
    packed = *std::move(read);
  }
  if (block.packed_bytes == block.bytes) return packed;
  std::string text(block.bytes, '\0');
  uLongf unpacked = uLongf(block.bytes);
  uncompress(reinterpret_cast<Bytef*>(text.data()), &unpacked,
             reinterpret_cast<const Bytef*>(packed.data()), uLong(packed.size()));
  text.resize(unpacked);
  return text;
}

Result<std::string> Transcript::text_from(size_t first) const {
  std::string text;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const size_t end = i + 1 < blocks_.size() ? blocks_[i + 1].first : first_open_;
    if (end <= first) continue;
    RIDGE_TRY(const std::string own, text_of(blocks_[i]));
    text += without_lines(own, std::max(first, blocks_[i].first) - blocks_[i].first);
  }
  text += without_lines(open_, std::max(first, first_open_) - first_open_);
  return text;
}

Result<std::vector<std::string>> Transcript::lines() const {
  std::vector<std::string> lines;
  RIDGE_TRY(const std::string text, text_from(0));
  for (std::string_view rest = text; !rest.empty(); rest = without_lines(rest, 1))
    lines.emplace_back(rest.substr(0, rest.find('\n')));
  return lines;
}

size_t Transcript::held_bytes() const {
  size_t bytes = open_.capacity();
  for (const Block& block : blocks_) bytes += block.packed.capacity();
  return bytes;
}

}  // namespace ridge::app
