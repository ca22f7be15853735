// The files of a class: which there are, and reading them on several threads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/query/class_run.h"
#include "common/core/result.h"

namespace ridge::app {

struct ClassFile {
  std::string path;
  std::string
      source;  ///< what was handed in: the name of its folder or, without its ending, its own
  bool is_loose = false;  ///< it lies in no folder of its own
};

struct ClassFiles {
  std::vector<ClassFile> files;  ///< those of one source beside each other, by name
  std::vector<ClassFile> empty;  ///< folders that were handed in and hold none
};

/// All *.jsonl below the folders, and the files that are named themselves. Of one folder each entry is a source, of several
/// paths each path. Links to folders are not followed. Error bad_input: a path that is not there.
Result<ClassFiles> find_class_files(const std::vector<std::string>& paths);

/// Each file's run, in their order; on so many threads (0: one for each processor), so that one run for each of these is held
/// whole. Errors as of load_saved().
std::vector<Result<ClassRun>> read_class_files(const std::vector<ClassFile>& files,
                                               size_t threads = 0);

}  // namespace ridge::app
