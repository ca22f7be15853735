// The data loader's check of a device that decodes: what two correct decoders may differ by passes, a decoder
// with a planted fault does not. Here the device is this test, and its decoder libjpeg.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>

#include "kernels/pipeline/engine.h"
#include "kernels/pipeline/jpeg.h"
#include "tests/catch.h"

namespace fs = std::filesystem;
using namespace ridge;
using namespace ridge::pipeline;

namespace {

constexpr int64_t kImages = 200;
constexpr int kSide = 64, kBatch = 16;
using Pixels = std::vector<uint8_t>;
using Fault = std::function<int(const Pixels& rgb, int y, int x, int c)>;

/// The pixel at the edge stands for those beyond it.
int at(const Pixels& rgb, int y, int x, int c) {
  y = std::min(y, kSide - 1), x = std::min(x, kSide - 1);
  return rgb[size_t((y * kSide + x) * kChannels + c)];
}

int none(const Pixels& rgb, int y, int x, int c) {
  return at(rgb, y, x, c);
}

/// Keeps the files of each batch, and decodes when it is asked what it saw.
class Decoder final : public TrainDevice {
 public:
  Decoder(const Geometry& g, int slots, Chroma chroma, Fault fault)
      : geometry_(g), slots_(size_t(slots)), chroma_(chroma), fault_(std::move(fault)) {}
  Result<std::byte*> host_memory(size_t bytes) override {
    memory_.emplace_back(bytes);
    return memory_.back().data();
  }
  bool decodes() const override { return true; }
  Result<void> queue_copy(int slot, const Batch& batch) override {
    slots_[size_t(slot)].assign(batch.base, batch.base + geometry_.batch_bytes());
    return {};
  }
  Result<void> finish_copy() override { return {}; }
  Result<void> queue_step(int) override { return {}; }
  Result<void> finish_step() override { return {}; }
  double loss() override { return 0; }
  Result<std::vector<float>> weights(int) override { return std::vector<float>(); }
  Result<std::vector<float>> seen(int slot, int i) override {
    const Batch batch = {slots_[size_t(slot)].data(), &geometry_};
    const Record& record = batch.records()[i];
    Pixels rgb(size_t(kSide) * kSide * kChannels), wrong = rgb;
    std::string why;
    REQUIRE(decode_jpeg(batch.image(i), record.bytes, kSide, rgb.data(), &why, chroma_));
    for (int y = 0, to = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x)
        for (int c = 0; c < kChannels; ++c, ++to)
          wrong[size_t(to)] = uint8_t(std::clamp(fault_(rgb, y, x, c), 0, 255));
    std::vector<float> pooled(size_t(geometry_.features()));
    pool_pixels(wrong.data(), record, geometry_, pooled.data());
    return pooled;
  }
  double hidden_share() const override { return 1; }
  std::string name() const override { return "decoder"; }

 private:
  Geometry geometry_;
  std::vector<std::vector<std::byte>> slots_;
  std::deque<std::vector<std::byte>> memory_;
  Chroma chroma_;
  Fault fault_;
};

QualityCheck checked(Chroma chroma, const Fault& fault) {
  const fs::path cache = fs::temp_directory_path() / ("ridge-decoder-" + std::to_string(getpid()));
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  const auto set = file_set(kImages, kSide, [](const std::string&, double) { return true; });
  REQUIRE(set.ok());
  EngineSetup setup;
  setup.set = *set;
  setup.loader = {.carried = Carried::jpeg};
  setup.geometry = {.side = kSide,
                    .crop = kSide * 7 / 8 / kPool * kPool,
                    .batch = kBatch,
                    .carried = Carried::jpeg,
                    .image_bytes = (*set)->max_bytes()};
  setup.source = read_files(setup.set);
  setup.device = std::make_unique<Decoder>(setup.geometry, 2, chroma, fault);
  auto engine = Engine::make(std::move(setup));
  REQUIRE(engine.ok());
  QualityCheck check;
  check.passed = true;
  for (int64_t items = 0; items < kImages * 3 && check.passed; items += kBatch) {
    REQUIRE((*engine)->run_window(0, [](const Span&) {}).ok());
    check = (*engine)->check();  // of the batches that the device holds now
  }
  fs::remove_all(cache);
  return check;
}

}  // namespace

TEST_CASE("a decoder may spread chroma either way, and round otherwise by a level") {
  for (const Chroma chroma : {Chroma::smooth, Chroma::repeated}) {
    for (const int level : {-1, 0, 1}) {
      const QualityCheck check = checked(chroma, [&](const Pixels& rgb, int y, int x, int c) {
        return none(rgb, y, x, c) + level;
      });
      INFO(check.reason);
      CHECK(check.passed);
    }
  }
}

TEST_CASE("a decoder with a fault is found out by what the device saw") {
  const std::pair<const char*, Fault> faults[] = {
      {"red and blue swapped", [](auto& rgb, int y, int x, int c) { return at(rgb, y, x, 2 - c); }},
      {"a pixel to the left", [](auto& rgb, int y, int x, int c) { return at(rgb, y, x + 1, c); }},
      {"a pixel higher", [](auto& rgb, int y, int x, int c) { return at(rgb, y + 1, x, c); }},
      {"no colour",
       [](auto& rgb, int y, int x, int) {
         return (299 * at(rgb, y, x, 0) + 587 * at(rgb, y, x, 1) + 114 * at(rgb, y, x, 2)) / 1000;
       }},
      {"four levels darker", [](auto& rgb, int y, int x, int c) { return at(rgb, y, x, c) - 4; }},
      {"levels of video, 16 to 235",
       [](auto& rgb, int y, int x, int c) { return (at(rgb, y, x, c) - 16) * 255 / 219; }},
      {"a block of 8 x 8 grey", [](auto& rgb, int y, int x, int c) {
         return y / 8 == 4 && x / 8 == 4 ? 128 : at(rgb, y, x, c);
       }}};
  for (const auto& [name, fault] : faults) {
    INFO(name);
    const QualityCheck check = checked(Chroma::repeated, fault);
    CHECK(!check.passed);
    CHECK(check.reason.find("its pixels differ by ") != std::string::npos);
  }
}
