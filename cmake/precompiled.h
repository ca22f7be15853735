// What most files read and none changes: parsed once. nlohmann's header is not here but where half of the
// files need it (CMakeLists.txt): merely standing here it costs each file 0.45 s, because it ends by
// instantiating its parser.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>
