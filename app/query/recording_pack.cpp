#include "app/query/recording_pack.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/query/recording_check.h"
#include "common/core/files.h"

namespace ridge::app {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kMostUnpackedBytes = size_t{256}
                                      << 20;  ///< unpacked: a pack that says more is none of ours

/// A ustar header: the name, the size, one mode and no user.
std::string header_of(const PackedFile& file) {
  std::string header(kBlock, '\0');
  const auto put = [&](size_t at, const std::string& text) {
    header.replace(at, text.size(), text);
  };
  put(0, file.name.substr(0, 99));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", file.text.size()));
  put(136, "00000000000");
  put(148, "        ");
  put(156, "0");
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return header;
}

std::string padding_of(size_t bytes) {
  return std::string((kBlock - bytes % kBlock) % kBlock, '\0');
}

Error no_pack(const std::string& path, const std::string& what) {
  return {ErrorCode::bad_input, what, path, "give a file of 'ridgepoint record --contribute'"};
}

Result<std::string> compressed(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return Error{ErrorCode::cannot_write, "zlib could not start", "", ""};
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (end != Z_STREAM_END) return Error{ErrorCode::cannot_write, "zlib could not compress", "", ""};
  return out;
}

Result<std::string> expanded(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) return no_pack(path, "it cannot be read");
  std::string text, block(1 << 16, '\0');
  int got = 0;
  while (text.size() <= kMostUnpackedBytes &&
         (got = gzread(file, block.data(), unsigned(block.size()))) > 0)
    text.append(block, 0, static_cast<size_t>(got));
  gzclose(file);
  if (got < 0 || text.size() > kMostUnpackedBytes)
    return no_pack(path, "it is no pack of recordings");
  return text;
}

}  // namespace

Result<void> write_pack(const std::string& path, const std::vector<PackedFile>& files) {
  std::string tar;
  for (const PackedFile& file : files)
    tar += header_of(file) + file.text + padding_of(file.text.size());
  tar.append(2 * kBlock, '\0');
  RIDGE_TRY(const std::string packed, compressed(tar));
  return write_whole(path, packed);
}

Result<std::vector<PackedFile>> read_pack(const std::string& path) {
  RIDGE_TRY(const std::string tar, expanded(path));
  std::vector<PackedFile> files;
  size_t at = 0;
  while (at + kBlock <= tar.size() && tar[at] != '\0') {
    const std::string name(tar.c_str() + at, strnlen(tar.c_str() + at, 100));
    const size_t bytes = std::strtoull(tar.substr(at + 124, 11).c_str(), nullptr, 8);
    const bool whole = tar.compare(at + 257, 5, "ustar") == 0 && bytes <= tar.size() &&
                       at + kBlock + bytes <= tar.size();
    if (!whole) return no_pack(path, "it is no pack of recordings, or cut off");
    if (name.find('/') != name.npos || name.starts_with("."))
      return no_pack(path, "it holds '" + name + "', which is no recording's name");
    PackedFile file{name, tar.substr(at + kBlock, bytes)};
    // Our own header, byte for byte: what another program makes of links, prefixes and sums is no question then.
    const bool is_ours = tar.compare(at, kBlock, header_of(file)) == 0;
    const bool is_new = std::none_of(files.begin(), files.end(),
                                     [&](const PackedFile& other) { return other.name == name; });
    if (!is_ours || !is_new || bytes > kMostLabBytes)
      return no_pack(path, "'" + name + "' is not packed as a recording is");
    files.push_back(std::move(file));
    at += kBlock + bytes + padding_of(bytes).size();
  }
  if (tar.find_first_not_of('\0', at) != tar.npos)
    return no_pack(path, "something stands behind its end");
  if (files.empty()) return no_pack(path, "it holds no recording");
  return files;
}

}  // namespace ridge::app
