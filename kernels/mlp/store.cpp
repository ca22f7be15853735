// Trained perceptrons, once trained: kept in the user's cache folder by their configuration.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "common/core/random.h"
#include "kernels/mlp/network.h"
#include "kernels/runtime/weightless/model_store.h"

namespace ridge::mlp {
namespace {

constexpr uint64_t kMagic = 0x31746e7072636570;

std::vector<float> all_of(const Perceptron& network) {
  std::vector<float> all;
  for (const auto* some : {&network.w1, &network.b1, &network.w2, &network.b2}) {
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

uint64_t digest(const std::vector<float>& numbers) {
  uint64_t sum = numbers.size();
  for (const float x : numbers) {
    uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof(bits));
    sum = mix_bits(sum + bits + kGolden);
  }
  return sum;
}

void split(const std::vector<float>& all, Perceptron* network) {
  auto at = all.begin();
  const auto take = [&](std::vector<float>* some, int64_t count) {
    some->assign(at, at + count);
    at += count;
  };
  take(&network->w1, kMlpIn * kMlpHidden), take(&network->b1, kMlpHidden);
  take(&network->w2, kMlpHidden * kMlpOut), take(&network->b2, kMlpOut);
}

constexpr size_t kNumbers = size_t{kMlpIn + 1} * kMlpHidden + size_t{kMlpHidden + 1} * kMlpOut;

bool load(const std::string& path, Perceptron* network) {
  std::ifstream file(path, std::ios::binary);
  uint64_t head[2] = {};
  std::vector<float> all(kNumbers);
  file.read(reinterpret_cast<char*>(head), sizeof(head));
  file.read(reinterpret_cast<char*>(all.data()), kNumbers * sizeof(float));
  if (!file || head[0] != kMagic || head[1] != digest(all)) return false;
  split(all, network);
  return true;
}

void save(const Perceptron& network, const std::string& path) {
  const std::string part = path + "." + std::to_string(::getpid());  // two workers may save at once
  const std::vector<float> all = all_of(network);
  const uint64_t head[2] = {kMagic, digest(all)};
  {
    std::ofstream file(part, std::ios::binary);
    file.write(reinterpret_cast<const char*>(head), sizeof(head));
    file.write(reinterpret_cast<const char*>(all.data()), kNumbers * sizeof(float));
    if (!file.flush()) return;
  }
  std::error_code ignored;
  std::filesystem::rename(part, path, ignored);
}

}  // namespace

Result<std::shared_ptr<const Perceptron>> stored(const PerceptronConfig& config,
                                                 const FamilyProgress* progress) {
  // The worker's main thread alone makes problems: no lock.
  static std::map<std::string, std::shared_ptr<const Perceptron>> known;
  const Garments& set = garments();
  uint64_t data = 0;  // a synthetic set must not pass for the real one
  for (const uint8_t label : set.train.labels) data = mix_bits(data + label + kGolden);
  const std::string key =
      fmt::format("mlp-v2-e{}-s{}-{:08x}", config.epochs, config.seed, data >> 32);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const std::string folder = weightless::model_folder(), path = folder + "/" + key;
  auto network = std::make_shared<Perceptron>();
  if (config.epochs > 0 && !folder.empty() && load(path, network.get())) {
    network->quantize(set.train);
    return known[key] = network;
  }
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::string why = weightless::why_not_kept(path);
  const FamilyProgress told = [&](const std::string& text, double share) {
    return (*progress)(why + text, share);
  };
  network = train(config, set.train, threads, progress != nullptr ? &told : nullptr);
  if (network == nullptr) return Error{ErrorCode::cancelled, "cancelled", "", ""};
  if (config.epochs > 0 && !folder.empty()) {
    std::error_code ignored;  // a cache that cannot be written costs the next start some seconds
    std::filesystem::create_directories(folder, ignored);
    save(*network, path);
  }
  return known[key] = network;
}

}  // namespace ridge::mlp
