// A folder for what is made on the way.
#pragma once

#include <string>
#include <utility>

#include "common/core/result.h"

namespace ridge {

/// New, in the system's place for such folders, and gone with its object.
class WorkFolder {
 public:
  static Result<WorkFolder> make();
  WorkFolder(WorkFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();
  const std::string& path() const { return path_; }

 private:
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace ridge
