#include "kernels/quantnet/trained.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <thread>

#include <fmt/format.h>

#include "common/core/files.h"
#include "common/core/random.h"
#include "kernels/quantnet/tuning.h"
#include "kernels/runtime/networks/trainer.h"
#include "kernels/runtime/weightless/model_store.h"

namespace ridge::quantnet {
namespace {

constexpr int64_t kBatch = 64;
constexpr double kRate = 0.01;
/// Raise it when the trainer makes other weights.
constexpr int kVersion = 2;

mixed::Model model_of(const NetConfig& config) {
  return mixed::make_model(config.model, config.model == "cnn" ? config.width / 16 : config.width,
                           1);
}

std::string key_of(const NetConfig& c) {
  const std::string key =
      fmt::format("quantnet-v{}-{}-w{}-e{}-s{}", kVersion, c.model, c.width, c.epochs, c.seed);
  switch (c.tune) {
    case Tune::none:
      return key;
    case Tune::straight_through:
      return fmt::format("{}-qat{}-{}", key, c.weight_bits, c.tune_epochs);
    case Tune::magnitude:
      return fmt::format("{}-magnitude{}-{}", key, c.pruned, c.tune_epochs);
    case Tune::two_of_four:
      return fmt::format("{}-2of4-{}", key, c.tune_epochs);
    default:
      return fmt::format("{}-channels{}-{}", key, c.pruned, c.tune_epochs);
  }
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

/// Fails on anything that is not exactly so many numbers and their digest.
bool load(const std::string& path, std::vector<float>* numbers) {
  std::ifstream file(path, std::ios::binary);
  uint64_t sum = 0;
  file.read(reinterpret_cast<char*>(&sum), sizeof(sum));
  file.read(reinterpret_cast<char*>(numbers->data()),
            static_cast<std::streamsize>(numbers->size() * sizeof(float)));
  return file && file.peek() == std::ifstream::traits_type::eof() && sum == digest(*numbers);
}

/// A cache that cannot be written costs the next start some seconds.
void save(const std::string& folder, const std::string& path, const std::vector<float>& numbers) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const uint64_t sum = digest(numbers);
  std::string text(sizeof(sum) + numbers.size() * sizeof(float), '\0');
  std::memcpy(text.data(), &sum, sizeof(sum));
  std::memcpy(text.data() + sizeof(sum), numbers.data(), numbers.size() * sizeof(float));
  (void)write_whole(path, text);
}

/// What the steps of a training see of its weights; null: all of them as they are.
using WeightsSeen = std::function<void(std::vector<float>*)>;

struct Pass {
  int epochs;
  double rate;
  uint64_t order;
  const char* text;
};

Result<void> fit(const Pass& pass, const ImageSet& set, WeightsSeen seen,
                 const FamilyProgress* progress, TrainedNet* net) {
  mixed::TrainerSetup setup;
  setup.model = net->model;
  setup.parameters = net->parameters;
  setup.seen = std::move(seen);
  setup.batch = kBatch;
  setup.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  RIDGE_TRY(const auto trainer, mixed::make_cpu_trainer(std::move(setup)));
  const int64_t an_epoch = std::max<int64_t>(1, set.count() / kBatch);
  const int64_t steps = an_epoch * pass.epochs;
  std::vector<int32_t> order;
  for (int64_t step = 0; step < steps; ++step) {
    if (step % an_epoch == 0) {
      order = shuffled(set.count(), pass.order + static_cast<uint64_t>(step / an_epoch));
      for (int64_t i = 0; std::ssize(order) < kBatch; ++i) order.push_back(order[size_t(i)]);
    }
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    if (progress != nullptr && !(*progress)(pass.text, share))
      return Error{ErrorCode::cancelled, "cancelled", "", ""};
    const double rate = pass.rate * (1 + std::cos(std::numbers::pi * share)) / 2;
    RIDGE_TRY_VOID(trainer->step(set, &order[size_t(step % an_epoch * kBatch)],
                                 static_cast<float>(rate), false));
  }
  net->parameters = trainer->parameters();
  return {};
}

/// From `base` on, which is not changed.
Result<std::shared_ptr<const TrainedNet>> tune(const NetConfig& config, const TrainedNet& base,
                                               const ImageSet& set,
                                               const FamilyProgress* progress) {
  auto net = std::make_shared<TrainedNet>(base);
  WeightsSeen seen;
  if (config.tune == Tune::straight_through) {
    seen = [&model = base.model, bits = config.weight_bits](std::vector<float>* parameters) {
      round_as_seen(model, bits, parameters);
    };
  } else if (config.tune == Tune::channels) {
    *net = without_channels(base, config.pruned);
  } else {
    seen = [kept = kept_weights(base, config.tune, config.pruned)](std::vector<float>* parameters) {
      for (size_t i = 0; i < kept.size(); ++i)
        (*parameters)[i] = kept[i] != 0 ? (*parameters)[i] : 0;
    };
  }
  if (config.epochs > 0 && config.tune_epochs > 0) {
    const Pass pass{config.tune_epochs, kRate / 2, config.seed * 1000 + 500,
                    "fine-tuning the network, once"};
    RIDGE_TRY_VOID(fit(pass, set, seen, progress, net.get()));
  }
  // The quantiser rounds again, to the same numbers; what is pruned is gone.
  if (seen && config.tune != Tune::straight_through) seen(&net->parameters);
  return std::shared_ptr<const TrainedNet>(net);
}

}  // namespace

Result<std::shared_ptr<const TrainedNet>> train(const NetConfig& config, const ImageSet& set,
                                                const FamilyProgress* progress) {
  auto net = std::make_shared<TrainedNet>();
  net->model = model_of(config);
  net->parameters = mixed::initial_parameters(net->model, config.seed);
  if (config.epochs > 0) {
    const Pass pass{config.epochs, kRate, config.seed * 1000, "training the network, once"};
    RIDGE_TRY_VOID(fit(pass, set, nullptr, progress, net.get()));
  }
  if (config.tune == Tune::none) return std::shared_ptr<const TrainedNet>(net);
  return tune(config, *net, set, progress);
}

Result<std::shared_ptr<const TrainedNet>> stored(const NetConfig& config,
                                                 const FamilyProgress* progress) {
  // The worker's main thread alone makes problems: no lock.
  static std::map<std::string, std::shared_ptr<const TrainedNet>> known;
  const std::string name = key_of(config);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  if (config.epochs == 0) {
    RIDGE_TRY(known[name], train(config, {}, nullptr));
    return known[name];
  }
  std::shared_ptr<const TrainedNet> base;
  auto net = std::make_shared<TrainedNet>();
  net->model = model_of(config);
  if (config.tune != Tune::none) {
    NetConfig plain = config;
    plain.tune = Tune::none;
    RIDGE_TRY(base, stored(plain, progress));
    if (config.tune == Tune::channels) net->model = without_channels(*base, config.pruned).model;
  }
  const ImageSet& set = garments().train;
  uint64_t data = 0;  // a synthetic set must not pass for the real one
  for (const uint8_t label : set.labels) data = mix_bits(data + label + kGolden);
  const std::string folder = cache_folder("models");
  const std::string path = fmt::format("{}/{}-{:08x}", folder, name, data >> 32);
  net->parameters.resize(size_t(net->model.parameters));
  if (!folder.empty() && load(path, &net->parameters)) return known[name] = net;
  const std::string why = weightless::why_not_kept(path);
  const FamilyProgress told = [&](const std::string& text, double share) {
    return (*progress)(why + text, share);
  };
  const FamilyProgress* tell = progress != nullptr ? &told : nullptr;
  RIDGE_TRY(known[name], base ? tune(config, *base, set, tell) : train(config, set, tell));
  if (!folder.empty()) save(folder, path, known[name]->parameters);
  return known[name];
}

}  // namespace ridge::quantnet
