// ridge: flags=-O2
//
// Idea      A RAM of 2^n words of which training touches a few hundred: keep those, in a hash map for
//           each class and RAM, as the published Python and C++ libraries do.
// Changed   Nothing yet; this is where WiSARD's ladder starts.
// Limits    1,960 searches an image with 12-bit tuples; within each, loads wait for one another.
// Look at   Memory as well as time: an entry of one byte takes a node of forty.
// Source    WiSARD as in wisardpkg (Lima Filho et al., arXiv:2005.00887).
#include <unordered_map>
#include <vector>

#include "kernels/wisard/wisard.h"

namespace ridge {
namespace {

using Ram = std::unordered_map<uint32_t, uint8_t>;

Status prepare(const Shape& shape, Plan* plan) {
  const auto* model = static_cast<const WisardModel*>(shape.constants);
  auto* rams = new std::vector<Ram>(static_cast<size_t>(kRamClasses * model->rams));
  for (int c = 0; c < kRamClasses; ++c) {
    for (int ram = 0; ram < model->rams; ++ram) {
      for (uint32_t address = 0; address < 1u << model->tuple; ++address) {
        const uint8_t count = seen(model, c, ram, address);
        if (count > 0) (*rams)[static_cast<size_t>(c * model->rams + ram)][address] = count;
      }
    }
  }
  plan->state = rams;
  plan->release = [](void* state) { delete static_cast<std::vector<Ram>*>(state); };
  for (const Ram& ram : *rams) {
    plan->workspace_bytes += ram.bucket_count() * sizeof(void*) + ram.size() * 40;
  }
  return {};
}

Status launch(const Launch& launch) {
  const WisardCall call = wisard_of(launch);
  const WisardModel* model = call.model;
  const auto& rams = *static_cast<const std::vector<Ram>*>(launch.plan_state);
  for (int64_t i = 0; i < call.images; ++i) {
    int scores[kRamClasses] = {};
    for (int ram = 0; ram < model->rams; ++ram) {
      const uint32_t address = ram_address(model, ram, call.rows + i * call.row_words);
      for (int c = 0; c < kRamClasses; ++c) {
        const Ram& map = rams[static_cast<size_t>(c * model->rams + ram)];
        const auto found = map.find(address);
        scores[c] += found != map.end() && found->second > model->bleach;
      }
    }
    call.classes[i] = best_score(scores);
  }
  return {};
}

RIDGE_KERNEL(wisard, cpu, hash_map, .dtypes = "bits", .prepare = prepare, .launch = launch);

}  // namespace
}  // namespace ridge
