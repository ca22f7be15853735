// The data loader's engine: workers that fill batches, a copy, a step, and rings of buffers between
// them. A rung's Loader says which of them have threads of their own.
//
//   workers ──> host ring ──> copy ──> device ring ──> step
//
// A stage that has no thread of its own is done by the one behind it: serial is all of it on the
// thread that steps. Batches keep their order through the rings, images their place in the batch, so
// that any number of workers delivers the same epoch.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/harness/kernel/pipeline.h"
#include "kernels/pipeline/device.h"
#include "kernels/pipeline/forked.h"
#include "kernels/pipeline/images.h"
#include "kernels/pipeline/ring.h"

namespace ridge::pipeline {

struct EngineSetup {
  Loader loader;
  Geometry geometry;
  int workers = 1;
  int buffers = 4;  ///< host batches that may be ready, and device batches where the loader says so
  uint64_t seed = 1;
  std::shared_ptr<const FileSet> set;
  std::unique_ptr<ImageSource> source;
  std::unique_ptr<TrainDevice> device;
};

class Engine final : public Pipeline {
 public:
  static Result<std::unique_ptr<Engine>> make(EngineSetup setup);
  ~Engine() override;

  Result<PipelineWindow> run_window(double window_s, const SpanSink& sink) override;
  std::vector<PipelineStage> stages() const override;
  Result<PipelineWindow> run_stage(size_t stage, double window_s) override;
  double stage_bytes(size_t stage) const override;
  Result<double> bus_bytes_per_s() override { return setup_.device->bus_bytes_per_s(); }
  QualityCheck check() override;
  double bytes_per_item() const override;
  double memory_bytes() const override { return memory_bytes_; }
  int64_t items_per_step() const override { return setup_.geometry.batch; }
  std::string note() const override;

  int64_t skipped() const { return skipped_; }
  double loss() { return setup_.device->loss(); }
  std::vector<pid_t> worker_pids() const;

 private:
  explicit Engine(EngineSetup setup);
  Result<void> allocate();
  void start();
  int host_buffers() const;
  int device_buffers() const;

  // Workers
  void work(int worker);
  void work_on_batches(int worker);
  void work_on_images(int worker);
  bool load_image(int worker, int64_t item);
  bool load_batch(int worker, int64_t batch);
  Record record_of(int64_t item);
  void skip(int32_t file, const std::string& why);
  // The other stages
  void copy_loop();
  bool queue_copy(int64_t batch);
  bool finish_copy(int64_t batch);
  bool step_batch();
  bool queue_step();
  bool finish_step();
  Result<PipelineWindow> run(double window_s, bool copies, bool steps);
  int64_t deliver(int64_t batch);
  bool intact(int slot, int image, std::string* why);
  bool pooled_again(const Record& record, std::vector<float>* wanted, std::string* why);
  bool pooled_repeated(const Record& record, std::vector<float>* wanted, std::string* why);

  void fail(const Error& error);
  void stop();
  void emit(const char* stage, int worker, int buffer, int64_t item, int64_t items, double start_ns,
            double end_ns) const;
  Batch host_batch(int64_t batch) {
    return {host_[static_cast<size_t>(host_ring_.slot(batch))], &setup_.geometry};
  }
  using Shuffle = std::shared_ptr<const std::vector<int32_t>>;
  Shuffle shuffle_of(int64_t epoch);

  EngineSetup setup_;
  Order order_;
  Gate gate_;
  Ring host_ring_, device_ring_;
  std::vector<SharedMemory> shared_;
  std::vector<std::byte*> host_;
  std::vector<std::atomic<int>> filled_;  ///< images of each host buffer that are there
  // Of each buffer, for its spans; and when the last copy and the last step ended.
  std::vector<double> began_ns_, full_ns_, copied_ns_, copy_queued_ns_, step_queued_ns_;
  double last_copied_ns_ = 0, last_stepped_ns_ = 0;
  std::vector<std::vector<Record>> on_device_;  ///< records of each device buffer
  std::vector<char> holds_;                     ///< whether those images were really copied there
  std::vector<std::unique_ptr<ImageLoader>> loaders_;
  std::vector<std::unique_ptr<ForkedLoader>> forked_;
  std::vector<std::thread> threads_;
  double memory_bytes_ = 0;

  std::atomic<int64_t> next_item_{0}, next_batch_{0};
  int64_t copies_queued_ = 0, next_copy_ = 0, steps_queued_ = 0, next_step_ = 0;
  bool copies_ = true, steps_ = true;  ///< false: batches pass that stage untouched
  const SpanSink* sink_ = nullptr;

  mutable std::mutex mutex_;  ///< of what follows
  std::optional<Error> failed_;
  std::vector<std::pair<int64_t, Shuffle>> shuffles_;  ///< of the last few epochs
  int64_t skipped_ = 0;
  std::string first_skipped_;

  int64_t delivered_ = 0, misplaced_ = 0;
  std::string first_misplaced_;
};

// loader.cpp: for the makers.
std::vector<ParamSpec> loader_params(const PipelineDesc& desc);
using MakeDevice = Result<std::unique_ptr<TrainDevice>> (*)(const DeviceSetup& setup);
Result<std::unique_ptr<Pipeline>> build_loader(const PipelineDesc& desc, const Params& params,
                                               uint64_t seed, const FamilyProgress& progress,
                                               MakeDevice make_device);

}  // namespace ridge::pipeline
