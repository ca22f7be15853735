#include "common/harness/measure/cuda/cuda_device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "common/harness/measure/cuda/check.h"
#include "common/harness/measure/cuda/cupti_counters.h"
#include "common/harness/measure/cuda/resources.h"

namespace ridge::measure {
namespace {

/// The form that nvidia-smi prints.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += hex;
  }
  return text;
}

std::vector<CudaSide*> cuda_sides(std::span<Side* const> sides) {
  std::vector<CudaSide*> result;
  for (Side* side : sides) result.push_back(static_cast<CudaSide*>(side));  // make_side made them
  return result;
}

/// Beside a peer in another process each slot lasts at least this long, on both sides.
constexpr double kExternalNs = 50e6;

bool has_external(std::span<Side* const> sides) {
  return std::any_of(sides.begin(), sides.end(),
                     [](const Side* side) { return side->kernel->time_calls != nullptr; });
}

std::string gib(size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

/// Everything on the board: memory, idle SMs, other processes.
class GpuMeter final : public EnergyMeter {
 public:
  explicit GpuMeter(std::shared_ptr<const Nvml> nvml) : nvml_(std::move(nvml)) {}
  std::string source() const override { return "NVML, whole GPU, others included"; }
  std::optional<double> read() override { return nvml_->energy_j(); }

 private:
  std::shared_ptr<const Nvml> nvml_;
};

/// Null where there is no NVML.
Result<std::shared_ptr<Nvml>> open_nvml(int index) {
  char bus_id[32] = "";
  RIDGE_CUDA_TRY(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, index));
  return std::shared_ptr<Nvml>(Nvml::open(bus_id));
}

Result<std::unique_ptr<EnergyMeter>> meter_of(std::shared_ptr<const Nvml> nvml) {
  if (!nvml) {
    return Error{ErrorCode::unavailable, "NVML, the driver's monitoring library, does not answer",
                 "energy counter of the GPU", "try: nvidia-smi"};
  }
  if (!nvml->energy_j()) {
    return Error{ErrorCode::unavailable, "this GPU has none (Volta and later do)",
                 "energy counter of the GPU", ""};
  }
  return std::unique_ptr<EnergyMeter>(new GpuMeter(std::move(nvml)));
}

}  // namespace

Result<std::unique_ptr<Device>> CudaDevice::make(int index) {
  std::string reason;
  const std::vector<GpuInfo> gpus = list_gpus(&reason);
  if (gpus.empty()) {
    return Error{ErrorCode::unavailable, reason, "GPU",
                 "run the CPU rungs, or replay a recorded run"};
  }
  const GpuInfo* found = nullptr;
  for (const GpuInfo& gpu : gpus)
    if (gpu.index == index) found = &gpu;
  if (!found) {
    return Error{ErrorCode::unavailable, "there is no GPU " + std::to_string(index), "device",
                 "choose one from 0 to " + std::to_string(gpus.back().index)};
  }
  std::unique_ptr<CudaDevice> device(new CudaDevice);
  device->name_ = found->name;
  RIDGE_TRY_VOID(device->open(index));
  return std::unique_ptr<Device>(std::move(device));
}

Result<void> CudaDevice::open(int index) {
  // A waiting thread spins: waking a sleeping one would add its wake-up to every latency.
  RIDGE_CUDA_TRY(cudaInitDevice(index, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid));
  RIDGE_CUDA_TRY(cudaSetDevice(index));
  cudaStream_t stream = nullptr;
  RIDGE_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  stream_.reset(stream);
  // Lines marked persisting by an earlier program outlive any flush by reading.
  cudaCtxResetPersistingL2Cache();
  cudaGetLastError();  // not every GPU has such lines

  int watchdog = 0;
  RIDGE_CUDA_TRY(cudaDeviceGetAttribute(&watchdog, cudaDevAttrKernelExecTimeout, index));
  RIDGE_TRY(timer_, BlockTimer::make(stream, index, watchdog == 0));

  cudaDeviceProp properties{};
  RIDGE_CUDA_TRY(cudaGetDeviceProperties(&properties, index));
  index_ = index;
  capability_ = properties.major * 10 + properties.minor;
  identity_ = uuid_text(properties.uuid);
  lock_ = std::make_unique<GpuLock>(identity_);
  RIDGE_TRY(nvml_, open_nvml(index));
  int clock_khz = 0;
  RIDGE_CUDA_TRY(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, index));
  free_clock_hz_ = clock_khz * 1e3;
  return {};
}

