// The lab's files: Fashion-MNIST's pictures as JPEG files of a chosen size, made once and kept in the
// user's cache folder. They are enlarged, tinted and grained, so that they are as much work to decode as
// photographs of that size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/harness/kernel/family.h"

namespace ridge::pipeline {

struct FileSet {
  std::string folder;
  int side = 0;
  std::vector<uint8_t> labels;
  std::vector<uint32_t> bytes;   ///< of each file
  std::vector<uint64_t> starts;  ///< of each in the packed file, which holds them all
  std::string note;              ///< synthetic pictures: says so, and how to get the real ones

  int64_t count() const { return static_cast<int64_t>(labels.size()); }
  uint32_t max_bytes() const;
  std::string name(int64_t i) const;  ///< "00012.jpg"
  std::string path(int64_t i) const { return folder + "/" + name(i); }
  std::string packed() const { return folder + "/images.pack"; }
};

/// The set of this size, made now where there is none: beside its place, and moved there whole, so that a
/// full disk, a kill or a cancel leaves no part of one. A file that has gone or was cut short since is
/// made again. `progress` may be empty. Errors: cannot_write (no room, with how much it takes), cancelled.
Result<std::shared_ptr<const FileSet>> file_set(int64_t count, int side,
                                                const FamilyProgress& progress);

/// ridgepoint/jpeg in the user's cache folder.
std::string file_set_folder();

/// Picture i at that size, as it goes into its file.
void draw_picture(int64_t i, int side, uint8_t* rgb);

}  // namespace ridge::pipeline
