// The CUDA Device of common/harness/measure/device.h: one GPU, one stream, used from the thread that made it
// (telemetry() alone may be called from another).
#pragma once

#include "common/harness/measure/cuda/block_timer.h"
#include "common/harness/measure/cuda/gpu_lock.h"
#include "common/harness/measure/cuda/nvml.h"
#include "common/harness/measure/device.h"

namespace ridge::measure {

class CudaDevice final : public Device {
 public:
  static Result<std::unique_ptr<Device>> make(int index);
  ~CudaDevice() override;

  Backend backend() const override { return Backend::cuda; }
  std::string name() const override { return name_; }
  std::string identity() const override { return identity_; }
  int capability() const override { return capability_; }
  void* stream() const override { return stream_.get(); }

  Result<void*> allocate(size_t bytes) override;
  void release(void* memory) override;
  Result<void> upload(void* to, const void* from, size_t bytes) override;
  Result<void> download(void* to, const void* from, size_t bytes) override;
  Result<void> fill(void* to, uint32_t pattern, size_t bytes) override;
  size_t free_bytes() const override;
  Result<void> synchronize() override;

  Result<void> call(const Side& side) override;
  Result<Sample> time_latency(const Side& side) override;
  Result<std::unique_ptr<Side>> make_side(const KernelDesc& kernel, const Launch& launch,
                                          Cache cache, double call_ns) override;
  Result<std::vector<Sample>> time(std::span<Side* const> sides,
                                   std::span<const uint8_t> order) override;
  int slots_per_block(std::span<Side* const> sides) const override;
  Result<Resources> resources(const Side& side) override;
  Result<std::vector<Counter>> count(const Side& side, int64_t calls) override;

  double free_clock_hz() const override { return free_clock_hz_; }
  std::vector<std::string> held_down_by() override;
  Result<std::vector<Sample>> sustain(Side* side, double seconds) override;
  Result<void> repeat(const Side& side, int64_t calls) override;
  Result<std::unique_ptr<EnergyMeter>> energy_meter() override;
  Result<std::vector<std::unique_ptr<EnergyMeter>>> energy_meters(int64_t devices) override;
  void telemetry(TelemetryPoint* point) override;
  std::vector<std::string> disturbances() override;

 private:
  CudaDevice() = default;
  Result<void> open(int index);
  Result<Sample> time_by_wall(CudaSide* side);
  Result<CallTimes> run_calls(const Side& side, int64_t calls);
  Result<std::vector<Sample>> sustain_external(Side* side, double seconds);
  void add_telemetry(Sample* last);

  std::string name_, identity_;
  int index_ = 0, capability_ = 0;
  double free_clock_hz_ = 0;
  OwnedStream stream_;
  std::unique_ptr<BlockTimer> timer_;
  std::unique_ptr<GpuLock> lock_;
  std::shared_ptr<Nvml> nvml_;  ///< null: none; a meter may outlive a call
};

}  // namespace ridge::measure