CudaDevice::~CudaDevice() {
  if (stream_) cudaStreamSynchronize(stream_.get());
}

Result<void*> CudaDevice::allocate(size_t bytes) {
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return Error{ErrorCode::unavailable,
                 "the GPU has no room for " + gib(bytes) + " (" + gib(free_bytes()) + " free)",
                 name_, "choose a smaller problem"};
  }
  RIDGE_CUDA_TRY(error);
  return memory;
}

void CudaDevice::release(void* memory) {
  cudaFree(memory);
}

Result<void> CudaDevice::upload(void* to, const void* from, size_t bytes) {
  RIDGE_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_.get()));
  return synchronize();
}

Result<void> CudaDevice::download(void* to, const void* from, size_t bytes) {
  RIDGE_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_.get()));
  return synchronize();
}

Result<void> CudaDevice::fill(void* to, uint32_t pattern, size_t bytes) {
  RIDGE_CUDA_TRY(launch_fill(to, pattern, bytes, stream_.get()));
  return synchronize();
}

size_t CudaDevice::free_bytes() const {
  size_t free = 0, total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
}

Result<void> CudaDevice::synchronize() {
  RIDGE_CUDA_TRY(cudaStreamSynchronize(stream_.get()));
  return {};
}

Result<void> CudaDevice::call(const Side& side) {
  const Status status = side.kernel->launch(side.launch);
  if (!status.ok()) return to_error(status, *side.kernel);
  const cudaError_t error = cudaStreamSynchronize(stream_.get());
  if (error == cudaSuccess) return {};
  Error failed = cuda_error(error, "a call");
  failed.where = side.kernel->id;
  return failed;
}

Result<Sample> CudaDevice::time_latency(const Side& side) {
  const GpuLock::Hold hold(*lock_);
  if (side.kernel->time_calls != nullptr) {
    CallTimes times;
    const Status status = side.kernel->time_calls(side.launch, 1, &times);
    if (!status.ok()) return to_error(status, *side.kernel);
    Sample sample;
    sample.t_ns = times.wall_ns;
    return sample;
  }
  if (side.cache == Cache::cold) RIDGE_TRY_VOID(timer_->flush());
  RIDGE_TRY_VOID(synchronize());
  const auto start = std::chrono::steady_clock::now();
  RIDGE_TRY_VOID(call(side));
  const auto end = std::chrono::steady_clock::now();
  Sample sample;
  sample.t_ns = std::chrono::duration<double, std::nano>(end - start).count();
  return sample;
}

Result<std::unique_ptr<Side>> CudaDevice::make_side(const KernelDesc& kernel, const Launch& launch,
                                                    Cache cache, double call_ns) {
  auto side = std::make_unique<CudaSide>();
  side->kernel = &kernel;
  side->launch = launch;
  side->launch.stream = stream_.get();
  side->cache = cache;
  side->call_ns = call_ns;
  // What a first call loads or creates would block behind the gate until its time-out.
  RIDGE_TRY_VOID(call(*side));
  if (kernel.time_calls == nullptr) RIDGE_TRY_VOID(timer_->plan(side.get()));
  return std::unique_ptr<Side>(std::move(side));
}

Result<std::vector<Sample>> CudaDevice::time(std::span<Side* const> sides,
                                             std::span<const uint8_t> order) {
  const std::vector<CudaSide*> mine = cuda_sides(sides);
  const GpuLock::Hold hold(*lock_);
  std::vector<Sample> samples;
  if (has_external(sides)) {
    for (const uint8_t index : order) {
      RIDGE_TRY(Sample sample, time_by_wall(mine[index]));
      samples.push_back(std::move(sample));
    }
  } else {
    RIDGE_TRY(samples, timer_->time(mine, order));
  }
  if (!samples.empty()) add_telemetry(&samples.back());
  return samples;
}

/// Calls back to back and one synchronisation, by the host's clock: all that another process can
/// say of its own calls, and so what our side is timed by beside it. Over 50 ms or more the 10 us
/// that this adds are 0.02 %. Short calls of ours are graphs of many, as the other's are: launched
/// one by one they would pay 1.5 to 3.3 us each for it.
Result<Sample> CudaDevice::time_by_wall(CudaSide* side) {
  if (side->kernel->time_calls == nullptr) return timer_->time_by_wall(side, kExternalNs);
  Sample sample;
  sample.calls = std::max<int64_t>(1, std::llround(std::ceil(kExternalNs / side->call_ns)));
  RIDGE_TRY(const CallTimes times, run_calls(*side, sample.calls));
  sample.t_ns = times.wall_ns / double(sample.calls);
  return sample;
}

