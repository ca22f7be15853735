#include "common/core/work_folder.h"

#include <stdlib.h>

#include <filesystem>

#include "common/core/files.h"

namespace ridge {

namespace fs = std::filesystem;

Result<WorkFolder> WorkFolder::make() {
  std::string path = temporary_folder() + "/ridgepoint-XXXXXX";
  if (mkdtemp(path.data())) return WorkFolder(std::move(path));
  return Error{ErrorCode::cannot_write, "no folder could be made", path,
               "see whether the disk is full"};
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace ridge
