// What this binary was built from and with. Written by the build (cmake/write_build_info.cmake).
#pragma once

#include <string>

namespace ridge {

struct BuildInfo {
  std::string version;     ///< "0.1.0"
  std::string commit;      ///< "1a2b3c4d5e6f", "-dirty" appended; "unknown" outside git
  std::string compiler;    ///< "GNU 12.2.0"
  std::string build_type;  ///< "Release"
  std::string cuda;        ///< "13.0.88", or "none: why"
};

BuildInfo build_info();

}  // namespace ridge