Result<std::vector<Sample>> CudaDevice::sustain(Side* side, double seconds) {
  const GpuLock::Hold hold(*lock_);
  if (side->kernel->time_calls != nullptr) return sustain_external(side, seconds);
  return timer_->sustain(static_cast<CudaSide*>(side), seconds);
}

Result<std::vector<Sample>> CudaDevice::sustain_external(Side* side, double seconds) {
  std::vector<Sample> samples;
  for (double spent_ns = 0; spent_ns < seconds * 1e9;) {
    RIDGE_TRY(Sample sample, time_by_wall(static_cast<CudaSide*>(side)));
    spent_ns += sample.t_ns * double(sample.calls);
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<std::string> CudaDevice::held_down_by() {
  TelemetryPoint point;
  telemetry(&point);
  return point.throttle;
}

/// Calls back to back between two synchronisations, by the clock of whoever makes them.
Result<CallTimes> CudaDevice::run_calls(const Side& side, int64_t calls) {
  CallTimes times;
  Status status;
  if (side.kernel->time_calls != nullptr) {
    status = side.kernel->time_calls(side.launch, calls, &times);
  } else {
    RIDGE_TRY_VOID(synchronize());
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < calls && status.ok(); ++i) status = side.kernel->launch(side.launch);
    RIDGE_TRY_VOID(synchronize());
    const auto end = std::chrono::steady_clock::now();
    times.wall_ns = std::chrono::duration<double, std::nano>(end - start).count();
  }
  if (!status.ok()) return to_error(status, *side.kernel);
  return times;
}

Result<void> CudaDevice::repeat(const Side& side, int64_t calls) {
  const GpuLock::Hold hold(*lock_);
  RIDGE_TRY([[maybe_unused]] const CallTimes times, run_calls(side, calls));
  return {};
}

int CudaDevice::slots_per_block(std::span<Side* const> sides) const {
  if (has_external(sides)) return 2;  // of 50 ms
  return timer_->slots_per_block(cuda_sides(sides));
}

Result<Resources> CudaDevice::resources(const Side& side) {
  RIDGE_TRY_VOID(synchronize());
  Side mine = side;
  mine.launch.stream = stream_.get();
  return read_resources(mine, stream_.get());
}

Result<std::vector<Counter>> CudaDevice::count(const Side& side, int64_t calls) {
  constexpr int64_t kQueued = 100;  // enough to hide the gaps between calls
  calls = std::min(calls, kQueued);
  const GpuLock::Hold hold(*lock_);
  RIDGE_TRY(std::vector<Counter> counters, count_gpu(index_, [&]() -> Result<void> {
              RIDGE_TRY([[maybe_unused]] const CallTimes times, run_calls(side, calls));
              return {};
            }));
  for (Counter& counter : counters) {
    if (counter.name.ends_with(".sum")) counter.value /= double(calls);
  }
  return counters;
}

/// On the last sample only: the driver renews these figures more slowly than blocks follow.
void CudaDevice::add_telemetry(Sample* last) {
  TelemetryPoint point;
  telemetry(&point);
  const auto temp = point.values.find("temp_c"), power = point.values.find("power_w");
  if (temp != point.values.end()) last->temp_c = temp->second;
  if (power != point.values.end()) last->power_w = power->second;
}

void CudaDevice::telemetry(TelemetryPoint* point) {
  if (nvml_) nvml_->read(point);
}

Result<std::unique_ptr<EnergyMeter>> CudaDevice::energy_meter() {
  return meter_of(nvml_);
}

/// Of the GPUs that ranks take: the first ones.
Result<std::vector<std::unique_ptr<EnergyMeter>>> CudaDevice::energy_meters(int64_t devices) {
  if (devices == 1) return Device::energy_meters(1);
  std::vector<std::unique_ptr<EnergyMeter>> meters;
  for (int index = 0; index < devices; ++index) {
    RIDGE_TRY(std::shared_ptr<const Nvml> nvml, open_nvml(index));
    RIDGE_TRY(auto meter, meter_of(std::move(nvml)));
    meters.push_back(std::move(meter));
  }
  return meters;
}

std::vector<std::string> CudaDevice::disturbances() {
  return nvml_ ? nvml_->disturbances() : std::vector<std::string>{};
}

Result<std::unique_ptr<Device>> make_cuda_device(int index) {
  return CudaDevice::make(index);
}

}  // namespace ridge::measure
