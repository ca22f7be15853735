#include "common/core/work_folder.h"

#include <stdlib.h>

#include <filesystem>

namespace ridge {

namespace fs = std::filesystem;

Result<WorkFolder> WorkFolder::make() {
  std::error_code ignored;
  std::string path = (fs::temp_directory_path(ignored) / "ridgepoint-XXXXXX").string();
  if (mkdtemp(path.data())) return WorkFolder(std::move(path));
  return Error{ErrorCode::cannot_write, "no folder could be made", path,
               "see whether the disk is full"};
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace ridge
