#include "common/harness/measure/caches.h"

#include <fstream>
#include <string>

namespace ridge::measure {
namespace {

int64_t number_in(const std::string& file) {
  int64_t value = 0;
  std::ifstream(file) >> value;
  return value;
}

std::vector<CacheShape> read_cache_shapes() {
  std::vector<CacheShape> levels;
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::string type;
    if (!(std::ifstream(folder + "type") >> type)) break;
    const CacheShape level = {number_in(folder + "number_of_sets"),
                              number_in(folder + "ways_of_associativity"),
                              number_in(folder + "coherency_line_size")};
    if (type != "Instruction" && level.sets > 0 && level.ways > 0 && level.line_bytes > 0)
      levels.push_back(level);
  }
  return levels;
}

}  // namespace

const std::vector<CacheShape>& machine_cache_shapes() {
  static const std::vector<CacheShape> shapes = read_cache_shapes();
  return shapes;
}

}  // namespace ridge::measure
