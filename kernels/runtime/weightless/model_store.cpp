#include "kernels/runtime/weightless/model_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <thread>

#include "common/core/random.h"
#include "common/core/files.h"
#include "kernels/runtime/weightless/params.h"

namespace ridge::weightless {
namespace {

/// Everything the weights depend on. Version: raise it when the trainer makes other weights.
std::string key_of(const TrainConfig& c) {
  constexpr int kVersion = 1;
  if (c.epochs == 0) return fmt::format("random-l{}-b{}-s{}", c.luts, c.bits, c.seed);
  uint64_t data = 0;  // a synthetic set, or a part of one, must not pass for the real set
  const Garments& set = garments();
  for (const uint8_t label : set.train.labels) data = mix_bits(data + label + kGolden);
  return fmt::format("v{}-l{}-b{}-k{}-h{}-e{}-s{}-n{}-{:08x}", kVersion, c.luts, c.bits,
                     c.candidates, c.halve_every, c.epochs, c.seed, c.images, data >> 32);
}

/// "mlp-v2-e10" as "mlp-v" and "-e10"; false: it names no version.
bool split_version(const std::string& name, std::string* before, std::string* after) {
  const size_t at = name.find("-v");
  if (at == std::string::npos) return false;
  const size_t digits = name.find_first_not_of("0123456789", at + 2);
  if (digits == at + 2 || digits == std::string::npos) return false;
  *before = name.substr(0, at + 2), *after = name.substr(digits);
  return true;
}

Result<LutNetwork> train(const TrainConfig& config, const std::string& why,
                         const FamilyProgress* progress) {
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  Trainer trainer(config, garments(), fastest_lut_kernel(), threads);
  while (trainer.done() < trainer.steps()) {
    trainer.step();
    const double share = static_cast<double>(trainer.done()) / static_cast<double>(trainer.steps());
    if (progress != nullptr && !(*progress)(why + "training the network, once", share)) {
      return Error{ErrorCode::cancelled, "cancelled", "", ""};
    }
  }
  return trainer.network();
}

}  // namespace

std::string why_not_kept(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists(path, ignored)) return "the kept model is damaged: ";
  const fs::path file(path);
  std::string before, after, other_before, other_after;
  if (!split_version(file.filename().string(), &before, &after)) return "";
  for (const auto& entry : fs::directory_iterator(file.parent_path(), ignored)) {
    const bool has_version =
        split_version(entry.path().filename().string(), &other_before, &other_after);
    if (has_version && other_before == before && other_after == after)
      return "the kept model is of another version: ";
  }
  return "";
}

std::string model_folder() {
  return cache_folder("models");
}

Result<std::shared_ptr<const LutNetwork>> stored_network(const Params& params,
                                                         const FamilyProgress* progress) {
  // The worker's main thread alone makes problems: no lock.
  static std::map<std::string, std::shared_ptr<const LutNetwork>> known;
  RIDGE_TRY(TrainConfig config, config_of(params));
  config.hold_out = false;
  const std::string key = key_of(config);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  LutNetwork network;
  const std::string folder = model_folder(), path = folder + "/weightless-" + key;
  if (config.epochs == 0) {
    network = random_network(config.luts, config.bits, config.seed);
  } else if (folder.empty() || !load_network(path, &network)) {
    RIDGE_TRY(network, train(config, why_not_kept(path), progress));
    std::error_code ignored;  // a cache that cannot be written costs the next start some seconds
    std::filesystem::create_directories(folder, ignored);
    save_network(network, path);
  }
  return known[key] = std::make_shared<const LutNetwork>(std::move(network));
}

}  // namespace ridge::weightless
