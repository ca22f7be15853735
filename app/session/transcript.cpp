#include "app/session/transcript.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

namespace ridge::app {
namespace {

/// Of text in a block: packing it takes a few milliseconds, once in many seconds.
constexpr size_t kBlockBytes = size_t{128} << 10;
constexpr int kLevel = 6;  ///< of zlib's 1 to 9: a sixth fewer bytes than 3, and a twentieth more than 9

/// Without its first lines.
std::string_view without_lines(std::string_view text, size_t lines) {
  for (; lines > 0 && !text.empty(); --lines) text.remove_prefix(text.find('\n') + 1);
  return text;
}

}  // namespace

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
  Block block{first_open_, open_.size(), std::string(compressBound(uLong(open_.size())), '\0')};
  uLongf bytes = uLongf(block.packed.size());
  const int failed =
      compress2(reinterpret_cast<Bytef*>(block.packed.data()), &bytes,
                reinterpret_cast<const Bytef*>(open_.data()), uLong(open_.size()), kLevel);
  if (failed == Z_OK && bytes < open_.size()) {
    block.packed.resize(bytes);
    block.packed.shrink_to_fit();
  } else {
    block.packed = open_;
  }
  blocks_.push_back(std::move(block));
  first_open_ += std::exchange(open_lines_, 0);
  open_.clear();
}

std::string Transcript::Block::text() const {
  if (packed.size() == bytes) return packed;
  std::string text(bytes, '\0');
  uLongf unpacked = uLongf(bytes);
  uncompress(reinterpret_cast<Bytef*>(text.data()), &unpacked,
             reinterpret_cast<const Bytef*>(packed.data()), uLong(packed.size()));
  text.resize(unpacked);
  return text;
}

std::string Transcript::text_from(size_t first) const {
  std::string text;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const size_t end = i + 1 < blocks_.size() ? blocks_[i + 1].first : first_open_;
    if (end <= first) continue;
    text += without_lines(blocks_[i].text(), std::max(first, blocks_[i].first) - blocks_[i].first);
  }
  text += without_lines(open_, std::max(first, first_open_) - first_open_);
  return text;
}

std::vector<std::string> Transcript::lines() const {
  std::vector<std::string> lines;
  const std::string text = text_from(0);
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
